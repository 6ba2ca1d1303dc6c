//! The preview at the timeline: a card below the bar with the key frame at the pointer, its time and its histograms.

use std::sync::Arc;

use egui::{
    Align2, Color32, ColorImage, Context, Id, LayerId, Order, Painter, Rect, Shape, Stroke, TextureHandle,
    TextureOptions, Vec2, pos2, vec2,
};

use super::model::Model;
use super::model::Preview;
use super::theme;
use histoscope_core::histogram::{Components, Histogram};
use histoscope_core::text::time_text;
use histoscope_render::view::overlay::Channels;

/// Maximum width and height of the picture, in points.
const MOST: Vec2 = vec2(200.0, 150.0);
/// Maximum width and height of the picture, as fractions of the view.
const PART: Vec2 = vec2(0.25, 0.3);
/// Width and height below which nothing can be made out, in points.
const LEAST: f32 = 24.0;
/// Height of the histograms, as a fraction of the card's width.
const CHART: f32 = 0.2;
/// Height of the line with the time.
const LINE: f32 = 17.0;
const PADDING: f32 = 5.0;
/// Space between the bar and the card.
const GAP: f32 = 5.0;
/// Number of columns in a curve.
const CURVE: usize = 128;

/// The picture's texture, and the preview it shows. The time alone cannot identify it: another file may have a key
/// frame at the same time.
#[derive(Default)]
pub struct PreviewPicture(Option<(Arc<Preview>, TextureHandle)>);

impl std::fmt::Debug for PreviewPicture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("PreviewPicture").field(&self.0.as_ref().map(|(of, _)| of.time_secs)).finish()
    }
}

impl PreviewPicture {
    /// Shows the card below `bar`, as near to the column `x` as the view allows, and below any note that it would
    /// cover, unless there is no room.
    pub fn show(&mut self, context: &Context, (bar, x): (Rect, f32), notes: &[Rect], model: &Model<'_>) {
        let Some((preview, is_asked)) = model.file.preview else { return };
        let view = context.content_rect();
        let Some(card) = PreviewCard::clear_of(notes, preview, bar, x, view) else { return };
        let painter = context.layer_painter(LayerId::new(Order::Tooltip, Id::unique("preview")));
        theme::fill_plate(&painter, card.all, 5, theme::SOLID);
        painter.rect_stroke(card.all, 5, theme::EDGE, egui::StrokeKind::Inside);
        // While a newer preview is on its way, dim the old one.
        let tint = if is_asked { Color32::WHITE } else { Color32::from_gray(130) };
        let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        painter.image(self.texture(context, preview).id(), card.picture, whole, tint);
        let text = time_text(preview.time_secs);
        let color = if is_asked { theme::LIGHT } else { theme::DIM };
        painter.text(card.line.center(), Align2::CENTER_CENTER, text, theme::mono(theme::SMALL), color);
        let components = model.scopes.components;
        let shown = if components == Components::Rgbl { model.look.channels } else { Channels::ALL };
        draw_curves(&painter, card.chart, &preview.histogram, shown);
    }

    fn texture(&mut self, context: &Context, preview: &Arc<Preview>) -> &TextureHandle {
        let made = self.0.take().filter(|(made, _)| Arc::ptr_eq(made, preview)).map(|(_, texture)| texture);
        let texture = made.unwrap_or_else(|| {
            let small = &preview.thumbnail;
            let image = ColorImage::from_rgba_unmultiplied([small.width as usize, small.height as usize], &small.rgba);
            context.load_texture("key frame", image, TextureOptions::LINEAR)
        });
        &self.0.insert((Arc::clone(preview), texture)).1
    }
}

/// The rectangles of the card's parts.
#[derive(Debug, Clone, Copy, PartialEq)]
struct PreviewCard {
    all: Rect,
    picture: Rect,
    line: Rect,
    chart: Rect,
}

impl PreviewCard {
    /// Returns the card directly below the bar, or else below the lowest note.
    fn clear_of(notes: &[Rect], preview: &Preview, bar: Rect, x: f32, view: Rect) -> Option<Self> {
        let lowest = notes.iter().map(|note| note.max.y).fold(bar.max.y, f32::max);
        let below = Rect { max: pos2(bar.max.x, lowest), ..bar };
        let is_clear = |card: &Self| !notes.iter().any(|note| note.intersects(card.all));
        [bar, below].into_iter().filter_map(|above| Self::new(preview, above, x, view)).find(is_clear)
    }

    fn new(preview: &Preview, bar: Rect, x: f32, view: Rect) -> Option<Self> {
        let own = vec2(preview.thumbnail.width as f32, preview.thumbnail.height as f32);
        let most = MOST.min(view.size() * PART);
        let scale = (most.x / own.x).min(most.y / own.y).min(1.0);
        let picture = own * scale;
        // With a tall picture, the card is as wide as the time needs.
        let width = picture.x.max(most.x.min(96.0));
        let chart = (width * CHART).round();
        let size = vec2(width, picture.y + LINE + chart) + Vec2::splat(2.0 * PADDING);
        let room = view.max.y - bar.max.y - 2.0 * GAP;
        if picture.min_elem() < LEAST.min(own.min_elem()) || size.y > room || size.x > view.width() {
            return None;
        }
        let left = (x - size.x / 2.0).clamp(bar.min.x.min(view.max.x - size.x), (bar.max.x - size.x).max(view.min.x));
        let all = Rect::from_min_size(pos2(left.round(), (bar.max.y + GAP).round()), size);
        let inner = all.shrink(PADDING);
        let picture = Rect::from_center_size(pos2(inner.center().x, inner.min.y + picture.y / 2.0), picture);
        let line = Rect::from_min_max(pos2(inner.min.x, picture.max.y), pos2(inner.max.x, picture.max.y + LINE));
        let chart = Rect::from_min_max(pos2(inner.min.x, line.max.y), inner.max);
        Some(Self { all, picture, line, chart })
    }
}

