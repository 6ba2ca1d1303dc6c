//! Pictures and frames: native planes, their interpretation, and frame metadata.

mod pages;

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

pub use pages::{Attachment, Memory, Pages, SharedBlock, SharedHandle, SharedMemory};

use super::clamped::ClampedSamples;
use crate::picture::color::{Colorimetry, Conversion, Matrix, Origin, Sourced, UnreadableMatrix};
use crate::picture::crop::Cropping;
use crate::picture::layout::{ChromaLines, ChromaRows, ColorModel, LayoutError, PixelLayout};
use crate::picture::luminance::{LuminanceWeights, WeightsChoice};
use crate::picture::primaries::Primaries;
use crate::picture::stated_light::{FrameStatedLight, StatedLight};
use crate::picture::timecode::Timecode;
use crate::picture::transfer::Transfer;

/// The bytes of one plane.
#[derive(Debug, Clone, Copy)]
pub struct PlaneView<'a> {
    /// The bytes from the start of the first row. The last row may end right after its last sample.
    pub bytes: &'a [u8],
    /// Bytes from the start of one row to the next; at least the bytes that a row uses.
    pub stride: usize,
}

impl<'a> PlaneView<'a> {
    /// Returns the bytes that row `y` uses.
    #[inline]
    #[must_use]
    pub fn row(&self, y: usize, row_bytes: usize) -> &'a [u8] {
        &self.bytes[y * self.stride..][..row_bytes]
    }
}

/// The owner of a picture's planes: a decoder's buffer or plain vectors.
pub trait PlaneStore: Send + Sync {
    /// Returns the plane at `index`, or an empty view if there is no such plane.
    fn plane(&self, index: usize) -> PlaneView<'_>;

    /// Returns the number of bytes of a plane and its stride, without reading it.
    fn extent(&self, index: usize) -> (usize, usize) {
        let view = self.plane(index);
        (view.bytes.len(), view.stride)
    }

    /// Returns the address of the first plane, without reading it. It differs between pictures that exist at the same
    /// time.
    fn address(&self) -> usize {
        self.plane(0).bytes.as_ptr().addr()
    }

    /// Returns the memory of all planes if it consists of whole pages, which can be shared without a copy.
    fn pages(&self) -> Option<&Pages> {
        None
    }

    /// Returns where the planes are in the memory of a graphics device, if they are. Reading them as
    /// [planes](Self::plane) or [pages](Self::pages) then copies them first.
    fn resident(&self) -> Option<ResidentPlanes> {
        None
    }
}

/// The planes of a picture in the memory of a graphics device.
#[derive(Clone)]
pub struct ResidentPlanes {
    /// The memory, as its [owner](SharedMemory) knows it.
    pub memory: Attachment,
    /// Byte offset of each plane.
    pub offsets: [usize; 3],
}

/// Planes in vectors, for tests, benchmarks and pictures that had to be copied.
#[derive(Debug, Clone, Default)]
pub struct OwnedPlanes {
    /// Bytes and stride of each plane.
    pub planes: Vec<(Vec<u8>, usize)>,
}

impl PlaneStore for OwnedPlanes {
    fn plane(&self, index: usize) -> PlaneView<'_> {
        match self.planes.get(index) {
            Some((bytes, stride)) => PlaneView { bytes, stride: *stride },
            None => PlaneView { bytes: &[], stride: 0 },
        }
    }
}

