//! An open decoder.

use std::collections::VecDeque;
use std::ffi::{CStr, CString};
use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ffmpeg_next::ffi;

use super::hardware::{Download, HardwareDevice};
use super::headers::PacketHeaders;
use super::in_use::DriverUse;
use super::memory::{CallbackState, DeviceMemory, FramePool};
use super::nal::NalStream;
use super::stream::StreamParameters;
use super::{AvError, AvFrame, AvPacket, PixelFormat, enum_number};
use histoscope_core::picture::Ratio;

/// Options for opening a decoder.
#[derive(Debug, Clone)]
pub(crate) struct CodecOptions {
    /// Number of decoding threads, at least 1.
    pub(crate) threads: usize,
    /// `true` if each frame is needed as soon as its packet arrives. Threads then share the slices of one frame; with
    /// one frame per thread, the decoder would hold back as many frames as there are threads.
    pub(crate) low_delay: bool,
    /// The hardware to decode with; `None` to decode in software.
    pub(crate) hardware: Option<Accelerator>,
    /// FFmpeg's options that only this decoder has.
    pub(crate) own: Vec<(&'static CStr, CString)>,
}

impl CodecOptions {
    /// Returns the options of a decoder in software with that many threads.
    pub(crate) const fn of_threads(threads: usize) -> Self {
        Self { threads, low_delay: false, hardware: None, own: Vec::new() }
    }
}

/// The hardware of a decoder.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Accelerator {
    /// A device.
    Device(&'static HardwareDevice),
    /// A decoder in software that takes the place of hardware in tests.
    #[cfg(test)]
    Made(super::made::MadeHardware),
}

impl Accelerator {
    /// Returns the name of its kind.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Device(device) => device.kind.name(),
            #[cfg(test)]
            Self::Made(_) => "made",
        }
    }

    /// Returns the name and version of its driver, as far as they are known.
    pub(crate) fn driver(self) -> String {
        match self {
            Self::Device(device) => device.driver(),
            #[cfg(test)]
            Self::Made(_) => "made 1".to_owned(),
        }
    }
}

/// The result of requesting a frame from a decoder.
pub(crate) enum Received {
    /// A frame.
    Frame(AvFrame),
    /// No frame until the decoder gets another packet.
    NeedsInput,
    /// No more frames.
    End,
    /// The decoder refused an earlier packet.
    Refused(AvError),
}

/// The number of surfaces that may be on their way into memory while the decoder continues.
const DOWNLOADS: usize = 2;

/// An open video decoder.
pub(crate) struct Codec {
    context: NonNull<ffi::AVCodecContext>,
    /// The pool for its frames and the state of its callbacks; freed after the context, whose threads use it.
    state: Arc<CallbackState>,
    /// `true` if the decoder can skip unreferenced pictures without affecting any others.
    can_skip_unreferenced: bool,
    is_webp: bool,
    /// State for inspecting packets, if they reveal which pictures are unreferenced.
    units: Option<NalStream>,
    /// What the packets state about their pictures, if FFmpeg may say otherwise.
    headers: Option<PacketHeaders>,
    options: CodecOptions,
    /// Where surfaces go if the pictures are not read by the CPU.
    memory: Option<DeviceMemory>,
    /// Surfaces on their way into memory, in the order of their frames.
    downloads: VecDeque<Download>,
    /// An error that the decoder reported after these.
    error: Option<AvError>,
    /// `true` until the decoder outputs a frame after it was opened or flushed.
    is_fresh: bool,
    /// The number of packets taken so far; each packet is sent with this number.
    taken: u64,
    /// Declared last because fields are dropped in declaration order.
    _in_use: Option<DriverUse>,
}

// SAFETY: a codec context may be used from any one thread at a time, and this type is its only owner.
unsafe impl Send for Codec {}

