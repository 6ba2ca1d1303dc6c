//! An open file or network stream: the demuxer.

use std::ffi::{CStr, c_int, c_void};
use std::marker::PhantomData;
use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ffmpeg_next::ffi;

use super::{AvError, AvPacket, ColorNumbers, PixelFormat, enum_number, positive_ratio, static_text, timestamp};
use crate::picture::Ratio;

/// What ends blocking input: a request to stop, or the time limit of one operation.
pub(in crate::media) struct Interrupt {
    stop: AtomicBool,
    hurry: AtomicBool,
    epoch: Instant,
    /// Milliseconds after `epoch` at which the operation under way is given up; `u64::MAX` for never.
    deadline_ms: AtomicU64,
}

impl Interrupt {
    pub(in crate::media) fn new() -> Self {
        Self {
            stop: AtomicBool::new(false),
            hurry: AtomicBool::new(false),
            epoch: Instant::now(),
            deadline_ms: AtomicU64::new(u64::MAX),
        }
    }

    /// Ends the operation under way and all later ones.
    pub(in crate::media) fn stop(&self) {
        self.stop.store(true, Ordering::Release);
    }

    /// Whether [`stop`](Self::stop) was called.
    pub(in crate::media) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// Says whether a later request waits for the seek under way.
    pub(in crate::media) fn set_hurry(&self, hurry: bool) {
        self.hurry.store(hurry, Ordering::Release);
    }

    /// Whether a later request waits for the seek under way.
    pub(in crate::media) fn is_hurried(&self) -> bool {
        self.hurry.load(Ordering::Acquire)
    }

    /// Gives the operation that follows this much time.
    pub(in crate::media) fn limit(&self, time: Option<Duration>) {
        let deadline = time.map_or(u64::MAX, |time| self.now_ms().saturating_add(time.as_millis() as u64));
        self.deadline_ms.store(deadline, Ordering::Relaxed);
    }

    /// Whether the time is up.
    pub(in crate::media) fn is_late(&self) -> bool {
        self.now_ms() > self.deadline_ms.load(Ordering::Relaxed)
    }

    fn now_ms(&self) -> u64 {
        self.epoch.elapsed().as_millis() as u64
    }

    unsafe extern "C" fn callback(opaque: *mut c_void) -> c_int {
        // SAFETY: `opaque` is the `Interrupt` that `Input` keeps alive as long as the context that calls back.
        let interrupt = unsafe { &*opaque.cast::<Self>() };
        c_int::from(interrupt.is_stopped() || interrupt.is_late())
    }
}

/// What reading gave.
pub(in crate::media) enum Read {
    /// A packet of some stream.
    Packet(AvPacket),
    /// The end of the file.
    End,
    /// An error; what follows may still be readable.
    Error(AvError),
}

/// A packet as a format's index lists it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::media) struct IndexEntry {
    /// Its decoding timestamp in ticks.
    pub(in crate::media) dts: i64,
    /// Where it lies in the file, in bytes.
    pub(in crate::media) place: i64,
    /// Whether decoding can start there.
    pub(in crate::media) is_key: bool,
    /// Whether it is decoded only for other frames' sake, as an edit list has it.
    pub(in crate::media) is_hidden: bool,
}

/// An open input.
pub(in crate::media) struct Input {
    context: NonNull<ffi::AVFormatContext>,
    // Outlives the context, which holds its address.
    _interrupt: Arc<Interrupt>,
}

// SAFETY: a format context may be used from any one thread at a time, and this type is its only owner.
unsafe impl Send for Input {}

impl Input {
    /// Opens a URL or file name as FFmpeg understands it, as the format of that name or as the one that the first bytes
    /// tell, with options for the protocol and the demuxer, and reads as
    /// much as it takes to know the streams.
    pub(in crate::media) fn open(
        url: &CStr,
        format: Option<&CStr>,
        options: &[(&CStr, &CStr)],
        interrupt: Arc<Interrupt>,
    ) -> Result<Self, AvError> {
        // SAFETY: the context is set up before it is used. `avformat_open_input` frees it on failure; after success
        // `Drop` does. The dictionary is freed in any case.
        unsafe {
            let mut context = ffi::avformat_alloc_context();
            if context.is_null() {
                return Err(AvError(ffi::AVERROR_UNKNOWN));
            }
            (*context).interrupt_callback = ffi::AVIOInterruptCB {
                callback: Some(Interrupt::callback),
                opaque: Arc::as_ptr(&interrupt).cast_mut().cast(),
            };
            let mut dictionary = ptr::null_mut();
            for (key, value) in options {
                ffi::av_dict_set(&raw mut dictionary, key.as_ptr(), value.as_ptr(), 0);
            }
            let format = format.map_or(ptr::null(), |name| ffi::av_find_input_format(name.as_ptr()));
            let code = ffi::avformat_open_input(&raw mut context, url.as_ptr(), format, &raw mut dictionary);
            ffi::av_dict_free(&raw mut dictionary);
            AvError::check(code)?;
            let context = NonNull::new(context).ok_or(AvError(ffi::AVERROR_UNKNOWN))?;
            let input = Self { context, _interrupt: interrupt };
            AvError::check(ffi::avformat_find_stream_info(input.context.as_ptr(), ptr::null_mut()))?;
            Ok(input)
        }
    }

