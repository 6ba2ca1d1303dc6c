//! The scalar reference implementation, which defines every number that Histoscope shows.
//!
//! It is deliberately slow: one pixel after another, one sample at a time, without tables or tricks. Tests compare the
//! GPU and CPU engines with it.

use std::sync::Arc;

use crate::histogram::limits::{Limits, R103_ACROSS, R103_DOWN, R103_WEIGHT, r103_lines};
use crate::histogram::pixel_light::Brightest;
use crate::histogram::{Components, Histogram, LightCounts, LightMeter};
use crate::picture::Picture;
use crate::picture::layout::ColorModel;
use crate::picture::region::Rect;

/// Returns the component codes of the pixel at (`x`, `y`), with 0 for missing components. Chroma is taken from the
/// sample that covers the pixel.
#[must_use]
pub fn components(picture: &Picture, x: u32, y: u32) -> [u32; 3] {
    let layout = picture.layout();
    match layout.model {
        ColorModel::Gray => [picture.code(0, x, y), 0, 0],
        ColorModel::Rgb => std::array::from_fn(|i| picture.code(i, x, y)),
        ColorModel::YCbCr => {
            let (cx, cy) = (x >> layout.chroma_shift.0, picture.chroma_rows().of(y as usize) as u32);
            [picture.code(0, x, y), picture.code(1, cx, cy), picture.code(2, cx, cy)]
        }
    }
}

/// Returns the R'G'B' codes of the pixel at (`x`, `y`) before clamping.
#[must_use]
pub fn unclamped_rgb(picture: &Picture, x: u32, y: u32) -> [i32; 3] {
    picture.conversion().unclamped(components(picture, x, y).map(|c| c as i32))
}

/// Counts the pixels with red, green or blue outside the limits of EBU R 103, without its filter.
#[must_use]
pub fn codes_outside_r103(picture: &Picture) -> u32 {
    let conversion = picture.conversion();
    let limits = Limits::r103(&conversion);
    let mut count = 0;
    for y in 0..picture.height() {
        for x in 0..picture.width() {
            let sums = conversion.sums(components(picture, x, y).map(|code| code as i32));
            count += u32::from(sums.into_iter().any(|value| limits.excludes(value)));
        }
    }
    count
}

/// Counts the pixels of a rectangle, which must lie in the picture, whose filtered red, green or blue is outside the
/// limits of EBU R 103. Of an interlaced picture, the filter stays within the field.
#[must_use]
pub fn outside_r103(picture: &Picture, rect: Rect, is_interlaced: bool) -> u32 {
    let conversion = picture.conversion();
    let limits = Limits::r103(&conversion);
    let ([left, top], [right, bottom]) = rect.corners();
    let mut count = 0;
    for y in top..bottom {
        for x in left..right {
            let mut sums = [0_i64; 3];
            for (line, down) in r103_lines(y, 1 + u32::from(is_interlaced), top, bottom).into_iter().zip(R103_DOWN) {
                for (offset, across) in (-3..).zip(R103_ACROSS) {
                    let column = x.saturating_add_signed(offset).clamp(left, right - 1);
                    let pixel = conversion.sums(components(picture, column, line).map(|code| code as i32));
                    for (sum, value) in sums.iter_mut().zip(pixel) {
                        *sum += i64::from(down * across) * i64::from(value);
                    }
                }
            }
            let [low, high] = [limits.low, limits.high].map(|limit| i64::from(R103_WEIGHT) * i64::from(limit));
            count += u32::from(sums.into_iter().any(|sum| sum < low || sum >= high));
        }
    }
    count
}

/// Counts the histograms of a picture.
///
/// With [`Components::YCbCr`], the channels are the picture's coded components; gray has only the first.
#[must_use]
pub fn histogram(picture: &Picture, components: Components) -> Histogram {
    histogram_of(picture, Rect::whole(picture.width(), picture.height()), components)
}

