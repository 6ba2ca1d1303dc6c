//! From `--from` and `--to` to the exact frames: their numbers in the whole file, also where decoding starts inside it.

use super::selection::Point;
use super::{AnalyzeError, Stop};
use crate::media::{Decoder, FrameIndex, Seek, SeekTarget, StreamInfo};
use crate::picture::Frame;

/// The end of a span, exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The frames with this timestamp, in ticks, or a later one are not part of it.
    Ticks(i64),
    /// The frame of that number is not part of it.
    Number(u64),
}

/// Where a span begins in a decoder that was brought there.
pub struct Positioned {
    /// The number of the first frame of the span, where it is known already.
    pub first: Option<u64>,
    /// The number of the first frame that comes.
    pub number: u64,
    /// Frames that were decoded to be sure; they come before those of the decoder.
    pub ahead: Vec<Frame>,
    /// The frames of the file, where its packets tell them and were read.
    pub index: Option<FrameIndex>,
    /// Frames to leave out from here on, because only decoding tells their numbers.
    pub skip_until: Option<Point>,
}

/// The first tick that is not before a time in seconds from the first frame, with a little grace so that a frame's own
/// time leads to it.
#[must_use]
pub fn ticks_at(info: &StreamInfo, secs: f64) -> i64 {
    let ticks = (secs / info.time_base.value() - 1e-3).ceil();
    // The conversion saturates.
    info.start_ticks.saturating_add(ticks as i64)
}

/// The end that a point means.
#[must_use]
pub fn end(info: &StreamInfo, to: Point) -> End {
    match to {
        Point::Time(secs) => End::Ticks(ticks_at(info, secs)),
        Point::Frame(number) => End::Number(number),
    }
}

impl End {
    /// Whether a frame lies at or after the end.
    #[must_use]
    pub const fn is_reached(self, number: u64, pts_ticks: i64) -> bool {
        match self {
            Self::Ticks(ticks) => pts_ticks >= ticks,
            Self::Number(end) => number >= end,
        }
    }
}

/// Whether a frame lies before a point.
#[must_use]
pub fn is_before(info: &StreamInfo, point: Point, number: u64, pts_ticks: i64) -> bool {
    !end(info, point).is_reached(number, pts_ticks)
}

/// Brings a decoder that stands at the first frame to `from`, or to the frame of number `resume_at` if that is later. Seeking is trusted only where the packets tell the frames'
/// numbers beyond doubt and the frames that come agree with them; else all frames before are decoded and left out.
///
/// # Errors
/// [`AnalyzeError`] if the file cannot be read.
pub fn position(
    decoder: &mut Decoder,
    (from, resume_at): (Option<Point>, u64),
    want_index: bool,
    stop: &Stop,
) -> Result<Positioned, AnalyzeError> {
    let from = from.filter(|from| !matches!(from, Point::Frame(0)));
    let from = from.filter(|from| !matches!(from, Point::Time(secs) if *secs <= 0.0));
    let first = from.is_none().then_some(0);
    let mut positioned = Positioned { first, number: 0, ahead: Vec::new(), index: None, skip_until: from };
    if from.is_none() && resume_at == 0 && !want_index {
        return Ok(positioned);
    }
    positioned.index = decoder.frame_index(|| !stop.is_stopped())?;
    let Some(index) = &positioned.index else { return Ok(positioned) };
    let first = match from {
        None => 0,
        Some(Point::Frame(number)) => number,
        Some(Point::Time(secs)) => index.frames_before(ticks_at(decoder.info(), secs)),
    };
    let number = first.max(resume_at);
    if number == 0 {
        return Ok(positioned);
    }
    let Some(at) = usize::try_from(number).ok().filter(|at| *at < index.pts.len()) else {
        // Nothing lies there, as far as the packets tell; decoding will show.
        return Ok(positioned);
    };
    decoder.seek(Seek::Exact(SeekTarget::Timestamp(index.pts[at])))?;
    let mut ahead = Vec::new();
    for expected in index.pts[at..].iter().take(2) {
        match decoder.next_frame()? {
            Some(frame) if frame.pts_ticks == *expected => ahead.push(frame),
            other => {
                let found = other.map(|frame| frame.pts_ticks);
                log::info!("frame {number} should come at {expected}, not {found:?}; all frames before it are decoded");
                decoder.seek(Seek::START)?;
                return Ok(positioned);
            }
        }
    }
    Ok(Positioned { first: Some(first), number, ahead, skip_until: None, ..positioned })
}
