//! The picture for a view, drawn by the CPU: for machines whose only graphics adapter is software.
//!
//! A software adapter interprets the video's shader pixel by pixel, which takes several times as long as decoding. Here
//! the same picture is made row by row: two source rows are blended into one, that row is blended horizontally by a table
//! that all rows share, and the result becomes R'G'B'. Each step is a plain loop over an array. Only the finished pixels
//! go to the adapter. A view that is smaller than half the picture is made from the four samples nearest to each pixel,
//! where the shader averages more: that would take this too long. Beside the picture the view is black.

use std::ops::Range;

use rayon::prelude::*;

use super::exposure::Inspector;
use super::simd::{Kernel, Level};
use crate::picture::Picture;
use crate::picture::color::{Conversion, RealConversion};
use crate::picture::layout::ColorModel;
use crate::picture::unpack::Source;
use crate::view::brush::Lighting;
use crate::view::exposure::Inspection;
use crate::view::placement::Placement;

/// Rows that a thread draws at a time.
const BAND_ROWS: usize = 16;

/// Where each position along one side of the view lies between two samples of a component.
#[derive(Debug, Clone, PartialEq)]
struct Axis {
    low: Vec<u32>,
    high: Vec<u32>,
    part: Vec<f32>,
    /// Whether position i is sample i itself, for all i.
    is_identity: bool,
}

impl Axis {
    /// `count` positions from `origin` on, `step` luma samples apart, on a grid of `size` samples each of which covers
    /// `share` luma samples, its own place being `offset` luma samples from the first of them.
    fn new(count: u32, (origin, step): (f64, f64), size: u32, share: f64, offset: f64) -> Self {
        let last = f64::from(size.max(1) - 1);
        let mut axis = Self { low: Vec::new(), high: Vec::new(), part: Vec::new(), is_identity: true };
        for index in 0..count {
            let luma = origin + step * (f64::from(index) + 0.5) - 0.5;
            let at = ((luma - offset) / share).clamp(0.0, last);
            // Rounding must not take a position that is a sample off it.
            let at = if (at - at.round()).abs() < 1e-6 { at.round() } else { at };
            let low = at.floor() as u32;
            axis.low.push(low);
            axis.high.push((low + 1).min(size.max(1) - 1));
            axis.part.push((at - at.floor()) as f32);
            axis.is_identity &= at == f64::from(index);
        }
        axis
    }

    /// Positions that show one sample each: the one that covers the luma sample of that number.
    fn hard(luma: &[u32], chroma_shift: u8) -> Self {
        let low: Vec<u32> = luma.iter().map(|&at| at >> chroma_shift).collect();
        let is_identity = low.iter().zip(0..).all(|(&at, index)| at == index);
        Self { high: low.clone(), part: vec![0.0; low.len()], low, is_identity }
    }
}

/// The positions of one component.
struct Grid {
    across: Axis,
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
    /// Where red and blue are; green is between them.
    const fn red_blue(self) -> [usize; 2] {
        match self {
            Self::Rgba => [0, 2],
            Self::Bgra => [2, 0],
        }
    }
}

/// The order of a pixel's bytes, and how far apart the rows are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PixelFormat {
    /// The order of a pixel's bytes.
    pub order: Order,
    /// Bytes from row to row; at least four for each pixel.
    pub stride: usize,
}

/// What is drawn over a picture where its codes ask for it.
#[derive(Debug, Clone, Copy, Default)]
pub struct ByCodes<'a> {
    /// What is lit, the rest being dimmed, and the picture whose codes decide: this one or another of the same size.
    pub light: Option<(Lighting, &'a Picture)>,
    /// What is striped and marked by the picture's own codes, and which column of the view is the first that is drawn.
    pub inspection: Option<(Inspection, u32)>,
}

/// Draws a picture where `placement` puts it: four bytes a pixel, opaque, rows from the top, into `pixels`, which becomes
/// as long as it must be.
pub fn draw(
    picture: &Picture,
    placement: &Placement,
    by_codes: ByCodes<'_>,
    format: PixelFormat,
    pixels: &mut Vec<u8>,
) {
    let PixelFormat { order, stride } = format;
    let view = placement.view;
    pixels.resize(stride * view.1 as usize, 0);
    let drawing = Drawing::new(picture, placement, by_codes, order);
    if !placement.sampling.is_turned() {
        return draw_rows(&drawing, picture, stride, view.0, pixels);
    }
    // Rows are made along the picture's own rows; the view shows those as columns, so they are turned at the end.
    let (width, height) = (view.1, view.0);
    let row_bytes = width as usize * 4;
    let mut rows = vec![0; row_bytes * height as usize];
    draw_rows(&drawing, picture, row_bytes, width, &mut rows);
    pixels.par_chunks_exact_mut(stride).enumerate().for_each(|(x, row)| {
        for (y, pixel) in row.chunks_exact_mut(4).take(height as usize).enumerate() {
            pixel.copy_from_slice(&rows[y * row_bytes + x * 4..][..4]);
        }
    });
}

