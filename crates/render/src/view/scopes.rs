//! The scopes besides the histograms: which are shown, and how they share the view. Pure functions, for both the render
//! passes and the pointer.

mod arrange;

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

use super::reference_lines::ReferenceLines;
pub use arrange::{Arranged, Border, ScopePanel, arrange};
use histoscope_core::scopes::graticule::Unit;
use histoscope_core::scopes::{Chroma, Chromaticity, Diagram, Scope, ScopeChoice};

/// A scope that can be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScopeKind {
    /// The histograms.
    Histogram,
    /// Levels of each column, all channels superimposed.
    Waveform,
    /// A waveform with the channels side by side.
    Parade,
    /// Colour differences, Cb against Cr, or chromaticities.
    Vectorscope,
}

impl ScopeKind {
    /// Every scope, in the order of their keys and of the panels.
    pub const ALL: [Self; 4] = [Self::Histogram, Self::Waveform, Self::Parade, Self::Vectorscope];

    /// Returns the scope's row in the table of all scopes.
    #[must_use]
    pub const fn row(self) -> &'static ScopeRow {
        &TABLE[self as usize]
    }

    /// Returns the name used on a button and in notes.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().name
    }
}

/// A row of the table of scopes.
#[derive(Debug)]
pub struct ScopeRow {
    /// The name used on a button and in notes.
    pub name: &'static str,
    /// The counts that the scope needs, besides bins.
    pub counted: ScopeChoice,
    /// The way its panel is drawn.
    pub drawing: PanelDrawing,
    /// Margin above and below the trace, as a fraction of its frame's height: black and white would hardly be visible
    /// at the edges.
    margin: f64,
    /// `true` if its panel is a square at the right end of a row.
    is_square: bool,
}

/// Every scope, in the order of [`ScopeKind`].
static TABLE: [ScopeRow; ScopeKind::ALL.len()] = [
    ScopeRow {
        name: "histograms",
        counted: ScopeChoice::NONE,
        drawing: PanelDrawing::Plate,
        margin: 0.0,
        is_square: false,
    },
    ScopeRow {
        name: "waveform",
        counted: ScopeChoice::only(Scope::Waveform),
        drawing: PanelDrawing::Waveform,
        margin: 0.03,
        is_square: false,
    },
    ScopeRow {
        name: "parade",
        counted: ScopeChoice::only(Scope::Waveform),
        drawing: PanelDrawing::Waveform,
        margin: 0.03,
        is_square: false,
    },
    ScopeRow {
        name: "vectorscope",
        counted: ScopeChoice::only(Scope::Vectorscope),
        drawing: PanelDrawing::Vectorscope,
        margin: 0.0,
        is_square: true,
    },
];

/// The way scopes and picture share the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// The picture fills the view, and the scopes overlay its lower edge.
    #[default]
    Strip,
    /// The picture has a part of the view, and the scopes have the rest.
    #[serde(alias = "wall")]
    Split,
}

/// The scopes shown besides the histograms, and their appearance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ScopeStyle {
    /// `true` if the waveform is shown.
    pub waveform: bool,
    /// `true` if the parade is shown.
    pub parade: bool,
    /// `true` if the vectorscope is shown.
    pub vectorscope: bool,
    /// The way they share the view with the picture.
    pub layout: Layout,
    /// Brightness of traces, where 1 is the designed brightness; kept within [`Self::GAINS`].
    pub gain: f32,
    /// What the vectorscope counts.
    pub diagram: Diagram,
    /// Enlargement around the vectorscope's centre, one of [`Self::ZOOMS`].
    pub zoom: u32,
    /// `true` if the vectorscope's trace is white, `false` if it has the hue that it represents.
    pub white: bool,
    /// `true` if the vectorscope has a skin tone line.
    pub skin: bool,
    /// The scopes that were hidden together with the histograms and will be restored together, in the order of
    /// `ScopeKind::ALL`.
    #[serde(skip)]
    pub hidden: Option<[bool; 4]>,
    /// The unit of the level labels.
    pub unit: Unit,
    /// In a split layout, the picture's fractions of the view's width and height.
    pub picture: [f32; 2],
    /// Relative widths of scopes side by side, in the order of `ScopeKind::ALL`.
    pub widths: [f32; 4],
    /// The levels marked in waveforms, parades and histograms.
    pub lines: ReferenceLines,
}

