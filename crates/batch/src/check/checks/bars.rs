//! Stretches of frames with black bars.
//!
//! A dark scene may look as if it had bars. A bar therefore needs a straight edge: at least half of the line beside it
//! is brighter than black. A stretch lasts from the first to the last frame with such an edge at the same line, unless
//! something appears within the bar in between.

use crate::analyze::inspection::Active;
use crate::analyze::pipeline::CountedFrame;
use crate::check::finding::{Quantity, Span};
use crate::check::row::{Check, CountedFile, Finder, Found, Threshold};
use histoscope_core::picture::region::Rect;
use histoscope_core::strip::MAX_LISTED;

/// Black bars around the active picture.
pub static BARS: Check = Check {
    name: "bars",
    place: 12,
    threshold: Some(Threshold::new("lines", 1.0, 10_000.0)),
    has_length: true,
    limit: |rule| Quantity::count(rule.threshold as u64, "line", "lines"),
    start: |rule| Box::new(BarFinder { least_lines: rule.threshold, ..BarFinder::default() }),
};

/// The number of lines by which an edge may waver, as compression blurs it.
const WAVER: u32 = 1;

/// Frames with the same black bars.
#[derive(Debug, Clone, Copy, PartialEq)]
struct BarStretch {
    span: Span,
    /// Width and height of the pictures.
    size: (u32, u32),
    /// Lines above, below, left and right.
    lines: [u32; 4],
}

impl BarStretch {
    /// Returns the number of lines of all bars.
    fn lines(&self) -> u32 {
        self.lines.iter().sum()
    }

    /// Returns the bars and the active picture in words.
    fn text(&self) -> String {
        let [above, below, left, right] = self.lines;
        let Rect { x, y, width, height } =
            Rect { x: left, y: above, width: self.size.0 - left - right, height: self.size.1 - above - below };
        let sides = [(above, "above"), (below, "below"), (left, "left"), (right, "right")];
        let bars: Vec<_> =
            sides.iter().filter(|(lines, _)| *lines > 0).map(|(lines, side)| format!("{lines} {side}")).collect();
        format!("black bars, {}; active picture {width}×{height} at {x},{y}", bars.join(", "))
    }
}

/// The bar at one side of the picture.
#[derive(Debug, Clone, Copy)]
struct Bar {
    lines: u32,
    /// From the first to the last frame with a straight edge.
    span: Span,
}

/// Finds the stretches of a clip. The frames are pushed in order.
#[derive(Debug, Default)]
struct BarFinder {
    /// The least number of lines of all bars.
    least_lines: f64,
    size: (u32, u32),
    open: [Option<Bar>; 4],
    done: Vec<BarStretch>,
}

impl BarFinder {
    /// Takes the next frame. `None` is a black frame, of whose bars nothing is known.
    fn push(&mut self, here: Span, active: Option<Active>) {
        let Some(active) = active else { return };
        if self.size != active.size {
            (0..4).for_each(|side| self.close(side));
            self.size = active.size;
        }
        for (side, lines) in active.bars().into_iter().enumerate() {
            let is_straight = active.straight[side];
            match &mut self.open[side] {
                Some(bar) if is_straight && bar.lines.abs_diff(lines) <= WAVER => {
                    bar.lines = bar.lines.min(lines);
                    (bar.span.last, bar.span.end_secs) = (here.last, here.end_secs);
                }
                Some(bar) if !is_straight && bar.lines <= lines + WAVER => {}
                _ => {
                    self.close(side);
                    self.open[side] = (is_straight && lines > 0).then_some(Bar { lines, span: here });
                }
            }
        }
    }

