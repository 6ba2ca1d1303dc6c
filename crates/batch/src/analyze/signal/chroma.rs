//! Saturation and hue of pairs of Cb and Cr, by the filter's formulas and with its precision.
//!
//! Saturation is the distance from the middle, truncated to a whole code. Hue is the angle in whole degrees, from 0 to
//! 359. The filter computes both in single precision, so its rounding decides about hues close to a whole degree.

use std::f64::consts::PI;

use super::{PlaneSignal, SampleReading, plane_signal};
use histoscope_core::picture::Picture;

/// Degrees of a turn.
const DEGREES: usize = 360;
/// Up to this depth, every pair has an entry in a table; at 12 bits it would take 64 MB.
const MOST_TABLE_BITS: u32 = 10;

/// The figures of a picture's colour.
#[derive(Debug, Clone, PartialEq)]
pub struct ChromaSignal {
    /// Saturation, in codes; its bit depth is unused.
    pub saturation: PlaneSignal,
    /// The median hue in degrees: more than half of the samples are at or below it.
    pub hue_median: u32,
    /// The mean hue, in degrees.
    pub hue_average: f64,
}

/// Counts saturations and hues; its table is used for all frames.
#[derive(Debug, Default)]
pub struct ChromaCounter {
    table: Option<(SampleReading, Vec<u32>)>,
}

impl ChromaCounter {
    /// Returns the figures of a picture, given in parts.
    pub fn count(&mut self, parts: &[Picture], reading: SampleReading) -> ChromaSignal {
        let mut saturations = vec![0_u64; 1 << reading.depth];
        let mut hues = [0_u64; DEGREES];
        let table = self.table(parts, reading);
        for part in parts {
            let (width, height) = part.layout().component_size(1, part.width(), part.height());
            let [mut cb, mut cr] = [(); 2].map(|()| vec![0_u16; width as usize]);
            for y in 0..height {
                reading.row(part, 1, y, &mut cb);
                reading.row(part, 2, y, &mut cr);
                for (&cb, &cr) in cb.iter().zip(&cr) {
                    let pair = match table {
                        Some((table, bits)) => {
                            table[(usize::from(cb >> reading.shift) << bits) | usize::from(cr >> reading.shift)]
                        }
                        None => pack(saturation_and_hue(cb, cr, reading)),
                    };
                    saturations[(pair & 0xffff) as usize] += 1;
                    hues[(pair >> 16) as usize] += 1;
                }
            }
        }
        let count: u64 = hues.iter().sum();
        let sum: u64 = hues.iter().zip(0..).map(|(&hue, degrees)| hue * degrees).sum();
        let mut up_to = 0;
        let median = hues.iter().position(|&hue| {
            up_to += hue;
            up_to > count / 2
        });
        ChromaSignal {
            saturation: plane_signal(&saturations),
            hue_median: median.unwrap_or(0) as u32,
            hue_average: sum as f64 / count.max(1) as f64,
        }
    }

    /// Returns the table of all pairs, and the bits of a pair's codes, if these are few enough.
    fn table(&mut self, parts: &[Picture], reading: SampleReading) -> Option<(&[u32], u32)> {
        let bits = parts.first().map(|part| u32::from(part.layout().depth)).filter(|bits| *bits <= MOST_TABLE_BITS)?;
        let kept = self.table.take().filter(|(of, _)| *of == reading);
        let (_, table) = self.table.insert(kept.unwrap_or_else(|| {
            let codes = || (0..1_u16 << bits).map(|code| code << reading.shift);
            let pairs = codes().flat_map(|cb| codes().map(move |cr| (cb, cr)));
            (reading, pairs.map(|(cb, cr)| pack(saturation_and_hue(cb, cr, reading))).collect())
        }));
        Some((table, bits))
    }
}

const fn pack((saturation, hue): (u32, u32)) -> u32 {
    (hue << 16) | saturation
}

/// Returns saturation and hue of a pair, with the single-precision functions of the system's library, which the filter
/// calls too. At 8 bits, all libraries give the same; at higher depths, a hue close to a whole degree may depend on
/// the library.
fn saturation_and_hue(cb: u16, cr: u16, reading: SampleReading) -> (u32, u32) {
    let [cb, cr] = [cb, cr].map(|code| (i32::from(code) - reading.middle()) as f32);
    let degrees = (180.0 / PI * f64::from(cb.atan2(cr)) + 180.0) as f32;
    (cb.hypot(cr) as u32, degrees.floor() as u32 % DEGREES as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same with the best possible rounding of each step.
    fn rounded_well(cb: u16, cr: u16, middle: i32) -> (u32, u32) {
        let [cb, cr] = [cb, cr].map(|code| f64::from(i32::from(code) - middle));
        let degrees = (180.0 / PI * f64::from(cb.atan2(cr) as f32) + 180.0) as f32;
        (cb.hypot(cr) as f32 as u32, degrees.floor() as u32 % DEGREES as u32)
    }

    #[test]
    fn how_well_a_library_rounds_decides_at_most_a_degree_of_a_deep_hue() {
        for depth in [8, 10] {
            let reading = SampleReading { depth, shift: 0 };
            for cb in 0..1 << depth {
                for cr in 0..1 << depth {
                    let (found, expected) =
                        (saturation_and_hue(cb, cr, reading), rounded_well(cb, cr, reading.middle()));
                    let degrees = u32::from(depth > 8);
                    assert_eq!(found.0, expected.0, "{cb}, {cr} of {depth} bits");
                    assert!(
                        found.1.abs_diff(expected.1) <= degrees,
                        "{cb}, {cr} of {depth} bits: {found:?}, {expected:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn corners_are_where_the_filter_has_them() {
        let reading = SampleReading { depth: 8, shift: 0 };
        for ((cb, cr), expected) in [
            ((128, 128), (0, 180)),
            ((128, 100), (28, 0)),
            ((100, 128), (28, 90)),
            ((127, 129), (1, 135)),
            ((129, 127), (1, 315)),
            ((0, 0), (181, 45)),
        ] {
            assert_eq!(saturation_and_hue(cb, cr, reading), expected, "{cb}, {cr}");
        }
    }
}
