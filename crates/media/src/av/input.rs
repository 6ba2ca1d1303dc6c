//! An open file or network stream: the demuxer.

use std::ffi::{CStr, c_int, c_void};
use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ffmpeg_next::ffi;

use super::messages::take_oversize;
use super::stream::{StreamParameters, tag};
use super::{AvError, AvPacket, Denied, static_text, take_denied, timestamp};
use histoscope_core::picture::Ratio;

/// Frames a second that no video has on average.
const MOST_RATE: f64 = 1000.0;

/// Ends blocking input: on a request to stop, or after the time limit of one operation.
pub(crate) struct Interrupt {
    stop: AtomicBool,
    hurry: AtomicBool,
    epoch: Instant,
    /// Milliseconds after `epoch` at which the operation under way is given up; `u64::MAX` for never.
    deadline_ms: AtomicU64,
}

impl Interrupt {
    pub(crate) fn new() -> Self {
        Self {
            stop: AtomicBool::new(false),
            hurry: AtomicBool::new(false),
            epoch: Instant::now(),
            deadline_ms: AtomicU64::new(u64::MAX),
        }
    }

    /// Ends the operation under way and all later ones.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Release);
    }

    /// Returns whether [`stop`](Self::stop) was called.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// Says whether a later request waits for the seek under way.
    pub(crate) fn set_hurry(&self, hurry: bool) {
        self.hurry.store(hurry, Ordering::Release);
    }

    /// Returns whether a later request waits for the seek under way.
    pub(crate) fn is_hurried(&self) -> bool {
        self.hurry.load(Ordering::Acquire)
    }

    /// Gives the operation that follows this much time.
    pub(crate) fn limit(&self, time: Option<Duration>) {
        let deadline = time.map_or(u64::MAX, |time| self.now_ms().saturating_add(time.as_millis() as u64));
        self.deadline_ms.store(deadline, Ordering::Relaxed);
    }

    /// Returns whether the time is up.
    pub(crate) fn is_late(&self) -> bool {
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

/// The result of reading.
pub(crate) enum Read {
    /// A packet of some stream.
    Packet(AvPacket),
    /// The end of the file.
    End,
    /// An error; what follows may still be readable.
    Error(AvError),
    /// Something that the file names may not be read, or cannot be.
    Denied(Denied),
}

/// A packet as a format's index lists it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IndexEntry {
    /// Its decoding timestamp in ticks.
    pub(crate) dts: i64,
    /// Where it lies in the file, in bytes.
    pub(crate) place: i64,
    /// True if decoding can start there.
    pub(crate) is_key: bool,
    /// True if it is decoded only for other frames' sake, as an edit list has it.
    pub(crate) is_hidden: bool,
}

/// An open input.
pub(crate) struct Input {
    context: NonNull<ffi::AVFormatContext>,
    // Outlives the context, which holds its address.
    _interrupt: Arc<Interrupt>,
    /// A name in the file that was denied while it was opened.
    denied: Option<Denied>,
    /// Width and height of a picture that was too large for FFmpeg as it was opened.
    oversize: Option<(u32, u32)>,
}

// SAFETY: a format context may be used from any one thread at a time, and this type is its only owner.
unsafe impl Send for Input {}

