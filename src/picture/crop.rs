//! Columns and lines at the edges of a decoded picture that its codec or its container leaves out.

use std::fmt;
use std::sync::Arc;

use super::layout::{ColorModel, PixelLayout};
use super::region::{self, Rect};
use super::{OwnedPlanes, Picture, PictureError};

/// Columns and lines to leave out at each edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Crop {
    /// Columns at the left.
    pub left: u32,
    /// Columns at the right.
    pub right: u32,
    /// Lines at the top.
    pub top: u32,
    /// Lines at the bottom.
    pub bottom: u32,
}

impl Crop {
    /// Whether nothing is left out.
    #[must_use]
    pub fn is_none(self) -> bool {
        self == Self::default()
    }

    /// The rectangle that remains of another one; `None` if nothing does.
    #[must_use]
    pub fn within(self, whole: Rect) -> Option<Rect> {
        let width = whole.width.checked_sub(self.left.checked_add(self.right)?)?;
        let height = whole.height.checked_sub(self.top.checked_add(self.bottom)?)?;
        let rect = Rect { x: whole.x + self.left, y: whole.y + self.top, width, height };
        (width > 0 && height > 0).then_some(rect)
    }
}

impl fmt::Display for Crop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let edges = [
            (self.left, "column", "at the left"),
            (self.right, "column", "at the right"),
            (self.top, "line", "at the top"),
            (self.bottom, "line", "at the bottom"),
        ];
        let edges = edges.into_iter().filter(|(count, ..)| *count > 0);
        let ending = |count| if count == 1 { "" } else { "s" };
        let parts: Vec<_> = edges.map(|(count, of, at)| format!("{count} {of}{} {at}", ending(count))).collect();
        f.write_str(&parts.join(", "))
    }
}

/// Which of a file's croppings are applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CroppingChoice {
    /// The codec's and the container's, as players do.
    #[default]
    All,
    /// The codec's alone.
    Codec,
    /// None: everything that is decoded is counted.
    None,
}

impl CroppingChoice {
    /// The name that the command line and the records use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Codec => "codec",
            Self::None => "none",
        }
    }
}

/// How a stated cropping was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CropUse {
    /// It is left out.
    #[default]
    Applied,
    /// The user wants to see it.
    Declined,
    /// Nothing of the picture would remain.
    Impossible,
}

/// A cropping that the file states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct StatedCrop {
    /// What it is.
    pub crop: Crop,
    /// How it was used.
    pub used: CropUse,
}

impl StatedCrop {
    /// Decides how a cropping is used. What remains of `whole`, too.
    fn resolve(crop: Crop, is_wanted: bool, whole: Rect) -> (Self, Rect) {
        let (used, rest) = match crop.within(whole) {
            _ if !is_wanted => (CropUse::Declined, whole),
            None => (CropUse::Impossible, whole),
            Some(rest) => (CropUse::Applied, rest),
        };
        (Self { crop, used }, rest)
    }
}

impl fmt::Display for StatedCrop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let effect = match self.used {
            CropUse::Applied => "not counted",
            CropUse::Declined => "counted all the same",
            CropUse::Impossible => "ignored: nothing of the picture would remain",
        };
        write!(f, "{}, {effect}", self.crop)
    }
}

/// All that a file says about the cropping of a picture, and how it was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Cropping {
    /// Width and height as decoded, before any cropping.
    pub decoded_size: (u32, u32),
    /// The codec's.
    pub codec: StatedCrop,
    /// The container's, of what the codec leaves.
    pub container: StatedCrop,
}

impl Cropping {
    /// Decides what is left out of pictures of that size. What remains, too.
    #[must_use]
    pub fn resolve(decoded_size: (u32, u32), codec: Crop, container: Crop, choice: CroppingChoice) -> (Self, Rect) {
        let whole = Rect::whole(decoded_size.0, decoded_size.1);
        let (codec, rest) = StatedCrop::resolve(codec, choice != CroppingChoice::None, whole);
        let (container, rest) = StatedCrop::resolve(container, choice == CroppingChoice::All, rest);
        (Self { decoded_size, codec, container }, rest)
    }

    /// Each cropping that is stated, with who states it.
    pub fn stated(&self) -> impl Iterator<Item = (&'static str, StatedCrop)> {
        [("codec", self.codec), ("container", self.container)].into_iter().filter(|(_, stated)| !stated.crop.is_none())
    }
}

