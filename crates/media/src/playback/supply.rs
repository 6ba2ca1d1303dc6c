//! The cached frames, and what the decoder is doing to deliver the others.
//!
//! The decoder is at a different time than the picture on screen. Its work is a single state, which each request
//! replaces as a whole; only frames that fit the state are taken:
//!
//! ```text
//!   restart(exact) ─▶ Onward ◀── the newest frame, once more ── Rejoining ◀── rejoin()
//!                       │ │                                        ▲
//!                       │ └── no more frames ─▶ Ended              │
//!   restart(near) ──▶ Near ── its one frame ──────▶ Resting ───────┘
//!   restart(back) ──▶ Back ── its frames ─────────▶ Resting
//!   fetch_earlier() ▶ Earlier ── the frames ──────▶ Resting ◀── leave_nothing_out(), from any state
//! ```

use std::time::{Duration, Instant};

use super::cache::FrameCache;
use super::request::SeekRequest;
use crate::Seek;
use crate::SeekTarget;
use histoscope_core::picture::Frame;

/// The state of the decoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decoding {
    /// It delivers the frames that follow the newest cached one.
    Onward,
    /// It was told to continue from the newest cached frame, which arrives once more before those that follow.
    Rejoining,
    /// It looks for one frame near a time, then rests.
    Near,
    /// It looks for a frame and those right before it, then rests.
    Back,
    /// It looks for the frames right before the one with this timestamp, the oldest cached one, then rests.
    Earlier(i64),
    /// It is elsewhere, or idle. Frames that it had ready before it was stopped do not follow the newest cached one.
    Resting,
    /// It has no more frames.
    Ended,
}

/// The frames that the decoder leaves out because it cannot keep up with the clock.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Dropped {
    /// None from here on.
    None,
    /// Those up to the first that arrives, after the decoder was sent ahead at this time.
    UpToFirst(Instant),
    /// Any before this time, in seconds.
    Before(f64),
}

/// Cached frames, and the state of the decoder that delivers more.
#[derive(Debug)]
pub(super) struct FrameSupply {
    pub(super) cache: FrameCache,
    /// Budget for cached frames, in bytes.
    pub(super) budget: usize,
    decoding: Decoding,
    left_out: Dropped,
    /// Serial of the last request. Anything with a different one is discarded.
    serial: u64,
    /// The last seek requested.
    last: Option<Seek>,
    /// Timestamp of a frame that was decoded quickly: it may be shown on the way to the exact frame, but not in its
    /// place.
    quick: Option<i64>,
    /// Timestamp of a frame known to have none before it.
    first: Option<i64>,
    /// Timestamp of the frame before which none could be fetched.
    unfetchable: Option<i64>,
}

impl FrameSupply {
    /// Creates an empty supply, to which the decoder delivers from the first frame on, with serial 0.
    pub(super) fn new(budget: usize) -> Self {
        Self {
            cache: FrameCache::default(),
            budget,
            decoding: Decoding::Onward,
            left_out: Dropped::None,
            serial: 0,
            last: None,
            quick: None,
            first: None,
            unfetchable: None,
        }
    }

    /// Takes a decoded frame, if it belongs to the last request and is not cached yet. Returns whether it did.
    pub(super) fn push(&mut self, frame: Frame) -> bool {
        if frame.serial != self.serial {
            return false;
        }
        if let Some(newest) = self.cache.last().map(|last| last.pts_ticks)
            && frame.pts_ticks <= newest
        {
            if self.decoding == Decoding::Rejoining && frame.pts_ticks == newest {
                self.decoding = Decoding::Onward;
            }
            return false;
        }
        match self.decoding {
            Decoding::Onward | Decoding::Ended => self.decoding = Decoding::Onward,
            Decoding::Rejoining => {
                // The frame to start with has not arrived, so frames may be missing in between.
                self.cache.note_gap();
                self.decoding = Decoding::Onward;
            }
            Decoding::Near => {
                self.quick = Some(frame.pts_ticks);
                self.decoding = Decoding::Resting;
            }
            Decoding::Back | Decoding::Earlier(_) | Decoding::Resting => return false,
        }
        match self.left_out {
            Dropped::Before(until) if frame.time_secs < until => self.cache.push_sparse(frame),
            Dropped::Before(_) => {
                self.left_out = Dropped::None;
                self.cache.push(frame);
            }
            Dropped::None | Dropped::UpToFirst(_) => self.cache.push(frame),
        }
        true
    }

