//! Making a chain's steps: from adjustments to dispatches.

use super::super::WorkingPicture;
use super::super::recolor::Change;
use super::{Chain, ChainStep, CurveKind, StepInput};
use crate::adjust::{Blur, Clahe, Equalize, Placing, Posterize, Threshold, otsu, posterize};
use crate::gpu::histogram::HistogramPasses;
use crate::gpu::histogram::plan::{ChannelRun, Plan};
use crate::gpu::params::{InputPicture, RecolorParams};
use crate::gpu::resources::storage;
use crate::gpu::{Gpu, GpuError};
use crate::histogram::Components;

/// Makes the steps one after the other.
pub(super) struct Maker<'a> {
    pub gpu: &'a Gpu,
    pub source: InputPicture,
    /// Whether somebody else counts the source.
    pub counted: bool,
    /// How the next change counts what it writes, if it does.
    pub counting: Option<&'a (Plan, wgpu::BindGroup)>,
    pub chain: &'a mut Chain,
    /// Where the picture is by now.
    pub at: StepInput,
}

impl Maker<'_> {
    const fn bits(&self) -> u32 {
        self.source.layout.bin_bits()
    }

    /// The picture that the next step reads.
    fn current(&self) -> InputPicture {
        match self.at {
            StepInput::Work(index) => self.chain.work[index].as_ref().map_or(self.source, InputPicture::from),
            StepInput::Source => self.source,
        }
    }

    /// Makes room for a picture beside the one that is there.
    fn other(&mut self) -> Result<usize, GpuError> {
        let index = if self.at == StepInput::Work(0) { 1 } else { 0 };
        let (size, bits) = (self.source.size, self.bits());
        let slot = &mut self.chain.work[index];
        if slot.as_ref().is_none_or(|held| held.size != size || held.bits != bits) {
            // The old one goes first, so that two large pictures are never held for one.
            *slot = None;
            *slot = Some(WorkingPicture::new(self.gpu, size, bits)?);
        }
        Ok(index)
    }

    /// Changes every pixel.
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

    pub fn blur(&mut self, blur: Blur) -> Result<(), GpuError> {
        let current = self.current();
        let index = self.other()?;
        let Chain { blur: pass, work, steps, .. } = &mut *self.chain;
        if let Some(target) = &work[index] {
            steps.push(ChainStep::Blur(pass.job(self.gpu, &current, target, blur)?, self.at));
        }
        self.at = StepInput::Work(index);
        Ok(())
    }

    /// The bins of the picture that is there. Unless somebody else counts it, it is counted now.
    fn bins(&mut self, (first, count): (u32, u32)) -> Result<wgpu::Buffer, GpuError> {
        let is_source = self.at == StepInput::Source;
        if is_source && self.counted {
            return Ok(self.chain.source_bins.clone());
        }
        let (gpu, current) = (self.gpu, self.current());
        let bits = current.layout.bin_bits();
        let mut plan = Plan::of(gpu, bits, current.pixel_count())?;
        // Only the channels that are wanted are counted, where that takes one run. A counter is set up once for all steps, so
        // that another step's wish adds the other channels.
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

    pub fn equalize(&mut self, equalize: Equalize) -> Result<(), GpuError> {
        let (channels, change) =
            if equalize.per_channel { ((0, 3), Change::Channels) } else { ((3, 1), Change::Luminance) };
        self.through_curves(channels, CurveKind::Equalize, change)
    }

    /// From the bins to curves, and through those.
    fn through_curves(&mut self, channels: (u32, u32), kind: CurveKind, change: Change) -> Result<(), GpuError> {
        let bins = self.bins(channels)?;
        let bits = self.bits();
        let job = self.chain.curves.job(self.gpu, &bins, channels, bits, kind);
        self.chain.steps.push(ChainStep::Curve(Box::new(job)));
        let mapped = self.chain.curves.mapped.clone();
        self.change(change, &RecolorParams::default(), Some((&mapped, None)))
    }

    pub fn clahe(&mut self, clahe: Clahe) -> Result<(), GpuError> {
        let current = self.current();
        let curves = self.chain.clahe.job(self.gpu, &current, clahe);
        self.chain.steps.push(ChainStep::Picture(curves.count, self.at));
        self.chain.steps.extend(curves.curves.map(ChainStep::Plain));
        let params = RecolorParams { tiles: clahe.tiles.into(), ..RecolorParams::default() };
        self.change(Change::Tiles, &params, Some((&curves.packed, Some(&curves.axes))))
    }

    pub fn posterize(&mut self, Posterize { levels, placing }: Posterize) -> Result<(), GpuError> {
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

    pub fn threshold(&mut self, Threshold { classes, shown }: Threshold) -> Result<(), GpuError> {
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
