//! The window's events in the program's own terms. The desktop window translates them from winit's; an offscreen window
//! creates them itself.

use std::path::PathBuf;
use std::sync::Arc;

use glam::DVec2;

use crate::app::remote::Request;
pub use histoscope_keys::event::{Key, KeyEvent, Modifiers};

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
    /// A file is dragged over the window.
    FileHovered(PathBuf),
    /// The file that was dragged over the window has left it.
    FileLeft,
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
    /// Another program asks for something.
    Request(Request),
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
