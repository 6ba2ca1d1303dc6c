//! The letters of the channels above the right end of a histogram that shows several. A click on a letter restricts
//! brushes to that channel; another click lifts the restriction.

use egui::{Color32, Rect, RichText, Ui, pos2, vec2};

use super::controls::{self, ToggleLook};
use super::model::{Command, HistogramArea, Model};
use super::theme;

/// Height of the row, and width of a letter's slot, in points.
pub const HEIGHT: f32 = 17.0;
const WIDTH: f32 = 20.0;
const HELP: &str = "brush only this channel; click again for all";

/// Returns the width of a histogram's letters, in points; 0 if it shows a single channel.
#[must_use]
pub fn width(panel: &HistogramArea) -> f32 {
    let count = panel.channels.iter().count();
    if count > 1 { count as f32 * WIDTH } else { 0.0 }
}

/// Shows the letters above each histogram that has room for them.
pub fn show(ui: &Ui, view: Rect, model: &Model<'_>, strength: f32, commands: &mut Vec<Command>) {
    let scopes = &model.scopes;
    for (number, panel) in scopes.histograms.iter().enumerate().filter(|(_, panel)| width(panel) > 0.0) {
        let bottom = panel.rect.min.y - theme::AXIS;
        let row =
            Rect::from_min_max(pos2(panel.rect.max.x - width(panel), bottom - HEIGHT), pos2(panel.rect.max.x, bottom));
        let is_free = scopes.histograms.iter().all(|other| !other.rect.intersects(row));
        if row.min.y < view.min.y + 2.0 * theme::MARGIN || !is_free || row.width() > panel.rect.width() {
            continue;
        }
        let area = egui::Area::new(egui::Id::unique(("letters", number))).fade_in(false).fixed_pos(row.min);
        area.show(ui.ctx(), |ui| {
            ui.set_opacity(strength);
            let place = ui.allocate_space(row.size()).1;
            theme::fill_plate(ui.painter(), place, egui::CornerRadius { nw: 4, ne: 4, sw: 0, se: 0 }, theme::PLATE);
            for (index, channel) in panel.channels.iter().enumerate() {
                let corner = pos2(place.min.x + index as f32 * WIDTH, place.min.y);
                let rect = Rect::from_min_size(corner, vec2(WIDTH, HEIGHT)).shrink(1.5);
                let color = theme::channel_color(scopes.components, channel);
                let is_chosen = scopes.brush_channel == Some(channel);
                let sign = scopes.components.short_name(channel);
                let ink = if is_chosen { controls::INK } else { color };
                let text = RichText::new(sign).font(theme::words(theme::SMALL)).color(ink);
                let look = ToggleLook { on: color, off: Color32::TRANSPARENT, outline: Color32::TRANSPARENT };
                if controls::toggle(ui, rect, channel, (is_chosen, text), look).on_hover_text(HELP).clicked() {
                    commands.push(Command::BrushOnly(channel));
                }
            }
        });
    }
}
