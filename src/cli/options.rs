//! Options shared by several commands.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use histoscope::analysis::{Jobs, LOWEST_HLG_PEAK, Point, RegionSpec};
use histoscope::benchmark::Shape;
use histoscope::exposing::{ExposureChoice, FalseColorTable, Level, MarkLimits, Peaking};
use histoscope::scoping::{Diagram, ScopeKind, ScopeStyle};
use histoscope::{
    AdapterChoice, ChromaLines, Components, CroppingChoice, EngineChoice, Field, Guides, HardwareChoice,
    HardwareOptions, LuminanceWeights, Matrix, OpenOptions, Overlaps, Range, Ratio, Stops, Timecode, ToneMapping,
    Transfer, WeightsChoice, parse_time,
};

/// The values of an option: each with its name, its meaning and its help. Names without help are accepted, but not
/// listed.
pub type Values<T> = &'static [(&'static str, T, &'static str)];

/// An option that clap takes as a value, not as something that may be left out.
type Maybe<T> = Option<T>;

/// Returns a parser that accepts one of these values.
pub fn one_of<T: Copy + Send + Sync>(values: Values<T>) -> impl TypedValueParser<Value = T> {
    let listed =
        |(name, _, help): &(&'static str, T, &'static str)| PossibleValue::new(*name).help(*help).hide(help.is_empty());
    let meaning = |name: String| values.iter().find(|(known, ..)| *known == name).map(|(_, value, _)| *value);
    PossibleValuesParser::new(values.iter().map(listed)).try_map(move |name| meaning(name).ok_or("unknown"))
}

/// The option for choosing the sound.
#[derive(Debug, Args)]
pub struct AudioTrackArgs {
    /// Measure this sound track of the file, counted from 1 in file order, instead of its default one
    #[arg(long, value_name = "N", value_parser = whole::<u32, 1, 1_000_000>)]
    pub audio_track: Option<u32>,
}

/// The options for reading the video.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reading the video")]
pub struct ReadingArgs {
    /// Read the video with this matrix instead of its own
    #[arg(long, value_parser = one_of(MATRICES))]
    matrix: Option<Matrix>,

    /// Read the video with this range instead of its own
    #[arg(long, value_parser = one_of(RANGES))]
    range: Option<Range>,

    /// Weights of red, green and blue in luminance
    #[arg(long, value_parser = one_of(WEIGHTS), default_value = "bt709")]
    luminance_weights: WeightsChoice,

    /// Lines that share a chroma row in 4:2:0
    #[arg(long, value_parser = one_of(CHROMA_LINES), default_value = "auto")]
    chroma_lines: Maybe<ChromaLines>,

    /// Show and count only one field of each frame
    #[arg(long, value_parser = one_of(FIELDS), default_value = "both")]
    field: Maybe<Field>,

    /// Cropping to apply at the edges of the picture
    #[arg(long, alias = "crop", value_parser = one_of(CROPPINGS), default_value = "all")]
    cropping: CroppingChoice,

    /// Read this video track of the file, counted from 1 in file order, instead of the most likely one
    #[arg(long, value_name = "N", value_parser = whole::<u32, 1, 1_000_000>)]
    track: Option<u32>,

    /// Read this layer of EXR pictures, such as diffuse for diffuse.R, diffuse.G and diffuse.B, instead of the default
    /// one
    #[arg(long, value_name = "NAME")]
    layer: Option<String>,

    /// Decode with N threads; the default is one more than the number of cores. With 1, a damaged file gives the same
    /// counts every time
    #[arg(long, value_name = "N", value_parser = whole::<usize, 1, 64>)]
    threads: Option<usize>,

    /// Decode with hardware: auto, no, vulkan, cuda (or nvdec), vaapi, videotoolbox, d3d11va. Frames that it cannot
    /// decode are decoded in software
    #[arg(long, value_name = "KIND", default_value = "no")]
    hwdec: HardwareChoice,

    /// Open a picture with a number in its name as part of its sequence
    #[arg(long)]
    sequence: bool,

