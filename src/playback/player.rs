//! The player's state: frames wait in order until they are due, seeks merge, frames of an older seek are thrown away.
//!
//! `pace` decides which frame is due, `late` what becomes of those that come too late, `seek` where the decoder is sent.

mod late;
mod pace;
mod seek;

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Clock;
use super::cache::FrameCache;
use super::request::{Counts, Destination, Marks, PlayerOptions, SeekRequest};
use crate::media::{FrameIndex, Seek};
use crate::picture::Frame;

/// Timestamps are compared with this slack, in seconds, so that rounding in a file's time base delays no frame.
const SLACK_SECS: f64 = 1e-4;
/// How long nothing may come before the player says that it waits.
const BUFFERING_AFTER: Duration = Duration::from_millis(500);
/// The slowest and the fastest speed.
const SPEEDS: (f64, f64) = (1.0 / 16.0, 16.0);

/// The frame on screen.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Shown {
    pts_ticks: i64,
    time_secs: f64,
    end_secs: f64,
    index: Option<u64>,
}

/// What the decoder does after the newest frame that is here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tail {
    /// It delivers the frames that follow.
    Live,
    /// It is elsewhere, or at rest.
    Parked,
    /// It has been told to go on from the newest frame.
    Rejoining,
    /// There are no more frames.
    Ended,
}

/// A jump ahead because decoding cannot keep up with the clock.
#[derive(Debug, Clone, Copy, PartialEq)]
struct CatchUp {
    since: Instant,
    /// Whether its first frame is there.
    arrived: bool,
}

/// Frames that were left out between two frames whose numbers are not known.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Guess {
    from: Shown,
    to: Shown,
    frames: u64,
}

/// The player's state.
#[derive(Debug)]
pub struct Player {
    options: PlayerOptions,
    clock: Clock,
    paused: bool,
    cache: FrameCache,
    tail: Tail,
    serial: u64,
    shown: Option<Shown>,
    /// A frame that is here already and is to be shown next, whatever its time.
    pending: Option<Frame>,
    /// The seek under way, until its first frame is there; at the start, the opening of the file.
    awaited: Option<Destination>,
    /// When that seek was first waited for.
    awaited_since: Option<Instant>,
    /// What to seek next, once that frame has been shown.
    next_seek: Option<Destination>,
    /// Timestamp of the frame before which earlier ones are being fetched.
    fetching: Option<i64>,
    /// Timestamp of the frame before which there is none.
    first_ticks: Option<i64>,
    /// Timestamp of the frame before which none could be fetched.
    unfetchable: Option<i64>,
    /// Where the user is scrubbing to, in seconds.
    scrub: Option<f64>,
    /// Time for which the last quick picture was asked.
    scrubbed: Option<f64>,
    /// How far the last move of the scrub led, in seconds.
    scrub_step: f64,
    /// Seconds of frames that come with the scrub's seek under way.
    kept_secs: f64,
    /// Whether the last quick picture was far from where it was wanted, as in a long group of frames.
    is_far_off: bool,
    /// Whether the scrub was faster than frames can be fetched for it.
    is_too_slow: bool,
    /// Frames to step, forward if positive, once frames are there.
    steps: i64,
    ended: bool,
    marks: (Option<Shown>, Option<Shown>),
    catch_up: Option<CatchUp>,
    /// Time before which frames are left out, as the decoder was sent towards it in a hurry.
    sparse_until: Option<f64>,
    /// When a frame last went on screen while playing.
    shown_at: Option<Instant>,
    /// Whether the last frame came after a stall.
    has_stalled: bool,
    /// Frames counted as dropped by the frame rate alone.
    guesses: Vec<Guess>,
    /// How long a jump ahead takes, in seconds, from the last ones.
    catch_up_secs: f64,
    /// Since when a frame is needed and none is there.
    starved_since: Option<Instant>,
    counts: Counts,
    /// The list that tells the numbers of frames which the decoder did not count.
    index: Option<Arc<FrameIndex>>,
}

impl Player {
    /// A player that waits for the first frame of serial 0.
    #[must_use]
    pub fn new(options: PlayerOptions) -> Self {
        Self {
            options,
            clock: Clock::standing_at(0.0),
            paused: options.paused,
            cache: FrameCache::default(),
            tail: Tail::Live,
            serial: 0,
            shown: None,
            pending: None,
            awaited: Some(Destination::at(0.0)),
            awaited_since: None,
            next_seek: None,
            fetching: None,
            first_ticks: None,
            unfetchable: None,
            scrub: None,
            scrubbed: None,
            scrub_step: 0.0,
            kept_secs: 0.0,
            is_far_off: false,
            is_too_slow: false,
            steps: 0,
            ended: false,
            marks: (None, None),
            catch_up: None,
            sparse_until: None,
            shown_at: None,
            has_stalled: false,
            guesses: Vec::new(),
            catch_up_secs: 0.1,
            starved_since: None,
            counts: Counts::default(),
            index: None,
        }
    }

