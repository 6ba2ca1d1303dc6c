//! How many pixels a brush selects, for machines without a GPU: row by row, each pixel by the arithmetic that lights it.

use rayon::prelude::*;

use crate::view::brush::Brush;
use histoscope_core::histogram::{Components, Selected};
use histoscope_core::picture::Picture;
use histoscope_core::picture::unpack::Source;

/// Rows that a thread counts at a time.
const BAND_ROWS: usize = 16;

/// Pixels of which any, and all, of a brush's channels lie in its range.
#[must_use]
pub fn count_selected(picture: &Picture, brush: &Brush, components: Components) -> Selected {
    let layout = picture.layout();
    let count = layout.component_count();
    let sources: Vec<_> = (0..count).map(|component| Source::new(picture, component)).collect();
    let (shift_x, chroma_rows) = (layout.columns_shift(), picture.chroma_rows());
    let conversion = picture.conversion();
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    let row = |codes: &mut [Vec<u16>; 3], y: usize| {
        for (index, (source, codes)) in sources.iter().zip(&mut *codes).enumerate() {
            source.unpack(0, if index == 0 { y } else { chroma_rows.of(y) }, &mut codes[..source.width]);
        }
        let [first, second, third] = &*codes;
        let mut selected = Selected::default();
        for x in 0..width {
            let codes = [first[x], second[x >> shift_x], third[x >> shift_x]].map(u32::from);
            let reached = brush.reached(codes, (components, count), &conversion);
            selected.any += u32::from(!reached.is_empty());
            selected.all += u32::from(reached == brush.channels);
        }
        selected
    };
    let band = |codes: &mut [Vec<u16>; 3], band: usize| {
        let rows = band * BAND_ROWS..((band + 1) * BAND_ROWS).min(height);
        rows.map(|y| row(codes, y)).fold(Selected::default(), Selected::plus)
    };
    let codes = || std::array::from_fn(|_| vec![0; width]);
    let bands = (0..height.div_ceil(BAND_ROWS)).into_par_iter().map_init(codes, band);
    bands.reduce(Selected::default, Selected::plus)
}
