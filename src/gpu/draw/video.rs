//! The pictures' pass.

use std::collections::HashMap;
use std::ops::Range;

use glam::DVec2;

use super::rectangle_pipeline;
use crate::brush::Lighting;
use crate::gpu::Gpu;
use crate::gpu::shared::{PlacementParams, layout_constants};
use crate::gpu::upload::with_picture;
use crate::histogram::Components;
use crate::layout::PixelLayout;
use crate::placement::Placement;

const VIDEO_WGSL: &str = include_str!("../../../shaders/video.wgsl");

/// The most taps a side that a picture drawn smaller than itself is averaged from.
const MOST_TAPS: f64 = 4.0;

/// Which of the two pictures is drawn: each has a placement, a brush and a layout of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The picture as it was decoded.
    Source,
    /// The adjusted one.
    Result,
}

/// Draws pictures whose planes the adapter has.
#[derive(Debug)]
pub struct VideoPass {
    module: wgpu::ShaderModule,
    pipeline_layout: wgpu::PipelineLayout,
    pipelines: HashMap<PixelLayout, wgpu::RenderPipeline>,
    format: wgpu::TextureFormat,
    group_layout: wgpu::BindGroupLayout,
    slots: [Slot; 2],
}

/// What is set up for one side.
#[derive(Debug)]
struct Slot {
    placement: wgpu::Buffer,
    nearest: Nearest,
    layout: Option<PixelLayout>,
}

/// Which sample covers each column and row of the view, as far as the shader was told, and the bind group to it.
#[derive(Debug)]
struct Nearest {
    buffer: wgpu::Buffer,
    group: wgpu::BindGroup,
    told: Option<Placement>,
}

impl Nearest {
    /// Room for `count` columns and rows.
    fn new(gpu: &Gpu, layout: &wgpu::BindGroupLayout, placement: &wgpu::Buffer, count: usize) -> Self {
        let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("nearest samples"),
            size: (count.next_power_of_two().max(4) * 4) as u64,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("placement"),
            layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: placement.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: buffer.as_entire_binding() },
            ],
        });
        Self { buffer, group, told: None }
    }
}

impl VideoPass {
    /// Makes the pass for views of `format`, which must not be sRGB: codes are shown as they are.
    #[must_use]
    pub fn new(gpu: &Gpu, picture_layout: &wgpu::BindGroupLayout, format: wgpu::TextureFormat) -> Self {
        let device = &gpu.device;
        let entry = |binding, visibility, ty| wgpu::BindGroupLayoutEntry {
            binding,
            visibility,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        };
        let storage = wgpu::BufferBindingType::Storage { read_only: true };
        let group_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("placement"),
            entries: &[
                entry(0, wgpu::ShaderStages::VERTEX_FRAGMENT, wgpu::BufferBindingType::Uniform),
                entry(1, wgpu::ShaderStages::FRAGMENT, storage),
            ],
        });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("video"),
            bind_group_layouts: &[Some(picture_layout), Some(&group_layout)],
            immediate_size: 0,
        });
        let slots = std::array::from_fn(|_| {
            let placement = device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("placement"),
                size: size_of::<PlacementParams>() as u64,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            let nearest = Nearest::new(gpu, &group_layout, &placement, 0);
            Slot { placement, nearest, layout: None }
        });
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("video"),
            source: wgpu::ShaderSource::Wgsl(with_picture(VIDEO_WGSL).into()),
        });
        Self { module, pipeline_layout, pipelines: HashMap::new(), format, group_layout, slots }
    }

    /// Sets a side up for pictures of a layout; cheap where nothing changed.
    pub fn prepare_layout(&mut self, gpu: &Gpu, side: Side, layout: PixelLayout) {
        self.slots[side as usize].layout = Some(layout);
        let (module, pipeline_layout) = (&self.module, &self.pipeline_layout);
        self.pipelines.entry(layout).or_insert_with(|| {
            let constants = layout_constants(&layout);
            rectangle_pipeline(&gpu.device, "video", pipeline_layout, module, "video", &constants, self.format, None)
        });
    }

    /// Places a side's picture, and lights what `lighting` says.
    pub fn place(&mut self, gpu: &Gpu, side: Side, placement: &Placement, lighting: Option<&Lighting>) {
        let params = placement_params(placement, lighting);
        gpu.queue.write_buffer(&self.slots[side as usize].placement, 0, bytemuck::bytes_of(&params));
        if placement.has_hard_edges || lighting.is_some() {
            self.slots[side as usize].tell_nearest(gpu, &self.group_layout, placement);
        }
    }

    /// Draws a side's picture on some columns of the view, which is `height` pixels high. They must not be none.
    pub fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        side: Side,
        picture_group: &wgpu::BindGroup,
        columns: &Range<u32>,
        height: u32,
    ) {
        let slot = &self.slots[side as usize];
        if let Some(pipeline) = slot.layout.and_then(|layout| self.pipelines.get(&layout)) {
            pass.set_scissor_rect(columns.start, 0, columns.end - columns.start, height);
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, picture_group, &[]);
            pass.set_bind_group(1, &slot.nearest.group, &[]);
            pass.draw(0..4, 0..1);
        }
    }
}

impl Slot {
    /// Tells the shader which samples cover the view's pixels, unless it knows.
    fn tell_nearest(&mut self, gpu: &Gpu, group_layout: &wgpu::BindGroupLayout, placement: &Placement) {
        if self.nearest.told.as_ref() == Some(placement) {
            return;
        }
        let found = placement.nearest();
        let words = [found.columns, found.rows].concat();
        if self.nearest.buffer.size() < words.len() as u64 * 4 {
            self.nearest = Nearest::new(gpu, group_layout, &self.placement, words.len());
        }
        gpu.queue.write_buffer(&self.nearest.buffer, 0, bytemuck::cast_slice(&words));
        self.nearest.told = Some(*placement);
    }
}

/// What the shader is told of a picture's place and of the brush.
fn placement_params(placement: &Placement, lighting: Option<&Lighting>) -> PlacementParams {
    let pair = |v: DVec2| v.as_vec2().to_array();
    let sampling = &placement.sampling;
    // Linear interpolation reaches two samples a side; smaller pictures are averaged from more taps.
    let taps = (sampling.footprint() * 0.5 - 1e-6).ceil().clamp(1.0, MOST_TAPS);
    let brush = lighting.map(|lighting| lighting.brush);
    PlacementParams {
        transform: placement.transform.as_mat4().to_cols_array_2d(),
        across: pair(sampling.across),
        down: pair(sampling.down),
        origin: pair(sampling.origin),
        taps: taps as u32,
        hard: placement.has_hard_edges.into(),
        view_width: placement.view.0,
        turned: sampling.is_turned().into(),
        channel: brush.map_or(0, |brush| brush.channel as u32),
        low: brush.map_or(0, |brush| brush.low),
        high: brush.map_or(0, |brush| brush.high),
        strength: lighting.map_or(0, |lighting| lighting.strength),
        coded: lighting.is_some_and(|lighting| lighting.components == Components::YCbCr).into(),
        padding: 0,
    }
}
