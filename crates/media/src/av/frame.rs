//! An owned decoded frame.

use std::alloc::{Layout, handle_alloc_error};
use std::ptr::NonNull;
use std::sync::{Arc, OnceLock};

use ffmpeg_next::ffi;

use super::copies::CopyTarget;
use super::headers::{GroupPosition, MpegStatement, PacketHeaders, Statement};
use super::memory::{DeviceMemory, FrameBlock, FramePool};
use super::nal::{StatedOrientation, Syntax};
use super::packet::number_of;
use super::{ColorNumbers, PixelFormat, enum_number, positive_ratio, timestamp};
use histoscope_core::picture::crop::Crop;
use histoscope_core::picture::stated_light::{FrameStatedLight, StatedLight};
use histoscope_core::picture::transfer::Transfer;
use histoscope_core::picture::{Pages, Ratio, ResidentPlanes, Scan};

/// Planes in the memory of a graphics device.
pub(super) struct RemotePlanes {
    memory: Arc<dyn CopyTarget>,
    device: DeviceMemory,
    /// Set once the planes have been copied into the block's pages.
    is_fetched: OnceLock<()>,
}

impl RemotePlanes {
    pub(super) const fn new(memory: Arc<dyn CopyTarget>, device: DeviceMemory) -> Self {
        Self { memory, device, is_fetched: OnceLock::new() }
    }
}

/// A decoded frame. Its buffers are reference-counted and never written to.
pub(crate) struct AvFrame {
    raw: NonNull<ffi::AVFrame>,
    /// The block that holds all of its planes, if they are in one.
    block: Option<Arc<FrameBlock>>,
    /// Where the planes are while they are not in the block's pages.
    remote: Option<Arc<RemotePlanes>>,
    /// The format in which software decodes the frame, if hardware has decoded it.
    coded: Option<PixelFormat>,
    /// What the headers of its packet state, if FFmpeg may say otherwise.
    stated: Option<Statement>,
    group: Option<GroupPosition>,
}

// SAFETY: this type is the frame's only owner; its buffers are counted atomically.
unsafe impl Send for AvFrame {}
// SAFETY: shared references only allow reading a frame. A frame-threaded decoder may keep references to the same
// buffers for prediction, but it has finished writing them before it outputs the frame.
unsafe impl Sync for AvFrame {}

impl AvFrame {
    /// Creates an empty frame.
    pub(crate) fn new() -> Self {
        // SAFETY: allocates, or returns null, which is handled as any failed allocation.
        let pointer = unsafe { ffi::av_frame_alloc() };
        match NonNull::new(pointer) {
            Some(raw) => Self { raw, block: None, remote: None, coded: None, stated: None, group: None },
            None => handle_alloc_error(Layout::new::<ffi::AVFrame>()),
        }
    }

    /// Creates a frame of this format and size with its own planes, still to be filled; `None` if it cannot be
    /// allocated.
    pub(crate) fn to_fill(format: PixelFormat, (width, height): (u32, u32)) -> Option<Self> {
        let frame = Self::new();
        let raw = frame.as_ptr();
        // SAFETY: the frame is valid and blank; the function checks its format and size.
        unsafe {
            (*raw).format = format.0;
            (*raw).width = i32::try_from(width).ok()?;
            (*raw).height = i32::try_from(height).ok()?;
            (ffi::av_frame_get_buffer(raw, 0) >= 0).then_some(frame)
        }
    }

    /// Copies rows of `row_bytes` bytes into a plane, starting this many bytes and rows from its top left corner.
    /// Returns `None` if they do not fit, or if the frame's buffers are shared.
    pub(crate) fn fill_rows(
        &mut self,
        plane: usize,
        (left, top): (usize, usize),
        (bytes, row_bytes): (&[u8], usize),
    ) -> Option<()> {
        // SAFETY: the frame is valid.
        if unsafe { ffi::av_frame_is_writable(self.as_ptr()) } <= 0 {
            return None;
        }
        let start = *self.get().data.get(plane)?;
        let line = usize::try_from(self.line_size(plane)).ok().filter(|line| left + row_bytes <= *line)?;
        for (row, bytes) in bytes.chunks_exact(row_bytes).enumerate() {
            let at = start.wrapping_add(line * (top + row) + left);
            if self.available(at)? < row_bytes {
                return None;
            }
            // SAFETY: the buffer holds at least `row_bytes` bytes from `at`, and this frame holds the only reference to
            // it.
            unsafe { at.copy_from_nonoverlapping(bytes.as_ptr(), row_bytes) }
        }
        Some(())
    }

