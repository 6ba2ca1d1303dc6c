//! The player: frames wait in order until they are due, seeks merge, frames of an older seek are thrown away.
//!
//! Two states say what it is about, each replaced whole: the [`Phase`], which is what is on its way to the screen, and the
//! [`Hands`], which are what the user does. A frame goes on screen only in [`tick`](Player::tick).
//!
//! ```text
//!            opening                 seek_to, settle, a scrub, a loop …: the frame is not here
//!               │            ┌───────────────────────────────────────────────────────────────┐
//!               ▼            ▼                                                               │
//!           ┌─────────────────────┐  its first frame is shown, and no other is asked for  ┌────────┐
//!           │ Seeking             │ ────────────────────────────────────────────────────▶ │ Steady │◀─┐
//!           │ (and what is next)  │ ◀─┐ what was asked for meanwhile comes next,          └────────┘  │
//!           └─────────────────────┘ ──┘ at the latest after a quarter of a second          │  │  ▲    │
//!                │ no frame comes                             the frame is here           │  │  │ it is shown
//!                ▼                       ┌─────────────────────────────────────────────────┘  │  │
//!           ┌─────────┐                  ▼                                                    │  │
//!           │ Ended   │ ◀─ its time ─ ┌──────────┐                                            │  │
//!           └─────────┘    is over    │ Arriving │ ───────────────────────────────────────────┼──┘
//!                ▲                    └──────────┘                                            │
//!                └────────────────────────────────────────────────────────────────────────────┘
//!
//!   Hands:  Playing ◀── toggle_pause ──▶ Paused { steps }        scrub_to ──▶ Scrubbing ── settle ──▶ as before
//! ```
//!
//! What the decoder is doing meanwhile, which frames it leaves out because it is late, and which frames are kept, is the
//! [`FrameSupply`]'s business. `tick` decides which frame is due, `seek` where the decoder is sent, `scrubbing` what is shown on the way.

mod live;
mod scrubbing;
mod seek;
mod tick;

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Clock;
use super::late::Lateness;
use super::phase::{Hands, Phase, Seeking};
use super::request::{Destination, Marks, PlaybackCounts, PlayerOptions, SeekRequest};
use super::supply::FrameSupply;
use super::tally::{OnScreen, PlaybackTally};
use crate::FrameIndex;
use histoscope_core::picture::Frame;

/// Timestamps are compared with this slack, in seconds, so that rounding in a file's time base delays no frame.
const SLACK_SECS: f64 = 1e-4;
/// How long nothing may come before the player says that it waits.
const BUFFERING_AFTER: Duration = Duration::from_millis(500);
/// How long a seek may take before where it leads is told.
const SLOW_SEEK: Duration = Duration::from_millis(300);
/// The slowest and the fastest speed.
const SPEEDS: (f64, f64) = (1.0 / 16.0, 16.0);

/// The frames that were marked.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Marked {
    /// None.
    Nothing,
    /// The first frame of a part.
    First(OnScreen),
    /// A part's first frame and its last, which is played again and again.
    Part(OnScreen, OnScreen),
}

/// The player's state.
#[derive(Debug)]
pub struct Player {
    options: PlayerOptions,
    clock: Clock,
    phase: Phase,
    hands: Hands,
    supply: FrameSupply,
    shown: Option<OnScreen>,
    marked: Marked,
    lateness: Lateness,
    /// Since when a frame is needed and none is there.
    starved_since: Option<Instant>,
    tally: PlaybackTally,
    /// When the oldest and the newest frame of a live source begin that can be decoded again, in seconds.
    kept_packets: Option<(f64, f64)>,
}

impl Player {
    /// A player that waits for the first frame of serial 0.
    #[must_use]
    pub fn new(options: PlayerOptions) -> Self {
        Self {
            options,
            clock: Clock::standing_at(0.0),
            phase: Phase::Seeking(Seeking::new(Destination::at(0.0))),
            hands: if options.paused { Hands::Paused { steps: 0 } } else { Hands::Playing },
            supply: FrameSupply::new(options.cache_bytes),
            shown: None,
            marked: Marked::Nothing,
            lateness: Lateness::default(),
            starved_since: None,
            tally: PlaybackTally::default(),
            kept_packets: None,
        }
    }

