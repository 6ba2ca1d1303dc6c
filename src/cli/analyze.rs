//! `analyze`: exact counts of every frame as data.

mod checks;

use std::io::IsTerminal;
use std::num::{NonZeroU32, NonZeroU64};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use histoscope::adjusting::Adjustments;
use histoscope::analysis::{
    Against, AnalyzeError, AudioUse, Destination, Finished, Format, Jobs, LOWEST_HLG_PEAK, LightUse, OutputTarget,
    Request, RunComponents, SceneFormat, ScopeUse, Selection, SignalUse, Stop, TextFormat, USUAL_HLG_PEAK, run,
};
use histoscope::scoping::Scope;
use histoscope::{Components, Transfer};

use super::adjust::AdjustArgs;
use super::interrupt::{INTERRUPTED, stop_on_interrupt};
use super::options::{
    AudioTrackArgs, CountingArgs, PartArgs, ReadingArgs, TRANSFERS, Values, one_of, parse_jobs, whole,
};
use super::output::{WrongUsage, print_error, wrong_usage};

/// The exit code if two videos differ.
const DIFFERS: u8 = 3;

/// Arguments of `analyze`.
#[derive(Debug, Args)]
pub struct AnalyzeArgs {
    /// The videos to read; '-' is standard input
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,

    /// Format of the records; by default that of -o's file extension, else jsonl
    #[arg(long, value_parser = one_of(FORMAT_NAMES))]
    format: Option<Format>,

    /// Write the records of a single input to this file; '-' is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write one file per input into this folder, creating it if needed
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    out_dir: Option<PathBuf>,

    /// Include all bins in the records
    #[arg(long)]
    bins: bool,

    /// Include figures of these scopes; for the vectorscope: saturation, and the share outside the 100 % targets
    #[arg(long, value_name = "LIST", value_parser = one_of(SCOPES), value_delimiter = ',')]
    scopes: Vec<Scope>,

    #[command(flatten)]
    part: PartArgs,

    /// Count only frames whose number is a multiple of N
    #[arg(long, value_name = "N", default_value = "1", value_parser = whole::<NonZeroU64, 1, { u64::MAX }>)]
    every: NonZeroU64,

    /// Count only key frames
    #[arg(long)]
    keyframes: bool,

    /// Compare each frame with the same-numbered frame of this video ('-' for standard input): distances of histograms,
    /// differences, PSNR and SSIM of each plane. The exit code is 3 if they differ
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,

    /// Compare each frame with the frame of the other video whose number is N greater, or smaller if N is negative
    #[arg(long, value_name = "N", requires = "against", allow_negative_numbers = true, default_value = "0")]
    offset: i64,

    /// Find the offset within N frames of --offset at which the pictures of the first frames match; if none is clearly
    /// the best, say so and end with exit code 1
    #[arg(long, value_name = "N", requires = "against", value_parser = whole::<u32, 1, 1000>)]
    align: Option<u32>,

    /// Decode with this many decoders, each on its own part of the file, or with as many as the hardware has (auto);
    /// the output is the same, except for some damaged files
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_jobs)]
    jobs: Jobs,

    /// Compare every count with the slow reference, and with --hwdec every frame with software's, and stop at a
    /// difference
    #[arg(long)]
    verify: bool,

    /// Continue an unfinished output of an earlier run with the same options
    #[arg(long)]
    resume: bool,

    /// Start a new file every SECONDS: live-20261123T081500Z-0001.csv for live.csv, with the time of day if the source
    /// is live, else clip-0001.csv
    #[arg(long, value_name = "SECONDS", value_parser = whole::<NonZeroU32, 1, { u32::MAX as u64 }>)]
    segment: Option<NonZeroU32>,

    /// Show no progress, and do not say what was written; the verdict of --against is printed nevertheless
    #[arg(short, long)]
    quiet: bool,

    /// Corrupt the count of this frame, to check that --verify notices
    #[cfg(feature = "test-hooks")]
    #[arg(long, value_name = "FRAME", hide = true)]
    spoil: Option<u64>,

    /// Measure the sound of the file's default track: loudness (EBU R 128), true peak, levels, correlation and clipped
    /// samples of each frame, and those of the whole
    #[arg(long, conflicts_with_all = ["resume", "segment"])]
    audio: bool,

    #[command(flatten)]
    audio_track: AudioTrackArgs,

    #[command(flatten)]
    light: LightArgs,

    #[command(flatten)]
    adjust: AdjustArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    counting: CountingArgs,
}

