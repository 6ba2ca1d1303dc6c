//! Arguments of `analyze` and `merge`.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::AdjustArgs;
use crate::export::analyze::format::Format;
use crate::export::analyze::selection::{Point, RegionSpec};
use crate::text::parse_time;

/// Arguments of `analyze`.
#[derive(Debug, Args)]
pub struct AnalyzeArgs {
    /// The videos to read; '-' is the standard input
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,

    /// How to write the records; without it, by the ending of -o's file, else jsonl
    #[arg(long, value_enum)]
    pub format: Option<FormatArg>,

    /// Write the records of the one input to this file; '-' is the standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Write a file for each input into this folder, which is made if need be
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    pub out_dir: Option<PathBuf>,

    /// Put all bins into the records
    #[arg(long)]
    pub bins: bool,

    /// Begin with the first frame at or after this: a time (3.2, 1:02.5, 0:01:02.5) or a frame's number (250f)
    #[arg(long, value_name = "POINT", value_parser = parse_point)]
    pub from: Option<Point>,

    /// End before the first frame at or after this, a time or a frame's number
    #[arg(long, value_name = "POINT", value_parser = parse_point)]
    pub to: Option<Point>,

    /// Count only frames whose number is a multiple of N
    #[arg(long, value_name = "N", default_value = "1")]
    pub every: NonZeroU64,

    /// Count only key frames
    #[arg(long)]
    pub keyframes: bool,

    /// Count only this part of the picture as it is coded, in pixels or in percent of its width and height
    #[arg(long, value_name = "X,Y,W,H", conflicts_with = "crop_bars")]
    pub region: Option<RegionSpec>,

    /// Find black bars at the edges and leave them out
    #[arg(long)]
    pub crop_bars: bool,

    /// Decode with this many decoders, each at another part of the file; the output is the same
    #[arg(long, value_name = "N", default_value = "1")]
    pub jobs: NonZeroUsize,

    /// Compare every count with that of the slow reference, and stop at a difference
    #[arg(long)]
    pub verify: bool,

    /// Go on with an output that an earlier run with the same options left unfinished
    #[arg(long)]
    pub resume: bool,

    /// Show no progress
    #[arg(short, long)]
    pub quiet: bool,

    /// Spoil the count of this frame, to see that --verify finds it
    #[arg(long, value_name = "FRAME", hide = true)]
    pub spoil: Option<u64>,

    /// What is done to the picture first
    #[command(flatten)]
    pub adjust: AdjustArgs,
}

/// Arguments of `merge`.
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// Outputs of 'analyze --from … --to …' for parts of one file that follow on each other, in any order
    #[arg(required = true, value_name = "SHARE")]
    pub shares: Vec<PathBuf>,

    /// Write the result to this file; without it, to the standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// `--format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormatArg {
    /// A JSON object a line, the last of them a summary
    Jsonl,
    /// A table
    Csv,
    /// One JSON object
    Json,
    /// What ffprobe prints of FFmpeg's signalstats filter
    Ffprobe,
}

impl From<FormatArg> for Format {
    fn from(arg: FormatArg) -> Self {
        match arg {
            FormatArg::Jsonl => Self::Jsonl,
            FormatArg::Csv => Self::Csv,
            FormatArg::Json => Self::Json,
            FormatArg::Ffprobe => Self::Ffprobe,
        }
    }
}

/// Reads a time, or a frame's number with an f before or behind it.
pub(super) fn parse_point(text: &str) -> Result<Point, String> {
    let digits = text.strip_suffix('f').or_else(|| text.strip_prefix('f'));
    if let Some(digits) = digits.filter(|digits| digits.bytes().all(|b| b.is_ascii_digit())) {
        return digits.parse().map(Point::Frame).map_err(|_| format!("'{text}' is no frame number; write 250f"));
    }
    let wrong = || {
        format!(
            "'{text}' is neither a time nor a frame number; write seconds (3.2), MM:SS (1:02.5), HH:MM:SS (0:01:02.5), or a \
             frame's number (250f)"
        )
    };
    parse_time(text).map(Point::Time).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_times_or_frame_numbers() {
        assert_eq!(parse_point("250f"), Ok(Point::Frame(250)));
        assert_eq!(parse_point("f0"), Ok(Point::Frame(0)));
        assert_eq!(parse_point("1:02.5"), Ok(Point::Time(62.5)));
        for text in ["", "f", "-3f", "1.5f", "x", "99999999999999999999f", "1:75"] {
            assert!(parse_point(text).is_err(), "{text}");
        }
    }
}
