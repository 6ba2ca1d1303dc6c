//! The box blur on the GPU against its definition and against the exact mean.

use histoscope_core::adjust::{Adjustments, Blur, Codes, blur};
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::{ColorModel, PixelLayout};
use histoscope_render::gpu::adjust::{BlurPass, BlurPlan};
use histoscope_render::gpu::params::InputPicture;

use crate::adjuster::{Adjuster, assert_same};
use crate::support::{colorimetry, native_layouts, noise};

fn blurred(size: u32, runs: u32) -> Adjustments {
    Adjustments { blur: Some(Blur { size, runs }), ..Adjustments::default() }
}

fn noisy(size: (u32, u32), depth: u8, seed: u64) -> Picture {
    noise(PixelLayout::planar_ycbcr(depth, (1, 1)), size, colorimetry(Matrix::Bt601, Range::Limited), 0, seed)
}

#[test]
fn every_odd_width_is_the_reference_to_the_last_code() {
    let mut adjuster = Adjuster::get();
    for depth in [8, 10, 12] {
        let picture = noisy((81, 71), depth, 3);
        for size in [3, 5, 7, 9, 15, 21, 31, 63] {
            adjuster.check(&format!("{depth} bits"), &picture, &blurred(size, 1));
        }
    }
}

#[test]
fn any_size_of_picture_and_any_number_of_runs() {
    let mut adjuster = Adjuster::get();
    for size in [(1, 1), (2, 3), (513, 2), (3, 130), (1030, 5), (64, 64), (517, 129)] {
        for depth in [8, 10, 12] {
            let picture = noisy(size, depth, 5);
            adjuster.check(&format!("{size:?}, {depth} bits"), &picture, &blurred(15, 2));
        }
    }
    adjuster.check("three runs", &noisy((100, 80), 8, 1), &blurred(63, 3));
    adjuster.check("three runs", &noisy((100, 80), 10, 1), &blurred(9, 3));
}

/// Computes means of whole squares in 64 bits, pixel by pixel.
#[test]
fn a_blur_is_the_exact_mean_within_one_code() {
    for depth in [8, 10, 12] {
        let codes = Codes::of(&noisy((40, 33), depth, 7));
        for size in [3, 9, 63] {
            let adjusted = blur::apply(codes.clone(), Blur { size, runs: 1 });
            let reach = i64::from(size / 2);
            for y in 0..33_i64 {
                for x in 0..40_i64 {
                    for channel in 0..3 {
                        let square = (y - reach..=y + reach).flat_map(|v| (x - reach..=x + reach).map(move |u| (u, v)));
                        let at = |(u, v): (i64, i64)| (v.clamp(0, 32) * 40 + u.clamp(0, 39)) as usize;
                        let sum: u64 = square.map(|place| u64::from(codes.rgb[at(place)][channel])).sum();
                        let mean = sum as f64 / f64::from(size * size);
                        let found = f64::from(adjusted.rgb[(y * 40 + x) as usize][channel]);
                        // Rounded exactly up to 10 bits. At 12 bits, an error of a further sixteenth of a code is
                        // allowed.
                        let most = if depth == 12 { 0.5 + 1.0 / 16.0 } else { 0.5 };
                        assert!((found - mean).abs() <= most, "{depth} bits, {size} wide, ({x}, {y}): {found} {mean}");
                    }
                }
            }
        }
    }
}

/// Less or no workgroup memory gives the same blur.
#[test]
fn the_plan_does_not_change_the_result() {
    let mut adjuster = Adjuster::get();
    for depth in [8, 12] {
        let picture = noisy((600, 140), depth, 2);
        let expected = adjuster.check("planned", &picture, &blurred(11, 1));
        let Adjuster { gpu, pictures, chain, .. } = &mut *adjuster;
        let limits = gpu.device.limits();
        let result = chain.result().unwrap();
        let planes = (InputPicture::from(&picture), pictures.bind_group().unwrap());
        let packed = (InputPicture::from(result), &result.bind_group);
        for (lines, pairs) in [(2, 16), (4, 32)] {
            for (source, group) in [planes, packed] {
                let mut pass = BlurPass::new(gpu);
                let plan = BlurPlan { lines, pairs, ..BlurPlan::new(&limits, depth.into(), 11) };
                result.write(gpu, &Codes::of(&picture));
                let job = pass.job_with_plan(gpu, &source, result, plan, 1).unwrap();
                let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
                job.dispatch(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()), group);
                gpu.queue.submit([encoder.finish()]);
                assert_same(&format!("{plan:?} {source:?}"), &result.read(gpu).unwrap(), &expected);
            }
        }
    }
}

/// Tiles end in the middle of strips, of chroma samples and of pairs of rows.
#[test]
fn a_picture_is_blurred_from_its_planes_in_any_layout() {
    let mut adjuster = Adjuster::get();
    for (seed, (name, layout)) in native_layouts().into_iter().enumerate() {
        let matrix = if layout.model == ColorModel::Rgb { Matrix::Identity } else { Matrix::Bt709 };
        for size in [(1, 1), (61, 33), (515, 6)] {
            let picture = noise(layout, size, colorimetry(matrix, Range::Limited), 2, seed as u64);
            adjuster.check(&format!("{name} {size:?}"), &picture, &blurred(13, 1));
        }
    }
}
