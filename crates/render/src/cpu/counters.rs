//! Counting codes into bins, at a speed that does not depend on the picture.
//!
//! Adding one to a bin means loading it, adding and storing it. If the next pixel falls into the same bin, its load has to
//! wait for the store before it, some eight cycles later on current machines: a constant picture would be counted
//! several times more slowly than noise. So every channel has [`SUBS`] bins per code, which neighbouring pixels take in
//! turns, and the four channels give four more independent chains. The bins are 16 bits wide, so that all of them stay
//! in the first-level cache at 8 and 10 bits, and are emptied into wide ones before they can overflow.

use super::convert::BLOCK;

/// Narrow bins per code and channel.
const SUBS: usize = 2;
/// Narrow bins of no use between two channels. Without them, the bins of one code in the four channels of a deep picture
/// would lie whole 4096-byte pages apart; processors that compare only the address within a page then take the channels
/// of a gray pixel for the same bin, and make one wait for the other.
const GAP: usize = 48;
/// Pixels after which a narrow bin could overflow.
const MOST_PENDING: usize = u16::MAX as usize;

/// The bins of four channels while they are being counted.
pub(super) struct Counters {
    /// Channel by channel, code by code, `SUBS` bins.
    narrow: Vec<[u16; SUBS]>,
    /// Channel by channel, code by code.
    wide: Vec<u32>,
    /// Pixels counted into the narrow bins since they were emptied.
    pending: usize,
}

impl Counters {
    /// Counters of nothing, without any bins yet.
    pub const fn new() -> Self {
        Self { narrow: Vec::new(), wide: Vec::new(), pending: 0 }
    }

    /// Makes four channels of `bins` empty bins.
    pub fn reset(&mut self, bins: usize) {
        // The narrow bins are empty after every flush, but a panic may have come between.
        self.narrow.clear();
        self.narrow.resize(4 * (bins + GAP), [0; SUBS]);
        self.wide.clear();
        self.wide.resize(4 * bins, 0);
        self.pending = 0;
    }

    /// The bins of all channels, after a [`flush`](Self::flush).
    pub fn bins(&self) -> &[u32] {
        &self.wide
    }

    /// Counts one code per channel for every pixel of a block.
    #[inline(always)]
    pub fn count<const BINS: usize>(&mut self, codes: [&[u16]; 4]) {
        let pixels = codes[0].len();
        debug_assert!(pixels <= BLOCK && codes.iter().all(|c| c.len() == pixels));
        if self.pending + pixels > MOST_PENDING {
            self.flush();
        }
        self.pending += pixels;
        let Some([bins0, bins1, bins2, bins3]) = channels::<BINS>(&mut self.narrow) else { return };
        // `& (BINS - 1)` changes nothing, since every code is below that; it lets the compiler see so, and drop the
        // check of every index.
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

    /// Counts up to three codes that were left over, in the first channel.
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

/// The narrow bins of the four channels, with a length that the compiler knows.
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
