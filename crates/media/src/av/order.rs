//! The order in which the codec shows pictures. FFmpeg outputs frames in this order, whatever their timestamps say.

use std::ffi::c_int;
use std::ptr::{self, NonNull};

use ffmpeg_next::ffi;

use super::packet::AvPacket;
use super::stream::StreamParameters;

/// The display order of the pictures of a stream, followed packet by packet: by the picture order count of H.264 and
/// HEVC. In MPEG-1, MPEG-2 and MPEG-4, B-pictures are shown at once, and others after the B-pictures that follow them.
pub(crate) struct ShownOrder {
    parser: NonNull<ffi::AVCodecParserContext>,
    context: NonNull<ffi::AVCodecContext>,
    /// Timestamp and place in the display order of the pictures since the last keyframe.
    group: Vec<(i64, c_int)>,
    has_order_count: bool,
    /// Position in `group` of a picture that waits for B-pictures.
    waiting: Option<usize>,
    shown: c_int,
}

impl ShownOrder {
    /// Creates the order for a stream; `None` if it is that of the packets.
    pub(crate) fn of(parameters: &StreamParameters<'_>) -> Option<Self> {
        let id = match parameters.codec_name() {
            "h264" => ffi::AVCodecID::AV_CODEC_ID_H264,
            "hevc" => ffi::AVCodecID::AV_CODEC_ID_HEVC,
            "mpeg1video" => ffi::AVCodecID::AV_CODEC_ID_MPEG1VIDEO,
            "mpeg2video" => ffi::AVCodecID::AV_CODEC_ID_MPEG2VIDEO,
            "mpeg4" => ffi::AVCodecID::AV_CODEC_ID_MPEG4,
            _ => return None,
        };
        // SAFETY: both functions allocate, or return null. `order` owns the results from then on. The parameters live
        // as long as `parameters` is borrowed, and are copied.
        unsafe {
            // FFmpeg 9 takes the enumeration, earlier versions its number.
            let parser = NonNull::new(ffi::av_parser_init(id as _))?;
            let Some(context) = NonNull::new(ffi::avcodec_alloc_context3(ptr::null())) else {
                ffi::av_parser_close(parser.as_ptr());
                return None;
            };
            let has_order_count = matches!(parameters.codec_name(), "h264" | "hevc");
            let order = Self { parser, context, group: Vec::new(), has_order_count, waiting: None, shown: 0 };
            // Each packet is a whole picture; the parser need not assemble any.
            (*parser.as_ptr()).flags |= ffi::PARSER_FLAG_COMPLETE_FRAMES as c_int;
            (ffi::avcodec_parameters_to_context(context.as_ptr(), parameters.as_ptr()) >= 0).then_some(order)
        }
    }

    /// Takes the next packet, which is shown at `pts`. If it starts a new group, returns whether timestamps and the
    /// display order agree in the previous one; otherwise `true`.
    pub(crate) fn agrees_up_to(&mut self, packet: &AvPacket, pts: i64) -> bool {
        let data = packet.data();
        let Ok(size) = c_int::try_from(data.len()) else { return true };
        let (mut out, mut out_size) = (ptr::null_mut(), 0);
        // SAFETY: the parser and the context are valid and owned by this type; a packet's data is followed by the
        // padding that parsers need. The output points into the packet, and is not read.
        let (is_key, count, is_b) = unsafe {
            let (parser, context) = (self.parser.as_ptr(), self.context.as_ptr());
            let none = ffi::AV_NOPTS_VALUE;
            ffi::av_parser_parse2(parser, context, &raw mut out, &raw mut out_size, data.as_ptr(), size, none, none, 0);
            let is_b = (*parser).pict_type == ffi::AVPictureType::AV_PICTURE_TYPE_B as c_int;
            ((*parser).key_frame == 1, (*parser).output_picture_number, is_b)
        };
        let is_key = if self.has_order_count { is_key } else { packet.is_key() };
        let agrees = !is_key || self.agrees();
        self.group.push((pts, count));
        if !self.has_order_count {
            let reference = self.waiting;
            if !is_b {
                self.show_waiting();
            }
            self.waiting = Some(self.group.len() - 1);
            if is_b {
                self.show_waiting();
                self.waiting = reference;
            }
        }
        agrees
    }

    /// Gives the waiting picture the next place in the display order.
    fn show_waiting(&mut self) {
        if let Some((_, place)) = self.waiting.take().and_then(|at| self.group.get_mut(at)) {
            *place = self.shown;
            self.shown += 1;
        }
    }

    /// Returns `true` if timestamps and the display order agree in the last group, and forgets the group.
    pub(crate) fn agrees(&mut self) -> bool {
        self.show_waiting();
        let mut group = std::mem::take(&mut self.group);
        group.sort_unstable();
        group.windows(2).all(|pair| pair[0].1 <= pair[1].1)
    }
}

impl Drop for ShownOrder {
    fn drop(&mut self) {
        let mut context = self.context.as_ptr();
        // SAFETY: this type owns both, and nothing else uses them.
        unsafe {
            ffi::av_parser_close(self.parser.as_ptr());
            ffi::avcodec_free_context(&raw mut context);
        }
    }
}
