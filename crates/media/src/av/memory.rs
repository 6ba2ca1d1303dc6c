//! Memory for decoded frames: whole pages at a stable address, so that a GPU can read a frame from where the decoder
//! wrote it.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::{fmt, ptr};

use ffmpeg_next::ffi;

use super::copies::CopyTarget;
use super::{AvError, PixelFormat};
use histoscope_core::picture::{Pages, SharedMemory};

/// Alignment of planes, in bytes; no decoder uses longer vectors.
const PLANE_ALIGNMENT: usize = 64;
/// Bytes after a plane that decoders may access beyond its last row, as in FFmpeg's own pools.
const SLACK: usize = 16 + 63;

/// Memory that a hardware decoder's surfaces are copied to.
type Target = Arc<dyn CopyTarget>;

/// Memory for one frame.
#[derive(Debug)]
pub(crate) struct FrameBlock {
    /// The pages as a hardware decoder writes to them; `None` if its driver refuses. Dropped before them.
    pinned: OnceLock<Option<Target>>,
    /// Memory of a graphics device that a hardware decoder writes to in place of the pages, and the number of the
    /// device; `None` instead of memory if the device has none to share.
    shared: Mutex<Option<(u64, Option<Target>)>>,
    pub(crate) pages: Pages,
    /// `true` while a frame uses it.
    lent: AtomicBool,
}

impl FrameBlock {
    /// Returns the pages as a target of copies. `pin` is called only once to make it, with their start and length in
    /// bytes.
    pub(super) fn pinned(&self, pin: impl FnOnce((*mut u8, usize)) -> Option<Target>) -> Option<Target> {
        let memory = self.pages.memory();
        self.pinned.get_or_init(|| pin((memory.start().as_ptr(), memory.length()))).clone()
    }

    /// Returns the memory of a graphics device with the same length. For each device, `share` is called only once to
    /// make it.
    pub(super) fn shared(&self, device: u64, share: impl FnOnce(usize) -> Option<Target>) -> Option<Target> {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, memory)) = shared.as_ref().filter(|(of, _)| *of == device) {
            return memory.clone();
        }
        let memory = share(self.pages.memory().length());
        shared.insert((device, memory)).1.clone()
    }
}

/// The memory of the graphics device that counts and draws: none until the device is known, and another device's once
/// that one was lost. Clones share it.
#[derive(Clone, Default)]
pub struct DeviceMemory(Arc<Slot>);

#[derive(Default)]
struct Slot {
    /// The memory, and the number of devices before its own.
    memory: Mutex<(Option<Arc<dyn SharedMemory>>, u64)>,
    has_failed: AtomicBool,
}

impl DeviceMemory {
    /// Sets the memory, in place of that of a device that was lost.
    pub fn set(&self, memory: Arc<dyn SharedMemory>) {
        let mut slot = self.0.memory.lock().unwrap_or_else(PoisonError::into_inner);
        *slot = (Some(memory), slot.1 + 1);
    }

    /// Returns the memory if its device is known and open, and the number of the device.
    pub(super) fn current(&self) -> Option<(Arc<dyn SharedMemory>, u64)> {
        let slot = self.0.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let (memory, number) = &*slot;
        memory.clone().filter(|memory| memory.is_ready()).map(|memory| (memory, *number))
    }

    /// Notes that a device did not return a decoded picture.
    pub(super) fn note_failure(&self) {
        self.0.has_failed.store(true, Ordering::Relaxed);
    }

    /// Returns `true` if a device did not return a decoded picture since the last call: counts made by the CPU are then
    /// wrong.
    #[must_use]
    pub fn take_failure(&self) -> bool {
        self.0.has_failed.swap(false, Ordering::Relaxed)
    }
}

impl fmt::Debug for DeviceMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DeviceMemory")
    }
}

