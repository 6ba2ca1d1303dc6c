//! Colour primaries, from which some matrices are derived.

use super::transfer::Transfer;

/// The chromaticities of red, green, blue and white (ITU-T H.273, "colour primaries").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Primaries {
    /// BT.709 (H.273 value 1).
    Bt709,
    /// BT.470 System M (value 4).
    Bt470m,
    /// BT.470 System B and G (value 5).
    Bt470bg,
    /// SMPTE 170M and 240M (values 6 and 7).
    Smpte170m,
    /// Film with illuminant C (value 8).
    Film,
    /// BT.2020 (value 9).
    Bt2020,
    /// SMPTE ST 428-1, X, Y and Z (value 10).
    Smpte428,
    /// SMPTE RP 431-2, DCI P3 (value 11).
    Smpte431,
    /// SMPTE EG 432-1, Display P3 (value 12).
    Smpte432,
    /// EBU Tech. 3213-E (value 22).
    Ebu3213,
}

/// Chromaticities x and y (CIE 1931) of white.
const D65: [f64; 2] = [0.3127, 0.3290];
const C: [f64; 2] = [0.310, 0.316];

impl Primaries {
    /// Returns the primaries with this number in H.273, or `None` for "unspecified" and reserved numbers.
    #[must_use]
    pub const fn of_number(number: i32) -> Option<Self> {
        match number {
            1 => Some(Self::Bt709),
            4 => Some(Self::Bt470m),
            5 => Some(Self::Bt470bg),
            6 | 7 => Some(Self::Smpte170m),
            8 => Some(Self::Film),
            9 => Some(Self::Bt2020),
            10 => Some(Self::Smpte428),
            11 => Some(Self::Smpte431),
            12 => Some(Self::Smpte432),
            22 => Some(Self::Ebu3213),
            _ => None,
        }
    }

    /// Returns the primaries with FFmpeg's name, or `None` for others.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Some(match name {
            "bt709" => Self::Bt709,
            "bt470m" => Self::Bt470m,
            "bt470bg" => Self::Bt470bg,
            "smpte170m" | "smpte240m" => Self::Smpte170m,
            "film" => Self::Film,
            "bt2020" => Self::Bt2020,
            "smpte428" => Self::Smpte428,
            "smpte431" => Self::Smpte431,
            "smpte432" => Self::Smpte432,
            "ebu3213" | "jedec-p22" => Self::Ebu3213,
            _ => return None,
        })
    }

    /// Returns the primaries of untagged video with this transfer function: those of BT.2020 for PQ and HLG, those of
    /// BT.709 for others.
    #[must_use]
    pub const fn usual_with(transfer: Transfer) -> Self {
        match transfer {
            Transfer::Pq | Transfer::Hlg => Self::Bt2020,
            Transfer::Bt1886 | Transfer::Srgb | Transfer::Linear => Self::Bt709,
        }
    }

    /// Returns the short name used on screen.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bt709 => "709",
            Self::Bt470m => "470M",
            Self::Bt470bg => "470BG",
            Self::Smpte170m => "170M",
            Self::Film => "film",
            Self::Bt2020 => "2020",
            Self::Smpte428 => "XYZ",
            Self::Smpte431 => "DCI P3",
            Self::Smpte432 => "P3",
            Self::Ebu3213 => "EBU",
        }
    }

    /// Returns the rows that give red, green and blue light of BT.709 for light of these primaries. White stays white,
    /// whatever its chromaticity.
    #[must_use]
    pub fn to_bt709(self) -> [[f64; 3]; 3] {
        let rgb_of_xyz = Self::Bt709.rgb_of_xyz();
        let to_xyz = self.to_xyz();
        rgb_of_xyz.map(|row| {
            let sums: [f64; 3] = std::array::from_fn(|i| (0..3).map(|k| row[k] * to_xyz[k][i]).sum());
            let white: f64 = sums.iter().sum();
            sums.map(|sum| sum / white)
        })
    }

    /// Returns the rows that give CIE 1931 X, Y and Z of light of these primaries; white has a Y of 1.
    #[must_use]
    pub fn to_xyz(self) -> [[f64; 3]; 3] {
        let [red, green, blue, white] = self.chromaticities().map(|[x, y]| [x, y, 1.0 - x - y]);
        let columns: [[f64; 3]; 3] = std::array::from_fn(|i| [red[i], green[i], blue[i]]);
        let amounts = inverse(columns).map(|row| (0..3).map(|i| row[i] * white[i] / white[1]).sum::<f64>());
        columns.map(|row| std::array::from_fn(|i| row[i] * amounts[i]))
    }

    /// Returns the rows that give red, green and blue of these primaries for CIE 1931 X, Y and Z.
    #[must_use]
    pub fn rgb_of_xyz(self) -> [[f64; 3]; 3] {
        inverse(self.to_xyz())
    }

    /// Returns the chromaticities x and y (CIE 1931) of red, green, blue and white, from table 2 of H.273.
    #[must_use]
    pub const fn chromaticities(self) -> [[f64; 2]; 4] {
        match self {
            Self::Bt709 => [[0.640, 0.330], [0.300, 0.600], [0.150, 0.060], D65],
            Self::Bt470m => [[0.67, 0.33], [0.21, 0.71], [0.14, 0.08], C],
            Self::Bt470bg => [[0.64, 0.33], [0.29, 0.60], [0.15, 0.06], D65],
            Self::Smpte170m => [[0.630, 0.340], [0.310, 0.595], [0.155, 0.070], D65],
            Self::Film => [[0.681, 0.319], [0.243, 0.692], [0.145, 0.049], C],
            Self::Bt2020 => [[0.708, 0.292], [0.170, 0.797], [0.131, 0.046], D65],
            Self::Smpte428 => [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [1.0 / 3.0, 1.0 / 3.0]],
            Self::Smpte431 => [[0.680, 0.320], [0.265, 0.690], [0.150, 0.060], [0.314, 0.351]],
            Self::Smpte432 => [[0.680, 0.320], [0.265, 0.690], [0.150, 0.060], D65],
            Self::Ebu3213 => [[0.630, 0.340], [0.295, 0.605], [0.155, 0.077], D65],
        }
    }

    /// Returns Kr and Kb, the weights of red and blue in luminance (H.273, formulas 32 to 37).
    #[must_use]
    pub const fn luma_weights(self) -> (f64, f64) {
        let [[xr, yr], [xg, yg], [xb, yb], [xw, yw]] = self.chromaticities();
        let (zr, zg, zb, zw) = (1.0 - (xr + yr), 1.0 - (xg + yg), 1.0 - (xb + yb), 1.0 - (xw + yw));
        let whole = yw * (xr * (yg * zb - yb * zg) + xg * (yb * zr - yr * zb) + xb * (yr * zg - yg * zr));
        let red = yr * (xw * (yg * zb - yb * zg) + yw * (xb * zg - xg * zb) + zw * (xg * yb - xb * yg));
        let blue = yb * (xw * (yr * zg - yg * zr) + yw * (xg * zr - xr * zg) + zw * (xr * yg - xg * yr));
        (red / whole, blue / whole)
    }
}

