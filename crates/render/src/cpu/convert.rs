//! Conversion of component codes to codes of red, green, blue and luminance, a block of pixels at a time.
//!
//! The arithmetic is exactly that of [`Conversion`]: per channel, a weighted sum of three components plus a bias,
//! shifted right. Only the order differs. The contribution of the second and third component is the same for all pixels
//! that share a chroma sample, so it is computed once per chroma row and kept as one *term* per channel. A pixel then
//! costs one multiplication of its luma and one addition, shift and clamp per channel. Integer sums do not depend on
//! the order, not even if an intermediate sum wraps around.

use histoscope_core::picture::color::{Conversion, fraction_bits};
use histoscope_core::picture::luminance::luminance_of_sum;

/// Number of pixels that are converted and then counted at a time. Their codes and terms fit in the first-level cache
/// along with the bins, and a block is a multiple of the widest chroma subsampling.
pub(super) const BLOCK: usize = 512;

/// The terms of the second and third component in red, green and blue, one entry per pixel of a block.
type Terms = [[i32; BLOCK]; 3];

/// Number of pixels that [`Level::convert`](super::Level::convert) takes at a time; the length of a run must be a
/// multiple of it.
pub(super) const STEP: usize = 16;

/// The terms of chroma samples in red, green and blue; each sample covers two pixels.
pub(super) type SharedTerms = [[[i32; STEP / 2]; BLOCK / STEP]; 3];

/// The intermediate arrays for converting a block of pixels.
///
/// They live as long as the worker; local variables would have to be cleared for every block.
pub(super) struct Converter {
    /// Terms of a run of chroma samples, before they are repeated for each pixel.
    shared_terms: [i32; BLOCK],
    terms: Terms,
    /// Red, green and blue before the clamp.
    unclamped: [[i16; BLOCK]; 3],
    /// Each pixel's weighted sum of red, green and blue.
    sums: [u32; BLOCK],
    /// Codes of red, green and blue, and the luminance bins.
    codes: [[u16; BLOCK]; 4],
}

impl Converter {
    /// Creates a converter whose arrays are zero.
    pub const fn new() -> Self {
        Self {
            shared_terms: [0; BLOCK],
            terms: [[0; BLOCK]; 3],
            unclamped: [[0; BLOCK]; 3],
            sums: [0; BLOCK],
            codes: [[0; BLOCK]; 4],
        }
    }

    /// Computes the terms of a row of chroma samples (or of second and third colour components), each of which is
    /// shared by 2^`repeat_shift` neighbouring pixels.
    #[inline(always)]
    pub fn set_chroma(&mut self, conversion: &Conversion, repeat_shift: u8, second: &[u16], third: &[u16]) {
        let count = second.len();
        for channel in 0..3 {
            let [_, w1, w2] = conversion.weights[channel];
            let bias = conversion.bias[channel];
            for ((term, &c1), &c2) in self.shared_terms[..count].iter_mut().zip(second).zip(third) {
                let weighted = w1.wrapping_mul(i32::from(c1)).wrapping_add(w2.wrapping_mul(i32::from(c2)));
                *term = weighted.wrapping_add(bias);
            }
            // A separate loop: the compiler does not vectorize a loop that both computes and repeats.
            let shared = &self.shared_terms[..count];
            match repeat_shift {
                0 => self.terms[channel][..count].copy_from_slice(shared),
                1 => repeat::<2>(shared, &mut self.terms[channel]),
                _ => repeat::<4>(shared, &mut self.terms[channel]),
            }
        }
    }

    /// Converts the pixels of `first` (luma, or the first colour component) to codes, and adds the numbers of pixels
    /// below and above the range of red, green and blue to `out_of_range`.
    ///
    /// Several short loops over small arrays instead of one long one: the compiler vectorizes each of them, and the
    /// arrays between them never leave the first-level cache.
    #[inline(always)]
    pub fn convert<const BINS: usize>(
        &mut self,
        conversion: &Conversion,
        first: &[u16],
        out_of_range: &mut [u32; 6],
    ) -> [&[u16]; 4] {
        let count = first.len();
        let [w0, w1, w2] = conversion.weights.map(|row| row[0]);
        if w0 == w1 && w0 == w2 {
            // Y'CbCr: luma weighs the same in all channels. Given a single weight, the compiler multiplies once.
            add_terms::<BINS>([w0; 3], first, &self.terms, &mut self.unclamped);
        } else {
            add_terms::<BINS>([w0, w1, w2], first, &self.terms, &mut self.unclamped);
        }
        let [red, green, blue, luminance] = self.codes.each_mut().map(|codes| &mut codes[..count]);
        for (channel, codes) in [&mut *red, &mut *green, &mut *blue].into_iter().enumerate() {
            let (below, above) = clamp::<BINS>(&self.unclamped[channel][..count], codes);
            out_of_range[2 * channel] += u32::from(below);
            out_of_range[2 * channel + 1] += u32::from(above);
        }
        let sums = &mut self.sums[..count];
        let [red_weight, green_weight, blue_weight] = conversion.luminance.ten_thousandths();
        for (sum, ((&r, &g), &b)) in sums.iter_mut().zip(red.iter().zip(&*green).zip(&*blue)) {
            *sum = red_weight * u32::from(r) + green_weight * u32::from(g) + blue_weight * u32::from(b);
        }
        for (bin, &sum) in luminance.iter_mut().zip(&*sums) {
            *bin = luminance_of_sum::<BINS>(sum) as u16;
        }
        [red, green, blue, luminance]
    }
}

/// Writes every value `COUNT` times, the last one as often as there is room.
#[inline(always)]
pub(super) fn repeat<const COUNT: usize>(values: &[i32], repeated: &mut [i32]) {
    let (groups, rest) = repeated.as_chunks_mut::<COUNT>();
    for (group, &value) in groups.iter_mut().zip(values) {
        *group = [value; COUNT];
    }
    if let Some(&last) = values.last() {
        rest.fill(last);
    }
}

/// Computes red, green and blue before the clamp, from the first component and the terms of the others.
#[inline(always)]
fn add_terms<const BINS: usize>(weights: [i32; 3], first: &[u16], terms: &Terms, unclamped: &mut [[i16; BLOCK]; 3]) {
    let count = first.len();
    let [red, green, blue] = unclamped;
    let (red, green, blue) = (&mut red[..count], &mut green[..count], &mut blue[..count]);
    let [red_terms, green_terms, blue_terms] = terms.each_ref().map(|terms| &terms[..count]);
    // Codes have at most 12 bits and grow to fewer than 14 in the conversion, so they fit in 16 bits with their sign.
    let channel = |weight: i32, code: u16, term: i32| {
        let sum = weight.wrapping_mul(i32::from(code)).wrapping_add(term);
        (sum >> fraction_bits(BINS.trailing_zeros())) as i16
    };
    for i in 0..count {
        red[i] = channel(weights[0], first[i], red_terms[i]);
        green[i] = channel(weights[1], first[i], green_terms[i]);
        blue[i] = channel(weights[2], first[i], blue_terms[i]);
    }
}

/// Clamps a block and returns the numbers of values below and above the range. A block is shorter than 2^16 pixels, so
/// 16-bit counts suffice.
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
