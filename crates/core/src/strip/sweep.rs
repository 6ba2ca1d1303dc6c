//! A sweep through every frame of a clip, from first to last, which makes its strip exact column by column and finds
//! cuts and findings along the way.

use super::cells::fold;
use super::columns::{COLUMNS, Cells, Progress, column_at};
use super::findings::{ExaminedFrame, Examiner};
use super::line::FrameFigures;

/// A sweep through a clip, from its first frame.
#[derive(Debug)]
pub struct Sweep {
    span_secs: f64,
    /// The current column.
    at: usize,
    cells: Cells,
    /// Number of cuts that have been reported.
    cuts_reported: usize,
    findings: Examiner,
    frames: u64,
}

impl Sweep {
    /// Starts a sweep. `span_secs` is the length of the clip's strip in seconds.
    #[must_use]
    pub fn new(span_secs: f64) -> Self {
        Self { span_secs, at: 0, cells: Cells::default(), cuts_reported: 0, findings: Examiner::default(), frames: 0 }
    }

    /// Adds the next frame, with its figures. If it begins a new column, the columns before it are exact and are returned for the strip.
    #[must_use]
    pub fn add(&mut self, seen: &ExaminedFrame<'_>, figures: &FrameFigures) -> Option<Progress> {
        let column = column_at(self.span_secs, seen.time_secs);
        let progress = (self.at < column).then(|| self.go_on_to(column));
        let cells = fold(seen.histogram);
        self.findings.push(self.frames, &cells, seen);
        self.cells.add(&cells);
        self.cells.figures.add(figures);
        self.frames += 1;
        progress
    }

    fn go_on_to(&mut self, column: usize) -> Progress {
        let cuts = self.findings.cuts();
        let has_more = cuts.len() > self.cuts_reported;
        self.cuts_reported = cuts.len();
        Progress {
            columns: std::mem::replace(&mut self.at, column)..column,
            cells: std::mem::take(&mut self.cells),
            cuts: has_more.then(|| cuts.to_vec()),
            findings: self.findings.take_new(),
        }
    }

    /// Ends the sweep. Returns the remaining columns, which are now exact, and all cuts and findings.
    #[must_use]
    pub fn finish(self) -> Progress {
        let found = self.findings.finish();
        let findings = Some(found.findings());
        Progress { columns: self.at..COLUMNS, cells: self.cells, cuts: Some(found.cuts), findings }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::{Components, Histogram};
    use crate::picture::color::Range;
    use crate::strip::{CELLS, FindingKind, ROWS, Strip, StripColumn};

    fn seen(time_secs: f64, histogram: &Histogram) -> ExaminedFrame<'_> {
        ExaminedFrame {
            time_secs,
            end_secs: time_secs + 1.0,
            histogram,
            range: Range::Limited,
            difference: None,
            timecode: None,
        }
    }

    /// Adds a frame and passes the progress to the strip.
    fn add(sweep: &mut Sweep, strip: &mut Strip, time_secs: f64, histogram: &Histogram) {
        if let Some(progress) = sweep.add(&seen(time_secs, histogram), &FrameFigures::default()) {
            strip.advance(progress);
        }
    }

    /// Returns a histogram that varies with the frame's number, with its peak in the middle before frame 60 and higher
    /// from there on.
    fn histogram(bits: u32, number: u32) -> Histogram {
        let mut histogram = Histogram::empty(bits, Components::Rgbl);
        for channel in 0..4_u32 {
            let bins = histogram.bins_mut(channel as usize);
            for (bin, code) in bins.iter_mut().zip(0_u32..) {
                *bin = (number.wrapping_mul(7919) ^ (code * 31 + channel)) % 9;
            }
            let middle = bins.len() / 2 + if number < 60 { 0 } else { bins.len() / 4 };
            bins[middle] += 100_000;
        }
        histogram
    }

    #[test]
    fn columns_add_up_to_the_frames_bins() {
        for (bits, frames) in [(8, 100), (10, 1024), (12, 3000)] {
            let mut strip = Strip::new(40.0).unwrap();
            let mut sweep = Sweep::new(40.0);
            let mut expected = vec![0_u64; CELLS];
            for number in 0..frames {
                let histogram = histogram(bits, number);
                for channel in 0..4 {
                    for (code, &bin) in histogram.bins(channel).iter().enumerate() {
                        expected[channel * ROWS + (code >> (bits - 8))] += u64::from(bin);
                    }
                }
                add(&mut sweep, &mut strip, 40.0 * f64::from(number) / f64::from(frames), &histogram);
            }
            assert!(!strip.is_complete());
            strip.advance(sweep.finish());
            assert!(strip.is_complete());
            assert_eq!(strip.total().frames(), u64::from(frames), "{frames} frames of {bits} bits");
            assert_eq!(strip.total().counts(), expected, "{frames} frames of {bits} bits");
            assert_eq!(strip.cuts().iter().map(|cut| cut.frame).collect::<Vec<_>>(), [60]);
        }
    }

    #[test]
    fn a_column_is_exact_once_a_later_column_has_begun() {
        let mut strip = Strip::new(1024.0).unwrap();
        strip.glimpse(0.0, &[1; CELLS]);
        strip.glimpse(9.0, &[1; CELLS]);
        let mut sweep = Sweep::new(strip.span_secs());
        add(&mut sweep, &mut strip, 0.0, &histogram(8, 0));
        assert_eq!(strip.counted_columns(), 0, "more frames may begin in its time");
        add(&mut sweep, &mut strip, 0.5, &histogram(8, 1));
        add(&mut sweep, &mut strip, 5.0, &histogram(8, 2));
        assert_eq!(strip.counted_columns(), 5);
        assert!(matches!(&strip.columns()[0], StripColumn::Counted(cells) if cells.frames() == 2));
        assert!(matches!(&strip.columns()[4], StripColumn::Counted(cells) if cells.frames() == 0));
        assert!(matches!(&strip.columns()[9], StripColumn::Glimpsed(cells) if cells.frames() == 1));
    }

    #[test]
    fn frames_beyond_the_stated_length_are_counted() {
        let mut strip = Strip::new(1.0).unwrap();
        let mut sweep = Sweep::new(1.0);
        for number in 0..10 {
            add(&mut sweep, &mut strip, f64::from(number), &histogram(8, number));
        }
        strip.advance(sweep.finish());
        assert_eq!((strip.total().frames(), strip.columns()[COLUMNS - 1].cells().frames()), (10, 9));
    }

    #[test]
    fn findings_are_reported_during_the_sweep_and_end_with_the_clip() {
        let dark = {
            let mut histogram = Histogram::empty(8, Components::Rgbl);
            (0..4).for_each(|channel| histogram.bins_mut(channel)[3] = 10);
            histogram
        };
        let mut strip = Strip::new(1024.0).unwrap();
        let mut sweep = Sweep::new(1024.0);
        for (time_secs, histogram) in [(0.0, &dark), (1.0, &histogram(8, 0)), (2.0, &dark)] {
            add(&mut sweep, &mut strip, time_secs, histogram);
        }
        let black = |strip: &Strip| -> Vec<_> {
            let black = strip.findings().iter().filter(|finding| finding.kind == FindingKind::Black);
            black.map(|finding| (finding.frame, finding.start_secs, finding.end_secs)).collect()
        };
        assert_eq!(black(&strip), [(0, 0.0, 1.0)]);
        strip.advance(sweep.finish());
        assert_eq!(black(&strip), [(0, 0.0, 1.0), (2, 2.0, 3.0)]);
    }
}
