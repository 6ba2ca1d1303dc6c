//! Memory for decoded frames: whole pages at an address that stays, so that a GPU can read a frame where the decoder
//! wrote it.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ffmpeg_next::ffi;

use super::PixelFormat;
use super::packet::number_of;
use super::written::PictureLayout;
use histoscope_core::picture::Pages;

/// What planes begin at a multiple of: no decoder's vectors are longer.
const PLANE_ALIGNMENT: usize = 64;
/// Bytes behind a plane that decoders may read or write beyond its last row, as in FFmpeg's own pools.
const SLACK: usize = 16 + 63;
/// No picture is held back longer, in packets, for the order in which frames are shown.
const MOST_HELD_BACK: u64 = 64;
/// How many pictures a decoder keeps to predict from.
const MOST_REFERENCES: u64 = 16;

/// Memory for one frame.
#[derive(Debug)]
pub(crate) struct FrameBlock {
    pub(crate) pages: Pages,
    /// Whether a frame lies in it.
    lent: AtomicBool,
    /// Whether it is yet to be looked at whether the decoder has written all of that.
    watched: AtomicBool,
}

/// A picture that is to be looked at once the decoder has finished it.
struct Watched {
    /// The number of the packet that it is decoded from.
    packet: u64,
    block: Arc<FrameBlock>,
    layout: PictureLayout,
}

/// What is wrong with a picture that a decoder has finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WritingFlaw {
    /// Parts of it are not written, as they are of none before it that it may refer to.
    Gap,
    /// What it refers to is missing, or has such a gap, which it may repeat.
    Inherited,
}

/// Pictures that a decoder may be at work on, and what has come out of those that it has finished.
#[derive(Default)]
struct WrittenPictures {
    pictures: Vec<Watched>,
    /// Flaws of pictures that have not come as frames, with the numbers of their packets.
    flaws: Vec<(u64, WritingFlaw)>,
    /// The number of the last packet whose picture has parts that are not written.
    last_gap: Option<u64>,
}

/// The blocks of one decoder, which are used again and again.
#[derive(Default)]
pub(super) struct FramePool {
    /// All that are lent, and the idle ones of the size that was asked for last.
    blocks: Mutex<Vec<Arc<FrameBlock>>>,
    /// Whether the decoder has put something of its own in the place of damaged parts, or left them as they were.
    has_concealed: AtomicBool,
    /// Whether its pictures are to be looked at.
    watches: AtomicBool,
    written: Mutex<WrittenPictures>,
}

impl FramePool {
    /// From now on it can be [looked at](Self::look_at) whether the decoder leaves parts of its pictures as they were.
    pub(super) fn watch(&self) {
        self.watches.store(true, Ordering::Release);
    }

    /// Looks at the pictures of packets up to that number, of which the decoder began with the `first`.
    ///
    /// # Safety
    /// The decoder must have finished them.
    pub(super) unsafe fn look_at(&self, up_to: u64, first: u64) {
        let finished: Vec<_> = lock(&self.written).pictures.extract_if(.., |picture| picture.packet <= up_to).collect();
        // SAFETY: the caller warrants it.
        let flawed = unsafe { flawed(&finished, first) };
        finished.iter().for_each(|picture| picture.block.watched.store(false, Ordering::Release));
        if !flawed.is_empty() {
            lock(&self.written).note(flawed);
            self.has_concealed.store(true, Ordering::Release);
        }
    }

    /// What is wrong with the picture of that packet. It is asked once for each frame as it comes.
    pub(super) fn take_flaw(&self, packet: u64) -> Option<WritingFlaw> {
        let flaws = &mut lock(&self.written).flaws;
        let flaw = flaws.iter().find(|(of, _)| *of == packet).map(|(_, flaw)| *flaw);
        flaws.retain(|(of, _)| *of != packet && of.saturating_add(MOST_HELD_BACK) > packet);
        flaw
    }

