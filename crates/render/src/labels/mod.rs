//! Labels on a saved picture and the caption below it: codes and percentages along the histograms' axes, channel names,
//! the file and frame, the counted components, and the interpretation of the video. Labels have a dark background so
//! that they are legible on any picture.

pub mod fonts;
pub mod graticule;
pub mod guides;
pub mod rings;

use egui::epaint::text::{LayoutJob, TextFormat};
use egui::{Align2, Color32, CornerRadius, FontId, LayerId, Painter, Pos2, Rect, Stroke, Vec2, pos2, vec2};

use crate::engine::Renderer;
use crate::gpu::draw::{self, FontTextures, Shapes};
use crate::gpu::readback::Image;
use crate::gpu::{Gpu, GpuError};
use crate::view::overlay::{Channels, LINEAR_LIGHT, linear_text};
use crate::view::panel::panels;
use crate::view::placement::Shape;
use crate::view::probe_table::ProbeTable;
use crate::view::region;
use crate::view::scene::{Scene, Sharing};
use graticule::{color_of, ink_of};
use histoscope_core::adjust::StopScale;
use histoscope_core::histogram::{Components, Transfer};
use histoscope_core::picture::Frame;
use histoscope_core::picture::color::Range;
use histoscope_core::picture::luminance::LuminanceWeights;
use histoscope_core::picture::region::Rect as Part;
use histoscope_core::scopes::graticule::{Scale, Unit};
use histoscope_core::text::{time_text, with_minus};
use histoscope_core::tone_map::Display;

const GROUND: Color32 = Color32::from_black_alpha(214);
const LIGHT: Color32 = Color32::from_gray(240);
const DIM: Color32 = Color32::from_gray(178);
/// Height of the strip of codes above a histogram, height of the channel names above that strip, and font size, all in
/// points.
const STRIP: f32 = 15.0;
const NAMES: f32 = 17.0;
const LETTERS: f32 = 11.0;
/// Font size and margins of the caption below the picture, in points.
const CAPTION_LETTERS: f32 = 12.5;
const CAPTION_MARGIN: Vec2 = vec2(10.0, 8.0);

/// The contents of a saved picture.
#[derive(Debug, Clone, Copy)]
pub struct LabelSubject<'a> {
    /// The file.
    pub input: &'a str,
    /// The decoded frame.
    pub frame: &'a Frame,
    /// The counted components.
    pub components: Components,
    /// The region that was counted; `None` for the whole picture.
    pub region: Option<Part>,
    /// The scene to draw.
    pub scene: &'a Scene,
    /// A description of the held frame whose bins are drawn as outlines instead of the source's, if any.
    pub held: Option<&'a str>,
    /// File and time of the frame shown for comparison, unless that is the source.
    pub other: Option<&'a str>,
    /// The shape of that frame's picture.
    pub other_shape: Option<Shape>,
}

/// Draws the view with labels, and the caption below it. The image is as wide as the view, but taller.
///
/// # Errors
/// [`GpuError`] if the adapter does not support textures of that size, or fails.
pub fn snapshot(
    renderer: &mut Renderer,
    gpu: &Gpu,
    size: (u32, u32),
    subject: &LabelSubject<'_>,
) -> Result<Image, GpuError> {
    let points = points(size);
    let on_view = shapes(size, points, |painter| label_view(painter, size, points, subject));
    let mut image = renderer.snapshot_with(gpu, size, subject.scene, on_view)?;
    let lines = caption(subject);
    let width = size.0 as f32 / points;
    let mut height = 0.0;
    // The text is laid out once to measure its height, and again to draw it.
    drop(shapes((size.0, 1), points, |painter| height = show_caption(painter, width, &lines)));
    let below = (size.0, ((height * points).ceil() as u32).max(1));
    let text = shapes(below, points, |painter| {
        show_caption(painter, width, &lines);
    });
    let caption = draw::text_image(gpu, below, text)?;
    image.rgba.extend_from_slice(&caption.rgba);
    image.height += caption.height;
    Ok(image)
}

