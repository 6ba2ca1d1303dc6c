//! The bins that are drawn, where they are not one for each code: made of the counted ones, with scales of their own.

use super::Gpu;
use super::bins::{ScalePass, scale_buffer};
use super::resources::storage;
use super::shaders::{self, groups};
use crate::view::binning::Binning;
use histoscope_core::histogram::{BIN_COUNTS, CHANNELS};

/// Invocations of a workgroup of shaders/regroup.wgsl.
const WORKGROUP: u32 = 64;
/// Words behind the bins: for each channel the samples of the lowest and of the highest code.
const TAIL: usize = 2 * CHANNELS;

/// Regroups the bins of all channels, and finds how high they are drawn.
#[derive(Debug)]
pub struct RegroupPass {
    regroup: shaders::Module,
    scale: ScalePass,
    bins: wgpu::Buffer,
    scales: wgpu::Buffer,
    scale_group: wgpu::BindGroup,
    made: Option<RegroupBindings>,
}

/// The resources for bins of one buffer.
#[derive(Debug)]
struct RegroupBindings {
    counted: wgpu::Buffer,
    binning: Binning,
    group: wgpu::BindGroup,
    regroup: wgpu::ComputePipeline,
}

impl RegroupPass {
    /// Makes the pass with room for as many bins as there may be.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        let device = &gpu.device;
        let bins = storage(device, "regrouped bins", CHANNELS * *BIN_COUNTS.end() as usize + TAIL);
        let scales = scale_buffer(gpu, "regrouped scales");
        let scale_group = groups::SCALES.bind(device, &[&bins, &scales]);
        let (regroup, scale) = (shaders::REGROUP.module(device), ScalePass::new(gpu));
        Self { regroup, scale, bins, scales, scale_group, made: None }
    }

    /// Sets the pass up for these counted bins; cheap where nothing changed.
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

    /// Dispatches it in a compute pass of the caller's.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>) {
        let Some(made) = &self.made else { return };
        pass.set_pipeline(&made.regroup);
        pass.set_bind_group(0, &made.group, &[]);
        pass.dispatch_workgroups(made.binning.count().div_ceil(WORKGROUP), 1, 1);
        self.scale.dispatch(pass, &self.scale_group, made.binning.count());
    }

    /// The bins and scales that it makes.
    #[must_use]
    pub fn made(&self) -> (wgpu::Buffer, wgpu::Buffer) {
        (self.bins.clone(), self.scales.clone())
    }
}