    /// Frame rate of numbered pictures (25, 23.976, 24000/1001); by default 24 for DPX and EXR, 25 for others
    #[arg(long, value_name = "RATE", value_parser = parse_rate)]
    frame_rate: Option<Ratio>,
}

impl ReadingArgs {
    /// Returns `true` if other weights of luminance than the usual ones are chosen.
    pub fn has_weights(&self) -> bool {
        self.luminance_weights != WeightsChoice::default()
    }

    /// Returns the options for opening the video.
    pub fn open_options(&self) -> OpenOptions {
        OpenOptions {
            matrix: self.matrix,
            range: self.range,
            luminance_weights: self.luminance_weights,
            chroma_lines: self.chroma_lines,
            field: self.field,
            cropping: self.cropping,
            track: self.track,
            layer: self.layer.clone(),
            threads: self.threads,
            sequence: self.sequence,
            frame_rate: self.frame_rate,
            hardware: HardwareOptions { choice: self.hwdec, verify: false, checks: checks_of_hardware(), memory: None },
            ..OpenOptions::default()
        }
    }
}

/// Returns the file in the platform's cache folder that keeps the results of checking hardware decoders, if there is
/// such a folder.
fn checks_of_hardware() -> Option<PathBuf> {
    let folders = directories::ProjectDirs::from("", "", "histoscope")?;
    Some(folders.cache_dir().join("hardware-checks.tsv"))
}

/// The graphics adapter to use.
#[derive(Debug, Args)]
pub struct AdapterArgs {
    /// Use the graphics adapter whose name contains NAME (see 'histoscope adapters')
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
}

impl AdapterArgs {
    /// Returns the choice of adapter.
    pub fn choice(&self) -> AdapterChoice {
        AdapterChoice { name: self.adapter.clone() }
    }
}

/// The components to count, and the engine.
#[derive(Debug, Args)]
#[command(next_help_heading = "Counting")]
pub struct CountingArgs {
    /// Count red, green, blue and luminance, or Y', Cb and Cr as coded
    #[arg(long, value_parser = one_of(COMPONENTS), default_value = "rgbl")]
    components: Components,

    /// Engine to count and paint with: the graphics adapter, or the CPU if that adapter is only software
    #[arg(long, value_parser = one_of(ENGINES), default_value = "auto")]
    engine: EngineChoice,

    #[command(flatten)]
    adapter: AdapterArgs,
}

impl CountingArgs {
    /// Returns the components to count.
    pub const fn components(&self) -> Components {
        self.components
    }

    /// Returns the choice of engine.
    pub const fn engine(&self) -> EngineChoice {
        self.engine
    }

    /// Returns the choice of adapter.
    pub fn adapter(&self) -> AdapterChoice {
        self.adapter.choice()
    }
}

/// The frames to count, and the part of each picture.
#[derive(Debug, Args)]
pub struct PartArgs {
    /// Begin with the first frame at or after this time (3.2, 1:02.5, 0:01:02.5), timecode (10:00:00:00) or frame
    /// number (250f)
    #[arg(long, value_name = "POINT", value_parser = parse_point, allow_negative_numbers = true)]
    pub from: Option<Point>,

    /// End before the first frame at or after this time, timecode or frame number
    #[arg(long, value_name = "POINT", value_parser = parse_point, allow_negative_numbers = true)]
    pub to: Option<Point>,

    /// Count only this region of the picture as coded, in pixels, or in percent of its width and height
    #[arg(long, value_name = "X,Y,W,H", conflicts_with = "crop_bars")]
    pub region: Option<RegionSpec>,

    /// Find black bars at the edges and leave them out
    #[arg(long)]
    pub crop_bars: bool,
}

/// The exposure aids in the picture, for the window and `snapshot`.
#[derive(Debug, Clone, Copy, Default, Args)]
#[command(next_help_heading = "Exposure")]
pub struct ExposureArgs {
    /// Zebra: stripe pixels at or above LEVEL, in percent (95) or as a code at the video's depth (243c)
    #[arg(long, value_name = "LEVEL", allow_negative_numbers = true)]
    zebra: Option<Level>,

