//! Cut detection, using only histograms.
//!
//! The distance between two frames is the earth mover's distance between their histograms: the mean distance, as a
//! fraction of the scale, that levels must be moved to turn one histogram into the other. It is computed for each
//! channel, and the largest is used, so that a change from red to blue of the same luminance also counts. Because
//! levels are moved and not compared bin by bin, noise, a slight change of exposure, and motion within a shot have
//! little effect.
//!
//! There is a cut between two frames if
//!
//! 1. their distance is at least the threshold;
//! 2. it is at least [`STANDS_OUT`] times every other distance within [`NEIGHBOURS`] frames before and after: fades,
//!    dissolves and pans spread their change over several frames, a cut does not. If a frame of a fade is repeated,
//!    the next step is twice the others, so the factor is more than two;
//! 3. the picture does not return: the distance from the frame before the cut to each of the next [`FLASH_FRAMES`]
//!    frames is at least half the distance over the cut, and likewise from the frame after the cut to each of the
//!    preceding ones. A shorter change after which the picture returns is not a cut.
//!
//! At most [`FLASH_FRAMES`] blank frames (all but black or white) between two abrupt changes are a flash. They are set
//! aside and the rules apply to the other frames, so a flash between two shots does not hide the cut, which is then at
//! the first frame after it. A longer run of blank frames is a shot like any other, and so is one that a fade leads to.
//!
//! A change of at least [`FLASH_CHANGE`] after which the picture returns abruptly is a flash as well.
//!
//! The rules look ahead, so a cut is found a few frames later; only the frames needed for this are kept.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::cells::{Blank, ROWS};

/// The default threshold, as a fraction of the scale.
pub const DEFAULT_THRESHOLD: f64 = 0.03;
/// The factor by which the distance over a cut must exceed the distances around it.
pub const STANDS_OUT: f64 = 2.5;
/// The number of distances on each side of a cut that it is compared with.
pub const NEIGHBOURS: usize = 2;
/// The maximum length of a flash in frames.
pub const FLASH_FRAMES: usize = 4;
/// The minimum change at the start of a flash that is not blank, as a fraction of the scale.
pub const FLASH_CHANGE: f64 = 0.1;
/// The maximum number of frames from the start of a shot to the frame with which its cut is found: each frame of the
/// look-ahead may follow a flash.
pub const CUT_DELAY: usize = (FLASH_FRAMES + 1) * (FLASH_FRAMES + 1 + NEIGHBOURS);
/// The maximum number of cuts that a report lists; further ones are only counted.
pub const MAX_LISTED: usize = 10_000;

/// A frame's normalized cumulative histograms: the share of samples at or below each level, channel by channel.
#[derive(Debug, Clone, PartialEq)]
pub struct Signature(Vec<f64>);

impl Signature {
    /// Computes the signature of a frame's cells; see [`fold`](super::fold).
    #[must_use]
    pub fn new(cells: &[u64]) -> Self {
        let mut shares = Vec::with_capacity(cells.len());
        for rows in cells.chunks(ROWS) {
            let count = rows.iter().sum::<u64>().max(1) as f64;
            let mut below = 0;
            shares.extend(rows.iter().map(|&row| {
                below += row;
                below as f64 / count
            }));
        }
        Self(shares)
    }

    /// Returns the largest earth mover's distance of any channel, from 0 (equal) to 1 (black to white).
    #[must_use]
    pub fn distance(&self, other: &Self) -> f64 {
        let channels = self.0.chunks(ROWS).zip(other.0.chunks(ROWS));
        let moved = channels.map(|(a, b)| a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f64>());
        moved.fold(0.0, f64::max) / (ROWS - 1) as f64
    }
}

/// A cut.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Cut {
    /// Number of the first frame after the cut.
    pub frame: u64,
    /// Time at which that frame begins, in seconds.
    pub time_secs: f64,
    /// Distance between the frames before and after the cut.
    pub distance: f64,
}

/// A flash: a few frames that differ from those before and after.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Flash {
    /// Number of the first frame.
    pub(super) frame: u64,
    /// Number of the last frame.
    pub(super) last: u64,
    /// Time at which the first frame begins, in seconds.
    pub(super) start_secs: f64,
    /// Time at which the frame after the last one begins, in seconds.
    pub(super) end_secs: f64,
}

/// A frame kept for deciding on cuts.
#[derive(Debug)]
struct HeldFrame {
    frame: u64,
    time_secs: f64,
    signature: Signature,
    blank: Option<Blank>,
    /// Distance from the previous frame, without those that were set aside.
    distance: f64,
}

/// Number of frames kept on either side of a possible cut: the length of a flash, and the frame next to the cut.
const AROUND: usize = FLASH_FRAMES + 1;

