//! Reads pictures from the memory that the decoder wrote them to: its pages become buffers that the GPU copies from by
//! itself.
//!
//! On the CPU, which is busy decoding the next frames, the copy would take longer than everything else it does for a
//! frame. Vulkan can import the program's memory (VK_EXT_external_memory_host), but wgpu does not expose this, so
//! Vulkan is called directly. Where this is not possible, pictures go through [`staging`](super::staging) memory.

#[cfg_attr(not(any(target_os = "linux", target_os = "windows")), path = "import/elsewhere.rs")]
mod vulkan;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use super::readback_belt::read_now;
use histoscope_core::picture::{Attachment, Pages, Picture, SharedBlock};

pub(super) use vulkan::{HostMemory, open};

/// Environment variable that disables reading in place if set to any value, to measure what it gains: the CPU then
/// copies.
const SWITCH: &str = "HISTOSCOPE_COPY_FRAMES";
/// Smaller blocks are copied, which is faster than importing their pages into the driver.
const MIN_BYTES: usize = 256 << 10;
/// The alignment of copies between buffers.
const STEP: usize = wgpu::COPY_BUFFER_ALIGNMENT as usize;

/// A device's access to pictures in the program's own memory.
#[derive(Debug)]
pub(super) struct Imports {
    device: wgpu::Device,
    host: Option<HostMemory>,
    /// Distinguishes this device from others that read the same pages.
    number: u64,
    /// Number of imported blocks.
    count: Arc<AtomicUsize>,
    most_bytes: u64,
    /// Set once the device is kept until the program ends.
    kept: OnceLock<()>,
}

/// The location of a picture's planes in a buffer that the GPU copies from.
#[derive(Debug)]
pub(super) struct InPlace {
    pub buffer: wgpu::Buffer,
    /// Byte offset of each plane.
    pub offsets: [u64; 3],
    /// Row stride of each plane in bytes.
    pub strides: [usize; 3],
}

impl Imports {
    /// Creates a device's access to such pictures, through `host` if there is one.
    pub fn new(device: &wgpu::Device, host: Option<HostMemory>) -> Self {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        let most_bytes = device.limits().max_buffer_size;
        Self { device: device.clone(), host, number, count: Arc::default(), most_bytes, kept: OnceLock::new() }
    }

    /// Disables reading in place if the user has disabled it, or if a test shows that the driver does not read what the
    /// memory contains. Drivers guarantee that, and every count relies on it.
    #[must_use]
    pub fn checked(mut self, queue: &wgpu::Queue, adapter: &str) -> Self {
        if !self.are_possible() {
            log::debug!("the CPU copies frames to the adapter");
        } else if std::env::var_os(SWITCH).is_some() {
            log::info!("the CPU copies frames to the adapter, because {SWITCH} is set");
            self.host = None;
        } else if !self.reads_back_correctly(queue) {
            log::warn!("{adapter} misreads imported memory; the CPU copies frames to it");
            self.host = None;
        }
        self
    }

