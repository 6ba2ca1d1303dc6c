//! The difference of two pictures, as a picture: for each pixel, the absolute differences of red, green and blue, times
//! a gain.
//!
//! It has the size and the bit depth of the first picture. Codes of the other picture are scaled to that depth, and a
//! picture of a different size is interpolated linearly. Pixels are compared by their position on display, after each
//! picture's orientation is applied. Everything is computed in integers, so that `shaders/adjust/difference.wgsl` gives
//! the same codes.

use std::fmt::{self, Display, Formatter};

use rayon::prelude::*;

use super::Codes;
use crate::picture::Orientation;

/// Number of interpolation steps from one sample to the next.
pub const STEPS: u32 = 64;

/// The factor by which differences are amplified, 1 to 256.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gain(u32);

impl Gain {
    /// The largest gain.
    pub const MOST: u32 = 256;

    /// Creates a gain. Returns `None` if it is out of range.
    #[must_use]
    pub fn new(times: u32) -> Option<Self> {
        (1..=Self::MOST).contains(&times).then_some(Self(times))
    }

    /// Returns the factor.
    #[must_use]
    pub const fn times(self) -> u32 {
        self.0
    }

    /// Returns twice the gain if `more`, otherwise half, within the range.
    #[must_use]
    pub fn stepped(self, more: bool) -> Self {
        Self((if more { self.0 * 2 } else { self.0 / 2 }).clamp(1, Self::MOST))
    }
}

impl Default for Gain {
    fn default() -> Self {
        Self(8)
    }
}

impl Display for Gain {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "×{}", self.0)
    }
}

/// A picture's coded size and its orientation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Columns and rows of the coded picture.
    pub size: (u32, u32),
    /// The orientation for display.
    pub orientation: Orientation,
}

/// The positions in another picture that correspond to a picture's pixels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    /// For each column of the picture, the position along the other picture's rows, or along its columns if
    /// `is_turned`. The unit is a sample / [`STEPS`], and positions are clamped to the first and last sample.
    pub columns: Vec<u32>,
    /// For each row of the picture, the position along the other axis.
    pub rows: Vec<u32>,
    /// `true` if a column of the picture corresponds to a row of the other one.
    pub is_turned: bool,
}

impl Mapping {
    /// Computes the mapping from a picture to another one.
    #[must_use]
    pub fn new(picture: Extent, other: Extent) -> Self {
        // Where two corners of a square are mapped shows how the pictures are turned relative to each other.
        let seen = |extent: Extent, at| extent.orientation.seen_at(at, (2, 2));
        let coded = |seen_at| [(0, 0), (1, 0), (0, 1), (1, 1)].into_iter().find(|&at| seen(other, at) == seen_at);
        let corner = |at| coded(seen(picture, at)).unwrap_or(at);
        let [origin, right] = [(0, 0), (1, 0)].map(corner);
        let is_turned = origin.0 == right.0;
        let (along_columns, along_rows) =
            if is_turned { (other.size.1, other.size.0) } else { (other.size.0, other.size.1) };
        let (from_right, from_below) =
            if is_turned { (origin.1 == 1, origin.0 == 1) } else { (origin.0 == 1, origin.1 == 1) };
        Self {
            columns: positions((picture.size.0, along_columns), from_right),
            rows: positions((picture.size.1, along_rows), from_below),
            is_turned,
        }
    }
}

/// Returns the positions of `samples` samples among `others` samples over the same extent, in units of a sample /
/// [`STEPS`]. With `from_end`, the samples run in the opposite direction.
fn positions((samples, others): (u32, u32), from_end: bool) -> Vec<u32> {
    let (samples, others) = (u64::from(samples.max(1)), u64::from(others.max(1)));
    let last = (others - 1) * u64::from(STEPS);
    let half = u64::from(STEPS) / 2;
    let place = |index: u64| ((2 * index + 1) * others * half / samples).saturating_sub(half).min(last) as u32;
    (0..samples).map(|index| place(if from_end { samples - 1 - index } else { index })).collect()
}

/// Computes the difference of `picture` and `other`, read at the positions of `mapping`.
#[must_use]
pub fn difference(picture: &Codes, other: &Codes, mapping: &Mapping, gain: Gain) -> Codes {
    let (top, other_top) = (picture.top(), other.top());
    let mut rgb = vec![[0; 3]; picture.rgb.len()];
    let rows = rgb.par_chunks_mut(picture.width.max(1)).zip(picture.rgb.par_chunks(picture.width.max(1)));
    rows.zip(&mapping.rows).for_each(|((result, pixels), &row)| {
        for ((result, pixel), &column) in result.iter_mut().zip(pixels).zip(&mapping.columns) {
            let (x, y) = if mapping.is_turned { (row, column) } else { (column, row) };
            let there = sample(other, x, y)
                .map(|code| if top == other_top { code } else { (code * top + other_top / 2) / other_top });
            *result = std::array::from_fn(|i| (u32::from(pixel[i]).abs_diff(there[i]) * gain.times()).min(top) as u16);
        }
    });
    Codes { rgb, ..*picture }
}

