//! The histogram overlays' pass: drawn from the bin buffer and the scale buffer, which never leave the GPU.

use std::collections::HashMap;

use glam::{Mat4, Vec2, Vec3};

use super::{OVER, rectangle_pipeline};
use crate::color::Range;
use crate::gpu::Gpu;
use crate::gpu::histogram::HistogramPasses;
use crate::gpu::shared::OverlayParams;
use crate::histogram::{CHANNELS, Components};
use crate::overlay::{Channels, PanelRect, colors, guides, panels};
use crate::scene::Scene;

const OVERLAY_WGSL: &str = include_str!("../../../shaders/overlay.wgsl");

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
    module: wgpu::ShaderModule,
    format: wgpu::TextureFormat,
    pipeline_layout: wgpu::PipelineLayout,
    pipelines: HashMap<u32, wgpu::RenderPipeline>,
    overlays: Vec<(wgpu::Buffer, wgpu::BindGroup)>,
    shown: usize,
}

impl OverlayPass {
    /// Makes the pass for views of `format`, reading the buffers of `histogram`.
    #[must_use]
    pub fn new(gpu: &Gpu, histogram: &HistogramPasses, format: wgpu::TextureFormat) -> Self {
        let device = &gpu.device;
        let entry = |binding, visibility, ty| wgpu::BindGroupLayoutEntry {
            binding,
            visibility,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        };
        let storage = wgpu::BufferBindingType::Storage { read_only: true };
        let group_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("overlay"),
            entries: &[
                entry(0, wgpu::ShaderStages::VERTEX_FRAGMENT, wgpu::BufferBindingType::Uniform),
                entry(1, wgpu::ShaderStages::FRAGMENT, storage),
                entry(2, wgpu::ShaderStages::FRAGMENT, storage),
            ],
        });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("overlay"),
            bind_group_layouts: &[Some(&group_layout)],
            immediate_size: 0,
        });
        let overlay = |_| {
            let params = device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("overlay"),
                size: size_of::<OverlayParams>() as u64,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            let resources = [&params, &histogram.bins, &histogram.scales].map(wgpu::Buffer::as_entire_binding);
            let entries: Vec<_> = resources
                .into_iter()
                .zip(0..)
                .map(|(resource, binding)| wgpu::BindGroupEntry { binding, resource })
                .collect();
            let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("overlay"),
                layout: &group_layout,
                entries: &entries,
            });
            (params, group)
        };
        let overlays = (0..CHANNELS).map(overlay).collect();
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("overlay"),
            source: wgpu::ShaderSource::Wgsl(OVERLAY_WGSL.into()),
        });
        Self { module, format, pipeline_layout, pipelines: HashMap::new(), overlays, shown: 0 }
    }

    /// Sets the overlays up for a view of `view` pixels.
    pub fn prepare(&mut self, gpu: &Gpu, shown: &Shown, scene: &Scene, view: (u32, u32)) {
        let Shown { bits, components, .. } = *shown;
        let (module, layout_) = (&self.module, &self.pipeline_layout);
        self.pipelines.entry(bits).or_insert_with(|| {
            let constants = [("BITS", f64::from(bits))];
            let blend = Some(OVER);
            rectangle_pipeline(&gpu.device, "overlay", layout_, module, "histogram", &constants, self.format, blend)
        });
        self.shown = 0;
        for (_, rect, channels) in panels(scene, components, view) {
            let params = overlay_params(rect, channels, shown, view);
            gpu.queue.write_buffer(&self.overlays[self.shown].0, 0, bytemuck::bytes_of(&params));
            self.shown += 1;
        }
    }

    /// Draws the overlays that were set up for bins of `bits` bits.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, bits: u32) {
        let Some(pipeline) = self.pipelines.get(&bits) else { return };
        pass.set_pipeline(pipeline);
        for (_, group) in &self.overlays[..self.shown] {
            pass.set_bind_group(0, group, &[]);
            pass.draw(0..4, 0..1);
        }
    }
}

fn overlay_params(rect: PanelRect, channels: Channels, shown: &Shown, view: (u32, u32)) -> OverlayParams {
    let view = Vec2::new(view.0 as f32, view.1 as f32);
    let low = Vec2::new(rect.left as f32, view.y - (rect.top + rect.height) as f32);
    let pixels = Vec2::new(rect.width as f32, rect.height as f32);
    let transform = Mat4::from_translation(Vec3::new(-1.0, -1.0, 0.0))
        * Mat4::from_scale((2.0 / view).extend(1.0))
        * Mat4::from_translation(low.extend(0.0))
        * Mat4::from_scale(pixels.extend(1.0));
    let marks = guides(shown.components, shown.range, channels, shown.bits);
    OverlayParams {
        transform: transform.to_cols_array_2d(),
        colors: colors(shown.components),
        pixels: pixels.to_array(),
        channels: channels.bits(),
        guide_count: marks.len().min(4) as u32,
        guides: std::array::from_fn(|i| marks.get(i).map_or(0.0, |&code| code as f32)),
    }
}
