//! Counts waveforms in one compute pass, from the same planes as the histogram.

use bytemuck::{Pod, Zeroable};
use std::collections::HashMap;

use super::params::InputPicture;
use super::resources::{Dispatch, storage, uniform};
use super::scope_pass::{ScopePass, ScopeSubject};
use super::shaders::{self, groups};
use super::timing::{Spans, compute_pass, compute_pass_into};
use super::{Gpu, GpuError};
use histoscope_core::histogram::{CHANNELS, Components};
use histoscope_core::picture::region::Rect;
use histoscope_core::scopes::{ScopeCounts, Waveform, samples_in};

/// `Waveform` of shaders/waveform.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct WaveformParams {
    /// Column and row of the first counted sample.
    pub low: [u32; 2],
    /// Column and row after the last counted sample.
    pub high: [u32; 2],
    /// Columns of the scope.
    pub columns: u32,
    /// Counts per channel.
    pub channel_stride: u32,
    /// Rows of samples per workgroup.
    pub rows: u32,
    /// Padding to 32 bytes.
    pub padding: u32,
}

const _: () = assert!(size_of::<WaveformParams>() == 32);

/// Row length, in samples, from which the shader's products would overflow 32 bits.
const MAX_SAMPLES: u32 = 1 << 22;
/// Largest count in workgroup memory, where counts have 16 bits.
const MAX_IN_CELL: u32 = (1 << 16) - 1;

/// The division of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WaveformPlan {
    /// Invocations per workgroup.
    pub workgroup: u32,
    /// Bytes of workgroup memory available for counts.
    pub memory: u32,
    /// The most columns per workgroup.
    pub columns: u32,
    /// Number of parts that the rows are divided into.
    pub parts: u32,
}

impl WaveformPlan {
    /// Returns the plan for this adapter.
    #[must_use]
    pub fn of(gpu: &Gpu) -> Self {
        let limits = gpu.device.limits();
        // Few, large workgroups: measured on an NVIDIA H200 with various depths and contents, see benches/scopes.rs.
        let (workgroup, parts) = match gpu.info.device_type {
            wgpu::DeviceType::Cpu => (64, 1),
            wgpu::DeviceType::IntegratedGpu => (256, 4),
            _ => (1024, 2),
        };
        Self {
            workgroup: workgroup.min(limits.max_compute_invocations_per_workgroup),
            memory: limits.max_compute_workgroup_storage_size,
            columns: 16,
            parts,
        }
    }
}

/// Counts waveforms. No resources are created until a picture is prepared, and the counts' buffer grows as needed.
#[derive(Debug)]
pub struct WaveformPasses {
    plan: WaveformPlan,
    shader: shaders::Module,
    pipelines: HashMap<WaveformPipelineKey, wgpu::ComputePipeline>,
    counts: Option<wgpu::Buffer>,
    prepared: Option<PreparedWaveform>,
}

/// The key of a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct WaveformPipelineKey {
    picture: InputPicture,
    coded: bool,
    /// The first channel and their number; then the columns per workgroup, and the bits per level.
    channels: (u32, u32),
    columns: u32,
    level_bits: u32,
}

#[derive(Debug)]
struct PreparedWaveform {
    of: (InputPicture, Rect, Components),
    /// The shape, without counts.
    waveform: Waveform,
    words: usize,
    dispatches: Vec<Dispatch>,
}

