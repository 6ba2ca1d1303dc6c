//! Results as files and text, without a window: the same media and the same passes.

pub mod analyze;
pub mod figures;
pub mod file;
pub mod graticule;
pub mod jpeg;
pub mod labels;
pub mod region;
pub mod report;
pub mod scopes;
pub mod snapshot;
