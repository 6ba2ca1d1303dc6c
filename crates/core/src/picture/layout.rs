//! The memory layout of a picture's samples: planes, components, bit depth and chroma subsampling.
//!
//! The terms follow FFmpeg's pixel format descriptors (`AVPixFmtDescriptor`), so that a format that FFmpeg can describe
//! needs no code of its own here: the GPU upload, the CPU engine and the scalar reference all read samples through the
//! same few numbers.

use std::fmt;

/// The meaning of the first three components of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColorModel {
    /// One component, luma.
    Gray,
    /// Y', Cb, Cr, in this order.
    YCbCr,
    /// R', G', B', in this order.
    Rgb,
}

/// The lines that share a chroma row in 4:2:0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ChromaLines {
    /// Two neighbouring lines of the frame, as in progressive video.
    #[default]
    Frame,
    /// Two neighbouring lines of one field, as in interlaced video.
    Field,
}

impl ChromaLines {
    /// Returns the name used on the command line, in records and in the window.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Frame => "frame",
            Self::Field => "field",
        }
    }
}

impl fmt::Display for ChromaLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The mapping from a picture's luma rows to its chroma rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChromaRows {
    shift: u8,
    lines: ChromaLines,
    rows: usize,
}

impl ChromaRows {
    /// Returns the chroma row that covers luma row `y`.
    ///
    /// If chroma rows belong to fields, the first two of every four luma rows have a chroma row each, one per field,
    /// and the other two share them. If the picture ends before a field's next chroma row, its last one is used again.
    #[inline(always)]
    #[must_use]
    pub const fn of(self, y: usize) -> usize {
        match self.lines {
            ChromaLines::Frame => y >> self.shift,
            ChromaLines::Field => {
                let row = y / 4 * 2 + y % 2;
                if row < self.rows { row } else { row.saturating_sub(2) }
            }
        }
    }

    /// Returns the luma rows that chroma row `row` covers in a picture of `height` rows.
    pub fn covered_by(self, row: usize, height: usize) -> impl Iterator<Item = usize> {
        // A field's last chroma row may cover three luma rows, which span at most six rows from the start of their
        // group.
        let (first, most) = match self.lines {
            ChromaLines::Frame => (row << self.shift, 1 << self.shift),
            ChromaLines::Field => (row / 2 * 4, 6),
        };
        (first..(first + most).min(height)).filter(move |&y| self.of(y) == row)
    }
}

/// The location of one component's samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Component {
    /// Index of the plane that holds the samples.
    pub plane: u8,
    /// Bytes from the start of a row to the first sample.
    pub offset: u8,
    /// Bytes from one sample to the next in a row.
    pub step: u8,
    /// Right shift that moves the sample's lowest bit to bit 0 of the stored word.
    pub shift: u8,
}

/// The memory layout of a picture's planes.
///
/// Samples are unsigned words of [`sample_bytes`](Self::sample_bytes) bytes, little-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PixelLayout {
    /// The meaning of the components.
    pub model: ColorModel,
    /// Significant bits of a sample, 8 to 16.
    pub depth: u8,
    /// Bytes of a stored word: 1 or 2.
    pub sample_bytes: u8,
    /// Base-2 logarithm of the number of luma samples that share one chroma sample, horizontally and vertically.
    pub chroma_shift: (u8, u8),
    /// The lines that share a chroma row; relevant only if chroma has half as many rows as luma.
    pub chroma_lines: ChromaLines,
    /// The components; only the first is used for [`ColorModel::Gray`].
    pub components: [Component; 3],
}

/// An error for a pixel layout that cannot be counted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// Unsupported bit depth.
    #[error("unsupported bit depth {0}; supported are 8, 10, 12, 14 and 16")]
    Depth(u8),
    /// Two fields contradict each other.
    #[error("the pixel layout contradicts itself: {0}")]
    Inconsistent(&'static str),
}