    const fn get(&self) -> &ffi::AVFormatContext {
        // SAFETY: the pointer is valid as long as `self`. No enumeration is read through this reference.
        unsafe { self.context.as_ref() }
    }

    /// Whether packets of this format carry timestamps of their own, and the format knows where they lie: raw streams do not,
    /// and where FFmpeg itself notes their places as it reads, those can be a packet off.
    pub(in crate::media) fn has_timestamps(&self) -> bool {
        self.format_flags() & (ffi::AVFMT_NOTIMESTAMPS | ffi::AVFMT_GENERIC_INDEX) == 0
    }

    /// What the format's index lists of a stream so far, in decoding order.
    pub(in crate::media) fn index_entries(&self, stream: usize) -> Vec<IndexEntry> {
        let Some(stream) = self.stream(stream) else { return Vec::new() };
        let stream = stream.stream.as_ptr();
        // SAFETY: the stream is valid; an entry stays so until the next read, and is copied here.
        unsafe {
            let count = ffi::avformat_index_get_entries_count(stream);
            let entries = (0..count).filter_map(|at| ffi::avformat_index_get_entry(stream, at).as_ref());
            entries
                .map(|entry| IndexEntry {
                    dts: entry.timestamp,
                    place: entry.pos,
                    is_key: entry.flags() & ffi::AVINDEX_KEYFRAME != 0,
                    is_hidden: entry.flags() & ffi::AVINDEX_DISCARD_FRAME != 0,
                })
                .collect()
        }
    }

    /// Number of streams of any kind.
    pub(in crate::media) fn stream_count(&self) -> usize {
        self.get().nb_streams as usize
    }

