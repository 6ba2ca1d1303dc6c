//! An open file or network stream: the demuxer.

use std::ffi::{CStr, c_int, c_void};
use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ffmpeg_next::ffi;

use super::messages::take_inability;
use super::stream::{StreamParameters, codec_number, tag};
use super::{AvError, AvPacket, ColorNumbers, Denied, static_text, take_denied, timestamp};
use histoscope_core::picture::Ratio;

/// A rate, in frames per second, that no video reaches on average.
const MAX_RATE: f64 = 1000.0;

/// Ends blocking input, either on request or when an operation exceeds its time limit.
pub(crate) struct Interrupt {
    stop: AtomicBool,
    is_request_waiting: AtomicBool,
    epoch: Instant,
    /// Milliseconds after `epoch` at which the current operation is abandoned; `u64::MAX` means never.
    deadline_ms: AtomicU64,
}

impl Interrupt {
    pub(crate) fn new() -> Self {
        Self {
            stop: AtomicBool::new(false),
            is_request_waiting: AtomicBool::new(false),
            epoch: Instant::now(),
            deadline_ms: AtomicU64::new(u64::MAX),
        }
    }

    /// Ends the current operation and all later ones.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Release);
    }

    /// Returns `true` if [`stop`](Self::stop) was called.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// Sets whether a later request is waiting for the current seek to end.
    pub(crate) fn set_request_waiting(&self, is_waiting: bool) {
        self.is_request_waiting.store(is_waiting, Ordering::Release);
    }

    /// Returns `true` if a later request is waiting for the current seek to end.
    pub(crate) fn is_request_waiting(&self) -> bool {
        self.is_request_waiting.load(Ordering::Acquire)
    }

    /// Limits the next operation to this much time; `None` lifts the limit.
    pub(crate) fn limit(&self, time: Option<Duration>) {
        let deadline = time.map_or(u64::MAX, |time| self.now_ms().saturating_add(time.as_millis() as u64));
        self.deadline_ms.store(deadline, Ordering::Relaxed);
    }

    /// Returns `true` if the time limit has passed.
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
    /// An error; data after it may still be readable.
    Error(AvError),
    /// A name in the file that must not be read, or cannot be.
    Denied(Denied),
}

/// A packet as listed in the format's index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IndexEntry {
    /// Decoding timestamp, in ticks.
    pub(crate) dts: i64,
    /// Position in the file, in bytes.
    pub(crate) position: i64,
    /// `true` if decoding can start at this packet.
    pub(crate) is_key: bool,
    /// `true` if the packet is decoded only because other frames refer to it, as an edit list specifies.
    pub(crate) is_hidden: bool,
}

/// How an input is opened.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct InputOptions<'a> {
    /// The demuxer; without it FFmpeg detects the format from the first bytes.
    pub(crate) format: Option<&'a CStr>,
    /// FFmpeg's name for the video codec, if the name of the file is not to be relied on.
    pub(crate) codec: Option<&'a str>,
    /// Options for the protocol and the demuxer.
    pub(crate) options: &'a [(&'a CStr, &'a CStr)],
    /// Options for the decoder.
    pub(crate) decoding: &'a [(&'a CStr, &'a CStr)],
}

/// An open input.
pub(crate) struct Input {
    context: NonNull<ffi::AVFormatContext>,
    // Outlives the context, which points to it.
    _interrupt: Arc<Interrupt>,
    /// The first name in the file that was denied during opening.
    denied: Option<Denied>,
    /// Width and height of a picture that FFmpeg refused as too large during opening.
    oversize: Option<(u32, u32)>,
}

// SAFETY: a format context may be used from any one thread at a time, and this type is its only owner.
unsafe impl Send for Input {}

impl Input {
    /// Opens a URL or file name as FFmpeg understands it, and reads as much as is needed to know the streams.
    pub(crate) fn open(url: &CStr, options: &InputOptions<'_>, interrupt: Arc<Interrupt>) -> Result<Self, AvError> {
        take_inability();
        let mut input = Self::open_headers(url, options, interrupt)?;
        let stated = input.stated_by_container();
        input.find_streams(options.decoding)?;
        input.forget_probed(&stated);
        input.denied = take_denied();
        input.oversize = take_inability().oversize;
        Ok(input)
    }