    /// Ends the bar at a side. Bars that stand together for most of their time are one stretch.
    fn close(&mut self, side: usize) {
        let Some(Bar { lines, span }) = self.open[side].take() else { return };
        let length = |span: Span| span.end_secs - span.start_secs;
        let meets = |other: &BarStretch| {
            let shared = span.end_secs.min(other.span.end_secs) - span.start_secs.max(other.span.start_secs);
            other.size == self.size && other.lines[side] == 0 && 2.0 * shared >= length(span).max(length(other.span))
        };
        if let Some(stretch) = self
            .done
            .iter_mut()
            .rev()
            .take_while(|stretch| stretch.span.end_secs > span.start_secs)
            .find(|stretch| meets(stretch))
        {
            stretch.lines[side] = lines;
            let all = &mut stretch.span;
            (all.frame, all.start_secs) =
                if span.frame < all.frame { (span.frame, span.start_secs) } else { (all.frame, all.start_secs) };
            (all.last, all.end_secs) =
                if span.last > all.last { (span.last, span.end_secs) } else { (all.last, all.end_secs) };
        } else if self.done.len() < MAX_LISTED {
            let mut stretch = BarStretch { span, size: self.size, lines: [0; 4] };
            stretch.lines[side] = lines;
            self.done.push(stretch);
        }
    }

    /// Ends the clip and returns the stretches.
    fn stretches(mut self) -> Vec<BarStretch> {
        (0..4).for_each(|side| self.close(side));
        self.done
    }
}

impl Finder for BarFinder {
    fn add(&mut self, here: Span, frame: &CountedFrame) {
        self.push(here, frame.inspected.active);
    }

    fn finish(self: Box<Self>, file: &CountedFile<'_>) -> Vec<Found> {
        let least = self.least_lines;
        let found = |stretch: BarStretch| Found {
            // A clip may be shorter than a finding of all its frames has to be.
            may_be_short: stretch.span.frames() >= file.all.frames(),
            ..Found::new(stretch.span, stretch.text(), Quantity::count(stretch.lines().into(), "line", "lines"))
        };
        self.stretches().into_iter().filter(|stretch| f64::from(stretch.lines()) >= least).map(found).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the first and last frame of the stretches in these frames, and the lines above and below. A frame is
    /// given by these lines, and whether the edges are straight.
    fn stretches(frames: &[Option<(u32, u32, bool)>]) -> Vec<(u64, u64, u32, u32)> {
        let mut finder = BarFinder::default();
        for (frame, bars) in (0..).zip(frames) {
            let here = Span { frame, last: frame, start_secs: frame as f64, end_secs: frame as f64 + 1.0 };
            let active = bars.map(|(above, below, straight)| Active {
                size: (100, 100),
                picture: Rect { x: 0, y: above, width: 100, height: 100 - above - below },
                straight: [straight; 4],
            });
            finder.push(here, active);
        }
        finder.stretches().iter().map(|s| (s.span.frame, s.span.last, s.lines[0], s.lines[1])).collect()
    }

    #[test]
    fn bars_last_from_the_first_to_the_last_straight_edge() {
        let (full, boxed) = (Some((0, 0, true)), Some((12, 12, true)));
        assert_eq!(stretches(&[full; 5]), []);
        let some = [full, boxed, boxed, boxed, full];
        assert_eq!(stretches(&some), [(1, 3, 12, 12)]);
        // A black frame and a dark one within the stretch, and another dark one that reaches into the bars.
        let dark = [boxed, None, Some((40, 30, false)), boxed, full, Some((40, 30, false)), full];
        assert_eq!(stretches(&dark), [(0, 3, 12, 12)]);
        assert_eq!(stretches(&[boxed, boxed, Some((3, 12, false)), full]), [(0, 1, 12, 12)]);
        assert_eq!(stretches(&[Some((40, 30, false)); 9]), [], "a dark scene");
    }

    #[test]
    fn other_bars_are_another_stretch() {
        let [wide, flat] = [12, 20].map(|lines| Some((lines, lines, true)));
        assert_eq!(stretches(&[wide, wide, flat, flat, flat]), [(0, 1, 12, 12), (2, 4, 20, 20)]);
        assert_eq!(stretches(&[wide, Some((13, 12, true)), wide]), [(0, 2, 12, 12)], "an edge that wavers");
        assert_eq!(stretches(&[Some((12, 0, true)); 3]), [(0, 2, 12, 0)]);
    }
}