impl PartialEq for DeviceMemory {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for DeviceMemory {}

/// State that a decoder's callbacks share with its owner.
pub(super) struct CallbackState {
    pub(super) pool: FramePool,
    /// `true` once the decoder was offered no surfaces of its hardware device.
    pub(super) has_refused: AtomicBool,
}

/// A decoder's blocks, which are reused.
pub(super) struct FramePool {
    /// All lent blocks, and the idle ones of the size requested last.
    blocks: Mutex<Vec<Arc<FrameBlock>>>,
    clears: bool,
}

impl FramePool {
    /// Creates an empty pool. A block holds zeros or an earlier frame of the same decoder; with `clears`, always zeros.
    /// A decoder may leave damaged areas unwritten, and which earlier frame shows there depends on when other frames
    /// were freed.
    pub(super) fn new(clears: bool) -> Self {
        Self { blocks: Mutex::default(), clears }
    }

    /// Makes a decoder allocate its frames here once it is opened. FFmpeg's own pools still provide frames in formats
    /// that have to be converted anyway, and all frames of decoders that do not support custom allocation.
    ///
    /// # Safety
    /// The context must not be open yet, and its `opaque` must point to a [`CallbackState`] that is freed after it.
    pub(super) unsafe fn serve(context: *mut ffi::AVCodecContext) {
        // SAFETY: the context is valid and nothing else uses it yet.
        unsafe {
            (*context).get_buffer2 = Some(get_buffer);
            // Without this, older libraries let one thread fetch the buffers of all threads, which would then queue up.
            #[cfg(ffmpeg_before_6)]
            {
                (*context).thread_safe_callbacks = 1;
            }
        }
    }

    /// Gives a blank frame with format and size planes in a block of the pool.
    ///
    /// # Safety
    /// The frame must be valid and blank except for format and size.
    pub(super) unsafe fn fill_plain(&self, frame: *mut ffi::AVFrame) -> Result<(), AvError> {
        // SAFETY: guaranteed by the caller; the arrangement is made for this format and size.
        unsafe {
            let size = ((*frame).width, (*frame).height);
            let arrangement = Arrangement::with(PixelFormat((*frame).format), size, &[PLANE_ALIGNMENT as c_int; 4]);
            AvError::check(fill(self, frame, &arrangement.ok_or(AvError::INVALID_DATA)?)).map(|_| ())
        }
    }

    /// Returns the block of the frame whose first buffer starts at `start`, if it belongs to this pool.
    pub(super) fn block_at(&self, start: *const u8) -> Option<Arc<FrameBlock>> {
        let is_there = |block: &&Arc<FrameBlock>| ptr::eq(block.pages.memory().start().as_ptr(), start);
        self.lock().iter().find(is_there).cloned()
    }

