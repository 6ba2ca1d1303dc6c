//! Where everything lies on the view: from the pointer's place to a histogram, to the divider and to the display over the
//! picture.

use egui::{Pos2, Rect};
use glam::DVec2;

use super::comparison::ComparedFrame;
use histoscope_core::histogram::Components;
use histoscope_core::picture::Frame;
use histoscope_render::view::binning::Binning;
use histoscope_render::view::clip_indicators;
use histoscope_render::view::overlay::{Channels, line_pixels};
use histoscope_render::view::panel::{self, Hit, PanelRect};
use histoscope_render::view::placement::{Placement, Shape, ViewSettings};
use histoscope_render::view::region::{Grip, Region, RegionDrag, grip_at};
use histoscope_render::view::scene::{Other, Scene, Sharing};
use histoscope_render::view::scopes::{Arranged, Border, ScopeKind, ScopeStyle};

/// How near the pointer must come to the divider to take hold of it, in points.
const GRAB: f64 = 6.0;
/// Brightness of a trace for a notch of the wheel.
const GAIN_STEP: f32 = 1.2;

/// The view as it is drawn now.
#[derive(Debug, Clone, Copy)]
pub struct Geometry<'a> {
    /// The scene that is drawn.
    pub scene: &'a Scene,
    /// The components that are counted.
    pub components: Components,
    /// The frame on screen, if there is one.
    pub frame: Option<&'a Frame>,
    /// The frame that is compared with, to be shown with that one.
    pub other: Option<&'a ComparedFrame>,
    /// The region of the picture that is counted.
    pub region: Region,
    /// Size of the view in pixels.
    pub size: (u32, u32),
    /// Pixels of the view to a point of the display over it.
    pub points: f32,
}

/// A coded pixel, by its column and row.
#[derive(Debug, Clone, Copy)]
pub enum Pixel<'a> {
    /// Of the frame on screen.
    Live((u32, u32)),
    /// Of the frame that is compared with, at its side of a seam.
    Other(&'a ComparedFrame, (u32, u32)),
}

