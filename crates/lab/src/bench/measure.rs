//! Timing: warm up, repeat, take the median.

use std::time::{Duration, Instant};

use serde::Serialize;

use super::error::Error;
use histoscope_render::gpu::Gpu;
use histoscope_render::gpu::timing::{Spans, Timestamps};

/// The number of repeats and the time for a measurement.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// The number of repeats.
    pub repeats: u32,
    /// The most time for all repeats. Slower work repeats less often, but at least three times.
    pub time: Duration,
    /// The least time to run the work before timing starts, so that the GPU reaches its full clock rate.
    pub warm_up: Duration,
}

/// Warming up continues as long as each period reduces the shortest run time to less than this fraction.
const STILL_WARMING: f64 = 0.97;
/// Most periods of [`Budget::warm_up`] that warming up takes.
const MAX_PIECES: u32 = 20;

impl Budget {
    /// Returns a budget that suits the adapter.
    #[must_use]
    pub fn new(gpu: &Gpu, repeats: u32) -> Self {
        // An idle GPU takes a tenth of a second to raise its clock rate. A software adapter has no such delay.
        let warm_up = Duration::from_millis(if gpu.is_software() { 0 } else { 100 });
        Self { repeats: repeats.max(1), time: Duration::from_secs(2), warm_up }
    }

    fn repeats_of(&self, once: Duration) -> u32 {
        let fitting = self.time.as_secs_f64() / once.as_secs_f64().max(1e-9);
        self.repeats.min((fitting as u32).max(3)).max(1)
    }
}

/// The clock that a time was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// The GPU's clock, by timestamp queries around the passes.
    Timestamps,
    /// The CPU's clock, from before the submission until the GPU has finished.
    Wall,
}

/// Median and minimum of some repeats, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Times {
    /// The median.
    pub median_us: f64,
    /// The minimum.
    pub min_us: f64,
    /// The number of repeats.
    pub repeats: u32,
    /// The clock.
    pub clock: Clock,
}

impl Times {
    /// Makes times from the nanoseconds of each repeat. There must be at least one.
    #[must_use]
    pub fn of(mut ns: Vec<f64>, clock: Clock) -> Self {
        ns.sort_by(f64::total_cmp);
        let median = match ns.len() {
            0 => 0.0,
            count if count % 2 == 1 => ns[count / 2],
            count => f64::midpoint(ns[count / 2 - 1], ns[count / 2]),
        };
        let least = ns.first().copied().unwrap_or(0.0);
        Self { median_us: median / 1e3, min_us: least / 1e3, repeats: ns.len() as u32, clock }
    }
}

/// Records one repeat of the work. The arguments are the encoder, the number of the repeat, and the spans for
/// timestamps, if any.
pub type Record<'a> = dyn FnMut(&mut wgpu::CommandEncoder, usize, Option<Spans<'_>>) + 'a;

/// Measures work on the GPU that writes one span.
///
/// # Errors
/// [`Error::Gpu`] if the device fails.
pub fn on_gpu(gpu: &Gpu, budget: &Budget, record: &mut Record<'_>) -> Result<Times, Error> {
    let repeats = warm_up(gpu, budget, record)?;
    if let Some(timestamps) = Timestamps::new(gpu, repeats.0) {
        return Ok(Times::of(timed(gpu, &timestamps, 1, repeats, record)?.remove(0), Clock::Timestamps));
    }
    let mut ns = Vec::new();
    for repeat in 0..repeats.0 {
        ns.push(submit_and_wait(gpu, repeat as usize, record)?.as_nanos() as f64);
    }
    Ok(Times::of(ns, Clock::Wall))
}

/// Measures work on the GPU that writes several spans. Returns `None` if the adapter has no timestamps, because the CPU
/// cannot tell where one pass ends and the next begins.
///
/// # Errors
/// [`Error::Gpu`] if the device fails.
pub fn spans_on_gpu(
    gpu: &Gpu,
    budget: &Budget,
    spans: u32,
    record: &mut Record<'_>,
) -> Result<Option<Vec<Times>>, Error> {
    let (repeats, slow) = warm_up(gpu, budget, record)?;
    let repeats = repeats.min(Timestamps::MAX_SPANS / spans);
    let Some(timestamps) = Timestamps::new(gpu, repeats * spans) else { return Ok(None) };
    let by_span = timed(gpu, &timestamps, spans, (repeats, slow), record)?;
    Ok(Some(by_span.into_iter().map(|ns| Times::of(ns, Clock::Timestamps)).collect()))
}

