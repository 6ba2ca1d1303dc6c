//! A clip of any length, collected frame by frame in a fixed amount of memory: a fixed number of columns, with time
//! from left to right, level from bottom to top, and exact sums; its cuts, its worst frames, and its histogram.
//!
//! Each column is the sum of the same number of consecutive frames; only the last column may have fewer. When there are
//! too many columns, pairs of neighbours are merged, and each column then takes twice as many frames. Integer sums do
//! not depend on order, so the result does not depend on when columns were merged.

use histoscope_core::histogram::{ClipHistogram, Components, Histogram};
use histoscope_core::picture::color::Range;
use histoscope_core::picture::{Timecode, TimecodeRate};
use histoscope_core::sound::{SoundFigures, decibels};
use histoscope_core::strip::{
    Cut, CutFinder, ExaminedClip, ExaminedFrame, Examiner, Finding, FindingLimits, MAX_LISTED, TimecodeRuns,
    WorstFrame, fold,
};

/// Maximum number of columns. A clip with more frames than that has at least half as many columns.
pub const MAX_COLUMNS: usize = 1024;

/// A frame's position in the clip and the range of its codes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FramePlace {
    /// Number of the frame in the video.
    pub number: u64,
    /// Start of the frame, in seconds from the start of the video.
    pub time_secs: f64,
    /// Duration of the frame in seconds.
    pub duration_secs: f64,
    /// Range of the frame's codes.
    pub range: Range,
    /// Timecode of the frame, and the rate of its timecodes.
    pub timecode: Option<(Timecode, TimecodeRate)>,
    /// The difference from the previous frame; see [`Differences::push`](histoscope_core::strip::Differences::push).
    pub difference: Option<f64>,
    /// The levels of the frame's sound.
    pub sound: SoundLevels,
}

/// Levels of sound; −∞ if it is silent or there is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SoundLevels {
    /// Short-term loudness in LUFS.
    pub short_term: f64,
    /// True peak in dBTP.
    pub true_peak: f64,
}

impl Default for SoundLevels {
    fn default() -> Self {
        Self { short_term: f64::NEG_INFINITY, true_peak: f64::NEG_INFINITY }
    }
}

impl SoundLevels {
    /// Returns the levels of this sound.
    #[must_use]
    pub fn of(sound: &SoundFigures) -> Self {
        let level = |level: Option<f64>| level.unwrap_or(f64::NEG_INFINITY);
        Self { short_term: level(sound.short_term), true_peak: level(decibels(sound.true_peak)) }
    }

    const fn max(self, other: Self) -> Self {
        Self { short_term: self.short_term.max(other.short_term), true_peak: self.true_peak.max(other.true_peak) }
    }
}

/// Collects a clip frame by frame.
#[derive(Debug)]
pub struct ClipBuilder {
    components: Components,
    threshold: f64,
    columns: Columns,
    histogram: ClipHistogram,
    left_out: u64,
    examiner: Examiner,
    frames: u64,
    bits: u32,
    range: Range,
    end_secs: f64,
}

/// A collected clip.
#[derive(Debug)]
pub struct Clip {
    /// The counted components.
    pub components: Components,
    /// The clip in columns.
    pub columns: Columns,
    /// The sum of all frames that have the first frame's bit depth, at that depth.
    pub histogram: ClipHistogram,
    /// Number of frames with a different depth. They are included in the columns but not in the histogram.
    pub left_out: u64,
    /// The cuts: at least those that a report lists.
    pub cuts: Vec<Cut>,
    /// Total number of cuts.
    pub cuts_found: u64,
    /// The minimum distance between frames that may be a cut, as a fraction of the scale.
    pub threshold: f64,
    /// The worst frames, in the order of [`Flaw::ALL`](histoscope_core::strip::Flaw::ALL).
    pub worst: [Vec<WorstFrame>; 3],
    /// Black, frozen and clipped segments and flashes, in order of time.
    pub segments: Vec<Finding>,
    /// The timecodes of the clip's frames, and the breaks between them.
    pub timecodes: TimecodeRuns,
    /// Number of frames.
    pub frames: u64,
    /// Bits of the first frame's bins: each channel has 2^bits bins.
    pub bits: u32,
    /// Range of the first frame's codes.
    pub range: Range,
    /// Start of the first frame in seconds.
    pub begin_secs: f64,
    /// End of the last frame in seconds; always after `begin_secs`.
    pub end_secs: f64,
}

