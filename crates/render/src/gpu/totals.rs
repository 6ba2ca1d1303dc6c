//! Counts pixels by a separate criterion: those outside limits, those that a brush over several channels selects, and
//! those of each level of linear light. Each pass runs only on request.

use bytemuck::{Pod, Zeroable};
use std::collections::HashMap;
use std::marker::PhantomData;

use super::Gpu;
use super::params::{PixelReading, RegionParams};
use super::resources::{storage, uniform};
use super::shaders::groups::{self, GroupLayout};
use super::shaders::{self, Shader};
use super::timing::compute_pass;
use crate::view::scene::Brush;
use histoscope_core::histogram::limits::{Limits, R103_WEIGHT};
use histoscope_core::histogram::{CHANNELS, Components, LightTable, Transfer};
use histoscope_core::picture::region::Rect;

/// `Limits` of shaders/limits.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct LimitsParams {
    /// Column and row of the first counted pixel.
    pub first: [u32; 2],
    /// Column and row after the last counted pixel.
    pub end: [u32; 2],
    /// The lowest fixed-point value inside the limits.
    pub low: i32,
    /// The lowest value above the limits, in 64ths and less `low`: its 256ths, and what remains.
    pub width: [i32; 2],
    /// Distance of the lines of a field.
    pub step: u32,
}

const _: () = assert!(size_of::<LimitsParams>() == 32);

/// `Selection` of shaders/selection.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct SelectionParams {
    /// Column and row of the first counted pixel.
    pub first: [u32; 2],
    /// Column and row after the last counted pixel.
    pub end: [u32; 2],
    /// Bit mask of the brush's channels.
    pub channels: u32,
    /// Lowest selected bin.
    pub low: u32,
    /// Highest selected bin.
    pub high: u32,
    /// `true` if the channels are Y', Cb and Cr as coded.
    pub coded: u32,
}

const _: () = assert!(size_of::<SelectionParams>() == 32);

/// The most workgroups; if there are more rows, each workgroup processes several.
const MAX_WORKGROUPS: u32 = 1 << 10;

/// A pass whose workgroups iterate over the rows of a picture. Its pipelines are kept for each way of reading pixels.
#[derive(Debug)]
struct RowPass {
    shader: shaders::Module,
    entry_point: &'static str,
    pipelines: HashMap<PixelReading, wgpu::ComputePipeline>,
}

impl RowPass {
    fn new(gpu: &Gpu, shader: &'static Shader, entry_point: &'static str) -> Self {
        Self { shader: shader.module(&gpu.device), entry_point, pipelines: HashMap::new() }
    }

    /// Records the pass over `height` rows of a picture, bound by `picture`, with the resources that `group` binds.
    fn record(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        (picture, reading, height): (&wgpu::BindGroup, PixelReading, u32),
        group: &wgpu::BindGroup,
        constants: &[(&'static str, f64)],
    ) {
        let Self { shader, entry_point, pipelines } = self;
        let pipeline = || shader.compute(&gpu.device, entry_point, &[&reading.constants()[..], constants].concat());
        let pipeline = pipelines.entry(reading).or_insert_with(pipeline);
        compute_pass(encoder, entry_point, None, |pass| {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, picture, &[]);
            pass.set_bind_group(1, group, &[]);
            pass.dispatch_workgroups(height.clamp(1, MAX_WORKGROUPS), 1, 1);
        });
    }
}

/// A criterion that pixels are counted by, in the form of a pass's parameters.
pub trait PixelCriterion: bytemuck::NoUninit + Default {
    /// Name of the pass and its buffers.
    const LABEL: &'static str;
    /// Its shader.
    const SHADER: &'static Shader;
    /// The shader's entry point.
    const ENTRY_POINT: &'static str;
    /// The group of its parameters and totals.
    const GROUP: &'static GroupLayout;
    /// Number of totals.
    const TOTALS: usize;
}

/// Counts pixels whose filtered red, green or blue is outside the limits.
impl PixelCriterion for LimitsParams {
    const LABEL: &'static str = "limits";
    const SHADER: &'static Shader = &shaders::LIMITS;
    const ENTRY_POINT: &'static str = "count_outside";
    const GROUP: &'static GroupLayout = &groups::LIMITS;
    const TOTALS: usize = 1;
}

impl LimitsParams {
    /// Creates the parameters for a rectangle of a picture, which may consist of two fields.
    #[must_use]
    pub fn new(limits: Limits, rect: Rect, is_interlaced: bool) -> Self {
        let (first, end) = rect.corners();
        // The sums of the filter are wider than 32 bits.
        let width = i64::from(R103_WEIGHT) * (i64::from(limits.high) - i64::from(limits.low));
        let width = [(width >> 8) as i32, (width & 0xff) as i32];
        Self { first, end, low: limits.low, width, step: 1 + u32::from(is_interlaced) }
    }
}

/// Counts pixels with any, and with all, of a brush's channels in its range.
impl PixelCriterion for SelectionParams {
    const LABEL: &'static str = "selection";
    const SHADER: &'static Shader = &shaders::SELECTION;
    const ENTRY_POINT: &'static str = "count_selected";
    const GROUP: &'static GroupLayout = &groups::SELECTION;
    const TOTALS: usize = 2;
}

impl SelectionParams {
    /// Creates the parameters for a rectangle of a picture whose bins count these components.
    #[must_use]
    pub fn new(brush: Brush, components: Components, rect: Rect) -> Self {
        let (first, end) = rect.corners();
        let Brush { channels, low, high } = brush;
        Self { first, end, channels: channels.bits(), low, high, coded: (components == Components::YCbCr).into() }
    }
}

/// Counts the pixels that satisfy a criterion.
#[derive(Debug)]
pub struct TotalsPass<Q> {
    pass: RowPass,
    params: wgpu::Buffer,
    /// The counts, one word each.
    pub totals: wgpu::Buffer,
    group: wgpu::BindGroup,
    question: PhantomData<Q>,
}

impl<Q: PixelCriterion> TotalsPass<Q> {
    /// Creates the pass.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        let params = uniform(gpu, Q::LABEL, &Q::default());
        let totals = storage(&gpu.device, Q::LABEL, Q::TOTALS);
        let group = Q::GROUP.bind(&gpu.device, &[&params, &totals]);
        let pass = RowPass::new(gpu, Q::SHADER, Q::ENTRY_POINT);
        Self { pass, params, totals, group, question: PhantomData }
    }

