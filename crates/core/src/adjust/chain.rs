//! The chain of adjustments, and each of them as keys and buttons control it: on and off, names, and its last-used
//! parameters, which apply when a key switches it on again.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::blur::Blur;
use super::camera_log::CameraLog;
use super::clahe::Clahe;
use super::equalize::Equalize;
use super::lut::Lut;
use super::otsu::Otsu;
use super::parameters::{Field, Parameter, Parameters};
use super::posterize::{Placing, Posterize};
use crate::picture::color::Range;

/// A tone mapping.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tone {
    /// Equalization of the whole picture.
    Equalize(Equalize),
    /// Equalization tile by tile.
    Clahe(Clahe),
}

/// A reduction to few tones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// A few levels of each of red, green and blue.
    Posterize(Posterize),
    /// A few classes by luminance.
    Otsu(Otsu),
}

/// All adjustments, in the order in which they are applied. All are off by default.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Adjustments {
    /// The lookup table.
    pub lut: Option<Lut>,
    /// The low-pass.
    pub blur: Option<Blur>,
    /// The tone mapping.
    pub tone: Option<Tone>,
    /// The reduction to few tones.
    pub reduction: Option<Reduction>,
}

impl Adjustments {
    /// Returns `true` if nothing is adjusted.
    #[must_use]
    pub fn is_off(&self) -> bool {
        *self == Self::default()
    }

    /// Returns each step on its own, whether it is on or off, in the order in which they are applied.
    #[must_use]
    pub fn steps(self) -> [Self; 4] {
        let Self { lut, blur, tone, reduction } = self;
        let off = Self::default();
        [Self { lut, ..off }, Self { blur, ..off }, Self { tone, ..off }, Self { reduction, ..off }]
    }

    /// Returns the adjustments for pictures of this range: the curves of some cameras are published for recorded codes.
    #[must_use]
    pub fn for_range(self, range: Range) -> Self {
        Self { lut: self.lut.map(|lut| lut.for_range(range)), ..self }
    }

    /// Returns the steps after the lookup table.
    #[must_use]
    pub fn after_lut(self) -> Self {
        Self { lut: None, ..self }
    }

    /// Returns the steps before the reduction.
    #[must_use]
    pub fn before_reduction(self) -> Self {
        Self { reduction: None, ..self }
    }

    /// Returns `true` if the first step that needs a histogram needs the source's.
    #[must_use]
    pub fn need_source_bins(self) -> bool {
        self.steps().into_iter().find(|step| !step.is_off()).is_some_and(|first| match (first.tone, first.reduction) {
            (Some(Tone::Equalize(_)), _) | (_, Some(Reduction::Otsu(_))) => true,
            (_, Some(Reduction::Posterize(Posterize { placing, .. }))) => placing == Placing::Population,
            (Some(Tone::Clahe(_)), _) | (None, None) => false,
        })
    }

    /// Returns `true` if the picture is divided into Otsu's classes, whose thresholds depend on it.
    #[must_use]
    pub fn have_thresholds(&self) -> bool {
        matches!(self.reduction, Some(Reduction::Otsu(_)))
    }

    /// Returns the text of the adjustments with a digest of a file's lookup table, since different files may have the
    /// same name.
    #[must_use]
    pub fn exact_text(&self) -> String {
        let Some(lut) = self.lut else { return self.to_string() };
        let lut = lut.digest().map_or_else(|| lut.to_string(), |digest| format!("{lut} ({digest:08x})"));
        let parts = [lut, self.after_lut().to_string()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }

    /// Returns the nearest supported parameters.
    #[must_use]
    pub fn clamped(mut self) -> Self {
        self.parameters().for_each(Parameters::clamp);
        self
    }

    /// Returns the parameters of the steps that are on, apart from the lookup table, in the order in which they are
    /// applied.
    pub fn parameters(&mut self) -> impl Iterator<Item = &mut dyn Parameters> {
        let blur = self.blur.as_mut().map(|blur| blur as &mut dyn Parameters);
        let tone = self.tone.as_mut().map(|tone| match tone {
            Tone::Equalize(equalize) => equalize as &mut dyn Parameters,
            Tone::Clahe(clahe) => clahe,
        });
        let reduction = self.reduction.as_mut().map(|reduction| match reduction {
            Reduction::Posterize(posterize) => posterize as &mut dyn Parameters,
            Reduction::Otsu(otsu) => otsu,
        });
        [blur, tone, reduction].into_iter().flatten()
    }
}

/// Formats the adjustments that are on as the text of the overlay, such as "low-pass 9×9 ×3, CLAHE 8×8 clip 2, 3
/// classes".
impl fmt::Display for Adjustments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut chain = *self;
        let parts: Vec<_> =
            self.lut.iter().map(Lut::to_string).chain(chain.parameters().map(|step| step.text())).collect();
        f.write_str(&parts.join(", "))
    }
}

