//! The menu at the pointer, and the list of recent files.

use egui::containers::menu::{SubMenuButton, menu_style};
use egui::{Align, Button, Layout, Popup, PopupKind, Pos2, Response, RichText, Ui, vec2};

use super::model::{Command, Model};
use super::theme;
use crate::app::recent::place_text;
use crate::histogram::Components;
use crate::keys::{self, Action, MENU, MenuLine};

/// Width of a line, in points.
const WIDTH: f32 = 250.0;
/// Height of a line.
const LINE: f32 = 20.0;
/// The longest name of a file that is written out.
const MOST_LETTERS: usize = 44;

/// A menu that is open, and where.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Menu {
    /// What one does most.
    Everything(Pos2),
    /// The recent files alone.
    Recent(Pos2),
}

impl Menu {
    /// Shows it; whether it stays open.
    pub fn show(self, ui: &Ui, model: &Model<'_>, commands: &mut Vec<Command>) -> bool {
        let (Self::Everything(at) | Self::Recent(at)) = self;
        let mut stays = true;
        let room = ui.ctx().content_rect().height() - 24.0;
        let background = egui::LayerId::background();
        Popup::new(egui::Id::unique("menu"), ui.ctx().clone(), at, background)
            .kind(PopupKind::Menu)
            .layout(Layout::top_down_justified(Align::Min))
            .gap(0.0)
            .frame(plate())
            .style(menu_style)
            .open_bool(&mut stays)
            .show(|ui| {
                ui.set_width(WIDTH);
                theme::scrolled(ui, room, |ui| match self {
                    Self::Everything(at) => everything(ui, at, model, commands),
                    Self::Recent(_) => recent(ui, model, usize::MAX, commands),
                });
            });
        stays
    }
}

/// What a menu lies on: nothing shines through, since it covers what is below it for a moment only.
fn plate() -> egui::Frame {
    theme::framed(6, 6).fill(theme::SOLID)
}

/// The menu that was opened at a point: what is there is copied.
fn everything(ui: &mut Ui, at: Pos2, model: &Model<'_>, commands: &mut Vec<Command>) {
    ui.spacing_mut().item_spacing.y = 0.0;
    let has_video = model.file.name.is_some();
    let needs_none = |action| matches!(action, Action::OpenFile | Action::ToggleFullscreen | Action::ToggleHelp);
    let mut ruled = true;
    for &entry in MENU {
        match entry {
            MenuLine::Rule if ruled => {}
            MenuLine::Rule => {
                ui.add(egui::Separator::default().spacing(7.0));
                ruled = true;
                continue;
            }
            MenuLine::Does(Action::Continue) if model.file.left_at.is_none() => continue,
            MenuLine::Does(action) if !has_video && !needs_none(action) => continue,
            MenuLine::Channels if !has_video => continue,
            MenuLine::Recent if model.file.recent.is_empty() => continue,
            MenuLine::Does(action) => {
                let command = if action == Action::CopyValues { Command::CopyAt(at) } else { Command::Do(action) };
                does(ui, action, command, model, commands);
            }
            MenuLine::Channels => {
                further(ui, "Channels", |ui| {
                    for channel in 0..model.scopes.components.channel_names().len() {
                        let action = Action::ToggleChannel(channel);
                        does(ui, action, Command::Do(action), model, commands);
                    }
                });
            }
            MenuLine::Recent => further(ui, "Recent files", |ui| recent(ui, model, usize::MAX, commands)),
        }
        ruled = false;
    }
}

/// A line for what a key does.
fn does(ui: &mut Ui, action: Action, command: Command, model: &Model<'_>, commands: &mut Vec<Command>) {
    let key = keys::label_of(action).unwrap_or_default();
    if line(ui, &words(action, model), &key).clicked() {
        commands.push(command);
    }
}

