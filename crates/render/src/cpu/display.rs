//! Draws the picture of a view on the CPU, for machines whose only graphics adapter is software.
//!
//! A software adapter interprets the video shader pixel by pixel, which takes several times as long as decoding. Here
//! the same picture is made row by row: two source rows are blended into one, that row is resampled horizontally with a
//! table shared by all rows, and the result is converted to R'G'B' ([`resample`](super::resample)). The histograms are
//! painted over a row while it is in the cache ([`overlay`](super::overlay)). Only the finished pixels go to the
//! adapter. If the view is smaller than half the picture, each pixel is interpolated from the four nearest samples; the
//! shader averages more, which would take too long here. Outside the picture the view is black.

use std::ops::Range;

use rayon::prelude::*;

use super::SelectedPixels;
use super::by_codes::{Covering, Inspector, Tinter, Writer};
use super::overlay::Overlay;
use super::resample::{
    Axis, GROUP, LEVEL_BITS, PART_BITS, PixelGroup, SPARE, levels, levels_between, to_mapped_pixels, to_pixels,
};
use super::simd::{Kernel, Level};
use crate::view::brush::Lighting;
use crate::view::brushes::Filter;
use crate::view::datascope::Codes;
use crate::view::exposure::Inspection;
use crate::view::placement::Placement;
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::{Conversion, RealConversion};
use histoscope_core::picture::layout::{ChromaLines, ColorModel};
use histoscope_core::picture::unpack::Source;
use histoscope_core::tone_map::{SIGNALS, ToneTables};

/// Rows that a thread draws at a time.
pub const BAND_ROWS: usize = 16;

/// The sample positions of one component.
struct Grid {
    across: Axis,
    /// The positions of `across`, grouped for the hand-written code.
    groups: Vec<PixelGroup>,
    down: Axis,
}

/// The order of a pixel's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Red, green, blue, opacity.
    Rgba,
    /// Blue, green, red, opacity.
    Bgra,
}

impl Order {
    /// Returns the positions of red and blue; green lies between them.
    const fn red_blue(self) -> [usize; 2] {
        match self {
            Self::Rgba => [0, 2],
            Self::Bgra => [2, 0],
        }
    }
}

/// The layout of the pixels in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PixelFormat {
    /// The order of a pixel's bytes.
    pub order: Order,
    /// Bytes from one row to the next; at least four per pixel.
    pub stride: usize,
}

/// Write-only memory for up to [`BAND_ROWS`] rows of a view.
pub trait ViewBand: Send {
    /// Writes bytes, starting at byte `at`.
    fn put(&mut self, at: usize, bytes: &[u8]);
}

impl ViewBand for &mut [u8] {
    fn put(&mut self, at: usize, bytes: &[u8]) {
        self[at..][..bytes.len()].copy_from_slice(bytes);
    }
}

/// The layers drawn over a picture.
#[derive(Debug, Clone, Copy, Default)]
pub struct Over<'a> {
    /// The layers that depend on the picture's codes.
    pub by_codes: ByCodes<'a>,
    /// The histograms.
    pub overlays: &'a [Overlay],
}

/// The layers drawn over a picture that depend on its codes.
#[derive(Debug, Clone, Copy, Default)]
pub struct ByCodes<'a> {
    /// The lighting of a brush, which dims the other pixels, and what decides which pixels are lit.
    pub light: Option<(Lighting, LitBy<'a>)>,
    /// The zebra, marks and false colour for the picture's own codes, and the first drawn column of the view.
    pub inspection: Option<(Inspection, u32)>,
    /// The picture's own codes to write into its pixels, if these are large enough.
    pub codes: Option<Codes>,
    /// The tone mapping of the picture's colours, if they are not shown as coded.
    pub tone: Option<&'a ToneTables>,
}

