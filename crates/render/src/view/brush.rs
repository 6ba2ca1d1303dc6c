//! Brushing: pixels of the picture with a value in a range of histograms keep their brightness, and the rest is dimmed.
//! If the range covers several channels, a pixel is lit if any of them has a value in the range.
//!
//! The decision uses the same arithmetic as counting, so that the number of lit pixels equals the count in the range's
//! bins. For each pixel of the view, the sample that covers its centre decides; if the picture is adjusted, the sample
//! of the counted picture decides, for both pictures. shaders/video.wgsl does the same.

use crate::view::overlay::Channels;
use histoscope_core::histogram::Components;
use histoscope_core::picture::color::Conversion;
use histoscope_core::picture::region::Rect;

/// A range of bins of one or more channels, whose pixels are lit in the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Brush {
    /// The channels, at least one.
    pub channels: Channels,
    /// Lowest lit bin.
    pub low: u32,
    /// Highest lit bin.
    pub high: u32,
}

impl Brush {
    /// Creates a brush between two bins of a channel, given in any order.
    #[must_use]
    pub const fn between(channel: usize, from: u32, to: u32) -> Self {
        let channels = Channels::one(channel);
        if from <= to { Self { channels, low: from, high: to } } else { Self { channels, low: to, high: from } }
    }

    /// Returns `true` if the range contains a bin.
    #[inline]
    #[must_use]
    pub const fn contains(&self, bin: u32) -> bool {
        self.low <= bin && bin <= self.high
    }

    /// Returns the channels for which a pixel with these codes lies in the range, in a picture of `count` components.
    #[inline(always)]
    #[must_use]
    pub fn reached(
        &self,
        codes: [u32; 3],
        (components, count): (Components, usize),
        conversion: &Conversion,
    ) -> Channels {
        let mut reached = Channels::NONE;
        let mut note = |channel: usize, bin: u32| {
            if self.channels.contains(channel) && self.contains(bin) {
                reached = reached.union(Channels::one(channel));
            }
        };
        if components == Components::YCbCr {
            (0..count.min(3)).for_each(|channel| note(channel, codes[channel]));
            return reached;
        }
        let top = conversion.max_code();
        let rgb = conversion.unclamped(codes.map(|code| code as i32)).map(|v| v.clamp(0, top) as u32);
        (0..3).for_each(|channel| note(channel, rgb[channel]));
        if self.channels.contains(3) {
            note(3, conversion.luminance_bin(rgb));
        }
        reached
    }
}

/// The effect of the brushes on a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lighting {
    /// The lit range; `None` if the pixels have been selected one by one.
    pub range: Option<Brush>,
    /// The components that the channels refer to.
    pub components: Components,
    /// Strength of the dimming, in 256ths; never 0.
    pub strength: u32,
    /// The counted part of the picture, outside of which nothing is lit.
    pub region: Option<Rect>,
}

/// Level of the darkest dimmed pixel, out of 255, so that a lit black pixel is darker than its surroundings.
const DIM_FLOOR: u32 = 18;
/// Factor for the brightness of a dimmed pixel, in 256ths.
const DIM_PART: u32 = 56;
/// Weights of red, green and blue in the gray of a dimmed pixel, in 256ths.
const GRAY: [u32; 3] = [54, 183, 19];

impl Lighting {
    /// Creates the lighting of a brush. `strength` is that of the dimming, 0 to 1. Returns `None` if that changes
    /// nothing.
    #[must_use]
    pub fn new(brush: Option<Brush>, components: Components, strength: f32) -> Option<Self> {
        brush.and_then(|brush| Some(Self { range: Some(brush), ..Self::of_selected(components, strength)? }))
    }

    /// Creates the lighting for pixels that are selected one by one.
    #[must_use]
    pub fn of_selected(components: Components, strength: f32) -> Option<Self> {
        let strength = if strength.is_nan() { 1.0 } else { strength.clamp(0.0, 1.0) };
        let strength = (strength * 256.0).round() as u32;
        (strength > 0).then_some(Self { range: None, components, strength, region: None })
    }

    /// Limits the lighting to a part of the picture.
    #[must_use]
    pub const fn inside(self, region: Option<Rect>) -> Self {
        Self { region, ..self }
    }

    /// Returns `true` if the pixel in that column and row of the picture lies in the region that can be lit.
    #[inline(always)]
    #[must_use]
    pub fn reaches(&self, x: u32, y: u32) -> bool {
        self.region.is_none_or(|rect| rect.contains(x, y))
    }

    /// Returns `true` if a pixel with these component codes is lit, in a picture of `count` components.
    #[inline(always)]
    #[must_use]
    pub fn lights(&self, codes: [u32; 3], count: usize, conversion: &Conversion) -> bool {
        self.range.is_none_or(|range| !range.reached(codes, (self.components, count), conversion).is_empty())
    }

    /// Returns the colour of an unlit pixel, given its colour without the brush.
    #[inline(always)]
    #[must_use]
    pub fn dimmed(&self, rgb: [u8; 3]) -> [u8; 3] {
        dimmed(rgb, self.strength)
    }
}

/// Blends a colour towards a dark gray, by `strength` 256ths.
#[inline(always)]
pub(super) fn dimmed(rgb: [u8; 3], strength: u32) -> [u8; 3] {
    let codes = rgb.map(u32::from);
    let gray = (codes[0] * GRAY[0] + codes[1] * GRAY[1] + codes[2] * GRAY[2]) >> 8;
    let dark = DIM_FLOOR + ((gray * DIM_PART) >> 8);
    codes.map(|code| ((code * (256 - strength) + dark * strength + 128) >> 8) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brush_drawn_backwards_is_the_same_brush() {
        let brush = Brush::between(1, 200, 100);
        assert_eq!(brush, Brush { channels: Channels::one(1), low: 100, high: 200 });
        assert!(brush.contains(100) && brush.contains(200) && !brush.contains(99) && !brush.contains(201));
    }

    #[test]
    fn dimmed_pixels_are_gray_and_dark_and_keep_their_order_of_lightness() {
        let full = Lighting::new(Some(Brush::between(0, 0, 0)), Components::Rgbl, 1.0).unwrap();
        let [black, gray, white] = [0, 128, 255].map(|v| full.dimmed([v; 3])[0]);
        assert!(black < gray && gray < white && white < 80, "{black} {gray} {white}");
        let [r, g, b] = full.dimmed([250, 30, 90]);
        assert!(r == g && g == b);
    }

    #[test]
    fn a_brush_without_dimming_is_none() {
        let brush = Some(Brush::between(0, 0, 9));
        assert_eq!(Lighting::new(brush, Components::Rgbl, 0.0), None);
        assert_eq!(Lighting::new(None, Components::Rgbl, 1.0), None);
        let half = Lighting::new(brush, Components::Rgbl, 0.5).unwrap();
        let full = Lighting::new(brush, Components::Rgbl, f32::NAN).unwrap();
        let color = [200, 40, 40];
        assert!(half.dimmed(color)[0] > full.dimmed(color)[0] && half.dimmed(color)[0] < 200);
    }
}
