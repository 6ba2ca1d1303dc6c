//! Scopes beside the histogram: exactly what they count, with a scalar reference.
//!
//! All of them count the same codes as the histogram, so they add up to it.

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

/// A choice of scopes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScopeChoice {
    /// The waveforms.
    pub waveform: bool,
    /// The vectorscope.
    pub vectorscope: bool,
}

impl ScopeChoice {
    /// Returns `true` if any scope is chosen.
    #[must_use]
    pub const fn any(self) -> bool {
        self.waveform || self.vectorscope
    }
}

/// Scopes to count over a sequence of pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeTally {
    /// Separately for each picture.
    Each(ScopeChoice),
    /// Added up over all pictures.
    Sum(ScopeChoice),
}

impl Default for ScopeTally {
    fn default() -> Self {
        Self::Each(ScopeChoice::default())
    }
}

impl ScopeTally {
    /// The scopes that must be counted for it.
    #[must_use]
    pub const fn choice(self) -> ScopeChoice {
        match self {
            Self::Each(choice) | Self::Sum(choice) => choice,
        }
    }
}

/// The scopes counted of a picture.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScopeCounts {
    /// The waveforms, if they were wanted.
    pub waveform: Option<Waveform>,
    /// The vectorscope, if it was wanted and the picture has colour.
    pub vectorscope: Option<Vectorscope>,
}
