//! The plain images of a report: a panel's columns over time, the summed histogram next to it, and the strips below.

use super::clip::{Clip, Strip};
use super::content::Report;
use super::scopes::{TraceLine, lines_of};
use super::tone::Panel;
use histoscope_core::strip::{ROWS, brightness, channel_color, mixed, ramp};
use histoscope_render::gpu::readback::Image;

/// Bars of a summed histogram are cut off at this multiple of the mean bar, as in the overlay.
const CLIP_FACTOR: f64 = 5.0;

/// Draws a panel's heat map with this width and the highest level at the top.
///
/// The time axis is linear, whatever the frames' durations: each pixel shows the columns that overlap its span of time,
/// weighted by overlap.
#[must_use]
pub fn heat_map(clip: &Clip, panel: &Panel, width: usize) -> Image {
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

/// Computes the shares for the column of pixels `x` of `width`, channel by channel from the lowest level upwards.
/// `first` is the index of the first clip column that can overlap it. Returns that index for the next column of pixels.
fn pixel_shares(clip: &Clip, panel: &Panel, (x, width): (usize, usize), first: usize, shares: &mut [f64]) -> usize {
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

/// A label on a panel's level axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// Position of the level, from 0 at the bottom to 1 at the top.
    pub place: f64,
    /// The value with its unit, which light has at the top only.
    pub value: String,
    /// The code.
    pub code: u32,
}

/// Height in pixels that a label takes.
const LABEL_HEIGHT: f64 = 16.0;

/// Returns the labels of a panel's level axis: light in cd/m² if it is known, otherwise quarters or halves of the scale
/// in percent.
#[must_use]
pub fn panel_levels(report: &Report, panel: &Panel) -> Vec<Level> {
    let scale = report.scale(panel.channels[0]);
    if scale.light().is_some() {
        let lines = lines_of(scale, LABEL_HEIGHT / panel.height() as f64).into_iter();
        let level = |TraceLine { place, label, unit, .. }| {
            label.map(|(value, code)| Level { place, value: format!("{value}{unit}"), code })
        };
        return lines.filter_map(level).collect();
    }
    let bins = 1_u32 << report.clip.bits;
    let parts = if panel.levels_per_row == 1 { 4 } else { 2 };
    let level = |part| Level {
        place: f64::from(part) / f64::from(parts),
        value: format!("{} %", 100 * part / parts),
        code: if part == parts { bins - 1 } else { bins / parts * part },
    };
    (0..=parts).map(level).collect()
}

/// A bar of a summed histogram.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Bar {
    /// Length of the bar, from 0 to 1.
    pub length: f64,
    /// `true` if the bar was cut off.
    pub clipped: bool,
}

/// Returns the summed histogram of a panel: for each of its channels, one bar per row of pixels, lowest level first.
///
/// As in the overlay, the longest bar of a channel touches the edge. If it is so long that it would flatten the rest,
/// bars are cut off at five times the mean instead.
#[must_use]
pub fn side(clip: &Clip, panel: &Panel) -> Vec<Vec<Bar>> {
    let total = clip.columns.total();
    let bars = |channel: &usize| {
        let levels = &total[channel * ROWS..][..ROWS];
        let rows: Vec<u64> = levels.chunks(panel.levels_per_row).map(|levels| levels.iter().sum()).collect();
        let mean = rows.iter().sum::<u64>() as f64 / rows.len() as f64;
        let longest = rows.iter().copied().max().unwrap_or(0) as f64;
        let full = longest.min(mean * CLIP_FACTOR).max(1.0);
        rows.iter().map(|&row| Bar { length: (row as f64 / full).min(1.0), clipped: row as f64 > full }).collect()
    };
    panel.channels.iter().map(bars).collect()
}

/// Returns a figure of the strips over time in `width` steps. Each step has the maximum over its frames.
#[must_use]
pub fn strip(clip: &Clip, width: usize, figure: impl Fn(&Strip) -> f64) -> Vec<f64> {
    let mut values = vec![0.0_f64; width];
    for (index, column) in clip.columns.as_slice().iter().enumerate() {
        let at = |secs: f64| clip.part_of(secs) * width as f64;
        let first = (at(column.begin_secs).floor() as usize).min(width - 1);
        let end = (at(clip.column_end_secs(index)).ceil() as usize).clamp(first + 1, width);
        for value in &mut values[first..end] {
            *value = value.max(figure(&column.strip));
        }
    }
    values
}

