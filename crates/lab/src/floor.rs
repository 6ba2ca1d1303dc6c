//! The lower bound for every method: a pass that reads the planes and does nothing else.

use histoscope_render::gpu::Gpu;
use histoscope_render::gpu::resources::storage;
use histoscope_render::gpu::shaders::{self, groups};

/// A pass that reads the planes and does nothing else.
#[derive(Debug)]
pub struct Floor {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    workgroups: u32,
}

impl Floor {
    /// Makes the pass for pictures of `planes` planes, with `workgroups` workgroups of `workgroup` invocations.
    #[must_use]
    pub fn new(gpu: &Gpu, planes: usize, workgroup: u32, workgroups: u32) -> Self {
        let constants = [("WORKGROUP", f64::from(workgroup)), ("PLANES", planes as f64)];
        let pipeline = shaders::FLOOR.module(&gpu.device).compute(&gpu.device, "read_planes", &constants);
        let group = groups::FLOOR.bind(&gpu.device, &[&storage(&gpu.device, "floor", 4)]);
        Self { pipeline, group, workgroups }
    }

    /// Makes the pass with a shape that suits the adapter.
    #[must_use]
    pub fn usual(gpu: &Gpu, planes: usize) -> Self {
        let (workgroup, workgroups) = if gpu.is_software() { (64, 32) } else { (256, 1056) };
        Self::new(gpu, planes, workgroup, workgroups)
    }

    /// Dispatches the pass on the picture of this bind group.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, picture: &wgpu::BindGroup) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, picture, &[]);
        pass.set_bind_group(1, &self.group, &[]);
        pass.dispatch_workgroups(self.workgroups, 1, 1);
    }
}
