//! The exposure aids of a pixel and their appearance: the definition that the shader and the CPU's painter follow.

use super::false_color::Tint;
use super::peaking::PEAKING_COLOR;
use crate::view::brush::dimmed;
use crate::view::overlay::lights;
use histoscope_core::histogram::Components;
use histoscope_core::histogram::limits::Limits;
use histoscope_core::picture::color::Conversion;

/// The exposure aids, resolved for pictures with the same layout and colorimetry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inspection {
    /// The lowest striped tone, if zebras are on.
    pub zebra: Option<u32>,
    /// `true` if a pixel's tone is its Y' as coded, `false` if it is its luminance.
    pub is_tone_coded: bool,
    /// The marks, if they are on.
    pub marks: Option<Marks>,
    /// The colours that replace the picture's, if false colour is on.
    pub tint: Option<Tint>,
    /// The lowest contrast of a sharp pixel, if focus peaking is on.
    pub peaking: Option<u32>,
    pub(super) conversion: Conversion,
}

/// The unmarked values of three channels: from `low` up to but excluding `high`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marks {
    /// The lowest unmarked value of each channel.
    pub low: [i32; 3],
    /// The lowest value of each channel that is marked as high.
    pub high: [i32; 3],
    /// `true` if the channels are Y', Cb and Cr as coded; otherwise they are red, green and blue in the fixed-point
    /// format of [`Conversion::sums`].
    pub is_coded: bool,
}

/// The result of inspecting a pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PixelMarks {
    /// `true` if the pixel is striped.
    pub zebra: bool,
    /// `true` if the pixel is light, so that stripes on it are dark.
    pub is_light: bool,
    /// `true` for the channels marked as low.
    pub below: [bool; 3],
    /// `true` for the channels marked as high.
    pub above: [bool; 3],
    /// `true` if the pixel is sharp, which depends on its neighbours.
    pub is_sharp: bool,
}

impl PixelMarks {
    /// Returns `true` if any channel is marked.
    #[must_use]
    pub fn is_marked(&self) -> bool {
        self.below.iter().chain(&self.above).any(|&is| is)
    }
}

/// Brightness of a channel's mark in 256ths: marked as high, and marked as low in the light and in the dark cells of
/// the checkerboard.
pub const MARK_LIGHTS: [u32; 3] = [256, 186, 96];
/// Dimming of the picture behind marks, in 256ths.
const MARK_DIMMING: u32 = 192;
/// Factor for the picture's brightness under a stripe, in 256ths, and the level of a light stripe, out of 255.
const STRIPE: [u32; 2] = [64, 191];

/// Returns the width of a stripe on a view with that number of rows, in pixels along a row.
#[must_use]
pub fn stripe_pixels(rows: u32) -> u32 {
    (rows / 180).clamp(3, 16)
}

/// Returns the colours of the marks of three channels.
#[must_use]
pub fn mark_colors(is_coded: bool) -> [[u32; 3]; 3] {
    let lights = lights(if is_coded { Components::YCbCr } else { Components::Rgbl });
    std::array::from_fn(|channel| lights[channel].map(|part| (part * 255.0).round() as u32))
}

impl Marks {
    pub(super) const fn of_colors(limits: Limits) -> Self {
        Self { low: [limits.low; 3], high: [limits.high; 3], is_coded: false }
    }
}

impl Inspection {
    /// Returns the colour of a pixel with these component codes if false colour is on. It replaces the picture's own
    /// colour before stripes and marks are drawn.
    #[must_use]
    pub fn tinted(&self, codes: [u32; 3]) -> Option<[u8; 3]> {
        self.tint.as_ref().map(|tint| tint.color(tint.value(codes, &self.conversion)))
    }

    /// Returns `true` if anything is striped or marked.
    #[must_use]
    pub const fn marks_anything(&self) -> bool {
        self.zebra.is_some() || self.marks.is_some() || self.peaking.is_some()
    }

    /// Returns the conversion from component codes to red, green and blue.
    #[must_use]
    pub const fn conversion(&self) -> &Conversion {
        &self.conversion
    }

    /// Inspects a pixel with these component codes.
    #[inline(always)]
    #[must_use]
    pub fn inspect(&self, codes: [u32; 3]) -> PixelMarks {
        let Conversion { shift, bits, .. } = self.conversion;
        let top = self.conversion.max_code();
        let sums = self.conversion.sums(codes.map(|code| code as i32));
        let luminance = self.conversion.luminance_bin(sums.map(|sum| (sum >> shift).clamp(0, top) as u32));
        let tone = if self.is_tone_coded { codes[0] } else { luminance };
        let mut seen = PixelMarks {
            zebra: self.zebra.is_some_and(|lowest| tone >= lowest),
            is_light: luminance >> (bits - 1) > 0,
            ..PixelMarks::default()
        };
        if let Some(marks) = &self.marks {
            let values = if marks.is_coded { codes.map(|code| code as i32) } else { sums };
            seen.below = std::array::from_fn(|channel| values[channel] < marks.low[channel]);
            seen.above = std::array::from_fn(|channel| values[channel] >= marks.high[channel]);
        }
        seen
    }

    /// Returns the colour of the view's pixel in column `x` and row `y`, given its colour without stripes and marks.
    /// `stripe` is the width of a stripe.
    #[inline(always)]
    #[must_use]
    pub fn painted(&self, rgb: [u8; 3], seen: &PixelMarks, (x, y): (u32, u32), stripe: u32) -> [u8; 3] {
        let mut color = rgb;
        if let Some(marks) = &self.marks {
            if seen.is_marked() {
                return mark(marks, seen, (x, y), stripe);
            }
            // Dimming would make false colours differ from the legend.
            if self.tint.is_none() {
                color = dimmed(color, MARK_DIMMING);
            }
        }
        if seen.is_sharp {
            return PEAKING_COLOR;
        }
        if seen.zebra && ((x + y) / stripe).is_multiple_of(2) {
            let [left, light] = STRIPE;
            let light = if seen.is_light { 0 } else { light };
            color = color.map(|code| ((u32::from(code) * left + light * (256 - left) + 128) >> 8) as u8);
        }
        color
    }
}

/// Returns the colour of a marked pixel; the channels' marks mix like light.
#[inline(always)]
fn mark(marks: &Marks, seen: &PixelMarks, (x, y): (u32, u32), stripe: u32) -> [u8; 3] {
    let cell = (stripe / 2).max(1);
    let [high, light, dark] = MARK_LIGHTS;
    let low = if (x / cell + y / cell).is_multiple_of(2) { light } else { dark };
    let colors = mark_colors(marks.is_coded);
    std::array::from_fn(|part| {
        let parts = (0..3).map(|channel| {
            let level = if seen.above[channel] {
                high
            } else if seen.below[channel] {
                low
            } else {
                0
            };
            (colors[channel][part] * level + 128) >> 8
        });
        parts.max().unwrap_or(0) as u8
    })
}
