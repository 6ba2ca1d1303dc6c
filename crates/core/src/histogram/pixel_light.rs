//! The light of pixels in cd/m²: the largest of a pixel's red, green and blue in linear light.
//!
//! MaxCLL is the light of a clip's brightest pixel, MaxFALL the largest average of a frame (CTA-861.3). Both are
//! computed from integers that every engine counts alike:
//!
//! - PQ and BT.1886 turn a code into light whatever the other codes are. So the *value* of a pixel is its largest code,
//!   each code has a bin, and the average is the sum of each bin times its code's light, divided by the pixels.
//! - HLG's system gamma depends on a pixel's luminance, so no code has a light of its own. The value of a pixel is its
//!   light as a fraction of the display's peak, in units of 2^-32. The average comes from the sum of the values, which is
//!   exact. Bins, for percentiles and shares, are 256 to an octave.
//!
//! With a [gamut](LightMeter::counts_gamut), the pixels outside P3-D65 and outside BT.709 are counted, too.

use std::sync::{Arc, Mutex, PoisonError};

use super::light::{LightTable, Transfer};
use crate::picture::transfer::{logarithm, power};

/// The relation between a video's codes and light in cd/m².
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LightScale {
    /// PQ (SMPTE ST 2084), which is absolute.
    Pq,
    /// HLG (BT.2100), on a display with this peak in cd/m².
    Hlg {
        /// The display's nominal peak, at least [`LOWEST_HLG_PEAK`].
        peak: u32,
    },
    /// BT.1886 with a black level of zero, on a display with this white in cd/m².
    Bt1886 {
        /// The light of the highest code.
        white: u32,
    },
}

/// The lowest peak in cd/m² for which BT.2100 defines the system gamma of HLG.
pub const LOWEST_HLG_PEAK: u32 = 400;
/// The peak of BT.2100's reference display for HLG, in cd/m².
pub const USUAL_HLG_PEAK: u32 = 1000;

impl LightScale {
    /// Returns the scale's transfer function.
    #[must_use]
    pub const fn transfer(self) -> Transfer {
        match self {
            Self::Pq => Transfer::Pq,
            Self::Hlg { .. } => Transfer::Hlg,
            Self::Bt1886 { .. } => Transfer::Bt1886,
        }
    }

    /// Returns the light of the highest code in cd/m².
    #[must_use]
    pub fn peak(self) -> f64 {
        match self {
            Self::Pq => 10_000.0,
            Self::Hlg { peak } => f64::from(peak),
            Self::Bt1886 { white } => f64::from(white),
        }
    }
}

/// Light at which axes have ticks, in cd/m².
pub const TICKS: [f64; 8] = [0.1, 1.0, 10.0, 100.0, 203.0, 1000.0, 4000.0, 10_000.0];

impl LightScale {
    /// Returns the light of a pixel in cd/m², by the largest of its signals, which are from 0 to 1.
    #[must_use]
    pub fn light(self, signals: [f64; 3]) -> f64 {
        self.lights(signals).into_iter().fold(0.0, f64::max)
    }

    /// Returns the light of red, green and blue in cd/m², for signals from 0 to 1.
    #[must_use]
    pub fn lights(self, signals: [f64; 3]) -> [f64; 3] {
        let light = signals.map(|signal| self.transfer().light(signal.clamp(0.0, 1.0)));
        let gain = match self {
            Self::Hlg { peak } => {
                let luminance: f64 =
                    light.iter().zip(HLG_WEIGHTS).map(|(light, weight)| light * f64::from(weight) / 10_000.0).sum();
                power(luminance, system_gamma(f64::from(peak)) - 1.0)
            }
            Self::Pq | Self::Bt1886 { .. } => 1.0,
        };
        light.map(|light| light * gain * self.peak())
    }

