//! The picture painted by the CPU and copied to the view: for software adapters, where a shader that is interpreted takes
//! several times as long as painting and copying together.

use super::ViewPart;
use crate::cpu::display::{self, ByCodes, Order, PixelFormat};
use crate::gpu::Gpu;
use crate::gpu::staging::{Staged, Staging};
use crate::view::placement::Placement;

/// Paints pictures and copies them to views.
#[derive(Debug)]
pub struct PaintPass {
    pixels: Vec<u8>,
    staging: Staging,
    /// What the commands that are recorded now copy from.
    recorded: Option<Staged>,
}

impl Default for PaintPass {
    fn default() -> Self {
        Self { pixels: Vec::new(), staging: Staging::new(), recorded: None }
    }
}

impl PaintPass {
    /// Paints a part of the view, with its picture where `placement` puts it on the whole, and records the copy to the view's
    /// texture.
    pub fn paint(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        texture: &wgpu::Texture,
        part: &ViewPart<'_>,
        placement: &Placement,
    ) {
        let ViewPart { columns, picture, .. } = part;
        let (width, height) = (columns.end - columns.start, texture.height());
        let order = match texture.format() {
            wgpu::TextureFormat::Bgra8Unorm => Order::Bgra,
            _ => Order::Rgba,
        };
        let stride = (width * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let format = PixelFormat { order, stride: stride as usize };
        let placement = if width == placement.view.0 { *placement } else { placement.columns(columns) };
        let inspection = part.inspection.map(|inspection| (inspection, columns.start));
        let by_codes = ByCodes { light: part.light(), inspection };
        display::draw(picture, &placement, by_codes, format, &mut self.pixels);
        // Through memory that is used again and again: the view is copied once here and once by the adapter.
        let bytes = self.pixels.len();
        let staged = self.staging.take(gpu, bytes as u64);
        let Some(mut memory) = staged.view() else { return };
        memory.slice(..bytes).copy_from_slice(&self.pixels);
        drop(memory);
        let buffer = staged.written();
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(stride), rows_per_image: Some(height) };
        let source = wgpu::TexelCopyBufferInfo { buffer, layout };
        let origin = wgpu::Origin3d { x: columns.start, y: 0, z: 0 };
        let target = wgpu::TexelCopyTextureInfo { origin, ..texture.as_image_copy() };
        encoder.copy_buffer_to_texture(source, target, wgpu::Extent3d { width, height, depth_or_array_layers: 1 });
        self.recorded = Some(staged);
    }

    /// Must follow the submission of what was recorded.
    pub fn submitted(&mut self) {
        if let Some(staged) = self.recorded.take() {
            staged.submitted();
        }
    }
}
