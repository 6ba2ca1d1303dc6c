//! The widgets of the panels: egui's own, styled like the control bar, in rectangles chosen by the panel.

use egui::style::HandleShape;
use egui::{
    Button, Color32, Rect, Response, RichText, Sense, Slider, Stroke, TextStyle, Ui, UiBuilder, Vec2, pos2, vec2,
};

use super::theme;

/// Size of the widgets' letters, in points.
pub const LETTERS: f32 = theme::TEXT - 1.0;
/// Text colour on a control that is on.
pub const INK: Color32 = Color32::from_gray(20);
/// Radius of a slider's knob, in points.
const KNOB: f32 = 5.0;

/// The colours of a toggle.
#[derive(Debug, Clone, Copy)]
pub struct ToggleLook {
    /// Its background while it is on.
    pub on: Color32,
    /// Its background while it is off.
    pub off: Color32,
    /// Its outline while it is off.
    pub outline: Color32,
}

/// Adds a button that is on or off, in this rectangle. Returns its response.
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

/// Adds a switch of a panel, with `help` as its tooltip. Returns its response.
pub fn switch(ui: &mut Ui, rect: Rect, (on, text): (bool, &str), help: &str) -> Response {
    let words = RichText::new(text).font(theme::words(LETTERS)).color(if on { INK } else { theme::LIGHT });
    let look = ToggleLook { on: theme::ACCENT, off: Color32::from_white_alpha(30), outline: Color32::TRANSPARENT };
    toggle(ui, rect, text, (on, words), look).on_hover_text(help)
}

/// Adds names side by side, one of which is chosen. Returns the index of the clicked one if it changes the choice, or
/// in any case if `dim`, which means that the choice has no effect at present.
pub fn choice(ui: &mut Ui, rect: Rect, id: &str, names: &[&str], chosen: usize, dim: bool) -> Option<usize> {
    let font = theme::words(LETTERS);
    let width = |name: &&str| ui.painter().layout_no_wrap((*name).to_owned(), font.clone(), INK).size().x;
    let widths: Vec<f32> = names.iter().map(width).collect();
    // Share out the remaining room evenly.
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
            // On the brighter background under the pointer, a dim word would have too little contrast over a white
            // picture.
            (false, _) if ui.rect_contains_pointer(part) => theme::LIGHT,
            (false, _) => theme::DIM,
        };
        let words = RichText::new(*name).font(font.clone()).color(color);
        if toggle(ui, part, (id, index), (index == chosen, words), look).clicked() {
            clicked = Some(index);
        }
    }
    clicked.filter(|&index| index != chosen || dim)
}

/// The positions of a slider, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Places {
    /// The current position.
    pub now: usize,
    /// The default position, which a double-click restores.
    pub standard: usize,
    /// The last position.
    pub last: usize,
}

/// Adds a slider with its value next to it. Returns the new position if it was dragged, clicked or reset to a different
/// one.
pub fn slider(ui: &mut Ui, [rail, value]: [Rect; 2], id: &str, places: Places, dim: bool) -> Option<usize> {
    let to = drag(ui, rail, id, places, dim);
    // On top of the slider, which senses only drags and so misses a click that falls between two draws.
    let clicked = ui.interact(rail, ui.scope_id().with((id, "click")), Sense::click());
    let on_value = ui.interact(value, ui.scope_id().with((id, "value")), Sense::click());
    let to = if clicked.double_clicked() || on_value.double_clicked() {
        Some(places.standard)
    } else {
        let was_at_once = clicked.clicked() && ui.input(|input| input.pointer.primary_pressed());
        let at = clicked.interact_pointer_pos().filter(|_| was_at_once);
        to.or_else(|| at.map(|at| place_at(rail, at.x, places.last)))
    };
    to.filter(|&to| to != places.now)
}

/// Returns the position whose knob is nearest to `x`. The knob's centre stays one radius away from either end of the
/// rail.
fn place_at(rail: Rect, x: f32, last: usize) -> usize {
    let share = ((x - rail.min.x - KNOB) / (rail.width() - 2.0 * KNOB)).clamp(0.0, 1.0);
    (share * last as f32).round() as usize
}

/// Adds the slider's rail and knob. Returns the new position if it was dragged to a different one.
fn drag(ui: &mut Ui, rect: Rect, id: &str, Places { now, last, .. }: Places, dim: bool) -> Option<usize> {
    // egui derives the knob's size and its distance from the ends from the height of this rectangle.
    let rect = Rect::from_center_size(rect.center(), vec2(rect.width(), 2.5 * KNOB));
    let mut ui = place(ui, rect, id);
    let color = if dim { theme::DIM } else { theme::ACCENT };
    let style = ui.style_mut();
    // A line of normal text would increase the height.
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
    let mut to = now.min(last);
    let slider = Slider::new(&mut to, 0..=last.max(1)).show_value(false).trailing_fill(true);
    let response = ui.add(slider.handle_shape(HandleShape::Circle));
    // Keys belong to the key table, and a slider with keyboard focus looks as if it were being dragged.
    response.surrender_focus();
    let is_changed = response.changed();
    // Without the highlight, a knob not under the pointer would have the rail's colour.
    response.highlight();
    is_changed.then_some(to)
}

