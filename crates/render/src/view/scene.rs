//! A scene: the look of the picture, with its brushes and marks.

pub use crate::view::brush::Brush;
use crate::view::brush::Lighting;
use crate::view::brushes::Brushes;
use crate::view::guides::PlacedGuides;
pub use crate::view::look::{Counted, Look};
use crate::view::overlay::{Arrangement, COLUMN_WIDTH, MARGIN, OverlayStyle, PAIR_WIDTH, margin_below};
use crate::view::placement::{Fit, Placement, Shape, ViewSettings};
use crate::view::rect::PanelRect;
use crate::view::scopes::{Arranged, arrange};
use crate::view::sharing::halves;
pub use crate::view::sharing::{Other, Pair, Seam, Sharing};
use glam::DVec2;
use histoscope_core::histogram::Components;
use histoscope_core::scopes::Scope;

/// No bin: the mark of a channel that a probed pixel lacks.
pub const NO_BIN: u32 = u32::MAX;

/// The most of a picture that scopes and panels cover side by side, as a fraction.
pub const MOST_COVERED: f32 = 0.25;
/// The greatest height of scopes below pictures side by side, as a fraction of the view.
const MOST_BESIDE: f32 = 0.6;

/// Everything needed to draw a picture and the layers over it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scene {
    /// The choices of what is shown and how.
    pub look: Look,
    /// The picture shown with the live one, if the look has two.
    pub other: Other,
    /// The brushes in the scopes: pixels selected by all of them keep their brightness, and the rest of the picture is
    /// dimmed.
    pub brushes: Brushes,
    /// Strength of the dimming: 0 for none, 1 for full.
    pub brush_strength: f32,
    /// Bins of a probed pixel to mark in the overlays, channel by channel; [`NO_BIN`] for none.
    pub marks: Option<[u32; 4]>,
}

impl Default for Scene {
    fn default() -> Self {
        Self::from(Look::default())
    }
}

/// Creates a scene without brushes and marks.
impl From<Look> for Scene {
    fn from(look: Look) -> Self {
        Self { look, other: Other::default(), brushes: Brushes::default(), brush_strength: 1.0, marks: None }
    }
}

impl Scene {
    /// Returns the scene with two pictures.
    #[must_use]
    pub const fn with_pair(self, pair: Pair) -> Self {
        let Pair { sharing, other, gain } = pair;
        Self { look: Look { sharing, gain, ..self.look }, other, ..self }
    }

    /// Returns the arrangement of picture and scopes on a view of `view` pixels. Scopes that could cover more than a
    /// quarter of two pictures side by side leave them the room above, or to the left.
    #[must_use]
    pub fn arranged(&self, view: (u32, u32)) -> Arranged {
        let style = self.histograms();
        let mut arranged = arrange(&self.look.scopes, self.look.overlays, (style.height, style.lift), view);
        let is_strip = !arranged.is_split && (self.look.overlays || !arranged.panels.is_empty());
        if !self.is_side_by_side() || !is_strip {
            return arranged;
        }
        let whole = arranged.picture;
        if arranged.panels.is_empty() && style.arrangement == Arrangement::Column {
            arranged.picture.width = ((1.0 - COLUMN_WIDTH - 2.0 * MARGIN) * whole.width as f32) as u32;
            return arranged;
        }
        let below = style.lift + margin_below(view);
        let across = match style.arrangement {
            Arrangement::Pair if arranged.panels.is_empty() => PAIR_WIDTH,
            _ => 1.0 - 2.0 * MARGIN,
        };
        // The most covered are a high picture, and one whose black space is as high as the margin.
        if style.height.max(across * style.height / (1.0 - 2.0 * below)) > MOST_COVERED {
            arranged.picture.height = ((1.0 - below - style.height) * whole.height as f32) as u32;
        }
        arranged
    }

    /// Returns the style of the histograms, as far as they leave room for two pictures side by side.
    #[must_use]
    pub fn histograms(&self) -> OverlayStyle {
        let style = self.look.histograms.clamped();
        let most = if self.is_side_by_side() { MOST_BESIDE } else { 1.0 };
        OverlayStyle { height: style.height.min(most), ..style }
    }

    /// Returns `true` if two pictures are shown side by side.
    fn is_side_by_side(&self) -> bool {
        self.paired().is_some_and(|pair| pair.sharing == Sharing::SideBySide)
    }

