//! Helpers for reading a drawn image.

use histoscope_render::gpu::readback::Image;

/// Returns red, green and blue of a pixel.
pub fn pixel(image: &Image, x: u32, y: u32) -> [u8; 3] {
    let at = (y * image.width + x) as usize * 4;
    [image.rgba[at], image.rgba[at + 1], image.rgba[at + 2]]
}

/// Returns the largest difference of any sample in these columns of two images.
pub fn distance_in(a: &Image, b: &Image, columns: std::ops::Range<u32>) -> u8 {
    assert_eq!((a.width, a.height), (b.width, b.height));
    let row = 4 * a.width as usize;
    let part = 4 * columns.start as usize..4 * columns.end as usize;
    let rows = a.rgba.chunks_exact(row).zip(b.rgba.chunks_exact(row));
    rows.flat_map(|(a, b)| a[part.clone()].iter().zip(&b[part.clone()])).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0)
}

/// Returns the largest difference of any sample.
pub fn distance(a: &Image, b: &Image) -> u8 {
    distance_in(a, b, 0..a.width)
}
