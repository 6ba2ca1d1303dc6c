//! The player: frames wait in order until they are due, seeks merge, and frames of an older seek are discarded.
//!
//! Two states describe it, each replaced as a whole: [`Phase`] is the state of the screen, and [`Transport`] is the
//! user's current action. A frame goes on screen only in [`tick`](Player::tick).
//!
//! ```text
//!            opening                 seek_to, settle, a scrub, a loop …: the frame is not cached
//!               │            ┌───────────────────────────────────────────────────────────────┐
//!               ▼            ▼                                                               │
//!           ┌─────────────────────┐  its first frame is shown, and no seek is pending     ┌────────┐
//!           │ Seeking             │ ────────────────────────────────────────────────────▶ │ Steady │◀─┐
//!           │ (and what is next)  │ ◀─┐ a seek requested meanwhile comes next,            └────────┘  │
//!           └─────────────────────┘ ──┘ after a quarter of a second at the latest          │  │  ▲    │
//!                │ no frame comes                             the frame is cached         │  │  │ it is shown
//!                ▼                       ┌─────────────────────────────────────────────────┘  │  │
//!           ┌─────────┐                  ▼                                                    │  │
//!           │ Ended   │ ◀─ its time ─ ┌──────────┐                                            │  │
//!           └─────────┘    is over    │ Arriving │ ───────────────────────────────────────────┼──┘
//!                ▲                    └──────────┘                                            │
//!                └────────────────────────────────────────────────────────────────────────────┘
//!
//!   Transport:  Playing ◀── toggle_pause ──▶ Paused { steps }        scrub_to ──▶ Scrubbing ── settle ──▶ as before
//! ```
//!
//! The [`FrameSupply`] tracks what the decoder is doing, which frames it leaves out because it is late, and which
//! frames are cached. `tick` decides which frame is due, `seek` where to send the decoder, and `scrubbing` what to show
//! on the way.

mod live;
mod scrubbing;
mod seek;
mod tick;

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Clock;
use super::late::Lateness;
use super::phase::{Phase, Seeking, Transport};
use super::request::{Destination, FramePlace, Marks, PlaybackCounts, PlayerOptions, SeekRequest};
use super::supply::FrameSupply;
use super::tally::{OnScreen, PlaybackTally};
use crate::FrameIndex;
use histoscope_core::picture::Frame;

/// Tolerance for comparing timestamps, in seconds, so that rounding in a file's time base delays no frame.
const SLACK_SECS: f64 = 1e-4;
/// Time without a needed frame after which the player reports that it is waiting.
const BUFFERING_AFTER: Duration = Duration::from_millis(500);
/// Time after which the goal of a seek in progress is reported.
const SLOW_SEEK: Duration = Duration::from_millis(300);
/// The slowest and the fastest speed, in media seconds per second.
const SPEEDS: (f64, f64) = (1.0 / 16.0, 16.0);

/// The marked frames.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Marked {
    /// No frame is marked.
    Nothing,
    /// The first frame of a part.
    First(OnScreen),
    /// The first and the last frame of a part, which is repeated.
    Part(OnScreen, OnScreen),
}

/// The state of playback: decides which frame to show, and where to send the decoder.
#[derive(Debug)]
pub struct Player {
    options: PlayerOptions,
    clock: Clock,
    phase: Phase,
    transport: Transport,
    supply: FrameSupply,
    shown: Option<OnScreen>,
    /// `true` if the clock started with the frame on screen, which has not been drawn yet.
    is_first_undrawn: bool,
    marked: Marked,
    lateness: Lateness,
    /// Time since which a needed frame has been missing.
    starved_since: Option<Instant>,
    tally: PlaybackTally,
    /// Start times of the oldest and newest frames of a live source that can be decoded again, in seconds.
    kept_packets: Option<(f64, f64)>,
    /// How much later than they arrive the pictures of a live source are shown, in seconds.
    held_secs: f64,
}

