//! Unpacks, converts and counts a band of rows, block by block.

use std::ops::Range;

use super::convert::{BLOCK, Converter, STEP, SharedTerms};
use super::counters::Counters;
use super::pairs::PairTables;
use super::simd::{Kernel, Level};
use histoscope_core::picture::color::Conversion;
use histoscope_core::picture::unpack::Source;

/// The data that one pass over a picture counts.
#[derive(Clone, Copy)]
pub(super) enum Pass<'a> {
    /// Red, green, blue and luminance, from three components; the latter two are subsampled by these powers of two.
    Color { sources: [Source<'a>; 3], chroma_shift: (u8, u8), conversion: Conversion },
    /// The codes of one component. They are spread over all four channels of the counters, whose sum is the histogram.
    Component { source: Source<'a> },
}

impl Pass<'_> {
    /// Returns the number of rows that share a chroma row and must stay together, and the number of such groups.
    pub fn row_groups(&self) -> (usize, usize) {
        match self {
            Self::Color { sources: [first, ..], chroma_shift, .. } => {
                let rows = 1 << chroma_shift.1;
                (rows, first.height.div_ceil(rows))
            }
            Self::Component { source } => (1, source.height),
        }
    }

    /// Returns the number of samples in a row.
    pub fn row_samples(&self) -> usize {
        match self {
            Self::Color { sources: [first, ..], .. } => first.width,
            Self::Component { source } => source.width,
        }
    }
}

/// The scratch memory and the counts of one worker.
pub(super) struct Worker {
    /// The bins of single channels.
    pub counters: Counters,
    /// The bins of two channels at a time.
    pub pairs: PairTables,
    /// `true` if red, green, blue and luminance are counted in `pairs`.
    pub is_paired: bool,
    /// Pixels below and above the range of red, green and blue.
    pub out_of_range: [u32; 6],
    /// Component codes of a block.
    components: [[u16; BLOCK]; 3],
    converter: Converter,
    /// The instruction set, which decides whether there is a hand-written conversion.
    level: Level,
    terms: SharedTerms,
}

impl Worker {
    /// Creates a worker that has counted nothing.
    pub fn new() -> Box<Self> {
        Box::new(Self {
            counters: Counters::new(),
            pairs: PairTables::new(),
            is_paired: false,
            out_of_range: [0; 6],
            components: [[0; BLOCK]; 3],
            converter: Converter::new(),
            level: Level::Plain,
            terms: [[[0; STEP / 2]; BLOCK / STEP]; 3],
        })
    }

    /// Discards the counts and makes room for `bins` bins per channel. Two channels are counted at a time if
    /// `is_paired`.
    pub fn reset(&mut self, level: Level, bins: usize, is_paired: bool) {
        self.level = level;
        self.out_of_range = [0; 6];
        self.is_paired = is_paired;
        match is_paired {
            true => self.pairs.reset(),
            false => self.counters.reset(bins),
        }
    }

    /// Moves the counts into [`bins`](Self::bins).
    #[inline(always)]
    fn flush(&mut self) {
        match self.is_paired {
            true => self.pairs.flush(),
            false => self.counters.flush(),
        }
    }

    /// Returns the bins of all channels; complete after a [`Flush`].
    pub fn bins(&self) -> &[u32] {
        if self.is_paired { self.pairs.bins() } else { self.counters.bins() }
    }
}

/// Ends a worker's share by emptying its narrow bins.
pub(super) struct Flush<'w>(pub &'w mut Worker);

impl Kernel for Flush<'_> {
    #[inline(always)]
    fn run(self) {
        self.0.flush();
    }
}

/// A band of row groups, to be counted by a worker.
pub(super) struct RowBand<'a, 'w, const BINS: usize> {
    /// The pass.
    pub pass: &'a Pass<'a>,
    /// The row groups of the band.
    pub groups: Range<usize>,
    /// The worker that counts them.
    pub worker: &'w mut Worker,
}

