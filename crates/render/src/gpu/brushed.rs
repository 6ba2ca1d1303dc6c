//! The selection of the scopes' brushes: one pass finds the pixels, others count them for histograms and scopes.

use bytemuck::{Pod, Zeroable};
use std::collections::HashMap;

use super::bins::{Bars, ScalePass, scale_buffer};
use super::pairs::{PairSource, PairWeights, write_light};
use super::params::{InputPicture, PixelReading};
use super::resources::{Dispatch, buffer, storage, uniform};
use super::shaders::{self, groups};
use super::timing::{Spans, compute_pass, compute_pass_into};
use super::{Gpu, GpuError};
use crate::view::brushes::{Filter, Selection};
use crate::view::count::SelectionChoice;
use histoscope_core::histogram::{Components, Histogram};
use histoscope_core::picture::layout::{ColorModel, PixelLayout};
use histoscope_core::picture::region::Rect;
use histoscope_core::scopes::{Chroma, MAX_LEVEL_BITS, PairComputation, PerScope, Scope, Waveform, samples_in};

/// `Brushes` of shaders/brush.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct BrushParams {
    /// Column and row of the first pixel that may be selected.
    pub first: [u32; 2],
    /// Column and row after the last pixel that may be selected.
    pub end: [u32; 2],
    /// The histograms' brush: a bit mask of its channels, 0 if there is no brush, and its lowest and highest bin.
    pub histogram: [u32; 4],
    /// The waveform's brush, in the same form.
    pub waveform: [u32; 4],
    /// The first pixel of a row that the waveform's brush may select, and the one after the last.
    pub columns: [u32; 2],
    /// `true` if the channels are Y', Cb and Cr as coded.
    pub coded: u32,
    /// Words per row of a plane.
    pub row_words: u32,
    /// The computation of pairs.
    pub weights: PairWeights,
    /// The [source](PairSource) of pairs, or 0 if the vectorscope has no brush.
    pub pairs: u32,
    /// Bits per level of a pair.
    pub level_bits: u32,
    /// Padding to a multiple of 16 bytes.
    pub padding: [u32; 2],
}

const _: () = assert!(size_of::<BrushParams>() == 128);

/// `Brushed` of shaders/brushed.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct BrushedParams {
    /// Column and row of the first counted sample.
    pub low: [u32; 2],
    /// Column and row after the last counted sample.
    pub high: [u32; 2],
    /// Binary logarithm of the pixels per sample, across and down.
    pub shift: [u32; 2],
    /// Rows of the picture.
    pub height: u32,
    /// Words per row of a plane.
    pub row_words: u32,
    /// Columns of the waveform.
    pub columns: u32,
    /// Counts per channel of the waveform.
    pub stride: u32,
    /// `true` if bins are counted.
    pub bins: u32,
    /// `true` if the waveform is counted.
    pub waveform: u32,
    /// The computation of pairs.
    pub weights: PairWeights,
}

const _: () = assert!(size_of::<BrushedParams>() == 96);

/// Number of planes of selected pixels.
const PLANES: u32 = Filter::ALL.len() as u32;
/// Row length, in pixels, from which the shader's products would overflow 32 bits.
const MAX_PIXELS: u32 = 1 << 22;
/// Invocations per workgroup, and pixels per invocation.
const WORKGROUP: u32 = 64;
const RUN: u32 = 32;

/// Finds and counts the pixels that brushes select. Buffers grow as needed.
#[derive(Debug)]
pub struct BrushedPasses {
    select: shaders::Module,
    count: shaders::Module,
    pipelines: HashMap<BrushedPipelineKey, wgpu::ComputePipeline>,
    params: wgpu::Buffer,
    pairs: wgpu::Buffer,
    /// The linear light of each code, if the vectorscope counts chromaticities.
    light: wgpu::Buffer,
    /// The planes of selected pixels.
    planes: wgpu::Buffer,
    /// The number of pixels that all brushes select.
    pub total: wgpu::Buffer,
    bins: wgpu::Buffer,
    scales: wgpu::Buffer,
    scale: ScalePass,
    waveform: wgpu::Buffer,
    vectorscope: wgpu::Buffer,
}

