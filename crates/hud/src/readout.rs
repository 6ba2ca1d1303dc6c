//! Cards at the histograms: counts and shares of the bin under the pointer, and of a brush's selection.

use egui::{Pos2, Rect, Stroke, Ui, pos2};

use super::card::{Card, CardLine};
use super::theme;
use histoscope_core::histogram::pixel_light::light_text;
use histoscope_core::histogram::{Cumulative, Selected};
use histoscope_core::scopes::graticule::Scale;
use histoscope_render::view::binning::Binning;
use histoscope_render::view::clip_indicators;
use histoscope_render::view::overlay::Channels;
use histoscope_render::view::scene::Brush;

/// A card at a histogram, and the columns it describes.
#[derive(Debug, Clone, PartialEq)]
pub struct Readout {
    /// The card.
    pub card: Card,
    /// Rectangle of the histogram, in points.
    pub panel: Rect,
    /// The first and last column that the card describes, in points.
    pub columns: [f32; 2],
    /// `true` if the columns stay marked until they are cleared, as a brush's do.
    pub lasts: bool,
}

impl Readout {
    /// Returns the card for a drawn bin: for each channel the count, its share, and the share of all samples up to the
    /// bin. If bins differ from codes, the title also gives the bin's number.
    #[must_use]
    pub fn of_bin(sums: &Cumulative, channels: Channels, (bin, binning): (u32, Binning)) -> Card {
        let (top, last) = (binning.top_code(), binning.count() - 1);
        let bin = bin.min(last);
        let place = if binning.is_of_codes() { String::new() } else { format!("  bin {bin} of {last}") };
        let title = match binning.codes_of(bin) {
            Some((low, high)) if low < high => format!("codes {low} to {high} of {top}{place}"),
            Some((code, _)) => {
                format!("code {code} of {top}  {:.1} %{place}", f64::from(code) / f64::from(top) * 100.0)
            }
            None => format!("no code{place}: more bins than codes"),
        };
        // For a bin without codes, the samples below end with the code at the bin's position on the axis.
        let (low, high) = binning.codes_of(bin).unwrap_or((1, 0));
        let up_to = binning.codes_in((bin, bin)).1;
        let shown = channels.iter().filter(|&channel| channel < sums.components.channel_names().len());
        let lines = shown.map(|channel| {
            let own = sums.channel(channel);
            let below = format!("≤ {}", share_text(own.share_in(0..=up_to)));
            line(sums, channel, vec![own.count_in(low..=high).to_string(), share_text(own.share_in(low..=high)), below])
        });
        Card { title, swatch: None, lines: lines.collect() }
    }

    /// Adds the light of grays with these codes to the title of a card, if it is known.
    #[must_use]
    pub fn with_light(card: Card, scale: Scale, codes: Option<(u32, u32)>) -> Card {
        let light =
            codes.and_then(|(low, high)| Some((scale.light_of(low.into())?, scale.light_of(high.into())?, low < high)));
        let title = match light {
            Some((low, high, true)) => format!("{}  {} to {}", card.title, light_text(low), light_text(high)),
            Some((light, _, false)) => format!("{}  {}", card.title, light_text(light)),
            None => return card,
        };
        Card { title, ..card }
    }

    /// Returns the card for a clip indicator: for each channel the count in the outermost bin, its share, and whether
    /// that lights the indicator.
    #[must_use]
    pub fn of_end(sums: &Cumulative, channels: Channels, bin: u32) -> Card {
        let end = if bin == 0 { "lowest" } else { "highest" };
        let title = format!("clipped? at the {end} code, {bin}");
        let shown = channels.iter().filter(|&channel| channel < sums.components.channel_names().len());
        let lines = shown.map(|channel| {
            let own = sums.channel(channel);
            let (count, samples) = (own.count_in(bin..=bin), own.samples());
            let verdict = if clip_indicators::is_lit(count, samples) { "> 0.1 %" } else { "≤ 0.1 %" };
            line(sums, channel, vec![count.to_string(), share_text(own.share_in(bin..=bin)), verdict.to_owned()])
        });
        Card { title, swatch: None, lines: lines.collect() }
    }

