//! The adjusted picture: made where it is wanted, kept while nothing changes, counted and handed out to be drawn.
//!
//! Who draws and counts the source decides who adjusts it. Where the adapter does both, its passes adjust too, and the
//! picture never leaves it. Else the CPU adjusts; for whatever the adapter does then, that picture is uploaded.

use std::time::{Duration, Instant};

use super::adjustment_key::AdjustmentKey;
use super::loaded::{Count, Loaded, Rasterizer};
use crate::cpu;
use crate::gpu::Gpu;
use crate::gpu::adjust::Chain;
use crate::gpu::histogram::HistogramPasses;
use crate::gpu::live::{LiveTiming, Timed};
use crate::gpu::params::InputPicture;
use crate::gpu::timing::compute_pass;
use crate::gpu::upload::PictureBuffers;
use crate::view::scene::Counted;
use histoscope_core::adjust::{Adjustments, Processor, Reduction};
use histoscope_core::histogram::{Components, Histogram};
use histoscope_core::picture::Picture;
use histoscope_core::picture::layout::PixelLayout;

/// What adjusts pictures, and the one that was adjusted last.
#[derive(Default)]
pub struct Adjusting {
    chain: Option<Chain>,
    processor: Processor,
    engine: Option<cpu::Engine>,
    /// What the CPU adjusted, for the adapter.
    pictures: Option<PictureBuffers>,
    passes: Option<HistogramPasses>,
    made: Option<MadeAdjusted>,
}

impl std::fmt::Debug for Adjusting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Adjusting").field("chain", &self.chain).field("made", &self.made).finish_non_exhaustive()
    }
}

/// An adjusted picture.
#[derive(Debug)]
struct MadeAdjusted {
    key: AdjustmentKey,
    result: Adjusted,
    count: Count,
    /// Bins that the CPU counted.
    known: Option<Histogram>,
}

/// Where it is.
#[derive(Debug)]
enum Adjusted {
    /// On the adapter, as the chain left it, and whether it counted it into chunks.
    Chain { counted: bool },
    /// Here, and on the adapter too.
    Uploaded(Picture),
    /// Here alone.
    Here(Picture),
}

/// What the making of a picture took part in.
pub struct Making<'a> {
    pub gpu: &'a Gpu,
    pub encoder: &'a mut wgpu::CommandEncoder,
    pub timing: Option<&'a mut LiveTiming>,
    /// Names of the passes that were recorded.
    pub recorded: &'a mut Vec<&'static str>,
}

impl Adjusting {
    /// Makes the adjusted picture unless it is there. `source` and `passes` hold the planes and bins of the loaded picture, if
    /// the adapter has them; unless the result alone is `counted`, or neither is (`None`), those bins are counted by what is recorded
    /// before. Whether a picture was made.
    pub fn make(
        &mut self,
        making: &mut Making<'_>,
        loaded: &Loaded,
        adjustments: Adjustments,
        (source, passes, counted): (&PictureBuffers, &HistogramPasses, Option<Counted>),
    ) -> bool {
        let key = AdjustmentKey::new(loaded.tag, loaded.loading, &loaded.picture, adjustments);
        if self.has(loaded.loading, &adjustments) {
            return false;
        }
        let elapsed_secs = key.elapsed_secs(self.made.as_ref().map(|made| &made.key));
        let on_adapter = loaded.rasterizer == Rasterizer::Gpu && loaded.known.is_none();
        let mut result = None;
        if let (true, Some(group)) = (on_adapter, source.bind_group()) {
            let chain = self.chain.get_or_insert_with(|| Chain::new(making.gpu, passes));
            // The adjustments go by all of the picture, whatever part of it is counted.
            let is_whole = loaded.region.is_none();
            let is_counted = matches!(counted, Some(Counted::Source | Counted::Both));
            let counts_source = is_counted && loaded.components == Components::Rgbl && is_whole;
            let like = InputPicture::from(&loaded.picture);
            let ready = if matches!(counted, None | Some(Counted::Source)) || !is_whole {
                chain.prepare(making.gpu, like, &adjustments, elapsed_secs, counts_source)
            } else {
                let result = self.passes.get_or_insert_with(|| HistogramPasses::new(making.gpu));
                chain.prepare_counting(making.gpu, like, &adjustments, elapsed_secs, counts_source, result)
            };
            match ready {
                Ok(()) => {
                    making.dispatch(chain, group);
                    result = Some(Adjusted::Chain { counted: chain.counts_result() });
                }
                Err(reason) => log::debug!("{reason}; the CPU adjusts it"),
            }
        }
        let result = result.or_else(|| self.on_cpu(making, loaded, (adjustments, counted), elapsed_secs));
        self.made = result.map(|result| MadeAdjusted { key, result, count: Count::Due, known: None });
        self.made.is_some()
    }

