//! Counting picture after picture with several in flight: while the GPU counts one, the next is uploaded and the bins of
//! those before come back.

use std::collections::VecDeque;
use std::sync::mpsc::{self, Receiver};

use super::histogram::HistogramPasses;
use super::upload::PictureBuffers;
use super::{Gpu, GpuError};
use crate::histogram::{Components, Histogram};
use crate::picture::Picture;

/// The counting passes with a few buffers to bring bins back in.
#[derive(Debug)]
pub struct CountQueue {
    pictures: PictureBuffers,
    passes: HistogramPasses,
    idle: Vec<wgpu::Buffer>,
    in_flight: VecDeque<InFlight>,
}

/// A picture's bins on their way.
#[derive(Debug)]
struct InFlight {
    buffer: wgpu::Buffer,
    bits: u32,
    components: Components,
    submission: wgpu::SubmissionIndex,
    mapped: Receiver<Result<(), wgpu::BufferAsyncError>>,
}

impl CountQueue {
    /// A queue in which `depth` histograms, at least one, can be under way.
    #[must_use]
    pub fn new(gpu: &Gpu, depth: usize) -> Self {
        let pictures = PictureBuffers::default();
        let passes = HistogramPasses::new(gpu);
        let buffer = |_| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("bins on their way back"),
                size: Histogram::word_count(12) as u64 * 4,
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        };
        Self { pictures, passes, idle: (0..depth.max(1)).map(buffer).collect(), in_flight: VecDeque::new() }
    }

    /// Histograms that can still be submitted before one must be taken.
    #[must_use]
    pub fn room(&self) -> usize {
        self.idle.len()
    }

    /// Uploads a picture once and submits one count for each of `components`, for which there must be
    /// [`room`](Self::room).
    ///
    /// # Errors
    /// [`GpuError`] if the adapter cannot count the picture; then nothing was submitted.
    pub fn submit(&mut self, gpu: &Gpu, picture: &Picture, components: &[Components]) -> Result<(), GpuError> {
        for &components in components {
            self.passes.prepare(gpu, picture, components)?;
        }
        let command_encoder =
            || gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("count") });
        let mut encoder = command_encoder();
        let mut underway = Some(self.pictures.record_upload(gpu, picture, &mut encoder)?);
        let bits = picture.layout().bin_bits();
        let bytes = Histogram::word_count(bits) as u64 * 4;
        for &components in components {
            self.passes.prepare(gpu, picture, components)?;
            let (Some(buffer), Some(group)) = (self.idle.pop(), self.pictures.bind_group()) else { return Ok(()) };
            self.passes.record(&mut encoder, group, None);
            encoder.copy_buffer_to_buffer(&self.passes.bins, 0, &buffer, 0, bytes);
            let submission = gpu.queue.submit([std::mem::replace(&mut encoder, command_encoder()).finish()]);
            if let Some(underway) = underway.take() {
                underway.submitted(gpu);
            }
            let (sender, mapped) = mpsc::channel();
            buffer.slice(..bytes).map_async(wgpu::MapMode::Read, move |result| {
                // Nobody listens any more where the run was given up.
                let _ = sender.send(result);
            });
            self.in_flight.push_back(InFlight { buffer, bits, components, submission, mapped });
        }
        Ok(())
    }

    /// Waits for the oldest histogram under way; `None` if there is none.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device fails.
    pub fn take(&mut self, gpu: &Gpu) -> Result<Option<Histogram>, GpuError> {
        let Some(InFlight { buffer, bits, components, submission, mapped }) = self.in_flight.pop_front() else {
            return Ok(None);
        };
        let lost = |reason: String| GpuError::Lost(reason);
        let wait = wgpu::PollType::Wait { submission_index: Some(submission), timeout: None };
        gpu.device.poll(wait).map_err(|error| lost(error.to_string()))?;
        gpu.check()?;
        mapped.recv().map_err(|e| lost(e.to_string()))?.map_err(|e| lost(e.to_string()))?;
        let bytes = Histogram::word_count(bits) as u64 * 4;
        let view = buffer.slice(..bytes).get_mapped_range().map_err(|e| lost(e.to_string()))?;
        let words = bytemuck::pod_collect_to_vec(&view);
        drop(view);
        buffer.unmap();
        self.idle.push(buffer);
        Ok(Some(Histogram { bits, components, words }))
    }
}
