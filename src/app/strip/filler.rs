//! The thread that fills a strip: by a decoder of its own, at the lowest priority, and only while the gate is open.

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::cache::{Cache, Key};
use super::counter::{Counter, give_way};
use super::gate::{Gate, Pace};
use crate::media::{Decoder, MediaError, OpenOptions, Seek, StopHandle};
use crate::picture::{Frame, Picture};
use crate::strip::{COLUMNS, Seen, Strip, Sweep, fold};
use crate::text::shown;

/// Frames that are decoded while others are counted.
const AHEAD: usize = 2;

/// Of what a strip is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// The file.
    pub path: PathBuf,
    /// How it is read.
    pub open: OpenOptions,
}

/// A strip that is being filled, or has been. Dropping it ends the thread at its next frame, and does not wait for that.
pub struct Filling {
    subject: Subject,
    shared: Arc<Shared>,
    stop: StopHandle,
}

#[derive(Debug)]
struct Shared {
    strip: Mutex<Strip>,
    gate: Gate,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Strip> {
        // Between two frames it is whole.
        self.strip.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Filling {
    /// Begins to fill the strip of a video of that length.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn start(subject: Subject, empty: Strip, cache: Option<Cache>) -> std::io::Result<Self> {
        let shared = Arc::new(Shared { strip: Mutex::new(empty), gate: Gate::default() });
        let stop = StopHandle::new();
        let filler = Filler { subject: subject.clone(), shared: Arc::clone(&shared), stop: stop.clone(), cache };
        std::thread::Builder::new().name("histoscope-strip".to_owned()).spawn(move || filler.run())?;
        Ok(Self { subject, shared, stop })
    }

    /// Of what it is.
    #[must_use]
    pub const fn subject(&self) -> &Subject {
        &self.subject
    }

    /// Says when it may go on.
    pub fn set_pace(&self, pace: Pace) {
        self.shared.gate.set(pace);
    }

    /// The strip, as far as it is filled. The thread waits for as long as this is held.
    pub fn strip(&self) -> MutexGuard<'_, Strip> {
        self.shared.lock()
    }
}

impl Drop for Filling {
    fn drop(&mut self) {
        self.shared.gate.set(Pace::Stop);
        self.stop.stop();
    }
}

/// Why filling came to an end before the clip's.
enum Break {
    /// Nobody wants the strip any more.
    Unwanted,
    /// The file cannot be read.
    Unreadable(MediaError),
}

impl From<MediaError> for Break {
    fn from(error: MediaError) -> Self {
        match error {
            MediaError::Stopped { .. } => Self::Unwanted,
            error => Self::Unreadable(error),
        }
    }
}

struct Filler {
    subject: Subject,
    shared: Arc<Shared>,
    stop: StopHandle,
    cache: Option<Cache>,
}

impl Filler {
    fn run(&self) {
        give_way();
        let path = shown(&self.subject.path);
        let filled = match self.fill() {
            Ok(how) => format!("complete, {how}"),
            Err(Break::Unwanted) => return,
            // What was counted until then is shown, and stays pale where it is not exact.
            Err(Break::Unreadable(error)) => {
                log::warn!("the strip of {path} stays as it is: {error}");
                return;
            }
        };
        // The window is not to wait for the sum.
        let strip = self.shared.lock().clone();
        let (total, cuts) = (strip.total(), strip.cuts().len());
        log::debug!("strip: {filled}: {} frames, {cuts} cuts, sum {:016x}", total.frames(), sum_of(total.counts()));
    }

