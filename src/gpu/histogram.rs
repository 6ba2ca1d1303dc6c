//! Counting: chunk, reduce and scale, one compute pass each, with the bin buffer and the scale buffer as the result.

pub mod plan;

use std::collections::HashMap;

use plan::{ChannelRun, Plan};

use super::resources::{bind, compute, group_layout, pipeline_layout};
use super::shared::{ChannelScale, ReductionParams, layout_constants};
use super::upload::with_tally;
use super::{Gpu, GpuError};
use crate::histogram::{CHANNELS, Components, Histogram};
use crate::picture::Picture;
use crate::picture::layout::PixelLayout;

const CHUNK_WGSL: &str = include_str!("../../shaders/chunk.wgsl");
const REDUCE_WGSL: &str = include_str!("../../shaders/reduce.wgsl");
const SCALE_WGSL: &str = include_str!("../../shaders/scale.wgsl");

/// Words that one workgroup of the reduce pass sums, as in shaders/reduce.wgsl.
const REDUCE_WORDS: u32 = 32;

/// A place in a query set for the three passes' begin and end: six timestamps from `first` on.
#[derive(Debug, Clone, Copy)]
pub struct Stamps<'a> {
    /// The query set.
    pub set: &'a wgpu::QuerySet,
    /// Index of the chunk pass's begin.
    pub first: u32,
}

impl Stamps<'_> {
    /// Queries that the counting passes write.
    pub const COUNT: u32 = 6;

    /// Begins a compute pass that writes the stamps of the first, second or third of the passes.
    fn begin(&self, encoder: &mut wgpu::CommandEncoder, label: &'static str, pass: u32) -> wgpu::ComputePass<'static> {
        let timestamp_writes = Some(self.of_pass(pass));
        let descriptor = wgpu::ComputePassDescriptor { label: Some(label), timestamp_writes };
        encoder.begin_compute_pass(&descriptor).forget_lifetime()
    }

    fn of_pass(&self, pass: u32) -> wgpu::ComputePassTimestampWrites<'_> {
        wgpu::ComputePassTimestampWrites {
            query_set: self.set,
            beginning_of_pass_write_index: Some(self.first + 2 * pass),
            end_of_pass_write_index: Some(self.first + 2 * pass + 1),
        }
    }
}

/// The passes with their buffers. One bin buffer and one scale buffer serve every depth.
#[derive(Debug)]
pub struct HistogramPasses {
    /// `CHANNELS` × 2^n bins and the tail, as [`Histogram::words`].
    pub bins: wgpu::Buffer,
    /// One [`ChannelScale`] a channel.
    pub scales: wgpu::Buffer,
    chunks: wgpu::Buffer,
    reduction: wgpu::Buffer,
    chunk_layout: wgpu::PipelineLayout,
    chunk_module: wgpu::ShaderModule,
    /// Chunks and scales, for every pass that writes chunks.
    pub(super) chunk_group: wgpu::BindGroup,
    chunk_pipelines: HashMap<ChunkKey, Vec<wgpu::ComputePipeline>>,
    reduce: Reduce,
    /// The same, which finds the scales too.
    reduce_and_scale: Reduce,
    scale_module: wgpu::ShaderModule,
    scale_pipelines: HashMap<u32, (wgpu::ComputePipeline, wgpu::BindGroup)>,
    state: Option<State>,
}

/// The reduce pass with its buffers.
#[derive(Debug)]
struct Reduce {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
}

/// What the bin buffer is set up for.
#[derive(Debug, Clone, PartialEq)]
struct State {
    /// What the chunk pass reads; `None` where another pass writes the chunks.
    reads: Option<Reads>,
    plan: Plan,
}

/// What the chunk pass must know of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Reads {
    layout: PixelLayout,
    components: Components,
    /// Whether the conversion to red takes part of the second component, or that to blue of the third.
    crossed: bool,
}

/// What the chunk pass's pipelines are made for: everything but the number of chunks, which is only dispatched.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ChunkKey {
    reads: Reads,
    workgroup: u32,
    copies: u32,
    runs: Vec<ChannelRun>,
}

