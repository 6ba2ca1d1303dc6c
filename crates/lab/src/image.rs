//! The 8-bit RGBA images that the tutorials' methods count. They are made by the reference conversion on the CPU, or on
//! the GPU from a video's planes.

use std::sync::Arc;

use rayon::prelude::*;

use super::counting_pass::overrides;
use super::shape::reduced;
use histoscope_core::histogram::reference::unclamped_rgb;
use histoscope_core::picture::color::Colorimetry;
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::picture::luminance::LuminanceWeights;
use histoscope_core::picture::{OwnedPlanes, Picture, PictureError};
use histoscope_render::gpu::params::PixelReading;
use histoscope_render::gpu::shaders::{self, groups};
use histoscope_render::gpu::{Gpu, GpuError};

/// Returns red, green, blue and luminance of a pixel as the tutorials' methods count it: the upper 8 bits of its R'G'B'
/// codes, and their luminance.
#[must_use]
pub fn codes(picture: &Picture, x: u32, y: u32) -> [u8; 4] {
    let bits = picture.layout().bin_bits();
    let top = (1 << bits) - 1;
    let [r, g, b] = unclamped_rgb(picture, x, y).map(|code| (code.clamp(0, top) >> (bits - 8)) as u8);
    [r, g, b, LuminanceWeights::Bt709.bin([r, g, b].map(u32::from), 8) as u8]
}

/// Converts a picture to packed RGBA, the upper 8 bits of each R'G'B' code. Takes the first of each `step` pixels
/// across and down.
///
/// # Errors
/// Never in practice, since a picture of at least this size exists.
pub fn convert(picture: &Picture, step: u32) -> Result<Picture, PictureError> {
    let size = reduced((picture.width(), picture.height()), step);
    let row_bytes = size.0 as usize * 4;
    let mut bytes = vec![0; row_bytes * size.1 as usize];
    bytes.par_chunks_exact_mut(row_bytes).zip(0_u32..size.1).for_each(|(row, y)| {
        for (pixel, x) in row.chunks_exact_mut(4).zip(0..) {
            let [r, g, b, _] = codes(picture, x * step, y * step);
            pixel.copy_from_slice(&[r, g, b, 255]);
        }
    });
    rgba(bytes, size)
}

/// Makes a picture of packed RGBA bytes, row by row.
///
/// # Errors
/// [`PictureError`] if the number of bytes does not match the size.
pub fn rgba(bytes: Vec<u8>, size: (u32, u32)) -> Result<Picture, PictureError> {
    let layout = PixelLayout::packed_rgb(8, [0, 1, 2], 4);
    let colorimetry = Colorimetry::resolve(&layout, size, None, None, false);
    let planes = OwnedPlanes { planes: vec![(bytes, size.0 as usize * 4)] };
    Picture::new(layout, size, colorimetry, Arc::new(planes))
}

/// Counts as the tutorial's first method does in JavaScript: in a plain loop over the bytes of an RGBA image.
///
/// Bins of channels are interleaved, as for the other methods: all channels of bin 0, then of bin 1, and so on.
///
/// The benchmark does not time the product's own reference (`crates/core/src/histogram/reference.rs`). That looks up
/// layout and colour for each sample; any program meant to be fast would look them up once.
#[must_use]
pub fn count_plainly(rgba: &Picture, bins: u32, four: bool) -> Vec<u32> {
    let channels = if four { 4 } else { 1 };
    let mut counts = vec![0_u32; bins as usize * channels];
    let bin = |code: u32| ((code * bins) >> 8) as usize;
    for pixel in rgba.plane(0).bytes.chunks_exact(4) {
        let codes = [pixel[0], pixel[1], pixel[2]].map(u32::from);
        if four {
            for channel in 0..3 {
                counts[bin(codes[channel]) * channels + channel] += 1;
            }
        }
        counts[bin(LuminanceWeights::Bt709.bin(codes, 8)) * channels + channels - 1] += 1;
    }
    counts
}

