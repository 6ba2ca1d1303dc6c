//! Labels and lines on scopes, shared by the window and saved pictures: levels, targets, names.

use std::sync::Arc;

use egui::text::{LayoutJob, TextWrapping};
use egui::{Align2, Color32, FontId, Galley, Painter, Pos2, Rect, Stroke, StrokeKind, pos2, vec2};

use crate::view::overlay::{Channels, lights};
use crate::view::scene::Scene;
use crate::view::scopes::{Lens, ScopeKind, ScopeStyle};
use histoscope_core::adjust::Adjustments;
use histoscope_core::histogram::{CHANNELS, Components, LightScale};
use histoscope_core::picture::color::Range;
use histoscope_core::picture::{Frame, Picture};
use histoscope_core::scopes::graticule::{LineKind, Mark, Scale, Unit};
use histoscope_core::scopes::{
    Axis, Chroma, Chromaticity, DRAWN_GAMUTS, Diagram, Diamond, SPECTRUM, level_bits, targets,
};
use histoscope_core::tone_map::SourceLight;

const STEP: Color32 = Color32::from_rgba_premultiplied(30, 30, 30, 30);
const NOMINAL: Color32 = Color32::from_rgba_premultiplied(84, 84, 84, 84);
const TOLERANCE: Color32 = Color32::from_rgba_premultiplied(120, 72, 24, 120);
const TARGET: Color32 = Color32::from_rgba_premultiplied(150, 150, 150, 150);
const INK: Color32 = Color32::from_gray(196);
const TOLERANCE_INK: Color32 = Color32::from_rgb(255, 190, 120);
pub(super) const REFERENCE: Color32 = Color32::from_rgb(255, 226, 92);
/// Background behind text, which traces would otherwise make illegible.
const GROUND: Color32 = Color32::from_black_alpha(190);
/// Font size, and the height of a line of text, both in points.
const LETTERS: f32 = 10.0;
pub(super) const LINE: f32 = 12.0;
/// Minimum side of a panel with labels, and of one with anything besides its trace, in points.
const ROOMY: f32 = 110.0;
const LEAST: f32 = 40.0;
/// The message for a picture without colour, long and short.
const GRAY: [&str; 2] = ["gray: the picture has no colour", "gray"];

/// The properties of the counted picture that determine a scope's labels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScopeSubject {
    /// The counted components.
    pub components: Components,
    /// The enabled channels.
    pub channels: Channels,
    /// Range of the codes.
    pub range: Range,
    /// Bits per code.
    pub bits: u32,
    /// What the vectorscope counts; `None` if the picture has no colour.
    pub chroma: Option<Chroma>,
    /// The light of grays, if it is known.
    pub light: Option<LightScale>,
    /// The adjustments whose result is counted; none for the source.
    pub adjustments: Adjustments,
    /// The scopes' appearance.
    pub style: ScopeStyle,
}

impl ScopeSubject {
    /// Describes what the scopes of a scene count of a frame.
    #[must_use]
    pub fn shown_by(scene: &Scene, frame: &Frame, components: Components) -> Self {
        let look = &scene.look;
        let light = look.counted_light(components, &frame.source);
        let adjustments = look.counted_adjustments(components);
        Self::of(&frame.picture, (adjustments, light), (components, look.channels), look.scopes.clamped())
    }

    /// Describes the result of adjusting a picture, whose codes have this light.
    #[must_use]
    pub fn of(
        picture: &Picture,
        (adjustments, light): (Adjustments, SourceLight),
        (components, channels): (Components, Channels),
        style: ScopeStyle,
    ) -> Self {
        Self {
            components,
            channels,
            range: picture.colorimetry().range.value,
            bits: picture.layout().bin_bits(),
            chroma: Chroma::of_counted(components.in_picture(picture), !adjustments.is_off())
                .map(|chroma| chroma.in_diagram(style.diagram, light.colors())),
            light: light.scale(),
            adjustments,
            style: style.clamped(),
        }
    }

    /// Returns the number of bits in a level of the vectorscope.
    #[must_use]
    pub fn pair_level_bits(&self) -> u32 {
        self.chroma.map_or_else(|| level_bits(self.bits), |chroma| chroma.level_bits())
    }

