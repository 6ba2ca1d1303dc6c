//! All adjustments in their order, recorded as one list of dispatches.

mod maker;

use super::WorkingPicture;
use super::blur::{BlurJob, BlurPass};
use super::clahe::ClahePass;
use super::curves::{CurveJob, CurveKind, CurvePass};
use super::otsu::OtsuPass;
use super::recolor::RecolorPass;
use super::scan::ScanJob;
use crate::adjust::{Adjustments, Equalize, Placing, Posterize, Reduction, Tone, equalize};
use crate::gpu::histogram::HistogramPasses;
use crate::gpu::histogram::plan::Plan;
use crate::gpu::params::InputPicture;
use crate::gpu::resources::Dispatch;
use crate::gpu::{Gpu, GpuError};
use maker::Maker;

/// Where a step finds its picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StepInput {
    Source,
    Work(usize),
}

#[derive(Debug)]
enum ChainStep {
    /// A pass that reads a picture.
    Picture(Dispatch, StepInput),
    /// One that also counts what it makes of it, into these chunks.
    Counting(Dispatch, StepInput, wgpu::BindGroup),
    /// A pass that does not.
    Plain(Dispatch),
    /// Counts a picture's luminance, or all channels, into bins of the chain's own.
    Count(StepInput),
    Scan(ScanJob),
    Curve(Box<CurveJob>),
    Blur(BlurJob, StepInput),
}

/// What the steps were made for.
#[derive(Debug, Clone, PartialEq)]
struct Made {
    source: InputPicture,
    adjustments: Adjustments,
    counted: bool,
    /// How the last step counts what it writes, and into which chunks, if it can.
    counting: Option<(Plan, wgpu::BindGroup)>,
}

/// The adjustments on the GPU.
///
/// For each frame: [`prepare`](Self::prepare), count the source where [`needs_source_bins`](Self::needs_source_bins) says so,
/// then [`dispatch`](Self::dispatch) in the same or a later pass; [`result`](Self::result) is then a picture to count and draw.
/// Where it will be counted, [`prepare_counting`](Self::prepare_counting) has the last step count it as it writes it.
#[derive(Debug)]
pub struct Chain {
    source_bins: wgpu::Buffer,
    /// For the source, where nobody else counts it.
    source_counter: Option<HistogramPasses>,
    /// For pictures between two steps.
    counter: HistogramPasses,
    recolor: RecolorPass,
    curves: CurvePass,
    blur: BlurPass,
    clahe: ClahePass,
    otsu: OtsuPass,
    /// Two pictures, so that one can be read while the other is written.
    work: [Option<WorkingPicture>; 2],
    made: Option<Made>,
    steps: Vec<ChainStep>,
    result: StepInput,
    /// What the smoothed curves were made for; of anything else they start anew.
    smoothed: Option<(u32, bool)>,
}

impl Chain {
    /// Makes the passes for pictures that are counted by `source`.
    #[must_use]
    pub fn new(gpu: &Gpu, source: &HistogramPasses) -> Self {
        Self {
            source_bins: source.bins.clone(),
            source_counter: None,
            counter: HistogramPasses::new(gpu),
            recolor: RecolorPass::new(gpu),
            curves: CurvePass::new(gpu),
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

    /// Whether the first step that needs a histogram needs the source's.
    #[must_use]
    pub fn needs_source_bins(adjustments: &Adjustments) -> bool {
        let by_bins = matches!(
            adjustments.reduction,
            Some(Reduction::Threshold(_) | Reduction::Posterize(Posterize { placing: Placing::Population, .. }))
        );
        adjustments.blur.is_none()
            && match adjustments.tone {
                Some(Tone::Equalize(_)) => true,
                Some(Tone::Clahe(_)) => false,
                None => by_bins,
            }
    }

    /// Gets everything ready for a picture like `source`; cheap where nothing changed. `elapsed_secs` is the time since the
    /// frame before, `None` at a jump. `counted` says whether the source's bins will be those of red, green, blue and
    /// luminance; where they are not, the chain counts
    /// what it needs by itself, luminance alone where that will do.
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

    /// The same for a result that will be counted with these passes, whatever they were set up for. Where
    /// [`counts_result`](Self::counts_result) says so afterwards, the next dispatch counts it into their chunks, and what
    /// remains is to have them sum those up ([`HistogramPasses::record_sums`]); else they count it as any picture, once
    /// they are set up for it.
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
        if let (true, Some(Made { counting: Some((plan, _)), .. })) = (self.counts_result(), &self.made) {
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
        let adjustments = adjustments.clamped();
        let counted = counted || !Self::needs_source_bins(&adjustments);
        let made = Made { source, adjustments, counted, counting };
        if self.made.as_ref() != Some(&made) {
            self.made = None;
            self.make(gpu, &made)?;
            self.made = Some(made);
        }
        self.set_weight(gpu, &(source, adjustments), elapsed_secs);
        Ok(())
    }

    /// Whether the next dispatch counts the result as it writes it.
    #[must_use]
    pub fn counts_result(&self) -> bool {
        matches!(self.steps.last(), Some(ChainStep::Counting(..)))
    }

    /// Whether all is off: the source is shown as it is, and nothing is dispatched.
    #[must_use]
    pub fn is_off(&self) -> bool {
        self.steps.is_empty()
    }

    /// The adjusted picture that the next dispatch makes; `None` where all is off.
    #[must_use]
    pub fn result(&self) -> Option<&WorkingPicture> {
        match self.result {
            StepInput::Source => None,
            StepInput::Work(index) => self.work[index].as_ref(),
        }
    }

    /// Four words: the luminance codes at which the second class and those after it begin, `u32::MAX` where there is none.
    /// They are those of the last dispatch that had a threshold among its adjustments.
    #[must_use]
    pub const fn thresholds(&self) -> &wgpu::Buffer {
        &self.otsu.thresholds
    }

    /// Gives back the memory of the pictures, which are large.
    pub fn release(&mut self) {
        self.steps.clear();
        self.made = None;
        self.result = StepInput::Source;
        self.smoothed = None;
        self.work = [None, None];
        self.blur.release();
    }

    /// Bytes of the pictures that it holds now.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.work.iter().flatten().map(|picture| picture.buffer.size()).sum::<u64>() + self.blur.bytes()
    }

    /// Dispatches the adjustments of the picture bound by `source` in a compute pass of the caller's, behind the counting of
    /// the source.
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

    fn make(&mut self, gpu: &Gpu, made: &Made) -> Result<(), GpuError> {
        let Made { source, adjustments, counted, ref counting } = *made;
        self.steps.clear();
        self.result = StepInput::Source;
        if adjustments.is_off() {
            return Ok(());
        }
        let mut maker = Maker { gpu, source, counted, counting: None, chain: self, at: StepInput::Source };
        if let Some(blur) = adjustments.blur {
            maker.blur(blur)?;
        }
        // What comes last counts what it writes.
        let last = counting.as_ref();
        maker.counting = last.filter(|_| adjustments.reduction.is_none());
        match adjustments.tone {
            Some(Tone::Equalize(equalize)) => maker.equalize(equalize)?,
            Some(Tone::Clahe(clahe)) => maker.clahe(clahe)?,
            None => {}
        }
        maker.counting = last;
        match adjustments.reduction {
            Some(Reduction::Posterize(posterize)) => maker.posterize(posterize)?,
            Some(Reduction::Threshold(threshold)) => maker.threshold(threshold)?,
            None => {}
        }
        self.result = maker.at;
        Ok(())
    }
}
