//! A method set up for a video's frames, together with the correct counts.

use std::fmt;

use super::cost::Costs;
use super::counting_pass::{CountingPass, Step, overrides};
use super::image::{Conversion, convert, count_plainly, reading};
use super::method::{ChannelSet, Method};
use super::ours::OursPass;
use super::own::OwnShader;
use super::setup::Setup;
use super::shape::reduced;
use histoscope_core::histogram::Components;
use histoscope_core::picture::Picture;
use histoscope_core::picture::layout::PixelLayout;
use histoscope_render::cpu::Engine;
use histoscope_render::gpu::readback::read_buffer;
use histoscope_render::gpu::resources::storage;
use histoscope_render::gpu::shaders::{self, groups};
use histoscope_render::gpu::timing::{Spans, compute_pass};
use histoscope_render::gpu::{Gpu, GpuError};

/// The most bytes that the chunks of a playing video's frame may take.
const LIVE_CHUNK_BYTES: u64 = 256 << 20;

/// The bins that a method counted, and the correct ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LadderCounts {
    /// The method's counts, one vector per channel.
    pub counted: Vec<Vec<u32>>,
    /// The correct counts.
    pub expected: Vec<Vec<u32>>,
}

impl LadderCounts {
    /// Returns the number of missing counts over all channels. It is negative if the method counted too many.
    #[must_use]
    pub fn lost(&self) -> i64 {
        let sum = |bins: &[Vec<u32>]| bins.iter().flatten().map(|&count| i64::from(count)).sum::<i64>();
        sum(&self.expected) - sum(&self.counted)
    }

    /// Returns `true` if every bin is correct.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.counted == self.expected
    }
}

/// The part of a ladder that counts.
enum LadderCounter {
    /// A method of the tutorial, on an image made from the planes first.
    Image { conversion: Conversion, pass: Box<CountingPass> },
    /// Our own passes on the GPU.
    Ours(Box<OursPass>),
    /// The plain loop, or our own engine on the CPU. The bins are uploaded to the GPU afterwards.
    Cpu { engine: Box<Engine>, bins: wgpu::Buffer },
}

/// A method that is ready to count frames of one size and layout.
pub struct Ladder {
    setup: Setup,
    size: (u32, u32),
    layout: PixelLayout,
    step: u32,
    /// `true` if more pixels are skipped than the method itself requires.
    is_reduced_for_speed: bool,
    counter: LadderCounter,
    expected: ExpectedPass,
    floor: Floor,
}

impl fmt::Debug for Ladder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ladder").field("setup", &self.setup).field("size", &self.size).finish_non_exhaustive()
    }
}

impl Ladder {
    /// Sets up a method for pictures like this one. If it counts an image, it uses at most the first of each `least_step`
    /// pixels across and down, and counts by a shader of the user's own if there is one.
    ///
    /// Returns `Ok(Err)` with the reason if the adapter cannot run it. The floor cannot be chosen, since it counts
    /// nothing.
    ///
    /// # Errors
    /// [`GpuError`] if the device fails.
    pub fn new(
        gpu: &Gpu,
        setup: Setup,
        picture: &Picture,
        least_step: u32,
        own: Option<&OwnShader>,
    ) -> Result<Result<Self, String>, GpuError> {
        if let Err(why) = setup.check(gpu) {
            return Ok(Err(why));
        }
        let size = (picture.width(), picture.height());
        let needed = setup.step(gpu, size, LIVE_CHUNK_BYTES);
        let step = if setup.method.reads_texture() { needed.max(least_step) } else { needed };
        let counter = match setup.method {
            Method::Scalar | Method::OursCpu => {
                let bins = storage(&gpu.device, "bins of the CPU", setup.word_count());
                LadderCounter::Cpu { engine: Box::new(Engine::new()), bins }
            }
            Method::OursGpu => match OursPass::new(gpu, setup, picture) {
                Ok(pass) => LadderCounter::Ours(Box::new(pass)),
                Err(why @ GpuError::TooDeep { .. }) => return Ok(Err(why.to_string())),
                Err(error) => return Err(error),
            },
            Method::Floor => return Ok(Err("this method only reads and counts nothing".into())),
            _ => {
                let conversion = match Conversion::new(gpu, picture, step) {
                    Ok(conversion) => conversion,
                    Err(why) => return Ok(Err(why)),
                };
                let images = std::slice::from_ref(&conversion.view);
                match CountingPass::new(gpu, setup, conversion.size, images, own)? {
                    Ok(pass) => LadderCounter::Image { pass: Box::new(pass), conversion },
                    Err(why) => return Ok(Err(why)),
                }
            }
        };
        // Our own methods count codes with all bits of the picture, the tutorials' methods only 8 bits.
        let native = matches!(setup.method, Method::OursGpu | Method::OursCpu);
        let depth = if native { picture.layout().bin_bits() } else { 8 };
        let expected = ExpectedPass::new(gpu, setup, picture, depth, step);
        let floor = Floor::usual(gpu, picture.layout().plane_count());
        gpu.check()?;
        Ok(Ok(Self {
            setup,
            size,
            layout: *picture.layout(),
            step,
            is_reduced_for_speed: step > needed,
            counter,
            expected,
            floor,
        }))
    }