/// Counts the histograms of a rectangle, which must lie in the picture. A coded chroma sample is counted if its cell of
/// the frame's chroma grid touches the rectangle.
#[must_use]
pub fn histogram_of(picture: &Picture, rect: Rect, components: Components) -> Histogram {
    match components {
        Components::Rgbl => count_rgbl(picture, rect),
        Components::YCbCr => count_coded(picture, rect),
    }
}

/// Counts the bins of a picture's linear-light luminance.
#[must_use]
pub fn linear_luminance(picture: &Picture, transfer: crate::histogram::Transfer) -> Vec<u32> {
    let bits = picture.layout().bin_bits();
    let top = (1 << bits) - 1;
    let table = crate::histogram::LightTable::new(transfer, bits);
    let weights = picture.colorimetry().luminance.ten_thousandths();
    let mut bins = vec![0; 1 << bits];
    for y in 0..picture.height() {
        for x in 0..picture.width() {
            let codes = unclamped_rgb(picture, x, y).map(|v| v.clamp(0, top) as usize);
            let weighed: u64 =
                weights.iter().zip(codes).map(|(&w, c)| u64::from(w) * u64::from(table.light()[c])).sum();
            // The highest gray with no more light than the pixel.
            let bin = (0..=top as usize).rev().find(|&gray| u64::from(table.light()[gray]) * 10_000 <= weighed);
            bins[bin.unwrap_or(0)] += 1;
        }
    }
    bins
}

/// Counts the light of the pixels of a rectangle, which must lie in the picture.
#[must_use]
pub fn pixel_light(picture: &Picture, rect: Rect, meter: &Arc<LightMeter>) -> LightCounts {
    let top = (1 << meter.bits()) - 1;
    let mut counts = LightCounts::empty(meter);
    for y in rect.y..rect.y + rect.height {
        for x in rect.x..rect.x + rect.width {
            let codes = unclamped_rgb(picture, x, y).map(|code| code.clamp(0, top) as u32);
            let value = meter.value(codes);
            counts.bins[meter.bin(value)] += 1;
            counts.sum += u64::from(value);
            if counts.brightest.is_none_or(|brightest| value > brightest.value) {
                counts.brightest = Some(Brightest { value, x, y });
            }
            for (count, is_outside) in counts.outside.iter_mut().flatten().zip(meter.outside(codes)) {
                *count += u32::from(is_outside);
            }
        }
    }
    counts
}

fn count_rgbl(picture: &Picture, rect: Rect) -> Histogram {
    let bits = picture.layout().bin_bits();
    let top = (1 << bits) - 1;
    let mut histogram = Histogram::empty(bits, Components::Rgbl);
    for y in rect.y..rect.y + rect.height {
        for x in rect.x..rect.x + rect.width {
            let rgb = unclamped_rgb(picture, x, y);
            for channel in 0..3 {
                let [below, above] = picture.clamped().map_or([false; 2], |clamped| clamped.at(channel, x, y));
                histogram.out_of_range_mut(channel)[0] += u32::from(rgb[channel] < 0 || below);
                histogram.out_of_range_mut(channel)[1] += u32::from(rgb[channel] > top || above);
            }
            let codes = rgb.map(|v| v.clamp(0, top) as u32);
            for channel in 0..3 {
                histogram.bins_mut(channel)[codes[channel] as usize] += 1;
            }
            histogram.bins_mut(3)[picture.colorimetry().luminance.bin(codes, bits) as usize] += 1;
        }
    }
    histogram
}

