//! The definition of every number in Histoscope: decoded pictures, histograms, scopes, comparisons and adjustments.
//!
//! Everything here is integer arithmetic, without FFmpeg, GPU or window. The engines of `histoscope-render` produce
//! exactly the same counts.

pub mod adjust;
pub mod compare;
pub mod flash;
pub mod histogram;
pub mod picture;
pub mod scopes;
pub mod sound;
pub mod strip;
#[doc(hidden)]
pub mod test_data;
pub mod text;
pub mod tone_map;
