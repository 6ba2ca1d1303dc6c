//! The measured sound of the whole file: a thread of the lowest priority decodes and measures it, once.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use histoscope_core::picture::Frame;
use histoscope_core::sound::{HeldLoudness, STEP_SECS, SoundTrace};
use histoscope_hud::SoundTable;
use histoscope_media::playback::Player;
use histoscope_media::{AudioTrack, MeasuredSound, MediaError, OpenOptions, StreamInfo};

use super::Sound;
use crate::app::input::event::Waker;
use crate::app::strip::{Gate, Pace, Pacer, give_way};

/// How often the window is told while sound is measured.
const INTERVAL: Duration = Duration::from_millis(250);
/// The most steps that are measured: those of a day.
const MOST_STEPS: u32 = 24 * 3600 * 10;

/// The sound meters of the video on screen.
pub struct Meters {
    open: OpenOptions,
    waker: Waker,
    state: Option<Measuring>,
    pacer: Pacer,
    held: HeldLoudness,
    /// Where the trace ended as the window last looked, and whether it was complete or had failed.
    seen: (f64, bool, bool),
}

/// What is measured, or has been. Dropping it ends the thread at its next piece of sound.
struct Measuring {
    info: Arc<StreamInfo>,
    /// The track, counted from 0.
    track: Option<usize>,
    shared: Arc<Shared>,
}

/// What the window and the thread share.
#[derive(Default)]
struct Shared {
    gate: Gate,
    trace: Mutex<SoundTrace>,
    /// Why nothing more is measured.
    fault: OnceLock<String>,
}

/// What has happened since the window last looked.
pub struct MeterNews {
    /// `true` if more has been measured.
    pub has_more: bool,
    /// What has gone wrong, in words.
    pub complaint: Option<String>,
}

impl Shared {
    /// Locks what is known. The thread holds the lock only to add a step.
    fn trace(&self) -> MutexGuard<'_, SoundTrace> {
        self.trace.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Measuring {
    fn drop(&mut self) {
        self.shared.gate.set(Pace::Stop);
    }
}

impl Meters {
    /// Creates meters for videos opened with these options. `waker` is called when there is something new.
    #[must_use]
    pub fn new(open: OpenOptions, waker: Waker) -> Self {
        let (pacer, held) = (Pacer::default(), HeldLoudness::default());
        Self { open, waker, state: None, pacer, held, seen: (0.0, false, false) }
    }

    /// Follows the sound of the video on screen: the track that is played, or else the usual one, is measured while that
    /// `is_wanted`.
    pub fn follow(
        &mut self,
        sound: &Sound,
        (player, frame): (&Player, Option<&Frame>),
        is_wanted: bool,
        now: Instant,
    ) -> MeterNews {
        let quiet = MeterNews { has_more: false, complaint: None };
        let Some(info) = &sound.video else { return quiet };
        let track = sound.track.or_else(|| AudioTrack::usual(&info.audio));
        let is_known = |known: &Measuring| Arc::ptr_eq(&known.info, info) && known.track == track;
        if !self.state.as_ref().is_some_and(is_known) {
            (self.state, self.pacer, self.held) = (None, Pacer::default(), HeldLoudness::default());
            self.state = is_wanted.then(|| self.start(info, track));
            let is_refused = self.state.as_ref().is_some_and(|state| state.shared.fault.get().is_some());
            self.seen = (0.0, false, is_refused);
        }
        let Some(state) = &self.state else { return quiet };
        state.shared.gate.set(if is_wanted { self.pacer.pace(player, now) } else { Pace::Wait });
        let (trace, fault) = (state.shared.trace(), state.shared.fault.get());
        if let Some(frame) = frame {
            self.held.show(&trace, (frame.time_secs, end_secs(frame)));
        }
        let known = (trace.end_secs(), trace.is_complete(), fault.is_some());
        let before = std::mem::replace(&mut self.seen, known);
        MeterNews { has_more: before != known, complaint: fault.filter(|_| !before.2).cloned() }
    }

    /// Forgets what is held.
    pub fn reset(&mut self) {
        self.held = HeldLoudness::default();
    }

