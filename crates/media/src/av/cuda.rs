//! Downloads of CUDA's surfaces that run while the next pictures are decoded. FFmpeg's own way copies into memory that
//! the driver does not know, which it does piece by piece, and waits for each frame.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;
use std::sync::OnceLock;

use ffmpeg_next::ffi;
use libloading::Library;

use super::memory::{FrameBlock, row_bytes};
use super::{AvError, PixelFormat};

type Handle = *mut c_void;

/// The part of FFmpeg's `AVCUDADeviceContext` that programs may use.
#[repr(C)]
struct DeviceContext {
    context: Handle,
    stream: Handle,
}

/// `CUDA_MEMCPY2D` of cuda.h.
#[repr(C)]
struct Copy2d {
    source_x_bytes: usize,
    source_y: usize,
    source_kind: c_uint,
    source_host: *const c_void,
    source_device: u64,
    source_array: Handle,
    source_pitch: usize,
    target_x_bytes: usize,
    target_y: usize,
    target_kind: c_uint,
    target_host: *mut c_void,
    target_device: u64,
    target_array: Handle,
    target_pitch: usize,
    width_bytes: usize,
    height: usize,
}

/// Values of `CUmemorytype`, and flags of cuda.h.
const HOST: c_uint = 1;
const DEVICE: c_uint = 2;
const STREAM_NON_BLOCKING: c_uint = 1;
const EVENT_BLOCKING_SYNC: c_uint = 1;
const EVENT_DISABLE_TIMING: c_uint = 2;
const HOST_REGISTER_PORTABLE: c_uint = 1;

/// Declares the driver's functions with their C names.
macro_rules! driver {
    ($($name:ident: $symbol:literal ($($argument:ty),*);)*) => {
        /// NVIDIA's driver library. Each function returns 0, or an error code.
        struct Driver {
            $($name: unsafe extern "C" fn($($argument),*) -> c_int,)*
            _library: Library,
        }

        impl Driver {
            fn load() -> Option<Self> {
                let name = if cfg!(windows) { "nvcuda.dll" } else { "libcuda.so.1" };
                // SAFETY: the library is the driver's. The functions have had these signatures since CUDA 4, as cuda.h
                // declares them under these names, and stay loaded as long as `_library` does.
                unsafe {
                    let library = Library::new(name).ok()?;
                    $(let $name = *library.get::<unsafe extern "C" fn($($argument),*) -> c_int>($symbol).ok()?;)*
                    Some(Self { $($name,)* _library: library })
                }
            }
        }
    };
}

driver! {
    version: b"cuDriverGetVersion\0" (*mut c_int);
    push: b"cuCtxPushCurrent_v2\0" (Handle);
    pop: b"cuCtxPopCurrent_v2\0" (*mut Handle);
    create_stream: b"cuStreamCreate\0" (*mut Handle, c_uint);
    wait_event: b"cuStreamWaitEvent\0" (Handle, Handle, c_uint);
    create_event: b"cuEventCreate\0" (*mut Handle, c_uint);
    record_event: b"cuEventRecord\0" (Handle, Handle);
    synchronize_event: b"cuEventSynchronize\0" (Handle);
    destroy_event: b"cuEventDestroy_v2\0" (Handle);
    copy_2d: b"cuMemcpy2DAsync_v2\0" (*const Copy2d, Handle);
    register: b"cuMemHostRegister_v2\0" (*mut c_void, usize, c_uint);
    unregister: b"cuMemHostUnregister\0" (*mut c_void);
}

/// Returns the driver, unless it is missing or too old.
fn driver() -> Option<&'static Driver> {
    static DRIVER: OnceLock<Option<Driver>> = OnceLock::new();
    DRIVER.get_or_init(Driver::load).as_ref()
}

/// Returns the number by which the driver states its version.
pub(super) fn driver_version() -> Option<c_int> {
    let mut version = 0;
    // SAFETY: the function fills the number and may be called before any other.
    let code = unsafe { (driver()?.version)(&raw mut version) };
    (code == 0).then_some(version)
}

