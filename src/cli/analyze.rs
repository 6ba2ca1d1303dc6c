//! `analyze`: every frame's exact counts as data.

mod checks;

use std::io::IsTerminal;
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use histoscope::Components;
use histoscope::analysis::{
    Against, AnalyzeError, Destination, Finished, Format, OutputTarget, Request, RunComponents, ScopeUse, Selection,
    SignalUse, Stop, TextFormat, run,
};

use super::adjust::AdjustArgs;
use super::interrupt::{INTERRUPTED, stop_on_interrupt};
use super::options::{CountingArgs, PartArgs, ReadingArgs, whole};
use super::output::{WrongUsage, say};

/// What the program returns to the shell where two videos differ.
const DIFFERS: u8 = 3;

/// Arguments of `analyze`.
#[derive(Debug, Args)]
pub struct AnalyzeArgs {
    /// The videos to read; '-' is the standard input
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,

    /// How to write the records; without it, by the ending of -o's file, else jsonl
    #[arg(long, value_enum)]
    format: Option<FormatArg>,

    /// Write the records of the one input to this file; '-' is the standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write a file for each input into this folder, which is made if need be
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    out_dir: Option<PathBuf>,

    /// Put all bins into the records
    #[arg(long)]
    bins: bool,

    /// Put figures of these scopes into the records: of the vectorscope saturation, and the share outside the targets of 100 %
    #[arg(long, value_name = "LIST", value_enum, value_delimiter = ',')]
    scopes: Vec<AnalyzeScope>,

    #[command(flatten)]
    part: PartArgs,

    /// Count only frames whose number is a multiple of N
    #[arg(long, value_name = "N", default_value = "1", value_parser = whole::<NonZeroU64, 1, { u64::MAX }>)]
    every: NonZeroU64,

    /// Count only key frames
    #[arg(long)]
    keyframes: bool,

    /// Compare each frame with that of the same number of this video, '-' for the standard input: distances of histograms, differences and
    /// PSNR of each plane. The exit code is 3 if they differ
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,

    /// Compare each frame with the one of the other video whose number is N greater, or smaller where N is negative
    #[arg(long, value_name = "N", requires = "against", allow_negative_numbers = true, default_value = "0")]
    offset: i64,

    /// Find the offset within N frames of that of --offset: the one at which the histograms of the first frames are nearest to each other
    #[arg(long, value_name = "N", requires = "against", value_parser = whole::<u32, 1, 1000>)]
    align: Option<u32>,

    /// Decode with this many decoders, each at another part of the file; the output is the same, but for some damaged files
    #[arg(long, value_name = "N", default_value = "1", value_parser = whole::<NonZeroUsize, 1, { u64::MAX }>)]
    jobs: NonZeroUsize,

    /// Compare every count with that of the slow reference, and stop at a difference
    #[arg(long)]
    verify: bool,

    /// Go on with an output that an earlier run with the same options left unfinished
    #[arg(long)]
    resume: bool,

    /// Begin another file after each so many seconds: live-20261123T081500Z-0001.csv for live.csv, by the time of day where the
    /// source is live, else clip-0001.csv
    #[arg(long, value_name = "SECONDS", value_parser = whole::<NonZeroU32, 1, { u32::MAX as u64 }>)]
    segment: Option<NonZeroU32>,

    /// Show no progress
    #[arg(short, long)]
    quiet: bool,

    /// Spoil the count of this frame, to see that --verify finds it
    #[cfg(feature = "test-hooks")]
    #[arg(long, value_name = "FRAME", hide = true)]
    spoil: Option<u64>,

    #[command(flatten)]
    adjust: AdjustArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    counting: CountingArgs,
}

