//! What each key does.

use winit::event::KeyEvent;
use winit::keyboard::{Key, ModifiersState, NamedKey};

/// What a key asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Action {
    /// Pause or go on.
    TogglePause,
    /// Seek by seconds; `exact` even while the key is held.
    SeekBy {
        /// Seconds, negative backwards.
        secs: f64,
        /// Whether to land on the exact frame while the key is held, too.
        exact: bool,
    },
    /// Go to the first frame.
    ToStart,
    /// Go to the last frame.
    ToEnd,
    /// Step one frame.
    Step {
        /// Forward or back.
        forward: bool,
    },
    /// Show or hide a channel: 0 red, 1 green, 2 blue, 3 luminance.
    ToggleChannel(usize),
    /// Show or hide all overlays.
    ToggleOverlays,
    /// Count Y', Cb and Cr as coded, or red, green, blue and luminance.
    ToggleComponents,
    /// Show or hide the passes' times.
    ToggleTiming,
    /// Enter or leave full screen.
    ToggleFullscreen,
    /// Leave the program.
    Quit,
}

/// The action of a key press, if it has one.
#[must_use]
pub fn action(event: &KeyEvent, modifiers: ModifiersState) -> Option<Action> {
    of_key(&event.logical_key, modifiers)
}

fn of_key(key: &Key, modifiers: ModifiersState) -> Option<Action> {
    if modifiers.control_key() || modifiers.alt_key() || modifiers.super_key() {
        return None;
    }
    let shift = modifiers.shift_key();
    let arrow = |sign: f64| Action::SeekBy { secs: sign * if shift { 1.0 } else { 5.0 }, exact: shift };
    match key {
        Key::Named(NamedKey::Space) => Some(Action::TogglePause),
        Key::Named(NamedKey::ArrowRight) => Some(arrow(1.0)),
        Key::Named(NamedKey::ArrowLeft) => Some(arrow(-1.0)),
        Key::Named(NamedKey::ArrowUp) => Some(Action::SeekBy { secs: 60.0, exact: false }),
        Key::Named(NamedKey::ArrowDown) => Some(Action::SeekBy { secs: -60.0, exact: false }),
        Key::Named(NamedKey::Home) => Some(Action::ToStart),
        Key::Named(NamedKey::End) => Some(Action::ToEnd),
        Key::Named(NamedKey::Escape) => Some(Action::Quit),
        Key::Character(text) => of_character(text.as_str()),
        _ => None,
    }
}

fn of_character(text: &str) -> Option<Action> {
    match text {
        // Some platforms report Space as a character.
        " " => Some(Action::TogglePause),
        "." => Some(Action::Step { forward: true }),
        "," => Some(Action::Step { forward: false }),
        "r" => Some(Action::ToggleChannel(0)),
        "g" => Some(Action::ToggleChannel(1)),
        "b" => Some(Action::ToggleChannel(2)),
        "l" => Some(Action::ToggleChannel(3)),
        "h" => Some(Action::ToggleOverlays),
        "y" => Some(Action::ToggleComponents),
        "t" => Some(Action::ToggleTiming),
        "f" => Some(Action::ToggleFullscreen),
        "q" => Some(Action::Quit),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_seek_and_shift_makes_them_short_and_exact() {
        let right = Key::Named(NamedKey::ArrowRight);
        let plain = of_key(&right, ModifiersState::empty());
        assert_eq!(plain, Some(Action::SeekBy { secs: 5.0, exact: false }));
        let shifted = of_key(&right, ModifiersState::SHIFT);
        assert_eq!(shifted, Some(Action::SeekBy { secs: 1.0, exact: true }));
    }

    #[test]
    fn keys_with_control_belong_to_the_system() {
        let q = Key::Character("q".into());
        assert_eq!(of_key(&q, ModifiersState::empty()), Some(Action::Quit));
        assert_eq!(of_key(&q, ModifiersState::CONTROL), None);
        assert_eq!(of_key(&Key::Character("j".into()), ModifiersState::empty()), None);
    }
}
