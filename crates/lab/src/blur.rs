//! Box blurs of 8-bit RGBA images, by the tutorials' methods.
//!
//! The methods lead up to "Image Blur" of webgpu.github.io/webgpu-samples: sums over the whole square, over a row and
//! then a column, and over the same lines in workgroup memory. The last method keeps a running sum along each line, as
//! the product's blur does (crates/render/src/gpu/adjust/blur.rs).

use serde::Serialize;

use super::counting_pass::{Step, overrides, storage};
use histoscope_render::gpu::params::ImageParams;
use histoscope_render::gpu::readback::read_buffer;
use histoscope_render::gpu::resources::{Dispatch, uniform};
use histoscope_render::gpu::shaders::{self, groups};
use histoscope_render::gpu::timing::{Spans, compute_pass};
use histoscope_render::gpu::{Gpu, GpuError};

/// A method of computing the mean of the pixels around each pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlurMethod {
    /// Each pixel loads the whole square.
    Square,
    /// Each pixel loads a line of its row, then a line of its column.
    Separable,
    /// Like [`Separable`](Self::Separable), but lines are loaded into workgroup memory.
    Tiled,
    /// A running sum moves along the line.
    Running,
}

/// Invocations of a workgroup that blurs lines.
const WORKGROUP: u32 = 256;
/// Pixels covered by each invocation of the running-sum method.
const RUN: u32 = 32;
/// The widest blur, in pixels.
pub const MAX_SIZE: u32 = 127;

impl BlurMethod {
    /// Every method, from the simplest to the fastest.
    pub const ALL: [Self; 4] = [Self::Square, Self::Separable, Self::Tiled, Self::Running];

    /// Returns the name that selects the method.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Square => "square",
            Self::Separable => "separable",
            Self::Tiled => "tiled",
            Self::Running => "running",
        }
    }

    /// Returns the name shown to users.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Square => "N² taps",
            Self::Separable => "2N separable taps",
            Self::Tiled => "tiles in workgroup memory",
            Self::Running => "running sums",
        }
    }

    /// Returns a sentence on how the method works and what it costs.
    #[must_use]
    pub const fn explanation(self) -> &'static str {
        match self {
            Self::Square => "Every pixel loads all N × N pixels around it.",
            Self::Separable => {
                "The mean of a square is the mean of its rows' means: N loads along the row, then N down the column."
            }
            Self::Tiled => {
                "A workgroup loads its pixels and their surroundings once into its own fast memory, and sums them up there."
            }
            Self::Running => {
                "Each sum is the last one plus the next pixel, less the oldest. Only the first sum of a run loads N pixels."
            }
        }
    }

    /// Returns the number of loads per result over all passes: from the image, and from workgroup memory.
    #[must_use]
    pub fn loads(self, size: u32) -> (f64, f64) {
        let line = f64::from(size);
        match self {
            // The pixel itself is loaded once more, for its fourth byte, which is kept.
            Self::Square => (line * line + 1.0, 0.0),
            Self::Separable => (2.0 * (line + 1.0), 0.0),
            Self::Tiled => (2.0 * f64::from(WORKGROUP + size - 1) / f64::from(WORKGROUP), 2.0 * (line + 1.0)),
            Self::Running => (2.0 * (3.0 + (line - 1.0) / f64::from(RUN)), 0.0),
        }
    }

    /// Returns the entry point, and how many columns and rows of pixels a workgroup covers in a pass along rows.
    const fn entry_point(self) -> (&'static str, (u32, u32)) {
        match self {
            Self::Square => ("square", (16, 16)),
            Self::Separable => ("separable", (16, 16)),
            Self::Tiled => ("tiled", (WORKGROUP, 1)),
            Self::Running => ("running", (WORKGROUP * RUN, 1)),
        }
    }
}

/// A blur that is ready to run, any number of times.
#[derive(Debug)]
pub struct LabBlur {
    pixels: usize,
    source: wgpu::Buffer,
    result: wgpu::Buffer,
    /// One for the square, or one along rows and one down columns; repeated for each run.
    dispatches: Vec<Dispatch>,
    steps: Vec<Step>,
}

impl LabBlur {
    /// Prepares `runs` blurs of `size` × `size` pixels for images of `width` × `height` pixels.
    ///
    /// Returns `Ok(Err)` with the reason, and what would work, if the adapter cannot run it.
    ///
    /// # Errors
    /// [`GpuError`] if the device fails.
    pub fn new(
        gpu: &Gpu,
        method: BlurMethod,
        (size, runs): (u32, u32),
        (width, height): (u32, u32),
    ) -> Result<Result<Self, String>, GpuError> {
        if size.is_multiple_of(2) || !(1..=MAX_SIZE).contains(&size) || runs == 0 {
            let nearest = size.clamp(1, MAX_SIZE) | 1;
            return Ok(Err(format!(
                "a blur must have an odd width from 1 to {MAX_SIZE} and at least one run; nearest width: {nearest}"
            )));
        }
        let most = gpu.device.limits().max_compute_workgroups_per_dimension;
        if width.max(height) > most {
            return Ok(Err(format!("the adapter blurs at most {most} pixels per side, not {width}×{height}")));
        }
        let pixels = u64::from(width) * u64::from(height);
        let memory = || storage(gpu, "blurred image", pixels.max(4) * 4);
        let made: Result<Vec<_>, String> = (0..3).map(|_| memory()).collect();
        let images = match made {
            Ok(images) => images,
            Err(why) => return Ok(Err(format!("an image of {width}×{height} pixels: {why}"))),
        };
        let passes = BlurPasses::new(gpu, method, size, (width, height));
        let (dispatches, last) = passes.dispatches(gpu, &images, runs);
        gpu.check()?;
        let steps = passes.steps(runs);
        let [source, ..] = &images[..] else { return Ok(Err("no image was made".into())) };
        Ok(Ok(Self {
            pixels: pixels as usize,
            source: source.clone(),
            result: images[last].clone(),
            dispatches,
            steps,
        }))
    }

