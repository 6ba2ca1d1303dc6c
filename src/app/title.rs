//! The window's title: file name, position, duration, and whether it is paused.

/// The title of a window that shows the file `name` at `position_secs`.
#[must_use]
pub fn title(name: &str, position_secs: f64, duration_secs: Option<f64>, state: &str) -> String {
    let position = timecode(position_secs);
    let duration = duration_secs.map_or_else(String::new, |secs| format!(" / {}", timecode(secs)));
    let state = if state.is_empty() { String::new() } else { format!(" [{state}]") };
    format!("{name} — {position}{duration}{state} — Histoscope")
}

/// Seconds as `M:SS.mmm`, with hours where there are any.
#[must_use]
pub fn timecode(secs: f64) -> String {
    let sign = if secs < 0.0 { "-" } else { "" };
    // The conversion saturates, so that no timestamp is too large to be shown.
    let millis = (secs.abs() * 1000.0).round() as u64;
    let (hours, minutes, seconds, millis) =
        (millis / 3_600_000, millis / 60_000 % 60, millis / 1000 % 60, millis % 1000);
    if hours > 0 {
        format!("{sign}{hours}:{minutes:02}:{seconds:02}.{millis:03}")
    } else {
        format!("{sign}{minutes}:{seconds:02}.{millis:03}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_as_people_write_them() {
        assert_eq!(timecode(0.0), "0:00.000");
        assert_eq!(timecode(62.5), "1:02.500");
        assert_eq!(timecode(3661.001), "1:01:01.001");
        assert_eq!(timecode(59.9996), "1:00.000");
        assert_eq!(timecode(-0.5), "-0:00.500");
        assert!(!timecode(1e300).is_empty() && !timecode(f64::NAN).is_empty());
    }

    #[test]
    fn the_title_tells_what_is_known() {
        assert_eq!(title("a.mp4", 3.2, Some(10.0), "paused"), "a.mp4 — 0:03.200 / 0:10.000 [paused] — Histoscope");
        assert_eq!(title("-", 3.2, None, ""), "- — 0:03.200 — Histoscope");
    }
}
