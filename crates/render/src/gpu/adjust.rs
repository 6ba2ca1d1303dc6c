//! The passes of the adjustments: each adjustment that [`histoscope_core::adjust`] defines, on the GPU, with identical
//! results.
//!
//! [`Chain`] combines them. From a picture's planes, and the bins of the counting passes, it makes an adjusted picture
//! in a buffer ([`WorkingPicture`]), which the counting and drawing passes read like any other. Nothing is read back:
//! everything that depends on a frame's histogram is computed from the bins by passes of one or a few workgroups, using
//! the prefix sum of [`scan`](super::scan).

mod blur;
mod chain;
mod clahe;
mod crop;
mod curves;
mod difference;
mod lut;
mod otsu;
mod recolor;
mod working;

pub use blur::{BlurJob, BlurParams, BlurPass, BlurPlan};
pub use chain::Chain;
pub use clahe::TileParams;
pub use crop::{CropParams, CropPass};
pub use curves::CurveParams;
pub use difference::{DifferencePass, Operand};
pub use recolor::RecolorParams;
pub use working::WorkingPicture;
