//! The timeline: the playback position, the marks A and B, and the target of a click or drag.

use egui::{Align2, Color32, Painter, Pos2, Rangef, Rect, Sense, pos2, vec2};

use super::model::{Command, Model, PlayState};
use super::preview::PreviewPicture;
use super::strip::{self, StripPicture};
use super::strip_line::{self, LineFigure};
use super::theme;
use histoscope_core::text::{behind_text, time_text};

/// Height of the line in points.
const LINE: f32 = 5.0;
/// Colour of the part of the line that is still to be played.
const AHEAD: Color32 = Color32::from_rgb(82, 84, 88);
/// Colour of the part of the line that has been played.
const PLAYED: Color32 = Color32::from_rgb(226, 228, 232);
/// Colour of a gap in a live source.
const GAP: Color32 = Color32::from_rgb(24, 24, 26);

/// State kept from one draw to the next.
#[derive(Debug, Default)]
pub struct Timeline {
    /// The strip behind the line.
    picture: StripPicture,
    /// Target of the drag in progress, in seconds.
    dragged: Option<f64>,
    /// The preview at the pointer.
    preview: PreviewPicture,
    /// Horizontal position of the pointer while it rests on the timeline and does not drag, in points.
    pointed: Option<f32>,
    /// The area that takes clicks and the wheel, in points, as of the last layout; `None` if the video cannot seek.
    area: Option<Rect>,
}

impl Timeline {
    /// Returns `true` if the user is dragging on it.
    #[must_use]
    pub const fn is_dragged(&self) -> bool {
        self.dragged.is_some()
    }

    /// Returns `true` if the point, in points, lies on the timeline of a video that can seek.
    #[must_use]
    pub fn is_at(&self, point: Pos2) -> bool {
        self.area.is_some_and(|area| area.contains(point))
    }

    /// Drops the textures of a lost device.
    pub fn restart(&mut self) {
        self.picture = StripPicture::default();
        self.preview = PreviewPicture::default();
    }

    /// Forgets where it was shown last.
    pub const fn hide(&mut self) {
        self.area = None;
    }

    /// Shows the preview below the bar, while the pointer rests on the timeline, clear of the notes.
    pub fn show_preview(&mut self, context: &egui::Context, bar: Rect, notes: &[Rect], model: &Model<'_>) {
        if let Some(x) = self.pointed.take() {
            self.preview.show(context, (bar, x), notes, model);
        }
    }

    /// Shows the line in `rect`, with the strip behind it if there is one, and the target of a click in the empty area
    /// `free`. Returns `true` if the target is shown.
    pub fn show(
        &mut self,
        ui: &egui::Ui,
        (rect, free): (Rect, Rect),
        model: &Model<'_>,
        commands: &mut Vec<Command>,
    ) -> bool {
        let painter = ui.painter();
        let play = &model.play;
        let clip = model.file.strip;
        let length = play.duration_secs.filter(|&secs| secs > 0.0);
        let span = match play.live {
            Some(live) => live.kept.filter(|(oldest, newest)| newest > oldest),
            None => length.filter(|_| play.seekable).map(|length| (0.0, length)),
        };
        let mut line = Rect::from_center_size(rect.center(), vec2(rect.width(), LINE));
        if let Some(clip) = clip {
            let own = (clip.begin_secs(), clip.begin_secs() + clip.span_secs());
            let ends = match (play.live, span) {
                (Some(_), span) => span.unwrap_or(own),
                // Frames may come after the stated end.
                (None, _) => (0.0, length.unwrap_or_default().max(own.1)),
            };
            self.picture.show(ui, rect, clip, strip::shown(model), ends);
            // The line goes below the strip, so that it hides little of it.
            line = Rect::from_min_max(pos2(rect.min.x, rect.max.y - 2.0), rect.max + vec2(0.0, LINE - 2.0));
        }
        self.area = span.map(|_| rect.union(line));
        let Some((begin, end)) = span else {
            self.dragged = None;
            show_unseekable(painter, rect, line, play, length);
            return false;
        };
        let response = ui.interact(rect.union(line), ui.scope_id().with("timeline"), Sense::click_and_drag());
        let pointer = response.interact_pointer_pos().or_else(|| response.hover_pos());
        let time = |x: f32| begin + f64::from(((x - line.min.x) / line.width()).clamp(0.0, 1.0)) * (end - begin);
        if response.is_pointer_button_down_on() && ui.input(|input| input.pointer.primary_down()) {
            // Nobody says where the pointer is while it is outside the window.
            let secs = pointer.map(|at| time(at.x)).or(self.dragged).unwrap_or(play.position_secs);
            if self.dragged != Some(secs) {
                self.dragged = Some(secs);
                commands.push(Command::ScrubTo(secs));
            }
        } else if let Some(dragged) = self.dragged.take() {
            // The last movement and the release may arrive together.
            let last = ui.ctx().pointer_latest_pos().map(|at| time(at.x));
            commands.extend(last.filter(|&last| last != dragged).map(Command::ScrubTo));
            commands.push(Command::Settle);
        } else if response.clicked() {
            // Pressed and released between two draws.
            commands.extend(pointer.map(|at| Command::ScrubTo(time(at.x))));
            commands.push(Command::Settle);
        }
        let column = |secs: f64| line.min.x + line.width() * ((secs - begin) / (end - begin)).clamp(0.0, 1.0) as f32;
        let is_active = response.hovered() || self.is_dragged();
        // The position is marked in the strip as well.
        let reach = if clip.is_some() { rect.y_range() } else { line.y_range() };
        draw_line(painter, (line, reach), column, model, self.dragged, is_active);
        let figure =
            LineFigure { line: model.look.strip_line, bits: model.scopes.bits, sound: model.file.sound.measured };
        if let Some(clip) = clip {
            strip_line::draw(painter, rect, clip, figure, column);
            strip::mark_cuts(painter, rect, clip.cuts(), column);
            strip::mark_findings(painter, rect, clip, model.file.sought, column);
        }
        draw_marks(painter, (line, reach), column, play.marks);
        let Some(at) = pointer.filter(|_| is_active) else { return false };
        let x = at.x.clamp(line.min.x, line.max.x);
        painter.vline(x, reach.expand(4.0), egui::Stroke::new(1.0, theme::LIGHT));
        if !self.is_dragged() && play.live.is_none() {
            self.pointed = Some(x);
            commands.push(Command::Preview(time(x)));
        }
        let hint: Option<Vec<_>> = clip.map(|clip| {
            let told = strip::text_at(clip, model.file.sought, (time(at.x), x), column);
            let figure = strip_line::text_at(clip, figure, time(at.x));
            let both = figure.as_ref().zip(told.as_ref()).map(|(figure, told)| format!("{figure}; {told}"));
            [both, figure, told].into_iter().flatten().collect()
        });
        show_hint(painter, x, free, &hints(time(at.x), play, model.file.gaps, &hint.unwrap_or_default()))
    }
}

