//! Drawing that depends on the codes of a picture: false colour, zebras, marks, and the codes as digits. Equivalent to
//! shaders/video.wgsl.

use super::rows::Rows;
use crate::view::datascope::{Writing, ink_on};
use crate::view::exposure::{Inspection, Tint, TintMeasure, contrast, stripe_pixels};
use crate::view::marked::Marked;
use crate::view::placement::{Cells, Placement};
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::Conversion;
use histoscope_core::picture::layout::ColorModel;
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::unpack::Source;

/// The samples that cover the pixels of a view, row by row.
pub(super) struct Covering<'a> {
    source: Rows<'a>,
    /// The picture's columns and rows that cover each drawn column and row.
    columns: Vec<u32>,
    rows: Vec<u32>,
}

impl<'a> Covering<'a> {
    /// Takes the first `components` components of a picture. `columns` and `rows` are the picture's, for each drawn
    /// one.
    pub fn new(picture: &'a Picture, components: usize, (columns, rows): (&[u32], &[u32])) -> Self {
        let source = Rows::of_components(picture, components);
        Self { source, columns: columns.to_vec(), rows: rows.to_vec() }
    }

    /// Returns the picture's column that covers each drawn column.
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// Returns the number of components.
    pub fn component_count(&self) -> usize {
        self.source.sources.len()
    }

    /// Unpacks the picture's row that covers the drawn row `y` and returns its number. `codes` must have room for a row
    /// of the picture.
    #[inline(always)]
    pub fn unpack(&self, y: usize, codes: &mut [Vec<u16>; 3]) -> u32 {
        self.source.unpack(self.rows[y] as usize, codes);
        self.rows[y]
    }

    /// Returns the codes at a column of the picture in an unpacked row; 0 for missing components.
    #[inline(always)]
    pub fn at(&self, codes: &[Vec<u16>; 3], column: u32) -> [u32; 3] {
        match self.source.sources.len() {
            1 => [codes[0][column as usize].into(), 0, 0],
            _ => self.source.at(codes, column as usize),
        }
    }
}

/// Paints a picture in false colour, row by row.
pub(super) struct Tinter<'a> {
    tint: Tint,
    conversion: Conversion,
    /// The components that determine the colour.
    covering: Covering<'a>,
    /// The pixel for each value, or for each band if there are too many values.
    pixels: Vec<u32>,
    is_by_band: bool,
}

impl<'a> Tinter<'a> {
    /// Creates a painter for a picture. `covered` holds the picture's column and row for each drawn one; `red` and
    /// `blue` are the positions of those bytes in a pixel. Returns `None` if false colour is off.
    pub fn new(
        picture: &'a Picture,
        inspection: &Inspection,
        covered: (&[u32], &[u32]),
        [red, blue]: [usize; 2],
    ) -> Option<Self> {
        let tint = inspection.tint?;
        let layout = picture.layout();
        let pixel = |[r, g, b]: [u8; 3]| {
            let mut bytes = [0, g, 0, 255];
            (bytes[red], bytes[blue]) = (r, b);
            u32::from_ne_bytes(bytes)
        };
        let components = if tint.measure == TintMeasure::Luma { 1 } else { layout.component_count() };
        let is_by_band = matches!(tint.measure, TintMeasure::Light(meter) if !meter.is_by_code());
        let values: Vec<u32> = if is_by_band {
            tint.lowest.iter().take(tint.table.bands().len()).map(|&lowest| lowest.max(0) as u32).collect()
        } else {
            (0..1 << layout.bin_bits()).collect()
        };
        let pixels = values.into_iter().map(|value| pixel(tint.color(value))).collect();
        Some(Self {
            tint,
            conversion: *inspection.conversion(),
            covering: Covering::new(picture, components, covered),
            pixels,
            is_by_band,
        })
    }

    /// Paints the drawn row `y`. `codes` must have room for a row of the picture.
    #[inline(always)]
    pub fn paint(&self, y: usize, codes: &mut [Vec<u16>; 3], pixels: &mut [u32]) {
        self.covering.unpack(y, codes);
        for (pixel, &column) in pixels.iter_mut().zip(self.covering.columns()) {
            let codes = self.covering.at(codes, column);
            let value = self.tint.value(codes, &self.conversion);
            *pixel = self.pixels[if self.is_by_band { self.tint.band(value) } else { value as usize }];
        }
    }
}

