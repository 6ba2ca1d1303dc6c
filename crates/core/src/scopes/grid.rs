//! Which samples and levels a scope tells apart.

use crate::picture::layout::{ColorModel, PixelLayout};
use crate::picture::region::Rect;

/// The most levels that a scope tells apart, a power of two: those of 10 bits.
pub const MOST_LEVEL_BITS: u32 = 10;

/// Bits of a level of pictures whose codes have so many: a deeper code's level is its upper part.
#[must_use]
pub const fn level_bits(code_bits: u32) -> u32 {
    if code_bits < MOST_LEVEL_BITS { code_bits } else { MOST_LEVEL_BITS }
}

/// The samples of a component that are counted with a rectangle of pixels: those that cover one of them. Of the first
/// component, and of those of its size, that is the rectangle itself.
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