    /// Mark pixels that are clipped or out of range (the default), outside EBU R 103 (r103), or beyond two levels
    /// (2%,98%)
    #[arg(long, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "clipped")]
    clip_marks: Option<MarkLimits>,

    /// Show brightness in false colour: with the colours of cameras (camera, the default), in ten equal steps (steps),
    /// or by light in cd/m² (light; PQ and HLG)
    #[arg(
        long,
        visible_alias = "false-color",
        value_name = "TABLE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "camera"
    )]
    false_colour: Option<FalseColorTable>,

    /// Focus peaking: mark pixels beside which the picture changes by much, at this sensitivity: low, as the
    /// first press of Ctrl+F, if left out
    #[arg(
        long,
        value_name = "SENSITIVITY",
        value_parser = one_of(PEAKINGS),
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "low"
    )]
    peaking: Option<Peaking>,

    /// Draw guides over the picture: any of safe (EBU R 95), caption (4:3) and cross, and one aspect as a mask (2.39,
    /// 16:9, or any other)
    #[arg(long, value_name = "LIST")]
    guides: Option<Guides>,
}

/// The sensitivities of focus peaking.
const PEAKINGS: Values<Peaking> = &[
    ("low", Peaking::Low, "The strongest edges alone"),
    ("medium", Peaking::Medium, "Clear edges"),
    ("high", Peaking::High, "Fine detail, too"),
];

impl ExposureArgs {
    /// Returns the chosen exposure aids.
    pub const fn choice(&self) -> ExposureChoice {
        ExposureChoice {
            zebra: self.zebra,
            marks: self.clip_marks,
            false_color: self.false_colour,
            peaking: self.peaking,
        }
    }

    /// Returns the guides, if given.
    pub const fn guides(&self) -> Option<Guides> {
        self.guides
    }
}

/// The light of the codes, and how it is shown, for the window and `snapshot`.
#[derive(Debug, Clone, Copy, Default, Args)]
#[command(next_help_heading = "Light")]
pub struct ToneArgs {
    /// How PQ and HLG are shown: highlights compressed by BT.2390's curve, clipped at white, or codes as they are.
    /// Counts are the same
    #[arg(long, value_parser = one_of(TONE_MAPPINGS))]
    tone_mapping: Option<ToneMapping>,

    /// Brighten or darken the picture by this number of stops, from -10 to 10. Counts are the same
    #[arg(long, value_name = "STOPS", allow_negative_numbers = true, default_value = "0", hide_default_value = true)]
    exposure: Stops,

    /// Read the video with this transfer function instead of its own
    #[arg(long, value_parser = one_of(TRANSFERS))]
    transfer: Option<Transfer>,

    /// Read HLG for a display with this peak, 400 to 10,000 cd/m²; the default is 1000
    #[arg(long, value_name = "CD_M2", value_parser = whole::<u32, { LOWEST_HLG_PEAK as u64 }, 10_000>)]
    hlg_peak: Option<u32>,
}

impl ToneArgs {
    /// Returns how PQ and HLG are shown, if given.
    pub const fn tone_mapping(&self) -> Option<ToneMapping> {
        self.tone_mapping
    }

    /// Returns the exposure of the picture.
    pub const fn exposure(&self) -> Stops {
        self.exposure
    }

    /// Returns options for opening the video that also say how its light is read.
    pub fn reading(&self, open: OpenOptions) -> OpenOptions {
        OpenOptions { transfer: self.transfer, hlg_peak: self.hlg_peak, ..open }
    }
}

/// The values of `--tone-mapping`.
const TONE_MAPPINGS: Values<ToneMapping> = &[
    ("bt2390", ToneMapping::Bt2390, "Highlights compressed by the curve of BT.2390"),
    ("clip", ToneMapping::Clip, "Light above white clipped"),
    ("none", ToneMapping::None, "Codes as they are"),
];

