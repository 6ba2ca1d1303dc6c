//! The bars of a method's bins in place of the histograms, with the correct bins as outlines over them.
//!
//! They are painted into a texture whenever they change, which is then drawn as two triangles. Drawn directly, bars and
//! outlines consist of thousands of small triangles, which take a software adapter longer than all the rest of the lab.

use std::ops::Range;
use std::sync::Arc;

use egui::{Color32, ColorImage, Context, LayerId, Rect, Stroke, TextureHandle, TextureOptions, Ui, pos2};

use crate::lab_view::ChannelBins;
use crate::model::HistogramArea;
use histoscope_core::histogram::{Components, vertical_scale};
use histoscope_render::view::overlay::{BarScale, Channels, colors, lights};

/// How far outlines are blended towards white, so that they are visible on a bar of their own colour.
const WHITENING: f32 = 0.5;
/// Colour of the horizontal lines at the quarters of the height.
const QUARTER: Color32 = Color32::from_rgba_premultiplied(20, 20, 20, 20);
/// Colour on either side of an outline.
const EDGE: Color32 = Color32::from_black_alpha(110);
/// Colour of the frame around an overlay.
const FRAME: Color32 = Color32::from_black_alpha(204);

/// A bar chart of the counted bins and the correct ones.
#[derive(Debug, Clone, Copy)]
pub struct BarChart<'a> {
    /// The counted bins, drawn as filled bars.
    pub counted: &'a ChannelBins,
    /// The correct bins, drawn as outlines.
    pub right: &'a ChannelBins,
    /// The scale of the bars' heights.
    pub scale: BarScale,
}

/// The texture of a chart, and the appearance that it shows.
#[derive(Clone)]
struct Painted {
    of: Arc<Appearance>,
    texture: TextureHandle,
}

/// The appearance of a chart: everything that its image depends on.
#[derive(PartialEq)]
struct Appearance {
    /// Width and height in pixels.
    size: [usize; 2],
    channels: Vec<usize>,
    /// The heights of each of the channels.
    heights: Vec<Heights>,
}

/// Releases the textures of the charts.
pub fn forget(context: &Context) {
    context.data_mut(|data| data.remove::<Vec<Painted>>(textures()));
}

fn textures() -> egui::Id {
    egui::Id::unique("lab's bars")
}

impl BarChart<'_> {
    /// Draws the bars of the channels that are `on` in each histogram's area, below everything else.
    pub fn show(&self, ui: &Ui, areas: &[HistogramArea], on: Channels) {
        let kept: Vec<Painted> = ui.ctx().data(|data| data.get_temp(textures())).unwrap_or_default();
        let painter = ui.ctx().layer_painter(LayerId::background());
        let mut painted = Vec::new();
        for area in areas {
            let channels: Vec<_> =
                area.channels.intersection(on).iter().filter(|&channel| !self.right[channel].is_empty()).collect();
            if channels.is_empty() {
                continue;
            }
            let pixels = |points: f32| (points * painter.pixels_per_point()).round().max(1.0) as usize;
            let size = [pixels(area.rect.width()), pixels(area.rect.height())];
            let heights = channels.iter().map(|&channel| self.heights(channel, size[0])).collect();
            let looks = Appearance { size, channels, heights };
            let texture = match kept.get(painted.len()) {
                Some(kept) if *kept.of == looks => kept.clone(),
                kept => {
                    let image = looks.image();
                    let texture = match kept {
                        Some(Painted { texture, .. }) => {
                            let mut texture = texture.clone();
                            texture.set(image, TextureOptions::NEAREST);
                            texture
                        }
                        None => ui.ctx().load_texture("lab's bars", image, TextureOptions::NEAREST),
                    };
                    Painted { of: Arc::new(looks), texture }
                }
            };
            painter.rect_stroke(area.rect, 0, Stroke::new(1.0, FRAME), egui::StrokeKind::Outside);
            let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
            painter.image(texture.texture.id(), area.rect, whole, Color32::WHITE);
            painted.push(texture);
        }
        ui.ctx().data_mut(|data| data.insert_temp(textures(), painted));
    }

    /// Returns the heights of a channel. Both sets of bins have the scale of the correct ones, so that lost counts are
    /// visible.
    fn heights(&self, channel: usize, columns: usize) -> Heights {
        let (counted, right) = (&self.counted[channel], &self.right[channel]);
        let factor = vertical_scale(right);
        let tallest = right.iter().copied().max().unwrap_or(0);
        let height = |count: u32| self.scale.part(count, factor, tallest).min(1.0);
        let of = |bins: &[u32]| {
            let tallest = |column| bins[bins_of_column(column, columns, bins.len())].iter().copied().max().unwrap_or(0);
            (0..columns).map(|column| height(tallest(column))).collect()
        };
        Heights { counted: of(counted), right: of(right) }
    }
}

