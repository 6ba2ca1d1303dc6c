//! Reference implementation of plane differences and of their similarities, slow and sample by sample, for `--verify`
//! and tests.

use super::planes::PlaneDifference;
use crate::picture::Picture;
use crate::picture::region::Rect;

/// Computes the plane differences in a part of two pictures with the same size, depth and chroma subsampling.
#[must_use]
pub fn plane_differences(a: &Picture, b: &Picture, part: Rect) -> Vec<PlaneDifference> {
    let layout = a.layout();
    let difference = |component: usize| {
        let is_chroma = layout.component_size(component, 16, 16) != (16, 16);
        let (sx, sy) = if is_chroma { layout.chroma_shift } else { (0, 0) };
        let mut sum = PlaneDifference::default();
        for y in part.y >> sy..=(part.y + part.height - 1) >> sy {
            for x in part.x >> sx..=(part.x + part.width - 1) >> sx {
                let off = a.sample(component, x, y).abs_diff(b.sample(component, x, y));
                sum.samples += 1;
                sum.largest = sum.largest.max(off);
                sum.sum += u64::from(off);
                sum.squares += u64::from(off) * u64::from(off);
            }
        }
        sum
    };
    (0..layout.component_count()).map(difference).collect()
}

/// Computes the mean structural similarity of each plane in a part of two such pictures, or `None` for a plane that is
/// too small for a window.
#[must_use]
pub fn plane_similarities(a: &Picture, b: &Picture, part: Rect) -> Vec<Option<f64>> {
    let layout = a.layout();
    let peak = f64::from((1_u32 << layout.depth) - 1);
    // The constants of the definition, for sums of 64 samples, rounded as FFmpeg does.
    let c1 = (0.01 * 0.01 * peak * peak * 64.0).round();
    let c2 = (0.03 * 0.03 * peak * peak * 64.0 * 63.0).round();
    let similarity = |component: usize, left: u32, top: u32| {
        let (mut s1, mut s2, mut ss, mut s12) = (0.0, 0.0, 0.0, 0.0);
        for (x, y) in (0..64).map(|at| (left + at % 8, top + at / 8)) {
            let [one, two] = [a, b].map(|picture| f64::from(picture.sample(component, x, y)));
            (s1, s2, ss, s12) = (s1 + one, s2 + two, ss + one * one + two * two, s12 + one * two);
        }
        let variances = 64.0 * ss - s1 * s1 - s2 * s2;
        let covariance = 64.0 * s12 - s1 * s2;
        (2.0 * s1 * s2 + c1) * (2.0 * covariance + c2) / ((s1 * s1 + s2 * s2 + c1) * (variances + c2))
    };
    let mean = |component: usize| {
        let is_chroma = layout.component_size(component, 16, 16) != (16, 16);
        let (sx, sy) = if is_chroma { layout.chroma_shift } else { (0, 0) };
        let (left, top) = (part.x >> sx, part.y >> sy);
        let (right, bottom) = ((part.x + part.width - 1) >> sx, (part.y + part.height - 1) >> sy);
        let (mut total, mut windows) = (0.0, 0_u32);
        for y in (top..=bottom).step_by(4).filter(|y| y + 7 <= bottom) {
            for x in (left..=right).step_by(4).filter(|x| x + 7 <= right) {
                total += similarity(component, x, y);
                windows += 1;
            }
        }
        (windows > 0).then(|| total / f64::from(windows))
    };
    (0..layout.component_count()).map(mean).collect()
}