/// An adjustment that a key or a button switches on and off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Adjustment {
    /// The lookup table before all others.
    Lut,
    /// The camera log, in its place.
    CameraLog,
    /// The box blur.
    Blur,
    /// Equalization of luminance.
    Equalize,
    /// Separate equalization of red, green and blue.
    Channels,
    /// Equalization tile by tile.
    Clahe,
    /// Reduction to a few levels.
    Posterize,
    /// Segmentation into a few classes by Otsu's thresholds.
    Otsu,
}

impl Adjustment {
    /// Every adjustment, in the order of the chain.
    pub const ALL: [Self; 8] = [
        Self::Lut,
        Self::CameraLog,
        Self::Blur,
        Self::Equalize,
        Self::Channels,
        Self::Clahe,
        Self::Posterize,
        Self::Otsu,
    ];

    /// Returns `true` if the adjustment is on.
    #[must_use]
    pub fn is_on(self, adjustments: &Adjustments) -> bool {
        match self {
            Self::Lut => adjustments.lut.is_some_and(|lut| lut.camera().is_none()),
            Self::CameraLog => adjustments.lut.is_some_and(|lut| lut.camera().is_some()),
            Self::Blur => adjustments.blur.is_some(),
            Self::Equalize => matches!(adjustments.tone, Some(Tone::Equalize(Equalize { per_channel: false, .. }))),
            Self::Channels => matches!(adjustments.tone, Some(Tone::Equalize(Equalize { per_channel: true, .. }))),
            Self::Clahe => matches!(adjustments.tone, Some(Tone::Clahe(_))),
            Self::Posterize => matches!(adjustments.reduction, Some(Reduction::Posterize(_))),
            Self::Otsu => matches!(adjustments.reduction, Some(Reduction::Otsu(_))),
        }
    }

    /// Switches the adjustment on with these parameters. It replaces any other in the same position of the chain. A
    /// lookup table stays off if none has been chosen.
    pub fn switch_on(self, adjustments: &mut Adjustments, choices: &Choices) {
        match self {
            Self::Lut => adjustments.lut = choices.lut.or(adjustments.lut),
            Self::CameraLog => adjustments.lut = Some(Lut::of_camera(choices.camera_log)),
            Self::Blur => adjustments.blur = Some(choices.blur),
            Self::Equalize | Self::Channels => {
                let per_channel = matches!(self, Self::Channels);
                adjustments.tone = Some(Tone::Equalize(Equalize { per_channel, ..choices.equalize }));
            }
            Self::Clahe => adjustments.tone = Some(Tone::Clahe(choices.clahe)),
            Self::Posterize => adjustments.reduction = Some(Reduction::Posterize(choices.posterize)),
            Self::Otsu => adjustments.reduction = Some(Reduction::Otsu(choices.otsu)),
        }
    }

    /// Switches off whichever adjustment is in this one's position of the chain.
    pub const fn switch_off(self, adjustments: &mut Adjustments) {
        match self.position() {
            0 => adjustments.lut = None,
            1 => adjustments.blur = None,
            2 => adjustments.tone = None,
            _ => adjustments.reduction = None,
        }
    }

    /// Returns the name for a button, a description of the effect, and the note on switching it off.
    const fn words(self) -> [&'static str; 3] {
        match self {
            Self::Lut => ["LUT", "Map colours through a lookup table, before everything else", "LUT off"],
            Self::CameraLog => {
                ["Camera log", "Map a camera's log and gamut to BT.709, before everything else", "camera log off"]
            }
            Self::Blur => ["Low-pass", "Blur, as a low-pass before the scopes", "low-pass off"],
            Self::Equalize => ["Equalize", "Spread the tones by the luminance histogram", "equalizing off"],
            Self::Channels => {
                ["Equalize", "Spread red, green and blue, each by its own histogram", "equalizing by channel off"]
            }
            Self::Clahe => ["CLAHE", "Spread the tones tile by tile, with limited contrast", "CLAHE off"],
            Self::Posterize => ["Posterize", "Reduce red, green and blue to a few levels", "posterizing off"],
            Self::Otsu => ["Otsu", "Segment the picture into classes by luminance", "Otsu off"],
        }
    }

