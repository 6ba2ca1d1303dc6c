//! The pictures' pass.

use std::collections::HashMap;
use std::ops::Range;

use glam::DVec2;

use crate::cpu::SelectedPixels;
use crate::gpu::Gpu;
use crate::gpu::params::{PlacementParams, layout_constants};
use crate::gpu::resources::{buffer, storage};
use crate::gpu::shaders::{self, groups};
use crate::view::brush::Lighting;
use crate::view::datascope::{Codes, Writing};
use crate::view::exposure::{Inspection, MOST_BANDS, Marks, Paint, Tint, mark_colors, stripe_pixels};
use crate::view::placement::Placement;
use histoscope_core::histogram::Components;
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::picture::region::Rect;

/// The most taps a side that a picture drawn smaller than itself is averaged from.
const MOST_TAPS: f64 = 4.0;

/// Which of the pictures is drawn: each has a placement, a brush and a layout of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The picture as it was decoded.
    Source,
    /// The adjusted one.
    Result,
    /// The one that both are compared with.
    Beside,
}

impl Side {
    /// How many there are.
    pub const COUNT: usize = 3;

    /// The side whose codes light this one where its own do not: of the picture as it was decoded and the adjusted one the other.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Source | Self::Beside => Self::Result,
            Self::Result => Self::Source,
        }
    }
}

/// What is drawn of a picture where its codes ask for it.
#[derive(Debug, Clone, Copy, Default)]
pub struct ByCodes<'a> {
    /// What is lit, the rest being dimmed.
    pub lighting: Option<&'a Lighting>,
    /// The pixels that are, where they were selected one by one.
    pub selected: Option<Selected<'a>>,
    /// What is striped, marked and in false colour.
    pub inspection: Option<&'a Inspection>,
    /// Which codes are written in pixels that are large enough.
    pub codes: Option<&'a Codes>,
}

/// Pixels of a picture that were selected one by one.
#[derive(Debug, Clone, Copy)]
pub enum Selected<'a> {
    /// For an adapter that draws: planes as [`SelectedPixels::words`], and words of a row of one.
    There {
        /// The planes.
        planes: &'a wgpu::Buffer,
        /// Words of a row.
        row_words: u32,
    },
    /// For the CPU that paints.
    Here(&'a SelectedPixels),
}

/// Draws pictures whose planes the adapter has.
#[derive(Debug)]
pub struct VideoPass {
    shader: shaders::Module,
    pipelines: HashMap<PixelLayout, wgpu::RenderPipeline>,
    format: wgpu::TextureFormat,
    /// They find which pixels of the view a brush lights by the codes of a picture that is not the one shown there.
    light_pipelines: HashMap<PixelLayout, wgpu::ComputePipeline>,
    slots: [Slot; Side::COUNT],
}

/// What is set up for one side.
#[derive(Debug)]
struct Slot {
    placement: wgpu::Buffer,
    /// Which sample covers each column and row of the view, as far as the shader was told.
    nearest: wgpu::Buffer,
    told: Option<Placement>,
    /// Which pixels the other picture lights.
    lit: wgpu::Buffer,
    /// Which pixels of the picture are lit, where they were selected one by one: that buffer is bound instead.
    selected: Option<wgpu::Buffer>,
    /// Leads to the three buffers.
    group: wgpu::BindGroup,
    layout: Option<PixelLayout>,
}

impl VideoPass {
    /// Makes the pass for views of `format`, which must not be sRGB: codes are shown as they are.
    #[must_use]
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Self {
        Self {
            shader: shaders::VIDEO.module(&gpu.device),
            pipelines: HashMap::new(),
            format,
            light_pipelines: HashMap::new(),
            slots: std::array::from_fn(|_| Slot::new(gpu)),
        }
    }

    /// Sets a side up for pictures of a layout; cheap where nothing changed.
    pub fn prepare_layout(&mut self, gpu: &Gpu, side: Side, layout: PixelLayout) {
        self.slots[side as usize].layout = Some(layout);
        let (shader, format) = (&self.shader, self.format);
        let pipeline = || shader.rectangle(&gpu.device, "video", &layout_constants(&layout), format, None);
        self.pipelines.entry(layout).or_insert_with(pipeline);
    }

    /// Places a side's picture, on which its own codes ask for what is drawn.
    pub fn place(&mut self, gpu: &Gpu, side: Side, placement: &Placement, by_codes: ByCodes<'_>) {
        self.slots[side as usize].place(gpu, placement, by_codes, 0);
    }

