//! The measured pictures, in memory of the CPU and of the GPU.

use super::error::Error;
use histoscope_core::picture::Picture;
use histoscope_render::gpu::Gpu;
use histoscope_render::gpu::upload::PictureBuffers;

/// The fewest bytes that all pictures together take in a hardware GPU's memory. This exceeds every cache, so a picture
/// has left the cache before it is used again.
const MIN_BYTES: u64 = 192 << 20;
/// The most bytes that all pictures together should take.
const MAX_BYTES: u64 = 1 << 30;

/// Pictures of one size and layout. The measurements cycle through them.
#[derive(Debug)]
pub struct Inputs {
    /// The different pictures.
    pub pictures: Vec<Picture>,
    /// The copies in GPU memory. Copy `i` is of picture `i` modulo the number of pictures.
    pub buffers: Vec<PictureBuffers>,
}

impl Inputs {
    /// Uploads pictures: at least one, and all of the same size and layout.
    ///
    /// # Errors
    /// [`Error`] if they do not fit the adapter.
    pub fn of(gpu: &Gpu, pictures: Vec<Picture>) -> Result<Self, Error> {
        let bytes = pictures.first().map_or(1, picture_bytes);
        let mut buffers = Vec::new();
        for index in 0..copies(gpu, bytes, pictures.len()) {
            let mut copy = PictureBuffers::default();
            copy.upload(gpu, &pictures[index % pictures.len()])?;
            // Frees staging memory picture by picture, instead of holding it for all of them.
            gpu.queue.submit([]);
            gpu.wait()?;
            buffers.push(copy);
        }
        Ok(Self { pictures, buffers })
    }

    /// Returns the bind group of the copy for repeat `repeat`.
    #[must_use]
    pub fn group(&self, repeat: usize) -> Option<&wgpu::BindGroup> {
        self.buffers[repeat % self.buffers.len()].bind_group()
    }

    /// Returns the picture on the CPU for repeat `repeat`.
    #[must_use]
    pub fn picture(&self, repeat: usize) -> &Picture {
        &self.pictures[repeat % self.pictures.len()]
    }
}

/// Returns the number of copies to hold of pictures with `bytes` bytes. Caches work by address, so copies are as good
/// as different pictures.
pub(super) fn copies(gpu: &Gpu, bytes: u64, pictures: usize) -> usize {
    let bytes = bytes.max(1);
    // A software adapter reads from the CPU's caches, which are far smaller.
    let wanted = if gpu.is_software() { 4 } else { MIN_BYTES.div_ceil(bytes).clamp(4, 64) };
    (wanted.min((MAX_BYTES / bytes).max(2)) as usize).max(pictures)
}

/// Returns the bytes of a picture's samples, without padding. Every method reads at least these.
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
