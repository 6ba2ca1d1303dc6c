//! Focus peaking: pixels beside which codes change by much are marked, as they do where the picture is in focus.
//!
//! The contrast at a pixel is the larger of two differences: of the pixels to its left and right, and of those above and
//! below. At the edges of the picture, the edge pixel stands for the missing one. The codes are those of Y' or, in pictures
//! of R'G'B', of green. Other places are `crates/render/src/cpu/by_codes.rs` and `shaders/video.wgsl`.

use serde::{Deserialize, Serialize};

/// Red, green and blue of the marked pixels.
pub const PEAKING_COLOR: [u8; 3] = [255, 32, 32];

/// The sensitivity of focus peaking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Peaking {
    /// Nothing is marked.
    #[default]
    Off,
    /// A contrast from an eighth of the scale.
    Low,
    /// A contrast from a sixteenth of the scale.
    Medium,
    /// A contrast from a thirty-second of the scale.
    High,
}

impl Peaking {
    /// Every sensitivity, in the order in which a key cycles through them.
    pub const ALL: [Self; 4] = [Self::Off, Self::Low, Self::Medium, Self::High];

    /// Returns the name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// Returns the lowest marked contrast in codes of this many bits, or `None` if nothing is marked.
    #[must_use]
    pub const fn contrast(self, bits: u32) -> Option<u32> {
        match self {
            Self::Off => None,
            Self::Low => Some(1 << (bits - 3)),
            Self::Medium => Some(1 << (bits - 4)),
            Self::High => Some(1 << (bits - 5)),
        }
    }
}

/// Returns the contrast at a column of a row, given the rows above, itself and below.
#[inline(always)]
#[must_use]
pub fn contrast([above, row, below]: [&[u16]; 3], column: usize) -> u32 {
    let (left, right) = (row[column.saturating_sub(1)], row[(column + 1).min(row.len() - 1)]);
    left.abs_diff(right).max(above[column].abs_diff(below[column])).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_have_contrast_on_both_sides_and_even_areas_none() {
        let (dark, light, edge) = ([10; 6], [40; 6], [10, 10, 10, 90, 90, 90]);
        let of = |rows: [&[u16]; 3]| (0..6).map(|column| contrast(rows, column)).collect::<Vec<_>>();
        assert_eq!(of([&edge; 3]), [0, 0, 80, 80, 0, 0]);
        assert_eq!(of([&dark, &dark, &light]), [30; 6], "above and below");
        assert_eq!(of([&dark; 3]), [0; 6]);
        assert_eq!(contrast([&[7]; 3], 0), 0, "a single pixel");
        assert_eq!([8, 10].map(|bits| Peaking::Medium.contrast(bits)), [Some(16), Some(64)]);
    }
}
