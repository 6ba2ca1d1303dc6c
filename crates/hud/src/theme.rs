//! Colours, plates and fonts: light text on dark translucent plates, legible on black and on white pictures.

use std::time::Duration;

use egui::{Align2, Color32, CornerRadius, FontId, Margin, Painter, Pos2, Rect, Stroke, Vec2};

/// Longest time between the two clicks of a double-click.
pub const DOUBLE_CLICK: Duration = Duration::from_millis(500);
/// Size of ordinary text in points.
pub const TEXT: f32 = 13.0;
/// Size of labels next to the histograms.
pub const SMALL: f32 = 11.0;
/// Space between plates and the edges of the window, in points.
pub const MARGIN: f32 = 10.0;
/// Height of the labels along a histogram's axis, in points.
pub const AXIS: f32 = 14.0;
/// Rounding of plates.
pub const ROUND: CornerRadius = CornerRadius::same(7);

/// Background of text, dark gray even over a white picture.
pub const PLATE: Color32 = Color32::from_black_alpha(212);
/// Background of text that may lie on top of other text.
pub const SOLID: Color32 = Color32::from_gray(22);
/// Edge of plates, visible even on a black picture.
pub const EDGE: Stroke = Stroke { width: 1.0, color: Color32::from_gray(70) };
/// Colour of values.
pub const LIGHT: Color32 = Color32::from_gray(238);
/// Colour of the names of values.
pub const DIM: Color32 = Color32::from_gray(170);
/// Colour of placeholder text in an empty field.
pub const HINT: Color32 = Color32::from_gray(186);
/// Colour of actions that are not possible now.
pub const GRAYED: Color32 = Color32::from_gray(134);
/// Colour of controls that are off or cannot be used.
pub const OFF: Color32 = Color32::from_gray(110);
/// Colour of marks set by the user: A and B, a brush.
pub const ACCENT: Color32 = Color32::from_rgb(255, 190, 84);
/// Background of selected text.
const SELECTED: Color32 = Color32::from_rgb(120, 84, 24);
/// Colour of something correct.
pub const RIGHT: Color32 = Color32::from_rgb(128, 214, 140);
/// Colour of a fault.
pub const WRONG: Color32 = Color32::from_rgb(255, 112, 96);

/// Returns a monospaced font, whose digits do not move when they change.
pub const fn mono(size: f32) -> FontId {
    FontId::monospace(size)
}

/// Returns a proportional font, for words.
pub const fn words(size: f32) -> FontId {
    FontId::proportional(size)
}

/// Returns the frame of a dark plate with the usual padding.
pub fn plate() -> egui::Frame {
    framed(12, 9)
}

/// Returns the frame of a dark plate with this padding, in points.
pub fn framed(across: i8, down: i8) -> egui::Frame {
    // The edge takes up a point of the padding.
    let room = Margin::symmetric(across - EDGE.width as i8, down - EDGE.width as i8);
    egui::Frame::new().fill(PLATE).stroke(EDGE).corner_radius(ROUND).inner_margin(room)
}

/// Draws a plate without a widget.
pub fn fill_plate(painter: &Painter, rect: Rect, rounding: impl Into<CornerRadius>, fill: Color32) {
    painter.rect(rect, rounding, fill, EDGE, egui::StrokeKind::Inside);
}

/// Width of the scroll bar while the pointer is over it.
pub const BAR: f32 = 12.0;

/// Height of the line that says that a panel scrolls.
const MORE: f32 = 13.0;

/// Shows contents that scroll if they are higher than `room`, clear of the scroll bar. A line below them then says so.
pub fn scrolled(ui: &mut egui::Ui, room: f32, contents: impl FnOnce(&mut egui::Ui)) {
    let room = room.max(40.0);
    let id = ui.scope_id().with("scrolls");
    // The height of the contents is known only after they have been laid out.
    let scrolls: bool = ui.data(|data| data.get_temp(id)).unwrap_or_default();
    let height = if scrolls { room - MORE - ui.spacing().item_spacing.y } else { room };
    ui.spacing_mut().scroll.floating_allocated_width = BAR;
    // The surrounding area remembers its height; without this minimum, it would not grow again.
    let shown = egui::ScrollArea::vertical().max_height(height).min_scrolled_height(height).show(ui, contents);
    let below = shown.content_size.y - shown.state.clamped_offset().y - shown.inner_rect.height();
    if scrolls {
        let (line, _) = ui.allocate_exact_size(Vec2::new(shown.inner_rect.width(), MORE), egui::Sense::hover());
        let text = if below > 1.0 { "more below: scroll" } else { "more above: scroll" };
        ui.painter().text(line.left_bottom(), Align2::LEFT_BOTTOM, text, words(SMALL - 1.0), DIM);
    }
    let is_higher = shown.content_size.y > room + 0.5;
    if is_higher != scrolls {
        ui.data_mut(|data| data.insert_temp(id, is_higher));
        ui.ctx().request_discard("a panel scrolls now, or no longer");
        ui.ctx().request_repaint();
    }
}