    /// Forgets the pictures that the decoder was at work on, and that it concealed anything.
    pub(super) fn forget(&self) {
        let before = std::mem::take(&mut *lock(&self.written));
        before.pictures.iter().for_each(|picture| picture.block.watched.store(false, Ordering::Release));
        self.take_concealment();
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

    /// Notes that the decoder of this context conceals damage, if its frames come from here.
    ///
    /// # Safety
    /// The context must be that of a decoder, or of one of its threads, and valid.
    pub(super) unsafe fn note_concealment(context: *const ffi::AVCodecContext) {
        // SAFETY: a context whose frames come from here was given to `serve`, and its pool outlives it.
        unsafe {
            let is_ours = (*context).get_buffer2.is_some_and(|serves| ptr::fn_addr_eq(serves, get_buffer as GetBuffer));
            if is_ours && let Some(pool) = (*context).opaque.cast::<Self>().as_ref() {
                pool.has_concealed.store(true, Ordering::Release);
            }
        }
    }

    /// Whether damage was concealed since this was last asked.
    pub(super) fn take_concealment(&self) -> bool {
        self.has_concealed.swap(false, Ordering::AcqRel)
    }

    /// The block that holds the frame whose first buffer begins there, if it is one of these.
    pub(super) fn block_at(&self, start: *const u8) -> Option<Arc<FrameBlock>> {
        let is_there = |block: &&Arc<FrameBlock>| ptr::eq(block.pages.memory().start().as_ptr(), start);
        lock(&self.blocks).iter().find(is_there).cloned()
    }

    /// A block of that many bytes or a few more, marked as lent.
    fn take(&self, bytes: usize) -> Option<Arc<FrameBlock>> {
        let length = Pages::length_for(bytes)?;
        let fits = |block: &Arc<FrameBlock>| block.pages.memory().length() == length;
        let idle = {
            let mut blocks = lock(&self.blocks);
            // Idle blocks of another size are those of a video that has changed.
            blocks.retain(|block| fits(block) || block.lent.load(Ordering::Acquire));
            let is_idle = |block: &Arc<FrameBlock>| {
                fits(block) && !block.watched.load(Ordering::Acquire) && !block.lent.swap(true, Ordering::AcqRel)
            };
            let idle = blocks.iter().find(|block| is_idle(block));
            idle.cloned()
        };
        if let Some(block) = idle {
            // A decoder may leave out what is damaged, and then an earlier frame would be counted there, another one each
            // time. At 4K this takes about a millisecond of the forty that a core decodes such a frame for.
            let memory = block.pages.memory();
            // SAFETY: the block is this call's alone since it was marked as lent, and as long as that.
            unsafe { ptr::write_bytes(memory.start().as_ptr(), 0, memory.length()) };
            return Some(block);
        }
        // The system clears memory, which takes a while, without anybody waiting for the lock.
        let block = Arc::new(FrameBlock {
            pages: Pages::new(bytes)?,
            lent: AtomicBool::new(true),
            watched: AtomicBool::new(false),
        });
        lock(&self.blocks).push(Arc::clone(&block));
        Some(block)
    }
}

fn lock<T>(guarded: &Mutex<T>) -> MutexGuard<'_, T> {
    guarded.lock().unwrap_or_else(PoisonError::into_inner)
}

impl WrittenPictures {
    /// Notes packets whose pictures have flaws, and whether parts are not written.
    fn note(&mut self, flawed: BTreeMap<u64, bool>) {
        for (packet, has_gap) in flawed {
            let repeats = self.last_gap.is_some_and(|last| packet.saturating_sub(last) <= MOST_REFERENCES);
            self.flaws.push((packet, if has_gap && !repeats { WritingFlaw::Gap } else { WritingFlaw::Inherited }));
            if has_gap {
                self.last_gap = Some(packet);
            }
        }
    }
}

