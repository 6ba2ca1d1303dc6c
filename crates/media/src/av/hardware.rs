//! Hardware decoders: their devices, the choice of their surfaces in a decoder, and the download of a surface.

use std::collections::HashMap;
use std::ffi::{CStr, c_int};
use std::ptr::{self, NonNull};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::copies::{CopyDevice, CopyInFlight, PlaneCopy};
use super::cuda;
use super::frame::RemotePlanes;
use super::memory::{CallbackState, DeviceMemory, FramePool, row_bytes};
use super::stream::StreamParameters;
use super::{AvError, AvFrame, PixelFormat, enum_number};
use ffmpeg_next::ffi;

/// A kind of hardware decoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HardwareKind {
    /// Vulkan Video.
    Vulkan,
    /// NVIDIA's decoder through CUDA.
    Cuda,
    /// VA-API, on Linux.
    Vaapi,
    /// Apple's `VideoToolbox`.
    VideoToolbox,
    /// Direct3D 11, on Windows.
    D3d11va,
}

impl HardwareKind {
    /// All kinds, in the order in which they are tried if none is named.
    pub const ALL: [Self; 5] = [Self::VideoToolbox, Self::D3d11va, Self::Cuda, Self::Vaapi, Self::Vulkan];

    /// Returns FFmpeg's name for the kind, which is also mpv's.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self.raw_name().to_str() {
            Ok(name) => name,
            Err(_) => "unknown",
        }
    }

    const fn raw_name(self) -> &'static CStr {
        match self {
            Self::Vulkan => c"vulkan",
            Self::Cuda => c"cuda",
            Self::Vaapi => c"vaapi",
            Self::VideoToolbox => c"videotoolbox",
            Self::D3d11va => c"d3d11va",
        }
    }

    /// Returns FFmpeg's number for the kind; `None` if this FFmpeg is built without it.
    fn number(self) -> Option<c_int> {
        // SAFETY: the name is zero-terminated; the function returns 0 for a kind that it does not know. The other takes
        // 0 or its previous result, and returns 0 after the last kind that FFmpeg is built with.
        unsafe {
            let number = by_number::av_hwdevice_find_type_by_name(self.raw_name().as_ptr());
            let mut built = by_number::av_hwdevice_iterate_types(0);
            while built != 0 && built != number {
                built = by_number::av_hwdevice_iterate_types(built);
            }
            (built != 0).then_some(number)
        }
    }

    /// Checks that FFmpeg has a decoder of this kind for the stream, without opening a device.
    ///
    /// # Errors
    /// Returns the reason if it has none, in a few words.
    pub(crate) fn check_decoder(self, parameters: &StreamParameters<'_>) -> Result<(), String> {
        let number = self.number().ok_or("this FFmpeg is built without it")?;
        let decoder = decoder(number, parameters.codec_number());
        decoder.map(|_| ()).ok_or_else(|| format!("FFmpeg has no such decoder for {}", parameters.codec_name()))
    }
}

/// An open device, which stays open until the program ends.
#[derive(Debug)]
pub(crate) struct HardwareDevice {
    pub(crate) kind: HardwareKind,
    number: c_int,
    context: NonNull<ffi::AVBufferRef>,
    /// Copies surfaces while others are decoded, if the device's interface is known here.
    copies: Option<Box<dyn CopyDevice>>,
}

// SAFETY: the reference is counted atomically and never freed; a device context may be used by several decoders at
// once, as FFmpeg locks it where its API requires that.
unsafe impl Send for HardwareDevice {}
// SAFETY: as above. Through a shared reference, only new references to the device are created.
unsafe impl Sync for HardwareDevice {}

