//! A key frame, as it is shown beside the timeline.

use crate::cpu::thumbnail::Thumbnail;
use crate::histogram::Histogram;

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
