//! `adapters`: what this machine can count and draw with.

use std::process::ExitCode;

use super::output::print_line;

/// Prints a line for each adapter.
pub fn run() -> anyhow::Result<ExitCode> {
    for adapter in histoscope::adapters()? {
        print_line(&adapter.to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}
