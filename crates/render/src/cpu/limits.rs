//! Counts the pixels outside the limits of EBU R 103, for machines without a GPU. Works row by row and computes the chroma terms first,
//! like [`convert`](super::convert).

use rayon::prelude::*;

use super::simd::{Kernel, Level};
use std::ops::Range;

use histoscope_core::histogram::limits::{Limits, R103_ACROSS, R103_DOWN, R103_WEIGHT, r103_lines};
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::Conversion;
use histoscope_core::picture::layout::ChromaRows;
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::unpack::Source;

/// Rows that a thread counts at a time.
const BAND_ROWS: usize = 16;

/// Counts the pixels of a rectangle, which must lie in the picture, outside the limits of EBU R 103. Gives exactly the
/// count of [`outside_r103`](histoscope_core::histogram::reference::outside_r103).
///
/// A filtered value lies between those of its neighbourhood, so only rows beside codes outside the limits are filtered.
#[must_use]
pub fn count_outside_r103(picture: &Picture, rect: Rect, is_interlaced: bool) -> u32 {
    let layout = picture.layout();
    let conversion = picture.conversion();
    let counting = LimitsCount {
        sources: (0..layout.component_count()).map(|component| Source::new(picture, component)).collect(),
        columns_shift: layout.columns_shift(),
        chroma_rows: picture.chroma_rows(),
        conversion,
        limits: Limits::r103(&conversion),
    };
    let level = Level::detect();
    let ([left, top], [right, bottom]) = rect.corners();
    let scratch = || LimitsScratch::new(&counting);
    let has_outside: Vec<bool> = (top..bottom)
        .into_par_iter()
        .with_min_len(BAND_ROWS)
        .map_init(scratch, |scratch, y| {
            level.run(PictureRow { counting: &counting, scratch, y: y as usize });
            std::mem::take(&mut scratch.count) > 0
        })
        .collect();
    let lines = |y| r103_lines(y, 1 + u32::from(is_interlaced), top, bottom);
    let rows: Vec<u32> =
        (top..bottom).filter(|&y| lines(y).into_iter().any(|line| has_outside[(line - top) as usize])).collect();
    let columns = left as usize..right as usize;
    let counts = rows.into_par_iter().map_init(scratch, |scratch, y| {
        scratch.filtered.iter_mut().for_each(|sums| sums.clear());
        scratch.filtered.iter_mut().for_each(|sums| sums.resize(columns.len(), 0));
        for (line, weight) in lines(y).into_iter().zip(R103_DOWN) {
            counting.weigh(scratch, line as usize, columns.clone(), weight.into());
        }
        counting.count_filtered(&scratch.filtered)
    });
    counts.sum()
}

/// Data shared by all rows.
struct LimitsCount<'a> {
    sources: Vec<Source<'a>>,
    columns_shift: u8,
    chroma_rows: ChromaRows,
    conversion: Conversion,
    limits: Limits,
}

