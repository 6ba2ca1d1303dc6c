//! The look: every choice of what is shown and how.

use serde::{Deserialize, Serialize};

use crate::view::datascope::Datascope;
use crate::view::exposure::Exposure;
use crate::view::guides::Guides;
use crate::view::overlay::{Channels, OverlayStyle};
use crate::view::placement::ViewSettings;
use crate::view::probes::Probes;
use crate::view::scopes::ScopeStyle;
use crate::view::sharing::Sharing;
use histoscope_core::adjust::{Adjustments, Gain, StopScale};
use histoscope_core::histogram::Components;
use histoscope_core::picture::SourceFormat;
use histoscope_core::picture::color::Range;
use histoscope_core::strip::StripLine;
use histoscope_core::tone_map::{Display, SourceLight, Stops, ToneMap, ToneMapping};

/// The picture that is counted while adjustments are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Counted {
    /// The decoded picture.
    Source,
    /// The adjusted picture.
    #[default]
    Result,
    /// Both: the adjusted one filled, the decoded one as an outline.
    Both,
}

impl Counted {
    /// Every choice, in the order in which a key cycles through them.
    pub const ALL: [Self; 3] = [Self::Source, Self::Result, Self::Both];

    /// Returns the name shown on a button.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Result => "result",
            Self::Both => "both",
        }
    }
}

/// The choices of what is shown and how.
///
/// This is what undo restores. The serialized part persists between runs; the rest is not stored.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Look {
    /// The channels switched on.
    pub channels: Channels,
    /// `true` if the histograms are shown.
    #[serde(rename = "shown")]
    pub overlays: bool,
    /// The appearance of the histograms.
    pub histograms: OverlayStyle,
    /// `true` if cumulative histograms are drawn over the bars.
    pub curves: bool,
    /// The other scopes.
    pub scopes: ScopeStyle,
    /// Zebras, marks and false colour.
    pub exposure: Exposure,
    /// Safe areas, masks and the cross over the picture.
    pub guides: Guides,
    /// The way in which PQ and HLG are shown. Counts and everything else that depends on codes ignore it.
    pub tone_mapping: ToneMapping,
    /// The exposure of the picture's own colours, which counts ignore, too.
    #[serde(skip)]
    pub stops: Stops,
    /// The pixels that are pinned.
    pub probes: Probes,
    /// The format of the codes written in large pixels.
    pub datascope: Datascope,
    /// The figure that a line over the timeline's strip shows.
    pub strip_line: StripLine,
    /// Fit, zoom and position of the picture.
    #[serde(skip)]
    pub view: ViewSettings,
    /// The adjustments.
    #[serde(skip)]
    pub adjustments: Adjustments,
    /// The picture that is counted; ignored without adjustments.
    #[serde(skip)]
    pub counted: Counted,
    /// The way a second picture shares the view.
    #[serde(skip)]
    pub sharing: Sharing,
    /// The gain applied to the difference of two pictures.
    #[serde(skip)]
    pub gain: Gain,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            channels: Channels::ALL,
            overlays: true,
            histograms: OverlayStyle::default(),
            curves: false,
            scopes: ScopeStyle::default(),
            exposure: Exposure::default(),
            guides: Guides::default(),
            tone_mapping: ToneMapping::default(),
            stops: Stops::default(),
            probes: Probes::default(),
            datascope: Datascope::default(),
            strip_line: StripLine::default(),
            view: ViewSettings::default(),
            adjustments: Adjustments::default(),
            counted: Counted::default(),
            sharing: Sharing::default(),
            gain: Gain::default(),
        }
    }
}

impl Look {
    /// Returns the look with every value clamped to its limits.
    #[must_use]
    pub fn clamped(self) -> Self {
        let (histograms, scopes) = (self.histograms.clamped(), self.scopes.clamped());
        Self { histograms, scopes, guides: self.guides.clamped(), ..self }
    }

    /// Returns the picture that is counted: [`Counted::Source`] if nothing is adjusted.
    #[must_use]
    pub fn counted(&self) -> Counted {
        if self.adjustments.is_off() { Counted::Source } else { self.counted }
    }

