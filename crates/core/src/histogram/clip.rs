//! Sums of the histograms of many frames.

use super::bins::{Components, Histogram};
use super::cumulative::Sums;
use super::stats::ChannelStats;

/// The histogram of a clip: the sum of its frames' histograms.
#[derive(Debug, Default)]
pub struct ClipHistogram {
    channels: Vec<ClipChannel>,
}

/// A channel of a clip.
#[derive(Debug)]
struct ClipChannel {
    name: &'static str,
    bins: Vec<u64>,
    /// Samples below and above the range, if they are counted.
    outside: Option<[u64; 2]>,
}

impl ClipHistogram {
    /// Adds a frame. Returns `false`, and leaves the frame out, if its depth differs from the first frame's.
    pub fn add(&mut self, histogram: &Histogram) -> bool {
        let names = histogram.components.channel_names();
        for (channel, name) in names.iter().enumerate() {
            let clamped = histogram.clamped(channel).filter(|_| histogram.components == Components::Rgbl);
            let at = self.channels.iter().position(|sum| sum.name == *name).unwrap_or_else(|| {
                let (bins, outside) = (vec![0; histogram.bin_count()], clamped.map(|_| [0; 2]));
                self.channels.push(ClipChannel { name, bins, outside });
                self.channels.len() - 1
            });
            let ClipChannel { bins, outside, .. } = &mut self.channels[at];
            if bins.len() != histogram.bin_count() {
                return false;
            }
            for (sum, &bin) in bins.iter_mut().zip(histogram.bins(channel)) {
                *sum += u64::from(bin);
            }
            for (sum, count) in outside.iter_mut().flatten().zip(clamped.into_iter().flatten()) {
                *sum += u64::from(count);
            }
        }
        true
    }

    /// Returns the counted channels by name, in counting order, with 2^n bins each.
    pub fn channels(&self) -> impl ExactSizeIterator<Item = (&'static str, &[u64])> {
        self.channels.iter().map(|channel| (channel.name, channel.bins.as_slice()))
    }

    /// Returns the statistics of each channel. Samples outside the nominal range of coded components are not given,
    /// because the range may change from frame to frame.
    pub fn stats(&self) -> impl ExactSizeIterator<Item = (&'static str, ChannelStats)> {
        self.channels.iter().map(|channel| (channel.name, Sums::of(&channel.bins).stats(channel.outside)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_add_up_by_name_and_a_frame_of_another_depth_is_left_out() {
        let mut frame = Histogram::empty(8, Components::Rgbl);
        frame.bins_mut(0)[7] = 5;
        frame.bins_mut(3)[9] = 6;
        frame.out_of_range_mut(0).copy_from_slice(&[1, 2]);
        let mut clip = ClipHistogram::default();
        assert!(clip.add(&frame) && clip.add(&frame));
        assert!(!clip.add(&Histogram::empty(10, Components::Rgbl)));
        let mut coded = Histogram::empty(8, Components::YCbCr);
        coded.bins_mut(0)[200] = 8;
        // With coded components, these words are not counts of out-of-range pixels.
        coded.out_of_range_mut(0).copy_from_slice(&[3, 4]);
        assert!(clip.add(&coded));
        let figures: Vec<_> =
            clip.stats().map(|(name, stats)| (name, stats.count, stats.below_range, stats.above_range)).collect();
        let rgbl = Components::Rgbl.channel_names();
        let ycbcr = Components::YCbCr.channel_names();
        assert_eq!(figures[0], (rgbl[0], 10, Some(2), Some(4)));
        assert_eq!(figures[3], (rgbl[3], 12, None, None));
        assert_eq!(figures[4], (ycbcr[0], 8, None, None));
        assert_eq!(figures.len(), rgbl.len() + ycbcr.len());
        assert_eq!(clip.channels().next().map(|(_, bins)| bins[7]), Some(10));
    }
}
