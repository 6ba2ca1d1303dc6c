//! Ctrl+C in commands that work for long.

use histoscope::analysis::Stop;

/// What a program that an interrupt ended returns to the shell.
pub const INTERRUPTED: u8 = 130;

/// The first interrupt asks the run to end; a second one ends the program.
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
