//! The sheet with all keys, made from the table that handles them.

use egui::{Align2, Color32, Pos2, Rect, RichText, Ui, pos2, vec2};

use super::theme;
use crate::app::keys::{self, Section};

/// Width that a column of the sheet takes, in points.
const COLUMN: f32 = 372.0;
/// Width of the keys in it.
const KEYS: f32 = 134.0;
/// Height of a key.
const CAP: f32 = 16.5;

/// Shows the sheet; whether it stays open.
pub fn show(ui: &Ui, view: Rect, free: Rect) -> bool {
    // Where it fits, it leaves the histograms alone too.
    let fits = free.width() > 3.0 * COLUMN && free.height() > 460.0;
    let room = if fits { free } else { view }.shrink(theme::MARGIN * 0.8);
    let columns = ((room.width() - 24.0) / COLUMN).floor().clamp(1.0, 3.0) as usize;
    let width = (COLUMN * columns as f32).min(room.width() - 24.0);
    let mut stays = true;
    let area = egui::Area::new(egui::Id::unique("help"))
        .order(egui::Order::Foreground)
        .fade_in(false)
        .pivot(Align2::CENTER_CENTER)
        .fixed_pos(room.center());
    let response = area.show(ui.ctx(), |ui| {
        let plate = theme::plate().fill(Color32::from_black_alpha(228)).inner_margin(12);
        plate.show(ui, |ui| {
            ui.set_width(width);
            egui::ScrollArea::vertical()
                .max_height(room.height() - 28.0)
                .min_scrolled_height(room.height() - 28.0)
                .auto_shrink([false, true])
                .show(ui, |ui| {
                    sections(ui, columns, width);
                });
        });
    });
    // A click beside the sheet, or on it, closes it; the wheel scrolls it where it is too long.
    let clicked = ui.ctx().input(|input| input.pointer.primary_clicked());
    if clicked && !response.response.is_pointer_button_down_on() {
        stays = false;
    }
    stays
}

/// The sections in columns of about the same length, in their order.
fn sections(ui: &mut Ui, columns: usize, width: f32) {
    let lines = |section: &Section| keys::rows(*section).count() + 2;
    let total = Section::ALL.iter().map(lines).sum::<usize>() + keys::GESTURES.len() + 2;
    let wanted = total.div_ceil(columns);
    let mut rest = Section::ALL.as_slice();
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        for column in 0..columns {
            let mut taken = 0;
            let mut height = 0;
            while taken < rest.len()
                && (column + 1 == columns || height == 0 || height + lines(&rest[taken]) / 2 < wanted)
            {
                height += lines(&rest[taken]);
                taken += 1;
            }
            let (now, later) = rest.split_at(taken);
            rest = later;
            ui.vertical(|ui| {
                ui.set_width(width / columns as f32);
                for section in now {
                    let rows = keys::rows(*section).map(|row| (row.labels(), row.help));
                    show_section(ui, section.name(), rows, width / columns as f32);
                }
                if column + 1 == columns {
                    let rows = keys::GESTURES.iter().map(|(gesture, help)| (vec![(*gesture).to_owned()], *help));
                    show_section(ui, "Pointer", rows, width / columns as f32);
                }
            });
        }
    });
}

/// A heading and its rows: keys as caps at the left, words at the right.
fn show_section(ui: &mut Ui, name: &str, rows: impl Iterator<Item = (Vec<String>, &'static str)>, width: f32) {
    ui.spacing_mut().item_spacing = vec2(0.0, 4.0);
    ui.label(RichText::new(name).size(theme::TEXT + 1.0).color(theme::ACCENT));
    for (labels, help) in rows {
        let words = ui.painter().layout(
            help.to_owned(),
            theme::words(theme::TEXT),
            Color32::from_gray(212),
            (width - KEYS - 18.0).max(60.0),
        );
        let height = words.size().y.max(CAP);
        let (rect, _) = ui.allocate_exact_size(vec2(width - 8.0, height), egui::Sense::hover());
        let mut left = rect.min.x;
        for label in labels {
            left = key_cap(ui.painter(), pos2(left, rect.min.y), &label) + 4.0;
        }
        ui.painter().galley(pos2(rect.min.x + KEYS, rect.min.y + 0.5), words, theme::LIGHT);
    }
    ui.add_space(10.0);
}

/// Draws a key; where it ends.
fn key_cap(painter: &egui::Painter, at: Pos2, label: &str) -> f32 {
    let text = painter.layout_no_wrap(label.to_owned(), theme::mono(theme::SMALL), theme::LIGHT);
    let rect = Rect::from_min_size(at, vec2((text.size().x + 9.0).max(18.0), CAP));
    painter.rect_filled(rect, 3, Color32::from_white_alpha(38));
    painter.galley(rect.center() - text.size() / 2.0, text, theme::LIGHT);
    rect.max.x
}
