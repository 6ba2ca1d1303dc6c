//! Structural similarity of the planes of two pictures, as FFmpeg's ssim filter defines it.
//!
//! Windows of 8×8 samples lie at steps of 4 from the first sample; up to 3 samples at the right and the bottom are left
//! out. The similarity of a window is
//!
//! ```text
//! (2 s1 s2 + c1) (2 c + c2) / ((s1² + s2² + c1) (v + c2))
//! ```
//!
//! where s1 and s2 are the sums of both windows' samples, v is the sum of their variances and c their covariance, both
//! scaled to integers. The similarity of a plane is the mean over its windows.

use std::ops::Range;

use rayon::prelude::*;

use crate::picture::region::{self, Rect};
use crate::picture::unpack::Source;
use crate::picture::{Picture, PictureError};

/// Width and height of a block of samples. A window has two by two of them.
const BLOCK: usize = 4;
/// Number of samples in a window.
const SAMPLES: i64 = 64;
/// Maximum depth at which the sum of a window's squares fits in 32 bits.
const MAX_NARROW_BITS: u8 = 12;

/// Units of [`Ssim::sums`] per window of equal samples.
const UNITS: f64 = (1 << 20) as f64;

/// The similarity of two pictures in one plane: 1 if all samples are equal.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Ssim {
    /// Sum of the similarities of all windows.
    total: f64,
    windows: u64,
}

impl Ssim {
    /// Returns the mean over all windows, or `None` if the plane is too small for a window.
    #[must_use]
    pub fn mean(self) -> Option<f64> {
        (self.windows > 0).then(|| self.total / self.windows as f64)
    }

    /// Returns the sum of the windows' similarities, in units of 2^-20, and the number of windows. Integers add up to
    /// the same sum in any order.
    #[must_use]
    pub fn sums(self) -> (i64, u64) {
        ((self.total * UNITS).round() as i64, self.windows)
    }

    /// Creates the similarity with these sums.
    #[must_use]
    pub fn from_sums((similarity, windows): (i64, u64)) -> Self {
        Self { total: similarity as f64 / UNITS, windows }
    }
}

/// Computes the similarity of two pictures in each component: Y', Cb and Cr; red, green and blue; or luma. With a
/// region, chroma samples are included if they cover one of its pixels. The pictures must not be
/// [`Unlike`](super::Unlike).
///
/// # Errors
/// [`PictureError::Empty`] if the region does not lie in the pictures.
pub fn similarities([a, b]: [&Picture; 2], region: Option<Rect>) -> Result<Vec<Ssim>, PictureError> {
    let rect = region.unwrap_or(Rect::whole(a.width(), a.height()));
    if !rect.fits(a.width(), a.height()) {
        return Err(PictureError::Empty { width: rect.width, height: rect.height });
    }
    let of_component = |component| {
        let (columns, rows) = region::component_span(a.layout(), component, rect);
        let sources = [a, b].map(|picture| Source::of_samples(picture, component));
        let depth = a.layout().depth;
        let of = if depth <= MAX_NARROW_BITS { of_plane::<u32> } else { of_plane::<u64> };
        of(&sources, &columns, &rows, depth)
    };
    Ok((0..a.layout().component_count()).map(of_component).collect())
}

/// Returns the mean of several planes' similarities, weighted by their numbers of samples, or `None` if a plane is too
/// small for a window.
#[must_use]
pub fn weighted_mean(planes: impl Iterator<Item = (u64, Ssim)>) -> Option<f64> {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (samples, ssim) in planes {
        sum += samples as f64 * ssim.mean()?;
        weights += samples as f64;
    }
    (weights > 0.0).then(|| sum / weights)
}

/// The sums of a block's samples: of each picture's, of both pictures' squares, and of the products of the two.
#[derive(Clone, Copy, Default)]
struct Sums<T> {
    a: u32,
    b: u32,
    squares: T,
    products: T,
}

/// An integer that holds sums of squares.
trait Sum:
    Copy + Default + Send + Sync + From<u32> + Into<u64> + std::ops::Add<Output = Self> + std::ops::AddAssign
{
}
impl Sum for u32 {}
impl Sum for u64 {}

impl<T: Sum> Sums<T> {
    fn and(self, other: Self) -> Self {
        Self {
            a: self.a + other.a,
            b: self.b + other.b,
            squares: self.squares + other.squares,
            products: self.products + other.products,
        }
    }

    /// Returns the similarity of a window with these sums.
    fn similarity(self, [c1, c2]: [i64; 2]) -> f64 {
        let [a, b] = [self.a, self.b].map(i64::from);
        let [squares, products] = [self.squares, self.products].map(|sum| sum.into().cast_signed());
        let variances = squares * SAMPLES - a * a - b * b;
        let covariance = products * SAMPLES - a * b;
        let luminance = (2 * a * b + c1) as f64 / (a * a + b * b + c1) as f64;
        luminance * (2 * covariance + c2) as f64 / (variances + c2) as f64
    }
}

