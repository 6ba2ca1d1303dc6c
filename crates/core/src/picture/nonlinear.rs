//! Conversion of components that are not linear in R'G'B' (constant luminance and ICtCp) to R'G'B' of the same depth,
//! once per picture, before anything is counted or drawn.
//!
//! The conversion passes through linear light. A signal has 30 fractional bits, and light has 38. The table from signal
//! to light has an entry for each 65536th of the signal and is interpolated linearly. A light value is compared with
//! the light at the midpoints between codes, which rounds it to the nearest code without an inverse table. Tables and
//! factors are computed once, by operations that are bit-identical on every machine; per pixel, all arithmetic is
//! integer.

use std::sync::{Arc, LazyLock};

use rayon::prelude::*;

use super::color::{Colorimetry, Matrix, NonlinearForm, NonlinearMatrix, Range, Sourced};
use super::layout::{ChromaLines, ChromaRows, ColorModel, PixelLayout};
use super::primaries::Primaries;
use super::transfer::SignalCurve;
use super::unpack::Source;
use super::{OwnedPlanes, Picture};

/// Fractional bits of signals, of light, and of the factors applied to either. A factor is below 4, so the sum of three
/// products stays below 2^63.
const SIGNAL_BITS: u32 = 30;
const LIGHT_BITS: u32 = 38;
const SIGNAL_FACTOR_BITS: u32 = 28;
const LIGHT_FACTOR_BITS: u32 = 22;
/// Base-2 logarithm of the number of intervals in the table from signal to light.
const STEP_BITS: u32 = 16;

/// The rows of BT.2100 that give L, M and S of red, green and blue light of BT.2020, in 4096ths.
pub(crate) const CONES: [[f64; 3]; 3] = [[1688.0, 2146.0, 262.0], [683.0, 2951.0, 462.0], [99.0, 309.0, 3688.0]];
/// The rows of BT.2100 that give Ct and Cp of L'M'S' under PQ, in 4096ths.
pub(crate) const PQ_DIFFERENCES: [[f64; 3]; 2] = [[6610.0, -13613.0, 7003.0], [17933.0, -17390.0, -543.0]];

/// Converts the picture to R'G'B' if its matrix is not linear in the codes, and keeps the original with it; otherwise
/// returns it unchanged.
#[must_use]
pub fn to_rgb(picture: Picture) -> Picture {
    let (ColorModel::YCbCr, Matrix::Nonlinear(matrix)) = (picture.layout().model, picture.colorimetry().matrix.value)
    else {
        return picture;
    };
    let (width, height) = (picture.width(), picture.height());
    let bits = picture.layout().bin_bits();
    let layout = PixelLayout::planar_gbr(bits as u8);
    let row_bytes = width as usize * usize::from(layout.sample_bytes);
    let rule = Rule::new(matrix, picture.colorimetry().range.value, bits);
    let mut planes = [(); 3].map(|()| vec![0; row_bytes * height as usize]);
    let [green, blue, red] = &mut planes;
    let rows = green.par_chunks_mut(row_bytes).zip(blue.par_chunks_mut(row_bytes)).zip(red.par_chunks_mut(row_bytes));
    rows.enumerate().for_each_init(
        || RowReader::new(&picture),
        |reader, (y, ((green, blue), red))| {
            reader.read(y);
            let mut samples = (
                green.chunks_exact_mut(usize::from(layout.sample_bytes)),
                blue.chunks_exact_mut(usize::from(layout.sample_bytes)),
                red.chunks_exact_mut(usize::from(layout.sample_bytes)),
            );
            for x in 0..width as usize {
                let [r, g, b] = rule.rgb(reader.components(x));
                for (samples, code) in [(&mut samples.0, g), (&mut samples.1, b), (&mut samples.2, r)] {
                    if let Some(sample) = samples.next() {
                        sample.copy_from_slice(&code.to_le_bytes()[..sample.len()]);
                    }
                }
            }
        },
    );
    let own = *picture.colorimetry();
    let colorimetry = Colorimetry { range: Sourced { value: Range::Full, ..own.range }, ..own };
    let planes = planes.into_iter().map(|plane| (plane, row_bytes)).collect();
    match Picture::new(layout, (width, height), colorimetry, Arc::new(OwnedPlanes { planes })) {
        Ok(converted) => converted.converted_from(picture),
        // Cannot happen: the planes were allocated for the size of an existing picture.
        Err(_) => picture,
    }
}

