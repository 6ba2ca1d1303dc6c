//! Defects of tape and film, and fields in a wrong order.

use super::stretches::{Beyond, Stretches};
use crate::analyze::defects::Speck;
use crate::analyze::filters::{Combing, FieldKind, FieldOrder};
use crate::analyze::pipeline::CountedFrame;
use crate::analyze::signal::Texture;
use crate::check::finding::{Quantity, Span};
use crate::check::row::{Check, CountedFile, Finder, Found, Threshold, limit_in_percent};
use histoscope_core::picture::Scan;
use histoscope_core::strip::MAX_LISTED;
use histoscope_core::text::counted;

/// Pixels that stand out from the lines above and below.
pub static OUTLIERS: Check = Check::of_share("outliers", 15, |rule| {
    Box::new(Beyond::new(rule.share(), "pixels stand out", |frame| Some(texture(frame)?.outliers)))
});
/// Lines that repeat the one four above.
pub static REPEATED_LINES: Check = Check::of_share("repeated-lines", 16, |rule| {
    Box::new(Beyond::new(rule.share(), "lines are repeated", |frame| Some(texture(frame)?.defects.repeated)))
});
/// Fields that hardly show the same.
pub static FIELDS: Check = Check::of_share("fields", 17, |rule| {
    Box::new(Beyond::new(rule.share(), "the fields differ", |frame| Some(texture(frame)?.between_fields)))
});
/// Another order of fields than the file states.
pub static FIELD_ORDER: Check = Check::of_length("field-order", 18, |_| Box::new(Order::default()));
/// Lines at the bottom that the switching of heads displaces.
pub static HEAD_SWITCHING: Check = Check::of_length("head-switching", 19, |_| Box::new(Switching::default()));
/// Pixels that stay bright or dark whatever is around them.
pub static STUCK_PIXELS: Check =
    Check::of_length("stuck-pixels", 20, |rule| Box::new(Stuck { least_secs: rule.shortest_secs, ..Stuck::default() }));
/// Stretches of lines that the tape has lost.
pub static DROPOUTS: Check = Check {
    name: "dropouts",
    place: 21,
    threshold: Some(Threshold::percent(0.0)),
    has_length: false,
    limit: limit_in_percent,
    start: |rule| Box::new(Dropouts { least: rule.share(), found: Vec::new() }),
};

/// All of these.
pub static TAPE: [&Check; 7] =
    [&OUTLIERS, &REPEATED_LINES, &FIELDS, &FIELD_ORDER, &HEAD_SWITCHING, &STUCK_PIXELS, &DROPOUTS];

fn texture(frame: &CountedFrame) -> Option<&Texture> {
    frame.counts.signal.as_ref()?.texture.as_ref()
}

/// Compares the order of fields with what the file states.
#[derive(Default)]
struct Order {
    order: FieldOrder,
    /// The last frame, of which the next one decides.
    before: Option<(Span, Combing, Scan)>,
    /// The stretches of frames that look like the one scan where the file states the other.
    stretches: Vec<((Scan, Scan), Stretches)>,
}

impl Order {
    fn push(&mut self, next: Option<(Span, Combing, Scan)>) {
        let before = std::mem::replace(&mut self.before, next);
        let Some((here, combing, stated)) = before else { return };
        let next = next.as_ref().map(|(_, combing, _)| combing);
        self.order.push(&combing, next);
        let found = match self.order.settled() {
            FieldKind::TopFirst => Some(Scan::TopFirst),
            FieldKind::BottomFirst => Some(Scan::BottomFirst),
            // Progressive frames may be stored as fields.
            FieldKind::Progressive | FieldKind::Undetermined => None,
        };
        let wrong = found.filter(|found| *found != stated && combing.is_combed(next)).map(|found| (found, stated));
        if let Some(wrong) = wrong.filter(|wrong| !self.stretches.iter().any(|(known, _)| known == wrong)) {
            self.stretches.push((wrong, Stretches::flickering()));
        }
        for (known, stretches) in &mut self.stretches {
            stretches.push(here, (wrong == Some(*known)).then_some(1.0));
        }
    }
}

impl Finder for Order {
    fn add(&mut self, here: Span, frame: &CountedFrame) {
        let Some(texture) = texture(frame) else { return };
        self.push(Some((here, texture.combing, frame.frame.facts.scan)));
    }

    fn finish(mut self: Box<Self>, _: &CountedFile<'_>) -> Vec<Found> {
        self.push(None);
        let found = self.stretches.into_iter().flat_map(|((found, stated), stretches)| {
            let text = format!("looks {found}; the file states {stated}");
            let found = move |span| Found::new(span, text.clone(), Quantity::NONE);
            stretches.finish().into_iter().map(move |stretch| found(stretch.span))
        });
        found.collect()
    }
}

