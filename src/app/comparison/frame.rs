//! A frame to compare with.

use std::sync::Arc;

use histoscope_core::adjust::Adjustments;
use histoscope_core::histogram::{Components, Cumulative, Histogram};
use histoscope_core::picture::Frame;
use histoscope_core::picture::region::Rect;
use histoscope_core::text::time_text;
use histoscope_render::engine::{Counter, Engine, EngineError};
use histoscope_render::view::region;
use histoscope_render::view::scene::{Counted, Scene};

/// A frame to compare with, and what was counted of it.
#[derive(Debug)]
pub struct ComparedFrame {
    /// Its file and its time.
    pub title: String,
    /// The same, and what of it was counted.
    pub name: String,
    /// The frame, read as it was then.
    pub frame: Frame,
    /// Of the components that were counted.
    pub(super) rgbl: Option<ComparedBins>,
    /// Of a picture that has coded components.
    pub(super) coded: Option<ComparedBins>,
    pub(super) partner: Partner,
}

/// Which frames of the video a reference is compared with by numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Partner {
    /// Every one.
    Any,
    /// The one of this time in seconds, which it belongs to.
    At(f64),
    /// None: the frame that belongs to the one on screen has yet to come.
    Awaited,
}

impl Partner {
    pub(super) fn is(self, secs: f64) -> bool {
        match self {
            Self::Any => true,
            Self::At(own) => own == secs,
            Self::Awaited => false,
        }
    }
}

/// Bins, and their sums.
#[derive(Debug)]
pub struct ComparedBins {
    pub(super) histogram: Arc<Histogram>,
    pub(super) sums: Arc<Cumulative>,
}

impl ComparedBins {
    fn of(histogram: Histogram) -> Self {
        Self { sums: Arc::new(histogram.cumulative()), histogram: Arc::new(histogram) }
    }
}

impl ComparedFrame {
    /// Holds a frame of a file: counts what the histograms show filled, by whoever counts here, and the coded components.
    ///
    /// # Errors
    /// [`EngineError`] if the adapter fails.
    pub fn new(
        engine: &Engine,
        file: &str,
        frame: Frame,
        (scene, region): (&Scene, Option<Rect>),
    ) -> Result<Self, EngineError> {
        let is_adjusted = scene.look.counted_in(Components::Rgbl) != Counted::Source;
        let adjustments = if is_adjusted { scene.look.adjustments } else { Adjustments::default() };
        let count = |components: &[Components], adjustments| count(engine, &frame, region, (components, adjustments));
        let mut kinds = vec![Components::Rgbl];
        kinds.extend(frame.picture.has_coded_components().then_some(Components::YCbCr));
        // Code values are those of the source, whatever is made of it.
        let mut bins = if is_adjusted {
            let mut bins = count(&kinds[..1], adjustments)?;
            bins.extend(count(&kinds[1..], Adjustments::default())?);
            bins.into_iter()
        } else {
            count(&kinds, Adjustments::default())?.into_iter()
        };
        let (rgbl, coded) = (bins.next().ok_or(EngineError::Uncounted)?, bins.next());
        let part = region.map(|rect| format!(", region {}", region::text(rect)));
        let made = is_adjusted.then(|| format!(", {adjustments}"));
        let title = format!("{file} {}", time_text(frame.time_secs));
        let name = [Some(title.clone()), part, made].into_iter().flatten().collect();
        Ok(Self { title, name, frame, rgbl: Some(rgbl), coded, partner: Partner::Any })
    }

    /// The frame of a clip that plays in step, of which these components were counted, and the frame that it belongs to.
    #[must_use]
    pub fn in_step(title: String, frame: Frame, histogram: Option<Histogram>, partner: Partner) -> Self {
        let components = histogram.as_ref().map(|histogram| histogram.components);
        let bins = histogram.map(ComparedBins::of);
        let (rgbl, coded) = if components == Some(Components::YCbCr) { (None, bins) } else { (bins, None) };
        Self { name: title.clone(), title, frame, rgbl, coded, partner }
    }

    pub(super) fn bins(&self, components: Components) -> Option<&ComparedBins> {
        match components {
            Components::Rgbl => self.rgbl.as_ref(),
            Components::YCbCr => self.coded.as_ref(),
        }
    }

    /// Returns the histogram of these components; `None` where the picture has none.
    #[must_use]
    pub fn histogram(&self, components: Components) -> Option<&Arc<Histogram>> {
        Some(&self.bins(components)?.histogram)
    }

    /// The same, summed up.
    #[must_use]
    pub fn sums(&self, components: Components) -> Option<&Cumulative> {
        Some(&self.bins(components)?.sums)
    }
}

/// The bins of each of these components; all of them, or an error.
fn count(
    engine: &Engine,
    frame: &Frame,
    region: Option<Rect>,
    (components, adjustments): (&[Components], Adjustments),
) -> Result<Vec<ComparedBins>, EngineError> {
    if components.is_empty() {
        return Ok(Vec::new());
    }
    let mut counter = Counter::new(engine, components, adjustments);
    counter.submit(&frame.picture, region)?;
    let histograms = counter.take()?.map(|counts| counts.histograms).filter(|all| all.len() == components.len());
    Ok(histograms.ok_or(EngineError::Uncounted)?.into_iter().map(ComparedBins::of).collect())
}
