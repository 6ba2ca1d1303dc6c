//! Times of the passes of a playing video: written by the passes and read back a few frames later, without blocking.

use std::time::Duration;

use super::Gpu;
use super::figures::Series;
use super::readback_belt::ReadbackBelt;
use super::timing::{Spans, Timestamps, span_ns};
use histoscope_core::scopes::{PerScope, Scope};

/// Durations of the parts of the last timed frame; `None` for parts that did not run or cannot be timed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PassTimes {
    /// Copying the planes to the GPU, on the CPU's clock.
    pub upload: Option<Duration>,
    /// Counting on the CPU, on its own clock, for the most recently counted picture.
    pub cpu_count: Option<Duration>,
    /// Painting the picture on the CPU, on its own clock.
    pub cpu_paint: Option<Duration>,
    /// Adjusting the picture on the CPU, on its own clock.
    pub cpu_adjust: Option<Duration>,
    /// The chunk pass, on the GPU's clock. If two pictures are counted, this and the next two fields are the sums over
    /// both.
    pub chunk: Option<Duration>,
    /// The reduce pass.
    pub reduce: Option<Duration>,
    /// The scale pass.
    pub scale: Option<Duration>,
    /// The adjustments' passes. The last of them may count the picture that it writes; then the adjusted picture has no
    /// chunk pass.
    pub adjust: Option<Duration>,
    /// Counting each scope.
    pub scopes: PerScope<Option<Duration>>,
    /// Counting all of them on the CPU, on its own clock, including handing them to the adapter.
    pub cpu_scopes: Option<Duration>,
    /// Drawing: picture, overlays and text.
    pub draw: Option<Duration>,
}

impl PassTimes {
    /// Returns the total time of all passes on the GPU's clock; `None` if none was timed on it.
    #[must_use]
    pub fn on_gpu(&self) -> Option<Duration> {
        let Self { chunk, reduce, scale, adjust, scopes, draw, .. } = *self;
        [chunk, reduce, scale, adjust, draw].into_iter().chain(scopes.each()).flatten().reduce(|sum, time| sum + time)
    }
}

/// A timed pass; its discriminant is the index of its timestamp span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timed {
    /// The chunk pass over the source.
    Chunk,
    /// The reduce pass after it.
    Reduce,
    /// The scale pass after it.
    Scale,
    /// The adjustments.
    Adjust,
    /// The chunk pass over the adjusted picture, if the adjustments did not count it.
    ResultChunk,
    /// The reduce pass after it.
    ResultReduce,
    /// The scale pass after it.
    ResultScale,
    /// The pass of the waveform.
    Waveform,
    /// The pass of the vectorscope.
    Vectorscope,
    /// The draw pass.
    Draw,
}

impl Timed {
    /// Number of spans.
    const COUNT: u32 = 10;

    /// Returns the pass that counts a scope.
    #[must_use]
    pub const fn counting(scope: Scope) -> Self {
        match scope {
            Scope::Waveform => Self::Waveform,
            Scope::Vectorscope => Self::Vectorscope,
        }
    }
}

/// Times frames one after another: the next one as soon as the times of the last one have been read back.
#[derive(Debug)]
pub struct LiveTiming {
    timestamps: Option<Timestamps>,
    /// The times of one frame being read back, the series it belongs to, and a bit mask of the spans it wrote.
    belt: ReadbackBelt<(Option<Series>, u32)>,
    /// The series whose pictures are timed.
    series: Option<Series>,
    /// Bit mask of the spans written by the frame being recorded, if it is timed.
    recording: Option<u32>,
    /// The newest times.
    pub times: PassTimes,
}

