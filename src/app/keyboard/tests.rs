use super::*;
use crate::adjust::{Adjustment, Parameter};
use crate::keys::SpeedChange;

const NONE: ModifiersState = ModifiersState::empty();
const SHIFT: ModifiersState = ModifiersState::SHIFT;

fn named(key: NamedKey, modifiers: ModifiersState) -> Option<Action> {
    let key = Key::Named(key);
    of_press(&Press { key: &key, base: &key, modifiers })
}

/// A key that types `text` with these modifiers and `base` without them.
fn typed(text: &str, base: &str, modifiers: ModifiersState) -> Option<Action> {
    let [key, base] = [text, base].map(|text| Key::Character(text.into()));
    of_press(&Press { key: &key, base: &base, modifiers })
}

#[test]
fn arrows_seek_and_shift_makes_them_short_and_exact() {
    assert_eq!(named(NamedKey::ArrowRight, NONE), Some(Action::SeekBy { secs: 5.0, exact: false }));
    assert_eq!(named(NamedKey::ArrowRight, SHIFT), Some(Action::SeekBy { secs: 1.0, exact: true }));
}

#[test]
fn keys_with_control_are_only_those_of_the_table() {
    assert_eq!(typed("q", "q", NONE), Some(Action::Quit));
    assert_eq!(typed("q", "q", ModifiersState::CONTROL), None);
    assert_eq!(typed("g", "g", ModifiersState::CONTROL), Some(Action::EnterTime));
    assert_eq!(typed("g", "g", NONE), Some(Action::ToggleChannel(1)));
    assert_eq!(typed("d", "d", NONE), None);
    assert_eq!(typed("g", "g", ModifiersState::ALT), None);
}

#[test]
fn shift_tells_letters_apart_and_the_caps_lock_does_not() {
    assert_eq!(typed("V", "v", SHIFT), Some(Action::NextArrangement));
    assert_eq!(typed("V", "v", NONE), Some(Action::ToggleLogarithmic), "caps lock");
    assert_eq!(typed("v", "v", SHIFT), Some(Action::NextArrangement), "Shift with caps lock");
}

#[test]
fn plus_enlarges_wherever_a_keyboard_has_it() {
    let more = Some(Action::Enlarge { more: true });
    // American and French: + is above =, and = without Shift means it too. German: + needs no Shift, and has * above it.
    assert_eq!(typed("=", "=", NONE), more);
    assert_eq!(typed("+", "=", SHIFT), more);
    assert_eq!(typed("+", "+", NONE), more);
    assert_eq!(typed("+", "+", SHIFT), more, "the number pad's");
    assert_eq!(typed("*", "+", SHIFT), None);
    // German and Swiss: = is above 0, + above 1.
    assert_eq!(typed("=", "0", SHIFT), None);
    assert_eq!(typed("+", "1", SHIFT), more);
    let less = Some(Action::Enlarge { more: false });
    assert_eq!(typed("-", "-", NONE), less);
    assert_eq!(typed("-", "6", SHIFT), less, "where it needs Shift");
    assert_eq!(typed("_", "-", SHIFT), None);
    assert_eq!(typed("6", "-", SHIFT), None, "French digits need Shift");
}

#[test]
fn plus_and_minus_with_alt_change_the_opacity() {
    let alt = ModifiersState::ALT;
    assert_eq!(typed("=", "=", alt), Some(Action::Opaque { more: true }));
    assert_eq!(typed("+", "=", alt | SHIFT), Some(Action::Opaque { more: true }));
    assert_eq!(typed("+", "+", alt), Some(Action::Opaque { more: true }));
    assert_eq!(typed("-", "-", alt), Some(Action::Opaque { more: false }));
    // On a Mac the key types a dash while Option is held.
    assert_eq!(typed("–", "-", alt), Some(Action::Opaque { more: false }));
    assert_eq!(typed("-", "-", alt | ModifiersState::CONTROL), None);
}

#[test]
fn arrows_with_alt_change_parameters_and_nothing_else_does() {
    let parameter = |parameter, more| Some(Action::Parameter { parameter, more });
    let alt = ModifiersState::ALT;
    assert_eq!(named(NamedKey::ArrowLeft, alt), parameter(Parameter::Main, false));
    assert_eq!(named(NamedKey::ArrowUp, alt), parameter(Parameter::Second, true));
    assert_eq!(named(NamedKey::ArrowLeft, alt | SHIFT), None);
    assert_eq!(named(NamedKey::ArrowLeft, alt | ModifiersState::CONTROL), None, "another desktop, on some systems");
    assert_eq!(typed("e", "e", NONE), Some(Action::ToggleAdjustment(Adjustment::Equalize)));
    assert_eq!(typed("E", "e", SHIFT), Some(Action::ToggleAdjustment(Adjustment::Channels)));
}

#[test]
fn signs_are_taken_as_typed() {
    assert_eq!(typed("{", "[", SHIFT), Some(Action::Speed(SpeedChange::By(0.5))));
    assert_eq!(typed("?", "/", SHIFT), Some(Action::ToggleHelp));
    assert_eq!(typed("?", "ß", SHIFT), Some(Action::ToggleHelp));
}