    fn on_cpu(
        &mut self,
        making: &mut Making<'_>,
        loaded: &Loaded,
        (adjustments, counted): (Adjustments, Option<Counted>),
        elapsed_secs: Option<f64>,
    ) -> Option<Adjusted> {
        let begin = Instant::now();
        let picture = match self.processor.apply(&loaded.picture, &adjustments, elapsed_secs) {
            Ok(picture) => picture,
            Err(error) => {
                log::error!("the picture could not be adjusted and is shown as it is: {error}");
                return None;
            }
        };
        making.note(|times| &mut times.cpu_adjust, Some(begin.elapsed()));
        making.recorded.push("adjust on the CPU");
        if loaded.rasterizer == Rasterizer::Cpu && (loaded.known.is_some() || counted.is_none()) {
            return Some(Adjusted::Here(picture));
        }
        let pictures = self.pictures.get_or_insert_with(PictureBuffers::default);
        match pictures.upload(making.gpu, &picture) {
            Ok(()) => Some(Adjusted::Uploaded(picture)),
            Err(reason) => {
                log::debug!("{reason}; the CPU counts and paints it");
                Some(Adjusted::Here(picture))
            }
        }
    }

    /// Counts the adjusted picture unless that is done.
    pub fn count(&mut self, making: &mut Making<'_>, loaded: &Loaded) {
        let Some(made) = &mut self.made else { return };
        if made.count == Count::Done {
            return;
        }
        made.count = Count::Done;
        let gpu = making.gpu;
        let passes = self.passes.get_or_insert_with(|| HistogramPasses::new(gpu));
        if matches!(made.result, Adjusted::Chain { counted: true }) {
            making.recorded.push("reduce the result");
            let spans = making.timing.as_mut().and_then(|timing| timing.begin(&RESULT_SPANS[1..]));
            passes.record_sums(making.encoder, spans);
            return;
        }
        let by_adapter = loaded.known.is_none();
        let counted = match (&made.result, &self.pictures, self.chain.as_ref().and_then(Chain::result)) {
            (Adjusted::Chain { .. }, _, Some(working)) => {
                passes.prepare_region(gpu, working, loaded.region, Components::Rgbl).map(|()| Some(&working.bind_group))
            }
            (Adjusted::Uploaded(picture), Some(pictures), _) if by_adapter => {
                passes.prepare_region(gpu, picture, loaded.region, Components::Rgbl).map(|()| pictures.bind_group())
            }
            _ => Ok(None),
        };
        match (counted, &made.result) {
            (Ok(Some(group)), _) => {
                making.recorded.push("count the result");
                let spans = making.timing.as_mut().and_then(|timing| timing.begin(&RESULT_SPANS));
                passes.record(making.encoder, group, spans);
            }
            (_, Adjusted::Uploaded(picture) | Adjusted::Here(picture)) => {
                let begin = Instant::now();
                let engine = self.engine.get_or_insert_with(cpu::Engine::new);
                let histogram = match engine.count_region(picture, loaded.region, Components::Rgbl) {
                    Ok(histogram) => histogram,
                    Err(reason) => return log::error!("the adjusted picture cannot be counted: {reason}"),
                };
                making.note(|times| &mut times.cpu_count, Some(begin.elapsed()));
                making.recorded.push("copy the result's bins");
                let spans = making.timing.as_mut().and_then(|timing| timing.begin(&RESULT_SPANS[2..]));
                passes.record_counted(gpu, making.encoder, &histogram, spans);
                made.known = Some(histogram);
            }
            (Err(reason), Adjusted::Chain { .. }) => log::error!("the adjusted picture cannot be counted: {reason}"),
            (Ok(None), Adjusted::Chain { .. }) => {}
        }
    }

