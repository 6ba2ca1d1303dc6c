//! The window's title: file name, position, duration and playback state.

use std::time::{Duration, Instant};

use crate::app::screen::Window;
use crate::app::session::Session;
use histoscope_core::text::time_text;

/// Shortest time between updates of the title while playing.
const INTERVAL: Duration = Duration::from_millis(100);

/// Keeps the window's title up to date.
#[derive(Debug)]
pub struct Title {
    /// When the title may be updated again.
    due: Instant,
    /// Name of the source that is waited for before anything is open.
    awaited: Option<String>,
}

impl Title {
    /// Creates a title that is due for an update.
    #[must_use]
    pub const fn new(now: Instant) -> Self {
        Self { due: now, awaited: None }
    }

    /// Sets the name of the source that is waited for, if any.
    pub fn wait_for(&mut self, name: Option<&str>) {
        self.awaited = name.map(str::to_owned);
    }

    /// Updates the title from the open video; `at_once` does so even if the last update was very recent.
    pub fn follow(&mut self, window: &dyn Window, session: Option<&Session>, now: Instant, at_once: bool) {
        if now < self.due && !at_once {
            return;
        }
        self.due = now + INTERVAL;
        let Some(session) = session else { return window.set_title(&title_without_video(self.awaited.as_deref())) };
        let player = &session.player;
        if player.is_single() {
            return window.set_title(&format!("{} — a single picture — Histoscope", session.name));
        }
        let state = match (player.has_ended(), player.is_paused()) {
            (_, true) if session.lost_since.is_some() => "paused, no signal",
            _ if session.lost_since.is_some() => "no signal",
            (true, _) => "at the end",
            (false, true) => "paused",
            (false, false) if player.is_live() => "live",
            (false, false) => "",
        };
        window.set_title(&title(&session.name, player.position_secs(), player.duration_secs(), state));
    }
}

/// Returns the title of a window that shows no video yet.
fn title_without_video(awaited: Option<&str>) -> String {
    awaited.map_or_else(|| "Histoscope".to_owned(), |name| format!("{name} — waiting — Histoscope"))
}

/// Returns the title of a window that shows the file `name` at `position_secs`.
#[must_use]
fn title(name: &str, position_secs: f64, duration_secs: Option<f64>, state: &str) -> String {
    let position = time_text(position_secs);
    let duration = duration_secs.map_or_else(String::new, |secs| format!(" / {}", time_text(secs)));
    let state = if state.is_empty() { String::new() } else { format!(" [{state}]") };
    format!("{name} — {position}{duration}{state} — Histoscope")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_contains_what_is_known() {
        assert_eq!(title("a.mp4", 3.2, Some(10.0), "paused"), "a.mp4 — 0:03.200 / 0:10.000 [paused] — Histoscope");
        assert_eq!(title("-", 3.2, None, ""), "- — 0:03.200 — Histoscope");
        assert_eq!(title_without_video(None), "Histoscope");
        assert_eq!(title_without_video(Some("udp://:5000")), "udp://:5000 — waiting — Histoscope");
    }
}
