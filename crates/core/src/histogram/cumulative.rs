//! Cumulative histograms, and all statistics derived from ranks: percentiles, extremes, and shares of code ranges.
//!
//! Cumulative histograms are prefix sums of the bins. The GPU computes them in a scan; for counts made on the CPU, they
//! are computed here. The statistics are then computed by the same code.

use std::ops::RangeInclusive;

use super::bins::{CHANNELS, CLAMPED_CHANNELS, Components, Histogram, TAIL_WORDS};
use crate::picture::OutOfRange;

/// The cumulative histogram of one channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sums {
    /// Number of samples below each code, followed by the total.
    below: Vec<u64>,
}

impl Sums {
    /// Computes the cumulative histogram of a channel's bins.
    #[must_use]
    pub fn of<T: Copy + Into<u64>>(bins: &[T]) -> Self {
        let mut sum = 0;
        let mut below = Vec::with_capacity(bins.len() + 1);
        below.push(0);
        below.extend(bins.iter().map(|&bin| {
            sum += bin.into();
            sum
        }));
        Self { below }
    }

    /// Takes words that have already been scanned: one per code plus one, modulo 2^32, each offset by the total of
    /// whatever precedes the channel. The channel must have fewer than 2^32 samples.
    fn of_scan(words: &[u32]) -> Self {
        let before = words.first().copied().unwrap_or(0);
        Self { below: words.iter().map(|word| u64::from(word.wrapping_sub(before))).collect() }
    }

    /// Returns the number of samples.
    #[must_use]
    pub fn samples(&self) -> u64 {
        self.below.last().copied().unwrap_or(0)
    }

    /// Returns the bins, recovered from the sums.
    #[must_use]
    pub fn bins(&self) -> Vec<u32> {
        self.below.windows(2).map(|ends| (ends[1] - ends[0]) as u32).collect()
    }

    /// Returns the number of samples in a range of codes, which may extend beyond the highest code.
    #[must_use]
    pub fn count_in(&self, range: RangeInclusive<u32>) -> u64 {
        let at = |code: usize| self.below[code.min(self.below.len() - 1)];
        let (low, high) = (*range.start() as usize, *range.end() as usize);
        if low > high { 0 } else { at(high.saturating_add(1)) - at(low) }
    }

    /// Returns the share of samples in a range of codes, from 0 to 1.
    #[must_use]
    pub fn share_in(&self, range: RangeInclusive<u32>) -> f64 {
        share(self.count_in(range), self.samples())
    }

    /// Returns the smallest code that at least `percent` % (at most 100 %) of the samples do not exceed, or 0 if
    /// nothing was counted.
    #[must_use]
    pub fn percentile(&self, percent: u64) -> u32 {
        let samples = self.samples();
        let rank = (u128::from(samples) * u128::from(percent.min(100))).div_ceil(100).max(1);
        if samples == 0 {
            return 0;
        }
        self.below[1..].partition_point(|&up_to| u128::from(up_to) < rank) as u32
    }

    /// Returns the sum of all samples' codes.
    #[must_use]
    pub fn code_sum(&self) -> u64 {
        // A sample of code c is at least 1, 2, … c, so it is counted c times. The last entry of `below` adds 0.
        let samples = self.samples();
        self.below.iter().skip(1).map(|below| samples - below).sum()
    }

    /// Returns the sum of the squares of all samples' codes. For a whole film, it may exceed 64 bits.
    pub(super) fn square_sum(&self) -> u128 {
        // c² is the sum of the odd numbers below 2c.
        let samples = self.samples();
        let at_least = self.below.iter().zip(0..).skip(1);
        at_least.map(|(below, code): (_, u64)| u128::from(samples - below) * u128::from(2 * code - 1)).sum()
    }

    /// Returns the number of codes, 2^n.
    pub(super) const fn code_count(&self) -> u32 {
        (self.below.len() - 1) as u32
    }
}

/// The cumulative histograms of one picture, with the other counts of a [`Histogram`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cumulative {
    /// n; each channel has 2^n codes.
    pub bits: u32,
    /// The components that were counted.
    pub components: Components,
    channels: [Sums; CHANNELS],
    /// Pixels below and above the range, for each of red, green and blue.
    outside: [[u32; 2]; CLAMPED_CHANNELS],
    /// Pixels outside the limits of EBU R 103, if they were counted.
    pub outside_r103: Option<u32>,
    /// Pixels selected by a brush over several channels, if they were counted.
    pub selected: Option<Selected>,
}

