//! `bench`: how fast this machine counts.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use histoscope::Decoder;
use histoscope::benchmark::{self, Content, Error, Options};

use super::options::{AdapterArgs, ReadingArgs, parse_size};
use super::output::{WrongUsage, print_line};

/// Arguments of `bench`.
#[derive(Debug, Args)]
#[command(after_help = listed_rows())]
pub struct BenchArgs {
    /// Measure on a frame of this video instead of made pictures
    file: Option<PathBuf>,

    /// Size of the pictures that are made
    #[arg(long, value_name = "WxH", default_value = "2448x1505", value_parser = parse_size)]
    size: (u32, u32),

    /// Pixel layout of the pictures that are made, by FFmpeg's name
    #[arg(long, default_value = "yuv420p")]
    layout: String,

    /// What the pictures that are made show
    #[arg(long, value_enum, default_value_t)]
    content: ContentArg,

    /// Repeats of each measurement; slow methods are repeated less
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repeats: u32,

    /// Measure only the rows whose name or title contains one of these, in capitals or not; they are listed below
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,

    /// Print the results as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    adapter: AdapterArgs,

    #[command(flatten)]
    reading: ReadingArgs,
}

impl BenchArgs {
    /// Measures, and prints a table.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let frame = match &self.file {
            Some(file) => Decoder::open(file, &self.reading.open_options())?.next_frame()?.map(|frame| frame.picture),
            None => None,
        };
        let options = Options {
            size: self.size,
            layout: self.layout,
            content: self.content.into(),
            frame,
            repeats: self.repeats,
            only: self.only,
            ..Options::default()
        };
        let report = benchmark::run_on(&self.adapter.choice(), &options).map_err(|error| match error {
            Error::UnknownMethod(_) | Error::UnknownLayout(_) => WrongUsage(error.to_string()).into(),
            other => anyhow::Error::new(other),
        })?;
        print_line(&if self.json { serde_json::to_string(&report)? } else { report.to_string() })?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The rows that `--only` chooses from.
fn listed_rows() -> String {
    let lines = benchmark::rows().into_iter().map(|(name, title)| format!("  {name:<25}{title}"));
    format!("Rows:\n{}", lines.collect::<Vec<_>>().join("\n"))
}

/// `--content`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum ContentArg {
    /// Like a photograph: smooth areas, edges, a little noise
    #[default]
    Natural,
    /// Every code value, at random
    Noise,
    /// All pixels alike
    Constant,
}

impl From<ContentArg> for Content {
    fn from(arg: ContentArg) -> Self {
        match arg {
            ContentArg::Natural => Self::Natural,
            ContentArg::Noise => Self::Noise,
            ContentArg::Constant => Self::Constant,
        }
    }
}
