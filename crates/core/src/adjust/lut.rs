//! Lookup tables, from files and for the logs of cameras: a curve per channel, followed by a cube between whose nodes
//! colours are interpolated, or by a change of gamut.
//!
//! At a depth of n bits, every table becomes integers ([`Tables`]), from which the CPU and the GPU compute the same
//! codes:
//!
//! - Alone, a curve gives the new code of each code of each channel.
//! - With a cube, a curve gives the position of each code of each channel on the cube's edge: a node, and the fraction
//!   of the way to the next one in units of 2^-15. Domains and one-dimensional tables before the cube are part of these
//!   curves, so they are exact. The nodes hold 16-bit values.
//! - With a change of gamut, a curve gives the light of each code of each channel in units of 2^-20, from −1 to 16. A
//!   matrix in units of 2^-17 gives the light in the new gamut, rounded down, and a last curve the code of light from 0
//!   to 1. It has an entry per unit of light below 2^-6, and one per 16 units from there on.
//!
//! Colours are interpolated in the tetrahedron of nodes that contains them (Kasson, Nin, Plouffe and Hafner, 1995).
//! With the fractions in descending order f1 ≥ f2 ≥ f3, and nodes V0 (the cell's lowest corner), V1 (one step along the
//! axis of f1), V2 (another step along the axis of f2) and V3 (the cell's highest corner):
//!
//! Σ = V0·(2^15 − f1) + V1·(f1 − f2) + V2·(f2 − f3) + V3·f3
//!
//! The sum fits in 32 bits, since the weights add up to 2^15. The new code is Σ, divided by the units of a code and
//! rounded, with halves rounded up.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rayon::prelude::*;

use super::Codes;
use super::camera_log::{self, CameraLog};
use super::cube_file::{self, CubeFile, LutError};
use crate::picture::color::Range;
use crate::text::file_name;

/// Fractional bits of a position between two nodes.
pub const FRACTION_BITS: u32 = 15;
/// Fractional bits of light.
pub const LIGHT_BITS: u32 = 20;
/// Fractional bits of a matrix.
pub const MATRIX_BITS: u32 = 17;
/// Light below this has an entry of its own for each unit in the last curve.
pub const DARK: u32 = 1 << 14;
/// Right shift from brighter light to the entries of the last curve.
pub const BRIGHT_SHIFT: u32 = 4;
/// The light that is distinguished.
const LIGHTS: (f64, f64) = (-1.0, 16.0);
/// The depths that tables are made for.
const DEPTHS: [u32; 3] = [8, 10, 12];
/// Number of pixels that a thread processes at a time.
const SHARE: usize = 1 << 14;

/// A lookup table. It is a handle to values that are kept for the rest of the run, so that adjustments remain small and
/// can be copied with every frame: a few megabytes for each different table.
#[derive(Clone, Copy)]
pub struct Lut(&'static Kept);

/// The origin of a table, and its integers at each depth once they are needed.
struct Kept {
    origin: Origin,
    tables: [OnceLock<Arc<Tables>>; DEPTHS.len()],
}

/// The origin of a table.
#[derive(PartialEq)]
enum Origin {
    File(PathBuf, CubeFile),
    /// A camera's curve and gamut, for signals or, if `recorded`, for limited-range pictures whose codes the curve is
    /// published for.
    Camera {
        log: CameraLog,
        recorded: bool,
    },
}

/// A table in integers at one depth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tables {
    /// The curves of red, green and blue, one after another, with one word per code: the new code; with a cube, the
    /// node (high 16 bits) and the fraction of the way to the next node (low 16 bits); or light, which may be negative.
    pub curves: Vec<u32>,
    /// The stage that follows.
    pub stage: Stage,
}

/// The stage after the curves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// None.
    Done,
    /// A cube.
    Cube(Cube),
    /// A change of gamut.
    Gamut(GamutChange),
}

/// A change of gamut, and the last curve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GamutChange {
    /// The rows of the matrix.
    pub matrix: [[i32; 3]; 3],
    /// The codes of light.
    pub codes: Vec<u16>,
}

