//! Counts frames in the order in which they are submitted, with several in flight if an adapter counts.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use super::{CPU, Engine, FoundEngine, GPU};
use crate::cpu;
pub use crate::gpu::count_queue::ActivePart;
use crate::gpu::count_queue::{Besides, CountQueue};
use crate::gpu::{Gpu, GpuError};
use histoscope_core::adjust::{Adjustments, Processor};
use histoscope_core::histogram::{Components, Histogram, LightCounts, LightMeter, LightScale};
use histoscope_core::picture::region::{self, Rect};
use histoscope_core::picture::{ClampedSamples, Picture, PictureError};
use histoscope_core::scopes::{Chroma, Diagram, Scope, ScopeCounts, ScopeSums, ScopeTally};
use histoscope_core::tone_map::SourceLight;

/// Pictures in flight on the adapter: one being uploaded, one being counted, two being read back.
const PICTURES_IN_FLIGHT: usize = 4;
/// Most pixels in flight, because every picture in flight keeps its decoder memory; two pictures are always allowed.
/// Decoding large pictures takes so much longer than counting them that two are enough.
const PIXELS_IN_FLIGHT: u64 = 16 << 20;
/// Pictures in flight on the adapter if scopes are read back with the bins; fewer, because scopes are large.
const SCOPES_IN_FLIGHT: usize = 2;

/// Why a picture was not counted.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The device failed.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The region is not part of the picture.
    #[error("cropping the region failed: {0}")]
    Region(PictureError),
    /// A submitted picture yielded no counts.
    #[error("the picture was not counted")]
    Uncounted,
    /// The picture could not be adjusted.
    #[error("adjusting the picture failed: {0}")]
    Adjust(PictureError),
}

/// The counts of one picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Counts {
    /// A histogram for each of the counter's components, in their order.
    pub histograms: Vec<Histogram>,
    /// Luminance codes at which Otsu's second and later classes begin, `u32::MAX` for classes that do not exist; `None`
    /// unless the pictures are segmented by Otsu's method.
    pub thresholds: Option<[u32; 4]>,
    /// The counter's scopes, counted for the first of its components.
    pub scopes: ScopeCounts,
    /// The diagram of its vectorscope: the counter's, or Cb and Cr if the picture has no chromaticities.
    pub diagram: Diagram,
    /// The light of the pixels, if requested.
    pub light: Option<LightCounts>,
    /// The number of pixels outside the limits of EBU R 103, if requested and counted by an adapter.
    pub outside_r103: Option<u32>,
    /// Name of the engine that counted all of it, or most of it.
    pub engine: &'static str,
}

/// A picture to count.
#[derive(Debug, Clone, Copy)]
pub struct Submission<'a> {
    /// The picture.
    pub picture: &'a Picture,
    /// The part of it to count; `None` for all of it. Adjustments apply to the whole picture, and do not depend on
    /// earlier pictures.
    pub region: Option<Rect>,
    /// The light of its codes, for diagrams of chromaticities.
    pub source: SourceLight,
    /// The scale of a meter for the light of its pixels, and `true` to count pixels outside other gamuts too. Light is
    /// only measured in pictures that are not adjusted, if the first of the counter's components are red, green, blue
    /// and luminance, and if the counter was created [for it](Counter::with_light).
    pub light: Option<(LightScale, bool)>,
    /// Where an adapter counts pixels outside the limits of EBU R 103, which it does in pictures that are not adjusted,
    /// if the first of the counter's components are red, green, blue and luminance.
    pub active: Option<ActivePart>,
}

/// Counts pictures, adjusting them first if requested.
pub struct Counter {
    components: Vec<Components>,
    adjustments: Adjustments,
    scopes: ScopeTally,
    diagram: Diagram,
    /// `true` if the light of pixels may be requested.
    measures_light: bool,
    /// The meter of the last picture whose light was counted.
    meter: Option<Arc<LightMeter>>,
    /// Sums of the scopes that the CPU has counted, if sums are requested.
    summing: cpu::CpuScopeSum,
    active: ActiveEngine,
    cpu: cpu::Engine,
    processor: Processor,
    in_flight: VecDeque<SubmittedPicture>,
    /// Pixels of the last submitted picture.
    pixels: u64,
    /// The adapter's most recent reason for refusing a picture, so that it is logged once.
    refused: Option<String>,
}

