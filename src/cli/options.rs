//! Options shared by several commands.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use histoscope::analysis::{Jobs, LOWEST_HLG_PEAK, Point, RegionSpec};
use histoscope::benchmark::Shape;
use histoscope::exposing::{ExposureChoice, FalseColorTable, Level, MarkLimits};
use histoscope::scoping::{Diagram, ScopeStyle};
use histoscope::{
    AdapterChoice, ChromaLines, Components, CroppingChoice, EngineChoice, Field, HardwareChoice, HardwareOptions,
    LuminanceWeights, Matrix, OpenOptions, Overlaps, Range, Ratio, Stops, Timecode, ToneMapping, Transfer,
    WeightsChoice, parse_time,
};

/// The options for reading the video.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reading the video")]
pub struct ReadingArgs {
    /// Read the video with this matrix instead of its own
    #[arg(long, value_enum)]
    matrix: Option<MatrixArg>,

    /// Read the video with this range instead of its own
    #[arg(long, value_enum)]
    range: Option<RangeArg>,

    /// Weights of red, green and blue in luminance
    #[arg(long, value_enum, default_value_t)]
    luminance_weights: WeightsArg,

    /// Lines that share a chroma row in 4:2:0
    #[arg(long, value_enum, default_value_t)]
    chroma_lines: ChromaLinesArg,

    /// Show and count only one field of each frame
    #[arg(long, value_enum, default_value_t)]
    field: FieldArg,

    /// Cropping to apply at the edges of the picture
    #[arg(long, alias = "crop", value_enum, default_value_t)]
    cropping: CroppingArg,

    /// Read this video track of the file, counted from 1 in file order, instead of the most likely one
    #[arg(long, value_name = "N", value_parser = whole::<u32, 1, 1_000_000>)]
    track: Option<u32>,

    /// Read this layer of EXR pictures, such as diffuse for diffuse.R, diffuse.G and diffuse.B, instead of the default one
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
        self.luminance_weights != WeightsArg::default()
    }

    /// Returns the options for opening the video.
    pub fn open_options(&self) -> OpenOptions {
        OpenOptions {
            matrix: self.matrix.map(Into::into),
            range: self.range.map(Into::into),
            luminance_weights: self.luminance_weights.into(),
            chroma_lines: match self.chroma_lines {
                ChromaLinesArg::Auto => None,
                ChromaLinesArg::Frame => Some(ChromaLines::Frame),
                ChromaLinesArg::Field => Some(ChromaLines::Field),
            },
            field: match self.field {
                FieldArg::Both => None,
                FieldArg::Top => Some(Field::Top),
                FieldArg::Bottom => Some(Field::Bottom),
            },
            cropping: self.cropping.into(),
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
    #[arg(long, value_enum, default_value_t)]
    components: ComponentsArg,

    /// Engine to count and paint with: the graphics adapter, or the CPU if that adapter is only software
    #[arg(long, value_enum, default_value_t)]
    engine: EngineArg,

    #[command(flatten)]
    adapter: AdapterArgs,
}

impl CountingArgs {
    /// Returns the components to count.
    pub fn components(&self) -> Components {
        self.components.into()
    }

    /// Returns the choice of engine.
    pub fn engine(&self) -> EngineChoice {
        self.engine.into()
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

    /// Show brightness in false colour: with the colours of cameras (camera, the default), in ten equal steps (steps), or by
    /// light in cd/m² (light; PQ and HLG)
    #[arg(
        long,
        visible_alias = "false-color",
        value_name = "TABLE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "camera"
    )]
    false_colour: Option<FalseColorTable>,
}

impl ExposureArgs {
    /// Returns the chosen exposure aids.
    pub const fn choice(&self) -> ExposureChoice {
        ExposureChoice { zebra: self.zebra, marks: self.clip_marks, false_color: self.false_colour }
    }
}

/// The light of the codes, and how it is shown, for the window and `snapshot`.
#[derive(Debug, Clone, Copy, Default, Args)]
#[command(next_help_heading = "Light")]
pub struct ToneArgs {
    /// How PQ and HLG are shown: highlights compressed by BT.2390's curve, clipped at white, or codes as they are. Counts
    /// are the same
    #[arg(long, value_enum)]
    tone_mapping: Option<ToneMappingArg>,

