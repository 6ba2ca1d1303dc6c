//! A survey of one machine: several runs of the measurements, over sizes and contents.

use std::fmt;

use serde::Serialize;

use super::content::BenchContent;
use super::error::Error;
use super::options::Options;
use super::report::Report;
use super::run;
use histoscope_render::gpu::{AdapterChoice, Gpu};

/// The version of the survey's schema. It increases when the meaning of a field changes.
pub const SCHEMA: u32 = 1;

/// The measurements of one machine.
#[derive(Debug, Clone, Serialize)]
pub struct Survey {
    /// The version of the schema.
    pub schema: u32,
    /// The version of the program.
    pub histoscope: &'static str,
    /// One run for each size and content, in this order.
    pub runs: Vec<Report>,
}

impl Survey {
    /// Measures pictures of each of these sizes with each of these contents, or only the frame of `options`.
    ///
    /// # Errors
    /// [`Error`] for impossible options, a missing adapter, or a device that fails.
    pub fn measure(
        adapter: &AdapterChoice,
        options: &Options,
        sizes: &[(u32, u32)],
        contents: &[BenchContent],
    ) -> Result<Self, Error> {
        let gpu = Gpu::headless(adapter)?;
        let mut survey = Self { schema: SCHEMA, histoscope: env!("CARGO_PKG_VERSION"), runs: Vec::new() };
        let all = sizes.iter().flat_map(|&size| contents.iter().map(move |&content| (size, content)));
        // A frame has its own size and content.
        let count = if options.frame.is_some() { 1 } else { usize::MAX };
        for (size, content) in all.take(count) {
            survey.runs.push(run(&gpu, &Options { size, content, ..options.clone() })?);
        }
        Ok(survey)
    }

    /// Returns the survey as JSON.
    ///
    /// # Errors
    /// Never in practice: everything in a survey has a JSON form.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }
}

impl fmt::Display for Survey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, run) in self.runs.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{run}")?;
        }
        Ok(())
    }
}
