//! A stream's description by its container.

use std::ffi::{CStr, CString, c_int};
use std::marker::PhantomData;
use std::ptr::{self, NonNull};

use ffmpeg_next::ffi;

use super::{AvError, ColorNumbers, PixelFormat, enum_number, positive_ratio, static_text, timestamp};
use histoscope_core::picture::crop::Crop;
use histoscope_core::picture::stated_light::StatedLight;
use histoscope_core::picture::{Ratio, Scan};

/// Returns FFmpeg's number for the codec of that name.
pub(super) fn codec_number(name: &str) -> Option<c_int> {
    let name = CString::new(name).ok()?;
    // SAFETY: the function takes any text, and its result is null or a constant, whose field is a C enumeration.
    unsafe {
        let descriptor = ffi::avcodec_descriptor_get_by_name(name.as_ptr());
        (!descriptor.is_null()).then(|| enum_number(&raw const (*descriptor).id))
    }
}

/// A view of one stream's description.
pub(crate) struct StreamParameters<'a> {
    stream: NonNull<ffi::AVStream>,
    _input: PhantomData<&'a ()>,
}

impl StreamParameters<'_> {
    /// Creates a view of the stream.
    ///
    /// # Safety
    /// The stream must stay alive and unchanged while its input is borrowed.
    pub(super) const unsafe fn new(stream: NonNull<ffi::AVStream>) -> Self {
        Self { stream, _input: PhantomData }
    }

    const fn get(&self) -> &ffi::AVStream {
        // SAFETY: the stream lives as long as the input that this borrows. No enumeration is read through this
        // reference.
        unsafe { self.stream.as_ref() }
    }

    /// Returns the stream itself.
    pub(super) const fn stream(&self) -> NonNull<ffi::AVStream> {
        self.stream
    }

    pub(super) const fn as_ptr(&self) -> *const ffi::AVCodecParameters {
        self.get().codecpar
    }

    pub(super) const fn raw_time_base(&self) -> ffi::AVRational {
        self.get().time_base
    }

    /// Returns `true` if this is a video stream.
    pub(crate) fn is_video(&self) -> bool {
        // SAFETY: a stream always has parameters; the field is a C enumeration.
        let kind = unsafe { enum_number(&raw const (*self.as_ptr()).codec_type) };
        kind == ffi::AVMediaType::AVMEDIA_TYPE_VIDEO as i32
    }

    /// Returns `true` if this is a stream of sound.
    pub(crate) fn is_audio(&self) -> bool {
        // SAFETY: a stream always has parameters; the field is a C enumeration.
        let kind = unsafe { enum_number(&raw const (*self.as_ptr()).codec_type) };
        kind == ffi::AVMediaType::AVMEDIA_TYPE_AUDIO as i32
    }

    /// Returns the samples per second and the number of channels that the header states.
    pub(crate) fn sound_form(&self) -> (u32, usize) {
        // SAFETY: a stream always has parameters.
        let (rate, channels) = unsafe { ((*self.as_ptr()).sample_rate, (*self.as_ptr()).ch_layout.nb_channels) };
        (u32::try_from(rate).unwrap_or(0), usize::try_from(channels).unwrap_or(0))
    }

    /// Returns the name of the channels' layout, for instance "stereo" or "5.1(side)", or their number.
    pub(crate) fn sound_layout(&self) -> String {
        let mut text = [0; 64];
        // SAFETY: a stream always has parameters, and the function ends the text within the given size.
        unsafe {
            let layout = &raw const (*self.as_ptr()).ch_layout;
            let written = ffi::av_channel_layout_describe(layout, text.as_mut_ptr(), text.len());
            if written <= 0 { String::new() } else { CStr::from_ptr(text.as_ptr()).to_string_lossy().into_owned() }
        }
    }

    /// Returns the container's number of the stream: in a transport stream its PID.
    pub(crate) const fn id(&self) -> i32 {
        self.get().id
    }

    /// Returns `true` if this is a cover picture or a thumbnail rather than the video itself.
    pub(crate) fn is_cover(&self) -> bool {
        self.get().disposition & (ffi::AV_DISPOSITION_ATTACHED_PIC | ffi::AV_DISPOSITION_TIMED_THUMBNAILS) != 0
    }

    /// Returns `true` if the container marks this as the stream to play.
    pub(crate) fn is_default(&self) -> bool {
        self.get().disposition & ffi::AV_DISPOSITION_DEFAULT != 0
    }

    /// Returns FFmpeg's decoder for the stream, if there is one.
    pub(super) fn decoder(&self) -> Option<*const ffi::AVCodec> {
        // SAFETY: the function takes any codec number, and its result is null or a constant.
        let decoder = unsafe { by_number::avcodec_find_decoder(self.codec_number()) };
        (!decoder.is_null()).then_some(decoder)
    }

    /// Returns `true` if FFmpeg has a decoder for the stream.
    pub(crate) fn has_decoder(&self) -> bool {
        self.decoder().is_some()
    }

    /// Returns FFmpeg's number for the codec.
    pub(super) fn codec_number(&self) -> c_int {
        // SAFETY: a stream always has parameters; the field is a C enumeration.
        unsafe { enum_number(&raw const (*self.as_ptr()).codec_id) }
    }

    /// Returns the codec's name, for instance "h264".
    pub(crate) fn codec_name(&self) -> &'static str {
        // SAFETY: the function takes any number and returns a constant.
        unsafe { static_text(by_number::avcodec_get_name(self.codec_number())).unwrap_or("unknown") }
    }

    /// Returns the file's four-character code for the codec, if it is printable.
    pub(crate) fn codec_tag(&self) -> Option<String> {
        // SAFETY: a stream always has parameters.
        let tag = unsafe { (*self.as_ptr()).codec_tag }.to_le_bytes();
        let printable = tag.iter().all(|byte| byte.is_ascii_graphic());
        printable.then(|| tag.iter().map(|byte| char::from(*byte)).collect())
    }

    /// Returns `true` if every packet of the codec is a picture that refers to no other, according to FFmpeg.
    pub(crate) fn is_intra_only(&self) -> bool {
        // SAFETY: the function takes any number and returns null or a constant.
        let descriptor = unsafe { by_number::avcodec_descriptor_get(self.codec_number()).as_ref() };
        descriptor.is_some_and(|descriptor| descriptor.props & ffi::AV_CODEC_PROP_INTRA_ONLY != 0)
    }

    /// Returns the decoder configuration that the container stores outside the packets.
    pub(crate) fn extradata(&self) -> &[u8] {
        // SAFETY: a stream always has parameters; their extra data is as long as stated, and lives as long as they do.
        unsafe {
            let (data, size) = ((*self.as_ptr()).extradata, (*self.as_ptr()).extradata_size);
            if data.is_null() { &[] } else { std::slice::from_raw_parts(data, usize::try_from(size).unwrap_or(0)) }
        }
    }

    /// Returns the profile's name, for instance "High 10".
    pub(crate) fn profile(&self) -> Option<&'static str> {
        // SAFETY: the function takes any numbers and returns null or a constant.
        unsafe { static_text(by_number::avcodec_profile_name(self.codec_number(), (*self.as_ptr()).profile)) }
    }

    /// Returns how the video is scanned, if stated.
    pub(crate) fn scan(&self) -> Option<Scan> {
        // SAFETY: a stream always has parameters; the field is a C enumeration.
        let order = unsafe { enum_number(&raw const (*self.as_ptr()).field_order) };
        // AVFieldOrder: the field that is shown first, whichever is coded first (tt, bb, tb, bt).
        match order {
            1 => Some(Scan::Progressive),
            2 | 5 => Some(Scan::TopFirst),
            3 | 4 => Some(Scan::BottomFirst),
            _ => None,
        }
    }

    /// Returns the width and height that the header states.
    pub(crate) fn size(&self) -> (u32, u32) {
        // SAFETY: a stream always has parameters.
        let (width, height) = unsafe { ((*self.as_ptr()).width, (*self.as_ptr()).height) };
        (u32::try_from(width).unwrap_or(0), u32::try_from(height).unwrap_or(0))
    }

    /// Returns the pixel format that the header states.
    pub(crate) fn pixel_format(&self) -> PixelFormat {
        // SAFETY: a stream always has parameters.
        PixelFormat(unsafe { (*self.as_ptr()).format })
    }

    /// Returns the bit rate in bits per second, if stated.
    pub(crate) fn bit_rate(&self) -> Option<u64> {
        // SAFETY: a stream always has parameters.
        u64::try_from(unsafe { (*self.as_ptr()).bit_rate }).ok().filter(|rate| *rate > 0)
    }

    /// Returns the colour tags of the container or the codec's header.
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

    /// Returns the number of seconds per tick; 1/90000 if the stream states none.
    pub(crate) fn time_base(&self) -> Ratio {
        positive_ratio(self.get().time_base).unwrap_or(Ratio { num: 1, den: 90_000 })
    }

    /// Returns the timestamp of the first frame, as the container states it.
    pub(crate) const fn start(&self) -> Option<i64> {
        timestamp(self.get().start_time)
    }

    /// Returns the duration in ticks, if stated.
    pub(crate) fn duration(&self) -> Option<i64> {
        timestamp(self.get().duration).filter(|ticks| *ticks > 0)
    }

    /// Returns the duration in seconds that the stream's tags state, as in Matroska files (HH:MM:SS with fractions).
    pub(crate) fn tagged_duration_secs(&self) -> Option<f64> {
        let text = self.tag(c"DURATION")?;
        let parts = text.split(':').map(|part| part.trim().parse::<f64>().ok()).collect::<Option<Vec<_>>>()?;
        let secs = parts.iter().fold(0.0, |secs, part| secs * 60.0 + part);
        (parts.len() == 3 && secs > 0.0).then_some(secs)
    }

    /// Returns the text of a metadata tag of the stream. Case is ignored.
    pub(crate) fn tag(&self, name: &CStr) -> Option<String> {
        // SAFETY: the stream's dictionary is null or valid.
        unsafe { tag(self.get().metadata, name) }
    }

    /// Returns the number of frames that the container states.
    pub(crate) fn frame_count(&self) -> Option<u64> {
        u64::try_from(self.get().nb_frames).ok().filter(|count| *count > 0)
    }

    /// Returns the average frame rate, as FFmpeg reports it.
    pub(crate) fn average_rate(&self) -> Option<Ratio> {
        positive_ratio(self.get().avg_frame_rate)
    }

    /// Returns the frame rate that the codec's headers state. Older versions of FFmpeg do not report it.
    #[cfg(ffmpeg_before_6_1)]
    pub(super) const fn coded_rate(&self) -> Option<Ratio> {
        None
    }

    /// Returns the frame rate that the codec's headers state.
    #[cfg(not(ffmpeg_before_6_1))]
    pub(super) fn coded_rate(&self) -> Option<Ratio> {
        // SAFETY: a stream always has parameters.
        positive_ratio(unsafe { (*self.as_ptr()).framerate })
    }

    /// Returns the lowest rate in which all timestamps can be expressed.
    pub(super) fn base_rate(&self) -> Option<Ratio> {
        positive_ratio(self.get().r_frame_rate)
    }

    /// Returns the width of a pixel divided by its height, as the container states it.
    pub(crate) fn sample_aspect(&self) -> Option<Ratio> {
        positive_ratio(self.get().sample_aspect_ratio)
    }

    /// Returns the width of a pixel divided by its height, as the codec's header states it.
    pub(crate) fn coded_sample_aspect(&self) -> Option<Ratio> {
        // SAFETY: a stream always has parameters.
        positive_ratio(unsafe { (*self.as_ptr()).sample_aspect_ratio })
    }

    /// Returns the display matrix of the whole stream.
    pub(crate) fn display_matrix(&self) -> Option<[i32; 9]> {
        let (data, size) = self.side_data(ffi::AVPacketSideDataType::AV_PKT_DATA_DISPLAYMATRIX)?;
        // SAFETY: the data is as long as stated, and lives as long as the stream.
        (size >= size_of::<[i32; 9]>()).then(|| unsafe { data.cast::<[i32; 9]>().read_unaligned() })
    }

    /// Returns the ICC profile of the whole stream.
    pub(crate) fn icc_profile(&self) -> Option<&[u8]> {
        let (data, size) = self.side_data(ffi::AVPacketSideDataType::AV_PKT_DATA_ICC_PROFILE)?;
        // SAFETY: the data is as long as stated, and lives as long as the stream.
        Some(unsafe { std::slice::from_raw_parts(data, size) })
    }

    /// Returns what the container states about the light of the whole stream.
    pub(crate) fn stated_light(&self) -> StatedLight {
        use ffi::AVPacketSideDataType::{
            AV_PKT_DATA_CONTENT_LIGHT_LEVEL, AV_PKT_DATA_DOVI_CONF, AV_PKT_DATA_MASTERING_DISPLAY_METADATA,
        };
        // SAFETY: the data is as long as stated, lives as long as the stream, and consists of integers.
        let (mastering, content, dolby_vision) = unsafe {
            (
                self.words(AV_PKT_DATA_MASTERING_DISPLAY_METADATA),
                self.words(AV_PKT_DATA_CONTENT_LIGHT_LEVEL),
                // Two versions, then the profile.
                self.words::<[u8; 3]>(AV_PKT_DATA_DOVI_CONF).map(|[_, _, profile]| profile),
            )
        };
        StatedLight { dolby_vision, ..StatedLight::new(mastering, content) }
    }

    /// Returns `true` if the container states Dolby Vision whose pictures are not compatible with other displays, as in
    /// profile 5: they are IPT-C2.
    pub(crate) fn is_dolby_ipt(&self) -> bool {
        // Two versions, the profile, the level, three flags about layers, then bl_signal_compatibility_id.
        // SAFETY: the record consists of bytes.
        let record = unsafe { self.words::<[u8; 8]>(ffi::AVPacketSideDataType::AV_PKT_DATA_DOVI_CONF) };
        record.is_some_and(|[.., has_base_layer, compatibility]| has_base_layer != 0 && compatibility == 0)
    }

    /// Returns the start of stream-wide side data, if it is long enough.
    ///
    /// # Safety
    /// Any bytes must be a valid `T`.
    unsafe fn words<T>(&self, kind: ffi::AVPacketSideDataType) -> Option<T> {
        let (data, size) = self.side_data(kind)?;
        // SAFETY: the data is as long as stated, and the caller accepts any bytes.
        (size >= size_of::<T>()).then(|| unsafe { data.cast::<T>().read_unaligned() })
    }

    /// Returns how much the container crops at the edges of each frame, after the codec. Older versions of FFmpeg do
    /// not report it.
    #[cfg(ffmpeg_before_7_1)]
    pub(crate) const fn crop(&self) -> Option<Crop> {
        None
    }

    /// Returns how much the container crops at the edges of each frame, after the codec.
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

    /// Returns the stream-wide side data of this kind, as a pointer and a length in bytes.
    #[cfg(ffmpeg_before_6_1)]
    fn side_data(&self, kind: ffi::AVPacketSideDataType) -> Option<(*const u8, usize)> {
        let mut size = 0_usize;
        // SAFETY: the stream is valid.
        let data = unsafe { ffi::av_stream_get_side_data(self.stream.as_ptr(), kind, &raw mut size) };
        (!data.is_null()).then_some((data.cast_const(), size))
    }

    /// Returns the stream-wide side data of this kind, as a pointer and a length in bytes. FFmpeg 6.1 moved it from the
    /// stream to its parameters, and 7 removed the function that finds it in the stream.
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

