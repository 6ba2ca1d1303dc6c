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

/// A value for each count that scopes are drawn from. Another count is a field here; most code passes all of them through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PerScope<T> {
    /// The waveforms, for waveform and parade.
    pub waveform: T,
    /// The vectorscope.
    pub vectorscope: T,
}

/// Which scopes are counted.
pub type ScopeChoice = PerScope<bool>;

impl PerScope<&'static str> {
    /// The names of the counts.
    pub const NAMES: Self = Self { waveform: "waveform", vectorscope: "vectorscope" };
}

impl<T> PerScope<T> {
    /// Returns what `f` makes of each value.
    pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> PerScope<U> {
        PerScope { waveform: f(self.waveform), vectorscope: f(self.vectorscope) }
    }

    /// Returns each value with that of the same scope in `other`.
    pub fn zip<U>(self, other: PerScope<U>) -> PerScope<(T, U)> {
        PerScope { waveform: (self.waveform, other.waveform), vectorscope: (self.vectorscope, other.vectorscope) }
    }

    /// The values in a fixed order.
    pub fn each(self) -> impl Iterator<Item = T> {
        [self.waveform, self.vectorscope].into_iter()
    }
}

impl ScopeChoice {
    /// Whether any is counted.
    #[must_use]
    pub fn any(self) -> bool {
        self.each().any(|is_counted| is_counted)
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