    /// Returns the signal, from 0 to 1, of a gray with this light in cd/m².
    #[must_use]
    pub fn signal_of_gray(self, light: f64) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        // Bisection, down to the resolution of an `f64`.
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if self.light([middle; 3]) <= light { low = middle } else { high = middle }
        }
        low
    }
}

/// Returns light in cd/m² for people, with about three digits.
#[must_use]
pub fn light_text(light: f64) -> String {
    let digits = match light {
        ..0.1 => 4,
        ..1.0 => 3,
        ..10.0 => 2,
        ..100.0 => 1,
        _ => 0,
    };
    format!("{light:.digits$} cd/m²")
}

/// Bits of the bins' number if pixels are counted by their light instead of by their largest code.
pub const LIGHT_BITS: u32 = 12;
/// Bits of the number of bins in an octave.
const OCTAVE_BITS: u32 = 8;
/// The lowest octave: all light below 2^-16 of the peak is in bin 0.
const LOWEST_OCTAVE: u32 = 16;

/// Weights of red, green and blue in the luminance of HLG's system gamma (BT.2100), in ten-thousandths.
pub const HLG_WEIGHTS: [u32; 3] = [2627, 6780, 593];

/// Bits of the fractions in [`GAMUTS`], and of lights before they are multiplied.
pub const GAMUT_BITS: u32 = 15;
/// For P3-D65 and BT.709, the rows that give red, green and blue of light of BT.2020, in units of 2^-15. A pixel is
/// outside if any of the three is negative.
pub const GAMUTS: [[[i32; 3]; 3]; 2] = [
    [[44_026, -9246, -2012], [-2140, 35_251, -344], [92, -642, 33_318]],
    [[54_411, -19_256, -2387], [-4081, 37_123, -274], [-595, -3296, 36_659]],
];

/// Positions in [`LightMeter::table`]: the light of each code, then Y^(γ-1) by octaves, then by mantissas.
pub const OCTAVES_AT: usize = 1 << 12;
/// As [`OCTAVES_AT`].
pub const MANTISSAS_AT: usize = OCTAVES_AT + 32;
/// Words of [`LightMeter::table`].
pub const TABLE_WORDS: usize = MANTISSAS_AT + 257;

/// Measures the light of pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct LightMeter {
    scale: LightScale,
    bits: u32,
    counts_gamut: bool,
    /// The linear light of each code, 32 bits; then, for HLG, Y^(γ-1) of 2^-n, and of 257 mantissas from a half to 1.
    table: Vec<u32>,
    /// The light of each bin in cd/m².
    lights: Vec<f64>,
}

impl LightMeter {
    /// Creates a meter for codes of `bits` bits, at most 12. With `counts_gamut`, pixels outside P3-D65 and BT.709 are
    /// counted, which supposes primaries of BT.2020.
    #[must_use]
    pub fn new(scale: LightScale, bits: u32, counts_gamut: bool) -> Self {
        let mut table = vec![0; TABLE_WORDS];
        let codes = LightTable::new(scale.transfer(), bits);
        table[..1 << bits].copy_from_slice(codes.light());
        if let LightScale::Hlg { peak } = scale {
            let exponent = system_gamma(f64::from(peak)) - 1.0;
            let fixed = |power: f64| (power * f64::from(u32::MAX)).round() as u32;
            for (octave, word) in (0..32).zip(&mut table[OCTAVES_AT..]) {
                *word = fixed(power(0.5_f64.powi(octave), exponent));
            }
            for (step, word) in (0..257).zip(&mut table[MANTISSAS_AT..]) {
                *word = fixed(power(0.5 + f64::from(step) / 512.0, exponent));
            }
        }
        let mut meter = Self { scale, bits, counts_gamut, table, lights: Vec::new() };
        meter.lights = (0..meter.bin_count()).map(|bin| meter.light_of(bin as u32)).collect();
        meter
    }