    /// Records counting a picture, given by its bind group, its reading, and the height of the question's rectangle,
    /// which must lie in the picture. `question` applies to the next submission.
    pub fn record(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        picture: (&wgpu::BindGroup, PixelReading, u32),
        question: &Q,
    ) {
        gpu.queue.write_buffer(&self.params, 0, bytemuck::bytes_of(question));
        encoder.clear_buffer(&self.totals, 0, None);
        self.pass.record(gpu, encoder, picture, &self.group, &[]);
    }
}

/// Counts the luminance in linear light.
#[derive(Debug)]
pub struct LinearPass {
    pass: RowPass,
    region: wgpu::Buffer,
    light: wgpu::Buffer,
    /// The bins of luminance, in the position of the last of four channels. The other channels are empty.
    pub bins: wgpu::Buffer,
    group: wgpu::BindGroup,
    /// The transfer function and the bits of the codes whose light is in the `light` buffer.
    written: Option<(Transfer, u32)>,
}

impl LinearPass {
    /// Creates the pass with room for every depth.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        let region = uniform(gpu, "linear", &RegionParams::default());
        let light = storage(&gpu.device, "light of codes", 1 << 12);
        let bins = storage(&gpu.device, "linear bins", CHANNELS << 12);
        let group = groups::LINEAR.bind(&gpu.device, &[&region, &light, &bins]);
        Self { pass: RowPass::new(gpu, &shaders::LINEAR, "count_linear"), region, light, bins, group, written: None }
    }

    /// Records counting a rectangle, which must lie in the picture, of a picture bound by `picture`. `codes` are the
    /// transfer function and the bits of its codes. All apply to the next submission.
    pub fn record(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        (picture, reading, rect): (&wgpu::BindGroup, PixelReading, Rect),
        codes: (Transfer, u32),
    ) {
        gpu.queue.write_buffer(&self.region, 0, bytemuck::bytes_of(&RegionParams::from(rect)));
        if self.written != Some(codes) {
            let table = LightTable::new(codes.0, codes.1);
            gpu.queue.write_buffer(&self.light, 0, bytemuck::cast_slice(table.light()));
            self.written = Some(codes);
        }
        encoder.clear_buffer(&self.bins, 0, None);
        let codes = ("CODES", f64::from(1_u32 << reading.layout.bin_bits()));
        self.pass.record(gpu, encoder, (picture, reading, rect.height), &self.group, &[codes]);
    }

    /// Writes bins that the CPU has counted, for the next submission.
    pub fn take(&self, gpu: &Gpu, bins: &[u32]) {
        let behind = 3 * size_of_val(bins) as u64;
        gpu.queue.write_buffer(&self.bins, behind, bytemuck::cast_slice(bins));
    }
}
