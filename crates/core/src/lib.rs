//! The definition of every number in Histoscope: decoded pictures, histograms, scopes, comparisons and adjustments.
//!
//! Everything here is integer arithmetic, without FFmpeg, GPU or window. The engines of `histoscope-render` produce
//! exactly the same counts.

pub mod adjust;
pub mod compare;
pub mod histogram;
#[doc(hidden)]
pub mod made;
pub mod picture;
pub mod scopes;
pub mod strip;
pub mod text;