    /// Takes the frames right before the one with that timestamp, without a gap, in presentation order. Returns whether
    /// they belong to the last request.
    pub(super) fn keep(&mut self, serial: u64, before_ticks: i64, mut frames: Vec<Frame>) -> bool {
        if serial != self.serial {
            return false;
        }
        match self.decoding {
            Decoding::Back => {
                self.decoding = if frames.is_empty() { Decoding::Ended } else { Decoding::Resting };
                self.cache.fill(frames);
                return true;
            }
            Decoding::Earlier(_) => {
                self.decoding = Decoding::Resting;
                if frames.is_empty() {
                    self.first = Some(before_ticks);
                }
            }
            _ => {}
        }
        if self.cache.first().is_some_and(|first| first.pts_ticks == before_ticks) {
            let room = self.budget.saturating_sub(self.cache.bytes());
            let mut bytes: usize = frames.iter().map(Frame::plane_bytes).sum();
            let mut surplus = 0;
            while bytes > room
                && let Some(frame) = frames.get(surplus)
            {
                bytes -= frame.plane_bytes();
                surplus += 1;
            }
            self.cache.prepend(frames.split_off(surplus));
        }
        true
    }

    /// Returns `true` if there is no room for more frames, and one is ahead of the frame on screen.
    pub(super) fn is_full(&self) -> bool {
        self.cache.ahead() > 0 && self.cache.bytes() >= self.budget
    }

    /// Returns `true` if the last request has this serial.
    pub(super) const fn is_of(&self, serial: u64) -> bool {
        self.serial == serial
    }

    /// Returns `true` if the frames delivered for a live source are those that its sender is sending now.
    pub(super) const fn is_of_newest(&self) -> bool {
        matches!(self.last, None | Some(Seek::Exact(SeekTarget::End)))
    }

    /// Takes no more of the arriving frames, which therefore do not follow the newest cached one.
    pub(super) const fn break_off(&mut self) {
        self.decoding = Decoding::Resting;
    }

    /// Records that the decoder has no more frames of this serial.
    pub(super) fn end_of_stream(&mut self, serial: u64) {
        if serial != self.serial {
            return;
        }
        match self.decoding {
            Decoding::Earlier(before) => {
                self.unfetchable = Some(before);
                self.decoding = Decoding::Resting;
            }
            Decoding::Resting => {}
            _ => self.decoding = Decoding::Ended,
        }
    }

    /// Returns `true` if earlier frames are being fetched.
    pub(super) const fn is_fetching(&self) -> bool {
        matches!(self.decoding, Decoding::Earlier(_))
    }

    /// Returns `true` if no frame follows the newest cached one.
    pub(super) fn has_ended(&self) -> bool {
        self.decoding == Decoding::Ended
    }

    /// Returns `true` if the decoder delivers nothing useful until the next request.
    pub(super) const fn is_at_rest(&self) -> bool {
        matches!(self.decoding, Decoding::Resting | Decoding::Ended)
    }

    /// Returns `true` if the frames that follow the newest cached one are being delivered.
    pub(super) fn is_onward(&self) -> bool {
        self.decoding == Decoding::Onward
    }

    /// Drops all frames and sends the decoder elsewhere.
    pub(super) fn restart(&mut self, seek: Seek) -> SeekRequest {
        self.cache.clear();
        self.left_out = Dropped::None;
        self.quick = None;
        let decoding = match seek {
            Seek::Near(_) => Decoding::Near,
            Seek::Back { .. } => Decoding::Back,
            Seek::Exact(_) | Seek::Keyframe(_) | Seek::Towards(_) => Decoding::Onward,
        };
        self.request(decoding, seek)
    }

    fn request(&mut self, decoding: Decoding, seek: Seek) -> SeekRequest {
        self.serial += 1;
        self.decoding = decoding;
        self.last = Some(seek);
        SeekRequest { serial: self.serial, seek }
    }

    /// Sends the decoder ahead to a time, in seconds. The frame on screen stays, with a gap after it.
    pub(super) fn jump_ahead(&mut self, secs: f64, now: Instant) -> SeekRequest {
        self.cache.keep_shown(true);
        self.left_out = Dropped::UpToFirst(now);
        self.request(Decoding::Onward, Seek::to(secs))
    }

    /// Returns how long the decoder took to jump ahead, once its first frame has arrived.
    pub(super) fn jump_took(&mut self, now: Instant) -> Option<Duration> {
        let Dropped::UpToFirst(since) = self.left_out else { return None };
        if self.cache.ahead() == 0 {
            return None;
        }
        self.left_out = Dropped::None;
        Some(now.saturating_duration_since(since))
    }

    /// Returns `true` if the decoder may leave out frames at that time, in seconds.
    pub(super) fn is_hurrying_at(&self, secs: f64) -> bool {
        matches!(self.left_out, Dropped::Before(until) if secs < until)
    }

