//! The scopes besides the histogram: definitions of their counts, with a scalar reference implementation.
//!
//! Each scope counts the same codes as the histogram, so its counts add up to the histogram's.

use std::ops::Index;

mod chromaticity;
mod diagram;
pub mod graticule;
mod grid;
pub mod reference;
mod saturation;
mod sums;
mod vectorscope;
mod waveform;

pub use chromaticity::{Chromaticity, ChromaticityTable, DRAWN_GAMUTS, SPECTRUM};
pub use diagram::{Axis, Diagram};
pub use grid::{MAX_LEVEL_BITS, level_bits, samples_in};
pub use saturation::{Saturation, Targets};
pub use sums::{Run, SUM_LEVELS, ScopeSums, VectorscopeSum, WaveformSum};
pub use vectorscope::{Chroma, ColorTarget, Differences, PairComputation, PairLevels, Vectorscope, targets};
pub use waveform::{MAX_COLUMNS, Waveform, column_of};

/// A count that scopes are drawn from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The waveforms, from which the waveform and the parade are drawn.
    Waveform,
    /// The vectorscope.
    Vectorscope,
}

impl Scope {
    /// Every count.
    pub const ALL: [Self; 2] = [Self::Waveform, Self::Vectorscope];

    /// Returns its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Waveform => "waveform",
            Self::Vectorscope => "vectorscope",
        }
    }
}

/// A value for each of the counts that scopes are drawn from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PerScope<T>([T; Scope::ALL.len()]);

/// A choice of scopes.
pub type ScopeChoice = PerScope<bool>;

impl<T> Index<Scope> for PerScope<T> {
    type Output = T;

    fn index(&self, scope: Scope) -> &T {
        &self.0[scope as usize]
    }
}

impl<T> PerScope<T> {
    /// Creates the values with `value`.
    pub fn from_fn(value: impl FnMut(Scope) -> T) -> Self {
        Self(Scope::ALL.map(value))
    }

    /// Maps each value with `f`.
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> PerScope<U> {
        PerScope(self.0.map(f))
    }

    /// Pairs each value with the value of the same scope in `other`.
    pub fn zip<U>(self, other: PerScope<U>) -> PerScope<(T, U)> {
        let ([waveform, vectorscope], [other_waveform, other_vectorscope]) = (self.0, other.0);
        PerScope([(waveform, other_waveform), (vectorscope, other_vectorscope)])
    }

    /// Returns references to the values.
    pub fn as_ref(&self) -> PerScope<&T> {
        PerScope(self.0.each_ref())
    }

    /// Returns mutable references to the values.
    pub fn as_mut(&mut self) -> PerScope<&mut T> {
        PerScope(self.0.each_mut())
    }

    /// Returns the values in the order of [`Scope::ALL`].
    pub fn each(self) -> impl Iterator<Item = T> {
        self.0.into_iter()
    }
}

impl ScopeChoice {
    /// No scope.
    pub const NONE: Self = Self([false; Scope::ALL.len()]);
    /// Every scope.
    pub const EVERY: Self = Self([true; Scope::ALL.len()]);

    /// Chooses one scope.
    #[must_use]
    pub const fn only(scope: Scope) -> Self {
        let mut choice = Self::NONE;
        choice.0[scope as usize] = true;
        choice
    }

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
    /// Returns the only one of these counts with its words.
    #[must_use]
    pub fn with_words(self, words: Vec<u32>) -> Self {
        match self {
            Self { waveform: Some(waveform), .. } => {
                Self { waveform: Some(Waveform { counts: words, ..waveform }), ..Self::default() }
            }
            Self { vectorscope: Some(scope), .. } => {
                Self { vectorscope: Some(Vectorscope { counts: words, ..scope }), ..Self::default() }
            }
            none => none,
        }
    }

    /// Returns these counts and, for scopes that are not among them, those of `other`.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self { waveform: self.waveform.or(other.waveform), vectorscope: self.vectorscope.or(other.vectorscope) }
    }

    /// Returns the counts of each scope that was counted.
    #[must_use]
    pub fn words(&self) -> PerScope<Option<&[u32]>> {
        PerScope::from_fn(|scope| match scope {
            Scope::Waveform => self.waveform.as_ref().map(|waveform| &waveform.counts[..]),
            Scope::Vectorscope => self.vectorscope.as_ref().map(|scope| &scope.counts[..]),
        })
    }
}
