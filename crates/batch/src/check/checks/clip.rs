//! The findings that the window and reports show too: black, frozen and clipped frames, flashes, timecode breaks.

use crate::check::finding::{FramePoint, Quantity, Span};
use crate::check::row::{Check, CountedFile, Finder, Found, Threshold, limit_in_secs, no_limit};
use crate::check::rule::Rule;
use histoscope_core::strip::{Finding, FindingKind};
use histoscope_core::text::counted;

/// Black frames.
pub static BLACK: Check = Check {
    name: "black",
    place: 0,
    threshold: Some(Threshold::percent(50.0)),
    has_length: true,
    limit: limit_in_secs,
    start: |_| Box::new(Segments { kind: FindingKind::Black }),
};
/// Frozen frames.
pub static FROZEN: Check = Check {
    name: "frozen",
    place: 1,
    // A larger one would take the renewals of an encoder for still frames.
    threshold: Some(Threshold::new("dB", -120.0, -40.0).with(-60.0, "exact")),
    has_length: true,
    limit: limit_in_secs,
    start: |_| Box::new(Segments { kind: FindingKind::Frozen }),
};
/// Clipped frames.
pub static CLIPPED: Check = Check::of_share("clipped", 2, |_| Box::new(Segments { kind: FindingKind::Clipped }));
/// Flashes.
pub static FLASH: Check = Check {
    name: "flash",
    place: 3,
    threshold: None,
    has_length: false,
    limit: no_limit,
    start: |_| Box::new(Segments { kind: FindingKind::Flash }),
};
/// Timecode breaks.
pub static TIMECODE: Check = Check {
    name: "timecode",
    place: 4,
    threshold: None,
    has_length: false,
    limit: no_limit,
    start: |_: &Rule| Box::new(Timecodes),
};

/// The segments of one kind.
struct Segments {
    kind: FindingKind,
}

impl Finder for Segments {
    fn finish(self: Box<Self>, file: &CountedFile<'_>) -> Vec<Found> {
        let clip = &file.counted.clip;
        let found = |&Finding { kind, frame, last, start_secs, end_secs, worst }: &Finding| {
            let span = Span { frame, last, start_secs, end_secs };
            let frames = counted(span.frames(), "frame");
            let Some(worst) = worst.filter(|_| kind == FindingKind::Clipped) else {
                let value = match kind {
                    FindingKind::Flash => Quantity::count(span.frames(), "frame", "frames"),
                    _ => Quantity::of(end_secs - start_secs, "s", format!("{:.3} s", end_secs - start_secs)),
                };
                return Found::new(span, format!("{}, {frames}", kind.name()), value);
            };
            let channel = clip.components.channel_names().get(worst.share.channel).copied().unwrap_or_default();
            let point = FramePoint { frame: worst.frame, time_secs: worst.time_secs };
            let found = Found::new(span, format!("clipped {channel}, {frames}"), Quantity::share(worst.share.share));
            Found { worst: Some(point), ..found }
        };
        clip.segments.iter().filter(|segment| segment.kind == self.kind).map(found).collect()
    }
}

struct Timecodes;

impl Finder for Timecodes {
    fn finish(self: Box<Self>, file: &CountedFile<'_>) -> Vec<Found> {
        let breaks = file.counted.clip.timecodes.listed().iter().filter_map(|run| Some((run, run.broken?)));
        let found = breaks.map(|(run, broken)| {
            let (frame, start_secs) = (run.frame, run.time_secs);
            let span = Span { frame, last: frame, start_secs, end_secs: start_secs };
            let text = format!("timecode {} instead of {}", broken.found, broken.expected);
            Found::new(span, text, Quantity::NONE)
        });
        found.collect()
    }
}