    /// The parameters of the stream of that index.
    pub(in crate::media) fn stream(&self, index: usize) -> Option<StreamParameters<'_>> {
        if index >= self.stream_count() {
            return None;
        }
        // SAFETY: the array holds `nb_streams` valid pointers.
        let stream = NonNull::new(unsafe { *self.get().streams.add(index) })?;
        Some(StreamParameters { stream, _input: PhantomData })
    }

    /// The video stream that FFmpeg itself would take.
    pub(in crate::media) fn best_video(&self) -> Option<usize> {
        // SAFETY: the context is valid; null asks for no decoder.
        let index = unsafe {
            ffi::av_find_best_stream(
                self.context.as_ptr(),
                ffi::AVMediaType::AVMEDIA_TYPE_VIDEO,
                -1,
                -1,
                ptr::null_mut(),
                0,
            )
        };
        usize::try_from(index).ok()
    }

    /// Leaves all packets out but those of one stream.
    pub(in crate::media) fn select(&mut self, chosen: usize) {
        for index in 0..self.stream_count() {
            if let Some(stream) = self.stream(index) {
                let discard =
                    if index == chosen { ffi::AVDiscard::AVDISCARD_DEFAULT } else { ffi::AVDiscard::AVDISCARD_ALL };
                // SAFETY: the field may be set between reads.
                unsafe { (*stream.stream.as_ptr()).discard = discard }
            }
        }
    }

    /// The short name of the container format, for instance "mov,mp4,m4a,3gp,3g2,mj2".
    pub(in crate::media) fn container(&self) -> &'static str {
        // SAFETY: an open input has a format, whose name is a constant.
        unsafe {
            let format = self.get().iformat;
            if format.is_null() { "" } else { static_text((*format).name).unwrap_or("") }
        }
    }

    /// Whether timestamps of this format may jump in the middle (transport streams).
    pub(in crate::media) fn may_jump(&self) -> bool {
        self.format_flags() & ffi::AVFMT_TS_DISCONT != 0
    }

    fn format_flags(&self) -> c_int {
        // SAFETY: an open input has a format.
        unsafe {
            let format = self.get().iformat;
            if format.is_null() { 0 } else { (*format).flags }
        }
    }

    /// Duration of the whole file in seconds, where it is known.
    pub(in crate::media) fn duration_secs(&self) -> Option<f64> {
        timestamp(self.get().duration).filter(|d| *d > 0).map(|d| d as f64 / f64::from(ffi::AV_TIME_BASE))
    }

    /// Bits a second of the whole file, where known.
    pub(in crate::media) fn bit_rate(&self) -> Option<u64> {
        u64::try_from(self.get().bit_rate).ok().filter(|rate| *rate > 0)
    }

    /// Whether bytes can be read from any position; true for formats that need no bytes (image sequences).
    pub(in crate::media) fn is_seekable(&self) -> bool {
        let bytes = self.get().pb;
        if bytes.is_null() {
            return true;
        }
        // SAFETY: a non-null byte stream of an open input is valid.
        unsafe { (*bytes).seekable != 0 }
    }

    /// The next packet of any stream that was not left out.
    pub(in crate::media) fn read(&mut self) -> Read {
        let packet = AvPacket::new();
        // SAFETY: the context is valid and the packet blank.
        match AvError::check(unsafe { ffi::av_read_frame(self.context.as_ptr(), packet.as_ptr()) }) {
            Ok(_) => Read::Packet(packet),
            Err(AvError::EOF) => self.end_reason(),
            Err(error) => Read::Error(error),
        }
    }

    /// Tells a file's true end from one where the bytes could not be read.
    fn end_reason(&self) -> Read {
        let bytes = self.get().pb;
        // SAFETY: a non-null byte stream of an open input is valid.
        let error = if bytes.is_null() { 0 } else { unsafe { (*bytes).error } };
        match AvError::check(error) {
            Ok(_) | Err(AvError::EOF) => Read::End,
            Err(error) => Read::Error(error),
        }
    }

    /// Goes to the last position from which the frame at `ticks` can be decoded, as far as the format can tell.
    pub(in crate::media) fn seek(&mut self, stream: usize, ticks: i64) -> Result<(), AvError> {
        let index = c_int::try_from(stream).unwrap_or(-1);
        // SAFETY: the context is valid.
        AvError::check(unsafe { ffi::av_seek_frame(self.context.as_ptr(), index, ticks, ffi::AVSEEK_FLAG_BACKWARD) })
            .map(|_| ())
    }

    /// Timestamp of the last keyframe at or before `ticks` that the format's index lists.
    pub(in crate::media) fn indexed_key(&self, stream: usize, ticks: i64) -> Option<i64> {
        let stream = self.stream(stream)?;
        // SAFETY: the stream is valid; the entry stays so until the next read, and is copied here.
        unsafe {
            let entry =
                ffi::avformat_index_get_entry_from_timestamp(stream.stream.as_ptr(), ticks, ffi::AVSEEK_FLAG_BACKWARD);
            if entry.is_null() { None } else { Some((*entry).timestamp) }
        }
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        let mut pointer = self.context.as_ptr();
        // SAFETY: this is the only owner; the function takes the address of a pointer and clears it.
        unsafe { ffi::avformat_close_input(&raw mut pointer) }
    }
}

/// A view of one stream's description.
pub(in crate::media) struct StreamParameters<'a> {
    stream: NonNull<ffi::AVStream>,
    _input: PhantomData<&'a Input>,
}

