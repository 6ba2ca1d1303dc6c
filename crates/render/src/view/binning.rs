//! The number of bins of a drawn histogram, and the codes in each of them.
//!
//! Counting is exact: one bin per code. The bins that are drawn, and that the pointer reads, may be fewer or more. They
//! are computed from the codes' bins, whichever engine counted those, so that they are the same on every engine. The
//! axis stays that of the codes: with N codes and B bins, code c goes to bin floor(c · B / N).

use histoscope_core::histogram::regroup;

/// The drawn bins of a channel with 2^n codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Binning {
    bits: u32,
    count: u32,
}

impl Binning {
    /// Creates `count` bins, at least one, for codes of `bits` bits; one bin per code if `count` is `None`.
    #[must_use]
    pub fn new(bits: u32, count: Option<u32>) -> Self {
        Self { bits, count: count.map_or(1 << bits, |count| count.max(1)) }
    }

    /// Returns n, where 2^n is the number of codes.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.bits
    }

    /// Returns the number of bins per channel.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.count
    }

    /// Returns the highest code.
    #[must_use]
    pub const fn top_code(self) -> u32 {
        (1 << self.bits) - 1
    }

    /// Returns `true` if there is exactly one bin per code, so that the counted bins are the drawn ones.
    #[must_use]
    pub const fn is_of_codes(self) -> bool {
        self.count == 1 << self.bits
    }

    /// Returns the bin that contains a code.
    #[must_use]
    pub fn bin_of(self, code: u32) -> u32 {
        (code.min(self.top_code()) * self.count) >> self.bits
    }

    /// Returns the first and last code of a bin, or `None` if there are more bins than codes and this one contains
    /// none.
    #[must_use]
    pub fn codes_of(self, bin: u32) -> Option<(u32, u32)> {
        let first = |bin: u32| (bin << self.bits).div_ceil(self.count);
        let bin = bin.min(self.count - 1);
        (first(bin) < first(bin + 1)).then(|| (first(bin), first(bin + 1) - 1))
    }

    /// Returns the first and last code of a run of bins. If it contains none, returns the next lower code for both, to
    /// which the position on the axis belongs.
    #[must_use]
    pub fn codes_in(self, (first, last): (u32, u32)) -> (u32, u32) {
        let mut codes = (first..=last).filter_map(|bin| self.codes_of(bin));
        match codes.next() {
            Some(lowest) => (lowest.0, codes.next_back().unwrap_or(lowest).1),
            None => [self.code_below(first); 2].into(),
        }
    }

    /// Returns the code at the left edge of a bin on the axis.
    #[must_use]
    pub fn code_below(self, bin: u32) -> u32 {
        (bin.min(self.count - 1) << self.bits) / self.count
    }

    /// Returns the drawn bins of a channel, given those of its codes.
    #[must_use]
    pub fn regrouped(self, codes: &[u32]) -> Vec<u32> {
        if self.is_of_codes() { codes.to_vec() } else { regroup(codes, self.count) }
    }

    /// Returns a description of the number of bins, or `None` if there is one per code.
    #[must_use]
    pub fn text(self) -> Option<String> {
        (!self.is_of_codes()).then(|| format!("{} bins", self.count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNTS: [u32; 10] = [3, 7, 16, 100, 255, 256, 257, 1000, 1024, 4096];

    #[test]
    fn every_code_is_in_exactly_the_bin_given_by_the_definition() {
        for (bits, count) in [8, 10, 12].into_iter().flat_map(|bits| COUNTS.map(|count| (bits, count))) {
            let binning = Binning::new(bits, Some(count));
            let mut next = 0;
            for bin in 0..count {
                let Some((first, last)) = binning.codes_of(bin) else { continue };
                assert_eq!(first, next, "{bits} bits, bin {bin} of {count}");
                for code in first..=last {
                    let defined = u64::from(code) * u64::from(count) / (1 << bits);
                    assert_eq!((u64::from(bin), bin), (defined, binning.bin_of(code)), "code {code} of {bits} bits");
                }
                next = last + 1;
            }
            assert_eq!(next, 1 << bits, "{count} bins");
        }
    }

    #[test]
    fn surplus_bins_between_codes_stay_empty() {
        let binning = Binning::new(8, Some(1000));
        let filled = (0..1000).filter(|&bin| binning.codes_of(bin).is_some());
        assert_eq!(filled.count(), 256);
        assert_eq!((binning.codes_of(3), binning.codes_of(4), binning.codes_of(999)), (Some((1, 1)), None, None));
        assert_eq!((binning.codes_in((4, 6)), binning.codes_in((4, 7))), ((1, 1), (2, 2)));
        assert_eq!(binning.codes_in((0, 999)), (0, 255));
        let drawn = binning.regrouped(&[1; 256]);
        assert_eq!((drawn.len(), drawn.iter().sum::<u32>(), drawn.iter().max()), (1000, 256, Some(&1)));
    }

    #[test]
    fn one_bin_per_code_has_no_description() {
        assert_eq!((Binning::new(10, None).text(), Binning::new(8, Some(256)).text()), (None, None));
        assert!(Binning::new(8, None).is_of_codes() && !Binning::new(10, Some(256)).is_of_codes());
        assert_eq!(Binning::new(10, Some(256)).text().as_deref(), Some("256 bins"));
    }
}
