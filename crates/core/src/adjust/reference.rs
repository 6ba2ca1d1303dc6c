//! Reference implementations of the adjustments, pixel by pixel. They are deliberately slow, with a division wherever
//! the definition has one. Tests and `analyze --verify` compare the fast implementations with them.

use super::codes::scaled;
use super::lut::{BRIGHT_SHIFT, Cube, DARK, FRACTION_BITS, GamutChange, LIGHT_BITS, Lut, MATRIX_BITS, Stage};
use super::parameters::{Adjustments, Blur, Clahe, Equalize, Otsu, Placing, Posterize, Reduction, Tone};
use super::{Codes, blur, clahe, equalize, otsu, posterize};
use crate::histogram::reference;
use crate::picture::Picture;

/// Converts a picture to codes.
#[must_use]
pub fn codes(picture: &Picture) -> Codes {
    let (width, height) = (picture.width(), picture.height());
    let top = picture.conversion().max_code();
    let pixel = |x, y| reference::unclamped_rgb(picture, x, y).map(|code| code.clamp(0, top) as u16);
    let rgb = (0..height).flat_map(|y| (0..width).map(move |x| pixel(x, y))).collect();
    let luminance = picture.colorimetry().luminance;
    Codes { bits: picture.layout().bin_bits(), width: width as usize, height: height as usize, rgb, luminance }
}

/// Counts the bins of red, green, blue and luminance.
#[must_use]
pub fn bins(codes: &Codes) -> [Vec<u32>; 4] {
    let mut bins: [Vec<u32>; 4] = std::array::from_fn(|_| vec![0; 1 << codes.bits]);
    for &pixel in &codes.rgb {
        for (bins, code) in bins.iter_mut().zip(pixel) {
            bins[usize::from(code)] += 1;
        }
        bins[3][codes.luminance_bin(pixel) as usize] += 1;
    }
    bins
}

/// Adjusts the codes of a picture that has no predecessor.
#[must_use]
pub fn apply(mut codes: Codes, adjustments: &Adjustments) -> Codes {
    let Adjustments { lut, blur, tone, reduction } = adjustments.clamped();
    if let Some(lut) = lut {
        codes = looked_up(codes, lut);
    }
    if let Some(Blur { size, runs }) = blur {
        (0..runs).for_each(|_| codes = blurred(&codes, size));
    }
    codes = match tone {
        Some(Tone::Equalize(Equalize { per_channel, .. })) => equalized(codes, per_channel),
        Some(Tone::Clahe(clahe)) => equalized_by_tiles(codes, clahe),
        None => codes,
    };
    match reduction {
        Some(Reduction::Posterize(posterize)) => posterized(codes, posterize),
        Some(Reduction::Otsu(threshold)) => segmented(codes, threshold),
        None => codes,
    }
}

fn map(codes: Codes, mut change: impl FnMut([u16; 3]) -> [u16; 3]) -> Codes {
    let rgb = codes.rgb.into_iter().map(&mut change).collect();
    Codes { rgb, ..codes }
}

/// Looks up each pixel: in a curve, then between the four nodes of a cube that lie around it, or in another gamut.
fn looked_up(codes: Codes, lut: Lut) -> Codes {
    let (tables, bits) = (lut.tables(codes.bits), codes.bits);
    map(codes, |pixel| {
        let word = |channel: usize| tables.curves[(channel << bits) + usize::from(pixel[channel])];
        let words = [word(0), word(1), word(2)];
        match &tables.stage {
            Stage::Done => words.map(|code| code as u16),
            Stage::Cube(cube) => between_nodes(cube, words, bits),
            Stage::Gamut(gamut) => in_gamut(gamut, words.map(|word| i64::from(word.cast_signed()))),
        }
    })
}

/// Multiplies light by the matrix, and finds its code.
fn in_gamut(GamutChange { matrix, codes }: &GamutChange, light: [i64; 3]) -> [u16; 3] {
    matrix.map(|row| {
        let sum: i64 = row.into_iter().zip(light).map(|(weight, light)| i64::from(weight) * light).sum();
        let light = sum.div_euclid(1 << MATRIX_BITS).clamp(0, 1 << LIGHT_BITS);
        let dark = i64::from(DARK);
        codes[if light < dark { light } else { dark + light / (1 << BRIGHT_SHIFT) } as usize]
    })
}

/// Walks from the lowest corner of a cell to the highest, along the axis with the largest fraction first.
fn between_nodes(cube: &Cube, positions: [u32; 3], bits: u32) -> [u16; 3] {
    let side = cube.side as usize;
    let value = |[x, y, z]: [usize; 3], channel: usize| i64::from(cube.nodes[x + side * (y + side * z)][channel]);
    let mut node = positions.map(|position| (position >> 16) as usize);
    let mut axes = [0, 1, 2].map(|axis| (i64::from(positions[axis] & 0xffff), axis));
    axes.sort_by_key(|&(fraction, _)| -fraction);
    let mut sums: [i64; 3] = std::array::from_fn(|channel| value(node, channel) << FRACTION_BITS);
    for (fraction, axis) in axes {
        let before = node;
        node[axis] += 1;
        for channel in 0..3 {
            sums[channel] += fraction * (value(node, channel) - value(before, channel));
        }
    }
    let (top, one) = ((1 << bits) - 1, 1 << (FRACTION_BITS + cube.unit_bits(bits)));
    let black = if cube.is_wide { top * one } else { 0 };
    sums.map(|sum| (sum - black + one / 2).div_euclid(one).clamp(0, top) as u16)
}