/// Draws the shown channels as filled curves, each scaled to the height of the chart.
fn draw_curves(painter: &Painter, chart: Rect, histogram: &Histogram, shown: Channels) {
    painter.rect_filled(chart, 2, Color32::BLACK);
    for channel in (0..Components::Rgbl.channel_names().len()).filter(|&channel| shown.contains(channel)) {
        let curve = curve(histogram.bins(channel));
        let color = theme::channel_color(Components::Rgbl, channel);
        let step = chart.width() / CURVE as f32;
        let top = |share: f32| chart.max.y - 1.0 - share * (chart.height() - 2.0);
        let x = |at: usize| chart.min.x + (at as f32 + 0.5) * step;
        for (at, &share) in curve.iter().enumerate().filter(|(_, share)| **share > 0.0) {
            painter.vline(x(at), top(share)..=chart.max.y - 1.0, Stroke::new(step, color.gamma_multiply(0.22)));
        }
        let line = curve.iter().enumerate().map(|(at, &share)| pos2(x(at), top(share))).collect();
        painter.add(Shape::line(line, Stroke::new(1.0, color)));
    }
}

/// Sums the bins into [`CURVE`] columns, each as a fraction of the highest.
fn curve(bins: &[u32]) -> [f32; CURVE] {
    let mut sums = [0_u64; CURVE];
    for (code, &count) in bins.iter().enumerate() {
        sums[code * CURVE / bins.len()] += u64::from(count);
    }
    let highest = sums.iter().copied().max().unwrap_or(0).max(1);
    sums.map(|sum| sum as f32 / highest as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_render::cpu::thumbnail::Thumbnail;

    fn preview(width: u32, height: u32) -> Preview {
        let rgba = vec![0; (4 * width * height) as usize];
        let thumbnail = Thumbnail { width, height, rgba };
        Preview { time_secs: 1.0, thumbnail, histogram: Histogram::empty(8, Components::Rgbl) }
    }

    #[test]
    fn the_card_is_inside_the_view_below_the_bar_with_its_picture_unstretched() {
        for (width, height) in [(1920.0, 1080.0), (1280.0, 720.0), (640.0, 360.0), (480.0, 270.0), (400.0, 900.0)] {
            let view = Rect::from_min_size(pos2(0.0, 0.0), vec2(width, height));
            let bar = Rect::from_min_max(pos2(4.0, 4.0), pos2(width - 4.0, 70.0));
            for size in [(400, 225), (169, 300), (400, 100), (30, 300), (64, 48), (2, 2)] {
                let preview = preview(size.0, size.1);
                let own = size.0 as f32 / size.1 as f32;
                for x in [4.0, width * 0.37, width - 4.0] {
                    let Some(card) = PreviewCard::new(&preview, bar, x, view) else {
                        assert!(size == (30, 300), "{size:?} has no room in {width}×{height}");
                        continue;
                    };
                    assert!(view.contains_rect(card.all) && card.all.min.y > bar.max.y, "{card:?} in {view}");
                    let parts = [card.picture, card.line, card.chart];
                    assert!(parts.iter().all(|part| card.all.contains_rect(*part)), "{card:?}");
                    assert!(card.picture.max.y <= card.line.min.y && card.line.max.y <= card.chart.min.y, "{card:?}");
                    assert!((card.picture.aspect_ratio() / own - 1.0).abs() < 1e-3, "{card:?}");
                    let is_free = card.all.min.x > 5.0 && card.all.max.x < width - 5.0;
                    assert!(!is_free || (card.all.center().x - x).abs() < 1.0, "{card:?} is not at {x}");
                }
            }
        }
        let view = Rect::from_min_size(pos2(0.0, 0.0), vec2(480.0, 120.0));
        let bar = Rect::from_min_max(pos2(4.0, 4.0), pos2(476.0, 70.0));
        assert_eq!(PreviewCard::new(&preview(400, 225), bar, 100.0, view), None, "there is no room");
        let view = Rect::from_min_size(pos2(0.0, 0.0), vec2(1280.0, 720.0));
        let bar = Rect::from_min_max(pos2(4.0, 4.0), pos2(1276.0, 70.0));
        let note = Rect::from_min_max(pos2(500.0, 80.0), pos2(780.0, 120.0));
        let at = |x| PreviewCard::clear_of(&[note], &preview(400, 225), bar, x, view).expect("there is room").all;
        assert!(at(100.0).min.y < note.min.y && at(640.0).min.y > note.max.y, "it covers no note");
    }

    #[test]
    fn key_frames_of_two_files_at_the_same_time_have_their_own_pictures() {
        let (context, mut picture) = (Context::default(), PreviewPicture::default());
        let [first, second] = [preview(8, 4), preview(4, 8)].map(Arc::new);
        assert_eq!(picture.texture(&context, &first).size(), [8, 4]);
        let again = picture.texture(&context, &first).id();
        assert_eq!(picture.texture(&context, &first).id(), again, "it is sent to the adapter once");
        assert_eq!(picture.texture(&context, &second).size(), [4, 8]);
    }

    #[test]
    fn curves_sum_bins_and_the_highest_column_is_one() {
        let mut bins = vec![0; 1024];
        (bins[0], bins[7], bins[8], bins[1023]) = (3, 1, 2, 1);
        let curve = curve(&bins);
        assert_eq!((curve[0], curve[1], curve[2], curve[CURVE - 1]), (1.0, 0.5, 0.0, 0.25));
    }
}
