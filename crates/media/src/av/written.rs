//! Whether pictures that a decoder has finished are wholly written.
//!
//! FFmpeg's HEVC decoder leaves out what is damaged, and tells nobody. What it keeps of such parts beside their pixels, as motion vectors that
//! later pictures are predicted from, is whatever another picture had there, of those that the same thread has decoded. The same holds of
//! references that are missing, for which it makes a gray picture. Both show in the memory that it was given, which was cleared before.

use super::PixelFormat;

/// Length of a side of the smallest coding block, in pixels: less is never left out in the middle of a picture.
const CELL: usize = 8;

/// Where the planes of a picture of luma and chroma lie in the memory that a decoder writes it to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PictureLayout {
    /// Luma and both planes of chroma.
    planes: [PlaneLayout; 3],
    depth: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PlaneLayout {
    /// Where it begins in the block, in bytes.
    offset: usize,
    /// Bytes from a row to the next.
    line: usize,
    /// Samples in a row, and rows.
    size: (usize, usize),
    /// Samples of a cell, across and down.
    cell: (usize, usize),
}

impl PictureLayout {
    /// That of a picture of this format whose planes begin there in their block and have lines of so many bytes. `None` of formats in which a
    /// block of zeros is nothing strange, which is black in red, green and blue and in gray.
    pub(super) fn of(
        format: PixelFormat,
        (width, height): (usize, usize),
        offsets: [usize; 4],
        lines: [usize; 4],
    ) -> Option<Self> {
        let format = format.descriptor()?;
        let is_planar = format.components.iter().enumerate().all(|(at, component)| {
            usize::try_from(component.plane) == Ok(at) && component.shift == 0 && component.offset == 0
        });
        if !is_planar || format.components.len() != 3 || format.is_rgb() || !format.is_plain() || format.is_xyz() {
            return None;
        }
        let shift = format.chroma_shift;
        let plane = |at: usize, (across, down): (u8, u8)| PlaneLayout {
            offset: offsets[at],
            line: lines[at],
            size: (width.div_ceil(1 << across), height.div_ceil(1 << down)),
            cell: ((CELL >> across).max(1), (CELL >> down).max(1)),
        };
        let planes = [plane(0, (0, 0)), plane(1, shift), plane(2, shift)];
        Some(Self { planes, depth: u32::try_from(format.components[0].depth).ok()? })
    }

    /// Whether all samples of a cell are zero, in all planes. `bytes` are the block's.
    pub(super) fn has_empty_cell(&self, bytes: &[u8]) -> bool {
        let [luma, blue, red] = self.planes;
        let (across, down) = (luma.size.0 / CELL, luma.size.1 / CELL);
        let sample_bytes = self.sample_bytes();
        // Chroma of zero is rare, as it is not a code of video: one sample of each cell is looked at first.
        (0..down).any(|y| {
            let row = blue.row(bytes, y * blue.cell.1, sample_bytes);
            let step = blue.cell.0 * sample_bytes;
            let candidates = row.iter().step_by(step).take(across).enumerate().filter(|(_, byte)| **byte == 0);
            candidates
                .into_iter()
                .any(|(x, _)| [blue, red, luma].iter().all(|plane| plane.is_empty_at(bytes, (x, y), sample_bytes)))
        })
    }

    /// Whether it is gray all over, as far as one sample of each cell tells.
    pub(super) fn is_gray(&self, bytes: &[u8]) -> bool {
        let (gray, sample_bytes) = (1_u32 << (self.depth - 1), self.sample_bytes());
        self.planes.iter().all(|plane| {
            (0..plane.size.1).step_by(plane.cell.1).all(|y| {
                let samples = plane.row(bytes, y, sample_bytes).chunks_exact(sample_bytes);
                let samples = samples.step_by(plane.cell.0).take(plane.size.0 / plane.cell.0);
                samples.into_iter().all(|sample| {
                    let high = sample.get(1).map_or(0, |high| u32::from(*high));
                    u32::from(sample[0]) | high << 8 == gray
                })
            })
        })
    }

    const fn sample_bytes(&self) -> usize {
        if self.depth > 8 { 2 } else { 1 }
    }
}