    /// Returns the meter for codes of `bits` bits, without gamut. It is kept for the rest of the run, so that what
    /// needs it can be copied with every frame: 50 kB for each scale and depth.
    #[must_use]
    pub fn kept(scale: LightScale, bits: u32) -> &'static Arc<Self> {
        static KEPT: Mutex<Vec<&'static Arc<LightMeter>>> = Mutex::new(Vec::new());
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(meter) = kept.iter().find(|meter| meter.scale == scale && meter.bits == bits) {
            return meter;
        }
        let meter: &'static Arc<Self> = Box::leak(Box::new(Arc::new(Self::new(scale, bits, false))));
        kept.push(meter);
        meter
    }

    /// Returns the relation between codes and light.
    #[must_use]
    pub const fn scale(&self) -> LightScale {
        self.scale
    }

    /// Returns the number of bits per code.
    #[must_use]
    pub const fn bits(&self) -> u32 {
        self.bits
    }

    /// Returns `true` if pixels outside P3-D65 and BT.709 are counted.
    #[must_use]
    pub const fn counts_gamut(&self) -> bool {
        self.counts_gamut
    }

    /// Returns `true` if a pixel's light depends on its largest code only, which is its value.
    #[must_use]
    pub const fn is_by_code(&self) -> bool {
        !matches!(self.scale, LightScale::Hlg { .. })
    }

    /// Returns the tables for engines: [`TABLE_WORDS`] words.
    #[must_use]
    pub fn table(&self) -> &[u32] {
        &self.table
    }

    /// Returns the number of bins.
    #[must_use]
    pub const fn bin_count(&self) -> usize {
        if self.is_by_code() { 1 << self.bits } else { 1 << LIGHT_BITS }
    }

    /// Returns the value of a pixel.
    #[inline]
    #[must_use]
    pub fn value(&self, codes: [u32; 3]) -> u32 {
        let largest = codes[0].max(codes[1]).max(codes[2]);
        if self.is_by_code() {
            return largest;
        }
        let light = codes.map(|code| self.table[code as usize]);
        // Light rises with the code.
        high_product(self.table[largest as usize], self.gain(luminance(light)))
    }

    /// Returns Y^(γ-1) for the luminance of scene light; both as fractions of 2^32.
    fn gain(&self, luminance: u32) -> u32 {
        if luminance == 0 {
            return 0;
        }
        let octave = luminance.leading_zeros();
        // From a half to 1.
        let mantissa = luminance << octave;
        let at = MANTISSAS_AT + ((mantissa >> 23) & 255) as usize;
        let (low, high) = (self.table[at], self.table[at + 1]);
        // The step between two entries has at most 24 bits.
        let between = high_product((high - low) << 8, mantissa << 9) >> 8;
        high_product(low + between, self.table[OCTAVES_AT + octave as usize])
    }

    /// Returns the bin of a value.
    #[inline]
    #[must_use]
    pub const fn bin(&self, value: u32) -> usize {
        if self.is_by_code() {
            return value as usize;
        }
        if value >> LOWEST_OCTAVE == 0 {
            return 0;
        }
        let octave = 31 - value.leading_zeros();
        let step = (value >> (octave - OCTAVE_BITS)) & ((1 << OCTAVE_BITS) - 1);
        (((octave - LOWEST_OCTAVE) << OCTAVE_BITS) + step) as usize
    }

    /// Returns whether a pixel is outside P3-D65, and whether it is outside BT.709.
    #[inline]
    #[must_use]
    pub fn outside(&self, codes: [u32; 3]) -> [bool; 2] {
        let light = codes.map(|code| self.table[code as usize]);
        // The largest gets GAMUT_BITS bits, so that dark pixels are as precise as bright ones and no sum overflows.
        let bits = 32 - (light[0] | light[1] | light[2]).leading_zeros();
        let (down, up) = (bits.saturating_sub(GAMUT_BITS), GAMUT_BITS.saturating_sub(bits));
        let light = light.map(|light| ((light >> down) << up) as i32);
        GAMUTS.map(|rows| rows.iter().any(|row| row[0] * light[0] + row[1] * light[1] + row[2] * light[2] < 0))
    }

    /// Returns the light of a value in cd/m².
    #[must_use]
    pub fn light(&self, value: u32) -> f64 {
        let peak = self.scale.peak();
        match self.scale {
            LightScale::Hlg { .. } => f64::from(value) / f64::from(u32::MAX) * peak,
            _ => self.scale.transfer().light(f64::from(value) / f64::from((1_u32 << self.bits) - 1)) * peak,
        }
    }

    /// Returns the light of a bin in cd/m²: exact if pixels are counted by code, otherwise the middle of the bin.
    #[must_use]
    pub fn light_of_bin(&self, bin: usize) -> f64 {
        self.lights[bin]
    }

    fn light_of(&self, bin: u32) -> f64 {
        if self.is_by_code() {
            return self.light(bin);
        }
        if bin == 0 {
            return self.light(1 << (LOWEST_OCTAVE - 1));
        }
        let octave = (bin >> OCTAVE_BITS) + LOWEST_OCTAVE;
        let step = f64::from(bin & ((1 << OCTAVE_BITS) - 1)) + 0.5;
        let value = (1.0 + step / f64::from(1 << OCTAVE_BITS)) * f64::from(1_u32 << octave);
        value / f64::from(u32::MAX) * self.scale.peak()
    }
}

