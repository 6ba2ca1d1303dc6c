//! Receiving what is live: from a sender that may not have begun yet, that pauses, and that comes back as another.
//!
//! ```text
//!               it opens                       nothing for a while, or the end
//!   Searching ───────────▶ Receiving ──────────────────────────────────────────▶ Searching
//!    │    ▲                    each frame goes on in time and number where the last one was
//!    └────┘ it does not: again, after a pause that grows to a second
//! ```

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use super::address::{self, Delivery};
use super::decoder::{Decoder, StopHandle};
use super::error::MediaError;
use super::info::{OpenOptions, StreamInfo};
use super::timeshift::Timeshift;
use histoscope_core::picture::{Frame, FrameFacts, Ratio};

/// How long one attempt to open may take, until its first frame: keyframes can be ten seconds apart, and a server that has died without a
/// word never answers.
const OPEN_LIMIT: Duration = Duration::from_secs(30);
/// How long no frame may come before the source is opened anew, and how many frames' time where that is more.
const SILENCE: Duration = Duration::from_secs(2);
const SILENT_FRAMES: f64 = 5.0;
/// The pauses between attempts: the first, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(1));
/// How often somebody who waits looks whether it is to stop.
const LOOK: Duration = Duration::from_millis(20);

/// Why there is no picture of a live source.
#[derive(Debug, Clone, PartialEq)]
pub enum NoSignal {
    /// Nothing has ever come.
    Awaited {
        /// The error of the last attempt, if one is over.
        reason: Option<String>,
    },
    /// Frames came, and come no more.
    Lost {
        /// When the last one did.
        since: SystemTime,
        /// The reason.
        reason: String,
    },
}

/// The result of waiting for a sender.
pub enum Reception {
    /// It is there, for the first time or again, as this.
    Opened(Arc<StreamInfo>),
    /// A frame.
    Frame(Frame),
    /// Nothing.
    NoSignal(NoSignal),
}

enum ReceptionState {
    Searching { pause: Option<Duration> },
    Receiving(Box<Decoder>),
}

/// A live source that is opened again and again.
pub struct Receiver {
    path: PathBuf,
    options: OpenOptions,
    stop: StopHandle,
    state: ReceptionState,
    has_told: bool,
    line: Option<ReceivedTimeline>,
    /// Where what comes is kept.
    shift: Option<Arc<Timeshift>>,
}

/// Where the next frames lie in time and number, over all that has been received.
struct ReceivedTimeline {
    /// When the first frame of all came, and its ticks.
    began: Instant,
    time_base: Ratio,
    /// Seconds and number at which the sender's own begin.
    offset_secs: f64,
    first_index: u64,
    /// Of the newest frame.
    newest: (f64, u64, SystemTime),
}

impl Receiver {
    /// Nothing is opened yet.
    pub(super) const fn new(path: PathBuf, options: OpenOptions, stop: StopHandle) -> Self {
        let state = ReceptionState::Searching { pause: None };
        Self { path, options, stop, state, has_told: false, line: None, shift: None }
    }

    /// Keeps there what comes from now on.
    pub(super) fn keeping(self, shift: &Arc<Timeshift>) -> Self {
        Self { shift: Some(Arc::clone(shift)), ..self }
    }

    /// Goes on with a source that has turned out to be live.
    #[must_use]
    pub fn with(path: PathBuf, options: OpenOptions, stop: StopHandle, decoder: Decoder) -> Self {
        let mut receiver = Self::new(path, options, stop);
        receiver.receive_from(decoder);
        receiver
    }

    /// The decoder in use.
    pub(super) const fn decoder(&self) -> Option<&Decoder> {
        if let ReceptionState::Receiving(decoder) = &self.state { Some(decoder) } else { None }
    }

    /// Waits for what happens next.
    ///
    /// # Errors
    /// [`MediaError`] if it was stopped, or if the source will never open as it is named. Before the first picture, only.
    pub fn wait(&mut self) -> Result<Reception, MediaError> {
        match &mut self.state {
            ReceptionState::Receiving(decoder) => match decoder.next_frame() {
                Ok(Some(frame)) => {
                    let stated = decoder.stated_ticks(&frame);
                    let frame = self.placed(frame);
                    if let Some(shift) = &self.shift {
                        shift.note_frame(stated, &frame);
                    }
                    Ok(Reception::Frame(frame))
                }
                Ok(None) => Ok(self.lose("the sender has ended it".to_owned())),
                Err(error @ MediaError::Stopped { .. }) => Err(error),
                Err(error) => Ok(self.lose(error.to_string())),
            },
            ReceptionState::Searching { pause } => {
                let pause = *pause;
                self.search(pause)
            }
        }
    }

