//! The control bar at the top edge. The histograms are at the bottom edge, and nothing covers their data.

use egui::{Align2, Color32, FontId, Pos2, Rect, Response, RichText, Sense, Ui, pos2, vec2};

use serde::{Deserialize, Serialize};

use super::controls::{self, ToggleLook};
use super::icons::{self, Icon};
use super::model::StripSize;
use super::model::{Command, Model, PlayState, Waiting};
use super::theme;
use super::timeline::Timeline;
use histoscope_core::text::{behind_text, clock_time, time_text};
use histoscope_keys::{self as keys, Action, Panel, Setting, SpeedChange};

/// Height of a row of buttons, in points.
const ROW: f32 = 26.0;
/// Returns the rectangle of the bar within the room left by the histograms.
pub fn place(free: Rect, model: &Model<'_>) -> Rect {
    let margin = if free.width() < 600.0 { 4.0 } else { theme::MARGIN };
    let line = if is_tight(free, model) { line_row(free, model) } else { 0.0 };
    let size = vec2((free.width() - 2.0 * margin).max(40.0), height(free, model) - line);
    Rect::from_min_size(free.min + vec2(margin, margin), size)
}

/// Returns `true` if the timeline has no row of its own, because the room is low or because a single picture has no
/// times.
fn is_tight(free: Rect, model: &Model<'_>) -> bool {
    free.height() < TIGHT_HEIGHT || model.play.still
}

/// Height of the timeline's row.
const LINE_ROW: f32 = 20.0;
/// Width of an icon button.
const BUTTON: f32 = 28.0;
const PADDING: egui::Vec2 = vec2(10.0, 6.0);
/// Height of the timeline's row with the strip in it, and room below for the line.
const STRIP_ROW: f32 = 24.0;
/// Height of that row with a tall strip.
const TALL_ROW: f32 = 112.0;
/// Height that a tall strip leaves below the bar, for the field and its messages.
const MIN_BELOW: f32 = 165.0;
/// Height of the line below the strip.
const BELOW_STRIP: f32 = 6.0;
/// Width of the time under the pointer, if there is only one row.
const HINT: f32 = 70.0;
/// Height below which everything goes into one row.
const TIGHT_HEIGHT: f32 = 130.0;

/// Returns the height of the bar with both rows.
pub fn height(free: Rect, model: &Model<'_>) -> f32 {
    2.0 * PADDING.y + line_row(free, model) + ROW
}

/// Returns the height of the timeline's row.
fn line_row(free: Rect, model: &Model<'_>) -> f32 {
    match model.file.strip {
        None => LINE_ROW,
        Some(_) if model.file.strip_size == StripSize::Tall => {
            let room = free.height() - MIN_BELOW - 2.0 * PADDING.y - ROW;
            TALL_ROW.min(room).max(STRIP_ROW)
        }
        Some(_) => STRIP_ROW,
    }
}

/// The form of the position that the bar shows first, in bright letters, before any others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PositionReadout {
    /// The time.
    #[default]
    Time,
    /// The frame's number.
    Frame,
    /// The frame's timecode.
    Timecode,
}

impl PositionReadout {
    /// Returns the next choice; the first follows the last.
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::Time => Self::Frame,
            Self::Frame => Self::Timecode,
            Self::Timecode => Self::Time,
        }
    }

    /// Returns the choice in words.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Time => "position as a time",
            Self::Frame => "position as a frame number",
            Self::Timecode => "position as a timecode",
        }
    }

    /// Returns the known forms of the position, the chosen one first.
    fn texts(self, play: &PlayState) -> Vec<String> {
        let mut texts = [
            (Self::Time, Some(time_text(play.position_secs))),
            (Self::Frame, frame_text(play)),
            (Self::Timecode, play.timecode.map(|timecode| timecode.to_string())),
        ];
        texts.sort_by_key(|(kind, _)| *kind != self);
        texts.into_iter().filter_map(|(_, text)| text).collect()
    }
}

/// The room for the bar, and its state.
pub struct Context {
    /// The part of the view without histograms.
    pub free: Rect,
    /// Opacity of the bar, 0 to 1.
    pub strength: f32,
    /// `true` if it is pinned.
    pub pinned: bool,
    /// The form of the position that it shows first.
    pub readout: PositionReadout,
}

