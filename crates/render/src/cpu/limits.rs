//! Counts the pixels outside limits, for machines without a GPU. Works row by row and computes the chroma terms first,
//! like [`convert`](super::convert).

use rayon::prelude::*;

use super::simd::{Kernel, Level};
use histoscope_core::histogram::limits::Limits;
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::Conversion;
use histoscope_core::picture::layout::ChromaRows;
use histoscope_core::picture::unpack::Source;

/// Rows that a thread counts at a time.
const BAND_ROWS: usize = 16;

/// Counts the pixels outside the limits of EBU R 103. Gives exactly the count of
/// [`outside_r103`](histoscope_core::histogram::reference::outside_r103).
#[must_use]
pub fn count_outside_r103(picture: &Picture) -> u32 {
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
    let height = picture.height() as usize;
    let bands = (0..height.div_ceil(BAND_ROWS)).into_par_iter();
    let counts = bands.map_init(
        || LimitsScratch::new(&counting),
        |scratch, band| {
            let rows = band * BAND_ROWS..((band + 1) * BAND_ROWS).min(height);
            rows.for_each(|y| level.run(PictureRow { counting: &counting, scratch, y }));
            std::mem::take(&mut scratch.count)
        },
    );
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

/// A thread's scratch arrays and its count.
struct LimitsScratch {
    codes: [Vec<u16>; 3],
    /// The terms of the second and third component in red, green and blue, one per chroma sample.
    terms: [Vec<i32>; 3],
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
        let LimitsCount { sources, columns_shift, chroma_rows, conversion, limits } = self.counting;
        let LimitsScratch { codes, terms, count } = self.scratch;
        for (index, (source, codes)) in sources.iter().zip(&mut *codes).enumerate() {
            source.unpack(0, if index == 0 { self.y } else { chroma_rows.of(self.y) }, codes);
        }
        let [first, second, third] = &*codes;
        for (channel, terms) in terms.iter_mut().enumerate() {
            let [_, w1, w2] = conversion.weights[channel];
            let bias = conversion.bias[channel];
            if second.is_empty() {
                terms.fill(bias);
                continue;
            }
            for ((term, &b), &c) in terms.iter_mut().zip(second).zip(third) {
                *term = w1 * i32::from(b) + w2 * i32::from(c) + bias;
            }
        }
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
