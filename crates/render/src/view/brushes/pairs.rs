//! The brush of the vectorscope: a circle or a freehand polygon, in levels of its pairs.

use histoscope_core::scopes::Diagram;

/// A region of a vectorscope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairBrush {
    /// The shape of the region.
    pub shape: PairShape,
    /// Bits of the levels that the shape is given in.
    pub level_bits: u32,
    /// The diagram that it was drawn in.
    pub diagram: Diagram,
}

/// The shape of a vectorscope brush, in levels of the pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "there is one of them, which is copied with the scene")]
pub enum PairShape {
    /// All pairs whose distance from the centre is at most the radius.
    Circle {
        /// The centre.
        middle: [u16; 2],
        /// The radius in levels.
        radius: u16,
    },
    /// All pairs inside a polygon and on its edges. If it crosses itself, the even-odd rule applies.
    Polygon(Lasso),
}

/// The corners of a polygon, at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lasso {
    corners: [[u16; 2]; Self::MOST],
    count: u8,
}

impl Lasso {
    /// Maximum number of corners.
    pub const MOST: usize = 64;

    /// Starts a polygon at a corner.
    #[must_use]
    pub const fn starting_at(corner: [u16; 2]) -> Self {
        Self { corners: [corner; Self::MOST], count: 1 }
    }

    /// Returns the corners.
    #[must_use]
    pub fn corners(&self) -> &[[u16; 2]] {
        &self.corners[..usize::from(self.count)]
    }

    /// Adds a corner. If the polygon is full, removes the corner whose absence changes the area least.
    #[must_use]
    pub fn with_corner(mut self, corner: [u16; 2]) -> Self {
        if self.corners().last() == Some(&corner) {
            return self;
        }
        if self.corners().len() == Self::MOST {
            let twice_area = |at: &usize| {
                let [[ax, ay], [bx, by], [cx, cy]] = [at - 1, *at, at + 1].map(|i| self.corners[i].map(i64::from));
                ((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)).abs()
            };
            let least = (1..Self::MOST - 1).min_by_key(twice_area).unwrap_or(1);
            self.corners.copy_within(least + 1.., least);
            self.count -= 1;
        }
        self.corners[usize::from(self.count)] = corner;
        self.count += 1;
        // The unused corners are never read; filling them makes equal polygons compare equal.
        self.corners[usize::from(self.count)..].fill(corner);
        self
    }
}

impl PairBrush {
    /// Returns one bit per pair of levels of `level_bits` bits, like
    /// [`ChromaPairs::selected`](super::ChromaPairs::selected).
    #[must_use]
    pub fn pairs(&self, level_bits: u32) -> Vec<u32> {
        let levels = 1_i64 << level_bits;
        let mut selected = vec![0_u32; (levels * levels) as usize / 32];
        let mut select = |cb: i64, crs: std::ops::RangeInclusive<i64>| {
            for cr in (*crs.start()).max(0)..=(*crs.end()).min(levels - 1) {
                let at = ((cb << level_bits) | cr) as usize;
                selected[at / 32] |= 1 << (at % 32);
            }
        };
        let scaled = |level: u16| match level_bits.checked_sub(self.level_bits) {
            Some(more) => i64::from(level) << more,
            None => i64::from(level) >> (self.level_bits - level_bits),
        };
        match self.shape {
            PairShape::Circle { middle, radius } => {
                let ([cb, cr], radius) = (middle.map(scaled), scaled(radius));
                for aside in -radius..=radius {
                    let half = (radius * radius - aside * aside).isqrt();
                    if (0..levels).contains(&(cb + aside)) {
                        select(cb + aside, cr - half..=cr + half);
                    }
                }
            }
            PairShape::Polygon(lasso) => {
                let corners: Vec<_> = lasso.corners().iter().map(|corner| corner.map(scaled)).collect();
                for cb in 0..levels {
                    for crs in inside(&corners, cb) {
                        select(cb, crs);
                    }
                }
            }
        }
        selected
    }
}

