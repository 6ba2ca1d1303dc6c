//! A brush over several channels. The numbers of pixels with any and with all of them in the range equal those of a
//! scalar loop over the region, for any engine and for the counted picture. The bars of channels that are not brushed
//! stay dim.

use std::time::{Duration, Instant};

use histoscope_core::histogram::{Components, Selected};
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::{Colorimetry, Matrix, Range};
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::picture::luminance::LuminanceWeights;
use histoscope_core::picture::region::Rect;
use histoscope_render::engine::Renderer;
use histoscope_render::gpu::Gpu;
use histoscope_render::view::overlay::Channels;
use histoscope_render::view::probe::probe;
use histoscope_render::view::scene::{Brush, Counted, Look, Scene};

use crate::studio::{Studio, UPRIGHT, WAYS, adjusted, bare, each};
use crate::support::{colorimetry, natural, noise};

/// Counts the pixels of a rectangle that a brush selects, one by one.
fn expected(picture: &Picture, rect: Rect, brush: &Brush, components: Components) -> Selected {
    let mut selected = Selected::default();
    for y in rect.y..rect.y + rect.height {
        for x in rect.x..rect.x + rect.width {
            let reached = probe(picture, x, y, components).reached_by(brush);
            selected.any += u32::from(!reached.is_empty());
            selected.all += u32::from(reached == brush.channels);
        }
    }
    selected
}

/// Returns the result of a requested brush.
fn counted(gpu: &Gpu, renderer: &mut Renderer, scene: &Scene, brush: Brush) -> Selected {
    renderer.set_selecting(Some(brush));
    renderer.request_histogram(gpu);
    renderer.snapshot(gpu, (16, 16), scene).unwrap();
    let begin = Instant::now();
    loop {
        if let Some((tag, sums)) = renderer.poll_histogram(gpu) {
            assert_eq!(tag.brush, Some(brush));
            return sums.selected.expect("it was counted");
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "nothing comes back");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn channels(list: &[usize]) -> Channels {
    list.iter().fold(Channels::NONE, |all, &channel| all.union(Channels::one(channel)))
}

#[test]
fn any_and_all_are_those_of_a_loop_over_the_pixels() {
    let mut studio = Studio::get();
    let layouts = [
        PixelLayout::planar_ycbcr(8, (1, 1)),
        PixelLayout::planar_ycbcr(10, (1, 0)),
        PixelLayout::packed_422(true),
        PixelLayout::semi_planar(16, (1, 1), false),
        PixelLayout::planar_gbr(12),
        PixelLayout::gray(8),
    ];
    let both = |(number, layout)| LuminanceWeights::ALL.map(|luminance| (number, layout, luminance));
    for (number, layout, luminance) in layouts.into_iter().enumerate().flat_map(both) {
        let color = Colorimetry { luminance, ..colorimetry(Matrix::Bt709, Range::Limited) };
        let picture = noise(layout, (47, 33), color, 1, number as u64);
        let top = 1_u32 << layout.bin_bits();
        let (whole, part) = (Rect::whole(47, 33), Rect { x: 5, y: 3, width: 21, height: 14 });
        for (list, low, high) in
            [(&[0, 1, 2][..], top / 8, top / 2), (&[0, 3], 0, top / 3), (&[0, 1, 2, 3], 0, top - 1)]
        {
            let brush = Brush { channels: channels(list), low, high };
            for (components, rect) in [(Components::Rgbl, whole), (Components::Rgbl, part), (Components::YCbCr, part)] {
                if components == Components::YCbCr && !picture.has_coded_components() {
                    continue;
                }
                let expected = expected(&picture, rect, &brush, components);
                for way in WAYS {
                    let (renderer, gpu) = studio.renderer(way);
                    renderer.load(gpu, &picture, UPRIGHT, Some(rect), components).unwrap();
                    let found = counted(gpu, renderer, &bare(Default::default()), brush);
                    assert_eq!(found, expected, "{layout:?} {luminance} {brush:?} {components:?} {rect:?} {way:?}");
                }
            }
        }
    }
}

#[test]
fn of_an_adjusted_picture_the_one_that_is_counted_decides() {
    let mut studio = Studio::get();
    let layout = PixelLayout::planar_ycbcr(8, (1, 1));
    let picture = natural(layout, (61, 35), colorimetry(Matrix::Bt709, Range::Limited), 3);
    let rect = Rect { x: 7, y: 2, width: 40, height: 29 };
    let brush = Brush { channels: channels(&[0, 1, 2]), low: 60, high: 150 };
    for adjustments in [each()[0], each()[1], each()[5]] {
        let result = adjusted(&picture, &adjustments);
        for (way, choice) in WAYS.into_iter().flat_map(|way| [Counted::Source, Counted::Both].map(|c| (way, c))) {
            let (renderer, gpu) = studio.renderer(way);
            renderer.load(gpu, &picture, UPRIGHT, Some(rect), Components::Rgbl).unwrap();
            let found = counted(gpu, renderer, &Scene::from(Look { counted: choice, ..bare(adjustments).look }), brush);
            let decides = if choice == Counted::Source { &picture } else { &result };
            assert_eq!(found, expected(decides, rect, &brush, Components::Rgbl), "{adjustments} {way:?} {choice:?}");
        }
    }
}
