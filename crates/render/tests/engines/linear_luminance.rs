//! The luminance of linear light: every engine's counts against the definition, and the line drawn from them. It is
//! counted only when requested.

use histoscope_core::histogram::reference::linear_luminance;
use histoscope_core::histogram::{Components, LightTable, Transfer, regroup, vertical_scale};
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::{ColorModel, PixelLayout};
use histoscope_core::picture::region::{self, Rect};
use histoscope_render::cpu;
use histoscope_render::gpu::readback::Image;
use histoscope_render::view::clip_indicators;
use histoscope_render::view::overlay::{OverlayStyle, graticule};
use histoscope_render::view::panel::panels;
use histoscope_render::view::scene::{Counted, Look, Scene};

use crate::studio::{self, Studio, UPRIGHT, WAYS, adjusted, bare};
use crate::support::image::pixel;
use crate::support::{colorimetry, constant, native_layouts, natural, noise};

fn color(layout: &PixelLayout) -> histoscope_core::picture::color::Colorimetry {
    let is_rgb = layout.model == ColorModel::Rgb;
    colorimetry(
        if is_rgb { Matrix::Identity } else { Matrix::Bt709 },
        if is_rgb { Range::Full } else { Range::Limited },
    )
}

#[test]
fn every_engine_counts_what_the_definition_says() {
    let mut studio = Studio::get();
    let sizes = [(1, 1), (6, 7), (17, 13), (61, 33)];
    for (number, (name, layout)) in native_layouts().into_iter().enumerate() {
        let picture = noise(layout, sizes[number % 4], color(&layout), 3, number as u64);
        let expected = linear_luminance(&picture, Transfer::Bt1886);
        assert_eq!(expected.iter().sum::<u32>(), picture.pixel_count(), "{name}: every pixel once");
        for way in WAYS {
            studio.load(way, &picture, UPRIGHT, Components::Rgbl);
            let (renderer, gpu) = studio.renderer(way);
            let counted = renderer.count_linear(gpu, &Scene::default()).unwrap();
            assert!(counted == (Transfer::Bt1886, expected.clone()), "{name}, {way:?}");
        }
        for transfer in Transfer::ALL {
            let table = LightTable::new(transfer, layout.bin_bits());
            assert!(
                cpu::count_linear(&picture, &table) == linear_luminance(&picture, transfer),
                "{name}, {transfer:?}"
            );
        }
    }
}

#[test]
fn large_pictures_parts_of_them_and_adjusted_ones_are_exact() {
    let mut studio = Studio::get();
    let layout = PixelLayout::planar_ycbcr(8, (1, 1));
    for picture in [constant(layout, (641, 359), color(&layout)), natural(layout, (1920, 1080), color(&layout), 5)] {
        let (width, height) = (picture.width(), picture.height());
        let rect = Rect { x: 3, y: 5, width: width / 2, height: height / 2 + 1 };
        let parts = region::parts(&picture, rect).unwrap();
        let of_part = parts.iter().map(|part| linear_luminance(part, Transfer::Bt1886));
        let of_part = of_part.reduce(|a, b| a.iter().zip(b).map(|(a, b)| a + b).collect()).unwrap();
        let equalized = studio::each()[1];
        let result = linear_luminance(&adjusted(&picture, &equalized), Transfer::Bt1886);
        for way in WAYS {
            let (renderer, gpu) = studio.renderer(way);
            renderer.load(gpu, &picture, UPRIGHT, Some(rect), Components::Rgbl).unwrap();
            assert!(renderer.count_linear(gpu, &Scene::default()).unwrap().1 == of_part, "a part, {way:?}");
            renderer.load(gpu, &picture, UPRIGHT, None, Components::Rgbl).unwrap();
            let scene = Scene::from(Look { counted: Counted::Result, ..bare(equalized).look });
            assert!(renderer.count_linear(gpu, &scene).unwrap().1 == result, "adjusted, {way:?}");
        }
    }
}

