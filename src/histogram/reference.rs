//! The plain scalar definition of every number that Histoscope shows.
//!
//! Slow on purpose: one pixel after the other, one sample read at a time, no tables and no tricks. The tests compare
//! the GPU and the CPU engine with it.

use crate::histogram::{Components, Histogram};
use crate::picture::Picture;
use crate::picture::color::luminance_bin;
use crate::picture::layout::ColorModel;

/// R'G'B' codes of the pixel at (`x`, `y`) before the clamp. Chroma is that of the sample which covers the pixel.
#[must_use]
pub fn unclamped_rgb(picture: &Picture, x: u32, y: u32) -> [i32; 3] {
    let layout = picture.layout();
    let (sx, sy) = layout.chroma_shift;
    let components = match layout.model {
        ColorModel::Gray => [picture.code(0, x, y), 0, 0],
        ColorModel::Rgb => std::array::from_fn(|i| picture.code(i, x, y)),
        ColorModel::YCbCr => {
            let (cx, cy) = (x >> sx, y >> sy);
            [picture.code(0, x, y), picture.code(1, cx, cy), picture.code(2, cx, cy)]
        }
    };
    picture.conversion().unclamped(components.map(|c| c as i32))
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
