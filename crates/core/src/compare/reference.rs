//! Reference implementation of plane differences, slow and sample by sample, for `--verify` and tests.

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
