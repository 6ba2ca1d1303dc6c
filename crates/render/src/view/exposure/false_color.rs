//! False colour: replaces the picture by flat colours that show the brightness of each pixel, according to a table of
//! percentages or of light.
//!
//! A single integer per pixel is looked up. For percentages, it has the depth in which bins are counted. For Y'CbCr and
//! gray it is Y' as coded, on the scale from black to white of the range in use (16 to 235 for 8 bits in limited
//! range). For R'G'B', which includes adjusted pictures, it is the luminance bin, on the scale of all codes. A band of
//! a table begins at the lowest code at or above its percentage and extends to the next band, so the first one includes
//! everything below 0 % and the last one everything above 100 %.
//!
//! For light, the integer is the value of [`LightMeter`], for HLG without its lowest bit. A band begins at the lowest
//! value with at least its light, or a millionth less for HLG, whose values are rounded down.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::level::{Level, nominal};
use histoscope_core::histogram::{LightMeter, LightScale};
use histoscope_core::picture::color::{Colorimetry, Conversion, Matrix, Range};
use histoscope_core::picture::layout::{ColorModel, PixelLayout};

/// Maximum number of bands in a table.
pub const MAX_BANDS: usize = 10;

/// The assignment of colours to percentages or light.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FalseColorTable {
    /// As on cameras: purple where shadows are lost, green for middle gray, pink for skin, red where it clips.
    #[default]
    Camera,
    /// Ten equal steps, each brighter than the one below, so that they can be told apart with any kind of colour
    /// vision.
    Steps,
    /// Eight steps of light in cd/m², for PQ and HLG, whose light is known.
    Light,
}

/// The unit in which the legend shows where colours begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Percent from black to white.
    #[default]
    Percent,
    /// Codes at the picture's own depth.
    Codes,
}

/// The settings of false colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FalseColor {
    /// `true` if false colour is shown.
    pub shown: bool,
    /// The table.
    pub table: FalseColorTable,
    /// The unit in the legend.
    pub unit: Unit,
}

/// The appearance of the pixels in a band.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// The gray of their own value.
    Gray,
    /// A flat colour, with a name in some tables.
    Flat([u8; 3], &'static str),
}

/// A band of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColorBand {
    /// Start of the band in tenths of a percent or of a cd/m²; the first band begins below everything.
    pub from_tenths: i32,
    /// The appearance of its pixels.
    pub paint: Paint,
}

const fn gray(from_tenths: i32) -> ColorBand {
    ColorBand { from_tenths, paint: Paint::Gray }
}

const fn flat(from_tenths: i32, color: [u8; 3], name: &'static str) -> ColorBand {
    ColorBand { from_tenths, paint: Paint::Flat(color, name) }
}

const CAMERA: [ColorBand; 9] = [
    flat(i32::MIN, [138, 0, 178], "purple"),
    flat(25, [0, 84, 255], "blue"),
    gray(40),
    flat(380, [38, 172, 66], "green"),
    gray(420),
    flat(520, [255, 138, 190], "pink"),
    gray(560),
    flat(970, [255, 230, 0], "yellow"),
    flat(990, [232, 14, 22], "red"),
];

/// The contrast ratio between neighbouring steps is constant, about 1.4.
const STEPS: [ColorBand; 10] = [
    flat(i32::MIN, [30, 0, 59], ""),
    flat(100, [52, 2, 141], ""),
    flat(200, [1, 57, 164], ""),
    flat(300, [1, 93, 135], ""),
    flat(400, [4, 121, 121], ""),
    flat(500, [9, 149, 98], ""),
    flat(600, [57, 178, 12], ""),
    flat(700, [184, 190, 15], ""),
    flat(800, [254, 204, 135], ""),
    flat(900, [254, 248, 208], ""),
];

