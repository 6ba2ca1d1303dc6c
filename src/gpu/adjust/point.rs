//! Changing every pixel by itself.

use std::collections::HashMap;

use super::super::Gpu;
use super::super::histogram::plan::{ChannelRun, Plan};
use super::super::histogram::{chunk_group_layout, tally_constants};
use super::super::shared::layout_constants;
use super::super::upload::with_tally;
use super::params::PointParams;
use super::{
    Binding, Dispatch, WorkingPicture, bind, compute, group_layout, module, pipeline_layout, rows_of_workgroups,
    storage, uniform, with_quads,
};
use crate::gpu::adjust::Source;
use crate::histogram::CHANNELS;

const POINT_WGSL: &str = include_str!("../../../shaders/adjust/point.wgsl");
const POINT_COUNT_WGSL: &str = include_str!("../../../shaders/adjust/point_count.wgsl");

pub(super) fn source() -> String {
    with_quads(POINT_WGSL)
}

pub(super) fn counting_source() -> String {
    with_tally(&[POINT_WGSL, POINT_COUNT_WGSL].join("\n"))
}

/// What is done to a pixel, numbered as shaders/adjust/point.wgsl has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Change {
    /// A curve for luminance, hue kept.
    Luminance = 1,
    /// A curve for each channel.
    Channels = 2,
    /// Curves of tiles.
    Tiles = 3,
    /// Tones of classes.
    Classes = 4,
}

/// The pass, and that which counts what it writes.
#[derive(Debug)]
pub(super) struct PointPass {
    module: wgpu::ShaderModule,
    group_layout: wgpu::BindGroupLayout,
    layout: wgpu::PipelineLayout,
    workgroup: u32,
    pipelines: HashMap<(Source, Change), wgpu::ComputePipeline>,
    counting_module: wgpu::ShaderModule,
    counting_layout: wgpu::PipelineLayout,
    /// By the workgroup's size too.
    counting_pipelines: HashMap<(Source, Change, u32), wgpu::ComputePipeline>,
    /// Stands in where a change has no curves or no axes.
    nothing: wgpu::Buffer,
}

impl PointPass {
    pub(super) fn new(gpu: &Gpu, picture_layout: &wgpu::BindGroupLayout) -> Self {
        let device = &gpu.device;
        let bindings = [Binding::Uniform, Binding::Read, Binding::Read, Binding::Write];
        let group_layout = group_layout(device, "point", &bindings);
        let chunk_layout = chunk_group_layout(device);
        Self {
            module: module(device, "point", &source()),
            layout: pipeline_layout(device, "point", &[picture_layout, &group_layout]),
            workgroup: if gpu.is_software() { 64 } else { 256 },
            pipelines: HashMap::new(),
            counting_module: counting_module(device),
            counting_layout: pipeline_layout(device, "point count", &[picture_layout, &group_layout, &chunk_layout]),
            counting_pipelines: HashMap::new(),
            nothing: storage(device, "nothing", 4),
            group_layout,
        }
    }

    /// Gets a change ready that reads a picture like `source` and writes `target`; with the plan of `counting`
    /// it counts it too, into chunks bound as group 2.
    pub(super) fn dispatch(
        &mut self,
        gpu: &Gpu,
        source: &Source,
        (change, params): (Change, &PointParams),
        (curves, axes): (Option<&wgpu::Buffer>, Option<&wgpu::Buffer>),
        target: &WorkingPicture,
        counting: Option<&Plan>,
    ) -> Dispatch {
        let params = uniform(gpu, "point", params);
        let (curves, axes) = (curves.unwrap_or(&self.nothing), axes.unwrap_or(&self.nothing));
        let group = bind(&gpu.device, "point", &self.group_layout, &[&params, curves, axes, &target.buffer]);
        let blocks = source.size.0.div_ceil(4) * source.size.1.div_ceil(2);
        let (pipeline, workgroups) = match counting {
            None => (self.pipeline(&gpu.device, source, change), rows_of_workgroups(blocks.div_ceil(self.workgroup))),
            Some(plan) => (self.counting_pipeline(&gpu.device, source, change, plan), (plan.chunks, 1)),
        };
        Dispatch { pipeline, group, workgroups }
    }

    fn pipeline(&mut self, device: &wgpu::Device, source: &Source, change: Change) -> wgpu::ComputePipeline {
        let (layout, module, workgroup) = (&self.layout, &self.module, self.workgroup);
        let kind = Source { size: (0, 0), ..*source };
        let pipeline = self
            .pipelines
            .entry((kind, change))
            .or_insert_with(|| compute(device, layout, module, "change", &constants(source, change, workgroup)));
        pipeline.clone()
    }

    fn counting_pipeline(
        &mut self,
        device: &wgpu::Device,
        source: &Source,
        change: Change,
        plan: &Plan,
    ) -> wgpu::ComputePipeline {
        let (layout, module) = (&self.counting_layout, &self.counting_module);
        let kind = Source { size: (0, 0), ..*source };
        let pipeline = self.counting_pipelines.entry((kind, change, plan.workgroup)).or_insert_with(|| {
            let mut constants = constants(source, change, plan.workgroup);
            constants.extend(tally_constants(plan.bits, plan.copies, &ChannelRun { first: 0, count: CHANNELS as u32 }));
            compute(device, layout, module, "change_and_count", &constants)
        });
        pipeline.clone()
    }
}

fn constants(source: &Source, change: Change, workgroup: u32) -> Vec<(&'static str, f64)> {
    let (bits, codes) = (source.layout.bin_bits(), 1_u32 << source.layout.bin_bits());
    // More would not fit in the workgroup memory that every adapter has.
    let staged = bits <= 10;
    let mut constants = layout_constants(&source.layout);
    constants.extend([
        ("CROSSED", f64::from(u8::from(source.crossed))),
        ("WORKGROUP", f64::from(workgroup)),
        ("CHANGE", f64::from(change as u32)),
        ("RATIOS", f64::from(if staged && change == Change::Luminance { codes } else { 1 })),
        ("CURVE_WORDS", f64::from(if staged && change == Change::Channels { 3 * codes } else { 1 })),
    ]);
    constants
}

/// A module without checks, as those of the passes that count and do nothing else: there they cost a tenth of the time.
fn counting_module(device: &wgpu::Device) -> wgpu::ShaderModule {
    let source = counting_source();
    let descriptor = wgpu::ShaderModuleDescriptor {
        label: Some("point count"),
        source: wgpu::ShaderSource::Wgsl(source.as_str().into()),
    };
    // SAFETY: the source is this program's own, and no input reaches it but through the picture's planes, whose codes are
    // clamped to n bits before they index curves, all of which have 2^n words a channel or a cell. What curves give is masked
    // to n bits, scaled colours are limited to them, and the tones of classes, of which there are at most five among eight,
    // come from the CPU; so every code that indexes the bins, 2^n words a channel, is one. Cells are numbered by columns
    // and rows from the CPU, the columns clamped to the picture's, and thresholds are four words. Words of the planes and of
    // the result are addressed by sizes that the buffers were made for, chunks by the plan that `Plan::fused` keeps within
    // the chunk buffer; blocks that reach past a row stay inside its padded stride, and rows are clamped to the last one.
    // Every loop counts towards an end that does not depend on what is read.
    unsafe { device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked()) }
}
