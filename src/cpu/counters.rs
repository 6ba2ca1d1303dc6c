//! Counting codes into bins, at a speed that does not depend on the picture.
//!
//! Adding one to a bin means loading it, adding and storing it. If the next pixel falls into the same bin, its load has to
//! wait for the store before it, some eight cycles later on current machines: a constant picture would be counted
//! several times more slowly than noise. So every channel has [`SUBS`] bins per code, which neighbouring pixels take in
//! turns, and the four channels give four more independent chains. The bins are 16 bits wide, so that all of them stay
//! in the first-level cache at 8 and 10 bits, and are emptied into wide ones before they can overflow.

use super::BLOCK;

/// Narrow bins per code and channel.
const SUBS: usize = 2;
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
        self.narrow.resize(4 * bins, [0; SUBS]);
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
        let (channels, _) = self.narrow.as_chunks_mut::<BINS>();
        let [bins0, bins1, bins2, bins3] = channels else { return };
        let [codes0, codes1, codes2, codes3] = codes;
        let pixels = codes0.iter().zip(codes1).zip(codes2).zip(codes3);
        for (index, (((&c0, &c1), &c2), &c3)) in pixels.enumerate() {
            let sub = index % SUBS;
            bins0[usize::from(c0) & (BINS - 1)][sub] += 1;
            bins1[usize::from(c1) & (BINS - 1)][sub] += 1;
            bins2[usize::from(c2) & (BINS - 1)][sub] += 1;
            bins3[usize::from(c3) & (BINS - 1)][sub] += 1;
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
        for (wide, narrow) in self.wide.iter_mut().zip(&mut self.narrow) {
            *wide += narrow.iter().map(|&n| u32::from(n)).sum::<u32>();
            *narrow = [0; SUBS];
        }
        self.pending = 0;
    }
}
