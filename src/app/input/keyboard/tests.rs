use super::*;
use histoscope_core::adjust::{Adjustment, Parameter};
use histoscope_keys::{Setting, SpeedChange};

const NONE: Modifiers = Modifiers::NONE;
const SHIFT: Modifiers = Modifiers::SHIFT;

fn named(key: NamedKey, modifiers: Modifiers) -> Option<Action> {
    let key = Key::Named(key);
    of_press(&Press { key: &key, base: &key, digit: None, modifiers })
}

/// Returns the action of a key that types `text` with these modifiers and `base` without.
fn typed(text: &str, base: &str, modifiers: Modifiers) -> Option<Action> {
    let [key, base] = [text, base].map(|text| Key::Character(text.into()));
    of_press(&Press { key: &key, base: &base, digit: None, modifiers })
}

/// Returns the action of a key in a position of the keyboard that types `text` with these modifiers and `base` without.
fn at(place: Option<char>, text: &str, base: &str, modifiers: Modifiers) -> Option<Action> {
    let [key, base] = [text, base].map(|text| Key::Character(text.into()));
    let digit = digit_of(&base, place, modifiers.shift);
    of_press(&Press { key: &key, base: &base, digit, modifiers })
}

#[test]
fn arrows_seek_and_shift_makes_them_short_and_exact() {
    assert_eq!(named(NamedKey::Right, NONE), Some(Action::SeekBy { secs: 5.0, exact: false }));
    assert_eq!(named(NamedKey::Right, SHIFT), Some(Action::SeekBy { secs: 1.0, exact: true }));
}

#[test]
fn page_keys_go_to_files_cuts_or_findings_depending_on_modifiers() {
    const CONTROL: Modifiers = Modifiers::CONTROL;
    let forward = true;
    assert_eq!(named(NamedKey::PageDown, NONE), Some(Action::OtherFile { forward }));
    assert_eq!(named(NamedKey::PageDown, SHIFT), Some(Action::ToCut { forward }));
    assert_eq!(named(NamedKey::PageDown, CONTROL), Some(Action::ToFinding { forward }));
    assert_eq!(named(NamedKey::PageDown, CONTROL | SHIFT), Some(Action::OtherFindings { forward }));
    assert_eq!(named(NamedKey::PageDown, CONTROL | Modifiers::ALT), None);
}

#[test]
fn control_only_combines_with_keys_in_the_table() {
    assert_eq!(typed("q", "q", NONE), Some(Action::Quit));
    assert_eq!(typed("q", "q", Modifiers::CONTROL), None);
    assert_eq!(typed("g", "g", Modifiers::CONTROL), Some(Action::EnterTime));
    assert_eq!(typed("g", "g", NONE), Some(Setting::Green.switch()));
    assert_eq!(typed("d", "d", NONE), Some(Setting::Datascope.next()));
    assert_eq!(typed("d", "d", Modifiers::CONTROL), Some(Action::ClearRegion));
    assert_eq!(typed("p", "p", NONE), Some(Action::HoldFrame));
    assert_eq!(typed("n", "n", Modifiers::CONTROL), None);
    assert_eq!(typed(";", ";", NONE), None, "no letter is left that does nothing");
    assert_eq!(typed("g", "g", Modifiers::ALT), None);
}

#[test]
fn shift_distinguishes_letters_and_caps_lock_does_not() {
    assert_eq!(typed("V", "v", SHIFT), Some(Setting::Arrangement.next()));
    assert_eq!(typed("V", "v", NONE), Some(Setting::Scale.next()), "caps lock");
    assert_eq!(typed("v", "v", SHIFT), Some(Setting::Arrangement.next()), "Shift with caps lock");
}

#[test]
fn plus_enlarges_on_every_keyboard_layout() {
    let more = Some(Setting::Height.step(true));
    // American and French: + is above =, and = without Shift is accepted as well. German: + needs no Shift, and has *
    // above it.
    assert_eq!(typed("=", "=", NONE), more);
    assert_eq!(typed("+", "=", SHIFT), more);
    assert_eq!(typed("+", "+", NONE), more);
    assert_eq!(typed("+", "+", SHIFT), more, "the number pad's");
    assert_eq!(typed("*", "+", SHIFT), None);
    // German and Swiss: = is above 0, + above 1.
    assert_eq!(typed("=", "0", SHIFT), None);
    assert_eq!(typed("+", "1", SHIFT), more);
    let less = Some(Setting::Height.step(false));
    assert_eq!(typed("-", "-", NONE), less);
    assert_eq!(typed("-", "6", SHIFT), less, "where it needs Shift");
    assert_eq!(typed("_", "-", SHIFT), None);
    assert_eq!(typed("6", "-", SHIFT), None, "French digits need Shift");
}

