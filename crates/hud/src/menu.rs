//! The context menu and the list of recent files. Both work with the pointer, or with the arrow keys, Enter and first
//! letters.

mod drawing;
mod further;
mod words;

use std::time::Duration;

use egui::containers::menu::{MenuState, SubMenu};
use egui::{Align, Id, Key, LayerId, Layout, Popup, PopupKind, Pos2, Rect, Ui, Vec2};

use super::model::{Command, FileView, Model};
use super::model::{RecentFile, place_text};
use super::{meanings, theme};
use drawing::{BESIDE, DrawnMenuLine, MenuDrawing, WIDTH, style};
use histoscope_core::histogram::Components;
use histoscope_core::text::{file_name, shown};
use histoscope_keys::{Action, MENU, MenuLine, Setting};
pub use words::shortened;

/// How long the pointer must rest on another line before the open submenu closes. On its way to the submenu, it crosses
/// other lines.
const GRACE: Duration = Duration::from_millis(350);

/// The contents of a menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MenuKind {
    /// Common actions.
    Everything,
    /// Only the recent files.
    Recent,
    /// Only the presets.
    Presets,
}

/// An open menu.
#[derive(Debug, Clone, PartialEq)]
pub struct Menu {
    kind: MenuKind,
    at: Pos2,
    /// Letters typed since the last draw. Each moves to the next line that begins with it.
    typed: Vec<char>,
    /// The line chosen by key in the last draw.
    chosen: Option<Id>,
    /// Rectangles of the menu and its submenus in the last draw.
    pub places: Vec<Rect>,
    submenu: Submenu,
    /// `true` after a key press, until the pointer moves.
    by_keys: bool,
}

/// The state of the submenu.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
enum Submenu {
    /// No submenu is open.
    #[default]
    Nothing,
    /// The submenu of this line is open.
    Open(Id),
    /// The submenu of this line is open, and closes in the next draw.
    Leaving(Id),
    /// The submenu of this line was closed by key. None opens for a resting pointer, on this line or another.
    Left(Id),
}

impl Menu {
    /// Creates a menu of common actions, at a point.
    #[must_use]
    pub const fn everything(at: Pos2) -> Self {
        Self::new(MenuKind::Everything, at)
    }

    /// Creates a menu of only the recent files, at a point.
    #[must_use]
    pub const fn recent(at: Pos2) -> Self {
        Self::new(MenuKind::Recent, at)
    }

    /// Creates a menu of only the presets, at a point.
    #[must_use]
    pub const fn presets(at: Pos2) -> Self {
        Self::new(MenuKind::Presets, at)
    }

    const fn new(kind: MenuKind, at: Pos2) -> Self {
        Self {
            kind,
            at,
            typed: Vec::new(),
            chosen: None,
            places: Vec::new(),
            submenu: Submenu::Nothing,
            by_keys: false,
        }
    }

    /// Closes the submenu. Returns `true` if one was open.
    pub fn leave_beside(&mut self) -> bool {
        let Submenu::Open(line) = self.submenu else { return false };
        self.submenu = Submenu::Leaving(line);
        true
    }

    /// Takes a typed letter.
    pub fn type_letter(&mut self, letter: char) {
        self.typed.extend(letter.to_lowercase());
    }

    /// Shows the menu and handles typed letters. Returns `true` if it stays open.
    pub fn show(&mut self, ui: &Ui, model: &Model<'_>, commands: &mut Vec<Command>) -> bool {
        let mut stays = true;
        let room = ui.ctx().content_rect().height() - 24.0;
        let before = commands.len();
        let mut drawing = MenuDrawing::new(model, commands, self.chosen);
        let popup = Popup::new(Id::unique("menu"), ui.ctx().clone(), self.at, LayerId::background())
            .kind(PopupKind::Menu)
            .layout(Layout::top_down_justified(Align::Min))
            .gap(0.0)
            .frame(plate())
            .style(style)
            .open_bool(&mut stays)
            .show(|ui| {
                ui.set_width(WIDTH);
                drawing.left = self.before_drawing(ui);
                theme::scrolled(ui, room, |ui| match self.kind {
                    MenuKind::Everything => drawing.everything(ui, self.at),
                    MenuKind::Recent => drawing.recent(ui, usize::MAX),
                    MenuKind::Presets => drawing.presets(ui),
                });
                self.after_drawing(ui, &drawing.opened);
            });
        let MenuDrawing { commands, lines, mut places, chosen, .. } = drawing;
        self.chosen = chosen;
        places.extend(popup.map(|popup| popup.response.rect));
        // A choice by key does not close the popup as a click does, so check for new commands.
        let is_undecided = commands.len() == before;
        for letter in self.typed.drain(..) {
            let focused = ui.memory(egui::Memory::focused);
            if let Some(id) = next_beginning_with(letter, &lines, focused) {
                ui.memory_mut(|memory| memory.request_focus(id));
                ui.request_repaint();
            }
        }
        self.places = places;
        stays && is_undecided
    }

