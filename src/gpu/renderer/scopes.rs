//! The scopes beside the histogram, counted once for each picture and choice, in the submission that draws them.

use std::ops::Range;
use std::time::Instant;

use super::content::Content;
use super::loaded::Loaded;
use crate::cpu;
use crate::gpu::Gpu;
use crate::gpu::draw::scopes::{Counts, ScopeBuffers, VectorscopeCounts, WaveformCounts};
use crate::gpu::live::{LiveTiming, Timed};
use crate::gpu::params::InputPicture;
use crate::gpu::vectorscope::VectorscopePasses;
use crate::gpu::waveform::WaveformPasses;
use crate::histogram::{CHANNELS, Components};
use crate::picture::Picture;
use crate::picture::color::Matrix;
use crate::picture::layout::PixelLayout;
use crate::picture::region::Rect;
use crate::scopes::{Choice, Chroma, ScopeCounts, Waveform, samples_in};
use crate::view::scene::Counted;

/// What was counted, and where it lies. It is made where a scope is wanted, and dropped where none is any more.
#[derive(Debug, Default)]
pub struct ScopeCount {
    waveform: Option<WaveformPasses>,
    vectorscope: Option<VectorscopePasses>,
    found: Option<Found>,
}

/// What tells counted pictures apart: the loading, the choice of what is adjusted, which picture is counted, and which scopes.
pub type Key = (u64, u64, Counted, Choice);

/// What was counted last.
#[derive(Debug)]
struct Found {
    key: Key,
    subject: Subject,
    /// The counts, where the CPU counted.
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

/// Of what it was counted.
#[derive(Debug, Clone, Copy)]
struct Subject {
    input: InputPicture,
    rect: Rect,
    components: Components,
    /// The matrix of the source.
    matrix: Matrix,
    /// Where its colour differences come from; `None` without colour.
    chroma: Option<Chroma>,
}

impl Subject {
    /// Of the picture of that layout that is counted of what is loaded.
    fn of(loaded: &Loaded, layout: PixelLayout, is_result: bool) -> Self {
        let picture = &loaded.picture;
        let size = (picture.width(), picture.height());
        let source = InputPicture::from(picture);
        let input = if is_result { InputPicture { layout, size, crossed: true, packed: true } } else { source };
        let coded = picture.colorimetry().matrix.value;
        let matrix = if picture.has_coded_components() { coded } else { Matrix::guess(size.0, size.1) };
        let chroma = if is_result { Some(Chroma::of_adjusted(picture)) } else { Chroma::of(picture) };
        let components = loaded.components;
        Self { input, rect: loaded.rect(), components, matrix, chroma }
    }
}

impl ScopeCount {
    /// Records the counting of these scopes of what the histograms show filled, unless that is done; whether there was anything to
    /// record. Whoever counted the bins counts these.
    pub fn record(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        (content, mut timing): (&Content, Option<&mut LiveTiming>),
        wanted: Choice,
    ) -> bool {
        let Some(loaded) = &content.loaded else { return false };
        let key = (loaded.loading, content.revision, content.counted(), wanted);
        if self.found.as_ref().is_some_and(|found| found.key == key) {
            return false;
        }
        let is_result = content.counted() != Counted::Source;
        let picture = if is_result { content.adjusting.picture() } else { Some(&loaded.picture) };
        let bound = content.bound().filter(|_| content.known().is_none());
        let layout = bound.map(|(_, layout, ..)| layout).or_else(|| picture.map(|picture| *picture.layout()));
        let Some(layout) = layout else { return false };
        let subject = Subject::of(loaded, layout, is_result);
        let on_adapter = bound.is_some_and(|(group, ..)| {
            self.count_there(gpu, encoder, (group, &subject), wanted, timing.as_deref_mut())
        });
        let begin = Instant::now();
        let here = picture.filter(|_| !on_adapter).map(|picture| self.count_here(picture, &subject, wanted));
        if let Some(timing) = timing {
            timing.times.cpu_scopes = here.is_some().then(|| begin.elapsed());
        }
        self.found = Some(Found { key, subject, here });
        true
    }

