//! The strip for input that cannot be read a second time, such as live input and pipes: the shown frames, counted in
//! the background.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::background::give_way;
use super::counter::StripCounter;
use super::subject::StripSubject;
use histoscope_core::picture::Frame;
use histoscope_core::strip::{COLUMNS, Strip, Watch, Watched, fold};
use histoscope_render::engine::Engine;

/// Interval at which the strip is rebuilt.
const EVERY: Duration = Duration::from_millis(500);
/// Maximum number of frames waiting to be counted. Further frames are skipped, and their columns stay pale.
const MAX_WAITING: usize = 4;

/// The part of the clip shown behind the timeline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Span {
    /// From the start to the last frame shown.
    Seen,
    /// From the start to the end of the clip, which is known, in seconds.
    Whole(f64),
    /// The part stored in memory, from the time of the oldest frame to that of the newest. Older frames are forgotten.
    Kept(f64, f64),
}

/// The strip of the frames shown. Dropping it ends the thread after it has counted the waiting frames.
pub struct Gathering {
    subject: StripSubject,
    frames: SyncSender<Frame>,
    shared: Arc<GatheringShared>,
}

struct GatheringShared {
    span: Mutex<Span>,
    /// The strip on screen, rebuilt when more frames have been shown.
    strip: Mutex<Strip>,
}

impl Gathering {
    /// Starts with the strip `empty`; `engine` counts. Returns the thread too, which must have ended before the program
    /// does, since it uses the adapter.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub fn start(subject: StripSubject, empty: Strip, engine: Engine) -> std::io::Result<(Self, JoinHandle<()>)> {
        let shared = Arc::new(GatheringShared { span: Mutex::new(Span::Seen), strip: Mutex::new(empty) });
        let (frames, shown) = mpsc::sync_channel(MAX_WAITING);
        let theirs = Arc::clone(&shared);
        let gather = move || {
            give_way();
            theirs.gather(&shown, &engine);
        };
        let thread = std::thread::Builder::new().name("histoscope-strip".to_owned()).spawn(gather)?;
        Ok((Self { subject, frames, shared }, thread))
    }

    /// Returns the input of the strip.
    #[must_use]
    pub const fn subject(&self) -> &StripSubject {
        &self.subject
    }

    /// Counts a frame that is being shown.
    pub fn on_frame(&self, frame: Frame) {
        if let Err(TrySendError::Disconnected(_)) = self.frames.try_send(frame) {
            log::warn!("shown frames are no longer counted for the timeline");
        }
    }

    /// Sets the part of the clip to show.
    pub fn look_at(&self, span: Span) {
        *lock(&self.shared.span) = span;
    }

    /// Returns the strip.
    pub fn strip(&self) -> MutexGuard<'_, Strip> {
        lock(&self.shared.strip)
    }
}

impl GatheringShared {
    /// Counts the shown frames until the sender is gone, and rebuilds the strip from time to time.
    fn gather(&self, shown: &Receiver<Frame>, engine: &Engine) {
        let (mut counter, mut watched) = (StripCounter::new(engine), Watched::default());
        let mut made: Option<Instant> = None;
        // While the picture stands still, there is nothing to do.
        while let Ok(frame) = shown.recv() {
            let mut next = Ok(frame);
            while let Ok(frame) = next {
                let cells = fold(&counter.count(&frame));
                let (time_secs, end_secs) = (frame.time_secs, frame.time_secs + frame.duration_secs);
                watched.add(&Watch { time_secs, end_secs, cells: &cells });
                let rest = made.map(|at| EVERY.saturating_sub(at.elapsed())).filter(|rest| !rest.is_zero());
                let Some(rest) = rest else { break };
                next = shown.recv_timeout(rest);
                // If the sender is gone, the last frames need not be shown.
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
        // With fewer than two frames, the time span may be empty.
        if let Some(strip) = watched.strip(span) {
            let frames = || strip.columns().iter().map(|column| column.cells().frames()).sum::<u64>();
            log::debug!("strip: {} frames seen, {} of {COLUMNS} columns exact", frames(), strip.counted_columns());
            *lock(&self.strip) = strip;
        }
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    // The values are only replaced as a whole, so they are consistent even after a panic.
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
