//! The program's output: lines on standard output, and errors as one line on standard error.

use std::io::{ErrorKind, Write};

/// A contradiction between arguments that clap cannot detect, as a sentence.
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

/// Prints a line. It is not an error if the reader has gone away, as `head` does.
pub fn print_line(text: &str) -> anyhow::Result<()> {
    match writeln!(std::io::stdout().lock(), "{text}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(anyhow::Error::new(error).context("the output could not be written"))
        }
        _ => Ok(()),
    }
}

/// Prints a message on standard error. It is always one line, whatever a driver or a file name contains, and never
/// contains a password.
pub fn say(text: &str) {
    let parts = text.split(['\n', '\r']).map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>();
    // If even this cannot be written, the exit code must do.
    let _ = writeln!(std::io::stderr(), "histoscope: {}", histoscope::plain(&parts.join(" ")));
}
