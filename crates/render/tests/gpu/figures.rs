//! Bins as numbers while a video plays: they arrive without waiting, and name the frame that they belong to.

use std::time::{Duration, Instant};

use histoscope_core::adjust::{Adjustments, ClassDisplay, Codes, Equalize, Otsu, Reduction, Tone, otsu};
use histoscope_core::histogram::reference;
use histoscope_core::histogram::{CHANNELS, Components, Cumulative, Histogram};
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::{ColorModel, PixelLayout};
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::{Frame, Picture, Scan};
use histoscope_core::tone_map::SourceLight;
use histoscope_render::cpu;
use histoscope_render::engine::{ActivePart, BackendKind, Counter, Engine, EngineChoice, Renderer, Submission};
use histoscope_render::gpu::readback::VIEW_FORMAT;
use histoscope_render::gpu::{AdapterChoice, FiguresState, FrameTag, Gpu, Scene};
use histoscope_render::view::scene::{Counted, Look};

use crate::studio::{self, Studio, UPRIGHT, WAYS, adjusted};
use crate::support::{self, colorimetry, constant, native_layouts, natural, noise};

fn frame(number: u64, chroma_shift: (u8, u8)) -> Frame {
    let layout = PixelLayout::planar_ycbcr(10, chroma_shift);
    let picture = noise(layout, (71, 43), colorimetry(Matrix::Bt709, Range::Limited), 0, number);
    studio::frame(picture, 3, number)
}