    /// Fills the strip, and says how.
    fn fill(&self) -> Result<&'static str, Break> {
        self.pass()?;
        let key = Key::of(&self.subject.path, &self.subject.open);
        let span_secs = self.shared.lock().span_secs();
        let kept = self.cache.as_ref().zip(key.as_ref()).and_then(|(cache, key)| cache.read(key));
        if let Some(kept) = kept.filter(|kept| kept.span_secs().to_bits() == span_secs.to_bits()) {
            *self.shared.lock() = kept;
            return Ok("as it was kept");
        }
        let mut counter = Counter::new();
        self.glimpse(&mut counter)?;
        self.sweep(&mut counter)?;
        // A file that has changed meanwhile has a strip of neither the old nor the new.
        if let (Some(cache), Some(key)) = (&self.cache, key.filter(|key| self.key().as_ref() == Some(key))) {
            let strip = self.shared.lock().clone();
            if let Err(error) = cache.write(&key, &strip) {
                log::warn!("the strip of {} is not kept: {error}", shown(&self.subject.path));
            }
        }
        Ok("counted")
    }

    fn key(&self) -> Option<Key> {
        Key::of(&self.subject.path, &self.subject.open)
    }

    fn pass(&self) -> Result<(), Break> {
        if self.shared.gate.pass() { Ok(()) } else { Err(Break::Unwanted) }
    }

    fn open(&self) -> Result<Decoder, Break> {
        self.pass()?;
        Ok(Decoder::open_with(&self.subject.path, &self.subject.open, &self.stop)?)
    }

    /// Shows a key frame for each column that has one, all over the length at once and then in between.
    fn glimpse(&self, counter: &mut Counter) -> Result<(), Break> {
        let mut decoder = self.open()?;
        if !decoder.info().seekable || !decoder.info().timed {
            return Ok(());
        }
        let mut is_settled = vec![false; COLUMNS];
        let mut glimpsed = 0;
        for at in spread() {
            if is_settled[at] {
                continue;
            }
            self.pass()?;
            let last_secs = self.shared.lock().last_secs(at);
            let found = decoder.seek(Seek::Keyframe(last_secs)).and_then(|()| decoder.next_frame());
            let frame = match found.map_err(Break::from) {
                Ok(Some(frame)) => frame,
                Ok(None) => continue,
                Err(Break::Unwanted) => return Err(Break::Unwanted),
                // Decoding from the start, which follows, will tell what is to be told.
                Err(Break::Unreadable(error)) => {
                    log::debug!("strip: no key frame before {last_secs:.3} s: {error}");
                    break;
                }
            };
            let column = self.shared.lock().column_at(frame.time_secs);
            if column > at {
                continue;
            }
            if !is_settled[column] && frame.key {
                let cells = fold(counter.count(&frame));
                self.shared.lock().glimpse(frame.time_secs, &cells);
                glimpsed += 1;
            }
            // No key frame lies between it and the end of this column.
            is_settled[column..=at].fill(true);
        }
        log::debug!("strip: {glimpsed} key frames");
        Ok(())
    }

    /// Counts every frame, while a thread decodes those that come.
    fn sweep(&self, counter: &mut Counter) -> Result<(), Break> {
        let decoder = self.open()?;
        let (sender, frames) = mpsc::sync_channel(AHEAD);
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("histoscope-strip".to_owned());
            let decoding = thread.spawn_scoped(scope, move || self.decode(decoder, &sender));
            decoding.map_err(|error| {
                log::warn!("the strip of {} stays as it is: no thread: {error}", shown(&self.subject.path));
                Break::Unwanted
            })?;
            self.count(frames, counter)
        })
    }

    /// Decodes every frame for somebody who counts it, until the end or until nobody wants more.
    fn decode(&self, mut decoder: Decoder, frames: &SyncSender<Result<Frame, Break>>) {
        loop {
            let next = self.pass().and_then(|()| Ok(decoder.next_frame()?));
            let Some(next) = next.transpose() else { return };
            let is_last = next.is_err();
            if frames.send(next).is_err() || is_last {
                return;
            }
        }
    }

    fn count(&self, frames: Receiver<Result<Frame, Break>>, counter: &mut Counter) -> Result<(), Break> {
        // Frames are added up without the lock: the window does not wait for a thread of the lowest priority.
        let mut sweep = Sweep::new(self.shared.lock().span_secs());
        let mut before: Option<Picture> = None;
        for frame in frames {
            let frame = frame?;
            let repeats = before.as_ref().is_some_and(|before| before.has_codes_of(&frame.picture));
            let range = frame.picture.colorimetry().range.value;
            let histogram = counter.count(&frame);
            let (time_secs, end_secs) = (frame.time_secs, frame.time_secs + frame.duration_secs);
            if let Some(progress) = sweep.add(&Seen { time_secs, end_secs, histogram, range, repeats }) {
                self.shared.lock().advance(progress);
            }
            before = Some(frame.picture);
        }
        let progress = sweep.finish();
        self.shared.lock().advance(progress);
        Ok(())
    }
}

/// The columns in an order in which each step halves the gaps between those before.
fn spread() -> impl Iterator<Item = usize> {
    let bits = COLUMNS.trailing_zeros();
    (0..COLUMNS).map(move |index| index.reverse_bits() >> (usize::BITS - bits))
}

/// What tells counts from others, for the log.
fn sum_of(counts: &[u64]) -> u64 {
    crate::export::analyze::summary::hash(bytemuck::cast_slice(counts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_looked_at_all_over_the_length_first() {
        let order: Vec<_> = spread().collect();
        assert_eq!(order[..5], [0, 512, 256, 768, 128]);
        let mut sorted = order;
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..COLUMNS));
    }
}
