//! The CPU as a backend: it counts and adjusts pictures, and paints them into memory that is copied to the view. It uploads
//! bins and traces for shaders to draw from.

use std::time::{Duration, Instant};

use histoscope_core::adjust::difference::{Mapping, difference};
use histoscope_core::adjust::{Codes, Processor};
use histoscope_core::histogram::{CHANNELS, Components, Cumulative, Histogram, LightTable, Selected};
use histoscope_core::picture::Picture;
use histoscope_core::picture::region::{self, Rect};
use histoscope_core::scopes::{ScopeChoice, ScopeCounts};

use super::backend::{
    AdjustJob, Backend, CountSubject, DifferenceJob, FigureQuestion, Image, Loaded, ScopeAnswer, ScopeQuestion,
    ScopeSources, Slot, ViewPart,
};
use crate::cpu::display::{self, ByCodes, LitBy, Order, Over, PixelFormat};
use crate::cpu::overlay::Overlay;
use crate::cpu::{self, SelectedPixels, SelectionChoice, SelectionCounts};
use crate::gpu::bins::{Bars, UploadedBins};
use crate::gpu::draw::overlay::OverlayContent;
use crate::gpu::draw::scopes::{CountKey, CountSource, HeldKey};
use crate::gpu::draw::{BackdropPass, PaintPass, overlays};
use crate::gpu::live::Timed;
use crate::gpu::recording::Recording;
use crate::gpu::totals::LinearPass;
use crate::gpu::{Buffer, Gpu, GpuError, Series, Texture};
use crate::view::brushes::Selection;
use crate::view::scene::Scene;

/// The pictures, and all counts made from them.
#[derive(Debug, Default)]
pub struct Cpu {
    engine: cpu::Engine,
    loaded: CpuPicture,
    comparison: CpuPicture,
    difference: Option<Picture>,
    /// The counted region of the loaded picture, if not all of it, and its counted components.
    counted: (Option<Rect>, Components),
    source_bins: CpuBins,
    result_bins: CpuBins,
    linear: Option<LinearPass>,
    scopes: ScopeCounts,
    selection: Option<CpuSelection>,
    selected_bins: Option<UploadedBins>,
    /// The thresholds of the result, and the series that it belongs to.
    thresholds: Option<(Series, [u32; 4])>,
    /// One for each picture that a view may show.
    painters: [PaintPass; 2],
    /// The small pictures for the backdrop.
    small: [Vec<u8>; 2],
}

/// A picture and its adjusted version.
#[derive(Debug, Default)]
struct CpuPicture {
    source: Option<Picture>,
    processor: Processor,
    adjusted: Option<Picture>,
}

/// Counted bins, and the buffers that they are uploaded to for drawing.
#[derive(Debug, Default)]
struct CpuBins {
    counted: Option<Histogram>,
    uploaded: Option<UploadedBins>,
}

/// The pixels that brushes select, and the counts made from them.
#[derive(Debug)]
struct CpuSelection {
    pixels: SelectedPixels,
    counts: SelectionCounts,
}

impl Cpu {
    fn image(&self, image: Image) -> Option<&Picture> {
        match image {
            Image::Source => self.loaded.source.as_ref(),
            Image::Result => self.loaded.adjusted.as_ref(),
            Image::Comparison => self.comparison.source.as_ref(),
            Image::AdjustedComparison => self.comparison.adjusted.as_ref(),
            Image::Difference => self.difference.as_ref(),
        }
    }

    const fn bins(&self, image: Image) -> &CpuBins {
        if matches!(image, Image::Result) { &self.result_bins } else { &self.source_bins }
    }

    /// Returns the bins of the source or the result, counting them if necessary.
    fn counted(&mut self, image: Image) -> Option<&Histogram> {
        if self.bins(image).counted.is_none() {
            let (region, components) = self.counted;
            let (picture, components) = match image {
                Image::Result => (self.loaded.adjusted.as_ref()?, Components::Rgbl),
                _ => (components.in_picture(self.loaded.source.as_ref()?), components),
            };
            let counted = match self.engine.count_region(picture, region, components) {
                Ok(histogram) => Some(histogram),
                Err(reason) => {
                    log::error!("the picture cannot be counted: {reason}");
                    None
                }
            };
            match image {
                Image::Result => self.result_bins.counted = counted,
                _ => self.source_bins.counted = counted,
            }
        }
        self.bins(image).counted.as_ref()
    }

