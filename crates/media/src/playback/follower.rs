//! A clip that follows another one: which of its frames belongs to the picture on screen there. It has no clock and no
//! user input: playing, pausing, stepping and seeking are done with the other clip, and this one follows.
//!
//! ```text
//!   follow(goal) ── the frame is cached ▶ it is shown
//!        │
//!        ├── a little ahead ────────────▶ the decoder continues, and the newest frame before it is shown until then
//!        ├── a little back ─────────────▶ the frames before the oldest are fetched
//!        └── elsewhere ─────────────────▶ a seek, and no other until its first frame has arrived
//! ```

use std::sync::Arc;

use super::drive::send;
use super::request::SeekRequest;
use super::supply::FrameSupply;
use super::tally::{OnScreen, PlaybackTally};
use crate::DecodeEvent;
use crate::DecodeThread;
use crate::FrameIndex;
use crate::MediaError;
use crate::Seek;
use crate::SeekTarget;
use histoscope_core::picture::Frame;

/// Longest distance to a goal that is decoded up to rather than sought, in seconds or frames.
const NEAR_SECS: f64 = 2.0;
const NEAR_FRAMES: u64 = 50;
/// Frames ahead of the one shown below which an idle decoder is told to continue.
const FEW_AHEAD: usize = 2;

/// The requested frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FollowGoal {
    /// The frame on screen at this time, in seconds from the first frame; below zero, there is none yet.
    Time(f64),
    /// The frame with this number, counting from zero; below zero, there is none.
    Number(i64),
}

/// Relation of the frame shown to the requested one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FollowState {
    /// It is the requested frame.
    InStep,
    /// It is the first frame: the clip begins later.
    NotBegun,
    /// It is the last frame: the clip has ended.
    Ended,
    /// The requested frame has yet to be decoded.
    #[default]
    Coming,
}

impl FollowGoal {
    /// Returns `true` if a failure at one goal is likely to occur at the other, too.
    fn is_near(self, other: Self) -> bool {
        match (self, other) {
            (Self::Time(one), Self::Time(two)) => (one - two).abs() <= NEAR_SECS,
            (Self::Number(one), Self::Number(two)) => one.abs_diff(two) <= NEAR_FRAMES,
            _ => false,
        }
    }
}

/// The result of following a goal.
#[derive(Debug, Default)]
pub struct Followed {
    /// A frame to show in place of the previous one.
    pub show: Option<Frame>,
    /// The state of the frame shown.
    pub state: FollowState,
    /// A request for the decoder.
    pub seek: Option<SeekRequest>,
}

/// The frames of a clip that follows another.
#[derive(Debug)]
pub struct Follower {
    supply: FrameSupply,
    tally: PlaybackTally,
    goal: FollowGoal,
    /// `true` if the first frame of a seek has yet to arrive.
    is_seeking: bool,
    /// Goal of a seek that has not led to its frame yet: repeating the seek would lead no further.
    sought: Option<FollowGoal>,
    /// Goal for which earlier frames were last fetched: if they did not reach back far enough, more would not fit.
    fetched: Option<FollowGoal>,
    /// Timestamp of the frame shown.
    shown: Option<i64>,
}

impl Follower {
    /// Creates a follower that waits for the first frame of serial 0 and caches frames of up to `budget` bytes.
    #[must_use]
    pub fn new(budget: usize) -> Self {
        Self {
            supply: FrameSupply::new(budget),
            tally: PlaybackTally::default(),
            goal: FollowGoal::Time(0.0),
            is_seeking: true,
            sought: None,
            fetched: None,
            shown: None,
        }
    }

    /// Takes a decoded frame; discards one of an older seek.
    pub fn push(&mut self, frame: Frame) {
        if self.supply.push(frame) {
            self.is_seeking = false;
            self.supply.cache.trim_behind(self.supply.budget / 2);
        }
    }

    /// Takes the frames right before the one with that timestamp.
    pub fn keep(&mut self, serial: u64, before_ticks: i64, frames: Vec<Frame>) {
        self.supply.keep(serial, before_ticks, frames);
    }

    /// Records that the decoder has no more frames of this serial.
    pub fn end_of_stream(&mut self, serial: u64) {
        if self.supply.is_of(serial) {
            self.is_seeking = false;
        }
        self.supply.end_of_stream(serial);
    }

