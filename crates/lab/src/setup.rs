//! The combination of a method, channels and a shape, and what follows from it.

use super::method::{ChannelSet, Method};
use super::shape::{Shape, reduced};
use histoscope_core::histogram::{Histogram, regroup};
use histoscope_render::gpu::Gpu;

/// A complete description of what is counted and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Setup {
    /// The method.
    pub method: Method,
    /// The channels.
    pub channels: ChannelSet,
    /// The chunks and bins.
    pub shape: Shape,
}

/// The longest side of an image that a single invocation counts, in pixels. It takes some milliseconds on a hardware
/// GPU.
pub const SINGLE_SIDE: u32 = 64;
/// The longest side of a playing video's frame that the loop on the CPU counts, in pixels.
const SCALAR_SIDE: u32 = 256;

/// Most iterations of a loop on Mesa's software adapter. It silently ends an invocation after 65,535 iterations over
/// all loops, a few of which go to loops other than the one over the chunks.
const SOFTWARE_TURNS: u64 = 65_000;

impl Setup {
    /// Returns the words of the bins of all channels.
    #[must_use]
    pub const fn word_count(self) -> usize {
        (self.shape.bins() * self.channels.count()) as usize
    }

    /// Returns the bytes of the buffer in which a method of the tutorial counts an image of this size: for the bins, or
    /// for all chunks.
    #[must_use]
    pub fn bin_bytes(self, size: (u32, u32)) -> u64 {
        let (across, down) = self.shape.chunks_of(size);
        let sets = if self.method.keeps_chunks() { u64::from(across) * u64::from(down) } else { 1 };
        sets * self.word_count() as u64 * 4
    }

    /// Returns the number of channels whose bins fit in workgroup memory together.
    #[must_use]
    pub fn channels_together(self, limits: &wgpu::Limits) -> u32 {
        let fitting = limits.max_compute_workgroup_storage_size / (self.shape.bins() * 4);
        let count = self.channels.count();
        // Splits the channels evenly over dispatches: two and two, not three and one.
        count.div_ceil(count.div_ceil(fitting.clamp(1, count)))
    }

    /// Checks that the adapter can run the method.
    ///
    /// # Errors
    /// The reason if it cannot.
    pub fn check(self, gpu: &Gpu) -> Result<(), String> {
        let has_subgroups = gpu.device.features().contains(wgpu::Features::SUBGROUP);
        if self.method == Method::Subgroup && !has_subgroups {
            return Err(format!("{} does not support subgroups in shaders", gpu.info.name));
        }
        Ok(())
    }

    /// Returns how many turns an invocation's loops may take together in a shader of the user's own: far more than a
    /// method needs, and few enough to end soon.
    #[must_use]
    pub const fn most_turns(self) -> u32 {
        match self.method {
            Method::Single => SOFTWARE_TURNS as u32,
            _ => 20_000 + 4 * self.word_count() as u32,
        }
    }

    /// Returns the step between counted pixels; 1 counts all of them. A larger step keeps the method from hanging the
    /// device, and from taking more than `chunk_bytes` for its chunks.
    #[must_use]
    pub fn step(self, gpu: &Gpu, size: (u32, u32), chunk_bytes: u64) -> u32 {
        let limits = gpu.device.limits();
        let most = chunk_bytes.min(limits.max_storage_buffer_binding_size).min(limits.max_buffer_size);
        let side = match self.method {
            Method::Single => SINGLE_SIDE,
            Method::Scalar => SCALAR_SIDE,
            method if method.reads_texture() => limits.max_texture_dimension_2d,
            _ => u32::MAX,
        };
        let workgroups = limits.max_compute_workgroups_per_dimension;
        let fits = |step: &u32| {
            let size = reduced(size, *step);
            let (across, down) = self.shape.chunks_of(size);
            let runs = !self.method.reads_texture() || self.method == Method::Single || across.max(down) <= workgroups;
            let chunks = u64::from(across) * u64::from(down);
            let sums = self.method != Method::Sum || !gpu.is_software() || chunks <= SOFTWARE_TURNS;
            // A software adapter takes long to clear the bins of each workgroup.
            let is_cleared = self.method == Method::Shared && gpu.is_software();
            let cleared = if is_cleared { chunks * self.word_count() as u64 * 4 } else { 0 };
            size.0.max(size.1) <= side && self.bin_bytes(size).max(cleared) <= most && runs && sums
        };
        (1..=size.0.max(size.1)).find(fits).unwrap_or(1)
    }

    /// Splits interleaved bins into one vector per channel.
    #[must_use]
    pub fn by_channel(self, words: &[u32]) -> Vec<Vec<u32>> {
        let channels = self.channels.count() as usize;
        (0..channels).map(|channel| words.iter().skip(channel).step_by(channels).copied().collect()).collect()
    }

    /// Regroups our own bins into the number of bins of this setup, interleaved like the bins of the other methods.
    #[must_use]
    pub fn regrouped(self, histogram: &Histogram) -> Vec<u32> {
        let count = self.shape.bins();
        let channels: Vec<_> =
            self.channels.channels().map(|channel| regroup(histogram.bins(channel), count)).collect();
        (0..count as usize).flat_map(|bin| channels.iter().map(move |channel| channel[bin])).collect()
    }
}