    /// Takes a block of at least this many bytes, rounded up to whole pages, and marks it as lent.
    fn take(&self, bytes: usize) -> Option<Arc<FrameBlock>> {
        let length = Pages::length_for(bytes)?;
        let fits = |block: &Arc<FrameBlock>| block.pages.memory().length() == length;
        let idle = {
            let mut blocks = self.lock();
            // Idle blocks of a different size are left over from before the video changed.
            blocks.retain(|block| fits(block) || block.lent.load(Ordering::Acquire));
            let is_idle = |block: &&Arc<FrameBlock>| fits(block) && !block.lent.swap(true, Ordering::AcqRel);
            blocks.iter().find(is_idle).cloned()
        };
        if let Some(block) = idle {
            if self.clears {
                let memory = block.pages.memory();
                // SAFETY: the block belongs to this call alone since it was marked as lent, and has this length.
                unsafe { ptr::write_bytes(memory.start().as_ptr(), 0, memory.length()) };
            }
            return Some(block);
        }
        // New memory is allocated without holding the lock.
        let block = Arc::new(FrameBlock {
            pinned: OnceLock::new(),
            shared: Mutex::default(),
            pages: Pages::new(bytes)?,
            lent: AtomicBool::new(true),
        });
        self.lock().push(Arc::clone(&block));
        Some(block)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<FrameBlock>>> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The layout of planes in a block.
struct Arrangement {
    lines: [c_int; 4],
    offsets: [usize; 4],
    planes: usize,
    bytes: usize,
}

impl Arrangement {
    /// Lays out a frame as FFmpeg's own pools do, with rows long enough for the decoder's vector instructions. Returns
    /// `None` if those pools must provide the frame.
    ///
    /// # Safety
    /// The context must belong to a decoder, and the frame must be one that it requests memory for.
    unsafe fn of(context: *mut ffi::AVCodecContext, frame: *const ffi::AVFrame) -> Option<Self> {
        let mut alignments = [0; 8];
        // SAFETY: the context and the frame are valid; the array has the eight entries that the function fills.
        unsafe {
            let is_hardware = !(*frame).hw_frames_ctx.is_null() || !(*context).hw_frames_ctx.is_null();
            if is_hardware {
                return None;
            }
            let (mut width, mut height) = ((*frame).width, (*frame).height);
            ffi::avcodec_align_dimensions2(context, &raw mut width, &raw mut height, alignments.as_mut_ptr());
            Self::with(PixelFormat((*frame).format), (width, height), &alignments[..4])
        }
    }

    /// Lays out planes of this size, with rows that are multiples of the alignments. Returns `None` if the format has
    /// no plain planes.
    fn with(format: PixelFormat, (mut width, height): (c_int, c_int), alignments: &[c_int]) -> Option<Self> {
        if !format.descriptor()?.is_plain() {
            return None;
        }
        let (mut lines, mut sizes) = ([0; 4], [0_usize; 4]);
        // SAFETY: the arrays have the four entries that the functions read and fill; they check format and size.
        unsafe {
            loop {
                if by_number::av_image_fill_linesizes(lines.as_mut_ptr(), format.0, width) < 0 {
                    return None;
                }
                if lines.iter().zip(alignments).all(|(line, alignment)| line % alignment.max(&1) == 0) {
                    break;
                }
                // Round the width up to a multiple of the next power of two.
                width = width.checked_add(width & -width)?;
            }
            let long_lines = lines.map(|line| line as isize);
            let code = by_number::av_image_fill_plane_sizes(sizes.as_mut_ptr(), format.0, height, long_lines.as_ptr());
            if code < 0 {
                return None;
            }
        }
        // FFmpeg's own pools refuse such planes too: decoders index into them with `int`.
        if sizes.iter().any(|&size| size > c_int::MAX as usize - PLANE_ALIGNMENT - SLACK) {
            return None;
        }
        let planes = sizes.iter().position(|&size| size == 0).unwrap_or(4);
        let (mut offsets, mut bytes) = ([0; 4], 0_usize);
        for (offset, size) in offsets.iter_mut().zip(sizes).take(planes) {
            *offset = bytes;
            bytes = bytes.checked_add(size)?.checked_add(SLACK)?.checked_next_multiple_of(PLANE_ALIGNMENT)?;
        }
        (planes > 0).then_some(Self { lines, offsets, planes, bytes })
    }
}

/// Returns the number of bytes of a row of each plane, without padding, for a picture of this width in samples.
pub(super) fn row_bytes(format: PixelFormat, width: c_int) -> Result<[usize; 4], AvError> {
    let mut lines = [0; 4];
    // SAFETY: the array has the four entries that the function fills.
    AvError::check(unsafe { by_number::av_image_fill_linesizes(lines.as_mut_ptr(), format.0, width) })?;
    Ok(lines.map(|line| usize::try_from(line).unwrap_or(0)))
}

/// FFmpeg's callback to allocate a frame's memory, called by any of a decoder's threads.
unsafe extern "C" fn get_buffer(context: *mut ffi::AVCodecContext, frame: *mut ffi::AVFrame, flags: c_int) -> c_int {
    // SAFETY: FFmpeg passes its context, whose state outlives it, and a frame that needs memory.
    unsafe {
        let Some(state) = (*context).opaque.cast::<CallbackState>().as_ref() else { return ffi::AVERROR_BUG };
        match Arrangement::of(context, frame) {
            Some(arrangement) => fill(&state.pool, frame, &arrangement),
            None => ffi::avcodec_default_get_buffer2(context, frame, flags),
        }
    }
}

/// Takes a block from the pool and attaches it to the frame. Returns 0 or an FFmpeg error code.
///
/// # Safety
/// The frame must need memory, and have the size and format that the arrangement was made for.
unsafe fn fill(pool: &FramePool, frame: *mut ffi::AVFrame, arrangement: &Arrangement) -> c_int {
    const NO_MEMORY: c_int = ffi::AVERROR(ffmpeg_next::error::ENOMEM);
    let Some(block) = pool.take(arrangement.bytes) else { return NO_MEMORY };
    let (start, length) = (block.pages.memory().start().as_ptr(), block.pages.memory().length());
    let lease = Box::into_raw(Box::new(Arc::clone(&block)));
    // SAFETY: the buffer covers the block, which the lease keeps alive until FFmpeg gives it back; all planes are
    // within it.
    unsafe {
        let buffer = ffi::av_buffer_create(start, length, Some(give_back), lease.cast(), 0);
        if buffer.is_null() {
            give_back(lease.cast(), start);
            return NO_MEMORY;
        }
        (*frame).buf[0] = buffer;
        (*frame).data = [ptr::null_mut(); 8];
        (*frame).linesize = [0; 8];
        for plane in 0..arrangement.planes {
            (*frame).data[plane] = start.add(arrangement.offsets[plane]);
            (*frame).linesize[plane] = arrangement.lines[plane];
        }
        (*frame).extended_data = (&raw mut (*frame).data).cast();
    }
    0
}

/// FFmpeg's callback when the last reference to a frame's memory is dropped.
unsafe extern "C" fn give_back(lease: *mut c_void, _: *mut u8) {
    // SAFETY: `fill` made the lease, and FFmpeg gives it back once.
    let block = unsafe { Box::from_raw(lease.cast::<Arc<FrameBlock>>()) };
    block.lent.store(false, Ordering::Release);
}

mod by_number {
    use std::ffi::c_int;
    unsafe extern "C" {
        pub(super) fn av_image_fill_linesizes(lines: *mut c_int, format: c_int, width: c_int) -> c_int;
        pub(super) fn av_image_fill_plane_sizes(
            sizes: *mut usize,
            format: c_int,
            height: c_int,
            lines: *const isize,
        ) -> c_int;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_reused_and_idle_ones_of_another_size_are_freed() {
        let pool = FramePool::new(false);
        let first = pool.take(10_000).expect("memory");
        let second = pool.take(10_000).expect("memory");
        assert!(!Arc::ptr_eq(&first, &second), "the first is lent");
        first.lent.store(false, Ordering::Release);
        assert!(Arc::ptr_eq(&first, &pool.take(10_000).expect("memory")), "the first is used again");
        second.lent.store(false, Ordering::Release);
        let large = pool.take(1_000_000).expect("memory");
        assert_eq!(pool.lock().len(), 2, "the idle one of another size is gone, the lent one stays");
        assert!(pool.block_at(large.pages.memory().start().as_ptr()).is_some());
    }

    #[test]
    fn a_reused_block_is_cleared_on_request() {
        for clears in [true, false] {
            let pool = FramePool::new(clears);
            let block = pool.take(10_000).expect("memory");
            let memory = Arc::clone(block.pages.memory());
            // SAFETY: nothing else uses the block.
            unsafe { ptr::write_bytes(memory.start().as_ptr(), 7, memory.length()) };
            block.lent.store(false, Ordering::Release);
            assert!(Arc::ptr_eq(&block, &pool.take(10_000).expect("memory")), "the block is used again");
            // SAFETY: the memory is as long as stated, and was initialised above.
            let bytes = unsafe { std::slice::from_raw_parts(memory.start().as_ptr(), memory.length()) };
            assert_eq!(bytes.iter().all(|byte| *byte == 0), clears);
        }
    }
}
