//! The description of a stream by its format.

use std::ffi::{CStr, c_int};
use std::marker::PhantomData;
use std::ptr::{self, NonNull};

use ffmpeg_next::ffi;

use super::{AvError, ColorNumbers, PixelFormat, enum_number, positive_ratio, static_text, timestamp};
use histoscope_core::picture::crop::Crop;
use histoscope_core::picture::{Ratio, Scan};

/// A view of one stream's description.
pub(crate) struct StreamParameters<'a> {
    stream: NonNull<ffi::AVStream>,
    _input: PhantomData<&'a ()>,
}

impl StreamParameters<'_> {
    /// The description of that stream.
    ///
    /// # Safety
    /// The stream must live, and not be changed, as long as the input that lends it is borrowed.
    pub(super) const unsafe fn new(stream: NonNull<ffi::AVStream>) -> Self {
        Self { stream, _input: PhantomData }
    }

    const fn get(&self) -> &ffi::AVStream {
        // SAFETY: the stream lives as long as the input that this borrows. No enumeration is read through it.
        unsafe { self.stream.as_ref() }
    }

    /// The stream itself.
    pub(super) const fn stream(&self) -> NonNull<ffi::AVStream> {
        self.stream
    }

    pub(super) const fn as_ptr(&self) -> *const ffi::AVCodecParameters {
        self.get().codecpar
    }

    pub(super) const fn raw_time_base(&self) -> ffi::AVRational {
        self.get().time_base
    }

    /// Returns whether it is a video stream.
    pub(crate) fn is_video(&self) -> bool {
        // SAFETY: a stream always has parameters; the field is a C enumeration.
        let kind = unsafe { enum_number(&raw const (*self.as_ptr()).codec_type) };
        kind == ffi::AVMediaType::AVMEDIA_TYPE_VIDEO as i32
    }

    /// Returns whether it is a cover picture or a thumbnail rather than the video itself.
    pub(crate) fn is_cover(&self) -> bool {
        self.get().disposition & (ffi::AV_DISPOSITION_ATTACHED_PIC | ffi::AV_DISPOSITION_TIMED_THUMBNAILS) != 0
    }

    /// Returns whether the container marks it as the one to play.
    pub(crate) fn is_default(&self) -> bool {
        self.get().disposition & ffi::AV_DISPOSITION_DEFAULT != 0
    }

    /// FFmpeg's decoder for it, if there is one.
    pub(super) fn decoder(&self) -> Option<*const ffi::AVCodec> {
        // SAFETY: the function takes any codec number, and its result is null or a constant.
        let decoder = unsafe { by_number::avcodec_find_decoder(self.codec_number()) };
        (!decoder.is_null()).then_some(decoder)
    }

    /// Returns whether FFmpeg has a decoder for it.
    pub(crate) fn has_decoder(&self) -> bool {
        self.decoder().is_some()
    }

    fn codec_number(&self) -> c_int {
        // SAFETY: a stream always has parameters; the field is a C enumeration.
        unsafe { enum_number(&raw const (*self.as_ptr()).codec_id) }
    }

    /// The codec's name, for instance "h264"; the code that the file gives it where FFmpeg has no name.
    pub(crate) fn codec_name(&self) -> &'static str {
        // SAFETY: the function takes any number and returns a constant.
        unsafe { static_text(by_number::avcodec_get_name(self.codec_number())).unwrap_or("unknown") }
    }

    /// The four characters by which the file names the codec, where they can be printed.
    pub(crate) fn codec_tag(&self) -> Option<String> {
        // SAFETY: a stream always has parameters.
        let tag = unsafe { (*self.as_ptr()).codec_tag }.to_le_bytes();
        let printable = tag.iter().all(|byte| byte.is_ascii_graphic());
        printable.then(|| tag.iter().map(|byte| char::from(*byte)).collect())
    }

    /// Returns whether every packet of the codec is a picture of its own, as FFmpeg knows it.
    pub(crate) fn is_intra_only(&self) -> bool {
        // SAFETY: the function takes any number and returns null or a constant.
        let descriptor = unsafe { by_number::avcodec_descriptor_get(self.codec_number()).as_ref() };
        descriptor.is_some_and(|descriptor| descriptor.props & ffi::AV_CODEC_PROP_INTRA_ONLY != 0)
    }

    /// Returns the data that the container holds for the decoder beside the packets.
    pub(super) fn extradata(&self) -> &[u8] {
        // SAFETY: a stream always has parameters; their extra data is as long as stated, and lives as long as they.
        unsafe {
            let (data, size) = ((*self.as_ptr()).extradata, (*self.as_ptr()).extradata_size);
            if data.is_null() { &[] } else { std::slice::from_raw_parts(data, usize::try_from(size).unwrap_or(0)) }
        }
    }

    /// The profile's name, for instance "High 10".
    pub(crate) fn profile(&self) -> Option<&'static str> {
        // SAFETY: the function takes any numbers and returns null or a constant.
        unsafe { static_text(by_number::avcodec_profile_name(self.codec_number(), (*self.as_ptr()).profile)) }
    }

    /// How the video is scanned, where stated.
    pub(crate) fn scan(&self) -> Option<Scan> {
        // SAFETY: a stream always has parameters; the field is a C enumeration.
        let order = unsafe { enum_number(&raw const (*self.as_ptr()).field_order) };
        // AVFieldOrder: which field is shown first, whichever is coded first (tt, bb, tb, bt).
        match order {
            1 => Some(Scan::Progressive),
            2 | 5 => Some(Scan::TopFirst),
            3 | 4 => Some(Scan::BottomFirst),
            _ => None,
        }
    }

    /// Width and height that the header states.
    pub(crate) fn size(&self) -> (u32, u32) {
        // SAFETY: a stream always has parameters.
        let (width, height) = unsafe { ((*self.as_ptr()).width, (*self.as_ptr()).height) };
        (u32::try_from(width).unwrap_or(0), u32::try_from(height).unwrap_or(0))
    }

    /// The pixel format that the header states.
    pub(crate) fn pixel_format(&self) -> PixelFormat {
        // SAFETY: a stream always has parameters.
        PixelFormat(unsafe { (*self.as_ptr()).format })
    }

    /// Bits a second, where stated.
    pub(crate) fn bit_rate(&self) -> Option<u64> {
        // SAFETY: a stream always has parameters.
        u64::try_from(unsafe { (*self.as_ptr()).bit_rate }).ok().filter(|rate| *rate > 0)
    }

    /// Colour tags of the container or the codec's header.
    pub(crate) fn color_numbers(&self) -> ColorNumbers {
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
    pub(crate) fn time_base(&self) -> Ratio {
        positive_ratio(self.get().time_base).unwrap_or(Ratio { num: 1, den: 90_000 })
    }

    /// Timestamp of the first frame, as the container states it.
    pub(crate) const fn start(&self) -> Option<i64> {
        timestamp(self.get().start_time)
    }

    /// Duration in ticks.
    pub(crate) fn duration(&self) -> Option<i64> {
        timestamp(self.get().duration).filter(|ticks| *ticks > 0)
    }

    /// Duration in seconds that the stream's tags state, as Matroska files have it (HH:MM:SS and fractions).
    pub(crate) fn tagged_duration_secs(&self) -> Option<f64> {
        let text = self.tag(c"DURATION")?;
        let parts = text.split(':').map(|part| part.trim().parse::<f64>().ok()).collect::<Option<Vec<_>>>()?;
        let secs = parts.iter().fold(0.0, |secs, part| secs * 60.0 + part);
        (parts.len() == 3 && secs > 0.0).then_some(secs)
    }

    /// The text of that tag of the stream, in capitals or not.
    pub(crate) fn tag(&self, name: &CStr) -> Option<String> {
        // SAFETY: the stream's dictionary is null or valid.
        unsafe { tag(self.get().metadata, name) }
    }

    /// Number of frames that the container states.
    pub(crate) fn frame_count(&self) -> Option<u64> {
        u64::try_from(self.get().nb_frames).ok().filter(|count| *count > 0)
    }

    /// Average frame rate, as FFmpeg gives it.
    pub(crate) fn average_rate(&self) -> Option<Ratio> {
        positive_ratio(self.get().avg_frame_rate)
    }

    /// The frame rate that the codec's headers state. Older versions of FFmpeg do not tell.
    #[cfg(ffmpeg_before_6_1)]
    pub(super) const fn coded_rate(&self) -> Option<Ratio> {
        None
    }

    /// The frame rate that the codec's headers state.
    #[cfg(not(ffmpeg_before_6_1))]
    pub(super) fn coded_rate(&self) -> Option<Ratio> {
        // SAFETY: a stream always has parameters.
        positive_ratio(unsafe { (*self.as_ptr()).framerate })
    }

    /// Lowest rate in which all timestamps can be expressed.
    pub(super) fn base_rate(&self) -> Option<Ratio> {
        positive_ratio(self.get().r_frame_rate)
    }

    /// Width of a pixel over its height, as the container has it.
    pub(crate) fn sample_aspect(&self) -> Option<Ratio> {
        positive_ratio(self.get().sample_aspect_ratio)
    }

    /// The same, as the codec's header has it.
    pub(crate) fn coded_sample_aspect(&self) -> Option<Ratio> {
        // SAFETY: a stream always has parameters.
        positive_ratio(unsafe { (*self.as_ptr()).sample_aspect_ratio })
    }

    /// The display matrix of the whole stream.
    pub(crate) fn display_matrix(&self) -> Option<[i32; 9]> {
        let (data, size) = self.side_data(ffi::AVPacketSideDataType::AV_PKT_DATA_DISPLAYMATRIX)?;
        // SAFETY: the data is as long as stated, and lives as long as the stream.
        (size >= size_of::<[i32; 9]>()).then(|| unsafe { data.cast::<[i32; 9]>().read_unaligned() })
    }

    /// Returns what the container crops at the edges of each frame, after the codec. Older versions of FFmpeg do not tell.
    #[cfg(ffmpeg_before_7_1)]
    pub(crate) const fn crop(&self) -> Option<Crop> {
        None
    }

    /// Returns what the container crops at the edges of each frame, after the codec.
    #[cfg(not(ffmpeg_before_7_1))]
    pub(crate) fn crop(&self) -> Option<Crop> {
        let (data, size) = self.side_data(ffi::AVPacketSideDataType::AV_PKT_DATA_FRAME_CROPPING)?;
        if size < size_of::<[[u8; 4]; 4]>() {
            return None;
        }
        // SAFETY: the data is as long as stated, and lives as long as the stream. Bytes have no alignment.
        let numbers = unsafe { data.cast::<[[u8; 4]; 4]>().read() };
        let [top, bottom, left, right] = numbers.map(u32::from_le_bytes);
        Some(Crop { left, right, top, bottom })
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

/// The text of an entry of a dictionary, whose name may be written in capitals or not.
///
/// # Safety
/// The dictionary must be null or valid.
pub(super) unsafe fn tag(dictionary: *const ffi::AVDictionary, name: &CStr) -> Option<String> {
    // SAFETY: the caller warrants the dictionary; an entry's value is a string that lives as long as it.
    unsafe {
        let entry = ffi::av_dict_get(dictionary, name.as_ptr(), ptr::null(), 0).as_ref()?;
        CStr::from_ptr(entry.value).to_str().ok().map(str::to_owned)
    }
}

/// A stream's description by itself, of an input that may be closed long since.
pub(crate) struct StreamCopy {
    context: NonNull<ffi::AVFormatContext>,
    stream: NonNull<ffi::AVStream>,
}

// SAFETY: this type is the only owner of a context that nobody changes any more.
unsafe impl Send for StreamCopy {}
// SAFETY: through a shared reference it is only read.
unsafe impl Sync for StreamCopy {}

impl StreamCopy {
    /// Copies what decoders are opened with: parameters, time base and rates.
    pub(crate) fn of(original: &StreamParameters<'_>) -> Result<Self, AvError> {
        // SAFETY: a fresh context is filled while nothing else uses it, and `Drop` frees it on every path from there on. The
        // parameters of both streams are valid.
        unsafe {
            let context = NonNull::new(ffi::avformat_alloc_context()).ok_or(AvError(ffi::AVERROR_UNKNOWN))?;
            let stream = NonNull::new(ffi::avformat_new_stream(context.as_ptr(), ptr::null()));
            let Some(stream) = stream else {
                ffi::avformat_free_context(context.as_ptr());
                return Err(AvError(ffi::AVERROR_UNKNOWN));
            };
            let copy = Self { context, stream };
            let (to, from) = (stream.as_ptr(), original.get());
            AvError::check(ffi::avcodec_parameters_copy((*to).codecpar, from.codecpar))?;
            (*to).time_base = from.time_base;
            (*to).avg_frame_rate = from.avg_frame_rate;
            (*to).r_frame_rate = from.r_frame_rate;
            (*to).sample_aspect_ratio = from.sample_aspect_ratio;
            Ok(copy)
        }
    }

    /// A stream of which nothing is known.
    #[cfg(test)]
    pub(crate) fn blank() -> Self {
        // SAFETY: a fresh context, to which `Drop` does what has to be done.
        unsafe {
            let context = NonNull::new(ffi::avformat_alloc_context()).expect("memory");
            let stream = NonNull::new(ffi::avformat_new_stream(context.as_ptr(), ptr::null())).expect("memory");
            Self { context, stream }
        }
    }

    /// Returns the description that was copied.
    pub(crate) const fn parameters(&self) -> StreamParameters<'_> {
        // SAFETY: the stream lives as long as this, which what is given borrows, and nobody changes it.
        unsafe { StreamParameters::new(self.stream) }
    }
}

impl Drop for StreamCopy {
    fn drop(&mut self) {
        // SAFETY: this is the only owner; the stream goes with its context.
        unsafe { ffi::avformat_free_context(self.context.as_ptr()) }
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
