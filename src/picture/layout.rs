//! How the samples of a picture lie in memory: planes, components, bit depth and chroma subsampling.
//!
//! The vocabulary follows FFmpeg's pixel format descriptors (`AVPixFmtDescriptor`), so that a format that FFmpeg can
//! describe needs no code of its own here: the GPU upload, the CPU engine and the scalar reference all read samples
//! through the same few numbers.

/// What the first three components of a picture mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColorModel {
    /// One component, luma.
    Gray,
    /// Y', Cb, Cr in this order.
    YCbCr,
    /// R', G', B' in this order.
    Rgb,
}

/// Where one component's samples lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Component {
    /// Index of the plane that holds the samples.
    pub plane: u8,
    /// Bytes from the start of a row to the first sample.
    pub offset: u8,
    /// Bytes from one sample to the next in a row.
    pub step: u8,
    /// Bits by which the stored word is shifted right to bring the sample's lowest bit to bit 0.
    pub shift: u8,
}

/// The memory layout of a picture's planes.
///
/// Samples are unsigned words of [`sample_bytes`](Self::sample_bytes) bytes, little-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PixelLayout {
    /// What the components mean.
    pub model: ColorModel,
    /// Significant bits of a sample, 8 to 16.
    pub depth: u8,
    /// Bytes of a stored word: 1 or 2.
    pub sample_bytes: u8,
    /// Base-2 logarithm of the luma samples that share one chroma sample, horizontally and vertically.
    pub chroma_shift: (u8, u8),
    /// The components; only the first counts for [`ColorModel::Gray`].
    pub components: [Component; 3],
}

/// Why a pixel layout cannot be counted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// The bit depth is not one that can be binned.
    #[error("{0} bits a sample cannot be binned: 8, 10, 12, 14 and 16 can")]
    Depth(u8),
    /// A field contradicts another one.
    #[error("the pixel layout contradicts itself: {0}")]
    Inconsistent(&'static str),
}

impl PixelLayout {
    /// Planar Y'CbCr with samples in the low bits; `chroma_shift` as in the field of that name.
    #[must_use]
    pub const fn planar_ycbcr(depth: u8, chroma_shift: (u8, u8)) -> Self {
        let bytes = if depth > 8 { 2 } else { 1 };
        Self {
            model: ColorModel::YCbCr,
            depth,
            sample_bytes: bytes,
            chroma_shift,
            components: [plane_component(0, bytes), plane_component(1, bytes), plane_component(2, bytes)],
        }
    }

    /// Two planes, luma and interleaved chroma, with samples in the high bits of 16-bit words when deeper than 8 bits
    /// (NV12, NV16, NV24, P010, P012, P016); `cr_first` for NV21 and NV42.
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
            components: [
                Component { plane: 0, offset: 0, step: bytes, shift },
                Component { plane: 1, offset: cb, step: 2 * bytes, shift },
                Component { plane: 1, offset: cr, step: 2 * bytes, shift },
            ],
        }
    }

    /// One plane of luma, samples in the low bits.
    #[must_use]
    pub const fn gray(depth: u8) -> Self {
        let bytes = if depth > 8 { 2 } else { 1 };
        let luma = plane_component(0, bytes);
        Self { model: ColorModel::Gray, depth, sample_bytes: bytes, chroma_shift: (0, 0), components: [luma; 3] }
    }

    /// Planes in the order green, blue, red, as FFmpeg's `gbrp` formats have them.
    #[must_use]
    pub const fn planar_gbr(depth: u8) -> Self {
        let bytes = if depth > 8 { 2 } else { 1 };
        Self {
            model: ColorModel::Rgb,
            depth,
            sample_bytes: bytes,
            chroma_shift: (0, 0),
            components: [plane_component(2, bytes), plane_component(0, bytes), plane_component(1, bytes)],
        }
    }

    /// One plane of packed R'G'B' of 8 or 16 bits: `order` gives the positions of red, green and blue among the
    /// `count` (3 or 4) samples of a pixel.
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
            components: [
                Component { plane: 0, offset: r * bytes, step, shift: 0 },
                Component { plane: 0, offset: g * bytes, step, shift: 0 },
                Component { plane: 0, offset: b * bytes, step, shift: 0 },
            ],
        }
    }

    /// One plane of packed 8-bit 4:2:2: bytes Y Cb Y Cr (`uyvy` false) or Cb Y Cr Y (`uyvy` true).
    #[must_use]
    pub const fn packed_422(uyvy: bool) -> Self {
        let (y, c) = if uyvy { (1, 0) } else { (0, 1) };
        Self {
            model: ColorModel::YCbCr,
            depth: 8,
            sample_bytes: 1,
            chroma_shift: (1, 0),
            components: [
                Component { plane: 0, offset: y, step: 2, shift: 0 },
                Component { plane: 0, offset: c, step: 4, shift: 0 },
                Component { plane: 0, offset: c + 2, step: 4, shift: 0 },
            ],
        }
    }

    /// Number of components that carry a picture: 1 for gray, else 3. Alpha is never among them.
    #[must_use]
    pub const fn component_count(&self) -> usize {
        match self.model {
            ColorModel::Gray => 1,
            ColorModel::YCbCr | ColorModel::Rgb => 3,
        }
    }

    /// Number of planes that hold those components.
    #[must_use]
    pub fn plane_count(&self) -> usize {
        self.components[..self.component_count()].iter().map(|c| usize::from(c.plane) + 1).max().unwrap_or(0)
    }

    /// n, the bits of a histogram bin's index: 8, 10 or 12. Deeper sources are binned by their top 12 bits.
    #[must_use]
    pub const fn bin_bits(&self) -> u32 {
        match self.depth {
            0..=8 => 8,
            9..=10 => 10,
            _ => 12,
        }
    }

    /// Right shift from a component's stored word to its n-bit code; the code is then masked to n bits.
    #[must_use]
    pub fn code_shift(&self, component: usize) -> u32 {
        u32::from(self.components[component].shift) + u32::from(self.depth) - self.bin_bits()
    }

    /// Width and height in samples of a component of a picture of `width` × `height` pixels. Odd sizes round up.
    #[must_use]
    pub fn component_size(&self, component: usize, width: u32, height: u32) -> (u32, u32) {
        if self.model == ColorModel::YCbCr && component > 0 {
            let (sx, sy) = self.chroma_shift;
            (width.div_ceil(1 << sx), height.div_ceil(1 << sy))
        } else {
            (width, height)
        }
    }

    /// Bytes in use in a row of `plane`, and its number of rows, for a picture of `width` × `height` pixels.
    #[must_use]
    pub fn plane_size(&self, plane: usize, width: u32, height: u32) -> (usize, usize) {
        let mut row_bytes = 0;
        let mut rows = 0;
        for index in 0..self.component_count() {
            let component = self.components[index];
            if usize::from(component.plane) == plane {
                let (w, h) = self.component_size(index, width, height);
                // Whole pixel groups, so that a packed row's padding sample belongs to the row.
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
    /// [`LayoutError`] for a depth that has no bins or fields that contradict each other.
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
        if self.chroma_shift.0 > 2 || self.chroma_shift.1 > 2 {
            return Err(LayoutError::Inconsistent("chroma is subsampled by more than four"));
        }
        Ok(())
    }
}

/// A component that has a plane of its own, samples in the low bits.
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
