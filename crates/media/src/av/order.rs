//! The order in which the codec shows pictures. FFmpeg outputs frames in this order, whatever their timestamps say.

use std::ffi::c_int;
use std::ptr::{self, NonNull};

use ffmpeg_next::ffi;

use super::packet::AvPacket;
use super::stream::StreamParameters;

/// The display order of the pictures of an H.264 or HEVC stream, followed packet by packet.
pub(crate) struct ShownOrder {
    parser: NonNull<ffi::AVCodecParserContext>,
    context: NonNull<ffi::AVCodecContext>,
    /// Timestamp and picture order count of the pictures since the last keyframe.
    group: Vec<(i64, c_int)>,
}

impl ShownOrder {
    /// Creates the order for a stream; `None` if its codec has no picture order count.
    pub(crate) fn of(parameters: &StreamParameters<'_>) -> Option<Self> {
        let id = match parameters.codec_name() {
            "h264" => ffi::AVCodecID::AV_CODEC_ID_H264,
            "hevc" => ffi::AVCodecID::AV_CODEC_ID_HEVC,
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
            let order = Self { parser, context, group: Vec::new() };
            // Each packet is a whole picture; the parser need not assemble any.
            (*parser.as_ptr()).flags |= ffi::PARSER_FLAG_COMPLETE_FRAMES as c_int;
            (ffi::avcodec_parameters_to_context(context.as_ptr(), parameters.as_ptr()) >= 0).then_some(order)
        }
    }

    /// Takes the next packet, which is shown at `pts`. If it starts a new group, returns whether timestamps and picture
    /// order counts agree in the previous one; otherwise `true`.
    pub(crate) fn agrees_up_to(&mut self, packet: &AvPacket, pts: i64) -> bool {
        let data = packet.data();
        let Ok(size) = c_int::try_from(data.len()) else { return true };
        let (mut out, mut out_size) = (ptr::null_mut(), 0);
        // SAFETY: the parser and the context are valid and owned by this type; a packet's data is followed by the
        // padding that parsers need. The output points into the packet, and is not read.
        let (is_key, count) = unsafe {
            let (parser, context) = (self.parser.as_ptr(), self.context.as_ptr());
            let none = ffi::AV_NOPTS_VALUE;
            ffi::av_parser_parse2(parser, context, &raw mut out, &raw mut out_size, data.as_ptr(), size, none, none, 0);
            ((*parser).key_frame == 1, (*parser).output_picture_number)
        };
        let agrees = !is_key || self.agrees();
        self.group.push((pts, count));
        agrees
    }

    /// Returns `true` if timestamps and picture order counts agree in the last group, and forgets the group.
    pub(crate) fn agrees(&mut self) -> bool {
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
