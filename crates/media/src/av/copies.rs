//! Copies of a hardware decoder's surfaces that run while the next pictures are decoded.

use std::fmt;
use std::sync::Arc;

use ffmpeg_next::ffi;

use super::AvError;
use histoscope_core::picture::{Attachment, SharedBlock};

/// A hardware device that copies its surfaces by itself.
pub(super) trait CopyDevice: fmt::Debug + Send + Sync {
    /// Returns the version of its driver, if it is known.
    fn driver(&self) -> Option<String>;

    /// Returns the number of decoders that the hardware has, if it tells.
    fn engines(&self) -> Option<usize>;

    /// Opens a graphics device's memory. Returns `None` if it is the memory of another device, or the driver refuses.
    fn open(&'static self, block: SharedBlock) -> Option<Arc<dyn CopyTarget>>;

    /// Makes the program's memory, given by its start and length in bytes, a target of copies. It must not be freed
    /// before the result is dropped. Returns `None` if the driver refuses.
    fn pin(&'static self, pages: (*mut u8, usize)) -> Option<Arc<dyn CopyTarget>>;
}

/// Memory that a hardware device copies surfaces to.
pub(super) trait CopyTarget: fmt::Debug + Send + Sync {
    /// Starts copying the planes of a surface. Both the surface and the memory must stay as they are until the copy is
    /// [finished](CopyInFlight::finish) or dropped.
    ///
    /// # Safety
    /// The surface must be one of the device that made the target, and the memory must have room for the planes.
    unsafe fn start(&self, surface: *const ffi::AVFrame, planes: &[PlaneCopy]) -> Result<CopyInFlight, AvError>;

    /// Returns the memory as the graphics device knows it, if it is one's.
    fn attachment(&self) -> Option<Attachment>;

    /// Copies the first bytes of a graphics device's memory to the program's. Returns `false` if the device fails.
    ///
    /// # Safety
    /// The target must have room for that many bytes and begin at a page, the memory must be at least that long, and
    /// nothing else may use the target.
    unsafe fn read(&self, target: *mut u8, bytes: usize) -> bool;
}

/// A plane of a surface, and where it goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlaneCopy {
    /// Where the plane begins in the target, in bytes.
    pub(super) offset: usize,
    /// Bytes from one row of the target to the next.
    pub(super) stride: usize,
    /// Bytes of a row that are copied.
    pub(super) row_bytes: usize,
    pub(super) rows: usize,
    /// Bytes of the samples that the plane holds for one position: two chroma samples, for example.
    #[cfg_attr(ffmpeg_before_6_1, expect(dead_code, reason = "used with Vulkan Video, which came with FFmpeg 6.1"))]
    pub(super) texel_bytes: usize,
}

/// Work of a device that may still be running.
pub(super) trait Pending: fmt::Debug + Send {
    /// Waits until it has ended.
    fn wait(&self) -> Result<(), AvError>;
}

/// A copy that may still be running. Dropping it waits until it has ended.
#[derive(Debug)]
pub(super) struct CopyInFlight {
    pending: Box<dyn Pending>,
    waits: bool,
}

impl CopyInFlight {
    pub(super) fn new(pending: impl Pending + 'static) -> Self {
        Self { pending: Box::new(pending), waits: true }
    }

    /// Waits until the copy has ended.
    pub(super) fn finish(mut self) -> Result<(), AvError> {
        self.waits = false;
        self.pending.wait()
    }
}

impl Drop for CopyInFlight {
    fn drop(&mut self) {
        if self.waits {
            let _ = self.pending.wait();
        }
    }
}