    /// Marks the frame as damaged.
    pub(crate) fn set_damaged(&mut self) {
        // SAFETY: the frame is valid and `self` its only owner.
        unsafe { (*self.as_ptr()).flags |= ffi::AV_FRAME_FLAG_CORRUPT }
    }

    /// Returns a frame with these planes and all properties of the other frame except format, size and cropping.
    pub(crate) fn with_properties_of(&self, other: &Self) -> Self {
        self.fetch();
        let frame = Self::new();
        let raw = frame.as_ptr();
        // SAFETY: all three frames are valid, and the new one is blank. Both functions fail only if out of memory.
        unsafe {
            if ffi::av_frame_ref(raw, self.as_ptr()) < 0 || ffi::av_frame_copy_props(raw, other.as_ptr()) < 0 {
                handle_alloc_error(Layout::new::<ffi::AVFrame>());
            }
            (*raw).flags |= self.get().flags & ffi::AV_FRAME_FLAG_CORRUPT;
            ((*raw).crop_left, (*raw).crop_right, (*raw).crop_top, (*raw).crop_bottom) = (0, 0, 0, 0);
        }
        frame
    }

    pub(super) const fn as_ptr(&self) -> *mut ffi::AVFrame {
        self.raw.as_ptr()
    }

    /// Looks up the pool's block that the frame is in, if any.
    pub(super) fn look_up(&mut self, pool: &FramePool) {
        let [first, second, ..] = self.get().buf;
        if !first.is_null() && second.is_null() {
            // SAFETY: the frame's buffer references that are not null are valid.
            self.block = pool.block_at(unsafe { (*first).data });
        }
    }

    /// Returns the pool's block that the frame is in, if it has been looked up.
    pub(super) fn block(&self) -> Option<&FrameBlock> {
        self.block.as_deref()
    }

    /// States that the planes are elsewhere, at the offsets that they would have in the block's pages.
    pub(super) fn set_remote(&mut self, planes: RemotePlanes) {
        self.remote = Some(Arc::new(planes));
    }

    /// Copies the planes into the block's pages, unless they are there.
    pub(super) fn fetch(&self) {
        let (Some(remote), Some(block)) = (&self.remote, &self.block) else { return };
        remote.is_fetched.get_or_init(|| {
            let memory = block.pages.memory();
            // SAFETY: the block belongs to this frame and its clones, which all wait here; the pages have this length.
            if !unsafe { remote.memory.read(memory.start().as_ptr(), memory.length()) } {
                log::debug!("the graphics device did not return a decoded picture");
                remote.device.note_failure();
            } else {
                log::trace!("a decoded picture was copied from the graphics device");
            }
        });
    }

    /// Returns where the planes are in a graphics device's memory, if they are.
    pub(crate) fn resident(&self) -> Option<ResidentPlanes> {
        let (remote, block) = (self.remote.as_ref()?, self.block.as_ref()?);
        let start = block.pages.memory().start().as_ptr().addr();
        let offset = |plane: usize| self.get().data[plane].addr().saturating_sub(start);
        Some(ResidentPlanes { memory: remote.memory.attachment()?, offsets: std::array::from_fn(offset) })
    }

    /// Returns the address of the first plane, without reading it.
    pub(crate) fn address(&self) -> usize {
        self.get().data[0].addr()
    }

    /// Returns `true` if the buffer of `plane` holds this many bytes.
    pub(crate) fn holds(&self, plane: usize, length: usize) -> bool {
        let start = self.get().data.get(plane).copied();
        start.and_then(|start| self.available(start)).is_some_and(|available| available >= length)
    }

    /// Returns the memory that holds all planes, if it consists of whole pages.
    pub(crate) fn pages(&self) -> Option<&Pages> {
        self.fetch();
        self.block.as_ref().map(|block| &block.pages)
    }

    const fn get(&self) -> &ffi::AVFrame {
        // SAFETY: the pointer is valid as long as `self`. No enumeration is read through this reference.
        unsafe { self.raw.as_ref() }
    }

    /// Returns the width and height of the planes in pixels, before any [cropping](Self::crop); zero if the decoder
    /// reports an impossible value.
    pub(crate) fn size(&self) -> (u32, u32) {
        let frame = self.get();
        (u32::try_from(frame.width).unwrap_or(0), u32::try_from(frame.height).unwrap_or(0))
    }

    /// Returns how much the codec crops at the edges. The planes still include these pixels.
    pub(crate) fn crop(&self) -> Crop {
        let frame = self.get();
        let pixels = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Crop {
            left: pixels(frame.crop_left),
            right: pixels(frame.crop_right),
            top: pixels(frame.crop_top),
            bottom: pixels(frame.crop_bottom),
        }
    }

