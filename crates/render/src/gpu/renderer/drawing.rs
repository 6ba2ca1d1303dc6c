//! Drawing what is loaded: one picture or two, then the overlays.

use std::time::Instant;

use super::Renderer;
use super::adjusting::Making;
use super::brushed::{self, Brushed};
use super::content::{ContentChoice, LoadedContent};
use super::linear::LinearCount;
use super::loaded::Loaded;
use super::reference::Reference;
use super::scopes::{ScopeAnswer, ScopeCount, ScopeQuestion};
use crate::cpu::overlay::Overlay;
use crate::gpu::Gpu;
use crate::gpu::cumulative::CumulativePass;
use crate::gpu::draw::overlay::{OverlayBars, OverlayBuffers, OverlayContent};
use crate::gpu::draw::{self, BackdropPass, DividerPass, ScopePass, ViewPart};
use crate::gpu::figures::FiguresState;
use crate::gpu::live::Timed;
use crate::view::brushes::Brushes;
use crate::view::overlay::line_pixels;
use crate::view::panel_params::Outlined;
use crate::view::scene::{Scene, Seam};
use histoscope_core::scopes;

/// Who draws the overlays.
enum Overlays {
    /// None are shown.
    None,
    /// The CPU, with the picture that it paints.
    Painted(Vec<Overlay>),
    /// The adapter.
    Drawn(OverlayContent),
}

impl Renderer {
    /// Records a view: counting and adjusting, unless that is done, the pictures, the overlays, and text where it is wanted.
    pub(super) fn record_view(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        (view, size): (&wgpu::TextureView, (u32, u32)),
        scene: &Scene,
        text: bool,
    ) {
        self.poll_thresholds(gpu);
        self.record_count(gpu, encoder, ContentChoice::of(scene));
        self.record_pair(gpu, encoder, scene);
        self.record_brushed(gpu, encoder, size, scene);
        self.record_reference(gpu, encoder, scene);
        let overlays = self.overlays(scene, (view.texture().format(), size));
        let painted = self.prepare_pictures(gpu, encoder, (view, size), scene, &overlays);
        if let Overlays::Drawn(loaded) = &overlays {
            self.prepare_overlays(gpu, encoder, size, scene, loaded);
        }
        let has_scopes = self.prepare_scopes(gpu, encoder, size, scene);
        self.record_draw(encoder, (view, size), (painted, &overlays, has_scopes), scene, text);
        if let Some(timing) = &mut self.timing {
            timing.end(encoder);
        }
    }

    /// Who draws the overlays. A software adapter interprets their shader too; so where the CPU paints one picture and knows its bins,
    /// it paints the overlays with it, unless they have parts that only the shaders draw.
    fn overlays(&self, scene: &Scene, view: (wgpu::TextureFormat, (u32, u32))) -> Overlays {
        let Some(Loaded { bits, components, range, .. }) = self.content.loaded else { return Overlays::None };
        if !scene.overlays {
            return Overlays::None;
        }
        let (_, outline) = self.content.passes();
        let shows_brushed = self.answers.brushed.as_ref().is_some_and(|brushed| brushed.bars().is_some());
        let outlined = match outline {
            _ if shows_brushed => Outlined::Whole,
            Some(_) => Outlined::Other,
            None if reference(self.reference.as_ref(), &self.content).is_some() => Outlined::Other,
            None => Outlined::None,
        };
        // That line has the scale of the whole's luminance, which is not the bars' then.
        let linear = scene.shows_linear(components) && !shows_brushed;
        let content = OverlayContent { bits, components, range, outlined, linear, backdrop: None };
        let is_painted = matches!(&self.content.parts(scene, view.1)[..], [part] if part.bound.is_none());
        // The ground of a wall would cover what was painted.
        let is_wall = scene.arranged(view.1).is_wall;
        let needs_shaders =
            is_wall || outlined != Outlined::None || content.linear || scene.curves || scene.style.backdrop;
        let has_divider = self.content.seam(scene, view.1).is_some();
        match self.content.known() {
            Some((_, histogram)) if is_painted && !needs_shaders && !has_divider => {
                Overlays::Painted(draw::overlays(&content, histogram, scene, view))
            }
            _ => Overlays::Drawn(content),
        }
    }