/// The values of `--transfer`.
pub const TRANSFERS: Values<Transfer> = &[
    ("pq", Transfer::Pq, "PQ (SMPTE ST 2084), as in HDR10 and Dolby Vision"),
    ("hlg", Transfer::Hlg, "HLG (ARIB STD-B67)"),
    ("bt1886", Transfer::Bt1886, "BT.1886, as SDR"),
];

/// The values of `--engine`.
pub const ENGINES: Values<EngineChoice> = &[
    ("auto", EngineChoice::Auto, "The graphics adapter, or the CPU if the only adapter is software"),
    ("gpu", EngineChoice::Gpu, "The graphics adapter, even if it is software"),
    ("cpu", EngineChoice::Cpu, "The CPU"),
];

/// The values of `--matrix`.
const MATRICES: Values<Matrix> = &[
    ("bt601", Matrix::Bt601, "BT.601"),
    ("bt709", Matrix::Bt709, "BT.709"),
    ("bt2020nc", Matrix::Bt2020, "BT.2020, non-constant luminance"),
    ("bt2020", Matrix::Bt2020, ""),
    ("smpte240m", Matrix::Smpte240m, "SMPTE 240M"),
    ("fcc", Matrix::Fcc, "FCC"),
    ("ycgco", Matrix::YCgCo, "YCgCo"),
    ("rgb", Matrix::Identity, "No matrix: the planes are G, B and R"),
];

/// The values of `--range`.
const RANGES: Values<Range> =
    &[("limited", Range::Limited, "Luma 16 to 235, scaled to the bit depth"), ("full", Range::Full, "All code values")];

/// The values of `--luminance-weights`.
const WEIGHTS: Values<WeightsChoice> = &[
    ("bt709", WeightsChoice::Always(LuminanceWeights::Bt709), "Those of BT.709: 0.2126, 0.7152 and 0.0722"),
    ("bt2020", WeightsChoice::Always(LuminanceWeights::Bt2020), "Those of BT.2020: 0.2627, 0.6780 and 0.0593"),
    (
        "auto",
        WeightsChoice::OfPrimaries,
        "Those of BT.2020 if the video has its primaries, or has none tagged but is PQ or HLG; else those of BT.709",
    ),
];

/// The values of `--chroma-lines`.
const CHROMA_LINES: Values<Maybe<ChromaLines>> = &[
    ("auto", None, "By field if the frame is flagged as interlaced, else by frame"),
    ("frame", Some(ChromaLines::Frame), "Neighbouring lines, as in progressive video"),
    ("field", Some(ChromaLines::Field), "Neighbouring lines of each field, as in interlaced video"),
];

/// The values of `--field`.
const FIELDS: Values<Maybe<Field>> = &[
    ("both", None, "Whole frames"),
    ("top", Some(Field::Top), "The field with the first line"),
    ("bottom", Some(Field::Bottom), "The field with the second line"),
];

/// The values of `--cropping`.
const CROPPINGS: Values<CroppingChoice> = &[
    ("all", CroppingChoice::All, "Apply the cropping stated by the codec and the container"),
    ("codec", CroppingChoice::Codec, "Apply the cropping stated by the codec"),
    ("none", CroppingChoice::None, "Do not crop: count all decoded pixels"),
];

/// The values of `--overlaps`.
pub const OVERLAPS: Values<Overlaps> = &[
    ("light", Overlaps::Light, "Mix colours as light mixes"),
    ("table", Overlaps::Table, "Use a fixed colour for each combination, as in the tutorial; gray where all overlap"),
];

/// The values of `--luminance`.
pub const LINEAR_LUMINANCE: Values<bool> =
    &[("encoded", false, "Luminance of the encoded codes"), ("linear", true, "Also the luminance of linear light")];

/// The values of `--components`.
const COMPONENTS: Values<Components> = &[
    ("rgbl", Components::Rgbl, "Red, green, blue and luminance"),
    ("ycbcr", Components::YCbCr, "Y', Cb and Cr as coded, chroma at its own resolution"),
];

