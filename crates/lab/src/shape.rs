//! The division of a method's work: pixels of a chunk, and bins of a channel.

use std::ops::RangeInclusive;

use histoscope_core::histogram::BIN_COUNTS;
use histoscope_render::gpu::Gpu;

/// The pixels of a chunk, and the bins of a channel. For methods with one invocation per pixel, a chunk is a workgroup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    chunk: (u32, u32),
    bins: u32,
}

/// The reason why a shape is not possible, with the nearest possible one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// Too few or too many bins.
    #[error("{bins} bins are not possible, only {} to {}; the nearest is {nearest}", Shape::BINS.start(), Shape::BINS.end())]
    Bins {
        /// The requested number.
        bins: u32,
        /// The nearest number that works.
        nearest: u32,
    },
    /// A chunk without pixels, or with more pixels than a workgroup has invocations.
    #[error(
        "a chunk of {}x{} pixels needs as many invocations in a workgroup, but this adapter has at most {most}, {} by \
         {}; the nearest is {}x{}", .chunk.0, .chunk.1, .sides.0, .sides.1, .nearest.0, .nearest.1
    )]
    Chunk {
        /// The requested chunk.
        chunk: (u32, u32),
        /// The most invocations of a workgroup.
        most: u32,
        /// The most columns and the most rows.
        sides: (u32, u32),
        /// The nearest chunk that works.
        nearest: (u32, u32),
    },
    /// The bins of one channel do not fit in workgroup memory.
    #[error("{bins} bins take {} bytes of workgroup memory, but this adapter has {memory}; the nearest is {nearest}", .bins * 4)]
    Memory {
        /// The requested number.
        bins: u32,
        /// The bytes of workgroup memory.
        memory: u32,
        /// The nearest number that works.
        nearest: u32,
    },
}

impl Default for Shape {
    /// Returns the tutorial's shape: chunks of 256×1 pixels, and 256 bins. Every adapter can run it.
    fn default() -> Self {
        Self { chunk: (256, 1), bins: 256 }
    }
}

impl Shape {
    /// The possible numbers of bins per channel.
    pub const BINS: RangeInclusive<u32> = BIN_COUNTS;

    /// Makes a shape with chunks of `chunk.0` by `chunk.1` pixels. The number of bins need not be a power of two.
    ///
    /// # Errors
    /// [`ShapeError`], with the nearest possible shape, if the adapter cannot run this one.
    pub fn new(gpu: &Gpu, chunk: (u32, u32), bins: u32) -> Result<Self, ShapeError> {
        Self::within(&gpu.device.limits(), chunk, bins)
    }

    /// Makes a shape for an adapter with these limits.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn within(limits: &wgpu::Limits, chunk: (u32, u32), bins: u32) -> Result<Self, ShapeError> {
        Self::check_bins(bins)?;
        let most = limits.max_compute_invocations_per_workgroup;
        let sides = (limits.max_compute_workgroup_size_x, limits.max_compute_workgroup_size_y);
        let nearest = nearest_chunk(chunk, most, sides);
        if nearest != chunk {
            return Err(ShapeError::Chunk { chunk, most, sides, nearest });
        }
        let memory = limits.max_compute_workgroup_storage_size;
        match memory / 4 {
            nearest if nearest < bins => Err(ShapeError::Memory { bins, memory, nearest }),
            _ => Ok(Self { chunk, bins }),
        }
    }

    /// Checks that a channel can have this many bins, on any adapter.
    ///
    /// # Errors
    /// [`ShapeError::Bins`] if not.
    pub fn check_bins(bins: u32) -> Result<(), ShapeError> {
        let nearest = bins.clamp(*Self::BINS.start(), *Self::BINS.end());
        if nearest == bins { Ok(()) } else { Err(ShapeError::Bins { bins, nearest }) }
    }

    /// Returns the columns and rows of a chunk.
    #[must_use]
    pub const fn chunk(self) -> (u32, u32) {
        self.chunk
    }

    /// Returns the pixels of a chunk, which are also the invocations of a workgroup.
    #[must_use]
    pub const fn chunk_pixels(self) -> u32 {
        self.chunk.0 * self.chunk.1
    }

    /// Returns the bins of a channel.
    #[must_use]
    pub const fn bins(self) -> u32 {
        self.bins
    }

    /// Returns the columns and rows of chunks that cover an image of this size.
    #[must_use]
    pub const fn chunks_of(self, size: (u32, u32)) -> (u32, u32) {
        (size.0.div_ceil(self.chunk.0), size.1.div_ceil(self.chunk.1))
    }
}