    /// Returns the total size of the frame's buffers in bytes.
    pub(crate) fn buffer_bytes(&self) -> usize {
        let buffers = self.get().buf.iter().filter(|buffer| !buffer.is_null());
        // SAFETY: the frame's buffer references that are not null are valid.
        buffers.map(|buffer| unsafe { (**buffer).size }).sum()
    }

    /// Returns the pixel format of the planes.
    pub(crate) fn format(&self) -> PixelFormat {
        self.as_stated(PixelFormat(self.get().format))
    }

    /// Returns the pixel format of the stream: that of the planes, or if hardware has decoded them, the one in which
    /// software would have.
    pub(crate) fn coded_format(&self) -> PixelFormat {
        self.coded.map_or_else(|| self.format(), |coded| self.as_stated(coded))
    }

    /// Returns the format of the same planes whose name implies no more than the headers state. FFmpeg chooses formats
    /// that imply full range or R'G'B' by what it keeps from earlier headers.
    fn as_stated(&self, format: PixelFormat) -> PixelFormat {
        let (is_full, is_rgb) = match self.stated {
            Some(Statement::Sets(Syntax::H264, Some(sequence), _)) => {
                (sequence.colors.range == 2, sequence.colors.matrix == 0)
            }
            Some(Statement::Jpeg { is_limited, .. }) => (!is_limited, false),
            _ => return format,
        };
        format.implying(is_full, is_rgb)
    }

    /// Records what the headers of the frame's packet state.
    pub(super) fn set_stated(&mut self, headers: &PacketHeaders) {
        self.stated = headers.of_packet(self.packet_number());
        self.group = headers.group_position(self.packet_number());
    }

    /// Returns the position of the frame in its group of pictures, from the headers of MPEG-1 and MPEG-2.
    pub(crate) const fn group_position(&self) -> Option<GroupPosition> {
        self.group
    }

    /// Sets the format in which software would have decoded the frame.
    pub(super) const fn set_coded_format(&mut self, format: PixelFormat) {
        self.coded = Some(format);
    }

    /// Returns FFmpeg's best estimate of the presentation timestamp, in ticks of the stream.
    pub(crate) const fn best_effort_timestamp(&self) -> Option<i64> {
        timestamp(self.get().best_effort_timestamp)
    }

    /// Returns the number of the packet that the frame came from, as [counted](super::Codec::taken) by the decoder. If
    /// two packets hold a field each, it is the first packet's.
    pub(crate) fn packet_number(&self) -> u64 {
        number_of(self.get())
    }

    /// Returns the duration in ticks, if the file states one.
    pub(crate) fn duration(&self) -> Option<i64> {
        // FFmpeg 6.0 renamed the field, and 7 removed the old name.
        #[cfg(ffmpeg_before_6)]
        let ticks = self.get().pkt_duration;
        #[cfg(not(ffmpeg_before_6))]
        let ticks = self.get().duration;
        Some(ticks).filter(|ticks| *ticks > 0)
    }

    /// Returns the number of fields for which the picture is displayed beyond its own two.
    pub(crate) fn repeated_fields(&self) -> i64 {
        i64::from(self.get().repeat_pict.clamp(0, 4))
    }

    /// Returns `true` if decoding can start at this frame.
    pub(crate) const fn is_key(&self) -> bool {
        // A separate field until FFmpeg 6.1 added the flag; FFmpeg 8 has only the flag.
        #[cfg(ffmpeg_before_6_1)]
        return self.get().key_frame != 0;
        #[cfg(not(ffmpeg_before_6_1))]
        return self.get().flags & ffi::AV_FRAME_FLAG_KEY != 0;
    }

    /// Returns how the picture was scanned, from the decoder's flags for the frame.
    pub(crate) const fn scan(&self) -> Scan {
        let frame = self.get();
        // Separate fields until FFmpeg 6.1, as in `is_key`.
        #[cfg(ffmpeg_before_6_1)]
        let (is_interlaced, is_top_first) = (frame.interlaced_frame != 0, frame.top_field_first != 0);
        #[cfg(not(ffmpeg_before_6_1))]
        let (is_interlaced, is_top_first) =
            (frame.flags & ffi::AV_FRAME_FLAG_INTERLACED != 0, frame.flags & ffi::AV_FRAME_FLAG_TOP_FIELD_FIRST != 0);
        // Where H.264 leaves it open, FFmpeg assumes what it was before.
        let has_frames_only =
            matches!(self.stated, Some(Statement::Sets(Syntax::H264, Some(sequence), _)) if sequence.has_frames_only);
        match (is_interlaced && !has_frames_only, is_top_first) {
            (false, _) => Scan::Progressive,
            (true, true) => Scan::TopFirst,
            (true, false) => Scan::BottomFirst,
        }
    }

