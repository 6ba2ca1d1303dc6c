//! Draws the scopes: traces from the counts of waveform and vectorscope, which never leave the GPU, and the background
//! of a split layout.

use bytemuck::Zeroable;

use super::OVER;
use crate::cpu::trace;
use crate::gpu::Gpu;
use crate::gpu::resources::{storage, uniform};
use crate::gpu::shaders::{self, groups};
use crate::view::count::CountKey;
use crate::view::overlay::{Channels, lights};
use crate::view::rect::PanelRect;
use crate::view::scene::Scene;
use crate::view::scopes::{Arranged, Lens, PanelDrawing, ScopeKind, ScopePanel, TraceParams};
use histoscope_core::histogram::{CHANNELS, Components};
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::picture::region::Rect;
use histoscope_core::scopes::{Chroma, Chromaticity, Diagram, PerScope, Scope, Waveform, samples_in};

/// Identifies counts held by the CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "only a few exist, and they are copied")]
pub enum HeldKey {
    /// Counts of the loaded picture.
    Loaded(CountKey),
    /// Counts of a reference; each count has its own number.
    Reference(u64),
}

/// The location of counts.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::large_enum_variant, reason = "only a few exist, for the time of a draw")]
pub enum CountSource<'a> {
    /// In the adapter's memory, from which it draws.
    Gpu(&'a wgpu::Buffer),
    /// In the CPU's memory, from which it paints. Equal keys mean equal counts.
    Cpu(HeldKey, &'a [u32]),
}

/// A waveform's counts, and their description.
#[derive(Debug, Clone, Copy)]
pub struct WaveformCounts<'a> {
    /// The counts, as in [`Waveform`].
    pub counts: CountSource<'a>,
    /// Bits per level.
    pub level_bits: u32,
    /// The counted components.
    pub components: Components,
    /// Columns of each channel.
    pub columns: [u32; CHANNELS],
    /// The counted samples of each channel.
    pub samples: [Rect; CHANNELS],
}

/// A vectorscope's counts, and their description.
#[derive(Debug, Clone, Copy)]
pub struct VectorscopeCounts<'a> {
    /// The counts, as in [`Vectorscope`](histoscope_core::scopes::Vectorscope).
    pub counts: CountSource<'a>,
    /// Bits per level.
    pub level_bits: u32,
    /// Number of counted samples.
    pub samples: u64,
    /// What the pairs mean.
    pub chroma: Chroma,
}

/// The counts that scopes are drawn from; `None` for scopes that were not counted.
#[derive(Debug, Clone, Copy, Default)]
pub struct ScopeBuffers<'a> {
    /// Waveform and parade.
    pub waveform: Option<WaveformCounts<'a>>,
    /// The vectorscope.
    pub vectorscope: Option<VectorscopeCounts<'a>>,
}

impl<'a> ScopeBuffers<'a> {
    /// Describes counts of a rectangle of a picture with this layout and chroma.
    #[must_use]
    pub fn new(
        layout: &PixelLayout,
        (rect, components): (Rect, Components),
        chroma: Option<Chroma>,
        counts: PerScope<Option<CountSource<'a>>>,
    ) -> Self {
        let shape = Waveform::shape(layout, rect, components);
        let samples = |channel: usize| match components {
            Components::Rgbl => rect,
            Components::YCbCr => samples_in(layout, channel.min(layout.component_count() - 1), rect),
        };
        Self {
            waveform: counts[Scope::Waveform].map(|counts| WaveformCounts {
                counts,
                level_bits: shape.level_bits,
                components,
                columns: shape.columns,
                samples: std::array::from_fn(samples),
            }),
            vectorscope: counts[Scope::Vectorscope].zip(chroma).map(|(counts, chroma)| VectorscopeCounts {
                counts,
                level_bits: chroma.level_bits(),
                samples: chroma.samples(layout, rect).pixel_count(),
                chroma,
            }),
        }
    }
}

/// Opacity of the background of a scope that lies over the picture.
const STRIP_GROUND: f32 = 0.86;
/// Brightness of luminance when drawn together with colours, which it would otherwise drown out.
const BESIDE_COLORS: f32 = 0.5;

/// Brightness of a trace while a part of it is lit.
const DIM: f32 = 0.4;
/// Brightness of the trace of a reference.
const REFERENCE: f32 = 0.5;

/// The counts that scopes are drawn from.
#[derive(Debug, Default)]
pub struct DrawnScopes<'a> {
    /// The counts of the loaded picture.
    pub whole: ScopeBuffers<'a>,
    /// A part of them that is lit, while the whole is dimmed.
    pub lit: ScopeBuffers<'a>,
    /// The counts of a reference, drawn in gray behind the whole unless a part is lit.
    pub reference: ScopeBuffers<'a>,
}

/// Counts, and how they are drawn.
type Trace<'a> = (TraceParams, CountSource<'a>);

