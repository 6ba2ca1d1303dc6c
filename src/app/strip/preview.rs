//! Finds, scales down and counts the key frame at the pointer's position in the clip, on a thread of the lowest
//! priority with its own decoder.
//!
//! Only the newest request is kept, so that a fast pointer leaves no queue behind.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::background::give_way;
use super::subject::StripSubject;
use crate::app::input::event::Waker;
use histoscope_core::histogram::{Components, Histogram};
use histoscope_core::picture::Frame;
use histoscope_core::text::shown;
use histoscope_hud::Preview;
use histoscope_media::{Decoder, MediaError, MediaFault, Seek, StopHandle};
use histoscope_render::cpu::Engine;
use histoscope_render::cpu::thumbnail::Thumbnail;

/// Maximum width and height of a thumbnail in pixels: 400 × 225 takes 360 kB.
const MAX_PIXELS: (u32, u32) = (400, 300);
/// Maximum number of stored thumbnails, at most 30 MB.
const MAX_KEPT: usize = 64;
/// Times that differ by no more than this are considered equal.
const SLACK_SECS: f64 = 1e-6;

/// Finds key frames of a clip on request. Dropping it ends the thread, without waiting for it.
pub struct Previews {
    subject: StripSubject,
    shared: Arc<PreviewShared>,
    stop: StopHandle,
}

#[derive(Default)]
struct PreviewShared {
    state: Mutex<PreviewState>,
    asked: Condvar,
}

#[derive(Default)]
struct PreviewState {
    wish: Wish,
    /// Time of the last request, in seconds, if it failed.
    failed: Option<f64>,
    kept: KeptPreviews,
    /// The newest key frame.
    newest: Option<Arc<Preview>>,
}

/// The next task of the thread.
#[derive(Default, Clone, Copy, PartialEq)]
enum Wish {
    #[default]
    Nothing,
    /// Find the key frame of this time, in seconds.
    At(f64),
    /// End.
    End,
}

impl PreviewShared {
    fn lock(&self) -> MutexGuard<'_, PreviewState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Previews {
    /// Starts the thread, which waits for requests.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub fn start(subject: StripSubject, waker: Waker) -> std::io::Result<Self> {
        let (shared, stop) = (Arc::new(PreviewShared::default()), StopHandle::new());
        let finder = Finder { subject: subject.clone(), shared: Arc::clone(&shared), stop: stop.clone() };
        let run = move || {
            give_way();
            finder.run(&waker);
        };
        std::thread::Builder::new().name("histoscope-preview".to_owned()).spawn(run)?;
        Ok(Self { subject, shared, stop })
    }

    /// Returns the input of the previews.
    pub const fn subject(&self) -> &StripSubject {
        &self.subject
    }

    /// Requests the last key frame at or before a time. It is available immediately if it was found before.
    pub fn ask(&self, secs: f64) {
        let mut state = self.shared.lock();
        if state.failed == Some(secs) {
            return;
        }
        state.failed = None;
        if let Some(found) = state.kept.at(secs) {
            (state.newest, state.wish) = (Some(found), Wish::Nothing);
        } else if state.wish != Wish::At(secs) {
            state.wish = Wish::At(secs);
            self.shared.asked.notify_all();
        }
    }

    /// Returns the key frame found last, and whether it is the one requested last. If it is not, the requested one is
    /// still being searched for or does not exist.
    pub fn newest(&self) -> Option<(Arc<Preview>, bool)> {
        self.shared.lock().newest()
    }
}

impl Drop for Previews {
    fn drop(&mut self) {
        self.shared.lock().wish = Wish::End;
        self.shared.asked.notify_all();
        self.stop.stop();
    }
}

struct Finder {
    subject: StripSubject,
    shared: Arc<PreviewShared>,
    stop: StopHandle,
}

impl Finder {
    fn run(&self, waker: &Waker) {
        // Otherwise, drawing and counting would use threads that the window needs.
        let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(1).build() else { return };
        let (mut decoder, mut engine) = (None, Engine::new());
        while let Some(secs) = self.next_wish() {
            match self.find(&mut decoder, secs, |frame| {
                pool.install(|| {
                    let histogram = engine.count(&frame.picture, Components::Rgbl).clone();
                    (Thumbnail::of(frame, MAX_PIXELS), histogram)
                })
            }) {
                Ok(Some(preview)) => self.keep(Arc::new(preview), secs),
                Ok(None) => self.give_up(secs),
                Err(MediaError { fault: MediaFault::Stopped, .. }) => return,
                Err(error) => {
                    log::debug!("no preview of {} at {secs:.3} s: {error}", shown(&self.subject.path));
                    // Its position is now unknown.
                    decoder = None;
                    self.give_up(secs);
                }
            }
            waker();
        }
    }

    /// Waits for a time to look for. Returns `None` at the end.
    fn next_wish(&self) -> Option<f64> {
        let mut state = self.shared.lock();
        loop {
            match state.wish {
                Wish::Nothing => state = self.shared.asked.wait(state).unwrap_or_else(PoisonError::into_inner),
                Wish::At(secs) => return Some(secs),
                Wish::End => return None,
            }
        }
    }

