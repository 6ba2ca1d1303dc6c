//! Gaps of the time stamps.

use crate::analyze::pipeline::CountedFrame;
use crate::check::finding::{Quantity, Span};
use crate::check::row::{Check, CountedFile, Finder, Found, Threshold};
use histoscope_core::strip::MAX_LISTED;

/// Gaps of the time stamps.
pub static GAPS: Check = Check {
    name: "gaps",
    place: 8,
    threshold: Some(Threshold::new("frame durations", 1.1, 1_000_000.0)),
    has_length: false,
    limit: |rule| frames(rule.threshold, format!("{} frames", rule.threshold)),
    start: |rule| Box::new(Gaps { longest: rule.threshold, before: None, found: Vec::new() }),
};

/// The share of frames behind which a gap lies from which a clip has a variable frame rate, and not gaps.
const VARIABLE_SHARE: f64 = 0.05;
/// The minimum number of such gaps.
const VARIABLE_GAPS: usize = 3;

fn frames(number: f64, text: String) -> Quantity {
    Quantity::of(number, "frames", text)
}

struct Gaps {
    /// The longest distance between two frames that is no gap, in durations of the first.
    longest: f64,
    before: Option<Span>,
    /// The gaps, and their lengths in durations of the frame before.
    found: Vec<(Span, f64)>,
}

impl Finder for Gaps {
    fn add(&mut self, here: Span, _: &CountedFrame) {
        let before = self.before.replace(here).filter(|before| before.end_secs > before.start_secs);
        let Some(before) = before.filter(|_| self.found.len() < MAX_LISTED) else { return };
        // In durations of the frame before, which is what the file states.
        let length = (here.start_secs - before.start_secs) / (before.end_secs - before.start_secs);
        if length > self.longest {
            self.found.push((Span { end_secs: here.start_secs, ..before }, length));
        }
    }

    fn finish(self: Box<Self>, file: &CountedFile<'_>) -> Vec<Found> {
        // Frames that adjoin have no gaps, whatever durations FFmpeg reports.
        if file.counted.info.frames_adjoin() {
            return Vec::new();
        }
        let gaps = self.found;
        let share = gaps.len() as f64 / file.counted.clip.frames as f64;
        if gaps.len() >= VARIABLE_GAPS && share >= VARIABLE_SHARE {
            let lengths = || gaps.iter().map(|(_, length)| *length);
            let [least, most] = [lengths().fold(f64::INFINITY, f64::min), lengths().fold(0.0, f64::max)];
            let text = format!("variable frame rate, {} gaps of the time stamps", gaps.len());
            return vec![Found::new(file.all, text, frames(most, format!("{least:.1} to {most:.1} frames")))];
        }
        let found = |(span, length)| {
            Found::new(span, "gap of the time stamps".to_owned(), frames(length, format!("{length:.1} frames")))
        };
        gaps.into_iter().map(found).collect()
    }
}
