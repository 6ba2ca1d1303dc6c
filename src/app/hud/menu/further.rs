//! The menus that open beside the menu: scopes, the clip behind the timeline, held frames.

use egui::Ui;

use super::drawing::{BESIDE, MenuDrawing};
use super::words::shortened;
use crate::app::hud::model::Command;
use crate::app::hud::theme;
use crate::keys::Action;
use histoscope_core::scopes::graticule::Unit;
use histoscope_core::strip::Sought;
use histoscope_render::view::scene::Sharing;
use histoscope_render::view::scopes::ScopeStyle;

impl MenuDrawing<'_, '_> {
    /// The scopes, and how those beside the histograms look.
    pub(super) fn scopes(&mut self, ui: &mut Ui) {
        use Action::{ToggleOverlays, ToggleParade, ToggleScopes, ToggleVectorscope, ToggleWall, ToggleWaveform};
        for action in [ToggleOverlays, ToggleWaveform, ToggleParade, ToggleVectorscope, ToggleScopes, ToggleWall] {
            self.does(ui, action, Command::Do(action));
        }
        let style = self.model.beside.style;
        ui.add(egui::Separator::default().spacing(7.0));
        for unit in Unit::ALL {
            let words = format!("Levels in {}", unit.name());
            self.shows(ui, &words, style.unit == unit, ScopeStyle { unit, ..style });
        }
        ui.add(egui::Separator::default().spacing(7.0));
        for zoom in ScopeStyle::ZOOMS {
            let words =
                if zoom == 1 { "All of the vectorscope".to_owned() } else { format!("Its middle, {zoom} times") };
            self.shows(ui, &words, style.zoom == zoom, ScopeStyle { zoom, ..style });
        }
        self.shows(ui, "Vectorscope in white", style.white, ScopeStyle { white: !style.white, ..style });
        self.shows(ui, "Line for the tone of skin", style.skin, ScopeStyle { skin: !style.skin, ..style });
    }

    /// The clip behind the timeline, and what there is to go to.
    pub(super) fn clip(&mut self, ui: &mut Ui) {
        for action in [Action::NextStrip, Action::ToCut { forward: true }, Action::ToCut { forward: false }] {
            self.does(ui, action, Command::Do(action));
        }
        ui.add(egui::Separator::default().spacing(7.0));
        for action in [Action::ToFinding { forward: true }, Action::ToFinding { forward: false }] {
            self.does(ui, action, Command::Do(action));
        }
        for sought in Sought::ALL {
            let now = if self.model.file.sought == sought { "now" } else { "" };
            if self.line(ui, &format!("Look for {}", sought.name()), now, true).clicked() {
                self.commands.push(Command::LookFor(sought));
            }
        }
    }

    /// The video tracks of the file.
    pub(super) fn tracks(&mut self, ui: &mut Ui) {
        for (number, track) in (1..).zip(self.model.file.tracks) {
            let now = if self.model.file.track == Some(number) { "now" } else { "" };
            if self.line(ui, &format!("{number}: {track}"), now, true).clicked() {
                self.commands.push(Command::Track(number));
            }
        }
    }

    /// The frames that are held, and what is done with them.
    pub(super) fn held(&mut self, ui: &mut Ui) {
        self.does(ui, Action::HoldFrame, Command::Do(Action::HoldFrame));
        self.does(ui, Action::FlipHeld, Command::Do(Action::FlipHeld));
        self.does(ui, Action::ToggleDivider, Command::Do(Action::ToggleDivider));
        self.does(ui, Action::NextSharing, Command::Do(Action::NextSharing));
        if self.model.adjusting.sharing == Sharing::Difference {
            for more in [false, true] {
                let action = Action::StepGain { more };
                self.does(ui, action, Command::Do(action));
            }
        }
        if self.model.held.has_second {
            for frames in [-1, 1] {
                let action = Action::ShiftSecond { frames };
                self.does(ui, action, Command::Do(action));
            }
            self.does(ui, Action::MatchSecond, Command::Do(Action::MatchSecond));
        }
        let held = self.model.held;
        if held.names.is_empty() {
            return;
        }
        if self.line(ui, "Let go of it", "", true).clicked() {
            self.commands.push(Command::LetGo);
        }
        ui.add(egui::Separator::default().spacing(7.0));
        for (place, name) in held.names.iter().enumerate() {
            let width = |text: &str| {
                ui.painter().layout_no_wrap(text.to_owned(), theme::words(theme::TEXT), theme::LIGHT).size().x
            };
            let name = shortened(name, |name| width(name) <= ui.available_width() - 2.0 * BESIDE);
            let now = if place == held.place { "now" } else { "" };
            if ui.push_id(place, |ui| self.line(ui, &name, now, true)).inner.clicked() {
                self.commands.push(Command::CompareWith(place));
            }
        }
    }

    /// A line for another look of the scopes.
    fn shows(&mut self, ui: &mut Ui, words: &str, is_now: bool, style: ScopeStyle) {
        if self.line(ui, words, if is_now { "now" } else { "" }, true).clicked() {
            self.commands.push(Command::Scopes(style));
        }
    }
}
