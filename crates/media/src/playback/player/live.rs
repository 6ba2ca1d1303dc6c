//! Looking back in what is kept of a live source, and going on with the newest picture.
//!
//! The newest pictures lie in memory as they are shown. Older ones are decoded again from their packets, where those are kept:
//! then the supply is of the past, as of a file, until a seek to the end brings the newest frames back.
//!
//! Frames that were dropped on the way here leave no mark in it: whoever steps is told by the frames' numbers what is missing.

use super::Player;
use crate::SeekTarget;
use crate::playback::phase::Hands;
use crate::playback::request::{Destination, SeekRequest};

impl Player {
    /// Takes when the oldest and the newest frame of a live source begin that can be decoded again, in seconds from its first frame.
    pub const fn set_kept(&mut self, span_secs: Option<(f64, f64)>) {
        self.kept_packets = span_secs;
    }

    /// When the oldest and the newest frame of a live source begin that can be shown, in seconds from its first frame; `None` where
    /// none is kept, and of what is not live.
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

    /// Returns whether the frames that come are those that the sender sends now.
    pub(super) const fn is_on_air(&self) -> bool {
        self.options.live && self.supply.is_of_newest()
    }

    /// Returns whether the decoder can be sent to frames that have gone by.
    pub(super) const fn can_go_back(&self) -> bool {
        self.options.seekable || self.kept_packets.is_some()
    }

    /// Shows the frame of a time and holds it; from the newest one's time on, goes on with what comes.
    pub(super) fn look_back(&mut self, secs: f64) -> Option<SeekRequest> {
        let (oldest, newest) = self.kept_secs()?;
        if secs >= newest {
            return self.go_on_air();
        }
        self.hands = Hands::Paused { steps: 0 };
        let secs = secs.max(oldest);
        if self.can_go_back() {
            return self.seek(Destination::at(secs));
        }
        if let Some(position) = self.supply.position_at(secs, true) {
            self.jump(position);
        }
        None
    }

    /// Goes on with the newest frame and those that come.
    pub(super) fn go_on_air(&mut self) -> Option<SeekRequest> {
        self.hands = Hands::Playing;
        if self.is_on_air() && !self.supply.is_at_rest() {
            // What came meanwhile is past.
            if let Some(newest) = self.supply.cache.len().checked_sub(1) {
                self.jump(newest);
            }
            return None;
        }
        let newest = self.kept_secs().map_or(self.position_secs(), |(_, newest)| newest);
        Some(self.start(Destination::exact(SeekTarget::End, newest)))
    }
}
