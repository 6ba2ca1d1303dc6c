//! An open decoder.

use std::ffi::CStr;
use std::ptr::{self, NonNull};
use std::sync::Arc;

use ffmpeg_next::ffi;

use super::memory::FramePool;
use super::messages;
use super::nal::NalStream;
use super::stream::StreamParameters;
use super::{AvError, AvFrame, AvPacket};

/// How to open a decoder.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CodecOptions {
    /// Number of decoding threads, at least 1.
    pub(crate) threads: usize,
    /// Whether each frame is wanted as soon as its packet is there. Threads then share one frame's slices instead of having a frame each,
    /// which would hold back as many frames as there are threads.
    pub(crate) low_delay: bool,
}

/// What the decoder had to give.
pub(crate) enum Received {
    /// A frame.
    Frame(AvFrame),
    /// Nothing until it gets another packet.
    NeedsInput,
    /// Nothing any more.
    End,
    /// A packet that it got earlier was refused.
    Refused(AvError),
}

/// An open video decoder.
pub(crate) struct Codec {
    context: NonNull<ffi::AVCodecContext>,
    /// Where its frames lie; freed after the context, whose threads use it.
    pool: Arc<FramePool>,
    /// Whether the decoder can leave out pictures that no other picture refers to without a trace.
    can_skip_unreferenced: bool,
    is_webp: bool,
    /// What has to be known of the stream to look into its packets, where they tell which pictures no other refers to.
    units: Option<NalStream>,
    options: CodecOptions,
    /// The number of the packet that decoding began with, where packets have numbers.
    first: Option<u64>,
}

// SAFETY: a codec context may be used from any one thread at a time, and this type is its only owner.
unsafe impl Send for Codec {}

impl Codec {
    /// Opens FFmpeg's decoder for the stream.
    pub(crate) fn open(parameters: &StreamParameters<'_>, options: CodecOptions) -> Result<Self, AvError> {
        let decoder = parameters.decoder().ok_or(AvError(ffi::AVERROR_DECODER_NOT_FOUND))?;
        // SAFETY: a fresh context is set up from a stream's parameters while nothing else uses either, and is freed by
        // `Drop` on every path from here on.
        unsafe {
            let context = NonNull::new(ffi::avcodec_alloc_context3(decoder)).ok_or(AvError(ffi::AVERROR_UNKNOWN))?;
            let can_skip_unreferenced = matches!(
                parameters.codec_name(),
                // In these a picture says of itself that no other refers to it. In HEVC one may say it to which those of
                // higher temporal sub-layers do refer, for which the decoder does not look: its packets are left out here.
                "h264" | "mpeg1video" | "mpeg2video" | "mpeg4"
            );
            let units = NalStream::of(parameters.codec_name(), parameters.extradata());
            let is_webp = parameters.codec_name() == "webp";
            let codec =
                Self { context, pool: Arc::default(), can_skip_unreferenced, is_webp, units, options, first: None };
            let context = codec.context.as_ptr();
            AvError::check(ffi::avcodec_parameters_to_context(context, parameters.as_ptr()))?;
            (*context).pkt_timebase = parameters.raw_time_base();
            // FFmpeg would round to what its vectors are aligned to. Frames come whole, and say what is to be left out.
            (*context).apply_cropping = 0;
            (*context).thread_count = i32::try_from(options.threads).unwrap_or(1).max(1);
            (*context).thread_type =
                if options.low_delay { ffi::FF_THREAD_SLICE } else { ffi::FF_THREAD_FRAME | ffi::FF_THREAD_SLICE };
            // To the older ones it says that no picture has to wait for another, and they give B-frames out in coding order.
            let is_understood = matches!(parameters.codec_name(), "h264" | "hevc" | "av1");
            if options.low_delay && is_understood {
                (*context).flags |= ffi::AV_CODEC_FLAG_LOW_DELAY.cast_signed();
            }
            // Frames tell which packet they came from: until FFmpeg 6 by what stands in the context as it is sent.
            #[cfg(not(ffmpeg_before_6))]
            {
                (*context).flags |= ffi::AV_CODEC_FLAG_COPY_OPAQUE.cast_signed();
            }
            if (*decoder).capabilities.cast_unsigned() & ffi::AV_CODEC_CAP_DR1 != 0 {
                FramePool::serve(&codec.pool, context);
                messages::on_concealment(FramePool::note_concealment);
            }
            AvError::check(ffi::avcodec_open2(context, decoder, ptr::null_mut()))?;
            Ok(codec)
        }
    }

    /// The same decoder, opened anew: flushing does not make every decoder forget all.
    pub(crate) fn anew(&self, parameters: &StreamParameters<'_>) -> Result<Self, AvError> {
        Self::open(parameters, self.options)
    }

    /// The same with one thread.
    pub(crate) fn with_one_thread(&self, parameters: &StreamParameters<'_>) -> Result<Self, AvError> {
        Self::open(parameters, CodecOptions { threads: 1, ..self.options })
    }

    /// Whether it may put something of its own in the place of damaged parts, or leave them as they were, and what that is may depend on its
    /// threads. With one for each frame it depends on how far each is whether the next frame is predicted from that or from what was there
    /// before, and (HEVC) on what each has decoded; with one for each part of a picture (MPEG-1 and -2), on how many share it.
    pub(crate) fn may_conceal(&self) -> bool {
        // Those that share a frame's slices do not.
        !self.options.low_delay
            && matches!(self.name().as_str(), "h264" | "mpeg1video" | "mpeg2video" | "mpeg4" | "hevc")
    }

