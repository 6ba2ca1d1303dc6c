//! How the filter reads a picture's samples: as they are, or as the ones of 16 bits that FFmpeg makes of them before.

use histoscope_core::picture::color::{Origin, Range};
use histoscope_core::picture::layout::ColorModel;
use histoscope_core::picture::{Picture, SourceFormat};
use histoscope_media::filters_keep_depth;

/// How the samples of a picture are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleReading {
    /// Bits a sample has there.
    pub depth: u32,
    /// Places by which a sample is moved up before.
    pub shift: u32,
}

impl SampleReading {
    /// How signalstats reads such pictures; `None` where FFmpeg converts them first to values that cannot be told from the
    /// samples alone.
    ///
    /// Planes of Y'CbCr alone, "yuv4…", are read as they are. Of other formats FFmpeg leaves alpha out and parts the planes, and of those
    /// of a depth between 8 and 16 bits it makes planes of 16 bits before version 9. In limited range samples keep their values, or are
    /// moved up; full range it makes limited, in a way that depends on its version.
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

    /// The middle code of Cb and Cr.
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

    /// All rows of a component, one behind the other, and their length.
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

/// Reads a row of a component at its full depth.
pub(super) fn read_row(picture: &Picture, component: usize, y: u32, codes: &mut [u16]) {
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