/// Parses a time, a timecode, or a frame number with an f before or after the digits.
pub fn parse_point(text: &str) -> Result<Point, String> {
    let digits = text.strip_suffix('f').or_else(|| text.strip_prefix('f'));
    if let Some(digits) = digits.filter(|digits| digits.bytes().all(|b| b.is_ascii_digit())) {
        return digits.parse().map(Point::Frame).map_err(|_| format!("'{text}' is not a frame number; write 250f"));
    }
    let wrong = || {
        format!(
            "'{text}' is neither a time, a timecode nor a frame number; write seconds (3.2), MM:SS (1:02.5), HH:MM:SS \
             (0:01:02.5), a timecode (10:00:00:00, or 10:00:00;00), or a frame's number (250f)"
        )
    };
    if let Some(timecode) = Timecode::parse(text) {
        return Ok(Point::Timecode(timecode));
    }
    parse_time(text).map(Point::Time).map_err(|_| wrong())
}

/// Parses a frame rate: `25`, `23.976` or `24000/1001`.
fn parse_rate(text: &str) -> Result<Ratio, String> {
    const MAX: f64 = 10_000.0;
    let digits = |part: &str| !part.is_empty() && part.len() <= 9 && part.bytes().all(|b| b.is_ascii_digit());
    let ratio = match (text.split_once('/'), text.split_once('.')) {
        (Some((num, den)), _) if digits(num) && digits(den) => num.parse().ok().zip(den.parse().ok()),
        (None, Some((whole, places))) if digits(whole) && digits(places) && places.len() <= 3 => {
            let den = 10_u32.pow(u32::try_from(places.len()).unwrap_or(0));
            format!("{whole}{places}").parse().ok().map(|num| (num, den))
        }
        (None, None) if digits(text) => text.parse().ok().map(|num| (num, 1)),
        _ => None,
    };
    let ratio = ratio.map(|(num, den)| Ratio { num, den }).filter(|ratio| ratio.num > 0 && ratio.den > 0);
    ratio.filter(|ratio| ratio.value() <= MAX).ok_or_else(|| {
        format!("'{text}' is not a frame rate; write frames per second (25, 23.976, 24000/1001), at most {MAX}")
    })
}

/// Maximum width or height of a picture in pixels.
const MAX_SIDE: u32 = 65_536;

/// Parses a number of bins.
pub fn parse_bin_count(text: &str) -> Result<u32, String> {
    let bins = text.parse().map_err(|_| format!("'{text}' is not a number of bins; write one from 3 to 4096"))?;
    Shape::check_bins(bins).map_err(|error| error.to_string())?;
    Ok(bins)
}

/// Parses a size written as `WxH`.
pub fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let wrong = || format!("'{text}' is not a size; write width and height in pixels, for example 1280x720");
    let (width, height) = text.split_once(['x', 'X', '×']).ok_or_else(wrong)?;
    match (width.parse(), height.parse()) {
        (Ok(0), _) | (_, Ok(0)) => Err(wrong()),
        (Ok(width), Ok(height)) if width.max(height) > MAX_SIDE => {
            Err(format!("'{text}' is too large; a picture has at most {MAX_SIDE} pixels across and down"))
        }
        (Ok(width), Ok(height)) => Ok((width, height)),
        _ => Err(wrong()),
    }
}

/// Parses an integer between `MIN` and `MAX`.
pub fn whole<N: FromStr, const MIN: u64, const MAX: u64>(text: &str) -> Result<N, String> {
    let wrong = || match MAX {
        u64::MAX => format!("'{text}' is not a whole number of at least {MIN}"),
        _ => format!("'{text}' is not a whole number from {MIN} to {MAX}"),
    };
    let number: u64 = text.parse().map_err(|_| wrong())?;
    let number = Some(number).filter(|number| (MIN..=MAX).contains(number)).ok_or_else(wrong)?;
    number.to_string().parse().map_err(|_| wrong())
}

/// Parses a number of decoders, or `auto`.
pub fn parse_jobs(text: &str) -> Result<Jobs, String> {
    if text == "auto" {
        Ok(Jobs::Auto)
    } else {
        whole::<std::num::NonZeroUsize, 1, { u64::MAX }>(text).map(Jobs::Exactly)
    }
}

