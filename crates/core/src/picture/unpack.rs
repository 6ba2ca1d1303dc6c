//! Unpacking of rows in any layout to n-bit codes.

use super::{Picture, PlaneView};

/// One component of a picture: the location of its samples, and the shift and mask from a stored word to a code.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    view: PlaneView<'a>,
    offset: usize,
    step: usize,
    sample_bytes: u8,
    shift: u32,
    mask: u16,
    /// Samples in a row.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
}

impl<'a> Source<'a> {
    /// Creates a source for the codes of a component.
    pub fn new(picture: &'a Picture, index: usize) -> Self {
        let layout = picture.layout();
        let component = layout.components[index];
        let (width, height) = layout.component_size(index, picture.width(), picture.height());
        Self {
            view: picture.plane(usize::from(component.plane)),
            offset: usize::from(component.offset),
            step: usize::from(component.step),
            sample_bytes: layout.sample_bytes,
            shift: layout.code_shift(index),
            mask: (1 << layout.bin_bits()) - 1,
            width: width as usize,
            height: height as usize,
        }
    }

    /// Creates a source for the samples of a component at their full depth, which may exceed the codes' 12 bits.
    pub fn of_samples(picture: &'a Picture, index: usize) -> Self {
        let layout = picture.layout();
        let shift = u32::from(layout.components[index].shift);
        let mask = ((1_u32 << layout.depth) - 1) as u16;
        Self { shift, mask, ..Self::new(picture, index) }
    }

    /// Fills `codes` with the codes of row `y`, starting at sample `x`.
    ///
    /// The common steps between samples have loops of their own with a constant step: only then does the compiler load
    /// whole vectors and pick the samples out of them.
    #[inline(always)]
    pub fn unpack(&self, x: usize, y: usize, codes: &mut [u16]) {
        if codes.is_empty() {
            return;
        }
        let first = y * self.view.stride + self.offset + x * self.step;
        // Up to the end of the last sample, because the row may end there.
        let used = (codes.len() - 1) * self.step + usize::from(self.sample_bytes);
        let bytes = &self.view.bytes[first..][..used];
        match (self.sample_bytes, self.step) {
            (1, 1) => self.unpack_bytes::<1>(bytes, codes),
            (1, 2) => self.unpack_bytes::<2>(bytes, codes),
            (1, 3) => self.unpack_bytes::<3>(bytes, codes),
            (1, 4) => self.unpack_bytes::<4>(bytes, codes),
            (1, step) => {
                for (code, sample) in codes.iter_mut().zip(bytes.chunks(step)) {
                    *code = (u16::from(sample[0]) >> self.shift) & self.mask;
                }
            }
            (_, 2) => self.unpack_words::<2>(bytes, codes),
            (_, 4) => self.unpack_words::<4>(bytes, codes),
            (_, 6) => self.unpack_words::<6>(bytes, codes),
            (_, 8) => self.unpack_words::<8>(bytes, codes),
            (_, step) => {
                for (code, sample) in codes.iter_mut().zip(bytes.chunks(step)) {
                    *code = (u16::from_le_bytes([sample[0], sample[1]]) >> self.shift) & self.mask;
                }
            }
        }
    }

    /// Prefetches `count` samples of row `y`, starting at sample `x`.
    #[inline(always)]
    pub fn prefetch(&self, x: usize, y: usize, count: usize) {
        if y < self.height {
            let first = y * self.view.stride + self.offset + x * self.step;
            let last = (first + count * self.step).min(self.view.bytes.len());
            prefetch(self.view.bytes.get(first..last).unwrap_or_default());
        }
    }

