//! The weights of luminance: whatever is counted or drawn by luminance follows those of the picture, with any engine.

use histoscope_core::adjust::{Adjustments, Equalize, Tone};
use histoscope_core::histogram::{Components, Transfer, reference};
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::{ColorModel, PixelLayout};
use histoscope_core::picture::luminance::LuminanceWeights;
use histoscope_render::cpu;
use histoscope_render::view::brush::Brush;
use histoscope_render::view::brushes::Brushes;
use histoscope_render::view::exposure::{Exposure, FalseColor, FalseColorTable, Level, stripe_pixels};
use histoscope_render::view::overlay::Channels;
use histoscope_render::view::placement::{Fit, ViewSettings};
use histoscope_render::view::probe::probe;
use histoscope_render::view::scene::{Look, Scene};

use crate::counter::Counter;
use crate::studio::{Studio, UPRIGHT, WAYS, adjusted, bare};
use crate::support::image::pixel;
use crate::support::{colorimetry, native_layouts, noise};

const SIZE: (u32, u32) = (67, 41);

/// Returns a picture of noise twice: with the usual weights, and with those of BT.2020.
fn twice(layout: PixelLayout, seed: u64) -> [Picture; 2] {
    let matrix = if layout.model == ColorModel::Rgb { Matrix::Identity } else { Matrix::Bt709 };
    let picture = noise(layout, SIZE, colorimetry(matrix, Range::Limited), 3, seed);
    LuminanceWeights::ALL.map(|weights| picture.with_luminance(weights))
}

/// Returns one layout for each way of reading samples.
fn some_layouts() -> Vec<(String, PixelLayout)> {
    let names = ["gray10", "yuv420p8", "nv12", "yuv444p10", "p210", "gbrp12", "rgb"];
    let layouts = native_layouts().into_iter().filter(|(name, _)| names.contains(&name.as_str())).collect::<Vec<_>>();
    assert_eq!(layouts.len(), names.len());
    layouts
}

#[test]
fn every_layout_is_counted_by_its_weights_with_every_engine_and_level() {
    let mut counter = Counter::get();
    let levels = cpu::Level::ALL.iter().filter(|level| level.is_available());
    let mut engines: Vec<_> = levels
        .flat_map(|&level| [false, true].map(|pairing| cpu::Engine::with_level(level).with_pairing(pairing)))
        .collect();
    for ((name, layout), seed) in native_layouts().into_iter().zip(0..) {
        let expected = twice(layout, seed).map(|picture| {
            let expected = reference::histogram(&picture, Components::Rgbl);
            assert!(counter.count(&picture, Components::Rgbl).words == expected.words, "{name}: the adapter");
            for engine in &mut engines {
                let level = engine.level();
                assert!(*engine.count(&picture, Components::Rgbl) == expected, "{name}: the CPU, {level}");
            }
            expected
        });
        // Gray has the same luminance by any weights.
        let [usual, other] = expected.each_ref().map(|expected| expected.bins(3));
        assert_eq!(usual != other, layout.model != ColorModel::Gray, "{name}");
        assert!((0..3).all(|channel| expected[0].bins(channel) == expected[1].bins(channel)), "{name}");
    }
}

#[test]
fn linear_light_follows_the_weights() {
    let mut studio = Studio::get();
    for ((name, layout), seed) in some_layouts().into_iter().zip(0..) {
        for picture in twice(layout, seed) {
            let linear = reference::linear_luminance(&picture, Transfer::Bt1886);
            for way in WAYS {
                let name = format!("{name}, {way:?}, {}", picture.colorimetry().luminance);
                studio.load(way, &picture, UPRIGHT, Components::Rgbl);
                let (renderer, gpu) = studio.renderer(way);
                assert!(renderer.count_linear(gpu, &Scene::default()).unwrap().1 == linear, "{name}");
            }
        }
    }
}

