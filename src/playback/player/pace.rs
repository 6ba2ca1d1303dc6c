//! Which frame is due.

use std::time::Instant;

use super::seek::SUPERSEDE_AFTER;
use super::{BUFFERING_AFTER, CatchUp, Guess, Player, SLACK_SECS, Shown, Tail};
use crate::frame::Frame;
use crate::playback::request::{SeekRequest, Target, Tick};

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
/// Frames ahead of the one on screen below which the decoder is sent on from the newest, if it is elsewhere.
const FEW_AHEAD: usize = 4;

impl Player {
    /// Decides what is due at `now`.
    pub fn tick(&mut self, now: Instant) -> Tick {
        let mut tick = if let Some(frame) = self.pending.take() {
            self.tick_pending(frame, now)
        } else if self.awaited.is_some() {
            self.tick_awaiting(now)
        } else if self.scrub.is_some() {
            Tick { seek: self.pursue_scrub(), wake_at: self.pending.is_some().then_some(now), show: None }
        } else if self.paused {
            self.tick_paused(now)
        } else {
            self.tick_playing(now)
        };
        self.note_starvation(tick.show.is_some(), now);
        if let Some(since) = self.starved_since.filter(|_| !self.is_buffering(now)) {
            let told_at = since + BUFFERING_AFTER;
            tick.wake_at = Some(tick.wake_at.map_or(told_at, |wake_at| wake_at.min(told_at)));
        }
        tick
    }

    fn note_starvation(&mut self, has_shown: bool, now: Instant) {
        let is_short = || {
            let is_playing = !self.paused && self.scrub.is_none() && !self.ended;
            is_playing
                && self.cache.ahead() == 0
                && self.tail != Tail::Ended
                && self.clock.at(now) + SLACK_SECS >= self.end_secs()
        };
        if has_shown || !(self.awaited.is_some() || is_short()) {
            self.starved_since = None;
        } else {
            self.starved_since.get_or_insert(now);
        }
    }

    /// A kept frame that was asked for is shown at once.
    fn tick_pending(&mut self, frame: Frame, now: Instant) -> Tick {
        let is_scrub_back = self.scrub.is_some() && frame.time_secs < self.position_secs();
        let show = Some(self.show_now(frame, now));
        let wake_at = if self.paused { (self.steps != 0).then_some(now) } else { self.next_wake(now) };
        let seek = if is_scrub_back { self.fetch_ahead_of_need() } else { None };
        Tick { show, wake_at, seek }
    }

    /// Shows a frame whatever its time, and lets the clock go on from it.
    fn show_now(&mut self, frame: Frame, now: Instant) -> Frame {
        let frame = self.show(frame);
        self.clock.set(self.position_secs(), now);
        if !self.paused && self.scrub.is_none() {
            self.clock.start(now);
        }
        frame
    }

    /// The first frame of a seek is shown at once.
    fn tick_awaiting(&mut self, now: Instant) -> Tick {
        if let Some(frame) = self.cache.advance(1) {
            let target = self.awaited.take();
            let show = Some(self.show_now(frame, now));
            self.judge_near(target);
            let seek = self.follow_up();
            let is_urgent = self.pending.is_some() || self.paused && self.steps != 0;
            let wake_at = if is_urgent { Some(now) } else { self.next_wake(now) };
            return Tick { show, wake_at: wake_at.filter(|_| seek.is_none()), seek };
        }
        if self.tail == Tail::Ended {
            // The seek led to no frame at all: the picture that was there stays, at the end.
            self.awaited = None;
            self.ended = self.next_seek.is_none() && self.scrub.is_none();
            return Tick { seek: self.follow_up(), ..Tick::default() };
        }
        let since = *self.awaited_since.get_or_insert(now);
        let gives_up_at = since + SUPERSEDE_AFTER;
        match self.next_seek.or_else(|| self.unserved_scrub()) {
            Some(target) if now >= gives_up_at => {
                self.is_too_slow |= matches!(self.awaited, Some(Target::Back { .. }));
                Tick { seek: Some(self.start(target)), ..Tick::default() }
            }
            Some(_) => Tick { wake_at: Some(gives_up_at), ..Tick::default() },
            None => Tick::default(),
        }
    }

    fn tick_paused(&mut self, now: Instant) -> Tick {
        if self.steps < 0 {
            return self.tick_stepping_back(now);
        }
        let mut show = None;
        if self.steps > 0 {
            if let Some(frame) = self.cache.advance(1) {
                self.steps -= 1;
                show = Some(self.show_now(frame, now));
            } else if self.tail == Tail::Ended {
                self.steps = 0;
            }
        }
        let wake_at = (show.is_some() && self.steps > 0).then_some(now);
        let is_going_on = self.steps > 0 || show.is_some();
        // Frames that are being fetched are let come as long as there is one to step to.
        let few = if self.fetching.is_some() { 1 } else { FEW_AHEAD };
        let seek = if is_going_on && self.cache.ahead() < few { self.rejoin() } else { None };
        Tick { show, wake_at, seek }
    }

