//! Without a command: the window.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::{Args, ValueEnum};
use histoscope::adjusting::Gain;
use histoscope::analysis::Point;
use histoscope::{CompareAs, CompareBy, Comparing, FirstView, OpenOptions, PlayOptions, PlayStart, play};

use super::adjust::AdjustArgs;
use super::exposure::ExposureArgs;
use super::options::{CountingArgs, LuminanceArg, OverlapsArg, ReadingArgs, parse_bin_count, parse_point, whole};
use super::output::{WrongUsage, wrong_usage};

/// Which frames of two files belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CompareByArg {
    /// Those that are on screen at the same time
    Time,
    /// Those of the same number
    Frame,
}

/// How two files are shown at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CompareAsArg {
    /// The first left of a line, the second right of it
    Divider,
    /// Each in its half of the window
    SideBySide,
    /// How far red, green and blue lie apart, with --gain
    Difference,
}

fn parse_gain(text: &str) -> Result<Gain, String> {
    let times = text.parse().ok().and_then(Gain::new);
    times.ok_or_else(|| format!("a gain is a whole number from 1 to {}", Gain::MOST))
}

/// What to play.
#[derive(Debug, Args)]
pub struct PlayArgs {
    /// The videos to play, files, folders or addresses (live ones too: udp://, rtsp://, srt://, an .sdp file; cameras and screens: /dev/video0, av://KIND:NAME), - for the standard input; of a folder its videos in the order of
    /// their names and numbers, or its numbered pictures, without those of folders in it; without any, a window opens that takes one
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Start again at the end
    #[arg(long = "loop")]
    looped: bool,

    /// Open paused on the first frame
    #[arg(long)]
    paused: bool,

    /// Begin the first video with the frame that is on screen at this time (3.2, 1:02.5, 0:01:02.5), or the one with this timecode (10:00:00:00) or number (250f)
    #[arg(long, value_name = "POINT", value_parser = parse_point, allow_negative_numbers = true)]
    start: Option<Point>,

    /// Wait for numbered pictures that are still being written, and show each once nobody has written to it for a second
    #[arg(long, conflicts_with = "compare")]
    follow: bool,

    /// Open on the full screen; Esc, f or a double-click leaves it
    #[arg(long)]
    fullscreen: bool,

    /// Memory for decoded frames around the one on screen, in MiB: steps back and loops come out of it; with --compare each file has half of it, and of live sources half is for packets, from which minutes can be shown again
    #[arg(long, value_name = "MIB", default_value_t = 512, value_parser = whole::<u64, 0, 1_048_576>)]
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

    /// Play two files in step and show what they differ by: both pictures, the second one's histograms as outlines, distances in the numbers
    #[arg(long)]
    compare: bool,

    /// Which frames of the two files belong together
    #[arg(long, value_enum, requires = "compare", default_value_t = CompareByArg::Time, value_name = "WHAT")]
    compare_by: CompareByArg,

    /// How both are shown at first; w and Shift+W change it
    #[arg(long, value_enum, requires = "compare", default_value_t = CompareAsArg::Divider, value_name = "HOW")]
    compare_as: CompareAsArg,

    /// How many times larger differences are shown than they are, 1 to 256; Alt+, and Alt+. change it
    #[arg(long, value_name = "N", requires = "compare", default_value = "8", value_parser = parse_gain)]
    gain: Gain,

    /// Begin with the second file N of its frames later, or earlier where N is negative
    #[arg(long, value_name = "N", requires = "compare", allow_negative_numbers = true, default_value = "0")]
    offset: i64,

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
        self.check()?;
        play(self.options(started))?;
        Ok(ExitCode::SUCCESS)
    }

    /// # Errors
    /// [`WrongUsage`] if other than two files are to be compared.
    pub fn check(&self) -> Result<(), WrongUsage> {
        if !self.compare {
            return Ok(());
        }
        let given = self.files.len();
        if given != 2 {
            return wrong_usage(format!(
                "--compare takes two files, and {given} are given: histoscope a.mp4 b.mp4 --compare"
            ));
        }
        match self.files.iter().find(|file| file.is_dir()) {
            Some(folder) => wrong_usage(format!("--compare takes two files, and {} is a folder", folder.display())),
            None => Ok(()),
        }
    }

    /// The first of the files.
    pub fn first(&self) -> Option<&Path> {
        self.files.first().map(PathBuf::as_path)
    }

    /// Bins of a channel, where a number was named.
    pub const fn bin_count(&self) -> Option<u32> {
        self.bin_count
    }

    /// What to play and how.
    pub fn options(mut self, started: Instant) -> PlayOptions {
        let by = match self.compare_by {
            CompareByArg::Time => CompareBy::Time,
            CompareByArg::Frame => CompareBy::Frame,
        };
        let second = if self.compare { self.files.pop() } else { None };
        let shown = match self.compare_as {
            CompareAsArg::Divider => CompareAs::Divider,
            CompareAsArg::SideBySide => CompareAs::SideBySide,
            CompareAsArg::Difference => CompareAs::Difference,
        };
        let compare = second.map(|input| Comparing { input, by, offset: self.offset, shown, gain: self.gain });
        PlayOptions {
            compare,
            begin: PlayStart { looped: self.looped, paused: self.paused, fullscreen: self.fullscreen, at: self.start },
            view: FirstView {
                bin_count: self.bin_count,
                linear_luminance: self.luminance.map(|luminance| luminance == LuminanceArg::Linear),
                overlaps: self.overlaps.map(Into::into),
                components: self.counting.components(),
                adjustments: self.adjust.adjustments(),
                counted: self.adjust.counted(),
                exposure: self.exposure.choice(),
                lab: None,
            },
            cache_bytes: usize::try_from(self.cache_mb << 20).unwrap_or(usize::MAX) / if self.compare { 2 } else { 1 },
            keeps_settings: !self.no_config,
            adapter: self.counting.adapter(),
            engine: self.counting.engine(),
            open: OpenOptions { follow: self.follow, ..self.reading.open_options() },
            inputs: self.files,
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
