//! Background work on the frame on screen: started frame by frame, and never waited for.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::screen::{Advanced, FrameKey, ScreenState};
use histoscope_hud::ChoiceOutcome;
use histoscope_lab::{LabWork, Worker};
use histoscope_render::gpu::{Gpu, GpuError};

/// Interval at which a pending run is polled.
const INTERVAL: Duration = Duration::from_millis(8);
/// Minimum pause between two runs on a playing video.
const PAUSE: Duration = Duration::from_millis(250);

/// Runs of one kind, and the newest outcome.
#[derive(Debug)]
pub struct LabRuns<W: LabWork> {
    worker: Worker<W>,
    known: LatestOutcome<W::Outcome>,
    /// The frame and setup of the newest run, if there was one.
    newest: Option<(FrameKey, W::Setup)>,
    started: Instant,
    next: Instant,
    /// Number of outcomes so far.
    number: u64,
}

/// The newest outcome, with the frame that it belongs to.
#[derive(Debug)]
pub(super) enum LatestOutcome<T> {
    /// No outcome.
    Nothing,
    /// The outcome of the previous choice, which remains until the next one arrives.
    Before(FrameKey, T),
    /// The outcome of the current choice.
    Now(FrameKey, T),
    /// The reason why the adapter cannot do it.
    Impossible(String),
}

impl<T> LatestOutcome<T> {
    /// Marks the outcome as one of the previous choice.
    pub(super) fn outdate(&mut self) {
        *self = match std::mem::replace(self, Self::Nothing) {
            Self::Before(of, outcome) | Self::Now(of, outcome) => Self::Before(of, outcome),
            Self::Nothing | Self::Impossible(_) => Self::Nothing,
        };
    }

    /// Returns the outcome of the current choice for the frame on screen. While the video plays, it may be of an
    /// earlier frame.
    pub(super) fn now(&self, on_screen: Option<(FrameKey, bool)>) -> ChoiceOutcome<'_, T> {
        match self {
            Self::Now(of, outcome) if is_for(of, on_screen) => ChoiceOutcome::Done(outcome),
            Self::Nothing | Self::Before(..) | Self::Now(..) => ChoiceOutcome::Pending,
            Self::Impossible(reason) => ChoiceOutcome::Impossible(reason),
        }
    }

    /// Returns the newest outcome for the frame on screen, which may be of a previous choice.
    pub(super) fn newest(&self, on_screen: Option<(FrameKey, bool)>) -> Option<&T> {
        match self {
            Self::Before(of, outcome) | Self::Now(of, outcome) if is_for(of, on_screen) => Some(outcome),
            _ => None,
        }
    }
}

impl<W: LabWork<Setup: PartialEq>> LabRuns<W> {
    pub fn new(now: Instant) -> Self {
        Self {
            worker: Worker::default(),
            known: LatestOutcome::Nothing,
            newest: None,
            started: now,
            next: now,
            number: 0,
        }
    }

    /// Marks the outcome as outdated, because the choice has changed.
    pub fn outdate(&mut self) {
        self.worker.stop();
        self.newest = None;
        self.known.outdate();
    }

    /// Returns the outcome of the current choice for the frame on screen.
    pub fn outcome(&self, on_screen: Option<(FrameKey, bool)>) -> ChoiceOutcome<'_, W::Outcome> {
        self.known.now(on_screen)
    }

    /// Returns the newest outcome for the frame on screen, which may be of a previous choice, and its number.
    pub fn newest(&self, on_screen: Option<(FrameKey, bool)>) -> Option<(&W::Outcome, u64)> {
        self.known.newest(on_screen).map(|outcome| (outcome, self.number))
    }

    /// Takes the result of a finished run, and starts a new one if it is due. A new outcome is passed to `note_of`,
    /// whose text becomes the note.
    ///
    /// # Errors
    /// [`GpuError`] if the device fails.
    pub fn advance(
        &mut self,
        gpu: &Arc<Gpu>,
        (shown, key): (ScreenState<'_>, FrameKey),
        setup: W::Setup,
        now: Instant,
        note_of: impl FnOnce(&W::Outcome) -> Option<String>,
    ) -> Result<Advanced, GpuError> {
        let mut advanced = Advanced::default();
        if let Some(answer) = self.worker.poll() {
            // If the CPU does the work, it must have time for the video.
            let took = now.saturating_duration_since(self.started);
            let pause = if shown.is_playing { PAUSE } else { Duration::ZERO };
            // A still picture needs no time beside it.
            let rest = if gpu.is_software() && shown.is_playing { 3 * took } else { Duration::ZERO };
            self.next = now + rest.max(pause);
            let answer = answer?;
            // A changed choice makes the result worthless.
            if let Some((of, _)) = self.newest.filter(|(_, of)| *of == setup) {
                match answer {
                    Some(Ok(outcome)) => {
                        advanced.note = note_of(&outcome);
                        self.known = LatestOutcome::Now(of, outcome);
                        self.number += 1;
                    }
                    Some(Err(reason)) => {
                        log::debug!("lab: nothing: {reason}");
                        self.known = LatestOutcome::Impossible(reason);
                    }
                    None => self.newest = None,
                }
                advanced.has_news = true;
            }
        }
        if self.worker.is_busy() {
            // Nobody waits for the result of a frame that is no longer on screen.
            if !shown.is_playing && self.newest.as_ref().is_some_and(|(of, _)| *of != key) {
                self.worker.stop();
            }
            advanced.wake_at = Some(now + INTERVAL);
            return Ok(advanced);
        }
        if self.newest.as_ref().is_some_and(|(of, how)| *of == key && *how == setup) {
            return Ok(advanced);
        }
        // A new choice is answered immediately, regardless of the pause.
        if self.next > now && self.newest.is_some() {
            advanced.wake_at = Some(self.next);
            return Ok(advanced);
        }
        self.newest = Some((key, setup));
        self.started = now;
        match self.worker.start(gpu, setup, &shown.frame.picture) {
            Ok(()) => advanced.wake_at = Some(now + INTERVAL),
            Err(reason) => {
                self.known = LatestOutcome::Impossible(reason);
                advanced.has_news = true;
            }
        }
        Ok(advanced)
    }
}

/// Returns `true` if an outcome of this frame may be shown. A still picture has only its own; while the video plays,
/// the outcome is of an earlier frame.
fn is_for(of: &FrameKey, on_screen: Option<(FrameKey, bool)>) -> bool {
    on_screen.is_none_or(|(key, is_playing)| is_playing || key == *of)
}
