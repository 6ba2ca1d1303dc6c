//! The bins of a picture's histograms.

use crate::picture::{OutOfRange, Picture};

/// The components to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Components {
    /// Red, green, blue and luminance, after conversion to R'G'B' codes.
    #[default]
    Rgbl,
    /// Y', Cb and Cr as coded, chroma at its own resolution.
    YCbCr,
}

impl Components {
    /// Returns the picture in which these components are counted: the decoded or the converted one. Returns `None` if
    /// the picture does not have them: R'G'B' has no Y'CbCr, and with an unsupported matrix there is no R'G'B'.
    #[must_use]
    pub fn of(self, picture: &Picture) -> Option<&Picture> {
        match self {
            Self::Rgbl => picture.as_rgb(),
            Self::YCbCr => picture.as_coded(),
        }
    }

    /// Like [`of`](Self::of), but falls back to the picture itself, for callers that know it has the components or must
    /// show something anyway.
    #[must_use]
    pub fn in_picture(self, picture: &Picture) -> &Picture {
        self.of(picture).unwrap_or(picture)
    }

    /// Returns the names of the channels in counting order.
    #[must_use]
    pub const fn channel_names(self) -> &'static [&'static str] {
        match self {
            Self::Rgbl => &["red", "green", "blue", "luminance"],
            Self::YCbCr => &["y", "cb", "cr"],
        }
    }

    /// Returns the short name of a channel, for buttons and scopes.
    #[must_use]
    pub const fn short_name(self, channel: usize) -> &'static str {
        match (self, channel) {
            (Self::Rgbl, 0) => "R",
            (Self::Rgbl, 1) => "G",
            (Self::Rgbl, 2) => "B",
            (Self::Rgbl, _) => "L",
            (Self::YCbCr, 0) => "Y'",
            (Self::YCbCr, 1) => "Cb",
            (Self::YCbCr, _) => "Cr",
        }
    }
}

/// Supported numbers of bins for [`regroup`].
pub const BIN_COUNTS: std::ops::RangeInclusive<u32> = 3..=4096;
/// Number of channels in the bin buffer, whichever components are counted.
pub const CHANNELS: usize = 4;
/// Number of channels that can be out of range: red, green and blue.
pub const CLAMPED_CHANNELS: usize = 3;
/// Number of words after the bins in the bin buffer: the pixels below and above the range for each of red, green and
/// blue, then padding.
pub const TAIL_WORDS: usize = 8;

/// The histograms of one picture: four channels of 2^n bins each, laid out as in the GPU's bin buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Histogram {
    /// n: each channel has 2^n bins.
    pub bits: u32,
    /// The components that were counted.
    pub components: Components,
    /// [`CHANNELS`] × 2^n bins, channel by channel, then [`TAIL_WORDS`] words: the pixels below and above the range for
    /// each of red, green and blue, and two zeros.
    pub words: Vec<u32>,
}

impl Histogram {
    /// Returns the number of words in a histogram of `bits` bits.
    #[must_use]
    pub const fn word_count(bits: u32) -> usize {
        (CHANNELS << bits) + TAIL_WORDS
    }

    /// Creates an empty histogram.
    #[must_use]
    pub fn empty(bits: u32, components: Components) -> Self {
        Self { bits, components, words: vec![0; Self::word_count(bits)] }
    }

    /// Adds the counts of another part of the picture.
    pub fn add(&mut self, part: &Self) {
        for (sum, word) in self.words.iter_mut().zip(&part.words) {
            *sum += word;
        }
    }

    /// Adds pixels that were out of range before conversion to codes.
    pub fn add_out_of_range(&mut self, more: OutOfRange) {
        for (channel, more) in more.iter().enumerate() {
            for (count, more) in self.out_of_range_mut(channel).iter_mut().zip(more) {
                *count += more;
            }
        }
    }

    /// Returns the number of bins per channel, 2^n.
    #[must_use]
    pub const fn bin_count(&self) -> usize {
        1 << self.bits
    }

    /// Returns the bins of a channel.
    #[must_use]
    pub fn bins(&self, channel: usize) -> &[u32] {
        &self.words[channel << self.bits..(channel + 1) << self.bits]
    }

    /// Returns the mutable bins of a channel.
    pub fn bins_mut(&mut self, channel: usize) -> &mut [u32] {
        &mut self.words[channel << self.bits..(channel + 1) << self.bits]
    }

    /// Returns the number of pixels whose red (0), green (1) or blue (2) was below and above the range before clamping.
    #[must_use]
    pub fn out_of_range(&self, channel: usize) -> [u32; 2] {
        let at = (CHANNELS << self.bits) + 2 * channel;
        [self.words[at], self.words[at + 1]]
    }