/// The picture or selection that decides which pixels are lit.
#[derive(Debug, Clone, Copy)]
pub enum LitBy<'a> {
    /// The codes of a picture: the one being drawn, or a different one of the same size.
    Codes(&'a Picture),
    /// A set of selected pixels.
    Selected(&'a SelectedPixels),
}

/// Draws a picture at its `placement`: four bytes per pixel, opaque, rows from the top, into `bands` of [`BAND_ROWS`]
/// rows.
pub fn draw(picture: &Picture, placement: &Placement, over: Over<'_>, format: PixelFormat, bands: Vec<impl ViewBand>) {
    let drawing = RowDrawing::new(picture, placement, over.by_codes, format.order);
    let (level, stride) = (drawing.level, format.stride);
    let (width, height) = (placement.view.0 as usize, placement.view.1 as usize);
    let finish = |pixels: &mut [u32], y| level.run(Finish { overlays: over.overlays, pixels, y });
    if !placement.sampling.is_turned() {
        let scratch = || DisplayScratch::new(picture, width);
        return draw_bands(bands, height, scratch, |scratch, y, band, at| {
            level.run(ViewRow { drawing: &drawing, scratch, y });
            finish(&mut scratch.pixels[..width], y);
            band.put(at * stride, bytemuck::cast_slice(&scratch.pixels[..width]));
        });
    }
    // Rows are drawn along the picture's rows, which are columns of the view, so the result is transposed at the end.
    let mut turned = vec![0_u32; width * height];
    let own: Vec<_> = bytemuck::cast_slice_mut(&mut turned).chunks_mut(4 * height * BAND_ROWS).collect();
    draw_bands(
        own,
        width,
        || DisplayScratch::new(picture, height),
        |scratch, y, band: &mut &mut [u8], at| {
            level.run(ViewRow { drawing: &drawing, scratch, y });
            band.put(at * 4 * height, bytemuck::cast_slice(&scratch.pixels[..height]));
        },
    );
    draw_bands(
        bands,
        height,
        || vec![0; width],
        |row: &mut Vec<u32>, y, band, at| {
            for (pixel, column) in row.iter_mut().zip(turned.chunks_exact(height)) {
                *pixel = column[y];
            }
            finish(row, y);
            band.put(at * stride, bytemuck::cast_slice(row));
        },
    );
}

/// Draws into a single array, which is resized to fit; otherwise like [`draw`].
pub fn draw_whole(picture: &Picture, placement: &Placement, over: Over<'_>, format: PixelFormat, pixels: &mut Vec<u8>) {
    pixels.resize(format.stride * placement.view.1 as usize, 0);
    draw(picture, placement, over, format, pixels.chunks_mut(format.stride * BAND_ROWS).collect());
}

/// Draws `rows` rows. `draw` receives the thread's memory, the row's number, its band, and its index in the band.
fn draw_bands<B: ViewBand, M>(
    bands: Vec<B>,
    rows: usize,
    memory: impl Fn() -> M + Sync + Send,
    draw: impl Fn(&mut M, usize, &mut B, usize) + Sync + Send,
) {
    bands.into_par_iter().enumerate().for_each_init(memory, |memory, (number, mut band)| {
        let first = number * BAND_ROWS;
        for y in first..(first + BAND_ROWS).min(rows) {
            draw(memory, y, &mut band, y - first);
        }
    });
}

/// Paints the histograms over a finished row.
struct Finish<'a> {
    overlays: &'a [Overlay],
    pixels: &'a mut [u32],
    y: usize,
}

impl Kernel for Finish<'_> {
    #[inline(always)]
    fn run(self) {
        for overlay in self.overlays {
            overlay.paint(self.y, self.pixels);
        }
    }
}

/// Data shared by all rows.
struct RowDrawing<'a> {
    sources: Vec<Source<'a>>,
    grids: Vec<Grid>,
    bits: u32,
    colors: Colors<'a>,
    /// Columns and rows covered by the picture.
    covered: (Range<usize>, Range<usize>),
    light: Option<Light<'a>>,
    tinter: Option<Tinter<'a>>,
    inspector: Option<Inspector<'a>>,
    writer: Option<Writer<'a>>,
    level: Level,
}

/// The conversion to colours: weights of the components, and bias, from the values of [`Axis::along`].
enum Colors<'a> {
    /// To 0..255, in the order of a pixel's bytes.
    Coded([[f32; 4]; 3]),
    /// To the signals of red, green and blue that the tone mapping takes.
    Mapped([[f32; 4]; 3], &'a ToneTables, Order),
}

/// The effect of a brush on the picture.
struct Light<'a> {
    lighting: Lighting,
    selected: Option<&'a SelectedPixels>,
    /// The components that decide if there is no selection, and in any case the samples that cover the pixels.
    covering: Covering<'a>,
    conversion: Conversion,
    order: Order,
}