    /// Returns the scale of a channel.
    #[must_use]
    pub fn scale_of(&self, channel: usize) -> Scale {
        Scale::new(self.components, channel, self.range, self.bits).with_light(self.light)
    }

    /// Returns the channels shown in a waveform.
    pub fn shown(&self) -> impl Iterator<Item = usize> + use<> {
        let count = if self.components == Components::Rgbl {
            CHANNELS
        } else if self.chroma.is_some() {
            3
        } else {
            1
        };
        self.channels.iter().filter(move |&channel| channel < count)
    }
}

/// Draws a scope's labels and lines inside `frame`; `rect` is the area of its trace. Both are in points.
pub fn draw(painter: &Painter, (frame, rect): (Rect, Rect), kind: ScopeKind, subject: &ScopeSubject) {
    let painter = painter.with_clip_rect(frame.expand(1.0).intersect(painter.clip_rect()));
    painter.rect_stroke(frame, 0, Stroke::new(1.0, STEP), StrokeKind::Inside);
    if frame.width().min(frame.height()) < LEAST {
        if kind == ScopeKind::Vectorscope && subject.chroma.is_none() {
            show_message(&painter, frame, &GRAY);
        }
        return;
    }
    match kind {
        ScopeKind::Histogram => {}
        ScopeKind::Waveform => {
            let first = subject.shown().next().unwrap_or(0);
            scale(&painter, (frame, rect), first, subject);
            reference_levels(&painter, (frame, rect), first, subject);
            names(&painter, frame, subject.shown().collect(), subject.components);
        }
        ScopeKind::Parade => {
            let shown: Vec<_> = subject.shown().collect();
            for (place, &channel) in shown.iter().enumerate() {
                let at = |place: usize| rect.min.x + rect.width() * place as f32 / shown.len() as f32;
                let [frame, part] =
                    [frame, rect].map(|rect| Rect::from_x_y_ranges(at(place)..=at(place + 1), rect.y_range()));
                let inside = painter.with_clip_rect(frame.intersect(painter.clip_rect()));
                scale(&inside, (frame, part), channel, subject);
                reference_levels(&inside, (frame, part), channel, subject);
                names(&painter, frame, vec![channel], subject.components);
                if place > 0 {
                    painter.vline(part.min.x, frame.y_range(), Stroke::new(1.0, NOMINAL));
                }
            }
        }
        ScopeKind::Vectorscope => vectorscope(&painter, rect, subject),
    }
    if matches!(kind, ScopeKind::Waveform | ScopeKind::Parade) && subject.shown().next().is_none() {
        show_message(&painter, rect, &["no channel is on"]);
    }
    badge(&painter, frame, kind, subject);
}

/// Names the counted picture at the lower right. Histograms have its name above them.
fn badge(painter: &Painter, frame: Rect, kind: ScopeKind, subject: &ScopeSubject) {
    if kind == ScopeKind::Histogram || frame.width() < ROOMY || frame.height() < ROOMY * 0.6 {
        return;
    }
    let is_source = subject.adjustments.is_off();
    let (text, ink) =
        if is_source { ("source".to_owned(), INK) } else { (subject.adjustments.to_string(), TOLERANCE_INK) };
    // Beside the labels of the levels or, in a vectorscope, above the name of what it shows.
    let (room, lines) = if kind == ScopeKind::Vectorscope { (6.0, 1.5) } else { (56.0, 0.5) };
    let mut job = LayoutJob::simple_singleline(text, FontId::monospace(LETTERS), ink);
    job.wrap = TextWrapping::truncate_at_width(frame.width() - room);
    let galley = painter.layout_job(job);
    let at = frame.right_bottom() - vec2(3.0, lines * LINE + 1.0);
    let place = Align2::RIGHT_CENTER.anchor_size(at, galley.size());
    painter.rect_filled(place.expand2(vec2(1.5, -1.0)), 2, GROUND);
    painter.galley(place.min, galley, ink);
}

/// Returns the y coordinate of a level in a waveform, in points.
#[must_use]
pub fn y_of_level(rect: Rect, level: f64, level_bits: u32) -> f32 {
    let levels = f64::from(1_u32 << level_bits);
    rect.max.y - ((level + 0.5) / levels) as f32 * rect.height()
}

