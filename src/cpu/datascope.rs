//! The codes of pixels, written in them by the CPU.

use crate::picture::Picture;
use crate::picture::color::Conversion;
use crate::picture::layout::ColorModel;
use crate::picture::unpack::Source;
use crate::view::datascope::{Writing, ink_on};
use crate::view::placement::{Cells, Placement};

/// Writes them row by row.
pub(super) struct Writer<'a> {
    writing: Writing,
    conversion: Conversion,
    sources: Vec<Source<'a>>,
    chroma_shift: (u8, u8),
    /// The picture's column and row that covers each column and row that is drawn.
    columns: Vec<u32>,
    rows: Vec<u32>,
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
        (columns, rows): (&[u32], &[u32]),
        red_blue: [usize; 2],
    ) -> Self {
        let layout = picture.layout();
        Self {
            writing,
            conversion: picture.conversion(),
            sources: (0..layout.component_count()).map(|component| Source::new(picture, component)).collect(),
            chroma_shift: if layout.model == ColorModel::YCbCr { layout.chroma_shift } else { (0, 0) },
            columns: columns.to_vec(),
            rows: rows.to_vec(),
            cells: placement.cells(),
            red_blue,
            is_turned: placement.sampling.is_turned(),
        }
    }

    /// Writes what there is in the row of that number. `codes` has room for rows of the picture.
    #[inline(always)]
    pub fn write(&self, y: usize, codes: &mut [Vec<u16>; 3], pixels: &mut [u8]) {
        let (shift_x, shift_y) = self.chroma_shift;
        let row = self.rows[y] as usize;
        for (index, (source, codes)) in self.sources.iter().zip(&mut *codes).enumerate() {
            source.unpack(0, if index == 0 { row } else { row >> shift_y }, &mut codes[..source.width]);
        }
        let is_gray = self.sources.len() == 1;
        let [first, second, third] = &*codes;
        let along = if self.is_turned { &self.cells.rows } else { &self.cells.columns };
        let across = if self.is_turned { self.cells.columns[y] } else { self.cells.rows[y] };
        let mut values = [0; 3];
        let mut before = None;
        for ((pixel, &column), &cell) in pixels.chunks_exact_mut(4).zip(&self.columns).zip(along) {
            if before != Some(column) {
                let (at, chroma_at) = (column as usize, column as usize >> shift_x);
                let others = if is_gray { [0; 2] } else { [second[chroma_at], third[chroma_at]] };
                let codes = [first[at], others[0], others[1]].map(u32::from);
                values = self.writing.values(codes, &self.conversion);
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
