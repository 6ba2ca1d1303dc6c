//! Interpolates between the samples of a component in integer arithmetic: the position of each pixel of a row, and its
//! value.
//!
//! Codes of any depth are first converted to 14-bit *levels*. The rest is then the same for every depth, fits the
//! products of pairs of 16-bit numbers that vector instructions offer, and is finer than an 8-bit view can show.

use histoscope_core::tone_map::ToneTables;

/// Bits per level.
pub(super) const LEVEL_BITS: u32 = 14;
/// Bits of the interpolation weights along a row.
pub(super) const PART_BITS: u32 = 14;
const ONE: f64 = (1 << PART_BITS) as f64;
/// Extra samples after the last one in a row of levels, so that a group can be read in full wherever it begins.
pub(super) const SPARE: usize = GROUP_READS;
/// Samples that half a [`PixelGroup`] reads.
pub(super) const GROUP_READS: usize = 8;
/// Pixels per [`PixelGroup`].
pub(super) const GROUP: usize = 8;

/// Positions along one side of the view, each between two samples of a component.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axis {
    low: Vec<u32>,
    high: Vec<u32>,
    /// Distance from the lower sample towards the upper one, in units of 2^-[`PART_BITS`].
    part: Vec<u16>,
}

/// A recipe for computing eight neighbouring pixels from a row of levels. Each half of four pixels reads eight samples,
/// picks pairs of them and weights them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PixelGroup {
    /// The first sample that each half reads.
    pub first: [u32; 2],
    /// The bytes of those samples that form the pairs.
    pub picks: [[u8; 16]; 2],
    /// The weights of the pairs.
    pub weights: [[i16; 8]; 2],
}

impl Axis {
    /// Creates `count` positions starting at `origin`, `step` luma samples apart, on a grid of `size` samples. Each of
    /// these covers `share` luma samples and is sited `offset` luma samples after the first of them.
    pub fn new(count: u32, (origin, step): (f64, f64), size: u32, share: f64, offset: f64) -> Self {
        let last = f64::from(size.max(1) - 1);
        let mut axis = Self { low: Vec::new(), high: Vec::new(), part: Vec::new() };
        for index in 0..count {
            let luma = origin + step * (f64::from(index) + 0.5) - 0.5;
            let at = ((luma - offset) / share).clamp(0.0, last);
            // Rounding must not move a position that coincides with a sample.
            let at = if (at - at.round()).abs() < 1e-6 { at.round() } else { at };
            let low = at.floor() as u32;
            axis.low.push(low);
            axis.high.push((low + 1).min(size.max(1) - 1));
            axis.part.push(((at - at.floor()) * ONE).round() as u16);
        }
        axis
    }

    /// Creates positions that each coincide with a sample, without interpolation.
    pub fn hard(samples: impl Iterator<Item = u32>) -> Self {
        let low: Vec<u32> = samples.collect();
        Self { high: low.clone(), part: vec![0; low.len()], low }
    }

    /// Replaces the axis's samples by those that `sample` returns for them; the weights stay the same.
    pub fn mapped(mut self, sample: impl Fn(u32) -> u32) -> Self {
        self.low.iter_mut().chain(&mut self.high).for_each(|at| *at = sample(*at));
        self
    }

    /// Returns the two samples of a position, and the weight of the second in units of 2^-15, less than 1.
    pub fn at(&self, position: usize) -> (usize, usize, i16) {
        let part = (u32::from(self.part[position]) << (15 - PART_BITS)).min(i16::MAX as u32);
        (self.low[position] as usize, self.high[position] as usize, part as i16)
    }

    /// Returns the positions in groups, padding the last one. Returns no groups if the pixels are so far apart that
    /// four of them need more than eight samples.
    pub fn groups(&self) -> Vec<PixelGroup> {
        let groups: Option<Vec<_>> = (0..self.low.len()).step_by(GROUP).map(|begin| self.group(begin)).collect();
        groups.unwrap_or_default()
    }

    fn group(&self, begin: usize) -> Option<PixelGroup> {
        let mut group = PixelGroup { first: [0; 2], picks: [[0; 16]; 2], weights: [[0; 8]; 2] };
        for half in 0..2 {
            let at = |place: usize| (begin + 4 * half + place).min(self.low.len() - 1);
            group.first[half] = self.low[at(0)];
            for place in 0..4 {
                let at = at(place);
                let (low, high) = (self.low[at].checked_sub(group.first[half])?, self.high[at] - group.first[half]);
                if high as usize >= GROUP_READS {
                    return None;
                }
                let [low, high] = [low, high].map(|sample| 2 * sample as u8);
                group.picks[half][4 * place..][..4].copy_from_slice(&[low, low + 1, high, high + 1]);
                let part = self.part[at] as i16;
                group.weights[half][2 * place..][..2].copy_from_slice(&[(1 << PART_BITS) - part, part]);
            }
        }
        Some(group)
    }

