//! `adapters`: the graphics adapters of this machine.

use std::process::ExitCode;

use super::output::print_line;

/// Prints one line per adapter.
pub fn run() -> anyhow::Result<ExitCode> {
    for adapter in histoscope::adapters()? {
        print_line(&adapter.to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}
