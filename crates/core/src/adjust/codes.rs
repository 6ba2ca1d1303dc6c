//! A picture as R'G'B' codes, the input and output of the adjustments.

use std::sync::Arc;

use rayon::prelude::*;

use crate::picture::color::{Colorimetry, Conversion, Matrix, Range};
use crate::picture::layout::{ChromaLines, ChromaRows, ColorModel, PixelLayout};
use crate::picture::luminance::LuminanceWeights;
use crate::picture::unpack::Source;
use crate::picture::{OwnedPlanes, Picture, PictureError};

/// The R'G'B' codes of a picture, clamped to 0..=2^bits - 1, in rows from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Codes {
    /// n, the number of bits in a code: 8, 10 or 12.
    pub bits: u32,
    /// Width in pixels.
    pub width: usize,
    /// Height in pixels.
    pub height: usize,
    /// Red, green and blue of each pixel.
    pub rgb: Vec<[u16; 3]>,
    /// The weights of luminance.
    pub luminance: LuminanceWeights,
}

/// Returns the layout of an adjusted picture: red, green, blue and an unused sample, each stored in 8 or 16 bits.
#[must_use]
pub const fn working_layout(bits: u32) -> PixelLayout {
    PixelLayout::packed_rgb(bits as u8, [0, 1, 2], 4)
}

/// Returns the colorimetry of an adjusted picture: full-range R'G'B', so that its samples are the codes themselves,
/// with the weights of luminance of its source.
#[must_use]
pub const fn working_colorimetry(luminance: LuminanceWeights) -> Colorimetry {
    Colorimetry { luminance, ..Colorimetry::tagged(Matrix::Identity, Range::Full) }
}

/// Changes a pixel's luminance from one code to another and keeps its hue and saturation: each of R', G' and B' is
/// multiplied by `to` / `from`, rounded, and limited to `top`. A pixel of luminance 0 is unchanged, because there is no
/// ratio to scale by.
#[inline]
#[must_use]
pub fn scaled(rgb: [u16; 3], from: u32, to: u32, top: u32) -> [u16; 3] {
    if from == 0 {
        return rgb;
    }
    rgb.map(|code| ((u32::from(code) * to + from / 2) / from).min(top) as u16)
}

impl Codes {
    /// Changes every pixel, one after the other.
    pub(super) fn map(self, change: impl FnMut([u16; 3]) -> [u16; 3]) -> Self {
        Self { rgb: self.rgb.into_iter().map(change).collect(), ..self }
    }

    /// Converts a picture to codes, as for counting. Each pixel uses the chroma sample that covers it.
    #[must_use]
    pub fn of(picture: &Picture) -> Self {
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        let reader = Reader::new(picture);
        let mut rgb = vec![[0; 3]; width * height];
        let rows = reader.shared_rows;
        rgb.par_chunks_mut(width * rows).enumerate().for_each_init(CodeScratch::default, |scratch, (group, lines)| {
            reader.read(scratch, group, lines);
        });
        Self { bits: picture.layout().bin_bits(), width, height, rgb, luminance: picture.colorimetry().luminance }
    }

    /// Returns the highest code, 2^n - 1.
    #[must_use]
    pub const fn top(&self) -> u32 {
        (1 << self.bits) - 1
    }

    /// Returns the luminance bin of a pixel.
    #[inline]
    #[must_use]
    pub fn luminance_bin(&self, pixel: [u16; 3]) -> u32 {
        self.luminance.bin(pixel.map(u32::from), self.bits)
    }

    /// Returns the codes as a picture in [`working_layout`].
    ///
    /// # Errors
    /// [`PictureError`] if there are no pixels, or too many to count.
    pub fn picture(&self) -> Result<Picture, PictureError> {
        let size = (self.width as u32, self.height as u32);
        let layout = working_layout(self.bits);
        let step = usize::from(layout.components[0].step);
        let mut bytes = vec![0; self.rgb.len() * step];
        let rows =
            bytes.par_chunks_exact_mut(self.width.max(1) * step).zip(self.rgb.par_chunks_exact(self.width.max(1)));
        let top = self.top() as u16;
        rows.for_each(|(bytes, pixels)| match self.bits {
            8 => {
                for (packed, &[r, g, b]) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(pixels) {
                    *packed = [r as u8, g as u8, b as u8, u8::MAX];
                }
            }
            _ => {
                for (packed, &[r, g, b]) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(pixels) {
                    let word = [r, g, b, top].into_iter().rev().fold(0, |word, code| word << 16 | u64::from(code));
                    *packed = word.to_le_bytes();
                }
            }
        });
        let planes = OwnedPlanes { planes: vec![(bytes, self.width * step)] };
        Picture::new(layout, size, working_colorimetry(self.luminance), Arc::new(planes))
    }
}

