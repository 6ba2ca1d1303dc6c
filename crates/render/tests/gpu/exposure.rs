//! Zebra and marks: on exactly the pixels that the definition names, in its colours, with any engine.

use histoscope_core::adjust::{Adjustments, Blur, Posterize, Reduction, working_colorimetry};
use histoscope_core::histogram::{Components, reference};
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::{ColorModel, PixelLayout};
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::{Orientation, Picture, Ratio};
use histoscope_render::cpu;
use histoscope_render::gpu::Scene;
use histoscope_render::gpu::readback::Image;
use histoscope_render::view::brush::Brush;
use histoscope_render::view::brushes::Brushes;
use histoscope_render::view::exposure::{Exposure, Inspection, Level, MarkLimits, Peaking, PixelMarks, stripe_pixels};
use histoscope_render::view::marked::MAX_PLACES;
use histoscope_render::view::placement::{Fit, ViewSettings};
use histoscope_render::view::scene::{Counted, Look, Pair};

use crate::studio::{Studio, UPRIGHT, WAYS, adjusted};
use crate::support::image::{distance, pixel};
use crate::support::{Random, colorimetry, native_layouts, natural, noise};

const SIZE: (u32, u32) = (67, 41);

fn scene(exposure: Exposure) -> Scene {
    Scene::from(Look { overlays: false, view: ViewSettings::fitted(Fit::Actual), exposure, ..Look::default() })
}

fn places() -> impl Iterator<Item = (u32, u32)> {
    (0..SIZE.1).flat_map(|y| (0..SIZE.0).map(move |x| (x, y)))
}

/// Returns the definition's result for each pixel.
fn looks(picture: &Picture, inspection: &Inspection) -> Vec<PixelMarks> {
    let component = usize::from(picture.layout().model == ColorModel::Rgb);
    let code = |x: u32, y: u32| i64::from(reference::components(picture, x, y)[component]);
    let is_sharp = |(x, y): (u32, u32)| {
        let across = code((x + 1).min(SIZE.0 - 1), y) - code(x.saturating_sub(1), y);
        let down = code(x, (y + 1).min(SIZE.1 - 1)) - code(x, y.saturating_sub(1));
        inspection.peaking.is_some_and(|least| across.abs().max(down.abs()) >= least.into())
    };
    let look =
        |(x, y)| PixelMarks { is_sharp: is_sharp((x, y)), ..inspection.inspect(reference::components(picture, x, y)) };
    places().map(look).collect()
}

/// Counts the pixels with this property.
fn count(seen: &[PixelMarks], is: impl Fn(&PixelMarks) -> bool) -> u64 {
    seen.iter().filter(|seen| is(seen)).count() as u64
}

/// Compares each pixel with the definition applied to the plain pixel.
fn check(shown: &Image, bare: &Image, seen: &[PixelMarks], inspection: &Inspection, name: &str) {
    for (place, seen) in places().zip(seen) {
        let expected = inspection.painted(pixel(bare, place.0, place.1), seen, place, stripe_pixels(SIZE.1));
        assert_eq!(pixel(shown, place.0, place.1), expected, "{name} at {place:?}: {seen:?}");
    }
}

fn marked(limits: MarkLimits) -> Exposure {
    Exposure { marks: true, limits, ..Exposure::default() }
}

/// Returns every kind of limits, with zebra levels among them and without any.
fn exposures(random: &mut Random, bits: u32) -> Vec<Exposure> {
    let mut level = || match random.below(2) {
        0 => Level::Permille(random.below(1100) as i32 - 50),
        _ => Level::Code(random.below(1 << bits) as u32),
    };
    vec![
        Exposure { zebra: true, ..Exposure::default() },
        Exposure { zebra: true, level: level(), ..Exposure::default() },
        marked(MarkLimits::Clipped),
        marked(MarkLimits::R103),
        marked(MarkLimits::Own(level(), level())),
        Exposure { zebra: true, level: level(), ..marked(MarkLimits::Clipped) },
        Exposure { peaking: Peaking::Low, ..Exposure::default() },
        Exposure { zebra: true, level: level(), peaking: Peaking::High, ..marked(MarkLimits::Own(level(), level())) },
    ]
}

