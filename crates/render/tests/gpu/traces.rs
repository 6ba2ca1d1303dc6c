//! Drawn waveform, parade and vectorscope: each trace is where its counts say, with any engine.

use histoscope_core::adjust::{Adjustments, Posterize, Reduction};
use histoscope_core::histogram::Components;
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::picture::region::Rect as Region;
use histoscope_core::scopes::{Diagram, Scope, ScopeChoice, ScopeTally, Waveform, targets};
use histoscope_render::engine::{BackendKind, Counter, Engine, EngineChoice};
use histoscope_render::gpu::readback::Image;
use histoscope_render::gpu::{AdapterChoice, Gpu, Scene};
use histoscope_render::view::overlay::Channels;
use histoscope_render::view::rect::PanelRect;
use histoscope_render::view::scene::{Counted, Look};
use histoscope_render::view::scopes::{Layout, ScopeKind, ScopeStyle};

use crate::studio::{Studio, UPRIGHT, WAYS, adjusted};
use crate::support::image::pixel;
use crate::support::{colorimetry, drawn, native_layouts, natural, noise};

const VIEW: (u32, u32) = (640, 640);

fn layout(name: &str) -> PixelLayout {
    native_layouts().into_iter().find(|(found, _)| found == name).unwrap_or_else(|| panic!("no {name}")).1
}

fn only(kind: ScopeKind, is_split: bool) -> Scene {
    let mut scopes =
        ScopeStyle { layout: if is_split { Layout::Split } else { Layout::Strip }, ..ScopeStyle::default() };
    scopes.toggle(kind);
    Scene::from(Look { overlays: false, scopes, ..Look::default() })
}

fn panel(scene: &Scene, kind: ScopeKind) -> PanelRect {
    scene.arranged(VIEW).panels.into_iter().find(|panel| panel.kind == kind).expect("it is shown").rect
}

/// Returns columns and rows of a panel, from its upper left corner, whose pixels are brighter than its background.
fn lit(image: &Image, rect: PanelRect) -> Vec<(u32, u32)> {
    let places = (0..rect.height).flat_map(|y| (0..rect.width).map(move |x| (x, y)));
    places.filter(|(x, y)| pixel(image, rect.left + x, rect.top + y).iter().any(|&part| part > 20)).collect()
}

/// Asserts that something is lit within `reach` of every expected place, and nothing elsewhere.
#[track_caller]
fn assert_lit_at(found: &[(u32, u32)], expected: &[(f64, f64)], reach: f64, name: &str) {
    let near = |(x, y): (u32, u32), to: &(f64, f64)| {
        (f64::from(x) + 0.5 - to.0).abs() <= reach && (f64::from(y) + 0.5 - to.1).abs() <= reach
    };
    for to in expected {
        assert!(found.iter().any(|&at| near(at, to)), "{name}: nothing at {to:?} of {found:?}");
    }
    for &at in found {
        assert!(expected.iter().any(|to| near(at, to)), "{name}: {at:?} is lit");
    }
}

/// Draws a view in every way. All results must be equal.
#[track_caller]
fn drawn_by_all(studio: &mut Studio, picture: &Picture, components: Components, scene: &Scene, name: &str) -> Image {
    let mut first: Option<Image> = None;
    for way in WAYS {
        studio.load(way, picture, UPRIGHT, components);
        let image = studio.snapshot(way, VIEW, scene);
        let ground = scene.arranged(VIEW);
        for rect in ground.panels.iter().map(|panel| panel.rect).filter(|_| first.is_some()) {
            let places = (0..rect.height).flat_map(|y| (0..rect.width).map(move |x| (rect.left + x, rect.top + y)));
            let expected = first.as_ref().unwrap();
            for (x, y) in places {
                let (found, expected) = (pixel(&image, x, y), pixel(expected, x, y));
                // The CPU's painting is rounded to whole bytes once more before it is blended with the picture.
                let is_near = (0..3).all(|part| found[part].abs_diff(expected[part]) <= 2);
                assert!(is_near, "{name} {way:?}: {found:?} for {expected:?} at {x}, {y} of {rect:?}");
            }
        }
        first.get_or_insert(image);
    }
    first.unwrap()
}

