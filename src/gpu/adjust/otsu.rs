//! Otsu's thresholds.

use std::collections::HashMap;

use super::super::Gpu;
use super::{Binding, Dispatch, bind, compute, group_layout, module, pipeline_layout, storage, with_exact};
use crate::adjust::otsu::LEVELS;

const OTSU_WGSL: &str = include_str!("../../../shaders/adjust/otsu.wgsl");

pub(super) fn source() -> String {
    with_exact(OTSU_WGSL)
}

/// The pass.
#[derive(Debug)]
pub(super) struct OtsuPass {
    module: wgpu::ShaderModule,
    group_layout: wgpu::BindGroupLayout,
    layout: wgpu::PipelineLayout,
    pipelines: HashMap<(u32, u32), [wgpu::ComputePipeline; 3]>,
    moments: wgpu::Buffer,
    scores: wgpu::Buffer,
    /// Luminance codes at which the second class and those after it begin; what no code reaches where there is none.
    pub(super) thresholds: wgpu::Buffer,
}

impl OtsuPass {
    pub(super) fn new(gpu: &Gpu) -> Self {
        let device = &gpu.device;
        let bindings = [Binding::Read, Binding::Read, Binding::Write, Binding::Write, Binding::Write];
        let group_layout = group_layout(device, "otsu", &bindings);
        Self {
            module: module(device, "otsu", &source()),
            layout: pipeline_layout(device, "otsu", &[&group_layout]),
            group_layout,
            pipelines: HashMap::new(),
            moments: storage(device, "moments", 4 * (LEVELS + 1)),
            scores: storage(device, "scores", 2 * (LEVELS + 1) * LEVELS),
            thresholds: storage(device, "thresholds", 4),
        }
    }

    /// Gets the search ready, from bins and their prefix sum.
    pub(super) fn dispatches(
        &mut self,
        gpu: &Gpu,
        (bins, cumulative): (&wgpu::Buffer, &wgpu::Buffer),
        bits: u32,
        classes: u32,
    ) -> [Dispatch; 3] {
        let (device, layout, module) = (&gpu.device, &self.layout, &self.module);
        let pipelines = self.pipelines.entry((bits, classes)).or_insert_with(|| {
            let constants = [("BITS", f64::from(bits)), ("CLASSES", f64::from(classes))];
            ["add_levels", "score_runs", "cut"].map(|entry| compute(device, layout, module, entry, &constants))
        });
        let buffers = [bins, cumulative, &self.moments, &self.scores, &self.thresholds];
        let group = bind(device, "otsu", &self.group_layout, &buffers);
        let workgroups = [1, LEVELS as u32, 1];
        std::array::from_fn(|index| Dispatch {
            pipeline: pipelines[index].clone(),
            group: group.clone(),
            workgroups: (workgroups[index], 1),
        })
    }
}
