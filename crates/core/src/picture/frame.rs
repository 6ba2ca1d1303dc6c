//! A picture and a frame as they travel through the program: native planes, how to read them, and when to show them.

mod pages;

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

pub use pages::{Attachment, Memory, Pages};

use super::clamped::ClampedSamples;
use crate::picture::color::{Colorimetry, Conversion, Matrix, Origin, Sourced, UnreadableMatrix};
use crate::picture::crop::Cropping;
use crate::picture::layout::{ChromaLines, ChromaRows, ColorModel, LayoutError, PixelLayout};
use crate::picture::timecode::Timecode;

/// The bytes of one plane.
#[derive(Debug, Clone, Copy)]
pub struct PlaneView<'a> {
    /// The rows, the first of them at the start; the last row may end right after its last sample.
    pub bytes: &'a [u8],
    /// Bytes from the start of a row to the start of the next; at least the row's bytes in use.
    pub stride: usize,
}

impl<'a> PlaneView<'a> {
    /// The bytes in use of row `y`.
    #[inline]
    #[must_use]
    pub fn row(&self, y: usize, row_bytes: usize) -> &'a [u8] {
        &self.bytes[y * self.stride..][..row_bytes]
    }
}

/// Whoever owns a picture's planes: a decoder's buffer or plain vectors.
pub trait PlaneStore: Send + Sync {
    /// The plane of that index; an empty view if there is none.
    fn plane(&self, index: usize) -> PlaneView<'_>;

    /// The memory that all planes lie in, if that is whole pages which somebody else may read without a copy.
    fn pages(&self) -> Option<&Pages> {
        None
    }
}

/// Planes in vectors of their own, for tests, benchmarks and pictures that had to be copied.
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

/// Why planes are not a picture.
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
        /// Bytes that it holds.
        actual: usize,
        /// Bytes that its rows need.
        needed: usize,
        /// Bytes from row to row.
        stride: usize,
    },
}

/// One picture: native planes and how to read them. Cloning shares the planes.
#[derive(Clone)]
pub struct Picture {
    layout: PixelLayout,
    width: u32,
    height: u32,
    colorimetry: Colorimetry,
    /// The lines that share a chroma row, in a field those of the frame that it was taken out of.
    chroma_lines: Option<Sourced<ChromaLines>>,
    planes: Arc<dyn PlaneStore>,
    /// The picture as it was coded, where this is what its codes were converted to.
    coded: Option<Arc<Self>>,
    /// Which samples were clamped as they became codes; only of floating point.
    clamped: Option<Arc<ClampedSamples>>,
}

impl Picture {
    /// The most pixels a picture may have, so that every count fits in 32 bits with room to spare.
    pub const MAX_PIXELS: u64 = 1 << 30;

