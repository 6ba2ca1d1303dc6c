//! Tests the contrast of text against the pixels behind it: draws the HUD over plain pictures as the window does, with
//! and without its text.

use egui::Color32;
use egui::epaint::{ClippedShape, Shape};

use super::layout_tests::{Case, MIN_CONTRAST, SIZES, all_panels, contrast, items, over, shapes_of, texts_before_all};
use super::*;
use histoscope_core::histogram::Components;
use histoscope_core::picture::color::{Colorimetry, Matrix, Range};
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::picture::{Orientation, OwnedPlanes, Picture, Ratio};
use histoscope_render::engine::{BackendKind, Renderer};
use histoscope_render::gpu::draw::FontTextures;
use histoscope_render::gpu::readback::Image;
use histoscope_render::gpu::{AdapterChoice, Gpu};
use histoscope_render::view::scene::Scene;

const PICTURES: [[u8; 3]; 6] = [[0; 3], [255; 3], [255, 0, 0], [0, 0, 255], [255, 255, 0], [0, 255, 255]];

fn plain([red, green, blue]: [u8; 3]) -> Picture {
    let samples: Vec<u8> = [red, green, blue].repeat(64 * 36);
    let planes = std::sync::Arc::new(OwnedPlanes { planes: vec![(samples, 64 * 3)] });
    let color = Colorimetry::tagged(Matrix::Identity, Range::Full);
    Picture::new(PixelLayout::packed_rgb(8, [0, 1, 2], 3), (64, 36), color, planes).unwrap()
}

fn without_text(shape: &Shape) -> Shape {
    match shape {
        Shape::Text(_) => Shape::Noop,
        Shape::Vec(shapes) => Shape::Vec(shapes.iter().map(without_text).collect()),
        other => other.clone(),
    }
}

fn color(image: &Image, x: u32, y: u32) -> Color32 {
    let at = 4 * (y * image.width + x) as usize;
    Color32::from_rgb(image.rgba[at], image.rgba[at + 1], image.rgba[at + 2])
}

#[test]
fn text_is_readable_on_the_pixels_behind_it() {
    let gpu = Gpu::headless(&AdapterChoice::default()).expect("an adapter; scripts/setup installs one");
    let mut renderer = Renderer::headless(&gpu, BackendKind::Cpu);
    let mut found = std::collections::BTreeMap::<String, (usize, String)>::new();
    let mut looked_at = 0;
    for (number, size) in SIZES.into_iter().enumerate() {
        for (index, open) in all_panels().filter(|open| !open.help || open.info).step_by(5).enumerate() {
            let menu: Option<fn(Pos2) -> Menu> = [None, None, Some(Menu::everything as _)][index % 3];
            let pointer = [(0.5, 0.5), (0.1, 0.4), (0.9, 0.3)][index % 3];
            let (is_adjusted, has_entry) = (index % 2 == 1, index % 4 == 3);
            let case = Case { size, open, is_adjusted, has_entry, note: index + number, menu, pointer };
            let mut hud = Hud::without_window();
            let (shapes, textures) = shapes_of(&mut hud, case);
            let points = hud.context.pixels_per_point();
            let drawn = |renderer: &mut Renderer, shapes: Vec<ClippedShape>| {
                let primitives = hud.context.tessellate(shapes, points);
                let textures = FontTextures(textures.0.clone());
                let shapes = Shapes { primitives, textures, pixels_per_point: points };
                renderer.snapshot_with(&gpu, size, &Scene::default(), shapes).expect("it is drawn")
            };
            let bare = shapes.iter().map(|shape| ClippedShape { shape: without_text(&shape.shape), ..shape.clone() });
            let bare: Vec<_> = bare.collect();
            let picture = PICTURES[(index + number) % PICTURES.len()];
            for picture in [picture, PICTURES[(index + number + 1) % PICTURES.len()]] {
                let placing = (Ratio::ONE, Orientation::default());
                renderer.load(&gpu, &plain(picture), placing, None, Components::Rgbl).expect("it loads");
                let (with, behind) = (drawn(&mut renderer, shapes.clone()), drawn(&mut renderer, bare.clone()));
                for (words, rect, colors) in texts_before_all(&items(&shapes)) {
                    let rect = (rect * points)
                        .intersect(Rect::from_min_size(Pos2::ZERO, Vec2::new(size.0 as f32, size.1 as f32)));
                    let [left, top, right, bottom] =
                        [rect.min.x, rect.min.y, rect.max.x, rect.max.y].map(|edge| edge.max(0.0) as u32);
                    let mut inked = 0;
                    let mut worst = f64::INFINITY;
                    for (x, y) in (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y))) {
                        let below = color(&behind, x, y);
                        if color(&with, x, y) == below {
                            continue;
                        }
                        inked += 1;
                        let best = colors.iter().map(|ink| contrast(over(*ink, below), below)).fold(0.0, f64::max);
                        worst = worst.min(best);
                    }
                    looked_at += inked;
                    if inked > 0 && worst < MIN_CONTRAST {
                        let fault = format!(
                            "‘{words}’ has a contrast of {worst:.2} over {picture:?} at {rect:?} with {case:?}"
                        );
                        found.entry(words).or_insert((0, fault)).0 += 1;
                    }
                }
            }
        }
    }
    let lines: Vec<_> = found.values().map(|(count, fault)| format!("{count} times {fault}")).collect();
    assert!(lines.is_empty(), "{} texts are too faint:\n{}", lines.len(), lines.join("\n"));
    assert!(looked_at > 100_000, "hardly any letters were drawn: {looked_at} pixels");
}