fn count_coded(picture: &Picture, rect: Rect) -> Histogram {
    let layout = picture.layout();
    let mut histogram = Histogram::empty(layout.bin_bits(), Components::YCbCr);
    for component in 0..layout.component_count() {
        let is_chroma = component > 0 && layout.model == ColorModel::YCbCr;
        let (sx, sy) = if is_chroma { layout.chroma_shift } else { (0, 0) };
        for y in rect.y >> sy..=(rect.y + rect.height - 1) >> sy {
            for x in rect.x >> sx..=(rect.x + rect.width - 1) >> sx {
                histogram.bins_mut(component)[picture.code(component, x, y) as usize] += 1;
            }
        }
    }
    histogram
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::Transfer;
    use crate::picture::OwnedPlanes;
    use crate::picture::color::{Colorimetry, Matrix, Range};
    use crate::picture::layout::PixelLayout;

    /// Returns a picture with these planes, each given by its codes and its row length.
    fn picture(layout: PixelLayout, size: (u32, u32), range: Range, planes: &[(&[u8], usize)]) -> Picture {
        let color = Colorimetry::resolve(&layout, size, Some(Matrix::Bt709), Some(range), false);
        let planes = planes.iter().map(|(codes, stride)| (codes.to_vec(), *stride)).collect();
        Picture::new(layout, size, color, Arc::new(OwnedPlanes { planes })).expect("planes of that size")
    }

    /// Returns a single row of Y' with neutral chroma.
    fn luma(codes: &[u8], range: Range) -> Picture {
        let (width, neutral) = (codes.len(), vec![128; codes.len()]);
        let planes: [(&[u8], usize); 3] = [(codes, width), (&neutral, width), (&neutral, width)];
        picture(PixelLayout::planar_ycbcr(8, (0, 0)), (width as u32, 1), range, &planes)
    }

    /// Returns a single row of R'G'B'.
    fn rgb(pixels: &[[u8; 3]]) -> Picture {
        let plane = |channel: usize| pixels.iter().map(|pixel| pixel[channel]).collect::<Vec<u8>>();
        let (green, blue, red) = (plane(1), plane(2), plane(0));
        let planes: [(&[u8], usize); 3] = [(&green, pixels.len()), (&blue, pixels.len()), (&red, pixels.len())];
        picture(PixelLayout::planar_gbr(8), (pixels.len() as u32, 1), Range::Full, &planes)
    }

    /// Returns the codes that occur, with their counts.
    fn filled(bins: &[u32]) -> Vec<(usize, u32)> {
        bins.iter().copied().enumerate().filter(|(_, count)| *count > 0).collect()
    }

    #[test]
    fn a_pixel_has_the_chroma_that_covers_it() {
        let codes: Vec<u8> = (0..16).collect();
        let planes: [(&[u8], usize); 3] = [(&codes, 4), (&[20, 21, 22, 23], 2), (&[30, 31, 32, 33], 2)];
        let quarter = picture(PixelLayout::planar_ycbcr(8, (1, 1)), (4, 4), Range::Limited, &planes);
        assert_eq!(components(&quarter, 1, 1), [5, 20, 30]);
        assert_eq!(components(&quarter, 3, 0), [3, 21, 31]);
        assert_eq!(components(&quarter, 0, 3), [12, 22, 32]);
        assert_eq!(components(&quarter, 2, 2), [10, 23, 33]);
        let gray = picture(PixelLayout::gray(8), (2, 1), Range::Full, &[(&[7, 9], 2)]);
        assert_eq!(components(&gray, 1, 0), [9, 0, 0]);
        assert_eq!(components(&rgb(&[[1, 2, 3], [4, 5, 6]]), 1, 0), [4, 5, 6]);
    }

    #[test]
    fn codes_beyond_black_and_white_are_clamped_and_reported() {
        let row = luma(&[0, 0, 16, 16, 16, 235, 255, 255, 255, 255, 126], Range::Limited);
        assert_eq!(unclamped_rgb(&row, 0, 0), [-19; 3]);
        let counted = histogram(&row, Components::Rgbl);
        for channel in 0..4 {
            // (126 - 16) / 219 · 255 is 128.08.
            assert_eq!(filled(counted.bins(channel)), [(0, 5), (128, 1), (255, 5)], "channel {channel}");
        }
        for channel in 0..3 {
            assert_eq!(counted.out_of_range(channel), [2, 4], "channel {channel}");
        }
    }

    #[test]
    fn each_coded_sample_is_counted_once() {
        let planes: [(&[u8], usize); 3] = [(&[9, 9, 9, 8], 2), (&[20], 1), (&[30], 1)];
        let quarter = picture(PixelLayout::planar_ycbcr(8, (1, 1)), (2, 2), Range::Limited, &planes);
        let counted = histogram(&quarter, Components::YCbCr);
        assert_eq!(filled(counted.bins(0)), [(8, 1), (9, 3)]);
        assert_eq!((filled(counted.bins(1)), filled(counted.bins(2))), (vec![(20, 1)], vec![(30, 1)]));
    }

    #[test]
    fn light_adds_up_to_that_of_a_gray() {
        let row = rgb(&[[0, 0, 255], [100, 100, 100], [100, 100, 100], [0, 0, 0]]);
        // 0.0722 · 255 is 18.4. By BT.1886, gray 85 has 0.0716 of full light, and gray 86 has 0.0737.
        assert_eq!(filled(&linear_luminance(&row, Transfer::Linear)), [(0, 1), (18, 1), (100, 2)]);
        assert_eq!(filled(&linear_luminance(&row, Transfer::Bt1886)), [(0, 1), (85, 1), (100, 2)]);
    }

    #[test]
    fn r103_limits_apply_on_the_limited_range_scale() {
        assert_eq!(codes_outside_r103(&luma(&[4, 5, 126, 246, 247, 255], Range::Limited)), 3);
        // Black and white in full range are 16 and 235 on that scale.
        assert_eq!(codes_outside_r103(&luma(&[0, 4, 128, 255], Range::Full)), 0);
        assert_eq!(codes_outside_r103(&rgb(&[[0, 0, 0], [255, 0, 4], [255, 255, 255]])), 0);
        // An ordinary Y' with chroma outside the R'G'B' gamut.
        let planes: [(&[u8], usize); 3] = [(&[126], 1), (&[240], 1), (&[240], 1)];
        let odd = picture(PixelLayout::planar_ycbcr(8, (0, 0)), (1, 1), Range::Limited, &planes);
        assert_eq!(codes_outside_r103(&odd), 1);
        assert_eq!(outside_r103(&odd, Rect::whole(1, 1), false), 1, "at every edge, the sample is repeated");
    }

    #[test]
    fn the_filter_of_r103_passes_small_overshoots() {
        let outside = |width: usize, codes: Vec<u8>, is_interlaced| {
            let size = (width as u32, (codes.len() / width) as u32);
            let gray = picture(PixelLayout::gray(8), size, Range::Limited, &[(&codes, width)]);
            (codes_outside_r103(&gray), outside_r103(&gray, Rect::whole(size.0, size.1), is_interlaced))
        };
        // A bright dot for each 64 pixels: the filter reaches 126 + 124/8.
        let dots = (0..64 * 64).map(|at| if at % 8 == 0 && at / 64 % 8 == 0 { 250 } else { 126 });
        assert_eq!(outside(64, dots.collect(), false), (64, 0));
        // A square of 10 × 10 pixels of 255 on 235: its inside stays outside, and so do samples beside its edges, where
        // the filter is still above 246.5, as the sum over 1 2 3 4 3 2 1 and 1 2 1 shows.
        let at = |x: usize, y: usize, inside: std::ops::Range<usize>| inside.contains(&x) && inside.contains(&y);
        let square = (0..32 * 32).map(|index| if at(index % 32, index / 32, 10..20) { 255 } else { 235 });
        let share = |offset: i32, weights: &[i32]| {
            let half = weights.len() as i32 / 2;
            let inside = weights.iter().zip(-half..).filter(|(_, by)| (0..10).contains(&(offset + by)));
            inside.map(|(weight, _)| weight).sum::<i32>()
        };
        let expected = (-5..15)
            .flat_map(|y| (-5..15).map(move |x| (x, y)))
            .filter(|&(x, y)| 2 * 20 * share(x, &R103_ACROSS) * share(y, &R103_DOWN) >= 23 * R103_WEIGHT);
        assert_eq!(outside(32, square.collect(), false), (100, expected.count() as u32));
        // Every second line: outside within its field, and inside together with the other.
        let lines = (0..16 * 16).map(|index| if index / 16 % 2 == 0 { 255 } else { 200 });
        assert_eq!(outside(16, lines.clone().collect(), true), (128, 128));
        assert_eq!(
            outside(16, lines.collect(), false),
            (128, 0),
            "even the first line, which is repeated above itself"
        );
    }
}
