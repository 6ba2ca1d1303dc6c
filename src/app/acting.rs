//! What keys and buttons do.

use std::time::Instant;

use winit::event::{ElementState, KeyEvent};
use winit::keyboard::{Key, ModifiersState, NamedKey};
use winit::window::Fullscreen;

use super::hud::{Command, Goal, Sheets, Tone, speed_text};
use super::keyboard;
use super::session::next_of;
use super::viewer::Viewer;
use super::{AppError, Flow};
use crate::histogram::Components;
use crate::keys::{Action, SpeedChange};
use crate::view::overlay::{Arrangement, OverlayStyle};
use crate::view::placement::{Fit, ViewSettings};

/// Step of the histograms' height, as part of the window's.
const HEIGHT_STEP: f32 = 0.05;
/// The most of the window's height that histograms take: the controls need the rest.
const MOST_HEIGHT: f32 = 0.7;
/// Step of the histograms' opacity.
const OPACITY_STEP: f32 = 0.1;

impl Viewer {
    /// Handles a key; what it says of going on.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails for good.
    pub fn on_key(&mut self, event: &KeyEvent, modifiers: ModifiersState) -> Result<Flow, AppError> {
        let is_pressed = event.state == ElementState::Pressed;
        if self.hud.has_entry() {
            // The field has it already; what it leads to is known once it is drawn.
            match &event.logical_key {
                Key::Named(NamedKey::Escape) if is_pressed => self.hud.close_entry(),
                // At once, so that the keys that follow are shortcuts again.
                Key::Named(NamedKey::Enter) if is_pressed => return self.draw(),
                _ => {}
            }
            self.window.request_redraw();
            return Ok(Flow::Continue);
        }
        match keyboard::action(event, modifiers) {
            Some(Action::SeekBy { .. }) if !is_pressed => self.settle(),
            Some(action) if is_pressed && (!event.repeat || action.repeats()) => return self.act(action, event.repeat),
            _ => {}
        }
        Ok(Flow::Continue)
    }

    /// Does what the display over the picture asks for.
    pub(super) fn obey(&mut self, command: Command) -> Result<Flow, AppError> {
        match command {
            Command::Do(action) => return self.act(action, false),
            Command::ScrubTo(secs) => {
                if let Some(session) = &mut self.session {
                    session.scrub_to(secs, Instant::now());
                }
            }
            Command::Settle => self.settle(),
            Command::Choose(kind, choices) => self.choose(kind, choices, Instant::now()),
            Command::Count(counted) => self.scene.counted = counted,
            Command::GoTo(goal) => self.go_to(goal),
        }
        self.window.request_redraw();
        Ok(Flow::Continue)
    }

    /// Does what a key asks for; `held` where the key has been down for a while.
    pub(super) fn act(&mut self, action: Action, held: bool) -> Result<Flow, AppError> {
        let now = Instant::now();
        log::debug!("key: {action:?}");
        match action {
            Action::Quit => return Ok(Flow::Quit),
            Action::Back => return self.go_back(now),
            Action::ToggleHelp => self.hud.sheets.help = !self.hud.sheets.help,
            Action::TogglePinned => {
                let text = if self.hud.toggle_pinned(now) { "controls stay" } else { "controls fade" };
                self.settings_changed(now);
                self.note(text, Tone::Done, now);
            }
            Action::ToggleFullscreen => self.toggle_fullscreen(),
            Action::OpenFile => self.open_dialog(now),
            Action::OtherFile { forward } => self.open_other(forward, now),
            action if self.session.is_none() => {
                log::debug!("{action:?} needs a video");
                self.note("nothing is open yet: Ctrl+O opens a file", Tone::Done, now);
            }
            action => self.act_on_video(action, held, now)?,
        }
        self.window.request_redraw();
        self.update_title(now, true);
        Ok(Flow::Continue)
    }

