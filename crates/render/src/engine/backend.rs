//! The work that a backend does, whichever it is: it counts pictures, adjusts them, and brings them to a view.
//!
//! There are two: the [graphics adapter](super::adapter), whose shaders read planes in its own memory, and the [CPU](super::cpu), for
//! machines whose only adapter is software and for pictures that the adapter cannot hold. Counts are the same to the last one. The CPU's
//! pictures may differ from the adapter's by one code, and by more where a view is smaller than half the picture, which the CPU makes
//! from fewer samples. What only one of them does has a default that does nothing.

use std::fmt;
use std::ops::Range;
use std::time::Duration;

use histoscope_core::adjust::Adjustments;
use histoscope_core::adjust::difference::{Extent, Gain};
use histoscope_core::histogram::{CHANNELS, Components, Cumulative, Histogram, LightTable, Transfer};
use histoscope_core::picture::color::Conversion;
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::{OutOfRange, Picture};
use histoscope_core::scopes::{Chroma, PerScope, ScopeChoice};

use crate::cpu::BrushedChoice;
use crate::cpu::overlay::Overlay;
use crate::gpu::bins::Bars;
use crate::gpu::draw::BackdropPass;
use crate::gpu::draw::overlay::OverlayContent;
use crate::gpu::draw::scopes::{CountKey, CountSource};
use crate::gpu::params::InputPicture;
use crate::gpu::recording::Recording;
use crate::gpu::{Buffer, CommandEncoder, FiguresState, FrameTag, Gpu, GpuError, RenderPass, Series, Texture};
use crate::view::brush::Lighting;
use crate::view::brushes::Selection;
use crate::view::datascope::Codes;
use crate::view::exposure::Inspection;
use crate::view::placement::{Placement, Shape};
use crate::view::scene::{Brush, Counted, Scene};

/// One of the pictures that a backend has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Image {
    /// The loaded picture as it was decoded.
    Source,
    /// The loaded picture, adjusted.
    Result,
    /// The comparison as it was decoded.
    Comparison,
    /// The comparison, adjusted.
    AdjustedComparison,
    /// The difference of two of them.
    Difference,
}

/// One of the pictures that a backend is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// The loaded picture.
    Loaded,
    /// The comparison.
    Comparison,
}

/// The picture that is loaded.
#[derive(Debug)]
pub struct Loaded {
    pub picture: Picture,
    pub shape: Shape,
    pub components: Components,
    /// The part of it that is counted alone, if one is.
    pub region: Option<Rect>,
    /// How its codes become light.
    pub transfer: Transfer,
    /// The frame that it is of, where it is one.
    pub tag: Option<FrameTag>,
    /// The number of this loading.
    pub loading: u64,
    /// Its bins, where the caller knows them.
    pub given: Option<Histogram>,
    /// `true` if its bins are ready to be drawn.
    pub is_counted: bool,
}

impl Loaded {
    /// The series that the picture is of.
    pub fn series(&self) -> Series {
        let Shape { width, height, .. } = self.shape;
        let video = self.tag.map(|tag| tag.video).unwrap_or_default();
        Series { video, size: (width, height), rect: self.rect(), bits: self.bits(), components: self.components }
    }

    /// The part of the picture that is counted.
    pub fn rect(&self) -> Rect {
        self.region.unwrap_or(Rect::whole(self.picture.width(), self.picture.height()))
    }

    /// Bits of a code.
    pub const fn bits(&self) -> u32 {
        self.picture.layout().bin_bits()
    }
}

/// A picture to be adjusted.
#[derive(Debug)]
pub struct AdjustJob<'a> {
    pub slot: Slot,
    pub picture: &'a Picture,
    /// The series of the loaded picture.
    pub series: Series,
    pub adjustments: Adjustments,
    /// Seconds since the picture before; `None` where it does not follow that.
    pub elapsed_secs: Option<f64>,
    /// `true` if all of the source's red, green, blue and luminance has been counted.
    pub counts_source: bool,
    /// `true` if all of the result is going to be counted.
    pub counts_result: bool,
}

/// Two pictures whose difference is to be found.
#[derive(Debug, Clone, Copy)]
pub struct DifferenceJob {
    /// The live picture and the other one.
    pub images: [Image; 2],
    pub extents: [Extent; 2],
    pub gain: Gain,
}

/// The key of what was counted of a picture: the loading, the choice of what is adjusted, and which picture is counted.
pub type CountedKey = (u64, u64, Counted);

/// The picture that scopes, brushes and linear light are counted of: the one whose bins are drawn as filled bars.
#[derive(Debug, Clone, Copy)]
pub struct CountSubject {
    pub key: CountedKey,
    pub image: Image,
    /// The picture, as passes take it.
    pub input: InputPicture,
    /// The series that it is of, with the part of it that is counted.
    pub series: Series,
    /// Its colour differences; `None` without colour.
    pub chroma: Option<Chroma>,
}

