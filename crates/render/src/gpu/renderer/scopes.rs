//! The scopes beside the histogram, counted once for each picture and choice, in the submission that draws them.

use std::ops::Range;
use std::time::Instant;

use super::content::LoadedContent;
use super::loaded::Loaded;
use crate::cpu;
use crate::gpu::Gpu;
use crate::gpu::draw::scopes::{CountKey, CountSource, ScopeBuffers, VectorscopeCounts, WaveformCounts};
use crate::gpu::figures::{FiguresState, Series};
use crate::gpu::live::LiveTiming;
use crate::gpu::params::InputPicture;
use crate::gpu::readback_belt::OnRequest;
use crate::gpu::scopes::ScopePasses;
use crate::view::scene::Counted;
use histoscope_core::histogram::{CHANNELS, Components};
use histoscope_core::picture::Picture;
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::picture::region::Rect;
use histoscope_core::scopes::{Chroma, MOST_LEVEL_BITS, ScopeChoice, ScopeCounts, Waveform, samples_in};

/// What was counted, and where it lies. It is made where a scope is wanted, and dropped where none is any more.
#[derive(Debug)]
pub struct ScopeCount {
    found: Option<LastScopes>,
    /// The adapter's passes, kept from picture to picture.
    passes: Option<ScopePasses>,
    /// Counts that were asked for of the adapter.
    asked: OnRequest<(CountKey, ScopeQuestion)>,
}

/// What was counted last.
#[derive(Debug)]
struct LastScopes {
    key: CountKey,
    subject: ScopeSource,
    /// The counts, where the CPU counted; else they lie with the passes.
    here: Option<ScopeCounts>,
}

/// Which counts are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeQuestion {
    /// Those of a column of each channel's waveform, one for each level.
    Column([u32; CHANNELS]),
    /// Those of a level of Cb in the vectorscope, one for each level of Cr.
    Cb(u32),
}

/// Counts that were asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeAnswer {
    /// Which.
    pub question: ScopeQuestion,
    /// The counts: of a column channel by channel.
    pub counts: Vec<u32>,
}

impl ScopeAnswer {
    /// The count of a level: of a channel of the waveform, or of Cr in the vectorscope, whose only channel is the first.
    #[must_use]
    pub fn count(&self, channel: usize, level: u32) -> Option<u32> {
        let channels = match self.question {
            ScopeQuestion::Column(_) => CHANNELS,
            ScopeQuestion::Cb(_) => 1,
        };
        let levels = self.counts.chunks_exact(self.counts.len() / channels).nth(channel)?;
        levels.get(level as usize).copied()
    }
}

/// Of what it was counted.
#[derive(Debug, Clone, Copy)]
pub struct ScopeSource {
    /// The picture, as passes take it.
    pub input: InputPicture,
    /// The series that it is of, with what of it is counted.
    pub series: Series,
    /// Its colour differences; `None` without colour.
    pub chroma: Option<Chroma>,
}

/// What scopes are counted of: what the histograms show filled.
#[derive(Debug, Clone, Copy)]
pub struct ScopeTarget<'a> {
    /// What tells it from others: the loading, the choice of what is adjusted, and which picture is counted.
    pub of: (u64, u64, Counted),
    /// What it is.
    pub subject: ScopeSource,
    /// The picture, where the CPU has it.
    pub picture: Option<&'a Picture>,
    /// The picture, where the adapter has it and has counted it: whoever counted the bins counts the scopes.
    pub bound: Option<&'a wgpu::BindGroup>,
}

impl<'a> ScopeTarget<'a> {
    /// That of what is loaded; nothing before there is anything.
    pub fn of(content: &'a LoadedContent) -> Option<Self> {
        let loaded = content.loaded.as_ref()?;
        let is_result = content.counted() != Counted::Source;
        let picture = if is_result { content.adjusting.picture() } else { Some(&loaded.picture) };
        let bound = content.bound().filter(|_| content.known().is_none());
        let layout = bound.map(|(_, layout, ..)| layout).or_else(|| picture.map(|picture| *picture.layout()))?;
        let of = (loaded.loading, content.revision, content.counted());
        let bound = bound.map(|(group, ..)| group);
        Some(Self { of, subject: ScopeSource::of(loaded, layout, is_result), picture, bound })
    }
}

