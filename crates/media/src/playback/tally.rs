//! Frame numbers, and counts of what happened to the frames.

use std::sync::Arc;

use super::request::PlaybackCounts;
use crate::FrameIndex;
use histoscope_core::picture::{Frame, FrameFacts, Timecode};

/// Maximum number of estimates that are remembered, to be corrected when the frames' numbers become known.
const MAX_GUESSES: usize = 1 << 14;

/// A frame that is or was on screen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OnScreen {
    pub(super) pts_ticks: i64,
    pub(super) time_secs: f64,
    /// End of its presentation interval, in seconds from the start.
    pub(super) end_secs: f64,
    /// Its number, if the decoder has counted it.
    index: Option<u64>,
    /// Its timecode, if the decoder knows it.
    pub(super) timecode: Option<Timecode>,
}

impl OnScreen {
    pub(super) fn new(frame: &Frame) -> Self {
        let end_secs = frame.time_secs + frame.duration_secs.max(0.0);
        let FrameFacts { pts_ticks, time_secs, index, timecode, .. } = frame.facts;
        Self { pts_ticks, time_secs, end_secs, index, timecode }
    }
}

/// The number of frames left out between two frames whose numbers are unknown, estimated from the frame rate.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Guess {
    from: OnScreen,
    to: OnScreen,
    frames: u64,
}

/// Frame numbers and counts.
#[derive(Debug, Default)]
pub(super) struct PlaybackTally {
    counts: PlaybackCounts,
    /// The list that gives the numbers of frames that the decoder did not count.
    list: Option<Arc<FrameIndex>>,
    guesses: Vec<Guess>,
}

impl PlaybackTally {
    pub(super) const fn counts(&self) -> PlaybackCounts {
        self.counts
    }

    /// Sets the list of all frames' timestamps; `None` if there is no reliable list, or no longer one.
    pub(super) fn set_list(&mut self, list: Option<Arc<FrameIndex>>) {
        self.list = list;
        if self.list.is_none() || self.guesses.is_empty() {
            return;
        }
        for guess in std::mem::take(&mut self.guesses) {
            match self.numbers_between(&guess.from, &guess.to) {
                Some(frames) => self.counts.dropped = self.counts.dropped.saturating_sub(guess.frames) + frames,
                None => self.guesses.push(guess),
            }
        }
    }

    /// Returns the number of a frame, if it is known beyond doubt.
    pub(super) fn number_of(&self, frame: &OnScreen) -> Option<u64> {
        frame.index.or_else(|| self.list.as_ref()?.number_of(frame.pts_ticks))
    }

    /// Returns the timestamp of the frame with that number, if it is listed.
    pub(super) fn ticks_of(&self, number: u64) -> Option<i64> {
        self.list.as_ref()?.pts.get(usize::try_from(number).ok()?).copied()
    }

    /// Counts a frame that is shown.
    pub(super) fn count_shown(&mut self, frame: &Frame) {
        self.counts.shown += 1;
        self.counts.damaged += u64::from(frame.damaged);
    }

    /// Counts frames that were replaced by a later one.
    pub(super) const fn count_dropped(&mut self, frames: u64) {
        self.counts.dropped += frames;
    }

    /// Counts the frames that were left out between two others, estimated from the frame rate until their numbers are
    /// known.
    pub(super) fn count_left_out(&mut self, from: OnScreen, to: OnScreen, rate: Option<f64>) {
        let frames = self.numbers_between(&from, &to).unwrap_or_else(|| {
            let frame_secs = (from.end_secs - from.time_secs).max(1e-3);
            let rate = rate.unwrap_or(1.0 / frame_secs);
            let frames = (((to.time_secs - from.time_secs) * rate).round() as u64).saturating_sub(1);
            if self.guesses.len() < MAX_GUESSES {
                self.guesses.push(Guess { from, to, frames });
            }
            frames
        });
        self.counts.dropped += frames;
    }

    fn numbers_between(&self, from: &OnScreen, to: &OnScreen) -> Option<u64> {
        Some(self.number_of(to)?.saturating_sub(self.number_of(from)?).saturating_sub(1))
    }
}
