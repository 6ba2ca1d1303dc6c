//! The wording for live sources that have not begun, have stopped sending, or are back.

use std::time::{Duration, SystemTime};

use histoscope_core::text::clock_time;
use histoscope_media::StreamInfo;

/// How long to wait for a sender before reporting that nothing has arrived.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// Returns the note on a sender that has not appeared for a long time.
#[must_use]
pub fn awaited_text(name: &str, since: SystemTime, reason: Option<&str>) -> String {
    let reason = reason.map_or_else(String::new, |reason| format!(" ({reason})"));
    let asked = clock_time(since);
    format!(
        "nothing received from {name} since {asked}; check that the sender runs and sends here. Still waiting{reason}"
    )
}

/// Returns the note on a signal that is back, with what has changed.
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