/// The key of a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct BrushedPipelineKey {
    reading: PixelReading,
    work: BrushedWork,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum BrushedWork {
    Select,
    /// Red, green, blue and luminance.
    Colors,
    /// A component as it is coded.
    Coded(u32),
    /// Pairs, with the bits of a level.
    Pairs(PairSource, u32),
}

/// The buffers with the results.
#[derive(Debug, Clone, Copy)]
pub struct BrushedBuffers<'a> {
    /// The planes, laid out as [`SelectedPixels::words`](crate::cpu::SelectedPixels::words).
    pub planes: &'a wgpu::Buffer,
    /// Bins of the pixels that all brushes except the histograms' select.
    pub bins: &'a wgpu::Buffer,
    /// Counts of each scope.
    pub scopes: PerScope<&'a wgpu::Buffer>,
}

impl BrushedPasses {
    /// Creates passes that have found nothing yet.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        let room = |label| storage(&gpu.device, label, 0);
        Self {
            select: shaders::BRUSH.module(&gpu.device),
            count: shaders::BRUSHED.module(&gpu.device),
            pipelines: HashMap::new(),
            params: uniform(gpu, "brushes", &BrushParams::default()),
            pairs: room("brushed pairs"),
            light: room("light of codes"),
            planes: room("brushed pixels"),
            total: room("brushed total"),
            bins: room("brushed bins"),
            scales: scale_buffer(gpu, "brushed scales"),
            scale: ScalePass::new(gpu),
            waveform: room("brushed waveform"),
            vectorscope: room("brushed vectorscope"),
        }
    }

    /// Checks that the passes support pictures of this size: a dispatch has a row of workgroups for each row of pixels.
    ///
    /// # Errors
    /// [`GpuError::PictureTooLarge`] if they do not.
    pub fn check(gpu: &Gpu, (width, height): (u32, u32)) -> Result<(), GpuError> {
        let most = gpu.device.limits().max_compute_workgroups_per_dimension;
        if width < MAX_PIXELS && height <= most {
            return Ok(());
        }
        let (bytes, most) = (u64::from(width) * u64::from(height), u64::from(MAX_PIXELS) * u64::from(most));
        Err(GpuError::PictureTooLarge { width, height, bytes, most, adapter: gpu.info.name.clone() })
    }

    /// Returns the last recorded bins, with their scales.
    #[must_use]
    pub const fn bars(&self) -> Bars<'_> {
        Bars { bins: &self.bins, scales: &self.scales }
    }

    /// Returns the buffers of the last recorded results.
    #[must_use]
    pub fn buffers(&self) -> BrushedBuffers<'_> {
        let Self { planes, bins, waveform, vectorscope, .. } = self;
        let scopes = PerScope::from_fn(|scope| match scope {
            Scope::Waveform => waveform,
            Scope::Vectorscope => vectorscope,
        });
        BrushedBuffers { planes, bins, scopes }
    }

    /// Records finding the selected pixels of a picture like this one, bound by `group`, and making the requested
    /// counts of them. The selection applies to the next submission.
    pub fn record(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        (group, picture): (&wgpu::BindGroup, InputPicture),
        (selection, chroma): (&Selection, Option<Chroma>),
        wanted: SelectionChoice,
        spans: Option<Spans<'_>>,
    ) {
        // The brush of the vectorscope is in the diagram that is counted.
        let computation = chroma.as_ref().and_then(Chroma::computation);
        write_light(gpu, &mut self.light, computation.as_ref());
        let chroma = chroma.filter(|_| wanted.scopes[Scope::Vectorscope]);
        let row_words = picture.size.0.div_ceil(RUN);
        self.make_room(gpu, picture, selection, (wanted, chroma));
        gpu.queue.write_buffer(&self.params, 0, bytemuck::bytes_of(&BrushParams::new(selection, row_words)));
        if let Some(pairs) = &selection.pairs {
            gpu.queue.write_buffer(&self.pairs, 0, bytemuck::cast_slice(&pairs.selected));
        }
        let found =
            groups::BRUSH.bind(&gpu.device, &[&self.params, &self.pairs, &self.planes, &self.total, &self.light]);
        let pipeline = self.pipeline(gpu, BrushedPipelineKey { reading: picture.reading(), work: BrushedWork::Select });
        let workgroups = (row_words.div_ceil(WORKGROUP), picture.size.1);
        let mut dispatches = vec![Dispatch { pipeline, group: found, workgroups }];
        for work in works(&picture.layout, selection, (wanted, chroma)) {
            dispatches.push(self.counting(gpu, picture, selection, work, (wanted, computation.as_ref())));
        }
        let cleared =
            [&self.total, &self.bins, &self.waveform, &self.vectorscope].map(|buffer| (buffer, buffer.size()));
        compute_pass_into(encoder, "brushes", &cleared, spans, |pass| {
            dispatches.iter().for_each(|dispatch| dispatch.run(pass, Some(group)));
        });
        if wanted.histogram {
            let bins = 1 << picture.layout.bin_bits();
            self.scale.prepare(gpu, bins);
            let scales = groups::SCALES.bind(&gpu.device, &[&self.bins, &self.scales]);
            compute_pass(encoder, "scale", None, |pass| self.scale.dispatch(pass, &scales, bins));
        }
    }

    /// Creates one of the counting dispatches.
    fn counting(
        &mut self,
        gpu: &Gpu,
        picture: InputPicture,
        selection: &Selection,
        (work, samples, shift): (BrushedWork, Rect, (u8, u8)),
        (wanted, computation): (SelectionChoice, Option<&PairComputation>),
    ) -> Dispatch {
        let waveform = Waveform::shape(&picture.layout, selection.counted, selection.components);
        let channel = if let BrushedWork::Coded(component) = work { component as usize } else { 0 };
        let (low, high) = samples.corners();
        let params = BrushedParams {
            low,
            high,
            shift: [shift.0.into(), shift.1.into()],
            height: picture.size.1,
            row_words: picture.size.0.div_ceil(RUN),
            columns: waveform.columns[channel],
            stride: waveform.columns[0] << waveform.level_bits,
            bins: wanted.histogram.into(),
            waveform: wanted.scopes[Scope::Waveform].into(),
            weights: PairWeights::of(computation),
        };
        let counts = if matches!(work, BrushedWork::Pairs(..)) { &self.vectorscope } else { &self.waveform };
        let params = uniform(gpu, "brushed", &params);
        let group = groups::BRUSHED.bind(&gpu.device, &[&params, &self.planes, &self.bins, counts, &self.light]);
        let words = high[0].div_ceil(RUN) - low[0] / RUN;
        let workgroups = (words.div_ceil(WORKGROUP), samples.height);
        Dispatch {
            pipeline: self.pipeline(gpu, BrushedPipelineKey { reading: picture.reading(), work }),
            group,
            workgroups,
        }
    }

    fn pipeline(&mut self, gpu: &Gpu, key: BrushedPipelineKey) -> wgpu::ComputePipeline {
        let (select, count) = (&self.select, &self.count);
        let make = || {
            let mut constants = key.reading.constants();
            let bits = key.reading.layout.bin_bits().min(MAX_LEVEL_BITS);
            let (is_coded, component) =
                if let BrushedWork::Coded(component) = key.work { (1, component) } else { (0, 0) };
            let (entry_point, others) = match key.work {
                BrushedWork::Select => return select.compute(&gpu.device, "select_pixels", &constants),
                BrushedWork::Colors | BrushedWork::Coded(_) => {
                    ("count_channels", [("CODED", is_coded), ("COMPONENT", component), ("LEVEL_BITS", bits)].to_vec())
                }
                BrushedWork::Pairs(source, bits) => {
                    ("count_pairs", vec![("PAIRS", source as u32), ("LEVEL_BITS", bits)])
                }
            };
            constants.extend(others.into_iter().map(|(name, value)| (name, f64::from(value))));
            count.compute(&gpu.device, entry_point, &constants)
        };
        self.pipelines.entry(key).or_insert_with(make).clone()
    }

    /// Enlarges the buffers if necessary.
    fn make_room(
        &mut self,
        gpu: &Gpu,
        picture: InputPicture,
        selection: &Selection,
        (wanted, chroma): (SelectionChoice, Option<Chroma>),
    ) {
        let room = |held: &mut wgpu::Buffer, label, words: usize| {
            if held.size() < 4 * words as u64 {
                *held = storage(&gpu.device, label, words);
            }
        };
        let bits = picture.layout.bin_bits();
        let waveform = Waveform::shape(&picture.layout, selection.counted, selection.components);
        let row_words = picture.size.0.div_ceil(RUN);
        room(&mut self.planes, "brushed pixels", (PLANES * row_words * picture.size.1) as usize);
        if let Some(pairs) = &selection.pairs {
            room(&mut self.pairs, "brushed pairs", pairs.selected.len());
        }
        if wanted.histogram {
            room(&mut self.bins, "brushed bins", Histogram::word_count(bits));
        }
        if wanted.scopes[Scope::Waveform] {
            room(&mut self.waveform, "brushed waveform", waveform.count_words());
        }
        if let Some(chroma) = chroma {
            room(&mut self.vectorscope, "brushed vectorscope", 1 << (2 * chroma.level_bits()));
        }
        if !wanted.scopes[Scope::Waveform] {
            self.waveform = buffer(&gpu.device, "brushed waveform", 0, self.waveform.usage());
        }
        if chroma.is_none() {
            self.vectorscope = buffer(&gpu.device, "brushed vectorscope", 0, self.vectorscope.usage());
        }
    }
}