/// Colours of [`STEPS`].
const LIGHT: [ColorBand; 8] = [
    flat(i32::MIN, [30, 0, 59], ""),
    flat(1, [52, 2, 141], ""),
    flat(10, [1, 57, 164], ""),
    flat(100, [4, 121, 121], ""),
    flat(1000, [57, 178, 12], ""),
    flat(2030, [184, 190, 15], ""),
    flat(10_000, [254, 204, 135], ""),
    flat(40_000, [254, 248, 208], ""),
];

impl FalseColorTable {
    /// Every table, in the order in which a key cycles through them.
    pub const ALL: [Self; 3] = [Self::Camera, Self::Steps, Self::Light];

    /// Returns the table that is used for pictures with this light: the default one instead of a table of light if the
    /// light is unknown.
    #[must_use]
    pub fn for_light(self, light: Option<LightScale>) -> Self {
        if self == Self::Light && light.is_none() { Self::default() } else { self }
    }

    /// Returns the bands, at most ten, starting with the darkest.
    #[must_use]
    pub const fn bands(self) -> &'static [ColorBand] {
        match self {
            Self::Camera => &CAMERA,
            Self::Steps => &STEPS,
            Self::Light => &LIGHT,
        }
    }

    /// Returns the name used on the command line and on a button.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Camera => "camera",
            Self::Steps => "steps",
            Self::Light => "light",
        }
    }

    /// Returns a short description.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Camera => "camera scale",
            Self::Steps => "ten equal steps",
            Self::Light => "light in cd/m²",
        }
    }

    /// Describes the meaning of each colour.
    #[must_use]
    pub fn description(self) -> String {
        match self {
            Self::Camera => {
                let bands = self.bands();
                let named = bands.iter().enumerate().filter_map(|(index, band)| match band.paint {
                    Paint::Flat(_, name) => Some(format!("{name} {} %", values(bands, index))),
                    Paint::Gray => None,
                });
                format!("{}, else gray", named.collect::<Vec<_>>().join(", "))
            }
            Self::Steps => "ten equal steps of 10 %, from violet through blue, green and yellow to cream".to_owned(),
            Self::Light => {
                "light in cd/m², from violet below 0.1 through blue (from 1), teal (10), green (100), yellow \
                            (203) and peach (1000) to cream (4000)"
                    .to_owned()
            }
        }
    }
}

impl fmt::Display for FalseColorTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for FalseColorTable {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|table| table.name() == text);
        found.ok_or_else(|| format!("unknown false-colour table '{text}'; use camera, steps or light"))
    }
}

/// Returns the percentages or the light of a band: `< 2.5`, `38–42`, `≥ 99`.
#[must_use]
pub fn values(bands: &[ColorBand], index: usize) -> String {
    let value = |band: &ColorBand| (f64::from(band.from_tenths) / 10.0).to_string();
    match (index, bands.get(index + 1)) {
        (0, Some(next)) => format!("< {}", value(next)),
        (_, Some(next)) => format!("{}–{}", value(&bands[index]), value(next)),
        (_, None) => format!("≥ {}", value(&bands[index])),
    }
}

/// The integer of a pixel that a table is looked up by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TintMeasure {
    /// Its Y' as coded.
    Luma,
    /// Its luminance bin.
    Luminance,
    /// Its light, as this measures it.
    Light(&'static LightMeter),
}

/// A table resolved for the codes of pictures with the same layout and colorimetry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tint {
    /// The integer that is looked up.
    pub measure: TintMeasure,
    /// The code of 0 %.
    pub black: i32,
    /// The code of 100 %.
    pub white: i32,
    /// The table.
    pub table: FalseColorTable,
    /// The lowest value of each band; after the last one, numbers that no value reaches.
    pub lowest: [i32; MAX_BANDS],
}