impl<'a> RowDrawing<'a> {
    /// Prepares the shared data; rows and columns are the picture's, however the view is turned.
    fn new(
        picture: &'a Picture,
        placement: &Placement,
        ByCodes { light, inspection, codes, tone }: ByCodes<'a>,
        order: Order,
    ) -> Self {
        let level = Level::detect();
        let layout = picture.layout();
        let (x, y) = placement.sampling.axes();
        let nearest = placement.nearest();
        let (mut columns, mut rows) = (nearest.columns, nearest.rows);
        let (mut covered_columns, mut covered_rows) = placement.covered();
        if nearest.is_turned {
            std::mem::swap(&mut columns, &mut rows);
            std::mem::swap(&mut covered_columns, &mut covered_rows);
        }
        let (width, height) = (columns.len() as u32, rows.len() as u32);
        let grid = |component: usize| {
            let size = layout.component_size(component, picture.width(), picture.height());
            let is_chroma = layout.model == ColorModel::YCbCr && component > 0;
            let (sx, sy) = if is_chroma { layout.chroma_shift } else { (0, 0) };
            let row_of = |y: u32| if is_chroma { picture.chroma_rows().of(y as usize) as u32 } else { y };
            if placement.has_hard_edges {
                let [columns, rows] = [&columns, &rows].map(|positions| positions.iter().copied());
                return Grid::new(Axis::hard(columns.map(|x| x >> sx)), Axis::hard(rows.map(row_of)), level);
            }
            // Chroma samples are co-sited with the leftmost luma sample that they cover, and vertically centred.
            let (share_x, share_y) = (f64::from(1_u32 << sx), f64::from(1_u32 << sy));
            let across = Axis::new(width, x, size.0, share_x, 0.0);
            // Between rows of different fields, the chroma of both is blended in the same proportion as their luma.
            let down = match layout.chroma_lines {
                ChromaLines::Field if is_chroma => Axis::new(height, y, picture.height(), 1.0, 0.0).mapped(row_of),
                _ => Axis::new(height, y, size.1, share_y, (share_y - 1.0) / 2.0),
            };
            Grid::new(across, down, level)
        };
        let color = picture.colorimetry();
        let bits = layout.bin_bits();
        let real = RealConversion::new(layout.model, color.matrix.value, color.range.value, bits);
        let most = if tone.is_some() { (SIGNALS - 1) as f64 } else { 255.0 };
        let scale = most / f64::from((1_u32 << bits) - 1);
        let unit = scale / f64::from(1_u32 << (LEVEL_BITS - bits + PART_BITS));
        let mut rgb = std::array::from_fn(|channel| {
            let weights = real.weights[channel];
            let bias = (0..3).map(|i| -weights[i] * f64::from(real.offsets[i])).sum::<f64>();
            [weights[0] * unit, weights[1] * unit, weights[2] * unit, bias * scale].map(|v| v as f32)
        });
        let colors = match tone {
            Some(tone) => Colors::Mapped(rgb, tone, order),
            None => {
                if order == Order::Bgra {
                    rgb.reverse();
                }
                Colors::Coded(rgb)
            }
        };
        let components = layout.component_count();
        let range = |range: Range<u32>| range.start as usize..range.end as usize;
        let grids = (0..components).map(grid).collect();
        let tinter = inspection
            .as_ref()
            .and_then(|(inspection, _)| Tinter::new(picture, inspection, (&columns, &rows), order.red_blue()));
        let writing = codes.and_then(|codes| codes.writing(placement));
        let writer =
            writing.map(|writing| Writer::new(picture, placement, writing, (&columns, &rows), order.red_blue()));
        let inspector = inspection
            .filter(|(inspection, _)| inspection.marks_anything())
            .map(|inspection| Inspector::new(picture, placement, inspection, (&columns, &rows), order.red_blue()));
        let light = light.map(|(lighting, by)| {
            let (by, components, selected) = match by {
                LitBy::Codes(by) => (by, by.layout().component_count(), None),
                LitBy::Selected(pixels) => (picture, 0, Some(pixels)),
            };
            let covering = Covering::new(by, components, (&columns, &rows));
            Light { lighting, selected, covering, conversion: by.conversion(), order }
        });
        Self {
            sources: (0..components).map(|i| Source::new(picture, i)).collect(),
            grids,
            bits,
            colors,
            covered: (range(covered_columns), range(covered_rows)),
            light,
            tinter,
            inspector,
            writer,
            level,
        }
    }
}

impl Grid {
    fn new(across: Axis, down: Axis, level: Level) -> Self {
        let groups = if level.has_intrinsics() { across.groups() } else { Vec::new() };
        Self { across, groups, down }
    }
}

/// A thread's scratch arrays.
struct DisplayScratch {
    upper: Vec<u16>,
    lower: Vec<u16>,
    /// A row of levels for each component.
    levels: [Vec<i16>; 3],
    /// Their values along the drawn row, padded to whole groups, if the positions have no groups.
    values: [Vec<i32>; 3],
    /// Codes of the row that decides which pixels are lit or marked.
    codes: [Vec<u16>; 3],
    /// The row, padded to whole groups.
    pixels: Vec<u32>,
}