/// Heights of a channel's bars as fractions of the chart's height, one per column of pixels.
#[derive(Debug, PartialEq)]
struct Heights {
    counted: Vec<f32>,
    right: Vec<f32>,
}

impl Appearance {
    /// Returns the chart as an image.
    fn image(&self) -> ColorImage {
        let [columns, rows] = self.size;
        let mut canvas = Canvas { size: self.size, pixels: vec![Color32::TRANSPARENT; columns * rows] };
        let y = |height: f32| ((1.0 - height) * rows as f32).round() as usize;
        let colors = colors(Components::Rgbl);
        for column in 0..columns {
            // From the highest bar down, the set of channels that reach this high grows.
            let mut order: Vec<usize> = (0..self.channels.len()).collect();
            let height = |place: usize| self.heights[place].counted[column];
            order.sort_by(|&a, &b| height(b).total_cmp(&height(a)));
            let (mut top, mut set) = (0, 0);
            for place in order.into_iter().map(Some).chain([None]) {
                let next = place.map_or(rows, |place| y(height(place)));
                canvas.fill(column..column + 1, top..next, color32(colors[set]));
                top = next;
                set |= place.map_or(0, |place| 1 << self.channels[place]);
            }
        }
        for quarter in 1..4 {
            let row = y(quarter as f32 / 4.0);
            canvas.fill(0..columns, row..row + 1, QUARTER);
        }
        // All dark edges first, so that none hides the light line of another outline.
        for is_edge in [true, false] {
            for (of, &channel) in self.heights.iter().zip(&self.channels) {
                let light = lights(Components::Rgbl)[channel].map(|part| part + WHITENING * (1.0 - part));
                let color = if is_edge { EDGE } else { color32([light[0], light[1], light[2], 1.0]) };
                // An outline directly on top of its own bars needs no edge to stand out.
                if !is_edge || of.counted != of.right {
                    canvas.outline(&of.right.iter().map(|&height| y(height)).collect::<Vec<_>>(), is_edge, color);
                }
            }
        }
        ColorImage::new(self.size, canvas.pixels)
    }
}

/// The pixels being painted.
struct Canvas {
    size: [usize; 2],
    pixels: Vec<Color32>,
}

impl Canvas {
    /// Blends a colour over a rectangle of pixels, clipped to the canvas.
    fn fill(&mut self, columns: Range<usize>, rows: Range<usize>, color: Color32) {
        let [width, height] = self.size;
        for row in rows.start..rows.end.min(height) {
            for pixel in &mut self.pixels[row * width..][columns.start.min(width)..columns.end.min(width)] {
                *pixel = pixel.blend(color);
            }
        }
    }

    /// Paints a line along the tops of bars, one pixel wide, or as an edge one pixel wider on either side. Paints each
    /// pixel once.
    fn outline(&mut self, tops: &[usize], is_edge: bool, color: Color32) {
        let wider = usize::from(is_edge);
        let last = self.size[1].saturating_sub(1);
        for column in 0..tops.len() {
            // Reach to the top of the previous bar, so that the line has no gaps.
            let near = &tops[column.saturating_sub(1 + wider)..(column + 1 + wider).min(tops.len())];
            let (low, high) =
                near.iter().fold((tops[column], tops[column]), |(low, high), &top| (low.min(top), high.max(top)));
            let (low, high) = (low.min(last), high.min(last));
            self.fill(column..column + 1, low.saturating_sub(wider)..high + 1 + wider, color);
        }
    }
}

