//! Sums of the scopes of many pictures, in bounded memory: they have 256 levels, into which deeper levels are combined.

use super::vectorscope::{Chroma, Vectorscope};
use super::waveform::Waveform;
use super::{Scope, ScopeChoice, ScopeCounts};
use crate::histogram::{CHANNELS, Components};

/// Number of levels in a sum.
pub const SUM_LEVELS: usize = 256;
/// Maximum number of different widths for which waveforms are summed. Only a clip that changes its size repeatedly has
/// more.
const MAX_WIDTHS: usize = 4;

/// The sums of the scopes of a clip's pictures. They are sums of integers and do not depend on the order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScopeSums {
    /// One sum for each number of columns.
    waveforms: Vec<WaveformSum>,
    /// Number of pictures with further numbers of columns.
    left_out: u64,
    /// The vectorscope, if it was counted and a picture had colour.
    pub vectorscope: Option<VectorscopeSum>,
}

/// A run of pictures whose counts an engine can accumulate in 32 bits: all are counted in the same way, and no count
/// can overflow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Run<T> {
    /// The properties that the pictures have in common.
    pub of: T,
    /// Number of pictures.
    pub pictures: u64,
    /// Total number of pixels. No count is above twice as many.
    pixels: u64,
}

impl<T: PartialEq> Run<T> {
    /// Creates an empty run.
    pub const fn new(of: T) -> Self {
        Self { of, pictures: 0, pixels: 0 }
    }

    /// Returns `true` if a picture with these properties and number of pixels can be added.
    pub fn takes(&self, of: &T, pixels: u64) -> bool {
        self.of == *of && 2 * (self.pixels + pixels) <= u64::from(u32::MAX)
    }

    /// Adds a picture.
    pub const fn add(&mut self, pixels: u64) {
        self.pictures += 1;
        self.pixels += pixels;
    }
}

/// The sum of waveforms with the same number of columns.
#[derive(Debug, Clone, PartialEq)]
pub struct WaveformSum {
    /// The components that were counted.
    pub components: Components,
    /// Number of columns of each channel; 0 if it is not counted.
    pub columns: [u32; CHANNELS],
    /// The counts of each channel, ordered by column and level.
    counts: Vec<Vec<u64>>,
    pictures: u64,
}

/// The sum of vectorscopes.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorscopeSum {
    /// The colour differences of the first picture.
    pub chroma: Chroma,
    /// For each level of Cb, one count for each level of Cr.
    pub counts: Vec<u64>,
}

impl ScopeSums {
    /// Returns the sum of the waveforms that have the same number of columns as the first one.
    #[must_use]
    pub fn waveform(&self) -> Option<&WaveformSum> {
        self.waveforms.first()
    }

    /// Returns the number of pictures whose waveforms have a different number of columns and are not part of
    /// [`waveform`](Self::waveform).
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.left_out + self.waveforms.iter().skip(1).map(|sum| sum.pictures).sum::<u64>()
    }

    /// Returns the scopes for which there is a sum.
    #[must_use]
    pub fn found(&self) -> ScopeChoice {
        ScopeChoice::from_fn(|scope| match scope {
            Scope::Waveform => !self.waveforms.is_empty(),
            Scope::Vectorscope => self.vectorscope.is_some(),
        })
    }

    /// Adds the counts of `pictures` pictures with this chroma.
    pub fn add(&mut self, counts: &ScopeCounts, chroma: Option<Chroma>, pictures: u64) {
        if let Some(waveform) = &counts.waveform {
            match self.sum_of(waveform.components, waveform.columns) {
                Some(sum) => sum.add(waveform, pictures),
                None => self.left_out += pictures,
            }
        }
        if let (Some(scope), Some(chroma)) = (&counts.vectorscope, chroma) {
            self.vectorscope.get_or_insert_with(|| VectorscopeSum::empty(chroma)).add(scope);
        }
    }

    /// Adds the sums of later pictures.
    pub fn append(&mut self, other: Self) {
        self.left_out += other.left_out;
        for waveform in &other.waveforms {
            match self.sum_of(waveform.components, waveform.columns) {
                Some(sum) => sum.append(waveform),
                None => self.left_out += waveform.pictures,
            }
        }
        match (&mut self.vectorscope, other.vectorscope) {
            (Some(sum), Some(other)) => add_all(&mut sum.counts, &other.counts),
            (sum @ None, other) => *sum = other,
            (Some(_), None) => {}
        }
    }

    fn sum_of(&mut self, components: Components, columns: [u32; CHANNELS]) -> Option<&mut WaveformSum> {
        let known = self.waveforms.iter().position(|sum| (sum.components, sum.columns) == (components, columns));
        let at = known.unwrap_or(self.waveforms.len());
        if at == self.waveforms.len() && at < MAX_WIDTHS {
            self.waveforms.push(WaveformSum::empty(components, columns));
        }
        self.waveforms.get_mut(at)
    }
}

impl WaveformSum {
    fn empty(components: Components, columns: [u32; CHANNELS]) -> Self {
        let counts = columns.iter().map(|&columns| vec![0; columns as usize * SUM_LEVELS]).collect();
        Self { components, columns, counts, pictures: 0 }
    }

    fn add(&mut self, waveform: &Waveform, pictures: u64) {
        self.pictures += pictures;
        let together = waveform.levels() / SUM_LEVELS;
        for (channel, sums) in self.counts.iter_mut().enumerate() {
            for (column, sums) in (0..).zip(sums.chunks_exact_mut(SUM_LEVELS)) {
                let levels = waveform.column(channel, column).chunks_exact(together);
                for (sum, levels) in sums.iter_mut().zip(levels) {
                    *sum += levels.iter().map(|&count| u64::from(count)).sum::<u64>();
                }
            }
        }
    }

