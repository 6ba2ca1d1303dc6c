//! The histogram overlays' passes: drawn from the bin buffer and the scale buffer, which never leave the GPU.
//!
//! A compute pass finds what each column of pixels shows, since all of its rows show the same; the drawing that follows
//! has one load and a few comparisons left for a pixel.

use std::collections::HashMap;

use super::OVER;
use crate::color::Range;
use crate::gpu::Gpu;
use crate::gpu::histogram::HistogramPasses;
use crate::gpu::resources::{bind, compute, group_layout, pipeline_layout};
use crate::gpu::shared::{PANEL_WGSL, PanelParams};
use crate::histogram::{CHANNELS, Components};
use crate::overlay::{BAR_OPACITY, Channels, PanelRect, VEIL_OPACITY, WHITENING, graticule, guides, lights, panels};
use crate::scene::{NO_BIN, Scene};

const COLUMNS_WGSL: &str = include_str!("../../../shaders/columns.wgsl");
const OVERLAY_WGSL: &str = include_str!("../../../shaders/overlay.wgsl");

/// Invocations of a workgroup of the columns' pass, as in shaders/columns.wgsl.
const WORKGROUP: u32 = 64;
/// Bytes that the columns' buffer has for a column.
const COLUMN_BYTES: u64 = 32;
/// A column that does not exist: the place of a line that is not drawn.
const NOWHERE: u32 = u32::MAX;

/// What the overlays are to show.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shown {
    /// n: a channel has 2^n bins.
    pub bits: u32,
    /// What was counted.
    pub components: Components,
    /// The range that the codes are in.
    pub range: Range,
}

/// Draws the overlays.
#[derive(Debug)]
pub struct OverlayPass {
    columns_module: wgpu::ShaderModule,
    columns_layout: wgpu::BindGroupLayout,
    columns_pipelines: HashMap<u32, wgpu::ComputePipeline>,
    draw_layout: wgpu::BindGroupLayout,
    pipeline: wgpu::RenderPipeline,
    params: [wgpu::Buffer; CHANNELS],
    bins: wgpu::Buffer,
    scales: wgpu::Buffer,
    columns: Option<Columns>,
    /// Columns of each overlay that is shown now.
    widths: Vec<u32>,
}

/// Room for the columns, and the bind groups that lead to it.
#[derive(Debug)]
struct Columns {
    capacity: u32,
    groups: Vec<(wgpu::BindGroup, wgpu::BindGroup)>,
}

impl OverlayPass {
    /// Makes the passes for views of `format`, reading the buffers of `histogram`.
    #[must_use]
    pub fn new(gpu: &Gpu, histogram: &HistogramPasses, format: wgpu::TextureFormat) -> Self {
        let device = &gpu.device;
        let uniform = wgpu::BufferBindingType::Uniform;
        let read = wgpu::BufferBindingType::Storage { read_only: true };
        let write = wgpu::BufferBindingType::Storage { read_only: false };
        let compute = wgpu::ShaderStages::COMPUTE;
        let columns_layout =
            group_layout(device, "columns", &[(compute, uniform), (compute, read), (compute, read), (compute, write)]);
        let draw_layout = group_layout(
            device,
            "overlay",
            &[(wgpu::ShaderStages::VERTEX_FRAGMENT, uniform), (wgpu::ShaderStages::FRAGMENT, read)],
        );
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("overlay"),
            bind_group_layouts: &[Some(&draw_layout)],
            immediate_size: 0,
        });
        let draw_module = module(device, "overlay", OVERLAY_WGSL);
        let pipeline =
            super::rectangle_pipeline(device, "overlay", &layout, &draw_module, "histogram", &[], format, Some(OVER));
        let params = std::array::from_fn(|_| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("overlay"),
                size: size_of::<PanelParams>() as u64,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        });
        Self {
            columns_module: module(device, "columns", COLUMNS_WGSL),
            columns_layout,
            columns_pipelines: HashMap::new(),
            draw_layout,
            pipeline,
            params,
            bins: histogram.bins.clone(),
            scales: histogram.scales.clone(),
            columns: None,
            widths: Vec::new(),
        }
    }

    /// Sets the overlays up for a view of `view` pixels and records the pass that finds their columns. With `stamp`, that
    /// pass writes the timestamp when it begins.
    pub fn prepare(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        shown: &Shown,
        scene: &Scene,
        view: (u32, u32),
        stamp: Option<(&wgpu::QuerySet, u32)>,
    ) {
        self.widths.clear();
        let mut first_column = 0;
        for (_, rect, channels) in panels(scene, shown.components, view) {
            let params = panel_params(rect, channels, shown, scene, view, first_column);
            gpu.queue.write_buffer(&self.params[self.widths.len()], 0, bytemuck::bytes_of(&params));
            self.widths.push(rect.width);
            first_column += rect.width;
        }
        self.make_room(gpu, first_column);
        let (module, layout) = (&self.columns_module, &self.columns_layout);
        let pipeline = self
            .columns_pipelines
            .entry(shown.bits)
            .or_insert_with(|| columns_pipeline(&gpu.device, layout, module, shown.bits));
        let timestamp_writes = stamp.map(|(query_set, index)| wgpu::ComputePassTimestampWrites {
            query_set,
            beginning_of_pass_write_index: Some(index),
            end_of_pass_write_index: None,
        });
        let mut pass =
            encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some("columns"), timestamp_writes });
        pass.set_pipeline(pipeline);
        let groups = self.columns.iter().flat_map(|columns| &columns.groups);
        for (width, (group, _)) in self.widths.iter().zip(groups) {
            pass.set_bind_group(0, group, &[]);
            pass.dispatch_workgroups(width.div_ceil(WORKGROUP), 1, 1);
        }
    }

    /// Makes the columns' buffer hold `count` columns.
    fn make_room(&mut self, gpu: &Gpu, count: u32) {
        if self.columns.as_ref().is_some_and(|columns| columns.capacity >= count) {
            return;
        }
        let capacity = count.next_power_of_two().max(1024);
        let columns = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("columns"),
            size: u64::from(capacity) * COLUMN_BYTES,
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        });
        let groups = self.params.iter().map(|params| {
            let found = [params, &self.bins, &self.scales, &columns];
            let find = bind(&gpu.device, "columns", &self.columns_layout, &found);
            (find, bind(&gpu.device, "overlay", &self.draw_layout, &[params, &columns]))
        });
        self.columns = Some(Columns { capacity, groups: groups.collect() });
    }

    /// Draws the overlays that were set up.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>) {
        pass.set_pipeline(&self.pipeline);
        let groups = self.columns.iter().flat_map(|columns| &columns.groups);
        for (_, (_, group)) in self.widths.iter().zip(groups) {
            pass.set_bind_group(0, group, &[]);
            pass.draw(0..4, 0..1);
        }
    }
}

