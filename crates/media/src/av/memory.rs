//! Memory for decoded frames: whole pages at an address that stays, so that a GPU can read a frame where the decoder
//! wrote it.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ffmpeg_next::ffi;

use super::PixelFormat;
use histoscope_core::picture::Pages;

/// Alignment of planes, in bytes: no decoder's vectors are longer.
const PLANE_ALIGNMENT: usize = 64;
/// Bytes behind a plane that decoders may read or write beyond its last row, as in FFmpeg's own pools.
const SLACK: usize = 16 + 63;

/// Memory for one frame.
#[derive(Debug)]
pub(crate) struct FrameBlock {
    pub(crate) pages: Pages,
    /// True if a frame lies in it.
    lent: AtomicBool,
}

/// The blocks of one decoder, which are used again and again.
pub(super) struct FramePool {
    /// All that are lent, and the idle ones of the size that was asked for last.
    blocks: Mutex<Vec<Arc<FrameBlock>>>,
    clears: bool,
}

impl FramePool {
    /// An empty pool. Its memory holds zeros or an earlier frame of the same decoder; with `clears`, always zeros. A decoder may leave out
    /// what is damaged, and which earlier frame shows there depends on when others were freed.
    pub(super) fn new(clears: bool) -> Self {
        Self { blocks: Mutex::default(), clears }
    }

    /// Has the decoder that is opened next put its frames here. FFmpeg's own pools remain for those decoders that cannot,
    /// and for formats that no picture has as they are.
    ///
    /// # Safety
    /// The context must not be open yet, and must be freed before `pool` is.
    pub(super) unsafe fn serve(pool: &Arc<Self>, context: *mut ffi::AVCodecContext) {
        // SAFETY: the context is valid and nothing else uses it yet.
        unsafe {
            (*context).opaque = Arc::as_ptr(pool).cast_mut().cast();
            (*context).get_buffer2 = Some(get_buffer);
            // Without this the older libraries have one thread fetch all threads' buffers, which would stand in a queue.
            #[cfg(ffmpeg_before_6)]
            {
                (*context).thread_safe_callbacks = 1;
            }
        }
    }

    /// The block that holds the frame whose first buffer begins there, if it is one of these.
    pub(super) fn block_at(&self, start: *const u8) -> Option<Arc<FrameBlock>> {
        let is_there = |block: &&Arc<FrameBlock>| ptr::eq(block.pages.memory().start().as_ptr(), start);
        self.lock().iter().find(is_there).cloned()
    }

