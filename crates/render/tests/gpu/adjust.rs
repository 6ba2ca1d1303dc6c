//! The adjusted picture on a view: all engines draw and count it alike. It is split by the divider, kept while nothing
//! changes, and costs nothing while all adjustments are off.

mod brush;

use histoscope_core::adjust::{
    Adjustments, Blur, Clahe, Equalize, Otsu, Placing, Posterize, Processor, Reduction, Tone,
};
use histoscope_core::histogram::{Components, reference};
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::picture::{Orientation, Picture, Ratio};
use histoscope_render::engine::BackendKind;
use histoscope_render::gpu::histogram::plan::Plan;
use histoscope_render::gpu::readback::Image;
use histoscope_render::view::brush::Brush;
use histoscope_render::view::brushes::Brushes;
use histoscope_render::view::placement::{Fit, ViewSettings};
use histoscope_render::view::scene::{Counted, Look, Pair, Scene};

use crate::studio::{Studio, UPRIGHT, WAYS, adjusted, bare, count, each, frame};
use crate::support::image::{distance, distance_in};
use crate::support::{self, colorimetry, constant, natural};

fn picture(depth: u8, shift: (u8, u8), size: (u32, u32)) -> Picture {
    natural(PixelLayout::planar_ycbcr(depth, shift), size, colorimetry(Matrix::Bt709, Range::Limited), 5)
}

fn equalized(time_constant_secs: f64) -> Adjustments {
    let tone = Some(Tone::Equalize(Equalize { per_channel: false, time_constant_secs }));
    Adjustments { tone, ..Adjustments::default() }
}

#[test]
fn every_adjustment_is_drawn_and_counted_as_its_definition_says_by_every_backend() {
    let mut studio = Studio::get();
    let layouts = [
        PixelLayout::planar_ycbcr(8, (1, 1)),
        PixelLayout::planar_ycbcr(10, (1, 0)),
        PixelLayout::packed_422(true),
        PixelLayout::planar_gbr(12),
        PixelLayout::gray(8),
        PixelLayout::semi_planar(16, (1, 1), false),
    ];
    for (number, layout) in layouts.into_iter().enumerate() {
        let size = [(61, 35), (64, 48), (37, 51)][number % 3];
        let view = [(61, 35), (90, 70), (37, 51)][number % 3];
        let source = natural(layout, size, colorimetry(Matrix::Bt709, Range::Limited), number as u64);
        for adjustments in each() {
            let result = adjusted(&source, &adjustments);
            let bins = count(&result, Components::Rgbl);
            for way in WAYS {
                let scene = bare(adjustments);
                let expected = studio.plain(way, &result, view, &scene);
                studio.load(way, &source, UPRIGHT, Components::Rgbl);
                let shown = studio.snapshot(way, view, &scene);
                let most = distance(&shown, &expected);
                assert!(most <= 1, "{layout:?} {adjustments} {way:?}: {most}");
                assert_eq!(studio.count(way), bins, "{layout:?} {adjustments} {way:?}");
            }
        }
    }
}

#[test]
fn turned_pictures_are_adjusted_before_they_are_turned() {
    let mut studio = Studio::get();
    let source = picture(8, (1, 1), (61, 35));
    let scene = bare(Adjustments { tone: Some(Tone::Clahe(Clahe::default())), ..Adjustments::default() });
    let result = adjusted(&source, &scene.look.adjustments);
    for (quarter_turns, mirrored) in [(1, false), (2, true), (3, false)] {
        let placing = (Ratio { num: 16, den: 11 }, Orientation { quarter_turns, mirrored });
        for way in WAYS {
            studio.load(way, &result, placing, Components::Rgbl);
            let expected = studio.snapshot(way, (70, 80), &bare(Adjustments::default()));
            studio.load(way, &source, placing, Components::Rgbl);
            let shown = studio.snapshot(way, (70, 80), &scene);
            assert!(distance(&shown, &expected) <= 1, "{quarter_turns} {mirrored} {way:?}");
        }
    }
}

