//! The pointer: it wakes the controls, pans and zooms the picture, moves the divider, draws the region and brushes the
//! scopes. A double-click on the picture toggles full screen.

pub mod brush_control;
pub mod geometry;
pub mod line_drag;
pub mod pins;
pub mod regions;
mod scope_brush;
pub mod scope_point;

use std::time::Instant;

use glam::DVec2;

use crate::app::input::clicks::{Clicks, REACH};
use crate::app::input::event::{Event, PointerButton};
use geometry::Geometry;
use histoscope_core::picture::region::Rect;
use histoscope_hud::Hud;
use histoscope_keys::Action;
use histoscope_render::view::brushes::Brushes;
use histoscope_render::view::overlay::Channels;
use histoscope_render::view::panel::PanelRect;
use histoscope_render::view::placement::ViewSettings;
use histoscope_render::view::probes::Probes;
use histoscope_render::view::region::{Grip, Line, RegionDrag};
use histoscope_render::view::scene::Brush;
use histoscope_render::view::scopes::{Border, ScopeStyle};
use line_drag::{LineDrag, LinePress};
use scope_brush::ScopeDrag;

/// Zoom factor per notch of the wheel.
const NOTCH: f64 = 1.15;
/// The note on a ninth reference line.
const LINES_FULL: &str = "there are eight reference lines already: drag one out of its scope to remove it";

/// A request from the pointer.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "there are a few of them for an event")]
pub enum PointerCommand {
    /// Show the controls.
    Wake,
    /// Let the controls fade.
    LetGo,
    /// Show this part of the picture.
    View(ViewSettings),
    /// Show the scopes in this style.
    Scopes(ScopeStyle),
    /// Pin these probes.
    Probes(Probes),
    /// Place the divider at this share of the view's width.
    Divide(f32),
    /// Select these bins.
    Brush(Brush),
    /// Set the brushes, after a change in a scope other than the histograms.
    BrushScopes(Brushes),
    /// Count only this part of the picture.
    Region(Rect),
    /// Show a note.
    Note(&'static str),
    /// Perform an action, as a key would.
    Do(Action),
    /// Open the menu at a point of the view.
    Menu(DVec2),
}

/// The keys held while the pointer acts, and the channel chosen for brushes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HeldKeys {
    /// `true` if Shift is held.
    pub shift: bool,
    /// `true` if Alt is held.
    pub alt: bool,
    /// The channel that brushes are limited to: by its key, or by a click on its letter.
    pub channel: Option<usize>,
}

/// What the pointer drags while its button is held.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "there is one pointer")]
enum Drag {
    /// Nothing.
    #[default]
    None,
    /// Nothing yet: the button was pressed here, on the picture or beside it, and the pointer has not moved farther
    /// than in a click.
    Press(DVec2),
    /// The picture; the last position of the pointer.
    Pan(DVec2),
    /// The divider; its distance from the pointer at the press.
    Divide(f64),
    /// A border between scopes, or between them and the picture.
    Border(Border),
    /// The region, which is being drawn, moved or resized.
    Region(RegionDrag),
    /// A selection in a scope other than the histograms.
    Scope(ScopeDrag),
    /// A reference line.
    Line(LineDrag),
    /// The pin of a probe.
    Pin(usize),
    /// A selection of codes of `channels`, starting with the codes under the pointer at the press, in a histogram that
    /// shows the channels `shown`.
    Brush { channels: Channels, from: (u32, u32), rect: PanelRect, shown: Channels },
}

/// The position of the pointer and its current drag.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pointer {
    /// Position in pixels of the view, while over the window.
    pub at: Option<DVec2>,
    /// `true` if the pointer has entered the window and not moved since, as when the window opens under it.
    just_entered: bool,
    drag: Drag,
    clicks: Clicks,
    /// The remaining fraction of a notch, over a scope or the timeline, which change by whole notches.
    turned: f64,
}

impl Pointer {
    /// Returns `true` if the pointer is dragging something on the view.
    #[must_use]
    pub fn is_dragging(&self) -> bool {
        self.drag != Drag::None
    }

    /// Returns `true` if the pointer is close enough to grab the divider, or is dragging it.
    #[must_use]
    pub fn is_at_divider(&self, geometry: &Geometry<'_>, hud: &Hud) -> bool {
        let is_near = |at| geometry.divider_from(at).is_some() && !hud.covers(geometry.in_points(at));
        matches!(self.drag, Drag::Divide(_)) || !self.is_dragging() && self.at.is_some_and(is_near)
    }

    /// Returns the grip that the pointer has on the region, or would have at its position.
    #[must_use]
    pub fn grip(&self, geometry: &Geometry<'_>, hud: &Hud) -> Option<Grip> {
        match self.drag {
            Drag::Region(RegionDrag::Change { grip, .. }) => Some(grip),
            Drag::None => self.at.filter(|&at| !hud.covers(geometry.in_points(at))).and_then(|at| geometry.grip(at)),
            _ => None,
        }
    }

