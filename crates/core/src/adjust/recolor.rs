//! Fast changes of individual pixels: table lookups where the result depends only on a code, and multiplication by
//! inverses in place of the remaining divisions.

use rayon::prelude::*;

use super::Codes;
use crate::picture::luminance::{LuminanceWeights, luminance_of_sum};

/// Fractional bits of an inverse. A dividend, a code times a luminance plus half another luminance, is less than 2^25,
/// and a divisor is less than 2^12: with 25 + 12 bits, rounding the inverse up never carries a quotient over an
/// integer.
const INVERSE_BITS: u32 = 37;
/// Number of pixels that a thread processes at a time.
const SHARE: usize = 1 << 14;

/// Returns the luminance bin of a pixel out of `BINS` bins, like [`LuminanceWeights::bin`], but without a division.
#[inline(always)]
pub(super) fn luminance<const BINS: usize>(weights: LuminanceWeights, [r, g, b]: [u16; 3]) -> u32 {
    let [red, green, blue] = weights.ten_thousandths();
    luminance_of_sum::<BINS>(red * u32::from(r) + green * u32::from(g) + blue * u32::from(b))
}

/// Returns 2^37 / `divisor`, rounded up.
pub(super) const fn inverse(divisor: u32) -> u64 {
    (1_u64 << INVERSE_BITS).div_ceil(divisor as u64)
}

/// Returns ⌊`value` / divisor⌋, given the divisor's [`inverse`].
#[inline(always)]
pub(super) const fn divided(value: u64, inverse: u64) -> u64 {
    (value * inverse) >> INVERSE_BITS
}

/// Calls a function with the number of bins for a depth as its const generic argument.
macro_rules! by_depth {
    ($bits:expr, $function:ident($($argument:expr),* $(,)?)) => {
        match $bits {
            8 => $function::<256>($($argument),*),
            10 => $function::<1024>($($argument),*),
            _ => $function::<4096>($($argument),*),
        }
    };
}
pub(super) use by_depth;

/// Maps every pixel's luminance by `curve` and keeps its hue and saturation.
pub(super) fn scale_luminance(codes: &mut Codes, curve: &[u32]) {
    // ⌊(code · to + from / 2) / from⌋ is code · factor + addend, shifted; factor and addend depend only on the
    // luminance. With zero luminance, the pixel is unchanged.
    let scale = |(from, &to): (u32, &u32)| match from {
        0 => (1 << INVERSE_BITS, 0),
        _ => (u64::from(to) * inverse(from), u64::from(from / 2) * inverse(from)),
    };
    let scales: Vec<_> = (0_u32..).zip(curve).map(scale).collect();
    by_depth!(codes.bits, scale_all(&mut codes.rgb, codes.luminance, &scales));
}

fn scale_all<const BINS: usize>(rgb: &mut [[u16; 3]], weights: LuminanceWeights, scales: &[(u64, u64)]) {
    rgb.par_chunks_mut(SHARE).for_each(|pixels| {
        for pixel in pixels {
            let (factor, addend) = scales[luminance::<BINS>(weights, *pixel) as usize];
            *pixel =
                pixel.map(|code| ((u64::from(code) * factor + addend) >> INVERSE_BITS).min(BINS as u64 - 1) as u16);
        }
    });
}

/// Maps red, green and blue, each by its own curve.
pub(super) fn look_up_channels(codes: &mut Codes, curves: &[Vec<u32>; 3]) {
    let curves = curves.each_ref().map(|curve| curve.iter().map(|&code| code as u16).collect::<Vec<_>>());
    codes.rgb.par_chunks_mut(SHARE).for_each(|pixels| {
        for pixel in pixels {
            *pixel = std::array::from_fn(|channel| curves[channel][usize::from(pixel[channel])]);
        }
    });
}

/// Replaces every pixel by the entry of `tones` for its luminance.
pub(super) fn look_up_luminance(codes: &mut Codes, tones: &[[u16; 3]]) {
    by_depth!(codes.bits, look_up_all(&mut codes.rgb, codes.luminance, tones));
}

fn look_up_all<const BINS: usize>(rgb: &mut [[u16; 3]], weights: LuminanceWeights, tones: &[[u16; 3]]) {
    rgb.par_chunks_mut(SHARE).for_each(|pixels| {
        pixels.iter_mut().for_each(|pixel| *pixel = tones[luminance::<BINS>(weights, *pixel) as usize]);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses_divide_exactly() {
        for divisor in 1..4096_u32 {
            let inverse = inverse(divisor);
            // An inexact inverse would fail first at the smallest and largest values with the same quotient.
            for quotient in [0, 1, 2, 1000, 4095, (1 << 25) / divisor] {
                for value in [quotient * divisor, (quotient + 1) * divisor - 1].map(|value| value.min((1 << 25) - 1)) {
                    let found = divided(u64::from(value), inverse);
                    assert_eq!(found, u64::from(value / divisor), "{value} / {divisor}");
                }
            }
        }
    }

    #[test]
    fn luminance_agrees_with_its_definition() {
        fn compare<const BINS: usize>(bits: u32) {
            for code in 0..BINS as u16 {
                let mixed = [code, BINS as u16 - 1 - code, code / 3];
                for pixel in [[code; 3], mixed] {
                    for weights in LuminanceWeights::ALL {
                        let expected = weights.bin(pixel.map(u32::from), bits);
                        assert_eq!(luminance::<BINS>(weights, pixel), expected, "{pixel:?}, {weights}");
                    }
                }
            }
        }
        compare::<256>(8);
        compare::<1024>(10);
        compare::<4096>(12);
    }
}
