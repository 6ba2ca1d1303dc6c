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
        let points = |of: &Heights| -> Vec<egui::Pos2> {
            let step = |(column, &height): (usize, &f32)| [pos2(x(column), y(height)), pos2(x(column + 1), y(height))];
            let mut points: Vec<_> = of.right.iter().enumerate().flat_map(step).collect();
            points.dedup();
            points
        };
        let lines: Vec<_> = heights.iter().map(points).collect();
        let clipped = painter.with_clip_rect(area);
        for line in &lines {
            clipped.add(Shape::line(line.clone(), Stroke::new(2.2, Color32::from_black_alpha(80))));
        }
        for (line, &channel) in lines.into_iter().zip(channels) {
            let light = lights(Components::Rgbl)[channel].map(|part| part + WHITENING * (1.0 - part));
            clipped.add(Shape::line(line, Stroke::new(1.2, color32([light[0], light[1], light[2], 1.0]))));
        }
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
                let (first, last) = panel.bins_of_column(column, bits);
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
    fn few_bins_take_few_shapes() {
        let right: Bins = std::array::from_fn(|_| vec![1, 2, 3]);
        let bars = Bars { counted: &right, right: &right, logarithmic: false };
        let heights: Vec<_> = (0..4).map(|channel| bars.heights(channel, 600)).collect();
        assert_eq!(runs(&heights, 600).len(), 3);
    }
}
