//! `adapters`: what this machine can count and draw with.

use std::process::ExitCode;

use histoscope::gpu::{self, GpuError};

use super::output::print_line;

/// Prints a line for each adapter.
pub fn run() -> anyhow::Result<ExitCode> {
    let adapters = gpu::adapters();
    if adapters.is_empty() {
        return Err(GpuError::NoAdapter.into());
    }
    for adapter in adapters {
        print_line(&adapter.to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}
