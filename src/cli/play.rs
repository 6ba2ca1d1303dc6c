//! The default command, which opens the window.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use histoscope::adjusting::{Gain, LutError};
use histoscope::analysis::Point;
use histoscope::{
    CompareAs, CompareBy, Comparing, DeviceMemory, FirstView, HdrChoice, OpenOptions, Overlaps, PlayOptions, PlayStart,
    SoundOptions, TrackChoice, play,
};

use super::adjust::AdjustArgs;
use super::options::{
    CountingArgs, ExposureArgs, LINEAR_LUMINANCE, OVERLAPS, ReadingArgs, ToneArgs, Values, one_of, parse_bin_count,
    parse_point, whole,
};
use super::output::{WrongUsage, wrong_usage};

/// The values of `--compare-by`.
const COMPARE_BY: Values<CompareBy> = &[
    ("time", CompareBy::Time, "Frames that are on screen at the same time"),
    ("frame", CompareBy::Frame, "Frames with the same number"),
];

/// The values of `--hdr`.
const HDR: Values<HdrChoice> = &[
    ("auto", HdrChoice::Auto, "If the display is known to show HDR; others get it tone-mapped"),
    ("on", HdrChoice::On, "If the desktop offers it, even if nothing is known about the display"),
    ("off", HdrChoice::Off, "Never"),
];

/// The values of `--compare-as`.
const COMPARE_AS: Values<CompareAs> = &[
    ("divider", CompareAs::Divider, "The first file left of a line, the second right of it"),
    ("side-by-side", CompareAs::SideBySide, "Each in half of the window"),
    ("difference", CompareAs::Difference, "Differences of red, green and blue, multiplied by --gain"),
];

fn parse_gain(text: &str) -> Result<Gain, String> {
    let times = text.parse().ok().and_then(Gain::new);
    times.ok_or_else(|| format!("the gain must be a whole number from 1 to {}", Gain::MOST))
}

fn parse_audio_track(text: &str) -> Result<TrackChoice, String> {
    match (text, text.parse::<u32>()) {
        ("no", _) => Ok(TrackChoice::No),
        (_, Ok(number)) if number > 0 => Ok(TrackChoice::Number(number)),
        _ => Err("use the number of a sound track, counted from 1, or no".to_owned()),
    }
}

/// The files to play, and how.
#[derive(Debug, Args)]
pub struct PlayArgs {
    /// Videos to play: files, folders, addresses, or - for standard input. A folder stands for its videos, sorted by
    /// name and number, or for its numbered pictures; subfolders are ignored. Addresses may be live (udp://, rtsp://,
    /// srt://, an .sdp file), cameras or screens (/dev/video0, av://KIND:NAME). Without any, an empty window opens
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Start again at the end
    #[arg(long = "loop")]
    looped: bool,

    /// Open paused on the first frame
    #[arg(long)]
    paused: bool,

    /// Start the first video at the frame on screen at this time (3.2, 1:02.5, 0:01:02.5), or at this timecode
    /// (10:00:00:00) or frame number (250f)
    #[arg(long, value_name = "POINT", value_parser = parse_point, allow_negative_numbers = true)]
    start: Option<Point>,

    /// Wait for numbered pictures that are still being written; show each one when it has not changed for a second
    #[arg(long, conflicts_with = "compare")]
    follow: bool,

    /// Open in full screen; Esc, f or a double-click leaves it
    #[arg(long)]
    fullscreen: bool,

    /// Memory for decoded frames, in MiB, used for stepping back and looping. With --compare, each file gets half. For
    /// live sources, half of it stores packets, so that you can go back to the last minutes
    #[arg(long, value_name = "MIB", default_value_t = 512, value_parser = whole::<u64, 0, 1_048_576>)]
    cache_mb: u64,

    /// Bins per channel to draw, 3 to 4096; by default, the last setting, or one per code
    #[arg(long, value_name = "N", value_parser = parse_bin_count)]
    bin_count: Option<u32>,

    /// Show luminance of the encoded codes, or also luminance of linear light; by default, the last setting
    #[arg(long, value_parser = one_of(LINEAR_LUMINANCE))]
    luminance: Option<bool>,

    /// Colours where bars overlap; by default, the last setting
    #[arg(long, value_parser = one_of(OVERLAPS))]
    overlaps: Option<Overlaps>,

    /// Play two files in step and compare them: both pictures, the second file's histograms as outlines, and distances
    /// between them; of more files, Tab compares the first with each of the others
    #[arg(long)]
    compare: bool,

    /// How frames of the two files are matched
    #[arg(long, value_parser = one_of(COMPARE_BY), default_value = "time", requires = "compare", value_name = "WHAT")]
    compare_by: CompareBy,

    /// How the two files are shown at first; w and Shift+W change it
    #[arg(long, value_parser = one_of(COMPARE_AS), default_value = "divider", requires = "compare", value_name = "HOW")]
    compare_as: CompareAs,

    /// Multiply differences by N, 1 to 256, to make them visible; Alt+, and Alt+. change it
    #[arg(long, value_name = "N", requires = "compare", default_value = "8", value_parser = parse_gain)]
    gain: Gain,

    /// Start the second file N of its frames later, or earlier if N is negative
    #[arg(long, value_name = "N", requires = "compare", allow_negative_numbers = true, default_value = "0")]
    offset: i64,

    /// Check by this profile in the panel of Shift+K: one that `check` has, such as tape, or a TOML file; by default, the
    /// last one
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,

