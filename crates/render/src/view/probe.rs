//! The values of a single pixel, computed by the same arithmetic as [`mod@histoscope_core::histogram::reference`]: the
//! numbers under the pointer, and the bins in which the pixel was counted.

use crate::view::overlay::Channels;
use crate::view::scene::Brush;
use crate::view::scene::NO_BIN;
use histoscope_core::histogram::Components;
use histoscope_core::histogram::reference::unclamped_rgb;
use histoscope_core::picture::Picture;

/// The values of a pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probe {
    /// The coded pixel: column and row.
    pub position: (u32, u32),
    /// R'G'B' codes before the clamp; values outside 0 to 2^n - 1 are out of range.
    pub rgb: [i32; 3],
    /// R'G'B' codes.
    pub codes: [u32; 3],
    /// The samples as coded: Y', Cb and Cr, or R', G' and B'. Chroma is that of the sample which covers the pixel.
    /// `None` for components that the picture lacks.
    pub coded: [Option<u32>; 3],
    /// The luminance bin.
    pub luminance: u32,
    /// The bin of each counted channel, or [`NO_BIN`]; the input for
    /// [`Scene::marks`](crate::view::scene::Scene::marks).
    pub bins: [u32; 4],
}

/// Returns the values of the pixel at (`x`, `y`). A position beyond the picture's edge is clamped to the last pixel.
#[must_use]
pub fn probe(picture: &Picture, x: u32, y: u32, components: Components) -> Probe {
    let (x, y) = (x.min(picture.width() - 1), y.min(picture.height() - 1));
    let layout = picture.layout();
    let bits = layout.bin_bits();
    let rgb = unclamped_rgb(picture, x, y);
    let codes = rgb.map(|v| v.clamp(0, (1 << bits) - 1) as u32);
    let decoded = picture.decoded();
    let (chroma_x, chroma_y) = (x >> decoded.layout().columns_shift(), decoded.chroma_rows().of(y as usize) as u32);
    let coded = std::array::from_fn(|component| match component {
        0 => Some(decoded.code(0, x, y)),
        _ if component >= decoded.layout().component_count() => None,
        _ => Some(decoded.code(component, chroma_x, chroma_y)),
    });
    let luminance = picture.colorimetry().luminance.bin(codes, bits);
    let bins = match components {
        Components::Rgbl => [codes[0], codes[1], codes[2], luminance],
        Components::YCbCr => {
            let [y, cb, cr] = coded.map(|code| code.unwrap_or(NO_BIN));
            [y, cb, cr, NO_BIN]
        }
    };
    Probe { position: (x, y), rgb, codes, coded, luminance, bins }
}

impl Probe {
    /// Returns the channels of a brush for which the pixel lies in its range.
    #[must_use]
    pub fn reached_by(&self, brush: &Brush) -> Channels {
        let bins = self.bins.iter().enumerate().filter(|(_, bin)| **bin != NO_BIN && brush.contains(**bin));
        let reached = bins.fold(Channels::NONE, |reached, (channel, _)| reached.union(Channels::one(channel)));
        reached.intersection(brush.channels)
    }

    /// Returns `true` if a brush lights the pixel.
    #[must_use]
    pub fn is_lit_by(&self, brush: &Brush) -> bool {
        self.reached_by(brush) != Channels::NONE
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use histoscope_core::histogram::Histogram;
    use histoscope_core::histogram::reference;
    use histoscope_core::picture::OwnedPlanes;
    use histoscope_core::picture::color::{Colorimetry, Matrix, Range};
    use histoscope_core::picture::layout::PixelLayout;

    fn picture(layout: PixelLayout, size: (u32, u32)) -> Picture {
        let mut state = 1_u32;
        let mut byte = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        let plane = |index| {
            let (row_bytes, rows) = layout.plane_size(index, size.0, size.1);
            ((0..row_bytes * rows).map(|_| byte()).collect(), row_bytes)
        };
        let planes = OwnedPlanes { planes: (0..layout.plane_count()).map(plane).collect() };
        let color = Colorimetry::tagged(Matrix::Bt709, Range::Limited);
        Picture::new(layout, size, color, Arc::new(planes)).unwrap()
    }

    /// Returns the histogram that results from probing all pixels.
    fn counted(picture: &Picture, components: Components) -> Histogram {
        let mut histogram = Histogram::empty(picture.layout().bin_bits(), components);
        for (x, y) in (0..picture.height()).flat_map(|y| (0..picture.width()).map(move |x| (x, y))) {
            let probe = probe(picture, x, y, components);
            assert_eq!(probe.position, (x, y));
            for (channel, &bin) in probe.bins.iter().enumerate().filter(|(_, bin)| **bin != NO_BIN) {
                histogram.bins_mut(channel)[bin as usize] += 1;
            }
            if components == Components::Rgbl {
                for channel in 0..3 {
                    histogram.out_of_range_mut(channel)[0] += u32::from(probe.rgb[channel] < 0);
                    let top = (1 << histogram.bits) - 1;
                    histogram.out_of_range_mut(channel)[1] += u32::from(probe.rgb[channel] > top);
                }
            }
        }
        histogram
    }

    #[test]
    fn probing_all_pixels_gives_the_histogram() {
        for layout in [
            PixelLayout::planar_ycbcr(8, (1, 1)),
            PixelLayout::planar_ycbcr(10, (2, 0)),
            PixelLayout::semi_planar(12, (1, 0), true),
            PixelLayout::gray(16),
            PixelLayout::packed_rgb(8, [2, 1, 0], 4),
        ] {
            let picture = picture(layout, (23, 9));
            let expected = reference::histogram(&picture, Components::Rgbl);
            assert_eq!(counted(&picture, Components::Rgbl), expected, "{layout:?}");
        }
        // If every pixel has its own chroma sample, the coded bins add up as well.
        for layout in [PixelLayout::planar_ycbcr(10, (0, 0)), PixelLayout::gray(8)] {
            let picture = picture(layout, (23, 9));
            let expected = reference::histogram(&picture, Components::YCbCr);
            assert_eq!(counted(&picture, Components::YCbCr), expected, "{layout:?}");
        }
    }

    #[test]
    fn gray_has_no_chroma_and_positions_outside_are_clamped() {
        let picture = picture(PixelLayout::gray(8), (5, 4));
        let last = probe(&picture, 99, 99, Components::YCbCr);
        assert_eq!(last.position, (4, 3));
        assert_eq!(last.coded, [Some(picture.code(0, 4, 3)), None, None]);
        assert_eq!(last.bins[1..], [NO_BIN; 3]);
        let everything = |channel| Brush { channels: Channels::one(channel), low: 0, high: u32::MAX };
        assert!(last.is_lit_by(&everything(0)) && !last.is_lit_by(&everything(1)) && !last.is_lit_by(&everything(3)));
    }
}
