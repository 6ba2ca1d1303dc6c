//! The passes of the adjustments: each of what [`histoscope_core::adjust`] defines, on the GPU, to the same codes.
//!
//! [`Chain`] puts them together: from a picture's planes, and the bins that the counting passes left, to an adjusted picture
//! in a buffer ([`WorkingPicture`]), which the counting and drawing passes read as they read any other. Nothing is read
//! back: what a frame's histogram decides is computed by passes of one workgroup or a few from the bins, by way of
//! the prefix sum of [`scan`].

mod blur;
mod chain;
mod clahe;
mod crop;
mod curves;
mod difference;
mod otsu;
mod recolor;
pub mod scan;
mod working;

pub use blur::{BlurJob, BlurParams, BlurPass, BlurPlan};
pub use chain::Chain;
pub use clahe::TileParams;
pub use crop::{CropParams, CropPass};
pub use curves::CurveParams;
pub use difference::{DifferencePass, Operand};
pub use recolor::RecolorParams;
pub use working::WorkingPicture;
