//! The pipeline that decodes, counts and delivers frames in order.
//!
//! Decoding has its own thread, plus FFmpeg's frame threads. Counting happens on the caller's thread, with the help of
//! rayon's threads or the GPU. The caller should handle each frame quickly, or do so on a third thread. Only a few
//! frames wait between these stages.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::against::{Other, compare_all};
use super::audio::AudioGauge;
use super::comparison::Against;
use super::counter::RunComponents;
pub use super::counting::{AudioUse, CountedFrame, Jobs, Request, RunOutcome};
use super::counting::{Context, CountingWork, Cropping, count_all};
use super::error::AnalyzeError;
use super::frames::{self, Bound, Frames, Positioned};
use super::jobs;
use super::selection::{self, BlackBars};
use histoscope_core::adjust::Adjustments;
use histoscope_core::picture::Ratio;
use histoscope_core::text::shown;
use histoscope_media::AudioTrack;
use histoscope_media::{Decoder, DeviceMemory, Ending, MediaFault, StopHandle, StreamInfo, is_local, open_when_there};
use histoscope_render::engine::Engine;

/// Time to wait for a sender before logging a warning.
const PATIENCE: Duration = Duration::from_secs(10);
/// Interval for checking whether the run was asked to stop in the meantime.
const LOOK: Duration = Duration::from_millis(50);

/// A file that is open and ready to be counted.
pub struct Pipeline {
    request: Request,
    /// Number of decoders that share the file.
    jobs: usize,
    info: StreamInfo,
    ending: Ending,
    cropping: Cropping,
    bars: Option<BlackBars>,
    positioned: Positioned,
    begin: Option<Bound>,
    end: Option<Bound>,
    decoder: Decoder,
    /// The file to compare each frame with.
    other: Option<Other>,
    engine: Engine,
}

impl Pipeline {
    /// Opens the file and finds the start of the selection. If the video's matrix is not supported, so that there is no
    /// R'G'B', Y', Cb and Cr are counted instead.
    ///
    /// # Errors
    /// [`AnalyzeError`] if the file cannot be read, or does not support the selection.
    pub fn open(mut request: Request) -> Result<Self, AnalyzeError> {
        // Drivers take time to load, so the file is opened in the meantime.
        let engine = Engine::start(request.engine, &request.adapter);
        let memory = DeviceMemory::default();
        memory.set(engine.shared_memory());
        request.open.hardware.memory = Some(memory);
        let mut decoder = open(&request)?;
        let info = decoder.info().clone();
        if info.unreadable_matrix.is_some() && request.adjustments.is_off() {
            request.counting = request.counting.without_rgb();
        }
        if request.audio == AudioUse::Required && info.audio.is_empty() {
            return Err(AnalyzeError::NoSound(request.input));
        }
        let tracks = info.audio.len();
        if let Some(track) = request.audio_track.filter(|track| *track == 0 || *track as usize > tracks) {
            return Err(MediaFault::NoSuchAudioTrack { track, tracks }.of(request.input).into());
        }
        if let Some(light) = request.counting.light {
            if let Some(matrix) = info.unreadable_matrix {
                return Err(AnalyzeError::NoRgb { input: request.input.clone(), matrix });
            }
            if light.scale(info.transfer).is_none() {
                let transfer = info.transfer.unwrap_or("untagged");
                return Err(AnalyzeError::NoLight { input: request.input.clone(), transfer });
            }
        }
        let selection = &request.selection;
        let begin = selection.from.map(|from| Bound::of(&mut decoder, from)).transpose()?;
        let end = selection.to.map(|to| Bound::of(&mut decoder, to)).transpose()?;
        check_order(&request, (begin, end))?;
        let bars = if selection.crop_bars { Some(selection::find_bars(&mut decoder, &request.stop)?) } else { None };
        let cropping = Cropping {
            input: request.input.clone(),
            region: selection.region,
            bars: bars.as_ref().map(|bars| (bars.size, bars.picture)),
        };
        let ending = decoder.ending();
        let other = request.against.as_ref().map(|against| Other::open(&request, against)).transpose()?;
        let jobs = request.jobs.number(&decoder);
        let positioned = frames::position(&mut decoder, (begin, request.resume_at), jobs > 1, &request.stop)?;
        check_mixed_order(&request, end, &positioned)?;
        Ok(Self { request, jobs, info, ending, cropping, bars, positioned, begin, end, decoder, other, engine })
    }

    /// Returns the properties of the video.
    #[must_use]
    pub const fn info(&self) -> &StreamInfo {
        &self.info
    }