/// Makes colour bars of exact codes: gray first, then the six colours with this amplitude.
fn bars(matrix: Matrix, range: Range, depth: &str, amplitude: f64) -> Picture {
    let layout = layout(depth);
    let color = colorimetry(matrix, range);
    let bits = layout.depth.into();
    let middle = 1_u16 << (bits - 1);
    let chroma = targets(matrix, range, bits, amplitude).map(|target| target.codes.map(|code| code.round() as u16));
    drawn(layout, (70, 20), color, move |component, x, _| match (component, x / 10) {
        (0, _) => middle,
        (_, 0) => middle,
        (component, bar) => chroma[bar as usize - 1][component - 1],
    })
}

#[test]
fn traces_of_colour_bars_fall_on_their_targets() {
    let mut studio = Studio::get();
    for (matrix, amplitude, depth, zoom) in [
        (Matrix::Bt601, 0.75, "yuv444p8", 1),
        (Matrix::Bt601, 1.0, "yuv444p8", 1),
        (Matrix::Bt709, 0.75, "yuv444p8", 1),
        (Matrix::Bt709, 1.0, "yuv444p10", 1),
        (Matrix::Bt2020, 0.75, "yuv444p10", 1),
        (Matrix::Bt2020, 1.0, "yuv444p8", 1),
        (Matrix::Bt709, 0.25, "yuv444p8", 2),
    ] {
        let picture = bars(matrix, Range::Limited, depth, amplitude);
        let mut scene = only(ScopeKind::Vectorscope, true);
        scene.look.scopes.zoom = zoom;
        let name = format!("{matrix} {amplitude} {depth} ×{zoom}");
        let image = drawn_by_all(&mut studio, &picture, Components::Rgbl, &scene, &name);
        let rect = panel(&scene, ScopeKind::Vectorscope);
        let bits = picture.layout().bin_bits();
        let side = f64::from(rect.width.min(rect.height));
        let codes = f64::from(1_u32 << bits) + 1.0;
        let middle = (f64::from(rect.width) / 2.0, f64::from(rect.height) / 2.0);
        let place = |[cb, cr]: [f64; 2]| {
            let way = |code: f64| (code - (codes - 1.0) / 2.0) * f64::from(zoom) * side / codes;
            (middle.0 + way(cb), middle.1 - way(cr))
        };
        let neutral = [(codes - 1.0) / 2.0; 2];
        let targets = targets(matrix, Range::Limited, bits, amplitude).map(|target| target.codes);
        let expected: Vec<_> = targets.into_iter().chain([neutral]).map(place).collect();
        let found = lit(&image, rect);
        // A code's square, and the rounding of the targets to whole codes.
        let reach = (1.2 * side * f64::from(zoom) / codes).max(1.5);
        assert_lit_at(&found, &expected, reach, &name);
    }
}

