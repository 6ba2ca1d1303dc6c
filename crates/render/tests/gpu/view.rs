//! The visible and lit parts of the picture: fits, zoom, pan and brush. The shader and the CPU agree, and exactly the
//! counted pixels are lit.

use glam::DVec2;
use histoscope_core::histogram::reference;
use histoscope_core::histogram::{Components, Histogram};
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::picture::{Orientation, Picture, Ratio};
use histoscope_render::engine::BackendKind;
use histoscope_render::gpu::Scene;
use histoscope_render::gpu::readback::Image;
use histoscope_render::view::brush::{Brush, Lighting};
use histoscope_render::view::brushes::Brushes;
use histoscope_render::view::datascope::Datascope;
use histoscope_render::view::placement::{Fit, Placement, Shape, ViewSettings};
use histoscope_render::view::probe::probe;
use histoscope_render::view::scene::Look;

use crate::studio::{Studio, WAYS};
use crate::support::image::{distance, pixel};
use crate::support::{self, Random, colorimetry, native_layouts, natural, noise};

impl Studio {
    fn shown(&mut self, backend: BackendKind, subject: &Subject, size: (u32, u32), scene: &Scene) -> Image {
        let Subject { picture, placing, components } = subject;
        // No bins are shown here, so none are counted.
        let bins = Histogram::empty(picture.layout().bin_bits(), *components);
        self.drawn(backend, picture, *placing, (size, scene, bins))
    }
}

/// A picture with its orientation, and the components counted.
struct Subject {
    picture: Picture,
    placing: (Ratio, Orientation),
    components: Components,
}

impl Subject {
    fn upright(picture: Picture) -> Self {
        Self { picture, placing: (Ratio::ONE, Orientation::default()), components: Components::Rgbl }
    }

    fn shape(&self) -> Shape {
        let (sample_aspect, orientation) = self.placing;
        Shape { width: self.picture.width(), height: self.picture.height(), sample_aspect, orientation }
    }
}

fn scene(view: ViewSettings, brush: Option<Brush>) -> Scene {
    // Only the picture's own pixels are compared, without codes in large pixels.
    Scene {
        look: Look { overlays: false, view, datascope: Datascope::Off, ..Look::default() },
        brushes: Brushes::of_histogram(brush),
        ..Scene::default()
    }
}

/// Returns settings that together reach every way of drawing: borders, hard edges, zoom into a corner, and reduction.
fn views() -> [ViewSettings; 6] {
    let zoomed = |fit, zoom, x, y| ViewSettings { fit, zoom, centre: DVec2::new(x, y) };
    [
        ViewSettings::fitted(Fit::Contain),
        ViewSettings::fitted(Fit::Actual),
        zoomed(Fit::Cover, 1.7, 0.1, 0.8),
        zoomed(Fit::Cover, 7.3, 0.9, 0.35),
        zoomed(Fit::Actual, 3.0, 0.5, 0.5),
        zoomed(Fit::Contain, 0.6, 0.5, 0.5),
    ]
}

#[test]
fn the_shader_and_the_cpu_draw_alike_in_every_fit_zoom_and_turn_with_and_without_a_brush() {
    let mut studio = Studio::get();
    let color = colorimetry(Matrix::Bt709, Range::Limited);
    let mut compared = 0;
    for (number, (name, layout)) in native_layouts().into_iter().enumerate().step_by(3) {
        let picture = natural(layout, (61, 35), color, number as u64);
        let orientation = Orientation { quarter_turns: (number / 3 % 4) as u8, mirrored: number % 2 == 0 };
        let aspect = if number % 5 == 0 { Ratio { num: 16, den: 11 } } else { Ratio::ONE };
        let components =
            if number % 4 == 0 && picture.has_coded_components() { Components::YCbCr } else { Components::Rgbl };
        let middle = 1 << (layout.bin_bits() - 1);
        let subject = Subject { picture, placing: (aspect, orientation), components };
        for (index, view) in views().into_iter().enumerate() {
            let brush = (index % 2 == number % 2).then_some(Brush::between(number % 4, middle / 2, middle));
            let mut scene = scene(view, brush);
            scene.brush_strength = if number % 2 == 0 { 1.0 } else { 0.6 };
            let size = [(90, 70), (64, 99), (33, 20)][(number + index) % 3];
            // Below half size, the shader averages more samples than the CPU, which would take too long.
            if Placement::new(&subject.shape(), &view, size).sampling.footprint() > 2.0 {
                continue;
            }
            compared += 1;
            let [shader, cpu] = WAYS.map(|backend| studio.shown(backend, &subject, size, &scene));
            let most = distance(&shader, &cpu);
            assert!(most <= 1, "{name} {size:?} {:?} {scene:?}: {most}", subject.placing);
        }
    }
    assert!(compared > 100, "{compared} comparisons");
}

