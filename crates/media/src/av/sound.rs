//! Decoding of sound, and its conversion to samples in floating point.

use std::ffi::c_int;
use std::ptr::{self, NonNull};

use ffmpeg_next::ffi;

use super::stream::StreamParameters;
use super::{AvError, AvPacket, timestamp};

/// The result of asking a decoder for sound.
pub(crate) enum SoundReceived {
    /// Decoded sound, which the decoder holds until it is asked again.
    Sound(SoundFacts),
    /// None until the decoder gets another packet.
    NeedsInput,
    /// No more.
    End,
    /// The decoder refused an earlier packet.
    Refused,
}

/// What a decoder says about the sound that it holds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SoundFacts {
    /// Timestamp of the first sample in ticks of the stream, if known.
    pub(crate) pts: Option<i64>,
    /// Number of samples per channel.
    pub(crate) samples: usize,
    /// Samples per second and channel.
    pub(crate) rate: u32,
    /// Number of channels.
    pub(crate) channels: usize,
    /// FFmpeg's number for the format of the samples.
    format: c_int,
}

/// An open decoder of sound.
pub(crate) struct SoundCodec {
    context: NonNull<ffi::AVCodecContext>,
    /// The sound that was decoded last.
    frame: NonNull<ffi::AVFrame>,
}

// SAFETY: a codec context and a frame may be used from any one thread at a time, and this type is their only owner.
unsafe impl Send for SoundCodec {}

impl SoundCodec {
    /// Opens FFmpeg's decoder for the stream.
    pub(crate) fn open(parameters: &StreamParameters<'_>) -> Result<Self, AvError> {
        let decoder = parameters.decoder().ok_or(AvError(ffi::AVERROR_DECODER_NOT_FOUND))?;
        // SAFETY: a fresh context is set up from a stream's parameters while nothing else uses either. From here on
        // `Drop` frees it and the frame on every path.
        unsafe {
            let context = NonNull::new(ffi::avcodec_alloc_context3(decoder)).ok_or(AvError(ffi::AVERROR_UNKNOWN))?;
            let Some(frame) = NonNull::new(ffi::av_frame_alloc()) else {
                ffi::avcodec_free_context(&mut context.as_ptr());
                return Err(AvError(ffi::AVERROR_UNKNOWN));
            };
            let codec = Self { context, frame };
            let context = codec.context.as_ptr();
            AvError::check(ffi::avcodec_parameters_to_context(context, parameters.as_ptr()))?;
            // By it, the decoder leaves out samples at the beginning that only prime it.
            (*context).pkt_timebase = parameters.raw_time_base();
            (*context).thread_count = 1;
            AvError::check(ffi::avcodec_open2(context, decoder, ptr::null_mut()))?;
            Ok(codec)
        }
    }

    /// Sends a packet to the decoder; `None` tells it that there are no more.
    pub(crate) fn send(&mut self, packet: Option<&AvPacket>) -> Result<(), AvError> {
        let packet = packet.map_or(ptr::null_mut(), AvPacket::as_ptr);
        // SAFETY: the context is open, and the packet is null or valid.
        AvError::check(unsafe { ffi::avcodec_send_packet(self.context.as_ptr(), packet) }).map(|_| ())
    }

    /// Takes decoded sound from the decoder.
    pub(crate) fn receive(&mut self) -> SoundReceived {
        // SAFETY: the context is open and the frame valid; the function clears it first.
        let code = unsafe { ffi::avcodec_receive_frame(self.context.as_ptr(), self.frame.as_ptr()) };
        match AvError::check(code) {
            Ok(_) => self.facts().map_or(SoundReceived::Refused, SoundReceived::Sound),
            Err(AvError::AGAIN) => SoundReceived::NeedsInput,
            Err(AvError::EOF) => SoundReceived::End,
            Err(_) => SoundReceived::Refused,
        }
    }

    /// Returns what is known of the decoded sound; `None` if it cannot be sound.
    fn facts(&self) -> Option<SoundFacts> {
        // SAFETY: the frame is valid.
        let frame = unsafe { self.frame.as_ref() };
        let positive = |number: c_int| usize::try_from(number).ok().filter(|number| *number > 0);
        Some(SoundFacts {
            pts: timestamp(frame.best_effort_timestamp),
            samples: positive(frame.nb_samples)?,
            rate: u32::try_from(positive(frame.sample_rate)?).ok()?,
            channels: positive(frame.ch_layout.nb_channels)?,
            format: frame.format,
        })
    }

    /// Forgets what was sent, after a seek.
    pub(crate) fn flush(&mut self) {
        // SAFETY: the context is open.
        unsafe { ffi::avcodec_flush_buffers(self.context.as_ptr()) }
    }
}

impl Drop for SoundCodec {
    fn drop(&mut self) {
        let (mut context, mut frame) = (self.context.as_ptr(), self.frame.as_ptr());
        // SAFETY: this is the only owner; the functions take the address of a pointer and clear it.
        unsafe {
            ffi::av_frame_free(&raw mut frame);
            ffi::avcodec_free_context(&raw mut context);
        }
    }
}

/// Converts decoded sound to interleaved samples in floating point, of another rate or number of channels if asked for.
pub(crate) struct SoundConverter {
    context: NonNull<ffi::SwrContext>,
    from: (c_int, u32, usize),
    rate: u32,
    /// Channels that come from FFmpeg, and those that are kept.
    channels: (usize, usize),
}

// SAFETY: a context may be used from any one thread at a time, and this type is its only owner.
unsafe impl Send for SoundConverter {}

