//! Notes on seeks: the request immediately, and the destination once its picture has arrived.

use std::time::{Duration, Instant};

use histoscope_core::text::time_text;
use histoscope_media::playback::FramePlace;

/// How long to wait for the number of a frame that is not known yet.
const NUMBER_WAIT: Duration = Duration::from_secs(3);

/// A seek with something yet to report.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum PendingSeekNote {
    /// None.
    #[default]
    Nothing,
    /// Its picture has yet to arrive. Contains the note shown at the request.
    Pending(String),
    /// Its picture has arrived, and the frame's number may still become known.
    Unnumbered {
        /// The note shown at the request.
        said: String,
        /// Time of the frame, in seconds from the start.
        time_secs: f64,
        /// When to stop waiting for the number.
        until: Instant,
    },
}

impl PendingSeekNote {
    /// Follows playback: the frame on screen, and whether the picture of a seek has yet to arrive. Returns the note to
    /// show now.
    pub fn follow(&mut self, place: FramePlace, is_seek_pending: bool, now: Instant) -> Option<String> {
        let said = match self {
            Self::Pending(said) if !is_seek_pending => std::mem::take(said),
            Self::Unnumbered { time_secs, until, .. } if *time_secs != place.time_secs || *until < now => {
                *self = Self::Nothing;
                return None;
            }
            Self::Unnumbered { said, .. } if place.number.is_some() => std::mem::take(said),
            _ => return None,
        };
        let note = described(&said, place);
        *self = match place.number {
            Some(_) => Self::Nothing,
            None => Self::Unnumbered { said, time_secs: place.time_secs, until: now + NUMBER_WAIT },
        };
        Some(note)
    }
}

/// Adds the time, the number and the timecode of the frame on screen to a note.
fn described(said: &str, place: FramePlace) -> String {
    let mut frame = place.number.map_or_else(String::new, |frame| format!("  frame {frame}"));
    let label = place.timecode.map(|timecode| timecode.to_string()).filter(|label| !said.ends_with(label));
    frame.extend(label.map(|label| format!("  {label}")));
    let time = time_text(place.time_secs);
    match said {
        "" => format!("{time}{frame}"),
        // A time that the note already ends with is not repeated.
        said if said.ends_with(&time) => format!("{said}{frame}"),
        said => format!("{said}  ·  {time}{frame}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::picture::Timecode;

    fn at(time_secs: f64, number: Option<u64>) -> FramePlace {
        FramePlace { time_secs, number, timecode: None }
    }

    #[test]
    fn a_position_is_reported_once_and_not_before_its_picture_has_arrived() {
        let now = Instant::now();
        let mut landing = PendingSeekNote::Pending("+5 s".to_owned());
        assert_eq!(landing.follow(at(2.0, Some(60)), true, now), None, "that is where it came from");
        assert_eq!(landing.follow(at(7.0, Some(210)), false, now).as_deref(), Some("+5 s  ·  0:07.000  frame 210"));
        assert_eq!(landing.follow(at(7.0, Some(210)), false, now), None);
        let mut named = PendingSeekNote::Pending("next cut, at 0:07.000".to_owned());
        assert_eq!(named.follow(at(7.0, Some(210)), false, now).as_deref(), Some("next cut, at 0:07.000  frame 210"));
    }

    #[test]
    fn a_timecode_is_reported_only_once_too() {
        let told =
            |said: &str, text| described(said, FramePlace { timecode: Timecode::parse(text), ..at(7.0, Some(210)) });
        assert_eq!(told("+5 s", "10:00:07:00"), "+5 s  ·  0:07.000  frame 210  10:00:07:00");
        assert_eq!(told("to 10:00:07:00", "10:00:07:00"), "to 10:00:07:00  ·  0:07.000  frame 210");
        assert_eq!(told("to 10:00:07:00", "11:00:00:00"), "to 10:00:07:00  ·  0:07.000  frame 210  11:00:00:00");
    }

    #[test]
    fn a_number_found_later_is_reported_while_its_frame_is_on_screen() {
        let now = Instant::now();
        let landed = || {
            let mut landing = PendingSeekNote::Pending(String::new());
            assert_eq!(landing.follow(at(7.0, None), false, now).as_deref(), Some("0:07.000"));
            landing
        };
        assert_eq!(landed().follow(at(7.0, Some(9)), false, now).as_deref(), Some("0:07.000  frame 9"));
        let mut moved = landed();
        assert_eq!((moved.follow(at(8.0, Some(10)), false, now), moved), (None, PendingSeekNote::Nothing));
        assert_eq!(landed().follow(at(7.0, Some(9)), false, now + 2 * NUMBER_WAIT), None, "nobody remembers the seek");
    }
}
