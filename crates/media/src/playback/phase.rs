//! The states of a player: what is on its way to the screen, and what the user's hands do.

use std::time::Instant;

use super::request::Destination;
use crate::Seek;
use histoscope_core::picture::Frame;

/// What is on its way to the screen. Each is replaced whole by the next.
#[derive(Debug)]
pub(super) enum Phase {
    /// A seek is under way, or the file is being opened: its first frame is shown as soon as it is there, and until then the
    /// picture that was there stays.
    Seeking(Seeking),
    /// A frame that is here already is shown with the next tick, whatever its time.
    Arriving(Frame),
    /// The frame on screen is the one that was asked for last; others follow as the hands have it.
    Steady,
    /// The last frame has been on screen for its whole duration, or a seek has led to no frame at all.
    Ended,
}

/// A seek under way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Seeking {
    pub(super) to: Destination,
    /// When it was first waited for.
    pub(super) since: Option<Instant>,
    /// What to seek next, once its frame has been shown.
    pub(super) next: Option<Destination>,
}

impl Seeking {
    pub(super) const fn new(to: Destination) -> Self {
        Self { to, since: None, next: None }
    }
}

/// What the user's hands do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Hands {
    /// The clock runs.
    Playing,
    /// Time stands; so many frames are yet to be stepped over, forward if positive.
    Paused {
        /// Their number.
        steps: i64,
    },
    /// A pointer is dragged, or a key held: time stands, and pictures near where that leads are shown.
    Scrubbing(Scrub),
}

/// Where a scrub has led.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scrub {
    /// In seconds.
    pub(super) to_secs: f64,
    /// How far its last move led, in seconds.
    pub(super) step_secs: f64,
    /// Time for which the last picture was asked.
    pub(super) asked_secs: Option<f64>,
    /// Seconds of frames that come with the last request for a run of them.
    pub(super) run_secs: f64,
    /// Which request serves it best.
    pub(super) pace: ScrubPace,
    /// True if time stands when it is over.
    pub(super) then_paused: bool,
}

/// What a scrub has taught about the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScrubPace {
    /// Quick pictures are close to where they are wanted.
    Close,
    /// The last quick picture was far from where it was wanted, as in a long group of frames.
    FarOff,
    /// Frames could not even be fetched for it in runs: it is too fast for that.
    TooFast,
}

impl Scrub {
    pub(super) const fn new(to_secs: f64, then_paused: bool) -> Self {
        let (asked_secs, pace) = (None, ScrubPace::Close);
        Self { to_secs, step_secs: 0.0, asked_secs, run_secs: 0.0, pace, then_paused }
    }

    /// What the hands do when it is over.
    pub(super) const fn hands_after(&self) -> Hands {
        if self.then_paused { Hands::Paused { steps: 0 } } else { Hands::Playing }
    }

    /// Where it has led that a seek under way will not serve.
    pub(super) fn unserved(&self, under_way: Destination) -> Option<Destination> {
        let is_served = match under_way.seek {
            Seek::Near(_) => true,
            // Frames as many as that come with it.
            Seek::Back { .. } => self.to_secs <= under_way.secs && under_way.secs - self.to_secs < self.run_secs,
            _ => false,
        };
        (!is_served).then_some(Destination::near(self.to_secs))
    }
}
