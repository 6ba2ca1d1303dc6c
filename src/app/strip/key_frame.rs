//! A key frame, as it is shown beside the timeline.

use histoscope_core::histogram::Histogram;
use histoscope_render::cpu::thumbnail::Thumbnail;

/// A key frame, as it is shown beside the timeline.
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
    /// When it is on screen, in seconds from the start.
    pub time_secs: f64,
    /// The picture.
    pub thumbnail: Thumbnail,
    /// The counts of all its pixels, as the video's are counted.
    pub histogram: Histogram,
}