impl Player {
    /// Creates a player that waits for the first frame of serial 0.
    #[must_use]
    pub fn new(options: PlayerOptions) -> Self {
        Self {
            options,
            clock: Clock::standing_at(0.0),
            phase: Phase::Seeking(Seeking::new(Destination::at(0.0))),
            transport: if options.paused { Transport::Paused { steps: 0 } } else { Transport::Playing },
            supply: FrameSupply::new(options.cache_bytes),
            shown: None,
            is_first_undrawn: false,
            marked: Marked::Nothing,
            lateness: Lateness::default(),
            starved_since: None,
            tally: PlaybackTally::default(),
            kept_packets: None,
            held_secs: 0.0,
        }
    }

    /// Takes a decoded frame; discards one of an older seek.
    pub fn push(&mut self, frame: Frame) {
        // While the user looks back in a live source, the cached frames stay: playback will continue with the newest
        // frame anyway.
        let is_held = self.is_at_live_edge() && !matches!(self.transport, Transport::Playing);
        if is_held && self.supply.is_full() {
            if self.kept_packets.is_some() {
                // From here on, frames are decoded again when they are needed.
                self.supply.break_off();
            }
            return;
        }
        if self.supply.push(frame) {
            let limit = self.limit_behind();
            self.supply.cache.trim_behind(limit);
        }
    }

    /// Takes the frames right before the one with that timestamp, without a gap, in presentation order.
    pub fn keep(&mut self, serial: u64, before_ticks: i64, frames: Vec<Frame>) {
        self.supply.keep(serial, before_ticks, frames);
    }

    /// Records that the decoder has no more frames of this serial.
    pub fn end_of_stream(&mut self, serial: u64) {
        self.supply.end_of_stream(serial);
    }

    /// Returns `true` if more frames would be of use at `now`; otherwise, one that is not yet due is already waiting.
    #[must_use]
    pub fn wants_frames(&self, now: Instant) -> bool {
        if self.is_at_live_edge() {
            return true;
        }
        let time = self.clock.at(now) + SLACK_SECS;
        let newest = || self.supply.cache.last();
        let is_late = || self.clock.is_running() && newest().is_some_and(|frame| frame.time_secs <= time);
        let is_short = || self.supply.cache.ahead() < 2 || is_late();
        self.supply.is_fetching() || !self.supply.is_at_rest() && is_short()
    }

    /// Records that the frame on screen was drawn at `now`. If the clock started with that frame, it starts only now: a
    /// first draw, which prepares the graphics device, may take longer than many frames last.
    pub fn note_drawn(&mut self, now: Instant) {
        if std::mem::take(&mut self.is_first_undrawn) {
            self.clock.set(self.position_secs(), now);
        }
    }

    /// Returns the time whose sound should be heard at `now`, in seconds; `None` while the video stands, is being
    /// positioned, waits for frames, or runs at another speed.
    #[must_use]
    pub fn sounding_secs(&self, now: Instant) -> Option<f64> {
        let plays = matches!((&self.transport, &self.phase), (Transport::Playing, Phase::Steady));
        let is_steady = self.clock.is_running() && self.clock.rate() == 1.0 && !self.is_first_undrawn;
        (plays && is_steady && !self.is_buffering(now)).then(|| self.clock.at(now))
    }

    /// Moves the clock towards the time that is heard at `now`: small differences, which are those of two clocks, bit by
    /// bit.
    pub fn follow(&mut self, heard_secs: f64, now: Instant) {
        if self.is_at_live_edge() && self.held_secs == 0.0 {
            // The pictures are shown as they arrive.
            return;
        }
        /// A difference that is seen, in seconds.
        const SEEN: f64 = 0.015;
        /// The part of a smaller one that is made up for at once.
        const PART: f64 = 0.1;
        let time = self.clock.at(now);
        let apart = heard_secs - time;
        self.clock.set(time + if apart.abs() > SEEN { apart } else { PART * apart }, now);
    }

