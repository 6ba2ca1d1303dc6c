//! The contents of the panel of findings: the result of a check of the file against a profile.

use histoscope_batch::check::finding::CheckFinding;
use histoscope_batch::check::output::{CheckFormat, measured};
use histoscope_batch::check::profile::Severity;
use histoscope_core::text::{counted, sanitized, time_text};

/// Number of columns.
pub const COLUMNS: usize = 5;

/// A finding as the panel lists it.
#[derive(Debug, Clone, PartialEq)]
pub struct FindingRow {
    /// Number of the first frame; `None` if the finding is about the whole file.
    pub frame: Option<u64>,
    /// The finding in words.
    pub text: String,
    /// Its severity.
    pub severity: Severity,
    /// Severity, check, timecode or time of the first frame, length, and value against threshold.
    pub cells: [String; COLUMNS],
}

impl FindingRow {
    /// Creates the row of a finding.
    #[must_use]
    pub fn of(finding: &CheckFinding) -> Self {
        let at = match (finding.span, finding.timecodes[0]) {
            (None, _) => "whole file".to_owned(),
            (Some(_), Some(timecode)) => timecode.to_string(),
            (Some(span), None) => time_text(span.start_secs),
        };
        let length = finding.span.map_or_else(String::new, |span| counted(span.frames(), "frame"));
        let text = sanitized(&finding.text);
        // The words are all there is to say about a finding without a value.
        let value = match (measured(finding), finding.value.as_str()) {
            (empty, "") if empty.is_empty() => text.clone(),
            (empty, value) if empty.is_empty() => value.to_owned(),
            (value, _) => value,
        };
        let cells = [finding.severity.name().to_owned(), finding.check.to_owned(), at, length, value];
        Self { frame: finding.span.map(|span| span.frame), text, severity: finding.severity, cells }
    }

    /// Returns the row as one line of text.
    #[must_use]
    pub fn as_text(&self) -> String {
        let frame = self.frame.map_or_else(String::new, |frame| format!(", frame {frame}"));
        format!("{}{frame}, {}", self.cells.join(", "), self.text)
    }
}

/// The state of a check.
#[derive(Debug, Clone, Copy)]
pub enum FindingsOutcome<'a> {
    /// It is running, and has examined this many percent of the file.
    Running(u32),
    /// The reason why there is no result.
    Refused(&'a str),
    /// The result.
    Found {
        /// Whether the file has passed, with the number of findings.
        verdict: &'a str,
        /// The findings, in order of time.
        rows: &'a [FindingRow],
    },
}

/// The contents of the panel.
#[derive(Debug)]
pub struct FindingsView<'a> {
    /// Names of the profiles.
    pub profiles: Vec<String>,
    /// Index of the chosen profile.
    pub chosen: usize,
    /// The state of the check.
    pub outcome: FindingsOutcome<'a>,
    /// Index of the selected finding.
    pub selected: Option<usize>,
}

/// A request of the panel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FindingsCommand {
    /// Go to the finding at this index.
    GoTo(usize),
    /// Check by the profile at this index.
    Profile(usize),
    /// Save the findings in this format.
    Save(CheckFormat),
}
