//! The parameters of adjustments: their limits, their syntax on the command line, and their text over the picture.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use super::lut::Lut;
use super::parse_error::ParseError;
use crate::picture::color::Range;

/// A box blur.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Blur {
    /// Side of the averaged square in pixels: odd, in [`Self::SIZES`].
    pub size: u32,
    /// Number of runs, in [`Self::RUNS`].
    pub runs: u32,
}

/// Histogram equalization.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Equalize {
    /// `true` for separate curves of red, green and blue, `false` for a single curve of luminance that keeps the hue.
    pub per_channel: bool,
    /// Seconds in which the curve makes up all but 1/e of a change, in [`Self::TIME_CONSTANTS`]; 0 follows immediately.
    pub time_constant_secs: f64,
}

/// Contrast-limited adaptive histogram equalization.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clahe {
    /// Tiles across and down, each in [`Self::TILES`].
    pub tiles: (u32, u32),
    /// The maximum count of a bin, in multiples of a tile's mean bin, in [`Self::CLIP_LIMITS`]; 0 means no limit.
    pub clip_limit: f64,
}

/// The placement of the levels of a posterized picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Placing {
    /// Equal width.
    #[default]
    Width,
    /// Equal population.
    Population,
}

/// Posterization.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Posterize {
    /// Number of levels of each of red, green and blue, in [`Self::LEVELS`].
    pub levels: u32,
    /// Placement of the levels.
    pub placing: Placing,
}

/// The appearance of classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ClassDisplay {
    /// Gray tones from black to white.
    #[default]
    Tones,
    /// False colours.
    Colors,
}

/// Segmentation by Otsu's thresholds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Otsu {
    /// Number of classes, in [`Self::CLASSES`].
    pub classes: u32,
    /// Appearance of the classes.
    pub shown: ClassDisplay,
}

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

impl Blur {
    /// Supported sizes; only odd ones are allowed.
    pub const SIZES: RangeInclusive<u32> = 3..=63;
    /// Supported numbers of runs.
    pub const RUNS: RangeInclusive<u32> = 1..=3;

    /// Returns the nearest supported parameters.
    #[must_use]
    pub fn clamped(self) -> Self {
        Self {
            size: (self.size | 1).clamp(*Self::SIZES.start(), *Self::SIZES.end()),
            runs: within(self.runs, &Self::RUNS),
        }
    }
}

impl Equalize {
    /// Supported time constants.
    pub const TIME_CONSTANTS: RangeInclusive<f64> = 0.0..=10.0;

    /// Returns the nearest supported parameters.
    #[must_use]
    pub fn clamped(self) -> Self {
        Self { time_constant_secs: within_real(self.time_constant_secs, &Self::TIME_CONSTANTS), ..self }
    }
}

impl Clahe {
    /// Supported numbers of tiles, across and down.
    pub const TILES: RangeInclusive<u32> = 1..=16;
    /// Supported clip limits.
    pub const CLIP_LIMITS: RangeInclusive<f64> = 0.0..=100.0;

    /// Returns the nearest supported parameters.
    #[must_use]
    pub fn clamped(self) -> Self {
        let tiles = (within(self.tiles.0, &Self::TILES), within(self.tiles.1, &Self::TILES));
        Self { tiles, clip_limit: within_real(self.clip_limit, &Self::CLIP_LIMITS) }
    }
}

impl Posterize {
    /// Supported numbers of levels.
    pub const LEVELS: RangeInclusive<u32> = 2..=16;

    /// Returns the nearest supported parameters.
    #[must_use]
    pub fn clamped(self) -> Self {
        Self { levels: within(self.levels, &Self::LEVELS), ..self }
    }
}

impl Otsu {
    /// Supported numbers of classes.
    pub const CLASSES: RangeInclusive<u32> = 2..=5;

    /// Returns the nearest supported parameters.
    #[must_use]
    pub fn clamped(self) -> Self {
        Self { classes: within(self.classes, &Self::CLASSES), ..self }
    }
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