    /// Returns the part of a view of `view` pixels in which the live picture is placed.
    #[must_use]
    pub fn live_area(&self, view: (u32, u32)) -> PanelRect {
        self.areas(view)[0]
    }

    /// Returns the placement of a live picture of that shape on a view of `view` pixels.
    #[must_use]
    pub fn placement(&self, shape: &Shape, view: (u32, u32)) -> Placement {
        Placement::within(shape, &self.view_settings(), view, self.areas(view)[0])
    }

    /// Returns the placement of the picture shown with the live one.
    #[must_use]
    pub fn placement_of_other(&self, shape: &Shape, view: (u32, u32)) -> Placement {
        Placement::within(shape, &self.view_settings(), view, self.areas(view)[1])
    }

    /// Returns the guides on a live picture of that shape and, side by side, on the other one.
    #[must_use]
    pub fn guides(&self, shape: &Shape, other: Option<&Shape>, view: (u32, u32)) -> Vec<PlacedGuides> {
        let guides = &self.look.guides;
        let live = PlacedGuides::new(guides, shape, &self.placement(shape, view));
        let other = other.filter(|_| self.is_side_by_side());
        let other = other.and_then(|other| PlacedGuides::new(guides, other, &self.placement_of_other(other, view)));
        live.into_iter().chain(other).collect()
    }

    /// Returns the probes that are seen on a live picture of that shape, with the points of the view at the middle of
    /// their pixels.
    #[must_use]
    pub fn pins(&self, shape: &Shape, view: (u32, u32)) -> Vec<(usize, DVec2)> {
        let (placement, seam) = (self.placement(shape, view), self.seam(view));
        let middle = |(probe, (x, y)): (usize, (u32, u32))| {
            (probe, placement.point_of(DVec2::new(f64::from(x) + 0.5, f64::from(y) + 0.5)))
        };
        let is_seen = |at: DVec2| placement.area.contains(at) && seam.is_none_or(|seam| seam.is_live(at.x));
        self.look.probes.within(placement.picture).map(middle).filter(|(_, at)| is_seen(*at)).collect()
    }

    /// Returns the parts of a view in which the live picture and the other one are placed.
    #[must_use]
    pub fn areas(&self, view: (u32, u32)) -> [PanelRect; 2] {
        let whole = self.arranged(view).picture;
        match self.paired() {
            Some(Pair { sharing: Sharing::SideBySide, other, .. }) => {
                let [left, right] = halves(whole);
                if other.is_left() { [right, left] } else { [left, right] }
            }
            _ => [whole; 2],
        }
    }

    /// Returns the effective fit, zoom and position. Pictures side by side, and the picture of a split layout, are
    /// fully visible instead of covering their areas.
    #[must_use]
    pub fn view_settings(&self) -> ViewSettings {
        let view = self.look.view;
        let has_own_area = self.is_side_by_side() || self.look.scopes.is_split(self.look.overlays);
        let fit = if has_own_area && view.fit == Fit::Cover { Fit::Contain } else { view.fit };
        ViewSettings { fit, ..view }
    }

    /// Returns how another picture is shown with the live one, or `None` if none is, or if both would be the same.
    #[must_use]
    pub fn paired(&self) -> Option<Pair> {
        let Look { sharing, gain, .. } = self.look;
        let is_shown = match sharing {
            Sharing::Alone => false,
            Sharing::Divider(share) => !share.is_nan(),
            Sharing::SideBySide | Sharing::Difference => true,
        };
        let has_two = self.other != Other::Source || !self.look.adjustments.is_off();
        (is_shown && has_two).then_some(Pair { sharing, other: self.other, gain })
    }

    /// Returns the seam of two pictures on a view of `view` pixels, if there are two.
    #[must_use]
    pub fn seam(&self, view: (u32, u32)) -> Option<Seam> {
        let Pair { sharing, other, .. } = self.paired()?;
        let (column, moves) = match sharing {
            Sharing::Alone | Sharing::Difference => return None,
            Sharing::Divider(share) => ((f64::from(share.clamp(0.0, 1.0)) * f64::from(view.0)).round() as u32, true),
            Sharing::SideBySide => (halves(self.arranged(view).picture)[1].left, false),
        };
        Some(Seam { column, other, moves })
    }

