//! The plain scalar definition of every number that Histoscope shows.
//!
//! Slow on purpose: one pixel after the other, one sample read at a time, no tables and no tricks. The tests compare
//! the GPU and the CPU engine with it.

use crate::histogram::{Components, Histogram};
use crate::picture::Picture;
use crate::picture::color::luminance_bin;
use crate::picture::layout::ColorModel;

/// Component codes of the pixel at (`x`, `y`), 0 for those that the picture does not have. Chroma is that of the sample which
/// covers the pixel.
#[must_use]
pub fn components(picture: &Picture, x: u32, y: u32) -> [u32; 3] {
    let layout = picture.layout();
    let (sx, sy) = layout.chroma_shift;
    match layout.model {
        ColorModel::Gray => [picture.code(0, x, y), 0, 0],
        ColorModel::Rgb => std::array::from_fn(|i| picture.code(i, x, y)),
        ColorModel::YCbCr => {
            let (cx, cy) = (x >> sx, y >> sy);
            [picture.code(0, x, y), picture.code(1, cx, cy), picture.code(2, cx, cy)]
        }
    }
}

/// R'G'B' codes of the pixel at (`x`, `y`) before the clamp.
#[must_use]
pub fn unclamped_rgb(picture: &Picture, x: u32, y: u32) -> [i32; 3] {
    picture.conversion().unclamped(components(picture, x, y).map(|c| c as i32))
}

/// Pixels outside the limits of EBU R 103: those of which red, green, blue or Y' is. Y' is compared as coded where it is coded on
/// the scale of R 103; elsewhere it cannot leave it.
#[cfg(feature = "internals")]
#[must_use]
pub fn outside_r103(picture: &Picture) -> u32 {
    use crate::histogram::limits::{Limits, r103_codes};
    use crate::picture::color::{Matrix, Range};

    let conversion = picture.conversion();
    let limits = Limits::r103(&conversion);
    let [low, high] = r103_codes(conversion.bits);
    let has_luma = picture.layout().model != ColorModel::Rgb
        && picture.colorimetry().matrix.value != Matrix::Identity
        && picture.colorimetry().range.value == Range::Limited;
    let mut count = 0;
    for y in 0..picture.height() {
        for x in 0..picture.width() {
            let codes = components(picture, x, y);
            let rgb = conversion.sums(codes.map(|code| code as i32));
            let is_luma_outside = has_luma && !(low..=high).contains(&codes[0]);
            count += u32::from(is_luma_outside || rgb.into_iter().any(|value| limits.excludes(value)));
        }
    }
    count
}

/// The histograms of a picture.
///
/// In [`Components::YCbCr`] the channels are the picture's own components as coded; gray has only the first.
#[must_use]
pub fn histogram(picture: &Picture, components: Components) -> Histogram {
    match components {
        Components::Rgbl => count_rgbl(picture),
        Components::YCbCr => count_coded(picture),
    }
}

/// The bins of a picture's luminance of linear light.
#[cfg(feature = "internals")]
#[must_use]
pub fn linear_luminance(picture: &Picture, transfer: crate::histogram::Transfer) -> Vec<u32> {
    let bits = picture.layout().bin_bits();
    let top = (1 << bits) - 1;
    let table = crate::histogram::LightTable::new(transfer, bits);
    let mut bins = vec![0; 1 << bits];
    for y in 0..picture.height() {
        for x in 0..picture.width() {
            let codes = unclamped_rgb(picture, x, y).map(|v| v.clamp(0, top) as usize);
            let weighed: u64 =
                [2126_u64, 7152, 722].iter().zip(codes).map(|(w, c)| w * u64::from(table.light()[c])).sum();
            // The highest gray that has no more light.
            let bin = (0..=top as usize).rev().find(|&gray| u64::from(table.light()[gray]) * 10_000 <= weighed);
            bins[bin.unwrap_or(0)] += 1;
        }
    }
    bins
}

fn count_rgbl(picture: &Picture) -> Histogram {
    let bits = picture.layout().bin_bits();
    let top = (1 << bits) - 1;
    let mut histogram = Histogram::empty(bits, Components::Rgbl);
    for y in 0..picture.height() {
        for x in 0..picture.width() {
            let rgb = unclamped_rgb(picture, x, y);
            for channel in 0..3 {
                histogram.out_of_range_mut(channel)[0] += u32::from(rgb[channel] < 0);
                histogram.out_of_range_mut(channel)[1] += u32::from(rgb[channel] > top);
            }
            let codes = rgb.map(|v| v.clamp(0, top) as u32);
            for channel in 0..3 {
                histogram.bins_mut(channel)[codes[channel] as usize] += 1;
            }
            histogram.bins_mut(3)[luminance_bin(codes, bits) as usize] += 1;
        }
    }
    histogram
}

fn count_coded(picture: &Picture) -> Histogram {
    let layout = picture.layout();
    let mut histogram = Histogram::empty(layout.bin_bits(), Components::YCbCr);
    for component in 0..layout.component_count() {
        let (width, height) = layout.component_size(component, picture.width(), picture.height());
        for y in 0..height {
            for x in 0..width {
                histogram.bins_mut(component)[picture.code(component, x, y) as usize] += 1;
            }
        }
    }
    histogram
}
