//! Statistics of a channel's histogram. The window, snapshots, records, overviews and reports all use this one type.

use super::bins::{Components, Histogram};
use super::cumulative::{Cumulative, Sums};
use crate::picture::color::Range;

/// The percentiles that [`ChannelStats`] includes, in percent.
const PERCENTS: [u64; 8] = [1, 5, 10, 25, 75, 90, 95, 99];

/// Statistics of one channel. Levels are codes from 0 to 2^n - 1, and shares are fractions of `count`, from 0 to 1. If
/// nothing was counted, all are 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChannelStats {
    /// Number of samples.
    pub count: u64,
    /// Lowest code that occurs.
    pub min: u32,
    /// Highest code that occurs.
    pub max: u32,
    /// Mean code.
    pub mean: f64,
    /// Population standard deviation of the codes.
    pub std_dev: f64,
    /// Lower median: the smallest code that at least half of the samples do not exceed.
    pub median: u32,
    /// 1st percentile: the smallest code that at least 1 % of the samples do not exceed. The other percentiles are
    /// defined likewise.
    pub p1: u32,
    pub p5: u32,
    pub p10: u32,
    pub p25: u32,
    pub p75: u32,
    pub p90: u32,
    pub p95: u32,
    pub p99: u32,
    /// Share of samples at code 0.
    pub share_lowest: f64,
    /// Share of samples at the highest code, 2^n - 1.
    pub share_highest: f64,
    /// Number of samples below the range: for R'G'B', before clamping; for a coded component, below its nominal range.
    /// `None` for luminance, which is computed after clamping.
    pub below_range: Option<u64>,
    /// Number of samples above the range, likewise.
    pub above_range: Option<u64>,
    /// Share of samples below or above the range.
    pub share_out_of_range: f64,
}

impl ChannelStats {
    /// Computes the statistics of a channel. `outside` gives the samples below and above the range, if known.
    fn new(sums: &Sums, outside: Option<[u64; 2]>) -> Self {
        let (count, sum) = (sums.samples(), sums.code_sum());
        // n Σx² - (Σx)² in integers, without cancellation, however small the deviation.
        let spread = u128::from(count) * sums.square_sum() - u128::from(sum) * u128::from(sum);
        let n = count.max(1) as f64;
        let [p1, p5, p10, p25, p75, p90, p95, p99] = PERCENTS.map(|percent| sums.percentile(percent));
        let top = sums.code_count().saturating_sub(1);
        Self {
            count,
            min: sums.percentile(0),
            max: sums.percentile(100),
            mean: sum as f64 / n,
            std_dev: (spread as f64).sqrt() / n,
            median: sums.percentile(50),
            p1,
            p5,
            p10,
            p25,
            p75,
            p90,
            p95,
            p99,
            share_lowest: sums.share_in(0..=0),
            share_highest: sums.share_in(top..=top),
            below_range: outside.map(|[below, _]| below),
            above_range: outside.map(|[_, above]| above),
            share_out_of_range: outside.map_or(0, |[below, above]| below + above) as f64 / n,
        }
    }
}

impl Sums {
    /// Computes the channel's statistics. `outside` gives the samples below and above the range, if known.
    #[must_use]
    pub fn stats(&self, outside: Option<[u64; 2]>) -> ChannelStats {
        ChannelStats::new(self, outside)
    }
}

impl Cumulative {
    /// Computes the statistics of a channel. `range` is the picture's; only the out-of-range counts of coded components
    /// depend on it.
    #[must_use]
    pub fn stats(&self, channel: usize, range: Option<Range>) -> ChannelStats {
        let sums = self.channel(channel);
        sums.stats(outside(sums, (self.components, channel), self.clamped(channel), range))
    }
}

impl Histogram {
    /// Computes the statistics of a channel; see [`Cumulative::stats`].
    #[must_use]
    pub fn stats(&self, channel: usize, range: Option<Range>) -> ChannelStats {
        let sums = self.sums(channel);
        sums.stats(outside(&sums, (self.components, channel), self.clamped(channel), range))
    }
}