    /// Repeats the last seek, as its frames may differ from those of decoding from the start.
    pub fn seek_again(&mut self, serial: u64, seek: Seek) -> Option<SeekRequest> {
        if !self.supply.is_of(serial) {
            return None;
        }
        (self.is_seeking, self.shown) = (true, None);
        Some(self.supply.restart(seek))
    }

    /// Sets the list of all frames' timestamps.
    pub fn set_frame_index(&mut self, index: Option<Arc<FrameIndex>>) {
        self.tally.set_list(index);
    }

    /// Returns `true` if more frames would be of use; otherwise, one that is not yet needed is already waiting.
    #[must_use]
    pub fn wants_frames(&self) -> bool {
        let (ahead, is_full) = (self.supply.cache.ahead(), self.supply.cache.bytes() >= self.supply.budget);
        // If it is unknown which frame is the requested one, the budget keeps frames from piling up.
        let is_short = || ahead < FEW_AHEAD || !is_full && self.position(self.goal).is_none();
        self.supply.is_fetching() || !self.supply.is_at_rest() && is_short()
    }

    /// Decides what to show for this goal.
    pub fn follow(&mut self, goal: FollowGoal) -> Followed {
        self.goal = goal;
        if self.is_seeking {
            return Followed::default();
        }
        let (within, has_begun) = match goal {
            FollowGoal::Time(secs) => (FollowGoal::Time(secs.max(0.0)), secs >= 0.0),
            FollowGoal::Number(number) => (FollowGoal::Number(number.max(0)), number >= 0),
        };
        let Some(position) = self.position(within) else { return self.reach(within) };
        (self.sought, self.fetched) = (None, None);
        let state = match has_begun {
            false => FollowState::NotBegun,
            true if self.is_over(within, position) => FollowState::Ended,
            true => FollowState::InStep,
        };
        let show = self.show(position);
        let is_low = self.supply.cache.ahead() < FEW_AHEAD;
        let seek = if is_low { self.supply.rejoin() } else { None };
        Followed { show, state, seek }
    }

    /// Shows the frame at a position, unless it is already shown.
    fn show(&mut self, position: usize) -> Option<Frame> {
        let ticks = self.supply.cache.ticks_at(position)?;
        let is_new = self.shown.replace(ticks) != Some(ticks);
        let frame = self.supply.show(position);
        frame.filter(|_| is_new)
    }

    /// Returns the position of the requested frame, if it is cached; that of the last frame, if the goal is beyond the
    /// end.
    fn position(&self, goal: FollowGoal) -> Option<usize> {
        let number = match goal {
            FollowGoal::Time(secs) => return self.supply.position_at(secs.max(0.0), false),
            FollowGoal::Number(number) => u64::try_from(number).unwrap_or(0),
        };
        let listed = self.supply.position_of(number, self.tally.ticks_of(number));
        listed.or_else(|| {
            let last = self.supply.position_of_end()?;
            self.number_at(last).is_some_and(|end| end < number).then_some(last)
        })
    }

    /// Returns the number of the frame at a position, if it is known.
    fn number_at(&self, position: usize) -> Option<u64> {
        self.tally.number_of(&OnScreen::new(self.supply.cache.frame_at(position)?))
    }

    /// Returns `true` if that position is the last frame's and the goal is after it.
    fn is_over(&self, goal: FollowGoal, position: usize) -> bool {
        let Some(frame) = self.supply.cache.frame_at(position) else { return false };
        if self.supply.position_of_end() != Some(position) {
            return false;
        }
        match goal {
            FollowGoal::Time(secs) => secs >= OnScreen::new(frame).end_secs,
            FollowGoal::Number(number) => {
                self.number_at(position).is_some_and(|last| last < u64::try_from(number).unwrap_or(0))
            }
        }
    }

