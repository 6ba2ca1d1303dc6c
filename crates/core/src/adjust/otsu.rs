//! Otsu's thresholds: the luminance histogram is divided into the classes that differ most.
//!
//! Among all divisions of the levels into K contiguous classes, the one with the greatest variance between classes is
//! chosen. With P the number of samples in a class and S the sum of their levels, it maximizes Σ ⌊S² / P⌋ (an empty
//! class adds 0). The floor makes every term an integer, so that every machine finds the same maximum; it takes less
//! than 1 from a term of up to 2^46. Among equally good divisions, the one with the lowest last threshold is chosen,
//! then the one with the lowest threshold before that, and so on.
//!
//! Thresholds are searched among [`LEVELS`] levels at any depth: deeper luminance bins are combined by their top 8
//! bits.

use std::ops::RangeInclusive;
use std::str::FromStr;

use super::parameters::{Field, Memory, Parameters, number};
use super::parse_error::ParseError;
use super::{Codes, bins, recolor};

/// The appearance of classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ClassDisplay {
    /// Gray tones from black to white.
    #[default]
    Tones,
    /// False colours.
    Colors,
}

/// Segmentation by Otsu's thresholds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Otsu {
    /// Number of classes, in [`Self::CLASSES`].
    pub classes: u32,
    /// Appearance of the classes.
    pub shown: ClassDisplay,
}

impl Otsu {
    /// Supported numbers of classes.
    pub const CLASSES: RangeInclusive<u32> = 2..=5;
}

impl Default for Otsu {
    fn default() -> Self {
        Self { classes: 2, shown: ClassDisplay::default() }
    }
}

/// Parses "3", "3:tones" or "3:colors".
impl FromStr for Otsu {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let (classes, shown) = text.split_once(':').unwrap_or((text, "tones"));
        let shown = match shown {
            "tones" => ClassDisplay::Tones,
            "colors" | "colours" => ClassDisplay::Colors,
            _ => return Err(ParseError::new(format!("cannot show classes as '{shown}'; expected tones or colors"))),
        };
        Ok(Self { classes: number(classes, "number of classes", &Self::CLASSES)?, shown })
    }
}

impl Parameters for Otsu {
    fn fields(&mut self) -> [Field<'_>; 2] {
        let Self { classes, shown } = self;
        [
            Field::whole("classes", classes.to_string(), vec![classes], (&Self::CLASSES, 1)),
            Field::choice("shown as", &["tones", "false colours"], shown, [ClassDisplay::Tones, ClassDisplay::Colors]),
        ]
    }

    fn text(&self) -> String {
        format!("{} classes{}", self.classes, if self.shown == ClassDisplay::Tones { "" } else { " in false colours" })
    }

    fn full_text(&self) -> String {
        self.text() + if self.shown == ClassDisplay::Tones { " as tones" } else { "" }
    }

    fn written(&self) -> String {
        format!("{}:{}", self.classes, ["tones", "colors"][self.shown as usize])
    }

    fn apply(&self, codes: Codes, memory: &mut Memory, _: Option<f64>) -> Codes {
        let thresholds = thresholds(&codes.luminance_bins(), self.classes as usize);
        memory.thresholds = Some(std::array::from_fn(|i| thresholds.get(i).copied().unwrap_or(u32::MAX)));
        apply(codes, &thresholds, *self)
    }

    fn reference(&self, codes: Codes) -> Codes {
        let (classes, bits, weights) = (self.classes as usize, codes.bits, codes.luminance);
        let thresholds = thresholds(&bins::reference(&codes)[3], classes);
        codes.map(|pixel| {
            let luminance = weights.bin(pixel.map(u32::from), bits);
            let class = thresholds.iter().filter(|&&threshold| luminance >= threshold).count();
            tone(class, classes, self.shown, bits)
        })
    }
}

/// Number of levels among which thresholds are searched.
pub const LEVELS: usize = 256;
/// The maximum number of classes.
pub const MAX_CLASSES: usize = 5;
/// Red, green and blue of the false colours, from the darkest of five classes to the brightest: equal steps of viridis,
/// a palette whose lightness rises evenly, even to colour-blind viewers.
pub const PALETTE: [[u8; 3]; MAX_CLASSES] = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

/// Combines luminance bins into [`LEVELS`] levels.
#[must_use]
pub fn levels(bins: &[u32]) -> Vec<u32> {
    bins.chunks_exact((bins.len() / LEVELS).max(1)).map(|together| together.iter().sum()).collect()
}

/// The scores ⌊S² / P⌋ of all runs of levels, their contributions to the variance between classes.
#[derive(Debug, Clone)]
pub struct Scores {
    samples: Vec<u64>,
    sums: Vec<u64>,
}

impl Scores {
    /// Prepares the scores for a histogram of levels.
    #[must_use]
    pub fn new(levels: &[u32]) -> Self {
        let (mut samples, mut sums) = (vec![0; levels.len() + 1], vec![0; levels.len() + 1]);
        for (level, &count) in levels.iter().enumerate() {
            samples[level + 1] = samples[level] + u64::from(count);
            sums[level + 1] = sums[level] + u64::from(count) * level as u64;
        }
        Self { samples, sums }
    }

    /// Returns the score of levels `from..to` as one class.
    #[must_use]
    pub fn score(&self, from: usize, to: usize) -> u64 {
        let samples = self.samples[to] - self.samples[from];
        let sum = u128::from(self.sums[to] - self.sums[from]);
        // At most 255² · 2^30.
        if samples == 0 { 0 } else { (sum * sum / u128::from(samples)) as u64 }
    }
}

