//! What winit tells of: keys and the pointer, handed to the parts of the window, and what follows from their answers.

use std::time::Instant;

use winit::event::{ElementState, KeyEvent, WindowEvent};
use winit::keyboard::{Key, ModifiersState, NamedKey};

use super::{Flow, Viewer};
use crate::app::geometry::Geometry;
use crate::app::gestures::Gestures;
use crate::app::keyboard;
use crate::app::leaving::Leaving;
use crate::app::options::AppError;
use crate::app::pointing::{HeldKeys, PointerCommand};
use crate::keys::Action;
use histoscope_render::view::overlay::Channels;
use histoscope_render::view::scene::Sharing;

impl Viewer {
    /// Looks at an event before anything is done about it; what it says of going on.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails for good.
    pub fn begin_event(&mut self, event: &WindowEvent) -> Result<Flow, AppError> {
        // What the hand did before belongs to its earlier movement, and comes before what it does now.
        if Gestures::may_begin(event) && self.work.hud.awaits_drawing() {
            let flow = self.draw()?;
            self.end_event();
            if flow == Flow::Quit {
                return Ok(flow);
            }
        }
        self.gestures.see(event, self.work.window().scale_factor(), Instant::now());
        // What has changed since the last event was nobody's choice.
        self.history.adopt(self.work.chosen());
        self.show_event(event);
        Ok(Flow::Continue)
    }

    /// Takes note of what an event has changed of what is chosen: here, and nowhere else.
    pub fn end_event(&mut self) {
        self.history.follow(self.work.chosen(), self.gestures.number());
    }

    /// Hands an event to the display over the picture.
    fn show_event(&mut self, event: &WindowEvent) {
        if matches!(event, WindowEvent::RedrawRequested) {
            return;
        }
        let is_visible = self.work.hud.is_visible(Instant::now());
        if self.work.hud.on_event(&self.work.graphics.screen.window, event) && is_visible {
            self.work.redraw();
        }
    }

    /// Takes what the pointer does, with these keys held; what it says of going on.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails for good.
    pub fn on_pointer(&mut self, event: &WindowEvent, modifiers: ModifiersState) -> Result<Flow, AppError> {
        let now = Instant::now();
        let held = HeldKeys { shift: modifiers.shift_key(), channel: self.held_channel.or(self.brushed_only) };
        // Its key has toggled it; while it is held for a brush it is there.
        let mut scene = self.work.scene;
        scene.look.channels =
            self.held_channel.map_or(scene.look.channels, |held| scene.look.channels.union(Channels::one(held)));
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
                PointerCommand::Divide(share) => self.work.scene.look.sharing = Sharing::Divider(share),
                PointerCommand::Brush(brush) => {
                    self.work.scene.brushes.histogram = Some(brush);
                    // What is brushed is seen.
                    self.work.scene.look.channels = self.work.scene.look.channels.union(brush.channels);
                }
                PointerCommand::BrushScopes(brushes) => self.work.scene.brushes = brushes,
                PointerCommand::Region(rect) => self.work.draw_region(rect)?,
                PointerCommand::Menu(at) => {
                    let at = self.work.geometry().in_points(at);
                    self.work.hud.open_menu(at);
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

    /// Handles a key; what it says of going on.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails for good.
    pub fn on_key(&mut self, event: &KeyEvent, modifiers: ModifiersState) -> Result<Flow, AppError> {
        let is_pressed = event.state == ElementState::Pressed;
        if self.work.hud.has_entry() {
            // The field has it already; what it leads to is known once it is drawn.
            match &event.logical_key {
                Key::Named(NamedKey::Escape) if is_pressed => self.work.hud.close_entry(),
                // At once, so that the keys that follow are shortcuts again.
                Key::Named(NamedKey::Enter) if is_pressed => {
                    self.leaving = Leaving::Closed(Instant::now());
                    return self.draw();
                }
                _ => {}
            }
            self.work.redraw();
            return Ok(Flow::Continue);
        }
        if is_pressed && self.work.hud.press_in_menu(&event.logical_key, modifiers) {
            // At once, so that the key after it finds what it has led to.
            return self.draw();
        }
        let action = keyboard::action(event, modifiers);
        if let Some(Action::ToggleChannel(channel)) = action {
            self.held_channel = is_pressed.then_some(channel);
        }
        match action {
            Some(Action::SeekBy { .. }) if !is_pressed => self.work.settle(),
            Some(action) if is_pressed && (!event.repeat || action.repeats()) => return self.act(action, event.repeat),
            _ => {}
        }
        Ok(Flow::Continue)
    }
}