/// Returns the picture, interpreted by a different matrix and range and, if `lines` is given, with chroma rows assigned
/// to those lines. Converts it again if the matrix is not linear in the codes.
#[must_use]
pub fn read_as(picture: &Picture, colorimetry: Colorimetry, lines: Option<Sourced<ChromaLines>>) -> Picture {
    let lines = lines.filter(|lines| picture.chroma_lines().is_some_and(|own| own != *lines));
    if *picture.decoded().colorimetry() == colorimetry && lines.is_none() {
        return picture.clone();
    }
    let read = picture.with_colorimetry(colorimetry);
    to_rgb(lines.map_or(read.clone(), |lines| read.with_chroma_lines(lines)))
}

/// A reader of a picture's component codes, row by row. Each pixel has the chroma sample that covers it.
struct RowReader<'a> {
    sources: [Source<'a>; 3],
    columns_shift: u8,
    chroma_rows: ChromaRows,
    codes: [Vec<u16>; 3],
}

impl<'a> RowReader<'a> {
    fn new(picture: &'a Picture) -> Self {
        let sources = std::array::from_fn(|component| Source::new(picture, component));
        let codes = sources.map(|source: Source<'_>| vec![0; source.width]);
        Self { sources, columns_shift: picture.layout().columns_shift(), chroma_rows: picture.chroma_rows(), codes }
    }

    fn read(&mut self, y: usize) {
        let chroma_row = self.chroma_rows.of(y);
        let rows = [y, chroma_row, chroma_row];
        for ((source, codes), row) in self.sources.iter().zip(&mut self.codes).zip(rows) {
            source.unpack(0, row, codes);
        }
    }

    fn components(&self, x: usize) -> [usize; 3] {
        let [first, second, third] = &self.codes;
        let chroma = x >> self.columns_shift;
        [first[x], second[chroma], third[chroma]].map(usize::from)
    }
}

/// The conversion for a matrix, range and depth.
struct Rule {
    /// The signal of each code, for the first component and for the other two.
    first: Vec<i64>,
    others: Vec<i64>,
    light: &'static LightOfSignal,
    /// The light at the midpoints between codes.
    halves: Vec<i64>,
    form: Form,
}

/// The step from component signals to red, green and blue light.
enum Form {
    /// ICtCp: the matrices from I, Ct and Cp to L'M'S', and from L, M and S to red, green and blue light.
    Ictcp { signals: [[i64; 3]; 3], light: [[i64; 3]; 3] },
    /// Constant luminance: the factors of negative and positive differences of blue and red from luma, and the weights
    /// of the light of luma, red and blue in green light.
    Constant { blue: [i64; 2], red: [i64; 2], green: [i64; 3] },
}

impl Rule {
    fn new(NonlinearMatrix { form, curve }: NonlinearMatrix, range: Range, bits: u32) -> Self {
        let top = (1_i64 << bits) - 1;
        let unit = 1_i64 << (bits - 8);
        let (first_span, other_span, zero) = match range {
            Range::Limited => (219 * unit, 224 * unit, 16 * unit),
            Range::Full => (top, top, 0),
        };
        let signals =
            |zero: i64, span: i64| (0..=top).map(|code| rounded((code - zero) << SIGNAL_BITS, span)).collect();
        let half = |code: i64| light_fraction(curve.light((code as f64 + 0.5) / top as f64));
        Self {
            first: signals(zero, first_span),
            others: signals(1 << (bits - 1), other_span),
            light: LightOfSignal::of(curve),
            halves: (0..top).map(half).collect(),
            form: Form::new(form, curve),
        }
    }