/// The part of a picture inside a rectangle, each luma sample with the chroma sample that covers it.
///
/// The planes are shared where the rectangle begins with a chroma sample. Where it begins in the middle of one, they are copied, and chroma
/// has a sample for each pixel in that direction.
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
    let (sx, sy) = picture.layout().chroma_shift;
    let aligned = |start: u32, shift: u8| start.is_multiple_of(1 << shift);
    if aligned(rect.x, sx) && aligned(rect.y, sy) {
        return region::view(picture, rect);
    }
    let shift = (if aligned(rect.x, sx) { sx } else { 0 }, if aligned(rect.y, sy) { sy } else { 0 });
    copied(picture, rect, shift)
}

/// The same as planes of their own, with another chroma grid.
fn copied(picture: &Picture, rect: Rect, shift: (u8, u8)) -> Result<Picture, PictureError> {
    let from = picture.layout();
    let layout = PixelLayout::planar_ycbcr(from.depth, shift);
    debug_assert!(from.model == ColorModel::YCbCr, "only chroma is subsampled");
    let mut planes = Vec::new();
    for component in 0..layout.component_count() {
        let is_luma = component == 0;
        let ((from_x, from_y), (to_x, to_y)) = if is_luma { ((0, 0), (0, 0)) } else { (from.chroma_shift, shift) };
        let (width, height) = layout.component_size(component, rect.width, rect.height);
        let mut bytes = Vec::with_capacity(width as usize * height as usize * usize::from(layout.sample_bytes));
        for y in 0..height {
            let row = (rect.y + (y << to_y)) >> from_y;
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

    const fn crop(left: u32, right: u32, top: u32, bottom: u32) -> Crop {
        Crop { left, right, top, bottom }
    }

    #[test]
    fn croppings_are_taken_one_inside_the_other() {
        let resolve = |codec, container, choice| Cropping::resolve((1920, 1088), codec, container, choice);
        let (codec, container) = (crop(0, 0, 0, 8), crop(240, 239, 1, 0));
        let (all, rect) = resolve(codec, container, CroppingChoice::All);
        assert_eq!(rect, Rect { x: 240, y: 1, width: 1441, height: 1079 });
        let told: Vec<_> = all.stated().map(|(by, stated)| format!("{by}: {stated}")).collect();
        assert_eq!(
            told,
            [
                "codec: 8 lines at the bottom, not counted",
                "container: 240 columns at the left, 239 columns at the right, 1 line at the top, not counted",
            ]
        );
        let (some, rect) = resolve(codec, container, CroppingChoice::Codec);
        assert_eq!((rect, some.container.used), (Rect::whole(1920, 1080), CropUse::Declined));
        let (none, rect) = resolve(codec, container, CroppingChoice::None);
        assert_eq!((rect, none.codec.used), (Rect::whole(1920, 1088), CropUse::Declined));
    }

    #[test]
    fn a_cropping_that_leaves_nothing_is_ignored_and_told() {
        for container in [crop(1000, 920, 0, 0), crop(0, 0, u32::MAX, u32::MAX), crop(0, 5000, 0, 0)] {
            let (cropping, rect) =
                Cropping::resolve((1920, 1088), crop(0, 0, 0, 8), container, CroppingChoice::All);
            assert_eq!((rect, cropping.container.used), (Rect::whole(1920, 1080), CropUse::Impossible));
            assert!(cropping.container.to_string().ends_with("ignored: nothing of the picture would remain"));
        }
        assert_eq!(crop(2, 1, 1, 2).within(Rect::whole(4, 4)), Some(Rect { x: 2, y: 1, width: 1, height: 1 }));
        assert_eq!(crop(2, 2, 0, 0).within(Rect::whole(4, 4)), None);
    }

    /// A picture whose samples all differ, of odd sizes.
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

    /// The codes of the samples that cover a pixel.
    fn covering(picture: &Picture, x: u32, y: u32) -> Vec<u32> {
        let layout = picture.layout();
        let code = |component| {
            let (sx, sy) = if component == 0 { (0, 0) } else { layout.chroma_shift };
            picture.code(component, x >> sx, y >> sy)
        };
        (0..layout.component_count()).map(code).collect()
    }

    #[test]
    fn each_pixel_keeps_its_samples_wherever_a_cropping_begins() {
        let layouts = [
            PixelLayout::planar_ycbcr(8, (1, 1)),
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
    fn planes_are_shared_where_a_cropping_begins_with_a_chroma_sample() {
        let whole = picture(PixelLayout::planar_ycbcr(8, (1, 1)));
        let part = cropped(&whole, Rect { x: 2, y: 4, width: 5, height: 5 }).unwrap();
        assert_eq!(part.plane(0).bytes.as_ptr(), whole.plane(0).bytes[4 * 11 + 2..].as_ptr());
        assert_eq!(part.plane(1).bytes.as_ptr(), whole.plane(1).bytes[2 * 6 + 1..].as_ptr());
    }
}