    fn tick_stepping_back(&mut self, now: Instant) -> Tick {
        let Some(frame) = self.cache.back() else {
            return Tick { seek: self.reach_back(), ..Tick::default() };
        };
        self.steps += 1;
        let show = Some(self.show_now(frame, now));
        let seek = self.fetch_ahead_of_need();
        Tick { show, wake_at: (self.steps != 0).then_some(now), seek }
    }

    fn tick_playing(&mut self, now: Instant) -> Tick {
        let time = self.clock.at(now) + SLACK_SECS;
        let part_end = self.part().map(|(_, last)| last);
        let is_due =
            |frame: &&Frame| frame.time_secs <= time && part_end.is_none_or(|last| frame.pts_ticks <= last.pts_ticks);
        let due = self.cache.coming().take_while(is_due).count();
        self.note_arrival(now);
        let previous = self.shown;
        let was_sparse = self.cache.is_sparse();
        let mut seek = None;
        // The newest frame that is due; those before it are late and would only hold it up.
        let show = self.cache.advance(due).map(|frame| {
            let late = (time - frame.time_secs - frame.duration_secs) / self.clock.rate();
            let waited = previous.map_or(0.0, |shown| (time - shown.end_secs) / self.clock.rate());
            let frame = self.show(frame);
            self.counts.dropped += if was_sparse { self.missing_since(previous) } else { due as u64 - 1 };
            let waited = waited.min(self.shown_at.map_or(f64::MAX, |at| (now - at).as_secs_f64()));
            self.shown_at = Some(now);
            seek = self.make_up_for(late, waited, now);
            let limit = self.limit_behind();
            self.cache.trim_behind(limit);
            frame
        });
        if seek.is_none() && self.is_over(time) {
            seek = self.finish(now);
            let wake_at = self.pending.is_some().then_some(now);
            return Tick { show, wake_at, seek };
        }
        let seek = seek.or_else(|| self.rejoin());
        Tick { show, wake_at: self.next_wake(now), seek }
    }

    /// The first and the last frame of the part that is played again and again.
    fn part(&self) -> Option<(Shown, Shown)> {
        self.marks.0.zip(self.marks.1)
    }

    /// Whether the time of the last frame to play is over.
    fn is_over(&self, time: f64) -> bool {
        let is_last = self.cache.ahead() == 0 && self.tail == Tail::Ended;
        let Some((_, last)) = self.part() else { return is_last && time >= self.end_secs() };
        // A last frame that has not come yet is waited for.
        let is_reached = self.shown.is_some_and(|shown| shown.pts_ticks >= last.pts_ticks)
            || self.cache.coming().next().is_some_and(|frame| frame.pts_ticks > last.pts_ticks);
        (is_reached && time >= last.end_secs) || (is_last && time >= self.end_secs())
    }

    /// The last frame's time is over.
    fn finish(&mut self, now: Instant) -> Option<SeekRequest> {
        // A single picture just stays.
        let is_still = self.position_secs() <= 0.0 && self.tail == Tail::Ended && self.cache.ahead() == 0;
        let starts_again = (self.options.looped || self.part().is_some()) && self.options.seekable && !is_still;
        if starts_again {
            return self.restart();
        }
        self.ended = true;
        self.clock.stop(now);
        None
    }

    /// What to do about a frame that was shown so many seconds after its time was over, and had been waited for that long.
    fn make_up_for(&mut self, late: f64, waited: f64, now: Instant) -> Option<SeekRequest> {
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
        Some(self.request(Target::Exact(secs)))
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
        Some(self.request(Target::Towards(until)))
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
    fn note_arrival(&mut self, now: Instant) {
        if let Some(jump) = self.catch_up.as_mut().filter(|jump| !jump.arrived)
            && self.cache.ahead() > 0
        {
            jump.arrived = true;
            let took = now.saturating_duration_since(jump.since).as_secs_f64();
            self.catch_up_secs = (0.5 * self.catch_up_secs + 0.6 * took).clamp(CATCH_UP_SECS.0, CATCH_UP_SECS.1);
        }
    }

    /// How many frames were left out between the one shown before and the one on screen.
    fn missing_since(&mut self, previous: Option<Shown>) -> u64 {
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

    fn next_wake(&self, now: Instant) -> Option<Instant> {
        let time = self.clock.at(now);
        let end = match self.part() {
            // Past that, a last frame that has not come yet is waited for.
            Some((_, last)) => Some(last.end_secs).filter(|end| *end > time),
            None if self.cache.ahead() == 0 && self.tail == Tail::Ended && !self.ended => Some(self.end_secs()),
            // From then on a frame is missed.
            None => {
                Some(self.end_secs()).filter(|end| self.cache.ahead() == 0 && !self.ended && *end > time + SLACK_SECS)
            }
        };
        let next = self.cache.coming().next().map(|frame| frame.time_secs);
        let secs = match (next, end) {
            (Some(next), Some(end)) => next.min(end),
            (next, end) => next.or(end)?,
        };
        self.clock.when(secs, now)
    }

    fn end_secs(&self) -> f64 {
        self.shown.map_or(0.0, |shown| shown.end_secs)
    }
}