    /// Returns the pixels below and above the range, or `None` if the channel cannot be out of range.
    pub(super) fn clamped(&self, channel: usize) -> Option<[u32; 2]> {
        (channel < CLAMPED_CHANNELS).then(|| self.out_of_range(channel))
    }

    /// Returns the mutable counters of pixels below and above the range.
    pub fn out_of_range_mut(&mut self, channel: usize) -> &mut [u32] {
        let at = (CHANNELS << self.bits) + 2 * channel;
        &mut self.words[at..at + 2]
    }
}

/// Returns the factor from a bin's count to the height of its bar.
///
/// The tallest bin reaches the top, but at most five times the mean bin fits: taller bins are clipped so that they do
/// not flatten the rest. Returns 0 if nothing was counted.
#[must_use]
pub fn vertical_scale(bins: &[u32]) -> f32 {
    let samples = bins.iter().map(|&c| u64::from(c)).sum::<u64>();
    let tallest = bins.iter().copied().max().unwrap_or(0);
    if tallest == 0 {
        return 0.0;
    }
    (1.0 / tallest as f32).max(0.2 * bins.len() as f32 / samples as f32)
}

/// Returns the number of samples in the parts of the bars above the top, by the scale of [`vertical_scale`].
#[must_use]
pub fn samples_cut_off(bins: &[u32]) -> f64 {
    let scale = f64::from(vertical_scale(bins));
    // The scale is rounded, so a bar that just touches the top may come out slightly above it.
    let above = |&count: &u32| if f64::from(count) * scale > 1.0001 { f64::from(count) - 1.0 / scale } else { 0.0 };
    bins.iter().map(above).sum()
}

/// Regroups the bins of N codes evenly into `count` bins: code c goes to bin floor(c · count / N). The sum does not
/// change.
#[must_use]
pub fn regroup(codes: &[u32], count: u32) -> Vec<u32> {
    let mut bins = vec![0; count as usize];
    for (code, &counted) in codes.iter().enumerate() {
        bins[code * count as usize / codes.len()] += counted;
    }
    bins
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_histogram_has_no_height() {
        assert!(vertical_scale(&[0; 256]).abs() < f32::EPSILON);
    }

    #[test]
    fn tall_bins_clip_at_five_times_the_mean() {
        let flat = vec![4; 256];
        assert!((vertical_scale(&flat) - 0.25).abs() < 1e-6, "the tallest bin touches the top");
        let mut spike = vec![0; 256];
        spike[0] = 256;
        assert!((vertical_scale(&spike) - 0.2).abs() < 1e-6, "the mean bin is 1, so 5 touches the top");
        assert!((samples_cut_off(&spike) - 251.0).abs() < 1e-3, "all but 5 of 256 samples are above it");
        assert!(samples_cut_off(&flat).abs() < 1e-6 && samples_cut_off(&[0; 256]).abs() < 1e-6);
    }

    #[test]
    fn words_hold_the_bins_and_the_tail() {
        let mut histogram = Histogram::empty(8, Components::Rgbl);
        histogram.bins_mut(3)[255] = 7;
        histogram.out_of_range_mut(2)[1] = 9;
        assert_eq!(histogram.words.len(), 1032);
        assert_eq!(histogram.words[1023], 7);
        assert_eq!(histogram.words[1024 + 5], 9);
        assert_eq!(histogram.bins(3)[255], 7);
        assert_eq!(histogram.out_of_range(2), [0, 9]);
    }

    #[test]
    fn parts_add_up() {
        let mut whole = Histogram::empty(10, Components::Rgbl);
        whole.bins_mut(0)[1023] = 5;
        let mut part = Histogram::empty(10, Components::Rgbl);
        part.bins_mut(0)[1023] = 3;
        part.out_of_range_mut(1)[0] = 2;
        whole.add(&part);
        whole.add(&part);
        assert_eq!((whole.bin_count(), whole.bins(0)[1023], whole.out_of_range(1)), (1024, 11, [4, 0]));
        assert_eq!((whole.clamped(1), whole.clamped(2), whole.clamped(3)), (Some([4, 0]), Some([0, 0]), None));
    }

    #[test]
    fn codes_are_regrouped_evenly() {
        assert_eq!(regroup(&[1, 2, 3, 4, 5, 6], 3), [3, 7, 11]);
        assert_eq!(regroup(&[1, 2, 3, 4], 3), [3, 3, 4]);
        assert_eq!(regroup(&[1, 2, 3], 3), [1, 2, 3]);
    }
}
