//! Transfer functions from signal to linear light, by operations that IEEE 754 defines to the last bit.

/// A transfer function from codes to linear light (ITU-T H.273, "transfer characteristics").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Transfer {
    /// BT.1886 with an exponent of 2.4 and a black level of zero. Displays use it for video with other tags or none.
    #[default]
    Bt1886,
    /// sRGB (IEC 61966-2-1).
    Srgb,
    /// Linear light.
    Linear,
    /// PQ (SMPTE ST 2084); the highest code is 10000 cd/m².
    Pq,
    /// HLG (ARIB STD-B67), to scene light. A display's gain depends only on luminance, so pixels of equal luminance
    /// stay equally bright.
    Hlg,
}

impl Transfer {
    /// Every transfer function.
    pub const ALL: [Self; 5] = [Self::Bt1886, Self::Srgb, Self::Linear, Self::Pq, Self::Hlg];

    /// Returns the transfer function for a tag by FFmpeg's name, or for untagged video.
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

    /// Returns the name used in figures and on screen.
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

    /// Returns the name used in sentences.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Bt1886 => "BT.1886",
            Self::Srgb => "sRGB",
            Self::Linear => "linear",
            Self::Pq => "PQ",
            Self::Hlg => "HLG",
        }
    }

    /// Returns FFmpeg's name of the tag.
    #[must_use]
    pub const fn tag(self) -> &'static str {
        match self {
            Self::Bt1886 => "bt709",
            Self::Srgb => "iec61966-2-1",
            Self::Linear => "linear",
            Self::Pq => "smpte2084",
            Self::Hlg => "arib-std-b67",
        }
    }

    /// Returns the light of a signal, both from 0 to 1. Uses only the four basic operations, so that the result is the
    /// same on every machine.
    #[must_use]
    pub fn light(self, signal: f64) -> f64 {
        match self {
            Self::Bt1886 => power(signal, 2.4),
            Self::Srgb if signal <= 0.040_45 => signal / 12.92,
            Self::Srgb => power((signal + 0.055) / 1.055, 2.4),
            Self::Linear => signal,
            Self::Pq => {
                let root = power(signal, 1.0 / M2);
                power((root - C1).max(0.0) / (C2 - C3 * root), 1.0 / M1)
            }
            Self::Hlg if signal <= 0.5 => signal * signal / 3.0,
            Self::Hlg => {
                let (a, b, c) = (0.178_832_77, 0.284_668_92, 0.559_910_73);
                (exponential((signal - c) / a) + b) / 12.0
            }
        }
    }
}

/// Constants of PQ (SMPTE ST 2084).
const M1: f64 = 2610.0 / 16_384.0;
const M2: f64 = 128.0 * 2523.0 / 4096.0;
const C1: f64 = 3424.0 / 4096.0;
const C2: f64 = 32.0 * 2413.0 / 4096.0;
const C3: f64 = 32.0 * 2392.0 / 4096.0;

/// Returns the PQ signal of light as a fraction of 10000 cd/m², both from 0 to 1.
pub(crate) fn pq_signal(light: f64) -> f64 {
    let root = power(light, M1);
    power((C1 + C2 * root) / (1.0 + C3 * root), M2)
}

/// A curve from signals to linear light, for constant-luminance matrices and ICtCp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SignalCurve {
    /// The inverse of the camera curve (OETF) of BT.709 and BT.2020.
    Camera,
    /// PQ (SMPTE ST 2084).
    Pq,
    /// HLG (ARIB STD-B67), to scene light.
    Hlg,
}

impl SignalCurve {
    /// Returns the curve for a transfer function's number in H.273, or `None` if it is unsupported or "unspecified".
    #[must_use]
    pub const fn of_number(number: i32) -> Option<Self> {
        match number {
            1 | 6 | 14 | 15 => Some(Self::Camera),
            16 => Some(Self::Pq),
            18 => Some(Self::Hlg),
            _ => None,
        }
    }

    /// Returns the name used in text.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Camera => "BT.2020",
            Self::Pq => "PQ",
            Self::Hlg => "HLG",
        }
    }

    /// Returns the light of a signal, both from 0 to 1.
    #[must_use]
    pub fn light(self, signal: f64) -> f64 {
        const ALPHA: f64 = 1.099_296_826_809_44;
        const BETA: f64 = 0.018_053_968_510_807;
        match self {
            Self::Camera if signal < 4.5 * BETA => signal / 4.5,
            Self::Camera => power((signal + (ALPHA - 1.0)) / ALPHA, 1.0 / 0.45),
            Self::Pq => Transfer::Pq.light(signal),
            Self::Hlg => Transfer::Hlg.light(signal),
        }
    }

    /// Returns the signal of a light value, both from 0 to 1.
    #[must_use]
    pub fn signal(self, light: f64) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        // Bisection, down to the resolution of an `f64`.
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if self.light(middle) <= light { low = middle } else { high = middle }
        }
        low
    }
}

/// Raises a non-negative number to a power.
pub(crate) fn power(base: f64, exponent: f64) -> f64 {
    if base <= 0.0 { 0.0 } else { exponential(exponent * logarithm(base)) }
}

/// Returns the natural logarithm of a positive number. The last bits of the standard library's result may differ
/// between machines; this function uses only the four basic operations, which do not.
pub(crate) fn logarithm(x: f64) -> f64 {
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

/// Returns e^x, using only the four basic operations.
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

    /// Just below 1, the mantissa is almost 2, and its logarithm would nearly cancel out with the exponent's.
    #[test]
    fn logarithms_around_one_have_all_their_digits() {
        for x in [20, 30, 40].map(|bits| 2_f64.powi(-bits)).iter().flat_map(|step| [1.0 - step, 1.0 + step]) {
            let (own, other) = (logarithm(x), x.ln());
            assert!((own / other - 1.0).abs() <= 1e-14, "{x}: {own}, not {other}");
        }
    }

    #[test]
    fn the_pq_signal_of_light_is_the_one_that_gives_it() {
        for signal in (1..=1023).map(|code| f64::from(code) / 1023.0) {
            assert!((pq_signal(Transfer::Pq.light(signal)) - signal).abs() < 1e-12, "{signal}");
        }
    }

    #[test]
    fn tags_determine_the_transfer_function() {
        let of = Transfer::of_tag;
        assert_eq!(
            [of(None), of(Some("bt709")), of(Some("smpte2084"))],
            [Transfer::Bt1886, Transfer::Bt1886, Transfer::Pq]
        );
        assert_eq!([of(Some("iec61966-2-1")), of(Some("arib-std-b67"))], [Transfer::Srgb, Transfer::Hlg]);
        assert_eq!(of(Some("linear")), Transfer::Linear);
        assert_eq!(Transfer::ALL.map(|transfer| of(Some(transfer.tag()))), Transfer::ALL);
        assert_eq!(Transfer::ALL.map(Transfer::name), ["bt1886", "srgb", "linear", "pq", "hlg"]);
    }
}
