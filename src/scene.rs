//! What is shown over and of a picture: the user's choices, as the passes take them.

use crate::overlay::{Channels, OverlayStyle};
use crate::placement::ViewSettings;

/// No bin: the mark of a channel that a probed pixel does not have.
pub const NO_BIN: u32 = u32::MAX;

/// A range of a channel's bins whose pixels are lit in the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Brush {
    /// The channel.
    pub channel: usize,
    /// Lowest bin that is lit.
    pub low: u32,
    /// Highest bin that is lit.
    pub high: u32,
}

impl Brush {
    /// The brush from one bin to another, whichever of them is lower.
    #[must_use]
    pub const fn between(channel: usize, from: u32, to: u32) -> Self {
        if from <= to { Self { channel, low: from, high: to } } else { Self { channel, low: to, high: from } }
    }

    /// Whether a bin of the channel is lit.
    #[must_use]
    pub const fn contains(&self, bin: u32) -> bool {
        self.low <= bin && bin <= self.high
    }
}

/// What is drawn over and around the picture, and how much of it is seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scene {
    /// Channels that are toggled on.
    pub channels: Channels,
    /// Whether the overlays are shown at all.
    pub overlays: bool,
    /// How the overlays look.
    pub style: OverlayStyle,
    /// What of the picture is seen.
    pub view: ViewSettings,
    /// The range whose pixels keep their light, while the rest of the picture dims.
    pub brush: Option<Brush>,
    /// How far the rest has dimmed: 0 not at all, 1 as far as it goes.
    pub brush_strength: f32,
    /// Bins of a probed pixel, channel by channel, to mark in the overlays; [`NO_BIN`] for none.
    pub marks: Option<[u32; 4]>,
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            channels: Channels::ALL,
            overlays: true,
            style: OverlayStyle::default(),
            view: ViewSettings::default(),
            brush: None,
            brush_strength: 1.0,
            marks: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brush_drawn_backwards_is_the_same_brush() {
        let brush = Brush::between(1, 200, 100);
        assert_eq!(brush, Brush { channel: 1, low: 100, high: 200 });
        assert!(brush.contains(100) && brush.contains(200) && !brush.contains(99) && !brush.contains(201));
    }
}