/// Returns the lowest and highest row, from below, of the line in a column over a black picture.
fn line_rows(image: &Image, left: u32, (top, height): (u32, u32)) -> Option<(u32, u32)> {
    // Orange: no bar of luminance has so little blue for its red.
    let is_line = |[r, g, b]: [u8; 3]| r > 150 && i32::from(r) - i32::from(b) > 90 && g > b;
    let rows: Vec<_> = (0..height).filter(|&row| is_line(pixel(image, left, top + height - 1 - row))).collect();
    Some((*rows.first()?, *rows.last()?))
}

#[test]
fn the_line_is_as_high_as_its_bins_by_the_scale_of_luminance_and_counted_only_while_it_is_shown() {
    let mut studio = Studio::get();
    let layout = PixelLayout::planar_ycbcr(8, (1, 1));
    let picture = natural(layout, (640, 360), color(&layout), 9);
    let linear = linear_luminance(&picture, Transfer::Bt1886);
    let luminance = studio::count(&picture, Components::Rgbl);
    let view = (1280, 720);
    for (way, bins) in [(WAYS[0], None), (WAYS[1], None), (WAYS[0], Some(100)), (WAYS[1], Some(16))] {
        studio.load(way, &picture, UPRIGHT, Components::Rgbl);
        let style = OverlayStyle { bins, height: 0.5, ..OverlayStyle::default() };
        studio.snapshot(way, view, &Scene::from(Look { histograms: style, ..Look::default() }));
        assert!(!studio.renderer(way).0.recorded().contains(&"linear"), "{way:?}: nobody asked");
        let scene =
            Scene::from(Look { histograms: OverlayStyle { linear_luminance: true, ..style }, ..Look::default() });
        studio.snapshot(way, view, &scene);
        assert!(studio.renderer(way).0.recorded().contains(&"linear"), "{way:?}");
        let image = studio.snapshot(way, view, &scene);
        assert!(!studio.renderer(way).0.recorded().contains(&"linear"), "{way:?}: one count serves two drawings");

        let count = bins.unwrap_or(256);
        let (linear, luminance) = (regroup(&linear, count), regroup(luminance.bins(3), count));
        let scale = f64::from(vertical_scale(&luminance));
        let (_, rect, _) = panels(&scene, Components::Rgbl, view).nth(1).unwrap();
        // The line connects the middles of the tops of bins.
        let height_at = |x: f64| {
            let at = (x * f64::from(count) / f64::from(rect.width) - 0.5).clamp(0.0, f64::from(count - 1));
            let part = |bin: f64| (f64::from(linear[(bin as usize).min(linear.len() - 1)]) * scale).min(1.0);
            let (low, share) = (at.floor(), at.fract());
            (part(low) * (1.0 - share) + part(low + 1.0) * share) * f64::from(rect.height)
        };
        let (mut compared, ends) = (0, clip_indicators::side(&rect) + 8);
        let middles = (0..count).map(|bin| rect.columns_of_bin(bin, count)).map(|(first, last)| (first + last) / 2);
        for column in middles.filter(|column| (ends..rect.width - ends).contains(column)) {
            let is_near = |code| rect.columns_of_bin(code, 256).0.abs_diff(column) < 5;
            if graticule(8).into_iter().any(is_near) {
                continue;
            }
            let around: [f64; 13] =
                std::array::from_fn(|step| height_at(f64::from(column) + 0.5 + (step as f64 - 6.0) * 0.25));
            let found = line_rows(&image, rect.left + column, (rect.top, rect.height));
            let Some((low, high)) = found.map(|(low, high)| (f64::from(low), f64::from(high) + 1.0)) else {
                assert!(around[6] < 3.0, "{way:?} {bins:?} column {column}: {around:?}");
                continue;
            };
            // At a bend, the pen reaches beyond by the difference between neighbouring positions.
            let slack = around.windows(2).map(|two| (two[0] - two[1]).abs()).fold(3.0_f64, |a, b| a.max(3.0 + b));
            let (least, most) =
                (around.iter().fold(f64::MAX, |a, &b| a.min(b)), around.iter().fold(0.0_f64, |a, &b| a.max(b)));
            assert!(
                low >= least - slack && high <= most + slack,
                "{way:?} {bins:?} column {column}: {low} to {high}, {around:?}"
            );
            compared += 1;
        }
        assert!(compared > count / 3, "{way:?} {bins:?}: {compared} of {count} bins compared");
    }
}