    /// Returns the parts of a picture that together make up a rectangle.
    fn parts(&self, image: Image, rect: Rect) -> Vec<Picture> {
        self.image(image).and_then(|picture| region::parts(picture, rect).ok()).unwrap_or_default()
    }

    /// Returns the lighting of a part of the view, and the pixels or codes that decide what is lit.
    fn light(&self, part: &ViewPart) -> Option<(crate::view::brush::Lighting, LitBy<'_>)> {
        let by = match self.selection.as_ref().filter(|_| part.is_selected) {
            Some(selection) => LitBy::Selected(&selection.pixels),
            None => LitBy::Codes(self.image(part.decisive())?),
        };
        part.lighting.map(|lighting| (lighting, by))
    }
}

impl Backend for Cpu {
    fn load(&mut self, _gpu: &Gpu, loaded: &Loaded) -> Result<Option<Duration>, GpuError> {
        self.loaded.source = Some(loaded.picture.clone());
        self.counted = (loaded.region, loaded.components);
        self.source_bins.counted.clone_from(&loaded.given);
        Ok(None)
    }

    fn load_comparison(&mut self, _recording: &mut Recording<'_>, picture: &Picture) -> Result<(), GpuError> {
        self.comparison.source = Some(picture.clone());
        Ok(())
    }

    fn count(&mut self, recording: &mut Recording<'_>, _loaded: &Loaded, image: Image) -> Result<(), GpuError> {
        let begin = Instant::now();
        if image == Image::Result {
            self.result_bins.counted = None;
        }
        let is_known = self.bins(image).counted.is_some();
        self.counted(image);
        if !is_known {
            recording.note(|times| &mut times.cpu_count, Some(begin.elapsed()));
        }
        let (bins, name, span) = match image {
            Image::Result => (&mut self.result_bins, "copy the result's bins", Timed::ResultScale),
            _ => (&mut self.source_bins, "copy bins", Timed::Scale),
        };
        let Recording { gpu, encoder, timing, names } = recording;
        if let Some(histogram) = &bins.counted {
            names.push(name);
            let spans = timing.as_mut().and_then(|timing| timing.begin(&[span]));
            let uploaded = bins.uploaded.get_or_insert_with(|| UploadedBins::new(gpu, "bins"));
            uploaded.record(gpu, encoder, histogram, spans);
        }
        Ok(())
    }

    fn adjust(&mut self, recording: &mut Recording<'_>, job: &AdjustJob<'_>) -> Result<bool, GpuError> {
        let begin = Instant::now();
        let of = if job.slot == Slot::Loaded { &mut self.loaded } else { &mut self.comparison };
        of.adjusted = match of.processor.apply(job.picture, &job.adjustments, job.elapsed_secs) {
            Ok(picture) => Some(picture),
            Err(error) => {
                log::error!("the picture could not be adjusted and is shown as it is: {error}");
                return Ok(false);
            }
        };
        recording.note(|times| &mut times.cpu_adjust, Some(begin.elapsed()));
        recording.names.push("adjust on the CPU");
        if job.slot == Slot::Loaded {
            let has_thresholds = job.adjustments.have_thresholds();
            let thresholds = of.processor.thresholds().filter(|_| has_thresholds);
            self.thresholds = thresholds.map(|thresholds| (job.series, thresholds));
        }
        Ok(true)
    }

    fn release_adjusted(&mut self, slot: Slot) {
        let of = match slot {
            Slot::Loaded => {
                self.thresholds = None;
                &mut self.loaded
            }
            Slot::Comparison => &mut self.comparison,
        };
        (of.processor, of.adjusted) = (Processor::default(), None);
    }

    fn find_difference(&mut self, recording: &mut Recording<'_>, job: &DifferenceJob) -> Result<bool, GpuError> {
        self.difference = None;
        let [Some(first), Some(second)] = job.images.map(|image| self.image(image)) else { return Ok(false) };
        let mapping = Mapping::new(job.extents[0], job.extents[1]);
        let found = difference(&Codes::of(first), &Codes::of(second), &mapping, job.gain).picture();
        recording.names.push("difference on the CPU");
        match found {
            Ok(picture) => self.difference = Some(picture),
            Err(error) => log::error!("the difference cannot be shown: {error}"),
        }
        Ok(self.difference.is_some())
    }