/// Draws the level lines of a channel, with labels if there is room.
fn scale(painter: &Painter, (frame, rect): (Rect, Rect), channel: usize, subject: &ScopeSubject) {
    let scale = subject.scale_of(channel);
    let level_bits = level_bits(subject.bits);
    let marks = scale.marks(subject.style.unit);
    let at = |mark: &Mark| y_of_level(rect, mark.level, level_bits);
    for mark in &marks {
        let color = match mark.kind {
            LineKind::Step => STEP,
            LineKind::Nominal => NOMINAL,
            LineKind::Tolerance => TOLERANCE,
        };
        painter.hline(rect.x_range(), at(mark), Stroke::new(1.0, color));
    }
    if frame.width() < ROOMY || frame.height() < ROOMY * 0.6 {
        return;
    }
    let label_at = |mark: &Mark| at(mark).clamp(frame.min.y + LINE / 2.0, frame.max.y - LINE / 2.0);
    // Labels at the ends are clamped inside the frame, which brings them closer to the others than their lines are.
    let moved = marks.iter().map(|mark| (label_at(mark) - at(mark)).abs()).fold(0.0, f32::max);
    let levels = f64::from((LINE + moved) / rect.height()) * f64::from(1_u32 << level_bits);
    let labelled = scale.labelled_steps(subject.style.unit, levels);
    let is_labelled =
        |mark: &&Mark| mark.kind != LineKind::Step || labelled.is_some_and(|every| mark.steps.is_multiple_of(every));
    // More important labels claim space first.
    let mut order: Vec<_> = marks.iter().filter(is_labelled).collect();
    order.sort_by_key(|mark| std::cmp::Reverse(mark.kind));
    let mut taken: Vec<f32> = Vec::new();
    let unit = scale.suffix(subject.style.unit);
    for mark in order {
        let y = label_at(mark);
        if taken.iter().any(|other| (other - y).abs() < LINE) {
            continue;
        }
        taken.push(y);
        let ink = if mark.kind == LineKind::Tolerance { TOLERANCE_INK } else { INK };
        // Long units are written once, at the peak.
        let has_unit = mark.kind == LineKind::Nominal
            && subject.style.unit != Unit::Codes
            && (scale.light().is_none() || marks.last() == Some(mark));
        let text = if has_unit { format!("{} {unit}", mark.label) } else { mark.label.clone() };
        write(painter, pos2(rect.min.x + 2.0, y), Align2::LEFT_CENTER, &text, ink);
    }
}

/// Draws the reference lines of a waveform.
fn reference_levels(painter: &Painter, (frame, rect): (Rect, Rect), channel: usize, subject: &ScopeSubject) {
    let scale = subject.scale_of(channel);
    for code in subject.style.lines.codes(subject.bits) {
        let y = y_of_level(rect, scale.level_of(code.into()), level_bits(subject.bits));
        reference_line(painter, [pos2(rect.min.x, y), pos2(rect.max.x, y)]);
        if frame.width() >= ROOMY && frame.height() >= ROOMY * 0.6 {
            let at = pos2(rect.max.x - 2.0, y.clamp(frame.min.y + LINE / 2.0, frame.max.y - LINE / 2.0));
            write(painter, at, Align2::RIGHT_CENTER, &scale.text_of(code, subject.style.unit), REFERENCE);
        }
    }
}

/// Draws the reference lines of a histogram with this scale, and the share of the pixels in each band, if it is known.
pub fn reference_codes(
    painter: &Painter,
    panel: Rect,
    (scale, style): (Scale, &ScopeStyle),
    share: impl Fn([u32; 2]) -> Option<String>,
) {
    let painter = painter.with_clip_rect(panel.intersect(painter.clip_rect()));
    let bits = scale.bits();
    let x_of = |code: u32| panel.min.x + panel.width() * (code as f32 + 0.5) / (1_u32 << bits) as f32;
    let has_room = panel.width() >= ROOMY && panel.height() >= 3.0 * LINE;
    for code in style.lines.codes(bits) {
        let x = x_of(code);
        reference_line(&painter, [pos2(x, panel.min.y), pos2(x, panel.max.y)]);
        if has_room {
            let (anchor, aside) =
                if x < panel.center().x { (Align2::LEFT_CENTER, 3.0) } else { (Align2::RIGHT_CENTER, -3.0) };
            let at = pos2(x + aside, panel.min.y + LINE / 2.0 + 1.0);
            write(&painter, at, anchor, &scale.text_of(code, style.unit), REFERENCE);
        }
    }
    for band in style.lines.bands(bits).into_iter().filter(|_| has_room) {
        let [low, high] = band.map(x_of);
        if let Some(text) = share(band) {
            let at = pos2(f32::midpoint(low, high), panel.min.y + LINE * 1.5 + 2.0);
            write(&painter, at, Align2::CENTER_CENTER, &text, REFERENCE);
        }
    }
}

