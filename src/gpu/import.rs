//! Reading pictures where the decoder wrote them: their pages become buffers that the GPU copies from by itself.
//!
//! A copy by the CPU takes it longer than all else that it does for a frame, while it is busy decoding the next ones. Vulkan
//! can take memory that the program has (VK_EXT_external_memory_host), which wgpu does not offer; here it is asked for beside
//! wgpu. Where there is no such thing, pictures go through [`staging`](super::staging) memory.

#[cfg_attr(not(any(target_os = "linux", target_os = "windows")), path = "import/elsewhere.rs")]
mod vulkan;

use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::Gpu;
use crate::frame::{Pages, Picture};

pub(super) use vulkan::{HostMemory, open};

/// Below so many bytes a picture is copied sooner than its pages are made known to the driver.
const LEAST_BYTES: usize = 256 << 10;
/// What copies between buffers begin at and are whole multiples of.
const STEP: usize = wgpu::COPY_BUFFER_ALIGNMENT as usize;

/// The blocks of memory that the GPU knows.
#[derive(Debug, Default)]
pub(super) struct Imports {
    host: Option<HostMemory>,
    known: Mutex<Vec<Known>>,
}

/// A block that was made known to the driver, or that it did not take.
struct Known {
    start: usize,
    pages: Weak<dyn Pages>,
    /// Keeps the pages itself.
    buffer: Option<wgpu::Buffer>,
}

impl Known {
    /// Whether somebody else holds on to the pages. What nobody does are those of a video that was closed.
    fn is_used(&self) -> bool {
        self.pages.strong_count() > usize::from(self.buffer.is_some())
    }
}

impl std::fmt::Debug for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Known").field("start", &self.start).field("buffer", &self.buffer).finish_non_exhaustive()
    }
}

/// Where a picture's planes lie in a buffer that the GPU copies from.
#[derive(Debug)]
pub(super) struct InPlace {
    pub buffer: wgpu::Buffer,
    /// Of each plane, the byte that it begins at.
    pub offsets: [u64; 3],
    /// Of each plane, bytes from row to row.
    pub strides: [usize; 3],
}

impl Imports {
    /// Blocks are made known by way of `host`; without it there are none.
    pub fn new(host: Option<HostMemory>) -> Self {
        Self { host, known: Mutex::default() }
    }

    /// The buffer that the pages are; `None` if the driver does not take them.
    fn buffer(&self, device: &wgpu::Device, pages: &Arc<dyn Pages>) -> Option<wgpu::Buffer> {
        let host = self.host.as_ref()?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let start = pages.start().addr();
        if let Some(found) = known.iter().find(|known| known.start == start && known.is_used()) {
            return found.buffer.clone();
        }
        let length = pages.length();
        let refused =
            |reason: &String| log::debug!("{length} bytes of decoded pictures are copied to the GPU: {reason}");
        let buffer = host.import(device, pages).inspect_err(refused).ok();
        known.push(Known { start, pages: Arc::downgrade(pages), buffer: buffer.clone() });
        buffer
    }

    /// Whether there is a way to read blocks in place.
    pub const fn are_possible(&self) -> bool {
        self.host.is_some()
    }

    /// Blocks that the GPU reads in place.
    pub fn count(&self) -> usize {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().filter(|known| known.buffer.is_some()).count()
    }

    /// Lets go of the memory of videos that were closed.
    pub fn sweep(&self) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).retain(Known::is_used);
    }
}

impl InPlace {
    /// Where the GPU can read the picture without the CPU's help, which it can until the picture is dropped. `row_bytes` are
    /// the bytes that the passes read of a row of each plane, with its padding.
    pub fn of(gpu: &Gpu, picture: &Picture, row_bytes: impl Fn(usize) -> usize) -> Option<Self> {
        gpu.imports.sweep();
        let pages = picture.pages().filter(|pages| pages.length() >= LEAST_BYTES)?;
        let (mut offsets, mut strides) = ([0; 3], [0; 3]);
        let (layout, width, height) = (picture.layout(), picture.width(), picture.height());
        for plane in 0..layout.plane_count() {
            let view = picture.plane(plane);
            let offset = view.bytes.as_ptr().addr().checked_sub(pages.start().addr())?;
            let bytes = view.stride * layout.plane_size(plane, width, height).1;
            let is_aligned = offset.is_multiple_of(STEP) && view.stride.is_multiple_of(STEP);
            // The last row is copied with what follows it, like all others.
            let is_inside = offset + bytes <= pages.length() && bytes as u64 <= gpu.most_plane_bytes;
            if !is_aligned || !is_inside || view.stride < row_bytes(plane) {
                return None;
            }
            (offsets[plane], strides[plane]) = (offset as u64, view.stride);
        }
        Some(Self { buffer: gpu.imports.buffer(&gpu.device, &pages)?, offsets, strides })
    }
}