/// An error for planes that do not form a valid picture.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PictureError {
    /// The picture has no pixels.
    #[error("the picture has no pixels ({width}×{height})")]
    Empty {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
    /// The picture is too large to be counted in 32 bits.
    #[error("the picture has too many pixels to count ({width}×{height})")]
    TooLarge {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
    /// The layout cannot be read.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// A plane is shorter than its rows.
    #[error("plane {plane} holds {actual} bytes where {needed} are needed (stride {stride})")]
    Plane {
        /// The plane's index.
        plane: usize,
        /// Bytes in the plane.
        actual: usize,
        /// Bytes that its rows need.
        needed: usize,
        /// Bytes from one row to the next.
        stride: usize,
    },
}

/// A picture: native planes and their interpretation. Clones share the planes.
#[derive(Clone)]
pub struct Picture {
    layout: PixelLayout,
    width: u32,
    height: u32,
    colorimetry: Colorimetry,
    /// The lines that share a chroma row; for a field, in the frame it was taken from.
    chroma_lines: Option<Sourced<ChromaLines>>,
    planes: Arc<dyn PlaneStore>,
    /// The picture as it was coded, if this one is the result of a conversion.
    coded: Option<Arc<Self>>,
    /// The floating-point samples that were clamped on conversion to codes.
    clamped: Option<Arc<ClampedSamples>>,
}

impl Picture {
    /// The maximum number of pixels, so that every count fits in 32 bits with room to spare.
    pub const MAX_PIXELS: u64 = 1 << 30;

    /// Creates a picture of `width` × `height` pixels.
    ///
    /// # Errors
    /// [`PictureError`] if a plane is too small, or if the picture has no pixels, too many, or an unreadable layout.
    pub fn new(
        layout: PixelLayout,
        (width, height): (u32, u32),
        colorimetry: Colorimetry,
        planes: Arc<dyn PlaneStore>,
    ) -> Result<Self, PictureError> {
        if width == 0 || height == 0 {
            return Err(PictureError::Empty { width, height });
        }
        if u64::from(width) * u64::from(height) > Self::MAX_PIXELS {
            return Err(PictureError::TooLarge { width, height });
        }
        layout.validate()?;
        for plane in 0..layout.plane_count() {
            let (row_bytes, rows) = layout.plane_size(plane, width, height);
            let (actual, stride) = planes.extent(plane);
            let needed = stride * rows.saturating_sub(1) + row_bytes;
            if actual < needed || (stride < row_bytes && rows > 1) {
                return Err(PictureError::Plane { plane, actual, needed, stride });
            }
        }
        let chroma_lines = layout.has_shared_lines().then(|| Sourced::guessed(layout.chroma_lines));
        Ok(Self { layout, width, height, colorimetry, chroma_lines, planes, coded: None, clamped: None })
    }

    /// Sets the clamped samples.
    #[must_use]
    pub fn with_clamped(self, clamped: Option<ClampedSamples>) -> Self {
        Self { clamped: clamped.map(Arc::new), ..self }
    }

    /// Returns the samples that were clamped on conversion to codes, if any.
    #[must_use]
    pub fn clamped(&self) -> Option<&ClampedSamples> {
        self.clamped.as_deref()
    }

    /// Returns the memory layout of the planes.
    #[must_use]
    pub const fn layout(&self) -> &PixelLayout {
        &self.layout
    }

    /// Returns the width in pixels.
    #[must_use]
    pub const fn width(&self) -> u32 {
        self.width
    }

    /// Returns the height in pixels.
    #[must_use]
    pub const fn height(&self) -> u32 {
        self.height
    }

    /// Returns width × height.
    #[must_use]
    pub const fn pixel_count(&self) -> u32 {
        self.width * self.height
    }

    /// Returns how the samples are interpreted as colour.
    #[must_use]
    pub const fn colorimetry(&self) -> &Colorimetry {
        &self.colorimetry
    }

    /// Marks the picture as converted from `coded`.
    #[must_use]
    pub(super) fn converted_from(self, coded: Self) -> Self {
        Self { coded: Some(Arc::new(coded)), ..self }
    }

    /// Returns the picture as decoded. This is `self`, unless it was converted because its matrix is not linear in the
    /// codes.
    #[must_use]
    pub fn decoded(&self) -> &Self {
        self.coded.as_deref().unwrap_or(self)
    }

    /// Returns the picture for counting R'G'B', or `None` if its matrix is unsupported.
    #[must_use]
    pub fn as_rgb(&self) -> Option<&Self> {
        self.unreadable_matrix().is_none().then_some(self)
    }

    /// Returns the picture for counting Y'CbCr or luma codes without conversion, or `None` if it is coded as R'G'B'.
    #[must_use]
    pub fn as_coded(&self) -> Option<&Self> {
        let decoded = self.decoded();
        let is_coded = decoded.layout.model != ColorModel::Rgb && decoded.colorimetry.matrix.value != Matrix::Identity;
        is_coded.then_some(decoded)
    }

    /// Returns `true` if the picture is coded as Y'CbCr or luma, not as R'G'B'.
    #[must_use]
    pub fn has_coded_components(&self) -> bool {
        self.as_coded().is_some()
    }

    /// Returns the matrix if it is unsupported and R'G'B' is therefore unavailable. Gray needs no matrix.
    #[must_use]
    pub fn unreadable_matrix(&self) -> Option<UnreadableMatrix> {
        match (self.layout.model, self.colorimetry.matrix.value) {
            (ColorModel::YCbCr, Matrix::Unreadable(matrix)) => Some(matrix),
            _ => None,
        }
    }

    /// Returns the decoded planes with a different interpretation as colour.
    #[must_use]
    pub fn with_colorimetry(&self, colorimetry: Colorimetry) -> Self {
        Self { colorimetry, ..self.decoded().clone() }
    }

    /// Returns the same picture with these weights of luminance.
    #[must_use]
    pub fn with_luminance(&self, luminance: LuminanceWeights) -> Self {
        Self {
            colorimetry: Colorimetry { luminance, ..self.colorimetry },
            coded: self.coded.as_ref().map(|coded| Arc::new(coded.with_luminance(luminance))),
            ..self.clone()
        }
    }

    /// Returns the decoded planes with chroma rows assigned to `lines`, if chroma has half as many rows as luma.
    #[must_use]
    pub fn with_chroma_lines(&self, lines: Sourced<ChromaLines>) -> Self {
        let decoded = self.decoded().clone();
        let chroma_lines = decoded.layout.has_shared_lines().then_some(lines);
        Self { layout: decoded.layout.with_chroma_lines(lines.value), chroma_lines, ..decoded }
    }

    /// Returns the lines that share a chroma row; for a field, in the frame it was taken from. Returns `None` unless
    /// chroma has half as many rows as luma.
    #[must_use]
    pub fn chroma_lines(&self) -> Option<Sourced<ChromaLines>> {
        self.decoded().chroma_lines
    }

    /// Records which lines share chroma rows in the frame that the picture was taken from.
    pub(super) fn out_of_frame(self, chroma_lines: Option<Sourced<ChromaLines>>) -> Self {
        Self { chroma_lines, ..self }
    }

    /// Returns the mapping from luma rows to chroma rows.
    #[must_use]
    pub const fn chroma_rows(&self) -> ChromaRows {
        self.layout.chroma_rows(self.height)
    }

    /// Returns the integer conversion to R'G'B' codes.
    #[must_use]
    pub fn conversion(&self) -> Conversion {
        Conversion::new(&self.layout, &self.colorimetry)
    }

    /// Returns the bytes of a plane.
    #[must_use]
    pub fn plane(&self, index: usize) -> PlaneView<'_> {
        self.planes.plane(index)
    }

    /// Returns the memory of all planes if it consists of whole pages, which can be shared without a copy. Anyone
    /// reading it must keep the picture alive.
    #[must_use]
    pub fn pages(&self) -> Option<&Pages> {
        self.planes.pages()
    }

    /// Returns the number of bytes of a plane and its stride, without reading it.
    #[must_use]
    pub fn extent(&self, index: usize) -> (usize, usize) {
        self.planes.extent(index)
    }

    /// Returns the number of bytes of all planes, without reading them.
    fn plane_bytes(&self) -> usize {
        (0..self.layout.plane_count()).map(|plane| self.extent(plane).0).sum()
    }

    /// Returns the address of the first plane, without reading it. It differs between pictures that exist at the same
    /// time.
    #[must_use]
    pub fn address(&self) -> usize {
        self.planes.address()
    }

    /// Returns where the planes are in the memory of a graphics device, if they are. Anyone reading it must keep the
    /// picture alive.
    #[must_use]
    pub fn resident(&self) -> Option<ResidentPlanes> {
        self.planes.resident()
    }

    /// Returns the n-bit code of `component` at (`x`, `y`) in that component's own sample grid.
    #[inline]
    #[must_use]
    pub fn code(&self, component: usize, x: u32, y: u32) -> u32 {
        let word = u32::from(self.word(component, x, y));
        (word >> self.layout.code_shift(component)) & ((1 << self.layout.bin_bits()) - 1)
    }

    /// Returns the sample of `component` at that position at its full depth, which may exceed the code's 12 bits.
    #[inline]
    #[must_use]
    pub fn sample(&self, component: usize, x: u32, y: u32) -> u16 {
        let word = u32::from(self.word(component, x, y)) >> self.layout.components[component].shift;
        (word & ((1 << self.layout.depth) - 1)) as u16
    }

    #[inline]
    fn word(&self, component: usize, x: u32, y: u32) -> u16 {
        let c = self.layout.components[component];
        let view = self.plane(usize::from(c.plane));
        let at = y as usize * view.stride + usize::from(c.offset) + x as usize * usize::from(c.step);
        match self.layout.sample_bytes {
            1 => u16::from(view.bytes[at]),
            _ => u16::from_le_bytes([view.bytes[at], view.bytes[at + 1]]),
        }
    }
}

impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Picture")
            .field("layout", &self.layout)
            .field("width", &self.width)
            .field("height", &self.height)
            .field("colorimetry", &self.colorimetry)
            .finish_non_exhaustive()
    }
}

/// The orientation for display: an optional mirroring, then clockwise turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Orientation {
    /// Clockwise quarter turns, 0 to 3.
    pub quarter_turns: u8,
    /// `true` if the picture is mirrored left to right before it is turned.
    pub mirrored: bool,
}

impl Orientation {
    /// Returns the column and row at which a pixel of the coded picture is displayed. The second argument is the width
    /// and height of the coded picture.
    #[must_use]
    pub const fn seen_at(self, (x, y): (u32, u32), (width, height): (u32, u32)) -> (u32, u32) {
        let x = if self.mirrored { (width - 1).saturating_sub(x) } else { x };
        let (right, bottom) = ((width - 1).saturating_sub(x), (height - 1).saturating_sub(y));
        match self.quarter_turns % 4 {
            0 => (x, y),
            1 => (bottom, x),
            2 => (right, bottom),
            _ => (y, right),
        }
    }
}

/// The scan of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scan {
    /// Progressive: all lines belong to the same instant.
    Progressive,
    /// Two fields, top field first.
    TopFirst,
    /// Two fields, bottom field first.
    BottomFirst,
    /// A single top field.
    TopField,
    /// A single bottom field.
    BottomField,
}

