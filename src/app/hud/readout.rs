//! What lies under the pointer in a histogram, and what a brush has selected: counts and shares.

use egui::{Pos2, Rect, Stroke, Ui, pos2};

use super::card::{Card, Line};
use super::model::Model;
use super::theme;
use crate::gpu::draw::Channels;
use crate::histogram::Histogram;

/// A card at a histogram.
#[derive(Debug, Clone, PartialEq)]
pub struct Readout {
    /// The card.
    pub card: Card,
    /// The histogram's place, in points.
    pub panel: Rect,
    /// The columns that it is about, in points.
    pub columns: [f32; 2],
    /// Whether the columns are lit until they are cleared, as a brush's are.
    pub lasts: bool,
}

impl Readout {
    /// What a bin holds: for each channel the count, its share, and the share of all samples up to it.
    #[must_use]
    pub fn of_bin(histogram: &Histogram, channels: Channels, bin: u32) -> Card {
        let top = histogram.bin_count() - 1;
        let bin = (bin as usize).min(top);
        let title = format!("code {bin} of {top}  {:.1} %", bin as f64 / top as f64 * 100.0);
        let lines = shown(histogram, channels).map(|channel| {
            let bins = histogram.bins(channel);
            let total = total(bins);
            let count = u64::from(bins[bin]);
            let up_to: u64 = bins[..=bin].iter().map(|&count| u64::from(count)).sum();
            let cells = vec![count.to_string(), share(count, total), format!("≤ {}", share(up_to, total))];
            line(histogram, channel, cells)
        });
        Card { title, swatch: None, lines: lines.collect() }
    }

    /// What lies between two bins, both included, of one channel.
    #[must_use]
    pub fn of_range(histogram: &Histogram, channel: usize, low: u32, high: u32) -> Card {
        let bins = histogram.bins(channel);
        let high = (high as usize).min(bins.len() - 1);
        let low = (low as usize).min(high);
        let count: u64 = bins[low..=high].iter().map(|&count| u64::from(count)).sum();
        let title = if low == high { format!("code {low}") } else { format!("codes {low} to {high}") };
        let cells = vec![count.to_string(), share(count, total(bins))];
        Card { title, swatch: None, lines: vec![line(histogram, channel, cells)] }
    }
}

fn shown(histogram: &Histogram, channels: Channels) -> impl Iterator<Item = usize> {
    (0..histogram.components.channel_names().len()).filter(move |&channel| channels.contains(channel))
}

fn line(histogram: &Histogram, channel: usize, cells: Vec<String>) -> Line {
    let name = theme::channel_sign(histogram.components, channel).to_owned();
    Line { name, color: theme::channel_color(histogram.components, channel), cells }
}

fn total(bins: &[u32]) -> u64 {
    bins.iter().map(|&count| u64::from(count)).sum()
}

/// A part of a whole in percent. What is not nothing never reads as nothing, nor what is not everything as everything.
#[must_use]
pub fn share(part: u64, whole: u64) -> String {
    if part == 0 || whole == 0 {
        return "0 %".to_owned();
    }
    if part == whole {
        return "100 %".to_owned();
    }
    let percent = part as f64 / whole as f64 * 100.0;
    if percent < 0.001 {
        "< 0.001 %".to_owned()
    } else if percent < 1.0 {
        format!("{percent:.3} %")
    } else {
        format!("{:.2} %", percent.min(99.99))
    }
}

/// Shows the cards above their histograms, where no data is.
pub fn show(ui: &Ui, view: Rect, free: Rect, model: &Model<'_>, strength: f32) {
    for (index, readout) in model.readouts.iter().enumerate() {
        let strength = if readout.lasts { 1.0 } else { strength };
        let painter = ui.ctx().layer_painter(egui::LayerId::background());
        let color = if readout.lasts { theme::ACCENT } else { theme::LIGHT };
        let [left, right] = readout.columns;
        for x in [left, right] {
            painter.vline(x, readout.panel.y_range(), Stroke::new(1.0, color.gamma_multiply(0.8 * strength)));
        }
        // Above the histogram if the free part of the view lies there, else at its left.
        let is_below = readout.panel.min.y >= free.max.y - 1.0;
        let room =
            if is_below { Rect::from_min_max(view.min, pos2(view.max.x, readout.panel.min.y - 20.0)) } else { free };
        let at = if is_below {
            pos2((left + right) / 2.0, room.max.y)
        } else {
            Pos2::new(room.max.x, readout.panel.center().y)
        };
        readout.card.show(ui, &format!("readout {index}"), at, room.shrink(4.0), strength);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::Components;

    fn histogram() -> Histogram {
        let mut histogram = Histogram::empty(8, Components::Rgbl);
        histogram.bins_mut(0)[10] = 30;
        histogram.bins_mut(0)[20] = 70;
        histogram.bins_mut(3)[20] = 100;
        histogram
    }

    #[test]
    fn a_bin_tells_count_share_and_what_lies_below() {
        let card = Readout::of_bin(&histogram(), Channels::one(0), 10);
        assert_eq!(card.lines.len(), 1);
        assert_eq!(card.lines[0].cells, ["30", "30.00 %", "≤ 30.00 %"]);
        let card = Readout::of_bin(&histogram(), Channels::ALL, 20);
        let cells: Vec<_> = card.lines.iter().map(|line| line.cells.join(" ")).collect();
        assert_eq!(cells, ["70 70.00 % ≤ 100 %", "0 0 % ≤ 0 %", "0 0 % ≤ 0 %", "100 100 % ≤ 100 %"]);
        assert_eq!(Readout::of_bin(&histogram(), Channels::ALL, 9999).title, "code 255 of 255  100.0 %");
    }

    #[test]
    fn a_range_counts_both_its_ends() {
        assert_eq!(Readout::of_range(&histogram(), 0, 10, 20).lines[0].cells, ["100", "100 %"]);
        assert_eq!(Readout::of_range(&histogram(), 0, 11, 19).lines[0].cells, ["0", "0 %"]);
        assert_eq!(Readout::of_range(&histogram(), 0, 20, 20).title, "code 20");
    }

    #[test]
    fn shares_do_not_round_to_nothing_or_everything() {
        assert_eq!(share(1, 1_000_000_000), "< 0.001 %");
        assert_eq!(share(999_999_999, 1_000_000_000), "99.99 %");
        assert_eq!(share(1, 200), "0.500 %");
        assert_eq!(share(0, 0), "0 %");
    }
}