    /// Records the adapter's passes; false if it cannot.
    fn count_there(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        (group, subject): (&wgpu::BindGroup, &Subject),
        wanted: Choice,
        mut timing: Option<&mut LiveTiming>,
    ) -> bool {
        let Subject { input, rect, components, chroma, .. } = *subject;
        if wanted.waveform {
            let passes = self.waveform.get_or_insert_with(|| WaveformPasses::new(gpu));
            if let Err(reason) = passes.prepare(gpu, input, rect, components) {
                log::debug!("{reason}; the CPU counts the scopes");
                return false;
            }
            passes.record(encoder, group, timing.as_mut().and_then(|timing| timing.also(&[Timed::Waveform])));
        }
        if wanted.vectorscope {
            let passes = self.vectorscope.get_or_insert_with(|| VectorscopePasses::new(gpu));
            passes.prepare(gpu, input, rect, chroma);
            passes.record(encoder, group, timing.as_mut().and_then(|timing| timing.also(&[Timed::Vectorscope])));
        }
        self.waveform = self.waveform.take().filter(|_| wanted.waveform);
        self.vectorscope = self.vectorscope.take().filter(|_| wanted.vectorscope);
        true
    }

    /// Counts on the CPU.
    fn count_here(&mut self, picture: &Picture, subject: &Subject, wanted: Choice) -> ScopeCounts {
        let Subject { rect, components, chroma, .. } = *subject;
        (self.waveform, self.vectorscope) = (None, None);
        let waveform = wanted.waveform.then(|| cpu::count_waveform(picture, rect, components));
        let chroma = chroma.filter(|_| wanted.vectorscope);
        let vectorscope = chroma.map(|chroma| cpu::count_vectorscope(picture, rect, chroma));
        ScopeCounts { waveform, vectorscope }
    }

    /// The counts that are asked for, where the CPU has them; nothing where they are not counted.
    pub fn answer_here(&self, question: ScopeQuestion) -> Option<ScopeAnswer> {
        let here = self.found.as_ref()?.here.as_ref()?;
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

    /// Where the adapter has the counts that are asked for: words of which buffer, one part after the other.
    pub fn places(&self, question: ScopeQuestion) -> Option<Vec<(&wgpu::Buffer, Range<usize>)>> {
        let Subject { input, rect, components, .. } = self.found.as_ref()?.subject;
        let shape = Waveform::shape(&input.layout, rect, components);
        let levels = shape.levels();
        match question {
            ScopeQuestion::Column(columns) => {
                let counts = self.waveform.as_ref()?.counts()?;
                let at = |channel: usize| {
                    let column = columns[channel].min(shape.columns[0].saturating_sub(1));
                    (channel * shape.columns[0] as usize + column as usize) * levels
                };
                Some((0..CHANNELS).map(|channel| (counts, at(channel)..at(channel) + levels)).collect())
            }
            ScopeQuestion::Cb(cb) => {
                let counts = self.vectorscope.as_ref()?.counts()?;
                let cb = (cb as usize).min(levels - 1);
                Some(vec![(counts, cb * levels..(cb + 1) * levels)])
            }
        }
    }

    /// What tells the picture that was counted last from others.
    pub fn key(&self) -> Option<Key> {
        self.found.as_ref().map(|found| found.key)
    }

    /// What the scopes are drawn from.
    pub fn buffers(&self) -> ScopeBuffers<'_> {
        let Some(Found { subject, here, .. }) = &self.found else { return ScopeBuffers::default() };
        let Subject { input: InputPicture { layout, .. }, rect, components, matrix, chroma } = *subject;
        let [waveform, vectorscope] = match here {
            Some(ScopeCounts { waveform, vectorscope }) => [
                waveform.as_ref().map(|waveform| Counts::Here(&waveform.counts)),
                vectorscope.as_ref().map(|scope| Counts::Here(&scope.counts)),
            ],
            None => [
                self.waveform.as_ref().and_then(WaveformPasses::counts).map(Counts::There),
                self.vectorscope.as_ref().and_then(VectorscopePasses::counts).map(Counts::There),
            ],
        };
        let shape = Waveform::shape(&layout, rect, components);
        let samples = std::array::from_fn::<_, CHANNELS, _>(|channel| match components {
            Components::Rgbl => rect,
            Components::YCbCr => samples_in(&layout, channel.min(layout.component_count() - 1), rect),
        });
        ScopeBuffers {
            waveform: waveform.map(|counts| WaveformCounts {
                counts,
                level_bits: shape.level_bits,
                components,
                columns: shape.columns,
                samples,
            }),
            vectorscope: vectorscope.zip(chroma).map(|(counts, chroma)| VectorscopeCounts {
                counts,
                level_bits: shape.level_bits,
                samples: chroma.samples(&layout, rect).pixel_count(),
                matrix,
            }),
        }
    }
}
