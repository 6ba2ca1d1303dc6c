//! Reads results back from the GPU for files, figures and tests. It blocks, so it is never used while playing.

use super::readback_belt::read_now;
use super::{Gpu, GpuError};

/// An 8-bit RGBA image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Rows from top to bottom, 4 bytes per pixel: red, green, blue, opacity.
    pub rgba: Vec<u8>,
}

/// The most bytes to read at a time, so that reading needs little memory besides the result.
const AT_ONCE: u64 = 2 << 20;

/// Reads the first `bytes` bytes of a buffer that has `COPY_SRC`, after everything submitted so far.
///
/// # Errors
/// [`GpuError::Lost`] if the device fails.
pub fn read_buffer(gpu: &Gpu, buffer: &wgpu::Buffer, bytes: u64) -> Result<Vec<u8>, GpuError> {
    let mut all = Vec::with_capacity(bytes as usize);
    while (all.len() as u64) < bytes {
        let begin = all.len() as u64;
        let part = AT_ONCE.min(bytes - begin);
        let copy = |encoder: &mut wgpu::CommandEncoder, readback: &wgpu::Buffer| {
            encoder.copy_buffer_to_buffer(buffer, begin, readback, 0, part);
        };
        let read = read_now((&gpu.device, &gpu.queue), part, copy, |bytes| all.extend_from_slice(bytes));
        gpu.check()?;
        read?;
    }
    Ok(all)
}

/// Creates a texture of this size to draw a view to, which [`read_texture`] can read.
///
/// # Errors
/// [`GpuError::ViewTooLarge`] if the adapter does not support textures of that size.
pub fn view_texture(
    gpu: &Gpu,
    (width, height): (u32, u32),
    format: wgpu::TextureFormat,
) -> Result<wgpu::Texture, GpuError> {
    let most = gpu.most_view_side();
    if width > most || height > most || width == 0 || height == 0 {
        return Err(GpuError::ViewTooLarge { width, height, most, adapter: gpu.info.name.clone() });
    }
    Ok(gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("view"),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: VIEW_USAGE | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    }))
}

/// The usage of a view's texture: passes draw to it, and pixels painted by the CPU are copied to it.
pub const VIEW_USAGE: wgpu::TextureUsages = wgpu::TextureUsages::RENDER_ATTACHMENT.union(wgpu::TextureUsages::COPY_DST);

/// Format of views that do not belong to a window.
pub const VIEW_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// Returns `true` if textures of this format have one byte per sample, like images and the pixels that the CPU paints.
#[must_use]
pub fn has_bytes(format: wgpu::TextureFormat) -> bool {
    matches!(format, wgpu::TextureFormat::Rgba8Unorm | wgpu::TextureFormat::Bgra8Unorm)
}

/// Reads a texture that [`view_texture`] created with a [format of bytes](has_bytes).
///
/// # Errors
/// [`GpuError::Lost`] if the device fails.
pub fn read_texture(gpu: &Gpu, texture: &wgpu::Texture) -> Result<Image, GpuError> {
    let (width, height) = (texture.width(), texture.height());
    let mut rgba = read_texels(gpu, texture)?;
    if texture.format() == wgpu::TextureFormat::Bgra8Unorm {
        rgba.chunks_exact_mut(4).for_each(|pixel| pixel.swap(0, 2));
    }
    Ok(Image { width, height, rgba })
}

/// Reads the bytes of a texture that [`view_texture`] created, rows from top to bottom.
///
/// # Errors
/// [`GpuError::Lost`] if the device fails.
pub fn read_texels(gpu: &Gpu, texture: &wgpu::Texture) -> Result<Vec<u8>, GpuError> {
    let (width, height) = (texture.width(), texture.height());
    let row = width as usize * texture.format().block_copy_size(None).unwrap_or(4) as usize;
    let padded = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT as usize);
    let copy = |encoder: &mut wgpu::CommandEncoder, readback: &wgpu::Buffer| {
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(padded as u32), rows_per_image: None };
        let readback = wgpu::TexelCopyBufferInfo { buffer: readback, layout };
        encoder.copy_texture_to_buffer(texture.as_image_copy(), readback, texture.size());
    };
    let rows = |bytes: &[u8]| -> Vec<u8> {
        bytes.chunks_exact(padded).flat_map(|padded_row| &padded_row[..row]).copied().collect()
    };
    let bytes = read_now((&gpu.device, &gpu.queue), (padded * height as usize) as u64, copy, rows);
    gpu.check()?;
    bytes
}