/// Returns the bins that a column shows. If there are more bins than columns, these are the bins whose centres are in
/// the column; otherwise the bin that contains the column's centre.
fn bins_of_column(column: usize, columns: usize, count: usize) -> Range<usize> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_render::view::panel::PanelRect;

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
    fn every_bin_is_in_a_column() {
        for columns in [1, 7, 576, 1000] {
            for count in [3, 5, 100, 256, 4095, 4096] {
                let mut seen = vec![false; count];
                (0..columns).for_each(|column| seen[bins_of_column(column, columns, count)].fill(true));
                assert!(seen.into_iter().all(|seen| seen), "{count} bins in {columns} columns");
            }
        }
    }

    #[test]
    fn lost_counts_are_visible_and_others_fill_their_outline() {
        let right: ChannelBins = std::array::from_fn(|_| vec![10, 20, 40, 0]);
        let mut counted = right.clone();
        counted[3][2] = 4;
        let bars = BarChart { counted: &counted, right: &right, scale: BarScale::Tutorial };
        let red = bars.heights(0, 4);
        assert_eq!(red.counted, red.right);
        let luminance = bars.heights(3, 4);
        assert_eq!(luminance.counted[..2], luminance.right[..2]);
        assert!((luminance.right[2] - 1.0).abs() < 1e-6 && (luminance.counted[2] - 0.1).abs() < 1e-6);
        let logarithmic = BarChart { scale: BarScale::Logarithmic, ..bars }.heights(3, 4);
        assert!((logarithmic.right[2] - 1.0).abs() < 1e-6 && logarithmic.counted[3].abs() < 1e-6);
    }

    #[test]
    fn an_outline_follows_the_tops_without_a_gap() {
        let mut canvas = Canvas { size: [6, 10], pixels: vec![Color32::TRANSPARENT; 60] };
        canvas.outline(&[5, 5, 5, 8, 8, 0], false, Color32::WHITE);
        let drawn = |column: usize| -> Vec<usize> {
            (0..10).filter(|row| canvas.pixels[row * 6 + column] == Color32::WHITE).collect()
        };
        let expected = [vec![5], vec![5], vec![5], vec![5, 6, 7, 8], vec![8], (0..9).collect()];
        assert_eq!([0, 1, 2, 3, 4, 5].map(drawn), expected);
        // It is visible at the very bottom, too.
        canvas.outline(&[10; 6], false, Color32::RED);
        assert!(canvas.pixels[54..].iter().all(|pixel| *pixel == Color32::RED));
    }

    #[test]
    fn bars_are_filled_to_their_heights_in_the_colours_of_their_channels() {
        let counted: ChannelBins = std::array::from_fn(|channel| vec![[10, 20, 30, 40][channel], 40]);
        let bars = BarChart { counted: &counted, right: &counted, scale: BarScale::Tutorial };
        let looks = Appearance {
            size: [2, 40],
            channels: vec![0, 1],
            heights: (0..2).map(|channel| bars.heights(channel, 2)).collect(),
        };
        let image = looks.image();
        let colors = colors(Components::Rgbl).map(color32);
        // In the first column, red reaches a quarter and green half of the height. From the top: background, green,
        // both.
        for (row, set) in [(5, 0), (25, 2), (35, 3)] {
            assert_eq!(image[(0, row)], colors[set], "row {row}");
        }
    }

    #[test]
    fn unchanged_bars_are_painted_once() {
        let right: ChannelBins = std::array::from_fn(|_| vec![1, 2, 3]);
        let context = Context::default();
        let rect = Rect::from_min_size(pos2(0.0, 0.0), egui::vec2(60.0, 40.0));
        let areas = [HistogramArea { rect, channels: Channels::ALL }];
        let uploads = |counted: &ChannelBins| {
            let mut output = context.run_ui(egui::RawInput::default(), |ui| {
                BarChart { counted, right: &right, scale: BarScale::Tutorial }.show(ui, &areas, Channels::ALL);
            });
            let count = output.textures_delta.set.iter().filter(|(id, _)| **id != egui::TextureId::default()).count();
            output.textures_delta.clear();
            let triangles: usize = context
                .tessellate(output.shapes, 1.0)
                .iter()
                .map(|primitive| match &primitive.primitive {
                    egui::epaint::Primitive::Mesh(mesh) => mesh.indices.len() / 3,
                    egui::epaint::Primitive::Callback(_) => 0,
                })
                .sum();
            assert!(triangles < 100, "{triangles} triangles");
            count
        };
        assert_eq!([uploads(&right), uploads(&right)], [1, 0]);
        let other: ChannelBins = std::array::from_fn(|_| vec![1, 1, 3]);
        assert_eq!([uploads(&other), uploads(&other)], [1, 0]);
    }
}
