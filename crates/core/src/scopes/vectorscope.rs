//! The vectorscope: counts of the pairs of colour differences in a picture, or of the chromaticities of its pixels.

use crate::picture::Picture;
use crate::picture::color::{Colorimetry, Conversion, Matrix, Range, fraction_bits};
use crate::picture::layout::{ColorModel, PixelLayout};
use crate::picture::region::Rect;

use super::chromaticity::{Chromaticity, ChromaticityTable};
use super::diagram::Diagram;
use super::diamond::Diamond;
use super::grid::{level_bits, samples_in};
use crate::picture::primaries::Primaries;
use crate::picture::transfer::Transfer;

/// The vectorscope of a picture or of a rectangle of it: the number of samples with each pair of levels of Cb and Cr.
///
/// In Y'CbCr, the samples are the coded chroma samples at their own resolution. In R'G'B', and for chromaticities, they
/// are computed for each pixel; see [`Chroma`]. Gray has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vectorscope {
    /// Number of bits in a level.
    pub level_bits: u32,
    /// For each level of Cb, one count for each level of Cr; or of the coordinates of a chromaticity.
    pub counts: Vec<u32>,
}

impl Vectorscope {
    /// Creates an empty vectorscope with levels of `level_bits` bits.
    #[must_use]
    pub fn empty(level_bits: u32) -> Self {
        Self { level_bits, counts: vec![0; 1 << (2 * level_bits)] }
    }

    /// Returns the number of levels of each of the two differences.
    #[must_use]
    pub const fn levels(&self) -> usize {
        1 << self.level_bits
    }

    /// Returns the count of a pair of levels.
    #[must_use]
    pub fn count(&self, cb: u32, cr: u32) -> u32 {
        self.counts[((cb as usize) << self.level_bits) | cr as usize]
    }
}

/// The pairs of a picture that a vectorscope counts: their meaning, and whether they are coded or computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Chroma {
    /// The matrix that relates colour differences to red, green and blue.
    pub matrix: Matrix,
    /// The range of their codes.
    pub range: Range,
    /// Number of bits in a code of the picture.
    pub bits: u32,
    pairs: Pairs,
}

/// The source of pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Pairs {
    /// Cb and Cr as coded.
    Coded,
    /// Cb and Cr of each pixel's R'G'B'.
    Differences(Differences),
    /// The chromaticity of each pixel.
    Chromaticity(Chromaticity),
    /// Both pairs of the double diamond of each pixel's R'G'B', before the clamp.
    Diamond,
}

/// The computation of pairs from R'G'B' codes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PairComputation {
    /// Colour differences.
    Differences(Differences),
    /// Chromaticities.
    Chromaticity(ChromaticityTable),
    /// Pairs of the double diamond.
    Diamond(Diamond),
}

impl PairComputation {
    /// Calls `count` with each pair of a pixel's R'G'B' codes as converted, which may be below zero or above `top`, the
    /// highest code.
    #[inline]
    pub fn each_of(&self, rgb: [i32; 3], top: i32, mut count: impl FnMut([u32; 2])) {
        let clamped = || rgb.map(|code| code.clamp(0, top));
        match self {
            Self::Differences(differences) => count(differences.of_codes(clamped())),
            Self::Chromaticity(table) => count(table.of_codes(clamped().map(|code| code as u32))),
            Self::Diamond(diamond) => diamond.of_codes(rgb).into_iter().for_each(count),
        }
    }
}

impl Chroma {
    /// Returns the chroma of a decoded picture, or `None` if it has no colour. In Y'CbCr, it is the second and third
    /// components at their own resolution. R'G'B' has no matrix, so the one for untagged video of its size is used.
    #[must_use]
    pub fn of(picture: &Picture) -> Option<Self> {
        let Colorimetry { matrix, range, .. } = *picture.colorimetry();
        match picture.layout().model {
            ColorModel::Gray => None,
            ColorModel::YCbCr if matrix.value != Matrix::Identity => {
                let bits = picture.layout().bin_bits();
                Some(Self { matrix: matrix.value, range: range.value, bits, pairs: Pairs::Coded })
            }
            ColorModel::YCbCr | ColorModel::Rgb => Some(Self::of_adjusted(picture)),
        }
    }

