//! The resolution of scopes: levels and samples.

use crate::picture::layout::{ColorModel, PixelLayout};
use crate::picture::region::Rect;

/// The maximum number of bits in a level. Deeper codes are reduced to 10 bits.
pub const MAX_LEVEL_BITS: u32 = 10;

/// Returns the number of bits in a level for codes of `code_bits` bits. The level of a deeper code is its upper bits.
#[must_use]
pub const fn level_bits(code_bits: u32) -> u32 {
    if code_bits < MAX_LEVEL_BITS { code_bits } else { MAX_LEVEL_BITS }
}

/// Returns the samples of a component that are counted for a rectangle of pixels: those that cover at least one of the
/// pixels. For the first component, and for others of the same size, it is the same rectangle.
#[must_use]
pub fn samples_in(layout: &PixelLayout, component: usize, pixels: Rect) -> Rect {
    let (sx, sy) = match layout.model {
        ColorModel::YCbCr if component > 0 => layout.chroma_shift,
        _ => (0, 0),
    };
    let along = |start: u32, length: u32, shift: u8| (start >> shift, ((start + length - 1) >> shift) + 1);
    let ((left, right), (top, bottom)) = (along(pixels.x, pixels.width, sx), along(pixels.y, pixels.height, sy));
    Rect { x: left, y: top, width: right - left, height: bottom - top }
}
