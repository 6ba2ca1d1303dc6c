//! A region is counted alike by all engines, in every layout, for all its positions, in the source and in the adjusted
//! picture. A scalar loop over its pixels gives the expected counts.

use histoscope_core::histogram::reference::unclamped_rgb;
use histoscope_core::histogram::{Components, Histogram};
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::{ColorModel, PixelLayout};
use histoscope_core::picture::luminance::LuminanceWeights;
use histoscope_core::picture::region::Rect;
use histoscope_render::gpu::readback::VIEW_FORMAT;
use histoscope_render::view::scene::{Counted, Look, Scene};

use crate::studio::{self, Studio, UPRIGHT, WAYS, adjusted, bare, each};
use crate::support::{colorimetry, native_layouts, natural, noise};

const fn rect(x: u32, y: u32, width: u32, height: u32) -> Rect {
    Rect { x, y, width, height }
}

/// Counts the pixels of a rectangle one by one. For chroma, counts the samples that cover one of them.
fn expected(picture: &Picture, rect: Rect, components: Components) -> Histogram {
    let layout = picture.layout();
    let bits = layout.bin_bits();
    let mut histogram = Histogram::empty(bits, components);
    let pixels = |rect: Rect| {
        (rect.y..rect.y + rect.height).flat_map(move |y| (rect.x..rect.x + rect.width).map(move |x| (x, y)))
    };
    if components == Components::YCbCr {
        for component in 0..layout.component_count() {
            let (sx, sy) = if component == 0 { (0, 0) } else { layout.chroma_shift };
            let mut samples: Vec<_> = pixels(rect).map(|(x, y)| (x >> sx, y >> sy)).collect();
            samples.sort_unstable();
            samples.dedup();
            for (x, y) in samples {
                histogram.bins_mut(component)[picture.code(component, x, y) as usize] += 1;
            }
        }
        return histogram;
    }
    let top = (1 << bits) - 1;
    for (x, y) in pixels(rect) {
        let rgb = unclamped_rgb(picture, x, y);
        let codes = rgb.map(|code| code.clamp(0, top) as u32);
        for channel in 0..3 {
            histogram.out_of_range_mut(channel)[0] += u32::from(rgb[channel] < 0);
            histogram.out_of_range_mut(channel)[1] += u32::from(rgb[channel] > top);
            histogram.bins_mut(channel)[codes[channel] as usize] += 1;
        }
        histogram.bins_mut(3)[LuminanceWeights::Bt709.bin(codes, bits) as usize] += 1;
    }
    histogram
}

fn load(studio: &mut Studio, way: studio::Way, picture: &Picture, rect: Rect, components: Components) {
    let (renderer, gpu) = studio.renderer(way);
    renderer.load(gpu, picture, UPRIGHT, Some(rect), components).expect("it loads");
}

#[test]
fn every_layout_is_counted_inside_the_region_only() {
    let mut studio = Studio::get();
    let size = (37, 22);
    let regions = [
        rect(0, 0, 1, 1),
        rect(36, 21, 1, 1),
        rect(3, 5, 2, 3),
        rect(4, 4, 8, 6),
        rect(1, 1, 35, 20),
        rect(0, 21, 37, 1),
        rect(7, 0, 1, 22),
        rect(0, 0, 37, 22),
    ];
    // Each layout has its own passes, which are slow to compile, so only a few of every kind are tested.
    let layouts = native_layouts()
        .into_iter()
        .enumerate()
        .filter(|(number, (name, _))| number % 4 == 0 || *number < 8 || name.ends_with("by field"));
    for (number, (name, layout)) in layouts {
        let picture = noise(layout, size, colorimetry(Matrix::Bt709, Range::Limited), number % 3, number as u64);
        let both = [Components::Rgbl, Components::YCbCr];
        let counted = if layout.model == ColorModel::Rgb { &both[..1] } else { &both };
        for (&components, rect) in counted.iter().flat_map(|c| regions.map(|rect| (c, rect))) {
            let expected = expected(&picture, rect, components);
            for way in WAYS {
                load(&mut studio, way, &picture, rect, components);
                assert!(studio.count(way) == expected, "{name} {components:?} {rect:?} {way:?}");
            }
        }
    }
}

#[test]
fn an_adjusted_picture_is_adjusted_whole_and_counted_in_the_region() {
    let mut studio = Studio::get();
    let layouts = [PixelLayout::planar_ycbcr(8, (1, 1)), PixelLayout::planar_ycbcr(10, (1, 0))];
    for (number, layout) in layouts.into_iter().enumerate() {
        let picture = natural(layout, (61, 35), colorimetry(Matrix::Bt709, Range::Limited), number as u64);
        let rect = rect(5, 3, 27, 18);
        for adjustments in each() {
            let result = expected(&adjusted(&picture, &adjustments), rect, Components::Rgbl);
            let source = expected(&picture, rect, Components::Rgbl);
            for (way, counted) in WAYS.into_iter().flat_map(|way| Counted::ALL.map(|counted| (way, counted))) {
                load(&mut studio, way, &picture, rect, Components::Rgbl);
                let scene = Scene::from(Look { counted, ..bare(adjustments).look });
                let (renderer, gpu) = studio.renderer(way);
                let found = renderer.count_scene(gpu, &scene).unwrap();
                let wanted = if counted == Counted::Source { &source } else { &result };
                assert!(found == *wanted, "{adjustments} {counted:?} {way:?} {layout:?}");
            }
        }
    }
}

#[test]
fn a_region_outside_the_picture_is_refused_and_the_next_picture_is_counted_whole() {
    let mut studio = Studio::get();
    let picture = natural(PixelLayout::gray(8), (20, 10), colorimetry(Matrix::Bt709, Range::Full), 7);
    for way in WAYS {
        let (renderer, gpu) = studio.renderer(way);
        let refused = renderer.load(gpu, &picture, UPRIGHT, Some(rect(15, 0, 6, 5)), Components::Rgbl);
        assert!(refused.is_err_and(|error| error.to_string().contains("is not inside the picture")));
        load(&mut studio, way, &picture, rect(2, 2, 3, 3), Components::Rgbl);
        assert_eq!(studio.count(way).bins(0).iter().sum::<u32>(), 9);
        studio.load(way, &picture, UPRIGHT, Components::Rgbl);
        assert_eq!(studio.count(way).bins(0).iter().sum::<u32>(), 200, "{way:?} in {VIEW_FORMAT:?}");
    }
}
