//! The lines of a waveform's scale and their labels, independent of drawing.
//!
//! A waveform has up to 1024 levels from bottom to top. The levels of black and white depend on the components: R'G'B',
//! luminance and full-range Y' use all codes; limited-range Y' has room below black and above white, which contains the
//! limits of EBU R 103.

use serde::{Deserialize, Serialize};

use crate::histogram::Components;
use crate::histogram::limits::r103_codes;
use crate::histogram::pixel_light::{LightScale, TICKS, light_text};
use crate::picture::color::Range;
use crate::text::with_minus;

use super::grid::level_bits;

/// Reference white of PQ and HLG in cd/m² (BT.2408).
const REFERENCE_WHITE: f64 = 203.0;

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
    /// The light of grays, if it is known.
    light: Option<LightScale>,
}

impl Scale {
    /// Creates the scale of a channel for pictures of this range, with codes of `bits` bits, 8 to 12. Red, green, blue
    /// and luminance use all codes, whatever the range of the samples.
    #[must_use]
    pub const fn new(components: Components, channel: usize, range: Range, bits: u32) -> Self {
        match components {
            Components::Rgbl => Self { signal: Signal::Light, range: Range::Full, bits, light: None },
            Components::YCbCr if channel == 0 => Self { signal: Signal::Light, range, bits, light: None },
            Components::YCbCr => Self { signal: Signal::Difference, range, bits, light: None },
        }
    }

    /// Returns the scale with the light of grays instead of percent, if it is known; colour differences have none.
    #[must_use]
    pub fn with_light(self, light: Option<LightScale>) -> Self {
        Self { light: light.filter(|_| self.signal == Signal::Light), ..self }
    }

    /// Returns the light of grays, if it is known.
    #[must_use]
    pub const fn light(self) -> Option<LightScale> {
        self.light
    }

    /// Returns the light in cd/m² of a gray with this code, if it is known.
    #[must_use]
    pub fn light_of(self, code: f64) -> Option<f64> {
        let (zero, whole) = self.zero_and_whole();
        Some(self.light?.light([(code - zero) / whole; 3]))
    }

    /// Returns the code, not rounded, of a gray with this light, if light is known.
    #[must_use]
    pub fn code_of_light(self, light: f64) -> Option<f64> {
        let (zero, whole) = self.zero_and_whole();
        Some(zero + self.light?.signal_of_gray(light) * whole)
    }

    /// Returns the codes, not rounded, at which an axis in cd/m² has ticks, with their light, from bottom to top. There
    /// are none if light is unknown.
    #[must_use]
    pub fn light_ticks(self) -> Vec<(f64, f64)> {
        let peak = self.light.map_or(0.0, LightScale::peak);
        let ticks = TICKS.into_iter().filter(|&light| light < peak).chain([peak]);
        ticks.filter_map(|light| Some((self.code_of_light(light)?, light))).collect()
    }

    /// Returns the suffix of a number in this unit, which is empty for codes.
    #[must_use]
    pub const fn suffix(self, unit: Unit) -> &'static str {
        if matches!(unit, Unit::Percent) && self.light.is_some() { "cd/m²" } else { unit.suffix() }
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

    /// Returns a code in the given unit, as text: in cd/m² instead of percent, if light is known.
    #[must_use]
    pub fn text_of(self, code: u32, unit: Unit) -> String {
        match (unit, self.light_of(code.into())) {
            (Unit::Codes, _) => code.to_string(),
            (Unit::Percent, Some(light)) => light_text(light),
            _ => with_minus(&format!("{:.1} {}", self.value_of(code.into(), unit), unit.suffix())),
        }
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
        if unit == Unit::Percent && self.light.is_some() {
            return self.light_marks();
        }
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

    /// Returns the lines of a scale in cd/m². Black, reference white and the peak are more important than the others.
    fn light_marks(self) -> Vec<Mark> {
        let peak = self.light.map_or(0.0, LightScale::peak);
        let black = (self.zero_and_whole().0, 0.0);
        let marks = std::iter::once(black).chain(self.light_ticks()).map(|(code, value)| {
            let is_nominal = value <= 0.0 || value >= peak || value.to_bits() == REFERENCE_WHITE.to_bits();
            let kind = if is_nominal { LineKind::Nominal } else { LineKind::Step };
            Mark { level: self.level_of(code), value, label: value.to_string(), kind, steps: 0 }
        });
        marks.collect()
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
        if unit == Unit::Percent && self.light.is_some() {
            // Their spacing is uneven, so each one is labelled for which there is room.
            return Some(1);
        }
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

    /// Codes of PQ from NumPy, by the formulas of ST 2084; HLG's 203 cd/m² is at 75 % (BT.2408).
    #[test]
    fn scales_in_light_have_the_codes_of_the_standards() {
        let luma = Scale::new(Components::YCbCr, 0, Range::Limited, 10).with_light(Some(LightScale::Pq));
        let ticks: Vec<_> = luma.light_ticks().into_iter().map(|(code, _)| code.round()).collect();
        assert_eq!(ticks, [119.0, 195.0, 327.0, 509.0, 573.0, 723.0, 855.0, 940.0]);
        let labels: Vec<_> = luma.marks(Unit::Percent).into_iter().map(|mark| mark.label).collect();
        assert_eq!(labels, ["0", "0.1", "1", "10", "100", "203", "1000", "4000", "10000"]);
        assert_eq!((luma.suffix(Unit::Percent), luma.suffix(Unit::Codes)), ("cd/m²", ""));
        assert!(luma.marks(Unit::Percent).windows(2).all(|pair| pair[0].level < pair[1].level));
        let light = luma.light_of(723.0).expect("it is known");
        assert!((light - 1000.0).abs() < 10.0, "{light}");
        let hlg = Scale::new(Components::Rgbl, 3, Range::Limited, 10).with_light(Some(LightScale::Hlg { peak: 1000 }));
        let ticks = hlg.light_ticks();
        let rounded: Vec<_> = ticks.iter().map(|&(code, light)| (code.round(), light)).collect();
        assert_eq!((rounded.len(), rounded[5]), (6, (1023.0, 1000.0)));
        assert!((ticks[4].0 / 1023.0 - 0.75).abs() < 0.001, "{ticks:?}");
        let chroma = Scale::new(Components::YCbCr, 1, Range::Limited, 10).with_light(Some(LightScale::Pq));
        assert_eq!((chroma.light(), chroma.suffix(Unit::Percent)), (None, "%"));
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
