//! Looking back in what memory holds of a live source, and going on with the newest picture.
//!
//! Frames that were dropped on the way here leave no mark in it: whoever steps is told by the frames' numbers what is missing.

use std::time::Instant;

use super::Player;
use crate::playback::phase::{Hands, Scrub};

impl Player {
    /// When the oldest and the newest kept frame of a live source begin, in seconds from its first frame; `None` where none is
    /// kept, and of what is not live.
    #[must_use]
    pub fn kept_secs(&self) -> Option<(f64, f64)> {
        let (oldest, newest) = (self.supply.cache.first()?, self.supply.cache.last()?);
        self.options.live.then_some((oldest.time_secs, newest.time_secs))
    }

    /// Shows the kept frame of a time and holds it; from the newest one's time on, goes on with what comes.
    pub(super) fn look_back(&mut self, secs: f64) {
        let Some((oldest, newest)) = self.kept_secs() else { return };
        self.hands = if secs >= newest { Hands::Playing } else { Hands::Paused { steps: 0 } };
        self.show_kept(secs.clamp(oldest, newest));
    }

    /// Follows a pointer or a held key in what is kept.
    pub(super) fn scrub_kept(&mut self, secs: f64, now: Instant) {
        let Some((oldest, newest)) = self.kept_secs() else { return };
        if secs >= newest {
            // It goes on at once: when the key is let go of, there is a newer one.
            return self.look_back(secs);
        }
        self.clock.stop(now);
        let secs = secs.max(oldest);
        self.hands = Hands::Scrubbing(Scrub::new(secs, self.is_paused()));
        self.show_kept(secs);
    }

    fn show_kept(&mut self, secs: f64) {
        if let Some(position) = self.supply.position_at(secs, true) {
            self.jump(position);
        }
    }
}