impl ScopeSource {
    /// Of the picture of that layout that is counted of what is loaded.
    fn of(loaded: &Loaded, layout: PixelLayout, is_result: bool) -> Self {
        let source = InputPicture::from(&loaded.picture);
        let input = if is_result { InputPicture { layout, crossed: true, packed: true, ..source } } else { source };
        let chroma = Chroma::of_counted(&loaded.picture, is_result);
        Self { input, series: loaded.series(), chroma }
    }

    /// The samples of a channel that are counted.
    fn samples(&self, channel: usize) -> Rect {
        let layout = &self.input.layout;
        let Series { rect, components, .. } = self.series;
        match components {
            Components::Rgbl => rect,
            Components::YCbCr => samples_in(layout, channel.min(layout.component_count() - 1), rect),
        }
    }

    /// How counts of it are drawn: the waveform's and the vectorscope's, where there are any.
    pub fn drawn<'a>(&self, [waveform, vectorscope]: [Option<CountSource<'a>>; 2]) -> ScopeBuffers<'a> {
        let ScopeSource { input: InputPicture { layout, .. }, series: Series { rect, components, .. }, chroma } = *self;
        let shape = Waveform::shape(&layout, rect, components);
        ScopeBuffers {
            waveform: waveform.map(|counts| WaveformCounts {
                counts,
                level_bits: shape.level_bits,
                components,
                columns: shape.columns,
                samples: std::array::from_fn(|channel| self.samples(channel)),
            }),
            vectorscope: vectorscope.zip(chroma).map(|(counts, chroma)| VectorscopeCounts {
                counts,
                level_bits: shape.level_bits,
                samples: chroma.samples(&layout, rect).pixel_count(),
                matrix: chroma.matrix,
            }),
        }
    }
}

impl ScopeCount {
    /// Nothing is counted yet.
    pub fn new(gpu: &Gpu) -> Self {
        let asked = OnRequest::new(&gpu.device, "live scopes", CHANNELS << MOST_LEVEL_BITS);
        Self { found: None, passes: None, asked }
    }

    /// Records the counting of these scopes of what the histograms show filled, unless that is done; whether there was anything to
    /// record. Whoever counted the bins counts these.
    pub fn record(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        (content, mut timing): (&LoadedContent, Option<&mut LiveTiming>),
        wanted: ScopeChoice,
    ) -> bool {
        let Some(target) = ScopeTarget::of(content).filter(|_| wanted.any()) else { return false };
        let key = CountKey { of: target.of, wanted, brushes: None };
        if self.found.as_ref().is_some_and(|found| found.key == key) {
            return false;
        }
        let ScopeTarget { subject, picture, bound, .. } = target;
        let on_adapter =
            bound.is_some_and(|group| self.count_there(gpu, encoder, (group, &subject), wanted, timing.as_deref_mut()));
        let begin = Instant::now();
        let here = picture.filter(|_| !on_adapter).map(|picture| self.count_here(picture, &subject, wanted));
        if let Some(timing) = timing {
            timing.times.cpu_scopes = here.is_some().then(|| begin.elapsed());
        }
        self.found = Some(LastScopes { key, subject, here });
        true
    }

    /// Records the adapter's passes; false if it cannot.
    fn count_there(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        (group, subject): (&wgpu::BindGroup, &ScopeSource),
        wanted: ScopeChoice,
        timing: Option<&mut LiveTiming>,
    ) -> bool {
        let ScopeSource { input, series: Series { rect, components, .. }, chroma } = *subject;
        let kept = self.passes.take().filter(|passes| passes.wanted() == wanted);
        let mut passes = kept.unwrap_or_else(|| ScopePasses::new(gpu, wanted));
        if let Err(reason) = passes.prepare(gpu, input, (rect, components), chroma) {
            log::debug!("{reason}; the CPU counts the scopes");
            return false;
        }
        passes.record(encoder, group, timing);
        self.passes = Some(passes);
        true
    }

    /// Counts on the CPU, in the memory of what it counted last; what the adapter holds is of no use then.
    fn count_here(&mut self, picture: &Picture, subject: &ScopeSource, wanted: ScopeChoice) -> ScopeCounts {
        self.passes = None;
        let old = self.found.take().and_then(|found| found.here).unwrap_or_default();
        let Series { rect, components, .. } = subject.series;
        cpu::recount_scopes(old, picture, (rect, components), subject.chroma, wanted)
    }