/// A cube of nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cube {
    /// Number of nodes along each edge.
    pub side: u32,
    /// `true` if nodes hold values from −1 to 3, `false` if they hold values from 0 to 1.
    pub is_wide: bool,
    /// Red, green and blue of each node, in units of [`unit_bits`](Self::unit_bits). Red varies fastest.
    pub nodes: Vec<[u16; 3]>,
}

impl Lut {
    /// Reads a .cube file.
    ///
    /// # Errors
    /// [`LutError`] if the file cannot be read, or is malformed.
    pub fn open(path: &Path) -> Result<Self, LutError> {
        Self::parse(path, &cube_file::read(path)?)
    }

    /// Parses the content of a .cube file.
    ///
    /// # Errors
    /// [`LutError::Malformed`] if it is malformed.
    pub fn parse(path: &Path, content: &[u8]) -> Result<Self, LutError> {
        Ok(Self::new(Origin::File(path.to_owned(), cube_file::parse(path, content)?)))
    }

    /// Returns the table that maps a camera's log to BT.709.
    #[must_use]
    pub fn of_camera(log: CameraLog) -> Self {
        Self::new(Origin::Camera { log, recorded: false })
    }

    /// Keeps a table. Equal tables are kept once.
    fn new(origin: Origin) -> Self {
        static ALL: Mutex<Vec<&'static Kept>> = Mutex::new(Vec::new());
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = all.iter().find(|kept| kept.origin == origin) {
            return Self(kept);
        }
        let kept: &'static Kept = Box::leak(Box::new(Kept { origin, tables: Default::default() }));
        all.push(kept);
        Self(kept)
    }

    /// Returns its file, if it is from one.
    #[must_use]
    pub fn path(&self) -> Option<&'static Path> {
        match &self.0.origin {
            Origin::File(path, _) => Some(path),
            Origin::Camera { .. } => None,
        }
    }

    /// Returns the camera log that it maps, if it is not from a file.
    #[must_use]
    pub const fn camera(&self) -> Option<CameraLog> {
        match self.0.origin {
            Origin::File(..) => None,
            Origin::Camera { log, .. } => Some(log),
        }
    }

    /// Returns the table for pictures of this range. It differs for the logs of cameras that are published for recorded
    /// codes.
    #[must_use]
    pub fn for_range(self, range: Range) -> Self {
        match self.0.origin {
            Origin::Camera { log, .. } if log.is_of_recorded_codes() => {
                Self::new(Origin::Camera { log, recorded: range == Range::Limited })
            }
            _ => self,
        }
    }

    /// Returns the exposure of a camera's pictures on an axis of codes: after the table if `is_mapped`, else before it.
    /// Returns `None` for tables from files, whose light is unknown.
    #[must_use]
    pub const fn stops(self, is_mapped: bool) -> Option<StopScale> {
        match self.0.origin {
            Origin::File(..) => None,
            Origin::Camera { log, recorded } => Some(StopScale { log, recorded, is_mapped }),
        }
    }

    /// Returns a number that differs, in all probability, between files with different values.
    #[must_use]
    pub fn digest(&self) -> Option<u32> {
        let Origin::File(_, values) = &self.0.origin else { return None };
        let fold = |hash: u64, bits: u64| (hash ^ bits).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
        let hash = values.numbers().map(f64::to_bits).fold(0xcbf2_9ce4_8422_2325, fold);
        Some((hash >> 32) as u32 ^ hash as u32)
    }

    /// Returns the table in integers for codes of 8, 10 or 12 bits.
    #[must_use]
    pub fn tables(&self, bits: u32) -> Arc<Tables> {
        let index = DEPTHS.iter().position(|&depth| depth >= bits).unwrap_or(DEPTHS.len() - 1);
        Arc::clone(self.0.tables[index].get_or_init(|| Arc::new(Tables::new(&self.0.origin, DEPTHS[index]))))
    }
}

/// Exposure in stops around middle gray on an axis of codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StopScale {
    log: CameraLog,
    recorded: bool,
    is_mapped: bool,
}

