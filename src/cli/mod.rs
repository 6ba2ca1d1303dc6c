//! The command line: one file per command, with its arguments and its implementation. clap is used only here.

mod adjust;
mod analyze;
mod bench;
mod check;
mod desktop;
mod interrupt;
mod lab;
mod merge;
mod mistyped;
mod options;
mod output;
mod play;
mod report;
mod snapshot;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::LazyLock;
use std::time::Instant;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use histoscope::analysis::SCHEMA;

use analyze::AnalyzeArgs;
use bench::BenchArgs;
use check::CheckArgs;
use lab::LabArgs;
use merge::MergeArgs;
use output::{WrongUsage, print_line};
use play::PlayArgs;
use report::ReportArgs;
use snapshot::SnapshotArgs;

/// The text of `--version`, but not of `-V`. It adds the schema of the records, which must be equal on all machines
/// that count parts of one archive, the commit of the build, and the version of FFmpeg.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let version = env!("CARGO_PKG_VERSION");
    // Set by build.rs in release builds only: debug builds would be rebuilt after each commit.
    let commit = match (option_env!("HISTOSCOPE_COMMIT"), cfg!(debug_assertions)) {
        (Some(commit), _) if !commit.is_empty() => commit,
        (_, true) => "unknown in a debug build",
        (_, false) => "unknown",
    };
    format!("{version}\nrecords: schema {SCHEMA}\ncommit: {commit}\nFFmpeg: {}", histoscope::ffmpeg_version())
});

/// Exact, live histograms over any video.
#[derive(Debug, Parser)]
#[command(
    name = "histoscope",
    version,
    long_version = LONG_VERSION.as_str(),
    about = "Plays a video with exact, live histograms of red, green, blue and luminance over it",
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = histoscope::keys_as_text()
)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,

    /// Log more: once for choices made, twice for details (RUST_LOG refines it)
    #[arg(short, long, action = clap::ArgAction::Count, global = true, display_order = 900)]
    pub verbose: u8,

    #[command(flatten)]
    play: PlayArgs,
}

/// The commands.
#[derive(Debug, Subcommand)]
enum Command {
    /// Save one frame with its histograms as a PNG, or print its figures; needs no display
    Snapshot(SnapshotArgs),
    /// Write every frame's exact counts as data for other programs; needs no display
    Analyze(AnalyzeArgs),
    /// Join the outputs of 'analyze --from … --to …' into the output of a single run
    Merge(MergeArgs),
    /// Show a whole clip on one page, with its histograms over time, cuts and worst frames; needs no display
    Report(ReportArgs),
    /// Check files against a profile: black, frozen and clipped frames, flashes, levels, tags and more; needs no
    /// display
    Check(CheckArgs),
    /// List the graphics adapters of this machine
    Adapters,
    /// Play a video with the lab open: methods of counting at work on every frame, from a plain loop to our own
    Lab(LabArgs),
    /// Measure how fast this machine counts, with each method of a well-known tutorial and with our own
    Bench(BenchArgs),
    /// Print the completions of a shell, to be read by it: 'histoscope completions bash'
    Completions(CompletionsArgs),
}

/// Parses the command line. Exits on wrong usage, or if help was requested.
pub fn parse() -> Cli {
    // Windows' shells leave wildcards to programs; elsewhere, these are the arguments as they are.
    let arguments = with_command_first(wild::args_os().collect());
    Cli::try_parse_from(arguments).unwrap_or_else(|error| mistyped::with_suggestion(error).exit())
}

/// Moves the command before any `-v` options. After them, clap would take it for a file.
fn with_command_first(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let is_verbose = |argument: &OsString| {
        let text = argument.to_str().unwrap_or_default();
        text == "--verbose"
            || text.strip_prefix('-').is_some_and(|rest| rest.starts_with('v') && rest.trim_matches('v').is_empty())
    };
    let at = 1 + arguments.iter().skip(1).take_while(|argument| is_verbose(argument)).count();
    if arguments.get(at).is_some_and(|name| Cli::command().find_subcommand(name).is_some()) {
        arguments[1..=at].rotate_right(1);
    }
    arguments
}

