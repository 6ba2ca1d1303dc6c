//! The panel of adjustments: the switch and parameters of each, in the order in which they are applied.

use egui::{Align2, Color32, Rect, RichText, Sense, Ui, pos2, vec2};

use super::controls::{self, LETTERS, Places};
use super::menu::shortened;
use super::model::{AdjustmentView, Command, Model};
use super::theme;
use histoscope_core::adjust::{Adjustment, Choices, Parameter};
use histoscope_core::text::file_name;
use histoscope_keys::{self as keys, Action, Setting};
use histoscope_render::view::scene::{Counted, Look, Sharing};

/// Width of the panel's content, in points.
const WIDTH: f32 = 316.0;
/// Minimum width of the content: a switch, a name, a short rail and a value.
const MIN_CONTENT: f32 = SWITCH + NAME + VALUE + 52.0;
/// Width of the frame around the content, and of a margin.
const AROUND: f32 = 24.0;
/// Minimum width of the whole panel.
pub const MIN_WIDTH: f32 = MIN_CONTENT + AROUND;
/// Width of a switch.
const SWITCH: f32 = 82.0;
/// Width of a parameter's name.
const NAME: f32 = 62.0;
/// Width of a parameter's value.
const VALUE: f32 = 44.0;
/// Height of a line.
const LINE: f32 = 18.0;
/// Height of the whole panel.
pub const FULL_HEIGHT: f32 = 316.0;
/// Space between lines.
const GAP: f32 = 2.0;

/// Shows the panel at the left of `room`. Returns its rectangle.
pub fn show(ui: &Ui, room: Rect, model: &Model<'_>, commands: &mut Vec<Command>) -> Rect {
    let area = egui::Area::new(egui::Id::unique("adjustments")).fade_in(false).fixed_pos(room.min);
    let shown = area.show(ui.ctx(), |ui| {
        theme::framed(10, 8).show(ui, |ui| {
            let inside = (room.width() - AROUND).clamp(MIN_CONTENT, WIDTH);
            ui.set_width(inside);
            // If the panel scrolls, keep the values clear of the scroll bar.
            let width = if room.height() < FULL_HEIGHT { inside - 12.0 } else { inside };
            theme::scrolled(ui, room.height() - 18.0, |ui| {
                ui.spacing_mut().item_spacing = vec2(0.0, GAP);
                ui.label(RichText::new("Adjustments, in order of application").size(LETTERS).color(theme::DIM));
                let standard = Choices::default();
                let mut lines = Lines { ui, width, adjusting: &model.adjusting, look: model.look, standard, commands };
                lines.lut();
                let mut before = Adjustment::Lut;
                for kind in lines.with_parameters() {
                    if kind.position() != before.position() {
                        lines.rule();
                    }
                    lines.adjustment(kind);
                    before = kind;
                }
                lines.rule();
                lines.showing();
            });
        });
    });
    shown.response.rect
}

/// The panel's lines, one below the other.
struct Lines<'a> {
    ui: &'a mut Ui,
    width: f32,
    adjusting: &'a AdjustmentView,
    look: Look,
    /// The default parameters.
    standard: Choices,
    commands: &'a mut Vec<Command>,
}

