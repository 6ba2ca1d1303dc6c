//! Where a decoder is: all that a seek forgets.
//!
//! Packets and frames pass through it like this, and a seek replaces it whole:
//!
//! ```text
//!             read            send             receive            place            pull
//!   Input ─────────▶ packets ───────▶ codec ─────────────▶ (drop) ───────▶ ready ────────▶ out
//!                    (read ahead)     in_codec: their      frames before   (decoded
//!                                     timestamps           the keyframe    ahead)
//!
//!   supply:  Flowing ──the input ends──▶ Ended ──the codec is told──▶ Draining
//!
//!   origin:  opened, or back at the first frame ─────────────────────▶ Start
//!            at a keyframe that the promise vouches for ─────────────▶ Keyframe
//!            at one that it does not vouch for ──────────────────────▶ Guess
//!            a frame was left out on the way: Start ─────────────────▶ Keyframe
//! ```
//!
//! Numbers go on from frame to frame as long as none can be missing between them (`count`). A frame that follows no counted
//! one is numbered by its timestamp: as it was counted before, as the container's table has it (`told`), or as the packets'
//! list has it. From a guess on there are no numbers.

use std::collections::VecDeque;
use std::time::SystemTime;

use super::av::{AvFrame, AvPacket};
use histoscope_core::picture::Timecode;

/// A decoded frame with its place in time.
pub(super) struct Timed {
    pub(super) frame: AvFrame,
    pub(super) pts: i64,
    pub(super) index: Option<u64>,
    pub(super) timecode: Option<Timecode>,
}

/// Where packets come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum PacketSupply {
    /// The input has more.
    #[default]
    Flowing,
    /// The input has given its last packet.
    Ended,
    /// The codec was told so.
    Draining,
}

/// Where decoding began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Origin {
    /// At the first frame, and none was left out since.
    Start,
    /// At a keyframe, and frames are those of decoding from the start.
    Keyframe,
    /// At a keyframe, and frames may be others.
    #[default]
    Guess,
}

/// The number of the next frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Count {
    /// It is not known.
    #[default]
    Unknown,
    /// This one.
    Next(u64),
    /// It is not known, but so many frames came without a gap since the one of this timestamp.
    Run { first: i64, frames: u64 },
}

/// Numbers of the frames from a keyframe up to a target, as a table of packets tells them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PromisedNumbers {
    /// Number of the first.
    pub(super) first: u64,
    /// Their timestamps, rising.
    pub(super) stamps: Vec<i64>,
}

impl PromisedNumbers {
    pub(super) fn number_of(&self, pts: i64) -> Option<u64> {
        self.stamps.binary_search(&pts).ok().map(|at| self.first + at as u64)
    }
}

/// Frames that are left out.
#[derive(Debug, Default)]
pub(super) struct Omission {
    /// Packets with a timestamp before this one need not be decoded unless other pictures refer to them.
    pub(super) skip_before: Option<i64>,
    /// Frames before this timestamp refer to pictures from before the seek and are dropped; ends with the first other.
    pub(super) drop_before: Option<i64>,
    /// Frames before this timestamp may be missing from here on.
    pub(super) gap_until: Option<i64>,
    /// The frame with this timestamp was handed out before the codec reached it again.
    pub(super) shown_ahead: Option<i64>,
}

impl Omission {
    /// Whether no frame from that timestamp on is left out.
    pub(super) fn is_whole_from(&self, pts: i64) -> bool {
        [self.skip_before, self.gap_until].into_iter().flatten().all(|limit| pts >= limit)
    }

    /// Remembers up to where frames may be missing, as decoding towards a frame ends before it is there.
    pub(super) fn note_gap(&mut self) {
        self.gap_until = self.gap_until.max(self.skip_before.take());
    }
}

/// What is remembered of a packet that was read.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReadPacket {
    pub(super) pts: Option<i64>,
    pub(super) dts: Option<i64>,
    /// Whether the container calls it corrupt.
    pub(super) is_corrupt: bool,
    /// When it came, from a live source.
    pub(super) arrival: Option<SystemTime>,
}

/// How much may be kept of what decoding passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Room {
    /// The most frames.
    pub(super) frames: usize,
    /// The most bytes of their buffers.
    pub(super) bytes: usize,
}

/// The last frames that decoding passed, without a gap up to the one that comes next.
#[derive(Default)]
pub(super) struct Passed {
    frames: VecDeque<Timed>,
    bytes: usize,
}

impl Passed {
    /// Forgets the frames.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Keeps one more frame, and of all the last ones that there is room for.
    pub(super) fn push(&mut self, timed: Timed, room: Room) {
        self.bytes += timed.frame.buffer_bytes();
        self.frames.push_back(timed);
        while self.frames.len() > room.frames || self.bytes > room.bytes {
            let Some(oldest) = self.frames.pop_front() else { return };
            self.bytes -= oldest.frame.buffer_bytes();
        }
    }
    /// Keeps a frame that was asked for by itself, whether there is room or not.
    pub(super) fn push_wanted(&mut self, timed: Timed) {
        self.bytes += timed.frame.buffer_bytes();
        self.frames.push_back(timed);
    }

    /// The frames in presentation order.
    pub(super) fn into_frames(self) -> VecDeque<Timed> {
        self.frames
    }
}

/// All that a seek forgets.
#[derive(Default)]
pub(super) struct Position {
    pub(super) origin: Origin,
    /// Packets read ahead, before those that the input still holds.
    pub(super) packets: VecDeque<AvPacket>,
    pub(super) supply: PacketSupply,
    /// The last packet that was read.
    pub(super) last_packet: Option<ReadPacket>,
    /// Timestamps of the packets whose frames the codec still holds; `None` for packets without one.
    pub(super) in_codec: Vec<Option<i64>>,
    /// Frames decoded ahead, before those that the codec still holds.
    pub(super) ready: VecDeque<Timed>,
    /// Timestamp of the last frame that came out of the codec.
    pub(super) last_pts: Option<i64>,
    pub(super) count: Count,
    pub(super) told: Option<PromisedNumbers>,
    pub(super) omission: Omission,
    /// Timestamp of the last frame whose packet could not all be read, and whether it came after the last packet.
    pub(super) broken: Option<(Option<i64>, bool)>,
    /// Packets that the codec refused and frames that it called damaged.
    pub(super) damage: u64,
    /// How much earlier decoding begins where what was damaged makes it begin earlier once more, in ticks.
    pub(super) back_ticks: i64,
    /// Frames that were decoded on the way to the last seek's target, right before it.
    pub(super) passed: Passed,
}

impl Position {
    /// Whether the last packet that was read was cut short, or its frame came out damaged.
    pub(super) fn ends_damaged(&self) -> bool {
        let Some(last) = self.last_packet.filter(|_| self.supply != PacketSupply::Flowing) else { return false };
        last.is_corrupt
            || self.broken.is_some_and(|(pts, is_late)| if last.pts.is_some() { pts == last.pts } else { is_late })
    }

    /// Timestamp of the frame that comes next, if it is decoded already.
    pub(super) fn next_pts(&self) -> Option<i64> {
        self.ready.front().map(|timed| timed.pts)
    }
}
