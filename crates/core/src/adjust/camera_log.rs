//! The logarithmic curves and wide gamuts of cameras, mapped to BT.709 on a display with a gamma of 2.4.
//!
//! A camera's curve gives scene light, with a white card of 100 % at 1 and middle gray at 0.18. Its primaries are
//! converted to BT.709's, and light from 0 to 1 becomes a signal by the inverse of BT.1886's exponent; brighter light
//! is white. [`super::lut`] does this in integers.

use std::fmt;
use std::str::FromStr;

use super::parse_error::ParseError;

/// A camera's curve with the gamut that belongs to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CameraLog {
    /// Sony S-Log3 and S-Gamut3.Cine (technical summary of 2016).
    #[default]
    SLog3,
    /// ARRI LogC3 at EI 800 and ARRI Wide Gamut 3 (white paper of 2017).
    LogC3,
    /// ARRI LogC4 and ARRI Wide Gamut 4 (specification of 2022).
    LogC4,
    /// Panasonic V-Log and V-Gamut (reference manual of 2014).
    VLog,
    /// Canon Log 2 and Cinema Gamut (white paper of 2020).
    CanonLog2,
    /// Canon Log 3 and Cinema Gamut (white paper of 2020).
    CanonLog3,
    /// Nikon N-Log and N-Gamut, which is BT.2020's (specification of 2018).
    NLog,
    /// Fujifilm F-Log2 and F-Gamut, which is BT.2020's (data sheet of 2022).
    FLog2,
    /// RED Log3G10 and REDWideGamutRGB (white paper of 2017).
    Log3G10,
    /// Blackmagic Film Generation 5 and Blackmagic Wide Gamut (description of 2021).
    BlackmagicGen5,
    /// ACEScct and AP1 (S-2016-001).
    AcesCct,
}

/// Scene light of middle gray.
pub const MIDDLE_GRAY: f64 = 0.18;
/// The exponent of the display.
pub const GAMMA: f64 = 2.4;

/// x and y of red, green, blue and white in the CIE 1931 chromaticity diagram.
type Gamut = [[f64; 2]; 4];

const D65: [f64; 2] = [0.3127, 0.3290];
const BT709: Gamut = [[0.64, 0.33], [0.30, 0.60], [0.15, 0.06], D65];
const BT2020: Gamut = [[0.708, 0.292], [0.170, 0.797], [0.131, 0.046], D65];

/// Rows of a matrix.
pub type Matrix = [[f64; 3]; 3];

/// The matrix from X, Y and Z to the responses of cones (Bradford), for changing the white.
const BRADFORD: Matrix = [[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]];

impl CameraLog {
    /// Every curve, by manufacturer.
    pub const ALL: [Self; 11] = [
        Self::SLog3,
        Self::LogC3,
        Self::LogC4,
        Self::VLog,
        Self::CanonLog2,
        Self::CanonLog3,
        Self::NLog,
        Self::FLog2,
        Self::Log3G10,
        Self::BlackmagicGen5,
        Self::AcesCct,
    ];