    /// Returns the counts made of each frame.
    #[must_use]
    pub const fn counting(&self) -> RunComponents {
        self.request.counting
    }

    /// Returns the adjustments applied to the pictures.
    #[must_use]
    pub const fn adjustments(&self) -> &Adjustments {
        &self.request.adjustments
    }

    /// Returns the file to compare each frame with, if any.
    #[must_use]
    pub const fn against(&self) -> Option<&Against> {
        self.request.against.as_ref()
    }

    /// Returns the black bars, if they were searched for.
    #[must_use]
    pub const fn bars(&self) -> Option<&BlackBars> {
        self.bars.as_ref()
    }

    /// Returns the number of the selection's first frame, if known before decoding.
    #[must_use]
    pub const fn first_number(&self) -> Option<u64> {
        self.positioned.first
    }

    /// Returns the span of the selection in seconds of the video, as far as known, for a progress bar.
    #[must_use]
    pub fn span_secs(&self) -> Range<f64> {
        let secs = |bound: Bound| match bound {
            Bound::Ticks(ticks) => self.info.time_base.times(ticks.saturating_sub(self.info.start_ticks)),
            Bound::Number(number) => {
                let known = self.positioned.index.as_ref().and_then(|index| {
                    let ticks = index.pts.get(usize::try_from(number).ok()?)?;
                    Some(self.info.time_base.times(ticks - self.info.start_ticks))
                });
                known.unwrap_or_else(|| number as f64 / self.info.average_rate.map_or(25.0, Ratio::value))
            }
        };
        let length = self.ending.stated_secs.or(self.info.duration_secs).unwrap_or(f64::INFINITY);
        self.begin.map_or(0.0, secs).min(length)..self.end.map_or(length, secs).min(length)
    }

    /// Counts all frames of the selection and passes each of them to `sink`, in order, until `sink` breaks.
    ///
    /// Damage and an early end of the file are not errors; the [`RunOutcome`] reports both.
    ///
    /// # Errors
    /// [`AnalyzeError`] if the selection begins after the last frame, counting fails, or a picture cannot be counted as
    /// requested. Earlier frames have been passed on.
    pub fn run(self, sink: &mut dyn FnMut(CountedFrame) -> ControlFlow<()>) -> Result<RunOutcome, AnalyzeError> {
        let Self { request, jobs, info, ending, cropping, positioned, end, decoder, other, mut engine, .. } = self;
        // The counts of a picture that the device did not return are not passed on.
        let (memory, mut has_failed) = (request.open.hardware.memory.clone(), false);
        let track =
            request.audio_track.map_or_else(|| AudioTrack::usual(&info.audio), |number| Some(number as usize - 1));
        let track = track.filter(|_| request.audio != AudioUse::No);
        let mut gauge = track.map(|track| AudioGauge::start(&info, &request, track));
        let counted: &mut dyn FnMut(CountedFrame) -> ControlFlow<()> = &mut |frame| {
            has_failed |= memory.as_ref().is_some_and(DeviceMemory::take_failure);
            match &mut gauge {
                _ if has_failed => ControlFlow::Break(()),
                None => sink(frame),
                Some(gauge) => gauge.pass(frame, sink),
            }
        };
        let count = || match positioned {
            // If the position to continue at was not found, frames that were already counted must be skipped by
            // decoding them.
            Positioned { index: Some(index), first: Some(first), number, .. }
                if jobs > 1 && other.is_none() && number >= request.resume_at =>
            {
                drop(decoder);
                engine.wait_if_wanted()?;
                let context = Context { request: &request, info: &info, cropping: &cropping, engine: &engine };
                jobs::run(&context, jobs, (first, number), end, &index, counted)
            }
            positioned => {
                let reading = (&request.open, &request.stop);
                let frames = Frames::start(decoder, positioned, request.resume_at, reading)?;
                // The first frames are decoded while the drivers load.
                engine.wait_if_wanted()?;
                let context = Context { request: &request, info: &info, cropping: &cropping, engine: &engine };
                match other {
                    Some(other) => compare_all(&context, other, frames, end, counted),
                    None => count_all(&mut CountingWork::new(&context), frames, end, counted),
                }
            }
        };
        let outcome = count();
        if has_failed {
            return Err(AnalyzeError::NotReturned(request.input));
        }
        // Frames that wait for their sound are passed on even if counting has failed since.
        let to_end = outcome.as_ref().is_ok_and(|outcome| outcome.reached_end) && request.selection.to.is_none();
        let (audio, unheard) = gauge.map_or((None, None), |gauge| gauge.finish(to_end, sink));
        if request.audio == AudioUse::Required
            && let Some(error) = unheard
        {
            return Err(error.into());
        }
        let mut outcome = outcome?;
        (outcome.audio, outcome.unheard) = (audio, unheard.map(|error| error.fault.to_string()));
        if let Some(difference) = outcome.difference.take() {
            return Err(difference.into());
        }
        outcome.counted_by = engine.description();
        if outcome.reached_end && outcome.ended_early.is_none() {
            outcome.ended_early = ending.missing(&info, (Some(outcome.frames.end), outcome.end_secs), &outcome.decoder);
        }
        match request.selection.from {
            Some(from) if outcome.reached_end && outcome.ended_early.is_none() && outcome.frames.is_empty() => {
                let (frames, end_secs) = (outcome.frames.end, outcome.end_secs);
                Err(AnalyzeError::BeyondEnd { input: request.input, from: from.to_string(), frames, end_secs })
            }
            _ => Ok(outcome),
        }
    }
}