/// Returns the text of a dictionary entry. The case of its name is ignored.
///
/// # Safety
/// The dictionary must be null or valid.
pub(super) unsafe fn tag(dictionary: *const ffi::AVDictionary, name: &CStr) -> Option<String> {
    // SAFETY: the caller guarantees the dictionary; an entry's value is a string that lives as long as the dictionary.
    unsafe {
        let entry = ffi::av_dict_get(dictionary, name.as_ptr(), ptr::null(), 0).as_ref()?;
        CStr::from_ptr(entry.value).to_str().ok().map(str::to_owned)
    }
}

/// A copy of a stream's description that outlives its input.
pub(crate) struct StreamCopy {
    context: NonNull<ffi::AVFormatContext>,
    stream: NonNull<ffi::AVStream>,
}

// SAFETY: this type is the only owner of a context that no longer changes.
unsafe impl Send for StreamCopy {}
// SAFETY: through a shared reference it is only read.
unsafe impl Sync for StreamCopy {}

impl StreamCopy {
    /// Copies everything needed to open a decoder: parameters, time base and rates.
    pub(crate) fn of(original: &StreamParameters<'_>) -> Result<Self, AvError> {
        // SAFETY: a fresh context is filled while nothing else uses it. From then on `Drop` frees it on every path. The
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

    /// Creates a stream about which nothing is known.
    #[cfg(test)]
    pub(crate) fn blank() -> Self {
        // SAFETY: the context is fresh, and `Drop` frees it.
        unsafe {
            let context = NonNull::new(ffi::avformat_alloc_context()).expect("memory");
            let stream = NonNull::new(ffi::avformat_new_stream(context.as_ptr(), ptr::null())).expect("memory");
            Self { context, stream }
        }
    }

    /// Returns the copied description.
    pub(crate) const fn parameters(&self) -> StreamParameters<'_> {
        // SAFETY: the stream lives as long as `self`, which the returned value borrows, and nothing changes it.
        unsafe { StreamParameters::new(self.stream) }
    }
}

impl Drop for StreamCopy {
    fn drop(&mut self) {
        // SAFETY: this is the only owner; the stream is freed with its context.
        unsafe { ffi::avformat_free_context(self.context.as_ptr()) }
    }
}

// FFmpeg declares these functions with enumerations; here they take integers, for the reason given in the parent
// module.
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