#[test]
fn exactly_the_pixels_of_the_definition_are_striped_and_marked() {
    let mut studio = Studio::get();
    let mut random = Random(14);
    let (mut striped, mut all_marked, mut sharp) = (0, 0, 0);
    for (number, (name, layout)) in native_layouts().into_iter().enumerate().step_by(3) {
        let color = colorimetry(Matrix::ALL[number % 7], [Range::Limited, Range::Full][number / 3 % 2]);
        let picture = noise(layout, SIZE, color, number % 3, number as u64);
        let histogram = reference::histogram(&picture, Components::Rgbl);
        let coded = number % 2 == 0 && picture.has_coded_components();
        let components = if coded { Components::YCbCr } else { Components::Rgbl };
        for way in WAYS {
            studio.load(way, &picture, UPRIGHT, components);
            let bare = studio.snapshot(way, SIZE, &scene(Exposure::default()));
            for exposure in exposures(&mut random, layout.bin_bits()) {
                let shown = studio.snapshot(way, SIZE, &scene(exposure));
                let inspection =
                    exposure.inspection_for(&layout, picture.colorimetry(), components, None).expect("something is on");
                let seen = looks(&picture, &inspection);
                check(&shown, &bare, &seen, &inspection, &format!("{name} {way:?} {components:?} {exposure:?}"));
                striped += count(&seen, |seen| seen.zebra);
                all_marked += count(&seen, PixelMarks::is_marked);
                sharp += count(&seen, |seen| seen.is_sharp);
                // The histogram and the numbers agree with the marked pixels.
                if let (Some(lowest), Components::Rgbl) = (inspection.zebra, components) {
                    let counted = histogram.cumulative().channel(3).count_in(lowest..=u32::MAX);
                    assert_eq!(count(&seen, |seen| seen.zebra), counted, "{name} {exposure:?}");
                }
                if exposure == marked(MarkLimits::R103) {
                    let counted = u64::from(reference::codes_outside_r103(&picture));
                    assert_eq!(count(&seen, PixelMarks::is_marked), counted, "{name}");
                }
                if exposure == marked(MarkLimits::Clipped) && components == Components::Rgbl {
                    for channel in 0..3 {
                        let bins = histogram.bins(channel);
                        let ends = [bins[0], bins[bins.len() - 1]].map(u64::from);
                        let low = count(&seen, |seen| seen.below[channel]);
                        assert_eq!([low, count(&seen, |seen| seen.above[channel])], ends, "{name}: channel {channel}");
                    }
                }
            }
        }
    }
    assert!(striped > 10_000 && all_marked > 10_000 && sharp > 10_000, "{striped} {all_marked} {sharp}");
}

#[test]
fn what_is_marked_is_counted_and_found_where_it_lies() {
    let mut random = Random(15);
    let mut few = 0;
    for (number, (name, layout)) in native_layouts().into_iter().enumerate().step_by(3) {
        let color = colorimetry(Matrix::ALL[number % 7], [Range::Limited, Range::Full][number % 2]);
        let picture = noise(layout, SIZE, color, number % 3, number as u64);
        let components =
            if number % 2 == 0 && picture.has_coded_components() { Components::YCbCr } else { Components::Rgbl };
        for exposure in exposures(&mut random, layout.bin_bits()) {
            let inspection =
                exposure.inspection_for(&layout, picture.colorimetry(), components, None).expect("something is on");
            for rect in [Rect { x: 0, y: 0, width: SIZE.0, height: SIZE.1 }, Rect { x: 5, y: 3, width: 31, height: 20 }]
            {
                let found = cpu::find_marked(&picture, &inspection, rect, || true).expect("nobody gives it up");
                let inside = |&(x, y): &(u32, u32)| {
                    (rect.x..rect.x + rect.width).contains(&x) && (rect.y..rect.y + rect.height).contains(&y)
                };
                let places: Vec<_> = places().filter(inside).collect();
                let seen: Vec<_> =
                    places.iter().map(|&(x, y)| inspection.inspect(reference::components(&picture, x, y))).collect();
                assert_eq!(found.looked_at, u64::from(rect.width * rect.height));
                assert_eq!(found.pixels, count(&seen, PixelMarks::is_marked), "{name} {exposure:?}");
                for channel in 0..3 {
                    let expected = [count(&seen, |seen| seen.below[channel]), count(&seen, |seen| seen.above[channel])];
                    assert_eq!([found.below[channel], found.above[channel]], expected, "{name} {exposure:?} {channel}");
                }
                let marked = places.iter().zip(&seen).filter(|(_, seen)| seen.is_marked()).map(|(&(x, y), _)| [x, y]);
                assert_eq!(found.places, marked.take(MAX_PLACES).collect::<Vec<_>>(), "{name} {exposure:?}");
                few += found.few().len();
            }
        }
    }
    assert!(few > 100, "few are marked in hardly any picture: {few}");
}

