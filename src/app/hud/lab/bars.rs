//! The bars of a method's bins where the histograms stand, and the right ones as outlines over them.

use egui::epaint::{Mesh, Vertex, WHITE_UV};
use egui::{Color32, LayerId, Painter, Rect, Shape, Stroke, Ui, pos2};

use super::view::Bins;
use crate::app::hud::model::HistogramArea;
use crate::histogram::{Components, vertical_scale};
use crate::view::overlay::{Channels, colors, lights};

/// How far outlines are whitened, so that one is seen on a bar of its own colour.
const WHITENING: f32 = 0.5;
/// Lines across, at the quarters of the height.
const QUARTER: Color32 = Color32::from_rgba_premultiplied(20, 20, 20, 20);
/// Beside an outline.
const EDGE: Color32 = Color32::from_black_alpha(110);
/// Around an overlay.
const FRAME: Color32 = Color32::from_black_alpha(204);

/// What is drawn: bins that were counted, and what they should be.
#[derive(Debug, Clone, Copy)]
pub struct Bars<'a> {
    /// Filled.
    pub counted: &'a Bins,
    /// As outlines.
    pub right: &'a Bins,
    /// Whether heights are logarithmic.
    pub logarithmic: bool,
}

impl Bars<'_> {
    /// Draws those of these channels in the overlays, below everything else.
    pub fn show(&self, ui: &Ui, areas: &[HistogramArea], on: Channels) {
        let painter = ui.ctx().layer_painter(LayerId::background());
        for area in areas {
            let channels: Vec<_> = area.channels.intersection(on).iter().collect();
            if !channels.is_empty() {
                self.show_in(&painter, area.rect, &channels);
            }
        }
    }

    fn show_in(&self, painter: &Painter, area: Rect, channels: &[usize]) {
        painter.rect_stroke(area, 0, Stroke::new(1.0, FRAME), egui::StrokeKind::Outside);
        let columns = (area.width() * painter.pixels_per_point()).round().max(1.0) as usize;
        let heights: Vec<Heights> = channels.iter().map(|&channel| self.heights(channel, columns)).collect();
        let colors = colors(Components::Rgbl);
        let mut mesh = Mesh::default();
        let x = |column: usize| area.min.x + area.width() * column as f32 / columns as f32;
        let y = |height: f32| area.max.y - area.height() * height;
        for run in runs(&heights, columns) {
            // From the highest bar down, the set of those that reach grows.
            let mut order: Vec<usize> = (0..channels.len()).collect();
            order.sort_by(|&a, &b| heights[b].counted[run.start].total_cmp(&heights[a].counted[run.start]));
            let (mut top, mut set) = (1.0, 0);
            for place in order.into_iter().map(Some).chain([None]) {
                let next = place.map_or(0.0, |place| heights[place].counted[run.start]);
                let band = Rect::from_min_max(pos2(x(run.start), y(top)), pos2(x(run.end), y(next)));
                if band.height() > 0.0 {
                    add(&mut mesh, band, color32(colors[set]));
                }
                top = next;
                set |= place.map_or(0, |place| 1 << channels[place]);
            }
        }
        painter.add(Shape::mesh(mesh));
        for quarter in 1..4 {
            painter.hline(area.x_range(), y(quarter as f32 / 4.0), Stroke::new(1.0, QUARTER));
        }
        // All dark edges first, so that none hides another's light.
        let mut lines = Mesh::default();
        let pixel = 1.0 / painter.pixels_per_point();
        for (thickness, is_edge) in [(3.0 * pixel, true), (pixel, false)] {
            for (of, &channel) in heights.iter().zip(channels) {
                let light = lights(Components::Rgbl)[channel].map(|part| part + WHITENING * (1.0 - part));
                let color = if is_edge { EDGE } else { color32([light[0], light[1], light[2], 1.0]) };
                // What is filled up to its outline needs no edge to be told from it.
                if !is_edge || of.counted != of.right {
                    outline(&mut lines, &of.right, (&x, &y), (thickness, color));
                }
            }
        }
        painter.with_clip_rect(area).add(Shape::mesh(lines));
    }

    /// The heights of a channel, column by column. Both have the right one's scale, so that what was lost is seen.
    fn heights(&self, channel: usize, columns: usize) -> Heights {
        let (counted, right) = (&self.counted[channel], &self.right[channel]);
        let scale = vertical_scale(right);
        let tallest = right.iter().copied().max().unwrap_or(0).max(1) as f32;
        let height = |count: u32| {
            let height =
                if self.logarithmic { (1.0 + count as f32).ln() / (1.0 + tallest).ln() } else { count as f32 * scale };
            height.min(1.0)
        };
        let of = |bins: &[u32]| {
            let tallest = |column| bins[bins_of_column(column, columns, bins.len())].iter().copied().max().unwrap_or(0);
            (0..columns).map(|column| height(tallest(column))).collect()
        };
        Heights { counted: of(counted), right: of(right) }
    }
}

/// Heights of a channel's bars as parts of the overlay's, one a column of pixels.
struct Heights {
    counted: Vec<f32>,
    right: Vec<f32>,
}

