//! The legend of zebras and marks: their limits, the colours of the channels, how many pixels are marked and where the
//! first one is. Also the rings around marked pixels, if there are few.

use egui::{Align2, Color32, Painter, Pos2, Rect, Stroke, Ui, Vec2, pos2, vec2};

use super::model::{MarkedView, Model};
use super::readout::share_text;
use super::{meanings, theme};
use histoscope_core::histogram::Components;
use histoscope_keys::{self as keys, Setting};
use histoscope_render::view::exposure::{MARK_LIGHTS, MarkLimits, PEAKING_COLOR, Peaking, mark_colors};
use histoscope_render::view::marked::Marked;
use histoscope_render::view::scene::Other;

const LINE: f32 = 17.0;
const SWATCH: f32 = 11.0;
const PADDING: Vec2 = vec2(9.0, 5.0);
const LETTERS: f32 = theme::TEXT - 1.0;
/// Radius of a ring, in points.
const RING: f32 = 9.0;
/// Height that another panel below needs, in points.
const MIN_BELOW: f32 = 100.0;

/// A part of a line of the legend.
enum LegendPart {
    Words(String, Color32),
    /// The colour of a mark, chequered with the second colour if it means that the channel is low.
    Mark(Color32, Option<Color32>),
    /// A sample of zebra stripes.
    Stripes,
    Space,
}

/// Shows the legend at the upper left of `room`, perhaps above another panel. Returns its rectangle, or `None` if
/// neither is on or there is no room.
pub fn show(ui: &Ui, room: Rect, model: &Model<'_>, is_above_another: bool) -> Option<Rect> {
    model.file.name?;
    let lines = lines(model);
    let area = egui::Area::new(egui::Id::unique("legend of marks")).fade_in(false).fixed_pos(room.min);
    let height = lines.len() as f32 * LINE + 2.0 * PADDING.y;
    let below = if is_above_another { MIN_BELOW } else { 0.0 };
    let width = lines.iter().map(|line| line.iter().map(|part| part.width(ui.painter())).sum()).fold(0.0, f32::max);
    let size = vec2(width, height) + vec2(2.0 * PADDING.x, 0.0);
    if lines.is_empty() || room.height() < height + below || room.width() < size.x {
        return None;
    }
    let hint = explained(model);
    let shown = area.show(ui.ctx(), |ui| {
        let (rect, response) = ui.allocate_exact_size(size, egui::Sense::hover());
        theme::fill_plate(ui.painter(), rect, theme::ROUND, theme::PLATE);
        for (index, line) in lines.iter().enumerate() {
            let mut at = rect.min + PADDING + vec2(0.0, LINE * index as f32);
            for part in line {
                part.show(ui.painter(), at);
                at.x += part.width(ui.painter());
            }
        }
        response.on_hover_text(hint);
    });
    Some(shown.response.rect)
}

impl LegendPart {
    fn width(&self, painter: &Painter) -> f32 {
        match self {
            Self::Words(words, color) => {
                painter.layout_no_wrap(words.clone(), theme::words(LETTERS), *color).size().x + 5.0
            }
            Self::Mark(..) => SWATCH + 3.0,
            Self::Stripes => 2.0 * SWATCH + 6.0,
            Self::Space => 8.0,
        }
    }

    fn show(&self, painter: &Painter, at: Pos2) {
        let middle = at.y + LINE / 2.0;
        let swatch = |width: f32| Rect::from_min_size(pos2(at.x, (middle - SWATCH / 2.0).round()), vec2(width, SWATCH));
        match self {
            Self::Words(words, color) => {
                painter.text(pos2(at.x, middle), Align2::LEFT_CENTER, words, theme::words(LETTERS), *color);
            }
            Self::Mark(color, darker) => {
                let rect = swatch(SWATCH);
                painter.rect_filled(rect, 0, *color);
                let half = rect.size() / 2.0;
                for corner in darker.iter().flat_map(|_| [rect.min, rect.min + half]) {
                    painter.rect_filled(Rect::from_min_size(corner, half), 0, darker.unwrap_or(*color));
                }
            }
            Self::Stripes => {
                let rect = swatch(2.0 * SWATCH);
                painter.rect_filled(rect, 0, Color32::from_gray(225));
                let painter = painter.with_clip_rect(rect.intersect(painter.clip_rect()));
                for step in 0..6 {
                    let x = rect.min.x + 8.0 * step as f32 - 6.0;
                    let ends = [pos2(x, rect.max.y + 1.0), pos2(x + SWATCH + 2.0, rect.min.y - 1.0)];
                    painter.line_segment(ends, Stroke::new(3.0, Color32::from_gray(60)));
                }
            }
            Self::Space => {}
        }
    }
}