impl Codec {
    /// Opens FFmpeg's decoder for the stream.
    pub(crate) fn open(parameters: &StreamParameters<'_>, options: CodecOptions) -> Result<Self, AvError> {
        let decoder = match options.hardware {
            Some(Accelerator::Device(device)) => device.decoder(parameters.codec_number()),
            _ => parameters.decoder(),
        };
        let decoder = decoder.ok_or(AvError(ffi::AVERROR_DECODER_NOT_FOUND))?;
        let in_use = options.hardware.map(|_| DriverUse::new().ok_or(AvError::EXIT)).transpose()?;
        // SAFETY: a fresh context is set up from a stream's parameters while nothing else uses either. From here on
        // `Drop` frees it on every path.
        unsafe {
            let context = NonNull::new(ffi::avcodec_alloc_context3(decoder)).ok_or(AvError(ffi::AVERROR_UNKNOWN))?;
            let can_skip_unreferenced = matches!(
                parameters.codec_name(),
                // In these codecs a picture is marked if no other refers to it. In HEVC, pictures of higher temporal
                // sub-layers may refer to a picture so marked, and the decoder does not check for them:
                // `can_do_without` does.
                "h264" | "mpeg1video" | "mpeg2video" | "mpeg4"
            );
            let units = NalStream::of(parameters.codec_name(), parameters.extradata());
            let headers = PacketHeaders::of_stream(parameters);
            let is_webp = parameters.codec_name() == "webp";
            // With one thread, a damaged file must give the same result each time. Hardware writes whole frames.
            let pool = FramePool::new(options.threads == 1 && options.hardware.is_none());
            let state = Arc::new(CallbackState { pool, has_refused: AtomicBool::new(false) });
            let codec = Self {
                context,
                state,
                can_skip_unreferenced,
                is_webp,
                units,
                headers,
                options: options.clone(),
                memory: None,
                downloads: VecDeque::new(),
                error: None,
                is_fresh: true,
                taken: 0,
                _in_use: in_use,
            };
            let context = codec.context.as_ptr();
            (*context).opaque = Arc::as_ptr(&codec.state).cast_mut().cast();
            AvError::check(ffi::avcodec_parameters_to_context(context, parameters.as_ptr()))?;
            (*context).pkt_timebase = parameters.raw_time_base();
            // FFmpeg would round the cropping to its vector alignment. Frames are output uncropped and report their
            // cropping.
            (*context).apply_cropping = 0;
            // The hardware decodes; one thread parses and copies.
            let threads = if options.hardware.is_some() { 1 } else { options.threads };
            (*context).thread_count = i32::try_from(threads).unwrap_or(1).max(1);
            if cfg!(target_arch = "aarch64") {
                // FFmpeg's own choice on ARM rounds otherwise than on x86: MPEG-1, MPEG-2, JPEG and DNxHD would have
                // other samples there.
                (*context).idct_algo = ffi::FF_IDCT_SIMPLE;
            }
            (*context).thread_type =
                if options.low_delay { ffi::FF_THREAD_SLICE } else { ffi::FF_THREAD_FRAME | ffi::FF_THREAD_SLICE };
            // Decoders of older codecs take this flag to mean that no picture has to wait for another, and output
            // B-frames in coding order.
            let is_understood = matches!(parameters.codec_name(), "h264" | "hevc" | "av1");
            if options.low_delay && is_understood {
                (*context).flags |= ffi::AV_CODEC_FLAG_LOW_DELAY.cast_signed();
            }
            // Frames report which packet they came from. Before FFmpeg 6 they copy the context's number as the packet
            // is sent.
            #[cfg(not(ffmpeg_before_6))]
            {
                (*context).flags |= ffi::AV_CODEC_FLAG_COPY_OPAQUE.cast_signed();
            }
            if (*decoder).capabilities.cast_unsigned() & ffi::AV_CODEC_CAP_DR1 != 0 {
                FramePool::serve(context);
            }
            if let Some(Accelerator::Device(device)) = options.hardware {
                device.serve(context)?;
                // Surfaces that are being copied cannot be decoded into.
                (*context).extra_hw_frames = DOWNLOADS as i32 + 1;
            }
            let mut own = ptr::null_mut();
            for (key, value) in &codec.options.own {
                ffi::av_dict_set(&raw mut own, key.as_ptr(), value.as_ptr(), 0);
            }
            let opened = ffi::avcodec_open2(context, decoder, &raw mut own);
            ffi::av_dict_free(&raw mut own);
            AvError::check(opened)?;
            Ok(codec)
        }
    }

