//! Where to send the decoder: seeks that merge, steps, and the frames fetched for them.

use std::time::Instant;

use super::{Marked, Player, SLOW_SEEK};
use crate::Seek;
use crate::SeekTarget;
use crate::playback::phase::{Phase, Seeking, Transport};
use crate::playback::request::{Destination, SeekGoal, SeekRequest, StepEnd};

impl Player {
    /// Seeks to the frame at a time from the start; times outside the video lead to its first or last frame. A live
    /// source is held there, unless the time is that of its newest frame or later.
    pub fn seek_to(&mut self, secs: f64) -> Option<SeekRequest> {
        self.drop_all();
        if self.options.live {
            return self.look_back(secs);
        }
        self.seek(self.exactly(self.clamped(secs)))
    }

    /// Seeks by some seconds from where the last request leads.
    pub fn seek_by(&mut self, secs: f64) -> Option<SeekRequest> {
        self.seek_to(self.destination_secs() + secs)
    }

    /// Seeks again to where the last request leads and drops all cached frames, because they can no longer be read.
    pub fn reload(&mut self) -> SeekRequest {
        self.drop_all();
        self.start(self.exactly(self.destination_secs()))
    }

    /// Seeks again to where that seek led, because its frames may be wrong; during playback, to the time on screen.
    pub fn seek_again(&mut self, serial: u64, seek: Seek) -> Option<SeekRequest> {
        if !self.supply.is_of(serial) {
            return None;
        }
        let secs = self.destination_secs();
        let to = match (&self.phase, seek) {
            (Phase::Seeking(Seeking { next: Some(next), .. }), _) => *next,
            (_, Seek::Exact(target)) if self.is_paused() => Destination::exact(target, secs),
            _ => Destination::at(secs),
        };
        Some(self.start(to))
    }

    /// Seeks to the frame at that position in presentation order, counting from zero; if it is beyond the end, to the
    /// last one.
    pub fn seek_to_frame(&mut self, index: u64) -> Option<SeekRequest> {
        self.drop_all();
        let secs = self.options.frame_rate.map_or(self.position_secs(), |rate| index as f64 / rate);
        self.seek(Destination::exact(SeekTarget::Number(index), secs))
    }

    /// Ends what the user was doing before a seek: a scrub, or steps that have not been made.
    const fn drop_all(&mut self) {
        match &mut self.transport {
            Transport::Playing => {}
            Transport::Paused { steps } => *steps = 0,
            Transport::Scrubbing(scrub) => self.transport = scrub.transport_after(),
        }
    }

    /// Returns the time to which the last request leads, in seconds from the start; without one, that of the frame on
    /// screen.
    #[must_use]
    pub fn destination_secs(&self) -> f64 {
        match (&self.transport, &self.phase) {
            (Transport::Scrubbing(scrub), _) => scrub.to_secs,
            (_, Phase::Seeking(seeking)) => seeking.next.unwrap_or(seeking.to).secs,
            (_, Phase::Arriving(frame)) => frame.time_secs,
            (_, Phase::Steady | Phase::Ended) => self.position_secs(),
        }
    }

    /// Pauses and steps one frame forward or back.
    pub fn step(&mut self, forward: bool, now: Instant) -> Option<SeekRequest> {
        self.clock.stop(now);
        self.supply.leave_nothing_out();
        let before = match &mut self.transport {
            Transport::Scrubbing(scrub) => {
                // The scrub will settle on its own target.
                scrub.then_paused = true;
                return None;
            }
            Transport::Playing => 0,
            Transport::Paused { steps } => *steps,
        };
        let steps = before + if forward { 1 } else { -1 };
        self.transport = Transport::Paused { steps };
        let has_earlier = || self.supply.cache.shown().is_some_and(|position| position > 0);
        let is_arriving = matches!(self.phase, Phase::Arriving(_));
        let is_needed = steps < 0 && !is_arriving && !has_earlier();
        if is_needed && self.end_backwards().is_none() { self.reach_back() } else { None }
    }

    /// Returns why there is no frame before the one on screen; `None` if there is one, or if it is not known yet.
    pub(super) fn end_backwards(&self) -> Option<StepEnd> {
        if matches!(self.phase, Phase::Seeking(_)) || self.supply.is_fetching() {
            return None;
        }
        let shown = self.shown?;
        if shown.time_secs <= 0.0 || self.supply.shows_first() {
            Some(StepEnd::First)
        } else {
            (!self.can_go_back()).then_some(StepEnd::ForwardsOnly)
        }
    }

