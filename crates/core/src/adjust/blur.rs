//! A box blur: each code becomes the mean of the k × k pixels around it, for odd k. Pixels at the edge are repeated
//! beyond it. Three runs approximate a Gaussian blur.
//!
//! Rows are summed first, then columns. Up to 10 bits per code, the sums of k codes along a row fit in 16 bits and are
//! exact, so the result is the rounded mean; because k² is odd, no mean lies halfway between two codes. At 12 bits, the
//! mean along a row is rounded to a sixteenth of a code; before its own rounding, the result is then within a sixteenth
//! of a code of the exact mean.

use std::ops::RangeInclusive;
use std::str::FromStr;

use rayon::prelude::*;

use super::parameters::{Field, Memory, Parameters, number};
use super::parse_error::ParseError;
use super::{Codes, recolor};

/// A box blur.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Blur {
    /// Side of the averaged square in pixels: odd, in [`Self::SIZES`].
    pub size: u32,
    /// Number of runs, in [`Self::RUNS`].
    pub runs: u32,
}

impl Blur {
    /// Supported sizes; only odd ones are allowed.
    pub const SIZES: RangeInclusive<u32> = 3..=63;
    /// Supported numbers of runs.
    pub const RUNS: RangeInclusive<u32> = 1..=3;
}

impl Default for Blur {
    fn default() -> Self {
        Self { size: 9, runs: 1 }
    }
}

/// Parses "9" or, for three runs, "9x3".
impl FromStr for Blur {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let (size, runs) = text.split_once('x').unwrap_or((text, "1"));
        let size = number(size, "width of a blur", &Self::SIZES)?;
        if size.is_multiple_of(2) {
            return Err(ParseError::new(format!("the width of a blur must be odd, not {size}")));
        }
        Ok(Self { size, runs: number(runs, "number of runs", &Self::RUNS)? })
    }
}

impl Parameters for Blur {
    fn fields(&mut self) -> [Field<'_>; 2] {
        let Self { size, runs } = self;
        [
            Field::whole("size", format!("{size}×{size}"), vec![size], (&Self::SIZES, 2)),
            Field::whole("runs", runs.to_string(), vec![runs], (&Self::RUNS, 1)),
        ]
    }

    fn text(&self) -> String {
        let Self { size, runs } = *self;
        format!("low-pass {size}×{size}") + &if runs > 1 { format!(" ×{runs}") } else { String::new() }
    }

    fn written(&self) -> String {
        format!("{}x{}", self.size, self.runs)
    }

    fn apply(&self, codes: Codes, _: &mut Memory, _: Option<f64>) -> Codes {
        apply(codes, *self)
    }

    fn reference(&self, mut codes: Codes) -> Codes {
        (0..self.runs).for_each(|_| codes = blurred(&codes, self.size));
        codes
    }
}