impl AnalyzeArgs {
    /// Analyses every input, and says in the exit code whether all of it went well.
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        let destinations = self.destinations()?;
        let stop = stop_on_interrupt()?;
        if let Some(folder) = &self.out_dir {
            std::fs::create_dir_all(folder).map_err(|error| {
                anyhow::anyhow!("the folder {} cannot be made ({error}); name another with --out-dir", folder.display())
            })?;
        }
        let (mut differs, mut failed) = (false, false);
        for (input, destination) in self.inputs.iter().zip(&destinations) {
            let request = self.request(input, destination, &stop);
            let name = input.display();
            match run(request, destination, self.quiet) {
                Ok(Finished::Complete) => {}
                Ok(Finished::Differs) => differs = true,
                Ok(Finished::NothingCompared) => {
                    say(&format!(
                        "{name}: no frame was compared; the selection takes none, or --offset leads to none of {}",
                        self.other()
                    ));
                    failed = true;
                }
                Ok(Finished::Already) => say(&format!("{name}: the output is complete already")),
                Ok(Finished::EndedEarly(reason)) => {
                    say(&format!("{name}: {reason}; what there is was counted, try another copy"));
                    failed = true;
                }
                Ok(Finished::OtherEndedEarly(reason)) => {
                    let other = self.other();
                    say(&format!("{other}: {reason}; what there is was compared, try another copy"));
                    failed = true;
                }
                Ok(Finished::StoppedAtOnce) => {
                    say(&format!("{name}: stopped before a frame was counted; nothing was written"));
                    return Ok(ExitCode::from(INTERRUPTED));
                }
                Ok(Finished::Stopped) => {
                    say(&format!("{name}: stopped; {}", what_is_there(destination)));
                    return Ok(ExitCode::from(INTERRUPTED));
                }
                Err(AnalyzeError::ReaderGone) if self.against.is_some() => {
                    say(&format!(
                        "{name}: nobody reads the records any more, so not all was compared with {}",
                        self.other()
                    ));
                    return Ok(ExitCode::FAILURE);
                }
                Err(AnalyzeError::ReaderGone) => return Ok(ExitCode::SUCCESS),
                Err(error) => {
                    say(&error.to_string());
                    failed = true;
                }
            }
        }
        Ok(match (failed, differs) {
            (true, _) => ExitCode::FAILURE,
            (false, true) => ExitCode::from(DIFFERS),
            (false, false) => ExitCode::SUCCESS,
        })
    }

    /// The name of what is compared with.
    fn other(&self) -> String {
        self.against.as_ref().map(|path| path.display().to_string()).unwrap_or_default()
    }

    fn request(&self, input: &Path, destination: &Destination, stop: &Stop) -> Request {
        let signal = match destination {
            Destination::Records { format: FFPROBE, .. } => SignalUse::Samples,
            Destination::Records { format: QCTOOLS, .. } => SignalUse::Neighbours,
            _ => SignalUse::None,
        };
        let coded = self.counting.components() == Components::YCbCr;
        Request {
            input: input.to_owned(),
            open: self.reading.open_options(),
            selection: Selection {
                from: self.part.from,
                to: self.part.to,
                every: self.every,
                keyframes: self.keyframes,
                region: self.part.region,
                crop_bars: self.part.crop_bars,
            },
            adjustments: self.adjust.adjustments(),
            counting: RunComponents {
                rgbl: signal == SignalUse::None,
                coded,
                signal,
                scopes: if self.scopes.is_empty() { ScopeUse::None } else { ScopeUse::Saturation },
            },
            engine: self.counting.engine(),
            adapter: self.counting.adapter(),
            resume_at: 0,
            jobs: self.jobs.get(),
            thumbnails: None,
            verify: self.verify,
            #[cfg(feature = "test-hooks")]
            spoil: self.spoil,
            #[cfg(not(feature = "test-hooks"))]
            spoil: None,
            against: self.against.clone().map(|input| Against { input, offset: self.offset, align: self.align }),
            stop: stop.clone(),
        }
    }

    /// Where each input's records go.
    fn destinations(&self) -> Result<Vec<Destination>, WrongUsage> {
        self.check_usage()?;
        let format = self.format();
        let records = |target| Destination::Records {
            target,
            format,
            bins: self.bins,
            resume: self.resume,
            segment: self.segment,
        };
        let is_overview = self.output.is_none() && self.format.is_none() && std::io::stdout().is_terminal();
        let destination = |input: &PathBuf| match (&self.output, &self.out_dir) {
            (Some(output), _) => records(target(output)),
            (None, Some(folder)) => records(OutputTarget::File(folder.join(output_name(input, format)))),
            (None, None) if is_overview => Destination::Overview,
            (None, None) => records(OutputTarget::Stdout),
        };
        Ok(self.inputs.iter().map(destination).collect())
    }

    /// The format that was asked for, else that of the output's ending.
    fn format(&self) -> Format {
        let ending = || {
            let name = self.output.as_deref()?.file_name()?.to_string_lossy().to_ascii_lowercase();
            // That of a longer ending before that of its last part.
            let formats = [
                FormatArg::Jsonl,
                FormatArg::Csv,
                FormatArg::Ffprobe,
                FormatArg::Json,
                FormatArg::Qctools,
                FormatArg::Parquet,
            ]
            .map(Format::from);
            formats.into_iter().find(|format| name.ends_with(&format!(".{}", format.extension())))
        };
        self.format.map(Format::from).or_else(ending).unwrap_or(Format::Text(TextFormat::Jsonl))
    }
}