    /// Sets the drawing of the pictures up; where the CPU draws, paints them on the view and returns true.
    fn prepare_pictures(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        (view, size): (&wgpu::TextureView, (u32, u32)),
        scene: &Scene,
        overlays: &Overlays,
    ) -> bool {
        let begin = Instant::now();
        let mut parts = self.content.parts(scene, size);
        // What is lit by the other side's codes sets that side up first, which then is set up for its own drawing.
        parts.sort_by_key(|part| part.counted.is_none());
        let painted = parts.iter().any(|part| part.bound.is_none());
        if let Some(brushed) = self.answers.brushed.as_mut().filter(|_| scene.brushes.in_scopes()) {
            let selected = match parts.first().filter(|_| painted) {
                Some(part) => brushed.here(part.decisive()),
                None => brushed.there(gpu),
            };
            parts.iter_mut().for_each(|part| part.selected = selected);
        }
        for part in &parts {
            if painted {
                let over = if let Overlays::Painted(overlays) = overlays { &overlays[..] } else { &[] };
                self.recorded.push(if over.is_empty() { "paint" } else { "paint with overlays" });
                self.paint[part.side as usize].paint(gpu, encoder, view.texture(), (part, over));
            } else if part.prepare(gpu, encoder, &mut self.video) {
                self.recorded.push("light");
            }
        }
        if let (Some(timing), true) = (&mut self.timing, painted) {
            timing.times.cpu_paint = Some(begin.elapsed());
        }
        if let Some(Seam { column, .. }) = self.content.seam(scene, size) {
            let pass = self.divider.get_or_insert_with(|| DividerPass::new(gpu, self.format));
            pass.place(gpu, size, column, line_pixels(size));
        }
        painted
    }

    /// Makes ready what is shown with the loaded picture.
    fn record_pair(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, scene: &Scene) {
        let mut making = Making { gpu, encoder, timing: None, recorded: &mut self.recorded };
        self.content.record_pair(&mut making, scene.paired());
    }

    /// Finds and counts what the brushes of the scopes select, where anything that is shown asks for it.
    fn record_brushed(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, size: (u32, u32), scene: &Scene) {
        let arranged = scene.arranged(size);
        let shown = if arranged.panels.is_empty() { scopes::ScopeChoice::default() } else { scene.scopes.counted() };
        let Some(wanted) = brushed::wanted(scene, shown).filter(|_| self.content.loaded.is_some()) else {
            self.answers.brushed = None;
            return;
        };
        let brushed = self.answers.brushed.get_or_insert_with(|| Brushed::new(gpu));
        if brushed.record(gpu, encoder, &self.content, (scene.brushes, wanted)) {
            self.recorded.push("brushes");
        }
    }

    /// Makes the reference's bins ready to be drawn, where they are.
    fn record_reference(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, scene: &Scene) {
        let Some(loaded) = self.content.loaded.as_ref().filter(|_| scene.overlays) else { return };
        let reference = self.reference.as_mut().filter(|reference| reference.suits(loaded));
        if reference.is_some_and(|reference| reference.record(gpu, encoder, loaded)) {
            self.recorded.push("reference");
        }
    }

    /// Pixels that all of these brushes select and those that are counted, once that is known of what was drawn with them; nothing where
    /// only the histograms are brushed and no other scope is shown. Never waits.
    pub fn ask_brushed(&mut self, gpu: &Gpu, brushes: Brushes) -> Option<(u32, u64)> {
        let series = self.content.series();
        self.answers.brushed.as_mut()?.ask(gpu, series, brushes)
    }

    /// Counts the scopes that are shown beside the histograms and sets their drawing up; whether there are any.
    fn prepare_scopes(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        size: (u32, u32),
        scene: &Scene,
    ) -> bool {
        let arranged = scene.arranged(size);
        if self.content.loaded.is_none() || (!arranged.is_wall && arranged.panels.is_empty()) {
            self.answers.scopes = None;
            if let Some(timing) = &mut self.timing {
                timing.times.cpu_scopes = None;
            }
            return false;
        }
        let count = self.answers.scopes.get_or_insert_with(|| ScopeCount::new(gpu));
        if count.record(gpu, encoder, (&self.content, self.timing.as_mut()), scene.scopes.counted()) {
            self.recorded.push("count scopes");
        }
        let pass = self.scopes.get_or_insert_with(|| ScopePass::new(gpu, self.format));
        let lit = self.answers.brushed.as_ref().map(Brushed::buffers).unwrap_or_default();
        pass.prepare(gpu, &arranged, (&count.buffers(), &lit), scene, size);
        self.recorded.push("scopes");
        true
    }

    /// The counts of the scopes that are asked for, once they are there; nothing where no scopes are shown. Never waits.
    pub fn ask_scope(&mut self, gpu: &Gpu, question: ScopeQuestion) -> Option<ScopeAnswer> {
        let series = self.content.series();
        self.answers.scopes.as_mut()?.ask(gpu, series, question)
    }

