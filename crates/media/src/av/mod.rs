//! The only place that touches FFmpeg's C interface: small owners for its objects, with every `unsafe` block in them.
//!
//! Enumerations are read as plain integers, because a file (or a newer library) may hold values that the generated Rust
//! enumerations do not list, and reading such a value as the enumeration would be undefined behaviour.

mod codec;
mod devices;
mod frame;
mod frameless;
mod input;
mod memory;
mod messages;
mod nal;
mod order;
mod packet;
mod pixel;
mod scaler;
mod stream;
mod tiles;
mod webp;

use std::ffi::{CStr, c_char, c_int};
use std::fmt;

use ffmpeg_next::ffi;

pub(super) use codec::{Codec, CodecOptions, Received};
pub(super) use devices::{Devices, major};
pub(super) use frame::AvFrame;
pub(super) use frameless::FramelessPackets;
pub(super) use input::{IndexEntry, Input, Interrupt, Read};
pub(super) use messages::{Denied, take_denied};
pub(super) use order::ShownOrder;
pub(super) use packet::AvPacket;
pub(super) use pixel::{ColorNumbers, PixelDescriptor, PixelFormat};
pub(super) use scaler::Scaler;
pub(super) use stream::{StreamCopy, StreamParameters};
pub(super) use tiles::{TELLS_TILES, TileGrid};

/// An error code of FFmpeg's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AvError(pub c_int);

impl AvError {
    /// End of the file or of the decoder's output.
    pub(super) const EOF: Self = Self(ffi::AVERROR_EOF);
    /// More input is needed, or output must be taken first.
    pub(super) const AGAIN: Self = Self(ffi::AVERROR(ffmpeg_next::error::EAGAIN));
    /// The interrupt callback asked for an end.
    pub(super) const EXIT: Self = Self(ffi::AVERROR_EXIT);
    /// There is no such file.
    pub(super) const NO_ENTRY: Self = Self(ffi::AVERROR(ffmpeg_next::error::ENOENT));
    /// The data makes no sense.
    pub(super) const INVALID_DATA: Self = Self(ffi::AVERROR_INVALIDDATA);

    /// There is no such protocol.
    pub(super) const NO_PROTOCOL: Self = Self(ffi::AVERROR_PROTOCOL_NOT_FOUND);
    /// Somebody else listens there.
    pub(super) const ADDRESS_IN_USE: Self = Self(ffi::AVERROR(ffmpeg_next::error::EADDRINUSE));

    /// Reading failed.
    pub(super) const IO: Self = Self(ffi::AVERROR(ffmpeg_next::error::EIO));
    /// Somebody else uses it.
    pub(super) const BUSY: Self = Self(ffi::AVERROR(ffmpeg_next::error::EBUSY));

    /// `Ok` with the value for codes from zero, else the error.
    pub(super) const fn check(code: c_int) -> Result<c_int, Self> {
        if code < 0 { Err(Self(code)) } else { Ok(code) }
    }
}

impl fmt::Display for AvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [0 as c_char; ffi::AV_ERROR_MAX_STRING_SIZE];
        // SAFETY: the buffer is as long as stated, and FFmpeg ends what it writes with a zero; if it wrote nothing, the
        // buffer is still all zeros.
        let text = unsafe {
            ffi::av_strerror(self.0, text.as_mut_ptr(), text.len());
            CStr::from_ptr(text.as_ptr()).to_string_lossy().into_owned()
        };
        // A line of ours continues after it.
        f.write_str(text.trim_end_matches(['.', '\n']))
    }
}

/// The version of FFmpeg that the program runs with, as whoever built it named it, and that of its libavcodec.
pub fn version() -> String {
    // SAFETY: both take nothing; the name is a constant that lives as long as the program.
    let (name, number) = unsafe { (static_text(ffi::av_version_info()), ffi::avcodec_version()) };
    let [major, minor, micro] = [number >> 16, number >> 8 & 0xff, number & 0xff];
    format!("{} (libavcodec {major}.{minor}.{micro})", name.unwrap_or("of no name"))
}

/// Returns whether FFmpeg's filters leave samples their depth where they only part planes or leave alpha out, as they do from version 9 on;
/// before, they read those of 10 and 12 bits as ones of 16.
pub fn filters_keep_depth() -> bool {
    // SAFETY: it takes nothing and tells a constant.
    unsafe { ffi::avutil_version() >> 16 >= 61 }
}

