//! All adjustments in order, recorded as one list of dispatches.

use super::blur::{BlurJob, BlurPass};
use super::clahe::ClahePass;
use super::curves::{CurveJob, CurveKind, CurvePass};
use super::lut::LutBuffers;
use super::otsu::OtsuPass;
use super::recolor::{Change, RecolorParams, RecolorPass};
use super::working::WorkingPicture;
use crate::gpu::histogram::HistogramPasses;
use crate::gpu::histogram::plan::{ChannelRun, Plan};
use crate::gpu::params::InputPicture;
use crate::gpu::resources::{Dispatch, storage};
use crate::gpu::scan::ScanJob;
use crate::gpu::{Gpu, GpuError};
use histoscope_core::adjust::{
    Adjustments, Blur, Clahe, Equalize, Lut, Otsu, Placing, Posterize, Reduction, Tone, equalize, otsu, posterize,
};
use histoscope_core::histogram::Components;

/// The picture that a step reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StepInput {
    Source,
    Work(usize),
}

#[derive(Debug)]
enum ChainStep {
    /// A pass that reads a picture.
    Picture(Dispatch, StepInput),
    /// A pass that also counts the picture it makes, into these chunks.
    Counting(Dispatch, StepInput, wgpu::BindGroup),
    /// A pass that reads no picture.
    Plain(Dispatch),
    /// Counts a picture's luminance, or all channels, into the chain's own bins.
    Count(StepInput),
    Scan(ScanJob),
    Curve(Box<CurveJob>),
    Blur(BlurJob, StepInput),
}

/// The input that the steps were made for.
#[derive(Debug, Clone, PartialEq)]
struct ChainInput {
    source: InputPicture,
    adjustments: Adjustments,
    counted: bool,
    /// The plan and the chunks with which the last step counts its output, if it can.
    counting: Option<(Plan, wgpu::BindGroup)>,
}

/// The adjustments on the GPU.
///
/// For each frame, call [`prepare`](Self::prepare), count the source if
/// [`need_source_bins`](Adjustments::need_source_bins) returns `true`, then call [`dispatch`](Self::dispatch) in the
/// same or a later pass. [`result`](Self::result) is then a picture to count and draw. If it will be counted,
/// [`prepare_counting`](Self::prepare_counting) makes the last step count its own output.
#[derive(Debug)]
pub struct Chain {
    source_bins: wgpu::Buffer,
    /// Counts the source if the caller does not.
    source_counter: Option<HistogramPasses>,
    /// Counts pictures between two steps.
    counter: HistogramPasses,
    recolor: RecolorPass,
    curves: CurvePass,
    /// The lookup table that was used last.
    lut: Option<LutBuffers>,
    blur: BlurPass,
    clahe: ClahePass,
    otsu: OtsuPass,
    /// Two pictures, so that one can be read while the other is written.
    work: [Option<WorkingPicture>; 2],
    made: Option<ChainInput>,
    steps: Vec<ChainStep>,
    result: StepInput,
    /// The depth and kind of the smoothed curves; for any other, smoothing restarts.
    smoothed: Option<(u32, bool)>,
}

impl Chain {
    /// Creates the passes for pictures that `source` counts.
    #[must_use]
    pub fn new(gpu: &Gpu, source: &HistogramPasses) -> Self {
        Self {
            source_bins: source.bins.clone(),
            source_counter: None,
            counter: HistogramPasses::new(gpu),
            recolor: RecolorPass::new(gpu),
            curves: CurvePass::new(gpu),
            lut: None,
            blur: BlurPass::new(gpu),
            clahe: ClahePass::new(gpu),
            otsu: OtsuPass::new(gpu),
            work: [None, None],
            made: None,
            steps: Vec::new(),
            result: StepInput::Source,
            smoothed: None,
        }
    }

    /// Prepares everything for a picture like `source`; cheap if nothing has changed. `elapsed_secs` is the time since
    /// the previous frame, `None` after a jump. `counted` is `true` if the caller counts the source's red, green, blue
    /// and luminance; otherwise the chain counts what it needs itself, only luminance if that is enough.
    ///
    /// # Errors
    /// [`GpuError`] if the adapter cannot hold the adjusted picture or the bins of its depth.
    pub fn prepare(
        &mut self,
        gpu: &Gpu,
        source: InputPicture,
        adjustments: &Adjustments,
        elapsed_secs: Option<f64>,
        counted: bool,
    ) -> Result<(), GpuError> {
        self.get_ready(gpu, (source, adjustments), elapsed_secs, (counted, None))
    }