/// Returns texts on the time under the pointer and its frame, estimated from the frame rate, with each of what is `told`
/// about it; the longest first.
fn hints(secs: f64, play: &PlayState, gaps: &[(f64, f64)], told: &[String]) -> Vec<String> {
    if let Some((_, newest)) = play.live.and_then(|live| live.kept) {
        let text = behind_text(newest - secs).unwrap_or_else(|| "live".to_owned());
        if gaps.iter().any(|&(from, to)| from <= secs && secs < to) {
            let hint = format!("{text}  ·  no signal");
            return vec![format!("{hint}  ·  {}", time_text(secs)), hint, "no signal".to_owned()];
        }
        return vec![format!("{text}  ·  {}", time_text(secs)), text];
    }
    // The right end stands for the last frame, although no frame begins there.
    let last = |rate: f64| play.duration_secs.map_or(f64::INFINITY, |all| (all * rate - 1e-6).ceil() - 1.0).max(0.0);
    let number = |rate: f64| (secs * rate + 1e-6).floor().min(last(rate));
    let frame = play.frame_rate.map(|rate| format!("{}  frame ~{}", time_text(secs), number(rate)));
    let times: Vec<String> = frame.into_iter().chain([time_text(secs)]).collect();
    let hints: Vec<_> =
        told.iter().flat_map(|told| times.iter().map(move |time| format!("{time}  ·  {told}"))).collect();
    hints.into_iter().chain(times).collect()
}

/// Shows the first of the texts that fits in `free`, as near to the column `x` as possible. Returns `true` if one fits.
fn show_hint(painter: &Painter, x: f32, free: Rect, texts: &[String]) -> bool {
    let layout = |text: &String| painter.layout_no_wrap(text.clone(), theme::mono(theme::TEXT), theme::LIGHT);
    let Some(galley) = texts.iter().map(layout).find(|galley| galley.size().x <= free.width()) else { return false };
    let place = Rect::from_center_size(pos2(x, free.center().y), galley.size());
    painter.galley(theme::inside(place, free).min, galley, theme::LIGHT);
    true
}