impl Default for ScopeStyle {
    fn default() -> Self {
        Self {
            waveform: false,
            parade: false,
            vectorscope: false,
            layout: Layout::Strip,
            gain: 1.0,
            diagram: Diagram::CbCr,
            zoom: 1,
            white: false,
            skin: false,
            hidden: None,
            unit: Unit::Percent,
            picture: [0.62, 0.62],
            widths: [1.0; 4],
            lines: ReferenceLines::default(),
        }
    }
}

impl ScopeStyle {
    /// Valid gains.
    pub const GAINS: std::ops::RangeInclusive<f32> = 0.25..=8.0;
    /// Valid enlargements of the vectorscope.
    pub const ZOOMS: [u32; 4] = [1, 2, 4, 8];
    /// Angle of the skin tone line, in degrees counterclockwise from Cb: approximately that of the I axis. No standard
    /// defines it.
    pub const SKIN_DEGREES: f64 = 123.0;
    /// Fractions of the view that the picture of a split layout may have.
    const PARTS: std::ops::RangeInclusive<f32> = 0.2..=0.85;

    /// Returns the style with every value clamped to its limits; NaN becomes the default.
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

    /// Returns `true` if the picture and the scopes have areas of their own. `histograms` is `true` if the histograms
    /// are shown.
    #[must_use]
    pub fn is_split(&self, histograms: bool) -> bool {
        self.layout == Layout::Split && ScopeKind::ALL.into_iter().any(|kind| self.shows(kind, histograms))
    }

    /// Returns `true` if a scope is shown. `histograms` is `true` if the histograms are.
    #[must_use]
    pub const fn shows(&self, kind: ScopeKind, histograms: bool) -> bool {
        match kind {
            ScopeKind::Histogram => histograms,
            ScopeKind::Waveform => self.waveform,
            ScopeKind::Parade => self.parade,
            ScopeKind::Vectorscope => self.vectorscope,
        }
    }

    /// Returns `true` if any scope besides the histograms is shown.
    #[must_use]
    pub fn any(&self) -> bool {
        ScopeKind::ALL.into_iter().any(|kind| self.shows(kind, false))
    }

    /// Shows or hides a scope; no effect for the histograms.
    pub const fn set(&mut self, kind: ScopeKind, is_shown: bool) {
        match kind {
            ScopeKind::Histogram => {}
            ScopeKind::Waveform => self.waveform = is_shown,
            ScopeKind::Parade => self.parade = is_shown,
            ScopeKind::Vectorscope => self.vectorscope = is_shown,
        }
    }

    /// Shows a scope if it is hidden, and vice versa. Returns `true` if it is now shown.
    pub const fn toggle(&mut self, kind: ScopeKind) -> bool {
        self.set(kind, !self.shows(kind, false));
        self.shows(kind, false)
    }

    /// Returns the style with all scopes hidden: only their appearance.
    #[must_use]
    pub fn look(mut self) -> Self {
        ScopeKind::ALL.into_iter().for_each(|kind| self.set(kind, false));
        Self { hidden: None, ..self }
    }

    /// Returns the counts needed by the shown scopes.
    #[must_use]
    pub fn counted(&self) -> ScopeChoice {
        let shown = ScopeKind::ALL.into_iter().filter(|&kind| self.shows(kind, false));
        shown.fold(ScopeChoice::NONE, |choice, kind| choice.zip(kind.row().counted).map(|(any, one)| any || one))
    }

    /// Returns the style with the next larger or smaller enlargement of the vectorscope, if there is one.
    #[must_use]
    pub fn zoomed(self, larger: bool) -> Self {
        let at = Self::ZOOMS.iter().position(|&zoom| zoom == self.zoom).unwrap_or(0);
        let at = if larger { (at + 1).min(Self::ZOOMS.len() - 1) } else { at.saturating_sub(1) };
        Self { zoom: Self::ZOOMS[at], ..self }
    }
}

/// The relation between a vectorscope's pairs and their places in its square.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lens {
    /// The pair in the middle of the square.
    pub centre: [f64; 2],
    /// Number of codes, or levels, of each part of a pair.
    count: f64,
    zoom: f64,
}

impl Lens {
    /// Creates the relation for pairs whose parts, or levels, have `bits` bits. An enlarged chromaticity diagram has
    /// the white of the primaries in its middle.
    #[must_use]
    pub fn new(chroma: Option<&Chroma>, bits: u32, zoom: u32) -> Self {
        let count = f64::from(1_u32 << bits);
        let white = |chromaticity: &Chromaticity| {
            let [.., white] = chromaticity.primaries.chromaticities();
            let each = count / f64::from(1_u32 << chromaticity.level_bits());
            chromaticity.place(white).map(|level| (level + 0.5) * each - 0.5)
        };
        let chromaticity = chroma.and_then(Chroma::chromaticity).filter(|_| zoom > 1);
        Self { centre: chromaticity.map_or([count / 2.0; 2], white), count, zoom: f64::from(zoom) }
    }

