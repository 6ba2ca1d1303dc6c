//! What one worker does with a band of rows: unpack, convert and count, block by block.

use std::ops::Range;

use super::BLOCK;
use super::convert::Converter;
use super::counters::Counters;
use super::pairs::Pairs;
use super::simd::Kernel;
use super::unpack::Source;
use crate::color::Conversion;

/// What is counted in one pass over a picture.
#[derive(Clone, Copy)]
pub(super) enum Pass<'a> {
    /// Red, green, blue and luminance from three components, the latter two subsampled by these powers of two.
    Color { sources: [Source<'a>; 3], chroma_shift: (u8, u8), conversion: Conversion },
    /// The codes of one component. All four channels of the counters take part; their sum is the component's histogram.
    Component { source: Source<'a> },
}

impl Pass<'_> {
    /// The rows that must stay together because they share chroma, and how many such groups the picture has.
    pub fn row_groups(&self) -> (usize, usize) {
        match self {
            Self::Color { sources: [first, ..], chroma_shift, .. } => {
                let rows = 1 << chroma_shift.1;
                (rows, first.height.div_ceil(rows))
            }
            Self::Component { source } => (1, source.height),
        }
    }

    /// Samples in a row.
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
    pub pairs: Pairs,
    /// Whether red, green, blue and luminance are counted by those.
    pub is_paired: bool,
    /// Pixels below and above the range of red, of green, of blue.
    pub out_of_range: [u32; 6],
    /// Component codes of a block.
    components: [[u16; BLOCK]; 3],
    converter: Converter,
}

impl Worker {
    /// A worker that has counted nothing.
    pub fn new() -> Box<Self> {
        Box::new(Self {
            counters: Counters::new(),
            pairs: Pairs::new(),
            is_paired: false,
            out_of_range: [0; 6],
            components: [[0; BLOCK]; 3],
            converter: Converter::new(),
        })
    }

    /// Forgets what was counted and makes room for `bins` bins a channel, of which two are counted at a time if `is_paired`.
    pub fn reset(&mut self, bins: usize, is_paired: bool) {
        self.out_of_range = [0; 6];
        self.is_paired = is_paired;
        match is_paired {
            true => self.pairs.reset(),
            false => self.counters.reset(bins),
        }
    }

    /// Brings what was counted into [`bins`](Self::bins).
    pub fn flush(&mut self) {
        match self.is_paired {
            true => self.pairs.flush(),
            false => self.counters.flush(),
        }
    }

    /// The bins of all channels, after a [`flush`](Self::flush).
    pub fn bins(&self) -> &[u32] {
        if self.is_paired { self.pairs.bins() } else { self.counters.bins() }
    }
}

/// A band of row groups, to be counted by a worker.
pub(super) struct Band<'a, 'w, const BINS: usize> {
    /// What to count.
    pub pass: &'a Pass<'a>,
    /// Which row groups.
    pub groups: Range<usize>,
    /// Who counts.
    pub worker: &'w mut Worker,
}

impl<const BINS: usize> Kernel for Band<'_, '_, BINS> {
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
    for x in (0..first.width).step_by(BLOCK) {
        let pixels = (first.width - x).min(BLOCK);
        let shared = pixels.div_ceil(1 << columns_shift);
        let [luma, cb, cr] = worker.components.each_mut().map(|codes| &mut codes[..pixels]);
        second.unpack(x >> columns_shift, group, &mut cb[..shared]);
        third.unpack(x >> columns_shift, group, &mut cr[..shared]);
        worker.converter.set_chroma(conversion, columns_shift, &cb[..shared], &cr[..shared]);
        for y in rows.clone() {
            first.unpack(x, y, luma);
            let codes = worker.converter.convert::<BINS>(conversion, luma, &mut worker.out_of_range);
            if BINS == 256 && worker.is_paired {
                worker.pairs.count(codes);
            } else {
                worker.counters.count::<BINS>(codes);
            }
        }
    }
}

/// Counts one row of a component, a quarter of each block in every channel.
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
