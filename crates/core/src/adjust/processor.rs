//! The whole chain of adjustments on the CPU.

use super::chain::{Adjustments, Tone};
use super::parameters::Memory;
use super::{Codes, lut};
use crate::picture::{Picture, PictureError};

/// The chain of adjustments on the CPU. It keeps equalization's smoothed curves from one picture to the next.
#[derive(Debug, Clone, Default)]
pub struct Processor(Memory);

impl Processor {
    /// Returns the adjusted picture. `elapsed_secs` is the time since the previous picture, or `None` for the first one
    /// and after a jump.
    ///
    /// # Errors
    /// Never in practice: an adjusted picture has as many pixels as its source.
    pub fn apply(
        &mut self,
        picture: &Picture,
        adjustments: &Adjustments,
        elapsed_secs: Option<f64>,
    ) -> Result<Picture, PictureError> {
        if adjustments.is_off() {
            *self = Self::default();
            return Ok(picture.clone());
        }
        let adjustments = adjustments.for_range(picture.colorimetry().range.value);
        self.apply_to_codes(Codes::of(picture), &adjustments, elapsed_secs).picture()
    }

    /// Adjusts codes, like [`apply`](Self::apply).
    #[must_use]
    pub fn apply_to_codes(&mut self, codes: Codes, adjustments: &Adjustments, elapsed_secs: Option<f64>) -> Codes {
        let mut chain = adjustments.clamped();
        self.0.thresholds = None;
        if !matches!(chain.tone, Some(Tone::Equalize(_))) {
            self.0.curves.clear();
        }
        let codes = match chain.lut {
            Some(lut) => lut::apply(codes, lut),
            None => codes,
        };
        chain.parameters().fold(codes, |codes, step| step.apply(codes, &mut self.0, elapsed_secs))
    }

    /// Returns the first luminance codes of the second to fifth classes in the last picture, with `u32::MAX` for
    /// classes that do not exist. Returns `None` if the picture was not segmented.
    #[must_use]
    pub const fn thresholds(&self) -> Option<[u32; 4]> {
        self.0.thresholds
    }
}
