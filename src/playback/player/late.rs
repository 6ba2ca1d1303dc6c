//! What happens when a picture comes late: the clock waits for a source that has stalled, and goes on where decoding is slow.

use std::time::Instant;

use super::{CatchUp, Guess, Player, Shown, Tail};
use crate::media::Seek;
use crate::playback::request::SeekRequest;

/// How long a picture may be waited for before the clock waits, too, in seconds of the user's time: the source has stalled.
const PATIENCE_SECS: f64 = 1.0;
/// How late a picture may be at more than normal speed before the decoder jumps ahead, in seconds of the user's time.
const CATCH_UP_AFTER_SECS: f64 = 0.1;
/// The same at normal speed and below, where the decoder just leaves pictures out for a while.
const HURRY_AFTER_SECS: f64 = 0.4;
/// How far beyond the clock a hurry goes, in seconds of the user's time.
const HURRY_SECS: f64 = 0.5;
/// The most guesses that are remembered, to be counted when the frames' numbers become known.
const MOST_GUESSES: usize = 1 << 14;
/// Bounds of the time that a jump ahead is expected to take, in seconds.
const CATCH_UP_SECS: (f64, f64) = (0.02, 8.0);

impl Player {
    /// What to do about a frame that was shown so many seconds after its time was over, and had been waited for that long.
    pub(super) fn make_up_for(&mut self, late: f64, waited: f64, now: Instant) -> Option<SeekRequest> {
        let may_jump = self.options.seekable && self.part().is_none();
        // A source that pauses goes on where it was; a decoder that is that slow for every frame does not.
        let stalls = waited > PATIENCE_SECS;
        let is_stall = stalls && !std::mem::replace(&mut self.has_stalled, stalls);
        if late > PATIENCE_SECS && (is_stall || !may_jump) {
            log::warn!("the picture is {late:.1} s late; playback waits for it");
            self.clock.set(self.position_secs(), now);
            return None;
        }
        let is_fast = self.clock.rate() > 1.0;
        let limit = if is_fast { CATCH_UP_AFTER_SECS } else { HURRY_AFTER_SECS };
        if late < limit || !may_jump || self.cache.ahead() > 0 || self.tail != Tail::Live {
            return None;
        }
        if is_fast { self.jump_ahead(now) } else { self.hurry(now) }
    }

    /// To the frame that will be due when the jump is done.
    fn jump_ahead(&mut self, now: Instant) -> Option<SeekRequest> {
        let secs = self.clock.at(now) + self.catch_up_secs * self.clock.rate();
        if self.options.duration_secs.is_none_or(|duration| secs >= duration) {
            return None;
        }
        self.cache.keep_shown(true);
        self.sparse_until = None;
        self.catch_up = Some(CatchUp { since: now, arrived: false });
        Some(self.request(Seek::to(secs)))
    }

    /// Lets the decoder leave out what it can until it is ahead of the clock again. Pictures go on coming meanwhile.
    fn hurry(&mut self, now: Instant) -> Option<SeekRequest> {
        let time = self.clock.at(now);
        if self.sparse_until.is_some_and(|until| time < until) {
            return None;
        }
        let until = time + HURRY_SECS * self.clock.rate();
        self.cache.keep_shown(true);
        self.sparse_until = Some(until);
        Some(self.request(Seek::Towards(until)))
    }

    /// Ends a hurry, as the user stops to look: the frame on screen is the one that the next ones follow, without a gap.
    pub(super) fn stop_hurrying(&mut self) {
        if self.cache.is_sparse() || self.sparse_until.is_some() {
            self.cache.keep_shown(false);
            self.catch_up = None;
            self.sparse_until = None;
            self.tail = Tail::Parked;
        }
    }

    /// Learns from a jump ahead how long the next one will take.
    pub(super) fn note_arrival(&mut self, now: Instant) {
        if let Some(jump) = self.catch_up.as_mut().filter(|jump| !jump.arrived)
            && self.cache.ahead() > 0
        {
            jump.arrived = true;
            let took = now.saturating_duration_since(jump.since).as_secs_f64();
            self.catch_up_secs = (0.5 * self.catch_up_secs + 0.6 * took).clamp(CATCH_UP_SECS.0, CATCH_UP_SECS.1);
        }
    }

    /// How many frames were left out between the one shown before and the one on screen.
    pub(super) fn missing_since(&mut self, previous: Option<Shown>) -> u64 {
        self.catch_up = self.catch_up.filter(|_| self.cache.is_sparse());
        let (Some(from), Some(to)) = (previous, self.shown) else { return 0 };
        self.missing_between(&from, &to).unwrap_or_else(|| {
            let frame_secs = (from.end_secs - from.time_secs).max(1e-3);
            let rate = self.options.frame_rate.unwrap_or(1.0 / frame_secs);
            let frames = (((to.time_secs - from.time_secs) * rate).round() as u64).saturating_sub(1);
            if self.guesses.len() < MOST_GUESSES {
                self.guesses.push(Guess { from, to, frames });
            }
            frames
        })
    }

    fn missing_between(&self, from: &Shown, to: &Shown) -> Option<u64> {
        Some(self.number_of(to)?.saturating_sub(self.number_of(from)?).saturating_sub(1))
    }

    /// Counts what was guessed, now that the frames' numbers are known.
    pub(super) fn count_guessed(&mut self) {
        for guess in std::mem::take(&mut self.guesses) {
            match self.missing_between(&guess.from, &guess.to) {
                Some(frames) => self.counts.dropped = self.counts.dropped.saturating_sub(guess.frames) + frames,
                None => self.guesses.push(guess),
            }
        }
    }
}