impl Input {
    /// Opens a URL or file name as FFmpeg understands it, as the format of that name or as the one that the first bytes
    /// tell, with options for the protocol and the demuxer, and reads as
    /// much as it takes to know the streams.
    pub(crate) fn open(
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
            let mut input = Self { context, _interrupt: interrupt, denied: None, oversize: None };
            take_oversize();
            AvError::check(ffi::avformat_find_stream_info(input.context.as_ptr(), ptr::null_mut()))?;
            input.denied = take_denied();
            input.oversize = take_oversize();
            Ok(input)
        }
    }

    /// Returns what the file named and did not get while it was opened; it may have streams all the same.
    pub(crate) const fn denied(&self) -> Option<&Denied> {
        self.denied.as_ref()
    }

    /// Width and height of a picture that was too large for FFmpeg as it was opened.
    pub(crate) const fn oversize(&self) -> Option<(u32, u32)> {
        self.oversize
    }

    #[cfg(not(ffmpeg_before_7))]
    pub(super) const fn as_ptr(&self) -> *const ffi::AVFormatContext {
        self.context.as_ptr()
    }

    const fn get(&self) -> &ffi::AVFormatContext {
        // SAFETY: the pointer is valid as long as `self`. No enumeration is read through this reference.
        unsafe { self.context.as_ref() }
    }

    /// Returns whether packets of this format carry timestamps of their own, and the format knows where they lie: raw streams do not,
    /// and where FFmpeg itself notes their places as it reads, those can be a packet off.
    pub(crate) fn has_timestamps(&self) -> bool {
        self.format_flags() & (ffi::AVFMT_NOTIMESTAMPS | ffi::AVFMT_GENERIC_INDEX) == 0
    }

    /// Returns the entries of the format's index for a stream so far, in decoding order.
    pub(crate) fn index_entries(&self, stream: usize) -> Vec<IndexEntry> {
        let Some(stream) = self.stream(stream) else { return Vec::new() };
        let stream = stream.stream().as_ptr();
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

    /// A stream's average frame rate, and the lowest one in which all its timestamps can be expressed, where they are known.
    pub(crate) fn rates(&self, stream: &StreamParameters<'_>) -> (Option<Ratio>, Option<Ratio>) {
        // Newer versions of FFmpeg call 25 the average of raw streams, whatever their headers state, and that of their fields the lowest;
        // and the ticks of DV, 60000 a second, its average.
        let coded = stream.coded_rate().filter(|_| !self.has_timestamps());
        let average = stream.average_rate();
        let base = coded.or_else(|| stream.base_rate());
        let credible = average.filter(|rate| rate.value() <= MOST_RATE);
        (coded.or(credible).or(base).or(average), base)
    }

    /// Number of streams of any kind.
    pub(crate) fn stream_count(&self) -> usize {
        self.get().nb_streams as usize
    }

    /// The parameters of the stream of that index.
    pub(crate) fn stream(&self, index: usize) -> Option<StreamParameters<'_>> {
        if index >= self.stream_count() {
            return None;
        }
        // SAFETY: the array holds `nb_streams` valid pointers.
        let stream = NonNull::new(unsafe { *self.get().streams.add(index) })?;
        // SAFETY: streams live as long as their input, which what is given borrows.
        Some(unsafe { StreamParameters::new(stream) })
    }

    /// The video stream that FFmpeg itself would take.
    pub(crate) fn best_video(&self) -> Option<usize> {
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
    pub(crate) fn select(&mut self, chosen: usize) {
        for index in 0..self.stream_count() {
            if let Some(stream) = self.stream(index) {
                let discard =
                    if index == chosen { ffi::AVDiscard::AVDISCARD_DEFAULT } else { ffi::AVDiscard::AVDISCARD_ALL };
                // SAFETY: the field may be set between reads.
                unsafe { (*stream.stream().as_ptr()).discard = discard }
            }
        }
    }

    /// The short name of the container format, for instance "mov,mp4,m4a,3gp,3g2,mj2".
    pub(crate) fn container(&self) -> &'static str {
        // SAFETY: an open input has a format, whose name is a constant.
        unsafe {
            let format = self.get().iformat;
            if format.is_null() { "" } else { static_text((*format).name).unwrap_or("") }
        }
    }

    /// Returns whether timestamps of this format may jump in the middle (transport streams).
    pub(crate) fn may_jump(&self) -> bool {
        self.format_flags() & ffi::AVFMT_TS_DISCONT != 0
    }

    fn format_flags(&self) -> c_int {
        // SAFETY: an open input has a format.
        unsafe {
            let format = self.get().iformat;
            if format.is_null() { 0 } else { (*format).flags }
        }
    }

    /// The text of that tag of the file.
    pub(crate) fn tag(&self, name: &CStr) -> Option<String> {
        // SAFETY: the file's dictionary is null or valid.
        unsafe { tag(self.get().metadata, name) }
    }

    /// Duration of the whole file in seconds, where it is known.
    pub(crate) fn duration_secs(&self) -> Option<f64> {
        timestamp(self.get().duration).filter(|d| *d > 0).map(|d| d as f64 / f64::from(ffi::AV_TIME_BASE))
    }

    /// Bits a second of the whole file, where known.
    pub(crate) fn bit_rate(&self) -> Option<u64> {
        u64::try_from(self.get().bit_rate).ok().filter(|rate| *rate > 0)
    }

    /// Returns whether bytes can be read from any position; true for formats that need no bytes (image sequences).
    pub(crate) fn is_seekable(&self) -> bool {
        let bytes = self.get().pb;
        if bytes.is_null() {
            return true;
        }
        // SAFETY: a non-null byte stream of an open input is valid.
        unsafe { (*bytes).seekable != 0 }
    }

    /// Length of the whole source in bytes; `None` where nobody tells, as of what is being made while it is sent.
    pub(crate) fn byte_length(&self) -> Option<u64> {
        let bytes = self.get().pb;
        if bytes.is_null() {
            return None;
        }
        // SAFETY: a non-null byte stream of an open input is valid.
        u64::try_from(unsafe { ffi::avio_size(bytes) }).ok()
    }

    /// The next packet of any stream that was not left out.
    pub(crate) fn read(&mut self) -> Read {
        let packet = AvPacket::new();
        // SAFETY: the context is valid and the packet blank.
        let code = unsafe { ffi::av_read_frame(self.context.as_ptr(), packet.as_ptr()) };
        if let Some(denied) = take_denied() {
            return Read::Denied(denied);
        }
        match AvError::check(code) {
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
    pub(crate) fn seek(&mut self, stream: usize, ticks: i64) -> Result<(), AvError> {
        let index = c_int::try_from(stream).unwrap_or(-1);
        // SAFETY: the context is valid.
        AvError::check(unsafe { ffi::av_seek_frame(self.context.as_ptr(), index, ticks, ffi::AVSEEK_FLAG_BACKWARD) })
            .map(|_| ())
    }

    /// Timestamp of the last keyframe at or before `ticks` that the format's index lists.
    pub(crate) fn indexed_key(&self, stream: usize, ticks: i64) -> Option<i64> {
        let stream = self.stream(stream)?;
        // SAFETY: the stream is valid; the entry stays so until the next read, and is copied here.
        unsafe {
            let entry = ffi::avformat_index_get_entry_from_timestamp(
                stream.stream().as_ptr(),
                ticks,
                ffi::AVSEEK_FLAG_BACKWARD,
            );
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
