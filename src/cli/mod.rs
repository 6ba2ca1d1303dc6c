//! The command line, as clap reads it; nothing is done here.

mod adjust;
mod analyze;
mod report;

use std::path::PathBuf;

pub use adjust::{AdjustArgs, CountedArg, EqualizeArg};
pub use analyze::{AnalyzeArgs, FormatArg, MergeArgs};
use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
pub use report::ReportArgs;

use crate::bench;
use crate::histogram;
use crate::picture::color;
use crate::text::parse_time;

/// Exact, live histograms over any video.
#[derive(Debug, Parser)]
#[command(
    name = "histoscope",
    version,
    about = "Plays a video with exact, live histograms of red, green, blue and luminance over it",
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = crate::keys::as_text()
)]
pub struct Cli {
    /// What to do; without a command, FILE is played in a window
    #[command(subcommand)]
    pub command: Option<Command>,

    /// What to play
    #[command(flatten)]
    pub play: PlayArgs,

    /// What every command knows
    #[command(flatten)]
    pub common: CommonArgs,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Render one frame with its histograms to a PNG, or print its figures, without a display
    Snapshot(SnapshotArgs),
    /// Write every frame's exact counts as data, for other programs, without a display
    Analyze(AnalyzeArgs),
    /// Join the outputs of 'analyze --from … --to …' into what one run would have written
    Merge(MergeArgs),
    /// Draw a whole clip as one picture: its histograms over time, cuts, worst frames, without a display
    Report(ReportArgs),
    /// List the graphics adapters of this machine
    Adapters,
    /// Measure how fast this machine counts, with each method of a well-known tutorial and with ours
    Bench(BenchArgs),
}

/// What to play.
#[derive(Debug, Args)]
pub struct PlayArgs {
    /// The videos to play, files or addresses, - for the standard input; without any, a window opens that takes one
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Start again at the end
    #[arg(long = "loop")]
    pub looped: bool,

    /// Open paused on the first frame
    #[arg(long)]
    pub paused: bool,

    /// Memory for decoded frames around the one on screen, in MiB: steps back and loops come out of it
    #[arg(long, value_name = "MIB", default_value_t = 512, value_parser = clap::value_parser!(u64).range(0..=1_048_576))]
    pub cache_mb: u64,

    /// Neither read nor keep settings from earlier runs
    #[arg(long)]
    pub no_config: bool,

    /// What is done to the picture
    #[command(flatten)]
    pub adjust: AdjustArgs,
}

/// What every command knows.
#[derive(Debug, Args)]
pub struct CommonArgs {
    /// Use the graphics adapter whose name contains NAME (see 'histoscope adapters')
    #[arg(long, value_name = "NAME", global = true)]
    pub adapter: Option<String>,

    /// What counts: the graphics adapter, or the CPU where that adapter is only software
    #[arg(long, value_enum, default_value_t, global = true)]
    pub engine: EngineArg,

    /// Read the video with this matrix instead of its own
    #[arg(long, value_enum, global = true)]
    pub matrix: Option<MatrixArg>,

    /// Read the video with this range instead of its own
    #[arg(long, value_enum, global = true)]
    pub range: Option<RangeArg>,

    /// Count red, green, blue and luminance, or Y', Cb and Cr as coded
    #[arg(long, value_enum, default_value_t, global = true)]
    pub components: ComponentsArg,

    /// Say more: once for what was chosen, twice for details (RUST_LOG refines it)
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub verbose: u8,
}

/// Arguments of `snapshot`.
#[derive(Debug, Args)]
pub struct SnapshotArgs {
    /// The video to read
    pub file: PathBuf,

    /// The frame that is on screen at this time: seconds, MM:SS or HH:MM:SS, with fractions
    #[arg(long, value_name = "TIME", default_value = "0", value_parser = parse_time, allow_negative_numbers = true)]
    pub at: f64,

    /// Size of the PNG in pixels; without it, the video's own as it is displayed
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    pub size: Option<(u32, u32)>,

    /// Histograms to draw: any of r, g, b and l
    #[arg(long, value_name = "rgbl", default_value = "rgbl", value_parser = parse_channels)]
    pub channels: ChannelsArg,

    /// Draw the picture without histograms
    #[arg(long)]
    pub no_overlay: bool,

    /// Print the figures as one JSON object
    #[arg(long)]
    pub json: bool,

    /// Put all bins into the JSON object
    #[arg(long, requires = "json")]
    pub bins: bool,

    /// Write the picture to this PNG file; without it, only the figures are printed
    #[arg(short, long, value_name = "FILE.png", value_parser = PathBufValueParser::new().try_map(picture_file))]
    pub output: Option<PathBuf>,

    /// What is done to the picture first
    #[command(flatten)]
    pub adjust: AdjustArgs,
}

