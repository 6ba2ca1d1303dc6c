//! Reference implementations of the adjustments, pixel by pixel. They are deliberately slow, with a division wherever
//! the definition has one; those of the steps after the lookup table stand with their definitions. Tests and `analyze
//! --verify` compare the fast implementations with them.

use super::Codes;
pub use super::bins::reference as bins;
use super::chain::Adjustments;
use super::lut::{BRIGHT_SHIFT, Cube, DARK, FRACTION_BITS, GamutChange, LIGHT_BITS, Lut, MATRIX_BITS, Stage};
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

/// Adjusts the codes of a picture that has no predecessor.
#[must_use]
pub fn apply(codes: Codes, adjustments: &Adjustments) -> Codes {
    let mut chain = adjustments.clamped();
    let codes = match chain.lut {
        Some(lut) => looked_up(codes, lut),
        None => codes,
    };
    chain.parameters().fold(codes, |codes, step| step.reference(codes))
}

/// Looks up each pixel: in a curve, then between the four nodes of a cube that lie around it, or in another gamut.
fn looked_up(codes: Codes, lut: Lut) -> Codes {
    let (tables, bits) = (lut.tables(codes.bits), codes.bits);
    codes.map(|pixel| {
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
