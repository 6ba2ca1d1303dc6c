//! Flashing by which viewers may be harmed, by Rec. ITU-R BT.1702. Screening, not a certificate.

use crate::analyze::pipeline::CountedFrame;
use crate::check::finding::{Quantity, Span};
use crate::check::row::{Check, CountedFile, Finder, Found, Threshold};
use crate::report::times::percent;
use histoscope_core::flash::FlashCounts;
use histoscope_core::strip::MAX_LISTED;

/// Flashing by which viewers may be harmed. Its threshold is the white of SDR.
pub static FLASH_SAFETY: Check = Check {
    name: "flash-safety",
    place: 18,
    threshold: Some(Threshold::new("cd/m² of SDR's white", 80.0, 1000.0).usually(200.0)),
    has_length: false,
    limit: |_| flashes(MOST_CHANGES),
    start: |_| Box::new(FlashSafety::default()),
};

/// The share of a picture that must change at once, in percent, to be exceeded.
const LEAST_PERCENT: u64 = 25;
/// The most opposing changes within a second: three flashes.
const MOST_CHANGES: usize = 6;
const SECOND: f64 = 1.0;

/// Returns the number of flashes, which are pairs of changes.
fn flashes(changes: usize) -> Quantity {
    let flashes = changes as f64 / 2.0;
    Quantity::of(flashes, "flashes", format!("{flashes} flashes"))
}

#[derive(Default)]
struct FlashSafety {
    luminance: Changes,
    red: Changes,
}

impl Finder for FlashSafety {
    fn add(&mut self, here: Span, frame: &CountedFrame) {
        let Some(FlashCounts { pixels, luminance, red }) = frame.inspected.flash else { return };
        self.luminance.push(here, luminance, pixels);
        self.red.push(here, red, pixels);
    }

    fn finish(self: Box<Self>, _: &CountedFile<'_>) -> Vec<Found> {
        let luminance = self.luminance.finish().into_iter().map(|run| run.found("flashing"));
        luminance.chain(self.red.finish().into_iter().map(|run| run.found("flashing in red"))).collect()
    }
}

/// A change of more than a quarter of the picture.
#[derive(Debug, Clone, Copy)]
struct Change {
    here: Span,
    is_up: bool,
    share: f64,
}

/// Changes of which too many lie within a second.
#[derive(Debug, Clone, Copy)]
struct Flashing {
    span: Span,
    /// The most changes within a second.
    changes: usize,
    /// The largest share of the picture.
    share: f64,
}

impl Flashing {
    fn found(self, what: &str) -> Found {
        let text = format!("{what} over up to {} of the picture (screening, not certified)", percent(self.share));
        Found::new(self.span, text, flashes(self.changes))
    }
}

/// Opposing changes in a clip.
#[derive(Debug, Default)]
struct Changes {
    /// Those of the last second.
    lately: Vec<Change>,
    done: Vec<Flashing>,
}

impl Changes {
    /// Takes the next frame: the pixels that have changed up and down, of all pixels.
    fn push(&mut self, here: Span, [up, down]: [u64; 2], pixels: u64) {
        // Times have rounding errors.
        self.lately.retain(|change| here.start_secs - change.here.start_secs < SECOND - 1e-6);
        // Only a change against the one before makes a flash. Parts of the picture may change up while others change down.
        let is_up = self.lately.last().map_or(up >= down, |last| !last.is_up);
        let changed = if is_up { up } else { down };
        if 100 * changed <= LEAST_PERCENT * pixels {
            return;
        }
        self.lately.push(Change { here, is_up, share: changed as f64 / pixels as f64 });
        let changes = self.lately.len();
        if changes <= MOST_CHANGES {
            return;
        }
        let first = self.lately[0].here;
        let share = self.lately.iter().map(|change| change.share).fold(0.0, f64::max);
        let span = Span { last: here.last, end_secs: here.end_secs, ..first };
        if let Some(open) = self.done.last_mut().filter(|open| open.span.last >= first.frame) {
            (open.span.last, open.span.end_secs) = (span.last, span.end_secs);
            (open.changes, open.share) = (open.changes.max(changes), open.share.max(share));
        } else if self.done.len() < MAX_LISTED {
            self.done.push(Flashing { span, changes, share });
        }
    }

    fn finish(self) -> Vec<Flashing> {
        self.done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the frames and the number of changes of the flashing in a clip of 50 frames a second, whose changes lie at
    /// these frames, in turns up and down, each of this many of 100 pixels.
    fn found(frames: &[u64], pixels: u64) -> Vec<(u64, u64, usize)> {
        let mut changes = Changes::default();
        for frame in 0..200 {
            let (start_secs, end_secs) = (frame as f64 / 50.0, (frame + 1) as f64 / 50.0);
            let here = Span { frame, last: frame, start_secs, end_secs };
            let counts = match frames.iter().position(|&at| at == frame) {
                Some(at) if at % 2 == 0 => [pixels, 0],
                Some(_) => [0, pixels],
                None => [0, 0],
            };
            changes.push(here, counts, 100);
        }
        changes.finish().iter().map(|run| (run.span.frame, run.span.last, run.changes)).collect()
    }

    #[test]
    fn more_than_three_flashes_in_a_second_over_more_than_a_quarter_are_found() {
        let seven = [10, 18, 26, 34, 42, 50, 59];
        assert_eq!(found(&seven, 26), [(10, 59, 7)]);
        assert_eq!(found(&seven, 25), []);
        assert_eq!(found(&seven[..6], 100), []);
        // One frame later, the seventh is a second after the first.
        assert_eq!(found(&[10, 18, 26, 34, 42, 50, 60], 100), []);
        let many: Vec<u64> = (0..20).map(|at| 20 + 5 * at).collect();
        assert_eq!(found(&many, 40), [(20, 115, 10)], "one finding");
    }

    #[test]
    fn halves_that_flash_in_turns_are_found() {
        let mut changes = Changes::default();
        for frame in 0..60 {
            let here = Span { frame, last: frame, start_secs: frame as f64 / 50.0, end_secs: 0.0 };
            changes.push(here, if frame % 8 == 0 { [50, 50] } else { [0, 0] }, 100);
        }
        assert_eq!(changes.finish().first().map(|run| (run.span.frame, run.changes)), Some((0, 7)));
    }

    #[test]
    fn a_change_of_long_ago_does_not_hide_the_first_of_seven() {
        let mut changes = Changes::default();
        for frame in 0..200 {
            let here = Span { frame, last: frame, start_secs: frame as f64 / 50.0, end_secs: 0.0 };
            // It falls slowly after the first one.
            let counts = match frame {
                0 | 100 | 116 | 132 | 148 => [100, 0],
                108 | 124 | 140 => [0, 100],
                _ => [0, 0],
            };
            changes.push(here, counts, 100);
        }
        assert_eq!(changes.finish().first().map(|run| (run.span.frame, run.span.last)), Some((100, 148)));
    }

    #[test]
    fn only_opposing_changes_count() {
        let mut changes = Changes::default();
        for frame in 0..20 {
            let here = Span { frame, last: frame, start_secs: frame as f64 / 50.0, end_secs: 0.0 };
            changes.push(here, [100, 0], 100);
        }
        assert!(changes.finish().is_empty(), "it only gets brighter");
    }
}
