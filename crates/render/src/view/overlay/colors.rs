//! Colours and lines of the overlays.

use super::Channels;
use histoscope_core::histogram::{Components, Transfer};
use histoscope_core::picture::color::Range;

/// Returns the colours of the bars, channel by channel. They are slightly less than pure, which is more legible on a dark
/// scrim.
#[must_use]
pub const fn lights(components: Components) -> [[f32; 3]; 4] {
    match components {
        Components::Rgbl => [[1.0, 0.22, 0.20], [0.20, 0.90, 0.28], [0.22, 0.42, 1.0], [0.86, 0.86, 0.84]],
        Components::YCbCr => [[0.86, 0.86, 0.84], [0.30, 0.52, 1.0], [1.0, 0.34, 0.30], [0.0; 3]],
    }
}

/// Opacity of the bars.
pub const BAR_OPACITY: f32 = 0.88;
/// Opacity of the dark scrim above the bars, which makes them stand out on any picture.
pub const SCRIM_OPACITY: f32 = 0.55;
/// Brightness factor of the bars below the outlined histogram of another picture.
pub const OUTLINED_LIGHT: f32 = 0.6;
/// Colour of the line for the luminance of linear light, different from that of all bars.
pub const LINEAR_LIGHT: [f32; 3] = [1.0, 0.62, 0.12];
/// Returns the name of that line.
#[must_use]
pub fn linear_text(transfer: Transfer) -> String {
    format!("line: luminance of linear light ({})", transfer.name())
}

/// Returns the thickness of lines on a view of `view` pixels: one pixel, or more on high-resolution views.
#[must_use]
pub fn line_pixels(view: (u32, u32)) -> u32 {
    ((f64::from(view.1) / 1080.0).round() as u32).clamp(1, 8)
}

/// Amount by which luminance whitens the bars it overlaps, 0 to 1.
pub const WHITENING: f32 = 0.4;

/// Returns the colours of a point for each set of channels whose bars reach it, premultiplied by their opacity.
///
/// Bars mix like light: red over green is yellow, all three are white. The shader uses the same rule.
#[must_use]
pub fn colors(components: Components) -> [[f32; 4]; 16] {
    let lights = lights(components);
    std::array::from_fn(|set| {
        if set == 0 {
            return [0.0, 0.0, 0.0, SCRIM_OPACITY];
        }
        let mut light = [0.0_f32; 3];
        for channel in (0..4).filter(|channel| set & (1 << channel) != 0) {
            light = std::array::from_fn(|i| light[i].max(lights[channel][i]));
        }
        // Luminance has no colour of its own to add; it whitens the bars it overlaps.
        if components == Components::Rgbl && set & 8 != 0 {
            light = light.map(|part| part + WHITENING * (lights[3][0] - part));
        }
        [light[0] * BAR_OPACITY, light[1] * BAR_OPACITY, light[2] * BAR_OPACITY, BAR_OPACITY]
    })
}

/// Returns the codes that bound the legal levels of an overlay: for code values in limited range, 16 to 235 for Y' and 16 to
/// 240 for Cb and Cr, scaled to the depth. Otherwise every code is legal and there are none.
///
/// In an overlay that shows both Y' and chroma, the levels are those of Y'.
#[must_use]
pub fn guides(components: Components, range: Range, channels: Channels, bits: u32) -> Vec<u32> {
    if components != Components::YCbCr || range != Range::Limited {
        return Vec::new();
    }
    let top = if channels.contains(0) { 235 } else { 240 };
    vec![16 << (bits - 8), top << (bits - 8)]
}

/// Returns the codes at the vertical lines of the graticule: every eighth of the codes of `bits` bits.
#[must_use]
pub fn graticule(bits: u32) -> [u32; 7] {
    std::array::from_fn(|i| (i as u32 + 1) << (bits - 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_mix_as_light() {
        let colors = colors(Components::Rgbl);
        assert!(colors[0b011][0] > 0.8 && colors[0b011][1] > 0.7 && colors[0b011][2] < 0.3, "red and green: yellow");
        assert!(colors[0b110][0] < 0.3 && colors[0b110][1] > 0.7 && colors[0b110][2] > 0.8, "green and blue: cyan");
        assert!(colors[0b101][0] > 0.8 && colors[0b101][1] < 0.4 && colors[0b101][2] > 0.8, "red and blue: magenta");
        for (set, color) in colors.iter().enumerate() {
            assert!(color[..3].iter().all(|&part| part <= color[3]), "premultiplied: {set} {color:?}");
            assert!(colors.iter().enumerate().all(|(other, c)| other == set || c != color), "{set} has a colour twice");
        }
    }

    #[test]
    fn legal_levels_are_marked_on_code_values_in_limited_range_only() {
        let (luma, chroma) = (Channels::one(0), Channels::one(1));
        assert_eq!(guides(Components::YCbCr, Range::Limited, luma, 8), [16, 235]);
        assert_eq!(guides(Components::YCbCr, Range::Limited, chroma, 10), [64, 960]);
        assert!(guides(Components::YCbCr, Range::Full, luma, 8).is_empty());
        assert!(guides(Components::Rgbl, Range::Limited, Channels::ALL, 8).is_empty());
    }

    #[test]
    fn the_graticule_stands_at_eighths() {
        assert_eq!(graticule(8), [32, 64, 96, 128, 160, 192, 224]);
        assert_eq!(graticule(12)[3], 2048);
    }
}