/// The measurement of light, also by `report`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Light")]
pub struct LightArgs {
    /// Measure the light of every pixel in cd/m²: each frame's brightest pixel and average, the clip's MaxCLL and
    /// MaxFALL, and whether the file states them rightly
    #[arg(long)]
    light: bool,

    /// Also count the pixels outside P3-D65 and outside BT.709, in video with primaries of BT.2020
    #[arg(long, requires = "light")]
    gamut: bool,

    /// Measure light by this transfer function, whatever the file states
    #[arg(long, value_parser = one_of(TRANSFERS), requires = "light")]
    transfer: Option<Transfer>,

    /// Peak in cd/m² of the display on which HLG is measured
    #[arg(long, value_name = "CD_M2", requires = "light", default_value_t = USUAL_HLG_PEAK, value_parser = whole::<u32, { LOWEST_HLG_PEAK as u64 }, 10_000>)]
    hlg_peak: u32,

    /// Measure SDR, too, on a display with this white in cd/m² (usually 100)
    #[arg(long, value_name = "CD_M2", requires = "light", value_parser = whole::<u32, 1, 10_000>)]
    sdr_white: Option<u32>,
}

impl LightArgs {
    /// Returns how light is measured, or `None` if it is not.
    pub fn wanted(&self) -> Option<LightUse> {
        self.light.then(|| self.measurement())
    }

    /// Returns how light is measured if it is.
    fn measurement(&self) -> LightUse {
        let Self { gamut, transfer, hlg_peak, sdr_white, .. } = *self;
        LightUse { transfer, hlg_peak, sdr_white, gamut }
    }
}

