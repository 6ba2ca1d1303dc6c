//! The expected look of a panel by definition: every bar, clip indicator and colour.

use histoscope_core::histogram::{Components, Histogram, regroup, vertical_scale};
use histoscope_render::gpu::readback::Image;
use histoscope_render::view::clip_indicators::{self, End};
use histoscope_render::view::overlay::{
    BAR_OPACITY, BarScale, Channels, OverlapTable, Overlaps, SCRIM_OPACITY, colors, graticule, lights, line_pixels,
};
use histoscope_render::view::panel::PanelRect;
use histoscope_render::view::scene::Scene;

use crate::support::image::pixel;

/// Returns the rows that a bar reaches, and true if it is clipped, by definition.
fn bar(bins: &[u32], (first, last): (u32, u32), rows: u32, scale: BarScale) -> (u32, bool) {
    let most = bins[first as usize..=last as usize].iter().copied().max().unwrap();
    if most == 0 {
        return (0, false);
    }
    let tallest = bins.iter().copied().max().unwrap();
    let part = match scale {
        BarScale::Tutorial => f64::from(most) * f64::from(vertical_scale(bins)),
        BarScale::Peak => f64::from(most) / f64::from(tallest),
        BarScale::Logarithmic => f64::from(most).ln_1p() / f64::from(tallest).ln_1p(),
    };
    let reached = (part * f64::from(rows) + 0.5) as u32;
    (reached.clamp(1, rows), part > 1.0001)
}

pub fn is_near(a: [u8; 3], b: [u8; 3]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.abs_diff(b) <= 1)
}

/// Returns the colour of a set of bars over black.
fn over_black(components: Components, set: usize) -> [u8; 3] {
    let [r, g, b, _] = colors(components)[set];
    [r, g, b].map(|part| (part * 255.0).round() as u8)
}

/// Returns the colour of a set of bars over black, from the table.
fn tabled(table: &OverlapTable, set: usize) -> [u8; 3] {
    let opacity = if set == 0 { SCRIM_OPACITY } else { BAR_OPACITY };
    table.0[set].map(|part| (f32::from(part) * opacity).round() as u8)
}

/// Returns true if the graticule has a line within two pixels, which are not compared.
fn is_near_a_line(rect: &PanelRect, column: u32, row: u32, bits: u32) -> bool {
    let vertical = graticule(bits).iter().any(|&code| {
        let (first, last) = rect.columns_of_bin(code, 1 << bits);
        column + 3 >= (first + last) / 2 && column <= (first + last) / 2 + 3
    });
    vertical || (1..4).any(|quarter| row.abs_diff(rect.height * quarter / 4) <= 3)
}

/// A clip indicator with its dark edge.
pub struct Lit(PanelRect, u32);

impl Lit {
    fn contains(&self, x: u32, y: u32) -> bool {
        let Self(indicator, line) = self;
        (indicator.left.saturating_sub(*line)..indicator.left + indicator.width + line).contains(&x)
            && (indicator.top.saturating_sub(*line)..indicator.top + indicator.height + line).contains(&y)
    }
}

/// Checks that clip indicators are lit in their channels' colours if more than a thousandth of the samples have the
/// outermost code. Returns the lit ones.
pub fn check_indicators(image: &Image, histogram: &Histogram, rect: PanelRect, channels: Channels) -> Vec<Lit> {
    if clip_indicators::side(&rect) == 0 {
        return Vec::new();
    }
    let line = line_pixels((image.width, image.height));
    let mut lit = Vec::new();
    for (place, channel) in (0..).zip(channels.iter()) {
        let bins = histogram.bins(channel);
        let samples = bins.iter().map(|&bin| u64::from(bin)).sum::<u64>();
        for (end, outermost) in [(End::Lowest, bins[0]), (End::Highest, bins[bins.len() - 1])] {
            let indicator = clip_indicators::indicator(&rect, end, place, line);
            if !clip_indicators::is_lit(outermost.into(), samples) {
                continue;
            }
            let expected = lights(histogram.components)[channel].map(|part| (part * 255.0).round() as u8);
            for (x, y) in (0..indicator.height).flat_map(|y| (0..indicator.width).map(move |x| (x, y))) {
                let shown = pixel(image, indicator.left + x, indicator.top + y);
                assert!(is_near(shown, expected), "{end:?} indicator of {channel}: {shown:?}, not {expected:?}");
            }
            lit.push(Lit(indicator, line));
        }
    }
    lit
}

/// The line of luminance over the bars of the colours.
struct Trace {
    /// Height of each bin, or of each column if there are more bins than columns, in pixels.
    heights: Vec<f64>,
    columns: u32,
}

impl Trace {
    fn new(bins: &[u32], rect: &PanelRect, scale: BarScale) -> Self {
        let places = rect.width.min(bins.len() as u32);
        let tallest = f64::from(bins.iter().copied().max().unwrap());
        let height = |place: u32| {
            let here = if rect.width >= bins.len() as u32 {
                (place, place)
            } else {
                rect.bins_of_column(place, bins.len() as u32)
            };
            let most = f64::from(bins[here.0 as usize..=here.1 as usize].iter().copied().max().unwrap());
            let part = match scale {
                BarScale::Tutorial => most * f64::from(vertical_scale(bins)),
                BarScale::Peak => most / tallest,
                BarScale::Logarithmic => most.ln_1p() / tallest.ln_1p(),
            };
            part.min(1.0) * f64::from(rect.height)
        };
        Self { heights: (0..places).map(height).collect(), columns: rect.width }
    }