    /// Checks that the planes hold a picture of `width` × `height` pixels.
    ///
    /// # Errors
    /// `PictureError` if they do not, or if it has no pixels, too many, or a layout that cannot be read.
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
            let view = planes.plane(plane);
            let needed = view.stride * rows.saturating_sub(1) + row_bytes;
            if view.bytes.len() < needed || (view.stride < row_bytes && rows > 1) {
                let (actual, stride) = (view.bytes.len(), view.stride);
                return Err(PictureError::Plane { plane, actual, needed, stride });
            }
        }
        let chroma_lines = layout.has_shared_lines().then(|| Sourced::guessed(layout.chroma_lines));
        Ok(Self { layout, width, height, colorimetry, chroma_lines, planes, coded: None, clamped: None })
    }

    /// The picture, of whose samples those were clamped as they became codes.
    #[must_use]
    pub fn with_clamped(self, clamped: Option<ClampedSamples>) -> Self {
        Self { clamped: clamped.map(Arc::new), ..self }
    }

    /// The samples that were clamped as they became codes; `None` where none was.
    #[must_use]
    pub fn clamped(&self) -> Option<&ClampedSamples> {
        self.clamped.as_deref()
    }

    /// The memory layout of the planes.
    #[must_use]
    pub const fn layout(&self) -> &PixelLayout {
        &self.layout
    }

    /// Width in pixels.
    #[must_use]
    pub const fn width(&self) -> u32 {
        self.width
    }

    /// Height in pixels.
    #[must_use]
    pub const fn height(&self) -> u32 {
        self.height
    }

    /// Width × height.
    #[must_use]
    pub const fn pixel_count(&self) -> u32 {
        self.width * self.height
    }

    /// How the samples are read as colour.
    #[must_use]
    pub const fn colorimetry(&self) -> &Colorimetry {
        &self.colorimetry
    }

    /// This picture, to which another one was converted.
    #[must_use]
    pub(super) fn converted_from(self, coded: Self) -> Self {
        Self { coded: Some(Arc::new(coded)), ..self }
    }

    /// The picture as it was decoded: this one, unless it was converted because its matrix is not linear in the codes.
    #[must_use]
    pub fn decoded(&self) -> &Self {
        self.coded.as_deref().unwrap_or(self)
    }

    /// The picture of which R'G'B' can be counted; `None` where the matrix cannot be read.
    #[must_use]
    pub fn as_rgb(&self) -> Option<&Self> {
        self.unreadable_matrix().is_none().then_some(self)
    }

    /// The picture whose samples are Y'CbCr codes, or luma alone, that can be counted as they are coded; `None` for R'G'B'.
    #[must_use]
    pub fn as_coded(&self) -> Option<&Self> {
        let decoded = self.decoded();
        let is_coded = decoded.layout.model != ColorModel::Rgb && decoded.colorimetry.matrix.value != Matrix::Identity;
        is_coded.then_some(decoded)
    }

    /// Whether there are Y'CbCr codes, or luma alone, that can be counted as they are coded.
    #[must_use]
    pub fn has_coded_components(&self) -> bool {
        self.as_coded().is_some()
    }

    /// The matrix for which there is no R'G'B', and why. Gray needs none.
    #[must_use]
    pub fn unreadable_matrix(&self) -> Option<UnreadableMatrix> {
        match (self.layout.model, self.colorimetry.matrix.value) {
            (ColorModel::YCbCr, Matrix::Unreadable(matrix)) => Some(matrix),
            _ => None,
        }
    }

    /// The planes as they were decoded, read as other colour.
    #[must_use]
    pub fn with_colorimetry(&self, colorimetry: Colorimetry) -> Self {
        Self { colorimetry, ..self.decoded().clone() }
    }

    /// The planes as they were decoded, whose chroma rows are shared by those lines, where chroma has half as many rows as luma.
    #[must_use]
    pub fn with_chroma_lines(&self, lines: Sourced<ChromaLines>) -> Self {
        let decoded = self.decoded().clone();
        let chroma_lines = decoded.layout.has_shared_lines().then_some(lines);
        Self { layout: decoded.layout.with_chroma_lines(lines.value), chroma_lines, ..decoded }
    }

    /// The lines that share a chroma row, in a field those of the frame that it was taken out of; `None` where chroma has as many rows
    /// as luma, or there is none.
    #[must_use]
    pub fn chroma_lines(&self) -> Option<Sourced<ChromaLines>> {
        self.decoded().chroma_lines
    }

    /// The picture of which these lines share chroma rows in the frame that it was taken out of.
    pub(super) fn out_of_frame(self, chroma_lines: Option<Sourced<ChromaLines>>) -> Self {
        Self { chroma_lines, ..self }
    }

    /// The chroma row of each luma row.
    #[must_use]
    pub const fn chroma_rows(&self) -> ChromaRows {
        self.layout.chroma_rows(self.height)
    }

    /// The integer conversion to R'G'B' codes.
    #[must_use]
    pub fn conversion(&self) -> Conversion {
        Conversion::new(&self.layout, &self.colorimetry)
    }

    /// The bytes of a plane.
    #[must_use]
    pub fn plane(&self, index: usize) -> PlaneView<'_> {
        self.planes.plane(index)
    }

    /// Whether each code of the two is the same: pictures of one size and layout whose rows have the same bytes.
    #[must_use]
    pub fn has_codes_of(&self, other: &Self) -> bool {
        let is_alike = self.layout == other.layout && (self.width, self.height) == (other.width, other.height);
        is_alike
            && (0..self.layout.plane_count()).all(|plane| {
                let (row_bytes, rows) = self.layout.plane_size(plane, self.width, self.height);
                let (a, b) = (self.plane(plane), other.plane(plane));
                (0..rows).all(|y| a.row(y, row_bytes) == b.row(y, row_bytes))
            })
    }

    /// The memory that all planes lie in, if that is whole pages which somebody else may read without a copy. It must hold
    /// on to the picture meanwhile.
    #[must_use]
    pub fn pages(&self) -> Option<&Pages> {
        self.planes.pages()
    }

    /// The n-bit code of `component` at sample position (`x`, `y`) of that component's own grid.
    #[inline]
    #[must_use]
    pub fn code(&self, component: usize, x: u32, y: u32) -> u32 {
        let word = u32::from(self.word(component, x, y));
        (word >> self.layout.code_shift(component)) & ((1 << self.layout.bin_bits()) - 1)
    }

    /// The sample of `component` at that position with all its bits, which are more than a code's above 12.
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

