//! How many pixels a brush over several channels selects, counted on the adapter. It runs only while there is such a brush.

use std::collections::HashMap;

use super::Gpu;
use super::params::{SelectionParams, layout_constants};
use super::resources::{storage, uniform};
use super::shaders::{self, groups};
use crate::histogram::Components;
use crate::picture::layout::PixelLayout;
use crate::picture::region::Rect;
use crate::view::scene::Brush;

/// The most workgroups; each takes several rows where there are more.
const MOST_WORKGROUPS: u32 = 1 << 10;

/// Counts the pixels of which any, and all, of a brush's channels lie in its range.
#[derive(Debug)]
pub struct SelectionPass {
    shader: shaders::Module,
    pipelines: HashMap<PixelLayout, wgpu::ComputePipeline>,
    params: wgpu::Buffer,
    /// The two counts: of any, of all.
    pub totals: wgpu::Buffer,
    group: wgpu::BindGroup,
}

impl SelectionPass {
    /// Makes the pass.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        let params = uniform(gpu, "selection", &SelectionParams::default());
        let totals = storage(&gpu.device, "selected pixels", 2);
        let group = groups::SELECTION.bind(&gpu.device, &[&params, &totals]);
        Self { shader: shaders::SELECTION.module(&gpu.device), pipelines: HashMap::new(), params, totals, group }
    }

    /// Records the counting of a rectangle of a picture of that layout, bound by `picture`, in which it must lie. Rectangle and
    /// brush hold for what is submitted next.
    pub fn record(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        (picture, layout, rect): (&wgpu::BindGroup, PixelLayout, Rect),
        (brush, components): (Brush, Components),
    ) {
        let (first, end) = rect.corners();
        let Brush { channels, low, high } = brush;
        let coded = (components == Components::YCbCr).into();
        let params = SelectionParams { first, end, channels: channels.bits(), low, high, coded };
        gpu.queue.write_buffer(&self.params, 0, bytemuck::bytes_of(&params));
        encoder.clear_buffer(&self.totals, 0, None);
        let shader = &self.shader;
        let pipeline = || shader.compute(&gpu.device, "count_selected", &layout_constants(&layout));
        let pipeline = self.pipelines.entry(layout).or_insert_with(pipeline);
        let descriptor = wgpu::ComputePassDescriptor { label: Some("selection"), timestamp_writes: None };
        let mut pass = encoder.begin_compute_pass(&descriptor);
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, picture, &[]);
        pass.set_bind_group(1, &self.group, &[]);
        pass.dispatch_workgroups(rect.height.clamp(1, MOST_WORKGROUPS), 1, 1);
    }
}
