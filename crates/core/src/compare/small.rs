//! Small pictures in gray: enough of a frame to tell whether another frame has the same content.

use rayon::prelude::*;

use crate::picture::layout::ColorModel;
use crate::picture::region::{self, Rect};
use crate::picture::unpack::Source;
use crate::picture::{Picture, PictureError};

/// Width and height of every small picture, whatever the shape of the picture, so that any two can be compared.
const SIZE: (usize, usize) = (160, 90);
/// Number of pixels of a small picture.
pub const PIXELS: u64 = (SIZE.0 * SIZE.1) as u64;
/// Number of products whose sum is kept in 32 bits.
const RUN: usize = 1 << 12;

/// A picture reduced to the means of its luma in a grid of boxes, with the sums of these means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SmallPicture {
    codes: Vec<u8>,
    /// Sum of the codes.
    pub sum: u64,
    /// Sum of their squares.
    pub squares: u64,
}

impl SmallPicture {
    /// Reduces a picture, or its part in a region. The luma of R'G'B' is approximated by eighths.
    ///
    /// # Errors
    /// [`PictureError::Empty`] if the region does not lie in the picture.
    pub fn of(picture: &Picture, region: Option<Rect>) -> Result<Self, PictureError> {
        let rect = region.unwrap_or(Rect::whole(picture.width(), picture.height()));
        if !rect.fits(picture.width(), picture.height()) {
            return Err(PictureError::Empty { width: rect.width, height: rect.height });
        }
        let weights: &[u64] = match picture.layout().model {
            ColorModel::Rgb => &[2, 5, 1],
            ColorModel::Gray | ColorModel::YCbCr => &[1],
        };
        let sources: Vec<_> = (0..weights.len()).map(|component| Source::new(picture, component)).collect();
        let (columns, rows) = region::component_span(picture.layout(), 0, rect);
        let top = (1_u64 << picture.layout().bin_bits()) - 1;
        let row = |row: usize| {
            let lines = span(row, SIZE.1, rows.len());
            let mut sums = [0_u64; SIZE.0];
            let mut codes = vec![0; columns.len()];
            for (source, weight) in sources.iter().zip(weights) {
                for y in lines.clone() {
                    source.unpack(columns.start, rows.start + y, &mut codes);
                    for (column, sum) in sums.iter_mut().enumerate() {
                        let codes = &codes[span(column, SIZE.0, columns.len())];
                        *sum += weight * codes.iter().map(|&code| u64::from(code)).sum::<u64>();
                    }
                }
            }
            let all = weights.iter().sum::<u64>() * lines.len() as u64 * top;
            let code = |(column, sum): (usize, u64)| {
                let whole = all * span(column, SIZE.0, columns.len()).len() as u64;
                // At most 255.
                ((sum * 255 + whole / 2) / whole) as u8
            };
            sums.into_iter().enumerate().map(code).collect::<Vec<_>>()
        };
        let codes: Vec<u8> = (0..SIZE.1).into_par_iter().flat_map_iter(row).collect();
        let [sum, squares] = [1, 2].map(|power| codes.iter().map(|&code| u64::from(code).pow(power)).sum());
        Ok(Self { codes, sum, squares })
    }

    /// Returns the sum of the products of the codes at the same positions.
    #[must_use]
    pub fn products(&self, other: &Self) -> u64 {
        let run = |(a, b): (&[u8], &[u8])| {
            u64::from(a.iter().zip(b).map(|(&a, &b)| u32::from(u16::from(a) * u16::from(b))).sum::<u32>())
        };
        self.codes.chunks(RUN).zip(other.codes.chunks(RUN)).map(run).sum()
    }
}

/// Returns the samples of a row or column, of this length, that belong to one of `count` boxes: at least one.
fn span(index: usize, count: usize, length: usize) -> std::ops::Range<usize> {
    let start = index * length / count;
    start..((index + 1) * length / count).max(start + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_data;

    #[test]
    fn boxes_are_averaged_and_small_pictures_repeated() {
        // Each box has 2×3 pixels, one of which is brighter by six codes.
        let picture = test_data::gray((320, 270), |x, y| 6 * u8::from(x % 2 == 1 && y % 3 == 2) + (x / 32) as u8);
        let small = SmallPicture::of(&picture.picture, None).expect("the whole picture");
        assert!(small.codes.iter().enumerate().all(|(at, &code)| usize::from(code) == 1 + at % 160 / 16));
        let dot = test_data::gray((1, 1), |_, _| 200);
        let small = SmallPicture::of(&dot.picture, None).expect("the whole picture");
        assert_eq!((small.sum, small.squares), (200 * PIXELS, 40_000 * PIXELS));
        assert_eq!(small.products(&small), small.squares);
    }

    #[test]
    fn a_region_is_a_picture_of_its_own_and_must_lie_inside() {
        let picture = test_data::gray((400, 300), |x, y| (x ^ y) as u8).picture;
        let cut = test_data::gray((200, 110), |x, y| ((x + 30) ^ (y + 40)) as u8).picture;
        let rect = Rect { x: 30, y: 40, width: 200, height: 110 };
        assert_eq!(SmallPicture::of(&picture, Some(rect)), SmallPicture::of(&cut, None));
        let found = SmallPicture::of(&picture, Some(Rect { width: 371, ..rect }));
        assert!(matches!(found, Err(PictureError::Empty { .. })), "{found:?}");
    }
}
