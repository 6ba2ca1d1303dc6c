//! Our own passes as one of the ladder's methods. Their bins are regrouped into the number that the other methods have.

use super::counting_pass::{Step, overrides};
use super::method::ChannelSet;
use super::setup::Setup;
use histoscope_core::histogram::{CHANNELS, Components, Histogram};
use histoscope_core::picture::Picture;
use histoscope_render::gpu::histogram::HistogramPasses;
use histoscope_render::gpu::histogram::plan::{ChannelRun, Plan, reduce_parts};
use histoscope_render::gpu::readback::read_buffer;
use histoscope_render::gpu::resources::{Dispatch, storage};
use histoscope_render::gpu::shaders::{self, groups};
use histoscope_render::gpu::timing::{Spans, compute_pass};
use histoscope_render::gpu::{Gpu, GpuError};

/// Invocations of a workgroup in shaders/regroup.wgsl.
const REGROUP_INVOCATIONS: u32 = 64;
/// Invocations of a workgroup in shaders/scale.wgsl.
const SCALE_INVOCATIONS: u32 = 256;

/// Our chunk, reduce and scale passes on native planes, followed by a pass that regroups the bins.
#[derive(Debug)]
pub struct OursPass {
    setup: Setup,
    passes: HistogramPasses,
    /// The bins: the channels of bin 0, then the channels of bin 1, and so on.
    pub bins: wgpu::Buffer,
    regroup: Dispatch,
    steps: Vec<Step>,
}

impl OursPass {
    /// Prepares the passes for pictures like this one.
    ///
    /// # Errors
    /// [`GpuError::TooDeep`] if the adapter's workgroup memory cannot hold the bins of one channel.
    pub fn new(gpu: &Gpu, setup: Setup, picture: &Picture) -> Result<Self, GpuError> {
        let mut passes = HistogramPasses::new(gpu);
        prepare(gpu, &mut passes, setup.channels, picture)?;
        let bins = storage(&gpu.device, "regrouped bins", setup.word_count());
        let constants = vec![
            ("BITS", picture.layout().bin_bits()),
            ("BINS", setup.shape.bins()),
            ("CHANNELS", setup.channels.count()),
        ];
        let workgroups = (setup.shape.bins().div_ceil(REGROUP_INVOCATIONS), 1);
        let regroup = Dispatch {
            pipeline: shaders::REGROUP.module(&gpu.device).compute(&gpu.device, "regroup", &overrides(&constants)),
            group: groups::REGROUP.bind(&gpu.device, &[&passes.bins, &bins]),
            workgroups,
        };
        let mut steps = passes.plan().map(|plan| plan_steps(gpu, plan)).unwrap_or_default();
        steps.push(Step::new("regroup", &shaders::REGROUP, constants, (REGROUP_INVOCATIONS, 1), workgroups));
        Ok(Self { setup, passes, bins, regroup, steps })
    }

    /// Returns the bins of a picture, one vector per channel. Waits for them.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device fails.
    pub fn bins_of(&self, gpu: &Gpu, picture: &wgpu::BindGroup) -> Result<Vec<Vec<u32>>, GpuError> {
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("check") });
        self.record(&mut encoder, picture, None);
        gpu.queue.submit([encoder.finish()]);
        let bytes = read_buffer(gpu, &self.bins, self.setup.word_count() as u64 * 4)?;
        Ok(self.setup.by_channel(&bytemuck::pod_collect_to_vec::<u8, u32>(&bytes)))
    }

    /// Returns the steps. Each has its own span of timestamps in [`record`](Self::record).
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Dispatches all steps in the caller's compute pass.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, picture: &wgpu::BindGroup) {
        self.passes.dispatch(pass, picture);
        self.regroup.run(pass, None);
    }

    /// Records all steps. If there are spans, each has its own compute pass.
    pub fn record(&self, encoder: &mut wgpu::CommandEncoder, picture: &wgpu::BindGroup, spans: Option<Spans<'_>>) {
        self.passes.record(encoder, picture, spans);
        let spans = (0..HistogramPasses::NAMES.len()).fold(spans, |spans, _| spans.map(Spans::next));
        compute_pass(encoder, "regroup", spans, |pass| self.regroup.run(pass, None));
    }
}

/// Prepares our passes for counting these channels of pictures like this one.
///
/// # Errors
/// [`GpuError::TooDeep`] if the adapter's workgroup memory cannot hold the bins of one channel.
pub fn prepare(
    gpu: &Gpu,
    passes: &mut HistogramPasses,
    channels: ChannelSet,
    picture: &Picture,
) -> Result<(), GpuError> {
    passes.prepare(gpu, picture, Components::Rgbl)?;
    if let (ChannelSet::One, Some(plan)) = (channels, passes.plan().cloned()) {
        let plan = Plan { runs: vec![ChannelRun { first: 3, count: 1 }], ..plan };
        passes.prepare_with_plan(gpu, picture, Components::Rgbl, plan);
    }
    Ok(())
}

/// Returns our three passes with the constants of the plan.
fn plan_steps(gpu: &Gpu, plan: &Plan) -> Vec<Step> {
    let chunk = vec![("WORKGROUP", plan.workgroup), ("COPIES", plan.copies), ("BITS", plan.bits)];
    let chunk = Step::new("chunk", &shaders::CHUNK, chunk, (plan.workgroup, 1), (plan.chunks, 1));
    let parts = reduce_parts(&gpu.device.limits());
    let words = Histogram::word_count(plan.bits) as u32;
    let reduce = vec![("PARTS", parts), ("PART_WORDS", 32 * parts)];
    vec![
        Step { dispatches: plan.runs.len() as u32, ..chunk },
        Step::new("reduce", &shaders::REDUCE, reduce, (32, parts), (words.div_ceil(32), 1)),
        Step::new(
            "scale",
            &shaders::SCALE,
            vec![("BINS", 1 << plan.bits)],
            (SCALE_INVOCATIONS, 1),
            (CHANNELS as u32, 1),
        ),
    ]
}
