//! Colour, as far as it affects the numbers: matrices, ranges, their origin, and the integer conversion from coded
//! samples to R'G'B' codes that all engines share.
//!
//! All arithmetic from sample to bin is integer, so that counts are the same on every machine. The coefficients are
//! computed here in double precision and rounded once to a fixed number of fractional bits.

use std::fmt;

use crate::picture::layout::{ColorModel, PixelLayout};
use crate::picture::luminance::LuminanceWeights;
use crate::picture::primaries::Primaries;
use crate::picture::transfer::SignalCurve;

/// The matrix that relates R'G'B' to Y'CbCr (ITU-T H.273, "matrix coefficients").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Matrix {
    /// BT.601, both the 525- and the 625-line variant (H.273 values 5 and 6).
    Bt601,
    /// BT.709 (value 1).
    Bt709,
    /// BT.2020 non-constant luminance (value 9).
    Bt2020,
    /// SMPTE 240M (value 7).
    Smpte240m,
    /// FCC Title 47 (value 4).
    Fcc,
    /// YCgCo (value 8).
    YCgCo,
    /// R'G'B' itself (value 0), in three planes of equal size: G, B and R.
    Identity,
    /// SMPTE ST 2085 Y'D'zD'x, with X'Y'Z' in place of R'G'B' (value 11).
    Smpte2085,
    /// Derived from the primaries, non-constant luminance (value 12).
    ChromaDerived(Primaries),
    /// Not linear in the codes (values 10, 13 and 14). Such pictures are converted to R'G'B' before they are counted.
    Nonlinear(NonlinearMatrix),
    /// Stated by the file but unsupported: R'G'B' is unavailable.
    Unreadable(UnreadableMatrix),
}

/// A relation between R'G'B' and coded components that involves linear light, and so depends on the transfer function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NonlinearMatrix {
    /// The components.
    pub form: NonlinearForm,
    /// The curve from R'G'B' signals to light.
    pub curve: SignalCurve,
}

/// The components of a [`NonlinearMatrix`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NonlinearForm {
    /// BT.2020 constant luminance (value 10).
    Bt2020Constant,
    /// Constant luminance with weights derived from the primaries (value 13).
    ChromaDerivedConstant(Primaries),
    /// ICtCp of BT.2100 (value 14).
    Ictcp,
}

/// A matrix that the file states but that is unsupported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnreadableMatrix {
    /// An unknown number.
    Unknown(u8),
    /// IPT-C2 of SMPTE ST 2128 (value 15), as in Dolby Vision profile 5.
    IptC2,
    /// YCgCo-Re, whose chroma has one bit more than luma (value 16).
    YCgCoRe,
    /// YCgCo-Ro, the same with an odd depth of the samples (value 17).
    YCgCoRo,
    /// BT.2020 constant luminance with an unsupported transfer function.
    Bt2020Constant,
    /// Derived from the primaries, which are not stated.
    ChromaDerived,
    /// Constant luminance derived from the primaries, which are not stated.
    ChromaDerivedConstant,
    /// Constant luminance derived from the primaries, with an unsupported transfer function.
    ChromaDerivedCurve,
    /// ICtCp with an unsupported transfer function.
    Ictcp,
}

impl UnreadableMatrix {
    const fn name(self) -> &'static str {
        match self {
            Self::Unknown(_) => "unknown",
            Self::IptC2 => "ipt-c2",
            Self::YCgCoRe => "ycgco-re",
            Self::YCgCoRo => "ycgco-ro",
            Self::Bt2020Constant => "bt2020c",
            Self::ChromaDerived => "chroma-derived-nc",
            Self::ChromaDerivedConstant | Self::ChromaDerivedCurve => "chroma-derived-c",
            Self::Ictcp => "ictcp",
        }
    }
}

impl fmt::Display for UnreadableMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let needed = match self {
            Self::Unknown(number) => return write!(f, "matrix number {number} is not supported"),
            Self::IptC2 => {
                return write!(f, "the matrix is ipt-c2, as in Dolby Vision profile 5, which is not supported");
            }
            Self::YCgCoRe | Self::YCgCoRo => return write!(f, "the matrix {} is not supported", self.name()),
            Self::Bt2020Constant => "the transfer function of BT.2020, PQ or HLG",
            Self::ChromaDerived | Self::ChromaDerivedConstant => "primaries, which are not stated",
            Self::ChromaDerivedCurve => "the transfer function of BT.709, PQ or HLG",
            Self::Ictcp => "the transfer function PQ or HLG",
        };
        write!(f, "the matrix {} needs {needed}", self.name())
    }
}