#[test]
fn sources_results_or_both_are_counted_as_the_scene_says_whenever_it_changes() {
    let mut studio = Studio::get();
    let source = picture(10, (1, 0), (61, 35));
    let (adjustments, other) = (equalized(0.0), each()[7]);
    let [bins, result, other_result] = [Adjustments::default(), adjustments, other]
        .map(|adjustments| count(&adjusted(&source, &adjustments), Components::Rgbl));
    assert!(bins != result && result != other_result);
    for way in WAYS {
        studio.load(way, &source, UPRIGHT, Components::Rgbl);
        let steps = [
            (adjustments, Counted::Result, &result),
            (adjustments, Counted::Source, &bins),
            (other, Counted::Source, &bins),
            (other, Counted::Both, &other_result),
            (adjustments, Counted::Result, &result),
            (Adjustments::default(), Counted::Result, &bins),
            (other, Counted::Result, &other_result),
        ];
        for (step, (adjustments, counted, expected)) in steps.into_iter().enumerate() {
            let scene = Scene::from(Look { counted, ..bare(adjustments).look });
            studio.snapshot(way, (32, 32), &scene);
            assert_eq!(&studio.count(way), expected, "{way:?}, step {step}");
        }
        let (renderer, gpu) = studio.renderer(way);
        let scene = Scene::from(Look { counted: Counted::Result, ..bare(adjustments).look });
        assert_eq!(renderer.count_scene(gpu, &scene).unwrap(), result, "{way:?}, without a drawing");
    }
}

#[test]
fn code_values_are_those_of_the_source_whatever_is_counted() {
    let mut studio = Studio::get();
    let source = picture(8, (1, 1), (61, 35));
    let scene = Scene::from(Look { overlays: true, ..bare(equalized(0.0)).look });
    let result = adjusted(&source, &scene.look.adjustments);
    for way in WAYS {
        let expected = studio.plain(way, &result, (61, 35), &bare(Adjustments::default()));
        studio.load(way, &source, UPRIGHT, Components::YCbCr);
        studio.snapshot(way, (61, 35), &scene);
        assert_eq!(studio.count(way), count(&source, Components::YCbCr), "{way:?}");
        let shown = studio.snapshot(way, (61, 35), &Scene { look: Look { overlays: false, ..scene.look }, ..scene });
        assert!(distance(&shown, &expected) <= 1, "{way:?}: and the picture is adjusted all the same");
    }
}

#[test]
fn the_divider_splits_the_view_at_its_column() {
    let mut studio = Studio::get();
    let source = picture(8, (1, 1), (97, 53));
    let adjustments = Adjustments { tone: Some(Tone::Clahe(Clahe::default())), ..Adjustments::default() };
    let result = adjusted(&source, &adjustments);
    let scene = bare(adjustments);
    let contained = ViewSettings::fitted(Fit::Contain);
    let close = ViewSettings { zoom: 6.5, ..ViewSettings::default() };
    for (view, settings) in [((97, 53), ViewSettings::default()), ((120, 90), contained), ((110, 70), close)] {
        let scene = Scene { look: Look { view: settings, ..scene.look }, ..scene };
        for way in WAYS {
            let [before, after] = [&source, &result].map(|picture| studio.plain(way, picture, view, &scene));
            assert!(distance(&before, &after) > 20, "the two can be told apart");
            studio.load(way, &source, UPRIGHT, Components::Rgbl);
            for share in [0.0_f32, 0.37, 0.5, 0.93, 1.0, -7.0, 9.0] {
                let divided = scene.with_pair(Pair::divided(share));
                let shown = studio.snapshot(way, view, &divided);
                let column = (share.clamp(0.0, 1.0) * view.0 as f32).round() as u32;
                assert_eq!(divided.seam(view).map(|seam| seam.column), Some(column));
                // The line is two light pixels between two dark ones.
                let (left, right) = (column.saturating_sub(2), (column + 2).min(view.0));
                let name = format!("{view:?} {way:?} at {share}");
                assert!(distance_in(&shown, &before, 0..left) <= 1, "{name}: the source at the left");
                assert!(distance_in(&shown, &after, right..view.0) <= 1, "{name}: the result at the right");
                for x in column.saturating_sub(1)..(column + 1).min(view.0) {
                    assert_eq!(shown.rgba[4 * x as usize..][..3], [255; 3], "{name}: the line's light");
                }
                for x in [left, right - 1]
                    .into_iter()
                    .filter(|&x| x.abs_diff(column) >= 1 && (x + 2 == column || x == column + 1))
                {
                    let (bare, dark) = (if x < column { &before } else { &after }, &shown);
                    let light = |image: &Image| u32::from(image.rgba[4 * x as usize + 1]);
                    assert!(light(dark) * 5 <= light(bare) * 2 + 10, "{name}: dark edges");
                }
            }
            let none = studio.snapshot(way, view, &scene.with_pair(Pair::divided(f32::NAN)));
            assert!(distance(&none, &after) <= 1, "no number is no divider");
        }
    }
}

