//! The CPU as a backend: it counts and adjusts pictures, and paints them into memory that is copied to the view. It
//! uploads bins and traces for shaders to draw from.

use std::time::{Duration, Instant};

use histoscope_core::adjust::difference::{Mapping, difference};
use histoscope_core::adjust::{Codes, Processor};
use histoscope_core::histogram::{CHANNELS, Components, Cumulative, Histogram, LightTable, Selected};
use histoscope_core::picture::Picture;
use histoscope_core::picture::region::{self, Rect};
use histoscope_core::scopes::ScopeCounts;

use super::backend::{
    AdjustJob, Answer, Backend, CountQuestion, CountSubject, CountWords, DifferenceJob, FigureQuestion, Image, Job,
    Load, Loaded, Product, Slot, ViewPart,
};
use crate::cpu::display::{self, ByCodes, LitBy, Order, Over, PixelFormat};
use crate::cpu::overlay::Overlay;
use crate::cpu::{self, SelectedPixels, SelectionCounts};
use crate::gpu::bins::UploadedBins;
use crate::gpu::draw::overlay::OverlayContent;
use crate::gpu::draw::scopes::{CountSource, HeldKey};
use crate::gpu::draw::{BackdropPass, PaintPass, overlays};
use crate::gpu::live::Timed;
use crate::gpu::recording::Recording;
use crate::gpu::totals::LinearPass;
use crate::gpu::{Gpu, GpuError, Series, Texture};
use crate::view::count::{Count, CountKey, CountKind};
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
    /// The light of the codes that linear light was last counted of, and their bits.
    light: Option<(u32, LightTable)>,
    scopes: ScopeCounts,
    selection: Option<CpuSelection>,
    selected_bins: Option<UploadedBins>,
    /// The thresholds of the result.
    thresholds: Option<[u32; 4]>,
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

    fn count_bins(&mut self, recording: &mut Recording<'_>, image: Image) {
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
    }

    fn adjust(&mut self, recording: &mut Recording<'_>, job: &AdjustJob<'_>) -> bool {
        let begin = Instant::now();
        let of = if job.slot == Slot::Loaded { &mut self.loaded } else { &mut self.comparison };
        of.adjusted = match of.processor.apply(job.picture, &job.adjustments, job.elapsed_secs) {
            Ok(picture) => Some(picture),
            Err(error) => {
                log::error!("the picture could not be adjusted and is shown as it is: {error}");
                return false;
            }
        };
        recording.note(|times| &mut times.cpu_adjust, Some(begin.elapsed()));
        recording.names.push("adjust on the CPU");
        if job.slot == Slot::Loaded {
            let has_thresholds = job.adjustments.have_thresholds();
            self.thresholds = of.processor.thresholds().filter(|_| has_thresholds);
        }
        true
    }

    fn find_difference(&mut self, recording: &mut Recording<'_>, job: &DifferenceJob) -> bool {
        self.difference = None;
        let [Some(first), Some(second)] = job.images.map(|image| self.image(image)) else { return false };
        let mapping = Mapping::new(job.extents[0], job.extents[1]);
        let found = difference(&Codes::of(first), &Codes::of(second), &mapping, job.gain).picture();
        recording.names.push("difference on the CPU");
        match found {
            Ok(picture) => self.difference = Some(picture),
            Err(error) => log::error!("the difference cannot be shown: {error}"),
        }
        self.difference.is_some()
    }
}

impl Backend for Cpu {
    fn load(&mut self, _gpu: &Gpu, load: Load<'_>) -> Result<Option<Duration>, GpuError> {
        match load {
            Load::Loaded(loaded) => {
                self.loaded.source = Some(loaded.picture.clone());
                self.counted = (loaded.region, loaded.components);
                self.source_bins.counted.clone_from(&loaded.given);
            }
            Load::Comparison(picture) => self.comparison.source = Some(picture.clone()),
        }
        Ok(None)
    }

    fn make(&mut self, recording: &mut Recording<'_>, job: &Job<'_>) -> Result<bool, GpuError> {
        Ok(match job {
            Job::Adjust(job) => self.adjust(recording, job),
            Job::Difference(job) => self.find_difference(recording, job),
        })
    }

    fn release(&mut self, product: Product) {
        match product {
            Product::Adjusted(slot) => {
                let of = match slot {
                    Slot::Loaded => {
                        self.thresholds = None;
                        &mut self.loaded
                    }
                    Slot::Comparison => &mut self.comparison,
                };
                (of.processor, of.adjusted) = (Processor::default(), None);
            }
            Product::Difference => self.difference = None,
            Product::Count(CountKind::Scopes) => self.scopes = ScopeCounts::default(),
            Product::Count(CountKind::Selected) => self.selection = None,
            Product::Count(CountKind::Linear) => self.linear = None,
            Product::Count(CountKind::Bins) => {}
        }
    }

