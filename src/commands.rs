//! From the arguments of `analyze` and `merge` to what the library does, and to an exit code.

use std::collections::HashSet;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::CommandFactory;
use clap::error::ErrorKind;
use histoscope::adjust::Adjustments;
use histoscope::cli::{AnalyzeArgs, Cli, CommonArgs, MergeArgs, ReportArgs};
use histoscope::export::analyze::counter::Counting;
use histoscope::export::analyze::format::Format;
use histoscope::export::analyze::merge::merge;
use histoscope::export::analyze::output::Target;
use histoscope::export::analyze::pipeline::Request;
use histoscope::export::analyze::run::{Destination, Finished, run};
use histoscope::export::analyze::selection::{Point, Selection};
use histoscope::export::analyze::{AnalyzeError, Stop};
use histoscope::export::report::run as report;
use histoscope::histogram::Components;
use histoscope::view::scene::Counted;

/// What a program that an interrupt ended returns to the shell.
const INTERRUPTED: u8 = 130;

/// Analyses every input, and says in the exit code whether all of it went well.
pub fn analyze(args: &AnalyzeArgs, common: &CommonArgs) -> anyhow::Result<ExitCode> {
    let destinations = destinations(args, common);
    let stop = stop_on_interrupt()?;
    if let Some(folder) = &args.out_dir {
        std::fs::create_dir_all(folder).map_err(|error| {
            anyhow::anyhow!("the folder {} cannot be made ({error}); name another with --out-dir", folder.display())
        })?;
    }
    let mut code = ExitCode::SUCCESS;
    for (input, destination) in args.inputs.iter().zip(&destinations) {
        let request = request(args, common, input, destination, &stop);
        let name = input.display();
        match run(request, destination, args.quiet) {
            Ok(Finished::Complete) => {}
            Ok(Finished::Already) => say(&format!("{name}: the output is complete already")),
            Ok(Finished::EndedEarly(reason)) => {
                say(&format!("{name}: {reason}; what there is was counted, try another copy of the file"));
                code = ExitCode::FAILURE;
            }
            Ok(Finished::Stopped) => {
                say(&format!("{name}: stopped; the output holds complete records and says that it is partial"));
                return Ok(ExitCode::from(INTERRUPTED));
            }
            Err(AnalyzeError::ReaderGone) => return Ok(ExitCode::SUCCESS),
            Err(error) => {
                say(&error.to_string());
                code = ExitCode::FAILURE;
            }
        }
    }
    Ok(code)
}

/// Joins shares.
pub fn merge_shares(args: &MergeArgs) -> anyhow::Result<ExitCode> {
    let stop = stop_on_interrupt()?;
    let target = args.output.as_deref().map_or(Target::Stdout, target);
    match merge(&args.shares, &target, &stop) {
        Ok(_) | Err(AnalyzeError::ReaderGone) => Ok(ExitCode::SUCCESS),
        Err(_) if stop.is_stopped() => Ok(ExitCode::from(INTERRUPTED)),
        Err(error) => Err(error.into()),
    }
}

/// Draws the report of a clip.
pub fn report(args: &ReportArgs, common: &CommonArgs) -> anyhow::Result<ExitCode> {
    let request = Request {
        input: args.input.clone(),
        open: super::open_options(common),
        selection: Selection {
            from: args.from,
            to: args.to,
            region: args.region,
            crop_bars: args.crop_bars,
            ..Selection::default()
        },
        adjustments: Adjustments::default(),
        counting: counting_of(common.components.into()),
        engine: super::engine(common.engine),
        adapter: super::adapter(common),
        resume_at: 0,
        jobs: args.jobs.get(),
        verify: false,
        spoil: None,
        stop: stop_on_interrupt()?,
    };
    let options = report::Options {
        components: common.components.into(),
        cut_threshold: args.cut_threshold / 100.0,
        outputs: args.output.clone(),
        quiet: args.quiet,
    };
    let name = args.input.display();
    match report::run(request, &options)? {
        report::Finished::Complete => Ok(ExitCode::SUCCESS),
        report::Finished::EndedEarly(reason) => {
            say(&format!("{name}: {reason}; the report shows what there is, try another copy of the file"));
            Ok(ExitCode::FAILURE)
        }
        report::Finished::StoppedAtOnce => {
            say(&format!("{name}: stopped before a frame was counted; nothing was written"));
            Ok(ExitCode::from(INTERRUPTED))
        }
        report::Finished::Stopped => {
            say(&format!("{name}: stopped; the report shows the part that was counted, and says so"));
            Ok(ExitCode::from(INTERRUPTED))
        }
    }
}