    fn find(
        &self,
        decoder: &mut Option<Decoder>,
        secs: f64,
        small: impl FnOnce(&Frame) -> (Thumbnail, Histogram),
    ) -> Result<Option<Preview>, MediaError> {
        let decoder = match decoder {
            Some(decoder) => decoder,
            none => none.insert(Decoder::open_with(&self.subject.path, &self.subject.open, &self.stop)?),
        };
        decoder.seek(Seek::Keyframe(secs))?;
        let frame = decoder.next_frame()?;
        Ok(frame.map(|frame| {
            let (thumbnail, histogram) = small(&frame);
            Preview { time_secs: frame.time_secs, thumbnail, histogram }
        }))
    }

    fn keep(&self, preview: Arc<Preview>, secs: f64) {
        let mut state = self.shared.lock();
        state.found(preview, secs);
    }

    fn give_up(&self, secs: f64) {
        self.shared.lock().give_up(secs);
    }
}

impl PreviewState {
    fn newest(&self) -> Option<(Arc<Preview>, bool)> {
        let is_asked = self.wish == Wish::Nothing && self.failed.is_none();
        self.newest.clone().map(|newest| (newest, is_asked))
    }

    fn found(&mut self, preview: Arc<Preview>, secs: f64) {
        self.kept.add(&preview, secs);
        // Without a pending request, a newer one has already been answered from the stored previews.
        if self.wish != Wish::Nothing {
            self.newest = Some(preview);
        }
        self.done(secs);
    }

    /// Records a failure, so that the key frame is not searched for again while the pointer rests.
    fn give_up(&mut self, secs: f64) {
        if self.wish == Wish::At(secs) {
            self.failed = Some(secs);
        }
        self.done(secs);
    }

    fn done(&mut self, secs: f64) {
        if self.wish == Wish::At(secs) {
            self.wish = Wish::Nothing;
        }
    }
}

/// Stored key frames, each with the range of times for which it is known to be the result; the most recently used is
/// last.
#[derive(Default)]
struct KeptPreviews(Vec<([f64; 2], Arc<Preview>)>);

impl KeptPreviews {
    fn at(&mut self, secs: f64) -> Option<Arc<Preview>> {
        let is_it = |([from, to], _): &([f64; 2], Arc<Preview>)| (from - SLACK_SECS..=*to).contains(&secs);
        let place = self.0.iter().position(is_it)?;
        let found = self.0.remove(place);
        self.0.push(found.clone());
        Some(found.1)
    }

    fn add(&mut self, found: &Arc<Preview>, secs: f64) {
        let is_same = |(_, kept): &([f64; 2], Arc<Preview>)| (kept.time_secs - found.time_secs).abs() <= SLACK_SECS;
        let before = self.0.iter().position(is_same).map(|place| self.0.remove(place).0);
        // It may also lie slightly after the requested time, if times are rounded.
        let [from, to] = before.unwrap_or([found.time_secs; 2]);
        self.0.push(([from.min(secs), to.max(secs)], Arc::clone(found)));
        if self.0.len() > MAX_KEPT {
            self.0.remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preview(time_secs: f64) -> Arc<Preview> {
        let thumbnail = Thumbnail { width: 1, height: 1, rgba: vec![0; 4] };
        Arc::new(Preview { time_secs, thumbnail, histogram: Histogram::empty(8, Components::Rgbl) })
    }

    #[test]
    fn a_preview_is_known_up_to_the_latest_request_for_it() {
        let mut kept = KeptPreviews::default();
        kept.add(&preview(2.0), 3.0);
        let time = |kept: &mut KeptPreviews, secs| kept.at(secs).map(|found| found.time_secs);
        assert_eq!(
            [1.9, 2.0, 2.5, 3.0, 3.1].map(|secs| time(&mut kept, secs)),
            [None, Some(2.0), Some(2.0), Some(2.0), None]
        );
        kept.add(&preview(2.0), 3.9);
        assert_eq!((time(&mut kept, 3.9), kept.0.len()), (Some(2.0), 1));
        kept.add(&preview(2.0), 2.2);
        assert_eq!(time(&mut kept, 3.9), Some(2.0), "what is known is not forgotten");
    }

    #[test]
    fn a_failed_request_is_reported_and_not_repeated() {
        let mut state = PreviewState { wish: Wish::At(1.0), ..PreviewState::default() };
        state.found(preview(1.0), 1.0);
        assert_eq!(state.newest().map(|(found, is_asked)| (found.time_secs, is_asked)), Some((1.0, true)));
        state.wish = Wish::At(9.0);
        state.give_up(9.0);
        assert_eq!(state.newest().map(|(found, is_asked)| (found.time_secs, is_asked)), Some((1.0, false)));
        assert!(state.failed == Some(9.0) && state.wish == Wish::Nothing);
        // A request that was answered immediately is not overridden by an older one.
        (state.failed, state.wish) = (None, Wish::Nothing);
        state.found(preview(4.0), 4.5);
        assert_eq!(state.newest().map(|(found, is_asked)| (found.time_secs, is_asked)), Some((1.0, true)));
        assert!(state.kept.at(4.2).is_some(), "it is kept all the same");
        state.kept.add(&preview(6.0), 5.99);
        assert!(state.kept.at(5.995).is_some(), "a little after the wish");
    }

    #[test]
    fn the_most_recently_used_are_kept() {
        let mut kept = KeptPreviews::default();
        for at in 0..MAX_KEPT {
            kept.add(&preview(at as f64), at as f64 + 0.5);
        }
        assert!(kept.at(0.1).is_some());
        kept.add(&preview(1000.0), 1000.0);
        assert_eq!(kept.0.len(), MAX_KEPT);
        assert!(kept.at(0.1).is_some() && kept.at(1.1).is_none() && kept.at(1000.0).is_some());
    }
}
