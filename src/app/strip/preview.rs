//! The key frame at the pointer's place in the clip: found, drawn small and counted by a thread of the lowest priority with a decoder
//! of its own.
//!
//! Only the newest wish is kept, so that a quick pointer leaves no queue behind.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::counter::give_way;
use super::subject::StripSubject;
use crate::app::event::Waker;
use histoscope_core::histogram::{Components, Histogram};
use histoscope_core::picture::Frame;
use histoscope_core::text::shown;
use histoscope_media::{Decoder, MediaError, Seek, StopHandle};
use histoscope_render::cpu::Engine;
use histoscope_render::cpu::thumbnail::Thumbnail;

/// Width and height that a thumbnail has at most, in pixels: 400 × 225 takes 360 kB.
const MOST_PIXELS: (u32, u32) = (400, 300);
/// Thumbnails that are kept, 30 MB at most.
const MOST_KEPT: usize = 64;
/// Times that differ by no more than this are the same.
const SLACK_SECS: f64 = 1e-6;

/// A key frame, as it is shown beside the timeline.
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
    /// When it is on screen, in seconds from the start.
    pub time_secs: f64,
    /// The picture.
    pub thumbnail: Thumbnail,
    /// The counts of all its pixels, as the video's are counted.
    pub histogram: Histogram,
}

/// Has key frames of a clip come. Dropping it ends the thread, and does not wait for that.
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
    /// The last wish, in seconds, if it came to nothing.
    failed: Option<f64>,
    kept: KeptPreviews,
    /// The newest key frame.
    newest: Option<Arc<Preview>>,
}

/// The next thing for the thread to do.
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
    /// Begins to wait for wishes.
    ///
    /// # Errors
    /// If the system gives no thread.
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

    /// Of what.
    pub const fn subject(&self) -> &StripSubject {
        &self.subject
    }

    /// Asks for the key frame that is on screen at a time or comes last before it. It is there at once where it was found before.
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

    /// The one that was found last, and whether it is that of the last wish, which otherwise is looked for still, or cannot be had.
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
        // Drawing and counting would go to threads that the window needs.
        let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(1).build() else { return };
        let (mut decoder, mut engine) = (None, Engine::new());
        while let Some(secs) = self.next_wish() {
            match self.find(&mut decoder, secs, |frame| {
                pool.install(|| {
                    let histogram = engine.count(&frame.picture, Components::Rgbl).clone();
                    (Thumbnail::of(frame, MOST_PIXELS), histogram)
                })
            }) {
                Ok(Some(preview)) => self.keep(Arc::new(preview), secs),
                Ok(None) => self.give_up(secs),
                Err(MediaError::Stopped { .. }) => return,
                Err(error) => {
                    log::debug!("no preview of {} at {secs:.3} s: {error}", shown(&self.subject.path));
                    // Where it stands now nobody knows.
                    decoder = None;
                    self.give_up(secs);
                }
            }
            waker();
        }
    }

    /// Waits for a time to look for; `None` at the end.
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
        // Another wish may have come meanwhile, and been granted.
        if self.wish != Wish::Nothing {
            self.newest = Some(preview);
        }
        self.done(secs);
    }

    /// A key frame that cannot be had is not looked for again while the pointer rests.
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

/// Key frames that were found, and from when to when each is known to be what is found; the one that was used last at the end.
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
        // It may also come a little after the wish, where times are rounded.
        let [from, to] = before.unwrap_or([found.time_secs; 2]);
        self.0.push(([from.min(secs), to.max(secs)], Arc::clone(found)));
        if self.0.len() > MOST_KEPT {
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
    fn what_was_found_is_known_up_to_where_it_was_asked_for() {
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
    fn what_cannot_be_had_is_told_and_not_looked_for_again() {
        let mut state = PreviewState { wish: Wish::At(1.0), ..PreviewState::default() };
        state.found(preview(1.0), 1.0);
        assert_eq!(state.newest().map(|(found, is_asked)| (found.time_secs, is_asked)), Some((1.0, true)));
        state.wish = Wish::At(9.0);
        state.give_up(9.0);
        assert_eq!(state.newest().map(|(found, is_asked)| (found.time_secs, is_asked)), Some((1.0, false)));
        assert!(state.failed == Some(9.0) && state.wish == Wish::Nothing);
        // A wish that was granted at once is not undone by an older one.
        (state.failed, state.wish) = (None, Wish::Nothing);
        state.found(preview(4.0), 4.5);
        assert_eq!(state.newest().map(|(found, is_asked)| (found.time_secs, is_asked)), Some((1.0, true)));
        assert!(state.kept.at(4.2).is_some(), "it is kept all the same");
        state.kept.add(&preview(6.0), 5.99);
        assert!(state.kept.at(5.995).is_some(), "a little after the wish");
    }

    #[test]
    fn those_that_were_used_last_are_kept() {
        let mut kept = KeptPreviews::default();
        for at in 0..MOST_KEPT {
            kept.add(&preview(at as f64), at as f64 + 0.5);
        }
        assert!(kept.at(0.1).is_some());
        kept.add(&preview(1000.0), 1000.0);
        assert_eq!(kept.0.len(), MOST_KEPT);
        assert!(kept.at(0.1).is_some() && kept.at(1.1).is_none() && kept.at(1000.0).is_some());
    }
}
