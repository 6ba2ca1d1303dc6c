//! The fast adjustments on the CPU against the plain ones, to the last code, on random pictures.

use histoscope_core::adjust::{
    self, Adjustments, Blur, CameraLog, Clahe, ClassDisplay, Codes, Equalize, Lut, Otsu, Placing, Posterize, Processor,
    Reduction, Tone,
};
use histoscope_core::histogram::Components;
use histoscope_core::histogram::reference;
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::{ColorModel, PixelLayout};
use proptest::prelude::*;
use proptest::{option, sample};

use crate::support::{Random, colorimetry, drawn, lut, native_layouts, natural, noise};

fn equalize() -> impl Strategy<Value = Tone> {
    let equalize = |per_channel| Tone::Equalize(Equalize { per_channel, time_constant_secs: 0.5 });
    any::<bool>().prop_map(equalize)
}

fn clahe() -> impl Strategy<Value = Tone> {
    let limits = prop_oneof![Just(0.0), 0.0..4.0, 4.0..100.0_f64];
    (1_u32..=16, 1_u32..=16, limits)
        .prop_map(|(across, down, clip_limit)| Tone::Clahe(Clahe { tiles: (across, down), clip_limit }))
}

fn reduction() -> impl Strategy<Value = Reduction> {
    let placings = sample::select(vec![Placing::Width, Placing::Population]);
    let posterize =
        (2_u32..=16, placings).prop_map(|(levels, placing)| Reduction::Posterize(Posterize { levels, placing }));
    let shown = sample::select(vec![ClassDisplay::Tones, ClassDisplay::Colors]);
    let threshold = (2_u32..=5, shown).prop_map(|(classes, shown)| Reduction::Otsu(Otsu { classes, shown }));
    prop_oneof![posterize, threshold]
}

fn adjustments() -> impl Strategy<Value = Adjustments> {
    let blur = (1_u32..=31, 1_u32..=3).prop_map(|(reach, runs)| Blur { size: 2 * reach + 1, runs });
    let tone = prop_oneof![equalize(), clahe()];
    let file = (sample::select(vec![0, 2, 3, 17]), 0_u64..4).prop_map(|(side, seed)| lut(side, seed));
    let lut = prop_oneof![file, sample::select(CameraLog::ALL.to_vec()).prop_map(Lut::of_camera)];
    let steps = (option::of(lut), option::of(blur), option::of(tone), option::of(reduction()));
    steps.prop_map(|(lut, blur, tone, reduction)| Adjustments { lut, blur, tone, reduction })
}

/// The content of a picture.
#[derive(Debug, Clone, Copy)]
enum Content {
    Noise,
    Natural,
    /// Every component has one code.
    Flat,
    /// Two codes.
    Two,
    /// Slightly above black, where luminance is 0 although a colour is not.
    Dark,
}

fn picture(
    content: Content,
    layout: PixelLayout,
    size: (u32, u32),
    matrix: Matrix,
    range: Range,
    seed: u64,
) -> Picture {
    let matrix = if layout.model == ColorModel::Rgb { Matrix::Identity } else { matrix };
    let color = colorimetry(matrix, range);
    let mut random = Random(seed);
    let top = (1_usize << layout.depth) - 1;
    let [one, other] = [random.below(top + 1) as u16, random.below(top + 1) as u16];
    match content {
        Content::Noise => noise(layout, size, color, seed as usize % 60, seed),
        Content::Natural => natural(layout, size, color, seed),
        Content::Flat => drawn(layout, size, color, |index, _, _| one.rotate_left(index as u32) & top as u16),
        Content::Two => drawn(layout, size, color, |_, x, y| if x * 3 > y * 2 { one } else { other }),
        Content::Dark => drawn(layout, size, color, |index, _, _| {
            let black = if index > 0 && layout.model == ColorModel::YCbCr { (top / 2) as u16 } else { 0 };
            black + (random.next() % 3) as u16
        }),
    }
}

fn contents() -> impl Strategy<Value = Content> {
    sample::select(vec![Content::Noise, Content::Natural, Content::Flat, Content::Two, Content::Dark])
}

