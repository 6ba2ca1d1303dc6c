//! A check as a row: its name, what a profile may say of it, and the finder that looks for it.

use super::finding::{FramePoint, Quantity, Span};
use super::rule::Rule;
use crate::analyze::pipeline::CountedFrame;
use crate::report::gather::Gathered;

/// A check.
pub struct Check {
    /// The name in profiles and outputs.
    pub name: &'static str,
    /// The order of findings that begin at the same time.
    pub place: u32,
    /// The thresholds that make sense, if the check has one.
    pub threshold: Option<Threshold>,
    /// `true` if a shortest length may be stated.
    pub has_length: bool,
    /// Returns the limit with which values are compared, if there is one.
    pub limit: fn(&Rule) -> Quantity,
    /// Starts looking in a file.
    pub start: fn(&Rule) -> Box<dyn Finder>,
}

impl Check {
    /// A check of stretches of frames with more than a share of something, which a profile states in percent.
    pub const fn of_share(name: &'static str, place: u32, start: fn(&Rule) -> Box<dyn Finder>) -> Self {
        Self { name, place, threshold: Some(Threshold::percent(0.0)), has_length: true, limit: limit_in_percent, start }
    }

    /// A check of stretches of frames, of which a profile states only the shortest length.
    pub const fn of_length(name: &'static str, place: u32, start: fn(&Rule) -> Box<dyn Finder>) -> Self {
        Self { name, place, threshold: None, has_length: true, limit: limit_in_secs, start }
    }
}

/// A threshold that a check has: its unit, and the values that make sense.
pub struct Threshold {
    /// The unit.
    pub unit: &'static str,
    /// The lowest value.
    pub low: f64,
    /// The highest value.
    pub high: f64,
    /// The value if a profile states none, if it may.
    pub usual: Option<f64>,
    /// The word that stands for less than any value, if there is one.
    pub lowest: Option<&'static str>,
    /// The words that a profile may state instead of numbers, if the check is not about numbers: they stand for 0, 1 and
    /// so on.
    pub words: &'static [&'static str],
    /// `true` if values should be equal to the threshold, with a tolerance.
    pub has_tolerance: bool,
}

impl Threshold {
    pub const fn new(unit: &'static str, low: f64, high: f64) -> Self {
        Self { unit, low, high, usual: None, lowest: None, words: &[], has_tolerance: false }
    }

    /// A threshold from `low` to 100 percent.
    pub const fn percent(low: f64) -> Self {
        Self::new("percent", low, 100.0)
    }

    /// Adds the value if a profile states none, and the word that stands for less than any value.
    pub const fn with(self, usual: f64, lowest: &'static str) -> Self {
        Self { usual: Some(usual), lowest: Some(lowest), ..self }
    }

    /// Adds the value if a profile states none.
    pub const fn usually(self, usual: f64) -> Self {
        Self { usual: Some(usual), ..self }
    }

    /// Values should be equal to the threshold, with a tolerance.
    pub const fn with_tolerance(self) -> Self {
        Self { has_tolerance: true, ..self }
    }

    /// One of several words.
    pub const fn one_of(words: &'static [&'static str]) -> Self {
        Self { words, ..Self::new("", 0.0, 0.0) }
    }

    /// Returns the key by which profiles state it.
    pub const fn key(&self) -> &'static str {
        if self.words.is_empty() { "threshold" } else { "expected" }
    }

    /// Returns the values that make sense, in words.
    pub fn range(&self) -> String {
        if !self.words.is_empty() {
            return format!("one of \"{}\"", self.words.join("\", \""));
        }
        let lowest = self.lowest.map_or_else(String::new, |word| format!(", or \"{word}\""));
        format!("a number of {} from {} to {}{lowest}", self.unit, self.low, self.high)
    }
}

pub fn limit_in_percent(rule: &Rule) -> Quantity {
    Quantity::share(rule.share())
}

pub fn limit_in_secs(rule: &Rule) -> Quantity {
    Quantity::of(rule.shortest_secs, "s", format!("{} s", rule.shortest_secs))
}

pub const fn no_limit(_: &Rule) -> Quantity {
    Quantity::NONE
}

/// Looks for what a check reports.
pub trait Finder {
    /// Takes the next frame.
    fn add(&mut self, _here: Span, _frame: &CountedFrame) {}

    /// Ends the file and returns what was found.
    fn finish(self: Box<Self>, file: &CountedFile<'_>) -> Vec<Found>;
}

/// A file that was counted to its end.
pub struct CountedFile<'a> {
    /// What was counted.
    pub counted: &'a Gathered,
    /// All frames.
    pub all: Span,
}

/// What a check has found: a finding, if the profile's rule allows it.
#[derive(Debug, Default)]
pub struct Found {
    /// The frames, or `None` for the whole file.
    pub span: Option<Span>,
    /// The finding in words.
    pub text: String,
    /// The value.
    pub value: Quantity,
    /// The frame with the value, if it varies.
    pub worst: Option<FramePoint>,
    /// `true` if it may be shorter than the rule says.
    pub may_be_short: bool,
}

impl Found {
    pub fn in_file(text: String) -> Self {
        Self { text, ..Self::default() }
    }

    pub fn new(span: Span, text: String, value: Quantity) -> Self {
        Self { span: Some(span), text, value, ..Self::default() }
    }
}
