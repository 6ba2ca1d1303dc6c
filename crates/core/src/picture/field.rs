//! A field of a picture: every second line, as a picture that shares the planes.

use std::sync::Arc;

use crate::picture::layout::{ChromaLines, PixelLayout};
use crate::picture::{Field, Frame, FrameFacts, OwnedPlanes, Picture, PictureError, PlaneStore, PlaneView, Ratio};

/// Returns a field of a picture.
///
/// Each luma row keeps the chroma row that covers it in the picture. If chroma rows belong to the frame, both fields
/// have all of them. If they belong to fields, a bottom field with an odd number of lines repeats its last chroma row.
///
/// # Errors
/// [`PictureError::Empty`] for the bottom field of a one-line picture.
pub fn field(picture: &Picture, which: Field) -> Result<Picture, PictureError> {
    let (width, height) = (picture.width(), which.lines_within(picture.height()));
    let whole = picture.layout();
    let (sx, sy) = whole.chroma_shift;
    let shares_frame_lines = sy > 0 && whole.chroma_lines == ChromaLines::Frame;
    let layout = PixelLayout {
        chroma_shift: if shares_frame_lines { (sx, sy - 1) } else { (sx, sy) },
        chroma_lines: ChromaLines::Frame,
        ..*whole
    };
    if height == 0 {
        return Err(PictureError::Empty { width, height });
    }
    let planes: Arc<dyn PlaneStore> =
        if whole.chroma_lines == ChromaLines::Field && which == Field::Bottom && height % 2 == 1 {
            Arc::new(copied(picture, &layout, height))
        } else {
            // Vertically subsampled chroma is never in the same plane as luma.
            let is_halved = std::array::from_fn(|plane| plane == 0 || !shares_frame_lines);
            Arc::new(FieldPlanes { picture: picture.clone(), field: which, is_halved })
        };
    let field = Picture::new(layout, (width, height), *picture.colorimetry(), planes)?;
    let clamped = picture.clamped().and_then(|clamped| clamped.of_field(which.first_line()));
    let field = field.out_of_frame(picture.chroma_lines()).with_clamped(clamped);
    Ok(match std::ptr::eq(picture.decoded(), picture) {
        true => field,
        false => field.converted_from(self::field(picture.decoded(), which)?),
    })
}

impl Frame {
    /// Replaces the frame's picture by one of its fields. Its pixels are twice as high.
    ///
    /// # Errors
    /// [`PictureError::Empty`] for the bottom field of a one-line picture.
    pub fn of_field(self, which: Field) -> Result<Self, PictureError> {
        let picture = field(&self.picture, which)?;
        let Ratio { num, den } = self.sample_aspect;
        let sample_aspect = match (num % 2, den.checked_mul(2)) {
            (0, _) => Ratio { num: num / 2, den },
            (_, Some(den)) => Ratio { num, den },
            (_, None) => self.sample_aspect,
        };
        let facts = FrameFacts { sample_aspect, field: Some(which), ..self.facts };
        Ok(Self { picture, facts, ..self })
    }
}

/// Copies the planes of a bottom field and repeats the last chroma row.
fn copied(picture: &Picture, layout: &PixelLayout, height: u32) -> OwnedPlanes {
    let planes = (0..layout.plane_count()).map(|plane| {
        let (row_bytes, rows) = layout.plane_size(plane, picture.width(), height);
        let (_, rows_of_frame) = picture.layout().plane_size(plane, picture.width(), picture.height());
        let view = picture.plane(plane);
        let last = (rows_of_frame / 2).saturating_sub(1);
        let row = |y: usize| view.row((2 * y.min(last) + 1).min(rows_of_frame - 1), row_bytes);
        ((0..rows).flat_map(row).copied().collect(), row_bytes)
    });
    OwnedPlanes { planes: planes.collect() }
}

/// The rows of one field in the planes of a picture.
struct FieldPlanes {
    picture: Picture,
    field: Field,
    /// `true` for the planes in which only every second row belongs to the field.
    is_halved: [bool; 3],
}

impl PlaneStore for FieldPlanes {
    fn plane(&self, index: usize) -> PlaneView<'_> {
        let whole = self.picture.plane(index);
        if !self.is_halved.get(index).is_some_and(|&is_halved| is_halved) {
            return whole;
        }
        let skipped = self.field.first_line() as usize * whole.stride;
        PlaneView { bytes: whole.bytes.get(skipped..).unwrap_or(&[]), stride: 2 * whole.stride }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::reference::components;
    use crate::picture::color::{Colorimetry, Matrix, Range, Sourced};

    /// Returns a picture whose samples encode their row: luma `y`, Cb 100 + row, Cr 200 + row.
    fn numbered(layout: PixelLayout, size: (u32, u32)) -> Picture {
        let color = Colorimetry::resolve(&layout, size, Some(Matrix::Bt709), Some(Range::Limited), false);
        let plane = |index: usize| {
            let (row_bytes, rows) = layout.plane_size(index, size.0, size.1);
            let row = |y: usize| {
                (0..row_bytes).map(move |x| match index {
                    0 => y as u8,
                    1 if layout.plane_count() == 2 && x % 2 == 1 => 200 + y as u8,
                    1 => 100 + y as u8,
                    _ => 200 + y as u8,
                })
            };
            ((0..rows).flat_map(row).collect(), row_bytes)
        };
        let planes = (0..layout.plane_count()).map(plane).collect();
        Picture::new(layout, size, color, Arc::new(OwnedPlanes { planes })).expect("planes of that size")
    }

    #[test]
    fn lines_of_a_field_keep_the_chroma_that_they_have_in_the_frame() {
        let layouts = [
            PixelLayout::planar_ycbcr(8, (1, 1)),
            PixelLayout::semi_planar(8, (1, 1), false),
            PixelLayout::planar_ycbcr(8, (1, 0)),
            PixelLayout::planar_ycbcr(8, (0, 0)),
            PixelLayout::planar_ycbcr(8, (2, 2)),
            PixelLayout::gray(8),
        ];
        for (layout, height) in layouts.into_iter().flat_map(|layout| (1..20).map(move |height| (layout, height))) {
            for lines in [ChromaLines::Frame, ChromaLines::Field] {
                let whole = numbered(layout, (6, height)).with_chroma_lines(Sourced::tagged(lines));
                for which in Field::BOTH {
                    let Ok(part) = field(&whole, which) else {
                        assert_eq!((which, height), (Field::Bottom, 1));
                        continue;
                    };
                    assert_eq!(part.height(), (which.first_line()..height).step_by(2).len() as u32);
                    for y in 0..part.height() {
                        let expected = components(&whole, 5, 2 * y + which.first_line());
                        assert_eq!(components(&part, 5, y), expected, "{layout:?} {lines} {which} {height} {y}");
                    }
                }
            }
        }
    }
}
