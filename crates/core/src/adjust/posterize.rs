//! Posterization: each of red, green and blue is reduced to a few levels.
//!
//! N is the number of codes, L the number of levels, and P the number of samples.
//!
//! *By equal width*, level i begins at code i·N/L, and its tone is round(i · (N−1) / (L−1)).
//!
//! *By equal population*, code v, with E(v) samples below it and h(v) samples of its own, belongs to level
//! ⌊(E(v) + ⌊h(v)/2⌋) · L / P⌋, the level of its middle sample. The tone of level i is the code of the sample at rank
//! ⌊(2i+1) · P / (2L)⌋, the level's median.

use std::ops::RangeInclusive;
use std::str::FromStr;

use super::parameters::{Field, Memory, Parameters, number};
use super::parse_error::ParseError;
use super::{Codes, bins, equalize, mul_div};

/// The names of the placements.
const PLACINGS: [&str; 2] = ["width", "population"];

/// The placement of the levels of a posterized picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Placing {
    /// Equal width.
    #[default]
    Width,
    /// Equal population.
    Population,
}

/// Posterization.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Posterize {
    /// Number of levels of each of red, green and blue, in [`Self::LEVELS`].
    pub levels: u32,
    /// Placement of the levels.
    pub placing: Placing,
}

impl Posterize {
    /// Supported numbers of levels.
    pub const LEVELS: RangeInclusive<u32> = 2..=16;
}

impl Default for Posterize {
    fn default() -> Self {
        Self { levels: 5, placing: Placing::default() }
    }
}

/// Parses "5", "5:width" or "5:population".
impl FromStr for Posterize {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let (levels, placing) = text.split_once(':').unwrap_or((text, "width"));
        let placing = match placing {
            "width" => Placing::Width,
            "population" => Placing::Population,
            _ => {
                return Err(ParseError::new(format!("unknown placement '{placing}'; expected width or population")));
            }
        };
        Ok(Self { levels: number(levels, "number of levels", &Self::LEVELS)?, placing })
    }
}

impl Parameters for Posterize {
    fn fields(&mut self) -> [Field<'_>; 2] {
        let Self { levels, placing } = self;
        [
            Field::whole("levels", levels.to_string(), vec![levels], (&Self::LEVELS, 1)),
            Field::choice("equal by", &PLACINGS, placing, [Placing::Width, Placing::Population]),
        ]
    }

    fn text(&self) -> String {
        format!("{} levels{}", self.levels, if self.placing == Placing::Width { "" } else { " by population" })
    }

    fn written(&self) -> String {
        format!("{}:{}", self.levels, PLACINGS[self.placing as usize])
    }

    fn apply(&self, codes: Codes, _: &mut Memory, _: Option<f64>) -> Codes {
        let curves = match self.placing {
            Placing::Width => std::array::from_fn(|_| equal_width(1 << codes.bits, self.levels)),
            Placing::Population => codes.channel_bins().map(|bins| equal_population(&bins, self.levels)),
        };
        equalize::apply_to_channels(codes, &curves)
    }

    fn reference(&self, codes: Codes) -> Codes {
        let bins = bins::reference(&codes);
        let curves: [Vec<u32>; 3] = std::array::from_fn(|channel| match self.placing {
            Placing::Width => equal_width(1 << codes.bits, self.levels),
            Placing::Population => equal_population(&bins[channel], self.levels),
        });
        codes.map(|pixel| std::array::from_fn(|channel| curves[channel][usize::from(pixel[channel])] as u16))
    }
}

/// Returns the curve that divides `code_count` codes into levels of equal width.
#[must_use]
pub fn equal_width(code_count: u32, levels: u32) -> Vec<u32> {
    let tone = |level: u32| (level * (code_count - 1) + (levels - 1) / 2) / (levels - 1);
    (0..code_count).map(|code| tone(code * levels / code_count)).collect()
}

/// Returns the curve that divides a channel's codes into levels of equal population. Without samples, it is the
/// identity.
#[must_use]
pub fn equal_population(bins: &[u32], levels: u32) -> Vec<u32> {
    let samples: u32 = bins.iter().sum();
    if samples == 0 {
        return (0..bins.len() as u32).collect();
    }
    let mut below = vec![0_u32; bins.len()];
    for code in 1..bins.len() {
        below[code] = below[code - 1] + bins[code - 1];
    }
    let tone = |level: u32| {
        let rank = mul_div(samples, 2 * level + 1, 2 * levels).0;
        (0..bins.len()).find(|&code| below[code] + bins[code] > rank).unwrap_or(0) as u32
    };
    let tones: Vec<_> = (0..levels).map(tone).collect();
    let level = |code: usize| mul_div(below[code] + bins[code] / 2, levels, samples).0.min(levels - 1);
    (0..bins.len()).map(|code| tones[level(code) as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_of_equal_width_reach_from_black_to_white() {
        assert_eq!(equal_width(8, 2), [0, 0, 0, 0, 7, 7, 7, 7]);
        let curve = equal_width(256, 5);
        let tones: std::collections::BTreeSet<_> = curve.iter().copied().collect();
        assert_eq!(tones.into_iter().collect::<Vec<_>>(), [0, 64, 128, 191, 255]);
        assert_eq!((curve[51], curve[52]), (0, 64));
    }

    #[test]
    fn levels_of_equal_population_have_nearly_equal_counts() {
        let bins: Vec<u32> = (0..256).map(|code| if code < 64 { 100 } else { 1 }).collect();
        let curve = equal_population(&bins, 4);
        let mut population = std::collections::BTreeMap::new();
        for (&tone, &count) in curve.iter().zip(&bins) {
            *population.entry(tone).or_insert(0) += count;
        }
        assert_eq!(population.len(), 4);
        assert!(population.values().all(|count| count.abs_diff(6592 / 4) <= 100), "{population:?}");
        assert!(curve.is_sorted());
    }

    #[test]
    fn a_single_code_is_unchanged() {
        for count in [1, 2, 3, 1000, 1 << 30] {
            for levels in 2..=16 {
                let mut bins = [0; 256];
                bins[77] = count;
                assert_eq!(equal_population(&bins, levels)[77], 77);
            }
        }
    }
}
