//! Which frame is due.

use std::time::Instant;

use super::seek::SUPERSEDE_AFTER;
use super::{BUFFERING_AFTER, Player, SLACK_SECS, Shown, Tail};
use crate::media::Seek;
use crate::picture::Frame;
use crate::playback::request::{SeekRequest, Tick};

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
            let reached = self.awaited.take();
            let show = Some(self.show_now(frame, now));
            self.judge_near(reached);
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
            Some(to) if now >= gives_up_at => {
                self.is_too_slow |= self.awaits(|seek| matches!(seek, Seek::Back { .. }));
                Tick { seek: Some(self.start(to)), ..Tick::default() }
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
    pub(super) fn part(&self) -> Option<(Shown, Shown)> {
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