impl ClipBuilder {
    /// Creates an empty clip. `threshold` is the minimum distance for a cut, as a fraction of the scale.
    #[must_use]
    pub fn new(components: Components, threshold: f64) -> Self {
        Self {
            components,
            threshold,
            columns: Columns::default(),
            histogram: ClipHistogram::default(),
            left_out: 0,
            examiner: Examiner::new(CutFinder::new(threshold), FindingLimits::default()),
            frames: 0,
            bits: 8,
            range: Range::Limited,
            end_secs: 0.0,
        }
    }

    /// Keeps every cut, not only those that a report lists.
    #[must_use]
    pub fn keeping_all_cuts(self) -> Self {
        Self { examiner: self.examiner.keeping_all_cuts(), ..self }
    }

    /// Examines the frames by these limits.
    #[must_use]
    pub fn with_limits(self, limits: FindingLimits) -> Self {
        Self { examiner: Examiner::new(CutFinder::new(self.threshold), limits), ..self }
    }

    /// Adds the next frame.
    pub fn add(&mut self, place: FramePlace, histogram: &Histogram) {
        let FramePlace { number, time_secs, duration_secs, range, timecode, difference, sound } = place;
        if self.frames == 0 {
            (self.bits, self.range) = (histogram.bits, range);
        }
        self.frames += 1;
        self.left_out += u64::from(!self.histogram.add(histogram));
        let cells = fold(histogram);
        // A still picture may have no duration, but still needs a width.
        self.end_secs = time_secs + if duration_secs > 0.0 { duration_secs } else { 0.04 };
        let seen = ExaminedFrame { time_secs, end_secs: self.end_secs, histogram, range, difference, timecode };
        let figures = self.examiner.push(number, &cells, &seen);
        let change = figures.change;
        let [lowest, highest, outside] = figures.shares.map(|share| share.share);
        self.columns.add(ClipColumn {
            first_frame: number,
            last_frame: number,
            begin_secs: time_secs,
            frames: 1,
            cells,
            strip: Strip { change, lowest, highest, outside, sound },
        });
    }

    /// Returns the number of frames so far.
    #[must_use]
    pub const fn frames(&self) -> u64 {
        self.frames
    }

    /// Returns the cuts found so far.
    #[must_use]
    pub fn cuts(&self) -> &[Cut] {
        self.examiner.cuts()
    }

    /// Returns `true` if this frame is among the worst so far, or is the worst of the current stretch or second.
    #[must_use]
    pub fn has_among_worst(&self, frame: u64) -> bool {
        self.examiner.has_among_worst(frame)
    }

    /// Returns the finished clip, or `None` if it has no frames.
    #[must_use]
    pub fn finish(self) -> Option<Clip> {
        let begin_secs = self.columns.as_slice().first()?.begin_secs;
        let ExaminedClip { cuts, cuts_found, segments, worst, timecodes } = self.examiner.finish();
        Some(Clip {
            components: self.components,
            columns: self.columns,
            histogram: self.histogram,
            left_out: self.left_out,
            cuts,
            cuts_found,
            threshold: self.threshold,
            worst,
            segments,
            timecodes,
            frames: self.frames,
            bits: self.bits,
            range: self.range,
            begin_secs,
            end_secs: self.end_secs,
        })
    }
}

impl Clip {
    /// Returns the cuts that a report lists.
    #[must_use]
    pub fn listed_cuts(&self) -> &[Cut] {
        &self.cuts[..self.cuts.len().min(MAX_LISTED)]
    }

