//! The exposure marks of a pixel and how they look: the definition, which the shader and the CPU's painter follow.

use super::false_color::Tint;
use crate::view::brush::dimmed;
use crate::view::overlay::lights;
use histoscope_core::histogram::Components;
use histoscope_core::histogram::limits::Limits;
use histoscope_core::picture::color::{Conversion, luminance_bin};

/// The exposure marks of pictures that are read alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inspection {
    /// The lowest tone that is striped, if any is.
    pub zebra: Option<u32>,
    /// `true` if a pixel's tone is its Y' as coded, and not its luminance.
    pub is_tone_coded: bool,
    /// The marks, if there are any.
    pub marks: Option<Marks>,
    /// The colours in place of the picture's own, if false colour is on.
    pub tint: Option<Tint>,
    pub(super) conversion: Conversion,
}

/// The values of three channels that are not marked: from `low` up to but not including `high`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marks {
    /// The lowest value of each channel that is not marked.
    pub low: [i32; 3],
    /// The lowest value above those.
    pub high: [i32; 3],
    /// `true` if the channels are Y', Cb and Cr as coded; else red, green and blue in the fixed point of
    /// [`Conversion::sums`].
    pub is_coded: bool,
}

/// The exposure marks of a pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Seen {
    /// `true` if it is striped.
    pub zebra: bool,
    /// `true` if stripes on it are dark, because it is light.
    pub is_light: bool,
    /// Which channels are marked as low.
    pub below: [bool; 3],
    /// Which are marked as high.
    pub above: [bool; 3],
}

impl Seen {
    /// Returns `true` if anything of it is marked.
    #[must_use]
    pub fn is_marked(&self) -> bool {
        self.below.iter().chain(&self.above).any(|&is| is)
    }
}

/// Light of a channel's mark where it is high, and where it is low in the light and the dark cells of a chequered pattern, in
/// 256ths.
pub const MARK_LIGHTS: [u32; 3] = [256, 186, 96];
/// How far the picture behind marks dims, in 256ths.
const MARK_DIMMING: u32 = 192;
/// The remaining light of a picture under a stripe, in 256ths, and the light of a light stripe, of 255.
const STRIPE: [u32; 2] = [64, 191];

/// Width of a stripe on a view of so many rows, in pixels along a row.
#[must_use]
pub fn stripe_pixels(rows: u32) -> u32 {
    (rows / 180).clamp(3, 16)
}

/// The colours of the marks of three channels.
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
    /// The colour of a pixel with these component codes where false colour is on: what is striped and marked then, in place of the
    /// picture's own.
    #[must_use]
    pub fn tinted(&self, codes: [u32; 3]) -> Option<[u8; 3]> {
        self.tint.as_ref().map(|tint| tint.color(tint.value(codes, &self.conversion)))
    }

    /// Returns `true` if anything is striped or marked.
    #[must_use]
    pub const fn marks_anything(&self) -> bool {
        self.zebra.is_some() || self.marks.is_some()
    }

    /// How component codes become red, green and blue.
    #[must_use]
    pub const fn conversion(&self) -> &Conversion {
        &self.conversion
    }

    /// Returns the exposure marks of a pixel with these component codes.
    #[inline(always)]
    #[must_use]
    pub fn look(&self, codes: [u32; 3]) -> Seen {
        let Conversion { shift, bits, .. } = self.conversion;
        let top = self.conversion.max_code();
        let sums = self.conversion.sums(codes.map(|code| code as i32));
        let luminance = luminance_bin(sums.map(|sum| (sum >> shift).clamp(0, top) as u32), bits);
        let tone = if self.is_tone_coded { codes[0] } else { luminance };
        let mut seen = Seen {
            zebra: self.zebra.is_some_and(|lowest| tone >= lowest),
            is_light: luminance >> (bits - 1) > 0,
            ..Seen::default()
        };
        if let Some(marks) = &self.marks {
            let values = if marks.is_coded { codes.map(|code| code as i32) } else { sums };
            seen.below = std::array::from_fn(|channel| values[channel] < marks.low[channel]);
            seen.above = std::array::from_fn(|channel| values[channel] >= marks.high[channel]);
        }
        seen
    }

    /// The colour of the view's pixel in that column and row, from what it would be without, with stripes so wide.
    #[inline(always)]
    #[must_use]
    pub fn painted(&self, rgb: [u8; 3], seen: &Seen, (x, y): (u32, u32), stripe: u32) -> [u8; 3] {
        let mut color = rgb;
        if let Some(marks) = &self.marks {
            if seen.is_marked() {
                return mark(marks, seen, (x, y), stripe);
            }
            // False colours would not be those of their legend.
            if self.tint.is_none() {
                color = dimmed(color, MARK_DIMMING);
            }
        }
        if seen.zebra && ((x + y) / stripe).is_multiple_of(2) {
            let [left, light] = STRIPE;
            let light = if seen.is_light { 0 } else { light };
            color = color.map(|code| ((u32::from(code) * left + light * (256 - left) + 128) >> 8) as u8);
        }
        color
    }
}

/// The marks of all channels, which mix as light does.
#[inline(always)]
fn mark(marks: &Marks, seen: &Seen, (x, y): (u32, u32), stripe: u32) -> [u8; 3] {
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
