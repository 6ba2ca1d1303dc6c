//! The meaning of a frame's colour tags and of its display matrix.

use crate::av::{self, PixelDescriptor};
use crate::read::info::OpenOptions;
use crate::read::layout::is_full_range;
use histoscope_core::picture::Orientation;
use histoscope_core::picture::color::{
    Colorimetry, Matrix, NonlinearForm, NonlinearMatrix, Origin, Range, Sourced, UnreadableMatrix,
};
use histoscope_core::picture::layout::{ColorModel, PixelLayout};
use histoscope_core::picture::primaries::Primaries;
use histoscope_core::picture::transfer::SignalCurve;

/// Colour tags as numbers.
pub(crate) type TagNumbers = av::ColorNumbers;

/// H.273's code for IPT-C2, in which Dolby Vision codes pictures that are not compatible with other displays.
pub(crate) const IPT_C2: i32 = 15;
/// H.273's code for "unspecified".
pub(crate) const UNSPECIFIED: i32 = 2;

/// Returns the contradictions between a container's tags and its stream's, one sentence each.
pub(crate) fn contradictions(container: TagNumbers, stream: TagNumbers, is_containers_used: bool) -> Vec<String> {
    let used = if is_containers_used { "container" } else { "stream" };
    // Numbers that mean the same: BT.601's matrix has two, the curve of cameras four.
    let [container, stream] = [container, stream].map(|tags| TagNumbers {
        matrix: if tags.matrix == 5 { 6 } else { tags.matrix },
        transfer: if matches!(tags.transfer, 6 | 14 | 15) { 1 } else { tags.transfer },
        ..tags
    });
    let range = |number| range(number).map(Range::name);
    let pairs = [
        ("matrix", av::matrix_name(container.matrix), av::matrix_name(stream.matrix)),
        ("range", range(container.range), range(stream.range)),
        ("primaries", av::primaries_name(container.primaries), av::primaries_name(stream.primaries)),
        ("transfer", av::transfer_name(container.transfer), av::transfer_name(stream.transfer)),
    ];
    let contradictions = pairs.into_iter().filter_map(|(name, container, stream)| {
        let (container, stream) = container.zip(stream).filter(|(container, stream)| container != stream)?;
        Some(format!("the {name} is {container} in the container and {stream} in the stream; the {used}'s is used"))
    });
    contradictions.collect()
}

/// Returns the matrix that these tags state; `None` for "unspecified".
fn matrix(numbers: TagNumbers) -> Option<Matrix> {
    let primaries = Primaries::of_number(numbers.primaries);
    let curve = SignalCurve::of_number(numbers.transfer);
    let nonlinear = |form, curve| Matrix::Nonlinear(NonlinearMatrix { form, curve });
    Some(match numbers.matrix {
        UNSPECIFIED => return None,
        0 => Matrix::Identity,
        1 => Matrix::Bt709,
        4 => Matrix::Fcc,
        5 | 6 => Matrix::Bt601,
        7 => Matrix::Smpte240m,
        8 => Matrix::YCgCo,
        9 => Matrix::Bt2020,
        10 => match curve {
            Some(curve) => nonlinear(NonlinearForm::Bt2020Constant, curve),
            // The matrix was designed for this curve.
            None if numbers.transfer == UNSPECIFIED => nonlinear(NonlinearForm::Bt2020Constant, SignalCurve::Camera),
            None => Matrix::Unreadable(UnreadableMatrix::Bt2020Constant),
        },
        11 => Matrix::Smpte2085,
        12 => primaries.map_or(Matrix::Unreadable(UnreadableMatrix::ChromaDerived), Matrix::ChromaDerived),
        13 => match (primaries, curve) {
            (Some(primaries), Some(curve)) => nonlinear(NonlinearForm::ChromaDerivedConstant(primaries), curve),
            (None, _) => Matrix::Unreadable(UnreadableMatrix::ChromaDerivedConstant),
            (_, None) => Matrix::Unreadable(UnreadableMatrix::ChromaDerivedCurve),
        },
        14 => match curve {
            Some(curve @ (SignalCurve::Pq | SignalCurve::Hlg)) => nonlinear(NonlinearForm::Ictcp, curve),
            _ => Matrix::Unreadable(UnreadableMatrix::Ictcp),
        },
        15 => Matrix::Unreadable(UnreadableMatrix::IptC2),
        16 => Matrix::Unreadable(UnreadableMatrix::YCgCoRe),
        17 => Matrix::Unreadable(UnreadableMatrix::YCgCoRo),
        other => Matrix::Unreadable(UnreadableMatrix::Unknown(u8::try_from(other).unwrap_or(u8::MAX))),
    })
}

