//! The line style of flaws. Dashes distinguish them without relying on colour.

use super::canvas::{Area, Canvas};
use super::tone::flaw_color;
use histoscope_core::strip::Flaw;

/// Returns `true` if a flaw's line is drawn in column `x`. The line for samples out of range is drawn last and dashed,
/// so that a line below it shows through.
pub const fn is_dash(flaw: Flaw, x: i32) -> bool {
    !matches!(flaw, Flaw::Outside) || x % 8 < 5
}

/// Draws the key of a flaw, to be shown next to its name.
pub fn flaw_key(canvas: &mut Canvas, area: Area, flaw: Flaw) {
    for x in (0..area.width).filter(|&x| is_dash(flaw, x)) {
        canvas.fill(Area { x: area.x + x, width: 1, ..area }, flaw_color(flaw), 255);
    }
}
