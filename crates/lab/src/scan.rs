//! Prefix sums of words by the tutorials' methods, of any length that fits in memory.
//!
//! The methods are from Harris, Sengupta and Owens, "Parallel Prefix Sum (Scan) with CUDA", GPU Gems 3, chapter 39.
//! Each scans blocks. The blocks' sums are scanned level by level, until one block holds them all.

use serde::Serialize;

use super::counting_pass::{Step, megabytes, overrides, storage};
use histoscope_render::gpu::params::LevelParams;
use histoscope_render::gpu::readback::read_buffer;
use histoscope_render::gpu::resources::{self as buffers, Dispatch, rows_of_workgroups, uniform};
use histoscope_render::gpu::shaders::{self, groups};
use histoscope_render::gpu::timing::{Spans, compute_pass};
use histoscope_render::gpu::{Gpu, GpuError};

/// A method of scanning a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScanMethod {
    /// Every invocation sums up all words before its own.
    Naive,
    /// Every word adds the word 1, 2, 4, … positions before it.
    HillisSteele,
    /// Sums go up a tree and down again. Neighbours in the tree use the same memory banks.
    Blelloch,
    /// Like [`Blelloch`](Self::Blelloch), with padding words, so that neighbours use different banks.
    ConflictFree,
}

/// An exclusive or inclusive prefix sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ScanKind {
    /// A word's own value is not in its sum: the first sum is 0.
    Exclusive,
    /// A word's own value is in its sum: the last sum is the total.
    Inclusive,
}

impl ScanMethod {
    /// Every method, in the order of the tutorials.
    pub const ALL: [Self; 4] = [Self::Naive, Self::HillisSteele, Self::Blelloch, Self::ConflictFree];

    /// Returns the name that selects the method.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Naive => "naive",
            Self::HillisSteele => "hillis-steele",
            Self::Blelloch => "blelloch",
            Self::ConflictFree => "conflict-free",
        }
    }

    /// Returns the name shown to users.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Naive => "naive: all words before",
            Self::HillisSteele => "Hillis and Steele",
            Self::Blelloch => "Blelloch",
            Self::ConflictFree => "Blelloch, conflict-free",
        }
    }

    /// Returns a sentence on how the method works and what it costs.
    #[must_use]
    pub const fn explanation(self) -> &'static str {
        match self {
            Self::Naive => {
                "Every invocation sums up all words before its own: correct, but with as many additions as pairs of words."
            }
            Self::HillisSteele => {
                "Every word adds the word 1, 2, 4, … before it: few steps, but each has an addition for every word."
            }
            Self::Blelloch => {
                "Up a tree of sums and down again: two additions per word, but neighbours soon compete for the same memory bank."
            }
            Self::ConflictFree => {
                "The same tree with a word of padding after every 32, so that neighbours use different banks."
            }
        }
    }

    const fn entry_point(self) -> &'static str {
        match self {
            Self::Naive => "naive",
            Self::HillisSteele => "hillis_steele",
            Self::Blelloch | Self::ConflictFree => "blelloch",
        }
    }

    /// Returns the number of words that an invocation scans.
    const fn words_of_invocation(self) -> u32 {
        match self {
            Self::Naive | Self::HillisSteele => 1,
            Self::Blelloch | Self::ConflictFree => 2,
        }
    }

    /// Returns the additions for one block of `block` words, including those for pairs of zeros.
    #[must_use]
    pub const fn additions(self, block: u64) -> u64 {
        match self {
            Self::Naive => block * block.saturating_sub(1) / 2,
            // In the step with offset d, all words add except the first d.
            Self::HillisSteele => block * block.ilog2() as u64 - (block - 1),
            Self::Blelloch | Self::ConflictFree => 2 * (block - 1),
        }
    }
}

impl ScanMethod {
    /// Returns the loads for one block of `block` words: from global memory, and from workgroup memory.
    #[must_use]
    pub const fn loads(self, block: u64) -> (u64, u64) {
        match self {
            // An invocation loads its own word together with those before it.
            Self::Naive => (self.additions(block) + block, 0),
            // A step loads each word, and a second one for each addition. At the end each word is loaded once more.
            Self::HillisSteele => (block, block * block.ilog2() as u64 + self.additions(block) + block),
            // A pair loads two words on its way up and three on its way down. Then the top, and then each word, are
            // loaded once more.
            Self::Blelloch | Self::ConflictFree => (block, 5 * (block - 1) + 1 + block),
        }
    }
}

/// Computes the prefix sum in a loop on the CPU. Every method must give this result.
#[must_use]
pub fn serial(words: &[u32], kind: ScanKind) -> Vec<u32> {
    let mut sum = 0_u32;
    let scanned = words.iter().map(|&word| {
        let before = sum;
        sum = sum.wrapping_add(word);
        if kind == ScanKind::Exclusive { before } else { sum }
    });
    scanned.collect()
}

