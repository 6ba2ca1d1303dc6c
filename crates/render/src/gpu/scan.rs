//! The prefix sum.

use crate::gpu::Gpu;
use crate::gpu::resources::{Dispatch, rows_of_workgroups, storage, uniform};
use crate::gpu::shaders::{self, groups};
use bytemuck::{Pod, Zeroable};

/// `Job` of shaders/adjust/scan.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct ScanParams {
    /// First word of the source.
    pub source: u32,
    /// First word of the target.
    pub target_at: u32,
    /// Words to scan.
    pub length: u32,
    /// Blocks that they are divided into.
    pub blocks: u32,
}

const _: () = assert!(size_of::<ScanParams>() == 16);

/// The pipeline constants of shaders/adjust/scan_block.wgsl.
pub(crate) fn block_constants(workgroup: u32, conflict_free: bool) -> [(&'static str, f64); 3] {
    let block = 2 * workgroup;
    [
        ("WORKGROUP", f64::from(workgroup)),
        ("BLOCK_WORDS", f64::from(block + block / 32)),
        ("CONFLICT_FREE", f64::from(u8::from(conflict_free))),
    ]
}

/// Computes exclusive prefix sums of words, modulo 2^32.
#[derive(Debug)]
pub struct ScanPass {
    /// Words per block.
    block: u32,
    blocks: wgpu::ComputePipeline,
    sums: wgpu::ComputePipeline,
    add: wgpu::ComputePipeline,
    /// The block sums of the running job; jobs run one after another.
    block_sums: wgpu::Buffer,
}

/// A range of words in a buffer, which starts at `offset`.
#[derive(Debug, Clone, Copy)]
pub struct BufferWords<'a> {
    /// The buffer, which has `STORAGE`.
    pub buffer: &'a wgpu::Buffer,
    /// The first word.
    pub offset: u32,
}

/// A prefix sum that is ready to run, any number of times.
#[derive(Debug, Clone)]
pub struct ScanJob {
    dispatches: Vec<Dispatch>,
}

impl ScanPass {
    /// The capacity that every adapter supports, in words.
    pub const MIN_CAPACITY: u32 = 512 * 512;

    /// Creates the pass with the workgroup size that suits the adapter.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        let most = gpu.device.limits().max_compute_invocations_per_workgroup;
        Self::with_workgroup(gpu, if most >= 512 { 512 } else { 256 }, true)
    }

    /// Like [`new`](Self::new), with workgroups of `workgroup` invocations, a power of two, and with or without
    /// conflict-free indexing.
    #[must_use]
    pub fn with_workgroup(gpu: &Gpu, workgroup: u32, conflict_free: bool) -> Self {
        let device = &gpu.device;
        let block = 2 * workgroup;
        let shader = shaders::SCAN.module(device);
        let constants = block_constants(workgroup, conflict_free);
        let pipeline = |entry_point| shader.compute(device, entry_point, &constants);
        let (blocks, sums, add) = (pipeline("blocks"), pipeline("sums"), pipeline("add"));
        let block_sums = storage(device, "block sums", block as usize);
        Self { block, blocks, sums, add, block_sums }
    }

    /// Returns the most words that a scan may have.
    #[must_use]
    pub const fn capacity(&self) -> u32 {
        self.block * self.block
    }

    /// Prepares a scan of `length` words, at most [`capacity`](Self::capacity). The buffers must be different ones, and
    /// hold that many words after their offsets.
    #[must_use]
    pub fn job(&self, gpu: &Gpu, source: BufferWords<'_>, target: BufferWords<'_>, length: u32) -> ScanJob {
        let length = length.min(self.capacity());
        let blocks = length.div_ceil(self.block);
        let params = ScanParams { source: source.offset, target_at: target.offset, length, blocks };
        let job = uniform(gpu, "scan", &params);
        let group = groups::SCAN.bind(&gpu.device, &[&job, source.buffer, target.buffer, &self.block_sums]);
        let dispatch = |pipeline: &wgpu::ComputePipeline, workgroups| Dispatch {
            pipeline: pipeline.clone(),
            group: group.clone(),
            workgroups,
        };
        let mut dispatches = Vec::new();
        if blocks > 0 {
            dispatches.push(dispatch(&self.blocks, rows_of_workgroups(blocks)));
        }
        if blocks > 1 {
            dispatches.push(dispatch(&self.sums, (1, 1)));
            dispatches.push(dispatch(&self.add, rows_of_workgroups(blocks)));
        }
        ScanJob { dispatches }
    }
}

impl ScanJob {
    /// Dispatches the scan in the caller's compute pass.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.dispatches.iter().for_each(|dispatch| dispatch.run(pass, None));
    }
}