/// Returns the top of a strip's scale: a round number that is at least `least` and all values.
#[must_use]
pub fn round_top(values: impl IntoIterator<Item = f64>, least: f64) -> f64 {
    let largest = values.into_iter().fold(least, f64::max);
    let decade = 10_f64.powf(largest.log10().floor());
    let steps = [1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    steps.into_iter().map(|step| step * decade).find(|top| *top >= largest * 0.999_999).unwrap_or(largest)
}

#[cfg(test)]
mod tests {
    use super::super::clip::{ClipBuilder, FramePlace, SoundLevels};
    use super::super::tone::panels;
    use super::*;
    use histoscope_core::histogram::{Components, Histogram};
    use histoscope_core::picture::color::Range;

    fn clip(frames: u64) -> Clip {
        let mut clip = ClipBuilder::new(Components::Rgbl, 0.03);
        for number in 0..frames {
            let mut histogram = Histogram::empty(8, Components::Rgbl);
            histogram.bins_mut(3).fill(1);
            histogram.bins_mut(3)[200] = 4;
            histogram.bins_mut(0)[0] = 100;
            histogram.bins_mut(0)[255] = if number == 7 { 100 } else { 0 };
            let place = FramePlace {
                number,
                time_secs: number as f64,
                duration_secs: 1.0,
                range: Range::Full,
                timecode: None,
                difference: None,
                sound: SoundLevels::default(),
            };
            clip.add(place, &histogram);
        }
        clip.finish().unwrap()
    }

    #[test]
    fn the_side_histogram_is_scaled_like_the_overlay() {
        let clip = clip(20);
        let luminance = &side(&clip, &panels(Components::Rgbl)[0])[0];
        assert_eq!(
            (luminance[200], luminance[0]),
            (Bar { length: 1.0, clipped: false }, Bar { length: 0.25, clipped: false })
        );
        let red = &side(&clip, &panels(Components::Rgbl)[2])[0];
        assert_eq!(
            (red[0], red[1].length),
            (Bar { length: 1.0, clipped: true }, 0.0),
            "cut off at five times the mean"
        );
    }

    #[test]
    fn a_strip_shows_the_maximum_at_its_time() {
        let clip = clip(20);
        let narrow = strip(&clip, 4, |strip| strip.highest);
        assert_eq!(narrow.iter().map(|v| *v > 0.0).collect::<Vec<_>>(), [false, true, false, false]);
        let wide = strip(&clip, 200, |strip| strip.highest);
        let lit: Vec<usize> = (0..200).filter(|x| wide[*x] > 0.0).collect();
        assert_eq!(lit, (70..80).collect::<Vec<_>>());
        assert_eq!(wide[75], 0.5);
    }

    #[test]
    fn scales_end_at_round_numbers() {
        assert_eq!(round_top([0.0, 0.012, 0.017], 0.001), 0.02);
        assert_eq!(round_top([], 0.05), 0.05);
        assert!((round_top([0.99], 0.05) - 1.0).abs() < 1e-12);
    }

    /// Returns a clip of frames, each with all samples at one level, from `(level, begin, end)`.
    fn clip_of(frames: &[(usize, f64, f64)]) -> Clip {
        let mut clip = ClipBuilder::new(Components::Rgbl, 0.03);
        for (&(level, begin, end), number) in frames.iter().zip(0..) {
            let mut histogram = Histogram::empty(8, Components::Rgbl);
            for channel in 0..4 {
                histogram.bins_mut(channel)[level] = 1000;
            }
            let place = FramePlace {
                number,
                time_secs: begin,
                duration_secs: end - begin,
                range: Range::Full,
                timecode: None,
                difference: None,
                sound: SoundLevels::default(),
            };
            clip.add(place, &histogram);
        }
        clip.finish().unwrap()
    }

    fn lit(image: &Image, x: usize) -> Vec<usize> {
        let pixel = |y: usize| &image.rgba[(y * image.width as usize + x) * 4..][..3];
        (0..image.height as usize).filter(|&y| pixel(y).iter().any(|c| *c > 0)).collect()
    }

    #[test]
    fn time_is_linear_and_levels_rise() {
        let clip = clip_of(&[(0, 0.0, 1.0), (255, 1.0, 4.0), (100, 4.0, 8.0)]);
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
    fn a_pixel_shows_every_column_it_overlaps() {
        let clip = clip_of(&[(10, 0.0, 1.0), (20, 1.0, 2.0), (30, 2.0, 3.0), (40, 3.0, 4.0)]);
        let image = heat_map(&clip, &panels(Components::Rgbl)[0], 2);
        assert_eq!((lit(&image, 0), lit(&image, 1)), (vec![235, 245], vec![215, 225]));
    }
}