impl PixelLayout {
    /// Creates a layout of planar Y'CbCr with samples in the low bits and this [`chroma_shift`](Self::chroma_shift).
    #[must_use]
    pub const fn planar_ycbcr(depth: u8, chroma_shift: (u8, u8)) -> Self {
        let bytes = if depth > 8 { 2 } else { 1 };
        Self {
            model: ColorModel::YCbCr,
            depth,
            sample_bytes: bytes,
            chroma_shift,
            chroma_lines: ChromaLines::Frame,
            components: [plane_component(0, bytes), plane_component(1, bytes), plane_component(2, bytes)],
        }
    }

    /// Creates a layout of two planes, luma and interleaved chroma (NV12, NV16, NV24, P010, P012, P016; with
    /// `cr_first`, NV21 and NV42). Above 8 bits, samples are in the high bits of 16-bit words.
    #[must_use]
    pub const fn semi_planar(depth: u8, chroma_shift: (u8, u8), cr_first: bool) -> Self {
        let bytes = if depth > 8 { 2 } else { 1 };
        let shift = bytes * 8 - depth;
        let (cb, cr) = if cr_first { (bytes, 0) } else { (0, bytes) };
        Self {
            model: ColorModel::YCbCr,
            depth,
            sample_bytes: bytes,
            chroma_shift,
            chroma_lines: ChromaLines::Frame,
            components: [
                Component { plane: 0, offset: 0, step: bytes, shift },
                Component { plane: 1, offset: cb, step: 2 * bytes, shift },
                Component { plane: 1, offset: cr, step: 2 * bytes, shift },
            ],
        }
    }

    /// Creates a layout of one luma plane with samples in the low bits.
    #[must_use]
    pub const fn gray(depth: u8) -> Self {
        let bytes = if depth > 8 { 2 } else { 1 };
        let luma = plane_component(0, bytes);
        Self {
            model: ColorModel::Gray,
            depth,
            sample_bytes: bytes,
            chroma_shift: (0, 0),
            chroma_lines: ChromaLines::Frame,
            components: [luma; 3],
        }
    }

    /// Creates a layout of planes in the order green, blue, red, as in FFmpeg's `gbrp` formats.
    #[must_use]
    pub const fn planar_gbr(depth: u8) -> Self {
        let bytes = if depth > 8 { 2 } else { 1 };
        Self {
            model: ColorModel::Rgb,
            depth,
            sample_bytes: bytes,
            chroma_shift: (0, 0),
            chroma_lines: ChromaLines::Frame,
            components: [plane_component(2, bytes), plane_component(0, bytes), plane_component(1, bytes)],
        }
    }

    /// Creates a layout of one plane of packed R'G'B' of 8 or 16 bits. `order` gives the positions of red, green and
    /// blue among the `count` (3 or 4) samples of a pixel.
    #[must_use]
    pub const fn packed_rgb(depth: u8, order: [u8; 3], count: u8) -> Self {
        let bytes = if depth > 8 { 2 } else { 1 };
        let step = count * bytes;
        let [r, g, b] = order;
        Self {
            model: ColorModel::Rgb,
            depth,
            sample_bytes: bytes,
            chroma_shift: (0, 0),
            chroma_lines: ChromaLines::Frame,
            components: [
                Component { plane: 0, offset: r * bytes, step, shift: 0 },
                Component { plane: 0, offset: g * bytes, step, shift: 0 },
                Component { plane: 0, offset: b * bytes, step, shift: 0 },
            ],
        }
    }

    /// Creates a layout of one plane of packed 8-bit 4:2:2, in the order Y Cb Y Cr, or Cb Y Cr Y if `uyvy`.
    #[must_use]
    pub const fn packed_422(uyvy: bool) -> Self {
        let (y, c) = if uyvy { (1, 0) } else { (0, 1) };
        Self {
            model: ColorModel::YCbCr,
            depth: 8,
            sample_bytes: 1,
            chroma_shift: (1, 0),
            chroma_lines: ChromaLines::Frame,
            components: [
                Component { plane: 0, offset: y, step: 2, shift: 0 },
                Component { plane: 0, offset: c, step: 4, shift: 0 },
                Component { plane: 0, offset: c + 2, step: 4, shift: 0 },
            ],
        }
    }

