//! Flashes by which viewers may be harmed: changes of each pixel's light, for screening by Rec. ITU-R BT.1702.
//!
//! A pixel changes when its luminance has risen by at least 20 cd/m² from its last lowest value, which lies below
//! 160 cd/m², or has fallen by as much from its last highest value to below 160 cd/m². Changes to and from saturated red
//! are those of (R − G − B) by more than a 16th of white where R is at least 0.8 of R + G + B before or after it, as in
//! WCAG 2.
//!
//! Light is computed in 256ths of a cd/m², in integers, so that the counts are the same on every machine.

use rayon::prelude::*;

use crate::histogram::LightScale;
use crate::histogram::pixel_light::system_gamma;
use crate::picture::Picture;
use crate::picture::luminance::LuminanceWeights;
use crate::picture::transfer::power;
use crate::picture::unpack::Source;

/// Units of light in a cd/m².
const UNITS: f64 = 256.0;
/// The least change of the luminance.
const LEAST_CHANGE: i32 = 20 * 256;
/// The luminance below which the darker state of a change lies.
const DARKER_BELOW: i32 = 160 * 256;
/// The white that changes of red are related to, in cd/m².
const RED_WHITE: i32 = 200 * 256;
/// The part of white by which red must change by more: 20 of 320.
const RED_PART: i32 = 16;
/// Bits of the index of scene luminance for HLG.
const HLG_BITS: u32 = 16;

/// The changes in a frame, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FlashCounts {
    /// Pixels of the frame.
    pub pixels: u64,
    /// Pixels that have become brighter and darker.
    pub luminance: [u64; 2],
    /// Pixels that have become more red and less red.
    pub red: [u64; 2],
}

impl FlashCounts {
    fn plus(self, other: Self) -> Self {
        let sum = |a: [u64; 2], b: [u64; 2]| [a[0] + b[0], a[1] + b[1]];
        Self {
            pixels: self.pixels + other.pixels,
            luminance: sum(self.luminance, other.luminance),
            red: sum(self.red, other.red),
        }
    }
}

/// The direction in which a value has changed last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Direction {
    #[default]
    None,
    Up,
    Down,
}

/// A value and how it changes.
#[derive(Debug, Clone, Copy, Default)]
struct Swing {
    /// The highest value since it has risen, or the lowest since it has fallen.
    extreme: i32,
    direction: Direction,
}

impl Swing {
    /// Takes the next value. Returns the direction if that is a change of at least `least`.
    #[inline(always)]
    fn push(&mut self, value: i32, least: i32) -> Direction {
        let change = value - self.extreme;
        let turned = match self.direction {
            Direction::None if change >= least => Direction::Up,
            Direction::None if change <= -least => Direction::Down,
            Direction::Up if change <= -least => Direction::Down,
            Direction::Down if change >= least => Direction::Up,
            Direction::Up => {
                self.extreme = self.extreme.max(value);
                return Direction::None;
            }
            Direction::Down => {
                self.extreme = self.extreme.min(value);
                return Direction::None;
            }
            Direction::None => return Direction::None,
        };
        *self = Self { extreme: value, direction: turned };
        turned
    }
}

/// What is known of a pixel.
#[derive(Debug, Clone, Copy, Default)]
struct Pixel {
    luminance: Swing,
    red: Swing,
    /// `true` if it was a saturated red at the extreme of its red.
    was_saturated: bool,
}

/// Counts the changes of each pixel. The frames of a clip are pushed in order.
#[derive(Debug)]
pub struct FlashMeter {
    scale: LightScale,
    weights: [u32; 3],
    /// The light of each code in units, for the bits it was made for.
    light: (u32, Vec<i32>),
    /// For HLG, the luminance on the display for the scene's.
    display: Vec<i32>,
    pixels: Vec<Pixel>,
    size: (u32, u32),
}

impl FlashMeter {
    /// Creates a meter for frames whose codes have this light.
    #[must_use]
    pub fn new(scale: LightScale) -> Self {
        let display = match scale {
            LightScale::Hlg { peak } => {
                let (peak, most) = (f64::from(peak), f64::from((1_u32 << HLG_BITS) - 1));
                let gamma = system_gamma(peak);
                (0..1_u32 << HLG_BITS)
                    .map(|at| (UNITS * peak * power(f64::from(at) / most, gamma)).round() as i32)
                    .collect()
            }
            LightScale::Pq | LightScale::Bt1886 { .. } => Vec::new(),
        };
        let is_sdr = matches!(scale, LightScale::Bt1886 { .. });
        let weights = if is_sdr { LuminanceWeights::Bt709 } else { LuminanceWeights::Bt2020 }.ten_thousandths();
        Self { scale, weights, light: (0, Vec::new()), display, pixels: Vec::new(), size: (0, 0) }
    }