impl<const BINS: usize> Kernel for RowBand<'_, '_, BINS> {
    #[inline(always)]
    fn run(self) {
        match self.pass {
            Pass::Color { sources, chroma_shift, conversion } => {
                for group in self.groups {
                    count_color::<BINS>(self.worker, sources, *chroma_shift, conversion, group);
                }
            }
            Pass::Component { source } => {
                for row in self.groups {
                    count_component::<BINS>(self.worker, source, row);
                }
            }
        }
    }
}

/// Counts the rows that share one chroma row.
#[inline(always)]
fn count_color<const BINS: usize>(
    worker: &mut Worker,
    sources: &[Source<'_>; 3],
    (columns_shift, rows_shift): (u8, u8),
    conversion: &Conversion,
    group: usize,
) {
    let [first, second, third] = sources;
    let rows = group << rows_shift..((group + 1) << rows_shift).min(first.height);
    // Luma weighs the same in all channels, and every chroma sample covers two pixels.
    let is_common = columns_shift == 1 && conversion.weights.iter().all(|row| row[0] == conversion.weights[0][0]);
    let has_intrinsics = BINS == 256 && worker.is_paired && is_common && worker.level.has_intrinsics();
    let mut x = 0;
    while x < first.width {
        let rest = first.width - x;
        // The hand-written code takes whole steps; the general code takes the narrow remainder.
        let has_intrinsics = has_intrinsics && rest >= STEP;
        let pixels = if has_intrinsics { rest.min(BLOCK) / STEP * STEP } else { rest.min(BLOCK) };
        let shared = pixels.div_ceil(1 << columns_shift);
        // The hardware prefetcher follows a row, but not the alternation between rows. Fetch the next rows while these
        // are being counted.
        for y in rows.clone() {
            first.prefetch(x, y + rows.len(), pixels);
        }
        second.prefetch(x >> columns_shift, group + 1, shared);
        third.prefetch(x >> columns_shift, group + 1, shared);
        let [luma, cb, cr] = worker.components.each_mut().map(|codes| &mut codes[..pixels]);
        second.unpack(x >> columns_shift, group, &mut cb[..shared]);
        third.unpack(x >> columns_shift, group, &mut cr[..shared]);
        let (cb, cr) = (&cb[..shared], &cr[..shared]);
        match has_intrinsics {
            true => worker.level.set_chroma(&mut worker.terms, conversion, cb, cr),
            false => worker.converter.set_chroma(conversion, columns_shift, cb, cr),
        }
        for y in rows.clone() {
            first.unpack(x, y, luma);
            if has_intrinsics {
                let indices = worker.pairs.indices_mut();
                let weighted = (&*luma, conversion.weights[0][0]);
                let outside = &mut worker.out_of_range;
                worker.level.convert(indices, weighted, &worker.terms, conversion.luminance, outside);
                worker.pairs.count_indices(pixels);
                continue;
            }
            let codes = worker.converter.convert::<BINS>(conversion, luma, &mut worker.out_of_range);
            match BINS == 256 && worker.is_paired {
                true => worker.pairs.count(codes),
                false => worker.counters.count::<BINS>(codes),
            }
        }
        x += pixels;
    }
}

/// Counts one row of a component, a quarter of each block per channel.
#[inline(always)]
fn count_component<const BINS: usize>(worker: &mut Worker, source: &Source<'_>, row: usize) {
    for x in (0..source.width).step_by(BLOCK) {
        let samples = (source.width - x).min(BLOCK);
        let codes = &mut worker.components[0][..samples];
        source.unpack(x, row, codes);
        let quarter = samples / 4;
        let (quarters, rest) = codes.split_at(4 * quarter);
        let (front, back) = quarters.split_at(2 * quarter);
        let ((a, b), (c, d)) = (front.split_at(quarter), back.split_at(quarter));
        worker.counters.count::<BINS>([a, b, c, d]);
        worker.counters.count_rest(rest);
    }
}