    /// Returns the name for a button.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.words()[0]
    }

    /// Returns a description of the effect.
    #[must_use]
    pub const fn help(self) -> &'static str {
        self.words()[1]
    }

    /// Returns the message shown when the adjustment is switched off.
    #[must_use]
    pub const fn off_text(self) -> &'static str {
        self.words()[2]
    }

    /// Returns the message shown while the adjustment is on, with all its parameters.
    #[must_use]
    pub fn on_text(self, choices: &Choices) -> String {
        let mut alone = Adjustments::default();
        self.switch_on(&mut alone, choices);
        match (alone.lut, alone.parameters().next()) {
            (Some(lut), _) => lut.to_string(),
            (None, Some(parameters)) => parameters.full_text(),
            (None, None) => "no LUT: drop a .cube file on the window, or name one with --lut".to_owned(),
        }
    }

    /// Returns the position in the chain. Of the adjustments in one position, only one is on.
    #[must_use]
    pub const fn position(self) -> usize {
        match self {
            Self::Lut | Self::CameraLog => 0,
            Self::Blur => 1,
            Self::Equalize | Self::Channels | Self::Clahe => 2,
            Self::Posterize | Self::Otsu => 3,
        }
    }

    /// Steps a parameter up or down, within its range. Returns the adjustment that is selected afterwards, because the
    /// second parameter of equalization switches between two adjustments.
    #[must_use]
    pub fn step(self, choices: &mut Choices, parameter: Parameter, more: bool) -> Self {
        if (self, parameter) == (Self::CameraLog, Parameter::Main) {
            choices.camera_log = choices.camera_log.step(more);
        }
        if let Some(field) = choices.field(self, parameter) {
            field.step(more);
        }
        if parameter == Parameter::Second { self.chosen(choices) } else { self }
    }

    /// Returns the adjustment itself or, of the two that equalize, the one that these parameters are for.
    #[must_use]
    pub const fn chosen(self, choices: &Choices) -> Self {
        match self {
            Self::Equalize | Self::Channels if choices.equalize.per_channel => Self::Channels,
            Self::Equalize | Self::Channels => Self::Equalize,
            other => other,
        }
    }
}

/// The parameters of every adjustment, whether it is on or off. They are serialized in the syntax of the command line,
/// except the file of a lookup table, which belongs to a folder of videos.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct Choices {
    /// The lookup table, if a file has been chosen.
    pub lut: Option<Lut>,
    /// The camera log.
    pub camera_log: CameraLog,
    /// Parameters of the low-pass.
    pub blur: Blur,
    /// Parameters of equalization.
    pub equalize: Equalize,
    /// Parameters of CLAHE.
    pub clahe: Clahe,
    /// Parameters of posterization.
    pub posterize: Posterize,
    /// Parameters of Otsu's classes.
    pub otsu: Otsu,
}

impl Choices {
    /// Returns a parameter of an adjustment; `None` for adjustments that are chosen as a whole.
    pub fn field(&mut self, kind: Adjustment, parameter: Parameter) -> Option<Field<'_>> {
        let parameters: &mut dyn Parameters = match kind {
            Adjustment::Lut | Adjustment::CameraLog => return None,
            Adjustment::Blur => &mut self.blur,
            Adjustment::Equalize | Adjustment::Channels => &mut self.equalize,
            Adjustment::Clahe => &mut self.clahe,
            Adjustment::Posterize => &mut self.posterize,
            Adjustment::Otsu => &mut self.otsu,
        };
        let [main, second] = parameters.fields();
        Some(if parameter == Parameter::Main { main } else { second })
    }

    /// Remembers the parameters of the adjustments that are on.
    pub fn take(&mut self, adjustments: &Adjustments) {
        let Adjustments { lut, blur, tone, reduction } = adjustments.clamped();
        match lut.map(|lut| (lut, lut.camera())) {
            Some((_, Some(log))) => self.camera_log = log,
            Some((lut, None)) => self.lut = Some(lut),
            None => {}
        }
        self.blur = blur.unwrap_or(self.blur);
        match tone {
            Some(Tone::Equalize(equalize)) => self.equalize = equalize,
            Some(Tone::Clahe(clahe)) => self.clahe = clahe,
            None => {}
        }
        match reduction {
            Some(Reduction::Posterize(posterize)) => self.posterize = posterize,
            Some(Reduction::Otsu(threshold)) => self.otsu = threshold,
            None => {}
        }
    }
}

/// The serialized form of [`Choices`].
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Written {
    camera_log: String,
    low_pass: String,
    equalize: String,
    clahe: String,
    posterize: String,
    otsu: String,
}

