//! What is told of a seek: what was asked for at once, and where it has led once its picture is there.

use std::time::{Duration, Instant};

use histoscope_core::picture::Timecode;
use histoscope_core::text::time_text;

/// How long a frame's number that is not known yet is waited for.
const NUMBER_WAIT: Duration = Duration::from_secs(3);

/// Where playback is, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlaybackPlace {
    /// True if the picture of a seek is still to come.
    pub is_on_its_way: bool,
    /// Time of the frame on screen, in seconds from the start.
    pub time_secs: f64,
    /// Its number, where it is known beyond doubt.
    pub frame: Option<u64>,
    /// Its timecode, where it has one.
    pub timecode: Option<Timecode>,
}

/// A seek of which something is yet to be told.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Landing {
    /// None.
    #[default]
    Nothing,
    /// Its picture is to come; what was said when it was asked for.
    UnderWay(String),
    /// Its picture is there, and the frame's number may yet be found out.
    Unnumbered {
        /// The note when it was asked for.
        said: String,
        /// Time of the frame, in seconds from the start.
        time_secs: f64,
        /// When it is no longer waited for.
        until: Instant,
    },
}

impl Landing {
    /// Looks where playback is; what is to be told now.
    pub fn follow(&mut self, place: PlaybackPlace, now: Instant) -> Option<String> {
        let said = match self {
            Self::UnderWay(said) if !place.is_on_its_way => std::mem::take(said),
            Self::Unnumbered { time_secs, until, .. } if *time_secs != place.time_secs || *until < now => {
                *self = Self::Nothing;
                return None;
            }
            Self::Unnumbered { said, .. } if place.frame.is_some() => std::mem::take(said),
            _ => return None,
        };
        let told = told(&said, place);
        *self = match place.frame {
            Some(_) => Self::Nothing,
            None => Self::Unnumbered { said, time_secs: place.time_secs, until: now + NUMBER_WAIT },
        };
        Some(told)
    }
}

/// Returns the note with the time and the number of the frame that is on screen for it.
fn told(said: &str, place: PlaybackPlace) -> String {
    let mut frame = place.frame.map_or_else(String::new, |frame| format!("  frame {frame}"));
    let label = place.timecode.map(|timecode| timecode.to_string()).filter(|label| !said.ends_with(label));
    frame.extend(label.map(|label| format!("  {label}")));
    let time = time_text(place.time_secs);
    match said {
        "" => format!("{time}{frame}"),
        // Who was asked for a time that is known is not told it twice.
        said if said.ends_with(&time) => format!("{said}{frame}"),
        said => format!("{said}  ·  {time}{frame}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time_secs: f64, frame: Option<u64>) -> PlaybackPlace {
        PlaybackPlace { is_on_its_way: false, time_secs, frame, timecode: None }
    }

    #[test]
    fn a_position_is_told_once_and_not_before_its_picture_is_there() {
        let now = Instant::now();
        let mut landing = Landing::UnderWay("+5 s".to_owned());
        let before = PlaybackPlace { is_on_its_way: true, ..at(2.0, Some(60)) };
        assert_eq!(landing.follow(before, now), None, "that is where it came from");
        assert_eq!(landing.follow(at(7.0, Some(210)), now).as_deref(), Some("+5 s  ·  0:07.000  frame 210"));
        assert_eq!(landing.follow(at(7.0, Some(210)), now), None);
        let mut named = Landing::UnderWay("next cut, at 0:07.000".to_owned());
        assert_eq!(named.follow(at(7.0, Some(210)), now).as_deref(), Some("next cut, at 0:07.000  frame 210"));
    }

    #[test]
    fn a_timecode_is_told_once_too() {
        let told =
            |said: &str, text| told(said, PlaybackPlace { timecode: Timecode::parse(text), ..at(7.0, Some(210)) });
        assert_eq!(told("+5 s", "10:00:07:00"), "+5 s  ·  0:07.000  frame 210  10:00:07:00");
        assert_eq!(told("to 10:00:07:00", "10:00:07:00"), "to 10:00:07:00  ·  0:07.000  frame 210");
        assert_eq!(told("to 10:00:07:00", "11:00:00:00"), "to 10:00:07:00  ·  0:07.000  frame 210  11:00:00:00");
    }

    #[test]
    fn a_number_that_is_found_out_later_follows_as_long_as_its_frame_stands() {
        let now = Instant::now();
        let landed = || {
            let mut landing = Landing::UnderWay(String::new());
            assert_eq!(landing.follow(at(7.0, None), now).as_deref(), Some("0:07.000"));
            landing
        };
        assert_eq!(landed().follow(at(7.0, Some(9)), now).as_deref(), Some("0:07.000  frame 9"));
        let mut moved = landed();
        assert_eq!((moved.follow(at(8.0, Some(10)), now), moved), (None, Landing::Nothing));
        assert_eq!(landed().follow(at(7.0, Some(9)), now + 2 * NUMBER_WAIT), None, "nobody remembers the seek");
    }
}