/// Returns HLG's system gamma for a display with this peak in cd/m² (BT.2100).
#[must_use]
pub fn system_gamma(peak: f64) -> f64 {
    // The usual peak is exact, and other logarithms are the same on every machine.
    1.2 + 0.42 * logarithm(peak / f64::from(USUAL_HLG_PEAK)) / std::f64::consts::LN_10
}

/// Returns the luminance of scene light for HLG's system gamma.
fn luminance(light: [u32; 3]) -> u32 {
    let weighed = light.iter().zip(HLG_WEIGHTS).map(|(&light, weight)| u64::from(light) * u64::from(weight));
    (weighed.sum::<u64>() / 10_000) as u32
}

/// Returns the upper 32 of the 64 bits of a product.
fn high_product(a: u32, b: u32) -> u32 {
    ((u64::from(a) * u64::from(b)) >> 32) as u32
}

/// The brightest pixel of a picture: the first in reading order, if there are several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Brightest {
    /// Its [value](LightMeter::value).
    pub value: u32,
    /// Its column in the whole picture.
    pub x: u32,
    /// Its row in the whole picture.
    pub y: u32,
}

impl Brightest {
    /// Returns the brighter of two pixels, or the earlier one if they are equal.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let key = |pixel: Self| (pixel.value, std::cmp::Reverse((pixel.y, pixel.x)));
        if key(other) > key(self) { other } else { self }
    }
}

/// The counted light of a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct LightCounts {
    /// The meter that it was counted with.
    pub meter: Arc<LightMeter>,
    /// Pixels by bin.
    pub bins: Vec<u32>,
    /// The sum of all values.
    pub sum: u64,
    /// The brightest pixel; `None` if no pixel is counted.
    pub brightest: Option<Brightest>,
    /// Pixels outside P3-D65 and outside BT.709, if they are counted.
    pub outside: Option<[u32; 2]>,
}

impl LightCounts {
    /// Creates the counts of no pixels.
    #[must_use]
    pub fn empty(meter: &Arc<LightMeter>) -> Self {
        Self {
            bins: vec![0; meter.bin_count()],
            sum: 0,
            brightest: None,
            outside: meter.counts_gamut.then_some([0; 2]),
            meter: Arc::clone(meter),
        }
    }

