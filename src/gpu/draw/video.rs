//! The picture's pass.

use std::collections::HashMap;

use glam::{DMat4, DVec2};

use super::rectangle_pipeline;
use crate::frame::Picture;
use crate::gpu::Gpu;
use crate::gpu::shared::{PlacementParams, layout_constants};
use crate::gpu::upload::with_picture;
use crate::layout::PixelLayout;
use crate::placement::Sampling;

const VIDEO_WGSL: &str = include_str!("../../../shaders/video.wgsl");

/// The most taps a side that a picture drawn smaller than itself is averaged from.
const MOST_TAPS: f64 = 4.0;

/// Draws the picture that was uploaded last.
#[derive(Debug)]
pub struct VideoPass {
    module: wgpu::ShaderModule,
    pipeline_layout: wgpu::PipelineLayout,
    pipelines: HashMap<PixelLayout, wgpu::RenderPipeline>,
    format: wgpu::TextureFormat,
    placement: wgpu::Buffer,
    group: wgpu::BindGroup,
    current: Option<PixelLayout>,
}

impl VideoPass {
    /// Makes the pass for views of `format`, which must not be sRGB: codes are shown as they are.
    #[must_use]
    pub fn new(gpu: &Gpu, picture_layout: &wgpu::BindGroupLayout, format: wgpu::TextureFormat) -> Self {
        let device = &gpu.device;
        let group_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("placement"),
            entries: &[wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Uniform,
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            }],
        });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("video"),
            bind_group_layouts: &[Some(picture_layout), Some(&group_layout)],
            immediate_size: 0,
        });
        let placement = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("placement"),
            size: size_of::<PlacementParams>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("placement"),
            layout: &group_layout,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: placement.as_entire_binding() }],
        });
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("video"),
            source: wgpu::ShaderSource::Wgsl(with_picture(VIDEO_WGSL).into()),
        });
        Self { module, pipeline_layout, pipelines: HashMap::new(), format, placement, group, current: None }
    }

    /// Sets the pass up for a picture like this one; cheap where nothing changed.
    pub fn prepare(&mut self, gpu: &Gpu, picture: &Picture) {
        let layout = *picture.layout();
        self.current = Some(layout);
        let (module, pipeline_layout) = (&self.module, &self.pipeline_layout);
        self.pipelines.entry(layout).or_insert_with(|| {
            let constants = layout_constants(&layout);
            rectangle_pipeline(&gpu.device, "video", pipeline_layout, module, "video", &constants, self.format, None)
        });
    }

    /// Places the picture by `transform`, which puts its samples on the view as `sampling` says.
    pub fn place(&self, gpu: &Gpu, transform: DMat4, sampling: &Sampling) {
        let pair = |v: DVec2| v.as_vec2().to_array();
        // Linear interpolation reaches two samples a side; smaller pictures are averaged from more taps.
        let taps = (sampling.footprint() * 0.5 - 1e-6).ceil().clamp(1.0, MOST_TAPS);
        let params = PlacementParams {
            transform: transform.as_mat4().to_cols_array_2d(),
            across: pair(sampling.across),
            down: pair(sampling.down),
            origin: pair(sampling.origin),
            taps: taps as u32,
            padding: 0,
        };
        gpu.queue.write_buffer(&self.placement, 0, bytemuck::bytes_of(&params));
    }

    /// Draws the picture.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, picture_group: &wgpu::BindGroup) {
        if let Some(pipeline) = self.current.and_then(|layout| self.pipelines.get(&layout)) {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, picture_group, &[]);
            pass.set_bind_group(1, &self.group, &[]);
            pass.draw(0..4, 0..1);
        }
    }
}