    /// Takes steps to obtain a requested frame that is not cached.
    fn reach(&mut self, goal: FollowGoal) -> Followed {
        match self.locate(goal) {
            Location::Ahead => {
                // The picture moves on until the frame arrives. If frames were being fetched, the decoder must continue
                // first.
                let newest = self.supply.cache.len().checked_sub(1);
                let show = newest.and_then(|position| self.show(position));
                Followed { show, seek: self.supply.rejoin(), ..Followed::default() }
            }
            Location::Back if self.supply.is_fetching() => Followed::default(),
            Location::Back if self.sought == Some(goal) => Followed::default(),
            Location::Back if self.supply.can_fetch() && self.fetched != Some(goal) => {
                self.fetched = Some(goal);
                Followed { seek: self.supply.fetch_earlier(), ..Followed::default() }
            }
            Location::Back | Location::Elsewhere => {
                let target = match goal {
                    FollowGoal::Time(secs) => SeekTarget::Time(secs),
                    FollowGoal::Number(number) => SeekTarget::Number(u64::try_from(number).unwrap_or(0)),
                };
                // If seeks take so long that the other clip moves on, the picture still moves, showing what they lead
                // to.
                let is_unseen = self.supply.cache.shown().is_none();
                let newest = self.supply.cache.len().checked_sub(1).filter(|_| is_unseen);
                let show = newest.and_then(|position| self.show(position));
                self.is_seeking = true;
                self.sought = Some(goal);
                Followed { show, seek: Some(self.supply.restart(Seek::Exact(target))), ..Followed::default() }
            }
            Location::Nowhere => Followed::default(),
        }
    }

    /// Returns the location of a requested frame that is not cached.
    fn locate(&self, goal: FollowGoal) -> Location {
        let cache = &self.supply.cache;
        let Some(last) = cache.len().checked_sub(1) else {
            // A failed seek is repeated once the other clip is elsewhere.
            let has_failed = self.supply.has_ended() && self.sought.is_none_or(|sought| sought.is_near(goal));
            return if has_failed { Location::Nowhere } else { Location::Elsewhere };
        };
        let (from_first, from_last, near) = match goal {
            FollowGoal::Time(secs) => {
                let way = |position| cache.frame_at(position).map(|frame| secs - frame.time_secs);
                // Pictures with a long duration are far apart.
                let longest = cache.frame_at(last).map_or(0.0, |frame| 3.0 * frame.duration_secs);
                (way(0), way(last), NEAR_SECS.max(longest))
            }
            FollowGoal::Number(number) => {
                let way = |position| self.number_at(position).map(|at| number as f64 - at as f64);
                (way(0), way(last), NEAR_FRAMES as f64)
            }
        };
        match (from_first, from_last) {
            (_, Some(way)) if way >= 0.0 && self.supply.has_ended() => Location::Nowhere,
            (_, Some(way)) if (0.0..=near).contains(&way) => Location::Ahead,
            (Some(way), _) if (-near..0.0).contains(&way) => Location::Back,
            _ if self.sought == Some(goal) => Location::Nowhere,
            _ => Location::Elsewhere,
        }
    }
}

/// The location of a frame relative to the cached ones.
enum Location {
    /// A little after the newest one.
    Ahead,
    /// A little before the oldest one.
    Back,
    /// Anywhere else.
    Elsewhere,
    /// Unknown, and no more frames will arrive.
    Nowhere,
}

/// Passes decoded frames to a follower while it has use for them. Errors are reported to `on_error`. Returns `true` if
/// the end of the clip was among the events.
pub fn take_followed(follower: &mut Follower, media: &DecodeThread, mut on_error: impl FnMut(MediaError)) -> bool {
    let mut ended = false;
    while follower.wants_frames() {
        match media.try_recv() {
            Some(DecodeEvent::Frame(frame)) => follower.push(frame),
            Some(DecodeEvent::Earlier { serial, before_ticks, frames }) => follower.keep(serial, before_ticks, frames),
            Some(DecodeEvent::EndOfStream { serial }) => {
                follower.end_of_stream(serial);
                ended = true;
            }
            Some(DecodeEvent::Error { serial, error }) => {
                follower.end_of_stream(serial);
                on_error(error);
            }
            // A follower asks for no other decoder, and is never live.
            Some(DecodeEvent::NoSignal(_) | DecodeEvent::Opened(_) | DecodeEvent::Switched(_)) => {}
            None => break,
        }
    }
    if let Some((serial, seek)) = media.take_mistake() {
        send(media, follower.seek_again(serial, seek));
    }
    follower.set_frame_index(media.frame_index());
    ended
}