    /// Takes a decoded frame; one of an older seek is thrown away.
    pub fn push(&mut self, frame: Frame) {
        // Going on from the newest frame begins with that frame itself.
        let is_known = self.cache.last().is_some_and(|last| frame.pts_ticks <= last.pts_ticks);
        if frame.serial != self.serial || is_known {
            return;
        }
        self.tail = if self.awaits(|seek| matches!(seek, Seek::Near(_))) { Tail::Parked } else { Tail::Live };
        if self.sparse_until.is_some_and(|until| frame.time_secs < until) {
            self.cache.push_sparse(frame);
        } else {
            self.cache.push(frame);
        }
        let limit = self.limit_behind();
        self.cache.trim_behind(limit);
    }

    /// Takes the frames that come right before the one of that timestamp, without a gap, in presentation order.
    pub fn keep(&mut self, serial: u64, before_ticks: i64, mut frames: Vec<Frame>) {
        if serial != self.serial {
            return;
        }
        if self.awaits(|seek| matches!(seek, Seek::Back { .. })) {
            self.tail = if frames.is_empty() { Tail::Ended } else { Tail::Parked };
            self.cache.fill(frames);
            return;
        }
        let was_asked_for = self.fetching.take().is_some();
        if self.cache.first().is_none_or(|first| first.pts_ticks != before_ticks) {
            return;
        }
        if frames.is_empty() && was_asked_for {
            self.first_ticks = Some(before_ticks);
        }
        let room = self.options.cache_bytes.saturating_sub(self.cache.bytes());
        let mut bytes: usize = frames.iter().map(Frame::plane_bytes).sum();
        let surplus = frames
            .iter()
            .take_while(|frame| {
                bytes > room && {
                    bytes -= frame.plane_bytes();
                    true
                }
            })
            .count();
        frames.drain(..surplus);
        self.cache.prepend(frames);
    }

    /// Whether a seek of that kind is under way.
    fn awaits(&self, is_kind: impl FnOnce(Seek) -> bool) -> bool {
        self.awaited.is_some_and(|destination| is_kind(destination.seek))
    }

    /// Notes that the decoder has no more frames of this serial.
    pub fn end_of_stream(&mut self, serial: u64) {
        if serial != self.serial {
            return;
        }
        match self.fetching.take() {
            Some(before) => self.unfetchable = Some(before),
            None => self.tail = Tail::Ended,
        }
    }

    /// Whether more frames would be of use at `now`; otherwise one that is not yet due waits already.
    #[must_use]
    pub fn wants_frames(&self, now: Instant) -> bool {
        let time = self.clock.at(now) + SLACK_SECS;
        let is_late = || self.clock.is_running() && self.cache.last().is_some_and(|frame| frame.time_secs <= time);
        self.fetching.is_some() || self.tail != Tail::Ended && (self.cache.ahead() < 2 || is_late())
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

    /// Whether the user may go anywhere in the video, rather than only forwards.
    #[must_use]
    pub const fn is_seekable(&self) -> bool {
        self.options.seekable
    }

    /// Whether something that was asked for has yet to be shown: a seek, a step, or where a scrub has led.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        let is_scrub_behind = || self.fetching.is_some() && self.scrub.is_some_and(|secs| !self.has_frame_at(secs));
        self.awaited.is_some() || self.pending.is_some() || self.steps != 0 || is_scrub_behind()
    }

    /// Whether a frame has been needed for a while that does not come: a seek that takes long, or a stalled stream.
    #[must_use]
    pub fn is_buffering(&self, now: Instant) -> bool {
        self.starved_since.is_some_and(|since| now.saturating_duration_since(since) >= BUFFERING_AFTER)
    }

    /// Time of the frame on screen, in seconds from the start.
    #[must_use]
    pub fn position_secs(&self) -> f64 {
        self.shown.map_or(0.0, |shown| shown.time_secs)
    }

    /// Position of the frame on screen in presentation order, counted from zero, where it is known beyond doubt: counted by
    /// the decoder, or listed.
    #[must_use]
    pub fn frame_index(&self) -> Option<u64> {
        self.number_of(&self.shown?)
    }

