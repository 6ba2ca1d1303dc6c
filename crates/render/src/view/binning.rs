//! How many bins a drawn histogram has, and which codes each of them holds.
//!
//! Counting knows codes only: one bin for each, exactly. What is drawn, and what the pointer reads, may have fewer bins, or more.
//! They are made of the codes' bins, whoever counted those, so that they are the same on every engine. The axis stays that of the
//! codes: of N codes and B bins, code c goes to bin floor(c · B / N).

use histoscope_core::histogram::regroup;

/// The bins of a channel that are drawn, of 2^n codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Binning {
    bits: u32,
    count: u32,
}

impl Binning {
    /// As many bins as that of the codes of `bits` bits, at least one; one for each code where none are named.
    #[must_use]
    pub fn new(bits: u32, count: Option<u32>) -> Self {
        Self { bits, count: count.map_or(1 << bits, |count| count.max(1)) }
    }

    /// n: there are 2^n codes.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.bits
    }

    /// Bins a channel.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.count
    }

    /// The highest code.
    #[must_use]
    pub const fn top_code(self) -> u32 {
        (1 << self.bits) - 1
    }

    /// Returns `true` if each code has a bin of its own, so that the counted bins are those that are drawn.
    #[must_use]
    pub const fn is_of_codes(self) -> bool {
        self.count == 1 << self.bits
    }

    /// The bin that a code is in.
    #[must_use]
    pub fn bin_of(self, code: u32) -> u32 {
        (code.min(self.top_code()) * self.count) >> self.bits
    }

    /// First and last code of a bin; `None` where bins outnumber codes and no code falls into this one.
    #[must_use]
    pub fn codes_of(self, bin: u32) -> Option<(u32, u32)> {
        let first = |bin: u32| (bin << self.bits).div_ceil(self.count);
        let bin = bin.min(self.count - 1);
        (first(bin) < first(bin + 1)).then(|| (first(bin), first(bin + 1) - 1))
    }

    /// First and last code of a run of bins; where none falls into it, the next one below, which its place on the axis
    /// belongs to.
    #[must_use]
    pub fn codes_in(self, (first, last): (u32, u32)) -> (u32, u32) {
        let mut codes = (first..=last).filter_map(|bin| self.codes_of(bin));
        match codes.next() {
            Some(lowest) => (lowest.0, codes.next_back().unwrap_or(lowest).1),
            None => [self.code_below(first); 2].into(),
        }
    }

    /// The code to which the left edge of a bin belongs on the axis.
    #[must_use]
    pub fn code_below(self, bin: u32) -> u32 {
        (bin.min(self.count - 1) << self.bits) / self.count
    }

    /// The drawn bins of a channel, from those of its codes.
    #[must_use]
    pub fn regrouped(self, codes: &[u32]) -> Vec<u32> {
        if self.is_of_codes() { codes.to_vec() } else { regroup(codes, self.count) }
    }

    /// How many there are, in words; nothing where each code has its own.
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
    fn every_code_is_in_the_bin_that_the_definition_says_and_in_no_other() {
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
    fn bins_that_outnumber_the_codes_stay_empty_between_them() {
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
    fn a_bin_for_each_code_is_not_worth_a_word() {
        assert_eq!((Binning::new(10, None).text(), Binning::new(8, Some(256)).text()), (None, None));
        assert!(Binning::new(8, None).is_of_codes() && !Binning::new(10, Some(256)).is_of_codes());
        assert_eq!(Binning::new(10, Some(256)).text().as_deref(), Some("256 bins"));
    }
}
