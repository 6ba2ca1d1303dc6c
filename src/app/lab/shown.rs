//! What the lab is handed with every look at it, and what that leads to.

use std::time::Instant;

use histoscope_core::picture::{Frame, FrameReading};
use histoscope_render::gpu::FrameTag;

/// What is on screen.
#[derive(Debug, Clone, Copy)]
pub struct ScreenState<'a> {
    /// The frame.
    pub frame: &'a Frame,
    /// Whether another one follows it soon.
    pub is_playing: bool,
}

/// Which frame it is, and how it is read.
pub type FrameKey = (FrameTag, FrameReading);

/// What a look at the lab has led to.
#[derive(Debug, Default)]
pub struct Advanced {
    /// Whether there is something new to be drawn.
    pub has_news: bool,
    /// What is to be said: why a choice was not possible, and what is taken in its place.
    pub told: Option<String>,
    /// When to look again.
    pub wake_at: Option<Instant>,
}
