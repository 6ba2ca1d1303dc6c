//! Which frame is due.

use std::time::Instant;

use super::seek::SUPERSEDE_AFTER;
use super::{BUFFERING_AFTER, CatchUp, Player, SLACK_SECS, Shown, Tail};
use crate::frame::Frame;
use crate::playback::request::{SeekRequest, Target, Tick};

/// How late a picture may be before the clock waits for it, in seconds of the user's time: the source has stalled.
const PATIENCE_SECS: f64 = 1.0;
/// How late a picture may be at more than normal speed before the decoder jumps ahead, in seconds of the user's time.
const CATCH_UP_AFTER_SECS: f64 = 0.1;
/// Bounds of the time that a jump ahead is expected to take, in seconds.
const CATCH_UP_SECS: (f64, f64) = (0.02, 2.0);
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
            is_playing && self.cache.ahead() == 0 && self.tail != Tail::Ended && self.clock.at(now) >= self.end_secs()
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
            self.awaited = None;
            let show = Some(self.show_now(frame, now));
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
        let is_near = matches!(self.awaited, Some(Target::Near(_)));
        match self.next_seek.or(self.scrub.filter(|_| !is_near).map(Target::Near)) {
            Some(target) if now >= gives_up_at => Tick { seek: Some(self.start(target)), ..Tick::default() },
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
        let mut seek = None;
        // The newest frame that is due; those before it are late and would only hold it up.
        let show = self.cache.advance(due).map(|frame| {
            let late = (time - frame.time_secs - frame.duration_secs) / self.clock.rate();
            let frame = self.show(frame);
            self.counts.dropped += due as u64 - 1 + self.skipped_since(previous, due);
            seek = self.make_up_for(late, now);
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

    /// What to do about a frame that was shown so many seconds after its time was over.
    fn make_up_for(&mut self, late: f64, now: Instant) -> Option<SeekRequest> {
        if late > PATIENCE_SECS {
            // Slow motion is better than a clock that runs away from the picture.
            log::warn!("the picture is {late:.1} s late; playback waits for it");
            self.clock.set(self.position_secs(), now);
            return None;
        }
        let may_jump = self.options.seekable && self.clock.rate() > 1.0 && self.part().is_none();
        if late < CATCH_UP_AFTER_SECS || !may_jump || self.cache.ahead() > 0 || self.tail != Tail::Live {
            return None;
        }
        // To the frame that will be due when the jump is done.
        let secs = self.clock.at(now) + self.catch_up_secs * self.clock.rate();
        if self.options.duration_secs.is_none_or(|duration| secs >= duration) {
            return None;
        }
        self.cache.clear();
        self.catch_up = Some(CatchUp { since: now, arrived: false });
        Some(self.request(Target::Exact(secs)))
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

    /// Frames that a jump ahead has left out between the one shown before and the `due` ones that came at last.
    fn skipped_since(&mut self, previous: Option<Shown>, due: usize) -> u64 {
        if self.catch_up.take().is_none() {
            return 0;
        }
        let (Some(before), Some(now)) = (previous, self.shown) else { return 0 };
        let frames = match (self.number_of(&before), self.number_of(&now)) {
            (Some(before), Some(now)) => now.saturating_sub(before),
            _ => {
                let frame_secs = (before.end_secs - before.time_secs).max(1e-3);
                let rate = self.options.frame_rate.unwrap_or(1.0 / frame_secs);
                ((now.time_secs - before.time_secs) * rate).round().max(0.0) as u64
            }
        };
        frames.saturating_sub(due as u64)
    }

    fn next_wake(&self, now: Instant) -> Option<Instant> {
        let time = self.clock.at(now);
        let end = match self.part() {
            // Past that, a last frame that has not come yet is waited for.
            Some((_, last)) => Some(last.end_secs).filter(|end| *end > time),
            None if self.cache.ahead() == 0 && self.tail == Tail::Ended && !self.ended => Some(self.end_secs()),
            None => None,
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
