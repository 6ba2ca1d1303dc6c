//! The light that codes stand for, and the luminance of it beside that of the codes.
//!
//! Luminance of the encoded codes weighs R', G' and B' as they are. Light adds up before it is encoded: a pixel's luminance of linear
//! light weighs the light of its three codes. Its bin is the code of the gray that is as bright, so that it stands on the same axis:
//! gray pixels have one bin in both histograms, and whatever differs is the colour. On an axis of light itself most pictures would
//! stand in the lowest fifth.
//!
//! The light of each code is an integer, worked out once by operations that IEEE 754 defines to the last bit, so that it is the same
//! on every machine; from there to the bin all arithmetic is integer.

/// How codes become light (ITU-T H.273, "transfer characteristics").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Transfer {
    /// BT.1886, a power of 2.4 above a black of no light: what video is watched with that is tagged as neither of the others, or not
    /// at all.
    #[default]
    Bt1886,
    /// IEC 61966-2-1, sRGB.
    Srgb,
    /// Light itself.
    Linear,
    /// SMPTE ST 2084, of which the top code is 10000 cd/m².
    Pq,
    /// ARIB STD-B67. The light is that of the scene: that of a display grows with it, and so does not change which gray is as bright.
    Hlg,
}

impl Transfer {
    /// Every transfer function.
    pub const ALL: [Self; 5] = [Self::Bt1886, Self::Srgb, Self::Linear, Self::Pq, Self::Hlg];

    /// What video with FFmpeg's name of a tag, or without one, is watched with.
    #[must_use]
    pub fn of_tag(name: Option<&str>) -> Self {
        match name {
            Some("iec61966-2-1") => Self::Srgb,
            Some("linear") => Self::Linear,
            Some("smpte2084") => Self::Pq,
            Some("arib-std-b67") => Self::Hlg,
            _ => Self::Bt1886,
        }
    }

    /// Its name in figures and on screen.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bt1886 => "bt1886",
            Self::Srgb => "srgb",
            Self::Linear => "linear",
            Self::Pq => "pq",
            Self::Hlg => "hlg",
        }
    }

    /// The light of a signal, both 0 to 1.
    fn light(self, signal: f64) -> f64 {
        match self {
            Self::Bt1886 => power(signal, 2.4),
            Self::Srgb if signal <= 0.040_45 => signal / 12.92,
            Self::Srgb => power((signal + 0.055) / 1.055, 2.4),
            Self::Linear => signal,
            Self::Pq => {
                let (m1, m2) = (2610.0 / 16_384.0, 128.0 * 2523.0 / 4096.0);
                let (c1, c2, c3) = (3424.0 / 4096.0, 32.0 * 2413.0 / 4096.0, 32.0 * 2392.0 / 4096.0);
                let root = power(signal, 1.0 / m2);
                power((root - c1).max(0.0) / (c2 - c3 * root), 1.0 / m1)
            }
            Self::Hlg if signal <= 0.5 => signal * signal / 3.0,
            Self::Hlg => {
                let (a, b, c) = (0.178_832_77, 0.284_668_92, 0.559_910_73);
                (exponential((signal - c) / a) + b) / 12.0
            }
        }
    }
}

/// Weights of red, green and blue in luminance, in ten thousandths: those of the encoded codes, so that nothing but the light differs.
pub const WEIGHTS: [u32; 3] = [2126, 7152, 722];

/// The light of every code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LightTable {
    transfer: Transfer,
    /// 2^n words, rising, from 0 to about 2^32 - 1.
    light: Vec<u32>,
}

impl LightTable {
    /// That of codes of `bits` bits, at most 12.
    #[must_use]
    pub fn new(transfer: Transfer, bits: u32) -> Self {
        let top = (1_u32 << bits) - 1;
        let light = |code: u32| (transfer.light(f64::from(code) / f64::from(top)) * f64::from(u32::MAX)).round() as u32;
        Self { transfer, light: (0..=top).map(light).collect() }
    }

    /// How codes become light.
    #[must_use]
    pub const fn transfer(&self) -> Transfer {
        self.transfer
    }

    /// The light of each code.
    #[must_use]
    pub fn light(&self) -> &[u32] {
        &self.light
    }

    /// The bin of a pixel's luminance of linear light: the highest code of which gray has no more light than the pixel, whose light is
    /// the weighted sum of that of its codes, rounded down.
    #[inline]
    #[must_use]
    pub fn bin(&self, codes: [u32; 3]) -> u32 {
        let weighed =
            codes.iter().zip(WEIGHTS).map(|(&code, weight)| u64::from(self.light[code as usize]) * u64::from(weight));
        let light = (weighed.sum::<u64>() / 10_000) as u32;
        (self.light.partition_point(|&gray| gray <= light) - 1) as u32
    }
}

/// A power of a number that is not negative.
fn power(base: f64, exponent: f64) -> f64 {
    if base <= 0.0 { 0.0 } else { exponential(exponent * logarithm(base)) }
}

/// The natural logarithm of a positive number. The standard library's may differ from machine to machine in its last bits: here there
/// are but the four operations, which may not.
fn logarithm(x: f64) -> f64 {
    let bits = x.to_bits();
    let exponent = (bits >> 52) as i32 - 1023;
    let mantissa = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    // Around 1, where the series is short: ln m = 2 artanh((m - 1) / (m + 1)).
    let (mantissa, exponent) =
        if mantissa > std::f64::consts::SQRT_2 { (mantissa / 2.0, exponent + 1) } else { (mantissa, exponent) };
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let square = s * s;
    let series = (0..16).rev().fold(0.0, |sum, k| sum * square + 1.0 / f64::from(2 * k + 1));
    f64::from(exponent) * std::f64::consts::LN_2 + 2.0 * s * series
}