    /// Adds the counts of another part of the picture.
    #[must_use]
    pub fn plus(mut self, part: &Self) -> Self {
        self.bins.iter_mut().zip(&part.bins).for_each(|(sum, count)| *sum += count);
        self.sum += part.sum;
        self.brightest = match (self.brightest, part.brightest) {
            (Some(own), Some(other)) => Some(own.or(other)),
            (own, other) => own.or(other),
        };
        self.outside = self.outside.zip(part.outside).map(|([a, b], [c, d])| [a + c, b + d]);
        self
    }

    /// Returns the number of counted pixels.
    #[must_use]
    pub fn pixels(&self) -> u64 {
        self.bins.iter().map(|&count| u64::from(count)).sum()
    }

    /// Returns the figures; `None` if no pixel is counted. `mastering_peak` is that of the mastering display in cd/m².
    #[must_use]
    pub fn figures(&self, mastering_peak: Option<f64>) -> Option<LightFigures> {
        let (meter, brightest) = (&self.meter, self.brightest?);
        let pixels = self.pixels();
        let max = meter.light(brightest.value);
        let average = if meter.is_by_code() {
            let lights = self.bins.iter().zip(&meter.lights);
            lights.map(|(&count, light)| f64::from(count) * light).sum::<f64>() / pixels as f64
        } else {
            self.sum as f64 / pixels as f64 / f64::from(u32::MAX) * meter.scale.peak()
        };
        Some(LightFigures {
            max,
            average,
            brightest: (brightest.x, brightest.y),
            max_9999: self.percentile(9999).min(max),
            pixels,
            above: ABOVE.map(|limit| self.above(f64::from(limit))),
            above_mastering: mastering_peak.map(|peak| self.above(peak)),
            outside: self.outside.map(|counts| counts.map(u64::from)),
        })
    }

    /// Returns the number of pixels above a limit in cd/m².
    #[must_use]
    pub fn above(&self, limit: f64) -> u64 {
        // Unlike a bin of HLG, the brightest pixel is exact.
        if self.brightest.is_none_or(|pixel| self.meter.light(pixel.value) <= limit) {
            return 0;
        }
        let bins = self.bins.iter().zip(&self.meter.lights).rev();
        bins.take_while(|(_, light)| **light > limit).map(|(&count, _)| u64::from(count)).sum()
    }

    /// Returns the light that this many ten-thousandths of the pixels do not exceed.
    fn percentile(&self, parts: u64) -> f64 {
        let bins = self.bins.iter().map(|&count| u64::from(count));
        bin_of_share(bins, parts).map_or(0.0, |bin| self.meter.light_of_bin(bin))
    }
}

/// Returns the lowest bin that this many ten-thousandths of the pixels do not exceed; `None` if there are no pixels.
#[must_use]
pub fn bin_of_share(bins: impl Iterator<Item = u64> + Clone, parts: u64) -> Option<usize> {
    let needed = (bins.clone().sum::<u64>() * parts).div_ceil(10_000).max(1);
    let mut below = 0;
    let reaches = |count: u64| {
        below += count;
        below >= needed
    };
    let mut bins = bins;
    bins.position(reaches)
}

/// Limits in cd/m² above which pixels are reported.
pub const ABOVE: [u32; 4] = [100, 203, 1000, 4000];