/// A detector of cuts and flashes. The frames of a clip are pushed in order.
#[derive(Debug)]
pub struct CutFinder {
    threshold: f64,
    /// The maximum number of cuts to keep.
    most: usize,
    /// The latest frames, from the first of a run of blank ones that may turn out to be a flash.
    undecided: VecDeque<HeldFrame>,
    /// Number of frames set aside since the last frame in `held`.
    aside: usize,
    held: VecDeque<HeldFrame>,
    /// Index in `held` of the next frame to decide on.
    next: usize,
    cuts: Vec<Cut>,
    found: u64,
    flashes: Vec<Flash>,
}

impl CutFinder {
    /// Creates a finder with this threshold, a fraction of the scale.
    #[must_use]
    pub const fn new(threshold: f64) -> Self {
        Self {
            threshold,
            most: MAX_LISTED,
            undecided: VecDeque::new(),
            aside: 0,
            held: VecDeque::new(),
            next: 1,
            cuts: Vec::new(),
            found: 0,
            flashes: Vec::new(),
        }
    }

    /// Makes the finder keep every cut, at 24 bytes each, instead of at most [`MAX_LISTED`].
    #[must_use]
    pub fn keeping_all(self) -> Self {
        Self { most: usize::MAX, ..self }
    }

    /// Takes the next frame. Returns its distance from the previous one, or 0 for the first frame.
    pub fn push(&mut self, frame: u64, time_secs: f64, cells: &[u64]) -> f64 {
        let signature = Signature::new(cells);
        let before = self.undecided.back().or_else(|| self.held.back());
        let distance = before.map_or(0.0, |before| before.signature.distance(&signature));
        self.undecided.push_back(HeldFrame { frame, time_secs, signature, blank: Blank::of(cells), distance });
        self.settle(false);
        distance
    }

    /// Returns the cuts found so far, as far as they are kept.
    #[must_use]
    pub fn found(&self) -> &[Cut] {
        &self.cuts
    }

    /// Returns the first [`MAX_LISTED`] flashes found so far, in order.
    pub(super) fn flashes(&self) -> &[Flash] {
        &self.flashes
    }

    /// Decides on the remaining frames.
    pub(super) fn end(&mut self) {
        self.settle(true);
        while self.next < self.held.len() {
            self.decide();
        }
    }

    /// Returns the cuts that were kept, and the total number of cuts.
    #[must_use]
    pub fn finish(mut self) -> (Vec<Cut>, u64) {
        self.end();
        (self.cuts, self.found)
    }

    /// Holds the undecided frames, or sets them aside, as soon as enough frames are known, or all if the clip has
    /// ended.
    fn settle(&mut self, has_ended: bool) {
        while let Some(first) = self.undecided.front() {
            let blank = first.blank;
            let length = self.undecided.iter().take_while(|other| other.blank == blank).count();
            let continues = self.held.back().is_none_or(|before| self.aside == 0 && before.blank == blank);
            let after = self.undecided.iter().skip(length + 1).take_while(|other| other.blank.is_none());
            let is_known = has_ended
                || self.undecided.len() > length + NEIGHBOURS
                || (length < self.undecided.len() && after.count() + 1 + length < self.undecided.len());
            if blank.is_none() || continues || self.aside + length > FLASH_FRAMES {
                self.hold();
            } else if !is_known {
                return;
            } else if self.is_blank_flash(length) {
                self.set_aside(length);
            } else {
                (0..length).for_each(|_| self.hold());
            }
        }
    }

    /// Returns `true` if the first frames of the undecided ones begin and end abruptly: the distances there stand out
    /// from those between the frames around them that are not blank.
    fn is_blank_flash(&self, length: usize) -> bool {
        let (Some(before), Some(after)) = (self.held.back(), self.undecided.get(length)) else { return false };
        let entry = before.signature.distance(&self.undecided[0].signature);
        let earlier = self.held.iter().skip(1).rev().take(NEIGHBOURS).map(|frame| frame.distance);
        let later = self.undecided.iter().skip(length + 1).take(NEIGHBOURS).take_while(|frame| frame.blank.is_none());
        let is_abrupt = |change: f64, around: f64| change >= self.threshold && change >= STANDS_OUT * around;
        is_abrupt(entry, earlier.fold(0.0, f64::max))
            && is_abrupt(after.distance, later.map(|frame| frame.distance).fold(0.0, f64::max))
    }

    fn set_aside(&mut self, length: usize) {
        let last = self.undecided[length - 1].frame;
        let end_secs = self.undecided[length].time_secs;
        let HeldFrame { frame, time_secs: start_secs, .. } = self.undecided[0];
        self.undecided.drain(..length);
        // A black frame next to a white one is part of the same flash.
        let joined = self.flashes.last_mut().filter(|_| self.aside > 0);
        self.aside += length;
        match joined {
            Some(flash) if flash.end_secs >= start_secs => (flash.last, flash.end_secs) = (last, end_secs),
            _ => self.list(Flash { frame, last, start_secs, end_secs }),
        }
    }

    fn list(&mut self, flash: Flash) {
        if self.flashes.len() < MAX_LISTED {
            self.flashes.push(flash);
        }
    }

