//! How far apart two colours are for the eye: ΔE ITP and CIEDE2000.

use crate::picture::nonlinear::{CONES, PQ_DIFFERENCES};
use crate::picture::primaries::Primaries;
use crate::picture::transfer::pq_signal;
use crate::tone_map::SourceLight;

/// The light in cd/m² of SDR's white (BT.2035's reference display).
pub const SDR_WHITE: f64 = 100.0;

/// The light of a pixel on the display that its video is meant for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColorLight {
    /// CIE 1931 X, Y and Z in cd/m².
    xyz: [f64; 3],
    /// The same of the white of SDR; `None` for PQ and HLG, which go beyond any white.
    white: Option<[f64; 3]>,
}

impl ColorLight {
    /// Returns the light of R'G'B' signals from 0 to 1. PQ is absolute, HLG is shown on a display with its peak, and
    /// SDR on one whose white is [`SDR_WHITE`].
    #[must_use]
    pub fn of(light: SourceLight, signals: [f64; 3]) -> Self {
        let (transfer, primaries) = light.colors();
        let rows = primaries.to_xyz();
        match light.scale() {
            Some(scale) => Self { xyz: product(rows, scale.lights(signals)), white: None },
            None => Self {
                xyz: product(rows, signals.map(|signal| SDR_WHITE * transfer.light(signal))),
                white: Some(product(rows, [SDR_WHITE; 3])),
            },
        }
    }