impl HardwareDevice {
    /// Returns the device of this kind, which the first call opens.
    ///
    /// # Errors
    /// Returns the reason if there is no such device, in a few words.
    pub(crate) fn shared(kind: HardwareKind) -> Result<&'static Self, String> {
        static OPENED: OnceLock<Mutex<HashMap<HardwareKind, Result<&'static HardwareDevice, String>>>> =
            OnceLock::new();
        // The lock is held while a device is opened, so that no kind is opened twice.
        let mut opened = OPENED.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
        opened.entry(kind).or_insert_with(|| Self::open(kind).map(|device| &*Box::leak(Box::new(device)))).clone()
    }

    fn open(kind: HardwareKind) -> Result<Self, String> {
        let number = kind.number().ok_or("this FFmpeg is built without it")?;
        let mut context = ptr::null_mut();
        // SAFETY: the function fills the pointer, or leaves it null and returns an error; no name and no options mean
        // the default device.
        let code =
            unsafe { by_number::av_hwdevice_ctx_create(&raw mut context, number, ptr::null(), ptr::null_mut(), 0) };
        AvError::check(code).map_err(|error| format!("no device or driver: {error}"))?;
        let context = NonNull::new(context).ok_or("no device or driver")?;
        // SAFETY: the buffer holds the device's context, which stays open.
        let copies = unsafe {
            let device = (*context.as_ptr()).data.cast::<ffi::AVHWDeviceContext>();
            match kind {
                HardwareKind::Cuda => {
                    cuda::CopyStream::new(device).map(|stream| Box::new(stream) as Box<dyn CopyDevice>)
                }
                #[cfg(not(ffmpeg_before_6_1))]
                HardwareKind::Vulkan => {
                    super::vulkan::CopyQueues::new(device).map(|queues| Box::new(queues) as Box<dyn CopyDevice>)
                }
                _ => None,
            }
        };
        Ok(Self { kind, number, context, copies })
    }

    /// Returns FFmpeg's reference to the device.
    #[cfg(all(test, not(ffmpeg_before_6_1)))]
    pub(super) const fn context(&self) -> *mut ffi::AVBufferRef {
        self.context.as_ptr()
    }

    /// Returns the version of the driver, or says that it is unknown.
    pub(crate) fn driver(&self) -> String {
        let known = self.copies.as_ref().and_then(|copies| copies.driver());
        known.unwrap_or_else(|| "unknown driver".to_owned())
    }

    /// Returns the number of decoders that the hardware has, if it tells.
    pub(crate) fn engines(&self) -> Option<usize> {
        self.copies.as_ref()?.engines()
    }

    /// Returns FFmpeg's decoder for a codec that can use this device; `None` if there is none.
    pub(super) fn decoder(&self, codec_id: c_int) -> Option<*const ffi::AVCodec> {
        decoder(self.number, codec_id)
    }

    /// Makes a decoder use the device once it is opened. If it cannot, the decoder refuses its packets.
    ///
    /// # Safety
    /// The context must belong to a decoder that [`decoder`](Self::decoder) returned and must not be open yet.
    pub(super) unsafe fn serve(&self, context: *mut ffi::AVCodecContext) -> Result<(), AvError> {
        // SAFETY: the device's reference is valid as long as the program runs. The callback has FFmpeg's signature with
        // integers for enumerations, which have the same size and are passed alike.
        unsafe {
            (*context).hw_device_ctx = ffi::av_buffer_ref(self.context.as_ptr());
            if (*context).hw_device_ctx.is_null() {
                return Err(AvError(ffi::AVERROR(ffmpeg_next::error::ENOMEM)));
            }
            type Theirs =
                unsafe extern "C" fn(*mut ffi::AVCodecContext, *const ffi::AVPixelFormat) -> ffi::AVPixelFormat;
            type Ours = unsafe extern "C" fn(*mut ffi::AVCodecContext, *const c_int) -> c_int;
            (*context).get_format = Some(std::mem::transmute::<Ours, Theirs>(choose_surfaces));
        }
        Ok(())
    }
}

