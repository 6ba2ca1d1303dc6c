//! Frames that are repeated in a regular pattern.

use super::stretches::Stretches;
use crate::analyze::pipeline::CountedFrame;
use crate::check::finding::{Quantity, Span};
use crate::check::row::{Check, CountedFile, Finder, Found, Threshold};

/// Frames that are repeated in a regular pattern.
pub static CADENCE: Check = Check {
    name: "cadence",
    place: 9,
    threshold: Some(Threshold::new("periods", 2.0, 1000.0)),
    has_length: false,
    limit: |rule| Quantity::count(rule.threshold as u64, "period", "periods"),
    start: |rule| Box::new(Cadence { periods: rule.threshold, ..Cadence::default() }),
};

/// The longest pattern of repeated frames that is recognized, in frames.
const MAX_PERIOD: usize = 12;

/// Finds patterns of repeated frames: each period has the same frames repeated, and some that are not.
#[derive(Debug, Default)]
struct Cadence {
    /// The number of periods for which a pattern must hold.
    periods: f64,
    /// For the latest frames, `true` if they repeat the one before.
    latest: Vec<bool>,
    /// For each period, the number of frames for which the pattern has held.
    holds: [u64; MAX_PERIOD + 1],
    /// The pattern that holds: its period.
    period: Option<usize>,
    stretches: Stretches,
    /// Start times of the frames in `latest`, with the number of each.
    begun: Vec<(u64, f64)>,
}

impl Cadence {
    fn push(&mut self, here: Span, repeats: bool) {
        for period in 2..=MAX_PERIOD {
            let at = self.latest.len().checked_sub(period);
            let is_same = at.is_some_and(|at| self.latest[at] == repeats);
            self.holds[period] = if is_same { self.holds[period] + 1 } else { 0 };
        }
        self.latest.push(repeats);
        self.begun.push((here.frame, here.start_secs));
        if self.latest.len() > MAX_PERIOD {
            self.latest.remove(0);
            self.begun.remove(0);
        }
        let holds = |period: usize| {
            let window = &self.latest[self.latest.len().saturating_sub(period)..];
            let is_pattern = window.contains(&true) && window.contains(&false);
            is_pattern && self.holds[period] as f64 >= (self.periods - 1.0) * period as f64
        };
        self.period =
            self.period.filter(|period| self.holds[*period] > 0).or_else(|| (2..=MAX_PERIOD).find(|&p| holds(p)));
        let repeated = self.period.map(|period| {
            let window = &self.latest[self.latest.len().saturating_sub(period)..];
            window.iter().filter(|repeats| **repeats).count() as f64 / period as f64
        });
        let is_new = self.stretches.open.is_none();
        self.stretches.push(here, repeated);
        if let (true, Some(open), Some(period)) = (is_new, &mut self.stretches.open, self.period) {
            // The pattern began with the first period that it was compared with. Its time is known for the latest
            // frames only, so it is counted back at the rate of this frame.
            let before = self.holds[period] + period as u64 - 1;
            open.span.frame = here.frame.saturating_sub(before);
            open.span.start_secs = (here.start_secs - before as f64 * (here.end_secs - here.start_secs)).max(0.0);
        }
    }
}

impl Finder for Cadence {
    fn add(&mut self, here: Span, frame: &CountedFrame) {
        self.push(here, frame.inspected.difference.is_some_and(|difference| difference <= 0.0));
    }

    fn finish(self: Box<Self>, _: &CountedFile<'_>) -> Vec<Found> {
        let stretches = self.stretches.finish().into_iter();
        let found = |span, share| Found::new(span, "repeated in a pattern".to_owned(), Quantity::share(share));
        stretches.map(|stretch| found(stretch.span, stretch.value)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the patterns in these frames; 'r' repeats the one before.
    fn cadences(frames: &str) -> Vec<(u64, u64)> {
        let mut finder = Cadence { periods: 4.0, ..Cadence::default() };
        for (frame, letter) in (0..).zip(frames.chars()) {
            let (start_secs, end_secs) = (frame as f64, frame as f64 + 1.0);
            finder.push(Span { frame, last: frame, start_secs, end_secs }, letter == 'r');
        }
        finder.stretches.finish().iter().map(|stretch| (stretch.span.frame, stretch.span.last)).collect()
    }

    #[test]
    fn repeated_frames_in_a_pattern_are_a_cadence() {
        assert_eq!(cadences(&"....r".repeat(10)), [(0, 49)]);
        assert_eq!(cadences(&".r.rr".repeat(10)), [(0, 49)]);
        let doubled = format!("{}{}{}", ".".repeat(20), ".r".repeat(20), ".".repeat(20));
        assert_eq!(cadences(&doubled).len(), 1, "{:?}", cadences(&doubled));
        for none in [".".repeat(100), format!(".{}", "r".repeat(100)), format!("{}r{}", ".".repeat(30), ".".repeat(30))]
        {
            assert_eq!(cadences(&none), [], "{none}");
        }
    }
}
