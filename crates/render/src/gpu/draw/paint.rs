//! Paints the picture on the CPU and copies it to the view. This is for software adapters, where interpreting a shader
//! takes several times as long as painting and copying together.

use std::ops::Range;
use std::sync::LazyLock;

use half::f16;

use crate::cpu::display::{self, BAND_ROWS, Order, Over, PixelFormat, ViewBand};
use crate::cpu::overlay::Overlay;
use crate::gpu::Gpu;
use crate::gpu::draw::LightPass;
use crate::gpu::staging::{Staged, Staging};
use crate::view::panel_params::{OverlayContent, shown_panels};
use crate::view::placement::Placement;
use crate::view::scene::Scene;
use histoscope_core::histogram::{Histogram, Transfer};
use histoscope_core::picture::Picture;

/// Paints pictures and copies them to views.
#[derive(Debug)]
pub struct PaintPass {
    staging: Staging,
    /// The memory that the commands being recorded copy from.
    recorded: Option<Staged>,
}

impl Default for PaintPass {
    fn default() -> Self {
        Self { staging: Staging::new(), recorded: None }
    }
}

/// Mapped memory for a band of rows.
struct Mapped<'a> {
    bytes: wgpu::WriteOnly<'a, [u8]>,
    /// `true` if every byte is written as its light, a number of 16 bits.
    has_halves: bool,
}

// SAFETY: while it exists, it is the only access to its bytes, like `&mut [u8]`, and bytes are not tied to a thread.
// (wgpu implements `Send` for single values, but not for slices.)
unsafe impl Send for Mapped<'_> {}

impl ViewBand for Mapped<'_> {
    fn put(&mut self, at: usize, bytes: &[u8]) {
        if !self.has_halves {
            self.bytes.slice(at..at + bytes.len()).copy_from_slice(bytes);
            return;
        }
        const PART: usize = 256;
        for (part, start) in bytes.chunks(PART).zip((at..).step_by(PART)) {
            let mut halves = [0; 2 * PART];
            for (half, &byte) in halves.chunks_exact_mut(2).zip(part) {
                half.copy_from_slice(&HALVES[usize::from(byte)]);
            }
            self.bytes.slice(2 * start..2 * (start + part.len())).copy_from_slice(&halves[..2 * part.len()]);
        }
    }
}

/// The light of codes of 8 bits by BT.1886, where that of 255 is 1.
static HALVES: LazyLock<[[u8; 2]; 256]> = LazyLock::new(|| {
    std::array::from_fn(|code| f16::from_f64(Transfer::Bt1886.light(code as f64 / 255.0)).to_le_bytes())
});

impl PaintPass {
    /// Paints a range of a view's columns and records the copy to the view's texture. `placement` places the picture on
    /// the whole view.
    pub fn paint(
        &mut self,
        (gpu, encoder): (&Gpu, &mut wgpu::CommandEncoder),
        texture: &wgpu::Texture,
        (picture, (columns, placement)): (&Picture, (&Range<u32>, &Placement)),
        over: Over<'_>,
    ) {
        let (width, height) = (columns.end - columns.start, texture.height());
        let stride = (width * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let format = PixelFormat { order: order_of(texture.format()), stride: stride as usize };
        let placement = if width == placement.view.0 { *placement } else { placement.columns(columns) };
        // Paints into reusable memory that the adapter copies from.
        let has_halves = texture.format() == LightPass::PICTURE_FORMAT;
        let bytes_per_byte = if has_halves { 2 } else { 1 };
        let bytes = bytes_per_byte * format.stride * height as usize;
        let staged = self.staging.take(gpu, bytes as u64);
        let Some(mut memory) = staged.view() else { return };
        let mut bands = Vec::new();
        let mut rest = memory.slice(..bytes);
        while !rest.is_empty() {
            let length = (bytes_per_byte * format.stride * BAND_ROWS).min(rest.len());
            let (band, others) = rest.split_at(length);
            bands.push(Mapped { bytes: band, has_halves });
            rest = others;
        }
        display::draw(picture, &placement, over, format, bands);
        drop(memory);
        let buffer = staged.written();
        let bytes_per_row = Some(bytes_per_byte as u32 * stride);
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row, rows_per_image: Some(height) };
        let source = wgpu::TexelCopyBufferInfo { buffer, layout };
        let origin = wgpu::Origin3d { x: columns.start, y: 0, z: 0 };
        let target = wgpu::TexelCopyTextureInfo { origin, ..texture.as_image_copy() };
        encoder.copy_buffer_to_texture(source, target, wgpu::Extent3d { width, height, depth_or_array_layers: 1 });
        self.recorded = Some(staged);
    }

    /// Must be called after the recorded commands are submitted.
    pub fn submitted(&mut self) {
        if let Some(staged) = self.recorded.take() {
            staged.submitted();
        }
    }
}

/// Returns the overlays for these bins, ready to be painted on a view.
pub fn overlays(shown: &OverlayContent, histogram: &Histogram, scene: &Scene, view: &wgpu::Texture) -> Vec<Overlay> {
    let is_swapped = order_of(view.format()) == Order::Bgra;
    let view = (view.width(), view.height());
    let binning = scene.look.histograms.binning(shown.bits);
    let overlay = |(_, panel)| Overlay::new(panel, histogram, binning, is_swapped);
    shown_panels(shown, scene, view).into_iter().map(overlay).collect()
}

const fn order_of(format: wgpu::TextureFormat) -> Order {
    match format {
        wgpu::TextureFormat::Bgra8Unorm => Order::Bgra,
        _ => Order::Rgba,
    }
}
