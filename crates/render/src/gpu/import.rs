//! Reading pictures where the decoder wrote them: their pages become buffers that the GPU copies from by itself.
//!
//! A copy by the CPU takes it longer than all else that it does for a frame, while it is busy decoding the next ones. Vulkan
//! can take memory that the program has (VK_EXT_external_memory_host), which wgpu does not offer; here it is asked for beside
//! wgpu. Where there is no such thing, pictures go through [`staging`](super::staging) memory.

#[cfg_attr(not(any(target_os = "linux", target_os = "windows")), path = "import/elsewhere.rs")]
mod vulkan;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::readback_belt::read_now;
use histoscope_core::picture::{Attachment, Pages, Picture};

pub(super) use vulkan::{HostMemory, open};

/// Switches the way off, to measure what it is worth: with any value, the CPU copies.
const SWITCH: &str = "HISTOSCOPE_COPY_FRAMES";
/// Below so many bytes a picture is copied sooner than its pages are made known to the driver.
const LEAST_BYTES: usize = 256 << 10;
/// The alignment of copies between buffers.
const STEP: usize = wgpu::COPY_BUFFER_ALIGNMENT as usize;

/// A device's way to pictures in the program's own memory.
#[derive(Debug)]
pub(super) struct Imports {
    device: wgpu::Device,
    host: Option<HostMemory>,
    /// Tells this device from others that read the same pages.
    number: u64,
    /// How many blocks the GPU knows.
    count: Arc<AtomicUsize>,
    most_bytes: u64,
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
    /// The way by `host`, if there is one.
    pub fn new(device: &wgpu::Device, host: Option<HostMemory>) -> Self {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        let most_bytes = device.limits().max_buffer_size;
        Self { device: device.clone(), host, number, count: Arc::default(), most_bytes }
    }

    /// The same, given up where somebody wants that, or where it does not bring what lies there, which the driver promises and
    /// every count relies on.
    #[must_use]
    pub fn checked(mut self, queue: &wgpu::Queue, adapter: &str) -> Self {
        if !self.are_possible() {
            log::debug!("the CPU copies frames to the adapter");
        } else if std::env::var_os(SWITCH).is_some() {
            log::info!("the CPU copies frames to the adapter, because {SWITCH} is set");
            self.host = None;
        } else if !self.bring_what_is_there(queue) {
            log::warn!("{adapter} misreads memory that it was given; the CPU copies frames to it");
            self.host = None;
        }
        self
    }

    fn bring_what_is_there(&self, queue: &wgpu::Queue) -> bool {
        let words: Vec<u32> = (0..Pages::SIZE as u32 / 4).map(|word| word.wrapping_mul(0x9e37_79b9)).collect();
        let bytes: &[u8] = bytemuck::cast_slice(&words);
        let Some(pages) = Pages::holding(bytes) else { return false };
        let Some(buffer) = self.buffer(&pages) else { return false };
        let length = bytes.len() as u64;
        let copy = |encoder: &mut wgpu::CommandEncoder, readback: &wgpu::Buffer| {
            encoder.copy_buffer_to_buffer(&buffer, 0, readback, 0, length);
        };
        read_now((&self.device, queue), length, copy, |read| read == bytes).is_ok_and(|is_same| is_same)
    }

    /// Returns `true` if there is a way to read blocks in place.
    pub const fn are_possible(&self) -> bool {
        self.host.is_some()
    }

    /// Blocks that the GPU reads in place now.
    pub fn count(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// The buffer that the pages are; `None` if the driver does not take them.
    fn buffer(&self, pages: &Pages) -> Option<wgpu::Buffer> {
        let host = self.host.as_ref()?;
        let length = pages.memory().length();
        if length as u64 > self.most_bytes {
            return None;
        }
        let import = || -> Attachment {
            let refused =
                |reason: &String| log::debug!("{length} bytes of decoded pictures are copied to the GPU: {reason}");
            let buffer = host.import(&self.device, pages.memory(), &self.count).inspect_err(refused).ok();
            let held = buffer.is_some().then(ImportCount::new);
            Arc::new(Imported { buffer, _held: held })
        };
        let imported = pages.attached(self.number, import).downcast::<Imported>().ok()?;
        imported.buffer.clone()
    }
}

/// The attachment of pages: the buffer that they are, unless the driver refused them.
struct Imported {
    buffer: Option<wgpu::Buffer>,
    /// Behind the buffer, because fields are dropped in their order.
    _held: Option<ImportCount>,
}

/// How many blocks of the program's memory drivers hold, whatever the device.
static HELD: Mutex<usize> = Mutex::new(0);
static RELEASED: Condvar = Condvar::new();

/// Counts as one in [`HELD`].
struct ImportCount(());

impl ImportCount {
    fn new() -> Self {
        *HELD.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Self(())
    }
}

impl Drop for ImportCount {
    fn drop(&mut self) {
        *HELD.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        RELEASED.notify_all();
    }
}

/// Waits until no driver holds memory of the program's any more, but not longer than `limit`; whether that is so.
///
/// For the end of the program: memory goes with its decoder, wherever that is dropped, and drivers do not stand it when
/// another thread still gives memory back while the program ends.
pub fn wait_until_released(limit: Duration) -> bool {
    let held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    let (held, _) = RELEASED.wait_timeout_while(held, limit, |held| *held > 0).unwrap_or_else(PoisonError::into_inner);
    if *held > 0 {
        log::debug!("{} blocks of decoded pictures are still in the GPU's hands", *held);
    } else {
        log::debug!("the GPU holds none of the decoded pictures any more");
    }
    *held == 0
}

impl Imports {
    /// Where the GPU can read the picture without the CPU's help, which it can until the picture is dropped. `row_bytes` are
    /// the bytes that the passes read of a row of each plane, with its padding; no plane has more than `most_plane_bytes`.
    pub fn in_place(
        &self,
        picture: &Picture,
        most_plane_bytes: u64,
        row_bytes: impl Fn(usize) -> usize,
    ) -> Option<InPlace> {
        let pages = picture.pages().filter(|pages| pages.memory().length() >= LEAST_BYTES)?;
        let (mut offsets, mut strides) = ([0; 3], [0; 3]);
        let (layout, width, height) = (picture.layout(), picture.width(), picture.height());
        for plane in 0..layout.plane_count() {
            let view = picture.plane(plane);
            let offset = view.bytes.as_ptr().addr().checked_sub(pages.memory().start().addr().get())?;
            let bytes = view.stride * layout.plane_size(plane, width, height).1;
            let is_aligned = offset.is_multiple_of(STEP) && view.stride.is_multiple_of(STEP);
            // The last row is copied with what follows it, like all others.
            let is_inside = offset + bytes <= pages.memory().length() && bytes as u64 <= most_plane_bytes;
            if !is_aligned || !is_inside || view.stride < row_bytes(plane) {
                return None;
            }
            (offsets[plane], strides[plane]) = (offset as u64, view.stride);
        }
        Some(InPlace { buffer: self.buffer(pages)?, offsets, strides })
    }
}
