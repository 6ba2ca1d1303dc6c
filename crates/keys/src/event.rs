//! Key presses, as the window receives them.

use std::ops::BitOr;

use super::chord::NamedKey;

/// A key that was pressed or released.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyEvent {
    /// The key's meaning with the held modifiers.
    pub key: Key,
    /// The key's meaning without modifiers.
    pub base: Key,
    /// The character that the key in this position types on an American keyboard without Shift. `None` for keys other
    /// than letters, digits and punctuation, and for the number pad.
    pub place: Option<char>,
    /// `true` if it was pressed.
    pub pressed: bool,
    /// `true` if this is a repeat because the key is held down.
    pub repeat: bool,
}

/// The meaning of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    /// A named key of the key table.
    Named(NamedKey),
    /// The text that it types.
    Character(String),
    /// Any other.
    Other,
}

/// The held modifier keys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Modifiers {
    /// Shift.
    pub shift: bool,
    /// Control.
    pub control: bool,
    /// Alt, or Option on a Mac.
    pub alt: bool,
    /// The logo key: Command on a Mac, Windows elsewhere.
    pub logo: bool,
}

impl Modifiers {
    /// No modifiers.
    pub const NONE: Self = Self { shift: false, control: false, alt: false, logo: false };
    /// Only Shift.
    pub const SHIFT: Self = Self { shift: true, ..Self::NONE };
    /// Only Control.
    pub const CONTROL: Self = Self { control: true, ..Self::NONE };
    /// Only Alt.
    pub const ALT: Self = Self { alt: true, ..Self::NONE };
}

impl BitOr for Modifiers {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self {
            shift: self.shift || other.shift,
            control: self.control || other.control,
            alt: self.alt || other.alt,
            logo: self.logo || other.logo,
        }
    }
}