    /// Closes the submenu that is to be left, before the lines are drawn. Returns the line whose submenu was closed by
    /// key and stays closed.
    fn before_drawing(&mut self, ui: &Ui) -> Option<Id> {
        let (moves, is_pressed, enters) = ui.input(|input| {
            let is_key = |event: &egui::Event| matches!(event, egui::Event::Key { pressed: true, .. });
            let enters = [Key::ArrowRight, Key::Enter, Key::Space].into_iter().any(|key| input.key_pressed(key));
            (input.pointer.delta() != Vec2::ZERO, input.events.iter().any(is_key), enters)
        });
        self.by_keys = (self.by_keys || is_pressed) && !moves;
        match self.submenu {
            Submenu::Leaving(line) => {
                MenuState::from_ui(ui, |state, _| state.open_item = None);
                // The arrow keys continue from this line.
                ui.memory_mut(|memory| memory.request_focus(line));
                self.submenu = Submenu::Left(line);
            }
            Submenu::Left(line) => {
                let leads_there = ui.memory(|memory| memory.has_focus(line)) && (enters || self.chosen != Some(line));
                if moves || leads_there {
                    self.submenu = Submenu::Nothing;
                }
            }
            Submenu::Nothing | Submenu::Open(_) => {}
        }
        if let Submenu::Left(line) = self.submenu { Some(line) } else { None }
    }

    /// Notes which of these lines has its submenu open, and keeps that one open while the pointer crosses others.
    fn after_drawing(&mut self, ui: &Ui, opened: &[Id]) {
        let beside = |line: Id| SubMenu::id_from_widget_id(line);
        let now = MenuState::from_ui(ui, |state, _| state.open_item);
        if let Submenu::Open(line) = self.submenu
            && now != Some(beside(line))
            && opened.contains(&line)
            && self.is_crossed(ui)
        {
            MenuState::from_ui(ui, |state, _| state.open_item = Some(beside(line)));
            ui.ctx().request_repaint_after(GRACE);
            return;
        }
        match opened.iter().find(|&&line| now == Some(beside(line))) {
            Some(&line) => self.submenu = Submenu::Open(line),
            None if matches!(self.submenu, Submenu::Open(_)) => self.submenu = Submenu::Nothing,
            None => {}
        }
    }

    /// Returns `true` if the pointer has moved recently and may be on its way to the submenu.
    fn is_crossed(&self, ui: &Ui) -> bool {
        let moved = ui.input(|input| {
            let pointer = &input.pointer;
            !pointer.any_click() && pointer.time_since_last_movement() < GRACE.as_secs_f32()
        });
        moved && !self.by_keys
    }
}

/// Returns the line that a letter moves to: the next match below the chosen line, wrapping around to the top.
fn next_beginning_with(letter: char, lines: &[DrawnMenuLine], chosen: Option<Id>) -> Option<Id> {
    let chosen = lines.iter().position(|line| Some(line.id) == chosen);
    let layer = lines.get(chosen.unwrap_or(0))?.layer;
    let after = chosen.map_or(0, |chosen| chosen + 1);
    let mut from_here = lines[after..].iter().chain(&lines[..after]);
    from_here.find(|line| line.layer == layer && line.begins == Some(letter)).map(|line| line.id)
}

/// Returns the background of a menu. It is opaque, since it covers the picture only briefly.
fn plate() -> egui::Frame {
    theme::framed(6, 6).fill(theme::SOLID)
}

