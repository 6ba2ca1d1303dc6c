//! Counts vectorscopes in one compute pass: pairs of colour differences or of chromaticities, from the same planes as
//! the histogram.

use bytemuck::{Pod, Zeroable};
use std::collections::HashMap;

use super::Gpu;
use super::GpuError;
use super::pairs::{PairSource, PairWeights, write_light};
use super::params::InputPicture;
use super::resources::{Dispatch, storage, uniform};
use super::scope_pass::{ScopePass, ScopeSubject};
use super::shaders::{self, groups};
use super::timing::{Spans, compute_pass, compute_pass_into};
use histoscope_core::picture::region::Rect;
use histoscope_core::scopes::{Chroma, PairComputation, ScopeCounts, Vectorscope};

/// `Vectorscope` of shaders/vectorscope.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct VectorscopeParams {
    /// Column and row of the first counted sample.
    pub low: [u32; 2],
    /// Column and row after the last counted sample.
    pub high: [u32; 2],
    /// The computation of pairs.
    pub weights: PairWeights,
}

const _: () = assert!(size_of::<VectorscopeParams>() == 64);

/// The division of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VectorscopePlan {
    /// Invocations per workgroup.
    pub workgroup: u32,
    /// The fewest workgroups, unless there is too little to count.
    pub workgroups: u32,
    /// Bits of a pair of levels that select a slot in a workgroup's table, which has 4 · 2^bits bytes.
    pub slot_bits: u32,
}

impl VectorscopePlan {
    /// Returns the plan for this adapter.
    #[must_use]
    pub fn of(gpu: &Gpu) -> Self {
        let limits = gpu.device.limits();
        let (workgroup, workgroups, most_slot_bits) = match gpu.info.device_type {
            wgpu::DeviceType::Cpu => (64, 16, 12),
            wgpu::DeviceType::IntegratedGpu => (256, 64, 12),
            _ => (512, 264, 13),
        };
        let memory = limits.max_compute_workgroup_storage_size;
        let slot_bits = (0..=most_slot_bits).rev().find(|bits| 4 << bits <= memory).unwrap_or(0);
        let workgroup = workgroup.min(limits.max_compute_invocations_per_workgroup);
        Self { workgroup, workgroups, slot_bits }
    }
}

/// Counts vectorscopes. No resources are created until a picture is prepared.
#[derive(Debug)]
pub struct VectorscopePasses {
    plan: VectorscopePlan,
    shader: shaders::Module,
    pipelines: HashMap<(InputPicture, PairSource), wgpu::ComputePipeline>,
    counts: Option<wgpu::Buffer>,
    /// The linear light of each code, if chromaticities are counted.
    light: wgpu::Buffer,
    prepared: Option<PreparedVectorscope>,
}

#[derive(Debug)]
struct PreparedVectorscope {
    of: (InputPicture, Chroma, Rect),
    level_bits: u32,
    words: usize,
    dispatch: Dispatch,
}

