//! The panel of facts about the video.

use egui::{Rect, RichText, Ui, vec2};

use super::theme;
use histoscope_core::picture::color::Origin;

/// A line of the panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InfoLine {
    /// The name of the fact.
    pub name: &'static str,
    /// The value.
    pub value: String,
    /// The origin of the value, such as the file or a guess.
    pub origin: Option<Origin>,
}

/// Space between names and values, in points.
const GAP: f32 = 12.0;

/// Shows the panel at the left of `room`. Returns its rectangle.
pub fn show(ui: &Ui, room: Rect, lines: &[InfoLine]) -> Rect {
    let size = if room.height() < 200.0 { theme::TEXT - 2.0 } else { theme::TEXT };
    let area = egui::Area::new(egui::Id::unique("info")).fade_in(false).fixed_pos(room.min);
    let shown = area.show(ui.ctx(), |ui| {
        theme::plate().show(ui, |ui| {
            ui.spacing_mut().interact_size.y = 0.0;
            // Leave room for the scroll bar.
            let inside = (room.width() - 24.0).clamp(80.0, 460.0) - theme::BAR;
            let width = |line: &InfoLine| {
                ui.painter().layout_no_wrap(line.name.to_owned(), theme::words(size), theme::DIM).size().x
            };
            let names = lines.iter().map(width).fold(0.0, f32::max);
            ui.set_max_width(inside + theme::BAR);
            theme::scrolled(ui, room.height() - 20.0, |ui| {
                let grid = egui::Grid::new("info").num_columns(2).spacing(vec2(GAP, 3.0)).min_row_height(0.0);
                grid.show(ui, |ui| {
                    for line in lines {
                        show_line(ui, line, size, (inside - names - GAP).max(40.0));
                        ui.end_row();
                    }
                });
            });
        });
    });
    shown.response.rect
}

/// Shows a line in letters of this size, with its value wrapped to this width.
fn show_line(ui: &mut Ui, line: &InfoLine, size: f32, width: f32) {
    ui.label(RichText::new(line.name).size(size).color(theme::DIM));
    let mut job = egui::text::LayoutJob::default();
    let format = |color| egui::TextFormat::simple(theme::words(size), color);
    job.append(&line.value, 0.0, format(theme::LIGHT));
    if let Some(origin) = line.origin {
        let color = match origin {
            Origin::Tagged => egui::Color32::from_rgb(124, 214, 140),
            Origin::Guessed => theme::ACCENT,
            Origin::Overridden => egui::Color32::from_rgb(140, 180, 255),
        };
        job.append(&origin.to_string(), 7.0, format(color));
    }
    job.wrap.max_width = width;
    let galley = ui.painter().layout_job(job);
    let (place, _) = ui.allocate_exact_size(galley.size(), egui::Sense::hover());
    ui.painter().galley(place.min, galley, theme::LIGHT);
}