impl StopScale {
    /// Returns the signal, from 0 to 1, of a gray with this number of stops more light than middle gray; `None` if no
    /// signal has so much or so little light.
    #[must_use]
    pub fn signal(self, stops: f64) -> Option<f64> {
        let light = camera_log::MIDDLE_GRAY * 2_f64.powf(stops);
        if self.is_mapped {
            return (light <= 1.0).then(|| light.powf(1.0 / camera_log::GAMMA));
        }
        let light_of = |signal: f64| self.log.light(coded(signal, self.recorded));
        let (mut low, mut high) = (0.0, 1.0);
        if !(light_of(low)..=light_of(high)).contains(&light) {
            return None;
        }
        // Bisection, down to the resolution of an `f64`.
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if light_of(middle) <= light { low = middle } else { high = middle }
        }
        Some(low)
    }
}

/// Returns the signal that a camera's curve is published for. If it is for `recorded` codes, that is the 10-bit code of
/// a limited-range signal, divided by 1023.
fn coded(signal: f64, recorded: bool) -> f64 {
    if recorded { (64.0 + 876.0 * signal) / 1023.0 } else { signal }
}

/// Two handles are equal if they refer to the same table.
impl PartialEq for Lut {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl fmt::Debug for Lut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Lut").field(&self.to_string()).finish()
    }
}

/// Formats it as over the picture, such as "LUT look.cube 33³".
impl fmt::Display for Lut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.origin {
            Origin::File(path, values) => {
                write!(f, "LUT {}", file_name(path))?;
                values.side().map_or(Ok(()), |side| write!(f, " {side}³"))
            }
            Origin::Camera { log, .. } => write!(f, "{log} to BT.709"),
        }
    }
}

impl Tables {
    fn new(origin: &Origin, bits: u32) -> Self {
        let top = (1_u32 << bits) - 1;
        let curves = |word: &dyn Fn(usize, f64) -> u32| {
            let codes = (0..3).flat_map(|channel| (0..=top).map(move |code| (channel, code)));
            codes.map(|(channel, code)| word(channel, f64::from(code) / f64::from(top))).collect()
        };
        match *origin {
            Origin::File(_, ref values) => match values.side() {
                None => {
                    let code = |value: f64| (value.clamp(0.0, 1.0) * f64::from(top)).round() as u32;
                    Self { curves: curves(&|channel, signal| code(values.curve(channel, signal))), stage: Stage::Done }
                }
                Some(side) => {
                    let side = side as u32;
                    let position = |value| position(value, side);
                    let curves = curves(&|channel, signal| position(values.curve(channel, signal)));
                    Self { curves, stage: Stage::Cube(Cube::new(side, values.nodes(), bits)) }
                }
            },
            Origin::Camera { log, recorded } => {
                let units = |light: f64| (light.clamp(LIGHTS.0, LIGHTS.1) * f64::from(1 << LIGHT_BITS)).round() as i32;
                let curves = curves(&|_, signal| units(log.light(coded(signal, recorded))).cast_unsigned());
                Self { curves, stage: Stage::Gamut(GamutChange::new(log, top)) }
            }
        }
    }
}

/// Returns the position of a value from 0 to 1 on the edge of a cube.
fn position(value: f64, side: u32) -> u32 {
    let position = value.clamp(0.0, 1.0) * f64::from(side - 1);
    let node = (position as u32).min(side - 2);
    let fraction = ((position - f64::from(node)) * f64::from(1 << FRACTION_BITS)).round() as u32;
    node << 16 | fraction
}

impl GamutChange {
    fn new(log: CameraLog, top: u32) -> Self {
        let weight = |weight: f64| (weight * f64::from(1 << MATRIX_BITS)).round() as i32;
        let matrix = log.to_bt709().map(|row| {
            let [red, green, _] = row.map(weight);
            // White stays white.
            [red, green, (1 << MATRIX_BITS) - red - green]
        });
        let code = |units: f64| {
            let signal = (units / f64::from(1 << LIGHT_BITS)).min(1.0).powf(1.0 / camera_log::GAMMA);
            (signal * f64::from(top)).round() as u16
        };
        let dark = (0..DARK).map(|light| code(light.into()));
        let entry = f64::from(1 << BRIGHT_SHIFT);
        let bright = (0..=1 << (LIGHT_BITS - BRIGHT_SHIFT)).map(|at| code((f64::from(at) + 0.5) * entry));
        Self { matrix, codes: dark.chain(bright).collect() }
    }

