//! The findings of a check.

use histoscope_core::picture::Timecode;
use histoscope_core::text::counted;

use super::rule::Severity;
use crate::report::times::percent;

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

/// A measured value or a limit with its unit, or nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Quantity {
    /// The number, if there is one.
    pub number: Option<f64>,
    /// The unit; empty if there is none.
    pub unit: &'static str,
    /// Both for people; empty if there is nothing.
    pub text: String,
}

impl Quantity {
    /// No value.
    pub const NONE: Self = Self { number: None, unit: "", text: String::new() };

    /// Returns a number of a unit with this text.
    pub(super) const fn of(number: f64, unit: &'static str, text: String) -> Self {
        Self { number: Some(number), unit, text }
    }

    /// Returns a share in percent.
    pub(super) fn share(share: f64) -> Self {
        Self::of(100.0 * share, "%", percent(share))
    }

    /// Returns a number of things, of which `one` is the name of a single one.
    pub(super) fn count(count: u64, one: &'static str, several: &'static str) -> Self {
        Self::of(count as f64, several, counted(count, one))
    }
}

/// A finding that somebody has waived: it does not fail the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waived {
    /// Why it is none.
    pub reason: String,
    /// Who says so.
    pub name: String,
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
    /// The value that was measured.
    pub value: Quantity,
    /// The frame with that value, if it varies.
    pub worst: Option<FramePoint>,
    /// Its timecode.
    pub worst_timecode: Option<Timecode>,
    /// The threshold that it was compared with.
    pub limit: Quantity,
    /// By whom and why it was waived, if it was.
    pub waived: Option<Waived>,
}