fn of_plane<T: Sum>(sources: &[Source<'_>; 2], columns: &Range<usize>, rows: &Range<usize>, depth: u8) -> Ssim {
    let (across, down) = (columns.len() / BLOCK, rows.len() / BLOCK);
    if across < 2 || down < 2 {
        return Ssim::default();
    }
    let peak = f64::from((1_u32 << depth) - 1);
    // Rounded like FFmpeg's.
    let constants = [0.01 * 0.01 * peak * peak * 64.0, 0.03 * 0.03 * peak * peak * 64.0 * 63.0];
    let constants = constants.map(|constant| (constant + 0.5) as i64);
    let blocks: Vec<Vec<Sums<T>>> =
        (0..down).into_par_iter().map(|row| blocks(sources, columns, rows.start + row * BLOCK)).collect();
    let row = |pair: &[Vec<Sums<T>>]| {
        let [upper, lower] = pair else { return 0.0 };
        let both: Vec<_> = upper.iter().zip(lower).map(|(upper, lower)| upper.and(*lower)).collect();
        both.windows(2).map(|pair| pair[0].and(pair[1]).similarity(constants)).sum::<f64>()
    };
    let rows: Vec<f64> = blocks.par_windows(2).map(row).collect();
    // Added in order, so that the sum does not depend on the threads.
    Ssim { total: rows.iter().sum(), windows: ((across - 1) * (down - 1)) as u64 }
}

/// Returns the sums of a row of blocks whose first row of samples is `y`.
fn blocks<T: Sum>(sources: &[Source<'_>; 2], columns: &Range<usize>, y: usize) -> Vec<Sums<T>> {
    let width = columns.len() / BLOCK * BLOCK;
    let [mut codes_a, mut codes_b] = [(); 2].map(|()| vec![0_u16; width]);
    let mut sums = vec![Sums::default(); width / BLOCK];
    for y in y..y + BLOCK {
        sources[0].unpack(columns.start, y, &mut codes_a);
        sources[1].unpack(columns.start, y, &mut codes_b);
        let (blocks_a, _) = codes_a.as_chunks::<BLOCK>();
        let (blocks_b, _) = codes_b.as_chunks::<BLOCK>();
        for ((sum, a), b) in sums.iter_mut().zip(blocks_a).zip(blocks_b) {
            for (&a, &b) in a.iter().zip(b) {
                let [a, b] = [a, b].map(u32::from);
                sum.a += a;
                sum.b += b;
                sum.squares += T::from(a * a) + T::from(b * b);
                sum.products += T::from(a * b);
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_data;

    #[test]
    fn equal_pictures_have_a_similarity_of_one_and_small_ones_none() {
        let of = |width, height| {
            let picture = test_data::gray((width, height), |x, y| (x * 37 + y * 101) as u8).picture;
            similarities([&picture, &picture], None).expect("the whole picture")[0].mean()
        };
        assert_eq!(of(8, 8), Some(1.0));
        assert_eq!(of(31, 9), Some(1.0));
        assert_eq!((of(7, 80), of(80, 7)), (None, None));
    }

    #[test]
    fn a_region_is_a_picture_of_its_own_and_must_lie_inside() {
        let code = |seed: u32| move |x: u32, y: u32| (x * 37 + y * 101 + x * y * seed) as u8;
        let [a, b] = [3, 5].map(|seed| test_data::gray((40, 30), code(seed)).picture);
        let cut = [3, 5].map(|seed| test_data::gray((21, 17), move |x, y| code(seed)(x + 5, y + 6)).picture);
        let rect = Rect { x: 5, y: 6, width: 21, height: 17 };
        let part = similarities([&a, &b], Some(rect)).expect("it lies inside");
        assert_eq!(part, similarities([&cut[0], &cut[1]], None).expect("the whole picture"));
        assert!(part[0].mean().is_some_and(|mean| mean < 0.5), "{part:?}");
        for rect in [Rect { width: 36, ..rect }, Rect { x: u32::MAX, ..rect }, Rect { height: 0, ..rect }] {
            let found = similarities([&a, &b], Some(rect));
            assert!(matches!(found, Err(PictureError::Empty { .. })), "{rect:?}");
        }
    }

    #[test]
    fn planes_weigh_as_much_as_they_have_samples() {
        let [half, whole] = [0.5, 1.0].map(|total| Ssim { total, windows: 1 });
        assert_eq!(weighted_mean([(3, whole), (1, half)].into_iter()), Some(0.875));
        assert_eq!(weighted_mean([(3, whole), (1, Ssim::default())].into_iter()), None);
        assert_eq!(half.sums(), (1 << 19, 1));
        assert_eq!(Ssim::from_sums((3 << 19, 2)).mean(), Some(0.75));
    }
}