/// Returns the inverse of a matrix.
fn inverse(m: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let minor = |r: usize, c: usize| {
        let ([a, b], [d, e]) = ([(r + 1) % 3, (r + 2) % 3], [(c + 1) % 3, (c + 2) % 3]);
        m[a][d] * m[b][e] - m[a][e] * m[b][d]
    };
    let whole: f64 = (0..3).map(|c| m[0][c] * minor(0, c)).sum();
    std::array::from_fn(|r| std::array::from_fn(|c| minor(c, r) / whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with BT.2087, and with the values of Apple and the W3C for Display P3.
    #[test]
    fn light_is_converted_to_bt709() {
        let bt2020 = [[1.6605, -0.5876, -0.0728], [-0.1246, 1.1329, -0.0083], [-0.0182, -0.1006, 1.1187]];
        let p3 = [[1.2249, -0.2249, 0.0], [-0.0420, 1.0420, 0.0], [-0.0197, -0.0786, 1.0983]];
        for (primaries, expected) in [(Primaries::Bt2020, bt2020), (Primaries::Smpte432, p3)] {
            let rows = primaries.to_bt709();
            for (own, other) in rows.as_flattened().iter().zip(expected.as_flattened()) {
                assert!((own - other).abs() < 1e-4, "{primaries:?}: {rows:?}");
            }
        }
        for primaries in (0..=22).filter_map(Primaries::of_number) {
            let sums = primaries.to_bt709().map(|row| row.iter().sum::<f64>());
            assert!(sums.iter().all(|sum| (sum - 1.0).abs() < 1e-12), "{primaries:?}: {sums:?}");
        }
        assert_eq!(Primaries::of_name("smpte432"), Some(Primaries::Smpte432));
    }

    /// Compares with the standards' weights, rounded to four decimal places. The weights for NTSC and film were
    /// computed with NumPy, by solving for the amounts of the primaries that add up to white.
    #[test]
    fn weights_are_those_of_the_standards() {
        for (primaries, red, blue) in [
            (Primaries::Bt709, 0.2126, 0.0722),
            (Primaries::Bt2020, 0.2627, 0.0593),
            (Primaries::Smpte170m, 0.2124, 0.0866),
            (Primaries::Bt470m, 0.2990, 0.1146),
            (Primaries::Bt470bg, 0.2220, 0.0713),
            (Primaries::Film, 0.2536, 0.0681),
            (Primaries::Smpte431, 0.2095, 0.0689),
            (Primaries::Smpte432, 0.2290, 0.0793),
            (Primaries::Ebu3213, 0.2318, 0.0960),
        ] {
            let (kr, kb) = primaries.luma_weights();
            assert!((kr - red).abs() < 1e-4 && (kb - blue).abs() < 1e-4, "{primaries:?}: {kr}, {kb}");
        }
        assert_eq!(Primaries::Smpte428.luma_weights(), (0.0, 0.0));
        assert_eq!((Primaries::of_number(2), Primaries::of_number(9)), (None, Some(Primaries::Bt2020)));
    }
}