impl Scan {
    /// Returns `true` if the picture consists of two fields.
    #[must_use]
    pub const fn is_interlaced(self) -> bool {
        matches!(self, Self::TopFirst | Self::BottomFirst)
    }

    /// Converts the scan of a frame into that of a single field coded as a picture of its own.
    #[must_use]
    pub const fn of_single_field(self) -> Self {
        match self {
            Self::TopFirst => Self::TopField,
            Self::BottomFirst => Self::BottomField,
            other => other,
        }
    }

    /// Returns the name used in records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Progressive => "progressive",
            Self::TopFirst => "top_first",
            Self::BottomFirst => "bottom_first",
            Self::TopField => "top_field",
            Self::BottomField => "bottom_field",
        }
    }

    /// Returns the lines that share a chroma row in 4:2:0.
    #[must_use]
    pub const fn chroma_lines(self) -> ChromaLines {
        if self.is_interlaced() { ChromaLines::Field } else { ChromaLines::Frame }
    }
}

impl fmt::Display for Scan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Progressive => "progressive",
            Self::TopFirst => "interlaced, top field first",
            Self::BottomFirst => "interlaced, bottom field first",
            Self::TopField => "single top field",
            Self::BottomField => "single bottom field",
        })
    }
}

/// A field of an interlaced picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// The first line, and every second one after it.
    Top,
    /// The second line, and every second one after it.
    Bottom,
}

