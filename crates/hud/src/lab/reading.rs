//! The card of the bin under the pointer: its count by the method, the correct one, and the loss.

use super::words::grouped;
use crate::card::{Card, CardLine};
use crate::lab_view::Figures;
use crate::theme;
use histoscope_core::histogram::Components;
use histoscope_render::view::overlay::Channels;

impl Figures {
    /// Returns the number of bins per channel.
    #[must_use]
    pub fn bin_count(&self) -> usize {
        self.right.last().map_or(0, Vec::len)
    }

    /// Returns the bin at this fraction of a histogram's width.
    #[must_use]
    pub fn bin_at(&self, share: f64) -> usize {
        ((share * self.bin_count() as f64) as usize).min(self.bin_count().saturating_sub(1))
    }

    /// Returns the card of a bin in these channels.
    #[must_use]
    pub fn card(&self, channels: Channels, bin: usize) -> Card {
        let count = self.bin_count();
        let percent = |bin: usize| bin as f64 * 100.0 / count.max(1) as f64;
        let title = format!("bin {bin} of {count}  {:.1} to {:.1} %", percent(bin), percent(bin + 1));
        let line = |channel: usize| {
            let [counted, right] =
                [&self.counted, &self.right].map(|bins| bins[channel].get(bin).copied().unwrap_or(0));
            let verdict = match right.cmp(&counted) {
                std::cmp::Ordering::Equal => ("right".to_owned(), theme::RIGHT),
                std::cmp::Ordering::Greater => (format!("lost {}", grouped((right - counted).into())), theme::WRONG),
                std::cmp::Ordering::Less => (format!("{} too many", grouped((counted - right).into())), theme::WRONG),
            };
            let of = format!("of {}", grouped(right.into()));
            let cells = vec![(grouped(counted.into()), theme::LIGHT), (of, theme::LIGHT), verdict];
            let name = Components::Rgbl.short_name(channel).to_owned();
            CardLine { name, color: theme::channel_color(Components::Rgbl, channel), cells }
        };
        Card {
            title,
            swatch: None,
            lines: channels.iter().filter(|&channel| !self.right[channel].is_empty()).map(line).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bin_shows_what_was_lost_in_it() {
        let right: [Vec<u32>; 4] = std::array::from_fn(|_| vec![10, 2000, 30]);
        let mut counted = right.clone();
        (counted[1][1], counted[3][1]) = (1, 2002);
        let figures = Figures {
            counted,
            right,
            wanted: 8160,
            is_exact: false,
            lost: 1997,
            reduction: None,
            part: 1.0,
            passes: Vec::new(),
            total_us: None,
            floor_us: None,
            costs: Vec::new(),
        };
        let alone = Figures { right: [vec![], vec![], vec![], vec![10, 20]], ..figures.clone() };
        assert_eq!((alone.bin_count(), alone.card(Channels::ALL, 1).lines.len()), (2, 1), "only luminance is counted");
        assert_eq!([0.0, 0.34, 0.99, 1.0].map(|share| figures.bin_at(share)), [0, 1, 2, 2]);
        let told = figures.card(Channels::ALL, 1).as_text().replace('\u{202f}', " ");
        assert_eq!(
            told,
            "bin 1 of 3  33.3 to 66.7 %; R 2 000 of 2 000 right; G 1 of 2 000 lost 1 999; B 2 000 of 2 000 right; \
             L 2 002 of 2 000 2 too many"
        );
    }
}