    /// Returns the card for a brush's selection: for each of its channels the samples in the range, and for several
    /// channels the pixels with any and with all channels in the range, once those have been counted.
    #[must_use]
    pub fn of_range(sums: &Cumulative, brush: &Brush, selected: Option<Selected>) -> Card {
        let Brush { channels, low, high } = *brush;
        let title = if low == high { format!("code {low}") } else { format!("codes {low} to {high}") };
        let mut lines: Vec<_> = channels
            .iter()
            .filter(|&channel| channel < sums.components.channel_names().len())
            .map(|channel| {
                let own = sums.channel(channel);
                line(sums, channel, vec![own.count_in(low..=high).to_string(), share_text(own.share_in(low..=high))])
            })
            .collect();
        if lines.len() > 1 {
            // Every channel except subsampled chroma has a sample per pixel; the first channel always does.
            let pixels = sums.channel(0).samples().max(1);
            let counts = selected.map_or([None; 2], |selected| [Some(selected.any), Some(selected.all)]);
            for (name, count) in ["any", "all"].into_iter().zip(counts) {
                let text = count.map_or_else(|| "…".to_owned(), |count| count.to_string());
                let share = count.map_or_else(String::new, |count| share_text(f64::from(count) / pixels as f64));
                let cells = [text, share].map(|cell| (cell, theme::LIGHT)).to_vec();
                lines.push(CardLine { name: name.to_owned(), color: theme::ACCENT, cells });
            }
        }
        Card { title, swatch: None, lines }
    }
}

fn line(sums: &Cumulative, channel: usize, cells: Vec<String>) -> CardLine {
    let cells = cells.into_iter().map(|cell| (cell, theme::LIGHT)).collect();
    let name = sums.components.short_name(channel).to_owned();
    CardLine { name, color: theme::channel_color(sums.components, channel), cells }
}

/// Formats a share, 0 to 1, in percent. Only 0 reads as 0 %, and only 1 as 100 %.
#[must_use]
pub fn share_text(share: f64) -> String {
    let percent = share * 100.0;
    if percent <= 0.0 {
        "0 %".to_owned()
    } else if percent >= 100.0 {
        "100 %".to_owned()
    } else if percent < 0.001 {
        "< 0.001 %".to_owned()
    } else if percent < 1.0 {
        format!("{percent:.3} %")
    } else {
        format!("{:.2} %", percent.min(99.99))
    }
}

