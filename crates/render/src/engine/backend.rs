//! The interface of a backend, which counts and adjusts pictures and draws them on a view.
//!
//! There are two backends: the [graphics adapter](super::adapter), whose shaders read planes in its own memory, and the
//! [CPU](super::cpu), for machines whose only adapter is software and for pictures that the adapter cannot hold. Their
//! counts are identical. A view painted by the CPU may differ from the adapter's by one code, and by more if it is
//! smaller than half the picture, because the CPU then averages fewer samples. Methods that only one backend supports
//! do nothing by default.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use histoscope_core::adjust::Adjustments;
use histoscope_core::adjust::difference::{Extent, Gain};
use histoscope_core::histogram::{CHANNELS, Components, Cumulative, Histogram, Transfer};
use histoscope_core::picture::color::Conversion;
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::{OutOfRange, Picture};
use histoscope_core::scopes::{Chroma, MAX_LEVEL_BITS, PerScope};
use histoscope_core::tone_map::{SourceLight, ToneTables};

use crate::cpu::overlay::Overlay;
use crate::gpu::bins::Bars;
use crate::gpu::draw::BackdropPass;
use crate::gpu::draw::overlay::OverlayContent;
use crate::gpu::draw::scopes::CountSource;
use crate::gpu::params::InputPicture;
use crate::gpu::recording::Recording;
use crate::gpu::{Buffer, CommandEncoder, FiguresState, FrameTag, Gpu, GpuError, RenderPass, Series, Texture};
use crate::view::brush::Lighting;
pub use crate::view::count::Image;
use crate::view::count::{Count, CountKey, CountKind, PictureKey};
use crate::view::datascope::Codes;
use crate::view::exposure::Inspection;
use crate::view::placement::{Placement, Shape};
use crate::view::scene::{Brush, Scene};

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

/// The picture that scopes, brushes and linear light are counted from: the one whose bins are drawn as filled bars.
#[derive(Debug, Clone, Copy)]
pub struct CountSubject {
    pub key: PictureKey,
    pub image: Image,
    /// The picture as input of the passes.
    pub input: InputPicture,
    /// The series that it belongs to, including the part that is counted.
    pub series: Series,
    /// Its colour differences; `None` if it has no colour.
    pub chroma: Option<Chroma>,
    /// The transfer function of its codes.
    pub transfer: Transfer,
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

/// A request for words of the counts of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountQuestion {
    /// A column of each channel's waveform, one count per level.
    Column([u32; CHANNELS]),
    /// One level of Cb in the vectorscope, one count per level of Cr.
    Cb(u32),
    /// The number of pixels that all brushes select.
    Selected,
    /// The luminance codes at which the second and later classes of the adjusted picture begin.
    Thresholds,
}

impl CountQuestion {
    /// The number of kinds.
    pub const KINDS: usize = 4;

    /// Returns the number of its kind. Answers of different kinds arrive independently of each other.
    pub const fn kind(&self) -> usize {
        match self {
            Self::Column(_) => 0,
            Self::Cb(_) => 1,
            Self::Selected => 2,
            Self::Thresholds => 3,
        }
    }

    /// Returns the most words in an answer.
    pub const fn max_words(&self) -> usize {
        match self {
            Self::Column(_) => CHANNELS << MAX_LEVEL_BITS,
            Self::Cb(_) => 1 << MAX_LEVEL_BITS,
            Self::Selected => 1,
            Self::Thresholds => 4,
        }
    }
}

/// The answer to a [`CountQuestion`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeAnswer {
    /// The request.
    pub question: CountQuestion,
    /// The counts; those of waveform columns follow each other channel by channel.
    pub counts: Vec<u32>,
}

impl ScopeAnswer {
    /// Returns the count of a level of a waveform channel, or of a level of Cr in the vectorscope, which only has
    /// channel 0.
    #[must_use]
    pub fn count(&self, channel: usize, level: u32) -> Option<u32> {
        let channels = if matches!(self.question, CountQuestion::Column(_)) { CHANNELS } else { 1 };
        let levels = self.counts.chunks_exact(self.counts.len() / channels).nth(channel)?;
        levels.get(level as usize).copied()
    }
}

/// The counts of each scope; `None` for a scope that was not counted.
pub type ScopeSources<'a> = PerScope<Option<CountSource<'a>>>;

/// A count in the memory that it is drawn from.
#[derive(Debug, Default)]
pub struct CountWords<'a> {
    /// The bins with their scales, of the picture or of the selected pixels.
    pub bars: Option<Bars<'a>>,
    /// The bins of linear light, preceded by those of three empty channels.
    pub linear: Option<&'a Buffer>,
    /// The scopes.
    pub scopes: ScopeSources<'a>,
}

/// Words of a count, and the key of the count.
pub type Answer = (CountKey, Vec<u32>);

/// A picture to load.
#[derive(Debug, Clone, Copy)]
pub enum Load<'a> {
    /// The picture that is counted.
    Loaded(&'a Loaded),
    /// The picture that it is compared with.
    Comparison(&'a Picture),
}

/// A picture to make from others.
#[derive(Debug)]
pub enum Job<'a> {
    /// An adjusted picture.
    Adjust(AdjustJob<'a>),
    /// A difference.
    Difference(DifferenceJob),
}

/// Something made whose memory is no longer needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Product {
    /// An adjusted picture.
    Adjusted(Slot),
    /// The difference.
    Difference,
    /// A count of this kind.
    Count(CountKind),
}

/// Counts, adjusts and paints. Recorded work runs once it is submitted.
pub trait Backend: fmt::Debug {
    /// Loads a picture. Returns how long the copy took, if there was one.
    ///
    /// # Errors
    /// [`GpuError`] if it cannot hold or count such a picture.
    fn load(&mut self, gpu: &Gpu, load: Load<'_>) -> Result<Option<Duration>, GpuError>;

    /// Makes a picture. Returns `false` if that failed; then, the picture that it is made from is shown.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    fn make(&mut self, recording: &mut Recording<'_>, job: &Job<'_>) -> Result<bool, GpuError>;

    /// Frees the memory of something made.
    fn release(&mut self, product: Product);

    /// Makes a count of a picture.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    fn count(&mut self, recording: &mut Recording<'_>, subject: &CountSubject, count: &Count) -> Result<(), GpuError>;

    /// Returns the last count of the key's kind, to be drawn; `key` identifies it.
    fn words<'a>(&'a self, key: &'a CountKey) -> CountWords<'a>;

    /// Returns the requested words of a count once they are available, with the key of the count that they belong to:
    /// until those of this one arrive, it may be one of an earlier picture of the series. Never blocks.
    fn ask(&mut self, gpu: &Gpu, of: (&CountKey, &CountSubject), question: CountQuestion) -> Option<Answer>;

    /// Reads the bins of the source or the result. Blocks until they are available.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device fails.
    fn read_bins(&self, gpu: &Gpu, loaded: &Loaded, image: Image) -> Result<Histogram, GpuError>;

    /// Paints the parts of a view with overlays over them, or prepares to draw them. Returns `true` if the view has
    /// been painted.
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

    /// Takes figures that have been read back. Figures of the loaded picture from before its current revision are
    /// dropped.
    fn poll_figures(
        &mut self,
        _gpu: &Gpu,
        _series: Option<Series>,
        _now: (u64, u64),
    ) -> Option<(FrameTag, Cumulative)> {
        None
    }

    /// Takes words of counts that have been read back.
    fn poll(&mut self, _gpu: &Gpu, _series: Option<Series>) -> FiguresState {
        FiguresState::Settled
    }
}
