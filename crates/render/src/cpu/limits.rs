//! Counts the pixels outside the limits of EBU R 103, for machines without a GPU. Works row by row and computes the chroma
//! terms first, like [`convert`](super::convert).
//!
//! A filtered value lies between those of its neighbourhood. So the filter is only computed beside codes outside the
//! limits, and not at all where there are too few of them to matter.

use std::ops::Range;

use rayon::prelude::*;

use super::convert::repeat;
use super::simd::{Kernel, Level};
use histoscope_core::histogram::limits::{Limits, R103_ACROSS, R103_DOWN, R103_NEIGHBOURS, R103_WEIGHT, r103_lines};
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::Conversion;
use histoscope_core::picture::layout::ChromaRows;
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::unpack::Source;

/// Rows that a thread counts at a time.
const BAND_ROWS: usize = 8;
/// Number of samples to either side that the filter weighs.
const REACH: usize = R103_ACROSS.len() / 2;
/// The filter is computed for stretches of columns at least this far from each other: shorter ones would not be faster.
const APART: usize = 32;
/// Number of columns of a band whose lowest and highest codes tell whether one of them may be outside: a multiple of
/// those that a chroma sample covers.
const CHUNK: usize = 64;
/// Number of samples that are compared at a time.
const LANES: usize = 32;

/// Counts the pixels of a rectangle, which must lie in the picture, outside the limits of EBU R 103. Gives exactly the
/// count of [`outside_r103`](histoscope_core::histogram::reference::outside_r103), or 0 if codes outside are so few that
/// the count is at most `tolerated`.
#[must_use]
pub fn count_outside_r103(picture: &Picture, rect: Rect, is_interlaced: bool, tolerated: u64) -> u32 {
    let layout = picture.layout();
    let conversion = picture.conversion();
    let ([left, top], [right, bottom]) = rect.corners();
    let counting = LimitsCount {
        sources: (0..layout.component_count()).map(|component| Source::new(picture, component)).collect(),
        columns_shift: layout.columns_shift(),
        chroma_rows: picture.chroma_rows(),
        conversion,
        limits: Limits::r103(&conversion),
        columns: left as usize..right as usize,
    };
    let level = Level::detect();
    // A task of the pool is one of many, and shares nothing.
    let least = if rayon::current_thread_index().is_some() { picture.height() as usize } else { 1 };
    let bands = (top..bottom).into_par_iter().step_by(BAND_ROWS).with_min_len(least).map_init(
        LimitsScratch::default,
        |scratch, first| {
            let rows = first as usize..(first as usize + BAND_ROWS).min(bottom as usize);
            level.run(CodesOutside { counting: &counting, scratch, rows });
            std::mem::take(&mut scratch.rows)
        },
    );
    let rows: Vec<RowOutside> = bands.flatten_iter().collect();
    let codes: u64 = rows.iter().map(|row| row.count).sum();
    if R103_NEIGHBOURS * codes <= tolerated {
        return 0;
    }
    let rows = &rows;
    let counts = (top..bottom).into_par_iter().with_min_len(least).map_init(LimitsScratch::default, |scratch, y| {
        let lines = r103_lines(y, 1 + u32::from(is_interlaced), top, bottom);
        let stretches = lines.into_iter().flat_map(|line| rows[(line - top) as usize].beside.iter().cloned());
        let stretches = joined(stretches.collect());
        let count = |columns| {
            level.run(FilteredOutside { counting: &counting, scratch, lines, columns });
            scratch.count as u32
        };
        stretches.into_iter().map(count).sum::<u32>()
    });
    counts.sum()
}

/// Joins stretches that overlap or are hardly apart.
fn joined(mut stretches: Vec<Range<usize>>) -> Vec<Range<usize>> {
    stretches.sort_by_key(|stretch| stretch.start);
    let mut joined: Vec<Range<usize>> = Vec::new();
    for stretch in stretches {
        match joined.last_mut() {
            Some(last) if stretch.start < last.end + APART => last.end = last.end.max(stretch.end),
            _ => joined.push(stretch),
        }
    }
    joined
}

/// Data shared by all rows.
struct LimitsCount<'a> {
    sources: Vec<Source<'a>>,
    columns_shift: u8,
    chroma_rows: ChromaRows,
    conversion: Conversion,
    limits: Limits,
    /// The columns that are counted.
    columns: Range<usize>,
}