/// Paints zebras and marks, row by row.
pub(super) struct Inspector<'a> {
    inspection: Inspection,
    covering: Covering<'a>,
    /// The component that focus peaking compares, and the picture's last row.
    sharpness: Source<'a>,
    last_row: u32,
    /// Positions of red and blue among a pixel's bytes; green lies between them.
    red_blue: [usize; 2],
    /// `true` if drawn rows become columns of the view.
    is_turned: bool,
    /// The first drawn column of the view.
    first_column: u32,
    stripe: u32,
}

impl<'a> Inspector<'a> {
    /// Creates a painter for a picture. `covered` holds the picture's column and row for each drawn one. `placement`
    /// describes the part of the view that starts at `first_column`.
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
            // Green has most of the luminance.
            sharpness: Source::new(picture, usize::from(picture.layout().model == ColorModel::Rgb)),
            last_row: picture.height() - 1,
            red_blue,
            is_turned: placement.sampling.is_turned(),
            first_column,
            stripe: stripe_pixels(placement.view.1),
        }
    }

    /// Paints the drawn row `y`. `codes` must have room for a row of the picture.
    #[inline(always)]
    pub fn paint(&self, y: usize, codes: &mut [Vec<u16>; 3], pixels: &mut [u8]) {
        let row = self.covering.unpack(y, codes);
        let rows = self.inspection.peaking.map(|_| self.rows_around(row));
        for (at, (pixel, &column)) in pixels.chunks_exact_mut(4).zip(self.covering.columns()).enumerate() {
            let mut seen = self.inspection.inspect(self.covering.at(codes, column));
            if let (Some(least), Some([above, row, below])) = (self.inspection.peaking, &rows) {
                seen.is_sharp = contrast([above, row, below], column as usize) >= least;
            }
            let place = if self.is_turned { (y as u32, at as u32) } else { (at as u32, y as u32) };
            let place = (place.0 + self.first_column, place.1);
            let [red, blue] = self.red_blue;
            let painted = self.inspection.painted([pixel[red], pixel[1], pixel[blue]], &seen, place, self.stripe);
            (pixel[red], pixel[1], pixel[blue]) = (painted[0], painted[1], painted[2]);
        }
    }
}

impl Inspector<'_> {
    /// Returns the codes that focus peaking compares, in the rows above, at and below a row of the picture.
    fn rows_around(&self, row: u32) -> [Vec<u16>; 3] {
        [row.saturating_sub(1), row, (row + 1).min(self.last_row)].map(|row| {
            let mut codes = vec![0; self.sharpness.width];
            self.sharpness.unpack(0, row as usize, &mut codes);
            codes
        })
    }
}

/// Writes the codes of enlarged pixels into them, row by row.
pub(super) struct Writer<'a> {
    writing: Writing,
    conversion: Conversion,
    covering: Covering<'a>,
    /// The position of each column and row of the view within its cell.
    cells: Cells,
    /// Positions of red and blue among a pixel's bytes; green lies between them.
    red_blue: [usize; 2],
    /// `true` if drawn rows become columns of the view.
    is_turned: bool,
}

impl<'a> Writer<'a> {
    /// Creates a writer for a picture. `covered` holds the picture's column and row for each drawn one.
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

    /// Writes the digits that cross the drawn row `y`. `codes` must have room for a row of the picture.
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

/// Number of rows between the calls of `goes_on` in [`find_marked`].
const MARKED_ROWS: u32 = 16;

/// Finds the marked pixels in a part of a picture, which must lie inside it. Returns `None` as soon as `goes_on`
/// returns `false`.
///
/// Runs on the calling thread only; rayon's pool stays free for counting and painting the pictures being shown.
#[must_use]
pub fn find_marked(
    picture: &Picture,
    inspection: &Inspection,
    rect: Rect,
    goes_on: impl Fn() -> bool,
) -> Option<Marked> {
    let rows = Rows::new(picture);
    let mut codes = rows.room();
    let mut found = Marked::default();
    for y in 0..rect.height {
        if y % MARKED_ROWS == 0 && !goes_on() {
            return None;
        }
        let y = rect.y + y;
        rows.unpack(y as usize, &mut codes);
        for x in rect.x..rect.x + rect.width {
            found.add(&inspection.inspect(rows.at(&codes, x as usize)), [x, y]);
        }
    }
    Some(found)
}
