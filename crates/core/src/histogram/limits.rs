//! Limits of red, green and blue: those of EBU R 103, and those beyond which codes are clipped.
//!
//! R'G'B' is compared before clamping, in the fixed point of [`Conversion`], before its shift rounds to codes. A limit
//! may therefore lie between two codes, as those of R 103 do, and yet a single integer comparison decides, with the
//! same result on every engine.

use crate::picture::color::Conversion;

/// The share of a picture's pixels, in percent, that EBU R 103 allows outside its limits.
pub const R103_TOLERATED_PERCENT: u64 = 1;

/// Returns `true` if EBU R 103 allows `outside` of `pixels` pixels to be outside its limits.
#[must_use]
pub const fn is_within_r103(outside: u64, pixels: u64) -> bool {
    100 * outside <= R103_TOLERATED_PERCENT * pixels
}

/// The weights of EBU R 103's measurement filter across: of three samples to the left, the sample, and three to the right.
pub const R103_ACROSS: [i32; 7] = [1, 2, 3, 4, 3, 2, 1];
/// The weights down: of the line above, the line, and the line below; of an interlaced picture, of lines of its field. At
/// the edges of what is measured, the sample at the edge is repeated.
pub const R103_DOWN: [i32; 3] = [1, 2, 1];
/// The sum of the filter's weights.
pub const R103_WEIGHT: i32 = 64;
/// The number of pixels to which a single one contributes.
pub const R103_NEIGHBOURS: u64 = (R103_ACROSS.len() * R103_DOWN.len()) as u64;

/// Returns the lines that the filter weighs for line `y`, of lines from `first` up to and without `end`. Those of its field
/// are `step` lines apart: 2 of an interlaced picture, otherwise 1.
#[must_use]
pub const fn r103_lines(y: u32, step: u32, first: u32, end: u32) -> [u32; 3] {
    [if y >= first + step { y - step } else { y }, y, if y + step < end { y + step } else { y }]
}

/// A half-open range of the fixed-point values of [`Conversion::sums`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The lowest value inside.
    pub low: i32,
    /// The lowest value above the range.
    pub high: i32,
}

/// Returns the lowest and highest codes that EBU R 103 allows (version 3.0, 2020), −5 % and 105 %, on the limited-range
/// scale: black at 16 and white at 235 for 8 bits.
#[must_use]
pub const fn r103_codes(bits: u32) -> [u32; 2] {
    match bits {
        8 => [5, 246],
        bits => [20 << (bits - 10), 984 << (bits - 10)],
    }
}

impl Limits {
    /// Returns the limits of EBU R 103. A pixel is inside if each of R', G' and B', filtered, converted to the scale of
    /// [`r103_codes`] and rounded to nearest, is within these codes. Y' is then inside as well, because it is a
    /// weighted mean of the three. The filtered sums are [`R103_WEIGHT`] times as large.
    #[must_use]
    pub fn r103(conversion: &Conversion) -> Self {
        let [low, high] = r103_codes(conversion.bits).map(i64::from);
        // Doubled, because the limits lie halfway between two codes.
        Self { low: at_video_code(2 * low - 1, conversion), high: at_video_code(2 * high + 1, conversion) }
    }

    /// Returns the limits of clipping: pixels outside have the lowest or the highest code after clamping.
    #[must_use]
    pub const fn clipped(conversion: &Conversion) -> Self {
        Self { low: 1 << conversion.shift, high: conversion.max_code() << conversion.shift }
    }

    /// Returns `true` if a value lies outside the limits.
    #[inline(always)]
    #[must_use]
    pub const fn excludes(&self, value: i32) -> bool {
        value < self.low || value >= self.high
    }
}

/// Returns the lowest fixed-point value at or above a code on the limited-range scale, given as twice its value.
fn at_video_code(doubled: i64, conversion: &Conversion) -> i32 {
    let unit = 1_i64 << (conversion.bits - 8);
    let one = i64::from(conversion.max_code()) << conversion.shift;
    // (code − 16) / 219 is the fraction of the range from black to white.
    let (part, whole) = ((doubled - 32 * unit) * one, 438 * unit);
    let value = part.div_euclid(whole) + i64::from(part.rem_euclid(whole) > 0);
    // The sums include one half for rounding.
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
    fn limited_range_gray_is_allowed_exactly_at_the_codes_of_r103() {
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
    fn full_range_codes_never_exceed_the_limits_of_r103() {
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
    fn clipped_values_have_the_lowest_or_highest_code_after_clamping() {
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