    /// Returns the lowest and the highest row of the line in a column. It runs straight between the middles of its
    /// places.
    fn rows(&self, column: u32) -> (f64, f64) {
        let last = self.heights.len() - 1;
        let height = |x: f64| {
            let at = (x * self.heights.len() as f64 / f64::from(self.columns) - 0.5).clamp(0.0, last as f64);
            let (low, part) = (at as usize, at.fract());
            self.heights[low] * (1.0 - part) + self.heights[(low + 1).min(last)] * part
        };
        let around = (-8..=8).map(|step| height(f64::from(column) + 0.5 + f64::from(step) * 0.25));
        // It bends in the middles, which may lie between these positions.
        let middle = |place: usize| (place as f64 + 0.5) * f64::from(self.columns) / self.heights.len() as f64;
        let is_near = |place: &usize| (middle(*place) - f64::from(column) - 0.5).abs() <= 2.0;
        let bends = (0..=last).filter(is_near).map(|place| self.heights[place]);
        around.chain(bends).fold((f64::MAX, 0.0), |(low, high), height| (low.min(height), high.max(height)))
    }
}

/// Compares a panel's pixels with its bins. Returns the number of clipped bars and of compared pixels.
pub fn check_panel(
    image: &Image,
    histogram: &Histogram,
    scene: &Scene,
    rect: PanelRect,
    channels: Channels,
) -> (usize, usize) {
    let (bits, components) = (histogram.bits, histogram.components);
    let scale = scene.look.histograms.scale;
    let notch = (rect.height * 5 / 100).clamp(6, 18);
    let cap = notch / 3;
    let indicators = check_indicators(image, histogram, rect, channels);
    let (mut clipped_bars, mut compared) = (0, 0);
    let count = scene.look.histograms.bins.unwrap_or(1 << bits);
    let drawn: Vec<_> = (0..4).map(|channel| regroup(histogram.bins(channel), count)).collect();
    // With colours that mix as light, luminance is a line.
    let is_traced = components == Components::Rgbl
        && scene.look.histograms.overlaps == Overlaps::Light
        && channels.contains(3)
        && channels.bits() != 1 << 3;
    let trace = is_traced.then(|| Trace::new(&drawn[3], &rect, scale));
    let (mut traced, mut light_ones) = (0, 0);
    let bars_of = |column: u32| -> Vec<_> {
        let bins = rect.bins_of_column(column, count);
        let barred = channels.iter().filter(|&channel| !(is_traced && channel == 3));
        barred.map(|channel| (channel, bar(&drawn[channel], bins, rect.height, scale))).collect()
    };
    let columns: Vec<_> = (0..rect.width).map(bars_of).collect();
    let is_cut_off: Vec<bool> = columns.iter().map(|bars| bars.iter().any(|&(_, (_, clipped))| clipped)).collect();
    for (column, bars) in (0_u32..).zip(columns) {
        let is_clipped = is_cut_off[column as usize];
        let near = column.saturating_sub(cap)..=(column + cap).min(rect.width - 1);
        let is_capped = is_cut_off[*near.start() as usize..=*near.end() as usize].contains(&true);
        clipped_bars += usize::from(is_clipped);
        let line = trace.as_ref().map(|trace| trace.rows(column));
        if let Some((low, high)) = line.filter(|(low, high)| *low > 6.0 && *high < f64::from(rect.height - notch) - 4.0)
        {
            // White bars would be as light as the line.
            let is_white = |row: u32| bars.iter().filter(|&&(_, (height, _))| row < height + 2).count() == 3;
            let rows = low as u32..=high as u32;
            if !rows.clone().any(is_white) {
                let brightest = rows.map(|row| pixel(image, rect.left + column, rect.top + rect.height - 1 - row));
                traced += 1;
                light_ones += usize::from(brightest.into_iter().any(|shown| shown.iter().all(|&part| part > 140)));
            }
        }
        for row in 0..rect.height {
            let from_top = rect.height - 1 - row;
            if indicators.iter().any(|indicator| indicator.contains(column + rect.left, from_top + rect.top)) {
                continue;
            }
            if line.is_some_and(|(low, high)| (low - 4.0..=high + 4.0).contains(&f64::from(row))) {
                continue;
            }
            let shown = pixel(image, rect.left + column, rect.top + from_top);
            if is_capped && from_top < cap {
                assert_eq!(shown, [255; 3], "a light cap lies over a clipped bar; column {column}, row {row}");
                continue;
            }
            if is_clipped && from_top < notch {
                assert!(shown.iter().all(|&part| part < 60), "below it is a dark gap; column {column}, row {row}");
                continue;
            }
            // A logarithm or a quotient may round to the next row.
            let close = |height: u32| scale != BarScale::Tutorial && row.abs_diff(height) <= 1;
            if is_near_a_line(&rect, column, row, bits) || bars.iter().any(|&(_, (height, _))| close(height)) {
                continue;
            }
            let reached = bars.iter().filter(|&&(_, (height, _))| row < height);
            let set = reached.map(|&(channel, _)| 1 << channel).sum();
            let expected = match scene.look.histograms.overlaps {
                Overlaps::Light => over_black(components, set),
                Overlaps::Table => tabled(&scene.look.histograms.overlap_table, set),
            };
            assert!(is_near(shown, expected), "{scene:?}: column {column}, row {row}: {shown:?}, not {expected:?}");
            compared += 1;
        }
    }
    assert!(light_ones * 20 >= traced * 19, "{scene:?}: {light_ones} of {traced} columns have the line");
    // At the other scales, most bins are a few rows high.
    assert!(!is_traced || traced > 0 || scale != BarScale::Logarithmic, "{scene:?}: no column shows the line");
    (clipped_bars, compared)
}
