//! The pointer: it wakes the controls, pans and zooms the picture, and brushes the histograms.

use std::time::Instant;

use glam::DVec2;
use winit::event::{ElementState, MouseButton, MouseScrollDelta, WindowEvent};

use super::viewer::Viewer;
use crate::view::overlay::{self, Channels, Hit, PanelRect};
use crate::view::placement::Shape;
use crate::view::scene::Brush;

/// Enlargement for a notch of the wheel.
const NOTCH: f64 = 1.15;
/// Pixels of a smooth wheel that count as a notch.
const NOTCH_PIXELS: f64 = 50.0;

/// What the button that is held does.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum Drag {
    /// Nothing.
    #[default]
    None,
    /// It moves the picture; where the pointer was last.
    Pan(DVec2),
    /// It moves the divider, which lay this far from the pointer.
    Divide(f64),
    /// It selects bins of a channel, from those under the pointer when it was pressed.
    Brush { channel: usize, from: (u32, u32), rect: PanelRect },
}

/// Where the pointer is and what it does.
#[derive(Debug, Default)]
pub struct Pointer {
    /// Its place in pixels of the view, while it is over the window.
    pub at: Option<DVec2>,
    /// Whether it has come into the window without being moved since, as when the window opened under it.
    just_entered: bool,
    drag: Drag,
}

impl Pointer {
    /// Whether it is dragging something of the view.
    #[must_use]
    pub fn is_dragging(&self) -> bool {
        self.drag != Drag::None
    }

    /// Whether it is dragging the divider.
    #[must_use]
    pub fn drags_divider(&self) -> bool {
        matches!(self.drag, Drag::Divide(_))
    }
}

impl Viewer {
    /// Hands an event to the display over the picture.
    pub fn show_event(&mut self, event: &WindowEvent) {
        if matches!(event, WindowEvent::RedrawRequested) {
            return;
        }
        let is_visible = self.hud.is_visible(Instant::now());
        if self.hud.on_event(&self.window, event) && is_visible {
            self.window.request_redraw();
        }
    }

    /// Takes what the pointer does.
    pub fn on_pointer(&mut self, event: &WindowEvent) {
        let now = Instant::now();
        match event {
            WindowEvent::CursorEntered { .. } => self.pointer.just_entered = true,
            WindowEvent::CursorMoved { position, .. } => self.move_to(DVec2::new(position.x, position.y), now),
            WindowEvent::CursorLeft { .. } if !self.pointer.is_dragging() => {
                self.pointer.at = None;
                self.hud.let_go(now);
                self.window.request_redraw();
            }
            WindowEvent::MouseInput { state: ElementState::Pressed, button: MouseButton::Left, .. } => {
                self.hud.wake(now);
                self.press();
            }
            WindowEvent::MouseInput { state: ElementState::Released, button: MouseButton::Left, .. } => {
                self.pointer.drag = Drag::None;
            }
            WindowEvent::MouseWheel { delta, .. } => self.scroll(*delta),
            _ => {}
        }
    }

    fn move_to(&mut self, at: DVec2, now: Instant) {
        let has_moved = self.pointer.at.is_some_and(|before| before != at);
        // A window that opens or grows under a resting pointer is told of it as well.
        let rests = std::mem::take(&mut self.pointer.just_entered) || !has_moved;
        self.pointer.at = Some(at);
        match self.pointer.drag {
            Drag::None => {}
            Drag::Pan(before) => {
                if let Some((upright, view)) = self.extents() {
                    self.scene.view = self.scene.view.pan_by(at - before, upright, view);
                }
                self.pointer.drag = Drag::Pan(at);
            }
            Drag::Divide(aside) => self.divide_at(at.x + aside),
            Drag::Brush { channel, from, rect } => self.brush_to(channel, from, &rect, at.x),
        }
        if !rests {
            self.hud.wake(now);
            self.window.request_redraw();
        }
    }

    fn press(&mut self) {
        let Some(at) = self.pointer.at else { return };
        if self.hud.covers(self.in_points(at)) || self.session.is_none() {
            return;
        }
        self.pointer.drag = match self.hit(at) {
            Some(hit) => {
                let channel = self.tallest(hit.channels, hit.bin);
                self.brush_to(channel, hit.bins, &hit.rect, at.x);
                Drag::Brush { channel, from: hit.bins, rect: hit.rect }
            }
            None => self.aside_of_divider(at).map_or(Drag::Pan(at), Drag::Divide),
        };
        self.window.request_redraw();
    }

    /// Selects the bins from those where the button was pressed to those under the pointer now.
    fn brush_to(&mut self, channel: usize, from: (u32, u32), rect: &PanelRect, x: f64) {
        let Some(bits) = self.bits() else { return };
        let bin = rect.bin_at(x, bits);
        let column = rect.columns_of_bin(bin, bits).0;
        let (first, last) = rect.bins_of_column(column, bits);
        self.scene.brush = Some(Brush { channel, low: from.0.min(first), high: from.1.max(last) });
        self.window.request_redraw();
    }

    /// The channel whose bar is the tallest in a bin: the one that the pointer seems to touch.
    fn tallest(&self, channels: Channels, bin: u32) -> usize {
        let known = self.bins.known.as_ref();
        let count = |channel: usize| known.map_or(0, |(_, sums)| sums.channel(channel).count_in(bin..=bin));
        // The first of them, where several are equally tall.
        channels.iter().reduce(|best, channel| if count(channel) > count(best) { channel } else { best }).unwrap_or(0)
    }

    fn scroll(&mut self, delta: MouseScrollDelta) {
        let Some(at) = self.pointer.at else { return };
        if self.hud.covers(self.in_points(at)) {
            return;
        }
        let notches = match delta {
            MouseScrollDelta::LineDelta(_, lines) => f64::from(lines),
            MouseScrollDelta::PixelDelta(pixels) => pixels.y / NOTCH_PIXELS,
        };
        let Some((upright, view)) = self.extents() else { return };
        self.scene.view = self.scene.view.zoom_at(at, NOTCH.powf(notches), upright, view);
        self.window.request_redraw();
    }

    /// Size of the upright picture and of the view.
    fn extents(&self) -> Option<(DVec2, DVec2)> {
        let frame = self.session.as_ref()?.frame.as_ref()?;
        let (width, height) = self.graphics.screen.size();
        Some((Shape::of(frame).upright(), DVec2::new(width.into(), height.into())))
    }

    /// Bits of a bin's index in the frame on screen.
    pub(super) fn bits(&self) -> Option<u32> {
        let frame = self.session.as_ref()?.frame.as_ref()?;
        Some(frame.picture.layout().bin_bits())
    }

    /// The histogram under a point of the view.
    pub(super) fn hit(&self, at: DVec2) -> Option<Hit> {
        overlay::hit(&self.scene, self.components, self.bits()?, self.graphics.screen.size(), at)
    }

    /// A point of the view in points of the display over it.
    pub(super) fn in_points(&self, at: DVec2) -> egui::Pos2 {
        let scale = self.hud.set_scale(self.graphics.screen.size(), self.window.scale_factor());
        egui::Pos2::new(at.x as f32 / scale, at.y as f32 / scale)
    }
}
