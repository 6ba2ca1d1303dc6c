//! Draws a diagram into a rectangle.

use egui::{Align2, Color32, Painter, Pos2, Rect, Shape, Stroke, StrokeKind, Vec2, pos2, vec2};

use super::diagram::{BELOW, CellAppearance, CellContent, Diagram, DiagramCell, DiagramRow, Link};
use crate::controls::INK;
use crate::theme;

/// Maximum size of the letters in cells, in points.
const LETTERS: f32 = 10.5;
/// Space between the rows' names and their cells.
const BEHIND_NAMES: f32 = 8.0;
/// Height of a cell, with few rows and with many.
const CELLS: [f32; 2] = [18.0, 14.0];
/// Height of a cell with bins: their numbers, and their counts below.
const BINS: f32 = 31.0;
/// Number of rows that counts as many.
pub const MANY: usize = 4;
/// Space before a row that stands directly below another.
const CLOSE: f32 = 2.0;
/// Minimum space for links between rows.
const BETWEEN: f32 = 28.0;
/// Maximum width of a cell, and of a bin in it.
const WIDEST: [f32; 2] = [116.0, 44.0];
/// Space that the letters in a cell leave free.
const BESIDE_LETTERS: f32 = 6.0;
/// Space between cells, between many cells, and between groups.
const GAPS: [f32; 3] = [2.0, 1.0, 9.0];
/// Number of cells in a row that counts as many.
const MANY_CELLS: usize = 12;
/// The colour of memory for which a second lane waits.
const CONFLICT: Color32 = Color32::from_rgb(186, 160, 255);
/// Height of a single-line caption.
const CAPTION: f32 = 15.0;

/// Returns the minimum height of a diagram of this width, both in points.
#[must_use]
pub fn least_height(painter: &Painter, width: f32, diagram: &Diagram) -> f32 {
    let caption = painter.layout(diagram.caption.clone(), theme::words(theme::SMALL), theme::LIGHT, width).size().y;
    let rows: f32 = heights(diagram).iter().sum();
    rows + gaps(diagram) as f32 * BETWEEN + close(diagram) + caption.max(CAPTION) + 4.0
}

/// Returns the number of gaps with room for links.
fn gaps(diagram: &Diagram) -> usize {
    diagram.rows.iter().skip(1).filter(|row| !row.is_close()).count()
}

/// Returns the space before rows of pixels that stand directly below others. A row of banks takes its space from the
/// caption's.
fn close(diagram: &Diagram) -> f32 {
    diagram.rows.iter().filter(|row| row.name.starts_with(BELOW)).count() as f32 * CLOSE
}

/// Returns the height of each row.
fn heights(diagram: &Diagram) -> Vec<f32> {
    let plain = CELLS[usize::from(diagram.rows.len() >= MANY)];
    let has_bins = |row: &DiagramRow| row.cells.iter().any(|cell| matches!(cell.content, CellContent::Bins(_)));
    diagram.rows.iter().map(|row| if has_bins(row) { BINS } else { plain }).collect()
}

