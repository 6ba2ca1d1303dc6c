//! Otsu's thresholds.

use std::collections::HashMap;

use crate::gpu::Gpu;
use crate::gpu::resources::{Dispatch, storage};
use crate::gpu::shaders::{self, groups};
use histoscope_core::adjust::otsu::LEVELS;

/// The pass.
#[derive(Debug)]
pub(super) struct OtsuPass {
    shader: shaders::Module,
    pipelines: HashMap<(u32, u32), [wgpu::ComputePipeline; 3]>,
    moments: wgpu::Buffer,
    scores: wgpu::Buffer,
    /// Luminance codes at which the second and later classes begin, `u32::MAX` for classes that do not exist.
    pub(super) thresholds: wgpu::Buffer,
}

impl OtsuPass {
    pub(super) fn new(gpu: &Gpu) -> Self {
        let device = &gpu.device;
        Self {
            shader: shaders::OTSU.module(device),
            pipelines: HashMap::new(),
            moments: storage(device, "moments", 4 * (LEVELS + 1)),
            scores: storage(device, "scores", 2 * (LEVELS + 1) * LEVELS),
            thresholds: storage(device, "thresholds", 4),
        }
    }

    /// Creates the dispatches of the search, which uses bins and their prefix sum.
    pub(super) fn dispatches(
        &mut self,
        gpu: &Gpu,
        (bins, cumulative): (&wgpu::Buffer, &wgpu::Buffer),
        bits: u32,
        classes: u32,
    ) -> [Dispatch; 3] {
        let (device, shader) = (&gpu.device, &self.shader);
        let pipelines = self.pipelines.entry((bits, classes)).or_insert_with(|| {
            let constants = [("BITS", f64::from(bits)), ("CLASSES", f64::from(classes))];
            ["add_levels", "score_runs", "cut"].map(|entry| shader.compute(device, entry, &constants))
        });
        let group = groups::OTSU.bind(device, &[bins, cumulative, &self.moments, &self.scores, &self.thresholds]);
        let workgroups = [1, LEVELS as u32, 1];
        std::array::from_fn(|index| Dispatch {
            pipeline: pipelines[index].clone(),
            group: group.clone(),
            workgroups: (workgroups[index], 1),
        })
    }
}
