//! Names of actions, and the phrases formed from them.

/// The name of an action as used in the menu, in notes and for undo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    /// The name of something that can be turned on or off.
    Switch(&'static str),
    /// The name of something with several possible values.
    Choice(&'static str),
    /// The name of a one-time command.
    Command(&'static str),
}

/// The state of the setting that an action changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// Off.
    Off,
    /// On.
    On,
    /// On, with this value.
    Is(String),
}

impl From<bool> for State {
    fn from(is_on: bool) -> Self {
        if is_on { Self::On } else { Self::Off }
    }
}

impl Label {
    /// Returns the name itself.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Switch(name) | Self::Choice(name) | Self::Command(name) => name,
        }
    }

    /// Returns the menu line that describes what the action would do in this state.
    #[must_use]
    pub fn offer(self, state: &State) -> String {
        match (self, state) {
            (Self::Switch(name), State::Off) => format!("Show {name}"),
            (Self::Switch(name), State::On | State::Is(_)) => format!("Hide {name}"),
            (Self::Choice(name), State::Is(value)) => format!("Change {name} (now: {value})"),
            (Self::Choice(name), State::Off) => format!("Change {name} (now: off)"),
            (Self::Choice(name), State::On) | (Self::Command(name), _) => capitalized(name),
        }
    }

    /// Returns the menu line for one of the possible values.
    #[must_use]
    pub fn value(self, state: &State) -> String {
        capitalized(&self.note(state))
    }

    /// Returns the text shown in a note for this state, and by undo for a change to this state.
    #[must_use]
    pub fn note(self, state: &State) -> String {
        let name = self.name();
        match state {
            State::Off => format!("{name} off"),
            State::On => format!("{name} on"),
            State::Is(value) => format!("{name}: {value}"),
        }
    }
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn menu_and_note_texts_are_formed_from_the_name() {
        let is = |value: &str| State::Is(value.to_owned());
        let (zebra, fit) = (Label::Switch("zebra"), Label::Choice("fit"));
        let states = [State::Off, State::On, is("95 % and above")];
        assert_eq!(states.each_ref().map(|state| zebra.offer(state)), ["Show zebra", "Hide zebra", "Hide zebra"]);
        assert_eq!(states.map(|state| zebra.note(&state)), ["zebra off", "zebra on", "zebra: 95 % and above"]);
        assert_eq!(fit.offer(&is("cover")), "Change fit (now: cover)");
        assert_eq!(fit.value(&is("1:1")), "Fit: 1:1");
        assert_eq!(Label::Command("open a file …").offer(&State::Off), "Open a file …");
    }
}
