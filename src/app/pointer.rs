//! The pointer: it wakes the controls, pans and zooms the picture, moves the divider, draws the region, brushes the
//! scopes, and a double-click on the picture fills the screen.

use std::time::Instant;

use glam::DVec2;

use super::clicks::{Clicks, REACH};
use super::event::{Event, PointerButton};
use super::geometry::Geometry;
use super::hud::Hud;
use super::scope_brush::ScopeDrag;
use crate::keys::Action;
use histoscope_core::picture::region::Rect;
use histoscope_render::view::brushes::Brushes;
use histoscope_render::view::overlay::Channels;
use histoscope_render::view::panel::PanelRect;
use histoscope_render::view::placement::ViewSettings;
use histoscope_render::view::region::{Grip, RegionDrag};
use histoscope_render::view::scene::Brush;
use histoscope_render::view::scopes::{Border, ScopeStyle};

/// Enlargement for a notch of the wheel.
const NOTCH: f64 = 1.15;

/// A request of the pointer.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "there are a few of them for an event")]
pub enum PointerCommand {
    /// The controls are to come.
    Wake,
    /// The controls may go.
    LetGo,
    /// Another part of the picture is to be seen.
    View(ViewSettings),
    /// The scopes are to be shown so.
    Scopes(ScopeStyle),
    /// The divider is to stand at this share of the view's width.
    Divide(f32),
    /// Other bins are selected.
    Brush(Brush),
    /// Something else is selected in the scopes beside the histograms.
    BrushScopes(Brushes),
    /// This part of the picture is to be counted alone.
    Region(Rect),
    /// The same as a key.
    Do(Action),
    /// The menu is to open at a point of the view.
    Menu(DVec2),
}

/// The keys that are held while the pointer does something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HeldKeys {
    /// True if Shift is.
    pub shift: bool,
    /// The channel whose letter is.
    pub channel: Option<usize>,
}

/// The drag of the button that is held.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "there is one pointer")]
enum Drag {
    /// Nothing.
    #[default]
    None,
    /// It was pressed here, on the picture or beside it, and has not been moved far enough to be more than a click.
    Press(DVec2),
    /// It moves the picture; where the pointer was last.
    Pan(DVec2),
    /// It moves the divider, which lay this far from the pointer.
    Divide(f64),
    /// It moves a border between scopes, or between them and the picture.
    Border(Border),
    /// It draws, moves or resizes the region.
    Region(RegionDrag),
    /// It selects in a scope beside the histograms.
    Scope(ScopeDrag),
    /// It selects codes of these channels, from those under the pointer when it was pressed, in a histogram that shows those.
    Brush { channels: Channels, from: (u32, u32), rect: PanelRect, shown: Channels },
}

/// Where the pointer is and what it does.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pointer {
    /// Its place in pixels of the view, while it is over the window.
    pub at: Option<DVec2>,
    /// True if it has come into the window without being moved since, as when the window opened under it.
    just_entered: bool,
    drag: Drag,
    clicks: Clicks,
    /// The part of a notch that is left of the wheel over a scope that goes by whole ones.
    turned: f64,
}

impl Pointer {
    /// Returns whether it is dragging something of the view.
    #[must_use]
    pub fn is_dragging(&self) -> bool {
        self.drag != Drag::None
    }

    /// Returns whether it is where it takes hold of the divider, or has done so.
    #[must_use]
    pub fn is_at_divider(&self, geometry: &Geometry<'_>, hud: &Hud) -> bool {
        let is_near = |at| geometry.divider_from(at).is_some() && !hud.covers(geometry.in_points(at));
        matches!(self.drag, Drag::Divide(_)) || !self.is_dragging() && self.at.is_some_and(is_near)
    }

    /// Returns the grip that it has on the region, or would have where it is.
    #[must_use]
    pub fn grip(&self, geometry: &Geometry<'_>, hud: &Hud) -> Option<Grip> {
        match self.drag {
            Drag::Region(RegionDrag::Change { grip, .. }) => Some(grip),
            Drag::None => self.at.filter(|&at| !hud.covers(geometry.in_points(at))).and_then(|at| geometry.grip(at)),
            _ => None,
        }
    }

    /// Takes an event, while these keys are held, and returns what that asks for.
    pub fn on_event(
        &mut self,
        (event, held): (&Event, HeldKeys),
        geometry: &Geometry<'_>,
        hud: &Hud,
        now: Instant,
    ) -> Vec<PointerCommand> {
        match event {
            Event::PointerEntered => self.just_entered = true,
            Event::PointerMoved(at) => return self.move_to(*at, geometry),
            Event::PointerLeft if !self.is_dragging() => {
                self.at = None;
                return vec![PointerCommand::LetGo];
            }
            Event::PointerButton { button: PointerButton::Left, pressed: true } => {
                let selected = self.press(geometry, hud, (held, now));
                return std::iter::once(PointerCommand::Wake).chain(selected).collect();
            }
            Event::PointerButton { button: PointerButton::Right, pressed: true } => {
                let free = self.at.filter(|&at| !hud.covers(geometry.in_points(at)));
                return free.map(PointerCommand::Menu).into_iter().collect();
            }
            Event::PointerButton { button: PointerButton::Left, pressed: false } => {
                if let Drag::Scope(drag) = std::mem::take(&mut self.drag) {
                    return drag.released(geometry).map(PointerCommand::BrushScopes).into_iter().collect();
                }
            }
            Event::Wheel(notches) => return self.scroll(*notches, geometry, hud).into_iter().collect(),
            _ => {}
        }
        Vec::new()
    }

