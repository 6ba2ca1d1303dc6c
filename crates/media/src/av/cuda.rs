//! Downloads of CUDA's surfaces that run while the next pictures are decoded. FFmpeg's own way copies into memory that
//! the driver does not know, which it does piece by piece, and waits for each frame.
#![cfg_attr(not(unix), allow(dead_code, reason = "devices share memory through file descriptors alone"))]

use std::ffi::{c_int, c_uint, c_void};
use std::sync::{Arc, OnceLock};
use std::{fmt, ptr};

use ffmpeg_next::ffi;
use libloading::Library;

use super::AvError;
use super::copies::{CopyDevice, CopyInFlight, CopyTarget, Pending, PlaneCopy};
use super::in_use::DriverUse;
use histoscope_core::picture::{Attachment, SharedBlock};

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

/// `CUDA_EXTERNAL_MEMORY_HANDLE_DESC` of cuda.h.
#[repr(C)]
struct ExternalHandle {
    kind: c_uint,
    /// A union, of which a file descriptor uses the first four bytes.
    handle: [u64; 2],
    bytes: u64,
    flags: c_uint,
    reserved: [c_uint; 16],
}

/// `CUDA_EXTERNAL_MEMORY_BUFFER_DESC` of cuda.h.
#[repr(C)]
struct ExternalRange {
    offset: u64,
    bytes: u64,
    flags: c_uint,
    reserved: [c_uint; 16],
}

/// `CUVIDDECODECAPS` of cuviddec.h.
#[repr(C)]
#[derive(Default)]
struct DecodeCaps {
    codec: c_int,
    chroma: c_int,
    depth_minus_8: c_uint,
    reserved: [c_uint; 3],
    is_supported: u8,
    /// Number of decoders; 0 before version 11 of the Video Codec SDK.
    engines: u8,
    formats: u16,
    most: [c_uint; 3],
    least: [u16; 2],
    has_histogram: u8,
    histogram_bits: u8,
    histogram_bins: u16,
    reserved_too: [c_uint; 10],
}

/// Values of `cudaVideoCodec` and `cudaVideoChromaFormat`. All decoders of a card decode this codec.
const H264: c_int = 4;
const CHROMA_420: c_int = 1;

/// Value of `CUexternalMemoryHandleType`.
const OPAQUE_FD: c_uint = 1;
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
                // SAFETY: the library is the driver's. The functions have had these signatures since CUDA 10, as cuda.h
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
    device: b"cuCtxGetDevice\0" (*mut c_int);
    uuid: b"cuDeviceGetUuid\0" (*mut [u8; 16], c_int);
    import: b"cuImportExternalMemory\0" (*mut Handle, *const ExternalHandle);
    map: b"cuExternalMemoryGetMappedBuffer\0" (*mut u64, Handle, *const ExternalRange);
    free: b"cuMemFree_v2\0" (u64);
    forget: b"cuDestroyExternalMemory\0" (Handle);
    copy_to_host: b"cuMemcpyDtoH_v2\0" (*mut c_void, u64, usize);
}

/// Returns the driver, unless it is missing or too old.
fn driver() -> Option<&'static Driver> {
    static DRIVER: OnceLock<Option<Driver>> = OnceLock::new();
    DRIVER.get_or_init(Driver::load).as_ref()
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

    /// Starts copying the planes of a surface: to the program's memory at this address, or to a device's.
    ///
    /// # Safety
    /// As [`CopyTarget::start`].
    unsafe fn start(
        &'static self,
        surface: *const ffi::AVFrame,
        target: Address,
        planes: &[PlaneCopy],
    ) -> Result<CopyInFlight, AvError> {
        const FAILED: AvError = AvError(ffi::AVERROR_EXTERNAL);
        let driver = driver().ok_or(FAILED)?;
        let current = Current::of(driver, self.context).ok_or(FAILED)?;
        let [ready, done] = [CudaEvent::new(driver), CudaEvent::new(driver)].map(|event| event.ok_or(FAILED));
        let (ready, done) = (ready?, done?);
        // SAFETY: guaranteed by the caller; the context is current.
        unsafe {
            let check = |code: c_int| if code == 0 { Ok(()) } else { Err(FAILED) };
            check((driver.record_event)(ready.0, self.decoding))?;
            check((driver.wait_event)(self.copying, ready.0, 0))?;
            let mut result = Ok(());
            for (index, plane) in planes.iter().enumerate() {
                let (kind, host, device) = match target {
                    Address::Host(start) => (HOST, start.add(plane.offset).cast(), 0),
                    Address::Device(start) => (DEVICE, ptr::null_mut(), start + plane.offset as u64),
                };
                let copy = Copy2d {
                    source_x_bytes: 0,
                    source_y: 0,
                    source_kind: DEVICE,
                    source_host: ptr::null(),
                    source_device: (*surface).data[index].addr() as u64,
                    source_array: ptr::null_mut(),
                    source_pitch: (*surface).linesize[index] as usize,
                    target_x_bytes: 0,
                    target_y: 0,
                    target_kind: kind,
                    target_host: host,
                    target_device: device,
                    target_array: ptr::null_mut(),
                    target_pitch: plane.stride,
                    width_bytes: plane.row_bytes,
                    height: plane.rows,
                };
                result = result.and_then(|()| check((driver.copy_2d)(&raw const copy, self.copying)));
            }
            let recorded = check((driver.record_event)(done.0, self.copying));
            drop(current);
            // Whatever was started has to end before the memory is used again: dropping waits.
            let copy = CopyInFlight::new(RecordedCopy { done, stream: self });
            recorded.and(result).map(|()| copy)
        }
    }
}