/// Adds the line along the tops of bars: of plain rectangles, one across and one down for each bar, since a software adapter takes
/// long for the many small triangles of a softened line.
fn outline(
    mesh: &mut Mesh,
    heights: &[f32],
    (x, y): (&impl Fn(usize) -> f32, &impl Fn(f32) -> f32),
    (thickness, color): (f32, Color32),
) {
    let half = thickness / 2.0;
    let mut begin = 0;
    let mut before: Option<f32> = None;
    for end in 1..=heights.len() {
        if end < heights.len() && (heights[end] - heights[begin]).abs() < f32::EPSILON {
            continue;
        }
        let top = y(heights[begin]);
        let (left, right) = (x(begin), x(end));
        add(mesh, Rect::from_min_max(pos2(left - half, top - half), pos2(right + half, top + half)), color);
        if let Some(before) = before {
            let (low, high) = (before.min(top), before.max(top));
            add(mesh, Rect::from_min_max(pos2(left - half, low), pos2(left + half, high)), color);
        }
        (before, begin) = (Some(top), end);
    }
}

/// Columns side by side in which nothing changes, so that few bins take few shapes.
fn runs(heights: &[Heights], columns: usize) -> Vec<std::ops::Range<usize>> {
    let same = |a: usize, b: usize| heights.iter().all(|of| (of.counted[a] - of.counted[b]).abs() < f32::EPSILON);
    let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
    for column in 0..columns {
        match runs.last_mut() {
            Some(run) if same(run.start, column) => run.end = column + 1,
            _ => runs.push(column..column + 1),
        }
    }
    runs
}

/// The bins that a column shows, of any number: those whose middle lies in it where they outnumber the columns, else the one that its
/// own middle lies in.
fn bins_of_column(column: usize, columns: usize, count: usize) -> std::ops::Range<usize> {
    if columns >= count {
        let bin = (2 * column + 1) * count / (2 * columns);
        return bin..bin + 1;
    }
    let start = |column: usize| (2 * column * count + columns - 1) / (2 * columns);
    start(column)..start(column + 1)
}

fn color32(premultiplied: [f32; 4]) -> Color32 {
    let [r, g, b, a] = premultiplied.map(|part| (part * 255.0).round() as u8);
    Color32::from_rgba_premultiplied(r, g, b, a)
}

fn add(mesh: &mut Mesh, rect: Rect, color: Color32) {
    let first = mesh.vertices.len() as u32;
    let corners = [rect.left_top(), rect.right_top(), rect.left_bottom(), rect.right_bottom()];
    mesh.vertices.extend(corners.map(|pos| Vertex { pos, uv: WHITE_UV, color }));
    mesh.indices.extend([0, 1, 2, 2, 1, 3].map(|corner| first + corner));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::panel::PanelRect;

    #[test]
    fn columns_show_the_bins_that_the_histograms_show() {
        for (width, bits) in [(576, 8), (200, 8), (256, 8), (576, 10), (100, 12), (1, 8)] {
            let panel = PanelRect { left: 0, top: 0, width, height: 10 };
            for column in 0..width {
                let (first, last) = panel.bins_of_column(column, 1 << bits);
                let found = bins_of_column(column as usize, width as usize, 1 << bits);
                assert_eq!(found, first as usize..last as usize + 1, "column {column} of {width}, {bits} bits");
            }
        }
    }

    #[test]
    fn every_bin_has_a_place_however_many_there_are() {
        for columns in [1, 7, 576, 1000] {
            for count in [3, 5, 100, 256, 4095, 4096] {
                let mut seen = vec![false; count];
                (0..columns).for_each(|column| seen[bins_of_column(column, columns, count)].fill(true));
                assert!(seen.into_iter().all(|seen| seen), "{count} bins in {columns} columns");
            }
        }
    }

    #[test]
    fn what_was_lost_is_seen_and_what_was_not_fills_its_outline() {
        let right: Bins = std::array::from_fn(|_| vec![10, 20, 40, 0]);
        let mut counted = right.clone();
        counted[3][2] = 4;
        let bars = Bars { counted: &counted, right: &right, logarithmic: false };
        let red = bars.heights(0, 4);
        assert_eq!(red.counted, red.right);
        let luminance = bars.heights(3, 4);
        assert_eq!(luminance.counted[..2], luminance.right[..2]);
        assert!((luminance.right[2] - 1.0).abs() < 1e-6 && (luminance.counted[2] - 0.1).abs() < 1e-6);
        let logarithmic = Bars { logarithmic: true, ..bars }.heights(3, 4);
        assert!((logarithmic.right[2] - 1.0).abs() < 1e-6 && logarithmic.counted[3].abs() < 1e-6);
    }

    #[test]
    fn an_outline_takes_two_rectangles_a_bar() {
        let mut mesh = Mesh::default();
        let (x, y) = (|column: usize| column as f32, |height: f32| 100.0 - height * 100.0);
        outline(&mut mesh, &[0.5, 0.5, 0.5, 0.25, 0.25, 1.0], (&x, &y), (1.0, Color32::WHITE));
        assert_eq!(mesh.indices.len(), 6 * (3 + 2), "three bars, and two steps between them");
        let bounds = mesh.calc_bounds();
        assert_eq!((bounds.min, bounds.max), (pos2(-0.5, -0.5), pos2(6.5, 75.5)));
    }

    #[test]
    fn few_bins_take_few_shapes() {
        let right: Bins = std::array::from_fn(|_| vec![1, 2, 3]);
        let bars = Bars { counted: &right, right: &right, logarithmic: false };
        let heights: Vec<_> = (0..4).map(|channel| bars.heights(channel, 600)).collect();
        assert_eq!(runs(&heights, 600).len(), 3);
    }
}
