//! Pixels outside the limits of EBU R 103.

use super::stretches::Beyond;
use crate::check::row::{Check, Threshold, limit_in_percent};

/// Pixels outside the limits of EBU R 103.
pub static RANGE: Check = Check {
    name: "range",
    place: 5,
    threshold: Some(Threshold::percent(0.0)),
    has_length: true,
    limit: limit_in_percent,
    start: |rule| Box::new(Beyond::new(rule.share(), "outside EBU R 103", |frame| frame.inspected.outside_r103)),
};