/// Draws a reference line, which is visible on any trace.
fn reference_line(painter: &Painter, ends: [Pos2; 2]) {
    painter.line_segment(ends, Stroke::new(3.0, Color32::from_black_alpha(120)));
    painter.line_segment(ends, Stroke::new(1.0, REFERENCE));
}

/// Writes the channels' names in their colours at the upper right.
fn names(painter: &Painter, rect: Rect, channels: Vec<usize>, components: Components) {
    if rect.width() < ROOMY * 0.5 || rect.height() < ROOMY * 0.5 {
        return;
    }
    let mut right = rect.max.x - 3.0;
    for channel in channels.into_iter().rev() {
        let sign = components.short_name(channel);
        let at = pos2(right, rect.min.y + LINE / 2.0 + 2.0);
        right = write(painter, at, Align2::RIGHT_CENTER, sign, color_of(components, channel)).min.x - 3.0;
    }
}

/// Returns the position of a pair of codes in a vectorscope, in points. Its square is centred in the panel.
#[must_use]
pub fn place_of(rect: Rect, lens: &Lens, codes: [f64; 2]) -> Pos2 {
    let side = rect.width().min(rect.height());
    let [x, y] = lens.place(codes).map(|place| place as f32 * side);
    rect.center() + vec2(x, -y)
}

fn vectorscope(painter: &Painter, rect: Rect, subject: &ScopeSubject) {
    let Some(chroma) = subject.chroma else {
        return show_message(painter, rect, &GRAY);
    };
    let side = rect.width().min(rect.height());
    let square = Rect::from_center_size(rect.center(), vec2(side, side));
    let painter = painter.with_clip_rect(square.intersect(painter.clip_rect()));
    let lens = Lens::new(Some(&chroma), chroma.pair_bits(), subject.style.zoom);
    let axis = chroma.diagram().axis(chroma.level_bits());
    match (chroma.chromaticity(), axis) {
        (Some(chromaticity), _) => chromaticities(&painter, square, (&lens, chromaticity), subject.style),
        (None, Some(axis)) => diamonds(&painter, square, (&lens, axis), subject.style),
        (None, None) => color_differences(&painter, square, (&lens, chroma), subject.style),
    }
}

/// Draws the double diamond: the limits of R'G'B', the tolerance of EBU R 103, and the names of the colours.
fn diamonds(painter: &Painter, square: Rect, (lens, axis): (&Lens, Axis), style: ScopeStyle) {
    let place = |corner: [f64; 2]| place_of(square, lens, corner.map(|part| axis.level_of(part)));
    painter.vline(square.center().x, square.y_range(), Stroke::new(1.0, STEP));
    for (limits, line) in [([-0.05, 1.05], TOLERANCE), ([0.0, 1.0], TARGET)] {
        for corners in Diamond::outlines(limits[0], limits[1]) {
            closed(painter, &corners.map(place), Stroke::new(1.0, line));
        }
    }
    if square.width() < ROOMY {
        return;
    }
    for (name, corner, anchor) in [
        ("G", [-1.0, 1.0], Align2::RIGHT_CENTER),
        ("B", [1.0, 1.0], Align2::LEFT_CENTER),
        ("G", [-1.0, -1.0], Align2::RIGHT_CENTER),
        ("R", [1.0, -1.0], Align2::LEFT_CENTER),
    ] {
        let aside = vec2(if corner[0] < 0.0 { -1.0 } else { 1.0 } * (square.width() * 0.02 + 4.0), 0.0);
        let at = place(corner) + aside;
        if square.contains(at) {
            write(painter, at, anchor, name, INK);
        }
    }
    let zoom = if style.zoom > 1 { format!(" ×{}", style.zoom) } else { String::new() };
    let name = format!("{}{zoom}", Diagram::Diamond.name());
    write(painter, square.left_bottom() + vec2(3.0, -LINE / 2.0 - 1.0), Align2::LEFT_CENTER, &name, INK);
}

