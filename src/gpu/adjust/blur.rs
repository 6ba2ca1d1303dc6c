//! The box blur.

use std::collections::HashMap;

use super::super::{Gpu, GpuError};
use super::params::BlurParams;
use super::working::{WorkingPicture, check_size};
use super::{
    Binding, Dispatch, bind, compute, group_layout, module, pipeline_layout, rows_of_workgroups, storage, uniform,
};
use crate::adjust::Blur;

const BLUR_WGSL: &str = include_str!("../../../shaders/adjust/blur.wgsl");

/// Pixels that an invocation walks over, as in the shader.
const RUN: u32 = 8;
/// Pixels of a row of a tile of the pass along the rows.
const SPAN: u32 = 512;
/// Rows of a tile of the pass along the columns.
const ROWS: u32 = 64;

pub(super) fn source() -> String {
    BLUR_WGSL.into()
}

/// How the passes are cut up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BlurPlan {
    /// Bits of a code.
    pub bits: u32,
    /// Pixels a side of the square whose mean is taken.
    pub size: u32,
    /// Rows of a tile of the pass along the rows.
    pub lines: u32,
    /// Columns of a tile of the pass along the columns.
    pub columns: u32,
    /// Whether tiles are kept in workgroup memory.
    pub staged: bool,
}

impl BlurPlan {
    /// The largest tiles that fit in the adapter's workgroup memory.
    #[must_use]
    pub fn new(limits: &wgpu::Limits, bits: u32, size: u32) -> Self {
        let invocations = limits.max_compute_invocations_per_workgroup.min(256);
        let fits = |words: u32, workgroup: u32| {
            words * 4 <= limits.max_compute_workgroup_storage_size && workgroup <= invocations
        };
        let plan = |lines, columns| Self { bits, size, lines, columns, staged: true };
        let lines = [4, 2].into_iter().find(|&lines| {
            let plan = plan(lines, 1);
            fits(plan.across_words(), plan.across())
        });
        let columns = [32, 16].into_iter().find(|&columns| {
            let plan = plan(1, columns);
            fits(plan.down_words(), plan.down())
        });
        // What every adapter has is 16 KiB, in which one row of 574 pixels and 16 columns of 126 fit.
        plan(lines.unwrap_or(1), columns.unwrap_or(8))
    }

    const fn words(&self) -> u32 {
        if self.bits == 8 { 1 } else { 2 }
    }

    const fn across(&self) -> u32 {
        self.lines * SPAN / RUN
    }

    const fn down(&self) -> u32 {
        self.columns * ROWS / RUN
    }

    const fn across_words(&self) -> u32 {
        let words = self.words() * self.lines * (SPAN + self.size - 1);
        words + words / 8
    }

    const fn down_words(&self) -> u32 {
        2 * self.columns * (ROWS + self.size - 1)
    }
}

/// The passes.
#[derive(Debug)]
pub struct BlurPass {
    module: wgpu::ShaderModule,
    group_layout: wgpu::BindGroupLayout,
    layout: wgpu::PipelineLayout,
    pipelines: HashMap<BlurPlan, [wgpu::ComputePipeline; 2]>,
    row_sums: Option<(u64, wgpu::Buffer)>,
}

/// A blur that is ready to run.
#[derive(Debug, Clone)]
pub struct BlurJob {
    once: [Dispatch; 2],
    runs: u32,
}

impl BlurPass {
    /// Makes the passes.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        let device = &gpu.device;
        let group_layout = group_layout(device, "blur", &[Binding::Uniform, Binding::Read, Binding::Write]);
        Self {
            module: module(device, "blur", BLUR_WGSL),
            layout: pipeline_layout(device, "blur", &[&group_layout]),
            group_layout,
            pipelines: HashMap::new(),
            row_sums: None,
        }
    }

    /// Gives back the memory of the sums.
    pub fn release(&mut self) {
        self.row_sums = None;
    }

    /// Bytes of the sums that it holds now.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.row_sums.as_ref().map_or(0, |(_, sums)| sums.size())
    }

    /// Gets a blur ready that changes `picture` in place.
    ///
    /// # Errors
    /// [`GpuError::PictureTooLarge`] if the adapter does not bind the sums of its rows.
    pub fn job(&mut self, gpu: &Gpu, picture: &WorkingPicture, blur: Blur) -> Result<BlurJob, GpuError> {
        let blur = blur.clamped();
        self.job_with_plan(gpu, picture, BlurPlan::new(&gpu.device.limits(), picture.bits, blur.size), blur.runs)
    }

    /// The same with a plan of the caller's, to measure plans against each other.
    ///
    /// # Errors
    /// As [`job`](Self::job).
    pub fn job_with_plan(
        &mut self,
        gpu: &Gpu,
        picture: &WorkingPicture,
        plan: BlurPlan,
        runs: u32,
    ) -> Result<BlurJob, GpuError> {
        let device = &gpu.device;
        let (width, height) = picture.size;
        let stride = WorkingPicture::stride(width);
        let words = u64::from(stride) * u64::from(height) * 2;
        check_size(gpu, picture.size, words * 4)?;
        if self.row_sums.as_ref().is_none_or(|(held, _)| *held != words) {
            self.row_sums = None;
        }
        let (_, row_sums) = self.row_sums.get_or_insert_with(|| (words, storage(device, "row sums", words as usize)));
        let params = uniform(gpu, "blur", &BlurParams { size: picture.size.into(), stride, padding: 0 });
        let (layout, module) = (&self.layout, &self.module);
        let [across, down] = self.pipelines.entry(plan).or_insert_with(|| {
            let constants = constants(&plan);
            ["across", "down"].map(|entry| compute(device, layout, module, entry, &constants))
        });
        let dispatch = |pipeline: &wgpu::ComputePipeline, from, to, tiles: u32| Dispatch {
            pipeline: pipeline.clone(),
            group: bind(device, "blur", &self.group_layout, &[&params, from, to]),
            workgroups: rows_of_workgroups(tiles),
        };
        let row_tiles = width.div_ceil(SPAN) * height.div_ceil(plan.lines);
        let column_tiles = stride.div_ceil(plan.columns) * height.div_ceil(ROWS);
        let once = [
            dispatch(across, &picture.buffer, row_sums, row_tiles),
            dispatch(down, row_sums, &picture.buffer, column_tiles),
        ];
        Ok(BlurJob { once, runs })
    }
}

impl BlurJob {
    /// Dispatches the blur in a compute pass of the caller's.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>) {
        for _ in 0..self.runs {
            self.once.iter().for_each(|dispatch| dispatch.run(pass, None));
        }
    }
}

fn constants(plan: &BlurPlan) -> Vec<(&'static str, f64)> {
    let constants = [
        ("BITS", plan.bits),
        ("SIZE", plan.size),
        ("ACROSS", plan.across()),
        ("LINES", plan.lines),
        ("SPAN", SPAN),
        ("DOWN", plan.down()),
        ("COLUMNS", plan.columns),
        ("ROWS", ROWS),
        ("ACROSS_WORDS", if plan.staged { plan.across_words() } else { 1 }),
        ("DOWN_WORDS", if plan.staged { plan.down_words() / 2 } else { 1 }),
        ("STAGED", u32::from(plan.staged)),
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
                    assert!(plan.across_words().max(plan.down_words()) * 4 <= memory, "{plan:?}");
                    assert!(plan.across().max(plan.down()) <= 256, "{plan:?}");
                }
            }
        }
    }
}