/// A picture on some columns of the view.
#[derive(Debug, Clone)]
pub struct ViewPart {
    pub image: Image,
    /// The columns, at least one.
    pub columns: Range<u32>,
    pub placement: Placement,
    /// The light of a brush, if there is one.
    pub lighting: Option<Lighting>,
    /// `true` if the scopes' brushes have selected the lit pixels one by one.
    pub is_selected: bool,
    /// The picture whose codes decide what is lit, where that is another one.
    pub lit_by: Option<Image>,
    /// The exposure marks of its own codes, if there are any.
    pub inspection: Option<Inspection>,
    /// Which of its codes are written in its pixels, if any are.
    pub codes: Option<Codes>,
}

impl ViewPart {
    /// The same on a view of another size, without exposure marks and codes; `None` where no column is left.
    #[must_use]
    pub fn resized(&self, to: (u32, u32)) -> Option<Self> {
        let from = self.placement.view.0;
        let column = |at: u32| (u64::from(at) * u64::from(to.0) / u64::from(from.max(1))) as u32;
        let columns = column(self.columns.start)..column(self.columns.end);
        let placement = self.placement.resized(to);
        (!columns.is_empty()).then(|| Self { columns, placement, inspection: None, codes: None, ..self.clone() })
    }

    /// The picture whose codes decide what is lit.
    pub fn decisive(&self) -> Image {
        self.lit_by.unwrap_or(self.image)
    }
}

/// A request for figures: those of the bins that are drawn as filled bars.
#[derive(Debug, Clone, Copy)]
pub struct FigureQuestion {
    pub image: Image,
    /// `true` if the bins are ready.
    pub is_counted: bool,
    pub tag: FrameTag,
    /// The number of the loading, and of the choice of what is adjusted and counted.
    pub of: (u64, u64),
    pub series: Series,
    pub conversion: Conversion,
    /// `true` if the pixels outside the limits of EBU R 103 are to be counted.
    pub limits: bool,
    /// The brush whose selected pixels are to be counted.
    pub brush: Option<Brush>,
    /// Samples that were out of range before they became codes.
    pub clamped: OutOfRange,
}

/// A request for some counts of a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeQuestion {
    /// Those of a column of each channel's waveform, one for each level.
    Column([u32; CHANNELS]),
    /// Those of a level of Cb in the vectorscope, one for each level of Cr.
    Cb(u32),
}

/// Counts that were asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeAnswer {
    /// The request.
    pub question: ScopeQuestion,
    /// The counts: of a column channel by channel.
    pub counts: Vec<u32>,
}

impl ScopeAnswer {
    /// Returns the count of a level: of a channel of the waveform, or of Cr in the vectorscope, whose only channel is the first.
    #[must_use]
    pub fn count(&self, channel: usize, level: u32) -> Option<u32> {
        let channels = match self.question {
            ScopeQuestion::Column(_) => CHANNELS,
            ScopeQuestion::Cb(_) => 1,
        };
        let levels = self.counts.chunks_exact(self.counts.len() / channels).nth(channel)?;
        levels.get(level as usize).copied()
    }
}

/// The counts of each scope; `None` where nothing was counted.
pub type ScopeSources<'a> = PerScope<Option<CountSource<'a>>>;

/// Counts, adjusts and paints. What is recorded happens when it is submitted.
pub trait Backend: fmt::Debug {
    /// Takes the loaded picture; how long copying it took, if it was copied.
    ///
    /// # Errors
    /// [`GpuError`] if it cannot hold or count such a picture.
    fn load(&mut self, gpu: &Gpu, loaded: &Loaded) -> Result<Option<Duration>, GpuError>;

    /// Takes the picture that the loaded one is compared with.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    fn load_comparison(&mut self, recording: &mut Recording<'_>, picture: &Picture) -> Result<(), GpuError>;

    /// Counts the source or the result and makes the bins ready to be drawn.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    fn count(&mut self, recording: &mut Recording<'_>, loaded: &Loaded, image: Image) -> Result<(), GpuError>;

    /// Adjusts a picture; false where that failed, and the picture is shown as it is.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    fn adjust(&mut self, recording: &mut Recording<'_>, job: &AdjustJob<'_>) -> Result<bool, GpuError>;

    /// Gives back the memory of an adjusted picture.
    fn release_adjusted(&mut self, slot: Slot);

    /// Finds the difference of two pictures; false where that failed.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    fn find_difference(&mut self, recording: &mut Recording<'_>, job: &DifferenceJob) -> Result<bool, GpuError>;

    /// Gives back the memory of the difference.
    fn release_difference(&mut self);

    /// Counts the luminance of linear light.
    fn count_linear(&mut self, recording: &mut Recording<'_>, subject: &CountSubject, table: &LightTable);

    /// The bins of linear light, behind those of three empty channels.
    fn linear_bins(&self) -> Option<&Buffer>;

    /// Counts these scopes.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    fn count_scopes(
        &mut self,
        recording: &mut Recording<'_>,
        subject: &CountSubject,
        wanted: ScopeChoice,
    ) -> Result<(), GpuError>;

