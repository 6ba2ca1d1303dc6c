//! The contents of the panel of findings: the result of a check of the file against a profile.

/// Number of columns.
pub const COLUMNS: usize = 5;

/// A finding as the panel lists it.
#[derive(Debug, Clone, PartialEq)]
pub struct FindingRow {
    /// Number of the first frame; `None` if the finding is about the whole file.
    pub frame: Option<u64>,
    /// The finding in words.
    pub text: String,
    /// Its weight.
    pub weight: FindingWeight,
    /// Severity, check, timecode or time of the first frame, length, and value against threshold.
    pub cells: [String; COLUMNS],
}

impl FindingRow {
    /// Returns the row as one line of text.
    #[must_use]
    pub fn as_text(&self) -> String {
        let frame = self.frame.map_or_else(String::new, |frame| format!(", frame {frame}"));
        format!("{}{frame}, {}", self.cells.join(", "), self.text)
    }
}

/// The weight of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingWeight {
    /// The file has not passed.
    Error,
    /// Somebody should look at it.
    Warning,
    /// A fact.
    Info,
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
    /// Extensions of the formats in which findings are saved.
    pub formats: &'static [&'static str],
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
    /// Save the findings in the format at this index.
    Save(usize),
}
