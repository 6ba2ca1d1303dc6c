//! Draws the histogram overlays from the bin buffer and the scale buffer, which never leave the GPU.
//!
//! All rows of a column of pixels depend on the same bins, so a compute pass first computes the content of each column.
//! The draw then needs only one load and a few comparisons per pixel.

use std::collections::HashMap;

use super::OVER;
use crate::gpu::Gpu;
use crate::gpu::bins::Bars;
use crate::gpu::bins::CumulativePass;
use crate::gpu::regroup::RegroupPass;
use crate::gpu::resources::{buffer, storage};
use crate::gpu::shaders::{self, groups};
use crate::gpu::timing::Spans;
use crate::view::binning::Binning;
use crate::view::clip_indicators;
use crate::view::overlay::line_pixels;
use crate::view::panel::PanelRect;
pub use crate::view::panel_params::OverlayContent;
use crate::view::panel_params::PanelParams;
use crate::view::panel_params::shown_panels;
use crate::view::scene::Scene;
use histoscope_core::histogram::CHANNELS;

/// Invocations per workgroup of the columns pass, as in shaders/columns.wgsl.
const WORKGROUP: u32 = 64;
/// Words per column in the columns buffer.
const COLUMN_WORDS: usize = 8;
/// Words per column in the strokes buffer.
const STROKE_WORDS: usize = 20;

/// The buffers that the overlays are drawn from.
#[derive(Debug)]
pub struct OverlayBuffers<'a> {
    /// The bins drawn as bars.
    pub filled: Bars<'a>,
    /// The bins drawn as outlines; if `None`, [`OverlayContent::outlined`] must be `None` too.
    pub outline: Option<Bars<'a>>,
    /// The bins of luminance in linear light; if `None`, [`OverlayContent::linear`] must be `false`.
    pub linear: Option<&'a wgpu::Buffer>,
    /// The blurred picture; if `None`, [`OverlayContent::backdrop`] must be `None` too.
    pub backdrop: Option<&'a wgpu::Buffer>,
    /// The pass that sums the filled bins; if `None`, no curves are drawn.
    pub cumulative: Option<&'a mut CumulativePass>,
}

/// Draws the overlays.
#[derive(Debug)]
pub struct OverlayPass {
    columns_shader: shaders::Module,
    columns_pipelines: HashMap<Binning, wgpu::ComputePipeline>,
    /// Regroup the counted bins (filled, outlined and of linear light) if they are not drawn one per code.
    regrouped: [Option<RegroupPass>; 3],
    /// Draws the top and the edges, where caps, clip indicators and the frame are.
    edges: wgpu::RenderPipeline,
    /// Draws the rest.
    middle: wgpu::RenderPipeline,
    params: [wgpu::Buffer; CHANNELS],
    /// Placeholder for missing buffers.
    nothing: wgpu::Buffer,
    columns: Option<Columns>,
    /// The position of each overlay that is currently shown.
    shown: Vec<OverlayPlace>,
}

/// The position of an overlay.
#[derive(Debug, Clone, Copy)]
struct OverlayPlace {
    /// Its width in columns.
    width: u32,
    /// The parts that may contain caps, clip indicators and the frame: top, left, right and bottom.
    edges: [ViewRect; 4],
    /// The rest.
    middle: ViewRect,
}

/// A part of the view: left, top, width and height in pixels.
type ViewRect = [u32; 4];

impl OverlayPlace {
    fn new(rect: PanelRect, line: u32, view: (u32, u32)) -> Self {
        let (left, top) = (rect.left.saturating_sub(line), rect.top.saturating_sub(line));
        let (inner_right, inner_bottom) = (rect.left + rect.width, rect.top + rect.height);
        let (right, bottom) = ((inner_right + line).min(view.0), (inner_bottom + line).min(view.1));
        let indicators = CHANNELS as u32 * (clip_indicators::side(&rect) + line);
        let split = (rect.top + rect.notch() + indicators + 2 * line).min(inner_bottom);
        let part = |[left, right]: [u32; 2], [top, bottom]: [u32; 2]| {
            [left, top, right.saturating_sub(left), bottom.saturating_sub(top)]
        };
        let below = [split, inner_bottom];
        let edges = [
            part([left, right], [top, split]),
            part([left, rect.left], below),
            part([inner_right, right], below),
            part([left, right], [inner_bottom, bottom]),
        ];
        Self { width: rect.width, edges, middle: part([rect.left, inner_right], below) }
    }
}

/// The columns' and strokes' buffers, and the bind groups that use them.
#[derive(Debug)]
struct Columns {
    capacity: u32,
    columns: wgpu::Buffer,
    strokes: wgpu::Buffer,
    /// The buffers that the groups were created with: bins and scales of both pictures, cumulative bins, backdrop, and
    /// bins of linear light.
    bound: [wgpu::Buffer; 7],
    groups: Vec<(wgpu::BindGroup, wgpu::BindGroup)>,
}

impl OverlayPass {
    /// Creates the passes for views of `format`.
    #[must_use]
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Self {
        let device = &gpu.device;
        let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let module = shaders::OVERLAY.module(device);
        let pipeline = |edges| module.rectangle(device, "histogram", &[("EDGES", edges)], format, Some(OVER));
        Self {
            columns_shader: shaders::COLUMNS.module(device),
            columns_pipelines: HashMap::new(),
            regrouped: [None, None, None],
            edges: pipeline(1.0),
            middle: pipeline(0.0),
            params: std::array::from_fn(|_| buffer(device, "overlay", size_of::<PanelParams>() / 4, usage)),
            nothing: storage(device, "nothing", 4),
            columns: None,
            shown: Vec::new(),
        }
    }