    /// Returns `true` if FFmpeg calls the frame corrupt or decoded with errors.
    pub(crate) const fn is_damaged(&self) -> bool {
        let frame = self.get();
        frame.decode_error_flags != 0 || frame.flags & ffi::AV_FRAME_FLAG_CORRUPT != 0
    }

    /// Returns `true` if part of the frame's packet could not be read. A frame that refers to a missing one can be
    /// damaged without being broken.
    pub(crate) const fn is_broken(&self) -> bool {
        self.get().decode_error_flags & !(ffi::FF_DECODE_ERROR_MISSING_REFERENCE) != 0
    }

    /// Returns `true` if the frame is not to be shown.
    pub(crate) const fn is_discarded(&self) -> bool {
        self.get().flags & ffi::AV_FRAME_FLAG_DISCARD != 0
    }

    /// Returns the letter of the picture type (I, P, B, …); `None` if it has none.
    pub(crate) fn picture_type(&self) -> Option<char> {
        // SAFETY: the field is a C enumeration in a valid frame.
        let number = unsafe { enum_number(&raw const (*self.as_ptr()).pict_type) };
        // AVPictureType in order; 0 is "none".
        const LETTERS: [char; 8] = ['?', 'I', 'P', 'B', 'S', 'i', 'p', 'b'];
        usize::try_from(number).ok().filter(|n| *n > 0).and_then(|n| LETTERS.get(n).copied())
    }

    /// Returns the width of a pixel divided by its height, if the frame states it.
    pub(crate) fn sample_aspect(&self) -> Option<Ratio> {
        match self.stated {
            Some(Statement::Mpeg(MpegStatement { sample_aspect: Some(stated), .. })) => Some(stated),
            Some(Statement::Jpeg { sample_aspect, .. }) => sample_aspect,
            _ => positive_ratio(self.get().sample_aspect_ratio),
        }
    }

    /// Returns H.273's numbers for matrix, primaries and transfer, and FFmpeg's for the range, as the frame states
    /// them.
    pub(crate) fn color_numbers(&self) -> ColorNumbers {
        let known = self.known_color_numbers();
        match self.stated {
            Some(Statement::Sets(Syntax::H264, Some(sequence), _)) => sequence.colors,
            // FFmpeg's numbers are right, but older versions leave out those that they do not know.
            Some(Statement::Sets(Syntax::Hevc, Some(sequence), _)) => {
                ColorNumbers { range: sequence.colors.range, ..known.or(sequence.colors) }
            }
            Some(Statement::Mpeg(stated)) => ColorNumbers { range: known.range, ..stated.colors },
            Some(Statement::Jpeg { is_limited, .. }) => ColorNumbers { range: if is_limited { 1 } else { 2 }, ..known },
            _ => known,
        }
    }

    /// Returns `true` if the range is limited unless something else is stated: H.265, E.3.1.
    pub(crate) const fn implies_limited_range(&self) -> bool {
        matches!(self.stated, Some(Statement::Sets(Syntax::Hevc, Some(_), _)))
    }

    /// Returns the numbers that FFmpeg has for the frame.
    fn known_color_numbers(&self) -> ColorNumbers {
        let frame = self.as_ptr();
        // SAFETY: these fields are C enumerations in a valid frame.
        unsafe {
            ColorNumbers {
                matrix: enum_number(&raw const (*frame).colorspace),
                range: enum_number(&raw const (*frame).color_range),
                primaries: enum_number(&raw const (*frame).color_primaries),
                transfer: enum_number(&raw const (*frame).color_trc),
            }
        }
    }

    /// Sets those numbers.
    pub(crate) fn set_color_numbers(&mut self, numbers: ColorNumbers) {
        let frame = self.as_ptr();
        // SAFETY: these fields are C enumerations in a valid frame, and are only ever read as integers.
        unsafe {
            (&raw mut (*frame).colorspace).cast::<i32>().write(numbers.matrix);
            (&raw mut (*frame).color_range).cast::<i32>().write(numbers.range);
            (&raw mut (*frame).color_primaries).cast::<i32>().write(numbers.primaries);
            (&raw mut (*frame).color_trc).cast::<i32>().write(numbers.transfer);
        }
    }