    fn act_on_video(&mut self, action: Action, held: bool, now: Instant) -> Result<(), AppError> {
        match action {
            Action::ToggleChannel(channel) => self.toggle_channel(channel, now),
            Action::ToggleOverlays => {
                self.scene.overlays = !self.scene.overlays;
                self.note(if self.scene.overlays { "histograms on" } else { "histograms off" }, Tone::Done, now);
                self.settings_changed(now);
            }
            Action::ToggleComponents => self.toggle_components(now)?,
            Action::ToggleLogarithmic | Action::NextArrangement | Action::Enlarge { .. } | Action::Opaque { .. } => {
                self.restyle(action, now);
            }
            Action::NextFit => {
                self.scene.view = ViewSettings::fitted(next_of(&Fit::ALL, self.scene.view.fit));
                self.note(format!("picture: {}", self.scene.view.fit.name()), Tone::Done, now);
                self.settings_changed(now);
            }
            Action::ResetView => {
                self.scene.view = ViewSettings::default();
                self.note("picture: as at the start", Tone::Done, now);
                self.settings_changed(now);
            }
            Action::ToggleNumbers | Action::ToggleTrust | Action::ToggleAdjusting | Action::ToggleTiming => {
                self.toggle_panel(action)?;
            }
            Action::ToggleAdjustment(_)
            | Action::Parameter { .. }
            | Action::ToggleDivider
            | Action::NextCounted
            | Action::ToggleCurves
            | Action::ToggleBackdrop => self.adjust(action, now),
            Action::NextMatrix | Action::NextRange => {
                let Some(session) = &mut self.session else { return Ok(()) };
                let text = if action == Action::NextMatrix { session.next_matrix() } else { session.next_range() };
                self.reload()?;
                self.note(text, Tone::Done, now);
            }
            Action::Save => self.save(now),
            Action::EnterTime => self.hud.open_entry(),
            action => self.act_on_playback(action, held, now),
        }
        Ok(())
    }

    fn act_on_playback(&mut self, action: Action, held: bool, now: Instant) {
        let Some(session) = &mut self.session else { return };
        let player = &mut session.player;
        let mut note = None;
        match action {
            Action::SeekBy { .. } | Action::ToStart | Action::ToEnd if !player.is_seekable() => {
                note = Some("this input plays forwards only".to_owned());
            }
            Action::TogglePause => {
                let seek = player.toggle_pause(now);
                session.seek(seek);
            }
            Action::Step { forward } => {
                let seek = player.step(forward, now);
                session.seek(seek);
            }
            Action::SeekBy { secs, exact: false } if held => session.scrub_by(secs, now),
            Action::SeekBy { secs, .. } => {
                let seek = player.seek_by(secs);
                session.seek(seek);
                note = Some(format!("{}{} s", if secs < 0.0 { "−" } else { "+" }, secs.abs()));
            }
            Action::ToStart => session.go_to(0.0),
            Action::ToEnd => session.go_to(f64::MAX),
            Action::Speed(change) => {
                let wanted = match change {
                    SpeedChange::By(factor) => session.player.speed() * factor,
                    SpeedChange::Normal => 1.0,
                };
                note = Some(format!("speed {}", speed_text(session.set_speed(wanted, now))));
            }
            Action::ToggleLoop => {
                note = Some(if session.player.toggle_loop() { "loop on" } else { "loop off" }.to_owned());
            }
            Action::Mark => note = Some(session.mark()),
            _ => {}
        }
        if let Some(note) = note {
            self.note(note, Tone::Done, now);
        }
    }

    /// Esc: closes what is open, then clears the brush, then leaves.
    fn go_back(&mut self, now: Instant) -> Result<Flow, AppError> {
        self.window.request_redraw();
        if self.hud.close_something() {
            return Ok(Flow::Continue);
        }
        if self.scene.brush.take().is_some() {
            self.note("selection cleared", Tone::Done, now);
            return Ok(Flow::Continue);
        }
        if !self.hud.sheets.any() {
            return Ok(Flow::Quit);
        }
        let timed = self.hud.sheets.timing;
        self.hud.sheets = Sheets::default();
        if timed {
            self.time_passes(false)?;
        }
        Ok(Flow::Continue)
    }

    /// Opens or closes a panel, and closes those that have no room beside it.
    fn toggle_panel(&mut self, which: Action) -> Result<(), AppError> {
        let width = self.width_in_points();
        let before = self.hud.sheets;
        let mut sheets = before.within(width);
        sheets.toggle(which, width);
        self.hud.sheets = sheets;
        // Whoever has opened it knows it.
        self.adjuster.introduced |= sheets.adjusting;
        if sheets.timing != before.timing {
            self.time_passes(sheets.timing)?;
        }
        Ok(())
    }