    /// Lets the decoder leave out what it can before a time, in seconds. The frame on screen stays, with a gap after
    /// it.
    pub(super) fn hurry_until(&mut self, secs: f64) -> SeekRequest {
        self.cache.keep_shown(true);
        self.left_out = Dropped::Before(secs);
        self.request(Decoding::Onward, Seek::Towards(secs))
    }

    /// Stops leaving out frames because the user has paused or stepped: the next frames follow the one on screen
    /// without a gap.
    pub(super) fn leave_nothing_out(&mut self) {
        if self.cache.is_sparse() || matches!(self.left_out, Dropped::Before(_)) {
            self.cache.keep_shown(false);
            self.decoding = Decoding::Resting;
        }
        self.left_out = Dropped::None;
    }

    /// Returns `true` if frames before the cached ones can be fetched: there is room for them, and they are not known
    /// to be unavailable.
    pub(super) fn can_fetch(&self) -> bool {
        let Some(first) = self.cache.first() else { return false };
        first.time_secs > 0.0
            && self.first != Some(first.pts_ticks)
            && self.unfetchable != Some(first.pts_ticks)
            && first.plane_bytes().saturating_mul(4) <= self.budget
    }

    /// Returns `true` if the frame on screen is known to be the first of the video.
    pub(super) fn shows_first(&self) -> bool {
        self.cache.shown() == Some(0) && self.cache.first().map(|first| first.pts_ticks) == self.first
    }

    /// Requests the frames before the oldest cached one, with half of the budget for them.
    pub(super) fn fetch_earlier(&mut self) -> Option<SeekRequest> {
        let ticks = self.cache.first()?.pts_ticks;
        let half = self.budget / 2;
        self.cache.trim_ahead(half);
        self.cache.trim_behind(half);
        let ticks = self.cache.first().map_or(ticks, |first| first.pts_ticks);
        let seek = Seek::Back { target: SeekTarget::Before(ticks), budget: half };
        Some(self.request(Decoding::Earlier(ticks), seek))
    }

    /// When stepping back, requests earlier frames before the oldest cached one is reached.
    pub(super) fn fetch_ahead_of_need(&mut self) -> Option<SeekRequest> {
        // Early enough for them to arrive in time: in a long group, everything before them has to be decoded.
        let is_low = self.cache.bytes_behind() < self.budget / 2;
        if is_low && !self.is_fetching() && self.can_fetch() { self.fetch_earlier() } else { None }
    }

    /// Sends a decoder that is elsewhere back to the newest cached frame, to continue from there. Frames that were
    /// being fetched no longer arrive.
    pub(super) fn rejoin(&mut self) -> Option<SeekRequest> {
        if !matches!(self.decoding, Decoding::Resting | Decoding::Earlier(_)) {
            return None;
        }
        let ticks = self.cache.last()?.pts_ticks;
        Some(self.request(Decoding::Rejoining, Seek::Exact(SeekTarget::Timestamp(ticks))))
    }

    /// Puts the frame at a position on screen. Drops a quickly decoded frame after it.
    pub(super) fn show(&mut self, position: usize) -> Option<Frame> {
        let frame = self.cache.show(position);
        let is_quick_next = self.quick.is_some() && self.cache.last().map(|last| last.pts_ticks) == self.quick;
        if is_quick_next && self.cache.ahead() > 0 {
            self.cache.pop_newest();
            self.quick = None;
        }
        frame
    }

    /// Returns the position of the frame at a time, in seconds, if it is cached. A quickly decoded picture may differ
    /// from an exactly decoded one; `accept_quick` states whether it is acceptable.
    pub(super) fn position_at(&self, secs: f64, accept_quick: bool) -> Option<usize> {
        let position = self.cache.position_at(secs, self.has_ended())?;
        self.certain(position, accept_quick)
    }

    /// Returns the position of the last frame of the video, if it is cached.
    pub(super) fn position_of_end(&self) -> Option<usize> {
        let last = self.cache.len().checked_sub(1)?;
        if self.has_ended() { self.certain(last, false) } else { None }
    }

    /// Returns the position of the frame with that number or, if its number is unknown, with that timestamp, if it is
    /// cached.
    pub(super) fn position_of(&self, number: u64, ticks: Option<i64>) -> Option<usize> {
        let listed = || self.cache.position_of_ticks(ticks?);
        self.certain(self.cache.position_of(number).or_else(listed)?, false)
    }

    fn certain(&self, position: usize, accept_quick: bool) -> Option<usize> {
        let is_quick = || self.quick.is_some() && self.cache.ticks_at(position) == self.quick;
        let will_do = !self.cache.is_sparse() && (accept_quick || !is_quick());
        will_do.then_some(position)
    }
}
