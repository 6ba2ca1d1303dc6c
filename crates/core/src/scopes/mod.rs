//! The scopes besides the histogram: definitions of their counts, with a scalar reference implementation.
//!
//! Each scope counts the same codes as the histogram, so its counts add up to the histogram's.

mod chromaticity;
pub mod graticule;
mod grid;
pub mod reference;
mod saturation;
mod sums;
mod vectorscope;
mod waveform;

pub use chromaticity::{Chromaticity, ChromaticityTable, DRAWN_GAMUTS, Diagram, SPECTRUM};
pub use grid::{MAX_LEVEL_BITS, level_bits, samples_in};
pub use saturation::{Saturation, Targets};
pub use sums::{Run, SUM_LEVELS, ScopeSums, VectorscopeSum, WaveformSum};
pub use vectorscope::{Chroma, ColorTarget, Differences, PairComputation, PairLevels, Vectorscope, targets};
pub use waveform::{MAX_COLUMNS, Waveform, column_of};

/// A value for each kind of count that scopes are drawn from. A new kind is added as a field here; most code handles
/// all fields alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PerScope<T> {
    /// The waveforms, from which the waveform and the parade are drawn.
    pub waveform: T,
    /// The vectorscope.
    pub vectorscope: T,
}

/// A choice of scopes.
pub type ScopeChoice = PerScope<bool>;

impl PerScope<&'static str> {
    /// The names of the counts.
    pub const NAMES: Self = Self { waveform: "waveform", vectorscope: "vectorscope" };
}

impl<T> PerScope<T> {
    /// Maps each value with `f`.
    pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> PerScope<U> {
        PerScope { waveform: f(self.waveform), vectorscope: f(self.vectorscope) }
    }

    /// Pairs each value with the value of the same scope in `other`.
    pub fn zip<U>(self, other: PerScope<U>) -> PerScope<(T, U)> {
        PerScope { waveform: (self.waveform, other.waveform), vectorscope: (self.vectorscope, other.vectorscope) }
    }

    /// Returns the values in a fixed order.
    pub fn each(self) -> impl Iterator<Item = T> {
        [self.waveform, self.vectorscope].into_iter()
    }
}

impl ScopeChoice {
    /// Returns `true` if any scope is chosen.
    #[must_use]
    pub fn any(self) -> bool {
        self.each().any(|is_counted| is_counted)
    }
}

/// The scopes to count over a sequence of pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeTally {
    /// Separately for each picture.
    Each(ScopeChoice),
    /// As a sum over all pictures.
    Sum(ScopeChoice),
}

impl Default for ScopeTally {
    fn default() -> Self {
        Self::Each(ScopeChoice::default())
    }
}

impl ScopeTally {
    /// Returns the scopes that must be counted.
    #[must_use]
    pub const fn choice(self) -> ScopeChoice {
        match self {
            Self::Each(choice) | Self::Sum(choice) => choice,
        }
    }
}

/// The scope counts of a picture.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScopeCounts {
    /// The waveforms, if requested.
    pub waveform: Option<Waveform>,
    /// The vectorscope, if requested and the picture has colour.
    pub vectorscope: Option<Vectorscope>,
}

impl ScopeCounts {
    /// Returns the counts of each scope that was counted.
    #[must_use]
    pub fn words(&self) -> PerScope<Option<&[u32]>> {
        PerScope {
            waveform: self.waveform.as_ref().map(|waveform| &waveform.counts[..]),
            vectorscope: self.vectorscope.as_ref().map(|scope| &scope.counts[..]),
        }
    }
}