    /// Returns the relation between codes and light.
    #[must_use]
    pub const fn scale(&self) -> LightScale {
        self.scale
    }

    /// Takes the next frame, which has R'G'B', and counts its changes. The first frame has none, and neither has the
    /// first of another size.
    pub fn push(&mut self, picture: &Picture) -> FlashCounts {
        let conversion = picture.conversion();
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        if self.light.0 != conversion.bits {
            let most = f64::from(conversion.max_code());
            // Of HLG, the light of the scene, of which the display's follows.
            let peak =
                if self.display.is_empty() { UNITS * self.scale.peak() } else { f64::from((1_u32 << HLG_BITS) - 1) };
            let transfer = self.scale.transfer();
            let light = |code: i32| (peak * transfer.light(f64::from(code) / most)).round() as i32;
            self.light = (conversion.bits, (0..=conversion.max_code()).map(light).collect());
        }
        let is_first = self.size != (picture.width(), picture.height());
        if is_first {
            self.size = (picture.width(), picture.height());
            self.pixels = vec![Pixel::default(); width * height];
        }
        let (light, weights, display) = (&self.light.1[..], self.weights, &self.display[..]);
        let layout = picture.layout();
        let sources: Vec<_> = (0..layout.component_count()).map(|component| Source::new(picture, component)).collect();
        let (shift, chroma_rows) = (layout.columns_shift(), picture.chroma_rows());
        let rows = self.pixels.par_chunks_mut(width.max(1)).enumerate();
        let counts = rows.map_init(
            || [(); 3].map(|()| Vec::new()),
            |codes: &mut [Vec<u16>; 3], (y, pixels)| {
                for (component, (source, codes)) in sources.iter().zip(&mut *codes).enumerate() {
                    codes.resize(source.width, 0);
                    source.unpack(0, if component == 0 { y } else { chroma_rows.of(y) }, codes);
                }
                let [first, second, third] = &*codes;
                let mut counts = FlashCounts { pixels: pixels.len() as u64, ..FlashCounts::default() };
                for (x, pixel) in pixels.iter_mut().enumerate() {
                    let chroma = |codes: &Vec<u16>| codes.get(x >> shift).map_or(0, |&code| i32::from(code));
                    let rgb = conversion.unclamped([i32::from(first[x]), chroma(second), chroma(third)]);
                    let rgb = rgb.map(|code| light[code.clamp(0, conversion.max_code()) as usize]);
                    let weighed: i64 = rgb.iter().zip(weights).map(|(&l, w)| i64::from(l) * i64::from(w)).sum();
                    let luminance = (weighed / 10_000) as i32;
                    let luminance = display.get(luminance as usize).copied().unwrap_or(luminance);
                    let [red, others] = [i64::from(rgb[0]), i64::from(rgb[1]) + i64::from(rgb[2])];
                    pixel.push(luminance, (red - others, red, others), is_first, &mut counts);
                }
                counts
            },
        );
        counts.reduce(FlashCounts::default, FlashCounts::plus)
    }
}

