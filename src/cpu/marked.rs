//! How many pixels are marked, and where: on the CPU, whoever else counts and draws, since it is asked only of a picture that stands.

use rayon::prelude::*;

use crate::picture::Picture;
use crate::picture::layout::ColorModel;
use crate::picture::region::Rect;
use crate::picture::unpack::Source;
use crate::view::exposure::Inspection;
use crate::view::marked::Marked;

/// Rows that a thread looks at at a time.
const BAND_ROWS: usize = 16;

/// What is marked of a part of a picture, which lies inside it.
#[must_use]
pub fn find_marked(picture: &Picture, inspection: &Inspection, rect: Rect) -> Marked {
    let layout = picture.layout();
    let sources: Vec<_> = (0..layout.component_count()).map(|component| Source::new(picture, component)).collect();
    let (shift_x, shift_y) = if layout.model == ColorModel::YCbCr { layout.chroma_shift } else { (0, 0) };
    let band = |codes: &mut [Vec<u16>; 3], band: usize| {
        let mut found = Marked::default();
        for y in (band * BAND_ROWS..((band + 1) * BAND_ROWS).min(rect.height as usize)).map(|y| y + rect.y as usize) {
            for (index, (source, codes)) in sources.iter().zip(&mut *codes).enumerate() {
                source.unpack(0, if index == 0 { y } else { y >> shift_y }, &mut codes[..source.width]);
            }
            let [first, second, third] = &*codes;
            for x in rect.x as usize..(rect.x + rect.width) as usize {
                let codes = [first[x], second[x >> shift_x], third[x >> shift_x]].map(u32::from);
                found.add(&inspection.look(codes), [x as u32, y as u32]);
            }
        }
        found
    };
    // Gray has no second and third component: those stay 0.
    let codes = || std::array::from_fn(|_| vec![0; picture.width() as usize]);
    let bands = (0..(rect.height as usize).div_ceil(BAND_ROWS)).into_par_iter().map_init(codes, band);
    let bands: Vec<_> = bands.collect();
    bands.into_iter().fold(Marked::default(), Marked::followed_by)
}
