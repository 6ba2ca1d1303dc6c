//! Both engines against the scalar reference, on random pictures.

use histoscope_core::histogram::Components;
use histoscope_core::histogram::reference;
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::{ChromaLines, ColorModel, Component, PixelLayout};
use histoscope_render::cpu::{Engine, Level};
use proptest::prelude::*;

use crate::counter::Counter;
use crate::support::{colorimetry, native_layouts, noise};

/// A component anywhere in any of three planes, within the limits of a layout.
fn component(depth: u8, sample_bytes: u8) -> impl Strategy<Value = Component> {
    let spare_bits = sample_bytes * 8 - depth;
    (0_u8..3, 1_u8..=9, any::<u8>(), 0..=spare_bits).prop_map(move |(plane, samples, position, shift)| Component {
        plane,
        offset: position % samples * sample_bytes,
        step: samples * sample_bytes,
        shift,
    })
}

/// Any valid layout, usually unlike any existing format.
fn any_layout() -> impl Strategy<Value = PixelLayout> {
    let models = prop_oneof![Just(ColorModel::Gray), Just(ColorModel::YCbCr), Just(ColorModel::Rgb)];
    let depths = prop_oneof![Just((8, 1)), Just((8, 2)), Just((10, 2)), Just((12, 2)), Just((14, 2)), Just((16, 2))];
    (models, depths, 0_u8..3, 0_u8..3)
        .prop_flat_map(|(model, (depth, sample_bytes), sx, sy)| {
            let one = || component(depth, sample_bytes);
            let chroma_shift = if model == ColorModel::YCbCr { (sx, sy) } else { (0, 0) };
            (one(), one(), one()).prop_map(move |(a, b, c)| PixelLayout {
                model,
                depth,
                sample_bytes,
                chroma_shift,
                chroma_lines: ChromaLines::Frame,
                components: [a, b, c],
            })
        })
        .prop_filter("chroma lies between lines of luma", |layout| layout.validate().is_ok())
}

/// Existing layouts and random ones, equally often.
fn layout() -> impl Strategy<Value = PixelLayout> {
    let native: Vec<_> = native_layouts().into_iter().map(|(_, layout)| layout).collect();
    let lines = proptest::sample::select(vec![ChromaLines::Frame, ChromaLines::Field]);
    (prop_oneof![proptest::sample::select(native), any_layout()], lines)
        .prop_map(|(layout, lines)| layout.with_chroma_lines(lines))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn the_cpu_counts_like_the_reference(
        layout in layout(),
        matrix in proptest::sample::select(Matrix::ALL.to_vec()),
        limited in any::<bool>(),
        width in 1_u32..1100,
        height in 1_u32..20,
        padding in 0_usize..70,
        seed in any::<u64>(),
    ) {
        prop_assert_eq!(layout.validate(), Ok(()));
        let range = if limited { Range::Limited } else { Range::Full };
        let picture = noise(layout, (width, height), colorimetry(matrix, range), padding, seed);
        for components in [Components::Rgbl, Components::YCbCr] {
            let expected = reference::histogram(&picture, components);
            for &level in Level::ALL {
                let mut engine = Engine::with_level(level);
                prop_assert_eq!(engine.count(&picture, components), &expected, "{} {:?}", level, components);
            }
        }
    }
}

proptest! {
    // A software adapter needs a good part of a second to compile each new layout.
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn the_gpu_counts_like_the_reference(
        layout in layout(),
        matrix in proptest::sample::select(Matrix::ALL.to_vec()),
        limited in any::<bool>(),
        width in 1_u32..1100,
        height in 1_u32..40,
        padding in 0_usize..70,
        seed in any::<u64>(),
    ) {
        let range = if limited { Range::Limited } else { Range::Full };
        let picture = noise(layout, (width, height), colorimetry(matrix, range), padding, seed);
        let mut counter = Counter::get();
        for components in [Components::Rgbl, Components::YCbCr] {
            let expected = reference::histogram(&picture, components);
            let counted = counter.count(&picture, components);
            prop_assert_eq!(counted, expected, "{:?}", components);
        }
    }
}
