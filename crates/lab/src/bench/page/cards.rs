//! A card for each method: a description, its counts, and its times.

use std::fmt::Write;

use super::tables::{ratio, time};
use crate::ChannelSet;
use crate::bench::report::{MethodBins, MethodRow, Report};

/// The most columns of a drawn histogram.
const MAX_COLUMNS: usize = 512;
/// Colours of red, green, blue and luminance.
const COLORS: [&str; 4] = ["#e5484d", "#3fb950", "#3b82f6", "#8b8b8b"];

/// The card of one method.
pub struct MethodCard {
    pub name: &'static str,
    pub title: &'static str,
    pub explanation: &'static str,
    pub charts: Vec<Chart>,
    /// Names and values.
    pub facts: Vec<(String, String)>,
}

impl MethodCard {
    /// Returns `true` if the card has more than one drawing.
    pub fn is_wide(&self) -> bool {
        self.charts.len() > 1
    }
}

/// The drawing of one run's counts.
pub struct Chart {
    pub columns: usize,
    pub bars: Vec<ChannelBars>,
    /// Outlines of the correct bins.
    pub right: Vec<String>,
    pub caption: String,
    pub exact: bool,
}

/// The bars of a channel.
pub struct ChannelBars {
    pub path: String,
    pub color: &'static str,
}

/// Makes the cards of the methods that counted four channels.
pub fn of(run: &Report) -> Vec<MethodCard> {
    let rows = || run.rows.iter().filter(|row| row.channels == ChannelSet::Four && !row.counted.is_empty());
    rows().map(|row| card(row, &right_of(row, rows()))).collect()
}

/// Returns the correct bins for a method: its own, or those of a row that counted the same pixels, whichever are exact.
fn right_of<'a>(row: &MethodRow, mut rows: impl Iterator<Item = &'a MethodRow>) -> Vec<Vec<u32>> {
    let right = rows.find_map(|other| {
        let same = other.size == row.size
            && !other.method.races()
            && other.method.reads_texture() == row.method.reads_texture();
        other.counted.first().filter(|counted| same && counted.check.exact)
    });
    let own = row.counted.first().filter(|counted| counted.check.exact);
    own.or(right).map(|counted| counted.bins.clone()).unwrap_or_default()
}

fn card(row: &MethodRow, right: &[Vec<u32>]) -> MethodCard {
    let count = row.counted.len();
    let charts = row.counted.iter().enumerate().map(|(index, counted)| {
        let caption = match (count, counted.check.exact) {
            (1, true) => "every bin is correct".to_owned(),
            (1, false) => counted.check.to_string(),
            (_, true) => format!("run {}: every bin is correct", index + 1),
            (_, false) => format!("run {}: {}", index + 1, counted.check.to_string().trim_start_matches("no: ")),
        };
        chart(counted, right, caption)
    });
    let mut facts: Vec<(String, String)> = Vec::new();
    facts.extend(row.times.map(|times| ("median".to_owned(), time(times.median_us))));
    let passes = row.passes.iter().map(|pass| (pass.name.to_owned(), time(pass.times.median_us)));
    facts.extend(passes);
    facts.extend(row.of_loop.map(|of| ("× loop".to_owned(), ratio(of))));
    facts.extend(row.of_floor.map(|of| ("× floor".to_owned(), ratio(of))));
    facts.push(("pixels".to_owned(), format!("{}×{}", row.size.0, row.size.1)));
    facts.extend(row.chunk.map(|(width, height)| ("workgroup".to_owned(), format!("{width}×{height}"))));
    MethodCard {
        name: row.method.name(),
        title: row.method.title(),
        explanation: row.method.explanation(),
        charts: charts.collect(),
        facts,
    }
}

fn chart(counted: &MethodBins, right: &[Vec<u32>], caption: String) -> Chart {
    let bins = counted.bins.first().map_or(1, Vec::len);
    let columns = bins.min(MAX_COLUMNS);
    // As in the window, the tallest bar fills the drawing, unless that would make all others too low to see.
    let scales: Vec<f64> = right.iter().map(|bins| scale(bins)).collect();
    let scale_of = |channel: usize| scales.get(channel).copied().unwrap_or_else(|| scale(&counted.bins[channel]));
    let bars = counted.bins.iter().zip(COLORS).enumerate().map(|(channel, (bins, color))| ChannelBars {
        path: format!("{}V100H0Z", outline(&heights(bins, columns, scale_of(channel)))),
        color,
    });
    let right = right.iter().enumerate().map(|(channel, bins)| outline(&heights(bins, columns, scale_of(channel))));
    Chart { columns, bars: bars.collect(), right: right.collect(), caption, exact: counted.check.exact }
}

/// Returns the height of one count, as a fraction of the drawing's height.
fn scale(bins: &[u32]) -> f64 {
    let sum: f64 = bins.iter().map(|&count| f64::from(count)).sum();
    let tallest = f64::from(bins.iter().copied().max().unwrap_or(1).max(1));
    // With fewer than 256 bins, each has a larger share of the pixels.
    (1.0 / tallest).max(0.2 * bins.len() as f64 / sum.max(1.0))
}

/// Returns the height of each column, which is its tallest bin.
fn heights(bins: &[u32], columns: usize, scale: f64) -> Vec<f64> {
    let tallest = |column: usize| {
        let (first, end) = (column * bins.len() / columns, (column + 1) * bins.len() / columns);
        bins[first..end.max(first + 1)].iter().copied().max().unwrap_or(0)
    };
    (0..columns).map(|column| (f64::from(tallest(column)) * scale).min(1.0)).collect()
}

/// Returns the path along the tops of the columns, from the lower left corner.
fn outline(heights: &[f64]) -> String {
    let mut path = "M0 100".to_owned();
    for (column, height) in heights.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(path, "V{:.1}H{}", 100.0 - 100.0 * height, column + 1);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_high_as_the_tallest_of_their_bins() {
        assert_eq!(heights(&[1, 4, 2, 0], 4, 0.25), [0.25, 1.0, 0.5, 0.0]);
        assert_eq!(heights(&[1, 4, 2, 0], 2, 0.25), [1.0, 0.5]);
        assert_eq!(heights(&[8], 1, 0.25), [1.0], "what is higher is cut off");
        assert_eq!(outline(&[0.25, 1.0]), "M0 100V75.0H1V0.0H2");
    }
}
