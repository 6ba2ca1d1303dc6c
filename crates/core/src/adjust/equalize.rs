//! Histogram equalization: codes are spread so that the cumulative histogram becomes a straight line.
//!
//! With C(v) the number of samples of code v or lower, C₀ the value of C at the lowest code that occurs, P the number
//! of samples and N the number of codes, code v becomes round((C(v) − C₀) / (P − C₀) · (N − 1)), the standard
//! definition. Codes below the lowest become 0. If all samples have the same code, there is nothing to spread, and
//! codes are unchanged.
//!
//! *By luminance*, v is a pixel's luminance bin, and the pixel is scaled by the ratio of its new to its old luminance,
//! which keeps hue and saturation (`scaled`). *Per channel*, red, green and blue each have their own curve.
//!
//! In a video, the curve follows its target with a time constant: with each frame, it makes up a fraction of
//! `1 − exp(−elapsed / time constant)` of the difference, in steps of 2^-16 codes.

use std::ops::RangeInclusive;
use std::str::FromStr;

use super::codes::scaled;
use super::parameters::{Field, Memory, Parameters, number};
use super::parse_error::ParseError;
use super::{Codes, bins, mul_div_rounded, recolor};

/// What the curve is of, one or three.
const WHAT: [&str; 2] = ["luminance", "channels"];
/// The stops for time constants, in seconds.
const STOPS: [f64; 9] = [0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0];

/// Histogram equalization.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Equalize {
    /// `true` for separate curves of red, green and blue, `false` for a single curve of luminance that keeps the hue.
    pub per_channel: bool,
    /// Seconds in which the curve makes up all but 1/e of a change, in [`Self::TIME_CONSTANTS`]; 0 follows immediately.
    pub time_constant_secs: f64,
}

impl Equalize {
    /// Supported time constants.
    pub const TIME_CONSTANTS: RangeInclusive<f64> = 0.0..=10.0;
}

impl Default for Equalize {
    fn default() -> Self {
        Self { per_channel: false, time_constant_secs: 0.5 }
    }
}

/// Parses "luminance" or "channels", optionally with a time constant in seconds, "luminance:0.5".
impl FromStr for Equalize {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let (what, time_constant) = text.split_once(':').unwrap_or((text, "0.5"));
        let per_channel = match what {
            "luminance" => false,
            "channels" => true,
            _ => return Err(ParseError::new(format!("cannot equalize '{what}'; expected luminance or channels"))),
        };
        Ok(Self { per_channel, time_constant_secs: number(time_constant, "time constant", &Self::TIME_CONSTANTS)? })
    }
}

impl Parameters for Equalize {
    fn fields(&mut self) -> [Field<'_>; 2] {
        let Self { per_channel, time_constant_secs: secs } = self;
        [
            Field::stop("follows in", time_constant_text(*secs), secs, (&Self::TIME_CONSTANTS, &STOPS)),
            Field::choice("curve of", &WHAT, per_channel, [false, true]),
        ]
    }

    fn text(&self) -> String {
        if self.per_channel { "equalized by channel" } else { "equalized" }.to_owned()
    }

    fn full_text(&self) -> String {
        format!("{}, {}", self.text(), time_constant_text(self.time_constant_secs))
    }

    fn written(&self) -> String {
        format!("{}:{}", WHAT[usize::from(self.per_channel)], self.time_constant_secs)
    }

    fn apply(&self, codes: Codes, memory: &mut Memory, elapsed_secs: Option<f64>) -> Codes {
        let weight = weight(elapsed_secs, self.time_constant_secs);
        let bins = if self.per_channel { codes.channel_bins().to_vec() } else { vec![codes.luminance_bins()] };
        // Smoothing restarts if the kind of curves changed.
        if memory.curves.len() != bins.len() {
            memory.curves.clear();
            memory.curves.resize(bins.len(), Vec::new());
        }
        let follow = |(state, bins): (&mut _, &Vec<u32>)| follow(state, &curve(bins), weight);
        let mut curves: Vec<_> = memory.curves.iter_mut().zip(&bins).map(follow).collect();
        if self.per_channel {
            return apply_to_channels(codes, &std::array::from_fn(|i| std::mem::take(&mut curves[i])));
        }
        apply_to_luminance(codes, &curves[0])
    }

    fn reference(&self, codes: Codes) -> Codes {
        let curves = bins::reference(&codes).map(|bins| curve(&bins));
        let (bits, top, weights) = (codes.bits, codes.top(), codes.luminance);
        codes.map(|pixel| {
            if self.per_channel {
                return std::array::from_fn(|channel| curves[channel][usize::from(pixel[channel])] as u16);
            }
            let luminance = weights.bin(pixel.map(u32::from), bits);
            scaled(pixel, luminance, curves[3][luminance as usize], top)
        })
    }
}