/// How a picture is turned for display, clockwise, after an optional mirroring left to right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Orientation {
    /// Clockwise quarter turns, 0 to 3.
    pub quarter_turns: u8,
    /// Whether the picture is mirrored left to right before it is turned.
    pub mirrored: bool,
}

impl Orientation {
    /// Where a pixel of a picture of `size` pixels, both as coded, is seen: column and row of the turned picture.
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

/// How a picture is scanned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scan {
    /// All lines at once.
    Progressive,
    /// As two fields, of which that with the top line is shown first.
    TopFirst,
    /// As two fields, of which that with the top line is shown last.
    BottomFirst,
    /// The picture is a single field, the one with the top line.
    TopField,
    /// The picture is a single field, the one without the top line.
    BottomField,
}

impl Scan {
    /// Whether the picture consists of two fields.
    #[must_use]
    pub const fn is_interlaced(self) -> bool {
        matches!(self, Self::TopFirst | Self::BottomFirst)
    }

    /// The single field that a picture is which was coded by itself, of what would be flagged as two fields of a frame.
    #[must_use]
    pub const fn of_single_field(self) -> Self {
        match self {
            Self::TopFirst => Self::TopField,
            Self::BottomFirst => Self::BottomField,
            other => other,
        }
    }

    /// The name that the records use.
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

    /// The lines that share a chroma row in 4:2:0.
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
            Self::TopField => "single fields, this is a top field",
            Self::BottomField => "single fields, this is a bottom field",
        })
    }
}

/// A field of an interlaced picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// The first line and every second one after it.
    Top,
    /// The second line and every second one after it.
    Bottom,
}

impl Field {
    /// Both fields.
    pub const BOTH: [Self; 2] = [Self::Top, Self::Bottom];

    /// The name that the command line, the records and the window use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Top => "top",
            Self::Bottom => "bottom",
        }
    }

    /// The number of its first line in the frame.
    #[must_use]
    pub const fn first_line(self) -> u32 {
        match self {
            Self::Top => 0,
            Self::Bottom => 1,
        }
    }

    /// How many of the first `lines` lines of a frame belong to it.
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

    /// The ratio as a real number.
    #[must_use]
    pub fn value(self) -> f64 {
        f64::from(self.num) / f64::from(self.den)
    }

    /// That many times the ratio, rounded once: 41 twenty-fifths are 1.64, where 41 times 0.04 has a 1 at its end.
    #[must_use]
    pub fn times(self, count: i64) -> f64 {
        (i128::from(count) * i128::from(self.num)) as f64 / f64::from(self.den)
    }
}

/// What a frame's pixels were before they became a [`Picture`], and what else the file says about them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceFormat {
    /// The decoder's pixel format, by FFmpeg's name.
    pub pixel_format: String,
    /// The format that it had to be converted to, by FFmpeg's name; `None` where the planes are the decoder's own.
    pub converted_to: Option<String>,
    /// Transfer function, by FFmpeg's name, where tagged.
    pub transfer: Option<&'static str>,
    /// Colour primaries, by FFmpeg's name, where tagged.
    pub primaries: Option<&'static str>,
    /// What the codec and the container leave out at the edges.
    pub cropping: Cropping,
}

/// An opening of a video, which no other has: frames of two files may have the same time, number and serial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VideoId(u64);

