//! What the picture itself tells of its exposure: zebras over what is bright, and marks on what is clipped or out of range.
//!
//! [`Inspection::look`] is the definition: it says of a pixel's codes whether it is striped and which channels are marked, in
//! integers. [`Inspection::painted`] says how that looks. The shader of the picture and the CPU's painter do the same.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::brush::dimmed;
use super::overlay::lights;
use crate::histogram::Components;
use crate::histogram::limits::Limits;
use crate::picture::color::{Colorimetry, Conversion, Range, luminance_bin};
use crate::picture::layout::{ColorModel, PixelLayout};

/// A level of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Level {
    /// Tenths of a percent from black to white in the range that is in use.
    Permille(i32),
    /// A code at the picture's own depth.
    Code(u32),
}

/// Which values of a channel are marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum MarkLimits {
    /// What is at the outermost codes of red, green and blue, since it was clipped or out of range; of code values, what is outside
    /// the nominal range.
    #[default]
    Clipped,
    /// What is outside the limits of EBU R 103.
    R103,
    /// What is at or below the one level, and at or above the other.
    Own(Level, Level),
}

impl MarkLimits {
    /// Levels of one's own before anybody has chosen them.
    pub const OWN_AT_FIRST: [Level; 2] = [Level::Permille(0), Level::Permille(1000)];

    /// The kind of limits after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::Clipped => Self::R103,
            Self::R103 => Self::Own(Self::OWN_AT_FIRST[0], Self::OWN_AT_FIRST[1]),
            Self::Own(..) => Self::Clipped,
        }
    }
}

/// Which of it is shown, and from where on. All of it lasts from one run to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Exposure {
    /// Whether zebras are shown.
    pub zebra: bool,
    /// From where on.
    pub level: Level,
    /// Whether marks are shown.
    pub marks: bool,
    /// On what.
    pub limits: MarkLimits,
}

impl Default for Exposure {
    fn default() -> Self {
        Self { zebra: false, level: Level::Permille(950), marks: false, limits: MarkLimits::default() }
    }
}

impl Exposure {
    /// Whether anything is shown.
    #[must_use]
    pub const fn is_on(&self) -> bool {
        self.zebra || self.marks
    }

    /// What is shown on the picture, in words; nothing where it is as it is.
    #[must_use]
    pub fn told(&self) -> Option<String> {
        let zebra = self.zebra.then(|| format!("zebras from {}", self.level.text()));
        let marks = self.marks.then(|| format!("marked: {} (high solid, low chequered)", self.limits.text()));
        let texts: Vec<_> = zebra.into_iter().chain(marks).collect();
        (!texts.is_empty()).then(|| texts.join("; "))
    }
}

/// What somebody asks for in place of what was kept: each thing that is asked for is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExposureChoice {
    /// Zebras, and from where on.
    pub zebra: Option<Level>,
    /// Marks, and on what.
    pub marks: Option<MarkLimits>,
}

impl ExposureChoice {
    /// What is shown then.
    #[must_use]
    pub fn over(self, kept: Exposure) -> Exposure {
        Exposure {
            zebra: kept.zebra || self.zebra.is_some(),
            level: self.zebra.unwrap_or(kept.level),
            marks: kept.marks || self.marks.is_some(),
            limits: self.marks.unwrap_or(kept.limits),
        }
    }
}

/// Percent that levels may have: what codes beyond black and white reach.
const PERMILLES: std::ops::RangeInclusive<i32> = -100..=1100;
/// The highest code that there is.
const MOST_CODE: u32 = 4095;

impl Level {
    /// The level in words, as people read it.
    #[must_use]
    pub fn text(self) -> String {
        match self {
            Self::Permille(tenths) if tenths % 10 == 0 => format!("{} %", tenths / 10),
            Self::Permille(tenths) => format!("{:.1} %", f64::from(tenths) / 10.0),
            Self::Code(code) => format!("code {code}"),
        }
    }

    /// The next whole percent up or down, or the next code of so many bits.
    #[must_use]
    pub fn stepped(self, more: bool, bits: u32) -> Self {
        match self {
            Self::Permille(tenths) => {
                let percent = if more { tenths.div_euclid(10) + 1 } else { (tenths - 1).div_euclid(10) };
                Self::Permille((10 * percent).clamp(0, 1000))
            }
            Self::Code(code) => {
                let next = if more { code + 1 } else { code.saturating_sub(1) };
                Self::Code(next.min((1 << bits) - 1))
            }
        }
    }

