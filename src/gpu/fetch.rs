//! Words that come back from the GPU while a video plays: copied, mapped a few frames later, never waited for.

use std::ops::Range;
use std::sync::mpsc::{self, Receiver};

use super::Gpu;

/// How far the words have come, of which subject they are, and how many there are.
#[derive(Debug)]
enum Way<T> {
    /// None are under way.
    Idle,
    /// Their copy is recorded, but not submitted.
    Recorded(T, u64),
    /// They are being mapped; the sign that they are there.
    Mapping(T, u64, Receiver<bool>),
}

/// One buffer of words on its way back, and what they are of.
#[derive(Debug)]
pub(super) struct Fetch<T> {
    readback: wgpu::Buffer,
    way: Way<T>,
    /// Whether somebody waits for words that are not on their way yet.
    pub wanted: bool,
}

impl<T: Copy> Fetch<T> {
    /// Room for at most so many words.
    pub fn new(gpu: &Gpu, label: &str, words: usize) -> Self {
        let readback = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size: words as u64 * 4,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Self { readback, way: Way::Idle, wanted: false }
    }

    /// Whether words are wanted and can set out.
    pub const fn is_due(&self) -> bool {
        self.wanted && matches!(self.way, Way::Idle)
    }

    /// Whether words are wanted or under way.
    pub const fn is_pending(&self) -> bool {
        self.wanted || !matches!(self.way, Way::Idle)
    }

    /// What those are of that are under way.
    pub const fn under_way(&self) -> Option<T> {
        match &self.way {
            Way::Idle => None,
            Way::Recorded(subject, _) | Way::Mapping(subject, _, _) => Some(*subject),
        }
    }

    /// Records the copy of some words of each of these buffers, one behind the other.
    pub fn record(&mut self, encoder: &mut wgpu::CommandEncoder, parts: &[(&wgpu::Buffer, Range<usize>)], subject: T) {
        let mut end = 0;
        for (buffer, words) in parts {
            let bytes = words.len() as u64 * 4;
            encoder.copy_buffer_to_buffer(buffer, words.start as u64 * 4, &self.readback, end, bytes);
            end += bytes;
        }
        self.way = Way::Recorded(subject, end);
        self.wanted = false;
    }

    /// Asks for the words, once their copy has been submitted.
    pub fn submitted(&mut self) {
        let Way::Recorded(subject, bytes) = self.way else { return };
        let (sender, receiver) = mpsc::channel();
        self.readback.slice(..).map_async(wgpu::MapMode::Read, move |result| {
            // Nobody listens any more when the window has been closed.
            let _ = sender.send(result.is_ok());
        });
        self.way = Way::Mapping(subject, bytes, receiver);
    }

    /// Takes the words if they have come, without waiting.
    pub fn poll(&mut self, gpu: &Gpu) -> Option<(T, Vec<u32>)> {
        let Way::Mapping(subject, bytes, receiver) = &self.way else { return None };
        // An error here shows in Gpu::check, which every frame calls.
        let _ = gpu.device.poll(wgpu::PollType::Poll);
        let arrived = receiver.try_recv().ok()?;
        let (subject, bytes) = (*subject, *bytes);
        self.way = Way::Idle;
        if !arrived {
            return None;
        }
        let words = self.readback.slice(..bytes).get_mapped_range().map(|bytes| bytemuck::pod_collect_to_vec(&bytes));
        self.readback.unmap();
        Some((subject, words.ok()?))
    }
}