impl Pixel {
    /// Takes the next luminance, and the light of red with that of green and blue.
    #[inline(always)]
    fn push(
        &mut self,
        luminance: i32,
        (surplus, red, others): (i64, i64, i64),
        is_first: bool,
        counts: &mut FlashCounts,
    ) {
        // R/(R + G + B) is at least 0.8.
        let is_saturated = red > 0 && red >= 4 * others;
        let surplus = surplus.clamp(0, i64::from(RED_WHITE)) as i32;
        if is_first {
            self.luminance.extreme = luminance;
            (self.red.extreme, self.was_saturated) = (surplus, is_saturated);
            return;
        }
        let before = self.luminance.extreme;
        // What is bright before and after is no change: the highest value waits until it gets dark.
        if luminance < DARKER_BELOW || before < DARKER_BELOW || luminance >= before {
            let turned = self.luminance.push(luminance, LEAST_CHANGE);
            let is_dark = before.min(luminance) < DARKER_BELOW;
            counts.luminance[0] += u64::from(turned == Direction::Up && is_dark);
            counts.luminance[1] += u64::from(turned == Direction::Down && is_dark);
        }
        let before = self.red.extreme;
        let turned = self.red.push(surplus, RED_WHITE / RED_PART + 1);
        let is_red = is_saturated || self.was_saturated;
        counts.red[0] += u64::from(turned == Direction::Up && is_red);
        counts.red[1] += u64::from(turned == Direction::Down && is_red);
        if turned != Direction::None || self.red.extreme != before {
            self.was_saturated = is_saturated;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::OwnedPlanes;
    use crate::picture::color::{Colorimetry, Matrix, Range};
    use crate::picture::layout::PixelLayout;
    use std::sync::Arc;

    /// A picture of R'G'B' with these codes of 8 bits, one pixel after another.
    fn rgb(codes: &[[u8; 3]]) -> Picture {
        let layout = PixelLayout::planar_gbr(8);
        let size = (codes.len() as u32, 1);
        let color = Colorimetry::resolve(&layout, size, Some(Matrix::Identity), Some(Range::Full), false);
        let plane = |channel: usize| (codes.iter().map(|code| code[channel]).collect::<Vec<u8>>(), codes.len());
        // Green, blue and red.
        let planes = OwnedPlanes { planes: [1, 2, 0].map(plane).into() };
        Picture::new(layout, size, color, Arc::new(planes)).unwrap()
    }

    /// Returns the changes up and down of a single gray pixel of SDR with these codes.
    fn changes(codes: &[u8]) -> Vec<[u64; 2]> {
        let mut meter = FlashMeter::new(LightScale::Bt1886 { white: 200 });
        codes.iter().map(|&code| meter.push(&rgb(&[[code; 3]])).luminance).collect()
    }

    #[test]
    fn a_change_is_one_of_twenty_with_the_darker_state_below_a_hundred_and_sixty() {
        // With BT.1886, code 98 is 20.13 cd/m² of 200, code 97 is 19.64; code 232 is 159.4, code 233 is 161.1.
        assert_eq!(changes(&[0, 97, 0]), [[0, 0]; 3]);
        assert_eq!(changes(&[0, 98, 0]), [[0, 0], [1, 0], [0, 1]]);
        assert_eq!(changes(&[232, 246, 232]), [[0, 0], [1, 0], [0, 1]]);
        assert_eq!(changes(&[233, 255, 233]), [[0, 0]; 3], "bright on bright");
    }

    #[test]
    fn slow_changes_count_once_from_extreme_to_extreme() {
        let up: u64 = changes(&(0..=255).collect::<Vec<_>>()).iter().map(|[up, _]| up).sum();
        assert_eq!(up, 1);
        // From the last highest value on, however slowly it falls.
        let down: Vec<u8> = [0, 255].into_iter().chain((0..255).rev()).collect();
        let found = changes(&down);
        assert_eq!(found.iter().map(|[_, down]| down).sum::<u64>(), 1);
        // The change is known as soon as the darker state is below 160 cd/m².
        assert_eq!(found.iter().position(|[_, down]| *down == 1), Some(2 + 254 - 232));
    }

    #[test]
    fn saturated_red_changes_by_more_than_a_sixteenth_of_white() {
        let red = |codes: &[[u8; 3]]| -> Vec<[u64; 2]> {
            let mut meter = FlashMeter::new(LightScale::Bt1886 { white: 200 });
            codes.iter().map(|&code| meter.push(&rgb(&[code])).red).collect()
        };
        assert_eq!(red(&[[0; 3], [255, 0, 0], [0; 3]]), [[0, 0], [1, 0], [0, 1]]);
        // Code 80 is 12.37 cd/m² of 200, code 81 is 12.75: a sixteenth is 12.5.
        assert_eq!(red(&[[0; 3], [80, 0, 0], [0; 3]]), [[0, 0]; 3]);
        assert_eq!(red(&[[0; 3], [81, 0, 0], [0; 3]]), [[0, 0], [1, 0], [0, 1]]);
        // With a quarter of red's light in green, red is 0.8 of all; code 143 of 255 is 0.2495, 144 is 0.2538.
        assert_eq!(red(&[[0; 3], [255, 143, 0], [0; 3]]), [[0, 0], [1, 0], [0, 1]]);
        assert_eq!(red(&[[0; 3], [255, 144, 0], [0; 3]]), [[0, 0]; 3]);
    }

    #[test]
    fn light_is_that_of_each_transfer_function() {
        let counts = |scale, codes: [u8; 2]| {
            let mut meter = FlashMeter::new(scale);
            meter.push(&rgb(&[[codes[0]; 3]]));
            meter.push(&rgb(&[[codes[1]; 3]])).luminance[0]
        };
        // PQ: code 91 of 255 is 19.97 cd/m², code 92 is 20.89. HLG on a display of 1000 cd/m²: code 86 is 19.71, code 87 is 20.26.
        assert_eq!([91, 92].map(|code| counts(LightScale::Pq, [0, code])), [0, 1]);
        assert_eq!([86, 87].map(|code| counts(LightScale::Hlg { peak: 1000 }, [0, code])), [0, 1]);
    }

    #[test]
    fn every_pixel_is_counted() {
        let mut meter = FlashMeter::new(LightScale::Bt1886 { white: 200 });
        meter.push(&rgb(&[[0; 3]; 100]));
        let codes: Vec<_> = (0..100).map(|at| if at < 26 { [255; 3] } else { [0; 3] }).collect();
        let expected = FlashCounts { pixels: 100, luminance: [26, 0], red: [0, 0] };
        assert_eq!(meter.push(&rgb(&codes)), expected);
    }
}