impl MenuDrawing<'_, '_> {
    /// Adds the lines of the menu opened at a point. Copying takes the values at that point, and probes
    /// are pinned there.
    fn everything(&mut self, ui: &mut Ui, at: Pos2) {
        ui.spacing_mut().item_spacing.y = 0.0;
        let has_video = self.model.file.name.is_some();
        let needs_none = |action| matches!(action, Action::OpenFile | Action::ToggleFullscreen | Action::ToggleHelp);
        let has_region = self.model.region.is_some_and(|region| !region.is_proposed);
        let has_probes = !self.model.look.probes.is_empty();
        let mut ruled = true;
        for &entry in MENU {
            match entry {
                MenuLine::Rule if ruled => {}
                MenuLine::Rule => {
                    ui.add(egui::Separator::default().spacing(7.0));
                    ruled = true;
                    continue;
                }
                MenuLine::Does(Action::Continue) if self.model.file.left_at.is_none() => continue,
                MenuLine::Does(Action::ClearRegion) if !has_region => continue,
                MenuLine::Does(action) if action == Setting::Probes.switch() && !has_probes => continue,
                MenuLine::Does(action) if !has_video && !needs_none(action) => continue,
                MenuLine::Clip
                | MenuLine::Channels
                | MenuLine::Scopes
                | MenuLine::Values(..)
                | MenuLine::Comparison
                | MenuLine::Guides
                | MenuLine::Luts
                    if !has_video =>
                {
                    continue;
                }
                MenuLine::Tracks if self.model.file.track.is_none() => continue,
                MenuLine::Recent if self.model.file.recent.is_empty() => continue,
                MenuLine::Does(action) => {
                    let command = match action {
                        Action::CopyValues => Command::CopyAt(at),
                        Action::PinProbe => Command::PinAt(at),
                        action => Command::Do(action),
                    };
                    self.command_line(ui, action, command);
                }
                MenuLine::Channels => self.further(ui, "Channels", |menu, ui| {
                    let count = menu.model.scopes.components.channel_names().len();
                    for channel in &Setting::CHANNELS[..count] {
                        menu.action_line(ui, channel.switch());
                    }
                    if menu.model.scopes.components == Components::Rgbl {
                        menu.action_line(ui, Setting::Linear.switch()).on_hover_text(meanings::LINEAR);
                    }
                }),
                MenuLine::Clip => self.further(ui, "Timeline", Self::clip),
                MenuLine::Scopes => self.further(ui, "Scopes", Self::scopes),
                MenuLine::Values(words, setting) => self.further(ui, words, |menu, ui| menu.values(ui, setting)),
                MenuLine::Tracks => self.further(ui, "Video tracks", Self::tracks),
                MenuLine::Sound => self.further(ui, "Audio", Self::sound),
                MenuLine::Presets => self.further(ui, "Presets", Self::presets),
                MenuLine::Guides => self.further(ui, "Guides", Self::guides),
                MenuLine::Luts => self.further(ui, "LUT and camera log", Self::luts),
                MenuLine::Comparison => self.further(ui, "Compare", Self::comparison),
                MenuLine::Recent => self.further(ui, "Recent files", |menu, ui| menu.recent(ui, usize::MAX)),
            }
            ruled = false;
        }
    }

    /// Returns the name of a recent file, with its folder if the open file or another recent one has the same name.
    fn distinct_name(&self, file: &RecentFile) -> String {
        let name = file.name();
        let FileView { recent, name: open, .. } = self.model.file;
        let is_shared = open == Some(&name) || recent.iter().filter(|other| other.name() == name).count() > 1;
        match file.path.parent().filter(|folder| is_shared && !folder.as_os_str().is_empty()) {
            Some(folder) => format!("{}/{name}", file_name(folder)),
            None => name,
        }
    }

    /// Adds at most `most` recent files, each with the position at which it was left.
    fn recent(&mut self, ui: &mut Ui, most: usize) {
        ui.spacing_mut().item_spacing.y = 0.0;
        for (index, file) in self.model.file.recent.iter().take(most).enumerate() {
            let place = file.left_at_secs.map_or_else(String::new, place_text);
            let width = |text: &str, font| ui.painter().layout_no_wrap(text.to_owned(), font, theme::LIGHT).size().x;
            let room = ui.available_width() - width(&place, theme::mono(theme::SMALL)) - BESIDE;
            let name = shortened(&self.distinct_name(file), |name| width(name, theme::words(theme::TEXT)) <= room);
            // Two files may have the same name.
            let response = ui.push_id(index, |ui| self.line(ui, &name, &place, true)).inner;
            if response.clicked() {
                self.commands.push(Command::OpenRecent(index));
            }
            let place = file.left_at_secs.map_or_else(String::new, |_| format!("\nwas left at {place}"));
            response.on_hover_text(format!("{}{place}", shown(&file.path)));
        }
    }
}

/// Lists at most `most` recent files in a window without a video.
pub fn recent(ui: &mut Ui, model: &Model<'_>, most: usize, commands: &mut Vec<Command>) {
    MenuDrawing::new(model, commands, None).recent(ui, most);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_moves_to_the_next_line_that_begins_with_it_in_the_same_menu() {
        let layers = [LayerId::background(), LayerId::debug()];
        let ids: Vec<Id> = (0..5).map(|number| Id::unique(("line", number))).collect();
        let of = |line: usize, layer: usize, begins| DrawnMenuLine {
            id: ids[line],
            layer: layers[layer],
            begins: Some(begins),
        };
        let lines = [of(0, 0, 'o'), of(1, 0, 'c'), of(2, 1, 's'), of(3, 0, 's'), of(4, 0, 'c')];
        let next = |letter, chosen: Option<usize>| {
            let found = next_beginning_with(letter, &lines, chosen.map(|line| ids[line]));
            found.and_then(|id| ids.iter().position(|other| *other == id))
        };
        assert_eq!([next('c', None), next('c', Some(1)), next('c', Some(4))], [Some(1), Some(4), Some(1)]);
        assert_eq!([next('s', Some(0)), next('s', Some(2)), next('o', Some(0))], [Some(3), Some(2), Some(0)]);
        assert_eq!([next('x', None), next('c', Some(2))], [None; 2], "the menu beside has no such line");
    }
}