impl DisplayScratch {
    fn new(picture: &Picture, width: usize) -> Self {
        let row = picture.width() as usize;
        Self {
            upper: vec![0; row],
            lower: vec![0; row],
            levels: std::array::from_fn(|_| vec![0; row + SPARE]),
            values: std::array::from_fn(|_| vec![0; width.next_multiple_of(GROUP)]),
            codes: std::array::from_fn(|_| vec![0; row]),
            pixels: vec![0; width.next_multiple_of(GROUP)],
        }
    }
}

/// One row of the view, drawn into the scratch's pixels.
struct ViewRow<'a, 'p> {
    drawing: &'a RowDrawing<'p>,
    scratch: &'a mut DisplayScratch,
    y: usize,
}

/// Opaque black.
const BLACK: u32 = u32::from_ne_bytes([0, 0, 0, 255]);

impl Kernel for ViewRow<'_, '_> {
    #[inline(always)]
    fn run(self) {
        let RowDrawing { covered: (columns, rows), light, tinter, inspector, writer, .. } = self.drawing;
        if !rows.contains(&self.y) {
            return self.scratch.pixels.fill(BLACK);
        }
        match tinter {
            Some(tinter) => tinter.paint(self.y, &mut self.scratch.codes, &mut self.scratch.pixels),
            None => self.drawing.picture_row(self.scratch, self.y),
        }
        let DisplayScratch { codes, pixels, .. } = self.scratch;
        if let Some(light) = light {
            light.dim(self.y, codes, bytemuck::cast_slice_mut(pixels));
        }
        if let Some(inspector) = inspector {
            inspector.paint(self.y, codes, bytemuck::cast_slice_mut(pixels));
        }
        if let Some(writer) = writer {
            writer.write(self.y, codes, bytemuck::cast_slice_mut(pixels));
        }
        pixels[..columns.start].fill(BLACK);
        pixels[columns.end..].fill(BLACK);
    }
}

impl RowDrawing<'_> {
    /// Draws a row of the picture in its own colours.
    #[inline(always)]
    fn picture_row(&self, scratch: &mut DisplayScratch, y: usize) {
        let Self { sources, grids, bits, colors, level, .. } = self;
        let DisplayScratch { upper, lower, levels: rows, values, pixels, .. } = scratch;
        for ((source, grid), row) in sources.iter().zip(grids).zip(&mut *rows) {
            let (low, high, part) = grid.down.at(y);
            let (upper, lower) = (&mut upper[..source.width], &mut lower[..source.width]);
            source.unpack(0, low, upper);
            if part > 0 {
                source.unpack(0, high, lower);
                levels_between(upper, lower, part, *bits, row);
            } else {
                levels(upper, *bits, row);
            }
        }
        if let [first, second, third] = &grids[..]
            && grids.iter().all(|grid| !grid.groups.is_empty())
        {
            let groups = [first, second, third].map(|grid| &grid.groups[..]);
            let rows = rows.each_ref().map(Vec::as_slice);
            match colors {
                Colors::Coded(rgb) => level.to_pixels(rgb, rows, groups, pixels),
                Colors::Mapped(rgb, tone, order) => {
                    level.to_mapped_pixels((rgb, tone), rows, groups, (order.red_blue(), pixels));
                }
            }
        } else {
            for ((grid, row), values) in grids.iter().zip(&*rows).zip(&mut *values) {
                grid.across.along(row, values);
            }
            match colors {
                Colors::Coded(rgb) => to_pixels(rgb, values, grids.len(), pixels),
                Colors::Mapped(rgb, tone, order) => {
                    let [first, second, third] = values.each_ref().map(Vec::as_slice);
                    // A gray picture has one component.
                    let values = if grids.len() == 1 { [first; 3] } else { [first, second, third] };
                    let pixels = (order.red_blue(), &mut pixels[..]);
                    if level.has_intrinsics() {
                        level.values_to_mapped_pixels((rgb, tone), values, pixels);
                    } else {
                        to_mapped_pixels((rgb, tone), values, pixels);
                    }
                }
            }
        }
    }
}

