//! The reasons why two pictures cannot be compared sample by sample.

use std::fmt;

use crate::picture::Picture;
use crate::picture::color::{Matrix, Range};
use crate::picture::layout::ColorModel;

/// The most important reason why the samples of two pictures cannot be compared, with the values of the first and the
/// second picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unlike {
    /// Width and height in pixels.
    Size([(u32, u32); 2]),
    /// The colour model, with the chroma subsampling.
    Sampling([(ColorModel, (u8, u8)); 2]),
    /// Bits per sample.
    Depth([u8; 2]),
    /// The matrix.
    Matrix([Matrix; 2]),
    /// The range.
    Range([Range; 2]),
}

impl Unlike {
    /// Returns the reason, or `None` if the pictures can be compared sample by sample.
    #[must_use]
    pub fn of(a: &Picture, b: &Picture) -> Option<Self> {
        let both = [a, b];
        let size = both.map(|picture| (picture.width(), picture.height()));
        let sampling = both.map(|picture| (picture.layout().model, picture.layout().chroma_shift));
        let depth = both.map(|picture| picture.layout().depth);
        let matrix = both.map(|picture| picture.colorimetry().matrix.value);
        // The matrix has no effect on gray.
        let has_matrix = a.layout().model == ColorModel::YCbCr;
        let range = both.map(|picture| picture.colorimetry().range.value);
        let differ = [
            (size[0] != size[1]).then_some(Self::Size(size)),
            (sampling[0] != sampling[1]).then_some(Self::Sampling(sampling)),
            (depth[0] != depth[1]).then_some(Self::Depth(depth)),
            (has_matrix && matrix[0] != matrix[1]).then_some(Self::Matrix(matrix)),
            (range[0] != range[1]).then_some(Self::Range(range)),
        ];
        differ.into_iter().flatten().next()
    }
}

impl fmt::Display for Unlike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size([a, b]) => write!(f, "their sizes differ, {}×{} and {}×{}", a.0, a.1, b.0, b.1),
            Self::Sampling([a, b]) => write!(f, "their samples differ, {} and {}", sampling(*a), sampling(*b)),
            Self::Depth([a, b]) => write!(f, "their depths differ, {a} and {b} bits"),
            Self::Matrix([a, b]) => write!(f, "their matrices differ, {a} and {b}"),
            Self::Range([a, b]) => write!(f, "their ranges differ, {a} and {b}"),
        }
    }
}

/// Returns the usual name of a chroma subsampling or colour model.
fn sampling((model, chroma_shift): (ColorModel, (u8, u8))) -> &'static str {
    match (model, chroma_shift) {
        (ColorModel::Gray, _) => "gray",
        (ColorModel::Rgb, _) => "R'G'B'",
        (ColorModel::YCbCr, (1, 1)) => "4:2:0",
        (ColorModel::YCbCr, (1, 0)) => "4:2:2",
        (ColorModel::YCbCr, (0, 1)) => "4:4:0",
        (ColorModel::YCbCr, (2, 0)) => "4:1:1",
        (ColorModel::YCbCr, (2, 2)) => "4:1:0",
        (ColorModel::YCbCr, _) => "4:4:4",
    }
}