impl Field {
    /// Both fields.
    pub const BOTH: [Self; 2] = [Self::Top, Self::Bottom];

    /// Returns the name used on the command line, in records and in the window.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Top => "top",
            Self::Bottom => "bottom",
        }
    }

    /// Returns the index of the field's first line in the frame.
    #[must_use]
    pub const fn first_line(self) -> u32 {
        match self {
            Self::Top => 0,
            Self::Bottom => 1,
        }
    }

    /// Returns the number of the field's lines among the first `lines` lines of a frame.
    #[must_use]
    pub const fn lines_within(self, lines: u32) -> u32 {
        (lines + 1 - self.first_line()) / 2
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A ratio of two positive integers, such as a time base or a sample aspect ratio.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ratio {
    /// Numerator.
    pub num: u32,
    /// Denominator, never zero.
    pub den: u32,
}

impl Ratio {
    /// The ratio 1.
    pub const ONE: Self = Self { num: 1, den: 1 };

    /// Returns the ratio as a floating-point number.
    #[must_use]
    pub fn value(self) -> f64 {
        f64::from(self.num) / f64::from(self.den)
    }

    /// Returns `count` times the ratio, rounded once: 41 · 1/25 is 1.64, while 41 · 0.04 has an error in its last
    /// digit.
    #[must_use]
    pub fn times(self, count: i64) -> f64 {
        (i128::from(count) * i128::from(self.num)) as f64 / f64::from(self.den)
    }
}

/// The decoded format of a frame's pixels, before conversion to a [`Picture`], and their tags in the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SourceFormat {
    /// FFmpeg's name of the decoder's pixel format.
    pub pixel_format: String,
    /// FFmpeg's name of the format it had to be converted to; `None` if the planes are the decoder's own.
    pub converted_to: Option<String>,
    /// FFmpeg's name of the transfer function, if tagged.
    pub transfer: Option<&'static str>,
    /// FFmpeg's name of the colour primaries, if tagged.
    pub primaries: Option<&'static str>,
    /// The cropping stated by the codec and the container.
    pub cropping: Cropping,
    /// What the frame, or else the container, states about its light.
    pub stated_light: StatedLight,
    /// The peak in cd/m² of the display that HLG is read for; `None` for the usual one.
    pub hlg_peak: Option<u32>,
    /// The user's choice of the weights of luminance.
    pub luminance_weights: WeightsChoice,
}

impl SourceFormat {
    /// Returns the transfer function of the codes.
    #[must_use]
    pub fn transfer_function(&self) -> Transfer {
        Transfer::of_tag(self.transfer)
    }

    /// Returns the primaries, if they are tagged and known.
    #[must_use]
    pub fn tagged_primaries(&self) -> Option<Primaries> {
        self.primaries.and_then(Primaries::of_name)
    }

    /// Returns the weights of luminance of these pictures.
    #[must_use]
    pub fn luminance(&self) -> LuminanceWeights {
        let primaries = self.tagged_primaries().unwrap_or_else(|| Primaries::usual_with(self.transfer_function()));
        self.luminance_weights.weights(primaries)
    }
}

/// The identifier of an opened video. Opening a file twice gives two identifiers, because frames of both may have the
/// same time, number and serial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VideoId(u64);

