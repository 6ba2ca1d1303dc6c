//! Decides which frame is due.

use std::time::{Duration, Instant};

use super::{BUFFERING_AFTER, Player, SLACK_SECS, SLOW_SEEK};
use crate::playback::late::{LateFrame, Remedy};
use crate::playback::phase::{Phase, Seeking, Transport};
use crate::playback::request::{Destination, SeekRequest, StepEnd, Tick};
use crate::playback::tally::OnScreen;
use histoscope_core::picture::Frame;

/// Time after which a later request no longer waits for the picture of a seek.
const SUPERSEDE_AFTER: Duration = Duration::from_millis(250);
/// Frames ahead of the one on screen below which a decoder that is elsewhere is sent back to the newest.
const FEW_AHEAD: usize = 4;
/// Time beyond the clock over which a hurry extends, in seconds of real time.
const HURRY_SECS: f64 = 0.5;

impl Player {
    /// Decides what is due at `now`.
    pub fn tick(&mut self, now: Instant) -> Tick {
        let mut tick = match std::mem::replace(&mut self.phase, Phase::Steady) {
            Phase::Arriving(frame) => self.tick_arriving(frame, now),
            Phase::Seeking(seeking) => self.tick_seeking(seeking, now),
            phase @ (Phase::Steady | Phase::Ended) => {
                self.phase = phase;
                match self.transport {
                    Transport::Playing => self.tick_playing(now),
                    Transport::Paused { steps } => self.tick_paused(steps, now),
                    Transport::Scrubbing(_) => {
                        let seek = self.pursue_scrub();
                        Tick { wake_at: self.is_arriving().then_some(now), seek, ..Tick::default() }
                    }
                }
            }
        };
        if tick.seek.is_none() {
            let (seek, wake_at) = self.refine_scrub(tick.show.is_some(), now);
            tick.seek = seek;
            tick.wake_at = tick.wake_at.into_iter().chain(wake_at).min();
        }
        self.note_starvation(tick.show.is_some(), now);
        let told_after =
            if matches!(self.phase, Phase::Seeking(_)) { [SLOW_SEEK, BUFFERING_AFTER] } else { [BUFFERING_AFTER; 2] };
        let told_at =
            self.starved_since.and_then(|since| told_after.iter().map(|&after| since + after).find(|&at| at > now));
        if let Some(told_at) = told_at {
            tick.wake_at = Some(tick.wake_at.map_or(told_at, |wake_at| wake_at.min(told_at)));
        }
        tick
    }

    const fn is_arriving(&self) -> bool {
        matches!(self.phase, Phase::Arriving(_))
    }

    fn note_starvation(&mut self, has_shown: bool, now: Instant) {
        let is_short = || {
            self.supply.cache.ahead() == 0
                && !self.supply.has_ended()
                && self.clock.at(now) + SLACK_SECS >= self.end_secs()
        };
        let waits = match (&self.phase, &self.transport) {
            (Phase::Seeking(_), _) => true,
            (Phase::Arriving(_) | Phase::Steady, Transport::Playing) => is_short(),
            _ => false,
        };
        if has_shown || !waits {
            self.starved_since = None;
        } else {
            self.starved_since.get_or_insert(now);
        }
    }

    /// Puts a frame on screen.
    fn show(&mut self, frame: &Frame) -> OnScreen {
        let shown = OnScreen::new(frame);
        self.shown = Some(shown);
        if let Some(duration) = &mut self.options.duration_secs {
            // Headers are rounded or wrong; the frames already shown are certain.
            *duration = duration.max(shown.end_secs);
        }
        self.phase = Phase::Steady;
        self.is_first_undrawn = false;
        self.tally.count_shown(frame);
        shown
    }

    /// Shows a frame whatever its time, and sets the clock to it.
    fn show_now(&mut self, frame: &Frame, now: Instant) {
        self.show(frame);
        self.clock.set(self.position_secs(), now);
        self.is_first_undrawn = matches!(self.transport, Transport::Playing);
        if self.is_first_undrawn {
            self.clock.start(now);
        } else {
            self.clock.stop(now);
        }
    }

    /// Shows a requested frame that was cached.
    fn tick_arriving(&mut self, frame: Frame, now: Instant) -> Tick {
        let is_scrub_back = self.is_scrubbing() && frame.time_secs < self.position_secs();
        self.show_now(&frame, now);
        let wake_at = match self.transport {
            Transport::Playing => self.next_wake(now),
            Transport::Paused { steps } => (steps != 0).then_some(now),
            Transport::Scrubbing(_) => None,
        };
        let seek = if is_scrub_back { self.fetch_ahead_of_need() } else { None };
        Tick { show: Some(frame), wake_at, seek, ..Tick::default() }
    }

