//! Sample-by-sample differences of the planes of two pictures, at their full depth.

use std::ops::Range;

use rayon::prelude::*;

use crate::picture::region::{self, Rect};
use crate::picture::unpack::Source;
use crate::picture::{Picture, PictureError};

/// Approximate number of samples in a band of rows, the unit of work for a thread.
const BAND_SAMPLES: usize = 1 << 16;
/// Number of samples unpacked at a time. The squares of this many 12-bit differences add up to less than 2^32.
const BLOCK: usize = 256;
/// Maximum sample depth at which the sum of a block's squared differences fits in 32 bits.
const MAX_NARROW_BITS: u8 = 12;

/// The difference between two pictures in one plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PlaneDifference {
    /// Number of samples compared.
    pub samples: u64,
    /// Largest absolute difference between two samples, in codes.
    pub largest: u16,
    /// Sum of the absolute differences.
    pub sum: u64,
    /// Sum of the squared differences.
    pub squares: u64,
}

impl PlaneDifference {
    /// Returns `true` if all samples are equal.
    #[must_use]
    pub const fn is_none(&self) -> bool {
        self.sum == 0
    }

    /// Returns the mean absolute difference, in codes.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.samples.max(1) as f64
    }

    /// Returns the mean squared error.
    #[must_use]
    pub fn mean_squared_error(&self) -> f64 {
        self.squares as f64 / self.samples.max(1) as f64
    }

    /// Returns the peak signal-to-noise ratio in dB, with the highest code of `depth` bits as the peak, or `None` if
    /// all samples are equal.
    #[must_use]
    pub fn psnr(&self, depth: u8) -> Option<f64> {
        let peak = f64::from((1_u32 << depth) - 1);
        (!self.is_none()).then(|| 10.0 * (peak * peak / self.mean_squared_error()).log10())
    }

    /// Combines the differences of two parts of a plane.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            samples: self.samples + other.samples,
            largest: self.largest.max(other.largest),
            sum: self.sum + other.sum,
            squares: self.squares + other.squares,
        }
    }

    fn of_rows(a: &Source<'_>, b: &Source<'_>, rows: Range<usize>, depth: u8) -> Self {
        let mut all = Self::default();
        let (mut block_a, mut block_b) = ([0; BLOCK], [0; BLOCK]);
        for y in rows {
            for x in (0..a.width).step_by(BLOCK) {
                let count = BLOCK.min(a.width - x);
                let (codes_a, codes_b) = (&mut block_a[..count], &mut block_b[..count]);
                a.unpack(x, y, codes_a);
                b.unpack(x, y, codes_b);
                let block = if depth <= MAX_NARROW_BITS { narrow(codes_a, codes_b) } else { wide(codes_a, codes_b) };
                all = all.and(block);
            }
        }
        all
    }
}

/// Compares a block of samples of up to 12 bits. The compiler turns the loop into vector instructions.
fn narrow(a: &[u16], b: &[u16]) -> PlaneDifference {
    let (mut largest, mut sum, mut squares) = (0_i16, 0_i32, 0_u32);
    for (&a, &b) in a.iter().zip(b) {
        let off = (a.cast_signed() - b.cast_signed()).abs();
        largest = largest.max(off);
        sum += i32::from(off);
        squares = squares.wrapping_add((i32::from(off) * i32::from(off)).cast_unsigned());
    }
    PlaneDifference {
        samples: a.len() as u64,
        largest: largest.unsigned_abs(),
        sum: u64::from(sum.unsigned_abs()),
        squares: u64::from(squares),
    }
}

/// Compares a block of samples of up to 16 bits.
fn wide(a: &[u16], b: &[u16]) -> PlaneDifference {
    let (mut largest, mut sum, mut squares) = (0, 0_u32, 0_u64);
    for (&a, &b) in a.iter().zip(b) {
        let off = a.abs_diff(b);
        largest = largest.max(off);
        sum += u32::from(off);
        squares += u64::from(off) * u64::from(off);
    }
    PlaneDifference { samples: a.len() as u64, largest, sum: u64::from(sum), squares }
}

/// Computes the difference between two pictures in each component: Y', Cb and Cr; red, green and blue; or luma. With a
/// region, chroma samples are included if they cover one of its pixels. The pictures must not be
/// [`Unlike`](super::Unlike).
///
/// # Errors
/// [`PictureError::Empty`] if the region does not lie in the pictures.
pub fn differences([a, b]: [&Picture; 2], region: Option<Rect>) -> Result<Vec<PlaneDifference>, PictureError> {
    let rect = region.unwrap_or(Rect::whole(a.width(), a.height()));
    let mut sums = vec![PlaneDifference::default(); a.layout().component_count()];
    for (part_a, part_b) in region::coded_parts(a, rect)?.iter().zip(&region::coded_parts(b, rect)?) {
        for (component, sum) in sums.iter_mut().enumerate() {
            *sum = sum.and(of_component([part_a, part_b], component));
        }
    }
    Ok(sums)
}