fn counting_of(components: Components) -> Counting {
    let coded = components == Components::YCbCr;
    Counting { rgbl: !coded, coded, signal: false }
}

/// The first interrupt asks the run to end; a second one ends the program.
fn stop_on_interrupt() -> anyhow::Result<Stop> {
    let stop = Stop::new();
    let asked = stop.clone();
    ctrlc::set_handler(move || {
        if asked.is_stopped() {
            end_at_once();
        }
        asked.stop();
    })?;
    Ok(stop)
}

/// Ends the program while all of its threads go on. What libraries have drivers do at a program's end would meet those that are
/// still using them, which on an NVIDIA driver is a segmentation fault.
fn end_at_once() -> ! {
    #[cfg(unix)]
    // SAFETY: the function takes any number, calls nothing and does not return; the system takes back all that is left.
    unsafe {
        libc::_exit(i32::from(INTERRUPTED))
    }
    #[cfg(not(unix))]
    std::process::exit(i32::from(INTERRUPTED))
}

fn request(args: &AnalyzeArgs, common: &CommonArgs, input: &Path, destination: &Destination, stop: &Stop) -> Request {
    let signal = matches!(destination, Destination::Records { format: Format::Ffprobe, .. });
    let coded = Components::from(common.components) == Components::YCbCr;
    Request {
        input: input.to_owned(),
        open: super::open_options(common),
        selection: Selection {
            from: args.from,
            to: args.to,
            every: args.every,
            keyframes: args.keyframes,
            region: args.region,
            crop_bars: args.crop_bars,
        },
        adjustments: args.adjust.adjustments(),
        counting: Counting { rgbl: !signal, coded, signal },
        engine: super::engine(common.engine),
        adapter: super::adapter(common),
        resume_at: 0,
        jobs: args.jobs.get(),
        verify: args.verify,
        spoil: args.spoil,
        stop: stop.clone(),
    }
}

/// Where each input's records go. A contradiction ends the program as wrong usage does.
fn destinations(args: &AnalyzeArgs, common: &CommonArgs) -> Vec<Destination> {
    if let Err(text) = check_usage(args, common) {
        end_as_wrong_usage("analyze", &text);
    }
    let format = format(args);
    let records = |target| Destination::Records { target, format, bins: args.bins, resume: args.resume };
    let is_overview = args.output.is_none() && args.format.is_none() && std::io::stdout().is_terminal();
    let destination = |input: &PathBuf| match (&args.output, &args.out_dir) {
        (Some(output), _) => records(target(output)),
        (None, Some(folder)) => records(Target::File(folder.join(output_name(input, format)))),
        (None, None) if is_overview => Destination::Overview,
        (None, None) => records(Target::Stdout),
    };
    args.inputs.iter().map(destination).collect()
}

/// Ends the program as a contradiction among a command's arguments that clap finds does.
pub fn end_as_wrong_usage(name: &str, text: &str) -> ! {
    let mut command = Cli::command();
    command.build();
    let error = command.find_subcommand_mut(name).map(|command| command.error(ErrorKind::ArgumentConflict, text));
    error.unwrap_or_else(|| Cli::command().error(ErrorKind::ArgumentConflict, text)).exit()
}

