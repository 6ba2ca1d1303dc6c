//! Views for displays for HDR: the light of the picture goes out as it is, and the controls keep their look.

use std::sync::Arc;

use half::f16;
use histoscope_core::histogram::{Components, Transfer};
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::{Frame, Picture, SourceFormat};
use histoscope_core::tone_map::{Display, Stops, ToneMapping};
use histoscope_render::engine::{BackendKind, Renderer};
use histoscope_render::gpu::output::{Encoding, Output};
use histoscope_render::gpu::{Gpu, Scene, readback};
use histoscope_render::view::panel;
use histoscope_render::view::scene::Look;

use crate::studio;
use crate::support::{colorimetry, drawn, gpu, natural};

const WHITE: u32 = 203;

/// Makes a frame of R'G'B' codes of 10 bits with this transfer function and the primaries of BT.2020.
fn frame(size: (u32, u32), transfer: Transfer, codes: impl Fn(u32, u32) -> [u16; 3]) -> Frame {
    let color = colorimetry(Matrix::Identity, Range::Full);
    let picture = drawn(PixelLayout::planar_gbr(10), size, color, |component, x, y| codes(x, y)[component]);
    of_bt2020(studio::frame(picture, 0, 0).with_transfer(transfer))
}

fn of_bt2020(mut frame: Frame) -> Frame {
    let source = SourceFormat { primaries: Some("bt2020"), ..(*frame.source).clone() };
    frame.facts.source = Arc::new(source);
    frame
}

fn bare() -> Scene {
    Scene::from(Look { overlays: false, ..Look::default() })
}

/// Draws a frame at its own size for an output of light, and returns the values that go out.
fn emitted(gpu: &Gpu, output: Output, backend: BackendKind, frame: &Frame, scene: &Scene) -> Vec<[f64; 3]> {
    shown(gpu, output, &mut Renderer::for_output(gpu, output, backend), frame, scene)
}

fn shown(gpu: &Gpu, output: Output, renderer: &mut Renderer, frame: &Frame, scene: &Scene) -> Vec<[f64; 3]> {
    renderer.load_frame(gpu, frame, None, Components::Rgbl).unwrap();
    let size = (frame.picture.width(), frame.picture.height());
    let texture = readback::view_texture(gpu, size, output.format).unwrap();
    let view = texture.create_view(&Default::default());
    let mut encoder = gpu.encoder("light");
    renderer.record(gpu, &mut encoder, &view, size, scene);
    gpu.queue.submit([encoder.finish()]);
    renderer.submitted();
    let bytes = readback::read_texels(gpu, &texture).unwrap();
    gpu.check().expect("nothing failed");
    match output.encoding {
        Encoding::Codes => panic!("not light"),
        Encoding::Linear { .. } => bytes
            .chunks_exact(8)
            .map(|texel| [0, 2, 4].map(|at| f16::from_le_bytes([texel[at], texel[at + 1]]).to_f64()))
            .collect(),
        Encoding::Pq => bytes
            .chunks_exact(4)
            .map(|texel| u32::from_le_bytes(texel.try_into().unwrap()))
            .map(|word| [0, 10, 20].map(|shift| f64::from(word >> shift & 1023)))
            .collect(),
    }
}

/// Every code goes out as it came in, up to 10,000 cd/m²: colours outside BT.709, too, although they are drawn in it.
#[test]
fn pq_goes_out_as_it_came_in() {
    let gpu = gpu();
    let mut state = 9_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 22) as u16
    };
    let colors: Vec<[u16; 3]> = (0..3 * 1024).map(|_| [next(), next(), next()]).collect();
    let codes = |x: u32, y: u32| match y {
        0 => [x as u16; 3],
        1 => [x as u16, 0, 0],
        2 => [0, x as u16, 0],
        3 => [0, 0, x as u16],
        _ => colors[((y - 4) * 1024 + x) as usize],
    };
    let frame = frame((1024, 7), Transfer::Pq, codes);
    let out = emitted(&gpu, Output::pq(WHITE), BackendKind::Adapter, &frame, &bare());
    for (place, found) in (0..).zip(out) {
        let code = codes(place % 1024, place / 1024);
        // Numbers of 16 bits have 11 digits, and some drivers cut off the rest, so weak light may be lost beside strong
        // light.
        let light = |code: f64| Transfer::Pq.light(code / 1023.0);
        let lost = code.map(|code| light(code.into())).into_iter().fold(0.0, f64::max) / 1024.0;
        for (found, code) in found.into_iter().zip(code.map(f64::from)) {
            let is_near = (found - code).abs() <= 1.0 || (light(found) - light(code)).abs() <= lost;
            assert!(is_near, "{found}, not {code}, at {place}: {:?}", codes(place % 1024, place / 1024));
        }
    }
}