impl Light<'_> {
    /// Dims the unlit pixels of row `y`.
    #[inline(always)]
    fn dim(&self, y: usize, codes: &mut [Vec<u16>; 3], pixels: &mut [u8]) {
        let row = self.covering.unpack(y, codes);
        for (pixel, &column) in pixels.chunks_exact_mut(4).zip(self.covering.columns()) {
            let is_lit = match self.selected {
                Some(selected) => selected.has(Filter::All, column, row),
                None => {
                    let (codes, components) = (self.covering.at(codes, column), self.covering.component_count());
                    self.lighting.reaches(column, row) && self.lighting.lights(codes, components, &self.conversion)
                }
            };
            if is_lit {
                continue;
            }
            let [red, blue] = self.order.red_blue();
            let dimmed = self.lighting.dimmed([pixel[red], pixel[1], pixel[blue]]);
            (pixel[red], pixel[1], pixel[blue]) = (dimmed[0], dimmed[1], dimmed[2]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::histogram::Transfer;
    use histoscope_core::tone_map::{Display, SourceLight, Stops, ToneMapping};

    /// Returns a generator of pseudo-random numbers below `below`.
    fn numbers(seed: u32, below: u32) -> impl FnMut() -> u32 {
        let mut state = seed;
        move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % below
        }
    }

    #[test]
    fn hand_written_code_gives_the_same_pixels_as_the_plain_loops() {
        let level = Level::detect();
        let rgb = [[0.9, 0.1, 1.4, -180.0], [1.1, -0.3, -0.5, 90.0], [1.1, 1.8, 0.02, -240.0]]
            .map(|[a, b, c, bias]| [a, b, c].map(|weight: f32| weight / (1 << 20) as f32).into_iter().chain([bias]))
            .map(|row| row.collect::<Vec<_>>().try_into().expect("four numbers"));
        for (number, (from, to)) in
            [(1920_u32, 1600_u32), (64, 64), (61, 90), (3, 700), (1, 5), (900, 520)].into_iter().enumerate()
        {
            let mut random = numbers(number as u32, 256);
            let step = f64::from(from) / f64::from(to);
            let axes = [(from, 1.0), (from.div_ceil(2), 2.0), (from.div_ceil(2), 2.0)]
                .map(|(size, share)| Axis::new(to, (0.0, step), size, share, 0.0));
            let groups = axes.each_ref().map(|axis| axis.groups());
            let rows: [Vec<i16>; 3] =
                std::array::from_fn(|_| (0..from as usize + SPARE).map(|_| (random() << 6) as i16).collect());
            let mut plain = vec![0; to as usize];
            let values: [Vec<i32>; 3] = std::array::from_fn(|i| {
                let mut values = vec![0; to as usize];
                axes[i].along(&rows[i], &mut values);
                values
            });
            to_pixels(&rgb, &values, 3, &mut plain);
            if level.has_intrinsics() {
                assert!(groups.iter().all(|groups| !groups.is_empty()), "{from} to {to}");
                let mut written = vec![0; (to as usize).next_multiple_of(GROUP)];
                level.to_pixels(
                    &rgb,
                    rows.each_ref().map(Vec::as_slice),
                    groups.each_ref().map(Vec::as_slice),
                    &mut written,
                );
                assert_eq!(written[..to as usize], plain, "{from} to {to}");
            }
            for (transfer, red_blue) in [(Transfer::Pq, [0, 2]), (Transfer::Hlg, [2, 0])] {
                let light = SourceLight { transfer, ..SourceLight::default() };
                let tone = ToneTables::of(
                    light.tone_map(ToneMapping::Bt2390, Stops::default(), Display::Sdr).expect("it is mapped"),
                );
                let mapping =
                    (&rgb.map(|row: [f32; 4]| row.map(|weight| weight * (SIGNALS - 1) as f32 / 255.0)), &*tone);
                let each = [0, 1, 2].map(|i: usize| &values[i][..]);
                to_mapped_pixels(mapping, each, (red_blue, &mut plain));
                if level.has_intrinsics() {
                    let mut written = vec![0; (to as usize).next_multiple_of(GROUP)];
                    level.to_mapped_pixels(
                        mapping,
                        rows.each_ref().map(Vec::as_slice),
                        groups.each_ref().map(Vec::as_slice),
                        (red_blue, &mut written),
                    );
                    assert_eq!(written[..to as usize], plain, "{from} to {to}, {transfer:?}");
                    let padded = each.map(|values| [values, &[0; GROUP]].concat());
                    let mut from_values = vec![0; written.len()];
                    level.values_to_mapped_pixels(
                        mapping,
                        padded.each_ref().map(|values| &values[..written.len()]),
                        (red_blue, &mut from_values),
                    );
                    assert_eq!(from_values[..to as usize], plain, "{from} to {to}, {transfer:?}");
                }
            }
        }
    }
}
