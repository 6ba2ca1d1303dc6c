//! Counting methods applied to the frame on screen.
//!
//! They have their own planes, passes and submissions. One frame at a time is counted, and nothing blocks on its
//! result; if counting takes long, frames are skipped.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::beside::LatestOutcome;
use super::choice::LabChoice;
use super::own::OwnFile;
use super::sampling::{SAMPLES, samples, telling};
use super::screen::{Advanced, FrameKey, ScreenState};
use super::times::Times;
use histoscope_core::picture::Picture;
use histoscope_hud::{
    ChoiceOutcome, CountingView, Cut, Figures, LabBins, LabMeasured, OwnView, PassFigures, Sample, grouped, verdict,
};
use histoscope_lab::{Costs, Measured, Method, OwnShader, Runner, Setup};
use histoscope_render::gpu::{Gpu, GpuError};

/// Interval at which a pending result is polled.
const INTERVAL: Duration = Duration::from_millis(4);
/// Interval at which a still frame is counted again…
const AGAIN: Duration = Duration::from_millis(500);
/// …and the number of times it is counted by a method that is always right, so that its times settle.
pub(super) const ENOUGH: usize = 8;
/// Minimum pause between two frames of a playing video if the CPU does the work.
const PLAYING_PAUSE: Duration = Duration::from_millis(250);
/// Maximum number of pixels of a playing video that a software adapter counts: a few milliseconds.
const PLAYING_PIXELS: u64 = 1 << 17;

/// The counting topic of the lab.
#[derive(Debug)]
pub struct LabCounting {
    state: CounterState,
    /// The earliest time to count the next frame.
    next: Instant,
    figures: LatestOutcome<Figures>,
    /// The frame that was counted last, and how often.
    counted: Option<(FrameKey, usize)>,
    /// Pixels shown with their values, side by side, and the position of the first.
    samples: Vec<Sample>,
    samples_at: Option<(u32, u32)>,
    /// The number of bins for which they were chosen.
    samples_bins: u32,
}

/// The state of the counters.
#[derive(Debug)]
enum CounterState {
    /// No counters yet, or the choice has changed.
    Nothing,
    /// No counters are possible, for this reason.
    Impossible(String),
    /// The user's own shader must not run again, for this reason, until it or the choice changes.
    GivenUp(String),
    /// A method, on the device for which it was created.
    Ready(Box<Ready>),
}

#[derive(Debug)]
struct Ready {
    gpu: Arc<Gpu>,
    setup: Setup,
    /// Minimum sampling step, in pixels across and down, to keep the video playing.
    least_step: u32,
    runner: Runner,
    times: Times,
    /// Start time of the pending run, and the size of its frame.
    started: Instant,
    frame: (u32, u32),
    /// `true` if that frame belongs to a playing video.
    is_playing: bool,
}

impl LabCounting {
    pub fn new(now: Instant) -> Self {
        Self {
            state: CounterState::Nothing,
            next: now,
            figures: LatestOutcome::Nothing,
            counted: None,
            samples: Vec::new(),
            samples_at: None,
            samples_bins: 0,
        }
    }

    /// Returns the figures of the current choice for the frame on screen, if there are any. While the video plays, they
    /// may be of an earlier frame.
    pub fn figures(&self, on_screen: Option<(FrameKey, bool)>) -> Option<&Figures> {
        match self.figures.now(on_screen) {
            ChoiceOutcome::Done(figures) => Some(figures),
            _ => None,
        }
    }

    /// Returns the newest figures for the frame on screen, which may be of a previous choice, and whose bars are shown.
    pub fn bars(&self, on_screen: Option<(FrameKey, bool)>) -> Option<&Figures> {
        self.figures.newest(on_screen)
    }

