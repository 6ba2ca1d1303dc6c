//! Counts all requested scopes of a picture.

use std::ops::Range;

use super::live::{LiveTiming, Timed};
use super::scope_pass::{ScopePass, ScopeSubject};
use super::vectorscope::VectorscopePasses;
use super::waveform::WaveformPasses;
use super::{Gpu, GpuError};
use histoscope_core::histogram::CHANNELS;
use histoscope_core::scopes::{
    MAX_COLUMNS, MAX_LEVEL_BITS, MOST_PER_PIXEL, PerScope, Run, Scope, ScopeChoice, ScopeCounts, ScopeSums,
    Vectorscope, Waveform,
};

/// The passes of the requested scopes.
#[derive(Debug)]
pub struct ScopePasses(PerScope<Option<Box<dyn ScopePass>>>);

/// The buffers with the counts of each scope; `None` if there are none.
pub type ScopeCountBuffers<'a> = PerScope<Option<&'a wgpu::Buffer>>;

/// The layout of counts that were copied one after another: the number of words of each, and the counts without words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScopeShape {
    words: PerScope<usize>,
    counts: ScopeCounts,
}

impl ScopePasses {
    /// Creates passes that have counted nothing yet.
    #[must_use]
    pub fn new(gpu: &Gpu, wanted: ScopeChoice) -> Self {
        Self(PerScope::from_fn(|scope| {
            wanted[scope].then(|| -> Box<dyn ScopePass> {
                match scope {
                    Scope::Waveform => Box::new(WaveformPasses::new(gpu)),
                    Scope::Vectorscope => Box::new(VectorscopePasses::new(gpu)),
                }
            })
        }))
    }

    /// Returns the most bytes that the counts of these scopes take.
    #[must_use]
    pub fn most_bytes(wanted: ScopeChoice) -> u64 {
        let counts = |scope| match scope {
            Scope::Waveform => CHANNELS as u64 * u64::from(MAX_COLUMNS),
            Scope::Vectorscope => 1 << MAX_LEVEL_BITS,
        };
        let wanted = Scope::ALL.into_iter().filter(|&scope| wanted[scope]);
        wanted.map(|scope| 4 * (counts(scope) << MAX_LEVEL_BITS)).sum()
    }

    fn each(&self) -> impl Iterator<Item = (Scope, &dyn ScopePass)> {
        Scope::ALL.into_iter().filter_map(|scope| Some((scope, self.0[scope].as_deref()?)))
    }

    /// Prepares the passes; cheap if nothing has changed.
    ///
    /// # Errors
    /// As [`ScopePass::prepare`].
    pub fn prepare(&mut self, gpu: &Gpu, subject: &ScopeSubject) -> Result<(), GpuError> {
        self.0.as_mut().each().flatten().try_for_each(|pass| pass.prepare(gpu, subject))
    }

    /// Returns the scopes that the passes count.
    #[must_use]
    pub fn wanted(&self) -> ScopeChoice {
        self.0.as_ref().map(Option::is_some)
    }

