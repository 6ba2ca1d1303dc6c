//! Black bars at the edges of a picture (letterbox and pillarbox).

use super::Picture;
use super::color::{Range, blanking_lines};
use super::layout::ColorModel;
use super::region::Rect;

/// Maximum difference above black, in 8-bit codes, at which a pixel counts as part of a bar.
pub const TOLERANCE: u32 = 8;

/// The bars at the edges of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeBars {
    /// No row and no column at an edge is black.
    None,
    /// The whole picture is black.
    Black,
    /// Bars surround this rectangle.
    Around(Rect),
}

/// Finds bars: rows and columns at the edges whose codes are at most [`TOLERANCE`] above black.
///
/// Luma codes are examined, or all three codes of an R'G'B' picture. Black is 16 in limited range and 0 in full range;
/// both it and the tolerance are scaled to the depth. Lines of the [vertical blanking interval](blanking_lines) count
/// as a bar, whatever they contain.
#[must_use]
pub fn find(picture: &Picture) -> EdgeBars {
    let picture = picture.decoded();
    let layout = picture.layout();
    let components = if picture.has_coded_components() { 1 } else { layout.component_count() };
    let is_limited = picture.colorimetry().range.value == Range::Limited && layout.model != ColorModel::Rgb;
    let most = (TOLERANCE + if is_limited { 16 } else { 0 }) << (layout.bin_bits() - 8);
    let is_black = |x, y| (0..components).all(|component| picture.code(component, x, y) <= most);
    let (width, height) = (picture.width(), picture.height());
    let is_bar_row = |y: &u32| (0..width).all(|x| is_black(x, *y));
    let Some(top) = (blanking_lines(width, height)..height).find(|y| !is_bar_row(y)) else { return EdgeBars::Black };
    let bottom = (top..height).rfind(|y| !is_bar_row(y)).unwrap_or(top);
    let is_bar_column = |x: &u32| (top..=bottom).all(|y| is_black(*x, y));
    // The top row has a pixel that is not black, so at least one column is not part of a bar.
    let left = (0..width).find(|x| !is_bar_column(x)).unwrap_or(0);
    let right = (left..width).rfind(|x| !is_bar_column(x)).unwrap_or(width - 1);
    let rect = Rect { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
    rect.proper(width, height).map_or(EdgeBars::None, EdgeBars::Around)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::picture::OwnedPlanes;
    use crate::picture::color::{Colorimetry, Matrix};
    use crate::picture::layout::PixelLayout;

    /// Returns a picture with these luma codes. Chroma, if any, is far from gray, to show that it has no effect on
    /// bars.
    fn picture(layout: PixelLayout, size: (u32, u32), range: Range, luma: impl Fn(u32, u32) -> u32) -> Picture {
        let bytes = usize::from(layout.sample_bytes);
        let mut planes = Vec::new();
        for plane in 0..layout.plane_count() {
            let (row_bytes, rows) = layout.plane_size(plane, size.0, size.1);
            let mut samples = Vec::new();
            for at in 0..row_bytes * rows / bytes {
                let (x, y) = ((at % (row_bytes / bytes)) as u32, (at / (row_bytes / bytes)) as u32);
                let code = if plane == 0 { luma(x, y) } else { 200 << (layout.depth - 8) };
                samples.extend_from_slice(&code.to_le_bytes()[..bytes]);
            }
            planes.push((samples, row_bytes));
        }
        let colorimetry = Colorimetry::tagged(Matrix::Bt709, range);
        Picture::new(layout, size, colorimetry, Arc::new(OwnedPlanes { planes })).unwrap()
    }

    /// Returns the luma of a picture with bars around 20 × 9 pixels at column 3 and row 5.
    fn barred(bars: u32, inside: u32) -> impl Fn(u32, u32) -> u32 {
        move |x, y| if (3..23).contains(&x) && (5..14).contains(&y) { inside } else { bars }
    }

    const SIZE: (u32, u32) = (29, 19);
    const AROUND: EdgeBars = EdgeBars::Around(Rect { x: 3, y: 5, width: 20, height: 9 });

    #[test]
    fn bars_are_found_at_any_edge_and_depth() {
        let find = |layout, range, bars, inside| find(&picture(layout, SIZE, range, barred(bars, inside)));
        let eight = PixelLayout::planar_ycbcr(8, (1, 1));
        assert_eq!(find(eight, Range::Limited, 16, 90), AROUND);
        assert_eq!(find(eight, Range::Limited, 24, 25), AROUND, "just within the tolerance, and just not");
        assert_eq!(find(eight, Range::Limited, 25, 90), EdgeBars::None);
        assert_eq!(find(eight, Range::Limited, 3, 90), AROUND, "below black is black");
        let ten = PixelLayout::planar_ycbcr(10, (1, 1));
        assert_eq!(find(ten, Range::Limited, 24 << 2, (24 << 2) + 1), AROUND);
        assert_eq!(find(eight, Range::Full, 8, 9), AROUND);
        assert_eq!(find(eight, Range::Full, 9, 90), EdgeBars::None);
        assert_eq!(find(PixelLayout::gray(8), Range::Full, 0, 90), AROUND);
    }

    #[test]
    fn a_black_picture_has_nothing_between_its_bars() {
        let eight = PixelLayout::planar_ycbcr(8, (1, 1));
        assert_eq!(find(&picture(eight, SIZE, Range::Limited, |_, _| 20)), EdgeBars::Black);
        assert_eq!(find(&picture(eight, SIZE, Range::Limited, |_, _| 120)), EdgeBars::None);
        // One pixel that is not black ends the bars of its row and of its column.
        let one = find(&picture(eight, SIZE, Range::Limited, |x, y| if (x, y) == (7, 2) { 99 } else { 16 }));
        assert_eq!(one, EdgeBars::Around(Rect { x: 7, y: 2, width: 1, height: 1 }));
    }

    #[test]
    fn vertical_blanking_lines_are_left_out_whatever_they_contain() {
        let layout = PixelLayout::planar_ycbcr(8, (1, 0));
        let found = |size: (u32, u32), bars: u32| {
            // Data at the top, then a picture with bars above and below.
            let luma = move |_, y: u32| match y {
                0..20 => 180,
                y if y < 40 || y >= size.1 - 6 => bars,
                _ => 90,
            };
            find(&picture(layout, size, Range::Limited, luma))
        };
        let around = |size: (u32, u32), y, height| EdgeBars::Around(Rect { x: 0, y, width: size.0, height });
        assert_eq!(found((720, 608), 100), around((720, 608), 32, 576));
        assert_eq!(found((720, 512), 100), around((720, 512), 26, 486));
        assert_eq!(found((720, 608), 16), around((720, 608), 40, 608 - 46), "black bars within the picture");
        assert_eq!(found((720, 576), 100), EdgeBars::None);
    }

    #[test]
    fn red_green_and_blue_must_all_be_dark_in_a_bar() {
        let layout = PixelLayout::packed_rgb(8, [0, 1, 2], 3);
        let bytes: Vec<u8> = (0..4 * 3).flat_map(|at| if at == 5 { [0, 0, 30] } else { [8, 8, 8] }).collect();
        let colorimetry = Colorimetry::tagged(Matrix::Identity, Range::Limited);
        let planes = OwnedPlanes { planes: vec![(bytes, 12)] };
        let picture = Picture::new(layout, (4, 3), colorimetry, Arc::new(planes)).unwrap();
        assert_eq!(find(&picture), EdgeBars::Around(Rect { x: 1, y: 1, width: 1, height: 1 }));
    }
}