/// Draws the scopes.
#[derive(Debug)]
pub struct ScopePass {
    plate: wgpu::RenderPipeline,
    waveform: wgpu::RenderPipeline,
    vectorscope: wgpu::RenderPipeline,
    painted: wgpu::RenderPipeline,
    /// Placeholder for missing counts.
    nothing: wgpu::Buffer,
    slots: Vec<Slot>,
    /// The number of slots currently drawn.
    drawn: usize,
}

/// A drawn panel; reused by later draws.
#[derive(Debug)]
struct Slot {
    drawing: PanelDrawing,
    params: wgpu::Buffer,
    written_params: TraceParams,
    /// The buffer of counts or pixels that it is drawn from, and the bind group.
    bound: wgpu::Buffer,
    group: wgpu::BindGroup,
    /// The counts from which the CPU has painted the pixels, if it has.
    painted: Option<HeldKey>,
}

impl ScopePass {
    /// Creates the pass for views of `format`.
    #[must_use]
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Self {
        let module = shaders::TRACE.module(&gpu.device);
        let pipeline = |name| module.rectangle(&gpu.device, name, &[], format, Some(OVER));
        Self {
            plate: pipeline("plate"),
            waveform: pipeline("waveform"),
            vectorscope: pipeline("vectorscope"),
            painted: pipeline("painted"),
            nothing: storage(&gpu.device, "nothing", 4),
            slots: Vec::new(),
            drawn: 0,
        }
    }

    /// Sets up the scopes in this arrangement on a view of `view` pixels.
    pub fn prepare<'a>(
        &mut self,
        gpu: &Gpu,
        arranged: &Arranged,
        DrawnScopes { whole, lit, reference }: &DrawnScopes<'a>,
        scene: &Scene,
        view: (u32, u32),
    ) {
        self.drawn = 0;
        let style = scene.look.scopes.clamped();
        let ground = if arranged.is_split { 1.0 } else { STRIP_GROUND * scene.look.histograms.clamped().opacity };
        let base_of = |rect: PanelRect, ground: f32| TraceParams {
            view: view.into(),
            origin: [rect.left, rect.top],
            size: [rect.width, rect.height],
            gain: style.gain,
            ground,
            strength: 1.0,
            ..TraceParams::zeroed()
        };
        for rect in arranged.grounds(view) {
            self.put(gpu, PanelDrawing::Plate, base_of(rect, 1.0), None);
        }
        for margin in arranged.panels.iter().flat_map(ScopePanel::margins) {
            self.put(gpu, PanelDrawing::Plate, base_of(margin, ground), None);
        }
        for panel in &arranged.panels {
            let base = base_of(panel.rect, ground);
            match (panel.kind.row().drawing, whole.waveform, whole.vectorscope) {
                (PanelDrawing::Waveform, Some(waveform), _) => {
                    let trace_of = |waveform: WaveformCounts<'a>| {
                        let is_parade = panel.kind == ScopeKind::Parade;
                        (waveform.params(base, scene.look.channels, is_parade), waveform.counts)
                    };
                    let others = (lit.waveform.map(|lit| lit.counts), reference.waveform.map(trace_of));
                    self.put_trace(gpu, PanelDrawing::Waveform, trace_of(waveform), others);
                }
                (PanelDrawing::Vectorscope, _, Some(scope)) => {
                    let trace_of = |scope: VectorscopeCounts<'a>| {
                        let (zoom, white) = (style.zoom as f32, style.white.into());
                        (scope.params(TraceParams { zoom, white, ..base }), scope.counts)
                    };
                    let others = (lit.vectorscope.map(|lit| lit.counts), reference.vectorscope.map(trace_of));
                    self.put_trace(gpu, PanelDrawing::Vectorscope, trace_of(scope), others);
                }
                _ => self.put(gpu, PanelDrawing::Plate, base, None),
            }
        }
    }

    /// Adds a trace. If a part of its counts is lit, adds the whole trace dimmed and the lit part over it; otherwise it
    /// is drawn over that of the reference, if there is one.
    fn put_trace(
        &mut self,
        gpu: &Gpu,
        drawing: PanelDrawing,
        (params, whole): Trace<'_>,
        (lit, reference): (Option<CountSource<'_>>, Option<Trace<'_>>),
    ) {
        let ((gray, behind), over) = match (lit, reference) {
            (Some(lit), _) => ((gray(params, DIM), whole), lit),
            (None, Some((params, reference))) => ((gray(params, REFERENCE), reference), whole),
            (None, None) => return self.put(gpu, drawing, params, Some(whole)),
        };
        self.put(gpu, drawing, gray, Some(behind));
        self.put(gpu, drawing, TraceParams { ground: 0.0, ..params }, Some(over));
    }

    fn put(&mut self, gpu: &Gpu, drawing: PanelDrawing, params: TraceParams, counts: Option<CountSource<'_>>) {
        let place = self.drawn;
        self.drawn += 1;
        let painted = if let Some(CountSource::Cpu(key, _)) = counts { Some(key) } else { None };
        let kept = self.slots.get(place);
        if painted.is_some()
            && kept.is_some_and(|slot| (slot.drawing, slot.written_params, slot.painted) == (drawing, params, painted))
        {
            return;
        }
        let bound = match counts {
            Some(CountSource::Cpu(_, counts)) => {
                let pixels = trace::paint(drawing, &params, counts);
                let bytes = size_of_val(&pixels[..]) as u64;
                let kept = kept.filter(|slot| slot.painted.is_some() && slot.bound.size() >= bytes);
                let buffer = kept.map(|slot| slot.bound.clone());
                let buffer = buffer.unwrap_or_else(|| storage(&gpu.device, "painted scope", pixels.len()));
                gpu.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(&pixels));
                buffer
            }
            Some(CountSource::Gpu(counts)) => counts.clone(),
            None => self.nothing.clone(),
        };
        let bind = |params: &wgpu::Buffer| groups::TRACE.bind(&gpu.device, &[params, &bound]);
        match self.slots.get_mut(place) {
            Some(slot) => {
                if slot.written_params != params {
                    gpu.queue.write_buffer(&slot.params, 0, bytemuck::bytes_of(&params));
                    slot.written_params = params;
                }
                if slot.bound != bound {
                    slot.group = bind(&slot.params);
                    slot.bound = bound;
                }
                (slot.drawing, slot.painted) = (drawing, painted);
            }
            None => {
                let buffer = uniform(gpu, "trace", &params);
                let group = bind(&buffer);
                self.slots.push(Slot { drawing, params: buffer, written_params: params, bound, group, painted });
            }
        }
    }

    /// Draws the scopes that were set up.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>) {
        for slot in &self.slots[..self.drawn] {
            pass.set_pipeline(match slot.drawing {
                _ if slot.painted.is_some() => &self.painted,
                PanelDrawing::Plate => &self.plate,
                PanelDrawing::Waveform => &self.waveform,
                PanelDrawing::Vectorscope => &self.vectorscope,
            });
            pass.set_bind_group(0, &slot.group, &[]);
            pass.draw(0..4, 0..1);
        }
    }
}