    /// Returns `true` if chroma has half as many rows as luma, so that two lines of the frame or of a field share each
    /// row.
    #[must_use]
    pub const fn has_shared_lines(&self) -> bool {
        matches!(self.model, ColorModel::YCbCr) && self.chroma_shift.1 == 1
    }

    /// Returns the layout with chroma rows assigned to `lines`, if any rows are shared.
    #[must_use]
    pub const fn with_chroma_lines(self, lines: ChromaLines) -> Self {
        let chroma_lines = if self.has_shared_lines() { lines } else { ChromaLines::Frame };
        Self { chroma_lines, ..self }
    }

    /// Returns the mapping from luma to chroma rows in a picture of this height. Without chroma, rows map to
    /// themselves.
    #[must_use]
    pub const fn chroma_rows(&self, height: u32) -> ChromaRows {
        let shift = if matches!(self.model, ColorModel::YCbCr) { self.chroma_shift.1 } else { 0 };
        let lines = if self.has_shared_lines() { self.chroma_lines } else { ChromaLines::Frame };
        ChromaRows { shift, lines, rows: height.div_ceil(1 << shift) as usize }
    }

    /// Returns the base-2 logarithm of the number of pixels in a row that share their second and third components.
    #[must_use]
    pub const fn columns_shift(&self) -> u8 {
        if matches!(self.model, ColorModel::YCbCr) { self.chroma_shift.0 } else { 0 }
    }

    /// Returns the number of components: 1 for gray, otherwise 3. Alpha is not counted.
    #[must_use]
    pub const fn component_count(&self) -> usize {
        match self.model {
            ColorModel::Gray => 1,
            ColorModel::YCbCr | ColorModel::Rgb => 3,
        }
    }

    /// Returns the number of planes that hold components.
    #[must_use]
    pub fn plane_count(&self) -> usize {
        self.components[..self.component_count()].iter().map(|c| usize::from(c.plane) + 1).max().unwrap_or(0)
    }

    /// Returns n, the number of bits in a histogram bin's index: 8, 10 or 12. Deeper sources are binned by their top 12
    /// bits.
    #[must_use]
    pub const fn bin_bits(&self) -> u32 {
        match self.depth {
            0..=8 => 8,
            9..=10 => 10,
            _ => 12,
        }
    }

    /// Returns the right shift from a component's stored word to its n-bit code, which is then masked to n bits.
    #[must_use]
    pub fn code_shift(&self, component: usize) -> u32 {
        u32::from(self.components[component].shift) + u32::from(self.depth) - self.bin_bits()
    }

    /// Returns the width and height of a component in samples, for a picture of `width` × `height` pixels. Rounds odd
    /// sizes up.
    #[must_use]
    pub fn component_size(&self, component: usize, width: u32, height: u32) -> (u32, u32) {
        if self.model == ColorModel::YCbCr && component > 0 {
            let (sx, sy) = self.chroma_shift;
            (width.div_ceil(1 << sx), height.div_ceil(1 << sy))
        } else {
            (width, height)
        }
    }

    /// Returns the bytes used by each row of `plane`, and its number of rows, for a picture of `width` × `height`
    /// pixels.
    #[must_use]
    pub fn plane_size(&self, plane: usize, width: u32, height: u32) -> (usize, usize) {
        let mut row_bytes = 0;
        let mut rows = 0;
        for index in 0..self.component_count() {
            let component = self.components[index];
            if usize::from(component.plane) == plane {
                let (w, h) = self.component_size(index, width, height);
                // Whole groups, so that a padding sample at the end of a packed row belongs to the row.
                let group = w as usize * usize::from(component.step);
                row_bytes = row_bytes.max(group);
                rows = rows.max(h as usize);
            }
        }
        (row_bytes, rows)
    }