    /// The same, but it is by the codes of the other side's picture, bound by `group` and of that layout, that pixels are
    /// lit: records the pass that finds those.
    pub fn place_lit_by_other(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        side: Side,
        (group, layout): (&wgpu::BindGroup, PixelLayout),
        placement: &Placement,
        by_codes: ByCodes<'_>,
    ) {
        self.place(gpu, side.other(), placement, ByCodes { lighting: by_codes.lighting, ..ByCodes::default() });
        let row_words = placement.view.0.div_ceil(32);
        let slot = &mut self.slots[side as usize];
        slot.make_room_for_light(gpu, row_words as usize * placement.view.1 as usize);
        slot.place(gpu, placement, by_codes, row_words);
        let (lit, by) = (&self.slots[side as usize].lit, &self.slots[side.other() as usize].group);
        let shader = &self.shader;
        let pipeline = || shader.compute(&gpu.device, "light", &layout_constants(&layout));
        let pipeline = self.light_pipelines.entry(layout).or_insert_with(pipeline);
        let found = groups::LIGHT.bind(&gpu.device, &[lit]);
        let descriptor = wgpu::ComputePassDescriptor { label: Some("light"), timestamp_writes: None };
        let mut pass = encoder.begin_compute_pass(&descriptor);
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, group, &[]);
        pass.set_bind_group(1, by, &[]);
        pass.set_bind_group(2, &found, &[]);
        pass.dispatch_workgroups(placement.view.1, 1, 1);
    }

    /// Draws a side's picture on some columns of the view, which is `height` pixels high. They must not be none.
    pub fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        side: Side,
        picture_group: &wgpu::BindGroup,
        columns: &Range<u32>,
        height: u32,
    ) {
        let slot = &self.slots[side as usize];
        if let Some(pipeline) = slot.layout.and_then(|layout| self.pipelines.get(&layout)) {
            pass.set_scissor_rect(columns.start, 0, columns.end - columns.start, height);
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, picture_group, &[]);
            pass.set_bind_group(1, &slot.group, &[]);
            pass.draw(0..4, 0..1);
        }
    }
}

impl Slot {
    fn new(gpu: &Gpu) -> Self {
        let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let placement = buffer(&gpu.device, "placement", size_of::<PlacementParams>() / 4, usage);
        let nearest = storage(&gpu.device, "nearest samples", 0);
        let lit = storage(&gpu.device, "lit pixels", 0);
        let group = groups::PLACEMENT.bind(&gpu.device, &[&placement, &nearest, &lit]);
        Self { placement, nearest, told: None, lit, selected: None, group, layout: None }
    }

    fn rebind(&mut self, gpu: &Gpu) {
        let lit = self.selected.as_ref().unwrap_or(&self.lit);
        self.group = groups::PLACEMENT.bind(&gpu.device, &[&self.placement, &self.nearest, lit]);
    }

    fn place(&mut self, gpu: &Gpu, placement: &Placement, by_codes: ByCodes<'_>, lit_words: u32) {
        let selected = match by_codes.selected {
            Some(Selected::There { planes, row_words }) => Some((planes, row_words)),
            Some(Selected::Here(_)) | None => None,
        };
        if self.selected.as_ref() != selected.map(|(planes, _)| planes) {
            self.selected = selected.map(|(planes, _)| planes.clone());
            self.rebind(gpu);
        }
        let selected_words = selected.map_or(0, |(_, row_words)| row_words);
        let params =
            PlacementParams { lit_words, selected: [selected_words, 0, 0, 0], ..placement_params(placement, by_codes) };
        gpu.queue.write_buffer(&self.placement, 0, bytemuck::bytes_of(&params));
        if placement.has_hard_edges || by_codes.lighting.is_some() || by_codes.inspection.is_some() {
            self.tell_nearest(gpu, placement);
        }
    }

    /// Tells the shader which samples cover the view's pixels, unless it knows.
    fn tell_nearest(&mut self, gpu: &Gpu, placement: &Placement) {
        if self.told.as_ref() == Some(placement) {
            return;
        }
        let found = placement.nearest();
        let mut words = [found.columns, found.rows].concat();
        if placement.cell_size().is_some() {
            let cells = placement.cells();
            words.extend(cells.columns.iter().chain(&cells.rows).map(|[place, size]| place | size << 16));
        }
        if self.nearest.size() < words.len() as u64 * 4 {
            self.nearest = storage(&gpu.device, "nearest samples", words.len().next_power_of_two());
            self.rebind(gpu);
        }
        gpu.queue.write_buffer(&self.nearest, 0, bytemuck::cast_slice(&words));
        self.told = Some(*placement);
    }