    /// Returns the chroma of a picture after adjustments. Adjusted pictures are R'G'B', so chroma is computed for each
    /// pixel, in limited range. It uses the source's matrix or, if the source is R'G'B', the one for untagged video of
    /// its size. Even gray may have colours after adjustments.
    #[must_use]
    pub fn of_adjusted(source: &Picture) -> Self {
        let matrix = match source.colorimetry().matrix.value {
            Matrix::Identity => Matrix::guess(source.width(), source.height()),
            matrix => matrix.linear(),
        };
        let bits = source.layout().bin_bits();
        Self { matrix, range: Range::Limited, bits, pairs: Pairs::Differences(Differences::new(matrix, bits)) }
    }

    /// Returns the chroma of the counted picture: the adjusted one, or the source itself.
    #[must_use]
    pub fn of_counted(source: &Picture, is_adjusted: bool) -> Option<Self> {
        if is_adjusted { Some(Self::of_adjusted(source)) } else { Self::of(source) }
    }

    /// Returns what another diagram counts of the same picture, whose R'G'B' codes have this transfer function and
    /// these primaries. Codes whose matrix is not linear in them, or not supported, have no R'G'B' of their own, and
    /// keep their colour differences.
    #[must_use]
    pub fn in_diagram(self, diagram: Diagram, light: (Transfer, Primaries)) -> Self {
        let is_readable = self.matrix == self.matrix.linear() && !matches!(self.matrix, Matrix::Unreadable(_));
        let has_rgb = !self.is_coded() || is_readable;
        match diagram {
            Diagram::Xy | Diagram::Uv if has_rgb => {
                Self { pairs: Pairs::Chromaticity(Chromaticity::new(diagram, light, self.bits)), ..self }
            }
            Diagram::Diamond if has_rgb => Self { pairs: Pairs::Diamond, ..self },
            _ => self,
        }
    }

    /// Returns the number of bits in a level.
    #[must_use]
    pub const fn level_bits(&self) -> u32 {
        match &self.pairs {
            Pairs::Chromaticity(chromaticity) => chromaticity.level_bits(),
            Pairs::Diamond => Diamond::LEVEL_BITS,
            Pairs::Coded | Pairs::Differences(_) => level_bits(self.bits),
        }
    }

    /// Returns the number of bits in each part of a pair before it becomes a level, which is its upper bits.
    #[must_use]
    pub const fn pair_bits(&self) -> u32 {
        match &self.pairs {
            Pairs::Chromaticity(_) | Pairs::Diamond => self.level_bits(),
            Pairs::Coded | Pairs::Differences(_) => self.bits,
        }
    }

    /// Creates coded chroma with these properties, without a picture.
    #[doc(hidden)]
    pub const fn coded(matrix: Matrix, range: Range, bits: u32) -> Self {
        Self { matrix, range, bits, pairs: Pairs::Coded }
    }

    /// Returns the samples that are counted for a rectangle of pixels of a picture with this layout.
    #[must_use]
    pub fn samples(&self, layout: &PixelLayout, pixels: Rect) -> Rect {
        if self.is_coded() { samples_in(layout, 1, pixels) } else { pixels }
    }

    /// Returns Kr and Kb of the matrix, or those of BT.709 if it has none.
    #[must_use]
    pub fn luma_weights(&self) -> (f64, f64) {
        luma_weights(self.matrix)
    }

    /// Returns `true` if the pairs are Cb and Cr as coded.
    #[must_use]
    pub const fn is_coded(&self) -> bool {
        matches!(self.pairs, Pairs::Coded)
    }

    /// Returns the chromaticity that is counted, or `None` for other pairs.
    #[must_use]
    pub const fn chromaticity(&self) -> Option<&Chromaticity> {
        match &self.pairs {
            Pairs::Chromaticity(chromaticity) => Some(chromaticity),
            Pairs::Coded | Pairs::Differences(_) | Pairs::Diamond => None,
        }
    }

    /// Returns the diagram.
    #[must_use]
    pub const fn diagram(&self) -> Diagram {
        match &self.pairs {
            Pairs::Coded | Pairs::Differences(_) => Diagram::CbCr,
            Pairs::Chromaticity(chromaticity) => chromaticity.diagram,
            Pairs::Diamond => Diagram::Diamond,
        }
    }

    /// Returns the computation of the pairs from red, green and blue, or `None` if they are coded.
    #[must_use]
    pub fn computation(&self) -> Option<PairComputation> {
        match &self.pairs {
            Pairs::Coded => None,
            Pairs::Differences(differences) => Some(PairComputation::Differences(*differences)),
            Pairs::Chromaticity(chromaticity) => Some(PairComputation::Chromaticity(chromaticity.computation())),
            Pairs::Diamond => Some(PairComputation::Diamond(Diamond::new(self.bits))),
        }
    }

