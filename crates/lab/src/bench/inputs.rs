//! The pictures that are measured, on the CPU and in the GPU's memory.

use super::content::{BenchContent, PICTURES};
use super::error::Error;
use histoscope_core::picture::Picture;
use histoscope_core::picture::layout::PixelLayout;
use histoscope_render::gpu::Gpu;
use histoscope_render::gpu::upload::PictureBuffers;

/// All pictures together take at least this many bytes of a real GPU's memory: more than the cache of any, so that a
/// picture has left it before its turn comes again.
const MORE_THAN_A_CACHE: u64 = 192 << 20;
/// The most bytes that they should take.
const MOST_BYTES: u64 = 1 << 30;

/// Pictures of one size and layout, which the measurements take in turn.
#[derive(Debug)]
pub struct Inputs {
    /// The different pictures.
    pub pictures: Vec<Picture>,
    /// Their copies in the GPU's memory; number i is a copy of picture i modulo the number of pictures.
    pub buffers: Vec<PictureBuffers>,
}

impl Inputs {
    /// Makes pictures to order and uploads them.
    ///
    /// # Errors
    /// [`Error`] if they cannot be pictures or do not fit the adapter.
    pub fn made(gpu: &Gpu, content: BenchContent, layout: PixelLayout, size: (u32, u32)) -> Result<Self, Error> {
        let pictures = (0..PICTURES).map(|seed| content.picture(layout, size, seed)).collect::<Result<_, _>>()?;
        Self::of(gpu, pictures)
    }

    /// Uploads pictures, of which there must be one at least and which must be alike in size and layout.
    ///
    /// # Errors
    /// [`Error`] if they do not fit the adapter.
    pub fn of(gpu: &Gpu, pictures: Vec<Picture>) -> Result<Self, Error> {
        let bytes = pictures.first().map_or(1, picture_bytes);
        let mut buffers = Vec::new();
        for index in 0..copies(gpu, bytes, pictures.len()) {
            let mut copy = PictureBuffers::default();
            copy.upload(gpu, &pictures[index % pictures.len()])?;
            // Staging memory is given back picture by picture, not held for all of them at once.
            gpu.queue.submit([]);
            gpu.wait()?;
            buffers.push(copy);
        }
        Ok(Self { pictures, buffers })
    }

    /// The bind group of the copy whose turn it is in repeat `repeat`.
    #[must_use]
    pub fn group(&self, repeat: usize) -> Option<&wgpu::BindGroup> {
        self.buffers[repeat % self.buffers.len()].bind_group()
    }

    /// The picture on the CPU whose turn it is in repeat `repeat`.
    #[must_use]
    pub fn picture(&self, repeat: usize) -> &Picture {
        &self.pictures[repeat % self.pictures.len()]
    }
}

/// How many copies of pictures of `bytes` bytes each are held. A cache goes by address, so that copies at different
/// addresses serve as well as different pictures.
pub(super) fn copies(gpu: &Gpu, bytes: u64, pictures: usize) -> usize {
    let bytes = bytes.max(1);
    // What a software adapter reads lies in the CPU's caches, which are far smaller.
    let wanted = if gpu.is_software() { 4 } else { MORE_THAN_A_CACHE.div_ceil(bytes).clamp(4, 64) };
    (wanted.min((MOST_BYTES / bytes).max(2)) as usize).max(pictures)
}

/// Bytes of a picture's samples, without padding: what a method must read at least.
#[must_use]
pub fn picture_bytes(picture: &Picture) -> u64 {
    let layout = picture.layout();
    (0..layout.plane_count())
        .map(|plane| {
            let (row_bytes, rows) = layout.plane_size(plane, picture.width(), picture.height());
            row_bytes as u64 * rows as u64
        })
        .sum()
}