/// Draws the view with labels on its scopes only.
///
/// # Errors
/// As for [`snapshot`].
pub fn snapshot_with_scopes(
    renderer: &mut Renderer,
    gpu: &Gpu,
    size: (u32, u32),
    subject: &LabelSubject<'_>,
) -> Result<Image, GpuError> {
    let points = points(size);
    let on_view = shapes(size, points, |painter| {
        draw_guides(painter, size, points, subject);
        label_scopes(painter, size, points, subject);
    });
    renderer.snapshot_with(gpu, size, subject.scene, on_view)
}

/// Draws the view with nothing on it but the guides.
///
/// # Errors
/// As for [`snapshot`].
pub fn snapshot_bare(
    renderer: &mut Renderer,
    gpu: &Gpu,
    size: (u32, u32),
    subject: &LabelSubject<'_>,
) -> Result<Image, GpuError> {
    if !subject.scene.look.guides.any() {
        return renderer.snapshot(gpu, size, subject.scene);
    }
    let points = points(size);
    let on_view = shapes(size, points, |painter| draw_guides(painter, size, points, subject));
    renderer.snapshot_with(gpu, size, subject.scene, on_view)
}

/// Draws the guides, except over histograms and scopes.
fn draw_guides(painter: &Painter, size: (u32, u32), points: f32, subject: &LabelSubject<'_>) {
    let LabelSubject { frame, components, scene, .. } = *subject;
    let scopes = scene.arranged(size).panels.into_iter().map(|panel| panel.frame);
    let covered = panels(scene, components, size).map(|(_, rect, _)| rect).chain(scopes);
    let covered: Vec<_> = covered.map(|rect| rings::in_points(&rect, points)).collect();
    let live = Shape::of(frame);
    let other = subject.other_shape.as_ref().unwrap_or(&live);
    for placed in scene.guides(&live, Some(other), size) {
        guides::draw(painter, &placed, &covered);
    }
}

/// Draws the labels on the scopes.
fn label_scopes(painter: &Painter, size: (u32, u32), points: f32, subject: &LabelSubject<'_>) {
    let LabelSubject { frame, components, scene, .. } = *subject;
    let written = graticule::ScopeSubject::shown_by(scene, frame, components);
    for panel in scene.arranged(size).panels {
        let [frame, rect] = [panel.frame, panel.rect].map(|rect| rings::in_points(&rect, points));
        graticule::draw(painter, (frame, rect), panel.kind, &written);
    }
}

/// Returns the number of pixels per point. Text is as large as in a window of that size, and never illegibly small.
fn points((width, height): (u32, u32)) -> f32 {
    (width as f32 / 1280.0).min(height as f32 / 720.0).clamp(1.0, 4.0)
}

/// Lays out text and lines and converts them to triangles for an image of `size` pixels.
fn shapes(size: (u32, u32), points: f32, mut draw: impl FnMut(&Painter)) -> Shapes {
    let context = egui::Context::default();
    context.add_font_provider(fonts::provider());
    let mut input = egui::RawInput {
        screen_rect: Some(Rect::from_min_size(Pos2::ZERO, vec2(size.0 as f32, size.1 as f32) / points)),
        ..egui::RawInput::default()
    };
    input.viewports.entry(egui::ViewportId::ROOT).or_default().native_pixels_per_point = Some(points);
    let output = context.run_ui(input, |ui| draw(&ui.ctx().layer_painter(LayerId::background())));
    let primitives = context.tessellate(output.shapes, output.pixels_per_point);
    Shapes { primitives, textures: FontTextures(output.textures_delta), pixels_per_point: output.pixels_per_point }
}

