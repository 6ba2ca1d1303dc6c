//! Arguments that adjust the picture, shared by the window, `snapshot` and `analyze`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use histoscope::adjusting::{
    Adjustments, Blur, CameraLog, Clahe, Equalize, Lut, LutError, Otsu, ParseError, Posterize, Reduction, Tone,
};
use histoscope::{Components, Counted};

use super::options::{Values, one_of};
use super::output::{WrongUsage, wrong_usage};

/// The adjustments, made in this order: LUT, low-pass, equalize or CLAHE, posterize or classes.
#[derive(Debug, Clone, PartialEq, Default, Args)]
#[command(next_help_heading = "Adjustments (in order of application)")]
pub struct AdjustArgs {
    /// Map colours through a lookup table: a .cube file with a curve, a cube, or both
    #[arg(long, value_name = "FILE.cube")]
    lut: Option<PathBuf>,

    /// Map a camera's log and gamut to BT.709: s-log3, logc3, logc4, v-log, canon-log2, canon-log3, n-log, f-log2,
    /// log3g10, blackmagic-gen5 or acescct
    #[arg(long, value_name = "LOG", conflicts_with = "lut")]
    camera_log: Option<CameraLog>,

    /// Low-pass: replace each pixel by the mean of WIDTH×WIDTH pixels, WIDTH odd from 3 to 63, one to three times (9x3)
    #[arg(long, value_name = "WIDTH[xRUNS]")]
    low_pass: Option<Blur>,

    /// Equalize the histogram of luminance (the default) or of channels, following changes over SECONDS (0.5; 0 follows
    /// immediately)
    #[arg(
        long,
        value_name = "WHAT[:SECONDS]",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "luminance",
        conflicts_with = "clahe"
    )]
    equalize: Option<EqualizeArg>,

    /// Equalize tile by tile, 1 to 16 tiles across and down, with contrast limited to CLIP, 0 to 100 (8x8:2.0)
    #[arg(long, value_name = "WxH[:CLIP]")]
    clahe: Option<Clahe>,

    /// Reduce red, green and blue to LEVELS, 2 to 16, of equal width (width, the default) or equal population
    /// (population)
    #[arg(long, value_name = "LEVELS[:PLACING]", conflicts_with = "otsu")]
    posterize: Option<Posterize>,

    /// Divide the picture into CLASSES, 2 to 5, at Otsu's thresholds, shown as tones (the default) or colors
    #[arg(long, value_name = "CLASSES[:SHOWN]")]
    otsu: Option<Otsu>,

    /// Count the adjusted picture (the default), the source, or both
    #[arg(long, value_parser = one_of(COUNTED), value_name = "PICTURE")]
    counted: Option<Counted>,
}

/// The values of `--equalize`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct EqualizeArg {
    /// The parsed parameters.
    equalize: Equalize,
    /// `true` if a time constant was given explicitly.
    has_time_constant: bool,
}

impl FromStr for EqualizeArg {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self { equalize: text.parse()?, has_time_constant: text.contains(':') })
    }
}

/// The values of `--counted`.
const COUNTED: Values<Counted> = &[
    ("source", Counted::Source, "The picture as it was decoded"),
    ("result", Counted::Result, "The adjusted picture"),
    ("both", Counted::Both, "Both"),
];

impl AdjustArgs {
    /// Returns `true` if no adjustment is requested.
    pub const fn is_off(&self) -> bool {
        let Self { lut, camera_log, low_pass, equalize, clahe, posterize, otsu, counted: _ } = self;
        let has_tone = equalize.is_some() || clahe.is_some();
        let has_lut = lut.is_some() || camera_log.is_some();
        !has_lut && low_pass.is_none() && !has_tone && posterize.is_none() && otsu.is_none()
    }

    /// Returns the adjustments, and reads the lookup table. By default, all are off.
    ///
    /// # Errors
    /// [`LutError`] if the lookup table cannot be used.
    pub fn adjustments(&self) -> Result<Adjustments, LutError> {
        let equalize = self.equalize.map(|arg| Tone::Equalize(arg.equalize));
        let posterize = self.posterize.map(Reduction::Posterize);
        Ok(Adjustments {
            lut: self.lut.as_deref().map(Lut::open).transpose()?.or(self.camera_log.map(Lut::of_camera)),
            blur: self.low_pass,
            tone: equalize.or(self.clahe.map(Tone::Clahe)),
            reduction: posterize.or(self.otsu.map(Reduction::Otsu)),
        })
    }

    /// Returns the picture to count. The default is the adjusted one.
    pub fn counted(&self) -> Counted {
        self.counted.unwrap_or_default()
    }

    /// Checks the rules that apply to every command that counts without a window.
    ///
    /// # Errors
    /// [`WrongUsage`] with a suggestion if arguments contradict each other.
    pub fn check(&self, components: Components) -> Result<(), WrongUsage> {
        if self.is_off() {
            return match self.counted {
                Some(_) => wrong_usage(
                    "--counted chooses between the source and the adjusted picture; add --lut, --camera-log, --low-pass, --equalize, \
                                --clahe, --posterize or --otsu, or leave it out",
                ),
                None => Ok(()),
            };
        }
        if components == Components::YCbCr && self.counted() != Counted::Source {
            let text = "an adjusted picture is R'G'B' and has no Y'CbCr codes to count; leave out --components";
            return wrong_usage(text);
        }
        Ok(())
    }

