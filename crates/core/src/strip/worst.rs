//! The frames with the largest shares of clipped or out-of-range samples, one for each stretch.
//!
//! The worst frame of each second is compared with that of the second before: both are of one stretch if from one to
//! the other the share never falls below half of the larger of the two. This depends on no earlier frames, so that the
//! parts of a file have the same stretches as the whole file.

use serde::{Deserialize, Serialize};

use super::cells::{BLANK_SHARE, is_black};
use crate::histogram::{CLAMPED_CHANNELS, Components, Histogram};
use crate::picture::color::Range;

/// The maximum number of frames listed for each flaw.
pub const LISTED: usize = 10;
/// The number of stretches that may be worse in a part of a file than in the whole file: the part may begin within one.
const SPLIT: usize = 2;

/// The minimum share of samples with a flaw in a frame that is listed.
const LEAST_SHARE: f64 = 0.001;

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
/// same share, the first is returned, but luminance if it has that share, too: it clips only where red, green and blue
/// all do, as in a white picture.
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
    if histogram.components == Components::Rgbl {
        let figures = histogram.stats(CLAMPED_CHANNELS, None);
        for (worst, share) in worst.iter_mut().zip([figures.share_lowest, figures.share_highest]) {
            if share > 0.0 && share.to_bits() == worst.share.to_bits() {
                worst.channel = CLAMPED_CHANNELS;
            }
        }
    }
    worst
}

/// A frame with the largest share of a flaw in a stretch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WorstFrame {
    /// Number of the frame.
    pub frame: u64,
    /// Time at which it begins, in seconds.
    pub time_secs: f64,
    /// Share of samples with the flaw.
    pub share: ChannelShare,
}

/// The worst frame of a second.
#[derive(Debug, Clone, Copy)]
struct WorstOfSecond {
    worst: WorstFrame,
    /// The lowest share from the worst frame of the second before up to this one.
    until: f64,
    /// The lowest share since this frame.
    since: f64,
}

/// The worst frames for one flaw.
#[derive(Debug, Clone, Default)]
pub struct WorstFrames {
    /// The worst frames of past stretches, worst first; among equal ones, the earliest first.
    listed: Vec<WorstFrame>,
    /// The worst frame of the current stretch, up to the last second.
    stretch: Option<WorstFrame>,
    /// The last second.
    before: Option<WorstOfSecond>,
    /// The current second.
    now: Option<WorstOfSecond>,
    /// Number of changes to the list.
    changes: u64,
    /// The share of all frames so far, as long as it is the same for two or more.
    constant: Constant,
}

/// What is known of a share that may be the same for all frames.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum Constant {
    /// No frame is known.
    #[default]
    None,
    /// The share of a single frame.
    One(f64),
    /// The same share of several frames.
    Several(f64),
    /// Shares differ.
    Varies,
}

impl Constant {
    fn and(self, share: f64) -> Self {
        match self {
            Self::None => Self::One(share),
            Self::One(known) | Self::Several(known) if known.to_bits() == share.to_bits() => Self::Several(share),
            _ => Self::Varies,
        }
    }
}

impl WorstFrames {
    /// Takes the next frame. Returns `true` if it would be listed, judging by the frames so far, or by those of a file
    /// of which they are a part.
    pub fn push(&mut self, frame: WorstFrame) -> bool {
        let share = frame.share.share.max(0.0);
        self.constant = self.constant.and(share);
        for second in self.before.iter_mut().chain(&mut self.now) {
            second.since = second.since.min(share);
        }
        if share < LEAST_SHARE {
            return false;
        }
        let is_same = |now: &WorstOfSecond| now.worst.time_secs.floor() == frame.time_secs.floor();
        match self.now {
            Some(now) if is_same(&now) && share <= now.worst.share.share => return false,
            Some(now) if is_same(&now) => {}
            _ => self.end_second(),
        }
        let until = self.before.map_or(0.0, |before| before.since);
        let now = WorstOfSecond { worst: frame, until, since: share };
        self.now = Some(now);
        let is_better = self.stretch.filter(|_| self.is_linked(&now)).is_some_and(|worst| worst.share.share >= share);
        let worse = self.listed.iter().filter(|listed| listed.share.share >= share).count();
        !is_better && worse < LISTED + SPLIT
    }

