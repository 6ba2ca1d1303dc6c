//! Pixels outside the limits of EBU R 103.

use super::stretches::Stretches;
use crate::analyze::pipeline::CountedFrame;
use crate::check::finding::Span;
use crate::check::row::{Check, CountedFile, Finder, Found, Threshold, limit_in_percent};

/// Pixels outside the limits of EBU R 103.
pub static RANGE: Check = Check {
    name: "range",
    place: 5,
    threshold: Some(Threshold::percent(0.0)),
    has_length: true,
    limit: limit_in_percent,
    start: |rule| Box::new(Outside { tolerated: rule.share(), stretches: Stretches::flickering() }),
};

struct Outside {
    tolerated: f64,
    stretches: Stretches,
}

impl Finder for Outside {
    fn add(&mut self, here: Span, frame: &CountedFrame) {
        self.stretches.push(here, frame.inspected.outside_r103.filter(|share| *share > self.tolerated));
    }

    fn finish(self: Box<Self>, _: &CountedFile<'_>) -> Vec<Found> {
        self.stretches.finish().iter().map(|stretch| stretch.found("outside EBU R 103")).collect()
    }
}
