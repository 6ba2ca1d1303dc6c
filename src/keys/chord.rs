//! A key with what is held with it, as the table writes it and the help sheet names it.

/// A key that types no sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedKey {
    /// The space bar.
    Space,
    /// Backspace.
    Backspace,
    /// The arrow to the left.
    Left,
    /// The arrow to the right.
    Right,
    /// The arrow up.
    Up,
    /// The arrow down.
    Down,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// The tabulator.
    Tab,
    /// The first function key.
    F1,
    /// Escape.
    Escape,
    /// Return, and Enter beside the digits.
    Enter,
}

impl NamedKey {
    /// The name on the key.
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
            Self::Escape => "Esc",
            Self::Enter => "Enter",
        }
    }
}

/// A key with its modifiers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Chord {
    /// A key with a name, alone.
    Named(NamedKey),
    /// A key with a name, with Shift.
    ShiftNamed(NamedKey),
    /// A key with a name, with Alt.
    AltNamed(NamedKey),
    /// A key with a name, with Control, or Command on a Mac.
    ControlNamed(NamedKey),
    /// The same with Shift.
    ControlShiftNamed(NamedKey),
    /// A letter without Shift, whatever the caps lock says.
    Letter(&'static str),
    /// A letter with Shift.
    ShiftLetter(&'static str),
    /// A letter with Control, or Command on a Mac.
    Control(&'static str),
    /// The same with Shift.
    ControlShift(&'static str),
    /// A sign as it is typed, with Shift or not, wherever the keyboard has it.
    Sign(&'static str),
    /// The key of a digit, pressed without Shift, also where the digit itself is typed with Shift.
    Digit(char),
    /// The same, pressed with Shift.
    ShiftDigit(char),
    /// A sign as it is typed, with Shift or not; or the key that types this second sign while Shift is not held, where that is
    /// the key of the first.
    SignOver(&'static str, &'static str),
    /// Such a sign with Alt, with Shift or not.
    AltSign(&'static str, &'static str),
}

impl Chord {
    /// How the help sheet names the chord.
    #[must_use]
    pub fn label(&self) -> String {
        match self {
            Self::Named(key) => key.name().to_owned(),
            Self::Letter(name) | Self::Sign(name) | Self::SignOver(name, _) => (*name).to_owned(),
            Self::Digit(digit) => digit.to_string(),
            Self::ShiftDigit(digit) => format!("Shift+{digit}"),
            Self::ShiftNamed(key) => format!("Shift+{}", key.name()),
            Self::AltNamed(key) => format!("Alt+{}", key.name()),
            Self::ControlNamed(key) => format!("Ctrl+{}", key.name()),
            Self::ControlShiftNamed(key) => format!("Ctrl+Shift+{}", key.name()),
            Self::AltSign(sign, _) => format!("Alt+{sign}"),
            Self::ShiftLetter(letter) => format!("Shift+{}", letter.to_uppercase()),
            Self::Control(letter) => format!("Ctrl+{}", letter.to_uppercase()),
            Self::ControlShift(letter) => format!("Ctrl+Shift+{}", letter.to_uppercase()),
        }
    }
}
