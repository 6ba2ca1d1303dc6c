//! Counts of a picture, and the key that says what was counted of which picture.

use histoscope_core::scopes::ScopeChoice;

use super::brushes::Brushes;
use super::scene::Counted;

/// One of the pictures that an engine holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Image {
    /// The loaded picture as it was decoded.
    Source,
    /// The loaded picture, adjusted.
    Result,
    /// The comparison as it was decoded.
    Comparison,
    /// The comparison, adjusted.
    AdjustedComparison,
    /// The difference of two of them.
    Difference,
}

/// A count of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "only a few exist, and they are copied")]
pub enum Count {
    /// The pixels that brushes select, and counts of them.
    Selected(Brushes, SelectionChoice),
    /// Scopes.
    Scopes(ScopeChoice),
    /// The luminance of linear light.
    Linear,
    /// The bins of the source or the result.
    Bins(Image),
}

/// A kind of count. There is at most one current count of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountKind {
    /// Selected pixels.
    Selected,
    /// Scopes.
    Scopes,
    /// Linear light.
    Linear,
    /// Bins.
    Bins,
}

impl CountKind {
    /// The number of kinds.
    pub const COUNT: usize = 4;

    /// Returns the name of the pass that makes such a count.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Selected => "brushes",
            Self::Scopes => "count scopes",
            Self::Linear => "linear",
            Self::Bins => "count",
        }
    }
}

impl Count {
    /// Returns its kind.
    #[must_use]
    pub const fn kind(&self) -> CountKind {
        match self {
            Self::Selected(..) => CountKind::Selected,
            Self::Scopes(_) => CountKind::Scopes,
            Self::Linear => CountKind::Linear,
            Self::Bins(_) => CountKind::Bins,
        }
    }
}

/// The counts to make of a selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SelectionChoice {
    /// The bins.
    pub histogram: bool,
    /// The scopes.
    pub scopes: ScopeChoice,
}

/// Identifies a picture to be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PictureKey {
    /// The number of the load.
    pub load_id: u64,
    /// The revision of its adjustments and of the choice of what is counted.
    pub revision: u64,
    /// The pictures that are counted: the source, the adjusted one, or both.
    pub counted: Counted,
}

/// Identifies a count: what is counted of which picture. Equal keys mean equal counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountKey {
    /// The picture.
    pub picture: PictureKey,
    /// The count.
    pub count: Count,
}

impl CountKey {
    /// Returns `true` if the keys differ at most in the load.
    #[must_use]
    pub fn counts_as(&self, other: &Self) -> bool {
        let picture = PictureKey { load_id: other.picture.load_id, ..self.picture };
        Self { picture, ..*self } == *other
    }
}
