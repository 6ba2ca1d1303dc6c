//! Labels for two pictures on the view: what is on either side of the line between them, with a grip to drag the line;
//! or what their difference shows. The line itself is drawn with the pictures.

use egui::{Align2, Color32, CursorIcon, Pos2, Rect, Stroke, Ui, pos2, vec2};

use super::model::Model;
use super::theme;
use histoscope_render::view::scene::{Other, Pair};

/// Height of the labels at the top of the room, in points.
pub const LABELS: f32 = 24.0;
const PADDING: egui::Vec2 = vec2(6.0, 2.5);
/// Minimum width for a label.
const LEAST: f32 = 50.0;
/// Size of the grip, in points.
const GRIP: egui::Vec2 = vec2(14.0, 30.0);

/// Shows the labels at the top of `room` and the grip in `free`, which has no histograms.
pub fn show(ui: &Ui, view: Rect, (room, free): (Rect, Rect), model: &Model<'_>, strength: f32) {
    let Some(pair) = model.adjusting.pair else { return };
    let painter = ui.ctx().layer_painter(egui::LayerId::background());
    let Some((seam, width)) = model.adjusting.seam else {
        let at = pos2(room.center().x, room.min.y);
        return label(&painter, room.width() - 8.0, at, Align2::CENTER_TOP, difference(pair, model));
    };
    let x = view.min.x + view.width() * (seam.column as f32 / width.max(1) as f32);
    let is_held = model.adjusting.is_at_divider;
    if is_held {
        ui.ctx().set_cursor_icon(CursorIcon::ResizeHorizontal);
    }
    let strength = if is_held { 1.0 } else { strength };
    if seam.moves && strength > 0.0 && free.x_range().contains(x) && free.height() > 3.0 * GRIP.y {
        grip(&painter, pos2(x, free.center().y), strength, is_held);
    }
    let [other, live] = names(pair.other, model);
    let [left, right] = if pair.other.is_left() { [other, live] } else { [live, other] };
    let sides =
        [(Align2::RIGHT_TOP, x - 5.0, left, x - room.min.x), (Align2::LEFT_TOP, x + 5.0, right, room.max.x - x)];
    for (anchor, at, text, width) in sides {
        // Next to a panel or at an edge of the view, there may be room for only one label.
        if width > LEAST && room.x_range().contains(x) {
            label(&painter, width - 8.0, pos2(at, room.min.y), anchor, text);
        }
    }
}

/// Returns the label of the difference of two pictures.
fn difference(pair: Pair, model: &Model<'_>) -> String {
    let [other, live] = names(pair.other, model);
    format!("difference {}: {live} against {other}", pair.gain)
}

/// Returns the names of the other picture and of the live one.
fn names(other: Other, model: &Model<'_>) -> [String; 2] {
    let adjustments = &model.look.adjustments;
    match other {
        Other::Source => ["source".to_owned(), adjustments.to_string()],
        Other::Held | Other::Second => {
            // With a second clip, both pictures are live.
            let live = if other == Other::Second { model.file.name.unwrap_or("live") } else { "live" };
            let made = if adjustments.is_off() { String::new() } else { format!(", {adjustments}") };
            [model.comparison.title.unwrap_or("the other one"), live].map(|name| format!("{name}{made}"))
        }
    }
}

/// Draws the name of a side, cut to the available width.
fn label(painter: &egui::Painter, room: f32, at: Pos2, anchor: Align2, text: String) {
    let mut job = egui::text::LayoutJob::simple_singleline(text, theme::words(theme::SMALL), theme::LIGHT);
    job.wrap = egui::text::TextWrapping::truncate_at_width((room - 2.0 * PADDING.x).max(8.0));
    let galley = painter.layout_job(job);
    let rect = anchor.anchor_size(at, galley.size() + 2.0 * PADDING);
    theme::fill_plate(painter, rect, 4, theme::PLATE);
    painter.galley(rect.min + PADDING, galley, theme::LIGHT);
}

/// Draws a handle with an arrow to either side.
fn grip(painter: &egui::Painter, centre: Pos2, strength: f32, is_held: bool) {
    let fill = if is_held { theme::ACCENT } else { theme::LIGHT };
    let rect = Rect::from_center_size(centre, GRIP);
    painter.rect_filled(rect.expand(1.0), 7, Color32::from_black_alpha(140).gamma_multiply(strength));
    painter.rect_filled(rect, 6, fill.gamma_multiply(strength));
    let ink = Stroke::new(1.4, Color32::from_gray(30).gamma_multiply(strength));
    for sign in [-1.0, 1.0] {
        let tip = centre + vec2(4.5 * sign, 0.0);
        let back = vec2(-2.6 * sign, 0.0);
        painter.line(vec![tip + back + vec2(0.0, -3.2), tip, tip + back + vec2(0.0, 3.2)], ink);
    }
}
