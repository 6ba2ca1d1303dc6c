//! False colour: each pixel has exactly the colour that the definition gives its code, with any engine, below brushes,
//! zebra and marks.

use std::collections::BTreeSet;

use histoscope_core::adjust::{Adjustments, Blur, Posterize, Reduction, working_colorimetry};
use histoscope_core::histogram::{Components, reference};
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::{ColorModel, PixelLayout};
use histoscope_core::picture::{Orientation, Ratio};
use histoscope_render::gpu::Scene;
use histoscope_render::view::brush::Brush;
use histoscope_render::view::brushes::Brushes;
use histoscope_render::view::exposure::{Exposure, FalseColor, FalseColorTable, Level, MarkLimits, stripe_pixels};
use histoscope_render::view::placement::{Fit, Placement, Shape, ViewSettings};
use histoscope_render::view::scene::{Look, Pair};

use crate::studio::{Studio, UPRIGHT, WAYS, adjusted};
use crate::support::image::{distance, pixel};
use crate::support::{colorimetry, native_layouts, natural, noise};

const SIZE: (u32, u32) = (67, 41);

fn scene(exposure: Exposure) -> Scene {
    Scene::from(Look { overlays: false, view: ViewSettings::fitted(Fit::Actual), exposure, ..Look::default() })
}

const fn by(table: FalseColorTable) -> FalseColor {
    FalseColor { shown: true, table, unit: histoscope_render::view::exposure::Unit::Percent }
}

fn tinted(table: FalseColorTable) -> Exposure {
    Exposure { false_color: by(table), ..Exposure::default() }
}

fn places() -> impl Iterator<Item = (u32, u32)> {
    (0..SIZE.1).flat_map(|y| (0..SIZE.0).map(move |x| (x, y)))
}

#[test]
fn every_pixel_has_the_colour_of_its_code_in_every_layout_and_below_zebras_and_marks() {
    let mut studio = Studio::get();
    let mut seen = BTreeSet::new();
    for (number, (name, layout)) in native_layouts().into_iter().enumerate().step_by(2) {
        let color = colorimetry(Matrix::ALL[number % 7], [Range::Limited, Range::Full][number / 2 % 2]);
        let picture = noise(layout, SIZE, color, number % 3, number as u64);
        for way in WAYS {
            studio.load(way, &picture, UPRIGHT, Components::Rgbl);
            for table in FalseColorTable::ALL {
                let bare = studio.snapshot(way, SIZE, &scene(tinted(table)));
                let both = Exposure { zebra: true, marks: true, level: Level::Permille(700), ..tinted(table) };
                let marked = studio.snapshot(way, SIZE, &scene(both));
                let inspection =
                    both.inspection_for(&layout, picture.colorimetry(), Components::Rgbl, None).expect("all are on");
                for (x, y) in places() {
                    let codes = reference::components(&picture, x, y);
                    let expected = inspection.tinted(codes).expect("it is on");
                    assert_eq!(pixel(&bare, x, y), expected, "{name} {way:?} {table:?} at ({x}, {y}): {codes:?}");
                    seen.insert(expected);
                    let expected =
                        inspection.painted(expected, &inspection.inspect(codes), (x, y), stripe_pixels(SIZE.1));
                    assert_eq!(pixel(&marked, x, y), expected, "{name} {way:?} {table:?} marked at ({x}, {y})");
                }
            }
        }
    }
    // Sixteen colours, and many grays.
    assert!(seen.len() > 150, "{}", seen.len());
}

#[test]
fn of_luma_its_code_decides_and_of_colours_the_luminance_that_is_counted() {
    for (name, layout) in native_layouts() {
        let color = colorimetry(Matrix::Bt709, Range::Limited);
        let picture = noise(layout, SIZE, color, 0, 3);
        let inspection =
            tinted(FalseColorTable::Steps).inspection_for(&layout, &color, Components::Rgbl, None).expect("it is on");
        let tint = inspection.tint.expect("it is on");
        let histogram = reference::histogram(&picture, Components::Rgbl);
        let mut bins = vec![0_u32; 1 << layout.bin_bits()];
        for (x, y) in places() {
            let value = tint.value(reference::components(&picture, x, y), inspection.conversion());
            bins[value as usize] += 1;
        }
        let coded = (layout.model != ColorModel::Rgb).then(|| reference::histogram(&picture, Components::YCbCr));
        let expected = coded.as_ref().map_or_else(|| histogram.bins(3), |coded| coded.bins(0));
        assert_eq!(bins, expected, "{name}");
    }
}

