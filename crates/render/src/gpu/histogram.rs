//! Counts histograms in three compute passes, chunk, reduce and scale. The results are the bin buffer and the scale
//! buffer.

pub mod plan;

use bytemuck::{Pod, Zeroable};
use std::collections::HashMap;

use plan::{ChannelRun, Plan};

use super::bins::{Bars, ChannelScale, ScalePass};
use super::params::{InputPicture, RegionParams};
use super::readback::read_buffer;
use super::shaders::{self, groups};
use super::timing::{Spans, compute_pass};
use super::{Gpu, GpuError};
use histoscope_core::histogram::{CHANNELS, Components, Histogram};
use histoscope_core::picture::region::Rect;

/// `Reduction` of shaders/reduce.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct ReductionParams {
    /// Chunks to sum.
    pub chunk_count: u32,
    /// Words per chunk, all of which are summed.
    pub chunk_words: u32,
    /// n: a channel has 2^n bins.
    pub bits: u32,
    /// Padding to 16 bytes.
    pub padding: u32,
}

const _: () = assert!(size_of::<ReductionParams>() == 16);

/// Words that one workgroup of the reduce pass sums, as in shaders/reduce.wgsl.
const REDUCE_WORDS: u32 = 32;

/// The passes and their buffers. One bin buffer and one scale buffer serve every depth.
#[derive(Debug)]
pub struct HistogramPasses {
    /// `CHANNELS` × 2^n bins and the tail, as [`Histogram::words`].
    pub bins: wgpu::Buffer,
    /// One [`ChannelScale`] per channel.
    pub scales: wgpu::Buffer,
    chunks: wgpu::Buffer,
    reduction: wgpu::Buffer,
    region: wgpu::Buffer,
    region_group: wgpu::BindGroup,
    chunk: shaders::Module,
    /// Chunks and scales, for every pass that writes chunks.
    pub(super) chunk_group: wgpu::BindGroup,
    chunk_pipelines: HashMap<ChunkKey, Vec<wgpu::ComputePipeline>>,
    reduce: wgpu::ComputePipeline,
    /// Like `reduce`, but also computes the scales.
    reduce_and_scale: wgpu::ComputePipeline,
    reduce_group: wgpu::BindGroup,
    scale: ScalePass,
    scale_group: wgpu::BindGroup,
    state: Option<PreparedBins>,
}

/// The state that the passes are prepared for.
#[derive(Debug, Clone, PartialEq)]
struct PreparedBins {
    /// The picture that the chunk pass reads; `None` if another pass writes the chunks.
    reads: Option<Reads>,
    /// The rectangle to count, if not the whole picture.
    region: Option<Rect>,
    plan: Plan,
}

/// The properties of a picture that the chunk pass depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Reads {
    picture: InputPicture,
    components: Components,
    /// `true` if only a rectangle is counted.
    regional: bool,
}

/// The key of the chunk pass's pipelines: everything except the number of chunks, which only affects the dispatch.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ChunkKey {
    reads: Reads,
    workgroup: u32,
    copies: u32,
    runs: Vec<ChannelRun>,
}

impl PreparedBins {
    fn chunk_key(&self) -> Option<ChunkKey> {
        let Plan { workgroup, copies, ref runs, .. } = self.plan;
        self.reads.map(|reads| ChunkKey { reads, workgroup, copies, runs: runs.clone() })
    }
}

impl HistogramPasses {
    /// Names of the passes, each of which has a span of timestamps.
    pub const NAMES: [&str; 3] = ["chunk", "reduce", "scale"];