/// Measures work on the CPU.
pub fn on_cpu(budget: &Budget, mut work: impl FnMut(usize)) -> Times {
    let mut once = |repeat| {
        let start = Instant::now();
        work(repeat);
        start.elapsed()
    };
    let repeats = budget.repeats_of(once(0));
    Times::of((0..repeats as usize).map(|repeat| once(repeat).as_nanos() as f64).collect(), Clock::Wall)
}

/// Runs the work until everything is compiled and the clock rate is up. Returns the number of repeats, and `true` if
/// the work is so slow that each repeat must finish before the next.
fn warm_up(gpu: &Gpu, budget: &Budget, record: &mut Record<'_>) -> Result<(u32, bool), Error> {
    // The first run includes everything that drivers postpone until then.
    submit_and_wait(gpu, 0, record)?;
    let mut once = submit_and_wait(gpu, 1, record)?;
    let mut repeat = 2;
    // A GPU raises its clock rate step by step, and more slowly under a light load.
    for _ in 0..MAX_PIECES {
        let (start, mut now) = (Instant::now(), Duration::MAX);
        while start.elapsed() < budget.warm_up {
            now = now.min(submit_and_wait(gpu, repeat, record)?);
            repeat += 1;
        }
        let before = once;
        once = once.min(now);
        if once.as_secs_f64() > before.as_secs_f64() * STILL_WARMING {
            break;
        }
    }
    let slow = once > Duration::from_millis(20);
    Ok((budget.repeats_of(once).min(Timestamps::MAX_SPANS), slow))
}

/// Returns the times of each span, in nanoseconds. Each repeat is one submission. Timestamps are read after the last
/// one.
fn timed(
    gpu: &Gpu,
    timestamps: &Timestamps,
    spans: u32,
    (repeats, slow): (u32, bool),
    record: &mut Record<'_>,
) -> Result<Vec<Vec<f64>>, Error> {
    for repeat in 0..repeats {
        submit(gpu, repeat as usize, Some(timestamps.spans_from(repeat * spans)), record);
        if slow {
            gpu.wait()?;
        }
    }
    let ns = timestamps.read_ns(gpu, repeats * spans)?;
    let span = |index| ns.iter().skip(index).step_by(spans as usize).copied().collect();
    Ok((0..spans as usize).map(span).collect())
}

fn submit(gpu: &Gpu, repeat: usize, spans: Option<Spans<'_>>, record: &mut Record<'_>) {
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("bench") });
    record(&mut encoder, repeat, spans);
    gpu.queue.submit([encoder.finish()]);
}

fn submit_and_wait(gpu: &Gpu, repeat: usize, record: &mut Record<'_>) -> Result<Duration, Error> {
    let start = Instant::now();
    submit(gpu, repeat, None, record);
    gpu.wait()?;
    Ok(start.elapsed())
}

/// Returns a progress bar on standard error. It is not drawn unless that is a terminal.
pub(super) fn progress(steps: usize) -> indicatif::ProgressBar {
    let bar = indicatif::ProgressBar::new(steps as u64);
    if let Ok(style) = indicatif::ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}") {
        bar.set_style(style);
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_minima() {
        let times = Times::of(vec![3e3, 1e3, 8e3], Clock::Wall);
        assert_eq!((times.median_us, times.min_us, times.repeats), (3.0, 1.0, 3));
        assert_eq!(Times::of(vec![4e3, 2e3], Clock::Wall).median_us, 3.0);
    }

    #[test]
    fn slow_work_is_repeated_less_but_at_least_three_times() {
        let budget = Budget { repeats: 30, time: Duration::from_secs(2), warm_up: Duration::ZERO };
        assert_eq!(budget.repeats_of(Duration::from_micros(10)), 30);
        assert_eq!(budget.repeats_of(Duration::from_millis(200)), 10);
        assert_eq!(budget.repeats_of(Duration::from_secs(5)), 3);
    }
}
