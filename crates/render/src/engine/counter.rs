//! Counting frames in the order in which they are submitted, with several under way where an adapter counts.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use super::{CPU, Engine, FoundEngine, GPU};
use crate::cpu;
use crate::gpu::count_queue::CountQueue;
use crate::gpu::{Gpu, GpuError};
use histoscope_core::adjust::{Adjustments, Processor};
use histoscope_core::histogram::{Components, Histogram};
use histoscope_core::picture::region::{self, Rect};
use histoscope_core::picture::{ClampedSamples, Picture, PictureError};
use histoscope_core::scopes::{Chroma, ScopeCounts, ScopeSums, ScopeTally};

/// Pictures that the adapter may have under way: one is fetched, one is counted, two come back.
const PICTURES_IN_FLIGHT: usize = 4;
/// How many pixels they may have together, because all of them keep their memory from the decoder; two pictures always may.
/// Decoding large ones takes so much longer than counting them that two are enough.
const PIXELS_IN_FLIGHT: u64 = 16 << 20;
/// Pictures that it may have under way whose scopes come back with their bins, because those are large.
const SCOPES_IN_FLIGHT: usize = 2;

/// Why a picture was not counted.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The device failed.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The region is no part of the picture.
    #[error("cutting out the region failed: {0}")]
    Region(PictureError),
    /// No counts came of a picture that was submitted.
    #[error("the picture was not counted")]
    Uncounted,
    /// The picture could not be adjusted.
    #[error("adjusting the picture failed: {0}")]
    Adjust(PictureError),
}

/// The counts of one picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    /// A histogram for each of the components that the counter counts, in their order.
    pub histograms: Vec<Histogram>,
    /// Luminance codes at which Otsu's second class and those after it begin, `u32::MAX` where there is none; only where
    /// the pictures are parted so.
    pub thresholds: Option<[u32; 4]>,
    /// The scopes that the counter counts, of the first of its components.
    pub scopes: ScopeCounts,
    /// Name of the engine that counted all of it, or its largest part.
    pub engine: &'static str,
}

/// Counts pictures, adjusted first where that is wanted.
pub struct Counter {
    components: Vec<Components>,
    adjustments: Adjustments,
    scopes: ScopeTally,
    /// Those that the CPU has counted, where their sum is wanted.
    summing: cpu::CpuScopeSum,
    who: Who,
    cpu: cpu::Engine,
    processor: Processor,
    under_way: VecDeque<SubmittedPicture>,
    /// Pixels of the last picture that was submitted.
    pixels: u64,
    /// Why the adapter refused the last picture that it did, so that this is said once.
    refused: Option<String>,
}

/// The engine of the next picture.
enum Who {
    Cpu,
    /// The CPU, until this has been found.
    Starting(Arc<OnceLock<FoundEngine>>),
    /// The adapter; its passes are made for the first picture.
    Adapter(Arc<Gpu>, Option<Box<CountQueue>>),
}

/// A picture that was submitted.
struct SubmittedPicture {
    /// The CPU's counts.
    counts: Counts,
    /// For each of its histograms, whether the adapter adds to it.
    owed: Vec<bool>,
}

impl Counter {
    /// A counter of these components of pictures that are adjusted so.
    #[must_use]
    pub fn new(engine: &Engine, components: &[Components], adjustments: Adjustments) -> Self {
        let mut counter = Self {
            components: components.to_vec(),
            adjustments,
            scopes: ScopeTally::default(),
            summing: cpu::CpuScopeSum::default(),
            who: Who::Starting(Arc::clone(&engine.found)),
            cpu: cpu::Engine::new(),
            processor: Processor::default(),
            under_way: VecDeque::new(),
            pixels: 0,
            refused: None,
        };
        counter.take_engine();
        counter
    }

    /// The same, that counts those scopes besides, of the first of its components.
    #[must_use]
    pub fn with_scopes(self, scopes: ScopeTally) -> Self {
        Self { scopes, ..self }
    }

    /// Goes over to the engine as soon as it has started.
    fn take_engine(&mut self) {
        let Who::Starting(engine) = &self.who else { return };
        let who = match engine.get() {
            None => return,
            Some(FoundEngine::Cpu) => Who::Cpu,
            Some(FoundEngine::Adapter(gpu)) => Who::Adapter(Arc::clone(gpu), None),
        };
        self.who = who;
    }