/// Draws a chromaticity diagram: a grid, the spectrum, and the gamuts with white.
fn chromaticities(painter: &Painter, square: Rect, (lens, chromaticity): (&Lens, &Chromaticity), style: ScopeStyle) {
    let place = |xy: [f64; 2]| place_of(square, lens, chromaticity.place(xy));
    let is_roomy = square.width() >= ROOMY;
    let Some(axis) = chromaticity.diagram.axis(chromaticity.level_bits()) else { return };
    let name_end = if is_roomy {
        let [first, second] = chromaticity.diagram.coordinates();
        let zoom = if style.zoom > 1 { format!(" ×{}", style.zoom) } else { String::new() };
        let name = format!("{first}, {second}{zoom}");
        write(painter, square.left_bottom() + vec2(3.0, -LINE / 2.0 - 1.0), Align2::LEFT_CENTER, &name, INK).max.x
    } else {
        square.min.x
    };
    // A line at each tenth, with every second labelled if there is room.
    for tenths in 1..9_u8 {
        let coordinate = f64::from(tenths) / 10.0;
        let at = place_of(square, lens, [axis.level_of(coordinate); 2]);
        painter.vline(at.x, square.y_range(), Stroke::new(1.0, STEP));
        painter.hline(square.x_range(), at.y, Stroke::new(1.0, STEP));
        if square.width() >= 2.0 * ROOMY && tenths % 2 == 0 {
            let text = format!("{coordinate:.1}");
            let below = pos2(at.x, square.max.y - LINE / 2.0 - 1.0);
            let beside = pos2(square.max.x - 2.0, at.y);
            if square.x_range().shrink(12.0).contains(at.x) && at.x - 16.0 > name_end {
                write(painter, below, Align2::CENTER_CENTER, &text, INK);
            }
            if square.y_range().shrink(LINE * 1.5).contains(at.y) {
                write(painter, beside, Align2::RIGHT_CENTER, &text, INK);
            }
        }
    }
    let spectrum: Vec<_> = SPECTRUM.iter().map(|&xy| place(xy)).collect();
    closed(painter, &spectrum, Stroke::new(1.0, NOMINAL));
    let [.., white] = chromaticity.primaries.chromaticities();
    let own = chromaticity.primaries;
    for gamut in DRAWN_GAMUTS.into_iter().filter(|gamut| *gamut != own).chain([own]) {
        let corners: [_; 3] = std::array::from_fn(|corner| place(gamut.chromaticities()[corner]));
        let (line, ink) = if gamut == own { (TARGET, INK) } else { (NOMINAL, INK.gamma_multiply(0.7)) };
        closed(painter, &corners, Stroke::new(if gamut == own { 1.5 } else { 1.0 }, line));
        // At green, where the gamuts lie farthest apart.
        let at = corners[1] + vec2(0.0, -LINE / 2.0 - 1.0);
        if is_roomy && square.shrink(LINE / 2.0).contains(at) {
            write(painter, at, Align2::CENTER_CENTER, gamut.name(), ink);
        }
    }
    let at = place(white);
    painter.hline(at.x - 4.0..=at.x + 4.0, at.y, Stroke::new(1.0, INK));
    painter.vline(at.x, at.y - 4.0..=at.y + 4.0, Stroke::new(1.0, INK));
}

/// Draws a closed line.
fn closed(painter: &Painter, corners: &[Pos2], stroke: Stroke) {
    for (index, &corner) in corners.iter().enumerate() {
        painter.line_segment([corner, corners[(index + 1) % corners.len()]], stroke);
    }
}