fn module(device: &wgpu::Device, label: &str, pass: &str) -> wgpu::ShaderModule {
    let source = wgpu::ShaderSource::Wgsl(format!("{PANEL_WGSL}\n{pass}").into());
    device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(label), source })
}

fn columns_pipeline(
    device: &wgpu::Device,
    group_layout: &wgpu::BindGroupLayout,
    module: &wgpu::ShaderModule,
    bits: u32,
) -> wgpu::ComputePipeline {
    let layout = pipeline_layout(device, "columns", &[group_layout]);
    compute(device, "columns", Some(&layout), module, "find", &[("BITS", f64::from(bits))])
}

/// What the shaders are told of one overlay.
fn panel_params(
    rect: PanelRect,
    channels: Channels,
    shown: &Shown,
    scene: &Scene,
    view: (u32, u32),
    first_column: u32,
) -> PanelParams {
    let Shown { bits, components, range } = *shown;
    let style = scene.style.clamped();
    let line = line_pixels(view);
    // A line of that thickness stands on the middle of its bin's columns, and inside the overlay.
    let begin = |code: u32, thickness: u32| {
        let (first, last) = rect.columns_of_bin(code, bits);
        (first + last).div_ceil(2).saturating_sub(thickness / 2).min(rect.width.saturating_sub(thickness))
    };
    let limits = guides(components, range, channels, bits);
    let brush = scene.brush.filter(|brush| channels.contains(brush.channel));
    let mark = |channel: usize| match scene.marks.map_or(NO_BIN, |marks| marks[channel]) {
        bin if bin >> bits == 0 && channels.contains(channel) => begin(bin, line + 1),
        _ => NOWHERE,
    };
    let eighths = graticule(bits).map(|code| begin(code, line));
    PanelParams {
        view: [view.0, view.1],
        origin: [rect.left, rect.top],
        size: [rect.width, rect.height],
        first_column,
        channels: channels.bits(),
        logarithmic: style.logarithmic.into(),
        line,
        notch: notch_pixels(rect),
        opacity: style.opacity,
        lights: lights(components).map(|[r, g, b]| [r, g, b, 1.0]),
        bars: BAR_OPACITY,
        veil: VEIL_OPACITY,
        whiten: if components == Components::Rgbl { WHITENING } else { 0.0 },
        brushed: brush.is_some().into(),
        brush: brush.map_or([0, NOWHERE], |brush| {
            [rect.columns_of_bin(brush.low, bits).0, rect.columns_of_bin(brush.high, bits).1]
        }),
        guides: std::array::from_fn(|i| limits.get(i).map_or(NOWHERE, |&code| begin(code, line))),
        marks: std::array::from_fn(mark),
        graticule: std::array::from_fn(|i| eighths.get(i).copied().unwrap_or(NOWHERE)),
    }
}

/// Thickness of lines: a pixel, and more where pixels are small.
fn line_pixels(view: (u32, u32)) -> u32 {
    ((f64::from(view.1) / 1080.0).round() as u32).clamp(1, 8)
}

/// Rows of the mark at the top of a clipped bar.
fn notch_pixels(rect: PanelRect) -> u32 {
    (rect.height * 3 / 100).clamp(3, 12).min(rect.height)
}