    /// Returns `true` if the user has paused.
    #[must_use]
    pub const fn is_paused(&self) -> bool {
        match &self.transport {
            Transport::Playing => false,
            Transport::Paused { .. } => true,
            Transport::Scrubbing(scrub) => scrub.then_paused,
        }
    }

    /// Returns `true` if a scrub has not settled yet.
    #[must_use]
    pub const fn is_scrubbing(&self) -> bool {
        matches!(self.transport, Transport::Scrubbing(_))
    }

    /// Returns `true` if the last frame has been on screen for its whole duration.
    #[must_use]
    pub const fn has_ended(&self) -> bool {
        matches!(self.phase, Phase::Ended)
    }

    /// Returns `true` if the picture on screen is the only one of the video.
    #[must_use]
    pub fn is_single(&self) -> bool {
        self.shown.is_some() && self.position_secs() <= 0.0 && self.supply.has_ended() && self.supply.cache.ahead() == 0
    }

    /// Returns `true` if the user may go anywhere in the video, rather than only forwards.
    #[must_use]
    pub const fn is_seekable(&self) -> bool {
        self.options.seekable
    }

    /// Returns `true` if a sender sets the pace.
    #[must_use]
    pub const fn is_live(&self) -> bool {
        self.options.live
    }

    /// Records that newer frames of a live source replaced others before they were taken.
    pub fn note_replaced(&mut self, frames: u64) {
        if matches!(self.transport, Transport::Playing) {
            self.tally.count_dropped(frames);
        }
    }

    /// Returns `true` if the picture on screen stays and no more frames are needed.
    #[must_use]
    pub const fn is_idle(&self) -> bool {
        matches!(self.transport, Transport::Paused { steps: 0 })
    }

