//! Reference lines: levels that the user marks in waveforms, parades and histograms. Two make a band.

use serde::{Deserialize, Serialize};

/// Bits of the codes that are kept, as many as those of the deepest bins.
const KEPT_BITS: u32 = 12;

/// Up to eight levels, in the order in which they were marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "Vec<u16>", into = "Vec<u16>")]
pub struct ReferenceLines {
    /// Codes of 12 bits; those beyond `count` are 0.
    codes: [u16; Self::MOST],
    count: u8,
}

impl From<Vec<u16>> for ReferenceLines {
    fn from(codes: Vec<u16>) -> Self {
        let codes = codes.into_iter().filter(|&code| code < 1 << KEPT_BITS);
        codes.fold(Self::default(), |lines, code| lines.with(code).unwrap_or(lines))
    }
}

impl From<ReferenceLines> for Vec<u16> {
    fn from(lines: ReferenceLines) -> Self {
        lines.codes[..usize::from(lines.count)].to_vec()
    }
}

impl ReferenceLines {
    /// The most lines.
    pub const MOST: usize = 8;

    /// Returns `true` if there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the codes of a picture that has this many bits per code, at most 12.
    pub fn codes(&self, bits: u32) -> impl Iterator<Item = u32> + use<> {
        let Self { codes, count } = *self;
        codes.into_iter().take(count.into()).map(move |code| u32::from(code) >> (KEPT_BITS - bits))
    }

    /// Returns the first and last code of each band: from each line up to the next one.
    #[must_use]
    pub fn bands(&self, bits: u32) -> Vec<[u32; 2]> {
        let mut codes: Vec<_> = self.codes(bits).collect();
        codes.sort_unstable();
        codes.dedup();
        codes.windows(2).map(|pair| [pair[0], pair[1]]).collect()
    }

    /// Returns the lines with one more, at a code of that many bits, or `None` if there are as many as there can be.
    #[must_use]
    pub fn with_code(self, code: u32, bits: u32) -> Option<Self> {
        self.with(kept(code, bits))
    }

    /// Returns the lines with this one at another code.
    #[must_use]
    pub fn moved(mut self, line: usize, code: u32, bits: u32) -> Self {
        if let Some(moved) = self.codes[..usize::from(self.count)].get_mut(line) {
            *moved = kept(code, bits);
        }
        self
    }

    /// Returns the lines without this one.
    #[must_use]
    pub fn without(self, line: usize) -> Self {
        let mut codes = Vec::from(self);
        if line < codes.len() {
            codes.remove(line);
        }
        codes.into()
    }

    fn with(mut self, code: u16) -> Option<Self> {
        *self.codes.get_mut(usize::from(self.count))? = code;
        self.count += 1;
        Some(self)
    }
}

/// Returns a code with the bits of those that are kept.
fn kept(code: u32, bits: u32) -> u16 {
    ((code << (KEPT_BITS - bits)) & ((1 << KEPT_BITS) - 1)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(codes: &[u32]) -> ReferenceLines {
        codes.iter().fold(ReferenceLines::default(), |lines, &code| lines.with_code(code, 8).unwrap())
    }

    #[test]
    fn lines_keep_their_level_at_every_depth() {
        let lines = lines(&[235, 16]);
        let codes = |bits| lines.codes(bits).collect::<Vec<_>>();
        assert_eq!([codes(8), codes(10), codes(12)], [[235, 16], [940, 64], [3760, 256]]);
        assert_eq!(lines.moved(1, 1000, 10).codes(10).collect::<Vec<_>>(), [940, 1000]);
        assert_eq!(lines.without(0).codes(8).collect::<Vec<_>>(), [16]);
        assert_eq!((lines.without(2), lines.moved(2, 0, 8)), (lines, lines), "there is no third");
    }

    #[test]
    fn neighbouring_lines_make_bands() {
        assert_eq!(lines(&[200, 16, 100, 100]).bands(8), [[16, 100], [100, 200]]);
        assert!(lines(&[200]).bands(8).is_empty() && lines(&[]).bands(8).is_empty());
    }

    #[test]
    fn a_ninth_line_is_refused_and_what_was_kept_is_read_again() {
        let eight = lines(&[1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(eight.with_code(9, 8), None);
        let kept = Vec::from(eight);
        assert_eq!(ReferenceLines::from(kept.clone()), eight);
        assert_eq!(ReferenceLines::from([kept, vec![9, 10]].concat()), eight, "others are left out");
        assert_eq!(ReferenceLines::from(vec![4096, 7]).codes(12).collect::<Vec<_>>(), [7], "as is what no code is");
    }
}
