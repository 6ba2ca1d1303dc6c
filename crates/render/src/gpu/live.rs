//! The passes' times of a playing video: written by the passes, read back a few frames later, never waited for.

use std::time::Duration;

use super::Gpu;
use super::figures::Series;
use super::readback_belt::ReadbackBelt;
use super::timing::{Spans, Timestamps, span_ns};
use histoscope_core::scopes::PerScope;

/// How long the parts of the last frame that was timed took. `None` for what did not run, or cannot be timed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PassTimes {
    /// Copying the planes towards the GPU, on the CPU's clock.
    pub upload: Option<Duration>,
    /// Counting on the CPU, on its own clock; of the picture that was counted last.
    pub cpu_count: Option<Duration>,
    /// Painting the picture on the CPU, on its own clock.
    pub cpu_paint: Option<Duration>,
    /// Adjusting the picture on the CPU, on its own clock.
    pub cpu_adjust: Option<Duration>,
    /// The chunk pass, on the GPU's clock; where two pictures are counted, over both, and so the next two.
    pub chunk: Option<Duration>,
    /// The reduce pass.
    pub reduce: Option<Duration>,
    /// The scale pass.
    pub scale: Option<Duration>,
    /// The adjustments' passes, of which the last may count what it writes; the adjusted picture has no chunk pass then.
    pub adjust: Option<Duration>,
    /// Counting each scope.
    pub scopes: PerScope<Option<Duration>>,
    /// Counting all of them on the CPU, on its own clock, with handing them to the adapter.
    pub cpu_scopes: Option<Duration>,
    /// Drawing: picture, overlays and text.
    pub draw: Option<Duration>,
}

impl PassTimes {
    /// Returns the time that all passes took on the GPU's clock together; `None` where none has a time there.
    #[must_use]
    pub fn on_gpu(&self) -> Option<Duration> {
        let Self { chunk, reduce, scale, adjust, scopes: PerScope { waveform, vectorscope }, draw, .. } = *self;
        [chunk, reduce, scale, adjust, waveform, vectorscope, draw].into_iter().flatten().reduce(|sum, time| sum + time)
    }
}

/// A timed pass; its number is that of its span of timestamps.
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
    /// The chunk pass over the adjusted picture, where the adjustments did not count it.
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
    /// The passes that count the scopes.
    pub const SCOPES: PerScope<Self> = PerScope { waveform: Self::Waveform, vectorscope: Self::Vectorscope };
}

/// Times frames one after the other, as soon as the last one's figures are back.
#[derive(Debug)]
pub struct LiveTiming {
    timestamps: Option<Timestamps>,
    /// The figures of one frame on their way back, the series that it is of, and which spans it wrote, a bit each.
    belt: ReadbackBelt<(Option<Series>, u32)>,
    /// The series whose pictures are timed.
    series: Option<Series>,
    /// Spans written by the frame that is recorded now.
    recording: Option<u32>,
    /// The newest figures.
    pub times: PassTimes,
}

impl LiveTiming {
    /// Makes the queries; without them, where the adapter writes no timestamps, only the CPU's clock is used.
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

    /// Times pictures of that series from now on. What was timed of another is told no longer.
    pub(crate) fn follow(&mut self, series: Series) {
        if self.series.replace(series) != Some(series) {
            self.times = PassTimes::default();
        }
    }

    /// Returns `true` if the adapter tells its passes' times.
    #[must_use]
    pub const fn has_timestamps(&self) -> bool {
        self.timestamps.is_some()
    }

    /// Has the frame that is recorded now timed; the spans to write, if it is. They are one or more neighbours.
    pub fn begin(&mut self, spans: &[Timed]) -> Option<Spans<'_>> {
        self.timestamps.as_ref().filter(|_| self.belt.is_empty())?;
        self.recording.get_or_insert(0);
        self.also(spans)
    }

    /// The spans to write if the frame that is recorded now is timed already.
    pub fn also(&mut self, spans: &[Timed]) -> Option<Spans<'_>> {
        let (recording, first) = (self.recording.as_mut()?, *spans.first()?);
        *recording |= spans.iter().fold(0, |bits, &span| bits | 1 << span as u32);
        self.timestamps.as_ref().map(|timestamps| timestamps.spans_from(first as u32))
    }

    /// Records the way back of the figures, after the last timed pass.
    pub fn end(&mut self, encoder: &mut wgpu::CommandEncoder) {
        let (Some(written), Some(timestamps)) = (self.recording, &self.timestamps) else { return };
        let spans = (0..Timed::COUNT).filter(|span| written & (1 << span) != 0);
        self.belt.record_with((self.series, written), |readback| {
            timestamps.record_copy(encoder, spans, readback);
            readback.size()
        });
    }

    /// Asks for the figures, once the frame has been submitted.
    pub fn submitted(&mut self) {
        self.recording = None;
        self.belt.submitted(None);
    }

    /// Returns `true` if figures are under way.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        !self.belt.is_empty()
    }

    /// Takes the figures that have come back, without waiting; whether there were any of the series.
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

/// The figures of the spans that were written, from two timestamps each; `before` has those of the CPU's clock.
fn times(timestamps: &[u8], written: u32, period_ns: f64, before: PassTimes) -> PassTimes {
    let one = |span: Timed| {
        let ns = timestamps.chunks_exact(Timestamps::SPAN_BYTES as usize).nth(span as usize);
        let ns = ns.filter(|_| written & (1 << span as u32) != 0).map(|span| span_ns(span, period_ns));
        ns.map(|ns| Duration::from_nanos(ns as u64))
    };
    // Where both pictures are counted, both take their time.
    let both = |source, result| match (one(source), one(result)) {
        (Some(source), Some(result)) => Some(source + result),
        (source, result) => source.or(result),
    };
    PassTimes {
        chunk: both(Timed::Chunk, Timed::ResultChunk),
        reduce: both(Timed::Reduce, Timed::ResultReduce),
        scale: both(Timed::Scale, Timed::ResultScale),
        adjust: one(Timed::Adjust),
        scopes: Timed::SCOPES.map(one),
        draw: one(Timed::Draw),
        ..before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_that_were_not_written_have_no_time_and_those_of_both_pictures_add_up() {
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
            scopes: PerScope { waveform: nanos(2 * 80), vectorscope: nanos(2 * 90) },
            ..PassTimes::default()
        };
        assert_eq!(times(bytemuck::cast_slice(&ticks), written, 2.0, before), expected);
    }
}