/// Padding of a line of text on its own plate.
const LABEL: Vec2 = Vec2::new(5.0, 2.5);

/// Returns the size of a line of text on its own plate, in points.
pub fn label_size(painter: &Painter, text: &str, size: f32) -> Vec2 {
    painter.layout_no_wrap(text.to_owned(), mono(size), LIGHT).size() + 2.0 * LABEL
}

/// Draws a line of text on its own plate near a point, inside `within`. Returns its rectangle.
pub fn label(painter: &Painter, within: Rect, at: Pos2, anchor: Align2, text: &str, size: f32, color: Color32) -> Rect {
    let galley = painter.layout_no_wrap(text.to_owned(), mono(size), color);
    let rect = anchor.anchor_size(at, galley.size() + 2.0 * LABEL);
    let rect = inside(rect, within);
    fill_plate(painter, rect, 4, PLATE);
    painter.galley(rect.min + LABEL, galley, color);
    rect
}

/// Moves a rectangle inside another one, if it fits.
pub fn inside(rect: Rect, within: Rect) -> Rect {
    let shift = |low: f32, high: f32, from: f32, to: f32| {
        if low < from {
            from - low
        } else if high > to {
            (to - high).max(from - low)
        } else {
            0.0
        }
    };
    rect.translate(Vec2::new(
        shift(rect.min.x, rect.max.x, within.min.x, within.max.x),
        shift(rect.min.y, rect.max.y, within.min.y, within.max.y),
    ))
}

/// Returns the stroke of drawn icons.
pub fn stroke(color: Color32) -> Stroke {
    Stroke::new(1.6, color)
}

/// Returns the colour of a channel on buttons and in tables: that of its histogram, light enough to be legible as text.
pub const fn channel_color(components: histoscope_core::histogram::Components, channel: usize) -> Color32 {
    use histoscope_core::histogram::Components;
    match (components, channel) {
        (Components::Rgbl, 0) | (Components::YCbCr, 2) => Color32::from_rgb(255, 104, 98),
        (Components::Rgbl, 1) => Color32::from_rgb(92, 226, 112),
        (Components::Rgbl, 2) | (Components::YCbCr, 1) => Color32::from_rgb(112, 158, 255),
        _ => Color32::from_rgb(232, 232, 226),
    }
}

/// Sets the style of egui's own widgets.
pub fn apply(context: &egui::Context) {
    context.set_theme(egui::Theme::Dark);
    context.all_styles_mut(|style| {
        style.interaction.selectable_labels = false;
        style.interaction.tooltip_delay = 0.35;
        style.animation_time = 0.0;
        // What scrolls has a scroll bar, wherever the pointer is, and its cut edge fades.
        style.spacing.scroll.dormant_handle_opacity = 0.6;
        style.spacing.scroll.fade.strength = 1.0;
        style.visuals.window_fill = SOLID;
        style.visuals.window_stroke = EDGE;
        style.visuals.popup_shadow = egui::Shadow::NONE;
        style.visuals.override_text_color = Some(LIGHT);
        style.visuals.extreme_bg_color = Color32::from_black_alpha(140);
        style.visuals.weak_text_color = Some(HINT);
        style.visuals.selection.bg_fill = SELECTED;
        // Selected text stays as light as other text.
        style.visuals.selection.stroke.color = LIGHT;
        style.visuals.text_cursor.stroke = Stroke::new(1.5, ACCENT);
        // A window at rest is not redrawn.
        style.visuals.text_cursor.blink = false;
    });
    context.options_mut(|options| {
        options.zoom_with_keyboard = false;
        options.input_options.max_double_click_delay = DOUBLE_CLICK.as_secs_f64();
    });
}
