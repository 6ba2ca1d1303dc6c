//! The sheet with all keys, made from the table that handles them.

use egui::{Align2, Color32, Pos2, Rect, RichText, Ui, pos2, vec2};

use super::theme;
use crate::keys::{self, Section};

/// Width that a column of the sheet takes, in points.
const COLUMN: f32 = 372.0;
/// Width of the keys in it.
const KEYS: f32 = 134.0;
/// Height of a key.
const CAP: f32 = 16.5;
/// Space between keys of a row.
const BETWEEN_CAPS: f32 = 4.0;
/// Space between rows.
const SPACE: f32 = 3.0;
/// Height of a heading with the space below it.
const HEADING: f32 = 23.0;
/// Space below the last row of a section.
const BETWEEN: f32 = 10.0;

/// Columns of the sheet in a room, and the width of all.
fn columns_in(room: Rect) -> (usize, f32) {
    let columns = ((room.width() - 24.0) / COLUMN).floor().clamp(1.0, 3.0);
    (columns as usize, (COLUMN * columns).min(room.width() - 24.0))
}

/// Whether a room has place for all of the sheet.
#[must_use]
pub fn fits(ui: &Ui, room: Rect) -> bool {
    let (columns, width) = columns_in(room);
    let heights: Vec<f32> = Block::all().iter().map(|block| block.height(ui, width / columns as f32)).collect();
    let mut begin = 0;
    shared_out(&heights, columns).into_iter().all(|end| {
        let height = heights[begin..end].iter().sum::<f32>();
        begin = end;
        height + 28.0 + 2.0 * theme::MARGIN <= room.height()
    })
}

