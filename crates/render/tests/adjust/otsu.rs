//! Otsu's thresholds: the GPU's against the CPU's, and the CPU's against trying every cut.

use histoscope_core::adjust::otsu::{Scores, best_cut, levels, thresholds};
use histoscope_core::adjust::{Adjustments, ClassDisplay, Codes, Otsu, Reduction};
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::PixelLayout;

use crate::adjuster::Adjuster;
use crate::support::{Random, colorimetry, drawn, natural, noise};

fn classes(classes: u32, shown: ClassDisplay) -> Adjustments {
    let reduction = Some(Reduction::Otsu(Otsu { classes, shown }));
    Adjustments { reduction, ..Adjustments::default() }
}

/// Tries every cut of the levels, with the last threshold varying slowest. Returns the first of the best.
fn exhaustive(levels: &[u32], classes: usize) -> Vec<usize> {
    let scores = Scores::new(levels);
    let mut best = (None, Vec::new());
    let mut cut = Vec::new();
    try_all(&scores, classes, levels.len(), 0, &mut cut, &mut best);
    best.1.reverse();
    best.1
}

/// Tries every cut of the levels below `end` into `classes` classes. `cut` holds the thresholds above, last first.
fn try_all(
    scores: &Scores,
    classes: usize,
    end: usize,
    score: u64,
    cut: &mut Vec<usize>,
    best: &mut (Option<u64>, Vec<usize>),
) {
    if classes == 1 {
        let score = score + scores.score(0, end);
        if best.0.is_none_or(|most| score > most) {
            *best = (Some(score), cut.clone());
        }
        return;
    }
    for start in classes - 1..end {
        cut.push(start);
        try_all(scores, classes - 1, start, score + scores.score(start, end), cut, best);
        cut.pop();
    }
}

#[test]
fn the_best_cut_is_the_best_of_all() {
    let mut random = Random(3);
    for round in 0..6 {
        let bins: Vec<u32> = (0..256)
            .map(|level: u32| match round {
                0 => 0,
                1 => u32::from(level == 77) * 1000,
                2 => u32::from(level % 50 == 3) * (level + 1),
                3 => 1 << 22,
                _ => (random.next() % (1 + u64::from(level.abs_diff(100)).pow(2))) as u32,
            })
            .collect();
        for classes in 2..=3 {
            assert_eq!(best_cut(&bins, classes), exhaustive(&bins, classes), "round {round}, {classes} classes");
        }
    }
    for round in 0..20 {
        let few: Vec<u32> = (0..24).map(|_| random.next() as u32 >> (12 + round % 3 * 8)).collect();
        for classes in 2..=5 {
            assert_eq!(best_cut(&few, classes), exhaustive(&few, classes), "{few:?}");
        }
    }
    // Tries all 2.7 million cuts into four classes, once.
    let bins: Vec<u32> = (0..256).map(|_| random.next() as u32 >> 10).collect();
    assert_eq!(best_cut(&bins, 4), exhaustive(&bins, 4));
}

/// Otsu's criterion from the literature, in floats: the variance between the classes.
#[test]
fn the_score_is_the_variance_between_classes() {
    let mut random = Random(9);
    let bins: Vec<u32> = (0..256).map(|_| random.next() as u32 >> 14).collect();
    let total: f64 = bins.iter().map(|&count| f64::from(count)).sum();
    let moments = |range: std::ops::Range<usize>| {
        let samples: f64 = bins[range.clone()].iter().map(|&count| f64::from(count)).sum();
        let sum: f64 = range.map(|level| f64::from(bins[level]) * level as f64).sum();
        (samples, sum)
    };
    let mean = moments(0..256).1 / total;
    let variance = |cut: usize| {
        let class = |range| {
            let (samples, sum) = moments(range);
            samples / total * (sum / samples - mean).powi(2)
        };
        class(0..cut) + class(cut..256)
    };
    let best = (1..256).max_by(|&a, &b| variance(a).total_cmp(&variance(b))).unwrap();
    assert_eq!(best_cut(&bins, 2), [best]);
}

#[test]
fn the_gpu_finds_the_same_thresholds() {
    let mut adjuster = Adjuster::get();
    for depth in [8, 10, 12] {
        let layout = PixelLayout::planar_ycbcr(depth, (1, 1));
        let color = colorimetry(Matrix::Bt709, Range::Limited);
        for (name, picture) in
            [("natural", natural(layout, (320, 180), color, 5)), ("noise", noise(layout, (123, 77), color, 0, 6))]
        {
            for number in 2..=5 {
                let shown = if number % 2 == 0 { ClassDisplay::Tones } else { ClassDisplay::Colors };
                let adjusted = adjuster.check(&format!("{name}, {depth} bits"), &picture, &classes(number, shown));
                let tones: std::collections::BTreeSet<_> = adjusted.rgb.iter().collect();
                assert_eq!(tones.len(), number as usize, "{name}: {number} classes");
            }
        }
    }
}

#[test]
fn sums_beyond_32_bits_are_right() {
    let mut adjuster = Adjuster::get();
    // Twenty million pixels near white: the sum of their levels exceeds 32 bits, and its square exceeds 64.
    let color = colorimetry(Matrix::Bt709, Range::Full);
    let picture = drawn(PixelLayout::gray(8), (4096, 5120), color, |_, x, y| 180 + (x * 3 + y * 5) as u16 % 76);
    for number in [2, 5] {
        adjuster.check("bright", &picture, &classes(number, ClassDisplay::Tones));
    }
}

#[test]
fn pictures_of_one_tone_or_two_are_classes_too() {
    let mut adjuster = Adjuster::get();
    let color = colorimetry(Matrix::Identity, Range::Full);
    for number in 2..=5 {
        for code in [0, 77, 255] {
            let flat = drawn(PixelLayout::planar_gbr(8), (19, 5), color, |_, _, _| code);
            let adjusted = adjuster.check("flat", &flat, &classes(number, ClassDisplay::Tones));
            assert!(adjusted.rgb.iter().all(|&pixel| pixel == adjusted.rgb[0]));
        }
        let two = drawn(PixelLayout::planar_gbr(8), (19, 5), color, |_, x, _| if x > 4 { 200 } else { 30 });
        let adjusted = adjuster.check("two", &two, &classes(number, ClassDisplay::Tones));
        assert_ne!(adjusted.rgb[0], adjusted.rgb[18], "two tones part");
    }
    let bins = Codes::of(&natural(PixelLayout::gray(12), (64, 64), color, 2)).histogram();
    assert_eq!(levels(bins.bins(3)).iter().sum::<u32>(), 64 * 64);
    assert_eq!(thresholds(bins.bins(3), 3).len(), 2);
}
