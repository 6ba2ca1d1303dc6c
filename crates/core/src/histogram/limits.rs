//! Limits of red, green and blue, and the pixels outside them: those of EBU R 103, and those at which codes are
//! clipped.
//!
//! R'G'B' before the clamp is compared in the fixed point of [`Conversion`], before its shift rounds to codes. A limit
//! may therefore lie between two codes, as those of R 103 do, and still one integer comparison decides, the same on
//! every engine.

use crate::picture::color::Conversion;

/// The share of the picture, in percent, that EBU R 103 allows outside its limits.
pub const R103_TOLERATED_PERCENT: u64 = 1;

/// Returns `true` if EBU R 103 allows that many of the pixels outside its limits.
#[must_use]
pub const fn is_within_r103(outside: u64, pixels: u64) -> bool {
    100 * outside <= R103_TOLERATED_PERCENT * pixels
}

/// A range of the fixed-point values of [`Conversion::sums`], from `low` up to but not including `high`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The lowest value inside.
    pub low: i32,
    /// The lowest value above.
    pub high: i32,
}

/// Returns the codes that EBU R 103 allows (version 3.0, 2020), on the scale with black at 16 and white at 235 for 8
/// bits: −5 % to 105 %.
#[must_use]
pub const fn r103_codes(bits: u32) -> [u32; 2] {
    match bits {
        8 => [5, 246],
        bits => [20 << (bits - 10), 984 << (bits - 10)],
    }
}

impl Limits {
    /// The limits of EBU R 103. A pixel is inside if each of R', G' and B', converted to the scale of [`r103_codes`]
    /// and rounded to the nearest code there, is one of these codes. Y' is then inside as well, as a mean of the
    /// three.
    #[must_use]
    pub fn r103(conversion: &Conversion) -> Self {
        let [low, high] = r103_codes(conversion.bits).map(i64::from);
        // Twice the codes, so that the halves between them are whole.
        Self { low: at_video_code(2 * low - 1, conversion), high: at_video_code(2 * high + 1, conversion) }
    }

    /// The limits of clipping: outside are the pixels at the lowest or the highest code after the clamp.
    #[must_use]
    pub const fn clipped(conversion: &Conversion) -> Self {
        Self { low: 1 << conversion.shift, high: conversion.max_code() << conversion.shift }
    }

    /// Returns `true` if a value lies outside.
    #[inline(always)]
    #[must_use]
    pub const fn excludes(&self, value: i32) -> bool {
        value < self.low || value >= self.high
    }
}

/// Returns the lowest fixed-point value at or above half of a doubled code on the scale from 16 to 235.
fn at_video_code(doubled: i64, conversion: &Conversion) -> i32 {
    let unit = 1_i64 << (conversion.bits - 8);
    let one = i64::from(conversion.max_code()) << conversion.shift;
    // (code − 16) / 219 is a part of the range from black to white.
    let (part, whole) = ((doubled - 32 * unit) * one, 438 * unit);
    let value = part.div_euclid(whole) + i64::from(part.rem_euclid(whole) > 0);
    // The sums hold the half that makes their shift round.
    (value + (1 << (conversion.shift - 1))) as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::color::{Matrix, Range};
    use crate::picture::layout::ColorModel;

    fn conversion(range: Range, bits: u32) -> Conversion {
        Conversion::from_parts(ColorModel::YCbCr, Matrix::Bt709, range, bits)
    }

    #[test]
    fn of_gray_in_limited_range_the_tolerated_codes_are_those_that_r103_names() {
        for (bits, low, high) in [(8, 5, 246), (10, 20, 984), (12, 80, 3936)] {
            let conversion = conversion(Range::Limited, bits);
            let limits = Limits::r103(&conversion);
            let middle = 1 << (bits - 1);
            let is_inside = |luma: i32| {
                let sums = conversion.sums([luma, middle, middle]);
                assert!(sums.iter().all(|&sum| limits.excludes(sum) == limits.excludes(sums[0])), "gray is gray");
                !limits.excludes(sums[0])
            };
            let inside: Vec<i32> = (0..1 << bits).filter(|&luma| is_inside(luma)).collect();
            assert_eq!(inside, (low..=high).collect::<Vec<_>>(), "{bits} bits");
        }
    }

    #[test]
    fn full_range_has_room_for_what_limited_range_calls_black_to_white_and_no_more() {
        for bits in [8, 10, 12] {
            for (model, matrix) in [(ColorModel::Rgb, Matrix::Identity), (ColorModel::Gray, Matrix::Bt709)] {
                let conversion = Conversion::from_parts(model, matrix, Range::Full, bits);
                let limits = Limits::r103(&conversion);
                for code in 0..1 << bits {
                    let sums = conversion.sums([code; 3]);
                    assert!(sums.iter().all(|&sum| !limits.excludes(sum)), "{model:?} {bits} bits, code {code}");
                }
            }
        }
    }

    #[test]
    fn clipped_are_the_outermost_codes_after_the_clamp() {
        for (range, bits) in [(Range::Limited, 8), (Range::Full, 10), (Range::Limited, 12)] {
            let conversion = conversion(range, bits);
            let limits = Limits::clipped(&conversion);
            for luma in 0..1 << bits {
                for chroma in [0, 1 << (bits - 1), (1 << bits) - 1] {
                    let components = [luma, chroma, (1 << bits) - 1 - chroma];
                    for (sum, code) in conversion.sums(components).into_iter().zip(conversion.unclamped(components)) {
                        let is_outermost = code <= 0 || code >= conversion.max_code();
                        assert_eq!(limits.excludes(sum), is_outermost, "{bits} bits {components:?}: {code}");
                    }
                }
            }
        }
    }
}