/// Numbers of the packets of these pictures of which parts are not written (true), or beside which there is one that stands for a missing one.
/// That is nothing strange at the `first` packet: a keyframe may name pictures before it that only those refer to which are left out then.
///
/// # Safety
/// Their decoder must have finished them.
unsafe fn flawed(pictures: &[Watched], first: u64) -> BTreeMap<u64, bool> {
    let mut flawed = BTreeMap::new();
    for picture in pictures {
        let memory = picture.block.pages.memory();
        // SAFETY: the memory is as long as stated and initialised by the system or the pool. It is not lent again while it is watched, and
        // who reads it as a frame writes nothing to it.
        let bytes = unsafe { std::slice::from_raw_parts(memory.start().as_ptr(), memory.length()) };
        let has_others = || pictures.iter().filter(|other| other.packet == picture.packet).count() > 1;
        let may_stand_in = picture.packet != first && has_others();
        let has_gap = picture.layout.has_empty_cell(bytes);
        if has_gap || may_stand_in && picture.layout.is_gray(bytes) {
            *flawed.entry(picture.packet).or_default() |= has_gap;
        }
    }
    flawed
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

    /// How the frame's luma and chroma lie in the block, if it has such.
    ///
    /// # Safety
    /// The frame must be the one that this was made for.
    unsafe fn layout(&self, frame: *const ffi::AVFrame) -> Option<PictureLayout> {
        // SAFETY: the caller warrants that it is valid.
        let (format, width, height) = unsafe { ((*frame).format, (*frame).width, (*frame).height) };
        let lines = self.lines.map(|line| usize::try_from(line).unwrap_or(0));
        let size = (usize::try_from(width).ok()?, usize::try_from(height).ok()?);
        PictureLayout::of(PixelFormat(format), size, self.offsets, lines)
    }
}

type GetBuffer = unsafe extern "C" fn(*mut ffi::AVCodecContext, *mut ffi::AVFrame, c_int) -> c_int;

/// FFmpeg's callback for a frame's memory, called by any of a decoder's threads.
unsafe extern "C" fn get_buffer(context: *mut ffi::AVCodecContext, frame: *mut ffi::AVFrame, flags: c_int) -> c_int {
    // SAFETY: FFmpeg calls with its context, whose pool outlives it, and a frame that wants memory.
    unsafe {
        let Some(pool) = (*context).opaque.cast::<FramePool>().as_ref() else { return ffi::AVERROR_BUG };
        match Arrangement::of(context, frame) {
            Some(arrangement) => fill(pool, frame, &arrangement, flags),
            None => ffi::avcodec_default_get_buffer2(context, frame, flags),
        }
    }
}

/// Gives the frame a block.
///
/// # Safety
/// The frame must be one that wants memory, of the size and format that the arrangement was made for.
unsafe fn fill(pool: &FramePool, frame: *mut ffi::AVFrame, arrangement: &Arrangement, flags: c_int) -> c_int {
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
        // Without the flag it is no picture that others are predicted from, but one with film grain.
        let is_reference = flags & ffi::AV_GET_BUFFER_FLAG_REF != 0;
        if is_reference
            && pool.watches.load(Ordering::Acquire)
            && let Some(layout) = arrangement.layout(frame)
        {
            block.watched.store(true, Ordering::Release);
            lock(&pool.written).pictures.push(Watched { packet: number_of(&*frame), block, layout });
        }
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
    fn a_block_that_is_used_again_holds_nothing_of_the_frame_before() {
        let pool = FramePool::default();
        let block = pool.take(10_000).expect("memory");
        let memory = Arc::clone(block.pages.memory());
        // SAFETY: nobody else uses the block.
        unsafe { ptr::write_bytes(memory.start().as_ptr(), 7, memory.length()) };
        block.lent.store(false, Ordering::Release);
        let again = pool.take(10_000).expect("memory");
        assert!(Arc::ptr_eq(&block, &again), "the block is used again");
        // SAFETY: the memory is as long as stated, and initialised by the system or by the lines above.
        let bytes = unsafe { std::slice::from_raw_parts(memory.start().as_ptr(), memory.length()) };
        assert!(bytes.iter().all(|byte| *byte == 0));
    }
}
