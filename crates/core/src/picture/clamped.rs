//! Floating-point samples below 0 or above 1, which are clamped to the lowest or highest code.

use std::ops::Range;

/// The red, green and blue samples that were below 0 or above 1 before conversion to codes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClampedSamples {
    width: usize,
    /// One byte per pixel, row by row, with two bits per channel: below the range, and above it.
    flags: Vec<u8>,
}

/// Numbers of samples below and above the range, for each of red, green and blue.
pub type OutOfRange = [[u32; 2]; 3];

impl ClampedSamples {
    /// Collects the clamped samples of a picture. `samples` maps a pixel's column and row to its red, green and blue.
    /// Returns `None` if no sample is clamped.
    #[must_use]
    pub fn of((width, height): (u32, u32), samples: impl Fn(usize, usize) -> [f32; 3]) -> Option<Self> {
        let (width, height) = (width as usize, height as usize);
        let flag = |sample: f32| u8::from(sample < 0.0) | u8::from(sample > 1.0) << 1;
        let mut flags = Vec::with_capacity(width * height);
        for y in 0..height {
            flags.extend((0..width).map(|x| {
                let [red, green, blue] = samples(x, y).map(flag);
                red | green << 2 | blue << 4
            }));
        }
        flags.iter().any(|flags| *flags != 0).then_some(Self { width, flags })
    }

    /// Returns the clamped samples in these columns and rows, or `None` if there are none.
    #[must_use]
    pub fn part(&self, columns: Range<u32>, rows: Range<u32>) -> Option<Self> {
        let rows = self.flags.chunks_exact(self.width.max(1)).take(rows.end as usize).skip(rows.start as usize);
        let flags = rows.flat_map(|row| row.iter().skip(columns.start as usize).take(columns.len())).copied();
        let part = Self { width: columns.len(), flags: flags.collect() };
        part.flags.iter().any(|flags| *flags != 0).then_some(part)
    }

    /// Returns the clamped samples in every second row from `first_row`, or `None` if there are none.
    #[must_use]
    pub fn of_field(&self, first_row: u32) -> Option<Self> {
        let rows = self.flags.chunks_exact(self.width.max(1)).skip(first_row as usize).step_by(2);
        let field = Self { width: self.width, flags: rows.flatten().copied().collect() };
        field.flags.iter().any(|flags| *flags != 0).then_some(field)
    }

    /// Returns whether a sample was below the range, and whether it was above.
    #[must_use]
    pub fn at(&self, channel: usize, x: u32, y: u32) -> [bool; 2] {
        let flags = self.flags.get(y as usize * self.width + x as usize).map_or(0, |flags| flags >> (2 * channel));
        [flags & 1 != 0, flags & 2 != 0]
    }

    /// Counts the clamped samples.
    #[must_use]
    pub fn counts(&self) -> OutOfRange {
        let mut counts = [0; 64];
        for flags in &self.flags {
            counts[usize::from(*flags & 63)] += 1;
        }
        let of_bit =
            |bit: usize| counts.iter().enumerate().filter(|(flags, _)| flags >> bit & 1 == 1).map(|(_, n)| n).sum();
        std::array::from_fn(|channel| [of_bit(2 * channel), of_bit(2 * channel + 1)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_of_each_channel_is_counted_in_each_part() {
        let samples = |x: usize, y: usize| match (x, y) {
            (0, 0) => [-0.001, 0.5, 1.0],
            (2, 0) => [0.0, -0.0, 1.0001],
            (1, 1) => [f32::INFINITY, f32::NEG_INFINITY, f32::NAN],
            _ => [0.0, 1.0, 0.5],
        };
        let clamped = ClampedSamples::of((3, 2), samples).unwrap();
        assert_eq!(clamped.counts(), [[1, 1], [1, 0], [0, 1]]);
        let counts = |columns, rows| clamped.part(columns, rows).map(|part| part.counts());
        assert_eq!(counts(0..2, 0..1), Some([[1, 0], [0, 0], [0, 0]]));
        assert_eq!(counts(1..3, 0..2), Some([[0, 1], [1, 0], [0, 1]]));
        assert_eq!(counts(0..1, 1..2), None);
        let of_field = |first: u32| clamped.of_field(first).map(|field| field.counts());
        assert_eq!(of_field(0), Some([[1, 0], [0, 0], [0, 1]]));
        assert_eq!(of_field(1), Some([[0, 1], [1, 0], [0, 0]]));
        assert_eq!(
            (clamped.at(0, 1, 1), clamped.at(1, 1, 1), clamped.at(0, 1, 0)),
            ([false, true], [true, false], [false; 2])
        );
        assert_eq!(ClampedSamples::of((3, 2), |_, _| [0.0, 1.0, 0.5]), None);
    }
}