impl Tint {
    /// Resolves a table for the codes of pictures of this layout and colorimetry, whose light is `light` if it is
    /// known.
    #[must_use]
    pub fn new(
        table: FalseColorTable,
        layout: &PixelLayout,
        colorimetry: &Colorimetry,
        light: Option<LightScale>,
    ) -> Self {
        let bits = layout.bin_bits();
        let table = table.for_light(light);
        // Y'CbCr planes that are interpreted as G', B' and R' have no luma.
        let has_luma = layout.model != ColorModel::Rgb && colorimetry.matrix.value != Matrix::Identity;
        let measure = match light.filter(|_| table == FalseColorTable::Light) {
            Some(scale) => TintMeasure::Light(LightMeter::kept(scale, bits)),
            None if has_luma => TintMeasure::Luma,
            None => TintMeasure::Luminance,
        };
        let range = if measure == TintMeasure::Luma { colorimetry.range.value } else { Range::Full };
        let [black, white, _] = nominal(range, bits);
        let mut lowest = [i32::MAX; MAX_BANDS];
        for (lowest, band) in lowest.iter_mut().zip(table.bands()) {
            *lowest = match (band.from_tenths, measure) {
                (i32::MIN, _) => i32::MIN,
                (tenths, TintMeasure::Light(meter)) => lowest_of_light(meter, f64::from(tenths) / 10.0),
                (permille, _) => Level::Permille(permille).code(black, white, true),
            };
        }
        Self { measure, black, white, table, lowest }
    }

    /// Returns the value of a pixel with these component codes.
    #[inline(always)]
    #[must_use]
    pub fn value(&self, codes: [u32; 3], conversion: &Conversion) -> u32 {
        let rgb = || {
            let rgb = conversion.unclamped(codes.map(|code| code as i32));
            rgb.map(|code| code.clamp(0, conversion.max_code()) as u32)
        };
        match self.measure {
            TintMeasure::Luma => codes[0],
            TintMeasure::Luminance => conversion.luminance_bin(rgb()),
            TintMeasure::Light(meter) => meter.value(rgb()) >> unused_bits(meter),
        }
    }

    /// Returns the number of the band of pixels with that value.
    #[inline(always)]
    #[must_use]
    pub fn band(&self, value: u32) -> usize {
        let lowest = &self.lowest[..self.table.bands().len()];
        lowest.iter().rposition(|&lowest| value as i32 >= lowest).unwrap_or(0)
    }

    /// Returns the colour of pixels with that value.
    #[must_use]
    pub fn color(&self, value: u32) -> [u8; 3] {
        match self.table.bands()[self.band(value)].paint {
            Paint::Flat(color, _) => color,
            Paint::Gray => {
                let span = self.white - self.black;
                let part = (value as i32 - self.black).clamp(0, span);
                [((part * 510 + span) / (2 * span)) as u8; 3]
            }
        }
    }

    /// Returns the codes of a band, both ends included: `≤ 85`, `144–156`, `≥ 929`.
    #[must_use]
    pub fn codes(&self, index: usize) -> String {
        match (index, self.table.bands().get(index + 1)) {
            (0, _) => format!("≤ {}", self.lowest[1] - 1),
            (_, Some(_)) if self.lowest[index] == self.lowest[index + 1] - 1 => self.lowest[index].to_string(),
            (_, Some(_)) => format!("{}–{}", self.lowest[index], self.lowest[index + 1] - 1),
            (_, None) => format!("≥ {}", self.lowest[index]),
        }
    }
}

/// Returns how many of the lowest bits of a meter's values are not used, so that values are positive as 32-bit
/// integers.
const fn unused_bits(meter: &LightMeter) -> u32 {
    if meter.is_by_code() { 0 } else { 1 }
}

