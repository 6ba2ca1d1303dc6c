//! Contrast-limited adaptive histogram equalization, as OpenCV's `createCLAHE` defines it, on luminance bins.
//!
//! The picture is divided into equal tiles. Unless both its width and height are multiples of the number of tiles, it
//! is first extended at the right and lower edges, by mirroring without repeating the edge, to tiles that are
//! ⌊width / tiles⌋ + 1 pixels wide (and likewise high, as in OpenCV). Each tile's luminance histogram of N bins is
//! clipped to max(1, ⌊clip limit · pixels per tile / N⌋) samples per bin. The excess is spread evenly over all bins;
//! the remainder is added, one sample each, to bins max(1, ⌊N / remainder⌋) apart, starting at bin 0. The tile's curve
//! is the cumulative histogram times (N − 1) / pixels per tile, rounded. A pixel's new luminance is interpolated
//! between the curves of the four tiles whose centres surround it, and the pixel is scaled by the ratio of the new
//! luminance to the old.
//!
//! There are two differences from OpenCV. Curves and interpolation are computed in integers, with weights of 12, 11
//! and 10 bits at 8, 10 and 12 bits per code, and halves are rounded up, whereas OpenCV uses floats; codes differ by at
//! most 1. And pictures of 10 or 12 bits have 1024 or 4096 bins, while OpenCV uses 65536 for any 16-bit picture.

use std::ops::RangeInclusive;
use std::str::FromStr;

use rayon::prelude::*;

use super::codes::scaled;
use super::parameters::{Field, Memory, Parameters, number};
use super::parse_error::ParseError;
use super::recolor::{self, by_depth};
use super::{Codes, mul_div_rounded};
use crate::picture::luminance::LuminanceWeights;

/// Contrast-limited adaptive histogram equalization.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clahe {
    /// Tiles across and down, each in [`Self::TILES`].
    pub tiles: (u32, u32),
    /// The maximum count of a bin, in multiples of a tile's mean bin, in [`Self::CLIP_LIMITS`]; 0 means no limit.
    pub clip_limit: f64,
}

impl Clahe {
    /// Supported numbers of tiles, across and down.
    pub const TILES: RangeInclusive<u32> = 1..=16;
    /// Supported clip limits.
    pub const CLIP_LIMITS: RangeInclusive<f64> = 0.0..=100.0;
}

impl Default for Clahe {
    fn default() -> Self {
        Self { tiles: (8, 8), clip_limit: 2.0 }
    }
}

/// Parses "8x8" or, with a clip limit, "8x8:2.0".
impl FromStr for Clahe {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let (tiles, clip_limit) = text.split_once(':').unwrap_or((text, "2"));
        let Some((across, down)) = tiles.split_once('x') else {
            return Err(ParseError::new(format!("'{tiles}' is not a number of tiles; write it like 8x8")));
        };
        let tiles = (number(across, "number of tiles", &Self::TILES)?, number(down, "number of tiles", &Self::TILES)?);
        Ok(Self { tiles, clip_limit: number(clip_limit, "clip limit", &Self::CLIP_LIMITS)? })
    }
}

impl Parameters for Clahe {
    fn fields(&mut self) -> [Field<'_>; 2] {
        let Self { tiles: (across, down), clip_limit: limit } = self;
        let limit_text = if *limit > 0.0 { limit.to_string() } else { "none".to_owned() };
        [
            Field::stop("clip limit", limit_text, limit, (&Self::CLIP_LIMITS, &STOPS)),
            Field::whole("tiles", format!("{across}×{down}"), vec![across, down], (&Self::TILES, 1)),
        ]
    }

    fn text(&self) -> String {
        let Self { tiles: (across, down), clip_limit } = self;
        let clip = if *clip_limit > 0.0 { format!("clip {clip_limit}") } else { "without clip limit".into() };
        format!("CLAHE {across}×{down} {clip}")
    }

    fn written(&self) -> String {
        format!("{}x{}:{}", self.tiles.0, self.tiles.1, self.clip_limit)
    }

    fn apply(&self, codes: Codes, _: &mut Memory, _: Option<f64>) -> Codes {
        apply(codes, *self)
    }

    fn reference(&self, codes: Codes) -> Codes {
        equalized_by_tiles(codes, *self)
    }
}

