//! The picture in false colour, painted by the CPU.

use crate::picture::Picture;
use crate::picture::color::Conversion;
use crate::picture::layout::ColorModel;
use crate::picture::unpack::Source;
use crate::view::exposure::{Inspection, Tint};

/// Paints it row by row.
pub(super) struct Tinter<'a> {
    tint: Tint,
    conversion: Conversion,
    /// The components that decide.
    sources: Vec<Source<'a>>,
    chroma_shift: (u8, u8),
    /// The picture's column and row that covers each column and row that is drawn.
    columns: Vec<u32>,
    rows: Vec<u32>,
    /// The pixel of each value.
    pixels: Vec<u32>,
}

impl<'a> Tinter<'a> {
    /// What paints a picture in those columns and rows of its own, as pixels whose red and blue are in those places; nothing where false
    /// colour is off.
    pub fn new(
        picture: &'a Picture,
        inspection: &Inspection,
        (columns, rows): (&[u32], &[u32]),
        [red, blue]: [usize; 2],
    ) -> Option<Self> {
        let tint = inspection.tint?;
        let layout = picture.layout();
        let pixel = |value: u32| {
            let [r, g, b] = tint.color(value);
            let mut bytes = [0, g, 0, 255];
            (bytes[red], bytes[blue]) = (r, b);
            u32::from_ne_bytes(bytes)
        };
        let components = if tint.is_luma { 1 } else { layout.component_count() };
        Some(Self {
            tint,
            conversion: *inspection.conversion(),
            sources: (0..components).map(|component| Source::new(picture, component)).collect(),
            chroma_shift: if layout.model == ColorModel::YCbCr { layout.chroma_shift } else { (0, 0) },
            columns: columns.to_vec(),
            rows: rows.to_vec(),
            pixels: (0..1 << layout.bin_bits()).map(pixel).collect(),
        })
    }

    /// Paints the row of that number. `codes` has room for rows of the picture.
    #[inline(always)]
    pub fn paint(&self, y: usize, codes: &mut [Vec<u16>; 3], pixels: &mut [u32]) {
        let (shift_x, shift_y) = self.chroma_shift;
        let row = self.rows[y] as usize;
        for (index, (source, codes)) in self.sources.iter().zip(&mut *codes).enumerate() {
            source.unpack(0, if index == 0 { row } else { row >> shift_y }, &mut codes[..source.width]);
        }
        let [first, second, third] = &*codes;
        for (pixel, &column) in pixels.iter_mut().zip(&self.columns) {
            let (at, chroma_at) = (column as usize, column as usize >> shift_x);
            let value = if self.tint.is_luma {
                first[at].into()
            } else {
                let codes = [first[at], second[chroma_at], third[chroma_at]].map(u32::from);
                self.tint.value(codes, &self.conversion)
            };
            *pixel = self.pixels[value as usize];
        }
    }
}