#[test]
fn without_adjustments_there_is_no_divider_either() {
    let mut studio = Studio::get();
    let source = picture(8, (1, 1), (61, 35));
    for way in WAYS {
        let expected = studio.plain(way, &source, (61, 35), &bare(Adjustments::default()));
        let divided = Scene::from(bare(Adjustments::default()).look).with_pair(Pair::divided(0.5));
        assert_eq!(studio.snapshot(way, (61, 35), &divided), expected, "{way:?}");
    }
}

#[test]
fn pictures_of_one_colour_of_one_pixel_and_of_two_levels_are_shown_and_counted() {
    let mut studio = Studio::get();
    let color = colorimetry(Matrix::Bt709, Range::Full);
    let gray = PixelLayout::gray(8);
    let pictures = [
        ("constant", constant(PixelLayout::planar_ycbcr(8, (1, 1)), (33, 17), color)),
        ("black", support::drawn(gray, (33, 17), color, |_, _, _| 0)),
        ("one pixel", constant(PixelLayout::planar_ycbcr(10, (1, 1)), (1, 1), color)),
        ("black pixel", support::drawn(gray, (1, 1), color, |_, _, _| 0)),
        ("two levels", support::drawn(gray, (40, 9), color, |_, x, _| if x < 13 { 40 } else { 200 })),
    ];
    for (name, source) in pictures {
        for adjustments in each() {
            let result = adjusted(&source, &adjustments);
            for way in WAYS {
                let scene = Scene::from(Look {
                    counted: Counted::Both,
                    curves: true,
                    overlays: true,
                    ..bare(adjustments).look
                });
                let expected = studio.plain(way, &result, (40, 30), &bare(Adjustments::default()));
                studio.load(way, &source, UPRIGHT, Components::Rgbl);
                studio.snapshot(way, (40, 30), &scene);
                assert_eq!(studio.count(way), count(&result, Components::Rgbl), "{name}, {adjustments}, {way:?}");
                let shown =
                    studio.snapshot(way, (40, 30), &Scene { look: Look { overlays: false, ..scene.look }, ..scene });
                assert!(distance(&shown, &expected) <= 1, "{name}, {adjustments}, {way:?}");
            }
        }
    }
}

