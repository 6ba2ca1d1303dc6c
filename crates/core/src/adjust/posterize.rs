//! Posterization: each of red, green and blue is reduced to a few levels.
//!
//! N is the number of codes, L the number of levels, and P the number of samples.
//!
//! *By equal width*, level i begins at code i·N/L, and its tone is round(i · (N−1) / (L−1)).
//!
//! *By equal population*, code v, with E(v) samples below it and h(v) samples of its own, belongs to level
//! ⌊(E(v) + ⌊h(v)/2⌋) · L / P⌋, the level of its middle sample. The tone of level i is the code of the sample at rank
//! ⌊(2i+1) · P / (2L)⌋, the level's median.

use super::mul_div;

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