impl Cumulative {
    /// Returns the number of words in the scan of a histogram of `bits` bits: one per bin, and the total.
    #[must_use]
    pub const fn scan_words(bits: u32) -> usize {
        (CHANNELS << bits) + 1
    }

    /// Computes the cumulative histograms of a histogram.
    #[must_use]
    pub fn of(histogram: &Histogram) -> Self {
        Self {
            bits: histogram.bits,
            components: histogram.components,
            channels: std::array::from_fn(|channel| Sums::of(histogram.bins(channel))),
            outside: std::array::from_fn(|channel| histogram.out_of_range(channel)),
            outside_r103: None,
            selected: None,
        }
    }

    /// Takes words that have already been scanned: the exclusive prefix sums over the bins of all four channels, modulo
    /// 2^32, their total, and the histogram's tail. Returns `None` if the number of words is wrong.
    #[must_use]
    pub fn of_scan(bits: u32, components: Components, words: &[u32]) -> Option<Self> {
        let (sums, tail) = words.split_at_checked(Self::scan_words(bits))?;
        let tail = <&[u32; TAIL_WORDS]>::try_from(tail).ok()?;
        Some(Self {
            bits,
            components,
            channels: std::array::from_fn(|channel| Sums::of_scan(&sums[channel << bits..=(channel + 1) << bits])),
            outside: std::array::from_fn(|channel| [tail[2 * channel], tail[2 * channel + 1]]),
            outside_r103: None,
            selected: None,
        })
    }

    /// Adds pixels that were out of range before conversion to codes.
    pub fn add_out_of_range(&mut self, more: OutOfRange) {
        for (count, more) in self.outside.iter_mut().flatten().zip(more.iter().flatten()) {
            *count += more;
        }
    }

    /// Returns the number of codes per channel, 2^n.
    #[must_use]
    pub const fn code_count(&self) -> u32 {
        1 << self.bits
    }

    /// Returns the cumulative histogram of a channel.
    #[must_use]
    pub const fn channel(&self, channel: usize) -> &Sums {
        &self.channels[channel]
    }

    /// Returns the pixels below and above the range, or `None` if the channel cannot be out of range.
    pub(super) fn clamped(&self, channel: usize) -> Option<[u32; 2]> {
        self.outside.get(channel).copied()
    }
}

impl Histogram {
    /// Returns the cumulative histogram of a channel.
    #[must_use]
    pub fn sums(&self, channel: usize) -> Sums {
        Sums::of(self.bins(channel))
    }

    /// Returns the cumulative histograms of all channels.
    #[must_use]
    pub fn cumulative(&self) -> Cumulative {
        Cumulative::of(self)
    }
}

/// Returns `part` / `whole`, or 0 if `whole` is 0.
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// The numbers of pixels whose channels lie in the selected range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Selected {
    /// Pixels with at least one channel in the range.
    pub any: u32,
    /// Pixels with all channels in the range.
    pub all: u32,
}

impl Selected {
    /// Adds the counts of another part of the picture.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self { any: self.any + other.any, all: self.all + other.all }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the words of a scan in which `before` other samples precede this histogram.
    fn scanned(histogram: &Histogram, before: u32) -> Vec<u32> {
        let (bins, tail) = histogram.words.split_at(CHANNELS << histogram.bits);
        let mut sum = before;
        let next = |bin: &u32| {
            sum = sum.wrapping_add(*bin);
            sum
        };
        std::iter::once(before)
            .chain(bins.iter().map(next))
            .collect::<Vec<_>>()
            .into_iter()
            .chain(tail.to_vec())
            .collect()
    }

    #[test]
    fn figures_of_a_small_histogram() {
        let mut bins = vec![0_u32; 256];
        bins[10] = 3;
        bins[20] = 1;
        let sums = Sums::of(&bins);
        let stats = sums.stats(None);
        assert_eq!((stats.count, stats.min, stats.max, stats.mean, stats.median), (4, 10, 20, 12.5, 10));
        assert_eq!([0, 75, 76, 100, 999].map(|percent| sums.percentile(percent)), [10, 10, 20, 20, 20]);
        assert_eq!((sums.code_sum(), sums.square_sum(), sums.bins()), (50, 700, bins));
    }