impl Matrix {
    /// The matrices that users can choose, in the order of the window's cycle.
    pub const ALL: [Self; 7] =
        [Self::Bt709, Self::Bt601, Self::Bt2020, Self::Smpte240m, Self::Fcc, Self::YCgCo, Self::Identity];

    /// Returns the name used on the command line, in JSON output and in the log.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bt601 => "bt601",
            Self::Bt709 => "bt709",
            Self::Bt2020 => "bt2020nc",
            Self::Smpte240m => "smpte240m",
            Self::Fcc => "fcc",
            Self::YCgCo => "ycgco",
            Self::Identity => "rgb",
            Self::Smpte2085 => "smpte2085",
            Self::ChromaDerived(_) => "chroma-derived-nc",
            Self::Nonlinear(NonlinearMatrix { form, .. }) => match form {
                NonlinearForm::Bt2020Constant => "bt2020c",
                NonlinearForm::ChromaDerivedConstant(_) => "chroma-derived-c",
                NonlinearForm::Ictcp => "ictcp",
            },
            Self::Unreadable(matrix) => matrix.name(),
        }
    }

    /// Returns the matrix itself or, if it is not linear in the codes, the non-constant luminance matrix for the same
    /// primaries.
    #[must_use]
    pub const fn linear(self) -> Self {
        match self {
            Self::Nonlinear(NonlinearMatrix { form, .. }) => match form {
                NonlinearForm::Bt2020Constant | NonlinearForm::Ictcp => Self::Bt2020,
                NonlinearForm::ChromaDerivedConstant(primaries) => Self::ChromaDerived(primaries),
            },
            matrix => matrix,
        }
    }

    /// Returns Kr and Kb, the weights of red and blue in luma, or `None` if the matrix is not defined by them.
    #[must_use]
    pub const fn luma_weights(self) -> Option<(f64, f64)> {
        match self {
            Self::Bt601 => Some((0.299, 0.114)),
            Self::Bt709 => Some((0.2126, 0.0722)),
            Self::Bt2020 => Some((0.2627, 0.0593)),
            Self::Smpte240m => Some((0.212, 0.087)),
            Self::Fcc => Some((0.30, 0.11)),
            Self::ChromaDerived(primaries) => Some(primaries.luma_weights()),
            Self::YCgCo | Self::Identity | Self::Smpte2085 | Self::Nonlinear(_) | Self::Unreadable(_) => None,
        }
    }

    /// Returns the weights of (y, cb, cr) in each of r, g and b, for y in 0..1 and chroma in -0.5..0.5.
    ///
    /// For matrices that are unsupported or not linear, luma stands in for all three. Such a picture is displayed this
    /// way while its codes are counted.
    #[must_use]
    pub fn to_rgb(self) -> [[f64; 3]; 3] {
        match self {
            // Planes in the order G, B, R.
            Self::Identity => [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            // Planes in the order Y, Cg, Co.
            Self::YCgCo => [[1.0, -1.0, 1.0], [1.0, 1.0, 0.0], [1.0, -1.0, -1.0]],
            // E'Y = E'G, E'PB = (0.986566 E'B - E'Y) / 2, E'PR = (E'R - 0.991902 E'Y) / 2.
            Self::Smpte2085 => [[0.991_902, 0.0, 2.0], [1.0, 0.0, 0.0], [1.0 / 0.986_566, 2.0 / 0.986_566, 0.0]],
            Self::Nonlinear(_) | Self::Unreadable(_) => [[1.0, 0.0, 0.0]; 3],
            Self::Bt601 | Self::Bt709 | Self::Bt2020 | Self::Smpte240m | Self::Fcc | Self::ChromaDerived(_) => {
                let (kr, kb) = self.luma_weights().unwrap_or((0.2126, 0.0722));
                let kg = 1.0 - kr - kb;
                let red = 2.0 * (1.0 - kr);
                let blue = 2.0 * (1.0 - kb);
                [[1.0, 0.0, red], [1.0, -blue * kb / kg, -red * kr / kg], [1.0, blue, 0.0]]
            }
        }
    }

    /// Returns the matrix assumed for untagged video of this size: BT.709 if it is at least 1280 pixels wide or more
    /// than 576 pixels high, otherwise BT.601. The height excludes lines of the vertical blanking interval.
    #[must_use]
    pub const fn guess(width: u32, height: u32) -> Self {
        let height = height - blanking_lines(width, height);
        if width >= 1280 || height > 576 { Self::Bt709 } else { Self::Bt601 }
    }
}

impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Returns the number of vertical blanking lines at the top of a picture of this size, as in D-10 (IMX): 720×608 has
/// 576 lines of picture, and 720×512 has 486 (SMPTE ST 386).
#[must_use]
pub const fn blanking_lines(width: u32, height: u32) -> u32 {
    match (width, height) {
        (720, 608) => 608 - 576,
        (720, 512) => 512 - 486,
        _ => 0,
    }
}

/// The mapping of code values to the nominal signal (H.273, "video full range flag").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Range {
    /// Luma 16 to 235, chroma 16 to 240, scaled to the depth.
    Limited,
    /// All code values.
    Full,
}

impl Range {
    /// Returns the name used on the command line, in JSON output and in the log.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Limited => "limited",
            Self::Full => "full",
        }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The origin of a picture's property.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The file states it.
    Tagged,
    /// The file does not state it; it follows the usual convention.
    Guessed,
    /// The user chose it.
    Overridden,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tagged => "tagged",
            Self::Guessed => "guessed",
            Self::Overridden => "overridden",
        })
    }
}

/// A value with its origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sourced<T> {
    /// The value in use.
    pub value: T,
    /// Its origin.
    pub origin: Origin,
}

impl<T> Sourced<T> {
    /// Creates a value that the file states.
    pub const fn tagged(value: T) -> Self {
        Self { value, origin: Origin::Tagged }
    }

    /// Creates a value that follows from convention.
    pub const fn guessed(value: T) -> Self {
        Self { value, origin: Origin::Guessed }
    }
}

impl<T: fmt::Display> fmt::Display for Sourced<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.value, self.origin)
    }
}

/// The interpretation of a picture's samples as colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Colorimetry {
    /// The matrix; for R'G'B' layouts it is [`Matrix::Identity`] and has no effect.
    pub matrix: Sourced<Matrix>,
    /// The range.
    pub range: Sourced<Range>,
    /// The weights of luminance.
    pub luminance: LuminanceWeights,
}

impl Colorimetry {
    /// Creates the colorimetry of a file that states this matrix and range. Luminance has the usual weights.
    #[must_use]
    pub const fn tagged(matrix: Matrix, range: Range) -> Self {
        let (matrix, range) = (Sourced::tagged(matrix), Sourced::tagged(range));
        Self { matrix, range, luminance: LuminanceWeights::Bt709 }
    }

    /// Combines the file's tags with guesses for those that are missing or make no sense. Luminance has the usual
    /// weights.
    ///
    /// `full_range_format` is `true` for pixel formats whose name implies full range (FFmpeg's `yuvj` formats).
    #[must_use]
    pub fn resolve(
        layout: &PixelLayout,
        (width, height): (u32, u32),
        matrix: Option<Matrix>,
        range: Option<Range>,
        full_range_format: bool,
    ) -> Self {
        let subsampled = layout.chroma_shift != (0, 0);
        let matrix = match (layout.model, matrix) {
            (ColorModel::Rgb, _) => Sourced::tagged(Matrix::Identity),
            // The identity matrix makes no sense for subsampled planes or gray, but some files are tagged with it.
            (ColorModel::YCbCr, Some(Matrix::Identity)) if !subsampled => Sourced::tagged(Matrix::Identity),
            (_, Some(Matrix::Identity) | None) => Sourced::guessed(Matrix::guess(width, height)),
            (_, Some(matrix)) => Sourced::tagged(matrix),
        };
        let range = match range {
            Some(range) => Sourced::tagged(range),
            None if full_range_format => Sourced::tagged(Range::Full),
            None if layout.model == ColorModel::YCbCr => Sourced::guessed(Range::Limited),
            None => Sourced::guessed(Range::Full),
        };
        Self { matrix, range, luminance: LuminanceWeights::Bt709 }
    }
}

/// Returns the number of fractional bits in the fixed-point coefficients for codes of `bits` bits: as many as 32-bit
/// integers allow.
#[must_use]
pub const fn fraction_bits(bits: u32) -> u32 {
    match bits {
        0..=8 => 20,
        9..=10 => 18,
        _ => 16,
    }
}

/// The integer conversion from a pixel's component codes to R'G'B' codes.
///
/// Each of red, green and blue is `(Σ weight[i] · component[i] + bias) >> shift`, with an arithmetic shift, and is then
/// clamped to 0..=2^bits-1. The bias contains the components' offsets and the half that makes the shift round to
/// nearest. Sums do not overflow `i32`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conversion {
    /// Weights of the three components in red, green and blue.
    pub weights: [[i32; 3]; 3],
    /// Bias of red, green and blue.
    pub bias: [i32; 3],
    /// Fractional bits.
    pub shift: u32,
    /// n; codes run from 0 to 2^n - 1.
    pub bits: u32,
    /// The weights of red, green and blue in luminance.
    pub luminance: LuminanceWeights,
}

