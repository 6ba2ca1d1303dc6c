//! The ladder on a playing video. Its counts and times arrive a few frames later, and nothing waits for them.

use std::time::{Duration, Instant};

use super::ladder::{Ladder, LadderCounts};
use super::own::OwnShader;
use super::setup::Setup;
use histoscope_core::picture::Picture;
use histoscope_render::gpu::readback_belt::ReadbackBelt;
use histoscope_render::gpu::timing::{Timestamps, span_ns};
use histoscope_render::gpu::upload::PictureBuffers;
use histoscope_render::gpu::{Gpu, GpuError};

/// Most frames whose results may be in flight. Further frames are counted, but not read back.
const MAX_IN_FLIGHT: usize = 3;

/// The results of one frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The method's counts, and the correct counts.
    pub counts: LadderCounts,
    /// The passes in order, each with its time. GPU passes are timed by the GPU's clock, and have `None` if it cannot
    /// be read. A method on the CPU is one pass, timed by the CPU's clock.
    pub passes: Vec<(&'static str, Option<Duration>)>,
    /// `true` if a loop of the user's own shader took too many turns and was stopped.
    pub was_stopped: bool,
    /// The time of the floor, which reads the planes and does nothing else.
    pub floor: Option<Duration>,
}

impl Measured {
    /// Returns the time of all passes, or `None` if it is not known.
    #[must_use]
    pub fn total(&self) -> Option<Duration> {
        self.passes.iter().map(|(_, time)| *time).sum()
    }
}

/// A [`Ladder`] whose results are read back without waiting.
#[derive(Debug)]
pub struct Live {
    ladder: Ladder,
    timestamps: Option<Timestamps>,
    belt: ReadbackBelt<OnCpu>,
}

/// The time that a method on the CPU took.
#[derive(Debug, Clone, Copy)]
struct OnCpu(Option<Duration>);

impl Live {
    /// Sets up a method, as [`Ladder::new`] does.
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
        Ok(Ladder::new(gpu, setup, picture, least_step, own)?.map(|ladder| {
            let spans = ladder.steps().len() as u32 + 1;
            let bytes = 2 * bin_bytes(setup) + STOPPED_BYTES + u64::from(spans) * Timestamps::SPAN_BYTES;
            Self {
                timestamps: Timestamps::new(gpu, spans),
                belt: ReadbackBelt::new(&gpu.device, "ladder", bytes, MAX_IN_FLIGHT),
                ladder,
            }
        }))
    }

    /// Returns the ladder in use.
    #[must_use]
    pub const fn ladder(&self) -> &Ladder {
        &self.ladder
    }

    /// Records the counting of the picture of this bind group, and the copies for reading back its results. If too many
    /// frames are already in flight, it counts without reading back.
    pub fn record(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        picture: &Picture,
        planes: &wgpu::BindGroup,
    ) {
        let begin = Instant::now();
        self.ladder.count_on_cpu(gpu, picture);
        let on_cpu = OnCpu(self.ladder.steps().is_empty().then(|| begin.elapsed()));
        let timestamps = self.timestamps.as_ref();
        // One set of timestamps serves every frame: earlier commands have already copied the previous frame's.
        self.ladder.record(encoder, planes, timestamps.map(|timestamps| timestamps.spans_from(0)));
        let ladder = &self.ladder;
        let bin_bytes = bin_bytes(ladder.setup());
        self.belt.record_with(on_cpu, |readback| {
            encoder.copy_buffer_to_buffer(ladder.bins(), 0, readback, 0, bin_bytes);
            encoder.copy_buffer_to_buffer(ladder.expected(), 0, readback, bin_bytes, bin_bytes);
            if let Some(stopped) = ladder.stopped() {
                encoder.copy_buffer_to_buffer(stopped, 0, readback, 2 * bin_bytes, 4);
            }
            if let Some(timestamps) = timestamps {
                let at = 2 * bin_bytes + STOPPED_BYTES;
                timestamps.record_copy_to(encoder, 0..ladder.steps().len() as u32 + 1, readback, at);
            }
            readback.size()
        });
    }

    /// Starts reading back. Call this after submitting the recorded commands.
    pub fn submitted(&mut self) {
        self.belt.submitted(None);
    }

    /// Returns `true` while results are in flight.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        !self.belt.is_empty()
    }

    /// Returns the newest results that have arrived, without waiting.
    pub fn poll(&mut self, gpu: &Gpu) -> Option<Measured> {
        let newest = std::iter::from_fn(|| self.belt.poll(&gpu.device)).last()?;
        Some(self.measured(gpu, newest))
    }

    fn measured(&self, gpu: &Gpu, (OnCpu(on_cpu), words): (OnCpu, Vec<u32>)) -> Measured {
        let setup = self.ladder.setup();
        let (counted, rest) = words.split_at(setup.word_count());
        let (expected, rest) = rest.split_at(setup.word_count());
        let (stopped, spans) = rest.split_at(STOPPED_BYTES as usize / 4);
        let period_ns = f64::from(gpu.queue.get_timestamp_period());
        let spans = bytemuck::cast_slice::<u32, u8>(spans).chunks_exact(Timestamps::SPAN_BYTES as usize);
        let times = spans.map(|span| Duration::from_nanos(span_ns(span, period_ns) as u64));
        let times: Vec<_> = times.map(|time| self.timestamps.as_ref().map(|_| time)).collect();
        let passes = match on_cpu {
            Some(_) => vec![("CPU", on_cpu)],
            None => self.ladder.steps().iter().map(|step| step.name).zip(times.iter().copied()).collect(),
        };
        Measured {
            counts: LadderCounts { counted: setup.by_channel(counted), expected: setup.by_channel(expected) },
            passes,
            was_stopped: self.ladder.stopped().is_some() && stopped[0] != 0,
            floor: times.last().copied().flatten(),
        }
    }
}

/// Bytes between the bins and the timestamps: whether a loop was stopped.
const STOPPED_BYTES: u64 = 8;

fn bin_bytes(setup: Setup) -> u64 {
    setup.word_count() as u64 * 4
}

/// A [`Live`] with its own planes and submissions, which counts one frame at a time for the window.
#[derive(Debug)]
pub struct Runner {
    live: Live,
    pictures: PictureBuffers,
}

impl Runner {
    /// Sets up a method, as [`Ladder::new`] does.
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
        if let Err(reason) = PictureBuffers::check(gpu, picture) {
            return Ok(Err(reason.to_string()));
        }
        let live = Live::new(gpu, setup, picture, least_step, own)?;
        Ok(live.map(|live| Self { live, pictures: PictureBuffers::default() }))
    }

    /// Returns the ladder in use.
    #[must_use]
    pub const fn ladder(&self) -> &Ladder {
        self.live.ladder()
    }

    /// Returns `true` while a frame's results are in flight. Do not start another frame then.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        self.live.is_pending()
    }

    /// Starts counting a picture that the method was made for. [`poll`](Self::poll) returns the results.
    ///
    /// # Errors
    /// [`GpuError`] if the device fails.
    pub fn start(&mut self, gpu: &Gpu, picture: &Picture) -> Result<(), GpuError> {
        self.pictures.upload(gpu, picture)?;
        let Some(planes) = self.pictures.bind_group() else { return Ok(()) };
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("lab") });
        self.live.record(gpu, &mut encoder, picture, planes);
        gpu.queue.submit([encoder.finish()]);
        self.live.submitted();
        Ok(())
    }

    /// Returns the results of the last frame if they have arrived, without waiting.
    pub fn poll(&mut self, gpu: &Gpu) -> Option<Measured> {
        self.live.poll(gpu)
    }
}
