//! Counts the light of pixels.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::Gpu;
use super::params::{InputPicture, RegionParams};
use super::resources::{storage, uniform};
use super::shaders::{self, groups};
use super::timing::{Spans, compute_pass_into};
use histoscope_core::histogram::pixel_light::{Brightest, TABLE_WORDS};
use histoscope_core::histogram::{LightCounts, LightMeter};
use histoscope_core::picture::region::Rect;

/// The most bins.
const MAX_BINS: usize = 1 << 12;
/// The most words of a workgroup's totals, as in shaders/pixel_light.wgsl.
const TOTAL_WORDS: u32 = 6;
/// The most workgroups: each adds its bins to the common ones, so fewer and larger ones are faster.
const MAX_GROUPS: u32 = 264;
/// Pixels in a block.
const BLOCK_PIXELS: u64 = 8;

/// The bins and the totals of the workgroups.
#[derive(Debug)]
pub struct PixelLightPass {
    shader: shaders::Module,
    pipelines: HashMap<PipelineKey, wgpu::ComputePipeline>,
    region: wgpu::Buffer,
    table: wgpu::Buffer,
    bins: wgpu::Buffer,
    totals: wgpu::Buffer,
    group: wgpu::BindGroup,
    /// The meter whose table is in the buffer.
    meter: Option<Arc<LightMeter>>,
}

/// The properties that a pipeline is specialized for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct PipelineKey {
    picture: InputPicture,
    is_by_code: bool,
    counts_gamut: bool,
}

/// Invocations of a workgroup, the most workgroups, and the words of totals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LightPlan {
    workgroup: u32,
    groups: u32,
    total_words: u32,
}

impl LightPlan {
    /// Returns the plan for this adapter, by measurements on an NVIDIA H100. The totals of all invocations fit in 16
    /// KiB, which every adapter has.
    fn of(gpu: &Gpu, meter: &LightMeter) -> Self {
        let total_words = if meter.is_by_code() && !meter.counts_gamut() { 2 } else { TOTAL_WORDS };
        let is_large = gpu.info.device_type == wgpu::DeviceType::DiscreteGpu;
        let (workgroup, groups) = match (is_large, total_words) {
            (false, _) => (256, 64),
            (true, 2) => (1024, 132),
            (true, _) => (512, 264),
        };
        let most = gpu.device.limits().max_compute_invocations_per_workgroup;
        // The sum of all invocations' totals halves their number until one is left.
        let workgroup = if workgroup <= most { workgroup } else { 256 };
        Self { workgroup, groups, total_words }
    }
}

/// The layout of counts that were copied one after another: bins, then the totals of each workgroup.
#[derive(Debug, Clone)]
pub struct LightShape {
    meter: Arc<LightMeter>,
    groups: u32,
    total_words: u32,
    /// Width of the whole picture, by which pixels are numbered.
    width: u32,
}

impl PixelLightPass {
    /// The most bytes of the counts.
    pub const MAX_BYTES: u64 = 4 * (MAX_BINS as u64 + MAX_GROUPS as u64 * TOTAL_WORDS as u64);