/// RGBA pictures in GPU memory.
#[derive(Debug)]
pub struct Textures {
    /// Width and height.
    pub size: (u32, u32),
    /// The textures. Texture `i` is a copy of picture `i` modulo the number of pictures.
    pub views: Vec<wgpu::TextureView>,
}

impl Textures {
    /// Uploads `copies` textures of the given pictures. There must be at least one picture, made by [`convert`].
    ///
    /// Returns `Ok(Err)` with the reason if the adapter cannot hold them.
    ///
    /// # Errors
    /// [`GpuError`] if the device fails.
    pub fn new(gpu: &Gpu, pictures: &[Picture], copies: usize) -> Result<Result<Self, String>, GpuError> {
        let size = (pictures[0].width(), pictures[0].height());
        if let Err(why) = check_side(gpu, size) {
            return Ok(Err(why));
        }
        let mut views = Vec::new();
        for index in 0..copies.max(1) {
            let texture = texture(gpu, size, wgpu::TextureUsages::COPY_DST);
            write(gpu, &texture, &pictures[index % pictures.len()]);
            views.push(texture.create_view(&wgpu::TextureViewDescriptor::default()));
            // Frees staging memory picture by picture, instead of holding it for all of them.
            gpu.queue.submit([]);
            gpu.wait()?;
        }
        Ok(Ok(Self { size, views }))
    }
}

fn check_side(gpu: &Gpu, size: (u32, u32)) -> Result<(), String> {
    let most = gpu.device.limits().max_texture_dimension_2d;
    if size.0.max(size.1) > most {
        return Err(format!("the adapter's textures have at most {most} pixels per side"));
    }
    Ok(())
}

fn texture(gpu: &Gpu, size: (u32, u32), usage: wgpu::TextureUsages) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("tutorial's image"),
        size: wgpu::Extent3d { width: size.0, height: size.1, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        // An integer format, so that the shader gets the codes unchanged.
        format: wgpu::TextureFormat::Rgba8Uint,
        usage: usage | wgpu::TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    })
}

fn write(gpu: &Gpu, texture: &wgpu::Texture, picture: &Picture) {
    let view = picture.plane(0);
    gpu.queue.write_texture(
        texture.as_image_copy(),
        view.bytes,
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(view.stride as u32), rows_per_image: None },
        texture.size(),
    );
}

/// A pass that makes an image from a video's planes, with the conversion that our own counting uses.
#[derive(Debug)]
pub struct Conversion {
    /// The image.
    pub view: wgpu::TextureView,
    /// Width and height of the image.
    pub size: (u32, u32),
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
}

impl Conversion {
    /// Makes the pass and its image for pictures like this one. It takes the first of each `step` pixels across and
    /// down.
    ///
    /// Returns `Err` with the reason if the adapter cannot hold the image.
    pub fn new(gpu: &Gpu, picture: &Picture, step: u32) -> Result<Self, String> {
        let size = reduced((picture.width(), picture.height()), step);
        check_side(gpu, size)?;
        let texture = texture(gpu, size, wgpu::TextureUsages::STORAGE_BINDING);
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        let constants = reading(picture, 8, step);
        let pipeline = shaders::CONVERT.module(&gpu.device).compute(&gpu.device, "convert", &constants);
        let group = groups::LAB_IMAGE.bind_resources(&gpu.device, [wgpu::BindingResource::TextureView(&view)]);
        Ok(Self { view, size, pipeline, group })
    }

    /// Dispatches the pass on the picture of this bind group.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, picture: &wgpu::BindGroup) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, picture, &[]);
        pass.set_bind_group(1, &self.group, &[]);
        pass.dispatch_workgroups(self.size.0.div_ceil(16), self.size.1.div_ceil(16), 1);
    }
}

/// Returns the constants of shaders/lab/codes.wgsl for reading pictures like this one.
pub(super) fn reading(picture: &Picture, depth: u32, step: u32) -> Vec<(&'static str, f64)> {
    let reading = PixelReading { layout: *picture.layout(), luminance: LuminanceWeights::Bt709 };
    let mut constants = reading.constants();
    constants.extend(overrides(&[("DEPTH", depth), ("STEP", step)]));
    constants
}
