//! Thumbnails of frames: upright, with the displayed pixel aspect ratio, in the colours of the window. PQ and HLG are
//! always tone-mapped.

use super::display::{self, BAND_ROWS, ByCodes, Order, Over, PixelFormat, ViewBand};
use crate::view::placement::{Fit, Placement, Shape, ViewSettings};
use crate::view::rect::PanelRect;
use histoscope_core::picture::Frame;
use histoscope_core::tone_map::{Display, SourceLight, Stops, ToneMapping, ToneTables};

/// A thumbnail of a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thumbnail {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Red, green, blue and opaque alpha of each pixel, rows from the top.
    pub rgba: Vec<u8>,
}

impl Thumbnail {
    /// Creates a thumbnail of a frame, as large as fits into `most` (width and height in pixels) but no larger than the
    /// frame is shown. Each pixel is the average of the area it covers: skipped samples would flicker from one
    /// thumbnail to the next.
    #[must_use]
    pub fn of(frame: &Frame, most: (u32, u32)) -> Self {
        let shape = Shape::of(frame);
        let upright = shape.upright();
        let scale = (f64::from(most.0) / upright.x).min(f64::from(most.1) / upright.y).min(1.0);
        let [width, height] = [upright.x, upright.y].map(|side| ((side * scale).round() as u32).max(1));
        // Drawing interpolates the four samples nearest to each pixel, which are all of them down to the picture's own
        // size.
        let finer = ((1.0 / scale).ceil() as u32).max(1);
        let view = (width * finer, height * finer);
        let area = PanelRect { left: 0, top: 0, width: view.0, height: view.1 };
        let placement = Placement::within(&shape, &ViewSettings::fitted(Fit::Cover), view, area);
        let format = PixelFormat { order: Order::Rgba, stride: 4 * view.0 as usize };
        let mut bands: Vec<_> = (0..view.1 as usize)
            .step_by(BAND_ROWS)
            .map(|first| SummingBand::new(first, view.1 as usize, (width as usize, finer as usize)))
            .collect();
        let light = SourceLight::of(&frame.source);
        let tone = light.tone_map(ToneMapping::default(), Stops::default(), Display::Sdr).map(ToneTables::of);
        let over = Over { by_codes: ByCodes { tone: tone.as_deref(), ..ByCodes::default() }, ..Over::default() };
        display::draw(&frame.picture, &placement, over, format, bands.iter_mut().collect());
        let mut sums = vec![[0; 4]; (width * height) as usize];
        for band in bands {
            let first = band.first / band.finer * band.width;
            for (sum, part) in sums[first..].iter_mut().zip(&band.sums) {
                *sum = std::array::from_fn(|byte| sum[byte] + part[byte]);
            }
        }
        let count = finer * finer;
        let rgba = sums.iter().flatten().map(|sum| ((sum + count / 2) / count) as u8).collect();
        Self { width, height, rgba }
    }
}

/// Rows of the finer picture, added up as they are drawn.
struct SummingBand {
    /// The first row.
    first: usize,
    /// Width of the thumbnail.
    width: usize,
    /// Rows and columns of the finer picture per pixel of the thumbnail.
    finer: usize,
    /// Sums of red, green, blue and alpha for each pixel of the thumbnail's rows that the band touches.
    sums: Vec<[u32; 4]>,
}

impl SummingBand {
    fn new(first: usize, height: usize, (width, finer): (usize, usize)) -> Self {
        let last = (first + BAND_ROWS).min(height) - 1;
        let rows = last / finer - first / finer + 1;
        Self { first, width, finer, sums: vec![[0; 4]; rows * width] }
    }
}

impl ViewBand for &mut SummingBand {
    /// Adds a whole row.
    fn put(&mut self, at: usize, bytes: &[u8]) {
        let row = (self.first + at / bytes.len()) / self.finer - self.first / self.finer;
        let sums = &mut self.sums[row * self.width..][..self.width];
        for (sum, pixels) in sums.iter_mut().zip(bytes.chunks_exact(4 * self.finer)) {
            for pixel in pixels.as_chunks::<4>().0 {
                *sum = std::array::from_fn(|byte| sum[byte] + u32::from(pixel[byte]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::picture::{FrameFacts, Orientation, Ratio};
    use histoscope_core::test_data;

    /// Creates a gray frame whose pixels are given by `code`.
    fn frame(size: (u32, u32), turns: u8, aspect: Ratio, code: impl Fn(u32, u32) -> u8) -> Frame {
        let orientation = Orientation { quarter_turns: turns, mirrored: false };
        let made = test_data::gray(size, code);
        Frame { facts: FrameFacts { sample_aspect: aspect, orientation, ..made.facts }, ..made }
    }

    /// Returns the red component of a pixel.
    fn red(small: &Thumbnail, x: u32, y: u32) -> u8 {
        small.rgba[4 * (y * small.width + x) as usize]
    }

    #[test]
    fn size_is_limited_by_the_given_maximum_and_the_displayed_size() {
        let wide = Ratio { num: 2, den: 1 };
        for (size, turns, aspect, expected) in [
            ((1920, 1080), 0, Ratio::ONE, (400, 225)),
            ((1920, 1080), 1, Ratio::ONE, (169, 300)),
            ((720, 576), 0, wide, (400, 160)),
            ((64, 48), 0, Ratio::ONE, (64, 48)),
            ((2, 4000), 0, Ratio::ONE, (1, 300)),
        ] {
            let small = Thumbnail::of(&frame(size, turns, aspect, |_, _| 100), (400, 300));
            assert_eq!((small.width, small.height), expected, "{size:?}");
            assert_eq!(small.rgba.len() as u32, 4 * small.width * small.height);
            assert!(
                small.rgba.chunks_exact(4).all(|pixel| pixel == [100, 100, 100, 255]),
                "{size:?} has another colour"
            );
        }
    }

    #[test]
    fn orientation_is_applied_and_every_sample_counts() {
        let quarters = |x: u32, y: u32| [[0, 50], [100, 200]][(y / 500) as usize][(x / 500) as usize];
        for (turns, corners) in [(0, [0, 50, 100, 200]), (1, [100, 0, 200, 50])] {
            let small = Thumbnail::of(&frame((1000, 1000), turns, Ratio::ONE, quarters), (100, 100));
            let found = [(5, 5), (95, 5), (5, 95), (95, 95)].map(|(x, y)| red(&small, x, y));
            assert_eq!(found, corners, "{turns} turns");
        }
        // Stripes of one pixel become gray, rather than the colour of the nearest sample.
        let stripes = |x: u32, _: u32| if x.is_multiple_of(2) { 0 } else { 200 };
        let small = Thumbnail::of(&frame((1000, 1000), 0, Ratio::ONE, stripes), (90, 90));
        let off = small.rgba.chunks_exact(4).map(|pixel| pixel[0].abs_diff(100)).max();
        assert!(off.is_some_and(|off| off <= 12), "{off:?}");
    }
}
