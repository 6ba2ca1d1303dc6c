//! The lines of a waveform's scale and their labels, independent of drawing.
//!
//! A waveform has up to 1024 levels from bottom to top. The levels of black and white depend on the components: R'G'B',
//! luminance and full-range Y' use all codes; limited-range Y' has room below black and above white, which contains the
//! limits of EBU R 103.

use serde::{Deserialize, Serialize};

use crate::histogram::Components;
use crate::histogram::limits::r103_codes;
use crate::picture::color::Range;

use super::grid::level_bits;

/// The unit of a scale's labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Percent of the range from black to white. Colour differences range from -50 to 50 percent.
    #[default]
    Percent,
    /// Codes as counted, at the depth of the source: 0 to 255, 1023 or 4095.
    Codes,
    /// Millivolts of an analogue signal with 700 mV from black to white. Colour differences range from -350 to 350 mV.
    Millivolts,
}

impl Unit {
    /// Every unit, in the order in which the user cycles through them.
    pub const ALL: [Self; 3] = [Self::Percent, Self::Codes, Self::Millivolts];

    /// Returns the name used in messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Percent => "percent",
            Self::Codes => "codes",
            Self::Millivolts => "millivolts",
        }
    }

    /// Returns the suffix of a number in this unit, which is empty for codes.
    #[must_use]
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::Percent => "%",
            Self::Codes => "",
            Self::Millivolts => "mV",
        }
    }

    /// Returns the number of units from black to white, or `None` for codes.
    const fn whole(self) -> Option<f64> {
        match self {
            Self::Percent => Some(100.0),
            Self::Codes => None,
            Self::Millivolts => Some(700.0),
        }
    }
}

/// The kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LineKind {
    /// A step of the scale.
    Step,
    /// The lower or upper limit of EBU R 103.
    Tolerance,
    /// Black or white; for colour differences, the middle and both ends.
    Nominal,
}

/// A line of a scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// The position in levels from the bottom; an integer is the middle of that level.
    pub level: f64,
    /// The value in the unit of the scale.
    pub value: f64,
    /// The label: the value, without the unit.
    pub label: String,
    /// The kind. If there is no room for all labels, greater kinds take precedence.
    pub kind: LineKind,
    /// The number of steps from zero; 0 if the line is not a step.
    pub steps: u32,
}

/// The meaning of a channel's codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Signal {
    /// A signal from zero to full intensity: R', G', B', luminance, or Y'.
    Light,
    /// A colour difference, Cb or Cr, with gray in the middle.
    Difference,
}

/// The scale of a channel: the relation between its codes, levels and units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scale {
    signal: Signal,
    range: Range,
    bits: u32,
}

impl Scale {
    /// Creates the scale of a channel for pictures of this range, with codes of `bits` bits, 8 to 12. Red, green, blue
    /// and luminance use all codes, whatever the range of the samples.
    #[must_use]
    pub const fn new(components: Components, channel: usize, range: Range, bits: u32) -> Self {
        match components {
            Components::Rgbl => Self { signal: Signal::Light, range: Range::Full, bits },
            Components::YCbCr if channel == 0 => Self { signal: Signal::Light, range, bits },
            Components::YCbCr => Self { signal: Signal::Difference, range, bits },
        }
    }

