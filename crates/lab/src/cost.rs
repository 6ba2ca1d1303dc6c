//! The memory traffic of each method, calculated from its shader, ignoring caches.

use super::method::Method;
use super::setup::Setup;
use histoscope_core::picture::layout::PixelLayout;

/// Bytes of an image pixel, of a count, and of one load of the planes by our passes. The cost of summing
/// chunks is left out for our passes: there are so few that it is negligible.
const WORD: f64 = 4.0;

/// The average cost of one pixel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    /// Loads of pixels, bins and chunks from the memory of the GPU (or the CPU).
    pub loads: f64,
    /// Stores to that memory.
    pub stores: f64,
    /// Upper bound on atomic additions to bins in that memory. Additions to equal bins may be combined.
    pub atomics: f64,
    /// Upper bound on atomic additions in workgroup memory.
    pub workgroup_atomics: f64,
    /// Bytes read and written by all of the above, except in workgroup memory.
    pub bytes: f64,
}

impl Costs {
    /// Returns the cost of each pixel of a picture with this size and layout.
    #[must_use]
    pub fn of(setup: Setup, size: (u32, u32), layout: &PixelLayout) -> Self {
        let Setup { method, channels, shape } = setup;
        let pixels = f64::from(size.0) * f64::from(size.1);
        let channels = f64::from(channels.count());
        let (across, down) = shape.chunks_of(size);
        let chunks = f64::from(across) * f64::from(down);
        // Words of all chunks' bins per pixel.
        let bins = chunks * setup.word_count() as f64 / pixels;
        let pixel = Self { loads: 1.0, stores: 0.0, atomics: 0.0, workgroup_atomics: 0.0, bytes: WORD };
        let planes = plane_bytes(size, layout) / pixels;
        match method {
            Method::Scalar | Method::Single | Method::Race => {
                Self { loads: 1.0 + channels, stores: channels, bytes: WORD * (1.0 + 2.0 * channels), ..pixel }
            }
            Method::Atomics | Method::Subgroup => {
                Self { atomics: channels, bytes: WORD * (1.0 + 2.0 * channels), ..pixel }
            }
            Method::Sum => Self {
                loads: 1.0 + bins,
                stores: bins,
                workgroup_atomics: channels,
                bytes: WORD * (1.0 + 2.0 * bins),
                ..pixel
            },
            Method::Pairwise => {
                // Each chunk is written once. Each pair loads two words and stores one, and there is one pair less than
                // there are chunks.
                let pairs = bins * (chunks - 1.0) / chunks;
                Self {
                    loads: 1.0 + 2.0 * pairs,
                    stores: bins + pairs,
                    workgroup_atomics: channels,
                    bytes: WORD * (1.0 + bins + 3.0 * pairs),
                    ..pixel
                }
            }
            Method::Shared => {
                // Only bins that are not empty are added, and a chunk has no more of them than it has pixels.
                let added = bins.min(channels);
                Self { atomics: added, workgroup_atomics: channels, bytes: WORD * (1.0 + 2.0 * added), ..pixel }
            }
            Method::OursGpu => Self { loads: planes / WORD, workgroup_atomics: channels, bytes: planes, ..pixel },
            Method::OursCpu => Self { loads: planes / WORD + channels, stores: channels, bytes: planes, ..pixel },
            Method::Floor => Self { loads: planes / (4.0 * WORD), bytes: planes, ..pixel },
        }
    }
}

/// Returns the bytes of a picture's samples, without padding.
fn plane_bytes(size: (u32, u32), layout: &PixelLayout) -> f64 {
    let planes = (0..layout.plane_count()).map(|plane| layout.plane_size(plane, size.0, size.1));
    planes.map(|(row_bytes, rows)| row_bytes as f64 * rows as f64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ChannelSet, Shape};

    fn of(method: Method, channels: ChannelSet) -> Costs {
        let setup = Setup { method, channels, shape: Shape::default() };
        Costs::of(setup, (2560, 100), &PixelLayout::planar_ycbcr(8, (1, 1)))
    }

    #[test]
    fn costs_match_the_shaders() {
        let costs = |loads, stores, atomics, workgroup_atomics, bytes| Costs {
            loads,
            stores,
            atomics,
            workgroup_atomics,
            bytes,
        };
        // 256 bins for 256 pixels make one word for each pixel and channel.
        assert_eq!(of(Method::Single, ChannelSet::One), costs(2.0, 1.0, 0.0, 0.0, 12.0));
        assert_eq!(of(Method::Race, ChannelSet::Four), costs(5.0, 4.0, 0.0, 0.0, 36.0));
        assert_eq!(of(Method::Atomics, ChannelSet::Four), costs(1.0, 0.0, 4.0, 0.0, 36.0));
        assert_eq!(of(Method::Sum, ChannelSet::Four), costs(5.0, 4.0, 0.0, 4.0, 36.0));
        let pairwise = of(Method::Pairwise, ChannelSet::One);
        assert!((pairwise.loads - 2.998).abs() < 1e-9 && (pairwise.stores - 1.999).abs() < 1e-9, "{pairwise:?}");
        assert!((pairwise.bytes - 19.988).abs() < 1e-9, "{pairwise:?}");
        assert_eq!(of(Method::Shared, ChannelSet::One), costs(1.0, 0.0, 1.0, 1.0, 12.0));
        assert_eq!(of(Method::OursGpu, ChannelSet::Four), costs(0.375, 0.0, 0.0, 4.0, 1.5));
        assert_eq!(of(Method::Floor, ChannelSet::One), costs(0.09375, 0.0, 0.0, 0.0, 1.5));
    }
}
