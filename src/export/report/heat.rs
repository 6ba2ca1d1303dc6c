//! A panel's picture: its columns laid out over time.

use super::digest::Gathered;
use super::folding::ROWS;
use super::tone::{Panel, brightness, channel_color, mixed, ramp};
use crate::gpu::readback::Image;

/// A panel's picture of that width, the highest level at the top.
///
/// Time runs evenly whatever the frames' durations: each pixel shows the columns that lie in its share of the time, by
/// how much of it they take.
#[must_use]
pub fn heat_map(clip: &Gathered, panel: &Panel, width: usize) -> Image {
    let height = panel.height();
    let mut image = Image { width: width as u32, height: height as u32, rgba: vec![255; width * height * 4] };
    let mut shares = vec![0.0; panel.channels.len() * height];
    let mut first = 0;
    for x in 0..width {
        first = pixel_shares(clip, panel, (x, width), first, &mut shares);
        for y in 0..height {
            let row = height - 1 - y;
            let light = |index: usize| brightness(shares[index * height + row]);
            let color = match *panel.channels {
                [channel] => ramp(channel_color(clip.components, channel), light(0)),
                _ => mixed([light(0), light(1), light(2)]),
            };
            image.rgba[(y * width + x) * 4..][..3].copy_from_slice(&color);
        }
    }
    image
}

/// Fills in the shares of the column of pixels `x` of `width`, channel by channel and from the lowest level up. `first`
/// is the first column of frames that can lie in it; the same for the next column of pixels is returned.
fn pixel_shares(clip: &Gathered, panel: &Panel, (x, width): (usize, usize), first: usize, shares: &mut [f64]) -> usize {
    shares.fill(0.0);
    let columns = clip.columns.as_slice();
    let length = clip.end_secs - clip.begin_secs;
    let time_at = |x: usize| clip.begin_secs + length * x as f64 / width as f64;
    let (begin, end) = (time_at(x), time_at(x + 1));
    let mut next = first;
    for (index, column) in columns.iter().enumerate().skip(first) {
        let column_end = clip.column_end_secs(index);
        if column.begin_secs >= end {
            break;
        }
        if column_end <= begin && index + 1 < columns.len() {
            next = index + 1;
            continue;
        }
        let overlap = (column_end.min(end) - column.begin_secs.max(begin)).max(0.0);
        let part = overlap / (end - begin);
        for (channel, shares) in panel.channels.iter().zip(shares.chunks_mut(panel.height())) {
            let rows = &column.cells[channel * ROWS..][..ROWS];
            let count = rows.iter().sum::<u64>().max(1) as f64;
            for (share, levels) in shares.iter_mut().zip(rows.chunks(panel.levels_per_row)) {
                *share += part * levels.iter().sum::<u64>() as f64 / count;
            }
        }
    }
    next
}

#[cfg(test)]
mod tests {
    use super::super::digest::{Digest, FramePlace};
    use super::super::tone::panels;
    use super::*;
    use crate::histogram::{Components, Histogram};
    use crate::picture::color::Range;

    /// Frames with all samples at one level each; `(level, begin, end)`.
    fn clip(frames: &[(usize, f64, f64)]) -> Gathered {
        let mut digest = Digest::new(Components::Rgbl, 0.03);
        for (&(level, begin, end), number) in frames.iter().zip(0..) {
            let mut histogram = Histogram::empty(8, Components::Rgbl);
            for channel in 0..4 {
                histogram.bins_mut(channel)[level] = 1000;
            }
            let place = FramePlace { number, time_secs: begin, duration_secs: end - begin, range: Range::Full };
            digest.add(place, &histogram);
        }
        digest.finish().unwrap()
    }

    fn lit(image: &Image, x: usize) -> Vec<usize> {
        let pixel = |y: usize| &image.rgba[(y * image.width as usize + x) * 4..][..3];
        (0..image.height as usize).filter(|&y| pixel(y).iter().any(|c| *c > 0)).collect()
    }

    #[test]
    fn time_runs_evenly_and_levels_rise() {
        let clip = clip(&[(0, 0.0, 1.0), (255, 1.0, 4.0), (100, 4.0, 8.0)]);
        let luminance = heat_map(&clip, &panels(Components::Rgbl)[0], 80);
        for x in 0..80 {
            let expected = match x {
                0..10 => 255,
                10..40 => 0,
                _ => 155,
            };
            assert_eq!(lit(&luminance, x), [expected], "column {x}");
        }
        let red = heat_map(&clip, &panels(Components::Rgbl)[2], 8);
        assert_eq!((red.height, lit(&red, 0), lit(&red, 1), lit(&red, 7)), (128, vec![127], vec![0], vec![77]));
    }

    #[test]
    fn a_pixel_shows_every_column_in_its_time() {
        let clip = clip(&[(10, 0.0, 1.0), (20, 1.0, 2.0), (30, 2.0, 3.0), (40, 3.0, 4.0)]);
        let image = heat_map(&clip, &panels(Components::Rgbl)[0], 2);
        assert_eq!((lit(&image, 0), lit(&image, 1)), (vec![235, 245], vec![215, 225]));
    }
}
