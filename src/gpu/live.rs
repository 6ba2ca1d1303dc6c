//! The passes' times of a playing video: written by the passes, read back a few frames later, never waited for.

use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use super::Gpu;
use super::timing::Timestamps;

/// How long the parts of the last frame that was timed took. `None` for what did not run, or cannot be timed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PassTimes {
    /// Copying the planes towards the GPU, on the CPU's clock.
    pub upload: Option<Duration>,
    /// Counting on the CPU, on its own clock.
    pub cpu_count: Option<Duration>,
    /// Painting the picture on the CPU, on its own clock.
    pub cpu_paint: Option<Duration>,
    /// Adjusting the picture on the CPU, on its own clock.
    pub cpu_adjust: Option<Duration>,
    /// The chunk pass, on the GPU's clock.
    pub chunk: Option<Duration>,
    /// The reduce pass.
    pub reduce: Option<Duration>,
    /// The scale pass.
    pub scale: Option<Duration>,
    /// The adjustments' passes.
    pub adjust: Option<Duration>,
    /// Drawing: picture, overlays and text.
    pub draw: Option<Duration>,
}

/// A pass that is timed; its number is that of its span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span {
    /// The chunk pass.
    Chunk,
    /// The reduce pass.
    Reduce,
    /// The scale pass.
    Scale,
    /// The draw pass.
    Draw,
}

impl Span {
    /// Number of spans.
    pub const COUNT: u32 = 4;
}

/// Times frames one after the other, as soon as the last one's figures are back.
#[derive(Debug)]
pub struct LiveTiming {
    timestamps: Option<Timestamps>,
    resolved: wgpu::Buffer,
    readback: wgpu::Buffer,
    /// First span written by the frame whose figures are under way, and the sign that they are there.
    pending: Option<(u32, Receiver<bool>)>,
    /// First span written by the frame that is recorded now.
    recording: Option<u32>,
    /// The newest figures.
    pub times: PassTimes,
}

impl LiveTiming {
    /// Makes the queries; without them, where the adapter writes no timestamps, only the CPU's clock is used.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        let size = u64::from(2 * Span::COUNT * wgpu::QUERY_SIZE);
        let buffer = |usage| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("live timestamps"),
                size,
                usage,
                mapped_at_creation: false,
            })
        };
        Self {
            timestamps: Timestamps::new(gpu, Span::COUNT),
            resolved: buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
            readback: buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST),
            pending: None,
            recording: None,
            times: PassTimes::default(),
        }
    }

    /// Whether the adapter tells its passes' times.
    #[must_use]
    pub const fn has_timestamps(&self) -> bool {
        self.timestamps.is_some()
    }

    /// Starts timing a frame whose first timed pass is `first`; the query set if the frame is to be timed.
    pub fn begin(&mut self, first: Span) -> Option<&wgpu::QuerySet> {
        let timestamps = self.timestamps.as_ref().filter(|_| self.pending.is_none())?;
        self.recording = Some(first as u32);
        Some(timestamps.set())
    }

    /// The query set if the frame that is recorded now is timed.
    #[must_use]
    pub fn set(&self) -> Option<&wgpu::QuerySet> {
        self.timestamps.as_ref().filter(|_| self.recording.is_some()).map(Timestamps::set)
    }

    /// Records the way back of the figures, after the last timed pass.
    pub fn end(&self, encoder: &mut wgpu::CommandEncoder) {
        let (Some(first), Some(timestamps)) = (self.recording, &self.timestamps) else { return };
        // Only what was written is resolved: a driver may wait forever for the rest.
        let at = u64::from(2 * first * wgpu::QUERY_SIZE);
        let size = self.resolved.size() - at;
        // Results are resolved to the buffer's start, whose alignment every adapter accepts.
        encoder.resolve_query_set(timestamps.set(), 2 * first..2 * Span::COUNT, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.readback, at, size);
    }

    /// Asks for the figures, once the frame has been submitted.
    pub fn submitted(&mut self) {
        let Some(first) = self.recording.take() else { return };
        let (sender, receiver) = mpsc::channel();
        self.readback.slice(..).map_async(wgpu::MapMode::Read, move |result| {
            // Nobody listens any more when the window has been closed.
            let _ = sender.send(result.is_ok());
        });
        self.pending = Some((first, receiver));
    }

    /// Whether figures are under way.
    #[must_use]
    pub const fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    /// Takes the figures that have come back, without waiting; whether there were any.
    pub fn poll(&mut self, gpu: &Gpu) -> bool {
        let Some((first, receiver)) = &self.pending else { return false };
        // An error here shows in Gpu::check, which every frame calls.
        let _ = gpu.device.poll(wgpu::PollType::Poll);
        let Ok(arrived) = receiver.try_recv() else { return false };
        let first = *first;
        self.pending = None;
        if !arrived {
            return false;
        }
        if let Ok(bytes) = self.readback.slice(..).get_mapped_range() {
            let ticks: Vec<u64> = bytemuck::pod_collect_to_vec(&bytes);
            let period = f64::from(gpu.queue.get_timestamp_period());
            let span = |span: Span| {
                let at = 2 * span as usize;
                let nanos = ticks[at + 1].saturating_sub(ticks[at]) as f64 * period;
                (span as u32 >= first).then(|| Duration::from_nanos(nanos as u64))
            };
            let (chunk, reduce) = (span(Span::Chunk), span(Span::Reduce));
            self.times = PassTimes { chunk, reduce, scale: span(Span::Scale), draw: span(Span::Draw), ..self.times };
        }
        self.readback.unmap();
        true
    }
}
