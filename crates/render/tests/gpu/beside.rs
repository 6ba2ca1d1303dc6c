//! A comparison picture on the view: placed, turned, adjusted and drawn as it would be alone, for any size and depth
//! and any engine, beside a divider or in its half of the view. It is uploaded once. Also the difference of both
//! pictures.

use histoscope_core::adjust::difference::{Extent, Gain, Mapping, difference};
use histoscope_core::adjust::{Adjustments, Codes};
use histoscope_core::histogram::Components;
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::picture::{Frame, Orientation, Ratio};
use histoscope_render::gpu::readback::Image;
use histoscope_render::view::exposure::{Exposure, Level};
use histoscope_render::view::placement::{Fit, ViewSettings};
use histoscope_render::view::scene::{Look, Other, Pair, Scene, Sharing};

use crate::studio::{Studio, WAYS, Way, adjusted, bare, each, frame};
use crate::support::image::{distance, distance_in};
use crate::support::{colorimetry, natural};

fn frame_of(layout: PixelLayout, size: (u32, u32), seed: u64) -> Frame {
    frame(natural(layout, size, colorimetry(Matrix::Bt709, Range::Limited), seed), seed, seed)
}

fn divided(at: f32, scene: Scene) -> Scene {
    scene.with_pair(Pair { other: Other::Held, ..Pair::divided(at) })
}

/// Returns the view of a frame alone.
fn alone(studio: &mut Studio, way: Way, frame: &Frame, view: (u32, u32), scene: &Scene) -> Image {
    let (renderer, gpu) = studio.renderer(way);
    renderer.set_comparison(gpu, None).unwrap();
    studio.load_frame(way, frame);
    studio.snapshot(way, view, scene)
}

/// Returns the view of a live frame, with a held one left of the divider.
fn both(studio: &mut Studio, way: Way, (held, live): (&Frame, &Frame), view: (u32, u32), scene: &Scene) -> Image {
    studio.load_frame(way, live);
    let (renderer, gpu) = studio.renderer(way);
    renderer.set_comparison(gpu, Some(held)).unwrap();
    studio.snapshot(way, view, scene)
}

#[test]
fn either_side_is_drawn_as_its_picture_is_by_itself() {
    let mut studio = Studio::get();
    let live = frame_of(PixelLayout::planar_ycbcr(8, (1, 1)), (97, 53), 3);
    let mut turned = frame_of(PixelLayout::planar_ycbcr(10, (1, 0)), (40, 61), 11);
    turned.facts.orientation = Orientation { quarter_turns: 1, mirrored: false };
    turned.facts.sample_aspect = Ratio { num: 16, den: 11 };
    let others = [
        frame_of(PixelLayout::planar_ycbcr(8, (1, 1)), (97, 53), 9),
        frame_of(PixelLayout::planar_gbr(12), (61, 80), 7),
        turned,
    ];
    let views = [
        ((97, 53), ViewSettings::default()),
        ((120, 90), ViewSettings::fitted(Fit::Contain)),
        ((110, 70), ViewSettings { zoom: 6.5, ..ViewSettings::default() }),
    ];
    for adjustments in [Adjustments::default(), each()[8]] {
        for (held, (view, settings)) in others.iter().flat_map(|held| views.map(|view| (held, view))) {
            let scene = Scene::from(Look { view: settings, ..bare(adjustments).look });
            for way in WAYS {
                let [before, after] = [held, &live].map(|frame| alone(&mut studio, way, frame, view, &scene));
                assert!(distance(&before, &after) > 5, "the two can be told apart: {view:?}");
                for share in [0.0, 0.37, 1.0] {
                    let shown = both(&mut studio, way, (held, &live), view, &divided(share, scene));
                    let column = (share * view.0 as f32).round() as u32;
                    let (left, right) = (column.saturating_sub(2), (column + 2).min(view.0));
                    let layout = held.picture.layout();
                    let name = format!("{layout:?} {view:?} {way:?} {adjustments} at {share}");
                    assert!(distance_in(&shown, &before, 0..left) <= 1, "{name}: the held frame at the left");
                    assert!(distance_in(&shown, &after, right..view.0) <= 1, "{name}: the live one at the right");
                }
            }
        }
    }
}

#[test]
fn the_planes_are_uploaded_once_and_the_picture_is_adjusted_once() {
    let mut studio = Studio::get();
    let [live, held] = [3, 9].map(|seed| frame_of(PixelLayout::planar_ycbcr(8, (1, 1)), (97, 53), seed));
    let way = WAYS[0];
    let scene = divided(0.5, bare(each()[3]));
    let mut recorded = Vec::new();
    for _ in 0..3 {
        both(&mut studio, way, (&held, &live), (97, 53), &scene);
        recorded.push(studio.renderer(way).0.recorded().to_vec());
    }
    let count = |passes: &[&str], name: &str| passes.iter().filter(|pass| **pass == name).count();
    assert_eq!(recorded.iter().map(|passes| count(passes, "upload comparison")).collect::<Vec<_>>(), [1, 0, 0]);
    // The live frame is loaded anew each time. At first both are adjusted.
    let adjusted = |passes: &Vec<&str>| passes.iter().filter(|pass| pass.starts_with("adjust")).count();
    assert_eq!(recorded.iter().map(adjusted).collect::<Vec<_>>(), [2, 1, 1], "{recorded:?}");
}

