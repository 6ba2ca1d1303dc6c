//! What is written on the scopes beside the histograms, and where the pixel under the pointer lies in them.

use egui::{Align2, Color32, CursorIcon, Painter, Pos2, Rect, Stroke, Ui, vec2};

use super::model::{Model, ScopeArea};
use super::theme;
use crate::export::graticule;

/// Draws what belongs to the scopes, beneath everything else that is written.
pub fn show(ui: &Ui, view: Rect, model: &Model<'_>) {
    let beside = &model.beside;
    let Some(subject) = beside.subject else { return };
    let painter = ui.ctx().layer_painter(egui::LayerId::background());
    for ScopeArea { kind, rect } in beside.areas {
        graticule::draw(&painter, *rect, *kind, &subject);
    }
    for &(at, light) in beside.marks {
        mark(&painter, at, light);
    }
    if let Some(cursor) = beside.cursor {
        ui.ctx().set_cursor_icon(cursor);
    }
    if let Some((at, text)) = beside.told {
        let aside = at + vec2(14.0, -12.0);
        theme::label(&painter, view, aside, Align2::LEFT_BOTTOM, text, theme::SMALL, theme::LIGHT);
    }
}

/// A ring around the place of a pixel, which is seen on any trace.
fn mark(painter: &Painter, at: Pos2, light: Color32) {
    painter.circle_stroke(at, 4.5, Stroke::new(3.5, Color32::from_black_alpha(200)));
    painter.circle_stroke(at, 4.5, Stroke::new(1.6, light));
}

/// What the pointer becomes at a border.
#[must_use]
pub const fn border_cursor(is_upright: bool) -> CursorIcon {
    if is_upright { CursorIcon::ResizeHorizontal } else { CursorIcon::ResizeVertical }
}