/// Returns the lowest value with at least this light in cd/m²; the largest number if none has.
fn lowest_of_light(meter: &LightMeter, light: f64) -> i32 {
    let unused = unused_bits(meter);
    let (end, least) =
        if meter.is_by_code() { (1 << meter.bits(), light) } else { (1_u32 << 31, light * (1.0 - 1e-6)) };
    // Light rises with the value.
    let (mut low, mut high) = (0, end);
    while low < high {
        let middle = low + (high - low) / 2;
        if meter.light(middle << unused) < least { low = middle + 1 } else { high = middle }
    }
    if low == end { i32::MAX } else { low as i32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::picture::luminance::LuminanceWeights;

    fn color(matrix: Matrix, range: Range) -> Colorimetry {
        Colorimetry::tagged(matrix, range)
    }

    /// Returns the name of the band of a percentage, as documented.
    fn named(percent: f64) -> &'static str {
        match percent {
            p if p < 2.5 => "purple",
            p if p < 4.0 => "blue",
            p if (38.0..42.0).contains(&p) => "green",
            p if (52.0..56.0).contains(&p) => "pink",
            p if (97.0..99.0).contains(&p) => "yellow",
            p if p >= 99.0 => "red",
            _ => "gray",
        }
    }

    #[test]
    fn every_code_of_every_depth_has_the_colour_of_its_percent() {
        let mut seen = std::collections::BTreeMap::new();
        for (depth, range) in [8, 10, 12].into_iter().flat_map(|depth| [(depth, Range::Limited), (depth, Range::Full)])
        {
            let layout = PixelLayout::planar_ycbcr(depth, (1, 1));
            let tint = Tint::new(FalseColorTable::Camera, &layout, &color(Matrix::Bt709, range), None);
            let unit = 1_i32 << (depth - 8);
            let (black, white) = match range {
                Range::Limited => (16 * unit, 235 * unit),
                Range::Full => (0, (256 * unit) - 1),
            };
            for code in 0..1_u32 << depth {
                let percent = f64::from(code as i32 - black) * 100.0 / f64::from(white - black);
                let name = named(percent);
                *seen.entry(name).or_insert(0) += 1;
                let expected = CAMERA.iter().find_map(|band| match band.paint {
                    Paint::Flat(color, of) if of == name => Some(color),
                    _ => None,
                });
                let level = f64::from((code as i32 - black) * 255) / f64::from(white - black);
                let level = level.clamp(0.0, 255.0).round() as u8;
                assert_eq!(tint.color(code), expected.unwrap_or([level; 3]), "{depth} bits {range:?} code {code}");
            }
        }
        assert_eq!(seen.len(), 7, "{seen:?}");
    }

    #[test]
    fn luminance_decides_for_rgb_and_the_code_for_luma() {
        let limited = color(Matrix::Bt709, Range::Limited);
        let ycbcr = PixelLayout::planar_ycbcr(8, (1, 1));
        let tint = |layout: &PixelLayout, color: &Colorimetry| Tint::new(FalseColorTable::Camera, layout, color, None);
        let value = |layout: &PixelLayout, color: &Colorimetry, codes| {
            tint(layout, color).value(codes, &Conversion::new(layout, color))
        };
        assert_eq!(value(&ycbcr, &limited, [77, 3, 250]), 77, "whatever the chroma");
        let rgb = PixelLayout::packed_rgb(8, [0, 1, 2], 3);
        let full = color(Matrix::Identity, Range::Full);
        assert_eq!(value(&rgb, &full, [255, 0, 0]), LuminanceWeights::Bt709.bin([255, 0, 0], 8));
        let planes = PixelLayout::planar_ycbcr(8, (0, 0));
        assert_eq!(
            value(&planes, &full, [255, 0, 0]),
            LuminanceWeights::Bt709.bin([0, 255, 0], 8),
            "G', B' and R' planes"
        );
        assert_eq!(tint(&planes, &full).measure, TintMeasure::Luminance);
        assert_eq!(tint(&PixelLayout::gray(8), &limited).measure, TintMeasure::Luma);
        assert_eq!((tint(&rgb, &full).black, tint(&rgb, &full).white), (0, 255));
        assert_eq!((tint(&ycbcr, &limited).black, tint(&ycbcr, &limited).white), (16, 235));
    }

    #[test]
    fn the_outermost_colours_extend_below_black_and_above_white() {
        let layout = PixelLayout::planar_ycbcr(10, (1, 1));
        for table in FalseColorTable::ALL {
            let tint = Tint::new(table, &layout, &color(Matrix::Bt709, Range::Limited), None);
            assert_eq!([0, 4].map(|code| tint.color(code)), [tint.color(64); 2]);
            assert_eq!([1019, 1023].map(|code| tint.color(code)), [tint.color(940); 2]);
        }
    }

    fn relative_luminance(color: [u8; 3]) -> f64 {
        let linear = |code: u8| (f64::from(code) / 255.0).powf(2.2);
        0.2126 * linear(color[0]) + 0.7152 * linear(color[1]) + 0.0722 * linear(color[2])
    }

    #[test]
    fn equal_steps_can_be_told_apart_by_brightness_only() {
        for table in [FalseColorTable::Steps, FalseColorTable::Light] {
            let light = |band: &ColorBand| match band.paint {
                Paint::Flat(color, _) => relative_luminance(color) + 0.05,
                Paint::Gray => 0.0,
            };
            let lights: Vec<_> = table.bands().iter().map(light).collect();
            for pair in lights.windows(2) {
                assert!(pair[1] / pair[0] > 1.3, "{lights:?}");
            }
        }
        let starts: Vec<_> = STEPS.iter().skip(1).map(|band| band.from_tenths).collect();
        assert_eq!(starts, (1..10).map(|step| step * 100).collect::<Vec<_>>());
    }

    #[test]
    fn bands_are_described_in_percent_and_in_codes() {
        let layout = PixelLayout::planar_ycbcr(8, (1, 1));
        let tint = Tint::new(FalseColorTable::Camera, &layout, &color(Matrix::Bt709, Range::Limited), None);
        let told = |index| (values(&CAMERA, index), tint.codes(index));
        // 2.5 % of 219 is 5.475, 4 % is 8.76, 38 % is 83.22 and 42 % is 91.98; 99 % is 216.81.
        assert_eq!(told(0), ("< 2.5".to_owned(), "≤ 21".to_owned()));
        assert_eq!(told(1), ("2.5–4".to_owned(), "22–24".to_owned()));
        assert_eq!(told(3), ("38–42".to_owned(), "100–107".to_owned()));
        assert_eq!(told(8), ("≥ 99".to_owned(), "≥ 233".to_owned()));
        let words = "purple < 2.5 %, blue 2.5–4 %, green 38–42 %, pink 52–56 %, yellow 97–99 %, red ≥ 99 %, else gray";
        assert_eq!(FalseColorTable::Camera.description(), words);
        assert_eq!("steps".parse(), Ok(FalseColorTable::Steps));
        assert!("x".parse::<FalseColorTable>().is_err());
    }

    #[test]
    fn bands_of_light_begin_at_the_lowest_value_that_has_it() {
        let layout = PixelLayout::packed_rgb(10, [0, 1, 2], 6);
        let full = color(Matrix::Identity, Range::Full);
        let tint = |light| Tint::new(FalseColorTable::Light, &layout, &full, light);
        let pq = tint(Some(LightScale::Pq));
        // NumPy: the lowest of 1024 codes with at least 0.1, 1, 10, 100, 203, 1000 and 4000 cd/m².
        assert_eq!(pq.lowest[1..8], [64, 154, 307, 520, 595, 770, 924]);
        let conversion = Conversion::new(&layout, &full);
        assert_eq!(pq.value([3, 700, 20], &conversion), 700, "the largest decides");
        let hlg = tint(Some(LightScale::Hlg { peak: 1000 }));
        let light_of = |code: u32| LightScale::Hlg { peak: 1000 }.light([f64::from(code) / 1023.0; 3]);
        for code in 0..1024 {
            let band = hlg.band(hlg.value([code; 3], &conversion));
            let expected = LIGHT.iter().rposition(|band| light_of(code) * 10.0 >= f64::from(band.from_tenths));
            assert_eq!(Some(band), expected, "code {code}: {} cd/m²", light_of(code));
        }
        assert_eq!(hlg.lowest[7], i32::MAX, "no display of 1000 cd/m² shows 4000");
        assert_eq!(tint(None).table, FalseColorTable::Camera, "the light of SDR is unknown");
        let told = [0, 1, 4, 7].map(|index| values(&LIGHT, index));
        assert_eq!(told, ["< 0.1", "0.1–1", "100–203", "≥ 4000"]);
    }
}