impl AnalyzeArgs {
    /// Analyses every input and returns the exit code.
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        let destinations = self.destinations()?;
        let adjustments = self.adjust.adjustments()?;
        let stop = stop_on_interrupt()?;
        if let Some(folder) = &self.out_dir {
            std::fs::create_dir_all(folder).map_err(|error| {
                anyhow::anyhow!(
                    "cannot create the folder {} ({error}); choose another with --out-dir",
                    folder.display()
                )
            })?;
        }
        let (mut differs, mut failed) = (false, false);
        for (input, destination) in self.inputs.iter().zip(&destinations) {
            let request = self.request(input, destination, adjustments, &stop);
            let name = input.display();
            match run(request, destination, self.quiet) {
                Ok(Finished::Complete) => {}
                Ok(Finished::Differs) => differs = true,
                Ok(Finished::NothingCompared) => {
                    print_error(&format!(
                        "{name}: no frames were compared; the selection is empty, or --offset points outside of {}",
                        self.comparison()
                    ));
                    failed = true;
                }
                Ok(Finished::Already) => print_error(&format!("{name}: the output is already complete")),
                Ok(Finished::EndedEarly(reason)) => {
                    let left = if describes_scenes(destination) {
                        SCENES_NOT_WRITTEN
                    } else {
                        "the readable part was counted"
                    };
                    print_error(&format!("{name}: {reason}; {left}; try another copy of the file"));
                    failed = true;
                }
                Ok(Finished::OtherEndedEarly(reason)) => {
                    let other = self.comparison();
                    print_error(&format!(
                        "{other}: {reason}; the readable part was compared; try another copy of the file"
                    ));
                    failed = true;
                }
                Ok(Finished::StoppedBeforeFirst) => {
                    print_error(&format!("{name}: stopped before a frame was counted; nothing was written"));
                    return Ok(ExitCode::from(INTERRUPTED));
                }
                Ok(Finished::Stopped) => {
                    print_error(&format!("{name}: stopped; {}", partial_output(destination)));
                    return Ok(ExitCode::from(INTERRUPTED));
                }
                Err(AnalyzeError::ReaderGone) if self.against.is_some() => {
                    print_error(&format!(
                        "{name}: the reader of the records has closed the output, so the comparison with {} is \
                         incomplete",
                        self.comparison()
                    ));
                    return Ok(ExitCode::FAILURE);
                }
                Err(AnalyzeError::ReaderGone) => return Ok(ExitCode::SUCCESS),
                Err(error) => {
                    print_error(&error.to_string());
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

    /// Returns the name of the file that frames are compared with.
    fn comparison(&self) -> String {
        self.against.as_ref().map(|path| path.display().to_string()).unwrap_or_default()
    }

    fn request(&self, input: &Path, destination: &Destination, adjustments: Adjustments, stop: &Stop) -> Request {
        let signal = match destination {
            Destination::Records { format: FFPROBE, .. } => SignalUse::Samples,
            Destination::Records { format: QCTOOLS, .. } => SignalUse::Report,
            _ => SignalUse::None,
        };
        let coded = self.counting.components() == Components::YCbCr;
        let mut open = self.reading.open_options();
        open.hardware.verify = self.verify;
        // Weights of luminance may depend on it.
        open.transfer = self.light.wanted().and_then(|light| light.transfer);
        let engine = (self.counting.engine(), self.counting.adapter());
        Request {
            selection: Selection {
                from: self.part.from,
                to: self.part.to,
                every: self.every,
                keyframes: self.keyframes,
                region: self.part.region,
                crop_bars: self.part.crop_bars,
            },
            adjustments,
            counting: RunComponents {
                rgbl: signal == SignalUse::None,
                coded,
                signal,
                light: if describes_scenes(destination) { Some(self.light.measurement()) } else { self.light.wanted() },
                scopes: if self.scopes.is_empty() { ScopeUse::None } else { ScopeUse::Saturation },
            },
            jobs: self.jobs,
            verify: self.verify,
            #[cfg(feature = "test-hooks")]
            spoil: self.spoil,
            against: self.against.clone().map(|input| Against {
                input,
                offset: self.offset,
                align: self.align,
                sound_ms: None,
            }),
            audio: if self.audio { AudioUse::Required } else { AudioUse::No },
            audio_track: self.audio_track.audio_track,
            ..Request::new(input.to_owned(), open, engine, stop.clone())
        }
    }

    /// Checks the arguments and returns the destination of each input's records.
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

    /// Returns the requested format, or the one that matches the output's extension.
    fn format(&self) -> Format {
        let ending = || format_of(self.output.as_deref()?);
        self.format.or_else(ending).unwrap_or(Format::Text(TextFormat::Jsonl))
    }
}

/// All formats: those of records, then those of scenes.
const FORMATS: &[Format] = &[
    Format::Text(TextFormat::Jsonl),
    Format::Text(TextFormat::Csv),
    FFPROBE,
    Format::Text(TextFormat::Json),
    QCTOOLS,
    Format::Parquet,
    Format::Scenes(SceneFormat::Madvr),
    Format::Scenes(SceneFormat::Hdr10Plus),
];
/// The formats of records.
pub const RECORD_FORMATS: &[Format] = FORMATS.split_at(6).0;

/// Returns the format that matches a path's extension, if any. Some extensions end with a shorter one.
fn format_of(path: &Path) -> Option<Format> {
    let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
    let matching = FORMATS.iter().copied().filter(|format| name.ends_with(&format!(".{}", format.extension())));
    matching.max_by_key(|format| format.extension().len())
}

/// Refuses an output whose extension is not that of one of these formats. Streams, and files without an extension, are
/// accepted. `otherwise` says what else to do.
pub fn check_extension(path: &Path, formats: &[Format], otherwise: &str) -> Result<(), WrongUsage> {
    let is_known = format_of(path).is_some_and(|format| formats.contains(&format));
    if path.extension().is_none() || is_known || is_stream(path) {
        return Ok(());
    }
    let known = formats.iter().map(|known| format!(".{}", known.extension())).collect::<Vec<_>>().join(", ");
    wrong_usage(format!("{} ends in none of {known}; choose one of these{otherwise}", path.display()))
}

/// The values of `--scopes`.
const SCOPES: Values<Scope> = &[("vectorscope", Scope::Vectorscope, "The saturation of the frame's samples")];

/// The values of `--format`.
const FORMAT_NAMES: Values<Format> = &[
    ("jsonl", Format::Text(TextFormat::Jsonl), "One JSON object per line; the last one is a summary"),
    ("csv", Format::Text(TextFormat::Csv), "A CSV table"),
    ("json", Format::Text(TextFormat::Json), "A single JSON object"),
    ("ffprobe", FFPROBE, "The output of ffprobe with FFmpeg's signalstats filter"),
    ("qctools", QCTOOLS, "A report for QCTools: compressed XML with the figures of FFmpeg's signalstats filter"),
    ("parquet", Format::Parquet, "A table for pandas, Polars, DuckDB and Spark"),
    (
        "madvr",
        Format::Scenes(SceneFormat::Madvr),
        "The light of a PQ video as a measurement file of madVR, for dovi_tool",
    ),
    (
        "hdr10plus",
        Format::Scenes(SceneFormat::Hdr10Plus),
        "The light of the scenes of a PQ video as JSON, for hdr10plus_tool",
    ),
];

const FFPROBE: Format = Format::Text(TextFormat::Ffprobe);
const QCTOOLS: Format = Format::Text(TextFormat::Qctools);

/// Returns `true` if the path is a device or a named pipe.
fn is_stream(path: &Path) -> bool {
    path.metadata().is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// Returns the target for a path: a file, or standard output for `-`.
pub fn target(path: &Path) -> OutputTarget {
    if path == Path::new("-") { OutputTarget::Stdout } else { OutputTarget::File(path.to_owned()) }
}

/// Returns `true` if the light of scenes is written.
const fn describes_scenes(destination: &Destination) -> bool {
    matches!(destination, Destination::Records { format: Format::Scenes(_), .. })
}

/// Said of a run that did not count every frame.
const SCENES_NOT_WRITTEN: &str = "nothing was written, because the format describes every frame";

/// Describes the output of a run that was stopped.
fn partial_output(destination: &Destination) -> &'static str {
    match destination {
        Destination::Records { format: Format::Scenes(_), .. } => SCENES_NOT_WRITTEN,
        Destination::Records { segment: Some(_), .. } => {
            "the files contain complete records, and the last file is marked as partial"
        }
        Destination::Records { .. } => "the output contains complete records and is marked as partial",
        Destination::Overview => "the figures cover what was counted until then",
    }
}

/// Returns the file name of an input's output in a folder. It contains the input's full name, so that clip.mov and
/// clip.mp4 do not collide.
fn output_name(input: &Path, format: Format) -> String {
    let input = histoscope::public(input);
    let name = input.file_name().map_or_else(|| "stdin".into(), |name| name.to_string_lossy());
    format!("{}.{}", if name == "-" { "stdin".into() } else { name }, format.extension())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_run_describes_its_output() {
        let records = |segment| Destination::Records {
            target: OutputTarget::Stdout,
            format: FFPROBE,
            bins: false,
            resume: false,
            segment,
        };
        assert!(partial_output(&Destination::Overview).contains("figures"));
        assert!(partial_output(&records(None)).starts_with("the output contains"));
        assert!(partial_output(&records(NonZeroU32::new(60))).starts_with("the files contain"));
    }
}
