//! Prefix sums of words, by the tutorials' methods, of any length that the memory holds.
//!
//! The methods are those of Harris, Sengupta and Owens, "Parallel Prefix Sum (Scan) with CUDA", GPU Gems 3, chapter 39. Each scans
//! blocks; the blocks' sums are scanned level by level until one block holds them all.

use serde::Serialize;

use super::counting::{Step, megabytes, overrides, storage};
use histoscope_render::gpu::params::LevelParams;
use histoscope_render::gpu::readback::read_buffer;
use histoscope_render::gpu::resources::{self as buffers, Dispatch, rows_of_workgroups, uniform};
use histoscope_render::gpu::shaders::{self, groups};
use histoscope_render::gpu::timing::{Spans, compute_pass};
use histoscope_render::gpu::{Gpu, GpuError};

/// How a block is scanned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScanMethod {
    /// Every invocation sums up all words before its own.
    Naive,
    /// Every word takes the one that is 1, 2, 4, … before it.
    HillisSteele,
    /// Up a tree of sums and down again, neighbours of the tree in the same banks of memory.
    Blelloch,
    /// The same with words of padding, so that they are in different banks.
    ConflictFree,
}

/// Whether a word's own value is in its sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ScanKind {
    /// It is not: the first sum is 0.
    Exclusive,
    /// It is: the last sum is that of all words.
    Inclusive,
}

impl ScanMethod {
    /// Every method, in the order in which the tutorials come to them.
    pub const ALL: [Self; 4] = [Self::Naive, Self::HillisSteele, Self::Blelloch, Self::ConflictFree];