impl State {
    fn chunk_key(&self) -> Option<ChunkKey> {
        let Plan { workgroup, copies, ref runs, .. } = self.plan;
        self.reads.map(|reads| ChunkKey { reads, workgroup, copies, runs: runs.clone() })
    }
}

impl HistogramPasses {
    /// Makes the buffers and the passes that do not depend on a layout.
    #[must_use]
    pub fn new(gpu: &Gpu, picture_layout: &wgpu::BindGroupLayout) -> Self {
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
        let chunks = buffer("chunks", plan::MOST_CHUNK_BYTES, storage);
        let uniform = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let reduction = buffer("reduction", size_of::<ReductionParams>(), uniform);

        let chunk_group_layout = chunk_group_layout(device);
        let chunk_layout = pipeline_layout(device, "chunk", &[picture_layout, &chunk_group_layout]);
        let chunk_group = bind(device, "chunk", &chunk_group_layout, &[&chunks, &scales]);
        let chunk_module = module(device, "chunk", &with_tally(CHUNK_WGSL));
        let reduce_module = module(device, "reduce", REDUCE_WGSL);
        let parts = plan::reduce_parts(&device.limits());
        let reduce = |scaling: bool| {
            let constants = [
                ("PARTS", f64::from(parts)),
                ("PART_WORDS", f64::from(parts * REDUCE_WORDS)),
                ("SCALING", f64::from(u8::from(scaling))),
            ];
            let pipeline = compute(device, "reduce", None, &reduce_module, "reduce", &constants);
            let buffers = [&reduction, &chunks, &bins, &scales];
            let group = bind(device, "reduce", &pipeline.get_bind_group_layout(0), &buffers);
            Reduce { pipeline, group }
        };
        let (reduce, reduce_and_scale) = (reduce(false), reduce(true));
        let scale_module = module(device, "scale", SCALE_WGSL);
        Self {
            bins,
            scales,
            chunks,
            reduction,
            chunk_layout,
            chunk_module,
            chunk_group,
            chunk_pipelines: HashMap::new(),
            reduce,
            reduce_and_scale,
            scale_module,
            scale_pipelines: HashMap::new(),
            state: None,
        }
    }

    /// Bytes that the chunks may take, whatever the picture's size.
    #[must_use]
    pub fn chunk_bytes(&self) -> u64 {
        self.chunks.size()
    }

    /// Sets the passes up for a picture like this one; cheap where nothing changed.
    ///
    /// # Errors
    /// [`GpuError::TooDeep`] if the adapter's workgroup memory cannot hold the bins of one channel.
    pub fn prepare(&mut self, gpu: &Gpu, picture: &Picture, components: Components) -> Result<(), GpuError> {
        let layout = *picture.layout();
        let plan = Plan::new(&gpu.device.limits(), gpu.info.device_type, layout.bin_bits(), picture.pixel_count())
            .ok_or_else(|| GpuError::TooDeep { bits: layout.bin_bits(), adapter: gpu.info.name.clone() })?;
        self.prepare_with_plan(gpu, picture, components, plan);
        Ok(())
    }

    /// As [`prepare`](Self::prepare), with a plan of the caller's, to measure plans against each other or to count some
    /// of the channels only. Chunks that the chunk buffer cannot hold are left out of the plan; a plan that asks for more
    /// workgroup memory or invocations than the adapter has is a validation error, which [`Gpu::check`] returns.
    pub fn prepare_with_plan(&mut self, gpu: &Gpu, picture: &Picture, components: Components, plan: Plan) {
        let weights = picture.conversion().weights;
        let crossed = weights[0][1] != 0 || weights[2][2] != 0;
        self.prepare_layout(gpu, *picture.layout(), crossed, components, plan);
    }

    /// The same for a picture that only the GPU has: its layout, and whether its conversion to red takes part of the second
    /// component, or that to blue of the third.
    pub fn prepare_layout(
        &mut self,
        gpu: &Gpu,
        layout: PixelLayout,
        crossed: bool,
        components: Components,
        mut plan: Plan,
    ) {
        plan.chunks = plan.chunks.clamp(1, plan::most_chunks(plan.bits));
        let reads = Reads { layout, components, crossed };
        self.set(gpu, State { reads: Some(reads), plan });
    }

