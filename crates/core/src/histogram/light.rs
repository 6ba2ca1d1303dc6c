//! Linear light of codes, and linear-light luminance as opposed to the luminance of gamma-encoded codes.
//!
//! The luminance of encoded codes is a weighted sum of R', G' and B'. Linear-light luminance is a weighted sum of the
//! light of the three codes. Its bin is the code of the gray of equal luminance, so that both luminances share an axis:
//! gray pixels have the same bin in both histograms, and any difference is due to colour. On a linear axis, most
//! pictures would occupy only the lowest fifth.
//!
//! The light of each code is an integer, computed once by operations that IEEE 754 defines to the last bit, so that it
//! is the same on every machine. From there to the bin, all arithmetic is integer.

use crate::picture::luminance::LuminanceWeights;
pub use crate::picture::transfer::Transfer;

/// The light of every code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LightTable {
    transfer: Transfer,
    /// 2^n ascending values from 0 to about 2^32 - 1.
    light: Vec<u32>,
}

impl LightTable {
    /// Computes the table for codes of `bits` bits, at most 12.
    #[must_use]
    pub fn new(transfer: Transfer, bits: u32) -> Self {
        let top = (1_u32 << bits) - 1;
        let light = |code: u32| (transfer.light(f64::from(code) / f64::from(top)) * f64::from(u32::MAX)).round() as u32;
        Self { transfer, light: (0..=top).map(light).collect() }
    }

    /// Returns the transfer function.
    #[must_use]
    pub const fn transfer(&self) -> Transfer {
        self.transfer
    }

    /// Returns the light of each code.
    #[must_use]
    pub fn light(&self) -> &[u32] {
        &self.light
    }

    /// Returns the bin of a pixel's linear-light luminance: the highest code whose gray has no more light than the
    /// pixel. The pixel's light is the weighted sum of the light of its codes, rounded down. The weights are the same
    /// as for encoded codes, so that the two luminances differ only by the light.
    #[inline]
    #[must_use]
    pub fn bin(&self, codes: [u32; 3], weights: LuminanceWeights) -> u32 {
        let weighed = codes.iter().zip(weights.ten_thousandths());
        let weighed = weighed.map(|(&code, weight)| u64::from(self.light[code as usize]) * u64::from(weight));
        let light = (weighed.sum::<u64>() / 10_000) as u32;
        (self.light.partition_point(|&gray| gray <= light) - 1) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables() -> impl Iterator<Item = (Transfer, u32, LightTable)> {
        let kinds = Transfer::ALL.into_iter().flat_map(|transfer| [8, 10, 12].map(|bits| (transfer, bits)));
        kinds.map(|(transfer, bits)| (transfer, bits, LightTable::new(transfer, bits)))
    }

    #[test]
    fn light_rises_with_every_code_from_zero_to_full() {
        for (transfer, bits, table) in tables() {
            assert!(table.light().windows(2).all(|two| two[0] < two[1]), "{transfer:?} of {bits} bits");
            let (first, last) = (table.light()[0], table.light()[(1 << bits) - 1]);
            assert!(first == 0 && last > u32::MAX - 8, "{transfer:?} of {bits} bits: {first} to {last}");
        }
    }

    #[test]
    fn gray_keeps_its_code_and_colours_do_not() {
        for (transfer, bits, table) in tables() {
            for code in 0..1 << bits {
                for weights in LuminanceWeights::ALL {
                    assert_eq!(table.bin([code; 3], weights), code, "{transfer:?} of {bits} bits, {weights}");
                }
            }
        }
        // Pure blue of 255 has 0.0722 of full light. By BT.1886, gray 85 has (85 / 255)^2.4 = 0.0716, and gray 86 has
        // 0.0737. By the weights of BT.2020, it has 0.0593; gray 78 has 0.0583, and gray 79 has 0.0601.
        let blue = |transfer, weights| LightTable::new(transfer, 8).bin([0, 0, 255], weights);
        assert_eq!(blue(Transfer::Bt1886, LuminanceWeights::Bt709), 85);
        assert_eq!(blue(Transfer::Linear, LuminanceWeights::Bt709), 18);
        assert_eq!(blue(Transfer::Bt1886, LuminanceWeights::Bt2020), 78);
        assert_eq!(blue(Transfer::Linear, LuminanceWeights::Bt2020), 15);
    }

    /// Compares checksums of the tables with those computed by Python's `decimal` module with 60 digits.
    #[test]
    fn the_tables_agree_with_exact_arithmetic() {
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

    /// The sum over all codes of the light times the code plus 1, modulo 2^64.
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
}