fn lines(model: &Model<'_>) -> Vec<Vec<LegendPart>> {
    let exposure = model.look.exposure;
    let is_coded = is_coded(model);
    let words = |words: &str| LegendPart::Words(words.to_owned(), theme::LIGHT);
    let mut lines = Vec::new();
    if exposure.zebra {
        let tone = if is_coded { "Y'" } else { "luminance" };
        lines.push(vec![LegendPart::Stripes, words(&format!("{tone} ≥ {}", exposure.level.text()))]);
    }
    if exposure.peaking != Peaking::Off {
        let [red, green, blue] = PEAKING_COLOR;
        let words = format!("focus peaking: {}", exposure.peaking.name());
        lines.push(vec![LegendPart::Words(words, Color32::from_rgb(red, green, blue))]);
    }
    if exposure.marks {
        // R 103 is always checked in red, green and blue, whatever is counted.
        let of_colors = !is_coded || exposure.limits == MarkLimits::R103;
        let components = if of_colors { Components::Rgbl } else { Components::YCbCr };
        let colors = mark_colors(!of_colors);
        let [_, light, dark] = MARK_LIGHTS;
        let lit = |channel: usize, light: u32| {
            let [red, green, blue] = colors[channel].map(|code| ((code * light + 128) >> 8).min(255) as u8);
            Color32::from_rgb(red, green, blue)
        };
        let mut line = vec![words(&format!("{}:", exposure.limits.text())), LegendPart::Space];
        for (is_low, name) in [(false, "high"), (true, "low")] {
            for channel in 0..3 {
                let sign = components.short_name(channel).to_owned();
                let color = if is_low { lit(channel, light) } else { lit(channel, 256) };
                line.push(LegendPart::Mark(color, is_low.then(|| lit(channel, dark))));
                line.push(LegendPart::Words(sign, theme::channel_color(components, channel)));
            }
            line.extend([LegendPart::Words(name.to_owned(), theme::DIM), LegendPart::Space]);
        }
        lines.push(line);
        lines.extend(description(model).map(|told| vec![words(&told)]));
    }
    lines
}

/// Returns `true` if the view shows Y', Cb and Cr as coded. Adjusted pictures have red, green and blue.
fn is_coded(model: &Model<'_>) -> bool {
    let adjusting = &model.adjusting;
    let shows_source = model.look.adjustments.is_off() || adjusting.other() == Some(Other::Source);
    model.scopes.components == Components::YCbCr && shows_source
}

/// Returns the number of marked pixels as text, if known; `None` during playback.
fn description(model: &Model<'_>) -> Option<String> {
    let of = match model.adjusting.other() {
        Some(Other::Source) => "result: ",
        Some(Other::Held | Other::Second) => "live: ",
        None => "",
    };
    match model.exposure.marked {
        MarkedView::NotCounted => None,
        MarkedView::Pending => Some(format!("{of}counting …")),
        MarkedView::Found(marked) => Some(format!("{of}{}", found(marked))),
        MarkedView::OnAdapter => Some("counted with the adjustments off".to_owned()),
    }
}

/// Returns how many pixels are marked, and where the first one is.
fn found(marked: &Marked) -> String {
    let Some([x, y]) = marked.places.first() else { return "no pixels in this frame".to_owned() };
    let share = share_text(marked.pixels as f64 / marked.looked_at.max(1) as f64);
    let what = if marked.pixels == 1 { "pixel" } else { "pixels" };
    let rings = match marked.few().len() {
        0 => "",
        1 => ", in a ring",
        _ => ", in rings",
    };
    format!("{} {what} ({share}){rings}; the first at x {x}  y {y}", marked.pixels)
}