    /// Takes a decoded frame; one of an older seek is thrown away.
    pub fn push(&mut self, frame: Frame) {
        // Whoever looks around in what is kept of a live source keeps it; playing goes on with the newest frame anyway.
        let is_held = self.is_on_air() && !matches!(self.hands, Hands::Playing);
        if is_held && self.supply.is_full() {
            if self.kept_packets.is_some() {
                // From here on they are decoded again when they are wanted.
                self.supply.break_off();
            }
            return;
        }
        if self.supply.push(frame) {
            let limit = self.limit_behind();
            self.supply.cache.trim_behind(limit);
        }
    }

    /// Takes the frames that come right before the one of that timestamp, without a gap, in presentation order.
    pub fn keep(&mut self, serial: u64, before_ticks: i64, frames: Vec<Frame>) {
        self.supply.keep(serial, before_ticks, frames);
    }

    /// Notes that the decoder has no more frames of this serial.
    pub fn end_of_stream(&mut self, serial: u64) {
        self.supply.end_of_stream(serial);
    }

    /// Returns whether more frames would be of use at `now`; otherwise one that is not yet due waits already.
    #[must_use]
    pub fn wants_frames(&self, now: Instant) -> bool {
        if self.is_on_air() {
            return true;
        }
        let time = self.clock.at(now) + SLACK_SECS;
        let newest = || self.supply.cache.last();
        let is_late = || self.clock.is_running() && newest().is_some_and(|frame| frame.time_secs <= time);
        let is_short = || self.supply.cache.ahead() < 2 || is_late();
        self.supply.is_fetching() || !self.supply.is_at_rest() && is_short()
    }

    /// Returns whether the user has paused.
    #[must_use]
    pub const fn is_paused(&self) -> bool {
        match &self.hands {
            Hands::Playing => false,
            Hands::Paused { .. } => true,
            Hands::Scrubbing(scrub) => scrub.then_paused,
        }
    }

    /// Returns whether a scrub has not settled yet.
    #[must_use]
    pub const fn is_scrubbing(&self) -> bool {
        matches!(self.hands, Hands::Scrubbing(_))
    }

    /// Returns whether the last frame has been on screen for its whole duration.
    #[must_use]
    pub const fn has_ended(&self) -> bool {
        matches!(self.phase, Phase::Ended)
    }

    /// Returns whether all there is is the picture on screen: nothing comes before or after it.
    #[must_use]
    pub fn is_single(&self) -> bool {
        self.shown.is_some() && self.position_secs() <= 0.0 && self.supply.has_ended() && self.supply.cache.ahead() == 0
    }

    /// Returns whether the user may go anywhere in the video, rather than only forwards.
    #[must_use]
    pub const fn is_seekable(&self) -> bool {
        self.options.seekable
    }

    /// Returns whether a sender gives the pace.
    #[must_use]
    pub const fn is_live(&self) -> bool {
        self.options.live
    }

    /// Notes that frames of a live source were replaced by newer ones before they came here.
    pub fn note_replaced(&mut self, frames: u64) {
        if matches!(self.hands, Hands::Playing) {
            self.tally.count_dropped(frames);
        }
    }

    /// Returns whether a picture stands and nobody waits for the frames that follow.
    #[must_use]
    pub const fn is_idle(&self) -> bool {
        matches!(self.hands, Hands::Paused { steps: 0 })
    }

