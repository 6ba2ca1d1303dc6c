//! Measurements of the product's own passes, and of the floor, on native planes.

use super::error::Error;
use super::inputs::Inputs;
use super::measure::{Budget, Times, on_gpu, spans_on_gpu};
use crate::Floor;
use histoscope_core::histogram::{Components, Histogram};
use histoscope_render::gpu::Gpu;
use histoscope_render::gpu::histogram::HistogramPasses;
use histoscope_render::gpu::timing::{Spans, compute_pass};

/// Returns the bins of a picture.
///
/// # Errors
/// [`Error::Gpu`] if the device fails.
pub fn count(gpu: &Gpu, passes: &HistogramPasses, inputs: &Inputs, index: usize) -> Result<Histogram, Error> {
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("check") });
    if let Some(group) = inputs.group(index) {
        passes.record(&mut encoder, group, None);
    }
    gpu.queue.submit([encoder.finish()]);
    let bits = inputs.picture(index).layout().bin_bits();
    Ok(passes.read(gpu, bits, Components::Rgbl)?)
}

/// Measures chunk, reduce and scale in one compute pass between two timestamps: the cost of a frame.
///
/// # Errors
/// [`Error::Gpu`] if the device fails.
pub fn total(gpu: &Gpu, budget: &Budget, passes: &HistogramPasses, inputs: &Inputs) -> Result<Times, Error> {
    let mut record = |encoder: &mut wgpu::CommandEncoder, repeat: usize, spans: Option<Spans<'_>>| {
        let Some(group) = inputs.group(repeat) else { return };
        compute_pass(encoder, "histogram", spans, |pass| passes.dispatch(pass, group));
    };
    on_gpu(gpu, budget, &mut record)
}

/// Measures chunk, reduce and scale separately. Their sum exceeds the total, since each timestamp waits for the pass
/// before.
///
/// # Errors
/// [`Error::Gpu`] if the device fails.
pub fn each_pass(
    gpu: &Gpu,
    budget: &Budget,
    passes: &HistogramPasses,
    inputs: &Inputs,
) -> Result<Option<Vec<Times>>, Error> {
    let mut record = |encoder: &mut wgpu::CommandEncoder, repeat: usize, spans: Option<Spans<'_>>| {
        let Some(group) = inputs.group(repeat) else { return };
        passes.record(encoder, group, spans);
    };
    spans_on_gpu(gpu, budget, HistogramPasses::NAMES.len() as u32, &mut record)
}

/// Measures the pass that reads the planes and does nothing else.
///
/// # Errors
/// [`Error::Gpu`] if the device fails.
pub fn floor(gpu: &Gpu, budget: &Budget, floor: &Floor, inputs: &Inputs) -> Result<Times, Error> {
    let mut record = |encoder: &mut wgpu::CommandEncoder, repeat: usize, spans: Option<Spans<'_>>| {
        let Some(picture) = inputs.group(repeat) else { return };
        compute_pass(encoder, "floor", spans, |pass| floor.dispatch(pass, picture));
    };
    on_gpu(gpu, budget, &mut record)
}
