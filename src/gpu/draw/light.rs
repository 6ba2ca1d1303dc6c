//! Which pixels of the view a brush lights by the codes of a picture that is not the one shown there.

use std::collections::HashMap;

use crate::gpu::Gpu;
use crate::gpu::resources::{bind, compute, group_layout, pipeline_layout};
use crate::gpu::shared::layout_constants;
use crate::picture::layout::PixelLayout;

/// Finds them: `light` of shaders/video.wgsl.
#[derive(Debug)]
pub(super) struct LightPass {
    module: wgpu::ShaderModule,
    found_layout: wgpu::BindGroupLayout,
    pipeline_layout: wgpu::PipelineLayout,
    pipelines: HashMap<PixelLayout, wgpu::ComputePipeline>,
}

impl LightPass {
    /// Makes the pass of that module for pictures and placements that are bound by these layouts.
    pub fn new(
        gpu: &Gpu,
        module: &wgpu::ShaderModule,
        picture_layout: &wgpu::BindGroupLayout,
        placement_layout: &wgpu::BindGroupLayout,
    ) -> Self {
        let writes = (wgpu::ShaderStages::COMPUTE, wgpu::BufferBindingType::Storage { read_only: false });
        let found_layout = group_layout(&gpu.device, "light", &[writes]);
        let groups = [picture_layout, placement_layout, &found_layout];
        let pipeline_layout = pipeline_layout(&gpu.device, "light", &groups);
        Self { module: module.clone(), found_layout, pipeline_layout, pipelines: HashMap::new() }
    }

    /// Records the pass over a view of `rows` rows into `lit`, a bit a pixel. The picture is `bound` and of that layout, and
    /// `placement` has the brush.
    pub fn record(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        (bound, layout): (&wgpu::BindGroup, PixelLayout),
        placement: &wgpu::BindGroup,
        lit: &wgpu::Buffer,
        rows: u32,
    ) {
        let (module, pipeline_layout) = (&self.module, &self.pipeline_layout);
        let pipeline = self.pipelines.entry(layout).or_insert_with(|| {
            compute(&gpu.device, "light", Some(pipeline_layout), module, "light", &layout_constants(&layout))
        });
        let found = bind(&gpu.device, "light", &self.found_layout, &[lit]);
        let descriptor = wgpu::ComputePassDescriptor { label: Some("light"), timestamp_writes: None };
        let mut pass = encoder.begin_compute_pass(&descriptor);
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, bound, &[]);
        pass.set_bind_group(1, placement, &[]);
        pass.set_bind_group(2, &found, &[]);
        pass.dispatch_workgroups(rows, 1, 1);
    }
}
