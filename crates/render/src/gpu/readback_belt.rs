//! Bringing words back from the GPU without standing still: copied by recorded commands, mapped once those are submitted,
//! and taken later, in the order in which they set out.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::mpsc::{self, Receiver};

use super::GpuError;
use super::figures::Series;

/// Buffers of one size in which bytes come back, and what the bytes are of.
#[derive(Debug)]
pub struct ReadbackBelt<T> {
    idle: Vec<wgpu::Buffer>,
    /// Their copies are recorded, but not submitted.
    recorded: Vec<Load<T>>,
    under_way: VecDeque<PendingMap<T>>,
}

/// Bytes in a buffer, and what they are of.
#[derive(Debug)]
struct Load<T> {
    subject: T,
    buffer: wgpu::Buffer,
    bytes: u64,
}

/// Bytes that are being mapped.
#[derive(Debug)]
struct PendingMap<T> {
    load: Load<T>,
    /// The submission that copies them, where that is known.
    submission: Option<wgpu::SubmissionIndex>,
    mapped: Receiver<Result<(), wgpu::BufferAsyncError>>,
}

impl<T> ReadbackBelt<T> {
    /// A belt of `depth` buffers of `bytes` bytes each, a multiple of four.
    pub fn new(device: &wgpu::Device, label: &str, bytes: u64, depth: usize) -> Self {
        let buffer = |_| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: bytes,
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        };
        Self { idle: (0..depth).map(buffer).collect(), recorded: Vec::new(), under_way: VecDeque::new() }
    }

    /// How many buffers are free.
    pub fn room(&self) -> usize {
        self.idle.len()
    }

    /// The subject of the newest bytes that are under way.
    pub fn newest(&self) -> Option<&T> {
        let newest = self.recorded.last().or_else(|| self.under_way.back().map(|under_way| &under_way.load));
        newest.map(|load| &load.subject)
    }

    /// Returns `true` if anything is under way.
    pub fn is_empty(&self) -> bool {
        self.recorded.is_empty() && self.under_way.is_empty()
    }

    /// Records the copy of a range of bytes of each of these buffers, one behind the other; false where no buffer is free.
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

    /// The same for whatever `copy` records; it says how many bytes it fills.
    pub fn record_with(&mut self, subject: T, copy: impl FnOnce(&wgpu::Buffer) -> u64) -> bool {
        let Some(buffer) = self.idle.pop() else { return false };
        let bytes = copy(&buffer);
        self.recorded.push(Load { subject, buffer, bytes });
        true
    }

    /// Must follow the submission of what was recorded. Whoever waits waits for that submission; without one, for all that
    /// there were.
    pub fn submitted(&mut self, submission: Option<&wgpu::SubmissionIndex>) {
        for load in self.recorded.drain(..) {
            let (sender, mapped) = mpsc::channel();
            load.buffer.slice(..load.bytes).map_async(wgpu::MapMode::Read, move |result| {
                // Nobody listens any more where the belt has been dropped.
                let _ = sender.send(result);
            });
            self.under_way.push_back(PendingMap { load, submission: submission.cloned(), mapped });
        }
    }

    /// Takes the oldest bytes if they have come, as words of their own, without waiting. What a device lost is left out;
    /// [`Gpu::check`](super::Gpu::check) tells of it.
    pub fn poll(&mut self, device: &wgpu::Device) -> Option<(T, Vec<u32>)> {
        let mapped = &self.under_way.front()?.mapped;
        // An error here is the device's loss.
        let _ = device.poll(wgpu::PollType::Poll);
        let result = mapped.try_recv().ok()?;
        let PendingMap { load, .. } = self.under_way.pop_front()?;
        self.finish(load, result, bytemuck::pod_collect_to_vec).ok()
    }

    /// Waits for the oldest bytes, `None` if none are under way, and hands them to `read`.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device fails.
    pub fn wait<R>(
        &mut self,
        device: &wgpu::Device,
        read: impl FnOnce(&[u8]) -> R,
    ) -> Result<Option<(T, R)>, GpuError> {
        let Some(PendingMap { load, submission, mapped }) = self.under_way.pop_front() else { return Ok(None) };
        let wait = wgpu::PollType::Wait { submission_index: submission, timeout: None };
        device.poll(wait).map_err(|error| GpuError::Lost(error.to_string()))?;
        let result = mapped.recv().map_err(|error| GpuError::Lost(error.to_string()))?;
        self.finish(load, result, read).map(Some)
    }

    fn finish<R>(
        &mut self,
        Load { subject, buffer, bytes }: Load<T>,
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

/// Reads what `copy` records into a buffer of `bytes` bytes, after all that was submitted, and waits for it.
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

/// Words that come back while a video plays, one load of them at a time, because somebody asked. Each load belongs to the series of
/// pictures that it was asked of: what has come of another is never handed out.
#[derive(Debug)]
pub struct OnRequest<T> {
    belt: ReadbackBelt<(Series, T)>,
    newest: Option<(Series, T, Vec<u32>)>,
    /// `true` if somebody waits for words that are not on their way yet.
    pub is_wanted: bool,
}

impl<T> OnRequest<T> {
    /// Room for at most so many words.
    pub fn new(device: &wgpu::Device, label: &str, words: usize) -> Self {
        Self { belt: ReadbackBelt::new(device, label, words as u64 * 4, 1), newest: None, is_wanted: false }
    }

    /// Returns `true` if nothing is under way.
    pub fn is_idle(&self) -> bool {
        self.belt.is_empty()
    }

    /// Returns `true` if words are wanted and can set out.
    pub fn is_due(&self) -> bool {
        self.is_wanted && self.is_idle()
    }

    /// Returns `true` if words are wanted or under way.
    pub fn is_pending(&self) -> bool {
        self.is_wanted || !self.is_idle()
    }

    /// The subject that is under way, if it is of that series.
    pub fn under_way(&self, series: Option<Series>) -> Option<&T> {
        self.belt.newest().filter(|(of, _)| Some(*of) == series).map(|(_, subject)| subject)
    }

    /// Records the copy of ranges of words of these buffers, of a picture of that series.
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

    /// Submits the copy of ranges of words of these buffers by itself.
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

    /// Must follow the submission of what was recorded.
    pub fn submitted(&mut self) {
        self.belt.submitted(None);
    }

    /// Looks for words that have come, without waiting; whether there are any of that series.
    pub fn poll(&mut self, device: &wgpu::Device, series: Option<Series>) -> bool {
        let Some(((of, subject), words)) = self.belt.poll(device) else { return false };
        let is_of_it = Some(of) == series;
        self.newest = is_of_it.then_some((of, subject, words));
        is_of_it
    }

    /// The newest words that have come of that series, and what they are of.
    pub fn newest(&self, series: Option<Series>) -> Option<(&T, &[u32])> {
        let (_, subject, words) = self.newest.as_ref().filter(|(of, ..)| Some(*of) == series)?;
        Some((subject, words))
    }

    /// Takes them.
    pub fn take(&mut self, series: Option<Series>) -> Option<(T, Vec<u32>)> {
        let (of, subject, words) = self.newest.take()?;
        (Some(of) == series).then_some((subject, words))
    }
}