    /// Returns the picture that is counted for these components. Code values are always those of the source, since an
    /// adjusted picture is R'G'B' and has none.
    #[must_use]
    pub fn counted_in(&self, components: Components) -> Counted {
        if components == Components::YCbCr { Counted::Source } else { self.counted() }
    }

    /// Returns the light of the codes that are counted for these components, from pictures of this format.
    #[must_use]
    pub fn counted_light(&self, components: Components, source: &SourceFormat) -> SourceLight {
        let light = SourceLight::of(source);
        if self.counted_in(components) == Counted::Source { light } else { light.after(&self.adjustments) }
    }

    /// Returns the exposure on the axis of these components' codes, from pictures of this range, if a camera's log is
    /// on.
    #[must_use]
    pub fn counted_stops(&self, components: Components, range: Range) -> Option<StopScale> {
        let lut = self.adjustments.lut.filter(|_| components == Components::Rgbl)?;
        lut.for_range(range).stops(self.counted_in(components) != Counted::Source)
    }

    /// Returns the light of adjusted pictures whose source has this format.
    #[must_use]
    pub fn shown_light(&self, source: &SourceFormat) -> SourceLight {
        SourceLight::of(source).after(&self.adjustments)
    }

    /// Returns how the tones of adjusted pictures whose source has this format are mapped for a display; `None` if
    /// codes are shown as they are.
    #[must_use]
    pub fn tone_map(&self, source: &SourceFormat, display: Display) -> Option<ToneMap> {
        self.shown_light(source).tone_map(self.tone_mapping, self.stops, display)
    }

    /// Returns the adjustments of the picture that the scopes count: none if that is the source.
    #[must_use]
    pub fn counted_adjustments(&self, components: Components) -> Adjustments {
        if self.counted_in(components) == Counted::Source { Adjustments::default() } else { self.adjustments }
    }

    /// Returns the name of the counted picture, or `None` without adjustments.
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

    /// Returns the name of the picture whose histogram is drawn as bars, or `None` without adjustments.
    #[must_use]
    pub fn filled_text(&self, components: Components) -> Option<String> {
        let counted = if self.counted == Counted::Both { Counted::Result } else { self.counted };
        Self { counted, ..*self }.counted_text(components)
    }

    /// Returns `true` if the luminance of linear light is drawn for these components; code values have none.
    #[must_use]
    pub const fn shows_linear(&self, components: Components) -> bool {
        let has_luminance = matches!(components, Components::Rgbl) && self.channels.contains(3);
        self.overlays && self.histograms.linear_luminance && has_luminance
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::adjust::Blur;

    #[test]
    fn the_text_names_the_counted_picture() {
        let text =
            |counted, adjustments| Look { counted, adjustments, ..Look::default() }.counted_text(Components::Rgbl);
        assert_eq!(text(Counted::Result, Adjustments::default()), None);
        let adjustments = Adjustments { blur: Some(Blur { size: 9, runs: 1 }), ..Adjustments::default() };
        let texts = Counted::ALL.map(|counted| text(counted, adjustments).unwrap());
        assert_eq!(texts, ["source", "result: low-pass 9×9", "result: low-pass 9×9; outline: source"]);
        let coded = Look { adjustments, ..Look::default() }.counted_text(Components::YCbCr);
        assert_eq!(coded.as_deref(), Some("source"), "code values are those of the source");
    }

    #[test]
    fn only_persistent_settings_are_serialized() {
        let chosen = Look {
            channels: Channels::one(1).union(Channels::one(3)),
            overlays: false,
            view: ViewSettings { zoom: 3.0, ..ViewSettings::default() },
            sharing: Sharing::SideBySide,
            ..Look::default()
        };
        let text = serde_json::to_string(&chosen).unwrap();
        assert!(text.starts_with(r#"{"channels":"gl","shown":false,"histograms":{"#), "{text}");
        let kept = Look { view: ViewSettings::default(), sharing: Sharing::Alone, ..chosen };
        assert_eq!(serde_json::from_str::<Look>(&text).unwrap(), kept);
        assert_eq!(serde_json::from_str::<Look>("{}").unwrap(), Look::default());
    }
}