    /// Returns the R'G'B' codes of a pixel's components.
    fn rgb(&self, [first, second, third]: [usize; 3]) -> [u16; 3] {
        let (first, second, third) = (self.first[first], self.others[second], self.others[third]);
        match &self.form {
            Form::Ictcp { signals, light } => {
                let light_of =
                    |row: &[i64; 3]| self.light.of_signal(product(row, [first, second, third], SIGNAL_FACTOR_BITS));
                let of_cones = signals.each_ref().map(light_of);
                light.each_ref().map(|row| self.code(product(row, of_cones, LIGHT_FACTOR_BITS)))
            }
            Form::Constant { blue, red, green } => {
                let signal = |[negative, positive]: [i64; 2], difference: i64| {
                    let factor = if difference > 0 { positive } else { negative };
                    first + rounded_shift(factor * difference, SIGNAL_FACTOR_BITS)
                };
                let signals = [first, signal(*red, third), signal(*blue, second)];
                let [luma, red, blue] = signals.map(|signal| self.light.of_signal(signal));
                let green = product(green, [luma, red, blue], LIGHT_FACTOR_BITS);
                [red, green, blue].map(|light| self.code(light))
            }
        }
    }

    /// Returns the code nearest to a light value.
    fn code(&self, light: i64) -> u16 {
        self.halves.partition_point(|&half| half <= light) as u16
    }
}

impl Form {
    fn new(form: NonlinearForm, curve: SignalCurve) -> Self {
        let (kr, kb) = match form {
            NonlinearForm::Ictcp => return Self::ictcp(curve),
            NonlinearForm::Bt2020Constant => (0.2627, 0.0593),
            NonlinearForm::ChromaDerivedConstant(primaries) => Primaries::luma_weights(primaries),
        };
        let kg = 1.0 - kr - kb;
        // Twice the largest differences below and above zero (H.273, formulas 52 to 55).
        let most = |weight: f64| {
            let [negative, positive] = [curve.signal(1.0 - weight), 1.0 - curve.signal(weight)];
            [negative, positive].map(|most| fraction(2.0 * most, SIGNAL_FACTOR_BITS))
        };
        let green = shares([1.0 / kg, -kr / kg, -kb / kg], LIGHT_FACTOR_BITS);
        Self::Constant { blue: most(kb), red: most(kr), green }
    }

    /// Inverts the matrices of BT.2100, which are given in 4096ths.
    fn ictcp(curve: SignalCurve) -> Self {
        let differences = match curve {
            SignalCurve::Hlg => [[3625.0, -7465.0, 3840.0], [9500.0, -9212.0, -288.0]],
            SignalCurve::Pq | SignalCurve::Camera => PQ_DIFFERENCES,
        };
        let [tritan, protan] = differences;
        let in_codes = |matrix: [[f64; 3]; 3]| inverse(matrix).map(|row| row.map(|factor| 4096.0 * factor));
        let signals = in_codes([[2048.0, 2048.0, 0.0], tritan, protan]);
        Self::Ictcp {
            signals: signals.map(|row| row.map(|factor| fraction(factor, SIGNAL_FACTOR_BITS))),
            light: in_codes(CONES).map(|row| shares(row, LIGHT_FACTOR_BITS)),
        }
    }
}

/// The table of the light of signals from 0 to 1.
struct LightOfSignal(Vec<i64>);

impl LightOfSignal {
    fn of(curve: SignalCurve) -> &'static Self {
        static CAMERA: LazyLock<LightOfSignal> = LazyLock::new(|| LightOfSignal::new(SignalCurve::Camera));
        static PQ: LazyLock<LightOfSignal> = LazyLock::new(|| LightOfSignal::new(SignalCurve::Pq));
        static HLG: LazyLock<LightOfSignal> = LazyLock::new(|| LightOfSignal::new(SignalCurve::Hlg));
        match curve {
            SignalCurve::Camera => &CAMERA,
            SignalCurve::Pq => &PQ,
            SignalCurve::Hlg => &HLG,
        }
    }

