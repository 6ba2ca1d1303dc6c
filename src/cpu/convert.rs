//! From component codes to the codes of red, green, blue and luminance, a block of pixels at a time.
//!
//! The arithmetic is exactly that of [`Conversion`]: per channel a weighted sum of three components and a bias, shifted
//! right. It is only ordered differently. What the second and third component contribute is the same for all pixels
//! that share a chroma sample, so it is computed once per chroma row and kept as one *term* per channel. A pixel then
//! costs one multiplication of its luma and one addition, shift and clamp per channel. Integer sums do not depend on the
//! order, not even when an intermediate sum wraps around.

use super::BLOCK;
use crate::color::Conversion;

/// Codes of the three colour channels and luminance of a block of pixels.
pub(super) struct Codes {
    /// Red, green, blue.
    pub rgb: [[u16; BLOCK]; 3],
    /// Luminance bins.
    pub luminance: [u16; BLOCK],
}

/// What the second and third component add to red, green and blue, one entry per pixel of a row's block.
pub(super) type Terms = [[i32; BLOCK]; 3];

/// Fills the terms of `REPEAT` × `second.len()` pixels, of which `REPEAT` neighbours share a chroma sample.
#[inline(always)]
pub(super) fn fill_terms<const REPEAT: usize>(
    conversion: &Conversion,
    second: &[u16],
    third: &[u16],
    terms: &mut Terms,
) {
    for channel in 0..3 {
        let [_, w1, w2] = conversion.weights[channel];
        let bias = conversion.bias[channel];
        let (groups, _) = terms[channel].as_chunks_mut::<REPEAT>();
        for ((group, &c1), &c2) in groups.iter_mut().zip(second).zip(third) {
            let weighted = w1.wrapping_mul(i32::from(c1)).wrapping_add(w2.wrapping_mul(i32::from(c2)));
            *group = [weighted.wrapping_add(bias); REPEAT];
        }
    }
}

/// Converts the pixels of `first` (luma, or the first colour component) into codes; returns for red, green and blue how
/// many of them lay below and above the range.
#[inline(always)]
pub(super) fn convert<const BINS: usize>(
    conversion: &Conversion,
    first: &[u16],
    terms: &Terms,
    codes: &mut Codes,
) -> [u32; 6] {
    let count = first.len().min(BLOCK);
    let first = &first[..count];
    let mut unclamped = [[0_i16; BLOCK]; 3];
    for channel in 0..3 {
        let weight = conversion.weights[channel][0];
        for ((out, &code), &term) in unclamped[channel].iter_mut().zip(first).zip(&terms[channel]) {
            // At most 12 bits and a little more: what the deepest picture yields fits in 16 bits.
            *out = (weight.wrapping_mul(i32::from(code)).wrapping_add(term) >> fraction_bits::<BINS>()) as i16;
        }
    }
    let mut out_of_range = [0; 6];
    for channel in 0..3 {
        let (below, above) = clamp::<BINS>(&unclamped[channel][..count], &mut codes.rgb[channel][..count]);
        out_of_range[2 * channel] = u32::from(below);
        out_of_range[2 * channel + 1] = u32::from(above);
    }
    let [red, green, blue] = &codes.rgb;
    let rgb = red[..count].iter().zip(&green[..count]).zip(&blue[..count]);
    for (out, ((&r, &g), &b)) in codes.luminance[..count].iter_mut().zip(rgb) {
        *out = luminance_of_half_sum::<BINS>(1063 * u32::from(r) + 3576 * u32::from(g) + 361 * u32::from(b)) as u16;
    }
    out_of_range
}

/// Clamps a block and counts what lay outside. A block is shorter than 2^16 pixels, so 16-bit counts do.
#[inline(always)]
fn clamp<const BINS: usize>(unclamped: &[i16], clamped: &mut [u16]) -> (u16, u16) {
    let top = (BINS - 1) as i16;
    let (mut below, mut above) = (0_u16, 0_u16);
    for (out, &value) in clamped.iter_mut().zip(unclamped) {
        below += u16::from(value < 0);
        above += u16::from(value > top);
        *out = value.clamp(0, top) as u16;
    }
    (below, above)
}

/// Fractional bits of the conversion to `BINS` codes.
#[inline(always)]
const fn fraction_bits<const BINS: usize>() -> u32 {
    crate::color::fraction_bits(BINS.trailing_zeros())
}

/// The luminance bin of a pixel, from half of its weighted sum: 1063 R + 3576 G + 361 B.
///
/// [`luminance_bin`](crate::color::luminance_bin) is floor(sum · N / (10000 · (N-1))), which divides. Dividing by a
/// constant is multiplying by its inverse in fixed point, M / 2^K, if K is large enough that the rounding of M never
/// carries a sum over an integer. Every weight is even, which halves the sum and saves a bit. The smallest K that is
/// right for *every* sum was searched for each depth; a test goes through all of them. M has 34 bits at 12 bits a code:
/// its upper part is multiplied apart, so that the product needs only the upper half of a 32 × 32 bit multiplication.
#[inline(always)]
pub(super) const fn luminance_of_half_sum<const BINS: usize>(half_sum: u32) -> u32 {
    let (magic, shift): (u64, u32) = match BINS {
        256 => (13_797_793, 36),
        1024 => (55_029_321, 38),
        _ => (14_077_185_649, 46),
    };
    let low = ((half_sum as u64 * (magic & 0xffff_ffff)) >> 32) as u32;
    let high = half_sum * (magic >> 32) as u32;
    let bin = (low + high) >> (shift - 32);
    // Only the whitest pixel of all reaches N.
    let top = BINS as u32 - 1;
    if bin < top { bin } else { top }
}