    /// Opens the same decoder again: flushing does not reset every decoder completely.
    pub(crate) fn reopened(&self, parameters: &StreamParameters<'_>) -> Result<Self, AvError> {
        let mut codec = Self::open(parameters, self.options.clone())?;
        codec.memory.clone_from(&self.memory);
        Ok(codec)
    }

    /// Decodes into the memory of a graphics device as far as the hardware can.
    pub(crate) fn decode_into(&mut self, memory: Option<DeviceMemory>) {
        self.memory = memory;
    }

    /// Sends a packet to the decoder; `None` tells it that there are no more.
    pub(crate) fn send(&mut self, packet: Option<&AvPacket>) -> Result<(), AvError> {
        let Some(packet) = packet else { return self.send_raw(ptr::null_mut()) };
        self.inspect(packet);
        let changed = if self.is_webp { Some(packet.without_webp_alpha()?) } else { None };
        let sent = self.send_with_number(changed.as_ref().unwrap_or(packet));
        if sent != Err(AvError::AGAIN) {
            if let Some(headers) = &mut self.headers {
                headers.note(self.taken, packet);
            }
            self.taken += 1;
        }
        sent
    }

    #[cfg(ffmpeg_before_6)]
    fn send_with_number(&mut self, packet: &AvPacket) -> Result<(), AvError> {
        // SAFETY: the field may be set between packets; frame threads copy it with each packet.
        let before =
            unsafe { std::mem::replace(&mut (*self.context.as_ptr()).reordered_opaque, self.taken.cast_signed()) };
        let sent = self.send_raw(packet.as_ptr());
        if sent == Err(AvError::AGAIN) {
            // The previous packet is still buffered there.
            // SAFETY: as above.
            unsafe { (*self.context.as_ptr()).reordered_opaque = before };
        }
        sent
    }

    #[cfg(not(ffmpeg_before_6))]
    fn send_with_number(&mut self, packet: &AvPacket) -> Result<(), AvError> {
        packet.set_opaque(self.taken);
        self.send_raw(packet.as_ptr())
    }

    fn send_raw(&mut self, packet: *mut ffi::AVPacket) -> Result<(), AvError> {
        #[cfg(test)]
        if let Some(Accelerator::Made(made)) = self.options.hardware
            && !packet.is_null()
        {
            if made.refuses() {
                self.state.has_refused.store(true, Ordering::Relaxed);
                return Err(AvError::INVALID_DATA);
            }
            made.take_packet()?;
        }
        self.announce();
        // SAFETY: the context is open; the packet is valid, or null as the function allows.
        AvError::check(unsafe { ffi::avcodec_send_packet(self.context.as_ptr(), packet) }).map(|_| ())
    }

    /// Returns `true` if headers before the packet may be in force for it, wherever decoding starts.
    pub(crate) fn may_depend(&self, packet: &AvPacket) -> bool {
        self.headers.as_ref().is_some_and(|headers| headers.may_depend(packet))
    }

    /// Returns `true` if the decoder, although flushed, would decode the packet otherwise than a new one.
    pub(crate) fn has_strayed_for(&self, packet: &AvPacket) -> bool {
        self.headers.as_ref().is_some_and(|headers| headers.have_strayed_for(packet))
    }

