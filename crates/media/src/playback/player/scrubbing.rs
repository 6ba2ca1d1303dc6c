//! Scrubbing: what to show while a pointer is dragged or a key is held.

use std::time::{Duration, Instant};

use super::Player;
use crate::Seek;
use crate::SeekTarget;
use crate::playback::phase::{Phase, Rest, Scrub, ScrubQuality, Transport};
use crate::playback::request::{Destination, SeekRequest};

/// Longest distance before the oldest cached frame over which a scrub fetches the frames in between, in seconds.
const REACH_SECS: f64 = 1.0;
/// Length of a move below which frames decoded on the way are worth keeping, in seconds.
const SLOW_STEP_SECS: f64 = 0.2;
/// How long a target stands still before its exact frame is decoded: longer than between two events of a moving hand.
const REST: Duration = Duration::from_millis(50);

impl Player {
    /// Follows a pointer or a held key to a time: shows what can be decoded quickly until [`settle`](Self::settle).
    pub fn scrub_to(&mut self, secs: f64, now: Instant) -> Option<SeekRequest> {
        let secs = if self.options.live {
            let (oldest, newest) = self.kept_secs()?;
            if secs >= newest {
                // Playback continues immediately: when the key is released, there is a newer frame.
                return self.look_back(secs);
            }
            secs.max(oldest)
        } else {
            self.clamped(secs)
        };
        self.clock.stop(now);
        let step_secs = secs - self.destination_secs();
        let scrub = match self.transport {
            Transport::Scrubbing(scrub) if step_secs == 0.0 => scrub,
            Transport::Scrubbing(scrub) => Scrub { rest: Rest::Since(now), ..scrub },
            // A live source is held where the scrub leads.
            Transport::Playing | Transport::Paused { .. } => {
                Scrub::new(secs, self.is_paused() || self.options.live, now)
            }
        };
        self.transport = Transport::Scrubbing(Scrub { to_secs: secs, step_secs, ..scrub });
        match &mut self.phase {
            Phase::Seeking(seeking) => seeking.next = None,
            Phase::Ended => self.phase = Phase::Steady,
            Phase::Arriving(_) | Phase::Steady => {}
        }
        self.pursue_scrub()
    }

    /// Scrubs by some seconds from where the last request leads.
    pub fn scrub_by(&mut self, secs: f64, now: Instant) -> Option<SeekRequest> {
        self.scrub_to(self.destination_secs() + secs, now)
    }

    /// Ends a scrub: shows the exact frame of its target, and continues from there unless paused.
    pub fn settle(&mut self, now: Instant) -> Option<SeekRequest> {
        let Transport::Scrubbing(scrub) = self.transport else { return None };
        self.transport = scrub.transport_after();
        if self.options.live {
            return self.look_back(scrub.to_secs);
        }
        let request = self.seek(self.exactly(scrub.to_secs));
        self.resume(now);
        request
    }

    /// Requests a picture closer to the scrub's target, unless a seek is in progress.
    pub(super) fn pursue_scrub(&mut self) -> Option<SeekRequest> {
        let Transport::Scrubbing(mut scrub) = self.transport else { return None };
        if matches!(self.phase, Phase::Seeking(_)) {
            return None;
        }
        let secs = scrub.to_secs;
        if let Some(position) = self.supply.position_at(secs, true) {
            self.jump(position);
            return None;
        }
        if self.options.live && !self.can_go_back() {
            return None;
        }
        if scrub.asked_secs == Some(secs) {
            return None;
        }
        // A little way back, all frames in between have to be decoded anyway, so they are fetched together.
        let reach = self.supply.cache.first().map_or(0.0, |first| first.time_secs - secs);
        // A slow drag stays among the frames being fetched; a fast one would wait for frames that it has long passed.
        let is_slowly_back = scrub.step_secs < 0.0 && scrub.step_secs > -SLOW_STEP_SECS;
        let is_fetching = self.supply.is_fetching();
        let most = if is_fetching && is_slowly_back { self.run_secs() } else { REACH_SECS };
        let is_within_reach = reach > 0.0 && reach < most && self.supply.cache.is_joined() && self.can_fetch();
        if is_within_reach {
            return if is_fetching { None } else { self.supply.fetch_earlier() };
        }
        scrub.asked_secs = Some(secs);
        let in_a_run = scrub.pace == ScrubQuality::FarOff && is_slowly_back;
        if in_a_run {
            scrub.run_secs = self.run_secs();
        }
        self.transport = Transport::Scrubbing(scrub);
        if in_a_run {
            let seek = Seek::Back { target: SeekTarget::Time(secs), budget: self.supply.budget / 2 };
            return self.seek(Destination { seek, secs });
        }
        self.seek(Destination::near(secs))
    }

    /// Requests the exact frame of a scrub's target once that has stood still, if a frame near it is on screen. Returns
    /// the request, or when to ask again.
    pub(super) fn refine_scrub(&mut self, has_shown: bool, now: Instant) -> (Option<SeekRequest>, Option<Instant>) {
        let Transport::Scrubbing(Scrub { to_secs: secs, rest: Rest::Since(since), .. }) = self.transport else {
            return (None, None);
        };
        let is_coming = !matches!(self.phase, Phase::Steady) || self.supply.is_fetching();
        if self.options.live || is_coming || self.supply.position_at(secs, false).is_some() {
            return (None, None);
        }
        let due = since + REST;
        // The quick picture goes on screen first.
        if now < due || has_shown {
            return (None, Some(due.max(now)));
        }
        if let Transport::Scrubbing(scrub) = &mut self.transport {
            scrub.rest = Rest::Refined;
        }
        (self.seek(self.exactly(secs)), None)
    }

    /// Returns the duration of the frames fetched at one time, in seconds, estimated from the newest cached frame.
    fn run_secs(&self) -> f64 {
        let Some(last) = self.supply.cache.last() else { return REACH_SECS };
        let count = (self.supply.budget / 2).checked_div(last.plane_bytes()).unwrap_or(1);
        REACH_SECS.max(count as f64 * last.duration_secs)
    }

    /// Learns from the first frame of a scrub's seek, which is now on screen.
    pub(super) fn judge_scrub(&mut self, reached: Destination) {
        let position = self.position_secs();
        if let (Transport::Scrubbing(scrub), Seek::Near(secs)) = (&mut self.transport, reached.seek)
            && scrub.pace != ScrubQuality::TooFast
        {
            let is_far_off = secs - position > REACH_SECS;
            scrub.pace = if is_far_off { ScrubQuality::FarOff } else { ScrubQuality::Close };
        }
    }

    /// Abandons a scrub's seek that has taken too long.
    pub(super) const fn give_up(&mut self, pending: Destination) {
        if let (Transport::Scrubbing(scrub), Seek::Back { .. }) = (&mut self.transport, pending.seek) {
            scrub.pace = ScrubQuality::TooFast;
        }
    }
}