impl WaveformPasses {
    /// Creates passes that have counted nothing yet.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        Self::with_plan(gpu, WaveformPlan::of(gpu))
    }

    /// Like [`new`](Self::new), with the caller's plan, to compare plans.
    #[must_use]
    pub fn with_plan(gpu: &Gpu, plan: WaveformPlan) -> Self {
        let shader = shaders::WAVEFORM.module(&gpu.device);
        Self { plan, shader, pipelines: HashMap::new(), counts: None, prepared: None }
    }

    /// Prepares the pass for a rectangle within a picture like this one; cheap if nothing has changed.
    ///
    /// # Errors
    /// [`GpuError::TooDeep`] if the adapter's workgroup memory cannot hold one column, [`GpuError::PictureTooLarge`] if
    /// rows are longer than any decoder produces.
    pub fn prepare(
        &mut self,
        gpu: &Gpu,
        picture: impl Into<InputPicture>,
        pixels: Rect,
        components: Components,
    ) -> Result<(), GpuError> {
        let picture = picture.into();
        let of = (picture, pixels, components);
        if self.prepared.as_ref().is_some_and(|prepared| prepared.of == of) {
            return Ok(());
        }
        if picture.size.0 >= MAX_SAMPLES {
            return Err(GpuError::PictureTooLarge {
                width: picture.size.0,
                height: picture.size.1,
                bytes: picture.size.0.into(),
                most: MAX_SAMPLES.into(),
                adapter: gpu.info.name.clone(),
            });
        }
        let waveform = Waveform::shape(&picture.layout, pixels, components);
        let words = waveform.count_words();
        if self.counts.as_ref().is_none_or(|counts| counts.size() < 4 * words as u64) {
            self.counts = Some(storage(&gpu.device, "waveform", words));
        }
        let runs = match components {
            Components::Rgbl => self.runs_of_colors(gpu, &waveform)?,
            Components::YCbCr => (0..picture.layout.component_count() as u32).map(|component| (component, 1)).collect(),
        };
        let dispatch = |&channels: &(u32, u32)| self.dispatch(gpu, of, &waveform, channels);
        let dispatches = runs.iter().map(dispatch).collect::<Result<_, _>>()?;
        self.prepared = Some(PreparedWaveform { of, waveform, words, dispatches });
        Ok(())
    }

    /// Returns how many columns of `channels` channels fit in a workgroup's memory.
    fn columns_of(&self, waveform: &Waveform, channels: u32) -> u32 {
        (self.plan.memory / (channels << (waveform.level_bits + 1))).min(self.plan.columns)
    }

    /// Returns runs of the four channels: a single run if a workgroup can hold columns of all of them.
    fn runs_of_colors(&self, gpu: &Gpu, waveform: &Waveform) -> Result<Vec<(u32, u32)>, GpuError> {
        let all = CHANNELS as u32;
        let together = [all, all / 2, 1].into_iter().find(|&channels| self.columns_of(waveform, channels) > 0);
        let together =
            together.ok_or_else(|| GpuError::TooDeep { bits: waveform.level_bits, adapter: gpu.info.name.clone() })?;
        Ok((0..all).step_by(together as usize).map(|first| (first, together)).collect())
    }

    fn dispatch(
        &mut self,
        gpu: &Gpu,
        (picture, pixels, components): (InputPicture, Rect, Components),
        waveform: &Waveform,
        (first, count): (u32, u32),
    ) -> Result<Dispatch, GpuError> {
        let coded = components == Components::YCbCr;
        let samples = samples_in(&picture.layout, if coded { first as usize } else { 0 }, pixels);
        let columns = waveform.columns[first as usize];
        let at_once = self.columns_of(waveform, count);
        if at_once == 0 {
            return Err(GpuError::TooDeep { bits: waveform.level_bits, adapter: gpu.info.name.clone() });
        }
        // Rows are counted in pairs, starting at an even one.
        let (low, high) = samples.corners();
        let rows = high[1] - (low[1] & !1);
        let most = (MAX_IN_CELL / samples.width.div_ceil(columns)).max(2);
        let rows_of_part = rows.div_ceil(self.plan.parts).min(most).next_multiple_of(2).min(most & !1);
        let params = WaveformParams {
            low,
            high,
            columns,
            channel_stride: waveform.columns[0] << waveform.level_bits,
            rows: rows_of_part,
            padding: 0,
        };
        let key = WaveformPipelineKey {
            picture: picture.of_any_size(),
            coded,
            channels: (first, count),
            columns: at_once,
            level_bits: waveform.level_bits,
        };
        let counts = self.counts.as_ref().map(|counts| (counts, uniform(gpu, "waveform", &params)));
        let group = groups::WAVEFORM
            .bind(&gpu.device, &counts.iter().flat_map(|(counts, params)| [params, *counts]).collect::<Vec<_>>());
        let (shader, workgroup) = (&self.shader, self.plan.workgroup);
        let pipeline = || shader.compute(&gpu.device, "count_columns", &constants(&key, workgroup));
        let pipeline = self.pipelines.entry(key).or_insert_with(pipeline).clone();
        Ok(Dispatch { pipeline, group, workgroups: (columns.div_ceil(at_once), rows.div_ceil(rows_of_part)) })
    }
}

impl ScopePass for WaveformPasses {
    fn prepare(&mut self, gpu: &Gpu, subject: &ScopeSubject) -> Result<(), GpuError> {
        self.prepare(gpu, subject.picture, subject.pixels, subject.components)
    }

    fn record(&self, encoder: &mut wgpu::CommandEncoder, picture_group: &wgpu::BindGroup, spans: Option<Spans<'_>>) {
        let (Some(prepared), Some(counts)) = (&self.prepared, &self.counts) else { return };
        let cleared = [(counts, 4 * prepared.words as u64)];
        compute_pass_into(encoder, "waveform", &cleared, spans, |pass| {
            for dispatch in &prepared.dispatches {
                dispatch.run(pass, Some(picture_group));
            }
        });
    }

    fn add(&self, encoder: &mut wgpu::CommandEncoder, picture_group: &wgpu::BindGroup) {
        let Some(prepared) = &self.prepared else { return };
        compute_pass(encoder, "waveform", None, |pass| {
            for dispatch in &prepared.dispatches {
                dispatch.run(pass, Some(picture_group));
            }
        });
    }

    fn counts(&self) -> Option<(&wgpu::Buffer, usize)> {
        self.counts.as_ref().zip(self.prepared.as_ref().map(|prepared| prepared.words))
    }

    fn shape(&self) -> ScopeCounts {
        ScopeCounts { waveform: self.prepared.as_ref().map(|prepared| prepared.waveform.clone()), ..Default::default() }
    }
}

fn constants(key: &WaveformPipelineKey, workgroup: u32) -> Vec<(&'static str, f64)> {
    let (first, count) = key.channels;
    let mut constants = key.picture.constants();
    constants.extend(
        [
            ("WORKGROUP", workgroup),
            ("CODED", key.coded.into()),
            ("FIRST_CHANNEL", first),
            ("CHANNEL_COUNT", count),
            ("LEVEL_BITS", key.level_bits),
            ("COLUMNS", key.columns),
            ("CELL_WORDS", (key.columns * count) << (key.level_bits - 1)),
        ]
        .map(|(name, value)| (name, f64::from(value))),
    );
    constants
}