impl PlaneLayout {
    /// The bytes of a row.
    fn row<'a>(&self, bytes: &'a [u8], y: usize, sample_bytes: usize) -> &'a [u8] {
        let start = self.offset + y * self.line;
        bytes.get(start..start + self.size.0 * sample_bytes).unwrap_or_default()
    }

    fn is_empty_at(&self, bytes: &[u8], (x, y): (usize, usize), sample_bytes: usize) -> bool {
        let (from, length) = (x * self.cell.0 * sample_bytes, self.cell.0 * sample_bytes);
        (y * self.cell.1..(y + 1) * self.cell.1).all(|y| {
            let cell = self.row(bytes, y, sample_bytes).get(from..from + length);
            cell.is_some_and(|cell| cell.iter().all(|byte| *byte == 0))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: (usize, usize) = (40, 24);

    /// The layout of pictures of that format, and a picture of noise without zeros.
    fn noise(format: &std::ffi::CStr) -> (PictureLayout, Vec<u8>) {
        let format = PixelFormat::by_name(format).unwrap();
        let layout = PictureLayout::of(format, SIZE, [0, 4096, 8192, 0], [128; 4]).unwrap();
        (layout, (0..12_288).map(|at| (at * 7 % 251 + 1) as u8).collect())
    }

    /// Sets all samples of a cell, and those alone.
    fn fill(layout: &PictureLayout, bytes: &mut [u8], (x, y): (usize, usize), value: u8) {
        let sample_bytes = layout.sample_bytes();
        for plane in layout.planes {
            for row in y * plane.cell.1..(y + 1) * plane.cell.1 {
                let from = plane.offset + row * plane.line + x * plane.cell.0 * sample_bytes;
                bytes[from..from + plane.cell.0 * sample_bytes].fill(value);
            }
        }
    }

    #[test]
    fn a_cell_that_nothing_was_written_to_is_found_wherever_it_lies() {
        for format in [c"yuv420p", c"yuv422p", c"yuv444p", c"yuv420p10le", c"yuv422p10le"] {
            for y in 0..SIZE.1 / CELL {
                for x in 0..SIZE.0 / CELL {
                    let (layout, mut bytes) = noise(format);
                    assert!(!layout.has_empty_cell(&bytes), "{format:?}");
                    fill(&layout, &mut bytes, (x, y), 0);
                    assert!(layout.has_empty_cell(&bytes), "{format:?} at {x}, {y}");
                    for plane in layout.planes {
                        let (across, down) = plane.cell;
                        let sample = (x * across + across - 1) * layout.sample_bytes();
                        let last = plane.offset + (y * down + down - 1) * plane.line + sample;
                        let before = std::mem::replace(&mut bytes[last], 1);
                        assert!(!layout.has_empty_cell(&bytes), "{format:?} at {x}, {y}, all but one sample");
                        bytes[last] = before;
                    }
                }
            }
        }
    }

    #[test]
    fn what_stands_for_a_missing_picture_is_gray_all_over() {
        let (layout, mut bytes) = noise(c"yuv420p");
        assert!(!layout.is_gray(&bytes));
        bytes.fill(128);
        assert!(layout.is_gray(&bytes));
        for plane in layout.planes {
            bytes[plane.offset + plane.line * plane.cell.1] = 127;
            assert!(!layout.is_gray(&bytes));
            bytes.fill(128);
        }
        let (layout, mut bytes) = noise(c"yuv420p10le");
        bytes.chunks_exact_mut(2).for_each(|sample| sample.copy_from_slice(&512_u16.to_le_bytes()));
        assert!(layout.is_gray(&bytes));
    }

    #[test]
    fn formats_in_which_black_is_all_zeros_are_not_looked_at() {
        for format in [c"gray", c"gray10le", c"gbrp", c"gbrp10le", c"nv12", c"rgb24", c"yuv420p10be", c"yuva420p"] {
            let format = PixelFormat::by_name(format).unwrap();
            assert_eq!(PictureLayout::of(format, SIZE, [0; 4], [128; 4]), None, "{}", format.name());
        }
    }
}