    /// Returns the text of the adjustments with a digest of a file's lookup table, since different files may have the same name.
    #[must_use]
    pub fn exact_text(&self) -> String {
        let Some(lut) = self.lut else { return self.to_string() };
        let lut = lut.digest().map_or_else(|| lut.to_string(), |digest| format!("{lut} ({digest:08x})"));
        let parts = [lut, self.after_lut().to_string()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }

    /// Returns the nearest supported parameters.
    #[must_use]
    pub fn clamped(self) -> Self {
        let tone = self.tone.map(|tone| match tone {
            Tone::Equalize(equalize) => Tone::Equalize(equalize.clamped()),
            Tone::Clahe(clahe) => Tone::Clahe(clahe.clamped()),
        });
        let reduction = self.reduction.map(|reduction| match reduction {
            Reduction::Posterize(posterize) => Reduction::Posterize(posterize.clamped()),
            Reduction::Otsu(threshold) => Reduction::Otsu(threshold.clamped()),
        });
        Self { lut: self.lut, blur: self.blur.map(Blur::clamped), tone, reduction }
    }
}

impl Default for Blur {
    fn default() -> Self {
        Self { size: 9, runs: 1 }
    }
}

impl Default for Equalize {
    fn default() -> Self {
        Self { per_channel: false, time_constant_secs: 0.5 }
    }
}

impl Default for Clahe {
    fn default() -> Self {
        Self { tiles: (8, 8), clip_limit: 2.0 }
    }
}

impl Default for Posterize {
    fn default() -> Self {
        Self { levels: 5, placing: Placing::default() }
    }
}

impl Default for Otsu {
    fn default() -> Self {
        Self { classes: 2, shown: ClassDisplay::default() }
    }
}

fn within(value: u32, range: &RangeInclusive<u32>) -> u32 {
    value.clamp(*range.start(), *range.end())
}

/// Clamps a value to a range. NaN becomes the lower end.
fn within_real(value: f64, range: &RangeInclusive<f64>) -> f64 {
    if value.is_nan() { *range.start() } else { value.clamp(*range.start(), *range.end()) }
}

fn number<T: FromStr + PartialOrd + fmt::Display>(
    text: &str,
    what: &str,
    range: &RangeInclusive<T>,
) -> Result<T, ParseError> {
    match text.parse() {
        Ok(value) if range.contains(&value) => Ok(value),
        _ => Err(ParseError::new(format!(
            "'{text}' is not a valid {what}; expected {} to {}",
            range.start(),
            range.end()
        ))),
    }
}

/// Parses "9" or, for three runs, "9x3".
impl FromStr for Blur {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let (size, runs) = text.split_once('x').unwrap_or((text, "1"));
        let size = number(size, "width of a blur", &Self::SIZES)?;
        if size.is_multiple_of(2) {
            return Err(ParseError::new(format!("the width of a blur must be odd, not {size}")));
        }
        Ok(Self { size, runs: number(runs, "number of runs", &Self::RUNS)? })
    }
}

/// Parses "8x8" or, with a clip limit, "8x8:2.0".
impl FromStr for Clahe {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let (tiles, clip_limit) = text.split_once(':').unwrap_or((text, "2"));
        let Some((across, down)) = tiles.split_once('x') else {
            return Err(ParseError::new(format!("'{tiles}' is not a number of tiles; write it like 8x8")));
        };
        let tiles = (number(across, "number of tiles", &Self::TILES)?, number(down, "number of tiles", &Self::TILES)?);
        Ok(Self { tiles, clip_limit: number(clip_limit, "clip limit", &Self::CLIP_LIMITS)? })
    }
}

/// Parses "luminance" or "channels", optionally with a time constant in seconds, "luminance:0.5".
impl FromStr for Equalize {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let (what, time_constant) = text.split_once(':').unwrap_or((text, "0.5"));
        let per_channel = match what {
            "luminance" => false,
            "channels" => true,
            _ => return Err(ParseError::new(format!("cannot equalize '{what}'; expected luminance or channels"))),
        };
        Ok(Self { per_channel, time_constant_secs: number(time_constant, "time constant", &Self::TIME_CONSTANTS)? })
    }
}

/// Parses "5", "5:width" or "5:population".
impl FromStr for Posterize {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let (levels, placing) = text.split_once(':').unwrap_or((text, "width"));
        let placing = match placing {
            "width" => Placing::Width,
            "population" => Placing::Population,
            _ => {
                return Err(ParseError::new(format!("unknown placement '{placing}'; expected width or population")));
            }
        };
        Ok(Self { levels: number(levels, "number of levels", &Self::LEVELS)?, placing })
    }
}

/// Parses "3", "3:tones" or "3:colors".
impl FromStr for Otsu {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let (classes, shown) = text.split_once(':').unwrap_or((text, "tones"));
        let shown = match shown {
            "tones" => ClassDisplay::Tones,
            "colors" | "colours" => ClassDisplay::Colors,
            _ => return Err(ParseError::new(format!("cannot show classes as '{shown}'; expected tones or colors"))),
        };
        Ok(Self { classes: number(classes, "number of classes", &Self::CLASSES)?, shown })
    }
}

/// Formats the adjustments that are on as the text of the overlay, such as "low-pass 9×9 ×3, CLAHE 8×8 clip 2, 3
/// classes".
impl fmt::Display for Adjustments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<_> = self.lut.iter().map(Lut::to_string).collect();
        if let Some(Blur { size, runs }) = self.blur {
            parts.push(format!("low-pass {size}×{size}") + &if runs > 1 { format!(" ×{runs}") } else { String::new() });
        }
        match self.tone {
            Some(Tone::Equalize(Equalize { per_channel: true, .. })) => parts.push("equalized by channel".into()),
            Some(Tone::Equalize(_)) => parts.push("equalized".into()),
            Some(Tone::Clahe(Clahe { tiles, clip_limit })) => {
                let clip = if clip_limit > 0.0 { format!("clip {clip_limit}") } else { "without clip limit".into() };
                parts.push(format!("CLAHE {}×{} {clip}", tiles.0, tiles.1));
            }
            None => {}
        }
        match self.reduction {
            Some(Reduction::Posterize(Posterize { levels, placing: Placing::Width })) => {
                parts.push(format!("{levels} levels"))
            }
            Some(Reduction::Posterize(Posterize { levels, .. })) => {
                parts.push(format!("{levels} levels by population"))
            }
            Some(Reduction::Otsu(Otsu { classes, shown: ClassDisplay::Tones })) => {
                parts.push(format!("{classes} classes"));
            }
            Some(Reduction::Otsu(Otsu { classes, .. })) => parts.push(format!("{classes} classes in false colours")),
            None => {}
        }
        f.write_str(&parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
