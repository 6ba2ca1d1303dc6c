//! The overlays' colours and lines.

use super::Channels;
use histoscope_core::histogram::{Components, Transfer};
use histoscope_core::picture::color::Range;

/// The bars' lights, channel by channel. They are a little less than pure, which reads better on a dark scrim.
#[must_use]
pub const fn lights(components: Components) -> [[f32; 3]; 4] {
    match components {
        Components::Rgbl => [[1.0, 0.22, 0.20], [0.20, 0.90, 0.28], [0.22, 0.42, 1.0], [0.86, 0.86, 0.84]],
        Components::YCbCr => [[0.86, 0.86, 0.84], [0.30, 0.52, 1.0], [1.0, 0.34, 0.30], [0.0; 3]],
    }
}

/// Opacity of the bars.
pub const BAR_OPACITY: f32 = 0.88;
/// Opacity of the dark scrim that lies where no bar reaches, so that the bars stand out on any picture.
pub const SCRIM_OPACITY: f32 = 0.55;
/// How much of the bars' light is left where another picture's histogram is an outline over them.
pub const OUTLINED_LIGHT: f32 = 0.6;
/// Light of the line of luminance of linear light, which none of the bars has.
pub const LINEAR_LIGHT: [f32; 3] = [1.0, 0.62, 0.12];
/// The name of that line.
#[must_use]
pub fn linear_text(transfer: Transfer) -> String {
    format!("line: luminance of linear light ({})", transfer.name())
}

/// Thickness of lines on a view of `view` pixels: a pixel, and more where pixels are small.
#[must_use]
pub fn line_pixels(view: (u32, u32)) -> u32 {
    ((f64::from(view.1) / 1080.0).round() as u32).clamp(1, 8)
}

/// How much luminance whitens what it overlaps.
pub const WHITENING: f32 = 0.4;

/// Colours of a point by the set of channels whose bars reach it, premultiplied by their opacity.
///
/// Bars mix as light does: red over green is yellow, all three are white. The shader mixes them by the same rule.
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
        // Luminance has no colour of its own to add; it whitens what it overlaps.
        if components == Components::Rgbl && set & 8 != 0 {
            light = light.map(|part| part + WHITENING * (lights[3][0] - part));
        }
        [light[0] * BAR_OPACITY, light[1] * BAR_OPACITY, light[2] * BAR_OPACITY, BAR_OPACITY]
    })
}

/// Codes that bound the legal levels of what an overlay shows: of code values in limited range 16 to 235 for Y' and 16 to
/// 240 for Cb and Cr, scaled to the depth. Elsewhere every code is legal.
///
/// In an overlay that shows Y' and chroma together the levels are those of Y'.
#[must_use]
pub fn guides(components: Components, range: Range, channels: Channels, bits: u32) -> Vec<u32> {
    if components != Components::YCbCr || range != Range::Limited {
        return Vec::new();
    }
    let top = if channels.contains(0) { 235 } else { 240 };
    vec![16 << (bits - 8), top << (bits - 8)]
}

/// Codes at which a vertical line of the graticule stands: every eighth of the codes of `bits` bits.
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
