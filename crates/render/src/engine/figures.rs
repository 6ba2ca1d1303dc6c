//! The luminance of linear light of one picture, for figures.

use super::{BackendKind, Engine, EngineError, FoundEngine, Renderer};
use crate::cpu;
use crate::view::scene::{Counted, Look, Scene};
use histoscope_core::adjust::{Adjustments, Processor};
use histoscope_core::histogram::{Components, LightTable, Transfer};
use histoscope_core::picture::Frame;
use histoscope_core::picture::region::Rect;

impl Engine {
    /// Counts the luminance of a frame in linear light, or only of `region`, in 2^n bins. Also returns the transfer
    /// function that linearized its codes. If there are adjustments, it counts the adjusted picture, which is adjusted
    /// as a whole.
    ///
    /// # Errors
    /// [`EngineError`] if the region does not lie in the picture, or the device fails.
    pub fn count_linear(
        &self,
        frame: &Frame,
        adjustments: Adjustments,
        region: Option<Rect>,
    ) -> Result<(Transfer, Vec<u32>), EngineError> {
        if let Some(FoundEngine::Adapter(gpu)) = self.found.get() {
            let mut renderer = Renderer::headless(gpu, BackendKind::Adapter);
            renderer.load_frame(gpu, frame, region, Components::Rgbl)?;
            let scene = Scene::from(Look { adjustments, counted: Counted::Result, ..Look::default() });
            return Ok(renderer.count_linear(gpu, &scene)?);
        }
        let picture = Processor::default().apply(&frame.picture, &adjustments, None).map_err(EngineError::Adjust)?;
        let transfer = Transfer::of_tag(frame.source.transfer);
        let table = LightTable::new(transfer, picture.layout().bin_bits());
        Ok((transfer, cpu::count_linear_region(&picture, region, &table).map_err(EngineError::Region)?))
    }
}
