//! The window without an open video: an invitation to open one.

use egui::containers::menu::menu_style;
use egui::{Align2, Color32, Pos2, Rect, RichText, Stroke, Ui, vec2};

use super::model::{Command, Model};
use super::{menu, theme};
use histoscope_keys::Action;

/// Shows the invitation.
pub fn show(ui: &Ui, view: Rect, model: &Model<'_>, commands: &mut Vec<Command>) {
    bars(ui, view);
    let area = egui::Area::new(egui::Id::unique("empty"))
        .fade_in(false)
        .pivot(Align2::CENTER_CENTER)
        .fixed_pos(Pos2::new(view.center().x, view.center().y - view.height() * 0.06));
    area.show(ui.ctx(), |ui| {
        ui.set_width((view.width() - 40.0).min(560.0));
        ui.vertical_centered(|ui| {
            let title = 26.0_f32.min(view.height() / 11.0).max(18.0);
            ui.label(RichText::new("Histoscope").size(title).color(theme::LIGHT));
            ui.add_space(6.0);
            let text = model.file.opening.unwrap_or("Drop a video here");
            ui.label(RichText::new(text).size(theme::TEXT + 4.0).color(Color32::from_gray(205)));
            ui.add_space(12.0);
            let button =
                egui::Button::new(RichText::new("Open a file …").size(theme::TEXT + 2.0).color(Color32::from_gray(20)))
                    .fill(theme::ACCENT)
                    .corner_radius(6)
                    .min_size(vec2(150.0, 34.0));
            if ui.add(button).clicked() {
                commands.push(Command::Do(Action::OpenFile));
            }
            ui.add_space(12.0);
            let hint = "Ctrl+O does the same   ·   ? shows all keys   ·   q quits";
            ui.label(RichText::new(hint).size(theme::TEXT).color(theme::DIM));
            let most = ((view.height() - 260.0) / 24.0).clamp(0.0, 6.0) as usize;
            if most > 0 && !model.file.recent.is_empty() {
                ui.add_space(14.0);
                ui.label(RichText::new("Recent files").size(theme::TEXT).color(theme::DIM));
                menu_style(ui.style_mut());
                menu::recent(ui, model, most, commands);
            }
        });
    });
}

/// Draws a faint histogram along the bottom edge, to suggest what the program shows.
fn bars(ui: &Ui, view: Rect) {
    let painter = ui.ctx().layer_painter(egui::LayerId::background());
    let count = 96;
    let width = view.width() / count as f32;
    for (channel, (centre, spread)) in [(0.30, 0.16), (0.47, 0.13), (0.66, 0.17)].into_iter().enumerate() {
        let color = theme::channel_color(histoscope_core::histogram::Components::Rgbl, channel).gamma_multiply(0.16);
        for bar in 0..count {
            let x = (bar as f32 + 0.5) / count as f32;
            let height = (-((x - centre) / spread).powi(2) / 2.0).exp() * view.height() * 0.2;
            let left = view.min.x + bar as f32 * width;
            let rect =
                Rect::from_min_max(Pos2::new(left, view.max.y - height), Pos2::new(left + width - 1.0, view.max.y));
            painter.rect(rect, 0, color, Stroke::NONE, egui::StrokeKind::Inside);
        }
    }
}
