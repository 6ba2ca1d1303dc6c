//! The checks. Each is a row with its name, what a profile may say of it, and the finder that looks for it. A new check is
//! a row, in a file of its own or beside its like, listed in [`ALL`]; the profiles in `profiles` state it.

mod bars;
mod cadence;
pub mod clip;
mod damage;
mod exposure;
mod gaps;
mod levels;
pub mod range;
mod stretches;
mod tags;

use super::finding::{FramePoint, Span};
use super::rule::Rule;
use crate::analyze::pipeline::CountedFrame;
use crate::report::gather::Gathered;
use crate::report::times::percent;

/// All checks, in the order in which they are listed.
pub static ALL: [&Check; 14] = [
    &clip::BLACK,
    &clip::FROZEN,
    &clip::FLASH,
    &exposure::EXPOSURE,
    &clip::CLIPPED,
    &range::RANGE,
    &levels::PEAK,
    &levels::BLACK_LEVEL,
    &bars::BARS,
    &cadence::CADENCE,
    &damage::DAMAGED,
    &gaps::GAPS,
    &clip::TIMECODE,
    &tags::TAGS,
];

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
    /// Returns the text of the limit with which values are compared; empty if there is none.
    pub limit: fn(&Rule) -> String,
    /// Starts looking in a file.
    pub start: fn(&Rule) -> Box<dyn Finder>,
}

/// A threshold that a check has: its unit, and the values that make sense.
pub struct Threshold {
    /// The unit.
    pub unit: &'static str,
    /// The lowest value.
    pub low: f64,
    /// The highest value.
    pub high: f64,
}

impl Threshold {
    const fn new(unit: &'static str, low: f64, high: f64) -> Option<Self> {
        Some(Self { unit, low, high })
    }

    /// A threshold from `low` to 100 percent.
    const fn percent(low: f64) -> Option<Self> {
        Self::new("percent", low, 100.0)
    }
}

fn limit_in_percent(rule: &Rule) -> String {
    percent(rule.share())
}

fn limit_in_secs(rule: &Rule) -> String {
    format!("{} s", rule.shortest_secs)
}

const fn no_limit(_: &Rule) -> String {
    String::new()
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
    /// The value with its unit; empty if there is none.
    pub value: String,
    /// The frame with the value, if it varies.
    pub worst: Option<FramePoint>,
    /// `true` if it may be shorter than the rule says.
    pub may_be_short: bool,
}

impl Found {
    fn in_file(text: String) -> Self {
        Self { text, ..Self::default() }
    }

    fn new(span: Span, text: String, value: String) -> Self {
        Self { span: Some(span), text, value, ..Self::default() }
    }
}
