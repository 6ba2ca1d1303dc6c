//! The clip as a strip behind the timeline. [`Filling`] counts the whole clip, [`Gathering`] only the frames shown;
//! [`Cache`] stores strips, [`Previews`] finds key frames, and [`ClipStrip`] keeps all of them in step with the video
//! on screen.

mod background;
mod cache;
mod counter;
mod filler;
mod gate;
mod keyframe_scan;
mod preview;
pub mod search;
mod subject;
mod watcher;

use std::sync::{Arc, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::app::input::event::Waker;
use crate::app::session::{Interpretation, Session};
pub use background::{ProcessorTimes, give_way, own_pool};
use cache::Cache;
use filler::Filling;
pub use gate::{Gate, Pace, Pacer};
use histoscope_core::picture::Frame;
use histoscope_core::strip::{FindingFilter, Strip, Watched};
use histoscope_hud::{Preview, StripSize};
use histoscope_media::OpenOptions;
use histoscope_render::engine::Engine;
use preview::Previews;
pub use subject::StripSubject;
use watcher::{Gathering, Span};

/// Interval at which a strip that is being filled is redrawn.
const INTERVAL: Duration = Duration::from_millis(500);

/// The strip of the video on screen.
pub struct ClipStrip {
    /// The size at which it is shown.
    pub size: StripSize,
    /// The findings that are shown and searched for.
    pub sought: FindingFilter,
    open: OpenOptions,
    cache: Option<Cache>,
    state: StripState,
    /// The threads that have not ended.
    threads: Vec<JoinHandle<()>>,
    previewing: Previewing,
    /// The last reported preview: the bits of its time, and whether it was the requested one.
    previewed: Option<(u64, bool)>,
    waker: Waker,
    pacer: Pacer,
    /// The strip's change count when it was last drawn, and the time.
    drawn: (u64, Option<Instant>),
}

enum StripState {
    Nothing,
    Filling(Filling),
    /// A strip of the frames shown.
    Gathering(Gathering),
    /// No strip is possible.
    Without(StripSubject),
}

/// Key frames of the video on screen, shown beside the timeline.
enum Previewing {
    /// Previews are not possible.
    Nothing,
    /// No preview has been requested yet.
    Possible(StripSubject),
    Requested(Previews),
}

impl Previewing {
    /// Returns the input of the previews.
    const fn subject(&self) -> Option<&StripSubject> {
        match self {
            Self::Nothing => None,
            Self::Possible(subject) => Some(subject),
            Self::Requested(previews) => Some(previews.subject()),
        }
    }
}

impl ClipStrip {
    /// Creates an empty state for videos opened with `open`. `is_kept` is `true` if strips are stored between runs.
    /// `waker` is called when a preview is available.
    #[must_use]
    pub fn new(size: StripSize, open: OpenOptions, is_kept: bool, waker: Waker) -> Self {
        let cache = if is_kept { Cache::of_platform() } else { None };
        Self {
            size,
            sought: FindingFilter::default(),
            open,
            cache,
            state: StripState::Nothing,
            threads: Vec::new(),
            previewing: Previewing::Nothing,
            previewed: None,
            waker,
            pacer: Pacer::default(),
            drawn: (0, None),
        }
    }

    /// Discards the strip, because a different video was opened.
    pub fn forget(&mut self) {
        self.forget_strip();
        (self.previewing, self.previewed) = (Previewing::Nothing, None);
    }

    fn forget_strip(&mut self) {
        self.state = StripState::Nothing;
        self.pacer = Pacer::default();
        self.drawn = (0, None);
    }

    /// Returns the video on screen as a background thread reads it: its file, and the options chosen for it.
    #[must_use]
    pub fn subject(&self, session: &Session) -> StripSubject {
        let Interpretation { matrix, range, transfer, chroma_lines, field } = session.interpretation;
        let open = OpenOptions {
            matrix: matrix.or(self.open.matrix),
            range: range.or(self.open.range),
            transfer: transfer.or(self.open.transfer),
            chroma_lines: chroma_lines.or(self.open.chroma_lines),
            field,
            track: session.info.track(),
            ..self.open.clone()
        };
        StripSubject { path: session.input.clone(), open }
    }

    /// Follows the video on screen: starts filling its strip, counted by `engine`, and sets the pace.
    pub fn follow(&mut self, session: &Session, engine: &Engine, now: Instant) {
        let subject = self.subject(session);
        self.follow_previews(&subject, session);
        if self.size == StripSize::Off {
            self.forget_strip();
            return;
        }
        let is_known = match &self.state {
            StripState::Nothing => false,
            StripState::Filling(filling) => *filling.subject() == subject,
            StripState::Gathering(gathering) => *gathering.subject() == subject,
            StripState::Without(without) => *without == subject,
        };
        if !is_known {
            self.forget_strip();
            self.state = self.begin(subject, session, engine);
        }
        match &self.state {
            StripState::Filling(filling) => filling.set_pace(self.pacer.pace(&session.player, now)),
            StripState::Gathering(gathering) => gathering.look_at(span_of(session)),
            StripState::Nothing | StripState::Without(_) => {}
        }
    }

    /// Counts a frame that is being shown, if the strip consists of the frames shown.
    pub fn on_frame(&self, session: &Session, frame: &Frame) {
        if let StripState::Gathering(gathering) = &self.state {
            gathering.on_frame(session.read(frame));
        }
    }

    /// Updates whether previews are possible: for regular, seekable, timed files with more than one picture.
    fn follow_previews(&mut self, subject: &StripSubject, session: &Session) {
        if self.previewing.subject() != Some(subject) {
            let info = &session.info;
            let is_possible = info.seekable && info.timed && !info.still && subject.path.is_file();
            self.previewing = if is_possible { Previewing::Possible(subject.clone()) } else { Previewing::Nothing };
        }
    }

    /// Requests the key frame at or before a time. It arrives once it is found.
    pub fn ask_for_preview(&mut self, secs: f64) {
        if let Previewing::Possible(subject) = &self.previewing {
            self.previewing = match Previews::start(subject.clone(), Arc::clone(&self.waker)) {
                Ok(previews) => Previewing::Requested(previews),
                Err(error) => {
                    log::warn!("no key frames are shown next to the timeline: {error}");
                    return;
                }
            };
        }
        if let Previewing::Requested(previews) = &self.previewing {
            previews.ask(secs);
        }
    }

    /// Returns the key frame found last, and whether it is the one requested last.
    #[must_use]
    pub fn preview(&self) -> Option<(Arc<Preview>, bool)> {
        if let Previewing::Requested(previews) = &self.previewing { previews.newest() } else { None }
    }

    /// Returns `true` if the result of [`preview`](Self::preview) has changed since the last call.
    pub fn has_other_preview(&mut self) -> bool {
        let now = self.preview().map(|(preview, is_asked)| (preview.time_secs.to_bits(), is_asked));
        std::mem::replace(&mut self.previewed, now) != now
    }

    /// Starts a strip, if there can be one. For a regular file of known duration, it is filled; for other input, which
    /// cannot be read a second time, it consists of the frames shown. A still picture has none.
    fn begin(&mut self, subject: StripSubject, session: &Session, engine: &Engine) -> StripState {
        if session.info.still {
            return StripState::Without(subject);
        }
        let length = session.info.duration_secs.filter(|_| subject.path.is_file());
        let started = match (length.and_then(Strip::new), Watched::default().strip((0.0, 1.0))) {
            (Some(empty), _) => Filling::start(subject.clone(), empty, self.cache.clone(), engine.share())
                .map(|(filling, thread)| (StripState::Filling(filling), thread)),
            (None, Some(empty)) => {
                Gathering::start(subject.clone(), empty, engine.share()).map(|(gathering, thread)| {
                    // The first frame is already available.
                    session.frame.iter().cloned().for_each(|frame| gathering.on_frame(frame));
                    (StripState::Gathering(gathering), thread)
                })
            }
            (None, None) => return StripState::Without(subject),
        };
        match started {
            Ok((state, thread)) => {
                self.threads.retain(|thread| !thread.is_finished());
                self.threads.push(thread);
                state
            }
            Err(error) => {
                log::warn!("the clip is not counted for the timeline: {error}");
                StripState::Without(subject)
            }
        }
    }

    /// Locks the strip, as far as it is known.
    #[must_use]
    pub fn strip(&self) -> Option<MutexGuard<'_, Strip>> {
        match &self.state {
            StripState::Filling(filling) => Some(filling.strip()),
            StripState::Gathering(gathering) => Some(gathering.strip()),
            StripState::Nothing | StripState::Without(_) => None,
        }
    }

    /// Returns `true` if the strip consists of the frames shown, rather than of the whole clip.
    #[must_use]
    pub const fn is_of_what_is_seen(&self) -> bool {
        matches!(self.state, StripState::Gathering(_))
    }

    /// Returns whether the strip must be redrawn if it is on screen, and when to check again.
    pub fn poll(&mut self, now: Instant) -> (bool, Option<Instant>) {
        let Some((changes, is_complete)) = self.strip().map(|strip| (strip.changes(), strip.is_complete())) else {
            return (false, None);
        };
        let (drawn, at) = self.drawn;
        let due = at.map_or(now, |at| at + INTERVAL);
        if changes != drawn && due <= now {
            self.drawn = (changes, Some(now));
            return (true, (!is_complete).then_some(now + INTERVAL));
        }
        let is_settled = is_complete && changes == drawn;
        (false, (!is_settled).then(|| due.max(now + INTERVAL / 5)))
    }
}

impl Drop for ClipStrip {
    /// Waits for the threads: drivers do not tolerate one that still uses the adapter while the program exits.
    fn drop(&mut self) {
        self.forget();
        for thread in self.threads.drain(..) {
            // If it has panicked, that has been reported.
            let _ = thread.join();
        }
    }
}

/// Returns the part of a clip that its timeline represents, if the clip cannot be read a second time.
fn span_of(session: &Session) -> Span {
    match (session.player.kept_secs(), session.player.duration_secs()) {
        (Some((oldest, newest)), _) => Span::Kept(oldest, newest),
        (None, Some(secs)) if secs > 0.0 => Span::Whole(secs),
        _ => Span::Seen,
    }
}