/// Returns the counting dispatches: the kind of work, the samples, and the binary logarithm of the pixels per sample,
/// across and down.
fn works(
    layout: &PixelLayout,
    selection: &Selection,
    (wanted, chroma): (SelectionChoice, Option<Chroma>),
) -> Vec<(BrushedWork, Rect, (u8, u8))> {
    let counted = selection.counted;
    let mut works = Vec::new();
    if wanted.histogram || wanted.scopes[Scope::Waveform] {
        match selection.components {
            Components::Rgbl => works.push((BrushedWork::Colors, counted, (0, 0))),
            Components::YCbCr => works.extend((0..layout.component_count()).map(|component| {
                let samples = samples_in(layout, component, counted);
                let is_chroma = component > 0 && layout.model == ColorModel::YCbCr;
                (BrushedWork::Coded(component as u32), samples, if is_chroma { layout.chroma_shift } else { (0, 0) })
            })),
        }
    }
    if let Some(chroma) = chroma {
        let shift = if chroma.is_coded() { layout.chroma_shift } else { (0, 0) };
        let source = PairSource::of(chroma.computation().as_ref());
        works.push((BrushedWork::Pairs(source, chroma.level_bits()), chroma.samples(layout, counted), shift));
    }
    works
}

impl BrushParams {
    fn new(selection: &Selection, row_words: u32) -> Self {
        let (first, end) = selection.counted.corners();
        let range = |brush: &crate::view::brush::Brush| [brush.channels.bits(), brush.low, brush.high, 0];
        let computation = selection.pairs.as_ref().and_then(|pairs| pairs.levels.computation.as_ref());
        Self {
            first,
            end,
            histogram: selection.histogram.as_ref().map_or([0; 4], range),
            waveform: selection.waveform.as_ref().map_or([0; 4], |(brush, _)| range(brush)),
            columns: selection.waveform.as_ref().map_or([0; 2], |(_, columns)| *columns),
            coded: (selection.components == Components::YCbCr).into(),
            row_words,
            weights: PairWeights::of(computation),
            pairs: selection.pairs.as_ref().map_or(0, |_| PairSource::of(computation) as u32),
            level_bits: selection.pairs.as_ref().map_or(0, |pairs| pairs.level_bits),
            padding: [0; 2],
        }
    }
}
