//! The reasons why two pictures cannot be compared sample by sample.

use std::fmt;

use crate::picture::Picture;
use crate::picture::color::{Matrix, Range};
use crate::picture::layout::ColorModel;

/// The reasons why the samples of two pictures cannot be compared: everything that differs, with the values of the
/// first and the second picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unlike {
    /// Width and height in pixels.
    size: Option<[(u32, u32); 2]>,
    /// The colour model, with the chroma subsampling.
    sampling: Option<[(ColorModel, (u8, u8)); 2]>,
    /// Bits per sample.
    depth: Option<[u8; 2]>,
    /// The matrix.
    matrix: Option<[Matrix; 2]>,
    /// The range.
    range: Option<[Range; 2]>,
}

impl Unlike {
    /// Returns the reasons, or `None` if the pictures can be compared sample by sample.
    #[must_use]
    pub fn of(a: &Picture, b: &Picture) -> Option<Self> {
        let both = [a, b];
        // The matrix has no effect on gray.
        let has_matrix = both.iter().all(|picture| picture.layout().model == ColorModel::YCbCr);
        let unlike = Self {
            size: differing(both.map(|picture| (picture.width(), picture.height()))),
            sampling: differing(both.map(|picture| (picture.layout().model, picture.layout().chroma_shift))),
            depth: differing(both.map(|picture| picture.layout().depth)),
            matrix: differing(both.map(|picture| picture.colorimetry().matrix.value)).filter(|_| has_matrix),
            range: differing(both.map(|picture| picture.colorimetry().range.value)),
        };
        let alike = Self { size: None, sampling: None, depth: None, matrix: None, range: None };
        (unlike != alike).then_some(unlike)
    }
}

/// Returns both values if they differ.
fn differing<T: PartialEq>(values: [T; 2]) -> Option<[T; 2]> {
    (values[0] != values[1]).then_some(values)
}

impl fmt::Display for Unlike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reasons = [
            self.size.map(|[a, b]| format!("their sizes differ, {}×{} and {}×{}", a.0, a.1, b.0, b.1)),
            self.sampling.map(|[a, b]| format!("their samples differ, {} and {}", sampling(a), sampling(b))),
            self.depth.map(|[a, b]| format!("their depths differ, {a} and {b} bits")),
            self.matrix.map(|[a, b]| format!("their matrices differ, {a} and {b}")),
            self.range.map(|[a, b]| format!("their ranges differ, {a} and {b}")),
        ];
        f.write_str(&reasons.into_iter().flatten().collect::<Vec<_>>().join("; "))
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