    /// Sets the passes up for chunks that another pass writes, as many as that plan says.
    pub fn prepare_written(&mut self, gpu: &Gpu, plan: Plan) {
        self.set(gpu, State { reads: None, plan });
    }

    fn set(&mut self, gpu: &Gpu, state: State) {
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
        let (device, module, pipeline_layout) = (&gpu.device, &self.chunk_module, &self.chunk_layout);
        if let Some(key) = state.chunk_key() {
            self.chunk_pipelines.entry(key).or_insert_with_key(|key| {
                let pipeline = |run| chunk_pipeline(device, pipeline_layout, module, key, state.plan.bits, run);
                key.runs.iter().map(pipeline).collect()
            });
        }
        self.prepare_scale(gpu, state.plan.bits);
        self.state = Some(state);
    }

    /// The plan that was prepared last.
    #[must_use]
    pub fn plan(&self) -> Option<&Plan> {
        self.state.as_ref().map(|state| &state.plan)
    }

    fn prepare_scale(&mut self, gpu: &Gpu, bits: u32) {
        let (device, module) = (&gpu.device, &self.scale_module);
        let (bins, scales) = (&self.bins, &self.scales);
        self.scale_pipelines.entry(bits).or_insert_with(|| {
            let pipeline = compute(device, "scale", None, module, "scale", &[("BITS", f64::from(bits))]);
            let group = bind(device, "scale", &pipeline.get_bind_group_layout(0), &[bins, scales]);
            (pipeline, group)
        });
    }

    /// Records the three passes for the picture that was prepared and uploaded. With `stamps`, each pass runs and is timed
    /// by itself; without, they go together as in [`dispatch`](Self::dispatch).
    pub fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        picture_group: &wgpu::BindGroup,
        stamps: Option<Stamps<'_>>,
    ) {
        let Some(stamps) = stamps else {
            let descriptor = wgpu::ComputePassDescriptor { label: Some("histogram"), timestamp_writes: None };
            self.dispatch(&mut encoder.begin_compute_pass(&descriptor), picture_group);
            return;
        };
        let Some(state) = &self.state else { return };
        self.dispatch_chunk(&mut stamps.begin(encoder, "chunk", 0), state, picture_group);
        self.record_sums(encoder, Some(stamps));
    }

    /// Records reduce and scale of chunks that another pass has written, as [`prepare_written`](Self::prepare_written) set
    /// them up; `stamps` as for [`record`](Self::record), of which the chunk pass's are left out.
    pub fn record_sums(&self, encoder: &mut wgpu::CommandEncoder, stamps: Option<Stamps<'_>>) {
        let Some(stamps) = stamps else {
            let descriptor = wgpu::ComputePassDescriptor { label: Some("sums"), timestamp_writes: None };
            self.dispatch_sums(&mut encoder.begin_compute_pass(&descriptor));
            return;
        };
        let Some(state) = &self.state else { return };
        self.dispatch_reduce(&mut stamps.begin(encoder, "reduce", 1), state, &self.reduce);
        self.dispatch_scale(&mut stamps.begin(encoder, "scale", 2), state.plan.bits);
    }

    /// Dispatches chunk, reduce and scale in a compute pass of the caller's, for the picture that was prepared and
    /// uploaded. Reduce and scale share a dispatch: between two of them a GPU stands still, on an NVIDIA H200 for as long
    /// as the scale pass itself takes.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, picture_group: &wgpu::BindGroup) {
        let Some(state) = &self.state else { return };
        self.dispatch_chunk(pass, state, picture_group);
        self.dispatch_sums(pass);
    }

    /// Dispatches reduce and scale alone, of chunks that another pass has written.
    pub fn dispatch_sums(&self, pass: &mut wgpu::ComputePass<'_>) {
        let Some(state) = &self.state else { return };
        self.dispatch_reduce(pass, state, &self.reduce_and_scale);
    }

    /// Puts bins that another engine counted into the bin buffer and records the scale pass, so that drawing does not
    /// know the difference.
    pub fn record_counted(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        histogram: &Histogram,
        stamps: Option<Stamps<'_>>,
    ) {
        self.prepare_scale(gpu, histogram.bits);
        gpu.queue.write_buffer(&self.bins, 0, bytemuck::cast_slice(&histogram.words));
        let timestamp_writes = stamps.as_ref().map(|stamps| stamps.of_pass(2));
        let mut pass =
            encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some("scale"), timestamp_writes });
        self.dispatch_scale(&mut pass, histogram.bits);
    }

    fn dispatch_chunk(&self, pass: &mut wgpu::ComputePass<'_>, state: &State, picture_group: &wgpu::BindGroup) {
        let Some(pipelines) = state.chunk_key().and_then(|key| self.chunk_pipelines.get(&key)) else { return };
        pass.set_bind_group(0, picture_group, &[]);
        pass.set_bind_group(1, &self.chunk_group, &[]);
        for pipeline in pipelines {
            pass.set_pipeline(pipeline);
            pass.dispatch_workgroups(state.plan.chunks, 1, 1);
        }
    }

    fn dispatch_reduce(&self, pass: &mut wgpu::ComputePass<'_>, state: &State, reduce: &Reduce) {
        pass.set_pipeline(&reduce.pipeline);
        pass.set_bind_group(0, &reduce.group, &[]);
        pass.dispatch_workgroups((Histogram::word_count(state.plan.bits) as u32).div_ceil(REDUCE_WORDS), 1, 1);
    }

    fn dispatch_scale(&self, pass: &mut wgpu::ComputePass<'_>, bits: u32) {
        let Some((pipeline, group)) = self.scale_pipelines.get(&bits) else { return };
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, group, &[]);
        pass.dispatch_workgroups(CHANNELS as u32, 1, 1);
    }
}