#[test]
fn what_is_drawn_by_luminance_follows_the_weights_of_a_picture_and_of_its_result() {
    let mut studio = Studio::get();
    let zebra = Exposure { zebra: true, level: Level::Permille(600), ..Exposure::default() };
    let steps = FalseColor { shown: true, table: FalseColorTable::Steps, ..FalseColor::default() };
    let view = ViewSettings::fitted(Fit::Actual);
    let tone = Some(Tone::Equalize(Equalize { per_channel: false, time_constant_secs: 0.0 }));
    let places = || (0..SIZE.1).flat_map(|y| (0..SIZE.0).map(move |x| (x, y)));
    for ((name, layout), seed) in some_layouts().into_iter().zip(0..) {
        for adjustments in [Adjustments::default(), Adjustments { tone, ..Adjustments::default() }] {
            let pictures = twice(layout, seed);
            for way in WAYS {
                let drawn = pictures.each_ref().map(|picture| {
                    let name = format!("{name}, {way:?}, {adjustments}, {}", picture.colorimetry().luminance);
                    let shown = match adjustments.is_off() {
                        true => picture.clone(),
                        false => adjusted(picture, &adjustments),
                    };
                    let scene = |exposure| Scene::from(Look { view, exposure, ..bare(adjustments).look });
                    let plain = studio.plain(way, picture, SIZE, &scene(Exposure::default()));
                    let bare = match adjustments.is_off() {
                        true => plain,
                        false => studio.snapshot(way, SIZE, &scene(Exposure::default())),
                    };
                    let striped = studio.snapshot(way, SIZE, &scene(zebra));
                    let tinted =
                        studio.snapshot(way, SIZE, &scene(Exposure { false_color: steps, ..Exposure::default() }));
                    let of = |exposure: Exposure| {
                        let color = shown.colorimetry();
                        exposure.inspection_for(shown.layout(), color, Components::Rgbl, None).expect("it is on")
                    };
                    let (stripes, tint) = (of(zebra), of(Exposure { false_color: steps, ..Exposure::default() }));
                    for (x, y) in places() {
                        let codes = reference::components(&shown, x, y);
                        let expected =
                            stripes.painted(pixel(&bare, x, y), &stripes.inspect(codes), (x, y), stripe_pixels(SIZE.1));
                        assert_eq!(pixel(&striped, x, y), expected, "{name}: zebra at ({x}, {y})");
                        assert_eq!(Some(pixel(&tinted, x, y)), tint.tinted(codes), "{name}: colour at ({x}, {y})");
                    }
                    (striped, tinted)
                });
                // The tint of luma goes by its code.
                let [usual, other] = &drawn;
                if adjustments.is_off() && layout.model != ColorModel::Gray {
                    assert!(usual.0.rgba != other.0.rgba, "{name}, {way:?}: zebra");
                    assert_eq!(usual.1.rgba != other.1.rgba, layout.model == ColorModel::Rgb, "{name}, {way:?}");
                }
            }
        }
    }
}

#[test]
fn brushes_of_luminance_select_by_the_weights() {
    let mut studio = Studio::get();
    let view = ViewSettings::fitted(Fit::Actual);
    for ((name, layout), seed) in some_layouts().into_iter().zip(0..) {
        let middle = 1 << (layout.bin_bits() - 1);
        let brush = Brush { channels: Channels::one(3), low: middle, high: middle + middle / 4 };
        for picture in twice(layout, seed) {
            let is_lit = |x, y| probe(&picture, x, y, Components::Rgbl).is_lit_by(&brush);
            let lit = (0..SIZE.1).flat_map(|y| (0..SIZE.0).map(move |x| (x, y))).filter(|&(x, y)| is_lit(x, y)).count();
            let bins = reference::histogram(&picture, Components::Rgbl);
            let counted: u32 = bins.bins(3)[brush.low as usize..=brush.high as usize].iter().sum();
            assert_eq!(lit, counted as usize, "{name}: the probe");
            for way in WAYS {
                let name = format!("{name}, {way:?}, {}", picture.colorimetry().luminance);
                let look = Look { view, ..bare(Adjustments::default()).look };
                studio.load(way, &picture, UPRIGHT, Components::Rgbl);
                let unlit = studio.snapshot(way, SIZE, &Scene::from(look));
                let scene = Scene { brushes: Brushes::of_histogram(Some(brush)), ..Scene::from(look) };
                let shown = studio.snapshot(way, SIZE, &scene);
                for (x, y) in (0..SIZE.1).flat_map(|y| (0..SIZE.0).map(move |x| (x, y))) {
                    if is_lit(x, y) {
                        assert_eq!(pixel(&shown, x, y), pixel(&unlit, x, y), "{name}: lit at ({x}, {y})");
                    } else if pixel(&unlit, x, y).iter().any(|&code| code > 100) {
                        assert_ne!(pixel(&shown, x, y), pixel(&unlit, x, y), "{name}: dim at ({x}, {y})");
                    }
                }
            }
        }
    }
}
