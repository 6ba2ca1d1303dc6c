//! Which frames come with a small picture: those that may begin a shot, and those that may be among the worst.
//!
//! Whether they do is known only when later frames are counted, and, with several decoders, those of other parts. So a few too many are
//! made, and none too few: whoever gathers them keeps what is wanted.

use jpeg_encoder::EncodingError;

use super::counter::FrameCounts;
use crate::jpeg::Jpeg;
use histoscope_core::picture::Frame;
use histoscope_core::strip::{CutGuess, WorstFrame, WorstFrames, fold, shares};
use histoscope_render::cpu::thumbnail::Thumbnail;

/// Width and height that one has at most, in pixels.
const MOST_PIXELS: (u32, u32) = (288, 192);

/// Of which frames small pictures are wanted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThumbnailUse {
    /// The distance from which a change can be a cut, as a part of the scale.
    pub cut_threshold: f64,
}

/// Picks the frames, which come in order.
pub(super) struct Picker {
    cuts: CutGuess,
    worst: [WorstFrames; 3],
}

impl Picker {
    pub(super) fn new(wanted: ThumbnailUse) -> Self {
        Self { cuts: CutGuess::new(wanted.cut_threshold), worst: Default::default() }
    }

    /// The picture of the next frame, where it is wanted.
    ///
    /// # Errors
    /// [`EncodingError`] if it cannot be encoded.
    pub(super) fn picture(
        &mut self,
        number: u64,
        frame: &Frame,
        counts: &FrameCounts,
    ) -> Result<Option<Jpeg>, EncodingError> {
        let Some(histogram) = counts.rgbl.as_ref().or(counts.coded.as_ref()) else { return Ok(None) };
        let mut is_wanted = self.cuts.push(&fold(histogram));
        let shares = shares(histogram, frame.picture.colorimetry().range.value);
        for (worst, share) in self.worst.iter_mut().zip(shares) {
            is_wanted |= worst.push(WorstFrame { frame: number, time_secs: frame.time_secs, share });
        }
        is_wanted.then(|| Jpeg::of(&Thumbnail::of(frame, MOST_PIXELS))).transpose()
    }
}