/// The values of `--diagram`.
pub const DIAGRAMS: Values<Diagram> = &[
    ("cbcr", Diagram::CbCr, "Cb and Cr"),
    ("xy", Diagram::Xy, "Chromaticities x and y (CIE 1931)"),
    ("uv", Diagram::Uv, "Chromaticities u' and v' (CIE 1976)"),
    (
        "diamond",
        Diagram::Diamond,
        "Red, green and blue against their gamut: a double diamond, counted before the clamp",
    ),
];

/// The values of `--scopes`.
pub const SCOPES: Values<ScopeKind> = &[
    ("histogram", ScopeKind::Histogram, "The histograms"),
    ("waveform", ScopeKind::Waveform, "Levels of each channel by column of the picture"),
    ("parade", ScopeKind::Parade, "The waveform with the channels side by side"),
    ("vectorscope", ScopeKind::Vectorscope, "Pairs of Cb and Cr, or what --diagram names"),
];

/// Returns the style that shows these scopes, apart from the histograms.
pub fn scope_style(list: &[ScopeKind]) -> ScopeStyle {
    let mut style = ScopeStyle::default();
    list.iter().for_each(|&kind| style.set(kind, true));
    style
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::*;

    #[test]
    fn frame_rates_are_exact() {
        let ratio = |num, den| Ok(Ratio { num, den });
        assert_eq!(parse_rate("24000/1001"), ratio(24_000, 1001));
        assert_eq!((parse_rate("25"), parse_rate("23.976")), (ratio(25, 1), ratio(23_976, 1000)));
        for text in
            ["", "0", "-25", "25/0", "0/1", "a", "25.", ".5", "1/2/3", "1e3", "99999", "25.0001", "9999999999", "25 "]
        {
            assert!(parse_rate(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_are_two_numbers() {
        assert_eq!(parse_size("1280x720"), Ok((1280, 720)));
        for text in ["1280", "0x5", "5x0", "x", "-1x5", "1x1x1", "99999999999x2"] {
            assert!(parse_size(text).is_err_and(|error| error.contains("is not a size")), "{text}");
        }
        assert!(parse_size("70000x2").is_err_and(|error| error.contains("65536 pixels across")));
        assert_eq!(parse_size("2x65536"), Ok((2, 65_536)));
    }

    #[test]
    fn whole_numbers_are_limited_and_errors_state_the_limits() {
        let parse = whole::<u32, 1, 1000>;
        assert_eq!((parse("1"), parse("1000")), (Ok(1), Ok(1000)));
        for text in ["0", "1001", "-1", "1.5", "x", ""] {
            assert_eq!(parse(text), Err(format!("'{text}' is not a whole number from 1 to 1000")));
        }
        let parse = whole::<NonZeroU64, 1, { u64::MAX }>;
        assert_eq!(parse("7"), Ok(NonZeroU64::new(7).expect("not zero")));
        assert_eq!(parse("0"), Err("'0' is not a whole number of at least 1".to_owned()));
        assert!(whole::<u32, 1, { u64::MAX }>("5000000000").is_err(), "no room for it");
    }

    #[test]
    fn points_are_times_or_frame_numbers() {
        assert_eq!(parse_point("250f"), Ok(Point::Frame(250)));
        assert_eq!(parse_point("f0"), Ok(Point::Frame(0)));
        assert_eq!(parse_point("1:02.5"), Ok(Point::Time(62.5)));
        assert_eq!(parse_point("0:01:02.05"), Ok(Point::Time(62.05)), "that is no timecode");
        for text in ["10:00:00:00", "01:00:00;29"] {
            assert_eq!(parse_point(text).map(|point| point.to_string()).as_deref(), Ok(text));
            assert!(matches!(parse_point(text), Ok(Point::Timecode(_))), "{text}");
        }
        for text in ["", "f", "-3f", "1.5f", "x", "99999999999999999999f", "1:75", "25:00:00:00"] {
            assert!(parse_point(text).is_err(), "{text}");
        }
    }
}