    /// Creates the buffers, and the passes that do not depend on a layout.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        let device = &gpu.device;
        let storage = wgpu::BufferUsages::STORAGE;
        let buffer = |label, size: usize, usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: size as u64,
                usage,
                mapped_at_creation: false,
            })
        };
        let copies = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let bins = buffer("bins", Histogram::word_count(12) * 4, storage | copies);
        let scales = buffer("scales", CHANNELS * size_of::<ChannelScale>(), storage | copies);
        let chunks = buffer("chunks", plan::MAX_CHUNK_BYTES, storage);
        let uniform = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let reduction = buffer("reduction", size_of::<ReductionParams>(), uniform);
        let region = buffer("region", size_of::<RegionParams>(), uniform);

        let reduce = shaders::REDUCE.module(device);
        let parts = plan::reduce_parts(&device.limits());
        let reduce = |scaling: bool| {
            let constants = [
                ("PARTS", f64::from(parts)),
                ("PART_WORDS", f64::from(parts * REDUCE_WORDS)),
                ("SCALING", f64::from(u8::from(scaling))),
            ];
            reduce.compute(device, "reduce", &constants)
        };
        Self {
            chunk: shaders::CHUNK.module(device),
            chunk_group: groups::CHUNKS.bind(device, &[&chunks, &scales]),
            chunk_pipelines: HashMap::new(),
            reduce: reduce(false),
            reduce_and_scale: reduce(true),
            reduce_group: groups::SUMS.bind(device, &[&reduction, &chunks, &bins, &scales]),
            scale: ScalePass::new(gpu),
            scale_group: groups::SCALES.bind(device, &[&bins, &scales]),
            bins,
            scales,
            chunks,
            reduction,
            region_group: groups::REGION.bind(device, &[&region]),
            region,
            state: None,
        }
    }

    /// Returns the bytes reserved for the chunks, independent of the picture's size.
    #[must_use]
    pub fn chunk_bytes(&self) -> u64 {
        self.chunks.size()
    }

    /// Prepares the passes for a picture like this one; cheap if nothing has changed.
    ///
    /// # Errors
    /// [`GpuError::TooDeep`] if the adapter's workgroup memory cannot hold the bins of one channel.
    pub fn prepare(
        &mut self,
        gpu: &Gpu,
        picture: impl Into<InputPicture>,
        components: Components,
    ) -> Result<(), GpuError> {
        self.prepare_region(gpu, picture, None, components)
    }

    /// Like [`prepare`](Self::prepare), but counts only a rectangle, which must lie in the picture.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn prepare_region(
        &mut self,
        gpu: &Gpu,
        picture: impl Into<InputPicture>,
        region: Option<Rect>,
        components: Components,
    ) -> Result<(), GpuError> {
        let picture = picture.into();
        let plan = Plan::of(gpu, picture.layout.bin_bits(), picture.pixel_count())?;
        self.prepare_reading(gpu, picture, region, components, plan);
        Ok(())
    }

    /// Like [`prepare`](Self::prepare), with the caller's plan, to compare plans or to count only some of the channels.
    /// Chunks that do not fit in the chunk buffer are dropped from the plan. A plan that needs more workgroup memory or
    /// invocations than the adapter has causes a validation error, which [`Gpu::check`] returns.
    pub fn prepare_with_plan(
        &mut self,
        gpu: &Gpu,
        picture: impl Into<InputPicture>,
        components: Components,
        plan: Plan,
    ) {
        self.prepare_reading(gpu, picture.into(), None, components, plan);
    }

    fn prepare_reading(
        &mut self,
        gpu: &Gpu,
        picture: InputPicture,
        region: Option<Rect>,
        components: Components,
        mut plan: Plan,
    ) {
        let region = region.and_then(|rect| rect.proper(picture.size.0, picture.size.1));
        plan.chunks = plan.chunks.clamp(1, plan::most_chunks(plan.bits));
        let reads = Reads { picture: picture.of_any_size(), components, regional: region.is_some() };
        self.set(gpu, PreparedBins { reads: Some(reads), region, plan });
    }

    /// Prepares the passes for chunks that another pass writes according to this plan.
    pub fn prepare_written(&mut self, gpu: &Gpu, plan: Plan) {
        self.set(gpu, PreparedBins { reads: None, region: None, plan });
    }

    fn set(&mut self, gpu: &Gpu, state: PreparedBins) {
        if self.state.as_ref() == Some(&state) {
            return;
        }
        let params = ReductionParams {
            chunk_count: state.plan.chunks,
            chunk_words: Histogram::word_count(state.plan.bits) as u32,
            bits: state.plan.bits,
            padding: 0,
        };
        gpu.queue.write_buffer(&self.reduction, 0, bytemuck::bytes_of(&params));
        let region = state.region.map(RegionParams::from).unwrap_or_default();
        gpu.queue.write_buffer(&self.region, 0, bytemuck::bytes_of(&region));
        if let Some(key) = state.chunk_key() {
            let module = &self.chunk;
            self.chunk_pipelines.entry(key).or_insert_with_key(|key| {
                let constants = |run| chunk_constants(key, state.plan.bits, run);
                key.runs.iter().map(|run| module.compute(&gpu.device, "chunk", &constants(run))).collect()
            });
        }
        self.scale.prepare(gpu, 1 << state.plan.bits);
        self.state = Some(state);
    }

    /// Returns the plan that was prepared last.
    #[must_use]
    pub fn plan(&self) -> Option<&Plan> {
        self.state.as_ref().map(|state| &state.plan)
    }

    /// Returns the bins and their scales.
    #[must_use]
    pub const fn bars(&self) -> Bars<'_> {
        Bars { bins: &self.bins, scales: &self.scales }
    }

    /// Records the three passes for the prepared and uploaded picture. If there are `spans`, each pass runs and is
    /// timed separately; otherwise they run together as in [`dispatch`](Self::dispatch).
    pub fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        picture_group: &wgpu::BindGroup,
        spans: Option<Spans<'_>>,
    ) {
        let Some(state) = &self.state else { return };
        if spans.is_none() {
            compute_pass(encoder, "histogram", None, |pass| self.dispatch(pass, picture_group));
            return;
        }
        compute_pass(encoder, "chunk", spans, |pass| self.dispatch_chunk(pass, state, picture_group));
        self.record_sums(encoder, spans.map(Spans::next));
    }

    /// Records reduce and scale for chunks that another pass has written, as prepared by
    /// [`prepare_written`](Self::prepare_written). If there are `spans`, each pass runs and is timed separately.
    pub fn record_sums(&self, encoder: &mut wgpu::CommandEncoder, spans: Option<Spans<'_>>) {
        let Some(state) = &self.state else { return };
        if spans.is_none() {
            compute_pass(encoder, "sums", None, |pass| self.dispatch_sums(pass));
            return;
        }
        compute_pass(encoder, "reduce", spans, |pass| self.dispatch_reduce(pass, state, &self.reduce));
        let spans = spans.map(Spans::next);
        compute_pass(encoder, "scale", spans, |pass| self.dispatch_scale(pass, state.plan.bits));
    }

    /// Dispatches chunk, reduce and scale in the caller's compute pass, for the prepared and uploaded picture. Reduce
    /// and scale share a dispatch because a GPU idles between two dispatches, on an NVIDIA H200 for as long as the
    /// scale pass itself takes.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, picture_group: &wgpu::BindGroup) {
        let Some(state) = &self.state else { return };
        self.dispatch_chunk(pass, state, picture_group);
        self.dispatch_sums(pass);
    }

    /// Dispatches only reduce and scale, for chunks that another pass has written.
    pub fn dispatch_sums(&self, pass: &mut wgpu::ComputePass<'_>) {
        let Some(state) = &self.state else { return };
        self.dispatch_reduce(pass, state, &self.reduce_and_scale);
    }

    /// Writes bins that another engine counted to the bin buffer and records the scale pass. Drawing then works as for
    /// bins counted here.
    pub fn record_counted(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        histogram: &Histogram,
        spans: Option<Spans<'_>>,
    ) {
        self.scale.prepare(gpu, 1 << histogram.bits);
        gpu.queue.write_buffer(&self.bins, 0, bytemuck::cast_slice(&histogram.words));
        compute_pass(encoder, "scale", spans, |pass| self.dispatch_scale(pass, histogram.bits));
    }

    /// Reads the bins of the last counted picture. Blocks until they are available.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device fails.
    pub fn read(&self, gpu: &Gpu, bits: u32, components: Components) -> Result<Histogram, GpuError> {
        let bytes = read_buffer(gpu, &self.bins, Histogram::word_count(bits) as u64 * 4)?;
        Ok(Histogram { bits, components, words: bytemuck::pod_collect_to_vec(&bytes) })
    }

    /// Reads the scales of the last counted picture. Blocks until they are available.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device fails.
    pub fn read_scales(&self, gpu: &Gpu) -> Result<Vec<ChannelScale>, GpuError> {
        Ok(bytemuck::pod_collect_to_vec(&read_buffer(gpu, &self.scales, self.scales.size())?))
    }

    fn dispatch_chunk(&self, pass: &mut wgpu::ComputePass<'_>, state: &PreparedBins, picture_group: &wgpu::BindGroup) {
        let Some(pipelines) = state.chunk_key().and_then(|key| self.chunk_pipelines.get(&key)) else { return };
        pass.set_bind_group(0, picture_group, &[]);
        pass.set_bind_group(1, &self.chunk_group, &[]);
        pass.set_bind_group(2, &self.region_group, &[]);
        for pipeline in pipelines {
            pass.set_pipeline(pipeline);
            pass.dispatch_workgroups(state.plan.chunks, 1, 1);
        }
    }

    fn dispatch_reduce(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        state: &PreparedBins,
        pipeline: &wgpu::ComputePipeline,
    ) {
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &self.reduce_group, &[]);
        pass.dispatch_workgroups((Histogram::word_count(state.plan.bits) as u32).div_ceil(REDUCE_WORDS), 1, 1);
    }

    fn dispatch_scale(&self, pass: &mut wgpu::ComputePass<'_>, bits: u32) {
        self.scale.dispatch(pass, &self.scale_group, 1 << bits);
    }
}

/// Returns the pipeline constants of shaders/tally.wgsl.
pub(super) fn tally_constants(bits: u32, copies: u32, run: &ChannelRun) -> [(&'static str, f64); 5] {
    [
        ("FIRST_CHANNEL", f64::from(run.first)),
        ("CHANNEL_COUNT", f64::from(run.count)),
        ("COPIES", f64::from(copies)),
        ("BIN_WORDS", f64::from((run.count << bits) * copies)),
        ("CHUNK_WORDS", Histogram::word_count(bits) as f64),
    ]
}

/// Returns the pipeline constants of shaders/chunk.wgsl.
fn chunk_constants(key: &ChunkKey, bits: u32, run: &ChannelRun) -> Vec<(&'static str, f64)> {
    let Reads { picture, components, regional } = key.reads;
    let mut constants = picture.constants();
    constants.extend([
        ("WORKGROUP", f64::from(key.workgroup)),
        ("CODED", f64::from(u8::from(components == Components::YCbCr))),
        ("REGIONAL", f64::from(u8::from(regional))),
    ]);
    constants.extend(tally_constants(bits, key.copies, run));
    constants
}
