//! A strip as a picture, with one column of pixels per column and the highest level at the top. Brightness represents
//! the share of a frame's samples, as in reports.

use super::cells::ROWS;
use super::columns::{COLUMNS, Strip, StripColumn};
use super::light::{brightness, channel_color, mixed, ramp};
use crate::histogram::Components;

/// The opacity of a column that is not yet exact.
const PALE: u8 = 110;

/// The channels to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownChannels {
    /// Luminance.
    Luminance,
    /// The selected channels of red, green and blue, added together.
    Colors([bool; 3]),
}

/// The picture of a strip, of which only changed columns are redrawn.
#[derive(Debug, Clone)]
pub struct Raster {
    height: usize,
    shown: ShownChannels,
    /// The strip's identifier.
    strip: Option<u64>,
    /// The strip's number of changes at the last update.
    changes: u64,
    /// Red, green, blue and opacity of each pixel, not premultiplied, [`COLUMNS`] pixels per row.
    rgba: Vec<u8>,
}

impl Raster {
    /// Creates an empty picture. Its height in pixels is clamped to 1 to [`ROWS`].
    #[must_use]
    pub fn new(height: usize, shown: ShownChannels) -> Self {
        let height = height.clamp(1, ROWS);
        Self { height, shown, strip: None, changes: 0, rgba: vec![0; COLUMNS * height * 4] }
    }

    /// Returns `true` if the picture shows this strip at this height with these channels.
    #[must_use]
    pub fn is(&self, strip: &Strip, height: usize, shown: ShownChannels) -> bool {
        self.strip == Some(strip.id()) && self.height == height.clamp(1, ROWS) && self.shown == shown
    }

    /// Returns the height in pixels.
    #[must_use]
    pub const fn height(&self) -> usize {
        self.height
    }

    /// Returns red, green, blue and opacity of each pixel, not premultiplied, [`COLUMNS`] pixels per row.
    #[must_use]
    pub fn rgba(&self) -> &[u8] {
        &self.rgba
    }

    /// Redraws the columns that have changed, or all if the strip is a different one. Returns `true` if anything
    /// changed. A column in which no frame begins shows the previous one, whose frame is still on screen.
    pub fn follow(&mut self, strip: &Strip) -> bool {
        if self.strip != Some(strip.id()) {
            *self = Self { strip: Some(strip.id()), ..Self::new(self.height, self.shown) };
        }
        if strip.changes() == self.changes {
            return false;
        }
        let mut source: Option<usize> = None;
        for at in 0..COLUMNS {
            match &strip.columns()[at] {
                StripColumn::Unseen => source = None,
                column if column.cells().frames() > 0 => source = Some(at),
                _ => {}
            }
            let source_changed = source.map_or(0, |source| strip.changed(source));
            // A column without frames shows the one before it, so a change there affects it, too.
            if strip.changed(at).max(source_changed) > self.changes {
                self.draw(strip, at, source);
            }
        }
        self.changes = strip.changes();
        true
    }

    fn draw(&mut self, strip: &Strip, at: usize, source: Option<usize>) {
        let opacity = match (&strip.columns()[at], source) {
            (_, None) | (StripColumn::Unseen, _) => 0,
            (StripColumn::Counted(_), _) => 255,
            (StripColumn::Glimpsed(_), _) => PALE,
        };
        let counts = source.map_or(&[][..], |source| strip.columns()[source].cells().counts());
        let light = |channel: usize| light_of(counts, channel, self.height);
        let lights: [Vec<f64>; 3] = match self.shown {
            ShownChannels::Luminance => [light(3), Vec::new(), Vec::new()],
            ShownChannels::Colors(on) => [0, 1, 2].map(|channel| if on[channel] { light(channel) } else { Vec::new() }),
        };
        let of = |channel: usize, row: usize| lights[channel].get(row).copied().unwrap_or(0.0);
        for row in 0..self.height {
            let color = match self.shown {
                ShownChannels::Luminance => ramp(channel_color(Components::Rgbl, 3), of(0, row)),
                ShownChannels::Colors(_) => mixed([of(0, row), of(1, row), of(2, row)]),
            };
            let pixel = ((self.height - 1 - row) * COLUMNS + at) * 4;
            self.rgba[pixel..pixel + 3].copy_from_slice(&color);
            self.rgba[pixel + 3] = opacity;
        }
    }
}