    /// Takes an event and the keys held at that time. Returns the requests that follow from it.
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
                return match std::mem::take(&mut self.drag) {
                    Drag::Scope(drag) => drag.released(geometry).map(PointerCommand::BrushScopes),
                    Drag::Line(drag) => self.at.and_then(|at| drag.released(geometry, at)).map(PointerCommand::Scopes),
                    Drag::Region(drag) => self.line(drag, held, geometry).map(PointerCommand::Region),
                    _ => None,
                }
                .into_iter()
                .collect();
            }
            Event::Wheel(notches) => return self.scroll((*notches, held), geometry, (hud, now)).into_iter().collect(),
            _ => {}
        }
        Vec::new()
    }

    /// Returns the row or the column of the picture that a click chooses, if the drag of a new region was one.
    fn line(&self, drag: RegionDrag, held: HeldKeys, geometry: &Geometry<'_>) -> Option<Rect> {
        let (at, placement) = (self.at?, geometry.placement()?);
        let is_click = matches!(drag, RegionDrag::New(_)) && drag.to(at, &placement, geometry.points.into()).is_none();
        let (x, y) = placement.pixel_at(at).filter(|_| is_click)?;
        let line = if held.alt { Line::Column(x) } else { Line::Row(y) };
        Some(line.rect(placement.picture))
    }

    fn move_to(&mut self, at: DVec2, geometry: &Geometry<'_>) -> Vec<PointerCommand> {
        let has_moved = self.at.is_some_and(|before| before != at);
        // This event is also sent when a window opens or grows under a resting pointer.
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
            Drag::Line(drag) => drag.to(geometry, at).map(PointerCommand::Scopes),
            Drag::Pin(probe) => pins::dragged(geometry, probe, at).map(PointerCommand::Probes),
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
        if let Some(press) = LineDrag::press(geometry, at) {
            self.clicks.forget();
            return Some(match press {
                LinePress::Dragged(drag, style) => {
                    self.drag = Drag::Line(drag);
                    PointerCommand::Scopes(style)
                }
                LinePress::Full => PointerCommand::Note(LINES_FULL),
            });
        }
        if geometry.is_on_scopes(at) {
            self.clicks.forget();
            let drag = ScopeDrag::begin(geometry, at, held.shift, held.channel);
            self.drag = drag.map_or(Drag::None, Drag::Scope);
            return None;
        }
        if let Some(probe) = geometry.pin_at(at).filter(|_| !held.shift) {
            self.clicks.forget();
            self.drag = Drag::Pin(probe);
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
                // Moving has no effect until the button is released.
                self.drag = Drag::None;
                return Some(PointerCommand::Do(Action::ToggleFullscreen));
            } else {
                self.drag = Drag::Press(at);
            }
            return None;
        };
        self.clicks.forget();
        // All channels that the histogram shows, or only the requested one.
        let channels = match held.channel {
            Some(channel) if hit.channels.contains(channel) => Channels::one(channel),
            _ => hit.channels,
        };
        let from = geometry.codes_at(&hit.rect, hit.channels, at)?;
        self.drag = Drag::Brush { channels, from, rect: hit.rect, shown: hit.channels };
        Some(PointerCommand::Brush(Brush { channels, low: from.0, high: from.1 }))
    }

    fn scroll(
        &mut self,
        (notches, held): (f64, HeldKeys),
        geometry: &Geometry<'_>,
        (hud, now): (&Hud, Instant),
    ) -> Option<PointerCommand> {
        if self.at.is_some_and(|at| hud.is_on_timeline(geometry.in_points(at), now)) {
            self.turned += notches;
            let whole = self.turned.trunc();
            self.turned -= whole;
            return (whole != 0.0).then_some(PointerCommand::Do(Action::SeekBy { secs: whole, exact: true }));
        }
        let at = self.at.filter(|&at| !hud.covers(geometry.in_points(at)))?;
        if geometry.is_on_scopes(at) {
            log::trace!("wheel: {notches} notches");
            return geometry.scrolled(at, notches, &mut self.turned).map(PointerCommand::Scopes);
        }
        if held.shift && geometry.region.line().is_some() {
            self.turned += notches;
            let whole = self.turned.trunc();
            self.turned -= whole;
            return (whole != 0.0).then_some(PointerCommand::Do(Action::MoveLine { forward: whole < 0.0 }));
        }
        let (upright, view) = geometry.extents()?;
        let at = geometry.in_area(at);
        Some(PointerCommand::View(geometry.moved(|seen| seen.zoom_at(at, NOTCH.powf(notches), upright, view))))
    }
}