/// Interpolates the codes at a position between four pixels.
fn sample(codes: &Codes, x: u32, y: u32) -> [u32; 3] {
    let at = |x: u32, y: u32| {
        let (x, y) = ((x as usize).min(codes.width - 1), (y as usize).min(codes.height - 1));
        codes.rgb[y * codes.width + x].map(u32::from)
    };
    let ((left, across), (upper, down)) = ((x / STEPS, x % STEPS), (y / STEPS, y % STEPS));
    if across == 0 && down == 0 {
        return at(left, upper);
    }
    let [a, b, c, d] = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(i, j)| at(left + i, upper + j));
    std::array::from_fn(|i| {
        let above = a[i] * (STEPS - across) + b[i] * across;
        let below = c[i] * (STEPS - across) + d[i] * across;
        (above * (STEPS - down) + below * down + STEPS * STEPS / 2) / (STEPS * STEPS)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::luminance::LuminanceWeights;

    const UPRIGHT: Orientation = Orientation { quarter_turns: 0, mirrored: false };

    fn codes(bits: u32, width: usize, code: impl Fn(usize, usize) -> [u16; 3]) -> Codes {
        let height = 3;
        let rgb = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| code(x, y)).collect();
        Codes { bits, width, height, rgb, luminance: LuminanceWeights::Bt709 }
    }

    fn extent(codes: &Codes, orientation: Orientation) -> Extent {
        Extent { size: (codes.width as u32, codes.height as u32), orientation }
    }

    #[test]
    fn a_pixel_is_the_absolute_difference_times_the_gain_clamped_to_the_top() {
        let one = codes(8, 4, |x, y| [10 * x as u16, 100, y as u16]);
        let other = codes(8, 4, |x, y| [10 * x as u16 + 3, 90, y as u16]);
        let mapping = Mapping::new(extent(&one, UPRIGHT), extent(&other, UPRIGHT));
        for (times, expected) in [(1, [3, 10, 0]), (8, [24, 80, 0]), (256, [255, 255, 0])] {
            let found = difference(&one, &other, &mapping, Gain::new(times).unwrap());
            assert!(found.rgb.iter().all(|pixel| *pixel == expected), "{times}: {:?}", found.rgb);
        }
    }

    #[test]
    fn codes_of_another_depth_are_scaled_and_rounded() {
        let one = codes(10, 2, |_, _| [0, 514, 1023]);
        let other = codes(8, 2, |_, _| [0, 128, 254]);
        let mapping = Mapping::new(extent(&one, UPRIGHT), extent(&other, UPRIGHT));
        // 128 of 255 is 513.5 of 1023, and 254 is 1018.99 of 1023.
        let found = difference(&one, &other, &mapping, Gain::new(1).unwrap());
        assert!(found.rgb.iter().all(|pixel| *pixel == [0, 0, 4]), "{:?}", found.rgb);
        let back = difference(
            &other,
            &one,
            &Mapping::new(extent(&other, UPRIGHT), extent(&one, UPRIGHT)),
            Gain::new(1).unwrap(),
        );
        assert!(back.rgb.iter().all(|pixel| *pixel == [0, 0, 1]), "{:?}", back.rgb);
    }

    #[test]
    fn positions_cover_the_same_extent() {
        assert_eq!(positions((4, 4), false), [0, 64, 128, 192]);
        assert_eq!(positions((4, 4), true), [192, 128, 64, 0]);
        // Each of two samples lies midway between two of four. Each of four lies a quarter of a sample from one of two.
        assert_eq!(positions((2, 4), false), [32, 160]);
        assert_eq!(positions((4, 2), false), [0, 16, 48, 64]);
        assert_eq!(positions((3, 1), false), [0, 0, 0]);
    }

    #[test]
    fn a_picture_of_another_size_is_interpolated() {
        let one = codes(8, 2, |x, _| [[15, 55][x], 0, 0]);
        let other = codes(8, 4, |x, _| [[10, 20, 50, 60][x], 0, 0]);
        let mapping = Mapping::new(extent(&one, UPRIGHT), extent(&other, UPRIGHT));
        let found = difference(&one, &other, &mapping, Gain::new(1).unwrap());
        assert!(found.rgb.iter().all(|pixel| *pixel == [0; 3]), "{:?}", found.rgb);
    }

    #[test]
    fn pictures_of_different_orientation_are_compared_as_displayed() {
        let upright = codes(8, 5, |x, y| [(x + 10 * y) as u16, 0, 0]);
        for (quarter_turns, mirrored) in (0..4).flat_map(|turns| [(turns, false), (turns, true)]) {
            let orientation = Orientation { quarter_turns, mirrored };
            let (width, height) = if quarter_turns % 2 == 1 { (3, 5) } else { (5, 3) };
            let mut turned = Codes { width, height, ..upright.clone() };
            for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
                let seen = orientation.seen_at((x as u32, y as u32), (width as u32, height as u32));
                turned.rgb[y * width + x] = upright.rgb[seen.1 as usize * 5 + seen.0 as usize];
            }
            let pair = [(&upright, UPRIGHT, &turned, orientation), (&turned, orientation, &upright, UPRIGHT)];
            for (one, one_turned, other, other_turned) in pair {
                let mapping = Mapping::new(extent(one, one_turned), extent(other, other_turned));
                let found = difference(one, other, &mapping, Gain::default());
                assert!(found.rgb.iter().all(|pixel| *pixel == [0; 3]), "{orientation:?}: {:?}", found.rgb);
            }
        }
    }
}