/// FFmpeg's CUDA context, with a stream for copies.
#[derive(Debug)]
pub(super) struct CopyStream {
    context: Handle,
    /// The stream on which FFmpeg's decoders finish their surfaces.
    decoding: Handle,
    copying: Handle,
}

// SAFETY: CUDA's contexts and streams may be used by any thread.
unsafe impl Send for CopyStream {}
// SAFETY: as above.
unsafe impl Sync for CopyStream {}

impl CopyStream {
    /// Creates a stream in the context of FFmpeg's device. Returns `None` if the driver cannot.
    ///
    /// # Safety
    /// The device must be one of CUDA, and must never be closed.
    pub(super) unsafe fn new(device: *mut ffi::AVHWDeviceContext) -> Option<Self> {
        let driver = driver()?;
        let mut copying = ptr::null_mut();
        // SAFETY: guaranteed by the caller; the structure of a CUDA device begins with these two fields.
        let (context, decoding) = unsafe {
            let own = (*device).hwctx.cast::<DeviceContext>();
            ((*own).context, (*own).stream)
        };
        let _current = Current::of(driver, context)?;
        // SAFETY: the context is current; the function fills the handle.
        let code = unsafe { (driver.create_stream)(&raw mut copying, STREAM_NON_BLOCKING) };
        (code == 0).then_some(Self { context, decoding, copying })
    }

    /// Starts copying the planes of a surface to those of a frame in this block, which have the given format and size in
    /// samples. Both frames must stay as they are until the copy is [finished](Copy::finish) or dropped.
    ///
    /// # Safety
    /// The surface must be one of this context, the target's planes must lie in the block and have room for them.
    pub(super) unsafe fn start(
        &'static self,
        (surface, target): (*const ffi::AVFrame, *mut ffi::AVFrame),
        block: &FrameBlock,
        (format, chroma_shift): (PixelFormat, u8),
        (width, height): (c_int, c_int),
    ) -> Result<CopyInFlight, AvError> {
        const FAILED: AvError = AvError(ffi::AVERROR_EXTERNAL);
        let driver = driver().ok_or(FAILED)?;
        let current = Current::of(driver, self.context).ok_or(FAILED)?;
        // Without it the copy is right as well, and slower.
        block.pin(|pages| PinnedPages::new(self, pages));
        let [ready, done] = [CudaEvent::new(driver), CudaEvent::new(driver)].map(|event| event.ok_or(FAILED));
        let (ready, done) = (ready?, done?);
        let row_bytes = row_bytes(format, width)?;
        // SAFETY: guaranteed by the caller; the context is current.
        unsafe {
            let check = |code: c_int| if code == 0 { Ok(()) } else { Err(FAILED) };
            check((driver.record_event)(ready.0, self.decoding))?;
            check((driver.wait_event)(self.copying, ready.0, 0))?;
            let mut result = Ok(());
            for (plane, &bytes) in row_bytes.iter().enumerate().filter(|(_, bytes)| **bytes > 0) {
                let rows = if plane == 0 { height } else { (height + (1 << chroma_shift) - 1) >> chroma_shift };
                let copy = Copy2d {
                    source_x_bytes: 0,
                    source_y: 0,
                    source_kind: DEVICE,
                    source_host: ptr::null(),
                    source_device: (*surface).data[plane].addr() as u64,
                    source_array: ptr::null_mut(),
                    source_pitch: (*surface).linesize[plane] as usize,
                    target_x_bytes: 0,
                    target_y: 0,
                    target_kind: HOST,
                    target_host: (*target).data[plane].cast(),
                    target_device: 0,
                    target_array: ptr::null_mut(),
                    target_pitch: (*target).linesize[plane] as usize,
                    width_bytes: bytes,
                    height: rows as usize,
                };
                result = result.and_then(|()| check((driver.copy_2d)(&raw const copy, self.copying)));
            }
            let recorded = check((driver.record_event)(done.0, self.copying));
            drop(current);
            // Whatever was started has to end before the memory is used again: dropping waits.
            let copy = CopyInFlight { done, stream: self, waits: true };
            recorded.and(result).map(|()| copy)
        }
    }
}