    /// Returns `true` if counts must be taken before the next picture is submitted.
    #[must_use]
    pub fn is_full(&self) -> bool {
        match &self.who {
            // Pictures that the adapter cannot hold are the CPU's, and take no room in its queue.
            Who::Adapter(_, queue) => {
                let most = (PIXELS_IN_FLIGHT / self.pixels.max(1)).clamp(2, PICTURES_IN_FLIGHT as u64);
                let has_room = queue.as_ref().is_none_or(|queue| queue.room() >= self.components.len());
                !has_room || self.under_way.len() as u64 >= most
            }
            Who::Cpu | Who::Starting(_) => !self.under_way.is_empty(),
        }
    }

    /// Submits a picture, of which `region` alone is counted, if there is one. An adjusted picture is adjusted as a whole, and
    /// by itself, whatever came before it.
    ///
    /// # Errors
    /// [`EngineError`] if the device fails, or the region does not lie in the picture.
    pub fn submit(&mut self, picture: &Picture, region: Option<Rect>) -> Result<(), EngineError> {
        self.take_engine();
        let under_way = if self.adjustments.is_off() {
            self.submit_as_it_is(picture, region)?
        } else {
            self.submit_adjusted(picture, region)?
        };
        self.under_way.push_back(under_way);
        Ok(())
    }

    /// Submits a picture whose components may be counted of other samples than its R'G'B'. Of a picture that was converted, what is not
    /// counted of the same samples as the first components is the CPU's.
    fn submit_as_it_is(&mut self, picture: &Picture, region: Option<Rect>) -> Result<SubmittedPicture, EngineError> {
        let all = std::mem::take(&mut self.components);
        let first = all.first().copied().unwrap_or_default().in_picture(picture);
        let is_other = |components: &Components| !std::ptr::eq(components.in_picture(picture), first);
        let (own, others) = all.split_at(all.iter().position(is_other).unwrap_or(all.len()));
        self.components = own.to_vec();
        let submitted = self.submit_region(first, region);
        self.components = others.to_vec();
        let further = others.first().map(|other| self.count_on_cpu(other.in_picture(picture), region)).transpose();
        self.components = all;
        let (mut submitted, further) = (submitted?, further?.unwrap_or_default());
        submitted.owed.resize(submitted.owed.len() + further.len(), false);
        submitted.counts.histograms.extend(further);
        Ok(submitted)
    }

    fn submit_region(&mut self, picture: &Picture, region: Option<Rect>) -> Result<SubmittedPicture, EngineError> {
        self.pixels = u64::from(picture.pixel_count());
        let pixels = pixels_of(picture, region)?;
        let is_owed = self.try_adapter(|gpu, queue, components| queue.submit(gpu, picture, region, components))?;
        if is_owed {
            let mut owed = self.owed(picture);
            add_clamped(&mut owed.counts.histograms, region::clamped(picture, pixels).as_ref());
            return Ok(owed);
        }
        let histograms = self.count_on_cpu(picture, Some(pixels))?;
        let components = self.components.first().copied().unwrap_or_default();
        let scopes = self.scopes_on_cpu(picture, (pixels, components), Chroma::of(picture));
        let owed = vec![false; histograms.len()];
        Ok(SubmittedPicture { counts: Counts { histograms, thresholds: None, scopes, engine: CPU }, owed })
    }

    /// The scopes of a picture; none where it is their sum that is wanted, to which they are added.
    fn scopes_on_cpu(&mut self, picture: &Picture, part: (Rect, Components), chroma: Option<Chroma>) -> ScopeCounts {
        match self.scopes {
            ScopeTally::Each(wanted) => cpu::count_scopes(picture, part, chroma, wanted),
            ScopeTally::Sum(wanted) => {
                if wanted.any() {
                    self.summing.add(picture, part, chroma, wanted);
                }
                ScopeCounts::default()
            }
        }
    }

    /// The sums of the scopes of all pictures that were submitted, where those are wanted.
    ///
    /// # Errors
    /// [`GpuError`] if the device fails.
    pub fn take_sums(&mut self) -> Result<ScopeSums, GpuError> {
        let mut sums = self.summing.take();
        if let Who::Adapter(gpu, Some(queue)) = &mut self.who {
            sums.append(queue.take_sums(gpu)?);
        }
        Ok(sums)
    }

    /// A picture of which the adapter counts everything.
    fn owed(&mut self, picture: &Picture) -> SubmittedPicture {
        let histograms = self.empty_histograms(picture.layout().bin_bits());
        let owed = vec![true; histograms.len()];
        let counts = Counts { histograms, thresholds: None, scopes: ScopeCounts::default(), engine: GPU };
        SubmittedPicture { counts, owed }
    }