/// Returns the tooltip of the legend.
fn explained(model: &Model<'_>) -> String {
    let exposure = model.look.exposure;
    let is_coded = is_coded(model);
    let mut texts = Vec::new();
    if exposure.marks {
        texts.push(meanings::of_marks(exposure.limits, is_coded).to_owned());
        let text = match model.exposure.marked {
            MarkedView::Found(marked) => Ok(marked),
            MarkedView::OnAdapter => {
                Err("The adjusted picture is only on the graphics device, where its marks are not counted.")
            }
            MarkedView::Pending => Err("Counting marked pixels …"),
            MarkedView::NotCounted => Err("Marked pixels are counted while playback is paused."),
        };
        match text {
            Ok(Marked { below, above, .. }) => {
                let of_colors = !is_coded || exposure.limits == MarkLimits::R103;
                let components = if of_colors { Components::Rgbl } else { Components::YCbCr };
                let channel = |channel: usize| {
                    let sign = components.short_name(channel);
                    format!("{sign}: {} high, {} low", above[channel], below[channel])
                };
                texts.extend((0..3).map(channel));
            }
            Err(why) => texts.push(why.to_owned()),
        }
    }
    if exposure.zebra {
        let key = [false, true].map(|more| keys::label_of(Setting::Zebra.step(more)).unwrap_or_default());
        texts.push(format!("Stripes mark pixels at or above the level; {} and {} change it.", key[0], key[1]));
    }
    texts.join("\n")
}

/// Draws a ring around each of these points, except near the `taken` rectangles or another ring.
pub fn rings(ui: &Ui, points: &[Pos2], taken: &[Rect]) {
    let painter = ui.ctx().layer_painter(egui::LayerId::background());
    let mut drawn: Vec<Pos2> = Vec::new();
    for &at in points {
        let is_taken = taken.iter().any(|rect| rect.expand(RING).contains(at));
        if is_taken || drawn.iter().any(|other| other.distance(at) < RING) {
            continue;
        }
        for (width, color) in [(4.0, Color32::from_black_alpha(190)), (1.6, theme::ACCENT)] {
            painter.circle_stroke(at, RING, Stroke::new(width, color));
        }
        drawn.push(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AdjustmentView, ExposureView};
    use histoscope_core::adjust::{Adjustments, Blur};
    use histoscope_render::view::scene::{Look, Pair, Scene};

    fn blurred() -> Scene {
        let adjustments = Adjustments { blur: Some(Blur { size: 9, runs: 1 }), ..Adjustments::default() };
        Scene::from(Look { adjustments, ..Look::default() })
    }

    #[test]
    fn the_legend_names_its_picture_and_says_why_nothing_is_counted() {
        let panels = crate::tests::pair(1600.0, 900.0);
        let base = || crate::tests::adjusted_model(&panels);
        let one = Marked { looked_at: 100, pixels: 1, places: vec![[17, 3]], ..Marked::default() };
        let tells = |marked, other: Option<Other>| {
            let exposure = ExposureView { marked, ..base().exposure };
            let pair = other.and_then(|other| blurred().with_pair(Pair { other, ..Pair::divided(0.5) }).paired());
            assert_eq!(pair.is_some(), other.is_some());
            description(&Model { exposure, adjusting: AdjustmentView { pair, ..base().adjusting }, ..base() })
        };
        assert_eq!(tells(MarkedView::NotCounted, None), None);
        assert_eq!(tells(MarkedView::Pending, None).as_deref(), Some("counting …"));
        assert_eq!(tells(MarkedView::OnAdapter, None).as_deref(), Some("counted with the adjustments off"));
        let found = "1 pixel (1.00 %), in a ring; the first at x 17  y 3";
        assert_eq!(tells(MarkedView::Found(&one), None).as_deref(), Some(found));
        assert_eq!(tells(MarkedView::Found(&one), Some(Other::Source)), Some(format!("result: {found}")));
        assert_eq!(tells(MarkedView::Found(&one), Some(Other::Held)), Some(format!("live: {found}")));
    }

    #[test]
    fn the_legend_has_the_count_and_the_first_position() {
        let marked =
            |pixels, places: Vec<[u32; 2]>| Marked { looked_at: 1_000_000, pixels, places, ..Marked::default() };
        assert_eq!(found(&marked(0, vec![])), "no pixels in this frame");
        assert_eq!(found(&marked(1, vec![[17, 3]])), "1 pixel (< 0.001 %), in a ring; the first at x 17  y 3");
        let two = vec![[17, 3], [18, 3]];
        assert_eq!(found(&marked(2, two)), "2 pixels (< 0.001 %), in rings; the first at x 17  y 3");
        let many = vec![[0, 9]; histoscope_render::view::marked::MAX_PLACES];
        assert_eq!(found(&marked(20_000, many)), "20000 pixels (2.00 %); the first at x 0  y 9");
    }
}
