//! AVX2 implementation of the conversion of 8-bit Y'CbCr with horizontally halved chroma.
//!
//! The compiler vectorizes the loops in [`convert`](super::convert) well, but needs an array in memory between each two
//! of them. Here a pixel stays in registers from its luma code to the indices under which [`pairs`](super::pairs)
//! counts it, which leaves the first-level cache to the bins. The arithmetic is the same.
//!
//! Rows of a view are drawn in the same manner: from levels of three components to R'G'B' bytes, without intermediate
//! arrays.
//!
//! A histogram does not depend on the order of the pixels. Pixels at even and at odd positions are therefore converted
//! separately and stay separate, so that a chroma sample need not be repeated for its two pixels.

use std::arch::x86_64::*;

use super::convert::{BLOCK, STEP, SharedTerms};
use super::resample::{GROUP, GROUP_READS, PixelGroup};
use histoscope_core::histogram::pixel_light::HLG_WEIGHTS;
use histoscope_core::picture::color::{Conversion, fraction_bits};
use histoscope_core::picture::luminance::{LuminanceWeights, luminance_magic};
use histoscope_core::tone_map::{CODES_AT, GAINS_AT, LIGHTS, LOWEST, SIGNALS, STEP_BITS, SYSTEM_AT, ToneTables, WORDS};

/// The highest code.
const TOP: i16 = 255;
const FRACTION: i32 = fraction_bits(8) as i32;
/// Shift to the right of the upper 32 bits of a 64-bit product that yields the luminance.
const LUMINANCE_SHIFT: i32 = luminance_magic::<256>().1 as i32 - 32;

/// Computes the terms of a row of chroma samples, whose length is a multiple of eight.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(super) fn set_chroma(terms: &mut SharedTerms, conversion: &Conversion, second: &[u16], third: &[u16]) {
    let (second, third) = (second.as_chunks::<8>().0, third.as_chunks::<8>().0);
    for (channel, terms) in terms.iter_mut().enumerate() {
        let [_, w1, w2] = conversion.weights[channel].map(|weight| _mm256_set1_epi32(weight));
        let bias = _mm256_set1_epi32(conversion.bias[channel]);
        for ((term, &c1), &c2) in terms.iter_mut().zip(second).zip(third) {
            let (c1, c2) = (_mm256_cvtepu16_epi32(bytemuck::cast(c1)), _mm256_cvtepu16_epi32(bytemuck::cast(c2)));
            let weighted = _mm256_add_epi32(_mm256_mullo_epi32(c1, w1), _mm256_mullo_epi32(c2, w2));
            *term = bytemuck::cast(_mm256_add_epi32(weighted, bias));
        }
    }
}

/// Converts a run of pixels, whose length is a multiple of [`STEP`], and writes the indices under which the pairs of
/// green and luminance and of red and blue are counted. Adds the pixels below and above the range of red, green and
/// blue to `out_of_range`.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(super) fn convert(
    indices: &mut [[u16; BLOCK]; 2],
    (luma, weight): (&[u16], i32),
    terms: &SharedTerms,
    luminance_weights: LuminanceWeights,
    out_of_range: &mut [u32; 6],
) {
    let luma = luma.as_chunks::<STEP>().0;
    let [first, second] = indices.each_mut().map(|indices| &mut indices.as_chunks_mut::<STEP>().0[..luma.len()]);
    let [red_terms, green_terms, blue_terms] = terms.each_ref().map(|terms| &terms[..luma.len()]);
    let weight = _mm256_set1_epi32(weight);
    // All weights fit in 16 bits with their sign.
    let [red_part, green_part, blue_part] = luminance_weights.ten_thousandths().map(u32::cast_signed);
    let parts = [red_part | green_part << 16, blue_part].map(|parts| _mm256_set1_epi32(parts));
    let mut outside = [_mm256_setzero_si256(); 6];
    for i in 0..luma.len() {
        let codes: __m256i = bytemuck::cast(luma[i]);
        let even = _mm256_mullo_epi32(_mm256_and_si256(codes, _mm256_set1_epi32(0xffff)), weight);
        let odd = _mm256_mullo_epi32(_mm256_srli_epi32::<16>(codes), weight);
        let mut red = unclamped(even, odd, &red_terms[i]);
        let mut green = unclamped(even, odd, &green_terms[i]);
        let mut blue = unclamped(even, odd, &blue_terms[i]);
        // Codes out of range have a bit set above the lowest eight. Most pictures have few of them, close together.
        let any = _mm256_or_si256(_mm256_or_si256(red, green), blue);
        if _mm256_testz_si256(any, _mm256_set1_epi16(!TOP)) == 0 {
            red = clamped(red, &mut outside, 0);
            green = clamped(green, &mut outside, 1);
            blue = clamped(blue, &mut outside, 2);
        }
        first[i] = bytemuck::cast(index(green, luminance([red, green, blue], parts)));
        second[i] = bytemuck::cast(index(red, blue));
    }
    for (count, lanes) in out_of_range.iter_mut().zip(outside) {
        *count += bytemuck::cast::<_, [u16; 16]>(lanes).map(u32::from).iter().sum::<u32>();
    }
}

