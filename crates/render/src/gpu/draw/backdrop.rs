//! The soft backdrop behind the overlays: what the view shows, small and blurred, so that bars are legible on any picture.
//!
//! The picture is drawn once more at a width of 256 pixels and blurred there by the adjustments' box blur, three times,
//! which is close to a Gaussian. The overlays draw it between the picture and their scrim.

use super::ViewPart;
use super::video::VideoPass;
use crate::cpu::display::{self, ByCodes, Order, Over, PixelFormat};
use crate::gpu::adjust::{BlurJob, BlurPass, WorkingPicture};
use crate::gpu::params::InputPicture;
use crate::gpu::{Gpu, GpuError};
use histoscope_core::adjust::Blur;

/// Width of the small picture, a multiple of 64: so its rows are as far apart in the copy of a texture as in a
/// [`WorkingPicture`].
const WIDTH: u32 = 256;
const _: () = assert!((4 * WIDTH).is_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT));
/// A pixel of it has four bytes, as words of a working picture have at 8 bits.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
/// A tenth of the view's width, three times.
const BLUR: Blur = Blur { size: 25, runs: 3 };

/// Makes the backdrop.
#[derive(Debug)]
pub struct BackdropPass {
    video: VideoPass,
    blur: BlurPass,
    made: Option<BackdropTarget>,
    pixels: [Vec<u8>; 2],
}

/// What fits one size of the small picture.
#[derive(Debug)]
struct BackdropTarget {
    texture: wgpu::Texture,
    picture: WorkingPicture,
    blur: BlurJob,
}

impl BackdropPass {
    /// Makes the pass.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        Self {
            video: VideoPass::new(gpu, FORMAT),
            blur: BlurPass::new(gpu),
            made: None,
            pixels: [Vec::new(), Vec::new()],
        }
    }

    /// Records the making of the backdrop of what `parts` show on a view of `width` × `height` pixels; its words and their columns and
    /// rows.
    ///
    /// # Errors
    /// [`GpuError`] if the adapter does not bind even so small a picture.
    pub fn record(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        parts: &[ViewPart<'_>],
        (width, height): (u32, u32),
    ) -> Result<(&wgpu::Buffer, (u32, u32)), GpuError> {
        let rows = (u64::from(WIDTH) * u64::from(height)).div_ceil(u64::from(width.max(1)));
        let size = (WIDTH, rows.clamp(1, u64::from(4 * WIDTH)) as u32);
        let made = match self.made.take().filter(|made| made.picture.size == size) {
            Some(made) => made,
            None => BackdropTarget::new(gpu, &mut self.blur, size)?,
        };
        let parts: Vec<_> = parts.iter().filter_map(|part| part.resized(size)).collect();
        if parts.iter().all(|part| part.bound.is_some()) {
            self.draw(gpu, encoder, &made, &parts);
        } else {
            self.paint(gpu, &made, &parts);
        }
        let descriptor = wgpu::ComputePassDescriptor { label: Some("backdrop"), timestamp_writes: None };
        made.blur.dispatch(&mut encoder.begin_compute_pass(&descriptor), &made.picture.bind_group);
        let made = self.made.insert(made);
        Ok((&made.picture.buffer, size))
    }

    fn draw(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, made: &BackdropTarget, parts: &[ViewPart<'_>]) {
        let BackdropTarget { texture, picture, .. } = made;
        for part in parts {
            part.prepare(gpu, encoder, &mut self.video);
        }
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("backdrop"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store: wgpu::StoreOp::Store },
            })],
            ..Default::default()
        });
        for part in parts {
            part.draw(&mut pass, &self.video, picture.size.1);
        }
        drop(pass);
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(4 * WIDTH), rows_per_image: None };
        let target = wgpu::TexelCopyBufferInfo { buffer: &picture.buffer, layout };
        encoder.copy_texture_to_buffer(texture.as_image_copy(), target, texture.size());
    }

    fn paint(&mut self, gpu: &Gpu, made: &BackdropTarget, parts: &[ViewPart<'_>]) {
        let row = 4 * WIDTH as usize;
        let format = PixelFormat { order: Order::Rgba, stride: row };
        for (part, pixels) in parts.iter().zip(&mut self.pixels) {
            let over = Over { by_codes: ByCodes { light: part.light(), ..ByCodes::default() }, ..Over::default() };
            display::draw_whole(part.picture, &part.placement, over, format, pixels);
        }
        // So few pixels are painted whole for either part; then the second part's columns go over the first's.
        let [first, second] = &mut self.pixels;
        if let [_, part] = parts {
            let columns = 4 * part.columns.start as usize..4 * part.columns.end as usize;
            for (to, from) in first.chunks_exact_mut(row).zip(second.chunks_exact(row)) {
                to[columns.clone()].copy_from_slice(&from[columns.clone()]);
            }
        }
        gpu.queue.write_buffer(&made.picture.buffer, 0, first);
    }
}

impl BackdropTarget {
    fn new(gpu: &Gpu, blur: &mut BlurPass, size: (u32, u32)) -> Result<Self, GpuError> {
        let picture = WorkingPicture::new(gpu, size, 8)?;
        let blur = blur.job(gpu, &InputPicture::from(&picture), &picture, BLUR)?;
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("backdrop"),
            size: wgpu::Extent3d { width: size.0, height: size.1, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        Ok(Self { texture, picture, blur })
    }
}
