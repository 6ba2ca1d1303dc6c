//! Exact counting of a rectangle of a picture.
//!
//! A rectangle may begin between two luma samples that share a chroma sample. It is therefore cut at the first chroma
//! boundary inside it, into at most four parts. Each part begins at a boundary or lies within the width or height of
//! one chroma sample. Every part is a [`Picture`] in which each luma sample has the chroma sample that covers it. The
//! engines count the parts like any picture and add the histograms. The large part shares the picture's planes; the
//! strips next to it are at most three samples wide and are copied.
//!
//! If chroma rows belong to fields, the picture is first divided into its fields.

use std::ops::Range;
use std::sync::Arc;

use crate::picture::color::Sourced;
use crate::picture::field::field;
use crate::picture::layout::{ChromaLines, ColorModel, PixelLayout};
use crate::picture::{
    ClampedSamples, Field, OwnedPlanes, Pages, Picture, PictureError, PlaneStore, PlaneView, ResidentPlanes,
};

/// A rectangle in pixels of the coded picture, with the origin at the picture's upper left corner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rect {
    /// Left edge: the number of columns before it.
    pub x: u32,
    /// Top edge: the number of rows above it.
    pub y: u32,
    /// Width in pixels, at least 1.
    pub width: u32,
    /// Height in pixels, at least 1.
    pub height: u32,
}

impl Rect {
    /// Returns the rectangle of a whole picture of this size.
    #[must_use]
    pub const fn whole(width: u32, height: u32) -> Self {
        Self { x: 0, y: 0, width, height }
    }

    /// Returns `true` if the rectangle is not empty and lies within a picture of this size.
    #[must_use]
    pub fn fits(&self, width: u32, height: u32) -> bool {
        let within =
            |start: u32, length: u32, all: u32| length > 0 && start.checked_add(length).is_some_and(|end| end <= all);
        within(self.x, self.width, width) && within(self.y, self.height, height)
    }

    /// Returns the rectangle, or `None` if it is the whole picture of this size.
    #[must_use]
    pub fn proper(self, width: u32, height: u32) -> Option<Self> {
        (self != Self::whole(width, height)).then_some(self)
    }

    /// Returns `true` if the pixel at column `x` and row `y` lies in the rectangle.
    #[inline]
    #[must_use]
    pub const fn contains(&self, x: u32, y: u32) -> bool {
        x >= self.x && y >= self.y && x - self.x < self.width && y - self.y < self.height
    }

    /// Returns the column and row of its first pixel, and the column and row just past its last pixel.
    #[must_use]
    pub const fn corners(&self) -> ([u32; 2], [u32; 2]) {
        ([self.x, self.y], [self.x + self.width, self.y + self.height])
    }

    /// Returns width × height.
    #[must_use]
    pub fn pixel_count(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }
}

/// Divides a rectangle into pictures whose R'G'B' histograms add up to that of the rectangle. The whole picture is one
/// part, or two if chroma rows belong to fields.
///
/// # Errors
/// [`PictureError::Empty`] if the rectangle does not lie in the picture.
pub fn parts(picture: &Picture, rect: Rect) -> Result<Vec<Picture>, PictureError> {
    if !rect.fits(picture.width(), picture.height()) {
        return Err(PictureError::Empty { width: rect.width, height: rect.height });
    }
    if picture.layout().chroma_lines == ChromaLines::Field {
        let mut parts = Vec::new();
        for (field, rect) in by_chroma_lines(picture, rect)? {
            parts.extend(self::parts(&field, rect)?);
        }
        return Ok(parts);
    }
    if rect == Rect::whole(picture.width(), picture.height()) {
        return Ok(vec![picture.clone()]);
    }
    let (sx, sy) = picture.layout().chroma_shift;
    let mut parts = Vec::new();
    for (y, height) in cut(rect.y, rect.height, sy) {
        for (x, width) in cut(rect.x, rect.width, sx) {
            let part = Rect { x, y, width, height };
            let is_aligned = x % (1 << sx) == 0 && y % (1 << sy) == 0;
            let made = if is_aligned { view(picture, part)? } else { copy(picture, part)? };
            parts.push(made.with_clamped(clamped(picture, part)));
        }
    }
    Ok(parts)
}

