//! The interface of a backend, which counts and adjusts pictures and draws them on a view.
//!
//! There are two backends: the [graphics adapter](super::adapter), whose shaders read planes in its own memory, and the
//! [CPU](super::cpu), for machines whose only adapter is software and for pictures that the adapter cannot hold. Their counts
//! are identical. A view painted by the CPU may differ from the adapter's by one code, and by more if it is smaller than half
//! the picture, because the CPU then averages fewer samples. Methods that only one backend supports do nothing by default.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use histoscope_core::adjust::Adjustments;
use histoscope_core::adjust::difference::{Extent, Gain};
use histoscope_core::histogram::{CHANNELS, Components, Cumulative, Histogram, LightTable};
use histoscope_core::picture::color::Conversion;
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::{OutOfRange, Picture};
use histoscope_core::scopes::{Chroma, PerScope, ScopeChoice};
use histoscope_core::tone_map::{SourceLight, ToneTables};

use crate::cpu::SelectionChoice;
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

/// One of the pictures that a backend holds.
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

/// The loaded picture.
#[derive(Debug)]
pub struct Loaded {
    pub picture: Picture,
    pub shape: Shape,
    pub components: Components,
    /// The region to count; `None` for the whole picture.
    pub region: Option<Rect>,
    /// The light of its codes.
    pub light: SourceLight,
    /// The frame that the picture belongs to, if any.
    pub tag: Option<FrameTag>,
    /// The number of this load.
    pub load_id: u64,
    /// Its bins, if the caller already knows them.
    pub given: Option<Histogram>,
    /// `true` if its bins are ready to be drawn.
    pub is_counted: bool,
}

impl Loaded {
    /// Returns the series that the picture belongs to.
    pub fn series(&self) -> Series {
        let Shape { width, height, .. } = self.shape;
        let video = self.tag.map(|tag| tag.video).unwrap_or_default();
        Series { video, size: (width, height), rect: self.rect(), bits: self.bits(), components: self.components }
    }

    /// Returns the part of the picture that is counted.
    pub fn rect(&self) -> Rect {
        self.region.unwrap_or(Rect::whole(self.picture.width(), self.picture.height()))
    }

    /// Returns the bits per code.
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
    /// Seconds since the previous picture; `None` if this one does not follow it.
    pub elapsed_secs: Option<f64>,
    /// `true` if all of the source's red, green, blue and luminance has been counted.
    pub counts_source: bool,
    /// `true` if all of the result will be counted.
    pub counts_result: bool,
}

/// Two pictures to subtract from each other.
#[derive(Debug, Clone, Copy)]
pub struct DifferenceJob {
    /// The live picture and the other one.
    pub images: [Image; 2],
    pub extents: [Extent; 2],
    pub gain: Gain,
}

/// Identifies the counts of a picture: the number of the load, the revision of the adjustments, and the picture that is
/// counted.
pub type CountedKey = (u64, u64, Counted);

/// The picture that scopes, brushes and linear light are counted from: the one whose bins are drawn as filled bars.
#[derive(Debug, Clone, Copy)]
pub struct CountSubject {
    pub key: CountedKey,
    pub image: Image,
    /// The picture as input of the passes.
    pub input: InputPicture,
    /// The series that it belongs to, including the part that is counted.
    pub series: Series,
    /// Its colour differences; `None` if it has no colour.
    pub chroma: Option<Chroma>,
}

/// A picture drawn on a range of the view's columns.
#[derive(Debug, Clone)]
pub struct ViewPart {
    pub image: Image,
    /// The columns; never empty.
    pub columns: Range<u32>,
    pub placement: Placement,
    /// The brush's lighting, if there is a brush.
    pub lighting: Option<Lighting>,
    /// `true` if the scopes' brushes have selected the lit pixels individually.
    pub is_selected: bool,
    /// The picture whose codes decide which pixels are lit, if it is not `image`.
    pub lit_by: Option<Image>,
    /// Exposure marks for its own codes, if any.
    pub inspection: Option<Inspection>,
    /// The codes to write in its pixels, if any.
    pub codes: Option<Codes>,
    /// The tone mapping of its colours, if they are not shown as coded.
    pub tone: Option<Arc<ToneTables>>,
}