/// FFmpeg's callback to choose among the formats in which a decoder can output the coming frames. Chooses the surfaces
/// of the decoder's device. FFmpeg leaves them out if it could not initialise the device for these frames; no format is
/// chosen then, as decoding in software takes a decoder that is opened with threads for it.
unsafe extern "C" fn choose_surfaces(context: *mut ffi::AVCodecContext, formats: *const c_int) -> c_int {
    const NONE: c_int = -1;
    // SAFETY: FFmpeg passes its open context, whose device and codec `serve` chose and whose callback state outlives
    // it, and a list that ends with -1.
    unsafe {
        let device = (*(*context).hw_device_ctx).data.cast::<ffi::AVHWDeviceContext>();
        let surfaces = surfaces_of((*context).codec, enum_number(&raw const (*device).type_));
        let mut format = formats;
        while *format != NONE {
            if surfaces == Some(PixelFormat(*format)) {
                return *format;
            }
            format = format.add(1);
        }
        if let Some(state) = (*context).opaque.cast::<CallbackState>().as_ref() {
            state.has_refused.store(true, Ordering::Relaxed);
        }
    }
    NONE
}

/// Returns FFmpeg's decoder for a codec that can use devices of the kind with this number; `None` if there is none.
fn decoder(kind: c_int, codec_id: c_int) -> Option<*const ffi::AVCodec> {
    let mut state = ptr::null_mut();
    loop {
        // SAFETY: the state is null at first and then only passed back; the results are null or constants.
        let codec = unsafe { ffi::av_codec_iterate(&raw mut state).as_ref() }?;
        // SAFETY: the field of a valid codec is a C enumeration; the function takes any codec.
        let is_it = unsafe { enum_number(&raw const codec.id) == codec_id && ffi::av_codec_is_decoder(codec) != 0 };
        // A wrapper around a vendor's library is a decoder of its own, whose frames need not be those of FFmpeg's.
        let is_wrapper = codec.capabilities.cast_unsigned() & ffi::AV_CODEC_CAP_HARDWARE != 0;
        if is_it && !is_wrapper && surfaces_of(codec, kind).is_some() {
            return Some(codec);
        }
    }
}

/// Returns the format of the surfaces that a decoder outputs if it has a device of the kind with this number; `None` if
/// it cannot use one.
fn surfaces_of(codec: *const ffi::AVCodec, kind: c_int) -> Option<PixelFormat> {
    let by_device = ffi::AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX as c_int;
    for index in 0.. {
        // SAFETY: the codec is valid; the function returns null after the last configuration, else a constant.
        let config = unsafe { ffi::avcodec_get_hw_config(codec, index).as_ref() }?;
        // SAFETY: the fields are C enumerations of a valid configuration.
        let (of_kind, format) =
            unsafe { (enum_number(&raw const config.device_type), enum_number(&raw const config.pix_fmt)) };
        if config.methods & by_device != 0 && of_kind == kind {
            return Some(PixelFormat(format));
        }
    }
    None
}

/// A surface on its way into a block of the pool.
pub(super) struct Download {
    frame: AvFrame,
    /// The copy that may still be running, and the surface that it reads. The copy is dropped first.
    running: Option<(CopyInFlight, AvFrame)>,
}

