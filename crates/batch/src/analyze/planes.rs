//! The samples of a picture's components as FFmpeg's filters read them.

use histoscope_core::picture::color::{Origin, Range};
use histoscope_core::picture::layout::ColorModel;
use histoscope_core::picture::{Picture, SourceFormat, unpack};
use histoscope_media::filters_keep_depth;

/// Distance between compared lines; it is even, so that both belong to the same field.
pub const REPEAT_LINES: usize = 4;

/// The samples of a picture's components.
#[derive(Debug, Clone, PartialEq)]
pub struct Planes {
    /// How they were read.
    pub reading: SampleReading,
    /// Y', Cb and Cr.
    pub planes: [Plane; 3],
    /// Binary logarithm of the lines of luma in a line of chroma.
    pub chroma_lines: u8,
}

/// The samples of a component.
#[derive(Debug, Clone, PartialEq)]
pub struct Plane {
    codes: Vec<u16>,
    width: usize,
}

impl Planes {
    /// Reads the samples.
    #[must_use]
    pub fn of(picture: &Picture, reading: SampleReading) -> Self {
        let plane = |component| {
            let (codes, width) = reading.plane(picture, component);
            Plane { codes, width }
        };
        Self { reading, planes: [0, 1, 2].map(plane), chroma_lines: picture.layout().chroma_shift.1 }
    }

    /// Returns `true` if the other picture has samples at the same places.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        let size = |planes: &Self| planes.planes.each_ref().map(|plane| (plane.width, plane.codes.len()));
        self.reading == other.reading && size(self) == size(other)
    }

    /// Returns the highest code.
    #[must_use]
    pub const fn max_code(&self) -> u32 {
        (1 << self.reading.depth) - 1
    }
}

impl Plane {
    /// Returns the lines from top to bottom.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[u16]> {
        self.codes.chunks(self.width)
    }

    /// Returns the lines of a field: 0 for the top field, 1 for the bottom field.
    pub fn field(&self, field: usize) -> impl Iterator<Item = &[u16]> {
        self.rows().skip(field).step_by(2)
    }

    /// Returns the number of samples in a line.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of samples.
    #[must_use]
    pub const fn samples(&self) -> usize {
        self.codes.len()
    }
}

/// Returns the sum of absolute differences of two lines.
#[must_use]
pub fn distance(a: &[u16], b: &[u16]) -> u64 {
    unpack::distance(a, b, |a, b| a.abs_diff(b).into())
}

/// The filter's interpretation of a picture's samples: read directly, or after FFmpeg has expanded them to 16 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleReading {
    /// Bits per sample as read by the filter.
    pub depth: u32,
    /// Number of bits by which FFmpeg shifts a sample left beforehand.
    pub shift: u32,
}

impl SampleReading {
    /// Returns how the filter reads such pictures, or `None` if FFmpeg first converts them to values that cannot be
    /// derived from the samples alone.
    ///
    /// Planar Y'CbCr without alpha ("yuv4…") is read directly. For other formats, FFmpeg drops alpha and separates the
    /// planes, and before version 9 it expands depths between 8 and 16 bits to 16 bits. In limited range, samples keep
    /// their values or are shifted left; full range is converted to limited range, in a way that depends on the
    /// version.
    #[must_use]
    pub fn of(picture: &Picture, source: &SourceFormat) -> Option<Self> {
        let layout = picture.layout();
        let depth = u32::from(layout.depth);
        let is_planar = ["yuv4", "yuvj4"].iter().any(|start| source.pixel_format.starts_with(start));
        let range = picture.colorimetry().range;
        let is_limited = range.value == Range::Limited && range.origin != Origin::Overridden;
        let read = if is_planar || matches!(depth, 8 | 16) || filters_keep_depth() { depth } else { 16 };
        let grid = layout.chroma_shift;
        let known_grid = match read {
            8 => grid.0 + grid.1 < 3 && grid != (0, 2),
            10 | 12 => grid.0 < 2 && grid.1 < 2,
            _ => matches!(grid, (0, 0) | (1, 0) | (1, 1)),
        };
        let is_coded = layout.model == ColorModel::YCbCr && picture.has_coded_components();
        let is_read = is_coded && source.converted_to.is_none() && known_grid && (is_planar || is_limited);
        is_read.then_some(Self { depth: read, shift: read - depth })
    }

    /// Returns the middle code of Cb and Cr.
    #[must_use]
    pub const fn middle(self) -> i32 {
        1 << (self.depth - 1)
    }

    /// Reads a row of a component.
    pub fn row(self, picture: &Picture, component: usize, y: u32, codes: &mut [u16]) {
        read_row(picture, component, y, codes);
        if self.shift > 0 {
            codes.iter_mut().for_each(|code| *code <<= self.shift);
        }
    }

    /// Returns all rows of a component, concatenated, and the length of a row.
    #[must_use]
    pub fn plane(self, picture: &Picture, component: usize) -> (Vec<u16>, usize) {
        let (width, height) = picture.layout().component_size(component, picture.width(), picture.height());
        let mut codes = vec![0; width as usize * height as usize];
        for (row, y) in codes.chunks_mut(width as usize).zip(0..) {
            self.row(picture, component, y, row);
        }
        (codes, width as usize)
    }
}

/// Reads a row of a component at full depth.
pub fn read_row(picture: &Picture, component: usize, y: u32, codes: &mut [u16]) {
    let layout = picture.layout();
    let place = layout.components[component];
    let view = picture.plane(usize::from(place.plane));
    let bytes = &view.bytes[y as usize * view.stride + usize::from(place.offset)..];
    let mask = (((1_u32 << layout.depth) - 1) & 0xffff) as u16;
    match (layout.sample_bytes, place.step) {
        (1, 1) => codes.iter_mut().zip(bytes).for_each(|(code, &byte)| *code = u16::from(byte)),
        (1, step) => {
            for (code, sample) in codes.iter_mut().zip(bytes.chunks(usize::from(step))) {
                *code = u16::from(sample[0] >> place.shift) & mask;
            }
        }
        (_, step) => {
            for (code, sample) in codes.iter_mut().zip(bytes.chunks(usize::from(step))) {
                *code = (u16::from_le_bytes([sample[0], sample[1]]) >> place.shift) & mask;
            }
        }
    }
}