    /// Returns `true` if this can count the picture with this setup.
    #[must_use]
    pub fn fits(&self, setup: Setup, picture: &Picture) -> bool {
        self.setup == setup && self.size == (picture.width(), picture.height()) && self.layout == *picture.layout()
    }

    /// Returns the setup of this ladder.
    #[must_use]
    pub const fn setup(&self) -> Setup {
        self.setup
    }

    /// Returns the size of the counted picture.
    #[must_use]
    pub const fn counted_size(&self) -> (u32, u32) {
        reduced(self.size, self.step)
    }

    /// Returns a note if the picture is not counted completely, for example "counts 64×36 of 1920×1080 pixels, to keep
    /// the GPU from hanging".
    #[must_use]
    pub fn reduction(&self) -> Option<String> {
        if self.step == 1 {
            return None;
        }
        let why = match self.setup.method {
            _ if self.is_reduced_for_speed => "to keep the video playing",
            Method::Single => "to keep the GPU from hanging",
            Method::Scalar | Method::Shared => "to keep the video playing",
            _ => "because the chunks of more pixels do not fit in memory",
        };
        let ((w, h), (width, height)) = (self.counted_size(), self.size);
        Some(format!("counts {w}×{h} of {width}×{height} pixels, {why}"))
    }

    /// Returns what is odd about a shader of the user's own, if anything is.
    #[must_use]
    pub fn note(&self) -> Option<&str> {
        match &self.counter {
            LadderCounter::Image { pass, .. } => pass.note(),
            LadderCounter::Ours(_) | LadderCounter::Cpu { .. } => None,
        }
    }

    /// Returns the memory traffic per pixel.
    #[must_use]
    pub fn costs(&self) -> Costs {
        Costs::of(self.setup, self.counted_size(), &self.layout)
    }

    /// Returns the steps. Each has its own span of timestamps in [`record`](Self::record); the span of the floor comes
    /// last. Methods on the CPU have no steps.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        match &self.counter {
            LadderCounter::Image { pass, .. } => pass.steps(),
            LadderCounter::Ours(pass) => pass.steps(),
            LadderCounter::Cpu { .. } => &[],
        }
    }

    /// Returns the bins that the method counted, on the GPU: the channels of bin 0, then the channels of bin 1, and so
    /// on. The buffer may be longer.
    #[must_use]
    pub fn bins(&self) -> &wgpu::Buffer {
        match &self.counter {
            LadderCounter::Image { pass, .. } => pass.bins(),
            LadderCounter::Ours(pass) => &pass.bins,
            LadderCounter::Cpu { bins, .. } => bins,
        }
    }

    /// Returns a word that is not 0 if a loop was stopped, for a shader of the user's own.
    #[must_use]
    pub fn stopped(&self) -> Option<&wgpu::Buffer> {
        match &self.counter {
            LadderCounter::Image { pass, .. } => pass.stopped(),
            LadderCounter::Ours(_) | LadderCounter::Cpu { .. } => None,
        }
    }

    /// Returns the correct bins of the same picture, in the same order.
    #[must_use]
    pub const fn expected(&self) -> &wgpu::Buffer {
        &self.expected.bins
    }

    /// Counts a picture on the CPU if the method runs there. Otherwise does nothing. The next submission uploads the
    /// bins.
    pub fn count_on_cpu(&mut self, gpu: &Gpu, picture: &Picture) {
        let LadderCounter::Cpu { engine, bins } = &mut self.counter else { return };
        let words = match self.setup.method {
            Method::Scalar => match convert(picture, self.step) {
                Ok(image) => count_plainly(&image, self.setup.shape.bins(), self.setup.channels == ChannelSet::Four),
                // This cannot happen: the picture has the size of a decoded one, or is smaller.
                Err(_) => return,
            },
            _ => self.setup.regrouped(engine.count(picture, Components::Rgbl)),
        };
        gpu.queue.write_buffer(bins, 0, bytemuck::cast_slice(&words));
    }

    /// Records the method's passes for the picture of this bind group, then the pass that counts correctly, then the
    /// floor. With `spans`, each of the [`steps`](Self::steps) and then the floor is timed.
    pub fn record(&self, encoder: &mut wgpu::CommandEncoder, picture: &wgpu::BindGroup, spans: Option<Spans<'_>>) {
        match &self.counter {
            LadderCounter::Image { conversion, pass } => {
                compute_pass(encoder, "convert", None, |encoder| conversion.dispatch(encoder, picture));
                pass.record(encoder, 0, spans);
            }
            LadderCounter::Ours(pass) => pass.record(encoder, picture, spans),
            LadderCounter::Cpu { .. } => {}
        }
        self.expected.record(encoder, picture);
        if let Some(spans) = spans {
            let spans = self.steps().iter().fold(spans, |spans, _| spans.next());
            compute_pass(encoder, "floor", Some(spans), |encoder| self.floor.dispatch(encoder, picture));
        }
    }

    /// Reads the latest counts. Waits for them.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device fails.
    pub fn read(&self, gpu: &Gpu) -> Result<LadderCounts, GpuError> {
        let bytes = self.setup.word_count() as u64 * 4;
        let read = |buffer| -> Result<Vec<Vec<u32>>, GpuError> {
            Ok(self.setup.by_channel(&bytemuck::pod_collect_to_vec::<u8, u32>(&read_buffer(gpu, buffer, bytes)?)))
        };
        Ok(LadderCounts { counted: read(self.bins())?, expected: read(self.expected())? })
    }
}

