//! The window's events in the program's own terms. The desktop window translates them from winit's; an offscreen window
//! creates them itself.

#[cfg(any(test, feature = "test-hooks"))]
use std::ops::BitOr;
use std::path::PathBuf;
use std::sync::Arc;

use glam::DVec2;

use crate::keys::NamedKey;

/// Callback that wakes the event loop from another thread when something has been decoded, chosen or saved.
pub type Waker = Arc<dyn Fn() + Send + Sync>;

/// An event of the window.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The user asks to close the window.
    CloseRequested,
    /// The window was resized to this size, in pixels.
    Resized((u32, u32)),
    /// The window became fully hidden (`true`) or visible again (`false`).
    Occluded(bool),
    /// The window must be redrawn.
    RedrawRequested,
    /// The held modifier keys changed to these.
    ModifiersChanged(Modifiers),
    /// A key was pressed or released.
    Key(KeyEvent),
    /// The input method sent an event.
    InputMethod,
    /// A file was dropped on the window.
    FileDropped(PathBuf),
    /// The pointer entered the window.
    PointerEntered,
    /// The pointer moved to this position, in pixels.
    PointerMoved(DVec2),
    /// The pointer left the window.
    PointerLeft,
    /// A pointer button was pressed or released.
    PointerButton {
        /// The button.
        button: PointerButton,
        /// `true` if it was pressed.
        pressed: bool,
    },
    /// The wheel was turned by this many notches; positive is up.
    Wheel(f64),
    /// Any other event. The HUD may still handle it.
    Other,
}

/// A pointer button.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointerButton {
    /// The left button.
    Left,
    /// The right button.
    Right,
    /// Any other.
    Other,
}

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
    #[cfg(any(test, feature = "test-hooks"))]
    pub const SHIFT: Self = Self { shift: true, ..Self::NONE };
    /// Only Control.
    #[cfg(any(test, feature = "test-hooks"))]
    pub const CONTROL: Self = Self { control: true, ..Self::NONE };
    /// Only Alt.
    #[cfg(any(test, feature = "test-hooks"))]
    pub const ALT: Self = Self { alt: true, ..Self::NONE };
}

#[cfg(any(test, feature = "test-hooks"))]
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
