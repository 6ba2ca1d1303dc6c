//! The states of a player: its screen, and the user's actions.

use std::time::Instant;

use super::request::Destination;
use crate::Seek;
use histoscope_core::picture::Frame;

/// The state of the screen, replaced as a whole by the next one.
#[derive(Debug)]
pub(super) enum Phase {
    /// A seek is in progress, or the file is being opened. Its first frame is shown as soon as it arrives; until then,
    /// the previous picture stays.
    Seeking(Seeking),
    /// A cached frame is shown at the next tick, whatever its time.
    Arriving(Frame),
    /// The frame on screen is the last one requested; [`Transport`] determines what follows.
    Steady,
    /// The last frame has been on screen for its whole duration, or a seek has led to no frame at all.
    Ended,
}

/// A seek in progress.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Seeking {
    pub(super) to: Destination,
    /// When its frame was first waited for.
    pub(super) since: Option<Instant>,
    /// The next seek, once this one's frame has been shown.
    pub(super) next: Option<Destination>,
}

impl Seeking {
    pub(super) const fn new(to: Destination) -> Self {
        Self { to, since: None, next: None }
    }
}

/// The user's current action.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Transport {
    /// The clock is running.
    Playing,
    /// The clock is stopped, and a number of steps are still to be made.
    Paused {
        /// Number of frames to step over, forward if positive.
        steps: i64,
    },
    /// A pointer is being dragged, or a key held: the clock is stopped, and pictures near the target are shown.
    Scrubbing(Scrub),
}

/// The state of a scrub.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scrub {
    /// Its target, in seconds.
    pub(super) to_secs: f64,
    /// Length of its last move, in seconds.
    pub(super) step_secs: f64,
    /// Time for which the last picture was requested, in seconds.
    pub(super) asked_secs: Option<f64>,
    /// How long the target has stood still, and what followed from that.
    pub(super) rest: Rest,
    /// Duration of the frames that arrive with the last request for a run of them, in seconds.
    pub(super) run_secs: f64,
    /// The quality of its pictures so far, which determines the best kind of request.
    pub(super) pace: ScrubQuality,
    /// `true` if playback is paused after the scrub.
    pub(super) then_paused: bool,
}

/// How a scrub's target rests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    /// It has not moved since then.
    Since(Instant),
    /// It has rested long enough: its exact frame has been requested.
    Refined,
}

/// The quality of the pictures that a scrub has received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScrubQuality {
    /// Quickly decoded pictures are close to the target.
    Close,
    /// The last quickly decoded picture was far from the target, as in a long group of frames.
    FarOff,
    /// The scrub is too fast even for fetching runs of frames.
    TooFast,
}

impl Scrub {
    pub(super) const fn new(to_secs: f64, then_paused: bool, now: Instant) -> Self {
        let (asked_secs, rest, pace) = (None, Rest::Since(now), ScrubQuality::Close);
        Self { to_secs, step_secs: 0.0, asked_secs, rest, run_secs: 0.0, pace, then_paused }
    }

    /// Returns the state that follows the scrub.
    pub(super) const fn transport_after(&self) -> Transport {
        if self.then_paused { Transport::Paused { steps: 0 } } else { Transport::Playing }
    }

    /// Returns the target of the scrub, if a seek in progress will not serve it.
    pub(super) fn unserved(&self, pending: Destination) -> Option<Destination> {
        let is_served = match pending.seek {
            Seek::Near(_) => true,
            // The frames within `run_secs` before the target arrive with it.
            Seek::Back { .. } => self.to_secs <= pending.secs && pending.secs - self.to_secs < self.run_secs,
            // The exact frame of a target that rests may take longer than a picture near it.
            Seek::Exact(_) => (pending.secs - self.to_secs).abs() < 1e-9,
            _ => false,
        };
        (!is_served).then_some(Destination::near(self.to_secs))
    }
}