/// Sums along each row, then sums those along each column.
fn blurred(codes: &Codes, size: u32) -> Codes {
    let (width, height, reach) = (codes.width as i64, codes.height as i64, i64::from(size / 2));
    let sum = |values: &mut dyn Iterator<Item = [u32; 3]>| {
        values.fold([0_u32; 3], |sum, value| std::array::from_fn(|channel| sum[channel] + value[channel]))
    };
    let at = |x: i64, y: i64| (y.clamp(0, height - 1) * width + x.clamp(0, width - 1)) as usize;
    let places = || (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let across: Vec<_> = places()
        .map(|(x, y)| sum(&mut (x - reach..=x + reach).map(|x| codes.rgb[at(x, y)].map(u32::from))))
        .map(|sums| sums.map(|sum| kept(sum, size, codes.bits)))
        .collect();
    let by = divisor(size, codes.bits);
    let rgb = places()
        .map(|(x, y)| sum(&mut (y - reach..=y + reach).map(|y| across[at(x, y)])))
        .map(|sums| sums.map(|sum| ((sum + by / 2) / by) as u16))
        .collect();
    Codes { rgb, ..*codes }
}

/// Returns the intermediate value for the sum of `size` codes along a row: the sum itself or, at 12 bits, the mean in
/// sixteenths of a code.
#[inline]
#[must_use]
pub const fn kept(sum: u32, size: u32, bits: u32) -> u32 {
    if bits <= 10 { sum } else { (16 * sum + size / 2) / size }
}

/// Returns the divisor for the sum of `size` intermediate values along a column.
#[inline]
#[must_use]
pub const fn divisor(size: u32, bits: u32) -> u32 {
    if bits <= 10 { size * size } else { 16 * size }
}

/// Fractional bits of the inverse of a [`divisor`]. Dividends are less than 2^23 and divisors less than 2^12, so
/// rounding the inverse up never carries a quotient over an integer. Divisors are at least 9, so inverses fit in 32
/// bits, and vector instructions multiply several at once.
const INVERSE_BITS: u32 = 35;
/// The minimum number of rows that a thread processes at a time, because each band starts by computing the sums of all
/// columns.
const BAND: usize = 64;

/// Blurs a picture.
#[must_use]
pub fn apply(mut codes: Codes, blur: Blur) -> Codes {
    let Blur { size, runs } = blur.clamped();
    let mut across = vec![[0; 3]; codes.rgb.len()];
    for _ in 0..runs {
        sum_rows(&codes, size, &mut across);
        average_columns(&across, size, &mut codes);
    }
    codes
}

/// Writes the intermediate values of the sums along the rows.
fn sum_rows(codes: &Codes, size: u32, across: &mut [[u16; 3]]) {
    let (width, reach) = (codes.width, (size / 2) as usize);
    let inverse = recolor::inverse(size);
    let keep = |sum: u32| match codes.bits {
        ..=10 => sum as u16,
        // Like `kept`, but without a division.
        _ => recolor::divided(u64::from(16 * sum + size / 2), inverse) as u16,
    };
    let rows = across.par_chunks_exact_mut(width).zip(codes.rgb.par_chunks_exact(width));
    rows.for_each_init(Vec::new, |padded: &mut Vec<[u16; 3]>, (kept, row)| {
        // The ends of the row are repeated, so that no pixel needs special treatment.
        padded.clear();
        padded.resize(reach, row[0]);
        padded.extend_from_slice(row);
        padded.resize(width + 2 * reach, row[width - 1]);
        let mut sum = [0_u32; 3];
        padded[..2 * reach].iter().for_each(|pixel| (0..3).for_each(|i| sum[i] += u32::from(pixel[i])));
        for ((kept, last), first) in kept.iter_mut().zip(&padded[2 * reach..]).zip(&*padded) {
            (0..3).for_each(|i| sum[i] += u32::from(last[i]));
            *kept = sum.map(keep);
            (0..3).for_each(|i| sum[i] -= u32::from(first[i]));
        }
    });
}

/// Sums the intermediate values along the columns and divides. In a band of rows, the sums of all columns move down
/// together.
fn average_columns(across: &[[u16; 3]], size: u32, codes: &mut Codes) {
    let (width, last, reach) = (codes.width, codes.height as isize - 1, (size / 2) as isize);
    let by = divisor(size, codes.bits);
    let (half, inverse) = (by / 2, (1_u64 << INVERSE_BITS).div_ceil(u64::from(by)) as u32);
    let row = |y: isize| across[y.clamp(0, last) as usize * width..][..width].as_flattened();
    let band = codes.height.div_ceil(4 * rayon::current_num_threads()).max(BAND);
    codes.rgb.par_chunks_mut(width * band).enumerate().for_each(|(index, rows)| {
        let first = (index * band) as isize;
        let mut sums = vec![0_u32; 3 * width];
        for y in first - reach..first + reach {
            sums.iter_mut().zip(row(y)).for_each(|(sum, &value)| *sum += u32::from(value));
        }
        for (y, out) in (first..).zip(rows.chunks_exact_mut(width)) {
            let (below, above) = (row(y + reach), row(y - reach));
            for (((sum, out), &below), &above) in sums.iter_mut().zip(out.as_flattened_mut()).zip(below).zip(above) {
                let whole = *sum + u32::from(below);
                *out = ((u64::from(whole + half) * u64::from(inverse)) >> INVERSE_BITS) as u16;
                *sum = whole - u32::from(above);
            }
        }
    });
}
