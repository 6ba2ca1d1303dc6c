//! The state that a seek forgets.
//!
//! Packets and frames pass through a decoder like this:
//!
//! ```text
//!             read             send            receive            place           pull
//!   source ────────▶ Packets ────────▶ codec ────────────▶ (drop) ───────▶ ready ───────▶ out
//!                    (read ahead)     (holds some)         frames before   (decoded
//!                                                          the keyframe    ahead)
//! ```

use std::collections::VecDeque;

use super::av::AvFrame;
use super::packets::ReadPacket;
use super::pictures::TimelinePlace;

/// A decoded frame with its place in time.
pub(super) struct Timed {
    pub(super) frame: AvFrame,
    /// Timestamp on the time axis on which the decoder seeks: that of the file, or of the packets that are kept.
    pub(super) pts: i64,
    /// Its place, in which the duration is yet to be filled in unless it is stated.
    pub(super) place: TimelinePlace,
    /// How long it is shown, in seconds, where that is stated.
    pub(super) stated_secs: Option<f64>,
}

/// Where decoding began.
///
/// ```text
///   opened, or back at the first frame ──────────────▶ Start
///   at a keyframe, with a guarantee ─────────────────▶ Keyframe
///   at one without ──────────────────────────────────▶ Guess
///   a frame was left out on the way: Start ──────────▶ Keyframe
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Origin {
    /// At the first frame, and none was left out since.
    Start,
    /// At a keyframe, and frames are those of decoding from the start.
    Keyframe,
    /// At a keyframe, and frames may be others. From there on there are no numbers.
    #[default]
    Guess,
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
    /// Returns whether no frame from that timestamp on is left out.
    pub(super) fn is_whole_from(&self, pts: i64) -> bool {
        [self.skip_before, self.gap_until].into_iter().flatten().all(|limit| pts >= limit)
    }

    /// Remembers up to where frames may be missing, as decoding towards a frame ends before it is there.
    pub(super) fn note_gap(&mut self) {
        self.gap_until = self.gap_until.max(self.skip_before.take());
    }

    /// Returns whether a frame of that stated timestamp is not to be handed out.
    pub(super) fn drops(&mut self, stated: Option<i64>) -> bool {
        if let (Some(limit), Some(stated)) = (self.drop_before, stated)
            && stated < limit
        {
            return true;
        }
        self.drop_before = None;
        self.shown_ahead.take().is_some_and(|shown| stated == Some(shown))
    }
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
    /// Keeps one more frame, and of all the last ones that there is room for.
    pub(super) fn push(&mut self, timed: Timed, room: Room) {
        self.push_wanted(timed);
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

    /// Returns the frames in presentation order.
    pub(super) fn into_frames(self) -> VecDeque<Timed> {
        self.frames
    }
}

/// Where a decoder is.
#[derive(Default)]
pub(super) struct Position {
    pub(super) origin: Origin,
    /// Timestamp of the keyframe that decoding began at; `None` if it began at the first frame, or has begun earlier once already.
    pub(super) began: Option<i64>,
    /// Frames decoded ahead, before those that the codec still holds.
    pub(super) ready: VecDeque<Timed>,
    /// Timestamp of the last frame that came out of the codec.
    pub(super) last_pts: Option<i64>,
    pub(super) omission: Omission,
    /// Timestamp of the last frame whose packet could not all be read.
    broken: Option<i64>,
    /// True if the last frame is such, or one that came after the last packet.
    ends_broken: bool,
    /// Packets that the codec refused and frames that it called damaged.
    pub(super) damage: u64,
    /// Frames that were decoded on the way to the last seek's target, right before it.
    pub(super) passed: Passed,
}

impl Position {
    /// A position from which nothing has been decoded.
    pub(super) fn at(origin: Origin) -> Self {
        Self { origin, ..Self::default() }
    }

    /// Takes note of a frame as it comes out of the codec, and whether its packet could not all be read.
    pub(super) fn note_frame(&mut self, stated: Option<i64>, is_broken: bool, is_draining: bool) {
        if is_broken {
            self.broken = stated;
        }
        self.ends_broken = is_broken || (self.ends_broken && is_draining);
    }

    /// Returns whether the last packet of all was cut short, or its frame came out damaged.
    pub(super) fn ends_damaged(&self, last: ReadPacket) -> bool {
        last.is_corrupt || if last.pts.is_some() { self.broken == last.pts } else { self.ends_broken }
    }

    /// Returns the timestamp of the frame that comes next, if it is decoded already.
    pub(super) fn next_pts(&self) -> Option<i64> {
        self.ready.front().map(|timed| timed.pts)
    }
}
