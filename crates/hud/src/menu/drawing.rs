//! The lines of a menu: each with its key, and those that open a submenu.

use egui::containers::menu::{MenuConfig, SubMenu, SubMenuButton, menu_style};
use egui::{Button, Color32, Id, LayerId, Rect, Response, RichText, Sense, Stroke, Ui, UiBuilder, vec2};

use super::words::words;
use crate::model::{Command, Model};
use crate::theme;
use histoscope_keys::look;
use histoscope_keys::{self as keys, Action, Change, Setting};

/// Width of a line, in points.
pub const WIDTH: f32 = 270.0;
/// Height of a line.
const LINE: f32 = 20.0;
/// Background of the line at the pointer or chosen by key.
const AT: Color32 = Color32::from_gray(56);
/// Space between a file's name and the position at which it was left, in points.
pub const BESIDE: f32 = 26.0;

/// A line that was drawn.
pub struct DrawnMenuLine {
    pub id: Id,
    pub layer: LayerId,
    /// The first letter of its text, in lowercase.
    pub begins: Option<char>,
}

/// One draw of a menu.
pub struct MenuDrawing<'a, 'm> {
    pub model: &'a Model<'m>,
    pub commands: &'a mut Vec<Command>,
    /// The line chosen by key.
    pub chosen: Option<Id>,
    pub lines: Vec<DrawnMenuLine>,
    /// Rectangles of the submenus.
    pub places: Vec<Rect>,
    /// The lines whose submenus are open.
    pub opened: Vec<Id>,
    /// The line whose submenu was closed by key and stays closed. Other submenus then open only by key.
    pub left: Option<Id>,
}

impl<'a, 'm> MenuDrawing<'a, 'm> {
    pub const fn new(model: &'a Model<'m>, commands: &'a mut Vec<Command>, chosen: Option<Id>) -> Self {
        Self { model, commands, chosen, lines: Vec::new(), places: Vec::new(), opened: Vec::new(), left: None }
    }

    /// Adds a line for the action of a key.
    pub fn action_line(&mut self, ui: &mut Ui, action: Action) -> Response {
        self.command_line(ui, action, Command::Do(action))
    }

    /// Adds a line for each value of a setting.
    pub fn values(&mut self, ui: &mut Ui, setting: Setting) {
        let (look, components) = (self.model.look, self.model.scopes.components);
        let values = (0..).map_while(|place| Some((place, look::value(&look, components, setting, place)?)));
        for (place, (words, is_now)) in values {
            if self.line(ui, &words, if is_now { "now" } else { "" }, true).clicked() {
                self.commands.push(Command::Do(Action::Change(setting, Change::To(place))));
            }
        }
    }

    /// Adds a line that sends a command, with the text and key of an action. The line is gray if the action would have
    /// no effect.
    pub fn command_line(&mut self, ui: &mut Ui, action: Action, command: Command) -> Response {
        let key = keys::label_of(action).unwrap_or_default();
        let is_possible = match action {
            Action::Undo => self.model.steps.back,
            Action::Redo => self.model.steps.forward,
            Action::FlipHeld => !self.model.comparison.names.is_empty() || !self.model.comparison.clips.is_empty(),
            _ => true,
        };
        let response = self.line(ui, &words(action, self.model), &key, is_possible);
        if response.clicked() {
            self.commands.push(command);
        }
        response
    }

    /// Adds a line with its key at the right.
    pub fn line(&mut self, ui: &mut Ui, words: &str, key: &str, is_possible: bool) -> Response {
        let [ink, key_ink] = if is_possible { [theme::LIGHT, theme::DIM] } else { [theme::GRAYED; 2] };
        let text = RichText::new(words).font(theme::words(theme::TEXT)).color(ink);
        let key = RichText::new(key).font(theme::mono(theme::SMALL)).color(key_ink);
        let button = Button::new(text).shortcut_text(key).min_size(vec2(0.0, LINE));
        if !is_possible {
            let gray = button.sense(Sense::hover()).fill(Color32::TRANSPARENT).stroke(Stroke::NONE);
            log::trace!("menu: {words} is gray");
            return known_by(ui, words, |ui| ui.add(gray));
        }
        let response = known_by(ui, words, |ui| ui.add(button));
        self.drawn(ui, &response, words);
        response
    }

    /// Adds a line that opens a submenu.
    pub fn further(&mut self, ui: &mut Ui, words: &str, contents: impl FnOnce(&mut Self, &mut Ui)) {
        let text = RichText::new(words).font(theme::words(theme::TEXT)).color(theme::LIGHT);
        let arrow = SubMenuButton::arrow_atom(Some(theme::DIM));
        let button = Button::new(text).right_text(arrow).min_size(vec2(0.0, LINE));
        let (response, is_open) = known_by(ui, words, |ui| {
            let line = ui.next_auto_id();
            // After a submenu was closed by key, others open only by key.
            let stays_closed = |left| left == line || !ui.memory(|memory| memory.has_focus(line));
            if self.left.is_some_and(stays_closed) {
                return (ui.add(button), false);
            }
            let further = SubMenuButton::from_button(button);
            let config = MenuConfig::new().style(style as fn(&mut egui::Style));
            let (response, opened) = further.config(config).ui(ui, |ui| {
                ui.set_width(WIDTH);
                ui.spacing_mut().item_spacing.y = 0.0;
                let room = ui.ctx().content_rect().height() - 24.0;
                theme::scrolled(ui, room, |ui| contents(self, ui));
            });
            (response, opened.is_some())
        });
        self.drawn(ui, &response, words);
        if is_open {
            let place = ui.memory(|memory| memory.area_rect(SubMenu::id_from_widget_id(response.id)));
            self.places.extend(place);
            self.opened.push(response.id);
        }
    }

    /// Records a line that can be chosen, and scrolls to it if it was chosen just now.
    fn drawn(&mut self, ui: &Ui, response: &Response, words: &str) {
        let begins =
            words.chars().find(|letter| letter.is_alphanumeric()).and_then(|letter| letter.to_lowercase().next());
        self.lines.push(DrawnMenuLine { id: response.id, layer: ui.layer_id(), begins });
        // A sizing pass is not visible, and its lines are elsewhere.
        if !ui.is_sizing_pass() {
            let at = response.rect.center() * ui.ctx().pixels_per_point();
            log::trace!("menu: {words} at {:.0},{:.0}", at.x, at.y);
        }
        if response.has_focus() && self.chosen.replace(response.id) != Some(response.id) {
            response.scroll_to_me(None);
            log::trace!("menu: {words} is chosen");
        }
    }
}

/// Highlights the line at the pointer or chosen by key, with its key still readable.
pub fn style(style: &mut egui::Style) {
    menu_style(style);
    let widgets = &mut style.visuals.widgets;
    for state in [&mut widgets.hovered, &mut widgets.active, &mut widgets.open] {
        state.weak_bg_fill = AT;
    }
}

/// Adds a line whose id is derived from its text. A counted id would change with the lines above it, and the line that
/// was left or chosen would be a different one in the next draw.
fn known_by<T>(ui: &mut Ui, words: &str, add: impl FnOnce(&mut Ui) -> T) -> T {
    let id = ui.scope_id().with(words);
    ui.scope_builder(UiBuilder::new().scope_id(id), add).inner
}
