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

/// A frame to compare with, and its counts.
#[derive(Debug)]
pub struct ComparedFrame {
    /// Its file and its time.
    pub title: String,
    /// The title, and the region and adjustments of the counts.
    pub name: String,
    /// The frame, with the interpretation that was in use.
    pub frame: Frame,
    /// The rectangle that was counted.
    pub(super) rect: Rect,
    /// `true` if the bins of R'G'B' and luminance are those of the adjusted picture.
    pub(super) is_adjusted: bool,
    /// The bins of R'G'B' and luminance, if they were counted.
    pub(super) rgbl: Option<ComparedBins>,
    /// The bins of the coded components, if the picture has any and they were counted.
    pub(super) coded: Option<ComparedBins>,
    pub(super) partner: Partner,
}

/// The frames of the video to which a reference is compared numerically.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Partner {
    /// Every frame.
    Any,
    /// The corresponding frame, which has this time in seconds.
    At(f64),
    /// No frame: the one that corresponds to the frame on screen has not arrived yet.
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

/// Bins, and their cumulative sums.
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
    /// Holds a frame of a file. Counts the bins that the histograms fill, with the current engine, and those of the
    /// coded components.
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
        // Code values are always those of the source.
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
        let rect = region.unwrap_or_else(|| whole(&frame));
        Ok(Self { title, name, frame, rect, is_adjusted, rgbl: Some(rgbl), coded, partner: Partner::Any })
    }

    /// Creates a frame of a clip that plays in step, with its histogram and the frame that it corresponds to.
    #[must_use]
    pub fn in_step(title: String, frame: Frame, histogram: Option<Histogram>, partner: Partner) -> Self {
        let components = histogram.as_ref().map(|histogram| histogram.components);
        let bins = histogram.map(ComparedBins::of);
        let (rgbl, coded) = if components == Some(Components::YCbCr) { (None, bins) } else { (bins, None) };
        let rect = whole(&frame);
        Self { name: title.clone(), title, frame, rect, is_adjusted: false, rgbl, coded, partner }
    }

    pub(super) fn bins(&self, components: Components) -> Option<&ComparedBins> {
        match components {
            Components::Rgbl => self.rgbl.as_ref(),
            Components::YCbCr => self.coded.as_ref(),
        }
    }

    /// Returns the histogram of these components, or `None` if they were not counted.
    #[must_use]
    pub fn histogram(&self, components: Components) -> Option<&Arc<Histogram>> {
        Some(&self.bins(components)?.histogram)
    }

    /// Returns the frame and the counted rectangle for the scopes of these components, or `None` if they were not
    /// counted or are those of the adjusted picture.
    #[must_use]
    pub fn scoped(&self, components: Components) -> Option<(&Frame, Rect)> {
        let is_source = components == Components::YCbCr || !self.is_adjusted;
        self.bins(components).filter(|_| is_source).map(|_| (&self.frame, self.rect))
    }

    /// Returns the cumulative sums of these components, or `None` if they were not counted.
    #[must_use]
    pub fn sums(&self, components: Components) -> Option<&Cumulative> {
        Some(&self.bins(components)?.sums)
    }
}

fn whole(frame: &Frame) -> Rect {
    Rect::whole(frame.picture.width(), frame.picture.height())
}

/// Counts the bins of each of these components. Fails unless all of them were counted.
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
    counter.submit_picture(&frame.picture, region)?;
    let histograms = counter.take()?.map(|counts| counts.histograms).filter(|all| all.len() == components.len());
    Ok(histograms.ok_or(EngineError::Uncounted)?.into_iter().map(ComparedBins::of).collect())
}
