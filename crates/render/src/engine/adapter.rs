//! The graphics adapter as a backend: its passes count, adjust and draw pictures in its own memory. Only requested
//! figures are read back.

use std::ops::Range;
use std::time::{Duration, Instant};

use histoscope_core::histogram::limits::Limits;
use histoscope_core::histogram::{CHANNELS, Components, Cumulative, Histogram, Selected, TAIL_WORDS};
use histoscope_core::picture::region::{self, Rect};
use histoscope_core::picture::{OutOfRange, Picture};
use histoscope_core::scopes::{Scope, Waveform};

use super::backend::{
    AdjustJob, Answer, Backend, CountQuestion, CountSubject, CountWords, DifferenceJob, FigureQuestion, Image, Job,
    Load, Loaded, Product, Slot, ViewPart,
};
use crate::cpu::overlay::Overlay;
use crate::gpu::adjust::{Chain, DifferencePass, Operand};
use crate::gpu::bins::CumulativePass;
use crate::gpu::brushed::BrushedPasses;
use crate::gpu::draw::scopes::CountSource;
use crate::gpu::draw::{BackdropPass, ByCodes, SelectedPlanes, Side, VideoPass};
use crate::gpu::figures::FigureSubject;
use crate::gpu::histogram::HistogramPasses;
use crate::gpu::live::Timed;
use crate::gpu::params::InputPicture;
use crate::gpu::readback_belt::RequestedReadback;
use crate::gpu::recording::Recording;
use crate::gpu::scope_pass::ScopeSubject;
use crate::gpu::scopes::ScopePasses;
use crate::gpu::timing::compute_pass;
use crate::gpu::totals::LinearPass;
use crate::gpu::totals::{LimitsParams, SelectionParams, TotalsPass};
use crate::gpu::upload::{BoundPicture, PictureBuffers};
use crate::gpu::{
    Buffer, CommandEncoder, FiguresState, FrameTag, Gpu, GpuError, RenderPass, Series, Texture, TextureFormat,
};
use crate::view::count::{Count, CountKey, CountKind};

const RESULT_SPANS: [Timed; 3] = [Timed::ResultChunk, Timed::ResultReduce, Timed::ResultScale];

/// The passes and everything that they have produced.
#[derive(Debug)]
pub struct Adapter {
    pictures: AdapterPictures,
    bins: HistogramPasses,
    result_bins: Option<HistogramPasses>,
    linear: Option<LinearPass>,
    scopes: Option<ScopePasses>,
    selection: Option<BrushedPasses>,
    /// Requested words, by the kind of the question; dropped together with what they are part of.
    asked: [Option<RequestedReadback<(CountKey, CountQuestion)>>; CountQuestion::KINDS],
    figures: Figures,
    /// The bins of the loaded picture, if the caller knows them.
    given: Option<Histogram>,
    video: VideoPass,
    /// Draws views to be saved, if those to be shown take light.
    saved_video: Option<VideoPass>,
    /// `true` if the view that is drawn is to be saved.
    is_saved: bool,
    /// Draws the small picture for the backdrop.
    small_video: Option<VideoPass>,
}

/// The pictures in the adapter's memory.
#[derive(Debug, Default)]
struct AdapterPictures {
    loaded: AdapterPicture,
    comparison: AdapterPicture,
    difference: Option<DifferencePass>,
}

/// A picture in the adapter's memory, and its adjustments.
#[derive(Debug, Default)]
struct AdapterPicture {
    planes: PictureBuffers,
    input: Option<InputPicture>,
    chain: Option<Chain>,
}

/// The figures of a playing video: sums of bins, and pixel counts that are requested with them. The passes are created
/// on first use.
#[derive(Debug)]
struct Figures {
    cumulative: Option<CumulativePass>,
    limits: Option<TotalsPass<LimitsParams>>,
    selection: Option<TotalsPass<SelectionParams>>,
    in_flight: RequestedReadback<FigureSubject>,
}

impl AdapterPicture {
    fn load(&mut self, gpu: &Gpu, picture: &Picture) -> Result<(), GpuError> {
        self.planes.upload(gpu, picture)?;
        self.input = Some(InputPicture::from(picture));
        Ok(())
    }

