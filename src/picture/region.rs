//! A rectangle of a picture, counted exactly.
//!
//! A rectangle may begin between two luma samples that share a chroma sample. So it is cut at the first chroma boundary
//! inside it, into at most four parts, each of which begins at a boundary or lies within one chroma sample's width or
//! height. Every part is a [`Picture`] by itself, in which each luma sample has the chroma sample that covers it; the
//! engines count the parts as they count any picture, and histograms add. The large part shares the picture's planes;
//! the strips beside it are at most three samples wide and are copied.

use std::sync::Arc;

use crate::picture::layout::{ColorModel, PixelLayout};
use crate::picture::{ClampedSamples, OwnedPlanes, Picture, PictureError, PlaneStore, PlaneView};

/// A rectangle in pixels of the coded picture, from its upper left corner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rect {
    /// Columns to the left of it.
    pub x: u32,
    /// Rows above it.
    pub y: u32,
    /// Width in pixels, at least 1.
    pub width: u32,
    /// Height in pixels, at least 1.
    pub height: u32,
}

impl Rect {
    /// The whole of a picture of that size.
    #[must_use]
    pub const fn whole(width: u32, height: u32) -> Self {
        Self { x: 0, y: 0, width, height }
    }

    /// Whether it has pixels and all of them lie in a picture of that size.
    #[must_use]
    pub fn fits(&self, width: u32, height: u32) -> bool {
        let within =
            |start: u32, length: u32, all: u32| length > 0 && start.checked_add(length).is_some_and(|end| end <= all);
        within(self.x, self.width, width) && within(self.y, self.height, height)
    }

    /// The same where it is only a part of a picture of that size; `None` where it is the whole.
    #[must_use]
    pub fn proper(self, width: u32, height: u32) -> Option<Self> {
        (self != Self::whole(width, height)).then_some(self)
    }

    /// Whether the pixel of that column and row lies in it.
    #[inline]
    #[must_use]
    pub const fn contains(&self, x: u32, y: u32) -> bool {
        x >= self.x && y >= self.y && x - self.x < self.width && y - self.y < self.height
    }

    /// Column and row of its first pixel, and those behind its last.
    #[must_use]
    pub const fn corners(&self) -> ([u32; 2], [u32; 2]) {
        ([self.x, self.y], [self.x + self.width, self.y + self.height])
    }

    /// Width × height.
    #[must_use]
    pub fn pixel_count(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }
}

/// The pictures whose histograms add up to that of the rectangle. The whole picture is one part, itself.
///
/// # Errors
/// [`PictureError::Empty`] if the rectangle does not lie in the picture.
pub fn parts(picture: &Picture, rect: Rect) -> Result<Vec<Picture>, PictureError> {
    if !rect.fits(picture.width(), picture.height()) {
        return Err(PictureError::Empty { width: rect.width, height: rect.height });
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

/// The samples of a rectangle that were clamped as they became codes.
#[must_use]
pub fn clamped(picture: &Picture, rect: Rect) -> Option<ClampedSamples> {
    let ([left, upper], [right, lower]) = rect.corners();
    picture.clamped()?.part(left..right, upper..lower)
}

/// Cuts a run of samples at the first multiple of 2^`shift` inside it.
fn cut(start: u32, length: u32, shift: u8) -> impl Iterator<Item = (u32, u32)> {
    let boundary = start.next_multiple_of(1 << shift);
    let before = (boundary - start).min(length);
    [(start, before), (boundary, length - before)].into_iter().filter(|(_, length)| *length > 0)
}

/// A rectangle that begins at a chroma boundary, over the picture's own planes.
fn view(picture: &Picture, rect: Rect) -> Result<Picture, PictureError> {
    let layout = *picture.layout();
    let mut skipped = [0; 3];
    for (component, place) in layout.components.iter().enumerate().take(layout.component_count()) {
        let (sx, sy) = shifts(&layout, component);
        let plane = usize::from(place.plane);
        let row = (rect.y >> sy) as usize * picture.plane(plane).stride;
        // Components that share a plane agree on where a column that begins a group of samples lies.
        skipped[plane] = row + (rect.x >> sx) as usize * usize::from(place.step);
    }
    let planes = OffsetPlanes { picture: picture.clone(), skipped };
    Picture::new(layout, (rect.width, rect.height), *picture.colorimetry(), Arc::new(planes))
}

const fn shifts(layout: &PixelLayout, component: usize) -> (u8, u8) {
    if matches!(layout.model, ColorModel::YCbCr) && component > 0 { layout.chroma_shift } else { (0, 0) }
}

/// Planes of a picture without their first bytes.
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
}

/// A rectangle within one chroma sample's width or height, as planes of its own.
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