    /// Returns the explicitly given time constant in seconds, if it is above 0.
    pub fn time_constant_secs(&self) -> Option<f64> {
        let written = self.equalize.filter(|arg| arg.has_time_constant)?.equalize.time_constant_secs;
        (written > 0.0).then_some(written)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use histoscope::adjusting::{ClassDisplay, Placing};

    #[derive(Debug, Parser)]
    struct Line {
        file: Option<String>,
        #[command(flatten)]
        adjust: AdjustArgs,
    }

    fn line(arguments: &[&str]) -> Result<Line, clap::Error> {
        Line::try_parse_from([&["test"], arguments].concat())
    }

    fn adjustments(arguments: &[&str]) -> Adjustments {
        line(arguments).unwrap().adjust.adjustments().unwrap()
    }

    fn equalize(per_channel: bool, time_constant_secs: f64) -> Option<Tone> {
        Some(Tone::Equalize(Equalize { per_channel, time_constant_secs }))
    }

    #[test]
    fn nothing_is_adjusted_by_default() {
        assert!(adjustments(&["a.mp4"]).is_off());
        assert_eq!(line(&[]).unwrap().adjust.counted(), Counted::Result);
    }

    #[test]
    fn equalize_without_a_value_is_luminance_with_the_default_time_constant() {
        // The next argument is a file, not a value.
        let line = line(&["--equalize", "a.mp4"]).unwrap();
        assert_eq!(line.file.as_deref(), Some("a.mp4"));
        assert_eq!(line.adjust.adjustments().unwrap().tone, equalize(false, 0.5));
        assert_eq!(line.adjust.time_constant_secs(), None, "nobody wrote it");
        assert_eq!(adjustments(&["--equalize=channels"]).tone, equalize(true, 0.5));
        assert_eq!(adjustments(&["--equalize=luminance:2"]).tone, equalize(false, 2.0));
    }

    #[test]
    fn an_explicit_time_constant_is_reported() {
        let written = |text| line(&[text]).unwrap().adjust.time_constant_secs();
        assert_eq!(written("--equalize=channels:0.5"), Some(0.5));
        assert_eq!((written("--equalize=luminance:0"), written("--equalize=channels")), (None, None));
    }

    #[test]
    fn adjustments_are_chained() {
        let chain = adjustments(&["--otsu", "3:colors", "--clahe", "4x2:3.5", "--low-pass", "9x3"]);
        let expected = Adjustments {
            lut: None,
            blur: Some(Blur { size: 9, runs: 3 }),
            tone: Some(Tone::Clahe(Clahe { tiles: (4, 2), clip_limit: 3.5 })),
            reduction: Some(Reduction::Otsu(Otsu { classes: 3, shown: ClassDisplay::Colors })),
        };
        assert_eq!(chain, expected);
        let levels = Posterize { levels: 5, placing: Placing::Population };
        assert_eq!(adjustments(&["--posterize", "5:population"]).reduction, Some(Reduction::Posterize(levels)));
        assert_eq!(line(&["--counted", "both"]).unwrap().adjust.counted(), Counted::Both);
    }

    #[test]
    fn impossible_adjustments_are_wrong_usage_with_a_hint() {
        for (arguments, words) in [
            (&["--low-pass", "8"][..], "must be odd, not 8"),
            (&["--low-pass", "1"], "expected 3 to 63"),
            (&["--low-pass", "65"], "expected 3 to 63"),
            (&["--low-pass", "9x4"], "expected 1 to 3"),
            (&["--clahe", "8"], "8x8"),
            (&["--clahe", "0x8"], "expected 1 to 16"),
            (&["--clahe", "8x17"], "expected 1 to 16"),
            (&["--clahe", "8x8:-1"], "expected 0 to 100"),
            (&["--clahe", "8x8:NaN"], "expected 0 to 100"),
            (&["--equalize=hue"], "expected luminance or channels"),
            (&["--equalize=luminance:11"], "expected 0 to 10"),
            (&["--posterize", "1"], "expected 2 to 16"),
            (&["--posterize", "17"], "expected 2 to 16"),
            (&["--posterize", "5:hue"], "expected width or population"),
            (&["--otsu", "6"], "expected 2 to 5"),
            (&["--otsu", "3:hue"], "expected tones or colors"),
            (&["--counted", "all"], "source, result, both"),
            (&["--camera-log", "c-log"], "expected s-log3, logc3, logc4, v-log, canon-log2"),
            (&["--camera-log", "v-log", "--lut", "a.cube"], "cannot be used with"),
            (&["--equalize", "--clahe", "8x8"], "cannot be used with"),
            (&["--posterize", "3", "--otsu", "3"], "cannot be used with"),
        ] {
            let error = line(arguments).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{arguments:?}");
            assert!(error.to_string().contains(words), "{arguments:?}: no '{words}' in {error}");
        }
    }
}