    /// The code of a signal from `black` to `white` at the level, rounded up or down to the next code.
    fn code(self, black: i32, white: i32, up: bool) -> i32 {
        match self {
            Self::Code(code) => code as i32,
            Self::Permille(tenths) => {
                let part = (white - black) * tenths;
                black + part.div_euclid(1000) + i32::from(up && part.rem_euclid(1000) > 0)
            }
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Permille(tenths) => write!(f, "{}%", f64::from(*tenths) / 10.0),
            Self::Code(code) => write!(f, "{code}c"),
        }
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "'{text}' is no level; write percent from -10 to 110 (95 or 95%), or a code at the video's depth with a c (243c)"
            )
        };
        if let Some(code) = text.strip_suffix('c') {
            let code: u32 = code.parse().map_err(|_| wrong())?;
            return if code <= MOST_CODE { Ok(Self::Code(code)) } else { Err(wrong()) };
        }
        let percent: f64 = text.strip_suffix('%').unwrap_or(text).trim_end().parse().map_err(|_| wrong())?;
        let tenths = (percent * 10.0).round();
        let is_possible = tenths >= f64::from(*PERMILLES.start()) && tenths <= f64::from(*PERMILLES.end());
        if is_possible { Ok(Self::Permille(tenths as i32)) } else { Err(wrong()) }
    }
}

impl MarkLimits {
    /// What is marked, in words.
    #[must_use]
    pub fn text(self) -> String {
        match self {
            Self::Clipped => "clipped or out of range".to_owned(),
            Self::R103 => "outside EBU R 103".to_owned(),
            Self::Own(low, high) => format!("up to {} and from {}", low.text(), high.text()),
        }
    }
}

impl fmt::Display for MarkLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clipped => f.write_str("clipped"),
            Self::R103 => f.write_str("r103"),
            Self::Own(low, high) => write!(f, "{low},{high}"),
        }
    }
}

impl FromStr for MarkLimits {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.split_once(',')) {
            ("clipped", _) => Ok(Self::Clipped),
            ("r103", _) => Ok(Self::R103),
            (_, Some((low, high))) => Ok(Self::Own(low.parse()?, high.parse()?)),
            _ => Err(format!("'{text}' says nothing of what is marked; write clipped, r103, or two levels (2%,98%)")),
        }
    }
}

/// Texts of settings, by the same words as on the command line.
macro_rules! as_text {
    ($($name:ty),*) => {$(
        impl TryFrom<String> for $name {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> Self {
                value.to_string()
            }
        }
    )*};
}
as_text!(Level, MarkLimits);

/// What is shown of the exposure of pictures that are read alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inspection {
    /// The lowest tone that is striped, if any is.
    pub zebra: Option<u32>,
    /// Whether a pixel's tone is its Y' as coded, and not its luminance.
    pub is_tone_coded: bool,
    /// What is marked, if anything is.
    pub marks: Option<Marks>,
    conversion: Conversion,
}

/// The values of three channels that are not marked: from `low` up to but not including `high`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marks {
    /// The lowest value of each channel that is not marked.
    pub low: [i32; 3],
    /// The lowest value above those.
    pub high: [i32; 3],
    /// Whether the channels are Y', Cb and Cr as coded; else red, green and blue in the fixed point of
    /// [`Conversion::sums`].
    pub is_coded: bool,
}

/// What there is to be seen of a pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Seen {
    /// Whether it is striped.
    pub zebra: bool,
    /// Whether stripes on it are dark, because it is light.
    pub is_light: bool,
    /// Which channels are marked as low.
    pub below: [bool; 3],
    /// Which are marked as high.
    pub above: [bool; 3],
}

impl Seen {
    /// Whether anything of it is marked.
    #[must_use]
    pub fn is_marked(&self) -> bool {
        self.below.iter().chain(&self.above).any(|&is| is)
    }
}

/// Light of a channel's mark where it is high, and where it is low in the light and the dark cells of a chequered pattern, in
/// 256ths.
pub const MARK_LIGHTS: [u32; 3] = [256, 186, 96];
/// How far the picture behind marks dims, in 256ths.
pub const MARK_DIMMING: u32 = 192;
/// What is left of a picture under a stripe, in 256ths, and the light of a light stripe, of 255.
pub const STRIPE: [u32; 2] = [64, 191];

