//! A clip that follows another one: which of its frames belongs to what is on screen there. It has no clock and no hands; whoever plays,
//! pauses, steps and seeks does so with the other one, and this goes after it.
//!
//! ```text
//!   follow(goal) ── the frame is here ──▶ it is shown
//!        │
//!        ├── a little ahead ────────────▶ the decoder goes on; the newest frame before it is shown meanwhile
//!        ├── a little back ─────────────▶ the frames before the oldest are fetched
//!        └── elsewhere ─────────────────▶ a seek; no other before its first frame has come
//! ```

use std::sync::Arc;

use super::drive::send;
use super::request::SeekRequest;
use super::supply::FrameSupply;
use super::tally::{OnScreen, PlaybackTally};
use crate::{DecodeEvent, DecodeThread, FrameIndex, MediaError, Seek, SeekTarget};
use histoscope_core::picture::Frame;

/// How far ahead, in seconds or frames, a goal is decoded up to rather than sought.
const NEAR_SECS: f64 = 2.0;
const NEAR_FRAMES: u64 = 50;
/// Frames ahead of the one that is shown below which a decoder at rest is sent on.
const FEW_AHEAD: usize = 2;

/// Which frame is wanted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FollowGoal {
    /// The one that is on screen at this time, in seconds from the first frame; below zero there is none yet.
    Time(f64),
    /// The one of this number, counted from zero; below zero there is none.
    Number(i64),
}

/// Where the frame that is shown is to the one that is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FollowState {
    /// It is the one.
    InStep,
    /// It is the first one: the clip begins later.
    NotBegun,
    /// It is the last one: the clip is over.
    Ended,
    /// The one that is wanted has yet to be decoded.
    #[default]
    Coming,
}

impl FollowGoal {
    /// Returns whether what is wrong at the one is likely to be wrong at the other.
    fn is_near(self, other: Self) -> bool {
        match (self, other) {
            (Self::Time(one), Self::Time(two)) => (one - two).abs() <= NEAR_SECS,
            (Self::Number(one), Self::Number(two)) => one.abs_diff(two) <= NEAR_FRAMES,
            _ => false,
        }
    }
}

/// What has become of a goal.
#[derive(Debug, Default)]
pub struct Followed {
    /// A frame to show in the place of the one before.
    pub show: Option<Frame>,
    /// What is shown.
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
    /// True if the first frame of a seek has yet to come.
    is_seeking: bool,
    /// Where a seek has led whose frame is not there yet: to seek the same again would lead no further.
    sought: Option<FollowGoal>,
    /// For which goal earlier frames were fetched last: where they did not reach back so far, more would not stay here.
    fetched: Option<FollowGoal>,
    /// Timestamp of the frame that is shown.
    shown: Option<i64>,
}

impl Follower {
    /// Waits for the first frame of serial 0; keeps frames of so many bytes.
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

    /// Takes a decoded frame; one of an older seek is thrown away.
    pub fn push(&mut self, frame: Frame) {
        if self.supply.push(frame) {
            self.is_seeking = false;
            self.supply.cache.trim_behind(self.supply.budget / 2);
        }
    }

    /// Takes the frames that come right before the one of that timestamp.
    pub fn keep(&mut self, serial: u64, before_ticks: i64, frames: Vec<Frame>) {
        self.supply.keep(serial, before_ticks, frames);
    }

    /// Notes that the decoder has no more frames of this serial.
    pub fn end_of_stream(&mut self, serial: u64) {
        if self.supply.is_of(serial) {
            self.is_seeking = false;
        }
        self.supply.end_of_stream(serial);
    }

    /// Does the last seek once more, as its frames may be others than decoding from the start gives.
    pub fn seek_again(&mut self, serial: u64, seek: Seek) -> Option<SeekRequest> {
        if !self.supply.is_of(serial) {
            return None;
        }
        (self.is_seeking, self.shown) = (true, None);
        Some(self.supply.restart(seek))
    }

    /// Takes the list of all frames' timestamps.
    pub fn set_frame_index(&mut self, index: Option<Arc<FrameIndex>>) {
        self.tally.set_list(index);
    }

    /// Returns whether more frames would be of use; otherwise one that is not yet wanted waits already.
    #[must_use]
    pub fn wants_frames(&self) -> bool {
        let (ahead, is_full) = (self.supply.cache.ahead(), self.supply.cache.bytes() >= self.supply.budget);
        // Where nobody knows which frame is the one, they do not pile up.
        let is_short = || ahead < FEW_AHEAD || !is_full && self.position(self.goal).is_none();
        self.supply.is_fetching() || !self.supply.is_at_rest() && is_short()
    }

