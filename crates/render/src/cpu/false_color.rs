//! The picture in false colour, painted by the CPU.

use super::covering::Covering;
use crate::view::exposure::{Inspection, Tint};
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::Conversion;

/// Paints it row by row.
pub(super) struct Tinter<'a> {
    tint: Tint,
    conversion: Conversion,
    /// The components that decide.
    covering: Covering<'a>,
    /// The pixel of each value.
    pixels: Vec<u32>,
}

impl<'a> Tinter<'a> {
    /// What paints a picture in those columns and rows of its own, as pixels whose red and blue are in those places; nothing where false
    /// colour is off.
    pub fn new(
        picture: &'a Picture,
        inspection: &Inspection,
        covered: (&[u32], &[u32]),
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
            covering: Covering::new(picture, components, covered),
            pixels: (0..1 << layout.bin_bits()).map(pixel).collect(),
        })
    }

    /// Paints the row of that number. `codes` has room for rows of the picture.
    #[inline(always)]
    pub fn paint(&self, y: usize, codes: &mut [Vec<u16>; 3], pixels: &mut [u32]) {
        self.covering.unpack(y, codes);
        for (pixel, &column) in pixels.iter_mut().zip(self.covering.columns()) {
            let codes = self.covering.at(codes, column);
            let value = if self.tint.is_luma { codes[0] } else { self.tint.value(codes, &self.conversion) };
            *pixel = self.pixels[value as usize];
        }
    }
}