/// The primaries and white of BT.709 are where CIE 1931 has them; enlarged, white is in the middle.
#[test]
fn traces_of_chromaticities_are_at_their_coordinates() {
    let mut studio = Studio::get();
    let layout = PixelLayout::packed_rgb(8, [0, 1, 2], 3);
    let colours = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255; 3], [255, 200, 200]];
    let picture = drawn(layout, (50, 8), colorimetry(Matrix::Identity, Range::Full), |component, x, _| {
        colours[x as usize / 10][component]
    });
    // The last colour by the matrix of IEC 61966-2-1.
    let pale = (200.0_f64 / 255.0).powf(2.4);
    let [x, y, z] = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
        .map(|row| row[0] + pale * (row[1] + row[2]));
    let pale = [x / (x + y + z), y / (x + y + z)];
    let xy = [[0.64, 0.33], [0.30, 0.60], [0.15, 0.06], [0.3127, 0.3290], pale];
    let uv = xy.map(|[x, y]: [f64; 2]| {
        let whole = -2.0 * x + 12.0 * y + 3.0;
        [4.0 * x / whole, 9.0 * y / whole]
    });
    for (diagram, extent, places) in [(Diagram::Xy, 0.85, xy), (Diagram::Uv, 0.63, uv)] {
        for zoom in [1, 2] {
            let mut scene = only(ScopeKind::Vectorscope, true);
            (scene.look.scopes.diagram, scene.look.scopes.zoom) = (diagram, zoom);
            let name = format!("{diagram:?} ×{zoom}");
            let image = drawn_by_all(&mut studio, &picture, Components::Rgbl, &scene, &name);
            let rect = panel(&scene, ScopeKind::Vectorscope);
            let side = f64::from(rect.width.min(rect.height));
            let centre = if zoom == 1 { [extent / 2.0; 2] } else { places[3] };
            let place = |at: [f64; 2]| {
                let way = |part: usize| (at[part] - centre[part]) / extent * f64::from(zoom) * side;
                (f64::from(rect.width) / 2.0 + way(0), f64::from(rect.height) / 2.0 - way(1))
            };
            let is_inside = |&(x, y): &(f64, f64)| {
                (x - f64::from(rect.width) / 2.0).abs() < side / 2.0
                    && (y - f64::from(rect.height) / 2.0).abs() < side / 2.0
            };
            let expected: Vec<_> = places.map(place).into_iter().filter(is_inside).collect();
            assert!(expected.len() >= 2, "{name}: {expected:?}");
            let found = lit(&image, rect);
            // A level's square; 8 bits have 256 levels.
            let reach = 1.2 * side * f64::from(zoom) / 256.0 + 0.5;
            assert_lit_at(&found, &expected, reach, &name);
        }
    }
}

/// Bars are at the corners of both diamonds, and super-black and super-white outside them.
#[test]
fn traces_of_the_diamond_are_at_their_sums_and_differences() {
    let mut studio = Studio::new();
    let layout = PixelLayout::planar_ycbcr(8, (0, 0));
    // Y', Cb and Cr of white, blue, green, red, and of codes below black and above white.
    let colours = [[235, 128, 128], [32, 240, 118], [173, 42, 26], [63, 102, 240], [1, 128, 128], [254, 128, 128]];
    let picture = drawn(layout, (60, 8), colorimetry(Matrix::Bt709, Range::Limited), |component, x, _| {
        colours[x as usize / 10][component]
    });
    let (black, white) = (-15.0 / 219.0, 238.0 / 219.0);
    let [upper, lower] = [
        [[0.0, 2.0], [1.0, 1.0], [-1.0, 1.0], [0.0, 0.0], [0.0, 2.0 * black], [0.0, 2.0 * white]],
        [[0.0, -2.0], [0.0, 0.0], [-1.0, -1.0], [1.0, -1.0], [0.0, -2.0 * black], [0.0, -2.0 * white]],
    ];
    let mut scene = only(ScopeKind::Vectorscope, true);
    scene.look.scopes.diagram = Diagram::Diamond;
    let image = drawn_by_all(&mut studio, &picture, Components::Rgbl, &scene, "diamond");
    let rect = panel(&scene, ScopeKind::Vectorscope);
    let side = f64::from(rect.width.min(rect.height));
    let place = |[across, up]: [f64; 2]| {
        let way = |part: f64| part / 5.0 * side;
        (f64::from(rect.width) / 2.0 + way(across), f64::from(rect.height) / 2.0 - way(up))
    };
    let expected: Vec<_> = upper.into_iter().chain(lower).map(place).collect();
    assert_lit_at(&lit(&image, rect), &expected, 2.2 * side / 512.0 + 1.0, "diamond");
}