    /// Shows the first frame of a seek as soon as it arrives.
    fn tick_seeking(&mut self, mut seeking: Seeking, now: Instant) -> Tick {
        if let Some(frame) = self.supply.cache.advance(1) {
            self.show_now(&frame, now);
            self.judge_scrub(seeking.to);
            let seek = self.follow_up(seeking.next);
            let is_urgent = self.is_arriving() || matches!(self.transport, Transport::Paused { steps } if steps != 0);
            let wake_at = if is_urgent { Some(now) } else { self.next_wake(now) };
            return Tick { show: Some(frame), wake_at: wake_at.filter(|_| seek.is_none()), seek, ..Tick::default() };
        }
        if self.supply.has_ended() {
            // The seek led to no frame: the previous picture stays, at the end.
            let is_end = seeking.next.is_none() && !self.is_scrubbing();
            self.phase = if is_end { Phase::Ended } else { Phase::Steady };
            return Tick { seek: self.follow_up(seeking.next), ..Tick::default() };
        }
        let gives_up_at = *seeking.since.get_or_insert(now) + SUPERSEDE_AFTER;
        let unserved =
            || if let Transport::Scrubbing(scrub) = &self.transport { scrub.unserved(seeking.to) } else { None };
        let later = seeking.next.or_else(unserved);
        if let Some(to) = later.filter(|_| now >= gives_up_at) {
            self.give_up(seeking.to);
            return Tick { seek: Some(self.start(to)), ..Tick::default() };
        }
        self.phase = Phase::Seeking(seeking);
        Tick { wake_at: later.map(|_| gives_up_at), ..Tick::default() }
    }

    /// Continues with the seek requested while another was in progress, or with a scrub.
    fn follow_up(&mut self, next: Option<Destination>) -> Option<SeekRequest> {
        match next {
            Some(to) => self.seek(to),
            None => self.pursue_scrub(),
        }
    }

    fn tick_paused(&mut self, steps: i64, now: Instant) -> Tick {
        if steps < 0 {
            return self.tick_stepping_back(steps, now);
        }
        let (mut left, mut show, mut step_end) = (steps, None, None);
        if steps > 0 {
            show = self.supply.cache.advance(1);
            if let Some(frame) = &show {
                left -= 1;
                self.show_now(frame, now);
            } else if self.supply.has_ended() {
                (left, step_end) = (0, Some(StepEnd::Last));
            }
        }
        self.transport = Transport::Paused { steps: left };
        let wake_at = (show.is_some() && left > 0).then_some(now);
        let is_going_on = left > 0 || show.is_some();
        // Frames being fetched may keep arriving as long as there is one to step to.
        let few = if self.supply.is_fetching() { 1 } else { FEW_AHEAD };
        let seek = if is_going_on && self.supply.cache.ahead() < few { self.supply.rejoin() } else { None };
        Tick { show, wake_at, seek, step_end }
    }

    fn tick_stepping_back(&mut self, steps: i64, now: Instant) -> Tick {
        let Some(frame) = self.supply.cache.back() else {
            if let Some(step_end) = self.end_backwards() {
                self.transport = Transport::Paused { steps: 0 };
                return Tick { step_end: Some(step_end), ..Tick::default() };
            }
            return Tick { seek: self.reach_back(), ..Tick::default() };
        };
        self.transport = Transport::Paused { steps: steps + 1 };
        self.show_now(&frame, now);
        let seek = self.fetch_ahead_of_need();
        Tick { show: Some(frame), wake_at: (steps + 1 != 0).then_some(now), seek, ..Tick::default() }
    }

