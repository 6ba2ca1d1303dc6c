//! A point in a video, as people name it.

use std::fmt;

use super::timecode::Timecode;

/// A point in the video.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Point {
    /// Seconds from the first frame.
    Time(f64),
    /// The number of a frame, from 0.
    Frame(u64),
    /// The timecode of a frame.
    Timecode(Timecode),
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time(secs) => write!(f, "{secs} s"),
            Self::Frame(number) => write!(f, "frame {number}"),
            Self::Timecode(timecode) => write!(f, "{timecode}"),
        }
    }
}
