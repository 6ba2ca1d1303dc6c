//! The box blur.

use bytemuck::{Pod, Zeroable};
use std::collections::HashMap;

use super::working::{WorkingPicture, check_size};
use crate::gpu::params::InputPicture;
use crate::gpu::resources::{Dispatch, rows_of_workgroups, storage, uniform};
use crate::gpu::shaders::{self, groups};
use crate::gpu::{Gpu, GpuError};
use histoscope_core::adjust::{Blur, Parameters};

/// `Blur` of shaders/adjust/blur.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct BlurParams {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Row stride in pixels, a multiple of four.
    pub stride: u32,
    /// Row stride of the sums between the passes, in pixels, a multiple of eight.
    pub sums_stride: u32,
}

const _: () = assert!(size_of::<BlurParams>() == 16);

/// Pixels that an invocation processes in sequence, as in the shader.
const RUN: u32 = 8;
/// Pixels per row of a tile, in the pass along the rows.
const SPAN: u32 = 512;
/// Rows of a tile, in the pass along the columns.
const ROWS: u32 = 64;

/// The division of the passes' work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BlurPlan {
    /// Bits per code.
    pub bits: u32,
    /// Side of the averaged square, in pixels.
    pub size: u32,
    /// Rows of a tile in the pass along the rows, an even number.
    pub lines: u32,
    /// Pairs of columns of a tile in the pass along the columns.
    pub pairs: u32,
}

impl BlurPlan {
    /// Returns the plan with the best tiles that fit in the adapter's workgroup memory.
    #[must_use]
    pub fn new(limits: &wgpu::Limits, bits: u32, size: u32) -> Self {
        let invocations = limits.max_compute_invocations_per_workgroup.min(256);
        let fits = |words: u32, workgroup: u32| {
            words * 4 <= limits.max_compute_workgroup_storage_size && workgroup <= invocations
        };
        let plan = |lines, pairs| Self { bits, size, lines, pairs };
        let four = plan(4, 1);
        let lines = if fits(four.across_words(), four.across()) { 4 } else { 2 };
        // More workgroups of 16 pairs than of 32 run concurrently: on an NVIDIA H200, this reduced the blur to four
        // fifths of the time.
        let sixteen = plan(lines, 16);
        if fits(3 * sixteen.down_pairs(), sixteen.down()) { sixteen } else { plan(lines, 8) }
    }

    const fn words(&self) -> u32 {
        if self.bits == 8 { 1 } else { 2 }
    }

    const fn across(&self) -> u32 {
        self.lines * SPAN / RUN
    }

    const fn down(&self) -> u32 {
        self.pairs * ROWS / RUN
    }

    const fn across_words(&self) -> u32 {
        // Whole strips on either side.
        let halo = (self.size / 2).next_multiple_of(4);
        let words = self.words() * self.lines * (SPAN + 2 * halo);
        words + words / 8
    }

    const fn down_pairs(&self) -> u32 {
        self.pairs * (ROWS + self.size - 1)
    }
}

/// The passes.
#[derive(Debug)]
pub struct BlurPass {
    shader: shaders::Module,
    across_pipelines: HashMap<(BlurPlan, InputPicture), wgpu::ComputePipeline>,
    down_pipelines: HashMap<BlurPlan, wgpu::ComputePipeline>,
    row_sums: Option<RowSums>,
}

/// The sums that the pass along the rows leaves for the pass along the columns.
#[derive(Debug)]
struct RowSums {
    pixels: u64,
    red_blue: wgpu::Buffer,
    green: wgpu::Buffer,
}

/// A blur that is ready to run.
#[derive(Debug, Clone)]
pub struct BlurJob {
    /// The pass along the rows of the source.
    first: Dispatch,
    again: Option<(Dispatch, wgpu::BindGroup)>,
    /// The pass along the columns, which writes the target.
    down: Dispatch,
    runs: u32,
}