    /// The counts that are asked for of what is loaded. Those that the CPU has counted are there at once; others are sent for, and come
    /// some drawings later, never waited for: until then those of an earlier picture of the series, if the question is the same.
    pub fn ask(&mut self, gpu: &Gpu, series: Option<Series>, question: ScopeQuestion) -> Option<ScopeAnswer> {
        let found = self.found.as_ref().filter(|found| Some(found.subject.series) == series)?;
        if let Some(here) = &found.here {
            return answer(here, question);
        }
        let key = found.key;
        self.poll(gpu, series);
        let is_newest = |subject: &(CountKey, ScopeQuestion)| *subject == (key, question);
        let is_there = self.asked.newest(series).is_some_and(|(subject, _)| is_newest(subject));
        if !is_there && self.asked.is_idle() {
            self.send_for(gpu, (key, question));
        }
        let ((of, asked), counts) = self.asked.newest(series)?;
        let is_alike = of.counts_as(&key) && *asked == question;
        is_alike.then(|| ScopeAnswer { question, counts: counts.to_vec() })
    }

    /// Takes counts of that series that have come, without waiting; whether there were any, or some are under way.
    pub fn poll(&mut self, gpu: &Gpu, series: Option<Series>) -> FiguresState {
        if self.asked.poll(&gpu.device, series) {
            return FiguresState::New;
        }
        if self.asked.is_pending() { FiguresState::UnderWay } else { FiguresState::Settled }
    }

    fn send_for(&mut self, gpu: &Gpu, (key, question): (CountKey, ScopeQuestion)) {
        let (Some(passes), Some(found)) = (&self.passes, &self.found) else { return };
        let ScopeSource { input, series: Series { rect, components, .. }, .. } = found.subject;
        let buffers = passes.buffers();
        let shape = Waveform::shape(&input.layout, rect, components);
        let levels = shape.levels();
        let words: Vec<(Option<&wgpu::Buffer>, Range<usize>)> = match question {
            ScopeQuestion::Column(columns) => {
                let at = |channel: usize| {
                    let column = columns[channel].min(shape.columns[0].saturating_sub(1));
                    (channel * shape.columns[0] as usize + column as usize) * levels
                };
                (0..CHANNELS).map(|channel| (buffers.waveform, at(channel)..at(channel) + levels)).collect()
            }
            ScopeQuestion::Cb(cb) => {
                let cb = (cb as usize).min(levels - 1);
                vec![(buffers.vectorscope, cb * levels..(cb + 1) * levels)]
            }
        };
        let Some(parts) = words.into_iter().map(|(buffer, words)| Some((buffer?, words))).collect::<Option<Vec<_>>>()
        else {
            return;
        };
        let descriptor = wgpu::CommandEncoderDescriptor { label: Some("fetch scope") };
        let mut encoder = gpu.device.create_command_encoder(&descriptor);
        self.asked.record(&mut encoder, &parts, found.subject.series, (key, question));
        gpu.queue.submit([encoder.finish()]);
        self.asked.submitted();
    }

    /// What the scopes are drawn from.
    pub fn buffers(&self) -> ScopeBuffers<'_> {
        let Some(LastScopes { key, subject, here }) = &self.found else { return ScopeBuffers::default() };
        let there = self.passes.as_ref().map(ScopePasses::buffers);
        let [waveform, vectorscope] = match here {
            Some(ScopeCounts { waveform, vectorscope }) => [
                waveform.as_ref().map(|waveform| CountSource::Here(key, &waveform.counts)),
                vectorscope.as_ref().map(|scope| CountSource::Here(key, &scope.counts)),
            ],
            None => [there.and_then(|there| there.waveform), there.and_then(|there| there.vectorscope)]
                .map(|buffer| buffer.map(CountSource::There)),
        };
        subject.drawn([waveform, vectorscope])
    }
}

/// The counts that are asked for, of those that the CPU has; nothing where they are not counted.
fn answer(here: &ScopeCounts, question: ScopeQuestion) -> Option<ScopeAnswer> {
    let counts = match question {
        ScopeQuestion::Column(columns) => {
            let waveform = here.waveform.as_ref()?;
            let of = |channel: usize| {
                let column = columns[channel];
                let is_there = column < waveform.columns[channel];
                if is_there { waveform.column(channel, column).to_vec() } else { vec![0; waveform.levels()] }
            };
            (0..CHANNELS).flat_map(of).collect()
        }
        ScopeQuestion::Cb(cb) => {
            let scope = here.vectorscope.as_ref()?;
            let levels = scope.levels();
            scope.counts.get(cb as usize * levels..(cb as usize + 1) * levels)?.to_vec()
        }
    };
    Some(ScopeAnswer { question, counts })
}