impl Lines<'_> {
    fn next(&mut self) -> Rect {
        self.ui.allocate_exact_size(vec2(self.width, LINE), Sense::hover()).0
    }

    /// Draws a thin line between steps of the chain.
    fn rule(&mut self) {
        let (rect, _) = self.ui.allocate_exact_size(vec2(self.width, 3.0), Sense::hover());
        let stroke = egui::Stroke::new(1.0, Color32::from_white_alpha(34));
        self.ui.painter().hline(rect.x_range(), rect.center().y, stroke);
    }

    fn is_on(&self, kind: Adjustment) -> bool {
        kind.is_on(&self.look.adjustments)
    }

    /// Adds the switch at the start of a line. Returns the rest of the line.
    fn switch(&mut self, kind: Adjustment) -> Rect {
        let line = self.next();
        self.switch_at(kind, Rect::from_min_size(line.min, vec2(SWITCH, LINE)));
        Self::beside(line)
    }

    fn switch_at(&mut self, kind: Adjustment, rect: Rect) {
        let action = Action::ToggleAdjustment(kind);
        let on = self.is_on(kind);
        if controls::switch(self.ui, rect, (on, kind.name()), &help(kind.help(), action)).clicked() {
            self.commands.push(Command::Do(action));
        }
    }

    /// Returns the rest of a line, right of its switch.
    fn beside(line: Rect) -> Rect {
        Rect::from_min_max(pos2(line.min.x + SWITCH + 10.0, line.min.y), line.max)
    }

    fn name(&self, line: Rect, name: &str, on: bool) {
        let color = if on { theme::LIGHT } else { theme::DIM };
        self.ui.painter().text(line.left_center(), Align2::LEFT_CENTER, name, theme::words(LETTERS), color);
    }

    /// Adds a parameter with a slider. Returns its new position if it was moved.
    fn slider(&mut self, line: Rect, name: &str, on: bool, value: &str, places: Places) -> Option<usize> {
        self.name(line, name, on);
        let color = if on { theme::LIGHT } else { theme::DIM };
        self.ui.painter().text(line.right_center(), Align2::RIGHT_CENTER, value, theme::mono(LETTERS), color);
        let rail = Rect::from_min_max(pos2(line.min.x + NAME, line.min.y), pos2(line.max.x - VALUE - 4.0, line.max.y));
        let value = Rect::from_min_max(pos2(line.max.x - VALUE, line.min.y), line.max);
        controls::slider(self.ui, [rail, value], &format!("{name} of {}", line.min.y as i32), places, !on)
    }

    fn choice(&mut self, line: Rect, name: &str, on: bool, names: &[&str], chosen: usize) -> Option<usize> {
        self.name(line, name, on);
        let rect = Rect::from_min_max(pos2(line.min.x + NAME, line.min.y + 1.0), pos2(line.max.x, line.max.y - 1.0));
        controls::choice(self.ui, rect, name, names, chosen, !on)
    }

    /// Adds the switches of the LUT and the camera log, and the name of the one that is on or was chosen.
    fn lut(&mut self) {
        let line = self.next();
        let kinds = [Adjustment::Lut, Adjustment::CameraLog];
        for (index, kind) in (0..).zip(kinds) {
            let corner = line.min + vec2(index as f32 * (SWITCH + 6.0), 0.0);
            self.switch_at(kind, Rect::from_min_size(corner, vec2(SWITCH, LINE)));
        }
        let on = self.look.adjustments.lut;
        let lut = on.or(self.adjusting.choices.lut);
        let name = match lut.map(|lut| (lut.path(), lut.camera())) {
            Some((_, Some(log))) => log.name().to_owned(),
            Some((Some(path), _)) => file_name(path),
            _ => "drop a .cube file".to_owned(),
        };
        let rest = Rect::from_min_max(line.min + vec2(2.0 * (SWITCH + 6.0) + 4.0, 0.0), line.max);
        let width = |text: &str| {
            let words = self.ui.painter().layout_no_wrap(text.to_owned(), theme::words(LETTERS), theme::LIGHT);
            words.size().x
        };
        let name = shortened(&name, |name| width(name) <= rest.width());
        // A hint is read, unlike the name of a parameter that has no effect.
        self.name(rest, &name, on.is_some() || lut.is_none());
    }

    /// Returns the adjustments with parameters. Of the two that equalize, it is the one chosen last.
    fn with_parameters(&self) -> impl Iterator<Item = Adjustment> + use<> {
        let by_channel = self.adjusting.choices.equalize.per_channel;
        Adjustment::ALL.into_iter().filter(move |kind| match kind {
            Adjustment::Lut | Adjustment::CameraLog => false,
            Adjustment::Equalize => !by_channel,
            Adjustment::Channels => by_channel,
            Adjustment::Blur | Adjustment::Clahe | Adjustment::Posterize | Adjustment::Otsu => true,
        })
    }

    /// Adds an adjustment's switch and its parameters.
    fn adjustment(&mut self, kind: Adjustment) {
        let on = self.is_on(kind);
        let mut line = self.switch(kind);
        for parameter in [Parameter::Main, Parameter::Second] {
            if parameter == Parameter::Second {
                line = Self::beside(self.next());
            }
            let (mut choices, mut standard) = (self.adjusting.choices, self.standard);
            let standard = standard.field(kind, parameter).map_or(0, |field| field.place().0);
            let Some(field) = choices.field(kind, parameter) else { return };
            let (now, last) = field.place();
            let moved = match field.names {
                [] => self.slider(line, field.name, on, &field.text, Places { now, standard, last }),
                names => self.choice(line, field.name, on, names, now),
            };
            if let Some(to) = moved {
                field.set(to);
                self.commands.push(Command::Choose(kind.chosen(&choices), choices));
            }
        }
    }

    /// Adds the choice of which picture is counted, and the switches for what is drawn along with it.
    fn showing(&mut self) {
        let line = self.next();
        self.name(line, "Histograms", true);
        let rect = Rect::from_min_max(pos2(line.min.x + SWITCH + 10.0, line.min.y + 1.0), line.max - vec2(0.0, 1.0));
        let all = Counted::ALL;
        let chosen = all.iter().position(|&counted| counted == self.look.counted).unwrap_or(0);
        let dim = self.look.adjustments.is_off();
        if let Some(to) = controls::choice(self.ui, rect, "counted", &all.map(Counted::name), chosen, dim) {
            self.commands.push(Command::Show(Box::new(Look { counted: all[to], ..self.look })));
        }
        let line = self.next();
        let look = self.look;
        let has_divider = matches!(look.sharing, Sharing::Divider(_));
        let parts = [
            (
                "Divider",
                has_divider,
                Setting::Sharing.switch(),
                "A dividing line with the source or held frame on its other side",
            ),
            ("Curves", look.curves, Setting::Curves.switch(), "Cumulative histograms over the bars"),
            (
                "Backdrop",
                look.histograms.backdrop,
                Setting::Backdrop.switch(),
                "Blur the picture behind the histograms",
            ),
        ];
        let width = (line.width() - 2.0 * 6.0) / 3.0;
        for (index, (name, on, action, words)) in parts.into_iter().enumerate() {
            let left = line.min.x + index as f32 * (width + 6.0);
            let rect = Rect::from_min_size(pos2(left, line.min.y), vec2(width, LINE));
            if controls::switch(self.ui, rect, (on, name), &help(words, action)).clicked() {
                self.commands.push(Command::Do(action));
            }
        }
    }
}

/// Returns the tooltip of a button, with its key.
fn help(words: &str, action: Action) -> String {
    keys::label_of(action).map_or_else(|| words.to_owned(), |key| format!("{words}  ({key})"))
}