    /// Returns the name on the command line.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::SLog3 => "s-log3",
            Self::LogC3 => "logc3",
            Self::LogC4 => "logc4",
            Self::VLog => "v-log",
            Self::CanonLog2 => "canon-log2",
            Self::CanonLog3 => "canon-log3",
            Self::NLog => "n-log",
            Self::FLog2 => "f-log2",
            Self::Log3G10 => "log3g10",
            Self::BlackmagicGen5 => "blackmagic-gen5",
            Self::AcesCct => "acescct",
        }
    }

    /// Returns the curve with the name that cameras and recorders write in files, in any spelling: `V-Log`, `slog3`,
    /// `LOG-C`.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        Some(match &*letters.to_ascii_lowercase() {
            "slog3" | "slog3cine" => Self::SLog3,
            "logc" | "logc3" => Self::LogC3,
            "logc4" => Self::LogC4,
            // V-Log L is the lower part of the same curve.
            "vlog" | "vlogl" => Self::VLog,
            "clog2" | "canonlog2" => Self::CanonLog2,
            "clog3" | "canonlog3" => Self::CanonLog3,
            "nlog" => Self::NLog,
            "flog2" => Self::FLog2,
            "log3g10" => Self::Log3G10,
            "acescct" => Self::AcesCct,
            _ => return None,
        })
    }

    /// Returns the names of the curve and the gamut.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SLog3 => "S-Log3, S-Gamut3.Cine",
            Self::LogC3 => "LogC3 EI 800, ARRI Wide Gamut 3",
            Self::LogC4 => "LogC4, ARRI Wide Gamut 4",
            Self::VLog => "V-Log, V-Gamut",
            Self::CanonLog2 => "Canon Log 2, Cinema Gamut",
            Self::CanonLog3 => "Canon Log 3, Cinema Gamut",
            Self::NLog => "N-Log, N-Gamut",
            Self::FLog2 => "F-Log2, F-Gamut",
            Self::Log3G10 => "Log3G10, REDWideGamutRGB",
            Self::BlackmagicGen5 => "Blackmagic Film Gen 5, Wide Gamut",
            Self::AcesCct => "ACEScct, AP1",
        }
    }

    /// Returns the next curve, or the previous one, up to the last or first.
    #[must_use]
    pub fn step(self, forward: bool) -> Self {
        let at = Self::ALL.iter().position(|&log| log == self).unwrap_or(0);
        let to = if forward { at + 1 } else { at.saturating_sub(1) };
        Self::ALL[to.min(Self::ALL.len() - 1)]
    }

    /// Returns `true` if the manufacturer publishes the curve for recorded 10-bit codes, divided by 1023, even if they
    /// are recorded as limited range. The other curves are published for the signal, however it is recorded.
    #[must_use]
    pub const fn is_of_recorded_codes(self) -> bool {
        match self {
            Self::SLog3 | Self::VLog | Self::CanonLog2 | Self::CanonLog3 | Self::NLog | Self::FLog2 => true,
            Self::LogC3 | Self::LogC4 | Self::Log3G10 | Self::BlackmagicGen5 | Self::AcesCct => false,
        }
    }

    /// Returns the scene light of a signal, which the camera encodes from 0 to 1.
    #[must_use]
    pub fn light(self, signal: f64) -> f64 {
        let ten = |exponent: f64| 10_f64.powf(exponent);
        match self {
            Self::SLog3 => {
                let code = signal * 1023.0;
                match code >= 171.210_294_692_9 {
                    true => ten((code - 420.0) / 261.5) * (0.18 + 0.01) - 0.01,
                    false => (code - 95.0) * 0.011_25 / (171.210_294_692_9 - 95.0),
                }
            }
            Self::LogC3 => {
                let (cut, a, b, c, d) = (0.010_591, 5.555_556, 0.052_272, 0.247_190, 0.385_537);
                let (e, f) = (5.367_655, 0.092_809);
                if signal > e * cut + f { (ten((signal - d) / c) - b) / a } else { (signal - f) / e }
            }
            Self::LogC4 => {
                let a = (2_f64.powi(18) - 16.0) / 117.45;
                let (b, c) = ((1023.0 - 95.0) / 1023.0, 95.0 / 1023.0);
                let slope = 7.0 * 2_f64.ln() * 2_f64.powf(7.0 - 14.0 * c / b) / (a * b);
                let offset = (2_f64.powf(14.0 * (-c / b) + 6.0) - 64.0) / a;
                match signal >= 0.0 {
                    true => (2_f64.powf(14.0 * (signal - c) / b + 6.0) - 64.0) / a,
                    false => signal * slope + offset,
                }
            }
            Self::VLog if signal < 0.181 => (signal - 0.125) / 5.6,
            Self::VLog => ten((signal - 0.598_206) / 0.241_514) - 0.008_73,
            Self::CanonLog2 => {
                let (a, b, c) = (0.092_864_125, 0.241_360_77, 87.099_375_46);
                let light = (ten((signal - a).abs() / b) - 1.0) / c;
                0.9 * light.copysign(signal - a)
            }
            Self::CanonLog3 => {
                let (b, c) = (0.367_268_45, 14.983_25);
                0.9 * match signal {
                    low if low < 0.097_465_473 => -(ten((0.127_839_31 - low) / b) - 1.0) / c,
                    middle if middle <= 0.152_774_27 => (middle - 0.125_122_19) / 1.975_479_8,
                    high => (ten((high - 0.122_405_37) / b) - 1.0) / c,
                }
            }
            Self::NLog => {
                let code = signal * 1023.0;
                if code < 452.0 { (code / 650.0).powi(3) - 0.0075 } else { ((code - 619.0) / 150.0).exp() }
            }
            Self::FLog2 if signal < 0.100_686_685_370_811 => (signal - 0.092_864) / 8.799_461,
            Self::FLog2 => (ten((signal - 0.384_316) / 0.245_281) - 0.064_829) / 5.555_556,
            Self::Log3G10 if signal < 0.0 => signal / 15.1927 - 0.01,
            Self::Log3G10 => (ten(signal / 0.224_282) - 1.0) / 155.975_327 - 0.01,
            Self::BlackmagicGen5 => {
                let (a, b, c) = (0.086_928_760_654_912_24, 0.005_494_072_432_257_808, 0.530_013_339_229_193_9);
                let (d, e) = (8.283_605_932_402_494, 0.092_465_753_424_657_53);
                if signal < d * 0.005 + e { (signal - e) / d } else { ((signal - c) / a).exp() - b }
            }
            Self::AcesCct if signal <= 0.155_251_141_552_511 => {
                (signal - 0.072_905_534_195_835_5) / 10.540_237_741_654_5
            }
            Self::AcesCct => 2_f64.powf(signal * 17.52 - 9.72),
        }
    }

    const fn gamut(self) -> Gamut {
        match self {
            Self::SLog3 => [[0.766, 0.275], [0.225, 0.800], [0.089, -0.087], D65],
            Self::LogC3 => [[0.6840, 0.3130], [0.2210, 0.8480], [0.0861, -0.1020], D65],
            Self::LogC4 => [[0.7347, 0.2653], [0.1424, 0.8576], [0.0991, -0.0308], D65],
            Self::VLog => [[0.730, 0.280], [0.165, 0.840], [0.100, -0.030], D65],
            Self::CanonLog2 | Self::CanonLog3 => [[0.74, 0.27], [0.17, 1.14], [0.08, -0.10], D65],
            Self::NLog | Self::FLog2 => BT2020,
            Self::Log3G10 => [[0.780_308, 0.304_253], [0.121_595, 1.493_994], [0.095_612, -0.084_589], D65],
            Self::BlackmagicGen5 => [
                [0.717_721_5, 0.317_118_1],
                [0.228_041_0, 0.861_569_0],
                [0.100_584_1, -0.082_045_2],
                [0.312_717_0, 0.329_031_2],
            ],
            Self::AcesCct => [[0.713, 0.293], [0.165, 0.830], [0.128, 0.044], [0.321_68, 0.337_67]],
        }
    }

    /// Returns the matrix from light in the camera's gamut to light of red, green and blue of BT.709. White stays
    /// white.
    #[must_use]
    pub fn to_bt709(self) -> Matrix {
        let (own, display) = (self.gamut(), BT709);
        let cones = |gamut: &Gamut| applied(&BRADFORD, xyz(gamut[3]));
        let (from, to) = (cones(&own), cones(&display));
        let scaled = std::array::from_fn(|row| BRADFORD[row].map(|weight| weight * to[row] / from[row]));
        let adapted = product(&inverse(&BRADFORD), &product(&scaled, &to_xyz(&own)));
        product(&inverse(&to_xyz(&display)), &adapted)
    }
}