    /// Brighten or darken the picture by this number of stops, from -10 to 10. Counts are the same
    #[arg(long, value_name = "STOPS", allow_negative_numbers = true, default_value = "0", hide_default_value = true)]
    exposure: Stops,

    /// Read the video with this transfer function instead of its own
    #[arg(long, value_enum)]
    transfer: Option<TransferArg>,

    /// Read HLG for a display with this peak, 400 to 10,000 cd/m²; the default is 1000
    #[arg(long, value_name = "CD_M2", value_parser = whole::<u32, { LOWEST_HLG_PEAK as u64 }, 10_000>)]
    hlg_peak: Option<u32>,
}

impl ToneArgs {
    /// Returns how PQ and HLG are shown, if given.
    pub fn tone_mapping(&self) -> Option<ToneMapping> {
        self.tone_mapping.map(Into::into)
    }

    /// Returns the exposure of the picture.
    pub const fn exposure(&self) -> Stops {
        self.exposure
    }

    /// Returns options for opening the video that also say how its light is read.
    pub fn reading(&self, open: OpenOptions) -> OpenOptions {
        OpenOptions { transfer: self.transfer.map(Into::into), hlg_peak: self.hlg_peak, ..open }
    }
}

/// The value of `--tone-mapping`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ToneMappingArg {
    /// Highlights compressed by the curve of BT.2390
    Bt2390,
    /// Light above white clipped
    Clip,
    /// Codes as they are
    None,
}

impl From<ToneMappingArg> for ToneMapping {
    fn from(arg: ToneMappingArg) -> Self {
        match arg {
            ToneMappingArg::Bt2390 => Self::Bt2390,
            ToneMappingArg::Clip => Self::Clip,
            ToneMappingArg::None => Self::None,
        }
    }
}

/// The value of `--transfer`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TransferArg {
    /// PQ (SMPTE ST 2084), as in HDR10 and Dolby Vision
    Pq,
    /// HLG (ARIB STD-B67)
    Hlg,
    /// BT.1886, as SDR
    Bt1886,
}

impl From<TransferArg> for Transfer {
    fn from(arg: TransferArg) -> Self {
        match arg {
            TransferArg::Pq => Self::Pq,
            TransferArg::Hlg => Self::Hlg,
            TransferArg::Bt1886 => Self::Bt1886,
        }
    }
}

/// The value of `--engine`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum EngineArg {
    /// The graphics adapter, or the CPU if the only adapter is software
    #[default]
    Auto,
    /// The graphics adapter, even if it is software
    Gpu,
    /// The CPU
    Cpu,
}

impl From<EngineArg> for EngineChoice {
    fn from(arg: EngineArg) -> Self {
        match arg {
            EngineArg::Auto => Self::Auto,
            EngineArg::Gpu => Self::Gpu,
            EngineArg::Cpu => Self::Cpu,
        }
    }
}

/// The value of `--matrix`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MatrixArg {
    /// BT.601
    Bt601,
    /// BT.709
    Bt709,
    /// BT.2020, non-constant luminance
    #[value(alias = "bt2020")]
    Bt2020nc,
    /// SMPTE 240M
    Smpte240m,
    /// FCC
    Fcc,
    /// YCgCo
    Ycgco,
    /// No matrix: the planes are G, B and R
    Rgb,
}

impl From<MatrixArg> for Matrix {
    fn from(arg: MatrixArg) -> Self {
        match arg {
            MatrixArg::Bt601 => Self::Bt601,
            MatrixArg::Bt709 => Self::Bt709,
            MatrixArg::Bt2020nc => Self::Bt2020,
            MatrixArg::Smpte240m => Self::Smpte240m,
            MatrixArg::Fcc => Self::Fcc,
            MatrixArg::Ycgco => Self::YCgCo,
            MatrixArg::Rgb => Self::Identity,
        }
    }
}

/// The value of `--range`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RangeArg {
    /// Luma 16 to 235, scaled to the bit depth
    Limited,
    /// All code values
    Full,
}

impl From<RangeArg> for Range {
    fn from(arg: RangeArg) -> Self {
        match arg {
            RangeArg::Limited => Self::Limited,
            RangeArg::Full => Self::Full,
        }
    }
}

