//! What is loaded, and all that is made of it before it is drawn: bins and the adjusted picture.

use super::adjusting::{Adjusting, Making};
use super::beside::SecondPicture;
use super::difference::Differing;
use super::loaded::{Count, Loaded};
use crate::gpu::Gpu;
use crate::gpu::figures::{FrameTag, Series};
use crate::gpu::histogram::HistogramPasses;
use crate::gpu::live::Timed;
use crate::gpu::upload::PictureBuffers;
use crate::view::scene::{Counted, Scene};
use histoscope_core::adjust::{Adjustments, working_colorimetry};
use histoscope_core::histogram::{Components, Histogram};
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::Conversion;
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::picture::region::{self, Rect};

/// What of a scene decides which pictures are made and counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContentChoice {
    pub adjustments: Adjustments,
    pub counted: Counted,
}

impl ContentChoice {
    pub const fn of(scene: &Scene) -> Self {
        Self { adjustments: scene.adjustments, counted: scene.counted }
    }

    /// Which pictures are counted where these components are.
    pub fn counted_in(&self, components: Components) -> Counted {
        let Self { adjustments, counted } = *self;
        Scene { adjustments, counted, ..Scene::default() }.counted_in(components)
    }
}

/// The loaded picture with its planes, its bins and the picture that is made of it.
#[derive(Debug)]
pub struct LoadedContent {
    pub pictures: PictureBuffers,
    pub histogram: HistogramPasses,
    pub adjusting: Adjusting,
    /// What is shown with it in the place of its source.
    pub beside: Option<SecondPicture>,
    /// What it and the other one differ by.
    pub differing: Differing,
    pub loaded: Option<Loaded>,
    /// Pictures loaded so far.
    pub loadings: u64,
    /// Numbers given so far to pictures that are shown with it.
    pub besides: u64,
    /// What the last recording made and counted, and how often that has changed.
    pub choice: ContentChoice,
    pub revision: u64,
}

impl LoadedContent {
    pub fn new(gpu: &Gpu) -> Self {
        Self {
            pictures: PictureBuffers::default(),
            histogram: HistogramPasses::new(gpu),
            adjusting: Adjusting::default(),
            beside: None,
            differing: Differing::default(),
            loaded: None,
            loadings: 0,
            besides: 0,
            choice: ContentChoice::of(&Scene::default()),
            revision: 0,
        }
    }

    /// Notes what is adjusted and counted from now on; whether that is something else than before.
    pub fn choose(&mut self, choice: ContentChoice) -> bool {
        let is_new = self.choice != choice;
        self.choice = choice;
        self.revision += u64::from(is_new);
        is_new
    }

    /// Records the counting and adjusting that is still to do; whether a picture was adjusted.
    pub fn record(&mut self, making: &mut Making<'_>) -> bool {
        let Some(loaded) = &self.loaded else { return false };
        let counted = self.choice.counted_in(loaded.components);
        if counted != Counted::Result {
            self.count_source(making);
        }
        if self.choice.adjustments.is_off() {
            self.adjusting.release();
            making.note(|times| &mut times.cpu_adjust, None);
            return false;
        }
        let Self { pictures, histogram, adjusting, loaded: Some(loaded), choice, .. } = self else { return false };
        let is_made = adjusting.make(making, loaded, choice.adjustments, (pictures, histogram, Some(counted)));
        if !self.has_result() {
            self.count_source(making);
        } else if counted != Counted::Source
            && let Some(loaded) = &self.loaded
        {
            self.adjusting.count(making, loaded);
        }
        is_made
    }

    fn count_source(&mut self, making: &mut Making<'_>) {
        let Some(loaded) = self.loaded.as_mut().filter(|loaded| loaded.count == Count::Due) else { return };
        match (&loaded.known, self.pictures.bind_group()) {
            (Some(histogram), _) => {
                making.recorded.push("copy bins");
                let spans = making.timing.as_mut().and_then(|timing| timing.begin(&[Timed::Scale]));
                self.histogram.record_counted(making.gpu, making.encoder, histogram, spans);
            }
            (None, Some(group)) => {
                making.recorded.push("count");
                let passes = [Timed::Chunk, Timed::Reduce, Timed::Scale];
                let spans = making.timing.as_mut().and_then(|timing| timing.begin(&passes));
                self.histogram.record(making.encoder, group, spans);
            }
            (None, None) => {}
        }
        loaded.count = Count::Done;
    }