    /// Returns the contents of the panel.
    pub fn view<'a>(
        &'a self,
        choice: &LabChoice,
        own: Option<&'a OwnFile>,
        measured: &'a LabMeasured,
        on_screen: Option<(FrameKey, bool)>,
    ) -> CountingView<'a> {
        CountingView {
            method: choice.method,
            own: own.map(|own| OwnView {
                name: own.name(),
                text: &own.text,
                fault: own.shader.as_ref().err().and_then(|error| error.line),
            }),
            measured,
            chunk: choice.chunk(),
            is_usual: choice.chunk.is_none(),
            channels: choice.channels,
            bins: choice.bins,
            outcome: match &self.state {
                CounterState::Impossible(reason) | CounterState::GivenUp(reason) => ChoiceOutcome::Impossible(reason),
                _ => self.figures.now(on_screen),
            },
            bars: self.bars(on_screen),
            samples: &self.samples,
            samples_at: self.samples_at.unwrap_or_default(),
        }
    }

    /// Marks the figures as outdated, because the choice has changed.
    pub fn outdate(&mut self) {
        (self.state, self.counted) = (CounterState::Nothing, None);
        self.figures.outdate();
    }

    /// Takes a finished result, and counts a frame if it is due, by the shader of the user's own if there is one.
    ///
    /// # Errors
    /// [`GpuError`] if the device fails.
    pub fn advance(
        &mut self,
        gpu: &Arc<Gpu>,
        (ScreenState { frame, is_playing }, key): (ScreenState<'_>, FrameKey),
        choice: &mut LabChoice,
        own: Option<&OwnFile>,
        now: Instant,
    ) -> Result<Advanced, GpuError> {
        let mut advanced = Advanced::default();
        // Objects created for a lost device cannot be used on the next one.
        if let CounterState::Ready(ready) = &self.state
            && !Arc::ptr_eq(&ready.gpu, gpu)
        {
            let is_suspect = own.is_some() && ready.runner.is_pending();
            self.outdate();
            if let Some(own) = own.filter(|_| is_suspect) {
                self.give_up(&format!("the device was lost while {} ran; save it to run it again", own.name()));
            }
        }
        if let CounterState::Ready(ready) = &mut self.state {
            if let Some((measured, (of, _))) = ready.runner.poll(gpu).zip(self.counted) {
                if let Some(own) = own.filter(|_| measured.was_stopped) {
                    let most = grouped(ready.setup.most_turns().into());
                    self.give_up(&format!(
                        "{}: the loops of an invocation took more than {most} turns and were stopped",
                        own.name()
                    ));
                    return Ok(Advanced { has_news: true, ..advanced });
                }
                self.figures = LatestOutcome::Now(of, ready.figures(measured, own.is_some()));
                advanced.has_news = true;
                self.next = self.next.max(ready.rest(now));
            }
            if ready.runner.is_pending() {
                advanced.wake_at = Some(now + INTERVAL);
                return Ok(advanced);
            }
        }
        if matches!(self.state, CounterState::GivenUp(_)) {
            return Ok(advanced);
        }
        let times = self.counted.filter(|(counted, _)| *counted == key).map_or(0, |(_, times)| times);
        if times >= ENOUGH && !choice.method.races() {
            return Ok(advanced);
        }
        if times > 0 {
            self.next = self.next.max(self.last_begun().unwrap_or(now) + AGAIN);
        }
        if self.next > now {
            advanced.wake_at = Some(self.next);
            return Ok(advanced);
        }
        let least_step = if is_playing && gpu.is_software() { playing_step(&frame.picture) } else { 1 };
        advanced.note = self.make(gpu, &frame.picture, least_step, choice, own)?;
        advanced.has_news |= advanced.note.is_some();
        if times == 0 {
            // They keep their position, so that their changes can be followed. Other bins need other pixels.
            if std::mem::replace(&mut self.samples_bins, choice.bins) != choice.bins {
                self.samples_at = None;
            }
            let fits = |&(x, y): &(u32, u32)| x + SAMPLES <= frame.picture.width() && y < frame.picture.height();
            let at = self.samples_at.filter(fits).unwrap_or_else(|| telling(&frame.picture, choice.bins));
            self.samples = samples(&frame.picture, at, choice.bins);
            self.samples_at = Some(at);
        }
        match &mut self.state {
            CounterState::Ready(ready) => {
                ready.start(&frame.picture, is_playing, now)?;
                self.counted = Some((key, times + 1));
                advanced.wake_at = Some(now + INTERVAL);
            }
            CounterState::Nothing | CounterState::Impossible(_) | CounterState::GivenUp(_) => {
                // Reported and drawn once per frame.
                self.figures = LatestOutcome::Nothing;
                advanced.has_news |= times == 0;
                self.counted = Some((key, ENOUGH));
            }
        }
        Ok(advanced)
    }

    fn give_up(&mut self, reason: &str) {
        log::debug!("lab counted: nothing: {reason}");
        self.state = CounterState::GivenUp(reason.to_owned());
        self.figures = LatestOutcome::Nothing;
    }

    fn last_begun(&self) -> Option<Instant> {
        match &self.state {
            CounterState::Ready(ready) => Some(ready.started),
            _ => None,
        }
    }

    /// Prepares counters for pictures like this one, as far as the adapter supports the choice. Returns a note if the
    /// nearest possible choice was taken instead.
    fn make(
        &mut self,
        gpu: &Arc<Gpu>,
        picture: &Picture,
        least_step: u32,
        choice: &mut LabChoice,
        own: Option<&OwnFile>,
    ) -> Result<Option<String>, GpuError> {
        if let CounterState::Ready(ready) = &self.state
            && ready.runner.ladder().fits(ready.setup, picture)
            && ready.least_step == least_step
        {
            return Ok(None);
        }
        let (nearest, setup, told) = choice.on(gpu);
        *choice = nearest;
        let own: Option<&OwnShader> = match own.map(|own| own.shader.as_ref()).transpose() {
            Ok(own) => own,
            Err(error) => {
                log::debug!("lab counted: nothing: {error}");
                self.state = CounterState::Impossible(error.to_string());
                return Ok(told);
            }
        };
        self.state = match setup {
            None => CounterState::Impossible(told.clone().unwrap_or_default()),
            Some(setup) => match Runner::new(gpu, setup, picture, least_step, own)? {
                Ok(runner) => {
                    let (gpu, begun, frame) = (Arc::clone(gpu), Instant::now(), (picture.width(), picture.height()));
                    CounterState::Ready(Box::new(Ready {
                        gpu,
                        setup,
                        least_step,
                        runner,
                        times: Times::default(),
                        started: begun,
                        frame,
                        is_playing: least_step > 1,
                    }))
                }
                Err(reason) => {
                    log::debug!("lab counted: {} nothing: {reason}", setup.method.name());
                    CounterState::Impossible(reason)
                }
            },
        };
        Ok(told)
    }
}

