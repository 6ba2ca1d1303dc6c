//! Colours and lines of the overlays.

use super::Channels;
use histoscope_core::histogram::{Components, Transfer};
use histoscope_core::picture::color::Range;

/// Returns the colours of the bars, channel by channel. They are slightly less than pure, which is more legible on a
/// dark scrim.
///
/// Red, green and blue are balanced: both the largest and the sum of their parts are the same in each of red, green and
/// blue. So bars, whose parts' maximum is shown, and waveforms, whose parts are added, are gray where all three agree.
#[must_use]
pub const fn lights(components: Components) -> [[f32; 3]; 4] {
    match components {
        Components::Rgbl => [[0.95, 0.14, 0.20], [0.22, 0.95, 0.30], [0.28, 0.36, 0.95], [0.86; 3]],
        Components::YCbCr => [[0.86; 3], [0.30, 0.52, 1.0], [1.0, 0.34, 0.30], [0.0; 3]],
    }
}

/// Opacity of the bars, except where they mix to gray: grays are opaque, so that no picture tints them.
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

/// Returns the colours of a point for each set of channels whose bars reach it, premultiplied by their opacity.
///
/// Bars mix like light: red over green is yellow, all three are white. The shader uses the same rule. Luminance is
/// never mixed: it is a line if colours are shown with it.
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
        [light[0] * BAR_OPACITY, light[1] * BAR_OPACITY, light[2] * BAR_OPACITY, BAR_OPACITY]
    })
}

/// Returns the codes that bound the legal levels of an overlay: for code values in limited range, 16 to 235 for Y' and
/// 16 to 240 for Cb and Cr, scaled to the depth. Otherwise every code is legal and there are none.
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
    use crate::view::overlay::OverlapTable;

    #[test]
    fn overlaps_mix_as_light() {
        let colors = colors(Components::Rgbl);
        assert!(colors[0b011][0] > 0.8 && colors[0b011][1] > 0.7 && colors[0b011][2] < 0.3, "red and green: yellow");
        assert!(colors[0b110][0] < 0.3 && colors[0b110][1] > 0.7 && colors[0b110][2] > 0.8, "green and blue: cyan");
        assert!(colors[0b101][0] > 0.8 && colors[0b101][1] < 0.4 && colors[0b101][2] > 0.8, "red and blue: magenta");
        for (set, color) in colors.iter().enumerate() {
            assert!(color[..3].iter().all(|&part| part <= color[3]), "premultiplied: {set} {color:?}");
            let others = colors[..9].iter().enumerate().filter(|(other, _)| *other != set && set < 9);
            assert!(others.into_iter().all(|(_, other)| other != color), "{set} has a colour twice");
        }
    }

    #[test]
    fn where_red_green_and_blue_agree_it_is_gray() {
        let is_gray = |[r, g, b, _]: [f32; 4]| (r - g).abs() < 1e-6 && (g - b).abs() < 1e-6;
        let colors = colors(Components::Rgbl);
        assert!([0b0111, 0b1000].into_iter().all(|set| is_gray(colors[set])), "bars: {colors:?}");
        let OverlapTable(table) = OverlapTable::default();
        assert!([0b0111, 0b1111, 0b1000].into_iter().all(|set| table[set] == [table[set][0]; 3]), "table: {table:?}");
        let [red, green, blue, _] = lights(Components::Rgbl);
        let [r, g, b] = std::array::from_fn(|part| red[part] + green[part] + blue[part]);
        assert!(is_gray([r, g, b, 1.0]), "waveforms add: {r} {g} {b}");
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
