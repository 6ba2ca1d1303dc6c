//! The only module that touches FFmpeg's C interface: small owning wrappers around its objects. All `unsafe` code of
//! the crate is in here.
//!
//! Enumerations are read as plain integers, because a file (or a newer library) may hold values that the generated Rust
//! enumerations do not list, and reading such a value as the enumeration would be undefined behaviour.

mod codec;
mod copies;
mod cuda;
mod devices;
mod frame;
mod frameless;
mod hardware;
mod headers;
mod in_use;
mod input;
#[cfg(test)]
pub(super) mod made;
mod memory;
mod messages;
mod nal;
mod order;
mod packet;
mod pixel;
mod scaler;
mod sound;
mod stream;
mod tiles;
#[cfg(not(ffmpeg_before_6_1))]
mod vulkan;
mod webp;

use std::ffi::{CStr, c_char, c_int};
use std::fmt;
use std::sync::OnceLock;

use ffmpeg_next::ffi;

pub(super) use codec::{Accelerator, Codec, CodecOptions, Received};
pub(super) use devices::{Devices, major};
pub(super) use frame::AvFrame;
pub(super) use frameless::FramelessPackets;
pub(super) use hardware::HardwareDevice;
pub use hardware::HardwareKind;
pub(super) use headers::{GroupPosition, PacketHeaders};
pub use in_use::wait_until_closed;
pub(super) use input::{IndexEntry, Input, InputOptions, Interrupt, Read};
pub use memory::DeviceMemory;
pub(super) use messages::{Denied, Inability, take_denied, take_inability};
pub(super) use order::ShownOrder;
pub(super) use packet::AvPacket;
pub(super) use pixel::{ColorNumbers, PixelDescriptor, PixelFormat};
pub(super) use scaler::Scaler;
pub(super) use sound::{SoundCodec, SoundConverter, SoundFacts, SoundReceived};
pub(super) use stream::{StreamCopy, StreamParameters};
pub(super) use tiles::{REPORTS_TILES, TileGrid};

/// An FFmpeg error code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AvError(pub c_int);

impl AvError {
    /// End of the file or of the decoder's output.
    pub(super) const EOF: Self = Self(ffi::AVERROR_EOF);
    /// The decoder needs more input, or its output must be taken first.
    pub(super) const AGAIN: Self = Self(ffi::AVERROR(ffmpeg_next::error::EAGAIN));
    /// The interrupt callback asked to stop.
    pub(super) const EXIT: Self = Self(ffi::AVERROR_EXIT);
    /// The file does not exist.
    pub(super) const NO_ENTRY: Self = Self(ffi::AVERROR(ffmpeg_next::error::ENOENT));
    /// FFmpeg does not implement something that the data uses.
    pub(super) const NOT_IMPLEMENTED: Self = Self(ffi::AVERROR_PATCHWELCOME);
    /// The data is invalid.
    pub(super) const INVALID_DATA: Self = Self(ffi::AVERROR_INVALIDDATA);

    /// The protocol is unknown.
    pub(super) const NO_PROTOCOL: Self = Self(ffi::AVERROR_PROTOCOL_NOT_FOUND);
    /// Another process already listens on this address. On Windows, FFmpeg passes on the number of its sockets' errors.
    pub(super) const ADDRESS_IN_USE: Self =
        Self(if cfg!(windows) { -10_048 } else { ffi::AVERROR(ffmpeg_next::error::EADDRINUSE) });

    /// An I/O error.
    pub(super) const IO: Self = Self(ffi::AVERROR(ffmpeg_next::error::EIO));
    /// The resource is in use elsewhere.
    pub(super) const BUSY: Self = Self(ffi::AVERROR(ffmpeg_next::error::EBUSY));

    /// Returns the code if it is not negative, else the error that it stands for.
    pub(super) const fn check(code: c_int) -> Result<c_int, Self> {
        if code < 0 { Err(Self(code)) } else { Ok(code) }
    }
}

impl fmt::Display for AvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [0 as c_char; ffi::AV_ERROR_MAX_STRING_SIZE];
        // SAFETY: the buffer is as long as stated, and FFmpeg terminates what it writes with a zero; if it writes
        // nothing, the buffer is still all zeros.
        let text = unsafe {
            ffi::av_strerror(self.0, text.as_mut_ptr(), text.len());
            CStr::from_ptr(text.as_ptr()).to_string_lossy().into_owned()
        };
        // Our own sentence continues after it.
        f.write_str(text.trim_end_matches(['.', '\n']))
    }
}

