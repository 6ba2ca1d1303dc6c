//! Counting pixels of a picture by a question of its own: how many lie outside limits, how many a brush over several channels
//! selects, how much linear light each has. Each pass runs only where somebody asks.

use bytemuck::{Pod, Zeroable};
use std::collections::HashMap;
use std::marker::PhantomData;

use super::Gpu;
use super::params::{RegionParams, layout_constants};
use super::resources::{storage, uniform};
use super::shaders::groups::{self, GroupLayout};
use super::shaders::{self, Shader};
use super::timing::compute_pass;
use crate::view::scene::Brush;
use histoscope_core::histogram::limits::Limits;
use histoscope_core::histogram::{CHANNELS, Components, LightTable};
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::picture::region::Rect;

/// `Limits` of shaders/limits.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct LimitsParams {
    /// The lowest fixed-point value inside.
    pub low: i32,
    /// The lowest above.
    pub high: i32,
    /// Column and row of the first pixel that is counted.
    pub first: [u32; 2],
    /// Column and row behind the last.
    pub end: [u32; 2],
}

const _: () = assert!(size_of::<LimitsParams>() == 24);

/// `Selection` of shaders/selection.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct SelectionParams {
    /// Column and row of the first pixel that is counted.
    pub first: [u32; 2],
    /// Column and row behind the last.
    pub end: [u32; 2],
    /// Channels of the brush, a bit each.
    pub channels: u32,
    /// Lowest bin that is selected.
    pub low: u32,
    /// Highest bin that is selected.
    pub high: u32,
    /// `true` if the channels are Y', Cb and Cr as coded.
    pub coded: u32,
}

const _: () = assert!(size_of::<SelectionParams>() == 32);

/// The most workgroups; each takes several rows where there are more.
const MOST_WORKGROUPS: u32 = 1 << 10;

/// A pass whose workgroups go through the rows of a picture. Its pipelines are kept for each layout.
#[derive(Debug)]
struct RowPass {
    shader: shaders::Module,
    entry_point: &'static str,
    pipelines: HashMap<PixelLayout, wgpu::ComputePipeline>,
}

impl RowPass {
    fn new(gpu: &Gpu, shader: &'static Shader, entry_point: &'static str) -> Self {
        Self { shader: shader.module(&gpu.device), entry_point, pipelines: HashMap::new() }
    }

    /// Records it for so many rows of a picture of that layout, bound by `picture`, with what `group` binds.
    fn record(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        (picture, layout, height): (&wgpu::BindGroup, PixelLayout, u32),
        group: &wgpu::BindGroup,
        constants: &[(&'static str, f64)],
    ) {
        let Self { shader, entry_point, pipelines } = self;
        let pipeline =
            || shader.compute(&gpu.device, entry_point, &[&layout_constants(&layout)[..], constants].concat());
        let pipeline = pipelines.entry(layout).or_insert_with(pipeline);
        compute_pass(encoder, entry_point, None, |pass| {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, picture, &[]);
            pass.set_bind_group(1, group, &[]);
            pass.dispatch_workgroups(height.clamp(1, MOST_WORKGROUPS), 1, 1);
        });
    }
}

/// A question about each pixel, as the parameters of a pass.
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
    pass: RowPass,
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
        let pass = RowPass::new(gpu, Q::SHADER, Q::ENTRY_POINT);
        Self { pass, params, totals, group, question: PhantomData }
    }

    /// Records the counting of a picture of that layout, bound by `picture`, in which the question's rectangle of that height must
    /// lie. The question holds for what is submitted next.
    pub fn record(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        picture: (&wgpu::BindGroup, PixelLayout, u32),
        question: &Q,
    ) {
        gpu.queue.write_buffer(&self.params, 0, bytemuck::bytes_of(question));
        encoder.clear_buffer(&self.totals, 0, None);
        self.pass.record(gpu, encoder, picture, &self.group, &[]);
    }
}

/// Counts the luminance of linear light.
#[derive(Debug)]
pub struct LinearPass {
    pass: RowPass,
    region: wgpu::Buffer,
    light: wgpu::Buffer,
    /// The bins, where those of luminance are among four channels. The others are empty.
    pub bins: wgpu::Buffer,
    group: wgpu::BindGroup,
    /// The table whose light the buffer has.
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
        Self { pass: RowPass::new(gpu, &shaders::LINEAR, "count_linear"), region, light, bins, group, table: None }
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
        let codes = ("CODES", f64::from(1_u32 << layout.bin_bits()));
        self.pass.record(gpu, encoder, (picture, layout, rect.height), &self.group, &[codes]);
    }

    /// Takes bins that the CPU has counted, for what is submitted next.
    pub fn take(&self, gpu: &Gpu, bins: &[u32]) {
        let behind = 3 * size_of_val(bins) as u64;
        gpu.queue.write_buffer(&self.bins, behind, bytemuck::cast_slice(bins));
    }
}