/// Divides a picture so that neighbouring rows share chroma: into itself, or its fields. Returns each with its part of
/// the rectangle, which must lie in the picture.
///
/// # Errors
/// [`PictureError`] as for [`Picture::new`].
pub fn by_chroma_lines(picture: &Picture, rect: Rect) -> Result<Vec<(Picture, Rect)>, PictureError> {
    if picture.layout().chroma_lines == ChromaLines::Frame {
        return Ok(vec![(picture.clone(), rect)]);
    }
    let part = |which: Field| {
        let [above, below] = [rect.y, rect.y + rect.height].map(|lines| which.lines_within(lines));
        let rect = Rect { y: above, height: below - above, ..rect };
        (below > above).then(|| field(picture, which).map(|field| (field, rect)))
    };
    Field::BOTH.into_iter().filter_map(part).collect()
}

/// Divides a rectangle into pictures that together hold exactly its coded samples. A chroma sample belongs to the
/// rectangle if its cell of the frame's chroma grid touches it, even if chroma rows belong to fields.
///
/// # Errors
/// [`PictureError::Empty`] if the rectangle does not lie in the picture.
pub fn coded_parts(picture: &Picture, rect: Rect) -> Result<Vec<Picture>, PictureError> {
    parts(&picture.with_chroma_lines(Sourced::guessed(ChromaLines::Frame)), rect)
}

/// Returns the samples of a rectangle that were clamped on conversion to codes, if any.
#[must_use]
pub fn clamped(picture: &Picture, rect: Rect) -> Option<ClampedSamples> {
    let ([left, upper], [right, lower]) = rect.corners();
    picture.clamped()?.part(left..right, upper..lower)
}

/// Cuts a run of samples at the first multiple of 2^`shift` inside it. Returns the start and length of each piece.
fn cut(start: u32, length: u32, shift: u8) -> impl Iterator<Item = (u32, u32)> {
    let boundary = start.next_multiple_of(1 << shift);
    let before = (boundary - start).min(length);
    [(start, before), (boundary, length - before)].into_iter().filter(|(_, length)| *length > 0)
}

/// Returns the part of a picture inside a rectangle that begins at a chroma boundary. It shares the picture's planes.
fn view(picture: &Picture, rect: Rect) -> Result<Picture, PictureError> {
    let layout = *picture.layout();
    let mut skipped = [0; 3];
    for (component, place) in layout.components.iter().enumerate().take(layout.component_count()) {
        let (sx, sy) = shifts(&layout, component);
        let plane = usize::from(place.plane);
        let row = (rect.y >> sy) as usize * picture.extent(plane).1;
        // A column at a chroma boundary begins a group of samples, so all components in a plane give the same offset.
        skipped[plane] = row + (rect.x >> sx) as usize * usize::from(place.step);
    }
    let planes = OffsetPlanes { picture: picture.clone(), skipped };
    Picture::new(layout, (rect.width, rect.height), *picture.colorimetry(), Arc::new(planes))
}

const fn shifts(layout: &PixelLayout, component: usize) -> (u8, u8) {
    if matches!(layout.model, ColorModel::YCbCr) && component > 0 { layout.chroma_shift } else { (0, 0) }
}

/// Returns the columns and rows of a component's samples that cover a pixel of the rectangle.
#[must_use]
pub fn component_span(layout: &PixelLayout, component: usize, rect: Rect) -> (Range<usize>, Range<usize>) {
    let (sx, sy) = shifts(layout, component);
    let span = |from: u32, size: u32, shift: u8| (from >> shift) as usize..((from + size - 1) >> shift) as usize + 1;
    (span(rect.x, rect.width, sx), span(rect.y, rect.height, sy))
}

/// The planes of a picture without their first bytes.
struct OffsetPlanes {
    picture: Picture,
    skipped: [usize; 3],
}