    fn move_to(&mut self, at: DVec2, geometry: &Geometry<'_>) -> Vec<PointerCommand> {
        let has_moved = self.at.is_some_and(|before| before != at);
        // A window that opens or grows under a resting pointer is told of it as well.
        let rests = std::mem::take(&mut self.just_entered) || !has_moved;
        self.at = Some(at);
        if let Drag::Press(from) = self.drag
            && at.distance(from) > REACH * f64::from(geometry.points)
        {
            self.clicks.forget();
            self.drag = Drag::Pan(from);
        }
        let dragged = match self.drag {
            Drag::None | Drag::Press(_) => None,
            Drag::Pan(before) => {
                self.drag = Drag::Pan(at);
                let extents = geometry.extents();
                extents.map(|(upright, view)| {
                    PointerCommand::View(geometry.moved(|seen| seen.pan_by(at - before, upright, view)))
                })
            }
            Drag::Divide(aside) => Some(PointerCommand::Divide(geometry.share_at(at.x + aside))),
            Drag::Border(border) => Some(PointerCommand::Scopes(border.dragged(&geometry.scene.look.scopes, at))),
            Drag::Region(drag) => {
                let placement = geometry.placement();
                let drawn = placement.and_then(|placement| drag.to(at, &placement, geometry.points.into()));
                drawn.map(PointerCommand::Region)
            }
            Drag::Scope(mut drag) => {
                let brushes = drag.to(geometry, at);
                self.drag = Drag::Scope(drag);
                brushes.map(PointerCommand::BrushScopes)
            }
            Drag::Brush { channels, from, rect, shown } => {
                let to = geometry.codes_at(&rect, shown, at);
                to.map(|to| PointerCommand::Brush(Brush { channels, low: from.0.min(to.0), high: from.1.max(to.1) }))
            }
        };
        dragged.into_iter().chain((!rests).then_some(PointerCommand::Wake)).collect()
    }

    fn press(
        &mut self,
        geometry: &Geometry<'_>,
        hud: &Hud,
        (held, now): (HeldKeys, Instant),
    ) -> Option<PointerCommand> {
        let at = self.at?;
        if hud.covers(geometry.in_points(at)) {
            self.clicks.forget();
            return None;
        }
        if let Some(border) = geometry.border_at(at) {
            self.clicks.forget();
            self.drag = Drag::Border(border);
            return None;
        }
        if geometry.is_on_scopes(at) {
            self.clicks.forget();
            let drag = ScopeDrag::begin(geometry, at, held.shift, held.channel);
            self.drag = drag.map_or(Drag::None, Drag::Scope);
            return None;
        }
        if let Some(drag) = geometry.region_drag(at, held.shift) {
            self.clicks.forget();
            self.drag = Drag::Region(drag);
            return None;
        }
        let Some(hit) = geometry.hit(at) else {
            if let Some(aside) = geometry.divider_from(at) {
                self.clicks.forget();
                self.drag = Drag::Divide(aside);
            } else if self.clicks.is_double(at / f64::from(geometry.points), now) {
                // The button moves nothing until it has been let go.
                self.drag = Drag::None;
                return Some(PointerCommand::Do(Action::ToggleFullscreen));
            } else {
                self.drag = Drag::Press(at);
            }
            return None;
        };
        self.clicks.forget();
        // All that the histogram shows, or the one that is asked for.
        let channels = match held.channel {
            Some(channel) if hit.channels.contains(channel) => Channels::one(channel),
            _ => hit.channels,
        };
        let from = geometry.codes_at(&hit.rect, hit.channels, at)?;
        self.drag = Drag::Brush { channels, from, rect: hit.rect, shown: hit.channels };
        Some(PointerCommand::Brush(Brush { channels, low: from.0, high: from.1 }))
    }

    fn scroll(&mut self, notches: f64, geometry: &Geometry<'_>, hud: &Hud) -> Option<PointerCommand> {
        let at = self.at.filter(|&at| !hud.covers(geometry.in_points(at)))?;
        if geometry.is_on_scopes(at) {
            log::trace!("wheel: {notches} notches");
            return geometry.scrolled(at, notches, &mut self.turned).map(PointerCommand::Scopes);
        }
        let (upright, view) = geometry.extents()?;
        let at = geometry.in_area(at);
        Some(PointerCommand::View(geometry.moved(|seen| seen.zoom_at(at, NOTCH.powf(notches), upright, view))))
    }
}
