//! The figures of one channel as every output has them: in JSON objects, in the columns of tables, under the same names.

use serde::Serialize;

use crate::histogram::{CLAMPED_CHANNELS, Components, Histogram, Sums};
use crate::picture::color::Range;

/// The percentiles that are told, in percent.
pub const PERCENTS: [u64; 8] = [1, 5, 10, 25, 75, 90, 95, 99];

/// Figures of one channel. Levels are codes from 0 to 2^n - 1, shares are parts of `count`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChannelFigures {
    /// Samples counted.
    pub count: u64,
    /// Lowest code that occurs.
    pub min: u32,
    /// Highest code that occurs.
    pub max: u32,
    /// Mean code.
    pub mean: f64,
    /// Standard deviation of the codes, of the whole population.
    pub std_dev: f64,
    /// The lower median.
    pub median: u32,
    /// Percentiles: each the smallest code that at least so many percent of the samples do not exceed.
    pub p1: u32,
    /// See [`p1`](Self::p1).
    pub p5: u32,
    /// See [`p1`](Self::p1).
    pub p10: u32,
    /// See [`p1`](Self::p1).
    pub p25: u32,
    /// See [`p1`](Self::p1).
    pub p75: u32,
    /// See [`p1`](Self::p1).
    pub p90: u32,
    /// See [`p1`](Self::p1).
    pub p95: u32,
    /// See [`p1`](Self::p1).
    pub p99: u32,
    /// Share of samples at code 0.
    pub share_lowest: f64,
    /// Share of samples at the highest code, 2^n - 1.
    pub share_highest: f64,
    /// Samples below the range: before the clamp, or below the nominal range of a coded component.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below_range: Option<u64>,
    /// Samples above it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub above_range: Option<u64>,
    /// Share of samples below or above. Luminance is computed after the clamp and never is.
    pub share_out_of_range: f64,
}

impl ChannelFigures {
    /// The figures of a channel of a picture's histogram; `range` is the picture's.
    #[must_use]
    pub fn new(histogram: &Histogram, channel: usize, range: Range) -> Self {
        let bins: Vec<u64> = histogram.bins(channel).iter().map(|&bin| u64::from(bin)).collect();
        let outside = match histogram.components {
            Components::Rgbl if channel < CLAMPED_CHANNELS => Some(histogram.out_of_range(channel).map(u64::from)),
            Components::Rgbl => None,
            Components::YCbCr => Some(outside_nominal(&bins, channel, histogram.bits, range)),
        };
        Self::of(&bins, outside)
    }

    /// The figures of a channel's bins, and of what fell outside.
    #[must_use]
    pub fn of(bins: &[u64], outside: Option<[u64; 2]>) -> Self {
        let sums = Sums::of(bins);
        let (count, sum) = (sums.samples(), sums.code_sum());
        // A frame's own squares fit in 64 bits; those of a whole film may not.
        let square = |(&bin, code): (&u64, u64)| u128::from(bin) * u128::from(code * code);
        let squares: u128 = bins.iter().zip(0..).map(square).sum();
        let n = count.max(1) as f64;
        // n Σx² - (Σx)² in integers: no digits cancel, however small the deviation.
        let spread = u128::from(count) * squares - u128::from(sum) * u128::from(sum);
        let share = |count: u64| count as f64 / n;
        let [p1, p5, p10, p25, p75, p90, p95, p99] = PERCENTS.map(|percent| sums.percentile(percent));
        Self {
            count,
            min: sums.min(),
            max: sums.max(),
            mean: sums.mean(),
            std_dev: (spread as f64).sqrt() / n,
            median: sums.median(),
            p1,
            p5,
            p10,
            p25,
            p75,
            p90,
            p95,
            p99,
            share_lowest: share(bins.first().copied().unwrap_or(0)),
            share_highest: share(bins.last().copied().unwrap_or(0)),
            below_range: outside.map(|[below, _]| below),
            above_range: outside.map(|[_, above]| above),
            share_out_of_range: share(outside.map_or(0, |[below, above]| below + above)),
        }
    }

    /// The percentiles in the order of [`PERCENTS`].
    #[must_use]
    pub const fn percentiles(&self) -> [u32; PERCENTS.len()] {
        [self.p1, self.p5, self.p10, self.p25, self.p75, self.p90, self.p95, self.p99]
    }
}

/// Coded samples below and above the nominal range: 16 to 235 for luma, 16 to 240 for chroma, scaled to the depth.
fn outside_nominal(bins: &[u64], channel: usize, bits: u32, range: Range) -> [u64; 2] {
    if range == Range::Full || bins.len() != 1 << bits {
        return [0, 0];
    }
    let scale = bits - 8;
    let (low, high) = (16 << scale, if channel == 0 { 235 } else { 240 } << scale);
    [bins[..low].iter().sum(), bins[high + 1..].iter().sum()]
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
        let wide: Vec<u64> = bins.iter().map(|&bin| u64::from(bin)).collect();
        let figures = ChannelFigures::of(&wide, Some([3, 4]));
        let stats = Sums::of(&bins).stats();
        assert_eq!((figures.count, figures.min, figures.max), (stats.count, stats.min, stats.max));
        assert_eq!((figures.mean, figures.median), (stats.mean, stats.median));
        for (level, percent) in figures.percentiles().into_iter().zip(PERCENTS) {
            let wanted = stats.count * percent;
            let reaches = |code: usize| bins[..=code].iter().map(|&bin| 100 * u64::from(bin)).sum::<u64>() >= wanted;
            assert_eq!(Some(level as usize), (0..256).find(|&code| reaches(code)), "{percent} %");
        }
        let n = stats.count as f64;
        let squares: f64 = bins.iter().zip(0..).map(|(&b, c)| f64::from(b) * (f64::from(c) - stats.mean).powi(2)).sum();
        assert!((figures.std_dev - (squares / n).sqrt()).abs() < 1e-12, "{}", figures.std_dev);
        assert_eq!((figures.share_lowest, figures.share_highest), (7.0 / n, 13.0 / n));
        assert_eq!(figures.share_out_of_range, 7.0 / n);
    }

    #[test]
    fn nothing_counted_gives_zeros() {
        let figures = ChannelFigures::of(&[0; 256], None);
        assert_eq!((figures.count, figures.max, figures.p99, figures.median), (0, 0, 0, 0));
        assert_eq!((figures.mean, figures.std_dev, figures.share_lowest), (0.0, 0.0, 0.0));
    }

    #[test]
    fn a_constant_picture_deviates_by_nothing() {
        let mut bins = vec![0; 4096];
        bins[4095] = 1 << 30;
        let figures = ChannelFigures::of(&bins, None);
        assert_eq!((figures.mean, figures.std_dev, figures.share_highest), (4095.0, 0.0, 1.0));
    }

    #[test]
    fn codes_outside_the_nominal_range_are_told() {
        let mut bins = vec![0; 1024];
        for code in [63, 64, 940, 941, 960, 961] {
            bins[code] = 1;
        }
        assert_eq!(outside_nominal(&bins, 0, 10, Range::Limited), [1, 3]);
        assert_eq!(outside_nominal(&bins, 1, 10, Range::Limited), [1, 1]);
        assert_eq!(outside_nominal(&bins, 1, 10, Range::Full), [0, 0]);
    }
}
