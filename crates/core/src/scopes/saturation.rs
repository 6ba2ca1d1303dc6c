//! Saturation of a vectorscope's samples, and the samples outside the gamut of red, green and blue.

use std::ops::Range as Span;

use super::grid::level_bits;
use super::vectorscope::{Chroma, Vectorscope};
use crate::picture::color::{Matrix, Range};

/// Number of steps per code to which saturations are rounded.
const PARTS: u64 = 256;
/// The integer that represents a luma weight of 1.
const WHOLE: i64 = 10_000;

/// The saturation of a vectorscope's samples.
///
/// A sample's saturation is the distance of its Cb and Cr from the middle codes, in codes, rounded to 1/256 of a code.
/// Codes of more than 10 bits are first reduced to 10 bits, as in the vectorscope.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Saturation {
    /// Number of samples.
    pub samples: u64,
    /// Mean saturation.
    pub saturation_mean: f64,
    /// Largest saturation.
    pub saturation_max: f64,
    /// Number of samples outside the [`Targets`]; `None` if the matrix has none.
    pub outside_targets: Option<u64>,
    /// Share of samples outside the targets.
    pub share_outside_targets: Option<f64>,
}

impl Saturation {
    /// Computes the saturation from a vectorscope of codes of `bits` bits.
    #[must_use]
    pub fn of(scope: &Vectorscope, bits: u32, targets: Option<&Targets>) -> Self {
        let (levels, surplus) = (scope.levels(), bits - scope.level_bits);
        let middle = levels as i64 / 2;
        let (mut samples, mut sum, mut largest, mut outside) = (0, 0, 0, 0);
        for (cb, counts) in scope.counts.chunks_exact(levels).enumerate() {
            let inside = targets.map(|targets| &targets.inside[cb]);
            for (cr, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                let count = u64::from(count);
                let (cb, distance) = (cb as i64 - middle, cr as i64 - middle);
                let squared = ((cb * cb + distance * distance) as u64) << (2 * surplus);
                let parts = root(squared * PARTS * PARTS);
                samples += count;
                sum += count * parts;
                largest = largest.max(parts);
                outside += if inside.is_some_and(|inside| !inside.contains(&cr)) { count } else { 0 };
            }
        }
        let outside_targets = targets.map(|_| outside);
        Self {
            samples,
            saturation_mean: sum as f64 / (PARTS * samples.max(1)) as f64,
            saturation_max: largest as f64 / PARTS as f64,
            outside_targets,
            share_outside_targets: outside_targets.map(|outside| outside as f64 / samples.max(1) as f64),
        }
    }
}

/// Returns the square root of a number below 2^50, rounded to nearest. The square root of an integer is never halfway
/// between two integers, nor close enough to halfway for double precision to fail.
fn root(square: u64) -> u64 {
    (square as f64).sqrt().round() as u64
}

/// The hexagon of the six 100 % targets: all colours that red, green and blue from 0 to 100 % can produce. A sample
/// lies outside if none of the values that round to its codes lies in the hexagon. It is computed in integers and is
/// exact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Targets {
    /// For each level of Cb, the levels of Cr inside the hexagon.
    inside: Vec<Span<usize>>,
}

impl Targets {
    /// Computes the targets. Returns `None` if the matrix has no luma weights.
    #[must_use]
    pub fn of(chroma: &Chroma) -> Option<Self> {
        let hexagon = Hexagon::new(chroma.matrix, chroma.range, chroma.bits)?;
        let level_bits = level_bits(chroma.bits);
        let surplus = chroma.bits - level_bits;
        let (levels, middle) = (1_usize << level_bits, 1_i64 << chroma.bits);
        // Twice the codes, relative to the middle, so that the midpoints between codes are integers.
        let ends = |level: usize| {
            let (first, behind) = ((level << surplus) as i64, ((level + 1) << surplus) as i64);
            [2 * first - 1 - middle, 2 * behind - 1 - middle]
        };
        let row = |cb: usize| {
            let mut touched = (0..levels).filter(|&cr| hexagon.touches(ends(cb), ends(cr)));
            let first = touched.next();
            first.map_or(0..0, |first| first..touched.next_back().unwrap_or(first) + 1)
        };
        Some(Self { inside: (0..levels).map(row).collect() })
    }

    /// Returns `true` if a pair of levels lies inside.
    #[cfg(test)]
    fn contains(&self, cb: usize, cr: usize) -> bool {
        self.inside[cb].contains(&cr)
    }
}

/// The hexagon in units in which its corners are integers: twice the distance from the middle code, times `scale`.
struct Hexagon {
    scale: [i64; 2],
    corners: [[i64; 2]; 6],
}

impl Hexagon {
    fn new(matrix: Matrix, range: Range, bits: u32) -> Option<Self> {
        let (kr, kb) = matrix.luma_weights()?;
        let [kr, kb] = [kr, kb].map(|weight| (weight * WHOLE as f64).round() as i64);
        let span = match range {
            Range::Limited => 224 << (bits - 8),
            Range::Full => (1 << bits) - 1,
        };
        let colours = [[1, 0, 0], [1, 0, 1], [0, 0, 1], [0, 1, 1], [0, 1, 0], [1, 1, 0]];
        let corners = colours.map(|[red, green, blue]: [i64; 3]| {
            let luma = kr * red + (WHOLE - kr - kb) * green + kb * blue;
            // Cb is span · (blue - luma) / (2 · (1 - kb)).
            [blue, red].map(|colour| 2 * span * (WHOLE * colour - luma))
        });
        Some(Self { scale: [kb, kr].map(|weight| 2 * (WHOLE - weight)), corners })
    }