impl From<Written> for Choices {
    fn from(written: Written) -> Self {
        Self {
            lut: None,
            camera_log: read(&written.camera_log),
            blur: read(&written.low_pass),
            equalize: read(&written.equalize),
            clahe: read(&written.clahe),
            posterize: read(&written.posterize),
            otsu: read(&written.otsu),
        }
    }
}

/// Parses a parameter. An invalid or missing one gets its default, which is better than rejecting the whole file.
fn read<T: FromStr + Default>(text: &str) -> T {
    text.parse().unwrap_or_default()
}

impl From<Choices> for Written {
    fn from(choices: Choices) -> Self {
        Self {
            camera_log: choices.camera_log.word().to_owned(),
            low_pass: choices.blur.written(),
            equalize: choices.equalize.written(),
            clahe: choices.clahe.written(),
            posterize: choices.posterize.written(),
            otsu: choices.otsu.written(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adjust::ClassDisplay;

    #[test]
    fn parameters_are_parsed() {
        assert_eq!("9x3".parse(), Ok(Blur { size: 9, runs: 3 }));
        assert_eq!("63".parse(), Ok(Blur { size: 63, runs: 1 }));
        assert_eq!("8x4:2.5".parse(), Ok(Clahe { tiles: (8, 4), clip_limit: 2.5 }));
        assert_eq!("8x8".parse(), Ok(Clahe::default()));
        assert_eq!("channels:0".parse(), Ok(Equalize { per_channel: true, time_constant_secs: 0.0 }));
        assert_eq!("5:population".parse(), Ok(Posterize { levels: 5, placing: Placing::Population }));
        assert_eq!("3:colors".parse(), Ok(Otsu { classes: 3, shown: ClassDisplay::Colors }));
    }

    #[test]
    fn invalid_parameters_are_rejected_with_a_message() {
        for text in ["8", "1", "65", "9x4", "9x", "x", "-9", "9x3x3"] {
            assert!(text.parse::<Blur>().is_err(), "{text}");
        }
        for text in ["8", "0x8", "17x8", "8x8:-1", "8x8:NaN", "8x8:101", "8x8:"] {
            assert!(text.parse::<Clahe>().is_err(), "{text}");
        }
        for text in ["hue", "luminance:-1", "luminance:inf"] {
            assert!(text.parse::<Equalize>().is_err(), "{text}");
        }
        for text in ["1", "17", "5:hue"] {
            assert!(text.parse::<Posterize>().is_err(), "{text}");
        }
        let refused = "6".parse::<Otsu>().unwrap_err().to_string();
        assert_eq!(refused, "'6' is not a valid number of classes; expected 2 to 5");
    }

    #[test]
    fn parameters_are_clamped_to_their_ranges() {
        assert_eq!(Blur { size: 0, runs: 9 }.clamped(), Blur { size: 3, runs: 3 });
        assert_eq!(Blur { size: 1000, runs: 0 }.clamped(), Blur { size: 63, runs: 1 });
        assert_eq!(Blur { size: 8, runs: 1 }.clamped().size, 9);
        let wild = Clahe { tiles: (0, 99), clip_limit: f64::NAN }.clamped();
        assert_eq!(wild, Clahe { tiles: (1, 16), clip_limit: 0.0 });
    }

    #[test]
    fn the_overlay_lists_the_adjustments() {
        let all = Adjustments {
            lut: None,
            blur: Some(Blur { size: 9, runs: 3 }),
            tone: Some(Tone::Clahe(Clahe::default())),
            reduction: Some(Reduction::Otsu(Otsu { classes: 3, shown: ClassDisplay::Tones })),
        };
        assert_eq!(all.to_string(), "low-pass 9×9 ×3, CLAHE 8×8 clip 2, 3 classes");
        let shown = |reduction| Adjustments { reduction: Some(reduction), ..Adjustments::default() }.to_string();
        let threshold = |shown| Reduction::Otsu(Otsu { classes: 2, shown });
        assert_ne!(
            shown(threshold(ClassDisplay::Tones)),
            shown(threshold(ClassDisplay::Colors)),
            "they are different pictures"
        );
        assert!(!all.is_off() && Adjustments::default().is_off());
        assert_eq!(Adjustments::default().to_string(), "");
        let unlimited = Tone::Clahe(Clahe { tiles: (8, 8), clip_limit: 0.0 });
        let text = Adjustments { tone: Some(unlimited), ..Adjustments::default() }.to_string();
        assert_eq!(text, "CLAHE 8×8 without clip limit");
    }

    fn lut() -> Lut {
        Lut::parse("a.cube".as_ref(), b"LUT_1D_SIZE 2\n0 0 0\n1 1 1\n").unwrap()
    }

    #[test]
    fn an_adjustment_replaces_others_in_its_position() {
        let choices = Choices { lut: Some(lut()), ..Choices::default() };
        for kind in Adjustment::ALL {
            let mut adjustments = Adjustments::default();
            kind.switch_on(&mut adjustments, &choices);
            assert_eq!(Adjustment::ALL.into_iter().filter(|kind| kind.is_on(&adjustments)).collect::<Vec<_>>(), [kind]);
            kind.switch_off(&mut adjustments);
            assert!(adjustments.is_off(), "{kind:?}");
        }
        let mut adjustments = Adjustments::default();
        for kind in Adjustment::ALL {
            kind.switch_on(&mut adjustments, &choices);
        }
        let on: Vec<_> = Adjustment::ALL.into_iter().filter(|kind| kind.is_on(&adjustments)).collect();
        assert_eq!(on, [Adjustment::CameraLog, Adjustment::Blur, Adjustment::Clahe, Adjustment::Otsu]);
    }

    #[test]
    fn every_parameter_stops_at_both_ends_of_its_range() {
        for (kind, parameter) in
            Adjustment::ALL.into_iter().flat_map(|k| [(k, Parameter::Main), (k, Parameter::Second)])
        {
            for more in [true, false] {
                let (mut choices, mut now) = (Choices::default(), kind);
                for _ in 0..100 {
                    now = now.step(&mut choices, parameter, more);
                    let mut alone = Adjustments::default();
                    now.switch_on(&mut alone, &choices);
                    assert_eq!(alone.clamped(), alone, "{kind:?} {parameter:?}");
                }
                let end = (now, choices);
                assert_eq!((now.step(&mut choices, parameter, more), choices), end, "{kind:?} {parameter:?} goes on");
            }
        }
        let mut choices = Choices::default();
        for _ in 0..100 {
            let _ = Adjustment::Blur.step(&mut choices, Parameter::Main, true);
            let _ = Adjustment::Clahe.step(&mut choices, Parameter::Second, true);
            let _ = Adjustment::Otsu.step(&mut choices, Parameter::Main, true);
        }
        assert_eq!((choices.blur.size, choices.clahe.tiles, choices.otsu.classes), (63, (16, 16), 5));
    }

    #[test]
    fn messages_include_every_parameter() {
        let choices = Choices { lut: Some(lut()), ..Choices::default() };
        let texts = Adjustment::ALL.map(|kind| kind.on_text(&choices));
        assert_eq!(
            texts,
            [
                "LUT a.cube",
                "S-Log3, S-Gamut3.Cine to BT.709",
                "low-pass 9×9",
                "equalized, 0.5 s",
                "equalized by channel, 0.5 s",
                "CLAHE 8×8 clip 2",
                "5 levels",
                "2 classes as tones"
            ]
        );
    }

    fn changed() -> Choices {
        Choices {
            lut: None,
            camera_log: CameraLog::LogC4,
            blur: Blur { size: 15, runs: 3 },
            equalize: Equalize { per_channel: true, time_constant_secs: 0.25 },
            clahe: Clahe { tiles: (4, 6), clip_limit: 3.5 },
            posterize: Posterize { levels: 7, placing: Placing::Population },
            otsu: Otsu { classes: 4, shown: ClassDisplay::Colors },
        }
    }

    #[test]
    fn parameters_are_serialized_as_on_the_command_line_and_read_back() {
        let text = serde_json::to_string(&changed()).unwrap();
        for part in ["\"logc4\"", "\"15x3\"", "\"channels:0.25\"", "\"4x6:3.5\"", "\"7:population\"", "\"4:colors\""] {
            assert!(text.contains(part), "no {part} in {text}");
        }
        assert_eq!(serde_json::from_str::<Choices>(&text).unwrap(), changed());
    }

    #[test]
    fn invalid_parameters_get_defaults_and_the_rest_is_kept() {
        let text = r#"{"low_pass": "64", "clahe": "2x2:5", "otsu": "nine", "of a later version": 1}"#;
        let read = serde_json::from_str::<Choices>(text).unwrap();
        assert_eq!(read, Choices { clahe: Clahe { tiles: (2, 2), clip_limit: 5.0 }, ..Choices::default() });
    }

    #[test]
    fn parameters_of_active_adjustments_are_taken_and_the_rest_is_kept() {
        let mut choices = changed();
        let blur = Some(Blur { size: 5, runs: 2 });
        choices.take(&Adjustments { blur, tone: Some(Tone::Clahe(Clahe::default())), ..Adjustments::default() });
        assert_eq!(choices, Choices { blur: Blur { size: 5, runs: 2 }, clahe: Clahe::default(), ..changed() });
    }
}