impl BlurPass {
    /// Creates the passes.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        Self {
            shader: shaders::BLUR.module(&gpu.device),
            across_pipelines: HashMap::new(),
            down_pipelines: HashMap::new(),
            row_sums: None,
        }
    }

    /// Frees the memory of the sums.
    pub fn release(&mut self) {
        self.row_sums = None;
    }

    /// Returns the bytes of the sums currently held.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.row_sums.as_ref().map_or(0, |sums| sums.red_blue.size() + sums.green.size())
    }

    /// Prepares a blur that reads a picture like `source`, which must have the target's size and depth, and writes
    /// `target`, which may be the same picture.
    ///
    /// # Errors
    /// [`GpuError::PictureTooLarge`] if the adapter does not bind a buffer large enough for the row sums.
    pub fn job(
        &mut self,
        gpu: &Gpu,
        source: &InputPicture,
        target: &WorkingPicture,
        blur: Blur,
    ) -> Result<BlurJob, GpuError> {
        let blur = blur.clamped();
        let plan = BlurPlan::new(&gpu.device.limits(), target.bits, blur.size);
        self.job_with_plan(gpu, source, target, plan, blur.runs)
    }

    /// Like [`job`](Self::job), with the caller's plan, to compare plans.
    ///
    /// # Errors
    /// As [`job`](Self::job).
    pub fn job_with_plan(
        &mut self,
        gpu: &Gpu,
        source: &InputPicture,
        target: &WorkingPicture,
        plan: BlurPlan,
        runs: u32,
    ) -> Result<BlurJob, GpuError> {
        let device = &gpu.device;
        let (width, height) = target.size;
        let stride = WorkingPicture::stride(width);
        let sums_stride = width.next_multiple_of(RUN);
        let pixels = u64::from(sums_stride) * u64::from(height);
        check_size(gpu, target.size, pixels * 4)?;
        if self.row_sums.as_ref().is_none_or(|held| held.pixels != pixels) {
            self.row_sums = None;
        }
        let sums = self.row_sums.get_or_insert_with(|| RowSums {
            pixels,
            red_blue: storage(device, "row sums of red and blue", pixels as usize),
            green: storage(device, "row sums of green", pixels as usize / 2),
        });
        let across_group = groups::BLUR_ROWS.bind(device, &[&sums.red_blue, &sums.green]);
        let params = uniform(gpu, "blur", &BlurParams { size: target.size.into(), stride, sums_stride });
        let down_group = groups::BLUR_COLUMNS.bind(device, &[&params, &sums.red_blue, &sums.green, &target.buffer]);
        let shader = &self.shader;
        let down = self.down_pipelines.entry(plan).or_insert_with(|| {
            let constants = [InputPicture::from(target).constants(), constants(&plan)].concat();
            shader.compute(device, "down", &constants)
        });
        let down = Dispatch {
            pipeline: down.clone(),
            group: down_group,
            workgroups: rows_of_workgroups((stride / 2).div_ceil(plan.pairs) * height.div_ceil(ROWS)),
        };
        let mut across = |source: &InputPicture| Dispatch {
            pipeline: self.across(device, source, plan),
            group: across_group.clone(),
            workgroups: rows_of_workgroups(width.div_ceil(SPAN) * height.div_ceil(plan.lines)),
        };
        let first = across(source);
        let again = (runs > 1).then(|| (across(&InputPicture::from(target)), target.bind_group.clone()));
        Ok(BlurJob { first, again, down, runs })
    }

    fn across(&mut self, device: &wgpu::Device, source: &InputPicture, plan: BlurPlan) -> wgpu::ComputePipeline {
        let shader = &self.shader;
        let kind = source.of_any_size();
        let pipeline = self.across_pipelines.entry((plan, kind)).or_insert_with(|| {
            let mut constants = [source.constants(), constants(&plan)].concat();
            constants.push(("PACKED", f64::from(u8::from(source.packed))));
            shader.compute(device, "across", &constants)
        });
        pipeline.clone()
    }
}

impl BlurJob {
    /// Dispatches the blur of the picture bound by `source` in the caller's compute pass.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, source: &wgpu::BindGroup) {
        for run in 0..self.runs {
            match &self.again {
                Some((again, target)) if run > 0 => again.run(pass, Some(target)),
                _ => self.first.run(pass, Some(source)),
            }
            self.down.run(pass, None);
        }
    }
}

fn constants(plan: &BlurPlan) -> Vec<(&'static str, f64)> {
    let constants = [
        ("SIZE", plan.size),
        ("ACROSS", plan.across()),
        ("LINES", plan.lines),
        ("SPAN", SPAN),
        ("DOWN", plan.down()),
        ("PAIRS", plan.pairs),
        ("ROWS", ROWS),
        ("ACROSS_WORDS", plan.across_words()),
        ("DOWN_PAIRS", plan.down_pairs()),
    ];
    constants.map(|(name, value)| (name, f64::from(value))).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_fit_in_the_workgroup_memory_of_any_adapter() {
        for memory in [16 << 10, 32 << 10, 48 << 10] {
            let limits = wgpu::Limits { max_compute_workgroup_storage_size: memory, ..wgpu::Limits::defaults() };
            for bits in [8, 10, 12] {
                for size in (3..=63).step_by(2) {
                    let plan = BlurPlan::new(&limits, bits, size);
                    assert!(plan.across_words().max(3 * plan.down_pairs()) * 4 <= memory, "{plan:?}");
                    assert!(plan.across().max(plan.down()) <= 256, "{plan:?}");
                }
            }
        }
    }
}