    fn new(curve: SignalCurve) -> Self {
        let steps = 1_u32 << STEP_BITS;
        // An extra entry ends the interval that starts at signal 1; its weight is always zero.
        let signals = (0..=steps).chain([steps]);
        Self(signals.map(|step| light_fraction(curve.light(f64::from(step) / f64::from(steps)))).collect())
    }

    /// Returns the light of a signal, which is clamped to 0..=1.
    fn of_signal(&self, signal: i64) -> i64 {
        const REST_BITS: u32 = SIGNAL_BITS - STEP_BITS;
        let signal = signal.clamp(0, 1 << SIGNAL_BITS);
        let (step, rest) = ((signal >> REST_BITS) as usize, signal & ((1 << REST_BITS) - 1));
        let (from, to) = (self.0[step], self.0[step + 1]);
        from + rounded_shift((to - from) * rest, REST_BITS)
    }
}

/// Rounds a real number to fixed point.
fn fraction(value: f64, bits: u32) -> i64 {
    (value * (1_i64 << bits) as f64).round() as i64
}

/// Converts factors that add up to 1 to fixed point so that they still add up to exactly 1: gray stays gray.
fn shares(factors: [f64; 3], bits: u32) -> [i64; 3] {
    let [_, second, third] = factors.map(|factor| fraction(factor, bits));
    [(1 << bits) - second - third, second, third]
}

fn light_fraction(light: f64) -> i64 {
    fraction(light, LIGHT_BITS)
}

/// Divides by a positive integer and rounds to nearest.
const fn rounded(dividend: i64, divisor: i64) -> i64 {
    (dividend + divisor / 2).div_euclid(divisor)
}

const fn rounded_shift(value: i64, bits: u32) -> i64 {
    (value + (1 << (bits - 1))) >> bits
}

/// Returns the sum of three products with factors of `bits` fractional bits.
const fn product(factors: &[i64; 3], values: [i64; 3], bits: u32) -> i64 {
    rounded_shift(factors[0] * values[0] + factors[1] * values[1] + factors[2] * values[2], bits)
}