    /// From now on takes parts of pictures that the decoder leaves as they were for damage that it conceals, where it does so without a word.
    /// All packets must be [sent with numbers](Self::send_numbered) that rise.
    pub(crate) fn watch(&self) {
        if self.name() == "hevc" {
            self.pool.watch();
        }
    }

    /// Whether something was put in the place of damaged parts since this was last asked, in frames that were taken or are to be.
    pub(crate) fn take_concealment(&self) -> bool {
        self.pool.take_concealment()
    }

    /// Hands a packet to the decoder, or with `None` the news that there are no more.
    pub(crate) fn send(&mut self, packet: Option<&AvPacket>) -> Result<(), AvError> {
        if let Some(packet) = packet {
            self.look_into(packet);
        }
        let changed = packet.filter(|_| self.is_webp).map(AvPacket::without_webp_alpha).transpose()?;
        let pointer = changed.as_ref().or(packet).map_or(ptr::null_mut(), AvPacket::as_ptr);
        // SAFETY: both pointers are valid, or the packet's is null as the function allows.
        AvError::check(unsafe { ffi::avcodec_send_packet(self.context.as_ptr(), pointer) }).map(|_| ())
    }

    /// Hands a packet to the decoder, with a number that its frame [tells](AvFrame::packet_number).
    pub(crate) fn send_numbered(&mut self, packet: &AvPacket, number: u64) -> Result<(), AvError> {
        self.first.get_or_insert(number);
        #[cfg(ffmpeg_before_6)]
        {
            // SAFETY: the field may be set between packets; frame threads copy it with each packet.
            let in_context = unsafe { &mut (*self.context.as_ptr()).reordered_opaque };
            let before = std::mem::replace(in_context, number.cast_signed());
            let sent = self.send(Some(packet));
            if sent == Err(AvError::AGAIN) {
                // The packet before still waits in there.
                // SAFETY: as above.
                unsafe { (*self.context.as_ptr()).reordered_opaque = before };
            }
            sent
        }
        #[cfg(not(ffmpeg_before_6))]
        {
            packet.set_opaque(number);
            self.send(Some(packet))
        }
    }

    /// Learns what is to be known of later packets.
    fn look_into(&mut self, packet: &AvPacket) {
        if let Some(extradata) = packet.configuration() {
            self.units = self.units.and_then(|units| units.reconfigured(extradata));
        }
        if let Some(units) = &mut self.units {
            units.learn(packet.data());
        }
    }

    /// Takes the next frame.
    pub(crate) fn receive(&mut self) -> Received {
        let mut frame = AvFrame::new();
        // SAFETY: both pointers are valid, the frame is blank.
        let code = unsafe { ffi::avcodec_receive_frame(self.context.as_ptr(), frame.as_ptr()) };
        match AvError::check(code) {
            Ok(_) => {
                self.look_at(frame.packet_number());
                frame.look_up(&self.pool);
                Received::Frame(frame)
            }
            Err(AvError::AGAIN) => {
                // With one thread all is done that was sent.
                if self.threads() == 1 {
                    self.look_at(u64::MAX);
                }
                Received::NeedsInput
            }
            Err(AvError::EOF) => {
                self.look_at(u64::MAX);
                Received::End
            }
            Err(error) => Received::Refused(error),
        }
    }

    /// Looks whether the pictures of all packets up to that number are wholly written, which the decoder has finished.
    fn look_at(&self, up_to: u64) {
        // SAFETY: frames come in the order of the packets in which they were let out, and none is before its own, or before those that it
        // is predicted from, are finished.
        unsafe { self.pool.look_at(up_to, self.first.unwrap_or(0)) }
    }

    /// Forgets everything that it was given.
    pub(crate) fn flush(&mut self) {
        // SAFETY: the context is open.
        unsafe { ffi::avcodec_flush_buffers(self.context.as_ptr()) }
        self.pool.forget();
        self.first = None;
    }

    /// Whether packets sent from now on are left undecoded if no other picture refers to theirs, where the decoder tells that.
    pub(crate) fn skip_unreferenced(&mut self, skip: bool) {
        let discard = if skip && self.can_skip_unreferenced {
            ffi::AVDiscard::AVDISCARD_NONREF
        } else {
            ffi::AVDiscard::AVDISCARD_DEFAULT
        };
        // SAFETY: the field may be set between packets; frame threads copy it with each packet.
        unsafe { (*self.context.as_ptr()).skip_frame = discard }
    }

    /// Whether decoding of all other pictures is the same without the packet. One that the decoder itself
    /// [skips](Self::skip_unreferenced) takes a turn of one of the frame threads all the same, so that at two cores hardly
    /// two of them are at work at once.
    pub(crate) fn can_do_without(&self, packet: &AvPacket) -> bool {
        self.units.is_some_and(|units| !packet.reconfigures() && units.is_unreferenced(packet.data()))
    }

    /// Whether decoding can begin with the packet, so that all that is shown behind its picture is right: a keyframe, and none that only
    /// begins to refresh the picture bit by bit.
    pub(crate) fn can_begin_with(&self, packet: &AvPacket) -> bool {
        packet.is_key() && !self.units.is_some_and(|units| units.is_predicted(packet.data()))
    }

    /// The number of threads that it really uses.
    pub(crate) fn threads(&self) -> usize {
        // SAFETY: the context is valid.
        let (active, count) =
            unsafe { ((*self.context.as_ptr()).active_thread_type, (*self.context.as_ptr()).thread_count) };
        if active == 0 { 1 } else { usize::try_from(count).unwrap_or(1).max(1) }
    }

    /// The decoder's name, for instance "libdav1d".
    pub(crate) fn name(&self) -> String {
        // SAFETY: an open context names its codec, whose name is a constant.
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
