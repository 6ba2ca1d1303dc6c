//! The codes of pixels, written in them by the CPU.

use super::covering::Covering;
use crate::view::datascope::{Writing, ink_on};
use crate::view::placement::{Cells, Placement};
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::Conversion;

/// Writes them row by row.
pub(super) struct Writer<'a> {
    writing: Writing,
    conversion: Conversion,
    covering: Covering<'a>,
    /// Where each column and each row of the view lies in its cell.
    cells: Cells,
    /// Where red and blue are among a pixel's bytes; green is between them.
    red_blue: [usize; 2],
    /// Whether rows that are drawn become columns of the view.
    is_turned: bool,
}

impl<'a> Writer<'a> {
    /// What writes on a picture in those columns and rows of its own.
    pub fn new(
        picture: &'a Picture,
        placement: &Placement,
        writing: Writing,
        covered: (&[u32], &[u32]),
        red_blue: [usize; 2],
    ) -> Self {
        Self {
            writing,
            conversion: picture.conversion(),
            covering: Covering::new(picture, picture.layout().component_count(), covered),
            cells: placement.cells(),
            red_blue,
            is_turned: placement.sampling.is_turned(),
        }
    }

    /// Writes what there is in the row of that number. `codes` has room for rows of the picture.
    #[inline(always)]
    pub fn write(&self, y: usize, codes: &mut [Vec<u16>; 3], pixels: &mut [u8]) {
        self.covering.unpack(y, codes);
        let along = if self.is_turned { &self.cells.rows } else { &self.cells.columns };
        let across = if self.is_turned { self.cells.columns[y] } else { self.cells.rows[y] };
        let mut values = [0; 3];
        let mut before = None;
        for ((pixel, &column), &cell) in pixels.chunks_exact_mut(4).zip(self.covering.columns()).zip(along) {
            if before != Some(column) {
                values = self.writing.values(self.covering.at(codes, column), &self.conversion);
                before = Some(column);
            }
            let (x, y) = if self.is_turned { (across, cell) } else { (cell, across) };
            if self.writing.is_ink([x[0], y[0]], [x[1], y[1]], values) {
                let [red, blue] = self.red_blue;
                let ink = ink_on([pixel[red], pixel[1], pixel[blue]]);
                (pixel[red], pixel[1], pixel[blue]) = (ink[0], ink[1], ink[2]);
            }
        }
    }
}
