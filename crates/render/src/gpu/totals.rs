//! Counting pixels of a picture by a question of its own: how many lie outside limits, how many a brush over several channels
//! selects. Each pass runs only where somebody asks.

use std::collections::HashMap;
use std::marker::PhantomData;

use super::Gpu;
use super::params::{LimitsParams, SelectionParams, layout_constants};
use super::resources::{storage, uniform};
use super::shaders::groups::{self, GroupLayout};
use super::shaders::{self, Shader};
use crate::view::scene::Brush;
use histoscope_core::histogram::Components;
use histoscope_core::histogram::limits::Limits;
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::picture::region::Rect;

/// The most workgroups; each takes several rows where there are more.
const MOST_WORKGROUPS: u32 = 1 << 10;

/// What is asked of each pixel, as the parameters of a pass.
pub trait Question: bytemuck::NoUninit + Default {
    /// Name of the pass and its buffers.
    const LABEL: &'static str;
    /// Its shader.
    const SHADER: &'static Shader;
    /// Where the shader begins.
    const ENTRY_POINT: &'static str;
    /// Its parameters and totals.
    const GROUP: &'static GroupLayout;
    /// How many totals there are.
    const TOTALS: usize;
}

/// Pixels of which red, green or blue lies outside limits.
impl Question for LimitsParams {
    const LABEL: &'static str = "limits";
    const SHADER: &'static Shader = &shaders::LIMITS;
    const ENTRY_POINT: &'static str = "count_outside";
    const GROUP: &'static GroupLayout = &groups::LIMITS;
    const TOTALS: usize = 1;
}

impl LimitsParams {
    /// Of a rectangle of a picture.
    #[must_use]
    pub fn new(limits: Limits, rect: Rect) -> Self {
        let (first, end) = rect.corners();
        Self { low: limits.low, high: limits.high, first, end }
    }
}

/// Pixels of which any, and all, of a brush's channels lie in its range.
impl Question for SelectionParams {
    const LABEL: &'static str = "selection";
    const SHADER: &'static Shader = &shaders::SELECTION;
    const ENTRY_POINT: &'static str = "count_selected";
    const GROUP: &'static GroupLayout = &groups::SELECTION;
    const TOTALS: usize = 2;
}

impl SelectionParams {
    /// Of a rectangle of a picture, whose bins are of these components.
    #[must_use]
    pub fn new(brush: Brush, components: Components, rect: Rect) -> Self {
        let (first, end) = rect.corners();
        let Brush { channels, low, high } = brush;
        Self { first, end, channels: channels.bits(), low, high, coded: (components == Components::YCbCr).into() }
    }
}

/// Counts the pixels that answer a question.
#[derive(Debug)]
pub struct TotalsPass<Q> {
    shader: shaders::Module,
    pipelines: HashMap<PixelLayout, wgpu::ComputePipeline>,
    params: wgpu::Buffer,
    /// The counts, a word each.
    pub totals: wgpu::Buffer,
    group: wgpu::BindGroup,
    question: PhantomData<Q>,
}

impl<Q: Question> TotalsPass<Q> {
    /// Makes the pass.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        let params = uniform(gpu, Q::LABEL, &Q::default());
        let totals = storage(&gpu.device, Q::LABEL, Q::TOTALS);
        let group = Q::GROUP.bind(&gpu.device, &[&params, &totals]);
        let shader = Q::SHADER.module(&gpu.device);
        Self { shader, pipelines: HashMap::new(), params, totals, group, question: PhantomData }
    }

    /// Records the counting of a picture of that layout, bound by `picture`, in which the question's rectangle of that height must
    /// lie. The question holds for what is submitted next.
    pub fn record(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        (picture, layout, height): (&wgpu::BindGroup, PixelLayout, u32),
        question: &Q,
    ) {
        gpu.queue.write_buffer(&self.params, 0, bytemuck::bytes_of(question));
        encoder.clear_buffer(&self.totals, 0, None);
        let shader = &self.shader;
        let pipeline = || shader.compute(&gpu.device, Q::ENTRY_POINT, &layout_constants(&layout));
        let pipeline = self.pipelines.entry(layout).or_insert_with(pipeline);
        let descriptor = wgpu::ComputePassDescriptor { label: Some(Q::LABEL), timestamp_writes: None };
        let mut pass = encoder.begin_compute_pass(&descriptor);
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, picture, &[]);
        pass.set_bind_group(1, &self.group, &[]);
        pass.dispatch_workgroups(height.clamp(1, MOST_WORKGROUPS), 1, 1);
    }
}
