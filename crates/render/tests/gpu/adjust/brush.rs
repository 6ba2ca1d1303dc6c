//! Brushes on adjusted pictures.

use histoscope_core::histogram::Components;
use histoscope_core::picture::{Orientation, Picture, Ratio};
use histoscope_render::gpu::readback::Image;
use histoscope_render::view::brush::{Brush, Lighting};
use histoscope_render::view::brushes::Brushes;
use histoscope_render::view::placement::{Fit, Placement, Shape, ViewSettings};
use histoscope_render::view::probe::probe;
use histoscope_render::view::scene::{Counted, Look, Pair, Scene};

use super::{equalized, picture};
use crate::studio::{Studio, UPRIGHT, WAYS, adjusted, bare};

/// Applies a brush to an unlit view that shows the source on the left and the result on the right. The pixels of
/// `counted` decide. Returns the view, and the number of dimmed pixels in each part.
fn brushed(unlit: &Image, counted: &Picture, lighting: &Lighting, column: u32) -> (Vec<u8>, [u32; 2]) {
    let (mut rgba, mut dimmed) = (unlit.rgba.clone(), [0; 2]);
    for (pixel, index) in rgba.chunks_exact_mut(4).zip(0..) {
        let (x, y) = (index % unlit.width, index / unlit.width);
        if !probe(counted, x, y, lighting.components).is_lit_by(&lighting.range.expect("a range of bins")) {
            let own = [pixel[0], pixel[1], pixel[2]];
            pixel[..3].copy_from_slice(&lighting.dimmed(own));
            dimmed[usize::from(x >= column)] += 1;
        }
    }
    (rgba, dimmed)
}

/// True if two views are equal except for the divider's line.
fn same_beside(a: &Image, rgba: &[u8], column: u32) -> bool {
    let is_line = |index: usize| (index as u32 / 4 % a.width).abs_diff(column) <= 2;
    a.rgba.iter().zip(rgba).enumerate().all(|(index, (a, b))| a == b || is_line(index))
}

#[test]
fn the_brush_lights_what_lies_in_its_range_in_the_picture_that_is_counted_on_both_sides_of_the_divider() {
    let mut studio = Studio::get();
    let adjustments = equalized(0.0);
    for (depth, shift, brush) in [(8, (0, 0), Brush::between(3, 60, 140)), (10, (1, 1), Brush::between(0, 300, 520))] {
        let source = picture(depth, shift, (83, 41));
        let result = adjusted(&source, &adjustments);
        let lighting = Lighting::new(Some(brush), Components::Rgbl, 1.0).unwrap();
        for (way, counted) in WAYS
            .into_iter()
            .flat_map(|way| [Counted::Source, Counted::Result, Counted::Both].map(|counted| (way, counted)))
        {
            // Without the divider the result is everywhere. With the divider at the right end, the source is.
            for (divider, column) in [(None, 0), (Some(0.5), 42), (Some(1.0), 83)] {
                let pair = divider.map_or_else(Pair::default, Pair::divided);
                let scene = Scene::from(Look { counted, ..bare(adjustments).look }).with_pair(pair);
                studio.load(way, &source, UPRIGHT, Components::Rgbl);
                let unlit = studio.snapshot(way, (83, 41), &scene);
                let lit = studio.snapshot(way, (83, 41), &Scene { brushes: Brushes::of_histogram(brush), ..scene });
                let picture = if counted == Counted::Source { &source } else { &result };
                let (expected, dimmed) = brushed(&unlit, picture, &lighting, column);
                let name = format!("{way:?} {counted:?} {divider:?} at {depth} bits");
                assert!(same_beside(&lit, &expected, if divider.is_some() { column } else { 1000 }), "{name}");
                let is_shown = [column > 0, column < 83];
                assert_eq!(dimmed.map(|count| count > 100), is_shown, "{name}: {dimmed:?}");
                assert!(dimmed[0] + dimmed[1] < 3300, "{name}: and some are lit");
            }
        }
    }
}

#[test]
fn a_brush_of_code_values_lights_the_adjusted_picture_by_the_source_however_it_is_placed() {
    let mut studio = Studio::get();
    let source = picture(8, (1, 1), (61, 35));
    let brush = Brush::between(1, 100, 125);
    let lighting = Lighting::new(Some(brush), Components::YCbCr, 1.0).unwrap();
    let placing = (Ratio::ONE, Orientation { quarter_turns: 1, mirrored: true });
    let settings = ViewSettings { zoom: 2.5, ..ViewSettings::fitted(Fit::Contain) };
    let scene = Scene::from(Look { view: settings, ..bare(equalized(0.0)).look });
    let shape = Shape { width: 61, height: 35, sample_aspect: placing.0, orientation: placing.1 };
    let placement = Placement::new(&shape, &settings, (50, 90));
    for way in WAYS {
        studio.load(way, &source, placing, Components::YCbCr);
        let unlit = studio.snapshot(way, (50, 90), &scene);
        let lit = studio.snapshot(way, (50, 90), &Scene { brushes: Brushes::of_histogram(brush), ..scene });
        let mut dimmed = 0;
        for (x, y) in (0..90).flat_map(|y| (0..50).map(move |x| (x, y))) {
            let at = 4 * (y * 50 + x) as usize;
            let own = [unlit.rgba[at], unlit.rgba[at + 1], unlit.rgba[at + 2]];
            let from = placement.pixel_at((f64::from(x) + 0.5, f64::from(y) + 0.5).into());
            let is_lit = from.is_none_or(|(x, y)| probe(&source, x, y, Components::YCbCr).is_lit_by(&brush));
            let expected = if is_lit { own } else { lighting.dimmed(own) };
            assert_eq!(lit.rgba[at..at + 3], expected, "{way:?} at ({x}, {y})");
            dimmed += u32::from(!is_lit);
        }
        assert!((100..4000).contains(&dimmed), "{way:?}: {dimmed}");
    }
}