impl ViewPart {
    /// Returns the same part for a view of another size, without exposure marks and codes; `None` if no column is left.
    #[must_use]
    pub fn resized(&self, to: (u32, u32)) -> Option<Self> {
        let from = self.placement.view.0;
        let column = |at: u32| (u64::from(at) * u64::from(to.0) / u64::from(from.max(1))) as u32;
        let columns = column(self.columns.start)..column(self.columns.end);
        let placement = self.placement.resized(to);
        (!columns.is_empty()).then(|| Self { columns, placement, inspection: None, codes: None, ..self.clone() })
    }

    /// Returns the picture whose codes decide which pixels are lit.
    pub fn decisive(&self) -> Image {
        self.lit_by.unwrap_or(self.image)
    }
}

/// A request for the figures of the bins that are drawn as filled bars.
#[derive(Debug, Clone, Copy)]
pub struct FigureQuestion {
    pub image: Image,
    /// `true` if the bins are ready.
    pub is_counted: bool,
    pub tag: FrameTag,
    /// The number of the load, and the revision of its adjustments and counts.
    pub of: (u64, u64),
    pub series: Series,
    pub conversion: Conversion,
    /// `true` to count the pixels outside the limits of EBU R 103.
    pub limits: bool,
    /// The brush whose selected pixels to count.
    pub brush: Option<Brush>,
    /// Samples that were out of range before they became codes.
    pub clamped: OutOfRange,
}

/// A request for part of a scope's counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeQuestion {
    /// A column of each channel's waveform, one count per level.
    Column([u32; CHANNELS]),
    /// One level of Cb in the vectorscope, one count per level of Cr.
    Cb(u32),
}

/// The answer to a [`ScopeQuestion`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeAnswer {
    /// The request.
    pub question: ScopeQuestion,
    /// The counts; those of waveform columns follow each other channel by channel.
    pub counts: Vec<u32>,
}

impl ScopeAnswer {
    /// Returns the count of a level of a waveform channel, or of a level of Cr in the vectorscope, which only has channel 0.
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

/// The counts of each scope; `None` for a scope that was not counted.
pub type ScopeSources<'a> = PerScope<Option<CountSource<'a>>>;

/// Counts, adjusts and paints. Recorded work runs once it is submitted.
pub trait Backend: fmt::Debug {
    /// Loads a picture. Returns how long the copy took, if there was one.
    ///
    /// # Errors
    /// [`GpuError`] if it cannot hold or count such a picture.
    fn load(&mut self, gpu: &Gpu, loaded: &Loaded) -> Result<Option<Duration>, GpuError>;

    /// Loads the picture that the loaded one is compared with.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    fn load_comparison(&mut self, recording: &mut Recording<'_>, picture: &Picture) -> Result<(), GpuError>;

    /// Counts the source or the result and prepares the bins for drawing.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    fn count(&mut self, recording: &mut Recording<'_>, loaded: &Loaded, image: Image) -> Result<(), GpuError>;

    /// Adjusts a picture. Returns `false` if that failed; the picture is then shown unadjusted.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    fn adjust(&mut self, recording: &mut Recording<'_>, job: &AdjustJob<'_>) -> Result<bool, GpuError>;

    /// Frees the memory of an adjusted picture.
    fn release_adjusted(&mut self, slot: Slot);

    /// Computes the difference of two pictures. Returns `false` if that failed.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    fn find_difference(&mut self, recording: &mut Recording<'_>, job: &DifferenceJob) -> Result<bool, GpuError>;

    /// Frees the memory of the difference.
    fn release_difference(&mut self);

    /// Counts the luminance in linear light.
    fn count_linear(&mut self, recording: &mut Recording<'_>, subject: &CountSubject, table: &LightTable);

    /// Returns the bins of linear light, preceded by those of three empty channels.
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

    /// Returns the counts of the scopes; `key` identifies them.
    fn scope_counts<'a>(&'a self, key: &'a CountKey) -> ScopeSources<'a>;

    /// Returns the requested counts of a scope once they are available. Never blocks.
    fn ask_scope(&mut self, gpu: &Gpu, of: (&CountKey, &CountSubject), question: ScopeQuestion) -> Option<ScopeAnswer>;

    /// Frees the memory of the scopes' counts.
    fn release_scopes(&mut self);

    /// Finds the pixels that brushes select, and makes the requested counts of them.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    fn select(
        &mut self,
        recording: &mut Recording<'_>,
        subject: &CountSubject,
        selection: &Selection,
        wanted: SelectionChoice,
    ) -> Result<(), GpuError>;

