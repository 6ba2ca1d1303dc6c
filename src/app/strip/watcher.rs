//! The strip of what cannot be read a second time, live input and pipes: the frames that were shown, counted beside the window.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::counter::{StripCounter, give_way};
use super::subject::StripSubject;
use histoscope_core::picture::Frame;
use histoscope_core::strip::{COLUMNS, Strip, Watch, Watched, fold};

/// How often the strip is made anew.
const EVERY: Duration = Duration::from_millis(500);
/// Frames that may wait for being counted. Those for which there is no room are left out, and their columns stay pale.
const MOST_WAITING: usize = 4;

/// The part of the clip that is shown behind the timeline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Span {
    /// From the start as far as it was seen.
    Seen,
    /// From the start to its end, which is known, in seconds.
    Whole(f64),
    /// The part that memory keeps, from the time of the oldest frame to that of the newest. What is older is forgotten.
    Kept(f64, f64),
}

/// The strip of a clip as it is seen. Dropping it ends the thread when it has counted the frames that wait.
pub struct Gathering {
    subject: StripSubject,
    frames: SyncSender<Frame>,
    shared: Arc<GatheringShared>,
}

struct GatheringShared {
    span: Mutex<Span>,
    /// The strip that is shown, made anew where more was seen.
    strip: Mutex<Strip>,
}

impl Gathering {
    /// Begins with what `empty` shows.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn start(subject: StripSubject, empty: Strip) -> std::io::Result<Self> {
        let shared = Arc::new(GatheringShared { span: Mutex::new(Span::Seen), strip: Mutex::new(empty) });
        let (frames, shown) = mpsc::sync_channel(MOST_WAITING);
        let theirs = Arc::clone(&shared);
        let gather = move || {
            give_way();
            theirs.gather(&shown);
        };
        std::thread::Builder::new().name("histoscope-strip".to_owned()).spawn(gather)?;
        Ok(Self { subject, frames, shared })
    }

    /// Of what it is.
    #[must_use]
    pub const fn subject(&self) -> &StripSubject {
        &self.subject
    }

    /// Has a frame counted that is shown now.
    pub fn see(&self, frame: Frame) {
        if let Err(TrySendError::Disconnected(_)) = self.frames.try_send(frame) {
            log::warn!("what is seen is no longer counted for the timeline");
        }
    }

    /// Says what is to be shown.
    pub fn look_at(&self, span: Span) {
        *lock(&self.shared.span) = span;
    }

    /// Returns the strip.
    pub fn strip(&self) -> MutexGuard<'_, Strip> {
        lock(&self.shared.strip)
    }
}

impl GatheringShared {
    /// Counts the frames that are shown until there are no more, and now and then makes the strip of them.
    fn gather(&self, shown: &Receiver<Frame>) {
        let (mut counter, mut watched) = (StripCounter::new(), Watched::default());
        let mut made: Option<Instant> = None;
        // While the picture stands there is nothing to do.
        while let Ok(frame) = shown.recv() {
            let mut next = Ok(frame);
            while let Ok(frame) = next {
                let cells = fold(counter.count(&frame));
                let (time_secs, end_secs) = (frame.time_secs, frame.time_secs + frame.duration_secs);
                watched.add(&Watch { time_secs, end_secs, cells: &cells });
                let rest = made.map(|at| EVERY.saturating_sub(at.elapsed())).filter(|rest| !rest.is_zero());
                let Some(rest) = rest else { break };
                next = shown.recv_timeout(rest);
                // The last ones, if there is nobody any more, need not be shown.
                if matches!(next, Err(RecvTimeoutError::Disconnected)) {
                    break;
                }
            }
            self.show(&mut watched);
            made = Some(Instant::now());
        }
    }

    fn show(&self, watched: &mut Watched) {
        let span = match *lock(&self.span) {
            Span::Seen => (0.0, watched.end_secs()),
            Span::Whole(secs) => (0.0, secs),
            Span::Kept(oldest, newest) => {
                watched.forget_before(oldest);
                (oldest, newest)
            }
        };
        // Before there are two frames, there may be no time between them.
        if let Some(strip) = watched.strip(span) {
            let frames = || strip.columns().iter().map(|column| column.cells().frames()).sum::<u64>();
            log::debug!("strip: {} frames seen, {} of {COLUMNS} columns exact", frames(), strip.counted_columns());
            *lock(&self.strip) = strip;
        }
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    // What it holds is put there whole.
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