    #[test]
    fn nothing_counted_has_no_figures() {
        for sums in [Sums::of(&[0_u32; 256]), Sums::of::<u32>(&[]), Sums::of_scan(&[7; 257])] {
            assert_eq!((sums.percentile(0), sums.percentile(100), sums.code_sum(), sums.square_sum()), (0, 0, 0, 0));
            assert_eq!((sums.count_in(0..=255), sums.share_in(0..=255)), (0, 0.0));
        }
    }

    #[test]
    fn ranks_are_those_of_the_sorted_samples() {
        let bins: Vec<u32> = (0..64_u32).map(|code| (code * code * 7 + code) % 11 * u32::from(code % 3 > 0)).collect();
        let samples: Vec<u32> = (0_u32..).zip(&bins).flat_map(|(code, &bin)| vec![code; bin as usize]).collect();
        let sums = Sums::of(&bins);
        for percent in 1..=100 {
            let rank = (samples.len() * percent).div_ceil(100);
            assert_eq!(sums.percentile(percent as u64), samples[rank - 1], "{percent} %");
        }
        assert_eq!((sums.percentile(0), sums.percentile(100)), (samples[0], samples[samples.len() - 1]));
        assert_eq!(sums.code_sum(), samples.iter().map(|&code| u64::from(code)).sum::<u64>());
        assert_eq!(sums.square_sum(), samples.iter().map(|&code| u128::from(code * code)).sum::<u128>());
    }

    #[test]
    fn a_range_counts_its_codes_with_both_ends() {
        let sums = Sums::of(&[2_u32; 256]);
        assert_eq!((sums.samples(), sums.count_in(16..=16), sums.count_in(0..=255)), (512, 2, 512));
        assert_eq!(sums.count_in(250..=999), 12);
        assert_eq!((sums.count_in(256..=999), sums.count_in(0..=u32::MAX)), (0, 512));
        #[expect(clippy::reversed_empty_ranges, reason = "an empty range holds nothing")]
        let none = sums.count_in(9..=3);
        assert_eq!(none, 0);
        assert_eq!(sums.share_in(0..=127), 0.5);
    }

    #[test]
    fn statistics_of_a_cumulative_channel_equal_the_histograms() {
        let mut histogram = Histogram::empty(8, Components::Rgbl);
        for (bin, count) in [(0, 2), (10, 100), (255, 98)] {
            histogram.bins_mut(1)[bin] = count;
        }
        histogram.out_of_range_mut(1).copy_from_slice(&[1, 50]);
        let cumulative = Cumulative::of(&histogram);
        let stats = cumulative.stats(1, None);
        assert_eq!(stats, histogram.stats(1, None));
        assert_eq!((stats.p1, stats.p99), (0, 255));
        assert_eq!((stats.share_lowest, stats.share_highest), (0.01, 0.49));
        assert_eq!((stats.below_range, stats.above_range, stats.share_out_of_range), (Some(1), Some(50), 0.255));
        assert_eq!(cumulative.stats(3, None).below_range, None, "luminance is never out of range");
    }

    #[test]
    fn scanned_words_give_the_same_sums_even_if_they_wrap_around() {
        for bits in [8, 10, 12] {
            let mut histogram = Histogram::empty(bits, Components::YCbCr);
            for channel in 0..3 {
                for (code, bin) in (0_u32..).zip(histogram.bins_mut(channel)) {
                    *bin = code.wrapping_mul(2_654_435_761_u32.rotate_left(channel as u32)) % 1_000_000;
                }
            }
            for (channel, outside) in [[1, 2], [3, 4], [5, 6]].iter().enumerate() {
                histogram.out_of_range_mut(channel).copy_from_slice(outside);
            }
            let expected = Cumulative::of(&histogram);
            assert_eq!(expected.code_count(), 1 << bits);
            for before in [0, 1, u32::MAX - 1000, 1 << 31] {
                let mut words = scanned(&histogram, before);
                assert_eq!(Cumulative::of_scan(bits, Components::YCbCr, &words).as_ref(), Some(&expected));
                words[(1 << bits) + 7] ^= 1;
                assert_ne!(Cumulative::of_scan(bits, Components::YCbCr, &words).as_ref(), Some(&expected));
                assert_eq!(Cumulative::of_scan(bits, Components::YCbCr, &words[1..]), None, "a word is missing");
            }
        }
    }

    #[test]
    fn selections_of_two_parts_add_up() {
        let (upper, lower) = (Selected { any: 30, all: 7 }, Selected { any: 5, all: 4 });
        assert_eq!(upper.plus(lower), Selected { any: 35, all: 11 });
    }
}
