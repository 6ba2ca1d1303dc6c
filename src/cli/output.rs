//! The program's output: lines on standard output, and errors as one line on standard error.

use std::io::{ErrorKind, Write};

/// A contradiction between arguments that clap cannot detect, described in one sentence.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct WrongUsage(pub String);

/// Rejects the arguments.
///
/// # Errors
/// Always returns [`WrongUsage`] with this text.
pub fn wrong_usage<T>(text: impl Into<String>) -> Result<T, WrongUsage> {
    Err(WrongUsage(text.into()))
}

/// Prints a line on standard output. Ignores a closed pipe, as with `head`.
pub fn print_line(text: &str) -> anyhow::Result<()> {
    match writeln!(std::io::stdout().lock(), "{text}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(anyhow::Error::new(error).context("the output could not be written"))
        }
        _ => Ok(()),
    }
}

/// Prints a message on standard error. It is always a single line, whatever a driver message or file name contains, and
/// never contains a password.
pub fn print_error(text: &str) {
    let parts = text.split(['\n', '\r']).map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>();
    // If printing fails, only the exit code reports the error.
    let _ = writeln!(std::io::stderr(), "histoscope: {}", histoscope::sanitized(&parts.join(" ")));
}