    fn search(&mut self, pause: Option<Duration>) -> Result<Reception, MediaError> {
        if self.line.is_none() && !self.has_told {
            // Told once it is certain that there can be something to wait for.
            self.has_told = true;
            address::resolve(&self.path)?;
            return Ok(Reception::NoSignal(NoSignal::Awaited { reason: None }));
        }
        self.rest(pause.unwrap_or_default())?;
        let options = OpenOptions { network_limit: Some(OPEN_LIMIT), ..self.options.clone() };
        match Decoder::open_keeping(&self.path, &options, &self.stop, self.shift.as_ref()) {
            Ok(decoder) => Ok(self.receive_from(decoder)),
            Err(error @ MediaError::Stopped { .. }) => Err(error),
            Err(error) if self.line.is_none() && is_final(&error) => Err(error),
            Err(error) => {
                log::debug!("{error}");
                let next = pause.map_or(PAUSES.0, |pause| (pause * 2).min(PAUSES.1));
                self.state = ReceptionState::Searching { pause: Some(next) };
                let reason = error.to_string();
                Ok(Reception::NoSignal(match &self.line {
                    Some(line) => NoSignal::Lost { since: line.newest.2, reason },
                    None => NoSignal::Awaited { reason: Some(reason) },
                }))
            }
        }
    }

    /// Waits, unless it is to stop.
    fn rest(&self, pause: Duration) -> Result<(), MediaError> {
        let until = Instant::now() + pause;
        while Instant::now() < until {
            if self.stop.is_stopped() {
                return Err(MediaError::Stopped { path: self.path.clone() });
            }
            thread::sleep(LOOK.min(until.saturating_duration_since(Instant::now())));
        }
        Ok(())
    }

    fn receive_from(&mut self, mut decoder: Decoder) -> Reception {
        let info = decoder.info().clone();
        let frame_secs = info.average_rate.map_or(0.0, |rate| 1.0 / rate.value());
        decoder.set_network_limit(SILENCE.max(Duration::from_secs_f64((SILENT_FRAMES * frame_secs).clamp(0.0, 60.0))));
        match &mut self.line {
            Some(line) => line.resume(),
            None => self.line = Some(ReceivedTimeline::new(info.time_base)),
        }
        self.state = ReceptionState::Receiving(Box::new(decoder));
        Reception::Opened(Arc::new(info))
    }

    fn lose(&mut self, reason: String) -> Reception {
        // The decoder goes first: what it listens on is free then.
        self.state = ReceptionState::Searching { pause: None };
        if let Some(shift) = &self.shift {
            shift.end();
        }
        let since = self.line.as_ref().map_or_else(SystemTime::now, |line| line.newest.2);
        Reception::NoSignal(NoSignal::Lost { since, reason })
    }

    fn placed(&mut self, frame: Frame) -> Frame {
        match &mut self.line {
            Some(line) => line.place(frame),
            None => frame,
        }
    }
}

impl ReceivedTimeline {
    fn new(time_base: Ratio) -> Self {
        let newest = (0.0, 0, SystemTime::now());
        Self { began: Instant::now(), time_base, offset_secs: 0.0, first_index: 0, newest }
    }

    /// A sender comes whose times and numbers begin anew. Times go on by this machine's clock.
    fn resume(&mut self) {
        let (newest_secs, newest_index, _) = self.newest;
        self.offset_secs = self.began.elapsed().as_secs_f64().max(newest_secs + self.time_base.value());
        self.first_index = newest_index + 1;
    }

    /// A frame at its place.
    fn place(&mut self, frame: Frame) -> Frame {
        let time_secs = frame.time_secs + self.offset_secs;
        let index = frame.index.map(|index| index + self.first_index);
        self.newest = (time_secs, index.unwrap_or(self.newest.1 + 1), frame.arrival.unwrap_or_else(SystemTime::now));
        let pts_ticks = (time_secs / self.time_base.value()).round() as i64;
        let facts = FrameFacts { time_secs, index, pts_ticks, time_base: self.time_base, ..frame.facts };
        Frame { facts, ..frame }
    }
}

/// Opens a source; a live one as soon as its sender is there, however long that takes.
///
/// # Errors
/// [`MediaError`] if it was stopped, or if the source will never open as it is named.
pub fn open_when_there(path: &Path, options: &OpenOptions, stop: &StopHandle) -> Result<Decoder, MediaError> {
    if address::delivery(path) != Delivery::Live {
        return Decoder::open_with(path, options, stop);
    }
    let mut receiver = Receiver::new(path.to_owned(), options.clone(), stop.clone());
    loop {
        receiver.wait()?;
        if let ReceptionState::Receiving(decoder) = receiver.state {
            return Ok(*decoder);
        }
    }
}

/// Returns whether trying again would come to the same: what is wrong is the name, or what this machine can do.
const fn is_final(error: &MediaError) -> bool {
    matches!(
        error,
        MediaError::Unresolved { .. }
            | MediaError::NoSuchPort { .. }
            | MediaError::NotFound { .. }
            | MediaError::NotFollowed { .. }
            | MediaError::NotNumbered { .. }
            | MediaError::SeveralSequences { .. }
            | MediaError::Unreadable { .. }
            | MediaError::Empty { .. }
            | MediaError::Directory { .. }
            | MediaError::NoDecoder { .. }
            | MediaError::NoVideo { .. }
            | MediaError::NoProtocol { .. }
            | MediaError::PortTaken { .. }
            | MediaError::NoDeviceLibrary { .. }
            | MediaError::NoSuchDevice { .. }
            | MediaError::DeviceInUse { .. }
            | MediaError::Device { .. }
    )
}