/// A reader of a picture's pixels as codes. It computes [`Conversion::unclamped`], but the contribution of chroma only
/// once per chroma sample. Integer sums do not depend on the order of terms, even if an intermediate sum wraps around.
struct Reader<'a> {
    sources: Vec<Source<'a>>,
    conversion: Conversion,
    width: usize,
    columns_shift: u8,
    /// Number of neighbouring rows that share a chroma row.
    shared_rows: usize,
    chroma_rows: ChromaRows,
}

/// Buffers for a row's component codes, and for the contribution of chroma to red, green and blue.
#[derive(Default)]
struct CodeScratch {
    components: [Vec<u16>; 3],
    terms: Vec<[i32; 3]>,
}

impl<'a> Reader<'a> {
    fn new(picture: &'a Picture) -> Self {
        let layout = picture.layout();
        let shared_rows = match (layout.model, layout.chroma_lines) {
            (ColorModel::YCbCr, ChromaLines::Frame) => 1 << layout.chroma_shift.1,
            (ColorModel::YCbCr, ChromaLines::Field) | (ColorModel::Gray | ColorModel::Rgb, _) => 1,
        };
        Self {
            sources: (0..layout.component_count()).map(|i| Source::new(picture, i)).collect(),
            conversion: picture.conversion(),
            width: picture.width() as usize,
            columns_shift: layout.columns_shift(),
            shared_rows,
            chroma_rows: picture.chroma_rows(),
        }
    }

    /// Reads a group of lines that share a chroma row.
    fn read(&self, scratch: &mut CodeScratch, group: usize, lines: &mut [[u16; 3]]) {
        let CodeScratch { components: [first, second, third], terms } = scratch;
        first.resize(self.width, 0);
        let first_row = group * self.shared_rows;
        for (index, row) in [&mut *second, &mut *third].into_iter().enumerate() {
            row.resize(self.width.div_ceil(1 << self.columns_shift), 0);
            if let Some(source) = self.sources.get(index + 1) {
                source.unpack(0, self.chroma_rows.of(first_row), row);
            }
        }
        let Conversion { weights, bias, .. } = &self.conversion;
        terms.clear();
        terms.extend(second.iter().zip(&*third).map(|(&c1, &c2)| {
            std::array::from_fn(|channel| {
                let [_, w1, w2] = weights[channel];
                let weighted = w1.wrapping_mul(i32::from(c1)).wrapping_add(w2.wrapping_mul(i32::from(c2)));
                weighted.wrapping_add(bias[channel])
            })
        }));
        for (row, line) in lines.chunks_exact_mut(self.width).enumerate() {
            self.sources[0].unpack(0, first_row + row, first);
            match self.columns_shift {
                0 => convert::<1>(&self.conversion, first, terms, line),
                1 => convert::<2>(&self.conversion, first, terms, line),
                _ => convert::<4>(&self.conversion, first, terms, line),
            }
        }
    }
}

/// Converts a row in which every `SHARED` neighbouring pixels share a chroma term.
fn convert<const SHARED: usize>(conversion: &Conversion, first: &[u16], terms: &[[i32; 3]], line: &mut [[u16; 3]]) {
    let (top, shift) = (conversion.max_code(), conversion.shift);
    let weights = conversion.weights.map(|row| row[0]);
    let code = |weight: i32, first: u16, term: i32| {
        (weight.wrapping_mul(i32::from(first)).wrapping_add(term) >> shift).clamp(0, top) as u16
    };
    for ((pixels, firsts), term) in line.chunks_mut(SHARED).zip(first.chunks(SHARED)).zip(terms) {
        for (pixel, &first) in pixels.iter_mut().zip(firsts) {
            *pixel = std::array::from_fn(|channel| code(weights[channel], first, term[channel]));
        }
    }
}
