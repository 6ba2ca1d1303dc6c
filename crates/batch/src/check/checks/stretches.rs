//! Consecutive frames with a finding.

use crate::analyze::pipeline::CountedFrame;
use crate::check::finding::{FramePoint, Quantity, Span};
use crate::check::row::{CountedFile, Finder, Found};
use histoscope_core::strip::MAX_LISTED;
use histoscope_core::text::counted;

/// The maximum gap in seconds within a stretch of values that flicker around a threshold, as for clipped frames.
const GAP_SECS: f64 = 0.5;

/// Frames with a finding, and the largest of their values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stretch {
    pub span: Span,
    pub value: f64,
    /// The frame with that value.
    pub worst: FramePoint,
}

impl Stretch {
    const fn new(span: Span, value: f64) -> Self {
        let worst = FramePoint { frame: span.frame, time_secs: span.start_secs };
        Self { span, value, worst }
    }

    /// Returns a finding whose text ends with the number of frames, and whose value is a share.
    pub fn found(&self, what: &str) -> Found {
        let text = format!("{what}, {}", counted(self.span.frames(), "frame"));
        Found { worst: Some(self.worst), ..Found::new(self.span, text, Quantity::share(self.value)) }
    }
}

/// The stretches of one check.
#[derive(Debug, Default)]
pub struct Stretches {
    /// The longest gap within a stretch, in seconds.
    gap_secs: f64,
    pub open: Option<Stretch>,
    done: Vec<Stretch>,
}

impl Stretches {
    /// Stretches of values that flicker around a threshold.
    pub fn flickering() -> Self {
        Self { gap_secs: GAP_SECS, ..Self::default() }
    }

    /// Takes the next frame, and its value if it belongs to a stretch.
    pub fn push(&mut self, here: Span, value: Option<f64>) {
        // Times have rounding errors.
        let is_apart = |open: &Stretch| here.start_secs - open.span.end_secs >= self.gap_secs - 1e-6;
        if value.is_none() && self.open.as_ref().is_some_and(is_apart) {
            self.close();
        }
        match (&mut self.open, value) {
            (Some(open), Some(value)) => {
                (open.span.last, open.span.end_secs) = (here.last, here.end_secs);
                if value > open.value {
                    *open = Stretch { span: open.span, ..Stretch::new(here, value) };
                }
            }
            (None, Some(value)) => self.open = Some(Stretch::new(here, value)),
            (_, None) => {}
        }
    }

    fn close(&mut self) {
        self.done.extend(self.open.take().filter(|_| self.done.len() < MAX_LISTED));
    }

    /// Ends the file and returns the stretches.
    pub fn finish(mut self) -> Vec<Stretch> {
        self.close();
        self.done
    }
}

/// Finds stretches of frames with a value beyond a limit, which may flicker around it.
pub struct Beyond {
    limit: f64,
    what: &'static str,
    /// Returns the value of a frame, if it is known.
    value: fn(&CountedFrame) -> Option<f64>,
    /// Returns the value of a finding.
    quantity: fn(&Stretch) -> Quantity,
    stretches: Stretches,
}

impl Beyond {
    /// Finds frames with more than a share of something.
    pub fn new(limit: f64, what: &'static str, share: fn(&CountedFrame) -> Option<f64>) -> Self {
        Self::of(limit, what, share, |stretch| Quantity::share(stretch.value))
    }

    /// Finds frames with a value of another kind.
    pub fn of(
        limit: f64,
        what: &'static str,
        value: fn(&CountedFrame) -> Option<f64>,
        quantity: fn(&Stretch) -> Quantity,
    ) -> Self {
        Self { limit, what, value, quantity, stretches: Stretches::flickering() }
    }

    /// Ends a stretch with the first frame that is not beyond the limit.
    pub fn unbroken(self) -> Self {
        Self { stretches: Stretches::default(), ..self }
    }
}

impl Finder for Beyond {
    fn add(&mut self, here: Span, frame: &CountedFrame) {
        self.stretches.push(here, (self.value)(frame).filter(|value| *value > self.limit));
    }

    fn finish(self: Box<Self>, _: &CountedFile<'_>) -> Vec<Found> {
        let Self { what, quantity, .. } = *self;
        let found = |stretch: &Stretch| Found { value: quantity(stretch), ..stretch.found(what) };
        self.stretches.finish().iter().map(found).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_end_with_the_clip() {
        let found = |gap_secs| {
            let mut stretches = Stretches { gap_secs, ..Stretches::default() };
            for (frame, value) in (0..).zip([None, Some(0.2), Some(0.3), None, Some(0.1)]) {
                let (start_secs, end_secs) = (frame as f64, frame as f64 + 1.0);
                stretches.push(Span { frame, last: frame, start_secs, end_secs }, value);
            }
            let found = stretches.finish();
            found.iter().map(|s| (s.span.frame, s.span.last, s.value, s.worst.frame)).collect::<Vec<_>>()
        };
        assert_eq!(found(0.0), [(1, 2, 0.3, 2), (4, 4, 0.1, 4)]);
        assert_eq!(found(1.5), [(1, 4, 0.3, 2)]);
    }
}