    fn make_room_for_light(&mut self, gpu: &Gpu, words: usize) {
        if self.lit.size() < words as u64 * 4 {
            self.lit = storage(&gpu.device, "lit pixels", words);
            self.rebind(gpu);
        }
    }
}

/// What the shader is told of a picture's place, of the brush, and of what else its codes ask for.
fn placement_params(placement: &Placement, by_codes: ByCodes<'_>) -> PlacementParams {
    let ByCodes { lighting, inspection, codes, .. } = by_codes;
    let writing = codes.and_then(|codes| codes.writing(placement));
    let pair = |v: DVec2| v.as_vec2().to_array();
    let sampling = &placement.sampling;
    // Linear interpolation reaches two samples a side; smaller pictures are averaged from more taps.
    let taps = (sampling.footprint() * 0.5 - 1e-6).ceil().clamp(1.0, MOST_TAPS);
    let brush = lighting.and_then(|lighting| lighting.range);
    let region = lighting.and_then(|lighting| lighting.region);
    let (first, end) = region.unwrap_or(Rect::whole(placement.picture.0, placement.picture.1)).corners();
    let marks = inspection.and_then(|inspection| inspection.marks);
    let tint = inspection.and_then(|inspection| inspection.tint);
    let bounds = |of: fn(&Marks) -> [i32; 3]| {
        let [a, b, c] = marks.as_ref().map_or([0; 3], of);
        [a, b, c, 0]
    };
    PlacementParams {
        transform: placement.transform.as_mat4().to_cols_array_2d(),
        across: pair(sampling.across),
        down: pair(sampling.down),
        origin: pair(sampling.origin),
        taps: taps as u32,
        hard: placement.has_hard_edges.into(),
        view_width: placement.view.0,
        turned: sampling.is_turned().into(),
        channels: brush.map_or(0, |brush| brush.channels.bits()),
        low: brush.map_or(0, |brush| brush.low),
        high: brush.map_or(0, |brush| brush.high),
        strength: lighting.map_or(0, |lighting| lighting.strength),
        coded: lighting.is_some_and(|lighting| lighting.components == Components::YCbCr).into(),
        lit_words: 0,
        first,
        end,
        zebra: inspection.and_then(|inspection| inspection.zebra).unwrap_or(u32::MAX),
        stripe: stripe_pixels(placement.view.1),
        tone_coded: inspection.is_some_and(|inspection| inspection.is_tone_coded).into(),
        marks: marks.map_or(0, |marks| 1 + u32::from(marks.is_coded)),
        lowest: bounds(|marks| marks.low),
        highest: bounds(|marks| marks.high),
        selected: [0; 4],
        mark_colors: mark_colors(marks.is_some_and(|marks| marks.is_coded)).map(|[r, g, b]| [r, g, b, 0]),
        tint: tint.map_or([0; 4], |tint| [if tint.is_luma { 1 } else { 2 }, tint.black, tint.white, 0]),
        bands: tint.map_or([[0; 4]; MOST_BANDS], |tint| bands(&tint)),
        text: writing.as_ref().map_or([0; 4], |w| [w.lines, w.scale, w.digits, w.base]),
        letters: writing.as_ref().map_or([0; 4], |w| letters(w, placement)),
        glyphs: writing.as_ref().map_or([[0; 4]; 16], |w| w.font.glyphs.map(|[first, second]| [first, second, 0, 0])),
    }
}

/// The letters of the datascope as the shader takes them; cells lie behind the nearest samples.
fn letters(writing: &Writing, placement: &Placement) -> [u32; 4] {
    let Writing { font, is_coded, .. } = writing;
    [font.width, font.height, u32::from(*is_coded), placement.view.0 + placement.view.1]
}

/// The bands of false colour as the shader takes them.
fn bands(tint: &Tint) -> [[i32; 4]; MOST_BANDS] {
    let bands = tint.table.bands();
    std::array::from_fn(|index| {
        let [r, g, b] = match bands.get(index).map(|band| band.paint) {
            Some(Paint::Flat(color, _)) => color.map(i32::from),
            Some(Paint::Gray) | None => [-1; 3],
        };
        [tint.lowest[index], r, g, b]
    })
}
