//! What to do when pictures come late: wait for a source that has stalled, and hurry where decoding is slow.

use std::time::{Duration, Instant};

/// How long a picture may be waited for before the clock waits, too, in seconds of the user's time: the source has stalled.
const PATIENCE_SECS: f64 = 1.0;
/// How late a picture may be at more than normal speed before the decoder jumps ahead, in seconds of the user's time.
const JUMP_AFTER_SECS: f64 = 0.1;
/// The same at normal speed and below, where the decoder just leaves pictures out for a while.
const HURRY_AFTER_SECS: f64 = 0.4;
/// Bounds of the time that a jump ahead is expected to take, in seconds.
const JUMP_SECS: (f64, f64) = (0.02, 8.0);

/// A frame that was shown late.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LateFrame {
    /// Seconds of the user's time since its own time was over.
    pub(super) late_secs: f64,
    /// Seconds of the user's time for which the screen has waited for it.
    pub(super) waited_secs: f64,
    /// True if the decoder may be sent ahead.
    pub(super) may_jump: bool,
    /// Seconds of the video that pass in a second.
    pub(super) rate: f64,
}

/// What to do about a late frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Remedy {
    /// Nothing.
    None,
    /// Set the clock back to the frame.
    Wait,
    /// Send the decoder to what will be due when it is there.
    Jump,
    /// Let the decoder leave out what it can.
    Hurry,
}

/// What is remembered from frame to frame.
#[derive(Debug)]
pub(super) struct Lateness {
    /// When a frame last went on screen while playing.
    shown_at: Option<Instant>,
    /// True if the last frame came after a stall.
    has_stalled: bool,
    /// How long a jump ahead takes, in seconds, from the last ones.
    jump_secs: f64,
}

impl Default for Lateness {
    fn default() -> Self {
        Self { shown_at: None, has_stalled: false, jump_secs: 0.1 }
    }
}

impl Lateness {
    /// Notes that a frame goes on screen while playing; how long ago the last one did, in seconds.
    pub(super) fn note_shown(&mut self, now: Instant) -> f64 {
        self.shown_at.replace(now).map_or(f64::MAX, |at| now.saturating_duration_since(at).as_secs_f64())
    }

    /// What to do about a frame that has just been shown.
    pub(super) fn remedy(&mut self, frame: LateFrame) -> Remedy {
        // A source that pauses goes on where it was; a decoder that is that slow for every frame does not.
        let stalls = frame.waited_secs > PATIENCE_SECS;
        let has_stalled = std::mem::replace(&mut self.has_stalled, stalls);
        let is_stall = stalls && !has_stalled;
        if frame.late_secs > PATIENCE_SECS && (is_stall || !frame.may_jump) {
            return Remedy::Wait;
        }
        let is_fast = frame.rate > 1.0;
        let limit = if is_fast { JUMP_AFTER_SECS } else { HURRY_AFTER_SECS };
        if frame.late_secs < limit || !frame.may_jump {
            Remedy::None
        } else if is_fast {
            Remedy::Jump
        } else {
            Remedy::Hurry
        }
    }

    /// How long a jump ahead is likely to take, in seconds.
    pub(super) const fn jump_secs(&self) -> f64 {
        self.jump_secs
    }

    /// Learns from a jump ahead how long the next one will take.
    pub(super) fn learn(&mut self, took: Duration) {
        self.jump_secs = (0.5 * self.jump_secs + 0.6 * took.as_secs_f64()).clamp(JUMP_SECS.0, JUMP_SECS.1);
    }
}