/// Shows the bar. Returns its rectangle.
pub fn show(
    ui: &Ui,
    context: &Context,
    model: &Model<'_>,
    timeline: &mut Timeline,
    commands: &mut Vec<Command>,
) -> Rect {
    timeline.hide();
    let is_still = model.play.still;
    let is_tight = is_tight(context.free, model);
    let line_row = line_row(context.free, model);
    let rect = place(context.free, model);
    egui::Area::new(egui::Id::unique("controls")).fixed_pos(rect.min).constrain(false).fade_in(false).show(
        ui.ctx(),
        |ui| {
            ui.set_opacity(context.strength);
            ui.allocate_rect(rect, Sense::hover());
            // A click on the bar's background is not a click on the picture behind it.
            ui.interact(rect, ui.scope_id().with("plate"), Sense::click_and_drag());
            theme::fill_plate(ui.painter(), rect, theme::ROUND, theme::PLATE);
            let inner = rect.shrink2(PADDING);
            let mut row =
                ButtonRow { ui, rect: Rect::from_min_max(pos2(inner.min.x, inner.max.y - ROW), inner.max), commands };
            if is_still {
                row.still(model);
                row.right(model, context.pinned);
                row.name(model);
            } else if is_tight {
                row.left(model, context.readout);
                row.right(model, context.pinned);
                // The time that a click would seek to has its own part of the row.
                let (mut line, mut free) = (row.rect.shrink2(vec2(8.0, 0.0)), row.rect);
                free.min.x = line.max.x - HINT;
                if line.width() > 3.0 * HINT {
                    line.max.x = free.min.x - 8.0;
                } else {
                    free = Rect::NOTHING;
                }
                if line.width() > 60.0 {
                    line.max.y -= if model.file.strip.is_some() { BELOW_STRIP } else { 0.0 };
                    timeline.show(ui, (line, free), model, commands);
                }
            } else {
                row.left(model, context.readout);
                row.right(model, context.pinned);
                let below = if model.file.strip.is_some() { BELOW_STRIP } else { 0.0 };
                let line = Rect::from_min_size(inner.min, vec2(inner.width(), line_row - below));
                let line = line.shrink2(vec2(6.0, 0.0));
                let free = row.rect.shrink2(vec2(28.0, 0.0));
                // The time that a click would seek to replaces the name.
                let mut wanted = Vec::new();
                if !timeline.show(row.ui, (line, free), model, &mut wanted) {
                    row.name(model);
                }
                commands.append(&mut wanted);
            }
        },
    );
    rect
}

/// A row that is filled from both ends; `rect` is the part still free.
struct ButtonRow<'a> {
    ui: &'a mut Ui,
    rect: Rect,
    commands: &'a mut Vec<Command>,
}

