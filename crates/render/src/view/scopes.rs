//! The scopes beside the histograms: which are shown, and how they share the view. Pure functions, for the passes that draw
//! them and for the pointer alike.

mod arrange;
mod params;

use serde::{Deserialize, Serialize};

pub use arrange::{Arranged, Border, ScopePanel, arrange};
use histoscope_core::scopes::graticule::Unit;
pub use params::{PanelDrawing, TraceParams};

/// A scope that can be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScopeKind {
    /// The histograms.
    Histogram,
    /// Levels of each column, all channels over each other.
    Waveform,
    /// The same, the channels side by side.
    Parade,
    /// Colour differences.
    Vectorscope,
}

impl ScopeKind {
    /// Every scope, in the order of their keys and of the panels.
    pub const ALL: [Self; 4] = [Self::Histogram, Self::Waveform, Self::Parade, Self::Vectorscope];

    /// Its name on a button and in notes.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Histogram => "histograms",
            Self::Waveform => "waveform",
            Self::Parade => "parade",
            Self::Vectorscope => "vectorscope",
        }
    }
}

/// How scopes and picture share the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// The picture fills the view, the scopes lie over its lower edge.
    #[default]
    Strip,
    /// The picture has a part of the view, the scopes have the rest.
    Wall,
}

/// Which scopes are shown beside the histograms, and how.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ScopeStyle {
    /// Whether the waveform is shown.
    pub waveform: bool,
    /// Whether the parade is.
    pub parade: bool,
    /// Whether the vectorscope is.
    pub vectorscope: bool,
    /// How they share the view with the picture.
    pub layout: Layout,
    /// How bright traces are, 1 being as designed; kept within [`Self::GAINS`].
    pub gain: f32,
    /// Enlargement of the vectorscope's middle, one of [`Self::ZOOMS`].
    pub zoom: u32,
    /// Whether the vectorscope's trace is white, and not in the hue that it stands for.
    pub white: bool,
    /// Whether the vectorscope has a line for the tone of skin.
    pub skin: bool,
    /// Those that were hidden together with the histograms and are to come back together, in the order of `ScopeKind::ALL`.
    #[serde(skip)]
    pub hidden: Option<[bool; 4]>,
    /// What the levels are labelled with.
    pub unit: Unit,
    /// In a wall, the picture's parts of the view's width and height.
    pub picture: [f32; 2],
    /// Shares of the width that the scopes have beside each other, in the order of `ScopeKind::ALL`.
    pub widths: [f32; 4],
}

impl Default for ScopeStyle {
    fn default() -> Self {
        Self {
            waveform: false,
            parade: false,
            vectorscope: false,
            layout: Layout::Strip,
            gain: 1.0,
            zoom: 1,
            white: false,
            skin: false,
            hidden: None,
            unit: Unit::Percent,
            picture: [0.62, 0.62],
            widths: [1.0; 4],
        }
    }
}

impl ScopeStyle {
    /// Gains that are drawn.
    pub const GAINS: std::ops::RangeInclusive<f32> = 0.25..=8.0;
    /// Enlargements of the vectorscope.
    pub const ZOOMS: [u32; 4] = [1, 2, 4, 8];
    /// Angle of the line for the tone of skin, in degrees counterclockwise from Cb: about that of the I axis. No standard fixes
    /// it.
    pub const SKIN_DEGREES: f64 = 123.0;
    /// Parts of the view that the picture of a wall may have.
    const PARTS: std::ops::RangeInclusive<f32> = 0.2..=0.85;

    /// The style with every figure inside its limits; what is no number becomes the default.
    #[must_use]
    pub fn clamped(self) -> Self {
        let standard = Self::default();
        let within = |value: f32, range: &std::ops::RangeInclusive<f32>, otherwise: f32| {
            if value.is_nan() { otherwise } else { value.clamp(*range.start(), *range.end()) }
        };
        let parts = [0, 1].map(|side| within(self.picture[side], &Self::PARTS, standard.picture[side]));
        Self {
            gain: within(self.gain, &Self::GAINS, standard.gain),
            zoom: if Self::ZOOMS.contains(&self.zoom) { self.zoom } else { 1 },
            picture: parts,
            widths: self.widths.map(|width| within(width, &(0.1..=10.0), 1.0)),
            ..self
        }
    }

    /// Whether a scope is shown; `histograms` says whether those are.
    #[must_use]
    pub const fn shows(&self, kind: ScopeKind, histograms: bool) -> bool {
        match kind {
            ScopeKind::Histogram => histograms,
            ScopeKind::Waveform => self.waveform,
            ScopeKind::Parade => self.parade,
            ScopeKind::Vectorscope => self.vectorscope,
        }
    }

    /// Whether any scope beside the histograms is shown.
    #[must_use]
    pub const fn any(&self) -> bool {
        self.waveform || self.parade || self.vectorscope
    }

    /// Shows or hides one of those; whether it is shown now.
    pub const fn toggle(&mut self, kind: ScopeKind) -> bool {
        let shown = match kind {
            ScopeKind::Histogram => return false,
            ScopeKind::Waveform => &mut self.waveform,
            ScopeKind::Parade => &mut self.parade,
            ScopeKind::Vectorscope => &mut self.vectorscope,
        };
        *shown = !*shown;
        *shown
    }

    /// What has to be counted for them.
    #[must_use]
    pub const fn counted(&self) -> histoscope_core::scopes::ScopeChoice {
        histoscope_core::scopes::ScopeChoice { waveform: self.waveform || self.parade, vectorscope: self.vectorscope }
    }

    /// The next enlargement of the vectorscope, larger or smaller; the last one stays.
    #[must_use]
    pub fn zoomed(self, larger: bool) -> Self {
        let at = Self::ZOOMS.iter().position(|&zoom| zoom == self.zoom).unwrap_or(0);
        let at = if larger { (at + 1).min(Self::ZOOMS.len() - 1) } else { at.saturating_sub(1) };
        Self { zoom: Self::ZOOMS[at], ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_outside_their_limits_are_brought_inside() {
        let wild = ScopeStyle { gain: f32::NAN, zoom: 3, picture: [0.0, 9.0], widths: [0.0; 4], ..Default::default() };
        let tame = wild.clamped();
        assert_eq!((tame.gain, tame.zoom, tame.picture, tame.widths), (1.0, 1, [0.2, 0.85], [0.1; 4]));
        assert_eq!(ScopeStyle::default().clamped(), ScopeStyle::default());
    }

    #[test]
    fn the_vectorscope_is_enlarged_by_steps_to_an_end() {
        let steps = std::iter::successors(Some(ScopeStyle::default()), |style| Some(style.zoomed(true)));
        assert_eq!(steps.take(5).map(|style| style.zoom).collect::<Vec<_>>(), [1, 2, 4, 8, 8]);
        assert_eq!(ScopeStyle { zoom: 2, ..ScopeStyle::default() }.zoomed(false).zoomed(false).zoom, 1);
    }

    #[test]
    fn a_style_survives_being_written_down() {
        let style = ScopeStyle { parade: true, layout: Layout::Wall, unit: Unit::Codes, ..ScopeStyle::default() };
        let text = serde_json::to_string(&style).unwrap();
        assert!(text.contains("\"wall\"") && text.contains("\"codes\""), "{text}");
        assert_eq!(serde_json::from_str::<ScopeStyle>(&text).unwrap(), style);
        assert_eq!(serde_json::from_str::<ScopeStyle>("{}").unwrap(), ScopeStyle::default());
    }
}
