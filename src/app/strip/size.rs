//! How much of the strip is shown.

use serde::{Deserialize, Serialize};

use crate::keys::State;

/// How much of the clip is shown behind the timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StripSize {
    /// A strip as high as the timeline.
    #[default]
    Small,
    /// A tall one.
    Tall,
    /// None, and nothing is counted for it.
    Off,
}

impl StripSize {
    /// The one that its key leads to.
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::Small => Self::Tall,
            Self::Tall => Self::Off,
            Self::Off => Self::Small,
        }
    }

    /// Its name in the menu and in notes.
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