#[test]
fn the_key_of_a_digit_is_the_same_key_on_every_keyboard() {
    let [lower, higher] = [false, true].map(|more| Some(Setting::Zebra.step(more)));
    // What the keys 7, 8 and 9 type, then 8 and 9 with Shift.
    for (keyboard, [seven, eight, nine], [shift_eight, shift_nine]) in [
        ("American", ["7", "8", "9"], ["*", "("]),
        ("German", ["7", "8", "9"], ["(", ")"]),
        ("French", ["è", "_", "ç"], ["8", "9"]),
        ("Belgian", ["è", "!", "ç"], ["8", "9"]),
        ("Czech", ["ý", "á", "í"], ["8", "9"]),
        ("Persian", ["۷", "۸", "۹"], ["*", ")"]),
    ] {
        assert_eq!(at(Some('7'), seven, seven, NONE), lower, "{keyboard}");
        assert_eq!(at(Some('8'), eight, eight, NONE), higher, "{keyboard}");
        assert_eq!(at(Some('9'), nine, nine, NONE), Some(Setting::Zebra.switch()), "{keyboard}");
        assert_eq!(at(Some('8'), shift_eight, eight, SHIFT), Some(Setting::Marks.next()), "{keyboard}");
        assert_eq!(at(Some('9'), shift_nine, nine, SHIFT), Some(Setting::Marks.switch()), "{keyboard}");
    }
    assert_eq!(at(Some('9'), "9", "ç", NONE), Some(Setting::Zebra.switch()), "French with caps lock");
    assert_eq!(at(None, "9", "9", NONE), Some(Setting::Zebra.switch()), "the number pad");
    // A key that types a symbol of the table acts as that symbol; a digit key's position does not override it.
    assert_eq!(at(Some('6'), "-", "-", NONE), Some(Setting::Height.step(false)), "French");
    assert_eq!(at(Some('q'), "ç", "ç", NONE), None, "Turkish and others have it elsewhere");
    assert_eq!(at(Some('9'), "9", "9", Modifiers::CONTROL), None);
}

#[test]
fn if_a_digit_key_types_a_symbol_of_the_table_shift_gives_the_digit() {
    let [lower, higher] = [false, true].map(|more| Some(Setting::Zebra.step(more)));
    let [smaller, larger] = [false, true].map(|more| Some(Setting::Height.step(more)));
    // Bépo: " « » ( ) @ + - / * and, with Shift, the digits.
    assert_eq!([at(Some('7'), "+", "+", NONE), at(Some('8'), "-", "-", NONE)], [larger, smaller]);
    assert_eq!([at(Some('7'), "7", "+", SHIFT), at(Some('8'), "8", "-", SHIFT)], [lower, higher]);
    assert_eq!(at(Some('9'), "/", "/", NONE), Some(Setting::Zebra.switch()));
    assert_eq!(at(Some('9'), "9", "/", SHIFT), Some(Setting::Marks.switch()));
    let alt = Modifiers::ALT;
    assert_eq!(at(Some('7'), "+", "+", alt), Some(Setting::Opacity.step(true)));
    // Czech and Slovak have + at the position of 1, French has - at 6.
    assert_eq!(at(Some('1'), "+", "+", NONE), larger);
    assert_eq!(at(Some('6'), "-", "-", NONE), smaller);
    let digits = |base: &str, place, shift| digit_of(&Key::Character(base.into()), Some(place), shift);
    assert_eq!([digits("+", '1', true), digits("ě", '2', true)], [Some(('1', false)), Some(('2', true))]);
    assert_eq!([digits("+", '1', false), digits("ě", '2', false)], [None, Some(('2', false))]);
}

#[test]
fn plus_and_minus_with_alt_change_the_opacity() {
    let alt = Modifiers::ALT;
    assert_eq!(typed("=", "=", alt), Some(Setting::Opacity.step(true)));
    assert_eq!(typed("+", "=", alt | SHIFT), Some(Setting::Opacity.step(true)));
    assert_eq!(typed("+", "+", alt), Some(Setting::Opacity.step(true)));
    assert_eq!(typed("-", "-", alt), Some(Setting::Opacity.step(false)));
    // On a Mac, the key types a dash while Option is held.
    assert_eq!(typed("–", "-", alt), Some(Setting::Opacity.step(false)));
    assert_eq!(typed("-", "-", alt | Modifiers::CONTROL), None);
}

#[test]
fn arrows_with_alt_change_parameters_and_nothing_else_does() {
    let parameter = |parameter, more| Some(Action::Parameter { parameter, more });
    let alt = Modifiers::ALT;
    assert_eq!(named(NamedKey::Left, alt), parameter(Parameter::Main, false));
    assert_eq!(named(NamedKey::Up, alt), parameter(Parameter::Second, true));
    assert_eq!(named(NamedKey::Left, alt | SHIFT), None);
    assert_eq!(named(NamedKey::Left, alt | Modifiers::CONTROL), None, "another desktop, on some systems");
    assert_eq!(typed("e", "e", NONE), Some(Action::ToggleAdjustment(Adjustment::Equalize)));
    assert_eq!(typed("E", "e", SHIFT), Some(Action::ToggleAdjustment(Adjustment::Channels)));
}

#[test]
fn symbols_are_taken_as_typed() {
    assert_eq!(typed("{", "[", SHIFT), Some(Action::Speed(SpeedChange::By(0.5))));
    assert_eq!(typed("?", "/", SHIFT), Some(Action::ToggleHelp));
    assert_eq!(typed("?", "ß", SHIFT), Some(Action::ToggleHelp));
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..Default::default() })]

    #[test]
    fn every_key_does_what_the_table_says_or_nothing(text in "\\PC{1,2}|[a-zA-Z0-9+=-]", base in "\\PC{1,2}|[a-z0-9]", bits in 0..16_u32) {
        let is_held = |at: u32| bits >> at & 1 == 1;
        let modifiers = Modifiers { shift: is_held(0), control: is_held(1), alt: is_held(2), logo: is_held(3) };
        for place in ['7', 'a', '-'] {
            if let Some(action) = at(Some(place), &text, &base, modifiers) {
                let is_known = keys::keys().any(|key| key.action == action);
                proptest::prop_assert!(is_known, "{action:?} is not in the table");
            }
        }
    }
}
