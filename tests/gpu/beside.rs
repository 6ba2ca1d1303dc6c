//! Another picture left of the divider: placed, turned, adjusted and drawn as it would be by itself, of any size and depth, by whoever
//! draws and counts; and uploaded once.

use histoscope::adjust::Adjustments;
use histoscope::gpu::readback::Image;
use histoscope::histogram::Components;
use histoscope::picture::color::{Matrix, Range};
use histoscope::picture::layout::PixelLayout;
use histoscope::picture::{Frame, Orientation, Ratio};
use histoscope::view::exposure::{Exposure, Level};
use histoscope::view::placement::{Fit, ViewSettings};
use histoscope::view::scene::{Left, Scene};

use crate::studio::{Studio, WAYS, Way, bare, each, frame};
use crate::support::image::{distance, distance_in};
use crate::support::{colorimetry, natural};

fn frame_of(layout: PixelLayout, size: (u32, u32), seed: u64) -> Frame {
    frame(natural(layout, size, colorimetry(Matrix::Bt709, Range::Limited), seed), seed, seed)
}

fn divided(at: f32, scene: Scene) -> Scene {
    Scene { divider: Some(at), left: Left::Held, ..scene }
}

/// The view of a frame alone.
fn alone(studio: &mut Studio, way: Way, frame: &Frame, view: (u32, u32), scene: &Scene) -> Image {
    let (renderer, gpu) = studio.renderer(way);
    renderer.set_beside(gpu, None).unwrap();
    studio.load_frame(way, frame);
    studio.snapshot(way, view, scene)
}

/// The view of a live frame with a held one left of the divider.
fn both(studio: &mut Studio, way: Way, (held, live): (&Frame, &Frame), view: (u32, u32), scene: &Scene) -> Image {
    studio.load_frame(way, live);
    let (renderer, gpu) = studio.renderer(way);
    renderer.set_beside(gpu, Some(held)).unwrap();
    studio.snapshot(way, view, scene)
}

#[test]
fn either_side_is_drawn_as_its_picture_is_by_itself() {
    let mut studio = Studio::new();
    let live = frame_of(PixelLayout::planar_ycbcr(8, (1, 1)), (97, 53), 3);
    let mut turned = frame_of(PixelLayout::planar_ycbcr(10, (1, 0)), (40, 61), 11);
    turned.orientation = Orientation { quarter_turns: 1, mirrored: false };
    turned.sample_aspect = Ratio { num: 16, den: 11 };
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
            let scene = Scene { view: settings, ..bare(adjustments) };
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
    let mut studio = Studio::new();
    let [live, held] = [3, 9].map(|seed| frame_of(PixelLayout::planar_ycbcr(8, (1, 1)), (97, 53), seed));
    let way = WAYS[0];
    let scene = divided(0.5, bare(each()[3]));
    let mut recorded = Vec::new();
    for _ in 0..3 {
        both(&mut studio, way, (&held, &live), (97, 53), &scene);
        recorded.push(studio.renderer(way).0.recorded().to_vec());
    }
    let count = |passes: &[&str], name: &str| passes.iter().filter(|pass| **pass == name).count();
    assert_eq!(recorded.iter().map(|passes| count(passes, "upload beside")).collect::<Vec<_>>(), [1, 0, 0]);
    // The live one is loaded anew each time, and both are adjusted at first.
    let adjusted = |passes: &Vec<&str>| passes.iter().filter(|pass| pass.starts_with("adjust")).count();
    assert_eq!(recorded.iter().map(adjusted).collect::<Vec<_>>(), [2, 1, 1], "{recorded:?}");
}

#[test]
fn what_is_counted_and_outlined_stays_that_of_the_live_picture() {
    let mut studio = Studio::new();
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
    let mut studio = Studio::new();
    let [live, held] = [3, 9].map(|seed| frame_of(PixelLayout::planar_ycbcr(8, (1, 1)), (97, 53), seed));
    let exposure = Exposure { zebra: true, level: Level::Permille(400), ..Exposure::default() };
    let scene = Scene { exposure, ..bare(Adjustments::default()) };
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
    let mut studio = Studio::new();
    let live = frame_of(PixelLayout::planar_ycbcr(8, (1, 1)), (97, 53), 3);
    for way in WAYS {
        let expected = alone(&mut studio, way, &live, (97, 53), &bare(Adjustments::default()));
        let scene = divided(0.5, bare(Adjustments::default()));
        assert_eq!(alone(&mut studio, way, &live, (97, 53), &scene), expected, "{way:?}");
    }
}