impl LimitsCount<'_> {
    /// Computes the terms of the second and third component in a row.
    #[inline(always)]
    fn unpack(&self, scratch: &mut LimitsScratch, y: usize) {
        let LimitsScratch { codes, terms, .. } = scratch;
        for (index, (source, codes)) in self.sources.iter().zip(&mut *codes).enumerate() {
            source.unpack(0, if index == 0 { y } else { self.chroma_rows.of(y) }, codes);
        }
        let [_, second, third] = &*codes;
        for (channel, terms) in terms.iter_mut().enumerate() {
            let [_, w1, w2] = self.conversion.weights[channel];
            let bias = self.conversion.bias[channel];
            if second.is_empty() {
                terms.fill(bias);
                continue;
            }
            for ((term, &b), &c) in terms.iter_mut().zip(second).zip(third) {
                *term = w1 * i32::from(b) + w2 * i32::from(c) + bias;
            }
        }
    }

    /// Adds a row, weighed, to the filtered sums of these columns.
    fn weigh(&self, scratch: &mut LimitsScratch, y: usize, columns: Range<usize>, weight: i64) {
        self.unpack(scratch, y);
        for (channel, sums) in scratch.filtered.iter_mut().enumerate() {
            let (first, terms) = (&scratch.codes[0], &scratch.terms[channel]);
            let by_luma = self.conversion.weights[channel][0];
            for (sum, x) in sums.iter_mut().zip(columns.clone()) {
                *sum += weight * i64::from(by_luma * i32::from(first[x]) + terms[x >> self.columns_shift]);
            }
        }
    }

    /// Counts the pixels of a row, of whose columns these are the sums of three rows, that are outside.
    fn count_filtered(&self, sums: &[Vec<i64>; 3]) -> u32 {
        let [low, high] = [self.limits.low, self.limits.high].map(|limit| i64::from(R103_WEIGHT) * i64::from(limit));
        let width = sums[0].len();
        let is_outside = |channel: &Vec<i64>, x: usize| {
            let weighed = R103_ACROSS.iter().enumerate().map(|(at, &weight)| {
                i64::from(weight) * channel[(x + at).saturating_sub(R103_ACROSS.len() / 2).min(width - 1)]
            });
            !(low..high).contains(&weighed.sum::<i64>())
        };
        (0..width).map(|x| u32::from(sums.iter().any(|channel| is_outside(channel, x)))).sum()
    }
}

/// A thread's scratch arrays and its count.
struct LimitsScratch {
    codes: [Vec<u16>; 3],
    /// The terms of the second and third component in red, green and blue, one per chroma sample.
    terms: [Vec<i32>; 3],
    /// The sums of red, green and blue of three rows, as the filter weighs them.
    filtered: [Vec<i64>; 3],
    count: u32,
}

impl LimitsScratch {
    fn new(counting: &LimitsCount<'_>) -> Self {
        let width = |component: usize| counting.sources.get(component).map_or(0, |source| source.width);
        // A gray picture has the same term for all of its pixels.
        let terms = if counting.sources.len() == 1 { width(0) } else { width(1) };
        Self {
            codes: std::array::from_fn(|component| vec![0; width(component)]),
            terms: std::array::from_fn(|_| vec![0; terms]),
            filtered: Default::default(),
            count: 0,
        }
    }
}

/// One row of the picture.
struct PictureRow<'a, 'p> {
    counting: &'a LimitsCount<'p>,
    scratch: &'a mut LimitsScratch,
    y: usize,
}

impl Kernel for PictureRow<'_, '_> {
    #[inline(always)]
    fn run(self) {
        self.counting.unpack(self.scratch, self.y);
        let LimitsCount { columns_shift, conversion, limits, .. } = self.counting;
        let LimitsScratch { codes: [first, ..], terms, count, .. } = self.scratch;
        let weights = conversion.weights.map(|row| row[0]);
        let terms = terms.each_ref().map(Vec::as_slice);
        *count += match columns_shift {
            0 => count_row::<1>(first, terms, weights, *limits),
            1 => count_row::<2>(first, terms, weights, *limits),
            _ => count_row::<4>(first, terms, weights, *limits),
        };
    }
}

/// Counts the pixels outside the limits in a row in which a chroma sample covers `SHARED` pixels.
#[inline(always)]
fn count_row<const SHARED: usize>(
    first: &[u16],
    [red, green, blue]: [&[i32]; 3],
    weights: [i32; 3],
    limits: Limits,
) -> u32 {
    let is_outside = |code: u16, terms: [i32; 3]| {
        let excluded = |channel: usize| limits.excludes(weights[channel] * i32::from(code) + terms[channel]);
        u32::from(excluded(0) | excluded(1) | excluded(2))
    };
    let mut count = 0;
    for (((codes, &r), &g), &b) in first.chunks(SHARED).zip(red).zip(green).zip(blue) {
        for &code in codes {
            count += is_outside(code, [r, g, b]);
        }
    }
    count
}
