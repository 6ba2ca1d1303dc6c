//! The datascope writes the codes of each pixel into it, on exactly the pixels of the view that the definition names,
//! with any engine.

use glam::DVec2;
use histoscope_core::adjust::{Adjustments, Posterize, Reduction, working_colorimetry};
use histoscope_core::histogram::{Components, reference};
use histoscope_core::picture::color::{Conversion, Matrix, Range};
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::picture::luminance::LuminanceWeights;
use histoscope_core::picture::{Orientation, Picture, Ratio};
use histoscope_render::gpu::Scene;
use histoscope_render::gpu::readback::Image;
use histoscope_render::view::brush::Brush;
use histoscope_render::view::brushes::Brushes;
use histoscope_render::view::datascope::{Datascope, Writing, ink_on};
use histoscope_render::view::exposure::{Exposure, FalseColor};
use histoscope_render::view::placement::{Fit, Placement, Shape, ViewSettings};
use histoscope_render::view::probe::probe;
use histoscope_render::view::scene::{Look, Pair};

use crate::studio::{Studio, UPRIGHT, WAYS, adjusted};
use crate::support::image::pixel;
use crate::support::{colorimetry, native_layouts, noise};

const SIZE: (u32, u32) = (211, 130);

fn scene(view: ViewSettings, datascope: Datascope) -> Scene {
    Scene::from(Look { overlays: false, view, datascope, ..Look::default() })
}

fn enlarged(zoom: f64, centre: (f64, f64)) -> ViewSettings {
    ViewSettings { zoom, centre: DVec2::new(centre.0, centre.1), ..ViewSettings::fitted(Fit::Actual) }
}

fn placement(picture: &Picture, (sample_aspect, orientation): (Ratio, Orientation), view: &ViewSettings) -> Placement {
    let shape = Shape { width: picture.width(), height: picture.height(), sample_aspect, orientation };
    Placement::new(&shape, view, SIZE)
}

/// Returns true if the definition has ink on a pixel of the view, and the picture's pixel there. `None` outside of the
/// picture.
fn ink_at(
    picture: &Picture,
    writing: &Writing,
    placement: &Placement,
    (x, y): (u32, u32),
) -> Option<(bool, (u32, u32))> {
    let at = placement.pixel_at(DVec2::new(f64::from(x), f64::from(y)))?;
    let cells = placement.cells();
    let ([left, width], [top, height]) = (cells.columns[x as usize], cells.rows[y as usize]);
    let values = writing.values(reference::components(picture, at.0, at.1), &picture.conversion());
    Some((writing.is_ink([left, top], [width, height], values), at))
}

/// Compares all pixels of the view with the picture without codes and the definition.
fn check(shown: &Image, bare: &Image, ink: impl Fn((u32, u32)) -> Option<bool>, name: &str) -> u32 {
    let mut inked = 0;
    for place in (0..SIZE.1).flat_map(|y| (0..SIZE.0).map(move |x| (x, y))) {
        let ground = pixel(bare, place.0, place.1);
        let is_ink = ink(place).unwrap_or(false);
        let expected = if is_ink { ink_on(ground) } else { ground };
        inked += u32::from(is_ink);
        assert_eq!(pixel(shown, place.0, place.1), expected, "{name} at {place:?}, ink: {is_ink}");
    }
    inked
}

#[test]
fn exactly_the_ink_of_the_definition_is_drawn_in_every_layout_turn_and_enlargement() {
    let mut studio = Studio::get();
    let zooms = [16.0, 17.3, 24.0, 32.0, 41.7, 64.0];
    for (number, (name, layout)) in native_layouts().into_iter().enumerate().step_by(3) {
        let color = colorimetry(Matrix::ALL[number % 7], [Range::Limited, Range::Full][number / 3 % 2]);
        let picture = noise(layout, (23, 17), color, number % 3, number as u64);
        let is_coded = number % 2 == 0 && picture.has_coded_components();
        let components = if is_coded { Components::YCbCr } else { Components::Rgbl };
        let orientation = Orientation { quarter_turns: (number / 3 % 4) as u8, mirrored: number % 5 < 2 };
        let placing = ([Ratio::ONE, Ratio { num: 4, den: 3 }][number % 2], orientation);
        let datascope = [Datascope::Decimal, Datascope::Hexadecimal][number / 3 % 2];
        let view = enlarged(zooms[number / 3 % zooms.len()], (0.3, 0.01 * (number % 100) as f64));
        let placement = placement(&picture, placing, &view);
        let codes = datascope.codes(&layout, components).expect("it is on");
        let writing = codes.writing(&placement).expect("there is room");
        for way in WAYS {
            studio.load(way, &picture, placing, components);
            let [bare, shown] =
                [Datascope::Off, datascope].map(|datascope| studio.snapshot(way, SIZE, &scene(view, datascope)));
            let ink = |place| ink_at(&picture, &writing, &placement, place).map(|(is_ink, _)| is_ink);
            let inked = check(&shown, &bare, ink, &format!("{name} {way:?} {datascope:?} {view:?}"));
            assert!(inked > 500, "{name}: {inked}");
        }
    }
}

