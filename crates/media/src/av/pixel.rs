//! FFmpeg's descriptions of pixel formats.

use std::ffi::c_int;

use ffmpeg_next::ffi;

use super::static_text;

/// Colour tags as numbers: H.273's for matrix, primaries and transfer, FFmpeg's for the range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ColorNumbers {
    /// Matrix coefficients; 2 is "unspecified".
    pub(crate) matrix: i32,
    /// 1 limited, 2 full, else unspecified.
    pub(crate) range: i32,
    /// Colour primaries; 2 is "unspecified".
    pub(crate) primaries: i32,
    /// Transfer characteristics; 2 is "unspecified".
    pub(crate) transfer: i32,
}

impl ColorNumbers {
    /// No tags.
    pub(crate) const UNSPECIFIED: Self = Self { matrix: 2, range: 0, primaries: 2, transfer: 2 };

    /// Returns the tags, and for those that are unspecified the others.
    pub(crate) const fn or(self, others: Self) -> Self {
        const fn either(first: i32, second: i32, unspecified: i32) -> i32 {
            if first == unspecified { second } else { first }
        }
        Self {
            matrix: either(self.matrix, others.matrix, 2),
            range: either(self.range, others.range, 0),
            primaries: either(self.primaries, others.primaries, 2),
            transfer: either(self.transfer, others.transfer, 2),
        }
    }
}

/// A pixel format, by FFmpeg's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PixelFormat(pub(crate) c_int);

/// The layout of one component's samples, as FFmpeg describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PixelComponent {
    pub(crate) plane: i32,
    pub(crate) step: i32,
    pub(crate) offset: i32,
    pub(crate) shift: i32,
    pub(crate) depth: i32,
}

/// FFmpeg's description of a pixel format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PixelDescriptor {
    pub(crate) name: &'static str,
    /// The components, alpha last.
    pub(crate) components: Vec<PixelComponent>,
    /// Base-2 logarithms of the chroma subsampling.
    pub(crate) chroma_shift: (u8, u8),
    flags: u64,
}

impl PixelFormat {
    /// Returns the format with this name.
    pub(crate) fn by_name(name: &std::ffi::CStr) -> Option<Self> {
        // SAFETY: the name is zero-terminated.
        let number = unsafe { by_number::av_get_pix_fmt(name.as_ptr()) };
        (number >= 0).then_some(Self(number))
    }

    /// Returns the format of the same planes that implies full range if `is_full`, as far as there is one, and R'G'B'
    /// if `is_rgb`.
    pub(crate) fn implying(self, is_full: bool, is_rgb: bool) -> Self {
        let name = self.name();
        let other = match name.split_at_checked(4) {
            Some(("yuvj", rest)) if !is_full => format!("yuv{rest}"),
            Some(("gbrp", rest)) if !is_rgb => format!("yuv444p{rest}"),
            Some(("yuv4", rest)) if is_rgb && rest.starts_with("44p") => format!("gbrp{}", &rest[3..]),
            Some(("yuv4", rest)) if is_full && rest.ends_with('p') => format!("yuvj4{rest}"),
            _ => return self,
        };
        std::ffi::CString::new(other).ok().and_then(|name| Self::by_name(&name)).unwrap_or(self)
    }

    /// Returns the format's description; `None` if FFmpeg does not know the number.
    pub(crate) fn descriptor(self) -> Option<PixelDescriptor> {
        // SAFETY: the function takes any number and returns null or a constant.
        unsafe {
            let descriptor = by_number::av_pix_fmt_desc_get(self.0);
            let descriptor: &'static ffi::AVPixFmtDescriptor = descriptor.as_ref()?;
            let count = usize::from(descriptor.nb_components).min(descriptor.comp.len());
            let components = descriptor.comp[..count]
                .iter()
                .map(|c| PixelComponent {
                    plane: c.plane,
                    step: c.step,
                    offset: c.offset,
                    shift: c.shift,
                    depth: c.depth,
                })
                .collect();
            Some(PixelDescriptor {
                name: static_text(descriptor.name).unwrap_or("unknown"),
                components,
                chroma_shift: (descriptor.log2_chroma_w, descriptor.log2_chroma_h),
                flags: descriptor.flags,
            })
        }
    }

    /// Returns the format's name, for messages.
    pub(crate) fn name(self) -> &'static str {
        self.descriptor().map_or("unknown", |descriptor| descriptor.name)
    }

    /// Returns every format that FFmpeg describes.
    #[cfg(test)]
    pub(crate) fn all() -> Vec<Self> {
        (0..1024).map(Self).filter(|format| format.descriptor().is_some()).collect()
    }
}

impl PixelDescriptor {
    fn has(&self, flag: c_int) -> bool {
        self.flags & flag as u64 != 0
    }

    /// Returns the bytes that a plane holds for one position, as for two interleaved chroma samples; 1 for no plane.
    pub(super) fn texel_bytes(&self, plane: usize) -> usize {
        let steps = self.components.iter().filter(|component| usize::try_from(component.plane) == Ok(plane));
        steps.map(|component| usize::try_from(component.step).unwrap_or(1)).max().unwrap_or(1)
    }

    /// Returns `true` if the components are red, green and blue.
    pub(crate) fn is_rgb(&self) -> bool {
        self.has(ffi::AV_PIX_FMT_FLAG_RGB)
    }

    /// Returns `true` if the last component is alpha.
    pub(crate) fn has_alpha(&self) -> bool {
        self.has(ffi::AV_PIX_FMT_FLAG_ALPHA)
    }

    /// Returns `true` if samples are indices into a palette of colours.
    pub(crate) fn is_palette(&self) -> bool {
        self.has(ffi::AV_PIX_FMT_FLAG_PAL)
    }

    /// Returns `true` if samples come from a colour filter mosaic.
    pub(crate) fn is_bayer(&self) -> bool {
        self.has(ffi::AV_PIX_FMT_FLAG_BAYER)
    }

    /// Returns `true` if the picture is in a graphics card's memory.
    pub(crate) fn is_hardware(&self) -> bool {
        self.has(ffi::AV_PIX_FMT_FLAG_HWACCEL)
    }

    /// Returns `true` if samples are little-endian floating-point numbers.
    pub(crate) fn is_float(&self) -> bool {
        self.has(ffi::AV_PIX_FMT_FLAG_FLOAT) && !self.has(ffi::AV_PIX_FMT_FLAG_BE)
    }

    /// Returns `true` if samples are whole little-endian integers that start at whole bytes.
    pub(crate) fn is_plain(&self) -> bool {
        let odd = ffi::AV_PIX_FMT_FLAG_BE
            | ffi::AV_PIX_FMT_FLAG_PAL
            | ffi::AV_PIX_FMT_FLAG_BITSTREAM
            | ffi::AV_PIX_FMT_FLAG_HWACCEL
            | ffi::AV_PIX_FMT_FLAG_BAYER
            | ffi::AV_PIX_FMT_FLAG_FLOAT;
        !self.has(odd)
    }

    /// Returns `true` if the components are CIE X, Y and Z. No flag marks these, only the name.
    pub(crate) fn is_xyz(&self) -> bool {
        self.name.starts_with("xyz")
    }
}

// FFmpeg declares these functions with enumerations; here they take integers, for the reason given in the parent
// module.
mod by_number {
    use std::ffi::{c_char, c_int};

    use ffmpeg_next::ffi::AVPixFmtDescriptor;
    unsafe extern "C" {
        pub(super) fn av_pix_fmt_desc_get(format: c_int) -> *const AVPixFmtDescriptor;
        pub(super) fn av_get_pix_fmt(name: *const c_char) -> c_int;
    }
}
