//! What is shown over and of a picture: the user's choices, as the passes take them.

pub use crate::brush::Brush;
use crate::brush::Lighting;
use crate::histogram::Components;
use crate::overlay::{Channels, OverlayStyle};
use crate::placement::ViewSettings;

/// No bin: the mark of a channel that a probed pixel does not have.
pub const NO_BIN: u32 = u32::MAX;

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

impl Scene {
    /// The brush as it works on the picture, if it does.
    #[must_use]
    pub fn lighting(&self, components: Components) -> Option<Lighting> {
        Lighting::new(self.brush, components, self.brush_strength)
    }
}
