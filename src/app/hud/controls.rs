//! The widgets of the panels: egui's own in the look of the control bar, where the panel has a place for them.

use egui::style::HandleShape;
use egui::{Button, Color32, Rect, Response, RichText, Slider, Stroke, TextStyle, Ui, UiBuilder, Vec2, pos2, vec2};

use super::theme;

/// Size of their letters, in points.
pub const LETTERS: f32 = theme::TEXT - 1.0;
/// What stands on something that is on.
pub const INK: Color32 = Color32::from_gray(20);
/// Radius of a slider's knob, in points.
const KNOB: f32 = 5.0;

/// How a toggle looks.
#[derive(Debug, Clone, Copy)]
pub struct ToggleLook {
    /// Behind it while it is on.
    pub on: Color32,
    /// Behind it while it is off.
    pub off: Color32,
    /// Around it while it is off.
    pub outline: Color32,
}

/// A button that is on or off, in a place of its own; its response.
pub fn toggle(
    ui: &mut Ui,
    rect: Rect,
    id: impl egui::AsIdSalt,
    (on, text): (bool, RichText),
    look: ToggleLook,
) -> Response {
    let mut place = place(ui, rect, id);
    let style = place.style_mut();
    style.spacing.button_padding = Vec2::ZERO;
    style.visuals.selection.bg_fill = look.on;
    let widgets = &mut style.visuals.widgets;
    for (state, light) in [(&mut widgets.inactive, 0.0), (&mut widgets.hovered, 0.16), (&mut widgets.active, 0.16)] {
        state.weak_bg_fill = look.off.lerp_to_gamma(Color32::WHITE, light);
        let outline = if on { Color32::from_white_alpha((light * 1000.0) as u8) } else { look.outline };
        state.bg_stroke = Stroke::new(1.0, outline);
        (state.corner_radius, state.expansion) = (4.into(), 0.0);
    }
    place.add(Button::selectable(on, text).frame_when_inactive(true).min_size(rect.size()))
}

/// A switch of the panels. `help` comes up while the pointer rests on it.
pub fn switch(ui: &mut Ui, rect: Rect, (on, text): (bool, &str), help: &str) -> Response {
    let words = RichText::new(text).font(theme::words(LETTERS)).color(if on { INK } else { theme::LIGHT });
    let look = ToggleLook { on: theme::ACCENT, off: Color32::from_white_alpha(30), outline: Color32::TRANSPARENT };
    toggle(ui, rect, text, (on, words), look).on_hover_text(help)
}

/// Names side by side of which one is chosen; the one that was clicked. `dim` where nothing comes of it at present.
pub fn choice(ui: &mut Ui, rect: Rect, id: &str, names: &[&str], chosen: usize, dim: bool) -> Option<usize> {
    let font = theme::words(LETTERS);
    let width = |name: &&str| ui.painter().layout_no_wrap((*name).to_owned(), font.clone(), INK).size().x;
    let widths: Vec<f32> = names.iter().map(width).collect();
    // The room that is left is shared out evenly.
    let spare = (rect.width() - widths.iter().sum::<f32>()) / names.len() as f32;
    ui.painter().rect_filled(rect, 4, Color32::from_white_alpha(16));
    let on = if dim { Color32::from_white_alpha(62) } else { Color32::from_gray(210) };
    let look = ToggleLook { on, off: Color32::TRANSPARENT, outline: Color32::TRANSPARENT };
    let mut left = rect.min.x;
    let mut clicked = None;
    for (index, (name, width)) in names.iter().zip(widths).enumerate() {
        let part = Rect::from_min_max(pos2(left, rect.min.y), pos2(left + width + spare, rect.max.y));
        left = part.max.x;
        let color = match (index == chosen, dim) {
            (true, false) => INK,
            (true, true) => theme::LIGHT,
            (false, _) => theme::DIM,
        };
        let words = RichText::new(*name).font(font.clone()).color(color);
        if toggle(ui, part, (id, index), (index == chosen, words), look).clicked() {
            clicked = Some(index);
        }
    }
    clicked.filter(|&index| index != chosen || dim)
}

/// A slider over the places 0 to `last`; the place to which it was dragged, if that is another one.
pub fn slider(ui: &mut Ui, rect: Rect, id: &str, (place_now, last): (usize, usize), dim: bool) -> Option<usize> {
    // The knob's size and how far from the ends it stands are reckoned from the height of the place.
    let rect = Rect::from_center_size(rect.center(), vec2(rect.width(), 2.5 * KNOB));
    let mut ui = place(ui, rect, id);
    let color = if dim { theme::DIM } else { theme::ACCENT };
    let style = ui.style_mut();
    // A line of letters would make the place higher.
    style.text_styles.insert(TextStyle::Body, theme::words(1.0));
    style.spacing.slider_width = rect.width();
    style.spacing.slider_rail_height = 3.0;
    style.visuals.selection.bg_fill = color.gamma_multiply(if dim { 0.55 } else { 0.85 });
    let widgets = &mut style.visuals.widgets;
    widgets.inactive.bg_fill = Color32::from_white_alpha(46);
    widgets.inactive.corner_radius = 2.into();
    for (state, larger) in [(&mut widgets.hovered, 0.0), (&mut widgets.active, 1.0)] {
        (state.bg_fill, state.fg_stroke, state.expansion) = (color, Stroke::NONE, larger);
    }
    let mut to = place_now.min(last);
    let slider = Slider::new(&mut to, 0..=last.max(1)).show_value(false).trailing_fill(true);
    let response = ui.add(slider.handle_shape(HandleShape::Circle));
    // Keys are the table's, and what has the keyboard looks as if it were held.
    response.surrender_focus();
    let is_changed = response.changed();
    // A knob that nobody points at would have the rail's colour.
    response.highlight();
    is_changed.then_some(to)
}

/// A part of the panel for one widget as large as it, which leaves the lines around it where they are.
fn place(ui: &mut Ui, rect: Rect, id: impl egui::AsIdSalt) -> Ui {
    let layout = egui::Layout::centered_and_justified(egui::Direction::LeftToRight);
    let mut place = ui.new_child(UiBuilder::new().id_salt(id).max_rect(rect).layout(layout));
    place.spacing_mut().interact_size.y = rect.height();
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The slider's knob at the first and at the last of its places: centre and radius.
    fn knob(place_now: usize, rect: Rect) -> (egui::Pos2, f32) {
        let context = egui::Context::default();
        theme::apply(&context);
        let input = egui::RawInput { screen_rect: Some(Rect::EVERYTHING), ..Default::default() };
        let mut output = context.run_ui(input, |ui| {
            slider(ui, rect, "a slider", (place_now, 10), false);
        });
        output.textures_delta.clear();
        let circle = |shape: &egui::epaint::ClippedShape| match &shape.shape {
            egui::Shape::Circle(circle) => Some((circle.center, circle.radius)),
            _ => None,
        };
        output.shapes.iter().find_map(circle).expect("a slider has a knob")
    }

    #[test]
    fn the_knob_reaches_both_ends_of_its_rail() {
        let rect = Rect::from_min_size(pos2(40.0, 20.0), vec2(150.0, 19.0));
        for (place, end) in [(0, rect.min.x + KNOB), (10, rect.max.x - KNOB)] {
            let (centre, radius) = knob(place, rect);
            assert!((centre.x - end).abs() < 0.6, "at {place} the knob stands at {centre:?}, not {end}");
            assert!((radius - KNOB).abs() < 0.1 && (centre.y - rect.center().y).abs() < 0.6, "{centre:?}, {radius}");
        }
    }
}