/// Returns a channel of 16 pixels before the clamp.
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn unclamped(even: __m256i, odd: __m256i, term: &[i32; 8]) -> __m256i {
    let term = bytemuck::cast(*term);
    let even = _mm256_srai_epi32::<FRACTION>(_mm256_add_epi32(even, term));
    let odd = _mm256_srai_epi32::<FRACTION>(_mm256_add_epi32(odd, term));
    _mm256_packs_epi32(even, odd)
}

/// Returns the clamped codes of a channel; counts the values below and above the range.
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn clamped(values: __m256i, outside: &mut [__m256i; 6], channel: usize) -> __m256i {
    let (zero, top) = (_mm256_setzero_si256(), _mm256_set1_epi16(TOP));
    // A comparison that holds yields -1.
    outside[2 * channel] = _mm256_sub_epi16(outside[2 * channel], _mm256_cmpgt_epi16(zero, values));
    outside[2 * channel + 1] = _mm256_sub_epi16(outside[2 * channel + 1], _mm256_cmpgt_epi16(values, top));
    _mm256_min_epi16(_mm256_max_epi16(values, zero), top)
}

/// Returns the luminance bins of 16 pixels, given the weights of red and green, interleaved, and of blue.
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn luminance([red, green, blue]: [__m256i; 3], weights: [__m256i; 2]) -> __m256i {
    let zero = _mm256_setzero_si256();
    let low = luminance_of([_mm256_unpacklo_epi16(red, green), _mm256_unpacklo_epi16(blue, zero)], weights);
    let high = luminance_of([_mm256_unpackhi_epi16(red, green), _mm256_unpackhi_epi16(blue, zero)], weights);
    // Only pure white reaches 256.
    _mm256_min_epi16(_mm256_packs_epi32(low, high), _mm256_set1_epi16(TOP))
}

/// Returns the luminance of eight pixels, given red interleaved with green, and blue interleaved with zero.
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn luminance_of([red_green, blue]: [__m256i; 2], weights: [__m256i; 2]) -> __m256i {
    let sums = _mm256_add_epi32(_mm256_madd_epi16(red_green, weights[0]), _mm256_madd_epi16(blue, weights[1]));
    let magic = _mm256_set1_epi64x(luminance_magic::<256>().0 as i64);
    // The 64-bit product exists for even lanes only, so the odd lanes are moved there and back.
    let even = _mm256_srli_epi64::<{ 32 + LUMINANCE_SHIFT }>(_mm256_mul_epu32(sums, magic));
    let odd = _mm256_mul_epu32(_mm256_srli_epi64::<32>(sums), magic);
    _mm256_blend_epi32::<0b1010_1010>(even, _mm256_srli_epi64::<LUMINANCE_SHIFT>(odd))
}

/// Returns the table indices of pairs of codes; see [`index_of`](super::pairs::index_of).
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn index(first: __m256i, second: __m256i) -> __m256i {
    _mm256_or_si256(first, _mm256_slli_epi16::<8>(_mm256_sub_epi16(second, first)))
}

