//! The thread that fills a strip: with its own decoder, at the lowest priority, and only while the gate is open.

use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, MutexGuard};
use std::thread::JoinHandle;

use super::background::give_way;
use super::cache::{Cache, StripKey};
use super::counter::StripCounter;
use super::gate::Pace;
use super::keyframe_scan::scan_key_frames;
use super::subject::{FillError, StripReader, StripShared, StripSubject};
use histoscope_core::picture::{Frame, Timecodes};
use histoscope_core::strip::{Differences, ExaminedFrame, FindingLimits, FrameFigures, Strip, Sweep};
use histoscope_core::text::shown;
use histoscope_media::{Decoder, StopHandle};
use histoscope_render::engine::Engine;

/// Number of frames decoded ahead of counting.
const AHEAD: usize = 2;

/// A strip that is being filled or has been. Dropping it ends the thread at its next frame, without waiting for it.
pub struct Filling {
    subject: StripSubject,
    shared: Arc<StripShared>,
    stop: StopHandle,
}

impl Filling {
    /// Starts filling the strip of a video, counted by `engine`; `empty` has the video's duration. Returns the thread
    /// too, which must have ended before the program does, since it uses the adapter.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub fn start(
        subject: StripSubject,
        empty: Strip,
        cache: Option<Cache>,
        engine: Engine,
    ) -> std::io::Result<(Self, JoinHandle<()>)> {
        let shared = Arc::new(StripShared::new(empty));
        let stop = StopHandle::new();
        let reading = StripReader { subject: subject.clone(), shared: Arc::clone(&shared), stop: stop.clone() };
        let filler = Filler { reading, cache, engine };
        let thread = std::thread::Builder::new().name("histoscope-strip".to_owned()).spawn(move || filler.run())?;
        Ok((Self { subject, shared, stop }, thread))
    }

    /// Returns the input of the strip.
    #[must_use]
    pub const fn subject(&self) -> &StripSubject {
        &self.subject
    }

    /// Sets the pace of the thread.
    pub fn set_pace(&self, pace: Pace) {
        self.shared.gate.set(pace);
    }

    /// Locks the strip, as far as it is filled. The thread waits while the guard is held.
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

struct Filler {
    reading: StripReader,
    cache: Option<Cache>,
    engine: Engine,
}

impl Filler {
    fn run(&self) {
        give_way();
        let path = shown(&self.reading.subject.path);
        let filled = match self.fill() {
            Ok(how) => format!("complete, {how}"),
            Err(FillError::Unwanted) => return,
            // The counts so far remain shown; columns that are not exact stay pale.
            Err(FillError::Unreadable(error)) => {
                log::warn!("the strip of {path} stays incomplete: {error}");
                return;
            }
        };
        // The window must not wait for the summation.
        let strip = self.reading.shared.lock().clone();
        let (total, cuts) = (strip.total(), strip.cuts().len());
        log::debug!("strip: {filled}: {} frames, {cuts} cuts, sum {:016x}", total.frames(), sum_of(total.counts()));
    }

    /// Fills the strip and returns a description of how.
    fn fill(&self) -> Result<&'static str, FillError> {
        self.reading.pass()?;
        let key = StripKey::of(&self.reading.subject.path, &self.reading.subject.open);
        let span_secs = self.reading.shared.lock().span_secs();
        let kept = self.cache.as_ref().zip(key.as_ref()).and_then(|(cache, key)| cache.read(key));
        if let Some(kept) = kept.filter(|kept| kept.span_secs().to_bits() == span_secs.to_bits()) {
            *self.reading.shared.lock() = kept;
            return Ok("loaded from the cache");
        }
        scan_key_frames(&self.reading)?;
        self.sweep()?;
        // The strip of a file that changed in the meantime belongs to neither version.
        if let (Some(cache), Some(key)) = (&self.cache, key.filter(|key| self.key().as_ref() == Some(key))) {
            let strip = self.reading.shared.lock().clone();
            if let Err(error) = cache.write(&key, &strip) {
                log::warn!("the strip of {} could not be saved: {error}", shown(&self.reading.subject.path));
            }
        }
        Ok("counted")
    }

    fn key(&self) -> Option<StripKey> {
        StripKey::of(&self.reading.subject.path, &self.reading.subject.open)
    }

    /// Counts every frame while another thread decodes the following ones.
    fn sweep(&self) -> Result<(), FillError> {
        let decoder = self.reading.open(None)?;
        let timecodes = decoder.info().timecodes;
        let (sender, frames) = mpsc::sync_channel(AHEAD);
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("histoscope-strip".to_owned());
            let decoding = thread.spawn_scoped(scope, move || self.decode(decoder, &sender));
            decoding.map_err(|error| {
                log::warn!(
                    "the strip of {} stays incomplete: cannot start a thread: {error}",
                    shown(&self.reading.subject.path)
                );
                FillError::Unwanted
            })?;
            self.count(frames, timecodes)
        })
    }

    /// Decodes every frame and sends it to the counting thread, until the end or until the receiver is gone.
    fn decode(&self, mut decoder: Decoder, frames: &SyncSender<Result<Frame, FillError>>) {
        loop {
            let next = self.reading.pass().and_then(|()| Ok(decoder.next_frame()?));
            let Some(next) = next.transpose() else { return };
            let is_last = next.is_err();
            if frames.send(next).is_err() || is_last {
                return;
            }
        }
    }

    fn count(&self, frames: Receiver<Result<Frame, FillError>>, timecodes: Option<Timecodes>) -> Result<(), FillError> {
        let mut counter = StripCounter::new(&self.engine);
        // Frames are summed without holding the lock, so that the window does not wait for a thread of the lowest
        // priority.
        let mut sweep = Sweep::new(self.reading.shared.lock().span_secs());
        let mut differences = Differences::new(FindingLimits::default().frozen_difference);
        for frame in frames {
            let frame = frame?;
            let [difference, measured] = differences.push_measured(frame.time_secs, &frame.picture);
            let range = frame.picture.colorimetry().range.value;
            let (histogram, light) = counter.count_with_light(&frame);
            let histogram = &histogram;
            let figures = FrameFigures::new(histogram, measured, light.as_ref(), frame.dynamic_light);
            let (time_secs, end_secs) = (frame.time_secs, frame.time_secs + frame.duration_secs);
            let timecode = timecodes.and_then(|timecodes| timecodes.label(frame.timecode, frame.index));
            let seen = ExaminedFrame { time_secs, end_secs, histogram, range, difference, timecode };
            if let Some(progress) = sweep.add(&seen, &figures) {
                self.reading.shared.lock().advance(progress);
            }
        }
        let progress = sweep.finish();
        self.reading.shared.lock().advance(progress);
        Ok(())
    }
}

/// Returns a checksum of the counts, for the log.
fn sum_of(counts: &[u64]) -> u64 {
    histoscope_batch::analyze::summary::hash(bytemuck::cast_slice(counts))
}
