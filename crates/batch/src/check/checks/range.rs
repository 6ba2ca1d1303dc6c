//! Pixels outside the limits of EBU R 103.

use super::stretches::Beyond;
use crate::check::row::Check;

/// Pixels outside the limits of EBU R 103.
pub static RANGE: Check = Check::of_share("range", 5, |rule| {
    Box::new(Beyond::new(rule.share(), "outside EBU R 103", |frame| frame.inspected.outside_r103))
});
