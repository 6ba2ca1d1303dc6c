//! Tags that identify the frame, and the version of its picture, that the figures of a playing video belong to.

use crate::view::scene::Brush;
use histoscope_core::histogram::Components;
use histoscope_core::picture::color::Range;
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::{Frame, FrameFacts, OutOfRange, VideoId};

/// Identifies the frame that figures belong to.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FrameTag {
    /// The video that contains the frame.
    pub video: VideoId,
    /// Number of the seek that led to the frame.
    pub serial: u64,
    /// Its timestamp in units of the stream's time base.
    pub pts_ticks: i64,
    /// Its time in seconds from the start.
    pub time_secs: f64,
    /// Its number from the start, if known.
    pub index: Option<u64>,
    /// `true` if the figures are those of the adjusted picture.
    pub adjusted: bool,
    /// The range of its codes, if they are the frame's own.
    pub range: Option<Range>,
    /// The region that was counted, if not the whole picture.
    pub region: Option<Rect>,
    /// The brush whose selected pixels were counted as well.
    pub brush: Option<Brush>,
    /// `true` if the picture consists of two fields.
    pub is_interlaced: bool,
}

impl FrameTag {
    /// Returns the tag of a frame.
    #[must_use]
    pub fn of(frame: &Frame) -> Self {
        let Frame { video, serial, ref facts, .. } = *frame;
        let FrameFacts { pts_ticks, time_secs, index, .. } = *facts;
        let is_interlaced = facts.scan.is_interlaced();
        let range = Some(frame.picture.colorimetry().range.value);
        Self {
            video,
            serial,
            pts_ticks,
            time_secs,
            index,
            adjusted: false,
            range,
            region: None,
            brush: None,
            is_interlaced,
        }
    }
}

/// Properties shared by a series of pictures, such as those of a playing video. Codes, bins and columns mean the same
/// in all of them, so one picture may show the counts of another until its own arrive, a few draws later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Series {
    pub video: VideoId,
    pub size: (u32, u32),
    /// The part of the pictures that is counted.
    pub rect: Rect,
    pub bits: u32,
    pub components: Components,
}

/// The subject of bins that are being read back.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FigureSubject {
    pub tag: FrameTag,
    /// The number of the load that was counted, since a frame may be loaded again with other colours, and the revision
    /// of its adjustments and counts.
    pub of: (u64, u64),
    /// `true` if the count of pixels outside the limits of EBU R 103 follows the bins.
    pub limits: bool,
    /// Samples that were out of range before they became codes.
    pub clamped: OutOfRange,
}

/// The state of requested figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FiguresState {
    /// New figures have just arrived.
    New,
    /// Figures are in flight.
    InFlight,
    /// No figures are in flight.
    Settled,
}
