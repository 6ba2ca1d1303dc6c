//! Properties of pictures besides their counts, for findings.

use histoscope_core::histogram::{CLAMPED_CHANNELS, Histogram};
use histoscope_core::picture::Frame;
use histoscope_core::picture::region::Rect;
use histoscope_render::cpu::count_outside_r103;

/// A choice of properties of pictures to find besides their counts.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Inspection {
    /// None.
    #[default]
    None,
    /// Frames that repeat the previous one.
    Repeats,
    /// Everything in [`Inspected`].
    All {
        /// The share of pixels outside the limits of EBU R 103 that need not be counted exactly.
        tolerated: f64,
    },
}

/// Properties of a picture besides its counts, as far as they were requested.
#[derive(Debug, Clone, Default)]
pub struct Inspected {
    /// `true` if all codes equal those of the previous frame.
    pub repeats: bool,
    /// Number of pixels outside the limits of EBU R 103; 0 if it is tolerated.
    pub outside_r103: Option<u32>,
    /// The picture between black bars, examined once a second.
    pub active: Option<Rect>,
    /// `true` if a finding may begin with the frame. Known if thumbnails are made.
    pub begins: bool,
}

/// Returns the number of pixels outside the limits of EBU R 103, or `None` without R'G'B'. These limits lie beyond black
/// and white, so pixels are examined only if more than the `tolerated` share can be outside.
pub(super) fn outside_r103(frame: &Frame, histogram: Option<&Histogram>, tolerated: f64) -> Option<u32> {
    let histogram = histogram?;
    let beyond = (0..CLAMPED_CHANNELS).flat_map(|channel| histogram.out_of_range(channel)).map(u64::from).sum::<u64>();
    // A pixel counts once, however many of its channels are outside.
    let (pixels, beyond) = (f64::from(frame.picture.pixel_count()), beyond as f64);
    let is_tolerated = beyond.min(pixels) <= tolerated * pixels;
    Some(if is_tolerated { 0 } else { count_outside_r103(frame.picture.as_rgb()?) })
}