impl Download {
    /// Starts copying a surface of the device. The frame has the size and all other properties of the surface; `coded`
    /// is the format in which software decodes it.
    pub(super) fn start(
        device: &'static HardwareDevice,
        surface: AvFrame,
        coded: PixelFormat,
        pool: &FramePool,
        memory: Option<&DeviceMemory>,
    ) -> Result<Self, AvError> {
        const INVALID: AvError = AvError::INVALID_DATA;
        let mut frame = AvFrame::new();
        let (from, to) = (surface.as_ptr(), frame.as_ptr());
        let mut remote = None;
        // SAFETY: both frames are valid; the new one is blank until it gets planes of the surface's format and size.
        // The surface's frames context is valid while the surface holds a reference.
        let running = unsafe {
            if (*from).hw_frames_ctx.is_null() {
                return Err(INVALID);
            }
            let frames = (*(*from).hw_frames_ctx).data.cast::<ffi::AVHWFramesContext>();
            let format = PixelFormat(enum_number(&raw const (*frames).sw_format));
            let descriptor = format.descriptor().ok_or(INVALID)?;
            let (chroma_x, chroma_y) = descriptor.chroma_shift;
            // FFmpeg's copies round an odd number of chroma rows down. The surface itself is larger.
            let (width, height) = ((*from).width, (*from).height);
            let (wide, high) =
                (rounded_up(width, chroma_x).min((*frames).width), rounded_up(height, chroma_y).min((*frames).height));
            if wide < width || high < height {
                return Err(INVALID);
            }
            ((*to).format, (*to).width, (*to).height) = (format.0, wide, high);
            pool.fill_plain(to)?;
            frame.look_up(pool);
            let target = match (&device.copies, frame.block()) {
                (Some(copies), Some(block)) => {
                    remote = memory.and_then(|device| {
                        let (memory, number) = device.current()?;
                        let shared = block.shared(number, |bytes| copies.open(memory.allocate(bytes)?))?;
                        Some((shared, device.clone()))
                    });
                    let shared = remote.as_ref().map(|(shared, _)| Arc::clone(shared));
                    shared.or_else(|| block.pinned(|pages| copies.pin(pages))).zip(Some(block))
                }
                _ => None,
            };
            let running = if let Some((target, block)) = target {
                let rows = |plane: usize| rounded_up(high, chroma_y) as usize >> if plane == 0 { 0 } else { chroma_y };
                let start = block.pages.memory().start().as_ptr().addr();
                let planes: Vec<_> = row_bytes(format, wide)?
                    .into_iter()
                    .enumerate()
                    .filter(|(_, row_bytes)| *row_bytes > 0)
                    .map(|(plane, row_bytes)| PlaneCopy {
                        offset: (*to).data[plane].addr() - start,
                        stride: (*to).linesize[plane] as usize,
                        row_bytes,
                        rows: rows(plane).min(high as usize),
                        texel_bytes: descriptor.texel_bytes(plane),
                    })
                    .collect();
                Some(target.start(from, &planes)?)
            } else {
                ((*from).width, (*from).height) = (wide, high);
                let copied = ffi::av_hwframe_transfer_data(to, from, 0);
                ((*from).width, (*from).height) = (width, height);
                AvError::check(copied)?;
                None
            };
            AvError::check(ffi::av_frame_copy_props(to, from))?;
            ((*to).width, (*to).height) = (width, height);
            running
        };
        frame.set_coded_format(coded);
        if let Some((memory, device)) = remote {
            frame.set_remote(RemotePlanes::new(memory, device));
        }
        Ok(Self { frame, running: running.map(|copy| (copy, surface)) })
    }

    /// Waits until the frame is in memory and returns it.
    pub(super) fn finish(self) -> Result<AvFrame, AvError> {
        if let Some((copy, _surface)) = self.running {
            copy.finish()?;
        }
        Ok(self.frame)
    }
}

/// Rounds a size up to whole samples of chroma.
const fn rounded_up(size: c_int, shift: u8) -> c_int {
    let step = 1 << shift;
    (size + step - 1) / step * step
}

// FFmpeg declares these functions with enumerations; here they take integers, for the reason given in the parent
// module.
mod by_number {
    use std::ffi::{c_char, c_int};

    use ffmpeg_next::ffi::{AVBufferRef, AVDictionary};
    unsafe extern "C" {
        pub(super) fn av_hwdevice_find_type_by_name(name: *const c_char) -> c_int;
        pub(super) fn av_hwdevice_iterate_types(previous: c_int) -> c_int;
        pub(super) fn av_hwdevice_ctx_create(
            context: *mut *mut AVBufferRef,
            kind: c_int,
            device: *const c_char,
            options: *mut AVDictionary,
            flags: c_int,
        ) -> c_int;
    }
}
