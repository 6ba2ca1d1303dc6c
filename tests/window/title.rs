//! The window's title.

/// A title with the values parsed from it.
#[derive(Debug, Clone, PartialEq)]
pub struct Title {
    pub text: String,
    /// The first time in the title, in seconds.
    pub position: Option<f64>,
    /// The second time in the title, in seconds.
    pub duration: Option<f64>,
    pub paused: bool,
}

impl Title {
    pub fn new(text: &str) -> Self {
        let mut times = text.split(|c: char| !(c.is_ascii_digit() || c == ':' || c == '.')).filter_map(seconds);
        Self {
            text: text.to_owned(),
            position: times.next(),
            duration: times.next(),
            paused: text.to_lowercase().contains("paused"),
        }
    }
}

/// Returns the seconds of a time such as 3:07, 1:02:03 or 00:04.250. A number without a colon is not a time, since it
/// may be part of the file's name.
fn seconds(text: &str) -> Option<f64> {
    let mut parts = text.split(':');
    let mut total: f64 = parts.next()?.parse().ok()?;
    let mut is_time = false;
    for part in parts {
        is_time = true;
        total = total * 60.0 + part.parse::<f64>().ok()?;
    }
    is_time.then_some(total)
}

#[test]
fn times_are_read_from_a_title() {
    let title = Title::new("clip 2.mp4 – 00:04.250 / 1:02:03 (Paused)");
    assert_eq!((title.position, title.duration, title.paused), (Some(4.25), Some(3723.0), true));
    let title = Title::new("a.mp4");
    assert_eq!((title.position, title.duration, title.paused), (None, None, false));
}