#[test]
fn what_is_counted_and_outlined_stays_that_of_the_live_picture() {
    let mut studio = Studio::get();
    let [live, held] = [3, 9].map(|seed| frame_of(PixelLayout::planar_ycbcr(8, (1, 1)), (97, 53), seed));
    for way in WAYS {
        let scene = divided(0.5, Scene::default());
        both(&mut studio, way, (&held, &live), (640, 360), &scene);
        let expected = crate::studio::count(&live.picture, Components::Rgbl);
        assert_eq!(studio.count(way), expected, "{way:?}");
    }
}

#[test]
fn each_side_is_striped_by_its_own_codes() {
    let mut studio = Studio::get();
    let [live, held] = [3, 9].map(|seed| frame_of(PixelLayout::planar_ycbcr(8, (1, 1)), (97, 53), seed));
    let exposure = Exposure { zebra: true, level: Level::Permille(400), ..Exposure::default() };
    let scene = Scene::from(Look { exposure, ..bare(Adjustments::default()).look });
    for way in WAYS {
        let [before, after] = [&held, &live].map(|frame| alone(&mut studio, way, frame, (97, 53), &scene));
        let shown = both(&mut studio, way, (&held, &live), (97, 53), &divided(0.5, scene));
        assert!(distance_in(&shown, &before, 0..46) <= 1 && distance_in(&shown, &after, 51..97) <= 1, "{way:?}");
        let bare = alone(&mut studio, way, &held, (97, 53), &bare(Adjustments::default()));
        assert!(distance_in(&before, &bare, 0..46) > 20, "nothing is striped");
    }
}

#[test]
fn without_another_picture_nothing_is_divided() {
    let mut studio = Studio::get();
    let live = frame_of(PixelLayout::planar_ycbcr(8, (1, 1)), (97, 53), 3);
    for way in WAYS {
        let expected = alone(&mut studio, way, &live, (97, 53), &bare(Adjustments::default()));
        let scene = divided(0.5, bare(Adjustments::default()));
        assert_eq!(alone(&mut studio, way, &live, (97, 53), &scene), expected, "{way:?}");
    }
}

/// Returns the part of an image between these columns.
fn cut(image: &Image, columns: std::ops::Range<u32>) -> Image {
    let rows = image.rgba.chunks_exact(4 * image.width as usize);
    let part = 4 * columns.start as usize..4 * columns.end as usize;
    Image {
        width: columns.end - columns.start,
        height: image.height,
        rgba: rows.flat_map(|row| row[part.clone()].to_vec()).collect(),
    }
}

#[test]
fn side_by_side_each_picture_is_seen_whole_in_its_half() {
    let mut studio = Studio::get();
    let live = frame_of(PixelLayout::planar_ycbcr(8, (1, 1)), (97, 53), 3);
    let mut turned = frame_of(PixelLayout::planar_ycbcr(10, (1, 0)), (40, 61), 11);
    turned.facts.orientation = Orientation { quarter_turns: 1, mirrored: false };
    let settings = [
        (ViewSettings::default(), Fit::Contain),
        (ViewSettings::fitted(Fit::Actual), Fit::Actual),
        (ViewSettings { zoom: 5.0, ..ViewSettings::default() }, Fit::Contain),
    ];
    for (other, (view, fit)) in [Other::Held, Other::Second].into_iter().flat_map(|other| settings.map(|s| (other, s)))
    {
        for (way, size) in WAYS.into_iter().flat_map(|way| [(way, (160, 90)), (way, (161, 120))]) {
            let pair = Pair { sharing: Sharing::SideBySide, other, ..Pair::default() };
            let shown = both(
                &mut studio,
                way,
                (&turned, &live),
                size,
                &Scene::from(Look { view, ..bare(Adjustments::default()).look }).with_pair(pair),
            );
            let single = Scene::from(Look { view: ViewSettings { fit, ..view }, ..bare(Adjustments::default()).look });
            let halves = [0..size.0 / 2, size.0 / 2..size.0];
            let order = if other == Other::Held { [&turned, &live] } else { [&live, &turned] };
            for (index, (half, frame)) in halves.into_iter().zip(order).enumerate() {
                let width = half.end - half.start;
                let expected = alone(&mut studio, way, frame, (width, size.1), &single);
                // The line between the two covers two columns of each.
                let seen = if index == 0 { 0..width - 2 } else { 2..width };
                let name = format!("{other:?} {fit:?} {way:?} {size:?} half {index}");
                assert!(distance_in(&cut(&shown, half), &expected, seen) <= 1, "{name}");
            }
        }
    }
}

