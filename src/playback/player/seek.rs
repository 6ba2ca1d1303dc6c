//! Where the decoder is sent: seeks that merge, scrubbing, steps back, and the frames fetched for them.

use std::time::{Duration, Instant};

use super::{Player, Tail};
use crate::media::{Seek, SeekTarget};
use crate::playback::request::{Destination, SeekRequest};

/// How long a seek may take before a later request no longer waits for its picture.
pub(super) const SUPERSEDE_AFTER: Duration = Duration::from_millis(250);
/// How far before the oldest kept frame a scrub may lead for the frames between to be fetched, in seconds.
const SCRUB_REACH_SECS: f64 = 1.0;
/// Moves of a scrub below which frames that are decoded on the way to it are worth keeping, in seconds.
const SLOW_STEP_SECS: f64 = 0.2;

impl Player {
    /// Seeks to a time from the start; times outside the video lead to its first or last frame.
    pub fn seek_to(&mut self, secs: f64, exact: bool) -> Option<SeekRequest> {
        let secs = self.clamped(secs);
        self.scrub = None;
        let to = if exact { self.exactly(secs) } else { Destination::keyframe(secs) };
        self.seek(to)
    }

    /// Seeks by some seconds from where the last request leads.
    pub fn seek_by(&mut self, secs: f64, exact: bool) -> Option<SeekRequest> {
        self.seek_to(self.destination_secs() + secs, exact)
    }

    /// Seeks to the frame of that position in presentation order, counted from zero; beyond the end, to the last one.
    pub fn seek_to_frame(&mut self, index: u64) -> Option<SeekRequest> {
        self.scrub = None;
        let secs = self.options.frame_rate.map_or(self.position_secs(), |rate| index as f64 / rate);
        self.seek(Destination::exact(SeekTarget::Number(index), secs))
    }

    /// Time to which the last request leads, in seconds from the start; without one, that of the frame on screen.
    #[must_use]
    pub fn destination_secs(&self) -> f64 {
        let pending = || self.pending.as_ref().map(|frame| frame.time_secs);
        let requested = self.scrub.or_else(|| self.next_seek.or(self.awaited).map(|destination| destination.secs));
        requested.or_else(pending).unwrap_or_else(|| self.position_secs())
    }

    /// Follows a pointer or a held key to a time: shows what can be had quickly until [`settle`](Self::settle).
    pub fn scrub_to(&mut self, secs: f64, now: Instant) -> Option<SeekRequest> {
        self.clock.stop(now);
        let secs = self.clamped(secs);
        self.scrub_step = secs - self.destination_secs();
        self.scrub = Some(secs);
        self.ended = false;
        self.steps = 0;
        self.next_seek = None;
        self.pursue_scrub()
    }

    /// Scrubs by some seconds from where the last request leads.
    pub fn scrub_by(&mut self, secs: f64, now: Instant) -> Option<SeekRequest> {
        self.scrub_to(self.destination_secs() + secs, now)
    }

    /// Whether a scrub has not settled yet.
    #[must_use]
    pub const fn is_scrubbing(&self) -> bool {
        self.scrub.is_some()
    }

    /// Ends a scrub: shows the exact frame where it has led, and goes on from there unless paused.
    pub fn settle(&mut self, now: Instant) -> Option<SeekRequest> {
        let secs = self.scrub.take()?;
        self.scrubbed = None;
        self.is_far_off = false;
        self.is_too_slow = false;
        let request = self.seek(self.exactly(secs));
        if self.awaited.is_none() && !self.paused {
            self.resume(now);
        }
        request
    }

    /// Pauses and steps one frame forward or back.
    pub fn step(&mut self, forward: bool, now: Instant) -> Option<SeekRequest> {
        self.paused = true;
        self.clock.stop(now);
        self.stop_hurrying();
        self.steps += if forward { 1 } else { -1 };
        if self.pending.is_none() && self.steps < 0 && !self.has_earlier() { self.reach_back() } else { None }
    }

    fn clamped(&self, secs: f64) -> f64 {
        let most = self.options.duration_secs.unwrap_or(f64::MAX).max(0.0);
        // What is no number leads to the start.
        if secs > 0.0 { secs.min(most) } else { 0.0 }
    }

    /// The frame at a time; the stated length may be wrong, so that at its end the last frame is asked for as such.
    fn exactly(&self, secs: f64) -> Destination {
        if self.options.duration_secs.is_some_and(|duration| secs > 0.0 && secs >= duration) {
            Destination::exact(SeekTarget::End, secs)
        } else {
            Destination::at(secs)
        }
    }

