//! Draws the line between two pictures.

use super::OVER;
use crate::gpu::Gpu;
use crate::gpu::resources::uniform;
use crate::gpu::shaders::{self, groups};
use bytemuck::{Pod, Zeroable};

/// `Divider` of shaders/divider.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct DividerParams {
    /// Pixels of the view.
    pub view: [u32; 2],
    /// The first column of the picture on the right.
    pub column: u32,
    /// Columns of the light line on each side of that column, and of each dark edge beyond it.
    pub line: u32,
}

const _: () = assert!(size_of::<DividerParams>() == 16);

/// Draws the dividing line.
#[derive(Debug)]
pub struct DividerPass {
    pipeline: wgpu::RenderPipeline,
    group: wgpu::BindGroup,
    params: wgpu::Buffer,
}

impl DividerPass {
    /// Creates the pass for views of `format`.
    #[must_use]
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Self {
        let params = uniform(gpu, "divider", &DividerParams::zeroed());
        Self {
            pipeline: shaders::DIVIDER.module(&gpu.device).rectangle(&gpu.device, "divide", &[], format, Some(OVER)),
            group: groups::DIVIDER.bind(&gpu.device, &[&params]),
            params,
        }
    }

    /// Places the line before a column of a view of `view` pixels, with `line` light columns on each side.
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
