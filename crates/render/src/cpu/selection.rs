//! Counts the pixels that a brush selects, for machines without a GPU: row by row, with the same arithmetic that lights
//! them.

use super::rows::{Rows, fold_rows};
use crate::view::brush::Brush;
use histoscope_core::histogram::{Components, Selected};
use histoscope_core::picture::Picture;

/// Counts the pixels with any, and those with all, of a brush's channels in its range.
#[must_use]
pub fn count_selected(picture: &Picture, brush: &Brush, components: Components) -> Selected {
    let rows = Rows::new(picture);
    let conversion = picture.conversion();
    let count = (components, rows.sources.len());
    let row = |selected: &mut Selected, codes: &mut [Vec<u16>; 3], _: usize| {
        for x in 0..picture.width() as usize {
            let reached = brush.reached(rows.at(codes, x), count, &conversion);
            selected.any += u32::from(!reached.is_empty());
            selected.all += u32::from(reached == brush.channels);
        }
    };
    fold_rows(&rows, picture.height() as usize, Selected::default, row, Selected::plus)
}