/// Returns the version of the FFmpeg in use, as its builder named it, and the version of its libavcodec.
pub fn version() -> String {
    // SAFETY: both functions take nothing; the name is a constant that lives as long as the program.
    let (name, number) = unsafe { (static_text(ffi::av_version_info()), ffi::avcodec_version()) };
    let [major, minor, micro] = [number >> 16, number >> 8 & 0xff, number & 0xff];
    format!("{} (libavcodec {major}.{minor}.{micro})", name.unwrap_or("unnamed build"))
}

/// Returns `true` if FFmpeg's filters preserve bit depth when they only separate planes or drop alpha. They do from
/// FFmpeg 9 on; earlier versions treat 10-bit and 12-bit samples as 16-bit ones.
pub fn filters_keep_depth() -> bool {
    // SAFETY: the function takes nothing and returns a constant.
    unsafe { ffi::avutil_version() >> 16 >= 61 }
}

/// Sets FFmpeg's log level from ours: its remarks on damaged files would bury our messages, so they appear only when
/// debugging.
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

/// Returns the name of a transfer function; `None` for "unspecified".
pub(super) fn transfer_name(value: i32) -> Option<&'static str> {
    // SAFETY: the function takes any integer and checks it itself.
    tag_name(value, |v| unsafe { raw_color_name(v, ColorTable::Transfer) })
}

/// Returns the name of colour primaries; `None` for "unspecified".
pub(super) fn primaries_name(value: i32) -> Option<&'static str> {
    // SAFETY: as above.
    tag_name(value, |v| unsafe { raw_color_name(v, ColorTable::Primaries) })
}

/// Returns the name of matrix coefficients; `None` for "unspecified".
pub(super) fn matrix_name(value: i32) -> Option<&'static str> {
    // SAFETY: as above.
    tag_name(value, |v| unsafe { raw_color_name(v, ColorTable::Matrix) })
}

/// H.273's "unspecified" value, the same in all three tables.
const UNSPECIFIED: i32 = 2;

fn tag_name(value: i32, name: impl Fn(i32) -> *const c_char) -> Option<&'static str> {
    if value == UNSPECIFIED || value < 0 {
        return None;
    }
    // SAFETY: FFmpeg's names are zero-terminated constants, or null.
    unsafe { static_text(name(value)) }.or_else(|| numbered(value))
}

/// Returns a name for a value that FFmpeg has no name for.
fn numbered(value: i32) -> Option<&'static str> {
    static NAMES: OnceLock<Vec<String>> = OnceLock::new();
    let names = NAMES.get_or_init(|| (0..=u8::MAX).map(|number| format!("number {number}")).collect());
    names.get(usize::try_from(value).ok()?).map(String::as_str)
}

enum ColorTable {
    Transfer,
    Primaries,
    Matrix,
}

// FFmpeg declares these functions with enumerations as parameters and checks the number itself. They are declared with
// integers here, so that a number from a file need not be one of the variants.
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
    // SAFETY: C passes an enumeration as an integer, and these functions check its bounds.
    unsafe {
        match table {
            ColorTable::Transfer => by_number::av_color_transfer_name(value),
            ColorTable::Primaries => by_number::av_color_primaries_name(value),
            ColorTable::Matrix => by_number::av_color_space_name(value),
        }
    }
}

/// Returns the text as a string that lives as long as the program; `None` if it is null or not UTF-8.
///
/// # Safety
/// `text` must be null or point to a zero-terminated constant of the library.
unsafe fn static_text(text: *const c_char) -> Option<&'static str> {
    if text.is_null() {
        return None;
    }
    // SAFETY: guaranteed by the caller.
    unsafe { CStr::from_ptr(text).to_str().ok() }
}

/// Reads a field that is declared as an enumeration as a number.
///
/// # Safety
/// `field` must point to a readable C enumeration.
unsafe fn enum_number<T>(field: *const T) -> i32 {
    const { assert!(size_of::<T>() == size_of::<i32>()) };
    // SAFETY: a C enumeration is an integer of that size, and any value of it is a valid i32.
    unsafe { field.cast::<i32>().read() }
}

/// Returns an FFmpeg ratio if both of its parts are positive.
fn positive_ratio(ratio: ffi::AVRational) -> Option<histoscope_core::picture::Ratio> {
    let num = u32::try_from(ratio.num).ok().filter(|n| *n > 0)?;
    let den = u32::try_from(ratio.den).ok().filter(|d| *d > 0)?;
    Some(histoscope_core::picture::Ratio { num, den })
}

/// Returns a timestamp; `None` if it is FFmpeg's marker for "no timestamp".
const fn timestamp(value: i64) -> Option<i64> {
    if value == ffi::AV_NOPTS_VALUE { None } else { Some(value) }
}