    /// Checks that every engine can read the layout.
    ///
    /// # Errors
    /// [`LayoutError`] for a depth without bins, or for fields that contradict each other.
    pub fn validate(&self) -> Result<(), LayoutError> {
        if !matches!(self.depth, 8 | 10 | 12 | 14 | 16) {
            return Err(LayoutError::Depth(self.depth));
        }
        let word_bits = match self.sample_bytes {
            1 => 8,
            2 => 16,
            _ => return Err(LayoutError::Inconsistent("a sample is one or two bytes")),
        };
        for component in &self.components[..self.component_count()] {
            if component.shift + self.depth > word_bits {
                return Err(LayoutError::Inconsistent("the sample does not fit in its word"));
            }
            if component.step == 0 || component.step < self.sample_bytes {
                return Err(LayoutError::Inconsistent("samples overlap"));
            }
            if component.step % self.sample_bytes != 0 || component.offset % self.sample_bytes != 0 {
                return Err(LayoutError::Inconsistent("a sample is not aligned to its size"));
            }
            if component.offset + self.sample_bytes > component.step || component.plane > 2 {
                return Err(LayoutError::Inconsistent("a component lies outside its pixel"));
            }
        }
        let subsampled = self.chroma_shift != (0, 0);
        if subsampled && self.model != ColorModel::YCbCr {
            return Err(LayoutError::Inconsistent("only chroma can be subsampled"));
        }
        let [luma, second, third] = self.components.map(|component| component.plane);
        if self.chroma_shift.1 > 0 && (second == luma || third == luma) {
            return Err(LayoutError::Inconsistent("a plane has rows of luma and fewer of chroma"));
        }
        if self.chroma_shift.0 > 2 || self.chroma_shift.1 > 2 {
            return Err(LayoutError::Inconsistent("chroma is subsampled by more than four"));
        }
        Ok(())
    }
}