fn draw_rows(drawing: &Drawing<'_>, picture: &Picture, stride: usize, width: u32, pixels: &mut [u8]) {
    let row_bytes = width as usize * 4;
    let level = Level::detect();
    pixels.par_chunks_mut(stride * BAND_ROWS).enumerate().for_each_init(
        || Scratch::new(picture, width as usize),
        |scratch, (band, rows)| {
            for (row, y) in rows.chunks_exact_mut(stride).zip(band * BAND_ROWS..) {
                level.run(Row { drawing, scratch, y, pixels: &mut row[..row_bytes] });
            }
        },
    );
}

/// What all rows share.
struct Drawing<'a> {
    sources: Vec<Source<'a>>,
    grids: Vec<Grid>,
    /// Weights of the components and bias, codes to 0..255, in the order of a pixel's bytes.
    rgb: [[f32; 4]; 3],
    /// Columns and rows that the picture covers.
    covered: (Range<usize>, Range<usize>),
    light: Option<Light<'a>>,
    inspector: Option<Inspector<'a>>,
}

/// A brush at work.
struct Light<'a> {
    lighting: Lighting,
    /// The components that decide.
    sources: Vec<Source<'a>>,
    conversion: Conversion,
    chroma_shift: (u8, u8),
    /// The picture's column and row that covers each column and row.
    columns: Vec<u32>,
    rows: Vec<u32>,
    order: Order,
}

impl<'a> Drawing<'a> {
    /// What the rows share; rows and columns are the picture's, however the view is turned.
    fn new(
        picture: &'a Picture,
        placement: &Placement,
        ByCodes { light, inspection }: ByCodes<'a>,
        order: Order,
    ) -> Self {
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
            if placement.has_hard_edges {
                return Grid { across: Axis::hard(&columns, sx), down: Axis::hard(&rows, sy) };
            }
            // Chroma samples lie at the left of the luma samples that they cover, and vertically in their middle.
            let (share_x, share_y) = (f64::from(1_u32 << sx), f64::from(1_u32 << sy));
            Grid {
                across: Axis::new(width, x, size.0, share_x, 0.0),
                down: Axis::new(height, y, size.1, share_y, (share_y - 1.0) / 2.0),
            }
        };
        let color = picture.colorimetry();
        let bits = layout.bin_bits();
        let real = RealConversion::new(layout.model, color.matrix.value, color.range.value, bits);
        let scale = 255.0 / f64::from((1_u32 << bits) - 1);
        let mut rgb = std::array::from_fn(|channel| {
            let weights = real.weights[channel];
            let bias = (0..3).map(|i| -weights[i] * f64::from(real.offsets[i])).sum::<f64>();
            [weights[0] * scale, weights[1] * scale, weights[2] * scale, bias * scale].map(|v| v as f32)
        });
        if order == Order::Bgra {
            rgb.reverse();
        }
        let components = layout.component_count();
        let range = |range: Range<u32>| range.start as usize..range.end as usize;
        let grids = (0..components).map(grid).collect();
        let inspector = inspection
            .map(|inspection| Inspector::new(picture, placement, inspection, (&columns, &rows), order.red_blue()));
        let light = light.map(|(lighting, by)| {
            let layout = by.layout();
            let chroma_shift = if layout.model == ColorModel::YCbCr { layout.chroma_shift } else { (0, 0) };
            let sources = (0..layout.component_count()).map(|i| Source::new(by, i)).collect();
            Light { lighting, sources, conversion: by.conversion(), chroma_shift, columns, rows, order }
        });
        Self {
            sources: (0..components).map(|i| Source::new(picture, i)).collect(),
            grids,
            rgb,
            covered: (range(covered_columns), range(covered_rows)),
            light,
            inspector,
        }
    }
}

/// A thread's arrays.
struct Scratch {
    upper: Vec<u16>,
    lower: Vec<u16>,
    blended: Vec<f32>,
    /// The three components of the row that is drawn.
    components: [Vec<f32>; 3],
    /// Codes of the row that decides what is lit or marked.
    codes: [Vec<u16>; 3],
}

impl Scratch {
    fn new(picture: &Picture, width: usize) -> Self {
        let row = picture.width() as usize;
        Self {
            upper: vec![0; row],
            lower: vec![0; row],
            blended: vec![0.0; row],
            components: std::array::from_fn(|_| vec![0.0; width]),
            codes: std::array::from_fn(|_| vec![0; row]),
        }
    }
}