    /// Computes the values of a row of levels at every position, times 2^[`PART_BITS`].
    #[inline(always)]
    pub fn along(&self, row: &[i16], out: &mut [i32]) {
        for (((out, &low), &high), &part) in out.iter_mut().zip(&self.low).zip(&self.high).zip(&self.part) {
            let (a, b, part) = (row[low as usize], row[high as usize], i32::from(part));
            *out = i32::from(a) * ((1 << PART_BITS) - part) + i32::from(b) * part;
        }
    }
}

/// Converts a row of codes with `bits` bits to levels.
#[inline(always)]
pub(super) fn levels(codes: &[u16], bits: u32, out: &mut [i16]) {
    for (out, &code) in out.iter_mut().zip(codes) {
        *out = (code << (LEVEL_BITS - bits)) as i16;
    }
}

/// Blends two rows of codes into levels. `part` is the weight of the lower row in units of 2^-15.
#[inline(always)]
pub(super) fn levels_between(upper: &[u16], lower: &[u16], part: i16, bits: u32, out: &mut [i16]) {
    let shift = LEVEL_BITS - bits;
    for ((out, &a), &b) in out.iter_mut().zip(upper).zip(lower) {
        let (a, b) = ((a << shift) as i16, (b << shift) as i16);
        // The upper half of a product of 16-bit numbers, for which there is a single instruction; twice a difference
        // fits.
        let twice = (b - a) << 1;
        *out = a + ((i32::from(twice) * i32::from(part)) >> 16) as i16;
    }
}

/// Converts levels times 2^[`PART_BITS`] to opaque pixels, using weights and bias in the order of a pixel's bytes.
#[inline(always)]
pub(super) fn to_pixels(rgb: &[[f32; 4]; 3], values: &[Vec<i32>; 3], count: usize, pixels: &mut [u32]) {
    // Rounds like the shader.
    let byte = |v: f32| (v + 0.5).clamp(0.0, 255.0) as i32 as u8;
    let [first, second, third] = values;
    if count == 1 {
        for (pixel, &a) in pixels.iter_mut().zip(first) {
            let level = byte(rgb[0][0] * a as f32 + rgb[0][3]);
            *pixel = u32::from_ne_bytes([level, level, level, 255]);
        }
        return;
    }
    for (((pixel, &a), &b), &c) in pixels.iter_mut().zip(first).zip(second).zip(third) {
        let [a, b, c] = [a as f32, b as f32, c as f32];
        let channel = |[x, y, z, bias]: [f32; 4]| byte(x * a + y * b + z * c + bias);
        *pixel = u32::from_ne_bytes([channel(rgb[0]), channel(rgb[1]), channel(rgb[2]), 255]);
    }
}

/// Converts levels times 2^[`PART_BITS`] to opaque pixels whose tones are mapped, with red and blue at these bytes. The
/// weights and bias are those of red, green and blue, for the signals that the tables take.
#[inline(always)]
pub(super) fn to_mapped_pixels(
    (rgb, tone): (&[[f32; 4]; 3], &ToneTables),
    [first, second, third]: [&[i32]; 3],
    ([red, blue], pixels): ([usize; 2], &mut [u32]),
) {
    for (((pixel, &a), &b), &c) in pixels.iter_mut().zip(first).zip(second).zip(third) {
        let [a, b, c] = [a as f32, b as f32, c as f32];
        let shown = tone.shown(rgb.map(|[x, y, z, bias]| x * a + y * b + z * c + bias));
        let mut bytes = [shown[1], shown[1], shown[1], 255];
        (bytes[red], bytes[blue]) = (shown[0], shown[2]);
        *pixel = u32::from_ne_bytes(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_far_apart_have_no_groups() {
        let far = Axis::new(100, (0.0, 3.0), 300, 1.0, 0.0);
        assert!(far.groups().is_empty());
        let near = Axis::new(100, (0.0, 1.7), 170, 1.0, 0.0);
        assert_eq!(near.groups().len(), 13);
    }

    #[test]
    fn levels_between_two_rows_are_interpolated() {
        let (upper, lower) = ([0_u16, 255, 100, 7], [255_u16, 0, 100, 8]);
        let mut out = [0; 4];
        levels_between(&upper, &lower, 1 << 14, 8, &mut out);
        for (level, (a, b)) in out.into_iter().zip(upper.into_iter().zip(lower)) {
            let expected = f64::from(a + b) / 2.0 * 64.0;
            assert!((f64::from(level) - expected).abs() <= 1.0, "{level} for {expected}");
        }
        levels(&upper, 8, &mut out);
        assert_eq!(out, [0, 255 << 6, 100 << 6, 7 << 6]);
    }
}
