//! The frames with the largest shares of clipped or out-of-range samples.

use serde::{Deserialize, Serialize};

use crate::histogram::{CLAMPED_CHANNELS, Components, Histogram};
use crate::picture::color::Range;

/// The maximum number of frames listed for each flaw. At most one per second is listed, so that a single shot does not
/// fill the list.
pub const LISTED: usize = 10;

/// A flaw of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Flaw {
    /// Samples at the lowest code.
    Lowest,
    /// Samples at the highest code.
    Highest,
    /// Samples out of range.
    Outside,
}

impl Flaw {
    /// All flaws.
    pub const ALL: [Self; 3] = [Self::Lowest, Self::Highest, Self::Outside];

    /// Returns the name used in headings.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Lowest => "At the lowest code",
            Self::Highest => "At the highest code",
            Self::Outside => "Out of range",
        }
    }

    /// Returns the name used in identifiers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lowest => "lowest",
            Self::Highest => "highest",
            Self::Outside => "outside",
        }
    }
}

/// The share of samples with a flaw, in the channel with the largest share.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct ChannelShare {
    /// The share of the channel's samples.
    pub share: f64,
    /// The channel.
    pub channel: usize,
}

/// Returns the share of a frame's samples with each flaw, in the order of [`Flaw::ALL`]. If several channels have the
/// same share, the first is returned.
///
/// Luminance is ignored, because it clips only if red, green and blue all do.
#[must_use]
pub fn shares(histogram: &Histogram, range: Range) -> [ChannelShare; 3] {
    let channels = match histogram.components {
        Components::Rgbl => CLAMPED_CHANNELS,
        Components::YCbCr => histogram.components.channel_names().len(),
    };
    let mut worst = [ChannelShare::default(); 3];
    for channel in 0..channels {
        let figures = histogram.stats(channel, Some(range));
        let shares = [figures.share_lowest, figures.share_highest, figures.share_out_of_range];
        for (worst, share) in worst.iter_mut().zip(shares) {
            if share > worst.share {
                *worst = ChannelShare { share, channel };
            }
        }
    }
    worst
}

/// A candidate for the list of worst frames.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorstFrame {
    /// Number of the frame.
    pub frame: u64,
    /// Time at which it begins, in seconds.
    pub time_secs: f64,
    /// Share of samples with the flaw.
    pub share: ChannelShare,
}

/// The worst frames for one flaw.
#[derive(Debug, Clone, Default)]
pub struct WorstFrames {
    /// The worst frames of past seconds, worst first; among equal ones, the earliest first.
    listed: Vec<WorstFrame>,
    /// The worst frame of the current second.
    candidate: Option<WorstFrame>,
    /// Number of changes to the list.
    changes: u64,
}

impl WorstFrames {
    /// Takes the next frame. Returns `true` if it would be listed, judging by the frames so far.
    pub fn push(&mut self, frame: WorstFrame) -> bool {
        if frame.share.share <= 0.0 {
            return false;
        }
        match &mut self.candidate {
            Some(candidate) if candidate.time_secs.floor() == frame.time_secs.floor() => {
                if frame.share.share <= candidate.share.share {
                    return false;
                }
                *candidate = frame;
            }
            candidate => {
                let done = candidate.replace(frame);
                self.list(done);
            }
        }
        self.listed.len() < LISTED || self.listed.iter().any(|listed| listed.share.share < frame.share.share)
    }

    /// Returns `true` if the frame is listed or is the worst of the current second.
    #[must_use]
    pub fn has(&self, frame: u64) -> bool {
        self.listed.iter().chain(&self.candidate).any(|worst| worst.frame == frame)
    }

    fn list(&mut self, frame: Option<WorstFrame>) {
        let Some(frame) = frame else { return };
        let at = self.listed.partition_point(|listed| listed.share.share >= frame.share.share);
        if at < LISTED {
            self.listed.insert(at, frame);
            self.listed.truncate(LISTED);
            self.changes += 1;
        }
    }

    /// Returns the worst frames of past seconds, worst first.
    pub(super) fn listed(&self) -> &[WorstFrame] {
        &self.listed
    }

    /// Returns the number of changes to the list of past seconds.
    pub(super) const fn changes(&self) -> u64 {
        self.changes
    }

    /// Ends the clip and returns the worst frames, worst first.
    #[must_use]
    pub fn finish(mut self) -> Vec<WorstFrame> {
        let last = self.candidate.take();
        self.list(last);
        self.listed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_channel_determines_the_share() {
        let mut histogram = Histogram::empty(8, Components::Rgbl);
        for channel in 0..4 {
            histogram.bins_mut(channel)[100] = 90;
        }
        histogram.bins_mut(1)[0] = 10;
        histogram.bins_mut(2)[255] = 30;
        histogram.bins_mut(3)[0] = 900;
        histogram.out_of_range_mut(0).copy_from_slice(&[4, 5]);
        let [lowest, highest, outside] = shares(&histogram, Range::Limited);
        assert_eq!(lowest, ChannelShare { share: 0.1, channel: 1 });
        assert_eq!(highest, ChannelShare { share: 0.25, channel: 2 });
        assert_eq!(outside, ChannelShare { share: 0.1, channel: 0 });
    }

    #[test]
    fn the_worst_frame_of_each_second_is_listed_worst_first() {
        let mut worst = WorstFrames::default();
        for frame in 0..25 * 40_u64 {
            let share = match frame {
                30 => 0.5,
                31 => 0.9,
                250 => 0.7,
                700 => 0.95,
                _ => (frame % 25) as f64 / 1000.0,
            };
            worst.push(WorstFrame { frame, time_secs: frame as f64 / 25.0, share: ChannelShare { share, channel: 0 } });
        }
        let frames: Vec<u64> = worst.finish().iter().map(|worst| worst.frame).collect();
        assert_eq!(frames, [700, 31, 250, 24, 74, 99, 124, 149, 174, 199]);
    }

    #[test]
    fn a_clean_clip_has_no_worst_frame() {
        let mut worst = WorstFrames::default();
        worst.push(WorstFrame { frame: 0, time_secs: 0.0, share: ChannelShare::default() });
        assert_eq!(worst.finish(), []);
    }
}
