//! The user's choices of what is shown of a picture and over it, as the passes take them.

pub use crate::view::brush::Brush;
use crate::view::brush::Lighting;
use crate::view::brushes::Brushes;
use crate::view::datascope::Datascope;
use crate::view::exposure::Exposure;
use crate::view::overlay::{Channels, OverlayStyle};
use crate::view::placement::{Fit, Placement, Shape, ViewSettings};
use crate::view::rect::PanelRect;
use crate::view::scopes::{Arranged, ScopeStyle, arrange};
use crate::view::sharing::halves;
pub use crate::view::sharing::{Other, Pair, Seam, Sharing};
use histoscope_core::adjust::Adjustments;
use histoscope_core::histogram::Components;

/// No bin: the mark of a channel that a probed pixel does not have.
pub const NO_BIN: u32 = u32::MAX;

/// Which picture the histograms are of, where the picture is adjusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Counted {
    /// The picture as it was decoded.
    Source,
    /// The adjusted one.
    #[default]
    Result,
    /// Both: the adjusted one filled, the decoded one as an outline.
    Both,
}

impl Counted {
    /// Every choice, in the order in which a key goes through them.
    pub const ALL: [Self; 3] = [Self::Source, Self::Result, Self::Both];

    /// Its name on a button.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Result => "result",
            Self::Both => "both",
        }
    }
}

/// Everything that is drawn over and around the picture, and how much of it is seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scene {
    /// Channels that are toggled on.
    pub channels: Channels,
    /// `true` if the overlays are shown at all.
    pub overlays: bool,
    /// How the overlays look.
    pub style: OverlayStyle,
    /// The visible part of the picture.
    pub view: ViewSettings,
    /// The brushes of the scopes: pixels that all brushes select keep their light, while the rest of the picture dims.
    pub brushes: Brushes,
    /// How far the rest has dimmed: 0 not at all, 1 as far as it goes.
    pub brush_strength: f32,
    /// Bins of a probed pixel, channel by channel, to mark in the overlays; [`NO_BIN`] for none.
    pub marks: Option<[u32; 4]>,
    /// The adjustments of the picture before it is drawn.
    pub adjustments: Adjustments,
    /// Which picture is counted; without adjustments always the source.
    pub counted: Counted,
    /// Which other picture is shown with it, and how.
    pub pair: Pair,
    /// `true` if the cumulative histograms are drawn over the bars.
    pub curves: bool,
    /// The exposure marks in the picture.
    pub exposure: Exposure,
    /// The scopes beside the histograms.
    pub scopes: ScopeStyle,
    /// `true` if the codes of its pixels are written in them, where these are large.
    pub datascope: Datascope,
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            channels: Channels::ALL,
            overlays: true,
            style: OverlayStyle::default(),
            view: ViewSettings::default(),
            brushes: Brushes::default(),
            brush_strength: 1.0,
            marks: None,
            adjustments: Adjustments::default(),
            counted: Counted::default(),
            pair: Pair::default(),
            curves: false,
            exposure: Exposure::default(),
            scopes: ScopeStyle::default(),
            datascope: Datascope::default(),
        }
    }
}

impl Scene {
    /// How picture and scopes share a view of `view` pixels.
    #[must_use]
    pub fn arranged(&self, view: (u32, u32)) -> Arranged {
        let style = self.style.clamped();
        arrange(&self.scopes, self.overlays, (style.height, style.lift), view)
    }

    /// The part of a view of `view` pixels that the live picture is placed in.
    #[must_use]
    pub fn live_area(&self, view: (u32, u32)) -> PanelRect {
        self.areas(view)[0]
    }

    /// Where the live picture lies on a view of `view` pixels, one of that shape.
    #[must_use]
    pub fn placement(&self, shape: &Shape, view: (u32, u32)) -> Placement {
        Placement::within(shape, &self.view_settings(), view, self.areas(view)[0])
    }

    /// The same of the picture that is shown with it.
    #[must_use]
    pub fn placement_of_other(&self, shape: &Shape, view: (u32, u32)) -> Placement {
        Placement::within(shape, &self.view_settings(), view, self.areas(view)[1])
    }

    /// The parts of a view that the live picture and the other one are placed in.
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

    /// Returns the visible part of the picture: side by side, what would be cut off to cover a half of the view is seen too.
    #[must_use]
    pub fn view_settings(&self) -> ViewSettings {
        let is_beside = self.paired().is_some_and(|pair| pair.sharing == Sharing::SideBySide);
        let fit = if is_beside && self.view.fit == Fit::Cover { Fit::Contain } else { self.view.fit };
        ViewSettings { fit, ..self.view }
    }

