//! The first lesson of the tutorial as a worked example: an image of 6×7 pixels, and three bins.

/// The pixels of a row.
pub const WIDTH: usize = 6;
/// The number of rows.
pub const HEIGHT: usize = 7;
/// The number of bins.
pub const BINS: usize = 3;

/// The gray codes of the image: a bright dot on a dark background, with a soft edge.
pub const CODES: [[u8; WIDTH]; HEIGHT] = [
    [12, 20, 31, 35, 24, 14],
    [22, 64, 119, 131, 70, 26],
    [38, 125, 214, 226, 142, 41],
    [44, 150, 235, 248, 161, 47],
    [37, 128, 219, 230, 137, 40],
    [25, 72, 122, 134, 79, 28],
    [15, 23, 33, 36, 27, 16],
];

/// Returns the bin of a code. The 256 codes are divided evenly.
#[must_use]
pub const fn bin(code: u8) -> usize {
    (code as usize * BINS) >> 8
}

/// One set of bins per chunk. `None` for a chunk that has been added to another one.
pub type Chunks = Vec<Option<[u32; BINS]>>;

/// Returns the bins of each row, which is a chunk of 6×1 pixels.
#[must_use]
pub fn chunks() -> Chunks {
    let count = |row: &[u8; WIDTH]| {
        let mut bins = [0; BINS];
        row.iter().for_each(|&code| bins[bin(code)] += 1);
        Some(bins)
    };
    CODES.iter().map(count).collect()
}

/// Returns the chunks after each step of summing them pair by pair, with the step's stride.
#[must_use]
pub fn pairwise() -> Vec<(usize, Chunks)> {
    let mut chunks = chunks();
    let mut steps = Vec::new();
    let mut stride = 1;
    while stride < chunks.len() {
        for first in (0..chunks.len()).step_by(2 * stride) {
            let Some(second) = chunks.get_mut(first + stride).and_then(Option::take) else { continue };
            if let Some(sum) = &mut chunks[first] {
                sum.iter_mut().zip(second).for_each(|(sum, count)| *sum += count);
            }
        }
        steps.push((stride, chunks.clone()));
        stride *= 2;
    }
    steps
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use histoscope_core::histogram::{Components, reference, regroup};
    use histoscope_core::picture::color::Colorimetry;
    use histoscope_core::picture::layout::PixelLayout;
    use histoscope_core::picture::{OwnedPlanes, Picture};

    #[test]
    fn the_worked_example_matches_the_reference() {
        let layout = PixelLayout::gray(8);
        let size = (WIDTH as u32, HEIGHT as u32);
        let planes = OwnedPlanes { planes: vec![(CODES.concat(), WIDTH)] };
        let colorimetry = Colorimetry::resolve(&layout, size, None, None, false);
        let picture = Picture::new(layout, size, colorimetry, Arc::new(planes)).unwrap();
        let right = regroup(reference::histogram(&picture, Components::Rgbl).bins(3), BINS as u32);
        assert_eq!(right.iter().sum::<u32>(), 42);
        let steps = pairwise();
        assert_eq!(steps.iter().map(|(stride, _)| *stride).collect::<Vec<_>>(), [1, 2, 4]);
        assert_eq!(steps[2].1[0].unwrap().to_vec(), right);
        assert!(steps[2].1[1..].iter().all(Option::is_none), "one chunk is left");
        assert_eq!(steps[0].1.iter().flatten().count(), 4);
    }
}