/// Formats a time constant.
fn time_constant_text(secs: f64) -> String {
    if secs > 0.0 { format!("{secs} s") } else { "immediately".to_owned() }
}

/// Fractional bits of a smoothed curve.
pub const FRACTION: u32 = 16;
/// The weight that moves to the target in one step.
pub const FULL_WEIGHT: u32 = 1 << 16;

/// Computes the equalizing curve of a channel, which maps each code to another, from its bins.
#[must_use]
pub fn curve(bins: &[u32]) -> Vec<u32> {
    let samples: u32 = bins.iter().sum();
    let least = bins.iter().copied().find(|&count| count > 0).unwrap_or(0);
    if samples == least {
        return (0..bins.len() as u32).collect();
    }
    let top = bins.len() as u32 - 1;
    let mut below_or_equal = 0_u32;
    let spread = |&count: &u32| {
        below_or_equal += count;
        mul_div_rounded(below_or_equal.saturating_sub(least), top, samples - least)
    };
    bins.iter().map(spread).collect()
}

/// Returns the fraction of the difference to its target that a curve makes up in `elapsed_secs`, in units of 2^-16. It
/// is all of it if the time constant is 0 or there is no previous frame (`None`).
#[must_use]
pub fn weight(elapsed_secs: Option<f64>, time_constant_secs: f64) -> u32 {
    match elapsed_secs {
        Some(elapsed) if time_constant_secs > 0.0 && elapsed.is_finite() => {
            let share = 1.0 - (-elapsed.max(0.0) / time_constant_secs).exp();
            (share * f64::from(FULL_WEIGHT)).round() as u32
        }
        _ => FULL_WEIGHT,
    }
}

/// Moves a smoothed curve towards its target and returns it in codes. If its length differs, it jumps to the target.
pub fn follow(state: &mut Vec<u32>, target: &[u32], weight: u32) -> Vec<u32> {
    if state.len() != target.len() {
        *state = target.iter().map(|&code| code << FRACTION).collect();
    }
    let part = |difference: u32| ((u64::from(difference) * u64::from(weight)) >> 16) as u32;
    let step = |(now, &code): (&mut u32, &u32)| {
        let goal = code << FRACTION;
        *now = if goal >= *now { *now + part(goal - *now) } else { *now - part(*now - goal) };
        (*now + (1 << (FRACTION - 1))) >> FRACTION
    };
    state.iter_mut().zip(target).map(step).collect()
}

/// Maps every pixel's luminance by `curve` and keeps its hue and saturation.
#[must_use]
pub fn apply_to_luminance(mut codes: Codes, curve: &[u32]) -> Codes {
    recolor::scale_luminance(&mut codes, curve);
    codes
}

/// Maps red, green and blue, each by its own curve.
#[must_use]
pub fn apply_to_channels(mut codes: Codes, curves: &[Vec<u32>; 3]) -> Codes {
    recolor::look_up_channels(&mut codes, curves);
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_textbook_example() {
        // 8 codes and 10 samples. The cumulative histogram is 0 4 4 7 9 9 10 10, and C₀ is 4.
        assert_eq!(curve(&[0, 4, 0, 3, 2, 0, 1, 0]), [0, 0, 0, 4, 6, 6, 7, 7]);
    }

    #[test]
    fn codes_are_unchanged_if_at_most_one_code_occurs() {
        for bins in [[0, 0, 9, 0], [0; 4], [1, 0, 0, 0], [0, 0, 0, 1]] {
            assert_eq!(curve(&bins), [0, 1, 2, 3]);
        }
        assert_eq!(curve(&[5, 0, 0, 1]), [0, 0, 0, 3], "two codes go to both ends");
    }

    #[test]
    fn a_curve_follows_its_target_at_the_time_constant() {
        assert_eq!(weight(None, 0.5), FULL_WEIGHT);
        assert_eq!(weight(Some(0.04), 0.0), FULL_WEIGHT);
        assert_eq!(weight(Some(f64::NAN), 0.5), FULL_WEIGHT);
        assert_eq!(weight(Some(-3.0), 0.5), 0);
        let mut state = Vec::new();
        assert_eq!(follow(&mut state, &[0, 100], FULL_WEIGHT), [0, 100]);
        // After one time constant, in 25 steps, 1/e of the difference of 1000 remains.
        let mut now = Vec::new();
        for _ in 0..25 {
            now = follow(&mut state, &[0, 1100], weight(Some(0.02), 0.5));
        }
        assert!(now[1].abs_diff(1100 - 368) <= 1, "{now:?}");
        assert_eq!(follow(&mut state, &[7, 3], FULL_WEIGHT), [7, 3], "a jump takes the target over");
    }
}
