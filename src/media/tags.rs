//! What a frame's colour tags mean to us.

use super::av::{self, PixelDescriptor};
use super::info::OpenOptions;
use super::layout::is_full_range;
use crate::picture::color::{Colorimetry, Matrix, Origin, Range, Sourced};
use crate::picture::layout::{ColorModel, PixelLayout};

/// Colour tags as numbers.
pub(super) type TagNumbers = av::ColorNumbers;

/// H.273's "unspecified".
const UNSPECIFIED: i32 = 2;

/// The frame's tags, each filled in from the stream's where the frame has none.
pub(super) fn merged(frame: TagNumbers, stream: TagNumbers) -> TagNumbers {
    let either = |frame: i32, stream: i32| if frame == UNSPECIFIED { stream } else { frame };
    TagNumbers {
        matrix: either(frame.matrix, stream.matrix),
        range: if range(frame.range).is_some() { frame.range } else { stream.range },
        primaries: either(frame.primaries, stream.primaries),
        transfer: either(frame.transfer, stream.transfer),
    }
}

/// The matrix of that number; `None` for "unspecified" and for the matrices that we cannot apply.
const fn matrix(number: i32) -> Option<Matrix> {
    match number {
        0 => Some(Matrix::Identity),
        1 => Some(Matrix::Bt709),
        4 => Some(Matrix::Fcc),
        5 | 6 => Some(Matrix::Bt601),
        7 => Some(Matrix::Smpte240m),
        8 => Some(Matrix::YCgCo),
        9 => Some(Matrix::Bt2020),
        _ => None,
    }
}

/// The range of FFmpeg's number.
const fn range(number: i32) -> Option<Range> {
    match number {
        1 => Some(Range::Limited),
        2 => Some(Range::Full),
        _ => None,
    }
}

/// How the samples are read, and a sentence about a tag that could not be followed.
pub(super) fn colorimetry(
    numbers: TagNumbers,
    layout: &PixelLayout,
    size: (u32, u32),
    source: &PixelDescriptor,
    options: &OpenOptions,
) -> (Colorimetry, Option<String>) {
    let tagged = matrix(numbers.matrix);
    let mut colorimetry = Colorimetry::resolve(layout, size, tagged, range(numbers.range), is_full_range(source));
    let mut note = None;
    if let (ColorModel::YCbCr, Some(matrix)) = (layout.model, options.matrix) {
        // Identity on subsampled planes is refused like a tag that says so.
        if matrix != Matrix::Identity || layout.chroma_shift == (0, 0) {
            colorimetry.matrix = Sourced { value: matrix, origin: Origin::Overridden };
        }
    } else if layout.model == ColorModel::YCbCr && numbers.matrix != UNSPECIFIED {
        let name = av::matrix_name(numbers.matrix).unwrap_or("of an unknown number");
        if colorimetry.matrix.origin == Origin::Guessed {
            let used = colorimetry.matrix.value;
            note = Some(format!("the colour matrix tag {name} cannot be applied to this picture; {used} is used"));
        }
    }
    if let Some(range) = options.range {
        colorimetry.range = Sourced { value: range, origin: Origin::Overridden };
    }
    (colorimetry, note)
}
