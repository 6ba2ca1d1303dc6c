//! Labels of the histograms: code values at the video's own depth and percentages, above each histogram, clear of its
//! data; and above these, if there are several pictures, which of them is counted.

use egui::{Align2, Painter, Rect, Shape, Stroke, Ui, pos2, vec2};

use super::model::{HistogramArea, LightMark, Model, ScopesView};
use super::{letters, meanings, theme};
use histoscope_batch::labels::{AxisLook, axis, scale_of};
use histoscope_core::histogram::Components;
use histoscope_core::histogram::pixel_light::light_text;
use histoscope_core::scopes::graticule::Scale;

/// Minimum height of readable labels, in points.
const MIN_STRIP: f32 = 10.0;

/// Height of the line that names the counted picture.
const COUNTED: f32 = letters::HEIGHT;

/// Returns the height of all labels above a histogram.
#[must_use]
pub fn height(model: &Model<'_>) -> f32 {
    if model.scopes.counted.is_some() || has_letters(model) { theme::AXIS + COUNTED } else { theme::AXIS }
}

/// Returns `true` if any histogram shows several channels, whose letters share the line with the picture's name.
fn has_letters(model: &Model<'_>) -> bool {
    model.scopes.histograms.iter().any(|panel| letters::width(panel) > 0.0)
}

/// Shows which picture is counted: above the first histogram, or to the left of the last one if there is no room above.
pub fn show_counted(ui: &Ui, view: Rect, model: &Model<'_>, strength: f32) {
    let (Some(text), Some(first), Some(last)) =
        (model.scopes.counted, model.scopes.histograms.first(), model.scopes.histograms.last())
    else {
        return;
    };
    let painter = ui.ctx().layer_painter(egui::LayerId::background());
    // It sits on top of the axis labels while they are shown.
    let bottom = first.rect.min.y - theme::AXIS * strength;
    let is_above = bottom - COUNTED >= view.min.y + 2.0 * theme::MARGIN;
    // The letters are at the right end of the same line.
    let room = if is_above && letters::width(first) > 0.0 {
        first.rect.width() - letters::width(first) - 4.0
    } else if is_above {
        view.max.x - first.rect.min.x - 4.0
    } else {
        last.rect.min.x - 8.0
    };
    let mut job = egui::text::LayoutJob::simple_singleline(text.to_owned(), theme::words(theme::SMALL), theme::LIGHT);
    job.wrap = egui::text::TextWrapping::truncate_at_width((room - 12.0).max(30.0));
    let galley = painter.layout_job(job);
    let size = vec2(galley.size().x + 12.0, COUNTED);
    let rect = if is_above {
        Rect::from_min_size(pos2(first.rect.min.x, bottom - COUNTED), size)
    } else {
        Align2::RIGHT_BOTTOM.anchor_size(pos2(last.rect.min.x - 4.0, last.rect.max.y), size)
    };
    let rounding = egui::CornerRadius { nw: 4, ne: 4, sw: 0, se: 0 };
    theme::fill_plate(&painter, rect, rounding, theme::PLATE);
    painter.galley(rect.center() - galley.size() / 2.0, galley, theme::LIGHT);
    if model.look.histograms.linear_luminance && model.scopes.components == Components::Rgbl {
        ui.interact(rect, egui::Id::unique("counted"), egui::Sense::hover()).on_hover_text(meanings::LINEAR);
    }
}

/// Shows the tone mapping and how much of the counted part is in view, above the histograms and their labels: at the right, or at the left
/// if that is `taken`. Returns its rectangle, if shown.
pub fn show_seen(ui: &Ui, free: Rect, model: &Model<'_>, taken: &[Rect]) -> Option<Rect> {
    let text = model.picture.seen?;
    let painter = ui.ctx().layer_painter(egui::LayerId::background());
    let above = if model.scopes.histograms.is_empty() { 0.0 } else { height(model) };
    let bottom = free.max.y - above - 6.0;
    let mut job = egui::text::LayoutJob::simple_singleline(text.to_owned(), theme::words(theme::SMALL), theme::LIGHT);
    job.wrap = egui::text::TextWrapping::truncate_at_width((free.width() - 2.0 * theme::MARGIN - 12.0).max(30.0));
    let galley = painter.layout_job(job);
    let size = galley.size() + vec2(12.0, 5.0);
    let places = [
        Align2::RIGHT_BOTTOM.anchor_size(pos2(free.max.x - theme::MARGIN, bottom), size),
        Align2::LEFT_BOTTOM.anchor_size(pos2(free.min.x + theme::MARGIN, bottom), size),
    ];
    let rect = places.into_iter().find(|rect| !taken.iter().any(|other| other.intersects(*rect)))?;
    painter.rect_filled(rect, 4, theme::PLATE);
    painter.galley(rect.center() - galley.size() / 2.0, galley, theme::LIGHT);
    log::trace!("seen: {text}");
    Some(rect)
}

