//! The help: an overview of all keys, built from the table that handles them.

use std::sync::Arc;

use egui::{Align2, Color32, Galley, Pos2, Rect, Ui, Vec2, pos2, vec2};

use super::theme;
use histoscope_keys::{self as keys, Section};

/// Minimum and maximum width of a column if there are several, in points.
pub(super) const COLUMN: f32 = 390.0;
const WIDEST: f32 = 450.0;
/// The most columns.
const COLUMNS: usize = 4;
/// Maximum width of keys with their words next to them, as a fraction of the column. The words of wider keys go below.
const KEYS: f32 = 0.45;
/// Height of a key.
const CAP: f32 = 16.5;
/// Space between keys of a row.
const BETWEEN_CAPS: f32 = 4.0;
/// Space between keys and words, and to the right of the words.
const BESIDE: f32 = 8.0;
const RIGHT: f32 = 18.0;
/// Space between rows.
const SPACE: f32 = 2.0;
/// Height of a heading.
const HEADING: f32 = 20.0;
/// Space between sections.
const BETWEEN: f32 = 8.0;
/// Room around the sections, in whole points.
const PADDING: i8 = 12;
/// Height of the frame, its edge and the space around it, above and below together.
const AROUND: f32 = 2.0 * (PADDING as f32 + 2.0) + 1.6 * theme::MARGIN;
/// What egui's rounding adds to the rows of a column at most.
const ROUNDING: f32 = 2.0;
/// Minimum height of the scrolled text, with room for the handle of its scroll bar.
const MIN_HEIGHT: f32 = 24.0;

/// Width of the frame and the space next to it, left and right together.
const ASIDE: f32 = 2.0 * PADDING as f32 + 8.0;

/// The sections, laid out in columns.
struct Sheet {
    blocks: Vec<HelpBlock>,
    /// Index after the last block of each column.
    ends: Vec<usize>,
    /// Width of a column.
    width: f32,
    /// Horizontal offset of the words within a column.
    words: f32,
    /// Height of the tallest column.
    height: f32,
}

impl Sheet {
    /// Lays out the sections in as few columns as the room's height allows. If no number fits, uses as many as the
    /// width allows.
    fn in_room(ui: &Ui, room: Rect) -> Self {
        let most = (((room.width() - ASIDE) / COLUMN).floor().max(1.0) as usize).min(COLUMNS);
        let of = |columns| Self::of(ui, columns, (room.width() - ASIDE).clamp(0.0, WIDEST * columns as f32));
        let mut all = (1..=most).map(of);
        let mut sheet = all.next_back();
        while let Some(fewer) = all.next_back().filter(|fewer| fewer.fits(room)) {
            sheet = Some(fewer);
        }
        sheet.unwrap_or_else(|| of(1))
    }

    fn of(ui: &Ui, columns: usize, width: f32) -> Self {
        let (blocks, width) = (HelpBlock::all(), width / columns as f32);
        let caps = blocks.iter().flat_map(|block| &block.rows).map(|(labels, _)| caps_width(ui, labels));
        let words = caps.filter(|&caps| caps <= KEYS * width).fold(0.0, f32::max) + BESIDE;
        let heights: Vec<f32> = blocks.iter().map(|block| block.height(ui, width, words)).collect();
        let ends = shared_out(&heights, columns);
        let begins = std::iter::once(0).chain(ends.iter().copied());
        let columns = begins.zip(&ends).map(|(begin, &end)| heights[begin..end].iter().sum::<f32>() - BETWEEN);
        let height = columns.fold(0.0, f32::max);
        Self { blocks, ends, width, words, height }
    }

    /// Returns `true` if all of the help is visible in this room without scrolling.
    fn fits(&self, room: Rect) -> bool {
        self.height + ROUNDING + AROUND <= room.height()
    }

    fn show(&self, ui: &mut Ui) {
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            let mut begin = 0;
            for &end in &self.ends {
                ui.vertical(|ui| {
                    ui.set_width(self.width);
                    ui.spacing_mut().item_spacing.y = 0.0;
                    for (index, block) in self.blocks[begin..end].iter().enumerate() {
                        if index > 0 {
                            ui.add_space(BETWEEN);
                        }
                        block.show(ui, self.width, self.words);
                    }
                });
                begin = end;
            }
        });
    }
}

/// Returns `true` if all of the help fits in a room.
#[must_use]
pub fn fits(ui: &Ui, room: Rect) -> bool {
    Sheet::in_room(ui, room).fits(room)
}

/// Shows the help in the middle of `room`. Returns `true` if it stays open.
pub fn show(ui: &Ui, room: Rect) -> bool {
    let sheet = Sheet::in_room(ui, room);
    let mut stays = true;
    let area = egui::Area::new(egui::Id::unique("help"))
        .order(egui::Order::Foreground)
        .fade_in(false)
        .pivot(Align2::CENTER_CENTER)
        .fixed_pos(room.center());
    let response = area.show(ui.ctx(), |ui| {
        let plate = theme::framed(PADDING, PADDING).fill(theme::SOLID);
        plate.show(ui, |ui| {
            ui.set_width(sheet.width * sheet.ends.len() as f32);
            let height = (room.height() - AROUND).max(MIN_HEIGHT);
            egui::ScrollArea::vertical()
                .max_height(height)
                .min_scrolled_height(height)
                .auto_shrink([false, true])
                .show(ui, |ui| sheet.show(ui));
        });
    });
    // A click anywhere closes the help; the wheel scrolls it if it is too long.
    let clicked = ui.ctx().input(|input| input.pointer.primary_clicked());
    if clicked && !response.response.is_pointer_button_down_on() {
        stays = false;
    }
    stays
}