    /// Holds the first undecided frame, and decides on the frame that it completes the look-ahead of.
    fn hold(&mut self) {
        let Some(mut frame) = self.undecided.pop_front() else { return };
        if let Some(before) = self.held.back().filter(|_| self.aside > 0) {
            frame.distance = before.signature.distance(&frame.signature);
        }
        self.aside = 0;
        self.held.push_back(frame);
        if self.next + FLASH_FRAMES < self.held.len() {
            self.decide();
        }
        while self.next > AROUND {
            self.held.pop_front();
            self.next -= 1;
        }
    }

    fn decide(&mut self) {
        if self.is_cut(self.next) {
            self.found += 1;
            let HeldFrame { frame, time_secs, distance, .. } = self.held[self.next];
            if self.cuts.len() < self.most {
                self.cuts.push(Cut { frame, time_secs, distance });
            }
        } else if let Some(flash) = self.flash_at(self.next) {
            let at = self.flashes.partition_point(|other| other.frame < flash.frame);
            if self.flashes.len() < MAX_LISTED {
                self.flashes.insert(at, flash);
            }
        }
        self.next += 1;
    }

    /// Returns the flash that starts at this frame, if the picture returns as abruptly as it changed.
    fn flash_at(&self, at: usize) -> Option<Flash> {
        let (before, first) = (&self.held[at - 1], &self.held[at]);
        let change = first.distance;
        let is_near = |other: &HeldFrame| STANDS_OUT * before.signature.distance(&other.signature) <= change;
        let is_start = change >= FLASH_CHANGE
            && (at.saturating_sub(NEIGHBOURS).max(1)..at).all(|other| change >= STANDS_OUT * self.held[other].distance);
        let after = (at + 1..self.held.len()).take(FLASH_FRAMES).find(|&other| is_near(&self.held[other]))?;
        let is_abrupt = self.held[after].distance >= change / 2.0;
        (is_start && is_abrupt).then(|| Flash {
            frame: first.frame,
            last: self.held[after - 1].frame,
            start_secs: first.time_secs,
            end_secs: self.held[after].time_secs,
        })
    }

    fn is_cut(&self, at: usize) -> bool {
        let distance = self.held[at].distance;
        distance >= self.threshold && self.stands_out(at) && !self.comes_back(at)
    }

    fn stands_out(&self, at: usize) -> bool {
        let around = at.saturating_sub(NEIGHBOURS).max(1)..(at + NEIGHBOURS + 1).min(self.held.len());
        around
            .filter(|&other| other != at)
            .all(|other| self.held[at].distance >= STANDS_OUT * self.held[other].distance)
    }

    fn comes_back(&self, at: usize) -> bool {
        let (before, after) = (&self.held[at - 1], &self.held[at]);
        let is_near = |a: &HeldFrame, b: &HeldFrame| a.signature.distance(&b.signature) < after.distance / 2.0;
        let later = (at + 1..self.held.len()).take(FLASH_FRAMES);
        let earlier = (0..at - 1).rev().take(FLASH_FRAMES);
        later.map(|other| &self.held[other]).any(|other| is_near(before, other))
            || earlier.map(|other| &self.held[other]).any(|other| is_near(after, other))
    }
}

/// A detector of possible cuts that decides immediately, while [`CutFinder`] needs to see the following frames. It
/// reports every cut that the finder finds, and some other frames.
#[derive(Debug)]
pub struct CutGuess {
    threshold: f64,
    /// The frames of which the finder may take one for the frame before the next one: the last frame and, if that is
    /// blank, the blank ones before it and the frame before them.
    before: VecDeque<GuessedFrame>,
}

#[derive(Debug)]
struct GuessedFrame {
    signature: Signature,
    /// The smallest distance from the frames before it; `None` for the first frame.
    distance: Option<f64>,
}

impl CutGuess {
    /// Creates a detector for the cuts of a finder with this threshold.
    #[must_use]
    pub const fn new(threshold: f64) -> Self {
        Self { threshold, before: VecDeque::new() }
    }

    /// Takes the next frame. Returns `true` if there may be a cut before it, and always for the first frame, whose
    /// predecessor is unknown.
    pub fn push(&mut self, cells: &[u64]) -> bool {
        let signature = Signature::new(cells);
        let (mut may_be, mut smallest) = (self.before.is_empty(), None);
        for before in &self.before {
            let distance = before.signature.distance(&signature);
            let stands_out = before.distance.is_none_or(|before| distance >= STANDS_OUT * before);
            may_be |= distance >= self.threshold && stands_out;
            smallest = Some(smallest.map_or(distance, |smallest: f64| smallest.min(distance)));
        }
        if Blank::of(cells).is_none() {
            self.before.clear();
        }
        self.before.push_back(GuessedFrame { signature, distance: smallest });
        if self.before.len() > FLASH_FRAMES + 1 {
            self.before.pop_front();
        }
        may_be
    }
}

#[cfg(test)]
mod tests;