    /// Plays the marked part, or all, from its first frame.
    pub(super) fn restart(&mut self) -> Option<SeekRequest> {
        let first = match self.marks {
            (Some(a), Some(_)) => a.time_secs,
            _ => 0.0,
        };
        self.seek(Destination::at(first))
    }

    /// Starts a seek, or keeps it for later while another one is under way. A frame that is here already is just shown.
    pub(super) fn seek(&mut self, to: Destination) -> Option<SeekRequest> {
        if !matches!(to.seek, Seek::Exact(SeekTarget::Before(_))) {
            self.steps = 0;
        }
        if self.awaited.is_some() {
            self.ended = false;
            self.next_seek = Some(to);
            return None;
        }
        if let Some(position) = self.kept_position(to.seek) {
            self.jump(position);
            return None;
        }
        let is_back = to.secs < self.position_secs();
        if !self.options.seekable && is_back {
            return None;
        }
        Some(self.start(to))
    }

    /// Whether the frame at that time is here.
    pub(super) fn has_frame_at(&self, secs: f64) -> bool {
        self.kept_position(Seek::to(secs)).is_some()
    }

    /// Where among the kept frames the target is, if it is.
    fn kept_position(&self, seek: Seek) -> Option<usize> {
        if self.cache.is_sparse() {
            return None;
        }
        match seek {
            Seek::Exact(SeekTarget::Time(secs)) | Seek::Near(secs) => {
                self.cache.position_at(secs, self.tail == Tail::Ended)
            }
            Seek::Exact(SeekTarget::End) => self.cache.len().checked_sub(1).filter(|_| self.tail == Tail::Ended),
            Seek::Exact(SeekTarget::Number(index)) => self.cache.position_of(index).or_else(|| {
                let ticks = self.index.as_ref()?.pts.get(usize::try_from(index).ok()?)?;
                self.cache.position_of_ticks(*ticks)
            }),
            _ => None,
        }
    }

    /// Shows a kept frame with the next tick, unless it is on screen.
    fn jump(&mut self, position: usize) {
        self.ended = false;
        if self.cache.shown() != Some(position) {
            self.catch_up = None;
            self.pending = self.cache.show(position);
        }
    }

    /// Sends the decoder elsewhere; the frames that are here are of no more use.
    pub(super) fn start(&mut self, to: Destination) -> SeekRequest {
        self.ended = false;
        self.cache.clear();
        self.pending = None;
        self.tail = Tail::Live;
        self.awaited = Some(to);
        self.awaited_since = None;
        self.next_seek = None;
        self.catch_up = None;
        self.sparse_until = None;
        self.request(to.seek)
    }

    pub(super) fn request(&mut self, seek: Seek) -> SeekRequest {
        self.serial += 1;
        self.fetching = None;
        SeekRequest { serial: self.serial, seek }
    }

    /// What was asked for while a seek was under way.
    pub(super) fn follow_up(&mut self) -> Option<SeekRequest> {
        match self.next_seek.take() {
            Some(to) => self.seek(to),
            None if self.scrub.is_some() => self.pursue_scrub(),
            None => None,
        }
    }

    /// Asks for a picture closer to where the user scrubs, unless one is under way.
    pub(super) fn pursue_scrub(&mut self) -> Option<SeekRequest> {
        let secs = self.scrub.filter(|_| self.awaited.is_none())?;
        if let Some(position) = self.kept_position(Seek::to(secs)) {
            self.jump(position);
            return None;
        }
        if self.scrubbed == Some(secs) {
            return None;
        }
        // A short way back leads through frames that all have to be decoded anyway: they are fetched together.
        let reach = self.cache.first().map_or(0.0, |first| first.time_secs - secs);
        // A slow drag stays among those under way; a fast one would wait for frames that it has long left behind.
        let is_slowly_back = self.scrub_step < 0.0 && self.scrub_step > -SLOW_STEP_SECS;
        let most = if self.fetching.is_some() && is_slowly_back { self.fetched_secs() } else { SCRUB_REACH_SECS };
        if reach > 0.0 && reach < most && self.cache.is_joined() && self.can_fetch() {
            return if self.fetching.is_some() { None } else { self.fetch_earlier() };
        }
        self.scrubbed = Some(secs);
        if self.is_far_off && is_slowly_back && !self.is_too_slow {
            self.kept_secs = self.fetched_secs();
            let seek = Seek::Back { target: SeekTarget::Time(secs), budget: self.options.cache_bytes / 2 };
            return self.seek(Destination { seek, secs });
        }
        self.seek(Destination::near(secs))
    }