/// Returns how a trace is drawn in gray of this brightness.
fn gray(params: TraceParams, strength: f32) -> TraceParams {
    let lights = params.lights.map(|[red, green, blue, _]| {
        let light = strength * (0.2126 * red + 0.7152 * green + 0.0722 * blue);
        [light, light, light, 1.0]
    });
    TraceParams { lights, white: 1, strength, ..params }
}

impl WaveformCounts<'_> {
    fn params(&self, base: TraceParams, shown: Channels, is_parade: bool) -> TraceParams {
        let all = (0..CHANNELS).filter(|&channel| self.columns[channel] > 0);
        let channels = all.map(Channels::one).fold(Channels::NONE, Channels::union).intersection(shown);
        let has_colors = channels.iter().any(|channel| channel < 3);
        let is_lightness = |channel: usize| self.components == Components::Rgbl && channel == 3;
        let light = |channel: usize| {
            let strength = if is_lightness(channel) && has_colors && !is_parade { BESIDE_COLORS } else { 1.0 };
            let [r, g, b] = lights(self.components)[channel].map(|part| part * strength);
            [r, g, b, 1.0]
        };
        TraceParams {
            level_bits: self.level_bits,
            stride: self.columns[0] << self.level_bits,
            columns: self.columns,
            widths: self.samples.map(|samples| samples.width),
            heights: self.samples.map(|samples| samples.height),
            channels: channels.bits(),
            parade: is_parade.into(),
            lights: std::array::from_fn(light),
            ..base
        }
    }
}

impl VectorscopeCounts<'_> {
    fn params(&self, base: TraceParams) -> TraceParams {
        let [red, green, blue] = self.chroma.matrix.to_rgb().map(|row| row.map(|weight| weight as f32));
        let lens = Lens::new(Some(&self.chroma), self.level_bits, base.zoom as u32);
        let colors = self.chroma.chromaticity().map(Chromaticity::to_bt709);
        let color = |[x, y, one]: [f64; 3]| [x, y, one, 0.0].map(|weight| weight as f32);
        TraceParams {
            level_bits: self.level_bits,
            hue: [red[2], green[1], green[2], blue[1]],
            centre: lens.centre.map(|level| level as f32),
            is_chromaticity: colors.is_some().into(),
            colors: colors.map_or([[0.0; 4]; 3], |rows| rows.map(color)),
            samples: self.samples as f32,
            // A pair of the diamond stands for two of three colours, so it has no hue.
            white: base.white | u32::from(self.chroma.diagram() == Diagram::Diamond),
            ..base
        }
    }
}
