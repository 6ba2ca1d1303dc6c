//! The distance between two histograms.

/// The earth mover's distance between two histograms of one channel: the mean distance, as a fraction of the scale,
/// that samples must be moved to turn one histogram into the other.
///
/// It is the area between their cumulative histograms, with code c of n bits at level c / (2^n - 1). Both histograms
/// are normalized, so their numbers of samples have no effect. The distance is stored as a fraction of integers and is
/// exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Distance {
    moved: u128,
    of: u128,
}

impl Distance {
    /// Returns the distance between two histograms with at least two bins each and at most 2^32 samples, or `None` if
    /// either is empty.
    #[must_use]
    pub fn of(a: &[u32], b: &[u32]) -> Option<Self> {
        let [(count_a, top_a), (count_b, top_b)] =
            [a, b].map(|bins| (samples(bins), bins.len().saturating_sub(1) as u64));
        if count_a == 0 || count_b == 0 || top_a == 0 || top_b == 0 {
            return None;
        }
        // In units of 1 / (top_a · top_b), the levels of all codes of both histograms are integers.
        let (mut below_a, mut below_b) = (0_u64, 0_u64);
        let (mut next_a, mut next_b) = (0_usize, 0_usize);
        let (mut level, mut moved) = (0_u64, 0_u128);
        while next_a < a.len() && next_b < b.len() {
            let (at_a, at_b) = (next_a as u64 * top_b, next_b as u64 * top_a);
            let at = at_a.min(at_b);
            let [share_a, share_b] =
                [(below_a, count_b), (below_b, count_a)].map(|(n, m)| u128::from(n) * u128::from(m));
            moved += share_a.abs_diff(share_b) * u128::from(at - level);
            level = at;
            if at == at_a {
                below_a += u64::from(a[next_a]);
                next_a += 1;
            }
            if at == at_b {
                below_b += u64::from(b[next_b]);
                next_b += 1;
            }
        }
        let of = u128::from(count_a) * u128::from(count_b) * u128::from(top_a * top_b);
        Some(Self { moved, of })
    }

    /// Returns the distance in codes of `bits` bits.
    #[must_use]
    pub fn codes(self, bits: u32) -> f64 {
        quotient(self.moved * ((1 << bits) - 1), self.of)
    }

    /// Returns the distance in percent of the scale.
    #[must_use]
    pub fn percent(self) -> f64 {
        quotient(self.moved * 100, self.of)
    }
}

fn samples(bins: &[u32]) -> u64 {
    bins.iter().map(|&count| u64::from(count)).sum()
}

/// Divides after reducing to lowest terms. The result is rounded only once if both terms then have at most 53 bits, as
/// for histograms with equally many samples.
fn quotient(numerator: u128, denominator: u128) -> f64 {
    let (mut a, mut b) = (numerator, denominator);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    (numerator / a) as f64 / (denominator / a) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the total distance, in codes, that samples must be moved to turn one histogram into the other. Both must
    /// have equally many samples and bins. Samples are paired in ascending order, which is optimal on a line.
    fn codes_moved(a: &[u32], b: &[u32]) -> u64 {
        let sorted = |bins: &[u32]| -> Vec<usize> {
            bins.iter().enumerate().flat_map(|(code, &count)| std::iter::repeat_n(code, count as usize)).collect()
        };
        sorted(a).into_iter().zip(sorted(b)).map(|(from, to)| from.abs_diff(to) as u64).sum()
    }

    /// Returns pseudorandom bins with this number of samples.
    fn bins(bits: u32, samples: u32, seed: u64) -> Vec<u32> {
        let mut bins = vec![0; 1 << bits];
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        for _ in 0..samples {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            // Products of random numbers tend to be small, so most codes are dark.
            let (a, b) = ((state >> 40) & 0xfff, (state >> 20) & 0xfff);
            bins[((a * b) >> (24 - bits)) as usize] += 1;
        }
        bins
    }

    #[test]
    fn it_is_the_mean_distance_that_samples_are_moved() {
        for (bits, samples) in [(8, 1), (8, 997), (10, 1000), (12, 4001)] {
            for seed in 0..20 {
                let (a, b) = (bins(bits, samples, 2 * seed + 1), bins(bits, samples, 2 * seed + 2));
                let moved = codes_moved(&a, &b);
                let distance = Distance::of(&a, &b).expect("both count something");
                assert_eq!(distance.codes(bits), moved as f64 / f64::from(samples));
                assert_eq!(Some(distance), Distance::of(&b, &a), "both ways are as long");
            }
        }
    }

    #[test]
    fn black_and_white_are_100_percent_apart_at_any_depth() {
        let mut ends = Vec::new();
        for bits in [8, 10, 12] {
            let (mut black, mut white) = (vec![0; 1 << bits], vec![0; 1 << bits]);
            black[0] = 3 + bits;
            white[(1 << bits) - 1] = 5;
            ends.push((black, white));
        }
        for (black, _) in &ends {
            for (other, white) in &ends {
                assert_eq!(Distance::of(black, white).map(Distance::percent), Some(100.0));
                assert_eq!(Distance::of(black, other).map(Distance::percent), Some(0.0));
            }
        }
        assert_eq!(Distance::of(&ends[1].0, &ends[1].1).map(|distance| distance.codes(10)), Some(1023.0));
    }

    #[test]
    fn multiplying_all_counts_does_not_change_the_distance() {
        let (a, b) = (bins(8, 500, 3), bins(8, 500, 4));
        let twice: Vec<u32> = b.iter().map(|count| 2 * count).collect();
        assert_eq!(
            Distance::of(&a, &twice).map(|distance| distance.codes(8)),
            Distance::of(&a, &b).map(|distance| distance.codes(8))
        );
        assert_eq!(Distance::of(&b, &twice).map(Distance::percent), Some(0.0));
    }

    #[test]
    fn an_empty_histogram_has_no_distance() {
        assert_eq!(Distance::of(&[0; 256], &[1; 256]), None);
        assert_eq!(Distance::of(&[1; 256], &[0; 1024]), None);
        assert_eq!(Distance::of(&[], &[]), None);
    }

    #[test]
    fn the_largest_counts_do_not_overflow() {
        let (mut black, mut white) = (vec![0; 4096], vec![0; 4096]);
        (black[0], white[4095]) = (u32::MAX, u32::MAX);
        assert_eq!(Distance::of(&black, &white).map(|distance| distance.codes(12)), Some(4095.0));
    }
}
