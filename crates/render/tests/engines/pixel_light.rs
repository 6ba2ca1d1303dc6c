//! The light of pixels: every engine's counts against the definition, and the counter that measures it with the bins.

use std::sync::Arc;

use histoscope_core::histogram::{Components, LightCounts, LightMeter, LightScale, reference};
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::{ColorModel, PixelLayout};
use histoscope_core::picture::region::Rect;
use histoscope_core::tone_map::SourceLight;
use histoscope_render::engine::{Counter, Engine, EngineChoice, Submission};
use histoscope_render::gpu::{AdapterChoice, Gpu};

use crate::support::{colorimetry, constant, native_layouts, natural, noise};

const SCALES: [(LightScale, bool); 5] = [
    (LightScale::Pq, false),
    (LightScale::Pq, true),
    (LightScale::Hlg { peak: 1000 }, false),
    (LightScale::Hlg { peak: 4000 }, true),
    (LightScale::Bt1886 { white: 100 }, false),
];

fn engines() -> [(&'static str, Engine); 2] {
    let gpu = Gpu::shared(&AdapterChoice::default()).expect("an adapter, if only a software one");
    [("gpu", Engine::on(EngineChoice::Gpu, &gpu)), ("cpu", Engine::cpu())]
}

fn submit(counter: &mut Counter, picture: &Picture, region: Option<Rect>, light: Option<(LightScale, bool)>) {
    counter.submit(Submission { picture, region, source: SourceLight::default(), light, active: None }).unwrap();
}

fn counted(counter: &mut Counter, picture: &Picture, region: Option<Rect>, light: (LightScale, bool)) -> LightCounts {
    submit(counter, picture, region, Some(light));
    counter.take().unwrap().unwrap().light.expect("it was requested")
}

fn color(layout: &PixelLayout) -> histoscope_core::picture::color::Colorimetry {
    let is_rgb = layout.model == ColorModel::Rgb;
    let matrix = if is_rgb { Matrix::Identity } else { Matrix::Bt2020 };
    colorimetry(matrix, if is_rgb { Range::Full } else { Range::Limited })
}

/// Compares every engine with the reference, for each picture and region with each scale.
fn check(name: &str, picture: &Picture, regions: &[Option<Rect>], scales: &[(LightScale, bool)]) {
    for (engine, found) in engines() {
        let mut counter = Counter::new(&found, &[Components::Rgbl], Default::default()).with_light(true);
        for &light in scales {
            let meter = Arc::new(LightMeter::new(light.0, picture.layout().bin_bits(), light.1));
            for &region in regions {
                let rect = region.unwrap_or(Rect::whole(picture.width(), picture.height()));
                let expected = reference::pixel_light(picture, rect, &meter);
                assert_eq!(expected.pixels(), rect.pixel_count(), "{name}: every pixel once");
                let counted = counted(&mut counter, picture, region, light);
                assert!(counted == expected, "{name} {light:?} {region:?} on the {engine}");
            }
        }
    }
}

#[test]
fn every_layout_is_measured_as_the_definition_says() {
    let sizes = [(1, 1), (6, 7), (17, 13), (61, 33)];
    for (number, (name, layout)) in native_layouts().into_iter().enumerate() {
        check(
            &name,
            &noise(layout, sizes[number % 4], color(&layout), 3, number as u64),
            &[None],
            &[SCALES[0], SCALES[3]],
        );
    }
}

#[test]
fn regions_and_large_constant_pictures_are_exact() {
    let rect = |x, y, width, height| Some(Rect { x, y, width, height });
    for bits in [8, 10, 12] {
        let layout = PixelLayout::planar_ycbcr(bits, (1, 1));
        let regions = [None, rect(3, 5, 160, 91), rect(320, 179, 1, 1), rect(0, 1, 321, 1), rect(317, 0, 4, 180)];
        check("natural", &natural(layout, (321, 180), color(&layout), 5), &regions, &SCALES);
        check("constant", &constant(layout, (641, 359), color(&layout)), &[None], &SCALES);
    }
}

/// The brightest pixel is the first in reading order, wherever workgroups and threads find it.
#[test]
fn the_first_of_equally_bright_pixels_is_named() {
    let layout = PixelLayout::planar_ycbcr(10, (1, 1));
    let picture = constant(layout, (1921, 1081), color(&layout));
    for (engine, found) in engines() {
        let mut counter = Counter::new(&found, &[Components::Rgbl], Default::default()).with_light(true);
        for (scale, region) in [
            (LightScale::Pq, None),
            (LightScale::Hlg { peak: 1000 }, Some(Rect { x: 1000, y: 501, width: 700, height: 333 })),
        ] {
            let brightest = counted(&mut counter, &picture, region, (scale, false)).brightest.unwrap();
            let first = region.map_or((0, 0), |rect| (rect.x, rect.y));
            assert_eq!((brightest.x, brightest.y), first, "{engine}");
        }
    }
}

#[test]
fn light_is_measured_only_on_request_and_never_of_adjusted_pictures() {
    let layout = PixelLayout::planar_ycbcr(8, (1, 1));
    let picture = natural(layout, (64, 36), color(&layout), 1);
    let light = Some((LightScale::Pq, false));
    let blur = histoscope_core::adjust::Blur { size: 5, runs: 1 };
    let adjusted = histoscope_core::adjust::Adjustments { blur: Some(blur), ..Default::default() };
    for (engine, found) in engines() {
        for (components, adjustments, asked, has_light) in [
            (&[Components::Rgbl, Components::YCbCr][..], Default::default(), light, true),
            (&[Components::Rgbl], Default::default(), None, false),
            (&[Components::YCbCr], Default::default(), light, false),
            (&[Components::Rgbl], adjusted, light, false),
        ] {
            let mut counter = Counter::new(&found, components, adjustments).with_light(true);
            submit(&mut counter, &picture, None, asked);
            let counts = counter.take().unwrap().unwrap();
            assert_eq!(counts.light.is_some(), has_light, "{engine} {components:?} {asked:?}");
            assert_eq!(counts.histograms.len(), components.len());
        }
    }
}

/// A comparison of a count with itself would find no difference: each part of the counts can differ.
#[test]
fn the_comparison_can_fail() {
    let layout = PixelLayout::planar_ycbcr(10, (1, 1));
    let picture = natural(layout, (64, 36), color(&layout), 1);
    let meter = Arc::new(LightMeter::new(LightScale::Hlg { peak: 1000 }, 10, true));
    let counts = reference::pixel_light(&picture, Rect::whole(64, 36), &meter);
    let other = reference::pixel_light(&picture, Rect { x: 0, y: 0, width: 64, height: 35 }, &meter);
    assert!(counts != other && counts.sum != other.sum && counts.bins != other.bins);
    assert_ne!(counts.outside, Some([0; 2]), "some pixels are outside");
}
