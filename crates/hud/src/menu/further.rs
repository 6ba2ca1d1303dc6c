//! The submenus: scopes, the strip behind the timeline, video tracks, and the comparison.

use egui::Ui;

use super::drawing::{BESIDE, MenuDrawing};
use super::words::shortened;
use crate::entry::EntryKind;
use crate::model::Command;
use crate::theme;
use histoscope_core::adjust::{Adjustment, CameraLog, Choices};
use histoscope_core::strip::FindingFilter;
use histoscope_keys::{Action, Panel, Setting};
use histoscope_render::view::scene::Sharing;

impl MenuDrawing<'_, '_> {
    /// Adds the scopes, and the appearance of those other than the histograms.
    pub(super) fn scopes(&mut self, ui: &mut Ui) {
        use Setting::{AllScopes, Histograms, Parade, SkinTone, Split, Vectorscope, Waveform, White};
        for setting in [Histograms, Waveform, Parade, Vectorscope, AllScopes, Split] {
            self.action_line(ui, setting.switch());
        }
        for setting in [Setting::Unit, Setting::Diagram, Setting::Zoom] {
            ui.add(egui::Separator::default().spacing(7.0));
            self.values(ui, setting);
        }
        self.action_line(ui, White.switch());
        self.action_line(ui, SkinTone.switch());
    }

    /// Adds the strip behind the timeline, and the cuts and findings to go to.
    pub(super) fn clip(&mut self, ui: &mut Ui) {
        for action in [
            Action::TogglePanel(Panel::Checks),
            Action::NextStrip,
            Action::ToCut { forward: true },
            Action::ToCut { forward: false },
        ] {
            self.action_line(ui, action);
        }
        ui.add(egui::Separator::default().spacing(7.0));
        self.values(ui, Setting::StripLine);
        ui.add(egui::Separator::default().spacing(7.0));
        for action in [Action::ToFinding { forward: true }, Action::ToFinding { forward: false }] {
            self.action_line(ui, action);
        }
        for sought in FindingFilter::ALL {
            let now = if self.model.file.sought == sought { "now" } else { "" };
            if self.line(ui, &format!("Look for {}", sought.name()), now, true).clicked() {
                self.commands.push(Command::LookFor(sought));
            }
        }
    }

    /// Adds the video tracks of the file.
    pub(super) fn tracks(&mut self, ui: &mut Ui) {
        for (number, track) in (1..).zip(self.model.file.tracks) {
            let now = if self.model.file.track == Some(number) { "now" } else { "" };
            if self.line(ui, &format!("{number}: {track}"), now, true).clicked() {
                self.commands.push(Command::Track(number));
            }
        }
    }

    /// Adds the meters, the volume and the sound tracks of the file.
    pub(super) fn sound(&mut self, ui: &mut Ui) {
        for action in [
            Action::TogglePanel(Panel::Sound),
            Action::ResetMeters,
            Action::ToggleMute,
            Action::ChangeVolume { louder: true },
            Action::ChangeVolume { louder: false },
        ] {
            self.action_line(ui, action);
        }
        ui.add(egui::Separator::default().spacing(7.0));
        let sound = self.model.file.sound;
        for (number, track) in (1..).zip(sound.tracks) {
            let now = if sound.track == Some(number) { "now" } else { "" };
            if self.line(ui, &format!("{number}: {track}"), now, true).clicked() {
                self.commands.push(Command::SoundTrack(number));
            }
        }
        if sound.tracks.is_empty() {
            self.line(ui, "The video has no sound", "", false);
        }
    }

    /// Adds the guides: safe areas, captions, cross and masks.
    pub(super) fn guides(&mut self, ui: &mut Ui) {
        for setting in [Setting::Guides, Setting::SafeAreas, Setting::Caption, Setting::Cross] {
            self.action_line(ui, setting.switch());
        }
        ui.add(egui::Separator::default().spacing(7.0));
        self.values(ui, Setting::Mask);
        if self.line(ui, "Another aspect …", "", true).clicked() {
            self.commands.push(Command::Type(EntryKind::Aspect));
        }
    }