/// e to that power, for what is left of it in a double.
fn exponential(x: f64) -> f64 {
    let halvings = (x / std::f64::consts::LN_2).round();
    let rest = x - halvings * std::f64::consts::LN_2;
    let series = (1..20).rev().fold(1.0, |sum, k| 1.0 + sum * rest / f64::from(k));
    let scale = (halvings as i64 + 1023).clamp(1, 2046) as u64;
    series * f64::from_bits(scale << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables() -> impl Iterator<Item = (Transfer, u32, LightTable)> {
        let kinds = Transfer::ALL.into_iter().flat_map(|transfer| [8, 10, 12].map(|bits| (transfer, bits)));
        kinds.map(|(transfer, bits)| (transfer, bits, LightTable::new(transfer, bits)))
    }

    #[test]
    fn powers_are_those_of_the_standard_library() {
        for (base, exponent) in
            (1..2000).flat_map(|i| [2.4, 1.0 / 78.84, 6.277, 0.5].map(|e| (f64::from(i) / 1999.0, e)))
        {
            let (own, other) = (power(base, exponent), base.powf(exponent));
            assert!((own - other).abs() <= 1e-14 * other, "{base}^{exponent}: {own}, not {other}");
        }
        assert!(power(0.0, 2.4).abs() < f64::MIN_POSITIVE && (exponential(1.0) - std::f64::consts::E).abs() < 1e-15);
    }

    /// Just below 1 a double's fraction is almost 2, whose logarithm would all but cancel out with that of its exponent.
    #[test]
    fn logarithms_around_one_have_all_their_digits() {
        for x in [20, 30, 40].map(|bits| 2_f64.powi(-bits)).iter().flat_map(|step| [1.0 - step, 1.0 + step]) {
            let (own, other) = (logarithm(x), x.ln());
            assert!((own / other - 1.0).abs() <= 1e-14, "{x}: {own}, not {other}");
        }
    }

    #[test]
    fn light_rises_with_every_code_from_none_to_all() {
        for (transfer, bits, table) in tables() {
            assert!(table.light().windows(2).all(|two| two[0] < two[1]), "{transfer:?} of {bits} bits");
            let (first, last) = (table.light()[0], table.light()[(1 << bits) - 1]);
            assert!(first == 0 && last > u32::MAX - 8, "{transfer:?} of {bits} bits: {first} to {last}");
        }
    }

    #[test]
    fn gray_has_its_own_code_and_colours_are_darker_or_brighter_than_their_codes_say() {
        for (transfer, bits, table) in tables() {
            for code in 0..1 << bits {
                assert_eq!(table.bin([code; 3]), code, "{transfer:?} of {bits} bits");
            }
        }
        // Of a pure blue of 255: 0.0722 of all light, which gray of 85 has by BT.1886: (85 / 255)^2.4 = 0.0716; 86 has 0.0737.
        assert_eq!(LightTable::new(Transfer::Bt1886, 8).bin([0, 0, 255]), 85);
        assert_eq!(LightTable::new(Transfer::Linear, 8).bin([0, 0, 255]), 18);
    }

    /// Of each kind the light of some codes, by Python's `decimal` with 60 digits.
    #[test]
    fn the_tables_are_those_of_exact_arithmetic() {
        for (transfer, bits, expected) in EXPECTED {
            let table = LightTable::new(transfer, bits);
            let sum = table
                .light()
                .iter()
                .zip(1_u64..)
                .fold(0_u64, |sum, (&light, place)| sum.wrapping_add(place.wrapping_mul(u64::from(light))));
            assert_eq!(sum, expected, "{transfer:?} of {bits} bits");
        }
    }

    /// The sum of all codes' light, each times its place from 1 on, modulo 2^64.
    const EXPECTED: [(Transfer, u32, u64); 15] = [
        (Transfer::Bt1886, 8, 64_345_882_353_796),
        (Transfer::Bt1886, 10, 1_025_039_754_564_056),
        (Transfer::Bt1886, 12, 16_382_700_661_089_239),
        (Transfer::Srgb, 8, 66_771_308_969_402),
        (Transfer::Srgb, 10, 1_063_862_134_641_295),
        (Transfer::Srgb, 12, 17_003_917_472_134_351),
        (Transfer::Linear, 8, 94_191_496_090_880),
        (Transfer::Linear, 10, 1_502_665_890_958_535),
        (Transfer::Linear, 12, 24_025_062_069_072_180),
        (Transfer::Pq, 8, 27_315_333_151_193),
        (Transfer::Pq, 10, 431_500_517_742_520),
        (Transfer::Pq, 12, 6_881_997_601_822_780),
        (Transfer::Hlg, 8, 43_782_494_346_612),
        (Transfer::Hlg, 10, 695_452_744_063_259),
        (Transfer::Hlg, 12, 11_107_072_839_624_902),
    ];

    #[test]
    fn tags_tell_the_transfer_function() {
        let of = Transfer::of_tag;
        assert_eq!(
            [of(None), of(Some("bt709")), of(Some("smpte2084"))],
            [Transfer::Bt1886, Transfer::Bt1886, Transfer::Pq]
        );
        assert_eq!([of(Some("iec61966-2-1")), of(Some("arib-std-b67"))], [Transfer::Srgb, Transfer::Hlg]);
        assert_eq!(of(Some("linear")), Transfer::Linear);
        assert_eq!(Transfer::ALL.map(Transfer::name), ["bt1886", "srgb", "linear", "pq", "hlg"]);
    }
}
