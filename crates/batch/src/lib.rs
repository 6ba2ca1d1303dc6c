//! Results as files and text, without a window: analyses, reports and snapshots.

pub mod analyze;
pub mod check;
pub mod editors;
pub mod fields;
pub mod figures;
pub mod file;
pub mod region;
pub mod report;
pub mod snapshot;
mod xml;