    /// Returns the place of a pair: to the right of the square's middle and above it, as fractions of its side. Of a
    /// whole pair, it is the middle of the pair's own square.
    #[must_use]
    pub fn place(&self, pair: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|part| (pair[part] - self.centre[part]) * self.zoom / (self.count + 1.0))
    }

    /// Returns the pair at a place in the terms of [`Self::place`]. Both parts have a half added, so that rounding them
    /// down gives the pair that is shown there.
    #[must_use]
    pub fn pair_at(&self, place: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|part| self.centre[part] + 0.5 + place[part] * (self.count + 1.0) / self.zoom)
    }
}

/// The way a panel is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PanelDrawing {
    /// Only its background.
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
    /// Size of the view in pixels.
    pub view: [u32; 2],
    /// Upper left pixel of the panel.
    pub origin: [u32; 2],
    /// Size of the panel in pixels.
    pub size: [u32; 2],
    /// Bits per level.
    pub level_bits: u32,
    /// Number of a waveform's counts between one channel and the next.
    pub stride: u32,
    /// Number of a waveform's columns, channel by channel.
    pub columns: [u32; 4],
    /// Width of the counted area in samples, channel by channel.
    pub widths: [u32; 4],
    /// Height of the counted area in samples, channel by channel.
    pub heights: [u32; 4],
    /// Drawn channels: bit c is channel c.
    pub channels: u32,
    /// 1 if channels are side by side.
    pub parade: u32,
    /// Brightness, where 1 is the designed brightness.
    pub gain: f32,
    /// Opacity of the background.
    pub ground: f32,
    /// Colour of each channel.
    pub lights: [[f32; 4]; 4],
    /// Contributions of Cr to red, of Cb and of Cr to green, and of Cb to blue.
    pub hue: [f32; 4],
    /// Enlargement around a vectorscope's centre.
    pub zoom: f32,
    /// 1 if a vectorscope's trace is white.
    pub white: u32,
    /// Number of samples that a vectorscope has counted.
    pub samples: f32,
    /// Brightness of a vectorscope's trace, where 1 is the designed brightness.
    pub strength: f32,
    /// The levels in the middle of a vectorscope's square.
    pub centre: [f32; 2],
    /// 1 if a vectorscope's pairs are chromaticities.
    pub is_chromaticity: u32,
    /// Padding to a multiple of 16 bytes.
    pub padding: u32,
    /// Red, green and blue of a chromaticity's coordinates, as fractions of the highest level, and of 1.
    pub colors: [[f32; 4]; 3],
}

const _: () = assert!(size_of::<TraceParams>() == 256);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_outside_their_limits_are_clamped() {
        let wild = ScopeStyle { gain: f32::NAN, zoom: 3, picture: [0.0, 9.0], widths: [0.0; 4], ..Default::default() };
        let tame = wild.clamped();
        assert_eq!((tame.gain, tame.zoom, tame.picture, tame.widths), (1.0, 1, [0.2, 0.85], [0.1; 4]));
        assert_eq!(ScopeStyle::default().clamped(), ScopeStyle::default());
    }

    #[test]
    fn the_vectorscope_zooms_in_steps_up_to_a_limit() {
        let steps = std::iter::successors(Some(ScopeStyle::default()), |style| Some(style.zoomed(true)));
        assert_eq!(steps.take(5).map(|style| style.zoom).collect::<Vec<_>>(), [1, 2, 4, 8, 8]);
        assert_eq!(ScopeStyle { zoom: 2, ..ScopeStyle::default() }.zoomed(false).zoomed(false).zoom, 1);
    }

    #[test]
    fn a_style_round_trips_through_serialization() {
        let style = ScopeStyle { parade: true, layout: Layout::Split, unit: Unit::Codes, ..ScopeStyle::default() };
        let text = serde_json::to_string(&style).unwrap();
        assert!(text.contains("\"split\"") && text.contains("\"codes\""), "{text}");
        let earlier = text.replace("\"split\"", "\"wall\"");
        assert_eq!(serde_json::from_str::<ScopeStyle>(&earlier).unwrap(), style, "as earlier versions wrote it");
        assert_eq!(serde_json::from_str::<ScopeStyle>(&text).unwrap(), style);
        assert_eq!(serde_json::from_str::<ScopeStyle>("{}").unwrap(), ScopeStyle::default());
    }
}
