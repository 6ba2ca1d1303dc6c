//! Whether a file lacks frames at its end that it should have, as its headers and its container tell.

use super::decoder::Decoder;
use super::info::{FrameCounters, StreamInfo};

/// Frames by which a file may end before its headers say: headers round.
const MISSING_FRAMES: f64 = 2.5;
/// The same where something else says that the file was cut off.
const MISSING_FRAMES_OF_CUT: f64 = 0.5;
/// Containers whose headers tell how many frames there are or how long the video is, before the frames come. Elsewhere
/// that is unknown, or taken from the last packets that there are, or it is the length of the longest stream.
const TELLING: [&str; 5] = ["mov,mp4,m4a,3gp,3g2,mj2", "matroska,webm", "avi", "ivf", "mxf"];

/// What a file tells about its end before it is decoded.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ending {
    /// Seconds from the first frame to the end of the last, as the headers state.
    pub stated_secs: Option<f64>,
    /// The part of the container that goes on beyond the end of the file.
    cut_part: Option<&'static str>,
    /// Which number is missing in the middle of numbered pictures, in words.
    gap: Option<String>,
    /// Whether the headers tell where the end should be.
    is_told: bool,
}

impl Ending {
    /// What an open file tells.
    #[must_use]
    pub fn of(decoder: &Decoder) -> Self {
        let cut_part = decoder.cut_part();
        let container = decoder.info().container.as_str();
        let is_told = match cut_part {
            // The headers of a fragmented file know of no fragment but the first.
            Some("a fragment") => false,
            // What was written to a pipe has wrong lengths; the size of the chunk around everything is surer.
            None if container == "avi" => false,
            _ => TELLING.contains(&container),
        };
        Self { stated_secs: decoder.stated_stream_secs(), cut_part, gap: decoder.gap(), is_told }
    }

    /// That the container goes on beyond the end of the file, in words, whose last frames may be lost, or all be there; or that a
    /// number is missing.
    #[must_use]
    pub fn cut(&self) -> Option<String> {
        if self.gap.is_some() {
            return self.gap.clone();
        }
        self.cut_part.map(|part| format!("it was cut off in the middle of {part}"))
    }

    /// A sentence about frames that the file should have and does not; asked once its end was reached. `seen` is the number of
    /// the frame behind the last one, where all were counted from the first, and where the last one ended, in seconds.
    #[must_use]
    pub fn missing(&self, info: &StreamInfo, seen: (Option<u64>, f64), decoder: &FrameCounters) -> Option<String> {
        if decoder.read_errors > 0 {
            return Some("its end could not be read".to_owned());
        }
        if self.is_told && !info.still {
            let (frames_seen, last) = seen;
            let frame_secs = info.average_rate.map_or(0.04, |rate| 1.0 / rate.value());
            let missing_frames = self.stated_secs.map(|stated| (stated - last) / frame_secs);
            let lacks_frames =
                info.stated_frames.zip(frames_seen).map(|(frames, seen)| seen + decoder.discarded < frames);
            if let (Some(stated), Some(missing)) = (self.stated_secs, missing_frames)
                && lacks_frames != Some(false)
                && missing > MISSING_FRAMES
            {
                return Some(format!("it ends after {last:.3} s of {stated:.3} s"));
            }
            if lacks_frames.or_else(|| missing_frames.map(|missing| missing > MISSING_FRAMES_OF_CUT)) == Some(false) {
                return None;
            }
        }
        self.cut().or_else(|| decoder.ends_damaged.then(|| "its last frame is damaged, as by a cut".to_owned()))
    }
}