    /// The name by which it is chosen.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Naive => "naive",
            Self::HillisSteele => "hillis-steele",
            Self::Blelloch => "blelloch",
            Self::ConflictFree => "conflict-free",
        }
    }

    /// What people call it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Naive => "naive: all words before",
            Self::HillisSteele => "Hillis and Steele",
            Self::Blelloch => "Blelloch",
            Self::ConflictFree => "Blelloch, conflict-free",
        }
    }

    /// What it does and what that costs or gains, in a sentence.
    #[must_use]
    pub const fn explanation(self) -> &'static str {
        match self {
            Self::Naive => {
                "Every invocation sums up all words before its own: right, with as many additions as pairs of words."
            }
            Self::HillisSteele => {
                "Every word takes the one that is 1, 2, 4, … before it: few steps, and an addition for each word in each of them."
            }
            Self::Blelloch => {
                "Up a tree of sums and down again: two additions a word, but neighbours soon want the same bank of the memory."
            }
            Self::ConflictFree => {
                "The same tree with a word of padding after every 32, so that neighbours find different banks."
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

    /// Words that an invocation scans.
    const fn words_of_invocation(self) -> u32 {
        match self {
            Self::Naive | Self::HillisSteele => 1,
            Self::Blelloch | Self::ConflictFree => 2,
        }
    }

    /// Additions that one block of `block` words takes, those of pairs of zeros included.
    #[must_use]
    pub const fn additions(self, block: u64) -> u64 {
        match self {
            Self::Naive => block * block.saturating_sub(1) / 2,
            // In the step of offset d, all words but the first d.
            Self::HillisSteele => block * block.ilog2() as u64 - (block - 1),
            Self::Blelloch | Self::ConflictFree => 2 * (block - 1),
        }
    }
}

impl ScanMethod {
    /// Loads that one block of `block` words takes: from memory that all share, and from the workgroup's own.
    #[must_use]
    pub const fn loads(self, block: u64) -> (u64, u64) {
        match self {
            // Its own word comes with those before it.
            Self::Naive => (self.additions(block) + block, 0),
            // A step loads each word and, where it adds, another; in the end each is loaded once more.
            Self::HillisSteele => (block, block * block.ilog2() as u64 + self.additions(block) + block),
            // A pair loads two words on its way up and three on its way down; the top and then each word are loaded once more.
            Self::Blelloch | Self::ConflictFree => (block, 5 * (block - 1) + 1 + block),
        }
    }
}

/// What a loop on the CPU comes to, which is what all methods must come to.
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

/// A method's pipelines, for prefix sums of any length.
#[derive(Debug)]
pub struct ScanPass {
    method: ScanMethod,
    workgroup: u32,
    /// Words of a block.
    block: u32,
    constants: Vec<(&'static str, u32)>,
    /// Scans the words.
    words: wgpu::ComputePipeline,
    /// Scans the sums of blocks: what stands before a block leaves its own sum out, whatever the words are scanned for.
    sums: wgpu::ComputePipeline,
    add: wgpu::ComputePipeline,
}

/// A prefix sum that is ready to run on the adapter, as often as is wanted.
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
    /// Makes the pipelines for workgroups of so many invocations, a power of two; `Ok(Err)` says in words why the adapter cannot run
    /// them, and what it can.
    ///
    /// # Errors
    /// [`GpuError`] if the device fails.
    pub fn new(
        gpu: &Gpu,
        (method, kind): (ScanMethod, ScanKind),
        workgroup: u32,
    ) -> Result<Result<Self, String>, GpuError> {
        if let Err(why) = possible_workgroup(gpu, workgroup) {
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

    /// The method.
    #[must_use]
    pub const fn method(&self) -> ScanMethod {
        self.method
    }

    /// Words of a block.
    #[must_use]
    pub const fn block(&self) -> u32 {
        self.block
    }

    /// Gets a scan of so many words ready; `Ok(Err)` says in words why the adapter cannot run it, and what it can.
    ///
    /// # Errors
    /// [`GpuError`] if the device fails.
    pub fn scan(&self, gpu: &Gpu, length: u32) -> Result<Result<Scan, String>, GpuError> {
        if let Err(why) = possible_length(gpu, length) {
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
    /// The words to scan.
    #[must_use]
    pub const fn source(&self) -> &wgpu::Buffer {
        &self.source
    }

    /// Its passes, each of which has a span of timestamps in [`record`](Self::record).
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The sums.
    #[must_use]
    pub const fn target(&self) -> &wgpu::Buffer {
        &self.target
    }

    /// On how many levels blocks are scanned.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.scans.len()
    }

    /// Records all of it, each level's scan and then each level's addition in a compute pass of its own, with a span where there are
    /// any: as many as `2 * levels() - 1`.
    pub fn record_levels(&self, encoder: &mut wgpu::CommandEncoder, mut spans: Option<Spans<'_>>) {
        for dispatch in self.scans.iter().chain(&self.adds) {
            compute_pass(encoder, "level of a scan", spans, |pass| dispatch.run(pass, None));
            spans = spans.map(Spans::next);
        }
    }

    /// Dispatches all of it in a compute pass of the caller's.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.scans.iter().chain(&self.adds).for_each(|dispatch| dispatch.run(pass, None));
    }

    /// Records all of it, each step in a compute pass of its own, with a span where there are any.
    pub fn record(&self, encoder: &mut wgpu::CommandEncoder, spans: Option<Spans<'_>>) {
        let all = |dispatches: &[Dispatch], pass: &mut wgpu::ComputePass<'_>| {
            dispatches.iter().for_each(|dispatch| dispatch.run(pass, None));
        };
        compute_pass(encoder, "scan", spans, |pass| all(&self.scans, pass));
        if !self.adds.is_empty() {
            compute_pass(encoder, "add", spans.map(Spans::next), |pass| all(&self.adds, pass));
        }
    }

    /// Runs it on these words, as many as it was made for, and reads the sums; waits for them.
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

/// Whether the adapter can scan in workgroups of so many invocations.
fn possible_workgroup(gpu: &Gpu, workgroup: u32) -> Result<(), String> {
    let limits = gpu.device.limits();
    let largest = limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x);
    if workgroup.is_power_of_two() && (32..=largest).contains(&workgroup) {
        return Ok(());
    }
    let nearest = (1_u32 << workgroup.max(1).ilog2()).clamp(32, 1 << largest.ilog2());
    Err(format!("a scan's workgroup is a power of two from 32 to {largest}, not {workgroup}; the nearest is {nearest}"))
}

/// Whether the adapter can scan so many words.
///
/// # Errors
/// A sentence with the most that it can.
pub fn possible_length(gpu: &Gpu, length: u32) -> Result<(), String> {
    if length == 0 {
        return Err("there is nothing to scan; the shortest is 1 word".into());
    }
    let limits = gpu.device.limits();
    let most = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
    if u64::from(length) * 4 > most {
        return Err(format!(
            "{length} words take {}, and {} binds {} at most; the longest is {} words",
            megabytes(u64::from(length) * 4),
            gpu.info.name,
            megabytes(most),
            most / 4
        ));
    }
    Ok(())
}

/// What a scan is made of.
struct Levels<'a> {
    gpu: &'a Gpu,
    pass: &'a ScanPass,
    /// Words of each level: the words themselves, then the sums of their blocks, and so on.
    lengths: Vec<u32>,
    /// What is scanned on each level, and what that comes to.
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
        // One block's sum is noted nowhere, but something must be bound.
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
