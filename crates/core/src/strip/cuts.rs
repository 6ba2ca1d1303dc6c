//! Cuts, found from the histograms alone.
//!
//! The distance between two frames is the earth-mover distance of their histograms: the mean distance, as a part of
//! the scale, that levels must be moved to turn one histogram into the other. It is computed for each channel, and the
//! largest counts: a change from red to blue of the same luminance counts too. Because levels are moved and not
//! compared bin by bin, noise, a slight change of exposure, and motion within a shot have little effect.
//!
//! There is a cut between two frames if
//!
//! 1. their distance is the threshold or more;
//! 2. it is [`STANDS_OUT`] times every other distance from [`NEIGHBOURS`] frames before to as many after: fades,
//!    dissolves and pans spread their change over several frames, a cut does not. If a frame of a fade is repeated,
//!    the next step is twice the others, so the factor is more than two;
//! 3. the picture does not come back: the frame before is at least half as far from each of the [`FLASH_FRAMES`]
//!    frames after the cut as from the first of them, and likewise the frame after from each of those before. A
//!    shorter change that leaves the picture as it was is a flash.
//!
//! Rule 3 looks ahead, so a cut is known some frames later; no more frames than that are kept.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::cells::ROWS;

/// The default threshold, as a part of the scale.
pub const DEFAULT_THRESHOLD: f64 = 0.03;
/// The factor by which the distance of a cut must exceed those around it.
pub const STANDS_OUT: f64 = 2.5;
/// The number of distances on each side of a cut that it must exceed.
pub const NEIGHBOURS: usize = 2;
/// The maximum length of a flash, which leaves the picture as it was.
pub const FLASH_FRAMES: usize = 4;
/// The maximum number of cuts that a report lists; others are only counted.
pub const MAX_LISTED: usize = 10_000;

/// A frame's histograms as the shares at or below each level, channel by channel.
#[derive(Debug, Clone, PartialEq)]
pub struct Signature(Vec<f64>);

impl Signature {
    /// The signature of a frame's rows.
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

    /// Returns the earth-mover distance in the channel with the largest one, from 0 (alike) to 1 (from black to
    /// white).
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
    /// Number of the first frame after it.
    pub frame: u64,
    /// Time at which that frame begins, in seconds.
    pub time_secs: f64,
    /// The distance over the cut.
    pub distance: f64,
}

/// A frame that may lie next to a cut.
#[derive(Debug)]
struct HeldFrame {
    frame: u64,
    time_secs: f64,
    signature: Signature,
    /// Distance from the previous frame.
    distance: f64,
}

/// Frames that are kept on either side of the place under decision: those of a flash and the one next to the cut.
const AROUND: usize = FLASH_FRAMES + 1;

/// Finds the cuts of a clip whose frames are pushed in order.
#[derive(Debug)]
pub struct CutFinder {
    threshold: f64,
    /// The maximum number of cuts that are kept.
    most: usize,
    held: VecDeque<HeldFrame>,
    /// Place in `held` of the next frame to decide on.
    next: usize,
    cuts: Vec<Cut>,
    found: u64,
}

impl CutFinder {
    /// Creates a finder with that threshold, a part of the scale.
    #[must_use]
    pub const fn new(threshold: f64) -> Self {
        Self { threshold, most: MAX_LISTED, held: VecDeque::new(), next: 1, cuts: Vec::new(), found: 0 }
    }

    /// Makes it keep every cut, at 24 bytes each, however many a clip has.
    #[must_use]
    pub fn keeping_all(self) -> Self {
        Self { most: usize::MAX, ..self }
    }

    /// Takes the next frame and returns its distance from the previous one; 0 for the first frame.
    pub fn push(&mut self, frame: u64, time_secs: f64, cells: &[u64]) -> f64 {
        let signature = Signature::new(cells);
        let distance = self.held.back().map_or(0.0, |before| before.signature.distance(&signature));
        self.held.push_back(HeldFrame { frame, time_secs, signature, distance });
        if self.next + FLASH_FRAMES < self.held.len() {
            self.decide();
        }
        while self.next > AROUND {
            self.held.pop_front();
            self.next -= 1;
        }
        distance
    }

    /// Returns the cuts kept so far.
    #[must_use]
    pub fn found(&self) -> &[Cut] {
        &self.cuts
    }

    /// Returns the cuts that were kept, and the number of all cuts.
    #[must_use]
    pub fn finish(mut self) -> (Vec<Cut>, u64) {
        while self.next < self.held.len() {
            self.decide();
        }
        (self.cuts, self.found)
    }

    fn decide(&mut self) {
        if self.is_cut(self.next) {
            self.found += 1;
            let HeldFrame { frame, time_secs, distance, .. } = self.held[self.next];
            if self.cuts.len() < self.most {
                self.cuts.push(Cut { frame, time_secs, distance });
            }
        }
        self.next += 1;
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

/// Says of each frame at once whether there may be a cut before it, while [`CutFinder`] must see what follows. It says
/// so for every cut of the finder, and for some other frames.
#[derive(Debug)]
pub struct CutGuess {
    threshold: f64,
    before: Option<Signature>,
    /// The distance before that one.
    distance: Option<f64>,
}

impl CutGuess {
    /// Creates a guess at the cuts of a finder with that threshold.
    #[must_use]
    pub const fn new(threshold: f64) -> Self {
        Self { threshold, before: None, distance: None }
    }

    /// Takes the next frame. There may be a cut before the first one, since what came before is unknown.
    pub fn push(&mut self, cells: &[u64]) -> bool {
        let signature = Signature::new(cells);
        let distance = self.before.as_ref().map(|before| before.distance(&signature));
        let stands_out = |distance: f64| self.distance.is_none_or(|before| distance >= STANDS_OUT * before);
        let may_be = distance.is_none_or(|distance| distance >= self.threshold && stands_out(distance));
        (self.before, self.distance) = (Some(signature), distance);
        may_be
    }
}

#[cfg(test)]
mod tests;