/// Returns the runs of integers y for which (x, y) lies inside a polygon, by the even-odd rule, or on one of its edges.
fn inside(corners: &[[i64; 2]], x: i64) -> Vec<std::ops::RangeInclusive<i64>> {
    let mut pieces = Vec::new();
    // Positions where edges cross the line x, rounded up to an integer. An edge includes its lower end but not its
    // upper one, so that a corner between two edges is crossed once.
    let mut crossings = Vec::new();
    for (index, &one) in corners.iter().enumerate() {
        let other = corners[(index + 1) % corners.len()];
        let ([x0, y0], [x1, y1]) = if one[0] <= other[0] { (one, other) } else { (other, one) };
        if x0 == x1 {
            if x == x0 {
                pieces.push(y0.min(y1)..=y0.max(y1));
            }
        } else if x0 <= x && x <= x1 {
            let (way, length) = ((x - x0) * (y1 - y0), x1 - x0);
            let floor = y0 + way.div_euclid(length);
            let is_whole = way.rem_euclid(length) == 0;
            if is_whole {
                pieces.push(floor..=floor);
            }
            if x < x1 {
                crossings.push(if is_whole { floor } else { floor + 1 });
            }
        }
    }
    crossings.sort_unstable();
    pieces.extend(crossings.chunks_exact(2).map(|pair| pair[0]..=pair[1] - 1));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polygon(corners: &[[u16; 2]]) -> PairBrush {
        let lasso =
            corners[1..].iter().fold(Lasso::starting_at(corners[0]), |lasso, &corner| lasso.with_corner(corner));
        PairBrush { shape: PairShape::Polygon(lasso), level_bits: 8, diagram: Diagram::CbCr }
    }

    fn has(pairs: &[u32], cb: usize, cr: usize) -> bool {
        (pairs[(cb * 256 + cr) / 32] >> (cr % 32)) & 1 != 0
    }

    /// Returns `true` if a pair lies inside the polygon, computed in floating point. Not valid for pairs on an edge.
    fn is_inside(corners: &[[u16; 2]], cb: f64, cr: f64) -> bool {
        let mut odd = false;
        for (index, one) in corners.iter().enumerate() {
            let ([ax, ay], [bx, by]) = (one.map(f64::from), corners[(index + 1) % corners.len()].map(f64::from));
            if (ax > cb) != (bx > cb) && cr < (by - ay) * (cb - ax) / (bx - ax) + ay {
                odd = !odd;
            }
        }
        odd
    }

    fn is_on_an_edge(corners: &[[u16; 2]], cb: i64, cr: i64) -> bool {
        corners.iter().enumerate().any(|(index, one)| {
            let ([ax, ay], [bx, by]) = (one.map(i64::from), corners[(index + 1) % corners.len()].map(i64::from));
            (bx - ax) * (cr - ay) == (by - ay) * (cb - ax)
                && (ax.min(bx)..=ax.max(bx)).contains(&cb)
                && (ay.min(by)..=ay.max(by)).contains(&cr)
        })
    }

    #[test]
    fn a_polygon_selects_its_inside_and_its_edges() {
        let polygons: [&[[u16; 2]]; 7] = [
            &[[10, 10]],
            &[[10, 10], [200, 90]],
            &[[30, 40], [200, 60], [90, 255]],
            &[[0, 0], [255, 0], [255, 255], [0, 255]],
            // Self-intersecting: a bow tie, and a star whose centre is outside.
            &[[40, 40], [200, 200], [200, 40], [40, 200]],
            &[[128, 20], [190, 220], [20, 90], [236, 90], [66, 220]],
            &[[50, 50], [150, 50], [100, 50], [100, 120], [50, 120]],
        ];
        for corners in polygons {
            let pairs = polygon(corners).pairs(8);
            for cb in 0..256 {
                for cr in 0..256 {
                    let is_on = is_on_an_edge(corners, cb, cr);
                    let expected = is_on || is_inside(corners, cb as f64, cr as f64);
                    assert_eq!(has(&pairs, cb as usize, cr as usize), expected, "{corners:?}: {cb}, {cr}");
                }
            }
        }
    }

    #[test]
    fn a_circle_selects_the_pairs_within_its_radius() {
        for (middle, radius) in [([128, 128], 0), ([100, 30], 17), ([3, 250], 40), ([0, 0], 500)] {
            let pairs =
                PairBrush { shape: PairShape::Circle { middle, radius }, level_bits: 8, diagram: Diagram::CbCr }
                    .pairs(8);
            for cb in 0..256_i64 {
                for cr in 0..256_i64 {
                    let (x, y) = (cb - i64::from(middle[0]), cr - i64::from(middle[1]));
                    let expected = x * x + y * y <= i64::from(radius) * i64::from(radius);
                    assert_eq!(has(&pairs, cb as usize, cr as usize), expected, "{middle:?} {radius}: {cb}, {cr}");
                }
            }
        }
    }

    /// However long the drawing, the corners that matter remain.
    #[test]
    fn a_long_line_drawn_by_hand_keeps_its_shape() {
        let angle = |step: u32| f64::from(step) / 1000.0 * std::f64::consts::TAU;
        let at = |step| [angle(step).cos(), angle(step).sin()].map(|way| (128.0 + 90.0 * way).round() as u16);
        let lasso = (1..1000).fold(Lasso::starting_at(at(0)), |lasso, step| lasso.with_corner(at(step)));
        assert_eq!(lasso.corners().len(), Lasso::MOST);
        let pairs = PairBrush { shape: PairShape::Polygon(lasso), level_bits: 8, diagram: Diagram::CbCr }.pairs(8);
        let round = PairBrush {
            shape: PairShape::Circle { middle: [128, 128], radius: 90 },
            level_bits: 8,
            diagram: Diagram::CbCr,
        }
        .pairs(8);
        let area: u32 = round.iter().map(|word| word.count_ones()).sum();
        let apart: u32 = pairs.iter().zip(&round).map(|(one, other)| (one ^ other).count_ones()).sum();
        assert!(apart * 50 < area, "{apart} of {area} pairs are others");
    }

    #[test]
    fn polygons_with_equal_corners_are_equal_whatever_corners_were_removed() {
        let one = (0..200).fold(Lasso::starting_at([5, 5]), |lasso, step| lasso.with_corner([step, 7]));
        let mut other = Lasso::starting_at(one.corners()[0]);
        for &corner in &one.corners()[1..] {
            other = other.with_corner(corner);
        }
        assert_eq!(one, other);
    }
}
