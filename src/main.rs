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
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or(filter))
        .format_timestamp(None)
        .format_target(false)
        .init();
}
