//! The numbers of a file's frames.
//!
//! Counting continues from frame to frame as long as none can be missing between them ([`Count`]). A frame that does
//! not follow a counted one is numbered by its timestamp: as counted before, as announced by the container's table, or
//! as found in the list of packets.

use std::sync::Arc;

use crate::av::StreamParameters;
use crate::times::index::FrameIndex;

/// Maximum number of timestamps remembered, 8 bytes each: nineteen hours at 60 frames per second.
const MAX_KNOWN: usize = 1 << 22;

/// Codecs whose packets each hold exactly one shown frame or are marked as holding none, so that counting packets
/// counts frames, besides intra-only codecs.
const ONE_FRAME_A_PACKET: [&str; 11] =
    ["h264", "hevc", "av1", "vp8", "vp9", "mpeg1video", "mpeg2video", "mpeg4", "ffv1", "qtrle", "theora"];

/// Returns `true` if each packet of that stream in that container holds one frame or is marked as holding none.
pub(crate) fn has_one_frame_a_packet(parameters: &StreamParameters<'_>, container: &str) -> bool {
    let codec = parameters.codec_name();
    // AVI may pack two MPEG-4 frames into one packet.
    let is_packed = codec == "mpeg4" && container == "avi";
    (parameters.is_intra_only() || ONE_FRAME_A_PACKET.contains(&codec)) && !is_packed
}

/// The number of the next frame, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Count {
    /// It is unknown.
    #[default]
    Unknown,
    /// It is this number.
    Next(u64),
    /// It is unknown, but `frames` frames have been counted without a gap, starting with the one whose timestamp is
    /// `first`.
    Run { first: i64, frames: u64 },
}

/// Numbers of the frames from a keyframe up to a target, as announced by a table of packets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AnnouncedNumbers {
    /// Number of the first frame.
    pub(crate) first: u64,
    /// Timestamps of the frames, in ascending order.
    pub(crate) stamps: Vec<i64>,
}

/// The frame numbers of the whole file, as far as they are known, and the number of the next frame.
#[derive(Default)]
pub(crate) struct Numbering {
    /// Timestamps of all frames that were ever decoded without a gap since the first.
    counted: Vec<i64>,
    /// Timestamps of all frames, once the packets have been listed.
    list: Option<Arc<FrameIndex>>,
    /// Packets before the first frame that gave no frame although they are to be shown.
    pub(crate) lost_at_start: u64,
    count: Count,
    announced: Option<AnnouncedNumbers>,
}

impl Numbering {
    /// Restarts the count at another frame, whose number is known as far as `count` states.
    pub(crate) fn restart(&mut self, count: Count) {
        (self.count, self.announced) = (count, None);
    }

    /// Returns what is known about the number of the next frame.
    pub(crate) const fn count(&self) -> Count {
        self.count
    }

    /// Stops counting: the next frame may not be the next one in the count.
    pub(crate) const fn lose_count(&mut self) {
        self.count = Count::Unknown;
    }

    /// Stops counting after a packet was refused following a seek, if no list would reveal that its frame is missing.
    pub(crate) const fn note_refusal(&mut self) {
        if matches!(self.count, Count::Next(_)) && self.list.is_none() {
            self.lose_count();
        }
    }

    /// Announces the numbers of the frames up to `ticks`, given the timestamps of packets and the number of the first
    /// one shown.
    pub(crate) fn announce(&mut self, first: Option<u64>, stamps: &[i64], ticks: i64) {
        let known = stamps.partition_point(|pts| *pts <= ticks);
        self.announced = first.map(|first| AnnouncedNumbers { first, stamps: stamps[..known].to_vec() });
    }

    /// Returns the timestamp of the frame with that number if it has been counted; otherwise that of the last counted
    /// frame, as an error.
    pub(crate) fn counted_ticks(&self, number: u64) -> Result<i64, Option<i64>> {
        let position = usize::try_from(number).unwrap_or(usize::MAX);
        self.counted.get(position).copied().ok_or(self.counted.last().copied())
    }

    /// Returns `true` if no frame has ever been counted.
    pub(crate) const fn is_empty(&self) -> bool {
        self.counted.is_empty()
    }

    /// Returns the list that frames are numbered by, if there is one.
    pub(crate) const fn list(&self) -> Option<&Arc<FrameIndex>> {
        self.list.as_ref()
    }

    /// Numbers frames by that list from now on, if there is one.
    pub(crate) fn set_list(&mut self, list: Option<Arc<FrameIndex>>) {
        self.list = list;
    }

