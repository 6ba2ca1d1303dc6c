//! The player's state: frames wait in order until they are due, seeks merge, frames of an older seek are thrown away.

use std::collections::VecDeque;
use std::time::Instant;

use super::Clock;
use crate::frame::Frame;

/// How far behind the clock a picture may come before the clock waits for it, in seconds.
const PATIENCE_SECS: f64 = 1.0;
/// Timestamps are compared with this slack, in seconds, so that rounding in a file's time base delays no frame.
const SLACK_SECS: f64 = 1e-4;

/// Where a seek leads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Target {
    /// The frame that is on screen at this time, in seconds from the start.
    Exact(f64),
    /// A frame near this time that is quick to reach, the one of a keyframe at or before it.
    Keyframe(f64),
    /// The frame before a frame.
    Before {
        /// That frame's timestamp, in ticks of the stream's time base.
        ticks: i64,
        /// Its time, in seconds from the start.
        secs: f64,
    },
}

impl Target {
    /// The time that the target names, in seconds.
    const fn secs(self) -> f64 {
        match self {
            Self::Exact(secs) | Self::Keyframe(secs) | Self::Before { secs, .. } => secs,
        }
    }
}

/// A seek for the decoder to carry out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeekRequest {
    /// The serial that its frames shall carry.
    pub serial: u64,
    /// Where it leads.
    pub target: Target,
}

/// What to do now.
#[derive(Debug, Default)]
pub struct Tick {
    /// A new frame to show.
    pub show: Option<Frame>,
    /// When to ask again, if nothing happens before.
    pub wake_at: Option<Instant>,
    /// A seek to hand to the decoder.
    pub seek: Option<SeekRequest>,
}

/// What happened to the frames so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Frames shown.
    pub shown: u64,
    /// Frames that were due before one that was due as well.
    pub dropped: u64,
    /// Frames shown that the decoder reported as damaged.
    pub damaged: u64,
}

/// The frame on screen.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Shown {
    pts_ticks: i64,
    time_secs: f64,
    end_secs: f64,
}

/// The player's state.
#[derive(Debug)]
pub struct Player {
    clock: Clock,
    paused: bool,
    looped: bool,
    queue: VecDeque<Frame>,
    serial: u64,
    shown: Option<Shown>,
    /// The seek under way, until its first frame is there; at the start, the opening of the file.
    awaited: Option<Target>,
    /// What to seek next, once that frame has been shown.
    next_seek: Option<Target>,
    /// Frames to step, forward if positive, once frames are there.
    steps: i64,
    /// Whether the decoder has no more frames of this serial.
    drained: bool,
    ended: bool,
    duration_secs: Option<f64>,
    counts: Counts,
}

impl Player {
    /// A player that waits for the first frame of serial 0.
    #[must_use]
    pub const fn new(duration_secs: Option<f64>, paused: bool, looped: bool) -> Self {
        Self {
            clock: Clock::standing_at(0.0),
            paused,
            looped,
            queue: VecDeque::new(),
            serial: 0,
            shown: None,
            awaited: Some(Target::Exact(0.0)),
            next_seek: None,
            steps: 0,
            drained: false,
            ended: false,
            duration_secs,
            counts: Counts { shown: 0, dropped: 0, damaged: 0 },
        }
    }

    /// Takes a decoded frame; one of an older seek is thrown away.
    pub fn push(&mut self, frame: Frame) {
        if frame.serial == self.serial {
            self.queue.push_back(frame);
        }
    }

    /// Notes that the decoder has no more frames of this serial.
    pub fn end_of_stream(&mut self, serial: u64) {
        if serial == self.serial {
            self.drained = true;
        }
    }

    /// Whether more frames would be of use at `now`; otherwise one that is not yet due waits already.
    #[must_use]
    pub fn wants_frames(&self, now: Instant) -> bool {
        let time = self.clock.at(now) + SLACK_SECS;
        self.queue.len() < 2 || self.clock.is_running() && self.queue.back().is_some_and(|f| f.time_secs <= time)
    }