/// Shows the labels of every histogram.
pub fn show(ui: &Ui, view: Rect, model: &Model<'_>, strength: f32) {
    let mut painter = ui.ctx().layer_painter(egui::LayerId::background());
    painter.set_opacity(strength);
    for panel in model.scopes.histograms {
        // In a column, the next histogram above may leave less room.
        let above =
            model.scopes.histograms.iter().map(|other| other.rect).filter(|other| {
                other.max.y <= panel.rect.min.y + 0.5 && other.x_range().intersects(panel.rect.x_range())
            });
        let ceiling = above.map(|other| other.max.y).fold(view.min.y, f32::max);
        let height = theme::AXIS.min(panel.rect.min.y - ceiling);
        if height >= MIN_STRIP {
            strip(&painter, panel, height, &model.scopes);
        }
    }
}

fn strip(painter: &Painter, panel: &HistogramArea, height: f32, scopes: &ScopesView<'_>) {
    let corner = pos2(panel.rect.min.x, panel.rect.min.y - height);
    let rect = Rect::from_min_max(corner, panel.rect.right_top());
    let font = theme::mono((height - 2.0).min(theme::SMALL - 0.5));
    let look = AxisLook { ground: theme::PLATE, font, inks: [theme::LIGHT, theme::DIM], wide: [110.0, 460.0] };
    let scale = scale_of(scopes.components, panel.channels, scopes.range, scopes.bits).with_light(scopes.light);
    axis(painter, rect, (scale, scopes.stops), &look);
    if let Some(marks) = scopes.light_marks {
        // The peak's text takes precedence.
        let taken = light_mark(painter, panel.rect, scale, ("peak", marks.peak), None);
        light_mark(painter, panel.rect, scale, ("average", marks.average), taken);
    }
}

/// Half the width of a mark on an axis, and its height.
const MARK: f32 = 5.0;

/// Marks a light below a histogram's axis, with its figure beside it unless that would cover `taken`. Returns what it covers.
fn light_mark(
    painter: &Painter,
    panel: Rect,
    scale: Scale,
    (name, mark): (&str, LightMark),
    taken: Option<Rect>,
) -> Option<Rect> {
    let code = scale.code_of_light(mark.light)?;
    let codes = f64::from(1_u32 << scale.bits());
    let at = pos2(panel.min.x + panel.width() * ((code + 0.5) / codes) as f32, panel.min.y);
    let color = if mark.is_beyond { theme::WRONG } else { theme::LIGHT };
    let text = format!("{name} {}", light_text(mark.light));
    log::trace!("marked: {text}{}", if mark.is_beyond { ", beyond what the file states" } else { "" });
    let galley = painter.layout_no_wrap(text, theme::mono(theme::SMALL - 0.5), color);
    let size = galley.size() + vec2(6.0, 0.0);
    let places =
        [at + vec2(MARK + 1.0, 1.0), at + vec2(-MARK - 1.0 - size.x, 1.0)].map(|min| Rect::from_min_size(min, size));
    let is_free = |rect: &&Rect| panel.contains_rect(**rect) && taken.is_none_or(|taken| !taken.intersects(**rect));
    let place = places.iter().find(is_free);
    if let Some(place) = place {
        painter.rect_filled(*place, 2, theme::PLATE);
        painter.galley(place.min + vec2(3.0, 0.0), galley, color);
    }
    let corners = vec![at + vec2(-MARK, 0.0), at + vec2(MARK, 0.0), at + vec2(0.0, 1.6 * MARK)];
    painter.add(Shape::convex_polygon(corners, color, Stroke::new(1.0, theme::PLATE)));
    place.copied()
}
