//! The waveform: counts of the levels in each column of a picture.

use crate::histogram::{CHANNELS, Components};
use crate::picture::layout::PixelLayout;
use crate::picture::region::Rect;

use super::grid::{level_bits, samples_in};

/// The maximum number of columns in a waveform.
pub const MAX_COLUMNS: u32 = 1024;

/// Returns the column of sample `x` in a row of `samples` samples: floor(x · columns / samples).
#[must_use]
pub const fn column_of(x: u32, samples: u32, columns: u32) -> u32 {
    (x as u64 * columns as u64 / samples as u64) as u32
}

/// The waveforms of a picture or of a rectangle of it.
///
/// Each count is the number of a channel's samples in a column and at a level. The channels are those of the histogram.
/// Summed over the columns, the counts of a level equal the histogram's bin, or at 12 bits the sum of four bins. Summed
/// over the levels, they equal the number of samples in the column. If the width is not a multiple of the number of
/// columns, columns have different numbers of samples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waveform {
    /// The components that were counted.
    pub components: Components,
    /// Number of columns of each channel: its samples per row, at most [`MAX_COLUMNS`]; 0 if it is not counted.
    pub columns: [u32; CHANNELS],
    /// Number of bits in a level.
    pub level_bits: u32,
    /// The counts, ordered by channel, column and level. Every channel has space for as many columns as the first.
    pub counts: Vec<u32>,
}

impl Waveform {
    /// Creates an empty waveform for a rectangle of a picture with this layout.
    #[must_use]
    pub fn empty(layout: &PixelLayout, pixels: Rect, components: Components) -> Self {
        let mut waveform = Self::shape(layout, pixels, components);
        waveform.counts = vec![0; waveform.count_words()];
        waveform
    }

    /// Returns the number of counts.
    #[must_use]
    pub const fn count_words(&self) -> usize {
        (CHANNELS * self.columns[0] as usize) << self.level_bits
    }

    /// Creates a waveform of the same shape as [`empty`](Self::empty), but without memory for counts.
    #[must_use]
    pub fn shape(layout: &PixelLayout, pixels: Rect, components: Components) -> Self {
        let of_samples = |component| samples_in(layout, component, pixels).width.min(MAX_COLUMNS);
        let columns = std::array::from_fn(|channel| match components {
            Components::Rgbl => of_samples(0),
            Components::YCbCr if channel < layout.component_count() => of_samples(channel),
            Components::YCbCr => 0,
        });
        Self { components, columns, level_bits: level_bits(layout.bin_bits()), counts: Vec::new() }
    }

    /// Returns the number of levels in a column.
    #[must_use]
    pub const fn levels(&self) -> usize {
        1 << self.level_bits
    }

    /// Returns the counts of a channel's column, one per level.
    #[must_use]
    pub fn column(&self, channel: usize, column: u32) -> &[u32] {
        let at = self.index(channel, column);
        &self.counts[at..at + self.levels()]
    }

    /// Returns the mutable counts of a channel's column, one per level.
    pub fn column_mut(&mut self, channel: usize, column: u32) -> &mut [u32] {
        let (at, levels) = (self.index(channel, column), self.levels());
        &mut self.counts[at..at + levels]
    }

    const fn index(&self, channel: usize, column: u32) -> usize {
        (channel * self.columns[0] as usize + column as usize) << self.level_bits
    }
}