    fn submit_adjusted(&mut self, picture: &Picture, region: Option<Rect>) -> Result<SubmittedPicture, EngineError> {
        self.pixels = u64::from(picture.pixel_count());
        let pixels = pixels_of(picture, region)?;
        let adjustments = self.adjustments;
        let is_owed = self.try_adapter(|gpu, queue, _| queue.submit_adjusted(gpu, picture, &adjustments, region))?;
        if is_owed {
            return Ok(self.owed(picture));
        }
        let adjusted = self.processor.apply(picture, &adjustments, None).map_err(EngineError::Adjust)?;
        let histograms = self.count_on_cpu(&adjusted, Some(pixels))?;
        let chroma = Some(Chroma::of_adjusted(picture));
        let scopes = self.scopes_on_cpu(&adjusted, (pixels, Components::Rgbl), chroma);
        let owed = vec![false; histograms.len()];
        let counts = Counts { histograms, thresholds: self.processor.thresholds(), scopes, engine: CPU };
        Ok(SubmittedPicture { counts, owed })
    }

    /// Returns `true` if the adapter took a picture. What it cannot hold is the CPU's: this is the place that says so.
    fn try_adapter(
        &mut self,
        submit: impl FnOnce(&Gpu, &mut CountQueue, &[Components]) -> Result<(), GpuError>,
    ) -> Result<bool, GpuError> {
        let Who::Adapter(gpu, queue) = &mut self.who else { return Ok(false) };
        let come_back = matches!(self.scopes, ScopeTally::Each(wanted) if wanted.any());
        let pictures = if come_back { SCOPES_IN_FLIGHT } else { PICTURES_IN_FLIGHT };
        let (depth, wanted) = (pictures * self.components.len(), self.scopes);
        let queue = queue.get_or_insert_with(|| Box::new(CountQueue::new(gpu, depth, wanted)));
        match submit(gpu, queue, &self.components) {
            Err(reason @ (GpuError::PictureTooLarge { .. } | GpuError::TooDeep { .. })) => {
                let reason = reason.to_string();
                if self.refused.as_ref() != Some(&reason) {
                    log::info!("the CPU counts: {reason}");
                    self.refused = Some(reason);
                }
                Ok(false)
            }
            submitted => submitted.map(|()| true),
        }
    }

    fn empty_histograms(&self, bits: u32) -> Vec<Histogram> {
        self.components.iter().map(|&components| Histogram::empty(bits, components)).collect()
    }

    fn count_on_cpu(&mut self, picture: &Picture, region: Option<Rect>) -> Result<Vec<Histogram>, EngineError> {
        let count = |&components: &Components| self.cpu.count_region(picture, region, components);
        self.components.iter().map(count).collect::<Result<_, _>>().map_err(EngineError::Region)
    }

    /// Waits for the oldest picture's counts; `None` if no picture is under way.
    ///
    /// # Errors
    /// [`GpuError`] if the device fails.
    pub fn take(&mut self) -> Result<Option<Counts>, GpuError> {
        let Some(SubmittedPicture { mut counts, owed }) = self.under_way.pop_front() else { return Ok(None) };
        if let Who::Adapter(gpu, Some(queue)) = &mut self.who {
            let owed = counts.histograms.iter_mut().enumerate().zip(owed).filter(|(_, owed)| *owed);
            for ((index, histogram), _) in owed {
                if let Some(counted) = queue.take(gpu)? {
                    histogram.add(&counted.histogram);
                    counts.thresholds = counted.thresholds;
                    if index == 0 {
                        counts.scopes = counted.scopes;
                    }
                }
            }
        }
        Ok(Some(counts))
    }
}

/// Adds the samples of a part that were clamped before the adapter got their codes.
fn add_clamped(histograms: &mut [Histogram], clamped: Option<&ClampedSamples>) {
    let Some(clamped) = clamped.map(ClampedSamples::counts) else { return };
    let of_rgbl = histograms.iter_mut().filter(|histogram| histogram.components == Components::Rgbl);
    of_rgbl.for_each(|histogram| histogram.add_out_of_range(clamped));
}

/// The rectangle that is counted.
pub(super) fn pixels_of(picture: &Picture, region: Option<Rect>) -> Result<Rect, EngineError> {
    let pixels = region.unwrap_or(Rect::whole(picture.width(), picture.height()));
    if pixels.fits(picture.width(), picture.height()) {
        return Ok(pixels);
    }
    Err(EngineError::Region(PictureError::Empty { width: pixels.width, height: pixels.height }))
}