    /// Returns how the levels of a pair are found.
    #[must_use]
    pub fn levels(&self) -> PairLevels {
        PairLevels { computation: self.computation(), surplus: self.pair_bits() - self.level_bits() }
    }
}

/// The pair of levels that a pixel or a chroma sample is counted at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairLevels {
    /// The computation from red, green and blue, or `None` if the pair is coded.
    pub computation: Option<PairComputation>,
    /// Number of low bits of a pair's parts that their levels lack.
    surplus: u32,
}

impl PairLevels {
    /// Calls `count` with the levels of each pair of a pixel with these codes, whose conversion to R'G'B' is
    /// `conversion`.
    #[inline(always)]
    pub fn each_of(&self, codes: [u32; 3], conversion: &Conversion, mut count: impl FnMut([u32; 2])) {
        let Some(computation) = &self.computation else { return count(self.of_pair([codes[1], codes[2]])) };
        let rgb = conversion.unclamped(codes.map(|code| code as i32));
        computation.each_of(rgb, conversion.max_code(), |pair| count(self.of_pair(pair)));
    }

    /// Returns the levels of a pair, coded or computed.
    #[inline(always)]
    #[must_use]
    pub fn of_pair(&self, pair: [u32; 2]) -> [u32; 2] {
        pair.map(|code| code >> self.surplus)
    }
}

/// The integer computation of limited-range Cb and Cr from R'G'B' codes, rounded to nearest: each is
/// `(Σ weight[i] · code[i] + bias) >> shift`. The weights of each add up to zero, so gray has exactly the middle code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Differences {
    /// Weights of red, green and blue in Cb and in Cr.
    pub weights: [[i32; 3]; 2],
    /// The middle code in fixed point, plus one half for rounding.
    pub bias: i32,
    /// Fractional bits.
    pub shift: u32,
}

impl Differences {
    /// Creates the computation for codes of `bits` bits. Matrices without luma weights use those of BT.709.
    #[must_use]
    pub fn new(matrix: Matrix, bits: u32) -> Self {
        let shift = fraction_bits(bits);
        let (kr, kb) = luma_weights(matrix);
        // At 8 bits, chroma spans 224 codes from -0.5 to 0.5, while R'G'B' spans all codes from 0 to 1.
        let span = 224.0 * f64::from(1_u32 << (bits - 8)) / f64::from((1_u32 << bits) - 1) * f64::from(1_u32 << shift);
        let weight = |value: f64| (value * span).round() as i32;
        let (of_red, of_blue) = (weight(-kr / (2.0 * (1.0 - kb))), weight(0.5));
        let cb = [of_red, -(of_red + of_blue), of_blue];
        let (of_red, of_blue) = (weight(0.5), weight(-kb / (2.0 * (1.0 - kr))));
        let cr = [of_red, -(of_red + of_blue), of_blue];
        let bias = (1 << (bits - 1 + shift)) + (1 << (shift - 1));
        Self { weights: [cb, cr], bias, shift }
    }

    /// Returns the codes of Cb and Cr.
    #[inline]
    #[must_use]
    pub fn of_codes(&self, rgb: [i32; 3]) -> [u32; 2] {
        self.weights.map(|[red, green, blue]| {
            let sum = red * rgb[0] + green * rgb[1] + blue * rgb[2] + self.bias;
            (sum >> self.shift) as u32
        })
    }
}

fn luma_weights(matrix: Matrix) -> (f64, f64) {
    matrix.luma_weights().or(Matrix::Bt709.luma_weights()).unwrap_or((0.2126, 0.0722))
}

/// The target of a colour of the colour bars.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColorTarget {
    /// Its usual name: R, Mg, B, Cy, G, Yl.
    pub name: &'static str,
    /// Codes of Cb and Cr.
    pub codes: [f64; 2],
}