fn equalized_by_tiles(codes: Codes, clahe: Clahe) -> Codes {
    let grid = Grid::new((codes.width as u32, codes.height as u32), clahe.tiles);
    let most = grid.most_of_bin(clahe.clip_limit, codes.bits);
    let mut curves = Vec::new();
    for index in 0..grid.tiles.0 * grid.tiles.1 {
        let (left, top) = (index % grid.tiles.0 * grid.tile.0, index / grid.tiles.0 * grid.tile.1);
        let mut bins = vec![0; 1 << codes.bits];
        for y in top..top + grid.tile.1 {
            for x in left..left + grid.tile.0 {
                let (x, y) = (mirrored(x, grid.size.0), mirrored(y, grid.size.1));
                bins[codes.luminance_bin(codes.rgb[y as usize * codes.width + x as usize]) as usize] += 1;
            }
        }
        curves.push(tile_curve(&bins, most, grid.tile_pixels()));
    }
    let (columns, rows) = (grid.columns(codes.bits), grid.rows(codes.bits));
    let (one, bits, top) = (1 << weight_bits(codes.bits), codes.bits, codes.top());
    let (width, weights, mut index) = (codes.width, codes.luminance, 0);
    codes.map(|pixel| {
        let (column, row) = (columns[index % width], rows[index / width]);
        index += 1;
        let luminance = weights.bin(pixel.map(u32::from), bits);
        let (before, after) = Grid::neighbours(column.cell, grid.tiles.0);
        let (above, below) = Grid::neighbours(row.cell, grid.tiles.1);
        let curve = |x: u32, y: u32| curves[(y * grid.tiles.0 + x) as usize][luminance as usize];
        let across = |y: u32| curve(before, y) * (one - column.weight) + curve(after, y) * column.weight;
        // At most the highest code times 2^(2 · weight bits), plus one half for rounding, which fits in 32 bits.
        let sum = across(above) * (one - row.weight) + across(below) * row.weight;
        scaled(pixel, luminance, (sum + one * one / 2) / (one * one), top)
    })
}

/// The stops for clip limits, in ascending order: 0 means no limit.
const STOPS: [f64; 17] = [1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 20.0, 30.0, 40.0, 60.0, 100.0, 0.0];

/// The division of a picture into tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// Tiles across and down.
    pub tiles: (u32, u32),
    /// Width and height of a tile in pixels.
    pub tile: (u32, u32),
    /// Width and height of the picture in pixels.
    pub size: (u32, u32),
}

/// The position of a column or row of pixels between the centres of tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Between {
    /// The number of tile centres before it. It lies between tiles `cell - 1` and `cell`, if these exist.
    pub cell: u32,
    /// Weight of tile `cell`, in units of 1 / 2^[`weight_bits`].
    pub weight: u32,
}

impl Between {
    /// Packs both fields into a word for the GPU.
    #[must_use]
    pub const fn packed(self) -> u32 {
        self.cell << 16 | self.weight
    }
}

/// Returns the number of bits in an interpolation weight: as many as 32-bit products allow.
#[must_use]
pub const fn weight_bits(bits: u32) -> u32 {
    (32 - bits) / 2
}

/// Returns the index of the sample at position `at` of a row that is mirrored beyond its `count` samples, without
/// repeating the sample at the edge.
#[must_use]
pub const fn mirrored(at: u32, count: u32) -> u32 {
    if count == 1 {
        return 0;
    }
    let period = 2 * (count - 1);
    let at = at % period;
    if at < count { at } else { period - at }
}

impl Grid {
    /// Divides a picture into tiles.
    #[must_use]
    pub const fn new(size: (u32, u32), tiles: (u32, u32)) -> Self {
        let even = size.0.is_multiple_of(tiles.0) && size.1.is_multiple_of(tiles.1);
        let more = if even { 0 } else { 1 };
        Self { tiles, tile: (size.0 / tiles.0 + more, size.1 / tiles.1 + more), size }
    }

    /// Returns the number of pixels per tile.
    #[must_use]
    pub const fn tile_pixels(&self) -> u32 {
        self.tile.0 * self.tile.1
    }

