//! Conversion between pixel formats of the same size.

use std::ffi::c_int;
use std::ptr::{self, NonNull};

use ffmpeg_next::ffi;
use ffmpeg_next::software::scaling::Flags;

use super::{AvError, AvFrame, PixelDescriptor, PixelFormat};

/// Converts frames of one size from one pixel format to another, keeping matrix and range as they are.
pub(crate) struct Scaler {
    context: NonNull<ffi::SwsContext>,
    target: PixelFormat,
    size: (c_int, c_int),
    /// `true` if codes of nine bits in full range become codes of ten bits, of which the highest is to be the highest.
    /// FFmpeg doubles them.
    stretches: bool,
}

// SAFETY: a scaling context may be used from any one thread at a time, and this type is its only owner.
unsafe impl Send for Scaler {}

impl Scaler {
    /// Returns `true` if FFmpeg can convert from this format.
    pub(crate) fn reads(format: PixelFormat) -> bool {
        // FFmpeg 8.0 claims to read these formats, grayscale with alpha in floating point, but aborts the whole program
        // when it tries (an assertion in `libswscale/x86/swscale.c`).
        if format.name().starts_with("yaf32") {
            return false;
        }
        // SAFETY: the function takes any number.
        unsafe { by_number::sws_isSupportedInput(format.0) > 0 }
    }

    /// Creates a converter from `source` to `target` for pictures of this size.
    ///
    /// `full_range` is the range of the samples on both sides, so nothing is rescaled.
    pub(crate) fn new(
        (width, height): (u32, u32),
        source: PixelFormat,
        target: PixelFormat,
        full_range: bool,
    ) -> Option<Self> {
        let size = (c_int::try_from(width).ok()?, c_int::try_from(height).ok()?);
        let (from, to) = (source.descriptor()?, target.descriptor()?);
        let depth = |format: &PixelDescriptor| format.components.first().map(|component| component.depth);
        let is_rgb_or_gray = to.is_rgb() || to.components.len() == 1;
        let stretches = full_range && is_rgb_or_gray && (depth(&from), depth(&to)) == (Some(9), Some(10));
        // No interpolation when the grids agree, exact rounding, and the same result on every machine. FFmpeg 8 turned
        // the constants into an enumeration; these names from `ffmpeg_next` work for both.
        let flags =
            Flags::POINT | Flags::ACCURATE_RND | Flags::FULL_CHR_H_INT | Flags::FULL_CHR_H_INP | Flags::BITEXACT;
        // SAFETY: the function checks sizes and formats and returns null if it cannot convert them; the coefficient
        // table is a constant of the library.
        unsafe {
            let context = by_number::sws_getContext(
                size.0,
                size.1,
                source.0,
                size.0,
                size.1,
                target.0,
                flags.bits(),
                ptr::null_mut(),
                ptr::null_mut(),
                ptr::null(),
            );
            let context = NonNull::new(context)?;
            let table = ffi::sws_getCoefficients(ffi::SWS_CS_ITU709);
            let range = c_int::from(full_range);
            // A refusal means that neither side has a matrix or a range (R'G'B' to R'G'B'), so there is nothing to set.
            ffi::sws_setColorspaceDetails(context.as_ptr(), table, range, table, range, 0, 1 << 16, 1 << 16);
            Some(Self { context, target, size, stretches })
        }
    }

    /// Converts the picture into a new frame with the other properties of `source`.
    pub(crate) fn convert(&mut self, source: &AvFrame) -> Result<AvFrame, AvError> {
        let target = AvFrame::new();
        // SAFETY: the target gets a size and a format before its buffers are allocated; the source has the size and
        // format that the context was made for, and buffers that fit them.
        unsafe {
            let frame = target.as_ptr();
            AvError::check(ffi::av_frame_copy_props(frame, source.as_ptr()))?;
            (*frame).width = self.size.0;
            (*frame).height = self.size.1;
            (*frame).format = self.target.0;
            AvError::check(ffi::av_frame_get_buffer(frame, 0))?;
            let input = source.as_ptr();
            AvError::check(ffi::sws_scale(
                self.context.as_ptr(),
                (&raw const (*input).data).cast(),
                (&raw const (*input).linesize).cast(),
                0,
                self.size.1,
                (&raw const (*frame).data).cast(),
                (&raw const (*frame).linesize).cast(),
            ))?;
        }
        if self.stretches {
            self.stretch(&target);
        }
        Ok(target)
    }

    /// Sets the lowest of ten bits to the highest, in a frame that has just been converted.
    fn stretch(&self, target: &AvFrame) {
        let (width, height) = (self.size.0 as isize, self.size.1 as isize);
        let planes = self.target.descriptor().map_or(0, |format| format.components.len());
        for plane in 0..planes {
            for y in 0..height {
                // SAFETY: the frame has a buffer of its own for a plane of this size, with a sample of two bytes for
                // each pixel: formats of ten bits are planar here, and neither R'G'B' nor gray is subsampled.
                let row = unsafe {
                    let raw = target.as_ptr();
                    let start = (*raw).data[plane].offset(y * (*raw).linesize[plane] as isize);
                    std::slice::from_raw_parts_mut(start, 2 * width as usize)
                };
                for sample in row.chunks_exact_mut(2) {
                    let code = u16::from_le_bytes([sample[0], sample[1]]);
                    sample.copy_from_slice(&(code | code >> 9).to_le_bytes());
                }
            }
        }
    }
}

impl Drop for Scaler {
    fn drop(&mut self) {
        // SAFETY: this is the only owner.
        unsafe { ffi::sws_freeContext(self.context.as_ptr()) }
    }
}

// FFmpeg declares these functions with enumerations; here they take integers, for the reason given in the parent
// module.
mod by_number {
    use std::ffi::c_int;

    use ffmpeg_next::ffi::{SwsContext, SwsFilter};
    unsafe extern "C" {
        pub(super) fn sws_isSupportedInput(format: c_int) -> c_int;
        pub(super) fn sws_getContext(
            source_width: c_int,
            source_height: c_int,
            source_format: c_int,
            target_width: c_int,
            target_height: c_int,
            target_format: c_int,
            flags: c_int,
            source_filter: *mut SwsFilter,
            target_filter: *mut SwsFilter,
            parameters: *const f64,
        ) -> *mut SwsContext;
    }
}