    /// Returns the bins of the selected pixels.
    fn selected_bars(&self) -> Option<Bars<'_>>;

    /// Returns the scopes' counts of the selected pixels.
    fn selected_counts<'a>(&'a self, key: &'a CountKey) -> ScopeSources<'a>;

    /// Returns the number of selected pixels once it is available. Never blocks.
    fn ask_selected(&mut self, gpu: &Gpu, of: (&CountKey, &CountSubject)) -> Option<u32>;

    /// Frees the memory of the selection.
    fn release_selection(&mut self);

    /// Returns the bins of the source or the result, with their scales.
    fn bars(&self, image: Image) -> Option<Bars<'_>>;

    /// Reads the bins of the source or the result. Blocks until they are available.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device fails.
    fn read_bins(&self, gpu: &Gpu, loaded: &Loaded, image: Image) -> Result<Histogram, GpuError>;

    /// Returns the newest thresholds of a picture of this series.
    fn thresholds(&self, series: Option<Series>) -> Option<[u32; 4]>;

    /// Paints the parts of a view with overlays over them, or prepares to draw them. Returns `true` if the view has been
    /// painted.
    fn paint(
        &mut self,
        recording: &mut Recording<'_>,
        view: &Texture,
        parts: &[ViewPart],
        overlays: &[Overlay],
    ) -> bool;

    /// Draws these parts as the small picture that the backdrop is blurred from.
    fn paint_small(&mut self, recording: &mut Recording<'_>, backdrop: &BackdropPass, parts: &[ViewPart]);

    /// Must be called after the recorded commands are submitted.
    fn submitted(&mut self);

    // Only the CPU has pictures and figures available immediately, and paints overlays with a picture.

    /// Returns the picture if it is in the CPU's memory.
    fn picture(&self, _image: Image) -> Option<&Picture> {
        None
    }

    /// Returns figures immediately if the backend has them.
    fn figures(&mut self, _question: &FigureQuestion) -> Option<Cumulative> {
        None
    }

    /// Returns the overlays, ready to be painted with the parts of a view; `None` if the adapter draws them.
    fn overlays(&self, _shown: &OverlayContent, _of: (Image, &Scene), _view: &Texture) -> Option<Vec<Overlay>> {
        None
    }

    // Only the adapter draws in the render pass of a view, and reads its figures back a few draws later.

    /// Draws the parts that were not painted.
    fn draw(&self, _pass: &mut RenderPass<'_>, _parts: &[ViewPart], _height: u32) {}

    /// Bytes of adjusted pictures in the adapter's memory.
    fn adjusted_bytes(&self) -> u64 {
        0
    }

    /// Requests figures that are not available immediately. Returns `true` if they are now in flight.
    fn send_figures(&mut self, _gpu: &Gpu, _encoder: &mut CommandEncoder, _question: &FigureQuestion) -> bool {
        false
    }

    /// Returns `true` if the answer to this request is in flight.
    fn is_answering(&self, _question: &FigureQuestion) -> bool {
        false
    }

    /// Returns `true` if any figures are in flight.
    fn has_figures_in_flight(&self) -> bool {
        false
    }

    /// Takes figures that have been read back. Figures of the loaded picture from before its current revision are dropped.
    fn poll_figures(
        &mut self,
        _gpu: &Gpu,
        _series: Option<Series>,
        _now: (u64, u64),
    ) -> Option<(FrameTag, Cumulative)> {
        None
    }

    /// Requests the thresholds of the result, if it has some and they are not available yet.
    fn send_thresholds(&mut self, _encoder: &mut CommandEncoder, _series: Option<Series>) {}

    /// Takes thresholds that have been read back. Returns `true` if newer ones should be requested.
    fn poll_thresholds(&mut self, _gpu: &Gpu, _series: Option<Series>) -> bool {
        false
    }

    /// Takes counts of scopes and selections that have been read back.
    fn poll_scopes(&mut self, _gpu: &Gpu, _series: Option<Series>) -> FiguresState {
        FiguresState::Settled
    }
}