    /// Like [`prepare`](Self::prepare), for a result that will be counted with these passes, which need not be
    /// prepared. If [`counts_result`](Self::counts_result) then returns `true`, the next dispatch counts the result
    /// into their chunks, and they only have to sum those ([`HistogramPasses::record_sums`]); otherwise prepare them
    /// for the result and count it like any picture.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn prepare_counting(
        &mut self,
        gpu: &Gpu,
        source: InputPicture,
        adjustments: &Adjustments,
        elapsed_secs: Option<f64>,
        counted: bool,
        result: &mut HistogramPasses,
    ) -> Result<(), GpuError> {
        let bits = source.layout.bin_bits();
        let plan = Plan::fused(&gpu.device.limits(), gpu.info.device_type, bits, source.pixel_count());
        let counting = plan.map(|plan| (plan, result.chunk_group.clone()));
        self.get_ready(gpu, (source, adjustments), elapsed_secs, (counted, counting))?;
        if let (true, Some(ChainInput { counting: Some((plan, _)), .. })) = (self.counts_result(), &self.made) {
            result.prepare_written(gpu, plan.clone());
        }
        Ok(())
    }

    fn get_ready(
        &mut self,
        gpu: &Gpu,
        (source, adjustments): (InputPicture, &Adjustments),
        elapsed_secs: Option<f64>,
        (counted, counting): (bool, Option<(Plan, wgpu::BindGroup)>),
    ) -> Result<(), GpuError> {
        let adjustments = adjustments.clamped().for_range(source.range);
        let counted = counted || !adjustments.need_source_bins();
        let made = ChainInput { source, adjustments, counted, counting };
        if self.made.as_ref() != Some(&made) {
            self.made = None;
            self.make(gpu, &made)?;
            self.made = Some(made);
        }
        self.set_weight(gpu, &(source, adjustments), elapsed_secs);
        Ok(())
    }

    /// Returns `true` if the next dispatch counts the result while writing it.
    #[must_use]
    pub fn counts_result(&self) -> bool {
        matches!(self.steps.last(), Some(ChainStep::Counting(..)))
    }

    /// Returns `true` if there are no adjustments: the source is shown unchanged, and nothing is dispatched.
    #[must_use]
    pub fn is_off(&self) -> bool {
        self.steps.is_empty()
    }

    /// Returns the adjusted picture that the next dispatch makes; `None` if there are no adjustments.
    #[must_use]
    pub fn result(&self) -> Option<&WorkingPicture> {
        match self.result {
            StepInput::Source => None,
            StepInput::Work(index) => self.work[index].as_ref(),
        }
    }

    /// Returns four words: the luminance codes at which the second and later classes begin, `u32::MAX` for classes that
    /// do not exist. They belong to the last dispatch whose adjustments included a threshold.
    #[must_use]
    pub const fn thresholds(&self) -> &wgpu::Buffer {
        &self.otsu.thresholds
    }

    /// Frees the memory of the pictures and the lookup table, which are large.
    pub fn release(&mut self) {
        self.steps.clear();
        self.made = None;
        self.result = StepInput::Source;
        self.smoothed = None;
        self.work = [None, None];
        self.lut = None;
        self.blur.release();
    }

    /// Returns the bytes of the pictures currently held.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.work.iter().flatten().map(|picture| picture.buffer.size()).sum::<u64>() + self.blur.bytes()
    }

    /// Dispatches the adjustments of the picture bound by `source` in the caller's compute pass, after the source has
    /// been counted.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, source: &wgpu::BindGroup) {
        let group = |input: StepInput| match input {
            StepInput::Source => Some(source),
            StepInput::Work(index) => self.work[index].as_ref().map(|picture| &picture.bind_group),
        };
        for step in &self.steps {
            match step {
                ChainStep::Picture(dispatch, input) => dispatch.run(pass, group(*input)),
                ChainStep::Counting(dispatch, input, chunks) => {
                    pass.set_bind_group(2, chunks, &[]);
                    dispatch.run(pass, group(*input));
                }
                ChainStep::Plain(dispatch) => dispatch.run(pass, None),
                ChainStep::Count(input) => {
                    let counter =
                        if *input == StepInput::Source { self.source_counter.as_ref() } else { Some(&self.counter) };
                    if let (Some(counter), Some(group)) = (counter, group(*input)) {
                        counter.dispatch(pass, group);
                    }
                }
                ChainStep::Scan(scan) => scan.dispatch(pass),
                ChainStep::Curve(curve) => curve.dispatch(pass),
                ChainStep::Blur(blur, input) => {
                    if let Some(group) = group(*input) {
                        blur.dispatch(pass, group);
                    }
                }
            }
        }
    }

    fn set_weight(
        &mut self,
        gpu: &Gpu,
        (source, adjustments): &(InputPicture, Adjustments),
        elapsed_secs: Option<f64>,
    ) {
        let Some(Tone::Equalize(Equalize { per_channel, time_constant_secs })) = adjustments.tone else {
            self.smoothed = None;
            return;
        };
        let kind = Some((source.layout.bin_bits(), per_channel));
        let elapsed_secs = if self.smoothed == kind { elapsed_secs } else { None };
        self.smoothed = kind;
        let weight = equalize::weight(elapsed_secs, time_constant_secs);
        for step in &self.steps {
            if let ChainStep::Curve(curve) = step {
                curve.set_weight(gpu, weight);
            }
        }
    }

    fn make(&mut self, gpu: &Gpu, made: &ChainInput) -> Result<(), GpuError> {
        let ChainInput { source, adjustments, counted, ref counting } = *made;
        self.steps.clear();
        self.result = StepInput::Source;
        if adjustments.is_off() {
            return Ok(());
        }
        let mut maker = Maker { gpu, source, counted, counting: None, chain: self, at: StepInput::Source };
        // The last change counts its own output.
        let last = counting.as_ref();
        if let Some(lut) = adjustments.lut {
            maker.counting = last.filter(|_| adjustments.after_lut().is_off());
            maker.look_up(lut)?;
        }
        if let Some(blur) = adjustments.blur {
            maker.blur(blur)?;
        }
        maker.counting = last.filter(|_| adjustments.reduction.is_none());
        match adjustments.tone {
            Some(Tone::Equalize(equalize)) => maker.equalize(equalize)?,
            Some(Tone::Clahe(clahe)) => maker.clahe(clahe)?,
            None => {}
        }
        maker.counting = last;
        match adjustments.reduction {
            Some(Reduction::Posterize(posterize)) => maker.posterize(posterize)?,
            Some(Reduction::Otsu(threshold)) => maker.threshold(threshold)?,
            None => {}
        }
        self.result = maker.at;
        Ok(())
    }
}

