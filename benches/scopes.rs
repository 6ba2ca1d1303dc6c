//! The adapter's times for a waveform, a vectorscope of Cb and Cr and one of chromaticities, a selection by brushes in
//! both, and the light of pixels, by size, depth and content.
//!
//! Run with `cargo bench --bench scopes`; add `-- plans` to measure plans other than the program's. Times are medians,
//! from timestamp queries if the adapter supports them.

#![allow(clippy::print_stdout, reason = "a benchmark's table is for standard output")]

#[path = "../tests/support/mod.rs"]
mod support;

use std::sync::Arc;

use histoscope_core::histogram::{Components, LightMeter, LightScale};
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::picture::primaries::Primaries;
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::transfer::Transfer;
use histoscope_core::scopes::{Chroma, Diagram, ScopeChoice};
use histoscope_lab::bench::measure::{Budget, Times, on_gpu};
use histoscope_render::gpu::brushed::BrushedPasses;
use histoscope_render::gpu::pixel_light::PixelLightPass;
use histoscope_render::gpu::scope_pass::ScopePass;
use histoscope_render::gpu::upload::PictureBuffers;
use histoscope_render::gpu::vectorscope::{VectorscopePasses, VectorscopePlan};
use histoscope_render::gpu::waveform::{WaveformPasses, WaveformPlan};
use histoscope_render::gpu::{AdapterChoice, Gpu};
use histoscope_render::view::brush::Brush;
use histoscope_render::view::brushes::{Brushes, PairBrush, PairShape, WaveformBrush};
use histoscope_render::view::count::SelectionChoice;
use histoscope_render::view::overlay::Channels;
use support::{colorimetry, constant, natural, noise};

const SIZES: [(&str, (u32, u32)); 3] = [("1080p", (1920, 1080)), ("4K", (3840, 2160)), ("8K", (7680, 4320))];
const REPEATS: u32 = 60;

fn main() {
    let gpu = Gpu::headless(&AdapterChoice::default()).expect("an adapter");
    println!("{}", gpu.info.name);
    let with_plans = std::env::args().any(|argument| argument == "plans");
    for (size_name, size) in SIZES {
        for bits in [8, 10] {
            let layout = PixelLayout::planar_ycbcr(bits, (1, 1));
            let colorimetry = colorimetry(Matrix::Bt709, Range::Limited);
            for (content, picture) in [
                ("natural", natural(layout, size, colorimetry, 1)),
                ("noise", noise(layout, size, colorimetry, 0, 1)),
                ("constant", constant(layout, size, colorimetry)),
            ] {
                let what = format!("{size_name} {bits} bits {content}");
                // Warm up: while the CPU created the picture, the adapter's clock rate dropped.
                waveform(&gpu, &picture, WaveformPlan::of(&gpu));
                println!(
                    "{what:<24} waveform {:>8.1} µs, vectorscope {:>8.1} µs, chromaticities {:>8.1} µs, \
                     brushes {:>8.1} µs, light of PQ {:>8.1} µs, with gamut {:>8.1} µs, of HLG {:>8.1} µs",
                    waveform(&gpu, &picture, WaveformPlan::of(&gpu)).median_us,
                    vectorscope(&gpu, &picture, VectorscopePlan::of(&gpu), Diagram::CbCr).median_us,
                    vectorscope(&gpu, &picture, VectorscopePlan::of(&gpu), Diagram::Xy).median_us,
                    brushes(&gpu, &picture).median_us,
                    light(&gpu, &picture, LightScale::Pq, false).median_us,
                    light(&gpu, &picture, LightScale::Pq, true).median_us,
                    light(&gpu, &picture, LightScale::Hlg { peak: 1000 }, false).median_us,
                );
                if with_plans && size_name == "4K" {
                    other_plans(&gpu, &picture);
                }
            }
        }
    }
}

