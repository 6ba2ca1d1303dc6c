//! The panels of a report, and its colours.

use histoscope_core::histogram::Components;
use histoscope_core::strip::{ROWS, Rgb};

/// Formats a colour for use in CSS.
#[must_use]
pub fn css_color([r, g, b]: Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// A picture in the report: the channels drawn in it, and its height.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Panel {
    /// Heading of the panel.
    pub title: &'static str,
    /// Name used in identifiers.
    pub name: &'static str,
    /// Indices of the channels, in counting order.
    pub channels: &'static [usize],
    /// Levels per row of pixels.
    pub levels_per_row: usize,
}

impl Panel {
    const fn new(title: &'static str, name: &'static str, channels: &'static [usize], levels_per_row: usize) -> Self {
        Self { title, name, channels, levels_per_row }
    }

    /// Returns the height in pixels.
    #[must_use]
    pub const fn height(&self) -> usize {
        ROWS / self.levels_per_row
    }
}

/// The panel of red, green and blue together is as high as the one for luminance. Panels of single channels are lower.
const RGBL: [Panel; 5] = [
    Panel::new("Luminance", "luminance", &[3], 1),
    Panel::new("Red, green and blue", "rgb", &[0, 1, 2], 1),
    Panel::new("Red", "red", &[0], 2),
    Panel::new("Green", "green", &[1], 2),
    Panel::new("Blue", "blue", &[2], 2),
];

const YCBCR: [Panel; 3] =
    [Panel::new("Y'", "y", &[0], 1), Panel::new("Cb", "cb", &[1], 1), Panel::new("Cr", "cr", &[2], 1)];

/// Returns the panels of a report, from top to bottom.
#[must_use]
pub const fn panels(components: Components) -> &'static [Panel] {
    match components {
        Components::Rgbl => &RGBL,
        Components::YCbCr => &YCBCR,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_channel_has_a_panel() {
        for components in [Components::Rgbl, Components::YCbCr] {
            for channel in 0..components.channel_names().len() {
                assert!(panels(components).iter().any(|panel| panel.channels == [channel]), "{components:?} {channel}");
            }
        }
    }
}