/// Returns the lines of the caption. The first one names the file.
fn caption(subject: &LabelSubject<'_>) -> Vec<String> {
    let LabelSubject { input, frame, components, scene, .. } = *subject;
    let picture = &frame.picture;
    let number = frame.index.map_or_else(String::new, |index| format!("frame {index}, "));
    let label = frame.timecode.map_or_else(String::new, |timecode| format!(", timecode {timecode}"));
    let counted =
        if subject.held.is_some() { scene.look.filled_text(components) } else { scene.look.counted_text(components) };
    let mut counted = counted.unwrap_or_else(|| "source".to_owned());
    if let Some(held) = subject.held {
        counted += &format!("; outline: {held}");
    }
    let part = subject.region.map_or_else(
        || "the whole picture".to_owned(),
        |rect| format!("region {} of the coded picture", region::text(rect)),
    );
    let weights = picture.colorimetry().luminance;
    let what = match components {
        Components::Rgbl if weights == LuminanceWeights::default() => "red, green, blue and luminance".to_owned(),
        Components::Rgbl => format!("red, green, blue and luminance, {weights}"),
        Components::YCbCr => "Y', Cb and Cr as coded".to_owned(),
    };
    let (width, height, depth) = (picture.width(), picture.height(), picture.layout().depth);
    let binning = scene.look.histograms.binning(picture.layout().bin_bits());
    let mut drawn = binning.text().map_or_else(String::new, |bins| format!("; drawn in {bins}"));
    if scene.look.overlays {
        drawn += &format!("; {}", scene.look.histograms.scale.text());
    }
    if scene.look.shows_linear(components) {
        drawn += &format!("; {}", linear_text(Transfer::of_tag(frame.source.transfer)));
    }
    let mut lines = vec![
        input.to_owned(),
        format!("{number}{}{label}", time_text(frame.time_secs)),
        format!("counted: {counted}; {part}; {what}{drawn}"),
        format!("read as: {width}×{height}, {depth} bits, {}", frame.interpretation()),
    ];
    lines.extend(told_of_pair(scene, subject.other));
    let guides = scene.look.guides.text();
    lines.extend((!guides.is_empty()).then(|| format!("guides: {guides}")));
    let probes = ProbeTable::of(&scene.look.probes, frame, components).map(|table| table.sentences());
    lines.extend(probes.into_iter().flatten());
    lines.extend(scene.look.exposure.description(scene.look.shown_light(&frame.source).scale()));
    // False colour replaces the picture's own colours.
    let tone_map = scene.look.tone_map(&frame.source, Display::Sdr).filter(|_| !scene.look.exposure.false_color.shown);
    lines.extend(tone_map.map(|map| format!("shown: {}", map.text())));
    lines
}

/// Describes the frame shown next to the picture and how the two are combined, if there is one.
fn told_of_pair(scene: &Scene, other: Option<&str>) -> Option<String> {
    let pair = scene.paired()?;
    let side = if pair.other.is_left() { "left" } else { "right" };
    match (pair.sharing, other) {
        (Sharing::Difference, other) => {
            Some(format!("shown: difference {} to {}", pair.gain, other.unwrap_or("the source")))
        }
        (_, other) => other.map(|other| format!("{side} of the line: {other}")),
    }
}

/// Draws the caption from top to bottom and returns its height in points.
fn show_caption(painter: &Painter, width: f32, lines: &[String]) -> f32 {
    let ground = Color32::from_gray(16);
    painter.rect_filled(Rect::from_min_size(Pos2::ZERO, vec2(width, 4000.0)), 0, ground);
    painter.hline(0.0..=width, 0.5, Stroke::new(1.0, Color32::from_gray(70)));
    let mut y = CAPTION_MARGIN.y;
    for (number, line) in lines.iter().enumerate() {
        let color = if number < 2 { LIGHT } else { DIM };
        let format = TextFormat { font_id: FontId::proportional(CAPTION_LETTERS), color, ..TextFormat::default() };
        let mut job = LayoutJob::single_section(line.clone(), format);
        job.wrap.max_width = (width - 2.0 * CAPTION_MARGIN.x).max(40.0);
        // File names may have no spaces to break at.
        job.wrap.break_anywhere = number == 0;
        let galley = painter.layout_job(job);
        let height = galley.size().y;
        painter.galley(pos2(CAPTION_MARGIN.x, y), galley, color);
        y += height + 2.0;
    }
    y + CAPTION_MARGIN.y
}