/// Width of a stripe on a view of so many rows, in pixels along a row.
#[must_use]
pub fn stripe_pixels(rows: u32) -> u32 {
    (rows / 180).clamp(3, 16)
}

/// The colours of the marks of three channels.
#[must_use]
pub fn mark_colors(is_coded: bool) -> [[u32; 3]; 3] {
    let lights = lights(if is_coded { Components::YCbCr } else { Components::Rgbl });
    std::array::from_fn(|channel| lights[channel].map(|part| (part * 255.0).round() as u32))
}

impl Exposure {
    /// What is shown of pictures of this layout and colorimetry, of which those components are counted; nothing where nothing
    /// is on.
    ///
    /// The level of zebras is compared with the luminance bin, so that as many pixels are striped as the histogram has from there on;
    /// where code values are counted, with Y'.
    #[must_use]
    pub fn of(&self, layout: &PixelLayout, colorimetry: &Colorimetry, components: Components) -> Option<Inspection> {
        if !self.zebra && !self.marks {
            return None;
        }
        let conversion = Conversion::new(layout, colorimetry);
        let is_coded = components == Components::YCbCr && layout.model != ColorModel::Rgb;
        let range = if is_coded { colorimetry.range.value } else { Range::Full };
        let [black, white, _] = nominal(range, conversion.bits);
        let zebra = self.zebra.then(|| self.level.code(black, white, true).max(0) as u32);
        let marks = self.marks.then(|| match self.limits {
            MarkLimits::R103 => Marks::of_colors(Limits::r103(&conversion)),
            _ if is_coded => self.coded_marks(range, conversion.bits, layout.component_count()),
            MarkLimits::Clipped => Marks::of_colors(Limits::clipped(&conversion)),
            MarkLimits::Own(low, high) => Marks::of_colors(Limits {
                low: (low.code(0, conversion.max_code(), false) + 1) << conversion.shift,
                high: high.code(0, conversion.max_code(), true) << conversion.shift,
            }),
        });
        Some(Inspection { zebra, is_tone_coded: is_coded, marks, conversion })
    }

    /// The marks of Y', Cb and Cr as coded, of which the picture has so many.
    fn coded_marks(&self, range: Range, bits: u32, count: usize) -> Marks {
        let [black, white, chroma_top] = nominal(range, bits);
        let bounds = |channel: usize| {
            let top = if channel == 0 { white } else { chroma_top };
            match (self.limits, range) {
                // Code values that are not out of range are not clipped either.
                (MarkLimits::Own(low, high), _) => (low.code(black, top, false) + 1, high.code(black, top, true)),
                (_, Range::Limited) => (black, top + 1),
                (_, Range::Full) => (black + 1, top),
            }
        };
        let bounds: [_; 3] = std::array::from_fn(|c| if c < count { bounds(c) } else { (i32::MIN, i32::MAX) });
        Marks { low: bounds.map(|(low, _)| low), high: bounds.map(|(_, high)| high), is_coded: true }
    }
}

/// Codes of black, of white, and of the highest chroma.
const fn nominal(range: Range, bits: u32) -> [i32; 3] {
    let unit = 1 << (bits - 8);
    match range {
        Range::Limited => [16 * unit, 235 * unit, 240 * unit],
        Range::Full => [0, (1 << bits) - 1, (1 << bits) - 1],
    }
}

impl Marks {
    const fn of_colors(limits: Limits) -> Self {
        Self { low: [limits.low; 3], high: [limits.high; 3], is_coded: false }
    }
}

impl Inspection {
    /// What there is to be seen of a pixel with these component codes.
    #[inline(always)]
    #[must_use]
    pub fn look(&self, codes: [u32; 3]) -> Seen {
        let Conversion { shift, bits, .. } = self.conversion;
        let top = self.conversion.max_code();
        let sums = self.conversion.sums(codes.map(|code| code as i32));
        let luminance = luminance_bin(sums.map(|sum| (sum >> shift).clamp(0, top) as u32), bits);
        let tone = if self.is_tone_coded { codes[0] } else { luminance };
        let mut seen = Seen {
            zebra: self.zebra.is_some_and(|lowest| tone >= lowest),
            is_light: luminance >> (bits - 1) > 0,
            ..Seen::default()
        };
        if let Some(marks) = &self.marks {
            let values = if marks.is_coded { codes.map(|code| code as i32) } else { sums };
            seen.below = std::array::from_fn(|channel| values[channel] < marks.low[channel]);
            seen.above = std::array::from_fn(|channel| values[channel] >= marks.high[channel]);
        }
        seen
    }