/// The value of `--luminance-weights`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum WeightsArg {
    /// Those of BT.709: 0.2126, 0.7152 and 0.0722
    #[default]
    Bt709,
    /// Those of BT.2020: 0.2627, 0.6780 and 0.0593
    Bt2020,
    /// Those of BT.2020 if the video has its primaries, or has none tagged but is PQ or HLG; else those of BT.709
    Auto,
}

impl From<WeightsArg> for WeightsChoice {
    fn from(arg: WeightsArg) -> Self {
        match arg {
            WeightsArg::Bt709 => Self::Always(LuminanceWeights::Bt709),
            WeightsArg::Bt2020 => Self::Always(LuminanceWeights::Bt2020),
            WeightsArg::Auto => Self::OfPrimaries,
        }
    }
}

/// The value of `--chroma-lines`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum ChromaLinesArg {
    /// By field if the frame is flagged as interlaced, else by frame
    #[default]
    Auto,
    /// Neighbouring lines, as in progressive video
    Frame,
    /// Neighbouring lines of each field, as in interlaced video
    Field,
}

/// The value of `--field`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum FieldArg {
    /// Whole frames
    #[default]
    Both,
    /// The field with the first line
    Top,
    /// The field with the second line
    Bottom,
}

/// The value of `--cropping`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum CroppingArg {
    /// Apply the cropping stated by the codec and the container
    #[default]
    All,
    /// Apply the cropping stated by the codec
    Codec,
    /// Do not crop: count all decoded pixels
    None,
}

impl From<CroppingArg> for CroppingChoice {
    fn from(arg: CroppingArg) -> Self {
        match arg {
            CroppingArg::All => Self::All,
            CroppingArg::Codec => Self::Codec,
            CroppingArg::None => Self::None,
        }
    }
}

/// The value of `--overlaps`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum OverlapsArg {
    /// Mix colours as light mixes
    #[default]
    Light,
    /// Use a fixed colour for each combination, as in the tutorial; gray where all overlap
    Table,
}

impl From<OverlapsArg> for Overlaps {
    fn from(arg: OverlapsArg) -> Self {
        match arg {
            OverlapsArg::Light => Self::Light,
            OverlapsArg::Table => Self::Table,
        }
    }
}

/// The value of `--luminance`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum LuminanceArg {
    /// Luminance of the encoded codes
    #[default]
    Encoded,
    /// Also the luminance of linear light
    Linear,
}

/// The value of `--components`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum ComponentsArg {
    /// Red, green, blue and luminance
    #[default]
    Rgbl,
    /// Y', Cb and Cr as coded, chroma at its own resolution
    Ycbcr,
}

impl From<ComponentsArg> for Components {
    fn from(arg: ComponentsArg) -> Self {
        match arg {
            ComponentsArg::Rgbl => Self::Rgbl,
            ComponentsArg::Ycbcr => Self::YCbCr,
        }
    }
}

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

/// A value of `--diagram`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum DiagramArg {
    /// Cb and Cr
    #[default]
    Cbcr,
    /// Chromaticities x and y (CIE 1931)
    Xy,
    /// Chromaticities u' and v' (CIE 1976)
    Uv,
    /// Red, green and blue against their gamut: a double diamond, counted before the clamp
    Diamond,
}

impl From<DiagramArg> for Diagram {
    fn from(diagram: DiagramArg) -> Self {
        match diagram {
            DiagramArg::Cbcr => Self::CbCr,
            DiagramArg::Xy => Self::Xy,
            DiagramArg::Uv => Self::Uv,
            DiagramArg::Diamond => Self::Diamond,
        }
    }
}

/// A value of `--scopes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ScopeArg {
    /// The histograms
    Histogram,
    /// Levels of each channel by column of the picture
    Waveform,
    /// The waveform with the channels side by side
    Parade,
    /// Pairs of Cb and Cr, or chromaticities with --diagram
    Vectorscope,
}

impl ScopeArg {
    /// Returns the style that shows these scopes, apart from the histograms.
    pub fn style(list: &[Self]) -> ScopeStyle {
        ScopeStyle {
            waveform: list.contains(&Self::Waveform),
            parade: list.contains(&Self::Parade),
            vectorscope: list.contains(&Self::Vectorscope),
            ..ScopeStyle::default()
        }
    }

    /// Returns `true` if the histograms are among these scopes.
    pub fn histograms(list: &[Self]) -> bool {
        list.contains(&Self::Histogram)
    }
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