fn other_plans(gpu: &Gpu, picture: &Picture) {
    let usual = WaveformPlan::of(gpu);
    for workgroup in [512, 1024] {
        for columns in [8, 12, 16, 24] {
            for parts in [1, 2, 3, 4, 6] {
                let plan = WaveformPlan { workgroup, columns, parts, ..usual };
                println!("    {:>8.1} µs {plan:?}", waveform(gpu, picture, plan).median_us);
            }
        }
    }
    for workgroup in [256, 512, 1024] {
        for workgroups in [132, 264, 528] {
            // With 0 slot bits, a workgroup has a single slot, so nearly every sample is added directly in memory.
            for slot_bits in [0, 11, 12, 13] {
                let plan = VectorscopePlan { workgroup, workgroups, slot_bits };
                println!(
                    "    {:>8.1} µs, chromaticities {:>8.1} µs {plan:?}",
                    vectorscope(gpu, picture, plan, Diagram::CbCr).median_us,
                    vectorscope(gpu, picture, plan, Diagram::Xy).median_us,
                );
            }
        }
    }
}

fn waveform(gpu: &Gpu, picture: &Picture, plan: WaveformPlan) -> Times {
    let mut passes = WaveformPasses::with_plan(gpu, plan);
    let pixels = Rect::whole(picture.width(), picture.height());
    passes.prepare(gpu, picture, pixels, Components::Rgbl).expect("the adapter holds a column");
    let pictures = uploaded(gpu, picture);
    let group = pictures.bind_group().expect("it was uploaded");
    on_gpu(gpu, &Budget::new(gpu, REPEATS), &mut |encoder, _, spans| passes.record(encoder, group, spans))
        .expect("the passes run")
}

fn vectorscope(gpu: &Gpu, picture: &Picture, plan: VectorscopePlan, diagram: Diagram) -> Times {
    let mut passes = VectorscopePasses::with_plan(gpu, plan);
    let light = (Transfer::Pq, Primaries::Bt2020);
    let chroma = Chroma::of(picture).map(|chroma| chroma.in_diagram(diagram, light));
    passes.prepare(gpu, picture, Rect::whole(picture.width(), picture.height()), chroma);
    let pictures = uploaded(gpu, picture);
    let group = pictures.bind_group().expect("it was uploaded");
    on_gpu(gpu, &Budget::new(gpu, REPEATS), &mut |encoder, _, spans| passes.record(encoder, group, spans))
        .expect("the passes run")
}

/// Times a selection by a rectangle over most of the waveform and a circle over most of the vectorscope: finding the
/// selected pixels, and counting them for every scope.
fn brushes(gpu: &Gpu, picture: &Picture) -> Times {
    let bits = picture.layout().bin_bits();
    let levels = 1_u16 << bits.min(10);
    let range = Brush { channels: Channels::ALL, low: 1 << (bits - 3), high: 7 << (bits - 3) };
    let waveform = Some(WaveformBrush { range, columns: [100, 900], column_count: 1024 });
    let circle = PairShape::Circle { middle: [levels / 2; 2], radius: levels / 3 };
    let vectorscope = Some(PairBrush { level_bits: bits.min(10), shape: circle, diagram: Diagram::CbCr });
    let pixels = Rect::whole(picture.width(), picture.height());
    let chroma = Chroma::of(picture);
    let selection = Brushes { histogram: None, waveform, vectorscope }.on(pixels, Components::Rgbl, chroma);
    let wanted = SelectionChoice { histogram: true, scopes: ScopeChoice::EVERY };
    let pictures = uploaded(gpu, picture);
    let group = pictures.bind_group().expect("it was uploaded");
    let mut passes = BrushedPasses::new(gpu);
    on_gpu(gpu, &Budget::new(gpu, REPEATS), &mut |encoder, _, spans| {
        passes.record(gpu, encoder, (group, picture.into()), (&selection, chroma), wanted, spans);
    })
    .expect("the passes run")
}

/// Times counting the light of pixels.
fn light(gpu: &Gpu, picture: &Picture, scale: LightScale, counts_gamut: bool) -> Times {
    let meter = Arc::new(LightMeter::new(scale, picture.layout().bin_bits(), counts_gamut));
    let pictures = uploaded(gpu, picture);
    let group = pictures.bind_group().expect("it was uploaded");
    let rect = Rect::whole(picture.width(), picture.height());
    let mut pass = PixelLightPass::new(gpu);
    on_gpu(gpu, &Budget::new(gpu, REPEATS), &mut |encoder, _, spans| {
        pass.record(gpu, encoder, (group, picture.into(), rect), &meter, spans);
    })
    .expect("the pass runs")
}

fn uploaded(gpu: &Gpu, picture: &Picture) -> PictureBuffers {
    let mut pictures = PictureBuffers::default();
    pictures.upload(gpu, picture).expect("the picture fits");
    pictures
}