    /// What that position comes to by the frame's time, where the file states that frames are evenly spaced. It may be wrong.
    #[must_use]
    pub fn estimated_index(&self) -> Option<u64> {
        let time_secs = self.shown?.time_secs;
        self.options.frame_rate.map(|rate| (time_secs * rate).round().max(0.0) as u64)
    }

    /// Takes the list of all frames' timestamps, or the news that there is none to go by any more.
    pub fn set_frame_index(&mut self, index: Option<Arc<FrameIndex>>) {
        self.index = index;
        if self.index.is_some() && !self.guesses.is_empty() {
            self.count_guessed();
        }
    }

    /// The number of a frame, if it is known.
    fn number_of(&self, shown: &Shown) -> Option<u64> {
        shown.index.or_else(|| self.index.as_ref()?.number_of(shown.pts_ticks))
    }

    /// Length of the video in seconds, as far as it is known.
    #[must_use]
    pub const fn duration_secs(&self) -> Option<f64> {
        self.options.duration_secs
    }

    /// What happened to the frames so far.
    #[must_use]
    pub const fn counts(&self) -> Counts {
        self.counts
    }

    /// How many seconds of the video pass in a second.
    #[must_use]
    pub const fn speed(&self) -> f64 {
        self.clock.rate()
    }

    /// Sets how many seconds of the video pass in a second, from a sixteenth to sixteen.
    pub fn set_speed(&mut self, speed: f64, now: Instant) {
        if !speed.is_nan() {
            self.clock.set_rate(speed.clamp(SPEEDS.0, SPEEDS.1), now);
        }
    }

    /// Whether the video starts again at its end.
    #[must_use]
    pub const fn is_looped(&self) -> bool {
        self.options.looped
    }

    /// Makes the video start again at its end, or not; says which.
    pub const fn toggle_loop(&mut self) -> bool {
        self.options.looped = !self.options.looped;
        self.options.looped
    }

    /// The ends of the part that is played again and again.
    #[must_use]
    pub fn marks(&self) -> Marks {
        let secs = |mark: Option<Shown>| mark.map(|shown| shown.time_secs);
        Marks { a: secs(self.marks.0), b: secs(self.marks.1) }
    }

    /// Marks the frame on screen as the first of a part, then as its last (the earlier one is the first in any case), then
    /// clears both. With both marks, playback goes from the last to the first without end.
    pub fn mark(&mut self, _now: Instant) -> Option<SeekRequest> {
        let shown = self.shown?;
        self.marks = match self.marks {
            (None, _) => (Some(shown), None),
            (Some(a), None) if shown.pts_ticks < a.pts_ticks => (Some(shown), Some(a)),
            (Some(a), None) => (Some(a), Some(shown)),
            (Some(_), Some(_)) => (None, None),
        };
        let is_over = self.ended && !self.paused && self.marks.1.is_some();
        if is_over { self.restart() } else { None }
    }

    /// Pauses or goes on; at the end, starts again.
    pub fn toggle_pause(&mut self, now: Instant) -> Option<SeekRequest> {
        if self.ended {
            self.paused = false;
            return self.restart();
        }
        self.paused = !self.paused;
        if self.paused {
            self.clock.stop(now);
            self.stop_hurrying();
        } else {
            self.steps = 0;
            self.resume(now);
        }
        None
    }

    /// Lets the clock run from the frame on screen.
    fn resume(&mut self, now: Instant) {
        if self.awaited.is_none() && self.scrub.is_none() {
            self.clock.set(self.position_secs(), now);
            self.clock.start(now);
        }
    }

    /// Notes that a frame goes on screen.
    fn show(&mut self, frame: Frame) -> Frame {
        let end_secs = frame.time_secs + frame.duration_secs.max(0.0);
        let Frame { pts_ticks, time_secs, index, .. } = frame;
        self.shown = Some(Shown { pts_ticks, time_secs, end_secs, index });
        if let Some(duration) = &mut self.options.duration_secs {
            // Headers round, or lie; what has been seen is certain.
            *duration = duration.max(end_secs);
        }
        self.ended = false;
        self.counts.shown += 1;
        self.counts.damaged += u64::from(frame.damaged);
        frame
    }

    /// Bytes that the frames behind the one on screen may take: all of the cache where a part is played again and again,
    /// or where the user looks around; a part of it while the video just plays.
    fn limit_behind(&self) -> usize {
        let is_just_playing = !self.paused && self.scrub.is_none() && self.marks.1.is_none();
        if is_just_playing { self.options.cache_bytes / 4 } else { self.options.cache_bytes }
    }
}

#[cfg(test)]
mod tests;
