//! How the lines of flaws are told apart in the picture of a report.

use crate::report::canvas::{Area, Canvas};
use crate::report::tone::flaw_color;
use histoscope_core::strip::Flaw;

/// Whether the line of a flaw is drawn in the column `x`. Out of range is drawn last, in dashes: where it coincides with another
/// line, that one shows between them.
pub const fn is_dash(flaw: Flaw, x: i32) -> bool {
    !matches!(flaw, Flaw::Outside) || x % 8 < 5
}

/// What stands for a flaw beside its name.
pub fn flaw_key(canvas: &mut Canvas, area: Area, flaw: Flaw) {
    for x in (0..area.width).filter(|&x| is_dash(flaw, x)) {
        canvas.fill(Area { x: area.x + x, width: 1, ..area }, flaw_color(flaw), 255);
    }
}