    /// Records the passes for the prepared picture that `picture` binds. They are timed if `timing` is given.
    pub fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        picture: &wgpu::BindGroup,
        mut timing: Option<&mut LiveTiming>,
    ) {
        for (scope, pass) in self.each() {
            let spans = timing.as_mut().and_then(|timing| timing.also(&[Timed::counting(scope)]));
            pass.record(encoder, picture, spans);
        }
    }

    /// Records the passes so that they add to the earlier counts, which must have been prepared for the same subject.
    pub fn add(&self, encoder: &mut wgpu::CommandEncoder, picture: &wgpu::BindGroup) {
        self.each().for_each(|(_, pass)| pass.add(encoder, picture));
    }

    /// Returns the buffers with the counts of the prepared picture.
    #[must_use]
    pub fn buffers(&self) -> ScopeCountBuffers<'_> {
        self.0.as_ref().map(|pass| Some(pass.as_ref()?.counts()?.0))
    }

    /// Returns the location of the counts, as bytes of each buffer, and their layout.
    #[must_use]
    pub fn parts(&self) -> (Vec<(&wgpu::Buffer, Range<u64>)>, ScopeShape) {
        let parts = self.each().filter_map(|(_, pass)| pass.counts());
        let parts = parts.map(|(counts, words)| (counts, 0..4 * words as u64)).collect();
        let words =
            self.0.as_ref().map(|pass| pass.as_ref().and_then(|pass| pass.counts()).map_or(0, |(_, words)| words));
        let counts = self.each().fold(ScopeCounts::default(), |counts, (_, pass)| counts.or(pass.shape()));
        (parts, ScopeShape { words, counts })
    }

    /// Reads the last counts. Blocks until they are available.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device fails.
    pub fn read(&self, gpu: &Gpu) -> Result<ScopeCounts, GpuError> {
        self.each().try_fold(ScopeCounts::default(), |counts, (_, pass)| Ok(counts.or(pass.read(gpu)?)))
    }
}

impl ScopeShape {
    /// Extracts the counts from words with this layout.
    #[must_use]
    pub fn counts(self, mut words: Vec<u32>) -> ScopeCounts {
        let behind = words.split_off(self.words[Scope::Waveform]);
        ScopeCounts {
            waveform: self.counts.waveform.map(|waveform| Waveform { counts: words, ..waveform }),
            vectorscope: self.counts.vectorscope.map(|scope| Vectorscope { counts: behind, ..scope }),
        }
    }
}

/// Adds up the scopes of pictures on the adapter. They are read back only if the pictures' properties change or a count
/// might overflow.
#[derive(Debug)]
pub struct GpuScopeSum {
    passes: ScopePasses,
    run: Option<Run<ScopeSubject>>,
    sums: ScopeSums,
}

impl GpuScopeSum {
    /// Creates empty sums.
    #[must_use]
    pub fn new(gpu: &Gpu, wanted: ScopeChoice) -> Self {
        Self { passes: ScopePasses::new(gpu, wanted), run: None, sums: ScopeSums::default() }
    }

    /// Prepares the passes like [`ScopePasses::prepare`].
    ///
    /// # Errors
    /// As [`ScopePasses::prepare`], and [`GpuError::Lost`] if the device fails.
    pub fn prepare(&mut self, gpu: &Gpu, subject: &ScopeSubject) -> Result<(), GpuError> {
        if self.run.as_ref().is_some_and(|run| run.takes(subject, MOST_PER_PIXEL * subject.pixels.pixel_count())) {
            return Ok(());
        }
        self.end_run(gpu)?;
        self.passes.prepare(gpu, subject)?;
        self.run = Some(Run::new(*subject));
        Ok(())
    }

    /// Records the passes for the prepared picture that `picture` binds.
    pub fn record(&mut self, encoder: &mut wgpu::CommandEncoder, picture: &wgpu::BindGroup) {
        let Some(run) = &mut self.run else { return };
        if run.pictures == 0 {
            self.passes.record(encoder, picture, None);
        } else {
            self.passes.add(encoder, picture);
        }
        run.add(MOST_PER_PIXEL * run.of.pixels.pixel_count());
    }

    /// Waits for the sums of all pictures so far and returns them. Later pictures start new sums.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device fails.
    pub fn take(&mut self, gpu: &Gpu) -> Result<ScopeSums, GpuError> {
        self.end_run(gpu)?;
        Ok(std::mem::take(&mut self.sums))
    }

    fn end_run(&mut self, gpu: &Gpu) -> Result<(), GpuError> {
        if let Some(Run { of: ScopeSubject { chroma, .. }, pictures, .. }) =
            self.run.take().filter(|run| run.pictures > 0)
        {
            self.sums.add(&self.passes.read(gpu)?, chroma, pictures);
        }
        Ok(())
    }
}
