//! Counting the scopes of one picture.

use super::counter::pixels_of;
use super::{Engine, EngineError, FoundEngine};
use crate::cpu;
use crate::gpu::{GpuError, scopes};
use histoscope_core::adjust::{Adjustments, Processor};
use histoscope_core::histogram::Components;
use histoscope_core::picture::Picture;
use histoscope_core::picture::region::Rect;
use histoscope_core::scopes::{Chroma, ScopeChoice, ScopeCounts};

impl Engine {
    /// Counts those scopes of a picture, or of `region` alone. Where adjustments are on, they are those of the adjusted picture, its
    /// red, green, blue and luminance: it is adjusted as a whole, and by itself. What the adapter cannot hold, the CPU counts.
    ///
    /// # Errors
    /// [`EngineError`] if the region does not lie in the picture, or the device fails.
    pub fn count_scopes(
        &self,
        picture: &Picture,
        adjustments: &Adjustments,
        (region, components): (Option<Rect>, Components),
        wanted: ScopeChoice,
    ) -> Result<ScopeCounts, EngineError> {
        let picture = if adjustments.is_off() { components.in_picture(picture) } else { picture };
        let pixels = pixels_of(picture, region)?;
        if let Some(FoundEngine::Adapter(gpu)) = self.found.get() {
            match scopes::count(gpu, picture, adjustments, (pixels, components), wanted) {
                Err(reason @ (GpuError::PictureTooLarge { .. } | GpuError::TooDeep { .. })) => {
                    log::info!("the CPU counts the scopes: {reason}");
                }
                counted => return Ok(counted?),
            }
        }
        if adjustments.is_off() {
            return Ok(cpu::count_scopes(picture, (pixels, components), Chroma::of(picture), wanted));
        }
        let adjusted = Processor::default().apply(picture, adjustments, None).map_err(EngineError::Adjust)?;
        Ok(cpu::count_scopes(&adjusted, (pixels, Components::Rgbl), Some(Chroma::of_adjusted(picture)), wanted))
    }
}
