//! Ctrl+C in commands that run for long.

use histoscope::analysis::Stop;

/// The exit code after an interrupt.
pub const INTERRUPTED: u8 = 130;

/// Makes the first interrupt ask the run to end, and the second one end the program.
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

/// Ends the program while its threads still run. A normal exit would run the exit handlers of graphics drivers, which
/// other threads are still using; with an NVIDIA driver that crashes.
fn end_at_once() -> ! {
    #[cfg(unix)]
    // SAFETY: the function takes any number, calls nothing and does not return. The system frees all resources.
    unsafe {
        libc::_exit(i32::from(INTERRUPTED))
    }
    #[cfg(not(unix))]
    std::process::exit(i32::from(INTERRUPTED))
}
