//! Counts codes into bins, at a speed that does not depend on the picture.
//!
//! Adding one to a bin means loading it, adding and storing it. If the next pixel falls into the same bin, its load has
//! to wait for the preceding store, about eight cycles on current machines: counting a constant picture would be
//! several times slower than counting noise. So every channel has [`SUBS`] bins per code, used in turn by neighbouring
//! pixels, and the four channels form four more independent chains. The bins are 16 bits wide, so that all of them stay
//! in the first-level cache at 8 and 10 bits, and are emptied into wide ones before they can overflow.

use super::convert::BLOCK;

/// Narrow bins per code and channel.
const SUBS: usize = 2;
/// Unused narrow bins between two channels. Without them, the bins of one code in the four channels of a deep picture
/// would lie a multiple of a 4096-byte page apart. Processors that compare only the address within a page then mistake
/// the channels of a gray pixel for the same bin and make one wait for the other.
const GAP: usize = 48;
/// Number of pixels after which a narrow bin could overflow.
const MAX_PENDING: usize = u16::MAX as usize;

/// The bins of four channels while they are being counted.
pub(super) struct Counters {
    /// Channel by channel, code by code: `SUBS` bins.
    narrow: Vec<[u16; SUBS]>,
    /// Channel by channel, code by code: one bin.
    wide: Vec<u32>,
    /// Number of pixels counted into the narrow bins since they were last emptied.
    pending: usize,
}

impl Counters {
    /// Creates counters without bins.
    pub const fn new() -> Self {
        Self { narrow: Vec::new(), wide: Vec::new(), pending: 0 }
    }

    /// Creates four channels of `bins` empty bins.
    pub fn reset(&mut self, bins: usize) {
        // Every flush empties the narrow bins, but a panic may have prevented it.
        self.narrow.clear();
        self.narrow.resize(4 * (bins + GAP), [0; SUBS]);
        self.wide.clear();
        self.wide.resize(4 * bins, 0);
        self.pending = 0;
    }

    /// Returns the bins of all channels; complete after a [`flush`](Self::flush).
    pub fn bins(&self) -> &[u32] {
        &self.wide
    }

    /// Counts one code per channel for every pixel of a block.
    #[inline(always)]
    pub fn count<const BINS: usize>(&mut self, codes: [&[u16]; 4]) {
        let pixels = codes[0].len();
        debug_assert!(pixels <= BLOCK && codes.iter().all(|c| c.len() == pixels));
        if self.pending + pixels > MAX_PENDING {
            self.flush();
        }
        self.pending += pixels;
        let Some([bins0, bins1, bins2, bins3]) = channels::<BINS>(&mut self.narrow) else { return };
        // `& (BINS - 1)` changes nothing, since every code is below `BINS`, but it lets the compiler drop the bounds
        // checks.
        let mut add = |sub: usize, codes: [u16; 4]| {
            let [c0, c1, c2, c3] = codes.map(|code| usize::from(code) & (BINS - 1));
            bins0[c0][sub] += 1;
            bins1[c1][sub] += 1;
            bins2[c2][sub] += 1;
            bins3[c3][sub] += 1;
        };
        let [(turns0, rest0), (turns1, rest1), (turns2, rest2), (turns3, rest3)] =
            codes.map(<[u16]>::as_chunks::<SUBS>);
        for (((c0, c1), c2), c3) in turns0.iter().zip(turns1).zip(turns2).zip(turns3) {
            for sub in 0..SUBS {
                add(sub, [c0[sub], c1[sub], c2[sub], c3[sub]]);
            }
        }
        for (((&c0, &c1), &c2), &c3) in rest0.iter().zip(rest1).zip(rest2).zip(rest3) {
            add(0, [c0, c1, c2, c3]);
        }
    }

    /// Counts up to three remaining codes into the first channel.
    #[inline(always)]
    pub fn count_rest(&mut self, codes: &[u16]) {
        for &code in codes {
            self.wide[usize::from(code)] += 1;
        }
    }

    /// Empties the narrow bins into the wide ones.
    #[inline(always)]
    pub fn flush(&mut self) {
        let bins = self.wide.len() / 4;
        for (wide, narrow) in self.wide.chunks_exact_mut(bins).zip(self.narrow.chunks_exact_mut(bins + GAP)) {
            for (wide, narrow) in wide.iter_mut().zip(narrow) {
                *wide += narrow.iter().map(|&n| u32::from(n)).sum::<u32>();
                *narrow = [0; SUBS];
            }
        }
        self.pending = 0;
    }
}

/// Splits the narrow bins into four channels, whose length the compiler knows.
#[inline(always)]
fn channels<const BINS: usize>(narrow: &mut [[u16; SUBS]]) -> Option<[&mut [[u16; SUBS]; BINS]; 4]> {
    let mut channels = narrow.chunks_exact_mut(BINS + GAP);
    let mut next = || channels.next()?.first_chunk_mut::<BINS>();
    Some([next()?, next()?, next()?, next()?])
}

/// Adds the counts of `more` to those of `target`.
pub(super) fn add(target: &mut [u32], more: &[u32]) {
    for (target, more) in target.iter_mut().zip(more) {
        *target += more;
    }
}
