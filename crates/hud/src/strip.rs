//! The strip behind the timeline: a picture of the clip, ticks for its cuts, and marks for the findings searched for.

use std::time::{Duration, Instant};

use egui::{Color32, ColorImage, Painter, Pos2, Rect, Stroke, TextureHandle, TextureOptions, Ui, pos2};

use super::model::Model;
use super::theme;
use histoscope_core::histogram::Components;
use histoscope_core::strip::{
    COLUMNS, Cut, Finding, FindingFilter, FindingKind, Flaw, ROWS, Raster, ShownChannels, Strip, StripColumn,
    TimecodeBreak, WorstFrame,
};
use histoscope_core::text::{counted, time_text};

/// Minimum interval between updates of a strip's texture while the strip fills: each update is uploaded to the adapter.
const INTERVAL: Duration = Duration::from_millis(100);
/// Height of the tick of a cut, in points.
const TICK: f32 = 8.0;
/// Distance within which the pointer is at a cut, in points.
const NEAR: f32 = 3.5;

/// The picture of the strip as last drawn, its texture, and when that was updated.
#[derive(Default)]
pub struct StripPicture(Option<(Raster, TextureHandle, Instant)>);

impl std::fmt::Debug for StripPicture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("StripPicture").field(&self.0.is_some()).finish()
    }
}