impl PlaneStore for OffsetPlanes {
    fn plane(&self, index: usize) -> PlaneView<'_> {
        let PlaneView { bytes, stride } = self.picture.plane(index);
        let skipped = self.skipped.get(index).copied().unwrap_or(0);
        PlaneView { bytes: bytes.get(skipped..).unwrap_or(&[]), stride }
    }

    fn extent(&self, index: usize) -> (usize, usize) {
        let (bytes, stride) = self.picture.extent(index);
        (bytes.saturating_sub(self.skipped.get(index).copied().unwrap_or(0)), stride)
    }

    fn address(&self) -> usize {
        self.picture.address() + self.skipped[0]
    }

    fn pages(&self) -> Option<&Pages> {
        self.picture.pages()
    }

    fn resident(&self) -> Option<ResidentPlanes> {
        let ResidentPlanes { memory, offsets } = self.picture.resident()?;
        Some(ResidentPlanes { memory, offsets: std::array::from_fn(|plane| offsets[plane] + self.skipped[plane]) })
    }
}

/// Copies the part of a picture inside a rectangle that lies within the width or height of one chroma sample.
fn copy(picture: &Picture, rect: Rect) -> Result<Picture, PictureError> {
    let from = picture.layout();
    let depth = from.depth;
    let layout = match from.model {
        ColorModel::Gray => PixelLayout::gray(depth),
        ColorModel::Rgb => PixelLayout::planar_gbr(depth),
        ColorModel::YCbCr => PixelLayout::planar_ycbcr(depth, from.chroma_shift),
    };
    let mut planes = vec![(Vec::new(), 0); layout.plane_count()];
    for component in 0..layout.component_count() {
        let (sx, sy) = shifts(from, component);
        let (width, height) = layout.component_size(component, rect.width, rect.height);
        let mut bytes = Vec::new();
        for y in 0..height {
            for x in 0..width {
                let sample = picture.sample(component, (rect.x >> sx) + x, (rect.y >> sy) + y);
                bytes.extend_from_slice(&sample.to_le_bytes()[..usize::from(layout.sample_bytes)]);
            }
        }
        let plane = usize::from(layout.components[component].plane);
        planes[plane] = (bytes, width as usize * usize::from(layout.sample_bytes));
    }
    let planes = OwnedPlanes { planes };
    Picture::new(layout, (rect.width, rect.height), *picture.colorimetry(), Arc::new(planes))
}

/// Crops a picture to a rectangle. Each luma sample keeps the chroma sample that covers it.
///
/// The planes are shared if the rectangle begins at a chroma boundary. Otherwise they are copied, with one chroma
/// sample per pixel in the unaligned direction.
///
/// # Errors
/// [`PictureError::Empty`] if the rectangle does not lie in the picture.
pub fn cropped(picture: &Picture, rect: Rect) -> Result<Picture, PictureError> {
    if !rect.fits(picture.width(), picture.height()) {
        return Err(PictureError::Empty { width: rect.width, height: rect.height });
    }
    if rect == Rect::whole(picture.width(), picture.height()) {
        return Ok(picture.clone());
    }
    let layout = picture.layout();
    let (sx, sy) = layout.chroma_shift;
    let columns_are_aligned = rect.x.is_multiple_of(1 << sx);
    let rows_are_aligned = match layout.chroma_lines {
        ChromaLines::Frame => rect.y.is_multiple_of(1 << sy),
        // Both fields begin with a chroma row, and end with one or at the end of the picture.
        ChromaLines::Field => {
            let ends_with_picture = rect.y + rect.height == picture.height();
            rect.y.is_multiple_of(4) && (ends_with_picture || rect.height % 4 != 2)
        }
    };
    let cropped = match (columns_are_aligned, rows_are_aligned) {
        (true, true) => view(picture, rect),
        (columns, rows) => copied(picture, rect, (if columns { sx } else { 0 }, if rows { sy } else { 0 })),
    };
    let clamped = clamped(picture, rect);
    cropped.map(|cropped| cropped.out_of_frame(picture.chroma_lines()).with_clamped(clamped))
}