/// One row of the view.
struct Row<'a, 'p> {
    drawing: &'a Drawing<'p>,
    scratch: &'a mut Scratch,
    y: usize,
    pixels: &'a mut [u8],
}

impl Kernel for Row<'_, '_> {
    #[inline(always)]
    fn run(self) {
        let (columns, rows) = &self.drawing.covered;
        if !rows.contains(&self.y) {
            return black(self.pixels);
        }
        let Scratch { upper, lower, blended, components, codes } = self.scratch;
        for (index, (source, grid)) in self.drawing.sources.iter().zip(&self.drawing.grids).enumerate() {
            let (low, high) = (grid.down.low[self.y] as usize, grid.down.high[self.y] as usize);
            let part = grid.down.part[self.y];
            let blended = &mut blended[..source.width];
            source.unpack(0, low, &mut upper[..source.width]);
            if part > 0.0 {
                source.unpack(0, high, &mut lower[..source.width]);
                for ((out, &a), &b) in blended.iter_mut().zip(&*upper).zip(&*lower) {
                    *out = f32::from(a) + (f32::from(b) - f32::from(a)) * part;
                }
            } else {
                for (out, &a) in blended.iter_mut().zip(&*upper) {
                    *out = f32::from(a);
                }
            }
            across(&grid.across, blended, &mut components[index]);
        }
        to_rgb(&self.drawing.rgb, components, self.drawing.sources.len(), self.pixels);
        if let Some(light) = &self.drawing.light {
            light.dim(self.y, codes, self.pixels);
        }
        if let Some(inspector) = &self.drawing.inspector {
            inspector.paint(self.y, codes, self.pixels);
        }
        black(&mut self.pixels[..4 * columns.start]);
        black(&mut self.pixels[4 * columns.end..]);
    }
}

#[inline(always)]
fn black(pixels: &mut [u8]) {
    for pixel in pixels.chunks_exact_mut(4) {
        pixel.copy_from_slice(&[0, 0, 0, 255]);
    }
}

impl Light<'_> {
    /// Dims the pixels of row `y` that are not lit.
    #[inline(always)]
    fn dim(&self, y: usize, codes: &mut [Vec<u16>; 3], pixels: &mut [u8]) {
        let (shift_x, shift_y) = self.chroma_shift;
        let row = self.rows[y] as usize;
        for (index, (source, codes)) in self.sources.iter().zip(&mut *codes).enumerate() {
            source.unpack(0, if index == 0 { row } else { row >> shift_y }, &mut codes[..source.width]);
        }
        let [first, second, third] = &*codes;
        for (pixel, &column) in pixels.chunks_exact_mut(4).zip(&self.columns) {
            let (at, chroma_at) = (column as usize, column as usize >> shift_x);
            let codes = [first[at], second[chroma_at], third[chroma_at]].map(u32::from);
            if self.lighting.reaches(column, row as u32)
                && self.lighting.lights(codes, self.sources.len(), &self.conversion)
            {
                continue;
            }
            let [red, blue] = self.order.red_blue();
            let dimmed = self.lighting.dimmed([pixel[red], pixel[1], pixel[blue]]);
            (pixel[red], pixel[1], pixel[blue]) = (dimmed[0], dimmed[1], dimmed[2]);
        }
    }
}

#[inline(always)]
fn across(axis: &Axis, row: &[f32], out: &mut [f32]) {
    if axis.is_identity {
        let count = out.len().min(row.len());
        out[..count].copy_from_slice(&row[..count]);
        return;
    }
    for (((out, &low), &high), &part) in out.iter_mut().zip(&axis.low).zip(&axis.high).zip(&axis.part) {
        let (a, b) = (row[low as usize], row[high as usize]);
        *out = a + (b - a) * part;
    }
}

#[inline(always)]
fn to_rgb(rgb: &[[f32; 4]; 3], components: &[Vec<f32>; 3], count: usize, pixels: &mut [u8]) {
    // Rounded as the shader rounds.
    let byte = |v: f32| (v + 0.5).clamp(0.0, 255.0) as i32 as u8;
    let [first, second, third] = components;
    if count == 1 {
        for (pixel, &a) in pixels.chunks_exact_mut(4).zip(first) {
            let level = byte(rgb[0][0] * a + rgb[0][3]);
            pixel.copy_from_slice(&[level, level, level, 255]);
        }
        return;
    }
    for (((pixel, &a), &b), &c) in pixels.chunks_exact_mut(4).zip(first).zip(second).zip(third) {
        let channel = |[x, y, z, bias]: [f32; 4]| byte(x * a + y * b + z * c + bias);
        pixel.copy_from_slice(&[channel(rgb[0]), channel(rgb[1]), channel(rgb[2]), 255]);
    }
}