    /// Returns the image to blur, one word per pixel.
    #[must_use]
    pub const fn source(&self) -> &wgpu::Buffer {
        &self.source
    }

    /// Returns the passes.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Dispatches all passes in the caller's compute pass.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.dispatches.iter().for_each(|dispatch| dispatch.run(pass, None));
    }

    /// Records all passes in one compute pass, timed if there is a span.
    pub fn record(&self, encoder: &mut wgpu::CommandEncoder, spans: Option<Spans<'_>>) {
        compute_pass(encoder, "tutorials' blur", spans, |pass| self.dispatch(pass));
    }

    /// Records each dispatch in its own compute pass. Each is timed by its own span if there are spans: one for each of
    /// the [`steps`](Self::steps), run after run.
    pub fn record_each(&self, encoder: &mut wgpu::CommandEncoder, mut spans: Option<Spans<'_>>) {
        for dispatch in &self.dispatches {
            compute_pass(encoder, "tutorials' blur", spans, |pass| dispatch.run(pass, None));
            spans = spans.map(Spans::next);
        }
    }

    /// Returns the blurred image, one word per pixel.
    #[must_use]
    pub const fn result(&self) -> &wgpu::Buffer {
        &self.result
    }

    /// Blurs these pixels and waits for the result. Red is in the lowest byte of a word.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device fails.
    pub fn run(&self, gpu: &Gpu, pixels: &[u32]) -> Result<Vec<u32>, GpuError> {
        gpu.queue.write_buffer(&self.source, 0, bytemuck::cast_slice(pixels));
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("blur") });
        self.record(&mut encoder, None);
        gpu.queue.submit([encoder.finish()]);
        Ok(bytemuck::pod_collect_to_vec(&read_buffer(gpu, &self.result, self.pixels as u64 * 4)?))
    }
}

/// The passes of one run.
struct BlurPasses {
    image: wgpu::Buffer,
    pipelines: Vec<(wgpu::ComputePipeline, (u32, u32))>,
    /// The constants of each pass.
    constants: [Vec<(&'static str, u32)>; 2],
    workgroup: (u32, u32),
}

impl BlurPasses {
    fn new(gpu: &Gpu, method: BlurMethod, size: u32, (width, height): (u32, u32)) -> Self {
        let (entry_point, (across, down)) = method.entry_point();
        let module = shaders::LAB_BLUR.module(&gpu.device);
        let constants = |is_down: bool| {
            vec![
                ("SIZE", size),
                ("DOWN", is_down.into()),
                ("WORKGROUP", WORKGROUP),
                ("TILE", WORKGROUP + size - 1),
                ("RUN", RUN),
            ]
        };
        let pass = |is_down| {
            let pipeline = module.compute(&gpu.device, entry_point, &overrides(&constants(is_down)));
            let workgroups = match (method, is_down) {
                // Neighbouring invocations take neighbouring columns.
                (BlurMethod::Running, true) => (width.div_ceil(WORKGROUP), height.div_ceil(RUN)),
                // A workgroup takes part of a line.
                (BlurMethod::Tiled, true) => (height.div_ceil(across), width),
                _ => (width.div_ceil(across), height.div_ceil(down)),
            };
            (pipeline, workgroups)
        };
        let pipelines = match method {
            BlurMethod::Square => vec![pass(false)],
            _ => vec![pass(false), pass(true)],
        };
        let workgroup = if down > 1 { (across, down) } else { (WORKGROUP, 1) };
        let image = uniform(gpu, "blur", &ImageParams { size: [width, height], padding: [0; 2] });
        Self { image, pipelines, constants: [false, true].map(constants), workgroup }
    }

    /// Returns all dispatches, and the index of the image that the last one writes. Image 0 is only read.
    fn dispatches(&self, gpu: &Gpu, images: &[wgpu::Buffer], runs: u32) -> (Vec<Dispatch>, usize) {
        let passes = (0..runs).flat_map(|_| &self.pipelines);
        let mut last = 0;
        let dispatches = passes.map(|(pipeline, workgroups)| {
            let next = if last == 1 { 2 } else { 1 };
            let group = groups::LAB_BLUR.bind(&gpu.device, &[&self.image, &images[last], &images[next]]);
            last = next;
            Dispatch { pipeline: pipeline.clone(), group, workgroups: *workgroups }
        });
        (dispatches.collect(), last)
    }

    fn steps(&self, runs: u32) -> Vec<Step> {
        let names: &[&str] = if self.pipelines.len() > 1 { &["across", "down"] } else { &["square"] };
        let passes = names.iter().zip(&self.pipelines).zip(&self.constants);
        let steps = passes.map(|((name, (_, workgroups)), constants)| {
            let step = Step::new(name, &shaders::LAB_BLUR, constants.clone(), self.workgroup, *workgroups);
            Step { dispatches: runs, ..step }
        });
        steps.collect()
    }
}