#[test]
fn what_is_written_are_the_figures_of_the_probe() {
    let layout = PixelLayout::planar_ycbcr(10, (1, 1));
    let usual = noise(layout, (23, 17), colorimetry(Matrix::Bt709, Range::Limited), 0, 5);
    let other = usual.with_luminance(LuminanceWeights::Bt2020);
    let view = enlarged(40.0, (0.5, 0.5));
    let placement = placement(&usual, UPRIGHT, &view);
    for (picture, components) in [(&usual, Components::Rgbl), (&usual, Components::YCbCr), (&other, Components::Rgbl)] {
        let writing = Datascope::Decimal.codes(&layout, components).unwrap().writing(&placement).unwrap();
        assert_eq!(writing.lines, 3);
        for (x, y) in [(0, 0), (5, 3), (22, 16)] {
            let figures = probe(picture, x, y, components);
            let expected = match components {
                Components::Rgbl => figures.codes,
                Components::YCbCr => figures.coded.map(|code| code.expect("it has chroma")),
            };
            let codes = reference::components(picture, x, y);
            assert_eq!(writing.values(codes, &picture.conversion()), expected);
            let single = Writing { lines: 1, ..writing };
            let luminance = if components == Components::Rgbl { figures.luminance } else { expected[0] };
            assert_eq!(single.values(codes, &picture.conversion())[0], luminance);
        }
    }
}

#[test]
fn smaller_pixels_and_smooth_ones_have_no_codes() {
    let mut studio = Studio::get();
    let picture =
        noise(PixelLayout::planar_ycbcr(8, (1, 1)), (13, 8), colorimetry(Matrix::Bt709, Range::Limited), 0, 1);
    // Cover enlarges it 16 times or more, but the user did not ask for that.
    for (view, expected) in
        [(enlarged(15.9, (0.5, 0.5)), false), (ViewSettings::default(), false), (enlarged(16.0, (0.5, 0.5)), true)]
    {
        for way in WAYS {
            studio.load(way, &picture, UPRIGHT, Components::Rgbl);
            let [bare, shown] = [Datascope::Off, Datascope::Decimal]
                .map(|datascope| studio.snapshot(way, SIZE, &scene(view, datascope)));
            assert_eq!(bare.rgba != shown.rgba, expected, "{view:?} {way:?}");
        }
    }
}

#[test]
fn codes_are_above_zebras_marks_false_colours_and_what_a_brush_dims_and_of_either_side_of_the_divider() {
    let mut studio = Studio::get();
    let color = colorimetry(Matrix::Bt709, Range::Limited);
    let layout = PixelLayout::planar_ycbcr(8, (1, 0));
    let picture = noise(layout, (23, 17), color, 0, 9);
    let reduction = Some(Reduction::Posterize(Posterize::default()));
    let adjustments = Adjustments { reduction, ..Adjustments::default() };
    let result = adjusted(&picture, &adjustments);
    let view = enlarged(33.0, (0.4, 0.4));
    let placement = placement(&picture, UPRIGHT, &view);
    let writing = |of: &Picture| {
        Datascope::Hexadecimal.codes(of.layout(), Components::Rgbl).unwrap().writing(&placement).expect("there is room")
    };
    for shown in [true, false] {
        let exposure = Exposure {
            zebra: true,
            marks: true,
            false_color: FalseColor { shown, ..FalseColor::default() },
            ..Exposure::default()
        };
        for way in WAYS {
            studio.load(way, &picture, UPRIGHT, Components::Rgbl);
            let [bare, written] = [Datascope::Off, Datascope::Hexadecimal].map(|datascope| {
                let brush = Some(Brush::between(3, 60, 140));
                let scene = Scene {
                    look: Look { exposure, adjustments, ..scene(view, datascope).look },
                    brushes: Brushes::of_histogram(brush),
                    ..Scene::default()
                }
                .with_pair(Pair::divided(0.5));
                studio.snapshot(way, SIZE, &scene)
            });
            let middle = SIZE.0.div_ceil(2);
            let ink = |place: (u32, u32)| {
                let of = if place.0 < middle { &picture } else { &result };
                // The divider's line covers what is below it.
                let is_line = place.0.abs_diff(middle) <= 4;
                ink_at(of, &writing(of), &placement, place).map(|(is_ink, _)| is_ink && !is_line)
            };
            let is_line = |x: u32| x.abs_diff(middle) <= 4;
            let mut inked = 0;
            for (x, y) in (0..SIZE.1).flat_map(|y| (0..SIZE.0).map(move |x| (x, y))).filter(|&(x, _)| !is_line(x)) {
                let ground = pixel(&bare, x, y);
                let is_ink = ink((x, y)).unwrap_or(false);
                inked += u32::from(is_ink);
                let expected = if is_ink { ink_on(ground) } else { ground };
                assert_eq!(pixel(&written, x, y), expected, "{way:?} false colour {shown} at ({x}, {y})");
            }
            assert!(inked > 500, "{inked}");
        }
    }
    assert_eq!(result.conversion(), Conversion::new(result.layout(), &working_colorimetry(color.luminance)));
}