/// In a large panel, or with deep codes, a single level is hardly visible.
#[test]
fn bars_make_spots_that_are_seen_in_panels_of_any_size() {
    let mut studio = Studio::get();
    for (depth, view, least) in
        [("yuv444p8", (640, 640), 1), ("yuv444p10", (900, 900), 2), ("yuv444p8", (1500, 1500), 5)]
    {
        let picture = bars(Matrix::Bt709, Range::Limited, depth, 0.75);
        let scene = only(ScopeKind::Vectorscope, true);
        let rect = scene.arranged(view).panels[0].rect;
        let mut first: Option<Image> = None;
        for way in WAYS {
            studio.load(way, &picture, UPRIGHT, Components::Rgbl);
            let image = studio.snapshot(way, view, &scene);
            let found = lit(&image, rect);
            // Seven colours, each as wide as it is high, or as its pixels allow.
            let area = least * least;
            assert!(found.len() as u32 * 10 >= 7 * area * 7, "{way:?} {depth} {view:?}: {} pixels", found.len());
            assert!(found.len() as u32 <= 7 * (least + 3) * (least + 3), "{way:?} {depth}: {} pixels", found.len());
            let expected = first.get_or_insert_with(|| image.clone());
            for (x, y) in (0..rect.height).flat_map(|y| (0..rect.width).map(move |x| (rect.left + x, rect.top + y))) {
                let (found, expected) = (pixel(&image, x, y), pixel(expected, x, y));
                let is_near = (0..3).all(|part| found[part].abs_diff(expected[part]) <= 2);
                assert!(is_near, "{way:?} {depth}: {found:?} for {expected:?} at {x}, {y}");
            }
        }
    }
}

#[test]
fn black_and_white_are_seen_inside_of_a_waveforms_frame() {
    let mut studio = Studio::get();
    let picture =
        drawn(
            layout("gray8"),
            (64, 64),
            colorimetry(Matrix::Bt709, Range::Full),
            |_, x, _| {
                if x < 32 { 0 } else { 255 }
            },
        );
    for is_split in [true, false] {
        let scene = Scene::from(Look { channels: Channels::one(3), ..only(ScopeKind::Waveform, is_split).look });
        let panel = scene.arranged(VIEW).panels[0];
        assert!(panel.margins().count() == 2);
        for way in WAYS {
            studio.load(way, &picture, UPRIGHT, Components::Rgbl);
            let image = studio.snapshot(way, VIEW, &scene);
            let at = |part: u32, y: u32| pixel(&image, panel.rect.left + panel.rect.width * part / 4, y);
            let end = panel.rect.top + panel.rect.height;
            assert!(at(3, panel.rect.top)[0] > 150 && at(1, end - 1)[0] > 150, "{way:?}");
            // The margins have the same background as the rest.
            let ground = at(1, panel.rect.top + 9);
            assert!(ground[0] < 60, "{ground:?}");
            for y in [panel.frame.top, panel.rect.top - 1] {
                assert!((0..3).all(|part| at(1, y)[part].abs_diff(ground[part]) <= 2), "{way:?} {y}");
            }
            let ground = at(3, end - 9);
            for y in [end, panel.frame.top + panel.frame.height - 1] {
                assert!((0..3).all(|part| at(3, y)[part].abs_diff(ground[part]) <= 2), "{way:?} {y}");
            }
        }
    }
}

#[test]
fn a_trace_has_the_hue_that_it_stands_for_or_is_white() {
    let mut studio = Studio::get();
    let picture = bars(Matrix::Bt709, Range::Limited, "yuv444p8", 1.0);
    let mut scene = only(ScopeKind::Vectorscope, true);
    let brightest = |image: &Image, rect: PanelRect, is: &dyn Fn([u8; 3]) -> bool| {
        lit(image, rect).into_iter().any(|(x, y)| is(pixel(image, rect.left + x, rect.top + y)))
    };
    let rect = panel(&scene, ScopeKind::Vectorscope);
    let colored = drawn_by_all(&mut studio, &picture, Components::Rgbl, &scene, "hues");
    for (name, is) in [
        ("red", &(|[r, g, b]: [u8; 3]| r > 150 && g < r / 2 && b < r / 2) as &dyn Fn([u8; 3]) -> bool),
        ("green", &|[r, g, b]| g > 150 && r < g / 2 && b < g / 2),
        ("blue", &|[r, g, b]| b > 150 && r < b / 2 && g < b / 2),
        ("white", &|[r, g, b]| r > 200 && g > 200 && b > 200),
    ] {
        assert!(brightest(&colored, rect, is), "no {name}");
    }
    scene.look.scopes.white = true;
    let white = drawn_by_all(&mut studio, &picture, Components::Rgbl, &scene, "white");
    let is_colored = |[r, g, b]: [u8; 3]| r.max(g).max(b) - r.min(g).min(b) > 70;
    assert!(!brightest(&white, rect, &is_colored));
}