    fn count(&mut self, recording: &mut Recording<'_>, subject: &CountSubject, count: &Count) -> Result<(), GpuError> {
        let CountSubject { image, chroma, transfer, series: Series { rect, components, bits, .. }, .. } = *subject;
        match count {
            Count::Bins(image) => self.count_bins(recording, *image),
            Count::Linear => {
                let is_of = |(of, table): &(u32, LightTable)| (*of, table.transfer()) == (bits, transfer);
                let mut light = self.light.take().filter(is_of);
                let (_, table) = light.get_or_insert_with(|| (bits, LightTable::new(transfer, bits)));
                let mut bins = vec![0; table.light().len()];
                for part in &self.parts(image, rect) {
                    let counted = cpu::count_linear(part, table);
                    bins.iter_mut().zip(counted).for_each(|(sum, count)| *sum += count);
                }
                self.light = light;
                let pass = self.linear.get_or_insert_with(|| LinearPass::new(recording.gpu));
                pass.take(recording.gpu, &bins);
            }
            Count::Scopes(wanted) => {
                let begin = Instant::now();
                // Reuses the memory of the previous counts.
                let old = std::mem::take(&mut self.scopes);
                if let Some(picture) = self.image(image) {
                    self.scopes = cpu::recount_scopes(old, picture, (rect, components), chroma, *wanted);
                }
                recording.note(|times| &mut times.cpu_scopes, Some(begin.elapsed()));
            }
            Count::Selected(brushes, wanted) => {
                // Frees the previous selection first: it is obsolete and just as large.
                self.selection = None;
                let Some(picture) = self.image(image) else { return Ok(()) };
                let selection = brushes.on(rect, components, chroma);
                let pixels = SelectedPixels::of(picture, &selection);
                let counts = pixels.count_in(picture, &selection, chroma, *wanted);
                if let Some(histogram) = &counts.histogram {
                    let Recording { gpu, encoder, .. } = recording;
                    let bins = self.selected_bins.get_or_insert_with(|| UploadedBins::new(gpu, "brushed bins"));
                    bins.record(gpu, encoder, histogram, None);
                }
                self.selection = Some(CpuSelection { pixels, counts });
            }
        }
        Ok(())
    }

    fn words<'a>(&'a self, key: &'a CountKey) -> CountWords<'a> {
        let words = CountWords::default();
        let sources = |counts: &'a ScopeCounts| {
            counts.words().map(|counts| counts.map(|counts| CountSource::Cpu(HeldKey::Loaded(*key), counts)))
        };
        match key.count {
            Count::Bins(image) => {
                CountWords { bars: self.bins(image).uploaded.as_ref().map(UploadedBins::bars), ..words }
            }
            Count::Linear => CountWords { linear: self.linear.as_ref().map(|pass| &pass.bins), ..words },
            Count::Scopes(_) => CountWords { scopes: sources(&self.scopes), ..words },
            Count::Selected(..) => CountWords {
                bars: self.selected_bins.as_ref().map(UploadedBins::bars),
                scopes: self.selection.as_ref().map(|selection| sources(&selection.counts.scopes)).unwrap_or_default(),
                ..words
            },
        }
    }

    fn ask(&mut self, _gpu: &Gpu, (key, _): (&CountKey, &CountSubject), question: CountQuestion) -> Option<Answer> {
        let words = match question {
            CountQuestion::Column(columns) => {
                let waveform = self.scopes.waveform.as_ref()?;
                let of = |channel: usize| {
                    let column = columns[channel];
                    let is_there = column < waveform.columns[channel];
                    if is_there { waveform.column(channel, column).to_vec() } else { vec![0; waveform.levels()] }
                };
                (0..CHANNELS).flat_map(of).collect()
            }
            CountQuestion::Cb(cb) => {
                let scope = self.scopes.vectorscope.as_ref()?;
                let levels = scope.levels();
                scope.counts.get(cb as usize * levels..(cb as usize + 1) * levels)?.to_vec()
            }
            CountQuestion::Selected => vec![self.selection.as_ref()?.pixels.count],
            CountQuestion::Thresholds => self.thresholds?.to_vec(),
        };
        Some((*key, words))
    }

    fn read_bins(&self, _gpu: &Gpu, loaded: &Loaded, image: Image) -> Result<Histogram, GpuError> {
        let empty = || Histogram::empty(loaded.bits(), loaded.components);
        Ok(self.bins(image).counted.clone().unwrap_or_else(empty))
    }

    fn figures(&mut self, question: &FigureQuestion) -> Option<Cumulative> {
        let mut sums = self.counted(question.image)?.cumulative();
        let rect = question.series.rect;
        let parts = if question.brush.is_some() { self.parts(question.image, rect) } else { Vec::new() };
        if question.limits {
            let picture = self.image(question.image);
            sums.outside_r103 =
                picture.map(|picture| cpu::count_outside_r103(picture, rect, question.tag.is_interlaced, 0));
        }
        sums.selected = question.brush.map(|brush| {
            let counts = parts.iter().map(|part| cpu::count_selected(part, &brush, sums.components));
            counts.fold(Selected::default(), Selected::plus)
        });
        Some(sums)
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
        // The picture is so small that each part is painted at full width; then the second part's columns are copied
        // over the first's.
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
