//! Labels of the histograms: code values at the video's own depth and percentages, above each histogram, clear of its
//! data; and above these, if there are several pictures, which of them is counted.

use egui::{Align2, Painter, Rect, Shape, Stroke, Ui, Vec2, pos2, vec2};

use super::model::{HistogramArea, LightMark, LightMarks, Model, ScopesView};
use super::readout::share_text;
use super::{letters, meanings, theme};
use histoscope_core::histogram::Components;
use histoscope_core::histogram::pixel_light::light_text;
use histoscope_core::scopes::graticule::Scale;
use histoscope_render::labels::graticule::reference_codes;
use histoscope_render::labels::{AxisLook, axis, scale_of};

/// Minimum height of readable labels, in points.
const MIN_STRIP: f32 = 10.0;

/// Height of the line that names the counted picture.
const COUNTED: f32 = letters::HEIGHT;

/// Height of all labels above a histogram: its axis, and the line with the picture's name and the channels' letters.
pub const HEIGHT: f32 = theme::AXIS + COUNTED;

/// Shows which picture is counted, and the scale of the bars: above the first histogram, or to the left of the last one
/// if there is no room above. Without a picture's name, it fades with the controls.
pub fn show_counted(ui: &Ui, view: Rect, model: &Model<'_>, strength: f32) {
    let (Some(first), Some(last)) = (model.scopes.histograms.first(), model.scopes.histograms.last()) else { return };
    let scale = model.look.histograms.scale.text();
    let text = format!("{}; {scale}", model.scopes.counted.unwrap_or("source"));
    let mut painter = ui.ctx().layer_painter(egui::LayerId::background());
    if model.scopes.counted.is_none() {
        if strength <= 0.0 {
            return;
        }
        painter.set_opacity(strength);
    }
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
    let mut job = egui::text::LayoutJob::simple_singleline(text, theme::words(theme::SMALL), theme::LIGHT);
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

/// Shows the tone mapping and how much of the counted part is in view, above the histograms and their labels: at the
/// right, or at the left if that is `taken`. Returns its rectangle, if shown.
pub fn show_seen(ui: &Ui, free: Rect, model: &Model<'_>, taken: &[Rect]) -> Option<Rect> {
    let text = model.picture.seen?;
    let painter = ui.ctx().layer_painter(egui::LayerId::background());
    let above = if model.scopes.histograms.is_empty() { 0.0 } else { HEIGHT };
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
    let lines = ui.ctx().layer_painter(egui::LayerId::background());
    let mut painter = lines.clone();
    painter.set_opacity(strength);
    for panel in model.scopes.histograms {
        reference_lines(&lines, panel, model);
        // In a column, the next histogram above may leave less room.
        let above =
            model.scopes.histograms.iter().map(|other| other.rect).filter(|other| {
                other.max.y <= panel.rect.min.y + 0.5 && other.x_range().intersects(panel.rect.x_range())
            });
        let ceiling = above.map(|other| other.max.y).fold(view.min.y, f32::max);
        let height = theme::AXIS.min(panel.rect.min.y - ceiling);
        if height >= MIN_STRIP {
            let lines = &model.look.scopes.lines;
            // Reference lines have their values in a row, and the bands between them another.
            let rows = usize::from(lines.codes(8).next().is_some()) + usize::from(!lines.bands(8).is_empty());
            strip(&painter, panel, (height, rows), &model.scopes);
        }
    }
}

/// Draws the reference lines of a histogram, and the share of the pixels in each band: of their luminance, or of the
/// histogram's first channel.
fn reference_lines(painter: &Painter, panel: &HistogramArea, model: &Model<'_>) {
    let scopes = &model.scopes;
    let has_luminance = scopes.components == Components::Rgbl && panel.channels.contains(3);
    let channel = if has_luminance { Some(3) } else { panel.channels.iter().next() };
    let share = |[low, high]: [u32; 2]| {
        let (sums, channel) = (scopes.sums?, channel?);
        let share = share_text(sums.channel(channel).share_in(low..=high));
        log::trace!("band: {low} to {high}: {share}");
        Some(format!("{} {share}", scopes.components.short_name(channel)))
    };
    let scale = scale_of(scopes.components, panel.channels, scopes.range, scopes.bits).with_light(scopes.light);
    reference_codes(painter, panel.rect, (scale, &model.look.scopes), share);
}

/// Draws a histogram's axis, and below it, under so many rows of other text, the marks of light.
fn strip(painter: &Painter, panel: &HistogramArea, (height, rows): (f32, usize), scopes: &ScopesView<'_>) {
    let corner = pos2(panel.rect.min.x, panel.rect.min.y - height);
    let rect = Rect::from_min_max(corner, panel.rect.right_top());
    let font = theme::mono((height - 2.0).min(theme::SMALL - 0.5));
    let look = AxisLook { ground: theme::PLATE, font, inks: [theme::LIGHT, theme::DIM], wide: [110.0, 460.0] };
    let scale = scale_of(scopes.components, panel.channels, scopes.range, scopes.bits).with_light(scopes.light);
    axis(painter, rect, (scale, scopes.stops), &look);
    if let Some(marks) = &scopes.light_marks {
        mark_light(painter, (panel.rect, rows), scale, marks);
    }
}

/// Width and height of a mark on an axis.
const MARK: Vec2 = vec2(10.0, 8.0);

/// Marks the peak and the average below a histogram's axis, with their figures where there is room.
fn mark_light(painter: &Painter, (panel, rows): (Rect, usize), scale: Scale, marks: &LightMarks) {
    let codes = f64::from(1_u32 << scale.bits());
    let shown: Vec<_> = [("peak", marks.peak), ("average", marks.average)]
        .into_iter()
        .filter_map(|(name, LightMark { light, is_beyond })| {
            let x = panel.min.x + panel.width() * ((scale.code_of_light(light)? + 0.5) / codes) as f32;
            let text = format!("{name} {}", light_text(light));
            log::trace!("marked: {text}{}", if is_beyond { ", beyond what the file states" } else { "" });
            let color = if is_beyond { theme::WRONG } else { theme::LIGHT };
            let galley = painter.layout_no_wrap(text, theme::mono(theme::SMALL - 0.5), color);
            Some((Rect::from_min_size(pos2(x - MARK.x / 2.0, panel.min.y), MARK), galley, color))
        })
        .collect();
    let mut taken: Vec<_> = shown.iter().map(|(mark, ..)| *mark).collect();
    for (mark, galley, color) in shown {
        if let Some(place) = beside((panel, rows), mark, galley.size() + vec2(6.0, 0.0), &taken) {
            painter.rect_filled(place, 2, theme::PLATE);
            painter.galley(place.min + vec2(3.0, 0.0), galley, color);
            taken.push(place);
        }
        let corners = vec![mark.left_top(), mark.right_top(), mark.center_bottom()];
        painter.add(Shape::convex_polygon(corners, color, Stroke::new(1.0, theme::PLATE)));
    }
}

/// Returns the place for a text of this size beside a mark, inside the panel and clear of what is `taken`: at the right
/// if possible, else at the left, else a line further down. The first rows are left free.
fn beside((panel, rows): (Rect, usize), mark: Rect, size: Vec2, taken: &[Rect]) -> Option<Rect> {
    let lines = [rows, rows + 1].map(|row| panel.min.y + 1.0 + row as f32 * (size.y + 1.0));
    let mut places = lines
        .into_iter()
        .flat_map(|y| [mark.max.x + 1.0, mark.min.x - 1.0 - size.x].map(|x| Rect::from_min_size(pos2(x, y), size)));
    places.find(|place| panel.contains_rect(*place) && !taken.iter().any(|other| other.intersects(*place)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_of_marks_cover_neither_marks_nor_each_other() {
        let panel = Rect::from_min_size(pos2(100.0, 50.0), vec2(400.0, 120.0));
        let size = vec2(90.0, 12.0);
        let mark = |x: f32| Rect::from_min_size(pos2(x, 50.0), MARK);
        let place =
            |x: f32, taken: &[Rect]| beside((panel, 0), mark(x), size, taken).map(|place| (place.min.x, place.min.y));
        assert_eq!(place(200.0, &[mark(200.0)]), Some((211.0, 51.0)), "at the right");
        assert_eq!(place(480.0, &[mark(480.0)]), Some((389.0, 51.0)), "at the left near the right end");
        // The average just below the peak: its mark is where the peak's text would be at the left.
        let marks = [mark(480.0), mark(440.0)];
        assert_eq!(place(480.0, &marks), Some((389.0, 64.0)), "a line further down");
        let text = Rect::from_min_size(pos2(389.0, 64.0), size);
        assert_eq!(place(440.0, &[marks[0], marks[1], text]), Some((349.0, 51.0)));
        let lower = beside((panel, 2), mark(200.0), size, &[mark(200.0)]).map(|place| place.min.y);
        assert_eq!(lower, Some(77.0), "below two rows of other text");
        let small = Rect::from_min_size(pos2(100.0, 50.0), vec2(80.0, 60.0));
        assert_eq!(beside((small, 0), mark(120.0), size, &[]), None, "no room");
    }
}