/// The pipelines of a method, for prefix sums of any length.
#[derive(Debug)]
pub struct ScanPass {
    method: ScanMethod,
    workgroup: u32,
    /// Words of a block.
    block: u32,
    constants: Vec<(&'static str, u32)>,
    /// The pipeline that scans the words.
    words: wgpu::ComputePipeline,
    /// The pipeline that scans the sums of blocks. It is always exclusive: the sum added to a block must not include
    /// the block itself.
    sums: wgpu::ComputePipeline,
    add: wgpu::ComputePipeline,
}

/// A prefix sum that is ready to run on the adapter, any number of times.
#[derive(Debug)]
pub struct Scan {
    length: u32,
    source: wgpu::Buffer,
    target: wgpu::Buffer,
    scans: Vec<Dispatch>,
    adds: Vec<Dispatch>,
    steps: Vec<Step>,
}

impl ScanPass {
    /// Makes the pipelines for workgroups of this many invocations, a power of two.
    ///
    /// Returns `Ok(Err)` with the reason, and what would work, if the adapter cannot run them.
    ///
    /// # Errors
    /// [`GpuError`] if the device fails.
    pub fn new(
        gpu: &Gpu,
        (method, kind): (ScanMethod, ScanKind),
        workgroup: u32,
    ) -> Result<Result<Self, String>, GpuError> {
        if let Err(why) = check_workgroup(gpu, workgroup) {
            return Ok(Err(why));
        }
        let constants = |kind| {
            let words = 2 * workgroup;
            let conflict_free = method == ScanMethod::ConflictFree;
            vec![
                ("WORKGROUP", workgroup),
                ("BLOCK_WORDS", if conflict_free { words + words / 32 } else { words }),
                ("CONFLICT_FREE", conflict_free.into()),
                ("INCLUSIVE", (kind == ScanKind::Inclusive).into()),
            ]
        };
        let module = shaders::LAB_SCAN.module(&gpu.device);
        let pipeline = |entry_point, kind| module.compute(&gpu.device, entry_point, &overrides(&constants(kind)));
        let words = pipeline(method.entry_point(), kind);
        let sums = match kind {
            ScanKind::Exclusive => words.clone(),
            ScanKind::Inclusive => pipeline(method.entry_point(), ScanKind::Exclusive),
        };
        let add = pipeline("add", kind);
        gpu.check()?;
        let block = workgroup * method.words_of_invocation();
        Ok(Ok(Self { method, workgroup, block, constants: constants(kind), words, sums, add }))
    }

    /// Returns the method.
    #[must_use]
    pub const fn method(&self) -> ScanMethod {
        self.method
    }

    /// Returns the number of words per block.
    #[must_use]
    pub const fn block(&self) -> u32 {
        self.block
    }

    /// Prepares a scan of `length` words.
    ///
    /// Returns `Ok(Err)` with the reason, and what would work, if the adapter cannot run it.
    ///
    /// # Errors
    /// [`GpuError`] if the device fails.
    pub fn scan(&self, gpu: &Gpu, length: u32) -> Result<Result<Scan, String>, GpuError> {
        if let Err(why) = check_length(gpu, length) {
            return Ok(Err(why));
        }
        // The words, then on each level the sums of the blocks below.
        let mut lengths = vec![length];
        while let Some(&last) = lengths.last().filter(|&&last| last > self.block) {
            lengths.push(last.div_ceil(self.block));
        }
        let memory = |words: &u32| storage(gpu, "scan", u64::from((*words).max(4)) * 4);
        let (sources, targets): (Result<Vec<_>, _>, Result<Vec<_>, _>) =
            (lengths.iter().map(memory).collect(), lengths.iter().map(memory).collect());
        let (sources, targets) = match (sources, targets) {
            (Ok(sources), Ok(targets)) => (sources, targets),
            (Err(why), _) | (_, Err(why)) => return Ok(Err(format!("{length} words: {why}"))),
        };
        let made = Levels { gpu, pass: self, lengths, sources, targets }.made();
        gpu.check()?;
        Ok(Ok(made))
    }
}

impl Scan {
    /// Returns the buffer for the words to scan.
    #[must_use]
    pub const fn source(&self) -> &wgpu::Buffer {
        &self.source
    }

    /// Returns the steps. Each has its own span of timestamps in [`record`](Self::record).
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns the buffer that the sums are written to.
    #[must_use]
    pub const fn target(&self) -> &wgpu::Buffer {
        &self.target
    }

    /// Returns the number of levels.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.scans.len()
    }

    /// Records the scan of each level, then the additions of each level, each in its own compute pass. If there are
    /// spans, each of the `2 * levels() - 1` passes uses one.
    pub fn record_levels(&self, encoder: &mut wgpu::CommandEncoder, mut spans: Option<Spans<'_>>) {
        for dispatch in self.scans.iter().chain(&self.adds) {
            compute_pass(encoder, "level of a scan", spans, |pass| dispatch.run(pass, None));
            spans = spans.map(Spans::next);
        }
    }

