//! The decoding state that a seek resets.
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

use crate::av::AvFrame;
use crate::read::packets::PacketInfo;
use crate::read::stated::FramePosition;

/// A decoded frame with its position in time.
pub(crate) struct Timed {
    pub(crate) frame: AvFrame,
    /// Timestamp on the time axis on which the decoder seeks: the file's, or that of the stored packets.
    pub(crate) pts: i64,
    /// Its position in time and number. The duration is yet to be filled in, unless it is stated.
    pub(crate) position: FramePosition,
    /// Duration in seconds, if stated.
    pub(crate) stated_secs: Option<f64>,
}

/// Where decoding started.
///
/// ```text
///   opened, or back at the first frame ──────────────▶ Start
///   at a keyframe, with a guarantee ─────────────────▶ Keyframe
///   at a keyframe, without a guarantee ──────────────▶ Guess
///   frames were left out since Start ────────────────▶ Keyframe
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Origin {
    /// At the first frame, and no frame has been left out since.
    Start,
    /// At a keyframe, and the frames are the same as when decoding from the start.
    Keyframe,
    /// At a keyframe, and the frames may differ from those of decoding from the start. They are not numbered.
    #[default]
    Guess,
}

/// The frames that are left out.
#[derive(Debug, Default)]
pub(crate) struct Omission {
    /// Packets before this timestamp need not be decoded unless other pictures refer to them.
    pub(crate) skip_before: Option<i64>,
    /// Frames before this timestamp refer to pictures from before the seek and are dropped, up to the first later
    /// frame.
    pub(crate) drop_before: Option<i64>,
    /// Frames before this timestamp may be missing from here on.
    pub(crate) gap_until: Option<i64>,
    /// Timestamp of a frame that was delivered before the codec reached it again.
    pub(crate) shown_ahead: Option<i64>,
}

impl Omission {
    /// Returns `true` if no frame from that timestamp on is left out.
    pub(crate) fn is_whole_from(&self, pts: i64) -> bool {
        [self.skip_before, self.gap_until].into_iter().flatten().all(|limit| pts >= limit)
    }

    /// Records up to where frames may be missing, when decoding towards a frame ends before reaching it.
    pub(crate) fn note_gap(&mut self) {
        self.gap_until = self.gap_until.max(self.skip_before.take());
    }

    /// Returns `true` if a frame with that stated timestamp refers to pictures from before the seek.
    pub(crate) fn is_leading(&self, stated: Option<i64>) -> bool {
        self.drop_before.zip(stated).is_some_and(|(limit, stated)| stated < limit)
    }

    /// Returns `true` if a frame with that stated timestamp must not be delivered.
    pub(crate) fn drops(&mut self, stated: Option<i64>) -> bool {
        if self.is_leading(stated) {
            return true;
        }
        self.drop_before = None;
        self.shown_ahead.take().is_some_and(|shown| stated == Some(shown))
    }
}

/// Limits on the frames kept while decoding passes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Room {
    /// Maximum number of frames.
    pub(crate) frames: usize,
    /// Maximum size of their buffers, in bytes.
    pub(crate) bytes: usize,
}

/// The last frames that decoding passed, without a gap up to the next one.
#[derive(Default)]
pub(crate) struct PassedFrames {
    frames: VecDeque<Timed>,
    bytes: usize,
}

impl PassedFrames {
    /// Adds a frame, and drops the oldest ones that exceed the limits.
    pub(crate) fn push(&mut self, timed: Timed, room: Room) {
        self.push_target(timed);
        while self.frames.len() > room.frames || self.bytes > room.bytes {
            let Some(oldest) = self.frames.pop_front() else { return };
            self.bytes -= oldest.frame.buffer_bytes();
        }
    }

    /// Adds a frame that was itself requested, whatever the limits.
    pub(crate) fn push_target(&mut self, timed: Timed) {
        self.bytes += timed.frame.buffer_bytes();
        self.frames.push_back(timed);
    }

    /// Returns the frames in presentation order.
    pub(crate) fn into_frames(self) -> VecDeque<Timed> {
        self.frames
    }
}

/// The current position of a decoder.
#[derive(Default)]
pub(crate) struct Position {
    pub(crate) origin: Origin,
    /// Timestamp of the keyframe at which decoding started; `None` if it started at the first frame, or has already
    /// restarted earlier once.
    pub(crate) began: Option<i64>,
    /// Frames decoded ahead, which precede those still in the codec.
    pub(crate) ready: VecDeque<Timed>,
    /// Timestamp of the last frame that came out of the codec.
    pub(crate) last_pts: Option<i64>,
    pub(crate) omission: Omission,
    /// Timestamp of the last frame whose packet could not be read completely.
    broken: Option<i64>,
    /// `true` if that was the last frame, or if only frames from draining the codec have followed it.
    ends_broken: bool,
    /// Number of packets refused by the codec and of frames that it reported as damaged.
    pub(crate) damage: u64,
    /// Frames decoded on the way to the last seek's target, right before it.
    pub(crate) passed: PassedFrames,
}

impl Position {
    /// Creates a position from which nothing has been decoded.
    pub(crate) fn at(origin: Origin) -> Self {
        Self { origin, ..Self::default() }
    }

    /// Records a frame that comes out of the codec, and whether its packet could not be read completely.
    pub(crate) fn note_frame(&mut self, stated: Option<i64>, is_broken: bool, is_draining: bool) {
        if is_broken {
            self.broken = stated;
        }
        self.ends_broken = is_broken || (self.ends_broken && is_draining);
    }

    /// Returns `true` if the last packet of the stream was cut short, or its frame was damaged.
    pub(crate) fn ends_damaged(&self, last: PacketInfo) -> bool {
        last.is_corrupt || if last.pts.is_some() { self.broken == last.pts } else { self.ends_broken }
    }

    /// Returns the timestamp of the next frame, if it has already been decoded.
    pub(crate) fn next_pts(&self) -> Option<i64> {
        self.ready.front().map(|timed| timed.pts)
    }
}