/// Returns the size of a picture reduced to the first of each `step` pixels across and down.
#[must_use]
pub const fn reduced(size: (u32, u32), step: u32) -> (u32, u32) {
    (size.0.div_ceil(step), size.1.div_ceil(step))
}

/// Returns the least step that [`reduced`] needs to leave at most this number of pixels, which must not be 0.
#[must_use]
pub fn step_within(size: (u32, u32), most: u64) -> u32 {
    let count = |step| {
        let (width, height) = reduced(size, step);
        u64::from(width) * u64::from(height)
    };
    (1..=size.0.max(size.1)).find(|&step| count(step) <= most).unwrap_or(1)
}

/// Returns the chunk itself if a workgroup with these limits can have it. Otherwise keeps as many of its columns as
/// possible, then as many of its rows as still fit.
fn nearest_chunk(chunk: (u32, u32), most: u32, sides: (u32, u32)) -> (u32, u32) {
    let across = chunk.0.clamp(1, sides.0.min(most));
    let down = chunk.1.clamp(1, sides.1.min(most / across));
    (across, down)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> wgpu::Limits {
        wgpu::Limits {
            max_compute_invocations_per_workgroup: 1024,
            max_compute_workgroup_size_x: 1024,
            max_compute_workgroup_size_y: 512,
            max_compute_workgroup_storage_size: 16384,
            ..wgpu::Limits::default()
        }
    }

    #[test]
    fn any_number_of_bins_and_any_fitting_chunk_make_a_shape() {
        for bins in [3, 7, 16, 100, 255, 256, 1000, 4096] {
            for chunk in [(1, 1), (256, 1), (16, 16), (32, 8), (5, 3), (1024, 1), (2, 512), (31, 33)] {
                let shape = Shape::within(&limits(), chunk, bins).unwrap_or_else(|error| panic!("{error}"));
                assert_eq!((shape.chunk(), shape.bins()), (chunk, bins));
            }
        }
        assert_eq!(Shape::default().chunks_of((641, 359)), (3, 359));
    }

    #[test]
    fn impossible_shapes_are_refused_with_the_nearest_possible_one() {
        let refused = |chunk, bins| Shape::within(&limits(), chunk, bins).unwrap_err();
        assert_eq!(refused((16, 16), 2), ShapeError::Bins { bins: 2, nearest: 3 });
        assert_eq!(
            refused((16, 16), 5000).to_string(),
            "5000 bins are not possible, only 3 to 4096; the nearest is 4096"
        );
        for (chunk, nearest) in [
            ((64, 64), (64, 16)),
            ((2048, 1), (1024, 1)),
            ((0, 4), (1, 4)),
            ((1, 1000), (1, 512)),
            ((3000, 3000), (1024, 1)),
            ((u32::MAX, u32::MAX), (1024, 1)),
        ] {
            let error = refused(chunk, 256);
            assert!(
                matches!(error, ShapeError::Chunk { nearest: found, .. } if found == nearest),
                "{chunk:?}: {error}"
            );
            assert!(error.to_string().ends_with(&format!("the nearest is {}x{}", nearest.0, nearest.1)), "{error}");
            assert!(Shape::within(&limits(), nearest, 256).is_ok(), "{chunk:?}");
        }
        let small = wgpu::Limits { max_compute_workgroup_storage_size: 16352, ..limits() };
        let error = Shape::within(&small, (256, 1), 4096).unwrap_err();
        assert_eq!(error, ShapeError::Memory { bins: 4096, memory: 16352, nearest: 4088 });
        assert!(Shape::within(&small, (256, 1), 4088).is_ok());
    }
}