impl SoundConverter {
    /// Creates a converter for sound like that which the decoder holds. More channels than are asked for are mixed down
    /// with the coefficients of Rec. ITU-R BS.775; without known places, the first ones are kept.
    pub(crate) fn new(
        codec: &SoundCodec,
        facts: &SoundFacts,
        rate: Option<u32>,
        channels: Option<usize>,
    ) -> Result<Self, AvError> {
        let (to_rate, wanted) = (rate.unwrap_or(facts.rate), channels.unwrap_or(facts.channels));
        let from = (facts.format, facts.rate, facts.channels);
        let mixed = if wanted == facts.channels { None } else { Self::open(codec, facts, to_rate, Some(wanted)).ok() };
        let (context, given) = match mixed {
            Some(context) => (context, wanted),
            None => (Self::open(codec, facts, to_rate, None)?, facts.channels),
        };
        Ok(Self { context, from, rate: to_rate, channels: (given, wanted) })
    }

    /// Creates FFmpeg's converter for sound like that which the decoder holds; without a number of channels, their places
    /// stay the same.
    fn open(
        codec: &SoundCodec,
        facts: &SoundFacts,
        rate: u32,
        channels: Option<usize>,
    ) -> Result<NonNull<ffi::SwrContext>, AvError> {
        /// Interleaved samples in floating point (`AV_SAMPLE_FMT_FLT`).
        const FLOAT: c_int = 3;
        let integer = |number: u32| c_int::try_from(number).map_err(|_| AvError::INVALID_DATA);
        let (to_rate, from_rate) = (integer(rate)?, integer(facts.rate)?);
        // SAFETY: the frame is valid; a layout of zeros is a layout without channels, to which the function gives those
        // that are usual for their number; a context that cannot be initialized is freed.
        unsafe {
            let from = &raw const (*codec.frame.as_ptr()).ch_layout;
            let mut usual: ffi::AVChannelLayout = std::mem::zeroed();
            let to = match channels {
                Some(channels) => {
                    ffi::av_channel_layout_default(&raw mut usual, channels as c_int);
                    &raw const usual
                }
                None => from,
            };
            let mut context = ptr::null_mut();
            let pointer = &raw mut context;
            let log = ptr::null_mut();
            let set =
                by_number::swr_alloc_set_opts2(pointer, to, FLOAT, to_rate, from, facts.format, from_rate, 0, log);
            AvError::check(set)?;
            let started = AvError::check(ffi::swr_init(context));
            if let Err(error) = started {
                ffi::swr_free(pointer);
                return Err(error);
            }
            NonNull::new(context).ok_or(AvError::INVALID_DATA)
        }
    }

    /// Returns `true` if this converts sound with these facts.
    pub(crate) fn takes(&self, facts: &SoundFacts) -> bool {
        self.from == (facts.format, facts.rate, facts.channels)
    }

    /// Returns the samples per second that come out.
    pub(crate) const fn rate(&self) -> u32 {
        self.rate
    }

    /// Returns the number of channels that come out.
    pub(crate) const fn channels(&self) -> usize {
        self.channels.1
    }

    /// Returns how long ago the next sample that comes out went in, in seconds.
    pub(crate) fn delay_secs(&mut self) -> f64 {
        // SAFETY: the context is open.
        let delay = unsafe { ffi::swr_get_delay(self.context.as_ptr(), i64::from(self.rate)) };
        delay as f64 / f64::from(self.rate)
    }

    /// Converts the sound that the decoder holds, or without one, takes what is left.
    pub(crate) fn convert(&mut self, codec: Option<&SoundCodec>) -> Result<Vec<f32>, AvError> {
        let (given, kept) = self.channels;
        // SAFETY: the frame holds as many samples as it states, in the format that the context was made for; the
        // buffer has the room that the context asks for.
        let mut samples = unsafe {
            let (planes, count) = match codec {
                Some(codec) => ((*codec.frame.as_ptr()).extended_data, (*codec.frame.as_ptr()).nb_samples),
                None => (ptr::null_mut(), 0),
            };
            let room = AvError::check(ffi::swr_get_out_samples(self.context.as_ptr(), count))?;
            let mut samples = vec![0.0_f32; usize::try_from(room).unwrap_or(0) * given];
            let mut target = samples.as_mut_ptr().cast::<u8>();
            let written = ffi::swr_convert(self.context.as_ptr(), &raw mut target, room, planes.cast(), count);
            let written = AvError::check(written)?;
            samples.truncate(usize::try_from(written).unwrap_or(0) * given);
            samples
        };
        if given > kept {
            let mut at = 0;
            samples.retain(|_| {
                at = (at + 1) % given;
                (at + given - 1) % given < kept
            });
        }
        Ok(samples)
    }
}

impl Drop for SoundConverter {
    fn drop(&mut self) {
        let mut context = self.context.as_ptr();
        // SAFETY: this is the only owner; the function takes the address of a pointer and clears it.
        unsafe { ffi::swr_free(&raw mut context) }
    }
}

// Declared with integers for enumerations, so that a number from a file need not be one of the variants.
mod by_number {
    use std::ffi::{c_int, c_void};

    use ffmpeg_next::ffi::{AVChannelLayout, SwrContext};
    unsafe extern "C" {
        pub(super) fn swr_alloc_set_opts2(
            context: *mut *mut SwrContext,
            to_layout: *const AVChannelLayout,
            to_format: c_int,
            to_rate: c_int,
            from_layout: *const AVChannelLayout,
            from_format: c_int,
            from_rate: c_int,
            log_offset: c_int,
            log: *mut c_void,
        ) -> c_int;
    }
}