    /// Decides what is shown where this frame is wanted.
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

    /// Shows the frame at a position, unless it is.
    fn show(&mut self, position: usize) -> Option<Frame> {
        let ticks = self.supply.cache.ticks_at(position)?;
        let is_new = self.shown.replace(ticks) != Some(ticks);
        let frame = self.supply.show(position);
        frame.filter(|_| is_new)
    }

    /// Where among these frames the one that is wanted is, if it is; the last of all for one behind the end.
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

    /// The number of the frame at a position, where it is known.
    fn number_at(&self, position: usize) -> Option<u64> {
        self.tally.number_of(&OnScreen::new(self.supply.cache.frame_at(position)?))
    }

    /// Returns whether the last frame's time is over.
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

    /// Has the frame come that is wanted and not here.
    fn reach(&mut self, goal: FollowGoal) -> Followed {
        match self.way_to(goal) {
            Way::Ahead => {
                // The picture moves on while the frame comes; where frames were fetched, the decoder has to go on first.
                let newest = self.supply.cache.len().checked_sub(1);
                let show = newest.and_then(|position| self.show(position));
                Followed { show, seek: self.supply.rejoin(), ..Followed::default() }
            }
            Way::Back if self.supply.is_fetching() => Followed::default(),
            Way::Back if self.sought == Some(goal) => Followed::default(),
            Way::Back if self.supply.can_fetch() && self.fetched != Some(goal) => {
                self.fetched = Some(goal);
                Followed { seek: self.supply.fetch_earlier(), ..Followed::default() }
            }
            Way::Back | Way::Elsewhere => {
                let target = match goal {
                    FollowGoal::Time(secs) => SeekTarget::Time(secs),
                    FollowGoal::Number(number) => SeekTarget::Number(u64::try_from(number).unwrap_or(0)),
                };
                // Where seeks take longer than the other clip moves on meanwhile, the picture moves too, with what they lead to.
                let is_unseen = self.supply.cache.shown().is_none();
                let newest = self.supply.cache.len().checked_sub(1).filter(|_| is_unseen);
                let show = newest.and_then(|position| self.show(position));
                self.is_seeking = true;
                self.sought = Some(goal);
                Followed { show, seek: Some(self.supply.restart(Seek::Exact(target))), ..Followed::default() }
            }
            Way::Nowhere => Followed::default(),
        }
    }

    /// Where the frame is that is wanted and not here.
    fn way_to(&self, goal: FollowGoal) -> Way {
        let cache = &self.supply.cache;
        let Some(last) = cache.len().checked_sub(1) else {
            // A seek that failed is made again where the other clip is elsewhere by now.
            let has_failed = self.supply.has_ended() && self.sought.is_none_or(|sought| sought.is_near(goal));
            return if has_failed { Way::Nowhere } else { Way::Elsewhere };
        };
        let (from_first, from_last, near) = match goal {
            FollowGoal::Time(secs) => {
                let way = |position| cache.frame_at(position).map(|frame| secs - frame.time_secs);
                // Pictures that stand for long come at long intervals.
                let longest = cache.frame_at(last).map_or(0.0, |frame| 3.0 * frame.duration_secs);
                (way(0), way(last), NEAR_SECS.max(longest))
            }
            FollowGoal::Number(number) => {
                let way = |position| self.number_at(position).map(|at| number as f64 - at as f64);
                (way(0), way(last), NEAR_FRAMES as f64)
            }
        };
        match (from_first, from_last) {
            (_, Some(way)) if way >= 0.0 && self.supply.has_ended() => Way::Nowhere,
            (_, Some(way)) if (0.0..=near).contains(&way) => Way::Ahead,
            (Some(way), _) if (-near..0.0).contains(&way) => Way::Back,
            _ if self.sought == Some(goal) => Way::Nowhere,
            _ => Way::Elsewhere,
        }
    }
}

/// Where a frame is.
enum Way {
    /// A little behind the newest that is here.
    Ahead,
    /// A little before the oldest.
    Back,
    /// Elsewhere.
    Elsewhere,
    /// Nobody can say, and nothing more comes.
    Nowhere,
}

/// Hands a follower the decoded frames that it has use for. `on_error` is told what went wrong meanwhile; returns whether the end of the
/// clip was among the events.
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
            // Only what is live has these.
            Some(DecodeEvent::NoSignal(_) | DecodeEvent::Opened(_)) => {}
            None => break,
        }
    }
    if let Some((serial, seek)) = media.take_mistake() {
        send(media, follower.seek_again(serial, seek));
    }
    follower.set_frame_index(media.frame_index());
    ended
}
