//! Counted histograms, as any engine hands them over, and the figures that are read off them.

use std::ops::RangeInclusive;

use serde::Serialize;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Components {
    /// Red, green, blue and luminance, after conversion to R'G'B' codes.
    #[default]
    Rgbl,
    /// Y', Cb and Cr as coded, chroma at its own resolution.
    YCbCr,
}

impl Components {
    /// Names of the channels in the order in which they are counted.
    #[must_use]
    pub const fn channel_names(self) -> &'static [&'static str] {
        match self {
            Self::Rgbl => &["red", "green", "blue", "luminance"],
            Self::YCbCr => &["y", "cb", "cr"],
        }
    }
}

/// Channels in the bin buffer, whatever is counted.
pub const CHANNELS: usize = 4;
/// Channels that can fall out of range: red, green and blue.
pub const CLAMPED_CHANNELS: usize = 3;
/// Words of the bin buffer behind the bins: for red, green and blue the pixels below and above the range, then padding.
pub const TAIL_WORDS: usize = 8;

/// The histograms of one picture: four channels of 2^n bins each, flat as in the GPU's bin buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Histogram {
    /// n: each channel has 2^n bins.
    pub bits: u32,
    /// What was counted.
    pub components: Components,
    /// `CHANNELS` × 2^n bins, channel by channel, then [`TAIL_WORDS`] words: pixels below and above the range of red,
    /// of green, of blue, and two zeros.
    pub words: Vec<u32>,
}

impl Histogram {
    /// Words of a histogram of `bits` bits.
    #[must_use]
    pub const fn word_count(bits: u32) -> usize {
        (CHANNELS << bits) + TAIL_WORDS
    }

    /// A histogram of nothing.
    #[must_use]
    pub fn empty(bits: u32, components: Components) -> Self {
        Self { bits, components, words: vec![0; Self::word_count(bits)] }
    }

    /// Bins a channel, 2^n.
    #[must_use]
    pub const fn bin_count(&self) -> usize {
        1 << self.bits
    }

    /// The bins of a channel.
    #[must_use]
    pub fn bins(&self, channel: usize) -> &[u32] {
        &self.words[channel << self.bits..(channel + 1) << self.bits]
    }

    /// The bins of a channel, to count into.
    pub fn bins_mut(&mut self, channel: usize) -> &mut [u32] {
        &mut self.words[channel << self.bits..(channel + 1) << self.bits]
    }

    /// Pixels whose red (0), green (1) or blue (2) lay below and above the range before the clamp.
    #[must_use]
    pub fn out_of_range(&self, channel: usize) -> [u32; 2] {
        let at = (CHANNELS << self.bits) + 2 * channel;
        [self.words[at], self.words[at + 1]]
    }

    /// The same two counters, to count into.
    pub fn out_of_range_mut(&mut self, channel: usize) -> &mut [u32] {
        let at = (CHANNELS << self.bits) + 2 * channel;
        &mut self.words[at..at + 2]
    }

    /// The figures of a channel.
    #[must_use]
    pub fn stats(&self, channel: usize) -> Stats {
        Stats::of(self.bins(channel))
    }

    /// Samples of a channel that were counted: pixels, except that chroma as coded has a resolution of its own.
    #[must_use]
    pub fn samples(&self, channel: usize) -> u64 {
        total(self.bins(channel))
    }

    /// Samples of a channel in the bins of a range; bins that the channel does not have hold none.
    #[must_use]
    pub fn count_in(&self, channel: usize, range: RangeInclusive<u32>) -> u64 {
        let bins = self.bins(channel);
        let last = (*range.end() as usize).min(bins.len() - 1);
        bins.get(*range.start() as usize..=last).map_or(0, total)
    }

    /// The same as a part of the channel's samples, 0 to 1.
    #[must_use]
    pub fn share_in(&self, channel: usize, range: RangeInclusive<u32>) -> f64 {
        share(self.count_in(channel, range), self.samples(channel))
    }

    /// Part of a channel's samples that lie in a bin or below it, 0 to 1.
    #[must_use]
    pub fn cumulative_share(&self, channel: usize, bin: u32) -> f64 {
        self.share_in(channel, 0..=bin)
    }

    /// All that is told of a channel in numbers.
    #[must_use]
    pub fn numbers(&self, channel: usize) -> Numbers {
        let bins = self.bins(channel);
        let stats = Stats::of(bins);
        let [below, above] = if channel < CLAMPED_CHANNELS { self.out_of_range(channel) } else { [0; 2] };
        Numbers {
            stats,
            percentile_1: percentile(bins, 1.0),
            percentile_99: percentile(bins, 99.0),
            lowest_share: share(bins[0].into(), stats.count),
            highest_share: share(bins[bins.len() - 1].into(), stats.count),
            below_share: share(below.into(), stats.count),
            above_share: share(above.into(), stats.count),
        }
    }
}

fn total(bins: &[u32]) -> u64 {
    bins.iter().map(|&count| u64::from(count)).sum()
}

/// `part` of `whole`; 0 where there is nothing.
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// A channel in numbers. Shares are parts of its samples, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Numbers {
    /// Count, lowest and highest code that occur, mean and median.
    pub stats: Stats,
    /// The smallest code that at least 1 % of the samples do not exceed.
    pub percentile_1: u32,
    /// The smallest code that at least 99 % of the samples do not exceed.
    pub percentile_99: u32,
    /// Share at code 0.
    pub lowest_share: f64,
    /// Share at code 2^n - 1.
    pub highest_share: f64,
    /// Share that lay below the range before the clamp; of red, green and blue only.
    pub below_share: f64,
    /// Share that lay above it.
    pub above_share: f64,
}