/// Returns the number of a channel's samples below and above the range, or `None` if it is unknown or undefined. For
/// red, green and blue, these are the `clamped` samples; for coded components, they depend on the picture's `range`.
fn outside(
    sums: &Sums,
    (components, channel): (Components, usize),
    clamped: Option<[u32; 2]>,
    range: Option<Range>,
) -> Option<[u64; 2]> {
    match components {
        Components::Rgbl => clamped.map(|counts| counts.map(u64::from)),
        Components::YCbCr => range.map(|range| outside_nominal(sums, channel, range)),
    }
}

/// Counts the coded samples below and above the nominal range: 16 to 235 for luma, 16 to 240 for chroma, scaled to the
/// depth.
fn outside_nominal(sums: &Sums, channel: usize, range: Range) -> [u64; 2] {
    if range == Range::Full {
        return [0, 0];
    }
    let scale = sums.code_count() / 256;
    let (low, high) = (16 * scale, if channel == 0 { 235 } else { 240 } * scale);
    [sums.count_in(0..=low.saturating_sub(1)), sums.count_in(high + 1..=sums.code_count())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_agree_with_their_definitions() {
        let mut bins = vec![0_u32; 256];
        for (code, count) in [(0, 7), (3, 1), (16, 90), (100, 2), (235, 40), (255, 13)] {
            bins[code] = count;
        }
        let stats = Sums::of(&bins).stats(Some([3, 4]));
        let samples: Vec<u32> = (0_u32..).zip(&bins).flat_map(|(code, &bin)| vec![code; bin as usize]).collect();
        let n = samples.len() as f64;
        let mean = samples.iter().map(|&code| f64::from(code)).sum::<f64>() / n;
        assert_eq!((stats.count, stats.min, stats.max, stats.mean), (153, 0, 255, mean));
        let told = [stats.p1, stats.p5, stats.p10, stats.p25, stats.p75, stats.p90, stats.p95, stats.p99, stats.median];
        for (level, percent) in told.into_iter().zip([1, 5, 10, 25, 75, 90, 95, 99, 50]) {
            let wanted = stats.count * percent;
            let reaches = |code: usize| bins[..=code].iter().map(|&bin| 100 * u64::from(bin)).sum::<u64>() >= wanted;
            assert_eq!(Some(level as usize), (0..256).find(|&code| reaches(code)), "{percent} %");
        }
        let squares: f64 = samples.iter().map(|&code| (f64::from(code) - mean).powi(2)).sum();
        assert!((stats.std_dev - (squares / n).sqrt()).abs() < 1e-12, "{}", stats.std_dev);
        assert_eq!((stats.share_lowest, stats.share_highest), (7.0 / n, 13.0 / n));
        assert_eq!((stats.below_range, stats.above_range, stats.share_out_of_range), (Some(3), Some(4), 7.0 / n));
    }

    #[test]
    fn nothing_counted_gives_zeros() {
        for sums in [Sums::of(&[0_u32; 256]), Sums::of::<u32>(&[])] {
            let stats = sums.stats(None);
            assert_eq!((stats.count, stats.min, stats.max, stats.p99, stats.median), (0, 0, 0, 0, 0));
            assert_eq!((stats.mean, stats.std_dev, stats.share_lowest, stats.share_out_of_range), (0.0, 0.0, 0.0, 0.0));
        }
    }

    #[test]
    fn a_constant_picture_has_no_deviation() {
        let mut bins = vec![0_u32; 4096];
        bins[4095] = 1 << 30;
        let stats = Sums::of(&bins).stats(None);
        assert_eq!((stats.mean, stats.std_dev, stats.share_highest), (4095.0, 0.0, 1.0));
    }

    #[test]
    fn codes_outside_the_nominal_range_are_counted() {
        let mut bins = vec![0_u32; 1024];
        for code in [63, 64, 940, 941, 960, 961] {
            bins[code] = 1;
        }
        let sums = Sums::of(&bins);
        assert_eq!(outside_nominal(&sums, 0, Range::Limited), [1, 3]);
        assert_eq!(outside_nominal(&sums, 1, Range::Limited), [1, 1]);
        assert_eq!(outside_nominal(&sums, 1, Range::Full), [0, 0]);
        assert_eq!(outside(&sums, (Components::YCbCr, 1), None, None), None, "without a range nothing is known");
        assert_eq!(outside(&sums, (Components::Rgbl, 2), Some([5, 6]), Some(Range::Full)), Some([5, 6]));
    }
}