    /// Returns the frame rate of MPEG-2 with 3:2 pulldown, judging by the last pictures and those of these packets.
    pub(crate) fn pulldown_rate<'a>(&self, ahead: impl Iterator<Item = &'a AvPacket>) -> Option<Ratio> {
        self.headers.as_ref()?.pulldown_rate(ahead)
    }

    /// Returns the number of packets taken so far, including refused ones. The next packet's frame will carry it as its
    /// [number](AvFrame::packet_number).
    pub(crate) const fn taken(&self) -> u64 {
        self.taken
    }

    /// Updates the state for inspecting packets from a packet that is about to be sent.
    fn inspect(&mut self, packet: &AvPacket) {
        if let Some(extradata) = packet.configuration() {
            self.units = self.units.and_then(|units| units.reconfigured(extradata));
        }
        if let Some(units) = &mut self.units {
            units.learn(packet.data());
        }
    }

    /// Takes the next frame from the decoder.
    pub(crate) fn receive(&mut self) -> Received {
        match self.receive_unstated() {
            Received::Frame(mut frame) => {
                if let Some(headers) = &self.headers {
                    frame.set_stated(headers);
                }
                Received::Frame(frame)
            }
            other => other,
        }
    }

    fn receive_unstated(&mut self) -> Received {
        let device = match self.options.hardware {
            Some(Accelerator::Device(device)) => device,
            _ => return self.take(),
        };
        while self.downloads.len() <= DOWNLOADS && self.error.is_none() {
            let surface = match self.take_raw() {
                Ok(surface) => surface,
                Err(AvError::AGAIN) => return Received::NeedsInput,
                Err(error) => {
                    self.error = Some(error);
                    break;
                }
            };
            // SAFETY: the context is valid; the field is a C enumeration.
            let coded = PixelFormat(unsafe { enum_number(&raw const (*self.context.as_ptr()).sw_pix_fmt) });
            match Download::start(device, surface, coded, &self.state.pool, self.memory.as_ref()) {
                // With a low delay, nobody waits for another packet.
                Ok(download) if self.options.low_delay => {
                    return download.finish().map_or_else(Received::Refused, Received::Frame);
                }
                Ok(download) => self.downloads.push_back(download),
                Err(error) => self.error = Some(error),
            }
        }
        match self.downloads.pop_front() {
            Some(download) => download.finish().map_or_else(Received::Refused, Received::Frame),
            None => match self.error.take() {
                None | Some(AvError::EOF) => Received::End,
                Some(error) => Received::Refused(error),
            },
        }
    }

    /// Takes the next frame from a decoder whose frames are in memory.
    fn take(&mut self) -> Received {
        match self.take_raw() {
            Ok(mut frame) => {
                #[cfg(test)]
                if let Some(Accelerator::Made(made)) = self.options.hardware {
                    return made.pass_on(&frame).map_or_else(Received::Refused, Received::Frame);
                }
                frame.look_up(&self.state.pool);
                Received::Frame(frame)
            }
            Err(AvError::AGAIN) => Received::NeedsInput,
            Err(AvError::EOF) => Received::End,
            Err(error) => Received::Refused(error),
        }
    }

    fn take_raw(&mut self) -> Result<AvFrame, AvError> {
        let frame = AvFrame::new();
        self.announce();
        // SAFETY: both pointers are valid, the frame is blank.
        AvError::check(unsafe { ffi::avcodec_receive_frame(self.context.as_ptr(), frame.as_ptr()) })?;
        self.is_fresh = false;
        Ok(frame)
    }

    /// Tells the interface to the hardware which decoder this thread is about to call.
    #[cfg_attr(ffmpeg_before_6_1, expect(clippy::unused_self, reason = "only newer FFmpeg decodes with Vulkan"))]
    fn announce(&self) {
        #[cfg(not(ffmpeg_before_6_1))]
        super::vulkan::set_fresh(self.is_fresh);
    }

    /// Returns the hardware that decodes, if any does.
    pub(crate) const fn hardware(&self) -> Option<Accelerator> {
        self.options.hardware
    }

    /// Returns `true` if the hardware does not decode this profile, size or chroma format.
    pub(crate) fn has_refused(&self) -> bool {
        self.state.has_refused.load(Ordering::Relaxed)
    }

    /// Opens a decoder in software that takes the place of this one: the number of its next packet is `next`.
    pub(crate) fn in_software(&self, parameters: &StreamParameters<'_>, next: u64) -> Result<Self, AvError> {
        let options = CodecOptions { hardware: None, ..self.options.clone() };
        let mut codec = Self::open(parameters, options)?;
        codec.taken = next;
        Ok(codec)
    }

    /// Resets the decoder: it forgets all packets and frames.
    pub(crate) fn flush(&mut self) {
        self.downloads.clear();
        self.error = None;
        self.is_fresh = true;
        if let Some(headers) = &mut self.headers {
            headers.restart();
        }
        // SAFETY: the context is open.
        unsafe { ffi::avcodec_flush_buffers(self.context.as_ptr()) }
    }

    /// Sets whether the decoder skips packets from now on if no other picture refers to theirs. Ignored for codecs
    /// whose decoder cannot tell.
    pub(crate) fn skip_unreferenced(&mut self, skip: bool) {
        let discard = if skip && self.can_skip_unreferenced {
            ffi::AVDiscard::AVDISCARD_NONREF
        } else {
            ffi::AVDiscard::AVDISCARD_DEFAULT
        };
        // SAFETY: the field may be set between packets; frame threads copy it with each packet.
        unsafe { (*self.context.as_ptr()).skip_frame = discard }
    }

    /// Returns `true` if all other pictures decode the same without this packet. A packet that the decoder itself
    /// [skips](Self::skip_unreferenced) still occupies one of the frame threads for a turn, so that on two cores hardly
    /// two of them ever run at the same time.
    pub(crate) fn can_do_without(&self, packet: &AvPacket) -> bool {
        self.units.is_some_and(|units| !packet.reconfigures() && units.is_unreferenced(packet.data()))
    }

    /// Returns `true` if each thread decodes a frame of its own. Such a decoder may report errors in a frame after
    /// outputting the frame.
    pub(crate) fn has_frame_threads(&self) -> bool {
        // SAFETY: the context is valid.
        unsafe { (*self.context.as_ptr()).active_thread_type & ffi::FF_THREAD_FRAME != 0 }
    }

    /// Returns `true` if the stream states film grain, which the decoder adds unless its frames carry the parameters.
    /// FFmpeg 9 no longer reports it.
    #[cfg(ffmpeg_before_9)]
    pub(crate) fn has_film_grain(&self) -> bool {
        // SAFETY: the context is valid.
        unsafe { (*self.context.as_ptr()).properties & ffi::FF_CODEC_PROPERTY_FILM_GRAIN.cast_unsigned() != 0 }
    }

    /// Returns `false`: FFmpeg 9 does not report that the decoder adds film grain.
    #[cfg(not(ffmpeg_before_9))]
    #[expect(clippy::unused_self, reason = "older FFmpeg reports it")]
    pub(crate) const fn has_film_grain(&self) -> bool {
        false
    }

    /// Returns the number of threads actually in use.
    pub(crate) fn threads(&self) -> usize {
        // SAFETY: the context is valid.
        let (active, count) =
            unsafe { ((*self.context.as_ptr()).active_thread_type, (*self.context.as_ptr()).thread_count) };
        if active == 0 { 1 } else { usize::try_from(count).unwrap_or(1).max(1) }
    }

    /// Returns the decoder's name, for instance "libdav1d".
    pub(crate) fn name(&self) -> String {
        // SAFETY: an open context refers to its codec, whose name is a constant.
        unsafe {
            let codec = (*self.context.as_ptr()).codec;
            if codec.is_null() || (*codec).name.is_null() {
                return String::new();
            }
            CStr::from_ptr((*codec).name).to_string_lossy().into_owned()
        }
    }
}

impl Drop for Codec {
    fn drop(&mut self) {
        let mut pointer = self.context.as_ptr();
        // SAFETY: this is the only owner; the function takes the address of a pointer and clears it.
        unsafe { ffi::avcodec_free_context(&raw mut pointer) }
    }
}