    /// Adds the presets, and a line that saves another.
    pub(super) fn presets(&mut self, ui: &mut Ui) {
        ui.spacing_mut().item_spacing.y = 0.0;
        if self.line(ui, "Save layout and settings as …", "", true).clicked() {
            self.commands.push(Command::Type(EntryKind::Preset));
        }
        ui.add(egui::Separator::default().spacing(7.0));
        if self.model.presets.is_empty() {
            self.line(ui, "No presets yet", "", false);
        }
        for name in self.model.presets {
            if self.line(ui, name, "", true).clicked() {
                self.commands.push(Command::ChoosePreset(name.clone()));
            }
        }
    }

    /// Adds the lookup table, and the camera logs to choose from.
    pub(super) fn luts(&mut self, ui: &mut Ui) {
        self.action_line(ui, Action::ToggleAdjustment(Adjustment::Lut));
        self.action_line(ui, Action::ToggleAdjustment(Adjustment::CameraLog));
        ui.add(egui::Separator::default().spacing(7.0));
        let on = self.model.look.adjustments.lut.and_then(|lut| lut.camera());
        for camera_log in CameraLog::ALL {
            let now = if on == Some(camera_log) { "now" } else { "" };
            if self.line(ui, camera_log.name(), now, true).clicked() {
                let choices = Choices { camera_log, ..self.model.adjusting.choices };
                self.commands.push(Command::Choose(Adjustment::CameraLog, choices));
            }
        }
    }

    /// Adds the comparison: holding frames, showing both pictures, and the list of held frames.
    pub(super) fn comparison(&mut self, ui: &mut Ui) {
        self.action_line(ui, Action::HoldFrame);
        self.action_line(ui, Action::FlipHeld);
        self.action_line(ui, Setting::Sharing.switch());
        self.action_line(ui, Setting::Sharing.next());
        if self.model.look.sharing == Sharing::Difference {
            for more in [false, true] {
                let action = Setting::Gain.step(more);
                self.action_line(ui, action);
            }
        }
        if !self.model.comparison.clips.is_empty() {
            for frames in [-1, 1] {
                let action = Action::ShiftSecond { frames };
                self.action_line(ui, action);
            }
            self.action_line(ui, Action::MatchSecond);
            self.action_line(ui, Action::HearSecond);
        }
        let compared = self.model.comparison;
        if compared.clips.len() > 1 {
            ui.add(egui::Separator::default().spacing(7.0));
            for (place, (name, is_now)) in compared.clips.iter().enumerate() {
                if self.name_line(ui, place, name, *is_now) {
                    self.commands.push(Command::CompareWithClip(place));
                }
            }
        }
        if compared.names.is_empty() {
            return;
        }
        if self.line(ui, "Release the held frame", "", true).clicked() {
            self.commands.push(Command::Release);
        }
        ui.add(egui::Separator::default().spacing(7.0));
        for (place, name) in compared.names.iter().enumerate() {
            if self.name_line(ui, place, name, place == compared.place) {
                self.commands.push(Command::CompareWith(place));
            }
        }
    }

    /// Adds a line with a name, shortened to the menu's width. Returns `true` if it is clicked.
    fn name_line(&mut self, ui: &mut Ui, place: usize, name: &str, is_now: bool) -> bool {
        let width =
            |text: &str| ui.painter().layout_no_wrap(text.to_owned(), theme::words(theme::TEXT), theme::LIGHT).size().x;
        let name = shortened(name, |name| width(name) <= ui.available_width() - 2.0 * BESIDE);
        ui.push_id((place, name.as_str()), |ui| self.line(ui, &name, if is_now { "now" } else { "" }, true))
            .inner
            .clicked()
    }
}
