//! The product's own passes and the floor beneath them, measured on native planes.

use super::error::Error;
use super::inputs::Inputs;
use super::measure::{Budget, Record, Times, on_gpu, spans_on_gpu};
use crate::gpu::Gpu;
use crate::gpu::histogram::HistogramPasses;
use crate::gpu::resources::storage;
use crate::gpu::shaders::{self, groups};
use crate::gpu::timing::{Spans, compute_pass};
use crate::histogram::{Components, Histogram};

/// The bins of a picture.
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

/// Chunk, reduce and scale in one compute pass, between one timestamp and another: what a frame costs.
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

/// Chunk, reduce and scale, each by itself. Their sum is more than the total, since a timestamp waits for the pass before.
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

/// The pass that reads the planes and does nothing.
#[derive(Debug)]
pub struct Floor {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    workgroups: u32,
}

impl Floor {
    /// Makes the pass for pictures of `planes` planes, with so many invocations in each of so many workgroups.
    #[must_use]
    pub fn new(gpu: &Gpu, planes: usize, workgroup: u32, workgroups: u32) -> Self {
        let constants = [("WORKGROUP", f64::from(workgroup)), ("PLANES", planes as f64)];
        let pipeline = shaders::FLOOR.module(&gpu.device).compute(&gpu.device, "read_planes", &constants);
        let group = groups::FLOOR.bind(&gpu.device, &[&storage(&gpu.device, "floor", 4)]);
        Self { pipeline, group, workgroups }
    }

    /// Measures it.
    ///
    /// # Errors
    /// [`Error::Gpu`] if the device fails.
    pub fn measure(&self, gpu: &Gpu, budget: &Budget, inputs: &Inputs) -> Result<Times, Error> {
        let mut record = |encoder: &mut wgpu::CommandEncoder, repeat: usize, spans: Option<Spans<'_>>| {
            let Some(picture) = inputs.group(repeat) else { return };
            compute_pass(encoder, "floor", spans, |pass| {
                pass.set_pipeline(&self.pipeline);
                pass.set_bind_group(0, picture, &[]);
                pass.set_bind_group(1, &self.group, &[]);
                pass.dispatch_workgroups(self.workgroups, 1, 1);
            });
        };
        on_gpu(gpu, budget, &mut record as &mut Record<'_>)
    }
}
