//! Measures how long passes take on the GPU itself, with timestamp queries.
//!
//! The times in the window ([`live`](super::live)) and those of `histoscope bench` both use the spans of this module:
//! two timestamps around one or more passes.

use super::readback::read_buffer;
use super::{Gpu, GpuError};

/// Indices of a span's queries: its start, its end, and an extra one for adapters whose timestamps need a flush.
const BEGIN: u32 = 0;
const END: u32 = 1;
const FLUSH: u32 = 2;
/// Bytes from one span's results to the next, aligned for every adapter.
const RESOLVED_STEP: u64 = wgpu::QUERY_RESOLVE_BUFFER_ALIGNMENT;

/// Timestamps that passes write at their start and end.
#[derive(Debug)]
pub struct Timestamps {
    set: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    spans: u32,
    /// `true` if the adapter takes a timestamp late unless another one follows it.
    ///
    /// Mesa's software adapter takes a timestamp immediately only as long as it has not drawn anything. After that, a
    /// timestamp becomes part of the pending drawing, which runs when the next timestamp is recorded, so the start of a
    /// pass would be taken after its work. Therefore each timestamp is followed by one from an empty pass, which is
    /// never read.
    needs_flush: bool,
}

/// Spans for passes to write, starting at one of a set.
#[derive(Debug, Clone, Copy)]
pub struct Spans<'a> {
    timestamps: &'a Timestamps,
    first: u32,
}

impl Timestamps {
    /// The most spans that one set may have.
    pub const MAX_SPANS: u32 = wgpu::QUERY_SET_MAX_QUERIES / (FLUSH + 1);
    /// Bytes of a span's results: two timestamps.
    pub const SPAN_BYTES: u64 = 2 * wgpu::QUERY_SIZE as u64;

    /// Creates a set of `spans` spans, at most [`Self::MAX_SPANS`]. Returns `None` if the adapter writes no timestamps.
    #[must_use]
    pub fn new(gpu: &Gpu, spans: u32) -> Option<Self> {
        if !gpu.device.features().contains(wgpu::Features::TIMESTAMP_QUERY) {
            return None;
        }
        let spans = spans.clamp(1, Self::MAX_SPANS);
        let set = gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
            label: Some("timestamps"),
            ty: wgpu::QueryType::Timestamp,
            count: (FLUSH + 1) * spans,
        });
        let resolved = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("timestamps"),
            size: u64::from(spans) * RESOLVED_STEP,
            usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        Some(Self { set, resolved, spans, needs_flush: gpu.is_software() })
    }

    /// Returns the spans starting at `first`.
    #[must_use]
    pub const fn spans_from(&self, first: u32) -> Spans<'_> {
        Spans { timestamps: self, first }
    }

    /// Records copying these spans' timestamps to `target`, in ticks, each at its span's position. All of them must
    /// have been written: a driver may wait forever for a query that was never written.
    pub(super) fn record_copy(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        spans: impl Iterator<Item = u32>,
        target: &wgpu::Buffer,
    ) {
        self.record_copy_to(encoder, spans, target, 0);
    }

    /// Like [`record_copy`](Self::record_copy), but span 0 is copied to byte `first` of `target`.
    pub fn record_copy_to(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        spans: impl Iterator<Item = u32>,
        target: &wgpu::Buffer,
        first: u64,
    ) {
        for span in spans {
            let from = self.resolve(encoder, span);
            let to = first + u64::from(span) * Self::SPAN_BYTES;
            encoder.copy_buffer_to_buffer(&self.resolved, from, target, to, Self::SPAN_BYTES);
        }
    }

    /// Resolves a span. Returns the byte offset of its timestamps.
    fn resolve(&self, encoder: &mut wgpu::CommandEncoder, span: u32) -> u64 {
        let begin = self.spans_from(span).query(BEGIN);
        let at = u64::from(span) * RESOLVED_STEP;
        encoder.resolve_query_set(&self.set, begin..begin + 2, &self.resolved, at);
        at
    }

    /// Returns the duration in nanoseconds of each of the first `written` spans. All of them must have been submitted:
    /// a driver may wait forever for a query that was never written.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device fails.
    pub fn read_ns(&self, gpu: &Gpu, written: u32) -> Result<Vec<f64>, GpuError> {
        let written = written.min(self.spans);
        if written == 0 {
            return Ok(Vec::new());
        }
        let mut encoder =
            gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("timestamps") });
        for span in 0..written {
            self.resolve(&mut encoder, span);
        }
        gpu.queue.submit([encoder.finish()]);
        let bytes = read_buffer(gpu, &self.resolved, u64::from(written) * RESOLVED_STEP)?;
        let period_ns = f64::from(gpu.queue.get_timestamp_period());
        let spans = bytes.chunks_exact(RESOLVED_STEP as usize);
        Ok(spans.map(|span| span_ns(&span[..Self::SPAN_BYTES as usize], period_ns)).collect())
    }
}

