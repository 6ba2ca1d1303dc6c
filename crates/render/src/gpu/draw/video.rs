//! Draws the pictures.

use bytemuck::{Pod, Zeroable};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use glam::DVec2;

use crate::gpu::Gpu;
use crate::gpu::draw::LightPass;
use crate::gpu::params::PixelReading;
use crate::gpu::resources::{buffer, storage};
use crate::gpu::shaders::{self, groups};
use crate::view::brush::Lighting;
use crate::view::datascope::{Codes, Writing};
use crate::view::exposure::{Inspection, MAX_BANDS, Marks, Paint, Tint, TintMeasure, mark_colors, stripe_pixels};
use crate::view::placement::Placement;
use histoscope_core::histogram::{Components, LightMeter};
use histoscope_core::picture::region::Rect;
use histoscope_core::tone_map::ToneTables;

/// `Placement` of shaders/video.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct PlacementParams {
    /// Transforms the picture, 0..1 from its top left corner, to clip space; column-major.
    pub transform: [[f32; 4]; 4],
    /// Luma samples from a pixel of the view to the next one on its right.
    pub across: [f32; 2],
    /// Luma samples from a pixel of the view to the next one below.
    pub down: [f32; 2],
    /// Luma samples from the picture's top left corner to the view's.
    pub origin: [f32; 2],
    /// Taps per side that are averaged if the picture is drawn smaller than it is.
    pub taps: u32,
    /// `true` if every pixel of the view shows one sample.
    pub hard: u32,
    /// Columns of the view.
    pub view_width: u32,
    /// `true` if columns of the view are rows of the picture.
    pub turned: u32,
    /// Bit mask of the brush's channels.
    pub channels: u32,
    /// Lowest lit bin.
    pub low: u32,
    /// Highest lit bin.
    pub high: u32,
    /// How far unlit pixels are dimmed, in 256ths; 0 if there is no brush.
    pub strength: u32,
    /// `true` if the channels are Y', Cb and Cr as coded.
    pub coded: u32,
    /// Words per row of the bit plane of lit pixels; 0 if the picture's own codes decide.
    pub lit_words: u32,
    /// Column and row of the picture's first pixel that may be lit.
    pub first: [u32; 2],
    /// Column and row after the last pixel that may be lit.
    pub end: [u32; 2],
    /// The lowest tone with zebra stripes; `u32::MAX` if there are none.
    pub zebra: u32,
    /// Width of a stripe along a row.
    pub stripe: u32,
    /// `true` if a pixel's tone is its coded Y'.
    pub tone_coded: u32,
    /// 0 if nothing is marked, 1 to mark colours, 2 to mark code values.
    pub marks: u32,
    /// Words per row of a plane of individually selected pixels of the picture, which then decides what is lit; 0 if
    /// there is none. The other words are unused.
    pub selected: [u32; 4],
    /// The lowest unmarked value of each channel.
    pub lowest: [i32; 4],
    /// The lowest value of each channel above the unmarked ones.
    pub highest: [i32; 4],
    /// The colours of the marks, 0 to 255.
    pub mark_colors: [[u32; 4]; 3],
    /// False colour: 0 if off, 1 by coded Y', 2 by luminance, 3 by the largest code, 4 by the light of HLG; then the
    /// codes of black and white.
    pub tint: [i32; 4],
    /// The lowest value of each band and its colour; a red of -1 means that pixels are shown in gray.
    pub bands: [[i32; 4]; MAX_BANDS],
    /// The datascope: lines of text per pixel of the picture (0 if there is none), pixels of the view per dot, digits,
    /// and their base.
    pub text: [u32; 4],
    /// Dots per glyph across and down, `true` if codes are those of Y', Cb and Cr, and the offset of the cells after
    /// the nearest samples.
    pub letters: [u32; 4],
    /// The dots of each glyph, in the first two numbers.
    pub glyphs: [[u32; 4]; 16],
    /// Rows that give red, green and blue of BT.709 for light whose tones are mapped.
    pub gamut: [[f32; 4]; 3],
    /// Tone mapping: 0 if codes are shown as they are, 1 if they are mapped, 2 if HLG's system gamma applies, too; then
    /// `true` if all light is shown. Then the lowest contrast that focus peaking marks, 0 if it is off; the last word is
    /// unused.
    pub tone: [u32; 4],
}