#[test]
fn with_all_off_the_same_passes_run_as_ever_and_no_memory_is_held() {
    let mut studio = Studio::get();
    let source = picture(8, (1, 1), (61, 35));
    let off = Scene::default();
    let on = Scene { look: Look { adjustments: each()[8], counted: Counted::Both, ..off.look }, ..off };
    for way in WAYS {
        let is_cpu = way == BackendKind::Cpu;
        let first = if is_cpu { "copy bins" } else { "count" };
        // What a renderer recorded before there were adjustments. The CPU paints the overlays too, but for outlines.
        let drawing = if is_cpu { ["paint with overlays", "draw"] } else { ["columns", "draw"] }.to_vec();
        let paint = is_cpu.then_some("paint");
        let outlined: Vec<_> = paint.into_iter().chain(["columns", "draw"]).collect();
        let passes = |scene: &Scene, studio: &mut Studio| {
            studio.snapshot(way, (61, 35), scene);
            studio.renderer(way).0.recorded().to_vec()
        };
        studio.load(way, &source, UPRIGHT, Components::Rgbl);
        let with_bins = [vec![first], drawing.clone()].concat();
        assert_eq!(passes(&off, &mut studio), with_bins, "{way:?}");
        assert_eq!(passes(&off, &mut studio), drawing, "{way:?}: drawn again");
        let with_adjustments = passes(&on, &mut studio);
        assert!(with_adjustments.len() >= drawing.len() + 2, "{way:?}: {with_adjustments:?}");
        assert_eq!(passes(&on, &mut studio), outlined, "{way:?}: what is adjusted is kept");
        let holds = studio.renderer(way).0.adjusted_bytes();
        assert_eq!(holds > 0, !is_cpu, "{way:?}: {holds} bytes");
        assert_eq!(passes(&off, &mut studio), drawing, "{way:?}: off again");
        assert_eq!(studio.renderer(way).0.adjusted_bytes(), 0, "{way:?}");
        studio.load(way, &source, UPRIGHT, Components::Rgbl);
        assert_eq!(passes(&off, &mut studio), with_bins, "{way:?}: the next picture");
    }
}

#[test]
fn the_result_is_handed_out_once_it_is_drawn_where_the_cpu_has_it() {
    let mut studio = Studio::get();
    let source = picture(8, (1, 1), (61, 35));
    let [on, other] = [each()[8], each()[0]];
    for way in WAYS {
        studio.load(way, &source, UPRIGHT, Components::Rgbl);
        assert!(studio.renderer(way).0.result(&on).is_none(), "{way:?}: not made yet");
        studio.snapshot(way, (61, 35), &Scene::from(Look { adjustments: on, ..Look::default() }));
        let renderer = studio.renderer(way).0;
        assert!(renderer.result(&other).is_none(), "{way:?}: of other adjustments");
        let (loading, result) = renderer.result(&on).expect("it is made");
        assert_eq!(result.is_some(), way == BackendKind::Cpu, "{way:?}: the adapter's own stays there");
        if let Some(result) = result {
            let expected = adjusted(&source, &on);
            let same = (0..35).flat_map(|y| (0..61).map(move |x| (x, y)));
            let codes = |picture: &Picture, (x, y)| reference::components(picture, x, y);
            assert!(same.into_iter().all(|place| codes(result, place) == codes(&expected, place)), "{way:?}");
        }
        studio.load(way, &source, UPRIGHT, Components::Rgbl);
        assert!(studio.renderer(way).0.result(&on).is_none(), "{way:?}: of the picture before");
        studio.snapshot(way, (61, 35), &Scene::from(Look { adjustments: on, ..Look::default() }));
        assert!(studio.renderer(way).0.result(&on).is_some_and(|(next, _)| next > loading), "{way:?}");
    }
}

