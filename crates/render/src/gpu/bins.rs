//! Bins in buffers: the scales they are drawn to, their sums, and the upload of bins that the CPU counted.

use bytemuck::{Pod, Zeroable};
use std::collections::HashMap;

use histoscope_core::histogram::{CHANNELS, Cumulative, Histogram};

use super::Gpu;
use super::resources::storage;
use super::scan::{BufferWords, ScanJob, ScanPass};
use super::shaders::{self, groups};
use super::timing::{Spans, compute_pass};

/// `Scale` of shaders/scale.wgsl and shaders/columns.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct ChannelScale {
    /// Height of a bar per count, as a fraction of the overlay's height; 0 if nothing was counted.
    pub height: f32,
    /// Count of the tallest bin.
    pub tallest: u32,
    /// Samples counted.
    pub samples: u32,
    /// Padding to 16 bytes.
    pub padding: u32,
}

const _: () = assert!(size_of::<ChannelScale>() == 16);

/// Bins, and the scales they are drawn to.
#[derive(Debug, Clone, Copy)]
pub struct Bars<'a> {
    /// The bins, laid out as [`Histogram::words`].
    pub bins: &'a wgpu::Buffer,
    /// One [`ChannelScale`] for each channel.
    pub scales: &'a wgpu::Buffer,
}

/// Computes the scales of bins. Its pipelines are kept for each number of bins.
#[derive(Debug)]
pub(super) struct ScalePass {
    shader: shaders::Module,
    pipelines: HashMap<u32, wgpu::ComputePipeline>,
}

impl ScalePass {
    pub fn new(gpu: &Gpu) -> Self {
        Self { shader: shaders::SCALE.module(&gpu.device), pipelines: HashMap::new() }
    }

    /// Prepares the pass for this number of bins per channel.
    pub fn prepare(&mut self, gpu: &Gpu, bins: u32) {
        let shader = &self.shader;
        let pipeline = || shader.compute(&gpu.device, "scale", &[("BINS", f64::from(bins))]);
        self.pipelines.entry(bins).or_insert_with(pipeline);
    }

    /// Dispatches the pass, which must have been prepared for this number of bins, on the bins and scales that `group`
    /// binds.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, group: &wgpu::BindGroup, bins: u32) {
        let Some(pipeline) = self.pipelines.get(&bins) else { return };
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, group, &[]);
        pass.dispatch_workgroups(CHANNELS as u32, 1, 1);
    }
}

/// Creates a buffer for the scales of all channels.
pub(super) fn scale_buffer(gpu: &Gpu, label: &str) -> wgpu::Buffer {
    storage(&gpu.device, label, CHANNELS * size_of::<ChannelScale>() / 4)
}

/// Bins from the CPU, uploaded to the adapter's memory.
#[derive(Debug)]
pub struct UploadedBins {
    bins: wgpu::Buffer,
    scales: wgpu::Buffer,
    group: wgpu::BindGroup,
    scale: ScalePass,
}

impl UploadedBins {
    /// Creates buffers with room for bins of every depth.
    #[must_use]
    pub fn new(gpu: &Gpu, label: &str) -> Self {
        let bins = storage(&gpu.device, label, Histogram::word_count(12));
        let scales = scale_buffer(gpu, label);
        let group = groups::SCALES.bind(&gpu.device, &[&bins, &scales]);
        Self { bins, scales, group, scale: ScalePass::new(gpu) }
    }

    /// Writes bins for the next submission, and records computing their scales.
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

    /// Returns the bins and their scales.
    #[must_use]
    pub const fn bars(&self) -> Bars<'_> {
        Bars { bins: &self.bins, scales: &self.scales }
    }
}

/// Computes cumulative histograms: the prefix sums of the bins of the last dispatch. Curves are drawn from them, and
/// they are read back as figures.
#[derive(Debug)]
pub struct CumulativePass {
    pass: ScanPass,
    /// Sums across all channels: readers subtract the total of the preceding channels. There are
    /// [`Cumulative::scan_words`] of them.
    pub sums: wgpu::Buffer,
    /// The bin buffer of the job, and the bits per code.
    made: Option<(wgpu::Buffer, u32, ScanJob)>,
}

impl CumulativePass {
    /// Creates the pass with room for every depth.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        let sums = storage(&gpu.device, "cumulative bins", Cumulative::scan_words(12));
        Self { pass: ScanPass::new(gpu), sums, made: None }
    }

    /// Dispatches the scan of these bins, of `bits` bits, in the caller's compute pass.
    pub fn dispatch(&mut self, gpu: &Gpu, pass: &mut wgpu::ComputePass<'_>, bins: &wgpu::Buffer, bits: u32) {
        let made = self.made.take().filter(|(made, made_bits, _)| (made, *made_bits) == (bins, bits));
        let (_, _, job) = self.made.insert(made.unwrap_or_else(|| {
            let (from, to) = (BufferWords { buffer: bins, offset: 0 }, BufferWords { buffer: &self.sums, offset: 0 });
            // One word more than there are bins: the last word receives the sum of all bins.
            let job = self.pass.job(gpu, from, to, Cumulative::scan_words(bits) as u32);
            (bins.clone(), bits, job)
        }));
        job.dispatch(pass);
    }
}
