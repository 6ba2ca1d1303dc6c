//! Maps a pressed key to its action in the table of keys.

mod latin;

use super::event::{Key, KeyEvent, Modifiers};
use histoscope_keys::{self as keys, Action, Chord, NamedKey};

/// A pressed key.
struct Press<'a> {
    key: &'a Key,
    /// The key's meaning without modifiers.
    base: &'a Key,
    /// The digit that belongs to the key, and whether it counts as pressed with Shift.
    digit: Option<(char, bool)>,
    modifiers: Modifiers,
}

/// Returns the action of a key, if it has one.
#[must_use]
pub fn action(event: &KeyEvent, modifiers: Modifiers) -> Option<Action> {
    let key = latin::latin(&event.key, event.place, modifiers.shift);
    let base = latin::latin(&event.base, event.place, false);
    let digit = digit_of(&base, event.place, modifiers.shift);
    of_press(&Press { key: &key, base: &base, digit, modifiers })
}

fn of_press(press: &Press<'_>) -> Option<Action> {
    keys::keys().find(|key| matches(&key.chord, press)).map(|key| key.action)
}

/// Returns `true` if a press matches the chord.
fn matches(chord: &Chord, press: &Press<'_>) -> bool {
    let control = press.modifiers.control || press.modifiers.logo;
    let shift = press.modifiers.shift;
    let alt = press.modifiers.alt;
    let wants_control = matches!(
        chord,
        Chord::Control(_) | Chord::ControlShift(_) | Chord::ControlNamed(_) | Chord::ControlShiftNamed(_)
    );
    let wants_alt = matches!(chord, Chord::AltNamed(_) | Chord::AltSymbol(..));
    if control != wants_control || alt != wants_alt {
        return false;
    }
    let typed = |wanted: &str| matches!(press.key, Key::Character(text) if text.to_lowercase() == wanted);
    let base = |wanted: &str| matches!(press.base, Key::Character(text) if text == wanted);
    match chord {
        Chord::Named(NamedKey::Space) => press.key == &Key::Named(NamedKey::Space) || typed(" "),
        Chord::Named(named) | Chord::AltNamed(named) | Chord::ControlNamed(named) => {
            press.key == &Key::Named(*named) && !shift
        }
        Chord::ShiftNamed(named) | Chord::ControlShiftNamed(named) => press.key == &Key::Named(*named) && shift,
        Chord::Letter(letter) => typed(letter) && !shift,
        Chord::ShiftLetter(letter) => typed(letter) && shift,
        Chord::Control(letter) => typed(letter) && !shift,
        Chord::ControlShift(letter) => typed(letter) && shift,
        Chord::Symbol(sign) => typed(sign),
        Chord::Digit(digit) => press.digit == Some((*digit, false)),
        Chord::ShiftDigit(digit) => press.digit == Some((*digit, true)),
        Chord::CharOrUnshifted(sign, below) => typed(sign) || base(below) && !shift,
        Chord::AltSymbol(sign, below) => typed(sign) || base(below),
    }
}

/// Returns the digit of a key, and whether it counts as pressed with Shift. The digit is the one that the key types
/// without modifiers. French, Czech and other keyboards type digits only with Shift, and letters or symbols without;
/// for them, the position in the row of digits decides. If the symbol is itself in the table, such as + and - on the 7
/// and 8 keys of a bépo keyboard, the key acts as the symbol without Shift, and as the plain digit with Shift.
fn digit_of(base: &Key, place: Option<char>, shift: bool) -> Option<(char, bool)> {
    let Key::Character(text) = base else { return None };
    let typed = text.chars().next().filter(|first| first.is_ascii_digit() && text.len() == 1);
    let digit = typed.or_else(|| place.filter(char::is_ascii_digit))?;
    match is_symbol(text) {
        true => shift.then_some((digit, false)),
        false => Some((digit, shift)),
    }
}

/// Returns `true` if the table has a chord for this symbol.
fn is_symbol(text: &str) -> bool {
    keys::keys().any(|key| match &key.chord {
        Chord::Symbol(sign) => *sign == text,
        Chord::CharOrUnshifted(sign, below) | Chord::AltSymbol(sign, below) => *sign == text || *below == text,
        _ => false,
    })
}

#[cfg(test)]
mod tests;
