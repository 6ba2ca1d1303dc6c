//! What the comparisons of a run add up to: as the summary of its records has it, and in words.

use serde::{Deserialize, Serialize};

use super::{Compared, Comparison, plane_names};
use histoscope_core::compare::{PlaneDifference, Unlike};
use histoscope_core::histogram::CHANNELS;
use histoscope_core::picture::layout::ColorModel;
use histoscope_core::text::counted;

/// What the summary of a run's records tells.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparisonSummary {
    /// Whether no sample differs, and each frame has its partner.
    pub identical: bool,
    /// Frames that were compared.
    pub compared: u64,
    /// How many of them differ.
    pub differing: u64,
    /// The number of the first one that does.
    pub first_difference: Option<u64>,
    /// How many could be compared only by their histograms.
    pub as_pictures: u64,
    /// Frames behind the other file's last one.
    pub only_in_input: u64,
    /// Frames of the other file behind this one's last one.
    pub only_in_against: u64,
}

impl ComparisonSummary {
    /// Adds what another share of the file gave, whose frames come later.
    pub fn add(&mut self, later: &Self) {
        self.compared += later.compared;
        self.differing += later.differing;
        self.first_difference = self.first_difference.or(later.first_difference);
        self.as_pictures += later.as_pictures;
        self.only_in_input += later.only_in_input;
        self.only_in_against += later.only_in_against;
        self.identical &= later.identical;
    }
}

/// What the comparisons of a run add up to so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ComparisonTally {
    summary: ComparisonSummary,
    /// When the first frame that differs is shown, in seconds.
    first_secs: f64,
    /// Why frames were compared as pictures, where the first one was.
    unlike: Option<Unlike>,
    /// What the planes differ by in all frames so far, and what they are; only while those are of one kind.
    planes: Planes,
    /// The number of the frame with the largest mean squared error, and what its samples differ by.
    noisiest: Option<(u64, PlaneDifference)>,
    /// The sum of the distances of the frames, each the mean of those of red, green, blue and luminance, in percent of the scale.
    distance_sum: f64,
    /// The number of the frame with the largest of them, and that.
    furthest: Option<(u64, f64)>,
    /// Why the other file ended before its headers say, if it did.
    pub other_ended_early: Option<String>,
    /// Packets that the decoder of the other file refused, once its end was seen.
    pub other_refused_packets: u64,
}

/// The planes of all frames together.
#[derive(Debug, Clone, Default, PartialEq)]
enum Planes {
    /// No frame was compared.
    #[default]
    None,
    /// All were compared code by code.
    Alike { model: ColorModel, depth: u8, sums: Vec<PlaneDifference> },
    /// Some had other codes.
    Mixed,
}

impl Planes {
    fn add(&mut self, comparison: &Comparison) {
        let Compared::Codes(planes) = &comparison.compared else { return *self = Self::Mixed };
        match self {
            Self::None => {
                *self = Self::Alike { model: comparison.model, depth: comparison.depth, sums: planes.clone() };
            }
            Self::Alike { model, depth, sums } if (*model, *depth) == (comparison.model, comparison.depth) => {
                sums.iter_mut().zip(planes).for_each(|(sum, plane)| *sum = sum.and(*plane));
            }
            _ => *self = Self::Mixed,
        }
    }
}

impl ComparisonTally {
    /// Adds a frame, by its number and its time in seconds.
    pub fn add(&mut self, (frame, time_secs): (u64, f64), comparison: &Comparison) {
        self.summary.compared += 1;
        if !comparison.is_identical() {
            self.summary.differing += 1;
            if self.summary.first_difference.is_none() {
                (self.summary.first_difference, self.first_secs) = (Some(frame), time_secs);
            }
        }
        if let Compared::Pictures(unlike) = comparison.compared {
            self.summary.as_pictures += 1;
            self.unlike.get_or_insert(unlike);
        }
        self.planes.add(comparison);
        if let Some(all) = comparison.all_planes() {
            let most = self.noisiest.map_or(0.0, |(_, worst)| worst.mean_squared_error());
            if all.mean_squared_error() > most {
                self.noisiest = Some((frame, all));
            }
        }
        // Red, green, blue and luminance come first.
        let of = (0..CHANNELS).filter_map(|channel| comparison.percent(channel)).sum::<f64>() / CHANNELS as f64;
        self.distance_sum += of;
        if of > self.furthest.map_or(0.0, |(_, most)| most) {
            self.furthest = Some((frame, of));
        }
    }

    /// Adds the frames at the end that have no partner: of the input, and of the other file.
    pub fn add_surplus(&mut self, only_in_input: u64, only_in_against: u64) {
        self.summary.only_in_input += only_in_input;
        self.summary.only_in_against += only_in_against;
    }

