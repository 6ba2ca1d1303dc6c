//! Divides the counting of a picture according to the adapter's limits: chunks, workgroup size, copies of the bins,
//! runs of channels.

use crate::gpu::{Gpu, GpuError};
use histoscope_core::histogram::{CHANNELS, Histogram};

/// The most bytes that the chunks take, at any picture size and depth.
pub const MAX_CHUNK_BYTES: usize = 8 << 20;
/// Pixels that an invocation counts at a time, as in shaders/chunk.wgsl.
const BLOCK_PIXELS: u32 = 8;
/// Bytes of workgroup memory that the chunk pass uses in addition to the bins.
const TAIL_BYTES: u32 = 64;
/// Storage buffers of a pass that counts its own output: planes, curves, axes, result, chunks and scales.
const FUSED_BUFFERS: u32 = 8;
/// Invocations per workgroup, and workgroups, of a pass that counts its own output, on a GPU with its own memory.
const FUSED: (u32, u32) = (1024, 132);

/// Consecutive channels whose bins are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChannelRun {
    /// First channel.
    pub first: u32,
    /// Number of channels.
    pub count: u32,
}

/// The plan for counting one picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// n: a channel has 2^n bins.
    pub bits: u32,
    /// Invocations per workgroup of the chunk pass.
    pub workgroup: u32,
    /// Workgroups of the chunk pass, which is the number of chunks.
    pub chunks: u32,
    /// Copies of each bin in workgroup memory.
    pub copies: u32,
    /// The channels, divided into runs whose bins fit in workgroup memory; one dispatch per run.
    pub runs: Vec<ChannelRun>,
}

impl Plan {
    /// Returns the plan for a picture of `pixels` pixels with `bits` bits per code on this adapter.
    ///
    /// # Errors
    /// [`GpuError::TooDeep`] if its workgroup memory cannot hold the bins of one channel.
    pub fn of(gpu: &Gpu, bits: u32, pixels: u32) -> Result<Self, GpuError> {
        Self::new(&gpu.device.limits(), gpu.info.device_type, bits, pixels)
            .ok_or_else(|| GpuError::TooDeep { bits, adapter: gpu.info.name.clone() })
    }

    /// Returns the plan for a picture of `pixels` pixels with `bits` bits per code; `None` if the adapter's workgroup
    /// memory cannot hold the bins of even one channel.
    #[must_use]
    pub fn new(limits: &wgpu::Limits, kind: wgpu::DeviceType, bits: u32, pixels: u32) -> Option<Self> {
        let memory = limits.max_compute_workgroup_storage_size.saturating_sub(TAIL_BYTES);
        let channel_bytes = 4_u32 << bits;
        let together = (memory / channel_bytes).min(CHANNELS as u32);
        if together == 0 {
            return None;
        }
        // Runs of equal length: two and two even if three would fit, so that each run lets more workgroups run
        // concurrently.
        let runs = (CHANNELS as u32).div_ceil(together);
        let together = (CHANNELS as u32).div_ceil(runs);
        let runs = (0..runs)
            .map(|run| ChannelRun { first: run * together, count: together.min(CHANNELS as u32 - run * together) })
            .collect();
        // Few, large workgroups: measured on an NVIDIA H200 with various sizes, depths and contents, one workgroup of
        // 1024 per processor was fastest, because it leaves the fewest chunks to clear, write out and sum. wgpu does
        // not report the number of processors; a third more or less costs little.
        let (wanted_workgroup, wanted_chunks) = match kind {
            wgpu::DeviceType::Cpu => (64, 32),
            wgpu::DeviceType::IntegratedGpu => (512, 64),
            _ => (1024, 132),
        };
        let plan = Self { bits, workgroup: wanted_workgroup, chunks: wanted_chunks, copies: 1, runs };
        Some(plan.within(limits, pixels))
    }

    /// Returns the plan for a pass that counts its own output; `None` unless the bins of all channels and the curves of
    /// three fit in workgroup memory together.
    #[must_use]
    pub fn fused(limits: &wgpu::Limits, kind: wgpu::DeviceType, bits: u32, pixels: u32) -> Option<Self> {
        let plan = Self::new(limits, kind, bits, pixels).filter(|plan| plan.runs.len() == 1)?;
        let bytes = (((CHANNELS as u32 + 3) * 4) << bits) + TAIL_BYTES;
        if limits.max_storage_buffers_per_shader_stage < FUSED_BUFFERS
            || limits.max_compute_workgroup_storage_size < bytes
        {
            return None;
        }
        Some(match kind {
            wgpu::DeviceType::Cpu | wgpu::DeviceType::IntegratedGpu => plan,
            _ => Self { workgroup: FUSED.0, chunks: FUSED.1, ..plan }.within(limits, pixels),
        })
    }