impl Geometry<'_> {
    /// Bits of a code in the frame on screen.
    #[must_use]
    pub fn bits(&self) -> Option<u32> {
        Some(self.frame?.picture.layout().bin_bits())
    }

    /// The histogram under a point of the view.
    #[must_use]
    pub fn hit(&self, at: DVec2) -> Option<Hit> {
        panel::hit(self.scene, self.components, self.bits()?, self.size, at)
    }

    /// The bins in which the frame on screen is drawn.
    #[must_use]
    pub fn binning(&self) -> Option<Binning> {
        Some(self.scene.look.histograms.binning(self.bits()?))
    }

    /// The codes that are touched at a point of the view in a histogram that shows these channels.
    #[must_use]
    pub fn codes_at(&self, rect: &PanelRect, shown: Channels, at: DVec2) -> Option<(u32, u32)> {
        Some(clip_indicators::codes_at(rect, shown, line_pixels(self.size), self.binning()?, at))
    }

    /// How picture and scopes share the view.
    #[must_use]
    pub fn arranged(&self) -> Arranged {
        self.scene.arranged(self.size)
    }

    /// The border between scopes, or between them and the picture, that a point of the view takes hold of.
    #[must_use]
    pub fn border_at(&self, at: DVec2) -> Option<Border> {
        self.arranged().border_at(at, GRAB * 0.5 * f64::from(self.points)).copied()
    }

    /// Returns whether a point of the view lies where scopes are, and neither picture nor histograms.
    #[must_use]
    pub fn is_on_scopes(&self, at: DVec2) -> bool {
        let arranged = self.arranged();
        let is_beside = arranged.is_split && !arranged.picture.contains(at) && self.hit(at).is_none();
        is_beside || arranged.panel_at(at).is_some()
    }

    /// The scopes after the wheel was turned at a point of the view: a waveform's trace brighter or darker, the middle of a
    /// vectorscope larger or smaller. That has few sizes, each a whole notch apart: `rest` is what of one was turned before.
    #[must_use]
    pub fn scrolled(&self, at: DVec2, notches: f64, rest: &mut f64) -> Option<ScopeStyle> {
        let style = self.scene.look.scopes;
        let scrolled = match self.arranged().panel_at(at)?.kind {
            ScopeKind::Vectorscope => {
                // Whoever turns back begins anew.
                let turned = if *rest * notches < 0.0 { notches } else { *rest + notches };
                *rest = turned.fract();
                (0..turned.abs() as u32).fold(style, |style, _| style.zoomed(turned > 0.0))
            }
            _ => ScopeStyle { gain: style.gain * GAIN_STEP.powf(notches as f32), ..style }.clamped(),
        };
        (scrolled != style).then_some(scrolled)
    }

    /// Size of the upright picture and of the part of the view that it is placed in.
    #[must_use]
    pub fn extents(&self) -> Option<(DVec2, DVec2)> {
        let PanelRect { width, height, .. } = self.scene.live_area(self.size);
        Some((Shape::of(self.frame?).upright(), DVec2::new(width.into(), height.into())))
    }

    /// Returns fit, zoom and position after a movement of the picture.
    #[must_use]
    pub fn moved(&self, move_it: impl FnOnce(ViewSettings) -> ViewSettings) -> ViewSettings {
        ViewSettings { fit: self.scene.look.view.fit, ..move_it(self.scene.view_settings()) }
    }

    /// Pixels of the view to a pixel of the upright picture, in percent: at 100 % each is one.
    #[must_use]
    pub fn percent(&self) -> Option<String> {
        let (upright, view) = self.extents()?;
        let percent = self.scene.view_settings().scale(upright, view) * 100.0;
        Some(if percent < 10.0 { format!("{percent:.1} %") } else { format!("{percent:.0} %") })
    }

    /// Where the picture lies on the view.
    #[must_use]
    pub fn placement(&self) -> Option<Placement> {
        Some(self.scene.placement(&Shape::of(self.frame?), self.size))
    }

    /// Where the source lies, where that is shown with its adjusted picture.
    fn placement_of_source(&self) -> Option<Placement> {
        Some(self.scene.placement_of_other(&Shape::of(self.frame?), self.size))
    }

    /// A point of the view as one of the part of it that the picture there is placed in.
    #[must_use]
    pub fn in_area(&self, at: DVec2) -> DVec2 {
        let [live, other] = self.scene.areas(self.size);
        let is_live = self.scene.seam(self.size).is_none_or(|seam| seam.is_live(at.x));
        let PanelRect { left, top, .. } = if is_live { live } else { other };
        at - DVec2::new(left.into(), top.into())
    }

    /// The coded pixel at a point of the view, and whose it is.
    #[must_use]
    pub fn pixel_at(&self, at: DVec2) -> Option<Pixel<'_>> {
        if self.scene.seam(self.size).is_some_and(|seam| !seam.is_live(at.x)) {
            return match (self.scene.other, self.other) {
                (Other::Held | Other::Second, Some(held)) => {
                    let placement = self.scene.placement_of_other(&Shape::of(&held.frame), self.size);
                    Some(Pixel::Other(held, placement.pixel_at(at)?))
                }
                // The source has the pixels of the live picture.
                _ => Some(Pixel::Live(self.placement_of_source()?.pixel_at(at)?)),
            };
        }
        Some(Pixel::Live(self.placement()?.pixel_at(at)?))
    }

    /// Returns the grip of the region under a point of the view. On a histogram its handles are taken hold of, and its
    /// border is not: bins are brushed there.
    #[must_use]
    pub fn grip(&self, at: DVec2) -> Option<Grip> {
        let rect = self.region.shown()?.rect();
        let grip = grip_at(rect, &self.placement()?, self.points.into(), at)?;
        (grip != Grip::Move || self.hit(at).is_none()).then_some(grip)
    }

    /// The drag of a region that begins at a point of the view: of a new one where that is wanted, else of the one that is there.
    #[must_use]
    pub fn region_drag(&self, at: DVec2, is_new: bool) -> Option<RegionDrag> {
        // Side by side, a region is drawn and seen in the live picture's half.
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

    /// A point of the view in points of the display over it.
    #[must_use]
    pub fn in_points(&self, at: DVec2) -> Pos2 {
        Pos2::new(at.x as f32 / self.points, at.y as f32 / self.points)
    }

    /// A point of the display over the view as a point of the view.
    #[must_use]
    pub fn on_view(&self, at: Pos2) -> DVec2 {
        DVec2::new(at.x.into(), at.y.into()) * f64::from(self.points)
    }

    /// A histogram's place in points.
    #[must_use]
    pub fn rect_in_points(&self, rect: &PanelRect) -> Rect {
        let corner = |x: u32, y: u32| Pos2::new(x as f32 / self.points, y as f32 / self.points);
        Rect::from_min_max(corner(rect.left, rect.top), corner(rect.left + rect.width, rect.top + rect.height))
    }

    /// Width of what panels may cover, in points: that of the view, or of the picture where scopes stand beside it.
    #[must_use]
    pub fn width_in_points(&self) -> f64 {
        f64::from(self.arranged().picture.width) / f64::from(self.points)
    }

    /// How far the divider lies from a point of the view, in pixels, where that takes hold of it: beside the divider, but
    /// not on a histogram, which is brushed there. The middle between pictures side by side stays where it is.
    #[must_use]
    pub fn divider_from(&self, at: DVec2) -> Option<f64> {
        let way = match self.scene.paired()?.sharing {
            Sharing::Divider(share) => f64::from(share.clamp(0.0, 1.0)) * f64::from(self.size.0) - at.x,
            _ => return None,
        };
        (way.abs() <= GRAB * f64::from(self.points) && self.hit(at).is_none()).then_some(way)
    }

    /// The share of the view's width at a column of it, where the divider is dragged to.
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
        let frame = histoscope_core::made::gray((16, 9), |_, _| 128);
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
    fn the_divider_is_taken_hold_of_within_its_reach() {
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
