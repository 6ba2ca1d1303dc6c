//! The product's own passes and the floor beneath them, measured on native planes.

use super::Error;
use super::inputs::Inputs;
use super::measure::{Budget, Record, Spans, Times, on_gpu, spans_on_gpu};
use crate::gpu::Gpu;
use crate::gpu::histogram::{HistogramPasses, Stamps};
use crate::gpu::resources::{bind, compute, group_layout, pipeline_layout, storage};
use crate::gpu::upload::PictureBuffers;

const FLOOR_WGSL: &str = include_str!("../../shaders/bench/floor.wgsl");

/// Chunk, reduce and scale in one compute pass, between one timestamp and another: what a frame costs.
///
/// # Errors
/// [`Error::Gpu`] if the device fails.
pub fn total(gpu: &Gpu, budget: &Budget, passes: &HistogramPasses, inputs: &Inputs) -> Result<Times, Error> {
    let mut record = |encoder: &mut wgpu::CommandEncoder, repeat: usize, spans: Option<Spans<'_>>| {
        let Some(group) = inputs.group(repeat) else { return };
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("histogram"),
            timestamp_writes: spans.map(Spans::whole),
        });
        passes.dispatch(&mut pass, group);
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
        let stamps = spans.map(|spans| Stamps { set: spans.timestamps.set(), first: 2 * spans.first });
        passes.record(encoder, group, stamps);
    };
    spans_on_gpu(gpu, budget, Stamps::COUNT / 2, &mut record)
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
    pub fn new(gpu: &Gpu, picture: &PictureBuffers, planes: usize, workgroup: u32, workgroups: u32) -> Self {
        let device = &gpu.device;
        let folded = storage(device, "floor", 4);
        let writes = (wgpu::ShaderStages::COMPUTE, wgpu::BufferBindingType::Storage { read_only: false });
        let group_layout = group_layout(device, "floor", &[writes]);
        let layout = pipeline_layout(device, "floor", &[&picture.bind_group_layout, &group_layout]);
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("floor"),
            source: wgpu::ShaderSource::Wgsl(FLOOR_WGSL.into()),
        });
        let constants = [("WORKGROUP", f64::from(workgroup)), ("PLANES", planes as f64)];
        let pipeline = compute(device, "floor", Some(&layout), &module, "read_planes", &constants);
        let group = bind(device, "floor", &group_layout, &[&folded]);
        Self { pipeline, group, workgroups }
    }

    /// Measures it.
    ///
    /// # Errors
    /// [`Error::Gpu`] if the device fails.
    pub fn measure(&self, gpu: &Gpu, budget: &Budget, inputs: &Inputs) -> Result<Times, Error> {
        let mut record = |encoder: &mut wgpu::CommandEncoder, repeat: usize, spans: Option<Spans<'_>>| {
            let Some(picture) = inputs.group(repeat) else { return };
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some("floor"),
                timestamp_writes: spans.map(Spans::whole),
            });
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, picture, &[]);
            pass.set_bind_group(1, &self.group, &[]);
            pass.dispatch_workgroups(self.workgroups, 1, 1);
        };
        on_gpu(gpu, budget, &mut record as &mut Record<'_>)
    }
}
