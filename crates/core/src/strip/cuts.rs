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
//! 3. the picture does not return: the distance from the frame before the cut to each of the next [`FLASH_FRAMES`] frames
//!    is at least half the distance over the cut, and likewise from the frame after the cut to each of the preceding
//!    ones. A shorter change after which the picture returns is a flash.
//!
//! Rule 3 looks ahead, so a cut is found a few frames later; only the frames needed for this are kept.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::cells::ROWS;

/// The default threshold, as a fraction of the scale.
pub const DEFAULT_THRESHOLD: f64 = 0.03;
/// The factor by which the distance over a cut must exceed the distances around it.
pub const STANDS_OUT: f64 = 2.5;
/// The number of distances on each side of a cut that it is compared with.
pub const NEIGHBOURS: usize = 2;
/// The maximum length of a flash in frames.
pub const FLASH_FRAMES: usize = 4;
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

/// A frame kept for deciding on cuts.
#[derive(Debug)]
struct HeldFrame {
    frame: u64,
    time_secs: f64,
    signature: Signature,
    /// Distance from the previous frame.
    distance: f64,
}

/// Number of frames kept on either side of a possible cut: the length of a flash, and the frame next to the cut.
const AROUND: usize = FLASH_FRAMES + 1;

/// A detector of cuts. The frames of a clip are pushed in order.
#[derive(Debug)]
pub struct CutFinder {
    threshold: f64,
    /// The maximum number of cuts to keep.
    most: usize,
    held: VecDeque<HeldFrame>,
    /// Index in `held` of the next frame to decide on.
    next: usize,
    cuts: Vec<Cut>,
    found: u64,
}

impl CutFinder {
    /// Creates a finder with this threshold, a fraction of the scale.
    #[must_use]
    pub const fn new(threshold: f64) -> Self {
        Self { threshold, most: MAX_LISTED, held: VecDeque::new(), next: 1, cuts: Vec::new(), found: 0 }
    }

    /// Makes the finder keep every cut, at 24 bytes each, instead of at most [`MAX_LISTED`].
    #[must_use]
    pub fn keeping_all(self) -> Self {
        Self { most: usize::MAX, ..self }
    }

    /// Takes the next frame. Returns its distance from the previous one, or 0 for the first frame.
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

    /// Returns the cuts found so far, as far as they are kept.
    #[must_use]
    pub fn found(&self) -> &[Cut] {
        &self.cuts
    }

    /// Returns the cuts that were kept, and the total number of cuts.
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

/// A detector of possible cuts that decides immediately, while [`CutFinder`] needs to see the following frames. It
/// reports every cut that the finder finds, and some other frames.
#[derive(Debug)]
pub struct CutGuess {
    threshold: f64,
    before: Option<Signature>,
    /// Distance of the previous frame from the one before it.
    distance: Option<f64>,
}

impl CutGuess {
    /// Creates a detector for the cuts of a finder with this threshold.
    #[must_use]
    pub const fn new(threshold: f64) -> Self {
        Self { threshold, before: None, distance: None }
    }

    /// Takes the next frame. Returns `true` if there may be a cut before it, and always for the first frame, whose
    /// predecessor is unknown.
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
