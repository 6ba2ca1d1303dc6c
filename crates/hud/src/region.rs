//! The region that is counted. Its surroundings are slightly dimmed, its border is light between dark lines, and it has
//! handles while the controls are visible. A proposed region is dashed, and its label says how to accept it.

use egui::{Align2, Color32, CursorIcon, LayerId, Painter, Pos2, Rect, Shape, Stroke, Ui, Vec2, vec2};

use super::theme;
use histoscope_render::labels::guides::beside;

/// The shade outside a region.
const OUTSIDE: Color32 = Color32::from_black_alpha(88);
/// Half the side of a handle, in points.
const HANDLE: f32 = 3.5;
/// Height at the top edge of the view, in points, that the label leaves to the controls.
pub const ABOVE: f32 = 74.0;
/// Length of the dashes in a proposed region's border, in points.
const DASH: f32 = 7.0;

/// A region of the displayed picture.
#[derive(Debug, Clone, PartialEq)]
pub struct RegionView {
    /// Its rectangle on the view, in points.
    pub rect: Rect,
    /// `true` if it is only proposed.
    pub is_proposed: bool,
    /// `true` if it is a single row or column, which would be lost beside dimmed surroundings.
    pub is_line: bool,
    /// The text of its label.
    pub text: String,
    /// Positions of its handles, in points, and whether each moves the whole region.
    pub handles: Vec<(Pos2, bool)>,
    /// The cursor, if the pointer holds the region or could grab it.
    pub cursor: Option<CursorIcon>,
}

/// Shows the region over the picture, except over the histograms, since they count it.
pub fn show(ui: &Ui, view: Rect, region: &RegionView, histograms: &[Rect], strength: f32) {
    if let Some(cursor) = region.cursor {
        ui.ctx().set_cursor_icon(cursor);
    }
    let painter = ui.ctx().layer_painter(LayerId::background());
    for free in beside(view, histograms) {
        let painter = painter.with_clip_rect(free);
        if !region.is_proposed && !region.is_line {
            beside(view, &[region.rect]).into_iter().for_each(|part| {
                painter.rect_filled(part, 0, OUTSIDE);
            });
        }
        border(&painter, region);
    }
    if strength > 0.0 {
        let mut painter = painter;
        painter.set_opacity(strength);
        region.handles.iter().for_each(|&(at, moves)| handle(&painter, at, moves));
    }
}

/// Shows the label in a corner of the region, inside `room` and clear of the `taken` rectangles. Returns its rectangle,
/// or `None` if it is hidden or no corner has room.
pub fn label(ui: &Ui, room: Rect, region: &RegionView, taken: &[Rect], strength: f32) -> Option<Rect> {
    let strength = if region.is_proposed { 1.0 } else { strength };
    if strength <= 0.0 {
        return None;
    }
    let mut painter = ui.ctx().layer_painter(LayerId::background());
    painter.set_opacity(strength);
    let color = if region.is_proposed { theme::ACCENT } else { theme::LIGHT };
    let inner = region.rect.shrink(6.0);
    let corners = [
        (Align2::LEFT_TOP, inner.left_top()),
        (Align2::RIGHT_TOP, inner.right_top()),
        (Align2::LEFT_BOTTOM, inner.left_bottom()),
        (Align2::RIGHT_BOTTOM, inner.right_bottom()),
    ];
    let size = theme::label_size(&painter, &region.text, theme::SMALL);
    let is_free = |(anchor, at): &(Align2, Pos2)| {
        let place = theme::inside(anchor.anchor_size(*at, size), room);
        room.expand(0.5).contains_rect(place) && !taken.iter().any(|other| other.intersects(place))
    };
    let (anchor, at) = corners.into_iter().find(is_free)?;
    Some(theme::label(&painter, room, at, anchor, &region.text, theme::SMALL, color))
}

fn border(painter: &Painter, region: &RegionView) {
    let corners = [
        region.rect.left_top(),
        region.rect.right_top(),
        region.rect.right_bottom(),
        region.rect.left_bottom(),
        region.rect.left_top(),
    ];
    painter.add(Shape::line(corners.to_vec(), Stroke::new(3.0, Color32::from_black_alpha(170))));
    if region.is_proposed {
        painter.extend(Shape::dashed_line(&corners, Stroke::new(1.4, theme::ACCENT), DASH, DASH * 0.7));
    } else {
        painter.add(Shape::line(corners.to_vec(), Stroke::new(1.0, theme::LIGHT)));
    }
}

/// Draws a square for a handle that moves an edge, or a cross for one that moves the whole region.
fn handle(painter: &Painter, at: Pos2, moves: bool) {
    if moves {
        for (width, color) in [(4.0, Color32::from_black_alpha(190)), (1.6, theme::LIGHT)] {
            let stroke = Stroke::new(width, color);
            let reach = if width > 2.0 { 8.0 } else { 7.0 };
            painter.line_segment([at - vec2(reach, 0.0), at + vec2(reach, 0.0)], stroke);
            painter.line_segment([at - vec2(0.0, reach), at + vec2(0.0, reach)], stroke);
        }
        return;
    }
    let square = Rect::from_center_size(at, Vec2::splat(2.0 * HANDLE));
    painter.rect_filled(square.expand(1.5), 1, Color32::from_black_alpha(190));
    painter.rect_filled(square, 1, theme::LIGHT);
}