/// Looks for displaced lines that stay at the bottom.
#[derive(Default)]
struct Switching {
    stretches: Stretches,
}

impl Finder for Switching {
    fn add(&mut self, here: Span, frame: &CountedFrame) {
        let lines = texture(frame).map_or(0, |texture| texture.defects.displaced_lines);
        self.stretches.push(here, (lines > 0).then_some(f64::from(lines)));
    }

    fn finish(self: Box<Self>, _: &CountedFile<'_>) -> Vec<Found> {
        let stretches = self.stretches.finish().into_iter();
        let found = stretches.map(|stretch| {
            let value = Quantity::count(stretch.value as u64, "line", "lines");
            Found::new(
                stretch.span,
                "lines at the bottom are displaced, as by the switching of heads".to_owned(),
                value,
            )
        });
        found.collect()
    }
}

/// The change of what is around a stuck pixel, as a fraction of the scale. Without one, it may belong to the picture.
const AROUND: f64 = 0.1;

/// A pixel that stands out in consecutive frames.
struct Standing {
    speck: Speck,
    span: Span,
    /// The lowest and highest code beside it.
    around: [f64; 2],
}

/// Looks for pixels that stand out for long while what is around them changes.
#[derive(Default)]
struct Stuck {
    least_secs: f64,
    /// In the order of their places.
    standing: Vec<Standing>,
    done: Vec<Standing>,
}

impl Stuck {
    fn end(&mut self, standing: Standing) {
        let Standing { span, around: [low, high], .. } = &standing;
        let is_long = span.end_secs - span.start_secs >= self.least_secs - 1e-6;
        if is_long && high - low >= AROUND && self.done.len() < MAX_LISTED {
            self.done.push(standing);
        }
    }

    fn push(&mut self, here: Span, specks: &[Speck]) {
        let key = |speck: &Speck| (speck.place[1], speck.place[0]);
        let mut before = std::mem::take(&mut self.standing).into_iter().peekable();
        for speck in specks {
            while let Some(gone) = before.next_if(|standing| key(&standing.speck) < key(speck)) {
                self.end(gone);
            }
            let same = |standing: &Standing| {
                standing.speck.place == speck.place && standing.speck.is_bright == speck.is_bright
            };
            let next = match before.next_if(same) {
                Some(Standing { span, around: [low, high], .. }) => Standing {
                    speck: *speck,
                    span: Span { last: here.last, end_secs: here.end_secs, ..span },
                    around: [low.min(speck.beside), high.max(speck.beside)],
                },
                None => Standing { speck: *speck, span: here, around: [speck.beside; 2] },
            };
            self.standing.push(next);
        }
        before.for_each(|gone| self.end(gone));
    }
}

impl Finder for Stuck {
    fn add(&mut self, here: Span, frame: &CountedFrame) {
        self.push(here, texture(frame).map_or(&[], |texture| &texture.defects.specks));
    }

    fn finish(mut self: Box<Self>, _: &CountedFile<'_>) -> Vec<Found> {
        std::mem::take(&mut self.standing).into_iter().for_each(|standing| self.end(standing));
        let found = self.done.into_iter().map(|Standing { speck, span, .. }| {
            let [x, y] = speck.place;
            let kind = if speck.is_bright { "bright" } else { "dark" };
            Found::new(span, format!("the pixel at {x},{y} stays {kind}"), Quantity::NONE)
        });
        found.collect()
    }
}

/// Looks for dropouts.
struct Dropouts {
    /// The least length, as a share of the width.
    least: f64,
    found: Vec<Found>,
}

impl Finder for Dropouts {
    fn add(&mut self, here: Span, frame: &CountedFrame) {
        let Some(texture) = texture(frame) else { return };
        let share = |width: u32| f64::from(width) / f64::from(frame.frame.size.0);
        let long = || texture.defects.dropouts.iter().filter(|found| share(found.width) >= self.least);
        let Some(longest) = long().max_by_key(|found| found.width) else { return };
        if self.found.len() < MAX_LISTED {
            let text =
                format!("{}, the longest at {},{}", counted(long().count() as u64, "dropout"), longest.x, longest.y);
            self.found.push(Found::new(here, text, Quantity::share(share(longest.width))));
        }
    }

    fn finish(self: Box<Self>, _: &CountedFile<'_>) -> Vec<Found> {
        self.found
    }
}