/// The engine of the next picture.
enum ActiveEngine {
    Cpu,
    /// The CPU, until the engine is known.
    Starting(Arc<OnceLock<FoundEngine>>),
    /// The adapter; its passes are created for the first picture.
    Adapter(Arc<Gpu>, Option<Box<CountQueue>>),
}

/// A submitted picture.
struct SubmittedPicture {
    /// The CPU's counts; the adapter's are added when they are taken.
    counts: Counts,
    /// For each of the histograms, `true` if the adapter adds to it.
    on_adapter: Vec<bool>,
}

impl Counter {
    /// Creates a counter for these components, with these adjustments applied first.
    #[must_use]
    pub fn new(engine: &Engine, components: &[Components], adjustments: Adjustments) -> Self {
        let mut counter = Self {
            components: components.to_vec(),
            adjustments,
            scopes: ScopeTally::default(),
            diagram: Diagram::default(),
            measures_light: false,
            meter: None,
            summing: cpu::CpuScopeSum::default(),
            active: ActiveEngine::Starting(Arc::clone(&engine.found)),
            cpu: cpu::Engine::new(),
            processor: Processor::default(),
            in_flight: VecDeque::new(),
            pixels: 0,
            refused: None,
        };
        counter.take_engine();
        counter
    }

    /// Also counts these scopes, for the first of the components; the vectorscope in this diagram.
    #[must_use]
    pub fn with_scopes(self, scopes: ScopeTally, diagram: Diagram) -> Self {
        Self { scopes, diagram, ..self }
    }

    /// Allows [measuring light](Submission::light).
    #[must_use]
    pub fn with_light(self, measures_light: bool) -> Self {
        Self { measures_light, ..self }
    }

    /// Switches to the engine as soon as it has started.
    fn take_engine(&mut self) {
        let ActiveEngine::Starting(engine) = &self.active else { return };
        let who = match engine.get() {
            None => return,
            Some(FoundEngine::Cpu) => ActiveEngine::Cpu,
            Some(FoundEngine::Adapter(gpu)) => ActiveEngine::Adapter(Arc::clone(gpu), None),
        };
        self.active = who;
    }

    /// Returns `true` if counts must be taken before the next picture is submitted.
    #[must_use]
    pub fn is_full(&self) -> bool {
        match &self.active {
            // The CPU counts pictures that the adapter cannot hold, and they take no room in its queue.
            ActiveEngine::Adapter(_, queue) => {
                let most = (PIXELS_IN_FLIGHT / self.pixels.max(1)).clamp(2, PICTURES_IN_FLIGHT as u64);
                let has_room = queue.as_ref().is_none_or(|queue| queue.room() >= self.components.len());
                !has_room || self.in_flight.len() as u64 >= most
            }
            ActiveEngine::Cpu | ActiveEngine::Starting(_) => !self.in_flight.is_empty(),
        }
    }

    /// Submits a picture of which nothing more is known. If there is a `region`, only that is counted.
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    pub fn submit_picture(&mut self, picture: &Picture, region: Option<Rect>) -> Result<(), EngineError> {
        self.submit(Submission { picture, region, source: SourceLight::default(), light: None, active: None })
    }

    /// Submits a picture.
    ///
    /// # Errors
    /// [`EngineError`] if the device fails, or the region does not lie in the picture.
    pub fn submit(&mut self, submission: Submission<'_>) -> Result<(), EngineError> {
        self.take_engine();
        let submitted = if self.adjustments.is_off() {
            self.submit_unadjusted(submission)?
        } else {
            self.submit_adjusted(submission)?
        };
        self.in_flight.push_back(submitted);
        Ok(())
    }

    /// Returns what the vectorscope of a picture counts.
    fn chroma_of(&self, picture: &Picture, source: SourceLight) -> Option<Chroma> {
        let colors = source.after(&self.adjustments).colors();
        let chroma = Chroma::of_counted(picture, !self.adjustments.is_off());
        chroma
            .filter(|_| self.scopes.choice()[Scope::Vectorscope])
            .map(|chroma| chroma.in_diagram(self.diagram, colors))
    }

