//! Counts all requested scopes of a picture.

use std::ops::Range;

use super::live::{LiveTiming, Timed};
use super::params::InputPicture;
use super::vectorscope::VectorscopePasses;
use super::waveform::WaveformPasses;
use super::{Gpu, GpuError};
use histoscope_core::histogram::{CHANNELS, Components};
use histoscope_core::picture::region::Rect;
use histoscope_core::scopes::{
    Chroma, MAX_COLUMNS, MAX_LEVEL_BITS, PerScope, Run, ScopeChoice, ScopeCounts, ScopeSums, Vectorscope, Waveform,
};

/// The passes of the requested scopes.
#[derive(Debug)]
pub struct ScopePasses {
    waveform: Option<WaveformPasses>,
    vectorscope: Option<VectorscopePasses>,
}

/// The buffers with the counts of each scope; `None` if there are none.
pub type ScopeCountBuffers<'a> = PerScope<Option<&'a wgpu::Buffer>>;

/// The layout of counts that were copied one after another.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScopeShape {
    /// The waveform without its counts, and the number of counts.
    waveform: Option<(Waveform, usize)>,
    /// Bits per level of the vectorscope, and the number of its counts.
    vectorscope: Option<(u32, usize)>,
}

impl ScopePasses {
    /// Creates passes that have counted nothing yet.
    #[must_use]
    pub fn new(gpu: &Gpu, wanted: ScopeChoice) -> Self {
        Self {
            waveform: wanted.waveform.then(|| WaveformPasses::new(gpu)),
            vectorscope: wanted.vectorscope.then(|| VectorscopePasses::new(gpu)),
        }
    }

    /// Returns the most bytes that the counts of these scopes take.
    #[must_use]
    pub const fn most_bytes(wanted: ScopeChoice) -> u64 {
        let waveform = if wanted.waveform { CHANNELS as u64 * MAX_COLUMNS as u64 } else { 0 };
        let vectorscope = if wanted.vectorscope { 1 << MAX_LEVEL_BITS } else { 0 };
        4 * ((waveform + vectorscope) << MAX_LEVEL_BITS)
    }

    /// Prepares the passes for a rectangle within a picture like this one; cheap if nothing has changed.
    ///
    /// # Errors
    /// As [`WaveformPasses::prepare`].
    pub fn prepare(
        &mut self,
        gpu: &Gpu,
        picture: InputPicture,
        (pixels, components): (Rect, Components),
        chroma: Option<Chroma>,
    ) -> Result<(), GpuError> {
        if let Some(waveform) = &mut self.waveform {
            waveform.prepare(gpu, picture, pixels, components)?;
        }
        if let Some(vectorscope) = &mut self.vectorscope {
            vectorscope.prepare(gpu, picture, pixels, chroma);
        }
        Ok(())
    }

    /// Returns the scopes that the passes count.
    #[must_use]
    pub const fn wanted(&self) -> ScopeChoice {
        ScopeChoice { waveform: self.waveform.is_some(), vectorscope: self.vectorscope.is_some() }
    }