    fn source(&self) -> Option<BoundPicture<'_>> {
        Some(BoundPicture { group: self.planes.bind_group()?, input: self.input? })
    }

    fn adjusted(&self) -> Option<BoundPicture<'_>> {
        self.chain
            .as_ref()
            .and_then(Chain::result)
            .map(|working| BoundPicture { group: &working.bind_group, input: InputPicture::from(working) })
    }
}

impl AdapterPictures {
    fn bound(&self, image: Image) -> Option<BoundPicture<'_>> {
        match image {
            Image::Source => self.loaded.source(),
            Image::Result => self.loaded.adjusted(),
            Image::Comparison => self.comparison.source(),
            Image::AdjustedComparison => self.comparison.adjusted(),
            Image::Difference => self
                .difference
                .as_ref()
                .and_then(DifferencePass::result)
                .map(|working| BoundPicture { group: &working.bind_group, input: InputPicture::from(working) }),
        }
    }

    /// Prepares a pass to draw these parts. Returns `true` if it recorded a further pass, which finds the lit pixels.
    fn prepare(
        &self,
        (gpu, encoder): (&Gpu, &mut CommandEncoder),
        video: &mut VideoPass,
        selection: Option<&BrushedPasses>,
        parts: &[ViewPart],
    ) -> bool {
        let mut has_light = false;
        // Parts lit by another side's codes come first: they overwrite that side's parameters, which its own part then
        // sets again.
        let (lit_by_other, others): (Vec<_>, Vec<_>) = parts.iter().partition(|part| part.lit_by.is_some());
        for part in lit_by_other.into_iter().chain(others) {
            let (Some(bound), side) = (self.bound(part.image), side_of(part.image)) else { continue };
            video.prepare_reading(gpu, side, bound.input.reading());
            let selected = selection.filter(|_| part.is_selected).map(|passes| SelectedPlanes {
                planes: passes.buffers().planes,
                row_words: bound.input.size.0.div_ceil(32),
            });
            let by_codes = ByCodes {
                lighting: part.lighting.as_ref(),
                selected,
                inspection: part.inspection.as_ref(),
                codes: part.codes.as_ref(),
                tone: part.tone.as_ref(),
            };
            match part.lit_by.filter(|_| selected.is_none()).and_then(|image| self.bound(image)) {
                Some(counted) => {
                    let counted = (counted.group, counted.input.reading());
                    video.place_lit_by_other(gpu, encoder, side, counted, &part.placement, by_codes);
                    has_light = true;
                }
                None => video.place(gpu, side, &part.placement, by_codes),
            }
        }
        has_light
    }

    fn draw(&self, video: &VideoPass, pass: &mut RenderPass<'_>, parts: &[ViewPart], height: u32) {
        for part in parts {
            if let Some(bound) = self.bound(part.image) {
                video.draw(pass, side_of(part.image), bound.group, &part.columns, height);
            }
        }
    }
}

impl Adapter {
    /// Creates the passes for views of `format`.
    pub fn new(gpu: &Gpu, format: TextureFormat) -> Self {
        let device = &gpu.device;
        Self {
            pictures: AdapterPictures::default(),
            bins: HistogramPasses::new(gpu),
            result_bins: None,
            linear: None,
            scopes: None,
            selection: None,
            asked: Default::default(),
            figures: Figures {
                cumulative: None,
                limits: None,
                selection: None,
                in_flight: RequestedReadback::new(device, "live sums", Cumulative::scan_words(12) + TAIL_WORDS + 3),
            },
            given: None,
            video: VideoPass::new(gpu, format),
            saved_video: None,
            is_saved: false,
            small_video: None,
        }
    }

    fn passes(&self, image: Image) -> Option<&HistogramPasses> {
        if image == Image::Result { self.result_bins.as_ref() } else { Some(&self.bins) }
    }

