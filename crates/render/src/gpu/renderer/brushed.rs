//! What the brushes of the scopes select, found and counted once for each picture, choice and brush, in the submission that draws it.

use std::collections::HashMap;

use super::content::LoadedContent;
use super::scopes::{ScopeSource, ScopeTarget};
use crate::cpu::{BrushedChoice, BrushedCounts, SelectedPixels};
use crate::gpu::Gpu;
use crate::gpu::brushed::BrushedPasses;
use crate::gpu::draw::Selected;
use crate::gpu::draw::overlay::OverlayBars;
use crate::gpu::draw::scopes::{CountKey, CountSource, ScopeBuffers};
use crate::gpu::figures::{FiguresState, Series};
use crate::gpu::params::ChannelScale;
use crate::gpu::readback_belt::OnRequest;
use crate::gpu::resources::storage;
use crate::gpu::shaders::{self, groups};
use crate::view::brushes::{Brushes, Selection};
use crate::view::scene::Scene;
use histoscope_core::histogram::{CHANNELS, Histogram};
use histoscope_core::picture::Picture;
use histoscope_core::scopes::ScopeChoice;

/// What is selected. It is made where something is brushed that asks for it, and dropped where nothing is any more.
#[derive(Debug)]
pub struct Brushed {
    found: Option<LastSelection>,
    passes: Option<BrushedPasses>,
    /// What the CPU has found, for an adapter that draws it.
    planes: wgpu::Buffer,
    bins: wgpu::Buffer,
    scales: Scales,
    /// The number of pixels that all brushes select, asked for of the adapter.
    asked: OnRequest<SelectionKey>,
}

/// What tells selections apart.
type SelectionKey = (CountKey, BrushedChoice);

#[derive(Debug)]
struct LastSelection {
    key: SelectionKey,
    subject: ScopeSource,
    selection: Selection,
    /// The pixels, where the CPU has found them.
    pixels: Option<SelectedPixels>,
    /// Whether the adapter has them too.
    is_uploaded: bool,
    /// The counts, where the CPU counted; else they lie with the passes.
    counts: Option<BrushedCounts>,
}

/// How much of what is selected has to be counted for a scene: where nothing but the histograms is brushed they show it themselves.
#[must_use]
pub fn wanted(scene: &Scene, shown: ScopeChoice) -> Option<BrushedChoice> {
    let Brushes { histogram, waveform, vectorscope } = scene.brushes;
    let scopes = ScopeChoice {
        waveform: shown.waveform && (histogram.is_some() || vectorscope.is_some()),
        vectorscope: shown.vectorscope && (histogram.is_some() || waveform.is_some()),
    };
    let in_scopes = scene.brushes.in_scopes();
    (in_scopes || scopes.any()).then_some(BrushedChoice { histogram: in_scopes && scene.overlays, scopes })
}

impl Brushed {
    /// Nothing is found yet.
    pub fn new(gpu: &Gpu) -> Self {
        let room = |label| storage(&gpu.device, label, 0);
        Self {
            found: None,
            passes: None,
            planes: room("brushed pixels"),
            bins: room("brushed bins"),
            scales: Scales::new(gpu),
            asked: OnRequest::new(&gpu.device, "brushed total", 1),
        }
    }

    /// Records the finding and counting of what is selected of what the histograms show filled, unless that is done; whether there was
    /// anything to record.
    pub fn record(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        content: &LoadedContent,
        (brushes, wanted): (Brushes, BrushedChoice),
    ) -> bool {
        let Some(ScopeTarget { of, subject, picture, bound }) = ScopeTarget::of(content) else {
            self.found = None;
            return false;
        };
        let key = (CountKey { of, wanted: wanted.scopes, brushes: Some(brushes) }, wanted);
        if self.found.as_ref().is_some_and(|found| found.key == key) {
            return false;
        }
        let selection = brushes.on(subject.series.rect, subject.series.components, subject.chroma);
        let (mut pixels, mut counts) = (None, None);
        match (bound.filter(|_| BrushedPasses::serve(gpu, subject.input.size)), picture) {
            (Some(group), _) => {
                let passes = self.passes.get_or_insert_with(|| BrushedPasses::new(gpu));
                let of = (&selection, subject.chroma);
                passes.record(gpu, encoder, (group, subject.input), of, wanted, None);
            }
            (None, Some(picture)) => {
                // What was found before is of no use any more, and as large.
                (self.passes, self.found) = (None, None);
                let found = SelectedPixels::of(picture, &selection);
                counts = Some(found.count_in(picture, &selection, subject.chroma, wanted));
                pixels = Some(found);
            }
            (None, None) => {
                self.found = None;
                return false;
            }
        }
        let bits = subject.input.layout.bin_bits();
        if let Some(histogram) = counts.as_ref().and_then(|counts| counts.histogram.as_ref()) {
            put(gpu, &mut self.bins, "brushed bins", &histogram.words);
        }
        self.found = Some(LastSelection { key, subject, selection, pixels, is_uploaded: false, counts });
        if wanted.histogram {
            let bins = self.passes.as_ref().map_or(&self.bins, |passes| passes.buffers().bins).clone();
            self.scales.record(gpu, encoder, &bins, bits);
        }
        true
    }

