//! Scopes beside the histogram: what they count, to the last sample, and the scalar reference that says so.
//!
//! All of them are counts of the same codes that the histogram counts, so they add up to it.

pub mod graticule;
mod grid;
pub mod reference;
mod saturation;
mod sums;
mod vectorscope;
mod waveform;

pub use grid::{MOST_LEVEL_BITS, level_bits, samples_in};
pub use saturation::{Saturation, Targets};
pub use sums::{Run, SUM_LEVELS, ScopeSums, VectorscopeSum, WaveformSum};
pub use vectorscope::{Chroma, ColorTarget, Differences, Vectorscope, targets};
pub use waveform::{MOST_COLUMNS, Waveform, column_of};

/// Which scopes are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScopeChoice {
    /// The waveforms.
    pub waveform: bool,
    /// The vectorscope.
    pub vectorscope: bool,
}

impl ScopeChoice {
    /// Whether any is.
    #[must_use]
    pub const fn any(self) -> bool {
        self.waveform || self.vectorscope
    }
}

/// What is counted of the scopes of picture after picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeTally {
    /// Those of each picture.
    Each(ScopeChoice),
    /// What those of all pictures add up to.
    Sum(ScopeChoice),
}

impl Default for ScopeTally {
    fn default() -> Self {
        Self::Each(ScopeChoice::default())
    }
}

impl ScopeTally {
    /// Which scopes that takes.
    #[must_use]
    pub const fn choice(self) -> ScopeChoice {
        match self {
            Self::Each(choice) | Self::Sum(choice) => choice,
        }
    }
}

/// What was counted of a picture for its scopes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScopeCounts {
    /// The waveforms, where they were wanted.
    pub waveform: Option<Waveform>,
    /// The vectorscope, where it was wanted and the picture has colour.
    pub vectorscope: Option<Vectorscope>,
}
