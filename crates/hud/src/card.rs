//! A small table of values next to a point, such as the pointer.

use egui::{Color32, Pos2, Rect, Ui, Vec2, pos2, vec2};

use super::theme;

/// Space between columns, in points.
const GAP: f32 = 10.0;
const LINE: f32 = 16.0;
const PADDING: Vec2 = vec2(9.0, 6.0);

/// A line of a card.
#[derive(Debug, Clone, PartialEq)]
pub struct CardLine {
    /// The name of the values.
    pub name: String,
    /// Colour of the name.
    pub color: Color32,
    /// The values with their colours, one per column.
    pub cells: Vec<(String, Color32)>,
}

/// A card: a title, perhaps with a colour swatch, and the lines below it.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// The title, above the lines.
    pub title: String,
    /// A colour shown next to the title.
    pub swatch: Option<Color32>,
    /// The lines.
    pub lines: Vec<CardLine>,
}

impl Card {
    /// Adds the picture's name to the title, if one is given.
    #[must_use]
    pub fn of_picture(mut self, name: Option<&str>) -> Self {
        if let Some(name) = name {
            self.title = format!("{}  {name}", self.title);
        }
        self
    }

    /// Returns the card as one line of text, for the log.
    #[must_use]
    pub fn as_text(&self) -> String {
        let cells = |line: &CardLine| line.cells.iter().map(|(cell, _)| cell.as_str()).collect::<Vec<_>>().join(" ");
        let lines = self.lines.iter().map(|line| format!("{} {}", line.name, cells(line)));
        std::iter::once(self.title.clone()).chain(lines).collect::<Vec<_>>().join("; ")
    }

    /// Returns the card as lines of tab-separated cells.
    #[must_use]
    pub fn as_table(&self) -> String {
        let row = |line: &CardLine| {
            let cells = line.cells.iter().map(|(cell, _)| cell.as_str());
            std::iter::once(line.name.as_str()).chain(cells).collect::<Vec<_>>().join("\t")
        };
        std::iter::once(self.title.clone()).chain(self.lines.iter().map(row)).collect::<Vec<_>>().join("\n")
    }

    /// Draws the card below and to the right of `at`, or on other sides if there is no room, inside `within` and clear
    /// of the `taken` rectangles. Returns its rectangle, or `None` without drawing anything if there is no room.
    pub fn show(&self, ui: &Ui, id: &str, at: Pos2, within: Rect, taken: &[Rect], strength: f32) -> Option<Rect> {
        let layer = egui::LayerId::new(egui::Order::Middle, egui::Id::unique(id));
        let mut painter = ui.ctx().layer_painter(layer);
        painter.set_opacity(strength);
        let layout = |text: &str, color| painter.layout_no_wrap(text.to_owned(), theme::mono(theme::TEXT - 0.5), color);
        let title = layout(&self.title, theme::LIGHT);
        let rows: Vec<_> = self
            .lines
            .iter()
            .map(|line| {
                let cells: Vec<_> = line.cells.iter().map(|(cell, color)| layout(cell, *color)).collect();
                (layout(&line.name, line.color), cells)
            })
            .collect();
        let columns = rows.iter().map(|(_, cells)| cells.len()).max().unwrap_or(0);
        let name_width = rows.iter().map(|(name, _)| name.size().x).fold(0.0, f32::max);
        let widths: Vec<f32> = (0..columns)
            .map(|i| rows.iter().filter_map(|(_, cells)| cells.get(i)).map(|cell| cell.size().x).fold(0.0, f32::max))
            .collect();
        let swatch = if self.swatch.is_some() { 20.0 } else { 0.0 };
        let inner = vec2(
            (title.size().x + swatch).max(name_width + widths.iter().map(|width| width + GAP).sum::<f32>()),
            LINE * (rows.len() + 1) as f32,
        );
        let rect = free_place(at, inner + 2.0 * PADDING, within, taken)?;
        theme::fill_plate(&painter, rect, theme::ROUND, theme::PLATE);
        let start = rect.min + PADDING;
        painter.galley(start, title, theme::LIGHT);
        if let Some(color) = self.swatch {
            let square = Rect::from_min_size(pos2(rect.max.x - PADDING.x - 13.0, start.y + 1.0), Vec2::splat(13.0));
            painter.rect(square, 2, color, egui::Stroke::new(1.0, theme::DIM), egui::StrokeKind::Outside);
        }
        for (index, (name, cells)) in rows.into_iter().enumerate() {
            let y = start.y + LINE * (index + 1) as f32;
            painter.galley(pos2(start.x, y), name, theme::LIGHT);
            let mut right = start.x + name_width;
            for (cell, width) in cells.into_iter().zip(&widths) {
                right += GAP + width;
                painter.galley(pos2(right - cell.size().x, y), cell, theme::LIGHT);
            }
        }
        Some(rect)
    }
}

