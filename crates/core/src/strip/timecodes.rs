//! Runs of consecutive timecodes, and the breaks between them.

use serde::{Deserialize, Serialize};

use super::cuts::MAX_LISTED;
use crate::picture::{Timecode, TimecodeRate};

/// A break: a frame's timecode that does not follow from the previous ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimecodeBreak {
    /// The timecode that would have followed.
    pub expected: Timecode,
    /// The frame's actual timecode.
    pub found: Timecode,
}

/// A run of frames whose timecodes follow from the first frame's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimecodeRun {
    /// Number of the first frame.
    pub frame: u64,
    /// Time at which the first frame begins, in seconds.
    pub time_secs: f64,
    /// The break before the first frame; `None` for the first run.
    pub broken: Option<TimecodeBreak>,
    first: Timecode,
    rate: TimecodeRate,
}

/// The runs of a clip. All or some of its frames are pushed in order. All runs are counted, and the first
/// [`MAX_LISTED`] are kept.
#[derive(Debug, Clone, Default)]
pub struct TimecodeRuns {
    runs: Vec<TimecodeRun>,
    /// The current run.
    now: Option<TimecodeRun>,
    found: u64,
    breaks: u64,
    /// Number and timecode of the last frame, if it is displayed for one and a half frames, as with a repeated field.
    long: Option<(u64, Timecode)>,
}

impl TimecodeRuns {
    /// Takes the next frame, with its number, its time and its end. Returns the break before it, if there is one. A
    /// frame without a timecode is ignored. After a repeated field, the timecode may have advanced by two frames.
    pub fn push(
        &mut self,
        (frame, time_secs, end_secs): (u64, f64, f64),
        label: Option<(Timecode, TimecodeRate)>,
    ) -> Option<TimecodeBreak> {
        let (first, rate) = label?;
        let expected = self.now.and_then(|run| run.timecode_of(frame));
        let displayed = (end_secs - time_secs) * rate.per_second();
        let before = self.long.take().filter(|(last, _)| last + 1 == frame);
        self.long = (1.4..1.6).contains(&displayed).then_some((frame, first));
        if expected == Some(first) {
            return None;
        }
        let is_explained = before.is_some_and(|(_, last)| matches!(rate.distance(last, first), Some(1 | 2)));
        let broken = expected.filter(|_| !is_explained).map(|expected| TimecodeBreak { expected, found: first });
        self.breaks += u64::from(broken.is_some());
        let run = TimecodeRun { frame, time_secs, broken, first, rate };
        self.now = Some(run);
        self.found += 1;
        if self.runs.len() < MAX_LISTED {
            self.runs.push(run);
        }
        broken
    }

    /// Returns the runs that are kept, in order.
    #[must_use]
    pub fn listed(&self) -> &[TimecodeRun] {
        &self.runs
    }

    /// Returns the number of breaks.
    #[must_use]
    pub const fn breaks(&self) -> u64 {
        self.breaks
    }

    /// Returns the timecode of the frame with this number. Returns `None` if the frame precedes all runs, or may belong
    /// to a run that is not kept.
    #[must_use]
    pub fn timecode_of(&self, frame: u64) -> Option<Timecode> {
        let after = self.runs.partition_point(|run| run.frame <= frame);
        let is_known = after < self.runs.len() || self.found == self.runs.len() as u64;
        self.runs[..after].last().filter(|_| is_known)?.timecode_of(frame)
    }
}

impl TimecodeRun {
    fn timecode_of(&self, frame: u64) -> Option<Timecode> {
        self.rate.after(self.first, frame.checked_sub(self.frame)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the runs and breaks of frames with these timecodes; an empty text stands for no timecode.
    fn runs(texts: &[&str]) -> (TimecodeRuns, Vec<(u64, String, String)>) {
        let rate = TimecodeRate::of(25, 1).unwrap();
        let mut runs = TimecodeRuns::default();
        let mut breaks = Vec::new();
        for (frame, text) in (10..).zip(texts) {
            let label = Timecode::parse(text).map(|timecode| (timecode, rate));
            if let Some(TimecodeBreak { expected, found }) =
                runs.push((frame, frame as f64 / 25.0, (frame + 1) as f64 / 25.0), label)
            {
                breaks.push((frame, expected.to_string(), found.to_string()));
            }
        }
        (runs, breaks)
    }

    #[test]
    fn a_timecode_that_does_not_follow_is_a_break() {
        let (runs, breaks) = runs(&[
            "",
            "23:59:59:23",
            "23:59:59:24",
            "00:00:00:00",
            "00:00:00:00",
            "",
            "00:00:00:02",
            "00:00:00:01",
            "12:00:00:00",
        ]);
        let expected = [
            (14, "00:00:00:01", "00:00:00:00"),
            (17, "00:00:00:03", "00:00:00:01"),
            (18, "00:00:00:02", "12:00:00:00"),
        ];
        assert_eq!(breaks, expected.map(|(frame, a, b)| (frame, a.to_owned(), b.to_owned())));
        assert_eq!((runs.breaks(), runs.listed().len()), (3, 4));
        let timecode = |frame| runs.timecode_of(frame).map(|timecode| timecode.to_string());
        assert_eq!(timecode(10), None);
        assert_eq!(timecode(13).as_deref(), Some("00:00:00:00"));
        assert_eq!(timecode(15).as_deref(), Some("00:00:00:01"), "it is between two that are known");
        assert_eq!(timecode(20).as_deref(), Some("12:00:00:02"));
    }

    #[test]
    fn repeated_fields_advance_the_timecode_by_one_frame_or_two() {
        let rate = TimecodeRate::of(30_000, 1001).unwrap();
        let mut runs = TimecodeRuns::default();
        let mut push = |frame: u64, fields: [u32; 2], text| {
            let [start, end] = fields.map(|fields| f64::from(fields) * 1001.0 / 60_000.0);
            runs.push((frame, start, end), Timecode::parse(text).map(|timecode| (timecode, rate)))
        };
        let frames =
            [([0, 3], "00:00:00:00"), ([3, 5], "00:00:00:01"), ([5, 8], "00:00:00:02"), ([8, 10], "00:00:00:04")];
        for (frame, (fields, text)) in (0..).zip(frames) {
            assert_eq!(push(frame, fields, text), None, "frame {frame}");
        }
        assert!(push(4, [10, 12], "00:00:00:06").is_some(), "it follows a frame of two fields");
        assert_eq!(runs.breaks(), 1);
    }

    #[test]
    fn skipped_frames_are_not_a_break() {
        let rate = TimecodeRate::of(25, 1).unwrap();
        let mut runs = TimecodeRuns::default();
        for (frame, text) in [(0, "10:00:00:00"), (25, "10:00:01:00"), (50, "10:00:02:00")] {
            assert_eq!(runs.push((frame, 0.0, 0.04), Timecode::parse(text).map(|timecode| (timecode, rate))), None);
        }
        assert_eq!(runs.breaks(), 0);
        assert_eq!(TimecodeRuns::default().breaks(), 0);
    }

    #[test]
    fn only_the_first_runs_are_kept() {
        let rate = TimecodeRate::of(25, 1).unwrap();
        let mut runs = TimecodeRuns::default();
        let most = MAX_LISTED as u64 + 5;
        for frame in 0..most {
            runs.push((frame, 0.0, 0.04), Some((rate.timecode(frame * 7, false), rate)));
        }
        assert_eq!((runs.breaks(), runs.listed().len()), (most - 1, MAX_LISTED));
        assert_eq!(runs.timecode_of(most - 1), None, "others have begun since");
        assert!(runs.timecode_of(3).is_some());
    }
}