    /// Whether the user has paused.
    #[must_use]
    pub const fn is_paused(&self) -> bool {
        self.paused
    }

    /// Whether the last frame has been on screen for its whole duration.
    #[must_use]
    pub const fn has_ended(&self) -> bool {
        self.ended
    }

    /// Time of the frame on screen, in seconds from the start; of the wanted one while a seek is under way.
    #[must_use]
    pub fn position_secs(&self) -> f64 {
        self.shown.map_or(0.0, |shown| shown.time_secs)
    }

    /// Length of the video in seconds, as far as it is known.
    #[must_use]
    pub const fn duration_secs(&self) -> Option<f64> {
        self.duration_secs
    }

    /// What happened to the frames so far.
    #[must_use]
    pub const fn counts(&self) -> Counts {
        self.counts
    }

    /// Pauses or goes on; at the end, starts again.
    pub fn toggle_pause(&mut self, now: Instant) -> Option<SeekRequest> {
        if self.ended {
            self.paused = false;
            return self.seek(Target::Exact(0.0));
        }
        self.paused = !self.paused;
        if self.paused {
            self.clock.stop(now);
        } else {
            self.steps = 0;
            self.resume(now);
        }
        None
    }

    /// Seeks to a time from the start; times outside the video lead to its first or last frame.
    pub fn seek_to(&mut self, secs: f64, exact: bool) -> Option<SeekRequest> {
        let most = self.duration_secs.unwrap_or(f64::MAX).max(0.0);
        let secs = secs.clamp(0.0, most);
        self.seek(if exact { Target::Exact(secs) } else { Target::Keyframe(secs) })
    }

    /// Time to which the last request leads, in seconds from the start; without one, that of the frame on screen.
    #[must_use]
    pub fn destination_secs(&self) -> f64 {
        match (self.next_seek, self.awaited, self.shown) {
            (Some(target), ..) | (None, Some(target), _) => target.secs(),
            (None, None, shown) => shown.map_or(0.0, |s| s.time_secs),
        }
    }

    /// Seeks by some seconds from where the last request leads.
    pub fn seek_by(&mut self, secs: f64, exact: bool) -> Option<SeekRequest> {
        self.seek_to(self.destination_secs() + secs, exact)
    }

    /// Pauses and steps one frame forward or back.
    pub fn step(&mut self, forward: bool, now: Instant) -> Option<SeekRequest> {
        self.paused = true;
        self.clock.stop(now);
        self.steps += if forward { 1 } else { -1 };
        self.start_step_back()
    }

    /// Decides what is due at `now`.
    pub fn tick(&mut self, now: Instant) -> Tick {
        if self.awaited.is_some() {
            return self.tick_awaiting(now);
        }
        if self.paused {
            return self.tick_paused(now);
        }
        self.tick_playing(now)
    }

    /// The first frame of a seek is shown at once, whatever its time, and the clock starts from it.
    fn tick_awaiting(&mut self, now: Instant) -> Tick {
        let Some(frame) = self.queue.pop_front() else {
            if self.drained {
                // The seek led to no frame at all: the picture that was there stays, at the end.
                self.awaited = None;
                self.ended = self.next_seek.is_none();
                return Tick { seek: self.follow_up(), ..Tick::default() };
            }
            return Tick::default();
        };
        self.awaited = None;
        let show = Some(self.show(frame));
        self.clock.set(self.position_secs(), now);
        if !self.paused {
            self.clock.start(now);
        }
        let seek = self.follow_up();
        let wake_at = if seek.is_none() { self.next_wake(now) } else { None };
        Tick { show, wake_at, seek }
    }