    /// Returns the words that answer a request.
    fn words_of(&self, subject: &CountSubject, question: CountQuestion) -> Option<Vec<(&Buffer, Range<usize>)>> {
        let Series { rect, components, .. } = subject.series;
        let counts = || Some(self.scopes.as_ref()?.buffers());
        Some(match question {
            CountQuestion::Column(columns) => {
                let shape = Waveform::shape(&subject.input.layout, rect, components);
                let (levels, waveform) = (shape.levels(), counts()?[Scope::Waveform]?);
                let at = |channel: usize| {
                    let column = columns[channel].min(shape.columns[0].saturating_sub(1));
                    (channel * shape.columns[0] as usize + column as usize) * levels
                };
                (0..CHANNELS).map(|channel| (waveform, at(channel)..at(channel) + levels)).collect()
            }
            CountQuestion::Cb(cb) => {
                let levels = 1 << subject.chroma?.level_bits();
                let cb = (cb as usize).min(levels - 1);
                vec![(counts()?[Scope::Vectorscope]?, cb * levels..(cb + 1) * levels)]
            }
            CountQuestion::Selected => vec![(&self.selection.as_ref()?.total, 0..1)],
            CountQuestion::Thresholds => vec![(self.pictures.loaded.chain.as_ref()?.thresholds(), 0..4)],
        })
    }

    fn adjust(&mut self, recording: &mut Recording<'_>, job: &AdjustJob<'_>) -> Result<bool, GpuError> {
        let AdjustJob { slot, picture, adjustments, elapsed_secs, counts_source, counts_result } = job;
        let Recording { gpu, encoder, timing, names } = recording;
        let of = if *slot == Slot::Loaded { &mut self.pictures.loaded } else { &mut self.pictures.comparison };
        let Some(group) = of.planes.bind_group() else { return Ok(false) };
        let chain = of.chain.get_or_insert_with(|| Chain::new(gpu, &self.bins));
        let input = InputPicture::from(*picture);
        if *counts_result {
            let result = self.result_bins.get_or_insert_with(|| HistogramPasses::new(gpu));
            chain.prepare_counting(gpu, input, adjustments, *elapsed_secs, *counts_source, result)?;
        } else {
            chain.prepare(gpu, input, adjustments, *elapsed_secs, *counts_source)?;
        }
        names.push(if chain.counts_result() { "adjust and count" } else { "adjust" });
        let spans = timing.as_mut().and_then(|timing| timing.begin(&[Timed::Adjust]));
        compute_pass(encoder, "adjust", spans, |pass| chain.dispatch(pass, group));
        recording.note(|times| &mut times.cpu_adjust, None);
        Ok(true)
    }

    fn find_difference(&mut self, recording: &mut Recording<'_>, job: &DifferenceJob) -> Result<bool, GpuError> {
        let Recording { gpu, encoder, names, .. } = recording;
        let mut pass = self.pictures.difference.take().unwrap_or_else(|| DifferencePass::new(gpu));
        let [Some(first), Some(second)] = job.images.map(|image| self.pictures.bound(image)) else { return Ok(false) };
        let operands = [(first, job.extents[0]), (second, job.extents[1])]
            .map(|(bound, extent)| Operand { reading: bound.input.reading(), extent });
        pass.prepare(gpu, operands, job.gain)?;
        names.push("difference");
        let groups = [first.group, second.group];
        compute_pass(encoder, "difference", None, |compute| pass.dispatch(compute, groups));
        self.pictures.difference = Some(pass);
        Ok(true)
    }

    fn count_bins(&mut self, recording: &mut Recording<'_>, image: Image, rect: Rect) -> Result<(), GpuError> {
        recording.note(|times| &mut times.cpu_count, None);
        let Recording { gpu, encoder, timing, names } = recording;
        if image != Image::Result {
            match (&self.given, self.pictures.loaded.source()) {
                (Some(histogram), _) => {
                    names.push("copy bins");
                    let spans = timing.as_mut().and_then(|timing| timing.begin(&[Timed::Scale]));
                    self.bins.record_counted(gpu, encoder, histogram, spans);
                }
                (None, Some(bound)) => {
                    names.push("count");
                    let passes = [Timed::Chunk, Timed::Reduce, Timed::Scale];
                    let spans = timing.as_mut().and_then(|timing| timing.begin(&passes));
                    self.bins.record(encoder, bound.group, spans);
                }
                (None, None) => {}
            }
            return Ok(());
        }
        let passes = self.result_bins.get_or_insert_with(|| HistogramPasses::new(gpu));
        if self.pictures.loaded.chain.as_ref().is_some_and(Chain::counts_result) {
            names.push("reduce the result");
            let spans = timing.as_mut().and_then(|timing| timing.begin(&RESULT_SPANS[1..]));
            passes.record_sums(encoder, spans);
        } else if let Some(bound) = self.pictures.loaded.adjusted() {
            passes.prepare_region(gpu, bound.input, Some(rect), Components::Rgbl)?;
            names.push("count the result");
            let spans = timing.as_mut().and_then(|timing| timing.begin(&RESULT_SPANS));
            passes.record(encoder, bound.group, spans);
        }
        Ok(())
    }
}