    /// Returns the number of samples to which a tile's bins are clipped. A `clip_limit` of 0 means no limit.
    #[must_use]
    pub fn most_of_bin(&self, clip_limit: f64, bits: u32) -> u32 {
        if clip_limit <= 0.0 {
            return u32::MAX;
        }
        (clip_limit * f64::from(self.tile_pixels()) / f64::from(1 << bits)).max(1.0) as u32
    }

    /// Returns the position of each column between tiles.
    #[must_use]
    pub fn columns(&self, bits: u32) -> Vec<Between> {
        axis(self.size.0, self.tile.0, bits)
    }

    /// Returns the position of each row between tiles.
    #[must_use]
    pub fn rows(&self, bits: u32) -> Vec<Between> {
        axis(self.size.1, self.tile.1, bits)
    }

    /// Returns the tiles before and after a position, which are the same at the edges. `cell` is [`Between::cell`], and
    /// `count` is the number of tiles.
    #[must_use]
    pub const fn neighbours(cell: u32, count: u32) -> (u32, u32) {
        (cell.saturating_sub(1), if cell < count { cell } else { count - 1 })
    }
}

fn axis(count: u32, tile: u32, bits: u32) -> Vec<Between> {
    let one = 1_u64 << weight_bits(bits);
    let between = |at: u32| {
        // Distance in half pixels from the centre of an imaginary tile before the first one.
        let (at, tile) = (2 * u64::from(at) + u64::from(tile), 2 * u64::from(tile));
        Between { cell: (at / tile) as u32, weight: ((at % tile * one + tile / 2) / tile) as u32 }
    };
    (0..count).map(between).collect()
}

/// Computes the curve of a tile of `pixels` pixels from its luminance bins, clipped to `most` samples each.
#[must_use]
pub fn tile_curve(bins: &[u32], most: u32, pixels: u32) -> Vec<u32> {
    let count = bins.len() as u32;
    let excess: u32 = bins.iter().map(|&samples| samples.saturating_sub(most)).sum();
    let (each, rest) = (excess / count, excess % count);
    let step = count.checked_div(rest).unwrap_or(1).max(1);
    let mut below_or_equal = 0;
    (0..count)
        .map(|bin| {
            let one_more = u32::from(bin.is_multiple_of(step) && bin / step < rest);
            below_or_equal += bins[bin as usize].min(most) + each + one_more;
            mul_div_rounded(below_or_equal, count - 1, pixels)
        })
        .collect()
}

/// Returns the luminance bin of every pixel.
fn luminances<const BINS: usize>(rgb: &[[u16; 3]], weights: LuminanceWeights) -> Vec<u16> {
    rgb.par_iter().with_min_len(1 << 14).map(|&pixel| recolor::luminance::<BINS>(weights, pixel) as u16).collect()
}

/// Computes the curves of all tiles, in rows from the top.
fn tile_curves(luminances: &[u16], grid: &Grid, clip_limit: f64, bits: u32) -> Vec<Vec<u16>> {
    let most = grid.most_of_bin(clip_limit, bits);
    let curve = |index: u32| {
        let (left, top) = (index % grid.tiles.0 * grid.tile.0, index / grid.tiles.0 * grid.tile.1);
        let mut bins = vec![0; 1 << bits];
        // Beyond the edge of the picture, pixels are mirrored.
        let within = left.min(grid.size.0)..(left + grid.tile.0).min(grid.size.0);
        for y in top..top + grid.tile.1 {
            let row = &luminances[(mirrored(y, grid.size.1) * grid.size.0) as usize..][..grid.size.0 as usize];
            for &luminance in &row[within.start as usize..within.end as usize] {
                bins[usize::from(luminance)] += 1;
            }
            for x in within.end.max(left)..left + grid.tile.0 {
                bins[usize::from(row[mirrored(x, grid.size.0) as usize])] += 1;
            }
        }
        tile_curve(&bins, most, grid.tile_pixels()).into_iter().map(|code| code as u16).collect()
    };
    (0..grid.tiles.0 * grid.tiles.1).into_par_iter().map(curve).collect()
}

