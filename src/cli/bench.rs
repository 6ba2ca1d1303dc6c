//! `bench`: measures how fast this machine counts and plays.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use histoscope::benchmark::{self, BenchContent, Error, Options, Survey, check_writable, write_whole};
use histoscope::scoping::ScopeKind;
use histoscope::{Decoder, PlayOptions};

use super::options::{
    AdapterArgs, ReadingArgs, SCOPES, Values, one_of, parse_bin_count, parse_size, scope_style, whole,
};
use super::output::{WrongUsage, print_line, wrong_usage};

/// Arguments of `bench`.
#[derive(Debug, Args)]
#[command(after_help = listed_rows())]
pub struct BenchArgs {
    /// Measure a frame of this video instead of synthetic pictures
    file: Option<PathBuf>,

    /// Sizes of the synthetic pictures; by default 2448x1505. With --play, the size of the view; by default that of the
    /// video
    #[arg(long, value_name = "WxH", value_parser = parse_size, value_delimiter = ',')]
    size: Vec<(u32, u32)>,

    /// Pixel layout of the synthetic pictures, by FFmpeg's name
    #[arg(long, default_value = "yuv420p")]
    layout: String,

    /// Content of the synthetic pictures
    #[arg(long, value_parser = one_of(CONTENTS), default_value = "natural", value_delimiter = ',')]
    content: Vec<BenchContent>,

    /// Bins per channel, 3 to 4096
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = parse_bin_count)]
    bin_count: u32,

    /// Size of the tutorials' chunks in pixels, which is the workgroup for methods with one invocation per pixel; by
    /// default 256x1, and 16x16 for the latter
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    chunk: Option<(u32, u32)>,

    /// Repeats of each measurement; slow methods are repeated less often
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = whole::<u32, 1, 10_000>)]
    repeats: u32,

    /// Measure only rows whose name or title contains one of these, in any case; the rows are listed below
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,

    /// Play this video in real time without a window, and measure that instead
    #[arg(long, value_name = "FILE", conflicts_with_all = ["file", "only", "bin_count", "chunk", "output"])]
    play: Option<PathBuf>,

    /// Show these scopes while playing; by default the histograms
    #[arg(long, value_name = "LIST", value_parser = one_of(SCOPES), value_delimiter = ',', requires = "play")]
    scopes: Vec<ScopeKind>,

    /// How long to play, in seconds from the first picture on
    #[arg(long, value_name = "N", requires = "play", default_value_t = 10, value_parser = whole::<u32, 1, 86_400>)]
    seconds: u32,

    /// Write the results to this file as JSON (.json)
    #[arg(short, long, value_name = "FILE", conflicts_with = "json", value_parser = parse_output)]
    output: Option<PathBuf>,

    /// Print the results as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    adapter: AdapterArgs,

    #[command(flatten)]
    reading: ReadingArgs,
}

impl BenchArgs {
    /// Measures and prints a table, or writes the results to a file.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        if let Some(output) = &self.output {
            check_writable(output)?;
        }
        if let Some(file) = self.play {
            let ([] | [_]) = &self.size[..] else {
                return Ok(wrong_usage("with --play, --size takes one size".to_owned())?);
            };
            let mut options = PlayOptions::plain(file, self.adapter.choice(), self.reading.open_options());
            if !self.scopes.is_empty() {
                options.view.scopes = Some(scope_style(&self.scopes));
                options.view.histograms = Some(self.scopes.contains(&ScopeKind::Histogram));
            }
            let length = Duration::from_secs(self.seconds.into());
            let figures = benchmark::measure_playing(options, length, self.size.first().copied())?;
            print_line(&if self.json { serde_json::to_string_pretty(&figures)? } else { figures.to_string() })?;
            return Ok(ExitCode::SUCCESS);
        }
        if self.reading.has_weights() {
            return Ok(wrong_usage("--luminance-weights has an effect only with --play: methods weigh as in BT.709")?);
        }
        let frame = match &self.file {
            Some(file) => Decoder::open(file, &self.reading.open_options())?.next_frame()?.map(|frame| frame.picture),
            None => None,
        };
        let options = Options {
            layout: self.layout,
            frame,
            repeats: self.repeats,
            bin_count: self.bin_count,
            chunk: self.chunk,
            only: self.only,
            ..Options::default()
        };
        let survey =
            Survey::measure(&self.adapter.choice(), &options, &sizes(self.size), &self.content).map_err(with_usage)?;
        match self.output {
            Some(output) => write_whole(&output, (survey.to_json()? + "\n").as_bytes())?,
            None => print_line(&if self.json { survey.to_json()? } else { survey.to_string() })?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns the requested sizes, or the tutorial's if there are none.
fn sizes(asked: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    if asked.is_empty() { vec![(2448, 1505)] } else { asked }
}

/// Parses the path of the results, which must end in .json.
fn parse_output(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json")) {
        return Ok(path);
    }
    Err(format!("'{text}' does not end in .json; the results are written as JSON"))
}

/// Converts an error from the measurements. Errors that different arguments would avoid become wrong usage.
fn with_usage(error: Error) -> anyhow::Error {
    match error {
        Error::UnknownMethod(_) | Error::UnknownLayout(_) | Error::Shape(_) => WrongUsage(error.to_string()).into(),
        other => anyhow::Error::new(other),
    }
}

/// Returns the list of rows for the help of `--only`.
fn listed_rows() -> String {
    let lines = benchmark::rows().into_iter().map(|(name, title)| format!("  {name:<25}{title}"));
    format!("Rows:\n{}", lines.collect::<Vec<_>>().join("\n"))
}

/// The values of `--content`.
const CONTENTS: Values<BenchContent> = &[
    ("natural", BenchContent::Natural, "Like a photograph: smooth areas, edges, a little noise"),
    ("noise", BenchContent::Noise, "Random code values"),
    ("constant", BenchContent::Constant, "A single colour"),
    ("ramp", BenchContent::Ramp, "Every code equally often"),
];

#[cfg(test)]
mod tests {
    use clap::Parser;

    use crate::cli::Cli;

    #[test]
    fn play_conflicts_with_rows_and_seconds_requires_play() {
        let line = |arguments: &[&str]| Cli::try_parse_from([&["histoscope", "bench"], arguments].concat());
        assert!(line(&["--play", "a.mp4", "--seconds", "3", "--size", "640x360", "--json"]).is_ok());
        assert!(line(&["--play", "a.mp4", "--scopes", "histogram,vectorscope"]).is_ok());
        for wrong in [
            &["--play", "a.mp4", "b.mp4"][..],
            &["--play", "a.mp4", "--only", "sum"],
            &["--play", "a.mp4", "--seconds", "0"],
            &["--seconds", "3"],
            &["--scopes", "waveform"],
        ] {
            assert_eq!(line(wrong).unwrap_err().exit_code(), 2, "{wrong:?}");
        }
    }
}
