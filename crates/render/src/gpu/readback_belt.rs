//! Reads words back from the GPU without blocking: recorded commands copy them, they are mapped once the commands are
//! submitted, and taken later, in the order in which they were requested.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::mpsc::{self, Receiver};

use super::GpuError;
use super::figures::Series;

/// Equally large buffers for reading bytes back, and the subjects that the bytes belong to.
#[derive(Debug)]
pub struct ReadbackBelt<T> {
    idle: Vec<wgpu::Buffer>,
    /// Copies that are recorded but not yet submitted.
    recorded: Vec<RecordedReadback<T>>,
    in_flight: VecDeque<PendingMap<T>>,
}

/// Bytes in a buffer, and their subject.
#[derive(Debug)]
struct RecordedReadback<T> {
    subject: T,
    buffer: wgpu::Buffer,
    bytes: u64,
}

/// Bytes being mapped.
#[derive(Debug)]
struct PendingMap<T> {
    load: RecordedReadback<T>,
    /// The submission that copies them, if known.
    submission: Option<wgpu::SubmissionIndex>,
    mapped: Receiver<Result<(), wgpu::BufferAsyncError>>,
}

impl<T> ReadbackBelt<T> {
    /// Creates a belt of `depth` buffers of `bytes` bytes each, a multiple of four.
    pub fn new(device: &wgpu::Device, label: &str, bytes: u64, depth: usize) -> Self {
        let buffer = |_| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: bytes,
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        };
        Self { idle: (0..depth).map(buffer).collect(), recorded: Vec::new(), in_flight: VecDeque::new() }
    }

    /// Returns the number of free buffers.
    pub fn room(&self) -> usize {
        self.idle.len()
    }

    /// Returns the subject of the newest bytes in flight.
    pub fn newest(&self) -> Option<&T> {
        let newest = self.recorded.last().or_else(|| self.in_flight.back().map(|under_way| &under_way.load));
        newest.map(|load| &load.subject)
    }

    /// Returns `true` if nothing is in flight.
    pub fn is_empty(&self) -> bool {
        self.recorded.is_empty() && self.in_flight.is_empty()
    }

    /// Records copying a range of bytes from each of these buffers, one after another. Returns `false` if no buffer is
    /// free.
    pub fn record(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        parts: &[(&wgpu::Buffer, Range<u64>)],
        subject: T,
    ) -> bool {
        self.record_with(subject, |readback| {
            let mut end = 0;
            for (buffer, range) in parts {
                encoder.copy_buffer_to_buffer(buffer, range.start, readback, end, range.end - range.start);
                end += range.end - range.start;
            }
            end
        })
    }

    /// Like [`record`](Self::record), for arbitrary commands: `copy` records them and returns the number of bytes it
    /// fills.
    pub fn record_with(&mut self, subject: T, copy: impl FnOnce(&wgpu::Buffer) -> u64) -> bool {
        let Some(buffer) = self.idle.pop() else { return false };
        let bytes = copy(&buffer);
        self.recorded.push(RecordedReadback { subject, buffer, bytes });
        true
    }

    /// Must be called after the recorded commands are submitted. [`wait`](Self::wait) then waits for that submission,
    /// or, if it is `None`, for everything submitted so far.
    pub fn submitted(&mut self, submission: Option<&wgpu::SubmissionIndex>) {
        for load in self.recorded.drain(..) {
            let (sender, mapped) = mpsc::channel();
            load.buffer.slice(..load.bytes).map_async(wgpu::MapMode::Read, move |result| {
                // If the belt has been dropped, nothing is listening any more.
                let _ = sender.send(result);
            });
            self.in_flight.push_back(PendingMap { load, submission: submission.cloned(), mapped });
        }
    }

    /// Takes the oldest bytes if they have arrived, as a vector of words, without blocking. Bytes lost with a device
    /// are skipped; [`Gpu::check`](super::Gpu::check) reports the loss.
    pub fn poll(&mut self, device: &wgpu::Device) -> Option<(T, Vec<u32>)> {
        let mapped = &self.in_flight.front()?.mapped;
        // An error here means that the device is lost.
        let _ = device.poll(wgpu::PollType::Poll);
        let result = mapped.try_recv().ok()?;
        let PendingMap { load, .. } = self.in_flight.pop_front()?;
        self.finish(load, result, bytemuck::pod_collect_to_vec).ok()
    }

    /// Waits for the oldest bytes and passes them to `read`. Returns `None` if none are in flight.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device fails.
    pub fn wait<R>(
        &mut self,
        device: &wgpu::Device,
        read: impl FnOnce(&[u8]) -> R,
    ) -> Result<Option<(T, R)>, GpuError> {
        let Some(PendingMap { load, submission, mapped }) = self.in_flight.pop_front() else { return Ok(None) };
        let wait = wgpu::PollType::Wait { submission_index: submission, timeout: None };
        device.poll(wait).map_err(|error| GpuError::Lost(error.to_string()))?;
        let result = mapped.recv().map_err(|error| GpuError::Lost(error.to_string()))?;
        self.finish(load, result, read).map(Some)
    }

    fn finish<R>(
        &mut self,
        RecordedReadback { subject, buffer, bytes }: RecordedReadback<T>,
        mapped: Result<(), wgpu::BufferAsyncError>,
        read: impl FnOnce(&[u8]) -> R,
    ) -> Result<(T, R), GpuError> {
        let result = mapped.map_err(|error| GpuError::Lost(error.to_string())).and_then(|()| {
            let view = buffer.slice(..bytes).get_mapped_range().map_err(|error| GpuError::Lost(error.to_string()))?;
            Ok(read(&view))
        });
        buffer.unmap();
        self.idle.push(buffer);
        result.map(|result| (subject, result))
    }
}