/// Draws pixels, in a multiple of [`GROUP`], from rows of levels; see [`to_pixels`](super::resample::to_pixels).
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(super) fn to_pixels(rgb: &[[f32; 4]; 3], rows: [&[i16]; 3], groups: [&[PixelGroup]; 3], pixels: &mut [u32]) {
    let rgb = rgb.map(|row| row.map(|weight| _mm256_set1_ps(weight)));
    // Turns the channels within each half into pixels.
    let order = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    let opaque = _mm256_set1_epi32(255);
    let [first, second, third] = groups;
    let groups = first.iter().zip(second).zip(third);
    for (pixels, ((a, b), c)) in pixels.as_chunks_mut::<GROUP>().0.iter_mut().zip(groups) {
        let values = [values_of(rows[0], a), values_of(rows[1], b), values_of(rows[2], c)];
        let [x, y, z] = rgb.map(|row| channel_of(&row, values));
        let (xy, zw) = (_mm256_packus_epi32(x, y), _mm256_packus_epi32(z, opaque));
        *pixels = bytemuck::cast(_mm256_shuffle_epi8(_mm256_packus_epi16(xy, zw), order));
    }
}

/// Draws pixels, in a multiple of [`GROUP`], from rows of levels, with tones mapped. Red and blue are at these bytes.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(super) fn to_mapped_pixels(
    (rgb, tone): (&[[f32; 4]; 3], &ToneTables),
    rows: [&[i16]; 3],
    groups: [&[PixelGroup]; 3],
    (red_blue, pixels): ([usize; 2], &mut [u32]),
) {
    let mapping = Mapping::new(rgb, tone, red_blue);
    let [first, second, third] = groups;
    let groups = first.iter().zip(second).zip(third);
    for (pixels, ((a, b), c)) in pixels.as_chunks_mut::<GROUP>().0.iter_mut().zip(groups) {
        *pixels = bytemuck::cast(mapping.pixels([values_of(rows[0], a), values_of(rows[1], b), values_of(rows[2], c)]));
    }
}

/// As [`to_mapped_pixels`], from values that are already interpolated.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(super) fn values_to_mapped_pixels(
    (rgb, tone): (&[[f32; 4]; 3], &ToneTables),
    values: [&[i32]; 3],
    (red_blue, pixels): ([usize; 2], &mut [u32]),
) {
    let mapping = Mapping::new(rgb, tone, red_blue);
    let [first, second, third] = values.map(|values| values.as_chunks::<GROUP>().0);
    let values = first.iter().zip(second).zip(third);
    for (pixels, ((&a, &b), &c)) in pixels.as_chunks_mut::<GROUP>().0.iter_mut().zip(values) {
        *pixels = bytemuck::cast(mapping.pixels([a, b, c].map(|values| _mm256_cvtepi32_ps(bytemuck::cast(values)))));
    }
}

/// A tone mapping of eight pixels at a time; see [`ToneTables::shown`].
struct Mapping<'a> {
    rgb: [[__m256; 4]; 3],
    words: &'a [f32; WORDS],
    has_system_gamma: bool,
    gamut: [[__m256; 3]; 3],
    /// Left shifts of red, green and blue in a pixel.
    shifts: [__m128i; 3],
}

impl<'a> Mapping<'a> {
    #[target_feature(enable = "avx2,bmi1,bmi2")]
    fn new(rgb: &[[f32; 4]; 3], tone: &'a ToneTables, [red, blue]: [usize; 2]) -> Self {
        Self {
            rgb: rgb.map(|row| row.map(|weight| _mm256_set1_ps(weight))),
            words: tone.words(),
            has_system_gamma: tone.has_system_gamma(),
            gamut: tone.gamut.map(|row| row.map(|weight| _mm256_set1_ps(weight))),
            shifts: [red, 1, blue].map(|byte| _mm_cvtsi32_si128(8 * byte as i32)),
        }
    }

    /// Returns eight opaque pixels with these values of their components.
    #[target_feature(enable = "avx2,bmi1,bmi2")]
    fn pixels(&self, values: [__m256; 3]) -> __m256i {
        let mut light = self.rgb.map(|[x, y, z, bias]| {
            let signal = _mm256_add_ps(weighted(&[x, y, z], values), bias);
            self.light_of(signal)
        });
        if self.has_system_gamma {
            let weights = HLG_WEIGHTS.map(|weight| _mm256_set1_ps(weight as f32 / 10_000.0));
            let gain = self.by_light::<SYSTEM_AT>(weighted(&weights, light));
            light = light.map(|light| _mm256_mul_ps(light, gain));
        }
        let gain = self.by_light::<GAINS_AT>(_mm256_max_ps(_mm256_max_ps(light[0], light[1]), light[2]));
        let light = light.map(|light| _mm256_mul_ps(light, gain));
        let mut pixels = _mm256_set1_epi32(i32::from_ne_bytes([0, 0, 0, 255]));
        for (row, shift) in self.gamut.iter().zip(self.shifts) {
            let code = self.by_light::<CODES_AT>(_mm256_max_ps(weighted(row, light), _mm256_setzero_ps()));
            pixels = _mm256_or_si256(pixels, _mm256_sll_epi32(_mm256_cvttps_epi32(code), shift));
        }
        pixels
    }

