//! Computes curves from bins: equalization, and levels of equal population.

use bytemuck::{Pod, Zeroable};
use std::collections::HashMap;

use crate::gpu::Gpu;
use crate::gpu::resources::{Dispatch, storage, uniform};
use crate::gpu::scan::{BufferWords, ScanJob, ScanPass, block_constants};
use crate::gpu::shaders::{self, groups};
use histoscope_core::adjust::equalize;

/// `Curve` of shaders/adjust/curves.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct CurveParams {
    /// Fraction of the distance to its target that a smoothed curve moves, in units of 2^-16.
    pub weight: u32,
    /// Channel of the first curve.
    pub first_channel: u32,
    /// Number of levels, for curves with levels of equal population.
    pub levels: u32,
    /// Padding to 16 bytes.
    pub padding: u32,
}

const _: () = assert!(size_of::<CurveParams>() == 16);

/// Words of three channels' curves at 12 bits.
const MAX_WORDS: usize = 3 << 12;
/// Words of four channels' bins at 12 bits.
const MAX_BINS: usize = 4 << 12;

/// The kind of curve to compute from a histogram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum CurveKind {
    /// Equalization, smoothed in time.
    Equalize,
    /// Levels of equal population.
    Populate(u32),
}

/// The pass, and the prefix sum that it uses.
#[derive(Debug)]
pub(super) struct CurvePass {
    scan: ScanPass,
    shader: shaders::Module,
    most_invocations: u32,
    pipelines: HashMap<(bool, u32), wgpu::ComputePipeline>,
    cumulative: wgpu::Buffer,
    smoothed: wgpu::Buffer,
    /// The curves in codes. Each adjustment uses its curves before those of the next one are computed.
    pub(super) mapped: wgpu::Buffer,
}

/// A curve that is ready to be computed.
#[derive(Debug)]
pub(super) struct CurveJob {
    /// The scan, if there are more bins than the curve's own dispatch can scan.
    scan: Option<ScanJob>,
    dispatch: Dispatch,
    params: wgpu::Buffer,
    values: CurveParams,
}

impl CurvePass {
    pub(super) fn new(gpu: &Gpu) -> Self {
        let device = &gpu.device;
        Self {
            scan: ScanPass::new(gpu),
            shader: shaders::CURVES.module(device),
            most_invocations: gpu.device.limits().max_compute_invocations_per_workgroup,
            pipelines: HashMap::new(),
            cumulative: storage(device, "cumulative bins", MAX_BINS),
            smoothed: storage(device, "smoothed curves", MAX_WORDS),
            mapped: storage(device, "curves", MAX_WORDS),
        }
    }

    /// Prepares the scan of `count` channels of the bins, starting at `first`, to the same positions of the returned
    /// buffer.
    pub(super) fn scan(
        &self,
        gpu: &Gpu,
        bins: &wgpu::Buffer,
        (first, count): (u32, u32),
        bits: u32,
    ) -> (ScanJob, &wgpu::Buffer) {
        let offset = first << bits;
        let (from, to) = (BufferWords { buffer: bins, offset }, BufferWords { buffer: &self.cumulative, offset });
        (self.scan.job(gpu, from, to, count << bits), &self.cumulative)
    }

    /// Prepares the curves of `count` channels, starting at `first`.
    pub(super) fn job(
        &mut self,
        gpu: &Gpu,
        bins: &wgpu::Buffer,
        (first, count): (u32, u32),
        bits: u32,
        kind: CurveKind,
    ) -> CurveJob {
        let device = &gpu.device;
        let (entry_point, levels) = match kind {
            CurveKind::Equalize => ("equalize", 0),
            CurveKind::Populate(levels) => ("populate", levels),
        };
        let values = CurveParams { weight: equalize::FULL_WEIGHT, first_channel: first, levels, padding: 0 };
        let params = uniform(gpu, "curve", &values);
        // A block is scanned by half as many invocations as it has words.
        let scans = (1 << bits) / 2 <= self.most_invocations;
        let workgroup = match (scans, self.most_invocations) {
            (true, _) => (1 << bits) / 2,
            (false, 1024..) => 1024,
            (false, _) => 256,
        };
        let shader = &self.shader;
        let pipeline = self.pipelines.entry((kind == CurveKind::Equalize, bits)).or_insert_with(|| {
            let mut constants = block_constants(workgroup, true).to_vec();
            constants.extend([("BITS", f64::from(bits)), ("SCANNING", f64::from(u8::from(scans)))]);
            shader.compute(device, entry_point, &constants)
        });
        let pipeline = pipeline.clone();
        let scan = (!scans).then(|| self.scan(gpu, bins, (first, count), bits).0);
        let cumulative = &self.cumulative;
        let group = groups::CURVES.bind(device, &[&params, bins, cumulative, &self.smoothed, &self.mapped]);
        CurveJob { scan, dispatch: Dispatch { pipeline, group, workgroups: (count, 1) }, params, values }
    }
}

impl CurveJob {
    /// Sets how far the smoothed curve moves towards its target in the next run.
    pub(super) fn set_weight(&self, gpu: &Gpu, weight: u32) {
        let params = CurveParams { weight, ..self.values };
        gpu.queue.write_buffer(&self.params, 0, bytemuck::bytes_of(&params));
    }

    pub(super) fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.scan.iter().for_each(|scan| scan.dispatch(pass));
        self.dispatch.run(pass, None);
    }
}
