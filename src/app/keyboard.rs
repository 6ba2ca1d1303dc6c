//! From a key that was pressed to its action in the table of keys.

mod latin;

use winit::event::KeyEvent;
use winit::keyboard::{Key, ModifiersState, NamedKey, PhysicalKey};

use crate::keys::{self, Action, Chord};

/// A key as it was pressed.
struct Press<'a> {
    key: &'a Key,
    /// What the key types where no other key is held with it.
    base: &'a Key,
    /// The digit that the key is the key of, and whether it is meant with Shift.
    digit: Option<(char, bool)>,
    modifiers: ModifiersState,
}

/// The action of a key, if it has one.
#[must_use]
pub fn action(event: &KeyEvent, modifiers: ModifiersState) -> Option<Action> {
    let key = latin::latin(&event.logical_key, event.physical_key, modifiers.shift_key());
    let base = latin::latin(&without_modifiers(event), event.physical_key, false);
    let digit = digit_of(&base, event.physical_key, modifiers.shift_key());
    of_press(&Press { key: &key, base: &base, digit, modifiers })
}

fn of_press(press: &Press<'_>) -> Option<Action> {
    keys::keys().find(|key| matches(&key.chord, press)).map(|key| key.action)
}

#[cfg(any(windows, target_os = "macos", target_os = "linux"))]
fn without_modifiers(event: &KeyEvent) -> Key {
    winit::platform::modifier_supplement::KeyEventExtModifierSupplement::key_without_modifiers(event)
}

#[cfg(not(any(windows, target_os = "macos", target_os = "linux")))]
fn without_modifiers(event: &KeyEvent) -> Key {
    event.logical_key.clone()
}

/// Whether the chord is what was pressed.
fn matches(chord: &Chord, press: &Press<'_>) -> bool {
    let control = press.modifiers.control_key() || press.modifiers.super_key();
    let shift = press.modifiers.shift_key();
    let alt = press.modifiers.alt_key();
    let wants_control = matches!(
        chord,
        Chord::Control(_) | Chord::ControlShift(_) | Chord::ControlNamed(_) | Chord::ControlShiftNamed(_)
    );
    let wants_alt = matches!(chord, Chord::AltNamed(_) | Chord::AltSign(..));
    if control != wants_control || alt != wants_alt {
        return false;
    }
    let typed = |wanted: &str| matches!(press.key, Key::Character(text) if text.to_lowercase() == wanted);
    let base = |wanted: &str| matches!(press.base, Key::Character(text) if text == wanted);
    match chord {
        Chord::Named(keys::NamedKey::Space) => press.key == &Key::Named(NamedKey::Space) || typed(" "),
        Chord::Named(named) | Chord::AltNamed(named) | Chord::ControlNamed(named) => {
            press.key == &Key::Named(of_winit(*named)) && !shift
        }
        Chord::ShiftNamed(named) | Chord::ControlShiftNamed(named) => {
            press.key == &Key::Named(of_winit(*named)) && shift
        }
        Chord::Letter(letter) => typed(letter) && !shift,
        Chord::ShiftLetter(letter) => typed(letter) && shift,
        Chord::Control(letter) => typed(letter) && !shift,
        Chord::ControlShift(letter) => typed(letter) && shift,
        Chord::Sign(sign) => typed(sign),
        Chord::Digit(digit) => press.digit == Some((*digit, false)),
        Chord::ShiftDigit(digit) => press.digit == Some((*digit, true)),
        Chord::SignOver(sign, below) => typed(sign) || base(below) && !shift,
        Chord::AltSign(sign, below) => typed(sign) || base(below),
    }
}

/// The digit of a key, and whether it is meant with Shift. The digit is the one that the key types where no other key is held with
/// it. French, Czech and other keyboards type digits with Shift only, and letters or signs without: there the place in the row of digits
/// decides. Where that sign is one of the table, as + and - above 7 and 8 on a bépo keyboard, the key does what the sign says, and
/// with Shift, which types the digit, what the digit does alone.
fn digit_of(base: &Key, physical: PhysicalKey, shift: bool) -> Option<(char, bool)> {
    let Key::Character(text) = base else { return None };
    let typed = text.chars().next().filter(|first| first.is_ascii_digit() && text.len() == 1);
    let digit = typed.or_else(|| latin::place_of_digit(physical))?;
    match is_sign(text) {
        true => shift.then_some((digit, false)),
        false => Some((digit, shift)),
    }
}

/// Whether the table has a key that is known by this sign.
fn is_sign(text: &str) -> bool {
    keys::keys().any(|key| match &key.chord {
        Chord::Sign(sign) => *sign == text,
        Chord::SignOver(sign, below) | Chord::AltSign(sign, below) => *sign == text || *below == text,
        _ => false,
    })
}

const fn of_winit(key: keys::NamedKey) -> NamedKey {
    match key {
        keys::NamedKey::Space => NamedKey::Space,
        keys::NamedKey::Backspace => NamedKey::Backspace,
        keys::NamedKey::Left => NamedKey::ArrowLeft,
        keys::NamedKey::Right => NamedKey::ArrowRight,
        keys::NamedKey::Up => NamedKey::ArrowUp,
        keys::NamedKey::Down => NamedKey::ArrowDown,
        keys::NamedKey::Home => NamedKey::Home,
        keys::NamedKey::End => NamedKey::End,
        keys::NamedKey::PageUp => NamedKey::PageUp,
        keys::NamedKey::PageDown => NamedKey::PageDown,
        keys::NamedKey::Tab => NamedKey::Tab,
        keys::NamedKey::F1 => NamedKey::F1,
        keys::NamedKey::Escape => NamedKey::Escape,
        keys::NamedKey::Enter => NamedKey::Enter,
    }
}

#[cfg(test)]
mod tests;