    /// Submits a picture without adjusting it. A converted picture has both R'G'B' and coded samples; the CPU counts
    /// the components that use other samples than the first component.
    fn submit_unadjusted(&mut self, submission: Submission<'_>) -> Result<SubmittedPicture, EngineError> {
        let Submission { picture, region, source, light, active } = submission;
        let is_rgbl = self.components.first() == Some(&Components::Rgbl);
        let light = light.filter(|_| self.measures_light && is_rgbl);
        let all = std::mem::take(&mut self.components);
        let first = all.first().copied().unwrap_or_default().in_picture(picture);
        let is_other = |components: &Components| !std::ptr::eq(components.in_picture(picture), first);
        let (own, others) = all.split_at(all.iter().position(is_other).unwrap_or(all.len()));
        self.components = own.to_vec();
        let meter = light.map(|light| self.meter_of(first, light));
        let chroma = self.chroma_of(first, source);
        let besides = Besides { meter: meter.as_ref(), chroma, active: active.filter(|_| is_rgbl) };
        let submitted = self.submit_region(first, region, besides);
        self.components = others.to_vec();
        let further = others.first().map(|other| self.count_on_cpu(other.in_picture(picture), region)).transpose();
        self.components = all;
        let (mut submitted, further) = (submitted?, further?.unwrap_or_default());
        submitted.on_adapter.resize(submitted.on_adapter.len() + further.len(), false);
        submitted.counts.histograms.extend(further);
        Ok(submitted)
    }

    /// Returns a meter for the light of a picture.
    fn meter_of(&mut self, picture: &Picture, (scale, counts_gamut): (LightScale, bool)) -> Arc<LightMeter> {
        let bits = picture.layout().bin_bits();
        let is_like = |meter: &Arc<LightMeter>| {
            (meter.scale(), meter.bits(), meter.counts_gamut()) == (scale, bits, counts_gamut)
        };
        let kept = self.meter.take().filter(is_like);
        let meter = kept.unwrap_or_else(|| Arc::new(LightMeter::new(scale, bits, counts_gamut)));
        Arc::clone(self.meter.insert(meter))
    }

    fn submit_region(
        &mut self,
        picture: &Picture,
        region: Option<Rect>,
        besides: Besides<'_>,
    ) -> Result<SubmittedPicture, EngineError> {
        self.pixels = u64::from(picture.pixel_count());
        let pixels = pixels_of(picture, region)?;
        let Besides { meter, chroma, .. } = besides;
        let is_owed =
            self.try_adapter(|gpu, queue, components| queue.submit(gpu, picture, region, components, besides))?;
        if is_owed {
            let mut owed = self.counted_on_adapter(picture, chroma);
            add_clamped(&mut owed.counts.histograms, region::clamped(picture, pixels).as_ref());
            return Ok(owed);
        }
        let histograms = self.count_on_cpu(picture, Some(pixels))?;
        let components = self.components.first().copied().unwrap_or_default();
        let scopes = self.scopes_on_cpu(picture, (pixels, components), chroma);
        let light = meter.map(|meter| cpu::count_pixel_light(picture, pixels, meter)).transpose();
        let light = light.map_err(EngineError::Region)?;
        let owed = vec![false; histograms.len()];
        let diagram = diagram_of(chroma);
        let counts = Counts { histograms, thresholds: None, scopes, diagram, light, outside_r103: None, engine: CPU };
        Ok(SubmittedPicture { counts, on_adapter: owed })
    }

    /// Counts the scopes of a picture, or, if sums are requested, adds them to the sums and returns none.
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

    /// Returns the sums of the scopes of all submitted pictures, if sums are requested.
    ///
    /// # Errors
    /// [`GpuError`] if the device fails.
    pub fn take_sums(&mut self) -> Result<ScopeSums, GpuError> {
        let mut sums = self.summing.take();
        if let ActiveEngine::Adapter(gpu, Some(queue)) = &mut self.active {
            sums.append(queue.take_sums(gpu)?);
        }
        Ok(sums)
    }

    /// Returns a submitted picture that the adapter counts entirely.
    fn counted_on_adapter(&mut self, picture: &Picture, chroma: Option<Chroma>) -> SubmittedPicture {
        let histograms = self.empty_histograms(picture.layout().bin_bits());
        let owed = vec![true; histograms.len()];
        let (scopes, diagram) = (ScopeCounts::default(), diagram_of(chroma));
        let counts =
            Counts { histograms, thresholds: None, scopes, diagram, light: None, outside_r103: None, engine: GPU };
        SubmittedPicture { counts, on_adapter: owed }
    }