    fn append(&mut self, other: &Self) {
        self.pictures += other.pictures;
        self.counts.iter_mut().zip(&other.counts).for_each(|(sums, counts)| add_all(sums, counts));
    }

    /// Returns the counts of a channel's column, one per level.
    #[must_use]
    pub fn column(&self, channel: usize, column: usize) -> &[u64] {
        &self.counts[channel][column * SUM_LEVELS..][..SUM_LEVELS]
    }
}

impl VectorscopeSum {
    fn empty(chroma: Chroma) -> Self {
        Self { chroma, counts: vec![0; SUM_LEVELS * SUM_LEVELS] }
    }

    fn add(&mut self, scope: &Vectorscope) {
        let together = scope.levels() / SUM_LEVELS;
        for (cb, counts) in scope.counts.chunks_exact(scope.levels()).enumerate() {
            let sums = &mut self.counts[cb / together * SUM_LEVELS..][..SUM_LEVELS];
            for (sum, counts) in sums.iter_mut().zip(counts.chunks_exact(together)) {
                *sum += counts.iter().map(|&count| u64::from(count)).sum::<u64>();
            }
        }
    }
}

fn add_all(sums: &mut [u64], counts: &[u64]) {
    sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
}

#[cfg(test)]
mod tests {
    use super::super::level_bits;
    use super::*;
    use crate::picture::color::{Matrix, Range};
    use crate::picture::layout::PixelLayout;
    use crate::picture::region::Rect;

    fn counts(width: u32, bits: u32, seed: u32) -> ScopeCounts {
        let mut state = seed.wrapping_mul(2_654_435_761) | 1;
        let mut fill = |counts: &mut [u32]| {
            counts.iter_mut().for_each(|count| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                *count = state >> 16;
            });
        };
        let layout = PixelLayout::planar_ycbcr(bits as u8, (0, 0));
        let mut waveform = Waveform::empty(&layout, Rect::whole(width, 2), Components::Rgbl);
        let mut vectorscope = Vectorscope::empty(level_bits(bits));
        fill(&mut waveform.counts);
        fill(&mut vectorscope.counts);
        ScopeCounts { waveform: Some(waveform), vectorscope: Some(vectorscope) }
    }

    fn sums(pictures: &[(u32, u32, u32)]) -> ScopeSums {
        let chroma = Chroma::coded(Matrix::Bt709, Range::Limited, 8);
        let mut sums = ScopeSums::default();
        pictures.iter().for_each(|&(width, bits, seed)| sums.add(&counts(width, bits, seed), Some(chroma), 1));
        sums
    }

    #[test]
    fn deep_levels_are_combined_into_256() {
        for bits in [8, 10, 12] {
            let (counts, sums) = (counts(3, bits, 5), sums(&[(3, bits, 5)]));
            let (waveform, sum) = (counts.waveform.unwrap(), sums.waveform().unwrap());
            let together = waveform.levels() / SUM_LEVELS;
            for (channel, column) in [(0, 0), (3, 2)] {
                for level in [0, 17, 255] {
                    let expected: u32 = waveform.column(channel, column)[level * together..][..together].iter().sum();
                    assert_eq!(sum.column(channel, column as usize)[level], u64::from(expected), "{bits} bits");
                }
            }
            let (scope, sum) = (counts.vectorscope.unwrap(), sums.vectorscope.unwrap());
            let near = |level: usize| (level * together) as u32..((level + 1) * together) as u32;
            for (cb, cr) in [(0, 0), (200, 31), (255, 255)] {
                let pairs = near(cb).flat_map(|cb| near(cr).map(move |cr| (cb, cr)));
                let expected: u64 = pairs.map(|(cb, cr)| u64::from(scope.count(cb, cr))).sum();
                assert_eq!(sum.counts[cb * SUM_LEVELS + cr], expected, "{bits} bits, {cb} {cr}");
            }
        }
    }

    /// Joins the sums of two parts of a clip whose size changes.
    #[test]
    fn sums_of_parts_add_up_to_those_of_the_clip() {
        let pictures = [(3, 8, 1), (3, 10, 2), (5, 8, 3), (3, 8, 4), (5, 8, 5), (3, 12, 6)];
        let whole = sums(&pictures);
        assert_eq!((whole.left_out(), whole.waveform().unwrap().columns), (2, [3; 4]));
        for at in 0..=pictures.len() {
            let mut joined = sums(&pictures[..at]);
            joined.append(sums(&pictures[at..]));
            let columns = |sums: &ScopeSums| sums.waveform().map(|sum| sum.columns);
            assert_eq!(columns(&joined), columns(&whole), "cut at {at}");
            assert!(joined == whole, "cut at {at}");
        }
    }

    #[test]
    fn a_run_ends_if_properties_change_or_a_count_might_overflow() {
        let mut run = Run::new("alike");
        run.add(1 << 31);
        assert!(run.takes(&"alike", (1 << 31) - 1) && !run.takes(&"alike", 1 << 31) && !run.takes(&"otherwise", 1));
        run.add((1 << 31) - 1);
        assert_eq!((run.pictures, run.takes(&"alike", 1)), (2, false));
    }

    #[test]
    fn memory_stays_bounded_however_often_the_size_changes() {
        let pictures: Vec<_> = (1..40).map(|width| (width, 8, width)).collect();
        let sums = sums(&pictures);
        assert_eq!((sums.waveforms.len(), sums.left_out()), (MAX_WIDTHS, 38));
    }
}