    /// Returns the code of light in units of 2^-20, which is limited to 0 to 1.
    #[inline]
    fn code(&self, light: i32) -> u16 {
        let light = light.clamp(0, 1 << LIGHT_BITS).cast_unsigned();
        let at = if light < DARK { light } else { DARK + (light >> BRIGHT_SHIFT) };
        self.codes[at as usize]
    }

    /// Returns the colour of light in the old gamut.
    #[inline]
    fn at(&self, light: [i32; 3]) -> [u16; 3] {
        // The products have more than 32 bits, so the two halves of light are summed separately. The weights of a row
        // add up to less than 3.9, regardless of their signs, so either sum fits.
        const LOW_BITS: u32 = 12;
        let (high, low) = (light.map(|light| light >> LOW_BITS), light.map(|light| light & ((1 << LOW_BITS) - 1)));
        let sum = |row: [i32; 3], light: [i32; 3]| row[0] * light[0] + row[1] * light[1] + row[2] * light[2];
        self.matrix.map(|row| self.code((sum(row, high) + (sum(row, low) >> LOW_BITS)) >> (MATRIX_BITS - LOW_BITS)))
    }
}

impl Cube {
    fn new(side: u32, values: &[[f32; 3]], bits: u32) -> Self {
        let is_wide = values.iter().flatten().any(|value| !(0.0..=1.0).contains(value));
        let mut cube = Self { side, is_wide, nodes: Vec::new() };
        let one = f64::from(((1 << bits) - 1) << cube.unit_bits(bits));
        let offset = if is_wide { one } else { 0.0 };
        // A saturating conversion, so no value is out of range.
        cube.nodes =
            values.iter().map(|node| node.map(|value| (f64::from(value) * one + offset).round() as u16)).collect();
        cube
    }

    /// Returns n if the nodes hold codes of `bits` bits in units of 2^-n.
    #[must_use]
    pub const fn unit_bits(&self, bits: u32) -> u32 {
        16 - bits - if self.is_wide { 2 } else { 0 }
    }

    /// Returns the colour at these positions on the edges, in codes of `bits` bits.
    #[inline]
    fn at(&self, positions: [u32; 3], bits: u32) -> [u16; 3] {
        let [x, y, z] = positions.map(|position| position & 0xffff);
        let steps = [1, self.side, self.side * self.side];
        let (most, least) = (x.max(y).max(z), x.min(y).min(z));
        let middle = x + y + z - most - least;
        let largest = if x == most {
            steps[0]
        } else if y == most {
            steps[1]
        } else {
            steps[2]
        };
        let smallest = if z == least {
            steps[2]
        } else if y == least {
            steps[1]
        } else {
            steps[0]
        };
        let first: u32 = (0..3).map(|axis| (positions[axis] >> 16) * steps[axis]).sum();
        let last = first + steps[0] + steps[1] + steps[2];
        let corners = [
            (first, (1 << FRACTION_BITS) - most),
            (first + largest, most - middle),
            (last - smallest, middle - least),
            (last, least),
        ];
        let shift = FRACTION_BITS + self.unit_bits(bits);
        let mut sums = [1_u32 << (shift - 1); 3];
        for (node, weight) in corners {
            let colour = self.nodes[node as usize];
            for channel in 0..3 {
                sums[channel] += u32::from(colour[channel]) * weight;
            }
        }
        let top = (1 << bits) - 1;
        let offset = if self.is_wide { top } else { 0 };
        sums.map(|sum| (sum >> shift).saturating_sub(offset).min(top) as u16)
    }
}