    /// Seconds of the frames that are fetched at once, as far as the one on screen tells.
    fn fetched_secs(&self) -> f64 {
        let Some(last) = self.cache.last() else { return SCRUB_REACH_SECS };
        let count = (self.options.cache_bytes / 2).checked_div(last.plane_bytes()).unwrap_or(1);
        SCRUB_REACH_SECS.max(count as f64 * last.duration_secs)
    }

    /// Notes whether the first frame of a scrub's seek is near enough.
    pub(super) fn judge_near(&mut self, reached: Option<Destination>) {
        if let (Some(Destination { seek: Seek::Near(secs), .. }), Some(shown)) = (reached, &self.shown) {
            self.is_far_off = secs - shown.time_secs > SCRUB_REACH_SECS;
        }
    }

    /// Where a scrub has led that a seek under way will not serve.
    pub(super) fn unserved_scrub(&self) -> Option<Destination> {
        let secs = self.scrub?;
        let is_served = match self.awaited.map(|destination| (destination.seek, destination.secs)) {
            Some((Seek::Near(_), _)) => true,
            // Frames as many as that come with it.
            Some((Seek::Back { .. }, end)) => secs <= end && end - secs < self.kept_secs,
            _ => false,
        };
        (!is_served).then_some(Destination::near(secs))
    }

    /// Whether the frame before the one on screen is here.
    pub(super) fn has_earlier(&self) -> bool {
        self.cache.shown().is_some_and(|position| position > 0)
    }

    /// Makes the frame before the one on screen come, by fetching many at once if there is room to keep them.
    pub(super) fn reach_back(&mut self) -> Option<SeekRequest> {
        if self.awaited.is_some() || self.fetching.is_some() {
            return None;
        }
        let shown = self.shown?;
        let is_first =
            self.cache.shown() == Some(0) && self.cache.first().map(|first| first.pts_ticks) == self.first_ticks;
        if shown.time_secs <= 0.0 || is_first || !self.options.seekable {
            self.steps = 0;
            return None;
        }
        if self.cache.is_joined() && self.can_fetch() {
            return self.fetch_earlier();
        }
        self.steps += 1;
        self.seek(Destination::exact(SeekTarget::Before(shown.pts_ticks), shown.time_secs))
    }

    /// Whether the cache has room for earlier frames, and there are any.
    pub(super) fn can_fetch(&self) -> bool {
        let Some(first) = self.cache.first() else { return false };
        self.options.seekable
            && first.time_secs > 0.0
            && self.first_ticks != Some(first.pts_ticks)
            && self.unfetchable != Some(first.pts_ticks)
            && first.plane_bytes().saturating_mul(4) <= self.options.cache_bytes
    }

    /// On the way back, asks for earlier frames before the last of those that are here is reached.
    pub(super) fn fetch_ahead_of_need(&mut self) -> Option<SeekRequest> {
        // Early enough that they are here in time: in a long group they cost the decoding of all that lies before them.
        let is_low = self.cache.bytes_behind() < self.options.cache_bytes / 2;
        if is_low && self.fetching.is_none() && self.can_fetch() { self.fetch_earlier() } else { None }
    }

    /// Asks for the frames before the oldest that is here. Half of the cache is theirs.
    pub(super) fn fetch_earlier(&mut self) -> Option<SeekRequest> {
        let ticks = self.cache.first()?.pts_ticks;
        let half = self.options.cache_bytes / 2;
        self.cache.trim_ahead(half);
        self.cache.trim_behind(half);
        let ticks = self.cache.first().map_or(ticks, |first| first.pts_ticks);
        self.tail = Tail::Parked;
        let request = self.request(Seek::Back { target: SeekTarget::Before(ticks), budget: half });
        self.fetching = Some(ticks);
        Some(request)
    }

    /// Sends the decoder back to the newest frame that is here, so that it goes on from there; no earlier ones come then.
    pub(super) fn rejoin(&mut self) -> Option<SeekRequest> {
        if self.tail != Tail::Parked {
            return None;
        }
        let ticks = self.cache.last()?.pts_ticks;
        self.tail = Tail::Rejoining;
        Some(self.request(Seek::Exact(SeekTarget::Timestamp(ticks))))
    }
}
