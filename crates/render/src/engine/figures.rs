//! Other counts of one picture for figures: scopes, and the luminance of linear light.

use super::counter::pixels_of;
use super::{BackendKind, Engine, EngineError, FoundEngine, Renderer};
use crate::cpu;
use crate::gpu::{GpuError, scopes};
use crate::view::scene::{Counted, Look, Scene};
use histoscope_core::adjust::{Adjustments, Processor};
use histoscope_core::histogram::{Components, LightTable, Transfer};
use histoscope_core::picture::Frame;
use histoscope_core::picture::region::Rect;
use histoscope_core::scopes::{Chroma, Diagram, ScopeChoice, ScopeCounts};
use histoscope_core::tone_map::SourceLight;

impl Engine {
    /// Counts these scopes of a frame, or only of `region`, the vectorscope in this diagram, and returns them with the diagram
    /// that is counted: Cb and Cr if the picture has no chromaticities. If there are adjustments, the
    /// scopes count the red, green, blue and luminance of the adjusted picture, which is adjusted as a whole and without
    /// smoothing in time. The CPU counts pictures that the adapter cannot hold.
    ///
    /// # Errors
    /// [`EngineError`] if the region does not lie in the picture, or the device fails.
    pub fn count_scopes(
        &self,
        frame: &Frame,
        adjustments: &Adjustments,
        (region, components): (Option<Rect>, Components),
        (wanted, diagram): (ScopeChoice, Diagram),
    ) -> Result<(ScopeCounts, Diagram), EngineError> {
        let is_off = adjustments.is_off();
        let picture = if is_off { components.in_picture(&frame.picture) } else { &frame.picture };
        let pixels = pixels_of(picture, region)?;
        let colors = SourceLight::of(&frame.source).after(adjustments).colors();
        let chroma = Chroma::of_counted(picture, !is_off).map(|chroma| chroma.in_diagram(diagram, colors));
        let diagram = chroma.map_or(diagram, |chroma| chroma.diagram());
        if let Some(FoundEngine::Adapter(gpu)) = self.found.get() {
            match scopes::count(gpu, picture, adjustments, (pixels, components), (wanted, chroma)) {
                Err(reason @ (GpuError::PictureTooLarge { .. } | GpuError::TooDeep { .. })) => {
                    log::info!("counting the scopes on the CPU: {reason}");
                }
                counted => return Ok((counted?, diagram)),
            }
        }
        if is_off {
            return Ok((cpu::count_scopes(picture, (pixels, components), chroma, wanted), diagram));
        }
        let adjusted = Processor::default().apply(picture, adjustments, None).map_err(EngineError::Adjust)?;
        Ok((cpu::count_scopes(&adjusted, (pixels, Components::Rgbl), chroma, wanted), diagram))
    }

    /// Counts the luminance of a frame in linear light, or only of `region`, in 2^n bins. Also returns the transfer function
    /// that linearized its codes. If there are adjustments, it counts the adjusted picture, which is adjusted as a whole.
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
