//! The panel of the probes: their values, and how far each is from the first.

use egui::{Rect, RichText, Ui, vec2};

use super::{meanings, theme};
use histoscope_render::view::probe_table::{ProbeColumn, ProbeTable};

/// Space between columns, in points.
const GAP: f32 = 9.0;
const LETTERS: f32 = theme::TEXT - 1.5;
/// Padding of the panel, left and right together.
const PADDING: f32 = 20.0;
/// Minimum height of the panel, and of another one below it, in points.
const MIN_HEIGHT: f32 = 54.0;
const MIN_BELOW: f32 = 100.0;

/// Shows the panel at the upper left of `room`, perhaps above another one; rows without room scroll. Returns its
/// rectangle, or `None` if there is no room at all.
pub fn show(ui: &Ui, room: Rect, table: &ProbeTable, is_above_another: bool) -> Option<Rect> {
    let height = room.height() - if is_above_another { MIN_BELOW } else { 0.0 };
    let width = |text: &str| ui.painter().layout_no_wrap(text.to_owned(), theme::mono(LETTERS), theme::LIGHT).size().x;
    let widths: Vec<_> = table.columns.iter().map(|column| widest(column, width) + GAP).collect();
    let of_rank = |rank: u8| {
        let columns = table.columns.iter().zip(&widths).filter(move |(column, _)| column.rank <= rank);
        columns.map(|(_, width)| width).sum::<f32>() + PADDING + theme::BAR <= room.width()
    };
    let rank = (0..=3).rev().find(|&rank| of_rank(rank))?;
    if height < MIN_HEIGHT {
        return None;
    }
    let area = egui::Area::new(egui::Id::unique("probes")).fade_in(false).fixed_pos(room.min);
    let shown = area.show(ui.ctx(), |ui| {
        let plate = theme::framed((PADDING / 2.0) as i8, 6).show(ui, |ui| {
            theme::scrolled(ui, height - 14.0, |ui| {
                ui.spacing_mut().interact_size.y = 0.0;
                let grid = egui::Grid::new("probes").spacing(vec2(GAP, 2.0)).min_col_width(8.0).min_row_height(0.0);
                grid.show(ui, |ui| rows(ui, table, rank));
            });
        });
        plate.response.on_hover_text(meanings::PROBES);
    });
    Some(shown.response.rect)
}

fn widest(column: &ProbeColumn, width: impl Fn(&str) -> f32) -> f32 {
    column.cells.iter().map(String::as_str).chain([column.head]).map(width).fold(0.0, f32::max)
}

fn rows(ui: &mut Ui, table: &ProbeTable, rank: u8) {
    let write = |ui: &mut Ui, text: &str, color| {
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Min), |ui| {
            ui.label(RichText::new(text).font(theme::mono(LETTERS)).color(color));
        });
    };
    let columns = || table.columns.iter().filter(|column| column.rank <= rank);
    for column in columns() {
        write(ui, column.head, theme::DIM);
    }
    ui.end_row();
    for row in 0..table.probes.len() {
        for column in columns() {
            let color = match column.channel {
                Some((components, channel)) => theme::channel_color(components, channel),
                None if column.head.is_empty() => theme::ACCENT,
                None => theme::LIGHT,
            };
            write(ui, &column.cells[row], color);
        }
        ui.end_row();
    }
}