impl ButtonRow<'_> {
    fn take_left(&mut self, width: f32) -> Option<Rect> {
        if self.rect.width() < width {
            return None;
        }
        let taken = Rect::from_min_size(self.rect.min, vec2(width, self.rect.height()));
        self.rect.min.x += width;
        Some(taken)
    }

    fn take_right(&mut self, width: f32) -> Option<Rect> {
        if self.rect.width() < width {
            return None;
        }
        let taken = Rect::from_min_max(pos2(self.rect.max.x - width, self.rect.min.y), self.rect.max);
        self.rect.max.x -= width;
        Some(taken)
    }

    /// Adds a button with its background; the caller draws the icon or text on it.
    fn button(&mut self, rect: Rect, name: &str, action: Action, help: &str) {
        let response = self.ui.interact(rect, self.ui.scope_id().with(name), Sense::click());
        if response.hovered() {
            let light = if response.is_pointer_button_down_on() { 60 } else { 34 };
            self.ui.painter().rect_filled(rect.shrink2(vec2(1.0, 0.0)), 5, Color32::from_white_alpha(light));
        }
        self.does(response, action, help);
    }

    /// Sends the action if the response was clicked, and shows its help and key in a tooltip.
    fn does(&mut self, response: Response, action: Action, help: &str) {
        if response.clicked() {
            self.commands.push(Command::Do(action));
        }
        let key = keys::label_of(action).map_or_else(String::new, |key| format!("  ({key})"));
        response.on_hover_text(format!("{help}{key}"));
    }

    fn icon(&mut self, rect: Option<Rect>, icon: Icon, color: Color32, action: Action, help: &str) {
        let Some(rect) = rect else { return };
        self.button(rect, &format!("{icon:?}"), action, help);
        icons::draw(self.ui.painter(), rect, icon, color);
    }

    fn text(&self, at: Pos2, anchor: Align2, text: &str, font: FontId, color: Color32) {
        self.ui.painter().text(at, anchor, text, font, color);
    }

    fn width_of(&self, text: &str, font: &FontId) -> f32 {
        self.ui.painter().layout_no_wrap(text.to_owned(), font.clone(), theme::LIGHT).size().x
    }

    /// Says that the input is a single picture.
    fn still(&mut self, model: &Model<'_>) {
        let font = theme::words(theme::TEXT);
        let text = model.file.opening.unwrap_or("a single picture");
        if let Some(rect) = self.take_left(self.width_of(text, &font) + 8.0) {
            self.text(rect.left_center(), Align2::LEFT_CENTER, text, font, theme::DIM);
        }
    }

    /// Adds play and pause, single steps and the times.
    fn left(&mut self, model: &Model<'_>, readout: PositionReadout) {
        let play = &model.play;
        let is_wide = self.rect.width() > 520.0;
        if is_wide {
            self.step(false);
        }
        let is_still = play.paused || play.ended;
        let (icon, help) = if is_still { (Icon::Play, "Play") } else { (Icon::Pause, "Pause") };
        let rect = self.take_left(BUTTON);
        self.icon(rect, icon, theme::LIGHT, Action::TogglePause, help);
        if is_wide {
            self.step(true);
        }
        self.times(model, readout);
    }

    fn step(&mut self, forward: bool) {
        let rect = self.take_left(BUTTON);
        let help = if forward { "One frame forward" } else { "One frame back" };
        self.icon(rect, Icon::Step { forward }, theme::LIGHT, Action::Step { forward }, help);
    }

    fn times(&mut self, model: &Model<'_>, readout: PositionReadout) {
        let play = &model.play;
        let font = theme::mono(theme::TEXT);
        let texts = readout.texts(play);
        let Some((first, others)) = texts.split_first() else { return };
        // As wide as the longest time, so that nothing moves as the digits change.
        let is_time = *first == time_text(play.position_secs);
        let total = play.duration_secs.map(time_text).filter(|_| is_time);
        let width = self.width_of(total.as_deref().unwrap_or(first), &font).max(self.width_of(first, &font));
        let Some(rect) = self.take_left(width + 10.0) else { return };
        let middle = rect.center().y;
        self.text(pos2(rect.max.x, middle), Align2::RIGHT_CENTER, first, font.clone(), theme::LIGHT);
        if let Some(total) = total.filter(|_| self.rect.width() > 330.0) {
            let text = format!(" / {total}");
            if let Some(rect) = self.take_left(self.width_of(&text, &font)) {
                self.text(pos2(rect.min.x, middle), Align2::LEFT_CENTER, &text, font.clone(), theme::DIM);
            }
        }
        for text in others {
            if self.rect.width() > 400.0
                && let Some(rect) = self.take_left(self.width_of(text, &font) + 14.0)
            {
                self.text(pos2(rect.max.x, middle), Align2::RIGHT_CENTER, text, font.clone(), theme::DIM);
            }
        }
        let state = match (&play.waiting, model.file.opening) {
            (_, Some(text)) => Some(text),
            (Waiting::Data, None) => Some("waiting for data …"),
            // For a paused picture the bar shows its arrival; the missing signal is reported over the picture.
            (Waiting::Signal(_), None) if !play.paused => Some("no signal"),
            (Waiting::Signal(_) | Waiting::Nothing | Waiting::Seeking(_), None) => None,
        };
        let live = live_text(play);
        let state = state.or(live.as_deref());
        if let Some(text) = state {
            let font = theme::words(theme::TEXT);
            if let Some(rect) = self.take_left(self.width_of(text, &font) + 14.0) {
                self.text(pos2(rect.max.x, middle), Align2::RIGHT_CENTER, text, font, theme::ACCENT);
            }
        }
    }

    /// Adds, from the right: help, pin, channels, loop, speed, adjustments.
    fn right(&mut self, model: &Model<'_>, pinned: bool) {
        if let Some(rect) = self.take_right(24.0) {
            self.button(rect, "help", Action::ToggleHelp, "All keys");
            self.text(rect.center(), Align2::CENTER_CENTER, "?", theme::words(theme::TEXT + 2.0), theme::LIGHT);
        }
        if self.rect.width() > 300.0 {
            let color = if pinned { theme::ACCENT } else { theme::OFF };
            let rect = self.take_right(24.0);
            self.icon(rect, Icon::Pin, color, Action::TogglePinned, "Keep these controls on screen");
        }
        self.rect.max.x -= 6.0;
        let count = model.scopes.components.channel_names().len();
        // All or none: a missing button would suggest that the video lacks the channel.
        let has_room = self.rect.width() >= count as f32 * (BUTTON - 2.0);
        for channel in (0..count).rev().filter(|_| has_room) {
            if let Some(rect) = self.take_right(BUTTON - 2.0) {
                self.channel(rect, model, channel);
            }
        }
        self.rect.max.x -= 6.0;
        if self.rect.width() > 30.0 && !model.play.still {
            let (color, help) = match model.play.marks {
                [Some(_), Some(_)] => (theme::ACCENT, "Loops between A and B"),
                _ if model.play.looped => (theme::ACCENT, "Loops"),
                _ => (theme::OFF, "Plays once"),
            };
            let rect = self.take_right(BUTTON);
            self.icon(rect, Icon::Loop, color, Action::ToggleLoop, help);
        }
        if !model.play.still {
            self.speed(model.play.speed);
        }
        if self.rect.width() > 40.0 {
            let color = if model.look.adjustments.is_off() { theme::LIGHT } else { theme::ACCENT };
            let rect = self.take_right(BUTTON);
            self.icon(rect, Icon::Sliders, color, Action::TogglePanel(Panel::Adjusting), "Adjustments");
        }
    }

    fn channel(&mut self, rect: Rect, model: &Model<'_>, channel: usize) {
        let name = model.scopes.components.channel_names()[channel];
        let is_on = model.look.channels.contains(channel);
        let color = theme::channel_color(model.scopes.components, channel);
        let look = ToggleLook { on: color, off: Color32::TRANSPARENT, outline: color.gamma_multiply(0.6) };
        let ink = if is_on { controls::INK } else { color };
        let sign = RichText::new(model.scopes.components.short_name(channel)).font(theme::mono(theme::TEXT - 0.5));
        let rect = Rect::from_center_size(rect.center(), vec2(22.0, 20.0));
        let response = controls::toggle(self.ui, rect, name, (is_on, sign.color(ink)), look);
        let help = format!("{} {name}", if is_on { "Hide" } else { "Show" });
        self.does(response, Setting::CHANNELS[channel].switch(), &help);
    }

    fn speed(&mut self, speed: f64) {
        if self.rect.width() < 100.0 {
            return;
        }
        let step = |more| Action::Speed(SpeedChange::By(if more { keys::SPEED_STEP } else { 1.0 / keys::SPEED_STEP }));
        let color = if (speed - 1.0).abs() < 1e-9 { theme::LIGHT } else { theme::ACCENT };
        let parts = [
            ("+", 20.0, step(true), "Faster"),
            ("", 52.0, Action::Speed(SpeedChange::Normal), "Speed; click for normal"),
            ("−", 20.0, step(false), "Slower"),
        ];
        for (sign, width, action, help) in parts {
            let Some(rect) = self.take_right(width) else { return };
            self.button(rect, help, action, help);
            if sign.is_empty() {
                let text = speed_text(speed);
                self.text(rect.center(), Align2::CENTER_CENTER, &text, theme::mono(theme::TEXT), color);
            } else {
                self.text(rect.center(), Align2::CENTER_CENTER, sign, theme::words(theme::TEXT + 3.0), theme::DIM);
            }
        }
    }

    /// Adds the file's name between the two ends.
    fn name(&self, model: &Model<'_>) {
        let room = self.rect.shrink2(vec2(14.0, 0.0));
        let Some(name) = model.file.name.filter(|_| room.width() > 80.0 && model.file.opening.is_none()) else {
            return;
        };
        let (place, count) = model.file.place;
        let text = if count > 1 { format!("{name}  ({place} of {count})") } else { name.to_owned() };
        let format = |color| egui::TextFormat::simple(theme::words(theme::TEXT), color);
        let mut job = egui::text::LayoutJob::default();
        if model.file.faulty {
            // In front, so that a long name cannot push it out. The file's panel lists the faults.
            job.append("faulty file (i)  ", 0.0, format(theme::WRONG));
        }
        job.append(&text, 0.0, format(theme::DIM));
        job.wrap = egui::text::TextWrapping::truncate_at_width(room.width());
        let galley = self.ui.painter().layout_job(job);
        let at = pos2(room.center().x - galley.size().x / 2.0, room.center().y - galley.size().y / 2.0);
        self.ui.painter().galley(at, galley, theme::DIM);
    }
}

