//! What a profile says of a check.

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The file has not passed.
    Error,
    /// Somebody should look at it.
    Warning,
    /// A fact.
    Info,
    /// The check is not made.
    Off,
}

impl Severity {
    /// All severities.
    pub const ALL: [Self; 4] = [Self::Error, Self::Warning, Self::Info, Self::Off];

    /// Returns the name in profiles and outputs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
            Self::Off => "off",
        }
    }
}

/// The rule for a check.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// The severity of its findings.
    pub severity: Severity,
    /// The value from which frames are a finding, in the unit of the check; 0 for checks without a threshold.
    pub threshold: f64,
    /// By how much values may differ from the threshold, for checks of values that should be equal to it.
    pub tolerance: f64,
    /// The minimum length of a finding in seconds.
    pub shortest_secs: f64,
}

impl Rule {
    /// The rule of a check that is not made.
    pub const OFF: Self = Self { severity: Severity::Off, threshold: 0.0, tolerance: 0.0, shortest_secs: 0.0 };

    /// Returns the threshold as a fraction, for thresholds in decibels.
    pub(super) fn amplitude(&self) -> f64 {
        // Systems disagree about the last digit.
        (10.0_f64.powf(self.threshold / 20.0) * 1e15).round() / 1e15
    }

    /// Returns the threshold as a fraction, for thresholds in percent.
    pub(super) fn share(&self) -> f64 {
        self.threshold / 100.0
    }
}