const _: () = assert!(size_of::<PlacementParams>() == 784);

/// The most taps per side that are averaged for a picture drawn smaller than it is.
const MAX_TAPS: f64 = 4.0;

/// The picture to draw: each has its own placement, brush and layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The picture as it was decoded.
    Source,
    /// The adjusted one.
    Result,
    /// The comparison, or the difference.
    Comparison,
}

impl Side {
    /// Number of sides.
    pub const COUNT: usize = 3;

    /// Returns the side whose codes light this one if its own do not: for the decoded and the adjusted picture, the
    /// respective other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Source | Self::Comparison => Self::Result,
            Self::Result => Self::Source,
        }
    }
}

/// The layers of a picture that depend on its codes.
#[derive(Debug, Clone, Copy, Default)]
pub struct ByCodes<'a> {
    /// The lighting of a brush; unlit pixels are dimmed.
    pub lighting: Option<&'a Lighting>,
    /// The lit pixels, if they were selected individually.
    pub selected: Option<SelectedPlanes<'a>>,
    /// Stripes, marks and false colour.
    pub inspection: Option<&'a Inspection>,
    /// The codes to write in pixels that are large enough.
    pub codes: Option<&'a Codes>,
    /// The tone mapping of the picture's colours, if they are not shown as coded.
    pub tone: Option<&'a Arc<ToneTables>>,
}

/// Pixels of a picture that were selected individually.
#[derive(Debug, Clone, Copy)]
pub struct SelectedPlanes<'a> {
    /// The planes, laid out as [`SelectedPixels::words`](crate::cpu::SelectedPixels::words).
    pub planes: &'a wgpu::Buffer,
    /// Words per row of a plane.
    pub row_words: u32,
}

/// Draws pictures whose planes are in the adapter's memory.
#[derive(Debug)]
pub struct VideoPass {
    shader: shaders::Module,
    pipelines: HashMap<PixelReading, wgpu::RenderPipeline>,
    format: wgpu::TextureFormat,
    /// Find the pixels of the view that a brush lights by the codes of a picture other than the one shown there.
    light_pipelines: HashMap<PixelReading, wgpu::ComputePipeline>,
    slots: [Slot; Side::COUNT],
}

/// The state of one side.
#[derive(Debug)]
struct Slot {
    placement: wgpu::Buffer,
    /// The sample that covers each column and row of the view, for the placement in `written`.
    nearest: wgpu::Buffer,
    written: Option<Placement>,
    /// The pixels that the other picture lights.
    lit: wgpu::Buffer,
    /// The individually selected pixels of the picture, if any: this buffer is then bound instead of `lit`.
    selected: Option<wgpu::Buffer>,
    /// The tables in `table`.
    tables: Option<LightTables>,
    table: wgpu::Buffer,
    /// Binds the four buffers.
    group: wgpu::BindGroup,
    reading: Option<PixelReading>,
}

/// Tables by which light is shown.
#[derive(Debug, Clone)]
enum LightTables {
    /// Of tone mapping.
    Tone(Arc<ToneTables>),
    /// Of false colour by the light of HLG.
    Meter(&'static LightMeter),
}

impl LightTables {
    /// Returns the tables that the layers of a picture need; false colour replaces the picture's own colours.
    fn of(by_codes: &ByCodes<'_>) -> Option<Self> {
        match by_codes.inspection.and_then(|inspection| inspection.tint) {
            Some(Tint { measure: TintMeasure::Light(meter), .. }) => {
                (!meter.is_by_code()).then_some(Self::Meter(meter))
            }
            Some(_) => None,
            None => by_codes.tone.cloned().map(Self::Tone),
        }
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::Tone(tone) => bytemuck::cast_slice(tone.words()),
            Self::Meter(meter) => bytemuck::cast_slice(meter.table()),
        }
    }
}

