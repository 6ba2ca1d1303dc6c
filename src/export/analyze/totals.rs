//! Histograms of many frames, added up.

use crate::histogram::{CLAMPED_CHANNELS, Components, Histogram};

/// Adds up histograms of many frames.
#[derive(Debug, Default)]
pub struct Totals {
    /// The channels, in the order in which they are counted.
    pub channels: Vec<ChannelTotal>,
}

/// What a channel adds up to.
#[derive(Debug)]
pub struct ChannelTotal {
    /// Its name.
    pub name: &'static str,
    /// Its bins.
    pub bins: Vec<u64>,
    /// Samples below and above the range, where that is counted.
    pub outside: Option<[u64; 2]>,
}

impl Totals {
    /// Adds a frame. One of another depth than the first is left out and `false` is returned.
    pub fn add(&mut self, histogram: &Histogram) -> bool {
        let names = histogram.components.channel_names();
        for (channel, name) in names.iter().enumerate() {
            let at = self.channels.iter().position(|total| total.name == *name).unwrap_or_else(|| {
                let clamped = histogram.components == Components::Rgbl && channel < CLAMPED_CHANNELS;
                let (bins, outside) = (vec![0; histogram.bin_count()], clamped.then_some([0; 2]));
                self.channels.push(ChannelTotal { name, bins, outside });
                self.channels.len() - 1
            });
            let ChannelTotal { bins, outside, .. } = &mut self.channels[at];
            if bins.len() != histogram.bin_count() {
                return false;
            }
            for (sum, &bin) in bins.iter_mut().zip(histogram.bins(channel)) {
                *sum += u64::from(bin);
            }
            if let Some(outside) = outside {
                for (sum, count) in outside.iter_mut().zip(histogram.out_of_range(channel)) {
                    *sum += u64::from(count);
                }
            }
        }
        true
    }
}
