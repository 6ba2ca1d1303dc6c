//! The windows: on a desktop, and without a display. They start the viewer and pass it events.

pub mod desktop;
pub mod offscreen;
#[cfg(feature = "test-hooks")]
pub mod scripted;
