//! Chromaticity: the place of a pixel's light in a CIE diagram, whatever its brightness.
//!
//! Codes become linear light, and light becomes two coordinates by the primaries in use. Both coordinates are ratios of
//! weighted sums, in integers, so that every engine counts the same pairs. HLG is taken as scene light: its system
//! gamma multiplies red, green and blue alike, which leaves the ratios as they are.

use std::sync::{Arc, Mutex, PoisonError};

use super::diagram::Diagram;
use crate::picture::primaries::Primaries;
use crate::picture::transfer::Transfer;

/// Returns the weights of X, Y and Z in the first and the second coordinate of a diagram, and in the sum that divides
/// both.
const fn weights_of(diagram: Diagram) -> [[f64; 3]; 3] {
    match diagram {
        Diagram::Uv => [[4.0, 0.0, 0.0], [0.0, 9.0, 0.0], [1.0, 15.0, 3.0]],
        _ => [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 1.0]],
    }
}

/// The most bits in a level of a chromaticity. A natural picture then has few enough pairs for a GPU to count most of
/// them in the memory of its workgroups.
const MOST_BITS: u32 = 9;

/// The definition of a pixel's chromaticity as a pair of levels.
///
/// A level is the coordinate as a fraction of the diagram's extent, times 2^[`level_bits`](Self::level_bits), rounded
/// down. Before that, rounded weights and light move it by less than 0.08 of a level of 9 bits with the primaries of
/// BT.709, P3 and BT.2020. Black has no chromaticity: it is counted at 0, 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Chromaticity {
    /// The diagram.
    pub diagram: Diagram,
    /// The transfer function of the R'G'B' codes.
    pub transfer: Transfer,
    /// The primaries of their light.
    pub primaries: Primaries,
    /// Number of bits in an R'G'B' code.
    pub code_bits: u32,
}

impl Chromaticity {
    /// Creates the definition for R'G'B' codes of `code_bits` bits, at most 12.
    #[must_use]
    pub const fn new(diagram: Diagram, (transfer, primaries): (Transfer, Primaries), code_bits: u32) -> Self {
        Self { diagram, transfer, primaries, code_bits }
    }

    /// Returns the number of bits in a level.
    #[must_use]
    pub const fn level_bits(&self) -> u32 {
        if self.code_bits < MOST_BITS { self.code_bits } else { MOST_BITS }
    }

    /// Returns the place of the chromaticity x and y of CIE 1931, in levels with fractions: a level's own number is the
    /// middle of the values that it stands for.
    #[must_use]
    pub fn place(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let xyz = [x, y, 1.0 - x - y];
        let [first, second, whole] =
            weights_of(self.diagram).map(|row| row.iter().zip(xyz).map(|(weight, part)| weight * part).sum::<f64>());
        let levels = f64::from(1_u32 << self.level_bits());
        [first, second].map(|part| part / whole / self.extent() * levels - 0.5)
    }

    /// Returns the coordinate at which both axes end: all colours lie below it.
    fn extent(&self) -> f64 {
        self.diagram.axis(0).map_or(1.0, |axis| axis.step)
    }

    /// Returns the rows that give red, green and blue light of BT.709, up to a common factor, of both coordinates as
    /// fractions of the extent and of 1.
    #[must_use]
    pub fn to_bt709(&self) -> [[f64; 3]; 3] {
        let extent = self.extent();
        // X, Y and Z of the coordinates and 1, up to a common factor.
        let xyz = match self.diagram {
            Diagram::Uv => [[9.0 * extent, 0.0, 0.0], [0.0, 4.0 * extent, 0.0], [-3.0 * extent, -20.0 * extent, 12.0]],
            _ => [[extent, 0.0, 0.0], [0.0, extent, 0.0], [-extent, -extent, 1.0]],
        };
        Primaries::Bt709.rgb_of_xyz().map(|row| std::array::from_fn(|i| (0..3).map(|k| row[k] * xyz[k][i]).sum()))
    }