/// Equalizes the luminance of a picture tile by tile.
#[must_use]
pub fn apply(mut codes: Codes, clahe: Clahe) -> Codes {
    let clahe = clahe.clamped();
    let (bits, width) = (codes.bits, codes.width);
    let grid = Grid::new((width as u32, codes.height as u32), clahe.tiles);
    let luminances = by_depth!(bits, luminances(&codes.rgb, codes.luminance));
    let curves = tile_curves(&luminances, &grid, clahe.clip_limit, bits);
    let inverses: Vec<_> = (0..1 << bits).map(|luminance: u32| recolor::inverse(luminance.max(1))).collect();
    let (columns, rows) = (grid.columns(bits), grid.rows(bits));
    // Columns between the same centres share their tiles. Each run of such columns is stored with its first column.
    let mut runs = Vec::new();
    for run in columns.chunk_by(|a, b| a.cell == b.cell) {
        runs.push((runs.last().map_or(0, |(start, run): &(usize, &[Between])| start + run.len()), run));
    }
    let (weight_bits, top) = (weight_bits(bits), u64::from(codes.top()));
    let (one, half) = (1 << weight_bits, 1 << (2 * weight_bits - 1));
    let lines = codes.rgb.par_chunks_exact_mut(width).zip(luminances.par_chunks_exact(width));
    lines.zip(&rows).for_each(|((pixels, luminances), row)| {
        let (above, below) = Grid::neighbours(row.cell, grid.tiles.1);
        let tile = |x: u32, y: u32| curves[(y * grid.tiles.0 + x) as usize].as_slice();
        for &(start, run) in &runs {
            let (before, after) = Grid::neighbours(run[0].cell, grid.tiles.0);
            let [a, b, c, d] = [tile(before, above), tile(after, above), tile(before, below), tile(after, below)];
            let span = start..start + run.len();
            for ((pixel, &luminance), column) in pixels[span.clone()].iter_mut().zip(&luminances[span]).zip(run) {
                let level = usize::from(luminance);
                // With zero luminance there is no ratio to scale by.
                if level == 0 {
                    continue;
                }
                let (left, right) = (one - column.weight, column.weight);
                let across = |a: &[u16], b: &[u16]| u32::from(a[level]) * left + u32::from(b[level]) * right;
                // At most the highest code times 2^(2 · weight bits), plus one half for rounding, which fits in 32
                // bits.
                let sum = across(a, b) * (one - row.weight) + across(c, d) * row.weight;
                let new = u64::from((sum + half) >> (2 * weight_bits));
                let (inverse, middle) = (inverses[level], u64::from(luminance / 2));
                *pixel = pixel.map(|code| recolor::divided(u64::from(code) * new + middle, inverse).min(top) as u16);
            }
        }
    });
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirroring_does_not_repeat_the_edge() {
        let row = |count: u32| (0..9).map(|at| mirrored(at, count)).collect::<Vec<_>>();
        assert_eq!(row(4), [0, 1, 2, 3, 2, 1, 0, 1, 2]);
        assert_eq!(row(2), [0, 1, 0, 1, 0, 1, 0, 1, 0]);
        assert_eq!(row(1), [0; 9]);
    }

    #[test]
    fn tiles_cover_any_picture() {
        for size in [(1, 1), (7, 3), (64, 64), (65, 64), (1920, 1080), (3, 5000)] {
            for tiles in [(1, 1), (8, 8), (16, 2)] {
                let grid = Grid::new(size, tiles);
                assert!(grid.tile.0 * tiles.0 >= size.0 && grid.tile.1 * tiles.1 >= size.1);
                for (between, count) in [(grid.columns(8), tiles.0), (grid.rows(12), tiles.1)] {
                    assert!(between.iter().all(|b| b.cell <= count && b.weight <= 1 << 12));
                }
            }
        }
        assert_eq!(Grid::new((1920, 1080), (8, 8)).tile, (240, 135));
        assert_eq!(Grid::new((1920, 1081), (8, 8)).tile, (241, 136), "both ways, as in OpenCV");
    }

    #[test]
    fn clipping_keeps_every_sample() {
        let mut bins = vec![0; 256];
        bins[3] = 1000;
        bins[200] = 77;
        let curve = tile_curve(&bins, 40, 1077);
        assert_eq!(curve[255], 255);
        assert!(curve.is_sorted());
        assert!(curve[3] < 60, "the heap is cut down: {}", curve[3]);
        assert_eq!(tile_curve(&bins, u32::MAX, 1077)[3], 237);
    }
}
