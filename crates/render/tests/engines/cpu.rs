//! The CPU engine against the scalar reference: every native layout, matrix, range and instruction level, odd sizes.

use std::sync::Arc;

use histoscope_core::histogram::Components;
use histoscope_core::histogram::reference;
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::picture::{OwnedPlanes, Picture};
use histoscope_render::cpu::{Engine, Level};

use crate::support::{Random, colorimetry, constant, drawn, native_layouts, noise, planes};

/// Returns engines of every instruction level of this machine, counting one channel at a time and two.
fn engines() -> Vec<Engine> {
    let levels = Level::ALL.iter().filter(|level| level.is_available());
    levels.flat_map(|&level| [false, true].map(|pairing| Engine::with_level(level).with_pairing(pairing))).collect()
}

/// Fails unless every engine counts the picture as the reference does.
fn check(engines: &mut [Engine], picture: &Picture, what: &str) {
    assert!(!engines.is_empty());
    for components in [Components::Rgbl, Components::YCbCr] {
        let expected = reference::histogram(picture, components);
        for engine in engines.iter_mut() {
            let level = engine.level();
            let counted = engine.count(picture, components);
            if *counted != expected {
                let at = counted.words.iter().zip(&expected.words).position(|(a, b)| a != b);
                panic!("{what}, {components:?}, {level}: word {at:?} differs; {picture:?}");
            }
        }
    }
}

#[test]
fn plain_and_vector_levels_are_both_tested() {
    let levels: Vec<_> = engines().iter().map(Engine::level).collect();
    assert!(levels.contains(&Level::Plain));
    assert_eq!(Engine::new().level(), *levels.last().unwrap(), "the best level is the default");
    #[cfg(target_arch = "x86_64")]
    assert_eq!(levels.contains(&Level::Avx2), is_x86_feature_detected!("avx2"));
}

#[test]
fn every_layout_matrix_and_range_at_odd_sizes() {
    let mut engines = engines();
    let layouts = native_layouts();
    assert!(layouts.len() > 60, "{} layouts", layouts.len());
    for (seed, (name, layout)) in layouts.into_iter().enumerate() {
        for (index, matrix) in Matrix::ALL.into_iter().enumerate() {
            for range in [Range::Limited, Range::Full] {
                // Wider than a block, by an amount that no vector width divides.
                let size = (517 + index as u32, 5 + 2 * (index as u32 % 3));
                let picture = noise(layout, size, colorimetry(matrix, range), 3 * (index % 2), seed as u64);
                check(&mut engines, &picture, &format!("{name} {matrix} {range}"));
            }
        }
    }
}

#[test]
fn extreme_shapes() {
    let mut engines = engines();
    let names =
        ["yuv420p8", "yuv410p10", "nv12", "p010", "gray8", "gray16", "yuyv422", "gbrp12", "rgb", "rgba 16 bits"];
    for (name, layout) in native_layouts().into_iter().filter(|(name, _)| names.contains(&name.as_str())) {
        let shapes =
            [(1, 1), (2, 2), (1, 257), (17, 1), (3, 3), (20_000, 3), (3, 20_000), (511, 2), (512, 2), (513, 2)];
        for (seed, size) in shapes.into_iter().enumerate() {
            let picture = noise(layout, size, colorimetry(Matrix::Bt709, Range::Limited), seed, seed as u64);
            check(&mut engines, &picture, &format!("{name} {size:?}"));
        }
    }
}

/// In each case only one channel leaves the range, on one side. Vectors of pixels within the range take a shorter path.
#[test]
fn colours_of_which_one_channel_leaves_the_range() {
    let mut engines = engines();
    let (layout, size) = (PixelLayout::planar_ycbcr(8, (1, 1)), (48, 2));
    let mut alone = [false; 6];
    for y in (0..256).step_by(5) {
        for (cb, cr) in (0..256).step_by(15).flat_map(|cb| (0..256).step_by(15).map(move |cr| (cb, cr))) {
            let colorimetry = colorimetry(Matrix::Bt709, Range::Limited);
            let picture = drawn(layout, size, colorimetry, |component, _, _| [y, cb, cr][component]);
            let expected = reference::histogram(&picture, Components::Rgbl);
            let outside: Vec<u32> = (0..3).flat_map(|channel| expected.out_of_range(channel)).collect();
            let leaves: Vec<usize> = (0..6).filter(|&side| outside[side] > 0).collect();
            if leaves.len() == 1 && !alone[leaves[0]] {
                check(&mut engines, &picture, &format!("Y'CbCr {y} {cb} {cr}"));
                alone[leaves[0]] = true;
            }
        }
    }
    assert_eq!(alone, [true; 6], "red, green and blue, each below and above");
}