    /// Returns the display matrix, if the frame carries one.
    pub(crate) fn display_matrix(&self) -> Option<[i32; 9]> {
        if let Some(Statement::Sets(_, _, orientation)) = self.stated {
            return orientation.map(StatedOrientation::display_matrix);
        }
        // SAFETY: the frame is valid; the result is null or side data of the frame.
        unsafe {
            let data =
                ffi::av_frame_get_side_data(self.as_ptr(), ffi::AVFrameSideDataType::AV_FRAME_DATA_DISPLAYMATRIX);
            if data.is_null() || (*data).size < size_of::<[i32; 9]>() {
                return None;
            }
            Some((*data).data.cast::<[i32; 9]>().read_unaligned())
        }
    }

    /// Returns what the frame states about the light of the video.
    pub(crate) fn stated_light(&self) -> StatedLight {
        use ffi::AVFrameSideDataType::{
            AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, AV_FRAME_DATA_DOVI_METADATA, AV_FRAME_DATA_DOVI_RPU_BUFFER,
            AV_FRAME_DATA_DYNAMIC_HDR_PLUS, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA,
        };
        // SAFETY: the frame is valid; the result is null or side data of the frame.
        let data = |kind| unsafe { ffi::av_frame_get_side_data(self.as_ptr(), kind).as_ref() };
        let mastering =
            data(AV_FRAME_DATA_MASTERING_DISPLAY_METADATA).filter(|data| data.size >= size_of::<[i32; 22]>());
        let content = data(AV_FRAME_DATA_CONTENT_LIGHT_LEVEL).filter(|data| data.size >= size_of::<[u32; 2]>());
        // SAFETY: both structures begin with these integers, and the data is long enough.
        let (mastering, content) = unsafe {
            (
                mastering.map(|data| data.data.cast::<[i32; 22]>().read_unaligned()),
                content.map(|data| data.data.cast::<[u32; 2]>().read_unaligned()),
            )
        };
        let is_dolby_vision =
            data(AV_FRAME_DATA_DOVI_METADATA).or_else(|| data(AV_FRAME_DATA_DOVI_RPU_BUFFER)).is_some();
        StatedLight {
            hdr10_plus: data(AV_FRAME_DATA_DYNAMIC_HDR_PLUS).is_some(),
            dolby_vision: is_dolby_vision.then_some(0),
            ..StatedLight::new(mastering, content)
        }
    }

    /// Returns the light that the frame's dynamic metadata state: HDR10+, or else the first level of Dolby Vision.
    pub(crate) fn dynamic_light(&self) -> Option<FrameStatedLight> {
        use ffi::AVFrameSideDataType::{AV_FRAME_DATA_DOVI_METADATA, AV_FRAME_DATA_DYNAMIC_HDR_PLUS};
        // SAFETY: the frame is valid; the result is null or side data of the frame, as long as it states.
        let data = |kind| unsafe {
            let data = ffi::av_frame_get_side_data(self.as_ptr(), kind).as_ref()?;
            Some(std::slice::from_raw_parts(data.data, data.size))
        };
        let of_hdr10_plus = || HdrPlus::read(data(AV_FRAME_DATA_DYNAMIC_HDR_PLUS)?)?.light();
        of_hdr10_plus().or_else(|| light_of_dolby_vision(data(AV_FRAME_DATA_DOVI_METADATA)?))
    }

    /// Returns `true` if the frame's metadata are those of Dolby Vision profile 5, whose pictures are IPT-C2.
    pub(crate) fn is_dolby_ipt(&self) -> bool {
        // AVDOVIRpuDataHeader: vdr_rpu_profile and bl_video_full_range_flag are its fifth and eleventh bytes.
        const PROFILE: usize = 4;
        const IS_FULL_RANGE: usize = 10;
        // SAFETY: the frame is valid; the result is null or side data of the frame. AVDOVIMetadata begins with the
        // offset of the header, which the length bounds.
        unsafe {
            let kind = ffi::AVFrameSideDataType::AV_FRAME_DATA_DOVI_METADATA;
            let Some(data) = ffi::av_frame_get_side_data(self.as_ptr(), kind).as_ref() else { return false };
            let bytes = std::slice::from_raw_parts(data.data, data.size);
            let Some((offset, _)) = bytes.split_first_chunk() else { return false };
            let header = bytes.get(usize::from_ne_bytes(*offset)..).unwrap_or(&[]);
            header.get(PROFILE) == Some(&0) && header.get(IS_FULL_RANGE) == Some(&1)
        }
    }

    /// Returns the ICC profile, if the frame carries one.
    pub(crate) fn icc_profile(&self) -> Option<&[u8]> {
        // SAFETY: the frame is valid; the result is null or side data of the frame, as long as it states.
        unsafe {
            let kind = ffi::AVFrameSideDataType::AV_FRAME_DATA_ICC_PROFILE;
            let data = ffi::av_frame_get_side_data(self.as_ptr(), kind).as_ref()?;
            Some(std::slice::from_raw_parts(data.data, data.size))
        }
    }

