//! The size of the strip on screen.

use serde::{Deserialize, Serialize};

use crate::keys::State;

/// The size of the strip behind the timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StripSize {
    /// A strip as high as the timeline.
    #[default]
    Small,
    /// A tall strip.
    Tall,
    /// No strip, and nothing is counted for it.
    Off,
}

impl StripSize {
    /// Returns the size that the key switches to next.
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::Small => Self::Tall,
            Self::Tall => Self::Off,
            Self::Off => Self::Small,
        }
    }

    /// Returns the name used in the menu and in notes.
    #[must_use]
    pub fn state(self) -> State {
        State::Is(
            match self {
                Self::Small => "small",
                Self::Tall => "tall",
                Self::Off => "off",
            }
            .to_owned(),
        )
    }
}