impl VideoId {
    /// One that was not given before. The default is that of pictures that are no video's.
    #[must_use]
    pub fn next() -> Self {
        static GIVEN: AtomicU64 = AtomicU64::new(0);
        Self(GIVEN.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

/// Everything known of a frame besides its samples: its place in the video, and what the file and the decoder say of it.
#[derive(Debug, Clone, PartialEq)]
pub struct FrameFacts {
    /// Presentation timestamp in units of `time_base`; it rises from frame to frame within one serial.
    pub pts_ticks: i64,
    /// The stream's time base, in seconds per tick.
    pub time_base: Ratio,
    /// Presentation time in seconds from the first frame of the video.
    pub time_secs: f64,
    /// How long the frame is shown, in seconds, as far as the file says.
    pub duration_secs: f64,
    /// Position in presentation order, counted from the first frame, if known.
    pub index: Option<u64>,
    /// The frame's timecode, if it has one.
    pub timecode: Option<Timecode>,
    /// Width of a pixel divided by its height.
    pub sample_aspect: Ratio,
    /// How the picture is turned for display.
    pub orientation: Orientation,
    /// How the picture was scanned, according to the frame itself.
    pub scan: Scan,
    /// The field that the picture consists of, if it was taken out of a frame.
    pub field: Option<Field>,
    /// Whether decoding can start at this frame.
    pub key: bool,
    /// Whether the decoder reported damage in this frame.
    pub damaged: bool,
    /// The letter of the picture's coding type (I, P, B, …), if the codec has one.
    pub picture_type: Option<char>,
    /// The format of the decoded pixels; shared between frames of the same kind.
    pub source: Arc<SourceFormat>,
    /// When the data of a live frame arrived; `None` for other sources.
    pub arrival: Option<SystemTime>,
}

/// A decoded frame: a picture and the facts about it, which are read like fields of its own (`frame.time_secs`).
#[derive(Debug, Clone)]
pub struct Frame {
    /// The picture.
    pub picture: Picture,
    /// What is known of it.
    pub facts: FrameFacts,
    /// The opening of the video that produced it.
    pub video: VideoId,
    /// Number of the seek that produced it; frames of an older seek are not shown.
    pub serial: u64,
}

impl Deref for Frame {
    type Target = FrameFacts;

    fn deref(&self) -> &FrameFacts {
        &self.facts
    }
}

/// How a frame's planes are read: what decides its colours beside its samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameReading {
    /// Matrix and range.
    pub colorimetry: Colorimetry,
    /// The lines that share a chroma row, where two do.
    pub chroma_lines: Option<Sourced<ChromaLines>>,
    /// The field that was taken out of the frame.
    pub field: Option<Field>,
}

/// Chroma that is shared by neighbouring lines, as is usual, is not mentioned unless somebody chose that.
impl fmt::Display for FrameReading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Colorimetry { matrix, range } = self.colorimetry;
        write!(f, "matrix {matrix}, range {range}")?;
        let is_usual =
            |lines: &Sourced<ChromaLines>| lines.value == ChromaLines::Frame && lines.origin != Origin::Overridden;
        if let Some(lines) = self.chroma_lines.filter(|lines| !is_usual(lines)) {
            write!(f, ", 4:2:0 chroma by {lines}")?;
        }
        self.field.map_or(Ok(()), |field| write!(f, ", {field} field alone"))
    }
}

impl Frame {
    /// How its planes are read.
    #[must_use]
    pub fn reading(&self) -> FrameReading {
        FrameReading {
            colorimetry: self.picture.decoded().colorimetry,
            chroma_lines: self.picture.chroma_lines(),
            field: self.field,
        }
    }

    /// Bytes of the picture's planes.
    #[must_use]
    pub fn plane_bytes(&self) -> usize {
        let of = |picture: &Picture| -> usize {
            (0..picture.layout().plane_count()).map(|plane| picture.plane(plane).bytes.len()).sum()
        };
        let decoded = self.picture.decoded();
        of(&self.picture) + if std::ptr::eq(decoded, &raw const self.picture) { 0 } else { of(decoded) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::color::Range;

    /// A picture of 4:2:0 whose rows are followed by two bytes that are nobody's.
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

    #[test]
    fn codes_are_compared_in_every_plane_and_what_lies_between_rows_is_not() {
        let one = picture((5, 3), None, 0);
        assert!(one.has_codes_of(&picture((5, 3), None, 255)));
        assert!(!one.has_codes_of(&picture((5, 4), None, 0)) && !one.has_codes_of(&picture((4, 3), None, 0)));
        // The last code of each plane: five by three and twice three by two, in rows that are two bytes longer.
        for last in [(0, 2 * 7 + 4), (1, 5 + 2), (2, 5 + 2)] {
            assert!(!one.has_codes_of(&picture((5, 3), Some(last), 0)), "{last:?}");
        }
    }
}