/// The figures of the light of a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LightFigures {
    /// Light of the brightest pixel in cd/m².
    pub max: f64,
    /// Average light of all pixels in cd/m².
    pub average: f64,
    /// Column and row of the brightest pixel, the first in reading order.
    pub brightest: (u32, u32),
    /// The light in cd/m² that 99.99 % of the pixels do not exceed.
    pub max_9999: f64,
    /// Number of pixels.
    pub pixels: u64,
    /// Pixels brighter than the limits of [`ABOVE`].
    pub above: [u64; 4],
    /// Pixels brighter than the mastering display's peak, if the file states one.
    pub above_mastering: Option<u64>,
    /// Pixels outside P3-D65 and outside BT.709, if they are counted.
    pub outside: Option<[u64; 2]>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns figures of a picture with these pixels in one row.
    fn figures(meter: &Arc<LightMeter>, pixels: &[([u32; 3], u32)]) -> LightFigures {
        let mut counts = LightCounts::empty(meter);
        let mut x = 0;
        for &(codes, count) in pixels {
            let value = meter.value(codes);
            counts.bins[meter.bin(value)] += count;
            counts.sum += u64::from(value) * u64::from(count);
            let pixel = Brightest { value, x, y: 0 };
            counts.brightest = Some(counts.brightest.map_or(pixel, |brightest| brightest.or(pixel)));
            x += count;
        }
        counts.figures(None).expect("some pixels")
    }

    #[track_caller]
    fn is_near(found: f64, expected: f64, relative: f64) {
        assert!((found - expected).abs() <= relative * expected, "{found}, not {expected}");
    }

    /// Compares with values that NumPy computed from ST 2084 and BT.2100.
    #[test]
    fn grays_have_the_light_of_the_standards_and_their_signals_back() {
        let hlg = LightScale::Hlg { peak: 1000 };
        for (scale, signal, light) in [
            (LightScale::Pq, 0.5, 92.245_71),
            (LightScale::Pq, 0.58, 201.666_3),
            (LightScale::Pq, 1.0, 10_000.0),
            (hlg, 0.5, 50.697_03),
            (hlg, 0.75, 203.152_1),
            (hlg, 1.0, 1000.0),
        ] {
            assert!((scale.light([signal; 3]) / light - 1.0).abs() < 1e-4, "{scale:?}: {}", scale.light([signal; 3]));
            assert!((scale.signal_of_gray(light) - signal).abs() < 1e-4, "{scale:?} {light}");
        }
        let texts = [0.012_34, 0.5, 2.0, 99.84, 1000.4].map(light_text);
        assert_eq!(texts, ["0.0123 cd/m²", "0.500 cd/m²", "2.00 cd/m²", "99.8 cd/m²", "1000 cd/m²"]);
    }

    #[test]
    fn of_equally_bright_pixels_the_first_in_reading_order_counts() {
        let at = |value, x, y| Brightest { value, x, y };
        for (first, second) in [(at(7, 5, 0), at(7, 3, 1)), (at(7, 3, 1), at(7, 4, 1)), (at(8, 9, 9), at(7, 0, 0))] {
            assert_eq!([first.or(second), second.or(first)], [first; 2]);
        }
    }

    /// The levels are those of BT.2408, table 1, and of ST 2084.
    #[test]
    fn known_levels_have_their_light() {
        let pq = LightMeter::new(LightScale::Pq, 10, false);
        is_near(pq.light(1023), 10_000.0, 1e-12);
        is_near(pq.light(594), 203.6, 1e-2); // 58 % is graphics white.
        assert!(pq.light(0).abs() < 1e-12);
        let sdr = LightMeter::new(LightScale::Bt1886 { white: 203 }, 8, false);
        is_near(sdr.light(255), 203.0, 1e-12);
        is_near(sdr.light(128), 203.0 * (128.0_f64 / 255.0).powf(2.4), 1e-12);
        // 75 % HLG is graphics white: 203 cd/m² on a display of 1000 cd/m².
        let hlg = LightMeter::new(LightScale::Hlg { peak: 1000 }, 12, false);
        is_near(hlg.light(hlg.value([3071; 3])), 203.0, 2e-3);
        is_near(hlg.light(hlg.value([4095; 3])), 1000.0, 1e-6);
    }

    #[test]
    fn the_system_gamma_is_that_of_bt2100() {
        for (peak, gamma) in [(1000.0, 1.2), (400.0, 1.032_865), (2000.0, 1.326_432_6), (10_000.0, 1.62)] {
            is_near(system_gamma(peak), gamma, 1e-6);
        }
    }

    /// Compares with the formulas in floating point, for grays and colours of every code.
    #[test]
    fn hlg_is_within_a_ten_thousandth_of_the_formulas() {
        for (peak, bits) in [(400, 10), (1000, 10), (1000, 12), (4000, 10), (10_000, 8)] {
            let meter = LightMeter::new(LightScale::Hlg { peak }, bits, false);
            let top = (1 << bits) - 1;
            let gamma = 1.2 + 0.42 * (f64::from(peak) / 1000.0).log10();
            for code in 1..=top {
                for codes in [[code; 3], [code, 0, 0], [0, code / 2, code], [top - code, code, code / 3]] {
                    let light = codes.map(|code| Transfer::Hlg.light(f64::from(code) / f64::from(top)));
                    let luminance = 0.2627 * light[0] + 0.6780 * light[1] + 0.0593 * light[2];
                    let most = light[0].max(light[1]).max(light[2]);
                    let expected = f64::from(peak) * most * luminance.powf(gamma - 1.0);
                    let found = meter.light(meter.value(codes));
                    let allowed = (1e-6 * expected).max(1e-9 * f64::from(peak));
                    assert!((found - expected).abs() <= allowed, "{peak} {codes:?}: {found}, not {expected}");
                }
            }
        }
    }

    #[test]
    fn bins_of_hlg_rise_with_the_value_and_hold_it() {
        let meter = LightMeter::new(LightScale::Hlg { peak: 1000 }, 10, false);
        let values = (0..32).flat_map(|shift| [0, 1, 3].map(|more| (1_u32 << shift).saturating_add(more << 20)));
        let mut values: Vec<_> = values.chain([0, u32::MAX]).collect();
        values.sort_unstable();
        assert!(values.windows(2).all(|two| meter.bin(two[0]) <= meter.bin(two[1])));
        assert_eq!((meter.bin(0), meter.bin((1 << 16) - 1), meter.bin(u32::MAX)), (0, 0, 4095));
        for &value in values.iter().filter(|value| **value >= 1 << 17) {
            is_near(meter.light_of_bin(meter.bin(value)), meter.light(value), 1.0 / 500.0);
        }
    }

    #[test]
    fn figures_are_those_of_the_pixels() {
        let meter = Arc::new(LightMeter::new(LightScale::Pq, 10, false));
        let (dark, white, peak) = (meter.light(300), meter.light(594), meter.light(900));
        let found = figures(&meter, &[([300, 10, 10], 9_899), ([0, 0, 594], 100), ([900, 899, 0], 1)]);
        is_near(found.average, (9_899.0 * dark + 100.0 * white + peak) / 10_000.0, 1e-12);
        assert_eq!((found.max, found.brightest, found.max_9999), (peak, (9_999, 0), white));
        assert_eq!(found.above, [101, 1, 1, 0], "{white} is above 203 only at code 595");
    }

    #[test]
    fn gamuts_are_told_apart() {
        let meter = LightMeter::new(LightScale::Pq, 10, true);
        // The signals of PQ at 100 cd/m² for a primary of each gamut, by the inverse matrices.
        let signal = |light: f64| {
            let codes =
                (0..1023).min_by(|&a, &b| (meter.light(a) - light).abs().total_cmp(&(meter.light(b) - light).abs()));
            codes.unwrap_or(0)
        };
        let outside = |light: [f64; 3]| meter.outside(light.map(|part| signal(100.0 * part)));
        assert_eq!(outside([1.0, 1.0, 1.0]), [false, false]);
        assert_eq!(outside([0.0, 1.0, 0.0]), [true, true], "green of BT.2020");
        assert_eq!(outside([0.754, 0.053, 0.0]), [false, true], "nearly red of P3");
        assert_eq!(outside([0.63, 0.08, 0.03]), [false, false], "nearly red of BT.709");
        assert_eq!(meter.outside([0; 3]), [false, false]);
        // Dark colours are as far outside as bright ones.
        assert_eq!(meter.outside([0, 30, 0]), [true, true]);
    }
}
