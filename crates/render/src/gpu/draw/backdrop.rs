//! The soft backdrop behind the overlays: the view's content, small and blurred, so that bars are legible on any
//! picture.
//!
//! The picture is drawn again at a width of 256 pixels and blurred by three runs of the adjustments' box blur, which
//! approximates a Gaussian. The overlays draw it between the picture and their scrim.

use super::ViewPass;
use crate::gpu::adjust::{BlurJob, BlurPass, WorkingPicture};
use crate::gpu::params::InputPicture;
use crate::gpu::timing::compute_pass;
use crate::gpu::{Gpu, GpuError};
use histoscope_core::adjust::Blur;
use histoscope_core::picture::luminance::LuminanceWeights;

const _: () = assert!((4 * BackdropPass::WIDTH).is_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT));
/// Three box blurs, each over a tenth of the view's width.
const BLUR: Blur = Blur { size: 25, runs: 3 };

/// Makes the backdrop from a small picture that a backend paints.
#[derive(Debug)]
pub struct BackdropPass {
    blur: BlurPass,
    made: Option<BackdropTarget>,
}

/// The resources for one size of the small picture.
#[derive(Debug)]
struct BackdropTarget {
    texture: wgpu::Texture,
    picture: WorkingPicture,
    blur: BlurJob,
}

impl BackdropPass {
    /// Width of the small picture. It is a multiple of 64 so that rows have the same stride in the copy of a texture as
    /// in a [`WorkingPicture`].
    pub const WIDTH: u32 = 256;
    /// Format of the small picture: four bytes per pixel, like the words of a working picture with 8 bits.
    pub const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

    /// Creates the pass.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        Self { blur: BlurPass::new(gpu), made: None }
    }

    /// Prepares the pass for a view of `width` × `height` pixels and returns the columns and rows of the small picture.
    ///
    /// # Errors
    /// [`GpuError`] if the adapter does not bind even such a small picture.
    pub fn prepare(&mut self, gpu: &Gpu, (width, height): (u32, u32)) -> Result<(u32, u32), GpuError> {
        let rows = (u64::from(Self::WIDTH) * u64::from(height)).div_ceil(u64::from(width.max(1)));
        let size = (Self::WIDTH, rows.clamp(1, u64::from(4 * Self::WIDTH)) as u32);
        let made = match self.made.take().filter(|made| made.picture.size == size) {
            Some(made) => made,
            None => BackdropTarget::new(gpu, &mut self.blur, size)?,
        };
        self.made = Some(made);
        Ok(size)
    }

    /// Records drawing the small picture: `draw` receives the pass and the number of rows.
    pub fn draw(&self, encoder: &mut wgpu::CommandEncoder, draw: impl FnOnce(&mut wgpu::RenderPass<'_>, u32)) {
        let Some(BackdropTarget { texture, picture, .. }) = &self.made else { return };
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        let mut pass = ViewPass { view: &view, cleared: Some(wgpu::Color::BLACK), timestamps: None }.begin(encoder);
        draw(&mut pass, picture.size.1);
        drop(pass);
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(4 * Self::WIDTH), rows_per_image: None };
        let target = wgpu::TexelCopyBufferInfo { buffer: &picture.buffer, layout };
        encoder.copy_texture_to_buffer(texture.as_image_copy(), target, texture.size());
    }

    /// Writes a small picture painted by the CPU, for the next submission.
    pub fn write(&self, gpu: &Gpu, pixels: &[u8]) {
        if let Some(made) = &self.made {
            gpu.queue.write_buffer(&made.picture.buffer, 0, pixels);
        }
    }

    /// Records blurring the small picture.
    pub fn blur(&self, encoder: &mut wgpu::CommandEncoder) {
        if let Some(made) = &self.made {
            compute_pass(encoder, "backdrop", None, |pass| made.blur.dispatch(pass, &made.picture.bind_group));
        }
    }

    /// Returns the words of the backdrop, one per pixel.
    #[must_use]
    pub fn words(&self) -> Option<&wgpu::Buffer> {
        self.made.as_ref().map(|made| &made.picture.buffer)
    }
}

impl BackdropTarget {
    fn new(gpu: &Gpu, blur: &mut BlurPass, size: (u32, u32)) -> Result<Self, GpuError> {
        let picture = WorkingPicture::new(gpu, size, 8, LuminanceWeights::default())?;
        let blur = blur.job(gpu, &InputPicture::from(&picture), &picture, BLUR)?;
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("backdrop"),
            size: wgpu::Extent3d { width: size.0, height: size.1, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: BackdropPass::FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        Ok(Self { texture, picture, blur })
    }
}