impl Cli {
    /// Returns `true` if the command opens a window.
    pub const fn opens_window(&self) -> bool {
        matches!(self.command, None | Some(Command::Lab(_)))
    }

    /// Runs the command and returns the exit code. `started` is the start time of the program.
    pub fn run(self, started: Instant) -> ExitCode {
        if self.command.is_none()
            && let Some(error) = mistyped::error_for(Self::command(), self.play.first())
        {
            return print_clap_error(&error);
        }
        let from_desktop = self.opens_window() && desktop::leave_console();
        let (name, result) = match self.command {
            None => (None, self.play.run(started)),
            Some(Command::Snapshot(args)) => (Some("snapshot"), args.run()),
            Some(Command::Analyze(args)) => (Some("analyze"), args.run()),
            Some(Command::Merge(args)) => (Some("merge"), args.run()),
            Some(Command::Report(args)) => (Some("report"), args.run()),
            Some(Command::Check(args)) => (Some("check"), args.run()),
            Some(Command::Adapters) => (Some("adapters"), print_adapters()),
            Some(Command::Lab(args)) => (Some("lab"), args.run(started)),
            Some(Command::Bench(args)) => (Some("bench"), args.run()),
            Some(Command::Completions(args)) => (Some("completions"), print_completions(args.shell)),
        };
        result.unwrap_or_else(|error| match error.downcast::<WrongUsage>() {
            Ok(wrong) => print_wrong_usage(name, &wrong),
            Err(error) => {
                let text = format!("{error:#}");
                output::print_error(&text);
                if from_desktop {
                    histoscope::show_error(&text);
                }
                ExitCode::FAILURE
            }
        })
    }
}

/// The arguments of `completions`.
#[derive(Debug, clap::Args)]
struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Prints the completions of a shell.
fn print_completions(shell: Shell) -> anyhow::Result<ExitCode> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "histoscope", &mut text);
    print_line(String::from_utf8_lossy(&text).trim_end())?;
    Ok(ExitCode::SUCCESS)
}

/// Prints one line per graphics adapter of this machine.
fn print_adapters() -> anyhow::Result<ExitCode> {
    for adapter in histoscope::adapters()? {
        print_line(&adapter.to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the error in the style of clap's own errors, and returns its exit code.
fn print_wrong_usage(name: Option<&str>, wrong: &WrongUsage) -> ExitCode {
    let mut all = Cli::command();
    all.build();
    let command = name.and_then(|name| all.find_subcommand(name)).unwrap_or(&all);
    print_clap_error(&command.clone().error(ErrorKind::ArgumentConflict, wrong))
}

fn print_clap_error(error: &clap::Error) -> ExitCode {
    // If printing fails, only the exit code reports the error.
    let _ = error.print();
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbosity_may_precede_the_command() {
        let ordered = |text: &str| {
            let arguments = with_command_first(text.split(' ').map(OsString::from).collect());
            arguments.join(std::ffi::OsStr::new(" ")).into_string().expect("plain")
        };
        assert_eq!(ordered("histoscope -v analyze a.mp4 -o b"), "histoscope analyze -v a.mp4 -o b");
        assert_eq!(ordered("histoscope -vv --verbose bench"), "histoscope bench -vv --verbose");
        for unchanged in
            ["histoscope", "histoscope -v", "histoscope -v a.mp4", "histoscope analyze -v a", "histoscope -v - analyze"]
        {
            assert_eq!(ordered(unchanged), unchanged);
        }
        assert_eq!(ordered("histoscope --version analyze"), "histoscope --version analyze");
    }

    #[test]
    fn the_definitions_are_consistent() {
        Cli::command().debug_assert();
    }
}