fn check_order(request: &Request, bounds: (Option<Bound>, Option<Bound>)) -> Result<(), AnalyzeError> {
    let (Some(from), Some(to)) = (request.selection.from, request.selection.to) else { return Ok(()) };
    let backward = match bounds {
        (Some(Bound::Ticks(from)), Some(Bound::Ticks(to))) => from >= to,
        (Some(Bound::Number(from)), Some(Bound::Number(to))) => from >= to,
        // A time and a number can only be compared once the packets have been listed.
        _ => false,
    };
    if backward {
        let (from, to) = (from.to_string(), to.to_string());
        return Err(AnalyzeError::Backward { input: request.input.clone(), from, to });
    }
    Ok(())
}

/// Checks the order of a time and a frame number, if the file's packets define which frame the time stands for.
fn check_mixed_order(request: &Request, end: Option<Bound>, positioned: &Positioned) -> Result<(), AnalyzeError> {
    let (Some(from), Some(to)) = (request.selection.from, request.selection.to) else { return Ok(()) };
    let (Some(first), Some(index), Some(end)) = (positioned.first, &positioned.index, end) else { return Ok(()) };
    let end = match end {
        Bound::Ticks(ticks) => index.frames_before(ticks),
        Bound::Number(number) => number,
    };
    if end < first && end < index.pts.len() as u64 {
        let (from, to) = (from.to_string(), to.to_string());
        return Err(AnalyzeError::Backward { input: request.input.clone(), from, to });
    }
    Ok(())
}

/// Opens the video of a run. Waits for the sender of a live source until the run is asked to stop.
fn open(request: &Request) -> Result<Decoder, AnalyzeError> {
    let stop = StopHandle::new();
    let _watch = Watch::start(request, stop.clone());
    let decoder = open_when_there(&request.input, &request.open, &stop)?;
    if decoder.info().live {
        check_live(request)?;
    }
    Ok(decoder)
}

/// Rejects options that a live source cannot support, because its frames arrive only once.
fn check_live(request: &Request) -> Result<(), AnalyzeError> {
    let selection = &request.selection;
    let asked = [
        ("--from", selection.from.is_some()),
        ("--crop-bars", selection.crop_bars),
        ("--jobs", !matches!(request.jobs, Jobs::Auto | Jobs::ONE)),
        ("--resume", request.resume_at > 0),
        ("--against", request.against.is_some()),
    ];
    match asked.into_iter().find(|(_, is_asked)| *is_asked) {
        Some((what, _)) => Err(AnalyzeError::NeedsFile { input: request.input.clone(), what }),
        None => Ok(()),
    }
}

/// A thread that cancels opening a video if the run is asked to stop, and logs a warning if nothing has arrived for
/// long.
struct Watch(Arc<AtomicBool>);

impl Watch {
    fn start(request: &Request, decoder: StopHandle) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let (theirs, stop, name) = (Arc::clone(&is_over), request.stop.clone(), shown(&request.input));
        let is_local = is_local(&request.input);
        let watch = move || {
            let begun = Instant::now();
            let mut has_reported = false;
            while !theirs.load(Ordering::Relaxed) {
                if stop.is_stopped() {
                    return decoder.stop();
                }
                if begun.elapsed() >= PATIENCE && !has_reported && !is_local {
                    has_reported = true;
                    log::warn!("{name}: nothing received for {} s; still waiting", PATIENCE.as_secs());
                }
                thread::sleep(LOOK);
            }
        };
        if let Err(error) = thread::Builder::new().name("histoscope-watch".to_owned()).spawn(watch) {
            log::debug!("cannot start a thread to watch the opening: {error}");
        }
        Self(is_over)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