/// Lets FFmpeg write its own messages only where someone debugs: its remarks on damaged files would bury ours.
pub(super) fn set_log_level() {
    let level = if log::log_enabled!(log::Level::Trace) {
        ffi::AV_LOG_VERBOSE
    } else if log::log_enabled!(log::Level::Debug) {
        ffi::AV_LOG_ERROR
    } else {
        ffi::AV_LOG_QUIET
    };
    messages::listen(level);
}

/// The name that FFmpeg gives a transfer function; `None` for "unspecified" and for unknown values.
pub(super) fn transfer_name(value: i32) -> Option<&'static str> {
    // SAFETY: the function takes any integer; the enumeration's variant of that number is only made when it exists.
    tag_name(value, |v| unsafe { raw_color_name(v, ColorTable::Transfer) })
}

/// The name that FFmpeg gives colour primaries; `None` for "unspecified" and for unknown values.
pub(super) fn primaries_name(value: i32) -> Option<&'static str> {
    // SAFETY: as above.
    tag_name(value, |v| unsafe { raw_color_name(v, ColorTable::Primaries) })
}

/// The name that FFmpeg gives matrix coefficients; `None` for "unspecified" and for unknown values.
pub(super) fn matrix_name(value: i32) -> Option<&'static str> {
    // SAFETY: as above.
    tag_name(value, |v| unsafe { raw_color_name(v, ColorTable::Matrix) })
}

/// H.273's "unspecified", in all three tables.
const UNSPECIFIED: i32 = 2;

fn tag_name(value: i32, name: impl Fn(i32) -> *const c_char) -> Option<&'static str> {
    if value == UNSPECIFIED || value < 0 {
        return None;
    }
    // SAFETY: FFmpeg's names are constants that end with a zero, or null.
    unsafe { static_text(name(value)) }
}

enum ColorTable {
    Transfer,
    Primaries,
    Matrix,
}

// FFmpeg declares these functions with enumerations as parameters, and checks that the number is one that it knows.
// Declared here with integers, so that a number from a file need not be one of the variants.
mod by_number {
    use std::ffi::{c_char, c_int};
    unsafe extern "C" {
        pub(super) fn av_color_transfer_name(transfer: c_int) -> *const c_char;
        pub(super) fn av_color_primaries_name(primaries: c_int) -> *const c_char;
        pub(super) fn av_color_space_name(space: c_int) -> *const c_char;
        #[cfg(test)]
        pub(super) fn av_image_fill_arrays(
            data: *mut *mut u8,
            lines: *mut c_int,
            source: *const u8,
            format: c_int,
            width: c_int,
            height: c_int,
            align: c_int,
        ) -> c_int;
        #[cfg(test)]
        pub(super) fn av_image_copy(
            target: *mut *mut u8,
            target_lines: *mut c_int,
            source: *mut *const u8,
            source_lines: *const c_int,
            format: c_int,
            width: c_int,
            height: c_int,
        );
    }
}

unsafe fn raw_color_name(value: i32, table: ColorTable) -> *const c_char {
    // SAFETY: a C enumeration travels as an integer, and these functions check its bounds.
    unsafe {
        match table {
            ColorTable::Transfer => by_number::av_color_transfer_name(value),
            ColorTable::Primaries => by_number::av_color_primaries_name(value),
            ColorTable::Matrix => by_number::av_color_space_name(value),
        }
    }
}

/// Text that lives as long as the program.
///
/// # Safety
/// `text` must be null or point to a constant of the library's that ends with a zero.
unsafe fn static_text(text: *const c_char) -> Option<&'static str> {
    if text.is_null() {
        return None;
    }
    // SAFETY: stated above.
    unsafe { CStr::from_ptr(text).to_str().ok() }
}

/// The number in a field that is declared as an enumeration.
///
/// # Safety
/// `field` must point to a readable C enumeration.
unsafe fn enum_number<T>(field: *const T) -> i32 {
    const { assert!(size_of::<T>() == size_of::<i32>()) };
    // SAFETY: a C enumeration is an integer of that size, and any value of it is a valid i32.
    unsafe { field.cast::<i32>().read() }
}

/// A ratio of FFmpeg's with both parts above zero.
fn positive_ratio(ratio: ffi::AVRational) -> Option<histoscope_core::picture::Ratio> {
    let num = u32::try_from(ratio.num).ok().filter(|n| *n > 0)?;
    let den = u32::try_from(ratio.den).ok().filter(|d| *d > 0)?;
    Some(histoscope_core::picture::Ratio { num, den })
}

/// A timestamp, unless it is FFmpeg's mark for "none".
const fn timestamp(value: i64) -> Option<i64> {
    if value == ffi::AV_NOPTS_VALUE { None } else { Some(value) }
}
