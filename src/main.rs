//! The `histoscope` program: reads the command line, starts the log, hands over. Only here the program ends.

mod commands;

use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use histoscope::app::{self, PlayOptions};
use histoscope::bench;
use histoscope::cli::{BenchArgs, ChannelsArg, Cli, Command, CommonArgs, EngineArg, SnapshotArgs};
use histoscope::engine::EngineChoice;
use histoscope::export::snapshot::{SnapshotOptions, snapshot};
use histoscope::gpu::draw::Channels;
use histoscope::gpu::{self, AdapterChoice, Gpu, context};
use histoscope::media::{Decoder, OpenOptions};

/// How long the end of the program waits for decoders that other threads are still closing. One that waits for bytes from a
/// pipe cannot be interrupted.
const CLOSING: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    let code = run(Instant::now());
    gpu::wait_until_released(CLOSING);
    code
}

fn run(started: Instant) -> ExitCode {
    let cli = Cli::parse();
    start_log(cli.common.verbose);
    let succeed = |()| ExitCode::SUCCESS;
    let result = match cli.command {
        Some(Command::Analyze(args)) => commands::analyze(&args, &cli.common),
        Some(Command::Merge(args)) => commands::merge_shares(&args),
        Some(Command::Report(args)) => commands::report(&args, &cli.common),
        Some(Command::Snapshot(args)) => run_snapshot(args, &cli.common).map(succeed),
        Some(Command::Adapters) => list_adapters().map(succeed),
        Some(Command::Bench(args)) => run_bench(args, &cli.common).map(succeed),
        None => app::play(PlayOptions {
            inputs: cli.play.files,
            looped: cli.play.looped,
            paused: cli.play.paused,
            cache_bytes: usize::try_from(cli.play.cache_mb << 20).unwrap_or(usize::MAX),
            keeps_settings: !cli.play.no_config,
            components: cli.common.components.into(),
            adjustments: cli.play.adjust.adjustments(),
            counted: cli.play.adjust.counted(),
            adapter: adapter(&cli.common),
            engine: engine(cli.common.engine),
            open: open_options(&cli.common),
            started,
        })
        .map(succeed)
        .map_err(Into::into),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            // One line, whatever a driver or a file's name contains.
            let text = format!("{error:#}");
            let line = text.split(['\n', '\r']).map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>();
            // If even this cannot be written, the exit code must do.
            let _ = writeln!(std::io::stderr(), "histoscope: {}", line.join(" "));
            ExitCode::FAILURE
        }
    }
}

/// Warnings of ours and errors of others by default; `-v` adds what was chosen, `-vv` details.
fn start_log(verbose: u8) {
    let filter = match verbose {
        // A display that OpenGL cannot use is no error of ours: another backend is taken, or our own line says what is wrong.
        // Whether there is a file dialog is told in the window, with what to do instead.
        0 => "error,rfd=off,wgpu_hal::gles=off,histoscope=warn",
        1 => "error,rfd=off,histoscope=info",
        2 => "warn,rfd=off,histoscope=debug",
        _ => "info,histoscope=trace",
    };
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or(filter))
        .format_timestamp(None)
        .format_target(false)
        .init();
}

fn open_options(common: &CommonArgs) -> OpenOptions {
    OpenOptions { matrix: common.matrix.map(Into::into), range: common.range.map(Into::into), ..OpenOptions::default() }
}

fn adapter(common: &CommonArgs) -> AdapterChoice {
    AdapterChoice { name: common.adapter.clone() }
}

const fn engine(arg: EngineArg) -> EngineChoice {
    match arg {
        EngineArg::Auto => EngineChoice::Auto,
        EngineArg::Gpu => EngineChoice::Gpu,
        EngineArg::Cpu => EngineChoice::Cpu,
    }
}

fn channels(ChannelsArg(on): ChannelsArg) -> Channels {
    let one = |channel| if on[channel] { Channels::one(channel) } else { Channels::NONE };
    (0..on.len()).map(one).fold(Channels::NONE, Channels::union)
}

fn run_snapshot(args: SnapshotArgs, common: &CommonArgs) -> anyhow::Result<()> {
    if let Err(text) = args.adjust.check(common.components) {
        commands::end_as_wrong_usage("snapshot", &text);
    }
    let figures = snapshot(&SnapshotOptions {
        input: args.file,
        at_secs: args.at,
        size: args.size,
        channels: channels(args.channels),
        overlays: !args.no_overlay,
        bins: args.bins,
        output: args.output,
        components: common.components.into(),
        adjustments: args.adjust.adjustments(),
        counted: args.adjust.counted(),
        adapter: adapter(common),
        engine: engine(common.engine),
        open: open_options(common),
    })?;
    if args.json { print_line(&serde_json::to_string(&figures)?) } else { print_line(&figures.to_string()) }
}

fn run_bench(args: BenchArgs, common: &CommonArgs) -> anyhow::Result<()> {
    let frame = match &args.file {
        Some(file) => Decoder::open(file, &open_options(common))?.next_frame()?.map(|frame| frame.picture),
        None => None,
    };
    let gpu = Gpu::headless(&adapter(common))?;
    if args.sweep {
        let grid = bench::SweepGrid { repeats: args.repeats, ..bench::SweepGrid::default() };
        return print_line(&bench::sweep(&gpu, &grid)?.to_string());
    }
    let options = bench::Options {
        size: args.size,
        layout: args.layout,
        content: args.content.into(),
        frame,
        repeats: args.repeats,
        only: args.only,
    };
    let report = match bench::run(&gpu, &options) {
        Err(error @ (bench::Error::UnknownMethod(_) | bench::Error::UnknownLayout(_))) => {
            commands::end_as_wrong_usage("bench", &error.to_string())
        }
        report => report?,
    };
    if args.json { print_line(&serde_json::to_string(&report)?) } else { print_line(&report.to_string()) }
}

fn list_adapters() -> anyhow::Result<()> {
    let adapters = context::adapters();
    if adapters.is_empty() {
        return Err(gpu::GpuError::NoAdapter.into());
    }
    for info in adapters {
        let driver = [info.driver.as_str(), info.driver_info.as_str()].join(" ");
        print_line(&format!("{}  ({:?}, {:?}, driver {})", info.name, info.device_type, info.backend, driver.trim()))?;
    }
    Ok(())
}

/// Prints a line. A reader that has gone away, as `head` does, is no error.
fn print_line(text: &str) -> anyhow::Result<()> {
    match writeln!(std::io::stdout().lock(), "{text}") {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(anyhow::Error::new(error).context("the output could not be written"))
        }
        _ => Ok(()),
    }
}