/// Returns the first levels of the second and later classes.
///
/// Dynamic programming avoids trying every combination: the best division of the levels below b into k classes is, for
/// some a, the best division of the levels below a into k − 1 classes, followed by the class a..b.
#[must_use]
pub fn best_cut(levels: &[u32], classes: usize) -> Vec<usize> {
    let scores = Scores::new(levels);
    let count = levels.len();
    let mut best: Vec<u64> = (0..=count).map(|to| scores.score(0, to)).collect();
    let mut starts = Vec::new();
    for class in 1..classes {
        let mut start = vec![class; count + 1];
        let mut better = vec![0; count + 1];
        for to in class + 1..=count {
            let mut most = None;
            for from in class..to {
                let score = best[from] + scores.score(from, to);
                if most.is_none_or(|most| score > most) {
                    most = Some(score);
                    start[to] = from;
                }
            }
            better[to] = most.unwrap_or(0);
        }
        best = better;
        starts.push(start);
    }
    let mut cut = Vec::new();
    let mut end = count;
    for start in starts.iter().rev() {
        end = start[end];
        cut.push(end);
    }
    cut.reverse();
    cut
}

/// Returns the first luminance codes of the second and later classes, given the luminance bins.
#[must_use]
pub fn thresholds(bins: &[u32], classes: usize) -> Vec<u32> {
    let together = (bins.len() / LEVELS).max(1);
    best_cut(&levels(bins), classes.clamp(2, MAX_CLASSES)).into_iter().map(|level| (level * together) as u32).collect()
}

/// Returns the red, green and blue that represent a class, at `bits` bits per code.
#[must_use]
pub fn tone(class: usize, classes: usize, shown: ClassDisplay, bits: u32) -> [u16; 3] {
    let last = (classes - 1).max(1);
    let top = (1 << bits) - 1;
    match shown {
        ClassDisplay::Tones => [((class * top + last / 2) / last) as u16; 3],
        ClassDisplay::Colors => {
            PALETTE[(class * (MAX_CLASSES - 1) + last / 2) / last].map(|code| (usize::from(code) * top / 255) as u16)
        }
    }
}

/// Replaces every pixel by the tone of its class.
#[must_use]
pub fn apply(mut codes: Codes, thresholds: &[u32], threshold: Otsu) -> Codes {
    let classes = threshold.classes as usize;
    let tone_of = |luminance: u32| {
        let class = thresholds.iter().filter(|&&threshold| luminance >= threshold).count();
        tone(class, classes, threshold.shown, codes.bits)
    };
    let tones: Vec<_> = (0..=codes.top()).map(tone_of).collect();
    recolor::look_up_luminance(&mut codes, &tones);
    codes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::luminance::LuminanceWeights;

    #[test]
    fn thresholds_lie_between_the_peaks() {
        let mut bins = vec![0; 256];
        bins[40..60].fill(9);
        bins[180..210].fill(5);
        // All thresholds between the peaks are equally good; the lowest is chosen.
        assert_eq!(thresholds(&bins, 2), [60]);
        bins[120..124].fill(30);
        assert_eq!(thresholds(&bins, 3), [60, 124]);
    }

    #[test]
    fn deeper_codes_have_the_same_thresholds() {
        let shallow: Vec<u32> = (0..256_u32).map(|code| code.abs_diff(128) * 7 + 3).collect();
        let deep: Vec<u32> = shallow.iter().flat_map(|&count| [count; 4]).collect();
        let cut = thresholds(&shallow, 4);
        assert_eq!(thresholds(&deep, 4), cut.iter().map(|threshold| threshold * 4).collect::<Vec<_>>());
    }

    #[test]
    fn tones_reach_from_black_to_white_and_colors_differ() {
        for classes in 2..=MAX_CLASSES {
            assert_eq!(tone(0, classes, ClassDisplay::Tones, 10), [0; 3]);
            assert_eq!(tone(classes - 1, classes, ClassDisplay::Tones, 10), [1023; 3]);
            let colors: std::collections::BTreeSet<_> =
                (0..classes).map(|c| tone(c, classes, ClassDisplay::Colors, 8)).collect();
            assert_eq!(colors.len(), classes);
        }
    }

    #[test]
    fn tones_are_equal_steps_and_colors_match_the_palette_at_any_depth() {
        assert_eq!([0, 1, 2, 3].map(|class| tone(class, 4, ClassDisplay::Tones, 8)[0]), [0, 85, 170, 255]);
        assert_eq!(
            [0, 1, 2].map(|class| tone(class, 3, ClassDisplay::Colors, 8)),
            [PALETTE[0], PALETTE[2], PALETTE[4]].map(|rgb| rgb.map(u16::from))
        );
        assert_eq!(tone(1, 2, ClassDisplay::Colors, 10), [1014, 926, 148], "of 255 and of 1023");
    }

    #[test]
    fn a_class_begins_at_its_threshold() {
        let gray = |code: u16| [code; 3];
        let codes = Codes {
            bits: 8,
            width: 3,
            height: 1,
            rgb: [99, 100, 200].map(gray).to_vec(),
            luminance: LuminanceWeights::Bt709,
        };
        let threshold = Otsu { classes: 3, ..Otsu::default() };
        assert_eq!(apply(codes, &[100, 201], threshold).rgb, [0, 128, 128].map(gray));
    }
}