/// Figures of one channel, in code values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Stats {
    /// Samples counted.
    pub count: u64,
    /// Lowest code that occurs; 0 if nothing was counted.
    pub min: u32,
    /// Highest code that occurs; 0 if nothing was counted.
    pub max: u32,
    /// Mean code; 0 if nothing was counted.
    pub mean: f64,
    /// The lower median: the smallest code that at least half of the samples do not exceed.
    pub median: u32,
}

impl Stats {
    /// The figures of one channel's bins.
    #[must_use]
    pub fn of(bins: &[u32]) -> Self {
        let count = bins.iter().map(|&c| u64::from(c)).sum::<u64>();
        let sum = bins.iter().zip(0_u64..).map(|(&c, code)| u64::from(c) * code).sum::<u64>();
        let first = bins.iter().position(|&c| c > 0).unwrap_or(0);
        let last = bins.iter().rposition(|&c| c > 0).unwrap_or(0);
        let mean = if count == 0 { 0.0 } else { sum as f64 / count as f64 };
        Self { count, min: first as u32, max: last as u32, mean, median: percentile(bins, 50.0) }
    }
}

/// The smallest code that at least `percent` % of the samples do not exceed; 0 if nothing was counted.
#[must_use]
pub fn percentile(bins: &[u32], percent: f64) -> u32 {
    let count = bins.iter().map(|&c| u64::from(c)).sum::<u64>();
    let wanted = ((count as f64 * percent / 100.0).ceil() as u64).max(1);
    let mut below = 0;
    for (&bin, code) in bins.iter().zip(0..) {
        below += u64::from(bin);
        if below >= wanted {
            return code;
        }
    }
    0
}

/// How tall a channel's bars are drawn: the height of a bar is its count times this.
///
/// The tallest bin touches the top unless it is so tall that it would flatten the rest; then bars clip at five times
/// the mean bin. 0 if nothing was counted.
#[must_use]
pub fn vertical_scale(bins: &[u32]) -> f32 {
    let samples = bins.iter().map(|&c| u64::from(c)).sum::<u64>();
    let tallest = bins.iter().copied().max().unwrap_or(0);
    if tallest == 0 {
        return 0.0;
    }
    (1.0 / tallest as f32).max(0.2 * bins.len() as f32 / samples as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_a_small_histogram() {
        let mut bins = vec![0; 256];
        bins[10] = 3;
        bins[20] = 1;
        let stats = Stats::of(&bins);
        assert_eq!(stats, Stats { count: 4, min: 10, max: 20, mean: 12.5, median: 10 });
        assert_eq!(percentile(&bins, 75.0), 10);
        assert_eq!(percentile(&bins, 75.1), 20);
        assert_eq!(percentile(&bins, 0.0), 10);
        assert_eq!(percentile(&bins, 100.0), 20);
    }

    #[test]
    fn an_empty_histogram_has_no_figures() {
        assert_eq!(Stats::of(&[0; 256]), Stats { count: 0, min: 0, max: 0, mean: 0.0, median: 0 });
        assert!(vertical_scale(&[0; 256]).abs() < f32::EPSILON);
    }

    #[test]
    fn tall_bins_clip_at_five_times_the_mean() {
        let flat = vec![4; 256];
        assert!((vertical_scale(&flat) - 0.25).abs() < 1e-6, "the tallest bin touches the top");
        let mut spike = vec![0; 256];
        spike[0] = 256;
        assert!((vertical_scale(&spike) - 0.2).abs() < 1e-6, "the mean bin is 1, so 5 touches the top");
    }

    #[test]
    fn numbers_of_a_small_histogram() {
        let mut histogram = Histogram::empty(8, Components::Rgbl);
        for (bin, count) in [(0, 2), (10, 100), (255, 98)] {
            histogram.bins_mut(1)[bin] = count;
        }
        histogram.out_of_range_mut(1).copy_from_slice(&[1, 50]);
        let numbers = histogram.numbers(1);
        assert_eq!(numbers.stats, histogram.stats(1));
        assert_eq!((numbers.percentile_1, numbers.percentile_99), (0, 255));
        assert_eq!((numbers.lowest_share, numbers.highest_share), (0.01, 0.49));
        assert_eq!((numbers.below_share, numbers.above_share), (0.005, 0.25));
        let luminance = histogram.numbers(3);
        assert_eq!(luminance.lowest_share + luminance.below_share + luminance.above_share, 0.0, "nothing was counted");
    }

    #[test]
    fn a_range_counts_its_bins_with_both_ends() {
        let mut histogram = Histogram::empty(8, Components::YCbCr);
        histogram.bins_mut(2).fill(2);
        assert_eq!(histogram.samples(2), 512);
        assert_eq!(histogram.count_in(2, 16..=16), 2);
        assert_eq!(histogram.count_in(2, 250..=999), 12);
        assert_eq!(histogram.count_in(2, 256..=999), 0);
        #[expect(clippy::reversed_empty_ranges, reason = "an empty range holds nothing")]
        let none = histogram.count_in(2, 9..=3);
        assert_eq!(none, 0);
        assert_eq!(histogram.share_in(2, 0..=127), 0.5);
        assert_eq!(histogram.cumulative_share(2, 63), 0.25);
        assert_eq!(histogram.cumulative_share(0, 63), 0.0);
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
}