/// Draws the region's border, the axes and the channel names, in points of the view.
fn label_view(painter: &Painter, size: (u32, u32), points: f32, subject: &LabelSubject<'_>) {
    let bits = subject.frame.picture.layout().bin_bits();
    let range = subject.frame.picture.colorimetry().range.value;
    let light = subject.scene.look.counted_light(subject.components, &subject.frame.source).scale();
    let view = Rect::from_min_size(Pos2::ZERO, vec2(size.0 as f32, size.1 as f32) / points);
    draw_guides(painter, size, points, subject);
    label_scopes(painter, size, points, subject);
    if let Some(table) = ProbeTable::of(&subject.scene.look.probes, subject.frame, subject.components) {
        let counted = (subject.frame, subject.components, subject.region);
        rings::draw(painter, &rings::of_probes(&table, subject.scene, counted, (size, points)));
    }
    let shown: Vec<_> = panels(subject.scene, subject.components, size).collect();
    if let Some(rect) = subject.region {
        let placement = subject.scene.placement(&Shape::of(subject.frame), size);
        let (low, high) = region::on_view(rect, &placement);
        let [low, high] = [low, high].map(|at| pos2(at.x as f32, at.y as f32) / points);
        let border = Rect::from_min_max(low, high);
        painter.rect_stroke(border, 0, Stroke::new(3.0, Color32::from_black_alpha(170)), egui::StrokeKind::Middle);
        painter.rect_stroke(border, 0, Stroke::new(1.0, LIGHT), egui::StrokeKind::Middle);
    }
    let rects: Vec<_> = shown.iter().map(|(_, rect, _)| rings::in_points(rect, points)).collect();
    for (&rect, (_, _, channels)) in rects.iter().zip(&shown) {
        // In a column of histograms, the one above leaves little room. The labels then overlap this histogram.
        let above = rects
            .iter()
            .filter(|other| other.max.y <= rect.min.y + 0.5 && other.x_range().intersects(rect.x_range()))
            .map(|other| other.max.y);
        let ceiling = above.fold(view.min.y, f32::max);
        let top = (rect.min.y - STRIP - NAMES).max(ceiling);
        let scale = scale_of(subject.components, *channels, range, bits).with_light(light);
        let scale = (scale, subject.scene.look.counted_stops(subject.components, range));
        let names = channels.iter().filter_map(|channel| {
            let name = subject.components.channel_names().get(channel)?;
            Some((name_of(name), color_of(subject.components, channel)))
        });
        let has_line = channels.contains(3) && subject.scene.look.shows_linear(subject.components);
        let names = names.chain(has_line.then(|| ("of linear light", ink_of(LINEAR_LIGHT))));
        strip(painter, Rect::from_min_size(pos2(rect.min.x, top + NAMES), vec2(rect.width(), STRIP)), scale);
        show_names(painter, pos2(rect.min.x, top), rect.width(), names);
        graticule::reference_codes(painter, rect, (scale.0, &subject.scene.look.scopes), |_| None);
    }
}

/// The appearance of an axis's labels.
#[derive(Debug, Clone)]
pub struct AxisLook {
    /// Background colour.
    pub ground: Color32,
    /// Font of the labels.
    pub font: FontId,
    /// Text colours for codes and for percentages.
    pub inks: [Color32; 2],
    /// Minimum widths, in points, for codes at all quarters, and for percentages next to them.
    pub wide: [f32; 2],
}

/// Returns the scale of a histogram of these channels. If it shows both Y' and colour differences, the scale is that of
/// Y'.
#[must_use]
pub fn scale_of(components: Components, channels: Channels, range: Range, bits: u32) -> Scale {
    Scale::new(components, channels.iter().next().unwrap_or(0), range, bits)
}