/// Copies the part of a picture inside a rectangle, with the chroma subsampling `shift`.
fn copied(picture: &Picture, rect: Rect, shift: (u8, u8)) -> Result<Picture, PictureError> {
    let from = picture.layout();
    let layout = PixelLayout::planar_ycbcr(from.depth, shift).with_chroma_lines(from.chroma_lines);
    debug_assert!(from.model == ColorModel::YCbCr, "only chroma is subsampled");
    let mut planes = Vec::new();
    for component in 0..layout.component_count() {
        let is_luma = component == 0;
        let ((from_x, from_y), (to_x, to_y)) = if is_luma { ((0, 0), (0, 0)) } else { (from.chroma_shift, shift) };
        let (width, height) = layout.component_size(component, rect.width, rect.height);
        let mut bytes = Vec::with_capacity(width as usize * height as usize * usize::from(layout.sample_bytes));
        for y in 0..height {
            let row = match to_y == from_y {
                true => (rect.y + (y << to_y)) >> from_y,
                false => picture.chroma_rows().of((rect.y + y) as usize) as u32,
            };
            for x in 0..width {
                let sample = picture.sample(component, (rect.x + (x << to_x)) >> from_x, row);
                bytes.extend_from_slice(&sample.to_le_bytes()[..usize::from(layout.sample_bytes)]);
            }
        }
        planes.push((bytes, width as usize * usize::from(layout.sample_bytes)));
    }
    Picture::new(layout, (rect.width, rect.height), *picture.colorimetry(), Arc::new(OwnedPlanes { planes }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::color::{Colorimetry, Matrix, Range};

    /// Returns a picture of odd size whose neighbouring samples differ.
    fn picture(layout: PixelLayout) -> Picture {
        let size = (11, 9);
        let color = Colorimetry::resolve(&layout, size, Some(Matrix::Bt709), Some(Range::Limited), false);
        let mut next = 0_u8;
        let mut plane = |index| {
            let (row_bytes, rows) = layout.plane_size(index, size.0, size.1);
            let bytes = (0..row_bytes * rows).map(|_| {
                next = next.wrapping_add(37);
                next
            });
            (bytes.collect(), row_bytes)
        };
        let planes = (0..layout.plane_count()).map(&mut plane).collect();
        Picture::new(layout, size, color, Arc::new(OwnedPlanes { planes })).unwrap()
    }

    /// Returns the codes of the samples that cover a pixel.
    fn covering(picture: &Picture, x: u32, y: u32) -> Vec<u32> {
        let layout = picture.layout();
        let code = |component| match component {
            0 => picture.code(0, x, y),
            _ => picture.code(component, x >> layout.chroma_shift.0, picture.chroma_rows().of(y as usize) as u32),
        };
        (0..layout.component_count()).map(code).collect()
    }

    #[test]
    fn each_pixel_keeps_its_samples_wherever_the_crop_begins() {
        let layouts = [
            PixelLayout::planar_ycbcr(8, (1, 1)),
            PixelLayout::planar_ycbcr(8, (1, 1)).with_chroma_lines(ChromaLines::Field),
            PixelLayout::planar_ycbcr(8, (2, 0)),
            PixelLayout::semi_planar(8, (1, 1), true),
            PixelLayout::packed_422(true),
            PixelLayout::planar_gbr(8),
            PixelLayout::gray(8),
        ];
        for layout in layouts {
            let whole = picture(layout);
            for y in 0..4 {
                for x in 0..5 {
                    let rect = Rect { x, y, width: 11 - x - 1, height: 9 - y };
                    let part = cropped(&whole, rect).unwrap();
                    assert_eq!((part.width(), part.height()), (rect.width, rect.height));
                    for row in 0..rect.height {
                        for column in 0..rect.width {
                            let expected = covering(&whole, x + column, y + row);
                            assert_eq!(covering(&part, column, row), expected, "{layout:?} {rect:?}");
                        }
                    }
                }
            }
        }
        assert!(cropped(&picture(layouts[0]), Rect { x: 1, y: 0, width: 11, height: 9 }).is_err());
    }

    #[test]
    fn planes_are_shared_if_the_crop_begins_at_a_chroma_boundary() {
        let whole = picture(PixelLayout::planar_ycbcr(8, (1, 1)));
        let part = cropped(&whole, Rect { x: 2, y: 4, width: 5, height: 5 }).unwrap();
        assert_eq!(part.plane(0).bytes.as_ptr(), whole.plane(0).bytes[4 * 11 + 2..].as_ptr());
        assert_eq!(part.plane(1).bytes.as_ptr(), whole.plane(1).bytes[2 * 6 + 1..].as_ptr());
    }
}
