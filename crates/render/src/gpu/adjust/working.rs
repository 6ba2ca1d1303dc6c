//! An adjusted picture in the GPU's memory.

use crate::gpu::params::{InputPicture, PictureParams};
use crate::gpu::readback::read_buffer;
use crate::gpu::resources::{storage, uniform};
use crate::gpu::shaders::groups;
use crate::gpu::{Gpu, GpuError};
use histoscope_core::adjust::{Codes, working_layout};
use histoscope_core::picture::color::{Conversion, Matrix, Range};
use histoscope_core::picture::layout::{ColorModel, PixelLayout};
use histoscope_core::picture::luminance::LuminanceWeights;

/// Packed R'G'B' codes in a buffer, and the bind group through which every pass that reads pictures reads them.
#[derive(Debug)]
pub struct WorkingPicture {
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Bits per code.
    pub bits: u32,
    /// The weights of luminance.
    pub luminance: LuminanceWeights,
    /// The codes, laid out according to [`layout`](Self::layout), in rows of [`stride`](Self::stride) pixels.
    pub buffer: wgpu::Buffer,
    /// The bind group, equivalent to that of [`PictureBuffers`](crate::gpu::upload::PictureBuffers).
    pub bind_group: wgpu::BindGroup,
}

impl WorkingPicture {
    /// Returns the row stride in pixels: whole strips, as in [`stride_bytes`](crate::gpu::upload::stride_bytes).
    #[must_use]
    pub const fn stride(width: u32) -> u32 {
        width.next_multiple_of(4)
    }

    /// Returns the words of a picture, including the padding of its rows.
    #[must_use]
    pub const fn words((width, height): (u32, u32), bits: u32) -> u64 {
        let words = if bits == 8 { 1 } else { 2 };
        Self::stride(width) as u64 * height as u64 * words
    }

    /// Creates the buffer for a picture.
    ///
    /// # Errors
    /// [`GpuError::PictureTooLarge`] if the adapter does not bind a buffer that large.
    pub fn new(gpu: &Gpu, size: (u32, u32), bits: u32, luminance: LuminanceWeights) -> Result<Self, GpuError> {
        let words = Self::words(size, bits);
        check_size(gpu, size, words * 4)?;
        let buffer = storage(&gpu.device, "adjusted picture", words as usize);
        let conversion = Conversion::from_parts(ColorModel::Rgb, Matrix::Identity, Range::Full, bits);
        let top = ((1_u32 << bits) - 1) as f32;
        let params = PictureParams {
            size: size.into(),
            chroma_size: size.into(),
            strides: [(words / u64::from(size.1)) as u32, 0, 0, 0],
            integer: std::array::from_fn(|channel| {
                let [a, b, c] = conversion.weights[channel];
                [a, b, c, conversion.bias[channel]]
            }),
            real: std::array::from_fn(|channel| std::array::from_fn(|i| if i == channel { 1.0 / top } else { 0.0 })),
        };
        let params = uniform(gpu, "adjusted picture", &params);
        let bind_group = groups::PICTURE.bind(&gpu.device, &[&params, &buffer, &buffer, &buffer]);
        Ok(Self { size, bits, luminance, buffer, bind_group })
    }

    /// Writes codes, which must have the picture's size and depth.
    pub fn write(&self, gpu: &Gpu, codes: &Codes) {
        let mut words = Vec::new();
        for row in codes.rgb.chunks(codes.width.max(1)) {
            for &[red, green, blue] in row {
                let [red, green, blue] = [red, green, blue].map(u32::from);
                match self.bits {
                    8 => words.push(red | green << 8 | blue << 16 | 0xff << 24),
                    _ => words.extend([red | green << 16, blue]),
                }
            }
            words.resize(words.len().next_multiple_of(if self.bits == 8 { 4 } else { 8 }), 0);
        }
        gpu.queue.write_buffer(&self.buffer, 0, bytemuck::cast_slice(&words));
    }

    /// Reads the codes back, for files, figures and tests.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device fails.
    pub fn read(&self, gpu: &Gpu) -> Result<Codes, GpuError> {
        let bytes = read_buffer(gpu, &self.buffer, Self::words(self.size, self.bits) * 4)?;
        let words: Vec<u32> = bytemuck::pod_collect_to_vec(&bytes);
        let (width, height) = (self.size.0 as usize, self.size.1 as usize);
        let stride = words.len() / height;
        let pixel = |words: &[u32]| match *words {
            [first, second] => [first as u16, (first >> 16) as u16, second as u16],
            [word] => [0, 8, 16].map(|shift| (word >> shift) as u16 & 0xff),
            _ => [0; 3],
        };
        let step = if self.bits == 8 { 1 } else { 2 };
        let rows = words.chunks_exact(stride);
        let rgb = rows.flat_map(|row| row.chunks_exact(step).take(width).map(pixel)).collect();
        Ok(Codes { bits: self.bits, width, height, rgb, luminance: self.luminance })
    }

    /// Returns the layout of the codes.
    #[must_use]
    pub const fn layout(&self) -> PixelLayout {
        working_layout(self.bits)
    }
}

impl From<&WorkingPicture> for InputPicture {
    fn from(picture: &WorkingPicture) -> Self {
        Self {
            layout: picture.layout(),
            size: picture.size,
            crossed: true,
            packed: true,
            range: Range::Full,
            luminance: picture.luminance,
        }
    }
}

/// Checks that the adapter binds a buffer of `bytes` bytes for a picture of this size.
pub(super) fn check_size(gpu: &Gpu, (width, height): (u32, u32), bytes: u64) -> Result<(), GpuError> {
    let most = gpu.most_plane_bytes;
    if bytes > most {
        return Err(GpuError::PictureTooLarge { width, height, bytes, most, adapter: gpu.info.name.clone() });
    }
    Ok(())
}
