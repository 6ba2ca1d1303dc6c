//! Reference lines, dragged: new ones from the axis of a waveform, a parade or a histogram into the scope, existing ones to
//! another level, and out of the scope to remove them.

use glam::DVec2;

use super::geometry::Geometry;
use super::scope_point::level_of;
use histoscope_core::scopes::level_bits;
use histoscope_hud::AXIS;
use histoscope_render::view::panel::{PanelRect, panels};
use histoscope_render::view::reference_lines::ReferenceLines;
use histoscope_render::view::scopes::{ScopeKind, ScopeStyle};

/// Width of the axis at the left of a waveform, and the minimum width of a waveform that has one, in points.
const WAVEFORM_AXIS: [f64; 2] = [30.0, 110.0];
/// Distance from a line within which it can be grabbed, in points.
const REACH: f64 = 4.0;

/// The scope of a reference line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinePanel {
    rect: PanelRect,
    /// `true` in a waveform or a parade, whose axis is at the left; that of a histogram is above it.
    pub is_upright: bool,
}

/// A reference line that is dragged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineDrag {
    panel: LinePanel,
    line: usize,
}

/// What follows from a press on an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LinePress {
    /// A line is dragged; the scopes have this style.
    Dragged(LineDrag, ScopeStyle),
    /// There are as many lines as there can be.
    Full,
}

impl LinePanel {
    /// Returns the scope in which a reference line can be grabbed at a point of the view, or drawn, if that is on the
    /// scope's axis.
    #[must_use]
    pub fn at(geometry: &Geometry<'_>, at: DVec2) -> Option<Self> {
        let on_line = || Self::around(geometry, at).filter(|panel| panel.line_at(geometry, at).is_some());
        Self::at_axis(geometry, at).or_else(on_line)
    }

    /// Returns the scope around a point of the view, if it has lines.
    fn around(geometry: &Geometry<'_>, at: DVec2) -> Option<Self> {
        match geometry.arranged().panel_at(at) {
            Some(panel) if matches!(panel.kind, ScopeKind::Waveform | ScopeKind::Parade) => {
                Some(Self { rect: panel.rect, is_upright: true })
            }
            Some(_) => None,
            None => Some(Self { rect: geometry.hit(at)?.rect, is_upright: false }),
        }
    }

    /// Returns the index of the line that can be grabbed at a point of the view.
    fn line_at(&self, geometry: &Geometry<'_>, at: DVec2) -> Option<usize> {
        let bits = geometry.bits()?;
        let code = self.code_at(at, bits);
        let pixels = self.length() / f64::from(1_u32 << bits);
        let is_near = |other: u32| f64::from(other.abs_diff(code)) * pixels <= REACH * f64::from(geometry.points);
        geometry.scene.look.scopes.lines.codes(bits).position(is_near)
    }

    fn at_axis(geometry: &Geometry<'_>, at: DVec2) -> Option<Self> {
        let points = f64::from(geometry.points);
        if let Some(panel) = geometry.arranged().panel_at(at) {
            let is_waveform = matches!(panel.kind, ScopeKind::Waveform | ScopeKind::Parade);
            let [axis, least] = WAVEFORM_AXIS.map(|width| width * points);
            let is_at_axis = at.x - f64::from(panel.rect.left) < axis && f64::from(panel.rect.width) >= least;
            return (is_waveform && is_at_axis).then_some(Self { rect: panel.rect, is_upright: true });
        }
        let is_above = |rect: &PanelRect| {
            let above = f64::from(rect.top) - at.y;
            let beside = at.x - f64::from(rect.left);
            (0.0..f64::from(rect.width)).contains(&beside) && above > 0.0 && above <= f64::from(AXIS) * points
        };
        let mut shown = panels(geometry.scene, geometry.components, geometry.size).map(|(_, rect, _)| rect);
        shown.find(is_above).map(|rect| Self { rect, is_upright: false })
    }

    /// Returns the code at a point of the view, of this many bits.
    fn code_at(&self, at: DVec2, bits: u32) -> u32 {
        if self.is_upright {
            return level_of(self.rect, at.y - f64::from(self.rect.top), bits) << (bits - level_bits(bits));
        }
        let codes = f64::from(1_u32 << bits);
        let share = (at.x - f64::from(self.rect.left)) / f64::from(self.rect.width);
        (share * codes).clamp(0.0, codes - 1.0) as u32
    }

    /// Returns the length of the axis, in pixels.
    fn length(&self) -> f64 {
        if self.is_upright { self.rect.height.into() } else { self.rect.width.into() }
    }
}

impl LineDrag {
    /// Begins with a press at a point of the view: drags the line that is there, or a new one from the axis. Returns
    /// `None` elsewhere.
    #[must_use]
    pub fn press(geometry: &Geometry<'_>, at: DVec2) -> Option<LinePress> {
        let (panel, bits) = (LinePanel::at(geometry, at)?, geometry.bits()?);
        let (style, code) = (geometry.scene.look.scopes, panel.code_at(at, bits));
        if let Some(line) = panel.line_at(geometry, at) {
            return Some(LinePress::Dragged(Self { panel, line }, style));
        }
        let line = style.lines.codes(bits).count();
        Some(
            style.lines.with_code(code, bits).map_or(LinePress::Full, |lines| {
                LinePress::Dragged(Self { panel, line }, ScopeStyle { lines, ..style })
            }),
        )
    }

    /// Returns the style of the scopes when the pointer is at another point.
    #[must_use]
    pub fn to(&self, geometry: &Geometry<'_>, at: DVec2) -> Option<ScopeStyle> {
        let bits = geometry.bits()?;
        Some(self.with(geometry, |lines| lines.moved(self.line, self.panel.code_at(at, bits), bits)))
    }

    /// Returns the style without the line, if the button was released outside the scope.
    #[must_use]
    pub fn released(&self, geometry: &Geometry<'_>, at: DVec2) -> Option<ScopeStyle> {
        let is_outside = !self.panel.rect.contains(at);
        is_outside.then(|| self.with(geometry, |lines| lines.without(self.line)))
    }

    fn with(&self, geometry: &Geometry<'_>, change: impl Fn(ReferenceLines) -> ReferenceLines) -> ScopeStyle {
        let style = geometry.scene.look.scopes;
        ScopeStyle { lines: change(style.lines), ..style }
    }
}
