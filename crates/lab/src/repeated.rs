//! Repeats work on the GPU to get the median of its times.

use std::time::{Duration, Instant};

use super::job::{Stop, submitted};
use histoscope_render::gpu::timing::{Spans, Timestamps, span_ns};
use histoscope_render::gpu::{Gpu, GpuError};

/// Most timed runs.
pub(super) const RUNS: usize = 9;
/// Time after which no further run starts, once one has been timed.
pub(super) const TIMING: Duration = Duration::from_millis(80);

/// Work on the GPU that runs several times.
pub(super) struct Repeated<'a> {
    pub gpu: &'a Gpu,
    /// The timestamps of its passes. `None` if the adapter has none.
    pub timestamps: Option<&'a Timestamps>,
    pub spans: u32,
    /// The result, and the number of bytes to read back.
    pub result: (&'a wgpu::Buffer, u64),
    /// `true` if a single timed run is enough.
    pub is_hurried: bool,
}

/// The results of the runs.
pub(super) struct Repeats {
    /// The nanoseconds of each span, for each run.
    runs: Vec<Vec<f64>>,
    /// The result of the last run.
    pub words: Vec<u32>,
}

impl Repeated<'_> {
    /// Runs the commands of `record` several times, always with the same spans. Returns `None` if asked to stop.
    ///
    /// # Errors
    /// [`GpuError`] if the device fails.
    pub fn run(
        &self,
        record: impl Fn(&mut wgpu::CommandEncoder, Option<Spans<'_>>),
        stop: &Stop,
    ) -> Result<Option<Repeats>, GpuError> {
        let (result, bytes) = self.result;
        let span_bytes = self.timestamps.map_or(0, |_| u64::from(self.spans) * Timestamps::SPAN_BYTES);
        let period_ns = f64::from(self.gpu.queue.get_timestamp_period());
        let begin = Instant::now();
        let mut repeats = Repeats { runs: Vec::new(), words: Vec::new() };
        // The first run is not timed, since the memory that it writes is new.
        for run in 0..=RUNS {
            if run >= 2 && (self.is_hurried || begin.elapsed() >= TIMING) {
                break;
            }
            let record = |encoder: &mut wgpu::CommandEncoder, readback: &wgpu::Buffer| {
                record(encoder, self.timestamps.map(|timestamps| timestamps.spans_from(0)));
                encoder.copy_buffer_to_buffer(result, 0, readback, 0, bytes);
                if let Some(timestamps) = self.timestamps {
                    timestamps.record_copy_to(encoder, 0..self.spans, readback, bytes);
                }
            };
            let Some(mut words) = submitted(self.gpu, bytes + span_bytes, record, stop)? else { return Ok(None) };
            let spans = words.split_off(bytes as usize / 4);
            let spans = bytemuck::cast_slice::<u32, u8>(&spans).chunks_exact(Timestamps::SPAN_BYTES as usize);
            if run > 0 {
                repeats.runs.push(spans.map(|span| span_ns(span, period_ns)).collect());
            }
            repeats.words = words;
        }
        Ok(Some(repeats))
    }
}

impl Repeats {
    /// Returns the median over all runs of the total time of these spans; `None` if they were not timed.
    pub fn median(&self, spans: impl Iterator<Item = usize> + Clone) -> Option<Duration> {
        let of = |run: &Vec<f64>| spans.clone().map(|span| run.get(span).copied()).sum::<Option<f64>>();
        let mut times: Vec<f64> = self.runs.iter().filter_map(of).collect();
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).map(|&nanos| Duration::from_nanos(nanos as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_taken_over_sums_of_spans() {
        let runs = [[5.0, 100.0, 1.0], [1.0, 300.0, 2.0], [9.0, 200.0, 7.0]].map(|run| run.to_vec()).to_vec();
        let repeats = Repeats { runs, words: Vec::new() };
        let median = |spans: &[usize]| repeats.median(spans.iter().copied()).map(|time| time.as_nanos());
        assert_eq!([median(&[0]), median(&[1]), median(&[0, 2])], [Some(5), Some(200), Some(6)]);
        assert_eq!(median(&[3]), None, "the adapter cannot measure it");
    }
}
