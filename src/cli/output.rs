//! What the program prints: lines on standard output, and what went wrong in one line on standard error.

use std::io::{ErrorKind, Write};

/// Arguments that contradict each other in a way that clap cannot know, in words.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct WrongUsage(pub String);

/// Refuses the arguments.
///
/// # Errors
/// Always, with this text.
pub fn wrong_usage<T>(text: impl Into<String>) -> Result<T, WrongUsage> {
    Err(WrongUsage(text.into()))
}

/// Prints a line. A reader that has gone away, as `head` does, is no error.
pub fn print_line(text: &str) -> anyhow::Result<()> {
    match writeln!(std::io::stdout().lock(), "{text}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(anyhow::Error::new(error).context("the output could not be written"))
        }
        _ => Ok(()),
    }
}

/// Says on standard error what happened, in one line whatever a driver or a file's name contains, without a password.
pub fn say(text: &str) {
    let parts = text.split(['\n', '\r']).map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>();
    // If even this cannot be written, the exit code must do.
    let _ = writeln!(std::io::stderr(), "histoscope: {}", histoscope::plain(&parts.join(" ")));
}