#[test]
fn every_level_has_its_row_and_a_single_pixel_is_seen() {
    let mut studio = Studio::get();
    // Gray of full range keeps its codes. One pixel among 200 rows differs.
    let gray = layout("gray8");
    let picture = drawn(gray, (64, 200), colorimetry(Matrix::Bt709, Range::Full), |_, x, y| match (x, y) {
        (10, 77) => 240,
        (x, _) => x as u16 * 4,
    });
    let scene = Scene::from(Look { channels: Channels::one(3), ..only(ScopeKind::Waveform, true).look });
    let rect = panel(&scene, ScopeKind::Waveform);
    let image = drawn_by_all(&mut studio, &picture, Components::Rgbl, &scene, "levels");
    // Rows from the top whose levels include this one.
    let row = |level: u32| {
        let height = rect.height;
        let is_of = move |up: &u32| {
            let (first, end) = (up * 256 / height, (up + 1) * 256 / height);
            (first..end.max(first + 1)).contains(&level)
        };
        (0..height).filter(is_of).map(move |up| height - 1 - up)
    };
    for x in 0..64 {
        let (begin, end) = (x * rect.width / 64, (x + 1) * rect.width / 64);
        let column = (begin + end) / 2;
        let found: Vec<_> = lit(&image, rect).into_iter().filter(|at| at.0 == column).map(|at| at.1).collect();
        let mut expected: Vec<u32> = row(x * 4).collect();
        expected.extend((x == 10).then(|| row(240)).into_iter().flatten());
        assert!(found.iter().all(|y| expected.contains(y)), "column {x}: {found:?} beside {expected:?}");
        assert!(row(x * 4).any(|y| found.contains(&y)), "column {x}: {found:?}");
        assert!(x != 10 || row(240).any(|y| found.contains(&y)), "the single pixel is lost: {found:?}");
    }
}

#[test]
fn lights_add_up_to_white_where_channels_agree_and_the_parade_keeps_them_apart() {
    let mut studio = Studio::get();
    let gray = drawn(layout("yuv444p8"), (64, 64), colorimetry(Matrix::Bt709, Range::Limited), |component, _, _| {
        if component == 0 { 125 } else { 128 }
    });
    let scene = only(ScopeKind::Waveform, true);
    let rect = panel(&scene, ScopeKind::Waveform);
    let image = drawn_by_all(&mut studio, &gray, Components::Rgbl, &scene, "light");
    let lights: Vec<_> =
        lit(&image, rect).into_iter().map(|(x, y)| pixel(&image, rect.left + x, rect.top + y)).collect();
    assert!(lights.iter().all(|&[r, g, b]| r > 200 && g > 200 && b > 200), "{:?}", lights.first());
    let scene = only(ScopeKind::Parade, true);
    let rect = panel(&scene, ScopeKind::Parade);
    let image = drawn_by_all(&mut studio, &gray, Components::Rgbl, &scene, "parade");
    let quarter = |x: u32| x * 4 / rect.width;
    let strongest = [0, 1, 2].map(|part| {
        let (x, y) = lit(&image, rect).into_iter().find(|at| quarter(at.0) == part).expect("a trace in each part");
        let found = pixel(&image, rect.left + x, rect.top + y);
        (0..3).max_by_key(|&channel| found[channel]).unwrap()
    });
    assert_eq!(strongest, [0, 1, 2]);
}