/// A pass that counts correctly, with atomics.
#[derive(Debug)]
struct ExpectedPass {
    bins: wgpu::Buffer,
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    size: (u32, u32),
}

impl ExpectedPass {
    /// Makes the pass for pictures like this one. It counts codes of `depth` bits, of the first of each `step` pixels
    /// across and down.
    fn new(gpu: &Gpu, setup: Setup, picture: &Picture, depth: u32, step: u32) -> Self {
        let mut constants = reading(picture, depth, step);
        constants.extend(overrides(&[("BINS", setup.shape.bins()), ("CHANNELS", setup.channels.count())]));
        let pipeline = shaders::EXPECTED.module(&gpu.device).compute(&gpu.device, "expect", &constants);
        let bins = storage(&gpu.device, "expected bins", setup.word_count());
        let group = groups::LAB_EXPECTED.bind(&gpu.device, &[&bins]);
        Self { bins, pipeline, group, size: reduced((picture.width(), picture.height()), step) }
    }

    fn record(&self, encoder: &mut wgpu::CommandEncoder, picture: &wgpu::BindGroup) {
        encoder.clear_buffer(&self.bins, 0, None);
        compute_pass(encoder, "expected", None, |pass| {
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, picture, &[]);
            pass.set_bind_group(1, &self.group, &[]);
            pass.dispatch_workgroups(self.size.0.div_ceil(16), self.size.1.div_ceil(16), 1);
        });
    }
}

/// The lower bound for every method: a pass that reads the planes and does nothing else.
#[derive(Debug)]
pub struct Floor {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    workgroups: u32,
}

impl Floor {
    /// Makes the pass for pictures of `planes` planes, with `workgroups` workgroups of `workgroup` invocations.
    #[must_use]
    pub fn new(gpu: &Gpu, planes: usize, workgroup: u32, workgroups: u32) -> Self {
        let constants = [("WORKGROUP", f64::from(workgroup)), ("PLANES", planes as f64)];
        let pipeline = shaders::FLOOR.module(&gpu.device).compute(&gpu.device, "read_planes", &constants);
        let group = groups::FLOOR.bind(&gpu.device, &[&storage(&gpu.device, "floor", 4)]);
        Self { pipeline, group, workgroups }
    }

    /// Makes the pass with a shape that suits the adapter.
    #[must_use]
    pub fn usual(gpu: &Gpu, planes: usize) -> Self {
        let (workgroup, workgroups) = if gpu.is_software() { (64, 32) } else { (256, 1056) };
        Self::new(gpu, planes, workgroup, workgroups)
    }

    /// Dispatches the pass on the picture of this bind group.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, picture: &wgpu::BindGroup) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, picture, &[]);
        pass.set_bind_group(1, &self.group, &[]);
        pass.dispatch_workgroups(self.workgroups, 1, 1);
    }
}
