//! What a clip comes to, gathered frame by frame in memory that does not grow with its length.

use super::cuts::{Cut, CutFinder};
use super::folding::{Column, Columns, Strip, fold};
use super::worst::{WorstFrame, WorstFrames, shares};
use crate::histogram::{ClipHistogram, Components, Histogram};
use crate::picture::color::Range;

/// What a frame's counts belong to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FramePlace {
    /// Its number in the video.
    pub number: u64,
    /// When it begins, in seconds from the start of the video.
    pub time_secs: f64,
    /// How long it is shown, in seconds.
    pub duration_secs: f64,
    /// Its range.
    pub range: Range,
}

/// Gathers.
#[derive(Debug)]
pub struct Digest {
    components: Components,
    threshold: f64,
    columns: Columns,
    histogram: ClipHistogram,
    left_out: u64,
    finder: CutFinder,
    worst: [WorstFrames; 3],
    frames: u64,
    bits: u32,
    end_secs: f64,
}

/// What was gathered.
#[derive(Debug)]
pub struct Gathered {
    /// What was counted.
    pub components: Components,
    /// The clip in columns.
    pub columns: Columns,
    /// The sum of all frames of the first frame's depth, at that depth.
    pub histogram: ClipHistogram,
    /// Frames of another depth, which are in the columns and not in the sum.
    pub left_out: u64,
    /// The cuts that are listed.
    pub cuts: Vec<Cut>,
    /// How many cuts there are.
    pub cuts_found: u64,
    /// The distance from which a change can be a cut.
    pub threshold: f64,
    /// The worst frames, in the order of [`Kind::ALL`](super::worst::Kind::ALL).
    pub worst: [Vec<WorstFrame>; 3],
    /// Number of frames.
    pub frames: u64,
    /// Bits of the first frame's bins: each channel has 2^n.
    pub bits: u32,
    /// When the first frame begins.
    pub begin_secs: f64,
    /// When the last frame ends; always after `begin_secs`.
    pub end_secs: f64,
}

impl Digest {
    /// Nothing yet; cuts will be found with that threshold, a part of the scale.
    #[must_use]
    pub fn new(components: Components, threshold: f64) -> Self {
        Self {
            components,
            threshold,
            columns: Columns::default(),
            histogram: ClipHistogram::default(),
            left_out: 0,
            finder: CutFinder::new(threshold),
            worst: Default::default(),
            frames: 0,
            bits: 8,
            end_secs: 0.0,
        }
    }

    /// Takes the next frame.
    pub fn add(&mut self, place: FramePlace, histogram: &Histogram) {
        let FramePlace { number, time_secs, duration_secs, range } = place;
        if self.frames == 0 {
            self.bits = histogram.bits;
        }
        self.frames += 1;
        self.left_out += u64::from(!self.histogram.add(histogram));
        let cells = fold(histogram);
        let change = self.finder.push(number, time_secs, &cells);
        let shares = shares(histogram, range);
        for (worst, share) in self.worst.iter_mut().zip(shares) {
            worst.push(WorstFrame { frame: number, time_secs, share });
        }
        let [lowest, highest, outside] = shares.map(|share| share.share);
        self.columns.add(Column {
            first_frame: number,
            last_frame: number,
            begin_secs: time_secs,
            frames: 1,
            cells,
            strip: Strip { change, lowest, highest, outside },
        });
        // A still picture may have no duration; it fills the width all the same.
        self.end_secs = time_secs + if duration_secs > 0.0 { duration_secs } else { 0.04 };
    }

    /// What was gathered; `None` without a frame.
    #[must_use]
    pub fn finish(self) -> Option<Gathered> {
        let begin_secs = self.columns.as_slice().first()?.begin_secs;
        let (cuts, cuts_found) = self.finder.finish();
        Some(Gathered {
            components: self.components,
            columns: self.columns,
            histogram: self.histogram,
            left_out: self.left_out,
            cuts,
            cuts_found,
            threshold: self.threshold,
            worst: self.worst.map(WorstFrames::finish),
            frames: self.frames,
            bits: self.bits,
            begin_secs,
            end_secs: self.end_secs,
        })
    }
}

impl Gathered {
    /// Where a time lies from the start, 0, to the end, 1.
    #[must_use]
    pub fn part_of(&self, time_secs: f64) -> f64 {
        (time_secs - self.begin_secs) / (self.end_secs - self.begin_secs)
    }

    /// When a column ends: when the next one begins.
    #[must_use]
    pub fn column_end_secs(&self, index: usize) -> f64 {
        self.columns.as_slice().get(index + 1).map_or(self.end_secs, |next| next.begin_secs)
    }
}

#[cfg(test)]
mod tests {
    use super::super::folding::ROWS;
    use super::*;

    #[test]
    fn columns_add_up_to_the_clip() {
        let mut digest = Digest::new(Components::Rgbl, 0.03);
        for number in 0..3000_u32 {
            let mut histogram = Histogram::empty(10, Components::Rgbl);
            for channel in 0..4 {
                for (bin, code) in histogram.bins_mut(channel).iter_mut().zip(0..) {
                    *bin = (number.wrapping_mul(2_654_435_761) ^ (code * 40_503 + channel as u32)) % 1000;
                }
            }
            let time_secs = f64::from(number) / 50.0;
            let place = FramePlace { number: number.into(), time_secs, duration_secs: 0.02, range: Range::Limited };
            digest.add(place, &histogram);
        }
        let gathered = digest.finish().unwrap();
        assert_eq!((gathered.frames, gathered.left_out, gathered.bits), (3000, 0, 10));
        assert_eq!(gathered.columns.frames_per_column(), 4);
        let columns = gathered.columns.total();
        for (channel, (name, bins)) in gathered.histogram.channels().enumerate() {
            let folded: Vec<u64> = bins.chunks(4).map(|bins| bins.iter().sum()).collect();
            assert_eq!(folded, columns[channel * ROWS..][..ROWS], "{name}");
        }
        assert_eq!((gathered.begin_secs, gathered.end_secs), (0.0, 2999.0 / 50.0 + 0.02));
    }

    #[test]
    fn a_still_without_a_duration_has_a_width() {
        let mut digest = Digest::new(Components::Rgbl, 0.03);
        let place = FramePlace { number: 0, time_secs: 0.0, duration_secs: 0.0, range: Range::Full };
        digest.add(place, &Histogram::empty(8, Components::Rgbl));
        assert!(digest.finish().unwrap().end_secs > 0.0);
        assert!(Digest::new(Components::Rgbl, 0.03).finish().is_none());
    }
}