impl LimitsCount<'_> {
    /// Returns the samples of a component that cover these columns, which begin with the first that a chroma sample covers,
    /// and their row.
    #[inline(always)]
    fn samples(&self, index: usize, y: usize, columns: &Range<usize>) -> (Range<usize>, usize) {
        let (shift, y) = if index == 0 { (0, y) } else { (self.columns_shift, self.chroma_rows.of(y)) };
        (columns.start >> shift..((columns.end - 1) >> shift) + 1, y)
    }

    /// Computes red, green and blue before the clamp, in fixed point, of these columns of a row.
    #[inline(always)]
    fn values(&self, scratch: &mut LimitsScratch, y: usize, columns: &Range<usize>) {
        let LimitsScratch { codes, terms, values, .. } = scratch;
        for (index, (source, codes)) in self.sources.iter().zip(&mut *codes).enumerate() {
            let (samples, y) = self.samples(index, y, columns);
            codes.resize(samples.len(), 0);
            source.unpack(samples.start, y, codes);
        }
        let [first, second, third] = &*codes;
        for (channel, values) in values.iter_mut().enumerate() {
            let [w0, w1, w2] = self.conversion.weights[channel];
            let bias = self.conversion.bias[channel];
            values.resize(columns.len(), 0);
            terms.resize(second.len(), 0);
            for ((term, &b), &c) in terms.iter_mut().zip(second).zip(third) {
                *term = w1 * i32::from(b) + w2 * i32::from(c) + bias;
            }
            match self.columns_shift {
                _ if second.is_empty() => values.fill(bias),
                0 => values.copy_from_slice(terms),
                1 => repeat::<2>(terms, values),
                _ => repeat::<4>(terms, values),
            }
            for (value, &code) in values.iter_mut().zip(first) {
                *value += w0 * i32::from(code);
            }
        }
    }

    /// Returns `true` if one of the pixels in these rows and columns may be outside: if red, green or blue of the lowest
    /// and the highest codes would be.
    #[inline(always)]
    fn may_be_outside(&self, codes: &mut Vec<u16>, rows: &Range<usize>, columns: &Range<usize>) -> bool {
        let mut extremes = [[0; 2]; 3];
        for (index, (source, extremes)) in self.sources.iter().zip(&mut extremes).enumerate() {
            let (mut bytes, mut words) = (Extremes::new(0, u8::MAX), Extremes::new(0, u16::MAX));
            let (mut is_bytes, mut last) = (false, None);
            for row in rows.clone() {
                let (samples, y) = self.samples(index, row, columns);
                if last.replace(y) == Some(y) {
                    continue;
                }
                if let Some(row) = source.bytes(y) {
                    is_bytes = true;
                    bytes.take(&row[samples]);
                } else {
                    codes.resize(samples.len(), 0);
                    source.unpack(samples.start, y, codes);
                    words.take(codes);
                }
            }
            *extremes = if is_bytes { bytes.ends() } else { words.ends() };
        }
        (0..3).any(|channel| {
            let weights = self.conversion.weights[channel];
            let ends = |at: usize| {
                let weighed = weights.iter().zip(&extremes).map(|(&w, codes)| w * codes[usize::from(w < 0) ^ at]);
                self.conversion.bias[channel] + weighed.sum::<i32>()
            };
            self.limits.excludes(ends(0)) || self.limits.excludes(ends(1))
        })
    }
}

/// The lowest and the highest of samples, lane by lane.
struct Extremes<T> {
    low: [T; LANES],
    high: [T; LANES],
}

impl<T: Copy + Ord + Into<i32>> Extremes<T> {
    #[inline(always)]
    const fn new(least: T, most: T) -> Self {
        Self { low: [most; LANES], high: [least; LANES] }
    }

    #[inline(always)]
    fn take(&mut self, samples: &[T]) {
        let (groups, rest) = samples.as_chunks::<LANES>();
        for samples in groups.iter().map(<[T; LANES]>::as_slice).chain([rest]) {
            for ((low, high), &sample) in self.low.iter_mut().zip(&mut self.high).zip(samples) {
                (*low, *high) = ((*low).min(sample), (*high).max(sample));
            }
        }
    }

    #[inline(always)]
    fn ends(&self) -> [i32; 2] {
        let low = self.low.iter().fold(self.low[0], |low, &lane| low.min(lane));
        let high = self.high.iter().fold(self.high[0], |high, &lane| high.max(lane));
        [low.into(), high.into()]
    }
}

/// A thread's scratch arrays and its count.
#[derive(Default)]
struct LimitsScratch {
    codes: [Vec<u16>; 3],
    /// The terms of the second and third component, one per chroma sample.
    terms: Vec<i32>,
    /// Red, green and blue.
    values: [Vec<i32>; 3],
    /// What was found in the rows of a band.
    rows: Vec<RowOutside>,
    /// For each column of a stretch, 1 if a filtered value is outside.
    is_outside: Vec<u8>,
    /// The sums of a channel in three lines, as the filter weighs them down.
    down: [Vec<i64>; 3],
    /// Those of a channel in columns that begin [`REACH`] before the first and end [`REACH`] behind the last, and the sums of
    /// four neighbours.
    across: [Vec<i64>; 2],
    count: u64,
}

