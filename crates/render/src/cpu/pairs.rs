//! Counts two channels with one addition, if codes have 8 bits.
//!
//! Two 8-bit codes form one 16-bit number, so a table of 65,536 bins counts both at once, and each pixel costs two
//! stores instead of four. Green is paired with luminance and red with blue. The tables are much larger than the bins
//! of single channels, but most pictures touch little of them: the difference between a pixel's two channels is nearly
//! the same in its neighbours. So a row of a table is a difference of the two codes, modulo 256, and a column is the
//! first code. Neighbouring pixels then find their bins in a few short stretches of memory, which stay in the cache.
//!
//! As in [`counters`](super::counters), neighbouring pixels use [`SUBS`] bins in turn. A bin that overflows wraps to 0,
//! which the addition detects, and its count is added to the sums immediately.

use super::convert::BLOCK;
use super::counters::add;

/// Narrow bins per pair of codes.
const SUBS: usize = 2;
/// Number of pixels counted in one turn of the loop.
const TURN: usize = 8;
/// Codes per channel.
const CODES: usize = 256;
/// Narrow bins of two channels: a row for each difference between the second and the first code, a column for each
/// first code.
type PairTable = [[u16; SUBS]; CODES * CODES];
/// The count of a narrow bin that has just overflowed.
const FULL: u32 = 1 << u16::BITS;

/// The tables being counted into, and the bins of the four channels.
pub(super) struct PairTables {
    green_luminance: Vec<[u16; SUBS]>,
    red_blue: Vec<[u16; SUBS]>,
    /// Indices of a block's pixels in the two tables.
    indices: [[u16; BLOCK]; 2],
    /// Channel by channel, code by code: one bin.
    wide: Vec<u32>,
    /// `true` if the tables are not empty.
    is_pending: bool,
}

impl PairTables {
    /// Creates empty tables, which take no memory yet.
    pub const fn new() -> Self {
        Self {
            green_luminance: Vec::new(),
            red_blue: Vec::new(),
            indices: [[0; BLOCK]; 2],
            wide: Vec::new(),
            is_pending: false,
        }
    }

    /// Clears all counts and allocates the tables.
    pub fn reset(&mut self) {
        self.wide.clear();
        self.wide.resize(4 * CODES, 0);
        for table in [&mut self.green_luminance, &mut self.red_blue] {
            // Every flush empties the tables, but a panic may have prevented it.
            if self.is_pending {
                table.clear();
            }
            table.resize(CODES * CODES, [0; SUBS]);
        }
        self.is_pending = false;
    }

    /// Returns the bins of all channels; complete after a [`flush`](Self::flush).
    pub fn bins(&self) -> &[u32] {
        &self.wide
    }

    /// Counts the codes of red, green, blue and luminance for every pixel of a block.
    #[inline(always)]
    pub fn count(&mut self, [red, green, blue, luminance]: [&[u16]; 4]) {
        let [first, second] = self.indices.each_mut().map(|indices| &mut indices[..red.len()]);
        for (index, (&green, &luminance)) in first.iter_mut().zip(green.iter().zip(luminance)) {
            *index = index_of(green, luminance);
        }
        for (index, (&red, &blue)) in second.iter_mut().zip(red.iter().zip(blue)) {
            *index = index_of(red, blue);
        }
        self.count_indices(red.len());
    }

    /// Returns the index arrays to write for a block: green with luminance, and red with blue; see [`index_of`].
    pub const fn indices_mut(&mut self) -> &mut [[u16; BLOCK]; 2] {
        &mut self.indices
    }

    /// Counts the first `pixels` pixels of a block by their indices.
    #[inline(always)]
    pub fn count_indices(&mut self, pixels: usize) {
        self.is_pending = true;
        let [first, second] = self.indices.each_ref().map(|indices| &indices[..pixels]);
        let wide = &mut self.wide;
        let (Ok(green_luminance), Ok(red_blue)) =
            (<&mut PairTable>::try_from(&mut *self.green_luminance), <&mut PairTable>::try_from(&mut *self.red_blue))
        else {
            return;
        };
        let mut count = |sub: usize, first: u16, second: u16| {
            count_one(&mut green_luminance[usize::from(first)][sub], || overflow(wide, first, [1, 3]));
            count_one(&mut red_blue[usize::from(second)][sub], || overflow(wide, second, [0, 2]));
        };
        let ((turns, rest), (other_turns, other_rest)) = (first.as_chunks::<TURN>(), second.as_chunks::<TURN>());
        for (first, second) in turns.iter().zip(other_turns) {
            for pixel in 0..TURN {
                count(pixel % SUBS, first[pixel], second[pixel]);
            }
        }
        for (&first, &second) in rest.iter().zip(other_rest) {
            count(0, first, second);
        }
    }

    /// Empties the tables into the bins of the channels.
    #[inline(always)]
    pub fn flush(&mut self) {
        let tables = [(&mut self.green_luminance, [1, 3]), (&mut self.red_blue, [0, 2])];
        for (table, [first, second]) in tables {
            let (mut firsts, mut seconds) = ([0_u32; CODES], [0_u32; CODES]);
            for (difference, cells) in table.as_chunks_mut::<CODES>().0.iter_mut().enumerate() {
                // Most pictures leave most rows empty.
                if cells.iter().fold(0, |any, cell| any | cell[0] | cell[1]) == 0 {
                    continue;
                }
                let counts = cells.each_ref().map(|cell| cell.iter().map(|&n| u32::from(n)).sum::<u32>());
                *cells = [[0; SUBS]; CODES];
                add(&mut firsts, &counts);
                let (front, back) = counts.split_at(CODES - difference);
                add(&mut seconds[difference..], front);
                add(&mut seconds[..difference], back);
            }
            add(&mut self.wide[first * CODES..][..CODES], &firsts);
            add(&mut self.wide[second * CODES..][..CODES], &seconds);
        }
        self.is_pending = false;
    }
}

/// Adds one to a narrow bin and calls `overflow` if it was full.
#[inline(always)]
fn count_one(bin: &mut u16, overflow: impl FnOnce()) {
    *bin = bin.wrapping_add(1);
    if *bin == 0 {
        overflow();
    }
}

/// Returns the table index of a pair of codes.
#[inline(always)]
pub(super) const fn index_of(first: u16, second: u16) -> u16 {
    first | second.wrapping_sub(first) << 8
}

/// Moves the count of a full narrow bin to the bins of its two channels.
#[cold]
#[inline(never)]
fn overflow(wide: &mut [u32], index: u16, [first, second]: [usize; 2]) {
    let [code, difference] = index.to_le_bytes();
    wide[first * CODES + usize::from(code)] += FULL;
    wide[second * CODES + usize::from(code.wrapping_add(difference))] += FULL;
}
