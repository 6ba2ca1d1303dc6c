//! Passes the window's events to its parts, and acts on their answers.

use super::{Flow, Viewer};
use crate::app::input::event::{Event, Key, KeyEvent};
use crate::app::input::gestures::Gestures;
use crate::app::input::keyboard;
use crate::app::kept::{luts, presets};
use crate::app::options::AppError;
use crate::app::pointer::geometry::Geometry;
use crate::app::pointer::{HeldKeys, PointerCommand};
use histoscope_hud::{InputKind, Note, UiEvents};
use histoscope_keys::{Action, NamedKey};
use histoscope_render::view::overlay::Channels;
use histoscope_render::view::scene::Sharing;

impl Viewer {
    /// Handles an event of the window. `as_ui` translates it for the heads-up display. Returns whether the program
    /// continues.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails for good.
    pub fn on_event(&mut self, event: Event, as_ui: impl FnOnce() -> UiEvents) -> Result<Flow, AppError> {
        if self.begin_event(&event, as_ui)? == Flow::Quit {
            return Ok(Flow::Quit);
        }
        let flow = match event {
            Event::CloseRequested => Ok(Flow::Quit),
            Event::RedrawRequested => self.draw(),
            Event::Key(event) => self.on_key(&event),
            Event::ModifiersChanged(modifiers) => {
                self.modifiers = modifiers;
                Ok(Flow::Continue)
            }
            Event::FileHovered(path) => {
                let text = if luts::is_lut(&path) { "drop to apply this LUT" } else { "drop to open" };
                self.work.hud.drop_hint = Some(text);
                self.work.redraw();
                Ok(Flow::Continue)
            }
            Event::FileLeft => {
                self.work.hud.drop_hint = None;
                self.work.redraw();
                Ok(Flow::Continue)
            }
            Event::FileDropped(path) if luts::is_lut(&path) => {
                self.work.hud.drop_hint = None;
                self.work.apply_lut(&path, self.work.now());
                Ok(Flow::Continue)
            }
            Event::FileDropped(path) if presets::is_preset(&path) => {
                self.work.apply_preset(&path, self.work.now());
                Ok(Flow::Continue)
            }
            Event::FileDropped(path) => {
                self.work.hud.drop_hint = None;
                self.inputs.drop_file(path);
                Ok(Flow::Continue)
            }
            Event::Resized(size) => {
                self.work.graphics.screen.resize(size);
                self.work.redraw();
                Ok(Flow::Continue)
            }
            Event::Occluded(occluded) => {
                self.occluded = occluded;
                if !occluded {
                    self.work.redraw();
                }
                Ok(Flow::Continue)
            }
            Event::Request(request) => self.on_request(request),
            event => self.on_pointer(&event),
        };
        self.end_event();
        flow
    }

    /// Handles an event before it is processed any further.
    fn begin_event(&mut self, event: &Event, as_ui: impl FnOnce() -> UiEvents) -> Result<Flow, AppError> {
        // Earlier input belongs to the preceding gesture and must take effect before a new one begins. Controls that are
        // about to appear must take a click.
        let hud = &self.work.hud;
        if Gestures::may_begin(event) && (hud.awaits_drawing() || hud.is_appearing(self.work.now())) {
            let flow = self.draw()?;
            self.end_event();
            if flow == Flow::Quit {
                return Ok(flow);
            }
        }
        let now = self.work.now();
        self.undo.begin(event, self.work.window().scale_factor(), now, self.work.chosen());
        let is_visible = self.work.hud.is_visible(now);
        if *event != Event::RedrawRequested && self.work.hud.on_event(input_kind(event), as_ui) && is_visible {
            self.work.redraw();
        }
        Ok(Flow::Continue)
    }

    /// Records in the undo history what an event has changed. This is the only place where it is recorded.
    fn end_event(&mut self) {
        self.undo.end(self.work.chosen());
    }

