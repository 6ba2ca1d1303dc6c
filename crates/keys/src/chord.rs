//! Key chords: a key with its modifiers, as used in the table and shown in the help sheet.

/// A key that is identified by name instead of by a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedKey {
    /// The space bar.
    Space,
    /// Backspace.
    Backspace,
    /// Left arrow.
    Left,
    /// Right arrow.
    Right,
    /// Up arrow.
    Up,
    /// Down arrow.
    Down,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Tab.
    Tab,
    /// The first function key.
    F1,
    /// The tenth function key.
    F10,
    /// The key for the context menu, beside the right Control key.
    Menu,
    /// Escape.
    Escape,
    /// Enter, including the one on the numeric keypad.
    Enter,
}

impl NamedKey {
    /// Returns the name of the key.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Space => "Space",
            Self::Backspace => "Backspace",
            Self::Left => "←",
            Self::Right => "→",
            Self::Up => "↑",
            Self::Down => "↓",
            Self::Home => "Home",
            Self::End => "End",
            Self::PageUp => "PageUp",
            Self::PageDown => "PageDown",
            Self::Tab => "Tab",
            Self::F1 => "F1",
            Self::F10 => "F10",
            Self::Menu => "Menu",
            Self::Escape => "Esc",
            Self::Enter => "Enter",
        }
    }
}

/// A key with its modifiers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Chord {
    /// A named key without modifiers.
    Named(NamedKey),
    /// A named key with Shift.
    ShiftNamed(NamedKey),
    /// A named key with Alt.
    AltNamed(NamedKey),
    /// A named key with Control, or Command on a Mac.
    ControlNamed(NamedKey),
    /// A named key with Control and Shift, or Command and Shift on a Mac.
    ControlShiftNamed(NamedKey),
    /// A letter without Shift, regardless of caps lock.
    Letter(&'static str),
    /// A letter with Shift.
    ShiftLetter(&'static str),
    /// A letter with Control, or Command on a Mac.
    Control(&'static str),
    /// A letter with Control and Shift, or Command and Shift on a Mac.
    ControlShift(&'static str),
    /// A character as typed, with or without Shift, on any keyboard layout.
    Symbol(&'static str),
    /// A digit key without Shift, even on layouts that type the digit with Shift.
    Digit(char),
    /// A digit key with Shift.
    ShiftDigit(char),
    /// The first character as typed, with or without Shift. Also the key that types the second character without Shift,
    /// on layouts where the same key types the first one.
    CharOrUnshifted(&'static str, &'static str),
    /// The same characters as for [`CharOrUnshifted`](Self::CharOrUnshifted) with Alt, with or without Shift.
    AltSymbol(&'static str, &'static str),
}

impl Chord {
    /// Returns the chord's label in the help sheet.
    #[must_use]
    pub fn label(&self) -> String {
        match self {
            Self::Named(key) => key.name().to_owned(),
            Self::Letter(name) | Self::Symbol(name) | Self::CharOrUnshifted(name, _) => (*name).to_owned(),
            Self::Digit(digit) => digit.to_string(),
            Self::ShiftDigit(digit) => format!("Shift+{digit}"),
            Self::ShiftNamed(key) => format!("Shift+{}", key.name()),
            Self::AltNamed(key) => format!("Alt+{}", key.name()),
            Self::ControlNamed(key) => format!("Ctrl+{}", key.name()),
            Self::ControlShiftNamed(key) => format!("Ctrl+Shift+{}", key.name()),
            Self::AltSymbol(sign, _) => format!("Alt+{sign}"),
            Self::ShiftLetter(letter) => format!("Shift+{}", letter.to_uppercase()),
            Self::Control(letter) => format!("Ctrl+{}", letter.to_uppercase()),
            Self::ControlShift(letter) => format!("Ctrl+Shift+{}", letter.to_uppercase()),
        }
    }
}