    /// Creates the pass with room for every depth.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        let region = uniform(gpu, "pixel light", &RegionParams::default());
        let table = storage(&gpu.device, "light table", TABLE_WORDS);
        let bins = storage(&gpu.device, "light bins", MAX_BINS);
        let totals = storage(&gpu.device, "light totals", (MAX_GROUPS * TOTAL_WORDS) as usize);
        let group = groups::PIXEL_LIGHT.bind(&gpu.device, &[&region, &table, &bins, &totals]);
        let shader = shaders::PIXEL_LIGHT.module(&gpu.device);
        Self { shader, pipelines: HashMap::new(), region, table, bins, totals, group, meter: None }
    }

    /// Records counting a rectangle, which must lie in the picture, of a picture like this one, bound by `group`.
    /// Rectangle and meter apply to the next submission. Returns the shape of the counts.
    pub fn record(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        (group, picture, rect): (&wgpu::BindGroup, InputPicture, Rect),
        meter: &Arc<LightMeter>,
        spans: Option<Spans<'_>>,
    ) -> LightShape {
        gpu.queue.write_buffer(&self.region, 0, bytemuck::bytes_of(&RegionParams::from(rect)));
        if self.meter.as_ref() != Some(meter) {
            gpu.queue.write_buffer(&self.table, 0, bytemuck::cast_slice(meter.table()));
            self.meter = Some(Arc::clone(meter));
        }
        let width = picture.size.0;
        let picture = picture.of_any_size();
        let key = PipelineKey { picture, is_by_code: meter.is_by_code(), counts_gamut: meter.counts_gamut() };
        let bin_count = meter.bin_count() as u32;
        let LightPlan { workgroup, groups, total_words } = LightPlan::of(gpu, meter);
        let Self { shader, pipelines, .. } = self;
        let pipeline = pipelines.entry(key).or_insert_with(|| {
            let mut constants = picture.constants();
            constants.extend([
                ("HLG", f64::from(u8::from(!key.is_by_code))),
                ("GAMUT", f64::from(u8::from(key.counts_gamut))),
                ("BIN_COUNT", f64::from(bin_count)),
                ("TOTAL_WORDS", f64::from(total_words)),
                ("WORKGROUP", f64::from(workgroup)),
                ("MEMORY_WORDS", f64::from(bin_count.max(total_words * workgroup))),
            ]);
            shader.compute(&gpu.device, "count_light", &constants)
        });
        let useful = rect.pixel_count().div_ceil(BLOCK_PIXELS * u64::from(workgroup));
        let groups = useful.clamp(1, u64::from(groups)) as u32;
        let cleared = [(&self.bins, u64::from(bin_count) * 4)];
        compute_pass_into(encoder, "pixel light", &cleared, spans, |pass| {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, group, &[]);
            pass.set_bind_group(1, &self.group, &[]);
            pass.dispatch_workgroups(groups, 1, 1);
        });
        LightShape { meter: Arc::clone(meter), groups, total_words, width }
    }

    /// Returns the buffers with the counts of this shape, and the bytes that they take.
    #[must_use]
    pub fn parts(&self, shape: &LightShape) -> [(&wgpu::Buffer, Range<u64>); 2] {
        let (bins, totals) = shape.words();
        [(&self.bins, 0..4 * bins as u64), (&self.totals, 0..4 * totals as u64)]
    }
}

impl LightShape {
    /// Returns the number of words of the bins and of the totals.
    fn words(&self) -> (usize, usize) {
        (self.meter.bin_count(), (self.groups * self.total_words) as usize)
    }

    /// Returns the number of all words.
    #[must_use]
    pub fn word_count(&self) -> usize {
        let (bins, totals) = self.words();
        bins + totals
    }

    /// Returns the counts in [`word_count`](Self::word_count) words.
    #[must_use]
    pub fn counts(&self, words: &[u32]) -> LightCounts {
        let (bins, totals) = words.split_at(self.words().0.min(words.len()));
        let mut counts = LightCounts { bins: bins.to_vec(), ..LightCounts::empty(&self.meter) };
        if self.meter.is_by_code() {
            let codes = (0..).zip(&counts.bins);
            counts.sum = codes.map(|(code, &count): (u64, _)| code * u64::from(count)).sum();
        }
        for group in totals.chunks_exact(self.total_words as usize) {
            let mut words = group.iter().copied();
            let [value, pixel, low, high, outside_p3, outside_bt709] =
                std::array::from_fn(|_| words.next().unwrap_or_default());
            // A workgroup without pixels has no largest value.
            if pixel != u32::MAX {
                let found = Brightest { value, x: pixel % self.width, y: pixel / self.width };
                counts.brightest = Some(counts.brightest.map_or(found, |brightest| brightest.or(found)));
            }
            if !self.meter.is_by_code() {
                counts.sum += u64::from(high) << 32 | u64::from(low);
            }
            for (sum, count) in counts.outside.iter_mut().flatten().zip([outside_p3, outside_bt709]) {
                *sum += count;
            }
        }
        counts
    }
}