    /// Returns the position of a time in the clip, from 0 at the start to 1 at the end.
    #[must_use]
    pub fn part_of(&self, time_secs: f64) -> f64 {
        (time_secs - self.begin_secs) / (self.end_secs - self.begin_secs)
    }

    /// Returns the end of a column in seconds, which is the start of the next one.
    #[must_use]
    pub fn column_end_secs(&self, index: usize) -> f64 {
        self.columns.as_slice().get(index + 1).map_or(self.end_secs, |next| next.begin_secs)
    }
}

/// A frame's figures for the strips, besides its counts.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Strip {
    /// Earth mover's distance from the previous frame, as a fraction of the scale; 0 for the first frame.
    pub change: f64,
    /// Largest share of a channel's samples at the lowest code.
    pub lowest: f64,
    /// Largest share of a channel's samples at the highest code.
    pub highest: f64,
    /// Largest share of a channel's samples out of range.
    pub outside: f64,
    /// Levels of the sound.
    pub sound: SoundLevels,
}

impl Strip {
    /// Returns the maximum of each figure.
    const fn max(self, other: Self) -> Self {
        Self {
            change: self.change.max(other.change),
            lowest: self.lowest.max(other.lowest),
            highest: self.highest.max(other.highest),
            outside: self.outside.max(other.outside),
            sound: self.sound.max(other.sound),
        }
    }
}

/// The sum of consecutive frames.
#[derive(Debug, Clone, PartialEq)]
pub struct ClipColumn {
    /// Number of the first frame.
    pub first_frame: u64,
    /// Number of the last frame.
    pub last_frame: u64,
    /// Start of the first frame in seconds.
    pub begin_secs: f64,
    /// Number of frames.
    pub frames: u64,
    /// Sums of the frames' counts: [`ROWS`](histoscope_core::strip::ROWS) rows per channel, channel by channel.
    pub cells: Vec<u64>,
    /// The maximum of each figure over the frames.
    pub strip: Strip,
}

impl ClipColumn {
    fn add(&mut self, other: &Self) {
        self.last_frame = other.last_frame;
        self.frames += other.frames;
        self.strip = self.strip.max(other.strip);
        for (sum, count) in self.cells.iter_mut().zip(&other.cells) {
            *sum += count;
        }
    }
}

/// The columns of a clip.
#[derive(Debug, Clone, PartialEq)]
pub struct Columns {
    columns: Vec<ClipColumn>,
    frames_per_column: u64,
    max_columns: usize,
}

impl Default for Columns {
    fn default() -> Self {
        Self::new(MAX_COLUMNS)
    }
}

impl Columns {
    /// Creates an empty set of at most `max_columns` columns, which must be even.
    #[must_use]
    pub const fn new(max_columns: usize) -> Self {
        Self { columns: Vec::new(), frames_per_column: 1, max_columns }
    }

    /// Adds a frame, given as a column of one frame.
    pub fn add(&mut self, frame: ClipColumn) {
        if let Some(last) = self.columns.last_mut().filter(|last| last.frames < self.frames_per_column) {
            last.add(&frame);
            return;
        }
        if self.columns.len() == self.max_columns {
            self.merge_neighbours();
        }
        self.columns.push(frame);
    }

    fn merge_neighbours(&mut self) {
        self.frames_per_column *= 2;
        let mut pairs = std::mem::take(&mut self.columns).into_iter();
        while let Some(mut left) = pairs.next() {
            if let Some(right) = pairs.next() {
                left.add(&right);
            }
            self.columns.push(left);
        }
    }

    /// Returns the columns in order.
    #[must_use]
    pub fn as_slice(&self) -> &[ClipColumn] {
        &self.columns
    }

    /// Returns the number of frames in each column. Only the last column may have fewer.
    #[must_use]
    pub const fn frames_per_column(&self) -> u64 {
        self.frames_per_column
    }