    /// Returns `true` if the frame carries parameters of film grain, which the decoder has not added.
    pub(crate) fn has_film_grain(&self) -> bool {
        let kind = ffi::AVFrameSideDataType::AV_FRAME_DATA_FILM_GRAIN_PARAMS;
        // SAFETY: the frame is valid.
        !unsafe { ffi::av_frame_get_side_data(self.as_ptr(), kind) }.is_null()
    }

    /// Returns the first timecode that the frame carries, in the bit layout of SMPTE ST 12-1.
    pub(crate) fn smpte_timecode(&self) -> Option<u32> {
        // SAFETY: the frame is valid; the result is null or side data of the frame.
        let [count, first, ..] = unsafe {
            let kind = ffi::AVFrameSideDataType::AV_FRAME_DATA_S12M_TIMECODE;
            let data = ffi::av_frame_get_side_data(self.as_ptr(), kind).as_ref()?;
            if data.size < size_of::<[u32; 4]>() {
                return None;
            }
            data.data.cast::<[u32; 4]>().read_unaligned()
        };
        (count > 0).then_some(first)
    }

    /// Returns the number of bytes from one row of `plane` to the next; negative if the rows are stored bottom-up.
    pub(crate) fn line_size(&self, plane: usize) -> isize {
        self.get().linesize.get(plane).map_or(0, |size| *size as isize)
    }

    /// Returns the first `length` bytes of `plane`, if its buffer holds that much.
    pub(crate) fn plane(&self, plane: usize, length: usize) -> Option<&[u8]> {
        self.fetch();
        let start = *self.get().data.get(plane)?;
        if self.available(start)? < length {
            return None;
        }
        // SAFETY: the buffer holds at least `length` initialised bytes from `start`, and nothing writes to it while
        // this frame holds its reference.
        Some(unsafe { std::slice::from_raw_parts(start, length) })
    }

    /// Returns a copy of the rows of `plane` from top to bottom, each of `row_bytes` bytes; for rows that are stored
    /// bottom-up.
    pub(crate) fn copy_rows(&self, plane: usize, row_bytes: usize, rows: usize) -> Option<Vec<u8>> {
        self.fetch();
        let start = *self.get().data.get(plane)?;
        let line = self.line_size(plane);
        let mut out = Vec::with_capacity(row_bytes.checked_mul(rows)?);
        for row in 0..rows {
            let at = start.wrapping_offset(line.checked_mul(isize::try_from(row).ok()?)?);
            if self.available(at)? < row_bytes {
                return None;
            }
            // SAFETY: the buffer holds at least `row_bytes` bytes from `at`.
            out.extend_from_slice(unsafe { std::slice::from_raw_parts(at, row_bytes) });
        }
        Some(out)
    }

    /// Creates a frame of this format and size whose planes hold `bytes`, tightly packed. Also returns the number of
    /// bytes used.
    #[cfg(test)]
    pub(crate) fn from_bytes(format: PixelFormat, (width, height): (u32, u32), bytes: &[u8]) -> (Self, usize) {
        use std::ptr;

        use super::by_number::{av_image_copy, av_image_fill_arrays};
        let (width, height) = (width as i32, height as i32);
        let frame = Self::new();
        let (mut data, mut lines) = ([ptr::null_mut(); 4], [0; 4]);
        // SAFETY: the arrays have the four entries that the functions fill, which then point into `bytes`; the size
        // assertion keeps the copy within it. The frame's buffers are allocated for the same format and size.
        unsafe {
            let raw = frame.as_ptr();
            (*raw).width = width;
            (*raw).height = height;
            (*raw).format = format.0;
            assert!(ffi::av_frame_get_buffer(raw, 0) >= 0, "no buffer for {}", format.name());
            let size =
                av_image_fill_arrays(data.as_mut_ptr(), lines.as_mut_ptr(), bytes.as_ptr(), format.0, width, height, 1);
            let size = usize::try_from(size).expect("the format has a size");
            assert!(size <= bytes.len(), "{size} bytes are needed");
            av_image_copy(
                (&raw mut (*raw).data).cast(),
                (&raw mut (*raw).linesize).cast(),
                data.as_mut_ptr().cast(),
                lines.as_ptr(),
                format.0,
                width,
                height,
            );
            (frame, size)
        }
    }

    /// Changes one sample.
    #[cfg(test)]
    pub(crate) fn spoil(&mut self) {
        // SAFETY: the frame has a plane of more than a few bytes, which a test has just allocated.
        unsafe { *(*self.as_ptr()).data[0].add(2) ^= 0xff }
    }

