//! Bins that lie in a buffer already: the scales by which they are drawn, and the way there for those that the CPU has.

use std::collections::HashMap;

use histoscope_core::histogram::{CHANNELS, Histogram};

use super::Gpu;
use super::params::ChannelScale;
use super::resources::storage;
use super::shaders::{self, groups};
use super::timing::{Spans, compute_pass};

/// Bins, and the scales by which they are drawn.
#[derive(Debug, Clone, Copy)]
pub struct Bars<'a> {
    /// The bins, laid out as [`Histogram::words`].
    pub bins: &'a wgpu::Buffer,
    /// One [`ChannelScale`] for each channel.
    pub scales: &'a wgpu::Buffer,
}

/// Finds the scales of bins. Its pipelines are kept for each number of bins.
#[derive(Debug)]
pub(super) struct ScalePass {
    shader: shaders::Module,
    pipelines: HashMap<u32, wgpu::ComputePipeline>,
}

impl ScalePass {
    pub fn new(gpu: &Gpu) -> Self {
        Self { shader: shaders::SCALE.module(&gpu.device), pipelines: HashMap::new() }
    }

    /// Sets the pass up for so many bins a channel.
    pub fn prepare(&mut self, gpu: &Gpu, bins: u32) {
        let shader = &self.shader;
        let pipeline = || shader.compute(&gpu.device, "scale", &[("BINS", f64::from(bins))]);
        self.pipelines.entry(bins).or_insert_with(pipeline);
    }

    /// Dispatches it, once it is set up for so many bins, with the bins and scales that `group` binds.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, group: &wgpu::BindGroup, bins: u32) {
        let Some(pipeline) = self.pipelines.get(&bins) else { return };
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, group, &[]);
        pass.dispatch_workgroups(CHANNELS as u32, 1, 1);
    }
}

/// Makes a buffer for the scales of all channels.
pub(super) fn scale_buffer(gpu: &Gpu, label: &str) -> wgpu::Buffer {
    storage(&gpu.device, label, CHANNELS * size_of::<ChannelScale>() / 4)
}

/// Bins that the CPU has, in the adapter's memory.
#[derive(Debug)]
pub struct UploadedBins {
    bins: wgpu::Buffer,
    scales: wgpu::Buffer,
    group: wgpu::BindGroup,
    scale: ScalePass,
}

impl UploadedBins {
    /// Makes room for bins of every depth.
    #[must_use]
    pub fn new(gpu: &Gpu, label: &str) -> Self {
        let bins = storage(&gpu.device, label, Histogram::word_count(12));
        let scales = scale_buffer(gpu, label);
        let group = groups::SCALES.bind(&gpu.device, &[&bins, &scales]);
        Self { bins, scales, group, scale: ScalePass::new(gpu) }
    }

    /// Writes bins, for what is submitted next, and records the finding of their scales.
    pub fn record(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        histogram: &Histogram,
        spans: Option<Spans<'_>>,
    ) {
        let bins = 1 << histogram.bits;
        self.scale.prepare(gpu, bins);
        gpu.queue.write_buffer(&self.bins, 0, bytemuck::cast_slice(&histogram.words));
        compute_pass(encoder, "scale", spans, |pass| self.scale.dispatch(pass, &self.group, bins));
    }

    /// The bins and their scales.
    #[must_use]
    pub const fn bars(&self) -> Bars<'_> {
        Bars { bins: &self.bins, scales: &self.scales }
    }
}
