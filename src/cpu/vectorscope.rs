//! Vectorscopes on the CPU: exactly those of [`reference`](crate::scopes::reference). Each thread counts rows of its own into
//! a plane of its own; the planes are added up at the end.

use rayon::prelude::*;

use crate::picture::Picture;
use crate::picture::color::Conversion;
use crate::picture::region::Rect;
use crate::picture::unpack::Source;
use crate::scopes::{Chroma, Differences, Vectorscope};

/// The vectorscope of a rectangle of a picture, in which it must lie.
#[must_use]
pub fn count_vectorscope(picture: &Picture, pixels: Rect, chroma: Chroma) -> Vectorscope {
    let mut scope = Vectorscope::empty(picture.layout().bin_bits());
    add_vectorscope(&mut scope, picture, pixels, chroma);
    scope
}

/// Adds the same to one of that depth.
pub(super) fn add_vectorscope(scope: &mut Vectorscope, picture: &Picture, pixels: Rect, chroma: Chroma) {
    let layout = picture.layout();
    let counting = Counting {
        sources: std::array::from_fn(|component| Source::new(picture, component)),
        samples: chroma.samples(layout, pixels),
        differences: chroma.differences().map(|&differences| (picture.conversion(), differences)),
        surplus: layout.bin_bits() - scope.level_bits,
        level_bits: scope.level_bits,
    };
    let rows = counting.samples.height as usize;
    let per_thread = rows.div_ceil(rayon::current_num_threads());
    let first = counting.samples.y as usize;
    let bands: Vec<_> =
        (0..rows).step_by(per_thread).map(|at| first + at..first + (at + per_thread).min(rows)).collect();
    let planes: Vec<Vec<u32>> = bands
        .into_par_iter()
        .with_max_len(1)
        .map(|band| {
            let mut counts = vec![0; scope.counts.len()];
            let mut codes = [(); 3].map(|()| vec![0; counting.samples.width as usize]);
            band.for_each(|y| counting.count_row(y, &mut codes, &mut counts));
            counts
        })
        .collect();
    for plane in planes {
        for (sum, count) in scope.counts.iter_mut().zip(plane) {
            *sum += count;
        }
    }
}

/// What all rows share.
struct Counting<'a> {
    sources: [Source<'a>; 3],
    samples: Rect,
    /// How differences are made of R'G'B'; `None` where they are coded.
    differences: Option<(Conversion, Differences)>,
    /// Bits of a code below those of its level.
    surplus: u32,
    level_bits: u32,
}

impl Counting<'_> {
    fn count_row(&self, y: usize, codes: &mut [Vec<u16>; 3], counts: &mut [u32]) {
        let x = self.samples.x as usize;
        let mut count = |cb: u32, cr: u32| {
            counts[(((cb >> self.surplus) << self.level_bits) | (cr >> self.surplus)) as usize] += 1;
        };
        let Some((conversion, differences)) = &self.differences else {
            let [_, cb, cr] = codes;
            self.sources[1].unpack(x, y, cb);
            self.sources[2].unpack(x, y, cr);
            cb.iter().zip(cr).for_each(|(&cb, &mut cr)| count(u32::from(cb), u32::from(cr)));
            return;
        };
        for (source, codes) in self.sources.iter().zip(&mut *codes) {
            source.unpack(x, y, codes);
        }
        let [first, second, third] = codes;
        for ((&mut first, &mut second), &mut third) in first.iter_mut().zip(second).zip(third) {
            let rgb = conversion.unclamped([first, second, third].map(i32::from));
            let [cb, cr] = differences.of_codes(rgb.map(|code| code.clamp(0, conversion.max_code())));
            count(cb, cr);
        }
    }
}