/// What a line says: what would come of it now.
fn words(action: Action, model: &Model<'_>) -> String {
    let show_or_hide = |is_shown: bool, what: &str| format!("{} {what}", if is_shown { "Hide" } else { "Show" });
    match action {
        Action::OpenFile => "Open a file …".to_owned(),
        Action::Continue => format!("Continue at {}", place_text(model.file.left_at.unwrap_or(0.0))),
        Action::TogglePause if model.play.paused || model.play.ended => "Play".to_owned(),
        Action::TogglePause => "Pause".to_owned(),
        Action::ToggleFullscreen if model.picture.is_full => "Leave full screen".to_owned(),
        Action::ToggleFullscreen => "Full screen".to_owned(),
        Action::NextFit => format!("Fit the picture otherwise (now {})", model.picture.fit.name()),
        Action::ToggleChannel(channel) => {
            let name = model.scopes.components.channel_names().get(channel).copied().unwrap_or_default();
            show_or_hide(model.scopes.channels.contains(channel), name)
        }
        Action::ToggleOverlays => show_or_hide(!model.scopes.histograms.is_empty(), "histograms"),
        Action::ToggleComponents => match model.scopes.components {
            Components::Rgbl => "Count Y', Cb and Cr as coded".to_owned(),
            Components::YCbCr => "Count red, green, blue, luminance".to_owned(),
        },
        Action::ToggleNumbers => show_or_hide(model.tables.stats.is_some(), "the frame's numbers"),
        Action::ToggleLab => show_or_hide(model.lab.is_some(), "the lab of counting methods"),
        Action::Undo => "Undo".to_owned(),
        Action::Save => "Save a labelled picture".to_owned(),
        Action::CopyValues => "Copy the values".to_owned(),
        Action::CopyPicture => "Copy the picture".to_owned(),
        Action::ToggleHelp => "All keys".to_owned(),
        other => keys::help_of(other).to_owned(),
    }
}

/// A line with its key at the right.
fn line(ui: &mut Ui, words: &str, key: &str) -> Response {
    let text = RichText::new(words).font(theme::words(theme::TEXT)).color(theme::LIGHT);
    let key = RichText::new(key).font(theme::mono(theme::SMALL)).color(theme::DIM);
    let response = ui.add(Button::new(text).shortcut_text(key).min_size(vec2(0.0, LINE)));
    let at = response.rect.center() * ui.ctx().pixels_per_point();
    log::trace!("menu: {words} at {:.0},{:.0}", at.x, at.y);
    response
}

/// A line that opens a further menu beside it.
fn further(ui: &mut Ui, words: &str, contents: impl FnOnce(&mut Ui)) {
    let text = RichText::new(words).font(theme::words(theme::TEXT)).color(theme::LIGHT);
    let arrow = SubMenuButton::arrow_atom(Some(theme::DIM));
    let button = Button::new(text).right_text(arrow).min_size(vec2(0.0, LINE));
    let (response, _) = SubMenuButton::from_button(button).ui(ui, |ui| {
        ui.set_width(WIDTH);
        ui.spacing_mut().item_spacing.y = 0.0;
        let room = ui.ctx().content_rect().height() - 24.0;
        theme::scrolled(ui, room, contents);
    });
    let at = response.rect.center() * ui.ctx().pixels_per_point();
    log::trace!("menu: {words} at {:.0},{:.0}", at.x, at.y);
}

/// The recent files, so many at most, each with the place where it was left.
pub fn recent(ui: &mut Ui, model: &Model<'_>, most: usize, commands: &mut Vec<Command>) {
    ui.spacing_mut().item_spacing.y = 0.0;
    for (index, file) in model.file.recent.iter().take(most).enumerate() {
        let place = file.left_at_secs.map_or_else(String::new, place_text);
        let response = line(ui, &shortened(&file.name()), &place);
        if response.clicked() {
            commands.push(Command::OpenRecent(index));
        }
        let place = file.left_at_secs.map_or_else(String::new, |_| format!("\nwas left at {place}"));
        response.on_hover_text(format!("{}{place}", file.path.display()));
    }
}

/// A name without its middle where it is too long: its end tells as much as its beginning.
fn shortened(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= MOST_LETTERS {
        return name.to_owned();
    }
    let half = MOST_LETTERS / 2;
    let (begin, end) = (&letters[..half], &letters[letters.len() - half + 1..]);
    begin.iter().chain(&['…']).chain(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_keeps_both_its_ends() {
        let long = format!("begin{}end.mp4", "x".repeat(90));
        let short = shortened(&long);
        assert_eq!(short.chars().count(), MOST_LETTERS);
        assert!(short.starts_with("begin") && short.ends_with("end.mp4") && short.contains('…'), "{short}");
        assert_eq!(shortened("clip.mp4"), "clip.mp4");
    }
}
