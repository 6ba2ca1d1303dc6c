//! Labels and marks on the scopes other than the histograms: graticules, brushes, and the position of the pixel under
//! the pointer.

use egui::{Align2, Color32, CursorIcon, Painter, Rect, Shape, Stroke, StrokeKind, Ui, vec2};

use super::model::{BrushedArea, Model, Outline, ScopeArea};
use super::theme;
use histoscope_render::labels::{graticule, rings};

/// Draws everything on the scopes, beneath all other text.
pub fn show(ui: &Ui, view: Rect, model: &Model<'_>) {
    let beside = &model.other_scopes;
    if let Some(cursor) = beside.cursor {
        ui.ctx().set_cursor_icon(cursor);
    }
    let Some(subject) = beside.subject else { return };
    let painter = ui.ctx().layer_painter(egui::LayerId::background());
    for &ScopeArea { kind, frame, rect } in beside.areas {
        graticule::draw(&painter, (frame, rect), kind, &subject);
    }
    for area in beside.brushed {
        brushed(&painter, area);
    }
    rings::draw(&painter, beside.marks);
    if let Some((at, text)) = beside.hint {
        let aside = at + vec2(14.0, -12.0);
        theme::label(&painter, view, aside, Align2::LEFT_BOTTOM, text, theme::SMALL, theme::LIGHT);
    }
}

/// Draws the outline of a brush, and its text.
fn brushed(painter: &Painter, area: &BrushedArea) {
    let inside = painter.with_clip_rect(area.panel.intersect(painter.clip_rect()));
    let shape = |stroke: Stroke| match &area.outline {
        Outline::Rectangle(rect) => Shape::rect_stroke(*rect, 0, stroke, StrokeKind::Middle),
        Outline::Circle(middle, radius) => Shape::circle_stroke(*middle, *radius, stroke),
        Outline::Polygon(corners) => Shape::closed_line(corners.clone(), stroke),
    };
    inside.add(shape(Stroke::new(3.0, Color32::from_black_alpha(170))));
    inside.add(shape(Stroke::new(1.4, theme::ACCENT)));
    let at = area.panel.center_top() + vec2(0.0, 4.0);
    theme::label(painter, area.panel, at, Align2::CENTER_TOP, &area.text, theme::SMALL, theme::ACCENT);
}

/// Returns the cursor for dragging a border.
#[must_use]
pub const fn border_cursor(is_upright: bool) -> CursorIcon {
    if is_upright { CursorIcon::ResizeHorizontal } else { CursorIcon::ResizeVertical }
}
