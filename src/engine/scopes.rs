//! Counting the scopes of one picture.

use super::{Engine, Found};
use crate::cpu;
use crate::gpu::{GpuError, scopes};
use crate::histogram::Components;
use crate::picture::region::Rect;
use crate::picture::{Picture, PictureError};
use crate::scopes::{Choice, ScopeCounts};

impl Engine {
    /// Counts those scopes of a picture, or of `region` alone, as it is. What the adapter cannot hold, the CPU counts.
    ///
    /// # Errors
    /// [`GpuError::Region`] if the region does not lie in the picture, others if the device fails.
    pub fn count_scopes(
        &self,
        picture: &Picture,
        region: Option<Rect>,
        components: Components,
        wanted: Choice,
    ) -> Result<ScopeCounts, GpuError> {
        let pixels = region.unwrap_or(Rect::whole(picture.width(), picture.height()));
        if !pixels.fits(picture.width(), picture.height()) {
            return Err(GpuError::Region(PictureError::Empty { width: pixels.width, height: pixels.height }));
        }
        if let Some(Found::Adapter(gpu)) = self.found.get() {
            match scopes::count(gpu, picture, pixels, components, wanted) {
                Err(reason @ (GpuError::PictureTooLarge { .. } | GpuError::TooDeep { .. })) => {
                    log::info!("the CPU counts the scopes: {reason}");
                }
                counted => return counted,
            }
        }
        Ok(ScopeCounts {
            waveform: wanted.waveform.then(|| cpu::count_waveform(picture, pixels, components)),
            vectorscope: wanted.vectorscope.then(|| cpu::count_vectorscope(picture, pixels)).flatten(),
        })
    }
}