impl Backend for Adapter {
    fn load(&mut self, gpu: &Gpu, load: Load<'_>) -> Result<Option<Duration>, GpuError> {
        if let Load::Loaded(loaded) = load {
            self.bins.prepare_region(gpu, &loaded.picture, loaded.region, loaded.components)?;
            self.given.clone_from(&loaded.given);
        }
        let begin = Instant::now();
        match load {
            Load::Loaded(loaded) => self.pictures.loaded.load(gpu, &loaded.picture)?,
            Load::Comparison(picture) => self.pictures.comparison.load(gpu, picture)?,
        }
        Ok(Some(begin.elapsed()))
    }

    fn make(&mut self, recording: &mut Recording<'_>, job: &Job<'_>) -> Result<bool, GpuError> {
        match job {
            Job::Adjust(job) => self.adjust(recording, job),
            Job::Difference(job) => self.find_difference(recording, job),
        }
    }

    fn release(&mut self, product: Product) {
        match product {
            Product::Adjusted(slot) => {
                let of = match slot {
                    Slot::Loaded => &mut self.pictures.loaded,
                    Slot::Comparison => &mut self.pictures.comparison,
                };
                of.chain.iter_mut().for_each(Chain::release);
            }
            Product::Difference => self.pictures.difference = None,
            Product::Count(CountKind::Selected) => {
                self.selection = None;
                self.asked[CountQuestion::Selected.kind()] = None;
            }
            Product::Count(CountKind::Linear) => self.linear = None,
            Product::Count(CountKind::Bins) => {}
            Product::Count(CountKind::Scopes) => {
                self.scopes = None;
                for question in [CountQuestion::Column([0; CHANNELS]), CountQuestion::Cb(0)] {
                    self.asked[question.kind()] = None;
                }
            }
        }
    }

    fn adjusted_bytes(&self) -> u64 {
        self.pictures.loaded.chain.as_ref().map_or(0, Chain::bytes)
    }

    fn count(&mut self, recording: &mut Recording<'_>, subject: &CountSubject, count: &Count) -> Result<(), GpuError> {
        let CountSubject { input, series: Series { rect, components, bits, .. }, chroma, transfer, .. } = *subject;
        let Recording { gpu, encoder, timing, .. } = recording;
        let bound = self.pictures.bound(subject.image);
        match count {
            Count::Bins(image) => return self.count_bins(recording, *image, rect),
            Count::Linear => {
                let pass = self.linear.get_or_insert_with(|| LinearPass::new(gpu));
                if let Some(bound) = bound {
                    pass.record(gpu, encoder, (bound.group, bound.input.reading(), rect), (transfer, bits));
                }
            }
            Count::Scopes(wanted) => {
                let kept = self.scopes.take().filter(|passes| passes.wanted() == *wanted);
                let mut passes = kept.unwrap_or_else(|| ScopePasses::new(gpu, *wanted));
                passes.prepare(gpu, &ScopeSubject { picture: input, pixels: rect, components, chroma })?;
                if let Some(bound) = bound {
                    passes.record(encoder, bound.group, timing.as_deref_mut());
                }
                self.scopes = Some(passes);
                recording.note(|times| &mut times.cpu_scopes, None);
            }
            Count::Selected(brushes, wanted) => {
                BrushedPasses::check(gpu, input.size)?;
                let selection = brushes.on(rect, components, chroma);
                let passes = self.selection.get_or_insert_with(|| BrushedPasses::new(gpu));
                if let Some(bound) = bound {
                    passes.record(gpu, encoder, (bound.group, input), (&selection, chroma), *wanted, None);
                }
            }
        }
        Ok(())
    }