/// Draws a vectorscope's axes, targets and skin-tone line.
fn color_differences(painter: &Painter, square: Rect, (lens, chroma): (&Lens, Chroma), style: ScopeStyle) {
    let Chroma { matrix, range, bits, .. } = chroma;
    let side = square.width();
    let line = Stroke::new(1.0, STEP);
    painter.hline(square.x_range(), square.center().y, line);
    painter.vline(square.center().x, square.y_range(), line);
    // The targets need luma as a weighted sum of R', G' and B': full-amplitude bars are the corners of the R'G'B' cube.
    let of = |amplitude| {
        let all = matrix.luma_weights().map(|_| targets(matrix, range, bits, amplitude));
        all.into_iter().flatten().collect::<Vec<_>>()
    };
    let place = |codes| place_of(square, lens, codes);
    let hull: Vec<_> = of(1.0).iter().map(|target| place(target.codes)).collect();
    closed(painter, &hull, line);
    let middle = square.center();
    let is_roomy = side >= ROOMY;
    for (amplitude, size) in [(1.0, 0.016), (0.75, 0.028)] {
        for target in of(amplitude) {
            let at = place(target.codes);
            let half = (side * size).max(2.0);
            painter.rect_stroke(
                Rect::from_center_size(at, vec2(2.0 * half, 2.0 * half)),
                0,
                Stroke::new(1.0, TARGET),
                StrokeKind::Middle,
            );
            if amplitude < 1.0 && is_roomy && square.contains(at) {
                let aside = at + (middle - at).normalized() * (half + 9.0);
                write(painter, aside, Align2::CENTER_CENTER, target.name, INK);
            }
        }
    }
    if style.skin {
        let angle = ScopeStyle::SKIN_DEGREES.to_radians() as f32;
        let end = middle + vec2(angle.cos(), -angle.sin()) * side * 0.5;
        painter.line_segment([middle, end], Stroke::new(1.0, TOLERANCE_INK));
        if is_roomy {
            let text = format!("skin {:.0}°", ScopeStyle::SKIN_DEGREES);
            let at = middle + (end - middle) * 0.86 - vec2(6.0, 0.0);
            write(painter, at, Align2::RIGHT_CENTER, &text, TOLERANCE_INK);
        }
    }
    if is_roomy {
        let name = if style.zoom > 1 { format!("{matrix} ×{}", style.zoom) } else { matrix.to_string() };
        write(painter, square.left_bottom() + vec2(3.0, -LINE / 2.0 - 1.0), Align2::LEFT_CENTER, &name, INK);
    }
}

/// Explains why a panel is empty, with the first of these messages that fits. Draws nothing if none does.
fn show_message(painter: &Painter, rect: Rect, words: &[&str]) {
    let font = FontId::proportional(LETTERS + 1.0);
    let mut galleys =
        words.iter().map(|words| painter.layout((*words).to_owned(), font.clone(), INK, rect.width() - 6.0));
    let fits = |galley: &Arc<Galley>| galley.size().x <= rect.width() - 2.0 && galley.size().y <= rect.height();
    let Some(galley) = galleys.find(fits) else { return };
    let plate = Rect::from_center_size(rect.center(), galley.size());
    painter.rect_filled(plate.expand(3.0), 3, GROUND);
    painter.galley(plate.min, galley, INK);
}

/// Writes a short text on its own background and returns the rectangle that it occupies.
pub(super) fn write(painter: &Painter, at: Pos2, anchor: Align2, text: &str, ink: Color32) -> Rect {
    let galley = painter.layout_no_wrap(text.to_owned(), FontId::monospace(LETTERS), ink);
    let place = anchor.anchor_size(at, galley.size());
    painter.rect_filled(place.expand2(vec2(1.5, -1.0)), 2, GROUND);
    painter.galley(place.min, galley, ink);
    place
}

/// Returns a channel's colour, lightened for use as text.
#[must_use]
pub fn color_of(components: Components, channel: usize) -> Color32 {
    ink_of(lights(components)[channel])
}

