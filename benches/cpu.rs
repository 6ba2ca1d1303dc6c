//! Speed of the CPU engine by layout and depth, content, instruction set and size.
//!
//! Run with `cargo bench --bench cpu`, or with a filter: `cargo bench --bench cpu -- content`. The engine uses all
//! cores.

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use histoscope_core::histogram::Components;
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::PixelLayout;
use histoscope_render::cpu::{Engine, Level};
use support::{colorimetry, constant, natural, noise};

const FULL_HD: (u32, u32) = (1920, 1080);
const ULTRA_HD: (u32, u32) = (3840, 2160);

/// Returns the layouts that most files use, with their names.
fn common_layouts() -> Vec<(&'static str, PixelLayout)> {
    vec![
        ("yuv420p", PixelLayout::planar_ycbcr(8, (1, 1))),
        ("yuv422p", PixelLayout::planar_ycbcr(8, (1, 0))),
        ("yuv444p", PixelLayout::planar_ycbcr(8, (0, 0))),
        ("nv12", PixelLayout::semi_planar(8, (1, 1), false)),
        ("yuyv422", PixelLayout::packed_422(false)),
        ("gray8", PixelLayout::gray(8)),
        ("gbrp", PixelLayout::planar_gbr(8)),
        ("rgb24", PixelLayout::packed_rgb(8, [0, 1, 2], 3)),
        ("rgba", PixelLayout::packed_rgb(8, [0, 1, 2], 4)),
        ("yuv420p10", PixelLayout::planar_ycbcr(10, (1, 1))),
        ("yuv422p10", PixelLayout::planar_ycbcr(10, (1, 0))),
        ("p010", PixelLayout::semi_planar(10, (1, 1), false)),
        ("gbrp10", PixelLayout::planar_gbr(10)),
        ("yuv420p12", PixelLayout::planar_ycbcr(12, (1, 1))),
        ("yuv444p12", PixelLayout::planar_ycbcr(12, (0, 0))),
        ("rgba64", PixelLayout::packed_rgb(16, [0, 1, 2], 4)),
    ]
}

/// Returns the number of bytes that the engine reads from a picture.
fn picture_bytes(picture: &Picture) -> u64 {
    let layout = picture.layout();
    let plane_bytes = |plane| {
        let (row_bytes, rows) = layout.plane_size(plane, picture.width(), picture.height());
        (row_bytes * rows) as u64
    };
    (0..layout.plane_count()).map(plane_bytes).sum()
}

fn natural_picture(layout: PixelLayout, size: (u32, u32)) -> Picture {
    natural(layout, size, colorimetry(Matrix::Bt709, Range::Limited), 1)
}

fn measure(
    criterion: &mut Criterion,
    group: &str,
    name: &str,
    picture: &Picture,
    components: Components,
    level: Level,
) {
    let mut group = criterion.benchmark_group(group);
    let throughput =
        Throughput::ElementsAndBytes { elements: u64::from(picture.pixel_count()), bytes: picture_bytes(picture) };
    group.throughput(throughput);
    let mut engine = Engine::with_level(level);
    group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
        bencher.iter(|| engine.count(picture, components).words[0]);
    });
    group.finish();
}

fn by_layout(criterion: &mut Criterion) {
    for (name, layout) in common_layouts() {
        let picture = natural_picture(layout, FULL_HD);
        measure(criterion, "layout 1080p natural", name, &picture, Components::Rgbl, Level::detect());
    }
}

fn by_content(criterion: &mut Criterion) {
    let rgb = colorimetry(Matrix::Bt709, Range::Limited);
    for (name, layout) in common_layouts() {
        if !["yuv420p", "yuv420p10", "yuv420p12", "gray8", "rgba"].contains(&name) {
            continue;
        }
        let contents = [
            ("constant", constant(layout, FULL_HD, rgb)),
            ("noise", noise(layout, FULL_HD, rgb, 0, 1)),
            ("natural", natural_picture(layout, FULL_HD)),
        ];
        for (content, picture) in contents {
            measure(criterion, &format!("content 1080p {name}"), content, &picture, Components::Rgbl, Level::detect());
        }
    }
}

fn by_level(criterion: &mut Criterion) {
    let picture = natural_picture(PixelLayout::planar_ycbcr(8, (1, 1)), FULL_HD);
    for &level in Level::ALL.iter().filter(|level| level.is_available()) {
        measure(criterion, "level 1080p yuv420p", level.name(), &picture, Components::Rgbl, level);
    }
}

fn by_components_and_size(criterion: &mut Criterion) {
    for (name, layout) in
        [("yuv420p", PixelLayout::planar_ycbcr(8, (1, 1))), ("p010", PixelLayout::semi_planar(10, (1, 1), false))]
    {
        for (size_name, size) in [("1080p", FULL_HD), ("2160p", ULTRA_HD)] {
            let picture = natural_picture(layout, size);
            for components in [Components::Rgbl, Components::YCbCr] {
                let group = format!("size {name} {components:?}");
                measure(criterion, &group, size_name, &picture, components, Level::detect());
            }
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(900));
    targets = by_layout, by_content, by_level, by_components_and_size
}
criterion_main!(benches);
