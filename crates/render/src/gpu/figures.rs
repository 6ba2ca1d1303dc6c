//! Which frame, and which picture of it, the figures of a playing video belong to.

use crate::view::scene::Brush;
use histoscope_core::histogram::Components;
use histoscope_core::picture::color::Range;
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::{Frame, FrameFacts, OutOfRange, VideoId};

/// Which frame figures belong to.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FrameTag {
    /// The video that it is of.
    pub video: VideoId,
    /// Number of the seek that led to the frame.
    pub serial: u64,
    /// Its timestamp in units of the stream's time base.
    pub pts_ticks: i64,
    /// Its time in seconds from the start.
    pub time_secs: f64,
    /// Its number from the start, where that is known.
    pub index: Option<u64>,
    /// `true` if they are figures of the adjusted picture.
    pub adjusted: bool,
    /// The range that its codes are in, where they are the frame's own.
    pub range: Option<Range>,
    /// The part of the picture that was counted alone.
    pub region: Option<Rect>,
    /// The brush whose selected pixels were counted with them.
    pub brush: Option<Brush>,
}

impl FrameTag {
    /// The tag of a frame.
    #[must_use]
    pub fn of(frame: &Frame) -> Self {
        let Frame { video, serial, ref facts, .. } = *frame;
        let FrameFacts { pts_ticks, time_secs, index, .. } = *facts;
        let range = Some(frame.picture.colorimetry().range.value);
        Self { video, serial, pts_ticks, time_secs, index, adjusted: false, range, region: None, brush: None }
    }
}

/// The properties of a series of pictures, of which one may show the counts of another until its own have come: a video plays,
/// and counts come some drawings later. Codes, bins and columns mean the same in all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Series {
    pub video: VideoId,
    pub size: (u32, u32),
    /// The part of the pictures that is counted.
    pub rect: Rect,
    pub bits: u32,
    pub components: Components,
}

/// The subject of bins on their way back.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FigureSubject {
    pub tag: FrameTag,
    /// The number of the loading that counted them, since a frame may be loaded again with other colours, and of the choice of what is
    /// adjusted and counted.
    pub of: (u64, u64),
    /// `true` if the pixels outside the limits of EBU R 103 come behind them.
    pub limits: bool,
    /// Samples that were out of range before they became codes.
    pub clamped: OutOfRange,
}

/// `true` if figures are on their way back from the GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FiguresState {
    /// New ones have just come.
    New,
    /// Some are under way.
    UnderWay,
    /// None are.
    Settled,
}