    /// The series that the loaded picture is of.
    pub fn series(&self) -> Option<Series> {
        self.loaded.as_ref().map(Loaded::series)
    }

    /// Whether the loaded picture's adjusted one is there.
    pub fn has_result(&self) -> bool {
        self.loaded.as_ref().is_some_and(|loaded| self.adjusting.has(loaded.loading, &self.choice.adjustments))
    }

    /// Which pictures' bins there are to draw.
    pub fn counted(&self) -> Counted {
        match &self.loaded {
            Some(loaded) if self.has_result() => self.choice.counted_in(loaded.components),
            _ => Counted::Source,
        }
    }

    /// The passes whose bins are shown filled, and those whose bins are outlines.
    pub fn passes(&self) -> (&HistogramPasses, Option<&HistogramPasses>) {
        match (self.counted(), self.adjusting.passes()) {
            (Counted::Result, Some(result)) => (result, None),
            (Counted::Both, Some(result)) => (result, Some(&self.histogram)),
            _ => (&self.histogram, None),
        }
    }

    /// Whether the bins that are shown filled are the adjusted picture's, or will be once it is there.
    fn counts_result(&self, loaded: &Loaded) -> bool {
        self.choice.counted_in(loaded.components) != Counted::Source
    }

    /// Whose the bins are that are shown filled.
    pub fn tag(&self, loaded: &Loaded) -> FrameTag {
        FrameTag {
            adjusted: self.counted() != Counted::Source,
            range: Some(loaded.range),
            region: loaded.region,
            ..loaded.tag.unwrap_or_default()
        }
    }

    /// The bins that are shown filled if the CPU counted them, known without asking the adapter.
    pub fn known(&self) -> Option<(FrameTag, &Histogram)> {
        let loaded = self.loaded.as_ref()?;
        let known = match self.counts_result(loaded) {
            true if self.has_result() => self.adjusting.known(),
            // It comes with the next drawing.
            true => None,
            false => loaded.known.as_ref(),
        };
        known.map(|histogram| (self.tag(loaded), histogram))
    }

    /// The pictures whose bins those are together: the parts of its region, or all of it.
    pub fn known_parts(&self) -> Option<Vec<Picture>> {
        let loaded = self.loaded.as_ref()?;
        let picture = if self.counts_result(loaded) { self.adjusting.picture()? } else { &loaded.picture };
        region::parts(picture, loaded.rect()).ok()
    }

    /// The picture whose bins are shown filled, where the adapter has it: what it is bound by, its layout, the part of it that is
    /// counted, and its conversion.
    pub fn bound(&self) -> Option<(&wgpu::BindGroup, PixelLayout, Rect, Conversion)> {
        let loaded = self.loaded.as_ref()?;
        let (group, layout, colorimetry) = if self.counts_result(loaded) {
            let (group, layout) = self.adjusting.bound()?;
            (group, layout, working_colorimetry())
        } else {
            (self.pictures.bind_group()?, *loaded.picture.layout(), *loaded.picture.colorimetry())
        };
        Some((group, layout, loaded.rect(), Conversion::new(&layout, &colorimetry)))
    }

    /// The loaded picture if the bins that are shown filled lie in their buffer, and only there.
    pub fn fetchable(&self) -> Option<&Loaded> {
        let loaded = self.loaded.as_ref()?;
        let is_fetchable = if self.counts_result(loaded) {
            self.has_result() && self.adjusting.is_counted() && self.adjusting.known().is_none()
        } else {
            loaded.count == Count::Done && loaded.known.is_none()
        };
        is_fetchable.then_some(loaded)
    }
}
