//! The luminance of linear light, for machines without a GPU: row by row, each pixel by its definition.

use rayon::prelude::*;

use histoscope_core::histogram::LightTable;
use histoscope_core::picture::region::{self, Rect};
use histoscope_core::picture::unpack::Source;
use histoscope_core::picture::{Picture, PictureError};

/// Rows that a thread counts at a time.
const BAND_ROWS: usize = 16;

/// The bins of the luminance of linear light of a picture of 2^n codes, of which the table is.
#[must_use]
pub fn count_linear(picture: &Picture, table: &LightTable) -> Vec<u32> {
    let layout = picture.layout();
    let sources: Vec<_> = (0..layout.component_count()).map(|component| Source::new(picture, component)).collect();
    let (shift_x, chroma_rows) = (layout.columns_shift(), picture.chroma_rows());
    let conversion = picture.conversion();
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    let count_row = |codes: &mut [Vec<u16>; 3], bins: &mut [u32], y: usize| {
        for (index, (source, codes)) in sources.iter().zip(&mut *codes).enumerate() {
            source.unpack(0, if index == 0 { y } else { chroma_rows.of(y) }, &mut codes[..source.width]);
        }
        let [first, second, third] = &*codes;
        // Neighbours are often alike, and a look at the table takes longer than a comparison.
        let mut before = ([0; 3], 0);
        for x in 0..width {
            let codes = [first[x], second[x >> shift_x], third[x >> shift_x]].map(i32::from);
            let rgb = conversion.unclamped(codes).map(|code| code.clamp(0, conversion.max_code()) as u32);
            if rgb != before.0 {
                before = (rgb, table.bin(rgb));
            }
            bins[before.1 as usize] += 1;
        }
    };
    let empty = || vec![0; table.light().len()];
    let bands = (0..height.div_ceil(BAND_ROWS)).into_par_iter();
    let counted = bands.fold(
        || (std::array::from_fn(|_| vec![0; width]), empty()),
        |(mut codes, mut bins), band| {
            let rows = band * BAND_ROWS..((band + 1) * BAND_ROWS).min(height);
            rows.for_each(|y| count_row(&mut codes, &mut bins, y));
            (codes, bins)
        },
    );
    counted.map(|(_, bins)| bins).reduce(empty, added)
}

/// The same of a rectangle of a picture, or of all of it.
///
/// # Errors
/// [`PictureError`] if the rectangle does not lie in it.
pub fn count_linear_region(
    picture: &Picture,
    rect: Option<Rect>,
    table: &LightTable,
) -> Result<Vec<u32>, PictureError> {
    let rect = rect.unwrap_or(Rect::whole(picture.width(), picture.height()));
    let parts = region::parts(picture, rect)?;
    Ok(parts.iter().map(|part| count_linear(part, table)).fold(vec![0; table.light().len()], added))
}

/// Two parts' bins together.
fn added(mut sum: Vec<u32>, part: Vec<u32>) -> Vec<u32> {
    sum.iter_mut().zip(part).for_each(|(sum, count)| *sum += count);
    sum
}