    /// Returns `true` if a second is of the same stretch as the second before.
    fn is_linked(&self, now: &WorstOfSecond) -> bool {
        self.before.is_some_and(|before| now.until >= before.worst.share.share.max(now.worst.share.share) / 2.0)
    }

    fn end_second(&mut self) {
        let Some(now) = self.now.take() else { return };
        let worst = match self.stretch {
            Some(worst) if self.is_linked(&now) => {
                if worst.share.share >= now.worst.share.share {
                    worst
                } else {
                    now.worst
                }
            }
            stretch => {
                self.list(stretch);
                now.worst
            }
        };
        (self.stretch, self.before) = (Some(worst), Some(now));
    }

    /// Returns `true` if the frame is listed, or is the worst of the current stretch or second.
    #[must_use]
    pub fn has(&self, frame: u64) -> bool {
        let now = self.now.as_ref().map(|now| &now.worst);
        self.listed.iter().chain(&self.stretch).chain(now).any(|worst| worst.frame == frame)
    }

    fn list(&mut self, frame: Option<WorstFrame>) {
        let Some(frame) = frame else { return };
        let at = self.listed.partition_point(|listed| listed.share.share >= frame.share.share);
        if at < LISTED + SPLIT {
            self.listed.insert(at, frame);
            self.listed.truncate(LISTED + SPLIT);
            self.changes += 1;
        }
    }

    /// Returns the worst frames of past stretches, worst first.
    pub(super) fn listed(&self) -> &[WorstFrame] {
        &self.listed[..self.listed.len().min(LISTED)]
    }

    /// Returns the number of changes to the list of past stretches.
    pub(super) const fn changes(&self) -> u64 {
        self.changes
    }

    /// Ends the clip and returns the worst frames, worst first. There are none if several frames all have the same
    /// share.
    #[must_use]
    pub fn finish(mut self) -> Vec<WorstFrame> {
        self.end_second();
        let last = self.stretch.take();
        self.list(last);
        if matches!(self.constant, Constant::Several(_)) {
            self.listed.clear();
        }
        self.listed.truncate(LISTED);
        self.listed
    }
}

/// The worst frames for each flaw, in the order of [`Flaw::ALL`].
#[derive(Debug, Clone, Default)]
pub struct WorstOfClip([WorstFrames; 3]);

impl WorstOfClip {
    /// Takes the next frame, the shares of its samples with each flaw, and its cells; see [`fold`](super::fold). Black
    /// frames are left out of those at the lowest code. Returns `true` if the frame would be listed.
    pub fn push(&mut self, (frame, time_secs): (u64, f64), shares: [ChannelShare; 3], cells: &[u64]) -> bool {
        let [lowest, highest, outside] = shares;
        let lowest = if is_black(cells, BLANK_SHARE) { ChannelShare::default() } else { lowest };
        let mut would_be_listed = false;
        for (worst, share) in self.0.iter_mut().zip([lowest, highest, outside]) {
            would_be_listed |= worst.push(WorstFrame { frame, time_secs, share });
        }
        would_be_listed
    }

    /// Returns `true` if the frame is listed for any flaw, or is the worst of the current stretch or second.
    #[must_use]
    pub fn has(&self, frame: u64) -> bool {
        self.0.iter().any(|worst| worst.has(frame))
    }

    /// Returns the worst frames of past stretches for each flaw, worst first.
    pub(super) fn listed(&self) -> [Vec<WorstFrame>; 3] {
        self.0.each_ref().map(|worst| worst.listed().to_vec())
    }

    /// Returns the number of changes to the lists.
    pub(super) fn changes(&self) -> u64 {
        self.0.iter().map(WorstFrames::changes).sum()
    }

