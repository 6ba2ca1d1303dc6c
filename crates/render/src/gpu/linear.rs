//! The luminance of linear light on the adapter, which is counted only where it is shown or asked for.

use std::collections::HashMap;

use super::Gpu;
use super::params::{RegionParams, layout_constants};
use super::resources::{storage, uniform};
use super::shaders::{self, groups};
use histoscope_core::histogram::{CHANNELS, LightTable};
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::picture::region::Rect;

/// The most workgroups; each takes several rows where there are more.
const MOST_WORKGROUPS: u32 = 1 << 10;

/// Counts the luminance of linear light.
#[derive(Debug)]
pub struct LinearPass {
    shader: shaders::Module,
    pipelines: HashMap<PixelLayout, wgpu::ComputePipeline>,
    region: wgpu::Buffer,
    light: wgpu::Buffer,
    /// The bins, where those of luminance are among four channels. The others are empty.
    pub bins: wgpu::Buffer,
    group: wgpu::BindGroup,
    /// Whose light the buffer has.
    table: Option<LightTable>,
}

impl LinearPass {
    /// Makes the pass with room for every depth.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        let region = uniform(gpu, "linear", &RegionParams::default());
        let light = storage(&gpu.device, "light of codes", 1 << 12);
        let bins = storage(&gpu.device, "linear bins", CHANNELS << 12);
        let group = groups::LINEAR.bind(&gpu.device, &[&region, &light, &bins]);
        let shader = shaders::LINEAR.module(&gpu.device);
        Self { shader, pipelines: HashMap::new(), region, light, bins, group, table: None }
    }

    /// Records the counting of a rectangle of a picture of that layout, bound by `picture`, in which it must lie. Rectangle and light
    /// hold for what is submitted next.
    pub fn record(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        (picture, layout, rect): (&wgpu::BindGroup, PixelLayout, Rect),
        table: &LightTable,
    ) {
        gpu.queue.write_buffer(&self.region, 0, bytemuck::bytes_of(&RegionParams::from(rect)));
        if self.table.as_ref() != Some(table) {
            gpu.queue.write_buffer(&self.light, 0, bytemuck::cast_slice(table.light()));
            self.table = Some(table.clone());
        }
        encoder.clear_buffer(&self.bins, 0, None);
        let shader = &self.shader;
        let pipeline = || {
            let mut constants = layout_constants(&layout);
            constants.push(("CODES", f64::from(1_u32 << layout.bin_bits())));
            shader.compute(&gpu.device, "count_linear", &constants)
        };
        let pipeline = self.pipelines.entry(layout).or_insert_with(pipeline);
        let descriptor = wgpu::ComputePassDescriptor { label: Some("linear"), timestamp_writes: None };
        let mut pass = encoder.begin_compute_pass(&descriptor);
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, picture, &[]);
        pass.set_bind_group(1, &self.group, &[]);
        pass.dispatch_workgroups(rect.height.clamp(1, MOST_WORKGROUPS), 1, 1);
    }

    /// Takes bins that the CPU has counted, for what is submitted next.
    pub fn take(&self, gpu: &Gpu, bins: &[u32]) {
        let behind = 3 * size_of_val(bins) as u64;
        gpu.queue.write_buffer(&self.bins, behind, bytemuck::cast_slice(bins));
    }
}
