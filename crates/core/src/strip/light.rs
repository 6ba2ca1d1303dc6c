//! Brightness and colour of a cell, from its share of a frame's samples.

use crate::histogram::Components;

/// An opaque colour, red, green and blue.
pub type Rgb = [u8; 3];

/// Steepness of the tone curve: shares from about 1 / `STEEPNESS` are visible.
const STEEPNESS: f64 = 20_000.0;
/// Exponent that preserves contrast among large shares.
const BEND: f64 = 1.4;

/// Returns the brightness, 0 to 1, of a cell with this share of its frames' samples.
///
/// The curve is logarithmic, because interesting shares range from one pixel in ten thousand to the whole picture, and
/// slightly bent, because few of them are near the ends. A share of 0.1 % has a brightness of 0.19, 1 % has 0.42, 10 %
/// has 0.69, and 100 % has 1.
#[must_use]
pub fn brightness(share: f64) -> f64 {
    ((share * STEEPNESS).ln_1p() / STEEPNESS.ln_1p()).powf(BEND)
}

/// Returns the colour in which a channel's bars, line and name are drawn.
#[must_use]
pub const fn channel_color(components: Components, channel: usize) -> Rgb {
    match (components, channel) {
        (Components::Rgbl, 0) => [255, 92, 82],
        (Components::Rgbl, 1) => [76, 210, 106],
        (Components::Rgbl, 2) | (Components::YCbCr, 1) => [92, 148, 255],
        (Components::YCbCr, 2) => [255, 104, 128],
        _ => [226, 214, 194],
    }
}

/// Returns the colour of a single channel at a brightness: from black through the channel's colour towards white, so
/// that even the largest shares can be told apart.
#[must_use]
pub fn ramp(color: Rgb, brightness: f64) -> Rgb {
    const FULL: f64 = 0.62;
    let level = (brightness / FULL).min(1.0);
    let white = ((brightness - FULL) / (1.0 - FULL)).max(0.0) * 0.85;
    color.map(|c| {
        let c = f64::from(c) * level;
        (c + (255.0 - c) * white).round() as u8
    })
}

/// Returns the colour that combines the brightness of red, green and blue. It is gray if all three are equal.
#[must_use]
pub fn mixed(brightness: [f64; 3]) -> Rgb {
    brightness.map(|b| ((b * 1.3).min(1.0) * 255.0).round() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brightness_rises_from_zero_to_one() {
        assert_eq!((brightness(0.0), brightness(1.0)), (0.0, 1.0));
        let stated = [0.001, 0.01, 0.1].map(|share| (brightness(share) * 100.0).round());
        assert_eq!(stated, [19.0, 42.0, 69.0]);
    }

    #[test]
    fn each_channel_is_black_without_counts_and_near_white_at_most() {
        for channel in 0..4 {
            let color = channel_color(Components::Rgbl, channel);
            assert_eq!(ramp(color, 0.0), [0; 3]);
            assert!(ramp(color, 1.0).iter().all(|c| *c > 220));
            assert_eq!(ramp(color, 0.62), color);
        }
    }
}
