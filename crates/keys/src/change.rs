//! A change of a setting, and what it does to values.

use serde::{Deserialize, Serialize};

/// A change of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// Turn it on or off.
    Switch,
    /// Go to the next of its values.
    Next,
    /// Go one step up or down.
    Step {
        /// `true` for up.
        more: bool,
    },
    /// Go to the value at this place in the list of its values.
    To(usize),
}

impl Change {
    /// Turns a switch on or off. Returns `None` if this is another kind of change.
    pub fn switch(self, is_on: &mut bool) -> Option<()> {
        (self == Self::Switch).then(|| *is_on = !*is_on)
    }

    /// Goes to another of these values. Returns `None` if this is another kind of change.
    pub fn choose<T: Copy + PartialEq>(self, value: &mut T, all: &[T]) -> Option<()> {
        *value = match self {
            Self::Next => next_of(all, *value),
            Self::To(place) => *all.get(place)?,
            Self::Switch | Self::Step { .. } => return None,
        };
        Some(())
    }

    /// Returns `true` for a step up, and `None` if this is no step.
    pub const fn more(self) -> Option<bool> {
        if let Self::Step { more } = self { Some(more) } else { None }
    }

    /// Moves a value by one step, to a multiple of the step, within its limits.
    pub fn step(self, value: &mut f32, step: f32, (least, most): (f32, f32)) -> Option<()> {
        let steps = (*value / step).round() + if self.more()? { 1.0 } else { -1.0 };
        *value = (steps * step).clamp(least, most);
        Some(())
    }
}

/// Returns the element after `current`, wrapping around at the end.
pub fn next_of<T: Copy + PartialEq>(all: &[T], current: T) -> T {
    let at = all.iter().position(|&one| one == current).map_or(0, |at| at + 1);
    all.get(at).or(all.first()).copied().unwrap_or(current)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_stay_on_multiples_and_within_limits() {
        let stepped = |mut value: f32, more, limits| {
            assert_eq!(Change::Step { more }.step(&mut value, 0.05, limits), Some(()));
            value
        };
        assert!((stepped(0.25, true, (0.1, 0.7)) - 0.3).abs() < 1e-6);
        assert!((stepped(0.7, true, (0.1, 0.7)) - 0.7).abs() < 1e-6);
        assert!((stepped(0.1, false, (0.1, 0.7)) - 0.1).abs() < 1e-6);
        let height = (0..5).fold(0.25, |height, _| stepped(height, true, (0.1, 0.7)));
        assert!((height - 0.5).abs() < 1e-6, "{height} after five steps");
    }
}
