//! Live sources in words: one that has not begun, one that gives nothing any more, one that is back.

use std::time::{Duration, SystemTime};

use histoscope_core::text::clock_time;
use histoscope_media::StreamInfo;

/// How long a sender may take to come before that is told.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// Returns the note on a sender that has not come for long.
#[must_use]
pub fn awaited_text(name: &str, since: SystemTime, reason: Option<&str>) -> String {
    let reason = reason.map_or_else(String::new, |reason| format!(" ({reason})"));
    let asked = clock_time(since);
    format!(
        "nothing has come from {name} since {asked}; check that the sender runs and sends here. Still waiting{reason}"
    )
}

/// Returns the words on the picture while nothing comes.
#[must_use]
pub fn lost_text(since: SystemTime) -> String {
    format!("no signal since {}: waiting for the sender …", clock_time(since))
}

/// Returns the note when it comes again, with the changes.
#[must_use]
pub fn back_text(before: &StreamInfo, now: &StreamInfo) -> String {
    let mut text = "the signal is back".to_owned();
    if before.codec != now.codec {
        text = format!("{text}, now {} instead of {}", now.codec, before.codec);
    }
    if before.coded_size != now.coded_size {
        let [old, new] = [before, now].map(|info| format!("{}×{}", info.coded_size.0, info.coded_size.1));
        text = format!("{text}, {new} instead of {old}");
    }
    text
}