/// Draws a diagram.
pub fn show(painter: &Painter, rect: Rect, diagram: &Diagram) {
    let caption = painter.layout(diagram.caption.clone(), theme::words(theme::SMALL), theme::LIGHT, rect.width());
    let below = caption.size().y.max(CAPTION) + 4.0;
    let name = |row: &DiagramRow| {
        painter.layout_no_wrap(row.name.clone().into_owned(), theme::words(theme::SMALL), theme::DIM)
    };
    let names: Vec<_> = diagram.rows.iter().map(name).collect();
    let widest = names.iter().map(|name| name.size().x).fold(0.0, f32::max);
    let room = Rect::from_min_max(rect.min + vec2(widest + BEHIND_NAMES, 0.0), rect.max - vec2(0.0, below));
    let heights = heights(diagram);
    let between = (room.height() - heights.iter().sum::<f32>() - close(diagram)) / gaps(diagram).max(1) as f32;
    let mut top = room.min.y - between;
    let places: Vec<Vec<Rect>> = diagram
        .rows
        .iter()
        .zip(heights)
        .map(|(row, height)| {
            top += if row.is_close() { CLOSE } else { between };
            let places = places(row, pos2(room.min.x, top), vec2(room.width(), height));
            top += height;
            places
        })
        .collect();
    for link in &diagram.links {
        let [from, to] = [link.from, link.to].map(|(row, place)| places[row][place]);
        let color = if link.lost { theme::WRONG } else { Color32::from_white_alpha(130) };
        draw_link(painter, (from, to), link, Stroke::new(1.2, color));
    }
    for ((row, places), name) in diagram.rows.iter().zip(&places).zip(names) {
        let Some(first) = places.first() else { continue };
        painter.galley(pos2(rect.min.x, first.center().y - name.size().y / 2.0), name, theme::DIM);
        let size = letters(painter, row, places);
        row.cells.iter().zip(places).for_each(|(cell, &place)| draw_cell(painter, place, (cell, size)));
    }
    painter.galley(pos2(rect.min.x, rect.max.y - caption.size().y), caption, theme::LIGHT);
}

/// Returns the rectangles of a row's cells. `at` is the row's top left corner; `room` is the width available and the
/// height of a cell.
fn places(row: &DiagramRow, at: Pos2, room: Vec2) -> Vec<Rect> {
    let count = row.cells.len().max(1);
    let together = row.together.max(1);
    let gap = |index: usize| match (index + 1).is_multiple_of(together) {
        true => GAPS[2],
        false => GAPS[usize::from(count >= MANY_CELLS)],
    };
    let gaps: f32 = (0..count - 1).map(gap).sum();
    let widest = row.cells.iter().map(|cell| match &cell.content {
        CellContent::Text(_) => WIDEST[0],
        CellContent::Bins(bins) => WIDEST[0].max(WIDEST[1] * bins.len() as f32),
    });
    let cell = ((room.x - gaps) / count as f32).min(widest.fold(0.0, f32::max));
    let mut left = at.x;
    (0..row.cells.len())
        .map(|index| {
            let rect = Rect::from_min_size(pos2(left, at.y), vec2(cell, room.y));
            left = rect.max.x + gap(index);
            rect
        })
        .collect()
}

fn draw_link(painter: &Painter, (from, to): (Rect, Rect), link: &Link, stroke: Stroke) {
    let (begin, end) = match link.from.0.cmp(&link.to.0) {
        std::cmp::Ordering::Less => (from.center_bottom(), to.center_top()),
        std::cmp::Ordering::Greater => (from.center_top(), to.center_bottom()),
        std::cmp::Ordering::Equal => {
            // An arc above the row, higher the longer it is.
            let [a, b] = [from.center_top(), to.center_top()];
            let top = pos2(a.x.midpoint(b.x), a.y - (8.0 + (a.x - b.x).abs() * 0.05).min(13.0));
            painter.add(Shape::line(vec![a, top, b], stroke));
            return arrow(painter, top, b, stroke);
        }
    };
    if link.leaves {
        painter.extend(Shape::dashed_line(&[begin, end], stroke, 4.0, 3.0));
    } else {
        painter.line_segment([begin, end], stroke);
    }
    arrow(painter, begin, end, stroke);
}

/// Draws the head of an arrow.
fn arrow(painter: &Painter, from: Pos2, to: Pos2, stroke: Stroke) {
    let way = (to - from).normalized();
    let side = way.rot90();
    let corners = vec![to, to - way * 5.0 + side * 2.6, to - way * 5.0 - side * 2.6];
    painter.add(Shape::convex_polygon(corners, stroke.color, Stroke::NONE));
}