/// An address of memory as the driver's copies take it.
#[derive(Debug, Clone, Copy)]
enum Address {
    Host(*mut u8),
    Device(u64),
}

impl CopyDevice for CopyStream {
    fn driver(&self) -> Option<String> {
        let mut version = 0;
        // SAFETY: the function fills the number and may be called before any other.
        let code = unsafe { (driver()?.version)(&raw mut version) };
        (code == 0).then(|| format!("driver {version}"))
    }

    fn engines(&self) -> Option<usize> {
        type GetCaps = unsafe extern "C" fn(*mut DecodeCaps) -> c_int;
        let _current = Current::of(driver()?, self.context)?;
        let mut caps = DecodeCaps { codec: H264, chroma: CHROMA_420, ..DecodeCaps::default() };
        let name = if cfg!(windows) { "nvcuvid.dll" } else { "libnvcuvid.so.1" };
        // SAFETY: the library is the driver's. The function has had this signature since version 9 of the Video Codec
        // SDK; it reads the first fields of the structure and fills the others.
        let code = unsafe {
            let library = Library::new(name).ok()?;
            let get = library.get::<GetCaps>(b"cuvidGetDecoderCaps\0").ok()?;
            get(&raw mut caps)
        };
        (code == 0 && caps.engines > 0).then_some(usize::from(caps.engines))
    }

    #[cfg(unix)]
    fn open(&'static self, block: SharedBlock) -> Option<Arc<dyn CopyTarget>> {
        use std::os::fd::{AsRawFd as _, IntoRawFd as _};
        let driver = driver()?;
        let _current = Current::of(driver, self.context)?;
        let (mut number, mut uuid) = (0, [0; 16]);
        let handle = ExternalHandle {
            kind: OPAQUE_FD,
            handle: [u64::from(block.handle.as_raw_fd().cast_unsigned()), 0],
            bytes: block.bytes,
            flags: 0,
            reserved: [0; 16],
        };
        let range = ExternalRange { offset: 0, bytes: block.bytes, flags: 0, reserved: [0; 16] };
        let mut opened = CudaMemory {
            address: 0,
            external: ptr::null_mut(),
            stream: self,
            memory: block.memory,
            _in_use: DriverUse::new()?,
        };
        // SAFETY: the context is current; the functions read the structures and fill the results. The descriptor
        // belongs to the driver as soon as it has accepted it.
        unsafe {
            if (driver.device)(&raw mut number) != 0
                || (driver.uuid)(&raw mut uuid, number) != 0
                || uuid != block.device
            {
                log::debug!("the decoder and the graphics device are different devices");
                return None;
            }
            let code = (driver.import)(&raw mut opened.external, &raw const handle);
            if code != 0 {
                log::debug!("the decoder cannot open the graphics device's memory (error {code})");
                return None;
            }
            let _ = block.handle.into_raw_fd();
            let code = (driver.map)(&raw mut opened.address, opened.external, &raw const range);
            if code == 0 { Some(Arc::new(opened)) } else { None }
        }
    }

    /// Returns `None`: no driver shares memory here.
    #[cfg(not(unix))]
    fn open(&'static self, block: SharedBlock) -> Option<Arc<dyn CopyTarget>> {
        match block.handle {}
    }

