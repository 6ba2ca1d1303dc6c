//! Rescaling of a histogram for comparison with another one.

use super::bins::{CHANNELS, Histogram};

impl Histogram {
    /// Rescales the distribution to `bits` bits and the given number of `samples` per channel, so that it can be drawn
    /// over another histogram. Rounding keeps each channel's sum exact. If the depth increases, each code is spread
    /// evenly over the codes that it corresponds to. Out-of-range counts are dropped.
    #[must_use]
    pub fn rescaled_to(&self, bits: u32, samples: [u64; CHANNELS]) -> Self {
        let mut scaled = Self::empty(bits, self.components);
        for (channel, wanted) in samples.into_iter().enumerate() {
            let bins = self.bins(channel);
            let counted: u64 = bins.iter().map(|&bin| u64::from(bin)).sum();
            if counted == 0 {
                continue;
            }
            // Scaled and rounded number of samples below a code. `below` counts in fractions of 1 / `parts`, where
            // `parts` is the number of finer codes per coarser code.
            let parts = 1_u128 << bits.saturating_sub(self.bits);
            let share = |below: u128| {
                (2 * below * u128::from(wanted) + u128::from(counted) * parts) / (2 * u128::from(counted) * parts)
            };
            let (mut below, mut allotted) = (0_u128, 0_u128);
            for (code, bin) in (0_usize..).zip(scaled.bins_mut(channel)) {
                below += match self.bits.checked_sub(bits) {
                    Some(surplus) => {
                        bins[code << surplus..(code + 1) << surplus].iter().map(|&bin| u128::from(bin)).sum()
                    }
                    None => u128::from(bins[code >> (bits - self.bits)]),
                };
                let up_to = share(below);
                *bin = (up_to - allotted) as u32;
                allotted = up_to;
            }
        }
        scaled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::Components;

    #[test]
    fn a_rescaled_histogram_keeps_its_shape_and_has_the_requested_samples() {
        let mut histogram = Histogram::empty(8, Components::Rgbl);
        histogram.bins_mut(0).copy_from_slice(&(0..256_u32).map(|code| code % 17 * 3).collect::<Vec<_>>());
        histogram.bins_mut(1)[255] = 9;
        let samples: u64 = histogram.bins(0).iter().map(|&bin| u64::from(bin)).sum();
        let same = histogram.rescaled_to(8, [samples, 9, 5, 0]);
        assert_eq!(same, histogram, "nothing is changed in the same measure, and of nothing nothing is made");
        let deeper = histogram.rescaled_to(10, [4 * samples, 9, 0, 0]);
        assert!(deeper.bins(0).chunks(4).zip(histogram.bins(0)).all(|(fine, &bin)| fine == [bin; 4]));
        assert_eq!(deeper.bins(1)[1020..].iter().sum::<u32>(), 9);
        assert_eq!(deeper.rescaled_to(8, [samples, 9, 0, 0]).bins(0), histogram.bins(0));
        for wanted in [1, 100, 8_294_400] {
            let scaled = histogram.rescaled_to(8, [wanted; 4]);
            assert_eq!(scaled.bins(0).iter().map(|&bin| u64::from(bin)).sum::<u64>(), wanted);
            let exact = |code: usize| f64::from(histogram.bins(0)[code]) * wanted as f64 / samples as f64;
            assert!((0..256).all(|code| (f64::from(scaled.bins(0)[code]) - exact(code)).abs() <= 1.0));
        }
    }
}