    fn release_difference(&mut self) {
        self.difference = None;
    }

    fn count_linear(&mut self, recording: &mut Recording<'_>, subject: &CountSubject, table: &LightTable) {
        let mut bins = vec![0; table.light().len()];
        for part in &self.parts(subject.image, subject.series.rect) {
            let counted = cpu::count_linear(part, table);
            bins.iter_mut().zip(counted).for_each(|(sum, count)| *sum += count);
        }
        let pass = self.linear.get_or_insert_with(|| LinearPass::new(recording.gpu));
        pass.take(recording.gpu, &bins);
    }

    fn linear_bins(&self) -> Option<&Buffer> {
        self.linear.as_ref().map(|pass| &pass.bins)
    }

    /// Reuses the memory of the previous counts.
    fn count_scopes(
        &mut self,
        recording: &mut Recording<'_>,
        subject: &CountSubject,
        wanted: ScopeChoice,
    ) -> Result<(), GpuError> {
        let begin = Instant::now();
        let old = std::mem::take(&mut self.scopes);
        if let Some(picture) = self.image(subject.image) {
            let Series { rect, components, .. } = subject.series;
            self.scopes = cpu::recount_scopes(old, picture, (rect, components), subject.chroma, wanted);
        }
        recording.note(|times| &mut times.cpu_scopes, Some(begin.elapsed()));
        Ok(())
    }

    fn scope_counts<'a>(&'a self, key: &'a CountKey) -> ScopeSources<'a> {
        sources(&self.scopes, key)
    }

    fn ask_scope(
        &mut self,
        _gpu: &Gpu,
        _of: (&CountKey, &CountSubject),
        question: ScopeQuestion,
    ) -> Option<ScopeAnswer> {
        let counts = match question {
            ScopeQuestion::Column(columns) => {
                let waveform = self.scopes.waveform.as_ref()?;
                let of = |channel: usize| {
                    let column = columns[channel];
                    let is_there = column < waveform.columns[channel];
                    if is_there { waveform.column(channel, column).to_vec() } else { vec![0; waveform.levels()] }
                };
                (0..CHANNELS).flat_map(of).collect()
            }
            ScopeQuestion::Cb(cb) => {
                let scope = self.scopes.vectorscope.as_ref()?;
                let levels = scope.levels();
                scope.counts.get(cb as usize * levels..(cb as usize + 1) * levels)?.to_vec()
            }
        };
        Some(ScopeAnswer { question, counts })
    }

    fn release_scopes(&mut self) {
        self.scopes = ScopeCounts::default();
    }

    fn select(
        &mut self,
        recording: &mut Recording<'_>,
        subject: &CountSubject,
        selection: &Selection,
        wanted: SelectionChoice,
    ) -> Result<(), GpuError> {
        // Frees the previous selection first: it is obsolete and just as large.
        self.selection = None;
        let Some(picture) = self.image(subject.image) else { return Ok(()) };
        let pixels = SelectedPixels::of(picture, selection);
        let counts = pixels.count_in(picture, selection, subject.chroma, wanted);
        if let Some(histogram) = &counts.histogram {
            let Recording { gpu, encoder, .. } = recording;
            let bins = self.selected_bins.get_or_insert_with(|| UploadedBins::new(gpu, "brushed bins"));
            bins.record(gpu, encoder, histogram, None);
        }
        self.selection = Some(CpuSelection { pixels, counts });
        Ok(())
    }