#[test]
fn large_pictures_of_one_colour_do_not_overflow_a_bin() {
    let mut engines = engines();
    for layout in
        [PixelLayout::planar_ycbcr(8, (1, 1)), PixelLayout::gray(10), PixelLayout::packed_rgb(16, [0, 1, 2], 3)]
    {
        let picture = constant(layout, (1031, 517), colorimetry(Matrix::Bt601, Range::Limited));
        // One thread counts everything: 133,000 pixels in each of the four narrow bins of a pair of codes.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        pool.install(|| check(&mut engines, &picture, "constant"));
    }
}

#[test]
fn one_engine_counts_pictures_of_changing_depth_and_size() {
    let mut engines = engines();
    let colorimetry = colorimetry(Matrix::Bt2020, Range::Limited);
    for (seed, depth) in [8, 12, 10, 8, 16].into_iter().enumerate() {
        for size in [(640, 360), (9, 7), (333, 334)] {
            let picture = noise(PixelLayout::planar_ycbcr(depth, (1, 1)), size, colorimetry, 5, seed as u64);
            check(&mut engines, &picture, &format!("{depth} bits {size:?}"));
        }
    }
}

#[test]
fn one_thread_and_many_give_the_same() {
    let picture =
        noise(PixelLayout::planar_ycbcr(8, (1, 1)), (1001, 777), colorimetry(Matrix::Bt709, Range::Full), 0, 1);
    let expected = reference::histogram(&picture, Components::Rgbl);
    for threads in [1, 2, 3, 16] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let counted = pool.install(|| Engine::new().count(&picture, Components::Rgbl).clone());
        assert_eq!(counted, expected, "{threads} threads");
    }
}

/// Guards against a comparison that never fails: one sample is changed, and exactly the bins of the pixels that it
/// covers must change.
#[test]
fn one_changed_sample_moves_exactly_its_pixels() {
    let layout = PixelLayout::planar_ycbcr(8, (1, 1));
    let (size, colorimetry) = ((101, 67), colorimetry(Matrix::Bt709, Range::Limited));
    let mut random = Random(11);
    let original = planes(&layout, size, 0, |count| random.bytes(count));
    let count = |planes: &OwnedPlanes, engine: &mut Engine| {
        let picture = Picture::new(layout, size, colorimetry, Arc::new(planes.clone())).unwrap();
        engine.count(&picture, Components::Rgbl).clone()
    };
    for mut engine in engines() {
        let before = count(&original, &mut engine);
        // A luma sample covers one pixel. An inner Cb sample covers four, and does not affect red.
        for (plane, at, pixels) in [(0, 101 * 66 + 100, 1), (1, 51 * 3 + 7, 4)] {
            let mut changed = original.clone();
            changed.planes[plane].0[at] = 255 - changed.planes[plane].0[at];
            let after = count(&changed, &mut engine);
            assert_ne!(before, after, "{}", engine.level());
            for channel in 0..4 {
                let left = moved(before.bins(channel), after.bins(channel));
                let arrived = moved(after.bins(channel), before.bins(channel));
                assert_eq!(left, arrived, "channel {channel} loses no pixel");
                assert!(left <= pixels, "channel {channel}: {left} pixels moved");
                assert!(plane == 0 || channel != 0 || left == 0, "red does not depend on Cb");
            }
        }
    }
}

/// Returns the number of pixels that left their bin.
fn moved(before: &[u32], after: &[u32]) -> u32 {
    before.iter().zip(after).map(|(b, a)| b.saturating_sub(*a)).sum()
}