/// Finds a rectangle of this size inside `within` that avoids all `taken` rectangles: next to the point if possible,
/// otherwise next to a taken rectangle, as near to the point as possible.
fn free_place(at: Pos2, size: Vec2, within: Rect, taken: &[Rect]) -> Option<Rect> {
    let best = beside(at, size, within);
    let room = within.expand(0.5);
    let is_free = |place: &Rect| room.contains_rect(*place) && !taken.iter().any(|other| other.intersects(*place));
    if is_free(&best) {
        return Some(best);
    }
    let on_other_sides = sides(at).map(|corner| theme::inside(Rect::from_min_size(corner(size), size), within));
    if let Some(place) = on_other_sides.into_iter().find(|place| is_free(place) && !place.contains(at)) {
        return Some(place);
    }
    let aside = taken.iter().flat_map(|other| {
        let left = pos2(other.min.x - GAP - size.x, best.min.y);
        let right = pos2(other.max.x + GAP, best.min.y);
        let above = pos2(best.min.x, other.min.y - GAP - size.y);
        let below = pos2(best.min.x, other.max.y + GAP);
        [left, right, above, below].map(|corner| theme::inside(Rect::from_min_size(corner, size), within))
    });
    let distance = |place: &Rect| place.distance_to_pos(at) + if place.contains(at) { within.width() } else { 0.0 };
    aside.filter(is_free).min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

/// Distance between the pointer and a card to its right or below. On the other sides, where the pointer's arrow does
/// not reach, it is [`BEFORE`].
const AFTER: Vec2 = vec2(16.0, 18.0);
const BEFORE: Vec2 = vec2(9.6, 9.0);

/// Returns functions that place the corner of a card of a given size around a point, clear of the pointer's arrow. The
/// first one places the card below and to the right.
fn sides(at: Pos2) -> [impl Fn(Vec2) -> Pos2; 4] {
    [(true, true), (false, true), (true, false), (false, false)].map(|(right, below)| {
        move |size: Vec2| {
            let x = if right { at.x + AFTER.x } else { at.x - BEFORE.x - size.x };
            let y = if below { at.y + AFTER.y } else { at.y - BEFORE.y - size.y };
            pos2(x, y)
        }
    })
}

/// Returns a rectangle of this size near a point, clear of the pointer's arrow, inside `within`.
fn beside(at: Pos2, size: Vec2, within: Rect) -> Rect {
    let right = at.x + AFTER.x + size.x <= within.max.x;
    let below = at.y + AFTER.y + size.y <= within.max.y;
    let corner = sides(at)[usize::from(!right) + 2 * usize::from(!below)](size);
    theme::inside(Rect::from_min_size(corner, size), within)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_stays_inside_and_leaves_the_pointer_free() {
        let within = Rect::from_min_max(pos2(0.0, 60.0), pos2(640.0, 260.0));
        let size = vec2(150.0, 90.0);
        for x in [0, 100, 320, 600, 639] {
            for y in [60, 100, 160, 259] {
                let at = pos2(x as f32, y as f32);
                let rect = beside(at, size, within);
                assert!(within.contains_rect(rect), "{at:?}: {rect:?}");
                assert!(!rect.contains(at), "{at:?} lies under {rect:?}");
            }
        }
    }

    #[test]
    fn a_card_stays_near_the_pointer_next_to_a_panel() {
        let within = Rect::from_min_max(pos2(0.0, 0.0), pos2(480.0, 120.0));
        let panel = Rect::from_min_max(pos2(260.0, 0.0), pos2(470.0, 120.0));
        for x in [170, 200, 230, 250] {
            for y in [2, 20, 60, 110] {
                let at = pos2(x as f32, y as f32);
                let place = free_place(at, vec2(150.0, 90.0), within, &[panel]).expect("there is room");
                assert!(
                    !place.contains(at) && place.distance_to_pos(at) < 21.0,
                    "{place:?} with the pointer at {at:?}"
                );
                assert!(within.contains_rect(place) && !place.intersects(panel), "{place:?}");
            }
        }
    }

    #[test]
    fn cards_never_overlap() {
        let within = Rect::from_min_max(pos2(0.0, 60.0), pos2(640.0, 300.0));
        let size = vec2(150.0, 90.0);
        for other in [(40, 100), (240, 200), (480, 70)] {
            let other = Rect::from_min_size(pos2(other.0 as f32, other.1 as f32), vec2(160.0, 60.0));
            for x in (0..640).step_by(16) {
                for y in (60..300).step_by(12) {
                    let at = pos2(x as f32, y as f32);
                    let place = free_place(at, size, within, &[other]).expect("there is room for both");
                    assert!(!place.intersects(other), "{place:?} lies on {other:?} with the pointer at {at:?}");
                    assert!(within.contains_rect(place), "{place:?}");
                }
            }
        }
        // Without room for both, only the first one is shown.
        assert_eq!(free_place(within.center(), size, within, &[within]), None);
        assert_eq!(free_place(pos2(10.0, 70.0), size, within, &[]), Some(beside(pos2(10.0, 70.0), size, within)));
    }
}
