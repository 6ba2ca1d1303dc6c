//! The line between the source and the adjusted picture.

use super::OVER;
use crate::gpu::Gpu;
use crate::gpu::resources::{bind, group_layout, pipeline_layout};
use crate::gpu::shared::DividerParams;

const DIVIDER_WGSL: &str = include_str!("../../../shaders/divider.wgsl");

/// Draws the line.
#[derive(Debug)]
pub struct DividerPass {
    pipeline: wgpu::RenderPipeline,
    group: wgpu::BindGroup,
    params: wgpu::Buffer,
}

impl DividerPass {
    /// Makes the pass for views of `format`.
    #[must_use]
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Self {
        let device = &gpu.device;
        let uniform = (wgpu::ShaderStages::VERTEX_FRAGMENT, wgpu::BufferBindingType::Uniform);
        let group_layout = group_layout(device, "divider", &[uniform]);
        let layout = pipeline_layout(device, "divider", &[&group_layout]);
        let source = wgpu::ShaderSource::Wgsl(DIVIDER_WGSL.into());
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some("divider"), source });
        let pipeline =
            super::rectangle_pipeline(device, "divider", &layout, &module, "divide", &[], format, Some(OVER));
        let params = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("divider"),
            size: size_of::<DividerParams>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let group = bind(device, "divider", &group_layout, &[&params]);
        Self { pipeline, group, params }
    }

    /// Places the line before a column of a view of `view` pixels, with `line` pixels of light on either side.
    pub fn place(&self, gpu: &Gpu, view: (u32, u32), column: u32, line: u32) {
        let params = DividerParams { view: view.into(), column, line };
        gpu.queue.write_buffer(&self.params, 0, bytemuck::bytes_of(&params));
    }

    /// Draws the line.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.draw(0..4, 0..1);
    }
}