    /// Locks the figures of the track, as far as it has been measured.
    #[must_use]
    pub fn trace(&self) -> Option<MutexGuard<'_, SoundTrace>> {
        self.state.as_ref().map(|state| state.shared.trace())
    }

    /// Returns the contents of the panel for the frame on screen, once they are followed.
    #[must_use]
    pub fn table(&self, frame: Option<&Frame>) -> Option<SoundTable> {
        let state = self.state.as_ref()?;
        let trace = state.shared.trace();
        let step = frame.and_then(|frame| trace.step_at(end_secs(frame)));
        let names = state.track.and_then(|track| state.info.audio.get(track)).map(AudioTrack::channel_names);
        let share = |length: f64| (100.0 * trace.end_secs() / length).clamp(0.0, 99.0);
        let progress = || match state.info.duration_secs {
            Some(length) if length > 0.0 => format!("measuring {:.0} %", share(length)),
            _ => "measuring …".to_owned(),
        };
        let missing = state.shared.fault.get().cloned().or_else(|| (!trace.is_complete()).then(progress));
        Some(SoundTable {
            channels: names.unwrap_or_default().into_iter().zip(trace.levels(step)).collect(),
            now: step.map(|step| trace.loudness(step)).unwrap_or_default(),
            held: self.held.highest(),
            correlation: step.and_then(|step| trace.correlation(step)),
            clip: trace.summary().cloned(),
            missing,
        })
    }

    /// Starts measuring a track, if that is possible.
    fn start(&self, info: &Arc<StreamInfo>, track: Option<usize>) -> Measuring {
        let shared = Arc::new(Shared::default());
        let refusal = match track {
            _ if info.live => Some("live sound is not measured".to_owned()),
            None => Some("the video has no sound".to_owned()),
            // Others cannot be read again, or not without a burden.
            Some(_) if !info.path.is_file() => Some("only the sound of files is measured".to_owned()),
            Some(track) => {
                let (info, shared, waker) = (Arc::clone(info), Arc::clone(&shared), Arc::clone(&self.waker));
                let thread = std::thread::Builder::new().name("histoscope-meters".to_owned());
                let work = Work { info, open: self.open.clone(), track, shared, waker };
                thread.spawn(move || work.run()).err().map(|error| format!("the sound is not measured: {error}"))
            }
        };
        if let Some(refusal) = refusal {
            shared.fault.get_or_init(|| refusal);
        }
        Measuring { info: Arc::clone(info), track, shared }
    }
}

/// Returns the time of the end of a frame, in seconds.
fn end_secs(frame: &Frame) -> f64 {
    frame.time_secs + frame.facts.duration_secs
}

/// The work of the thread.
struct Work {
    info: Arc<StreamInfo>,
    open: OpenOptions,
    track: usize,
    shared: Arc<Shared>,
    waker: Waker,
}

impl Work {
    fn run(&self) {
        give_way();
        if let Err(error) = self.measure() {
            self.shared.fault.get_or_init(|| format!("the sound is not measured to its end: {error}"));
        }
        (self.waker)();
    }

    /// Measures the track, step by step.
    fn measure(&self) -> Result<(), MediaError> {
        if !self.shared.gate.pass() {
            return Ok(());
        }
        let mut sound = MeasuredSound::open(&self.info, &self.open, self.track)?;
        let mut told = Instant::now();
        if let Some((begin, channels)) = sound.next_sound()? {
            *self.shared.trace() = SoundTrace::new(begin, channels);
            for step in 1..=MOST_STEPS {
                if !self.shared.gate.pass() {
                    return Ok(());
                }
                sound.measure(begin + STEP_SECS * f64::from(step))?;
                let figures = sound.take();
                let is_over = sound.next_sound()?.is_none();
                if !is_over || figures.samples > 0 {
                    self.shared.trace().push(&figures);
                }
                if is_over {
                    break;
                }
                if told.elapsed() >= INTERVAL {
                    (self.waker)();
                    told = Instant::now();
                }
            }
        }
        self.shared.trace().finish(sound.summary());
        Ok(())
    }
}
