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

/// A value for each count from which scopes are drawn. A new count is a field here; most code passes on all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PerScope<T> {
    /// The waveforms, for waveform and parade.
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

    /// Pairs each value with that of the same scope in `other`.
    pub fn zip<U>(self, other: PerScope<U>) -> PerScope<(T, U)> {
        PerScope { waveform: (self.waveform, other.waveform), vectorscope: (self.vectorscope, other.vectorscope) }
    }

    /// Returns the values in a fixed order.
    pub fn each(self) -> impl Iterator<Item = T> {
        [self.waveform, self.vectorscope].into_iter()
    }
}

impl ScopeChoice {
    /// Returns `true` if any is counted.
    #[must_use]
    pub fn any(self) -> bool {
        self.each().any(|is_counted| is_counted)
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

impl ScopeCounts {
    /// The counts of each scope that was counted.
    #[must_use]
    pub fn words(&self) -> PerScope<Option<&[u32]>> {
        PerScope {
            waveform: self.waveform.as_ref().map(|waveform| &waveform.counts[..]),
            vectorscope: self.vectorscope.as_ref().map(|scope| &scope.counts[..]),
        }
    }
}