/// Compares with values that NumPy computed in double precision from ST 2084, BT.2100 and the primaries'
/// chromaticities. 1 is 80 cd/m².
#[test]
fn linear_light_is_that_of_the_standards() {
    let gpu = gpu();
    let cases = [
        (Transfer::Pq, [0.5, 0.5, 0.5], [1.153071, 1.153071, 1.153071]),
        (Transfer::Pq, [0.9, 0.9, 0.9], [48.820558, 48.820558, 48.820558]),
        (Transfer::Pq, [0.6, 0.5, 0.4], [4.357465, 0.923041, 0.28242]),
        (Transfer::Pq, [0.3, 0.55, 0.7], [-1.466357, 2.058213, 8.490306]),
        (Transfer::Pq, [0.0, 0.6, 0.0], [-1.792344, 3.455418, -0.306772]),
        (Transfer::Hlg, [0.5, 0.5, 0.5], [0.633713, 0.633713, 0.633713]),
        (Transfer::Hlg, [0.9, 0.9, 0.9], [6.526377, 6.526377, 6.526377]),
        (Transfer::Hlg, [0.6, 0.5, 0.4], [1.242019, 0.606857, 0.380823]),
        (Transfer::Hlg, [0.3, 0.55, 0.7], [-0.196548, 0.85448, 1.695554]),
        (Transfer::Hlg, [0.0, 0.6, 0.0], [-0.57664, 1.111691, -0.098696]),
    ];
    for white in [WHITE, 100, 480] {
        let output = Output::linear(white);
        let mut renderer = Renderer::for_output(&gpu, output, BackendKind::Adapter);
        for (transfer, signal, expected) in cases {
            // Signals are nearest to codes of 16 bits.
            let color = colorimetry(Matrix::Identity, Range::Full);
            let picture = drawn(PixelLayout::planar_gbr(16), (8, 8), color, |component, _, _| {
                (signal[component] * 65_535.0_f64).round() as u16
            });
            let frame = of_bt2020(studio::frame(picture, 0, 0).with_transfer(transfer));
            let out = shown(&gpu, output, &mut renderer, &frame, &bare());
            let largest = expected.into_iter().fold(0.0, f64::max);
            for (found, expected) in out[27].into_iter().zip(expected) {
                let is_near = (found - expected).abs() <= largest / 512.0;
                assert!(is_near, "{transfer:?} {signal:?}, white {white}: {found}, not {expected}");
            }
        }
    }
}

/// Returns the 8-bit codes of values of linear light, as SDR shows them.
fn codes(light: &[[f64; 3]]) -> Vec<f64> {
    let code = |light: f64| 255.0 * (light * 80.0 / f64::from(WHITE)).max(0.0).powf(1.0 / 2.4);
    light.iter().flatten().map(|&light| code(light)).collect()
}

fn assert_alike(light: &[[f64; 3]], frame: &Frame, backend: BackendKind, gpu: &Gpu, scene: &Scene) {
    let mut renderer = Renderer::headless(gpu, backend);
    renderer.load_frame(gpu, frame, None, Components::Rgbl).unwrap();
    let image = renderer.snapshot(gpu, (frame.picture.width(), frame.picture.height()), scene).unwrap();
    let shown = image.rgba.chunks_exact(4).flat_map(|pixel| &pixel[..3]);
    for (place, (found, &expected)) in codes(light).into_iter().zip(shown).enumerate() {
        let is_near = (found - f64::from(expected)).abs() <= 1.0;
        assert!(is_near, "{backend:?}: {found}, not {expected}, at {place}");
    }
}

fn sdr() -> Frame {
    let layout = PixelLayout::planar_ycbcr(8, (1, 1));
    let picture: Picture = natural(layout, (320, 180), colorimetry(Matrix::Bt709, Range::Limited), 5);
    studio::frame(picture, 0, 0)
}

/// What is SDR on a display for SDR is the same on one for HDR: a picture of SDR, its histograms, and everything that
/// the CPU paints.
#[test]
fn sdr_and_controls_keep_their_look() {
    let gpu = gpu();
    let shown = Scene::from(Look::default());
    for backend in [BackendKind::Adapter, BackendKind::Cpu] {
        for scene in [bare(), shown] {
            let light = emitted(&gpu, Output::linear(WHITE), backend, &sdr(), &scene);
            assert_alike(&light, &sdr(), backend, &gpu, &scene);
        }
    }
    let pq = of_bt2020(sdr().with_transfer(Transfer::Pq));
    let light = emitted(&gpu, Output::linear(WHITE), BackendKind::Cpu, &pq, &shown);
    assert_alike(&light, &pq, BackendKind::Cpu, &gpu, &shown);
    let coded = Scene::from(Look { tone_mapping: ToneMapping::None, ..Look::default() });
    let light = emitted(&gpu, Output::linear(WHITE), BackendKind::Adapter, &pq, &coded);
    assert_alike(&light, &pq, BackendKind::Adapter, &gpu, &coded);
}