    /// The counts of the scopes, which `key` tells apart from others.
    fn scope_counts<'a>(&'a self, key: &'a CountKey) -> ScopeSources<'a>;

    /// Returns the counts of a scope that are asked for, once they are there. Never waits.
    fn ask_scope(&mut self, gpu: &Gpu, of: (&CountKey, &CountSubject), question: ScopeQuestion) -> Option<ScopeAnswer>;

    /// Gives back the memory of the scopes' counts.
    fn release_scopes(&mut self);

    /// Finds the pixels that brushes select, and counts what is wanted of them.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    fn select(
        &mut self,
        recording: &mut Recording<'_>,
        subject: &CountSubject,
        selection: &Selection,
        wanted: BrushedChoice,
    ) -> Result<(), GpuError>;

    /// The bins of the selected pixels.
    fn selected_bars(&self) -> Option<Bars<'_>>;

    /// The counts of the scopes of the selected pixels.
    fn selected_counts<'a>(&'a self, key: &'a CountKey) -> ScopeSources<'a>;

    /// Returns the number of selected pixels, once it is there. Never waits.
    fn ask_selected(&mut self, gpu: &Gpu, of: (&CountKey, &CountSubject)) -> Option<u32>;

    /// Gives back the memory of the selection.
    fn release_selection(&mut self);

    /// The bins of the source or the result, with their scales.
    fn bars(&self, image: Image) -> Option<Bars<'_>>;

    /// Reads the bins of the source or the result; waits for them.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device fails.
    fn read_bins(&self, gpu: &Gpu, loaded: &Loaded, image: Image) -> Result<Histogram, GpuError>;

    /// The newest thresholds of a picture of that series.
    fn thresholds(&self, series: Option<Series>) -> Option<[u32; 4]>;

    /// Paints the parts of a view, with overlays over them, or gets ready to draw them; whether the view has them now.
    fn paint(
        &mut self,
        recording: &mut Recording<'_>,
        view: &Texture,
        parts: &[ViewPart],
        overlays: &[Overlay],
    ) -> bool;

    /// Makes the small picture of those parts that the backdrop is blurred from.
    fn paint_small(&mut self, recording: &mut Recording<'_>, backdrop: &BackdropPass, parts: &[ViewPart]);

    /// Must follow the submission of what was recorded.
    fn submitted(&mut self);

    // Only the CPU has pictures and figures at hand, and paints overlays with a picture.

    /// The picture, where it is not in the adapter's memory alone.
    fn picture(&self, _image: Image) -> Option<&Picture> {
        None
    }

    /// Returns figures at once, where they are at hand.
    fn figures(&mut self, _question: &FigureQuestion) -> Option<Cumulative> {
        None
    }

    /// The overlays, ready to be painted with the parts of a view; nothing where the adapter draws them.
    fn overlays(&self, _shown: &OverlayContent, _of: (Image, &Scene), _view: &Texture) -> Option<Vec<Overlay>> {
        None
    }

    // Only the adapter draws in the pass of a view, and has its figures come back some drawings later.

    /// Draws the parts that were not painted.
    fn draw(&self, _pass: &mut RenderPass<'_>, _parts: &[ViewPart], _height: u32) {}

    /// Bytes of adjusted pictures in the adapter's memory.
    fn adjusted_bytes(&self) -> u64 {
        0
    }

    /// Sends for figures that are not at hand; whether they are under way now.
    fn send_figures(&mut self, _gpu: &Gpu, _encoder: &mut CommandEncoder, _question: &FigureQuestion) -> bool {
        false
    }

    /// Returns `true` if the answer to this question is under way.
    fn is_answering(&self, _question: &FigureQuestion) -> bool {
        false
    }

    /// Returns `true` if any figures are under way.
    fn has_figures_under_way(&self) -> bool {
        false
    }

    /// Takes figures that have come back. Those of the loaded picture before its last choice are dropped.
    fn poll_figures(
        &mut self,
        _gpu: &Gpu,
        _series: Option<Series>,
        _now: (u64, u64),
    ) -> Option<(FrameTag, Cumulative)> {
        None
    }

    /// Sends for the thresholds of the result, where it has some and they are not there.
    fn send_thresholds(&mut self, _encoder: &mut CommandEncoder, _series: Option<Series>) {}

    /// Takes thresholds that have come back; whether newer ones can be sent for.
    fn poll_thresholds(&mut self, _gpu: &Gpu, _series: Option<Series>) -> bool {
        false
    }

    /// Takes counts of scopes and selections that have come back.
    fn poll_scopes(&mut self, _gpu: &Gpu, _series: Option<Series>) -> FiguresState {
        FiguresState::Settled
    }
}