    /// Pages that the driver does not pin are copied to all the same, only slower.
    fn pin(&'static self, (start, length): (*mut u8, usize)) -> Option<Arc<dyn CopyTarget>> {
        let driver = driver()?;
        let _current = Current::of(driver, self.context)?;
        let in_use = DriverUse::new()?;
        // SAFETY: a context is current; the memory is allocated.
        let code = unsafe { (driver.register)(start.cast(), length, HOST_REGISTER_PORTABLE) };
        if code != 0 {
            log::debug!("the driver does not pin {length} bytes (error {code})");
        }
        Some(Arc::new(PinnedPages { start, is_pinned: code == 0, stream: self, _in_use: in_use }))
    }
}

/// A copy that has been put on the stream.
#[derive(Debug)]
struct RecordedCopy {
    done: CudaEvent,
    stream: &'static CopyStream,
}

impl Pending for RecordedCopy {
    fn wait(&self) -> Result<(), AvError> {
        const FAILED: AvError = AvError(ffi::AVERROR_EXTERNAL);
        let driver = driver().ok_or(FAILED)?;
        let _current = Current::of(driver, self.stream.context).ok_or(FAILED)?;
        // SAFETY: the event was recorded in this context.
        if unsafe { (driver.synchronize_event)(self.done.0) } == 0 { Ok(()) } else { Err(FAILED) }
    }
}

/// A graphics device's memory, open for CUDA.
struct CudaMemory {
    address: u64,
    external: Handle,
    stream: &'static CopyStream,
    /// The memory as its owner knows it.
    memory: Attachment,
    _in_use: DriverUse,
}

// SAFETY: the handles are only passed to the driver, which any thread may call.
unsafe impl Send for CudaMemory {}
// SAFETY: as above.
unsafe impl Sync for CudaMemory {}

impl fmt::Debug for CudaMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CudaMemory").field("address", &self.address).finish_non_exhaustive()
    }
}

impl CopyTarget for CudaMemory {
    unsafe fn start(&self, surface: *const ffi::AVFrame, planes: &[PlaneCopy]) -> Result<CopyInFlight, AvError> {
        // SAFETY: guaranteed by the caller.
        unsafe { self.stream.start(surface, Address::Device(self.address), planes) }
    }

    fn attachment(&self) -> Option<Attachment> {
        Some(Attachment::clone(&self.memory))
    }

    unsafe fn read(&self, target: *mut u8, bytes: usize) -> bool {
        let Some(driver) = driver() else { return false };
        let Some(_current) = Current::of(driver, self.stream.context) else { return false };
        // SAFETY: guaranteed by the caller.
        unsafe { (driver.copy_to_host)(target.cast(), self.address, bytes) == 0 }
    }
}

impl Drop for CudaMemory {
    fn drop(&mut self) {
        let Some(driver) = driver() else { return };
        let Some(_current) = Current::of(driver, self.stream.context) else { return };
        // SAFETY: both belong to this value alone, and no copy is running: blocks in use are not dropped.
        unsafe {
            if self.address != 0 {
                (driver.free)(self.address);
            }
            if !self.external.is_null() {
                (driver.forget)(self.external);
            }
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

/// Pages of the program, which the driver keeps in place if it can, so that the card writes to them directly.
#[derive(Debug)]
struct PinnedPages {
    start: *mut u8,
    is_pinned: bool,
    stream: &'static CopyStream,
    _in_use: DriverUse,
}

// SAFETY: the address is only handed to the driver, which any thread may call.
unsafe impl Send for PinnedPages {}
// SAFETY: as above.
unsafe impl Sync for PinnedPages {}

impl CopyTarget for PinnedPages {
    unsafe fn start(&self, surface: *const ffi::AVFrame, planes: &[PlaneCopy]) -> Result<CopyInFlight, AvError> {
        // SAFETY: guaranteed by the caller.
        unsafe { self.stream.start(surface, Address::Host(self.start), planes) }
    }

    /// Returns `None`: this is the program's own memory.
    fn attachment(&self) -> Option<Attachment> {
        None
    }

    /// Returns `false`: this is the program's own memory.
    unsafe fn read(&self, _: *mut u8, _: usize) -> bool {
        false
    }
}

impl Drop for PinnedPages {
    fn drop(&mut self) {
        let Some(driver) = driver().filter(|_| self.is_pinned) else { return };
        let Some(_current) = Current::of(driver, self.stream.context) else { return };
        // SAFETY: the memory was registered in this context and is still allocated.
        unsafe { (driver.unregister)(self.start.cast()) };
    }
}
