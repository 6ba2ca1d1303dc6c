//! The layout of the view: maps a position of the pointer to a histogram, a scope, a pixel, the divider or the HUD.

use glam::DVec2;
use histoscope_hud::{Pos2, Rect};

use crate::app::comparison::ComparedFrame;
use histoscope_core::histogram::Components;
use histoscope_core::picture::Frame;
use histoscope_render::labels::graticule::ScopeSubject;
use histoscope_render::view::binning::Binning;
use histoscope_render::view::clip_indicators;
use histoscope_render::view::guides::PlacedGuides;
use histoscope_render::view::overlay::{Channels, line_pixels};
use histoscope_render::view::panel::{self, Hit, PanelRect};
use histoscope_render::view::placement::{Placement, Shape, ViewSettings};
use histoscope_render::view::region::{Grip, Region, RegionDrag, grip_at};
use histoscope_render::view::scene::{Other, Scene, Sharing};
use histoscope_render::view::scopes::{Arranged, Border, ScopeKind, ScopeStyle};

/// How close the pointer must be to the divider to grab it, in points.
const GRAB: f64 = 6.0;
/// How close the pointer must be to the middle of a pin to grab it, in points.
const PIN: f64 = 8.0;
/// Factor that one notch of the wheel applies to the brightness of a trace.
const GAIN_STEP: f32 = 1.2;

/// The layout of the view as it is drawn now.
#[derive(Debug, Clone, Copy)]
pub struct Geometry<'a> {
    /// The scene that is drawn.
    pub scene: &'a Scene,
    /// The components that are counted.
    pub components: Components,
    /// The frame on screen, if there is one.
    pub frame: Option<&'a Frame>,
    /// The compared frame, if it is to be shown with the one on screen.
    pub other: Option<&'a ComparedFrame>,
    /// The region of the picture that is counted.
    pub region: Region,
    /// Size of the view in pixels.
    pub size: (u32, u32),
    /// Pixels of the view per point of the HUD.
    pub points: f32,
}

/// A coded pixel, by its column and row.
#[derive(Debug, Clone, Copy)]
pub enum Pixel<'a> {
    /// A pixel of the frame on screen.
    Live((u32, u32)),
    /// A pixel of the compared frame, on its side of a seam.
    Other(&'a ComparedFrame, (u32, u32)),
}

