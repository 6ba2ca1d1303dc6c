//! Comparison of two pictures or their histograms: the definition of every number, in integers up to the last
//! division.
//!
//! Pictures whose samples have the same meaning are compared [sample by sample](planes). Others are compared by their
//! [histograms](distance); [`Unlike`] gives the reason.

mod distance;
pub mod planes;
pub mod reference;
mod unlike;

pub use distance::Distance;
pub use planes::PlaneDifference;
pub use unlike::Unlike;
