//! Properties of pictures besides their counts, for findings.

use histoscope_core::histogram::{CLAMPED_CHANNELS, Histogram};
use histoscope_core::picture::Frame;
use histoscope_core::picture::region::Rect;
use histoscope_render::cpu::count_outside_r103;

/// A choice of properties of pictures to find besides their counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Inspection {
    /// None.
    #[default]
    None,
    /// Frames that repeat the previous one.
    Repeats,
    /// Everything in [`Inspected`].
    All,
}

/// Properties of a picture besides its counts, as far as they were requested.
#[derive(Debug, Clone, Default)]
pub struct Inspected {
    /// `true` if all codes equal those of the previous frame.
    pub repeats: bool,
    /// Number of pixels outside the limits of EBU R 103.
    pub outside_r103: Option<u32>,
    /// The picture between black bars, examined once a second.
    pub active: Option<Rect>,
    /// `true` if a finding may begin with the frame. Known if thumbnails are made.
    pub begins: bool,
}

/// Returns the number of pixels outside the limits of EBU R 103, or `None` without R'G'B'. These limits lie beyond black
/// and white, so pixels are examined only if some are.
pub(super) fn outside_r103(frame: &Frame, histogram: Option<&Histogram>) -> Option<u32> {
    let histogram = histogram?;
    let is_beyond = (0..CLAMPED_CHANNELS).any(|channel| histogram.out_of_range(channel) != [0, 0]);
    Some(if is_beyond { count_outside_r103(frame.picture.as_rgb()?) } else { 0 })
}