/// Computes the difference on the CPU and draws it like any picture.
fn expected_difference(studio: &mut Studio, way: Way, [live, other]: [&Frame; 2], scene: &Scene) -> Image {
    let extent = |frame: &Frame| Extent {
        size: (frame.picture.width(), frame.picture.height()),
        orientation: frame.orientation,
    };
    let mapping = Mapping::new(extent(live), extent(other));
    let found = difference(&Codes::of(&live.picture), &Codes::of(&other.picture), &mapping, scene.look.gain);
    let drawn = Frame { picture: found.picture().unwrap(), ..live.clone() };
    alone(studio, way, &drawn, (97, 53), &bare(Adjustments::default()))
}

#[test]
fn the_difference_is_that_of_the_codes_of_any_layout_size_and_turn() {
    let mut studio = Studio::get();
    let mut turned = frame_of(PixelLayout::planar_ycbcr(10, (1, 0)), (40, 61), 11);
    turned.facts.orientation = Orientation { quarter_turns: 3, mirrored: true };
    let lives = [
        frame_of(PixelLayout::planar_ycbcr(8, (1, 1)), (97, 53), 3),
        frame_of(PixelLayout::planar_ycbcr(10, (0, 0)), (97, 53), 3),
    ];
    let others = [
        frame_of(PixelLayout::planar_ycbcr(8, (1, 1)), (97, 53), 4),
        frame_of(PixelLayout::planar_gbr(12), (61, 80), 3),
        turned,
    ];
    for (live, other) in lives.iter().flat_map(|live| others.iter().map(move |other| (live, other))) {
        for (way, times) in WAYS.into_iter().flat_map(|way| [1, 8, 256].map(|times| (way, times))) {
            let gain = Gain::new(times).unwrap();
            let pair = Pair { sharing: Sharing::Difference, other: Other::Second, gain };
            let scene = Scene::from(bare(Adjustments::default()).look).with_pair(pair);
            let expected = expected_difference(&mut studio, way, [live, other], &scene);
            let shown = both(&mut studio, way, (other, live), (97, 53), &scene);
            let name = format!("{:?} {:?} {way:?} ×{times}", live.picture.layout(), other.picture.layout());
            assert!(distance(&shown, &expected) == 0, "{name}: {}", distance(&shown, &expected));
            assert!(shown.rgba.chunks_exact(4).any(|pixel| pixel[..3] != [0; 3]), "{name}: all is black");
        }
    }
}

#[test]
fn the_difference_is_of_what_is_adjusted_and_of_the_source_and_is_found_once() {
    let mut studio = Studio::get();
    let [live, held] = [3, 9].map(|seed| frame_of(PixelLayout::planar_ycbcr(8, (1, 1)), (97, 53), seed));
    for (way, adjustments) in WAYS.into_iter().flat_map(|way| [each()[3], each()[8]].map(|each| (way, each))) {
        let [made, held_made] =
            [&live, &held].map(|frame| Frame { picture: adjusted(&frame.picture, &adjustments), ..frame.clone() });
        for (other, against) in [(Other::Source, &live), (Other::Held, &held_made)] {
            let pair = Pair { sharing: Sharing::Difference, other, gain: Gain::new(3).unwrap() };
            let scene = Scene::from(bare(adjustments).look).with_pair(pair);
            let expected = expected_difference(&mut studio, way, [&made, against], &scene);
            let shown = both(&mut studio, way, (&held, &live), (97, 53), &scene);
            assert_eq!(distance(&shown, &expected), 0, "{way:?} {adjustments} {other:?}");
            let again = |studio: &mut Studio, scene: &Scene| {
                studio.snapshot(way, (97, 53), scene);
                studio.renderer(way).0.recorded().iter().any(|pass| pass.starts_with("difference"))
            };
            assert!(!again(&mut studio, &scene), "{way:?}: it was found already");
            let pair = Pair { gain: pair.gain.stepped(true), ..pair };
            assert!(again(&mut studio, &scene.with_pair(pair)), "{way:?}: of another gain it was not");
        }
    }
}

#[test]
fn without_another_picture_there_is_no_difference_and_no_half() {
    let mut studio = Studio::get();
    let live = frame_of(PixelLayout::planar_ycbcr(8, (1, 1)), (97, 53), 3);
    for (way, sharing) in WAYS.into_iter().flat_map(|way| [Sharing::SideBySide, Sharing::Difference].map(|s| (way, s)))
    {
        let plain = bare(Adjustments::default());
        let expected = alone(&mut studio, way, &live, (97, 53), &plain);
        let scene = plain.with_pair(Pair { sharing, ..Pair::default() });
        let shown = alone(&mut studio, way, &live, (97, 53), &scene);
        assert_eq!(distance(&shown, &expected), 0, "{way:?} {sharing:?}");
    }
}
