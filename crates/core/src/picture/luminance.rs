//! Luminance of R'G'B' codes: the weights of red, green and blue, and the bin of a pixel.

use std::fmt;

use crate::picture::primaries::Primaries;

/// The weights of red, green and blue in luminance. They add up to 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LuminanceWeights {
    /// Those of BT.709: 0.2126, 0.7152 and 0.0722.
    #[default]
    Bt709,
    /// Those of BT.2020 and BT.2100: 0.2627, 0.6780 and 0.0593.
    Bt2020,
}

impl LuminanceWeights {
    /// Every set of weights.
    pub const ALL: [Self; 2] = [Self::Bt709, Self::Bt2020];

    /// Returns the weights of red, green and blue in ten-thousandths.
    #[inline]
    #[must_use]
    pub const fn ten_thousandths(self) -> [u32; 3] {
        match self {
            Self::Bt709 => [2126, 7152, 722],
            Self::Bt2020 => [2627, 6780, 593],
        }
    }

    /// Returns the name used on the command line and in JSON output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bt709 => "bt709",
            Self::Bt2020 => "bt2020",
        }
    }

    /// Returns the luminance bin of a pixel's clamped R'G'B' codes at `bits` bits.
    ///
    /// The result is exactly `min(N-1, floor(N · (w_r r + w_g g + w_b b)))` with N = 2^bits, r, g, b = code / (N-1),
    /// and the weights w. Up to 12 bits per code, every intermediate value fits in 32 bits.
    #[inline]
    #[must_use]
    pub const fn bin(self, [r, g, b]: [u32; 3], bits: u32) -> u32 {
        let [red, green, blue] = self.ten_thousandths();
        let top = (1 << bits) - 1;
        let sum = red * r + green * g + blue * b;
        let quotient = sum / 10_000;
        let carry = (sum % 10_000) * top + sum >= 10_000 * top;
        let bin = quotient + carry as u32;
        if bin < top { bin } else { top }
    }
}

/// Writes the weights in words: `0.2126 R' + 0.7152 G' + 0.0722 B' (BT.709)`.
impl fmt::Display for LuminanceWeights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.ten_thousandths();
        let standard = match self {
            Self::Bt709 => "BT.709",
            Self::Bt2020 => "BT.2020",
        };
        write!(f, "0.{red:04} R' + 0.{green:04} G' + 0.{blue:04} B' ({standard})")
    }
}

/// The user's choice of weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WeightsChoice {
    /// These weights for every video.
    Always(LuminanceWeights),
    /// The weights of the video's primaries.
    OfPrimaries,
}

impl Default for WeightsChoice {
    fn default() -> Self {
        Self::Always(LuminanceWeights::default())
    }
}

impl WeightsChoice {
    /// Returns the name used on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Always(weights) => weights.name(),
            Self::OfPrimaries => "auto",
        }
    }

    /// Returns the weights for pictures with these primaries. Primaries other than those of BT.2020 have the weights of
    /// BT.709.
    #[must_use]
    pub const fn weights(self, primaries: Primaries) -> LuminanceWeights {
        match (self, primaries) {
            (Self::Always(weights), _) => weights,
            (Self::OfPrimaries, Primaries::Bt2020) => LuminanceWeights::Bt2020,
            (Self::OfPrimaries, _) => LuminanceWeights::Bt709,
        }
    }
}

/// Returns the luminance bin of a pixel from its weighted sum of codes, with weights in ten-thousandths.
///
/// [`LuminanceWeights::bin`] computes floor(sum · N / (10000 · (N-1))), which takes a division. Dividing by a constant
/// equals multiplying by its inverse in fixed point, M / 2^K, if K is large enough that rounding M never carries a
/// result over an integer. At 12 bits per code, M has 34 bits: its upper part is multiplied separately, so that the
/// product needs only the upper half of a 32 × 32-bit multiplication.
#[inline(always)]
pub const fn luminance_of_sum<const BINS: usize>(sum: u32) -> u32 {
    let (magic, shift) = luminance_magic::<BINS>();
    let low = ((sum as u64 * (magic & 0xffff_ffff)) >> 32) as u32;
    let high = sum * (magic >> 32) as u32;
    let bin = (low + high) >> (shift - 32);
    // Only white reaches N.
    let top = BINS as u32 - 1;
    if bin < top { bin } else { top }
}