    /// Returns `true` if a rectangle and the hexagon intersect. If two convex shapes do not intersect, an edge of one
    /// of them separates them.
    fn touches(&self, cb: [i64; 2], cr: [i64; 2]) -> bool {
        let [cb, cr] = [(cb, self.scale[0]), (cr, self.scale[1])].map(|(ends, scale)| ends.map(|end| end * scale));
        let is_beside = |axis: usize, [low, high]: [i64; 2]| {
            let along = self.corners.map(|corner| corner[axis]);
            along.iter().all(|&at| at < low) || along.iter().all(|&at| at > high)
        };
        if is_beside(0, cb) || is_beside(1, cr) {
            return false;
        }
        (0..6).all(|index| {
            let (from, to) = (self.corners[index], self.corners[(index + 1) % 6]);
            let [mut x, mut y] = [to[1] - from[1], from[0] - to[0]];
            // The outward normal has a positive product with the edge's points, because the origin lies inside.
            if x * from[0] + y * from[1] < 0 {
                (x, y) = (-x, -y);
            }
            let nearest = x * cb[usize::from(x < 0)] + y * cr[usize::from(y < 0)];
            nearest <= x * from[0] + y * from[1]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::vectorscope::{Differences, targets};
    use super::*;

    const MATRICES: [Matrix; 5] = [Matrix::Bt601, Matrix::Bt709, Matrix::Bt2020, Matrix::Smpte240m, Matrix::Fcc];

    fn hexagon(matrix: Matrix, range: Range, bits: u32) -> Targets {
        Targets::of(&Chroma::coded(matrix, range, bits)).unwrap()
    }

    #[test]
    fn all_colours_of_red_green_and_blue_lie_inside() {
        for matrix in MATRICES {
            for bits in [8, 10, 12] {
                let (inside, differences) = (hexagon(matrix, Range::Limited, bits), Differences::new(matrix, bits));
                let surplus = bits - level_bits(bits);
                let top = (1 << bits) - 1;
                for index in 0..18_i32.pow(3) {
                    let rgb = [index % 18, index / 18 % 18, index / 324].map(|step| step * top / 17);
                    let [cb, cr] = differences.of_codes(rgb).map(|code| (code >> surplus) as usize);
                    assert!(inside.contains(cb, cr), "{matrix} {bits} {rgb:?}: {cb} {cr}");
                }
            }
        }
    }

    #[test]
    fn corners_are_the_targets_and_a_code_beyond_them_lies_outside() {
        for matrix in MATRICES {
            for range in [Range::Limited, Range::Full] {
                let inside = hexagon(matrix, range, 8);
                for target in targets(matrix, range, 8, 1.0) {
                    let at = |beyond: f64| target.codes.map(|code| code + beyond * (code - 128.0).signum());
                    // Full range extends half a code beyond the highest code.
                    let [cb, cr] = at(0.0).map(|code| (code.round() as usize).min(255));
                    assert!(inside.contains(cb, cr), "{matrix} {range} {}: {cb} {cr}", target.name);
                    let [cb, cr] = at(2.0).map(|code| code.round() as usize);
                    let is_outside = cb > 255 || cr > 255 || !inside.contains(cb, cr);
                    assert!(is_outside, "{matrix} {range} {}: {cb} {cr}", target.name);
                }
            }
        }
        assert_eq!(Targets::of(&Chroma::coded(Matrix::YCgCo, Range::Limited, 8)), None);
    }

    #[test]
    fn saturation_is_the_distance_from_the_middle() {
        for bits in [8, 10, 12] {
            let mut scope = Vectorscope::empty(level_bits(bits));
            let (middle, unit) = (scope.levels() / 2, if bits == 12 { 4.0 } else { 1.0 });
            let at = |cb: usize, cr: usize| (cb << scope.level_bits) | cr;
            let (gray, far) = (at(middle, middle), at(middle + 3, middle - 4));
            (scope.counts[gray], scope.counts[far]) = (3, 1);
            let found = Saturation::of(&scope, bits, Some(&hexagon(Matrix::Bt709, Range::Limited, bits)));
            assert_eq!((found.samples, found.saturation_max), (4, 5.0 * unit));
            assert_eq!((found.saturation_mean, found.outside_targets), (1.25 * unit, Some(0)));
            scope.counts[0] = 4;
            let found = Saturation::of(&scope, bits, Some(&hexagon(Matrix::Bt709, Range::Limited, bits)));
            assert_eq!((found.outside_targets, found.share_outside_targets), (Some(4), Some(0.5)));
            assert_eq!(Saturation::of(&scope, bits, None).outside_targets, None);
        }
    }

    #[test]
    fn roots_are_rounded_to_nearest() {
        for square in (0..70_000).chain((1 << 39) - 3000..1 << 39) {
            let found = root(square);
            // Between (found - 1/2)² and (found + 1/2)².
            assert!(
                square <= found * found + found && square + found >= found * found + found.min(1),
                "{square}: {found}"
            );
        }
    }

    #[test]
    fn an_empty_vectorscope_has_no_saturation() {
        let found = Saturation::of(&Vectorscope::empty(8), 8, None);
        assert_eq!((found.samples, found.saturation_mean, found.saturation_max), (0, 0.0, 0.0));
    }
}