    /// Returns the light of signals.
    #[target_feature(enable = "avx2,bmi1,bmi2")]
    fn light_of(&self, signal: __m256) -> __m256 {
        let last = _mm256_set1_ps((SIGNALS - 1) as f32);
        let signal = _mm256_min_ps(_mm256_max_ps(signal, _mm256_setzero_ps()), last);
        let below = _mm256_min_epi32(_mm256_cvttps_epi32(signal), _mm256_set1_epi32(SIGNALS as i32 - 2));
        let (low, high) = (self.gather::<0, { SIGNALS - 2 }>(below), self.gather::<1, { SIGNALS - 2 }>(below));
        let part = _mm256_sub_ps(signal, _mm256_cvtepi32_ps(below));
        _mm256_add_ps(low, _mm256_mul_ps(part, _mm256_sub_ps(high, low)))
    }

    /// Returns the entries for lights that are not negative, in the table that begins at `AT`.
    #[target_feature(enable = "avx2,bmi1,bmi2")]
    fn by_light<const AT: usize>(&self, light: __m256) -> __m256 {
        let lowest = _mm256_set1_epi32(LOWEST as i32);
        let upper = _mm256_srli_epi32::<{ 23 - STEP_BITS as i32 }>(_mm256_castps_si256(light));
        self.gather::<AT, { LIGHTS - 1 }>(_mm256_sub_epi32(_mm256_max_epi32(upper, lowest), lowest))
    }

    /// Returns the words from `AT` on at indices that are not negative, the highest of which is `LAST`.
    #[target_feature(enable = "avx2,bmi1,bmi2")]
    fn gather<const AT: usize, const LAST: usize>(&self, indices: __m256i) -> __m256 {
        const { assert!(AT + LAST < WORDS) };
        let indices =
            _mm256_max_epi32(_mm256_min_epi32(indices, _mm256_set1_epi32(LAST as i32)), _mm256_setzero_si256());
        // SAFETY: the indices are at most LAST, and the assertion shows that the words from AT to AT + LAST exist.
        unsafe { _mm256_i32gather_ps::<4>(self.words.as_ptr().add(AT), indices) }
    }
}

/// Returns the weighted sums of three components.
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn weighted([x, y, z]: &[__m256; 3], [a, b, c]: [__m256; 3]) -> __m256 {
    let sum = _mm256_add_ps(_mm256_mul_ps(*x, a), _mm256_mul_ps(*y, b));
    _mm256_add_ps(sum, _mm256_mul_ps(*z, c))
}

/// Returns the interpolated values of a row of levels at eight pixels.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn values_of(row: &[i16], group: &PixelGroup) -> __m256 {
    // Read as a whole: sample by sample, the copy would take longer than everything else here, if built for tests.
    let half = |half: usize| -> [i16; GROUP_READS] {
        let samples = &row[group.first[half] as usize..][..GROUP_READS];
        bytemuck::pod_read_unaligned(bytemuck::cast_slice(samples))
    };
    let samples = _mm256_set_m128i(bytemuck::cast(half(1)), bytemuck::cast(half(0)));
    let pairs = _mm256_shuffle_epi8(samples, bytemuck::cast(group.picks));
    _mm256_cvtepi32_ps(_mm256_madd_epi16(pairs, bytemuck::cast(group.weights)))
}

/// Returns a channel of eight pixels, rounded, before the clamp.
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn channel_of([x, y, z, bias]: &[__m256; 4], [a, b, c]: [__m256; 3]) -> __m256i {
    let sum = _mm256_add_ps(weighted(&[*x, *y, *z], [a, b, c]), *bias);
    _mm256_cvttps_epi32(_mm256_add_ps(sum, _mm256_set1_ps(0.5)))
}