/// Returns a component with a plane of its own and samples in the low bits.
const fn plane_component(plane: u8, bytes: u8) -> Component {
    Component { plane, offset: 0, step: bytes, shift: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_sizes_round_chroma_up() {
        let layout = PixelLayout::planar_ycbcr(8, (1, 1));
        assert_eq!(layout.component_size(0, 641, 359), (641, 359));
        assert_eq!(layout.component_size(1, 641, 359), (321, 180));
        assert_eq!(layout.component_size(2, 1, 1), (1, 1));
        assert_eq!(PixelLayout::planar_ycbcr(8, (2, 0)).component_size(1, 5, 3), (2, 3));
    }

    #[test]
    fn a_luma_row_of_a_field_has_a_chroma_row_of_that_field() {
        let rows = |height: u32, lines| {
            let chroma = PixelLayout::planar_ycbcr(8, (1, 1)).with_chroma_lines(lines).chroma_rows(height);
            (0..height as usize).map(|y| chroma.of(y)).collect::<Vec<_>>()
        };
        assert_eq!(rows(9, ChromaLines::Frame), [0, 0, 1, 1, 2, 2, 3, 3, 4]);
        assert_eq!(rows(8, ChromaLines::Field), [0, 1, 0, 1, 2, 3, 2, 3]);
        // Three chroma rows: two of the top field and one of the bottom field, which also serves its third luma row.
        assert_eq!(rows(6, ChromaLines::Field), [0, 1, 0, 1, 2, 1]);
        assert_eq!(rows(5, ChromaLines::Field), [0, 1, 0, 1, 2]);
        assert_eq!(rows(7, ChromaLines::Field), [0, 1, 0, 1, 2, 3, 2]);
        assert_eq!((rows(2, ChromaLines::Field), rows(1, ChromaLines::Field)), (vec![0, 0], vec![0]));
        // Chroma with all rows, or a quarter of them, belongs to no field.
        for shift in [(1, 0), (2, 2)] {
            let layout = PixelLayout::planar_ycbcr(8, shift);
            assert_eq!(layout.with_chroma_lines(ChromaLines::Field), layout);
        }
    }

    #[test]
    fn covered_by_is_the_inverse_of_of() {
        let heights =
            (1..40_u32).flat_map(|height| [ChromaLines::Frame, ChromaLines::Field].map(|lines| (lines, height)));
        for (lines, height) in heights {
            let chroma = PixelLayout::planar_ycbcr(8, (1, 1)).with_chroma_lines(lines).chroma_rows(height);
            let height = height as usize;
            for row in 0..height.div_ceil(2) {
                let expected: Vec<_> = (0..height).filter(|&y| chroma.of(y) == row).collect();
                assert_eq!(chroma.covered_by(row, height).collect::<Vec<_>>(), expected, "{lines} {height} {row}");
            }
        }
    }

    #[test]
    fn a_plane_holds_all_its_components() {
        assert_eq!(PixelLayout::semi_planar(8, (1, 1), false).plane_size(1, 5, 3), (6, 2));
        assert_eq!(PixelLayout::packed_422(false).plane_size(0, 5, 3), (12, 3));
        assert_eq!(PixelLayout::packed_rgb(8, [0, 1, 2], 3).plane_size(0, 5, 3), (15, 3));
        assert_eq!(PixelLayout::planar_ycbcr(10, (1, 0)).plane_size(2, 5, 3), (6, 3));
        assert_eq!(PixelLayout::gray(8).plane_size(1, 5, 3), (0, 0));
    }

    #[test]
    fn high_bits_and_deep_samples_are_shifted_down() {
        assert_eq!(PixelLayout::semi_planar(10, (1, 1), false).code_shift(0), 6);
        assert_eq!(PixelLayout::semi_planar(16, (1, 1), false).code_shift(1), 4);
        assert_eq!(PixelLayout::gray(14).code_shift(0), 2);
        assert_eq!(PixelLayout::planar_gbr(12).code_shift(2), 0);
    }

    #[test]
    fn every_constructor_is_valid() {
        let mut layouts = vec![PixelLayout::packed_422(false), PixelLayout::packed_422(true)];
        for depth in [8, 10, 12, 14, 16] {
            layouts.push(PixelLayout::gray(depth));
            layouts.push(PixelLayout::planar_gbr(depth));
            layouts.push(PixelLayout::semi_planar(depth, (1, 1), true));
            layouts.extend([(0, 0), (1, 0), (1, 1), (0, 1), (2, 0)].map(|s| PixelLayout::planar_ycbcr(depth, s)));
        }
        for depth in [8, 16] {
            layouts.push(PixelLayout::packed_rgb(depth, [2, 1, 0], 3));
            layouts.push(PixelLayout::packed_rgb(depth, [1, 2, 3], 4));
        }
        for layout in layouts {
            assert_eq!(layout.validate(), Ok(()), "{layout:?}");
        }
    }

    #[test]
    fn contradictions_are_refused() {
        assert_eq!(PixelLayout::gray(9).validate(), Err(LayoutError::Depth(9)));
        assert_eq!(PixelLayout::gray(24).validate(), Err(LayoutError::Depth(24)));
        let mut layout = PixelLayout::planar_gbr(8);
        layout.chroma_shift = (1, 1);
        assert!(layout.validate().is_err());
        let mut layout = PixelLayout::gray(10);
        layout.components[0].shift = 7;
        assert!(layout.validate().is_err());
        let mut layout = PixelLayout::packed_rgb(8, [0, 1, 2], 3);
        layout.components[2].offset = 3;
        assert!(layout.validate().is_err());
    }
}