    /// Returns the goal of a seek that has been in progress for long enough to be noticed.
    #[must_use]
    pub fn slow_seek(&self, now: Instant) -> Option<SeekGoal> {
        let Phase::Seeking(seeking) = self.phase else { return None };
        let is_slow = self.starved_since.is_some_and(|since| now.saturating_duration_since(since) >= SLOW_SEEK);
        let to = match self.transport {
            Transport::Scrubbing(scrub) => SeekGoal::Time(scrub.to_secs),
            Transport::Playing | Transport::Paused { .. } => seeking.next.unwrap_or(seeking.to).goal(),
        };
        is_slow.then_some(to)
    }

    /// Returns `true` if the picture of a seek has yet to be shown, or a scrub has not settled yet.
    #[must_use]
    pub const fn is_seek_pending(&self) -> bool {
        matches!(self.phase, Phase::Seeking(_) | Phase::Arriving(_)) || self.is_scrubbing()
    }

    pub(super) fn clamped(&self, secs: f64) -> f64 {
        let most = self.options.duration_secs.unwrap_or(f64::MAX).max(0.0);
        // NaN leads to the start.
        if secs > 0.0 { secs.min(most) } else { 0.0 }
    }

    /// Returns the seek to the frame at a time. The stated duration may be wrong, so the last frame is requested as
    /// such.
    pub(super) fn exactly(&self, secs: f64) -> Destination {
        if self.options.duration_secs.is_some_and(|duration| secs > 0.0 && secs >= duration) {
            Destination::exact(SeekTarget::End, secs)
        } else {
            Destination::at(secs)
        }
    }

    /// Plays the marked part, or the whole video, from its first frame.
    pub(super) fn restart(&mut self) -> Option<SeekRequest> {
        let first = if let Marked::Part(first, _) = self.marked { first.time_secs } else { 0.0 };
        self.seek(Destination::at(first))
    }

    /// Starts a seek, or postpones it while another is in progress. A cached frame is just shown.
    pub(super) fn seek(&mut self, to: Destination) -> Option<SeekRequest> {
        if let Phase::Seeking(seeking) = &mut self.phase {
            seeking.next = Some(to);
            return None;
        }
        if let Some(position) = self.kept_position(to.seek) {
            self.jump(position);
            return None;
        }
        if !self.can_go_back() && to.secs < self.position_secs() {
            return None;
        }
        Some(self.start(to))
    }

    /// Returns the position of the target in the cache, if it is there.
    fn kept_position(&self, seek: Seek) -> Option<usize> {
        match seek {
            Seek::Exact(SeekTarget::Time(secs)) => self.supply.position_at(secs, false),
            Seek::Exact(SeekTarget::Number(number)) => self.supply.position_of(number, self.tally.ticks_of(number)),
            Seek::Exact(SeekTarget::End) => self.supply.position_of_end(),
            Seek::Near(secs) => self.supply.position_at(secs, true),
            _ => None,
        }
    }

    /// Shows a cached frame at the next tick, unless it is on screen.
    pub(super) fn jump(&mut self, position: usize) {
        if self.supply.cache.shown() == Some(position) {
            if self.has_ended() {
                self.phase = Phase::Steady;
            }
        } else if let Some(frame) = self.supply.show(position) {
            self.phase = Phase::Arriving(frame);
        }
    }

    /// Sends the decoder elsewhere. The cached frames are dropped.
    pub(super) fn start(&mut self, to: Destination) -> SeekRequest {
        self.phase = Phase::Seeking(Seeking::new(to));
        self.supply.restart(to.seek)
    }

    /// Returns `true` if frames before the cached ones can be fetched.
    pub(super) fn can_fetch(&self) -> bool {
        self.can_go_back() && self.supply.can_fetch()
    }

    /// When stepping back, requests earlier frames before the oldest cached one is reached.
    pub(super) fn fetch_ahead_of_need(&mut self) -> Option<SeekRequest> {
        if self.can_go_back() { self.supply.fetch_ahead_of_need() } else { None }
    }

    /// Obtains the frame before the one on screen, fetching many together if there is room for them.
    pub(super) fn reach_back(&mut self) -> Option<SeekRequest> {
        if matches!(self.phase, Phase::Seeking(_)) || self.supply.is_fetching() {
            return None;
        }
        let shown = self.shown?;
        if self.supply.cache.is_joined() && self.can_fetch() {
            return self.supply.fetch_earlier();
        }
        if let Transport::Paused { steps } = &mut self.transport {
            *steps += 1;
        }
        self.seek(Destination::exact(SeekTarget::Before(shown.pts_ticks), shown.time_secs))
    }
}