/// A scope of `--scopes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AnalyzeScope {
    /// How saturated the samples of the frame are
    Vectorscope,
}

/// `--format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatArg {
    /// A JSON object a line, the last of them a summary
    Jsonl,
    /// A table
    Csv,
    /// One JSON object
    Json,
    /// What ffprobe prints of FFmpeg's signalstats filter
    Ffprobe,
    /// What QCTools opens: the figures of FFmpeg's signalstats filter as packed XML
    Qctools,
    /// A table that pandas, Polars, DuckDB and Spark read
    Parquet,
}

const FFPROBE: Format = Format::Text(TextFormat::Ffprobe);
const QCTOOLS: Format = Format::Text(TextFormat::Qctools);

impl From<FormatArg> for Format {
    fn from(arg: FormatArg) -> Self {
        match arg {
            FormatArg::Jsonl => Self::Text(TextFormat::Jsonl),
            FormatArg::Csv => Self::Text(TextFormat::Csv),
            FormatArg::Json => Self::Text(TextFormat::Json),
            FormatArg::Ffprobe => FFPROBE,
            FormatArg::Qctools => QCTOOLS,
            FormatArg::Parquet => Self::Parquet,
        }
    }
}

/// Whether that is a device or a named pipe.
fn is_stream(path: &Path) -> bool {
    path.metadata().is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// Where records go: a file, or `-` for the standard output.
pub fn target(path: &Path) -> OutputTarget {
    if path == Path::new("-") { OutputTarget::Stdout } else { OutputTarget::File(path.to_owned()) }
}

/// What a run leaves that was stopped on its way.
fn what_is_there(destination: &Destination) -> &'static str {
    match destination {
        Destination::Records { segment: Some(_), .. } => {
            "the files hold complete records, and the last one says that it is partial"
        }
        Destination::Records { .. } => "the output holds complete records and says that it is partial",
        Destination::Overview => "the figures are those of what was counted before",
    }
}

/// The name of an input's output in a folder: the whole name, so that clip.mov and clip.mp4 do not meet.
fn output_name(input: &Path, format: Format) -> String {
    let input = histoscope::public(input);
    let name = input.file_name().map_or_else(|| "stdin".into(), |name| name.to_string_lossy());
    format!("{}.{}", if name == "-" { "stdin".into() } else { name }, format.extension())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_stops_a_run_is_told_what_is_there() {
        let records = |segment| Destination::Records {
            target: OutputTarget::Stdout,
            format: FFPROBE,
            bins: false,
            resume: false,
            segment,
        };
        assert!(what_is_there(&Destination::Overview).contains("figures"));
        assert!(what_is_there(&records(None)).starts_with("the output holds"));
        assert!(what_is_there(&records(NonZeroU32::new(60))).starts_with("the files hold"));
    }
}
