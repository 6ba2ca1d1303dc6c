//! The `histoscope` program: parses the command line, starts logging, and runs the command. The program exits only
//! here.

mod cli;

use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Maximum time to wait at exit for decoders that other threads are still closing. A decoder waiting for bytes from a
/// pipe cannot be interrupted.
const CLOSING: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    let started = Instant::now();
    let line = cli::parse();
    if !line.opens_window() {
        keep_mesa_quiet();
    }
    start_log(line.verbose);
    let code = line.run(started);
    histoscope::wait_until_closed(CLOSING);
    histoscope::wait_until_released(CLOSING);
    code
}

/// Keeps Mesa's Vulkan layer that sorts devices from asking a Wayland display that is not there, which prints an error
/// on every command. Without a display there is nothing to sort by, unless the user has chosen a device.
fn keep_mesa_quiet() {
    let has_folder = std::env::var_os("XDG_RUNTIME_DIR").is_some_and(|folder| std::path::Path::new(&folder).is_dir());
    if !has_folder && std::env::var_os("MESA_VK_DEVICE_SELECT").is_none() {
        // SAFETY: The program has no other thread yet.
        unsafe {
            std::env::set_var("NODEVICE_SELECT", "1");
        }
    }
}

/// Initializes logging of our own warnings and of errors from libraries. `-v` adds the choices made, `-vv` details.
fn start_log(verbose: u8) {
    let filter = match verbose {
        // It is not an error if OpenGL cannot use a display: a different backend is used, or our own message explains
        // the problem. DirectX's failures are returned, too, and those of its optional parts do not matter. A missing
        // file dialog is reported in the window, with an alternative.
        0 => "error,rfd=off,wgpu_hal::gles=off,wgpu_hal::auxil::dxgi::result=off,histoscope=warn",
        1 => "error,rfd=off,wgpu_hal::auxil::dxgi::result=off,histoscope=info",
        2 => "warn,rfd=off,histoscope=debug",
        _ => "info,histoscope=trace",
    };
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or(filter)).format(write_line).init();
}

/// Writes a log message, with each line made safe to display whatever names or addresses it contains.
fn write_line(to: &mut env_logger::fmt::Formatter, record: &log::Record<'_>) -> std::io::Result<()> {
    use std::io::Write as _;
    let (level, style) = (record.level(), to.default_level_style(record.level()));
    let text = record.args().to_string();
    // A driver's message may have several lines. In our own messages, a line break can only be part of a name.
    let is_ours = record.target().starts_with("histoscope");
    let parts = if is_ours { vec![&*text] } else { text.lines().collect() };
    let parts: Vec<_> = parts.into_iter().map(histoscope::sanitized).collect();
    writeln!(to, "[{style}{level:<5}{style:#}] {}", parts.join("\n        "))
}