    /// Returns the sum of all columns.
    #[must_use]
    pub fn total(&self) -> Vec<u64> {
        let mut total = vec![0; self.columns.first().map_or(0, |column| column.cells.len())];
        for column in &self.columns {
            for (sum, count) in total.iter_mut().zip(&column.cells) {
                *sum += count;
            }
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::strip::ROWS;
    use histoscope_core::test_data::histogram;

    fn frame(number: u64) -> ClipColumn {
        let cells = fold(&histogram(8, number as u32));
        let strip = Strip { change: number as f64, ..Strip::default() };
        let begin_secs = number as f64 / 25.0;
        ClipColumn { first_frame: number, last_frame: number, begin_secs, frames: 1, cells, strip }
    }

    #[test]
    fn columns_contain_every_frame_exactly_once() {
        for frames in [1, 7, 8, 9, 16, 17, 33, 100, 1000] {
            let mut columns = Columns::new(8);
            let mut expected = vec![0; 4 * ROWS];
            for number in 0..frames {
                let frame = frame(number);
                for (sum, count) in expected.iter_mut().zip(&frame.cells) {
                    *sum += count;
                }
                columns.add(frame);
            }
            assert_eq!(columns.total(), expected, "{frames} frames");
            let columns_of = columns.as_slice();
            assert!(columns_of.len() <= 8 && (frames < 8 || columns_of.len() > 4), "{frames} frames");
            let mut next = 0;
            for column in columns_of {
                assert_eq!(column.first_frame, next, "{frames} frames");
                assert_eq!(column.last_frame + 1 - column.first_frame, column.frames);
                assert_eq!(column.begin_secs, next as f64 / 25.0);
                assert_eq!(column.strip.change, column.last_frame as f64, "the largest of its frames");
                next = column.last_frame + 1;
            }
            assert_eq!(next, frames);
            let full = &columns_of[..columns_of.len() - 1];
            assert!(full.iter().all(|column| column.frames == columns.frames_per_column()), "{frames} frames");
        }
    }

    #[test]
    fn columns_add_up_to_the_clip() {
        let mut builder = ClipBuilder::new(Components::Rgbl, 0.03);
        for number in 0..3000_u32 {
            let mut histogram = Histogram::empty(10, Components::Rgbl);
            for channel in 0..4 {
                for (bin, code) in histogram.bins_mut(channel).iter_mut().zip(0..) {
                    *bin = (number.wrapping_mul(2_654_435_761) ^ (code * 40_503 + channel as u32)) % 1000;
                }
            }
            let time_secs = f64::from(number) / 50.0;
            let place = FramePlace {
                number: number.into(),
                time_secs,
                duration_secs: 0.02,
                range: Range::Limited,
                timecode: None,
                difference: None,
                sound: SoundLevels::default(),
            };
            builder.add(place, &histogram);
        }
        let clip = builder.finish().unwrap();
        assert_eq!((clip.frames, clip.left_out, clip.bits), (3000, 0, 10));
        assert_eq!(clip.columns.frames_per_column(), 4);
        let columns = clip.columns.total();
        for (channel, (name, bins)) in clip.histogram.channels().enumerate() {
            let folded: Vec<u64> = bins.chunks(4).map(|bins| bins.iter().sum()).collect();
            assert_eq!(folded, columns[channel * ROWS..][..ROWS], "{name}");
        }
        assert_eq!((clip.begin_secs, clip.end_secs), (0.0, 2999.0 / 50.0 + 0.02));
    }

    #[test]
    fn a_still_without_duration_has_a_width() {
        let mut builder = ClipBuilder::new(Components::Rgbl, 0.03);
        let place = FramePlace {
            number: 0,
            time_secs: 0.0,
            duration_secs: 0.0,
            range: Range::Full,
            timecode: None,
            difference: None,
            sound: SoundLevels::default(),
        };
        builder.add(place, &Histogram::empty(8, Components::Rgbl));
        assert!(builder.finish().unwrap().end_secs > 0.0);
        assert!(ClipBuilder::new(Components::Rgbl, 0.03).finish().is_none());
    }
}