/// Labels a histogram's axis with codes at its quarters, and with percentages of its scale if there is room; with
/// `stops` or light in cd/m², and codes, if these are known.
pub fn axis(painter: &Painter, rect: Rect, (scale, stops): (Scale, Option<StopScale>), look: &AxisLook) {
    let bits = scale.bits();
    painter.rect_filled(rect, 0, look.ground);
    if let Some(stops) = stops {
        return ticked_axis(painter, rect, bits, ("stops", &stop_ticks(stops, bits)), look);
    }
    if scale.light().is_some() {
        return ticked_axis(painter, rect, bits, ("cd/m²", &light_ticks(scale)), look);
    }
    let top = (1_u32 << bits) - 1;
    let [all_from, percent_from] = look.wide;
    let quarters = if rect.width() < all_from { &[0, 4][..] } else { &[0, 1, 2, 3, 4] };
    for &quarter in quarters {
        let code = (quarter << bits >> 2).min(top);
        let (anchor, x) = match quarter {
            0 => (Align2::LEFT_CENTER, rect.min.x + 3.0),
            4 => (Align2::RIGHT_CENTER, rect.max.x - 3.0),
            // The middle of the bin as drawn in the histogram.
            _ => (Align2::CENTER_CENTER, rect.min.x + rect.width() * (code as f32 + 0.5) / (top + 1) as f32),
        };
        let at = pos2(x, rect.center().y);
        let text = painter.text(at, anchor, code.to_string(), look.font.clone(), look.inks[0]);
        if rect.width() > percent_from {
            let (anchor, x) = if quarter == 4 {
                (Align2::RIGHT_CENTER, text.min.x - 8.0)
            } else {
                (Align2::LEFT_CENTER, text.max.x + 8.0)
            };
            painter.text(pos2(x, rect.center().y), anchor, percent_text(scale, code), look.font.clone(), look.inks[1]);
        }
    }
}

/// A tick of an axis.
#[derive(Debug, Clone, PartialEq)]
struct Tick {
    /// The code, not rounded.
    code: f64,
    text: String,
    /// `true` if it is at the end of the axis.
    is_end: bool,
}

/// Ticks of light in the order in which they claim space, after the peak.
const LIGHT_ORDER: [f64; 7] = [203.0, 1000.0, 100.0, 10.0, 1.0, 4000.0, 0.1];
/// Ticks of exposure in the order in which they claim space.
const STOP_ORDER: [i8; 13] = [0, 2, -2, 4, -4, 6, -6, 1, -1, 3, -3, 5, -5];

/// Returns the ticks of an axis in cd/m², in the order in which they claim space.
fn light_ticks(scale: Scale) -> Vec<Tick> {
    let ticks = scale.light_ticks();
    let rank = |light: f64| LIGHT_ORDER.iter().position(|other| (other - light).abs() < 1e-9);
    let mut order: Vec<_> = ticks.iter().copied().enumerate().collect();
    // The peak is the last tick, whatever its light.
    order.sort_by_key(|&(index, (_, light))| if index + 1 == ticks.len() { None } else { rank(light) });
    let tick = |(index, (code, light)): (usize, (f64, f64))| Tick {
        code,
        text: light.to_string(),
        is_end: index + 1 == ticks.len(),
    };
    order.into_iter().map(tick).collect()
}

/// Returns the ticks of an axis in stops around middle gray, in the order in which they claim space.
fn stop_ticks(scale: StopScale, bits: u32) -> Vec<Tick> {
    let top = f64::from((1_u32 << bits) - 1);
    let tick = |stops: i8| {
        let sign = if stops > 0 { "+" } else { "" };
        let text = with_minus(&format!("{sign}{stops}"));
        scale.signal(stops.into()).map(|signal| Tick { code: signal * top, text, is_end: false })
    };
    STOP_ORDER.into_iter().filter_map(tick).collect()
}