fn layouts() -> impl Strategy<Value = PixelLayout> {
    sample::select(native_layouts().into_iter().map(|(_, layout)| layout).collect::<Vec<_>>())
}

/// Returns sizes of a single pixel, of less than a tile, and of thousands of pixels.
fn sizes() -> impl Strategy<Value = (u32, u32)> {
    prop_oneof![(1_u32..5, 1_u32..5), (1_u32..180, 1_u32..60), (300_u32..900, 1_u32..12), (1_u32..4, 60_u32..300)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn fast_is_plain(
        adjustments in adjustments(),
        layout in layouts(),
        content in contents(),
        size in sizes(),
        matrix in sample::select(Matrix::ALL.to_vec()),
        limited in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let range = if limited { Range::Limited } else { Range::Full };
        let picture = picture(content, layout, size, matrix, range, seed);
        let codes = adjust::reference::codes(&picture);
        prop_assert_eq!(&Codes::of(&picture), &codes, "the codes");
        let expected = adjust::reference::apply(codes, &adjustments);
        let adjusted = Processor::default().apply_to_codes(Codes::of(&picture), &adjustments, None);
        let differs = |at: &usize| adjusted.rgb[*at] != expected.rgb[*at];
        let first = (0..expected.rgb.len()).find(differs);
        let pair = first.map(|at| (at, adjusted.rgb[at], expected.rgb[at]));
        prop_assert_eq!(pair, None, "{}: pixel, found, expected", adjustments);
        let packed = adjusted.picture().unwrap();
        prop_assert_eq!(&adjust::reference::codes(&packed), &expected, "packed");
        let histogram = expected.histogram();
        prop_assert_eq!(&histogram, &reference::histogram(&packed, Components::Rgbl), "counted");
        for (channel, bins) in adjust::reference::bins(&expected).iter().enumerate() {
            prop_assert_eq!(histogram.bins(channel), &bins[..]);
        }
    }
}

/// A picture large enough for its rows to be divided among several threads, and for the sums of its columns to restart.
#[test]
fn large_pictures_are_cut_into_shares_without_seams() {
    let layout = PixelLayout::planar_ycbcr(8, (1, 1));
    let picture = natural(layout, (401, 530), colorimetry(Matrix::Bt709, Range::Limited), 3);
    for adjustments in [
        Adjustments { blur: Some(Blur { size: 63, runs: 2 }), ..Adjustments::default() },
        Adjustments { tone: Some(Tone::Clahe(Clahe { tiles: (3, 16), clip_limit: 2.0 })), ..Adjustments::default() },
        Adjustments { tone: Some(Tone::Equalize(Equalize::default())), ..Adjustments::default() },
        Adjustments { reduction: Some(Reduction::Otsu(Otsu::default())), ..Adjustments::default() },
    ] {
        let expected = adjust::reference::apply(adjust::reference::codes(&picture), &adjustments);
        let adjusted = Processor::default().apply_to_codes(Codes::of(&picture), &adjustments, None);
        assert!(adjusted == expected, "{adjustments}");
    }
}

/// If luminance is 0 although a colour is not, there is no ratio to scale by, and the pixel stays unchanged.
#[test]
fn colours_too_dark_for_a_luminance_stay() {
    for depth in [8, 10, 12] {
        let picture = picture(
            Content::Dark,
            PixelLayout::planar_gbr(depth),
            (40, 30),
            Matrix::Identity,
            Range::Full,
            u64::from(depth),
        );
        let codes = Codes::of(&picture);
        let without = |pixel: &&[u16; 3]| codes.luminance_bin(**pixel) == 0 && **pixel != [0; 3];
        assert!(codes.rgb.iter().filter(without).count() > 20, "{depth} bits");
        for tone in [Tone::Equalize(Equalize::default()), Tone::Clahe(Clahe { tiles: (2, 2), clip_limit: 50.0 })] {
            let adjustments = Adjustments { tone: Some(tone), ..Adjustments::default() };
            let adjusted = Processor::default().apply_to_codes(codes.clone(), &adjustments, None);
            assert!(adjusted == adjust::reference::apply(codes.clone(), &adjustments), "{depth} bits, {adjustments}");
            assert_ne!(adjusted, codes, "{adjustments} does something to the others");
        }
    }
}
