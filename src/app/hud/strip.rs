//! The clip behind the timeline: its strip as a picture, and ticks for its cuts.

use std::time::{Duration, Instant};

use egui::{Color32, ColorImage, Painter, Pos2, Rect, Stroke, TextureHandle, TextureOptions, Ui, pos2};

use super::model::Model;
use super::theme;
use crate::histogram::Components;
use crate::strip::{COLUMNS, Column, Cut, ROWS, Raster, Shown, Strip};
use crate::text::timecode;

/// How often the picture of a strip that is being filled is made anew at the most: it is sent to the adapter each time.
const INTERVAL: Duration = Duration::from_millis(100);
/// Height of the mark of a cut, in points.
const TICK: f32 = 8.0;
/// How near to a cut the pointer is at it, in points.
const NEAR: f32 = 3.5;

/// The picture, as it was drawn last.
#[derive(Default)]
pub struct StripPicture(Option<(Raster, TextureHandle, Instant)>);

impl std::fmt::Debug for StripPicture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("StripPicture").field(&self.0.is_some()).finish()
    }
}

impl StripPicture {
    /// Draws the strip in `rect`.
    pub fn show(&mut self, ui: &Ui, rect: Rect, strip: &Strip, shown: Shown) {
        let pixels = (rect.height() * ui.ctx().pixels_per_point()).round().clamp(1.0, ROWS as f32) as usize;
        match &mut self.0 {
            Some((raster, texture, made)) if raster.is(pixels, shown) && raster.changes() <= strip.changes() => {
                let is_due = strip.is_complete() || made.elapsed() >= INTERVAL;
                if is_due && raster.follow(strip) {
                    texture.set(image_of(raster), TextureOptions::LINEAR);
                    *made = Instant::now();
                }
            }
            state => {
                let mut raster = Raster::new(pixels, shown);
                raster.follow(strip);
                let texture = ui.ctx().load_texture("the clip", image_of(&raster), TextureOptions::LINEAR);
                *state = Some((raster, texture, Instant::now()));
            }
        }
        ui.painter().rect_filled(rect, 2, Color32::from_black_alpha(225));
        if let Some((_, texture, _)) = &self.0 {
            let whole = Rect::from_min_max(Pos2::ZERO, pos2(1.0, 1.0));
            ui.painter().image(texture.id(), rect, whole, Color32::WHITE);
        }
    }
}

fn image_of(raster: &Raster) -> ColorImage {
    ColorImage::from_rgba_unmultiplied([COLUMNS, raster.height()], raster.rgba())
}

/// The channels that are shown: the colours that are on in the histograms, over one another, or luminance where none is.
pub fn shown(model: &Model<'_>) -> Shown {
    let colors = [0, 1, 2].map(|channel| model.scopes.channels.contains(channel));
    let has_colors = model.scopes.components == Components::Rgbl && colors.contains(&true);
    if has_colors { Shown::Colors(colors) } else { Shown::Luminance }
}

/// Marks the cuts at the upper edge of the strip, one for each pixel at the most.
pub fn mark_cuts(painter: &Painter, rect: Rect, cuts: &[Cut], column: impl Fn(f64) -> f32) {
    let mut last = f32::NEG_INFINITY;
    for cut in cuts {
        let x = painter.round_to_pixel_center(column(cut.time_secs));
        if x - last < 1.0 {
            continue;
        }
        last = x;
        let reach = rect.min.y..=rect.min.y + TICK.min(rect.height());
        painter.vline(x, reach.clone(), Stroke::new(4.0, Color32::from_black_alpha(200)));
        painter.vline(x, reach, Stroke::new(2.0, theme::LIGHT));
    }
}

/// What is to be said of a place in the strip besides its time: the cut that is there, or that it is not exact yet.
pub fn told(strip: &Strip, secs: f64, x: f32, column: impl Fn(f64) -> f32) -> Option<String> {
    let away = |cut: &Cut| (column(cut.time_secs) - x).abs();
    let nearest = strip.cuts().iter().enumerate().min_by(|(_, a), (_, b)| away(a).total_cmp(&away(b)));
    if let Some((index, cut)) = nearest.filter(|(_, cut)| away(cut) <= NEAR) {
        return Some(format!("cut {} of {} at {}", index + 1, strip.cuts().len(), timecode(cut.time_secs)));
    }
    let is_exact = matches!(strip.columns()[strip.column_at(secs)], Column::Counted(_));
    (!is_exact).then(|| "not exact yet".to_owned())
}