    /// Limits the size and number of workgroups to what the adapter, the chunk buffer and the picture can use.
    fn within(self, limits: &wgpu::Limits, pixels: u32) -> Self {
        let workgroup = self.workgroup.min(limits.max_compute_invocations_per_workgroup);
        // A chunk with fewer blocks than invocations would only add work to the reduce pass.
        let useful = pixels.div_ceil(BLOCK_PIXELS * workgroup).max(1);
        let most = most_chunks(self.bits).min(useful).min(limits.max_compute_workgroups_per_dimension);
        Self { workgroup, chunks: self.chunks.min(most), ..self }
    }
}

/// Returns the most chunks that fit in [`MAX_CHUNK_BYTES`] at `bits` bits per code.
#[must_use]
pub const fn most_chunks(bits: u32) -> u32 {
    (MAX_CHUNK_BYTES / (4 * Histogram::word_count(bits))) as u32
}

/// Returns the number of rows of 32 invocations in a workgroup of the reduce pass.
#[must_use]
pub fn reduce_parts(limits: &wgpu::Limits) -> u32 {
    (limits.max_compute_invocations_per_workgroup / 32).clamp(1, 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(workgroup_memory: u32) -> wgpu::Limits {
        wgpu::Limits { max_compute_workgroup_storage_size: workgroup_memory, ..wgpu::Limits::defaults() }
    }

    #[test]
    fn chunks_stay_under_8_mib_and_cover_every_channel_once() {
        for memory in [16 << 10, 32 << 10, 48 << 10, 64 << 10, 128 << 10] {
            for bits in [8, 10, 12] {
                for pixels in [1, 255, 1280 * 720, 8192 * 4320, 1 << 30] {
                    for kind in [wgpu::DeviceType::Cpu, wgpu::DeviceType::IntegratedGpu, wgpu::DeviceType::DiscreteGpu]
                    {
                        let Some(plan) = Plan::new(&limits(memory), kind, bits, pixels) else {
                            assert_eq!((memory, bits), (16 << 10, 12), "only this is too little");
                            continue;
                        };
                        assert!(plan.chunks >= 1 && plan.chunks as usize * Histogram::word_count(bits) * 4 <= 8 << 20);
                        let mut next = 0;
                        for run in &plan.runs {
                            assert_eq!(run.first, next);
                            assert!(run.count >= 1);
                            assert!((run.count << bits) * 4 * plan.copies + TAIL_BYTES <= memory);
                            next += run.count;
                        }
                        assert_eq!(next, 4);
                    }
                }
            }
        }
    }

    #[test]
    fn output_is_counted_if_all_bins_fit_together() {
        let kind = wgpu::DeviceType::DiscreteGpu;
        let fused = |memory, bits, pixels| Plan::fused(&limits(memory), kind, bits, pixels);
        for (memory, bits, fits) in [(16, 8, true), (16, 10, false), (48, 10, true), (48, 12, false), (128, 12, true)] {
            let plan = fused(memory << 10, bits, 3840 * 2160);
            assert_eq!(plan.is_some(), fits, "{memory} KiB, {bits} bits");
            let runs = plan.map(|plan| plan.runs);
            assert!(runs.is_none_or(|runs| runs == [ChannelRun { first: 0, count: 4 }]));
        }
        assert_eq!(fused(48 << 10, 8, 1).unwrap().chunks, 1, "no more than a small picture has use for");
        let few = wgpu::Limits { max_storage_buffers_per_shader_stage: 7, ..limits(48 << 10) };
        assert_eq!(Plan::fused(&few, kind, 8, 1 << 20), None);
    }

    #[test]
    fn deep_bins_split_the_channels() {
        let kind = wgpu::DeviceType::DiscreteGpu;
        let runs = |bits| Plan::new(&limits(48 << 10), kind, bits, 1 << 20).unwrap().runs;
        assert_eq!(runs(8).len(), 1);
        assert_eq!(runs(10).len(), 1);
        assert_eq!(runs(12), [ChannelRun { first: 0, count: 2 }, ChannelRun { first: 2, count: 2 }]);
    }
}