impl VideoId {
    /// Returns a new, unique identifier. The default one is for pictures that belong to no video.
    #[must_use]
    pub fn next() -> Self {
        static GIVEN: AtomicU64 = AtomicU64::new(0);
        Self(GIVEN.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

/// A frame's metadata: its position in the video, and the properties reported by the file and the decoder.
#[derive(Debug, Clone, PartialEq)]
pub struct FrameFacts {
    /// Presentation timestamp in units of `time_base`; strictly increasing within one serial.
    pub pts_ticks: i64,
    /// The stream's time base, in seconds per tick.
    pub time_base: Ratio,
    /// Presentation time in seconds from the first frame of the video.
    pub time_secs: f64,
    /// Duration in seconds: as stated by the file, else the time to the next frame, else one frame at the stated rate.
    pub duration_secs: f64,
    /// Index in presentation order, counted from the video's first frame, if known.
    pub index: Option<u64>,
    /// The frame's timecode, if it has one.
    pub timecode: Option<Timecode>,
    /// Width of a pixel divided by its height.
    pub sample_aspect: Ratio,
    /// The orientation for display.
    pub orientation: Orientation,
    /// The scan, as tagged in the frame.
    pub scan: Scan,
    /// The field, if the picture is a single field of a frame.
    pub field: Option<Field>,
    /// `true` if decoding can start at this frame.
    pub key: bool,
    /// `true` if the decoder reported damage in this frame.
    pub damaged: bool,
    /// The letter of the picture's coding type (I, P, B, …), if the codec has one.
    pub picture_type: Option<char>,
    /// The format of the decoded pixels, shared between frames.
    pub source: Arc<SourceFormat>,
    /// The light that its dynamic metadata state, if it has any.
    pub dynamic_light: Option<FrameStatedLight>,
    /// Time at which the data of a live frame arrived; `None` if the source is not live.
    pub arrival: Option<SystemTime>,
}

/// A decoded frame: a picture and its metadata, which can be read as if it were the frame's own (`frame.time_secs`).
#[derive(Debug, Clone)]
pub struct Frame {
    /// The picture.
    pub picture: Picture,
    /// The metadata.
    pub facts: FrameFacts,
    /// The opened video that produced it.
    pub video: VideoId,
    /// The number of the seek that produced it. Frames of an older seek are not shown.
    pub serial: u64,
}

impl Deref for Frame {
    type Target = FrameFacts;

    fn deref(&self) -> &FrameFacts {
        &self.facts
    }
}

/// The interpretation of a frame's planes: everything besides the samples that determines its colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interpretation {
    /// Matrix, range and weights of luminance.
    pub colorimetry: Colorimetry,
    /// The lines that share a chroma row, if any do.
    pub chroma_lines: Option<Sourced<ChromaLines>>,
    /// The field, if the picture is a single field of a frame.
    pub field: Option<Field>,
}

/// Omits the chroma lines if neighbouring lines share chroma, as usual, and the user did not choose it.
impl fmt::Display for Interpretation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Colorimetry { matrix, range, .. } = self.colorimetry;
        write!(f, "matrix {matrix}, range {range}")?;
        let is_usual =
            |lines: &Sourced<ChromaLines>| lines.value == ChromaLines::Frame && lines.origin != Origin::Overridden;
        if let Some(lines) = self.chroma_lines.filter(|lines| !is_usual(lines)) {
            write!(f, ", 4:2:0 chroma by {lines}")?;
        }
        self.field.map_or(Ok(()), |field| write!(f, ", {field} field only"))
    }
}

impl Frame {
    /// Returns the interpretation of the planes.
    #[must_use]
    pub fn interpretation(&self) -> Interpretation {
        Interpretation {
            colorimetry: self.picture.decoded().colorimetry,
            chroma_lines: self.picture.chroma_lines(),
            field: self.field,
        }
    }

