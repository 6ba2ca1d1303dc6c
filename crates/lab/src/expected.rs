//! The correct counts for a method, computed on the GPU from the same planes in the same frame.

use super::counting::overrides;
use super::image::reading;
use super::setup::Setup;
use super::shape::reduced;
use histoscope_core::picture::Picture;
use histoscope_render::gpu::Gpu;
use histoscope_render::gpu::resources::storage;
use histoscope_render::gpu::shaders::{self, groups};
use histoscope_render::gpu::timing::compute_pass;

/// A pass that counts correctly, with atomics.
#[derive(Debug)]
pub(super) struct ExpectedPass {
    pub bins: wgpu::Buffer,
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    size: (u32, u32),
}

impl ExpectedPass {
    /// Makes the pass for pictures like this one. It counts codes of `depth` bits of the first of each `step` pixels.
    pub fn new(gpu: &Gpu, setup: Setup, picture: &Picture, depth: u32, step: u32) -> Self {
        let mut constants = reading(picture, depth, step);
        constants.extend(overrides(&[("BINS", setup.shape.bins()), ("CHANNELS", setup.channels.count())]));
        let pipeline = shaders::EXPECTED.module(&gpu.device).compute(&gpu.device, "expect", &constants);
        let bins = storage(&gpu.device, "expected bins", setup.word_count());
        let group = groups::LAB_EXPECTED.bind(&gpu.device, &[&bins]);
        Self { bins, pipeline, group, size: reduced((picture.width(), picture.height()), step) }
    }

    pub fn record(&self, encoder: &mut wgpu::CommandEncoder, picture: &wgpu::BindGroup) {
        encoder.clear_buffer(&self.bins, 0, None);
        compute_pass(encoder, "expected", None, |pass| {
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, picture, &[]);
            pass.set_bind_group(1, &self.group, &[]);
            pass.dispatch_workgroups(self.size.0.div_ceil(16), self.size.1.div_ceil(16), 1);
        });
    }
}