/// Returns M and K. For each depth, K is the smallest that gives the right bin for *every* sum; a test checks all sums.
pub const fn luminance_magic<const BINS: usize>() -> (u64, u32) {
    match BINS {
        256 => (13_797_793, 37),
        1024 => (55_029_321, 39),
        _ => (14_077_185_649, 47),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_add_up_to_one_and_are_named() {
        for weights in LuminanceWeights::ALL {
            assert_eq!(weights.ten_thousandths().iter().sum::<u32>(), 10_000, "{weights}");
        }
        assert_eq!(LuminanceWeights::default().to_string(), "0.2126 R' + 0.7152 G' + 0.0722 B' (BT.709)");
        assert_eq!(LuminanceWeights::Bt2020.to_string(), "0.2627 R' + 0.6780 G' + 0.0593 B' (BT.2020)");
    }

    #[test]
    fn only_primaries_of_bt2020_have_other_weights_if_they_decide() {
        let of = |choice: WeightsChoice, primaries| choice.weights(primaries).name();
        for primaries in [Primaries::Bt709, Primaries::Smpte432, Primaries::Smpte170m] {
            assert_eq!(of(WeightsChoice::OfPrimaries, primaries), "bt709", "{primaries:?}");
        }
        assert_eq!(of(WeightsChoice::OfPrimaries, Primaries::Bt2020), "bt2020");
        assert_eq!(of(WeightsChoice::default(), Primaries::Bt2020), "bt709", "not unless they are asked");
        assert_eq!(of(WeightsChoice::Always(LuminanceWeights::Bt2020), Primaries::Bt709), "bt2020");
    }

    #[test]
    fn luminance_is_the_floor_of_the_real_formula() {
        // In integers: floor(N · Σ weight · code / (10000 · (N-1))).
        for (weights, [red, green, blue]) in
            [(LuminanceWeights::Bt709, [2126, 7152, 722]), (LuminanceWeights::Bt2020, [2627, 6780, 593])]
        {
            for bits in [8_u32, 10, 12] {
                let n = 1_u64 << bits;
                let step = if bits == 8 { 5 } else { (n / 40) as usize };
                for r in (0..n as u32).step_by(step) {
                    for g in (0..n as u32).step_by(step) {
                        for b in (0..n as u32).step_by(step) {
                            let sum = red * u64::from(r) + green * u64::from(g) + blue * u64::from(b);
                            let exact = (n * sum / (10_000 * (n - 1))).min(n - 1);
                            assert_eq!(u64::from(weights.bin([r, g, b], bits)), exact, "{bits} bits, {r} {g} {b}");
                        }
                    }
                }
                for gray in 0..n as u32 {
                    let sum = 10_000 * u64::from(gray);
                    let exact = (n * sum / (10_000 * (n - 1))).min(n - 1);
                    assert_eq!(u64::from(weights.bin([gray; 3], bits)), exact);
                }
            }
        }
    }

    /// Compares every sum that codes of this depth can have with the definition, computed in 64 bits.
    fn check_every_sum<const BINS: usize>() {
        let (n, top) = (BINS as u64, BINS as u64 - 1);
        for sum in 0..=10_000 * top {
            let exact = (sum * n / (10_000 * top)).min(top);
            assert_eq!(u64::from(luminance_of_sum::<BINS>(sum as u32)), exact, "{sum}");
        }
    }

    #[test]
    fn luminance_by_multiplication_is_exact_at_8_bits() {
        check_every_sum::<256>();
    }

    #[test]
    fn luminance_by_multiplication_is_exact_at_10_bits() {
        check_every_sum::<1024>();
    }

    #[test]
    fn luminance_by_multiplication_is_exact_at_12_bits() {
        check_every_sum::<4096>();
    }
}