#[test]
fn only_what_is_wanted_is_counted() {
    let mut studio = Studio::get();
    let source = picture(8, (1, 1), (61, 35));
    let scene = |counted, adjustments| Scene::from(Look { counted, ..bare(adjustments).look });
    let way = BackendKind::Adapter;
    let mut passes = |scene: &Scene| {
        studio.load(way, &source, UPRIGHT, Components::Rgbl);
        studio.snapshot(way, (61, 35), scene);
        studio.renderer(way).0.recorded().to_vec()
    };
    let blurred = Adjustments { blur: Some(Blur::default()), ..Adjustments::default() };
    assert_eq!(passes(&scene(Counted::Result, blurred)), ["adjust", "count the result", "draw"]);
    assert_eq!(passes(&scene(Counted::Both, blurred)), ["count", "adjust", "count the result", "draw"]);
    // Results of a pass that changes each pixel independently are counted there.
    let counting = ["adjust and count", "reduce the result", "draw"];
    assert_eq!(passes(&scene(Counted::Result, equalized(0.0))), counting);
    assert_eq!(passes(&scene(Counted::Both, equalized(0.0))), [&["count"][..], &counting].concat());
    for adjustments in [blurred, equalized(0.0)] {
        assert_eq!(passes(&scene(Counted::Source, adjustments)), ["count", "adjust", "draw"]);
    }
    // A brush costs a pass only if it works on the picture that is not counted.
    let brush = Some(Brush::between(3, 60, 140));
    let lit = |counted, divider: Option<f32>| {
        let pair = divider.map_or_else(Pair::default, Pair::divided);
        Scene { look: scene(counted, blurred).look, brushes: Brushes::of_histogram(brush), ..Scene::default() }
            .with_pair(pair)
    };
    assert_eq!(passes(&lit(Counted::Source, None)), ["count", "adjust", "light", "draw"]);
    assert_eq!(passes(&lit(Counted::Source, Some(1.0))), ["count", "adjust", "draw"]);
    assert_eq!(passes(&lit(Counted::Result, None)), ["adjust", "count the result", "draw"]);
    assert_eq!(passes(&lit(Counted::Result, Some(0.5))), ["adjust", "count the result", "light", "draw"]);
}

#[test]
fn a_result_that_is_counted_later_or_whose_bins_do_not_fit_is_counted_apart() {
    let mut studio = Studio::get();
    let way = BackendKind::Adapter;
    for depth in [8, 12] {
        let source = picture(depth, (1, 1), (61, 35));
        let result = adjusted(&source, &equalized(0.0));
        studio.load(way, &source, UPRIGHT, Components::Rgbl);
        let mut passes = |counted| {
            studio.snapshot(way, (61, 35), &Scene::from(Look { counted, ..bare(equalized(0.0)).look }));
            studio.renderer(way).0.recorded().to_vec()
        };
        assert_eq!(passes(Counted::Source), ["count", "adjust", "draw"]);
        assert_eq!(passes(Counted::Result), ["count the result", "draw"], "{depth} bits: counted later");
        assert_eq!(studio.count(way), count(&result, Components::Rgbl), "{depth} bits");
        // The next picture is counted immediately if it fits.
        studio.load(way, &source, UPRIGHT, Components::Rgbl);
        studio.snapshot(way, (61, 35), &Scene::from(Look { counted: Counted::Result, ..bare(equalized(0.0)).look }));
        let (renderer, gpu) = studio.renderer(way);
        let fits = Plan::fused(&gpu.device.limits(), gpu.info.device_type, depth.into(), 61 * 35).is_some();
        assert_eq!(renderer.recorded().contains(&"adjust and count"), fits, "{depth} bits");
        assert_eq!(studio.count(way), count(&result, Components::Rgbl), "{depth} bits");
    }
}

/// Makes a noisy picture of this brightness.
fn exposed(number: u64) -> Picture {
    let color = colorimetry(Matrix::Bt709, Range::Full);
    let mut random = support::Random(number);
    support::drawn(PixelLayout::gray(8), (48, 32), color, |_, x, y| {
        (10 * number as u16 + x as u16 + y as u16 * 2 + random.below(20) as u16).min(255)
    })
}

