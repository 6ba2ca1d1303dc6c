//! Support for non-Latin keyboards: a key that types no Latin letter acts like the same key on an American keyboard.

use crate::app::input::event::Key;

/// Returns what the key in this position types on an American keyboard if what it types here belongs to a non-Latin
/// script, or else `key` unchanged.
pub fn latin(key: &Key, place: Option<char>, shift: bool) -> Key {
    let Key::Character(text) = key else { return key.clone() };
    let is_foreign = text.chars().any(|c| c.is_alphabetic() && !is_latin(c));
    match place.filter(|_| is_foreign).and_then(|place| american(place, shift)) {
        Some(sign) => Key::Character(sign.to_string()),
        None => key.clone(),
    }
}

/// Returns `true` if a letter belongs to the Latin script, including accented letters.
const fn is_latin(c: char) -> bool {
    matches!(c, '\0'..='\u{24f}' | '\u{1e00}'..='\u{1eff}')
}

/// Returns what the key of a letter or symbol types on an American keyboard. Digits are not included.
const fn american(place: char, shift: bool) -> Option<char> {
    let shifted = match place {
        'a'..='z' => place.to_ascii_uppercase(),
        '[' => '{',
        ']' => '}',
        ',' => '<',
        '.' => '>',
        '/' => '?',
        ';' => ':',
        '\'' => '"',
        '`' => '~',
        '-' => '_',
        '=' => '+',
        _ => return None,
    };
    Some(if shift { shifted } else { place })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::input::event::Modifiers;
    use crate::app::input::keyboard::{Press, of_press};
    use histoscope_keys::{Action, NamedKey, Setting, SpeedChange};

    const NONE: Modifiers = Modifiers::NONE;

    /// Returns the action of a key that types `text`, and `base` without modifiers.
    fn does(text: &str, base: &str, place: char, modifiers: Modifiers) -> Option<Action> {
        let [key, base] = [(text, modifiers.shift), (base, false)]
            .map(|(text, shift)| latin(&Key::Character(text.into()), Some(place), shift));
        of_press(&Press { key: &key, base: &base, digit: None, modifiers })
    }

    #[test]
    fn letters_of_other_scripts_are_mapped_by_position() {
        for (text, place, action) in [
            ("п", 'g', Setting::Green.switch()),
            ("й", 'q', Action::Quit),
            ("κ", 'r', Setting::Red.switch()),
            ("ל", 'l', Setting::Luminance.switch()),
            ("ا", 'h', Setting::Histograms.switch()),
            ("х", '[', Action::Speed(SpeedChange::By(1.0 / histoscope_keys::SPEED_STEP))),
            ("ю", '.', Action::Step { forward: true }),
        ] {
            assert_eq!(does(text, text, place, NONE), Some(action), "{text}");
        }
        assert_eq!(does("М", "м", 'v', Modifiers::SHIFT), Some(Setting::Arrangement.next()));
        assert_eq!(does("Х", "х", '[', Modifiers::SHIFT), Some(Action::Speed(SpeedChange::By(0.5))));
        assert_eq!(does("п", "п", 'g', Modifiers::CONTROL), Some(Action::EnterTime));
    }

    #[test]
    fn latin_letters_and_symbols_are_taken_as_typed() {
        // French: the key in Q's position types an A. Turkish and German letters have no meaning here, wherever they
        // are.
        assert_eq!(does("a", "a", 'q', NONE), Some(Action::Mark));
        for text in ["ı", "ß", "é", "ş", "ẁ"] {
            assert_eq!(does(text, text, 'q', NONE), None, "{text}");
        }
        // Russian: the slash key types a full stop, and a comma with Shift.
        assert_eq!(does(".", ".", '/', NONE), Some(Action::Step { forward: true }));
        assert_eq!(does(",", ".", '/', Modifiers::SHIFT), Some(Action::Step { forward: false }));
    }

    #[test]
    fn other_keys_are_unchanged() {
        let up = Key::Named(NamedKey::Up);
        assert_eq!(latin(&up, Some('q'), false), up);
        let unplaced = Key::Character("п".into());
        assert_eq!(latin(&unplaced, None, false), unplaced);
    }
}