fn target(path: &Path) -> Target {
    if path == Path::new("-") { Target::Stdout } else { Target::File(path.to_owned()) }
}

/// The format that was asked for, else that of the output's ending.
fn format(args: &AnalyzeArgs) -> Format {
    let ending = || {
        let extension = args.output.as_deref()?.extension()?.to_str()?.to_ascii_lowercase();
        [Format::Jsonl, Format::Csv, Format::Json].into_iter().find(|format| format.name() == extension)
    };
    args.format.map(Format::from).or_else(ending).unwrap_or_default()
}

/// The name of an input's output in a folder: the whole name, so that clip.mov and clip.mp4 do not meet.
fn output_name(input: &Path, format: Format) -> String {
    let name = input.file_name().map_or_else(|| "stdin".into(), |name| name.to_string_lossy());
    format!("{}.{}", if name == "-" { "stdin".into() } else { name }, format.extension())
}

fn check_usage(args: &AnalyzeArgs, common: &CommonArgs) -> Result<(), String> {
    let format = format(args);
    if args.inputs.len() > 1 {
        if args.output.is_some() {
            return Err("-o takes the records of one input; use --out-dir for several".to_owned());
        }
        if format.has_array() && args.out_dir.is_none() {
            return Err(format!("--format {format} makes one object an input; use --out-dir for several"));
        }
        let mut names = HashSet::new();
        let twice = args.inputs.iter().map(|input| output_name(input, format)).find(|name| !names.insert(name.clone()));
        if let (Some(name), Some(_)) = (twice, &args.out_dir) {
            return Err(format!("two inputs would be written to {name}; analyse them into different folders"));
        }
    }
    let is_to_file = args.out_dir.is_some() || args.output.as_deref().is_some_and(|path| path != Path::new("-"));
    if args.resume && !is_to_file {
        return Err("--resume goes on with a file; name it with -o or --out-dir".to_owned());
    }
    if format == Format::Ffprobe && (args.bins || Components::from(common.components) == Components::YCbCr) {
        return Err("--format ffprobe has a fixed set of fields; leave out --bins and --components".to_owned());
    }
    check_adjustments(args, common, format)?;
    let is_backward = match (args.from, args.to) {
        (Some(Point::Time(from)), Some(Point::Time(to))) => from >= to,
        (Some(Point::Frame(from)), Some(Point::Frame(to))) => from >= to,
        _ => false,
    };
    if let (true, Some(from), Some(to)) = (is_backward, args.from, args.to) {
        return Err(format!("--to {to} is not after --from {from}"));
    }
    Ok(())
}

/// Adjustments must leave a record independent of the frames before it, and records say of one picture what they say.
fn check_adjustments(args: &AnalyzeArgs, common: &CommonArgs, format: Format) -> Result<(), String> {
    args.adjust.check(common.components)?;
    if args.adjust.adjustments().is_off() {
        return Ok(());
    }
    if args.adjust.counted() != Counted::Result {
        return Err(
            "analyze counts the adjusted picture; to count the source, leave the adjustments out, and for both, \
                    run it twice"
                .to_owned(),
        );
    }
    if let Some(secs) = args.adjust.time_constant_secs() {
        return Err(format!(
            "--equalize with a time constant of {secs} s would make a record depend on the frames before it, so that \
             shares of a file could not be merged; leave it out, or write 0"
        ));
    }
    if format == Format::Ffprobe {
        return Err(
            "--format ffprobe promises FFmpeg's own values, which are those of the source; leave the adjustments \
                    out, or use --format jsonl, csv or json"
                .to_owned(),
        );
    }
    Ok(())
}

fn say(text: &str) {
    // One line, whatever a driver or a file's name contains. If it cannot be written, the exit code must do.
    let _ = writeln!(std::io::stderr(), "histoscope: {}", text.replace(['\n', '\r'], " "));
}