    /// Returns the number of bits per code.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.bits
    }

    /// Returns the code at 0 %, and the number of codes from there to 100 %.
    fn zero_and_whole(self) -> (f64, f64) {
        let unit = f64::from(1_u32 << (self.bits - 8));
        let middle = f64::from(1_u32 << (self.bits - 1));
        match (self.signal, self.range) {
            (Signal::Light, Range::Limited) => (16.0 * unit, 219.0 * unit),
            (Signal::Light, Range::Full) => (0.0, self.top()),
            (Signal::Difference, Range::Limited) => (middle, 224.0 * unit),
            (Signal::Difference, Range::Full) => (middle, self.top()),
        }
    }

    fn top(self) -> f64 {
        f64::from((1_u32 << self.bits) - 1)
    }

    /// Returns the code, not rounded, for a value in the given unit.
    #[must_use]
    pub fn code_at(self, value: f64, unit: Unit) -> f64 {
        let (zero, whole) = self.zero_and_whole();
        unit.whole().map_or(value, |of| zero + value * whole / of)
    }

    /// Returns the value of a code in the given unit.
    #[must_use]
    pub fn value_of(self, code: f64, unit: Unit) -> f64 {
        let (zero, whole) = self.zero_and_whole();
        unit.whole().map_or(code, |of| (code - zero) * of / whole)
    }

    /// Returns the position of a code in levels from the bottom. At 12 bits, a level comprises several codes.
    #[must_use]
    pub fn level_of(self, code: f64) -> f64 {
        let codes = f64::from(1_u32 << (self.bits - level_bits(self.bits)));
        (code + 0.5) / codes - 0.5
    }

    /// Returns the lowest and the highest code of a level.
    #[must_use]
    pub const fn codes_of(self, level: u32) -> [u32; 2] {
        let surplus = self.bits - level_bits(self.bits);
        [level << surplus, ((level + 1) << surplus) - 1]
    }

    /// Returns the lines of the scale from bottom to top, at most one at each position.
    #[must_use]
    pub fn marks(self, unit: Unit) -> Vec<Mark> {
        let of_kind = |values: Vec<f64>, kind| values.into_iter().map(move |value| self.mark((value, kind, 0), unit));
        let (numbers, _) = self.steps(unit);
        let steps =
            numbers.map(|step| self.mark((self.step_value(step, unit), LineKind::Step, step.unsigned_abs()), unit));
        let nominal = of_kind(self.nominal(unit), LineKind::Nominal);
        let tolerances = of_kind(self.tolerances(unit), LineKind::Tolerance);
        let mut marks: Vec<Mark> = steps.chain(nominal).chain(tolerances).collect();
        marks.sort_by(|a, b| a.level.total_cmp(&b.level).then(b.kind.cmp(&a.kind)));
        marks.dedup_by(|next, kept| next.level == kept.level);
        marks
    }

    fn mark(self, (value, kind, steps): (f64, LineKind, u32), unit: Unit) -> Mark {
        let label = format!("{value:.0}").replace('-', "\u{2212}");
        Mark { level: self.level_of(self.code_at(value, unit)), value, label, kind, steps }
    }

    /// Returns the interval at which steps are labelled (1 for every step, 2 for every second one, and so on) if a
    /// label is `levels` levels high. Labels are evenly spaced up to the end of the scale. Returns `None` if only the
    /// ends have room for labels.
    #[must_use]
    pub fn labelled_steps(self, unit: Unit, levels: f64) -> Option<u32> {
        let (_, last) = self.steps(unit);
        let level = |step| self.level_of(self.code_at(self.step_value(step, unit), unit));
        let each = level(1) - level(0);
        (1..last).find(|count| last.is_multiple_of(*count) && each * f64::from(*count) >= levels)
    }

    fn step_value(self, step: i32, unit: Unit) -> f64 {
        let step = f64::from(step);
        match unit {
            Unit::Percent => step * 10.0,
            Unit::Millivolts => step * 100.0,
            // The last step would be one more than the highest code.
            Unit::Codes => (step * f64::from(1_u32 << (self.bits - 3))).min(self.top()),
        }
    }

    /// Returns the range of steps, and the number of the last one.
    const fn steps(self, unit: Unit) -> (std::ops::RangeInclusive<i32>, u32) {
        match (unit, self.signal) {
            (Unit::Percent, Signal::Light) => (0..=10, 10),
            (Unit::Percent, Signal::Difference) => (-5..=5, 5),
            (Unit::Millivolts, Signal::Light) => (0..=7, 7),
            (Unit::Millivolts, Signal::Difference) => (-3..=3, 3),
            (Unit::Codes, _) => (0..=8, 8),
        }
    }

    fn nominal(self, unit: Unit) -> Vec<f64> {
        let middle = f64::from(1_u32 << (self.bits - 1));
        match (unit.whole(), self.signal, self.range) {
            (Some(whole), Signal::Light, _) => vec![0.0, whole],
            // In full range, the middle is rounded up to a whole code, so -50 % and 50 % lie half a code above the ends
            // of the scale.
            (Some(whole), Signal::Difference, _) => vec![-whole / 2.0, 0.0, whole / 2.0],
            (None, Signal::Light, Range::Full) => vec![0.0, self.top()],
            (None, Signal::Difference, Range::Full) => vec![0.0, middle, self.top()],
            (None, signal, Range::Limited) => {
                let ends = if signal == Signal::Light { [16, 235] } else { [16, 240] };
                let [low, high] = ends.map(|code| f64::from(code << (self.bits - 8)));
                vec![low, middle, high]
            }
        }
    }

    /// Returns the limits of EBU R 103, if the scale has codes outside them.
    fn tolerances(self, unit: Unit) -> Vec<f64> {
        match (unit, self.signal, self.range) {
            (_, Signal::Difference, _) | (_, _, Range::Full) => Vec::new(),
            (Unit::Codes, ..) => r103_codes(self.bits).map(f64::from).to_vec(),
            (Unit::Percent, ..) => vec![-5.0, 105.0],
            (Unit::Millivolts, ..) => vec![-35.0, 735.0],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNITS: [Unit; 3] = [Unit::Percent, Unit::Codes, Unit::Millivolts];

    fn all_scales() -> Vec<Scale> {
        let of_depth = |bits| {
            [Range::Limited, Range::Full].into_iter().flat_map(move |range| {
                let coded = (0..3).map(move |channel| Scale::new(Components::YCbCr, channel, range, bits));
                coded.chain([Scale::new(Components::Rgbl, 3, range, bits)])
            })
        };
        [8, 10, 12].into_iter().flat_map(of_depth).collect()
    }

    fn labels(scale: Scale, unit: Unit, kind: LineKind) -> Vec<String> {
        scale.marks(unit).into_iter().filter(|mark| mark.kind == kind).map(|mark| mark.label).collect()
    }

    #[test]
    fn limited_range_black_and_white_have_the_codes_of_the_standards() {
        let luma = Scale::new(Components::YCbCr, 0, Range::Limited, 8);
        assert_eq!([0.0, 50.0, 100.0].map(|percent| luma.code_at(percent, Unit::Percent)), [16.0, 125.5, 235.0]);
        assert_eq!([0.0, 700.0].map(|volts| luma.code_at(volts, Unit::Millivolts)), [16.0, 235.0]);
        let chroma = Scale::new(Components::YCbCr, 2, Range::Limited, 10);
        assert_eq!([-50.0, 0.0, 50.0].map(|percent| chroma.code_at(percent, Unit::Percent)), [64.0, 512.0, 960.0]);
        assert_eq!([-350.0, 350.0].map(|volts| chroma.code_at(volts, Unit::Millivolts)), [64.0, 960.0]);
        assert_eq!(labels(luma, Unit::Codes, LineKind::Nominal), ["16", "128", "235"]);
        assert_eq!(labels(chroma, Unit::Codes, LineKind::Nominal), ["64", "512", "960"]);
        assert_eq!(labels(luma, Unit::Percent, LineKind::Nominal), ["0", "100"]);
        assert_eq!(labels(chroma, Unit::Millivolts, LineKind::Nominal), ["\u{2212}350", "0", "350"]);
    }

    #[test]
    fn rgb_and_full_range_extend_from_the_lowest_code_to_the_highest() {
        for scale in
            [Scale::new(Components::Rgbl, 0, Range::Limited, 10), Scale::new(Components::YCbCr, 0, Range::Full, 10)]
        {
            assert_eq!([0.0, 100.0].map(|percent| scale.code_at(percent, Unit::Percent)), [0.0, 1023.0]);
            assert_eq!(labels(scale, Unit::Codes, LineKind::Nominal), ["0", "1023"]);
            assert_eq!(labels(scale, Unit::Codes, LineKind::Step), ["128", "256", "384", "512", "640", "768", "896"]);
        }
    }

    #[test]
    fn the_limits_of_r103_are_marked_if_the_scale_includes_them() {
        let luma = Scale::new(Components::YCbCr, 0, Range::Limited, 10);
        assert_eq!(labels(luma, Unit::Codes, LineKind::Tolerance), ["20", "984"]);
        assert_eq!(labels(luma, Unit::Percent, LineKind::Tolerance), ["\u{2212}5", "105"]);
        assert_eq!(labels(luma, Unit::Millivolts, LineKind::Tolerance), ["\u{2212}35", "735"]);
        for bits in [8, 10, 12] {
            let luma = Scale::new(Components::YCbCr, 0, Range::Limited, bits);
            let codes = [-5.0, 105.0].map(|percent| luma.code_at(percent, Unit::Percent).round());
            let tolerated = r103_codes(bits).map(f64::from);
            // Up to 10 bits, R 103 rounds -5 % and 105 % to the nearest code; above, it multiplies the 10-bit codes.
            let off = f64::from(1_u32 << bits.saturating_sub(10)) / 2.0;
            assert!((codes[0] - tolerated[0]).abs() <= 2.0 * off && (codes[1] - tolerated[1]).abs() <= 2.0 * off);
        }
        for scale in all_scales().into_iter().filter(|scale| scale.range == Range::Full) {
            assert!(UNITS.iter().all(|&unit| labels(scale, unit, LineKind::Tolerance).is_empty()), "{scale:?}");
        }
    }

    #[test]
    fn marks_ascend_on_the_scale_and_are_labelled_with_their_values() {
        for scale in all_scales() {
            for unit in UNITS {
                let marks = scale.marks(unit);
                let levels = f64::from(1_u32 << level_bits(scale.bits));
                assert!(marks.windows(2).all(|pair| pair[0].level < pair[1].level), "{scale:?} {unit:?} {marks:?}");
                for mark in &marks {
                    assert!((-1.0..=levels).contains(&mark.level), "{scale:?} {unit:?} {mark:?}");
                    let code = scale.code_at(mark.value, unit);
                    assert_eq!(scale.level_of(code), mark.level);
                    assert!((scale.value_of(code, unit) - mark.value).abs() < 1e-9);
                    assert_eq!(mark.label.replace('\u{2212}', "-").parse(), Ok(mark.value));
                }
            }
        }
    }

    #[test]
    fn a_level_comprises_four_codes_at_12_bits() {
        let scale = Scale::new(Components::Rgbl, 0, Range::Full, 12);
        assert_eq!(scale.codes_of(1023), [4092, 4095]);
        let middle = [4092.0, 4095.0].map(|code| scale.level_of(code)).iter().sum::<f64>() / 2.0;
        assert_eq!(middle, 1023.0);
        let scale = Scale::new(Components::Rgbl, 0, Range::Full, 10);
        assert_eq!((scale.codes_of(7), scale.level_of(7.0)), ([7, 7], 7.0));
    }
}