/// Returns the range denoted by FFmpeg's number.
const fn range(number: i32) -> Option<Range> {
    match number {
        1 => Some(Range::Limited),
        2 => Some(Range::Full),
        _ => None,
    }
}

/// Returns how to interpret the samples, and a sentence about a tag that could not be followed.
pub(crate) fn colorimetry(
    numbers: TagNumbers,
    layout: &PixelLayout,
    size: (u32, u32),
    source: &PixelDescriptor,
    options: &OpenOptions,
) -> (Colorimetry, Option<String>) {
    let tagged = matrix(numbers);
    let mut colorimetry = Colorimetry::resolve(layout, size, tagged, range(numbers.range), is_full_range(source));
    let mut note = None;
    if let (ColorModel::YCbCr, Some(matrix)) = (layout.model, options.matrix) {
        // Identity on subsampled planes is refused here, as it is if tagged.
        if matrix != Matrix::Identity || layout.chroma_shift == (0, 0) {
            colorimetry.matrix = Sourced { value: matrix, origin: Origin::Overridden };
        }
    } else if layout.model == ColorModel::YCbCr && numbers.matrix != UNSPECIFIED {
        let name = av::matrix_name(numbers.matrix).unwrap_or("with an unknown number");
        if colorimetry.matrix.origin == Origin::Guessed {
            let used = colorimetry.matrix.value;
            note = Some(format!("the colour matrix tag {name} cannot be applied to this picture; using {used}"));
        } else if let Matrix::Unreadable(matrix) = colorimetry.matrix.value {
            note = Some(format!(
                "{matrix}: Y', Cb and Cr are counted as coded, and there is no R'G'B' unless another matrix is chosen"
            ));
        }
    }
    if let Some(range) = options.range {
        colorimetry.range = Sourced { value: range, origin: Origin::Overridden };
    }
    (colorimetry, note)
}

/// Returns the orientation that a display matrix requires; `None` for a matrix that flattens the picture.
///
/// The matrix holds 16.16 fixed-point numbers and is multiplied from the left by (x, y, 1), where y points down. Angles
/// between quarter turns are rounded to the nearest one.
pub(crate) fn orientation(matrix: &[i32; 9]) -> Option<Orientation> {
    let [a, b, _, c, d, ..] = matrix.map(f64::from);
    let determinant = a * d - b * c;
    if determinant == 0.0 {
        return None;
    }
    // A flip shows only in the sign of the determinant, not in the angle.
    let mirrored = determinant < 0.0;
    // The picture's x axis after the turn alone: mirroring, which comes first, has reversed it.
    let (x, y) = if mirrored { (-a, -b) } else { (a, b) };
    let turns = (y.atan2(x) / std::f64::consts::FRAC_PI_2).round() as i32;
    Some(Orientation { quarter_turns: turns.rem_euclid(4) as u8, mirrored })
}

#[cfg(test)]
mod tests {

    const ONE: i32 = 1 << 16;

    fn orientation(a: i32, b: i32, c: i32, d: i32) -> Option<(u8, bool)> {
        let matrix = [a * ONE, b * ONE, 0, c * ONE, d * ONE, 0, 0, 0, 1 << 30];
        super::orientation(&matrix).map(|o| (o.quarter_turns, o.mirrored))
    }

    #[test]
    fn turns_and_flips() {
        assert_eq!(orientation(1, 0, 0, 1), Some((0, false)));
        assert_eq!(orientation(0, 1, -1, 0), Some((1, false)));
        assert_eq!(orientation(-1, 0, 0, -1), Some((2, false)));
        assert_eq!(orientation(0, -1, 1, 0), Some((3, false)));
        // Mirrored from left to right.
        assert_eq!(orientation(-1, 0, 0, 1), Some((0, true)));
        // Upside down: mirrored and turned by half a turn.
        assert_eq!(orientation(1, 0, 0, -1), Some((2, true)));
        // Transposed: mirrored, then a quarter turn anticlockwise.
        assert_eq!(orientation(0, 1, 1, 0), Some((3, true)));
        assert_eq!(orientation(0, -1, -1, 0), Some((1, true)));
    }

    #[test]
    fn oblique_and_flat_matrices() {
        assert_eq!(orientation(10, 3, -3, 10), Some((0, false)));
        assert_eq!(orientation(0, 0, 0, 0), None);
    }
}
