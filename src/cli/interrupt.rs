//! Handling of Ctrl+C in long-running commands.

use histoscope::analysis::Stop;

/// The exit code after an interrupt.
pub const INTERRUPTED: u8 = 130;

/// Installs a handler for Ctrl+C. The first interrupt asks the run to end, and the second one ends the program.
pub fn stop_on_interrupt() -> anyhow::Result<Stop> {
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

/// Ends the program immediately, without running exit handlers. On a normal exit, the exit handlers of graphics drivers
/// would run while other threads still use the drivers; with an NVIDIA driver, that crashes.
fn end_at_once() -> ! {
    #[cfg(unix)]
    // SAFETY: `_exit` accepts any number, runs no handlers and does not return. The system frees all resources.
    unsafe {
        libc::_exit(i32::from(INTERRUPTED))
    }
    #[cfg(not(unix))]
    std::process::exit(i32::from(INTERRUPTED))
}