/// Returns the nanoseconds between a span's two timestamps, given `period_ns` per tick.
pub fn span_ns(timestamps: &[u8], period_ns: f64) -> f64 {
    let ticks: Vec<u64> = bytemuck::pod_collect_to_vec(timestamps);
    match *ticks {
        [begin, end] => end.saturating_sub(begin) as f64 * period_ns,
        _ => 0.0,
    }
}

impl<'a> Spans<'a> {
    /// Returns the spans after the first one.
    #[must_use]
    pub const fn next(self) -> Self {
        self.timestamps.spans_from(self.first + 1)
    }

    const fn query(self, which: u32) -> u32 {
        (FLUSH + 1) * self.first + which
    }

    /// Begins the first span. Returns the timestamp writes for the compute pass that is recorded next.
    pub fn begin(self, encoder: &mut wgpu::CommandEncoder) -> Option<wgpu::ComputePassTimestampWrites<'a>> {
        self.begin_query(encoder).map(|begin| self.writes(Some(begin), None))
    }

    /// Begins the first span with a render pass that does not end it. Returns the timestamp writes for that pass.
    pub fn begin_with_drawing(self, encoder: &mut wgpu::CommandEncoder) -> Option<wgpu::RenderPassTimestampWrites<'a>> {
        let begin = self.begin_query(encoder)?;
        Some(wgpu::RenderPassTimestampWrites {
            query_set: &self.timestamps.set,
            beginning_of_pass_write_index: Some(begin),
            end_of_pass_write_index: None,
        })
    }

    /// Ends the first span with a render pass, which also begins it if `begins` is true. Returns the timestamp writes
    /// for that pass.
    pub fn end_with_drawing(
        self,
        encoder: &mut wgpu::CommandEncoder,
        begins: bool,
    ) -> wgpu::RenderPassTimestampWrites<'a> {
        wgpu::RenderPassTimestampWrites {
            query_set: &self.timestamps.set,
            beginning_of_pass_write_index: if begins { self.begin_query(encoder) } else { None },
            end_of_pass_write_index: Some(self.query(END)),
        }
    }

    /// Returns the query that the next pass must write at its start; `None` if an empty pass has already written it.
    fn begin_query(self, encoder: &mut wgpu::CommandEncoder) -> Option<u32> {
        if self.timestamps.needs_flush {
            self.record_empty(encoder, Some(self.query(BEGIN)), Some(self.query(FLUSH)));
            return None;
        }
        Some(self.query(BEGIN))
    }

    fn record_empty(self, encoder: &mut wgpu::CommandEncoder, begin: Option<u32>, end: Option<u32>) {
        let timestamp_writes = Some(self.writes(begin, end));
        encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some("timestamp"), timestamp_writes });
    }

    const fn writes(self, begin: Option<u32>, end: Option<u32>) -> wgpu::ComputePassTimestampWrites<'a> {
        wgpu::ComputePassTimestampWrites {
            query_set: &self.timestamps.set,
            beginning_of_pass_write_index: begin,
            end_of_pass_write_index: end,
        }
    }
}

/// Records a compute pass, timed by the first of these spans, if any.
pub fn compute_pass(
    encoder: &mut wgpu::CommandEncoder,
    label: &str,
    spans: Option<Spans<'_>>,
    work: impl FnOnce(&mut wgpu::ComputePass<'_>),
) {
    let begin = spans.and_then(|spans| spans.begin_query(encoder));
    end_with_computing(encoder, label, (spans, begin), work);
}

/// Like [`compute_pass`], but first clears the given number of bytes of some buffers, which is included in the time.
pub fn compute_pass_into(
    encoder: &mut wgpu::CommandEncoder,
    label: &str,
    cleared: &[(&wgpu::Buffer, u64)],
    spans: Option<Spans<'_>>,
    work: impl FnOnce(&mut wgpu::ComputePass<'_>),
) {
    if let Some(spans) = spans
        && let Some(begin) = spans.begin_query(encoder)
    {
        spans.record_empty(encoder, Some(begin), None);
    }
    cleared.iter().for_each(|&(buffer, bytes)| encoder.clear_buffer(buffer, 0, Some(bytes)));
    end_with_computing(encoder, label, (spans, None), work);
}

/// Records a compute pass that ends the first span, and also begins it if there is a query for that.
fn end_with_computing(
    encoder: &mut wgpu::CommandEncoder,
    label: &str,
    (spans, begin): (Option<Spans<'_>>, Option<u32>),
    work: impl FnOnce(&mut wgpu::ComputePass<'_>),
) {
    let timestamp_writes = spans.map(|spans| spans.writes(begin, Some(spans.query(END))));
    work(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some(label), timestamp_writes }));
    if let Some(spans) = spans.filter(|spans| spans.timestamps.needs_flush) {
        spans.record_empty(encoder, Some(spans.query(FLUSH)), None);
    }
}
