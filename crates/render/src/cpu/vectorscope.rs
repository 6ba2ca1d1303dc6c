//! Counts vectorscopes on the CPU, with exactly the counts of [`reference`](histoscope_core::scopes::reference). Each
//! thread counts a band of rows into a plane of its own; the planes are added up at the end. A plane's counts have 16
//! bits, with their carries stored separately, which halves the memory so that more of it stays in the cache.

use rayon::prelude::*;

use super::rows::Rows;
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::Conversion;
use histoscope_core::picture::region::Rect;
use histoscope_core::scopes::{Chroma, PairLevels, Vectorscope};

/// Most bytes that all planes may take together, whatever the number of threads.
const MAX_BYTES: usize = 8 << 20;

/// Counts the vectorscope of a rectangle, which must lie in the picture.
#[must_use]
pub fn count_vectorscope(picture: &Picture, pixels: Rect, chroma: Chroma) -> Vectorscope {
    let mut scope = Vectorscope::empty(chroma.level_bits());
    add_vectorscope(&mut scope, picture, pixels, chroma);
    scope
}

/// Adds the vectorscope of a rectangle to one with the same levels.
pub(super) fn add_vectorscope(scope: &mut Vectorscope, picture: &Picture, pixels: Rect, chroma: Chroma) {
    let layout = picture.layout();
    let counting = VectorscopeCount {
        rows: Rows::new(picture),
        samples: chroma.samples(layout, pixels),
        conversion: picture.conversion(),
        is_coded: chroma.is_coded(),
        levels: chroma.levels(),
        level_bits: scope.level_bits,
    };
    let rows = counting.samples.height as usize;
    let most = (MAX_BYTES / (2 * scope.counts.len())).max(1);
    let of_band = rows.div_ceil(rayon::current_num_threads().min(most));
    let first = counting.samples.y as usize;
    let bands: Vec<_> = (0..rows).step_by(of_band).map(|at| first + at..first + (at + of_band).min(rows)).collect();
    let planes: Vec<Plane> = bands
        .into_par_iter()
        .with_max_len(1)
        .map(|band| {
            let mut plane = Plane { counts: vec![0; scope.counts.len()], carries: Vec::new() };
            let mut codes = counting.rows.room();
            band.for_each(|y| counting.count_row(y, &mut codes, &mut plane));
            plane
        })
        .collect();
    for Plane { counts, carries } in planes {
        scope.counts.iter_mut().zip(counts).for_each(|(sum, count)| *sum += u32::from(count));
        carries.into_iter().for_each(|at| scope.counts[at] += 1 << 16);
    }
}

/// The counts of one thread.
struct Plane {
    /// The lower 16 bits of each pair's count.
    counts: Vec<u16>,
    /// The index of a pair for each time that its count overflowed.
    carries: Vec<usize>,
}

impl Plane {
    #[inline(always)]
    fn add(&mut self, at: usize) {
        let count = &mut self.counts[at];
        *count = count.wrapping_add(1);
        if *count == 0 {
            self.carries.push(at);
        }
    }
}

/// Data shared by all rows.
struct VectorscopeCount<'a> {
    rows: Rows<'a>,
    samples: Rect,
    conversion: Conversion,
    is_coded: bool,
    levels: PairLevels,
    level_bits: u32,
}

impl VectorscopeCount<'_> {
    fn count_row(&self, y: usize, codes: &mut [Vec<u16>; 3], plane: &mut Plane) {
        let samples = self.samples.x as usize..(self.samples.x + self.samples.width) as usize;
        self.rows.unpack_samples(y, self.is_coded, codes);
        let mut count = |[first, second]: [u32; 2]| plane.add(((first << self.level_bits) | second) as usize);
        if self.is_coded {
            let [_, cb, cr] = codes;
            cb[samples.clone()]
                .iter()
                .zip(&cr[samples])
                .for_each(|(&cb, &cr)| count(self.levels.of_pair([cb.into(), cr.into()])));
        } else {
            samples.for_each(|x| self.levels.each_of(self.rows.at(codes, x), &self.conversion, &mut count));
        }
    }
}
