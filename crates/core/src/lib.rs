//! What every number of Histoscope means: pictures as they are decoded, histograms, scopes, comparisons and adjustments.
//!
//! Everything here is arithmetic on integers, without FFmpeg, GPU or window. The engines of `histoscope-render` count the same,
//! to the last bin.

pub mod adjust;
pub mod compare;
pub mod histogram;
#[doc(hidden)]
pub mod made;
pub mod picture;
pub mod scopes;
pub mod strip;
pub mod text;