    /// Returns `true` if something that was requested has yet to be shown: a seek, a step, or the target of a scrub.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        let is_on_its_way = matches!(self.phase, Phase::Seeking(_) | Phase::Arriving(_));
        let hands_wait = match &self.transport {
            Transport::Playing => false,
            Transport::Paused { steps } => *steps != 0,
            Transport::Scrubbing(scrub) => {
                self.supply.is_fetching() && self.supply.position_at(scrub.to_secs, true).is_none()
            }
        };
        is_on_its_way || hands_wait
    }

    /// Returns `true` if a needed frame has been missing for a while, because of a slow seek or a stalled stream.
    #[must_use]
    pub fn is_buffering(&self, now: Instant) -> bool {
        self.starved_since.is_some_and(|since| now.saturating_duration_since(since) >= BUFFERING_AFTER)
    }

    /// Returns the seconds of real time since the frame on screen was due; `None` while the clock is stopped.
    #[must_use]
    pub fn since_due_secs(&self, now: Instant) -> Option<f64> {
        let shown = self.shown.filter(|_| self.clock.is_running())?;
        Some(((self.clock.at(now) - shown.time_secs) / self.clock.rate()).max(0.0))
    }

    /// Returns the time of the frame on screen, in seconds from the start.
    #[must_use]
    pub fn position_secs(&self) -> f64 {
        self.shown.map_or(0.0, |shown| shown.time_secs)
    }

    /// Returns the names of the frame on screen.
    #[must_use]
    pub fn place(&self) -> FramePlace {
        self.shown.map_or_else(FramePlace::default, |shown| FramePlace {
            time_secs: shown.time_secs,
            number: self.tally.number_of(&shown),
            timecode: shown.timecode,
        })
    }

    /// Returns the [number](FramePlace::number) of the frame on screen.
    #[must_use]
    pub fn frame_index(&self) -> Option<u64> {
        self.place().number
    }

    /// Returns an estimate of that number from the frame's time, if the file states that frames are evenly spaced. It
    /// may be wrong.
    #[must_use]
    pub fn estimated_index(&self) -> Option<u64> {
        let time_secs = self.shown?.time_secs;
        self.options.frame_rate.map(|rate| (time_secs * rate).round().max(0.0) as u64)
    }

    /// Sets the list of all frames' timestamps; `None` if there is no reliable list, or no longer one.
    pub fn set_frame_index(&mut self, index: Option<Arc<FrameIndex>>) {
        self.tally.set_list(index);
    }

    /// Returns the duration of the video in seconds, as far as it is known.
    #[must_use]
    pub const fn duration_secs(&self) -> Option<f64> {
        self.options.duration_secs
    }

    /// Returns the counts of frames so far.
    #[must_use]
    pub const fn counts(&self) -> PlaybackCounts {
        self.tally.counts()
    }

    /// Returns the playback speed, in media seconds per second.
    #[must_use]
    pub const fn speed(&self) -> f64 {
        self.clock.rate()
    }

    /// Sets the playback speed, in media seconds per second, from a sixteenth to sixteen.
    pub fn set_speed(&mut self, speed: f64, now: Instant) {
        if !speed.is_nan() {
            self.clock.set_rate(speed.clamp(SPEEDS.0, SPEEDS.1), now);
        }
    }

    /// Returns `true` if the video starts again at its end.
    #[must_use]
    pub const fn is_looped(&self) -> bool {
        self.options.looped
    }

    /// Turns looping on or off. Returns whether it is now on.
    pub const fn toggle_loop(&mut self) -> bool {
        self.options.looped = !self.options.looped;
        self.options.looped
    }

    /// Returns the ends of the part that is repeated.
    #[must_use]
    pub const fn marks(&self) -> Marks {
        match self.marked {
            Marked::Nothing => Marks { a: None, b: None },
            Marked::First(a) => Marks { a: Some(a.time_secs), b: None },
            Marked::Part(a, b) => Marks { a: Some(a.time_secs), b: Some(b.time_secs) },
        }
    }

    /// Marks the frame on screen as the first of a part, then as its last, then clears both marks. The earlier frame
    /// becomes the first in any case. With both marks, playback repeats the part endlessly.
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

    /// Returns the first and the last frame of the part that is repeated.
    const fn part(&self) -> Option<(OnScreen, OnScreen)> {
        if let Marked::Part(first, last) = self.marked { Some((first, last)) } else { None }
    }

    /// Pauses or resumes; at the end, starts again.
    pub fn toggle_pause(&mut self, now: Instant) -> Option<SeekRequest> {
        if self.has_ended() && !self.options.live {
            self.transport = Transport::Playing;
            return self.restart();
        }
        match &mut self.transport {
            Transport::Playing => self.transport = Transport::Paused { steps: 0 },
            Transport::Paused { .. } => self.transport = Transport::Playing,
            Transport::Scrubbing(scrub) => scrub.then_paused = !scrub.then_paused,
        }
        if self.is_paused() {
            self.clock.stop(now);
            self.supply.leave_nothing_out();
            return None;
        }
        let request = if self.options.live && !self.is_scrubbing() { self.go_to_live_edge() } else { None };
        self.resume(now);
        request
    }

    /// Starts the clock from the frame on screen, if the video plays and no seek is in progress.
    fn resume(&mut self, now: Instant) {
        if matches!(self.transport, Transport::Playing) && !matches!(self.phase, Phase::Seeking(_)) {
            self.clock.set(self.position_secs(), now);
            self.clock.start(now);
        }
    }

    /// Returns the bytes that the frames behind the one on screen may take: the whole budget if a part is repeated or
    /// the user looks around, a quarter of it if the video just plays.
    const fn limit_behind(&self) -> usize {
        // Live frames cannot be fetched again.
        let is_just_playing =
            matches!(self.transport, Transport::Playing) && self.part().is_none() && !self.options.live;
        if is_just_playing { self.supply.budget / 4 } else { self.supply.budget }
    }
}

#[cfg(test)]
mod tests;
