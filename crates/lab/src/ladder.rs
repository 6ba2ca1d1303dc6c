//! Any method set up for a video's frames, with the right counts beside its own.

use std::fmt;

use super::cost::Costs;
use super::counting::{CountingPass, Step};
use super::expected::ExpectedPass;
use super::floor::Floor;
use super::image::{Conversion, convert, count_plainly};
use super::method::{ChannelSet, Method};
use super::ours::OursPass;
use super::setup::Setup;
use super::shape::reduced;
use histoscope_core::histogram::Components;
use histoscope_core::picture::Picture;
use histoscope_core::picture::layout::PixelLayout;
use histoscope_render::cpu::Engine;
use histoscope_render::gpu::readback::read_buffer;
use histoscope_render::gpu::resources::storage;
use histoscope_render::gpu::timing::{Spans, compute_pass};
use histoscope_render::gpu::{Gpu, GpuError};

/// The most bytes that the chunks of a playing video's frame may take.
const LIVE_CHUNK_BYTES: u64 = 256 << 20;

/// Bins that a method counted, and the right ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LadderCounts {
    /// What the method counted, one vector a channel.
    pub counted: Vec<Vec<u32>>,
    /// What is right.
    pub expected: Vec<Vec<u32>>,
}

impl LadderCounts {
    /// The counts that are missing, over all channels: right counts less those of the method, and negative where it counted
    /// too many.
    #[must_use]
    pub fn lost(&self) -> i64 {
        let sum = |bins: &[Vec<u32>]| bins.iter().flatten().map(|&count| i64::from(count)).sum::<i64>();
        sum(&self.expected) - sum(&self.counted)
    }

    /// Whether every bin is right.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.counted == self.expected
    }
}

/// What counts.
enum LadderCounter {
    /// A method of the tutorial, on an image that is made of the planes first.
    Image { conversion: Conversion, pass: Box<CountingPass> },
    /// Ours on the GPU.
    Ours(Box<OursPass>),
    /// The plain loop, or ours on the CPU; the bins go to the GPU afterwards.
    Cpu { engine: Box<Engine>, bins: wgpu::Buffer },
}

/// A method, ready to count frames of one size and layout.
pub struct Ladder {
    setup: Setup,
    size: (u32, u32),
    layout: PixelLayout,
    step: u32,
    /// Whether more pixels are left out than the method by itself asks for.
    is_for_pace: bool,
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
    /// Sets a method up for pictures like this one; `Ok(Err)` says in words why the adapter cannot run it. The floor, which
    /// counts nothing, is none of the methods that can be chosen.
    ///
    /// # Errors
    /// [`GpuError`] if the device fails.
    pub fn new(gpu: &Gpu, setup: Setup, picture: &Picture) -> Result<Result<Self, String>, GpuError> {
        Self::of_part(gpu, setup, picture, 1)
    }

    /// The same, counting the first of each `least_step` pixels across and down, or of more, where the method counts an image.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of_part(
        gpu: &Gpu,
        setup: Setup,
        picture: &Picture,
        least_step: u32,
    ) -> Result<Result<Self, String>, GpuError> {
        if let Err(why) = setup.possible(gpu) {
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
            Method::Floor => return Ok(Err("reading alone counts nothing".into())),
            _ => {
                let conversion = match Conversion::new(gpu, picture, step) {
                    Ok(conversion) => conversion,
                    Err(why) => return Ok(Err(why)),
                };
                let images = std::slice::from_ref(&conversion.view);
                match CountingPass::new(gpu, setup, conversion.size, images)? {
                    Ok(pass) => LadderCounter::Image { pass: Box::new(pass), conversion },
                    Err(why) => return Ok(Err(why)),
                }
            }
        };
        // Ours count codes of all bits that the picture has, the tutorial's methods those of its image.
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
            is_for_pace: step > needed,
            counter,
            expected,
            floor,
        }))
    }

    /// Whether it can count this picture with this setup, so that none must be made anew.
    #[must_use]
    pub fn fits(&self, setup: Setup, picture: &Picture) -> bool {
        self.setup == setup && self.size == (picture.width(), picture.height()) && self.layout == *picture.layout()
    }

    /// What it was made for.
    #[must_use]
    pub const fn setup(&self) -> Setup {
        self.setup
    }

    /// The size of what is counted.
    #[must_use]
    pub const fn counted_size(&self) -> (u32, u32) {
        reduced(self.size, self.step)
    }

    /// What to tell of a picture that is not counted whole, such as "counts 64×36 of 1920×1080 pixels, lest the GPU seem to
    /// hang"; `None` where it is.
    #[must_use]
    pub fn reduction(&self) -> Option<String> {
        if self.step == 1 {
            return None;
        }
        let why = match self.setup.method {
            _ if self.is_for_pace => "so that the video plays on",
            Method::Single => "lest the GPU seem to hang",
            Method::Scalar => "lest the video stand still",
            _ => "since it cannot keep the chunks of more",
        };
        let ((w, h), (width, height)) = (self.counted_size(), self.size);
        Some(format!("counts {w}×{h} of {width}×{height} pixels, {why}"))
    }

    /// What it asks of the memory, a pixel.
    #[must_use]
    pub fn costs(&self) -> Costs {
        Costs::of(self.setup, self.counted_size(), &self.layout)
    }

    /// Its passes, each of which has a span of timestamps in [`record`](Self::record); behind them comes that of the floor.
    /// Methods on the CPU have none.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        match &self.counter {
            LadderCounter::Image { pass, .. } => pass.steps(),
            LadderCounter::Ours(pass) => pass.steps(),
            LadderCounter::Cpu { .. } => &[],
        }
    }

    /// Bins that the method counted, on the GPU: the channels of bin 0, then those of bin 1, and so on. The buffer may be longer.
    #[must_use]
    pub fn bins(&self) -> &wgpu::Buffer {
        match &self.counter {
            LadderCounter::Image { pass, .. } => pass.bins(),
            LadderCounter::Ours(pass) => &pass.bins,
            LadderCounter::Cpu { bins, .. } => bins,
        }
    }

    /// The right bins of the same picture, which lie alike.
    #[must_use]
    pub const fn expected(&self) -> &wgpu::Buffer {
        &self.expected.bins
    }

    /// Counts a picture on the CPU, where that is the method; nothing else. Its bins are on the GPU with the next submission.
    pub fn count_on_cpu(&mut self, gpu: &Gpu, picture: &Picture) {
        let LadderCounter::Cpu { engine, bins } = &mut self.counter else { return };
        let words = match self.setup.method {
            Method::Scalar => match convert(picture, self.step) {
                Ok(image) => count_plainly(&image, self.setup.shape.bins(), self.setup.channels == ChannelSet::Four),
                // No such picture exists: it has the size of one that was decoded, or less.
                Err(_) => return,
            },
            _ => self.setup.regrouped(engine.count(picture, Components::Rgbl)),
        };
        gpu.queue.write_buffer(bins, 0, bytemuck::cast_slice(&words));
    }

    /// Records the method's passes for the picture of that bind group, the pass that counts right, and the floor. With `spans`,
    /// each of the [`steps`](Self::steps) and then the floor is timed by one.
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

    /// Reads what was counted last; waits for it.
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