/// The layout of the bind group of the passes that write chunks: the chunks, and the scales that they prepare.
pub(super) fn chunk_group_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let writes = (wgpu::ShaderStages::COMPUTE, wgpu::BufferBindingType::Storage { read_only: false });
    group_layout(device, "chunk", &[writes, writes])
}

/// The pipeline constants of shaders/tally.wgsl.
pub(super) fn tally_constants(bits: u32, copies: u32, run: &ChannelRun) -> [(&'static str, f64); 5] {
    [
        ("FIRST_CHANNEL", f64::from(run.first)),
        ("CHANNEL_COUNT", f64::from(run.count)),
        ("COPIES", f64::from(copies)),
        ("BIN_WORDS", f64::from((run.count << bits) * copies)),
        ("CHUNK_WORDS", Histogram::word_count(bits) as f64),
    ]
}

fn chunk_pipeline(
    device: &wgpu::Device,
    pipeline_layout: &wgpu::PipelineLayout,
    module: &wgpu::ShaderModule,
    key: &ChunkKey,
    bits: u32,
    run: &ChannelRun,
) -> wgpu::ComputePipeline {
    let Reads { layout, components, crossed } = key.reads;
    let mut constants = layout_constants(&layout);
    constants.extend([
        ("WORKGROUP", f64::from(key.workgroup)),
        ("CROSSED", f64::from(u8::from(crossed))),
        ("CODED", f64::from(u8::from(components == Components::YCbCr))),
    ]);
    constants.extend(tally_constants(bits, key.copies, run));
    compute(device, "chunk", Some(pipeline_layout), module, "chunk", &constants)
}

/// A module without the checks that wgpu would add to every access of workgroup memory and every loop. On an NVIDIA H200
/// they cost a tenth of the passes' time.
fn module(device: &wgpu::Device, label: &str, source: &str) -> wgpu::ShaderModule {
    let descriptor =
        wgpu::ShaderModuleDescriptor { label: Some(label), source: wgpu::ShaderSource::Wgsl(source.into()) };
    // SAFETY: the three sources are this program's own, and no input reaches them but through the picture's planes, whose
    // codes are masked to n bits or clamped to them before they index bins of 2^n words a channel. Words of the planes,
    // chunks and bins are addressed by sizes that `prepare` and `PictureBuffers` derive from the buffers themselves; the
    // blocks at the right and lower edge, which reach past a row, stay inside its padded stride or are clamped to the last
    // row. Every loop counts towards an end that does not depend on what is read.
    unsafe { device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked()) }
}