    /// The colour of the view's pixel in that column and row, from what it would be without, with stripes so wide.
    #[inline(always)]
    #[must_use]
    pub fn painted(&self, rgb: [u8; 3], seen: &Seen, (x, y): (u32, u32), stripe: u32) -> [u8; 3] {
        let mut color = rgb;
        if let Some(marks) = &self.marks {
            if seen.is_marked() {
                return mark(marks, seen, (x, y), stripe);
            }
            color = dimmed(color, MARK_DIMMING);
        }
        if seen.zebra && ((x + y) / stripe).is_multiple_of(2) {
            let [left, light] = STRIPE;
            let light = if seen.is_light { 0 } else { light };
            color = color.map(|code| ((u32::from(code) * left + light * (256 - left) + 128) >> 8) as u8);
        }
        color
    }
}

/// The marks of all channels, which mix as light does.
#[inline(always)]
fn mark(marks: &Marks, seen: &Seen, (x, y): (u32, u32), stripe: u32) -> [u8; 3] {
    let cell = (stripe / 2).max(1);
    let [high, light, dark] = MARK_LIGHTS;
    let low = if (x / cell + y / cell).is_multiple_of(2) { light } else { dark };
    let colors = mark_colors(marks.is_coded);
    std::array::from_fn(|part| {
        let parts = (0..3).map(|channel| {
            let level = if seen.above[channel] {
                high
            } else if seen.below[channel] {
                low
            } else {
                0
            };
            (colors[channel][part] * level + 128) >> 8
        });
        parts.max().unwrap_or(0) as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::color::{Matrix, Sourced};

    fn exposure(limits: MarkLimits, level: Level) -> Exposure {
        Exposure { zebra: true, level, marks: true, limits }
    }

    fn color(range: Range) -> Colorimetry {
        Colorimetry { matrix: Sourced::tagged(Matrix::Bt709), range: Sourced::tagged(range) }
    }

    #[test]
    fn what_is_on_the_picture_is_told() {
        let plain = Exposure::default();
        assert_eq!(plain.told(), None);
        let zebra = Exposure { zebra: true, level: Level::Code(700), ..plain };
        assert_eq!(zebra.told().as_deref(), Some("zebras from code 700"));
        let both = Exposure { marks: true, limits: MarkLimits::R103, ..zebra };
        let text = "zebras from code 700; marked: outside EBU R 103 (high solid, low chequered)";
        assert_eq!(both.told().as_deref(), Some(text));
    }

    #[test]
    fn levels_and_limits_are_read_as_they_are_written() {
        for text in ["95%", "-5%", "105%", "0%", "99.5%", "243c", "0c", "4095c"] {
            assert_eq!(text.parse::<Level>().map(|level| level.to_string()).as_deref(), Ok(text));
        }
        assert_eq!("95".parse(), Ok(Level::Permille(950)));
        assert_eq!("70 %".parse(), Ok(Level::Permille(700)));
        for text in ["", "%", "x", "5000c", "-1c", "111", "-11%", "nan", "1e9"] {
            assert!(text.parse::<Level>().is_err(), "{text}");
        }
        for text in ["clipped", "r103", "2%,98%", "16c,235c"] {
            assert_eq!(text.parse::<MarkLimits>().map(|limits| limits.to_string()).as_deref(), Ok(text));
        }
        assert!("5%".parse::<MarkLimits>().is_err() && "a,b".parse::<MarkLimits>().is_err());
        assert_eq!((Level::Permille(950).text(), Level::Permille(-55).text()), ("95 %".into(), "-5.5 %".into()));
    }

    #[test]
    fn a_level_is_stepped_by_whole_percent_or_by_codes_and_stays_inside() {
        let step = |level: Level, more| level.stepped(more, 10);
        assert_eq!(
            [true, false].map(|more| step(Level::Permille(950), more)),
            [Level::Permille(960), Level::Permille(940)]
        );
        assert_eq!(
            [true, false].map(|more| step(Level::Permille(955), more)),
            [Level::Permille(960), Level::Permille(950)]
        );
        assert_eq!(
            (step(Level::Permille(1000), true), step(Level::Permille(0), false)),
            (Level::Permille(1000), Level::Permille(0))
        );
        assert_eq!([true, false].map(|more| step(Level::Code(700), more)), [Level::Code(701), Level::Code(699)]);
        assert_eq!((step(Level::Code(1023), true), step(Level::Code(0), false)), (Level::Code(1023), Level::Code(0)));
        assert_eq!(Level::Code(4000).stepped(true, 8), Level::Code(255), "chosen for a deeper picture");
        let own = MarkLimits::Own(Level::Permille(0), Level::Permille(1000));
        assert_eq!(
            [MarkLimits::Clipped, MarkLimits::R103, own].map(MarkLimits::next),
            [MarkLimits::R103, own, MarkLimits::Clipped]
        );
    }

    #[test]
    fn settings_are_kept_as_words() {
        let kept = exposure(MarkLimits::Own(Level::Permille(20), Level::Code(940)), Level::Code(900));
        let text = serde_json::to_string(&kept).unwrap();
        assert_eq!(text, r#"{"zebra":true,"level":"900c","marks":true,"limits":"2%,940c"}"#);
        assert_eq!(serde_json::from_str::<Exposure>(&text).unwrap(), kept);
        assert_eq!(serde_json::from_str::<Exposure>("{}").unwrap(), Exposure::default());
    }

    #[test]
    fn percent_are_those_of_the_range_in_use() {
        let layout = PixelLayout::planar_ycbcr(10, (1, 1));
        let lowest = |range, components, level| {
            exposure(MarkLimits::Clipped, level).of(&layout, &color(range), components).unwrap().zebra
        };
        let percent = Level::Permille(950);
        assert_eq!(lowest(Range::Limited, Components::Rgbl, percent), Some(972), "of the codes of luminance");
        assert_eq!(lowest(Range::Limited, Components::YCbCr, percent), Some(897), "of 64 to 940");
        assert_eq!(lowest(Range::Full, Components::YCbCr, percent), Some(972));
        assert_eq!(lowest(Range::Limited, Components::YCbCr, Level::Code(700)), Some(700));
        assert_eq!(lowest(Range::Limited, Components::YCbCr, Level::Permille(-100)), Some(0));
    }

    #[test]
    fn of_code_values_what_is_outside_the_nominal_range_is_marked() {
        let layout = PixelLayout::planar_ycbcr(8, (0, 0));
        let seen = |range, codes: [u32; 3]| {
            exposure(MarkLimits::Clipped, Level::Permille(1000))
                .of(&layout, &color(range), Components::YCbCr)
                .unwrap()
                .look(codes)
        };
        let limited = seen(Range::Limited, [15, 241, 15]);
        assert_eq!((limited.below, limited.above), ([true, false, true], [false, true, false]));
        assert!(!seen(Range::Limited, [16, 240, 16]).is_marked() && !seen(Range::Limited, [235, 16, 240]).is_marked());
        assert!(seen(Range::Limited, [236, 128, 128]).above[0]);
        let full = seen(Range::Full, [255, 0, 254]);
        assert_eq!((full.below, full.above), ([false, true, false], [true, false, false]));
    }

    #[test]
    fn marks_mix_as_light_does_and_tell_low_from_high() {
        let layout = PixelLayout::packed_rgb(8, [0, 1, 2], 3);
        let full = Colorimetry { matrix: Sourced::tagged(Matrix::Identity), range: Sourced::tagged(Range::Full) };
        let inspection =
            exposure(MarkLimits::Clipped, Level::Permille(950)).of(&layout, &full, Components::Rgbl).unwrap();
        let at = |codes: [u32; 3], place| {
            inspection.painted(codes.map(|code| code as u8), &inspection.look(codes), place, 6)
        };
        let [white, yellow, red] = [[255, 255, 255], [255, 255, 90], [255, 90, 90]].map(|codes| at(codes, (0, 0)));
        assert!(white.iter().all(|&part| part > 220), "{white:?}");
        assert!(yellow[0] > 220 && yellow[1] > 220 && yellow[2] < 100, "{yellow:?}");
        assert!(red[0] > 220 && red[1] < 100 && red[2] < 100, "{red:?}");
        let low = [at([90, 0, 90], (0, 0)), at([90, 0, 90], (3, 0))];
        assert!(low[0][1] < 200 && low[1][1] < low[0][1] && low[1][1] > 40, "chequered: {low:?}");
        let plain = at([90, 90, 90], (0, 0));
        assert!(plain[0] < 90, "the rest dims: {plain:?}");
        let striped = [at([250, 250, 250], (0, 0)), at([250, 250, 250], (6, 0))];
        assert!(striped[0][0] < striped[1][0], "{striped:?}");
    }
}
