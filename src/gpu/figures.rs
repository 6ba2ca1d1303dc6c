//! The bins of a playing video as numbers: copied after counting, read back a few frames later, never waited for.

use std::sync::mpsc::{self, Receiver};

use super::Gpu;
use super::histogram::HistogramPasses;
use crate::frame::Frame;
use crate::histogram::{Components, Histogram};

/// Which frame figures belong to.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FrameTag {
    /// Number of the seek that led to the frame.
    pub serial: u64,
    /// Its timestamp in units of the stream's time base.
    pub pts_ticks: i64,
    /// Its time in seconds from the start.
    pub time_secs: f64,
    /// Its number from the start, where that is known.
    pub index: Option<u64>,
    /// Whether they are figures of the adjusted picture.
    pub adjusted: bool,
}

impl FrameTag {
    /// The tag of a frame.
    #[must_use]
    pub const fn of(frame: &Frame) -> Self {
        let Frame { serial, pts_ticks, time_secs, index, .. } = *frame;
        Self { serial, pts_ticks, time_secs, index, adjusted: false }
    }
}

/// What bins on their way back are of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Subject {
    pub tag: FrameTag,
    /// Number of the loading that counted them: a frame may be loaded again with other colours.
    pub loading: u64,
    pub bits: u32,
    pub components: Components,
}

/// How far the bins have come.
#[derive(Debug)]
enum Way {
    /// None are under way.
    Idle,
    /// Their copy is recorded, but not submitted.
    Recorded(Subject),
    /// They are being mapped; the sign that they are there.
    Mapping(Subject, Receiver<bool>),
}

/// One buffer of bins on its way back.
#[derive(Debug)]
pub(super) struct LiveHistogram {
    readback: wgpu::Buffer,
    way: Way,
    /// Whether somebody waits for bins that are not on their way yet.
    pub wanted: bool,
}

impl LiveHistogram {
    pub fn new(gpu: &Gpu) -> Self {
        let readback = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("live bins"),
            size: Histogram::word_count(12) as u64 * 4,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Self { readback, way: Way::Idle, wanted: false }
    }

    /// Whether bins are wanted and can set out.
    pub const fn is_due(&self) -> bool {
        self.wanted && matches!(self.way, Way::Idle)
    }

    /// Whether bins are wanted or under way.
    pub const fn is_pending(&self) -> bool {
        self.wanted || !matches!(self.way, Way::Idle)
    }

    /// Whether the bins of that loading are under way already.
    pub const fn is_under_way(&self, loading: u64) -> bool {
        match &self.way {
            Way::Idle => false,
            Way::Recorded(subject) | Way::Mapping(subject, _) => subject.loading == loading,
        }
    }

    /// Records the copy of what was counted last.
    pub fn record(&mut self, encoder: &mut wgpu::CommandEncoder, passes: &HistogramPasses, subject: Subject) {
        let bytes = Histogram::word_count(subject.bits) as u64 * 4;
        encoder.copy_buffer_to_buffer(&passes.bins, 0, &self.readback, 0, bytes);
        self.way = Way::Recorded(subject);
        self.wanted = false;
    }

    /// Asks for the bins, once their copy has been submitted.
    pub fn submitted(&mut self) {
        let Way::Recorded(subject) = self.way else { return };
        let (sender, receiver) = mpsc::channel();
        self.readback.slice(..).map_async(wgpu::MapMode::Read, move |result| {
            // Nobody listens any more when the window has been closed.
            let _ = sender.send(result.is_ok());
        });
        self.way = Way::Mapping(subject, receiver);
    }

    /// Takes the bins if they have come, without waiting.
    pub fn poll(&mut self, gpu: &Gpu) -> Option<(FrameTag, Histogram)> {
        let Way::Mapping(Subject { tag, bits, components, .. }, receiver) = &self.way else { return None };
        // An error here shows in Gpu::check, which every frame calls.
        let _ = gpu.device.poll(wgpu::PollType::Poll);
        let arrived = receiver.try_recv().ok()?;
        let (tag, bits, components) = (*tag, *bits, *components);
        self.way = Way::Idle;
        if !arrived {
            return None;
        }
        let bytes = Histogram::word_count(bits) as u64 * 4;
        let words = self.readback.slice(..bytes).get_mapped_range().map(|bytes| bytemuck::pod_collect_to_vec(&bytes));
        self.readback.unmap();
        Some((tag, Histogram { bits, components, words: words.ok()? }))
    }
}
