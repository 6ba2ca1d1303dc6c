//! Page-aligned memory that a decoder fills and a GPU may read without a copy.

use std::alloc::Layout;
use std::any::Any;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

/// Whole pages of memory for one picture at a time, at a fixed address.
///
/// The bytes belong to a picture for exactly as long as that picture is alive. Another user of the memory, such as a
/// GPU, can attach its own view of it; the view is dropped with the pages.
pub struct Pages {
    memory: Arc<Memory>,
    attached: Mutex<Option<(u64, Attachment)>>,
}

/// A view of the pages attached by another user.
pub type Attachment = Arc<dyn Any + Send + Sync>;

/// The memory of [`Pages`], shared by views that must not outlive it.
#[derive(Debug)]
pub struct Memory {
    start: NonNull<u8>,
    layout: Layout,
}

/// The memory of a graphics device that other programming interfaces of the same device can write to.
pub trait SharedMemory: Send + Sync {
    /// Returns `false` while the device is still being opened.
    fn is_ready(&self) -> bool {
        true
    }

    /// Allocates at least this many bytes. Returns `None` if the device cannot share its memory or has none left.
    fn allocate(&self, bytes: usize) -> Option<SharedBlock>;
}

/// Memory of a graphics device.
pub struct SharedBlock {
    /// The handle by which another interface opens the memory.
    pub handle: SharedHandle,
    /// Its length in bytes.
    pub bytes: u64,
    /// The number of its memory type, as Vulkan counts the device's.
    pub memory_type: u32,
    /// The UUID of the device, as Vulkan and CUDA report it.
    pub device: [u8; 16],
    /// The memory, as its owner knows it.
    pub memory: Attachment,
}

/// A handle of a device's memory: a file descriptor.
#[cfg(unix)]
pub type SharedHandle = std::os::fd::OwnedFd;
/// A handle of a device's memory, which no driver gives here.
#[cfg(not(unix))]
pub type SharedHandle = std::convert::Infallible;

/// Size in bytes of the large pages that most systems offer in place of many small ones.
const LARGE: usize = 2 << 20;

/// Memory directly from the operating system, which clears each page on first access: threads that write to a frame
/// clear its pages in parallel, and allocating a frame is not delayed by it.
#[cfg(unix)]
mod system {
    use std::alloc::{Layout, alloc_zeroed, dealloc};
    use std::ptr::{self, NonNull};

    use crate::picture::frame::pages::LARGE;

    /// Allocates zeroed memory. Returns `None` if the system has none left.
    pub(super) fn allocate(layout: Layout) -> Option<NonNull<u8>> {
        let length = layout.size();
        if length < LARGE {
            // SAFETY: the layout is not empty.
            return NonNull::new(unsafe { alloc_zeroed(layout) });
        }
        let whole = length.checked_add(layout.align())?;
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANON);
        // SAFETY: this creates a new mapping, which nothing else uses.
        let start = unsafe { libc::mmap(ptr::null_mut(), whole, access, kind, -1, 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        let start = start.cast::<u8>();
        let before = start.align_offset(layout.align());
        // SAFETY: the mapping has room for the layout wherever its first aligned address is. The memory before and
        // after it consists of whole pages, which are unmapped here.
        unsafe {
            let aligned = start.add(before);
            for (rest, length) in [(start, before), (aligned.add(length), layout.align() - before)] {
                if length > 0 {
                    libc::munmap(rest.cast(), length);
                }
            }
            ask_for_large_pages(aligned, length);
            NonNull::new(aligned)
        }
    }

    /// Frees memory.
    ///
    /// # Safety
    /// It must have been [allocated](allocate) with this layout, and must no longer be in use.
    pub(super) unsafe fn free(start: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller guarantees it.
        unsafe {
            if layout.size() < LARGE {
                dealloc(start.as_ptr(), layout);
            } else {
                libc::munmap(start.as_ptr().cast(), layout.size());
            }
        }
    }

    /// Requests large pages before anything is written. Decoding goes through whole frames repeatedly, and large pages
    /// need fewer address translations. Systems without large pages keep the small ones.
    ///
    /// # Safety
    /// The range must be newly mapped memory.
    #[cfg(target_os = "linux")]
    unsafe fn ask_for_large_pages(start: *mut u8, length: usize) {
        // SAFETY: the advice does not change the contents of the range.
        let code = unsafe { libc::madvise(start.cast(), length, libc::MADV_HUGEPAGE) };
        if code != 0 {
            log::trace!("no large pages: {}", std::io::Error::last_os_error());
        }
    }

    #[cfg(not(target_os = "linux"))]
    const unsafe fn ask_for_large_pages(_: *mut u8, _: usize) {}
}

#[cfg(not(unix))]
mod system {
    use std::alloc::{Layout, alloc_zeroed, dealloc};
    use std::ptr::NonNull;