    fn tick_paused(&mut self, now: Instant) -> Tick {
        if self.steps > 0 {
            if let Some(frame) = self.queue.pop_front() {
                self.steps -= 1;
                let show = Some(self.show(frame));
                self.clock.set(self.position_secs(), now);
                let wake_at = (self.steps > 0).then_some(now);
                return Tick { show, wake_at, seek: None };
            }
            if self.drained {
                self.steps = 0;
            }
        }
        Tick { seek: self.start_step_back(), ..Tick::default() }
    }

    fn tick_playing(&mut self, now: Instant) -> Tick {
        let time = self.clock.at(now) + SLACK_SECS;
        let due = self.queue.iter().take_while(|frame| frame.time_secs <= time).count();
        let mut show = None;
        if due > 0 {
            // The newest frame that is due; those before it are late and would only hold it up.
            self.counts.dropped += due as u64 - 1;
            let newest = self.queue.drain(..due).next_back();
            if let Some(frame) = newest {
                let late = time - frame.time_secs - frame.duration_secs;
                show = Some(self.show(frame));
                if late > PATIENCE_SECS {
                    // Decoding cannot keep up. Slow motion is better than a clock that runs away from the picture.
                    log::warn!("decoding is {late:.1} s late; playback waits for it");
                    self.clock.set(self.position_secs(), now);
                }
            }
        }
        if self.queue.is_empty() && self.drained && time >= self.end_secs() {
            return Tick { show, wake_at: None, seek: self.finish(now) };
        }
        Tick { show, wake_at: self.next_wake(now), seek: None }
    }

    /// The last frame's time is over.
    fn finish(&mut self, now: Instant) -> Option<SeekRequest> {
        if self.looped {
            return self.seek(Target::Exact(0.0));
        }
        self.ended = true;
        self.clock.stop(now);
        None
    }

    fn next_wake(&self, now: Instant) -> Option<Instant> {
        match self.queue.front() {
            Some(frame) => self.clock.when(frame.time_secs, now),
            None if self.drained && !self.ended => self.clock.when(self.end_secs(), now),
            None => None,
        }
    }

    fn end_secs(&self) -> f64 {
        self.shown.map_or(0.0, |shown| shown.end_secs)
    }

    fn resume(&mut self, now: Instant) {
        if self.awaited.is_none() {
            self.clock.set(self.position_secs(), now);
            self.clock.start(now);
        }
    }

    fn show(&mut self, frame: Frame) -> Frame {
        let end_secs = frame.time_secs + frame.duration_secs.max(0.0);
        self.shown = Some(Shown { pts_ticks: frame.pts_ticks, time_secs: frame.time_secs, end_secs });
        if let Some(duration) = &mut self.duration_secs {
            // Headers round, or lie; what has been seen is certain.
            *duration = duration.max(end_secs);
        }
        self.counts.shown += 1;
        self.counts.damaged += u64::from(frame.damaged);
        frame
    }

    /// Starts a seek, or keeps it for later while another one is under way.
    fn seek(&mut self, target: Target) -> Option<SeekRequest> {
        if !matches!(target, Target::Before { .. }) {
            self.steps = 0;
        }
        self.ended = false;
        if self.awaited.is_some() {
            self.next_seek = Some(target);
            return None;
        }
        self.serial += 1;
        self.queue.clear();
        self.drained = false;
        self.awaited = Some(target);
        Some(SeekRequest { serial: self.serial, target })
    }

    /// What was asked for while a seek was under way.
    fn follow_up(&mut self) -> Option<SeekRequest> {
        match self.next_seek.take() {
            Some(target) => self.seek(target),
            None => self.start_step_back(),
        }
    }

    fn start_step_back(&mut self) -> Option<SeekRequest> {
        let shown = self.shown.filter(|_| self.steps < 0 && self.awaited.is_none() && self.paused)?;
        self.steps += 1;
        self.seek(Target::Before { ticks: shown.pts_ticks, secs: shown.time_secs })
    }
}

#[cfg(test)]
mod tests;