/// Returns the brightness of a channel in each of `height` rows, from the lowest levels up.
fn light_of(counts: &[u64], channel: usize, height: usize) -> Vec<f64> {
    let Some(levels) = counts.get(channel * ROWS..(channel + 1) * ROWS) else { return Vec::new() };
    let all = levels.iter().sum::<u64>().max(1) as f64;
    let mut sums = vec![0_u64; height];
    for (level, count) in levels.iter().enumerate() {
        sums[level * height / ROWS] += count;
    }
    sums.into_iter().map(|sum| if sum == 0 { 0.0 } else { brightness(sum as f64 / all) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strip::{CELLS, Cells};

    /// Returns the cells of a frame with all samples at one level.
    fn frame(level: usize) -> Vec<u64> {
        let mut cells = vec![0; CELLS];
        for channel in 0..4 {
            cells[channel * ROWS + level] = 1000;
        }
        cells
    }

    fn pixel(raster: &Raster, x: usize, y: usize) -> [u8; 4] {
        let at = (y * COLUMNS + x) * 4;
        raster.rgba()[at..at + 4].try_into().unwrap()
    }

    /// Returns the rows of a column of pixels that are not black, and its opacity.
    fn lit(raster: &Raster, x: usize) -> (Vec<usize>, u8) {
        let rows = (0..raster.height()).filter(|&y| pixel(raster, x, y)[..3] != [0; 3]);
        (rows.collect(), pixel(raster, x, 0)[3])
    }

    #[test]
    fn a_different_strip_is_drawn_from_scratch_even_with_as_many_changes() {
        let kept = |levels: std::ops::Range<usize>| {
            let mut columns = vec![Cells::default(); COLUMNS];
            for (column, level) in levels.enumerate() {
                columns[column].add(&frame(level));
            }
            Strip::of(9.0, columns, Vec::new(), Vec::new()).unwrap()
        };
        let (first, second) = (kept(200..209), kept(7..11));
        assert_eq!(first.changes(), second.changes());
        let mut raster = Raster::new(ROWS, ShownChannels::Luminance);
        raster.follow(&first);
        assert!(
            raster.is(&first, ROWS, ShownChannels::Luminance) && !raster.is(&second, ROWS, ShownChannels::Luminance)
        );
        let mut fresh = Raster::new(ROWS, ShownChannels::Luminance);
        fresh.follow(&second);
        assert!(raster.follow(&second));
        assert!(raster.rgba() == fresh.rgba());
    }

    #[test]
    fn levels_rise_and_inexact_columns_are_paler() {
        let mut strip = Strip::new(1024.0).unwrap();
        strip.glimpse(10.0, &frame(0));
        strip.glimpse(500.0, &frame(255));
        let mut raster = Raster::new(64, ShownChannels::Luminance);
        assert!(raster.follow(&strip) && !raster.follow(&strip));
        assert_eq!(lit(&raster, 9), (vec![], 0), "nothing is known of what comes before the first frame");
        assert_eq!(lit(&raster, 10), (vec![63], PALE));
        assert_eq!(lit(&raster, 499), (vec![63], PALE), "the frame is on screen still");
        assert_eq!(lit(&raster, 500), (vec![0], PALE));
        let mut cells = Cells::default();
        cells.add(&frame(128));
        strip.complete(10, cells);
        strip.complete(11, Cells::default());
        assert!(raster.follow(&strip));
        assert_eq!([10, 11, 12].map(|x| lit(&raster, x)), [(vec![31], 255), (vec![31], 255), (vec![31], PALE)]);
        let mut afresh = Raster::new(64, ShownChannels::Luminance);
        afresh.follow(&strip);
        assert_eq!(afresh.rgba(), raster.rgba(), "changes are drawn as the whole is");
    }

    #[test]
    fn colors_are_added_together() {
        let mut strip = Strip::new(1.0).unwrap();
        strip.glimpse(0.0, &frame(255));
        for (on, expected) in [([true; 3], [255, 255, 255]), ([true, false, false], [255, 0, 0]), ([false; 3], [0; 3])]
        {
            let mut raster = Raster::new(256, ShownChannels::Colors(on));
            raster.follow(&strip);
            assert_eq!(pixel(&raster, 7, 0)[..3], expected, "{on:?}");
        }
        assert_eq!(Raster::new(9999, ShownChannels::Luminance).height(), 256);
    }
}