    /// Opens a URL or file name, and reads the headers of its container.
    fn open_headers(url: &CStr, options: &InputOptions<'_>, interrupt: Arc<Interrupt>) -> Result<Self, AvError> {
        // SAFETY: the context is set up before use. On failure `avformat_open_input` frees it; after success `Drop`
        // does. The dictionary is freed in either case. A C enumeration is an integer of that size.
        unsafe {
            let mut context = ffi::avformat_alloc_context();
            if context.is_null() {
                return Err(AvError(ffi::AVERROR_UNKNOWN));
            }
            (*context).interrupt_callback = ffi::AVIOInterruptCB {
                callback: Some(Interrupt::callback),
                opaque: Arc::as_ptr(&interrupt).cast_mut().cast(),
            };
            if let Some(codec) = options.codec.and_then(codec_number) {
                (&raw mut (*context).video_codec_id).cast::<c_int>().write(codec);
            }
            let mut dictionary = ptr::null_mut();
            for (key, value) in options.options {
                ffi::av_dict_set(&raw mut dictionary, key.as_ptr(), value.as_ptr(), 0);
            }
            let format = options.format.map_or(ptr::null(), |name| ffi::av_find_input_format(name.as_ptr()));
            let code = ffi::avformat_open_input(&raw mut context, url.as_ptr(), format, &raw mut dictionary);
            ffi::av_dict_free(&raw mut dictionary);
            AvError::check(code)?;
            let context = NonNull::new(context).ok_or(AvError(ffi::AVERROR_UNKNOWN))?;
            Ok(Self { context, _interrupt: interrupt, denied: None, oversize: None })
        }
    }

    /// Reads as much as is needed to know the streams, with these options for each stream's decoder.
    fn find_streams(&mut self, decoding: &[(&CStr, &CStr)]) -> Result<(), AvError> {
        let mut dictionaries = vec![ptr::null_mut(); if decoding.is_empty() { 0 } else { self.stream_count() }];
        let list = if dictionaries.is_empty() { ptr::null_mut() } else { dictionaries.as_mut_ptr() };
        // SAFETY: the context is valid. The list is null, or has one dictionary for each stream, as the function
        // requires; they are freed here, and only here.
        unsafe {
            for dictionary in &mut dictionaries {
                for (key, value) in decoding {
                    ffi::av_dict_set(dictionary, key.as_ptr(), value.as_ptr(), 0);
                }
            }
            let code = ffi::avformat_find_stream_info(self.context.as_ptr(), list);
            dictionaries.iter_mut().for_each(|dictionary| ffi::av_dict_free(dictionary));
            AvError::check(code).map(|_| ())
        }
    }

    /// Returns the colour tags and pixel aspect that the container states for each stream.
    fn stated_by_container(&self) -> Vec<(ColorNumbers, ffi::AVRational)> {
        let streams = (0..self.stream_count()).filter_map(|index| self.stream(index));
        // SAFETY: a stream always has parameters.
        streams.map(|stream| (stream.color_numbers(), unsafe { (*stream.as_ptr()).sample_aspect_ratio })).collect()
    }

    /// Removes from the streams' parameters the tags that FFmpeg found in their first packets: a decoder would take
    /// them for those of every frame that states none.
    fn forget_probed(&mut self, stated: &[(ColorNumbers, ffi::AVRational)]) {
        for index in 0..self.stream_count() {
            let Some(stream) = self.stream(index).filter(StreamParameters::is_video) else { continue };
            let unstated = (ColorNumbers::UNSPECIFIED, ffi::AVRational { num: 0, den: 1 });
            let (colors, sample_aspect) = stated.get(index).copied().unwrap_or(unstated);
            let parameters = stream.as_ptr().cast_mut();
            // SAFETY: a stream always has parameters, and `self` owns them. Each number has been read from the same
            // field, or is the C enumeration's "unspecified".
            unsafe {
                (&raw mut (*parameters).color_space).cast::<i32>().write(colors.matrix);
                (&raw mut (*parameters).color_range).cast::<i32>().write(colors.range);
                (&raw mut (*parameters).color_primaries).cast::<i32>().write(colors.primaries);
                (&raw mut (*parameters).color_trc).cast::<i32>().write(colors.transfer);
                (*parameters).sample_aspect_ratio = sample_aspect;
            }
        }
    }