    /// What is selected, for an adapter that draws the picture. What the CPU has found is uploaded.
    pub fn there(&mut self, gpu: &Gpu) -> Option<Selected<'_>> {
        let found = self.found.as_mut()?;
        let row_words = found.subject.input.size.0.div_ceil(32);
        let planes = match (&found.pixels, &self.passes) {
            (_, Some(passes)) => passes.buffers().planes,
            (Some(pixels), None) => {
                if !std::mem::replace(&mut found.is_uploaded, true) {
                    put(gpu, &mut self.planes, "brushed pixels", &pixels.words);
                }
                &self.planes
            }
            (None, None) => return None,
        };
        Some(Selected::There { planes, row_words })
    }

    /// What is selected, for the CPU that paints the picture. Where the adapter has found it, it is found once more.
    pub fn here(&mut self, counted: &Picture) -> Option<Selected<'_>> {
        let found = self.found.as_mut()?;
        let pixels = found.pixels.get_or_insert_with(|| SelectedPixels::of(counted, &found.selection));
        Some(Selected::Here(pixels))
    }

    /// The bins that the histograms show filled, where they show what is selected.
    pub fn bars(&self) -> Option<OverlayBars<'_>> {
        self.found.as_ref().filter(|found| found.key.1.histogram)?;
        let bins = self.passes.as_ref().map_or(&self.bins, |passes| passes.buffers().bins);
        Some(OverlayBars { bins, scales: &self.scales.scales })
    }

    /// What the other scopes show lit.
    pub fn buffers(&self) -> ScopeBuffers<'_> {
        let Some(LastSelection { key: (key, choice), subject, counts, .. }) = &self.found else {
            return ScopeBuffers::default();
        };
        let there = self.passes.as_ref().map(BrushedPasses::buffers);
        let scopes = counts.as_ref().map(|counts| &counts.scopes);
        let here = |counts| CountSource::Here(key, counts);
        let waveform = scopes.and_then(|scopes| Some(here(&scopes.waveform.as_ref()?.counts)));
        let vectorscope = scopes.and_then(|scopes| Some(here(&scopes.vectorscope.as_ref()?.counts)));
        let waveform =
            waveform.or_else(|| Some(CountSource::There(there?.waveform))).filter(|_| choice.scopes.waveform);
        let vectorscope =
            vectorscope.or_else(|| Some(CountSource::There(there?.vectorscope))).filter(|_| choice.scopes.vectorscope);
        subject.drawn([waveform, vectorscope])
    }

    /// Pixels of what is loaded that all of these brushes select, and those that are counted, once that is known. Never waits: what the
    /// adapter has counted is sent for, and comes some drawings later; until then that of an earlier picture of the series.
    pub fn ask(&mut self, gpu: &Gpu, series: Option<Series>, brushes: Brushes) -> Option<(u32, u64)> {
        let is_of_it =
            |found: &&LastSelection| found.key.0.brushes == Some(brushes) && Some(found.subject.series) == series;
        let found = self.found.as_ref().filter(is_of_it)?;
        let (key, of) = (found.key, found.subject.series);
        let samples = of.rect.pixel_count();
        if let Some(pixels) = &found.pixels {
            return Some((pixels.count, samples));
        }
        self.poll(gpu, series);
        let is_there = self.asked.newest(series).is_some_and(|(newest, _)| *newest == key);
        if let (true, Some(passes)) = (!is_there && self.asked.is_idle(), &self.passes) {
            let descriptor = wgpu::CommandEncoderDescriptor { label: Some("fetch brushed total") };
            let mut encoder = gpu.device.create_command_encoder(&descriptor);
            self.asked.record(&mut encoder, &[(&passes.total, 0..1)], of, key);
            gpu.queue.submit([encoder.finish()]);
            self.asked.submitted();
        }
        let (newest, words) = self.asked.newest(series)?;
        let is_alike = newest.0.brushes == key.0.brushes;
        words.first().filter(|_| is_alike).map(|&count| (count, samples))
    }

    /// Takes a number of that series that has come, without waiting; whether there was any, or one is under way.
    pub fn poll(&mut self, gpu: &Gpu, series: Option<Series>) -> FiguresState {
        if self.asked.poll(&gpu.device, series) {
            return FiguresState::New;
        }
        if self.asked.is_pending() { FiguresState::UnderWay } else { FiguresState::Settled }
    }
}

/// Writes words to a buffer that becomes as large as it must be.
pub(super) fn put(gpu: &Gpu, held: &mut wgpu::Buffer, label: &str, words: &[u32]) {
    if held.size() < 4 * words.len() as u64 {
        *held = storage(&gpu.device, label, words.len());
    }
    gpu.queue.write_buffer(held, 0, bytemuck::cast_slice(words));
}

/// The scales of bins that were counted elsewhere.
#[derive(Debug)]
pub(super) struct Scales {
    shader: shaders::Module,
    pipelines: HashMap<u32, wgpu::ComputePipeline>,
    pub scales: wgpu::Buffer,
}

impl Scales {
    pub fn new(gpu: &Gpu) -> Self {
        let scales = storage(&gpu.device, "brushed scales", CHANNELS * size_of::<ChannelScale>() / 4);
        Self { shader: shaders::SCALE.module(&gpu.device), pipelines: HashMap::new(), scales }
    }

    pub fn record(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, bins: &wgpu::Buffer, bits: u32) {
        debug_assert!(bins.size() >= 4 * Histogram::word_count(bits) as u64);
        let shader = &self.shader;
        let pipeline = || shader.compute(&gpu.device, "scale", &[("BINS", f64::from(1_u32 << bits))]);
        let pipeline = self.pipelines.entry(bits).or_insert_with(pipeline);
        let group = groups::SCALES.bind(&gpu.device, &[bins, &self.scales]);
        let descriptor = wgpu::ComputePassDescriptor { label: Some("brushed scale"), timestamp_writes: None };
        let mut pass = encoder.begin_compute_pass(&descriptor);
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(CHANNELS as u32, 1, 1);
    }
}