/// Polls until the bins have arrived, as an event loop does.
fn awaited(gpu: &Gpu, renderer: &mut Renderer) -> (FrameTag, Cumulative) {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(20) {
        if let Some(found) = renderer.poll_histogram(gpu) {
            return found;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("the bins never came");
}

fn bins(picture: &Picture) -> Histogram {
    reference::histogram(picture, Components::Rgbl)
}

fn expected(picture: &Picture) -> Cumulative {
    bins(picture).cumulative()
}

#[test]
fn bins_come_back_with_the_frame_they_belong_to() {
    let gpu = Gpu::headless(&AdapterChoice::default()).expect("an adapter; scripts/setup installs one");
    let mut renderer = Renderer::headless(&gpu, BackendKind::Adapter);
    let [first, second, third] = [7, 8, 9].map(|number| frame(number, (1, 1)));
    assert!(renderer.poll_histogram(&gpu).is_none(), "nobody has asked");

    // Requested before they are counted: the next drawing sends them.
    renderer.load_frame(&gpu, &first, None, Components::Rgbl).unwrap();
    renderer.request_histogram(&gpu);
    assert!(renderer.poll_histogram(&gpu).is_none(), "it has not been counted");
    assert!(renderer.is_histogram_pending());
    renderer.snapshot(&gpu, (32, 32), &Scene::default()).unwrap();
    // The next frame is loaded before the numbers of the last one have arrived.
    renderer.load_frame(&gpu, &second, None, Components::Rgbl).unwrap();
    renderer.snapshot(&gpu, (32, 32), &Scene::default()).unwrap();
    let (tag, sums) = awaited(&gpu, &mut renderer);
    assert_eq!(
        tag,
        FrameTag {
            video: first.video,
            serial: 3,
            pts_ticks: 7 * 512,
            time_secs: 7.0 * 0.04,
            index: Some(7),
            adjusted: false,
            range: Some(Range::Limited),
            region: None,
            brush: None,
            is_interlaced: false,
        }
    );
    assert!(sums == expected(&first.picture));
    assert!(!renderer.is_histogram_pending());

    // Requested on a paused picture: nothing is drawn, and they arrive anyway.
    renderer.request_histogram(&gpu);
    renderer.request_histogram(&gpu);
    let (tag, sums) = awaited(&gpu, &mut renderer);
    assert_eq!((tag.index, &sums), (Some(8), &expected(&second.picture)));

    // The CPU's bins are known at once.
    let mut renderer = Renderer::headless(&gpu, BackendKind::Cpu);
    renderer.load_frame(&gpu, &third, None, Components::Rgbl).unwrap();
    renderer.request_histogram(&gpu);
    let (tag, sums) = renderer.poll_histogram(&gpu).expect("no wait");
    assert_eq!((tag.index, &sums), (Some(9), &expected(&third.picture)));
    assert!(renderer.poll_histogram(&gpu).is_none());
}

/// Draws a picture. Returns the sums of its bins from the adapter's scan.
fn scanned(studio: &mut Studio, picture: &Picture, components: Components, curves: bool) -> Cumulative {
    studio.load(WAYS[0], picture, UPRIGHT, components);
    let (renderer, gpu) = studio.renderer(WAYS[0]);
    renderer.request_histogram(gpu);
    renderer.snapshot(gpu, (32, 32), &Scene::from(Look { curves, ..Look::default() })).unwrap();
    awaited(gpu, renderer).1
}

#[test]
fn the_adapter_s_sums_and_every_figure_of_them_are_the_cpu_s() {
    let mut studio = Studio::get();
    let color = colorimetry(Matrix::Bt709, Range::Limited);
    let layouts = [
        PixelLayout::gray(8),
        PixelLayout::planar_ycbcr(8, (1, 1)),
        PixelLayout::planar_ycbcr(10, (1, 0)),
        PixelLayout::planar_ycbcr(12, (0, 0)),
        PixelLayout::planar_gbr(16),
    ];
    for layout in layouts {
        let pictures = [
            ("noise", noise(layout, (71, 43), color, 3, 5)),
            ("natural", natural(layout, (64, 50), color, 5)),
            ("one colour", constant(layout, (33, 17), color)),
            ("one pixel", constant(layout, (1, 1), color)),
        ];
        for (name, picture) in pictures {
            for components in [Components::Rgbl, Components::YCbCr] {
                let histogram = reference::histogram(&picture, components);
                let name = format!("{layout:?} {name} {components:?}");
                let [sums, beside_curves] = [false, true].map(|on| scanned(&mut studio, &picture, components, on));
                assert!(sums == histogram.cumulative(), "{name}");
                assert!(sums == beside_curves, "{name}: the curves' scan leaves the same");
                for channel in 0..CHANNELS {
                    let sorted = sorted(histogram.bins(channel));
                    let told = sums.stats(channel, None);
                    let rank = |percent: usize| (sorted.len() * percent).div_ceil(100).max(1) - 1;
                    let [min, p1, median, p99, max] =
                        [0, 1, 50, 99, 100].map(|percent| sorted.get(rank(percent)).copied().unwrap_or(0));
                    assert_eq!((told.min, told.median, told.max), (min, median, max), "{name}, channel {channel}");
                    assert_eq!((told.p1, told.p99), (p1, p99), "{name}, channel {channel}");
                    let mean =
                        sorted.iter().map(|&code| u64::from(code)).sum::<u64>() as f64 / sorted.len().max(1) as f64;
                    assert_eq!((told.count, told.mean), (sorted.len() as u64, mean), "{name}, channel {channel}");
                }
            }
        }
    }
}

/// Returns the code of every sample, in ascending order.
fn sorted(bins: &[u32]) -> Vec<u32> {
    (0..).zip(bins).flat_map(|(code, &count)| std::iter::repeat_n(code, count as usize)).collect()
}

/// Returns a part of a rectangle with odd edges, if it is large enough to have one.
fn inner(Rect { x, y, width, height }: Rect) -> Rect {
    if width > 9 && height > 9 {
        Rect { x: x + 3, y: y + 1, width: width - 7, height: height - 4 }
    } else {
        Rect { x, y, width, height }
    }
}

#[test]
fn pixels_outside_r103_are_those_of_the_definition_whoever_counts() {
    let mut studio = Studio::get();
    let engine = Engine::on(EngineChoice::Gpu, &Gpu::shared(&AdapterChoice::default()).expect("an adapter"));
    let mut counter = Counter::new(&engine, &[Components::Rgbl], Adjustments::default());
    let (mut outside, mut inside) = (0, 0);
    for (number, (name, layout)) in native_layouts().into_iter().enumerate() {
        let (matrix, range) = (Matrix::ALL[number % 7], [Range::Limited, Range::Full][number % 3 / 2]);
        let color = colorimetry(matrix, range);
        let size = [(71, 43), (64, 50), (1, 1), (33, 2)][number % 4];
        let seed = number as u64;
        for picture in [noise(layout, size, color, number % 3, seed), natural(layout, size, color, seed)] {
            let all = Rect::whole(size.0, size.1);
            let expected = reference::outside_r103(&picture, all, false);
            for (rect, is_interlaced) in [(all, false), (all, true), (inner(all), false), (inner(all), true)] {
                let expected = reference::outside_r103(&picture, rect, is_interlaced);
                let found = cpu::count_outside_r103(&picture, rect, is_interlaced, 0);
                assert_eq!(found, expected, "{name} {color:?} {rect:?} {is_interlaced}");
                if number % 8 > 0 {
                    continue;
                }
                // The whole picture is on its way, too.
                for rect in [rect, all] {
                    let source = SourceLight::default();
                    let active = Some(ActivePart { rect, is_interlaced });
                    counter
                        .submit(Submission { picture: &picture, region: None, source, light: None, active })
                        .unwrap();
                }
                let [counts, _] = [(); 2].map(|()| counter.take().unwrap().unwrap());
                assert_eq!(counts.outside_r103, Some(expected), "{name} {color:?} {rect:?} {is_interlaced}");
                assert!(counts.histograms[0] == bins(&picture), "{name}");
            }
            // The kind of bins, of colours or of code values, makes no difference.
            let components = if number % 2 == 0 { Components::Rgbl } else { Components::YCbCr };
            for way in WAYS {
                studio.load(way, &picture, UPRIGHT, components);
                let (renderer, gpu) = studio.renderer(way);
                renderer.set_limits(true);
                renderer.request_histogram(gpu);
                renderer.snapshot(gpu, (32, 32), &Scene::default()).unwrap();
                let (_, mut sums) = awaited(gpu, renderer);
                assert_eq!(sums.outside_r103.take(), Some(expected), "{name} {color:?} {way:?}");
                assert!(sums == reference::histogram(&picture, components).cumulative(), "{name} {way:?}");
                renderer.set_limits(false);
            }
            outside += expected;
            inside += size.0 * size.1 - expected;
        }
    }
    assert!(outside > 1000 && inside > 1000, "{outside} {inside}");
}

#[test]
fn few_codes_outside_r103_are_found_wherever_they_are() {
    let color = colorimetry(Matrix::Bt709, Range::Limited);
    let mut random = support::Random(7);
    let (mut outside, mut tolerated) = (0, 0);
    for (name, layout) in native_layouts() {
        for (one_in, side) in [(2000, 3), (100, 1)] {
            let (width, height) = (157 + random.below(200) as u32, 20 + random.below(20) as u32);
            // Dots and patches of the highest code on a gray just within the limits.
            let mut is_dot = vec![false; 512 * 64];
            (0..512 * 64 / one_in).for_each(|_| is_dot[random.below(512 * 64)] = true);
            let is_luma = |index| index == 0 || layout.model == ColorModel::Rgb;
            let code = |index, x: u32, y: u32| match is_dot[(y / side * 512 + x / side) as usize] {
                true => ((1_u32 << layout.depth) - 1) as u16,
                false if is_luma(index) => 246 << (layout.depth - 8),
                false => 1 << (layout.depth - 1),
            };
            let picture = support::drawn(layout, (width, height), color, code);
            let all = Rect::whole(width, height);
            for (rect, is_interlaced) in [(all, false), (all, true), (inner(all), false), (inner(all), true)] {
                let expected = reference::outside_r103(&picture, rect, is_interlaced);
                let found = |limit| cpu::count_outside_r103(&picture, rect, is_interlaced, limit);
                assert_eq!(found(0), expected, "{name} {rect:?} {is_interlaced}");
                let at_limit = found(u64::from(expected).saturating_sub(1));
                assert_eq!(at_limit, expected, "{name} {rect:?} {is_interlaced}: more than is tolerated");
                outside += u32::from(expected > 0);
                tolerated += u32::from(expected > 0 && found(all.pixel_count()) == 0);
            }
        }
    }
    assert!(outside > 100 && tolerated > 100, "{outside} {tolerated}");
}

#[test]
fn of_an_adjusted_picture_nothing_is_outside_r103_and_what_was_not_asked_for_is_told_later() {
    let mut studio = Studio::get();
    let mut frame = frame(7, (1, 1));
    // Each field is filtered by itself.
    frame.facts.scan = Scan::TopFirst;
    let all = Rect::whole(frame.picture.width(), frame.picture.height());
    let expected = reference::outside_r103(&frame.picture, all, true);
    assert_ne!(expected, reference::outside_r103(&frame.picture, all, false));
    assert!(expected > 0);
    for way in WAYS {
        studio.load_frame(way, &frame);
        let (renderer, gpu) = studio.renderer(way);
        for (adjustments, expected) in [(equalized(), 0), (Adjustments::default(), expected)] {
            let scene = Scene::from(Look { adjustments, ..Look::default() });
            renderer.snapshot(gpu, (32, 32), &scene).unwrap();
            renderer.request_histogram(gpu);
            // The panel opens while the bins are under way.
            renderer.set_limits(true);
            renderer.request_histogram(gpu);
            let mut told = awaited(gpu, renderer).1.outside_r103;
            if told.is_none() {
                told = awaited(gpu, renderer).1.outside_r103;
            }
            assert_eq!(told, Some(expected), "{way:?}");
            renderer.set_limits(false);
        }
    }
}

#[test]
fn bins_are_summed_up_only_where_they_are_asked_for() {
    let mut studio = Studio::get();
    let picture = frame(3, (1, 1)).picture;
    let mut passes = |asked: bool, scene: &Scene| {
        studio.load(WAYS[0], &picture, UPRIGHT, Components::Rgbl);
        let (renderer, gpu) = studio.renderer(WAYS[0]);
        if asked {
            renderer.request_histogram(gpu);
        }
        renderer.snapshot(gpu, (32, 32), scene).unwrap();
        let recorded = renderer.recorded().to_vec();
        if asked {
            awaited(gpu, renderer);
        }
        recorded
    };
    let off = Scene::default();
    assert_eq!(passes(false, &off), ["count", "columns", "draw"]);
    assert_eq!(passes(true, &off), ["count", "sum up", "columns", "draw"]);
    assert_eq!(passes(false, &off), ["count", "columns", "draw"], "not any more");
    let on = Scene { look: Look { adjustments: equalized(), ..off.look }, ..off };
    assert_eq!(passes(true, &on), ["adjust and count", "reduce the result", "sum up", "columns", "draw"]);
}

fn equalized() -> Adjustments {
    let tone = Some(Tone::Equalize(Equalize { per_channel: false, time_constant_secs: 0.0 }));
    Adjustments { tone, ..Adjustments::default() }
}

fn thresholded(classes: u32) -> Adjustments {
    let reduction = Some(Reduction::Otsu(Otsu { classes, shown: ClassDisplay::Tones }));
    Adjustments { reduction, ..Adjustments::default() }
}

#[test]
fn bins_are_those_of_the_picture_that_is_shown_filled_and_say_so() {
    let mut studio = Studio::get();
    let [first, second] = [7, 8].map(|number| frame(number, (1, 0)));
    let result = |frame: &Frame, adjustments| expected(&adjusted(&frame.picture, adjustments));
    let (equalized, thresholded) = (equalized(), thresholded(3));
    for way in WAYS {
        studio.load_frame(way, &first);
        let (renderer, gpu) = studio.renderer(way);
        let scene = |adjustments, counted| Scene::from(Look { adjustments, counted, ..Look::default() });
        // The options of a paused picture, each requested before and after drawing.
        let steps = [
            (scene(equalized, Counted::Result), true, result(&first, &equalized)),
            (scene(equalized, Counted::Source), false, expected(&first.picture)),
            (scene(thresholded, Counted::Both), true, result(&first, &thresholded)),
            (scene(equalized, Counted::Both), true, result(&first, &equalized)),
            (Scene::default(), false, expected(&first.picture)),
        ];
        for before in [true, false] {
            for (step, (scene, is_adjusted, bins)) in steps.iter().enumerate() {
                if before {
                    renderer.request_histogram(gpu);
                }
                renderer.snapshot(gpu, (32, 32), scene).unwrap();
                if !before {
                    renderer.request_histogram(gpu);
                }
                let (tag, sums) = awaited(gpu, renderer);
                let name = format!("{way:?}, step {step}, asked for before: {before}");
                assert!(sums == *bins, "{name}");
                assert_eq!(tag, FrameTag { adjusted: *is_adjusted, ..FrameTag::of(&first) }, "{name}");
                assert!(!renderer.is_histogram_pending() || *is_adjusted, "{name}");
            }
        }
        // Bins that arrived before a change of options are not reported again. Drawing sends the new ones without a
        // request.
        renderer.request_histogram(gpu);
        awaited(gpu, renderer);
        renderer.snapshot(gpu, (32, 32), &steps[0].0).unwrap();
        assert_eq!(awaited(gpu, renderer).1, steps[0].2, "{way:?}");
        // Another engine's bins of a picture that is still to be adjusted are not known yet.
        studio.load_frame(way, &second);
        let (renderer, gpu) = studio.renderer(way);
        renderer.request_histogram(gpu);
        assert_eq!(renderer.poll_histogram(gpu), None, "{way:?}");
        renderer.snapshot(gpu, (32, 32), &steps[0].0).unwrap();
        let (tag, sums) = awaited(gpu, renderer);
        assert_eq!((tag.index, tag.adjusted), (Some(8), true), "{way:?}");
        assert!(sums == result(&second, &equalized), "{way:?}");
    }
}

/// Draws, and polls until nothing is under way. Returns the thresholds.
fn thresholds(gpu: &Gpu, renderer: &mut Renderer, adjustments: Adjustments) -> Option<[u32; 4]> {
    renderer.snapshot(gpu, (32, 32), &Scene::from(Look { adjustments, ..Look::default() })).unwrap();
    let begin = Instant::now();
    while renderer.is_histogram_pending() && begin.elapsed() < Duration::from_secs(20) {
        renderer.poll_histogram(gpu);
    }
    renderer.thresholds()
}

#[test]
fn thresholds_come_with_their_picture_and_go_with_their_adjustment() {
    let mut studio = Studio::get();
    for way in WAYS {
        for (number, classes) in [(3, 2), (4, 5), (5, 3)] {
            let frame = frame(number, (1, 1));
            studio.load_frame(way, &frame);
            let (renderer, gpu) = studio.renderer(way);
            let histogram = Codes::of(&frame.picture).histogram();
            let found = otsu::thresholds(histogram.bins(3), classes as usize);
            let expected = std::array::from_fn(|i| found.get(i).copied().unwrap_or(u32::MAX));
            assert_eq!(thresholds(gpu, renderer, thresholded(classes)), Some(expected), "{way:?} {classes} classes");
            assert_eq!(thresholds(gpu, renderer, thresholded(classes)), Some(expected), "{way:?}: drawn again");
        }
        let (renderer, gpu) = studio.renderer(way);
        assert_eq!(thresholds(gpu, renderer, equalized()), None, "{way:?}");
        assert_eq!(thresholds(gpu, renderer, Adjustments::default()), None, "{way:?}");
    }
}

#[test]
fn adjusting_is_timed_on_the_clock_of_whoever_adjusts() {
    let mut studio = Studio::get();
    for way in WAYS {
        studio.load_frame(way, &frame(3, (1, 1)));
        let (renderer, gpu) = studio.renderer(way);
        renderer.set_timing(gpu, true);
        renderer.snapshot(gpu, (32, 32), &Scene::from(Look { adjustments: equalized(), ..Look::default() })).unwrap();
        let begin = Instant::now();
        while renderer.poll_times(gpu) == FiguresState::InFlight && begin.elapsed() < Duration::from_secs(20) {}
        let (times, has_timestamps) = renderer.pass_times().unwrap();
        let on_adapter = way == WAYS[0];
        assert_eq!(times.adjust.is_some(), on_adapter && has_timestamps, "{way:?} {times:?}");
        assert_eq!(times.cpu_adjust.is_some(), !on_adapter, "{way:?} {times:?}");
        // If the adapter adjusts, it counts the result while writing it.
        assert!(times.chunk.is_none(), "{way:?} {times:?}");
        assert_eq!(times.reduce.is_some(), on_adapter && has_timestamps, "{way:?} {times:?}");
        assert_eq!(times.scale.is_some(), has_timestamps, "{way:?} {times:?}");
        assert_eq!(times.draw.is_some(), has_timestamps, "{way:?} {times:?}");
        renderer.set_timing(gpu, false);
    }
}

/// A software adapter may write a timestamp long after it was recorded: with the next one, or when drawing ends.
#[test]
fn passes_that_follow_a_drawing_are_timed_with_all_their_work() {
    const FRAMES: usize = 9;
    let gpu = Gpu::headless(&AdapterChoice::default()).expect("an adapter; scripts/setup installs one");
    let layout = PixelLayout::planar_ycbcr(8, (1, 1));
    let picture = noise(layout, (1280, 720), colorimetry(Matrix::Bt709, Range::Limited), 0, 1);
    let scene = Scene::from(Look { adjustments: equalized(), counted: Counted::Both, ..Look::default() });
    let mut renderer = Renderer::new(&gpu, VIEW_FORMAT, BackendKind::Adapter);
    // Returns the total time of a frame's passes, and the time spent waiting for them.
    let mut frame = || {
        renderer.load(&gpu, &picture, UPRIGHT, None, Components::Rgbl).unwrap();
        renderer.set_timing(&gpu, true);
        gpu.wait().unwrap();
        let begin = Instant::now();
        renderer.snapshot(&gpu, (320, 180), &scene).unwrap();
        let waited = begin.elapsed();
        while renderer.poll_times(&gpu) == FiguresState::InFlight && begin.elapsed() < Duration::from_secs(20) {}
        let (times, _) = renderer.pass_times().unwrap();
        let parts = [times.chunk, times.reduce, times.scale, times.adjust, times.draw];
        (times, parts.map(Option::unwrap_or_default).iter().sum::<Duration>(), waited)
    };
    // The first drawing compiles the shaders.
    frame();
    // On a busy machine a pass may take long for no reason of its own, so most frames decide.
    let mut seen = Vec::new();
    for _ in 0..FRAMES {
        let (times, passes, waited) = frame();
        if times.draw.is_none() {
            return; // The adapter writes no timestamps.
        }
        assert!(passes <= waited, "{times:?} of {waited:?}");
        // Counting and adjusting read every pixel of the picture, and take most of the time. If the begin was recorded
        // after the work, the pass would seem to take a hundredth of it. On a GPU, submitting the work takes longer
        // than all of it.
        let has_its_work = times.chunk.is_some_and(|chunk| Some(20 * chunk) > times.adjust) && passes > waited / 4;
        seen.push((has_its_work || !gpu.is_software(), format!("{times:?} of {waited:?}")));
    }
    assert!(seen.iter().filter(|frame| frame.0).count() > FRAMES / 2, "{seen:#?}");
}
