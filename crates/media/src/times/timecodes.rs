//! Timecodes of frames: from the frame itself (SMPTE ST 12-1, which H.264 and HEVC carry in SEI messages), else from
//! the container's first timecode and the frame's number, else from the headers of MPEG-1 and MPEG-2 groups of
//! pictures.
//!
//! The timecodes of groups of pictures come last: encoders have to write something there, and few tools keep it
//! correct.

use crate::av::{AvFrame, GroupPosition, Input, StreamParameters};
use histoscope_core::picture::{Ratio, Timecode, TimecodeRate, TimecodeSource, Timecodes};

/// The timecodes that a container states.
#[derive(Default)]
pub(crate) struct TimecodeReader {
    rate: Option<TimecodeRate>,
    first: Option<Timecode>,
}

impl TimecodeReader {
    /// Reads the tags of the file, its video stream and its timecode track.
    pub(crate) fn of(input: &Input, stream: &StreamParameters<'_>) -> Self {
        let track = (0..input.stream_count())
            .filter_map(|index| input.stream(index))
            .find(|track| track.codec_tag().as_deref() == Some("tmcd"));
        let tracks_own = track.as_ref().and_then(|track| track.tag(c"timecode"));
        let tag = input.tag(c"timecode").or_else(|| stream.tag(c"timecode")).or_else(|| tracks_own.clone());
        let video = input.rates(stream).0.and_then(rate_of);
        let track = track.filter(|_| tracks_own == tag).and_then(|track| track.average_rate());
        let rate = TimecodeRate::chosen(video, track.and_then(rate_of));
        let first = tag.as_deref().and_then(Timecode::parse);
        Self { rate, first: first.filter(|first| rate.is_some_and(|rate| rate.number(*first).is_some())) }
    }

    /// Returns a frame's timecode and where it was found, given its number and its position in its group, if known.
    pub(crate) fn of_frame(&self, frame: &AvFrame, number: Option<u64>) -> Option<(Timecode, TimecodeSource)> {
        let rate = self.rate?;
        let own = || Timecode::from_smpte(frame.smpte_timecode()?, rate).filter(|own| rate.number(*own).is_some());
        if let Some(own) = own() {
            return Some((own, TimecodeSource::Frames));
        }
        match self.first {
            Some(first) => Some((rate.after(first, number?)?, TimecodeSource::Container)),
            None => {
                let GroupPosition { group, frames } = frame.group_position()?;
                Some((rate.after(group, frames)?, TimecodeSource::Groups))
            }
        }
    }

    /// Returns the timecodes of a video, given its first frame.
    pub(crate) fn timecodes(&self, first: &AvFrame) -> Option<Timecodes> {
        let (timecode, source) = self.of_frame(first, Some(0))?;
        Some(Timecodes { first: timecode, rate: self.rate?, source })
    }
}

fn rate_of(rate: Ratio) -> Option<TimecodeRate> {
    TimecodeRate::of(rate.num, rate.den)
}
