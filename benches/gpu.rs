//! Times of the GPU's passes and of uploads. Run with `cargo bench --bench gpu`.
//!
//! If the adapter supports timestamp queries, each counting pass is timed by the GPU's own clock. Counting as a whole,
//! drawing and uploading are timed by the wall clock until the GPU has finished.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, reason = "a benchmark that cannot go on has failed")]

use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use histoscope_core::histogram::Components;
use histoscope_core::picture::{Orientation, Picture, Ratio};
use histoscope_lab::bench::inputs::{Inputs, picture_bytes};
use histoscope_lab::bench::{BenchContent, layouts};
use histoscope_render::engine::{BackendKind, Renderer};
use histoscope_render::gpu::histogram::HistogramPasses;
use histoscope_render::gpu::readback::{VIEW_FORMAT, view_texture};
use histoscope_render::gpu::timing::Timestamps;
use histoscope_render::gpu::upload::PictureBuffers;
use histoscope_render::gpu::{AdapterChoice, Gpu, Scene};
use histoscope_render::view::scene::Look;

const SIZE: (u32, u32) = (1920, 1080);

fn gpu() -> Gpu {
    Gpu::headless(&AdapterChoice::default()).expect("an adapter; scripts/setup installs one")
}

fn picture(layout: &str, seed: u64) -> Picture {
    BenchContent::Natural.picture(layouts::parse(layout).unwrap(), SIZE, seed).unwrap()
}

fn encoder(gpu: &Gpu) -> wgpu::CommandEncoder {
    gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("bench") })
}

/// Records and submits once, waits for completion, and returns the elapsed time.
fn wall(gpu: &Gpu, record: impl FnOnce(&mut wgpu::CommandEncoder)) -> Duration {
    let start = Instant::now();
    let mut encoder = encoder(gpu);
    record(&mut encoder);
    gpu.queue.submit([encoder.finish()]);
    gpu.wait().unwrap();
    start.elapsed()
}

/// Returns the total time of a counting pass over all repeats.
fn time_pass(gpu: &Gpu, passes: &HistogramPasses, inputs: &Inputs, pass: usize, repeats: u64) -> Duration {
    let mut ns = 0.0;
    let mut left = repeats;
    while left > 0 {
        let batch = left.min(u64::from(Timestamps::MAX_SPANS) / 3);
        let timestamps = Timestamps::new(gpu, 3 * batch as u32).unwrap();
        for repeat in 0..batch as u32 {
            let mut encoder = encoder(gpu);
            let spans = timestamps.spans_from(3 * repeat);
            passes.record(&mut encoder, inputs.group(repeat as usize).unwrap(), Some(spans));
            gpu.queue.submit([encoder.finish()]);
        }
        ns += timestamps.read_ns(gpu, 3 * batch as u32).unwrap().iter().skip(pass).step_by(3).sum::<f64>();
        left -= batch;
    }
    Duration::from_nanos(ns as u64)
}

fn count(c: &mut Criterion) {
    let gpu = gpu();
    for layout in ["yuv420p", "p010", "yuv444p12", "rgba"] {
        let inputs = Inputs::of(&gpu, (0..4).map(|seed| picture(layout, seed)).collect()).unwrap();
        let mut passes = HistogramPasses::new(&gpu);
        passes.prepare(&gpu, &inputs.pictures[0], Components::Rgbl).unwrap();
        if Timestamps::new(&gpu, 1).is_some() {
            for (pass, name) in HistogramPasses::NAMES.into_iter().enumerate() {
                c.bench_function(&format!("{name}/{layout}"), |b| {
                    b.iter_custom(|repeats| time_pass(&gpu, &passes, &inputs, pass, repeats));
                });
            }
        }
        c.bench_function(&format!("count including submission and wait/{layout}"), |b| {
            b.iter_custom(|repeats| {
                let once =
                    |repeat| wall(&gpu, |encoder| passes.record(encoder, inputs.group(repeat as usize).unwrap(), None));
                (0..repeats).map(once).sum()
            });
        });
    }
}

fn draw(c: &mut Criterion) {
    let gpu = gpu();
    let mut renderer = Renderer::new(&gpu, VIEW_FORMAT, BackendKind::Adapter);
    let placing = (Ratio::ONE, Orientation::default());
    renderer.load(&gpu, &picture("yuv420p", 0), placing, None, Components::Rgbl).unwrap();
    let view =
        view_texture(&gpu, (1600, 900), VIEW_FORMAT).unwrap().create_view(&wgpu::TextureViewDescriptor::default());
    // The first recording also counts; the following ones only draw.
    let mut once = |scene: &Scene| wall(&gpu, |encoder| renderer.record(&gpu, encoder, &view, (1600, 900), scene));
    once(&Scene::default());
    for (name, overlays) in [("picture", false), ("picture and overlays", true)] {
        let scene = Scene::from(Look { overlays, ..Look::default() });
        c.bench_function(&format!("draw/{name}"), |b| {
            b.iter_custom(|repeats| (0..repeats).map(|_| once(&scene)).sum());
        });
    }
}

fn upload(c: &mut Criterion) {
    let gpu = gpu();
    let mut group = c.benchmark_group("upload");
    for layout in
        ["gray", "yuv420p", "nv12", "yuv422p", "yuv444p", "p010", "yuv444p12", "gbrp", "rgb24", "rgba", "rgba64"]
    {
        let picture = picture(layout, 0);
        let mut buffers = PictureBuffers::default();
        group.throughput(Throughput::Bytes(picture_bytes(&picture)));
        group.bench_function(BenchmarkId::from_parameter(layout), |b| {
            b.iter_custom(|repeats| {
                let once = |_| {
                    let start = Instant::now();
                    buffers.upload(&gpu, &picture).unwrap();
                    gpu.queue.submit([]);
                    gpu.wait().unwrap();
                    start.elapsed()
                };
                (0..repeats).map(once).sum()
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = passes;
    // Long enough to detect a change of a few percent on a GPU, and short enough for a software adapter.
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = count, draw, upload
}
criterion_main!(passes);
