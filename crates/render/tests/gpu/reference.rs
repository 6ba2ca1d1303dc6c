//! The bins of a held frame, drawn as outlines over those of another picture.

use std::sync::Arc;

use histoscope_core::adjust::Adjustments;
use histoscope_core::histogram::{Components, Histogram};
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::PixelLayout;
use histoscope_render::gpu::readback::Image;
use histoscope_render::view::scene::{Counted, Look, Scene};

use crate::studio::{Studio, UPRIGHT, WAYS, Way, adjusted, count, each};
use crate::support::{colorimetry, natural, noise};

const VIEW: (u32, u32) = (640, 360);

/// Draws a picture with the outlines of a held frame.
fn drawn(studio: &mut Studio, way: Way, picture: &Picture, of: (Components, Option<&Histogram>)) -> Image {
    studio.load(way, picture, UPRIGHT, of.0);
    let (renderer, gpu) = studio.renderer(way);
    renderer.set_reference(gpu, of.1.map(|bins| Arc::new(bins.clone())).as_ref());
    let image = studio.snapshot(way, VIEW, &Scene::default());
    let (renderer, gpu) = studio.renderer(way);
    renderer.set_reference(gpu, None);
    image
}

fn picture(bits: u8, size: (u32, u32), seed: u64) -> Picture {
    natural(PixelLayout::planar_ycbcr(bits, (1, 1)), size, colorimetry(Matrix::Bt709, Range::Limited), seed)
}

/// The same bins give the same outlines, whether they are the source of an adjusted picture or a held frame.
#[test]
fn a_reference_is_outlined_as_a_source_is_beside_its_result() {
    let mut studio = Studio::get();
    let source = picture(8, (96, 54), 3);
    let adjustments = each()[1];
    let result = adjusted(&source, &adjustments);
    let bins = count(&source, Components::Rgbl);
    for way in WAYS {
        studio.load(way, &source, UPRIGHT, Components::Rgbl);
        let both =
            studio.snapshot(way, VIEW, &Scene::from(Look { adjustments, counted: Counted::Both, ..Look::default() }));
        let held = drawn(&mut studio, way, &result, (Components::Rgbl, Some(&bins)));
        assert!(held == both, "{way:?}");
        let bare = drawn(&mut studio, way, &result, (Components::Rgbl, None));
        assert!(held != bare, "{way:?}: there are no outlines");
        studio.load(way, &result, UPRIGHT, Components::Rgbl);
        let plain =
            studio.snapshot(way, VIEW, &Scene::from(Look { adjustments: Adjustments::default(), ..Look::default() }));
        assert!(bare == plain, "{way:?}: outlines are left of a reference that is let go of");
    }
}

#[test]
fn outlines_show_shares_of_pictures_of_any_size_and_depth_of_the_same_components() {
    let mut studio = Studio::get();
    let live = picture(10, (96, 54), 5);
    let other = noise(PixelLayout::planar_ycbcr(10, (1, 1)), (96, 54), *live.colorimetry(), 2, 9);
    let bins = count(&other, Components::Rgbl);
    let mut larger = bins.clone();
    larger.words.iter_mut().for_each(|word| *word *= 7);
    let coarse = bins.rescaled_to(8, [96 * 54; 4]);
    for way in WAYS {
        let plain = drawn(&mut studio, way, &live, (Components::Rgbl, None));
        let held = drawn(&mut studio, way, &live, (Components::Rgbl, Some(&bins)));
        assert!(held != plain, "{way:?}");
        assert!(
            drawn(&mut studio, way, &live, (Components::Rgbl, Some(&larger))) == held,
            "{way:?}: of a larger picture"
        );
        let rough = drawn(&mut studio, way, &live, (Components::Rgbl, Some(&coarse)));
        assert!(rough != plain, "{way:?}: of a picture of 8 bits");
        // Without counts of these components for the picture on screen, there is nothing to compare.
        let coded = drawn(&mut studio, way, &live, (Components::YCbCr, None));
        assert!(drawn(&mut studio, way, &live, (Components::YCbCr, Some(&bins))) == coded, "{way:?}");
        let coded_bins = count(&other, Components::YCbCr);
        assert!(drawn(&mut studio, way, &live, (Components::YCbCr, Some(&coded_bins))) != coded, "{way:?}");
    }
}