impl Conversion {
    /// Creates the conversion for a picture of this layout and colorimetry.
    #[must_use]
    pub fn new(layout: &PixelLayout, colorimetry: &Colorimetry) -> Self {
        let Colorimetry { matrix, range, luminance } = *colorimetry;
        Self { luminance, ..Self::from_parts(layout.model, matrix.value, range.value, layout.bin_bits()) }
    }

    /// Creates the conversion for components of `bits` bits. Luminance has the usual weights.
    #[must_use]
    pub fn from_parts(model: ColorModel, matrix: Matrix, range: Range, bits: u32) -> Self {
        let shift = fraction_bits(bits);
        let real = RealConversion::new(model, matrix, range, bits);
        let one = f64::from(1_u32 << shift);
        let mut weights = [[0; 3]; 3];
        let mut bias = [1 << (shift - 1); 3];
        for channel in 0..3 {
            for component in 0..3 {
                let weight = (real.weights[channel][component] * one).round() as i32;
                weights[channel][component] = weight;
                bias[channel] -= weight * real.offsets[component];
            }
        }
        Self { weights, bias, shift, bits, luminance: LuminanceWeights::Bt709 }
    }

    /// Returns red, green and blue in fixed point for a pixel's component codes (each 0..=2^n-1): codes with `shift`
    /// fractional bits, plus one half for rounding.
    #[inline]
    #[must_use]
    pub fn sums(&self, components: [i32; 3]) -> [i32; 3] {
        std::array::from_fn(|channel| {
            let w = &self.weights[channel];
            w[0] * components[0] + w[1] * components[1] + w[2] * components[2] + self.bias[channel]
        })
    }

    /// Returns the R'G'B' codes of a pixel before clamping.
    #[inline]
    #[must_use]
    pub fn unclamped(&self, components: [i32; 3]) -> [i32; 3] {
        self.sums(components).map(|sum| sum >> self.shift)
    }

    /// Returns the luminance bin of a pixel's clamped R'G'B' codes.
    #[inline]
    #[must_use]
    pub const fn luminance_bin(&self, rgb: [u32; 3]) -> u32 {
        self.luminance.bin(rgb, self.bits)
    }

    /// Returns the highest code, 2^n - 1.
    #[inline]
    #[must_use]
    pub const fn max_code(&self) -> i32 {
        (1 << self.bits) - 1
    }
}

/// The conversion in floating point, which [`Conversion`] approximates by integers.
#[derive(Debug, Clone, Copy)]
pub struct RealConversion {
    /// Weights of the three components, after subtraction of their offsets, in red, green and blue.
    pub weights: [[f64; 3]; 3],
    /// The code of each component that represents zero.
    pub offsets: [i32; 3],
}

impl RealConversion {
    /// Creates the conversion for components of `bits` bits.
    #[must_use]
    pub fn new(model: ColorModel, matrix: Matrix, range: Range, bits: u32) -> Self {
        let top = f64::from((1_u32 << bits) - 1);
        let unit = f64::from(1_u32 << (bits - 8));
        let (luma_span, chroma_span, luma_zero) = match range {
            Range::Limited => (219.0 * unit, 224.0 * unit, 16 << (bits - 8)),
            Range::Full => (top, top, 0),
        };
        let chroma_zero = 1 << (bits - 1);
        let luma = top / luma_span;
        let chroma = top / chroma_span;
        let (weights, offsets) = match (model, matrix) {
            (ColorModel::Gray, _) => ([[luma, 0.0, 0.0]; 3], [luma_zero, 0, 0]),
            (ColorModel::Rgb, _) => ([[luma, 0.0, 0.0], [0.0, luma, 0.0], [0.0, 0.0, luma]], [luma_zero; 3]),
            (ColorModel::YCbCr, Matrix::Identity) => (matrix.to_rgb().map(|row| row.map(|w| w * luma)), [luma_zero; 3]),
            (ColorModel::YCbCr, _) => (
                matrix.to_rgb().map(|[y, cb, cr]| [y * luma, cb * chroma, cr * chroma]),
                [luma_zero, chroma_zero, chroma_zero],
            ),
        };
        Self { weights, offsets }
    }
}

#[cfg(test)]
mod tests;
