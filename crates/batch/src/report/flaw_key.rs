//! Flaws as they are drawn: dashed, so that they differ without their colours too.

use super::canvas::{Area, Canvas};
use super::tone::flaw_color;
use histoscope_core::strip::Flaw;

/// Returns `true` if the line of a flaw is drawn in the column `x`. The line of samples out of range is drawn last and
/// dashed, so that a line under it shows through.
pub const fn is_dash(flaw: Flaw, x: i32) -> bool {
    !matches!(flaw, Flaw::Outside) || x % 8 < 5
}

/// Draws the key of a flaw beside its name.
pub fn flaw_key(canvas: &mut Canvas, area: Area, flaw: Flaw) {
    for x in (0..area.width).filter(|&x| is_dash(flaw, x)) {
        canvas.fill(Area { x: area.x + x, width: 1, ..area }, flaw_color(flaw), 255);
    }
}
