//! The scopes beside the histograms: which are shown, and how they share the view. Pure functions, for the passes that draw
//! them and for the pointer alike.

mod arrange;

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

pub use arrange::{Arranged, Border, ScopePanel, arrange};
use histoscope_core::scopes::ScopeChoice;
use histoscope_core::scopes::graticule::Unit;

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

    /// The row of a scope in the table of all scopes.
    #[must_use]
    pub const fn row(self) -> &'static ScopeRow {
        &TABLE[self as usize]
    }

    /// Its name on a button and in notes.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().name
    }
}

/// A row of the table of scopes.
#[derive(Debug)]
pub struct ScopeRow {
    /// Its name on a button and in notes.
    pub name: &'static str,
    /// The counts that it needs besides bins.
    pub counted: ScopeChoice,
    /// How its panel is drawn.
    pub drawing: PanelDrawing,
    /// The margin above and below its trace, as part of its frame's height: what is black and white would hardly be seen at the
    /// edges.
    margin: f64,
    /// `true` if it stands square at the right end of a row.
    is_square: bool,
}

const NONE: ScopeChoice = ScopeChoice { waveform: false, vectorscope: false };

/// Every scope, in the order of [`ScopeKind`].
static TABLE: [ScopeRow; ScopeKind::ALL.len()] = [
    ScopeRow { name: "histograms", counted: NONE, drawing: PanelDrawing::Plate, margin: 0.0, is_square: false },
    ScopeRow {
        name: "waveform",
        counted: ScopeChoice { waveform: true, ..NONE },
        drawing: PanelDrawing::Waveform,
        margin: 0.03,
        is_square: false,
    },
    ScopeRow {
        name: "parade",
        counted: ScopeChoice { waveform: true, ..NONE },
        drawing: PanelDrawing::Waveform,
        margin: 0.03,
        is_square: false,
    },
    ScopeRow {
        name: "vectorscope",
        counted: ScopeChoice { vectorscope: true, ..NONE },
        drawing: PanelDrawing::Vectorscope,
        margin: 0.0,
        is_square: true,
    },
];

/// How scopes and picture share the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// The picture fills the view, the scopes lie over its lower edge.
    #[default]
    Strip,
    /// The picture has a part of the view, the scopes have the rest.
    #[serde(alias = "wall")]
    Split,
}

/// Which scopes are shown beside the histograms, and how.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ScopeStyle {
    /// `true` if the waveform is shown.
    pub waveform: bool,
    /// `true` if the parade is.
    pub parade: bool,
    /// `true` if the vectorscope is.
    pub vectorscope: bool,
    /// How they share the view with the picture.
    pub layout: Layout,
    /// How bright traces are, 1 being as designed; kept within [`Self::GAINS`].
    pub gain: f32,
    /// Enlargement of the vectorscope's middle, one of [`Self::ZOOMS`].
    pub zoom: u32,
    /// `true` if the vectorscope's trace is white, and not in the hue that it stands for.
    pub white: bool,
    /// `true` if the vectorscope has a line for the tone of skin.
    pub skin: bool,
    /// Those that were hidden together with the histograms and are to come back together, in the order of `ScopeKind::ALL`.
    #[serde(skip)]
    pub hidden: Option<[bool; 4]>,
    /// The unit of the labels of the levels.
    pub unit: Unit,
    /// In a split layout, the picture's parts of the view's width and height.
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
    /// Parts of the view that the picture of a split layout may have.
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

    /// Returns `true` if a scope is shown; `histograms` says whether those are.
    #[must_use]
    pub const fn shows(&self, kind: ScopeKind, histograms: bool) -> bool {
        match kind {
            ScopeKind::Histogram => histograms,
            ScopeKind::Waveform => self.waveform,
            ScopeKind::Parade => self.parade,
            ScopeKind::Vectorscope => self.vectorscope,
        }
    }

    /// Returns `true` if any scope beside the histograms is shown.
    #[must_use]
    pub fn any(&self) -> bool {
        ScopeKind::ALL.into_iter().any(|kind| self.shows(kind, false))
    }

    /// Shows or hides a scope beside the histograms.
    pub const fn set(&mut self, kind: ScopeKind, is_shown: bool) {
        match kind {
            ScopeKind::Histogram => {}
            ScopeKind::Waveform => self.waveform = is_shown,
            ScopeKind::Parade => self.parade = is_shown,
            ScopeKind::Vectorscope => self.vectorscope = is_shown,
        }
    }

    /// Shows or hides one of those, whichever it is not; whether it is shown now.
    pub const fn toggle(&mut self, kind: ScopeKind) -> bool {
        self.set(kind, !self.shows(kind, false));
        self.shows(kind, false)
    }

    /// The style without any of those: how they look where they are shown.
    #[must_use]
    pub fn look(mut self) -> Self {
        ScopeKind::ALL.into_iter().for_each(|kind| self.set(kind, false));
        Self { hidden: None, ..self }
    }

    /// Returns the counts that they need.
    #[must_use]
    pub fn counted(&self) -> ScopeChoice {
        let shown = ScopeKind::ALL.into_iter().filter(|&kind| self.shows(kind, false));
        shown.fold(NONE, |choice, kind| choice.zip(kind.row().counted).map(|(any, one)| any || one))
    }

    /// The next enlargement of the vectorscope, larger or smaller; the last one stays.
    #[must_use]
    pub fn zoomed(self, larger: bool) -> Self {
        let at = Self::ZOOMS.iter().position(|&zoom| zoom == self.zoom).unwrap_or(0);
        let at = if larger { (at + 1).min(Self::ZOOMS.len() - 1) } else { at.saturating_sub(1) };
        Self { zoom: Self::ZOOMS[at], ..self }
    }
}

