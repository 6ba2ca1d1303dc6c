//! The highest level of the luminance in each frame, and the lowest in the whole clip.

use super::stretches::Beyond;
use crate::analyze::pipeline::CountedFrame;
use crate::check::finding::{Quantity, Span};
use crate::check::row::{Check, CountedFile, Finder, Found, Threshold, limit_in_percent};
use histoscope_core::histogram::{Components, Histogram};

/// The highest level of the luminance.
pub static PEAK: Check = Check::of_share("peak", 6, |rule| Box::new(Beyond::new(rule.share(), "peak", peak)));
/// The lowest level of the clip's luminance.
pub static BLACK_LEVEL: Check = Check {
    name: "black-level",
    place: 11,
    threshold: Some(Threshold::percent(0.0)),
    has_length: false,
    limit: limit_in_percent,
    start: |rule| Box::new(BlackLevel { threshold: rule.share(), lowest: None }),
};

/// The share of a frame's luminance that must reach a level for it to count as the frame's peak or black.
const LEVEL_SHARE: f64 = 0.001;

fn peak(frame: &CountedFrame) -> Option<f64> {
    level(frame.counts.rgbl.as_ref()?, true)
}

struct BlackLevel {
    threshold: f64,
    lowest: Option<f64>,
}

impl Finder for BlackLevel {
    fn add(&mut self, _: Span, frame: &CountedFrame) {
        let black = frame.counts.rgbl.as_ref().and_then(|histogram| level(histogram, false));
        self.lowest = [self.lowest, black].into_iter().flatten().reduce(f64::min);
    }

    fn finish(self: Box<Self>, file: &CountedFile<'_>) -> Vec<Found> {
        let lifted = self.lowest.filter(|black| *black > self.threshold);
        let found = lifted
            .map(|black| Found::new(file.all, "the darkest level of the clip".to_owned(), Quantity::share(black)));
        found.into_iter().collect()
    }
}

/// Returns the highest level that a thousandth of the luminance reaches, or the lowest that a thousandth does not
/// exceed, as a fraction of the scale.
fn level(histogram: &Histogram, is_highest: bool) -> Option<f64> {
    if histogram.components != Components::Rgbl {
        return None;
    }
    let bins = histogram.bins(3);
    let count: u64 = bins.iter().map(|&bin| u64::from(bin)).sum();
    let least = (count as f64 * LEVEL_SHARE).max(1.0);
    let at = |step: usize| if is_highest { bins.len() - 1 - step } else { step };
    let mut sum = 0.0;
    let step = (0..bins.len()).find(|&step| {
        sum += f64::from(bins[at(step)]);
        sum >= least
    });
    Some(at(step?) as f64 / (bins.len() - 1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_ignore_a_few_pixels() {
        let levels = |histogram: &Histogram| [false, true].map(|is_highest| level(histogram, is_highest));
        let mut histogram = Histogram::empty(8, Components::Rgbl);
        histogram.bins_mut(3)[51] = 99_990;
        histogram.bins_mut(3)[0] = 5;
        histogram.bins_mut(3)[255] = 5;
        assert_eq!(levels(&histogram), [Some(0.2), Some(0.2)]);
        histogram.bins_mut(3)[204] = 5000;
        assert_eq!(levels(&histogram), [Some(0.2), Some(0.8)]);
        assert_eq!(levels(&Histogram::empty(8, Components::Rgbl)), [None, None]);
    }
}