    fn reads_back_correctly(&self, queue: &wgpu::Queue) -> bool {
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

    /// Returns `true` if blocks can be read in place.
    pub const fn are_possible(&self) -> bool {
        self.host.is_some()
    }

    /// Returns the number of blocks that the GPU currently reads in place.
    pub fn count(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// Allocates memory of the device that other programming interfaces can write pictures to. Returns `None` if the
    /// driver does not share memory.
    pub fn share(&self, bytes: usize) -> Option<SharedBlock> {
        let length = u64::try_from(bytes).ok().filter(|length| *length <= self.most_bytes)?;
        let shared = self.host.as_ref()?.share(&self.device, length, &self.count)?;
        let refused = |reason: &String| log::debug!("{length} bytes are not shared: {reason}");
        let vulkan::SharedBuffer { buffer, handle, bytes, memory_type, device } = shared.inspect_err(refused).ok()?;
        // NVIDIA's driver crashes if a decoder's thread, which may hold the last of this memory, destroys the device.
        self.kept.get_or_init(|| std::mem::forget(self.device.clone()));
        let memory: Attachment = Arc::new(Shared { buffer, device: self.number, _held: ImportCount::new() });
        Some(SharedBlock { handle, bytes, memory_type, device, memory })
    }

    /// Returns the buffer that the pages are imported as; `None` if the driver does not accept them.
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

/// The attachment of pages: the buffer that they are imported as, unless the driver refused them.
struct Imported {
    buffer: Option<wgpu::Buffer>,
    /// Declared after the buffer because fields are dropped in declaration order.
    _held: Option<ImportCount>,
}

/// Memory of a device that another programming interface writes pictures to.
struct Shared {
    buffer: wgpu::Buffer,
    /// The number of the device.
    device: u64,
    /// Declared after the buffer because fields are dropped in declaration order.
    _held: ImportCount,
}

/// Number of blocks of the program's memory that drivers hold, for all devices together.
static HELD: Mutex<usize> = Mutex::new(0);
static RELEASED: Condvar = Condvar::new();

/// Counts as one in [`HELD`] while it exists.
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

/// Waits until no driver holds any of the program's memory, but no longer than `limit`. Returns `true` if none is held.
///
/// Must be called at the end of the program: memory is freed with its decoder, on whichever thread drops that, and
/// drivers do not tolerate a thread that is still freeing memory while the program exits.
pub fn wait_until_released(limit: Duration) -> bool {
    let held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    let (held, _) = RELEASED.wait_timeout_while(held, limit, |held| *held > 0).unwrap_or_else(PoisonError::into_inner);
    if *held > 0 {
        log::debug!("{} blocks of decoded pictures are still in use by the GPU", *held);
    } else {
        log::debug!("the GPU no longer uses any decoded pictures");
    }
    *held == 0
}

impl Imports {
    /// Returns the location from which the GPU can read the picture without the CPU's help, until the picture is
    /// dropped. `row_bytes` returns the bytes that the passes read from a row of each plane, including padding; no
    /// plane may be larger than `most_plane_bytes`.
    pub fn in_place(
        &self,
        picture: &Picture,
        most_plane_bytes: u64,
        row_bytes: impl Fn(usize) -> usize,
    ) -> Option<InPlace> {
        // Places the planes in memory of this length, given the offset of each.
        let places = |length: u64, offset: &dyn Fn(usize) -> Option<usize>| {
            let (mut offsets, mut strides) = ([0; 3], [0; 3]);
            let (layout, width, height) = (picture.layout(), picture.width(), picture.height());
            for plane in 0..layout.plane_count() {
                let (offset, (_, stride)) = (offset(plane)?, picture.extent(plane));
                let bytes = (stride * layout.plane_size(plane, width, height).1) as u64;
                let is_aligned = offset.is_multiple_of(STEP) && stride.is_multiple_of(STEP);
                // The last row is copied together with the bytes after it, like all other rows.
                let is_inside = offset as u64 + bytes <= length && bytes <= most_plane_bytes;
                if !is_aligned || !is_inside || stride < row_bytes(plane) {
                    return None;
                }
                (offsets[plane], strides[plane]) = (offset as u64, stride);
            }
            Some((offsets, strides))
        };
        if let Some(resident) = picture.resident()
            && let Some(shared) = resident.memory.downcast_ref::<Shared>().filter(|shared| shared.device == self.number)
        {
            let (offsets, strides) = places(shared.buffer.size(), &|plane| Some(resident.offsets[plane]))?;
            return Some(InPlace { buffer: shared.buffer.clone(), offsets, strides });
        }
        let pages = picture.pages().filter(|pages| pages.memory().length() >= MIN_BYTES)?;
        let start = pages.memory().start().addr().get();
        let (offsets, strides) = places(pages.memory().length() as u64, &|plane| {
            picture.plane(plane).bytes.as_ptr().addr().checked_sub(start)
        })?;
        Some(InPlace { buffer: self.buffer(pages)?, offsets, strides })
    }
}
