//! Zebras and marks on the picture that the CPU draws.

use crate::picture::Picture;
use crate::picture::layout::ColorModel;
use crate::picture::unpack::Source;
use crate::view::exposure::{Inspection, stripe_pixels};
use crate::view::placement::Placement;

/// Paints them row by row.
pub(super) struct Inspector<'a> {
    inspection: Inspection,
    sources: Vec<Source<'a>>,
    chroma_shift: (u8, u8),
    /// The picture's column and row that covers each column and row that is drawn.
    columns: Vec<u32>,
    rows: Vec<u32>,
    /// Where red and blue are among a pixel's bytes; green is between them.
    red_blue: [usize; 2],
    /// Whether rows that are drawn become columns of the view.
    is_turned: bool,
    /// The view's column at which drawing begins.
    first_column: u32,
    stripe: u32,
}

impl<'a> Inspector<'a> {
    /// What paints a picture in those columns and rows of its own, for a view of which `placement` has the columns from
    /// `first_column` on.
    pub fn new(
        picture: &'a Picture,
        placement: &Placement,
        (inspection, first_column): (Inspection, u32),
        (columns, rows): (&[u32], &[u32]),
        red_blue: [usize; 2],
    ) -> Self {
        let layout = picture.layout();
        Self {
            inspection,
            sources: (0..layout.component_count()).map(|component| Source::new(picture, component)).collect(),
            chroma_shift: if layout.model == ColorModel::YCbCr { layout.chroma_shift } else { (0, 0) },
            columns: columns.to_vec(),
            rows: rows.to_vec(),
            red_blue,
            is_turned: placement.sampling.is_turned(),
            first_column,
            stripe: stripe_pixels(placement.view.1),
        }
    }

    /// Paints the row of that number. `codes` has room for rows of the picture.
    #[inline(always)]
    pub fn paint(&self, y: usize, codes: &mut [Vec<u16>; 3], pixels: &mut [u8]) {
        let (shift_x, shift_y) = self.chroma_shift;
        let row = self.rows[y] as usize;
        for (index, (source, codes)) in self.sources.iter().zip(&mut *codes).enumerate() {
            source.unpack(0, if index == 0 { row } else { row >> shift_y }, &mut codes[..source.width]);
        }
        let is_gray = self.sources.len() == 1;
        let [first, second, third] = &*codes;
        for (at, (pixel, &column)) in pixels.chunks_exact_mut(4).zip(&self.columns).enumerate() {
            let (luma_at, chroma_at) = (column as usize, column as usize >> shift_x);
            let others = if is_gray { [0; 2] } else { [second[chroma_at], third[chroma_at]] };
            let seen = self.inspection.look([first[luma_at], others[0], others[1]].map(u32::from));
            let place = if self.is_turned { (y as u32, at as u32) } else { (at as u32, y as u32) };
            let place = (place.0 + self.first_column, place.1);
            let [red, blue] = self.red_blue;
            let painted = self.inspection.painted([pixel[red], pixel[1], pixel[blue]], &seen, place, self.stripe);
            (pixel[red], pixel[1], pixel[blue]) = (painted[0], painted[1], painted[2]);
        }
    }
}