    /// Drops the brushes of hidden scopes and of another diagram, since a brush that nobody can see should not select
    /// anything.
    pub fn drop_hidden_brushes(&mut self) {
        let (counted, diagram) = (self.look.scopes.counted(), self.look.scopes.diagram);
        self.brushes.waveform = self.brushes.waveform.filter(|_| counted[Scope::Waveform]);
        self.brushes.vectorscope =
            self.brushes.vectorscope.filter(|brush| counted[Scope::Vectorscope] && brush.diagram == diagram);
    }

    /// Returns how the brushes light the picture, if anything is brushed.
    #[must_use]
    pub fn lighting(&self, components: Components) -> Option<Lighting> {
        if self.brushes.in_scopes() {
            return Lighting::of_selected(components, self.brush_strength);
        }
        Lighting::new(self.brushes.histogram, components, self.brush_strength)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::brushes::WaveformBrush;
    use crate::view::overlay::Channels;
    use crate::view::panel::panels;
    use crate::view::scopes::ScopeKind;
    use histoscope_core::picture::{Orientation, Ratio};

    #[test]
    fn the_picture_is_contained_beside_scopes_but_covers_a_view_of_its_own() {
        let mut scene = Scene::default();
        assert_eq!(scene.view_settings().fit, Fit::Cover);
        scene.look.scopes.layout = crate::view::scopes::Layout::Split;
        scene.look.overlays = true;
        assert_eq!(scene.view_settings().fit, Fit::Contain);
        scene.look.view.fit = Fit::Actual;
        assert_eq!(scene.view_settings().fit, Fit::Actual);
        scene.look = Look { view: ViewSettings::default(), overlays: false, ..scene.look };
        assert_eq!(scene.view_settings().fit, Fit::Cover, "no scope is shown");
    }

    #[test]
    fn histograms_cover_at_most_a_quarter_of_pictures_side_by_side() {
        let pair = Pair { sharing: Sharing::SideBySide, other: Other::Second, ..Pair::default() };
        let shapes = [(1920, 1080), (1000, 1000), (1180, 1000), (1080, 1920), (2390, 1000)];
        for (arrangement, height) in Arrangement::ALL
            .into_iter()
            .flat_map(|arrangement| [0.05, 0.25, 0.5, 1.0].map(|height| (arrangement, height)))
        {
            let histograms = OverlayStyle { arrangement, height, ..OverlayStyle::default() };
            let scene = Scene::from(Look { histograms, overlays: true, ..Look::default() }).with_pair(pair);
            for (view, (width, height)) in [(480, 270), (1280, 720), (2560, 1440), (1000, 1000)]
                .into_iter()
                .flat_map(|view| shapes.map(|s| (view, s)))
            {
                let shape = Shape { width, height, sample_aspect: Ratio::ONE, orientation: Orientation::default() };
                for placement in [scene.placement(&shape, view), scene.placement_of_other(&shape, view)] {
                    let (columns, rows) = placement.covered();
                    let common = |a: &std::ops::Range<u32>, begin: u32, length: u32| {
                        u64::from(a.end.min(begin + length).saturating_sub(a.start.max(begin)))
                    };
                    let covered: u64 = panels(&scene, Components::Rgbl, view)
                        .map(|(_, rect, _)| {
                            common(&columns, rect.left, rect.width) * common(&rows, rect.top, rect.height)
                        })
                        .sum();
                    let all = (columns.len() * rows.len()) as u64;
                    let what = format!("{arrangement:?} on {view:?} over {shape:?}");
                    assert!(all * 30 > u64::from(view.0) * u64::from(view.1), "{what}: {columns:?} {rows:?}");
                    // The edges are rounded to whole pixels.
                    assert!(covered * 1000 <= all * 255, "{what}: {covered} of {all} pixels");
                }
            }
        }
    }

    #[test]
    fn a_brush_is_dropped_with_the_last_scope_that_shows_it() {
        let range = Brush { channels: Channels::ALL, low: 3, high: 9 };
        let waveform = Some(WaveformBrush { range, columns: [0, 4], column_count: 64 });
        let mut scene = Scene { brushes: Brushes { waveform, ..Brushes::default() }, ..Scene::default() };
        (scene.look.scopes.waveform, scene.look.scopes.parade) = (true, true);
        for (kind, is_there) in [(ScopeKind::Waveform, true), (ScopeKind::Parade, false)] {
            scene.look.scopes.toggle(kind);
            scene.drop_hidden_brushes();
            assert_eq!(scene.brushes.any(), is_there, "{kind:?}");
        }
    }
}
