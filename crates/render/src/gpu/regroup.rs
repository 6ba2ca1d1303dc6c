//! Regroups counted bins for drawing with a different number of bins, with scales of their own.

use super::Gpu;
use super::bins::{ScalePass, scale_buffer};
use super::resources::storage;
use super::shaders::{self, groups};
use crate::view::binning::Binning;
use histoscope_core::histogram::{BIN_COUNTS, CHANNELS};

/// Invocations per workgroup of shaders/regroup.wgsl.
const WORKGROUP: u32 = 64;
/// Words after the bins: for each channel, the samples of the lowest and of the highest code.
const TAIL: usize = 2 * CHANNELS;

/// Regroups the bins of all channels and computes their scales.
#[derive(Debug)]
pub struct RegroupPass {
    regroup: shaders::Module,
    scale: ScalePass,
    bins: wgpu::Buffer,
    scales: wgpu::Buffer,
    scale_group: wgpu::BindGroup,
    made: Option<RegroupBindings>,
}

/// The resources for the bins in one buffer.
#[derive(Debug)]
struct RegroupBindings {
    counted: wgpu::Buffer,
    binning: Binning,
    group: wgpu::BindGroup,
    regroup: wgpu::ComputePipeline,
}

impl RegroupPass {
    /// Creates the pass with room for the most bins that a binning can have.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        let device = &gpu.device;
        let bins = storage(device, "regrouped bins", CHANNELS * *BIN_COUNTS.end() as usize + TAIL);
        let scales = scale_buffer(gpu, "regrouped scales");
        let scale_group = groups::SCALES.bind(device, &[&bins, &scales]);
        let (regroup, scale) = (shaders::REGROUP.module(device), ScalePass::new(gpu));
        Self { regroup, scale, bins, scales, scale_group, made: None }
    }

    /// Prepares the pass for these counted bins; cheap if nothing has changed.
    pub fn prepare(&mut self, gpu: &Gpu, counted: &wgpu::Buffer, binning: Binning) {
        if self.made.as_ref().is_some_and(|made| made.binning == binning && made.counted == *counted) {
            return;
        }
        let (device, bins) = (&gpu.device, f64::from(binning.count()));
        let constants = [("BITS", f64::from(binning.bits())), ("BINS", bins), ("FOLLOWING", 1.0)];
        self.scale.prepare(gpu, binning.count());
        self.made = Some(RegroupBindings {
            counted: counted.clone(),
            binning,
            group: groups::REGROUP.bind(device, &[counted, &self.bins]),
            regroup: self.regroup.compute(device, "regroup", &constants),
        });
    }

    /// Dispatches the pass in the caller's compute pass.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>) {
        let Some(made) = &self.made else { return };
        pass.set_pipeline(&made.regroup);
        pass.set_bind_group(0, &made.group, &[]);
        pass.dispatch_workgroups(made.binning.count().div_ceil(WORKGROUP), 1, 1);
        self.scale.dispatch(pass, &self.scale_group, made.binning.count());
    }

    /// Returns the regrouped bins and their scales.
    #[must_use]
    pub fn made(&self) -> (wgpu::Buffer, wgpu::Buffer) {
        (self.bins.clone(), self.scales.clone())
    }
}
