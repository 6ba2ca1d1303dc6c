//! The summed histogram beside a panel and the strips below: their values, before anybody draws them.

use super::digest::Gathered;
use super::folding::{ROWS, Strip};
use super::tone::Panel;

/// Bars of a summed histogram are cut off at so many times the mean bar, as the overlay's are.
const CLIP_FACTOR: f64 = 5.0;

/// A bar of a summed histogram.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Bar {
    /// Its length, from 0 to 1.
    pub length: f64,
    /// Whether it would be longer and is cut off.
    pub clipped: bool,
}

/// The summed histogram of a panel: for each of its channels a bar for each row of its pixels, the lowest level first.
///
/// As in the overlay, the longest bar of a channel touches the edge, unless it is so long that it would flatten the
/// rest; then bars are cut off at five times the mean.
#[must_use]
pub fn side(clip: &Gathered, panel: &Panel) -> Vec<Vec<Bar>> {
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

/// A figure of the strips over the time, in `width` steps: the largest of the frames that lie in each.
#[must_use]
pub fn strip(clip: &Gathered, width: usize, figure: impl Fn(&Strip) -> f64) -> Vec<f64> {
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

/// The top of a strip's scale: a round number that no value exceeds, and `least` at the least.
#[must_use]
pub fn round_top(values: impl IntoIterator<Item = f64>, least: f64) -> f64 {
    let largest = values.into_iter().fold(least, f64::max);
    let decade = 10_f64.powf(largest.log10().floor());
    let steps = [1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    steps.into_iter().map(|step| step * decade).find(|top| *top >= largest * 0.999_999).unwrap_or(largest)
}

#[cfg(test)]
mod tests {
    use super::super::digest::{Digest, FramePlace};
    use super::super::tone::panels;
    use super::*;
    use crate::histogram::{Components, Histogram};
    use crate::picture::color::Range;

    fn clip(frames: u64) -> Gathered {
        let mut digest = Digest::new(Components::Rgbl, 0.03);
        for number in 0..frames {
            let mut histogram = Histogram::empty(8, Components::Rgbl);
            histogram.bins_mut(3).fill(1);
            histogram.bins_mut(3)[200] = 4;
            histogram.bins_mut(0)[0] = 100;
            histogram.bins_mut(0)[255] = if number == 7 { 100 } else { 0 };
            let place = FramePlace { number, time_secs: number as f64, duration_secs: 1.0, range: Range::Full };
            digest.add(place, &histogram);
        }
        digest.finish().unwrap()
    }

    #[test]
    fn the_side_is_scaled_like_the_overlay() {
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
    fn a_strip_shows_the_largest_value_in_its_place() {
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
}