impl StripPicture {
    /// Draws the strip in `rect`, which covers the time from `begin` to `end`. That is more than the strip's time if
    /// the file is longer than stated, and differs from it once a live source has moved on.
    pub fn show(&mut self, ui: &Ui, rect: Rect, strip: &Strip, shown: ShownChannels, (begin, end): (f64, f64)) {
        let pixels = (rect.height() * ui.ctx().pixels_per_point()).round().clamp(1.0, ROWS as f32) as usize;
        match &mut self.0 {
            Some((raster, texture, made)) if raster.is(strip, pixels, shown) => {
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
            let column = |secs: f64| rect.min.x + rect.width() * ((secs - begin) / (end - begin)) as f32;
            let ends = column(strip.begin_secs())..=column(strip.begin_secs() + strip.span_secs());
            let place = Rect::from_x_y_ranges(ends, rect.y_range());
            ui.painter().with_clip_rect(rect).image(texture.id(), place, whole, Color32::WHITE);
        }
    }
}

fn image_of(raster: &Raster) -> ColorImage {
    ColorImage::from_rgba_unmultiplied([COLUMNS, raster.height()], raster.rgba())
}

/// Returns the channels to show: the colours that are on in the histograms, overlaid, or luminance if none is.
pub fn shown(model: &Model<'_>) -> ShownChannels {
    let colors = [0, 1, 2].map(|channel| model.look.channels.contains(channel));
    let has_colors = model.scopes.components == Components::Rgbl && colors.contains(&true);
    if has_colors { ShownChannels::Colors(colors) } else { ShownChannels::Luminance }
}

/// Marks the cuts at the upper edge of the strip, at most one per pixel.
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

/// Height of a lane of findings, in points.
const LANE: f32 = 3.0;
/// Height and half the width of the mark of a single frame, in points.
const MARK: [f32; 2] = [6.0, 3.5];

/// Number of lanes of stretches. Single frames are marked above them.
const LANES: usize = 4;

/// Returns the lane of a kind of finding, counted from the strip's lower edge, and its colour.
const fn lane(kind: FindingKind) -> (usize, Color32) {
    match kind {
        FindingKind::Clipped => (0, Color32::from_rgb(255, 224, 120)),
        FindingKind::Frozen => (1, Color32::from_rgb(104, 190, 255)),
        FindingKind::Black => (2, Color32::from_gray(176)),
        FindingKind::Flash => (3, Color32::from_rgb(255, 150, 80)),
        FindingKind::Timecode(_) => (LANES, Color32::from_rgb(190, 150, 255)),
        FindingKind::Worst(_) => (LANES, theme::WRONG),
    }
}

/// Marks the requested findings along the lower edge of the strip: stretches as bars, each kind in its own lane, and
/// single frames (the worst ones, and timecode breaks) as triangles above them.
pub fn mark_findings(painter: &Painter, rect: Rect, strip: &Strip, sought: FindingFilter, column: impl Fn(f64) -> f32) {
    let found = || strip.findings().iter().filter(|finding| sought.has(finding.kind));
    let is_single = |finding: &&Finding| matches!(finding.kind, FindingKind::Worst(_) | FindingKind::Timecode(_));
    let mut last = [f32::NEG_INFINITY; LANES];
    for finding in found().filter(|finding| !is_single(finding)) {
        let (place, color) = lane(finding.kind);
        let begin = painter.round_to_pixel_center(column(finding.start_secs)) - 0.5;
        // Keep single frames visible, and skip bars that lie within the previous one.
        let end = column(finding.end_secs).max(begin + 2.0);
        let reached = &mut last[place];
        if end <= *reached {
            continue;
        }
        *reached = end;
        let low = rect.max.y - 2.0 - place as f32 * LANE;
        let bar = Rect::from_min_max(pos2(begin, low - LANE), pos2(end, low));
        painter.rect_filled(bar.expand2(egui::vec2(1.0, 0.0)), 0, Color32::from_black_alpha(200));
        painter.rect_filled(bar.shrink2(egui::vec2(0.0, 0.5)), 0, color);
    }
    for finding in found().filter(is_single) {
        let (place, color) = lane(finding.kind);
        let [height, half] = MARK;
        let (x, low) = (column(finding.start_secs), rect.max.y - 2.0 - place as f32 * LANE);
        let corners = vec![pos2(x, low - height), pos2(x + half, low), pos2(x - half, low)];
        painter.add(egui::Shape::convex_polygon(corners, color, Stroke::new(1.0, Color32::from_black_alpha(200))));
    }
}

/// Returns the description of a finding, with its time.
pub fn finding_text(finding: &Finding) -> String {
    let at = time_text(finding.start_secs);
    let to = time_text(finding.end_secs);
    let share = finding.worst.map(|WorstFrame { share, .. }| {
        let channel = Components::Rgbl.channel_names().get(share.channel).copied().unwrap_or_default();
        format!("{:.1} % of {channel}", share.share * 100.0)
    });
    let share = share.unwrap_or_default();
    match finding.kind {
        FindingKind::Black => format!("black from {at} to {to}"),
        FindingKind::Flash => format!("flash, {}, at {at}", counted(finding.frames(), "frame")),
        FindingKind::Frozen => format!("frozen from {at} to {to}"),
        FindingKind::Timecode(TimecodeBreak { expected, found }) => {
            format!("timecode {found} instead of {expected} at {at}")
        }
        FindingKind::Clipped => format!("clipped from {at} to {to}, up to {share}"),
        FindingKind::Worst(Flaw::Lowest) => format!("{share} at the lowest code at {at}"),
        FindingKind::Worst(Flaw::Highest) => format!("{share} at the highest code at {at}"),
        FindingKind::Worst(Flaw::Outside) => format!("{share} out of range at {at}"),
    }
}

/// Formats a count that may still grow because the strip is incomplete.
pub fn of_all(count: usize, strip: &Strip) -> String {
    if strip.is_complete() { count.to_string() } else { format!("{count} so far") }
}

/// Returns what to say about a position in the strip besides its time: the cut and the finding there, or that it is not
/// exact yet.
pub fn text_at(
    strip: &Strip,
    sought: FindingFilter,
    (secs, x): (f64, f32),
    column: impl Fn(f64) -> f32,
) -> Option<String> {
    let away = |cut: &Cut| (column(cut.time_secs) - x).abs();
    let nearest = strip.cuts().iter().enumerate().min_by(|(_, a), (_, b)| away(a).total_cmp(&away(b)));
    let cut = nearest.filter(|(_, cut)| away(cut) <= NEAR).map(|(index, cut)| {
        format!("cut {} of {} at {}", index + 1, of_all(strip.cuts().len(), strip), time_text(cut.time_secs))
    });
    // Of several findings, take the shortest: the longer ones around it can be pointed at elsewhere.
    let covers = |finding: &&Finding| {
        let range = column(finding.start_secs) - NEAR..=column(finding.end_secs) + NEAR;
        sought.has(finding.kind) && range.contains(&x)
    };
    let length = |finding: &Finding| finding.end_secs - finding.start_secs;
    let finding = strip.findings().iter().filter(covers).min_by(|a, b| length(a).total_cmp(&length(b)));
    let there: Vec<_> = cut.into_iter().chain(finding.map(finding_text)).collect();
    if !there.is_empty() {
        return Some(there.join("; "));
    }
    match strip.columns()[strip.column_at(secs)] {
        StripColumn::Counted(_) => None,
        StripColumn::Glimpsed(_) => Some("not exact yet".to_owned()),
        StripColumn::Unseen => Some("not seen".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::picture::Timecode;
    use histoscope_core::strip::{Cells, ChannelShare};

    fn strip() -> Strip {
        let finding =
            |kind, start_secs, end_secs, worst| Finding { kind, frame: 0, last: 1, start_secs, end_secs, worst };
        let share = ChannelShare { share: 0.123, channel: 2 };
        let share = Some(WorstFrame { frame: 1, time_secs: 7.0, share });
        let [expected, found] = ["10:00:09;15", "11:00:00;00"].map(|text| Timecode::parse(text).unwrap());
        let findings = vec![
            finding(FindingKind::Clipped, 1.0, 9.0, share),
            finding(FindingKind::Black, 2.0, 3.0, None),
            finding(FindingKind::Flash, 4.0, 4.1, None),
            finding(FindingKind::Worst(Flaw::Highest), 7.0, 7.0, share),
            finding(FindingKind::Timecode(TimecodeBreak { expected, found }), 9.5, 9.5, None),
        ];
        let cuts = vec![Cut { frame: 50, time_secs: 2.0, distance: 0.3 }];
        Strip::of(10.0, vec![Cells::default(); COLUMNS], cuts, findings).unwrap()
    }

    #[test]
    fn the_cut_and_finding_under_the_pointer_are_named() {
        let (strip, column) = (strip(), |secs: f64| 100.0 * secs as f32);
        let text = |sought, secs: f64| text_at(&strip, sought, (secs, column(secs)), column);
        assert_eq!(text(FindingFilter::All, 0.5), None);
        let clipped = "clipped from 0:01.000 to 0:09.000, up to 12.3 % of blue";
        assert_eq!(text(FindingFilter::All, 5.0).as_deref(), Some(clipped));
        // The shortest of the findings there, along with the cut.
        let black = "black from 0:02.000 to 0:03.000";
        assert_eq!(text(FindingFilter::All, 2.5).as_deref(), Some(black));
        assert_eq!(text(FindingFilter::All, 2.0), Some(format!("cut 1 of 1 at 0:02.000; {black}")));
        assert_eq!(text(FindingFilter::Flash, 4.05).as_deref(), Some("flash, 2 frames, at 0:04.000"));
        let worst = "12.3 % of blue at the highest code at 0:07.000";
        assert_eq!(text(FindingFilter::All, 7.03).as_deref(), Some(worst));
        let broken = "timecode 11:00:00;00 instead of 10:00:09;15 at 0:09.500";
        assert_eq!(text(FindingFilter::Timecode, 9.5).as_deref(), Some(broken));
        assert_eq!(text(FindingFilter::Clipped, 7.0).as_deref(), Some(clipped), "others are not looked for");
        assert_eq!(text(FindingFilter::Frozen, 2.5), None);
    }

    #[test]
    fn every_kind_of_finding_is_marked() {
        let context = egui::Context::default();
        let rect = Rect::from_min_max(Pos2::ZERO, pos2(1000.0, 40.0));
        let painter = Painter::new(context.clone(), egui::LayerId::background(), rect);
        let mut output = context.run_ui(egui::RawInput::default(), |_| {
            mark_findings(&painter, rect, &strip(), FindingFilter::All, |secs| 100.0 * secs as f32);
        });
        output.textures_delta.clear();
    }

    #[test]
    fn incomplete_strips_say_so() {
        let begun = Strip::new(10.0).unwrap();
        assert_eq!((of_all(3, &begun), of_all(3, &strip())), ("3 so far".to_owned(), "3".to_owned()));
        assert_eq!(
            text_at(&begun, FindingFilter::All, (1.0, 1.0), |secs| secs as f32).as_deref(),
            Some("not exact yet")
        );
    }
}
