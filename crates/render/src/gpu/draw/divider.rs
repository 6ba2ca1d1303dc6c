//! The line between the source and the adjusted picture.

use bytemuck::Zeroable;

use super::OVER;
use crate::gpu::Gpu;
use crate::gpu::params::DividerParams;
use crate::gpu::resources::uniform;
use crate::gpu::shaders::{self, groups};

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
        let params = uniform(gpu, "divider", &DividerParams::zeroed());
        Self {
            pipeline: shaders::DIVIDER.module(&gpu.device).rectangle(&gpu.device, "divide", &[], format, Some(OVER)),
            group: groups::DIVIDER.bind(&gpu.device, &[&params]),
            params,
        }
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