    /// Takes counts of scopes, and of what is brushed in them, that have come back from the GPU, without waiting.
    pub fn poll_scope(&mut self, gpu: &Gpu) -> FiguresState {
        let series = self.content.series();
        let scopes = self.answers.scopes.as_mut().map_or(FiguresState::Settled, |scopes| scopes.poll(gpu, series));
        let brushed = self.answers.brushed.as_mut().map_or(FiguresState::Settled, |brushed| brushed.poll(gpu, series));
        match (scopes, brushed) {
            (FiguresState::New, _) | (_, FiguresState::New) => FiguresState::New,
            (FiguresState::UnderWay, _) | (_, FiguresState::UnderWay) => FiguresState::UnderWay,
            (FiguresState::Settled, FiguresState::Settled) => FiguresState::Settled,
        }
    }

    /// Sets the overlays up that the adapter draws, and records what goes before their drawing.
    fn prepare_overlays(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        size: (u32, u32),
        scene: &Scene,
        shown: &OverlayContent,
    ) {
        let (whole, other) = self.content.passes();
        let (filled, outline) = match self.answers.brushed.as_ref().and_then(Brushed::bars) {
            Some(bars) => (bars, Some(whole.into())),
            None => {
                let reference = reference(self.reference.as_ref(), &self.content);
                (whole.into(), reference.map(Reference::bars).or_else(|| other.map(OverlayBars::from)))
            }
        };
        let parts = self.content.parts(scene, size);
        let backdrop = match parts.first().filter(|_| scene.style.backdrop) {
            Some(_) => {
                let pass = self.backdrop.get_or_insert_with(|| BackdropPass::new(gpu));
                self.recorded.push("backdrop");
                match pass.record(gpu, encoder, &parts, size) {
                    Ok(made) => Some(made),
                    Err(reason) => {
                        log::debug!("no backdrop: {reason}");
                        None
                    }
                }
            }
            None => None,
        };
        let (backdrop, backdrop_size) = backdrop.unzip();
        let linear = self.answers.linear.take().filter(|_| shown.linear);
        let linear = if shown.linear { linear.or_else(|| Some(LinearCount::new(gpu))) } else { None };
        self.answers.linear = linear;
        let linear = match &mut self.answers.linear {
            Some(linear) => {
                if linear.record(gpu, encoder, &self.content) {
                    self.recorded.push("linear");
                }
                Some(linear.bins())
            }
            None => None,
        };
        let shown = OverlayContent { backdrop: backdrop_size, ..*shown };
        let cumulative = scene.curves.then(|| self.answers.cumulative.get_or_insert_with(|| CumulativePass::new(gpu)));
        let counts = OverlayBuffers { filled, outline, linear, backdrop, cumulative };
        let spans = self.timing.as_mut().and_then(|timing| timing.also(&[Timed::Draw]));
        self.recorded.push("columns");
        self.overlay.prepare(gpu, encoder, &shown, counts, scene, size, spans);
    }

    fn record_draw(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        (view, size): (&wgpu::TextureView, (u32, u32)),
        (painted, overlays, has_scopes): (bool, &Overlays, bool),
        scene: &Scene,
        text: bool,
    ) {
        let finds_columns = matches!(overlays, Overlays::Drawn(_));
        // Where there are overlays, drawing begins with the pass that finds their columns.
        let spans = self.timing.as_mut().and_then(|timing| timing.also(&[Timed::Draw]));
        let timestamp_writes = spans.map(|spans| spans.end_with_drawing(encoder, !finds_columns));
        // What the CPU has painted already stays; otherwise black is what no picture covers.
        let load = if painted { wgpu::LoadOp::Load } else { wgpu::LoadOp::Clear(wgpu::Color::BLACK) };
        self.recorded.push("draw");
        let mut pass = encoder
            .begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("draw"),
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
                })],
                timestamp_writes,
                ..Default::default()
            })
            .forget_lifetime();
        let parts = self.content.parts(scene, size);
        parts.iter().for_each(|part: &ViewPart<'_>| part.draw(&mut pass, &self.video, size.1));
        if !parts.is_empty() {
            pass.set_scissor_rect(0, 0, size.0, size.1);
        }
        if let (Some(divider), Some(_)) = (&self.divider, self.content.seam(scene, size)) {
            divider.draw(&mut pass);
        }
        if let (Some(scopes), true) = (&self.scopes, has_scopes) {
            scopes.draw(&mut pass);
        }
        if finds_columns {
            self.overlay.draw(&mut pass, size);
        }
        if text {
            self.text.draw(&mut pass);
        }
    }
}

/// The reference whose bins are drawn over those of what is loaded, if they are.
fn reference<'a>(reference: Option<&'a Reference>, content: &LoadedContent) -> Option<&'a Reference> {
    let loaded = content.loaded.as_ref()?;
    reference.filter(|reference| reference.suits(loaded))
}