    /// Returns the name in the file that was denied during opening. The file may have streams nevertheless.
    pub(crate) const fn denied(&self) -> Option<&Denied> {
        self.denied.as_ref()
    }

    /// Returns the width and height of a picture that FFmpeg refused as too large during opening.
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

    /// Returns `true` if packets of this format carry their own timestamps and the format knows their positions. Raw
    /// streams carry none, and in formats for which FFmpeg builds the index itself while reading, positions can be off
    /// by one packet.
    pub(crate) fn has_timestamps(&self) -> bool {
        self.format_flags() & (ffi::AVFMT_NOTIMESTAMPS | ffi::AVFMT_GENERIC_INDEX) == 0
    }

    /// Returns the entries that the format's index has for a stream so far, in decoding order.
    pub(crate) fn index_entries(&self, stream: usize) -> Vec<IndexEntry> {
        let Some(stream) = self.stream(stream) else { return Vec::new() };
        let stream = stream.stream().as_ptr();
        // SAFETY: the stream is valid; an entry stays valid until the next read, and is copied here.
        unsafe {
            let count = ffi::avformat_index_get_entries_count(stream);
            let entries = (0..count).filter_map(|at| ffi::avformat_index_get_entry(stream, at).as_ref());
            entries
                .map(|entry| IndexEntry {
                    dts: entry.timestamp,
                    position: entry.pos,
                    is_key: entry.flags() & ffi::AVINDEX_KEYFRAME != 0,
                    is_hidden: entry.flags() & ffi::AVINDEX_DISCARD_FRAME != 0,
                })
                .collect()
        }
    }

    /// Returns a stream's average frame rate, and the lowest rate in which all its timestamps can be expressed, if
    /// known.
    pub(crate) fn rates(&self, stream: &StreamParameters<'_>) -> (Option<Ratio>, Option<Ratio>) {
        // For raw streams newer versions of FFmpeg report an average of 25 whatever the headers state, and their field
        // rate as the lowest rate. For DV they report its tick rate, 60000 per second, as the average.
        let coded = stream.coded_rate().filter(|_| !self.has_timestamps());
        let average = stream.average_rate();
        let base = coded.or_else(|| stream.base_rate());
        let credible = average.filter(|rate| rate.value() <= MAX_RATE);
        (coded.or(credible).or(base).or(average), base)
    }

    /// Returns the number of streams of any kind.
    pub(crate) fn stream_count(&self) -> usize {
        self.get().nb_streams as usize
    }