    /// Returns the computation. The last few tables are kept.
    #[must_use]
    pub fn computation(&self) -> ChromaticityTable {
        static KEPT: Mutex<Vec<KeptLight>> = Mutex::new(Vec::new());
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        let is = |(transfer, bits, _): &&KeptLight| (*transfer, *bits) == (self.transfer, self.code_bits);
        let light = kept.iter().find(is).map(|(.., light)| Arc::clone(light)).unwrap_or_else(|| {
            let top = f64::from((1_u32 << self.code_bits) - 1);
            let light_of = |code: u32| self.transfer.light(f64::from(code) / top).max(0.0) as f32;
            let light: Arc<[f32]> = (0..1 << self.code_bits).map(light_of).collect();
            kept.insert(0, (self.transfer, self.code_bits, Arc::clone(&light)));
            kept.truncate(4);
            light
        });
        ChromaticityTable { weights: self.weights(), level_bits: self.level_bits(), light }
    }

    /// Returns the weights of red, green and blue light in both coordinates and in the sum that divides them, in units
    /// that make the largest sum of three weights about 2^16 - 1; and half the sum of each three.
    fn weights(&self) -> [[u32; 4]; 3] {
        let extent = self.extent();
        let to_xyz = self.primaries.to_xyz();
        let rows = weights_of(self.diagram);
        let rows: [[f64; 3]; 3] = std::array::from_fn(|at| {
            let unit = if at < 2 { extent } else { 1.0 };
            std::array::from_fn(|i| (0..3).map(|k| rows[at][k] * to_xyz[k][i]).sum::<f64>() / unit)
        });
        let most = rows.map(|row| row.iter().sum::<f64>()).into_iter().fold(0.0, f64::max);
        // No sum of products with light below 2^16 overflows.
        rows.map(|row| {
            let [red, green, blue] = row.map(|weight| (weight.max(0.0) / most * 65_534.0).round() as u32);
            [red, green, blue, (red + green + blue) / 2]
        })
    }
}

/// The light of each code, for a transfer function and bits per code.
type KeptLight = (Transfer, u32, Arc<[f32]>);

/// The bits of a number's exponent.
const EXPONENT: u32 = 0xff << 23;
/// The exponents of a number and of the power of two that brings it to 2^15 or more, and below 2^16, add up to this.
const EXPONENTS: u32 = (127 + 127 + 15) << 23;

/// The integer computation of a pixel's chromaticity.
#[derive(Debug, Clone, PartialEq)]
pub struct ChromaticityTable {
    /// Weights of red, green and blue light in the first and the second coordinate, and in the sum that divides both,
    /// each followed by half the sum of the three.
    pub weights: [[u32; 4]; 3],
    level_bits: u32,
    light: Arc<[f32]>,
}

impl Eq for ChromaticityTable {}

impl ChromaticityTable {
    /// Returns the linear light of each code, from 0 to 1.
    #[must_use]
    pub fn light(&self) -> &[f32] {
        &self.light
    }

    /// Returns the pair of levels of a pixel's R'G'B' codes.
    #[inline]
    #[must_use]
    pub fn of_codes(&self, rgb: [u32; 3]) -> [u32; 2] {
        let light = rgb.map(|code| self.light[code as usize]);
        let most = light[0].max(light[1]).max(light[2]);
        // The largest gets 16 bits. Multiplying by a power of two is exact. For black, it is any power.
        let power = f32::from_bits(EXPONENTS.wrapping_sub(most.to_bits() & EXPONENT));
        let light = light.map(|part| (part * power) as u32);
        // Light was rounded down, by a half on average.
        let [first, second, whole] =
            self.weights.map(|[red, green, blue, half]| red * light[0] + green * light[1] + blue * light[2] + half);
        let top = if most > 0.0 { (1 << self.level_bits) - 1 } else { 0 };
        let unit = whole >> self.level_bits;
        [first, second].map(|part| (part / unit).min(top))
    }
}

