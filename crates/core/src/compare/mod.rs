//! Two pictures, or their histograms, against each other: what every number of a comparison means, in integers up to the last
//! division.
//!
//! Pictures whose samples mean the same are compared [sample by sample](planes). Others have only what they look like in
//! common: their [histograms](distance). [`Unlike`] says which of the two it is, and why.

mod distance;
pub mod planes;
pub mod reference;
mod unlike;

pub use distance::Distance;
pub use planes::PlaneDifference;
pub use unlike::Unlike;