#[test]
fn all_ways_draw_the_same_of_any_layout_region_and_components() {
    let mut studio = Studio::get();
    let style = ScopeStyle {
        waveform: true,
        parade: true,
        vectorscope: true,
        layout: Layout::Split,
        gain: 2.0,
        ..ScopeStyle::default()
    };
    let scene = Scene::from(Look { overlays: false, scopes: style, ..Look::default() });
    for (number, (name, layout)) in native_layouts().into_iter().enumerate().step_by(5) {
        let color = colorimetry(Matrix::Bt709, [Range::Limited, Range::Full][number % 2]);
        let picture = match number % 3 {
            0 => noise(layout, (67, 41), color, 3, number as u64),
            _ => natural(layout, (67, 41), color, number as u64),
        };
        let components =
            if picture.has_coded_components() && number % 2 == 0 { Components::YCbCr } else { Components::Rgbl };
        drawn_by_all(&mut studio, &picture, components, &scene, &name);
    }
    // More columns and levels than pixels.
    let wide = noise(layout("yuv420p10"), (1101, 9), colorimetry(Matrix::Bt709, Range::Limited), 0, 8);
    drawn_by_all(&mut studio, &wide, Components::Rgbl, &scene, "wide");
    let one = drawn(layout("yuv420p8"), (1, 1), colorimetry(Matrix::Bt709, Range::Limited), |_, _, _| 100);
    drawn_by_all(&mut studio, &one, Components::YCbCr, &scene, "a single pixel");
}

#[test]
fn scopes_of_an_adjusted_picture_are_those_of_what_it_is_made_to() {
    let mut studio = Studio::get();
    let picture = natural(layout("yuv444p8"), (96, 64), colorimetry(Matrix::Bt709, Range::Limited), 5);
    let reduction = Some(Reduction::Posterize(Posterize { levels: 3, ..Posterize::default() }));
    let adjustments = Adjustments { reduction, ..Adjustments::default() };
    let mut scene = only(ScopeKind::Waveform, true);
    let plain = drawn_by_all(&mut studio, &picture, Components::Rgbl, &scene, "plain");
    let of_result = drawn_by_all(&mut studio, &adjusted(&picture, &adjustments), Components::Rgbl, &scene, "result");
    scene.look.adjustments = adjustments;
    let rect = panel(&scene, ScopeKind::Waveform);
    for (counted, expected) in [(Counted::Result, &of_result), (Counted::Source, &plain), (Counted::Both, &of_result)] {
        scene.look.counted = counted;
        let image = drawn_by_all(&mut studio, &picture, Components::Rgbl, &scene, "adjusted");
        assert!(lit(&image, rect) == lit(expected, rect), "{counted:?}");
    }
    assert!(lit(&plain, rect) != lit(&of_result, rect), "the comparison tells nothing");
}

/// Returns the bytes that the adapter has allocated for buffers and textures.
fn held(studio: &Studio) -> u64 {
    studio.gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    studio.gpu.device.generate_allocator_report().expect("Vulkan and its like tell").total_allocated_bytes
}

#[test]
fn scopes_of_4k_in_10_bits_take_at_most_24_mb() {
    // The CPU's painting is held in addition, and grows with the view.
    const MOST: [u64; 2] = [22_000_000, 24 << 20];
    const LARGE: (u32, u32) = (1600, 900);
    let layout = layout("yuv420p10");
    let picture = natural(layout, (3840, 2160), colorimetry(Matrix::Bt2020, Range::Limited), 1);
    let bare = Scene::from(Look { overlays: false, ..Look::default() });
    let scopes =
        ScopeStyle { waveform: true, parade: true, vectorscope: true, layout: Layout::Split, ..ScopeStyle::default() };
    let all = Scene { look: Look { scopes, ..bare.look }, ..bare };
    for way in WAYS {
        let mut studio = Studio::new();
        studio.load(way, &picture, UPRIGHT, Components::Rgbl);
        studio.snapshot(way, LARGE, &bare);
        let before = held(&studio);
        for gain in [1.0, 2.0] {
            studio.snapshot(
                way,
                LARGE,
                &Scene { look: Look { scopes: ScopeStyle { gain, ..scopes }, ..all.look }, ..all },
            );
        }
        let of_adapter = held(&studio) - before;
        // Counts made by the CPU are held in its memory.
        let counts = Waveform::shape(&layout, Region::whole(3840, 2160), Components::Rgbl);
        let words = ((4 * counts.columns[0] as u64) << counts.level_bits) + (1 << (2 * counts.level_bits));
        let is_cpu = way == BackendKind::Cpu;
        let by_cpu = if is_cpu { 4 * words } else { 0 };
        let all = of_adapter + by_cpu;
        assert!(all <= MOST[usize::from(is_cpu)], "{way:?}: {of_adapter} bytes of the adapter, {by_cpu} of the CPU");
        assert!(all >= 4 * words, "{way:?}: {of_adapter} bytes cannot hold the counts");
    }
}