/// Shows the cards above their histograms and the axis labels, whose height is `labels`, clear of all data and of the
/// `others`. Returns their rectangles.
pub fn show(
    ui: &Ui,
    (view, free): (Rect, Rect),
    readouts: &[Readout],
    (labels, others): (f32, &[Rect]),
    strength: f32,
) -> Vec<Rect> {
    let mut cards = Vec::new();
    let mut taken = Rect::NOTHING;
    // The bin under the pointer comes first: its card is nearest to its histogram.
    for (index, readout) in readouts.iter().rev().enumerate() {
        let strength = if readout.lasts { 1.0 } else { strength };
        let painter = ui.ctx().layer_painter(egui::LayerId::background());
        let color = if readout.lasts { theme::ACCENT } else { theme::LIGHT };
        let [left, right] = readout.columns;
        for x in [left, right] {
            painter.vline(x, readout.panel.y_range(), Stroke::new(1.0, color.gamma_multiply(0.8 * strength)));
        }
        // Above the histogram if the free part of the view is there, otherwise to its left.
        let is_below = readout.panel.min.y >= free.max.y - 1.0;
        let ceiling = readout.panel.min.y - labels - 6.0;
        let room = if is_below { Rect::from_min_max(view.min, pos2(view.max.x, ceiling)) } else { free };
        let at = if is_below {
            pos2((left + right) / 2.0, room.max.y)
        } else {
            Pos2::new(room.max.x, readout.panel.center().y)
        };
        let is_aside = !is_below || taken.expand(30.0).intersects(Rect::from_pos(at).expand2(egui::vec2(120.0, 20.0)));
        let room = if is_below && taken.is_positive() && is_aside {
            Rect { max: pos2(room.max.x, taken.min.y), ..room }
        } else {
            room
        };
        let all: Vec<Rect> = others.iter().chain(&cards).copied().collect();
        let place = readout.card.show(ui, &format!("readout {index}"), at, room.shrink(4.0), &all, strength);
        taken = place.unwrap_or(taken);
        cards.extend(place);
    }
    cards
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::histogram::{Components, Histogram};

    fn histogram() -> Cumulative {
        let mut histogram = Histogram::empty(8, Components::Rgbl);
        histogram.bins_mut(0)[10] = 30;
        histogram.bins_mut(0)[20] = 70;
        histogram.bins_mut(3)[20] = 100;
        histogram.cumulative()
    }

    /// PQ of 520/1023 is 100.2 cd/m², of 600/1023 214.6, as NumPy computes.
    #[test]
    fn a_bin_of_pq_tells_its_light() {
        use histoscope_core::histogram::{Components, LightScale};
        use histoscope_core::picture::color::Range;
        let scale = Scale::new(Components::Rgbl, 0, Range::Limited, 10);
        let card = || Card { title: "code 520 of 1023".to_owned(), swatch: None, lines: Vec::new() };
        let title = |scale, codes| Readout::with_light(card(), scale, codes).title;
        let pq = scale.with_light(Some(LightScale::Pq));
        assert_eq!(title(pq, Some((520, 520))), "code 520 of 1023  100 cd/m²");
        assert_eq!(title(pq, Some((520, 600))), "code 520 of 1023  100 cd/m² to 215 cd/m²");
        assert_eq!(title(scale, Some((520, 520))), "code 520 of 1023");
        assert_eq!(title(pq, None), "code 520 of 1023");
    }

    #[test]
    fn a_bin_has_its_count_share_and_cumulative_share() {
        let codes = Binning::new(8, None);
        let card = Readout::of_bin(&histogram(), Channels::one(0), (10, codes));
        assert_eq!(card.as_text(), "code 10 of 255  3.9 %; R 30 30.00 % ≤ 30.00 %");
        let card = Readout::of_bin(&histogram(), Channels::ALL, (20, codes));
        let expected = "code 20 of 255  7.8 %; R 70 70.00 % ≤ 100 %; G 0 0 % ≤ 0 %; B 0 0 % ≤ 0 %; L 100 100 % ≤ 100 %";
        assert_eq!(card.as_text(), expected);
        assert_eq!(Readout::of_bin(&histogram(), Channels::ALL, (9999, codes)).title, "code 255 of 255  100.0 %");
    }

    #[test]
    fn bins_of_several_codes_or_of_none_say_so() {
        let text =
            |count, bin| Readout::of_bin(&histogram(), Channels::one(0), (bin, Binning::new(8, Some(count)))).as_text();
        assert_eq!(text(16, 0), "codes 0 to 15 of 255  bin 0 of 15; R 30 30.00 % ≤ 30.00 %");
        assert_eq!(text(16, 1), "codes 16 to 31 of 255  bin 1 of 15; R 70 70.00 % ≤ 100 %");
        assert_eq!(text(1000, 39), "code 10 of 255  3.9 %  bin 39 of 999; R 30 30.00 % ≤ 30.00 %");
        assert_eq!(text(1000, 40), "no code  bin 40 of 999: more bins than codes; R 0 0 % ≤ 30.00 %");
    }

    #[test]
    fn clip_indicators_report_the_share_in_the_outermost_code() {
        let mut histogram = Histogram::empty(8, Components::Rgbl);
        (histogram.bins_mut(0)[0], histogram.bins_mut(0)[9], histogram.bins_mut(0)[255]) = (2, 998, 1);
        let sums = histogram.cumulative();
        let text = |bin| Readout::of_end(&sums, Channels::one(0), bin).as_text();
        assert_eq!(text(0), "clipped? at the lowest code, 0; R 2 0.200 % > 0.1 %");
        assert_eq!(text(255), "clipped? at the highest code, 255; R 1 0.100 % ≤ 0.1 %");
    }

    #[test]
    fn a_range_includes_both_ends() {
        let one = Channels::one(0);
        let range = |low, high| Readout::of_range(&histogram(), &Brush { channels: one, low, high }, None);
        assert_eq!(range(10, 20).as_text(), "codes 10 to 20; R 100 100 %");
        assert_eq!(range(11, 19).as_text(), "codes 11 to 19; R 0 0 %");
        assert_eq!(range(20, 20).title, "code 20");
    }

    #[test]
    fn several_channels_are_listed_with_any_and_all_of_them() {
        let brush = Brush { channels: Channels::one(0).union(Channels::one(3)), low: 15, high: 30 };
        let text = |selected| Readout::of_range(&histogram(), &brush, selected).as_text();
        let selected = Some(Selected { any: 100, all: 70 });
        assert_eq!(text(selected), "codes 15 to 30; R 70 70.00 %; L 100 100 %; any 100 100 %; all 70 70.00 %");
        assert_eq!(text(None), "codes 15 to 30; R 70 70.00 %; L 100 100 %; any … ; all … ", "not counted yet");
    }

    #[test]
    fn shares_do_not_round_to_zero_or_one() {
        assert_eq!(share_text(1e-9), "< 0.001 %");
        assert_eq!(share_text(1.0 - 1e-9), "99.99 %");
        assert_eq!(share_text(0.005), "0.500 %");
        assert_eq!((share_text(0.0), share_text(1.0)), ("0 %".to_owned(), "100 %".to_owned()));
    }
}