/// Returns the size of letters at which all texts of a row fit into its cells.
fn letters(painter: &Painter, row: &DiagramRow, places: &[Rect]) -> f32 {
    let fits = |text: String, room: f32| {
        let width = painter.layout_no_wrap(text, theme::mono(LETTERS), Color32::PLACEHOLDER).size().x;
        LETTERS * ((room - BESIDE_LETTERS) / width.max(1.0)).min(1.0)
    };
    let fitting = |(cell, place): (&DiagramCell, &Rect)| match &cell.content {
        CellContent::Text(text) => fits(text.clone(), place.width()),
        CellContent::Bins(bins) => {
            let longest = bins.iter().map(|(bin, count)| *bin.max(count)).max().unwrap_or(0);
            fits(longest.to_string(), place.width() / bins.len().max(1) as f32)
        }
    };
    row.cells.iter().zip(places).map(fitting).fold(LETTERS, f32::min)
}

/// Draws a cell, with letters of this size.
pub fn draw_cell(painter: &Painter, rect: Rect, (cell, size): (&DiagramCell, f32)) {
    if cell.look == CellAppearance::Nothing {
        return;
    }
    let (fill, ink, outline) = colors(cell.look);
    painter.rect(rect, 3, fill, Stroke::new(1.0, outline), StrokeKind::Inside);
    match &cell.content {
        CellContent::Text(text) => {
            let galley = painter.layout_no_wrap(text.clone(), theme::mono(size), ink);
            painter.galley(rect.center() - galley.size() / 2.0, galley, ink);
        }
        CellContent::Bins(bins) => {
            let width = rect.width() / bins.len().max(1) as f32;
            let line = rect.top() + rect.height() / 2.0;
            painter.hline(rect.x_range().shrink(4.0), line, Stroke::new(1.0, ink.gamma_multiply(0.5)));
            for (place, (bin, count)) in bins.iter().enumerate() {
                let middle = rect.left() + width * (place as f32 + 0.5);
                for (number, y) in [(bin, rect.height() * 0.25), (count, rect.height() * 0.75)] {
                    let at = pos2(middle, rect.top() + y);
                    painter.text(at, Align2::CENTER_CENTER, number.to_string(), theme::mono(size), ink);
                }
            }
        }
    }
}

/// Returns the fill, the text colour and the outline of a cell.
fn colors(look: CellAppearance) -> (Color32, Color32, Color32) {
    let faint = Color32::from_white_alpha(12);
    let edge = Color32::from_white_alpha(60);
    match look {
        CellAppearance::Pixel([r, g, b]) => {
            let fill = Color32::from_rgb(r, g, b);
            (fill, ink_on(fill), theme::LIGHT)
        }
        CellAppearance::FaintPixel([r, g, b]) => {
            let fill = Color32::from_rgb(r / 2, g / 2, b / 2);
            (fill, ink_on(fill), Color32::from_gray(80))
        }
        CellAppearance::Busy => (theme::ACCENT, INK, theme::ACCENT),
        CellAppearance::Idle => (faint, theme::DIM, Color32::from_white_alpha(28)),
        CellAppearance::Memory => (faint, theme::LIGHT, edge),
        CellAppearance::Written => (theme::RIGHT, INK, theme::RIGHT),
        CellAppearance::Nothing => (Color32::TRANSPARENT, Color32::TRANSPARENT, Color32::TRANSPARENT),
        CellAppearance::Lost => (theme::WRONG, INK, theme::WRONG),
        CellAppearance::Conflict => (CONFLICT, INK, CONFLICT),
    }
}

/// Returns black or white, whichever has more contrast with a colour.
fn ink_on(fill: Color32) -> Color32 {
    let linear = |code: u8| (f32::from(code) / 255.0).powf(2.2);
    let luminance = 0.2126 * linear(fill.r()) + 0.7152 * linear(fill.g()) + 0.0722 * linear(fill.b());
    // At this luminance, black and white have the same contrast.
    if luminance > 0.179 { Color32::BLACK } else { Color32::WHITE }
}
