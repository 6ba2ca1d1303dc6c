//! The picture on screen, as the lab works on it, and news of that.

use std::time::Instant;

use histoscope_core::picture::{Frame, FrameReading};
use histoscope_render::gpu::FrameTag;

/// The picture on screen.
#[derive(Debug, Clone, Copy)]
pub struct ScreenState<'a> {
    /// The frame.
    pub frame: &'a Frame,
    /// True if another one follows it soon.
    pub is_playing: bool,
}

/// Which frame it is, and how it is read.
pub type FrameKey = (FrameTag, FrameReading);

/// News of the lab.
#[derive(Debug, Default)]
pub struct Advanced {
    /// True if there is something new to be drawn.
    pub has_news: bool,
    /// The note: why a choice was not possible, and which is taken in its place.
    pub told: Option<String>,
    /// When to look again.
    pub wake_at: Option<Instant>,
}