    fn submit_adjusted(&mut self, submission: Submission<'_>) -> Result<SubmittedPicture, EngineError> {
        let Submission { picture, region, source, .. } = submission;
        let chroma = self.chroma_of(picture, source);
        self.pixels = u64::from(picture.pixel_count());
        let pixels = pixels_of(picture, region)?;
        let adjustments = self.adjustments;
        let is_owed =
            self.try_adapter(|gpu, queue, _| queue.submit_adjusted(gpu, picture, &adjustments, region, chroma))?;
        if is_owed {
            return Ok(self.counted_on_adapter(picture, chroma));
        }
        let adjusted = self.processor.apply(picture, &adjustments, None).map_err(EngineError::Adjust)?;
        let histograms = self.count_on_cpu(&adjusted, Some(pixels))?;
        let scopes = self.scopes_on_cpu(&adjusted, (pixels, Components::Rgbl), chroma);
        let owed = vec![false; histograms.len()];
        let (thresholds, diagram) = (self.processor.thresholds(), diagram_of(chroma));
        let counts = Counts { histograms, thresholds, scopes, diagram, light: None, outside_r103: None, engine: CPU };
        Ok(SubmittedPicture { counts, on_adapter: owed })
    }

    /// Returns `true` if the adapter took a picture. If the adapter cannot hold it, the CPU counts it, and the reason
    /// is logged here.
    fn try_adapter(
        &mut self,
        submit: impl FnOnce(&Gpu, &mut CountQueue, &[Components]) -> Result<(), GpuError>,
    ) -> Result<bool, GpuError> {
        let ActiveEngine::Adapter(gpu, queue) = &mut self.active else { return Ok(false) };
        let come_back = matches!(self.scopes, ScopeTally::Each(wanted) if wanted.any());
        let pictures = if come_back { SCOPES_IN_FLIGHT } else { PICTURES_IN_FLIGHT };
        let (depth, wanted, light) = (pictures * self.components.len(), self.scopes, self.measures_light);
        let queue = queue.get_or_insert_with(|| Box::new(CountQueue::new(gpu, depth, wanted, light)));
        match submit(gpu, queue, &self.components) {
            Err(reason @ (GpuError::PictureTooLarge { .. } | GpuError::TooDeep { .. })) => {
                let reason = reason.to_string();
                if self.refused.as_ref() != Some(&reason) {
                    log::info!("counting on the CPU: {reason}");
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

    /// Waits for the oldest picture's counts; returns `None` if no picture is in flight.
    ///
    /// # Errors
    /// [`GpuError`] if the device fails.
    pub fn take(&mut self) -> Result<Option<Counts>, GpuError> {
        let Some(SubmittedPicture { mut counts, on_adapter: owed }) = self.in_flight.pop_front() else {
            return Ok(None);
        };
        if let ActiveEngine::Adapter(gpu, Some(queue)) = &mut self.active {
            let owed = counts.histograms.iter_mut().enumerate().zip(owed).filter(|(_, owed)| *owed);
            for ((index, histogram), _) in owed {
                if let Some(counted) = queue.take(gpu)? {
                    histogram.add(&counted.histogram);
                    counts.thresholds = counted.thresholds;
                    if index == 0 {
                        counts.scopes = counted.scopes;
                        counts.light = counted.light;
                        counts.outside_r103 = counted.outside_r103;
                    }
                }
            }
        }
        Ok(Some(counts))
    }
}

/// Returns the diagram in which a vectorscope is counted.
fn diagram_of(chroma: Option<Chroma>) -> Diagram {
    chroma.map_or_else(Diagram::default, |chroma| chroma.diagram())
}

/// Adds the out-of-range samples of a region, which were clamped before the adapter got their codes.
fn add_clamped(histograms: &mut [Histogram], clamped: Option<&ClampedSamples>) {
    let Some(clamped) = clamped.map(ClampedSamples::counts) else { return };
    let of_rgbl = histograms.iter_mut().filter(|histogram| histogram.components == Components::Rgbl);
    of_rgbl.for_each(|histogram| histogram.add_out_of_range(clamped));
}

/// Returns the rectangle to count.
fn pixels_of(picture: &Picture, region: Option<Rect>) -> Result<Rect, EngineError> {
    let pixels = region.unwrap_or(Rect::whole(picture.width(), picture.height()));
    if pixels.fits(picture.width(), picture.height()) {
        return Ok(pixels);
    }
    Err(EngineError::Region(PictureError::Empty { width: pixels.width, height: pixels.height }))
}