    fn tick_playing(&mut self, now: Instant) -> Tick {
        if matches!(self.phase, Phase::Steady) {
            // The clock is stopped if a seek to the frame on screen has ended a scrub.
            self.clock.start(now);
        }
        let live = self.options.live;
        let is_at_once = live && self.held_secs == 0.0;
        if live {
            self.keep_up(now);
        }
        let time = self.clock.at(now) + SLACK_SECS;
        let part_end = self.part().map(|(_, last)| last);
        let is_due = |frame: &&Frame| {
            (is_at_once || frame.time_secs <= time) && part_end.is_none_or(|last| frame.pts_ticks <= last.pts_ticks)
        };
        let due = self.supply.cache.coming().take_while(is_due).count();
        if let Some(took) = self.supply.jump_took(now) {
            self.lateness.learn(took);
        }
        let was_sparse = self.supply.cache.is_sparse();
        // The newest due frame: those before it are late and would only delay it.
        let show = self.supply.cache.advance(due);
        let mut seek = None;
        if let Some(frame) = &show {
            let previous = self.shown;
            let shown = self.show(frame);
            match previous {
                // Frames lost before they arrived are counted where they were lost.
                Some(previous) if was_sparse && !live => {
                    self.tally.count_left_out(previous, shown, self.options.frame_rate)
                }
                _ => self.tally.count_dropped(due as u64 - 1),
            }
            if is_at_once {
                self.clock.set(shown.time_secs, now);
            } else if !live {
                seek = self.make_up_for(previous, shown, now);
            }
            let limit = self.limit_behind();
            self.supply.cache.trim_behind(limit);
        }
        if seek.is_none() && self.is_over(time) {
            let seek = self.finish(now);
            return Tick { show, wake_at: self.is_arriving().then_some(now), seek, ..Tick::default() };
        }
        let seek = seek.or_else(|| self.supply.rejoin());
        Tick { show, wake_at: self.next_wake(now), seek, ..Tick::default() }
    }

    /// Decides what to do if the frame just shown was late. Returns a request for the decoder, if one is needed.
    fn make_up_for(&mut self, previous: Option<OnScreen>, shown: OnScreen, now: Instant) -> Option<SeekRequest> {
        let (time, rate) = (self.clock.at(now) + SLACK_SECS, self.clock.rate());
        let waited_secs = previous.map_or(0.0, |previous| (time - previous.end_secs) / rate);
        let waited_secs = waited_secs.min(self.lateness.note_shown(now));
        let late_secs = (time - shown.end_secs) / rate;
        let may_jump = self.options.seekable && self.part().is_none();
        let remedy = self.lateness.remedy(LateFrame { late_secs, waited_secs, may_jump, rate });
        if remedy == Remedy::Wait {
            log::warn!("the picture is {late_secs:.1} s late; playback waits for it");
            self.clock.set(shown.time_secs, now);
        }
        if self.supply.cache.ahead() > 0 || !self.supply.is_onward() {
            return None;
        }
        let time = self.clock.at(now);
        match remedy {
            Remedy::None | Remedy::Wait => None,
            Remedy::Jump => {
                let secs = time + self.lateness.jump_secs() * rate;
                let is_inside = self.options.duration_secs.is_some_and(|duration| secs < duration);
                is_inside.then(|| self.supply.jump_ahead(secs, now))
            }
            Remedy::Hurry => {
                let is_hurrying = self.supply.is_hurrying_at(time);
                (!is_hurrying).then(|| self.supply.hurry_until(time + HURRY_SECS * rate))
            }
        }
    }

    /// Returns `true` if the presentation interval of the last frame to play has ended.
    fn is_over(&self, time: f64) -> bool {
        let is_last = self.supply.cache.ahead() == 0 && self.supply.has_ended();
        let Some((_, last)) = self.part() else { return is_last && time >= self.end_secs() };
        // A last frame that has not arrived yet is waited for.
        let is_reached = self.shown.is_some_and(|shown| shown.pts_ticks >= last.pts_ticks)
            || self.supply.cache.coming().next().is_some_and(|frame| frame.pts_ticks > last.pts_ticks);
        (is_reached && time >= last.end_secs) || (is_last && time >= self.end_secs())
    }

    /// Ends playback after the last frame, or starts again.
    fn finish(&mut self, now: Instant) -> Option<SeekRequest> {
        // A single picture just stays.
        let starts_again = (self.options.looped || self.part().is_some()) && self.options.seekable && !self.is_single();
        if starts_again {
            return self.restart();
        }
        self.phase = Phase::Ended;
        self.clock.stop(now);
        None
    }

    fn next_wake(&self, now: Instant) -> Option<Instant> {
        let time = self.clock.at(now);
        let end = match self.part() {
            // After that, a last frame that has not arrived yet is waited for.
            Some((_, last)) => Some(last.end_secs).filter(|end| *end > time),
            None if self.supply.cache.ahead() == 0 && self.supply.has_ended() && !self.has_ended() => {
                Some(self.end_secs())
            }
            // From then on, a frame is missing.
            None => Some(self.end_secs())
                .filter(|end| self.supply.cache.ahead() == 0 && !self.has_ended() && *end > time + SLACK_SECS),
        };
        let next = self.supply.cache.coming().next().map(|frame| frame.time_secs);
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