/// Reads the bytes that `copy` records into a buffer of `bytes` bytes, after everything submitted so far. Blocks until
/// done.
///
/// # Errors
/// [`GpuError::Lost`] if the device fails.
pub(super) fn read_now<R>(
    (device, queue): (&wgpu::Device, &wgpu::Queue),
    bytes: u64,
    copy: impl FnOnce(&mut wgpu::CommandEncoder, &wgpu::Buffer),
    read: impl FnOnce(&[u8]) -> R,
) -> Result<R, GpuError> {
    let mut belt = ReadbackBelt::new(device, "readback", bytes, 1);
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("readback") });
    belt.record_with((), |readback| {
        copy(&mut encoder, readback);
        bytes
    });
    let submission = queue.submit([encoder.finish()]);
    belt.submitted(Some(&submission));
    let taken = belt.wait(device, read)?;
    taken.map(|((), read)| read).ok_or_else(|| GpuError::Lost("nothing was read".to_owned()))
}

/// Words that are read back on request while a video plays, one set at a time. Each set belongs to the series of
/// pictures that it was requested for, and is never returned for another series.
#[derive(Debug)]
pub struct RequestedReadback<T> {
    belt: ReadbackBelt<(Series, T)>,
    newest: Option<(Series, T, Vec<u32>)>,
    /// `true` if words are requested that are not in flight yet.
    pub is_wanted: bool,
}

impl<T> RequestedReadback<T> {
    /// Creates room for at most `words` words.
    pub fn new(device: &wgpu::Device, label: &str, words: usize) -> Self {
        Self { belt: ReadbackBelt::new(device, label, words as u64 * 4, 1), newest: None, is_wanted: false }
    }

    /// Returns `true` if nothing is in flight.
    pub fn is_idle(&self) -> bool {
        self.belt.is_empty()
    }

    /// Returns `true` if words are requested and can be copied now.
    pub fn is_due(&self) -> bool {
        self.is_wanted && self.is_idle()
    }

    /// Returns `true` if words are requested or in flight.
    pub fn is_pending(&self) -> bool {
        self.is_wanted || !self.is_idle()
    }

    /// Returns the subject in flight if it belongs to this series.
    pub fn in_flight(&self, series: Option<Series>) -> Option<&T> {
        self.belt.newest().filter(|(of, _)| Some(*of) == series).map(|(_, subject)| subject)
    }

    /// Records copying ranges of words from these buffers, for a picture of this series.
    pub fn record(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        parts: &[(&wgpu::Buffer, Range<usize>)],
        series: Series,
        subject: T,
    ) {
        let bytes = |words: &Range<usize>| words.start as u64 * 4..words.end as u64 * 4;
        let parts: Vec<_> = parts.iter().map(|(buffer, words)| (*buffer, bytes(words))).collect();
        self.belt.record(encoder, &parts, (series, subject));
        self.is_wanted = false;
    }

    /// Submits copying ranges of words from these buffers on its own.
    pub fn send(
        &mut self,
        (device, queue): (&wgpu::Device, &wgpu::Queue),
        label: &str,
        parts: &[(&wgpu::Buffer, Range<usize>)],
        series: Series,
        subject: T,
    ) {
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some(label) });
        self.record(&mut encoder, parts, series, subject);
        queue.submit([encoder.finish()]);
        self.submitted();
    }

    /// Must be called after the recorded commands are submitted.
    pub fn submitted(&mut self) {
        self.belt.submitted(None);
    }

    /// Checks for words that have arrived, without blocking. Returns `true` if there are new ones of this series.
    pub fn poll(&mut self, device: &wgpu::Device, series: Option<Series>) -> bool {
        let Some(((of, subject), words)) = self.belt.poll(device) else { return false };
        let is_of_it = Some(of) == series;
        self.newest = is_of_it.then_some((of, subject, words));
        is_of_it
    }

    /// Returns the newest words that have arrived for this series, with their subject.
    pub fn newest(&self, series: Option<Series>) -> Option<(&T, &[u32])> {
        let (_, subject, words) = self.newest.as_ref().filter(|(of, ..)| Some(*of) == series)?;
        Some((subject, words))
    }

    /// Takes the newest words if they belong to this series, with their subject.
    pub fn take(&mut self, series: Option<Series>) -> Option<(T, Vec<u32>)> {
        let (of, subject, words) = self.newest.take()?;
        (Some(of) == series).then_some((subject, words))
    }
}
