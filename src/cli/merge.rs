//! `merge`: joins the counts of parts of one file.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use histoscope::analysis::{AnalyzeError, OutputTarget, merge};

use super::analyze::{RECORD_FORMATS, check_extension, target};
use super::interrupt::{INTERRUPTED, stop_on_interrupt};

/// Arguments of `merge`.
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// Outputs of 'analyze --from … --to …' for consecutive parts of one file, in any order
    #[arg(required = true, value_name = "SHARE")]
    shares: Vec<PathBuf>,

    /// Write the result to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Do not say what was written
    #[arg(short, long)]
    quiet: bool,
}

impl MergeArgs {
    /// Joins the shares and writes the result.
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        if let Some(output) = &self.output {
            check_extension(output, RECORD_FORMATS, "")?;
        }
        let stop = stop_on_interrupt()?;
        let output = self.output.as_deref().map_or(OutputTarget::Stdout, target);
        match merge(&self.shares, &output, &stop, self.quiet) {
            Ok(_) | Err(AnalyzeError::ReaderGone) => Ok(ExitCode::SUCCESS),
            Err(_) if stop.is_stopped() => Ok(ExitCode::from(INTERRUPTED)),
            Err(error) => Err(error.into()),
        }
    }
}
