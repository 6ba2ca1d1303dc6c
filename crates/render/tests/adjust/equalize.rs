//! Conversion to working codes, equalization and posterization on the GPU against their scalar definitions.

use histoscope_core::adjust::{Adjustments, Codes, Equalize, Placing, Posterize, Processor, Reduction, Tone, equalize};
use histoscope_core::histogram::reference;
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::{ColorModel, PixelLayout};

use crate::adjuster::{Adjuster, assert_same};
use crate::support::{Random, colorimetry, drawn, native_layouts, natural, noise};

fn equalized(per_channel: bool, time_constant_secs: f64) -> Adjustments {
    let tone = Some(Tone::Equalize(Equalize { per_channel, time_constant_secs }));
    Adjustments { tone, ..Adjustments::default() }
}

fn posterized(levels: u32, placing: Placing) -> Adjustments {
    let reduction = Some(Reduction::Posterize(Posterize { levels, placing }));
    Adjustments { reduction, ..Adjustments::default() }
}

fn natural_420(size: (u32, u32), depth: u8, seed: u64) -> Picture {
    natural(PixelLayout::planar_ycbcr(depth, (1, 1)), size, colorimetry(Matrix::Bt709, Range::Limited), seed)
}

#[test]
fn codes_are_those_that_counting_uses() {
    for (name, layout) in native_layouts() {
        let matrix = if layout.model == ColorModel::Rgb { Matrix::Identity } else { Matrix::Bt2020 };
        let picture = noise(layout, (37, 9), colorimetry(matrix, Range::Limited), 5, 3);
        let codes = Codes::of(&picture);
        let top = codes.top() as i32;
        for y in 0..9 {
            for x in 0..37 {
                let expected = reference::unclamped_rgb(&picture, x, y).map(|code| code.clamp(0, top) as u16);
                assert_eq!(codes.rgb[(y * 37 + x) as usize], expected, "{name} at ({x}, {y})");
            }
        }
        let packed = codes.picture().unwrap();
        assert_eq!(Codes::of(&packed), codes, "{name}: packed and read again");
        assert_eq!(
            codes.histogram(),
            histoscope_render::cpu::Engine::new().count(&packed, Default::default()).clone(),
            "{name}"
        );
    }
}

#[test]
fn every_layout_is_read_and_written_right() {
    let mut adjuster = Adjuster::get();
    for (name, layout) in native_layouts() {
        let matrix = if layout.model == ColorModel::Rgb { Matrix::Identity } else { Matrix::Bt601 };
        let picture = noise(layout, (39, 11), colorimetry(matrix, Range::Full), 0, 8);
        adjuster.check(&name, &picture, &equalized(false, 0.0));
    }
}

#[test]
fn equalization_is_the_reference_to_the_last_code() {
    let mut adjuster = Adjuster::get();
    for depth in [8, 10, 12] {
        for size in [(1, 1), (2, 1), (5, 3), (129, 66), (640, 361)] {
            let picture = natural_420(size, depth, 9);
            for per_channel in [false, true] {
                adjuster.check(&format!("{size:?} at {depth} bits"), &picture, &equalized(per_channel, 0.0));
            }
        }
    }
}

/// The definition in real numbers, pixel by pixel.
#[test]
fn equalized_luminance_is_the_standard_definition_within_one_code() {
    let mut adjuster = Adjuster::get();
    let picture = natural_420((320, 200), 10, 4);
    let codes = Codes::of(&picture);
    let bins = codes.histogram().bins(3).to_vec();
    let adjusted = adjuster.check("natural", &picture, &equalized(false, 0.0));
    let total = bins.iter().sum::<u32>();
    let least = *bins.iter().find(|&&count| count > 0).unwrap();
    for (before, after) in codes.rgb.iter().zip(&adjusted.rgb) {
        let luminance = codes.luminance_bin(*before) as usize;
        let up_to: u32 = bins[..=luminance].iter().sum();
        let new = (f64::from(up_to - least) / f64::from(total - least) * 1023.0).round();
        for channel in 0..3 {
            let exact = f64::from(before[channel]) * new / luminance.max(1) as f64;
            assert!((f64::from(after[channel]) - exact.min(1023.0)).abs() <= 1.0, "{before:?} {after:?} {luminance}");
        }
    }
}

#[test]
fn posterization_is_the_reference_to_the_last_code() {
    let mut adjuster = Adjuster::get();
    for depth in [8, 10, 12] {
        let picture = natural_420((161, 90), depth, 2);
        for levels in [2, 3, 5, 16] {
            for placing in [Placing::Width, Placing::Population] {
                let adjusted = adjuster.check(&format!("{depth} bits"), &picture, &posterized(levels, placing));
                let reds: std::collections::BTreeSet<_> = adjusted.rgb.iter().map(|pixel| pixel[0]).collect();
                assert!(reds.len() <= levels as usize, "{reds:?}");
            }
        }
    }
}

