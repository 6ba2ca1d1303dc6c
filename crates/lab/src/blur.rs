//! Box blurs of images of 8-bit RGBA, by the tutorials' methods.
//!
//! The methods are those on the way to webgpu.github.io/webgpu-samples, "Image Blur": the square, its two lines, and lines out of
//! workgroup memory; then sums that run along the line, by which the product blurs (crates/render/src/gpu/adjust/blur.rs).

use serde::Serialize;

use super::counting::{Step, overrides, storage};
use histoscope_render::gpu::params::ImageParams;
use histoscope_render::gpu::readback::read_buffer;
use histoscope_render::gpu::resources::{Dispatch, uniform};
use histoscope_render::gpu::shaders::{self, groups};
use histoscope_render::gpu::timing::{Spans, compute_pass};
use histoscope_render::gpu::{Gpu, GpuError};

/// How a pixel comes to the mean of the pixels around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlurMethod {
    /// It loads the whole square.
    Square,
    /// It loads a line of the row, then a line of the column.
    Separable,
    /// The same out of workgroup memory.
    Tiled,
    /// A sum runs along the line.
    Running,
}

/// Invocations of a workgroup that takes a line.
const WORKGROUP: u32 = 256;
/// Pixels that an invocation of running sums walks over.
const RUN: u32 = 32;
/// The widest square.
pub const MOST_SIZE: u32 = 127;

impl BlurMethod {
    /// Every method, in the order in which one comes to them.
    pub const ALL: [Self; 4] = [Self::Square, Self::Separable, Self::Tiled, Self::Running];

    /// The name by which it is chosen.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Square => "square",
            Self::Separable => "separable",
            Self::Tiled => "tiled",
            Self::Running => "running",
        }
    }

    /// What people call it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Square => "N² taps",
            Self::Separable => "2N separable taps",
            Self::Tiled => "tiles in workgroup memory",
            Self::Running => "running sums",
        }
    }

    /// What it does and what that costs or gains, in a sentence.
    #[must_use]
    pub const fn explanation(self) -> &'static str {
        match self {
            Self::Square => "Every pixel loads all N × N pixels around it.",
            Self::Separable => {
                "The mean of a square is the mean of its rows' means: N loads along the row, then N down the column."
            }
            Self::Tiled => {
                "A workgroup loads its pixels and what lies around them once into its own fast memory, and sums up there."
            }
            Self::Running => {
                "The next sum is the last one with one pixel more and one less: its cost no longer grows with N."
            }
        }
    }

    /// Loads from the image for each result of all its passes, and from workgroup memory.
    #[must_use]
    pub fn loads(self, size: u32) -> (f64, f64) {
        let line = f64::from(size);
        match self {
            // The pixel itself is loaded once more, for the part that stays.
            Self::Square => (line * line + 1.0, 0.0),
            Self::Separable => (2.0 * (line + 1.0), 0.0),
            Self::Tiled => (2.0 * f64::from(WORKGROUP + size - 1) / f64::from(WORKGROUP), 2.0 * (line + 1.0)),
            Self::Running => (2.0 * (3.0 + (line - 1.0) / f64::from(RUN)), 0.0),
        }
    }

    /// Its entry point, and the pixels across and down of a workgroup in a pass along rows.
    const fn entry_point(self) -> (&'static str, (u32, u32)) {
        match self {
            Self::Square => ("square", (16, 16)),
            Self::Separable => ("separable", (16, 16)),
            Self::Tiled => ("tiled", (WORKGROUP, 1)),
            Self::Running => ("running", (WORKGROUP * RUN, 1)),
        }
    }
}

/// A blur that is ready to run, as often as is wanted.
#[derive(Debug)]
pub struct LabBlur {
    pixels: usize,
    source: wgpu::Buffer,
    result: wgpu::Buffer,
    /// A pass for the square, or along rows and down columns; for each run.
    dispatches: Vec<Dispatch>,
    steps: Vec<Step>,
}

impl LabBlur {
    /// Gets a blur of `size` × `size` pixels ready, run so many times, for images of `width` × `height` pixels; `Ok(Err)` says in words why
    /// the adapter cannot run it, and what it can.
    ///
    /// # Errors
    /// [`GpuError`] if the device fails.
    pub fn new(
        gpu: &Gpu,
        method: BlurMethod,
        (size, runs): (u32, u32),
        (width, height): (u32, u32),
    ) -> Result<Result<Self, String>, GpuError> {
        if size.is_multiple_of(2) || !(1..=MOST_SIZE).contains(&size) || runs == 0 {
            let nearest = size.clamp(1, MOST_SIZE) | 1;
            return Ok(Err(format!(
                "a blur is 1 to {MOST_SIZE} pixels wide, an odd number, and runs at least once; the nearest to {size} is {nearest}"
            )));
        }
        let most = gpu.device.limits().max_compute_workgroups_per_dimension;
        if width.max(height) > most {
            return Ok(Err(format!("the adapter blurs at most {most} pixels a side, not {width}×{height}")));
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

    /// The image to blur, a word a pixel.
    #[must_use]
    pub const fn source(&self) -> &wgpu::Buffer {
        &self.source
    }

    /// Its passes.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Dispatches all of it in a compute pass of the caller's.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.dispatches.iter().for_each(|dispatch| dispatch.run(pass, None));
    }

    /// Records all of it, in a compute pass with a span if there is one.
    pub fn record(&self, encoder: &mut wgpu::CommandEncoder, spans: Option<Spans<'_>>) {
        compute_pass(encoder, "tutorials' blur", spans, |pass| self.dispatch(pass));
    }

    /// Records all of it, each dispatch in a compute pass of its own, with a span where there are any: one for each of the
    /// [`steps`](Self::steps), run after run.
    pub fn record_each(&self, encoder: &mut wgpu::CommandEncoder, mut spans: Option<Spans<'_>>) {
        for dispatch in &self.dispatches {
            compute_pass(encoder, "tutorials' blur", spans, |pass| dispatch.run(pass, None));
            spans = spans.map(Spans::next);
        }
    }

    /// The blurred image, a word a pixel.
    #[must_use]
    pub const fn result(&self) -> &wgpu::Buffer {
        &self.result
    }

    /// Blurs these pixels, red in the lowest byte of a word, and reads the result; waits for it.
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
    constants: Vec<(&'static str, u32)>,
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
                // A workgroup takes a part of a line.
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
        Self { image, pipelines, constants: constants(false), workgroup }
    }

    /// All dispatches, from image 0 on, which is never written, and which image the last of them writes.
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
        let step = |(&name, (_, workgroups)): (&&'static str, &(wgpu::ComputePipeline, (u32, u32)))| {
            let step = Step::new(name, &shaders::LAB_BLUR, self.constants.clone(), self.workgroup, *workgroups);
            Step { dispatches: runs, ..step }
        };
        names.iter().zip(&self.pipelines).map(step).collect()
    }
}