#[test]
fn adding_scopes_of_4k_in_10_bits_up_takes_at_most_24_mib_of_the_adapter() {
    let gpu = Gpu::shared(&AdapterChoice::default()).expect("an adapter");
    let engine = Engine::on(EngineChoice::Gpu, &gpu);
    let held = || {
        gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        gpu.device.generate_allocator_report().expect("Vulkan and its like tell").total_allocated_bytes
    };
    let layout = layout("yuv420p10");
    let picture = natural(layout, (3840, 2160), colorimetry(Matrix::Bt2020, Range::Limited), 1);
    let both = ScopeChoice::EVERY;
    let chromatic = ScopeChoice::only(Scope::Vectorscope);
    let kept = |tally| {
        let before = held();
        let mut counter =
            Counter::new(&engine, &[Components::Rgbl], Adjustments::default()).with_scopes(tally, Diagram::CbCr);
        for _ in 0..3 {
            while counter.is_full() {
                counter.take().unwrap();
            }
            counter.submit_picture(&picture, None).unwrap();
        }
        while counter.take().unwrap().is_some() {}
        let of_counting = held() - before;
        counter.take_sums().unwrap();
        // The readback buffers are gone; they were held in addition to the counts.
        (of_counting, counter)
    };
    let (without, _) = kept(ScopeTally::default());
    for tally in [ScopeTally::Sum(both), ScopeTally::Each(chromatic)] {
        let (with, _) = kept(tally);
        let of_scopes = with - without;
        let least = if tally == ScopeTally::Sum(both) { 20 << 20 } else { 4 << 20 };
        // Two more are read back at a time.
        assert!((least..=22 << 20).contains(&of_scopes), "{tally:?}: {of_scopes} bytes");
    }
}

#[test]
fn only_scopes_that_are_shown_are_counted_and_each_picture_once() {
    let mut studio = Studio::get();
    let picture = natural(layout("yuv420p8"), (64, 48), colorimetry(Matrix::Bt709, Range::Limited), 1);
    for way in WAYS {
        studio.load(way, &picture, UPRIGHT, Components::Rgbl);
        studio.snapshot(way, VIEW, &Scene::default());
        assert!(!studio.renderer(way).0.recorded().iter().any(|pass| pass.contains("scopes")), "{way:?}");
        let scene = only(ScopeKind::Vectorscope, false);
        studio.snapshot(way, VIEW, &scene);
        assert!(studio.renderer(way).0.recorded().contains(&"count scopes"), "{way:?}");
        studio.snapshot(way, VIEW, &scene);
        let recorded = studio.renderer(way).0.recorded();
        assert!(!recorded.contains(&"count scopes") && recorded.contains(&"scopes"), "{way:?}: {recorded:?}");
    }
}

#[test]
fn gray_traces_are_gray_on_pictures_of_any_colour() {
    let mut studio = Studio::get();
    let scene = only(ScopeKind::Waveform, false);
    let scene = Scene::from(Look { channels: Channels::one(3), ..scene.look });
    let rect = panel(&scene, ScopeKind::Waveform);
    for color in [[255, 0, 0], [0, 255, 0], [0, 0, 255_u16]] {
        let packed = PixelLayout::packed_rgb(8, [0, 1, 2], 3);
        let picture = drawn(packed, (64, 64), colorimetry(Matrix::Bt709, Range::Full), |part, _, _| color[part]);
        let image = drawn_by_all(&mut studio, &picture, Components::Rgbl, &scene, "one colour");
        let middle = rect.left + rect.width / 2;
        let brightest = (rect.top..rect.top + rect.height).map(|y| pixel(&image, middle, y));
        let brightest = brightest.max_by_key(|shown| shown.iter().copied().min()).expect("the panel has rows");
        let (low, high) = (brightest.iter().min().unwrap(), brightest.iter().max().unwrap());
        assert!(*high > 150 && high - low <= 2, "the trace of luminance over {color:?} is {brightest:?}");
    }
}
