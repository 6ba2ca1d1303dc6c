//! The handling of late pictures: waiting for a stalled source, and hurrying if decoding is slow.

use std::time::{Duration, Instant};

/// Longest wait for a picture, in seconds of real time, before the source counts as stalled and the clock waits, too.
const PATIENCE_SECS: f64 = 1.0;
/// Lateness of a picture at which the decoder jumps ahead at more than normal speed, in seconds of real time.
const JUMP_AFTER_SECS: f64 = 0.1;
/// The same limit at normal speed and below, where the decoder merely leaves out pictures for a while.
const HURRY_AFTER_SECS: f64 = 0.4;
/// Bounds on the expected duration of a jump ahead, in seconds.
const JUMP_SECS: (f64, f64) = (0.02, 8.0);

/// A frame that was shown late.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LateFrame {
    /// Seconds of real time since the end of its presentation interval.
    pub(super) late_secs: f64,
    /// Seconds of real time for which the screen has waited for it.
    pub(super) waited_secs: f64,
    /// `true` if the decoder may be sent ahead.
    pub(super) may_jump: bool,
    /// Media seconds per second.
    pub(super) rate: f64,
}

/// The remedy for a late frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Remedy {
    /// Nothing.
    None,
    /// Set the clock back to the frame.
    Wait,
    /// Send the decoder to the time that will be due when it gets there.
    Jump,
    /// Let the decoder leave out what it can.
    Hurry,
}

/// State carried from frame to frame.
#[derive(Debug)]
pub(super) struct Lateness {
    /// When a frame was last shown during playback.
    shown_at: Option<Instant>,
    /// `true` if the last frame came after a stall.
    has_stalled: bool,
    /// Expected duration of a jump ahead, in seconds, based on the previous ones.
    jump_secs: f64,
}

impl Default for Lateness {
    fn default() -> Self {
        Self { shown_at: None, has_stalled: false, jump_secs: 0.1 }
    }
}

impl Lateness {
    /// Records that a frame is shown during playback. Returns the seconds since the previous one.
    pub(super) fn note_shown(&mut self, now: Instant) -> f64 {
        self.shown_at.replace(now).map_or(f64::MAX, |at| now.saturating_duration_since(at).as_secs_f64())
    }

    /// Returns the remedy for a frame that has just been shown.
    pub(super) fn remedy(&mut self, frame: LateFrame) -> Remedy {
        // A source that pauses resumes where it was; a decoder that is this slow for every frame does not catch up.
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

    /// Returns how long a jump ahead is likely to take, in seconds.
    pub(super) const fn jump_secs(&self) -> f64 {
        self.jump_secs
    }

    /// Updates the expected duration of a jump ahead from the last one.
    pub(super) fn learn(&mut self, took: Duration) {
        self.jump_secs = (0.5 * self.jump_secs + 0.6 * took.as_secs_f64()).clamp(JUMP_SECS.0, JUMP_SECS.1);
    }
}