/// Shows the sheet in the middle of `room`; whether it stays open.
pub fn show(ui: &Ui, room: Rect) -> bool {
    let room = room.shrink(theme::MARGIN * 0.8);
    let (columns, width) = columns_in(room);
    let mut stays = true;
    let area = egui::Area::new(egui::Id::unique("help"))
        .order(egui::Order::Foreground)
        .fade_in(false)
        .pivot(Align2::CENTER_CENTER)
        .fixed_pos(room.center());
    let response = area.show(ui.ctx(), |ui| {
        let plate = theme::framed(12, 12).fill(theme::SOLID);
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

/// A heading with its rows: keys and words.
struct Block {
    name: &'static str,
    rows: Vec<(Vec<String>, &'static str)>,
}

impl Block {
    /// All sections of the table, and what the pointer does.
    fn all() -> Vec<Self> {
        let of_section = |section: Section| Self {
            name: section.name(),
            rows: keys::rows(section).map(|row| (row.labels(), row.help)).collect(),
        };
        let gestures = keys::GESTURES.iter().map(|(gesture, help)| (vec![(*gesture).to_owned()], *help));
        let pointer = Self { name: "Pointer", rows: gestures.collect() };
        Section::ALL.into_iter().map(of_section).chain([pointer]).collect()
    }

    /// Where the words of a row begin, and the words as they are laid out in a column: beside the keys, however long these are.
    fn words(ui: &Ui, (labels, help): (&[String], &str), width: f32) -> (f32, std::sync::Arc<egui::Galley>) {
        let cap = |label: &String| {
            let text = ui.painter().layout_no_wrap(label.clone(), theme::mono(theme::SMALL), theme::LIGHT);
            cap_width(&text) + BETWEEN_CAPS
        };
        let left = KEYS.max(labels.iter().map(cap).sum::<f32>() + BETWEEN_CAPS);
        let room = (width - left - 18.0).max(60.0);
        (left, ui.painter().layout(help.to_owned(), theme::words(theme::TEXT), Color32::from_gray(212), room))
    }

    /// Height that it takes in a column, in points.
    fn height(&self, ui: &Ui, width: f32) -> f32 {
        let height = |(labels, help): &(Vec<String>, &str)| Self::words(ui, (labels, help), width).1.size().y;
        HEADING + self.rows.iter().map(|row| height(row).max(CAP) + SPACE).sum::<f32>() + BETWEEN
    }
}

/// The sections in columns that are as equally high as their order allows.
fn sections(ui: &mut Ui, columns: usize, width: f32) {
    let width = width / columns as f32;
    let blocks = Block::all();
    let heights: Vec<f32> = blocks.iter().map(|block| block.height(ui, width)).collect();
    let ends = shared_out(&heights, columns);
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        let mut begin = 0;
        for end in ends {
            ui.vertical(|ui| {
                ui.set_width(width);
                for block in &blocks[begin..end] {
                    show_block(ui, block, width);
                }
            });
            begin = end;
        }
    });
}

/// Where each column ends if these heights are shared out in their order so that the highest column is as low as possible.
fn shared_out(heights: &[f32], columns: usize) -> Vec<usize> {
    /// Fills columns up to a height; where they end, if they are not too many.
    fn filled(heights: &[f32], columns: usize, most: f32) -> Option<Vec<usize>> {
        let (mut ends, mut height) = (Vec::new(), 0.0);
        for (index, &next) in heights.iter().enumerate() {
            if index > 0 && height + next > most {
                ends.push(index);
                height = 0.0;
            }
            height += next;
        }
        ends.push(heights.len());
        (ends.len() <= columns).then_some(ends)
    }
    let sums = (0..heights.len()).flat_map(|from| {
        heights[from..].iter().scan(0.0, |sum, height| {
            *sum += height;
            Some(*sum)
        })
    });
    // The height of the highest column is that of some blocks that follow each other; a little more, for the rounding.
    let mut candidates: Vec<f32> = sums.map(|sum| sum + 0.01).collect();
    candidates.sort_by(f32::total_cmp);
    let highest = heights.iter().copied().fold(0.0, f32::max);
    let fits = |&most: &f32| (most >= highest).then(|| filled(heights, columns, most)).flatten();
    candidates.iter().find_map(fits).unwrap_or_else(|| vec![heights.len()])
}

/// Shows a heading and its rows: keys as caps at the left, words at the right.
fn show_block(ui: &mut Ui, block: &Block, width: f32) {
    ui.spacing_mut().item_spacing = vec2(0.0, SPACE);
    ui.label(RichText::new(block.name).size(theme::TEXT + 1.0).color(theme::ACCENT));
    for (labels, help) in &block.rows {
        let (begin, words) = Block::words(ui, (labels, help), width);
        let height = words.size().y.max(CAP);
        let (rect, _) = ui.allocate_exact_size(vec2(width - 8.0, height), egui::Sense::hover());
        let mut left = rect.min.x;
        for label in labels {
            left = key_cap(ui.painter(), pos2(left, rect.min.y), label) + BETWEEN_CAPS;
        }
        ui.painter().galley(pos2(rect.min.x + begin, rect.min.y + 0.5), words, theme::LIGHT);
    }
    ui.add_space(BETWEEN - SPACE);
}

/// Width of a key with this text.
fn cap_width(text: &egui::Galley) -> f32 {
    (text.size().x + 9.0).max(18.0)
}

/// Draws a key; where it ends.
fn key_cap(painter: &egui::Painter, at: Pos2, label: &str) -> f32 {
    let text = painter.layout_no_wrap(label.to_owned(), theme::mono(theme::SMALL), theme::LIGHT);
    let rect = Rect::from_min_size(at, vec2(cap_width(&text), CAP));
    painter.rect_filled(rect, 3, Color32::from_white_alpha(38));
    painter.galley(rect.center() - text.size() / 2.0, text, theme::LIGHT);
    rect.max.x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_equally_high_as_the_order_allows() {
        assert_eq!(shared_out(&[1.0, 1.0, 1.0, 3.0], 2), [3, 4]);
        assert_eq!(shared_out(&[4.0, 1.0, 1.0, 1.0, 1.0, 4.0], 3), [1, 5, 6]);
        assert_eq!(shared_out(&[5.0, 1.0, 1.0], 2), [1, 3]);
        assert_eq!(shared_out(&[2.0, 2.0], 3), [1, 2], "no more columns than there are sections");
        assert_eq!(shared_out(&[3.0, 2.0, 1.0], 1), [3]);
    }

    #[test]
    fn the_sheet_has_every_key_and_every_gesture() {
        let rows = Block::all().iter().map(|block| block.rows.len()).sum::<usize>();
        assert_eq!(rows, keys::TABLE.len() + keys::GESTURES.len());
    }
}