impl VectorscopePasses {
    /// Creates passes that have counted nothing yet.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        Self::with_plan(gpu, VectorscopePlan::of(gpu))
    }

    /// Like [`new`](Self::new), with the caller's plan, to compare plans.
    #[must_use]
    pub fn with_plan(gpu: &Gpu, plan: VectorscopePlan) -> Self {
        let shader = shaders::VECTORSCOPE.module(&gpu.device);
        let light = storage(&gpu.device, "light of codes", 0);
        Self { plan, shader, pipelines: HashMap::new(), counts: None, light, prepared: None }
    }

    /// Prepares the pass for a rectangle within a picture like this one; cheap if nothing has changed. Nothing is
    /// counted if `chroma` is `None` because the picture has no colour.
    pub fn prepare(&mut self, gpu: &Gpu, picture: impl Into<InputPicture>, pixels: Rect, chroma: Option<Chroma>) {
        let Some(chroma) = chroma else {
            self.prepared = None;
            return;
        };
        let input = picture.into();
        let of = (input, chroma, pixels);
        if self.prepared.as_ref().is_some_and(|prepared| prepared.of == of) {
            return;
        }
        self.prepared = None;
        let level_bits = chroma.level_bits();
        let words = 1_usize << (2 * level_bits);
        let is_small = |counts: &wgpu::Buffer| counts.size() < 4 * words as u64;
        if self.counts.as_ref().is_none_or(is_small) {
            self.counts = None;
        }
        let counts = self.counts.get_or_insert_with(|| storage(&gpu.device, "vectorscope", words));
        let samples = chroma.samples(&input.layout, pixels);
        let computation = chroma.computation();
        let params = uniform(gpu, "vectorscope", &VectorscopeParams::new(samples, computation.as_ref()));
        write_light(gpu, &mut self.light, computation.as_ref());
        let group = groups::VECTORSCOPE.bind(&gpu.device, &[&params, counts, &self.light]);
        let (shader, plan) = (&self.shader, self.plan);
        let slot_bits = [plan.slot_bits.div_ceil(2), plan.slot_bits / 2].map(|bits| bits.min(level_bits));
        let slots = 1 << (slot_bits[0] + slot_bits[1]);
        // A slot stores the remaining bits of its pair, one bit that marks it as used, and a count.
        let count_bits = 31 - 2 * level_bits + slot_bits[0] + slot_bits[1];
        let source = PairSource::of(computation.as_ref());
        let pipeline = || {
            let mut constants = input.constants();
            constants.extend([
                ("WORKGROUP", f64::from(plan.workgroup)),
                ("PAIRS", f64::from(source as u32)),
                ("LEVEL_BITS", f64::from(level_bits)),
                ("FIRST_SLOT_BITS", f64::from(slot_bits[0])),
                ("SECOND_SLOT_BITS", f64::from(slot_bits[1])),
                ("SLOTS", f64::from(slots)),
                ("COUNT_BITS", f64::from(count_bits)),
            ]);
            shader.compute(&gpu.device, "count_pairs", &constants)
        };
        let pipeline = self.pipelines.entry((input.of_any_size(), source)).or_insert_with(pipeline).clone();
        let workgroups = workgroups(plan, samples, (source.per_sample(), count_bits));
        let dispatch = Dispatch { pipeline, group, workgroups: (workgroups, 1) };
        self.prepared = Some(PreparedVectorscope { of, level_bits, words, dispatch });
    }
}

impl ScopePass for VectorscopePasses {
    fn prepare(&mut self, gpu: &Gpu, subject: &ScopeSubject) -> Result<(), GpuError> {
        self.prepare(gpu, subject.picture, subject.pixels, subject.chroma);
        Ok(())
    }

    fn record(&self, encoder: &mut wgpu::CommandEncoder, picture_group: &wgpu::BindGroup, spans: Option<Spans<'_>>) {
        let (Some(prepared), Some(counts)) = (&self.prepared, &self.counts) else { return };
        let cleared = [(counts, 4 * prepared.words as u64)];
        compute_pass_into(encoder, "vectorscope", &cleared, spans, |pass| {
            prepared.dispatch.run(pass, Some(picture_group))
        });
    }

    fn add(&self, encoder: &mut wgpu::CommandEncoder, picture_group: &wgpu::BindGroup) {
        let Some(prepared) = &self.prepared else { return };
        compute_pass(encoder, "vectorscope", None, |pass| prepared.dispatch.run(pass, Some(picture_group)));
    }

    fn counts(&self) -> Option<(&wgpu::Buffer, usize)> {
        self.counts.as_ref().zip(self.prepared.as_ref().map(|prepared| prepared.words))
    }

    fn shape(&self) -> ScopeCounts {
        let empty =
            |prepared: &PreparedVectorscope| Vectorscope { level_bits: prepared.level_bits, counts: Vec::new() };
        ScopeCounts { vectorscope: self.prepared.as_ref().map(empty), ..Default::default() }
    }
}

/// Returns the planned number of workgroups, or fewer if some would have nothing to do, or more if one would count more
/// pairs than its slots can hold.
fn workgroups(plan: VectorscopePlan, samples: Rect, (pairs, count_bits): (u32, u32)) -> u32 {
    let strips = u64::from(samples.width.div_ceil(4) + 1) * u64::from(samples.height);
    let useful = strips.div_ceil(plan.workgroup.into()).min(plan.workgroups.into());
    let needed = (4 * strips * u64::from(pairs)).div_ceil(1 << (count_bits - 1));
    useful.max(needed) as u32
}

impl VectorscopeParams {
    fn new(samples: Rect, computation: Option<&PairComputation>) -> Self {
        let (low, high) = samples.corners();
        Self { low, high, weights: PairWeights::of(computation) }
    }
}