/// Builds the steps one after another.
struct Maker<'a> {
    gpu: &'a Gpu,
    source: InputPicture,
    /// `true` if the caller counts the source.
    counted: bool,
    /// The plan and chunks with which the next change counts its output, if it does.
    counting: Option<&'a (Plan, wgpu::BindGroup)>,
    chain: &'a mut Chain,
    /// The current picture.
    at: StepInput,
}

impl Maker<'_> {
    const fn bits(&self) -> u32 {
        self.source.layout.bin_bits()
    }

    /// Returns the picture that the next step reads.
    fn current(&self) -> InputPicture {
        match self.at {
            StepInput::Work(index) => self.chain.work[index].as_ref().map_or(self.source, InputPicture::from),
            StepInput::Source => self.source,
        }
    }

    /// Makes room for a picture besides the current one. Returns its index.
    fn other(&mut self) -> Result<usize, GpuError> {
        let index = if self.at == StepInput::Work(0) { 1 } else { 0 };
        let (size, bits, luminance) = (self.source.size, self.bits(), self.source.luminance);
        let slot = &mut self.chain.work[index];
        let is_like = |held: &WorkingPicture| (held.size, held.bits, held.luminance) == (size, bits, luminance);
        if !slot.as_ref().is_some_and(is_like) {
            // Frees the old picture first, so that a slot never holds memory for two large pictures.
            *slot = None;
            *slot = Some(WorkingPicture::new(self.gpu, size, bits, luminance)?);
        }
        Ok(index)
    }

    /// Adds a step that changes every pixel.
    fn change(
        &mut self,
        change: Change,
        params: &RecolorParams,
        buffers: Option<(&wgpu::Buffer, Option<&wgpu::Buffer>)>,
    ) -> Result<(), GpuError> {
        let current = self.current();
        let index = self.other()?;
        let (curves, axes) = buffers.map_or((None, None), |(curves, axes)| (Some(curves), axes));
        let Chain { recolor, work, steps, .. } = &mut *self.chain;
        if let Some(target) = &work[index] {
            let plan = self.counting.map(|(plan, _)| plan);
            let dispatch = recolor.dispatch(self.gpu, &current, (change, params), (curves, axes), target, plan);
            steps.push(match self.counting {
                Some((_, chunks)) => ChainStep::Counting(dispatch, self.at, chunks.clone()),
                None => ChainStep::Picture(dispatch, self.at),
            });
        }
        self.at = StepInput::Work(index);
        Ok(())
    }

    fn look_up(&mut self, lut: Lut) -> Result<(), GpuError> {
        let bits = self.bits();
        let kept = self.chain.lut.take().filter(|kept| kept.is_of(lut, bits));
        let buffers = kept.unwrap_or_else(|| LutBuffers::new(self.gpu, lut, bits));
        let (change, params) = buffers.change();
        let changed = self.change(change, &params, Some((&buffers.curves, buffers.stage.as_ref())));
        self.chain.lut = Some(buffers);
        changed
    }

    fn blur(&mut self, blur: Blur) -> Result<(), GpuError> {
        let current = self.current();
        let index = self.other()?;
        let Chain { blur: pass, work, steps, .. } = &mut *self.chain;
        if let Some(target) = &work[index] {
            steps.push(ChainStep::Blur(pass.job(self.gpu, &current, target, blur)?, self.at));
        }
        self.at = StepInput::Work(index);
        Ok(())
    }

    /// Returns the bins of the current picture, adding a step to count it unless the caller does.
    fn bins(&mut self, (first, count): (u32, u32)) -> Result<wgpu::Buffer, GpuError> {
        let is_source = self.at == StepInput::Source;
        if is_source && self.counted {
            return Ok(self.chain.source_bins.clone());
        }
        let (gpu, current) = (self.gpu, self.current());
        let bits = current.layout.bin_bits();
        let mut plan = Plan::of(gpu, bits, current.pixel_count())?;
        // If one run suffices, only the requested channels are counted. All steps share one preparation of the counter,
        // so a second counting step adds the other channels.
        let others =
            self.chain.steps.iter().any(|step| matches!(step, ChainStep::Count(StepInput::Work(_)))) && !is_source;
        if (count == 1 || plan.runs.len() == 1) && !others {
            plan.runs = vec![ChannelRun { first, count }];
        }
        let Chain { source_counter, counter, steps, .. } = &mut *self.chain;
        let counter = match is_source {
            true => source_counter.get_or_insert_with(|| HistogramPasses::new(gpu)),
            false => counter,
        };
        counter.prepare_with_plan(gpu, current, Components::Rgbl, plan);
        steps.push(ChainStep::Count(self.at));
        Ok(counter.bins.clone())
    }

    fn equalize(&mut self, equalize: Equalize) -> Result<(), GpuError> {
        let (channels, change) =
            if equalize.per_channel { ((0, 3), Change::Channels) } else { ((3, 1), Change::Luminance) };
        self.through_curves(channels, CurveKind::Equalize, change)
    }

    /// Adds the steps that compute curves from the bins, and apply them.
    fn through_curves(&mut self, channels: (u32, u32), kind: CurveKind, change: Change) -> Result<(), GpuError> {
        let bins = self.bins(channels)?;
        let bits = self.bits();
        let job = self.chain.curves.job(self.gpu, &bins, channels, bits, kind);
        self.chain.steps.push(ChainStep::Curve(Box::new(job)));
        let mapped = self.chain.curves.mapped.clone();
        self.change(change, &RecolorParams::default(), Some((&mapped, None)))
    }

    fn clahe(&mut self, clahe: Clahe) -> Result<(), GpuError> {
        let current = self.current();
        let curves = self.chain.clahe.job(self.gpu, &current, clahe);
        self.chain.steps.push(ChainStep::Picture(curves.count, self.at));
        self.chain.steps.extend(curves.curves.map(ChainStep::Plain));
        let params = RecolorParams { tiles: clahe.tiles.into(), ..RecolorParams::default() };
        self.change(Change::Tiles, &params, Some((&curves.packed, Some(&curves.axes))))
    }

    fn posterize(&mut self, Posterize { levels, placing }: Posterize) -> Result<(), GpuError> {
        match placing {
            Placing::Population => self.through_curves((0, 3), CurveKind::Populate(levels), Change::Channels),
            Placing::Width => {
                let curve = posterize::equal_width(1 << self.bits(), levels);
                let buffer = storage(&self.gpu.device, "levels", 3 * curve.len());
                self.gpu.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(&curve.repeat(3)));
                self.change(Change::Channels, &RecolorParams::default(), Some((&buffer, None)))
            }
        }
    }

    fn threshold(&mut self, Otsu { classes, shown }: Otsu) -> Result<(), GpuError> {
        let bins = self.bins((3, 1))?;
        let bits = self.bits();
        let Chain { curves, otsu, steps, .. } = &mut *self.chain;
        let (scan, cumulative) = curves.scan(self.gpu, &bins, (3, 1), bits);
        steps.push(ChainStep::Scan(scan));
        steps.extend(otsu.dispatches(self.gpu, (&bins, cumulative), bits, classes).map(ChainStep::Plain));
        let mut params = RecolorParams::default();
        for (class, slot) in (0..classes as usize).zip(&mut params.tones) {
            let [red, green, blue] = otsu::tone(class, classes as usize, shown, bits).map(u32::from);
            *slot = [red, green, blue, 0];
        }
        let thresholds = otsu.thresholds.clone();
        self.change(Change::Classes, &params, Some((&thresholds, None)))
    }
}
