//! Switches, sliders and choices of the panels, painted in the look of the control bar.

use egui::{Align2, Color32, Rect, Response, Sense, Ui, pos2, vec2};

use super::theme;

/// Size of their letters, in points.
pub const LETTERS: f32 = theme::TEXT - 1.0;
/// What stands on something that is on.
const INK: Color32 = Color32::from_gray(20);
/// Radius of a slider's knob, in points.
const KNOB: f32 = 5.0;

/// A button that is on or off; its response. `help` comes up while the pointer rests on it.
pub fn switch(ui: &Ui, rect: Rect, (id, text): (&str, &str), on: bool, help: &str) -> Response {
    let response = ui.interact(rect, ui.scope_id().with(id), Sense::click());
    let fill = match (on, response.hovered()) {
        (true, false) => theme::ACCENT,
        (true, true) => theme::ACCENT.lerp_to_gamma(Color32::WHITE, 0.25),
        (false, false) => Color32::from_white_alpha(30),
        (false, true) => Color32::from_white_alpha(58),
    };
    ui.painter().rect_filled(rect, 4, fill);
    let color = if on { INK } else { theme::LIGHT };
    ui.painter().text(rect.center(), Align2::CENTER_CENTER, text, theme::words(LETTERS), color);
    response.on_hover_text(help)
}

/// Names side by side of which one is chosen; the one that was clicked. `dim` where nothing comes of it at present.
pub fn choice(ui: &Ui, rect: Rect, id: &str, names: &[&str], chosen: usize, dim: bool) -> Option<usize> {
    let font = theme::words(LETTERS);
    let widths: Vec<f32> =
        names.iter().map(|name| ui.painter().layout_no_wrap((*name).to_owned(), font.clone(), INK).size().x).collect();
    // The room that is left is shared out evenly.
    let spare = (rect.width() - widths.iter().sum::<f32>()) / names.len() as f32;
    ui.painter().rect_filled(rect, 4, Color32::from_white_alpha(16));
    let mut left = rect.min.x;
    let mut clicked = None;
    for (index, (name, width)) in names.iter().zip(widths).enumerate() {
        let part = Rect::from_min_max(pos2(left, rect.min.y), pos2(left + width + spare, rect.max.y));
        left = part.max.x;
        let response = ui.interact(part, ui.scope_id().with((id, index)), Sense::click());
        let (fill, color) = match (index == chosen, dim, response.hovered()) {
            (true, false, _) => (Color32::from_gray(210), INK),
            (true, true, _) => (Color32::from_white_alpha(62), theme::LIGHT),
            (false, _, true) => (Color32::from_white_alpha(40), theme::LIGHT),
            (false, _, false) => (Color32::TRANSPARENT, theme::DIM),
        };
        ui.painter().rect_filled(part, 4, fill);
        ui.painter().text(part.center(), Align2::CENTER_CENTER, *name, font.clone(), color);
        if response.clicked() {
            clicked = Some(index);
        }
    }
    clicked.filter(|&index| index != chosen || dim)
}

/// A slider over the places 0 to `last`; the place to which it was dragged, if that is another one.
pub fn slider(ui: &Ui, rect: Rect, id: &str, (place, last): (usize, usize), dim: bool) -> Option<usize> {
    let response = ui.interact(rect, ui.scope_id().with(id), Sense::click_and_drag());
    let rail = rect.shrink2(vec2(KNOB, 0.0));
    let middle = rect.center().y;
    let last = last.max(1);
    let x_of = |place: usize| rail.min.x + rail.width() * place as f32 / last as f32;
    let dragged = response.interact_pointer_pos().map(|at| {
        let part = ((at.x - rail.min.x) / rail.width().max(1.0)).clamp(0.0, 1.0);
        (part * last as f32).round() as usize
    });
    let x = x_of(dragged.unwrap_or(place).min(last));
    let line = |from: f32, to: f32| Rect::from_min_max(pos2(from, middle - 1.5), pos2(to, middle + 1.5));
    let painter = ui.painter();
    painter.rect_filled(line(rail.min.x, rail.max.x), 2, Color32::from_white_alpha(46));
    let color = if dim { theme::DIM } else { theme::ACCENT };
    painter.rect_filled(line(rail.min.x, x), 2, color.gamma_multiply(if dim { 0.55 } else { 0.85 }));
    let is_held = response.hovered() || response.dragged();
    painter.circle_filled(pos2(x, middle), if is_held { KNOB + 1.0 } else { KNOB }, color);
    dragged.filter(|&to| to != place)
}
