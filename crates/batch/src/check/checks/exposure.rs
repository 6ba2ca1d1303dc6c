//! Jumps of the exposure: the brightness changes abruptly, and the picture stays the same.

use crate::analyze::pipeline::CountedFrame;
use crate::check::finding::{Quantity, Span};
use crate::check::row::{Check, CountedFile, Finder, Found, Threshold, limit_in_percent};
use crate::report::times::percent;
use histoscope_core::picture::region::Rect;
use histoscope_core::strip::{Cut, MAX_LISTED};
use histoscope_core::text::counted;

/// Jumps of the exposure.
pub static EXPOSURE: Check = Check {
    name: "exposure",
    place: 10,
    threshold: Some(Threshold::percent(1.0)),
    has_length: false,
    limit: limit_in_percent,
    start: |rule| Box::new(Exposure { active: None, jumps: JumpFinder::new(rule.share()) }),
};

struct Exposure {
    /// The active picture of the last frame.
    active: Option<Rect>,
    jumps: JumpFinder,
}

impl Finder for Exposure {
    fn add(&mut self, here: Span, frame: &CountedFrame) {
        let Some(histogram) = &frame.counts.rgbl else { return };
        // A bar that appears darkens the picture, too.
        let picture = frame.inspected.active.map(|active| active.picture);
        let has_same_bars = std::mem::replace(&mut self.active, picture) == picture;
        let luminance = histogram.stats(3, None).mean / (histogram.bin_count() - 1) as f64;
        self.jumps.push(here, luminance, frame.inspected.resembles && has_same_bars);
    }

    fn finish(self: Box<Self>, file: &CountedFile<'_>) -> Vec<Found> {
        let found = |Jump { span, levels: [before, after], returns }: Jump| {
            let frames = if returns { format!(", {}", counted(span.frames(), "frame")) } else { String::new() };
            let text = format!("exposure jumps from {} to {}{frames}", percent(before), percent(after));
            Found::new(span, text, Quantity::share((after - before).abs()))
        };
        self.jumps.finish(&file.counted.clip.cuts).into_iter().map(found).collect()
    }
}

/// A frame that shows the same as the one before it, brighter or darker.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Step {
    here: Span,
    /// Mean luminance before and after, as fractions of the scale.
    levels: [f64; 2],
}

impl Step {
    fn change(&self) -> f64 {
        self.levels[1] - self.levels[0]
    }
}

/// Frames after a jump of the exposure.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Jump {
    /// From the jump to the frame before the exposure returns, or the frame of the jump if it does not.
    span: Span,
    /// Mean luminance before and after, as fractions of the scale.
    levels: [f64; 2],
    /// `true` if the exposure returns.
    returns: bool,
}

/// Collects the possible jumps of a clip.
#[derive(Debug)]
struct JumpFinder {
    /// The least change of the mean luminance, as a fraction of the scale.
    least: f64,
    before: Option<f64>,
    steps: Vec<Step>,
}

impl JumpFinder {
    const fn new(least: f64) -> Self {
        Self { least, before: None, steps: Vec::new() }
    }

    /// Takes the next frame's mean luminance. `resembles` is `true` if it shows the same as the frame before.
    fn push(&mut self, here: Span, level: f64, resembles: bool) {
        let before = self.before.replace(level);
        let Some(before) = before.filter(|before| resembles && (level - before).abs() >= self.least) else { return };
        if self.steps.len() < MAX_LISTED {
            self.steps.push(Step { here, levels: [before, level] });
        }
    }

    /// Returns the jumps: the steps that are as abrupt as cuts, so that fades are none. A step back by at least half as
    /// much, without a cut in between, ends the one before.
    fn finish(self, cuts: &[Cut]) -> Vec<Jump> {
        let mut jumps: Vec<Jump> = Vec::new();
        let mut open = false;
        for cut in cuts {
            // Steps and cuts are in order.
            let Ok(at) = self.steps.binary_search_by_key(&cut.frame, |step| step.here.frame) else {
                open = false;
                continue;
            };
            let step = &self.steps[at];
            match jumps.last_mut().filter(|jump| {
                let change = jump.levels[1] - jump.levels[0];
                open && step.change() * change < 0.0 && 2.0 * step.change().abs() >= change.abs()
            }) {
                Some(jump) => {
                    (jump.span.last, jump.span.end_secs) = (step.here.frame - 1, step.here.start_secs);
                    jump.returns = true;
                    open = false;
                }
                None => {
                    jumps.push(Jump { span: step.here, levels: step.levels, returns: false });
                    open = true;
                }
            }
        }
        jumps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the first and last frame of each jump. The frames have these levels, in percent. There are cuts at the
    /// frames `cuts`; those in `others` show another picture.
    fn jumps(levels: &[u32], cuts: &[u64], others: &[u64]) -> Vec<(u64, u64, bool)> {
        let mut finder = JumpFinder::new(0.03);
        for (frame, &level) in (0..).zip(levels) {
            let here = Span { frame, last: frame, start_secs: frame as f64, end_secs: frame as f64 + 1.0 };
            finder.push(here, f64::from(level) / 100.0, !others.contains(&frame));
        }
        let cuts: Vec<_> = cuts.iter().map(|&frame| Cut { frame, time_secs: frame as f64, distance: 0.2 }).collect();
        finder.finish(&cuts).iter().map(|jump| (jump.span.frame, jump.span.last, jump.returns)).collect()
    }

    #[test]
    fn an_exposure_that_returns_lasts_until_then() {
        assert_eq!(jumps(&[40, 40, 60, 60, 60, 41, 40], &[2, 5], &[]), [(2, 4, true)]);
        assert_eq!(jumps(&[40, 40, 60, 60, 60], &[2], &[]), [(2, 2, false)]);
        assert_eq!(jumps(&[40, 50, 60, 70], &[], &[]), [], "a fade has no cuts");
        assert_eq!(jumps(&[40, 40, 60, 60, 40], &[2, 4], &[2, 4]), [], "another picture");
        assert_eq!(jumps(&[40, 40, 60, 30, 30, 10], &[2, 3, 5], &[3]), [(2, 2, false), (5, 5, false)]);
    }
}
