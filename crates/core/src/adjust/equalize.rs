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

use super::{Codes, mul_div_rounded, recolor};

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
