//! Looking back in a live source, and returning to the newest picture.
//!
//! The newest pictures stay in memory after they were shown. Older ones are decoded again from their packets, if those
//! are stored: the supply then holds past frames, as for a file, until a seek to the end brings back the newest ones.
//!
//! Frames that were dropped before they arrived leave no mark in the supply: when stepping, the frames' numbers show
//! what is missing.

use std::time::Instant;

use super::Player;
use crate::SeekTarget;
use crate::playback::phase::Transport;
use crate::playback::request::{Destination, SeekRequest};

/// The most that the pictures of a live source are held back, in seconds.
const MOST_HELD_SECS: f64 = 2.0;
/// How far behind that they may be, in seconds.
const MOST_BEHIND_SECS: f64 = 0.5;

impl Player {
    /// Sets the start times of the oldest and newest frames of a live source that can be decoded again, in seconds from
    /// its first frame.
    pub const fn set_kept(&mut self, span_secs: Option<(f64, f64)>) {
        self.kept_packets = span_secs;
    }

    /// Returns the start times of the oldest and newest frames of a live source that can be shown, in seconds from its
    /// first frame; `None` if there are none, or if the source is not live.
    #[must_use]
    pub fn kept_secs(&self) -> Option<(f64, f64)> {
        if !self.options.live {
            return None;
        }
        let cache = &self.supply.cache;
        let pictures = cache.first().zip(cache.last()).map(|(oldest, newest)| (oldest.time_secs, newest.time_secs));
        match (pictures, self.kept_packets) {
            (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
            (one, other) => one.or(other),
        }
    }

    /// Shows the pictures of a live source this much later than before, so that their sound is heard with them.
    pub fn hold_back(&mut self, secs: f64, now: Instant) {
        let more = secs.min(MOST_HELD_SECS - self.held_secs);
        if self.is_at_live_edge() && more > 0.0 {
            self.held_secs += more;
            self.clock.set(self.clock.at(now) - more, now);
            log::debug!("the pictures are shown {:.0} ms later than they arrive", 1000.0 * self.held_secs);
        }
    }

    /// Shows the pictures of a live source as they arrive.
    pub const fn release(&mut self) {
        self.held_secs = 0.0;
    }

    /// Moves the clock on if the pictures of a live source that is held back arrive faster than they are shown.
    pub(super) fn keep_up(&mut self, now: Instant) {
        let Some(newest) = self.supply.cache.last().map(|frame| frame.time_secs) else { return };
        if newest - self.clock.at(now) > self.held_secs + MOST_BEHIND_SECS {
            self.clock.set(newest - self.held_secs, now);
        }
    }

    /// Returns `true` if the arriving frames are those that the sender is sending now.
    pub(super) const fn is_at_live_edge(&self) -> bool {
        self.options.live && self.supply.is_of_newest()
    }

    /// Returns `true` if the decoder can be sent to past frames.
    pub(super) const fn can_go_back(&self) -> bool {
        self.options.seekable || self.kept_packets.is_some()
    }

    /// Shows the frame at a time and holds it. From the newest frame's time on, continues with the arriving frames
    /// instead.
    pub(super) fn look_back(&mut self, secs: f64) -> Option<SeekRequest> {
        let (oldest, newest) = self.kept_secs()?;
        if secs >= newest {
            return self.go_to_live_edge();
        }
        self.transport = Transport::Paused { steps: 0 };
        let secs = secs.max(oldest);
        if self.can_go_back() {
            return self.seek(Destination::at(secs));
        }
        if let Some(position) = self.supply.position_at(secs, true) {
            self.jump(position);
        }
        None
    }

    /// Continues with the newest frame and those that arrive after it.
    pub(super) fn go_to_live_edge(&mut self) -> Option<SeekRequest> {
        self.transport = Transport::Playing;
        if self.is_at_live_edge() && !self.supply.is_at_rest() {
            // Frames that have arrived in the meantime are past.
            if let Some(newest) = self.supply.cache.len().checked_sub(1) {
                self.jump(newest);
            }
            return None;
        }
        let newest = self.kept_secs().map_or(self.position_secs(), |(_, newest)| newest);
        Some(self.start(Destination::exact(SeekTarget::End, newest)))
    }
}