    /// Numbers the next frame, and continues counting. `is_timed` means that its timestamp distinguishes it from all
    /// others, `is_whole` that no frame is left out from there on, and `is_remembered` that a seek may come back to it.
    pub(crate) fn number_next(
        &mut self,
        pts: i64,
        (is_timed, is_whole, is_remembered): (bool, bool, bool),
    ) -> Option<u64> {
        let by_timestamp = is_timed.then(|| self.number_of(pts)).flatten();
        let number = match self.count {
            Count::Next(counted) if self.contradicts(counted, by_timestamp) => {
                // A frame was lost, or had no packet: numbers taken from the packets would be wrong somewhere.
                log::debug!("the frame at {pts} does not match the packets");
                (self.list, self.announced) = (None, None);
                (counted == self.counted.len() as u64).then_some(counted)
            }
            Count::Next(counted) => Some(counted),
            _ => by_timestamp,
        };
        // While pictures are left out, the frame after this one is not the next in the count.
        self.count = match (number, self.count) {
            _ if !is_whole => Count::Unknown,
            (Some(number), _) => Count::Next(number + 1),
            (None, Count::Run { first, frames }) => Count::Run { first, frames: frames + 1 },
            (None, _) => Count::Run { first: pts, frames: 1 },
        };
        if is_remembered && number == Some(self.counted.len() as u64) && self.counted.len() < MAX_KNOWN {
            self.counted.push(pts);
        }
        number
    }

    /// Returns `true` if the number found by timestamp differs from the counted one, or is missing although all frames
    /// are listed.
    fn contradicts(&self, counted: u64, by_timestamp: Option<u64>) -> bool {
        by_timestamp.map_or(self.list.is_some(), |number| number != counted)
    }

    /// Returns the number of a frame that was counted before or is known from packets.
    fn number_of(&self, pts: i64) -> Option<u64> {
        let counted = || self.counted.binary_search(&pts).ok().map(|index| index as u64);
        let announced = || {
            let AnnouncedNumbers { first, stamps } = self.announced.as_ref()?;
            stamps.binary_search(&pts).ok().map(|at| first + at as u64)
        };
        counted().or_else(announced).or_else(|| self.list.as_ref()?.number_of(pts))
    }

    /// Returns `true` if the frames so far, the last one at `last_pts`, are those of a list of packets. `is_plain`
    /// means that each packet is a frame.
    pub(crate) fn agrees_with(&self, index: &FrameIndex, last_pts: Option<i64>, is_plain: bool) -> bool {
        if !is_plain {
            return self.counted.iter().all(|pts| index.number_of(*pts).is_some());
        }
        let is_counted_alike = match self.count {
            Count::Run { first, frames } => index
                .number_of(first)
                .is_none_or(|number| last_pts.and_then(|last| index.number_of(last)) == Some(number + frames - 1)),
            _ => true,
        };
        is_counted_alike && index.pts.starts_with(&self.counted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: (bool, bool, bool) = (true, true, true);

    #[test]
    fn announced_numbers_end_at_the_target() {
        let mut numbers = Numbering::default();
        numbers.announce(Some(58), &[10, 20, 30, 40], 35);
        assert_eq!(numbers.announced, Some(AnnouncedNumbers { first: 58, stamps: vec![10, 20, 30] }));
        assert_eq!([30, 40].map(|pts| numbers.number_of(pts)), [Some(60), None]);
        numbers.announce(None, &[10], 35);
        assert_eq!(numbers.announced, None);
    }

    #[test]
    fn counted_frames_are_recognised_by_timestamp() {
        let mut numbers = Numbering::default();
        numbers.restart(Count::Next(0));
        assert_eq!([10, 20, 30].map(|pts| numbers.number_next(pts, PLAIN)), [Some(0), Some(1), Some(2)]);
        numbers.restart(Count::Unknown);
        assert_eq!([20, 30, 40].map(|pts| numbers.number_next(pts, PLAIN)), [Some(1), Some(2), Some(3)]);
        numbers.restart(Count::Unknown);
        assert_eq!(numbers.number_next(20, (false, true, true)), None, "its timestamp tells nothing");
        assert_eq!(numbers.count(), Count::Run { first: 20, frames: 1 });
        numbers.restart(Count::Next(1));
        assert_eq!(numbers.number_next(20, (true, false, true)), Some(1));
        assert_eq!(numbers.count(), Count::Unknown, "some are left out behind it");
    }

    #[test]
    fn list_contradicted_by_a_frame_is_dropped() {
        let mut numbers = Numbering::default();
        numbers.restart(Count::Next(0));
        numbers.set_list(Some(Arc::new(FrameIndex { pts: vec![10, 30], keys: vec![10] })));
        assert_eq!(numbers.number_next(10, PLAIN), Some(0));
        assert_eq!(numbers.number_next(20, PLAIN), Some(1), "counted from the first on");
        assert!(numbers.list().is_none());
        numbers.restart(Count::Next(7));
        assert_eq!(numbers.number_next(10, PLAIN), None, "it was the first");
    }
}