fn draw_line(
    painter: &Painter,
    (line, reach): (Rect, Rangef),
    column: impl Fn(f64) -> f32,
    model: &Model<'_>,
    dragged: Option<f64>,
    is_active: bool,
) {
    let play = &model.play;
    let part = |from: f32, to: f32| Rect::from_x_y_ranges(from..=to, line.y_range());
    let place = column(dragged.unwrap_or(play.destination_secs));
    painter.rect_filled(line, LINE / 2.0, AHEAD);
    painter.rect_filled(part(line.min.x, place), LINE / 2.0, PLAYED);
    for &(from, to) in model.file.gaps {
        painter.rect_filled(part(column(from), column(to)).expand2(vec2(0.0, 1.0)), 0, GAP);
    }
    if let [Some(a), Some(b)] = play.marks {
        let loop_ = part(column(a), column(b)).expand2(vec2(0.0, 1.0));
        painter.rect_filled(loop_, 0, theme::ACCENT.gamma_multiply(0.55));
    }
    if reach != line.y_range() {
        painter.vline(place, reach, egui::Stroke::new(3.0, Color32::from_black_alpha(150)));
        painter.vline(place, reach, egui::Stroke::new(1.5, Color32::WHITE));
    }
    let centre = Pos2::new(place, line.center().y);
    painter.circle_filled(centre, if is_active { 7.5 } else { 6.0 }, Color32::from_black_alpha(150));
    painter.circle_filled(centre, if is_active { 6.5 } else { 5.0 }, Color32::WHITE);
}

/// Draws the marks of the loop, A and B, over everything else on the timeline.
fn draw_marks(painter: &Painter, (line, reach): (Rect, Rangef), column: impl Fn(f64) -> f32, marks: [Option<f64>; 2]) {
    for (mark, name) in marks.into_iter().zip(["A", "B"]) {
        let Some(mark) = mark else { continue };
        let x = painter.round_to_pixel_center(column(mark));
        let (anchor, aside) = if name == "A" { (Align2::LEFT_BOTTOM, 3.0) } else { (Align2::RIGHT_BOTTOM, -3.0) };
        let at = pos2(x + aside, line.min.y + 1.0);
        let letter = anchor.anchor_size(at, vec2(7.0, 12.0)).expand2(vec2(2.0, 0.0));
        painter.rect_filled(letter, 2, Color32::from_black_alpha(190));
        painter.vline(x, reach.expand(5.0), egui::Stroke::new(4.0, Color32::from_black_alpha(190)));
        painter.vline(x, reach.expand(5.0), egui::Stroke::new(2.0, theme::ACCENT));
        painter.text(at, anchor, name, theme::mono(10.0), theme::ACCENT);
    }
}

/// Draws a line that cannot be used, and says why.
fn show_unseekable(painter: &Painter, rect: Rect, line: Rect, play: &PlayState, length: Option<f64>) {
    painter.rect_filled(line, LINE / 2.0, AHEAD.gamma_multiply(0.6));
    if let Some(length) = length {
        let place = line.min.x + line.width() * (play.position_secs / length).clamp(0.0, 1.0) as f32;
        painter.rect_filled(Rect::from_x_y_ranges(line.min.x..=place, line.y_range()), LINE / 2.0, PLAYED);
    }
    let (long, short) = match (play.live.is_some(), play.seekable) {
        (true, _) => ("live: shows the newest picture; earlier ones are not stored", "live"),
        (false, true) => ("the length is not known", "length unknown"),
        (false, false) => ("forward playback only: this input cannot seek", "forward only"),
    };
    let fits = painter.layout_no_wrap(long.to_owned(), theme::words(theme::SMALL), theme::LIGHT).size().x
        < rect.width() - 20.0;
    let text = if fits { long } else { short };
    theme::label(painter, rect.expand(4.0), rect.center(), Align2::CENTER_CENTER, text, theme::SMALL, theme::LIGHT);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LiveState;

    #[test]
    fn the_right_end_stands_for_the_last_frame() {
        let number = |secs, duration_secs, rate| {
            let play = PlayState { duration_secs, frame_rate: Some(rate), ..PlayState::default() };
            hints(secs, &play, &[], &[]).swap_remove(0).split_once('~').expect("a number").1.to_owned()
        };
        assert_eq!(number(10.0, Some(10.0), 30.0), "299");
        assert_eq!(number(9.99, Some(10.0), 30.0), "299");
        assert_eq!(number(9.9, Some(10.0), 30.0), "297");
        assert_eq!(number(5.0, Some(5.01), 30.0), "150", "there is a part of another one");
        assert_eq!(number(0.0, Some(0.0), 30.0), "0");
        assert_eq!(number(7.0, None, 25.0), "175");
    }

    #[test]
    fn hints_on_live_input_say_how_far_behind_they_are() {
        let live = LiveState { kept: Some((10.0, 100.0)), delay: None, arrival: None };
        let play = PlayState { live: Some(live), ..PlayState::default() };
        let gaps = [(40.0, 50.0)];
        let longest = |secs| hints(secs, &play, &gaps, &[]).swap_remove(0);
        assert_eq!(longest(100.0), "live  ·  1:40.000");
        assert_eq!(longest(95.5), "−4.5 s  ·  1:35.500");
        assert_eq!(longest(40.0), "−1:00  ·  no signal  ·  0:40.000");
        assert_eq!(longest(50.0), "−50.0 s  ·  0:50.000");
        assert_eq!(longest(39.9), "−1:00  ·  0:39.900");
    }
}
