//! Counting in the background: on the window's adapter if that counts, otherwise on threads that run only when no others
//! want to.

use std::sync::Arc;

use super::background::own_pool;
use histoscope_core::adjust::Adjustments;
use histoscope_core::histogram::{Components, Histogram, LightCounts, LightFigures, LightMeter, LightScale};
use histoscope_core::picture::Frame;
use histoscope_core::picture::region::Rect;
use histoscope_core::tone_map::SourceLight;
use histoscope_render::cpu;
use histoscope_render::engine::{BackendKind, Counter, Engine, EngineError, Submission};

/// Counts frames. What the CPU counts, it counts on threads with the priority of the thread that creates this.
pub struct StripCounter {
    /// `None` if the CPU counts.
    on_adapter: Option<Counter>,
    engine: cpu::Engine,
    /// The meter of the last frame whose light the CPU measured.
    meter: Option<Arc<LightMeter>>,
    /// `None` if the system provides no threads; then rayon's global pool, shared with the window, counts.
    pool: Option<rayon::ThreadPool>,
}

/// The bins of a frame, and its light if that was asked for.
type FrameCounts = (Histogram, Option<LightCounts>);

impl StripCounter {
    /// Creates a counter that counts where `engine` does, or on its own threads, one per core.
    pub fn new(engine: &Engine) -> Self {
        let counter = || Counter::new(engine, &[Components::Rgbl], Adjustments::default()).with_light(true);
        let on_adapter = (engine.backend() == BackendKind::Adapter).then(counter);
        // Zero means the default number for rayon.
        Self { on_adapter, ..Self::with_threads(0) }
    }

    /// Creates a counter with that number of its own threads.
    pub fn with_threads(threads: usize) -> Self {
        let pool = own_pool("histoscope-strip", threads);
        Self { on_adapter: None, engine: cpu::Engine::new(), meter: None, pool }
    }

    /// Counts the bins of a frame.
    pub fn count(&mut self, frame: &Frame) -> Histogram {
        self.count_all(frame, None).0
    }

    /// Counts the bins of a frame, and measures its light if that is known: in PQ and HLG.
    pub fn count_with_light(&mut self, frame: &Frame) -> (Histogram, Option<LightFigures>) {
        let (histogram, light) = self.count_all(frame, SourceLight::of(&frame.source).scale());
        (histogram, light.and_then(|light| light.figures(None)))
    }

    fn count_all(&mut self, frame: &Frame, scale: Option<LightScale>) -> FrameCounts {
        match self.count_on_adapter(frame, scale) {
            Ok(Some(counts)) => return counts,
            Ok(None) => {}
            Err(error) => {
                log::debug!("strip: the CPU counts from here on: {error}");
                self.on_adapter = None;
            }
        }
        let Self { engine, meter, pool, .. } = self;
        let mut count = || count_on_cpu(engine, meter, frame, scale);
        match pool {
            Some(pool) => pool.install(count),
            None => count(),
        }
    }

    fn count_on_adapter(
        &mut self,
        frame: &Frame,
        scale: Option<LightScale>,
    ) -> Result<Option<FrameCounts>, EngineError> {
        let Some(counter) = &mut self.on_adapter else { return Ok(None) };
        let (picture, light) = (&frame.picture, scale.map(|scale| (scale, false)));
        counter.submit(Submission { picture, region: None, source: SourceLight::default(), light, active: None })?;
        let counts = counter.take()?;
        Ok(counts.and_then(|mut counts| Some((counts.histograms.pop()?, counts.light))))
    }
}

fn count_on_cpu(
    engine: &mut cpu::Engine,
    meter: &mut Option<Arc<LightMeter>>,
    frame: &Frame,
    scale: Option<LightScale>,
) -> FrameCounts {
    let picture = &frame.picture;
    let histogram = engine.count(picture, Components::Rgbl).clone();
    let bits = picture.layout().bin_bits();
    let light = scale.and_then(|scale| {
        let known = meter.take().filter(|meter| (meter.scale(), meter.bits()) == (scale, bits));
        let meter = meter.insert(known.unwrap_or_else(|| Arc::new(LightMeter::new(scale, bits, false))));
        // The whole picture is a part of it.
        cpu::count_pixel_light(picture, Rect::whole(picture.width(), picture.height()), meter).ok()
    });
    (histogram, light)
}
