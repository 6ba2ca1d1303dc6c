//! Comparison of two pictures or their histograms: the definition of every number, in integers up to the last
//! division.
//!
//! Pictures whose samples have the same meaning are compared [sample by sample](planes), and by the
//! [structure](ssim) of their planes. Others are compared by their [histograms](distance); [`Unlike`] gives the reason.
//! [Small pictures](small) in gray show whether two frames have the same content, whatever their formats. Two pixels
//! are compared by the [difference of their colours](ColorLight).

mod color_light;
mod distance;
pub mod planes;
pub mod reference;
pub mod small;
pub mod ssim;
mod unlike;

pub use color_light::ColorLight;
pub use distance::Distance;
pub use planes::PlaneDifference;
pub use small::SmallPicture;
pub use ssim::Ssim;
pub use unlike::Unlike;