    /// Returns ΔE ITP of two colours (Rec. ITU-R BT.2124). 1 is the least difference that is seen.
    #[must_use]
    pub fn delta_e_itp(&self, other: &Self) -> f64 {
        let [a, b] = [self, other].map(|color| {
            let rgb = product(Primaries::Bt2020.rgb_of_xyz(), color.xyz);
            let cones = product(CONES, rgb).map(|cone| pq_signal(cone / 4096.0 / 10_000.0));
            let [tritan, protan] = PQ_DIFFERENCES.map(|row| (0..3).map(|i| row[i] * cones[i] / 4096.0).sum::<f64>());
            [0.5 * (cones[0] + cones[1]), 0.5 * tritan, protan]
        });
        720.0 * (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
    }

    /// Returns CIEDE2000 of two colours (CIE 142-2001), relative to the white of SDR; `None` for PQ and HLG, for which
    /// it is not defined.
    #[must_use]
    pub fn ciede2000(&self, other: &Self) -> Option<f64> {
        Some(ciede2000(cielab(self.xyz, self.white?), cielab(other.xyz, other.white?)))
    }
}

fn product(rows: [[f64; 3]; 3], of: [f64; 3]) -> [f64; 3] {
    rows.map(|row| (0..3).map(|i| row[i] * of[i]).sum())
}

/// Returns L*, a* and b* (CIE 15).
fn cielab(xyz: [f64; 3], white: [f64; 3]) -> [f64; 3] {
    const DELTA: f64 = 6.0 / 29.0;
    let [x, y, z]: [f64; 3] = std::array::from_fn(|i| {
        let share = xyz[i] / white[i];
        if share > DELTA.powi(3) { share.cbrt() } else { share / (3.0 * DELTA * DELTA) + 4.0 / 29.0 }
    });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// Returns CIEDE2000 of two colours in L*, a* and b*, by the steps of Sharma, Wu and Dalal (2005). Angles are in degrees.
fn ciede2000([l1, a1, b1]: [f64; 3], [l2, a2, b2]: [f64; 3]) -> f64 {
    // How far a chroma is beyond 25, which is where the rules for blue and for gray change over.
    let excess = |chroma: f64| (chroma.powi(7) / (chroma.powi(7) + 25_f64.powi(7))).sqrt();
    let stretch = 1.5 - 0.5 * excess(f64::midpoint(a1.hypot(b1), a2.hypot(b2)));
    let (a1, a2) = (stretch * a1, stretch * a2);
    let (c1, c2) = (a1.hypot(b1), a2.hypot(b2));
    let hue = |a: f64, b: f64| b.atan2(a).to_degrees().rem_euclid(360.0);
    let (h1, h2) = (hue(a1, b1), hue(a2, b2));
    let is_gray = c1 * c2 == 0.0;
    let turn = match h2 - h1 {
        _ if is_gray => 0.0,
        turn if turn > 180.0 => turn - 360.0,
        turn if turn < -180.0 => turn + 360.0,
        turn => turn,
    };
    let h = match h1 + h2 {
        sum if is_gray => sum,
        sum if (h1 - h2).abs() <= 180.0 => sum / 2.0,
        sum if sum < 360.0 => (sum + 360.0) / 2.0,
        sum => (sum - 360.0) / 2.0,
    };
    let (l, c) = (f64::midpoint(l1, l2), f64::midpoint(c1, c2));
    let cosine = |degrees: f64| degrees.to_radians().cos();
    let t = 1.0 - 0.17 * cosine(h - 30.0) + 0.24 * cosine(2.0 * h) + 0.32 * cosine(3.0 * h + 6.0)
        - 0.20 * cosine(4.0 * h - 63.0);
    let lightness = (l2 - l1) / (1.0 + 0.015 * (l - 50.0).powi(2) / (20.0 + (l - 50.0).powi(2)).sqrt());
    let chroma = (c2 - c1) / (1.0 + 0.045 * c);
    let hue = 2.0 * (c1 * c2).sqrt() * (turn / 2.0).to_radians().sin() / (1.0 + 0.015 * c * t);
    let rotation = 2.0 * excess(c) * (60.0 * (-((h - 275.0) / 25.0).powi(2)).exp()).to_radians().sin();
    (lightness.powi(2) + chroma.powi(2) + hue.powi(2) - rotation * chroma * hue).max(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::transfer::Transfer;

    /// Pairs of L*, a*, b* with their distance, as published by G. Sharma, W. Wu and E. N. Dalal, "The CIEDE2000
    /// color-difference formula" (2005), table 1. colour-science 0.4.7 gives the same.
    #[rustfmt::skip]
    const PUBLISHED: [[f64; 7]; 34] = [
        [50.0000, 2.6772, -79.7751, 50.0000, 0.0000, -82.7485, 2.0425],
        [50.0000, 3.1571, -77.2803, 50.0000, 0.0000, -82.7485, 2.8615],
        [50.0000, 2.8361, -74.0200, 50.0000, 0.0000, -82.7485, 3.4412],
        [50.0000, -1.3802, -84.2814, 50.0000, 0.0000, -82.7485, 1.0000],
        [50.0000, -1.1848, -84.8006, 50.0000, 0.0000, -82.7485, 1.0000],
        [50.0000, -0.9009, -85.5211, 50.0000, 0.0000, -82.7485, 1.0000],
        [50.0000, 0.0000, 0.0000, 50.0000, -1.0000, 2.0000, 2.3669],
        [50.0000, -1.0000, 2.0000, 50.0000, 0.0000, 0.0000, 2.3669],
        [50.0000, 2.4900, -0.0010, 50.0000, -2.4900, 0.0009, 7.1792],
        [50.0000, 2.4900, -0.0010, 50.0000, -2.4900, 0.0010, 7.1792],
        [50.0000, 2.4900, -0.0010, 50.0000, -2.4900, 0.0011, 7.2195],
        [50.0000, 2.4900, -0.0010, 50.0000, -2.4900, 0.0012, 7.2195],
        [50.0000, -0.0010, 2.4900, 50.0000, 0.0009, -2.4900, 4.8045],
        [50.0000, -0.0010, 2.4900, 50.0000, 0.0010, -2.4900, 4.8045],
        [50.0000, -0.0010, 2.4900, 50.0000, 0.0011, -2.4900, 4.7461],
        [50.0000, 2.5000, 0.0000, 50.0000, 0.0000, -2.5000, 4.3065],
        [50.0000, 2.5000, 0.0000, 73.0000, 25.0000, -18.0000, 27.1492],
        [50.0000, 2.5000, 0.0000, 61.0000, -5.0000, 29.0000, 22.8977],
        [50.0000, 2.5000, 0.0000, 56.0000, -27.0000, -3.0000, 31.9030],
        [50.0000, 2.5000, 0.0000, 58.0000, 24.0000, 15.0000, 19.4535],
        [50.0000, 2.5000, 0.0000, 50.0000, 3.1736, 0.5854, 1.0000],
        [50.0000, 2.5000, 0.0000, 50.0000, 3.2972, 0.0000, 1.0000],
        [50.0000, 2.5000, 0.0000, 50.0000, 1.8634, 0.5757, 1.0000],
        [50.0000, 2.5000, 0.0000, 50.0000, 3.2592, 0.3350, 1.0000],
        [60.2574, -34.0099, 36.2677, 60.4626, -34.1751, 39.4387, 1.2644],
        [63.0109, -31.0961, -5.8663, 62.8187, -29.7946, -4.0864, 1.2630],
        [61.2901, 3.7196, -5.3901, 61.4292, 2.2480, -4.9620, 1.8731],
        [35.0831, -44.1164, 3.7933, 35.0232, -40.0716, 1.5901, 1.8645],
        [22.7233, 20.0904, -46.6940, 23.0331, 14.9730, -42.5619, 2.0373],
        [36.4612, 47.8580, 18.3852, 36.2715, 50.5065, 21.2231, 1.4146],
        [90.8027, -2.0831, 1.4410, 91.1528, -1.6435, 0.0447, 1.4441],
        [90.9257, -0.5406, -0.9208, 88.6381, -0.8985, -0.7239, 1.5381],
        [6.7747, -0.2908, -2.4247, 5.8714, -0.0985, -2.2286, 0.6377],
        [2.0776, 0.0795, -1.1350, 0.9033, -0.0636, -0.5514, 0.9082],
    ];

    #[test]
    fn ciede2000_gives_the_published_distances() {
        for [l1, a1, b1, l2, a2, b2, expected] in PUBLISHED {
            for distance in [ciede2000([l1, a1, b1], [l2, a2, b2]), ciede2000([l2, a2, b2], [l1, a1, b1])] {
                assert!((distance - expected).abs() < 0.5e-4, "{distance} instead of {expected}");
            }
        }
    }

    /// Codes of 8 bits of SDR, and of 10 bits of PQ and HLG, with what colour-science 0.4.7 computes of their light:
    /// `delta_E` by the methods "ITP" and "CIE 2000", SDR by the power 2.4 at 100 cd/m², with D65 as the white.
    #[test]
    fn distances_of_codes_are_those_of_colour_science() {
        let none = f64::NAN;
        for (transfer, top, a, b, itp, ciede) in [
            (Transfer::Bt1886, 255, [200, 120, 90], [190, 128, 100], 16.938_989, 3.860_870),
            (Transfer::Bt1886, 255, [255, 0, 0], [0, 0, 255], 322.601_868, 52.878_195),
            (Transfer::Bt1886, 255, [16, 16, 16], [18, 16, 17], 4.112_273, 0.691_670),
            (Transfer::Bt1886, 255, [235, 235, 235], [235, 235, 235], 0.0, 0.0),
            (Transfer::Pq, 1023, [520, 500, 480], [530, 498, 470], 12.168_738, none),
            (Transfer::Pq, 1023, [769, 0, 0], [0, 769, 0], 423.969_669, none),
            (Transfer::Pq, 1023, [769, 769, 769], [580, 580, 580], 133.020_528, none),
            (Transfer::Hlg, 1023, [700, 650, 600], [690, 660, 600], 7.671_120, none),
            (Transfer::Hlg, 1023, [1023, 512, 0], [512, 1023, 0], 339.083_646, none),
        ] {
            let light = SourceLight { transfer, ..SourceLight::default() };
            let [a, b] = [a, b].map(|codes| ColorLight::of(light, codes.map(|code| f64::from(code) / f64::from(top))));
            let found = (a.delta_e_itp(&b), a.ciede2000(&b));
            assert!((found.0 - itp).abs() < 1e-4, "{transfer:?}: {found:?} instead of {itp}");
            assert_eq!(found.1.is_none(), ciede.is_nan(), "{transfer:?}");
            assert!(found.1.is_none_or(|found| (found - ciede).abs() < 1e-4), "{found:?} instead of {ciede}");
        }
    }
}
