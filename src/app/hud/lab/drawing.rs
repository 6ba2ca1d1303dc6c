//! Draws a diagram into a rectangle.

use egui::{Align2, Color32, Painter, Pos2, Rect, Shape, Stroke, StrokeKind, pos2, vec2};

use super::diagram::{Cell, Content, Diagram, Look, Row};
use crate::app::hud::controls::INK;
use crate::app::hud::theme;

/// Size of letters in cells, in points.
const LETTERS: f32 = 10.5;
/// Width of the rows' names.
const NAMES: f32 = 66.0;
/// Height of a cell.
const CELL: f32 = 18.0;
/// The widest that a cell becomes.
const WIDEST: f32 = 92.0;
/// Between cells, and between groups of them.
const GAPS: [f32; 2] = [2.0, 9.0];
/// Height of a caption of one line.
const CAPTION: f32 = 15.0;

/// The least height that a diagram needs, in points.
pub const LEAST_HEIGHT: f32 = 3.0 * CELL + 2.0 * 13.0 + CAPTION;

/// Draws it.
pub fn show(painter: &Painter, rect: Rect, diagram: &Diagram) {
    let caption = painter.layout(diagram.caption.clone(), theme::words(theme::SMALL), theme::LIGHT, rect.width());
    let below = caption.size().y.max(CAPTION) + 2.0;
    let room = Rect::from_min_max(rect.min + vec2(NAMES, 0.0), rect.max - vec2(0.0, below));
    let count = diagram.rows.len().max(2) as f32;
    let step = (room.height() - CELL) / (count - 1.0);
    let places: Vec<Vec<Rect>> = diagram
        .rows
        .iter()
        .enumerate()
        .map(|(index, row)| places(row, room.min + vec2(0.0, step * index as f32), room.width()))
        .collect();
    for link in &diagram.links {
        let [from, to] = [link.from, link.to].map(|(row, place)| places[row][place]);
        let color = if link.lost { theme::WRONG } else { Color32::from_white_alpha(130) };
        draw_link(painter, (from, to), link.from.0.cmp(&link.to.0), Stroke::new(1.2, color));
    }
    for (row, places) in diagram.rows.iter().zip(&places) {
        let Some(first) = places.first() else { continue };
        let at = pos2(rect.min.x, first.center().y);
        painter.text(at, Align2::LEFT_CENTER, &row.name, theme::words(theme::SMALL), theme::DIM);
        row.cells.iter().zip(places).for_each(|(cell, &place)| draw_cell(painter, place, cell));
    }
    painter.galley(pos2(rect.min.x, rect.max.y - caption.size().y), caption, theme::LIGHT);
}

/// Where the cells of a row lie, from its upper left corner, in a width that all of them fit in.
fn places(row: &Row, at: Pos2, width: f32) -> Vec<Rect> {
    let count = row.cells.len().max(1);
    let together = row.together.max(1);
    let gap = |index: usize| GAPS[usize::from((index + 1).is_multiple_of(together))];
    let gaps: f32 = (0..count - 1).map(gap).sum();
    let cell = ((width - gaps) / count as f32).min(WIDEST);
    let mut left = at.x;
    (0..row.cells.len())
        .map(|index| {
            let rect = Rect::from_min_size(pos2(left, at.y), vec2(cell, CELL));
            left = rect.max.x + gap(index);
            rect
        })
        .collect()
}

fn draw_link(painter: &Painter, (from, to): (Rect, Rect), order: std::cmp::Ordering, stroke: Stroke) {
    let (begin, end) = match order {
        std::cmp::Ordering::Less => (from.center_bottom(), to.center_top()),
        std::cmp::Ordering::Greater => (from.center_top(), to.center_bottom()),
        std::cmp::Ordering::Equal => {
            // An arc above the row, higher the farther it leads.
            let [a, b] = [from.center_top(), to.center_top()];
            let top = pos2(a.x.midpoint(b.x), a.y - (8.0 + (a.x - b.x).abs() * 0.05).min(13.0));
            painter.add(Shape::line(vec![a, top, b], stroke));
            return arrow(painter, top, b, stroke);
        }
    };
    painter.line_segment([begin, end], stroke);
    arrow(painter, begin, end, stroke);
}

/// The head of an arrow.
fn arrow(painter: &Painter, from: Pos2, to: Pos2, stroke: Stroke) {
    let way = (to - from).normalized();
    let side = way.rot90();
    let corners = vec![to, to - way * 5.0 + side * 2.6, to - way * 5.0 - side * 2.6];
    painter.add(Shape::convex_polygon(corners, stroke.color, Stroke::NONE));
}

fn draw_cell(painter: &Painter, rect: Rect, cell: &Cell) {
    let (fill, ink, outline) = colors(cell.look);
    painter.rect(rect, 3, fill, Stroke::new(1.0, outline), StrokeKind::Inside);
    match &cell.content {
        Content::Text(text) => {
            let laid_out = |size| painter.layout_no_wrap(text.clone(), theme::mono(size), ink);
            let (galley, room) = (laid_out(LETTERS), rect.width() - 3.0);
            // Where a cell is too narrow for its text, that shrinks.
            let shrunk = LETTERS * room / galley.size().x;
            let galley = if shrunk < LETTERS { laid_out(shrunk) } else { galley };
            painter.galley(rect.center() - galley.size() / 2.0, galley, ink);
        }
        Content::Bins(counts) => {
            let inside = rect.shrink2(vec2(5.0, 2.5));
            let width = (inside.width() / counts.len().max(1) as f32).min(14.0);
            let most = counts.iter().copied().max().unwrap_or(0).max(4) as f32;
            let left = inside.center().x - width * counts.len() as f32 / 2.0;
            for (place, &count) in counts.iter().enumerate() {
                let height = (inside.height() * count as f32 / most).max(1.0);
                let at = pos2(left + width * place as f32 + 0.5, inside.max.y - height);
                painter.rect_filled(Rect::from_min_size(at, vec2(width - 1.0, height)), 0, ink);
            }
        }
    }
}

/// What a cell is filled with, what is written on it, and its edge.
fn colors(look: Look) -> (Color32, Color32, Color32) {
    let faint = Color32::from_white_alpha(12);
    let edge = Color32::from_white_alpha(60);
    match look {
        Look::Pixel([r, g, b]) => {
            let fill = Color32::from_rgb(r, g, b);
            (fill, ink_on(fill), theme::LIGHT)
        }
        Look::FaintPixel([r, g, b]) => {
            let fill = Color32::from_rgb(r / 2, g / 2, b / 2);
            (fill, ink_on(fill), Color32::from_gray(80))
        }
        Look::Busy => (theme::ACCENT, INK, theme::ACCENT),
        Look::Idle => (faint, theme::DIM, Color32::from_white_alpha(28)),
        Look::Memory => (faint, theme::LIGHT, edge),
        Look::Written => (theme::RIGHT, INK, theme::RIGHT),
        Look::Lost => (theme::WRONG, INK, theme::WRONG),
    }
}

/// Black or white, whichever is told better from a colour.
fn ink_on(fill: Color32) -> Color32 {
    let linear = |code: u8| (f32::from(code) / 255.0).powf(2.2);
    let luminance = 0.2126 * linear(fill.r()) + 0.7152 * linear(fill.g()) + 0.0722 * linear(fill.b());
    // At this luminance black and white are told from it equally well.
    if luminance > 0.179 { Color32::BLACK } else { Color32::WHITE }
}