/// Chromaticities x and y of monochromatic light from 380 to 700 nm (CIE 1931 2\u{b0} observer).
pub const SPECTRUM: [[f64; 2]; 36] = [
    [0.1741, 0.0050],
    [0.1733, 0.0048],
    [0.1726, 0.0048],
    [0.1714, 0.0051],
    [0.1689, 0.0069],
    [0.1644, 0.0109],
    [0.1611, 0.0138],
    [0.1566, 0.0177],
    [0.1510, 0.0227],
    [0.1440, 0.0297],
    [0.1355, 0.0399],
    [0.1241, 0.0578],
    [0.1096, 0.0868],
    [0.0913, 0.1327],
    [0.0687, 0.2007],
    [0.0454, 0.2950],
    [0.0235, 0.4127],
    [0.0082, 0.5384],
    [0.0039, 0.6548],
    [0.0139, 0.7502],
    [0.0389, 0.8120],
    [0.0743, 0.8338],
    [0.1142, 0.8262],
    [0.1547, 0.8059],
    [0.1929, 0.7816],
    [0.2296, 0.7543],
    [0.3016, 0.6923],
    [0.3731, 0.6245],
    [0.4441, 0.5547],
    [0.5125, 0.4866],
    [0.5752, 0.4242],
    [0.6270, 0.3725],
    [0.6658, 0.3340],
    [0.6915, 0.3083],
    [0.7190, 0.2809],
    [0.7347, 0.2653],
];

/// The gamuts drawn in chromaticity diagrams.
pub const DRAWN_GAMUTS: [Primaries; 3] = [Primaries::Bt709, Primaries::Smpte432, Primaries::Bt2020];

#[cfg(test)]
mod tests {
    use super::*;

    const SDR: (Transfer, Primaries) = (Transfer::Bt1886, Primaries::Bt709);

    /// Compares with the chromaticities of BT.709 and of D65 in both diagrams.
    #[test]
    fn primaries_and_white_have_their_chromaticities_whatever_their_light() {
        let xy = [[0.64, 0.33], [0.30, 0.60], [0.15, 0.06], [0.3127, 0.3290]];
        let uv = [[0.4507, 0.5229], [0.125, 0.5625], [0.1754, 0.1579], [0.1978, 0.4683]];
        for (diagram, expected) in [(Diagram::Xy, xy), (Diagram::Uv, uv)] {
            for bits in [8, 10, 12] {
                let chromaticity = Chromaticity::new(diagram, SDR, bits);
                let (table, step) = (chromaticity.computation(), diagram.axis(chromaticity.level_bits()).unwrap().step);
                let top = (1 << bits) - 1;
                for code in [1, 2, 7, top / 3, top] {
                    let colours = [[code, 0, 0], [0, code, 0], [0, 0, code], [code; 3]];
                    for (colour, expected) in colours.into_iter().zip(expected) {
                        let found = table.of_codes(colour).map(|level| (f64::from(level) + 0.5) * step);
                        let is_near = (0..2).all(|part| (found[part] - expected[part]).abs() < 0.5 * step + 1e-4);
                        assert!(is_near, "{diagram:?} {bits} {colour:?}: {found:?}, not {expected:?}");
                    }
                }
                assert_eq!(table.of_codes([0; 3]), [0; 2], "black");
            }
        }
    }

    /// Adds up the largest errors of all roundings.
    #[test]
    fn rounding_moves_a_level_by_no_more_than_is_stated() {
        for (primaries, diagram) in DRAWN_GAMUTS.into_iter().flat_map(|own| [(own, Diagram::Xy), (own, Diagram::Uv)]) {
            let table = Chromaticity::new(diagram, (Transfer::Pq, primaries), 10).computation();
            let [first, second, whole] = table.weights.map(|[red, green, blue, _]| [red, green, blue].map(f64::from));
            let least = whole.into_iter().fold(f64::MAX, f64::min);
            for (part, coordinate) in
                [first, second].into_iter().flat_map(|part| [0.0, 0.25, 0.5, 0.75, 1.0].map(|at| (part, at)))
            {
                // Weights are off by at most a half, and so is light, the largest of which is at least 2^15. The
                // divisor is rounded down.
                let by_weights = 0.5 * (1.0 + coordinate) / least;
                let by_light =
                    (0..3).map(|at| 0.5 * (part[at] - coordinate * whole[at]).abs()).sum::<f64>() / (least * 32_768.0);
                let by_divisor = 512.0 / (least * 32_768.0);
                let off = 512.0 * (by_weights + by_light + by_divisor);
                assert!(off < 0.08, "{primaries:?} {diagram:?} {coordinate}: {off}");
            }
        }
    }