    /// Records all steps, each in its own compute pass, and with its own span if there are spans.
    pub fn record(&self, encoder: &mut wgpu::CommandEncoder, spans: Option<Spans<'_>>) {
        let all = |dispatches: &[Dispatch], pass: &mut wgpu::ComputePass<'_>| {
            dispatches.iter().for_each(|dispatch| dispatch.run(pass, None));
        };
        compute_pass(encoder, "scan", spans, |pass| all(&self.scans, pass));
        if !self.adds.is_empty() {
            compute_pass(encoder, "add", spans.map(Spans::next), |pass| all(&self.adds, pass));
        }
    }

    /// Scans these words and waits for the sums. There must be as many words as the scan was made for.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device fails.
    pub fn run(&self, gpu: &Gpu, words: &[u32]) -> Result<Vec<u32>, GpuError> {
        gpu.queue.write_buffer(&self.source, 0, bytemuck::cast_slice(words));
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("scan") });
        self.record(&mut encoder, None);
        gpu.queue.submit([encoder.finish()]);
        Ok(bytemuck::pod_collect_to_vec(&read_buffer(gpu, &self.target, u64::from(self.length) * 4)?))
    }
}

/// Checks that the adapter can scan with workgroups of this many invocations.
fn check_workgroup(gpu: &Gpu, workgroup: u32) -> Result<(), String> {
    let limits = gpu.device.limits();
    let largest = limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x);
    if workgroup.is_power_of_two() && (32..=largest).contains(&workgroup) {
        return Ok(());
    }
    let nearest = (1_u32 << workgroup.max(1).ilog2()).clamp(32, 1 << largest.ilog2());
    Err(format!(
        "a scan's workgroup must have a power of two from 32 to {largest} invocations, not {workgroup}; the nearest is \
         {nearest}"
    ))
}

/// Checks that the adapter can scan this many words.
///
/// # Errors
/// A sentence with the most words that it can scan.
pub fn check_length(gpu: &Gpu, length: u32) -> Result<(), String> {
    if length == 0 {
        return Err("nothing to scan; the shortest length is 1 word".into());
    }
    let limits = gpu.device.limits();
    let most = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
    if u64::from(length) * 4 > most {
        return Err(format!(
            "{length} words take {}, but {} binds at most {}; the longest is {} words",
            megabytes(u64::from(length) * 4),
            gpu.info.name,
            megabytes(most),
            most / 4
        ));
    }
    Ok(())
}

/// The buffers of a scan, from which its passes are made.
struct Levels<'a> {
    gpu: &'a Gpu,
    pass: &'a ScanPass,
    /// Words of each level: the words themselves, then the sums of their blocks, and so on.
    lengths: Vec<u32>,
    /// The input and output of each level.
    sources: Vec<wgpu::Buffer>,
    targets: Vec<wgpu::Buffer>,
}

impl Levels<'_> {
    fn made(mut self) -> Scan {
        let scans: Vec<_> = (0..self.lengths.len()).map(|level| self.scan(level)).collect();
        let adds: Vec<_> = (0..self.lengths.len() - 1).rev().map(|level| self.add(level)).collect();
        let mut steps = vec![self.step("blocks", &scans)];
        if !adds.is_empty() {
            steps.push(self.step("add", &adds));
        }
        Scan {
            length: self.lengths[0],
            source: self.sources.swap_remove(0),
            target: self.targets.swap_remove(0),
            scans,
            adds,
            steps,
        }
    }

    fn step(&self, name: &'static str, dispatches: &[Dispatch]) -> Step {
        let workgroups = dispatches.first().map_or((0, 0), |first| first.workgroups);
        let constants = self.pass.constants.clone();
        let step = Step::new(name, &shaders::LAB_SCAN, constants, (self.pass.workgroup, 1), workgroups);
        Step { dispatches: dispatches.len() as u32, ..step }
    }

    fn blocks(&self, level: usize) -> u32 {
        self.lengths[level].div_ceil(self.pass.block)
    }

    fn scan(&self, level: usize) -> Dispatch {
        let pipeline = if level == 0 { &self.pass.words } else { &self.pass.sums };
        // The sum of a single block is not needed, but something must be bound.
        let nowhere = buffers::storage(&self.gpu.device, "nowhere", 4);
        let group = self.group(level, self.sources.get(level + 1).unwrap_or(&nowhere));
        Dispatch { pipeline: pipeline.clone(), group, workgroups: rows_of_workgroups(self.blocks(level)) }
    }

    fn add(&self, level: usize) -> Dispatch {
        let workgroups = rows_of_workgroups(self.lengths[level].div_ceil(self.pass.workgroup));
        Dispatch { pipeline: self.pass.add.clone(), group: self.group(level, &self.targets[level + 1]), workgroups }
    }

    fn group(&self, level: usize, sums: &wgpu::Buffer) -> wgpu::BindGroup {
        let (length, blocks) = (self.lengths[level], self.blocks(level));
        let params = LevelParams { length, blocks, block: self.pass.block, padding: 0 };
        let params = uniform(self.gpu, "scan", &params);
        groups::SCAN.bind(&self.gpu.device, &[&params, &self.sources[level], &self.targets[level], sums])
    }
}