/// Labels an axis with ticks, and with codes beside them if there is room. The units are at the left end. Earlier ticks
/// take precedence.
fn ticked_axis(painter: &Painter, rect: Rect, bits: u32, (unit, ticks): (&str, &[Tick]), look: &AxisLook) {
    let codes = f64::from(1_u32 << bits);
    let x_of = |code: f64| rect.min.x + rect.width() * ((code + 0.5) / codes) as f32;
    let layout = |text: String, ink: Color32| painter.layout_no_wrap(text, look.font.clone(), ink);
    let has_codes = rect.width() > look.wide[1];
    let mut end = rect.min.x + 3.0;
    for (unit, ink) in [(unit, look.inks[0]), ("code", look.inks[1])].into_iter().take(1 + usize::from(has_codes)) {
        let unit = layout(unit.to_owned(), ink);
        let width = unit.size().x;
        painter.galley(pos2(end, rect.center().y - unit.size().y / 2.0), unit, ink);
        end += width + 4.0;
    }
    let mut taken = vec![Rect::from_min_max(rect.min, pos2(end - 1.0, rect.max.y))];
    for tick in ticks {
        let x = x_of(tick.code);
        let text = layout(tick.text.clone(), look.inks[0]);
        let beside = has_codes.then(|| layout(format!("{:.0}", tick.code), look.inks[1]));
        let width = text.size().x + beside.as_ref().map_or(0.0, |beside| beside.size().x + 4.0);
        // The text is to the right of its tick, except at the end of the axis.
        let left = if tick.is_end { rect.max.x - 3.0 - width } else { x + 3.0 };
        let place = Rect::from_min_size(pos2(left - 3.0, rect.min.y), vec2(width + 3.0, rect.height()));
        if place.max.x > rect.max.x || taken.iter().any(|other| other.expand2(vec2(4.0, 0.0)).intersects(place)) {
            continue;
        }
        if !tick.is_end {
            painter.vline(x, rect.y_range(), Stroke::new(1.0, look.inks[1]));
        }
        let y = rect.center().y - text.size().y / 2.0;
        let after = left + text.size().x + 4.0;
        painter.galley(pos2(left, y), text, look.inks[0]);
        if let Some(beside) = beside {
            painter.galley(pos2(after, y), beside, look.inks[1]);
        }
        taken.push(place);
    }
}

/// Returns the percentage of a code.
fn percent_text(scale: Scale, code: u32) -> String {
    with_minus(&format!("{:.0} %", scale.value_of(code.into(), Unit::Percent)))
}

/// Draws an axis in a saved picture.
fn strip(painter: &Painter, rect: Rect, scale: (Scale, Option<StopScale>)) {
    // Room for five codes with this number of digits.
    let digits = ((1_u32 << scale.0.bits()) - 1).to_string().len() as f32;
    let wide = [45.0 * digits, 480.0];
    axis(
        painter,
        rect,
        scale,
        &AxisLook { ground: GROUND, font: FontId::monospace(LETTERS), inks: [LIGHT, DIM], wide },
    );
}