    /// Returns the frame with its codes interpreted by this transfer function, on which the weights of luminance may
    /// depend.
    #[must_use]
    pub fn with_transfer(mut self, transfer: Transfer) -> Self {
        let source = SourceFormat { transfer: Some(transfer.tag()), ..(*self.facts.source).clone() };
        self.picture = self.picture.with_luminance(source.luminance());
        self.facts.source = Arc::new(source);
        self
    }

    /// Returns the size of the picture's planes in bytes, without reading them.
    #[must_use]
    pub fn plane_bytes(&self) -> usize {
        let decoded = self.picture.decoded();
        let is_converted = !std::ptr::eq(decoded, &raw const self.picture);
        self.picture.plane_bytes() + if is_converted { decoded.plane_bytes() } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::color::Range;

    /// Returns a 4:2:0 picture with two unused bytes, `rest`, after each row. One byte can be `changed`, given by its
    /// plane and offset.
    fn picture(size: (u32, u32), changed: Option<(usize, usize)>, rest: u8) -> Picture {
        let layout = PixelLayout::planar_ycbcr(8, (1, 1));
        let color = Colorimetry::resolve(&layout, size, Some(Matrix::Bt709), Some(Range::Limited), false);
        let plane = |index: usize| {
            let (row_bytes, rows) = layout.plane_size(index, size.0, size.1);
            let mut bytes = vec![rest; (row_bytes + 2) * rows];
            bytes.chunks_mut(row_bytes + 2).for_each(|row| row[..row_bytes].fill(100));
            if let Some((_, at)) = changed.filter(|&(plane, _)| plane == index) {
                bytes[at] += 1;
            }
            (bytes, row_bytes + 2)
        };
        let planes = Arc::new(OwnedPlanes { planes: (0..3).map(plane).collect() });
        Picture::new(layout, size, color, planes).unwrap()
    }

    /// Planes that must not be read, because that would copy them from a graphics device.
    struct Remote(OwnedPlanes);

    impl PlaneStore for Remote {
        fn plane(&self, index: usize) -> PlaneView<'_> {
            panic!("plane {index} is read")
        }

        fn extent(&self, index: usize) -> (usize, usize) {
            self.0.extent(index)
        }
    }

    #[test]
    fn the_size_of_planes_is_known_without_reading_them() {
        let layout = PixelLayout::planar_ycbcr(8, (1, 1));
        let color = Colorimetry::resolve(&layout, (6, 4), Some(Matrix::Bt709), Some(Range::Limited), false);
        let planes = OwnedPlanes { planes: vec![(vec![0; 24], 6), (vec![0; 6], 3), (vec![0; 6], 3)] };
        let picture = Picture::new(layout, (6, 4), color, Arc::new(Remote(planes))).unwrap();
        assert_eq!(picture.plane_bytes(), 36);
    }

    #[test]
    fn every_plane_is_compared_without_the_padding_of_rows() {
        let one = picture((5, 3), None, 0);
        assert!(one.has_codes_of(&picture((5, 3), None, 255)));
        assert_eq!(one.difference(&picture((5, 3), None, 255), 0.0), Some(0.0));
        assert_eq!(one.difference(&picture((5, 4), None, 0), 1.0), None);
        assert!(!one.has_codes_of(&picture((5, 4), None, 0)) && !one.has_codes_of(&picture((4, 3), None, 0)));
        // The last code of each plane: 5 × 3 and twice 3 × 2 samples, in rows padded by two bytes.
        for last in [(0, 2 * 7 + 4), (1, 5 + 2), (2, 5 + 2)] {
            let other = picture((5, 3), Some(last), 0);
            assert!(!one.has_codes_of(&other), "{last:?}");
            assert_eq!(
                one.difference(&other, 0.001),
                Some(1.0 / (27.0 * 256.0)),
                "{last:?}: one of 27 samples, by one"
            );
            assert_eq!(one.difference(&other, 0.000_1), None, "{last:?}");
        }
    }
}