    /// Start with the layout and settings of this preset: one saved in the window (Ctrl+P), or a TOML file
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,

    /// Play the sound track of this number, counted from 1, or no; by default the file's default one
    #[arg(long, value_name = "N", value_parser = parse_audio_track)]
    audio_track: Option<TrackChoice>,

    /// The volume in percent, from 0 to 100; by default as in the last run
    #[arg(long, value_name = "PERCENT", value_parser = whole::<u32, 0, 100>)]
    volume: Option<u32>,

    /// Start without sound; Ctrl+A brings it back
    #[arg(long)]
    mute: bool,

    /// Let other programs of this user control the window over a Unix socket (on Windows, a named pipe) at this path, in the
    /// lines of mpv's JSON IPC: get_property, set_property, observe_property, unobserve_property, and the names of actions
    #[arg(long, alias = "input-ipc-server", value_name = "PATH")]
    ipc: Option<PathBuf>,

    /// Neither read nor save settings
    #[arg(long)]
    no_config: bool,

    #[command(flatten)]
    adjust: AdjustArgs,

    #[command(flatten)]
    exposure: ExposureArgs,

    #[command(flatten)]
    tones: ToneArgs,

    /// Give the display the light of PQ and HLG as it is. The CPU engine paints for SDR, whatever is chosen
    #[arg(long, value_parser = one_of(HDR), default_value = "auto", value_name = "WHEN", help_heading = "Light")]
    hdr: HdrChoice,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    counting: CountingArgs,
}

impl PlayArgs {
    /// Plays until the window is closed. `started` is the start time of the program.
    pub fn run(self, started: Instant) -> anyhow::Result<ExitCode> {
        self.check()?;
        play(self.options(started)?)?;
        Ok(ExitCode::SUCCESS)
    }

    /// Checks the arguments for a comparison.
    ///
    /// # Errors
    /// [`WrongUsage`] if `--compare` is given without at least two files.
    pub fn check(&self) -> Result<(), WrongUsage> {
        if !self.compare {
            return Ok(());
        }
        let given = self.files.len();
        if given < 2 {
            return wrong_usage(format!(
                "--compare needs at least two files, not {given}: histoscope a.mp4 b.mp4 --compare"
            ));
        }
        match self.files.iter().find(|file| file.is_dir()) {
            Some(folder) => wrong_usage(format!("--compare needs files, but {} is a folder", folder.display())),
            None => Ok(()),
        }
    }

    /// Returns the first file.
    pub fn first(&self) -> Option<&Path> {
        self.files.first().map(PathBuf::as_path)
    }

    /// Returns the number of bins per channel, if given.
    pub const fn bin_count(&self) -> Option<u32> {
        self.bin_count
    }

    /// Returns the options for the window.
    ///
    /// # Errors
    /// [`LutError`] if the lookup table cannot be used.
    pub fn options(mut self, started: Instant) -> Result<PlayOptions, LutError> {
        let pictures = if self.compare { self.files.len() } else { 1 };
        let compare = self.compare.then(|| {
            let (by, shown, inputs) = (self.compare_by, self.compare_as, self.files.split_off(1));
            Comparing { inputs, by, offset: self.offset, shown, gain: self.gain }
        });
        Ok(PlayOptions {
            compare,
            profile: self.profile,
            preset: self.preset,
            ipc: self.ipc,
            sound: SoundOptions {
                is_possible: true,
                track: self.audio_track.unwrap_or_default(),
                percent: self.volume,
                is_muted: self.mute.then_some(true),
            },
            begin: PlayStart { looped: self.looped, paused: self.paused, fullscreen: self.fullscreen, at: self.start },
            view: FirstView {
                bin_count: self.bin_count,
                linear_luminance: self.luminance,
                overlaps: self.overlaps,
                components: self.counting.components(),
                adjustments: self.adjust.adjustments()?,
                counted: self.adjust.counted(),
                exposure: self.exposure.choice(),
                guides: self.exposure.guides(),
                tone_mapping: self.tones.tone_mapping(),
                stops: self.tones.exposure(),
                scopes: None,
                histograms: None,
                lab: None,
                lab_shader: None,
            },
            cache_bytes: usize::try_from(self.cache_mb << 20).unwrap_or(usize::MAX) / pictures,
            keeps_settings: !self.no_config,
            adapter: self.counting.adapter(),
            engine: self.counting.engine(),
            hdr: self.hdr,
            memory: DeviceMemory::default(),
            open: OpenOptions { follow: self.follow, ..self.tones.reading(self.reading.open_options()) },
            inputs: self.files,
            started,
        })
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn files_are_played_and_no_files_open_an_empty_window() {
        let line = Cli::try_parse_from(["histoscope", "a.mp4", "b.mp4", "--adapter", "llvm"]).unwrap();
        assert_eq!(line.play.files, [PathBuf::from("a.mp4"), PathBuf::from("b.mp4")]);
        assert_eq!((line.play.counting.adapter().name.as_deref(), line.play.cache_mb), (Some("llvm"), 512));
        assert!(Cli::try_parse_from(["histoscope"]).unwrap().play.files.is_empty());
        assert_eq!(Cli::try_parse_from(["histoscope", "a.mp4", "--cache-mb", "-1"]).unwrap_err().exit_code(), 2);
        assert!(Cli::try_parse_from(["histoscope", "adapters"]).unwrap().command.is_some());
        assert_eq!(Cli::try_parse_from(["histoscope", "snapshot"]).unwrap_err().exit_code(), 2);
    }
}
