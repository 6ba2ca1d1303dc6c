//! The findings of a check.

use histoscope_core::picture::Timecode;

use super::rule::Severity;

/// The frames of a finding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// Number of the first frame.
    pub frame: u64,
    /// Number of the last frame.
    pub last: u64,
    /// Time at which the first frame begins, in seconds.
    pub start_secs: f64,
    /// Time at which the frame after the last one begins, in seconds.
    pub end_secs: f64,
}

impl Span {
    /// Returns the number of frames.
    #[must_use]
    pub const fn frames(&self) -> u64 {
        self.last - self.frame + 1
    }
}

/// A frame with its time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FramePoint {
    /// Number of the frame.
    pub frame: u64,
    /// Time at which it begins, in seconds.
    pub time_secs: f64,
}

/// A finding of a check.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckFinding {
    /// The name of the check.
    pub check: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// The frames, or `None` if the finding is about the whole file.
    pub span: Option<Span>,
    /// The timecodes of the first and last frame.
    pub timecodes: [Option<Timecode>; 2],
    /// The finding in words.
    pub text: String,
    /// The value that was measured, with its unit; empty if there is none.
    pub value: String,
    /// The frame with that value, if it varies.
    pub worst: Option<FramePoint>,
    /// The threshold that it was compared with; empty if there is none.
    pub limit: String,
}
