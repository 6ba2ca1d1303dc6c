//! Keyboards of other scripts: a key that types no Latin letter stands for what it types on an American keyboard.

use winit::keyboard::{Key, KeyCode, PhysicalKey};

/// What the key types on an American keyboard, if what it types here belongs to another script; else what it types here.
pub fn latin(key: &Key, physical: PhysicalKey, shift: bool) -> Key {
    let Key::Character(text) = key else { return key.clone() };
    let is_foreign = text.chars().any(|c| c.is_alphabetic() && !is_latin(c));
    match american(physical, shift).filter(|_| is_foreign) {
        Some(sign) => Key::Character(sign.into()),
        None => key.clone(),
    }
}

/// Whether a letter is of the Latin script, accents included.
const fn is_latin(c: char) -> bool {
    matches!(c, '\0'..='\u{24f}' | '\u{1e00}'..='\u{1eff}')
}

/// What a key types on an American keyboard.
fn american(physical: PhysicalKey, shift: bool) -> Option<&'static str> {
    let PhysicalKey::Code(code) = physical else { return None };
    let (plain, shifted) = match code {
        KeyCode::KeyA => ("a", "A"),
        KeyCode::KeyB => ("b", "B"),
        KeyCode::KeyC => ("c", "C"),
        KeyCode::KeyD => ("d", "D"),
        KeyCode::KeyE => ("e", "E"),
        KeyCode::KeyF => ("f", "F"),
        KeyCode::KeyG => ("g", "G"),
        KeyCode::KeyH => ("h", "H"),
        KeyCode::KeyI => ("i", "I"),
        KeyCode::KeyJ => ("j", "J"),
        KeyCode::KeyK => ("k", "K"),
        KeyCode::KeyL => ("l", "L"),
        KeyCode::KeyM => ("m", "M"),
        KeyCode::KeyN => ("n", "N"),
        KeyCode::KeyO => ("o", "O"),
        KeyCode::KeyP => ("p", "P"),
        KeyCode::KeyQ => ("q", "Q"),
        KeyCode::KeyR => ("r", "R"),
        KeyCode::KeyS => ("s", "S"),
        KeyCode::KeyT => ("t", "T"),
        KeyCode::KeyU => ("u", "U"),
        KeyCode::KeyV => ("v", "V"),
        KeyCode::KeyW => ("w", "W"),
        KeyCode::KeyX => ("x", "X"),
        KeyCode::KeyY => ("y", "Y"),
        KeyCode::KeyZ => ("z", "Z"),
        KeyCode::BracketLeft => ("[", "{"),
        KeyCode::BracketRight => ("]", "}"),
        KeyCode::Comma => (",", "<"),
        KeyCode::Period => (".", ">"),
        KeyCode::Slash => ("/", "?"),
        KeyCode::Semicolon => (";", ":"),
        KeyCode::Quote => ("'", "\""),
        KeyCode::Backquote => ("`", "~"),
        KeyCode::Minus => ("-", "_"),
        KeyCode::Equal => ("=", "+"),
        _ => return None,
    };
    Some(if shift { shifted } else { plain })
}

/// The digit at a key's place in the row of digits.
pub const fn place_of_digit(physical: PhysicalKey) -> Option<char> {
    let PhysicalKey::Code(code) = physical else { return None };
    let digit = match code {
        KeyCode::Digit1 => '1',
        KeyCode::Digit2 => '2',
        KeyCode::Digit3 => '3',
        KeyCode::Digit4 => '4',
        KeyCode::Digit5 => '5',
        KeyCode::Digit6 => '6',
        KeyCode::Digit7 => '7',
        KeyCode::Digit8 => '8',
        KeyCode::Digit9 => '9',
        KeyCode::Digit0 => '0',
        _ => return None,
    };
    Some(digit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::keyboard::{Press, of_press};
    use crate::keys::{Action, SpeedChange};
    use winit::keyboard::ModifiersState;

    const NONE: ModifiersState = ModifiersState::empty();

    /// What a key does that types `text`, and `base` where nothing is held with it.
    fn does(text: &str, base: &str, code: KeyCode, modifiers: ModifiersState) -> Option<Action> {
        let [key, base] = [(text, modifiers.shift_key()), (base, false)]
            .map(|(text, shift)| latin(&Key::Character(text.into()), PhysicalKey::Code(code), shift));
        of_press(&Press { key: &key, base: &base, digit: None, modifiers })
    }

    #[test]
    fn letters_of_other_scripts_are_taken_by_their_place() {
        for (text, code, action) in [
            ("п", KeyCode::KeyG, Action::ToggleChannel(1)),
            ("й", KeyCode::KeyQ, Action::Quit),
            ("κ", KeyCode::KeyR, Action::ToggleChannel(0)),
            ("ל", KeyCode::KeyL, Action::ToggleChannel(3)),
            ("ا", KeyCode::KeyH, Action::ToggleOverlays),
            ("х", KeyCode::BracketLeft, Action::Speed(SpeedChange::By(1.0 / crate::keys::SPEED_STEP))),
            ("ю", KeyCode::Period, Action::Step { forward: true }),
        ] {
            assert_eq!(does(text, text, code, NONE), Some(action), "{text}");
        }
        assert_eq!(does("М", "м", KeyCode::KeyV, ModifiersState::SHIFT), Some(Action::NextArrangement));
        assert_eq!(
            does("Х", "х", KeyCode::BracketLeft, ModifiersState::SHIFT),
            Some(Action::Speed(SpeedChange::By(0.5)))
        );
        assert_eq!(does("п", "п", KeyCode::KeyG, ModifiersState::CONTROL), Some(Action::EnterTime));
    }

    #[test]
    fn what_types_a_latin_letter_or_a_sign_is_taken_as_typed() {
        // French: the key at Q's place types an A. Turkish and German letters have no meaning here, wherever they are.
        assert_eq!(does("a", "a", KeyCode::KeyQ, NONE), Some(Action::Mark));
        for text in ["ı", "ß", "é", "ş", "ẁ"] {
            assert_eq!(does(text, text, KeyCode::KeyQ, NONE), None, "{text}");
        }
        // Russian: the key of the slash types a full stop, and a comma with Shift.
        assert_eq!(does(".", ".", KeyCode::Slash, NONE), Some(Action::Step { forward: true }));
        assert_eq!(does(",", ".", KeyCode::Slash, ModifiersState::SHIFT), Some(Action::Step { forward: false }));
    }

    #[test]
    fn other_keys_stay_what_they_are() {
        let up = Key::Named(winit::keyboard::NamedKey::ArrowUp);
        assert_eq!(latin(&up, PhysicalKey::Code(KeyCode::KeyQ), false), up);
        let unplaced = Key::Character("п".into());
        assert_eq!(latin(&unplaced, PhysicalKey::Code(KeyCode::IntlRo), false), unplaced);
    }
}