    /// A block of that many bytes or a few more, marked as lent.
    fn take(&self, bytes: usize) -> Option<Arc<FrameBlock>> {
        let length = Pages::length_for(bytes)?;
        let fits = |block: &Arc<FrameBlock>| block.pages.memory().length() == length;
        let idle = {
            let mut blocks = self.lock();
            // Idle blocks of another size are those of a video that has changed.
            blocks.retain(|block| fits(block) || block.lent.load(Ordering::Acquire));
            let is_idle = |block: &&Arc<FrameBlock>| fits(block) && !block.lent.swap(true, Ordering::AcqRel);
            blocks.iter().find(is_idle).cloned()
        };
        if let Some(block) = idle {
            if self.clears {
                let memory = block.pages.memory();
                // SAFETY: the block is this call's alone since it was marked as lent, and as long as that.
                unsafe { ptr::write_bytes(memory.start().as_ptr(), 0, memory.length()) };
            }
            return Some(block);
        }
        // The system finds new memory without anybody waiting for the lock.
        let block = Arc::new(FrameBlock { pages: Pages::new(bytes)?, lent: AtomicBool::new(true) });
        self.lock().push(Arc::clone(&block));
        Some(block)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<FrameBlock>>> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where planes lie in a block.
struct Arrangement {
    lines: [c_int; 4],
    offsets: [usize; 4],
    planes: usize,
    bytes: usize,
}

impl Arrangement {
    /// As FFmpeg's own pools lay frames out: every row as long as the decoder's vectors need. `None` for what those must
    /// provide.
    ///
    /// # Safety
    /// The context must be a decoder's, and the frame one that it asks memory for.
    unsafe fn of(context: *mut ffi::AVCodecContext, frame: *const ffi::AVFrame) -> Option<Self> {
        let (mut lines, mut sizes, mut alignments) = ([0; 4], [0_usize; 4], [0; 8]);
        // SAFETY: the arrays have the lengths that the functions fill: four planes, eight alignments.
        unsafe {
            let format = (*frame).format;
            let is_hardware = !(*frame).hw_frames_ctx.is_null() || !(*context).hw_frames_ctx.is_null();
            if is_hardware || !PixelFormat(format).descriptor()?.is_plain() {
                return None;
            }
            let (mut width, mut height) = ((*frame).width, (*frame).height);
            ffi::avcodec_align_dimensions2(context, &raw mut width, &raw mut height, alignments.as_mut_ptr());
            loop {
                if by_number::av_image_fill_linesizes(lines.as_mut_ptr(), format, width) < 0 {
                    return None;
                }
                if lines.iter().zip(alignments).all(|(line, alignment)| line % alignment.max(1) == 0) {
                    break;
                }
                // The next width that is divisible by one power of two more.
                width = width.checked_add(width & -width)?;
            }
            let long_lines = lines.map(|line| line as isize);
            let code = by_number::av_image_fill_plane_sizes(sizes.as_mut_ptr(), format, height, long_lines.as_ptr());
            if code < 0 {
                return None;
            }
        }
        // FFmpeg's own pools refuse such planes too: decoders reckon with integers in them.
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

/// FFmpeg's callback for a frame's memory, called by any of a decoder's threads.
unsafe extern "C" fn get_buffer(context: *mut ffi::AVCodecContext, frame: *mut ffi::AVFrame, flags: c_int) -> c_int {
    // SAFETY: FFmpeg calls with its context, whose pool outlives it, and a frame that wants memory.
    unsafe {
        let Some(pool) = (*context).opaque.cast::<FramePool>().as_ref() else { return ffi::AVERROR_BUG };
        match Arrangement::of(context, frame) {
            Some(arrangement) => fill(pool, frame, &arrangement),
            None => ffi::avcodec_default_get_buffer2(context, frame, flags),
        }
    }
}

/// Gives the frame a block.
///
/// # Safety
/// The frame must be one that wants memory, of the size and format that the arrangement was made for.
unsafe fn fill(pool: &FramePool, frame: *mut ffi::AVFrame, arrangement: &Arrangement) -> c_int {
    const NO_MEMORY: c_int = ffi::AVERROR(ffmpeg_next::error::ENOMEM);
    let Some(block) = pool.take(arrangement.bytes) else { return NO_MEMORY };
    let (start, length) = (block.pages.memory().start().as_ptr(), block.pages.memory().length());
    let lease = Box::into_raw(Box::new(Arc::clone(&block)));
    // SAFETY: the buffer covers the block, which the lease keeps until FFmpeg gives it back; all planes lie in it.
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

/// FFmpeg's callback when nothing refers to a frame's memory any more.
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
    fn blocks_are_used_again_and_those_of_another_size_are_freed() {
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
    fn a_block_that_is_used_again_is_cleared_where_that_was_asked_for() {
        for clears in [true, false] {
            let pool = FramePool::new(clears);
            let block = pool.take(10_000).expect("memory");
            let memory = Arc::clone(block.pages.memory());
            // SAFETY: nobody else uses the block.
            unsafe { ptr::write_bytes(memory.start().as_ptr(), 7, memory.length()) };
            block.lent.store(false, Ordering::Release);
            assert!(Arc::ptr_eq(&block, &pool.take(10_000).expect("memory")), "the block is used again");
            // SAFETY: the memory is as long as stated, and initialised by the lines above.
            let bytes = unsafe { std::slice::from_raw_parts(memory.start().as_ptr(), memory.length()) };
            assert_eq!(bytes.iter().all(|byte| *byte == 0), clears);
        }
    }
}