#[test]
fn code_values_are_marked_as_the_numbers_count_them() {
    let layout = PixelLayout::planar_ycbcr(10, (0, 0));
    for range in [Range::Limited, Range::Full] {
        let picture = noise(layout, SIZE, colorimetry(Matrix::Bt709, range), 0, 3);
        let inspection = marked(MarkLimits::Clipped)
            .inspection_for(&layout, picture.colorimetry(), Components::YCbCr, None)
            .expect("marks are on");
        let seen = looks(&picture, &inspection);
        let histogram = reference::histogram(&picture, Components::YCbCr);
        for channel in 0..3 {
            let found = [count(&seen, |seen| seen.below[channel]), count(&seen, |seen| seen.above[channel])];
            let stats = histogram.stats(channel, Some(range));
            let bins = histogram.bins(channel);
            let expected = match range {
                Range::Limited => [stats.below_range.unwrap(), stats.above_range.unwrap()],
                Range::Full => [bins[0].into(), bins[1023].into()],
            };
            assert_eq!(found, expected, "{range:?}, channel {channel}");
        }
    }
}

#[test]
fn the_shader_and_the_cpu_paint_alike_in_every_turn_and_size_beside_a_brush_and_a_divider() {
    let mut studio = Studio::get();
    let color = colorimetry(Matrix::Bt709, Range::Limited);
    let blurred = Adjustments { blur: Some(Blur { size: 3, runs: 1 }), ..Adjustments::default() };
    for (number, (name, layout)) in native_layouts().into_iter().enumerate().step_by(11) {
        let picture = natural(layout, (61, 35), color, number as u64);
        for quarter_turns in 0..4 {
            let placing = (Ratio::ONE, Orientation { quarter_turns, mirrored: number % 2 == 0 });
            let (adjustments, pair) =
                if quarter_turns % 2 == 0 { (blurred, Pair::divided(0.4)) } else { Default::default() };
            let scene = Scene {
                look: Look {
                    overlays: false,
                    exposure: Exposure {
                        zebra: true,
                        level: Level::Permille(600),
                        marks: number % 3 > 0,
                        limits: MarkLimits::Own(Level::Permille(300), Level::Permille(800)),
                        ..Exposure::default()
                    },
                    adjustments,
                    counted: [Counted::Source, Counted::Result][number % 2],
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
            let bare = Scene { look: Look { exposure: Exposure::default(), ..scene.look }, ..scene };
            let [shader, cpu] = WAYS.map(|way| {
                studio.load(way, &picture, placing, Components::Rgbl);
                let image = studio.snapshot(way, size, &scene);
                assert!(distance(&image, &studio.snapshot(way, size, &bare)) > 40, "{name} {way:?}: nothing is seen");
                image
            });
            assert!(distance(&shader, &cpu) <= 1, "{name} {quarter_turns}: {}", distance(&shader, &cpu));
        }
    }
}

#[test]
fn either_side_of_the_divider_tells_of_its_own_codes() {
    let mut studio = Studio::get();
    let color = colorimetry(Matrix::Bt709, Range::Limited);
    let picture = noise(PixelLayout::planar_ycbcr(8, (1, 1)), SIZE, color, 0, 5);
    let reduction = Some(Reduction::Posterize(Posterize::default()));
    let adjustments = Adjustments { reduction, ..Adjustments::default() };
    let result = adjusted(&picture, &adjustments);
    let exposure = Exposure { zebra: true, marks: true, ..Exposure::default() };
    for way in WAYS {
        studio.load(way, &picture, UPRIGHT, Components::Rgbl);
        let [bare, shown] = [Exposure::default(), exposure].map(|exposure| {
            let divided = Scene::from(Look { adjustments, ..scene(exposure).look }).with_pair(Pair::divided(0.5));
            studio.snapshot(way, SIZE, &divided)
        });
        // The divider's line is in between.
        for (x, y) in places().filter(|&(x, _)| x.abs_diff(SIZE.0 / 2) > 4) {
            let (of, color) =
                if x < SIZE.0 / 2 { (&picture, color) } else { (&result, working_colorimetry(color.luminance)) };
            let inspection = exposure.inspection_for(of.layout(), &color, Components::Rgbl, None).expect("both are on");
            let seen = inspection.inspect(reference::components(of, x, y));
            let expected = inspection.painted(pixel(&bare, x, y), &seen, (x, y), stripe_pixels(SIZE.1));
            assert_eq!(pixel(&shown, x, y), expected, "{way:?} at ({x}, {y})");
        }
    }
}
