//! A box blur: each code becomes the mean of a square of k × k pixels around it, k odd. Beyond an edge the pixel at the edge
//! repeats. Run three times it is close to a Gaussian blur.
//!
//! It is done along the rows and then along the columns. Up to 10 bits a code the sums of k codes of a row fit in 16 bits
//! and stay exact, so that the result is the mean itself, rounded; since k² is odd no mean lies half way between two codes.
//! At 12 bits, the mean of a row's k codes is kept to a sixteenth of a code, rounded; the result is within a sixteenth
//! of a code of the mean before it is rounded.

use rayon::prelude::*;

use super::Codes;
use super::parameters::Blur;

/// What a sum of `size` codes along a row is kept as.
#[inline]
#[must_use]
pub const fn kept(sum: u32, size: u32, bits: u32) -> u32 {
    if bits <= 10 { sum } else { (16 * sum + size / 2) / size }
}

/// What the sum of `size` such values along a column is divided by.
#[inline]
#[must_use]
pub const fn divisor(size: u32, bits: u32) -> u32 {
    if bits <= 10 { size * size } else { 16 * size }
}

/// The blurred picture.
#[must_use]
pub fn apply(codes: &Codes, blur: Blur) -> Codes {
    let Blur { size, runs } = blur.clamped();
    let mut blurred = codes.clone();
    for _ in 0..runs {
        blurred = once(&blurred, size);
    }
    blurred
}

fn once(codes: &Codes, size: u32) -> Codes {
    let (width, height, reach) = (codes.width, codes.height, (size / 2) as usize);
    let mut across = vec![[0_u16; 3]; codes.rgb.len()];
    across.par_chunks_exact_mut(width).zip(codes.rgb.par_chunks_exact(width)).for_each(|(kept_row, row)| {
        let at = |x: isize| row[x.clamp(0, width as isize - 1) as usize];
        let mut sum = [0_u32; 3];
        (-(reach as isize)..reach as isize).for_each(|x| add(&mut sum, at(x)));
        for (x, out) in (0_isize..).zip(kept_row) {
            add(&mut sum, at(x + reach as isize));
            *out = sum.map(|sum| kept(sum, size, codes.bits) as u16);
            subtract(&mut sum, at(x - reach as isize));
        }
    });
    // Bands of rows, in which the sums of all columns move down together.
    let by = divisor(size, codes.bits);
    let band = 64;
    let mut rgb = vec![[0_u16; 3]; codes.rgb.len()];
    rgb.par_chunks_mut(width * band).enumerate().for_each(|(index, rows)| {
        let first = (index * band) as isize;
        let row = |y: isize| &across[y.clamp(0, height as isize - 1) as usize * width..][..width];
        let mut sums = vec![[0_u32; 3]; width];
        for y in first - reach as isize..first + reach as isize {
            sums.iter_mut().zip(row(y)).for_each(|(sum, &value)| add(sum, value));
        }
        for (y, out) in (first..).zip(rows.chunks_exact_mut(width)) {
            sums.iter_mut().zip(row(y + reach as isize)).for_each(|(sum, &value)| add(sum, value));
            for (pixel, sum) in out.iter_mut().zip(&sums) {
                *pixel = sum.map(|sum| ((sum + by / 2) / by) as u16);
            }
            sums.iter_mut().zip(row(y - reach as isize)).for_each(|(sum, &value)| subtract(sum, value));
        }
    });
    Codes { rgb, ..*codes }
}

fn add(sum: &mut [u32; 3], pixel: [u16; 3]) {
    sum.iter_mut().zip(pixel).for_each(|(sum, code)| *sum += u32::from(code));
}

fn subtract(sum: &mut [u32; 3], pixel: [u16; 3]) {
    sum.iter_mut().zip(pixel).for_each(|(sum, code)| *sum -= u32::from(code));
}
