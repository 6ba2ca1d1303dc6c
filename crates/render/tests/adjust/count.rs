//! Adjusted pictures counted in the pass that writes them: bins and scales equal those of the separate counting passes,
//! and those of the CPU.

use histoscope_core::adjust::{
    Adjustments, Blur, CameraLog, Clahe, ClassDisplay, Codes, Equalize, Lut, Otsu, Placing, Posterize, Processor,
    Reduction, Tone,
};
use histoscope_core::histogram::vertical_scale;
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::{ColorModel, PixelLayout};
use histoscope_render::gpu::histogram::plan::Plan;
use histoscope_render::gpu::timing::{Spans, Timestamps};

use crate::adjuster::{Adjuster, assert_same};
use crate::support::{colorimetry, constant, lut, native_layouts, natural, noise};

/// Returns each adjustment that ends in the counting pass, alone, then chains of them.
fn adjustments() -> Vec<Adjustments> {
    let off = Adjustments::default();
    let equalize = |per_channel| Some(Tone::Equalize(Equalize { per_channel, time_constant_secs: 0.0 }));
    let clahe = Some(Tone::Clahe(Clahe { tiles: (3, 2), clip_limit: 3.0 }));
    let posterize = |placing| Some(Reduction::Posterize(Posterize { levels: 5, placing }));
    let classes = Some(Reduction::Otsu(Otsu { classes: 4, shown: ClassDisplay::Colors }));
    let blur = Some(Blur { size: 5, runs: 2 });
    let luts = [0, 4, 33].map(|side| Some(lut(side, side as u64)));
    let camera = Some(Lut::of_camera(CameraLog::SLog3));
    vec![
        Adjustments { lut: camera, ..off },
        Adjustments { lut: luts[0], ..off },
        Adjustments { lut: luts[1], ..off },
        Adjustments { lut: luts[2], ..off },
        Adjustments { lut: luts[1], tone: equalize(false), ..off },
        Adjustments { tone: equalize(false), ..off },
        Adjustments { tone: equalize(true), ..off },
        Adjustments { tone: clahe, ..off },
        Adjustments { reduction: posterize(Placing::Width), ..off },
        Adjustments { reduction: posterize(Placing::Population), ..off },
        Adjustments { reduction: classes, ..off },
        Adjustments { blur, tone: equalize(false), ..off },
        Adjustments { tone: clahe, reduction: classes, ..off },
        Adjustments { blur, tone: equalize(true), reduction: posterize(Placing::Population), ..off },
    ]
}

/// Asserts that a picture is counted while it is written. If the bins of all channels do not fit together, asserts that
/// it is not.
fn check(adjuster: &mut Adjuster, name: &str, picture: &Picture, adjustments: &Adjustments, spans: Option<Spans<'_>>) {
    let name = format!("{name}, {adjustments}");
    let bits = picture.layout().bin_bits();
    let limits = adjuster.gpu.device.limits();
    let fits = Plan::fused(&limits, adjuster.gpu.info.device_type, bits, picture.pixel_count()).is_some();
    assert!(fits || bits > 10, "{name}: every adapter has room for so few bins");
    let expected = Processor::default().apply_to_codes(
        Codes::of(picture),
        &adjustments.for_range(picture.colorimetry().range.value),
        None,
    );
    let (codes, counted) = adjuster.adjust_and_count(picture, adjustments, spans);
    assert_same(&name, &codes, &expected);
    assert_eq!(counted.is_some(), fits, "{name}");
    let histogram = expected.histogram();
    if let Some((bins, scales)) = counted {
        assert!(bins == histogram, "{name}: the bins are the CPU's, and nothing is out of range");
        for (channel, scale) in scales.iter().enumerate() {
            let height = vertical_scale(histogram.bins(channel));
            assert!((scale.height - height).abs() <= 1e-6 * height, "{name}, channel {channel}: {scale:?} {height}");
            assert_eq!(Some(&scale.tallest), histogram.bins(channel).iter().max(), "{name}, channel {channel}");
            assert_eq!(scale.samples, picture.pixel_count(), "{name}, channel {channel}");
        }
    }
    assert!(adjuster.count_result() == histogram, "{name}: and those that count any picture find the same");
}

fn color(layout: &PixelLayout) -> histoscope_core::picture::color::Colorimetry {
    let matrix = if layout.model == ColorModel::Rgb { Matrix::Identity } else { Matrix::Bt709 };
    colorimetry(matrix, Range::Limited)
}

#[test]
fn every_adjustment_is_counted_as_it_is_written_at_any_size() {
    let mut adjuster = Adjuster::get();
    for depth in [8, 10] {
        let layout = PixelLayout::planar_ycbcr(depth, (1, 1));
        for (seed, size) in [(1, 1), (2, 3), (131, 77), (63, 64), (1025, 35)].into_iter().enumerate() {
            let picture = natural(layout, size, color(&layout), seed as u64);
            for adjustments in adjustments() {
                check(&mut adjuster, &format!("{size:?} at {depth} bits"), &picture, &adjustments, None);
            }
        }
    }
}

#[test]
fn every_layout_is_counted_as_it_is_written_and_deep_ones_apart() {
    let mut adjuster = Adjuster::get();
    for (seed, (name, layout)) in native_layouts().into_iter().enumerate() {
        let picture = noise(layout, (61, 33), color(&layout), 3, seed as u64);
        check(&mut adjuster, &name, &picture, &adjustments()[seed % 11], None);
    }
    let flat = constant(PixelLayout::planar_ycbcr(8, (1, 1)), (70, 41), color(&PixelLayout::planar_ycbcr(8, (1, 1))));
    check(&mut adjuster, "one colour", &flat, &adjustments()[0], None);
}

#[test]
fn the_sums_are_the_same_pass_by_pass() {
    let mut adjuster = Adjuster::get();
    let Some(timestamps) = Timestamps::new(&adjuster.gpu, 3) else { return };
    let layout = PixelLayout::planar_ycbcr(10, (1, 1));
    let picture = natural(layout, (97, 41), color(&layout), 4);
    for adjustments in adjustments() {
        let spans = Some(timestamps.spans_from(0));
        check(&mut adjuster, "apart", &picture, &adjustments, spans);
    }
}

/// A blur ends in its own pass, which does not count.
#[test]
fn a_blur_alone_is_counted_apart() {
    let mut adjuster = Adjuster::get();
    let layout = PixelLayout::planar_ycbcr(8, (1, 1));
    let picture = natural(layout, (50, 40), color(&layout), 2);
    let blurred = Adjustments { blur: Some(Blur { size: 7, runs: 1 }), ..Adjustments::default() };
    let (codes, counted) = adjuster.adjust_and_count(&picture, &blurred, None);
    assert!(counted.is_none());
    assert!(adjuster.count_result() == codes.histogram());
}

/// Separate counting and counting while writing may follow each other in any order, on pictures of any kind.
#[test]
fn ways_of_counting_may_change_at_any_time() {
    let mut adjuster = Adjuster::get();
    for round in 0..12_usize {
        let size = [(140, 30), (1, 1), (200, 3)][round % 3];
        let layout = [PixelLayout::gray(8), PixelLayout::planar_gbr(10), PixelLayout::planar_ycbcr(8, (1, 0))];
        let layout = layout[round / 2 % 3];
        let picture = natural(layout, size, color(&layout), round as u64);
        let adjustments = adjustments()[round % 14];
        if round % 4 == 1 {
            adjuster.check("not counted", &picture, &adjustments);
        }
        check(&mut adjuster, &format!("round {round}"), &picture, &adjustments, None);
        if round == 6 {
            adjuster.chain.release();
        }
    }
}
