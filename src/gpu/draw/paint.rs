//! The picture painted by the CPU and copied to the view: for software adapters, where a shader that is interpreted takes
//! several times as long as painting and copying together.

use crate::brush::Lighting;
use crate::cpu::display::{self, Order, PixelFormat};
use crate::frame::Picture;
use crate::gpu::Gpu;
use crate::placement::Placement;

/// Paints pictures and copies them to views.
#[derive(Debug, Default)]
pub struct PaintPass {
    pixels: Vec<u8>,
    buffer: Option<wgpu::Buffer>,
}

impl PaintPass {
    /// Paints the picture where `placement` puts it on the view, and records the copy to the view's texture.
    pub fn paint(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        texture: &wgpu::Texture,
        picture: &Picture,
        placement: &Placement,
        lighting: Option<&Lighting>,
    ) {
        let (width, height) = (texture.width(), texture.height());
        let order = match texture.format() {
            wgpu::TextureFormat::Bgra8Unorm => Order::Bgra,
            _ => Order::Rgba,
        };
        let stride = (width * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let format = PixelFormat { order, stride: stride as usize };
        display::draw(picture, placement, lighting, format, &mut self.pixels);
        let size = self.pixels.len() as u64;
        if self.buffer.as_ref().is_none_or(|buffer| buffer.size() != size) {
            self.buffer = Some(gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("painted picture"),
                size,
                usage: wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }));
        }
        let Some(buffer) = &self.buffer else { return };
        gpu.queue.write_buffer(buffer, 0, &self.pixels);
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(stride), rows_per_image: Some(height) };
        let source = wgpu::TexelCopyBufferInfo { buffer, layout };
        encoder.copy_buffer_to_texture(source, texture.as_image_copy(), texture.size());
    }
}