    /// Which picture is counted: [`Counted::Source`] where nothing is adjusted.
    #[must_use]
    pub fn counted(&self) -> Counted {
        if self.adjustments.is_off() { Counted::Source } else { self.counted }
    }

    /// The same where these components are counted: code values are those of the source, since an adjusted picture is R'G'B'
    /// and has no others.
    #[must_use]
    pub fn counted_in(&self, components: Components) -> Counted {
        if components == Components::YCbCr { Counted::Source } else { self.counted() }
    }

    /// Which picture the histograms are of, in words; nothing where there is but one.
    #[must_use]
    pub fn counted_text(&self, components: Components) -> Option<String> {
        if self.adjustments.is_off() {
            return None;
        }
        Some(match self.counted_in(components) {
            Counted::Source => "source".to_owned(),
            Counted::Result => format!("result: {}", self.adjustments),
            Counted::Both => format!("result: {}; outline: source", self.adjustments),
        })
    }

    /// The same of the one that is drawn as bars alone.
    #[must_use]
    pub fn filled_text(&self, components: Components) -> Option<String> {
        let counted = if self.counted == Counted::Both { Counted::Result } else { self.counted };
        Self { counted, ..*self }.counted_text(components)
    }

    /// How another picture is shown with the live one; nothing where none is, or both would be the same.
    #[must_use]
    pub fn paired(&self) -> Option<Pair> {
        let Pair { sharing, other, .. } = self.pair;
        let is_shown = match sharing {
            Sharing::Alone => false,
            Sharing::Divider(share) => !share.is_nan(),
            Sharing::SideBySide | Sharing::Difference => true,
        };
        let has_two = other != Other::Source || !self.adjustments.is_off();
        (is_shown && has_two).then_some(self.pair)
    }

    /// Where one picture ends on a view of `view` pixels and another begins, if they do.
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

    /// Returns `true` if the luminance of linear light is shown where these components are counted: code values have none.
    #[must_use]
    pub const fn shows_linear(&self, components: Components) -> bool {
        let has_luminance = matches!(components, Components::Rgbl) && self.channels.contains(3);
        self.overlays && self.style.linear_luminance && has_luminance
    }

    /// Drops the brushes of scopes that are not shown: what nobody sees selects nothing.
    pub fn drop_hidden_brushes(&mut self) {
        let counted = self.scopes.counted();
        self.brushes.waveform = self.brushes.waveform.filter(|_| counted.waveform);
        self.brushes.vectorscope = self.brushes.vectorscope.filter(|_| counted.vectorscope);
    }

    /// Returns the light of the brushes in the picture, if they have any.
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
    use crate::view::scopes::ScopeKind;
    use histoscope_core::adjust::Blur;

    #[test]
    fn a_brush_goes_with_the_last_scope_that_shows_it() {
        let range = Brush { channels: Channels::ALL, low: 3, high: 9 };
        let waveform = Some(WaveformBrush { range, columns: [0, 4], of: 64 });
        let mut scene = Scene { brushes: Brushes { waveform, ..Brushes::default() }, ..Scene::default() };
        (scene.scopes.waveform, scene.scopes.parade) = (true, true);
        for (kind, is_there) in [(ScopeKind::Waveform, true), (ScopeKind::Parade, false)] {
            scene.scopes.toggle(kind);
            scene.drop_hidden_brushes();
            assert_eq!(scene.brushes.any(), is_there, "{kind:?}");
        }
    }

    #[test]
    fn shown_numbers_say_of_which_picture_they_are() {
        let text =
            |counted, adjustments| Scene { counted, adjustments, ..Scene::default() }.counted_text(Components::Rgbl);
        assert_eq!(text(Counted::Result, Adjustments::default()), None);
        let adjustments = Adjustments { blur: Some(Blur { size: 9, runs: 1 }), ..Adjustments::default() };
        let texts = Counted::ALL.map(|counted| text(counted, adjustments).unwrap());
        assert_eq!(texts, ["source", "result: low-pass 9×9", "result: low-pass 9×9; outline: source"]);
        let coded = Scene { adjustments, ..Scene::default() }.counted_text(Components::YCbCr);
        assert_eq!(coded.as_deref(), Some("source"), "code values are those of the source");
    }
}
