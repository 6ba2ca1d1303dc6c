//! Changing every pixel by itself.

use std::collections::HashMap;

use super::super::Gpu;
use super::super::shared::layout_constants;
use super::params::PointParams;
use super::{
    Binding, Dispatch, WorkingPicture, bind, compute, group_layout, module, pipeline_layout, rows_of_workgroups,
    storage, uniform, with_quads,
};
use crate::gpu::adjust::Source;

const POINT_WGSL: &str = include_str!("../../../shaders/adjust/point.wgsl");

pub(super) fn source() -> String {
    with_quads(POINT_WGSL)
}

/// What is done to a pixel, numbered as shaders/adjust/point.wgsl has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Change {
    /// Nothing.
    None = 0,
    /// A curve for luminance, hue kept.
    Luminance = 1,
    /// A curve for each channel.
    Channels = 2,
    /// Curves of tiles.
    Tiles = 3,
    /// Tones of classes.
    Classes = 4,
}

/// The pass.
#[derive(Debug)]
pub(super) struct PointPass {
    module: wgpu::ShaderModule,
    group_layout: wgpu::BindGroupLayout,
    layout: wgpu::PipelineLayout,
    workgroup: u32,
    pipelines: HashMap<(Source, Change), wgpu::ComputePipeline>,
    /// Stands in where a change has no curves or no axes.
    nothing: wgpu::Buffer,
}

impl PointPass {
    pub(super) fn new(gpu: &Gpu, picture_layout: &wgpu::BindGroupLayout) -> Self {
        let device = &gpu.device;
        let bindings = [Binding::Uniform, Binding::Read, Binding::Read, Binding::Write];
        let group_layout = group_layout(device, "point", &bindings);
        let layout = pipeline_layout(device, "point", &[picture_layout, &group_layout]);
        let workgroup = if gpu.is_software() { 64 } else { 256 };
        let nothing = storage(device, "nothing", 4);
        let module = module(device, "point", &source());
        Self { module, group_layout, layout, workgroup, pipelines: HashMap::new(), nothing }
    }

    /// Gets a change ready that reads a picture like `source` and writes `target`.
    pub(super) fn dispatch(
        &mut self,
        gpu: &Gpu,
        source: &Source,
        change: Change,
        params: &PointParams,
        (curves, axes): (Option<&wgpu::Buffer>, Option<&wgpu::Buffer>),
        target: &WorkingPicture,
    ) -> Dispatch {
        let (device, layout, module, workgroup) = (&gpu.device, &self.layout, &self.module, self.workgroup);
        let kind = Source { size: (0, 0), ..*source };
        let pipeline = self.pipelines.entry((kind, change)).or_insert_with(|| {
            let mut constants = layout_constants(&source.layout);
            constants.extend([
                ("CROSSED", f64::from(u8::from(source.crossed))),
                ("WORKGROUP", f64::from(workgroup)),
                ("CHANGE", f64::from(change as u32)),
            ]);
            compute(device, layout, module, "change", &constants)
        });
        let params = uniform(gpu, "point", params);
        let (curves, axes) = (curves.unwrap_or(&self.nothing), axes.unwrap_or(&self.nothing));
        let group = bind(device, "point", &self.group_layout, &[&params, curves, axes, &target.buffer]);
        let blocks = source.size.0.div_ceil(4) * source.size.1.div_ceil(2);
        Dispatch { pipeline: pipeline.clone(), group, workgroups: rows_of_workgroups(blocks.div_ceil(workgroup)) }
    }
}
