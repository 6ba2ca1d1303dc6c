//! A picture as R'G'B' codes: what the adjustments work on.

use std::sync::Arc;

use rayon::prelude::*;

use crate::color::{Colorimetry, Matrix, Range, Sourced, luminance_bin};
use crate::cpu::unpack::Source;
use crate::frame::{OwnedPlanes, Picture, PictureError};
use crate::histogram::{Components, Histogram};
use crate::layout::{ColorModel, PixelLayout};

/// R'G'B' codes of a picture, 0 to 2^bits - 1, clamped; rows from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Codes {
    /// n: a code has n bits, 8, 10 or 12.
    pub bits: u32,
    /// Pixels of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Red, green and blue of each pixel.
    pub rgb: Vec<[u16; 3]>,
}

/// The layout of an adjusted picture: red, green, blue and an unused sample, 4 × 8 bits a pixel or 4 × 16.
#[must_use]
pub const fn working_layout(bits: u32) -> PixelLayout {
    PixelLayout::packed_rgb(bits as u8, [0, 1, 2], 4)
}

/// How an adjusted picture is read: its samples are the codes themselves.
#[must_use]
pub const fn working_colorimetry() -> Colorimetry {
    Colorimetry { matrix: Sourced::tagged(Matrix::Identity), range: Sourced::tagged(Range::Full) }
}

/// A pixel whose luminance goes from one code to another, its hue and saturation kept: each of R', G' and B' times
/// `to` / `from`, rounded, at most `top`. A pixel of luminance 0 stays as it is: there is no ratio to scale by.
#[inline]
#[must_use]
pub fn scaled(rgb: [u16; 3], from: u32, to: u32, top: u32) -> [u16; 3] {
    if from == 0 {
        return rgb;
    }
    rgb.map(|code| ((u32::from(code) * to + from / 2) / from).min(top) as u16)
}

impl Codes {
    /// The codes of a picture, by the conversion that counting uses; chroma is that of the sample which covers the pixel.
    #[must_use]
    pub fn of(picture: &Picture) -> Self {
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        let sources: Vec<_> = (0..picture.layout().component_count()).map(|i| Source::new(picture, i)).collect();
        let conversion = picture.conversion();
        let top = conversion.max_code();
        let shift = match picture.layout().model {
            ColorModel::YCbCr => picture.layout().chroma_shift,
            ColorModel::Gray | ColorModel::Rgb => (0, 0),
        };
        let mut rgb = vec![[0; 3]; width * height];
        let scratch = || -> [Vec<u16>; 3] { std::array::from_fn(|i| vec![0; sources.get(i).map_or(0, |s| s.width)]) };
        rgb.par_chunks_exact_mut(width).enumerate().for_each_init(scratch, |rows, (y, line)| {
            for (index, (row, source)) in rows.iter_mut().zip(&sources).enumerate() {
                source.unpack(0, if index == 0 { y } else { y >> shift.1 }, row);
            }
            let [first, second, third] = &*rows;
            for (x, pixel) in line.iter_mut().enumerate() {
                let chroma = |row: &[u16]| row.get(x >> shift.0).map_or(0, |&code| i32::from(code));
                let unclamped = conversion.unclamped([i32::from(first[x]), chroma(second), chroma(third)]);
                *pixel = unclamped.map(|code| code.clamp(0, top) as u16);
            }
        });
        Self { bits: picture.layout().bin_bits(), width, height, rgb }
    }

    /// The highest code, 2^n - 1.
    #[must_use]
    pub const fn top(&self) -> u32 {
        (1 << self.bits) - 1
    }

    /// Luminance bin of a pixel.
    #[inline]
    #[must_use]
    pub fn luminance(&self, pixel: [u16; 3]) -> u32 {
        luminance_bin(pixel.map(u32::from), self.bits)
    }

    /// The histograms of the codes; no pixel is out of range any more.
    #[must_use]
    pub fn histogram(&self) -> Histogram {
        let empty = || Histogram::empty(self.bits, Components::Rgbl);
        let count = |mut histogram: Histogram, pixels: &[[u16; 3]]| {
            for &pixel in pixels {
                for (channel, code) in pixel.into_iter().enumerate() {
                    histogram.bins_mut(channel)[usize::from(code)] += 1;
                }
                histogram.bins_mut(3)[self.luminance(pixel) as usize] += 1;
            }
            histogram
        };
        let add = |mut sum: Histogram, more: Histogram| {
            sum.words.iter_mut().zip(&more.words).for_each(|(word, more)| *word += more);
            sum
        };
        self.rgb.par_chunks(1 << 16).fold(empty, count).reduce(empty, add)
    }

    /// The same with every pixel changed by itself.
    #[must_use]
    pub fn map(&self, change: impl Fn([u16; 3]) -> [u16; 3] + Sync) -> Self {
        let rgb = self.rgb.par_iter().with_min_len(1 << 12).map(|&pixel| change(pixel)).collect();
        Self { rgb, ..*self }
    }

    /// The codes as a picture in [`working_layout`].
    ///
    /// # Errors
    /// [`PictureError`] if there are no pixels, or too many to count.
    pub fn picture(&self) -> Result<Picture, PictureError> {
        let size = (self.width as u32, self.height as u32);
        let layout = working_layout(self.bits);
        let top = self.top() as u16;
        let bytes: Vec<u8> = match self.bits {
            8 => self.rgb.par_iter().flat_map_iter(|&[r, g, b]| [r as u8, g as u8, b as u8, u8::MAX]).collect(),
            _ => self
                .rgb
                .par_iter()
                .flat_map_iter(|&[r, g, b]| [r, g, b, top].into_iter().flat_map(u16::to_le_bytes))
                .collect(),
        };
        let planes = OwnedPlanes { planes: vec![(bytes, self.width * usize::from(layout.components[0].step))] };
        Picture::new(layout, size, working_colorimetry(), Arc::new(planes))
    }
}
