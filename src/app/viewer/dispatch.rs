//! Executes the commands of keys, buttons and the menu.

use std::time::Instant;

use super::{Flow, Viewer};
use crate::app::options::AppError;
use histoscope_core::adjust::Parameter;
use histoscope_hud::{Command, Note, OpenPanels, left_for_others};
use histoscope_keys::look;
use histoscope_keys::{self as keys, Action};
use histoscope_render::view::overlay::Channels;
use histoscope_render::view::panel;

/// Returns the note shown for a key of the lab while the lab is closed.
fn lab_is_closed() -> String {
    "the lab is closed: Shift+L opens it".to_owned()
}

/// Returns the label of the key that quits.
fn quit_key() -> String {
    keys::label_of(Action::Quit).unwrap_or_default()
}

impl Viewer {
    /// Undoes or redoes a choice, and shows a note on it.
    fn step_back(&mut self, forward: bool, now: Instant) -> Result<(), AppError> {
        let text = match self.undo.step(forward) {
            Ok((chosen, text)) => {
                self.work.choose(&chosen, now)?;
                self.undo.adopt(self.work.chosen());
                text
            }
            Err(nothing) => nothing.to_owned(),
        };
        self.work.note(Note::done(text), now);
        Ok(())
    }

    /// Executes a command of the heads-up display.
    pub(super) fn handle_command(&mut self, command: Command) -> Result<Flow, AppError> {
        let now = self.work.now();
        match command {
            Command::Do(action) => return self.act(action, false),
            Command::ScrubTo(secs) => {
                if let Some(session) = &mut self.work.session {
                    session.scrub_to(secs, now);
                }
            }
            Command::Settle => self.work.settle(),
            Command::Preview(secs) => {
                // It is requested with every redraw while the pointer rests there.
                self.work.strip.ask_for_preview(secs);
                if self.work.strip.has_other_preview() {
                    self.work.redraw();
                }
                return Ok(Flow::Continue);
            }
            Command::Choose(kind, choices) => {
                self.work.adjuster.choose(kind, choices, &mut self.work.scene.look.adjustments);
                self.work.settings.changed(now);
            }
            Command::Show(look) => {
                let changed = look::changes(&self.work.scene.look, &look, self.work.bins.components);
                log::debug!("shown: {}", changed.join(", "));
                self.work.scene.look = *look;
                self.work.settings.changed(now);
            }
            Command::LookFor(sought) => self.work.look_for(sought, now),
            Command::BrushOnly(channel) => self.brush_only(channel),
            Command::CopyAt(at) => self.work.copy_values(Some(self.work.geometry().on_view(at)), now),
            Command::PinAt(at) => self.work.pin_at(Some(self.work.geometry().on_view(at)), now),
            Command::GoTo(goal) => self.work.go_to(goal, now),
            Command::Type(asked) => self.work.hud.open_entry(asked),
            Command::SavePreset(name) => self.work.save_preset(&name, now),
            Command::ChoosePreset(name) => self.work.choose_preset(&name, now),
            Command::OwnMask(aspect) => self.work.show_own_mask(aspect, now),
            Command::Lab(command) => self.lab.choose(command, now),
            Command::Findings(command) => self.work.use_findings(command, now),
            Command::CompareWithClip(index) => {
                let text = self.work.comparison.take_clip(index);
                self.work.note(Note::done(text), now);
                self.work.redraw();
            }
            Command::CompareWith(place) => {
                let outcome = self.work.comparison.choose(place);
                self.work.on_outcome(outcome, now)?;
            }
            Command::Release => {
                let outcome = self.work.comparison.release();
                self.work.on_outcome(outcome, now)?;
            }
            Command::Track(number) => {
                let arrival = self.work.session.as_ref().map(|session| self.inputs.read_track(number, session));
                if let Some(arrival) = arrival {
                    self.receive(arrival, now);
                }
            }
            Command::SoundTrack(number) => {
                let text = self.work.sound.choose_track(number);
                self.work.note(Note::done(text), now);
            }
            Command::OpenRecent(index) => {
                let others = self.work.recent_files();
                let Some(path) = others.get(index).map(|file| file.path.clone()) else { return Ok(Flow::Continue) };
                for arrival in self.inputs.choose(path, self.work.session.as_ref()) {
                    self.receive(arrival, now);
                }
            }
        }
        self.work.redraw();
        Ok(Flow::Continue)
    }

    /// Restricts brushes, including the current one, to this channel. If they were already restricted to it, restores
    /// all channels of the histogram.
    fn brush_only(&mut self, channel: usize) {
        self.brush.click(channel);
        let geometry = self.work.geometry();
        let shown =
            panel::panels(geometry.scene, geometry.components, geometry.size).find(|(_, _, c)| c.contains(channel));
        if let (Some(brush), Some((_, _, shown))) = (&mut self.work.scene.brushes.histogram, shown)
            && !brush.channels.intersection(shown).is_empty()
        {
            brush.channels = self.brush.clicked().map_or(shown, Channels::one);
        }
    }