    /// Ends the clip and returns the worst frames for each flaw, worst first.
    #[must_use]
    pub fn finish(self) -> [Vec<WorstFrame>; 3] {
        self.0.map(WorstFrames::finish)
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
    fn a_white_picture_is_clipped_in_luminance() {
        let mut histogram = Histogram::empty(8, Components::Rgbl);
        (0..4).for_each(|channel| histogram.bins_mut(channel)[255] = 100);
        let [lowest, highest, _] = shares(&histogram, Range::Limited);
        assert_eq!((lowest, highest), (ChannelShare::default(), ChannelShare { share: 1.0, channel: 3 }));
    }

    #[test]
    fn less_than_a_thousandth_is_no_worst_frame() {
        assert_eq!(worst([0.0, 0.0009, 0.0]), [0; 0]);
        assert_eq!(worst([0.0, 0.001, 0.0]), [1]);
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

    /// Returns the worst frames of a clip with these shares at 25 frames per second.
    fn worst(shares: impl IntoIterator<Item = f64>) -> Vec<u64> {
        let mut worst = WorstFrames::default();
        for (share, frame) in shares.into_iter().zip(0_u64..) {
            worst.push(WorstFrame { frame, time_secs: frame as f64 / 25.0, share: ChannelShare { share, channel: 0 } });
        }
        worst.finish().iter().map(|worst| worst.frame).collect()
    }

    #[test]
    fn each_stretch_has_one_worst_frame() {
        let shares = |frame: usize| match frame {
            200 => 0.31,
            50..=299 => 0.3 + (frame % 7) as f64 / 1000.0,
            400..=599 => 0.1,
            _ => 0.001,
        };
        // The clip begins and ends with stretches of a share of 0.001, and one lies in between.
        assert_eq!(worst((0..700).map(shares)), [200, 400, 0, 300, 600]);
        let fade = (0..500).map(|frame| f64::from(frame) / 500.0);
        assert_eq!(worst(fade).first(), Some(&499));
    }

    #[test]
    fn a_constant_clip_has_no_worst_frame() {
        assert_eq!(worst(vec![0.2; 100]), [0; 0]);
        assert_eq!(worst([vec![0.2; 100], vec![0.201]].concat()), [100]);
        assert_eq!(worst([0.2]), [0], "a still picture is its own worst frame");
    }

    #[test]
    fn black_frames_are_not_the_worst_at_the_lowest_code() {
        let frame = |black: u32| {
            let mut histogram = Histogram::empty(8, Components::Rgbl);
            for channel in 0..4 {
                histogram.bins_mut(channel)[0] = black;
                histogram.bins_mut(channel)[100] = 1000 - black;
            }
            histogram
        };
        let mut worst = WorstOfClip::default();
        for (number, black) in (0..).zip([10, 1000, 1000, 300, 990, 20]) {
            let histogram = frame(black);
            let shares = shares(&histogram, Range::Limited);
            worst.push((number, number as f64), shares, &crate::strip::fold(&histogram));
        }
        let [lowest, highest, _] = worst.finish();
        assert_eq!(lowest.iter().map(|worst| worst.frame).collect::<Vec<_>>(), [3, 5, 0]);
        assert_eq!(highest, []);
    }

    #[test]
    fn a_part_of_a_file_lists_the_worst_frames_of_the_whole_file_that_it_has() {
        let share = |frame: u64| {
            let word = (frame / 9).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
            (word % 1000) as f64 / 1000.0 + (frame * 31 % 17) as f64 / 1000.0
        };
        let push = |worst: &mut WorstFrames, frame: u64| {
            let share = ChannelShare { share: share(frame), channel: 0 };
            worst.push(WorstFrame { frame, time_secs: frame as f64 / 25.0, share })
        };
        let mut whole = WorstFrames::default();
        for frame in 0..3000 {
            push(&mut whole, frame);
        }
        let listed: Vec<u64> = whole.finish().iter().map(|worst| worst.frame).collect();
        for begin in (0..3000).step_by(37) {
            let mut part = WorstFrames::default();
            let picked: Vec<u64> = (begin..3000).filter(|&frame| push(&mut part, frame)).collect();
            let missing: Vec<_> = listed.iter().filter(|frame| **frame >= begin && !picked.contains(frame)).collect();
            assert!(missing.is_empty(), "{missing:?} from {begin} on");
        }
    }

    #[test]
    fn a_clean_clip_has_no_worst_frame() {
        let mut worst = WorstFrames::default();
        worst.push(WorstFrame { frame: 0, time_secs: 0.0, share: ChannelShare::default() });
        assert_eq!(worst.finish(), []);
    }
}
