//! The window's events in the program's own terms. The desktop's window makes them of winit's; a window without a display makes
//! them itself.

#[cfg(any(test, feature = "test-hooks"))]
use std::ops::BitOr;
use std::path::PathBuf;
use std::sync::Arc;

use glam::DVec2;

use crate::keys::NamedKey;

/// Wakes the event loop from another thread, because something was decoded, chosen or saved.
pub type Waker = Arc<dyn Fn() + Send + Sync>;

/// An event of the window.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The user asks to close the window.
    CloseRequested,
    /// The window has this size now, in pixels.
    Resized((u32, u32)),
    /// Nothing of the window can be seen any more, or something can again.
    Occluded(bool),
    /// The window is to be drawn.
    RedrawRequested,
    /// These modifier keys are held from now on.
    ModifiersChanged(Modifiers),
    /// A key was pressed or released.
    Key(KeyEvent),
    /// The input method has something to say.
    InputMethod,
    /// A file was dropped on the window.
    FileDropped(PathBuf),
    /// The pointer has come into the window.
    PointerEntered,
    /// The pointer is at this pixel now.
    PointerMoved(DVec2),
    /// The pointer has left the window.
    PointerLeft,
    /// A button of the pointer was pressed or released.
    PointerButton {
        /// The button.
        button: PointerButton,
        /// Whether it was pressed.
        pressed: bool,
    },
    /// The wheel was turned up by so many notches, or down.
    Wheel(f64),
    /// Anything else. The display over the picture may know it.
    Other,
}

/// A button of the pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointerButton {
    /// The first one.
    Left,
    /// The second one.
    Right,
    /// Any other.
    Other,
}

/// A key that was pressed or released.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyEvent {
    /// What it means with the modifiers that are held.
    pub key: Key,
    /// What it means where no other key is held with it.
    pub base: Key,
    /// What the key at its place types on an American keyboard without Shift, for the keys of letters, digits and signs; none for
    /// others, such as those of the number pad.
    pub place: Option<char>,
    /// Whether it was pressed.
    pub pressed: bool,
    /// Whether the keyboard repeats it because it has been held for a while.
    pub repeat: bool,
}

/// The meaning of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    /// A key with a name that the table of keys knows.
    Named(NamedKey),
    /// The text that it types.
    Character(String),
    /// Any other.
    Other,
}

/// The modifier keys that are held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Modifiers {
    /// Shift.
    pub shift: bool,
    /// Control.
    pub control: bool,
    /// Alt, or Option on a Mac.
    pub alt: bool,
    /// The key with a logo: Command on a Mac, Windows elsewhere.
    pub logo: bool,
}

impl Modifiers {
    /// None is held.
    pub const NONE: Self = Self { shift: false, control: false, alt: false, logo: false };
    /// Shift alone.
    #[cfg(any(test, feature = "test-hooks"))]
    pub const SHIFT: Self = Self { shift: true, ..Self::NONE };
    /// Control alone.
    #[cfg(any(test, feature = "test-hooks"))]
    pub const CONTROL: Self = Self { control: true, ..Self::NONE };
    /// Alt alone.
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
