//! Fast changes of single pixels: a table for what depends on a code alone, and multiplications by inverses for the
//! remaining divisions.

use rayon::prelude::*;

use super::Codes;
use crate::picture::color::luminance_of_half_sum;

/// Fractional bits of an inverse. A pixel's code times a luminance plus half of another is less than 2^25, and the
/// divisor is less than 2^12: with as many bits as both together, rounding the inverse up never carries a quotient
/// over an integer.
const INVERSE_BITS: u32 = 37;
/// Pixels that a thread takes at a time.
const SHARE: usize = 1 << 14;

/// Luminance bin of a pixel with `BINS` bins: [`luminance_bin`](crate::picture::color::luminance_bin), without a
/// division.
#[inline(always)]
pub(super) fn luminance<const BINS: usize>([r, g, b]: [u16; 3]) -> u32 {
    luminance_of_half_sum::<BINS>(1063 * u32::from(r) + 3576 * u32::from(g) + 361 * u32::from(b))
}

/// 2^37 / `divisor`, rounded up.
pub(super) const fn inverse(divisor: u32) -> u64 {
    (1_u64 << INVERSE_BITS).div_ceil(divisor as u64)
}

/// ⌊`value` / divisor⌋ from the divisor's [`inverse`].
#[inline(always)]
pub(super) const fn divided(value: u64, inverse: u64) -> u64 {
    (value * inverse) >> INVERSE_BITS
}

/// Calls a function with the number of bins as its constant.
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

/// Gives every pixel the luminance that `curve` maps its own to, and keeps hue and saturation.
pub(super) fn scale_luminance(codes: &mut Codes, curve: &[u32]) {
    // ⌊(code · to + from / 2) / from⌋ is code · factor + addend, shifted; factor and addend depend only on the
    // luminance. Without luminance, the pixel stays as it is.
    let scale = |(from, &to): (u32, &u32)| match from {
        0 => (1 << INVERSE_BITS, 0),
        _ => (u64::from(to) * inverse(from), u64::from(from / 2) * inverse(from)),
    };
    let scales: Vec<_> = (0_u32..).zip(curve).map(scale).collect();
    by_depth!(codes.bits, scale_all(&mut codes.rgb, &scales));
}

fn scale_all<const BINS: usize>(rgb: &mut [[u16; 3]], scales: &[(u64, u64)]) {
    rgb.par_chunks_mut(SHARE).for_each(|pixels| {
        for pixel in pixels {
            let (factor, addend) = scales[luminance::<BINS>(*pixel) as usize];
            *pixel =
                pixel.map(|code| ((u64::from(code) * factor + addend) >> INVERSE_BITS).min(BINS as u64 - 1) as u16);
        }
    });
}

/// Maps red, green and blue by a curve each.
pub(super) fn look_up_channels(codes: &mut Codes, curves: &[Vec<u32>; 3]) {
    let curves = curves.each_ref().map(|curve| curve.iter().map(|&code| code as u16).collect::<Vec<_>>());
    codes.rgb.par_chunks_mut(SHARE).for_each(|pixels| {
        for pixel in pixels {
            *pixel = std::array::from_fn(|channel| curves[channel][usize::from(pixel[channel])]);
        }
    });
}

/// Gives every pixel the tone that `tones` has for its luminance.
pub(super) fn look_up_luminance(codes: &mut Codes, tones: &[[u16; 3]]) {
    by_depth!(codes.bits, look_up_all(&mut codes.rgb, tones));
}

fn look_up_all<const BINS: usize>(rgb: &mut [[u16; 3]], tones: &[[u16; 3]]) {
    rgb.par_chunks_mut(SHARE).for_each(|pixels| {
        pixels.iter_mut().for_each(|pixel| *pixel = tones[luminance::<BINS>(*pixel) as usize]);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::color::luminance_bin;

    #[test]
    fn inverses_divide_exactly() {
        for divisor in 1..4096_u32 {
            let inverse = inverse(divisor);
            // A rounded inverse would first be wrong at the beginning and the end of a quotient.
            for quotient in [0, 1, 2, 1000, 4095, (1 << 25) / divisor] {
                for value in [quotient * divisor, (quotient + 1) * divisor - 1].map(|value| value.min((1 << 25) - 1)) {
                    let found = divided(u64::from(value), inverse);
                    assert_eq!(found, u64::from(value / divisor), "{value} / {divisor}");
                }
            }
        }
    }

    #[test]
    fn luminance_is_the_definition_s() {
        fn compare<const BINS: usize>(bits: u32) {
            for code in 0..BINS as u16 {
                let mixed = [code, BINS as u16 - 1 - code, code / 3];
                for pixel in [[code; 3], mixed] {
                    assert_eq!(luminance::<BINS>(pixel), luminance_bin(pixel.map(u32::from), bits), "{pixel:?}");
                }
            }
        }
        compare::<256>(8);
        compare::<1024>(10);
        compare::<4096>(12);
    }
}
