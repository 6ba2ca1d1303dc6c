//! Histograms of many frames, added up.

use super::bins::{Components, Histogram};
use super::cumulative::Sums;
use super::stats::ChannelStats;

/// The histogram of a clip: that of all its frames together.
#[derive(Debug, Default)]
pub struct ClipHistogram {
    channels: Vec<ClipChannel>,
}

/// A channel of a clip.
#[derive(Debug)]
struct ClipChannel {
    name: &'static str,
    bins: Vec<u64>,
    /// Samples below and above the range, where that is counted.
    outside: Option<[u64; 2]>,
}

impl ClipHistogram {
    /// Adds a frame. One of another depth than the first is left out and `false` is returned.
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

    /// The channels that were counted, by name, in the order in which they were counted, 2^n bins each.
    pub fn channels(&self) -> impl ExactSizeIterator<Item = (&'static str, &[u64])> {
        self.channels.iter().map(|channel| (channel.name, channel.bins.as_slice()))
    }

    /// Their figures. What of coded components lies outside the nominal range is not told: it may change from frame to frame.
    pub fn stats(&self) -> impl ExactSizeIterator<Item = (&'static str, ChannelStats)> {
        self.channels.iter().map(|channel| (channel.name, Sums::of(&channel.bins).stats(channel.outside)))
    }
}
