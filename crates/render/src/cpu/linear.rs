//! Counts the luminance of linear light, for machines without a GPU: row by row, each pixel by the definition.

use super::rows::{Rows, fold_rows};
use histoscope_core::histogram::LightTable;
use histoscope_core::picture::region::{self, Rect};
use histoscope_core::picture::{Picture, PictureError};

/// Counts the luminance of linear light of a picture whose codes have as many bits as those of the table.
#[must_use]
pub fn count_linear(picture: &Picture, table: &LightTable) -> Vec<u32> {
    let conversion = picture.conversion();
    let rows = Rows::new(picture);
    let count_row = |bins: &mut Vec<u32>, codes: &mut [Vec<u16>; 3], _: usize| {
        // Neighbouring pixels are often equal, and a table lookup takes longer than a comparison.
        let mut before = ([0; 3], 0);
        for x in 0..picture.width() as usize {
            let codes = rows.at(codes, x).map(|code| code as i32);
            let rgb = conversion.unclamped(codes).map(|code| code.clamp(0, conversion.max_code()) as u32);
            if rgb != before.0 {
                before = (rgb, table.bin(rgb, conversion.luminance));
            }
            bins[before.1 as usize] += 1;
        }
    };
    fold_rows(&rows, picture.height() as usize, || vec![0; table.light().len()], count_row, added)
}

/// Counts the luminance of linear light in a rectangle of a picture, or in all of it if `rect` is `None`.
///
/// # Errors
/// [`PictureError`] if the rectangle does not lie in the picture.
pub fn count_linear_region(
    picture: &Picture,
    rect: Option<Rect>,
    table: &LightTable,
) -> Result<Vec<u32>, PictureError> {
    let rect = rect.unwrap_or(Rect::whole(picture.width(), picture.height()));
    let parts = region::parts(picture, rect)?;
    Ok(parts.iter().map(|part| count_linear(part, table)).fold(vec![0; table.light().len()], added))
}

/// Returns the sum of two parts' bins.
fn added(mut sum: Vec<u32>, part: Vec<u32>) -> Vec<u32> {
    sum.iter_mut().zip(part).for_each(|(sum, count)| *sum += count);
    sum
}