    /// Handles a pointer event.
    fn on_pointer(&mut self, event: &Event) -> Result<Flow, AppError> {
        let now = self.work.now();
        let held = HeldKeys { shift: self.modifiers.shift, alt: self.modifiers.alt, channel: self.brush.channel() };
        // Pressing its key has toggled the channel; while the key is held for a brush, the channel is shown.
        let mut scene = self.work.scene;
        scene.look.channels =
            self.brush.held().map_or(scene.look.channels, |held| scene.look.channels.union(Channels::one(held)));
        let geometry = Geometry { scene: &scene, ..self.work.geometry() };
        let commands = self.pointer.on_event((event, held), &geometry, &self.work.hud, now);
        if !commands.is_empty() {
            self.work.redraw();
        }
        for command in commands {
            match command {
                PointerCommand::Wake => self.work.hud.wake(now),
                PointerCommand::LetGo => self.work.hud.let_go(now),
                PointerCommand::View(view) => self.work.look_at(view, now),
                PointerCommand::Scopes(scopes) => self.work.show_scopes(scopes, now),
                PointerCommand::Probes(probes) => self.work.pin(probes, now),
                PointerCommand::Note(text) => self.work.note(Note::done(text), now),
                PointerCommand::Divide(share) => self.work.scene.look.sharing = Sharing::Divider(share),
                PointerCommand::Brush(brush) => {
                    self.work.scene.brushes.histogram = Some(brush);
                    // Brushed channels are always shown.
                    self.work.scene.look.channels = self.work.scene.look.channels.union(brush.channels);
                }
                PointerCommand::BrushScopes(brushes) => self.work.scene.brushes = brushes,
                PointerCommand::Region(rect) => self.work.draw_region(rect)?,
                PointerCommand::Menu(at) => {
                    self.work.presets.refresh();
                    let at = self.work.geometry().in_points(at);
                    self.work.hud.open_menu(Some(at));
                }
                PointerCommand::Do(action) => {
                    if self.act(action, false)? == Flow::Quit {
                        return Ok(Flow::Quit);
                    }
                }
            }
        }
        Ok(Flow::Continue)
    }

    /// Handles a key event.
    fn on_key(&mut self, event: &KeyEvent) -> Result<Flow, AppError> {
        let is_pressed = event.pressed;
        if self.work.hud.has_entry() {
            // The text field has already received the key; its result is known after the next redraw.
            match &event.key {
                Key::Named(NamedKey::Escape) if is_pressed => self.work.hud.close_entry(),
                // Draw immediately, so that the following keys are shortcuts again.
                Key::Named(NamedKey::Enter) if is_pressed => return self.draw(),
                _ => {}
            }
            self.work.redraw();
            return Ok(Flow::Continue);
        }
        if is_pressed && self.work.hud.press_in_menu(&event.key, self.modifiers) {
            // Draw immediately, so that the next key sees its effect.
            return self.draw();
        }
        let now = self.work.now();
        if is_pressed && self.work.press_in_findings(&event.key, self.modifiers, now) {
            self.work.redraw();
            return Ok(Flow::Continue);
        }
        let action = keyboard::action(event, self.modifiers);
        if let Some(Action::Change(setting, _)) = action
            && let Some(channel) = setting.channel()
        {
            self.brush.press(channel, is_pressed);
        }
        match action {
            Some(Action::SeekBy { .. }) if !is_pressed => self.work.settle(),
            Some(action) if is_pressed && (!event.repeat || action.repeats()) => return self.act(action, event.repeat),
            _ => {}
        }
        Ok(Flow::Continue)
    }
}

/// Returns what the HUD distinguishes of an event.
const fn input_kind(event: &Event) -> InputKind<'_> {
    match event {
        Event::Key(key) => InputKind::Key(key),
        Event::InputMethod => InputKind::InputMethod,
        _ => InputKind::Other,
    }
}