    /// Sets up the overlays for a view of `view` pixels and records the pass that computes their columns. If there are
    /// `spans`, the first of them begins with that pass.
    #[expect(clippy::too_many_arguments, reason = "what is drawn, from what, and where to")]
    pub fn prepare(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        shown: &OverlayContent,
        counts: OverlayBuffers<'_>,
        scene: &Scene,
        view: (u32, u32),
        spans: Option<Spans<'_>>,
    ) {
        let panels = shown_panels(shown, scene, view);
        for ((_, params), buffer) in panels.iter().zip(&self.params) {
            gpu.queue.write_buffer(buffer, 0, bytemuck::bytes_of(params));
        }
        self.shown = panels.iter().map(|(rect, _)| OverlayPlace::new(*rect, line_pixels(view), view)).collect();
        let columns = panels.iter().map(|(rect, _)| rect.width).sum();
        let binning = scene.look.histograms.binning(shown.bits);
        let counted = [Some(counts.filled.bins), counts.outline.map(|bars| bars.bins), counts.linear];
        for (regrouped, counted) in self.regrouped.iter_mut().zip(counted) {
            match counted.filter(|_| !binning.is_of_codes()) {
                Some(counted) => regrouped.get_or_insert_with(|| RegroupPass::new(gpu)).prepare(gpu, counted, binning),
                None => *regrouped = None,
            }
        }
        self.make_room(gpu, columns, &counts);
        let shader = &self.columns_shader;
        let constants = [("BITS", f64::from(binning.bits())), ("BINS", f64::from(binning.count()))];
        let pipeline = || shader.compute(&gpu.device, "find", &constants);
        let pipeline = self.columns_pipelines.entry(binning).or_insert_with(pipeline);
        let timestamp_writes = spans.and_then(|spans| spans.begin(encoder));
        let mut pass =
            encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some("columns"), timestamp_writes });
        if let Some(cumulative) = counts.cumulative {
            cumulative.dispatch(gpu, &mut pass, counts.filled.bins, shown.bits);
        }
        self.regrouped.iter().flatten().for_each(|regrouped| regrouped.dispatch(&mut pass));
        pass.set_pipeline(pipeline);
        let groups = self.columns.iter().flat_map(|columns| &columns.groups);
        for (shown, (group, _)) in self.shown.iter().zip(groups) {
            pass.set_bind_group(0, group, &[]);
            pass.dispatch_workgroups(shown.width.div_ceil(WORKGROUP), 1, 1);
        }
    }

    /// Ensures that the buffers hold `count` columns, and that the groups bind the buffers that the overlays are drawn
    /// from.
    fn make_room(&mut self, gpu: &Gpu, count: u32, counts: &OverlayBuffers<'_>) {
        let [filled, outline, linear] = &self.regrouped;
        let counted = |bars: Bars<'_>| (bars.bins.clone(), bars.scales.clone());
        let filled = filled.as_ref().map_or_else(|| counted(counts.filled), RegroupPass::made);
        let outline = match (outline, counts.outline) {
            (Some(regrouped), _) => regrouped.made(),
            (None, Some(bars)) => counted(bars),
            (None, None) => filled.clone(),
        };
        let linear = linear.as_ref().map(|regrouped| regrouped.made().0);
        let linear = linear.or_else(|| counts.linear.cloned()).unwrap_or_else(|| self.nothing.clone());
        let bound = [
            &filled.0,
            &filled.1,
            &outline.0,
            &outline.1,
            counts.cumulative.as_deref().map_or(&self.nothing, |cumulative| &cumulative.sums),
            counts.backdrop.unwrap_or(&self.nothing),
            &linear,
        ];
        let held = self.columns.take().filter(|columns| columns.capacity >= count);
        if let Some(columns) = &held
            && columns.bound.iter().eq(bound)
        {
            self.columns = held;
            return;
        }
        let (capacity, columns, strokes) = match held {
            Some(Columns { capacity, columns, strokes, .. }) => (capacity, columns, strokes),
            None => {
                let capacity = count.next_power_of_two().max(1024);
                let room = |label, words: usize| storage(&gpu.device, label, capacity as usize * words);
                (capacity, room("columns", COLUMN_WORDS), room("strokes", STROKE_WORDS))
            }
        };
        let [bins, scales, outline_bins, outline_scales, cumulative, backdrop, linear] = bound;
        let groups = self.params.iter().map(|params| {
            let found = [params, bins, scales, &columns, outline_bins, outline_scales, cumulative, &strokes, linear];
            let find = groups::COLUMNS.bind(&gpu.device, &found);
            (find, groups::OVERLAY.bind(&gpu.device, &[params, &columns, &strokes, backdrop]))
        });
        let groups = groups.collect();
        self.columns = Some(Columns { capacity, bound: bound.map(Clone::clone), columns, strokes, groups });
    }

    /// Draws the overlays that were set up, in a view of `view` pixels.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, view: (u32, u32)) {
        self.draw_parts(pass, &self.edges, |shown| &shown.edges);
        self.draw_parts(pass, &self.middle, |shown| std::slice::from_ref(&shown.middle));
        pass.set_scissor_rect(0, 0, view.0, view.1);
    }

    /// Draws these parts of each overlay.
    fn draw_parts(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        pipeline: &wgpu::RenderPipeline,
        parts: impl Fn(&OverlayPlace) -> &[ViewRect],
    ) {
        pass.set_pipeline(pipeline);
        let groups = self.columns.iter().flat_map(|columns| &columns.groups);
        for (shown, (_, group)) in self.shown.iter().zip(groups) {
            pass.set_bind_group(0, group, &[]);
            for &[left, top, width, height] in parts(shown) {
                if width > 0 && height > 0 {
                    pass.set_scissor_rect(left, top, width, height);
                    pass.draw(0..4, 0..1);
                }
            }
        }
    }
}