    /// Flips the frame vertically in place, by pointing to the last row and stepping backwards.
    #[cfg(test)]
    pub(crate) fn flip_rows(&mut self, plane: usize, rows: usize) {
        // SAFETY: the last row is in the same buffer as the first.
        unsafe {
            let raw = self.as_ptr();
            let line = (*raw).linesize[plane];
            (*raw).data[plane] = (*raw).data[plane].offset(line as isize * (rows as isize - 1));
            (*raw).linesize[plane] = -line;
        }
    }

    /// Returns the number of bytes from `at` to the end of the buffer that contains it; `None` if no buffer does.
    fn available(&self, at: *mut u8) -> Option<usize> {
        if at.is_null() {
            return None;
        }
        let address = at as usize;
        // A decoder may keep all planes in one buffer, so every buffer is checked.
        let frame = self.get();
        frame.buf.iter().filter(|buffer| !buffer.is_null()).find_map(|buffer| {
            // SAFETY: a non-null entry is a valid buffer reference that this frame holds.
            let (data, size) = unsafe { ((**buffer).data as usize, (**buffer).size) };
            let used = address.checked_sub(data)?;
            size.checked_sub(used).filter(|rest| *rest > 0)
        })
    }
}

impl Drop for AvFrame {
    fn drop(&mut self) {
        let mut pointer = self.raw.as_ptr();
        // SAFETY: this is the only owner; the function takes the address of a pointer and clears it.
        unsafe { ffi::av_frame_free(&raw mut pointer) }
    }
}

/// The beginning of FFmpeg's `AVDynamicHDRPlus`, for which there are no bindings.
#[repr(C)]
#[derive(Clone, Copy)]
struct HdrPlus {
    country_code: u8,
    application_version: u8,
    windows: u8,
    /// The corners of the first window.
    corners: [ffi::AVRational; 4],
    center: [u16; 2],
    angle: u8,
    axes: [u16; 3],
    overlap: i32,
    /// The brightest red, green and blue of the scene, in units of 10 000 cd/m².
    max_scl: [ffi::AVRational; 3],
    /// The average of each pixel's brightest component.
    average_max_rgb: ffi::AVRational,
}

impl HdrPlus {
    /// Reads it from a frame's side data, unless that is too short.
    fn read(data: &[u8]) -> Option<Self> {
        // SAFETY: the structure consists of integers, for which any bits are valid, and the data is long enough.
        (data.len() >= size_of::<Self>()).then(|| unsafe { data.as_ptr().cast::<Self>().read_unaligned() })
    }

    fn light(&self) -> Option<FrameStatedLight> {
        let light = |part: ffi::AVRational| 10_000.0 * f64::from(part.num) / f64::from(part.den);
        let max = self.max_scl.map(light).into_iter().fold(0.0, f64::max);
        Some(FrameStatedLight { max, average: light(self.average_max_rgb) }).filter(|light| light.average.is_finite())
    }
}