/// The codes outside the limits in a row.
#[derive(Clone, Default)]
struct RowOutside {
    count: u64,
    /// The stretches of columns to which they contribute.
    beside: Vec<Range<usize>>,
}

/// The codes outside the limits in a band of rows.
struct CodesOutside<'a, 'p> {
    counting: &'a LimitsCount<'p>,
    scratch: &'a mut LimitsScratch,
    rows: Range<usize>,
}

impl Kernel for CodesOutside<'_, '_> {
    #[inline(always)]
    fn run(self) {
        let Self { counting, scratch, rows } = self;
        let Range { start, end } = counting.columns;
        let aligned = start >> counting.columns_shift << counting.columns_shift;
        let mut found = vec![RowOutside::default(); rows.len()];
        for from in (aligned..end).step_by(CHUNK) {
            let columns = from..(from + CHUNK).min(end);
            if !counting.may_be_outside(&mut scratch.codes[0], &rows, &columns) {
                continue;
            }
            for (y, row) in rows.clone().zip(&mut found) {
                counting.values(scratch, y, &columns);
                let [red, green, blue] = &scratch.values;
                let mut is_outside = [0_u8; CHUNK];
                for (((is_outside, &r), &g), &b) in is_outside.iter_mut().zip(red).zip(green).zip(blue) {
                    let limits = counting.limits;
                    *is_outside = u8::from(limits.excludes(r) | limits.excludes(g) | limits.excludes(b));
                }
                is_outside[..start.saturating_sub(from)].fill(0);
                let marked = |&is_outside: &u8| is_outside > 0;
                let ends = is_outside.iter().position(marked).zip(is_outside.iter().rposition(marked));
                if let Some((first, last)) = ends {
                    row.count += is_outside.iter().map(|&is_outside| u64::from(is_outside)).sum::<u64>();
                    let beside = (from + first).saturating_sub(REACH)..from + last + 1 + REACH;
                    row.beside.push(beside.start.max(start)..beside.end.min(end));
                }
            }
        }
        scratch.rows = found;
    }
}

/// The filtered pixels outside the limits in a stretch of a row.
struct FilteredOutside<'a, 'p> {
    counting: &'a LimitsCount<'p>,
    scratch: &'a mut LimitsScratch,
    /// The lines that the filter weighs.
    lines: [u32; 3],
    columns: Range<usize>,
}

impl Kernel for FilteredOutside<'_, '_> {
    #[inline(always)]
    fn run(self) {
        let Self { counting, scratch, lines, columns } = self;
        let whole = &counting.columns;
        // What is weighed: without what lies beyond the edges.
        let (from, to) = (columns.start.saturating_sub(REACH).max(whole.start), (columns.end + REACH).min(whole.end));
        let aligned = from >> counting.columns_shift << counting.columns_shift;
        for down in &mut scratch.down {
            down.clear();
            down.resize(to - from, 0);
        }
        for (line, weight) in lines.into_iter().zip(R103_DOWN) {
            counting.values(scratch, line as usize, &(aligned..to));
            for (down, values) in scratch.down.iter_mut().zip(&scratch.values) {
                for (sum, &value) in down.iter_mut().zip(&values[from - aligned..]) {
                    *sum += i64::from(weight) * i64::from(value);
                }
            }
        }
        let LimitsScratch { down, across: [padded, fours], is_outside, count, .. } = scratch;
        is_outside.clear();
        is_outside.resize(columns.len(), 0);
        let [low, high] =
            [counting.limits.low, counting.limits.high].map(|limit| i64::from(R103_WEIGHT) * i64::from(limit));
        for down in down {
            // At the edges, the first and the last one are repeated.
            let (before, behind) = (REACH - (columns.start - from), REACH - (to - columns.end));
            padded.clear();
            padded.resize(before, down[0]);
            padded.extend_from_slice(down);
            padded.resize(padded.len() + behind, down[down.len() - 1]);
            // The weights 1 2 3 4 3 2 1 are those of sums of four of sums of four.
            fours.resize(columns.len() + REACH, 0);
            let sum_of = |four: &[i64]| four[0] + four[1] + four[2] + four[3];
            fours.iter_mut().zip(padded.windows(4)).for_each(|(sum, four)| *sum = sum_of(four));
            for (is_outside, four) in is_outside.iter_mut().zip(fours.windows(4)) {
                let sum = sum_of(four);
                *is_outside |= u8::from((sum < low) | (sum >= high));
            }
        }
        *count = is_outside.iter().map(|&is_outside| u64::from(is_outside)).sum();
    }
}