/// Returns the number of the frame on screen, with a tilde if it is estimated from the frame rate.
fn frame_text(play: &PlayState) -> Option<String> {
    let estimated = || play.estimated_index.map(|index| format!("frame ~{index}"));
    play.frame_index.map(|index| format!("frame {index}")).or_else(estimated)
}

/// Returns the state of a live source: the delay to the screen or, when paused, the arrival of the picture on screen.
fn live_text(play: &PlayState) -> Option<String> {
    let live = play.live?;
    let behind = live.kept.map(|(_, newest)| newest - play.position_secs).and_then(behind_text);
    let with_time = |text: String| match &behind {
        Some(behind) => format!("{behind}  ·  {text}"),
        None => text,
    };
    Some(match (play.paused, live.arrival, live.delay) {
        (true, Some(arrival), _) => with_time(format!("received at {}", clock_time(arrival))),
        (true, None, _) => with_time("held".to_owned()),
        (false, _, Some(delay)) => format!("live, {} ms", delay.as_millis()),
        (false, _, None) => "live".to_owned(),
    })
}

/// Formats a speed with two decimals, or three if it is slow.
pub fn speed_text(speed: f64) -> String {
    if speed < 0.995 { format!("{speed:.3}×") } else { format!("{speed:.2}×") }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;
    use crate::LiveState;
    use histoscope_core::picture::Timecode;

    #[test]
    fn the_chosen_form_of_the_position_comes_first() {
        let timecode = Timecode::parse("10:00:01;05");
        let play = PlayState { position_secs: 1.5, frame_index: Some(35), timecode, ..PlayState::default() };
        let mut readout = PositionReadout::default();
        let mut texts = Vec::new();
        for _ in 0..3 {
            texts.push(readout.texts(&play).join(" "));
            readout = readout.next();
        }
        let expected =
            ["0:01.500 frame 35 10:00:01;05", "frame 35 0:01.500 10:00:01;05", "10:00:01;05 0:01.500 frame 35"];
        assert_eq!((texts.as_slice(), readout), (expected.map(str::to_owned).as_slice(), PositionReadout::Time));
        let bare = PlayState { frame_index: None, timecode: None, ..play };
        assert_eq!(PositionReadout::Timecode.texts(&bare), ["0:01.500"]);
    }

    #[test]
    fn live_sources_show_their_delay_and_paused_ones_their_arrival() {
        let arrival = Some(SystemTime::UNIX_EPOCH + Duration::from_secs(3661));
        let delay = Some(Duration::from_micros(47_900));
        let state = |paused, arrival, delay, kept| PlayState {
            paused,
            position_secs: 4.0,
            live: Some(LiveState { kept, delay, arrival }),
            ..PlayState::default()
        };
        let of = |paused, arrival, delay| live_text(&state(paused, arrival, delay, None));
        assert_eq!(of(false, arrival, delay).as_deref(), Some("live, 47 ms"));
        assert_eq!(of(false, arrival, None).as_deref(), Some("live"));
        assert_eq!(of(true, arrival, delay).as_deref(), Some("received at 01:01:01 UTC"));
        assert_eq!(of(true, None, delay).as_deref(), Some("held"));
        let behind = |paused, newest| live_text(&state(paused, arrival, delay, Some((1.0, newest))));
        assert_eq!(behind(true, 16.3).as_deref(), Some("−12.3 s  ·  received at 01:01:01 UTC"));
        assert_eq!(behind(true, 4.0).as_deref(), Some("received at 01:01:01 UTC"));
        assert_eq!(behind(false, 16.3).as_deref(), Some("live, 47 ms"));
        assert_eq!(live_text(&PlayState::default()), None);
    }
}