/// Returns the light that the first level of Dolby Vision's metadata states, which is in 12-bit codes of PQ. The data is
/// FFmpeg's `AVDOVIMetadata`, which has the levels from FFmpeg 7.1 on; before, the header begins where they are found.
fn light_of_dolby_vision(data: &[u8]) -> Option<FrameStatedLight> {
    const WORD: usize = size_of::<usize>();
    let word = |index: usize| {
        let bytes = data.get(index * WORD..(index + 1) * WORD)?;
        Some(usize::from_ne_bytes(bytes.try_into().ok()?))
    };
    let (header, offset, size) = (word(0)?, word(3)?, word(4)?);
    let count = i32::from_ne_bytes(data.get(5 * WORD..5 * WORD + 4)?.try_into().ok()?);
    if header < 5 * WORD + 4 {
        return None;
    }
    let level = |index: usize| data.get(offset.checked_add(size.checked_mul(index)?)?..);
    // AVDOVIDmData: the number of the level, then, aligned to four bytes, its values: lowest, highest and average.
    let first = (0..count.clamp(0, 255) as usize).filter_map(level).find(|level| level.first() == Some(&1))?;
    let code = |at: usize| Some(u16::from_ne_bytes(first.get(at..at + 2)?.try_into().ok()?));
    let light = |code: u16| 10_000.0 * Transfer::Pq.light(f64::from(code.min(4095)) / 4095.0);
    Some(FrameStatedLight { max: light(code(6)?), average: light(code(8)?) })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::super::AvError;
    use super::super::copies::{CopyInFlight, PlaneCopy};
    use super::*;
    use histoscope_core::picture::Attachment;

    /// The memory of a graphics device: all bytes have this value, or the device is lost.
    #[derive(Debug)]
    struct MadeMemory(Option<u8>, AtomicUsize);

    impl CopyTarget for MadeMemory {
        unsafe fn start(&self, _: *const ffi::AVFrame, _: &[PlaneCopy]) -> Result<CopyInFlight, AvError> {
            Err(AvError::EXIT)
        }

        fn attachment(&self) -> Option<Attachment> {
            Some(Arc::new(()))
        }

        unsafe fn read(&self, target: *mut u8, bytes: usize) -> bool {
            self.1.fetch_add(1, Ordering::Relaxed);
            // SAFETY: guaranteed by the caller.
            self.0.inspect(|value| unsafe { target.write_bytes(*value, bytes) }).is_some()
        }
    }

    #[test]
    fn the_first_level_of_dolby_vision_states_light() {
        const WORD: usize = size_of::<usize>();
        let begin = 6 * WORD;
        // Two levels of 24 bytes after the fields, of which the second is the first level.
        let mut data = vec![0; begin + 48];
        for (index, number) in [begin, begin, begin, begin, 24, 2].into_iter().enumerate() {
            data[index * WORD..(index + 1) * WORD].copy_from_slice(&number.to_ne_bytes());
        }
        data[begin] = 6;
        let level = &mut data[begin + 24..];
        level[0] = 1;
        for (at, code) in [(4, 7_u16), (6, 2081), (8, 1300)] {
            level[at..at + 2].copy_from_slice(&code.to_ne_bytes());
        }
        // By SMPTE ST 2084.
        let FrameStatedLight { max, average } = light_of_dolby_vision(&data).expect("it is stated");
        assert!((max - 100.101_964_803_434_41).abs() < 1e-9, "{max}");
        assert!((average - 12.482_469_463_183_23).abs() < 1e-9, "{average}");
        for length in 0..begin + 24 + 10 {
            assert_eq!(light_of_dolby_vision(&data[..length]), None, "{length}");
        }
        for word in 3..5 {
            let mut damaged = data.clone();
            damaged[word * WORD..(word + 1) * WORD].fill(0xff);
            assert_eq!(light_of_dolby_vision(&damaged), None);
        }
        // Before FFmpeg 7.1, the header follows three fields.
        data[..WORD].copy_from_slice(&(3 * WORD).to_ne_bytes());
        assert_eq!(light_of_dolby_vision(&data), None);
    }

    #[test]
    fn metadata_of_dolby_vision_tell_its_profile() {
        const HEADER: usize = size_of::<usize>() * 3;
        for (profile, is_full_range, expected) in [(0, 1, true), (0, 0, false), (1, 1, false)] {
            let frame = AvFrame::new();
            let kind = ffi::AVFrameSideDataType::AV_FRAME_DATA_DOVI_METADATA;
            // SAFETY: the frame is valid, and the new side data is as long as what is copied into it.
            unsafe {
                let data = ffi::av_frame_new_side_data(frame.as_ptr(), kind, HEADER + 16);
                let bytes = std::slice::from_raw_parts_mut((*data).data, HEADER + 16);
                bytes.fill(0);
                bytes[..size_of::<usize>()].copy_from_slice(&HEADER.to_ne_bytes());
                (bytes[HEADER + 4], bytes[HEADER + 10]) = (profile, is_full_range);
            }
            assert_eq!(frame.is_dolby_ipt(), expected);
        }
        assert!(!AvFrame::new().is_dolby_ipt());
    }

    #[test]
    fn planes_are_fetched_from_the_device_once_and_a_lost_device_is_noted() {
        for value in [Some(7), None] {
            let (pool, device) = (FramePool::new(false), DeviceMemory::default());
            let mut frame = AvFrame::new();
            let format = PixelFormat::by_name(c"gray").expect("a format of FFmpeg's");
            // SAFETY: the frame is blank except for format and size.
            unsafe {
                let raw = frame.as_ptr();
                ((*raw).format, (*raw).width, (*raw).height) = (format.0, 64, 16);
                pool.fill_plain(raw).expect("memory");
            }
            frame.look_up(&pool);
            let memory = Arc::new(MadeMemory(value, AtomicUsize::new(0)));
            frame.set_remote(RemotePlanes::new(Arc::<MadeMemory>::clone(&memory), device.clone()));
            assert!(frame.resident().is_some() && !device.take_failure(), "nothing has been read");
            for _ in 0..2 {
                let bytes = frame.plane(0, 64 * 16).expect("the plane");
                assert!(value.is_none_or(|value| bytes.iter().all(|byte| *byte == value)));
            }
            assert_eq!(device.take_failure(), value.is_none());
            assert_eq!(memory.1.load(Ordering::Relaxed), 1);
        }
    }
}
