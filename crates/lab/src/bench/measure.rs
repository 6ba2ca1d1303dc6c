//! Timing: warm up, repeat until two medians agree, take the last one.

use std::cell::Cell;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::error::Error;
use histoscope_render::gpu::Gpu;
use histoscope_render::gpu::timing::{Spans, Timestamps};

/// The number of repeats and the time for a measurement.
#[derive(Debug, Clone)]
pub struct Budget {
    /// The number of repeats.
    pub repeats: u32,
    /// The most time for all repeats. Slower work repeats less often, but at least three times.
    pub time: Duration,
    /// How long to run the work before each round of repeats, so that the GPU reaches its full clock rate.
    pub warm_up: Duration,
    /// `true` until the GPU has been kept busy for the [first time](FIRST_WARM_UP).
    pub is_idle: Cell<bool>,
}

/// How long to keep the GPU busy before anything is measured. An idle one raises its clock rates in steps that last longer
/// than a round of repeats, so that two medians agree on the way up.
const FIRST_WARM_UP: Duration = Duration::from_secs(2);

/// Number of submissions in flight while the GPU warms up: it raises its clock rate little under a light load.
const IN_FLIGHT: usize = 16;
/// Two medians agree if they differ by at most this fraction of the larger one, or by this many microseconds.
const AGREEING: (f64, f64) = (0.03, 0.1);
/// Most rounds of repeats until two medians agree.
const MAX_ROUNDS: u32 = 20;

impl Budget {
    /// Returns a budget that suits the adapter.
    #[must_use]
    pub fn new(gpu: &Gpu, repeats: u32) -> Self {
        // An idle GPU takes a tenth of a second to raise its clock rate. A software adapter has no such delay.
        let warm_up = Duration::from_millis(if gpu.is_software() { 0 } else { 100 });
        Self { repeats: repeats.max(1), time: Duration::from_secs(2), warm_up, is_idle: Cell::new(!gpu.is_software()) }
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
    /// `false` if the median kept changing from one round of repeats to the next, as the GPU's clock rate did.
    pub settled: bool,
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
        Self { median_us: median / 1e3, min_us: least / 1e3, repeats: ns.len() as u32, clock, settled: true }
    }

    fn agrees_with(&self, other: &Self) -> bool {
        let (a, b) = (self.median_us, other.median_us);
        (a - b).abs() <= (AGREEING.0 * a.max(b)).max(AGREEING.1)
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
    let repeats = try_out(gpu, budget, record)?;
    let timestamps = Timestamps::new(gpu, repeats.0);
    let times = settled(budget, &mut || {
        warm_up(gpu, budget, repeats.1, record)?;
        if let Some(timestamps) = &timestamps {
            return Ok(vec![Times::of(timed(gpu, timestamps, 1, repeats, record)?.remove(0), Clock::Timestamps)]);
        }
        let mut ns = Vec::new();
        for repeat in 0..repeats.0 {
            ns.push(submit_and_wait(gpu, repeat as usize, record)?.as_nanos() as f64);
        }
        Ok(vec![Times::of(ns, Clock::Wall)])
    });
    Ok(times?.remove(0))
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
    let (repeats, slow) = try_out(gpu, budget, record)?;
    let repeats = repeats.min(Timestamps::MAX_SPANS / spans);
    let Some(timestamps) = Timestamps::new(gpu, repeats * spans) else { return Ok(None) };
    let times = settled(budget, &mut || {
        warm_up(gpu, budget, slow, record)?;
        let by_span = timed(gpu, &timestamps, spans, (repeats, slow), record)?;
        Ok(by_span.into_iter().map(|ns| Times::of(ns, Clock::Timestamps)).collect())
    });
    times.map(Some)
}

/// Measures round after round until the medians of two agree: the clock rate falls while pictures are uploaded, and rises
/// again under load, step by step.
fn settled(budget: &Budget, measure: &mut dyn FnMut() -> Result<Vec<Times>, Error>) -> Result<Vec<Times>, Error> {
    let mut last = measure()?;
    if budget.warm_up.is_zero() {
        return Ok(last);
    }
    for _ in 1..MAX_ROUNDS {
        let now = measure()?;
        let agree = last.iter().zip(&now).all(|(last, now)| last.agrees_with(now));
        last = now;
        if agree {
            return Ok(last);
        }
    }
    last.iter_mut().for_each(|times| times.settled = false);
    Ok(last)
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

/// Runs the work until everything is compiled. Returns the number of repeats, and `true` if the work is so slow that each
/// repeat must finish before the next.
fn try_out(gpu: &Gpu, budget: &Budget, record: &mut Record<'_>) -> Result<(u32, bool), Error> {
    // The first run includes everything that drivers postpone until then.
    submit_and_wait(gpu, 0, record)?;
    let once = submit_and_wait(gpu, 1, record)?;
    Ok((budget.repeats_of(once).min(Timestamps::MAX_SPANS), once > Duration::from_millis(20)))
}

/// Keeps the GPU busy with the work for a while. Slow work is submitted once at a time.
fn warm_up(gpu: &Gpu, budget: &Budget, slow: bool, record: &mut Record<'_>) -> Result<(), Error> {
    let (start, in_flight) = (Instant::now(), if slow { 1 } else { IN_FLIGHT });
    let length = if budget.is_idle.take() { FIRST_WARM_UP } else { budget.warm_up };
    while start.elapsed() < length {
        (0..in_flight).for_each(|repeat| submit(gpu, repeat, None, record));
        gpu.wait()?;
    }
    Ok(())
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
    fn rounds_are_repeated_until_two_medians_agree_but_not_for_ever() {
        let budget = Budget {
            repeats: 3,
            time: Duration::from_secs(2),
            warm_up: Duration::from_millis(1),
            is_idle: Cell::new(false),
        };
        let measured = |budget: &Budget, medians: &[f64]| {
            let mut medians = medians.iter().map(|us| vec![Times::of(vec![us * 1e3], Clock::Timestamps)]);
            let times = settled(budget, &mut || Ok(medians.next().expect("no more rounds"))).unwrap()[0];
            (times.median_us, times.settled, medians.count())
        };
        assert_eq!(measured(&budget, &[219.0, 90.0, 91.0, 5.0]), (91.0, true, 1));
        assert_eq!(measured(&budget, &[1.0, 1.05, 5.0]), (1.05, true, 1), "as near as the clock tells");
        let falling: Vec<_> = (0..20_u8).map(|round| 200.0 - 8.0 * f64::from(round)).collect();
        assert_eq!(measured(&budget, &falling), (48.0, false, 0));
        let software = Budget { warm_up: Duration::ZERO, ..budget };
        assert_eq!(measured(&software, &[5.0, 3.0]), (5.0, true, 1), "its clock does not change");
    }

    #[test]
    fn slow_work_is_repeated_less_but_at_least_three_times() {
        let budget =
            Budget { repeats: 30, time: Duration::from_secs(2), warm_up: Duration::ZERO, is_idle: Cell::new(false) };
        assert_eq!(budget.repeats_of(Duration::from_micros(10)), 30);
        assert_eq!(budget.repeats_of(Duration::from_millis(200)), 10);
        assert_eq!(budget.repeats_of(Duration::from_secs(5)), 3);
    }
}
