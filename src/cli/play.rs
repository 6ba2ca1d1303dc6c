//! Without a command: the window.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use histoscope::{PlayOptions, parse_time, play};

use super::adjust::AdjustArgs;
use super::exposure::ExposureArgs;
use super::options::{CountingArgs, LuminanceArg, OverlapsArg, ReadingArgs, parse_bin_count};

/// What to play.
#[derive(Debug, Args)]
pub struct PlayArgs {
    /// The videos to play, files, folders or addresses (live ones too: udp://, rtsp://, srt://, an .sdp file), - for the standard input; of a folder its videos in the order of
    /// their names and numbers, without those of folders in it; without any, a window opens that takes one
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Start again at the end
    #[arg(long = "loop")]
    looped: bool,

    /// Open paused on the first frame
    #[arg(long)]
    paused: bool,

    /// Begin the first video with the frame that is on screen at this time: seconds, MM:SS or HH:MM:SS, with fractions
    #[arg(long, value_name = "TIME", value_parser = parse_time, allow_negative_numbers = true)]
    start: Option<f64>,

    /// Open on the full screen; Esc, f or a double-click leaves it
    #[arg(long)]
    fullscreen: bool,

    /// Memory for decoded frames around the one on screen, in MiB: steps back and loops come out of it
    #[arg(long, value_name = "MIB", default_value_t = 512, value_parser = clap::value_parser!(u64).range(0..=1_048_576))]
    cache_mb: u64,

    /// Bins of a channel that are drawn, 3 to 4096; without it as many as codes, or as the last time
    #[arg(long, value_name = "N", value_parser = parse_bin_count)]
    bin_count: Option<u32>,

    /// Show luminance of the encoded codes, or beside it that of linear light; without it, as the last time
    #[arg(long, value_enum)]
    luminance: Option<LuminanceArg>,

    /// Colours where bars overlap; without it, as the last time
    #[arg(long, value_enum)]
    overlaps: Option<OverlapsArg>,

    /// Neither read nor keep settings from earlier runs
    #[arg(long)]
    no_config: bool,

    #[command(flatten)]
    adjust: AdjustArgs,

    #[command(flatten)]
    exposure: ExposureArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    counting: CountingArgs,
}

impl PlayArgs {
    /// Plays until the window is closed. `started` is when the program was.
    pub fn run(self, started: Instant) -> anyhow::Result<ExitCode> {
        play(self.options(started))?;
        Ok(ExitCode::SUCCESS)
    }

    /// Bins of a channel, where a number was named.
    pub const fn bin_count(&self) -> Option<u32> {
        self.bin_count
    }

    /// What to play and how.
    pub fn options(self, started: Instant) -> PlayOptions {
        PlayOptions {
            looped: self.looped,
            paused: self.paused,
            fullscreen: self.fullscreen,
            start_secs: self.start,
            cache_bytes: usize::try_from(self.cache_mb << 20).unwrap_or(usize::MAX),
            keeps_settings: !self.no_config,
            bin_count: self.bin_count,
            linear_luminance: self.luminance.map(|luminance| luminance == LuminanceArg::Linear),
            overlaps: self.overlaps.map(Into::into),
            components: self.counting.components(),
            adjustments: self.adjust.adjustments(),
            counted: self.adjust.counted(),
            exposure: self.exposure.choice(),
            adapter: self.counting.adapter(),
            engine: self.counting.engine(),
            open: self.reading.open_options(),
            inputs: self.files,
            lab: None,
            started,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn files_are_played_and_without_any_a_window_opens() {
        let line = Cli::try_parse_from(["histoscope", "a.mp4", "b.mp4", "--adapter", "llvm"]).unwrap();
        assert_eq!(line.play.files, [PathBuf::from("a.mp4"), PathBuf::from("b.mp4")]);
        assert_eq!((line.play.counting.adapter().name.as_deref(), line.play.cache_mb), (Some("llvm"), 512));
        assert!(Cli::try_parse_from(["histoscope"]).unwrap().play.files.is_empty());
        assert_eq!(Cli::try_parse_from(["histoscope", "a.mp4", "--cache-mb", "-1"]).unwrap_err().exit_code(), 2);
        assert!(Cli::try_parse_from(["histoscope", "adapters"]).unwrap().command.is_some());
        assert_eq!(Cli::try_parse_from(["histoscope", "snapshot"]).unwrap_err().exit_code(), 2);
    }
}