fn of_component(pictures: [&Picture; 2], component: usize) -> PlaneDifference {
    let [a, b] = pictures.map(|picture| Source::of_samples(picture, component));
    let depth = pictures[0].layout().depth;
    let rows = (BAND_SAMPLES / a.width.max(1)).max(1);
    let band = |index: usize| {
        let first = index * rows;
        PlaneDifference::of_rows(&a, &b, first..(first + rows).min(a.height), depth)
    };
    let bands = a.height.div_ceil(rows);
    // A small picture is not worth distributing to threads.
    if bands == 1 {
        band(0)
    } else {
        (0..bands).into_par_iter().map(band).reduce(PlaneDifference::default, PlaneDifference::and)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::compare::reference;
    use crate::picture::OwnedPlanes;
    use crate::picture::color::Colorimetry;
    use crate::picture::layout::PixelLayout;

    /// Returns a picture of pseudorandom samples over the whole range of the depth, with padding between rows.
    fn noise(layout: PixelLayout, (width, height): (u32, u32), seed: u64) -> Picture {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut planes = Vec::new();
        for plane in 0..layout.plane_count() {
            let (row_bytes, rows) = layout.plane_size(plane, width, height);
            let stride = row_bytes + 6;
            let mut bytes = vec![0; stride * rows];
            for word in bytes.chunks_mut(usize::from(layout.sample_bytes)) {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let shift = layout.components[0].shift;
                let sample = ((state >> 30) as u32 & ((1 << layout.depth) - 1)) << shift;
                word.copy_from_slice(&sample.to_le_bytes()[..word.len()]);
            }
            planes.push((bytes, stride));
        }
        let colorimetry = Colorimetry::resolve(&layout, (width, height), None, None, false);
        Picture::new(layout, (width, height), colorimetry, Arc::new(OwnedPlanes { planes })).expect("the planes fit")
    }

    fn layouts() -> Vec<PixelLayout> {
        let mut layouts = vec![PixelLayout::packed_422(false), PixelLayout::packed_rgb(8, [2, 1, 0], 4)];
        for depth in [8, 10, 12, 14, 16] {
            layouts.extend([PixelLayout::gray(depth), PixelLayout::planar_gbr(depth)]);
            layouts.push(PixelLayout::semi_planar(depth, (1, 1), true));
            layouts.extend([(0, 0), (1, 0), (1, 1), (2, 0)].map(|shift| PixelLayout::planar_ycbcr(depth, shift)));
        }
        layouts
    }

    #[test]
    fn differences_agree_with_the_definition_for_every_layout_and_region() {
        let size = (301, 19);
        for layout in layouts() {
            let (a, b) = (noise(layout, size, 1), noise(layout, size, 2));
            for (x, y, width, height) in [(0, 0, 301, 19), (3, 5, 270, 9), (1, 1, 1, 1), (2, 4, 299, 15), (7, 0, 2, 19)]
            {
                let part = Rect { x, y, width, height };
                let found = differences([&a, &b], Some(part)).expect("the region lies in it");
                assert_eq!(found, reference::plane_differences(&a, &b, part), "{layout:?} {part:?}");
            }
            let same = differences([&a, &a], None).expect("all of it");
            assert!(same.iter().all(|plane| plane.is_none() && plane.psnr(layout.depth).is_none()));
            assert_eq!(same[0].samples, 301 * 19);
        }
    }

    #[test]
    fn the_largest_differences_do_not_overflow() {
        for depth in [8, 12, 16] {
            let layout = PixelLayout::gray(depth);
            let filled = |byte: u8, code: u16| {
                let bytes = if depth == 8 { vec![byte; 700 * 400] } else { code.to_le_bytes().repeat(700 * 400) };
                let stride = 700 * usize::from(layout.sample_bytes);
                let colorimetry = Colorimetry::resolve(&layout, (700, 400), None, None, false);
                let planes = OwnedPlanes { planes: vec![(bytes, stride)] };
                Picture::new(layout, (700, 400), colorimetry, Arc::new(planes)).expect("the plane fits")
            };
            let top = ((1_u32 << depth) - 1) as u16;
            let found = differences([&filled(0, 0), &filled(255, top)], None).expect("all of it")[0];
            let (samples, top) = (700 * 400, u64::from(top));
            assert_eq!((found.sum, found.squares), (samples * top, samples * top * top));
            assert_eq!(found.psnr(depth), Some(0.0));
        }
    }

    #[test]
    fn a_difference_of_one_code_in_one_sample_is_found() {
        let layout = PixelLayout::planar_ycbcr(10, (1, 1));
        let a = noise(layout, (640, 360), 5);
        let mut planes: Vec<_> = (0..3).map(|plane| (a.plane(plane).bytes.to_vec(), a.plane(plane).stride)).collect();
        let last = planes[2].0.len() - 8;
        planes[2].0[last] ^= 1;
        let b = Picture::new(layout, (640, 360), *a.colorimetry(), Arc::new(OwnedPlanes { planes })).expect("it fits");
        let found = differences([&a, &b], None).expect("all of it");
        assert!(found[0].is_none() && found[1].is_none());
        assert_eq!(found[2], PlaneDifference { samples: 320 * 180, largest: 1, sum: 1, squares: 1 });
    }
}