#[test]
fn the_shader_and_the_cpu_paint_alike_in_every_turn_and_size_beside_a_brush_and_a_divider() {
    let mut studio = Studio::get();
    let color = colorimetry(Matrix::Bt709, Range::Limited);
    let blurred = Adjustments { blur: Some(Blur { size: 3, runs: 1 }), ..Adjustments::default() };
    for (number, (name, layout)) in native_layouts().into_iter().enumerate().step_by(9) {
        let picture = natural(layout, (61, 35), color, number as u64);
        for quarter_turns in 0..4 {
            let placing = (Ratio { num: 4, den: 3 }, Orientation { quarter_turns, mirrored: number.is_multiple_of(2) });
            let (adjustments, pair) =
                if quarter_turns % 2 == 0 { (blurred, Pair::divided(0.4)) } else { Default::default() };
            let scene = Scene {
                look: Look {
                    overlays: false,
                    exposure: Exposure {
                        zebra: number % 3 > 0,
                        level: Level::Permille(600),
                        marks: number % 3 > 1,
                        limits: MarkLimits::Own(Level::Permille(300), Level::Permille(800)),
                        false_color: by(FalseColorTable::ALL[number % 2]),
                        ..Exposure::default()
                    },
                    adjustments,
                    view: ViewSettings::fitted([Fit::Cover, Fit::Contain][number / 2 % 2]),
                    ..Look::default()
                },
                brushes: Brushes::of_histogram((quarter_turns < 2).then_some(Brush::between(
                    3,
                    1 << (layout.bin_bits() - 1),
                    4095,
                ))),
                ..Scene::default()
            }
            .with_pair(pair);
            let size = [(90, 70), (64, 99)][number % 2];
            let [shader, cpu] = WAYS.map(|way| {
                studio.load(way, &picture, placing, Components::Rgbl);
                studio.snapshot(way, size, &scene)
            });
            // Nothing is interpolated, so nothing is rounded either, except the divider's line, which only a shader
            // draws.
            assert_eq!(distance(&shader, &cpu), 0, "{name} {quarter_turns}");
        }
    }
}

#[test]
fn what_a_brush_does_not_light_dims_from_its_false_colour_and_what_is_small_shows_the_pixel_that_covers_it() {
    let mut studio = Studio::get();
    let layout = PixelLayout::planar_ycbcr(10, (1, 1));
    let color = colorimetry(Matrix::Bt709, Range::Limited);
    let picture = natural(layout, (201, 120), color, 4);
    let size = (67, 40);
    let brush = Brush::between(3, 300, 600);
    let scene = Scene {
        look: Look { view: ViewSettings::default(), ..scene(tinted(FalseColorTable::Camera)).look },
        brushes: Brushes::of_histogram(brush),
        ..Scene::default()
    };
    let shape = Shape { width: 201, height: 120, sample_aspect: Ratio::ONE, orientation: Orientation::default() };
    let nearest = Placement::new(&shape, &scene.look.view, size).nearest();
    let inspection = scene.look.exposure.inspection_for(&layout, &color, Components::Rgbl, None).expect("it is on");
    let lighting = scene.lighting(Components::Rgbl).expect("there is a brush");
    let mut dim = 0;
    for way in WAYS {
        studio.load(way, &picture, UPRIGHT, Components::Rgbl);
        let image = studio.snapshot(way, size, &scene);
        for (x, y) in (0..size.1).flat_map(|y| (0..size.0).map(move |x| (x, y))) {
            let (column, row) = (nearest.columns[x as usize], nearest.rows[y as usize]);
            let codes = reference::components(&picture, column, row);
            let colour = inspection.tinted(codes).expect("it is on");
            let is_lit = lighting.lights(codes, 3, inspection.conversion());
            let expected = if is_lit { colour } else { lighting.dimmed(colour) };
            dim += u32::from(!is_lit);
            assert_eq!(pixel(&image, x, y), expected, "{way:?} at ({x}, {y})");
        }
    }
    assert!((1000..8000).contains(&dim), "{dim}");
}

#[test]
fn either_side_of_the_divider_tells_of_its_own_codes() {
    let mut studio = Studio::get();
    let color = colorimetry(Matrix::Bt709, Range::Limited);
    let picture = noise(PixelLayout::planar_ycbcr(8, (1, 1)), SIZE, color, 0, 5);
    let reduction = Some(Reduction::Posterize(Posterize::default()));
    let adjustments = Adjustments { reduction, ..Adjustments::default() };
    let result = adjusted(&picture, &adjustments);
    let exposure = tinted(FalseColorTable::Camera);
    for way in WAYS {
        studio.load(way, &picture, UPRIGHT, Components::Rgbl);
        let divided = Scene::from(Look { adjustments, ..scene(exposure).look }).with_pair(Pair::divided(0.5));
        let shown = studio.snapshot(way, SIZE, &divided);
        // The divider's line is in between.
        for (x, y) in places().filter(|&(x, _)| x.abs_diff(SIZE.0 / 2) > 4) {
            let (of, color) =
                if x < SIZE.0 / 2 { (&picture, color) } else { (&result, working_colorimetry(color.luminance)) };
            let inspection = exposure.inspection_for(of.layout(), &color, Components::Rgbl, None).expect("it is on");
            let expected = inspection.tinted(reference::components(of, x, y)).expect("it is on");
            assert_eq!(pixel(&shown, x, y), expected, "{way:?} at ({x}, {y})");
        }
    }
}