/// The way a panel is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PanelDrawing {
    /// Its ground alone.
    Plate,
    /// A waveform or a parade.
    Waveform,
    /// A vectorscope.
    Vectorscope,
}

/// `Trace` of shaders/trace.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct TraceParams {
    /// Columns and rows of the view.
    pub view: [u32; 2],
    /// Column and row of the panel's upper left corner.
    pub origin: [u32; 2],
    /// The panel's columns and rows.
    pub size: [u32; 2],
    /// Bits of a level.
    pub level_bits: u32,
    /// A waveform's counts from one channel to the next.
    pub stride: u32,
    /// A waveform's columns, channel by channel.
    pub columns: [u32; 4],
    /// The samples that were counted for each, across.
    pub widths: [u32; 4],
    /// The same, down.
    pub heights: [u32; 4],
    /// Bit c: channel c is drawn.
    pub channels: u32,
    /// 1 where channels lie beside each other.
    pub parade: u32,
    /// Brightness, 1 being as designed.
    pub gain: f32,
    /// Opacity of the ground.
    pub ground: f32,
    /// Light of each channel.
    pub lights: [[f32; 4]; 4],
    /// Red of Cr, green of Cb and of Cr, blue of Cb.
    pub hue: [f32; 4],
    /// Enlargement of a vectorscope's middle.
    pub zoom: f32,
    /// 1 where its trace is white.
    pub white: u32,
    /// Samples that it has counted.
    pub samples: f32,
    /// Light of its trace, 1 being as designed.
    pub strength: f32,
}

const _: () = assert!(size_of::<TraceParams>() == 192);

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
        let style = ScopeStyle { parade: true, layout: Layout::Split, unit: Unit::Codes, ..ScopeStyle::default() };
        let text = serde_json::to_string(&style).unwrap();
        assert!(text.contains("\"split\"") && text.contains("\"codes\""), "{text}");
        let earlier = text.replace("\"split\"", "\"wall\"");
        assert_eq!(serde_json::from_str::<ScopeStyle>(&earlier).unwrap(), style, "as earlier versions wrote it");
        assert_eq!(serde_json::from_str::<ScopeStyle>(&text).unwrap(), style);
        assert_eq!(serde_json::from_str::<ScopeStyle>("{}").unwrap(), ScopeStyle::default());
    }
}
