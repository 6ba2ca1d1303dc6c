//! How long passes take on the GPU itself, from timestamp queries.

use super::readback::read_buffer;
use super::{Gpu, GpuError};

/// Timestamps that passes write at their begin and end. Two neighbouring queries are a span.
#[derive(Debug)]
pub struct Timestamps {
    set: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    spans: u32,
}

impl Timestamps {
    /// The most spans that one set may have.
    pub const MOST_SPANS: u32 = wgpu::QUERY_SET_MAX_QUERIES / 2;

    /// Makes a set of `spans` spans, at most [`Self::MOST_SPANS`]; `None` where the adapter writes no timestamps.
    #[must_use]
    pub fn new(gpu: &Gpu, spans: u32) -> Option<Self> {
        if !gpu.device.features().contains(wgpu::Features::TIMESTAMP_QUERY) {
            return None;
        }
        let spans = spans.clamp(1, Self::MOST_SPANS);
        let set = gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
            label: Some("timestamps"),
            ty: wgpu::QueryType::Timestamp,
            count: 2 * spans,
        });
        let resolved = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("timestamps"),
            size: u64::from(2 * spans) * u64::from(wgpu::QUERY_SIZE),
            usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        Some(Self { set, resolved, spans })
    }

    /// The query set, for passes that take [`Stamps`](super::histogram::Stamps).
    #[must_use]
    pub const fn set(&self) -> &wgpu::QuerySet {
        &self.set
    }

    /// Spans of the set.
    #[must_use]
    pub const fn spans(&self) -> u32 {
        self.spans
    }

    /// What a compute pass is given to write span `index` around itself.
    #[must_use]
    pub const fn around_pass(&self, index: u32) -> wgpu::ComputePassTimestampWrites<'_> {
        wgpu::ComputePassTimestampWrites {
            query_set: &self.set,
            beginning_of_pass_write_index: Some(2 * index),
            end_of_pass_write_index: Some(2 * index + 1),
        }
    }

    /// Nanoseconds of the first `written` spans. All of them must have been submitted: a driver may wait forever for a
    /// query that nobody wrote.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device fails.
    pub fn read_ns(&self, gpu: &Gpu, written: u32) -> Result<Vec<f64>, GpuError> {
        let queries = 2 * written.min(self.spans);
        if queries == 0 {
            return Ok(Vec::new());
        }
        let mut encoder =
            gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("timestamps") });
        encoder.resolve_query_set(&self.set, 0..queries, &self.resolved, 0);
        gpu.queue.submit([encoder.finish()]);
        let bytes = read_buffer(gpu, &self.resolved, u64::from(queries) * u64::from(wgpu::QUERY_SIZE))?;
        let ticks: Vec<u64> = bytemuck::pod_collect_to_vec(&bytes);
        let period_ns = f64::from(gpu.queue.get_timestamp_period());
        Ok(ticks.chunks_exact(2).map(|span| span[1].wrapping_sub(span[0]) as f64 * period_ns).collect())
    }
}