    /// Records the passes for the prepared picture that `picture` binds. They are timed if `timing` is given.
    pub fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        picture: &wgpu::BindGroup,
        mut timing: Option<&mut LiveTiming>,
    ) {
        if let Some(waveform) = &self.waveform {
            let spans = timing.as_mut().and_then(|timing| timing.also(&[Timed::Waveform]));
            waveform.record(encoder, picture, spans);
        }
        if let Some(vectorscope) = &self.vectorscope {
            let spans = timing.as_mut().and_then(|timing| timing.also(&[Timed::Vectorscope]));
            vectorscope.record(encoder, picture, spans);
        }
    }

    /// Records the passes so that they add to the earlier counts, which must have been prepared with the same arguments.
    pub fn add(&self, encoder: &mut wgpu::CommandEncoder, picture: &wgpu::BindGroup) {
        if let Some(waveform) = &self.waveform {
            waveform.add(encoder, picture);
        }
        if let Some(vectorscope) = &self.vectorscope {
            vectorscope.add(encoder, picture);
        }
    }

    /// Returns the buffers with the counts of the prepared picture.
    #[must_use]
    pub fn buffers(&self) -> ScopeCountBuffers<'_> {
        ScopeCountBuffers {
            waveform: self.waveform.as_ref().and_then(WaveformPasses::counts),
            vectorscope: self.vectorscope.as_ref().and_then(VectorscopePasses::counts),
        }
    }

    /// Returns the location of the counts, as bytes of each buffer, and their layout.
    #[must_use]
    pub fn parts(&self) -> (Vec<(&wgpu::Buffer, Range<u64>)>, ScopeShape) {
        let waveform = self.waveform.as_ref().and_then(|passes| Some((passes.counts()?, passes.shape()?)));
        let vectorscope = self.vectorscope.as_ref().and_then(|passes| Some((passes.counts()?, passes.shape()?)));
        let part = |counts, words: usize| (counts, 0..4 * words as u64);
        let parts = waveform.iter().map(|&(counts, (_, words))| part(counts, words));
        let parts = parts.chain(vectorscope.iter().map(|&(counts, (_, words))| part(counts, words))).collect();
        let shape = ScopeShape {
            waveform: waveform.map(|(_, (waveform, words))| (waveform.clone(), words)),
            vectorscope: vectorscope.map(|(_, shape)| shape),
        };
        (parts, shape)
    }

    /// Reads the last counts. Blocks until they are available.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device fails.
    pub fn read(&self, gpu: &Gpu) -> Result<ScopeCounts, GpuError> {
        let read = |passes: &WaveformPasses| passes.read(gpu);
        let waveform = self.waveform.as_ref().map(read).transpose()?.flatten();
        let read = |passes: &VectorscopePasses| passes.read(gpu);
        Ok(ScopeCounts { waveform, vectorscope: self.vectorscope.as_ref().map(read).transpose()?.flatten() })
    }
}

impl ScopeShape {
    /// Extracts the counts from words with this layout.
    #[must_use]
    pub fn counts(self, mut words: Vec<u32>) -> ScopeCounts {
        let behind = words.split_off(self.waveform.as_ref().map_or(0, |(_, words)| *words));
        ScopeCounts {
            waveform: self.waveform.map(|(waveform, _)| Waveform { counts: words, ..waveform }),
            vectorscope: self.vectorscope.map(|(level_bits, _)| Vectorscope { level_bits, counts: behind }),
        }
    }
}

/// The properties shared by pictures whose counts can be added up on the adapter.
type SumKey = (InputPicture, Rect, Components, Option<Chroma>);

/// Adds up the scopes of pictures on the adapter. They are read back only if the pictures' properties change or a count might
/// overflow.
#[derive(Debug)]
pub struct GpuScopeSum {
    passes: ScopePasses,
    run: Option<Run<SumKey>>,
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
    pub fn prepare(
        &mut self,
        gpu: &Gpu,
        picture: InputPicture,
        (pixels, components): (Rect, Components),
        chroma: Option<Chroma>,
    ) -> Result<(), GpuError> {
        let of = (picture, pixels, components, chroma);
        if self.run.as_ref().is_some_and(|run| run.takes(&of, pixels.pixel_count())) {
            return Ok(());
        }
        self.end_run(gpu)?;
        self.passes.prepare(gpu, picture, (pixels, components), chroma)?;
        self.run = Some(Run::new(of));
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
        let (_, pixels, ..) = run.of;
        run.add(pixels.pixel_count());
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
        if let Some(Run { of: (_, _, _, chroma), pictures, .. }) = self.run.take().filter(|run| run.pictures > 0) {
            self.sums.add(&self.passes.read(gpu)?, chroma, pictures);
        }
        Ok(())
    }
}
