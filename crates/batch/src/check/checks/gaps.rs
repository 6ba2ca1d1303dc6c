//! Gaps of the time stamps.

use crate::analyze::pipeline::CountedFrame;
use crate::check::finding::Span;
use crate::check::row::{Check, CountedFile, Finder, Found, Threshold};
use histoscope_core::strip::MAX_LISTED;

/// Gaps of the time stamps.
pub static GAPS: Check = Check {
    name: "gaps",
    place: 8,
    threshold: Threshold::new("frame durations", 1.1, 1_000_000.0),
    has_length: false,
    limit: |rule| format!("{} frames", rule.threshold),
    start: |rule| Box::new(Gaps { longest: rule.threshold, before: None, found: Vec::new() }),
};

struct Gaps {
    /// The longest distance between two frames that is no gap, in durations of the first.
    longest: f64,
    before: Option<Span>,
    found: Vec<Found>,
}

impl Finder for Gaps {
    fn add(&mut self, here: Span, _: &CountedFrame) {
        let before = self.before.replace(here).filter(|before| before.end_secs > before.start_secs);
        let Some(before) = before.filter(|_| self.found.len() < MAX_LISTED) else { return };
        // In durations of the frame before, which is what the file states.
        let length = (here.start_secs - before.start_secs) / (before.end_secs - before.start_secs);
        if length > self.longest {
            let span = Span { end_secs: here.start_secs, ..before };
            self.found.push(Found::new(span, "gap of the time stamps".to_owned(), format!("{length:.1} frames")));
        }
    }

    fn finish(self: Box<Self>, file: &CountedFile<'_>) -> Vec<Found> {
        // Frames that adjoin have no gaps, whatever durations FFmpeg reports.
        if file.counted.info.frames_adjoin() { Vec::new() } else { self.found }
    }
}