/// The light of a picture of 10,000 cd/m² does not shine through histograms, which stay legible.
#[test]
fn highlights_do_not_outshine_controls() {
    let gpu = gpu();
    let bright = frame((640, 360), Transfer::Pq, |_, _| [1023; 3]);
    let scene = Scene::from(Look::default());
    let light = emitted(&gpu, Output::linear(WHITE), BackendKind::Adapter, &bright, &scene);
    let stops = Stops::of_hundredths(1000);
    let exposed = Scene::from(Look { stops, ..Look::default() });
    let brighter = emitted(&gpu, Output::linear(100), BackendKind::Adapter, &bright, &exposed);
    assert!(brighter.as_flattened().iter().all(|&light| light.is_finite()), "light beyond 16 bits is the brightest");
    let green = frame((640, 360), Transfer::Pq, |_, _| [0, 1023, 0]);
    let brighter = emitted(&gpu, Output::linear(80), BackendKind::Adapter, &green, &exposed);
    assert!(brighter.as_flattened().iter().all(|&light| light.is_finite()), "strongly negative light, too");
    let full = 10_000.0 / 80.0;
    assert!((light[0][0] - full).abs() < 2e-3 * full, "outside: {:?}", light[0]);
    let white = f64::from(WHITE) / 80.0;
    let saturated = emitted(&gpu, Output::linear(WHITE), BackendKind::Adapter, &green, &scene);
    assert!(saturated[0][0] < -white, "outside BT.709: {:?}", saturated[0]);
    for (_, rect, _) in panel::panels(&scene, Components::Rgbl, (640, 360)) {
        let places = (0..rect.height).flat_map(|y| (0..rect.width).map(move |x| (rect.left + x, rect.top + y)));
        for (x, y) in places {
            let found = light[(y * 640 + x) as usize];
            assert!(found.iter().all(|&light| light <= 1.02 * white), "{found:?} at {x}, {y} of {rect:?}");
            // Negative light would take their colours away.
            let found = saturated[(y * 640 + x) as usize];
            assert!(found.iter().all(|&light| light >= -0.02 * white), "{found:?} at {x}, {y} of {rect:?}");
        }
    }
}

#[test]
fn a_renderer_draws_for_the_display_of_its_output() {
    let gpu = gpu();
    for (output, backend, expected) in [
        (Output::linear(240), BackendKind::Adapter, Display::Hdr { white: 240 }),
        (Output::linear(240), BackendKind::Cpu, Display::Sdr),
        (Output::of_codes(readback::VIEW_FORMAT), BackendKind::Adapter, Display::Sdr),
    ] {
        let mut renderer = Renderer::for_output(&gpu, output, backend);
        renderer.load_frame(&gpu, &sdr(), None, Components::Rgbl).unwrap();
        assert_eq!(renderer.display(), expected, "{output} {backend:?}");
    }
}

/// A view that is saved between two that are shown is tone-mapped for SDR, with the outlines of the reference.
#[test]
fn saved_views_are_for_sdr() {
    let gpu = gpu();
    let pq = of_bt2020(sdr().with_transfer(Transfer::Pq));
    let scene = Scene::from(Look { stops: Stops::of_hundredths(-100), ..Look::default() });
    for backend in [BackendKind::Adapter, BackendKind::Cpu] {
        let mut plain = Renderer::headless(&gpu, backend);
        plain.load_frame(&gpu, &sdr(), Some(Rect { x: 9, y: 9, width: 99, height: 50 }), Components::Rgbl).unwrap();
        let reference = Arc::new(plain.count(&gpu).unwrap());
        let saved = |renderer: &mut Renderer| {
            renderer.load_frame(&gpu, &pq, None, Components::Rgbl).unwrap();
            renderer.set_reference(&gpu, Some(&reference));
            renderer.snapshot(&gpu, (320, 180), &scene).unwrap()
        };
        let output = Output::linear(WHITE);
        let mut renderer = Renderer::for_output(&gpu, output, backend);
        let before = shown(&gpu, output, &mut renderer, &pq, &scene);
        assert_eq!(saved(&mut renderer), saved(&mut plain), "{backend:?}");
        renderer.set_reference(&gpu, None);
        assert_eq!(shown(&gpu, output, &mut renderer, &pq, &scene), before, "{backend:?}");
    }
}