/// Sums along each row, then sums those along each column.
fn blurred(codes: &Codes, size: u32) -> Codes {
    let (width, height, reach) = (codes.width as i64, codes.height as i64, i64::from(size / 2));
    let sum = |values: &mut dyn Iterator<Item = [u32; 3]>| {
        values.fold([0_u32; 3], |sum, value| std::array::from_fn(|channel| sum[channel] + value[channel]))
    };
    let at = |x: i64, y: i64| (y.clamp(0, height - 1) * width + x.clamp(0, width - 1)) as usize;
    let places = || (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let across: Vec<_> = places()
        .map(|(x, y)| sum(&mut (x - reach..=x + reach).map(|x| codes.rgb[at(x, y)].map(u32::from))))
        .map(|sums| sums.map(|sum| blur::kept(sum, size, codes.bits)))
        .collect();
    let by = blur::divisor(size, codes.bits);
    let rgb = places()
        .map(|(x, y)| sum(&mut (y - reach..=y + reach).map(|y| across[at(x, y)])))
        .map(|sums| sums.map(|sum| ((sum + by / 2) / by) as u16))
        .collect();
    Codes { rgb, ..*codes }
}

fn equalized(codes: Codes, per_channel: bool) -> Codes {
    let curves = bins(&codes).map(|bins| equalize::curve(&bins));
    let (bits, top, weights) = (codes.bits, codes.top(), codes.luminance);
    map(codes, |pixel| {
        if per_channel {
            return std::array::from_fn(|channel| curves[channel][usize::from(pixel[channel])] as u16);
        }
        let luminance = weights.bin(pixel.map(u32::from), bits);
        scaled(pixel, luminance, curves[3][luminance as usize], top)
    })
}

fn equalized_by_tiles(codes: Codes, clahe: Clahe) -> Codes {
    let grid = clahe::Grid::new((codes.width as u32, codes.height as u32), clahe.tiles);
    let most = grid.most_of_bin(clahe.clip_limit, codes.bits);
    let mut curves = Vec::new();
    for index in 0..grid.tiles.0 * grid.tiles.1 {
        let (left, top) = (index % grid.tiles.0 * grid.tile.0, index / grid.tiles.0 * grid.tile.1);
        let mut bins = vec![0; 1 << codes.bits];
        for y in top..top + grid.tile.1 {
            for x in left..left + grid.tile.0 {
                let (x, y) = (clahe::mirrored(x, grid.size.0), clahe::mirrored(y, grid.size.1));
                bins[codes.luminance_bin(codes.rgb[y as usize * codes.width + x as usize]) as usize] += 1;
            }
        }
        curves.push(clahe::tile_curve(&bins, most, grid.tile_pixels()));
    }
    let (columns, rows) = (grid.columns(codes.bits), grid.rows(codes.bits));
    let (one, bits, top) = (1 << clahe::weight_bits(codes.bits), codes.bits, codes.top());
    let (width, weights, mut index) = (codes.width, codes.luminance, 0);
    map(codes, |pixel| {
        let (column, row) = (columns[index % width], rows[index / width]);
        index += 1;
        let luminance = weights.bin(pixel.map(u32::from), bits);
        let (before, after) = clahe::Grid::neighbours(column.cell, grid.tiles.0);
        let (above, below) = clahe::Grid::neighbours(row.cell, grid.tiles.1);
        let curve = |x: u32, y: u32| curves[(y * grid.tiles.0 + x) as usize][luminance as usize];
        let across = |y: u32| curve(before, y) * (one - column.weight) + curve(after, y) * column.weight;
        // At most the highest code times 2^(2 · weight bits), plus one half for rounding, which fits in 32 bits.
        let sum = across(above) * (one - row.weight) + across(below) * row.weight;
        scaled(pixel, luminance, (sum + one * one / 2) / (one * one), top)
    })
}

fn posterized(codes: Codes, Posterize { levels, placing }: Posterize) -> Codes {
    let bins = bins(&codes);
    let curves: [Vec<u32>; 3] = std::array::from_fn(|channel| match placing {
        Placing::Width => posterize::equal_width(1 << codes.bits, levels),
        Placing::Population => posterize::equal_population(&bins[channel], levels),
    });
    map(codes, |pixel| std::array::from_fn(|channel| curves[channel][usize::from(pixel[channel])] as u16))
}

fn segmented(codes: Codes, threshold: Otsu) -> Codes {
    let (classes, bits, weights) = (threshold.classes as usize, codes.bits, codes.luminance);
    let thresholds = otsu::thresholds(&bins(&codes)[3], classes);
    map(codes, |pixel| {
        let luminance = weights.bin(pixel.map(u32::from), bits);
        let class = thresholds.iter().filter(|&&threshold| luminance >= threshold).count();
        otsu::tone(class, classes, threshold.shown, bits)
    })
}