/// Arguments of `bench`.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Measure on a frame of this video instead of made pictures
    pub file: Option<PathBuf>,

    /// Size of the pictures that are made
    #[arg(long, value_name = "WxH", default_value = "2448x1505", value_parser = parse_size)]
    pub size: (u32, u32),

    /// Pixel layout of the pictures that are made, by FFmpeg's name
    #[arg(long, default_value = "yuv420p")]
    pub layout: String,

    /// What the pictures that are made show
    #[arg(long, value_enum, default_value_t)]
    pub content: ContentArg,

    /// Repeats of each measurement; slow methods are repeated less
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub repeats: u32,

    /// Measure only the methods whose names contain one of these
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub only: Vec<String>,

    /// Print the results as JSON
    #[arg(long)]
    pub json: bool,

    /// Compare plans for the counting passes instead of methods
    #[arg(long, hide = true)]
    pub sweep: bool,
}

/// `--content`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ContentArg {
    /// Like a photograph: smooth areas, edges, a little noise
    #[default]
    Natural,
    /// Every code value, at random
    Noise,
    /// All pixels alike
    Constant,
}

impl From<ContentArg> for bench::Content {
    fn from(arg: ContentArg) -> Self {
        match arg {
            ContentArg::Natural => Self::Natural,
            ContentArg::Noise => Self::Noise,
            ContentArg::Constant => Self::Constant,
        }
    }
}

/// `--engine`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum EngineArg {
    /// The graphics adapter, or the CPU where the only adapter is software
    #[default]
    Auto,
    /// The graphics adapter, whatever it is
    Gpu,
    /// The CPU
    Cpu,
}

/// `--matrix`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MatrixArg {
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
    /// The planes are G, B and R themselves
    Rgb,
}

impl From<MatrixArg> for color::Matrix {
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

/// `--range`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RangeArg {
    /// Luma 16 to 235, scaled to the depth
    Limited,
    /// All code values
    Full,
}

impl From<RangeArg> for color::Range {
    fn from(arg: RangeArg) -> Self {
        match arg {
            RangeArg::Limited => Self::Limited,
            RangeArg::Full => Self::Full,
        }
    }
}

/// `--components`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ComponentsArg {
    /// Red, green, blue and luminance
    #[default]
    Rgbl,
    /// Y', Cb and Cr as coded, chroma at its own resolution
    Ycbcr,
}

impl From<ComponentsArg> for histogram::Components {
    fn from(arg: ComponentsArg) -> Self {
        match arg {
            ComponentsArg::Rgbl => Self::Rgbl,
            ComponentsArg::Ycbcr => Self::YCbCr,
        }
    }
}

/// `--channels`: which of red, green, blue and luminance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelsArg(pub [bool; 4]);

/// A file for a picture: one whose name tells of another format would not be what it says.
fn picture_file(path: PathBuf) -> Result<PathBuf, String> {
    match path.extension() {
        Some(ending) if !ending.eq_ignore_ascii_case("png") => {
            Err(format!("'{}' does not end in .png; pictures are written as PNG", path.display()))
        }
        _ => Ok(path),
    }
}

/// Reads `WxH`.
fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let wrong = || format!("'{text}' is no size; write width and height in pixels, for example 1280x720");
    let (width, height) = text.split_once(['x', 'X', '×']).ok_or_else(wrong)?;
    match (width.parse(), height.parse()) {
        (Ok(width), Ok(height)) if (1..=65_536).contains(&width) && (1..=65_536).contains(&height) => {
            Ok((width, height))
        }
        _ => Err(wrong()),
    }
}

/// Reads a set of the letters r, g, b and l.
fn parse_channels(text: &str) -> Result<ChannelsArg, String> {
    let mut on = [false; 4];
    for letter in text.chars() {
        let channel = "rgbl".find(letter.to_ascii_lowercase());
        match channel {
            Some(channel) => on[channel] = true,
            None => return Err(format!("'{letter}' is no channel; use r, g, b and l")),
        }
    }
    Ok(ChannelsArg(on))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definitions_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn files_are_played_and_without_any_a_window_opens() {
        let cli = Cli::try_parse_from(["histoscope", "a.mp4", "b.mp4", "--adapter", "llvm"]).unwrap();
        assert_eq!(cli.play.files, [PathBuf::from("a.mp4"), PathBuf::from("b.mp4")]);
        assert_eq!((cli.common.adapter.as_deref(), cli.play.cache_mb), (Some("llvm"), 512));
        assert!(Cli::try_parse_from(["histoscope"]).unwrap().play.files.is_empty());
        assert_eq!(Cli::try_parse_from(["histoscope", "a.mp4", "--cache-mb", "-1"]).unwrap_err().exit_code(), 2);
        assert!(Cli::try_parse_from(["histoscope", "adapters"]).unwrap().command.is_some());
        assert_eq!(Cli::try_parse_from(["histoscope", "snapshot"]).unwrap_err().exit_code(), 2);
    }

    #[test]
    fn sizes_and_channels_are_checked() {
        assert_eq!(parse_size("1280x720"), Ok((1280, 720)));
        for text in ["1280", "0x5", "5x0", "x", "-1x5", "1x1x1", "70000x2"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
        assert_eq!(parse_channels("lR"), Ok(ChannelsArg([true, false, false, true])));
        assert_eq!(parse_channels(""), Ok(ChannelsArg([false; 4])));
        assert!(parse_channels("rx").is_err());
    }
}
