//! How many pixels lie outside limits, counted on the adapter. It runs only where somebody asks for that figure.

use std::collections::HashMap;

use super::Gpu;
use super::params::{LimitsParams, layout_constants};
use super::resources::{storage, uniform};
use super::shaders::{self, groups};
use crate::histogram::limits::Limits;
use crate::picture::layout::PixelLayout;
use crate::picture::region::Rect;

/// The most workgroups; each takes several rows where there are more.
const MOST_WORKGROUPS: u32 = 1 << 10;

/// Counts the pixels of which red, green or blue lies outside limits.
#[derive(Debug)]
pub struct LimitsPass {
    shader: shaders::Module,
    pipelines: HashMap<PixelLayout, wgpu::ComputePipeline>,
    params: wgpu::Buffer,
    /// The count, in the first word.
    pub outside: wgpu::Buffer,
    group: wgpu::BindGroup,
}

impl LimitsPass {
    /// Makes the pass.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        let params = uniform(gpu, "limits", &LimitsParams::default());
        let outside = storage(&gpu.device, "pixels outside limits", 1);
        let group = groups::LIMITS.bind(&gpu.device, &[&params, &outside]);
        Self { shader: shaders::LIMITS.module(&gpu.device), pipelines: HashMap::new(), params, outside, group }
    }

    /// Records the counting of a rectangle of a picture of that layout, bound by `picture`, in which it must lie. Rectangle and
    /// `limits` hold for what is submitted next.
    pub fn record(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        (picture, layout, rect): (&wgpu::BindGroup, PixelLayout, Rect),
        limits: Limits,
    ) {
        let (first, end) = rect.corners();
        let params = LimitsParams { low: limits.low, high: limits.high, first, end };
        gpu.queue.write_buffer(&self.params, 0, bytemuck::bytes_of(&params));
        encoder.clear_buffer(&self.outside, 0, None);
        let shader = &self.shader;
        let pipeline = || shader.compute(&gpu.device, "count_outside", &layout_constants(&layout));
        let pipeline = self.pipelines.entry(layout).or_insert_with(pipeline);
        let descriptor = wgpu::ComputePassDescriptor { label: Some("limits"), timestamp_writes: None };
        let mut pass = encoder.begin_compute_pass(&descriptor);
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, picture, &[]);
        pass.set_bind_group(1, &self.group, &[]);
        pass.dispatch_workgroups(rect.height.clamp(1, MOST_WORKGROUPS), 1, 1);
    }
}