impl VideoPass {
    /// Creates the pass for views of `format`, which must not be sRGB: codes are drawn unchanged, or as light in
    /// [`LightPass::PICTURE_FORMAT`].
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

    /// Returns the format of its views.
    #[must_use]
    pub const fn format(&self) -> wgpu::TextureFormat {
        self.format
    }

    /// Prepares a side for pictures that are read like this; cheap if nothing has changed.
    pub fn prepare_reading(&mut self, gpu: &Gpu, side: Side, reading: PixelReading) {
        self.slots[side as usize].reading = Some(reading);
        let (shader, format) = (&self.shader, self.format);
        let pipeline = || {
            let takes_light = f64::from(u8::from(format == LightPass::PICTURE_FORMAT));
            let constants = [reading.constants().as_slice(), &[("LIGHT", takes_light)]].concat();
            shader.rectangle(&gpu.device, "video", &constants, format, None)
        };
        self.pipelines.entry(reading).or_insert_with(pipeline);
    }

    /// Places a side's picture. Its own codes decide which layers are drawn on it.
    pub fn place(&mut self, gpu: &Gpu, side: Side, placement: &Placement, by_codes: ByCodes<'_>) {
        self.slots[side as usize].place(gpu, placement, by_codes, 0);
    }

    /// Like [`place`](Self::place), but the codes of the other side's picture, which is bound by `group` and read like
    /// this, decide which pixels are lit. Records the pass that finds those pixels.
    pub fn place_lit_by_other(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        side: Side,
        (group, reading): (&wgpu::BindGroup, PixelReading),
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
        let pipeline = || shader.compute(&gpu.device, "light", &reading.constants());
        let pipeline = self.light_pipelines.entry(reading).or_insert_with(pipeline);
        let found = groups::LIGHT.bind(&gpu.device, &[lit]);
        let descriptor = wgpu::ComputePassDescriptor { label: Some("light"), timestamp_writes: None };
        let mut pass = encoder.begin_compute_pass(&descriptor);
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, group, &[]);
        pass.set_bind_group(1, by, &[]);
        pass.set_bind_group(2, &found, &[]);
        pass.dispatch_workgroups(placement.view.1, 1, 1);
    }

    /// Draws a side's picture on a range of the view's columns, which must not be empty. The view is `height` pixels
    /// high.
    pub fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        side: Side,
        picture_group: &wgpu::BindGroup,
        columns: &Range<u32>,
        height: u32,
    ) {
        let slot = &self.slots[side as usize];
        if let Some(pipeline) = slot.reading.and_then(|reading| self.pipelines.get(&reading)) {
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
        let table = storage(&gpu.device, "tables of light", 0);
        let group = groups::PLACEMENT.bind(&gpu.device, &[&placement, &nearest, &lit, &table]);
        Self { placement, nearest, written: None, lit, selected: None, tables: None, table, group, reading: None }
    }

    fn rebind(&mut self, gpu: &Gpu) {
        let lit = self.selected.as_ref().unwrap_or(&self.lit);
        self.group = groups::PLACEMENT.bind(&gpu.device, &[&self.placement, &self.nearest, lit, &self.table]);
    }

    fn place(&mut self, gpu: &Gpu, placement: &Placement, by_codes: ByCodes<'_>, lit_words: u32) {
        let planes = by_codes.selected.map(|selected| selected.planes);
        if self.selected.as_ref() != planes {
            self.selected = planes.cloned();
            self.rebind(gpu);
        }
        if let Some(tables) = LightTables::of(&by_codes) {
            self.write_tables(gpu, tables);
        }
        let selected_words = by_codes.selected.map_or(0, |selected| selected.row_words);
        let params =
            PlacementParams { lit_words, selected: [selected_words, 0, 0, 0], ..placement_params(placement, by_codes) };
        gpu.queue.write_buffer(&self.placement, 0, bytemuck::bytes_of(&params));
        if placement.has_hard_edges || by_codes.lighting.is_some() || by_codes.inspection.is_some() {
            self.write_nearest(gpu, placement);
        }
    }

    /// Writes the samples that cover the view's pixels, unless the placement is unchanged.
    fn write_nearest(&mut self, gpu: &Gpu, placement: &Placement) {
        if self.written.as_ref() == Some(placement) {
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
        self.written = Some(*placement);
    }

    /// Writes tables, unless they are already there.
    fn write_tables(&mut self, gpu: &Gpu, tables: LightTables) {
        // Tables are kept while they are written here, so different ones are at different addresses.
        if self.tables.as_ref().is_some_and(|written| std::ptr::eq(written.bytes(), tables.bytes())) {
            return;
        }
        let bytes = tables.bytes();
        if self.table.size() < bytes.len() as u64 {
            self.table = storage(&gpu.device, "tables of light", bytes.len() / 4);
            self.rebind(gpu);
        }
        gpu.queue.write_buffer(&self.table, 0, bytes);
        self.tables = Some(tables);
    }

    fn make_room_for_light(&mut self, gpu: &Gpu, words: usize) {
        if self.lit.size() < words as u64 * 4 {
            self.lit = storage(&gpu.device, "lit pixels", words);
            self.rebind(gpu);
        }
    }
}

/// Returns the shader's parameters: the picture's placement, the brush, and the other layers that depend on codes.
fn placement_params(placement: &Placement, by_codes: ByCodes<'_>) -> PlacementParams {
    let ByCodes { lighting, inspection, codes, tone, .. } = by_codes;
    let writing = codes.and_then(|codes| codes.writing(placement));
    let pair = |v: DVec2| v.as_vec2().to_array();
    let sampling = &placement.sampling;
    // Linear interpolation uses two samples per axis; pictures drawn smaller are averaged from more taps.
    let taps = (sampling.footprint() * 0.5 - 1e-6).ceil().clamp(1.0, MAX_TAPS);
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
        tint: tint.map_or([0; 4], |tint| [measure_number(tint.measure), tint.black, tint.white, 0]),
        bands: tint.map_or([[0; 4]; MAX_BANDS], |tint| bands(&tint)),
        text: writing.as_ref().map_or([0; 4], |w| [w.lines, w.scale, w.digits, w.base]),
        letters: writing.as_ref().map_or([0; 4], |w| letters(w, placement)),
        glyphs: writing.as_ref().map_or([[0; 4]; 16], |w| w.font.glyphs.map(|[first, second]| [first, second, 0, 0])),
        gamut: tone.map_or([[0.0; 4]; 3], |tone| tone.gamut.map(|[r, g, b]| [r, g, b, 0.0])),
        tone: {
            let [mapped, is_whole] =
                tone.map_or([0; 2], |tone| [1 + u32::from(tone.has_system_gamma()), tone.is_whole().into()]);
            [mapped, is_whole, inspection.and_then(|inspection| inspection.peaking).unwrap_or(0), 0]
        },
    }
}

/// Returns the datascope's glyph parameters for the shader; cells follow the nearest samples.
fn letters(writing: &Writing, placement: &Placement) -> [u32; 4] {
    let Writing { font, is_coded, .. } = writing;
    [font.width, font.height, u32::from(*is_coded), placement.view.0 + placement.view.1]
}

/// Returns the number by which the shader knows what decides false colour.
const fn measure_number(measure: TintMeasure) -> i32 {
    match measure {
        TintMeasure::Luma => 1,
        TintMeasure::Luminance => 2,
        TintMeasure::Light(meter) if meter.is_by_code() => 3,
        TintMeasure::Light(_) => 4,
    }
}

/// Returns the bands of false colour for the shader.
fn bands(tint: &Tint) -> [[i32; 4]; MAX_BANDS] {
    let bands = tint.table.bands();
    std::array::from_fn(|index| {
        let [r, g, b] = match bands.get(index).map(|band| band.paint) {
            Some(Paint::Flat(color, _)) => color.map(i32::from),
            Some(Paint::Gray) | None => [-1; 3],
        };
        [tint.lowest[index], r, g, b]
    })
}
