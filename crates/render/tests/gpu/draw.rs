//! The picture on a view: the shader and the CPU draw the same, and it equals the picture.

use std::sync::Arc;

use histoscope_core::histogram::reference;
use histoscope_core::histogram::{Components, Histogram};
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::picture::{Orientation, OwnedPlanes, Picture, Ratio};
use histoscope_render::engine::BackendKind;
use histoscope_render::gpu::Scene;
use histoscope_render::gpu::readback::Image;
use histoscope_render::gpu::upload::PictureBuffers;
use histoscope_render::view::scene::Look;

use crate::studio::{Studio, UPRIGHT, WAYS, Way};
use crate::support::image::distance;
use crate::support::{self, colorimetry, native_layouts, natural, noise};

fn drawn(studio: &mut Studio, way: Way, picture: &Picture, placing: (Ratio, Orientation), size: (u32, u32)) -> Image {
    // No bins are shown here, so none are counted.
    let bins = Histogram::empty(picture.layout().bin_bits(), Components::Rgbl);
    let scene = Scene::from(Look { overlays: false, ..Look::default() });
    studio.drawn(way, picture, placing, (size, &scene, bins))
}

#[test]
fn the_shader_and_the_cpu_draw_alike() {
    let mut studio = Studio::get();
    let color = colorimetry(Matrix::Bt709, Range::Limited);
    let anamorphic = Ratio { num: 16, den: 11 };
    for (number, (name, layout)) in native_layouts().into_iter().enumerate() {
        let picture = natural(layout, (61, 35), color, 5);
        // Every layout is tested with a few of the sizes and turns. Together they cover all.
        let size = [(61, 35), (122, 70), (37, 50), (40, 21)][number % 4];
        let orientation = Orientation { quarter_turns: (number / 4 % 4) as u8, mirrored: number % 3 == 0 };
        let placing = (if number % 5 == 0 { anamorphic } else { Ratio::ONE }, orientation);
        let shader = drawn(&mut studio, BackendKind::Adapter, &picture, placing, size);
        let cpu = drawn(&mut studio, BackendKind::Cpu, &picture, placing, size);
        assert!(distance(&shader, &cpu) <= 1, "{name} {size:?} {placing:?}: {}", distance(&shader, &cpu));
    }
}

#[test]
fn at_its_own_size_an_rgb_picture_is_shown_code_for_code() {
    let mut studio = Studio::get();
    let layout = PixelLayout::packed_rgb(8, [0, 1, 2], 3);
    let picture = noise(layout, (97, 53), colorimetry(Matrix::Identity, Range::Full), 0, 3);
    let source: Vec<u8> = (0..53).flat_map(|y| picture.plane(0).row(y, 97 * 3)).copied().collect();
    for backend in WAYS {
        let image = drawn(&mut studio, backend, &picture, UPRIGHT, (97, 53));
        let shown: Vec<u8> = image.rgba.chunks_exact(4).flat_map(|p| &p[..3]).copied().collect();
        assert_eq!(shown, source, "{backend:?}");
    }
}

/// Makes a picture of two by two pixels: red, green over blue, white.
fn corners() -> Picture {
    let rgb = vec![255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255];
    let planes = OwnedPlanes { planes: vec![(rgb, 6)] };
    let layout = PixelLayout::packed_rgb(8, [0, 1, 2], 3);
    Picture::new(layout, (2, 2), colorimetry(Matrix::Identity, Range::Full), Arc::new(planes)).unwrap()
}

#[test]
fn turns_and_mirrors_put_the_corners_where_they_belong() {
    let mut studio = Studio::get();
    let (r, g, b, w) = ([255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]);
    // Turned clockwise, after mirroring. Corners are in reading order.
    let cases = [
        (0, false, [r, g, b, w]),
        (1, false, [b, r, w, g]),
        (2, false, [w, b, g, r]),
        (3, false, [g, w, r, b]),
        (0, true, [g, r, w, b]),
        (1, true, [w, g, b, r]),
    ];
    for (quarter_turns, mirrored, expected) in cases {
        for backend in WAYS {
            let placing = (Ratio::ONE, Orientation { quarter_turns, mirrored });
            let image = drawn(&mut studio, backend, &corners(), placing, (2, 2));
            let shown: Vec<[u8; 3]> = image.rgba.chunks_exact(4).map(|p| [p[0], p[1], p[2]]).collect();
            assert_eq!(shown, expected, "{quarter_turns} quarter turns, mirrored {mirrored}, {backend:?}");
        }
    }
}

#[test]
fn the_picture_covers_the_view_and_loses_the_same_at_both_ends() {
    let mut studio = Studio::get();
    // A gray ramp of 100 columns, drawn into a view half as wide: the middle 50 columns remain.
    let layout = PixelLayout::gray(8);
    let color = colorimetry(Matrix::Bt709, Range::Full);
    let ramp = support::drawn(layout, (100, 20), color, |_, x, _| x as u16);
    for backend in WAYS {
        let image = drawn(&mut studio, backend, &ramp, UPRIGHT, (50, 20));
        let first_row: Vec<u8> = image.rgba.chunks_exact(4).take(50).map(|p| p[0]).collect();
        assert_eq!(first_row, (25..75).collect::<Vec<u8>>(), "{backend:?}");
    }
}

#[test]
fn a_picture_too_large_for_the_adapter_is_counted_and_shown_all_the_same() {
    let mut studio = Studio::new();
    studio.gpu.most_plane_bytes = 4000;
    let layout = PixelLayout::planar_ycbcr(10, (1, 0));
    let picture = noise(layout, (70, 61), colorimetry(Matrix::Bt709, Range::Limited), 0, 8);
    assert!(PictureBuffers::check(&studio.gpu, &picture).is_err());
    let way = BackendKind::Adapter;
    studio.load(way, &picture, UPRIGHT, Components::Rgbl);
    let image = studio.snapshot(way, (64, 64), &Scene::from(Look { overlays: false, ..Look::default() }));
    let histogram = studio.count(way);
    assert_eq!(histogram, reference::histogram(&picture, Components::Rgbl));
    assert_eq!(image, drawn(&mut studio, BackendKind::Cpu, &picture, UPRIGHT, (64, 64)));
}

#[test]
fn the_comparison_notices_another_matrix() {
    let mut studio = Studio::get();
    let layout = PixelLayout::planar_ycbcr(8, (1, 1));
    let picture = natural(layout, (61, 35), colorimetry(Matrix::Bt709, Range::Limited), 5);
    let other = picture.with_colorimetry(colorimetry(Matrix::Bt601, Range::Limited));
    let placing = UPRIGHT;
    let a = drawn(&mut studio, BackendKind::Adapter, &picture, placing, (61, 35));
    let b = drawn(&mut studio, BackendKind::Cpu, &other, placing, (61, 35));
    assert!(distance(&a, &b) > 5);
}
