//! The `histoscope` program: reads the command line, starts the log, hands over. Only here the program ends.

mod cli;

use std::process::ExitCode;
use std::time::{Duration, Instant};

/// How long the end of the program waits for decoders that other threads are still closing. One that waits for bytes from a
/// pipe cannot be interrupted.
const CLOSING: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    let started = Instant::now();
    let line = cli::parse();
    start_log(line.verbose);
    let code = line.run(started);
    histoscope::wait_until_released(CLOSING);
    code
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
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or(filter)).format(write_line).init();
}

/// A message of the log, each of its lines fit to be shown whatever name or address is in it.
fn write_line(to: &mut env_logger::fmt::Formatter, record: &log::Record<'_>) -> std::io::Result<()> {
    use std::io::Write as _;
    let (level, style) = (record.level(), to.default_level_style(record.level()));
    let text = record.args().to_string();
    // A driver's own messages may have several lines. In ours a line end could only be part of a name.
    let is_ours = record.target().starts_with("histoscope");
    let parts = if is_ours { vec![&*text] } else { text.lines().collect() };
    let parts: Vec<_> = parts.into_iter().map(histoscope::plain).collect();
    writeln!(to, "[{style}{level:<5}{style:#}] {}", parts.join("\n        "))
}