    /// Gives back the memory of adjusted pictures, which are large.
    pub fn release(&mut self) {
        self.made = None;
        self.processor = Processor::default();
        self.chain.iter_mut().for_each(Chain::release);
        self.pictures.iter_mut().for_each(PictureBuffers::release);
    }

    /// Bytes of adjusted pictures on the adapter.
    pub fn bytes(&self) -> u64 {
        self.chain.as_ref().map_or(0, Chain::bytes) + self.pictures.as_ref().map_or(0, PictureBuffers::bytes)
    }

    /// The passes that hold the adjusted picture's bins, if it is that of this loading and these adjustments.
    pub fn passes(&self) -> Option<&HistogramPasses> {
        self.passes.as_ref().filter(|_| self.made.is_some())
    }

    /// Whether the picture of that loading is there, with these adjustments.
    pub fn has(&self, loading: u64, adjustments: &Adjustments) -> bool {
        let is = |made: &MadeAdjusted| made.key.loading == loading && made.key.adjustments == *adjustments;
        self.made.as_ref().is_some_and(is)
    }

    /// Whether its bins lie in the bin buffer.
    pub fn is_counted(&self) -> bool {
        self.made.as_ref().is_some_and(|made| made.count == Count::Done)
    }

    /// Its bins, where the CPU counted them.
    pub fn known(&self) -> Option<&Histogram> {
        self.made.as_ref().and_then(|made| made.known.as_ref())
    }

    /// What the adapter draws it from; `None` where only the CPU has it.
    pub fn bound(&self) -> Option<(&wgpu::BindGroup, PixelLayout)> {
        match &self.made.as_ref()?.result {
            Adjusted::Chain { .. } => {
                self.chain.as_ref().and_then(Chain::result).map(|working| (&working.bind_group, working.layout()))
            }
            Adjusted::Uploaded(picture) => Some((self.pictures.as_ref()?.bind_group()?, *picture.layout())),
            Adjusted::Here(_) => None,
        }
    }

    /// The picture for the CPU to paint; `None` where only the adapter has it.
    pub fn picture(&self) -> Option<&Picture> {
        match &self.made.as_ref()?.result {
            Adjusted::Chain { .. } => None,
            Adjusted::Uploaded(picture) | Adjusted::Here(picture) => Some(picture),
        }
    }

    /// Where the thresholds of its classes are.
    pub fn thresholds(&self) -> Thresholds<'_> {
        let Some(made) = &self.made else { return Thresholds::None };
        if !matches!(made.key.adjustments.reduction, Some(Reduction::Otsu(_))) {
            return Thresholds::None;
        }
        match (&made.result, &self.chain) {
            (Adjusted::Chain { .. }, Some(chain)) => Thresholds::There(chain.thresholds()),
            _ => self.processor.thresholds().map_or(Thresholds::None, Thresholds::Here),
        }
    }
}

/// Where thresholds are.
pub enum Thresholds<'a> {
    /// Nowhere: no threshold is among the adjustments.
    None,
    /// Here.
    Here([u32; 4]),
    /// On the adapter.
    There(&'a wgpu::Buffer),
}

const RESULT_SPANS: [Timed; 3] = [Timed::ResultChunk, Timed::ResultReduce, Timed::ResultScale];

impl Making<'_> {
    fn dispatch(&mut self, chain: &Chain, group: &wgpu::BindGroup) {
        self.recorded.push(if chain.counts_result() { "adjust and count" } else { "adjust" });
        let spans = self.timing.as_mut().and_then(|timing| timing.begin(&[Timed::Adjust]));
        compute_pass(self.encoder, "adjust", spans, |pass| chain.dispatch(pass, group));
        self.note(|times| &mut times.cpu_adjust, None);
    }

    /// Notes a time on the CPU's clock.
    pub fn note(
        &mut self,
        which: impl Fn(&mut crate::gpu::live::PassTimes) -> &mut Option<Duration>,
        time: Option<Duration>,
    ) {
        if let Some(timing) = &mut self.timing {
            *which(&mut timing.times) = time;
        }
    }
}
