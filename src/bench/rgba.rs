//! The same pictures as 8-bit RGBA, which is what the article's methods count: made on the CPU by the reference.

use std::sync::Arc;

use rayon::prelude::*;

use super::error::Error;
use super::inputs::copies;
use crate::gpu::Gpu;
use crate::histogram::reference::unclamped_rgb;
use crate::picture::color::{Colorimetry, luminance_bin};
use crate::picture::layout::PixelLayout;
use crate::picture::{OwnedPlanes, Picture};

/// A picture's R'G'B' codes, the top 8 bits of each, as packed RGBA.
///
/// # Errors
/// [`Error::Picture`] never in practice: a picture of that size exists.
pub fn convert(picture: &Picture) -> Result<Picture, Error> {
    let size = (picture.width(), picture.height());
    let row_bytes = size.0 as usize * 4;
    let bits = picture.layout().bin_bits();
    let top = (1 << bits) - 1;
    let mut bytes = vec![0; row_bytes * size.1 as usize];
    bytes.par_chunks_exact_mut(row_bytes).zip(0_u32..size.1).for_each(|(row, y)| {
        for (pixel, x) in row.chunks_exact_mut(4).zip(0..) {
            let [r, g, b] = unclamped_rgb(picture, x, y).map(|code| (code.clamp(0, top) >> (bits - 8)) as u8);
            pixel.copy_from_slice(&[r, g, b, 255]);
        }
    });
    packed(bytes, size)
}

/// The picture made smaller, by leaving pixels out, until it is at most `most` pixels wide and high.
///
/// # Errors
/// [`Error::Picture`] never in practice: the picture has pixels.
pub fn shrink(rgba: &Picture, most: u32) -> Result<Picture, Error> {
    let step = rgba.width().max(rgba.height()).div_ceil(most);
    let size = (rgba.width().div_ceil(step), rgba.height().div_ceil(step));
    let view = rgba.plane(0);
    let mut bytes = Vec::with_capacity((size.0 * size.1 * 4) as usize);
    for y in 0..size.1 {
        for x in 0..size.0 {
            let at = (y * step) as usize * view.stride + (x * step) as usize * 4;
            bytes.extend_from_slice(&view.bytes[at..at + 4]);
        }
    }
    packed(bytes, size)
}

fn packed(bytes: Vec<u8>, size: (u32, u32)) -> Result<Picture, Error> {
    let layout = PixelLayout::packed_rgb(8, [0, 1, 2], 4);
    let colorimetry = Colorimetry::resolve(&layout, size, None, None, false);
    let planes = OwnedPlanes { planes: vec![(bytes, size.0 as usize * 4)] };
    Ok(Picture::new(layout, size, colorimetry, Arc::new(planes))?)
}

/// The article's first method: a plain loop over the bytes of an RGBA image, as its JavaScript does it.
///
/// The product's own definition (`src/reference.rs`) is not what is timed: it looks up layout and colour for each sample,
/// which any program that cares for speed would do once.
#[must_use]
pub fn count_plainly(rgba: &Picture, four: bool) -> Vec<Vec<u32>> {
    let mut bins = vec![0_u32; 256 * 4];
    for pixel in rgba.plane(0).bytes.chunks_exact(4) {
        let codes = [pixel[0], pixel[1], pixel[2]].map(u32::from);
        if four {
            for channel in 0..3 {
                bins[codes[channel] as usize * 4 + channel] += 1;
            }
        }
        bins[luminance_bin(codes, 8) as usize * 4 + 3] += 1;
    }
    let first = if four { 0 } else { 3 };
    (first..4).map(|channel| bins.iter().skip(channel).step_by(4).copied().collect()).collect()
}

/// RGBA pictures in the GPU's memory.
#[derive(Debug)]
pub struct Textures {
    /// Width and height.
    pub size: (u32, u32),
    /// The pictures; number i is a copy of picture i modulo the number of pictures.
    pub views: Vec<wgpu::TextureView>,
}

impl Textures {
    /// Uploads pictures that [`convert`] made, of which there must be one at least; `Ok(Err)` says in words why the
    /// adapter cannot hold them.
    ///
    /// # Errors
    /// [`Error::Gpu`] if the device fails.
    pub fn new(gpu: &Gpu, pictures: &[Picture]) -> Result<Result<Self, String>, Error> {
        let size = (pictures[0].width(), pictures[0].height());
        let most = gpu.device.limits().max_texture_dimension_2d;
        if size.0.max(size.1) > most {
            return Ok(Err(format!("not measured: the adapter's textures have at most {most} pixels a side")));
        }
        let bytes = u64::from(size.0) * u64::from(size.1) * 4;
        let mut views = Vec::new();
        for index in 0..copies(gpu, bytes, pictures.len()) {
            let texture = texture(gpu, &pictures[index % pictures.len()]);
            views.push(texture.create_view(&wgpu::TextureViewDescriptor::default()));
            gpu.queue.submit([]);
            gpu.wait()?;
        }
        Ok(Ok(Self { size, views }))
    }
}

fn texture(gpu: &Gpu, picture: &Picture) -> wgpu::Texture {
    let size = wgpu::Extent3d { width: picture.width(), height: picture.height(), depth_or_array_layers: 1 };
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("article's image"),
        size,
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        // Integers, so that the codes reach the shader as they are.
        format: wgpu::TextureFormat::Rgba8Uint,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    let view = picture.plane(0);
    gpu.queue.write_texture(
        texture.as_image_copy(),
        view.bytes,
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(view.stride as u32), rows_per_image: None },
        size,
    );
    texture
}