    /// Returns the samples of row `y` as they are stored, if each is a byte and they lie side by side.
    #[inline(always)]
    pub fn bytes(&self, y: usize) -> Option<&'a [u8]> {
        let is_plain = self.sample_bytes == 1 && self.step == 1 && self.shift == 0 && self.mask == 0xff;
        is_plain.then(|| &self.view.bytes[y * self.view.stride + self.offset..][..self.width])
    }

    #[inline(always)]
    fn unpack_bytes<const STEP: usize>(&self, bytes: &[u8], codes: &mut [u16]) {
        let (groups, rest) = bytes.as_chunks::<STEP>();
        for (code, group) in codes.iter_mut().zip(groups) {
            *code = u16::from(group[0]) & self.mask;
        }
        // The last group may end right after its sample.
        if let (Some(code), Some(&byte)) = (codes.last_mut(), rest.first()) {
            *code = u16::from(byte) & self.mask;
        }
    }

    #[inline(always)]
    fn unpack_words<const STEP: usize>(&self, bytes: &[u8], codes: &mut [u16]) {
        let (groups, rest) = bytes.as_chunks::<STEP>();
        for (code, group) in codes.iter_mut().zip(groups) {
            *code = (u16::from_le_bytes([group[0], group[1]]) >> self.shift) & self.mask;
        }
        if let (Some(code), [low, high, ..]) = (codes.last_mut(), rest) {
            *code = (u16::from_le_bytes([*low, *high]) >> self.shift) & self.mask;
        }
    }
}

/// Prefetches bytes into the processor's cache, if the architecture has an instruction for it.
#[inline(always)]
fn prefetch(bytes: &[u8]) {
    const LINE: usize = 64;
    #[cfg(target_arch = "x86_64")]
    for line in bytes.chunks(LINE) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the instruction reads nothing and never faults, whatever the address, which here is even valid. Every
        // x86-64 processor supports it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (bytes, LINE);
}

/// Number of samples whose sum of differences fits 32 bits.
const BLOCK: usize = 1 << 15;

/// Returns the sum of absolute differences of two rows. Each block is summed in 32 bits, which compilers vectorize.
#[inline]
pub fn distance<T: Copy>(a: &[T], b: &[T], difference: impl Fn(T, T) -> u32) -> u64 {
    let blocks = a.chunks(BLOCK).zip(b.chunks(BLOCK));
    blocks.map(|(a, b)| u64::from(a.iter().zip(b).map(|(&a, &b)| difference(a, b)).sum::<u32>())).sum()
}

impl Picture {
    /// Returns `true` if both pictures have the same size, colour model, depth and samples.
    #[must_use]
    pub fn has_codes_of(&self, other: &Self) -> bool {
        self.difference(other, 0.0).is_some()
    }

    /// Returns the mean absolute difference of the samples of two pictures, as a fraction of the scale, or `None` if it
    /// exceeds `most`, or if the pictures have different sizes, colour models or depths.
    #[must_use]
    pub fn difference(&self, other: &Self, most: f64) -> Option<f64> {
        // However their samples are arranged.
        let kind = |picture: &Self| {
            let layout = picture.layout();
            (picture.width(), picture.height(), layout.model, layout.depth, layout.chroma_shift, layout.chroma_lines)
        };
        if kind(self) != kind(other) {
            return None;
        }
        let pairs =
            || (0..self.layout().component_count()).map(|at| [self, other].map(|it| Source::of_samples(it, at)));
        let samples: usize = pairs().map(|[source, _]| source.width * source.height).sum();
        let scale = samples as f64 * f64::from(1_u32 << self.layout().depth);
        let most = (most * scale) as u64;
        let mut sum = 0;
        let [mut ours, mut theirs] = [(); 2].map(|()| vec![0; self.width() as usize]);
        for [a, b] in pairs() {
            let (ours, theirs) = (&mut ours[..a.width], &mut theirs[..a.width]);
            for y in 0..a.height {
                sum += match (a.bytes(y), b.bytes(y)) {
                    (Some(a), Some(b)) => distance(a, b, |a, b| a.abs_diff(b).into()),
                    _ => {
                        a.unpack(0, y, ours);
                        b.unpack(0, y, theirs);
                        distance(ours, theirs, |a, b| a.abs_diff(b).into())
                    }
                };
                if sum > most {
                    return None;
                }
            }
        }
        Some(sum as f64 / scale)
    }
}
