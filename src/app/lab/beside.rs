//! What a thread of its own does with the frame on screen: asked for frame by frame, and never waited for.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::screen::{Advanced, FrameKey, ScreenState};
use crate::app::hud::ChoiceOutcome;
use histoscope_lab::{LabWork, Worker};
use histoscope_render::gpu::{Gpu, GpuError};

/// While a run is under way it is looked for this often.
const INTERVAL: Duration = Duration::from_millis(8);
/// Between the begins of two runs on a playing video, at least.
const PAUSE: Duration = Duration::from_millis(250);

/// Runs of one kind, and what has come of the newest.
#[derive(Debug)]
pub struct LabRuns<W: LabWork> {
    worker: Worker<W>,
    known: Known<W::Outcome>,
    /// The frame of the newest run, once there was one.
    newest: Option<(FrameKey, W::Setup)>,
    begun: Instant,
    next: Instant,
    /// How many outcomes there were.
    number: u64,
}

/// The results so far.
#[derive(Debug)]
enum Known<T> {
    /// Nothing.
    Nothing,
    /// The result of the choice before, which stands until the next one comes.
    Before(T),
    /// The result of the choice.
    Now(T),
    /// In words why the adapter cannot do it.
    Impossible(String),
}

impl<W: LabWork<Setup: PartialEq>> LabRuns<W> {
    pub fn new(now: Instant) -> Self {
        Self { worker: Worker::default(), known: Known::Nothing, newest: None, begun: now, next: now, number: 0 }
    }

    /// Notes that something else is chosen.
    pub fn outdate(&mut self) {
        self.worker.stop();
        self.newest = None;
        self.known = match std::mem::replace(&mut self.known, Known::Nothing) {
            Known::Before(outcome) | Known::Now(outcome) => Known::Before(outcome),
            Known::Nothing | Known::Impossible(_) => Known::Nothing,
        };
    }

    /// The result of the choice.
    pub fn outcome(&self) -> ChoiceOutcome<'_, W::Outcome> {
        match &self.known {
            Known::Nothing | Known::Before(_) => ChoiceOutcome::UnderWay,
            Known::Impossible(reason) => ChoiceOutcome::Impossible(reason),
            Known::Now(outcome) => ChoiceOutcome::Came(outcome),
        }
    }

    /// The newest that has come, which may be of what was chosen before, and its number.
    pub fn newest(&self) -> Option<(&W::Outcome, u64)> {
        match &self.known {
            Known::Before(outcome) | Known::Now(outcome) => Some((outcome, self.number)),
            Known::Nothing | Known::Impossible(_) => None,
        }
    }

    /// Takes what has come, and has the frame worked on if that is still to be done; the outcome that is new is handed to `news`.
    ///
    /// # Errors
    /// [`GpuError`] if the device fails.
    pub fn advance(
        &mut self,
        gpu: &Arc<Gpu>,
        (shown, key): (ScreenState<'_>, FrameKey),
        setup: W::Setup,
        now: Instant,
        news: impl FnOnce(&W::Outcome) -> Option<String>,
    ) -> Result<Advanced, GpuError> {
        let mut advanced = Advanced::default();
        if let Some(answer) = self.worker.poll() {
            // Where the CPU does the work, it is to have time for the video.
            let took = now.saturating_duration_since(self.begun);
            let pause = if shown.is_playing { PAUSE } else { Duration::ZERO };
            let rest = if gpu.is_software() { 3 * took } else { Duration::ZERO };
            self.next = now + rest.max(pause);
            let answer = answer?;
            // What was chosen meanwhile makes it worthless.
            if self.newest.as_ref().is_some_and(|(_, of)| *of == setup) {
                match answer {
                    Some(Ok(outcome)) => {
                        advanced.told = news(&outcome);
                        self.known = Known::Now(outcome);
                        self.number += 1;
                    }
                    Some(Err(reason)) => {
                        log::debug!("lab: nothing: {reason}");
                        self.known = Known::Impossible(reason);
                    }
                    None => self.newest = None,
                }
                advanced.has_news = true;
            }
        }
        if self.worker.is_busy() {
            advanced.wake_at = Some(now + INTERVAL);
            return Ok(advanced);
        }
        if self.newest.as_ref().is_some_and(|(of, how)| *of == key && *how == setup) {
            return Ok(advanced);
        }
        // What was chosen just now is answered at once, whatever came before.
        if self.next > now && self.newest.is_some() {
            advanced.wake_at = Some(self.next);
            return Ok(advanced);
        }
        self.newest = Some((key, setup));
        self.begun = now;
        match self.worker.start(gpu, setup, &shown.frame.picture) {
            Ok(()) => advanced.wake_at = Some(now + INTERVAL),
            Err(reason) => {
                self.known = Known::Impossible(reason);
                advanced.has_news = true;
            }
        }
        Ok(advanced)
    }
}