#[test]
fn the_lit_pixels_are_exactly_those_of_the_range() {
    let mut studio = Studio::get();
    let mut random = Random(4);
    let at_its_own_size = ViewSettings::fitted(Fit::Actual);
    let size = (67, 41);
    for (number, (name, layout)) in native_layouts().into_iter().enumerate().step_by(2) {
        let color = colorimetry(Matrix::ALL[number % 7], [Range::Limited, Range::Full][number % 2]);
        let picture = noise(layout, size, color, number % 3, number as u64);
        let bins = 1_usize << layout.bin_bits();
        let with_code_values = if picture.has_coded_components() { vec![Components::YCbCr] } else { vec![] };
        for components in [vec![Components::Rgbl], with_code_values].concat() {
            let channel = random.below(components.channel_names().len());
            let brush = Brush::between(channel, random.below(bins) as u32, random.below(bins) as u32);
            let subject = Subject { components, ..Subject::upright(picture.clone()) };
            for backend in WAYS {
                let bare = studio.shown(backend, &subject, size, &scene(at_its_own_size, None));
                let lit = studio.shown(backend, &subject, size, &scene(at_its_own_size, Some(brush)));
                let lighting = Lighting::new(Some(brush), components, 1.0).unwrap();
                let mut count = 0;
                for (x, y) in (0..size.1).flat_map(|y| (0..size.0).map(move |x| (x, y))) {
                    let own = pixel(&bare, x, y);
                    let is_lit = probe(&picture, x, y, components).is_lit_by(&brush);
                    let expected = if is_lit { own } else { lighting.dimmed(own) };
                    assert_eq!(
                        pixel(&lit, x, y),
                        expected,
                        "{name} {backend:?} {components:?} {brush:?} at ({x}, {y})"
                    );
                    count += u64::from(is_lit);
                }
                let is_subsampled = components == Components::YCbCr && channel > 0 && layout.chroma_shift != (0, 0);
                if !is_subsampled {
                    let histogram = reference::histogram(&picture, components);
                    assert_eq!(count, histogram.sums(channel).count_in(brush.low..=brush.high), "{name} {brush:?}");
                }
            }
        }
    }
}

#[test]
fn a_brush_of_everything_changes_nothing_and_one_of_another_bin_is_noticed() {
    let mut studio = Studio::get();
    let picture = noise(PixelLayout::planar_ycbcr(8, (1, 1)), (67, 41), colorimetry(Matrix::Bt709, Range::Full), 0, 2);
    let subject = Subject::upright(picture);
    let mut draw =
        |brush| studio.shown(BackendKind::Adapter, &subject, (67, 41), &scene(ViewSettings::default(), brush));
    let bare = draw(None);
    assert_eq!(draw(Some(Brush::between(3, 0, 255))), bare);
    assert_ne!(draw(Some(Brush::between(3, 0, 100))), draw(Some(Brush::between(3, 0, 101))));
}

#[test]
fn hard_edges_show_each_sample_as_a_block_and_the_pointer_finds_it() {
    let mut studio = Studio::get();
    let layout = PixelLayout::packed_rgb(8, [0, 1, 2], 3);
    let picture = noise(layout, (40, 30), colorimetry(Matrix::Identity, Range::Full), 0, 6);
    for (quarter_turns, mirrored) in [(0, false), (1, true), (2, false), (3, false)] {
        let placing = (Ratio::ONE, Orientation { quarter_turns, mirrored });
        let subject = Subject { placing, ..Subject::upright(picture.clone()) };
        let size = (101, 87);
        let settings = ViewSettings { zoom: 5.7, centre: DVec2::new(0.4, 0.6), ..ViewSettings::default() };
        let placement = Placement::new(&subject.shape(), &settings, size);
        assert!(placement.has_hard_edges);
        for backend in WAYS {
            let image = studio.shown(backend, &subject, size, &scene(settings, None));
            for (x, y) in (0..size.1).flat_map(|y| (0..size.0).map(move |x| (x, y))) {
                let (px, py) = placement.pixel_at(DVec2::new(f64::from(x), f64::from(y))).expect("it covers the view");
                let codes = probe(&picture, px, py, Components::Rgbl).codes.map(|code| code as u8);
                assert_eq!(pixel(&image, x, y), codes, "{backend:?} {quarter_turns} at ({x}, {y})");
            }
        }
    }
}

#[test]
fn around_a_contained_picture_all_is_black_and_none_of_it_is_cut_off() {
    let mut studio = Studio::get();
    let layout = PixelLayout::gray(8);
    let white = support::drawn(layout, (64, 32), colorimetry(Matrix::Bt709, Range::Full), |_, _, _| 255);
    for (size, quarter_turns) in [((100, 100), 0), ((100, 100), 1), ((97, 20), 2), ((31, 200), 3)] {
        let placing = (Ratio::ONE, Orientation { quarter_turns, mirrored: false });
        let subject = Subject { placing, ..Subject::upright(white.clone()) };
        let view = ViewSettings::fitted(Fit::Contain);
        let (columns, rows) = Placement::new(&subject.shape(), &view, size).covered();
        assert!(columns.len() == size.0 as usize || rows.len() == size.1 as usize);
        // A brush dims the picture, but not the black around it.
        for (brush, inside) in [(None, 255), (Some(Brush::between(0, 0, 9)), 18 + ((255 * 56) >> 8) as u8)] {
            for backend in WAYS {
                let image = studio.shown(backend, &subject, size, &scene(view, brush));
                for (x, y) in (0..size.1).flat_map(|y| (0..size.0).map(move |x| (x, y))) {
                    let expected = if columns.contains(&x) && rows.contains(&y) { inside } else { 0 };
                    assert_eq!(pixel(&image, x, y), [expected; 3], "{backend:?} {size:?} {brush:?} ({x}, {y})");
                }
            }
        }
    }
}