/// A heading with its rows: keys and words.
struct HelpBlock {
    name: &'static str,
    rows: Vec<(Vec<String>, String)>,
}

impl HelpBlock {
    /// Returns all sections of the table, and the pointer's gestures.
    fn all() -> Vec<Self> {
        let of_section = |section: Section| Self {
            name: section.name(),
            rows: keys::rows(section).map(|row| (row.labels(), row.help())).collect(),
        };
        let gestures = keys::GESTURES.iter().map(|(gesture, help)| (vec![(*gesture).to_owned()], (*help).to_owned()));
        let pointer = Self { name: "Pointer", rows: gestures.collect() };
        Section::ALL.into_iter().map(of_section).chain([pointer]).collect()
    }

    /// Returns the offset of a row's words and their layout: to the right of the keys, or below keys that are too wide.
    fn words(ui: &Ui, (labels, help): (&[String], &str), (width, words): (f32, f32)) -> (Vec2, Arc<Galley>) {
        let top = if caps_width(ui, labels) + BESIDE > words + 0.1 { CAP + 1.0 } else { 0.0 };
        let room = (width - words - RIGHT).max(60.0);
        let galley = ui.painter().layout(help.to_owned(), theme::words(theme::TEXT), Color32::from_gray(212), room);
        (vec2(words, top), galley)
    }

    fn row_height(ui: &Ui, row: (&[String], &str), widths: (f32, f32)) -> f32 {
        let (at, words) = Self::words(ui, row, widths);
        (at.y + words.size().y).max(CAP)
    }

    /// Returns the block's height in a column and the space below it, in points.
    fn height(&self, ui: &Ui, width: f32, words: f32) -> f32 {
        let rows = self.rows.iter().map(|(labels, help)| Self::row_height(ui, (labels, help), (width, words)) + SPACE);
        HEADING + SPACE + rows.sum::<f32>() + BETWEEN
    }

    /// Shows the heading and the rows: keys as caps at the left, words at the right.
    fn show(&self, ui: &mut Ui, width: f32, words: f32) {
        let at = ui.allocate_exact_size(vec2(width, HEADING + SPACE), egui::Sense::hover()).0;
        let font = egui::FontId::proportional(theme::TEXT + 1.0);
        ui.painter().text(at.min, Align2::LEFT_TOP, self.name, font, theme::ACCENT);
        for (labels, help) in &self.rows {
            let row = (labels.as_slice(), help.as_str());
            let height = Self::row_height(ui, row, (width, words));
            let (rect, _) = ui.allocate_exact_size(vec2(width, height + SPACE), egui::Sense::hover());
            let mut left = rect.min.x;
            for label in labels {
                left = key_cap(ui.painter(), pos2(left, rect.min.y), label) + BETWEEN_CAPS;
            }
            let (at, words) = Self::words(ui, row, (width, words));
            ui.painter().galley(rect.min + at + vec2(0.0, 0.5), words, theme::LIGHT);
        }
    }
}

/// Returns the end of each column if these heights are distributed in order and the tallest column is as short as
/// possible.
fn shared_out(heights: &[f32], columns: usize) -> Vec<usize> {
    /// Fills columns up to a height. Returns their ends, or `None` if there are too many columns.
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
    // The tallest column consists of consecutive blocks, so its height is one of these sums, plus a little for
    // rounding.
    let mut candidates: Vec<f32> = sums.map(|sum| sum + 0.01).collect();
    candidates.sort_by(f32::total_cmp);
    let highest = heights.iter().copied().fold(0.0, f32::max);
    let fits = |&most: &f32| (most >= highest).then(|| filled(heights, columns, most)).flatten();
    candidates.iter().find_map(fits).unwrap_or_else(|| vec![heights.len()])
}

/// Returns the width of these keys side by side.
fn caps_width(ui: &Ui, labels: &[String]) -> f32 {
    let cap = |label: &String| {
        let text = ui.painter().layout_no_wrap(label.clone(), theme::mono(theme::SMALL), theme::LIGHT);
        cap_width(&text) + BETWEEN_CAPS
    };
    labels.iter().map(cap).sum::<f32>() - BETWEEN_CAPS
}

/// Returns the width of a key with this text.
fn cap_width(text: &Galley) -> f32 {
    (text.size().x + 9.0).max(18.0)
}

/// Draws a key. Returns the x coordinate of its right edge.
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
    fn columns_are_as_equal_in_height_as_the_order_allows() {
        assert_eq!(shared_out(&[1.0, 1.0, 1.0, 3.0], 2), [3, 4]);
        assert_eq!(shared_out(&[4.0, 1.0, 1.0, 1.0, 1.0, 4.0], 3), [1, 5, 6]);
        assert_eq!(shared_out(&[5.0, 1.0, 1.0], 2), [1, 3]);
        assert_eq!(shared_out(&[2.0, 2.0], 3), [1, 2], "no more columns than there are sections");
        assert_eq!(shared_out(&[3.0, 2.0, 1.0], 1), [3]);
    }

    #[test]
    fn the_help_has_every_key_and_every_gesture() {
        let rows = HelpBlock::all().iter().map(|block| block.rows.len()).sum::<usize>();
        assert_eq!(rows, keys::TABLE.len() + keys::GESTURES.len());
    }
}