    /// Executes the action of a key. `held` is `true` if the key is repeating.
    pub(super) fn act(&mut self, action: Action, held: bool) -> Result<Flow, AppError> {
        let now = self.work.now();
        log::debug!("key: {action:?}");
        if action == Action::Back && self.work.hud.leave_menu() {
            self.work.redraw();
            return Ok(Flow::Continue);
        }
        // An action triggered by a key while the menu is open closes the menu.
        let had_menu = self.work.hud.close_menu();
        if action == Action::ToggleComponents {
            self.brush.change_channels();
        }
        match action {
            Action::Quit => return Ok(self.quit(now)),
            Action::Back => self.go_back(now)?,
            Action::ToggleHelp => self.work.hud.panels.help = !self.work.hud.panels.help,
            Action::TogglePinned if self.work.comparison.clip_count() > 1 => {
                let text = self.work.comparison.take_next_clip();
                self.work.note(Note::done(text), now);
                self.work.redraw();
            }
            Action::TogglePinned => {
                let text = if self.work.hud.toggle_pinned(now) { "controls stay" } else { "controls fade" };
                self.work.settings.changed(now);
                self.work.note(Note::done(text), now);
            }
            Action::NextReadout => {
                let readout = self.work.hud.readout.next();
                self.work.hud.readout = readout;
                self.work.settings.changed(now);
                self.work.hud.wake(now);
                self.work.note(Note::done(readout.text()), now);
            }
            Action::ToggleFullscreen => {
                let is_full = self.work.graphics.screen.is_full();
                self.set_full(!is_full, now);
            }
            Action::Undo => self.step_back(false, now)?,
            Action::Redo => self.step_back(true, now)?,
            Action::OpenFile => {
                if let Some(note) = self.inputs.ask(self.work.window()) {
                    self.work.note(note, now);
                }
            }
            Action::OpenRecent if self.work.recent_files().is_empty() => {
                self.work.note(Note::done("no other recent files"), now);
            }
            Action::OpenRecent => {
                let at = self.pointer.at.map(|at| self.work.geometry().in_points(at));
                self.work.hud.open_recent(at);
            }
            Action::OpenMenu if had_menu => {}
            Action::OpenMenu => {
                let at = self.pointer.at.map(|at| self.work.geometry().in_points(at));
                self.work.hud.open_menu(at);
            }
            Action::OpenPresets => {
                let at = self.pointer.at.map(|at| self.work.geometry().in_points(at));
                self.work.presets.refresh();
                self.work.hud.open_presets(at);
            }
            Action::OtherFile { forward } => {
                let arrival = self.inputs.step(forward, self.work.session.as_ref());
                self.receive(arrival, now);
            }
            action if self.work.session.is_none() => {
                log::debug!("{action:?} needs a video");
                self.work.note(Note::done("nothing is open yet: Ctrl+O opens a file"), now);
            }
            Action::ToggleLab => self.lab.toggle(now),
            Action::StepLab { forward } => {
                let text = self.lab.step(forward, now);
                self.work.note(Note::done(text.unwrap_or_else(lab_is_closed)), now);
            }
            Action::EnlargeLab => {
                let text = self.lab.enlarge();
                self.work.note(Note::done(text.unwrap_or_else(lab_is_closed)), now);
            }
            Action::PauseLab => {
                let text = self.lab.pause_steps(now);
                self.work.note(Note::done(text.unwrap_or_else(lab_is_closed)), now);
            }
            Action::StepLabDiagram { forward } => {
                let text = self.lab.step_diagram(forward, now);
                self.work.note(Note::done(text.unwrap_or_else(lab_is_closed)), now);
            }
            Action::StepLabTopic { forward } => {
                let text = self.lab.step_topic(forward, now);
                self.work.note(Note::done(text.unwrap_or_else(lab_is_closed)), now);
            }
            Action::Parameter { parameter, more } if self.lab.is_open() => {
                if let Some(text) = self.lab.change(parameter == Parameter::Main, more, now) {
                    self.work.note(Note::done(text), now);
                }
            }
            Action::CopyValues | Action::PinProbe => {
                let at = self.pointer.at.filter(|&at| !self.work.hud.covers(self.work.geometry().in_points(at)));
                if action == Action::PinProbe {
                    self.work.pin_at(at, now);
                } else {
                    self.work.copy_values(at, now);
                }
            }
            Action::TogglePanel(_)
                if left_for_others(self.work.geometry().width_in_points(), self.lab.is_open()) <= 0.0 =>
            {
                self.work.note(Note::done("the lab leaves no room for other panels here: Shift+L closes it"), now);
            }
            action => self.work.act_on_video(action, held, now)?,
        }
        self.work.redraw();
        self.work.follow_title(now, true);
        Ok(Flow::Continue)
    }

    /// Quits, or asks first if live input would be lost.
    fn quit(&mut self, now: Instant) -> Flow {
        let kept_secs = self.work.session.as_ref().map_or(0.0, |session| session.kept_secs(now));
        let Some(question) = self.quit.ask(&quit_key(), kept_secs, now) else { return Flow::Quit };
        self.work.note(Note::done(question), now);
        Flow::Continue
    }

    /// Handles Esc, which leaves one thing at a time and never quits: full screen; the text field and the help; a
    /// compared picture, for the video; a proposed region, or the brushes; all panels; the lab; the region; the
    /// exposure aids.
    fn go_back(&mut self, now: Instant) -> Result<(), AppError> {
        if self.work.graphics.screen.is_full() {
            self.set_full(false, now);
        } else if self.work.hud.close_something() {
            // Nothing more to do.
        } else if let Some(outcome) = self.work.comparison.show_video() {
            self.work.on_outcome(outcome, now)?;
        } else if self.work.clear_selection(now)? {
            // Nothing more to do.
        } else if self.work.hud.panels.any() {
            let timed = self.work.hud.panels.timing;
            self.work.hud.panels = OpenPanels::default();
            if timed {
                self.work.time_passes(false)?;
            }
        } else if !(self.lab.close() || self.work.drop_region(now)? || self.work.clear_exposure(now)) {
            self.work.note(Note::done(format!("nothing left to close: {} quits", quit_key())), now);
        }
        Ok(())
    }

    /// Enters or leaves full screen, and shows a note on it.
    pub(super) fn set_full(&mut self, full: bool, now: Instant) {
        self.work.graphics.screen.set_full(full);
        self.work.note(Note::done(if full { "full screen: Esc leaves it" } else { "full screen off" }), now);
    }
}