/// Creates a child for one widget that fills this rectangle. The lines around it do not move.
fn place(ui: &mut Ui, rect: Rect, id: impl egui::AsIdSalt) -> Ui {
    let layout = egui::Layout::centered_and_justified(egui::Direction::LeftToRight);
    let mut place = ui.new_child(UiBuilder::new().id_salt(id).max_rect(rect).layout(layout));
    place.spacing_mut().interact_size.y = rect.height();
    place
}

#[cfg(test)]
mod tests {
    use super::super::split_after_release;
    use super::*;

    /// Returns the centre and radius of a slider's knob at this position, from 0 to 10.
    fn knob(place_now: usize, rect: Rect) -> (egui::Pos2, f32) {
        let context = egui::Context::default();
        theme::apply(&context);
        let input = egui::RawInput { screen_rect: Some(Rect::EVERYTHING), ..Default::default() };
        let mut output = context.run_ui(input, |ui| {
            drag(ui, rect, "a slider", Places { now: place_now, standard: 0, last: 10 }, false);
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

    /// Returns the positions that a slider from 0 to 10, at 7 and by default at 3, moves to when these events arrive,
    /// one batch per draw.
    fn moved(drawings: &[&[egui::Event]]) -> Vec<usize> {
        let context = egui::Context::default();
        theme::apply(&context);
        let all = Rect::from_min_size(pos2(0.0, 0.0), vec2(400.0, 100.0));
        let [rail, value] =
            [(0.0, 220.0), (240.0, 300.0)].map(|(left, right)| Rect::from_min_max(pos2(left, 20.0), pos2(right, 40.0)));
        let mut places = Places { now: 7, standard: 3, last: 10 };
        let mut seen = Vec::new();
        for (time, events) in std::iter::once(&[][..]).chain(drawings.iter().copied()).enumerate() {
            let time = Some(time as f64 * 0.02);
            let input = egui::RawInput { screen_rect: Some(all), time, events: events.to_vec(), ..Default::default() };
            let mut output = context.run_ui(input, |ui| {
                if let Some(to) = slider(ui, [rail, value], "a slider", places, false) {
                    places.now = to;
                    seen.push(to);
                }
            });
            output.textures_delta.clear();
        }
        seen
    }

    fn press(x: f32, pressed: bool) -> egui::Event {
        let (button, modifiers) = (egui::PointerButton::Primary, egui::Modifiers::NONE);
        egui::Event::PointerButton { pos: pos2(x, 30.0), button, pressed, modifiers }
    }

    #[test]
    fn a_click_between_two_draws_moves_the_knob() {
        let to = |x: f32| egui::Event::PointerMoved(pos2(x, 30.0));
        assert_eq!(moved(&[&[to(110.0)], &[press(110.0, true), press(110.0, false)], &[]]), [5]);
        assert_eq!(moved(&[&[to(110.0)], &[press(110.0, true)], &[press(110.0, false)], &[]]), [5]);
        assert_eq!(moved(&[&[to(1.0)], &[press(1.0, true), press(1.0, false)], &[]]), [0]);
    }

    #[test]
    fn a_knob_stays_where_it_was_released() {
        let to = |x: f32| egui::Event::PointerMoved(pos2(x, 30.0));
        let mut release = vec![press(130.0, false), to(390.0), to(0.0)];
        let later = split_after_release(&mut release);
        assert_eq!((&release[..], &later[..]), (&[press(130.0, false)][..], &[to(390.0), to(0.0)][..]));
        assert_eq!(moved(&[&[to(110.0)], &[press(110.0, true)], &[to(130.0)], &release, &later, &[]]), [5, 6]);
        // No events are split off before a release, and two clicks at the same position belong to one draw.
        let mut others =
            vec![to(1.0), press(1.0, true), to(5.0), press(5.0, false), press(5.0, true), press(5.0, false)];
        assert_eq!((split_after_release(&mut others), others.len()), (vec![], 6));
    }

    #[test]
    fn a_double_click_on_the_rail_or_the_value_restores_the_default() {
        let to = |x: f32| egui::Event::PointerMoved(pos2(x, 30.0));
        for x in [110.0, 270.0] {
            let click = [press(x, true), press(x, false)];
            let [down, up] = [&click[..1], &click[1..]];
            let slow = moved(&[&[to(x)], down, up, down, up, &[]]);
            let quick = moved(&[&[to(x)], &[&click[..], &click[..]].concat(), &[]]);
            for seen in [slow, quick] {
                assert_eq!(seen.last(), Some(&3), "at {x}: {seen:?}");
            }
        }
    }
}
