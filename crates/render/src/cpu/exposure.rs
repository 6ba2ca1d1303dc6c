//! Zebras and marks on the picture that the CPU draws.

use super::covering::Covering;
use crate::view::exposure::{Inspection, stripe_pixels};
use crate::view::placement::Placement;
use histoscope_core::picture::Picture;

/// Paints them row by row.
pub(super) struct Inspector<'a> {
    inspection: Inspection,
    covering: Covering<'a>,
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
        covered: (&[u32], &[u32]),
        red_blue: [usize; 2],
    ) -> Self {
        Self {
            inspection,
            covering: Covering::new(picture, picture.layout().component_count(), covered),
            red_blue,
            is_turned: placement.sampling.is_turned(),
            first_column,
            stripe: stripe_pixels(placement.view.1),
        }
    }

    /// Paints the row of that number. `codes` has room for rows of the picture.
    #[inline(always)]
    pub fn paint(&self, y: usize, codes: &mut [Vec<u16>; 3], pixels: &mut [u8]) {
        self.covering.unpack(y, codes);
        for (at, (pixel, &column)) in pixels.chunks_exact_mut(4).zip(self.covering.columns()).enumerate() {
            let seen = self.inspection.look(self.covering.at(codes, column));
            let place = if self.is_turned { (y as u32, at as u32) } else { (at as u32, y as u32) };
            let place = (place.0 + self.first_column, place.1);
            let [red, blue] = self.red_blue;
            let painted = self.inspection.painted([pixel[red], pixel[1], pixel[blue]], &seen, place, self.stripe);
            (pixel[red], pixel[1], pixel[blue]) = (painted[0], painted[1], painted[2]);
        }
    }
}