impl Ready {
    fn start(&mut self, picture: &Picture, is_playing: bool, now: Instant) -> Result<(), GpuError> {
        (self.started, self.is_playing) = (now, is_playing);
        self.frame = (picture.width(), picture.height());
        self.runner.start(&self.gpu, picture)
    }

    /// Returns `true` if the CPU does the work, which must leave time for the video.
    fn is_on_cpu(&self) -> bool {
        self.gpu.is_software() || self.runner.ladder().steps().is_empty()
    }

    /// Returns the earliest time to count the next frame.
    fn rest(&self, now: Instant) -> Instant {
        let took = now.saturating_duration_since(self.started);
        match (self.is_on_cpu(), self.is_playing) {
            (false, _) => now,
            (true, false) => now + 3 * took,
            (true, true) => now + (5 * took).max(PLAYING_PAUSE),
        }
    }

    /// Describes the reduction if a picture is not counted in full or frames are skipped.
    fn reduction(&self) -> Option<String> {
        let reduction = self.runner.ladder().reduction();
        match (reduction, self.is_on_cpu() && self.is_playing) {
            (Some(text), true) => Some(format!("{text}, and only a few frames per second")),
            (None, true) => Some("counts only a few frames per second, to keep the video playing".to_owned()),
            (reduction, false) => reduction,
        }
    }

    fn figures(&mut self, measured: Measured, is_own: bool) -> Figures {
        let total = measured.total();
        let parts = measured.passes.iter().map(|(_, time)| *time);
        self.times.add(parts.chain([total, measured.floor]));
        let count = measured.passes.len();
        let steps = self.runner.ladder().steps();
        let pass = |(index, (name, _)): (usize, &(&'static str, Option<Duration>))| PassFigures {
            name,
            micros: self.times.part(index),
            constants: steps.get(index).map(|step| step.constants.clone()).unwrap_or_default(),
            cut: steps.get(index).map(|step| Cut {
                workgroup: step.workgroup,
                workgroups: step.workgroups,
                dispatches: step.dispatches,
            }),
        };
        let passes = measured.passes.iter().enumerate().map(pass).collect();
        let ladder = self.runner.ladder();
        let counts = measured.counts;
        let pixels = |(width, height): (u32, u32)| f64::from(width) * f64::from(height);
        let figures = Figures {
            wanted: counts.expected.iter().flatten().map(|&count| u64::from(count)).sum(),
            is_exact: counts.is_exact(),
            lost: counts.lost(),
            counted: in_channels(counts.counted),
            right: in_channels(counts.expected),
            reduction: self.runner.ladder().note().map(str::to_owned).or_else(|| self.reduction()),
            part: pixels(ladder.counted_size()) / pixels(self.frame),
            passes,
            total_us: self.times.part(count),
            floor_us: self.times.part(count + 1),
            costs: if is_own { Vec::new() } else { costs(self.setup.method, &ladder.costs()) },
        };
        let (width, height) = ladder.counted_size();
        log::trace!(
            "lab counted: {} on {width}×{height}, {} bins: {}",
            self.setup.method.name(),
            self.setup.shape.bins(),
            verdict(&figures)
        );
        figures
    }
}

/// Returns the sampling step, in pixels across and down, at which a software adapter counts a playing video.
fn playing_step(picture: &Picture) -> u32 {
    let pixels = u64::from(picture.width()) * u64::from(picture.height());
    (1..).find(|&step| pixels / (u64::from(step) * u64::from(step)) <= PLAYING_PIXELS).unwrap_or(1)
}

/// Returns the bins of red, green, blue and luminance. If only some are counted, they are the last ones.
fn in_channels(bins: Vec<Vec<u32>>) -> LabBins {
    let mut all = LabBins::default();
    all.iter_mut().rev().zip(bins.into_iter().rev()).for_each(|(channel, bins)| *channel = bins);
    all
}

/// Returns the memory accesses per pixel, with names.
fn costs(method: Method, costs: &Costs) -> Vec<(&'static str, f64)> {
    let Costs { loads, stores, atomics, workgroup_atomics, bytes } = *costs;
    // Equal bins are added together.
    let is_bound = matches!(method, Method::Shared | Method::Subgroup);
    let all = [
        ("loads", loads),
        ("stores", stores),
        (if is_bound { "atomics in memory (at most)" } else { "atomics in memory" }, atomics),
        ("atomics in a workgroup", workgroup_atomics),
        ("bytes", bytes),
    ];
    all.into_iter().filter(|(_, number)| *number > 0.0).collect()
}