    fn words<'a>(&'a self, key: &'a CountKey) -> CountWords<'a> {
        let words = CountWords::default();
        match key.count {
            Count::Bins(image) => CountWords { bars: self.passes(image).map(HistogramPasses::bars), ..words },
            Count::Linear => CountWords { linear: self.linear.as_ref().map(|pass| &pass.bins), ..words },
            Count::Scopes(_) => {
                let counts = self.scopes.as_ref().map(ScopePasses::buffers).unwrap_or_default();
                CountWords { scopes: counts.map(|counts| counts.map(CountSource::Gpu)), ..words }
            }
            Count::Selected(_, wanted) => {
                let Some(passes) = &self.selection else { return words };
                let counts = passes.buffers().scopes.zip(wanted.scopes);
                let scopes = counts.map(|(counts, is_counted)| is_counted.then_some(CountSource::Gpu(counts)));
                CountWords { bars: Some(passes.bars()), scopes, ..words }
            }
        }
    }

    fn ask(
        &mut self,
        gpu: &Gpu,
        (key, subject): (&CountKey, &CountSubject),
        question: CountQuestion,
    ) -> Option<Answer> {
        let (series, kind) = (Some(subject.series), question.kind());
        let room = || RequestedReadback::new(&gpu.device, "live counts", question.max_words());
        let mut asked = self.asked[kind].take().unwrap_or_else(room);
        asked.poll(&gpu.device, series);
        let is_there = asked.newest(series).is_some_and(|(newest, _)| *newest == (*key, question));
        if !is_there
            && asked.is_idle()
            && let Some(parts) = self.words_of(subject, question)
        {
            asked.send((&gpu.device, &gpu.queue), "fetch counts", &parts, subject.series, (*key, question));
        }
        let ((of, answered), words) = self.asked[kind].insert(asked).newest(series)?;
        (*answered == question).then(|| (*of, words.to_vec()))
    }

    fn poll(&mut self, gpu: &Gpu, series: Option<Series>) -> FiguresState {
        let asked = self.asked.iter_mut().flatten();
        let states = asked.map(|asked| (asked.poll(&gpu.device, series), asked.is_pending()));
        match states.fold((false, false), |any, of| (any.0 || of.0, any.1 || of.1)) {
            (true, _) => FiguresState::New,
            (false, true) => FiguresState::InFlight,
            (false, false) => FiguresState::Settled,
        }
    }

    fn read_bins(&self, gpu: &Gpu, loaded: &Loaded, image: Image) -> Result<Histogram, GpuError> {
        let passes = self.passes(image).unwrap_or(&self.bins);
        let mut histogram = passes.read(gpu, loaded.bits(), loaded.components)?;
        if image != Image::Result && loaded.components == Components::Rgbl && loaded.given.is_none() {
            let clamped = region::clamped(&loaded.picture, loaded.rect());
            histogram.add_out_of_range(clamped.map_or_else(OutOfRange::default, |clamped| clamped.counts()));
        }
        Ok(histogram)
    }