    /// Begins or ends to time the passes.
    fn time_passes(&mut self, is_wanted: bool) -> Result<(), AppError> {
        self.graphics.renderer.set_timing(&self.graphics.gpu, is_wanted);
        // The frame on screen is counted again, so that a paused video has times to show.
        self.reload()
    }

    fn toggle_channel(&mut self, channel: usize, now: Instant) {
        // Y', Cb and Cr are three; the fourth key has nothing to show or hide.
        let Some(name) = self.components.channel_names().get(channel) else { return };
        self.scene.channels.toggle(channel);
        let state = if self.scene.channels.contains(channel) { "on" } else { "off" };
        self.note(format!("{name} {state}"), Tone::Done, now);
        self.settings_changed(now);
    }

    fn toggle_components(&mut self, now: Instant) -> Result<(), AppError> {
        let wanted = match self.components {
            Components::Rgbl => Components::YCbCr,
            Components::YCbCr => Components::Rgbl,
        };
        self.components = wanted;
        self.scene.brush = None;
        self.scene.marks = None;
        self.reload()?;
        let text = match (wanted, self.components) {
            (Components::YCbCr, Components::Rgbl) => "the video is R'G'B': it has no Y'CbCr codes to count",
            (_, Components::YCbCr) => "counting Y', Cb and Cr as coded",
            (_, Components::Rgbl) => "counting red, green, blue and luminance",
        };
        self.note(text, Tone::Done, now);
        Ok(())
    }

    /// Changes how the histograms look.
    fn restyle(&mut self, action: Action, now: Instant) {
        let style = &mut self.scene.style;
        let step = |more: bool| if more { 1.0 } else { -1.0 };
        let note = match action {
            Action::NextArrangement => {
                style.arrangement = next_of(&Arrangement::ALL, style.arrangement);
                format!("histograms: {}", style.arrangement.name())
            }
            Action::Enlarge { more } => {
                style.height = stepped(style.height, HEIGHT_STEP * step(more), (0.1, MOST_HEIGHT));
                format!("histograms {:.0} % high", style.height * 100.0)
            }
            Action::Opaque { more } => {
                let least = *OverlayStyle::OPACITIES.start();
                style.opacity = stepped(style.opacity, OPACITY_STEP * step(more), (least, 1.0));
                format!("histograms {:.0} % opaque", style.opacity * 100.0)
            }
            _ => {
                style.logarithmic = !style.logarithmic;
                if style.logarithmic { "logarithmic height" } else { "linear height" }.to_owned()
            }
        };
        self.note(note, Tone::Done, now);
        self.settings_changed(now);
    }

    /// Shows the exact frame that a held arrow key or a drag led to.
    fn settle(&mut self) {
        if let Some(session) = &mut self.session {
            session.settle(Instant::now());
        }
    }

    /// Goes where a typed text leads.
    fn go_to(&mut self, goal: Goal) {
        let now = Instant::now();
        let Some(session) = &mut self.session else { return };
        let told = match goal {
            Goal::Time(secs) => session.go_to_time(secs),
            Goal::Frame(index) => session.go_to_frame(index),
        };
        self.note(told, Tone::Done, now);
        self.update_title(now, true);
    }

    fn toggle_fullscreen(&self) {
        let fullscreen = if self.window.fullscreen().is_some() { None } else { Some(Fullscreen::Borderless(None)) };
        self.window.set_fullscreen(fullscreen);
    }
}

/// A value one step further, on whole steps, within its limits.
fn stepped(value: f32, step: f32, (least, most): (f32, f32)) -> f32 {
    let steps = (value / step.abs()).round() + step.signum();
    (steps * step.abs()).clamp(least, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_stay_on_whole_steps_and_inside() {
        assert!((stepped(0.25, 0.05, (0.1, 0.7)) - 0.3).abs() < 1e-6);
        assert!((stepped(0.7, 0.05, (0.1, 0.7)) - 0.7).abs() < 1e-6);
        assert!((stepped(0.1, -0.05, (0.1, 0.7)) - 0.1).abs() < 1e-6);
        let mut height = 0.25;
        for _ in 0..5 {
            height = stepped(height, 0.05, (0.1, 0.7));
        }
        assert!((height - 0.5).abs() < 1e-6, "{height} after five steps");
    }
}