impl fmt::Display for CameraLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for CameraLog {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::ALL.into_iter().find(|log| log.word() == text).ok_or_else(|| {
            ParseError::new(format!("'{text}' is no camera log; expected {}", Self::ALL.map(Self::word).join(", ")))
        })
    }
}

/// Returns X, Y and Z of a chromaticity at Y = 1.
fn xyz([x, y]: [f64; 2]) -> [f64; 3] {
    [x / y, 1.0, (1.0 - x - y) / y]
}

/// Returns the matrix from red, green and blue of a gamut to X, Y and Z.
fn to_xyz(gamut: &Gamut) -> Matrix {
    let [red, green, blue, white] = gamut.map(xyz);
    let columns: Matrix = std::array::from_fn(|row| [red[row], green[row], blue[row]]);
    let amounts = applied(&inverse(&columns), white);
    columns.map(|row| std::array::from_fn(|column| row[column] * amounts[column]))
}

fn applied(matrix: &Matrix, vector: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| row[0] * vector[0] + row[1] * vector[1] + row[2] * vector[2])
}

fn product(left: &Matrix, right: &Matrix) -> Matrix {
    left.map(|row| std::array::from_fn(|column| (0..3).map(|at| row[at] * right[at][column]).sum()))
}

fn inverse(matrix: &Matrix) -> Matrix {
    let minor = |row: usize, column: usize| {
        let [r1, r2, c1, c2] = [row + 1, row + 2, column + 1, column + 2].map(|at| at % 3);
        matrix[r1][c1] * matrix[r2][c2] - matrix[r1][c2] * matrix[r2][c1]
    };
    let determinant: f64 = (0..3).map(|column| matrix[0][column] * minor(0, column)).sum();
    std::array::from_fn(|row| std::array::from_fn(|column| minor(column, row) / determinant))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adjust::{Codes, Lut, lut};
    use crate::picture::color::Range;
    use crate::picture::luminance::LuminanceWeights;

    /// Returns the fields of the lines of this kind, as numbers, with their curve.
    fn lines(kind: &str) -> Vec<(CameraLog, Vec<f64>)> {
        let text = include_str!("../../../../tests/data/camera_logs.txt");
        let lines = text.lines().filter_map(|line| line.strip_prefix(kind)?.trim_start().split_once(' '));
        lines
            .map(|(name, numbers)| {
                (name.parse().unwrap(), numbers.split(' ').map(|number| number.parse().unwrap()).collect())
            })
            .collect()
    }

    fn mapped(log: CameraLog, range: Range, rgb: Vec<[u16; 3]>) -> Vec<[u16; 3]> {
        let codes = Codes { bits: 10, width: rgb.len(), height: 1, rgb, luminance: LuminanceWeights::Bt709 };
        lut::apply(codes, Lut::of_camera(log).for_range(range)).rgb
    }

    #[test]
    fn curves_are_those_of_colour_science() {
        let lines = lines("curve");
        assert_eq!(lines.len(), 94 * CameraLog::ALL.len());
        for (log, numbers) in lines {
            let [code, expected] = numbers[..] else { panic!() };
            let light = log.light(code / 1023.0);
            let half_a_code = (log.light((code + 0.5) / 1023.0) - light).abs();
            assert!((light - expected).abs() < 0.01 * half_a_code, "{log}, code {code}: {light}, not {expected}");
        }
    }

    #[test]
    fn grays_are_exact() {
        for log in CameraLog::ALL {
            let grays = mapped(log, Range::Full, (0..1024).map(|code| [code; 3]).collect());
            for (code, gray) in grays.into_iter().enumerate() {
                let light = log.light(code as f64 / 1023.0).clamp(0.0, 1.0);
                let exact = 1023.0 * light.powf(1.0 / 2.4);
                let distance = gray.map(|found| (f64::from(found) - exact).abs()).into_iter().fold(0.0, f64::max);
                assert!(distance < 0.6, "{log}, code {code}: {gray:?}, not {exact}");
            }
        }
    }

    #[test]
    fn colours_are_those_of_colour_science() {
        for log in CameraLog::ALL {
            let lines: Vec<_> = lines("colour").into_iter().filter(|line| line.0 == log).collect();
            assert_eq!(lines.len(), 40);
            let codes = lines.iter().map(|(_, numbers)| [numbers[0] as u16, numbers[1] as u16, numbers[2] as u16]);
            let found = mapped(log, Range::Full, codes.collect());
            for ((_, numbers), found) in lines.iter().zip(found) {
                for channel in 0..3 {
                    let expected = 1023.0 * numbers[3 + channel].clamp(0.0, 1.0);
                    let distance = (f64::from(found[channel]) - expected).abs();
                    assert!(distance < 1.0, "{log}, {numbers:?}: {found:?}");
                }
            }
        }
    }

    /// The sums of products in `lut` must fit in 32 bits.
    #[test]
    fn the_weights_of_a_row_are_small() {
        for log in CameraLog::ALL {
            let most = log.to_bt709().map(|row| row.into_iter().map(f64::abs).sum()).into_iter().fold(0.0, f64::max);
            assert!(most < 3.9, "{log}: {most}");
        }
    }

    /// 18 % gray in 10-bit codes.
    #[test]
    fn the_codes_of_gray_are_those_that_the_manufacturers_print() {
        for (log, code) in [
            (CameraLog::SLog3, 420),
            (CameraLog::LogC3, 400),
            (CameraLog::LogC4, 285),
            (CameraLog::VLog, 433),
            (CameraLog::NLog, 372),
            (CameraLog::FLog2, 400),
            (CameraLog::Log3G10, 341),
        ] {
            let [before, at, after] = [-0.6, 0.0, 0.6].map(|part| log.light((f64::from(code) + part) / 1023.0));
            assert!(before < 0.18 && 0.18 < after, "{log}: {at}");
        }
    }

    #[test]
    fn recorded_codes_count_whatever_the_range() {
        // Code 420 of 1023, and the same code as a signal of limited range.
        let signal = ((420.0 - 64.0) / 876.0 * 1023.0_f64).round() as u16;
        let full = mapped(CameraLog::SLog3, Range::Full, vec![[420; 3]]);
        let limited = mapped(CameraLog::SLog3, Range::Limited, vec![[signal; 3]]);
        assert!(full[0][0].abs_diff(limited[0][0]) <= 1 && full[0][0].abs_diff(501) <= 1, "{full:?} {limited:?}");
        assert_eq!(Lut::of_camera(CameraLog::LogC3).for_range(Range::Limited), Lut::of_camera(CameraLog::LogC3));
        assert_eq!(Lut::of_camera(CameraLog::VLog).for_range(Range::Full), Lut::of_camera(CameraLog::VLog));
    }

    #[test]
    fn stops_are_around_the_code_that_the_manufacturer_publishes_for_middle_gray() {
        let code = |log, range, is_mapped, stops: f64| {
            let scale = Lut::of_camera(log).for_range(range).stops(is_mapped).expect("it is a camera's");
            scale.signal(stops).map(|signal| signal * 1023.0)
        };
        let near = |code: Option<f64>, expected: f64| code.is_some_and(|code| (code - expected).abs() < 0.5);
        // S-Log3: 18 % is code 420, 90 % is code 598 (Sony's technical summary); limited range is expanded first.
        assert!(near(code(CameraLog::SLog3, Range::Full, false, 0.0), 420.0));
        assert!(near(code(CameraLog::SLog3, Range::Full, false, 5.0_f64.log2()), 598.0));
        assert!(near(code(CameraLog::SLog3, Range::Limited, false, 0.0), (420.0 - 64.0) / 876.0 * 1023.0));
        // V-Log: 18 % is code 433; LogC3 at EI 800: 0.391 (ARRI's white paper).
        assert!(near(code(CameraLog::VLog, Range::Full, false, 0.0), 433.0));
        assert!(near(code(CameraLog::LogC3, Range::Limited, false, 0.0), 0.391 * 1023.0));
        // After the table, middle gray has 0.18^(1/2.4), and a white card of 100 % is white.
        assert!(near(code(CameraLog::SLog3, Range::Full, true, 0.0), 500.7));
        assert!(near(code(CameraLog::SLog3, Range::Full, true, (1.0_f64 / 0.18).log2()), 1023.0));
        assert_eq!(code(CameraLog::SLog3, Range::Full, true, 3.0), None, "brighter than white");
        assert_eq!(code(CameraLog::LogC3, Range::Full, false, 20.0), None, "brighter than the curve");
    }
}