    /// Returns the parameters of the stream with this index.
    pub(crate) fn stream(&self, index: usize) -> Option<StreamParameters<'_>> {
        if index >= self.stream_count() {
            return None;
        }
        // SAFETY: the array holds `nb_streams` valid pointers.
        let stream = NonNull::new(unsafe { *self.get().streams.add(index) })?;
        // SAFETY: streams live as long as their input, which the returned value borrows.
        Some(unsafe { StreamParameters::new(stream) })
    }

    /// Discards the packets of all streams except this one, and another if there is one.
    pub(crate) fn select(&mut self, chosen: usize, other: Option<usize>) {
        for index in 0..self.stream_count() {
            if let Some(stream) = self.stream(index) {
                let is_wanted = index == chosen || Some(index) == other;
                let discard = if is_wanted { ffi::AVDiscard::AVDISCARD_DEFAULT } else { ffi::AVDiscard::AVDISCARD_ALL };
                // SAFETY: the field may be set between reads.
                unsafe { (*stream.stream().as_ptr()).discard = discard }
            }
        }
    }

    /// Returns the short name of the container format, for instance "mov,mp4,m4a,3gp,3g2,mj2".
    pub(crate) fn container(&self) -> &'static str {
        // SAFETY: an open input has a format, whose name is a constant.
        unsafe {
            let format = self.get().iformat;
            if format.is_null() { "" } else { static_text((*format).name).unwrap_or("") }
        }
    }

    /// Returns `true` if timestamps of this format may jump in the middle of a stream, as in transport streams.
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

    /// Returns the text of a metadata tag of the file.
    pub(crate) fn tag(&self, name: &CStr) -> Option<String> {
        // SAFETY: the file's dictionary is null or valid.
        unsafe { tag(self.get().metadata, name) }
    }

    /// Returns the duration of the whole file in seconds, if known.
    pub(crate) fn duration_secs(&self) -> Option<f64> {
        timestamp(self.get().duration).filter(|d| *d > 0).map(|d| d as f64 / f64::from(ffi::AV_TIME_BASE))
    }

    /// Returns the bit rate of the whole file in bits per second, if known.
    pub(crate) fn bit_rate(&self) -> Option<u64> {
        u64::try_from(self.get().bit_rate).ok().filter(|rate| *rate > 0)
    }

    /// Returns `true` if any position can be read from. Formats that do their own I/O, such as image sequences, always
    /// count as seekable.
    pub(crate) fn is_seekable(&self) -> bool {
        let bytes = self.get().pb;
        if bytes.is_null() {
            return true;
        }
        // SAFETY: a non-null byte stream of an open input is valid.
        unsafe { (*bytes).seekable != 0 }
    }

    /// Returns the length of the whole source in bytes; `None` if unknown, as for a stream that is produced while it is
    /// sent.
    pub(crate) fn byte_length(&self) -> Option<u64> {
        let bytes = self.get().pb;
        if bytes.is_null() {
            return None;
        }
        // SAFETY: a non-null byte stream of an open input is valid.
        u64::try_from(unsafe { ffi::avio_size(bytes) }).ok()
    }

    /// Reads the next packet of any selected stream.
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
            Err(AvError::IO) if self.calls_end_an_error() => self.end_reason(),
            Err(error) => Read::Error(error),
        }
    }

    /// Returns `true` at the end of a file whose demuxer reports every end as an I/O error.
    fn calls_end_an_error(&self) -> bool {
        let bytes = self.get().pb;
        // SAFETY: a non-null byte stream of an open input is valid.
        self.container() == "vc1test" && !bytes.is_null() && unsafe { ffi::avio_feof(bytes) != 0 }
    }

    /// Tells the true end of a file from a failure to read it.
    fn end_reason(&self) -> Read {
        let bytes = self.get().pb;
        // SAFETY: a non-null byte stream of an open input is valid.
        let error = if bytes.is_null() { 0 } else { unsafe { (*bytes).error } };
        match AvError::check(error) {
            Ok(_) | Err(AvError::EOF) => Read::End,
            Err(error) => Read::Error(error),
        }
    }

    /// Seeks to the last position from which the frame at `ticks` can be decoded, as far as the format knows.
    pub(crate) fn seek(&mut self, stream: usize, ticks: i64) -> Result<(), AvError> {
        let index = c_int::try_from(stream).unwrap_or(-1);
        // SAFETY: the context is valid.
        AvError::check(unsafe { ffi::av_seek_frame(self.context.as_ptr(), index, ticks, ffi::AVSEEK_FLAG_BACKWARD) })
            .map(|_| ())
    }

    /// Returns the timestamp of the last keyframe at or before `ticks` that the format's index lists.
    pub(crate) fn indexed_key(&self, stream: usize, ticks: i64) -> Option<i64> {
        let stream = self.stream(stream)?;
        // SAFETY: the stream is valid; the entry stays valid until the next read, and is copied here.
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