impl Geometry<'_> {
    /// Returns the bits per code of the frame on screen.
    #[must_use]
    pub fn bits(&self) -> Option<u32> {
        Some(self.frame?.picture.layout().bin_bits())
    }

    /// Returns what the scopes of a frame count, and how they are labelled.
    #[must_use]
    pub fn scope_subject(&self, frame: &Frame) -> ScopeSubject {
        ScopeSubject::shown_by(self.scene, frame, self.components)
    }

    /// Returns the histogram under a point of the view.
    #[must_use]
    pub fn hit(&self, at: DVec2) -> Option<Hit> {
        panel::hit(self.scene, self.components, self.bits()?, self.size, at)
    }

    /// Returns the binning of the histograms for the frame on screen.
    #[must_use]
    pub fn binning(&self) -> Option<Binning> {
        Some(self.scene.look.histograms.binning(self.bits()?))
    }

    /// Returns the lowest and highest code under a point of the view, in a histogram that shows these channels.
    #[must_use]
    pub fn codes_at(&self, rect: &PanelRect, shown: Channels, at: DVec2) -> Option<(u32, u32)> {
        Some(clip_indicators::codes_at(rect, shown, line_pixels(self.size), self.binning()?, at))
    }

    /// Returns how the picture and the scopes share the view.
    #[must_use]
    pub fn arranged(&self) -> Arranged {
        self.scene.arranged(self.size)
    }

    /// Returns the border between scopes, or between the scopes and the picture, that can be grabbed at a point of the
    /// view.
    #[must_use]
    pub fn border_at(&self, at: DVec2) -> Option<Border> {
        self.arranged().border_at(at, GRAB * 0.5 * f64::from(self.points)).copied()
    }

    /// Returns `true` if a point of the view is in the area of the scopes, rather than on the picture or a histogram.
    #[must_use]
    pub fn is_on_scopes(&self, at: DVec2) -> bool {
        let arranged = self.arranged();
        let is_beside = arranged.is_split && !arranged.picture.contains(at) && self.hit(at).is_none();
        is_beside || arranged.panel_at(at).is_some()
    }

    /// Returns the scopes after the wheel was turned at a point of the view. Over a waveform, the trace gets brighter
    /// or darker; over a vectorscope, its centre is magnified more or less. The magnifications are few, a whole notch
    /// apart, so `rest` carries the fraction of a notch from one call to the next.
    #[must_use]
    pub fn scrolled(&self, at: DVec2, notches: f64, rest: &mut f64) -> Option<ScopeStyle> {
        let style = self.scene.look.scopes;
        let scrolled = match self.arranged().panel_at(at)?.kind {
            ScopeKind::Vectorscope => {
                // Turning back discards the fraction.
                let turned = if *rest * notches < 0.0 { notches } else { *rest + notches };
                *rest = turned.fract();
                (0..turned.abs() as u32).fold(style, |style, _| style.zoomed(turned > 0.0))
            }
            _ => ScopeStyle { gain: style.gain * GAIN_STEP.powf(notches as f32), ..style }.clamped(),
        };
        (scrolled != style).then_some(scrolled)
    }

    /// Returns the sizes of the upright picture and of the part of the view that it is placed in.
    #[must_use]
    pub fn extents(&self) -> Option<(DVec2, DVec2)> {
        let PanelRect { width, height, .. } = self.scene.live_area(self.size);
        Some((Shape::of(self.frame?).upright(), DVec2::new(width.into(), height.into())))
    }

    /// Returns fit, zoom and position after the picture has been moved.
    #[must_use]
    pub fn moved(&self, move_it: impl FnOnce(ViewSettings) -> ViewSettings) -> ViewSettings {
        ViewSettings { fit: self.scene.look.view.fit, ..move_it(self.scene.view_settings()) }
    }

    /// Returns the size at which the picture is shown, in percent: at 100 %, each pixel of the upright picture covers
    /// one pixel of the view.
    #[must_use]
    pub fn percent(&self) -> Option<String> {
        let (upright, view) = self.extents()?;
        let percent = self.scene.view_settings().scale(upright, view) * 100.0;
        Some(if percent < 10.0 { format!("{percent:.1} %") } else { format!("{percent:.0} %") })
    }

    /// Returns where the picture lies on the view.
    #[must_use]
    pub fn placement(&self) -> Option<Placement> {
        Some(self.scene.placement(&Shape::of(self.frame?), self.size))
    }

    /// Returns the shape of the compared picture, if one is shown with the live one.
    #[must_use]
    pub fn other_shape(&self) -> Option<Shape> {
        self.other.filter(|_| self.scene.other != Other::Source).map(|compared| Shape::of(&compared.frame))
    }

    /// Returns the guides on the pictures of the view.
    #[must_use]
    pub fn guides(&self) -> Vec<PlacedGuides> {
        let Some(live) = self.frame.map(Shape::of) else { return Vec::new() };
        self.scene.guides(&live, Some(&self.other_shape().unwrap_or(live)), self.size)
    }

    /// Returns where the source lies if it is shown together with the adjusted picture.
    fn placement_of_source(&self) -> Option<Placement> {
        Some(self.scene.placement_of_other(&Shape::of(self.frame?), self.size))
    }

    /// Converts a point of the view to coordinates in the area of the picture under it.
    #[must_use]
    pub fn in_area(&self, at: DVec2) -> DVec2 {
        let [live, other] = self.scene.areas(self.size);
        let is_live = self.scene.seam(self.size).is_none_or(|seam| seam.is_live(at.x));
        let PanelRect { left, top, .. } = if is_live { live } else { other };
        at - DVec2::new(left.into(), top.into())
    }

    /// Returns the coded pixel at a point of the view, and which picture it belongs to.
    #[must_use]
    pub fn pixel_at(&self, at: DVec2) -> Option<Pixel<'_>> {
        if self.scene.seam(self.size).is_some_and(|seam| !seam.is_live(at.x)) {
            return match (self.scene.other, self.other) {
                (Other::Held | Other::Second, Some(held)) => {
                    let placement = self.scene.placement_of_other(&Shape::of(&held.frame), self.size);
                    Some(Pixel::Other(held, placement.pixel_at(at)?))
                }
                // The source has the same pixels as the live picture.
                _ => Some(Pixel::Live(self.placement_of_source()?.pixel_at(at)?)),
            };
        }
        Some(Pixel::Live(self.placement()?.pixel_at(at)?))
    }

    /// Returns the probe whose pin can be grabbed at a point of the view, on the picture.
    #[must_use]
    pub fn pin_at(&self, at: DVec2) -> Option<usize> {
        let pins = self.scene.pins(&Shape::of(self.frame?), self.size);
        let distance = |pin: &(usize, DVec2)| pin.1.distance(at);
        let nearest = pins.into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        let is_near = distance(&nearest) <= PIN * f64::from(self.points);
        (is_near && self.is_on_picture(at)).then_some(nearest.0)
    }

    /// Returns `true` if a point of the view is on neither a scope nor a histogram.
    #[must_use]
    pub fn is_on_picture(&self, at: DVec2) -> bool {
        self.hit(at).is_none() && !self.is_on_scopes(at)
    }

    /// Returns the grip on the region at a point of the view. On a histogram, only the handles that move edges count:
    /// elsewhere, dragging brushes bins.
    #[must_use]
    pub fn grip(&self, at: DVec2) -> Option<Grip> {
        let rect = self.region.shown()?.rect();
        let grip = grip_at(rect, &self.placement()?, self.points.into(), at)?;
        // A line has no edges to move.
        let grip = if self.region.line().is_some() { Grip::Move } else { grip };
        (grip != Grip::Move || self.hit(at).is_none()).then_some(grip)
    }

    /// Returns the drag of a region that begins at a point of the view: of a new region if `is_new`, otherwise of the
    /// existing one.
    #[must_use]
    pub fn region_drag(&self, at: DVec2, is_new: bool) -> Option<RegionDrag> {
        // Side by side, a region is drawn and shown in the half with the live picture.
        if self.scene.seam(self.size).is_some_and(|seam| !seam.moves && !seam.is_live(at.x)) {
            return None;
        }
        let placement = self.placement()?;
        if is_new {
            return Some(RegionDrag::new(at, &placement));
        }
        let (grip, shown) = (self.grip(at)?, self.region.shown()?);
        Some(RegionDrag::change(grip, shown.rect(), at, &placement))
    }

    /// Converts a point of the view to points of the HUD.
    #[must_use]
    pub fn in_points(&self, at: DVec2) -> Pos2 {
        Pos2::new(at.x as f32 / self.points, at.y as f32 / self.points)
    }

    /// Converts a point of the HUD to pixels of the view.
    #[must_use]
    pub fn on_view(&self, at: Pos2) -> DVec2 {
        DVec2::new(at.x.into(), at.y.into()) * f64::from(self.points)
    }

    /// Returns the rectangle of a histogram in points.
    #[must_use]
    pub fn rect_in_points(&self, rect: &PanelRect) -> Rect {
        let corner = |x: u32, y: u32| Pos2::new(x as f32 / self.points, y as f32 / self.points);
        Rect::from_min_max(corner(rect.left, rect.top), corner(rect.left + rect.width, rect.top + rect.height))
    }

    /// Returns the width that panels may cover, in points: the width of the picture, which fills the view unless scopes
    /// are next to it.
    #[must_use]
    pub fn width_in_points(&self) -> f64 {
        f64::from(self.arranged().picture.width) / f64::from(self.points)
    }

    /// Returns how far the divider lies from a point of the view, in pixels, if it can be grabbed there: close to the
    /// divider, but not on a histogram, where dragging brushes bins. The seam between pictures side by side cannot be
    /// moved.
    #[must_use]
    pub fn divider_from(&self, at: DVec2) -> Option<f64> {
        let way = match self.scene.paired()?.sharing {
            Sharing::Divider(share) => f64::from(share.clamp(0.0, 1.0)) * f64::from(self.size.0) - at.x,
            _ => return None,
        };
        (way.abs() <= GRAB * f64::from(self.points) && self.hit(at).is_none()).then_some(way)
    }

    /// Returns the share of the view's width at column `x`, for a divider dragged there.
    #[must_use]
    pub fn share_at(&self, x: f64) -> f32 {
        (x / f64::from(self.size.0.max(1))).clamp(0.0, 1.0) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::adjust::{Adjustments, Blur};
    use histoscope_render::view::scene::Look;
    use histoscope_render::view::scene::Pair;

    #[test]
    fn a_region_is_drawn_in_the_half_of_the_live_picture() {
        let frame = histoscope_core::test_data::gray((16, 9), |_, _| 128);
        let drawn = |sharing, x: f64| {
            let pair = Pair { sharing, other: Other::Second, ..Pair::default() };
            let scene = Scene::from(Look::default()).with_pair(pair);
            let (components, region) = (Components::Rgbl, Region::default());
            let (frame, size) = (Some(&frame), (1280, 720));
            let geometry = Geometry { scene: &scene, components, frame, other: None, region, size, points: 1.0 };
            geometry.region_drag(DVec2::new(x, 300.0), true).is_some()
        };
        assert_eq!([300.0, 900.0].map(|x| drawn(Sharing::SideBySide, x)), [true, false]);
        assert_eq!([300.0, 900.0].map(|x| drawn(Sharing::Divider(0.5), x)), [true, true]);
    }

    #[test]
    fn the_divider_can_be_grabbed_within_its_reach() {
        let adjustments = Adjustments { blur: Some(Blur { size: 9, runs: 1 }), ..Adjustments::default() };
        let is_held = |x: f64, divider: f32, adjustments: Adjustments| {
            let scene = Scene::from(Look { adjustments, ..Look::default() }).with_pair(Pair::divided(divider));
            let (components, region) = (Components::Rgbl, Region::default());
            let geometry = Geometry {
                scene: &scene,
                components,
                frame: None,
                other: None,
                region,
                size: (1280, 720),
                points: 1.0,
            };
            geometry.divider_from(DVec2::new(x, 100.0)).is_some()
        };
        for (x, expected) in [(633.9, false), (634.0, true), (640.0, true), (646.0, true), (646.1, false)] {
            assert_eq!(is_held(x, 0.5, adjustments), expected, "{x}");
        }
        assert!(is_held(3.0, 0.0, adjustments) && is_held(1279.0, 1.0, adjustments), "at the edges");
        assert!(!is_held(640.0, 0.5, Adjustments::default()), "nothing is adjusted");
    }
}