/// Returns the targets of the six colours of colour bars in codes of `bits` bits, at a fraction `amplitude` of full
/// amplitude, such as 0.75.
#[must_use]
pub fn targets(matrix: Matrix, range: Range, bits: u32, amplitude: f64) -> [ColorTarget; 6] {
    let (kr, kb) = luma_weights(matrix);
    let middle = f64::from(1_u32 << (bits - 1));
    let span = match range {
        Range::Limited => 224.0 * f64::from(1_u32 << (bits - 8)),
        Range::Full => f64::from((1_u32 << bits) - 1),
    };
    let colours = [
        ("R", [1.0, 0.0, 0.0]),
        ("Mg", [1.0, 0.0, 1.0]),
        ("B", [0.0, 0.0, 1.0]),
        ("Cy", [0.0, 1.0, 1.0]),
        ("G", [0.0, 1.0, 0.0]),
        ("Yl", [1.0, 1.0, 0.0]),
    ];
    colours.map(|(name, [red, green, blue])| {
        let luma = kr * red + (1.0 - kr - kb) * green + kb * blue;
        let code = |colour: f64, weight: f64| middle + span * amplitude * (colour - luma) / (2.0 * (1.0 - weight));
        ColorTarget { name, codes: [code(blue, kb), code(red, kr)] }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with published 8-bit codes of colour bars: Cb and Cr of R, Mg, B, Cy, G and Yl.
    #[test]
    fn targets_agree_with_the_standards() {
        let published = [
            (Matrix::Bt709, 0.75, [(109, 212), (193, 204), (212, 120), (147, 44), (63, 52), (44, 136)]),
            (Matrix::Bt709, 1.0, [(102, 240), (214, 230), (240, 118), (154, 16), (42, 26), (16, 138)]),
            (Matrix::Bt601, 0.75, [(100, 212), (184, 198), (212, 114), (156, 44), (72, 58), (44, 142)]),
            (Matrix::Bt2020, 0.75, [(105, 212), (189, 205), (212, 121), (151, 44), (67, 51), (44, 135)]),
        ];
        for (matrix, amplitude, codes) in published {
            for (target, (cb, cr)) in targets(matrix, Range::Limited, 8, amplitude).into_iter().zip(codes) {
                let found = target.codes.map(|code| code.round() as u32);
                assert_eq!(found, [cb, cr], "{matrix} {amplitude} {}", target.name);
            }
        }
    }

    #[test]
    fn gray_has_the_middle_code_and_the_primaries_reach_the_ends() {
        for matrix in [Matrix::Bt601, Matrix::Bt709, Matrix::Bt2020] {
            for bits in [8, 10, 12] {
                let differences = Differences::new(matrix, bits);
                let top = (1 << bits) - 1;
                for code in 0..=top {
                    assert_eq!(differences.of_codes([code; 3]), [1 << (bits - 1); 2]);
                }
                let unit = 1 << (bits - 8);
                assert_eq!(differences.of_codes([0, 0, top])[0], 240 * unit, "{matrix} {bits}");
                assert_eq!(differences.of_codes([top, top, 0])[0], 16 * unit, "{matrix} {bits}");
                assert_eq!(differences.of_codes([top, 0, 0])[1], 240 * unit, "{matrix} {bits}");
                assert_eq!(differences.of_codes([0, top, top])[1], 16 * unit, "{matrix} {bits}");
            }
        }
    }

    /// Compares the fixed-point computation with the definition in floating point, on a grid of colours.
    #[test]
    fn differences_are_rounded_to_nearest() {
        for (matrix, bits) in [(Matrix::Bt601, 8), (Matrix::Bt709, 8), (Matrix::Bt709, 10), (Matrix::Bt2020, 12)] {
            let differences = Differences::new(matrix, bits);
            let (kr, kb) = luma_weights(matrix);
            let top = f64::from((1_i32 << bits) - 1);
            let unit = f64::from(1_i32 << (bits - 8));
            for index in 0..17_i32.pow(3) {
                let rgb = [index % 17, index / 17 % 17, index / 289].map(|step| step * ((1 << bits) - 1) / 16);
                let [r, g, b] = rgb.map(|code| f64::from(code) / top);
                let luma = kr * r + (1.0 - kr - kb) * g + kb * b;
                let exact = [(b - luma) / (1.0 - kb), (r - luma) / (1.0 - kr)].map(|c| unit * (128.0 + 112.0 * c));
                for (code, exact) in differences.of_codes(rgb).into_iter().zip(exact) {
                    // Apart from rounding to nearest, a code is off only by the error of the weights: two weights are
                    // off by at most half a step, and the third, which makes the sum zero, by at most a whole step.
                    let off = 2.0 * top / f64::from(1_u32 << differences.shift);
                    assert!((f64::from(code) - exact).abs() <= 0.5 + off, "{matrix} {bits} {rgb:?}: {code} {exact}");
                }
            }
        }
    }
}