    fn selected_bars(&self) -> Option<Bars<'_>> {
        self.selected_bins.as_ref().map(UploadedBins::bars)
    }

    fn selected_counts<'a>(&'a self, key: &'a CountKey) -> ScopeSources<'a> {
        self.selection.as_ref().map(|selection| sources(&selection.counts.scopes, key)).unwrap_or_default()
    }

    fn ask_selected(&mut self, _gpu: &Gpu, _of: (&CountKey, &CountSubject)) -> Option<u32> {
        self.selection.as_ref().map(|selection| selection.pixels.count)
    }

    fn release_selection(&mut self) {
        self.selection = None;
    }

    fn bars(&self, image: Image) -> Option<Bars<'_>> {
        self.bins(image).uploaded.as_ref().map(UploadedBins::bars)
    }

    fn read_bins(&self, _gpu: &Gpu, loaded: &Loaded, image: Image) -> Result<Histogram, GpuError> {
        let empty = || Histogram::empty(loaded.bits(), loaded.components);
        Ok(self.bins(image).counted.clone().unwrap_or_else(empty))
    }

    fn figures(&mut self, question: &FigureQuestion) -> Option<Cumulative> {
        let mut sums = self.counted(question.image)?.cumulative();
        let parts = match question.limits || question.brush.is_some() {
            true => self.parts(question.image, question.series.rect),
            false => Vec::new(),
        };
        if question.limits {
            sums.outside_r103 = Some(parts.iter().map(cpu::count_outside_r103).sum());
        }
        sums.selected = question.brush.map(|brush| {
            let counts = parts.iter().map(|part| cpu::count_selected(part, &brush, sums.components));
            counts.fold(Selected::default(), Selected::plus)
        });
        Some(sums)
    }

    fn thresholds(&self, series: Option<Series>) -> Option<[u32; 4]> {
        self.thresholds.filter(|(of, _)| Some(*of) == series).map(|(_, thresholds)| thresholds)
    }

    fn picture(&self, image: Image) -> Option<&Picture> {
        self.image(image)
    }

    /// A software adapter interprets the overlays' shader too, so the CPU paints them with the picture.
    fn overlays(
        &self,
        shown: &OverlayContent,
        (image, scene): (Image, &Scene),
        view: &Texture,
    ) -> Option<Vec<Overlay>> {
        let histogram = self.bins(image).counted.as_ref()?;
        Some(overlays(shown, histogram, scene, view))
    }

    fn paint(
        &mut self,
        recording: &mut Recording<'_>,
        view: &Texture,
        parts: &[ViewPart],
        overlays: &[Overlay],
    ) -> bool {
        let begin = Instant::now();
        let mut painters = std::mem::take(&mut self.painters);
        for (part, painter) in parts.iter().zip(&mut painters) {
            let Some(picture) = self.image(part.image) else { continue };
            recording.names.push(if overlays.is_empty() { "paint" } else { "paint with overlays" });
            let inspection = part.inspection.map(|inspection| (inspection, part.columns.start));
            let by_codes =
                ByCodes { light: self.light(part), inspection, codes: part.codes, tone: part.tone.as_deref() };
            let place = (&part.columns, &part.placement);
            painter.paint((recording.gpu, recording.encoder), view, (picture, place), Over { by_codes, overlays });
        }
        self.painters = painters;
        recording.note(|times| &mut times.cpu_paint, Some(begin.elapsed()));
        !parts.is_empty()
    }

    fn paint_small(&mut self, recording: &mut Recording<'_>, backdrop: &BackdropPass, parts: &[ViewPart]) {
        let row = 4 * BackdropPass::WIDTH as usize;
        let format = PixelFormat { order: Order::Rgba, stride: row };
        let mut small = std::mem::take(&mut self.small);
        for (part, pixels) in parts.iter().zip(&mut small) {
            let (light, tone) = (self.light(part), part.tone.as_deref());
            let over = Over { by_codes: ByCodes { light, tone, ..ByCodes::default() }, ..Over::default() };
            if let Some(picture) = self.image(part.image) {
                display::draw_whole(picture, &part.placement, over, format, pixels);
            }
        }
        // The picture is so small that each part is painted at full width; then the second part's columns are copied over the
        // first's.
        let [first, second] = &mut small;
        if let [_, part] = parts {
            let columns = 4 * part.columns.start as usize..4 * part.columns.end as usize;
            for (to, from) in first.chunks_exact_mut(row).zip(second.chunks_exact(row)) {
                to[columns.clone()].copy_from_slice(&from[columns.clone()]);
            }
        }
        backdrop.write(recording.gpu, first);
        self.small = small;
    }

    fn submitted(&mut self) {
        self.painters.iter_mut().for_each(PaintPass::submitted);
    }
}

/// Returns the counts of the scopes in the form in which they are drawn.
fn sources<'a>(counts: &'a ScopeCounts, key: &'a CountKey) -> ScopeSources<'a> {
    counts.words().map(|counts| counts.map(|counts| CountSource::Cpu(HeldKey::Loaded(*key), counts)))
}