impl LiveTiming {
    /// Creates the queries. If the adapter writes no timestamps, only the CPU's clock is used.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        let bytes = u64::from(Timed::COUNT) * Timestamps::SPAN_BYTES;
        Self {
            timestamps: Timestamps::new(gpu, Timed::COUNT),
            belt: ReadbackBelt::new(&gpu.device, "live timestamps", bytes, 1),
            series: None,
            recording: None,
            times: PassTimes::default(),
        }
    }

    /// Times pictures of this series from now on, and drops times of any other series.
    pub(crate) fn follow(&mut self, series: Series) {
        if self.series.replace(series) != Some(series) {
            self.times = PassTimes::default();
        }
    }

    /// Returns `true` if the adapter reports the times of its passes.
    #[must_use]
    pub const fn has_timestamps(&self) -> bool {
        self.timestamps.is_some()
    }

    /// Times the frame being recorded unless times of another frame are in flight. Returns the spans to write, which
    /// must be consecutive.
    pub fn begin(&mut self, spans: &[Timed]) -> Option<Spans<'_>> {
        self.timestamps.as_ref().filter(|_| self.belt.is_empty())?;
        self.recording.get_or_insert(0);
        self.also(spans)
    }

    /// Returns the spans to write if the frame being recorded is already timed.
    pub fn also(&mut self, spans: &[Timed]) -> Option<Spans<'_>> {
        let (recording, first) = (self.recording.as_mut()?, *spans.first()?);
        *recording |= spans.iter().fold(0, |bits, &span| bits | 1 << span as u32);
        self.timestamps.as_ref().map(|timestamps| timestamps.spans_from(first as u32))
    }

    /// Records reading the times back, after the last timed pass.
    pub fn end(&mut self, encoder: &mut wgpu::CommandEncoder) {
        let (Some(written), Some(timestamps)) = (self.recording, &self.timestamps) else { return };
        let spans = (0..Timed::COUNT).filter(|span| written & (1 << span) != 0);
        self.belt.record_with((self.series, written), |readback| {
            timestamps.record_copy(encoder, spans, readback);
            readback.size()
        });
    }

    /// Starts mapping the times, once the frame has been submitted.
    pub fn submitted(&mut self) {
        self.recording = None;
        self.belt.submitted(None);
    }

    /// Returns `true` if times are in flight.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        !self.belt.is_empty()
    }

    /// Takes times that have been read back, without blocking. Returns `true` if there are new ones of the current
    /// series.
    pub fn poll(&mut self, gpu: &Gpu) -> bool {
        let Some(((series, written), words)) = self.belt.poll(&gpu.device) else { return false };
        if series != self.series {
            return false;
        }
        let period_ns = f64::from(gpu.queue.get_timestamp_period());
        self.times = times(bytemuck::cast_slice(&words), written, period_ns, self.times);
        true
    }
}

/// Converts the written spans' timestamps, two per span, to durations. The CPU's times are taken from `before`.
fn times(timestamps: &[u8], written: u32, period_ns: f64, before: PassTimes) -> PassTimes {
    let one = |span: Timed| {
        let ns = timestamps.chunks_exact(Timestamps::SPAN_BYTES as usize).nth(span as usize);
        let ns = ns.filter(|_| written & (1 << span as u32) != 0).map(|span| span_ns(span, period_ns));
        ns.map(|ns| Duration::from_nanos(ns as u64))
    };
    // If both pictures are counted, their times add up.
    let both = |source, result| match (one(source), one(result)) {
        (Some(source), Some(result)) => Some(source + result),
        (source, result) => source.or(result),
    };
    PassTimes {
        chunk: both(Timed::Chunk, Timed::ResultChunk),
        reduce: both(Timed::Reduce, Timed::ResultReduce),
        scale: both(Timed::Scale, Timed::ResultScale),
        adjust: one(Timed::Adjust),
        scopes: PerScope::from_fn(|scope| one(Timed::counting(scope))),
        draw: one(Timed::Draw),
        ..before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unwritten_spans_have_no_time_and_the_times_of_both_pictures_add_up() {
        let ticks: Vec<u64> = (0..u64::from(Timed::COUNT)).flat_map(|span| [1000, 1000 + 10 * (span + 1)]).collect();
        let written =
            [Timed::Chunk, Timed::ResultChunk, Timed::ResultScale, Timed::Adjust, Timed::Waveform, Timed::Vectorscope];
        let written = written.into_iter().fold(0, |bits, span| bits | 1 << span as u32);
        let before =
            PassTimes { upload: Some(Duration::from_nanos(7)), draw: Some(Duration::ZERO), ..PassTimes::default() };
        let nanos = |nanos| Some(Duration::from_nanos(nanos));
        let expected = PassTimes {
            upload: nanos(7),
            chunk: nanos(2 * (10 + 50)),
            scale: nanos(2 * 70),
            adjust: nanos(2 * 40),
            scopes: PerScope::from_fn(|scope| nanos(2 * [80, 90][scope as usize])),
            ..PassTimes::default()
        };
        assert_eq!(times(bytemuck::cast_slice(&ticks), written, 2.0, before), expected);
    }
}