    /// What the summary of the records tells.
    #[must_use]
    pub fn summary(&self) -> ComparisonSummary {
        let surplus = self.summary.only_in_input + self.summary.only_in_against;
        ComparisonSummary { identical: self.summary.differing == 0 && surplus == 0, ..self.summary.clone() }
    }

    /// Whether nothing was there to compare.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let ComparisonSummary { compared, only_in_input, only_in_against, .. } = self.summary;
        compared + only_in_input + only_in_against == 0
    }

    /// What was found, for people: a line, and where frames differ a second one on how much.
    #[must_use]
    pub fn in_words(&self, ours: &str, theirs: &str) -> Vec<String> {
        let ComparisonSummary { compared, differing, first_difference, as_pictures, .. } = self.summary;
        let frames = counted(compared, "frame");
        let mut line = match first_difference {
            _ if compared == 0 => format!("no frame of {ours} has one in {theirs} to be compared with"),
            None => format!("{ours} and {theirs} are the same in {frames}, sample by sample"),
            Some(first) => format!(
                "{ours} and {theirs} differ in {differing} of {frames}, first in frame {first}, at {:.3} s",
                self.first_secs
            ),
        };
        for (more, file) in [(self.summary.only_in_input, ours), (self.summary.only_in_against, theirs)] {
            if more > 0 {
                line += &format!("; {file} has {} more at its end", counted(more, "frame"));
            }
        }
        let mut lines = vec![line];
        if let Some(unlike) = self.unlike {
            let all = if as_pictures == compared { String::new() } else { format!("{as_pictures} of them ") };
            lines.push(format!("{all}compared as pictures, by their histograms alone: {unlike}"));
        }
        lines.extend(self.how_much());
        lines
    }

    /// By how much frames differ, where they do.
    fn how_much(&self) -> Option<String> {
        if self.summary.differing == 0 {
            return None;
        }
        let mut parts = Vec::new();
        if let Planes::Alike { model, depth, sums } = &self.planes {
            let noise = |plane: &PlaneDifference| match plane.psnr(*depth) {
                Some(noise) => format!("{noise:.2}"),
                None => "no difference".to_owned(),
            };
            let planes = plane_names(*model).iter().zip(sums).map(|(name, plane)| format!("{name} {}", noise(plane)));
            let all = sums.iter().copied().reduce(PlaneDifference::and).unwrap_or_default();
            parts.push(format!("PSNR in dB: {}, all {}", planes.collect::<Vec<_>>().join(", "), noise(&all)));
            if let Some((frame, worst)) = &self.noisiest {
                parts.push(format!("lowest in frame {frame}, {}", noise(worst)));
            }
            parts.push(format!("largest difference {} of {} codes", all.largest, (1_u32 << depth) - 1));
        }
        if let Some((frame, of)) = self.furthest {
            let mean = self.distance_sum / self.summary.compared.max(1) as f64;
            parts.push(format!(
                "histograms {mean:.3} % of the scale apart in the mean, furthest in frame {frame}, {of:.3} %"
            ));
        }
        Some(parts.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(compared: u64, differing: u64, first: Option<u64>, surplus: (u64, u64)) -> ComparisonSummary {
        ComparisonSummary {
            identical: differing == 0 && surplus == (0, 0),
            compared,
            differing,
            first_difference: first,
            as_pictures: 0,
            only_in_input: surplus.0,
            only_in_against: surplus.1,
        }
    }

    #[test]
    fn shares_add_up() {
        let mut sum = of(10, 0, None, (0, 0));
        sum.add(&of(10, 2, Some(13), (0, 0)));
        assert_eq!(sum, of(20, 2, Some(13), (0, 0)));
        sum.add(&of(5, 1, Some(24), (0, 3)));
        assert_eq!(sum, of(25, 3, Some(13), (0, 3)));
        let mut same = of(10, 0, None, (0, 0));
        same.add(&of(3, 0, None, (0, 0)));
        assert!(same.identical);
        same.add(&of(0, 0, None, (7, 0)));
        assert!(!same.identical, "the surplus is a difference");
    }

    #[test]
    fn words_say_what_the_numbers_do() {
        let mut tally = ComparisonTally::default();
        assert!(tally.is_empty());
        tally.summary.compared = 3;
        assert_eq!(tally.in_words("a", "b"), ["a and b are the same in 3 frames, sample by sample"]);
        tally.add_surplus(0, 1);
        assert_eq!(
            tally.in_words("a", "b"),
            ["a and b are the same in 3 frames, sample by sample; b has 1 frame more at its end"]
        );
        assert!(!tally.summary().identical && !tally.is_empty());
    }
}