    #[test]
    fn no_light_of_any_primaries_overflows() {
        for primaries in (0..=22).filter_map(Primaries::of_number) {
            for diagram in [Diagram::Xy, Diagram::Uv] {
                let table = Chromaticity::new(diagram, (Transfer::Pq, primaries), 12).computation();
                for row in table.weights {
                    let [red, green, blue, half] = row.map(u64::from);
                    let most = (red + green + blue) * 0xffff + half;
                    assert!(most < 1 << 32, "{primaries:?} {diagram:?}: {row:?}");
                }
                for codes in (0..27).map(|n| [n % 3, n / 3 % 3, n / 9].map(|part| [0, 1, 4095][part])) {
                    assert!(table.of_codes(codes).iter().all(|&level| level < 512), "{primaries:?} {codes:?}");
                }
            }
        }
    }

    /// Compares with coordinates whose colours are known.
    #[test]
    fn coordinates_have_their_colours_back() {
        for diagram in [Diagram::Xy, Diagram::Uv] {
            let chromaticity = Chromaticity::new(diagram, SDR, 10);
            for (primary, xy) in Primaries::Bt709.chromaticities().into_iter().enumerate() {
                let [x, y] = chromaticity.place(xy).map(|level| (level + 0.5) / 512.0);
                let light = chromaticity.to_bt709().map(|row| row[0] * x + row[1] * y + row[2]);
                let most = light.into_iter().fold(0.0, f64::max);
                for (channel, part) in light.into_iter().enumerate() {
                    let expected = f64::from(u8::from(primary == 3 || primary == channel));
                    assert!((part / most - expected).abs() < 1e-9, "{diagram:?} {primary}: {light:?}");
                }
            }
        }
    }

    /// Compares with the definition in floating point, for dark and bright colours.
    #[test]
    fn dark_colours_are_as_precise_as_bright_ones() {
        let lights = [(Transfer::Pq, Primaries::Bt2020), (Transfer::Hlg, Primaries::Bt2020), SDR];
        for (light, bits) in lights.into_iter().flat_map(|light| [8, 10, 12].map(|bits| (light, bits))) {
            let chromaticity = Chromaticity::new(Diagram::Xy, light, bits);
            let (table, to_xyz) = (chromaticity.computation(), light.1.to_xyz());
            let (top, step) = ((1_u32 << bits) - 1, Diagram::Xy.axis(chromaticity.level_bits()).unwrap().step);
            for code in (1..top).filter(|code| *code < 64 || code % 61 == 0) {
                for rgb in [[code, code / 2, code], [code + 1, code, 0], [code / 3, code, top - code]] {
                    let light = rgb.map(|code| light.0.light(f64::from(code) / f64::from(top)));
                    let xyz = to_xyz.map(|row| row.iter().zip(light).map(|(weight, part)| weight * part).sum::<f64>());
                    let whole: f64 = xyz.iter().sum();
                    for (level, part) in table.of_codes(rgb).into_iter().zip(xyz) {
                        // A twentieth of a level of 9 bits.
                        let (exact, off) = (part / whole / step, 0.05 * 0.85 / 512.0 / step);
                        let is_near = f64::from(level) <= exact + off && f64::from(level + 1) >= exact - off;
                        assert!(is_near, "{bits} bits {rgb:?}: {level}, not {exact}");
                    }
                }
            }
        }
    }

    /// Pictures that are not supported, or whose matrix is not linear, have no R'G'B' as coded.
    #[test]
    fn only_codes_with_a_conversion_have_chromaticities() {
        use crate::picture::color::{Matrix, Range, UnreadableMatrix};
        use crate::scopes::Chroma;
        let diagram = |matrix| Chroma::coded(matrix, Range::Limited, 10).in_diagram(Diagram::Xy, SDR).diagram();
        assert_eq!(diagram(Matrix::Bt709), Diagram::Xy);
        assert_eq!(diagram(Matrix::Unreadable(UnreadableMatrix::Ictcp)), Diagram::CbCr);
    }
}