/// Maps every pixel through a table.
#[must_use]
pub fn apply(mut codes: Codes, lut: Lut) -> Codes {
    let tables = lut.tables(codes.bits);
    let (bits, codes_per_channel) = (codes.bits, 1 << codes.bits);
    let [red, green, blue]: [&[u32]; 3] =
        std::array::from_fn(|channel| &tables.curves[channel * codes_per_channel..][..codes_per_channel]);
    codes.rgb.par_chunks_mut(SHARE).for_each(|pixels| {
        for pixel in pixels {
            let [r, g, b] = pixel.map(usize::from);
            let found = [red[r], green[g], blue[b]];
            *pixel = match &tables.stage {
                Stage::Done => found.map(|code| code as u16),
                Stage::Cube(cube) => cube.at(found, bits),
                Stage::Gamut(gamut) => gamut.at(found.map(u32::cast_signed)),
            };
        }
    });
    codes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::luminance::LuminanceWeights;

    fn lut(text: &str) -> Lut {
        Lut::parse(Path::new("test.cube"), text.as_bytes()).unwrap()
    }

    fn mapped(text: &str, bits: u32, pixel: [u16; 3]) -> [u16; 3] {
        apply(Codes { bits, width: 1, height: 1, rgb: vec![pixel], luminance: LuminanceWeights::Bt709 }, lut(text)).rgb
            [0]
    }

    /// Returns a cube of two nodes per edge that swaps red and blue, with values between these.
    fn swapping(dark: f64, light: f64) -> String {
        let value = |bit: usize| if bit == 1 { light } else { dark };
        let node = |node: usize| format!("{} {} {}\n", value(node >> 2 & 1), value(node >> 1 & 1), value(node & 1));
        "LUT_3D_SIZE 2\n".to_owned() + &(0..8).map(node).collect::<String>()
    }

    #[test]
    fn a_cube_between_black_and_white_keeps_every_code() {
        for bits in [8, 10, 12] {
            let top = (1_u16 << bits) - 1;
            for code in 0..=top {
                let pixel = [code, top - code, code / 3];
                assert_eq!(mapped(&swapping(0.0, 1.0), bits, pixel), [code / 3, top - code, code], "{bits} bits");
            }
        }
    }

    #[test]
    fn values_beyond_black_and_white_are_limited_after_interpolating() {
        // From −0.25 to 1.25, two thirds of the codes are spread over all codes.
        let text = swapping(-0.25, 1.25);
        assert_eq!(mapped(&text, 8, [0, 43, 255]), [255, 1, 0], "43 · 1.5 − 63.75 = 0.75");
        assert_eq!(mapped(&text, 10, [512, 300, 700]), [794, 194, 512], "each has a quarter more");
    }

    #[test]
    fn a_curve_covers_its_domain() {
        let text = "LUT_1D_SIZE 3\nLUT_1D_INPUT_RANGE 0.2 0.6\n0 1 0\n0.25 0.51 0\n1 0 0\n";
        assert_eq!(mapped(text, 8, [51, 51, 9]), [0, 255, 0]);
        assert_eq!(mapped(text, 8, [102, 102, 9]), [64, 130, 0], "63.75 and 130.05");
        assert_eq!(mapped(text, 8, [200, 200, 9]), [255, 0, 0], "like the end");
    }

    #[test]
    fn a_curve_before_a_cube_is_its_position() {
        // The curve squares the signal in two pieces; the cube covers signals up to 0.5.
        let cube = swapping(0.0, 1.0).replace("LUT_3D_SIZE 2\n", "");
        let text = format!("LUT_1D_SIZE 3\nLUT_3D_SIZE 2\nLUT_3D_INPUT_RANGE 0 0.5\n0 0 0\n.25 .25 .25\n1 1 1\n{cube}");
        // 0.4 becomes 0.2, which is 0.4 of the cube's edge; 0.6 becomes 0.4, which is 0.8 of it.
        assert_eq!(mapped(&text, 8, [102, 153, 255]), [255, 204, 102]);
    }

    #[test]
    fn equal_tables_are_the_same_and_others_are_not() {
        let (one, same, other) = (lut(&swapping(0.0, 1.0)), lut(&swapping(0.0, 1.0)), lut(&swapping(0.0, 0.9)));
        assert!(one == same && one != other);
        assert!(one.digest().is_some() && one.digest() != other.digest());
        assert_eq!(one.to_string(), "LUT test.cube 2³");
    }
}