impl StreamParameters<'_> {
    const fn get(&self) -> &ffi::AVStream {
        // SAFETY: the stream lives as long as the input that this borrows. No enumeration is read through it.
        unsafe { self.stream.as_ref() }
    }

    pub(super) const fn as_ptr(&self) -> *const ffi::AVCodecParameters {
        self.get().codecpar
    }

    pub(super) const fn raw_time_base(&self) -> ffi::AVRational {
        self.get().time_base
    }

    /// Whether it is a video stream.
    pub(in crate::media) fn is_video(&self) -> bool {
        // SAFETY: a stream always has parameters; the field is a C enumeration.
        let kind = unsafe { enum_number(&raw const (*self.as_ptr()).codec_type) };
        kind == ffi::AVMediaType::AVMEDIA_TYPE_VIDEO as i32
    }

    /// Whether it is a cover picture or a thumbnail rather than the video itself.
    pub(in crate::media) fn is_cover(&self) -> bool {
        self.get().disposition & (ffi::AV_DISPOSITION_ATTACHED_PIC | ffi::AV_DISPOSITION_TIMED_THUMBNAILS) != 0
    }

    /// Whether the container marks it as the one to play.
    pub(in crate::media) fn is_default(&self) -> bool {
        self.get().disposition & ffi::AV_DISPOSITION_DEFAULT != 0
    }

    /// FFmpeg's decoder for it, if there is one.
    pub(super) fn decoder(&self) -> Option<*const ffi::AVCodec> {
        // SAFETY: the function takes any codec number, and its result is null or a constant.
        let decoder = unsafe { by_number::avcodec_find_decoder(self.codec_number()) };
        (!decoder.is_null()).then_some(decoder)
    }

    /// Whether FFmpeg has a decoder for it.
    pub(in crate::media) fn has_decoder(&self) -> bool {
        self.decoder().is_some()
    }

    fn codec_number(&self) -> c_int {
        // SAFETY: a stream always has parameters; the field is a C enumeration.
        unsafe { enum_number(&raw const (*self.as_ptr()).codec_id) }
    }

    /// The codec's name, for instance "h264"; the code that the file gives it where FFmpeg has no name.
    pub(in crate::media) fn codec_name(&self) -> &'static str {
        // SAFETY: the function takes any number and returns a constant.
        unsafe { static_text(by_number::avcodec_get_name(self.codec_number())).unwrap_or("unknown") }
    }

    /// The four characters by which the file names the codec, where they can be printed.
    pub(in crate::media) fn codec_tag(&self) -> Option<String> {
        // SAFETY: a stream always has parameters.
        let tag = unsafe { (*self.as_ptr()).codec_tag }.to_le_bytes();
        let printable = tag.iter().all(|byte| byte.is_ascii_graphic());
        printable.then(|| tag.iter().map(|byte| char::from(*byte)).collect())
    }

    /// Whether every packet of the codec is a picture of its own, as FFmpeg knows it.
    pub(in crate::media) fn is_intra_only(&self) -> bool {
        // SAFETY: the function takes any number and returns null or a constant.
        let descriptor = unsafe { by_number::avcodec_descriptor_get(self.codec_number()).as_ref() };
        descriptor.is_some_and(|descriptor| descriptor.props & ffi::AV_CODEC_PROP_INTRA_ONLY != 0)
    }

    /// The profile's name, for instance "High 10".
    pub(in crate::media) fn profile(&self) -> Option<&'static str> {
        // SAFETY: the function takes any numbers and returns null or a constant.
        unsafe { static_text(by_number::avcodec_profile_name(self.codec_number(), (*self.as_ptr()).profile)) }
    }

    /// Width and height that the header states.
    pub(in crate::media) fn size(&self) -> (u32, u32) {
        // SAFETY: a stream always has parameters.
        let (width, height) = unsafe { ((*self.as_ptr()).width, (*self.as_ptr()).height) };
        (u32::try_from(width).unwrap_or(0), u32::try_from(height).unwrap_or(0))
    }

    /// The pixel format that the header states.
    pub(in crate::media) fn pixel_format(&self) -> PixelFormat {
        // SAFETY: a stream always has parameters.
        PixelFormat(unsafe { (*self.as_ptr()).format })
    }

    /// Bits a second, where stated.
    pub(in crate::media) fn bit_rate(&self) -> Option<u64> {
        // SAFETY: a stream always has parameters.
        u64::try_from(unsafe { (*self.as_ptr()).bit_rate }).ok().filter(|rate| *rate > 0)
    }

    /// Colour tags of the container or the codec's header.
    pub(in crate::media) fn color_numbers(&self) -> ColorNumbers {
        let parameters = self.as_ptr();
        // SAFETY: a stream always has parameters; these fields are C enumerations.
        unsafe {
            ColorNumbers {
                matrix: enum_number(&raw const (*parameters).color_space),
                range: enum_number(&raw const (*parameters).color_range),
                primaries: enum_number(&raw const (*parameters).color_primaries),
                transfer: enum_number(&raw const (*parameters).color_trc),
            }
        }
    }

    /// Seconds per tick.
    pub(in crate::media) fn time_base(&self) -> Ratio {
        positive_ratio(self.get().time_base).unwrap_or(Ratio { num: 1, den: 90_000 })
    }

    /// Timestamp of the first frame, as the container states it.
    pub(in crate::media) const fn start(&self) -> Option<i64> {
        timestamp(self.get().start_time)
    }

    /// Duration in ticks.
    pub(in crate::media) fn duration(&self) -> Option<i64> {
        timestamp(self.get().duration).filter(|ticks| *ticks > 0)
    }

    /// Duration in seconds that the stream's tags state, as Matroska files have it (HH:MM:SS and fractions).
    pub(in crate::media) fn tagged_duration_secs(&self) -> Option<f64> {
        // SAFETY: the stream's dictionary may be null; an entry's value is a string that lives as long as the stream.
        let text = unsafe {
            let entry = ffi::av_dict_get(self.get().metadata, c"DURATION".as_ptr(), ptr::null(), 0);
            if entry.is_null() {
                return None;
            }
            CStr::from_ptr((*entry).value).to_str().ok()?
        };
        let parts = text.split(':').map(|part| part.trim().parse::<f64>().ok()).collect::<Option<Vec<_>>>()?;
        let secs = parts.iter().fold(0.0, |secs, part| secs * 60.0 + part);
        (parts.len() == 3 && secs > 0.0).then_some(secs)
    }

    /// Number of frames that the container states.
    pub(in crate::media) fn frame_count(&self) -> Option<u64> {
        u64::try_from(self.get().nb_frames).ok().filter(|count| *count > 0)
    }

    /// Average frame rate.
    pub(in crate::media) fn average_rate(&self) -> Option<Ratio> {
        positive_ratio(self.get().avg_frame_rate)
    }

    /// Lowest rate in which all timestamps can be expressed.
    pub(in crate::media) fn base_rate(&self) -> Option<Ratio> {
        positive_ratio(self.get().r_frame_rate)
    }

    /// Width of a pixel over its height, as the container has it.
    pub(in crate::media) fn sample_aspect(&self) -> Option<Ratio> {
        positive_ratio(self.get().sample_aspect_ratio)
    }

    /// The same, as the codec's header has it.
    pub(in crate::media) fn coded_sample_aspect(&self) -> Option<Ratio> {
        // SAFETY: a stream always has parameters.
        positive_ratio(unsafe { (*self.as_ptr()).sample_aspect_ratio })
    }

    /// The display matrix of the whole stream.
    pub(in crate::media) fn display_matrix(&self) -> Option<[i32; 9]> {
        let (data, size) = self.side_data(ffi::AVPacketSideDataType::AV_PKT_DATA_DISPLAYMATRIX)?;
        // SAFETY: the data is as long as stated, and lives as long as the stream.
        (size >= size_of::<[i32; 9]>()).then(|| unsafe { data.cast::<[i32; 9]>().read_unaligned() })
    }

    /// Where the whole stream's data of that kind lies, and its length in bytes.
    #[cfg(ffmpeg_before_6_1)]
    fn side_data(&self, kind: ffi::AVPacketSideDataType) -> Option<(*const u8, usize)> {
        let mut size = 0_usize;
        // SAFETY: the stream is valid.
        let data = unsafe { ffi::av_stream_get_side_data(self.stream.as_ptr(), kind, &raw mut size) };
        (!data.is_null()).then_some((data.cast_const(), size))
    }

    /// Where the whole stream's data of that kind lies, and its length in bytes: FFmpeg 6.1 moved it from the stream to
    /// its parameters, and 7 has no function any more that looks for it in the stream.
    #[cfg(not(ffmpeg_before_6_1))]
    fn side_data(&self, kind: ffi::AVPacketSideDataType) -> Option<(*const u8, usize)> {
        // SAFETY: a stream always has parameters, with an array of the stated length; the result is null or an entry.
        let entry = unsafe {
            let parameters = self.as_ptr();
            ffi::av_packet_side_data_get((*parameters).coded_side_data, (*parameters).nb_coded_side_data, kind).as_ref()
        }?;
        (!entry.data.is_null()).then_some((entry.data.cast_const(), entry.size))
    }
}

// Functions that FFmpeg declares with enumerations, declared with integers for the reason given in the parent module.
mod by_number {
    use std::ffi::{c_char, c_int};

    use ffmpeg_next::ffi::{AVCodec, AVCodecDescriptor};
    unsafe extern "C" {
        pub(super) fn avcodec_find_decoder(id: c_int) -> *const AVCodec;
        pub(super) fn avcodec_descriptor_get(id: c_int) -> *const AVCodecDescriptor;
        pub(super) fn avcodec_get_name(id: c_int) -> *const c_char;
        pub(super) fn avcodec_profile_name(id: c_int, profile: c_int) -> *const c_char;
    }
}
