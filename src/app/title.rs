//! The window's title: file name, position, duration, and whether it is paused.

use crate::text::timecode;

/// The title of a window that shows the file `name` at `position_secs`.
#[must_use]
pub fn title(name: &str, position_secs: f64, duration_secs: Option<f64>, state: &str) -> String {
    let position = timecode(position_secs);
    let duration = duration_secs.map_or_else(String::new, |secs| format!(" / {}", timecode(secs)));
    let state = if state.is_empty() { String::new() } else { format!(" [{state}]") };
    format!("{name} — {position}{duration}{state} — Histoscope")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_tells_what_is_known() {
        assert_eq!(title("a.mp4", 3.2, Some(10.0), "paused"), "a.mp4 — 0:03.200 / 0:10.000 [paused] — Histoscope");
        assert_eq!(title("-", 3.2, None, ""), "- — 0:03.200 — Histoscope");
    }
}