#[test]
fn curves_follow_the_frames_by_their_own_times_and_stay_while_the_same_one_is_drawn() {
    let mut studio = Studio::get();
    let scene = bare(equalized(0.5));
    // Serial, number, and the time since the frame before, as defined.
    let steps = [
        (1, 3, None),
        (1, 4, Some(0.04)),
        (1, 4, Some(0.0)),
        (1, 9, Some(0.2)),
        (1, 8, None),
        (1, 10, Some(0.08)),
        (2, 11, None),
        (2, 11 + 25, Some(1.0)),
        (2, 11 + 60, None),
    ];
    for way in WAYS {
        let mut processor = Processor::default();
        for (step, (serial, number, elapsed)) in steps.into_iter().enumerate() {
            let frame = frame(exposed(number % 12), serial, number);
            let result = processor.apply(&frame.picture, &scene.look.adjustments, elapsed).unwrap();
            // A repeated step loads the same frame again. Otherwise every frame has its own planes.
            if elapsed != Some(0.0) {
                studio.load_frame(way, &frame);
            }
            studio.snapshot(way, (48, 32), &scene);
            assert_eq!(studio.count(way), count(&result, Components::Rgbl), "{way:?}, step {step}");
        }
        // When it is loaded again, for example to count other components, the curve does not move.
        let again = frame(exposed(3), 5, 50);
        studio.load_frame(way, &again);
        studio.snapshot(way, (48, 32), &scene);
        let near = frame(exposed(9), 5, 51);
        studio.load_frame(way, &near);
        let first = studio.snapshot(way, (48, 32), &scene);
        studio.load_frame(way, &near);
        assert_eq!(studio.snapshot(way, (48, 32), &scene), first, "{way:?}");
        let at_once = bare(equalized(0.0));
        assert_ne!(studio.snapshot(way, (48, 32), &at_once), first, "{way:?}: the curve had not come to its end");
    }
}

#[test]
fn a_new_choice_on_a_paused_frame_is_made_at_once_whatever_was_chosen_before() {
    let mut studio = Studio::get();
    let still = frame(exposed(4), 1, 7);
    for way in WAYS {
        studio.load_frame(way, &frame(exposed(9), 1, 6));
        studio.snapshot(way, (48, 32), &bare(equalized(0.5)));
        studio.load_frame(way, &still);
        studio.snapshot(way, (48, 32), &bare(equalized(0.5)));
        let blurred = Adjustments { blur: Some(Blur { size: 7, runs: 1 }), ..equalized(0.5) };
        let per_channel = Tone::Equalize(Equalize { per_channel: true, time_constant_secs: 0.5 });
        let levels = Some(Reduction::Posterize(Posterize { levels: 4, placing: Placing::Population }));
        let classes = Some(Reduction::Otsu(Otsu { classes: 3, ..Otsu::default() }));
        for adjustments in [
            blurred,
            Adjustments { tone: Some(per_channel), ..Adjustments::default() },
            Adjustments { reduction: levels, ..blurred },
            Adjustments { reduction: classes, ..Adjustments::default() },
            equalized(0.5),
        ] {
            studio.snapshot(way, (48, 32), &bare(adjustments));
            let expected = count(&adjusted(&still.picture, &adjustments), Components::Rgbl);
            assert_eq!(studio.count(way), expected, "{way:?}, {adjustments}");
        }
    }
}

#[test]
fn a_result_that_the_adapter_cannot_hold_is_made_by_the_cpu() {
    let mut studio = Studio::new();
    // Its separate planes have two bytes per pixel, the result has eight: the source fits, the result does not.
    let source = picture(10, (0, 0), (61, 35));
    studio.gpu.most_plane_bytes = 5000;
    let scene = Scene::from(bare(equalized(0.0)).look).with_pair(Pair::divided(0.5));
    let result = adjusted(&source, &scene.look.adjustments);
    let way = BackendKind::Adapter;
    studio.load(way, &source, UPRIGHT, Components::Rgbl);
    let shown = studio.snapshot(way, (61, 35), &scene);
    assert_eq!(studio.count(way), count(&result, Components::Rgbl));
    studio.gpu.most_plane_bytes = u64::MAX;
    let [before, after] = [&source, &result]
        .map(|picture| studio.plain(BackendKind::Cpu, picture, (61, 35), &bare(Adjustments::default())));
    assert_eq!(distance_in(&shown, &before, 0..29), 0);
    assert_eq!(distance_in(&shown, &after, 33..61), 0);
}