/// Converts a channel's colour to a lighter one for text.
#[must_use]
pub fn ink_of(light: [f32; 3]) -> Color32 {
    let light = light.map(|part| ((part + (1.0 - part) * 0.35) * 255.0) as u8);
    Color32::from_rgb(light[0], light[1], light[2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::draw::FontTextures;
    use histoscope_core::adjust::{CameraLog, Lut};
    use histoscope_core::picture::color::Matrix;
    use histoscope_core::picture::primaries::Primaries;
    use histoscope_core::picture::transfer::Transfer;
    use histoscope_core::scopes::Diagram;

    fn subject() -> ScopeSubject {
        ScopeSubject {
            components: Components::YCbCr,
            channels: Channels::ALL,
            range: Range::Limited,
            bits: 8,
            chroma: Some(Chroma::coded(Matrix::Bt709, Range::Limited, 8)),
            light: None,
            adjustments: Adjustments::default(),
            style: ScopeStyle::default(),
        }
    }

    /// Returns the texts on a scope of this size and their rectangles, in points.
    fn written(kind: ScopeKind, size: (f32, f32), subject: &ScopeSubject) -> Vec<(String, Rect)> {
        let context = egui::Context::default();
        let rect = Rect::from_min_size(pos2(10.0, 20.0), vec2(size.0, size.1));
        let output = context.run_ui(egui::RawInput::default(), |ui| {
            draw(&ui.ctx().layer_painter(egui::LayerId::background()), (rect, rect), kind, subject);
        });
        drop(FontTextures(output.textures_delta));
        let mut found = Vec::new();
        for clipped in &output.shapes {
            if let egui::Shape::Text(text) = &clipped.shape {
                found.push((text.galley.text().to_owned(), text.galley.rect.translate(text.pos.to_vec2())));
            }
        }
        found
    }

    #[test]
    fn labels_are_at_their_levels_and_do_not_overlap() {
        for (height, unit) in [(90.0, Unit::Percent), (250.0, Unit::Codes), (700.0, Unit::Millivolts)] {
            let subject = ScopeSubject { style: ScopeStyle { unit, ..ScopeStyle::default() }, ..subject() };
            let labels = written(ScopeKind::Waveform, (400.0, height), &subject);
            let has = |text: &str| labels.iter().find(|(label, _)| label == text).map(|(_, rect)| *rect);
            let white = has(match unit {
                Unit::Percent => "100 %",
                Unit::Codes => "235",
                Unit::Millivolts => "700 mV",
            });
            let rect = Rect::from_min_size(pos2(10.0, 20.0), vec2(400.0, height));
            let expected = y_of_level(rect, 235.0, 8).max(rect.min.y + LINE / 2.0);
            assert!((white.expect("white is labelled").center().y - expected).abs() < 1.0, "{unit:?}: {labels:?}");
            for (index, (one, place)) in labels.iter().enumerate() {
                let on = labels[..index].iter().find(|(_, other)| other.shrink(1.5).intersects(place.shrink(1.5)));
                assert!(on.is_none(), "{unit:?}: {one} lies on {on:?}");
            }
        }
    }

    #[test]
    fn every_scope_names_the_picture_that_it_shows() {
        let log = Adjustments { lut: Some(Lut::of_camera(CameraLog::LogC3)), ..Adjustments::default() };
        let of = |kind, size, adjustments| written(kind, size, &ScopeSubject { adjustments, ..subject() });
        for kind in [ScopeKind::Waveform, ScopeKind::Parade, ScopeKind::Vectorscope] {
            for (adjustments, name) in [(Adjustments::default(), "source".to_owned()), (log, log.to_string())] {
                for size in [(300.0, 300.0), (900.0, 200.0)] {
                    let texts = of(kind, size, adjustments);
                    let (last, place) = texts.last().expect("it has labels");
                    assert_eq!(*last, name, "{kind:?}");
                    let on = texts[..texts.len() - 1].iter().find(|(_, other)| other.shrink(1.0).intersects(*place));
                    assert!(on.is_none(), "{kind:?} {size:?}: {name} lies on {on:?}");
                }
            }
            assert!(of(kind, (60.0, 60.0), log).iter().all(|(text, _)| !text.contains("LogC3")), "no room");
        }
    }

    #[test]
    fn labels_are_evenly_spaced_at_any_height() {
        let colours = ScopeSubject { components: Components::Rgbl, ..subject() };
        let steps = |height: f32| -> Vec<i32> {
            let labels = written(ScopeKind::Waveform, (400.0, height), &colours);
            let mut values: Vec<i32> =
                labels.iter().filter_map(|(text, _)| text.trim_end_matches(" %").parse().ok()).collect();
            values.sort_unstable();
            values
        };
        for height in 67..400 {
            let values = steps(height as f32);
            assert!(values.windows(3).all(|three| three[1] - three[0] == three[2] - three[1]), "{height}: {values:?}");
            assert!(values.first() == Some(&0) && values.last() == Some(&100), "{height}: {values:?}");
        }
        assert_eq!(steps(300.0).len(), 11);
        assert_eq!([steps(70.0), steps(100.0)], [[0, 50, 100].as_slice(), &[0, 20, 40, 60, 80, 100]]);
    }

    #[test]
    fn pq_and_hlg_have_labels_in_light() {
        for (light, height, expected) in [
            (LightScale::Pq, 300.0, &["0", "0.1", "1", "10", "100", "203", "1000", "4000", "10000 cd/m²"][..]),
            (LightScale::Pq, 120.0, &["0", "1", "10", "203", "1000", "10000 cd/m²"]),
            (LightScale::Hlg { peak: 1000 }, 300.0, &["0", "1", "10", "100", "203", "1000 cd/m²"]),
        ] {
            let subject = ScopeSubject { light: Some(light), ..subject() };
            let labels = written(ScopeKind::Waveform, (400.0, height), &subject);
            let mut found: Vec<_> = labels.iter().filter(|(text, _)| text.as_bytes()[0].is_ascii_digit()).collect();
            found.sort_by(|a, b| b.1.min.y.total_cmp(&a.1.min.y));
            let texts: Vec<_> = found.iter().map(|(text, _)| text.as_str()).collect();
            assert_eq!(texts, expected, "{light:?} {height}");
        }
    }

    #[test]
    fn both_axes_of_chromaticities_are_labelled_beside_the_name() {
        for side in [260.0, 430.0, 900.0] {
            let colors = (Transfer::Bt1886, Primaries::Bt709);
            let chroma = subject().chroma.map(|chroma| chroma.in_diagram(Diagram::Xy, colors));
            let labels = written(ScopeKind::Vectorscope, (side, side), &ScopeSubject { chroma, ..subject() });
            let (name, numbers): (Vec<_>, Vec<_>) = labels
                .iter()
                .filter(|(text, _)| text.contains("x, y") || text.starts_with("0."))
                .partition(|(text, _)| text.contains("x, y"));
            let count = |number: &str| numbers.iter().filter(|(text, _)| text == number).count();
            assert_eq!(["0.2", "0.4", "0.6"].map(count), [2; 3], "{side}: {labels:?}");
            let apart = |(_, place): &&&(String, Rect)| place.intersects(name[0].1);
            assert!(numbers.iter().find(apart).is_none(), "{side}: {labels:?}");
        }
    }

    #[test]
    fn an_empty_scope_says_why() {
        let says = |kind, subject: &ScopeSubject, what: &str| {
            written(kind, (200.0, 160.0), subject).iter().any(|(text, _)| text.contains(what))
        };
        let gray = ScopeSubject { chroma: None, ..subject() };
        assert!(
            says(ScopeKind::Vectorscope, &gray, "no colour") && !says(ScopeKind::Vectorscope, &subject(), "no colour")
        );
        let small: Vec<_> =
            written(ScopeKind::Vectorscope, (34.0, 20.0), &gray).into_iter().map(|(text, _)| text).collect();
        assert_eq!(small, ["gray"], "in a panel that has room for no more");
        let none = ScopeSubject { channels: Channels::NONE, ..subject() };
        for kind in [ScopeKind::Waveform, ScopeKind::Parade] {
            assert!(says(kind, &none, "no channel") && !says(kind, &subject(), "no channel"));
        }
    }

    #[test]
    fn a_parade_names_each_part_and_a_vectorscope_its_targets_and_matrix() {
        let names = |kind, subject: &ScopeSubject| -> Vec<String> {
            written(kind, (600.0, 300.0), subject).into_iter().map(|(text, _)| text).collect()
        };
        let parade = names(ScopeKind::Parade, &subject());
        assert!(["Y'", "Cb", "Cr"].iter().all(|name| parade.iter().any(|text| text == name)), "{parade:?}");
        let turned = ScopeSubject { style: ScopeStyle { zoom: 2, skin: true, ..ScopeStyle::default() }, ..subject() };
        let scope = names(ScopeKind::Vectorscope, &turned);
        assert!(
            scope.iter().any(|text| text == "bt709 ×2") && scope.iter().any(|text| text == "skin 123°"),
            "{scope:?}"
        );
        let whole = names(ScopeKind::Vectorscope, &subject());
        assert!(["R", "Mg", "B", "Cy", "G", "Yl"].iter().all(|name| whole.iter().any(|text| text == name)));
        assert!(written(ScopeKind::Vectorscope, (39.0, 300.0), &subject()).is_empty(), "there is no room");
    }
}
