//! The statistics of the compared frame, next to those of the frame on screen: each with its difference from the live
//! value, and the distance between the histograms.

use super::readout::share_text;
use histoscope_core::compare::Distance;
use histoscope_core::histogram::{ChannelStats, Cumulative};
use histoscope_core::picture::color::Range;
use histoscope_core::text::with_minus;

/// Names of the statistics, in the order of each column's cells.
pub const NAMES: [&str; 9] = ["min", "1 %", "median", "mean", "99 %", "max", "at lowest", "at highest", "out of range"];

/// The statistics of the compared frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compared {
    /// The name of the compared frame.
    pub name: String,
    /// The statistics of each channel with their differences, in the order of [`NAMES`].
    pub columns: Vec<[String; NAMES.len()]>,
    /// The name of the row of distances, with their unit.
    pub distance: &'static str,
    /// The earth mover's distance of each channel, in codes, or in percent of the scale if the pictures have different
    /// depths.
    pub distances: Vec<String>,
    /// PSNR and SSIM, as lines of text.
    pub quality: Vec<String>,
}

impl Compared {
    /// Compares the held histogram with the live one. Both count the same components. Out-of-range shares use the range
    /// of each picture.
    pub fn new(
        name: &str,
        (held, held_range): (&Cumulative, Option<Range>),
        (live, range): (&Cumulative, Option<Range>),
        quality: Vec<String>,
    ) -> Self {
        let channels = 0..live.components.channel_names().len();
        let is_alike = held.bits == live.bits;
        let of = |channel| column(&held.stats(channel, held_range), &live.stats(channel, range), is_alike);
        let bins = |sums: &Cumulative, channel| sums.channel(channel).bins();
        let distance = |channel| match Distance::of(&bins(held, channel), &bins(live, channel)) {
            None => "–".to_owned(),
            Some(distance) if is_alike => format!("{:.2}", distance.codes(live.bits)),
            Some(distance) => format!("{:.2}", distance.percent()),
        };
        Self {
            name: name.to_owned(),
            columns: channels.clone().map(of).collect(),
            distance: if is_alike { "distance, codes" } else { "distance, %" },
            distances: channels.map(distance).collect(),
            quality,
        }
    }
}

/// Formats a difference with its sign. One that rounds to zero is positive.
fn difference(value: f64) -> String {
    let text = format!("{value:+.2}");
    if text == "-0.00" { "+0.00".to_owned() } else { with_minus(&text) }
}

fn column(held: &ChannelStats, live: &ChannelStats, is_alike: bool) -> [String; NAMES.len()] {
    // Codes of different depths cannot be subtracted.
    let code = |of: fn(&ChannelStats) -> u32| {
        let [held, live] = [of(held), of(live)];
        let by = format!("{:+}", i64::from(live) - i64::from(held));
        if is_alike { format!("{held} {}", with_minus(&by)) } else { held.to_string() }
    };
    let share = |of: fn(&ChannelStats) -> f64| {
        let [held, live] = [of(held), of(live)];
        format!("{} {}", share_text(held), difference((live - held) * 100.0))
    };
    let mean = if is_alike {
        format!("{:.2} {}", held.mean, difference(live.mean - held.mean))
    } else {
        format!("{:.2}", held.mean)
    };
    [
        code(|stats| stats.min),
        code(|stats| stats.p1),
        code(|stats| stats.median),
        mean,
        code(|stats| stats.p99),
        code(|stats| stats.max),
        share(|stats| stats.share_lowest),
        share(|stats| stats.share_highest),
        if held.below_range.is_some() { share(|stats| stats.share_out_of_range) } else { "–".to_owned() },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::histogram::{Components, Histogram};

    fn of(bits: u32, codes: &[usize]) -> Cumulative {
        let mut histogram = Histogram::empty(bits, Components::Rgbl);
        for channel in 0..4 {
            codes.iter().for_each(|&code| histogram.bins_mut(channel)[code] += 1);
        }
        histogram.cumulative()
    }

    #[test]
    fn a_tiny_negative_difference_is_no_loss() {
        let told = [-0.004, -0.0, 0.004, -0.006, 0.25].map(difference);
        assert_eq!(told, ["+0.00", "+0.00", "+0.00", "−0.01", "+0.25"]);
    }

    #[test]
    fn each_value_has_its_difference_to_the_live_one() {
        let (held, live) = (of(8, &[0, 100, 100, 110]), of(8, &[10, 100, 105, 255]));
        let compared = Compared::new("a.mp4 0:01.000", (&held, None), (&live, None), Vec::new());
        let red = &compared.columns[0];
        assert_eq!(red[..4], ["0 +10", "0 +10", "100 +0", "77.50 +40.00"]);
        assert_eq!(red[4..], ["110 +145", "110 +145", "25.00 % −25.00", "0 % +25.00", "0 % +0.00"]);
        assert_eq!(compared.columns[3][8], "–", "luminance is never out of range");
        assert_eq!((compared.distance, compared.distances), ("distance, codes", vec!["40.00".to_owned(); 4]));
    }

    #[test]
    fn each_picture_is_out_of_its_own_range() {
        let mut histogram = Histogram::empty(8, Components::YCbCr);
        histogram.bins_mut(0)[5] = 1;
        let sums = histogram.cumulative();
        let out =
            |held, live| Compared::new("c", (&sums, Some(held)), (&sums, Some(live)), Vec::new()).columns[0][8].clone();
        assert_eq!(out(Range::Limited, Range::Full), "100 % −100.00");
        assert_eq!(out(Range::Full, Range::Limited), "0 % +100.00");
    }

    #[test]
    fn codes_of_different_depths_are_not_subtracted() {
        let compared = Compared::new("b", (&of(8, &[0, 255]), None), (&of(10, &[1023]), None), Vec::new());
        assert_eq!(compared.columns[0][..4], ["0", "0", "0", "127.50"]);
        assert_eq!(compared.columns[0][7], "50.00 % +50.00");
        assert_eq!((compared.distance, compared.distances[0].as_str()), ("distance, %", "50.00"));
    }
}
