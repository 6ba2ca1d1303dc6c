//! Pictures that are adjusted before they are counted, each by itself.

use crate::adjust::{Adjustments, Processor, plain};
use crate::export::figures::present;
use crate::picture::{Picture, PictureError};

/// Adjusts the pictures of a run. Whatever came before a picture, it becomes the same: shares of a run are joined, and
/// frames left out, without a trace.
pub(super) struct Adjusting {
    adjustments: Adjustments,
    processor: Processor,
}

impl Adjusting {
    /// `None` where nothing is adjusted.
    pub(super) fn new(adjustments: &Adjustments) -> Option<Self> {
        (!adjustments.is_off()).then(|| Self { adjustments: *adjustments, processor: Processor::default() })
    }

    /// The adjusted picture, whole: a region is cut out of it afterwards. It has none before it that it could follow.
    pub(super) fn apply(&mut self, picture: &Picture) -> Result<Picture, PictureError> {
        self.processor.apply(picture, &self.adjustments, None)
    }

    /// The same by the slow definition.
    pub(super) fn plain(&self, picture: &Picture) -> Result<Picture, PictureError> {
        plain::apply(plain::codes(picture), &self.adjustments).picture()
    }

    /// Otsu's thresholds of the last picture, where there are any.
    pub(super) fn thresholds(&self) -> Option<Vec<u32>> {
        self.processor.thresholds().map(present)
    }
}
