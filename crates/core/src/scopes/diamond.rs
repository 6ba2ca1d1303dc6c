//! The double diamond of R'G'B': each pixel's blue against its green above, and its red against its green below,
//! whether in range or not.
//!
//! Black is in the middle, where both diamonds touch, and white at their far ends. Green leads to the left, blue and
//! red to the right. Both pairs of a pixel lie in their own diamonds exactly if none of its three codes is out of range.
//! A pair of two codes below zero lies on the side of the other diamond.

/// The integer computation of both pairs of levels of a pixel's R'G'B' codes: each level is
/// `(sum · weight + bias) >> SHIFT`, clamped to the levels there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Diamond {
    /// Levels per code, in fixed point.
    pub weight: i32,
    /// The level in the middle in fixed point, plus one half for rounding.
    pub bias: i32,
}

impl Diamond {
    /// The largest sum and difference on the axes, where 1 is the highest code. Pairs beyond are counted at the edge.
    pub const EXTENT: f64 = 2.5;
    /// Number of bits in a level.
    pub const LEVEL_BITS: u32 = 9;
    /// Fractional bits.
    pub const SHIFT: u32 = 20;

    /// Creates the computation for codes of `bits` bits, at most 12.
    #[must_use]
    pub fn new(bits: u32) -> Self {
        let top = f64::from((1_u32 << bits) - 1);
        let weight = (f64::from(1_u32 << (Self::LEVEL_BITS + Self::SHIFT)) / (2.0 * Self::EXTENT * top)).round() as i32;
        Self { weight, bias: (1 << (Self::LEVEL_BITS - 1 + Self::SHIFT)) + (1 << (Self::SHIFT - 1)) }
    }

    /// Returns the levels of B' − G' and B' + G', and of R' − G' and −(R' + G').
    #[inline]
    #[must_use]
    pub fn of_codes(&self, [red, green, blue]: [i32; 3]) -> [[u32; 2]; 2] {
        let top = (1 << Self::LEVEL_BITS) - 1;
        let level = |sum: i32| ((sum * self.weight + self.bias) >> Self::SHIFT).clamp(0, top) as u32;
        [[level(blue - green), level(blue + green)], [level(red - green), level(-(red + green))]]
    }

    /// Returns the upper and the lower diamond of colours whose parts are between these limits, where 1 is the highest
    /// code: the coordinates of their corners.
    #[must_use]
    pub fn outlines(low: f64, high: f64) -> [[[f64; 2]; 4]; 2] {
        let corners = [[low, low], [low, high], [high, high], [high, low]];
        let upper = corners.map(|[green, other]| [other - green, other + green]);
        [upper, upper.map(|[across, up]| [across, -up])]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: f64 = 2.0 * Diamond::EXTENT / 512.0;

    fn coordinates(bits: u32, rgb: [i32; 3]) -> [[f64; 2]; 2] {
        let level = |level: u32| (f64::from(level) - 256.0) * STEP;
        Diamond::new(bits).of_codes(rgb).map(|pair| pair.map(level))
    }

    /// The directions are those of the manuals of waveform monitors: white at the far ends, green to the left.
    #[test]
    fn colours_lie_where_waveform_monitors_show_them() {
        for bits in [8, 10, 12] {
            let top = (1 << bits) - 1;
            for (rgb, upper, lower) in [
                ([0, 0, 0], [0.0, 0.0], [0.0, 0.0]),
                ([top, top, top], [0.0, 2.0], [0.0, -2.0]),
                ([0, top, 0], [-1.0, 1.0], [-1.0, -1.0]),
                ([0, 0, top], [1.0, 1.0], [0.0, 0.0]),
                ([top, 0, 0], [0.0, 0.0], [1.0, -1.0]),
                ([top, top, -top / 5], [-1.2, 0.8], [0.0, -2.0]),
            ] {
                for (found, expected) in coordinates(bits, rgb).as_flattened().iter().zip([upper, lower].as_flattened())
                {
                    assert!((found - expected).abs() <= 0.51 * STEP, "{bits} {rgb:?}: {found} {expected}");
                }
            }
        }
    }

    /// No sum overflows, however far the codes of a matrix are out of range.
    #[test]
    fn pairs_beyond_the_axes_are_at_the_edge() {
        for bits in [8, 10, 12] {
            let far = 3 << bits;
            assert_eq!(Diamond::new(bits).of_codes([far, -far, far]), [[511, 256], [511, 256]]);
            assert_eq!(Diamond::new(bits).of_codes([far; 3]), [[256, 511], [256, 0]]);
        }
    }

    #[test]
    fn a_pixel_is_in_both_diamonds_if_no_code_is_out_of_range() {
        let is_in = |[[a, b, c, d], _]: [[[f64; 2]; 4]; 2], [across, up]: [f64; 2]| {
            assert_eq!((a, c), ([0.0, 0.0], [0.0, 2.0]));
            assert_eq!((b, d), ([1.0, 1.0], [-1.0, 1.0]));
            across.abs() <= up.min(2.0 - up) + 1e-9
        };
        for index in 0..9_i32.pow(3) {
            let rgb = [index % 9, index / 9 % 9, index / 81].map(|step| f64::from(step - 2) / 4.0);
            let [red, green, blue] = rgb;
            let is_legal = rgb.iter().all(|part| (0.0..=1.0).contains(part));
            let outlines = Diamond::outlines(0.0, 1.0);
            let both = is_in(outlines, [blue - green, blue + green]) && is_in(outlines, [red - green, red + green]);
            assert_eq!(both, is_legal, "{rgb:?}");
        }
    }
}
