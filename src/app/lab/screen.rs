//! The picture on screen, as input of the lab, and the result of advancing it.

use std::time::Instant;

use histoscope_core::picture::{Frame, Interpretation};
use histoscope_render::gpu::FrameTag;

/// The picture on screen.
#[derive(Debug, Clone, Copy)]
pub struct ScreenState<'a> {
    /// The frame.
    pub frame: &'a Frame,
    /// `true` if another frame will soon follow.
    pub is_playing: bool,
}

/// The identity of a frame and its interpretation.
pub type FrameKey = (FrameTag, Interpretation);

/// The result of advancing the lab.
#[derive(Debug, Default)]
pub struct Advanced {
    /// `true` if there is something new to draw.
    pub has_news: bool,
    /// A note: why a choice was not possible, and which one is used instead.
    pub note: Option<String>,
    /// When to check again.
    pub wake_at: Option<Instant>,
}

impl Advanced {
    /// Returns the same with a note that comes first, if there is one.
    pub fn with(self, note: Option<String>) -> Self {
        Self { has_news: self.has_news || note.is_some(), note: note.or(self.note), ..self }
    }
}