    /// Allocates zeroed memory. Returns `None` if the system has none left.
    pub(super) fn allocate(layout: Layout) -> Option<NonNull<u8>> {
        // SAFETY: the layout is not empty.
        NonNull::new(unsafe { alloc_zeroed(layout) })
    }

    /// Frees memory.
    ///
    /// # Safety
    /// It must have been [allocated](allocate) with this layout, and must no longer be in use.
    pub(super) unsafe fn free(start: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller guarantees it.
        unsafe { dealloc(start.as_ptr(), layout) }
    }
}

// SAFETY: this type owns its memory and hands out only the address. Accessing the memory is unsafe, and the caller is
// responsible for it.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and freed only here.
        unsafe { system::free(self.start, self.layout) }
    }
}

impl Memory {
    /// Returns the address of the first byte.
    #[must_use]
    pub const fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// Returns the length in bytes, a multiple of [`Pages::SIZE`]. All bytes are initialised.
    #[must_use]
    pub const fn length(&self) -> usize {
        self.layout.size()
    }
}

impl Pages {
    /// Alignment and granularity in bytes: the largest page size that any system uses by default.
    pub const SIZE: usize = 64 << 10;

    /// Allocates zeroed pages of at least `bytes` bytes. Returns `None` if the system has no memory left.
    #[must_use]
    pub fn new(bytes: usize) -> Option<Self> {
        let length = Self::length_for(bytes)?;
        let alignment = if length < LARGE { Self::SIZE } else { LARGE };
        let layout = Layout::from_size_align(length, alignment).ok()?;
        let start = system::allocate(layout)?;
        Some(Self { memory: Arc::new(Memory { start, layout }), attached: Mutex::default() })
    }

    /// Allocates pages that begin with a copy of `bytes`.
    #[must_use]
    pub fn holding(bytes: &[u8]) -> Option<Self> {
        let pages = Self::new(bytes.len())?;
        // SAFETY: the pages have at least that length, and nothing else refers to them yet.
        unsafe { pages.memory.start.copy_from_nonoverlapping(NonNull::from_ref(bytes).cast(), bytes.len()) };
        Some(pages)
    }

    /// Returns the length of the pages needed for `bytes` bytes.
    #[must_use]
    pub const fn length_for(bytes: usize) -> Option<usize> {
        if bytes == 0 { Some(Self::SIZE) } else { bytes.checked_next_multiple_of(Self::SIZE) }
    }

    /// Returns the memory.
    #[must_use]
    pub const fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    /// Returns the attachment of `owner`, created by `attach` if there is none yet. Drops any other owner's attachment.
    pub fn attached(&self, owner: u64, attach: impl FnOnce() -> Attachment) -> Attachment {
        let mut attached = self.attached.lock().unwrap_or_else(PoisonError::into_inner);
        match &*attached {
            Some((number, attachment)) if *number == owner => Arc::clone(attachment),
            _ => Arc::clone(&attached.insert((owner, attach())).1),
        }
    }
}

impl std::fmt::Debug for Pages {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pages").field("memory", &self.memory).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_pages_are_zero_and_aligned_whatever_their_size() {
        for bytes in [0, 1, Pages::SIZE, LARGE - 1, LARGE, LARGE + 1, 25_000_000] {
            let pages = Pages::new(bytes).unwrap();
            let memory = pages.memory();
            let alignment = if memory.length() < LARGE { Pages::SIZE } else { LARGE };
            assert_eq!((memory.start().addr().get() % alignment, memory.length() % Pages::SIZE), (0, 0), "{bytes}");
            // SAFETY: the memory has this length, and only this test uses it.
            let all = unsafe { std::slice::from_raw_parts_mut(memory.start().as_ptr(), memory.length()) };
            assert!(all.len() >= bytes && all.iter().all(|byte| *byte == 0), "{bytes}");
            // Later allocations must not see these bytes.
            all.fill(7);
        }
    }

    #[test]
    fn an_attachment_belongs_to_its_owner_and_is_dropped_with_the_pages() {
        let pages = Pages::new(100_000).unwrap();
        let large = Pages::new(3 << 20).unwrap();
        assert_eq!((large.memory().length(), large.memory().start().addr().get() % LARGE), (3 << 20, 0));
        assert_eq!((pages.memory().length(), pages.memory().start().addr().get() % Pages::SIZE), (2 * Pages::SIZE, 0));
        let first: Attachment = Arc::new(1);
        let give = |one: &Attachment| Arc::clone(one);
        assert!(Arc::ptr_eq(&pages.attached(7, || give(&first)), &first));
        assert!(Arc::ptr_eq(&pages.attached(7, || unreachable!("it is there")), &first));
        let second: Attachment = Arc::new(2);
        assert!(Arc::ptr_eq(&pages.attached(8, || give(&second)), &second));
        assert_eq!((Arc::strong_count(&first), Arc::strong_count(&second)), (1, 2), "another owner's goes");
        drop(pages);
        assert_eq!(Arc::strong_count(&second), 1);
    }
}