/// A copy that may still be running. Dropping it waits until it has ended.
#[derive(Debug)]
pub(super) struct CopyInFlight {
    done: CudaEvent,
    stream: &'static CopyStream,
    waits: bool,
}

impl CopyInFlight {
    /// Waits until the copy has ended.
    pub(super) fn finish(mut self) -> Result<(), AvError> {
        self.waits = false;
        self.wait()
    }

    fn wait(&self) -> Result<(), AvError> {
        const FAILED: AvError = AvError(ffi::AVERROR_EXTERNAL);
        let driver = driver().ok_or(FAILED)?;
        let _current = Current::of(driver, self.stream.context).ok_or(FAILED)?;
        // SAFETY: the event was recorded in this context.
        if unsafe { (driver.synchronize_event)(self.done.0) } == 0 { Ok(()) } else { Err(FAILED) }
    }
}

impl Drop for CopyInFlight {
    fn drop(&mut self) {
        if self.waits {
            let _ = self.wait();
        }
    }
}

/// Makes a context the current one of this thread until it is dropped.
struct Current(&'static Driver);

impl Current {
    fn of(driver: &'static Driver, context: Handle) -> Option<Self> {
        // SAFETY: FFmpeg's context is never destroyed.
        (unsafe { (driver.push)(context) } == 0).then_some(Self(driver))
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        let mut context = ptr::null_mut();
        // SAFETY: the context was pushed by this thread.
        unsafe { (self.0.pop)(&raw mut context) };
    }
}

/// An event of the current context.
#[derive(Debug)]
struct CudaEvent(Handle);

// SAFETY: CUDA's events may be used by any thread.
unsafe impl Send for CudaEvent {}

impl CudaEvent {
    fn new(driver: &Driver) -> Option<Self> {
        let mut event = ptr::null_mut();
        // SAFETY: a context is current; the function fills the handle.
        let code = unsafe { (driver.create_event)(&raw mut event, EVENT_BLOCKING_SYNC | EVENT_DISABLE_TIMING) };
        (code == 0).then_some(Self(event))
    }
}

impl Drop for CudaEvent {
    fn drop(&mut self) {
        if let Some(driver) = driver() {
            // SAFETY: the event belongs to this value alone. The driver keeps it until it has happened.
            unsafe { (driver.destroy_event)(self.0) };
        }
    }
}

/// Pages that the driver keeps in place, so that the card writes to them directly.
#[derive(Debug)]
pub(super) struct PinnedPages {
    start: *mut c_void,
    context: Handle,
}

// SAFETY: the address is only handed to the driver, which any thread may call.
unsafe impl Send for PinnedPages {}
// SAFETY: as above.
unsafe impl Sync for PinnedPages {}

impl PinnedPages {
    /// Pins memory, which must not be freed before the result is dropped. Returns `None` if the driver refuses.
    fn new(stream: &CopyStream, (start, length): (*mut u8, usize)) -> Option<Self> {
        let driver = driver()?;
        // SAFETY: a context is current; the memory is allocated.
        let code = unsafe { (driver.register)(start.cast(), length, HOST_REGISTER_PORTABLE) };
        if code != 0 {
            log::debug!("the driver does not pin {length} bytes (error {code})");
        }
        (code == 0).then_some(Self { start: start.cast(), context: stream.context })
    }
}

impl Drop for PinnedPages {
    fn drop(&mut self) {
        let Some(driver) = driver() else { return };
        let Some(_current) = Current::of(driver, self.context) else { return };
        // SAFETY: the memory was registered in this context and is still allocated.
        unsafe { (driver.unregister)(self.start) };
    }
}