/// Inverts a matrix by its cofactors.
fn inverse(m: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let cofactor = |row: usize, column: usize| {
        let [r1, r2] = [(row + 1) % 3, (row + 2) % 3];
        let [c1, c2] = [(column + 1) % 3, (column + 2) % 3];
        m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1]
    };
    let determinant: f64 = (0..3).map(|column| m[0][column] * cofactor(0, column)).sum();
    std::array::from_fn(|row| std::array::from_fn(|column| cofactor(column, row) / determinant))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [(NonlinearForm, SignalCurve); 7] = [
        (NonlinearForm::Ictcp, SignalCurve::Pq),
        (NonlinearForm::Ictcp, SignalCurve::Hlg),
        (NonlinearForm::Bt2020Constant, SignalCurve::Camera),
        (NonlinearForm::Bt2020Constant, SignalCurve::Pq),
        (NonlinearForm::Bt2020Constant, SignalCurve::Hlg),
        (NonlinearForm::ChromaDerivedConstant(Primaries::Bt709), SignalCurve::Camera),
        (NonlinearForm::ChromaDerivedConstant(Primaries::Film), SignalCurve::Pq),
    ];

    #[test]
    fn gray_keeps_its_codes() {
        for (form, curve) in KINDS {
            for bits in [8, 10, 12] {
                let rule = Rule::new(NonlinearMatrix { form, curve }, Range::Full, bits);
                for code in 0..1_usize << bits {
                    let middle = 1 << (bits - 1);
                    assert_eq!(rule.rgb([code, middle, middle]), [code as u16; 3], "{form:?} {curve:?} {bits}");
                }
                let rule = Rule::new(NonlinearMatrix { form, curve }, Range::Limited, bits);
                for code in 0..1_usize << bits {
                    let [red, green, blue] = rule.rgb([code, 1 << (bits - 1), 1 << (bits - 1)]);
                    assert_eq!((red, blue), (green, green), "{form:?} {curve:?} {bits}: {code}");
                }
            }
        }
    }

    #[test]
    fn black_and_white_of_limited_range_are_the_outermost_codes() {
        for (form, curve) in KINDS {
            let rule = Rule::new(NonlinearMatrix { form, curve }, Range::Limited, 10);
            let of = |luma| rule.rgb([luma, 512, 512]);
            assert_eq!([of(64), of(940)], [[0; 3], [1023; 3]], "{form:?} {curve:?}");
            assert_eq!([of(4), of(1019)], [[0; 3], [1023; 3]], "beyond them");
        }
    }

    /// Tries every combination of outermost codes, where sums would overflow first.
    #[test]
    fn all_codes_have_room() {
        for (form, curve) in KINDS {
            for range in [Range::Limited, Range::Full] {
                let rule = Rule::new(NonlinearMatrix { form, curve }, range, 12);
                for number in 0..27 {
                    let code = |place: usize| [0, 2048, 4095][number / 3_usize.pow(place as u32) % 3];
                    let rgb = rule.rgb([code(0), code(1), code(2)]);
                    assert!(rgb.iter().all(|code| *code <= 4095));
                }
            }
        }
    }

    #[test]
    fn light_rises_with_the_signal_from_zero_to_one() {
        for curve in [SignalCurve::Camera, SignalCurve::Pq, SignalCurve::Hlg] {
            let table = LightOfSignal::of(curve);
            assert!(table.0.windows(2).take(1 << STEP_BITS).all(|two| two[0] <= two[1]), "{curve:?}");
            assert_eq!((table.0[0], table.of_signal(-5)), (0, 0), "{curve:?}");
            assert!((table.of_signal(2 << SIGNAL_BITS) - (1 << LIGHT_BITS)).abs() < 1 << 16, "{curve:?}");
            for light in [0.0001, 0.01, 0.18, 0.5, 0.9] {
                assert!((curve.light(curve.signal(light)) / light - 1.0).abs() < 1e-9, "{curve:?} {light}");
            }
        }
    }

    #[test]
    fn a_converted_picture_keeps_its_original_codes() {
        let layout = PixelLayout::planar_ycbcr(10, (1, 1));
        let matrix = Matrix::Nonlinear(NonlinearMatrix { form: NonlinearForm::Ictcp, curve: SignalCurve::Pq });
        let colorimetry = Colorimetry::tagged(matrix, Range::Limited);
        let plane = |codes: &[u16], width: usize| -> (Vec<u8>, usize) {
            (codes.iter().flat_map(|code| code.to_le_bytes()).collect(), 2 * width)
        };
        let planes = vec![plane(&[64, 502, 940, 502, 700, 300], 3), plane(&[512, 600], 2), plane(&[512, 400], 2)];
        let coded = Picture::new(layout, (3, 2), colorimetry, Arc::new(OwnedPlanes { planes })).unwrap();
        let picture = to_rgb(coded);
        assert_eq!((picture.layout().model, picture.layout().depth), (ColorModel::Rgb, 10));
        assert_eq!([0, 1, 2].map(|component| picture.code(component, 0, 0)), [0; 3]);
        assert_eq!([0, 1, 2].map(|component| picture.code(component, 1, 0)), [512; 3]);
        assert_ne!(picture.code(0, 2, 0), picture.code(2, 2, 0), "chroma of the sample that covers it");
        assert_eq!(picture.as_coded().unwrap().code(1, 1, 0), 600);
        assert_eq!(*picture.decoded().colorimetry(), colorimetry);
        // Changing the range converts the codes again; keeping it changes nothing.
        let full = Colorimetry { range: Sourced::tagged(Range::Full), ..colorimetry };
        assert_eq!(read_as(&picture, full, None).code(0, 1, 0), 502);
        assert!(read_as(&picture, colorimetry, None).has_codes_of(&picture));
        let linear = Colorimetry { matrix: Sourced::tagged(Matrix::Bt2020), ..colorimetry };
        assert_eq!(read_as(&picture, linear, None).layout().model, ColorModel::YCbCr, "nothing to convert");
    }
}