#[test]
fn pictures_without_contrast_stay_sensible() {
    let mut adjuster = Adjuster::get();
    let layout = PixelLayout::planar_gbr(8);
    let color = colorimetry(Matrix::Identity, Range::Full);
    let check = |adjuster: &mut Adjuster, picture: &Picture, adjustments| adjuster.check("flat", picture, &adjustments);
    for code in [0, 1, 128, 255] {
        let picture = drawn(layout, (33, 7), color, |_, _, _| code);
        for adjustments in [equalized(false, 0.0), equalized(true, 0.5), posterized(4, Placing::Population)] {
            let adjusted = check(&mut adjuster, &picture, adjustments);
            assert!(adjusted.rgb.iter().all(|&pixel| pixel == [code; 3]), "{adjustments}: {code} stays");
        }
    }
    let two = drawn(layout, (33, 7), color, |_, x, _| if x < 10 { 100 } else { 110 });
    let adjusted = check(&mut adjuster, &two, equalized(false, 0.0));
    assert!(adjusted.rgb.iter().all(|&pixel| pixel == [0; 3] || pixel == [255; 3]), "two tones become black and white");
}

#[test]
fn the_result_is_counted_like_any_picture() {
    let mut adjuster = Adjuster::get();
    for depth in [8, 10, 12] {
        let picture = natural_420((77, 31), depth, 6);
        let adjusted = adjuster.check("natural", &picture, &equalized(true, 0.0));
        assert_eq!(adjuster.count_result(), adjusted.histogram(), "{depth} bits");
    }
}

#[test]
fn the_chain_counts_by_itself_where_nobody_has() {
    let mut adjuster = Adjuster::get();
    let picture = natural_420((75, 40), 8, 1);
    for adjustments in [equalized(false, 0.0), equalized(true, 0.0), posterized(5, Placing::Population)] {
        let expected = adjuster.check("counted", &picture, &adjustments);
        assert_same("not counted", &adjuster.adjust(&picture, &adjustments, None, false), &expected);
    }
}

#[test]
fn curves_follow_in_time_as_on_the_cpu() {
    let mut adjuster = Adjuster::get();
    for per_channel in [false, true] {
        let adjustments = equalized(per_channel, 0.4);
        let mut processor = Processor::default();
        for frame in 0..8 {
            // A jump in the middle restarts the curve.
            let elapsed = (frame % 5 > 0).then_some(0.04);
            let picture = natural_420((64, 50), 8, frame);
            let expected = processor.apply_to_codes(Codes::of(&picture), &adjustments, elapsed);
            let adjusted = adjuster.adjust(&picture, &adjustments, elapsed, true);
            assert_same(&format!("frame {frame}, {adjustments}"), &adjusted, &expected);
        }
    }
}

/// With constant exposure and noise, the mean of each frame stays within 1 % of the one before.
#[test]
fn noise_does_not_make_the_picture_flicker() {
    let layout = PixelLayout::planar_ycbcr(8, (1, 1));
    let color = colorimetry(Matrix::Bt709, Range::Limited);
    for scene in ["natural", "dark"] {
        let mut random = Random(4);
        let mut processor = Processor::default();
        let mut before: Option<f64> = None;
        for frame in 0..30 {
            let picture = match scene {
                "natural" => natural_420((320, 180), 8, frame),
                // Nearly black, with noise as strong as the picture.
                _ => drawn(layout, (640, 360), color, |index, x, _| {
                    if index > 0 { 128 } else { 17 + x as u16 / 40 + (random.next() % 4 * (random.next() % 2)) as u16 }
                }),
            };
            let elapsed = before.map(|_| 0.04);
            let adjusted = processor.apply_to_codes(Codes::of(&picture), &equalized(false, 0.5), elapsed);
            let sum: u64 = adjusted.rgb.iter().map(|&pixel| u64::from(adjusted.luminance_bin(pixel))).sum();
            let mean = sum as f64 / adjusted.rgb.len() as f64;
            if let Some(before) = before {
                assert!((mean / before - 1.0).abs() < 0.01, "{scene}, frame {frame}: {before} {mean}");
            }
            before = Some(mean);
        }
    }
    assert!((Equalize::default().time_constant_secs - 0.5).abs() < 1e-9, "that is the default");
}

/// Noise moves the smoothed curve from frame to frame several times less than the unsmoothed one.
#[test]
fn smoothing_calms_the_curve() {
    let steps = |time_constant_secs: f64| {
        let (mut state, mut before, mut steps) = (Vec::new(), Vec::new(), 0);
        for frame in 0..40 {
            let histogram = Codes::of(&natural_420((64, 36), 8, frame)).histogram();
            let elapsed = (frame > 0).then_some(0.04);
            let weight = equalize::weight(elapsed, time_constant_secs);
            let curve = equalize::follow(&mut state, &equalize::curve(histogram.bins(3)), weight);
            // The smoothed curve settles in the first second.
            if frame > 25 {
                steps +=
                    curve.iter().zip(&before).map(|(now, before): (&u32, &u32)| now.abs_diff(*before)).sum::<u32>();
            }
            before = curve;
        }
        steps
    };
    let (smoothed, at_once) = (steps(0.5), steps(0.0));
    assert!(smoothed * 3 < at_once, "{smoothed} {at_once}");
}

#[test]
fn the_comparison_notices_one_code() {
    let mut adjuster = Adjuster::get();
    let picture = natural_420((64, 36), 8, 3);
    let adjusted = adjuster.check("natural", &picture, &equalized(false, 0.0));
    let mut wrong = adjusted.clone();
    wrong.rgb[77][1] ^= 1;
    assert!(std::panic::catch_unwind(|| assert_same("wrong", &wrong, &adjusted)).is_err());
    let plain = equalize::apply_to_luminance(Codes::of(&picture), &(0..256).collect::<Vec<_>>());
    assert_eq!(plain, Codes::of(&picture), "a straight curve changes nothing");
    assert_ne!(plain, adjusted);
}
