//! Changes every pixel independently.

use bytemuck::{Pod, Zeroable};
use std::collections::HashMap;

use super::working::WorkingPicture;
use crate::gpu::Gpu;
use crate::gpu::histogram::plan::{ChannelRun, Plan};
use crate::gpu::histogram::tally_constants;
use crate::gpu::params::InputPicture;
use crate::gpu::resources::{Dispatch, rows_of_workgroups, storage, uniform};
use crate::gpu::shaders::{self, groups};
use histoscope_core::histogram::CHANNELS;

/// `Recolor` of shaders/adjust/recolor.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct RecolorParams {
    /// Red, green and blue of up to eight classes.
    pub tones: [[u32; 4]; 8],
    /// Tiles across and down, if there is a curve per tile.
    pub tiles: [u32; 2],
    /// Nodes along the edges of a cube, and the right shift from a weighted sum of nodes to a code.
    pub cube: [u32; 2],
}

const _: () = assert!(size_of::<RecolorParams>() == 144);

/// The kind of change, numbered as in shaders/adjust/recolor.wgsl.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Change {
    /// One curve for luminance, preserving the hue.
    Luminance = 1,
    /// One curve per channel.
    Channels = 2,
    /// One curve per tile.
    Tiles = 3,
    /// One tone per class.
    Classes = 4,
    /// A colour between the nodes of a cube.
    Cube = 5,
    /// Light in another gamut.
    Gamut = 6,
}

/// The pass, and a variant that counts its own output.
#[derive(Debug)]
pub(super) struct RecolorPass {
    shader: shaders::Module,
    workgroup: u32,
    pipelines: HashMap<(InputPicture, Change), wgpu::ComputePipeline>,
    counting_shader: shaders::Module,
    /// The key includes the workgroup size.
    counting_pipelines: HashMap<(InputPicture, Change, u32), wgpu::ComputePipeline>,
    /// Placeholder for changes that have no curves or no axes.
    nothing: wgpu::Buffer,
}

impl RecolorPass {
    pub(super) fn new(gpu: &Gpu) -> Self {
        Self {
            shader: shaders::RECOLOR.module(&gpu.device),
            workgroup: if gpu.is_software() { 64 } else { 256 },
            pipelines: HashMap::new(),
            counting_shader: shaders::RECOLOR_COUNT.module(&gpu.device),
            counting_pipelines: HashMap::new(),
            nothing: storage(&gpu.device, "nothing", 4),
        }
    }

    /// Creates the dispatch of a change that reads a picture like `source` and writes `target`. If there is a
    /// `counting` plan, it also counts its output, into chunks bound as group 2.
    pub(super) fn dispatch(
        &mut self,
        gpu: &Gpu,
        source: &InputPicture,
        (change, params): (Change, &RecolorParams),
        (curves, axes): (Option<&wgpu::Buffer>, Option<&wgpu::Buffer>),
        target: &WorkingPicture,
        counting: Option<&Plan>,
    ) -> Dispatch {
        let params = uniform(gpu, "recolor", params);
        let (curves, axes) = (curves.unwrap_or(&self.nothing), axes.unwrap_or(&self.nothing));
        let group = groups::RECOLOR.bind(&gpu.device, &[&params, curves, axes, &target.buffer]);
        let blocks = source.size.0.div_ceil(4) * source.size.1.div_ceil(2);
        let (pipeline, workgroups) = match counting {
            None => (self.pipeline(&gpu.device, source, change), rows_of_workgroups(blocks.div_ceil(self.workgroup))),
            Some(plan) => (self.counting_pipeline(&gpu.device, source, change, plan), (plan.chunks, 1)),
        };
        Dispatch { pipeline, group, workgroups }
    }

    fn pipeline(&mut self, device: &wgpu::Device, source: &InputPicture, change: Change) -> wgpu::ComputePipeline {
        let (shader, workgroup) = (&self.shader, self.workgroup);
        let kind = source.of_any_size();
        let pipeline = self
            .pipelines
            .entry((kind, change))
            .or_insert_with(|| shader.compute(device, "change", &constants(source, change, workgroup)));
        pipeline.clone()
    }

    fn counting_pipeline(
        &mut self,
        device: &wgpu::Device,
        source: &InputPicture,
        change: Change,
        plan: &Plan,
    ) -> wgpu::ComputePipeline {
        let shader = &self.counting_shader;
        let kind = source.of_any_size();
        let pipeline = self.counting_pipelines.entry((kind, change, plan.workgroup)).or_insert_with(|| {
            let mut constants = constants(source, change, plan.workgroup);
            constants.extend(tally_constants(plan.bits, plan.copies, &ChannelRun { first: 0, count: CHANNELS as u32 }));
            shader.compute(device, "change_and_count", &constants)
        });
        pipeline.clone()
    }
}

fn constants(source: &InputPicture, change: Change, workgroup: u32) -> Vec<(&'static str, f64)> {
    let (bits, codes) = (source.layout.bin_bits(), 1_u32 << source.layout.bin_bits());
    // Larger curves would not fit in the workgroup memory that every adapter has.
    let staged = bits <= 10;
    let is_by_channel = matches!(change, Change::Channels | Change::Cube | Change::Gamut);
    let mut constants = source.constants();
    constants.extend([
        ("WORKGROUP", f64::from(workgroup)),
        ("CHANGE", f64::from(change as u32)),
        ("RATIOS", f64::from(if staged && change == Change::Luminance { codes } else { 1 })),
        ("CURVE_WORDS", f64::from(if staged && is_by_channel { 3 * codes } else { 1 })),
    ]);
    constants
}