    fn send_figures(&mut self, gpu: &Gpu, encoder: &mut CommandEncoder, question: &FigureQuestion) -> bool {
        let FigureQuestion { image, is_counted, mut tag, of, series, conversion, limits, brush, clamped } = *question;
        let (Some(bound), Some(passes)) = (self.pictures.bound(image), self.passes(image)) else { return false };
        if !is_counted || !self.figures.in_flight.is_idle() {
            return false;
        }
        let Series { bits, rect, components, .. } = series;
        let (picture, bins) = ((bound.group.clone(), bound.input.reading(), rect.height), passes.bins.clone());
        let picture = (&picture.0, picture.1, picture.2);
        let figures = &mut self.figures;
        let cumulative = figures.cumulative.get_or_insert_with(|| CumulativePass::new(gpu));
        compute_pass(encoder, "sum up", None, |pass| cumulative.dispatch(gpu, pass, &bins, bits));
        let tail = CHANNELS << bits..Histogram::word_count(bits);
        let mut parts = vec![(&cumulative.sums, 0..Cumulative::scan_words(bits)), (&bins, tail)];
        if limits {
            let pass = figures.limits.get_or_insert_with(|| TotalsPass::new(gpu));
            pass.record(gpu, encoder, picture, &LimitsParams::new(Limits::r103(&conversion), rect, tag.is_interlaced));
            parts.push((&pass.totals, 0..1));
        }
        if let Some(brush) = brush {
            let pass = figures.selection.get_or_insert_with(|| TotalsPass::new(gpu));
            pass.record(gpu, encoder, picture, &SelectionParams::new(brush, components, rect));
            parts.push((&pass.totals, 0..2));
        }
        tag.brush = brush;
        let subject = FigureSubject { tag, of, limits, clamped };
        figures.in_flight.record(encoder, &parts, series, subject);
        true
    }

    fn is_answering(&self, question: &FigureQuestion) -> bool {
        self.figures.in_flight.in_flight(Some(question.series)).is_some_and(|subject| {
            subject.of == question.of && subject.limits >= question.limits && subject.tag.brush == question.brush
        })
    }

    fn has_figures_in_flight(&self) -> bool {
        !self.figures.in_flight.is_idle()
    }

    fn poll_figures(&mut self, gpu: &Gpu, series: Option<Series>, now: (u64, u64)) -> Option<(FrameTag, Cumulative)> {
        self.figures.in_flight.poll(&gpu.device, series);
        let (FigureSubject { tag, of, limits, clamped }, mut words) = self.figures.in_flight.take(series)?;
        let Series { bits, components, .. } = series?;
        let selected = tag.brush.and_then(|_| Some(Selected { all: words.pop()?, any: words.pop()? }));
        let outside_r103 = if limits { words.pop() } else { None };
        // Bins of the loaded picture from an earlier revision are outdated: newer ones have been requested.
        let is_outdated = of.0 == now.0 && of.1 != now.1;
        let mut sums = Cumulative::of_scan(bits, components, &words).filter(|_| !is_outdated)?;
        sums.outside_r103 = outside_r103;
        sums.add_out_of_range(clamped);
        sums.selected = selected;
        Some((tag, sums))
    }

    fn paint(
        &mut self,
        recording: &mut Recording<'_>,
        view: &Texture,
        parts: &[ViewPart],
        _overlays: &[Overlay],
    ) -> bool {
        let target = (recording.gpu, &mut *recording.encoder);
        self.is_saved = view.format() != self.video.format();
        let video = if self.is_saved {
            self.saved_video.get_or_insert_with(|| VideoPass::new(recording.gpu, view.format()))
        } else {
            &mut self.video
        };
        if self.pictures.prepare(target, video, self.selection.as_ref(), parts) {
            recording.names.push("light");
        }
        recording.note(|times| &mut times.cpu_paint, None);
        false
    }

    fn draw(&self, pass: &mut RenderPass<'_>, parts: &[ViewPart], height: u32) {
        let video = self.saved_video.as_ref().filter(|_| self.is_saved).unwrap_or(&self.video);
        self.pictures.draw(video, pass, parts, height);
    }

    fn paint_small(&mut self, recording: &mut Recording<'_>, backdrop: &BackdropPass, parts: &[ViewPart]) {
        let Recording { gpu, encoder, .. } = recording;
        let video = self.small_video.get_or_insert_with(|| VideoPass::new(gpu, BackdropPass::FORMAT));
        self.pictures.prepare((gpu, encoder), video, self.selection.as_ref(), parts);
        let (pictures, video) = (&self.pictures, &*video);
        backdrop.draw(encoder, |pass, height| pictures.draw(video, pass, parts, height));
    }

    fn submitted(&mut self) {
        self.figures.in_flight.submitted();
    }
}

/// Returns the side of the video pass that draws a picture.
const fn side_of(image: Image) -> Side {
    match image {
        Image::Source => Side::Source,
        Image::Result => Side::Result,
        Image::Comparison | Image::AdjustedComparison | Image::Difference => Side::Comparison,
    }
}
