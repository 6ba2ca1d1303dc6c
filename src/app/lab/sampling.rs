//! The pixels of the frame shown in diagrams.

use histoscope_core::picture::Picture;
use histoscope_hud::Sample;
use histoscope_lab::bench::scene;
use histoscope_lab::image::codes;

/// Number of pixels shown with their values.
pub const SAMPLES: u32 = 8;
/// Number of rows of the picture that are searched for pixels worth showing.
const ROWS: u32 = 24;

/// Returns as many pixels as the lesson's picture has, row by row, spread evenly over a picture.
pub fn spread(picture: &Picture) -> Vec<[u8; 3]> {
    // The middle of a part of the picture.
    let middle = |part: usize, parts: usize, length: u32| (2 * part as u32 + 1) * length / (2 * parts as u32);
    let places = (0..scene::HEIGHT).flat_map(|y| (0..scene::WIDTH).map(move |x| (x, y)));
    let pixel = |(x, y)| {
        let at = (middle(x, scene::WIDTH, picture.width()), middle(y, scene::HEIGHT, picture.height()));
        let [r, g, b, _] = codes(picture, at.0, at.1);
        [r, g, b]
    };
    places.map(pixel).collect()
}

/// Returns pixels of a picture, side by side, as the methods count them.
pub fn samples(picture: &Picture, (left, y): (u32, u32), bins: u32) -> Vec<Sample> {
    let sample = |x| {
        let [r, g, b, luminance] = codes(picture, x, y);
        Sample { rgb: [r, g, b], bin: (u32::from(luminance) * bins) >> 8 }
    };
    (left..picture.width().min(left + SAMPLES)).map(sample).collect()
}

/// Returns the positions of runs of pixels in some rows of the picture.
fn runs(picture: &Picture) -> impl Iterator<Item = (u32, u32)> {
    (0..ROWS).flat_map(move |row| {
        let y = row * picture.height() / ROWS;
        (0..picture.width() / SAMPLES).map(move |block| (block * SAMPLES, y))
    })
}

/// Returns the position of the first run of pixels worth showing: with this number of bins, they go to several, but
/// some share one. Otherwise returns the position of the first run that goes to the most bins.
pub fn telling(picture: &Picture, bins: u32) -> (u32, u32) {
    let mut most = (0, (0, 0));
    for at in runs(picture) {
        let mut found: Vec<u32> = samples(picture, at, bins).iter().map(|sample| sample.bin).collect();
        found.sort_unstable();
        found.dedup();
        match found.len() {
            3..=5 => return at,
            different if different > most.0 => most = (different, at),
            _ => {}
        }
    }
    most.1
}

/// Returns the position of the run of pixels with the greatest difference in luminance, among some rows of the picture.
pub fn contrasting(picture: &Picture) -> (u32, u32) {
    let spread = |at: (u32, u32)| {
        let codes = samples(picture, at, 256).into_iter().map(|sample| sample.bin);
        let (low, high) = codes.fold((u32::MAX, 0), |(low, high), code| (low.min(code), high.max(code)));
        high.saturating_sub(low)
    };
    let first_of_most = |(most, place), at| {
        let spread = spread(at);
        if spread > most { (spread, at) } else { (most, place) }
    };
    runs(picture).fold((0, (0, 0)), first_of_most).1
}

/// Returns a block of pixels, row by row, whose upper left corner is at the given position. Beyond the picture's edge,
/// the edge is repeated.
pub fn block(picture: &Picture, (left, top): (u32, u32), rows: u32) -> Vec<Vec<Sample>> {
    let row = |y: u32| {
        let y = y.min(picture.height() - 1);
        let sample = |x: u32| {
            let [r, g, b, luminance] = codes(picture, x.min(picture.width() - 1), y);
            Sample { rgb: [r, g, b], bin: luminance.into() }
        };
        (left..left + SAMPLES).map(sample).collect()
    };
    (top..top + rows).map(row).collect()
}