    /// Returns whether something that was asked for has yet to be shown: a seek, a step, or where a scrub has led.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        let is_on_its_way = matches!(self.phase, Phase::Seeking(_) | Phase::Arriving(_));
        let hands_wait = match &self.hands {
            Hands::Playing => false,
            Hands::Paused { steps } => *steps != 0,
            Hands::Scrubbing(scrub) => {
                self.supply.is_fetching() && self.supply.position_at(scrub.to_secs, true).is_none()
            }
        };
        is_on_its_way || hands_wait
    }

    /// Returns whether a frame has been needed for a while that does not come: a seek that takes long, or a stalled stream.
    #[must_use]
    pub fn is_buffering(&self, now: Instant) -> bool {
        self.starved_since.is_some_and(|since| now.saturating_duration_since(since) >= BUFFERING_AFTER)
    }

    /// Seconds of the user's time since the frame on screen was due; `None` while the clock stands.
    #[must_use]
    pub fn since_due_secs(&self, now: Instant) -> Option<f64> {
        let shown = self.shown.filter(|_| self.clock.is_running())?;
        Some(((self.clock.at(now) - shown.time_secs) / self.clock.rate()).max(0.0))
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
        self.tally.number_of(&self.shown?)
    }

    /// What that position comes to by the frame's time, where the file states that frames are evenly spaced. It may be wrong.
    #[must_use]
    pub fn estimated_index(&self) -> Option<u64> {
        let time_secs = self.shown?.time_secs;
        self.options.frame_rate.map(|rate| (time_secs * rate).round().max(0.0) as u64)
    }

    /// Takes the list of all frames' timestamps, or the news that there is none to go by any more.
    pub fn set_frame_index(&mut self, index: Option<Arc<FrameIndex>>) {
        self.tally.set_list(index);
    }

    /// Length of the video in seconds, as far as it is known.
    #[must_use]
    pub const fn duration_secs(&self) -> Option<f64> {
        self.options.duration_secs
    }

    /// What happened to the frames so far.
    #[must_use]
    pub const fn counts(&self) -> PlaybackCounts {
        self.tally.counts()
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

    /// Returns whether the video starts again at its end.
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
    pub const fn marks(&self) -> Marks {
        match self.marked {
            Marked::Nothing => Marks { a: None, b: None },
            Marked::First(a) => Marks { a: Some(a.time_secs), b: None },
            Marked::Part(a, b) => Marks { a: Some(a.time_secs), b: Some(b.time_secs) },
        }
    }

    /// Marks the frame on screen as the first of a part, then as its last (the earlier one is the first in any case), then
    /// clears both. With both marks, playback goes from the last to the first without end.
    pub fn mark(&mut self) -> Option<SeekRequest> {
        let shown = self.shown?;
        self.marked = match self.marked {
            Marked::Nothing => Marked::First(shown),
            Marked::First(a) if shown.pts_ticks < a.pts_ticks => Marked::Part(shown, a),
            Marked::First(a) => Marked::Part(a, shown),
            Marked::Part(..) => Marked::Nothing,
        };
        let is_over = self.has_ended() && !self.is_paused() && self.part().is_some();
        if is_over { self.restart() } else { None }
    }

    /// The first and the last frame of the part that is played again and again.
    const fn part(&self) -> Option<(OnScreen, OnScreen)> {
        if let Marked::Part(first, last) = self.marked { Some((first, last)) } else { None }
    }

    /// Pauses or goes on; at the end, starts again.
    pub fn toggle_pause(&mut self, now: Instant) -> Option<SeekRequest> {
        if self.has_ended() && !self.options.live {
            self.hands = Hands::Playing;
            return self.restart();
        }
        match &mut self.hands {
            Hands::Playing => self.hands = Hands::Paused { steps: 0 },
            Hands::Paused { .. } => self.hands = Hands::Playing,
            Hands::Scrubbing(scrub) => scrub.then_paused = !scrub.then_paused,
        }
        if self.is_paused() {
            self.clock.stop(now);
            self.supply.leave_nothing_out();
            return None;
        }
        let request = if self.options.live && !self.is_scrubbing() { self.go_on_air() } else { None };
        self.resume(now);
        request
    }

    /// Lets the clock run from the frame on screen, if that is what is next.
    fn resume(&mut self, now: Instant) {
        if matches!(self.hands, Hands::Playing) && !matches!(self.phase, Phase::Seeking(_)) {
            self.clock.set(self.position_secs(), now);
            self.clock.start(now);
        }
    }

    /// Bytes that the frames behind the one on screen may take: all of the cache where a part is played again and again,
    /// or where the user looks around; a part of it while the video just plays.
    const fn limit_behind(&self) -> usize {
        // What is live cannot be fetched again.
        let is_just_playing = matches!(self.hands, Hands::Playing) && self.part().is_none() && !self.options.live;
        if is_just_playing { self.supply.budget / 4 } else { self.supply.budget }
    }
}

#[cfg(test)]
mod tests;