/// Writes the channels' names in their colours, on a background whose upper left corner is `at`.
fn show_names(painter: &Painter, at: Pos2, room: f32, names: impl Iterator<Item = (&'static str, Color32)>) {
    let mut job = LayoutJob::default();
    for (number, (name, color)) in names.enumerate() {
        let format = TextFormat { font_id: FontId::proportional(LETTERS + 1.0), color, ..TextFormat::default() };
        job.append(name, if number == 0 { 0.0 } else { 9.0 }, format);
    }
    job.wrap = egui::text::TextWrapping::truncate_at_width((room - 10.0).max(10.0));
    let galley = painter.layout_job(job);
    let plate = Rect::from_min_size(at, vec2(galley.size().x + 10.0, NAMES));
    painter.rect_filled(plate, CornerRadius { nw: 4, ne: 4, sw: 0, se: 0 }, GROUND);
    painter.galley(pos2(at.x + 5.0, plate.center().y - galley.size().y / 2.0), galley, LIGHT);
}

const fn name_of(name: &'static str) -> &'static str {
    match name.as_bytes() {
        b"y" => "Y'",
        b"cb" => "Cb",
        b"cr" => "Cr",
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::overlay::{BarScale, OverlayStyle};
    use crate::view::scene::Look;
    use histoscope_core::adjust::{CameraLog, Lut};

    #[test]
    fn stops_have_ticks_where_the_axis_reaches_them() {
        let texts = |is_mapped| {
            let scale = Lut::of_camera(CameraLog::LogC3).stops(is_mapped).expect("it is a camera's");
            stop_ticks(scale, 10).into_iter().map(|tick| format!("{} {:.0}", tick.text, tick.code)).collect::<Vec<_>>()
        };
        let mapped = texts(true);
        assert_eq!(mapped[..2], ["0 501", "+2 892"], "{mapped:?}");
        assert!(
            mapped.contains(&"−6 89".to_owned()) && !mapped.iter().any(|text| text.starts_with("+3")),
            "{mapped:?}"
        );
        assert_eq!(texts(false).len(), 13, "the curve reaches six stops in both directions");
    }

    #[test]
    fn an_axis_with_two_figures_has_two_units() {
        let texts = |width: f32| {
            let context = egui::Context::default();
            let output = context.run_ui(egui::RawInput::default(), |ui| {
                let scale = scale_of(Components::Rgbl, Channels::ALL, Range::Full, 10);
                let scale = scale.with_light(Some(histoscope_core::histogram::LightScale::Pq));
                let rect = Rect::from_min_size(Pos2::ZERO, vec2(width, STRIP));
                strip(&ui.ctx().layer_painter(LayerId::background()), rect, (scale, None));
            });
            drop(FontTextures(output.textures_delta));
            let text = |shape: egui::epaint::ClippedShape| match shape.shape {
                egui::Shape::Text(text) => Some(text.galley.text().to_owned()),
                _ => None,
            };
            output.shapes.into_iter().filter_map(text).collect::<Vec<_>>()
        };
        assert_eq!(texts(600.0)[..4], ["cd/m²", "code", "10000", "1023"]);
        assert_eq!(texts(300.0)[..2], ["cd/m²", "10000"], "no room for codes");
    }

    #[test]
    fn a_caption_names_the_scale_of_the_bars() {
        let frame = histoscope_core::test_data::gray((4, 4), |_, _| 0);
        let line = |look: Look| {
            let (input, components, scene) = ("a.mp4", Components::Rgbl, Scene::from(look));
            let subject = LabelSubject {
                input,
                frame: &frame,
                components,
                region: None,
                scene: &scene,
                held: None,
                other: None,
                other_shape: None,
            };
            caption(&subject).into_iter().find(|line| line.starts_with("counted: ")).expect("it says what was counted")
        };
        let of = |scale| {
            let histograms = OverlayStyle { scale, ..OverlayStyle::default() };
            line(Look { histograms, ..Look::default() })
        };
        assert!(of(BarScale::Peak).ends_with("; bar heights to the peak"), "{}", of(BarScale::Peak));
        assert!(of(BarScale::Tutorial).ends_with("; bar heights cut off at five times the mean"));
        assert!(!line(Look { overlays: false, ..Look::default() }).contains("bar heights"), "no bars are drawn");
    }

    #[test]
    fn the_percentages_of_an_axis_are_those_of_its_codes() {
        let texts = |components, channels, range| {
            [0, 64, 128, 192, 255].map(|code| percent_text(scale_of(components, channels, range, 8), code))
        };
        let of_rgb = texts(Components::Rgbl, Channels::ALL, Range::Limited);
        assert_eq!(of_rgb, ["0 %", "25 %", "50 %", "75 %", "100 %"]);
        let luma = texts(Components::YCbCr, Channels::one(0), Range::Limited);
        assert_eq!(luma, ["−7 %", "22 %", "51 %", "80 %", "109 %"], "16 is 0 % and 235 is 100 %");
        let chroma = texts(Components::YCbCr, Channels::one(1).union(Channels::one(2)), Range::Limited);
        assert_eq!(chroma, ["−57 %", "−29 %", "0 %", "29 %", "57 %"], "16 is −50 % and 240 is 50 %");
    }
}
